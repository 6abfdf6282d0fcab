"""The one record that feeds every output: what was computed, and what of it was asked for."""

from __future__ import annotations

from dataclasses import dataclass

from irev.aggregation import Summary
from irev.evaluation import Scores


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
    """

    scores: Scores
    summary: Summary
    per_query: bool = False
    summarised: bool = True
    policy: str = ""


@dataclass(frozen=True, eq=False)
class Screen:
    """What an output for people may use: columns of text, and colours."""

    width: int = 80
    colour: bool = False
