"""Words that the program and its pages use, each with one meaning."""

from __future__ import annotations

from irev.base.glossary import Term

TERMS = (
    Term(
        "query",
        "What somebody asks for, by its id. Judgments and runs have rows for each.",
        "irev eval -q -m AP qrels.txt semantic.run",
        "formats.md#both-files",
        also="query id, qid, information need, search request",
        not_said="topic, topics",
    ),
    Term(
        "document",
        "What is retrieved, by its id: a page, a passage, a product.",
        "irev explain --query q2 qrels.txt semantic.run",
        "formats.md#both-files",
        also="docno, document id, passage, item",
        not_said="doc, docs",
    ),
    Term(
        "judgment",
        "What a judge says of a document for a query: a grade. All judgments of a file are the qrels.",
        "irev validate qrels.txt",
        "formats.md#judgments",
        also="judgment list, judgements file, annotation guidelines, qrels, qrel, relevance judgment, ground"
        " truth, gold standard, gold label, golden set, labels, label, annotation, relevance feedback file",
        not_said="assessment, relevance assessment, judgement",
    ),
    Term(
        "judge",
        "Who makes judgments, a person or a program.",
        "irev judges qrels.txt judge2.txt",
        "judgments.md#do-judges-agree",
        also="rater, human evaluator",
        not_said="assessor, annotator",
    ),
    Term(
        "run",
        "What a system retrieves for each query: documents with scores, in a file.",
        "irev eval qrels.txt semantic.run",
        "formats.md#runs",
        also="six columns, run format, run file, results file, system output, submission, retrieved list, search"
        " results, results, ranked list, ranking, result list, hit list, SERP, system, search engine,"
        " retriever, run id, run tag",
    ),
    Term(
        "grade",
        "How relevant a document is to a query: a whole number, as 0, 1, 2 or 3.",
        "irev eval -m nDCG@10 qrels.txt semantic.run",
        "grades.md#grades",
        also="relevance grade, graded relevance, multi-level relevance, multiple levels of relevance, levels of"
        " relevance, multilevel relevance, relevance scale, graded judgments, degree of relevance, rating,"
        " relevance label, Likert",
    ),
    Term(
        "relevant",
        "A document is relevant when its grade is at least the relevance level: 1, or what `-l` says.",
        "irev eval -l 2 -m P@10 qrels.txt semantic.run",
        "grades.md#grades",
        also="partially relevant, marginally relevant, fairly relevant, relevance, relevance level, relevance"
        " threshold, binary relevance, binarise, binary judgments, highly relevant, nonrelevant, non-relevant,"
        " not relevant, irrelevant",
    ),
    Term(
        "judged",
        "A document with a judgment. One without is unjudged, and counts as not relevant.",
        "irev coverage qrels.txt hybrid.run semantic.run",
        "judgments.md#what-do-the-holes-hide",
        also="unjudged, unjudged document, missing judgments, incomplete judgments, incompleteness, unassessed",
        not_said="hole, holes",
    ),
    Term(
        "cutoff",
        "The rank after which results are ignored: 10 in `P@10`. `--depth` cuts every ranking, for all measures.",
        "irev eval -m P@5,10 --depth 100 qrels.txt semantic.run",
        "measure-language.md#three-ways-to-write-a-measure",
        also="top 10, first page, results page, rank cutoff, cut-off, rank threshold, top k, at k, @k, k, depth of"
        " a ranking",
    ),
    Term(
        "rank",
        "The place of a document in a run, 1 for the first: by score, highest first.",
        "irev explain --query q2 qrels.txt semantic.run",
        "formats.md#order",
        also="position, order of results, sort order",
    ),
    Term(
        "measure",
        "What gives a query a number: AP, nDCG@10. Of what users do it is called a metric.",
        "irev measures",
        "measures.md",
        also="ranking quality, search quality, search relevance, quality, cost of evaluation, evaluation measure,"
        " effectiveness measure, effectiveness, retrieval effectiveness, evaluation metric, ranking metric,"
        " metric, IR metric, performance measure",
    ),
    Term(
        "set of judgments",
        "The judgments of one file. Several files, as `--qrels NAME=FILE`, are evaluated side by side.",
        "irev eval --qrels first=qrels.txt --qrels second=judge2.txt semantic.run",
        "outputs.md#groups-and-several-judgments",
        also="several qrels, multiple qrels",
    ),
    Term(
        "finding",
        "What a question found, as Python returns it and every output format shows it.",
        "irev compare -f json qrels.txt keyword.run semantic.run",
        "python.md#results",
        also="result object, returned value",
    ),
)
