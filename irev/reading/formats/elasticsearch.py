"""The ranking evaluation of Elasticsearch and OpenSearch: the ratings of a request as judgments, a response as a run.

In the body of a request to ``_rank_eval`` each element of ``requests`` has an id and ratings; in the response
``details`` has the hits for each id, best first. A document is its id, without its index: a file where one id stands in
two indices is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from irev.base.settings import Settings
from irev.errors import Faults, InputError, Problem
from irev.reading.fields import Layout
from irev.reading.formats import JUDGMENTS, RUNS, Format, Rewritten, rewritten_layout
from irev.reading.formats.json_text import id_field
from irev.reading.json_reader import (
    DecimalText,
    IntegerText,
    JsonText,
    NotJson,
    first_fields,
    kind_of,
    members_of,
    not_json,
    repeated,
    shown_text,
)
from irev.reading.sources import BOM, Source, Stream

REQUEST, RESPONSE = "requests", "details"


class _RankEvalLines:
    """Ratings or hits of a file as lines, one for each; `count` of them so far."""

    def __init__(self, text: JsonText, name: str, faults: Faults) -> None:
        self._text, self._name, self._faults = text, name, faults
        self._queries: set[str] = set()
        self._index: dict[str, str] = {}
        self.count = 0

    def ratings(self) -> Iterator[bytes]:
        """The judgments of a request. Raises `NotJson`."""
        text, there = self._text, []
        for key in text.names():
            there.append(key)
            if key == REQUEST:
                yield from text.elements(lambda: self._rated(text.value()))
            else:
                text.value()
        text.end()
        self._require(REQUEST, there, "a request to _rank_eval")

    def hits(self) -> Iterator[bytes]:
        """The results of a response. Raises `NotJson`."""
        text, there = self._text, []
        for key in text.names():
            there.append(key)
            if key == "rank_eval":
                for inner in text.names():
                    there.append(inner)
                    yield from self._part(inner)
            else:
                yield from self._part(key)
        text.end()
        self._require(RESPONSE, there, "a response of _rank_eval")

    def _part(self, key: str) -> Iterator[bytes]:
        text = self._text
        if key == RESPONSE:
            yield from text.members(lambda query: self._found(query, text.value()))
            return
        value = text.value()
        if key == "failures" and value:
            failed = ", ".join(shown_text(str(query)) for query, _ in value[:3]) if type(value) is tuple else ""
            raise InputError(f"queries failed: {failed}", self._name, "repeat the request until none does")

    def _require(self, key: str, there: list[str], what: str) -> None:
        if key not in there:
            found = ", ".join(map(shown_text, there)) or "none"
            raise InputError(f"there is no field {key!r}; there are {found}", self._name, f"expected {what}")

    def _refused(self, fault: Problem) -> bytes:
        self.count += 1
        self._faults.note(fault)
        return b"\n"

    def _rated(self, request: Any) -> bytes:
        line = self.count + 1
        fields = members_of(request, "request", line, self._faults)
        if fields is None:
            self.count += 1
            return b"\n"
        for name in ("id", "ratings"):
            if name not in fields:
                remedy = "expected the id of the query and ratings of documents"
                return self._refused(Problem(line, "E113", f"the request has no field '{name}'", remedy))
        return self._of_query(fields["id"], fields["ratings"], "ratings", self._rating)

    def _found(self, query: str, details: Any) -> bytes:
        fields = members_of(details, f"value of query {shown_text(query)}", self.count + 1, self._faults)
        if fields is None:
            self.count += 1
            return b"\n"
        return self._of_query(query, fields.get("hits"), "hits", self._hit)

    def _of_query(self, query: Any, rows: Any, what: str, line_of: Callable[[str, Any, int], str]) -> bytes:
        """The rows of a query, each made by ``line_of(query, row, rank)``."""
        line = self.count + 1
        field = id_field(query, "query", line, self._faults)
        if field is None:
            self.count += 1
            return b"\n"
        if query in self._queries:
            return self._refused(repeated(line, query, "among the queries"))
        self._queries.add(query)
        if type(rows) is not list:
            fact = f"for query {shown_text(query)} the {what} are {kind_of(rows)}"
            return self._refused(Problem(line, "E113", fact, "expected an array"))
        if not rows:
            self._faults.empty.append(query)
        found = []
        for rank, row in enumerate(rows, start=1):
            self.count += 1
            found.append(line_of(field, row, rank) + "\n")
        return "".join(found).encode()

    def _rating(self, query: str, row: Any, rank: int) -> str:
        fields = members_of(row, "rating", self.count, self._faults)
        document = None if fields is None else self._document(fields)
        if fields is None or document is None:
            return ""
        rating = fields.get("rating")
        if type(rating) not in (IntegerText, DecimalText):
            self._faults.note(Problem(self.count, "E113", f"the rating is {kind_of(rating)}", "expected a number"))
            return ""
        return f"{query} {document} {rating}"

    def _hit(self, query: str, row: Any, rank: int) -> str:
        fields = members_of(row, "hit", self.count, self._faults)
        fields = None if fields is None else members_of(fields.get("hit"), "hit", self.count, self._faults)
        document = None if fields is None else self._document(fields)
        return "" if document is None else f"{query} {document} {rank}"

    def _document(self, fields: dict[str, Any]) -> str | None:
        """The id of a document as a field; None, and a problem noted, where there is none."""
        found = id_field(fields.get("_id"), "document", self.count, self._faults)
        if found is None:
            return None
        index = str(fields.get("_index"))
        first = self._index.setdefault(found, index)
        if index != first:
            both = f"{shown_text(first)} and {shown_text(index)}"
            fact = f"document {shown_text(fields['_id'])} stands in two indices, {both}"
            remedy = "ids alone do not tell them apart; evaluate one index at a time"
            self._faults.note(Problem(self.count, "E110", fact, remedy))
            return None
        return found


def _lines(value: str, source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    def rewritten(source: Source) -> Iterator[bytes]:
        found = _RankEvalLines(JsonText(source), source.name, faults)
        try:
            yield from found.ratings() if value == "grade" else found.hits()
        except NotJson as error:
            faults.note(not_json(found.count + 1, str(error)))

    fields = ("query", "document", "grade" if value == "grade" else "rank")
    example = '{"requests": …}' if value == "grade" else '{"metric_score": …, "details": …}'
    return rewritten_layout(fields, example, "entry", named=False), Rewritten(source, rewritten, faults)


_BEGINS_REQUEST = re.compile(rb'\s*\{\s*"requests"\s*:\s*\[\s*\{')


def _is_either(head: bytes) -> bool:
    """Whether a file begins as a request or as a response; which of them it should be is looked at when it is read."""
    fields = first_fields(head)
    # A request may be long before its first rating.
    is_request = fields.get(REQUEST) == "[" and (b'"ratings"' in head or _BEGINS_REQUEST.match(head.removeprefix(BOM)))
    return (
        bool(is_request) or fields.get("rank_eval") == "{" or ("metric_score" in fields and fields.get(RESPONSE) == "{")
    )


JUDGMENTS.add(
    "rank_eval",
    Format(
        name="rank_eval",
        description="The body of a request to _rank_eval of Elasticsearch or OpenSearch, for its ratings.",
        example='{"requests": [{"id": "q1", "request": {}, "ratings": [\n'
        '  {"_index": "docs", "_id": "d01", "rating": 2}, {"_index": "docs", "_id": "d02", "rating": 0}]}]}\n',
        lines=lambda *given: _lines("grade", *given),
        recognised=lambda head, settings: _is_either(head),
        special=True,
    ),
)
RUNS.add(
    "rank_eval",
    Format(
        name="rank_eval",
        description="The response of _rank_eval of Elasticsearch or OpenSearch, for its hits, best first.",
        example='{"metric_score": 0.5, "details": {"q1": {"hits": [\n'
        '  {"hit": {"_index": "docs", "_id": "d01", "_score": 12.5}, "rating": 2},\n'
        '  {"hit": {"_index": "docs", "_id": "d02", "_score": 11.0}, "rating": null}]}}}\n',
        lines=lambda *given: _lines("score", *given),
        recognised=lambda head, settings: _is_either(head),
        special=True,
    ),
)
