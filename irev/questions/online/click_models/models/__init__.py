"""Models of clicks that are fitted to logs: a module for each, with a `MODEL`, called as the module is.

What a document attracts with belongs to a pair of a query and a document. Chuklin, Markov and de Rijke, Click Models
for Web Search, 2015, has all of them.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints


class Tails(NamedTuple):
    """What stands below the last click of lists.

    Attributes
    ----------
    place : int (t,)
        The position of that click, from 0.
    pairs : int (t, k)
        Below it; -1 beyond the end of the list.
    often : float (t,)
        Impressions.
    """

    place: Ints
    pairs: Ints
    often: Floats


@dataclass(frozen=True, eq=False)
class Counts:
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
    to_last, last : float (c,)
        Impressions without a click or with one there or below, and those of which the last click is there.
    tails : Tails
    pairs, places : int
        How many there are.
    """

    pair: Ints
    place: Ints
    shown: Floats
    clicked: Floats
    to_first: Floats
    first: Floats
    to_last: Floats
    last: Floats
    tails: Tails
    pairs: int
    places: int

    def of_pairs(self, values: Floats) -> Floats:
        """(pairs,) Sums over cells."""
        return np.bincount(self.pair, values, self.pairs).astype(np.float64, copy=False)

    def of_places(self, values: Floats) -> Floats:
        """(places,) Sums over cells."""
        return np.bincount(self.place, values, self.places).astype(np.float64, copy=False)


NOTHING: Floats = np.zeros(0)


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
    of_places: Floats = NOTHING
    told: Bools = NOTHING > 0

    def attraction(self) -> Floats:
        """(pairs,) Of every pair, as if one more had looked, with the chance of all together: no click is impossible
        that was not seen yet."""
        usual = float(self.attracts.sum() / max(self.out_of.sum(), 1e-300))
        found: Floats = (self.attracts + usual) / (self.out_of + 1)
        return found


@dataclass(frozen=True)
class LogModel:
    """A model of clicks.

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
    highest : float
        What that may be at most.
    """

    title: str
    fit: Callable[[Counts, Fitted | None], Fitted]
    chances: Callable[[Floats, Floats], Floats]
    of_places: str = ""
    highest: float = math.inf


@cache
def names() -> tuple[str, ...]:
    """What there is, without importing any of it."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def find(name: str) -> LogModel:
    """The model called so."""
    model: LogModel = importlib.import_module(f"{__name__}.{name}").MODEL
    return model
