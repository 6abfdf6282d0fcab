"""The choices that a statistical analysis makes, as one record, and the words that they can be.

The words stand here and nowhere else, as types, so that the options of a command and the Python interface have them
without numpy; the tables of tests, intervals and corrections have what is behind each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from irev.base.records import dataclass

Test = Literal["t", "randomization", "bootstrap", "wilcoxon", "sign"]
TEST_NAMES: tuple[Test, ...] = get_args(Test)
"""Paired tests, each a module of `irev.statistics.paired_tests`; their table is `irev.statistics.paired.TESTS`."""

IntervalKind = Literal["t", "percentile", "bca"]
INTERVAL_NAMES: tuple[IntervalKind, ...] = get_args(IntervalKind)
"""Kinds of intervals, which are in the table `irev.statistics.intervals.INTERVALS`."""

SAMPLED = ("randomization", "bootstrap", "percentile", "bca")
"""Tests and intervals that draw samples."""

OfValues = Literal["holm", "bonferroni", "bh", "by", "none"]
OF_VALUES: tuple[OfValues, ...] = get_args(OfValues)
"""Corrections that take p-values and nothing else: `irev.statistics.corrections.CORRECTIONS`."""

Joint = Literal["max-t", "tukey"]
JOINT: tuple[Joint, ...] = get_args(Joint)
"""Corrections that take the values of all runs, and are tests of their own."""

MAX_T, TUKEY = JOINT
CORRECTION_NAMES = (*JOINT, *OF_VALUES)

OF_MEANS: tuple[Test, ...] = ("t", "randomization")
"""The tests that the maximum-t method corrects: flipping signs, both order samples alike."""

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
"""Run minus baseline differs from 0, is greater, is less."""

Zeros = Literal["drop", "pratt", "split"]
ZEROS: tuple[Zeros, ...] = get_args(Zeros)
"""What the signed-rank test does with differences of zero."""

Wilcoxon = Literal["auto", "exact", "normal"]
WILCOXON: tuple[Wilcoxon, ...] = get_args(Wilcoxon)
"""Where the p-value of the signed-rank test comes from."""

Family = Literal["measure", "all"]
FAMILIES: tuple[Family, ...] = get_args(Family)
"""Which tests a correction counts together: those of one measure, or all."""


def default_tests(correction: str | None) -> tuple[Test, ...]:
    """The tests of whom does not name any: Tukey's is a randomisation test, and nobody should have to say so twice."""
    return ("randomization",) if correction == TUKEY else ("t",)


@dataclass(frozen=True)
class Plan:
    """How runs are compared.

    Attributes
    ----------
    tests : tuple of str
        Some of `TEST_NAMES`; the first one decides.
    alternative : str
        One of `ALTERNATIVES`, said of run minus baseline. Intervals are always two-sided.
    samples : int
        Random samples of a test or interval that resamples.
    seed : int
        Of the random numbers. The same seed gives the same result, whatever else is computed.
    interval : str
        One of `INTERVAL_NAMES`.
    confidence : float
        Of the intervals, between 0 and 1.
    simultaneous : bool
        Whether the confidence is that of all intervals of differences in a family to hold together: by the maximum-t
        method where that corrects and the interval is ``t``, else by Bonferroni's.
    correction : str, optional
        One of `CORRECTION_NAMES`; None is none for one test, the maximum-t method for all pairs of runs by tests that
        are `OF_MEANS`, and else Holm's.
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
    simultaneous: bool = False
    correction: str | None = None
    alpha: float = 0.05
    tie_tolerance: float = 0.0
    zeros: str = "drop"
    wilcoxon: str = "auto"
    margin: float | None = None
    family: str = "measure"


def idle(plan: Plan, all_pairs: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The choices that change nothing under a plan, and why."""
    if "wilcoxon" not in plan.tests:
        yield "it is for --test wilcoxon", ("zeros", "wilcoxon")
    joint = plan.correction in JOINT or (all_pairs and plan.correction is None)
    if not joint and not {plan.interval, *plan.tests} & {*SAMPLED}:
        yield "none of the tests and intervals draws samples", ("samples", "seed")
