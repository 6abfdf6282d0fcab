"""How retrieval is measured: what people ask for that is more, or less, than one measure."""

from __future__ import annotations

from irev.base.glossary import Term

TERMS = (
    Term(
        "precision",
        "The share of results that are relevant. `P@10` is that of the first 10 results, `SetP` that of all results.",
        "irev eval -m P@10 -m SetP qrels.txt semantic.run",
        "measures.md#p",
    ),
    Term(
        "recall",
        "The share of relevant documents that are retrieved. `R@10` is that of the first 10 results, `SetR` that"
        " of all results.",
        "irev eval -m R@10 -m SetR qrels.txt semantic.run",
        "measures.md#recall",
        also="completeness, total recall",
    ),
    Term(
        "confusion matrix",
        "Four counts of documents: retrieved or not, relevant or not. `-N` says how many documents the collection"
        " has, which true negatives need.",
        "irev eval -m TP -m FP -m FN -m TN -N 1000 qrels.txt semantic.run",
        "measures.md#tp",
        also="classification, filtering, contingency table, true and false positives, true negatives, TN, correct"
        " rejections, 2x2 table, generality, prevalence",
    ),
    Term(
        "accuracy",
        "The share of all documents of the collection on which retrieving them or not was right. Nearly all"
        " documents are not relevant, so that a run that finds next to nothing has a high accuracy: use other"
        " measures.",
        "irev eval -m accuracy -N 1000 qrels.txt semantic.run",
        "measures.md#set_accuracy",
        also="classification accuracy, set accuracy",
    ),
    Term(
        "error rate",
        "The share of all documents of the collection on which retrieving them or not was wrong: 1 - accuracy.",
        "irev eval -m accuracy -N 1000 qrels.txt semantic.run",
        "measures.md#set_accuracy",
        nearest=True,
    ),
    Term(
        "specificity",
        "The share of documents judged not relevant that were not retrieved: 1 - fallout.",
        "irev eval -m Fallout qrels.txt semantic.run",
        "measures.md#fallout",
        also="true negative rate, TNR, selectivity",
        nearest=True,
    ),
    Term(
        "ROC curve",
        "Recall against fallout, the share of documents judged not relevant that were retrieved. Most documents of"
        " a collection are not relevant, so that a precision-recall curve says more; `Accuracy` is the area under"
        " the curve of the results.",
        "irev curves --kind roc qrels.txt keyword.run semantic.run",
        "curves.md#kinds",
        also="ROC, receiver operating characteristic, ROC analysis",
    ),
    Term(
        "precision-recall curve",
        "Precision at each point of recall, interpolated and averaged over queries. Average precision is about"
        " the area under the curve of a query.",
        "irev curves --kind recall-precision qrels.txt keyword.run semantic.run\n"
        "irev eval -m AP qrels.txt keyword.run semantic.run",
        "curves.md#kinds",
        also="recall level, recall levels, standard recall levels, PR curve, recall-precision curve,"
        " precision-recall graph, recall-precision graph, PR graph, precision/recall, recall level averages, area"
        " under the precision-recall curve, area under the PR curve, AUPRC, sawtooth, interpolation, PR AUC",
    ),
    Term(
        "precision and recall by rank",
        "Precision and recall of one query after each relevant document. `irev explain` has every rank in a table.",
        "irev curves --kind query --query q2 qrels.txt semantic.run",
        "curves.md#one-query",
        also="precision-recall points, curve of one query",
    ),
    Term(
        "values by cutoff",
        "How a measure grows with the number of results that are looked at.",
        "irev curves --kind cutoff -m nDCG qrels.txt keyword.run semantic.run",
        "curves.md#by-cutoff",
        also="curve by cutoff, recall curve, cutoff curve, learning curve",
    ),
    Term(
        "known-item search",
        "Every query has one right answer. What counts is its rank: the reciprocal rank, whether it is among the"
        " first k, and the search length.",
        "irev eval -m RR -m Success@1,5,10 -m SearchLength qrels.txt semantic.run",
        "measures.md#recip_rank",
        also="known-item, known item retrieval, navigational query, navigational search, homepage finding,"
        " question answering, single relevant document, feeling lucky",
    ),
    Term(
        "hit",
        "A relevant document among the first k. `Success@k` says whether there is one, `NumRelRet@k` counts them.",
        "irev eval -m Success@10 -m NumRelRet@10 qrels.txt semantic.run",
        "measures.md#success",
        also="HR",
    ),
    Term(
        "gain",
        "What a document of a grade is worth. Unless `--gains` says otherwise it is the grade; `gain=exp` makes it"
        " 2^grade - 1.",
        "irev eval -m 'nDCG(gain=exp)@10' --gains 0=0,1=1,2=3,3=7 qrels.txt semantic.run",
        "grades.md#gains",
        also="gain vector, gains, exponential gain, linear gain, gain value, gain function, graded"
        " gain, burges, 2^rel-1, MSnDCG, Microsoft nDCG",
    ),
    Term(
        "discount",
        "How much less a document is worth at a lower rank. DCG divides the gain by log2(rank + 1), or with"
        " `discount=jarvelin2002` by log2(rank) from rank 2 on, as some textbooks do.",
        "irev eval -m 'DCG(discount=jarvelin2002)@10' qrels.txt semantic.run",
        "measures.md#dcg",
        also="Järvelin and Kekäläinen, Jarvelin, jarvelin2002, discount=jk, jk discount,"
        " Kekalainen, discount factor, logarithmic discount, position"
        " discount, rank discount, log discount, base of the logarithm",
    ),
    Term(
        "ideal ranking",
        "The judged documents of a query, best grade first. nDCG divides the DCG of a run by the DCG of this ranking.",
        "irev explain -m nDCG@10 --query q2 qrels.txt semantic.run",
        "explain.md",
        also="ideal ordering, ideal vector, perfect ranking, normalisation of DCG, oracle, oracle ranking",
    ),
    Term(
        "mean over queries",
        "A measure has a value for each query, and the line `all` has their mean: each query counts alike."
        " `--aggregate` has medians, deviations and quantiles too.",
        "irev eval --aggregate mean,median,sd -m AP qrels.txt semantic.run",
        "measure-language.md#the-line-for-all-queries",
        also="weighted average, macro-averaging, macro average, arithmetic mean, average over queries, mean,"
        " median, quantile, percentile, aggregate, aggregation, summary statistics",
    ),
    Term(
        "micro-averaging",
        "One value for the documents of all queries together, so that queries with many documents count more. The"
        " sums of counts give it: precision is num_rel_ret / num_ret, recall is num_rel_ret / num_rel.",
        "irev eval -m num_rel_ret -m num_ret -m num_rel qrels.txt semantic.run",
        "measure-language.md#the-line-for-all-queries",
        also="micro average, pooled precision",
    ),
    Term(
        "geometric mean",
        "The mean that falls most when one query is near 0. GMAP is that of average precision, and `agg=gmean`"
        " that of any measure.",
        "irev eval -m 'nDCG(agg=gmean)@10' -m GMAP qrels.txt semantic.run",
        "measure-language.md#the-line-for-all-queries",
        also="robustness",
    ),
    Term(
        "variance between queries",
        "A run is good for some queries and bad for others, and queries differ more than runs do. Show each query"
        " with `-q`, the spread with `--aggregate sd`, and compare runs query by query.",
        "irev eval --aggregate mean,sd,min,max -m AP qrels.txt semantic.run",
        "measure-language.md#the-line-for-all-queries",
        also="variance, standard deviation, SD, spread, query variance, topic variance, query variability, system"
        " variance, query variations, query variants, user variability",
    ),
    Term(
        "distribution of values",
        "How the values of queries are spread for each run.",
        "irev curves --kind distribution -m AP qrels.txt keyword.run semantic.run",
        "curves.md#kinds",
        also="distribution, histogram, box plot, boxplot",
    ),
    Term(
        "per-query values",
        "The value of each query beside the line for all.",
        "irev eval -q -m AP qrels.txt semantic.run",
        "outputs.md#trec",
        also="per-topic values, query-level evaluation, topic by topic, query by query, per query, single query",
    ),
    Term(
        "hard query",
        "A query for which runs have low values. List the queries by value, the worst first, and see why.",
        "irev explain --list -m AP qrels.txt semantic.run",
        "explain.md#how-much-is-shown",
        also="worst case queries, difficult query, query difficulty, worst queries, easy query, failure analysis,"
        " error analysis, outlier queries, outliers",
    ),
    Term(
        "expected value over ties",
        "Documents of equal score are ordered by id, as trec_eval does. `--ties average` gives the expected value"
        " over all their orders.",
        "irev eval --ties average -m AP qrels.txt semantic.run",
        "grades.md#ties",
        also="ties, tied documents, tied scores, equal scores, tie breaking, tie-break",
    ),
    Term(
        "user model",
        "What a measure supposes of a reader: how far down they look, and when they stop.",
        "irev eval -m RBP -m INST -m ERR qrels.txt semantic.run",
        "user-models.md",
        also="top-heavy, costs of results, reading time, C/W/L, CWL, continuation probability, persistence,"
        " patience, browsing model, stopping probability, expected utility, user effort",
    ),
    Term(
        "diversity",
        "Results should answer every meaning of a query, and not the same again. Judgments of subtopics are needed.",
        "irev eval -m alpha-nDCG@10 -m ERR-IA@10 -m strec@10 subtopics.txt semantic.run",
        "diversity.md",
        also="novelty, result diversification, intent-aware, intents, subtopic, subtopics, aspect, redundancy,"
        " ambiguous query, search result diversity, facet, facets",
    ),
    Term(
        "offline evaluation",
        "Runs are measured against judgments, without users: cheap, and the same each time.",
        "irev eval qrels.txt semantic.run",
        "online.md#offline-choice",
        also="system-oriented evaluation, batch evaluation, laboratory evaluation, test-collection-based evaluation",
    ),
    Term(
        "bounds of a value",
        "The lowest and highest value that a measure could have, whatever the unjudged documents turn out to be.",
        "irev eval --bounds -m AP qrels.txt semantic.run",
        "measure-language.md#bounds",
        also="residual, uncertainty of judgments, worst case, best case",
    ),
    Term(
        "z-score",
        "How many standard deviations a value stands above the mean of other runs for the same query.",
        "irev eval --help",
        "measure-language.md#z-scores",
        also="standardisation, standardised score, score standardisation",
    ),
    Term(
        "retrieval-augmented generation",
        "The list of passages that a model answers from is a run like any other. Answers themselves can be"
        " measured by the facts they have, nuggets.",
        "irev eval -m R@5 -m nDCG@5 -m Success@5 qrels.txt semantic.run\n"
        "irev eval -m NuggetRecall nuggets/nuggets.jsonl nuggets/short.jsonl",
        "nuggets.md",
        also="pyramid, pyramid evaluation, generated answers, LLM answers, RAG, nuggets, nugget, answer evaluation,"
        " deepeval, trulens, auto-nuggetizer",
    ),
    Term(
        "context precision",
        "ragas calls the average precision of what was found so, `AP(over=found)`. Its context recall by ids is"
        " `SetR`.",
        "irev eval -m 'AP(over=found)' -m SetR qrels.txt semantic.run",
        "names-elsewhere.md",
        also="context recall",
    ),
    Term(
        "F-measure with beta",
        "The F-measure that leans to recall (beta above 1) or to precision (below 1): F2 and F0.5. `SetF(beta=2)`"
        " is that of all results, `F(beta=2)@10` that of the first 10.",
        "irev eval -m 'SetF(beta=2)' -m 'F(beta=2)@10' qrels.txt semantic.run",
        "measures.md#set_f",
        also="F2, F2-measure, F0.5, beta",
    ),
    Term(
        "average precision at k",
        "Average precision of the first k results. It divides by all relevant documents; `AP_cap@k` divides by no"
        " more than k.",
        "irev eval -m AP@10 -m AP_cap@10 qrels.txt semantic.run",
        "measures.md#map_cut",
        also="mean average precision at k, truncated average precision, capped average precision, MAP@K kaggle,"
        " kaggle MAP, MAP kaggle",
    ),
    Term(
        "queries that only one file has",
        "`irev eval` averages over the queries that are in both files, as trec_eval does. With `-c` all judged"
        " queries count, a missing one as 0.",
        "irev eval -c -m AP qrels.txt semantic.run",
        "formats.md#queries-that-only-one-file-has",
        also="zero results, zero-result rate, null results, no results, missing queries, missing query, queries"
        " without results, failed queries, trec_eval -c, complete, empty results",
    ),
    Term(
        "recall of nearest neighbours",
        "The share of the true nearest neighbours among the first k results of an approximate search. Arrays of"
        " neighbours are read as judgments and as runs.",
        "irev eval -m kNNRecall@3 neighbours/truth.ivecs neighbours/found.ivecs",
        "vector-search.md",
        also="ANN recall, ANN, HNSW, cosine similarity, similarity score, approximate nearest neighbor,"
        " exact nearest neighbor ground truth,"
        " exact nearest neighbor, brute force, nearest neighbor, nearest neighbours, approximate nearest"
        " neighbour search, vector search, kNN recall, ann-benchmarks, vector database, recall of ANN,"
        " Faiss, ivecs, fvecs",
    ),
    Term(
        "retrieval system",
        "irev measures the runs that a system writes, whatever it is; it retrieves nothing itself. Write a run"
        " with each system, and compare them.",
        "irev compare qrels.txt keyword.run semantic.run",
        "formats.md#runs",
        also="Elasticsearch, OpenSearch, Solr, Lucene, Vespa, hyperparameters, tuning, BM25, dense retrieval, sparse"
        " retrieval, lexical search, semantic search, query expansion, relevance feedback, pseudo-relevance"
        " feedback, learning to rank, LTR, LambdaMART, embedding, embeddings, recommender system, recommendation,"
        " language model, smoothing, Jelinek-Mercer, lambda",
    ),
    Term(
        "stages of retrieval",
        "The first stage finds candidates, and the second orders them anew: what the first misses is lost. Look at"
        " the recall of the first, and at the top of what the second makes of it.",
        "irev eval -m R@100 -m nDCG@10 qrels.txt keyword.run semantic.run\n"
        "irev diff -m nDCG@10 qrels.txt keyword.run semantic.run",
        "diff.md",
        also="first stage, second stage, first-stage retrieval, candidate generation, candidates, retrieve and rerank,"
        " two-stage retrieval, cascade, reranking, re-ranking, reranker",
    ),
    Term(
        "choice of a measure",
        "AP asks whether documents are relevant, over the whole ranking; nDCG uses their grades, and mostly the first"
        " results alone. RR is for one right answer, recall for a first stage.",
        "irev agree -m AP -m nDCG@10 -m RR qrels.txt hybrid.run keyword.run semantic.run",
        "measures.md#all-measures",
        also="nDCG vs MAP, MAP vs nDCG, nDCG or MAP, MAP or nDCG, nDCG versus MAP, MRR vs MAP, MAP vs MRR, nDCG vs MRR,"
        " MRR vs nDCG, precision vs recall, which measure, best measure, choosing a measure",
    ),
    Term(
        "score",
        "The number by which a run orders the documents of a query, the highest first. Scores of different systems need"
        " not be comparable.",
        "irev eval --order score -m AP qrels.txt semantic.run",
        "formats.md#runs",
        also="retrieval score, similarity, relevance score",
    ),
    Term(
        "cost",
        "What a result costs its reader, by its type (`--costs`), in user models; or what a run took, in time, memory"
        " or money (`--resources`).",
        "irev curves --kind tradeoff -m nDCG@10 --resources resources.csv qrels.txt keyword.run semantic.run\n"
        "irev help user model",
        "curves.md#what-it-takes",
        also="price, money",
    ),
    Term(
        "alpha",
        "The largest p-value that is significant (`--alpha`); Krippendorff's alpha of judges; and in alpha-nDCG how"
        " much less a subtopic is worth that was there before.",
        "irev compare --alpha 0.01 qrels.txt keyword.run semantic.run\n"
        "irev judges --alpha ordinal qrels.txt judge2.txt\n"
        "irev eval -m 'alpha-nDCG(alpha=0.5)@10' subtopics.txt semantic.run",
        "statistics.md",
    ),
    Term(
        "measures that irev does not have",
        "Fairness, exposure, freshness, risk over a baseline, surprise and catalogue coverage are not measured."
        " `irev diff` shows which queries lose against a baseline, and `irev check` may bound how many do.",
        "irev diff -m nDCG@10 qrels.txt keyword.run semantic.run",
        "check.md#conditions",
        also="novelty ratio, coverage ratio, risk-sensitive evaluation, risk-sensitive, URisk, GeoRisk,"
        " TRisk, serendipity, catalogue coverage, catalog coverage, fairness, exposure, fairness of exposure,"
        " freshness, recency, timeliness",
        nearest=True,
    ),
    Term(
        "user models that irev does not have",
        "U-measure, O-measure, P+, iRBU and expected browsing utility are not computed. The nearest are Q, TBG and"
        " the other models of readers, such as INST.",
        "irev eval -m Q -m TBG -m INST qrels.txt semantic.run",
        "user-models.md",
        also="U-measure, O-measure, P+, iRBU, intentwise rank-biased utility, expected browsing utility, EBU",
        nearest=True,
    ),
    Term(
        "technology-assisted review",
        "irev does not compute WSS, the work saved over sampling, nor elusion. Recall at several cutoffs, and its"
        " curve, say how far a reviewer has to read.",
        "irev eval -m R@5,10,100 qrels.txt semantic.run\nirev curves --kind cutoff -m R qrels.txt semantic.run",
        "curves.md#by-cutoff",
        also="TAR, WSS, WSS@95, work saved over sampling, elusion, elusion test, eDiscovery, systematic review,"
        " systematic reviews",
        nearest=True,
    ),
    Term(
        "quality of generated answers",
        "Faithfulness, groundedness, hallucination, relevance and citation precision of answers are not measured,"
        " nor is likeness to a text (exact match, BLEU, ROUGE). Passages are measured as a run, and facts as nuggets.",
        "irev eval -m R@5 -m nDCG@5 qrels.txt semantic.run",
        "nuggets.md",
        also="citation precision, citation recall, citation accuracy, faithfulness, groundedness,"
        " hallucination, answer relevance, answer relevancy, answer correctness, BLEU, ROUGE, BERTScore, exact match,"
        " SQuAD, token F1",
        nearest=True,
    ),
    Term(
        "query performance prediction",
        "irev does not predict from a query, without judgments, how well a run does. With judgments, list the queries"
        " by value, the worst first.",
        "irev explain --list -m AP qrels.txt semantic.run",
        "explain.md#how-much-is-shown",
        also="QPP, predicted query difficulty, query clarity",
        nearest=True,
    ),
    Term(
        "calibration of scores",
        "Only the order of scores counts here: ECE and log loss, which ask whether scores are probabilities, are not"
        " computed. The nearest is the share of pairs in the right order.",
        "irev eval -m pair_accuracy qrels.txt semantic.run",
        "measures.md#pair_accuracy",
        also="ECE, expected calibration error, log loss, cross-entropy, Brier, calibration",
        nearest=True,
    ),
    Term(
        "evaluation on sampled documents",
        "Ranking an item among a few that are drawn at random gives other numbers, and another order of systems, than"
        " ranking all. irev does not correct this: rank all documents.",
        "irev eval -m R@10 -m nDCG@10 qrels.txt semantic.run",
        "formats.md#runs",
        also="sampled metrics, sampled evaluation, sampled negatives, negative sampling, random negatives",
        nearest=True,
    ),
    Term(
        "what runs take",
        "Time, memory, tokens or money of runs, from a table of yours: irev draws measures against them, with the"
        " Pareto front, and `irev check` bounds them.",
        "irev curves --kind tradeoff -m nDCG@10 --resources resources.csv qrels.txt keyword.run semantic.run\n"
        "irev check --min nDCG@10=0.7 --max latency=20 --resources resources.csv qrels.txt semantic.run",
        "curves.md#what-it-takes",
        also="latency, query latency, response time, throughput, QPS, queries per second, efficiency, Pareto front,"
        " Pareto, ef_search, HNSW ef_search, nprobe, index settings, tradeoff, trade-off, p99, resources",
    ),
    Term(
        "normalised expected reciprocal rank",
        "`nERR-IA` divides by the value of the best ranking, for judgments of subtopics; ERR itself is not"
        " normalised. `NERR8` to `NERR11` are something else: user models nearly as that of ERR.",
        "irev eval -m nERR-IA@10 subtopics.txt semantic.run\nirev eval -m NERR8@10 qrels.txt semantic.run",
        "measures.md#nerr_ia",
        also="nERR, normalised ERR",
        nearest=True,
    ),
    Term(
        "groups of queries",
        "`--groups FILE`, lines `query TAB group`, shows the numbers for each group of queries too; `irev check` takes"
        " conditions for one of them.",
        "irev eval --help",
        "outputs.md#groups-and-several-judgments",
        also="query groups, subgroups, subgroup, segments, segment, head and tail queries, tail queries, head queries,"
        " slices, query type",
    ),
    Term(
        "weights of queries",
        "`--query-weights FILE`, lines `query weight`, say how often users ask each: means are weighted.",
        "irev eval --help",
        "measure-language.md#the-line-for-all-queries",
        also="weighted queries, weighted mean, query frequency",
    ),
    Term(
        "chunks of documents",
        "If a run has chunks and documents are judged, `--document-of` says which part of a chunk's id is the id of its"
        " document; the best chunk of a document counts.",
        "irev eval --document-of '^[^#]*' -m RR qrels.txt semantic.run",
        "grades.md#chunks-of-documents",
        also="chunking, chunk, chunks, passage level, passage-level evaluation, parent document",
    ),
)
