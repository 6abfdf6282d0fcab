"""What documents attract with, by a click model, and how well that is known.

α has Wilson's interval (Probable Inference, the Law of Succession, and Statistical Inference, JASA 22, 1927) for as
many looks as would leave it with the error e that the jackknife over groups of users finds, α(1 - α)/e² (Korn and
Graubard, Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from Survey Data,
Survey Methodology 24(2), 1998), and for no more than there were: of few looks, or without a click, α is not normal.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.base.text import encoded
from irev.questions.online.models import Counts, Fitted
from irev.statistics.intervals import quantile


class Attraction(NamedTuple):
    """What pairs of a query and a document attract with, by their numbers; NaN of ends without an interval.

    Attributes
    ----------
    value, low, high : float (pairs,)
    looks : float (pairs,)
        How many users looked, as far as the model knows.
    """

    value: Floats
    low: Floats
    high: Floats
    looks: Floats


def attraction_of(
    by_position: bool, counts: Counts, fitted: Fitted, without: list[Fitted], confidence: float
) -> Attraction:
    """What each pair attracts with, given the model of all users and those of all but a group of them each."""
    looks = fitted.out_of
    if by_position:
        looks = counts.of_pairs(counts.shown * np.minimum(fitted.of_places[counts.place], 1.0))
    value = _of_looks(fitted)
    if len(without) < 2:
        return Attraction(value, np.full(len(value), np.nan), np.full(len(value), np.nan), looks)
    others = np.array([np.where(each.out_of > 0, _of_looks(each), value) for each in without])
    square = (len(others) - 1) / len(others) * ((others - others.mean(axis=0)) ** 2).sum(axis=0)
    rest = value * (1 - value)
    n = np.maximum(np.where(square > 0, np.minimum(looks, rest / np.maximum(square, 1e-300)), looks), 1e-9)
    reach = quantile(len(others), confidence) ** 2 / n
    middle, half = (value + reach / 2) / (1 + reach), np.sqrt(reach * (rest + reach / 4)) / (1 + reach)
    return Attraction(value, np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0), looks)


def _of_looks(fitted: Fitted) -> Floats:
    """The share of users attracted among those who looked; 0 where nobody looked."""
    found: Floats = np.clip(fitted.attracts / np.maximum(fitted.out_of, 1e-300), 0.0, 1.0)
    return found


def tabled(known: Attraction, ids: Iterable[tuple[str, ...]], numbers: Iterable[int]) -> list[tuple[str, ...]]:
    """A row for each pair of a query and a document, whose ids and numbers these are: those of a query together, what
    attracts most first."""
    rows = []
    for (query, document), number in zip(ids, numbers, strict=True):
        value, low, high, looks = (float(column[number]) for column in known)
        ends = ("", "") if math.isnan(low) else (f"{low:.4f}", f"{high:.4f}")
        rows.append((query, -value, document, (f"{value:.4f}", *ends, f"{looks:.1f}")))
    header = ("query", "document", "attraction", "low", "high", "looks")
    return [header, *((query, document, *rest) for query, _, document, rest in sorted(rows))]


def lines(rows: Sequence[tuple[str, ...]]) -> Iterator[bytes]:
    """The lines of a file in CSV."""
    for row in rows:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(row)
        yield encoded(text.getvalue())
