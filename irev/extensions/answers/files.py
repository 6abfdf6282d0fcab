"""Nuggets: facts that an answer should have, and which of them an answer has, as nuggetizer writes both.

A record for each query, one behind the other (JSONL), with an array of nuggets; each has a text, which is its name, and
its importance, or what was assigned to an answer. Queries and nuggets become lines of judgments, and assignments lines
of a run whose scores say how far a nugget is supported.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from irev.base.errors import Faults
from irev.base.settings import Settings
from irev.reading.fields import JudgmentKind, Layout
from irev.reading.formats import JUDGMENTS, RUNS, Format, as_field
from irev.reading.json_reader import (
    JsonRows,
    first_fields,
    id_field,
    json_head,
    kind_of,
    members_of,
    reading,
    shown_text,
    unfit,
)
from irev.reading.sources import Source, Stream

KIND = "nuggets"

IMPORTANCE = {"vital": "2", "okay": "1"}
"""The grades of nuggets."""

ASSIGNMENT = {"support": "1", "partial_support": "0.5", "not_support": "0"}
"""The scores of assignments, which are the credit that each earns."""

FAILED = "failed"
"""What nuggetizer writes where a model did not answer; to its scores it is no support, which nobody has said."""

_QUERY = ("qid", "topic_id", "query_id")
_FILLED = "nuggets"
_TAG = "run_id"


class _Nuggets(JsonRows):
    """Records with an array of nuggets."""

    def __init__(self, worth: dict[str, str], field: str, tagged: bool, *given: Any) -> None:
        super().__init__(*given)
        self._worth, self._field, self._tagged = worth, field, tagged
        self._tag = ""

    def lines(self) -> Iterator[bytes]:
        return self.of_all(self.of_record)

    def of_record(self, record: Any) -> bytes:
        fields = members_of(record, "record")
        name = next((name for name in _QUERY if name in fields), "")
        query = fields.get(name)
        if not isinstance(query, str):  # numbers are texts here
            fact = f"the query id is {kind_of(query)}" if name else f"the record has no field {_QUERY[0]!r}"
            raise unfit("E110" if name else "E113", fact, "expected the id of a query")
        named = id_field(str(query), "query")
        tag = self._run_id(fields.get(_TAG), query) if self._tagged else ""
        nuggets = fields.get(_FILLED)
        if type(nuggets) is not list:
            fact = f"the record of query {shown_text(query)} has no array of nuggets"
            raise unfit("E113", fact, "expected an array of objects as 'nuggets'")
        if not nuggets:
            self.faults.empty.append(query)
        return "".join(self.row(self._of_nugget, named, nugget, query, tag) for nugget in nuggets).encode()

    def _run_id(self, written: Any, query: str) -> str:
        tag = as_field(written) or "" if type(written) is str else ""
        if not tag:
            fact = f"the record of query {shown_text(query)} has no run id, and the first one has"
            raise unfit("E113", fact, f"expected a string as {_TAG!r}")
        self._tag = self._tag or tag
        if tag != self._tag:
            both = f"{shown_text(self._tag)} and {shown_text(tag)}"
            raise unfit("E113", f"the file has two runs, {both}", "write each to its own file")
        return tag

    def _of_nugget(self, named: str, nugget: Any, query: str, tag: str) -> str:
        """A line of judgments or of a run."""
        fields = members_of(nugget, "nugget")
        text, said = fields.get("text"), fields.get(self._field)
        where = f"a nugget of query {shown_text(query)}"
        if type(text) is not str:
            fact = f"{where} has no text" if text is None else f"the text of {where} is {kind_of(text)}"
            raise unfit("E113", fact, "expected a string")
        field = id_field(text, "nugget")
        worth = self._worth.get(said) if type(said) is str else None
        if worth is None:
            found = f"the {self._field} {shown_text(said)}" if type(said) is str else f"no {self._field}"
            remedy = f"expected one of {', '.join(self._worth)}"
            if said == FAILED and self._field == "assignment":
                remedy = "nuggetizer got no answer for it; run the assignment again"
            raise unfit("E113", f"{where} has {found}", remedy)
        return f"{named} {field} {worth}{' ' * bool(tag)}{tag}"


def _lines(
    worth: dict[str, str], said: str, value: str, source: Source, settings: Settings, faults: Faults
) -> tuple[Layout, Stream]:
    tagged = value == "score" and _TAG in first_fields(json_head(source))
    fields = ("query", "document", value, *["tag"] * tagged)
    example = f'{{"qid": "q1", "nuggets": [{{"text": "a fact", "{said}": "{next(iter(worth))}"}}]}}'
    return reading(fields, example, partial(_Nuggets, worth, said, tagged), "nugget")(source, settings, faults)


def _recognised(head: bytes, settings: Settings) -> bool:
    fields = first_fields(head)
    return fields.get(_FILLED) == "[" and any(name in fields for name in _QUERY)


Format(
    name="nuggets",
    description="Nuggets, as nuggetizer creates them for the RAG track: JSONL records with a qid and an array of"
    " nuggets, each with a text and its importance, vital or okay.",
    example='{"qid": "q1", "nuggets": [{"text": "It opened in 1930", "importance": "vital"},'
    ' {"text": "Entry was free", "importance": "okay"}]}\n',
    lines=lambda *given: _lines(IMPORTANCE, "importance", "grade", *given),
    recognised=_recognised,
    special=1,
    kind=JudgmentKind(KIND, assigned=True, graded=False),
).add_to(JUDGMENTS)
Format(
    name="nuggets",
    description="How far an answer supports each nugget, as nuggetizer assigns it: the same records with a run_id, and"
    " with an assignment for each nugget: support, partial_support or not_support.",
    example='{"qid": "q1", "run_id": "mine", "nuggets": [{"text": "It opened in 1930", "assignment": "support"},'
    ' {"text": "Entry was free", "assignment": "not_support"}]}\n',
    lines=lambda *given: _lines(ASSIGNMENT, "assignment", "score", *given),
    recognised=_recognised,
    special=1,
).add_to(RUNS)
