"""Interleaving: one list made of two runs, and whose clicks on it are.

A way to do it is an `InterleavingMethod` in `METHODS`: how a list is drawn. What lists are drawn from, credit of many
clicks at once, and how programs read lists are below. numpy is imported where clicks are counted alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base.records import dataclass
from irev.base.registry import Registry
from irev.base.text import decoded

if TYPE_CHECKING:
    from irev.base.segments import Floats, Ints
    from irev.extensions.clicks.chance import SeededChance


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


class Clicked(NamedTuple):
    """Clicks on lists, `c` of them.

    Attributes
    ----------
    impression : int (c,)
        Which of the lists, from 0; in any order.
    position : int (c,)
        Where in that list, from 1.
    team : int (c,)
        The team of the document there: 1 for A, -1 for B, 0 for nobody.
    share : float (c,), optional
        Its share, for methods that have `Interleaved.shares`; anything for nobody's.
    """

    impression: Ints
    position: Ints
    team: Ints
    share: Floats | None = None


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
        once lists have documents of nobody's: there the mean credit decides.
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


METHODS: Registry[InterleavingMethod] = Registry("way to interleave")

for _name, _method in (
    ("probabilistic", InterleavingMethod(probabilistic, lambda k: k, whole=True, signs=LEAN)),
    ("team-draft", InterleavingMethod(team_draft, lambda k: (k + 1) // 2, signs=LEAN_IF_FILLED)),
):
    METHODS.add(_name, _method)


class Credit(NamedTuple):
    """What each of `i` lists is worth to A and to B, both float (i,); 0 for lists without a click that counts."""

    a: Floats
    b: Floats


def credited(clicks: Clicked, impressions: int) -> Credit:
    """The credit of A and of B for clicks on `impressions` lists of one method.

    A click is its team's; where lists have shares, it is shared out by the probabilities that A, and that B,
    contributed the document, given the list: the credit by teams, in expectation over all ways in which the list could
    have come about. A document that is clicked again counts once, and one of nobody's not at all.
    """
    import numpy as np

    order = np.lexsort((clicks.position, clicks.impression))
    impression, position = clicks.impression[order], clicks.position[order]
    again = (impression[1:] == impression[:-1]) & (position[1:] == position[:-1])
    rows = order[np.r_[True, ~again][: len(order)] & (clicks.team[order] != 0)]
    of_a = (clicks.team > 0).astype(np.float64) if clicks.share is None else clicks.share
    a, b = (
        np.bincount(clicks.impression[rows], worth[rows], impressions).astype(np.float64) for worth in (of_a, 1 - of_a)
    )
    return Credit(a, b)


def chance_of(seed: int, method: str, query: bytes, *more: bytes) -> SeededChance:
    """Where the list of a query is drawn from: by its seed, method and id alone, and by what tells lists apart."""
    from irev.extensions.clicks.chance import SeededChance

    return SeededChance(seed, b"interleave", method.encode(), query, *more)


def chance_of_draw(seed: int, method: str, query: bytes, draw: int) -> SeededChance:
    """The same of several lists of a query, counting from 0: the first is that of a single one."""
    return chance_of(seed, method, query, *([b"draw %d" % draw] if draw else []))


def most(method: str, length: int) -> int | None:
    """How many documents of a ranking a method looks at; None for all."""
    return None if METHODS.find(method).whole else length


EXACT = frozenset({"time", "shares", "propensities", "dwell"})
"""Those that are never rounded."""


def decoded_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a list or an event with their ids as texts."""
    return {name: _decoded(value) for name, value in fields.items()}


def _decoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_decoded, value))
    return decoded(value) if isinstance(value, bytes) else value
