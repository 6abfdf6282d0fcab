"""Balanced interleaving: what is above any place of the list was as high in A as it was in B, give or take one rank.

Thorsten Joachims, Evaluating Retrieval Performance Using Clickthrough Data, in Text Mining, 2003; Algorithm 1 of Filip
Radlinski, Madhu Kurup and Thorsten Joachims, How Does Clickthrough Data Reflect Retrieval Quality?, CIKM 2008, who show
that clicks at random may be worth more to one of the runs: of A = x y z and B = y z x, whichever begins, a click on any
one document is B's two times of three.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irev.questions.online.interleaving.interleaved import A, B, Clicked, Interleaved, filled
from irev.questions.online.interleaving.methods import InterleavingMethod

if TYPE_CHECKING:
    from irev.base.chance import SeededChance
    from irev.base.segments import Floats


def draw(a: Sequence[bytes], b: Sequence[bytes], length: int, chance: SeededChance) -> Interleaved:
    """Rank by rank the document of A and that of B, unless they are shown already; one coin says which is first.

    Both runs give as many ranks as the shorter has, and what is left then is nobody's; in the paper, the list ends as
    soon as one of them has.
    """
    order = ((a, A), (b, B)) if chance.coin() else ((b, B), (a, A))
    shown: dict[bytes, str | None] = {}
    for rank in range(min(len(a), len(b))):
        for run, team in order:
            if len(shown) < length:
                shown.setdefault(run[rank], team)
    filled(shown, length, a, b)
    ranks_a, ranks_b = ({document: rank for rank, document in enumerate(run[:length], 1)} for run in (a, b))
    return Interleaved(
        tuple(shown),
        tuple(shown.values()),
        ranks_a=tuple(ranks_a.get(document) for document in shown),
        ranks_b=tuple(ranks_b.get(document) for document in shown),
    )


def credit(clicked: Clicked) -> tuple[Floats, Floats]:
    """A click counts for every run that has the document among its first k.

    k is the least rank, in A or in B, of the document that was clicked lowest in the list: as much of both runs is
    compared as was looked at. A click may count for both, and then for no difference.
    """
    import numpy as np

    ranks = [np.where(rank > 0, rank, np.inf) for rank in (clicked.rank_a, clicked.rank_b) if rank is not None]
    depth = np.full(int(clicked.impression.max(initial=-1)) + 1, np.inf)
    order = np.lexsort((clicked.position, clicked.impression))
    depth[clicked.impression[order]] = np.minimum(*ranks)[order]  # that of the lowest click is written last
    within = depth[clicked.impression]
    return (ranks[0] <= within).astype(float), (ranks[1] <= within).astype(float)


METHOD = InterleavingMethod(draw, credit, lambda k: (k > 0).astype(k.dtype), fair=False)
