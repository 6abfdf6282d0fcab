"""Evaluation: rankings and requests in, one number per query and request out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from irev.measures import Request
from irev.ranked import Ranked


@dataclass(frozen=True, eq=False)
class Column:
    """What one request gives.

    Attributes
    ----------
    request : Request
        The measure and its parameter.
    values : (q,)
        One value per query: float64, int64 for a count, bytes (object) for a text.
    """

    request: Request
    values: npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one run, query by query, with what their summary needs to know.

    Attributes
    ----------
    queries : tuple of bytes, length q
        The evaluated queries, in byte order.
    columns : tuple of Column
        One for each request, in order of output.
    considered : int
        Queries that averages divide by; more than q where some count without being evaluated.
    complete : bool
        Whether all judged queries are averaged over, including those that the run lacks.
    positive_judgments : int
        Judgments with a positive grade in the whole file, of whatever query.
    tag : bytes
        Run id of the last row of the run.
    """

    queries: tuple[bytes, ...]
    columns: tuple[Column, ...]
    considered: int
    complete: bool
    positive_judgments: int
    tag: bytes


def evaluate(ranked: Ranked, requests: Iterable[Request]) -> Scores:
    """Compute every request for every query.

    Parameters
    ----------
    ranked : Ranked
        The rankings, with relevance level, judged-only and depth already applied (`Ranked.at`).
    requests : iterable of Request
        What to compute, as `irev.measures.parse` gives it.
    """
    return Scores(
        queries=ranked.queries,
        columns=tuple(Column(request, request.measure.compute(ranked, request.value.value)) for request in requests),
        considered=ranked.considered,
        complete=ranked.settings.complete,
        positive_judgments=ranked.positive_judgments,
        tag=ranked.tag,
    )
