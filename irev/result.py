"""The one record that feeds every output: what was computed, and what of it was asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from irev.aggregation import Summary
from irev.evaluation import Column, Scores
from irev.measures import Request


@dataclass(frozen=True, eq=False)
class Result:
    """An evaluation, ready to be shown.

    Attributes
    ----------
    scores : Scores
        One value per query and measure.
    summary : Summary
        One value per measure.
    per_query, summarised : bool
        Which of the two are wanted.
    policy : str
        Which queries count, in words.
    standard : bool
        Whether measures are called as in papers, ``nDCG@10``, and not as trec_eval does, ``ndcg_cut_10``.
    """

    scores: Scores
    summary: Summary
    per_query: bool = False
    summarised: bool = True
    policy: str = ""
    standard: bool = False

    def name(self, request: Request) -> str:
        """What a request is called."""
        return request.standard if self.standard else request.label

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that have values for single queries, those that differ in their aggregate alone as one."""
        by_base = {column.request.base: column for column in self.scores.columns if column.request.measure.per_query}
        return tuple(Column(base, column.values, column.weights) for base, column in by_base.items())


def told_apart(query: bytes) -> bytes:
    """A query as outputs show it: as it is, but one called ``all`` in quotes, since ``all`` means all queries.

    One that is called ``"all"`` gets another pair, so that no two look alike.
    """
    return b'"%b"' % query if _LIKE_ALL.fullmatch(query) else query


_LIKE_ALL = re.compile(rb'"*all"*')


@dataclass(frozen=True, eq=False)
class Screen:
    """What an output for people may use: columns of text, and colours."""

    width: int = 80
    colour: bool = False
