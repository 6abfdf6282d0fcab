"""The report of an evaluation: its numbers, as a table, as lists, and as the record that can be shown again.

What makes each of these is imported when it is asked for: trec_eval's lines need none of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from irev.base.text import decoded, plain
from irev.evaluation.result import Result, Row, rows
from irev.evaluation.scores import Summarised
from irev.measures import MEASURES, Request
from irev.measures.parameters import Value
from irev.output.report import Look, Plain, Report, Sheet

if TYPE_CHECKING:
    from irev.output.reports.grid import AgainstBest

R = TypeVar("R", bound="EvaluationReport")


class EvaluationReport(Report):
    """The numbers of a `irev.evaluation.result.Result`, laid out; `known` is what is shown of runs against the best."""

    title = "Evaluation"
    bare = True

    def __init__(self, result: Result, known: AgainstBest | None = None) -> None:
        self.result, self.known = result, known

    def seen(self: R, look: Look) -> R:
        """The same with another look, and with the runs in the order that it asks for."""
        other = super().seen(look)
        if look.sort is not None:
            from irev.output.reports.grid import standings

            if ranked := tuple(standings(self.result, look)):
                other.result = replace(self.result, outcomes=ranked)
        return other

    @property
    def sheets(self) -> Iterable[Sheet]:
        """One table as wide as it is; on a screen, as many as it takes."""
        from irev.output.reports.grid import grid, tables

        if self.look.width is not None:
            return tables(self.result, self.look, self.known)
        return (grid(self.result, self.look, self.known),)

    @property
    def columns(self) -> tuple[str, ...]:
        wide = (VS_BEST,) if self.known is not None and self.look.wide else ()
        return (*columns(self.result, self.look), *wide)

    @property
    def rows(self) -> Iterable[tuple[Plain, ...]]:
        return listed(self.result, self.look, self.known)

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        """One for each query of each run, and for all of its queries, with the values by measure."""
        keys = about_keys(self.result)
        for about, values in entries(self.result, self.look, self.known):
            yield {**dict(zip(keys, about, strict=True)), "measures": values}

    @property
    def texts(self) -> frozenset[str]:
        return frozenset(self.columns) - self.mixed.keys()

    @property
    def mixed(self) -> dict[str, str]:
        return {} if self.look.wide else {"value": "text"}

    @property
    def record(self) -> dict[str, Any]:
        from irev.evaluation.record import record

        made = record(self.result, self.look.names == "standard")
        if self.known is not None:
            for result in made["results"]:
                run = result["run"]
                cell = self.known.findings[run]
                found = {
                    "finding": cell.text,
                    "p": plain(self.known.p.get(run)),
                    "rests_on_unjudged": self.known.rests.get(run, False),
                }
                result[VS_BEST] = {"measure": self.known.measure.standard, **found}
        return made


VS_BEST = "vs_best"
"""What data call the finding about the difference between a run and the best."""

SIZE = Request(MEASURES["num_q"], Value(None, ""))
"""Where there are groups, how many queries count in each, asked for or not."""


class Entry(NamedTuple):
    """A row, and what it is about.

    Attributes
    ----------
    about : list of (str or None)
        What `about_keys` names. The group is None in a row that is not about one. Bytes that are no UTF-8 are lone
        surrogates, as `os.fsdecode` makes them.
    values : dict of str to value
        By the names of measures, no two alike.
    """

    about: list[str | None]
    values: dict[str, Plain]


def entries(result: Result, look: Look, known: AgainstBest | None = None) -> Iterator[Entry]:
    """The rows of a result in their order; those for all queries also have the finding against the best."""
    names, keys, grouped = _names(result, look), about_keys(result), result.grouped
    for row in rows(result):
        values = _values(row, grouped)
        plain: dict[str, Plain] = {names[r]: decoded(v) if isinstance(v, bytes) else v for r, v in values.items()}
        if known is not None and row.query is None and row.group is None:
            cell = known.findings[row.outcome.run]
            plain[VS_BEST] = f"{cell.text} {cell.above}".rstrip()
        yield Entry(_about(row, keys), plain)


def columns(result: Result, look: Look) -> tuple[str, ...]:
    """What the columns of `listed` are called."""
    return (*about_keys(result), *(_measured(result, look) if look.wide else ("measure", "value")))


def listed(result: Result, look: Look, known: AgainstBest | None = None) -> Iterator[tuple[Plain, ...]]:
    """A row for each number, or for each query where the list is to be wide."""
    if look.wide:
        measures = _measured(result, look) if known is None else [*_measured(result, look), VS_BEST]
        for about, values in entries(result, look, known):
            yield (*about, *(values.get(measure) for measure in measures))
    else:
        for about, values in entries(result, look, known):
            for name, value in values.items():
                yield (*about, name, value)


def about_keys(result: Result) -> list[str]:
    """What rows say they are about."""
    qrels = ["qrels"] if result.several_qrels else []
    group = ["group"] if result.grouped else []
    return ["run", *qrels, *group, "query"]


def _about(row: Row, keys: list[str]) -> list[str | None]:
    group = None if row.group is None else decoded(row.group.name)
    query = "all" if row.query is None else decoded(row.name)
    known = {"run": row.outcome.run, "qrels": row.outcome.qrels, "group": group, "query": query}
    return [known[key] for key in keys]


def _values(row: Row, grouped: bool) -> Mapping[Request, Summarised]:
    values = dict(row.values)
    sized = row.query is None and grouped and SIZE not in values
    return {SIZE: row.size, **values} if sized else values


def _names(result: Result, look: Look) -> dict[Request, str]:
    """What every request is called; of two that are called alike, as two levels of recall can be, one has a number."""
    names: dict[str, Request] = {}
    for request in dict.fromkeys([*result.requests, *(request.base for request in result.requests), SIZE]):
        name, number = look.name(request), 1
        while name in names:
            number += 1
            name = f"{look.name(request)}#{number}"
        names[name] = request
    return {request: name for name, request in names.items()}


def _measured(result: Result, look: Look) -> list[str]:
    """The names that any row has a value for, in the order asked for."""
    sized = result.summarised and result.grouped and SIZE not in result.requests
    wanted: dict[Request, None] = {SIZE: None} if sized else {}
    for request, value in zip(result.requests, result.outcomes[0].summary.values, strict=True):
        if result.per_query and request.measure.per_query:
            wanted[request.base] = None
        if result.summarised and value is not None:
            wanted[request] = None
    names = _names(result, look)
    return [names[request] for request in wanted]
