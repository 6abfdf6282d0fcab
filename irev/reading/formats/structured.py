"""Judgments that are more than one grade of each document, as lines of fields.

**Of trec_eval**: preferences, and judgments of several people. They cannot be told from TREC's own, and have the names
that trec_eval's ``-R`` gives them.

**Pairs** of documents, of which the first is preferred to the second. Any line of three words could be one, so the
format is named: pairs, or wins, which only counts them.

**Samples**: what was pooled is divided into strata, and of each only some documents were judged; or each document has
the probability with which it was drawn, as of the Million Query tracks. There the method says how a document came to be
judged: two ways to choose documents ran beside each other, one drew them, the other picked those that tell runs apart;
and what is picked is there for certain.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from irev.base.errors import Faults, Problem, shown
from irev.reading.fields import GROUPS, PREFERENCES, PROBABILITIES, STRATA, WORSE, JudgmentKind, line
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import QRELS, lines
from irev.reading.judgments import Judgments

METHODS = (b"0", b"1", b"2", b"4")
"""All of them; 1 and 4 are of documents that were drawn."""

_PREFS = replace(
    QRELS, fields=("query", "group", "subgroup", "document", "grade"), example="query group subgroup document level"
)
_QRELS_PREFS = replace(QRELS, fields=("query", "group", "document", "grade"), example="query group document level")
_QRELS_JG = replace(_QRELS_PREFS, example="query group document grade")
_PAIRS = replace(QRELS, fields=("query", "document", WORSE), example="query better worse")
_STRATA = replace(
    QRELS, fields=("query", "ignored", "document", "group", "grade"), example="query 0 document stratum grade"
)
_PRELS = replace(
    QRELS,
    fields=("query", "document", "grade", "group", "probability"),
    example="topic document grade method probability",
)


def _check_preferences(judgments: Judgments, faults: Faults) -> None:
    from irev.reading.preferences import check  # of these formats alone

    check(judgments, faults)


def _check_strata(judgments: Judgments, faults: Faults) -> None:
    """A document is in one stratum."""
    remedy = "a document is in one stratum; keep one of the lines"
    refuse_several(judgments, faults, "E161", "in stratum {}, and in stratum {}", remedy)


def _check_methods(judgments: Judgments, faults: Faults) -> None:
    """Methods are those that there are, and a document has one."""
    remedy = "expected 0 (picked), 1 or 4 (drawn) or 2 (both)"
    refuse_others(judgments, faults, METHODS, "there is no method {}", remedy)
    refuse_several(
        judgments, faults, "E103", "judged by method {}, and by method {}", "keep one of the lines; 2 is both"
    )


def refuse_others(judgments: Judgments, faults: Faults, known: tuple[bytes, ...], fact: str, remedy: str) -> None:
    """Adds to `faults` every row of a group that is none of those known; `fact` has a place for its name."""
    if judgments.details is None:
        return
    group, groups = judgments.details.grouped
    rows = np.flatnonzero(~groups.are(*known)[group])
    place = judgments.details.place.astype(np.int64)

    def problem(row: int) -> Problem:
        called = shown(groups.called(int(group[row])))
        return Problem(line(judgments.text, int(place[row])), "E162", fact.format(called), remedy)

    faults.add(rows[np.argsort(place[rows])], problem)


def refuse_several(judgments: Judgments, faults: Faults, code: str, fact: str, remedy: str) -> None:
    """Adds to `faults` every document of several groups; `fact` has places for the name of one, and of the one before
    it in the file."""
    details = judgments.details
    if details is None:
        return
    group, groups = details.grouped
    owner, row = details.rows(np.arange(len(judgments.grade)))
    again = np.flatnonzero(owner[1:] == owner[:-1])
    place = details.place[row].astype(np.int64)
    later = np.maximum(place[again], place[again + 1])

    def problem(i: int) -> Problem:
        two = sorted((int(row[i]), int(row[i + 1])), key=lambda each: int(details.place[each]))
        document, query = details.documents[int(owner[i])], judgments.queries[int(judgments.query[owner[i]])]
        first, second = (shown(groups.called(int(group[each]))) for each in two)
        what = f"document {shown(document)} of query {shown(query)} is {fact.format(second, first)}"
        there, here = (line(judgments.text, int(details.place[each])) for each in two)
        return Problem(here, code, what, remedy, there)

    faults.add(again[np.argsort(later, kind="stable")], problem)


_BY_PREFERENCE = JudgmentKind(PREFERENCES, _check_preferences, graded=False, ties="docid-asc")

Format(
    name="pairs",
    description="Preferences as pairs: query, the better document and the worse one, separated by white space. "
    "The grades of documents follow from all pairs of the query; 1 is the lowest.",
    example="q1 d01 d02\n",
    lines=partial(lines, _PAIRS),
    suggested=True,
    kind=JudgmentKind("pairs"),
).add_to(JUDGMENTS)
Format(
    name="wins",
    description="Preferences as pairs that may repeat or contradict each other: the same lines. The grade of a "
    "document is the number of pairs in which it is the better one.",
    example="q1 d01 d02\n",
    lines=partial(lines, _PAIRS),
    kind=JudgmentKind("wins"),
).add_to(JUDGMENTS)
Format(
    name="strata",
    description="The qrels of sample_eval, of a sample: query, an ignored field, document, stratum and"
    " grade, -1 for a document that was not judged.",
    example="q1 0 d01 1 2\nq1 0 d02 2 -1\n",
    lines=partial(lines, _STRATA),
    suggested=True,
    kind=JudgmentKind(STRATA, _check_strata),
).add_to(JUDGMENTS)
Format(
    name="prels",
    description="Judgments with inclusion probabilities, as of the Million Query tracks and of irev pool --statap:"
    " query, document, grade, method (1 or 4 for drawn, 0 for picked, 2 for both) and probability.",
    example="q1 d01 2 1 0.25\nq1 d02 0 0 1\n",
    lines=partial(lines, _PRELS),
    suggested=True,
    kind=JudgmentKind(PROBABILITIES, _check_methods),
).add_to(JUDGMENTS)
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
