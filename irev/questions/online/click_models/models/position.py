"""The position-based model: whether a document is looked at depends on its position alone.

Craswell, Zoeter, Taylor and Ramsey, An Experimental Comparison of Click Position-Bias Models, WSDM 2008; by expectation
maximisation, as Chuklin, Markov and de Rijke, Click Models for Web Search, 2015, have it. A log tells only the product
of looking and attraction, so that looking is relative to the first position; and it tells that only of positions whose
documents were shown elsewhere too, in a chain that leads to the first one.
"""

from __future__ import annotations

import numpy as np

from irev.base.segments import Bools, Floats
from irev.questions.online.click_models.models import Counts, Fitted, LogModel

STEPS, CLOSE = 2_000, 1e-8
"""Steps at most, and the change of a step that is none."""


def fit(counts: Counts, begin: Fitted | None) -> Fitted:
    """The most likely chances γ of looking at positions and α of attraction: click = γα.

    Each step is extrapolated from two of expectation maximisation: Varadhan and Roland, Simple and Globally Convergent
    Methods for Accelerating the Convergence of Any EM Algorithm, Scandinavian Journal of Statistics 35(2), 2008.
    """
    if begin is None:
        attracts = np.nan_to_num(counts.of_pairs(counts.clicked) / np.maximum(counts.of_pairs(counts.shown), 1))
        now = np.append(1 / np.arange(1.0, counts.places + 1), attracts)
    else:
        now = np.append(begin.of_places, begin.attracts / np.maximum(begin.out_of, 1e-300))
    now = np.clip(now, 1e-6, 1)
    for _ in range(STEPS):
        one = _step(counts, now)
        two = _step(counts, one)
        first, second = one - now, two - one - (one - now)
        if np.abs(first).max() < CLOSE:
            break
        length = -max(float(np.linalg.norm(first)) / (float(np.linalg.norm(second)) or 1e-300), 1.0)
        now = _step(counts, np.clip(now - 2 * length * first + length**2 * second, 1e-9, 1))
    looks, attracts = now[: counts.places], now[counts.places :]
    first_looks, out_of = float(looks[0]) or 1.0, counts.of_pairs(counts.shown)
    return Fitted(attracts * first_looks * out_of, out_of, looks / first_looks, connected(counts))


def _step(counts: Counts, now: Floats) -> Floats:
    """γ and α after a step of expectation maximisation."""
    looks, attracts = now[: counts.places][counts.place], now[counts.places :][counts.pair]
    neither = np.maximum(1 - looks * attracts, 1e-300)
    missed = counts.shown - counts.clicked
    # Of those without a click so many looked, and so many were attracted and did not look.
    seen, unseen = missed * looks * (1 - attracts) / neither, missed * attracts * (1 - looks) / neither
    return np.append(
        counts.of_places(counts.clicked + seen) / np.maximum(counts.of_places(counts.shown), 1e-300),
        counts.of_pairs(counts.clicked + unseen) / np.maximum(counts.of_pairs(counts.shown), 1e-300),
    )


def connected(counts: Counts) -> Bools:
    """(places,) Which positions a chain of documents leads to from the first, each seen at two of them."""
    known = np.zeros(counts.places, dtype=np.bool_)
    known[0] = True
    while True:
        pairs = counts.of_pairs(known[counts.place] * counts.shown) > 0
        more = counts.of_places(pairs[counts.pair] * counts.shown) > 0
        more |= known
        if (more == known).all():
            return known
        known = more


def chances(attraction: Floats, of_places: Floats) -> Floats:
    """γ of the position, times α of the document."""
    found: Floats = attraction * of_places[: attraction.shape[1]]
    return found


MODEL = LogModel(
    "whether a document is looked at depends on its position alone",
    fit,
    chances,
    "looked at, relative to the first",
)
