"""What a method of fusion is, and a normalisation: a function that works on many queries at once, and its record."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from irev.base.records import dataclass
from irev.base.registry import docstring

if TYPE_CHECKING:
    from irev.base.segments import Floats
    from irev.ranking.fusion.votes import RunRankings

RANKS, SCORES = "ranks", "scores"
"""What is looked at of the rankings."""


@dataclass(frozen=True)
class FusionMethod:
    """A way to fuse.

    Attributes
    ----------
    function : callable
        ``function(votes)``: (d,) the score of each document; ``function(votes, k)`` where it has a constant.
    of : str
        `RANKS`, or `SCORES`, which are normalised before.
    weighted : bool
        Whether runs may have weights: their contributions are added up.
    k : float or None
        Its constant, unless another is asked for.
    """

    function: Callable[..., Floats]
    of: str
    weighted: bool = False
    k: float | None = None

    @property
    def says(self) -> str:
        """What it is, in a line."""
        return _first_line(self.function)


@dataclass(frozen=True)
class Normalisation:
    """A way to make scores of different runs comparable.

    Attributes
    ----------
    function : callable
        ``function(rankings)``: (n,) what stands for the score of each row.
    of : str
        `RANKS` or `SCORES`.
    positive : bool
        Whether the highest score of every query has to be above 0.
    """

    function: Callable[[RunRankings], Floats]
    of: str = SCORES
    positive: bool = False

    @property
    def says(self) -> str:
        """What it is, in a line."""
        return _first_line(self.function)


def _first_line(function: Callable[..., Floats]) -> str:
    return docstring(function).split("\n\n", 1)[0].replace("\n", " ").strip()
