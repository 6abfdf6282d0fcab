"""Do the tests keep their promise? How often each of them finds a difference where there is none, by simulation.

    python benchmarks/significance.py                     # about 20 minutes; prints the tables of docs/statistics.md
    python benchmarks/significance.py --trials 500        # a quick look
    python benchmarks/significance.py --only families     # one kind, as in the table KINDS
    python benchmarks/significance.py --write             # replaces the tables there

A test at the level α may call a difference significant in a share α of the cases in which there is none. Whether it
does can be seen only where the truth is known, that is, with scores that are made up. They are made to look like those
of retrieval: of systems that agree on which queries are hard, with values between 0 and 1, many of them low.

Scores
    A query has an effect that all systems share, a system has one of its own, and each meeting of the two adds an
    interaction; all are normal, the query's share of the variance between 0.5 and 0.85. For values like AP, the sum is
    mapped to a beta distribution, which makes a Gaussian copula with beta margins. For values like P@10 it is cut to
    the range from 0 to 1 and rounded to tenths, so that about a third of the differences are 0. Means, spreads,
    correlations and ties are near those of three runs on a small collection of abstracts.

Two kinds of cases without a difference
    swapped: the two scores of each query change places or not, by a fair coin. Both systems then are the same mixture
    of two, and their differences are symmetric about 0.
    simulated: after Urbano, Lima and Hanjalic (SIGIR 2019). The margins of two systems, beta distributions, and the
    correlation of their normal scores, the Gaussian copula, are fitted to their scores on 50 queries. The margin of
    either is then given the same mean; its precision stays. Scores of any number of queries are drawn from that. The
    means are equal by construction, but the differences need not be symmetric, nor their median be 0. Margins are
    tables of 1,000 equally likely values, so that the means are equal to the last digit, for tenths too. (That study
    chooses among many families of margins and copulas, and fits them to runs of TREC. Here there is one of each.)

Rare losses
    A change touches 15% of the queries. Nine of ten of these gain a little, up to 0.133; the tenth loses between 0.4
    and 0.8. The mean is 0. A sample that has too few of the losses looks like a sure gain.

Intervals
    How often the intervals of a difference, at 95%, miss the true one: of values like AP and P@10 as "simulated", with
    equal means and with means that are 0.05 apart; of skewed differences, exponential and lognormal (σ = 1) less their
    means; of rare gains, 0.4 on 8% of the queries and a small loss on all others, with a mean of 0; and of the rare
    losses above.

Power
    Simulated pairs of which one has a higher mean, by 2/√n standard deviations of the differences. The t test finds
    about half of such differences, whatever n is.

Families
    Ten systems, 45 pairs. In the first four cases all differences are 0: the scores of each query shuffled; simulated
    systems, so that their variances differ; the same with values like P@10; and simulated systems of which the first
    seven are variants of one, with the same margin, and 95% of what is not the query's in common. In "two groups" five
    of the ten are better than the others by half of the standard deviation of a difference, at 50 queries, and less at
    more, so that 20 pairs have no difference and 25 have one. In "three bad" three systems have a fifth of the mean of
    the others, three more are better than the other four by as much as in "two groups"; what is counted as found are
    the 12 differences between these seven. The corrections are those of the p-values of t tests; Tukey's and the
    maximum-t method are randomisation tests of their own.

    Of the same data: the analysis of variance, with its degrees of freedom and with those of Greenhouse and Geisser.

Rare gains
    Ten systems with equal means. A query has an effect with a standard deviation of 0.18, each value one of 0.03. Half
    of the systems gain 0.4 on 8% of the queries, each on its own, and lose 0.032 on all. Samples with few of the gains
    look like a sure loss. "Johnson" is the maximum-t method with each t made smaller by Johnson's correction for
    skewness (JASA 73, 1978), where that makes it smaller. "warned" are families in which `irev compare` warns. Beside
    them, simulated systems as in families.

Measures
    Lists of 100 documents of two or five systems with the same chances: that of a relevant document at rank r is the
    query's, from a beta distribution, times r^-0.5. Documents that no list has are added to what is relevant. AP,
    nDCG@10, P@10, RR and R@100 are computed, and systems compared with the first, by t tests with Holm's correction.

Tests that resample take --samples samples, half as many in families, fewer than irev takes by default. Since p = (b +
1)/(m + 1), a test with few samples keeps its level as well as one with many; it only has a little less power. A hundred
trials share their random samples. With 7,000 queries there are a tenth as many trials.

The error given with each table is the binomial one, √(α(1 - α)/trials), and for power the largest that it can be. A
share beyond α by three of these is bold.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, fdtrc, ndtr, ndtri
from scipy.stats import rankdata

from irev.statistics import corrections, effects, intervals, maximum_t, paired, variance
from irev.statistics.plan import Plan
from irev.statistics.resampling import flipped_sums

Floats = npt.NDArray[np.float64]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "statistics.md"
BEGIN, END = "<!-- simulated {}: begin -->", "<!-- simulated {}: end -->"

TESTS = {"t": "t", "randomization": "randomisation", "bootstrap": "bootstrap", "wilcoxon": "Wilcoxon", "sign": "sign"}
INTERVALS = {"t": "t", "percentile": "percentile", "bca": "bca"}
CORRECTIONS = {
    "none": "none",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "max-t": "maximum t",
    "tukey": "Tukey",
    "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli",
}
LEVELS = (0.05, 0.01)
SIZES = (25, 50, 100, 1000, 7000)
MANY = 7000
STEPS = {"AP": 0, "P@10": 10}
"""Kinds of scores: how many steps there are from 0 to 1, 0 for any value between."""

CELLS = 1000
FITTED_TO = 50
POOL = 1000
"""Pairs of systems that simulated trials take in turn."""
SYSTEMS, VARIANTS, BAD = 10, 7, 3
BATCH = 100


def main() -> int:
    """Simulate, and print or write the tables."""
    parser = argparse.ArgumentParser(description="Error rates of significance tests, by simulation.")
    parser.add_argument("--trials", type=int, default=10_000, help="simulated comparisons for each number")
    parser.add_argument("--samples", type=int, default=2_000, help="of tests that resample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS, action="append", help="tables of this kind; may be repeated")
    parser.add_argument("--write", action="store_true", help="replace the tables in docs/statistics.md")
    options = parser.parse_args()
    began = time.monotonic()
    for name in options.only or KINDS:
        text = "\n\n".join(KINDS[name](options.trials, options.samples, options.seed)) + "\n"
        print(text)
        if options.write:
            begin, end = BEGIN.format(name), END.format(name)
            before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
            PAGE.write_text(f"{before}{begin}\n\n{text}\n{end}{rest.partition(end)[2]}", encoding="utf-8")
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


# Scores


def scores(queries: int, systems: int, trials: int, steps: int, random: np.random.Generator) -> Floats:
    """Scores (queries, systems, trials) of systems that differ."""
    latent = dependent(queries, systems, random.uniform(0.5, 0.85, trials), random)
    if steps:
        effect = random.normal(0.0, 0.05, (systems, trials))
        return np.round(np.clip(0.3 + effect + 0.23 * latent, 0.0, 1.0) * steps) / steps
    latent += random.normal(0.0, 0.2, (systems, trials))
    return _AP.take(_cells(latent))


def dependent(queries: int, systems: int, shares: Floats, random: np.random.Generator, variants: int = 1) -> Floats:
    """Normal numbers (queries, systems, trials); those of one query correlate, by a share for each trial."""
    trials = len(shares)
    of_query = random.standard_normal((queries, 1, trials))
    own = random.standard_normal((queries, systems, trials))
    own[:, 1:variants] = np.sqrt(0.95) * own[:, :1] + np.sqrt(0.05) * own[:, 1:variants]
    return np.sqrt(shares) * of_query + np.sqrt(1 - shares) * own


def _cells(latent: Floats) -> npt.NDArray[np.intp]:
    return np.minimum(ndtr(latent) * CELLS, CELLS - 1).astype(np.intp)


def quantiles(mean: npt.ArrayLike, precision: npt.ArrayLike) -> Floats:
    """Equally likely values of beta distributions, one more axis at the end."""
    mean, precision = np.expand_dims(mean, -1), np.expand_dims(precision, -1)
    return betaincinv(mean * precision, (1 - mean) * precision, (np.arange(CELLS) + 0.5) / CELLS)


_AP = quantiles(0.27, 4.2)


@dataclass(frozen=True)
class Fitted:
    """Groups of systems, fitted to scores.

    Attributes
    ----------
    mean, precision : (groups, systems)
        Of their margins, which are beta distributions: the variance is mean (1 - mean) / (precision + 1).
    share : (groups,)
        The correlation of any two.
    steps : int
        As in `STEPS`.
    """

    mean: Floats
    precision: Floats
    share: Floats
    steps: int

    def margins(self, means: Floats) -> Margins:
        """What scores are drawn from, with these means (groups, systems) in place of their own."""
        tables = quantiles(means, self.precision)
        wanted = means[..., None]
        if not self.steps:
            return Margins(tables * (wanted / tables.mean(axis=-1, keepdims=True)), self.share)
        # Rounded up where the fraction is largest, so often that the mean comes out.
        below = np.floor(tables * self.steps)
        up = np.rint(wanted * CELLS * self.steps - below.sum(axis=-1, keepdims=True))
        order = np.argsort(below - tables * self.steps, axis=-1, kind="stable")
        rank = np.argsort(order, axis=-1, kind="stable")
        return Margins((below + (rank < up)) / self.steps, self.share)


@dataclass(frozen=True)
class Margins:
    """Tables (groups, systems, `CELLS`) of equally likely values, the correlation of any two systems, and how many of
    the systems are variants of the first."""

    tables: Floats
    share: Floats
    variants: int = 1

    def drawn(self, queries: int, groups: npt.NDArray[np.intp], random: np.random.Generator) -> Floats:
        """Scores (queries, systems, trials), of one group in each trial."""
        systems = self.tables.shape[1]
        cells = _cells(dependent(queries, systems, self.share[groups], random, self.variants))
        return self.tables[groups, np.arange(systems)[:, None], cells]


def fitted(groups: int, systems: int, steps: int, random: np.random.Generator) -> Fitted:
    """Groups of systems, each fitted to scores on `FITTED_TO` queries."""
    found = scores(FITTED_TO, systems, groups, steps, random)
    mean = np.clip(found.mean(axis=0), 0.05, 0.9)
    precision = np.clip(mean * (1 - mean) / np.maximum(found.var(axis=0, ddof=1), 1e-9) - 1, 0.5, 50.0)
    normal = ndtri(rankdata(found, axis=0) / (FITTED_TO + 1))
    normal = (normal - normal.mean(axis=0)) / normal.std(axis=0)
    both = [(normal[:, a] * normal[:, b]).mean(axis=0) for a, b in combinations(range(systems), 2)]
    return Fitted(mean.T, precision.T, np.clip(np.mean(both, axis=0), 0.05, 0.98), steps)


def same(fit: Fitted) -> Floats:
    """For each group the mean of its means, for all systems; a multiple of what tables of steps can have."""
    return np.repeat(np.round(fit.mean.mean(axis=1, keepdims=True), 4), fit.mean.shape[1], axis=1)


def deviation(margins: Margins, random: np.random.Generator) -> Floats:
    """Standard deviations (groups,) of the difference of the first two systems."""
    found = margins.drawn(2_000, np.arange(len(margins.share)), random)
    return (found[:, 0] - found[:, 1]).std(axis=0)


# Tests


def batches(trials: int, queries: int) -> Iterator[npt.NDArray[np.intp]]:
    """Trials that share random samples, by their numbers."""
    size = BATCH if queries < MANY else BATCH // 4
    for done in range(0, trials, size):
        yield np.arange(done, min(done + size, trials))


def p_values(test: str, differences: Floats, samples: int, seed: int) -> Floats:
    """Of each column. Where there is no p-value there is no finding."""
    found = paired.test(test, differences, Plan(samples=samples, seed=seed))
    return np.array([1.0 if tested.p is None else tested.p for tested in found])


def trials_for(trials: int, queries: int) -> int:
    return trials if queries < MANY else max(trials // 10, 1)


def levels(trials: int, samples: int, seed: int) -> Iterator[str]:
    """Tables of how often each test finds a difference where there is none."""
    rows: dict[float, list[list[str]]] = {level: [] for level in LEVELS}
    for name, steps in STEPS.items():
        random = np.random.default_rng([seed, 0, steps])
        fit = fitted(POOL, 2, steps, random)
        margins = fit.margins(same(fit))
        for kind in ("swapped", "simulated"):
            for queries in SIZES:
                count = trials_for(trials, queries)
                p: dict[str, list[Floats]] = {test: [] for test in TESTS}
                for batch in batches(count, queries):
                    if kind == "swapped":
                        pair = scores(queries, 2, len(batch), steps, random)
                        differences = (pair[:, 0] - pair[:, 1]) * random.choice([-1.0, 1.0], (queries, len(batch)))
                    else:
                        pair = margins.drawn(queries, batch % POOL, random)
                        differences = pair[:, 0] - pair[:, 1]
                    for test in TESTS:
                        p[test].append(p_values(test, differences, samples, int(batch[0])))
                for level in LEVELS:
                    cells = [share(np.concatenate(p[test]) <= level, level) for test in TESTS]
                    rows[level].append([name, kind, f"{queries:,}", *cells])
    for level in LEVELS:
        title = f"Differences found where there is none, of 100, at α = {level}; ± {error(level, trials)}"
        more = f", at 7,000 queries ± {error(level, trials_for(trials, MANY))}."
        yield title + more + "\n\n" + table(["scores", "null", "queries", *TESTS.values()], rows[level])


def losses(trials: int, samples: int, seed: int) -> Iterator[str]:
    """A table of how often each test finds a difference in the mean where a few queries lose what many gain."""
    level, rows = LEVELS[0], []
    random = np.random.default_rng([seed, 3])
    for queries in SIZES:
        count = trials_for(trials, queries)
        p: dict[str, list[Floats]] = {test: [] for test in TESTS}
        for batch in batches(count, queries):
            shape = (queries, len(batch))
            touched, lost = random.random(shape) < 0.15, random.random(shape) < 0.1
            changed = np.where(lost, -random.uniform(0.4, 0.8, shape), random.uniform(0, 0.4 / 3, shape))
            for test in TESTS:
                p[test].append(p_values(test, np.where(touched, changed, 0.0), samples, int(batch[0])))
        rows.append([f"{queries:,}", f"{count:,}", *(share(np.concatenate(p[test]) <= level, level) for test in TESTS)])
    title = f"Rare big losses and a mean of 0: differences found, of 100, at α = {level}; ± {error(level, trials)}"
    more = f", at 7,000 queries ± {error(level, trials_for(trials, MANY))}."
    yield title + more + "\n\n" + table(["queries", "trials", *TESTS.values()], rows)


def power(trials: int, samples: int, seed: int) -> Iterator[str]:
    """A table of how often each test finds a small difference that there is."""
    level, rows = LEVELS[0], []
    for name, steps in STEPS.items():
        random = np.random.default_rng([seed, 1, steps])
        fit = fitted(POOL // 4, 2, steps, random)
        means = same(fit)
        spread = deviation(fit.margins(means), random)
        for queries in SIZES:
            apart = means + np.stack([np.zeros(len(spread)), np.round(2 * spread / np.sqrt(queries), 4)], axis=1)
            margins = fit.margins(apart)
            p: dict[str, list[Floats]] = {test: [] for test in TESTS}
            for batch in batches(trials_for(trials, queries), queries):
                pair = margins.drawn(queries, batch % len(spread), random)
                for test in TESTS:
                    p[test].append(p_values(test, pair[:, 1] - pair[:, 0], samples, int(batch[0])))
            rows.append([name, f"{queries:,}", *(percent(np.concatenate(p[test]) <= level) for test in TESTS)])
    half, few = error(0.5, trials), error(0.5, trials_for(trials, MANY))
    title = f"Small differences found, of 100 that there are, at α = {level}; ± {half}, at 7,000 queries ± {few}."
    yield title + "\n\n" + table(["scores", "queries", *TESTS.values()], rows)


@dataclass(frozen=True)
class Case:
    """Ten systems: what sets them apart.

    Attributes
    ----------
    name : str
    scores : str
        One of `STEPS`.
    better : tuple of int
        Systems whose mean is higher by half of the standard deviation of a difference, at 50 queries.
    bad : int
        How many, the last ones, have a fifth of the mean.
    variants : int
        How many, the first ones, are variants of one.
    shuffled : bool
        Whether the scores of each query are shuffled.
    """

    name: str
    scores: str = "AP"
    better: tuple[int, ...] = ()
    bad: int = 0
    variants: int = 1
    shuffled: bool = False


CASES = (
    Case("shuffled", shuffled=True),
    Case("simulated"),
    Case("simulated", "P@10"),
    Case("seven variants", variants=VARIANTS),
    Case("two groups", better=tuple(range(SYSTEMS // 2, SYSTEMS))),
    Case("three bad", better=(4, 5, 6), bad=BAD),
)


def in_families(trials: int, samples: int, seed: int) -> Iterator[str]:
    """Tables of what corrections for many tests do, and analyses of variance."""
    level, rows, analyses = LEVELS[0], [], []
    first, second = np.array(list(combinations(range(SYSTEMS), 2))).T
    for place, case in enumerate(CASES):
        for queries, divisor in ((25, 10), (50, 5)):
            random = np.random.default_rng([seed, 2, place, queries])
            count = max(trials // divisor, 1)
            margins = _margins(case, queries, random)
            good = second < SYSTEMS - case.bad
            true = np.isin(first, case.better) != np.isin(second, case.better)
            wanted = true & good
            null = ~true & good
            wrong, shares, found = ({correction: [] for correction in CORRECTIONS} for _ in range(3))
            analysed = []
            for number in range(count):
                if case.shuffled:
                    values = random.permuted(scores(queries, SYSTEMS, 1, STEPS[case.scores], random)[..., 0], axis=1)
                else:
                    values = margins.drawn(queries, np.array([number % 100]), random)[..., 0]
                plan = Plan(samples=samples // 2, seed=number)
                pairs = list(zip(first.tolist(), second.tolist(), strict=True))
                differences = values[:, second] - values[:, first]
                plain = list(p_values("t", differences, samples, number))
                for correction in CORRECTIONS:
                    if correction == "tukey":
                        p = corrections.tukey(values, plan)[first, second]
                    elif correction == "max-t":
                        p = maximum_t.adjusted(values, pairs, plan)
                    else:
                        p = np.array(corrections.adjusted(correction, plain), dtype=float)
                    rejected = p <= level
                    wrong[correction].append(bool((rejected & null).any()))
                    shares[correction].append((rejected & null).sum() / max(rejected.sum(), 1))
                    found[correction].append(rejected[wanted].mean() if wanted.any() else 0.0)
                anova = variance.anova(values)
                analysed.append((fdtrc(anova.df_runs, anova.df_residual, anova.f) <= level, anova.p <= level))
            about = [case.name, case.scores, f"{queries:,}", f"{count:,}", error(level, count)]
            rows.append([*about, "any wrong", *(share(np.array(wrong[c]), level) for c in CORRECTIONS)])
            if wanted.any():
                rows.append([*about, "wrong among found", *(percent(np.array(shares[c])) for c in CORRECTIONS)])
                rows.append([*about, "found", *(percent(np.array(found[c])) for c in CORRECTIONS)])
            else:
                analyses.append([*about, *(share(column, level) for column in np.array(analysed).T)])
    head = ["case", "scores", "queries", "families", "±"]
    title = (
        f"Ten systems, 45 pairs, at α = {level}: families of 100 with any wrong finding; where there are differences,"
        " how many of 100 findings are wrong, and how many of 100 differences are found."
    )
    yield title + "\n\n" + table([*head, "of 100", *CORRECTIONS.values()], rows)
    title = f"Analyses of variance of ten systems with equal means, of 100, that find some to differ, at α = {level}."
    yield title + "\n\n" + table([*head, "F", "F with ε"], analyses)


def _margins(case: Case, queries: int, random: np.random.Generator) -> Margins:
    """What the scores of a hundred groups of systems are drawn from."""
    fit = fitted(100, SYSTEMS, STEPS[case.scores], random)
    fit.precision[:, 1 : case.variants] = fit.precision[:, :1]
    means = same(fit)
    if case.better:
        spread = deviation(fit.margins(means), random) * 0.5 * np.sqrt(50 / queries)
        means[:, list(case.better)] += np.round(spread, 4)[:, None]
        means[:, SYSTEMS - case.bad :] = np.round(means[:, SYSTEMS - case.bad :] / 5, 4)
    return replace(fit.margins(means), variants=case.variants)


def of_differences(trials: int, samples: int, seed: int) -> Iterator[str]:
    """A table of how often intervals of a difference miss it, by method."""
    level, rows = LEVELS[0], []
    random = np.random.default_rng([seed, 4])
    fits = {name: fitted(POOL // 4, 2, steps, random) for name, steps in STEPS.items()}

    def like(name: str, apart: float, queries: int, number: int) -> tuple[Floats, Floats]:
        """Differences of one of the pairs, and the true one."""
        margins = ready[name, apart]
        group = np.full(BATCH, number % len(margins.share))
        pair = margins.drawn(queries, group, random)
        means = margins.tables[group].mean(axis=-1)
        return pair[:, 1] - pair[:, 0], means[:, 1] - means[:, 0]

    ready = {}
    for name, fit in fits.items():
        for apart in (0.0, 0.05):
            means = same(fit) + np.array([0.0, apart])
            ready[name, apart] = fit.margins(means)

    def drawn(case: str, queries: int, number: int) -> tuple[Floats, Floats]:
        shape, none = (queries, BATCH), np.zeros(BATCH)
        if case == "exponential":
            return random.exponential(1.0, shape) - 1, none
        if case == "lognormal":
            return random.lognormal(0.0, 1.0, shape) - np.exp(0.5), none
        if case == "rare gains":
            return np.where(random.random(shape) < 0.08, 0.4, -0.4 * 0.08 / 0.92), none
        if case == "rare losses":
            touched, lost = random.random(shape) < 0.15, random.random(shape) < 0.1
            changed = np.where(lost, -random.uniform(0.4, 0.8, shape), random.uniform(0, 0.4 / 3, shape))
            return np.where(touched, changed, 0.0), none
        name, _, apart = case.partition(", ")
        return like(name, float(apart.removeprefix("difference ") or 0), queries, number)

    cases = [name + more for name in STEPS for more in ("", ", difference 0.05")]
    count = max(trials // 5, BATCH)
    for case in (*cases, "exponential", "lognormal", "rare gains", "rare losses"):
        for queries in (10, 25, 50, 100, 500):
            missed: dict[str, list[Floats]] = {kind: [] for kind in INTERVALS}
            for number in range(count // BATCH):
                differences, true = drawn(case, queries, number)
                for kind in INTERVALS:
                    spans = intervals.interval(kind, differences, Plan(samples=samples, seed=number, interval=kind))
                    off = [span is None or not span.low <= t <= span.high for span, t in zip(spans, true, strict=True)]
                    missed[kind].append(np.array(off))
            rows.append([case, f"{queries:,}", *(share(np.concatenate(missed[kind]), level) for kind in INTERVALS)])
    title = (
        f"Intervals at 95% that miss the true difference, of 100; {count:,} for each number, ± {error(level, count)}."
    )
    yield title + "\n\n" + table(["differences", "queries", *INTERVALS.values()], rows)


def gains(trials: int, samples: int, seed: int) -> Iterator[str]:
    """A table of what corrections do, and of warnings, where half of the systems gain much on a few queries."""
    level, rows, count = LEVELS[0], [], max(trials // 10, 1)
    pairs = list(combinations(range(SYSTEMS), 2))
    first, second = np.array(pairs).T
    for name in ("rare gains", "simulated"):
        for queries in (25, 50, 100, 200):
            random = np.random.default_rng([seed, 4, len(name), queries])
            margins = _margins(Case("simulated"), queries, random) if name == "simulated" else None
            wrong: list[list[bool]] = []
            for number in range(count):
                if margins is None:
                    values = 0.4 + random.normal(0, 0.18, (queries, 1)) + random.normal(0, 0.03, (queries, SYSTEMS))
                    values[:, SYSTEMS // 2 :] += 0.4 * (random.random((queries, SYSTEMS // 2)) < 0.08) - 0.032
                else:
                    values = margins.drawn(queries, np.array([number % 100]), random)[..., 0]
                plan = Plan(samples=samples // 2, seed=number)
                differences = values[:, second] - values[:, first]
                holm = np.array(corrections.adjusted("holm", list(p_values("t", differences, samples, number))))
                largest = maximum_t.adjusted(values, pairs, plan).min()
                warned = any(effects.queries_wanted(column) for column in differences.T)
                wrong.append([holm.min() <= level, largest <= level, johnson(values, plan) <= level, warned])
            shares = np.array(wrong).T
            rows.append(
                [name, f"{queries:,}", f"{count:,}", *(share(each, level) for each in shares[:3]), percent(shares[3])]
            )
    title = (
        f"Ten systems with equal means: families of 100 with any wrong finding at α = {level}; ± {error(level, count)}."
    )
    yield title + "\n\n" + table(["scores", "queries", "families", "Holm", "maximum t", "Johnson", "warned"], rows)


def johnson(values: Floats, plan: Plan) -> float:
    """The least adjusted p of all pairs by the maximum-t method, with t + G (1 + 2 t²) / (6 √n) where that is less."""
    queries, systems = values.shape
    first, second = np.array(list(combinations(range(systems), 2))).T
    differences = values[:, second] - values[:, first]
    t = differences.mean(axis=0) / differences.std(axis=0, ddof=1) * np.sqrt(queries)
    tails = np.array([effects.skewness(column) for column in differences.T], dtype=float) * np.sign(t)
    size = np.abs(t)
    corrected = np.minimum(size, size + tails * (1 + 2 * size**2) / (6 * np.sqrt(queries)))
    beyond, flips = 0, 0
    norm = np.sqrt(queries * (differences**2).sum(axis=0))
    for sums in flipped_sums(values, plan.samples, plan.seed):
        shares = (sums[:, second] - sums[:, first]) / norm
        beyond += int((np.abs(shares * np.sqrt((queries - 1) / (1 - shares**2))).max(axis=1) >= corrected.max()).sum())
        flips += len(sums)
    return (beyond + 1) / (flips + 1)


def measures(trials: int, samples: int, seed: int) -> Iterator[str]:
    """A table of how often systems that do not differ have a star under one measure, and under any of several."""
    level, rows, count = LEVELS[0], [], max(trials // 2, 1)
    ranks = np.arange(1, 101)
    discounts = 1 / np.log2(ranks[:10] + 1)
    for systems in (2, 5):
        for queries in (25, 50, 100):
            random = np.random.default_rng([seed, 5, systems, queries])
            found: list[list[float]] = []
            for _ in range(count):
                chance = random.beta(1, 2, (queries, 1, 1)) * ranks**-0.5
                hits = random.random((queries, systems, 100)) < chance
                relevant = hits.sum(axis=2).max(axis=1)[:, None] + 1 + random.poisson(2, (queries, 1))
                ideal = np.cumsum(discounts)[np.minimum(relevant, 10) - 1]
                values = (
                    (hits * hits.cumsum(axis=2) / ranks).sum(axis=2) / relevant,
                    hits[..., :10] @ discounts / ideal,
                    hits[..., :10].mean(axis=2),
                    np.where(hits.any(axis=2), 1 / (1 + hits.argmax(axis=2)), 0.0),
                    hits.sum(axis=2) / relevant,
                )
                p = [list(p_values("t", each[:, 1:] - each[:, :1], samples, seed)) for each in values]
                alone = [min(corrections.adjusted("holm", each)) for each in p]
                found.append([alone[0], min(alone[:2]), min(alone), min(corrections.adjusted("holm", [*chain(*p)]))])
            shares = level >= np.array(found).T
            rows.append([f"{systems}", f"{queries}", f"{count:,}", *(share(each, level) for each in shares)])
    title = f"Systems that do not differ: comparisons of 100 with a star at α = {level}; ± {error(level, count)}."
    header = ["systems", "queries", "comparisons", "AP", "AP or nDCG@10", "any of five", "any of five, --family all"]
    yield title + "\n\n" + table(header, rows)


KINDS = {
    "levels": levels,
    "losses": losses,
    "intervals": of_differences,
    "power": power,
    "families": in_families,
    "gains": gains,
    "measures": measures,
}


# Text


def percent(found: npt.NDArray[np.generic]) -> str:
    return f"{100 * found.mean():.1f}"


def share(found: npt.NDArray[np.bool_], level: float) -> str:
    """A share in per cent, bold where it is beyond the level by three standard errors."""
    beyond = found.mean() - level > 3 * np.sqrt(level * (1 - level) / len(found))
    return f"**{percent(found)}**" if beyond else percent(found)


def error(level: float, trials: int) -> str:
    return f"{100 * np.sqrt(level * (1 - level) / trials):.1f}"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown; columns of numbers are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    numeric = [column[0][:1].isdigit() or column[0].startswith("*") for column in zip(*rows, strict=True)]
    rules = ["-" * (width - 1) + ":" if right else "-" * width for width, right in zip(widths, numeric, strict=True)]

    def line(cells: list[str]) -> str:
        padded = [c.rjust(w) if right else c.ljust(w) for c, w, right in zip(cells, widths, numeric, strict=True)]
        return f"| {' | '.join(padded)} |"

    return "\n".join([line(header), line(rules), *map(line, rows)])


if __name__ == "__main__":
    sys.exit(main())
