"""Judgments: who makes them, how documents are chosen for them, and what is missing."""

from __future__ import annotations

from irev.base.glossary import Term

TERMS = (
    Term(
        "agreement of judges",
        "How often judges give a document the same grade, beyond chance: Cohen's kappa, weighted or not,"
        " Krippendorff's alpha, and the overlap of what they call relevant.",
        "irev judges qrels.txt judge2.txt",
        "judgments.md#do-judges-agree",
        also="percent agreement, percentage agreement, observed agreement, kappa, Cohen's kappa, weighted kappa,"
        " Fleiss' kappa, Krippendorff's alpha, inter-annotator agreement, inter-assessor agreement,"
        " inter-rater agreement, interrater reliability, assessor disagreement, assessor agreement, judge"
        " agreement, annotator agreement, overlap of judges, IAA, reliability of judgments",
    ),
    Term(
        "one set of judgments from several",
        "Judges who differ about a document give it one grade: that of the first judge, the highest, the mean, or"
        " that of the majority.",
        "irev judges qrels.txt judge2.txt --prefer majority --merge merged.txt",
        "judgments.md#one-set-of-judgments-of-several",
        also="adjudicator, crowd workers, Mechanical Turk, adjudication, majority vote, merge judgments, combine"
        " judgments, crowdsourcing, aggregate labels",
    ),
    Term(
        "LLM as a judge",
        "A program that judges may favour a run, however well it agrees with people: take its judgments for"
        " predictions, and correct them by those of a human on some queries.",
        "irev compare --predicted llm/llm.txt llm/human.txt llm/bm25.run llm/rerank.run",
        "tutorials/llm-judge.md",
        also="LLM judge, automatic judgments, synthetic judgments, LLM judgments, umbrela",
    ),
    Term(
        "pooling",
        "Only documents that some run ranks high are judged: the first k of each run make the pool. Documents"
        " outside of it have no judgment and count as not relevant.",
        "irev pool --depth 10 hybrid.run keyword.run semantic.run",
        "judgments.md#pools",
        also="pooled judgments, pooled documents, pooling depth, MTF, move-to-front pooling, bandit pooling,"
        " bandits, multi-armed bandit, unpooled, adaptive pooling, depth-k pool, depth-k pooling, pool depth,"
        " judgment pool, move to front, budget of judgments, which documents to judge, document selection,"
        " active learning of judgments, max-mean",
    ),
    Term(
        "pool bias",
        "A run that was not pooled finds documents that nobody judged, and is measured too low. `irev coverage`"
        " shows how much is unjudged, and how each run would fare had it not been pooled.",
        "irev coverage qrels.txt hybrid.run keyword.run semantic.run",
        "judgments.md#what-do-the-holes-hide",
        also="pooling bias, selection bias, reusability, leave one out, leave-one-run-out, reusable test"
        " collection, unfair to new systems",
    ),
    Term(
        "condensed list",
        "A ranking without its unjudged documents. `-J` measures that; the truth may lie on either side of it.",
        "irev eval -J -m AP qrels.txt semantic.run",
        "judgments.md#what-do-the-holes-hide",
        also="condensed lists, condensed ranking, induced measure, judged documents only, prime measures",
    ),
    Term(
        "sampled judgments",
        "Documents to judge are drawn by chance, with known probabilities, and measures are estimated from them.",
        "irev eval -R strata -m xinfAP -m infNDCG strata.txt semantic.run",
        "sampled.md",
        also="sample, stratified, sampled pool, stratified sample, stratified sampling, inclusion probability,"
        " sampling, stratified pooling, inferred measures, sample_eval",
    ),
    Term(
        "preference judgments",
        "A judge says which of two documents is better, instead of a grade for each.",
        "irev formats",
        "preferences.md",
        also="Elo, Bradley-Terry, pairwise preference, pairwise judgments, preferences, side by side, pairwise"
        " comparison, best-worst, magnitude estimation",
    ),
    Term(
        "Cranfield",
        "A fixed collection, queries, and judgments of what is relevant: with these any run can be measured at any"
        " time, and runs can be compared.",
        "irev eval qrels.txt keyword.run semantic.run",
        "tutorials/first-hour.md",
        also="test queries, golden queries, training set, cross-validation, overfitting, topic set, query set,"
        " holdout, held-out queries, Cranfield paradigm, Cranfield methodology, Cranfield evaluation,"
        " Cranfield experiment, test collection, test set, benchmark, evaluation campaign, shared task,"
        " Cleverdon, evaluate, evaluation",
    ),
    Term(
        "TREC",
        "The Text REtrieval Conference of NIST, whose files and program, trec_eval, irev reads and repeats. `irev"
        " validate` knows the rules of a track.",
        "irev eval -m official qrels.txt semantic.run",
        "tutorials/from-trec-eval.md",
        also="TREC track, track, TREC qrels, ad hoc retrieval, ad hoc track, trec_eval, NIST, Text REtrieval"
        " Conference, trec eval, treceval, TREC run format, TREC format, NTCIR, CLEF, FIRE, GOV2, Robust04",
    ),
    Term(
        "BEIR",
        "A suite of data sets for retrieval. Its judgments and results are read as they are, and its names of"
        " measures are names here.",
        "irev eval -m NDCG@10 -m Recall@100 qrels.txt semantic.run",
        "recipes.md#beir",
        also="zero-shot evaluation, sentence-transformers, ir_datasets, data set, dataset",
    ),
    Term(
        "MTEB",
        "A suite of tasks for text embeddings; its names of measures are names here.",
        "irev eval -m ndcg_at_10 qrels.txt semantic.run",
        "recipes.md#mteb",
        also="massive text embedding benchmark, embedding benchmark",
    ),
    Term(
        "MS MARCO",
        "Queries and passages of a web search engine. Its judgments and runs are formats of their own; its measure"
        " is RR at 10.",
        "irev eval -m RR@10 qrels.txt semantic.run",
        "formats.md#other-formats",
        also="MSMARCO, passage ranking",
    ),
    Term(
        "prediction-powered inference",
        "A model judges all queries and a human a random sample of them; the scores are those of the model,"
        " corrected by the human, with intervals.",
        "irev compare --predicted llm/llm.txt llm/human.txt llm/bm25.run llm/rerank.run",
        "judgments.md#judgments-by-a-model",
        also="PPI, predicted judgments, corrected judgments, bias of an LLM judge",
    ),
)
