"""Several collections side by side, as BEIR and MTEB print them: each has judgments and runs of its own, and the macro
average of a run is the mean over the collections of its numbers, whatever they have of queries.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.base.text import named
from irev.errors import InputError
from irev.evaluation.result import MACRO, Facts, Input, Outcome, Result
from irev.evaluation.scores import Column, Scores
from irev.evaluation.summary import Summary
from irev.measures import Request
from irev.output.report import MARK, Cell, Sheet, table
from irev.output.reports.evaluation import EvaluationReport
from irev.output.reports.grid import shown
from irev.questions.eval.choices import EvalChoices
from irev.questions.eval.finding import Evaluated
from irev.questions.question import GivenFiles
from irev.reading.toml import parsed

_EXPECTED = "expected a [[collection]] with name, qrels and runs, paths or a table such as { bm25 = 'bm25.run' }"


class Collection(NamedTuple):
    """Judgments and the runs that are evaluated by them.

    Attributes
    ----------
    name, qrels : str
    runs : tuple of str
        Their files.
    called : tuple of str
        What the runs are called; nothing for their run ids.
    """

    name: str
    qrels: str
    runs: tuple[str, ...]
    called: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file."""
        return (self.qrels, *self.runs)


def read(path: str) -> tuple[Collection, ...]:
    """The collections that a file in TOML has; paths are meant from its folder.

    Raises
    ------
    InputError
        For a file that is no TOML, a collection that lacks something or has something else, and a name given twice.
    """
    try:
        found = parsed(path, "utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is no text in UTF-8, as TOML is", path) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no TOML ({error})", path, "mend the line") from None
    listed = found.pop("collection", None)
    if found or not isinstance(listed, list) or not listed:
        odd = f"there is a key '{next(iter(found))}'" if found else "there is no collection"
        raise InputError(odd, path, _EXPECTED)
    made = tuple(_collection(each, number, path) for number, each in enumerate(listed, 1))
    names = [each.name for each in made]
    for name in names:
        if names.count(name) > 1 or name == MACRO:
            raise InputError(f"two collections are called '{name}'", path, "each has a name of its own")
    return made


def _collection(each: Any, number: int, path: str) -> Collection:
    def refuse(fact: str) -> InputError:
        return InputError(f"collection {number} {fact}", path, _EXPECTED)

    if not isinstance(each, Mapping) or {*each} != {"name", "qrels", "runs"}:
        odd = [key for key in each if key not in ("name", "qrels", "runs")] if isinstance(each, Mapping) else []
        lacking = [key for key in ("name", "qrels", "runs") if isinstance(each, Mapping) and key not in each]
        raise refuse(f"has a key '{odd[0]}'" if odd else f"has no {lacking[0]}" if lacking else "is no table")
    name, qrels, runs = each["name"], each["qrels"], each["runs"]
    called = tuple(runs) if isinstance(runs, Mapping) else ()
    files = [*runs.values()] if isinstance(runs, Mapping) else [runs] if isinstance(runs, str) else runs
    if (
        not isinstance(files, list)
        or not files
        or not all(isinstance(one, str) and one for one in (name, qrels, *files))
    ):
        raise refuse("has a name, qrels or runs that are no texts")
    folder = os.path.dirname(path)

    def placed(file: str) -> str:
        return f"@{os.path.join(folder, file[1:])}" if file.startswith("@") else os.path.join(folder, file)

    return Collection(name, placed(qrels), tuple(map(placed, files)), called)


def answer(given: GivenFiles, choices: EvalChoices, path: str) -> Evaluated:
    """The values of every run on each of its collections, and their macro averages."""
    from irev.questions.eval.sorting import sort_of

    requests, style = given.measured(choices.aggregates, choices.bounds), given.styles[0]
    outcomes: list[Outcome] = []
    inputs: list[Input] = []
    for each in read(path):
        part = given.of_collection(each.name, each.qrels, each.runs, each.called)
        found = part.evaluated(requests, digest=True, groups=None, per_query=True)
        part.note(found, ties=False)
        outcomes += found.outcomes
        inputs += found.inputs
    averaged = [] if choices.no_summary else macro_averages(outcomes)
    settings = given.settings
    result = Result(
        (*outcomes, *averaged),
        settings,
        settings.policy,
        tuple(dict.fromkeys(inputs)),
        choices.per_query,
        summarised=not choices.no_summary,
    )
    sort = None
    if given.sort is not None:
        sort = sort_of(
            given.sort,
            requests,
            runs=len({outcome.run for outcome in outcomes}),
            per_query=choices.per_query,
            style=style,
        )
    return Collections(result, sort=sort, queries_to=choices.per_query_to)


def macro_averages(outcomes: list[Outcome]) -> list[Outcome]:
    """For each run the mean over the collections of each number that is a mean; none where it lacks a collection."""
    collections = [*dict.fromkeys(outcome.qrels for outcome in outcomes)]
    found = []
    for run in dict.fromkeys(outcome.run for outcome in outcomes):
        of_run = {outcome.qrels: outcome for outcome in outcomes if outcome.run == run}
        first = next(iter(of_run.values()))
        columns = tuple(Column(each.request, np.empty(0)) for each in first.scores.columns)
        whole = len(of_run) == len(collections)
        values = tuple(
            _mean(column.request, [of_run[name].summary.values[place] for name in collections]) if whole else None
            for place, column in enumerate(columns)
        )
        scores = Scores((), columns, 0, first.scores.complete, 0, first.scores.tag)
        found.append(Outcome(run, MACRO, scores, Summary(values), Facts(0, 0, 0, (), ())))
    return found


def _mean(request: Request, values: list[Any]) -> float | None:
    """The mean of some numbers, where they are means of queries, and counts of nothing."""
    averaged = (request.aggregate or request.measure.summary) == "mean"
    if not averaged or not all(isinstance(value, int | float) for value in values):
        return None
    return math.fsum(values) / len(values)


class Collections(Evaluated):
    """What runs score on several collections: for people a table for each measure, collections side by side."""

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The files of all collections."""
        return tuple(self.result.inputs)

    bare = False

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{len({outcome.qrels for outcome in self.result.outcomes} - {MACRO})} collections"

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.result.per_query:
            alone = tuple(outcome for outcome in self.result.outcomes if outcome.qrels != MACRO)
            yield from EvaluationReport(replace(self.result, outcomes=alone)).seen(self.look).sheets
        if not self.result.summarised:
            return
        numbers = [place for place, each in enumerate(self.result.requests) if each.measure.kind != "text"]
        for place in numbers:
            yield self._of_measure(place)

    def _of_measure(self, place: int) -> Sheet:
        """The values of every run on every collection."""
        result, request = self.result, self.result.requests[place]
        outcomes = {(outcome.run, outcome.qrels): outcome for outcome in result.outcomes}
        columns = [*dict.fromkeys(name for _, name in outcomes)]
        runs = [outcome.run for outcome in result.outcomes if outcome.qrels == MACRO]
        rows: list[dict[str, Cell | str]] = [{"run": named(run)} for run in runs]
        for column in columns:
            there = [outcomes.get((run, column)) for run in runs]
            values = [None if each is None else each.summary.values[place] for each in there]
            best = _best(values, request)
            for row, outcome, value in zip(rows, there, values, strict=True):
                odd = MARK if outcome is not None and result.is_odd(outcome) else ""
                row[column] = Cell(shown(value, self.look.digits) + odd, best=value is not None and value == best)
        title = self.look.name(request)
        made = table(title, ["run"], columns, rows)
        return replace(made, header=("run", *map(named, columns)))

    @property
    def notes(self) -> Iterator[str]:
        counted: dict[str, set[int]] = {}
        for outcome in self.result.outcomes:
            counted.setdefault(outcome.qrels, set()).add(outcome.scores.considered)
        counts = [
            f"{named(name)} {' or '.join(f'{count:,}' for count in sorted(found))}"
            for name, found in counted.items()
            if name != MACRO
        ]
        if MACRO in counted:
            yield f"{MACRO}: the mean over the collections, which weigh the same. Queries: {', '.join(counts)}."
        yield f"Queries: {self.result.policy}."
        runs = {outcome.run for outcome in self.result.outcomes}
        if MACRO in counted and len(self.result.outcomes) < len(counted) * len(runs):
            yield f"A run that lacks a collection has no {MACRO}."
        if any(map(self.result.is_odd, self.result.outcomes)):
            yield f"{MARK} averaged over other queries than most"


def _best(values: list[Any], request: Request) -> Any:
    known = [value for value in values if isinstance(value, int | float) and not math.isnan(value)]
    if len(known) < 2 or request.better == "neither":
        return None
    return min(known) if request.better == "lower" else max(known)
