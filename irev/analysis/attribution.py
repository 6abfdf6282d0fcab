"""The documents that a difference between two runs is due to most, for a measure that is a sum over ranks.

What a document contributes to the change of its query is its share of the value after less its share before, as
`irev.analysis.diff` has it; here of all queries at once, from what was kept of each run, with none of them read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.segments import Floats
from irev.evaluation.page_data import ShownRun, ShownTerms
from irev.reading import ids
from irev.reading.judgments import Judgments


class Attribution(NamedTuple):
    """A document, and its part in the change of its query.

    Attributes
    ----------
    query, document : bytes
    grade : float
    before, after : int
        Its ranks; 0 where it was not retrieved.
    contribution : float
        How much of the change of the query is its doing.
    """

    query: bytes
    document: bytes
    grade: float
    before: int
    after: int
    contribution: float


def attribution(
    before: ShownRun, after: ShownRun, number: int, judgments: Judgments, counting: Sequence[bytes], most: int
) -> tuple[Attribution, ...]:
    """The judged documents that contribute most, up or down, the largest contribution first.

    Parameters
    ----------
    before, after : ShownRun
        What was kept of two runs for the same queries.
    number : int
        Which of the requests.
    judgments : Judgments
    counting : sequence of bytes
        The queries that count.
    most : int
        How many, at most. Equal ones stand in the order of their queries and ids.
    """
    old, new = before.terms[number], after.terms[number]
    if old is None or new is None:
        return ()
    counts = np.zeros(len(judgments.queries) + 1, dtype=bool)
    counts[judgments.places(counting)] = True
    change = shares(new, judgments) - shares(old, judgments)
    change[~counts[judgments.query]] = 0.0
    size = np.abs(change)
    changed = np.flatnonzero(size)
    if len(changed) > most:  # and whatever is as large as the last of them
        least = np.partition(size[changed], len(changed) - most)[len(changed) - most]
        changed = changed[size[changed] >= least]
    found = [
        Attribution(
            judgments.queries[judgments.query[row]],
            ids.at(judgments.text, judgments.document_start[row], judgments.document_length[row]),
            float(judgments.grade[row]),
            int(before.top_k.rank[row]),
            int(after.top_k.rank[row]),
            float(change[row]),
        )
        for row in changed.tolist()
    ]
    return tuple(sorted(found, key=lambda each: (-abs(each.contribution), each.query, each.document))[:most])


def shares(terms: ShownTerms, judgments: Judgments) -> Floats:
    """(j,) What each judged document is of the value of its query."""
    over = terms.over[terms.owner]
    share = np.divide(terms.times * terms.value, over, out=np.zeros(len(over)), where=over != 0)
    judged = terms.judgment >= 0
    return segments.total(share[judged], terms.judgment[judged], len(judgments.grade))
