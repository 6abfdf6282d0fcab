"""Judgments that are more than one grade of each document, as lines of fields.

They are preferences and judgments of several people, cannot be told from TREC's own, and have the names that
trec_eval's ``-R`` gives them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from irev.base.errors import Faults
from irev.reading.fields import GROUPS, PREFERENCES, JudgmentKind
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import QRELS, lines
from irev.reading.judgments import Judgments
from irev.reading.preferences import check

_PREFS = replace(
    QRELS, fields=("query", "group", "subgroup", "document", "grade"), example="query group subgroup document level"
)
_QRELS_PREFS = replace(QRELS, fields=("query", "group", "document", "grade"), example="query group document level")
_QRELS_JG = replace(_QRELS_PREFS, example="query group document grade")


def _check_preferences(judgments: Judgments, faults: Faults) -> None:
    check(judgments, faults)


_BY_PREFERENCE = JudgmentKind(PREFERENCES, _check_preferences, graded=False, ties="docid-asc")

Format(
    name="prefs",
    description="trec_eval's preferences: query, judgment group, subgroup, document and level, separated by white"
    " space. Within a subgroup a higher level is preferred to a lower one; the preferences of a group must not"
    " contradict each other.",
    example="q1 ann s1 d01 2\nq1 ann s1 d02 1\n",
    lines=partial(lines, _PREFS),
    suggested=True,
    kind=_BY_PREFERENCE,
).add_to(JUDGMENTS)
Format(
    name="qrels_prefs",
    description="TREC qrels as preferences: query, judgment group, document and level. Within each group a "
    "document of a higher level is preferred to one of a lower level.",
    example="q1 0 d01 2\nq1 0 d02 0\n",
    lines=partial(lines, _QRELS_PREFS),
    kind=_BY_PREFERENCE,
).add_to(JUDGMENTS)
Format(
    name="qrels_jg",
    description="TREC qrels of several people: query, judgment group, document and grade. A document may be judged"
    " in each group.",
    example="q1 ann d01 2\nq1 bob d01 0\n",
    lines=partial(lines, _QRELS_JG),
    kind=JudgmentKind(GROUPS, graded=False),
).add_to(JUDGMENTS)
