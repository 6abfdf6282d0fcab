"""Judgments of samples: what was pooled is divided into strata, and of each only some documents were judged; or each
document has the probability with which it was drawn, as of the Million Query tracks.

There the method says how a document came to be judged: two ways to choose documents ran beside each other, one drew
them, the other picked those that tell runs apart; and what is picked is there for certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.base.errors import Faults, Problem, shown
from irev.base.settings import Settings
from irev.reading.fields import JudgmentKind, line
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import QRELS, lines
from irev.reading.judgments import Judgments

if TYPE_CHECKING:
    from irev.evaluation.notes import Note
    from irev.measures import Request

STRATA, PROBABILITIES = "strata", "probabilities"
"""The kinds of these judgments."""

METHODS = (b"0", b"1", b"2", b"4")
"""All of them; 1 and 4 are of documents that were drawn."""

_STRATA = replace(
    QRELS, fields=("query", "ignored", "document", "group", "grade"), example="query 0 document stratum grade"
)
_PRELS = replace(
    QRELS,
    fields=("query", "document", "grade", "group", "probability"),
    example="topic document grade method probability",
)


def notes(judgments: Judgments, settings: Settings, requests: Sequence[Request] | None) -> Iterator[Note]:
    """As `irev.extensions.samples.notes.notes`, which reading does not import."""
    from irev.extensions.samples.notes import notes as found

    return found(judgments, settings, requests)


def _has_unjudged(columns: dict[str, list[bytes]]) -> bool:
    """Whether strata are numbers, and some documents are not judged."""
    return all(map(bytes.isdigit, columns["group"])) and b"-1" in columns["grade"]


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


Format(
    name="strata",
    description="The qrels of sample_eval, of a sample: query, an ignored field, document, stratum and"
    " grade, -1 for a document that was not judged.",
    example="q1 0 d01 1 2\nq1 0 d02 2 -1\n",
    lines=partial(lines, _STRATA),
    suggested=True,
    plausible=_has_unjudged,
    kind=JudgmentKind(STRATA, _check_strata, notes=notes),
).add_to(JUDGMENTS)
Format(
    name="prels",
    description="Judgments with inclusion probabilities, as of the Million Query tracks and of irev pool --statap:"
    " query, document, grade, method (1 or 4 for drawn, 0 for picked, 2 for both) and probability.",
    example="q1 d01 2 1 0.25\nq1 d02 0 0 1\n",
    lines=partial(lines, _PRELS),
    suggested=True,
    kind=JudgmentKind(PROBABILITIES, _check_methods, notes=notes),
).add_to(JUDGMENTS)
