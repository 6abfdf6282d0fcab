"""Interpolated precision: the highest from a given recall on, and its average over points of recall."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Bools, Floats, Ints
from irev.measures.measure import measure
from irev.measures.parameters import Levels, Numbers, WordParameter
from irev.ranking.ranked import Ranked

TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@measure(
    "iprec_at_recall",
    at_ranks=True,
    standard="IPrec",
    bounds="search",
    over=Levels(*TENTHS),
    options={"rule": WordParameter("trec_eval", "nist")},
)
def interpolated_precision(ranked: Ranked, recall: float, rule: str = "trec_eval") -> Floats:
    """Highest precision at any rank with the given share of the relevant documents, rounded to whole ones, or more.

    iprec_at_recall_c = the highest of r_i / i over the ranks i of the k-th and every later relevant
    document, where k is c · R rounded to the nearest whole number, half upwards, and at least 1. It never
    increases with c. Version 9.0.8 of trec_eval rounds otherwise, k = c · R + 0.9 cut to a whole number,
    which --compat 9.0.8 reproduces.

    Option rule: with nist, k is c · R rounded up, the least k for which k / R is at least c. This is how TREC explains
    its curve. Version 9.0.8 has the same k, unless c · R is inexact or its fraction is above 0 and below 0.1.

    The value is 0 when fewer than k relevant documents are retrieved, and so without results or without
    relevant documents.

    Source: Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC: Experiment and
    Evaluation in Information Retrieval, MIT Press, 2005.

    Example: grades 0 1 1 0, R = 4: iprec_at_recall_0.00 0.6667, iprec_at_recall_0.50 0.6667,
    iprec_at_recall_0.70 0.0000.
    """
    reached, place = _first_that_counts(ranked, recall, rule)
    value = np.zeros(ranked.size)
    value[reached] = ranked.once(_highest_ahead)[place]
    return value


def _first_that_counts(ranked: Ranked, recall: float, rule: str) -> tuple[Bools, Ints]:
    """Return the queries that reach a recall, and the place of their k-th relevant document among all of these."""
    with np.errstate(over="ignore"):
        exact = recall * ranked.relevant_total.astype(np.float64)
    if rule == "nist":
        wanted = _least(exact, recall, ranked.relevant_total)
    else:
        wanted = np.trunc(exact + 0.9) if ranked.settings.single_precision else _rounded(exact)
    reached = (ranked.relevant_retrieved > 0) & (wanted <= ranked.relevant_retrieved)
    first = segments.starts(ranked.relevant_retrieved)[reached]
    return reached, first + np.maximum(wanted[reached], 1).astype(np.int64) - 1


def deciding_ranks(ranked: Ranked, recall: float, rule: str = "trec_eval") -> tuple[int, int] | None:
    """Return the rank from which precision counts at a recall, and the rank from there with the highest precision.

    It is for a single query; None where it does not reach the recall.
    """
    _, place = _first_that_counts(ranked, recall, rule)
    if not len(place):
        return None
    first = int(place[0])
    best = first + int(ranked.relevant_precision[first:].argmax())
    return int(ranked.relevant_rank[first]), int(ranked.relevant_rank[best])


@measure(
    "11pt_avg",
    at_ranks=True,
    standard="IPrecAvg",
    bounds="search",
    over=Numbers(*TENTHS, key="points"),
    options={"rule": WordParameter("trec_eval", "nist")},
)
def eleven_point_average(ranked: Ranked, points: tuple[float, ...], rule: str = "trec_eval") -> Floats:
    """Interpolated precision averaged over eleven points of recall, by trec_eval's rounding: textbooks' is rule=nist.

    11pt_avg = the mean of iprec_at_recall at recall 0.0, 0.1, … 1.0. Recall c is reached with c · R relevant documents,
    rounded to the nearest whole number. In textbooks and in TREC's curve it is reached where recall is c or more, which
    is 11pt_avg_rule=nist: with R = 8, relevant documents at ranks 1 2 9 11 15 20 give 0.5146 here and 0.4295 there.

    Parameter: other points of recall, in any order and number; the average is over all of them.

    Option rule: nist takes the points as TREC explains its curve, as for iprec_at_recall.

    A query without results or without relevant documents has 0.

    Example: grades 0 1 1 0, R = 4: 11pt_avg 0.4242, 11pt_avg_0,0.5,1 0.4444,
    11pt_avg_0.6,rule=nist 0.0000.
    """
    value = np.zeros(ranked.size)
    # trec_eval meets the highest recall first, and the order of additions decides the last bit.
    for point in reversed(points):
        value += interpolated_precision(ranked, point, rule)
    return value / len(points)


def _highest_ahead(ranked: Ranked) -> Floats:
    return segments.highest_ahead(ranked.relevant_precision, ranked.relevant_owner, ranked.size)


def _least(exact: Floats, recall: float, total: Ints) -> Floats:
    """The least whole number k with k / `total` of at least `recall`, `exact` being their product but for rounding."""
    least = np.ceil(exact)
    # 7 / 100 is the float that 0.07 is, while 0.07 · 100 is more than 7.
    least -= segments.ratio(least - 1, total) >= recall
    return least + (segments.ratio(least, total) < recall)


def _rounded(values: Floats) -> Floats:
    """The nearest whole number, half away from zero."""
    whole = np.trunc(values)
    with np.errstate(invalid="ignore"):
        return whole + np.copysign(np.abs(values - whole) >= 0.5, values)
