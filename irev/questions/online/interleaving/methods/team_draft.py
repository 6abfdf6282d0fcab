"""Team draft: two captains pick players in turns, and a coin says in every round who begins.

Filip Radlinski, Madhu Kurup and Thorsten Joachims, How Does Clickthrough Data Reflect Retrieval Quality?, CIKM 2008,
Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from irev.questions.online.interleaving.interleaved import A, B, Clicked, Interleaved, filled
from irev.questions.online.interleaving.methods import InterleavingMethod

if TYPE_CHECKING:
    from irev.base.chance import SeededChance
    from irev.base.segments import Floats


def draw(a: Sequence[bytes], b: Sequence[bytes], length: int, chance: SeededChance) -> Interleaved:
    """Rounds, in each of which both runs add their best document that is not shown yet; a coin says which is first.

    So every position is A's with probability 1/2, whatever was shown before. For that to be so where a run ends before
    the list does, a round has a second pick if it has one whoever begins, and what is left then is nobody's. In the
    paper, lists end there. Where no run ends, teams depend on coins alone, and clicks that depend on positions alone
    make either run win as many lists.
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


def credit(clicked: Clicked) -> tuple[Floats, Floats]:
    """A click is its team's."""
    return (clicked.team > 0).astype(float), (clicked.team < 0).astype(float)


METHOD = InterleavingMethod(draw, credit, lambda k: (k + 1) // 2)
