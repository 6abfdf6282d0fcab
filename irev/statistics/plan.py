"""The choices that a statistical analysis makes, as one record, and the words that they can be.

The words stand here and nowhere else, as types, so that the options of a command and the Python interface have them
without numpy; the tables of tests, intervals and corrections have what is behind each.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Literal, get_args

from irev.base.choice import OpenShare, Real, Whole, Word, Words, choice
from irev.base.records import dataclass

TEST_NAMES = ("bootstrap", "randomization", "sign", "t", "wilcoxon")
"""Paired tests, which are in the table `irev.statistics.paired.TESTS`."""

IntervalKind = Literal["t", "percentile", "bca"]
INTERVAL_NAMES: tuple[IntervalKind, ...] = get_args(IntervalKind)
"""Kinds of intervals, which are in the table `irev.statistics.intervals.INTERVALS`."""

OfValues = Literal["holm", "bonferroni", "bh", "by", "none"]
OF_VALUES: tuple[OfValues, ...] = get_args(OfValues)
"""Corrections that take p-values and nothing else: `irev.statistics.corrections.CORRECTIONS`."""

Joint = Literal["max-t", "tukey"]
JOINT: tuple[Joint, ...] = get_args(Joint)
"""Corrections that take the values of all runs, and are tests of their own."""

MAX_T, TUKEY = JOINT
CORRECTION_NAMES = (*JOINT, *OF_VALUES)

OF_MEANS = ("t", "randomization")
"""The tests that the maximum-t method corrects: flipping signs, both order samples alike."""

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
"""Run minus baseline differs from 0, is greater, is less."""

Family = Literal["measure", "all"]
FAMILIES: tuple[Family, ...] = get_args(Family)
"""Which tests a correction counts together: those of one measure, or all."""


@dataclass(frozen=True)
class Plan:
    """How runs are compared. What each choice says, and what it may be, stands beside it.

    Attributes
    ----------
    tests : tuple of str
        The first one decides. Of whom names none it is the randomisation test where Tukey's correction is asked for,
        which is one, and the t-test elsewhere.
    alternative : str
        Said of run minus baseline. Intervals are always two-sided.
    seed : int
        The same seed gives the same result, whatever else is computed.
    samples : int
        Of tests and intervals that draw them.
    correction : str, optional
        None is none for one test, the maximum-t method for all pairs of runs by tests that are `OF_MEANS`, and else
        Holm's.
    """

    tests: tuple[str, ...] = choice(
        (),
        "a paired test, or several: repeat it, or separate them by commas. Default: t",
        Words(TEST_NAMES),
        "--test",
        several=True,
        heading="Significance",
    )
    alternative: str = choice(
        "two-sided", "what the tests look for in run minus baseline", Word(ALTERNATIVES), heading="Significance"
    )
    interval: str = choice(
        "t",
        "kind of intervals; percentile and bca are bootstrap intervals",
        Word(INTERVAL_NAMES),
        heading="Significance",
    )
    confidence: float = choice(0.95, "confidence level of the intervals", OpenShare(), heading="Significance")
    alpha: float = choice(0.05, "the largest p-value that is significant", OpenShare(), heading="Significance")
    correction: str | None = choice(
        None,
        "how p-values of several tests are corrected. Default: max-t for all pairs, else holm",
        Word(CORRECTION_NAMES),
        heading="Significance",
    )
    family: str = choice(
        "measure",
        "the tests that are corrected together: those of each measure, or all",
        Word(FAMILIES),
        heading="Significance",
    )
    margin: float | None = choice(
        None, "also test whether runs differ by less than this", Real(open_ends=True), heading="Significance"
    )
    seed: int = choice(0, "random seed", Whole(), heading="Significance")
    samples: int = 100_000

    def __post_init__(self) -> None:
        if not self.tests:
            object.__setattr__(self, "tests", ("randomization",) if self.correction == TUKEY else ("t",))


def plan_alone(choices: Plan) -> Plan:
    """The plan of choices that are more than that."""
    return Plan(**{each.name: getattr(choices, each.name) for each in fields(Plan)})
