"""The table of topics of a page, in parts that go on paper; the script makes one of them, of all topics."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from irev.base.records import dataclass
from irev.base.text import MISSING, counted
from irev.evaluation.side_by_side import SideBySide
from irev.measures import Request
from irev.output.pages import topics
from irev.output.pages.html import Attributes, Markup, framed, joined, tag

AT_ONCE = 600
"""Cells of the table of topics that are shown at once; the script pages through all."""

LINE = 110
"""Signs in a line of a table on upright paper of any size."""

SMALLEST = 80
"""Percent of its size to which a table is made smaller on paper before its columns are parted."""


@dataclass(frozen=True, eq=False)
class TopicTable:
    """The values of topics under one measure.

    Attributes
    ----------
    side : SideBySide
    request : Request
        The first of its measures.
    names : mapping of bytes to str
        What topics are called, no two alike.
    values : sequence of sequences of str
        Of each run, and what is said of all.
    titles : mapping of bytes to str
    """

    side: SideBySide
    request: Request
    names: Mapping[bytes, str]
    values: Sequence[Sequence[str]]
    titles: Mapping[bytes, str]

    @property
    def markup(self) -> Markup:
        """Some topics, in tables of as many columns as go on paper; the script makes one of them, of all topics."""
        side, request = self.side, self.request
        chosen = self._chosen
        tables = [self._part(chosen, columns, number) for number, columns in enumerate(self.groups)]
        frame = framed(joined(tables), "", name="Topics")
        some = len(chosen) < len(side.queries)
        lowest = "worst, the middle and the best" if some else "worst first"
        count = f"{len(chosen):,} of {counted(len(side.queries), 'topic')}" if some else f"all {len(side.queries):,}"
        note = f"{directed(request)} of {count}, {lowest} by the median of the runs{self.last}." + (
            " With its script this page shows all, sorted and filtered as you like." if some else ""
        )
        return joined(frame, tag("p", {"class": "note", "id": "topics-note"}, note))

    def _part(self, chosen: Sequence[int], columns: tuple[int, int], number: int) -> Markup:
        """The table of some topics, with some of the columns behind topic and title."""
        side, labels, scale = self.side, self._labels, scale_of(self.side, 0)
        runs, values = len(side.outcomes), self.values
        here = range(*columns)
        head = (
            *(tag("th", {"scope": "col"}, label) for label in labels),
            *(tag("th", {"scope": "col", "class": "n"}, self._headings[i]) for i in here),
        )
        rows = (
            tag(
                "tr",
                None,
                tag("th", {"scope": "row"}, self.names[side.queries[at]]),
                tag("td", {"class": "words"}, topics.text_of(self.titles.get(side.queries[at])))
                if self.titles
                else None,
                (tag("td", {"class": _bar(values[i][at], scale) if i < runs else "n"}, values[i][at]) for i in here),
            )
            for at in chosen
        )
        first = number == 0
        about: Attributes = {
            "id": "topics-table" if first else None,
            "class": " ".join(filter(None, (self.sizes[number], "" if first else "rest"))) or None,
        }
        return tag("table", about, tag("thead", None, tag("tr", None, head)), tag("tbody", None, rows))

    @property
    def _labels(self) -> tuple[str, ...]:
        return ("topic", "title") if self.titles else ("topic",)

    @cached_property
    def _headings(self) -> list[str]:
        """What stands above the numbers of topics."""
        return [*(outcome.run for outcome in self.side.outcomes), *topics.statistics(self.side)]

    @property
    def _widths(self) -> list[int]:
        """Signs in each column of numbers, and a blank."""
        return [max(map(len, column), default=1) + 1 for column in self.values]

    @cached_property
    def groups(self) -> list[tuple[int, int]]:
        """From where to where the columns of numbers go that stand beside each other on paper."""
        widths, room = self._widths, LINE - self._words
        parts = 1 if sum(widths) * SMALLEST <= room * 100 else math.ceil(sum(widths) / room)
        ends = list(accumulate(widths))
        # Of about the same width, each.
        after = [bisect_left(ends, ends[-1] * part / parts) + 1 for part in range(1, parts)]
        return list(pairwise(dict.fromkeys((0, *after, len(widths)))))

    @property
    def _words(self) -> int:
        """Signs in the columns of words."""
        return 9 + 21 * bool(self.titles)

    @property
    def sizes(self) -> list[str]:
        """The class of each of these tables, which is made smaller where it is printed and would not go on paper."""
        found = []
        for begin, end in self.groups:
            share = 5 * math.floor(20 * LINE / (self._words + sum(self._widths[begin:end])))
            found.append("" if share >= 100 else f"z{max(share, 5)}")
        return found

    @property
    def at_once(self) -> int:
        """How many topics are shown at once."""
        return max(5, min(100, AT_ONCE // (len(self._labels) + len(self._headings))))

    @property
    def _chosen(self) -> list[int]:
        """The topics that stand in the page: those with the worst median, around the middle, and the best."""
        order, room = self.order, max(self.at_once, 9)
        if len(order) <= room:
            return order
        part = room // 3
        begin = (len(order) - part) // 2
        return [*order[:part], *order[begin : begin + part], *order[-part:]]

    @property
    def last(self) -> str:
        """What is said of topics that stand last whatever their values."""
        return "" if self.side.relevant.all() else ", those without relevant documents last"

    @cached_property
    def order(self) -> list[int]:
        """The topics, that with the worst median under the first measure first, those with nothing relevant last."""
        request = self.request
        middle = topics.summaries(self.side.values[0], request)[1].tolist()
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


def directed(request: Request) -> str:
    return request.standard + (" (lower is better)" if request.better == "lower" else "")


def one_topic() -> Markup:
    """What stands where the script shows a topic."""
    words = (
        "The rankings of one topic beside each other, with grades, terms and the ideal ranking, are shown by the"
        " script of this page, which does not run here."
    )
    return tag("div", {"id": "one"}, tag("p", None, words))
