"""How much of what was retrieved has a judgment, in the five ways in which this is counted."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.errors import UsageError
from irev.measures.families.precision import CUTOFFS
from irev.measures.measure import Weighted, measure
from irev.measures.parameters import Choice, Cutoffs
from irev.measures.ties import expected_within
from irev.ranking.ranked import Ranked

BY = Choice("results", "ranks", "cutoff", "any", "pooled")
"""What is counted, and what it is divided by; the docstring of `judged` defines them."""


def _judged(ranked: Ranked, k: int, by: str, known: Floats | Ints) -> Floats | Weighted:
    """Share of the judged, from how many of the first k results are."""
    shown = np.minimum(ranked.retrieved, k)
    return _share(known + (k - shown if by in ("ranks", "any") else 0), shown, k, by)


def _unjudged(ranked: Ranked, k: int, by: str, known: Floats | Ints) -> Floats | Weighted:
    """Share of the unjudged, from how many of the first k results are judged."""
    shown = np.minimum(ranked.retrieved, k)
    return _share((k if by == "cutoff" else shown) - known, shown, k, by)


def _share(counted: Floats | Ints, shown: Ints, k: int, by: str) -> Floats | Weighted:
    if by == "pooled":
        return Weighted(segments.ratio(counted, shown), shown.astype(np.float64))
    return segments.ratio(counted, shown if by == "results" else k)


def _known(ranked: Ranked, k: int, by: str) -> Ints:
    """How many of the first k results are judged."""
    if by != "any":
        return ranked.within(k, ranked.grade >= 0)
    elsewhere = segments.count(ranked.elsewhere_owner[ranked.elsewhere_rank <= k], ranked.size)
    return ranked.within(k, np.ones(len(ranked.grade), dtype=bool)) + elsewhere


def _expected_known(ranked: Ranked, k: int, by: str) -> Floats:
    if by == "any":
        raise UsageError(
            "the expected value over ties of judgments of any query (by=any) has no closed form here",
            remedy="ask for it with another --ties, or another by=",
        )
    return expected_within(ranked, ranked.grade >= 0, k)


@measure(
    "judged",
    standard="Judged",
    over=Cutoffs(*CUTOFFS),
    options={"by": BY},
    expected=lambda ranked, k, by: _judged(ranked, k, by, _expected_known(ranked, k, by)),
)
def judged(ranked: Ranked, k: int, by: str) -> Floats | Weighted:
    """Share of the first k results that have a judgment.

    With j documents of the first k judged, that is, of a grade of 0 or more, and n results:

    By results: judged_k = j / min(k, n), and 0 for a query without results.

    By ranks: judged_k = (j + k - min(k, n)) / k: missing ranks count as judged. It is 1 - unj_k.

    By cutoff: judged_k = j / k: missing ranks count as unjudged.

    By any: as ranks, but a document is judged when the judgments name it for any query, whatever its grade.

    By pooled: for one query as results; the line for all queries is (sum of j) / (sum of min(k, n)), so that
    queries with many results weigh more.

    The lower, the less the other measures can be trusted at that depth. For a query that the run lacks it is
    1 by ranks and by any, and 0 otherwise. Under -J, which drops what is unjudged, every query with at least
    k results has 1.

    Parameters: by, one of the five words; results unless given.

    Elsewhere: the same name gives five numbers. Judged of ir_measures and the judged documents of Anserini
    divide by results, and ir_measures counts a negative grade as a judgment. trec_eval prints unj, 1 - judged
    by ranks. Hole of BEIR and MTEB is 1 - judged by any. Pyserini pools. Without a cutoff ir_measures takes all
    results; here a cutoff beyond them gives the same, and the bare name the usual cutoffs.

    Example: grades 1 - | - - - - - - - - - -, R = 1: judged_10 0.2500, judged_10,by=ranks 0.4500,
    judged_10,by=cutoff 0.0500, judged_10,by=any 0.4500, judged_10,by=pooled 0.0833.
    """
    return _judged(ranked, k, by, _known(ranked, k, by))


@measure(
    "unjudged",
    better="lower",
    standard="Unjudged",
    over=Cutoffs(*CUTOFFS),
    options={"by": BY},
    also=("BEIR Hole@k by=any", "MTEB Hole_at_k by=any"),
    expected=lambda ranked, k, by: _unjudged(ranked, k, by, _expected_known(ranked, k, by)),
)
def unjudged(ranked: Ranked, k: int, by: str) -> Floats | Weighted:
    """Share of the first k results that have no judgment.

    With j documents of the first k judged, that is, of a grade of 0 or more, and n results:

    By results: unjudged_k = (min(k, n) - j) / min(k, n), and 0 for a query without results.

    By ranks: unjudged_k = (min(k, n) - j) / k: missing ranks count as judged. It is unj_k.

    By cutoff: unjudged_k = (k - j) / k: missing ranks count as unjudged.

    By any: as ranks, but a document is judged when the judgments name it for any query, whatever its grade.

    By pooled: for one query as results; the line for all queries is (sum of min(k, n) - j) /
    (sum of min(k, n)).

    It is 1 - judged_k in the same way, but for a query without results, which by results and pooled has 0 in
    both.

    Parameters: by, one of the five words; results unless given.

    Elsewhere: unj of trec_eval is by ranks. BEIR and MTEB call it Hole, by any; BEIR divides the sum over the
    queries of the run by the number of judged queries, which -c does too, and rounds to five decimals.

    Example: grades 1 - . | 0 - 1, R = 1: unjudged_2 0.5000, unjudged_4 0.5000, unjudged_4,by=ranks 0.3750,
    unjudged_4,by=cutoff 0.6250, unjudged_4,by=any 0.2500, unjudged_4,by=pooled 0.5000.
    """
    return _unjudged(ranked, k, by, _known(ranked, k, by))
