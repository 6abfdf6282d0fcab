"""Two runs, query by query, made into lists that mix them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from irev.base.errors import InputError, UsageError, shown
from irev.base.records import dataclass
from irev.base.text import MISSING, counted, decoded, named
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import not_common_notes
from irev.evaluation.result import Input
from irev.extensions.clicks.inputs import first_of_runs, require_names, warn
from irev.extensions.clicks.online import InterleaveChoices
from irev.extensions.clicks.online.interleaving import (
    EXACT,
    METHODS,
    TEAMS,
    A,
    B,
    Interleaved,
    chance_of_draw,
    decoded_fields,
    most,
)
from irev.output.finding import ReportedFinding, fields_of
from irev.output.report import Cell, Listed, Plain, Sheet, stamp
from irev.ranking.ranking import First

DRAFT = "team-draft"
"""The method that has rounds."""

_SHOWN = 5
"""So many lists people see."""


@dataclass(frozen=True, repr=False)
class Interleaving(ReportedFinding):
    """Lists made of two runs, as `irev.interleave` gives them.

    Attributes
    ----------
    method : str
        One of `irev.extensions.clicks.online.interleaving.METHODS`.
    length : int
        Documents of a list, unless both runs together have fewer.
    seed : int
    a, b : str
        What the runs are called.
    lists : dict of bytes to Interleaved
        By query, in byte order; the queries that both runs have. Of several draws the first.
    alone : tuple of bytes
        Those that one of the runs has, and that have no list.
    drawn : dict of bytes to tuple of Interleaved
        All lists of each query, as many as were asked for; some may be the same.
    runs : tuple of two dicts of bytes to tuple of bytes
        The first documents of A and of B, by query: what lists were made of.
    inputs : tuple of Input
        The files of the runs.
    """

    method: str
    length: int
    seed: int
    a: str
    b: str
    lists: dict[bytes, Interleaved]
    alone: tuple[bytes, ...]
    drawn: dict[bytes, tuple[Interleaved, ...]]
    runs: tuple[First, First]
    inputs: tuple[Input, ...] = ()

    texts = frozenset({"query", "method", "a", "b"})
    exact = EXACT

    @property
    def title(self) -> str:
        return f"{named(self.a)} and {named(self.b)}, interleaved"

    @property
    def lead(self) -> Iterator[str]:
        lists = [each for of in self.drawn.values() for each in of]
        sizes = [len(each.documents) for each in lists]
        each = (
            f"{min(sizes):,} to {max(sizes):,} documents" if min(sizes) < max(sizes) else counted(sizes[0], "document")
        )
        nobody = sum(each.teams.count(None) for each in lists)
        left = f", {nobody:,} documents from neither run" if nobody else ""
        queries = counted(len(self.drawn), "query", "queries")
        whose = "each for its query" if len(sizes) == len(self.drawn) else f"for {queries}"
        yield f"By {self.method}: {counted(len(sizes), 'list')}, {whose}, of {each}{left}."

    @property
    def sheets(self) -> Iterator[Sheet]:
        lists = [(query, each) for query, drawn in self.drawn.items() for each in drawn]
        for query, each in lists[:_SHOWN]:
            yield self._list(query, each)
        if len(lists) > _SHOWN:
            yield Sheet("", (), 0, frozenset(), (), (f"The first {_SHOWN} of {len(lists):,} lists; -f jsonl has all.",))

    def _list(self, query: bytes, made: Interleaved) -> Sheet:
        """A list, document by document: which run put it there, and where either run has it; of a draft by rounds."""
        names = {A: named(self.a), B: named(self.b), None: "nobody"}
        ranks = [{document: rank for rank, document in enumerate(run[query], 1)} for run in self.runs]
        rounds = self.method == DRAFT
        sections: list[list[tuple[Cell, ...]]] = []
        for place, (document, team) in enumerate(zip(made.documents, made.teams, strict=True), start=1):
            begins = not rounds or place % 2 == 1
            if (
                not sections
                or (rounds and begins and team is not None)
                or (team is None) != (made.teams[place - 2] is None)
            ):
                sections.append([])
            first = f"{(place + 1) // 2}: {names[team]} first" if rounds and begins and team is not None else ""
            sections[-1].append(
                (
                    *([Cell(first)] if rounds else []),
                    Cell(str(place)),
                    Cell(named(decoded(document))),
                    Cell(names[team]),
                    *(Cell(self._rank(document, of, len(made.documents))) for of in ranks),
                )
            )
        header = (*(["round"] if rounds else []), "place", "document", "team", *(f"rank in {names[t]}" for t in TEAMS))
        texts = frozenset(place for place, label in enumerate(header) if label in ("round", "document", "team"))
        return Sheet(f"Query {named(decoded(query))}", header, len(header) - 2, texts, tuple(map(tuple, sections)))

    def _rank(self, document: bytes, ranks: Mapping[bytes, int], read: int) -> str:
        """The rank of a document; below those of which lists are made, ranks were not read."""
        if document in ranks:
            return str(ranks[document])
        return MISSING if len(ranks) < read else f"> {len(ranks)}"

    @property
    def notes(self) -> Iterator[str]:
        if self.method == DRAFT:
            yield (
                "In each round a coin says which run is first; each adds its best document that is not in the list yet."
                " A click counts for the team of the document."
            )

    @property
    def columns(self) -> tuple[str, ...]:
        first = next(iter(self.lists.values()))
        return ("query", "method", "a", "b", *first.fields())

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        for query, lists in self.drawn.items():
            head = {"query": query, "method": self.method, "a": self.a, "b": self.b}
            for each in lists:
                yield decoded_fields(head | each.fields())

    @property
    def rows(self) -> Iterable[tuple[Plain | Listed, ...]]:
        return (tuple(each.values()) for each in self.objects)

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamp("irev interleaving"),
            **fields_of(self, "method", "length", "seed"),
            "draws": len(next(iter(self.drawn.values()))),
            "inputs": [file.recorded() for file in self.inputs],
            "a": self.a,
            "b": self.b,
            "left_out": [decoded(query) for query in self.alone],
            "queries": [
                {"query": decoded(query)} | {name: list(each) for name, each in decoded_fields(shown.fields()).items()}
                for query, lists in self.drawn.items()
                for shown in lists
            ],
        }

    def __repr__(self) -> str:
        return (
            f"<Interleaving of {named(self.a)} and {named(self.b)} by {self.method}:"
            f" {sum(map(len, self.drawn.values()))} lists>"
        )


def answer(inputs: Inputs, choices: InterleaveChoices) -> Interleaving:
    """Lists made of two runs."""
    inputs.settings.require_ranks()
    require_names((choices.a, choices.b))
    first = choices.within_first or most(choices.method, choices.length)
    (a, of_a), (b, of_b) = first_of_runs(inputs, (choices.a, choices.b), first)
    found = interleave(of_a, of_b, (a, b), choices.method, choices.length, choices.seed_of_lists, choices.draws)
    for note in not_common_notes(found.alone):
        warn(inputs, note.said)
    return replace(found, inputs=tuple(inputs.files))


def common(a: First, b: First, names: tuple[str, str]) -> tuple[list[bytes], tuple[bytes, ...]]:
    """The queries that two runs have, and those that one of them has, in byte order.

    Raises `InputError` where they have none in common.
    """
    both = sorted(a.keys() & b.keys())
    if not both:
        fact = f"the runs have no query in common: it has {shown(min(b))}, {names[0]} has {shown(min(a))}"
        raise InputError(fact, names[1], "do the runs have the same queries?")
    return both, tuple(sorted(a.keys() ^ b.keys()))


def interleave(
    a: First, b: First, names: tuple[str, str], method: str, length: int, seed: int, draws: int = 1
) -> Interleaving:
    """Interleave two runs, whose first documents are given: as many as `most` says, or all. Each query has `draws`
    lists.

    Raises `UsageError` for a method that there is not or a length below 1, `InputError` as `common`.
    """
    draw = METHODS.find(method).draw
    if length < 1:
        raise UsageError(f"a list cannot have {length} documents", remedy="expected a length of 1 or more")
    queries, alone = common(a, b, names)
    drawn = {
        query: tuple(
            draw(a[query], b[query], length, chance_of_draw(seed, method, query, number)) for number in range(draws)
        )
        for query in queries
    }
    lists = {query: of[0] for query, of in drawn.items()}
    return Interleaving(method, length, seed, *names, lists, alone, drawn, (a, b))
