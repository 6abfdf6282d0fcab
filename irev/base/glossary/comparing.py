"""Which of two runs is better: tests, intervals, corrections, agreement of rankings, gates."""

from __future__ import annotations

from irev.base.glossary import Term

_RUNS = "qrels.txt keyword.run semantic.run"

TERMS = (
    Term(
        "statistical significance",
        "Whether chance, in the choice of queries, could explain the difference between two runs. A small p-value"
        " says that it hardly could; a large one says only that no difference is shown.",
        f"irev compare -m AP {_RUNS}",
        "statistics.md#what-to-take",
        also="alpha level, significance level, level of significance, pairwise test, degrees of freedom,"
        " significance, significance test, significance testing, statistical test, hypothesis test, hypothesis"
        " testing, null hypothesis, p-value, p value, paired test, test of significance, compare two systems,"
        " compare systems, system comparison, which run is better",
    ),
    Term(
        "ablation",
        "Runs of a system from which one part after the other was left out, each compared with the run of the whole"
        " system, the baseline. Correct for the number of comparisons.",
        "irev compare -m AP --baseline hybrid --correction holm qrels.txt hybrid.run keyword.run semantic.run",
        "compare.md",
        also="ablation study, ablation test, ablation experiment, leave one component out, component analysis",
    ),
    Term(
        "t-test",
        "Compares the mean difference of queries with its standard error. The usual paired test.",
        f"irev compare --test t {_RUNS}",
        "statistics.md#tests",
        also="paired t-test, Student's t-test, Student t, Student's t, t statistic, ttest rel, Welch",
    ),
    Term(
        "sign test",
        "Counts the queries on which each run is better, and asks whether chance explains the counts. It ignores"
        " by how much, and so finds less than other tests.",
        f"irev compare --test sign {_RUNS}",
        "statistics.md#tests",
        also="head to head, tie rate, sign, binomial test, wins and losses, win/loss, wins, win-loss-tie, win"
        " rate, wins losses ties",
    ),
    Term(
        "Wilcoxon test",
        "Compares the ranks of the differences of queries, by size, of each sign.",
        f"irev compare --test wilcoxon {_RUNS}",
        "statistics.md#tests",
        also="Wilcoxon, Wilcoxon signed-rank test, signed-rank test, Wilcoxon signed rank, nonparametric test",
    ),
    Term(
        "randomization test",
        "Swaps the two runs on queries at random, and counts how often the difference is as large as the one that"
        " was seen.",
        f"irev compare --test randomization {_RUNS}",
        "statistics.md#tests",
        also="Monte Carlo, permutation test, randomisation test, Fisher's randomization test, Fisher"
        " randomization, Fisher's exact randomization, sign-flip test, Monte Carlo test",
    ),
    Term(
        "bootstrap",
        "Draws the queries anew, with repetition, many times, and looks at the differences of these samples.",
        f"irev compare --test bootstrap {_RUNS}",
        "statistics.md#tests",
        also="bootstrap test, bootstrapping, resampling",
    ),
    Term(
        "bootstrap interval",
        "The differences between two quantiles of the samples of a bootstrap: `percentile`, or `bca`, which corrects"
        " for bias and skewness.",
        f"irev compare --interval bca {_RUNS}",
        "statistics.md#intervals",
        also="bootstrap confidence interval, percentile bootstrap, BCa bootstrap, BCa, bias-corrected bootstrap",
    ),
    Term(
        "one-sided test",
        "A test of better, and not of different. Choose the side before looking at numbers.",
        f"irev compare --alternative greater {_RUNS}",
        "statistics.md#what-a-test-answers",
        also="alternative, one-tailed test, two-sided test, two-tailed test, alternative hypothesis, one sided,"
        " two sided, one-tailed, two-tailed",
    ),
    Term(
        "confidence interval",
        "The differences that the queries at hand do not speak against. Print it beside the mean.",
        f"irev compare --confidence 0.95 {_RUNS}",
        "statistics.md#intervals",
        also="confidence level, jackknife, interval, CI of a mean, confidence limits, error bars, error bar,"
        " standard error, margin of error",
    ),
    Term(
        "effect size",
        "How large a difference is beside its spread over queries, whatever their number: Cohen's d and others.",
        f"irev compare --details {_RUNS}",
        "statistics.md#effect-sizes",
        also="Cohen's d, Hedges' g, standardised difference, practical significance, magnitude of effect",
    ),
    Term(
        "multiple comparisons",
        "Who makes many tests finds some differences by chance alone. A correction keeps that rare:"
        " Bonferroni's, Holm's, or the maximum of t.",
        "irev compare --all-pairs --correction holm qrels.txt hybrid.run keyword.run semantic.run\n"
        "irev compare --all-pairs --correction bonferroni qrels.txt hybrid.run keyword.run semantic.run",
        "statistics.md#many-comparisons",
        also="maximum t, maximum-t method, max-t, experimentwise error, multiple testing, multiple testing"
        " correction, correction for multiple tests, family-wise error rate, FWER, familywise error,"
        " Bonferroni, Bonferroni correction, Holm correction, Holm-Bonferroni, type I error, false"
        " positive of a test, p-hacking",
    ),
    Term(
        "false discovery rate",
        "The share of chance findings among all findings. Benjamini-Hochberg, `bh`, keeps it low on average, and"
        " Benjamini-Yekutieli, `by`, does so however the tests depend on each other.",
        "irev compare --all-pairs --correction bh qrels.txt hybrid.run keyword.run semantic.run",
        "statistics.md#many-comparisons",
        also="FDR, Benjamini-Hochberg, Benjamini-Hochberg correction, BH, Benjamini-Yekutieli",
    ),
    Term(
        "Tukey's test",
        "Compares all pairs of runs at once, by randomisation.",
        "irev compare --all-pairs --correction tukey qrels.txt hybrid.run keyword.run semantic.run",
        "statistics.md#many-comparisons",
        also="Tukey HSD, honestly significant difference, HSD, randomised Tukey",
    ),
    Term(
        "analysis of variance",
        "Splits the variance of values into that of queries and that of runs.",
        "irev compare --all-pairs --details qrels.txt hybrid.run keyword.run semantic.run",
        "statistics.md#analysis-of-variance",
        also="variance components, topic effect, system effect, random effects, ANOVA, two-way ANOVA, F-test,"
        " variance analysis",
    ),
    Term(
        "Bayesian comparison",
        "How probable it is that a run is better than the baseline, and better by more than a margin, given the values"
        " of the queries.",
        f"irev compare --bayes --margin 0.01 {_RUNS}",
        "compare.md#instead-of-tests",
        also="Bayesian test, Bayesian inference, posterior, posterior distribution, probability of being better,"
        " credible interval, Bayes",
    ),
    Term(
        "meta-analysis",
        "Combines the differences that runs have on several collections. Random effects: the true difference varies"
        " from collection to collection.",
        "irev compare --collections collections.toml",
        "compare.md#several-collections",
        also="random-effects model, random effects meta-analysis, forest plot, heterogeneity, tau squared, I squared,"
        " Cochran's Q, prediction interval, several test collections, cross-collection, DerSimonian-Laird,"
        " Hartung-Knapp",
    ),
    Term(
        "equivalence test",
        "Shows that two runs differ by less than a margin. That a difference was not found is no proof of it.",
        f"irev compare --margin 0.05 {_RUNS}",
        "compare.md#equal-or-not-shown",
        also="TOST, equivalence, two one-sided tests, non-inferiority, noninferiority, non-inferiority test, equal"
        " runs",
    ),
    Term(
        "power analysis",
        "How many queries it takes to find a difference of a certain size; in an A/B test, how many users.",
        "irev power --difference 0.02 --variance 0.01\nirev online power ab_test.csv",
        "statistics.md#how-many-queries",
        also="statistical power, sample size, how many queries, how many topics, topic set size, topic set size"
        " design, number of queries needed, minimum detectable effect, type II error, MDE",
    ),
    Term(
        "rank correlation",
        "How alike two orderings of runs are: by two measures, two sets of judgments or two sets of queries."
        " Kendall's tau, tau-ap and others.",
        "irev agree -m AP -m RR qrels.txt hybrid.run keyword.run semantic.run",
        "statistics.md#agreement-of-rankings",
        also="stability, stability of rankings, rank agreement, metric correlation, Kendall's tau, Kendall tau, tau,"
        " tau-ap, tau ap, AP correlation, correlation, correlation of measures, swap rate, system ranking,"
        " leaderboard stability",
    ),
    Term(
        "discriminative power",
        "The share of pairs of runs that a measure finds significantly different: irev does not print it; count"
        " such pairs in the table of all pairs.",
        "irev compare --all-pairs --correction holm -m AP -m RR qrels.txt hybrid.run keyword.run semantic.run",
        "compare.md#all-pairs",
        also="discriminating power, sensitivity of a measure",
        nearest=True,
    ),
    Term(
        "rank-biased overlap",
        "How far two rankings have the same documents, the top first. No judgments are needed.",
        "irev rbo hybrid.run semantic.run",
        "compare.md#how-far-do-two-runs-overlap",
        also="overlap, overlap of results, RBO, overlap of runs, ranking similarity, similarity of rankings,"
        " Jaccard, overlap at k",
    ),
    Term(
        "baseline",
        "The run, or the saved result, that others are compared with.",
        f"irev compare {_RUNS} --baseline keyword",
        "compare.md",
        also="improvement over baseline, percent change, baseline system, baseline run, reference run, control"
        " run, reference system, relative improvement, improvement, percentage change, delta, difference"
        " between runs, score difference",
    ),
    Term(
        "scatter plot",
        "Two runs against each other, a point for each query.",
        f"irev curves --kind scatter -m AP {_RUNS}",
        "curves.md#query-by-query",
        also="matplotlib, precision histogram, average precision histogram, plot, chart, figure, picture,"
        " scatterplot, query by query plot, difference plot, bar chart of differences, histogram of"
        " differences",
    ),
    Term(
        "heatmap",
        "irev draws none. The page of a report has a table of all queries, with a value and a bar for each run.",
        "irev report -m AP -o page.html qrels.txt hybrid.run keyword.run semantic.run",
        "report.md",
        also="heat map",
        nearest=True,
    ),
    Term(
        "leaderboard",
        "A table of runs by their values, the best first.",
        "irev eval -f table --sort AP -m AP -m nDCG@10 qrels.txt hybrid.run keyword.run semantic.run",
        "outputs.md#table",
        also="ranking of systems, ranking of runs, table of runs, scoreboard, best run, compare many runs",
    ),
    Term(
        "table for a paper",
        "Runs with letters for significant differences, in LaTeX.",
        "irev compare --all-pairs -f latex qrels.txt hybrid.run keyword.run semantic.run",
        "tutorials/paper-table.md",
        also="markdown table, CSV export, Excel, spreadsheet, LaTeX table, results table, booktabs, significance"
        " letters, significance markers, daggers",
    ),
    Term(
        "regression test",
        "A build fails when a run is not as good as it must be, or worse than the baseline.",
        "irev check --min nDCG@10=0.7 --min RR=0.6 qrels.txt semantic.run",
        "check.md",
        also="nightly build, KPI, service level, guardrail, guardrail metric, alarm, gate, quality gate,"
        " threshold, build, regression testing, acceptance test, did it get worse, quality threshold,"
        " non-regression, CI gate, release gate",
    ),
    Term(
        "continuous integration",
        "A build on GitHub, GitLab or Jenkins that fails when a run is not as good as it must be; with annotations and"
        " a JUnit report.",
        "irev check --min nDCG@10=0.7 --github --junit junit.xml qrels.txt semantic.run",
        "ci.md",
        also="CI, CI/CD, GitHub Actions, GitLab CI, Jenkins, JUnit, pre-commit, pull request comment",
    ),
    Term(
        "trend",
        "The results of many builds in the order of time, and the first build that is significantly worse.",
        "irev trend builds",
        "trend.md",
        also="over time, history, track over time, monitoring, drift, nightly, dashboard",
    ),
    Term(
        "reproducibility",
        "A saved result has the files' digests, the options and the versions; `irev show --rerun` computes it again.",
        "irev eval -q -f json qrels.txt semantic.run -o saved.json",
        "result-record.md#made-again",
        also="reproduce, provenance, repeatability",
    ),
    Term(
        "replicability",
        "Whether an improvement is found again in another experiment. The effect ratio is the new improvement divided"
        " by the original one; `irev compare --original saved.json` prints it.",
        f"irev eval -q -c -f json {_RUNS} -o saved.json",
        "compare.md#instead-of-tests",
        also="effect ratio, delta relative improvement, replication, original experiment, repro_eval",
    ),
    Term(
        "what changed between two runs",
        "The queries that lost and won most, and the documents that moved there.",
        f"irev diff -m nDCG@10 {_RUNS}",
        "diff.md",
        also="regressions of queries, movers, regression analysis of queries, why did it fall, changes, difference"
        " of rankings, before and after",
    ),
    Term(
        "test for independent samples",
        "Runs are compared on the same queries, so that tests for pairs fit, and these do not: they ignore the"
        " pairs. Take a t-test or a randomization test.",
        f"irev compare --test t,randomization {_RUNS}",
        "statistics.md#what-to-take",
        also="Mann-Whitney U, Mann-Whitney, rank-sum test, chi-square test, chi-squared, McNemar test, Friedman"
        " test, Kolmogorov-Smirnov, Kruskal-Wallis, unpaired test, Nemenyi",
    ),
    Term(
        "random seed",
        "What random numbers start from: the same `--seed` gives the same result on every machine. Of systems that"
        " depend on a seed themselves, `irev compare --seeds N` compares N runs each.",
        f"irev compare --test randomization --seed 7 {_RUNS}",
        "compare.md#instead-of-tests",
        also="random number, deterministic, determinism, seeds, several seeds, seed variance, training variance,"
        " several runs of a system",
    ),
)
