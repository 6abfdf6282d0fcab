"""Where the rankings behind values are had from, should it be asked why queries fell: nothing is read until then."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from irev.base.settings import Settings

if TYPE_CHECKING:
    from irev.ranking.full import FullRanking
    from irev.ranking.ranked import Ranked


class Again(NamedTuple):
    """The rankings of some queries of a run, neither cut nor without unjudged documents.

    Attributes
    ----------
    ranked : Ranked
    whole : mapping of bytes to FullRanking
    """

    ranked: Ranked
    whole: Mapping[bytes, FullRanking]

    def at(self, settings: Settings) -> Again:
        """As they were evaluated."""
        depth, judged_only = settings.depth, settings.judged_only
        whole = {query: each.at(depth, judged_only) for query, each in self.whole.items()}
        return Again(self.ranked.at(depth=depth, judged_only=judged_only), whole)


RankAgain = Callable[[str, Collection[bytes]], Again | None]
"""Gives the rankings of some queries again, by the name of their run; None where they cannot be had."""


class Rankings(NamedTuple):
    """Where rankings are had from.

    Attributes
    ----------
    run : RankAgain
    baseline : RankAgain or None
        What the run of that name is held against; None where only its values were saved.
    """

    run: RankAgain
    baseline: RankAgain | None
