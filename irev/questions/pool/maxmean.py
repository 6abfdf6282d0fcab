"""MaxMean: runs as the arms of a bandit, of which the one that did best so far gives the next document to be judged.

The stationary bandit of David Losada, Javier Parapar and Álvaro Barreiro, Feeling Lucky? Multi-Armed Bandits for
Ordering Judgements in Pooling-Based Evaluation, SAC 2016, and Multi-Armed Bandits for Adjudicating Documents in
Pooling-Based Evaluation of Information Retrieval Systems, Information Processing & Management 53, 2017.

The probability that a document of a run is relevant has a uniform prior, Beta(1, 1). A judgment counts for every run
that has the document. So the mean of a run is (1 + r) / (2 + n), of whose documents n are judged and r relevant. It
follows from the judgments alone, whatever the order in which they were made: a bandit that is resumed from them goes on
as one that never stopped.
"""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats
from irev.questions.pool.candidates import Candidates, Selection


def choose(candidates: Candidates, budget: int | None, batch: int, level: float) -> Selection:
    """The next documents of one query.

    The run with the highest mean gives the first of its documents that is neither judged nor given out. Of several
    with the highest mean it is the one whose document has the best rank; of several such documents the one with the
    highest id. Within a batch no mean changes, since nothing is judged meanwhile.

    Parameters
    ----------
    candidates : Candidates
    budget : int or None
        Judgments in the end, those that there are included.
    batch : int
        How many documents are given out, if there are so many.
    level : float
    """
    left = batch if budget is None else min(batch, max(budget - candidates.judged, 0))
    mean = means(candidates, level)
    left_of = [_unjudged(candidates, run) for run in range(candidates.runs)]
    given: list[int] = []
    values: list[float] = []
    out = set[int]()
    while len(given) < left:
        offers = []
        for run, places in enumerate(left_of):
            while places and places[-1][1] in out:
                places.pop()
            if places:
                offers.append((-mean[run], *places[-1]))
        if not offers:
            break
        value, _, place = min(offers)
        given.append(place)
        values.append(-value)
        out.add(place)
    return Selection(np.array(given, dtype=np.int64), np.array(values, dtype=np.float64))


def means(candidates: Candidates, level: float) -> Floats:
    """(r,) The mean of each run."""
    grade = candidates.grade[candidates.document]
    judged = np.bincount(candidates.run[~np.isnan(grade)], minlength=candidates.runs)
    relevant = np.bincount(candidates.run[grade >= level], minlength=candidates.runs)
    found: Floats = (1 + relevant) / (2 + judged)
    return found


def _unjudged(candidates: Candidates, run: int) -> list[tuple[int, int]]:
    """Rank and place of the documents of a run that are not judged, the first at the end."""
    mine = np.flatnonzero((candidates.run == run) & candidates.unjudged[candidates.document])[::-1]
    return list(zip(candidates.rank[mine].tolist(), candidates.document[mine].tolist(), strict=True))
