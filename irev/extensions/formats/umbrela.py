"""Judgments of a model as UMBRELA writes them: a record for each query and passage, with a prompt and what came back.

Its records have the texts of both, and ids only where somebody adds them; without ids no run can be measured by them.
A prediction in which no grade was found has the judgment 0 and the status 0, which nobody has said.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from irev.reading.formats import JUDGMENTS, Format
from irev.reading.json_reader import (
    IntegerText,
    JsonRecords,
    first_fields,
    id_field,
    kind_of,
    members_of,
    reading,
    unfit,
)

QUERY, DOCUMENT = ("qid", "query_id", "topic_id"), ("docid", "doc_id", "pid")
"""What ids are called in records to which they were added."""

_OWN = {"prediction", "judgment", "passage"}
_NO_IDS = "the record has the texts of a query and a passage, and no ids"
_ADD_IDS = "give the qrels that UMBRELA wrote (modified_qrels/…), or add qid and docid to each record"


def _line(record: Any) -> str:
    fields = members_of(record, "record")
    names = [next((name for name in known if name in fields), "") for known in (QUERY, DOCUMENT)]
    if not all(names):
        raise unfit("E113", _NO_IDS, _ADD_IDS)
    if fields.get("result_status") == "0":
        fact = "no grade was found in what the model wrote, which UMBRELA writes as 0"
        raise unfit("E113", fact, "have it judged again, or leave the record out")
    grade = fields.get("judgment")
    if type(grade) is not IntegerText:
        raise unfit("E113", f"the judgment is {kind_of(grade)}", "expected a whole number")
    query, document = (id_field(fields[name], role) for name, role in zip(names, ("query", "document"), strict=True))
    return f"{query} {document} {grade}"


_EXAMPLE = (
    '{"qid": "q1", "docid": "d01", "query": "how long do fleas live", "passage": "From 20 days to a year.",'
    ' "prediction": "##final score: 3", "judgment": 3, "result_status": 1}'
)

Format(
    name="umbrela",
    description="Judgments of a model as UMBRELA writes them, JSONL with prediction and judgment, with qid and docid"
    " added. Its qrels are TREC's.",
    example=f"{_EXAMPLE}\n{_EXAMPLE.replace('d01', 'd02').replace('3', '0')}\n",
    lines=reading(("query", "document", "grade"), _EXAMPLE, partial(JsonRecords, _line), "line"),
    recognised=lambda head, settings: first_fields(head).keys() >= _OWN,
    special=1,
).add_to(JUDGMENTS)
