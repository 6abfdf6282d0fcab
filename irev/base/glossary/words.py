"""Words that the program and its pages use, each with one meaning; fusion, and other programs."""

from __future__ import annotations

from irev.base.glossary import Term

TERMS = (
    Term(
        "query",
        "What somebody asks for, by its id. Judgments and runs have rows for each.",
        "irev eval -q -m AP qrels.txt semantic.run",
        "formats.md#both-files",
        also="query id, qid, information need, search request, narrative",
        not_said="topic, topics",
    ),
    Term(
        "document",
        "What is retrieved, by its id: a page, a passage, a product.",
        "irev explain --query q2 qrels.txt semantic.run",
        "formats.md#both-files",
        also="docid, docno, document id, passage, item",
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
        also="run file, results file, system output, submission, retrieved list, search"
        " results, results, ranked list, ranking, result list, hit list, SERP, system, search engine,"
        " retriever, run id, run tag",
    ),
    Term(
        "grade",
        "How relevant a document is to a query: a number, as 0, 1, 2 or 3, with or without a fraction.",
        "irev eval -m nDCG@10 qrels.txt semantic.run",
        "grades.md#grades",
        also="relevance grade, graded relevance, multi-level relevance, multiple levels of relevance, levels of"
        " relevance, multilevel relevance, relevance scale, graded judgments, degree of relevance, rating, relevance"
        " label, Likert, magnitude estimation",
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
        "judgments.md#what-do-missing-judgments-hide",
        also="unjudged, unjudged document, missing judgments, incomplete judgments, incompleteness, unassessed,"
        " sparse judgments, sparse labels, unlabelled relevant documents, false negatives of judgments",
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
    Term(
        "fusion",
        "One run is made of several, by ranks or by scores.",
        "irev fuse hybrid.run keyword.run",
        "fusion.md",
        also="RRF, Condorcet, combine rankings, late fusion, rank fusion, data fusion, metasearch, hybrid search,"
        " reciprocal rank fusion, CombSUM rule, combine runs, merge runs, Borda count, ensemble, rank"
        " aggregation",
    ),
    Term(
        "score normalisation",
        "Makes scores of different runs comparable before they are added up.",
        "irev fuse --method combsum --norm min-max hybrid.run keyword.run",
        "fusion.md#normalisations",
        also="z-score normalisation, normalisation, normalization of scores, score normalization, min-max"
        " normalisation, z-normalisation, normalise scores",
    ),
    Term(
        "checking files",
        "Finds everything that is wrong with judgments and runs, with lines and remedies.",
        "irev validate qrels.txt hybrid.run",
        "validate.md",
        also="check run, check files, lint, check_input, verify files, submission check, duplicate documents,"
        " malformed file",
    ),
    Term(
        "conversion of files",
        "Writes judgments or runs in another format: TREC's, CSV, JSONL, Parquet.",
        "irev convert --to csv keyword.run -",
        "convert.md",
        also="csv to trec, export, import, change format, file format",
    ),
    Term(
        "explanation of a value",
        "What a value is made of, rank by rank.",
        "irev explain -m nDCG@10 --query q2 qrels.txt keyword.run",
        "explain.md",
        also="worked example, step by step, how is it computed, why this value, formula with numbers",
    ),
    Term(
        "definition of a measure",
        "Every measure has a page with its formula, edge cases and source; `--cite` prints BibTeX.",
        "irev measures nDCG@10",
        "measures.md",
        also="list of measures, catalogue of measures, available measures, formula, which measures",
    ),
    Term(
        "citation",
        "`--cite` prints the paper that a measure comes from, as BibTeX; CITATION.cff has how to cite irev.",
        "irev measures --cite nDCG@10",
        "measures.md",
        also="BibTeX, how to cite, cite, citing, reference of a measure",
    ),
    Term(
        "HTML report",
        "One page with numbers, significance, every query and the documents behind it.",
        "irev report qrels.txt keyword.run semantic.run -o report.html",
        "report.md",
        also="web page, page of results, share results, visualisation, visualize",
    ),
    Term(
        "pytrec_eval",
        "Other packages for Python. irev has pytrec_eval's interface and is a provider of ir_measures; it knows their"
        " names of measures.",
        "irev eval -m ndcg_cut_10 qrels.txt semantic.run",
        "ir_measures.md",
        also="ir_measures, ir-measures, pyterrier, anserini, pyserini",
    ),
    Term(
        "ranx",
        "A library in Python, whose names of measures are names here.",
        "irev eval -m ndcg@10 -m mrr qrels.txt semantic.run",
        "tutorials/from-ranx.md",
        also="ranx library",
    ),
    Term(
        "names of other tools",
        "Tools call measures by other names, or give one name to another number: tables say which measure of irev has"
        " the number of theirs.",
        "irev eval -m 'AP(over=found)' -m SetP@5 qrels.txt semantic.run",
        "names-elsewhere.md",
        also="ragas, scikit-learn, sklearn, LlamaIndex, Haystack, LangChain, torchmetrics, RetrievalMAP, Elasticsearch"
        " rank eval, rank eval, ranking evaluation API",
    ),
    Term(
        "sentence-transformers",
        "What its `semantic_search` finds becomes a run of `irev.evaluate`, and the documents of its evaluator"
        " judgments.",
        "irev eval -c -m nDCG@10 -m R@100 qrels.txt semantic.run",
        "recipes.md#sentence-transformers",
        also="InformationRetrievalEvaluator, SBERT",
    ),
    Term(
        "cwl-eval",
        "The program for C/W/L measures; what it computes is computed here.",
        "irev eval -m INST -m BPM qrels.txt semantic.run",
        "user-models.md#from-cwl-eval",
        also="cwl_eval",
    ),
    Term(
        "gdeval",
        "TREC's script for nDCG@20 with exponential gains, and ERR@20; it rounds to five digits.",
        "irev eval -m 'nDCG(gain=exp)@20' -m ERR@20 qrels.txt semantic.run",
        "measures.md#err",
        also="gdeval.pl",
    ),
    Term(
        "TREC format",
        "Lines of judgments have four columns, `query 0 document grade`; those of runs six, `query Q0 document rank"
        " score run`.",
        "irev validate qrels.txt semantic.run",
        "formats.md#both-files",
        also="TREC run format, TREC qrels, six columns, run format",
    ),
    Term(
        "ndeval",
        "TREC's program for diversity; its measures are here.",
        "irev eval -m alpha-nDCG@10 -m ERR-IA@10 subtopics.txt semantic.run",
        "diversity.md#where-ndeval-differs",
        also="ndeval.c",
    ),
    Term(
        "output format",
        "`-f` says how numbers are written: tables for people, or JSON, CSV, TSV and Parquet for programs.",
        "irev eval -f json qrels.txt semantic.run\nirev eval -f csv -q qrels.txt semantic.run",
        "outputs.md",
        also="JSON, JSON output, CSV output, JSON lines, output formats, machine readable",
    ),
    Term(
        "ir_datasets",
        "A package in Python with the queries and judgments of many collections. Where it is installed,"
        " `ir_datasets:ID` stands for judgments, such as `ir_datasets:vaswani`.",
        "irev eval qrels.txt semantic.run",
        "formats.md#data-sets",
    ),
    Term(
        "encoding",
        "Files are UTF-8. irev reads ids that are not as bytes, prints them as they are, and `irev validate` tells"
        " them.",
        "irev validate qrels.txt semantic.run",
        "errors.md#w209-not-utf-8",
        also="UTF-8, not UTF-8, Unicode, UnicodeDecodeError",
    ),
    Term(
        "large files",
        "Runs are read in blocks, several processes share the work, and clusters can do it too.",
        "irev eval -j 2 qrels.txt hybrid.run keyword.run semantic.run",
        "scale.md",
        also="big data, Spark, Dask, Slurm, cluster, many runs, parallel, parallel evaluation, speed",
    ),
    Term(
        "Python interface",
        "The same questions from Python: `irev.evaluate(qrels, run)` and others.",
        "irev eval qrels.txt semantic.run",
        "python.md",
        also="numpy, array, arrays, KeyError, exceptions, pytest, assert quality, Python, API, pandas, notebook,"
        " Jupyter, data frame, DataFrame, library",
    ),
    Term(
        "teaching",
        "Examples of textbooks, to be worked out by hand and by irev.",
        "irev explain -m AP --query q2 qrels.txt keyword.run",
        "tutorials/teaching.md",
        also="exercise, exercises, course, student, lecture, textbook, tutorial",
    ),
    Term(
        "exit status",
        "0 done, 1 a check failed, 2 wrong usage or unusable input: what a script or a build looks at.",
        "irev check --min AP=0.1 qrels.txt semantic.run",
        "exit-status.md",
        also="exit code, return code, stdin, standard input, stdout, stderr, standard output, pipe",
    ),
    Term(
        "textbook traps",
        "What textbooks say in passing and what is so, each tried out by a command.",
        "irev eval -m 'DCG@3' -m 'DCG(discount=jarvelin2002)@3' qrels.txt semantic.run",
        "traps.md",
        also="pitfalls, common mistakes, misconceptions, two formulas of DCG, common errors",
    ),
)
