"""The answer of ``irev replicate``: improvements over the baseline beside those of an earlier experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from irev.base.errors import UsageError, option
from irev.base.records import dataclass
from irev.base.segments import values_on
from irev.base.text import counted
from irev.evaluation.comparison import Measured, align, pairs_of
from irev.evaluation.comparison.systems import Gathered, Saved, read, systems_of
from irev.evaluation.inputs import Inputs
from irev.extensions.studies.differences import Differences, Line, lines_of, require_two
from irev.extensions.studies.replicate import ReplicateChoices
from irev.extensions.studies.statistics.meta_analysis import replication
from irev.extensions.studies.study import ALPHA, CONFIDENCE
from irev.output.reports.comparison import unevenly_judged


class Repeated(NamedTuple):
    """An improvement over the baseline, beside what it was before; `Replication` says what each number is."""

    measure: str
    baseline: str
    run: str
    queries: int
    original: float
    difference: float
    effect_ratio: float | None
    original_relative: float | None
    relative: float | None
    delta_relative: float | None
    rmse_baseline: float | None
    rmse: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Replicated(Differences):
    """Each improvement now and then, a `Repeated` in `lines`."""

    title = "Differences now and in the original experiment"
    way = "original"
    headings: ClassVar[dict[str, str]] = {
        "effect_ratio": "ER",
        "delta_relative": "ΔRI",
        "rmse": "RMSE",
        "rmse_baseline": "RMSE, baseline",
    }

    @property
    def explained(self) -> Iterator[str]:
        yield (
            "original, difference: the improvement then and now. ER: effect ratio, now divided by then; 1 means equally"
            " large. relative: the improvement divided by the baseline. ΔRI: relative then minus relative now; 0 means"
            " equal. RMSE: between the values of queries then and now; — if the queries are not the same."
        )


def answer(inputs: Inputs, choices: ReplicateChoices) -> Replicated:
    """Every improvement over the baseline, by every measure that both experiments have.

    Raises
    ------
    UsageError
        For an original experiment of other runs or measures.
    """
    path, notes = choices.original or "", list[str]()
    saved = read((path,), (), notes.append)  # first: who forgets ORIGINAL is told what QRELS is not
    found = systems_of(inputs)
    runs = found.aligned.runs
    notes = [*found.notes, *notes, *saved.notes]
    first = choices.first(runs, found.files)
    require_two(runs)
    before = _before(path, saved, found, notes)
    lines = lines_of(found, partial(_repeated, before=before, runs=runs, pairs=pairs_of(len(runs), first)))
    _, unjudged = unevenly_judged(found.aligned, first, 4, shares=True)
    shared = CONFIDENCE, ALPHA, None, found.policy, (*found.inputs, *saved.inputs), tuple(notes)
    return Replicated(lines, *shared, tuple(unjudged))


def _before(path: str, saved: Saved, found: Gathered, notes: list[str]) -> dict[str, Measured]:
    """The experiment before, by measure, with its runs in the order of those of now."""
    runs, names = found.aligned.runs, [system.name for system in saved.systems]
    if len(names) != len(runs):
        fact = f"{path} has {counted(len(names), 'run')}, but {len(runs)} are given"
        raise UsageError(fact, remedy="save the original experiment with as many runs, in the same order")
    if lacking := [run for run in runs if run not in names]:
        if len(lacking) < len(runs):
            raise UsageError(
                f"{path} has no run named {', '.join(lacking)}; it has {', '.join(names)}",
                remedy="give the runs the same names",
            )
        matched = ", ".join(f"{run} with {name}" for run, name in zip(runs, names, strict=True))
        notes.append(f"No run has its name in {path}; runs are compared in their order: {matched}.")
    ordered = [*saved.systems] if lacking else [saved.systems[names.index(run)] for run in runs]
    asked = [measured.quantity for measured in found.aligned.measured]
    shared = [each for each in asked if all(each in system.measured for system in ordered)]
    if not shared:
        fact = f"{path} has no values of {', '.join(each.standard for each in asked)}"
        raise UsageError(fact, remedy=f"save it with these measures, or name others with {option('measures')}")
    if len(shared) < len(asked):
        left = ", ".join(each.standard for each in asked if each not in shared)
        notes.append(f"Not in {path}, and left out: {left}.")
    aligned = align(ordered, shared, both=False)
    return {measured.quantity.standard: measured for measured in aligned.measured}


def _repeated(
    measured: Measured, before: dict[str, Measured], runs: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> Iterator[Line]:
    old = before.get(measured.quantity.standard)
    if old is None:
        return
    same = set(old.queries) == set(measured.queries)
    then = values_on(old.values, old.queries, measured.queries) if same else old.values
    for base, run in pairs:
        found = replication((then[:, base], then[:, run]), (measured.values[:, base], measured.values[:, run]), same)
        yield Repeated(measured.quantity.standard, runs[base], runs[run], len(measured.queries), *found)
