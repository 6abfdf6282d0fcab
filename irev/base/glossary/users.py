"""What users do with results: clicks, A/B tests, interleaving."""

from __future__ import annotations

from irev.base.glossary import Term

TERMS = (
    Term(
        "A/B test",
        "Users are spread at random over two systems or more, and what they do is compared.",
        "irev online ab ab_test.csv",
        "online.md#buckets",
        also="bucket, buckets, novelty effect, Simpson's paradox, randomisation unit, Welch's t-test, delta"
        " method, ratio metric, variant, champion and challenger, AB testing, A/B testing, A/B, split test,"
        " bucket test, controlled experiment, randomised controlled trial, control and treatment, online"
        " experiment, treatment",
    ),
    Term(
        "online evaluation",
        "What users do decides between systems: interleaved lists, or an A/B test.",
        "irev online --help",
        "online.md",
        also="online metric, user behaviour, user behavior, implicit feedback, user study, user satisfaction,"
        " engagement",
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
        also="clicks, click log, click data, query log, logs, log of clicks, interleaving outcome, click preference",
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
        " propensities, expectation maximization of clicks",
    ),
    Term(
        "position bias",
        "Users click on what stands high, whatever it is. With the probability that each position is looked at,"
        " clicks can be weighted so that another ranking can be estimated.",
        "irev online off-policy semantic.run ab_test.csv",
        "online.md#another-ranking-of-the-same-log",
        also="inverse propensity, trust bias, examination hypothesis, eye tracking, doubly robust, doubly robust"
        " estimator, IPW, SNIPS, clipped estimator, counterfactual learning to rank, presentation bias,"
        " examination probability, propensity, propensities, inverse propensity scoring, inverse propensity"
        " weighting, IPS, counterfactual, counterfactual evaluation, off-policy evaluation, off-policy,"
        " replay, unbiased learning to rank, counterfactual estimator, clipping",
    ),
    Term(
        "offline and online agreement",
        "Whether measures of past runs predicted what users did.",
        "irev online predict experiments.csv",
        "online.md#and-back",
        also="metric divergence, predictive validity, offline-online correlation, correlation of offline and"
        " online metrics, online correlation",
    ),
    Term(
        "sequential test",
        "Whoever looks at an A/B test each day finds differences that are not there. `--sequential` has intervals"
        " and p-values that hold at every look.",
        "irev online ab --sequential 60 ab_test.csv",
        "online.md#every-look",
        also="sequential testing, peeking, optional stopping, early stopping, always valid p-value, always-valid"
        " inference, confidence sequence, anytime-valid, group sequential",
    ),
    Term(
        "variance reduction",
        "What the same users did before the test is taken from what they do in it, so that fewer users are needed;"
        " a cap bounds the heaviest users.",
        "irev online ab --help",
        "online.md#less-variance",
        also="CUPED, pre-experiment data, covariate adjustment, control variates, winsorizing, capping, heavy users",
    ),
    Term(
        "users needed for an A/B test",
        "How many users an A/B test or interleaving takes, from how much users of a past log vary.",
        "irev online power ab_test.csv",
        "online.md#how-many-users",
        also="sample size of an A/B test, how many users, minimum number of users, duration of an A/B test, traffic",
    ),
)
