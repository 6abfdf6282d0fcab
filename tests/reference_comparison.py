"""What a comparison must print, from the values of two systems: plain loops, and scipy.stats called directly.

Nothing is shared with the package; what is counted over all outcomes is in `reference_statistics`.
"""

import math
from collections.abc import Sequence

from scipy import stats

Values = Sequence[float]


def mean(values: Values) -> float:
    return math.fsum(values) / len(values)


def deviation(values: Values) -> float:
    """Over n - 1."""
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def differences(before: Values, after: Values) -> list[float]:
    return [y - x for x, y in zip(before, after, strict=True)]


def outcomes(before: Values, after: Values, lower: bool = False) -> tuple[int, int, int]:
    """Wins, ties and losses of the second."""
    wins = ties = losses = 0
    for x, y in zip(before, after, strict=True):
        if x == y:
            ties += 1
        elif (y < x) if lower else (y > x):
            wins += 1
        else:
            losses += 1
    return wins, ties, losses


def t(before: Values, after: Values, alternative: str = "two-sided") -> tuple[float, float]:
    found = stats.ttest_rel(after, before, alternative=alternative)
    return float(found.statistic), float(found.pvalue)


def error(values: Values, largest: float = 0.0, changed: Values | None = None) -> float:
    """Of the mean: s²/n, and what queries add that may differ by up to `largest` where few of those `changed` do."""
    n, changed = len(values), changed or values
    moved = sum(change != 0 for change in changed) if max(changed) - min(changed) > 1e-12 else 0
    unseen = largest * (1 - moved / n) / (1 + moved / 5) * math.sqrt(2 / (n * (n - 1)))
    return math.sqrt(deviation(values) ** 2 / n + unseen**2)


def t_interval(values: Values, confidence: float = 0.95, largest: float = 0.0) -> tuple[float, float]:
    reach = float(stats.t.ppf((1 + confidence) / 2, len(values) - 1)) * error(values, largest)
    return mean(values) - reach, mean(values) + reach


def signed_ranks(before: Values, after: Values, alternative: str = "two-sided") -> float:
    """p of Wilcoxon's test of up to 50 differences other than 0: over all signs of these."""
    changed = [each for each in (round(change, 12) for change in differences(before, after)) if each]
    method = stats.PermutationMethod(n_resamples=10**9)
    return float(stats.wilcoxon(changed, alternative=alternative, method=method).pvalue)


def sign(before: Values, after: Values, alternative: str = "two-sided") -> float:
    wins, _, losses = outcomes(before, after)
    return float(stats.binomtest(wins, wins + losses, alternative=alternative).pvalue)


def sign_flips(before: Values, after: Values, alternative: str = "two-sided") -> float:
    """p of the mean over all signs."""
    found = stats.permutation_test(
        (differences(before, after),),
        lambda changed: math.fsum(changed) / len(changed),
        permutation_type="samples",
        n_resamples=math.inf,
        alternative=alternative,
    )
    return float(found.pvalue)


def corrected(name: str, p: Values) -> list[float]:
    if name in ("bh", "by"):
        return stats.false_discovery_control(p, method=name).tolist()
    if name == "bonferroni":
        return [min(1.0, len(p) * value) for value in p]
    if name == "none":
        return list(p)
    ordered = sorted(p)  # Holm: the smallest times m, the next times m - 1, …, and no less than those before
    return [min(1.0, max((len(p) - i) * ordered[i] for i in range(len(p)) if ordered[i] <= value)) for value in p]


def equivalence(changed: Values, margin: float) -> tuple[float, float]:
    """p of no worse, and of the same within the margin."""
    off, degrees = error(changed, 1.0), len(changed) - 1
    not_worse, not_better = (float(stats.t.sf((margin + side * mean(changed)) / off, degrees)) for side in (1, -1))
    return not_worse, max(not_worse, not_better)


def power(n: int, effect: float, alpha: float = 0.05, sides: int = 2) -> float:
    """Chance that a t-test of n queries finds an effect."""
    limit = float(stats.t.ppf(1 - alpha / sides, n - 1))
    found = float(stats.nct.sf(limit, n - 1, effect * math.sqrt(n)))
    return found + (float(stats.nct.cdf(-limit, n - 1, effect * math.sqrt(n))) if sides == 2 else 0.0)


def needed(effect: float, alpha: float = 0.05, wanted: float = 0.8, sides: int = 2) -> int:
    n = 2
    while power(n, abs(effect), alpha, sides) < wanted:
        n += 1
    return n


def needed_anova(systems: int, difference: float, variance: float, alpha: float, wanted: float) -> int:
    n = 2
    while True:
        degrees = systems - 1, systems * (n - 1)
        limit = stats.f.ppf(1 - alpha, *degrees)
        if stats.ncf.sf(limit, *degrees, n * difference**2 / (2 * variance)) >= wanted:
            return n
        n += 1


def needed_interval(width: float, variance: float, alpha: float) -> int:
    n = 2
    while True:
        expected = math.sqrt(variance) * stats.chi(n - 1).mean() / math.sqrt(n - 1)  # of the standard deviation
        if 2 * stats.t.ppf(1 - alpha / 2, n - 1) * expected / math.sqrt(n) <= width:
            return n
        n += 1
