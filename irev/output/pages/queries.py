"""What the page's script shows of single queries: values and rankings as texts, made here, in pieces that are unpacked
only when one of their queries is looked at.

Where there is much of it the pieces are compressed. Each is JSON by itself; `_pieces` says what is in it.
"""

from __future__ import annotations

import base64
import json
import math
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.errors import decimal, printable
from irev.base.records import cached_property, dataclass
from irev.base.segments import Floats, Ints, difference
from irev.base.text import EXACT, MISSING, counted, encoded, reals, signed
from irev.evaluation.side_by_side import SideBySide, Summed
from irev.measures import Request
from irev.output.pages import Markup, framed, isolated, joined, tag
from irev.output.report import TOPICS
from irev.output.reports.comparison import directed
from irev.output.reports.ranking import grade_text
from irev.reading.flat_ids import FlatIds

TOGETHER = 50
"""Queries of a piece."""

PLAIN = 300_000
"""Characters up to which pieces are not compressed."""

PACKED = 5
"""How hard zlib tries: twice as hard saves a twentieth of the bytes."""

TEXT_KEPT = 300
"""Characters of a text that are shown."""


def data(
    side: SideBySide,
    columns: Sequence[Sequence[Sequence[str]]],
    digits: int,
    titles: Mapping[bytes, str],
    documents: Mapping[bytes, str],
) -> dict[str, Any]:
    """What the script needs of the values of queries, for each measure as `columns` gives them, and of rankings."""
    values = [[" ".join(each) for each in of] for of in columns]
    pieces = [_as_json(piece) for piece in _pieces(side, digits, documents)] if side.depth else []
    large = sum(map(len, pieces)) > PLAIN
    return {
        "depth": side.depth,
        "values": _packed(_as_json(values)) if large else values,
        "titles": [text_of(titles.get(query)) for query in side.queries] if titles else None,
        "together": TOGETHER,
        "pieces": _all_packed(pieces) if large else list(map(json.loads, pieces)),
    }


DIFFERENCE = "difference"
"""What is said of the values of two runs."""


def leading(side: SideBySide) -> int:
    """How many numbers about all runs stand between a query and its values: the best and the median of several."""
    return 2 if len(side.outcomes) > 2 else 0


def headings(side: SideBySide) -> list[str]:
    """What stands above the columns of numbers."""
    runs, lead = [outcome.run for outcome in side.outcomes], leading(side)
    return [*TOPICS[:lead], *runs, *TOPICS[lead:]] if lead else [*runs, *([DIFFERENCE] if len(runs) == 2 else [])]


def columns(values: Floats, request: Request, digits: int, baseline: int) -> list[list[str]]:
    """The values of each run for each query as texts, and what is said of all runs around them: see `headings`."""
    found = [texts(column, request, digits) for column in values.T]
    if values.shape[1] == 2:
        change = difference(values[:, 1 - baseline], values[:, baseline])
        found.append([signed(each, digits) for each in change.tolist()])
    elif values.shape[1] > 2:
        best, median, *rest = (texts(column, request, digits, exact=False) for column in summaries(values, request))
        found = [best, median, *found, *rest]
    return found


def summaries(values: Floats, request: Request) -> tuple[Floats, ...]:
    """(q,) The best, median and worst value of each query, and how far best and worst are from each other."""
    known = np.isfinite(values).any(axis=1)
    found = [np.full(len(values), math.nan) for _ in TOPICS]
    finite = np.where(np.isfinite(values[known]), values[known], math.nan)
    some = np.sort(finite, axis=1)  # with what is not a number at the end
    count, row = np.count_nonzero(~np.isnan(some), axis=1), np.arange(len(some))
    low, high = some[:, 0], some[row, count - 1]
    middle = (some[row, (count - 1) // 2] + some[row, count // 2]) / 2
    best, worst = (low, high) if request.better == "lower" else (high, low)
    for column, of_known in zip(found, (best, middle, worst, high - low), strict=True):
        column[known] = of_known
    return tuple(found)


def texts(values: Floats, request: Request, digits: int, exact: bool = True) -> list[str]:
    """Numbers as `eval` prints them, counts as whole ones."""
    listed = values.tolist()
    if request.measure.kind == "count" and exact and all(value == value // 1 for value in listed):
        return [str(int(value)) for value in listed]
    return reals(listed, digits)


def text_of(text: str | None) -> str:
    """A text as it is shown: in one line, safe, and cut."""
    if not text:
        return ""
    line = printable(encoded(" ".join(text[: 4 * TEXT_KEPT].split())))
    return line if len(line) <= TEXT_KEPT else f"{line[:TEXT_KEPT].rstrip()}…"


def _pieces(side: SideBySide, digits: int, documents: Mapping[bytes, str]) -> Iterator[dict[str, Any]]:
    """Each some queries, with a list of what each of them has: what is alike stands together, and takes less room.

    Of each query the documents, their grades and kinds (relevant, not relevant, without a judgment) and their ranks in
    each run; how many each run retrieved; and of each measure the terms. Where there are texts, each of them once, and
    which one each document has.
    """
    names = _names(side.documents)
    grades = _alike(side.grade, grade_text)
    kinds = np.select([side.grade >= side.level, side.grade >= 0], [ord("r"), ord("n")], ord("u"))
    kind = kinds.astype(np.uint8).tobytes().decode()
    ranks = np.ascontiguousarray(side.rank.T)
    retrieved = side.retrieved.tolist()
    listed = [None if summed is None else _Listed(summed, side.begin, digits) for summed in side.sums]
    ends = list(pairwise(side.begin.tolist()))
    for first in range(0, len(ends), TOGETHER):
        here = ends[first : first + TOGETHER]
        made: dict[str, Any] = {
            "d": [names[begin:end] for begin, end in here],
            "g": [grades[begin:end] for begin, end in here],
            "c": [kind[begin:end] for begin, end in here],
            "r": [ranks[:, begin:end].tolist() for begin, end in here],
            "n": retrieved[first : first + TOGETHER],
            "t": [None if each is None else each.of(first, len(here)) for each in listed],
        }
        if documents:
            known: dict[str, int] = {}
            made["k"] = [
                [known.setdefault(text_of(documents.get(name)), len(known)) for name in side.documents[begin:end]]
                for begin, end in here
            ]
            made["x"] = list(known)
        yield made


def _names(documents: FlatIds) -> list[str]:
    """Ids as they are shown."""
    content = documents.content
    text = content.decode("ascii") if content.isascii() else ""
    if not text.isprintable() or not text:
        return [printable(document) for document in documents]
    ends = np.cumsum(documents.length, dtype=np.int64)
    return [text[begin:end] for begin, end in zip((ends - documents.length).tolist(), ends.tolist(), strict=True)]


def _alike(values: Floats, text: Callable[[float], str]) -> list[str]:
    """The text of each of many numbers, most of which are the same as others."""
    known = segments.distinct(values)
    texts = np.array([text(value) for value in known.tolist()], dtype=object)
    found: list[str] = texts[np.searchsorted(known, values)].tolist()
    return found


class _Listed:
    """The terms of one measure as texts; `begin` is where the documents of each query begin."""

    def __init__(self, summed: Summed, begin: Ints, digits: int) -> None:
        self.times = summed.times
        self._text: Callable[[float], str] = repr if digits == EXACT else f"%.{digits}f".__mod__
        terms = np.full(summed.term.shape, "", dtype=object)
        there = ~np.isnan(summed.term)
        terms[there] = _alike(summed.term[there], self._text)
        self.terms, self.total = terms.tolist(), self._of_runs(summed.total)
        self.deeper = self._of_runs(np.where(summed.deeper == 0, math.nan, summed.deeper))
        alike = bool((summed.over == summed.over[:, :1]).all())
        most = EXACT if digits == EXACT else max(digits, 4)
        over = summed.over[:, :1] if alike else summed.over
        written = iter(_alike(over.ravel(), lambda each: decimal(each if most == EXACT else round(each, most))))
        self.over = [list(islice(written, over.shape[1])) for _ in range(len(over))]
        self.ideal: list[list[list[Any]]] | None = None
        if summed.ideal is not None and len(summed.ideal.row):
            ends, rows, gains, values = summed.ideal
            row = rows - np.repeat(begin[:-1], np.diff(ends))
            columns = row.tolist(), _alike(gains, decimal), _alike(values, self._text)
            listed = list(map(list, zip(*columns, strict=True)))
            self.ideal = [listed[first:last] for first, last in pairwise(ends.tolist())]

    def _of_runs(self, values: Floats) -> list[list[str]]:
        """Texts of each query and run, nothing for what is not a number."""
        texts = iter(["" if text == "nan" else text for text in map(self._text, values.ravel().tolist())])
        return [list(islice(texts, values.shape[1])) for _ in range(values.shape[0])]

    def of(self, first: int, count: int) -> dict[str, Any]:
        """Of so many queries, the first of which is given.

        The terms of each run rank by rank, commas between them; the sum, how much of it stands below what is shown, and
        what divides it, of runs alike once; what multiplies it; and the ideal ranking.
        """
        here = slice(first, first + count)
        found: dict[str, Any] = {
            "v": [[",".join(run) for run in query] for query in self.terms[here]],
            "s": self.total[here],
            "o": self.over[here],
        }
        if any(map(any, self.deeper[here])):
            found["b"] = self.deeper[here]
        if self.times != 1:
            found["x"] = decimal(self.times)
        if self.ideal is not None:
            found["i"] = self.ideal[here]
        return found


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _all_packed(pieces: list[str]) -> list[str]:
    """All pieces compressed, several at a time: zlib lets other threads go on."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as workers:
        return list(workers.map(_packed, pieces))


def _packed(text: str) -> str:
    """Compressed, in letters and digits."""
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), PACKED)).decode()


def distinct(names: Sequence[str]) -> list[str]:
    """Names of which no two are alike: what looks like another one is given a number."""
    looks = list(map(_look, names))
    seen: dict[str, int] = {}
    taken = set(looks)
    made = []
    for name, look in zip(names, looks, strict=True):
        number = seen[look] = seen.get(look, 0) + 1
        called = name
        while number > 1 and _look(called) in taken:
            called = f"{name} #{number}"
            number += 1
        if called != name:
            taken.add(_look(called))
        made.append(called)
    return made


def _look(name: str) -> str:
    """What is seen of a name, the same for names that differ in blanks or forms of letters alone."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


AT_ONCE = 600
"""Cells of the table of queries that are shown at once; the script pages through all."""


@dataclass(frozen=True, eq=False)
class QueryTable:
    """The values of queries under one measure.

    Attributes
    ----------
    side : SideBySide
    request : Request
        The first of its measures.
    names : mapping of bytes to str
        What queries are called, no two alike.
    values : sequence of sequences of str
        A column for each of `headings`.
    titles : mapping of bytes to str
    """

    side: SideBySide
    request: Request
    names: Mapping[bytes, str]
    values: Sequence[Sequence[str]]
    titles: Mapping[bytes, str]

    @property
    def markup(self) -> Markup:
        """The table of some queries; the script shows all."""
        side, request = self.side, self.request
        chosen = self._chosen
        frame = framed(self._of(chosen), "", name="Queries", kind="tall")
        some = len(chosen) < len(side.queries)
        lowest = "worst, the middle and the best" if some else "worst first"
        count = (
            f"{len(chosen):,} of {counted(len(side.queries), 'query', 'queries')}"
            if some
            else f"all {len(side.queries):,}"
        )
        note = f"{directed(request)} of {count}, {lowest} by the median of the runs{self.last}." + (
            " With scripts enabled, this page shows all queries, and sorts and filters them." if some else ""
        )
        return joined(frame, tag("p", {"class": "note", "id": "queries-note"}, note))

    def _of(self, chosen: Sequence[int]) -> Markup:
        """The table of some queries."""
        side, scale = self.side, scale_of(self.side, 0)
        barred = range(leading(side), leading(side) + len(side.outcomes))
        head = (
            *(tag("th", {"scope": "col"}, label) for label in self._labels),
            *(tag("th", {"scope": "col", "class": "n"}, heading) for heading in headings(side)),
        )
        rows = (
            tag(
                "tr",
                None,
                tag("th", {"scope": "row"}, isolated(self.names[side.queries[at]])),
                tag("td", {"class": "words"}, text_of(self.titles.get(side.queries[at]))) if self.titles else None,
                (
                    tag("td", {"class": _bar(column[at], scale) if i in barred else "n"}, column[at])
                    for i, column in enumerate(self.values)
                ),
            )
            for at in chosen
        )
        about = {"id": "queries-table"}
        return tag("table", about, tag("thead", None, tag("tr", None, head)), tag("tbody", None, rows))

    @property
    def _labels(self) -> tuple[str, ...]:
        return ("query", "title") if self.titles else ("query",)

    @property
    def at_once(self) -> int:
        """How many queries are shown at once."""
        return max(5, min(100, AT_ONCE // (len(self._labels) + len(self.values))))

    @property
    def _chosen(self) -> list[int]:
        """The queries that stand in the page: those with the worst median, around the middle, and the best."""
        order, room = self.order, max(self.at_once, 9)
        if len(order) <= room:
            return order
        part = room // 3
        begin = (len(order) - part) // 2
        return [*order[:part], *order[begin : begin + part], *order[-part:]]

    @property
    def last(self) -> str:
        """What is said of queries that stand last whatever their values."""
        return "" if self.side.relevant.all() else ", those without relevant documents last"

    @cached_property
    def order(self) -> list[int]:
        """The queries, that with the worst median under the first measure first, those with nothing relevant last."""
        request = self.request
        middle = summaries(self.side.values[0], request)[1].tolist()
        sign = -1 if request.better == "lower" else 1
        last = (~self.side.relevant).tolist()
        return sorted(range(len(middle)), key=lambda i: (last[i], math.isnan(middle[i]), sign * middle[i], i))


def scale_of(side: SideBySide, place: int) -> float:
    """What a full bar stands for: 1, or the highest value where one is above that."""
    values = side.values[place]
    finite = values[abs(values) < math.inf]
    return max(1.0, float(finite.max())) if finite.size else 1.0


def _bar(text: str, scale: float) -> str:
    """The class of a cell with a bar, of which there is one for each percent."""
    value = 0.0 if text == MISSING else float(text)
    share = value / scale if math.isfinite(value) else 0.0
    return f"n b b{math.floor(100 * min(max(share, 0.0), 1.0) + 0.5)}"


def one_query() -> Markup:
    """What stands where the script shows a query."""
    words = (
        "Scripts are disabled here. With scripts, this page shows the rankings of a query side by side, with "
        "grades, terms and the ideal ranking."
    )
    return tag("div", {"id": "one"}, tag("p", None, words))
