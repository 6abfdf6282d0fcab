"""Models of users who click, fitted to logs.

A new model is a `ClickModel` in `MODELS`. What a document attracts with belongs to a pair of a query and a document.
Chuklin, Markov and de Rijke, Click Models for Web Search, 2015, has both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.registry import Registry

if TYPE_CHECKING:
    from irev.base.segments import Bools, Floats, Ints

STEPS, CLOSE = 2_000, 1e-8
"""Steps of expectation maximisation at most, and the change of a step that is none."""


@dataclass(frozen=True, eq=False)
class ClickCounts:
    """What was shown and clicked, a cell for each pair and position at which it was shown.

    Attributes
    ----------
    pair : int (c,)
        From 0.
    place : int (c,)
        The position, from 0.
    shown, clicked : float (c,)
        Impressions, and those with a click there.
    to_first, first : float (c,)
        Impressions without a click above, and those of which the first click is there.
    pairs, places : int
        How many there are.
    """

    pair: Ints
    place: Ints
    shown: Floats
    clicked: Floats
    to_first: Floats
    first: Floats
    pairs: int
    places: int

    def of_pairs(self, values: Floats) -> Floats:
        """(pairs,) Sums over cells."""
        import numpy as np

        return np.bincount(self.pair, values, self.pairs).astype(np.float64, copy=False)

    def of_places(self, values: Floats) -> Floats:
        """(places,) Sums over cells."""
        import numpy as np

        return np.bincount(self.place, values, self.places).astype(np.float64, copy=False)


class Fitted(NamedTuple):
    """A model that was fitted.

    Attributes
    ----------
    attracts, out_of : (pairs,)
        Of how many who looked at a document so many were attracted; their ratio is the attraction.
    of_places : (places,)
        What the model knows of each position; nothing if it knows nothing.
    told : bool (places,)
        Whether the log tells that; what is foretold does not need it.
    """

    attracts: Floats
    out_of: Floats
    of_places: Floats
    told: Bools

    def attraction(self) -> Floats:
        """(pairs,) Of every pair, as if one more had looked, with the chance of all together: no click is impossible
        that was not seen yet."""
        usual = float(self.attracts.sum() / max(self.out_of.sum(), 1e-300))
        found: Floats = (self.attracts + usual) / (self.out_of + 1)
        return found


@dataclass(frozen=True)
class ClickModel:
    """How users go through a list.

    Attributes
    ----------
    title : str
        What it says of users, in a sentence.
    fit : callable
        ``fit(counts, begin)``, `begin` being what came of nearly the same counts, or None.
    chances : callable
        ``chances(attraction, of_places)``: the chance of a click at each position of lists, (n, k), whatever else is
        clicked; the attraction of what is beyond the end of a list is 0.
    of_places : str
        What it knows of each position, in words; empty for nothing.
    """

    title: str
    fit: Callable[[ClickCounts, Fitted | None], Fitted]
    chances: Callable[[Floats, Floats], Floats]
    of_places: str = ""


def fit_cascade(counts: ClickCounts, begin: Fitted | None) -> Fitted:
    """First clicks, of those who came so far: the most likely attraction.

    Craswell, Zoeter, Taylor and Ramsey, An Experimental Comparison of Click Position-Bias Models, WSDM 2008. What
    stands below the first click says nothing; a second click is one that the model does not know of.
    """
    nothing = np.zeros(0)
    return Fitted(counts.of_pairs(counts.first), counts.of_pairs(counts.to_first), nothing, nothing > 0)


def cascade_chances(attraction: Floats, of_places: Floats) -> Floats:
    """α of a document, times 1 - α of all above it."""
    above = np.cumprod(1 - attraction, axis=1)
    return attraction * np.concatenate((np.ones((len(above), 1)), above[:, :-1]), axis=1)


def fit_position(counts: ClickCounts, begin: Fitted | None) -> Fitted:
    """The most likely position_chances γ of looking at positions and α of attraction: click = γα.

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


def _step(counts: ClickCounts, now: Floats) -> Floats:
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


def connected(counts: ClickCounts) -> Bools:
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


def position_chances(attraction: Floats, of_places: Floats) -> Floats:
    """γ of the position, times α of the document."""
    found: Floats = attraction * of_places[: attraction.shape[1]]
    return found


MODELS: Registry[ClickModel] = Registry("click model")

for _name, _model in (
    ("cascade", ClickModel("users read from the top up to their first click", fit_cascade, cascade_chances)),
    (
        "position",
        ClickModel(
            "whether users look at a document depends only on its position",
            fit_position,
            position_chances,
            of_places="probability of a look, relative to the first position",
        ),
    ),
):
    MODELS.add(_name, _model)
