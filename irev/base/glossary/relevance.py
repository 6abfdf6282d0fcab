"""Where relevance is known from: judges, how documents are chosen for them, and what users click."""

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
        " inter-rater agreement, inter-rater, interrater reliability, assessor disagreement, assessor agreement, judge"
        " agreement, annotator agreement, overlap of judges, IAA, reliability of judgments",
    ),
    Term(
        "UMBRELA",
        "A prompt by which a model grades documents from 0 to 3. irev calls no model; it reads the file that was"
        " written, and corrects it by judgments of a human.",
        "irev compare --predicted llm/llm.txt llm/human.txt llm/bm25.run llm/rerank.run",
        "judgments.md#files-of-models",
    ),
    Term(
        "one set of judgments from several",
        "Judges who differ about a document give it one grade: that of the first judge, the highest, the mean, or"
        " that of the majority.",
        "irev judges qrels.txt judge2.txt --prefer majority --merge merged.txt",
        "judgments.md#merging-judges",
        also="adjudicator, crowd workers, Mechanical Turk, adjudication, majority vote, merge judgments, combine"
        " judgments, crowdsourcing, aggregate labels",
    ),
    Term(
        "LLM as a judge",
        "A program that judges may favour a run, however well it agrees with people: take its judgments for"
        " predictions, and correct them by those of a human on some queries.",
        "irev compare --predicted llm/llm.txt llm/human.txt llm/bm25.run llm/rerank.run",
        "tutorials/llm-judge.md",
        also="LLM judge, relevance judging prompt, automatic judgments, synthetic judgments, LLM judgments,"
        " prompt, judging prompt, pointwise judging, jury of LLMs, LLM jury, circularity, self-preference"
        " bias, self-preference",
    ),
    Term(
        "pooling",
        "Only documents that some run ranks high are judged: the first k of each run make the pool. Documents"
        " outside of it have no judgment and count as not relevant.",
        "irev pool --depth 10 hybrid.run keyword.run semantic.run",
        "judgments.md#pools",
        also="pooled judgments, pooled documents, pooling depth, unpooled, depth-k pool, depth-k pooling,"
        " pool depth, judgment pool, budget of judgments, which documents to judge, document selection",
    ),
    Term(
        "bandit pooling",
        "The next document to judge comes from the run that was best so far. Whoever judges it asks again.",
        "irev pool --by maxmean --next 1 --judged qrels.txt hybrid.run keyword.run semantic.run",
        "judgments.md#pools",
        also="multi-armed bandit, bandits, adaptive pooling, max-mean, active learning, active learning of judgments,"
        " move-to-front pooling, move to front, MTF",
    ),
    Term(
        "pool bias",
        "A run that was not pooled finds documents that nobody judged, and is measured too low. `irev coverage`"
        " shows how much is unjudged, and how each run would fare had it not been pooled.",
        "irev coverage qrels.txt hybrid.run keyword.run semantic.run",
        "judgments.md#what-do-missing-judgments-hide",
        also="pooling bias, selection bias, reusability, leave one out, leave-one-run-out, reusable test"
        " collection, unfair to new systems",
    ),
    Term(
        "condensed list",
        "A ranking without its unjudged documents. `-J` measures that; the truth may lie on either side of it.",
        "irev eval -J -m AP qrels.txt semantic.run",
        "judgments.md#what-do-missing-judgments-hide",
        also="condensed lists, condensed ranking, induced measure, judged documents only, prime measures",
    ),
    Term(
        "sampled judgments",
        "Documents to judge are drawn by chance, with known probabilities, and measures are estimated from them.",
        "irev eval -R strata -m xinfAP -m infNDCG strata.txt semantic.run",
        "sampled.md",
        also="sample, stratified, sampled pool, stratified sample, stratified sampling, inclusion probability,"
        " sampling, stratified pooling, inferred measures, sample_eval, stratification, Horvitz-Thompson,"
        " Horvitz-Thompson estimator",
    ),
    Term(
        "preference judgments",
        "A judge says which of two documents is better, instead of a grade for each.",
        "irev formats",
        "preferences.md",
        also="pairwise preference, pairwise judgments, preferences, side by side, pairwise comparison, best-worst,"
        " listwise judging, listwise judgments",
    ),
    Term(
        "ratings from comparisons",
        "irev does not rate systems by Elo or Bradley-Terry. It can evaluate runs by preferences between documents, and"
        " `irev compare --all-pairs` compares every two runs.",
        "irev compare --all-pairs qrels.txt hybrid.run keyword.run semantic.run",
        "preferences.md",
        also="Elo, Elo rating, Bradley-Terry, Bradley-Terry model, arena",
        nearest=True,
    ),
    Term(
        "agreement that irev does not measure",
        "Kendall's W, ICC and Goodman-Kruskal gamma are not computed. Of judges there are kappa, alpha and overlap, of"
        " rankings tau, tau-ap and RBO.",
        "irev judges qrels.txt judge2.txt\nirev agree -m AP -m RR qrels.txt hybrid.run keyword.run semantic.run",
        "judgments.md#do-judges-agree",
        also="Kendall's W, coefficient of concordance, ICC, intraclass correlation, Goodman-Kruskal gamma, gamma"
        " coefficient",
        nearest=True,
    ),
    Term(
        "audit of a model",
        "A human judges the documents of some queries, drawn at random, so that a model that judges all of them can be"
        " corrected.",
        "irev pool --depth 10 --audit 2 llm/bm25.run llm/rerank.run",
        "judgments.md#pools",
        also="query sampling, sample of queries, sample queries, audit",
    ),
    Term(
        "Cranfield",
        "A fixed collection, queries, and judgments of what is relevant: with these any run can be measured at any"
        " time, and runs can be compared.",
        "irev eval qrels.txt keyword.run semantic.run",
        "tutorials/first-hour.md",
        also="test queries, golden queries, topic set, query set, Cranfield paradigm, Cranfield methodology,"
        " Cranfield evaluation, Cranfield experiment, test collection, test set, benchmark, evaluation"
        " campaign, shared task, Cleverdon, evaluate, evaluation",
    ),
    Term(
        "overfitting",
        "Who tunes a system on queries, or takes the best of many runs, gets a value that is too high. irev cannot see"
        " what a system was trained on: measure the run that you chose on queries that were held out.",
        "irev compare --correction holm qrels.txt hybrid.run keyword.run semantic.run",
        "statistics.md#many-comparisons",
        also="leaderboard overfitting, data leakage, leakage, contamination, training set, cross-validation, holdout,"
        " held-out queries",
    ),
    Term(
        "synthetic queries",
        "irev makes no queries; those that a model made are measured like others. `irev agree` shows whether two sets"
        " of queries put runs in the same order.",
        "irev agree -m AP -m RR qrels.txt hybrid.run keyword.run semantic.run",
        "statistics.md#agreement-of-rankings",
        also="generated queries",
    ),
    Term(
        "TREC",
        "The Text REtrieval Conference of NIST, whose files and program, trec_eval, irev reads and repeats. `irev"
        " validate` checks runs against the rules of a track, which you give as options.",
        "irev eval -m official qrels.txt semantic.run",
        "tutorials/from-trec-eval.md",
        also="TREC track, track, ad hoc retrieval, ad hoc track, trec_eval, NIST, Text REtrieval"
        " Conference, trec eval, treceval, NTCIR, CLEF, FIRE, GOV2, Robust04",
    ),
    Term(
        "BEIR",
        "A suite of data sets for retrieval. Its judgments and results are read as they are, and its names of"
        " measures are names here.",
        "irev eval -m NDCG@10 -m Recall@100 qrels.txt semantic.run",
        "recipes.md#beir",
        also="zero-shot evaluation, data set, dataset, NDCG@10 BEIR, BEIR nDCG",
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
    Term(
        "A/B test",
        "Users are spread at random over two systems or more, and what they do is compared.",
        "irev online ab ab_test.csv",
        "online.md#buckets",
        also="bucket, buckets, novelty effect, Simpson's paradox, randomisation unit, Welch's t-test, delta method,"
        " ratio metric, variant, champion and challenger, AB testing, A/B testing, A/B, split test, bucket test,"
        " controlled experiment, randomised controlled trial, control and treatment, online experiment, treatment,"
        " bot filtering, carryover effect, carryover",
    ),
    Term(
        "online evaluation",
        "What users do decides between systems: interleaved lists, or an A/B test.",
        "irev online --help",
        "online.md",
        also="online metric, user behaviour, user behavior, implicit feedback, user study, user satisfaction,"
        " engagement, search satisfaction, session evaluation, session-based evaluation",
    ),
    Term(
        "surveys of users",
        "irev reads what users do, not what they say: NPS and other answers are not computed. If you have a value"
        " for each query, `irev compare --scores` compares them.",
        "irev online --help",
        "compare.md",
        also="NPS, net promoter score, survey, questionnaire, CSAT",
        nearest=True,
    ),
    Term(
        "click-through rate",
        "The share of lists shown on which somebody clicked. It is counted in a log of an A/B test; judgments do"
        " not have it, so that it is no measure of `irev eval`.",
        "irev online ab -m ctr ab_test.csv",
        "online.md#buckets",
        also="bounce, bounce rate, guardrails online, CTR, clickthrough rate, clickthrough, click through, click"
        " rate, clicks per impression, clickthrough on first result",
    ),
    Term(
        "conversion rate",
        "The share of users, or of lists, that end in what was hoped for, such as a purchase.",
        "irev online ab -m conversions ab_test.csv",
        "online.md#buckets",
        also="session success, goal completion, revenue, add to cart, conversion, conversions, purchases, task success",
    ),
    Term(
        "dwell time",
        "How long somebody stays with a document after a click.",
        "irev online ab -m dwell ab_test.csv",
        "online.md#buckets",
        also="time on page, satisfied click, SAT click",
    ),
    Term(
        "abandonment",
        "A list that is shown and left without a click.",
        "irev online ab -m abandonment ab_test.csv",
        "online.md#buckets",
        also="abandonment rate, good abandonment, query reformulation, reformulation",
    ),
    Term(
        "time to first click",
        "How soon, or at which rank, somebody clicks first.",
        "irev online ab -m first_click ab_test.csv",
        "online.md#buckets",
        also="time to success, time to click, first click, mean reciprocal rank of clicks",
    ),
    Term(
        "sample ratio mismatch",
        "Buckets of an A/B test that are not as large as they were meant to be: users were lost, and the test"
        " cannot be trusted.",
        "irev online ab --shares hybrid=0.5,keyword=0.5 ab_test.csv",
        "online.md#buckets",
        also="SRM, bucket imbalance",
    ),
    Term(
        "interleaving",
        "Two rankings are merged into one list, and clicks count for the run that gave the document. It needs far"
        " fewer users than an A/B test.",
        "irev online interleave hybrid.run keyword.run",
        "online.md#interleaving",
        also="interleaved comparison, dueling bandits, optimised interleaving, interleave, interleaved list, team"
        " draft, team-draft interleaving, balanced interleaving, probabilistic interleaving, multileaving,"
        " interleaved evaluation, merged list",
    ),
    Term(
        "preference of users",
        "Which of two interleaved runs gets the clicks; or, of an A/B test, what users do with each.",
        "irev online preference interleaved.jsonl\nirev online ab ab_test.csv",
        "online.md#what-clicks-say",
        also="clicks, interleaving outcome, click preference",
    ),
    Term(
        "click model",
        "How users are supposed to look and click. `irev online simulate` makes logs by one, from judgments.",
        "irev online simulate qrels.txt hybrid.run keyword.run --impressions 30",
        "online.md#a-log-to-begin-with",
        also="dynamic Bayesian network, DBN, user browsing model, UBM, cascade model, position-based model, PBM,"
        " simulated users, simulation of clicks, simulate, simulated clicks, user simulation",
    ),
    Term(
        "click model of a log",
        "How often users of a log look at each position, and who goes on after a click, by three click models; and"
        " which of them foretells clicks best.",
        "irev online click-models ab_test.csv",
        "online.md#how-users-go-through-lists",
        also="dependent click model, DCM, click perplexity, fit a click model, propensity estimation, estimate"
        " propensities, attractiveness, expectation maximization of clicks",
    ),
    Term(
        "off-policy evaluation",
        "Estimates what users would click in another ranking than the one of a log: each click is weighted by how"
        " rarely its position is looked at.",
        "irev online off-policy semantic.run ab_test.csv",
        "online.md#another-ranking-of-the-same-log",
        also="inverse propensity, doubly robust, doubly robust estimator, IPW, SNIPS, clipped estimator,"
        " counterfactual learning to rank, examination probability, propensity, propensities, inverse"
        " propensity scoring, inverse propensity weighting, IPS, counterfactual, counterfactual"
        " evaluation, off-policy, replay, unbiased learning to rank, counterfactual estimator, clipping,"
        " list estimator, item-position model, slate evaluation",
    ),
    Term(
        "position bias",
        "Users click on documents at the top more often, whatever they are. Click models say how often users look at"
        " each position.",
        "irev online click-models ab_test.csv\nirev online off-policy semantic.run ab_test.csv",
        "online.md#how-users-go-through-lists",
        also="presentation bias, examination hypothesis, eye tracking, trust bias",
    ),
    Term(
        "click log",
        "What users were shown and what they clicked, an event on each line: CSV, TSV, JSON, Parquet or the logs of"
        " OpenSearch.",
        "irev online ab ab_test.csv",
        "logs.md",
        also="logs, log of clicks, log, query log, click data, event log, UBI",
    ),
    Term(
        "offline and online agreement",
        "Whether measures of past runs predicted what users did: the share of equal signs, Kendall's tau,"
        " Pearson's r and Spearman's rho.",
        "irev online predict experiments.csv",
        "online.md#and-back",
        also="metric divergence, predictive validity, offline-online correlation, correlation of offline and online"
        " metrics, online correlation, Spearman's rho, Spearman, Spearman correlation, Pearson, Pearson correlation",
    ),
    Term(
        "sequential test",
        "Whoever looks at an A/B test each day finds differences that are not there. `--sequential` has intervals"
        " and p-values that hold at every look.",
        "irev online ab --sequential 60 ab_test.csv",
        "online.md#every-look",
        also="sequential testing, peeking, optional stopping, early stopping, always valid p-value, always-valid"
        " inference, confidence sequence, anytime-valid, group sequential, stopping, stopping rule",
    ),
    Term(
        "variance reduction",
        "What the same users did before the test is taken from what they do in it, or what users of their strata have"
        " in common, so that fewer users are needed; a cap bounds the heaviest users.",
        "irev online ab --help",
        "online.md#less-variance",
        also="CUPED, pre-experiment data, covariate adjustment, control variates, winsorizing, capping, heavy users,"
        " post-stratification, poststratification, stratified A/B test",
    ),
    Term(
        "users needed for an A/B test",
        "How many users an A/B test or interleaving takes, from how much users of a past log vary.",
        "irev online power ab_test.csv",
        "online.md#how-many-users",
        also="sample size of an A/B test, how many users, minimum number of users, duration of an A/B test, traffic",
    ),
)
