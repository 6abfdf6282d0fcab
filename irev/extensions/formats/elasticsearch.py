"""The ranking evaluation of Elasticsearch and OpenSearch: the ratings of a request as judgments, a response as a run.

In the body of a request to ``_rank_eval`` each element of ``requests`` has an id and ratings; in the response
``details`` has the hits for each id, best first. A document is its id, without its index: a file where one id stands in
two indices is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from irev.base.errors import InputError
from irev.reading.formats import JUDGMENTS, RUNS, Format
from irev.reading.json_reader import (
    JsonRows,
    first_fields,
    id_field,
    members_of,
    number_field,
    reading,
    shown_text,
    unfit,
)
from irev.reading.sources import BOM

REQUEST, RESPONSE = "requests", "details"


class _RankEval(JsonRows):
    """The ratings of a request, or the hits of a response."""

    def __init__(self, judged: bool, *given: Any) -> None:
        super().__init__(*given)
        self.records = judged
        self._judged = judged
        self._index: dict[str, str] = {}

    def lines(self) -> Iterator[bytes]:
        text, there = self.text, []
        for key in text.names():
            there.append(key)
            if self._judged and key == REQUEST:
                yield from text.elements(lambda: self.together(self._rated, text.value()))
            elif self._judged:
                text.value()
            elif key == "rank_eval":
                for inner in text.names():
                    there.append(inner)
                    yield from self._part(inner)
            else:
                yield from self._part(key)
        text.end()
        if self._judged:
            self._require(REQUEST, there, "a request to _rank_eval")
        else:
            self._require(RESPONSE, there, "a response of _rank_eval")

    def _part(self, key: str) -> Iterator[bytes]:
        """A field of a response."""
        text = self.text
        if key == RESPONSE:
            yield from text.members(lambda query: self.together(self._found, query, text.value()))
            return
        value = text.value()
        if key == "failures" and value:
            failed = ", ".join(shown_text(str(query)) for query, _ in value[:3]) if type(value) is tuple else ""
            raise InputError(f"queries failed: {failed}", self.name, "repeat the request until no query fails")

    def _require(self, key: str, there: list[str], what: str) -> None:
        if key not in there:
            found = ", ".join(map(shown_text, there)) or "none"
            raise InputError(f"there is no field {key!r}; there are {found}", self.name, f"expected {what}")

    def _rated(self, request: Any) -> bytes:
        fields = members_of(request, "request")
        for name in ("id", "ratings"):
            if name not in fields:
                remedy = "expected the id of the query and ratings of documents"
                raise unfit("E113", f"the request has no field '{name}'", remedy)
        return self.rows_of(fields["id"], fields["ratings"], "expected an array", self._rating, ": the ratings are")

    def _found(self, query: str, details: Any) -> bytes:
        fields = members_of(details, f"value of query {shown_text(query)}")
        return self.rows_of(query, fields.get("hits"), "expected an array", self._hit, ": the hits are")

    def _rating(self, query: str, row: Any, rank: int) -> str:
        fields = members_of(row, "rating")
        return f"{query} {self._document(fields)} {number_field(fields.get('rating'), 'rating')}"

    def _hit(self, query: str, row: Any, rank: int) -> str:
        fields = members_of(members_of(row, "hit").get("hit"), "hit")
        return f"{query} {self._document(fields)} {rank}"

    def _document(self, fields: dict[str, Any]) -> str:
        """The id of a document as a field."""
        found = id_field(fields.get("_id"), "document")
        index = str(fields.get("_index"))
        first = self._index.setdefault(found, index)
        if index != first:
            both = f"{shown_text(first)} and {shown_text(index)}"
            fact = f"document {shown_text(fields['_id'])} is in two indices, {both}"
            raise unfit("E110", fact, "their ids are the same; evaluate one index at a time")
        return found


_BEGINS_REQUEST = re.compile(rb'\s*\{\s*"requests"\s*:\s*\[\s*\{')


def _is_either(head: bytes) -> bool:
    """Whether a file begins as a request or as a response; which of them it should be is looked at when it is read."""
    fields = first_fields(head)
    # A request may be long before its first rating.
    is_request = fields.get(REQUEST) == "[" and (b'"ratings"' in head or _BEGINS_REQUEST.match(head.removeprefix(BOM)))
    return (
        bool(is_request) or fields.get("rank_eval") == "{" or ("metric_score" in fields and fields.get(RESPONSE) == "{")
    )


Format(
    name="rank_eval",
    description="The body of a _rank_eval request of Elasticsearch or OpenSearch; its ratings are read.",
    example='{"requests": [{"id": "q1", "request": {}, "ratings": [\n'
    '  {"_index": "docs", "_id": "d01", "rating": 2}, {"_index": "docs", "_id": "d02", "rating": 0}]}]}\n',
    lines=reading(("query", "document", "grade"), '{"requests": …}', partial(_RankEval, True)),
    recognised=lambda head, settings: _is_either(head),
    special=2,
).add_to(JUDGMENTS)
Format(
    name="rank_eval",
    description="The response of _rank_eval of Elasticsearch or OpenSearch; its hits are read, best first.",
    example='{"metric_score": 0.5, "details": {"q1": {"hits": [\n'
    '  {"hit": {"_index": "docs", "_id": "d01", "_score": 12.5}, "rating": 2},\n'
    '  {"hit": {"_index": "docs", "_id": "d02", "_score": 11.0}, "rating": null}]}}}\n',
    lines=reading(("query", "document", "rank"), '{"metric_score": …, "details": …}', partial(_RankEval, False)),
    recognised=lambda head, settings: _is_either(head),
    special=2,
).add_to(RUNS)
