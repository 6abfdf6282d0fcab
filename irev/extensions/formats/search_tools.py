"""Tools for search: judgments of OpenSearch, Quepid and RRE, a data set of LlamaIndex, predictions of MTEB.

OpenSearch and Quepid have an array of queries with ratings, which OpenSearch writes in quotation marks. RRE has queries
in groups, these perhaps in topics, and gains of documents, or documents by gain as Quepid exports them. Queries are
their texts.

Quepid's exports are CSV, too. The basic one of a case has the columns query, docid and rating, the detailed one Query
Text, Doc ID, Title and Rating; where a query or a document is not rated yet, the rating is missing, and there is no
judgment. A snapshot has the documents that a query found, with their positions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from irev.base.errors import Faults, InputError
from irev.base.settings import Settings
from irev.base.text import REAL
from irev.reading.columns import Naming
from irev.reading.fields import Layout
from irev.reading.formats import JUDGMENTS, RUNS, Format, delimited, head_of
from irev.reading.formats.json_text import STRING, Entries
from irev.reading.json_reader import (
    JsonRows,
    begins_json,
    first_fields,
    id_field,
    kind_of,
    members_of,
    reading,
    shown_text,
    unfit,
)
from irev.reading.sources import Source, Stream

Pairs = list[tuple[Any, Any]]
"""Documents and their ratings."""

Rated = Callable[[Any], Iterator[tuple[Any, Pairs]]]
"""Gives the queries of an element, each with its ratings."""

META = "mteb_model_meta"
RELEVANT = "relevant_docs"


class _Rated(JsonRows):
    """Queries with ratings, in arrays under certain keys of an object; `rated` gives those of an element."""

    def __init__(self, keys: tuple[str, ...], rated: Rated, *given: Any) -> None:
        super().__init__(*given)
        self._keys, self._rated = keys, rated

    def lines(self) -> Iterator[bytes]:
        text, there, found = self.text, list[str](), False
        for key in text.names():
            there.append(key)
            if key in self._keys and text.next() == "[":
                found = True
                yield from text.elements(lambda: self.together(self.of_record, text.value()))
            else:
                text.skip()
        text.end()
        if not found:
            fields = ", ".join(map(shown_text, there)) or "none"
            fact = f"there is no array {' or '.join(map(repr, self._keys))}; the fields are {fields}"
            raise InputError(fact, self.name, "expected an array of queries with ratings")

    def of_record(self, record: Any) -> bytes:
        found = [*self._rated(record)]
        if not found:
            raise unfit("E113", "there is no query in an element of the array", "expected a query with ratings")
        return b"".join([self.rows_of(query, pairs, "", self._rating) for query, pairs in found])

    def _rating(self, query: str, pair: tuple[Any, Any], rank: int) -> str:
        field, rating = id_field(pair[0], "document"), pair[1]
        if not isinstance(rating, str):
            raise unfit("E113", f"the rating is {kind_of(rating)}", "expected a number")
        if not re.fullmatch(REAL, rating):
            raise unfit(
                "E113", f"the rating {shown_text(rating)} is not a number", "expected one, in quotes or without"
            )
        return f"{query} {field} {rating}"


def _opensearch(element: Any) -> Iterator[tuple[Any, Pairs]]:
    fields = members_of(element, "judgment")
    ratings = fields.get("ratings")
    if type(ratings) is not list:
        raise unfit("E113", f"the ratings of a query are {kind_of(ratings)}", "expected an array")
    rows = [members_of(each, "rating") for each in ratings]
    yield fields.get("query"), [(row.get("docId"), row.get("rating")) for row in rows]


def _quepid(element: Any) -> Iterator[tuple[Any, Pairs]]:
    fields = members_of(element, "query")
    ratings = members_of(fields.get("ratings") or (), "value of ratings")  # of none, Quepid writes null
    yield fields.get("query_text", fields.get("query")), [*ratings.items()]


def _rre(element: Any, documents: Any = None) -> Iterator[tuple[Any, Pairs]]:
    """Of a topic, a group or a query; a group has the documents of all its queries."""
    fields = members_of(element, "query")
    documents = fields.get("relevant_documents", documents)
    for key in _RRE:
        for each in fields[key] if type(fields.get(key)) is list else ():
            yield from _rre(each, documents)
    if "placeholders" in fields:
        asked = members_of(fields["placeholders"], "value of placeholders")
        yield asked.get("$query", asked.get("query")), _gains(documents)


_RRE = ("topics", "query_groups", "queries")


def _gains(documents: Any) -> Pairs:
    """Documents with their gains: an array of both, or an object that has gains by document, or arrays of documents by
    gain."""
    if type(documents) is list:
        rows = [members_of(each, "relevant document") for each in documents]
        return [(row.get("document_id"), row.get("gain")) for row in rows]
    found: Pairs = []
    for key, value in members_of(documents, "value of relevant_documents").items():
        if type(value) is list:
            found += [(document, key) for document in value]
        else:
            found.append((key, members_of(value, f"gain of document {shown_text(key)}").get("gain")))
    return found


class _RelevantDocs(JsonRows):
    """The relevant documents of LlamaIndex's `EmbeddingQAFinetuneDataset`; the texts beside them are skipped."""

    def lines(self) -> Iterator[bytes]:
        text, found = self.text, False
        for key in text.names():
            if key == RELEVANT:
                found = True
                yield from text.members(lambda query: self.together(self.of_query, query, text.value()))
            else:
                text.skip()
        text.end()
        if not found:
            raise InputError(f"there is no field {RELEVANT!r}", self.name, "expected a data set of LlamaIndex")

    def of_query(self, query: str, found: Any) -> bytes:
        return self.rows_of(
            query,
            found,
            "expected an array of ids",
            lambda field, each, rank: f"{field} {id_field(each, 'document')} 1",
        )


class _Predictions(Entries):
    """The results of MTEB for a task, behind a subset and a split of its data."""

    def lines(self) -> Iterator[bytes]:
        text, there = self.text, list[str]()
        for subset in text.names():
            if subset == META:
                text.skip()
                continue
            for split in text.names():
                there.append(f"{subset}/{split}")
                if len(there) > 1:
                    fact = f"there are predictions of several splits, {' and '.join(map(shown_text, there))}"
                    raise InputError(fact, self.name, "write one of them to a separate file")
                yield from text.members(lambda query: self.together(self.of_query, query, text.value()))
        text.end()


def _of_ratings(*keys: str, rated: Rated) -> Callable[[Source, Settings, Faults], tuple[Layout, Stream]]:
    return reading(("query", "document", "grade"), f'{{"{keys[-1]}": […]}}', partial(_Rated, keys, rated))


BASIC = (("query", "docid", "rating"), ("query", "doc_id", "rating"))
"""All columns of the basic export, as it is and as it was."""

DETAILED = ("Query Text", "Doc ID", "Rating")
SNAPSHOT = ("Query Text", "Doc ID", "Doc Position")
"""Columns of the other exports, for the query, the document and its number."""


def _naming(names: tuple[str, ...], settings: Settings, value: str) -> Naming:
    roles = ("query", "document", "grade" if value == "grade" else "rank")
    return Naming(roles, dict(zip(roles, names, strict=True)) | settings.columns_of(value), given=settings.columns)


def _judgments(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    if begins_json(head_of(source)):
        return _of_ratings("queries", rated=_quepid)(source, settings, faults)
    there = delimited.header(head_of(source), ",")
    names = next((names for names in BASIC if set(names) <= set(there)), DETAILED)
    return delimited.lines(",", _naming(names, settings, "grade"), source, faults, unrated=True)


def _run(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    return delimited.lines(",", _naming(SNAPSHOT, settings, "score"), source, faults, one="Snapshot Name")


def _has(head: bytes, names: tuple[str, ...]) -> bool:
    return all(name.encode() in head.partition(b"\n")[0] for name in names) and set(names) <= set(
        delimited.header(head, ",")
    )


def _is_ratings(head: bytes) -> bool:
    basic = head.startswith(b"query,") and tuple(delimited.header(head, ",")) in BASIC
    return basic or _has(head, DETAILED) or _is_quepid(head)


_SCORED = ("query", "document", "score")


def _is_quepid(head: bytes) -> bool:
    """Whether a file begins as Quepid's JSON."""
    return b'"ratings"' in head and b'"query' in head and first_fields(head).get("queries") == "["


def _is_rre(head: bytes) -> bool:
    return b'"relevant_documents"' in head and any(first_fields(head).get(key) == "[" for key in _RRE)


_BEGINS_DATA_SET = rb'\s*\{\s*(?:"(?:queries|corpus)"\s*:\s*\{\s*%b\s*:\s*"|"%b"\s*:\s*\{\s*%b\s*:\s*\[)' % (
    STRING,
    RELEVANT.encode(),
    STRING,
)

Format(
    name="quepid",
    description="Quepid's exports of a case: CSV with the columns query, docid and rating, or Query Text, Doc ID and"
    " Rating; or JSON with queries and their ratings. Documents without a rating are unjudged.",
    example="query,docid,rating\nred shoes,d01,2\nred shoes,d02,0\nblue sky\n",
    lines=_judgments,
    recognised=lambda head, settings: _is_ratings(head),
    special=1,
).add_to(JUDGMENTS)
Format(
    name="quepid",
    description="Quepid's export of a snapshot: CSV with the columns Query Text, Doc ID and Doc Position; "
    "ordered by position.",
    example="Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
    "before,2026-01-31,8,red shoes,d01,1\nbefore,2026-01-31,8,red shoes,d02,2\n",
    lines=_run,
    recognised=lambda head, settings: _has(head, SNAPSHOT),
    special=1,
).add_to(RUNS)
Format(
    name="llama_index",
    description="LlamaIndex's EmbeddingQAFinetuneDataset as a file of JSON: the relevant_docs of queries, of grade 1.",
    example='{"queries": {"q1": "red shoes"}, "corpus": {"d01": "Shoes"}, "relevant_docs": {"q1": ["d01", "d02"]}}\n',
    lines=reading(
        ("query", "document", "grade"),
        f'{{"{RELEVANT}": {{"query": ["document"]}}}}',
        partial(_RelevantDocs, records=False),
        relevant_only=True,
    ),
    recognised=lambda head, settings: re.match(_BEGINS_DATA_SET, head) is not None,
    special=1,
).add_to(JUDGMENTS)
Format(
    name="opensearch",
    description="Judgments of OpenSearch's Search Relevance Workbench, as it imports them: JSON with judgmentRatings.",
    example='{"judgmentRatings": [{"query": "red shoes", "ratings": [\n'
    '  {"docId": "d01", "rating": "2.000"}, {"docId": "d02", "rating": "0.000"}]}]}\n',
    lines=_of_ratings("judgmentRatings", rated=_opensearch),
    recognised=lambda head, settings: b'"judgmentRatings"' in head and first_fields(head).get("judgmentRatings") == "[",
    special=1,
).add_to(JUDGMENTS)
Format(
    name="rre",
    description="Ratings of Rated Ranking Evaluator, also as Quepid exports them: JSON with queries, perhaps in groups,"
    " and their relevant_documents.",
    example='{"queries": [{"placeholders": {"$query": "red shoes"}, "relevant_documents": {\n'
    '  "d01": {"gain": 2}, "d02": {"gain": 0}}}]}\n',
    lines=_of_ratings(*_RRE, rated=_rre),
    recognised=lambda head, settings: _is_rre(head),
    special=1,
).add_to(JUDGMENTS)
Format(
    name="mteb",
    description="Predictions of MTEB for a task of retrieval: JSON with an object of documents and scores for each"
    " query, of one split.",
    example='{"mteb_model_meta": {"model_name": "mine", "revision": "1"}, "default": {"test": {\n'
    '  "q1": {"d01": 12.5, "d02": 11.0}}}}\n',
    lines=reading(
        _SCORED,
        '{"default": {"test": {"query": {"document": score}}}}',
        partial(_Predictions, dict(zip(_SCORED, _SCORED, strict=True)), True, ""),
    ),
    recognised=lambda head, settings: META.encode() in head and META in first_fields(head),
    special=1,
).add_to(RUNS)
