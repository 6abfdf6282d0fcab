"""Options of commands that test for significance, which become a `irev.statistics.plan.Plan`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.base.records import dataclass
from irev.base.text import REAL
from irev.doors.cli.idle import refuse_idle
from irev.doors.cli.options import SEED, F, WholeNumber, options_of, pick
from irev.questions.systems import Contrasts
from irev.statistics.plan import (
    ALTERNATIVES,
    CORRECTION_NAMES,
    FAMILIES,
    INTERVAL_NAMES,
    TEST_NAMES,
    WILCOXON,
    ZEROS,
    Plan,
    default_tests,
    idle,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Number(click.ParamType[float]):
    """A decimal number, within limits, which may or may not be reached."""

    name = "number"

    def __init__(self, least: float = 0.0, most: float = float("inf"), open_ends: bool = False) -> None:
        self.least, self.most, self.open = least, most, open_ends

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int | float):
            return float(value)
        if not re.fullmatch(REAL, value, re.ASCII):
            self.fail(f"'{value}' is not a number", param, ctx)
        number = float(value)
        inside = self.least < number < self.most if self.open else self.least <= number < self.most
        if not inside:
            limits = f"above {self.least:g}" if self.open else f"of {self.least:g} or more"
            upper = "" if self.most == float("inf") else f" and below {self.most:g}"
            self.fail(f"{value} is no number {limits}{upper}", param, ctx)
        return number


class WordList(click.ParamType[tuple[str, ...]]):
    """One or several of some words, with commas between them."""

    name = "words"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "|".join(self.words)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """The words that are not there yet, behind those that are."""
        from click.shell_completion import CompletionItem  # slow to import

        before, comma, last = incomplete.rpartition(",")
        left = [word for word in self.words if word.startswith(last) and word not in before.split(",")]
        return [CompletionItem(before + comma + word) for word in left]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        for word in value.split(","):
            if word not in self.words:
                from irev.base.registry import did_you_mean

                near = did_you_mean(word, self.words, f"there are {', '.join(self.words)}")
                self.fail(f"there is no '{word}'; {near}", param, ctx)
        return tuple(value.split(","))


MEASURES = options_of(Contrasts, "measures")
"""What runs are compared by."""

AGAINST = options_of(Contrasts, "baseline", "all_pairs")
"""Which runs are compared."""

SCORES = options_of(Contrasts, "scores")
"""Where values of single queries come from."""

(POWER,) = options_of(Contrasts, "power")


@dataclass(frozen=True)
class Against:
    """What the options of `AGAINST` say."""

    baseline: str | None
    all_pairs: bool

    def require_one(self, ctx: click.Context) -> None:
        """Raise `click.UsageError` for options that exclude each other."""
        if self.all_pairs and self.baseline is not None:
            raise click.UsageError("--all-pairs has no --baseline", ctx)

    def first(self, runs: Sequence[str], files: Sequence[str]) -> int | None:
        """The place of the run that others are held against, by its name or its file; None for all pairs."""
        from irev.analysis.comparison.systems import place_of

        if self.baseline is None:
            return None if self.all_pairs else 0
        return place_of(self.baseline, runs, files)


def share_option(*names: str, default: float, meaning: str, metavar: str = "SHARE") -> Callable[[F], F]:
    """An option for a number between 0 and 1, neither of which it may be; `meaning` is its help."""
    return click.option(
        *names,
        metavar=metavar,
        type=Number(0, 1, open_ends=True),
        default=default,
        show_default=True,
        help=meaning,
    )


def choice_option(*names: str, words: Sequence[str], default: str, meaning: str) -> Callable[[F], F]:
    """An option for one of some words."""
    return click.option(*names, type=click.Choice(words), default=default, show_default=True, help=meaning)


ALPHA = share_option("--alpha", default=0.05, meaning="Up to which p-value a difference is significant.")

RESAMPLING = (
    click.option(
        "--samples",
        metavar="N",
        type=WholeNumber(1),
        default=100_000,
        show_default=True,
        help="Samples of tests and intervals that draw them.",
    ),
    SEED,
)
"""How samples are drawn."""

CONFIDENCE = share_option("--confidence", default=0.95, meaning="Confidence level of the intervals.")

TIE_TOLERANCE = click.option(
    "--tie-tolerance",
    metavar="D",
    type=Number(),
    default=0.0,
    show_default=True,
    help="Differences of a query up to this are ties, in wins and losses, and in the Wilcoxon and sign tests.",
)

TESTING = (
    click.option(
        "--test",
        "tests",
        type=WordList(TEST_NAMES),
        multiple=True,
        help="A paired test, or several: repeat it, or write commas. Default: t.",
    ),
    choice_option(
        "--alternative",
        words=ALTERNATIVES,
        default="two-sided",
        meaning="What the tests are to show of run minus baseline.",
    ),
    choice_option(
        "--interval",
        words=INTERVAL_NAMES,
        default="t",
        meaning="How the intervals of means and differences are made; percentile and bca are bootstrap ones.",
    ),
    CONFIDENCE,
    click.option(
        "--simultaneous",
        is_flag=True,
        help="Make the intervals of differences so wide that all hold together with that confidence.",
    ),
    ALPHA,
    click.option(
        "--correction",
        type=click.Choice(CORRECTION_NAMES),
        help="How p-values of several tests are corrected. Default: max-t for all pairs, else holm.",
    ),
    choice_option(
        "--family",
        words=FAMILIES,
        default="measure",
        meaning="The tests that are corrected together: those of each measure, or all.",
    ),
    TIE_TOLERANCE,
    choice_option("--zeros", words=ZEROS, default="drop", meaning="What the Wilcoxon test does with differences of 0."),
    choice_option(
        "--wilcoxon",
        words=WILCOXON,
        default="auto",
        meaning="Whether the Wilcoxon test is exact or uses the normal approximation; auto: exact up to 50 queries.",
    ),
    click.option(
        "--margin",
        metavar="D",
        type=Number(open_ends=True),
        help="Also test whether runs differ by less than this.",
    ),
    *RESAMPLING,
)
"""How differences are tested."""


def plan_of(choices: dict[str, Any]) -> Plan:
    """The plan that the options of `TESTING` ask for, which are taken out."""
    tests = tuple(dict.fromkeys(name for words in choices.pop("tests") for name in words))
    plan = pick(Plan, choices)
    return replace(plan, tests=tests or default_tests(plan.correction))


def refuse_idle_tests(ctx: click.Context, plan: Plan, against: Against) -> None:
    """Raise `click.UsageError` for options of tests and samples that are none of the plan's."""
    for why, names in idle(plan, against.all_pairs):
        refuse_idle(ctx, why, *names)
