"""Nuggets: how many of the facts that an answer should have it has."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError
from irev.base.segments import Floats
from irev.measures.measure import ORDER_FREE, Terms, measure
from irev.measures.parameters import WordParameter
from irev.ranking.ranked import Ranked

VITAL = 2.0
"""The grade of a nugget that is vital; others are okay."""

_OKAY = {"vital": 0.0, "all": 1.0, "weighted": 0.5}
"""What a nugget weighs that is okay; a vital one weighs 1."""


@measure(
    "nugget_recall",
    standard="NuggetRecall",
    of="nuggets",
    options={"nuggets": WordParameter(*_OKAY), "credit": WordParameter("strict", "partial")},
    also=(
        "nuggetizer strict_vital_score",
        "nuggetizer vital_score credit=partial",
        "nuggetizer strict_all_score nuggets=all",
        "nuggetizer all_score nuggets=all credit=partial",
    ),
    expected=ORDER_FREE,
)
def nugget_recall(ranked: Ranked, nuggets: str, credit: str) -> Terms:
    """Share of the nuggets of a query that its answer supports.

    nugget_recall = (sum over the nuggets of weight · credit) / (sum over the nuggets of weight).

    Parameters: nuggets=vital, which count alone unless all are asked for, or weighted, of which one that is okay
    weighs half; and credit=strict, 1 for support and nothing for partial support, or partial, which gives that 0.5.

    A nugget without an assignment is not supported. A query without nuggets that count has 0; one without an answer has
    no value, or 0 with -c. The order of nuggets means nothing, and cutoffs make no sense.

    Source: Ronak Pradeep, Nandan Thakur, Shivani Upadhyay, Daniel Campos, Nick Craswell and Jimmy Lin, Initial nugget
    evaluation results for the TREC 2024 RAG track with the AutoNuggetizer framework, 2024; vital and okay: Ellen M.
    Voorhees, Overview of the TREC 2003 question answering track.

    Example: vital support, vital partial_support, okay not_support, okay support: nugget_recall 0.5000,
    nugget_recall_credit=partial 0.7500, nugget_recall_nuggets=all 0.5000, nugget_recall_nuggets=weighted 0.5000.
    """
    if ranked.score is None:  # no query was asked for that has any
        return Terms(ranked.owner, ranked.rank, np.zeros(len(ranked.rank)), 0.0, by_rank=False)
    if ((ranked.score < 0) | (ranked.score > 1)).any():
        raise UsageError("assignments of nuggets have scores from 0 to 1", remedy="is this a run of documents?")
    earned = ranked.score if credit == "partial" else np.floor(ranked.score)
    weights = _weights(ranked.judged_grade, nuggets)
    over = segments.total(weights, ranked.judged_owner, ranked.size)
    return Terms(ranked.owner, ranked.rank, _weights(ranked.grade, nuggets) * earned, over, by_rank=False)


def _weights(grade: Floats, nuggets: str) -> Floats:
    return np.where(grade == VITAL, 1.0, _OKAY[nuggets])
