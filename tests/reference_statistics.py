"""The slow, obvious definitions that judge the statistics: loops over lists, and all signs, draws and orders one after
the other where the package samples or computes. Nothing is shared with the package.

Whatever is only added and compared is added as fractions, so that nothing rounds here.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction


def exact(values: Sequence[float]) -> list[Fraction]:
    """The values as they are written, 0.3 as three tenths."""
    return [Fraction(repr(float(value))) for value in values]


def share_as_extreme(outcomes: Sequence[Fraction], observed: Fraction, alternative: str) -> float:
    """Share of equally likely outcomes that lie as far out as the observed one, or farther."""
    reached = {
        "greater": lambda outcome: outcome >= observed,
        "less": lambda outcome: outcome <= observed,
        "two-sided": lambda outcome: abs(outcome) >= abs(observed),
    }[alternative]
    return sum(map(reached, outcomes)) / len(outcomes)


def signs(n: int) -> Iterator[tuple[int, ...]]:
    return itertools.product((1, -1), repeat=n)


def sign_flips(differences: Sequence[float], alternative: str) -> float:
    """p of the mean, over all signs of all differences."""
    values = exact(differences)
    outcomes = [
        sum(sign * value for sign, value in zip(flipped, values, strict=True)) for flipped in signs(len(values))
    ]
    return share_as_extreme(outcomes, sum(values), alternative)


def shift(differences: Sequence[float], alternative: str) -> float:
    """p of the mean, over all draws of n differences from the n, less the mean."""
    values = exact(differences)
    n = len(values)
    outcomes = [sum(drawn) - sum(values) for drawn in itertools.product(values, repeat=n)]
    return share_as_extreme(outcomes, sum(values), alternative)


def midranks(values: Sequence[Fraction]) -> list[Fraction]:
    """Ranks from 1, lowest value first; each value's is the mean of the first and last rank that it could have."""
    return [
        Fraction(sum(other < value for other in values) + 1 + sum(other <= value for other in values), 2)
        for value in values
    ]


def signed_ranks(differences: Sequence[float], alternative: str) -> tuple[Fraction, float]:
    """W, the sum of the ranks of the positive differences, and p over all signs of the non-zero ones."""
    values = [value for value in exact(differences) if value]
    ranks = midranks([abs(value) for value in values])
    middle = sum(ranks) / 2
    w = sum(rank for rank, value in zip(ranks, values, strict=True) if value > 0)
    outcomes = [sum(r for r, s in zip(ranks, flipped, strict=True) if s > 0) - middle for flipped in signs(len(ranks))]
    return w, share_as_extreme(outcomes, w - middle, alternative)


def coin(wins: int, losses: int, alternative: str) -> float:
    """p of so many wins, over all results of as many tosses."""
    outcomes = [Fraction(sum(tosses), 2) for tosses in signs(wins + losses)]
    return share_as_extreme(outcomes, Fraction(wins - losses, 2), alternative)


def tukey(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """Adjusted p of all pairs, over all orders of the values of all rows."""
    values = [exact(row) for row in rows]
    spreads = []
    for table in itertools.product(*[list(itertools.permutations(row)) for row in values]):
        sums = [sum(column) for column in zip(*table, strict=True)]
        spreads.append(max(sums) - min(sums))
    sums = [sum(column) for column in zip(*values, strict=True)]
    return [[sum(spread >= abs(a - b) for spread in spreads) / len(spreads) for b in sums] for a in sums]


def squared_t(differences: Sequence[Fraction]) -> Fraction | float:
    """t², with the sign of t; infinite where nothing varies."""
    n, total = len(differences), sum(differences)
    spread = sum(value**2 for value in differences) - Fraction(total**2, 1) / n
    t = total**2 * (n - 1) / (n * spread) if spread else math.inf if total else Fraction(0)
    return t if total >= 0 else -t


Pairs = Sequence[tuple[int, int]]


def maximum_t(rows: Sequence[Sequence[float]], alternative: str, of: Pairs | None = None) -> list[float]:
    """Adjusted p of all pairs of columns, or of some, over all signs of all rows: the share of signs in which the
    largest t of the hypotheses that are not rejected yet reaches that of the one that comes next."""
    values = [exact(row) for row in rows]
    pairs = of or list(itertools.combinations(range(len(values[0])), 2))
    towards = {"two-sided": abs, "greater": lambda t: t, "less": lambda t: -t}[alternative]

    def all_t(flipped: Sequence[int]) -> list[Fraction | float]:
        return [
            towards(squared_t([sign * (row[run] - row[base]) for sign, row in zip(flipped, values, strict=True)]))
            for base, run in pairs
        ]

    outcomes = [all_t(flipped) for flipped in signs(len(values))]
    observed = outcomes[0]
    left = sorted(range(len(pairs)), key=lambda place: -observed[place])
    p, last = [0.0] * len(pairs), 0.0
    while left:
        first = left[0]
        reached = sum(max(outcome[place] for place in left) >= observed[first] for outcome in outcomes) / len(outcomes)
        p[first] = last = max(last, reached)
        left.pop(0)
    return p


def adjusted(name: str, p: Sequence[float]) -> list[float]:
    """Each p-value's smallest level at which the procedure, as its authors put it, rejects its hypothesis."""
    m = len(p)
    ordered = sorted(p)
    harmonic = sum(1 / i for i in range(1, m + 1))

    def one(value: float) -> float:
        if name == "none":
            return value
        if name == "bonferroni":
            return value * m
        if name == "holm":  # step down: all smaller ones must be rejected, too
            return max((m - i) * ordered[i] for i in range(m) if ordered[i] <= value)
        # step up: rejected when any larger one is
        factor = harmonic if name == "by" else 1
        return min(ordered[i] * m * factor / (i + 1) for i in range(m) if ordered[i] >= value)

    return [min(1.0, one(value)) for value in p]


def sums_of_squares(rows: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Of runs, of queries, of what is left."""
    values = [exact(row) for row in rows]
    n, k = len(values), len(values[0])
    mean = sum(map(sum, values)) / (n * k)
    runs = [sum(row[j] for row in values) / n for j in range(k)]
    queries = [sum(row) / k for row in values]
    left = [(values[i][j] - runs[j] - queries[i] + mean) ** 2 for i in range(n) for j in range(k)]
    return (
        float(n * sum((run - mean) ** 2 for run in runs)),
        float(k * sum((query - mean) ** 2 for query in queries)),
        float(sum(left)),
    )


def sphericity(rows: Sequence[Sequence[float]]) -> float:
    """Greenhouse and Geisser's ε by Box's formula, of the covariances of the columns: how far their mean on the
    diagonal is above the mean of all, squared, over what the covariances vary beside their rows and columns."""
    values = [exact(row) for row in rows]
    n, k = len(values), len(values[0])
    means = [sum(row[j] for row in values) / n for j in range(k)]
    covariances = [
        [sum((row[i] - means[i]) * (row[j] - means[j]) for row in values) / (n - 1) for j in range(k)] for i in range(k)
    ]
    diagonal = sum(covariances[i][i] for i in range(k)) / k
    of_rows = [sum(row) / k for row in covariances]
    grand = sum(of_rows) / k
    squares = sum(covariance**2 for row in covariances for covariance in row)
    rest = squares - 2 * k * sum(mean**2 for mean in of_rows) + k**2 * grand**2
    return float(k**2 * (diagonal - grand) ** 2 / ((k - 1) * rest))


def kendall(a: Sequence[float], b: Sequence[float]) -> tuple[int, int, int, int]:
    """Pairs in the same order, in opposite orders, all that do not tie in a, all that do not tie in b."""
    pairs = [(a[i] - a[j], b[i] - b[j]) for i, j in itertools.combinations(range(len(a)), 2)]
    return (
        sum(x * y > 0 for x, y in pairs),
        sum(x * y < 0 for x, y in pairs),
        sum(x != 0 for x, _ in pairs),
        sum(y != 0 for _, y in pairs),
    )


def tau_ap(estimate: Sequence[float], truth: Sequence[float]) -> float:
    """Yilmaz, Aslam and Robertson's, without ties: 2/(n - 1) Σ_i C(i)/(i - 1) - 1, over the ranks i of the estimate."""
    order = sorted(range(len(estimate)), key=lambda item: -estimate[item])
    total = 0.0
    for i in range(1, len(order)):
        total += sum(truth[order[j]] > truth[order[i]] for j in range(i)) / i
    return 2 / (len(order) - 1) * total - 1


def orders(values: Sequence[float]) -> list[tuple[int, ...]]:
    """All orders of the items, best first, that the values allow."""
    items = range(len(values))
    allowed = []
    for order in itertools.permutations(items):
        if all(values[x] >= values[y] for x, y in itertools.pairwise(order)):
            allowed.append(order)
    return allowed


def mean_over_orders(a: Sequence[float], b: Sequence[float], measure: Callable[[tuple, tuple], float]) -> float:
    """What the measure is worth on average when tied items stand in any order."""
    found = [measure(x, y) for x in orders(a) for y in orders(b)]
    return sum(found) / len(found)


def rbo(a: Sequence[int], b: Sequence[int], p: float) -> float:
    """Extrapolated, of two orders of the same items, best first: the agreement at the last depth goes on for ever."""
    agreements = [len({*a[:d]} & {*b[:d]}) / d for d in range(1, len(a) + 1)]
    agreements += [agreements[-1]] * (2000 if p else 1)
    return (1 - p) * math.fsum(p**d * agreement for d, agreement in enumerate(agreements))


def prediction_powered(
    human: Sequence[float], predicted: Sequence[float], judged: Sequence[int]
) -> tuple[float, float, float]:
    """λ, the estimate and its error: one loop for each sum, and one estimate for each query left out."""
    total, n = len(predicted), len(judged)
    mean = sum(predicted) / total
    variance = sum((value - mean) ** 2 for value in predicted) / (total - 1)

    def estimate(places: Sequence[int]) -> tuple[float, float]:
        h = sum(human[i] for i in places) / len(places)
        f = sum(predicted[judged[i]] for i in places) / len(places)
        covariance = sum((human[i] - h) * (predicted[judged[i]] - f) for i in places) / len(places)
        most = total / (total - n) if total > n else math.inf
        tuning = min(max(covariance / variance, 0.0), most) if variance > 1e-20 else 0.0
        return tuning, tuning * mean + h - tuning * f

    tuning, value = estimate(range(n))
    without = [estimate([i for i in range(n) if i != left])[1] for left in range(n)]
    middle = sum(without) / n
    squared = (n - 1) / n * sum((each - middle) ** 2 for each in without)
    rest = [human[i] - tuning * predicted[judged[i]] for i in range(n)]
    of_rest, of_sample = sum(rest) / n, sum(predicted[judged[i]] for i in range(n)) / n
    covariance = sum((rest[i] - of_rest) * (predicted[judged[i]] - of_sample) for i in range(n)) / (n - 1)
    others = max(0.0, tuning**2 * variance + 2 * tuning * covariance) / total
    return tuning, value, math.sqrt(squared + others)


def by_score(value: float, error: float, t: float, mean: float) -> tuple[float, float]:
    """The ends, by bisection, of all μ from 0 to 1 with |value - μ| ≤ t·error·√(μ(1 - μ)/(mean(1 - mean)))."""

    def inside(mu: float) -> bool:
        return abs(value - mu) <= t * error * math.sqrt(mu * (1 - mu) / (mean * (1 - mean)))

    ends = []
    for end in (0.0, 1.0):
        within, beyond = value, end
        for _ in range(200):
            middle = (within + beyond) / 2
            within, beyond = (middle, beyond) if inside(middle) else (within, middle)
        ends.append(within)
    return ends[0], ends[1]
