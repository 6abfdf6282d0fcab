"""The mean of what humans judge, of which few queries have a human's value and all have a predicted one.

A model judges every query, a human a random sample of them. The human values say how wrong the predictions are, and the
predictions say what the sample missed. The estimate has no bias, whatever the errors of the model; the better the
model, the narrower the interval, which cannot allow for errors so rare that the sample has none. Angelopoulos, Bates,
Fannjiang, Jordan and Zrnic, Prediction-Powered Inference, Science 382, 2023; Angelopoulos, Duchi and Zrnic, PPI++:
Efficient Prediction-Powered Inference, arXiv:2311.01453, 2023 (the weight of the predictions). For retrieval,
Oosterhuis, Jagerman, Qin, Wang and Bendersky, Reliable Confidence Intervals for Information Retrieval Evaluation Using
Generative A.I., KDD 2024.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.statistics.intervals import Interval, by_score, quantile, unseen_error
from irev.statistics.plan import Plan
from irev.statistics.ratios import ONCE, Looks, Ratio, around, difference, p_of_zero, ratio
from irev.statistics.resampling import BLOCK
from irev.statistics.rounding import SLACK


@dataclass(frozen=True)
class Corrected:
    """A mean, by human values of some queries and predicted values of all.

    Attributes
    ----------
    human : Ratio
        The mean of the human values alone, and its standard error.
    predicted : float
        The mean of the predicted values of all queries.
    tuning : float
        λ, the weight of the predictions: 0 where they are of no use, about 1 where they are as good as human values.
    estimate : Ratio
        λ·mean(predicted, all) + mean(human - λ·predicted, sample), which may lie beyond the ends of the measure; its
        standard error and degrees of freedom.
    of_all : float
        The part of the squared standard error that comes from how all queries vary, however many of them are judged.
    share : bool
        Whether it is a mean of values from 0 to 1.
    unseen : float
        The part of the standard error of a difference that comes from queries that differ and are not in the sample, as
        `intervals.unseen_error` has it. The interval has it, p has not.
    looks : Looks
        How errors are read, where more queries may be judged after a look at what was found.
    """

    human: Ratio
    predicted: float
    tuning: float
    estimate: Ratio
    of_all: float = 0.0
    share: bool = False
    unseen: float = 0.0
    looks: Looks = ONCE

    @property
    def value(self) -> float:
        """The estimate; of values from 0 to 1 no lower than 0 and no higher than 1."""
        value = self.estimate.value or 0.0
        return min(max(value, 0.0), 1.0) if self.share else value

    def interval(self, confidence: float) -> Interval | None:
        """Student's interval; of values from 0 to 1 that of `by_score`, or where the human mean is neither above 0 nor
        below 1 what of Student's lies between. None where there is no error, or one of 0."""
        return self._around(self.estimate, confidence)

    def human_interval(self, confidence: float) -> Interval | None:
        """The same by human values alone."""
        return self._around(self.human, confidence)

    def _around(self, of: Ratio, confidence: float) -> Interval | None:
        found, human = around(self._widened(of), confidence, self.looks), self.human.value or 0.0
        if found is None or not self.share:
            return found
        if SLACK < human < 1 - SLACK:
            return by_score(found, human)
        return Interval(*(min(max(end, 0.0), 1.0) for end in found))

    def _widened(self, of: Ratio) -> Ratio:
        return of if of.error is None else replace(of, error=math.hypot(of.error, self.unseen))

    @property
    def p(self) -> float | None:
        """Two-sided p of a mean of 0, as `irev.statistics.ratios.p_of_zero` has it."""
        return p_of_zero(self.estimate, self.looks)

    @property
    def worth(self) -> float | None:
        """How many more queries with human values alone would give the same standard error: n(e²/e'² - 1), of human
        values alone and of the estimate. Below 0 where the predictions do harm; None where an error is not known or 0.
        """
        if not self.human.error or not self.estimate.error:
            return None
        return self.human.n * ((self.human.error / self.estimate.error) ** 2 - 1)


def mean_of(values: Floats, cluster: Ints | None = None) -> Ratio:
    """The mean of queries, with the error of clusters of queries that depend on each other, where there are any."""
    of_queries = ratio(values, np.ones(len(values)))
    if cluster is None:
        return of_queries
    number = np.unique(cluster, return_inverse=True)[1]
    found = ratio(np.bincount(number, weights=values).astype(np.float64), np.bincount(number).astype(np.float64))
    return replace(found, value=of_queries.value, n=len(values), degrees=found.freedom)


def corrected(
    human: Floats,
    predicted: Floats,
    judged: Ints,
    share: bool = False,
    cluster: Ints | None = None,
) -> Corrected:
    """The mean over queries like these of what humans judge.

    With n queries judged of N: λ = Σ (h - h̄)(f - f̄)/(n var f), between 0 and N/(N - n), h̄ and f̄ being the means of the
    sample and var f the variance of all predictions over N - 1; the estimate is h̄ + λ(F̄ - f̄), with F̄ the mean of all.
    λ is that of PPI++ times N/(N - n), since F̄ has the sample in it, too; the estimate is the same.

    The squared error is the sum of two: the jackknife's variance of the estimate over the judged queries, as if each in
    turn had not been judged, (n - 1)/n Σ (θ_i - θ̄)²; and what the queries at hand vary from others like them,
    (λ² var f + 2λ c)/N, c being the covariance of h - λf and f over n - 1. The interval has n - 1 degrees of freedom.
    Leaving queries out one at a time has the variance of λ in it, which a fixed λ has not:
    benchmarks/predicted_judgments.py has what holds and what does not, with this and with other ways.

    Parameters
    ----------
    human : (n,) array
        Values by a human of a random sample of the queries, finite.
    predicted : (N,) array
        Predicted values of all queries, finite, those of the sample included.
    judged : (n,) array
        Which of these the human values are of.
    share : bool
        Whether it is a mean of values from 0 to 1.
    cluster : (N,) array, optional
        The number of each query's cluster, where queries depend on each other. The squared error is then multiplied by
        the design effect of `parts`, and the degrees of freedom are those of the clusters with judged queries.

    Returns
    -------
    Corrected
        Without errors for one judged query.
    """
    n, total = len(human), len(predicted)
    alone = mean_of(human, None if cluster is None else cluster[judged])
    if not n or alone.value is None:
        raise ValueError("no query is judged")
    mean, variance = float(predicted.mean()), float(predicted.var(ddof=1)) if total > 1 else 0.0
    size = max(float(np.abs(human).max()), float(np.abs(predicted).max()))
    variance = variance if variance > (SLACK * size) ** 2 else 0.0
    top = total / (total - n) if total > n else math.inf

    of_sample = float(predicted[judged].mean())
    h, f = human - alone.value, predicted[judged] - of_sample
    away = mean - of_sample

    def moved(count: int, by_h: Floats, by_f: Floats, products: Floats) -> tuple[Floats, Floats]:
        """λ, and how far the estimate is from the mean of the human values, from sums over so many queries."""
        together = products / count - by_h / count * (by_f / count)
        tuning = np.clip(together / variance, 0.0, top) if variance else np.zeros_like(together)
        return tuning, by_h / count + tuning * (away - by_f / count)

    terms = h, f, h * f
    wholes = [np.asarray(each.sum()) for each in terms]
    tuning, apart = (float(each) for each in moved(n, *wholes))
    value = alone.value + apart
    if n < 2:
        return Corrected(alone, mean, tuning, Ratio(value, None, n), 0.0, share)
    without = moved(n - 1, *(whole - each for whole, each in zip(wholes, terms, strict=True)))[1]
    rest = h - tuning * f
    together = float(rest @ f) / (n - 1)
    others = max(0.0, tuning**2 * variance + 2 * tuning * together) / total
    squares = (n - 1) / n * float(((without - without.mean()) ** 2).sum()) + others
    if cluster is not None:
        added = parts(human, predicted, judged, tuning)
        sums = np.bincount(cluster, weights=added)
        known = len(np.unique(cluster[judged]))
        if known < 2:
            return Corrected(alone, mean, tuning, Ratio(value, None, n), 0.0, share)
        alike = float((sums**2).sum() / (added**2).sum()) if added.any() else 1.0
        alike *= known / (known - 1) * (n - 1) / n
        squares, others = squares * alike, others * alike
    error = math.sqrt(squares)
    error = error if error > SLACK * size else 0.0
    return Corrected(alone, mean, tuning, Ratio(value, error, n, alone.degrees), others, share)


def parts(human: Floats, predicted: Floats, judged: Ints, tuning: float) -> Floats:
    """(N,) what each query adds to the error of a corrected mean, to first order: λ(f - F̄)/N, and of a judged query
    h - λf less its mean, over n, as well. The correlations of two estimates are those of their parts."""
    rest = human - tuning * predicted[judged]
    found: Floats = tuning * (predicted - predicted.mean()) / len(predicted)
    found[judged] += (rest - float(rest.mean())) / len(rest)
    return found


def by_parts(t: Floats, parts: Floats, degrees: float, plan: Plan) -> Floats:
    """Adjusted p-values of several estimates, by the multivariate t distribution with their correlations: they are no
    means of paired differences, whose signs could be flipped.

    In the order of the |t|, the largest first, p of the first is the chance that the largest |T| of all reaches its
    |t|; of the next, that the largest but that of the first does, and so on; none is less than the one before it. Of m
    random draws with b that reach it p is (b + 1)/(m + 1).

    Hothorn, Bretz and Westfall, Simultaneous Inference in General Parametric Models, Biometrical Journal 50(3), 2008.

    Parameters
    ----------
    t : (k,) array
        Each estimate in its standard error.
    parts : (n, k) array
        What each query adds to the error of each estimate; none is 0 for all queries.
    degrees : float
        The degrees of freedom of all t.
    plan : Plan
        Its `samples` and `seed`.

    Returns
    -------
    (k,) array
        Two-sided, in the order of the estimates.
    """
    directions = parts / np.linalg.norm(parts, axis=0)
    values, vectors = np.linalg.eigh(directions.T @ directions)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T  # which is the same whatever the vectors' signs
    order = np.argsort(-np.abs(t), kind="stable")
    reached, beyond = np.abs(t)[order], np.zeros(len(t), dtype=np.int64)
    random, rows = np.random.Generator(np.random.PCG64(plan.seed)), max(1, BLOCK // len(t))
    for begin in range(0, plan.samples, rows):
        size = min(rows, plan.samples - begin)
        scale = np.sqrt(random.chisquare(degrees, size) / degrees)
        drawn = np.abs(random.standard_normal((size, len(t))) @ root)[:, order] / scale[:, None]
        beyond += (np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1] >= reached).sum(axis=0)
    p = np.empty(len(t))
    p[order] = np.maximum.accumulate((beyond + 1) / (plan.samples + 1))
    return p


def queries_needed(
    error: float, of_all: float, judged: int, most: int, width: float, confidence: float, share: float, largest: float
) -> int | None:
    """How many of `most` queries have to be judged for an interval at most `width` wide, from end to end; None where
    all are too few.

    With n judged queries the squared error is taken for (e² - v)·m/n + v, e² being that of the m queries `judged` and v
    `of_all`. If all are judged, it is then that of human values alone. The interval is wider by the `unseen_error` of a
    `share` of the queries that differ.
    """
    reach = (error**2 - of_all) * judged

    def wide(n: int) -> bool:
        more = unseen_error(n, n * share, largest)
        return 2 * quantile(n, confidence) * math.sqrt(reach / n + of_all + more**2) > width

    low, high = 1, most  # low is too few
    if most < 2 or wide(most):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return high


def favour(differences: Floats, cluster: Ints | None = None) -> list[Ratio]:
    """How far the bias of each run is from the mean bias of the others, of (n, k) human less predicted values, a column
    for each of at least two runs. Below 0 the predictions favour that run: they are too high for it, compared with the
    others. Two runs have the same value with opposite signs."""
    k = differences.shape[1]
    apart = (differences - differences.mean(axis=1, keepdims=True)) * (k / (k - 1))
    return [mean_of(column, cluster) for column in apart.T]


def chosen(predicted: Floats, judged: Ints, cluster: Ints | None = None) -> float | None:
    """p of Welch's test that the judged queries have the mean predicted value of those that are not judged, (N,) values
    of all. Small where the sample was chosen, and not drawn at random. None with fewer than two of either kind, and
    where neither varies. With clusters it is that of a t test that the mean of the judged queries is the mean of all.
    """
    if cluster is not None:
        found = mean_of(predicted[judged] - predicted.mean(), cluster[judged])
        return p_of_zero(found) if found.error else None
    sampled = np.zeros(len(predicted), dtype=bool)
    sampled[judged] = True
    one, other = (mean_of(predicted[which]) for which in (sampled, ~sampled))
    return difference(one, other, 0.95).p
