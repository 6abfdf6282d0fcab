"""What the page's script shows of single topics: values and rankings as texts, made here, in pieces that are unpacked
only when one of their topics is looked at.

Where there is much of it the pieces are compressed. Each is JSON by itself; `_topic` says what is in it.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from irev.analysis.side_by_side import SideBySide, Summed
from irev.base.segments import Floats
from irev.base.text import EXACT, MISSING, encoded
from irev.errors import decimal, printable
from irev.measures import Request
from irev.output.report import TOPICS
from irev.output.reports.ranking import grade_text

TOGETHER = 50
"""Topics of a piece."""

PLAIN = 300_000
"""Characters up to which pieces are not compressed."""

TEXT_KEPT = 300
"""Characters of a text that are shown."""


def data(side: SideBySide, digits: int, titles: Mapping[bytes, str], documents: Mapping[bytes, str]) -> dict[str, Any]:
    """What the script needs of the values and rankings of topics."""
    values = [
        [" ".join(each) for each in _with_statistics(of, request, digits)]
        for of, request in zip(side.values, side.requests, strict=True)
    ]
    topics = list(_topics(side, digits, documents)) if side.depth else []
    pieces = [_as_json(topics[begin : begin + TOGETHER]) for begin in range(0, len(topics), TOGETHER)]
    large = sum(map(len, pieces)) > PLAIN
    return {
        "depth": side.depth,
        "values": _packed(_as_json(values)) if large else values,
        "titles": [text_of(titles.get(query)) for query in side.queries] if titles else None,
        "together": TOGETHER,
        "pieces": [_packed(piece) if large else json.loads(piece) for piece in pieces],
    }


def statistics(side: SideBySide) -> tuple[str, ...]:
    """What is said of the values of all runs for a topic; nothing where there are few runs."""
    return TOPICS if len(side.outcomes) > 2 else ()


def _with_statistics(values: Floats, request: Request, digits: int) -> Iterator[list[str]]:
    """The values of each run as texts; then what is said of all runs for each topic."""
    for column in values.T:
        yield texts(column, request, digits)
    if values.shape[1] > 2:
        for column in summaries(values, request):
            yield texts(column, request, digits, exact=False)


def summaries(values: Floats, request: Request) -> tuple[Floats, ...]:
    """(q,) The best, median and worst value of each topic, and how far best and worst are from each other."""
    known = np.isfinite(values).any(axis=1)
    found = [np.full(len(values), math.nan) for _ in TOPICS]
    some = np.where(np.isfinite(values[known]), values[known], math.nan)
    high, low = np.nanmax(some, axis=1), np.nanmin(some, axis=1)
    best, worst = (low, high) if request.measure.better == "lower" else (high, low)
    for column, of_known in zip(found, (best, np.nanmedian(some, axis=1), worst, high - low), strict=True):
        column[known] = of_known
    return tuple(found)


def texts(values: Floats, request: Request, digits: int, exact: bool = True) -> list[str]:
    """Numbers as `eval` prints them, counts as whole ones."""
    listed = values.tolist()
    if request.measure.kind == "count" and exact and all(value == value // 1 for value in listed):
        return [str(int(value)) for value in listed]
    if digits == EXACT:
        return [MISSING if math.isnan(value) else repr(value) for value in listed]
    return [MISSING if math.isnan(value) else f"{value:.{digits}f}" for value in listed]


def text_of(text: str | None) -> str:
    """A text as it is shown: in one line, safe, and cut."""
    if not text:
        return ""
    line = printable(encoded(" ".join(text[: 4 * TEXT_KEPT].split())))
    return line if len(line) <= TEXT_KEPT else f"{line[:TEXT_KEPT].rstrip()}…"


def _topics(side: SideBySide, digits: int, documents: Mapping[bytes, str]) -> Iterator[dict[str, Any]]:
    names = [printable(document) for document in side.documents]
    grades = [grade_text(grade) for grade in side.grade.tolist()]
    kinds = np.where(side.grade >= side.level, "r", np.where(side.grade >= 0, "n", "u")).tolist()
    ranks = side.rank.T
    begins = side.begin.tolist()
    retrieved = side.retrieved.tolist()
    listed = [None if summed is None else _Listed(summed, digits) for summed in side.sums]
    value_texts = [
        [texts(column, request, digits) for column in of.T]
        for of, request in zip(side.values, side.requests, strict=True)
    ]
    for topic, (begin, end) in enumerate(pairwise(begins)):
        made: dict[str, Any] = {
            "d": names[begin:end],
            "g": grades[begin:end],
            "c": "".join(kinds[begin:end]),
            "r": ranks[:, begin:end].tolist(),
            "n": retrieved[topic],
            "t": [
                None if each is None else each.of(topic, begin, end, [column[topic] for column in of])
                for each, of in zip(listed, value_texts, strict=True)
            ],
        }
        if documents:
            made["x"] = [text_of(documents.get(document)) for document in side.documents[begin:end]]
        yield made


class _Listed:
    """The terms of one measure as texts."""

    def __init__(self, summed: Summed, digits: int) -> None:
        self.summed, self.digits = summed, digits
        run, row = np.nonzero(~np.isnan(summed.term.T))
        self.texts = [self._text(value) for value in summed.term[row, run].tolist()]
        ends = np.searchsorted(run, np.arange(summed.term.shape[1] + 1)).tolist()
        self.first = ends[:-1]
        self.rows = [row[begin:end] for begin, end in pairwise(ends)]
        self.total, self.deeper, self.over = (each.tolist() for each in (summed.total, summed.deeper, summed.over))

    def _text(self, value: float) -> str:
        return repr(value) if self.digits == EXACT else f"{value:.{self.digits}f}"

    def of(self, topic: int, begin: int, end: int, values: Sequence[str]) -> dict[str, Any]:
        """The terms of each run by place and text, one after the other; how they add up; and the ideal ranking."""
        terms = []
        for rows, first in zip(self.rows, self.first, strict=True):
            here, stop = np.searchsorted(rows, (begin, end)).tolist()
            flat: list[int | str] = []
            for place, text in zip(
                (rows[here:stop] - begin).tolist(), self.texts[first + here : first + stop], strict=True
            ):
                flat += (place, text)
            terms.append(flat)
        found: dict[str, Any] = {
            "v": terms,
            "s": [self._sum(topic, run, value) for run, value in enumerate(values)],
        }
        if any(self.summed.ideal):
            found["i"] = [
                [each.row - begin, decimal(each.gain), self._text(each.value)] for each in self.summed.ideal[topic]
            ]
        return found

    def _sum(self, topic: int, run: int, value: str) -> str:
        """How the value comes about: the sum, how much of it stands below what is shown, what divides it."""
        over, times, deeper = self.over[topic][run], self.summed.times, self.deeper[topic][run]
        text = self._text(self.total[topic][run])
        if deeper:
            text += f", {self._text(deeper)} of it further down"
        if times != 1:
            text += f" × {decimal(times)}"
        if over != 1:
            text += f" ÷ {decimal(round(over, max(self.digits, 4)) if self.digits != EXACT else over)}"
        return f"{text} = {value}"


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _packed(text: str) -> str:
    """Compressed, in letters and digits."""
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 6)).decode()
