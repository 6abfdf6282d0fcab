"""Measures that list instead of calculate: the grades at the top of the ranking, for the eye."""

from __future__ import annotations

import numpy as np

from irev import segments
from irev.measures.measure import measure
from irev.measures.parameters import Numbers
from irev.ranked import Ranked

UNJUDGED, POOLED = ord("-"), ord(".")
SYMBOLS = np.frombuffer(b"0123456789>", dtype=np.uint8)
"""Of the grades 0 to 9, and of all above."""


@measure("relstring", over=Numbers(10), kind="text", summary="none")
def relevance_string(ranked: Ranked, lengths: tuple[float, ...]) -> list[bytes]:
    """Grades of the first results, a character each, in single quotes.

    A grade of 0 to 9 is its digit and a higher one is ">"; "-" is a document without a judgment, "." one
    that the judgments name with a negative grade, that is, in the pool but not judged.

    Parameter: how many results to show, 10 unless given; of several numbers the first counts. The string is
    shorter for a query with fewer results, and empty for a query that the run lacks.

    Printed for single queries only.

    Example: grades - . 0 2 1 0 12: relstring '-.0210>', relstring_3 '-.0'.
    """
    shown = np.minimum(ranked.retrieved, int(min(max(lengths[0], 0), 2**31)))
    start = segments.starts(shown)
    characters = np.full(int(shown.sum()), UNJUDGED, dtype=np.uint8)
    near = ranked.rank <= shown[ranked.owner]
    grade = ranked.grade[near]
    symbol = np.where(grade < 0, POOLED, SYMBOLS[np.clip(grade, 0, 10).astype(np.int64)])
    characters[start[ranked.owner[near]] + ranked.rank[near] - 1] = symbol
    text = characters.tobytes()
    return [b"'%b'" % text[i : i + n] for i, n in zip(start.tolist(), shown.tolist(), strict=True)]
