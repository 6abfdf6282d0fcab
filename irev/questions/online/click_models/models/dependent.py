"""The dependent click model: a user reads from the top, and after a click at position r goes on with a chance of λ_r.

Guo, Liu and Wang, Efficient Multiple-Click Models in Web Search, WSDM 2009. They take everybody to have stopped at the
last click, which makes λ too low: who goes on may click nothing more. Here that is what is expected, by expectation
maximisation (Chuklin, Markov and de Rijke, Click Models for Web Search, 2015, section 4.2). Who clicks nothing looks at
the whole list.
"""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats
from irev.questions.online.click_models.models import Counts, Fitted, LogModel

STEPS, CLOSE = 2_000, 1e-8
"""Steps at most, and the change of a step that is none."""


def fit(counts: Counts, begin: Fitted | None) -> Fitted:
    """Clicks, of those who looked; and of clicks above the end of a list those after which users go on."""
    clicked, tails = counts.of_pairs(counts.clicked), counts.tails
    stayed = counts.of_places(counts.clicked - counts.last)
    could = stayed + np.bincount(tails.place, tails.often, counts.places)
    sure = counts.of_pairs(counts.to_last)
    there = tails.pairs >= 0
    often = np.repeat(tails.often, there.sum(axis=1))
    goes_on = np.full(counts.places, 0.5) if begin is None else begin.of_places
    out_of = sure
    for _ in range(STEPS):
        attraction = clicked / np.maximum(out_of, 1e-300)
        nothing = np.where(there, 1 - attraction[tails.pairs], 1.0).prod(axis=1)
        went = goes_on[tails.place] * nothing
        went /= np.maximum(1 - goes_on[tails.place] + went, 1e-300)
        new = (stayed + np.bincount(tails.place, tails.often * went, counts.places)) / np.maximum(could, 1e-300)
        looked = often * np.repeat(went, there.sum(axis=1))
        out_of = sure + np.bincount(tails.pairs[there], looked, counts.pairs)
        change = np.abs(new - goes_on).max()
        goes_on = new
        if change < CLOSE:
            break
    return Fitted(clicked, out_of, goes_on, could > 0)


def chances(attraction: Floats, of_places: Floats) -> Floats:
    """α of a document, if it is looked at; the next one is, if this one was and was not clicked, or λ says so."""
    found, looks = np.zeros_like(attraction), np.ones(len(attraction))
    for place in range(attraction.shape[1]):
        here = attraction[:, place]
        found[:, place] = looks * here
        looks = looks * (1 - here + here * of_places[place])
    return found


MODEL = LogModel(
    "users read from the top, and go on after a click with a chance that depends on its position",
    fit,
    chances,
    "goes on after a click there",
    highest=1.0,
)
