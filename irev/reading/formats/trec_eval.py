"""The formats of judgments that trec_eval has beside TREC's own: preferences, and judgments of several people.

They cannot be told from TREC's own, and have the names that trec_eval's ``-R`` gives them.
"""

from __future__ import annotations

from dataclasses import replace

from irev.errors import Faults
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import QRELS, ends_in_number, lines
from irev.reading.judgments import Judgments

PREFERENCES, GROUPS = "preferences", "groups"
"""The kinds of judgments."""

_PREFS = replace(
    QRELS, fields=("query", "group", "subgroup", "document", "grade"), example="query group subgroup document level"
)
_QRELS_PREFS = replace(QRELS, fields=("query", "group", "document", "grade"), example="query group document level")
_QRELS_JG = replace(_QRELS_PREFS, example="query group document grade")


def _check(judgments: Judgments, faults: Faults) -> None:
    from irev.reading.preferences import check  # of these formats alone

    check(judgments, faults)


JUDGMENTS.add(
    "prefs",
    Format(
        name="prefs",
        description="trec_eval's preferences: query, judgment group, subgroup, document and level, separated by white"
        " space. Within a subgroup a higher level is preferred to a lower one; those of a group must fit together.",
        example="q1 ann s1 d01 2\nq1 ann s1 d02 1\n",
        lines=lambda *given: lines(_PREFS, *given),
        likely=lambda lines: ends_in_number(lines[0], 5),
        kind=PREFERENCES,
        check=_check,
        graded=False,
        ties="docid-asc",
    ),
)
JUDGMENTS.add(
    "qrels_prefs",
    Format(
        name="qrels_prefs",
        description="TREC qrels as preferences: query, judgment group, document and level. Of each group a document of"
        " a higher level is preferred to one of a lower.",
        example="q1 0 d01 2\nq1 0 d02 0\n",
        lines=lambda *given: lines(_QRELS_PREFS, *given),
        kind=PREFERENCES,
        check=_check,
        graded=False,
        ties="docid-asc",
    ),
)
JUDGMENTS.add(
    "qrels_jg",
    Format(
        name="qrels_jg",
        description="TREC qrels of several people: query, judgment group, document and grade. A document may be judged"
        " in each group.",
        example="q1 ann d01 2\nq1 bob d01 0\n",
        lines=lambda *given: lines(_QRELS_JG, *given),
        kind=GROUPS,
        graded=False,
    ),
)
