"""A list that two runs contribute to, and what clicks on some of them are, in columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from irev.base.segments import Floats, Ints

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
    ranks_a, ranks_b : tuple of (int or None), length n, or None
        The rank of each in A and in B, from 1, where a method looks at it; None where a run has it not among as many of
        its documents as a list may have.
    """

    documents: tuple[bytes, ...]
    teams: tuple[str | None, ...]
    shares: tuple[float | None, ...] | None = None
    ranks_a: tuple[int | None, ...] | None = None
    ranks_b: tuple[int | None, ...] | None = None

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
    rank_a, rank_b : float (c,), optional
        Its ranks, for methods that have them; 0 or NaN where it has none.
    """

    impression: Ints
    position: Ints
    team: Ints
    share: Floats | None = None
    rank_a: Floats | None = None
    rank_b: Floats | None = None

    def at(self, rows: Ints) -> Clicked:
        """Some of them alone."""
        return Clicked(*(None if column is None else column[rows] for column in self))  # type: ignore[arg-type]


def clicked(lists: Sequence[Interleaved], positions: Iterable[tuple[int, int]]) -> Clicked:
    """Clicks on `lists`, of one method, as pairs of the place of a list and a position in it, from 1."""
    import numpy as np

    pairs = np.array([*positions], dtype=np.int64).reshape(-1, 2)
    at = [(lists[place], position - 1) for place, position in pairs.tolist()]
    number = {A: 1, B: -1, None: 0}

    def column(name: str) -> Floats | None:
        if not lists or getattr(lists[0], name) is None:
            return None
        return np.array([getattr(each, name)[place] for each, place in at], dtype=np.float64)  # None becomes NaN

    team = np.array([number[each.teams[place]] for each, place in at], dtype=np.int64)
    return Clicked(pairs[:, 0], pairs[:, 1], team, column("shares"), column("ranks_a"), column("ranks_b"))
