"""Two runs, query by query, made into lists that mix them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, NamedTuple

from irev.base.errors import InputError, shown
from irev.base.records import dataclass
from irev.base.segments import Ints
from irev.base.text import MISSING, counted, decoded, named
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import not_common_notes
from irev.evaluation.result import Input
from irev.extensions.clicks.chance import SeededChance
from irev.extensions.clicks.online import InterleaveChoices
from irev.extensions.clicks.online.logs import first_of_runs, require_names, warn
from irev.output.finding import ReportedFinding, fields_of
from irev.output.report import Cell, Listed, Plain, Sheet, stamp
from irev.ranking.ranking import First

A, B = TEAMS = "A", "B"


class Interleaved(NamedTuple):
    """A list of `n` documents.

    Attributes
    ----------
    documents : tuple of bytes, length n
        In the order shown.
    teams : tuple of (str or None), length n
        The run that contributed each, `A` or `B`. None for nobody's: what fills a list when one of the runs has nothing
        to add any more. Clicks there count for neither.
    shares : tuple of (float or None), length n, or None
        The probability that A contributed each, given the list, where a method shares out clicks by that; None for
        nobody's.
    """

    documents: tuple[bytes, ...]
    teams: tuple[str | None, ...]
    shares: tuple[float | None, ...] | None = None

    def fields(self) -> dict[str, tuple[bytes | str | float | int | None, ...]]:
        """What there is, by the names that it has in files."""
        return {name: column for name, column in self._asdict().items() if column is not None}


def filled(shown: dict[bytes, str | None], length: int, *runs: Sequence[bytes]) -> None:
    """Add to the documents that are shown, with their teams, as nobody's what runs have beside them, up to `length`."""
    for run in runs:
        for document in run:
            if len(shown) >= length:
                return
            shown.setdefault(document, None)


LEAN, LEAN_IF_FILLED = "lean", "lean if filled"


@dataclass(frozen=True)
class InterleavingMethod:
    """A way to interleave two runs.

    Attributes
    ----------
    draw : callable
        ``draw(a, b, length, chance)``: a list of at most `length` documents made of two rankings, neither of them
        empty, best first. It has `length`, or all that there are. A document of rank above `length` is not looked at,
        unless `whole`.
    whole : bool
        Whether it looks at whole rankings.
    coins : callable
        ``coins(k)``: how many fair coins at least decide about a list with k documents of a team, each of which makes
        another list or other teams. So two lists drawn for a query are the same with a chance of 2 ** -coins at most.
    signs : str
        `LEAN` where signs of users lean to one side even when clicks come by chance, `LEAN_IF_FILLED` where they do
        so only if lists have documents of neither run. The mean credit decides then.
    """

    draw: Callable[[Sequence[bytes], Sequence[bytes], int, SeededChance], Interleaved]
    coins: Callable[[Ints], Ints]
    whole: bool = False
    signs: str = ""


TAU = 3
"""How steeply the probability of a document falls with its rank: as rank ** -TAU."""


class _Left:
    """What a run has that is not shown, best first: documents, their ranks, and weights of these."""

    def __init__(self, run: Sequence[bytes]) -> None:
        self.documents = [*run]
        self.ranks = [*range(1, len(run) + 1)]
        self.weights = [1.0 / float(rank**TAU) for rank in self.ranks]
        self._rank = dict(zip(run, self.ranks, strict=True))

    def take(self, document: bytes) -> float:
        """Take out a document; the probability that it had to be drawn next, 0 where the run has it not."""
        rank = self._rank.get(document)
        if rank is None:
            return 0.0
        place = bisect_left(self.ranks, rank)
        probability = self.weights[place] / fsum(self.weights)
        del self.documents[place], self.ranks[place], self.weights[place]
        return probability


def probabilistic(a: Sequence[bytes], b: Sequence[bytes], length: int, chance: SeededChance) -> Interleaved:
    """For every position a coin says whose distribution a document is drawn from; it leaves both of them.

    The probability of a document of rank r is r ** -3 over the sum of that over all that the run has left. As the coins
    are independent of each other, and of what was shown before, so are the teams of a list given its documents: the
    share of A in one is P_A / (P_A + P_B), by the probabilities that both runs had for it. When one run has nothing
    more, the rest comes from the other and counts for neither.

    Katja Hofmann, Shimon Whiteson and Maarten de Rijke, A Probabilistic Method for Inferring Preferences from Clicks,
    CIKM 2011.
    """
    left_a, left_b = _Left(a), _Left(b)
    shown: dict[bytes, str | None] = {}
    shares: list[float | None] = []
    while len(shown) < length and left_a.documents and left_b.documents:
        left, team = (left_a, A) if chance.coin() else (left_b, B)
        document = left.documents[chance.choose(left.weights)]
        shown[document] = team
        of_a, of_b = left_a.take(document), left_b.take(document)
        shares.append(of_a / (of_a + of_b))
    filled(shown, length, a, b)
    shares += [None] * (len(shown) - len(shares))
    return Interleaved(tuple(shown), tuple(shown.values()), tuple(shares))


def team_draft(a: Sequence[bytes], b: Sequence[bytes], length: int, chance: SeededChance) -> Interleaved:
    """Rounds, in each of which both runs add their best document that is not shown yet; a coin says which is first.

    So every position is A's with probability 1/2, whatever was shown before. For that to be so where a run ends before
    the list does, a round has a second pick if it has one whoever begins, and what is left then counts for neither. In
    the paper, lists end there. Where no run ends, teams depend on coins alone, and clicks that depend on positions
    alone make either run win as many lists.

    Filip Radlinski, Madhu Kurup and Thorsten Joachims, How Does Clickthrough Data Reflect Retrieval Quality?, CIKM
    2008, Algorithm 2.
    """
    shown: dict[bytes, str | None] = {}
    at = {A: 0, B: 0}
    runs = {A: a, B: b}
    while len(shown) < length:
        at = {team: _next(runs[team], place, shown) for team, place in at.items()}
        if at[A] == len(a) or at[B] == len(b):
            break
        first, second = (A, B) if chance.coin() else (B, A)
        alike = a[at[A]] == b[at[B]]
        shown[runs[first][at[first]]] = first
        if alike and any(_next(runs[team], place, shown) == len(runs[team]) for team, place in at.items()):
            break
        if len(shown) < length:
            shown[runs[second][_next(runs[second], at[second], shown)]] = second
    filled(shown, length, a, b)
    return Interleaved(tuple(shown), tuple(shown.values()))


def _next(run: Sequence[bytes], place: int, shown: Container[bytes]) -> int:
    """The first place of a run, not before `place`, with a document that is not shown; its length where all are."""
    while place < len(run) and run[place] in shown:
        place += 1
    return place


METHODS = {
    "probabilistic": InterleavingMethod(probabilistic, lambda k: k, whole=True, signs=LEAN),
    "team-draft": InterleavingMethod(team_draft, lambda k: (k + 1) // 2, signs=LEAN_IF_FILLED),
}


def chance_of(seed: int, method: str, query: bytes, draw: int) -> SeededChance:
    """Where a list of a query is drawn from: by its seed, method and id alone, and by what tells several lists apart;
    the first, number 0, is that of a single one."""
    return SeededChance(seed, b"interleave", method.encode(), query, *([b"draw %d" % draw] if draw else []))


def decoded_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a list or an event with their ids as texts."""
    return {name: _decoded(value) for name, value in fields.items()}


def _decoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_decoded, value))
    return decoded(value) if isinstance(value, bytes) else value


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
        One of `irev.extensions.clicks.online.interleave.METHODS`.
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
    exact = frozenset({"shares"})

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
    first = choices.within_first or (None if METHODS[choices.method].whole else choices.length)
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
    """Interleave two runs, whose first documents are given: as many as the method looks at, or all. Each query has
    `draws` lists.

    Raises `InputError` as `common`.
    """
    draw = METHODS[method].draw
    queries, alone = common(a, b, names)
    drawn = {
        query: tuple(
            draw(a[query], b[query], length, chance_of(seed, method, query, number)) for number in range(draws)
        )
        for query in queries
    }
    lists = {query: of[0] for query, of in drawn.items()}
    return Interleaving(method, length, seed, *names, lists, alone, drawn, (a, b))
