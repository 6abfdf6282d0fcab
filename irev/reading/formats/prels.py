"""Judgments with inclusion probabilities: how likely each judged document was to be drawn, as of the Million Query
tracks.

The method says how a document came to be judged. Two ways to choose documents ran beside each other in these tracks:
one drew them, the other picked those that tell runs apart; and what is picked is there for certain.
"""

from __future__ import annotations

import numpy as np

from irev.errors import Faults, Problem, shown
from irev.reading.fields import Layout, line
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.strata import refuse_several
from irev.reading.formats.trec import ends_in_number
from irev.reading.formats.trec import lines as trec_lines
from irev.reading.judgments import Judgments

KIND = "probabilities"

PICKED = (b"0", b"2")
"""The methods of documents that were picked: these alone, and those that were drawn as well."""

METHODS = (b"0", b"1", b"2", b"4")
"""All of them; 1 and 4 are of documents that were drawn."""

LAYOUT = Layout(
    fields=("query", "document", "grade", "group", "probability"),
    exact=True,
    empty_lines=False,
    comments="line start",
    example="topic document grade method probability",
)


def _check(judgments: Judgments, faults: Faults) -> None:
    """Methods are those that there are, and a document has one."""
    details = judgments.details
    if details is None:
        return
    method, groups = details.grouped
    rows = np.flatnonzero(~groups.are(*METHODS)[method])
    place = details.place.astype(np.int64)

    def problem(row: int) -> Problem:
        fact = f"there is no method {shown(groups.called(int(method[row])))}"
        remedy = "expected 0 (picked), 1 or 4 (drawn) or 2 (both)"
        return Problem(line(judgments.text, int(place[row])), "E162", fact, remedy)

    faults.add(rows[np.argsort(place[rows])], problem)
    refuse_several(
        judgments, faults, "E103", "judged by method {}, and by method {}", "keep one of the lines; 2 is both"
    )


def _likely(lines: list[bytes]) -> bool:
    fields = lines[0].split()
    return (
        ends_in_number(lines[0], 5)
        and fields[3] in METHODS
        and ends_in_number(fields[2], 1)
        and 0 < float(fields[4]) <= 1
    )


JUDGMENTS.add(
    "prels",
    Format(
        name="prels",
        description="Judgments with inclusion probabilities, as of the Million Query tracks and of irev pool --statap:"
        " topic, document, grade, method (1 or 4 for drawn, 0 for picked, 2 for both) and probability.",
        example="q1 d01 2 1 0.25\nq1 d02 0 0 1\n",
        lines=lambda *given: trec_lines(LAYOUT, *given),
        likely=_likely,
        kind=KIND,
        check=_check,
    ),
)
