"""Measures that list instead of calculate: the grades at the top of the ranking, and points of its curve."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.measures.measure import measure
from irev.measures.parameters import Numbers
from irev.ranking.ranked import Ranked

UNJUDGED, POOLED = ord("-"), ord(".")
SYMBOLS = np.frombuffer(b"0123456789>", dtype=np.uint8)
"""Of the grades 0 to 9, and of all above."""


@measure("relstring", standard="RelString", over=Numbers(10, key="length"), kind="text", summary="none")
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


@measure("pr_points", at_ranks=True, standard="PRPoints", cut="depth", kind="text", summary="none")
def precision_recall_points(ranked: Ranked) -> list[bytes]:
    """Recall and precision at every relevant document retrieved, in single quotes.

    A point i/R,i/k for the i-th relevant document retrieved, at rank k, with four decimals each, and a space
    between points: what the precision-recall curve is drawn from, before any interpolation. Between two
    points recall stays and precision falls; iprec_at_recall_x is the highest precision at or after recall x.

    It is empty for a query for which nothing relevant was retrieved. Printed for single queries only.

    Example: grades 1 0 1 - 1, R = 4: pr_points '0.2500,1.0000 0.5000,0.6667 0.7500,0.6000',
    pr_points_2 '0.2500,1.0000'.
    """
    owner = ranked.relevant_owner
    recall = segments.ratio(segments.position(owner, ranked.size) + 1, ranked.relevant_total[owner])
    pairs = zip(recall.tolist(), ranked.relevant_precision.tolist(), strict=True)
    points = [b"%.4f,%.4f" % pair for pair in pairs]
    found = ranked.relevant_retrieved
    start = segments.starts(found)
    return [b"'%b'" % b" ".join(points[i : i + n]) for i, n in zip(start.tolist(), found.tolist(), strict=True)]
