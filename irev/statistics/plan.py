"""The choices that a statistical analysis makes, as one record, and the words that they can be."""

from __future__ import annotations

from dataclasses import dataclass

ALTERNATIVES = ("two-sided", "greater", "less")
"""Run minus baseline differs from 0, is greater, is less."""

ZEROS = ("drop", "pratt", "split")
"""What the signed-rank test does with differences of zero."""

WILCOXON = ("auto", "exact", "normal")
"""Where the p-value of the signed-rank test comes from."""

FAMILIES = ("measure", "all")
"""Which tests a correction counts together: those of one measure, or all."""


@dataclass(frozen=True)
class Plan:
    """How runs are compared.

    Attributes
    ----------
    tests : tuple of str
        Names in `irev.statistics.paired.TESTS`; the first one decides.
    alternative : str
        One of `ALTERNATIVES`, said of run minus baseline. Intervals are always two-sided.
    samples : int
        Random samples of a test or interval that resamples.
    seed : int
        Of the random numbers. The same seed gives the same result, whatever else is computed.
    interval : str
        Name in `irev.statistics.intervals.INTERVALS`.
    confidence : float
        Of the intervals, between 0 and 1.
    correction : str, optional
        Name in `irev.statistics.families.CORRECTIONS`; None is Holm's in a family of more than two tests, else none.
    alpha : float
        Level at which a (corrected) p-value counts as significant.
    tie_tolerance : float
        Differences of at most this size are ties, for wins and losses, the sign test and the signed-rank test.
    zeros : str
        One of `ZEROS`.
    wilcoxon : str
        One of `WILCOXON`; ``auto`` is exact for up to 50 non-zero differences.
    margin : float, optional
        Differences smaller than this do not matter: the margin of equivalence.
    family : str
        One of `FAMILIES`.
    """

    tests: tuple[str, ...] = ("t",)
    alternative: str = "two-sided"
    samples: int = 100_000
    seed: int = 0
    interval: str = "t"
    confidence: float = 0.95
    correction: str | None = None
    alpha: float = 0.05
    tie_tolerance: float = 0.0
    zeros: str = "drop"
    wilcoxon: str = "auto"
    margin: float | None = None
    family: str = "measure"
