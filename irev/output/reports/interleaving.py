"""The report of interleaved runs: for programs the lists, for people what clicks at random would say of the runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from irev import __version__
from irev.analysis.interleaving import methods
from irev.analysis.interleaving.lists import Interleaving
from irev.analysis.interleaving.random_clicks import ClickWorth
from irev.base.text import counted, decoded, named, real, signed
from irev.evaluation.result import Input
from irev.output.report import Cell, Listed, Plain, Report, Sheet

FORMAT, VERSION = "irev interleaving", 1

EXACT = frozenset({"time", "shares", "propensities", "dwell"})
"""Fields of lists and logs that are never rounded."""


def decoded_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a list or an event with their ids as texts."""
    return {name: _decoded(value) for name, value in fields.items()}


def _decoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_decoded, value))
    return decoded(value) if isinstance(value, bytes) else value


class InterleavingReport(Report):
    """Interleaved runs, laid out; `inputs` are their files."""

    texts = frozenset({"query", "method", "a", "b"})
    exact = EXACT

    def __init__(self, found: Interleaving, inputs: Sequence[Input] = ()) -> None:
        self.found, self.inputs = found, inputs

    @property
    def title(self) -> str:
        return f"{named(self.found.a)} and {named(self.found.b)}, interleaved"

    @property
    def lead(self) -> Iterator[str]:
        found = self.found
        lists = [each for of in found.drawn.values() for each in of]
        sizes = [len(each.documents) for each in lists]
        each = (
            f"{min(sizes):,} to {max(sizes):,} documents" if min(sizes) < max(sizes) else counted(sizes[0], "document")
        )
        nobody = sum(each.teams.count(None) for each in lists)
        left = f", {nobody:,} of all nobody's" if nobody else ""
        queries = counted(len(found.drawn), "query", "queries")
        whose = "each for its query" if len(sizes) == len(found.drawn) else f"for {queries}"
        yield f"By {found.method}: {counted(len(sizes), 'list')}, {whose}, of {each}{left}."

    @property
    def sheets(self) -> Iterator[Sheet]:
        found = self.found
        header = ("a click at random", named(found.a), named(found.b), "difference")
        worths = [("in these lists", found.by_chance)]
        worths += [("in all that could be", found.over_draws)] if found.over_draws is not None else []
        rows = tuple((Cell(where), *self._cells(worth)) for where, worth in worths)
        yield Sheet("", header, 1, frozenset({0}), (rows,))

    def _cells(self, worth: ClickWorth) -> tuple[Cell, ...]:
        digits = self.look.digits
        return (Cell(real(worth.a, digits)), Cell(real(worth.b, digits)), Cell(signed(worth.a - worth.b, digits)))

    @property
    def notes(self) -> Iterator[str]:
        yield (
            "What a click on a document of a list, each as likely as another, is worth to each of the runs: the mean"
            " over queries."
        )
        if methods.find(self.found.method).fair:
            yield (
                "Over all lists that could be drawn it is worth the same to both, and so are clicks that depend on"
                " positions alone."
            )

    @property
    def columns(self) -> tuple[str, ...]:
        first = next(iter(self.found.lists.values()))
        return ("query", "method", "a", "b", *first.fields())

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        found = self.found
        for query, lists in found.drawn.items():
            head = {"query": query, "method": found.method, "a": found.a, "b": found.b}
            for each in lists:
                yield decoded_fields(head | each.fields())

    @property
    def rows(self) -> Iterable[tuple[Plain | Listed, ...]]:
        return (tuple(each.values()) for each in self.objects)

    @property
    def record(self) -> dict[str, Any]:
        found = self.found
        return {
            "format": FORMAT,
            "version": VERSION,
            "irev": __version__,
            "method": found.method,
            "length": found.length,
            "seed": found.seed,
            "draws": len(next(iter(found.drawn.values()))),
            "inputs": [file.recorded() for file in self.inputs],
            "a": found.a,
            "b": found.b,
            "left_out": [decoded(query) for query in found.alone],
            "random_click": {
                "lists": found.by_chance._asdict(),
                "draws": None if found.over_draws is None else found.over_draws._asdict(),
            },
            "queries": [
                {"query": decoded(query)} | {name: list(each) for name, each in decoded_fields(shown.fields()).items()}
                for query, lists in found.drawn.items()
                for shown in lists
            ],
        }
