"""What differences of queries say of their mean when noise is symmetric, Student's t: the posterior, by quadrature.

d_i = μ + σ t_i, where t_i has Student's distribution with ν degrees of freedom. Priors: flat for μ and log σ, so that
no scale is preferred, and ν - 1 exponential with mean 29, which is half normal-like noise and half heavy tails. That is
the model of Kruschke, Bayesian Estimation Supersedes the t Test, Journal of Experimental Psychology: General 142(2),
2013, for one group; what it answers is what is asked for in retrieval by Carterette, Bayesian Inference for Information
Retrieval Evaluation, ICTIR 2015, and Sakai, The Probability That Your Hypothesis Is Correct, Credible Intervals, and
Effect Sizes for IR Evaluation, SIGIR 2017.

With a = σ √ν the likelihood is Π Γ((ν+1)/2) / (Γ(ν/2) √π a) · (1 + ((d_i - μ)/a)²)^(-(ν+1)/2): the data are in one sum
of logarithms, whatever ν is. The integral over log a is a trapezoid's, that over log ν Gauss and Legendre's, and that
over μ adaptive, on a scale of hyperbolic sines; 0, the margin and tied differences are ends of its parts.

μ is the centre of the noise, and the mean difference only where noise is symmetric. Where differences are skewed, noise
is normal instead: with the same flat priors (mean - μ)/(s/√n) then has Student's t distribution with n - 1 degrees of
freedom (Gelman et al., Bayesian Data Analysis, 3rd edition, 2013, section 3.2), which is about the mean.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.statistics import special
from irev.statistics.effects import skewness
from irev.statistics.intervals import quantile
from irev.statistics.paired import CONSTANT
from irev.statistics.rounding import begins, restored, scaled

MEAN_FREEDOM = 29.0
"""The mean of ν - 1, as Kruschke has it."""

LEAST = 3
"""Queries that it takes."""

SKEWED = 2
"""Differences are skewed where their skewness is as many standard errors, √(6/n) each. At 4, an exponential less its
mean made the posterior of 25 queries sure of a sign in 14 of 100 cases, at 2 in 9, as Student's t test does.
`queries_wanted` has another rule, for warnings: as a choice of noise it would make the posterior too sure of a sign."""

NORMAL = "the differences are skewed, so this is the posterior of the mean under normal noise"

NEAREST = 1e-15
"""Differences that lie closer together, as a share of all that they span, are lost in it to quadrature."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_TOLERANCE = 1e-9
_EACH = 8
"""Scales are looked at in such steps first, and in single ones where the density is."""


class Posterior(NamedTuple):
    """What is believed of the mean difference.

    Attributes
    ----------
    median, low, high : float or None
        The median, and the ends of an interval that leaves as much probability below as above it.
    better : float or None
        The probability that the mean difference is above 0.
    beyond : float or None
        That it is above the margin; None without one.
    note : str
        Why there is none, or `NORMAL`.
    """

    median: float | None
    low: float | None
    high: float | None
    better: float | None
    beyond: float | None
    note: str = ""


class _GridPart(NamedTuple):
    """A part of the scale of μ: its ends on the scale of sines, the densities at its nodes, and the sum."""

    low: float
    high: float
    density: Floats
    mass: float


def posterior(
    differences: Floats, confidence: float = 0.95, margin: float | None = None, unseen: float = 0.0
) -> Posterior:
    """The posterior of the mean of n differences.

    With an error that is `intervals.unseen` it is stretched about its median, so that its interval is
    `intervals.widened`; under normal noise the scale is √(s²/n + unseen²).

    Fewer than 3 differences, or such as are not finite, have none. Where half of them or more are equal there is none
    either: with ν = 1 the density then grows without bound towards them. Differences that differ by rounding are equal.
    """
    if len(differences) < LEAST:
        return Posterior(None, None, None, None, None, "fewer than three queries")
    if not np.isfinite(differences).all():
        return Posterior(None, None, None, None, None, "a difference is not a finite number")
    small, exponent = scaled(differences)
    within = None if margin is None else float(restored(np.array(margin), -exponent))
    found = _posterior(small, confidence, within, float(np.ldexp(unseen, -int(exponent))))
    median, low, high = (None if end is None else float(restored(np.array(end), exponent)) for end in found[:3])
    return found._replace(median=median, low=low, high=high)


def _posterior(differences: Floats, confidence: float, margin: float | None, unseen: float) -> Posterior:
    """The posterior of differences that are brought to a size at which nothing overflows."""
    ordered = np.sort(differences)
    starts = np.flatnonzero(begins(ordered))
    values, counts = ordered[starts], np.diff(np.append(starts, len(ordered)))
    if len(values) == 1:
        return Posterior(None, None, None, None, None, CONSTANT)
    if 2 * counts.max() >= len(differences):
        return Posterior(None, None, None, None, None, "half of the differences or more are equal")
    unit = float(values[-1] - values[0])  # so that no square is too large or too small
    if float(np.diff(values).min()) < NEAREST * unit:
        return Posterior(None, None, None, None, None, "the differences are too far apart in size")
    if abs(skewness(differences) or 0.0) >= SKEWED * math.sqrt(6 / len(differences)):
        return _normal(differences / unit, unit, confidence, margin, unseen / unit)
    marginal = _Marginal(values / unit, counts.astype(np.float64))
    limits = [0.0] if margin is None else [0.0, margin / unit]
    ties = (values[counts > 1] / unit).tolist()
    parts = marginal.parts([*ties, *limits])
    total = math.fsum(part.mass for part in parts)
    tail = (1 - confidence) / 2
    low, median, high = (marginal.quantile(parts, share * total) for share in (tail, 0.5, 1 - tail))
    if unseen:
        half = (high - low) / 2
        stretch = math.hypot(half, quantile(len(differences), confidence) * unseen / unit) / half
        low, high, *limits = (
            *(median + (end - median) * stretch for end in (low, high)),
            *(median + (limit - median) / stretch for limit in limits),
        )
        parts = marginal.parts([*ties, *limits])
    total = math.fsum(part.mass for part in parts)
    better, *beyond = (marginal.above(parts, limit) / total for limit in limits)
    return Posterior(median * unit, low * unit, high * unit, better, beyond[0] if beyond else None)


def _normal(values: Floats, unit: float, confidence: float, margin: float | None, unseen: float) -> Posterior:
    """The posterior under normal noise of differences in such units."""
    n, mean = len(values), float(values.mean())
    error = math.hypot(float(values.std(ddof=1)) / math.sqrt(n), unseen)
    reach = quantile(n, confidence) * error
    better, beyond = (float(special.stdtr(n - 1, (mean - limit / unit) / error)) for limit in (0.0, margin or 0.0))
    ends = (mean * unit, (mean - reach) * unit, (mean + reach) * unit)
    return Posterior(*ends, better, None if margin is None else beyond, NORMAL)


class _Marginal:
    """The density of μ given k different values and how often each is there, but for a factor."""

    def __init__(self, values: Floats, counts: Floats) -> None:
        self._values, self._counts, self._n = values, counts, float(counts.sum())
        self._centre, scale = self._location()
        self._scale = scale / math.sqrt(self._n)
        self._most = max(3.2, 2.5 + 22 / (self._n - 1))  # beyond it, tails of order n - 1 are nothing
        self._freedom, self._of_freedom = self._freedoms()
        self._top: float | None = None

    def _location(self) -> tuple[float, float]:
        """A centre and a scale that outliers do not move much: a few steps towards the mode with ν = 4."""
        values, counts = self._values, self._counts
        centre = float(np.median(np.repeat(values, counts.astype(int))))
        scale = float(np.sqrt((counts * (values - centre) ** 2).sum() / self._n))
        for _ in range(50):
            weight = counts * 5 / (4 + ((values - centre) / scale) ** 2)
            centre = float((weight * values).sum() / weight.sum())
            scale = float(np.sqrt((weight * (values - centre) ** 2).sum() / self._n))
        return centre, scale

    def _freedoms(self) -> tuple[Floats, Floats]:
        """Degrees of freedom, and the logarithm of what each weighs."""
        highest = math.log(1 + 25 * MEAN_FREEDOM)
        parts = math.ceil(highest / min(0.6, 8 / math.sqrt(self._n)))
        nodes, weights = np.polynomial.legendre.leggauss(10)
        width = highest / parts
        log_freedom = ((np.arange(parts) + 0.5)[:, None] * width + nodes * width / 2).ravel()
        freedom = np.exp(log_freedom)
        prior = np.log(np.tile(weights, parts) * width / 2) + log_freedom - (freedom - 1) / MEAN_FREEDOM
        constant = special.gammaln((freedom + 1) / 2) - special.gammaln(freedom / 2)
        return freedom, prior + self._n * (constant - constant[-1])

    def x(self, mean: float) -> float:
        """A mean on the scale of sines, within its ends."""
        return min(max(math.asinh((mean - self._centre) / self._scale), -self._most), self._most)

    def _density(self, x: Floats) -> Floats:
        """(m,) The density at places of the scale of sines."""
        means = self._centre + self._scale * np.sinh(x)
        square = (self._values - means[:, None]) ** 2
        spread = np.sqrt((self._counts * square).sum(axis=1) / self._n)
        order = np.argsort(square, axis=1)
        below = np.cumsum(self._counts[order], axis=1) < self._n / 2
        middle = np.sqrt(np.take_along_axis(square, order, axis=1)[np.arange(len(x)), below.sum(axis=1)])
        rate = self._n - 2 * float(self._counts.max())
        first = np.log(np.maximum(middle, 1e-150)) - 3 - 24 / rate
        last = np.log(spread) + 4 + 24 / self._n
        step = min(0.2, 1 / math.sqrt(2 * self._n))
        steps = int(np.ceil((last - first).max() / step))
        found = np.empty(len(x))
        for place in range(len(x)):
            log_a = first[place] + step * np.arange(steps + 1)
            seen = self._of_scales(square[place], log_a[::_EACH])
            counting = np.flatnonzero(seen > seen.max() - 32)
            within = slice(max(counting[0] - 1, 0) * _EACH, (counting[-1] + 1) * _EACH + 1)
            values = self._of_scales(square[place], log_a[within])
            top = float(values.max())
            found[place] = top + math.log(float(np.exp(values - top).sum()))
        if self._top is None:
            self._top = float(found.max())
        return np.exp(found - self._top) * np.cosh(x) * step

    def _of_scales(self, square: Floats, log_a: Floats) -> Floats:
        """(s,) For each scale the logarithm of the sum over degrees of freedom."""
        sums = np.log1p(square / np.exp(2 * log_a)[:, None]) @ self._counts
        table = self._of_freedom - sums[:, None] * ((self._freedom + 1) / 2)
        top = table.max(axis=1)
        found: Floats = top + np.log(np.exp(table - top[:, None]).sum(axis=1)) - self._n * log_a
        return found

    def parts(self, ends: list[float]) -> list[_GridPart]:
        """The density in parts that are fine enough, of which these means are ends."""
        edges = sorted({-self._most, self._most, *(self.x(end) for end in ends)})
        self._density(np.array([0.0]))
        waiting = []
        for low, high in pairwise(edges):
            count = max(1, math.ceil(high - low))
            cuts = np.linspace(low, high, count + 1).tolist()
            waiting += [self._part(one, other) for one, other in pairwise(cuts)]
        done: list[_GridPart] = []
        total = math.fsum(part.mass for part in waiting)
        while waiting:
            part = waiting.pop()
            middle = (part.low + part.high) / 2
            halves = [self._part(part.low, middle), self._part(middle, part.high)]
            if abs(halves[0].mass + halves[1].mass - part.mass) < _TOLERANCE * total or part.high - part.low < 1e-4:
                done += halves
            else:
                waiting += halves
        return sorted(done)

    def _part(self, low: float, high: float) -> _GridPart:
        half = (high - low) / 2
        density = self._density((low + high) / 2 + half * _NODES)
        return _GridPart(low, high, density, float((density * _WEIGHTS).sum() * half))

    def above(self, parts: list[_GridPart], mean: float) -> float:
        """How much of the density lies above a mean that is an end of parts."""
        return math.fsum(part.mass for part in parts if part.low >= self.x(mean))

    def quantile(self, parts: list[_GridPart], mass: float) -> float:
        """The mean below which so much of the density lies."""
        for part in parts:
            if part.mass >= mass:
                break
            mass -= part.mass
        half = (part.high - part.low) / 2
        degrees = np.arange(len(_NODES))
        terms = np.polynomial.legendre.legvander(_NODES, len(_NODES) - 1)
        series = (2 * degrees + 1) / 2 * (terms.T @ (_WEIGHTS * part.density))
        upto = np.polynomial.legendre.legint(series, lbnd=-1)
        low, high = -1.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if float(np.polynomial.legendre.legval(middle, upto)) * half < mass:
                low = middle
            else:
                high = middle
        return self._centre + self._scale * math.sinh((part.low + part.high) / 2 + half * low)
