"""Options of commands that test for significance, which become a `irev.statistics.plan.Plan`, and runs as systems."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from irev.analysis.comparison.defaults import DEFAULT_MEASURES, policy_of
from irev.base.records import dataclass
from irev.base.text import REAL
from irev.cli.idle import refuse_idle, refuse_idle_scales
from irev.cli.options import SEED, F, Running, WholeNumber, measure_option, taken
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

    from irev.analysis.comparison.alignment import Aligned, Quantity, System
    from irev.base.settings import Settings
    from irev.evaluation.result import Input


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


MEASURES = (
    measure_option("A measure. Repeat it for more. Default: AP and nDCG@10; of saved results, all that they share."),
)
"""What runs are compared by."""

AGAINST = (
    click.option("--baseline", metavar="NAME", help="The run that the others are compared with. Default: the first."),
    click.option("--all-pairs", is_flag=True, help="Compare all runs with each other."),
)
"""Which runs are compared."""


@dataclass(frozen=True)
class Against:
    """What the options of `AGAINST` say."""

    baseline: str | None
    all_pairs: bool

    def require_one(self, ctx: click.Context) -> None:
        """Raise `click.UsageError` for options that exclude each other."""
        if self.all_pairs and self.baseline is not None:
            raise click.UsageError("--all-pairs has no --baseline", ctx)

    def first(self, aligned: Aligned, files: Sequence[str], ctx: click.Context) -> int | None:
        """The place of the run that others are held against, by its name or its file; None for all pairs."""
        if self.baseline is None:
            return None if self.all_pairs else 0
        return place_of(self.baseline, aligned.runs, files, ctx)


def place_of(run: str, runs: Sequence[str], files: Sequence[str], ctx: click.Context) -> int:
    """The place of a run by its name or its file. Raises `click.UsageError` where there is none."""
    for known in (runs, files):
        if run in known:
            return list(known).index(run)
    from irev.base.registry import did_you_mean

    near = did_you_mean(run, runs, f"there are {', '.join(runs)}")
    raise click.UsageError(f"there is no run '{run}'; {near}", ctx)


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

POWER = share_option(
    "--power",
    default=0.8,
    meaning="Probability of finding a difference that is there, for the number of queries that takes.",
)

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

SCORES = (
    click.option(
        "--scores",
        is_flag=True,
        help="The files hold values of single queries, not judgments and runs. Records of irev, lines of `trec_eval -q`"
        " and tables with a header are recognised without it; lines of a query and its value are not.",
    ),
)
"""Where values of single queries come from."""


def plan_of(choices: dict[str, Any]) -> Plan:
    """The plan that the options of `TESTING` ask for, which are taken out."""
    tests = tuple(dict.fromkeys(name for words in choices.pop("tests") for name in words))
    plan = taken(Plan, choices)
    return replace(plan, tests=tests or default_tests(plan.correction))


def refuse_idle_tests(ctx: click.Context, plan: Plan, against: Against) -> None:
    """Raise `click.UsageError` for options of tests and samples that are none of the plan's."""
    for why, names in idle(plan, against.all_pairs):
        refuse_idle(ctx, why, *names)


class Gathered(NamedTuple):
    """Systems, and where they are from.

    Attributes
    ----------
    systems : tuple of System
    quantities : tuple of Quantity
        What to compare by.
    policy : str
        Which queries count, in words.
    inputs : tuple of Input
    files : tuple of str
        The file of each system.
    notes : tuple of str
        What makes a comparison doubtful.
    """

    systems: tuple[System, ...]
    quantities: tuple[Quantity, ...]
    policy: str
    inputs: tuple[Input, ...]
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


def gather(
    ctx: click.Context,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    settings: Settings,
    running: Running,
    scores: bool,
) -> Gathered:
    """The runs that a command is given as systems: judgments and runs are evaluated, saved scores are read."""
    from irev.analysis.comparison.systems import hold_scores, policy_of_saved, read, wanted
    from irev.cli.streams import warn

    if not files:
        raise click.UsageError("expected QRELS and RUNs, or saved results", ctx)
    if scores or hold_scores(files):
        if not (settings.queries == "both"):
            raise click.UsageError("of saved results count all queries, or those that all have (--queries both)", ctx)
        refuse_evaluating(ctx)
        refuse_idle(ctx, "saved results are not evaluated again", "on")
        saved = read(files, running.names_given, warn)
        for note in saved.notes:
            warn(note)
        counting = policy_of_saved(saved.systems, not settings.complete)
        quantities = wanted(saved.systems, measures)
        return Gathered(saved.systems, quantities, counting, saved.inputs, saved.files, saved.notes)
    return _evaluated(ctx, files, measures, settings, running)


def refuse_evaluating(ctx: click.Context) -> None:
    """Raise `UsageError` for an option that changes values, since those of saved results stay as they are."""
    from dataclasses import fields

    from irev.base.settings import Settings

    changing = {each.name for each in fields(Settings)} - {"queries", "complete"}
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if parameter.name in changing and given:
            option = next(opt for opt in parameter.opts if opt.startswith("--"))
            fact = f"{option} cannot change results that were saved"
            raise click.UsageError(f"{fact}; give judgments and runs, or leave it out", ctx)


def _evaluated(
    ctx: click.Context,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    settings: Settings,
    running: Running,
) -> Gathered:
    from irev import measures as catalogue
    from irev.analysis.comparison.systems import asked, holds_pairs, left_out_measures, of_outcome
    from irev.cli.evaluating import evaluate_runs, files_of, note_runs
    from irev.cli.streams import warn
    from irev.evaluation.scores import suited

    sets, runs = files_of(files, (), ctx)
    if settings.qrels_format is None and holds_pairs(files[0]):
        fact = f"'{files[0]}' has lines of a query and a value, which are no judgments"
        raise click.UsageError(f"{fact}; say --scores to compare values", ctx)
    quantities = asked(measures or DEFAULT_MEASURES, settings.compat)
    requests = catalogue.parse(measures or DEFAULT_MEASURES, settings.compat, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    notes = tuple(left_out_measures(requests, quantities))
    for note in notes:
        warn(note)
    evaluated = evaluate_runs(sets, runs, requests, settings, running, digest=True)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    systems = tuple(of_outcome(outcome) for outcome in evaluated.outcomes)
    return Gathered(systems, quantities, policy_of(settings, _shared(settings)), evaluated.inputs, runs, notes)


def _shared(settings: Settings) -> bool:
    """Whether queries that not all runs have are left out."""
    return settings.queries == "both" and not settings.complete


def comparable(gathered: Gathered, settings: Settings) -> Aligned:
    """The systems on the same queries, with a word on those that do not count, or count as 0."""
    from irev.analysis.comparison.alignment import align
    from irev.cli.notes import note_filled

    aligned = align(gathered.systems, gathered.quantities, both=_shared(settings))
    note_filled(aligned)
    return aligned
