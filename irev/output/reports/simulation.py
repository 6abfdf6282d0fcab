"""The report of a log that was made up: for programs its events, for people what there is of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from irev import __version__
from irev.analysis.clicks.simulation import ClickLog
from irev.base.text import counted, decoded, named, number
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.report import Cell, Listed, Plain, Report, Sheet
from irev.output.reports.interleaving import EXACT, decoded_fields

FORMAT, VERSION = "irev simulation", 1

FIELDS = (
    *("event", "impression", "time", "user", "query", "bucket", "method", "a", "b", "documents", "teams", "shares"),
    *("ranks_a", "ranks_b", "propensities", "position", "document", "dwell"),
)
"""What events have, in the order of columns; those that no impression of a log has are left out."""


class SimulationReport(Report):
    """A log that was made up; `inputs` are the files that it was made of."""

    texts = frozenset({"event", "impression", "user", "query", "bucket", "method", "a", "b", "document"})
    exact = EXACT

    def __init__(self, log: ClickLog, inputs: Sequence[Input] = ()) -> None:
        self.log, self.inputs = log, inputs

    @property
    def title(self) -> str:
        return "Log of users who were never there"

    @property
    def lead(self) -> Iterator[str]:
        log, wanted = self.log, self.log.wanted
        counts: Counter[str] = Counter()
        users = set()
        for each in log.events():
            counts[each["event"]] += 1
            users.add(each.get("user"))
        how = f"the runs are interleaved by {wanted.method}" if wanted.method else "every user sees one of the runs"
        yield (
            f"{counted(counts['impression'], 'impression')}, {counted(counts['click'], 'click')},"
            f" {counted(counts['conversion'], 'conversion')}; {counted(len(users - {None}), 'user')},"
            f" {counted(len(log.queries), 'query', 'queries')}; {how}."
        )

    @property
    def sheets(self) -> Iterator[Sheet]:
        rows = tuple(
            (Cell(decimal(grade)), Cell(number(probability, self.look.digits)))
            for grade, probability in self.log.attraction.items()
        )
        yield Sheet("", ("grade", "clicked if looked at"), 1, frozenset(), (rows,))

    @property
    def notes(self) -> Iterator[str]:
        yield f"By the {self.log.wanted.model} model; {', '.join(map(named, self.log.runs))}."

    @property
    def columns(self) -> tuple[str, ...]:
        there = {*next(self.log.events()), "position", "document", "dwell"}
        return tuple(name for name in FIELDS if name in there)

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        return map(decoded_fields, self.log.events())

    @property
    def rows(self) -> Iterable[tuple[Plain | Listed, ...]]:
        columns = self.columns
        return (tuple(map(each.get, columns)) for each in self.objects)

    @property
    def record(self) -> dict[str, Any]:
        log, wanted = self.log, self.log.wanted
        return {
            "format": FORMAT,
            "version": VERSION,
            "irev": __version__,
            "model": wanted.model,
            "method": wanted.method,
            "draws": wanted.draws,
            "length": wanted.length,
            "impressions": wanted.impressions,
            "users": wanted.users,
            "seed": wanted.seed,
            "attraction": [[grade, probability] for grade, probability in log.attraction.items()],
            "inputs": [file.recorded() for file in self.inputs],
            "runs": list(log.runs),
            "left_out": [decoded(query) for query in log.alone],
            "events": [
                {name: list(value) if isinstance(value, tuple) else value for name, value in each.items()}
                for each in self.objects
            ],
        }
