"""The answer of ``irev seeds``: differences of systems for other queries and other random seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import ClassVar, NamedTuple

import numpy as np

from irev.base.errors import UsageError, option
from irev.base.records import dataclass
from irev.base.segments import Floats, mean, standard_deviation
from irev.base.text import counted, named, percent, real
from irev.evaluation.comparison import Aligned, Condensed, Measured, pairs_of, shares_of
from irev.evaluation.comparison.systems import systems_of
from irev.evaluation.inputs import Inputs
from irev.extensions.studies.differences import Differences, Line, lines_of, marked, require_two, shown_by_test
from irev.extensions.studies.seeds import SeedsChoices
from irev.extensions.studies.statistics.seeds import over_seeds
from irev.extensions.studies.study import ALPHA
from irev.output.report import Sheet, Texts, table
from irev.statistics.corrections import adjusted


class OverRuns(NamedTuple):
    """Over all runs that systems could have: the difference, and standard deviations of what makes values vary.

    Then the mean of both systems, and the standard deviation of means between their seeds: None for a single run.
    """

    measure: str
    baseline: str
    run: str
    queries: int
    runs: int
    difference: float
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    of_queries: float
    of_runs: float
    of_rest: float
    baseline_mean: float
    baseline_sd: float | None
    mean: float
    sd: float | None
    rests_on_unjudged: bool | None = False


_OF_SYSTEMS = ("baseline_mean", "baseline_sd", "mean", "sd")
"""Fields of `OverRuns` about one system, which people see in a table of their own."""


@dataclass(frozen=True, eq=False, repr=False)
class SeedDifferences(Differences):
    """The difference of each pair of systems, an `OverRuns` in `lines`."""

    title = "Systems compared over queries and seeds"
    way = "seeds"
    hidden = ("queries", "runs", *_OF_SYSTEMS)
    headings: ClassVar[dict[str, str]] = {
        "of_queries": "queries, SD",
        "of_runs": "seeds, SD",
        "of_rest": "rest, SD",
    }
    without_interval = "values vary by rounding alone or are not finite"

    @property
    def sheets(self) -> Iterator[Sheet]:
        """The mean of every system, and its standard deviation between seeds; then the differences."""
        found = {}
        for line in self.lines:
            found[line.measure, line.baseline] = line.baseline_mean, line.baseline_sd
            found[line.measure, line.run] = line.mean, line.sd
        digits = self.look.digits
        rows: list[Texts] = [
            {"measure": named(of), "system": named(name), "mean": real(mean, digits), "SD of means": real(sd, digits)}
            for (of, name), (mean, sd) in found.items()
        ]
        yield table("", ("measure", "system"), ["mean", "SD of means"], rows)
        yield from super().sheets

    @property
    def explained(self) -> Iterator[str]:
        runs = max(line.runs for line in self.lines)
        yield (
            f"Each system has {counted(runs, 'run')}, or a single one if it has no seeds. SD of means: standard"
            f" deviation between the seeds of a system. interval, {percent(self.confidence)}: for other queries and"
            " other seeds. adjusted: p-values, with Holm's correction. SD: standard deviation of values between queries"
            " (for one system), between seeds, and of both together."
        )
        if runs == 2:
            yield "Two seeds are few: of 100 tests of equal systems, up to 9 find a difference, not 5."


def answer(inputs: Inputs, choices: SeedsChoices) -> SeedDifferences:
    """The difference of every pair of systems, by every measure.

    Raises
    ------
    UsageError
        For runs that cannot be divided among systems.
    """
    if choices.runs_per_system is None:
        raise UsageError("the number of runs of each system is needed", remedy=f"give {option('runs_per_system')}")
    found = systems_of(inputs)
    runs = found.aligned.runs
    first = choices.first(runs, found.files)
    require_two(runs)
    systems, pairs = _systems(runs, choices.runs_per_system, first, choices.baseline is not None)
    alone = (f"{each.name} is one run, the same under every seed." for each in systems if len(each.places) == 1)
    made = partial(_over_runs, systems=systems, pairs=pairs, choices=choices)
    first = None if first is None else next(n for n, each in enumerate(systems) if first in each.places)
    lines = lines_of(found, made)
    means = _means_of(found.aligned, systems)
    lines, unjudged = marked(lines, found, means, first, made, lambda line: shown_by_test(line, ALPHA))
    shared = choices.confidence, ALPHA, None, found.policy, found.inputs, (*found.notes, *alone)
    return SeedDifferences(lines, *shared, unjudged)


def _means_of(aligned: Aligned, systems: Sequence[SeedRuns]) -> Aligned:
    """The means over the seeds of every system, in the place of its runs."""

    def mean_of(values: Floats) -> Floats:
        return np.column_stack([values[:, each.places].mean(axis=1) for each in systems])

    def measured(each: Measured) -> Measured:
        old = each.condensed
        new = old and Condensed(
            old.depth,
            mean_of(shares_of(old)),
            mean_of(old.values),
            None if old.best is None else mean_of(old.best),
            tuple(float(np.mean([old.retrieved[place] for place in each.places])) for each in systems),
        )
        return replace(each, values=mean_of(each.values), condensed=new)

    names = tuple(each.name for each in systems)
    return replace(aligned, runs=names, measured=tuple(map(measured, aligned.measured)))


class SeedRuns(NamedTuple):
    """A system, and the places of its runs; one place alone for a system without seeds."""

    name: str
    places: list[int]


def _systems(
    runs: Sequence[str], seeds: int, first: int | None, said: bool
) -> tuple[list[SeedRuns], list[tuple[int, int]]]:
    """Systems, each so many runs that follow each other, called by what the names of these begin with.

    A baseline that the user `said` may be a single run, where that leaves as many of each other system. One that is
    only the first could be the sign of a run that was forgotten.
    """
    alone = first if said and len(runs) % seeds == 1 else None
    places = [place for place in range(len(runs)) if place != alone]
    of_each = [places[at : at + seeds] for at in range(0, len(places), seeds)]
    if alone is not None:
        of_each = sorted([*of_each, [alone]])
    if len(places) % seeds or len(of_each) < 2:
        fact = f"{counted(len(runs), 'run')} cannot be two or more systems of {seeds} runs each"
        remedy = (
            f"give {seeds} runs of each system, one system after the other; of a baseline without seeds one run, named "
            f"with {option('baseline')}"
        )
        raise UsageError(fact, remedy=remedy)
    systems = [_beginning([runs[place] for place in each]) or runs[each[0]] for each in of_each]
    if len(set(systems)) < len(systems):
        systems = [runs[each[0]] for each in of_each]
    baseline = None if first is None else next(n for n, each in enumerate(of_each) if first in each)
    return [*map(SeedRuns, systems, of_each)], pairs_of(len(systems), baseline)


def _beginning(names: Sequence[str]) -> str:
    """What all names begin with."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike).rstrip("-_.# ")


def _over_runs(
    measured: Measured, systems: Sequence[SeedRuns], pairs: Sequence[tuple[int, int]], choices: SeedsChoices
) -> Iterator[Line]:
    seeds = choices.runs_per_system or 1
    if len(measured.queries) < 2:
        raise UsageError("one query says nothing about other queries", remedy="give judgments of more queries")
    # A single run is what every seed would give.
    of_each = [np.repeat(measured.values[:, each.places], seeds // len(each.places), axis=1) for each in systems]
    found = [over_seeds(of_each[base], of_each[run], choices.confidence) for base, run in pairs]
    p_values = adjusted("holm", [each.p for each in found])
    means = [[mean(column) for column in measured.values[:, each.places].T] for each in systems]
    about_systems = [
        (mean(np.array(each)), None if len(each) < 2 else standard_deviation(np.array(each))) for each in means
    ]
    for (base, run), each, p in zip(pairs, found, p_values, strict=True):
        about = (measured.quantity.standard, systems[base].name, systems[run].name, len(measured.queries), seeds)
        yield OverRuns(*about, *each[:4], p, *each[4:], *about_systems[base], *about_systems[run])
