"""A log of users who click by a model: the record of it; programs see its events, people what there is of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from irev import __version__
from irev.base.records import dataclass
from irev.base.text import counted, decoded, named, number
from irev.errors import decimal
from irev.evaluation.result import Input
from irev.output.finding import Finding
from irev.output.report import Cell, Listed, Plain, Sheet
from irev.questions.online.interleaving import EXACT, decoded_fields
from irev.questions.online.simulate.choices import SimulateChoices

FORMAT, VERSION = "irev simulation", 1

FIELDS = (
    *("event", "impression", "time", "user", "query", "bucket", "method", "a", "b", "documents", "teams", "shares"),
    *("ranks_a", "ranks_b", "propensities", "position", "document", "dwell"),
)
"""What events have, in the order of columns; those that no impression of a log has are left out."""


@dataclass(frozen=True, repr=False)
class Simulation(Finding):
    """A log that was made up.

    Attributes
    ----------
    wanted : SimulateChoices
    runs : tuple of str
        What they are called: A and B, or the buckets.
    queries : tuple of bytes
        Those that were asked: judged, and in all of the runs.
    alone : tuple of bytes
        Those that some of the runs lack, or that are not judged.
    attraction : dict of float to float
        The probability of a click on what is looked at, by grade.
    events : callable
        ``events()``: all of them, made anew, the same each time, since a long log is more than memory may hold. One is
        a dictionary by the names that fields have in a log, ids as bytes; what an event has not is not there. They are
        in the order of their times, and what belongs to an impression stands right behind it.
    inputs : tuple of Input
        The files that it was made from.
    """

    wanted: SimulateChoices
    runs: tuple[str, ...]
    queries: tuple[bytes, ...]
    alone: tuple[bytes, ...]
    attraction: dict[float, float]
    events: Callable[[], Iterator[dict[str, Any]]]
    inputs: tuple[Input, ...] = ()

    texts = frozenset({"event", "impression", "user", "query", "bucket", "method", "a", "b", "document"})
    exact = EXACT

    @property
    def title(self) -> str:
        return "Log of users who were never there"

    @property
    def lead(self) -> Iterator[str]:
        wanted = self.wanted
        counts: Counter[str] = Counter()
        users = set()
        for each in self.events():
            counts[each["event"]] += 1
            users.add(each.get("user"))
        how = f"the runs are interleaved by {wanted.method}" if wanted.method else "every user sees one of the runs"
        yield (
            f"{counted(counts['impression'], 'impression')}, {counted(counts['click'], 'click')},"
            f" {counted(counts['conversion'], 'conversion')}; {counted(len(users - {None}), 'user')},"
            f" {counted(len(self.queries), 'query', 'queries')}; {how}."
        )

    @property
    def sheets(self) -> Iterator[Sheet]:
        rows = tuple(
            (Cell(decimal(grade)), Cell(number(probability, self.look.digits)))
            for grade, probability in self.attraction.items()
        )
        yield Sheet("", ("grade", "clicked if looked at"), 1, frozenset(), (rows,))

    @property
    def notes(self) -> Iterator[str]:
        yield f"By the {self.wanted.model} model; {', '.join(map(named, self.runs))}."

    @property
    def columns(self) -> tuple[str, ...]:
        there = {*next(self.events()), "position", "document", "dwell"}
        return tuple(name for name in FIELDS if name in there)

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        return map(decoded_fields, self.events())

    @property
    def rows(self) -> Iterable[tuple[Plain | Listed, ...]]:
        columns = self.columns
        return (tuple(map(each.get, columns)) for each in self.objects)

    @property
    def record(self) -> dict[str, Any]:
        wanted = self.wanted
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
            "seed": wanted.seed_of_lists,
            "attraction": [[grade, probability] for grade, probability in self.attraction.items()],
            "inputs": [file.recorded() for file in self.inputs],
            "runs": list(self.runs),
            "left_out": [decoded(query) for query in self.alone],
            "events": [
                {name: list(value) if isinstance(value, tuple) else value for name, value in each.items()}
                for each in self.objects
            ],
        }
