"""Estimates by which all lists that a query was shown with speak for a document together, whoever made them.

A document j of the other ranking was shown for its query with propensities that add up to P, in whatever lists, and
would have counted f in each of these impressions, F in all, had the ranking been shown. Then

- ``pooled``: each click on it counts F/P. These are the weights of the balance heuristic, which take the lists of all
  loggers for those of one that draws among them (Veach and Guibas, Optimally Combining Sampling Techniques for Monte
  Carlo Rendering, SIGGRAPH 1995; of logs Agarwal, Basu, Schnabel and Joachims, Effective Evaluation Using Logged Bandit
  Feedback from Multiple Loggers, KDD 2017). By ``ips`` a document counts where this list showed it, here where any did.
- ``doubly-robust``: what a guess γ of its attraction says, Σ f γ, and what clicks say beyond that: a document shown
  with propensity p counts (click - pγ) F/P (Dudík, Langford and Li, Doubly Robust Policy Evaluation and Learning, ICML
  2011; under position bias Oosterhuis, Doubly Robust Estimation for Correcting Position Bias in Click Feedback for
  Unbiased Learning to Rank, ACM TOIS 41(3), 2023). A good guess leaves less to chance, and a bad one no bias: γ of a
  user is from the clicks of all others, (clicks + g)/(looks + 1), g being what documents attract with in all.

Documents that no list ever showed count nothing up to f, as in all other estimates. Weights depend on lists and
propensities alone.
"""

from __future__ import annotations

import math

import numpy as np

from irev.base.segments import Floats, Ints
from irev.questions.online.by_user import Columns, Users, sorted_sums
from irev.questions.online.off_policy.finding import POOLED, ROBUST
from irev.reading.events.rows import numbered
from irev.statistics.ratios import ExactSum

NEVER = "never shown"
"""What documents that no list showed would count at most."""


class Looks:
    """How much it counts that users look at documents shown, whatever they click then."""

    def __init__(self) -> None:
        self._sum, self._squares = ExactSum(), ExactSum()

    def add(self, sums: Floats, squares: Floats) -> None:
        """Add Σ p w and Σ p w² of some impressions."""
        self._sum.add(sums)
        self._squares.add(squares)

    @property
    def effective(self) -> float:
        """(Σ p w)²/Σ p w²; 0 of nothing."""
        squares = self._squares.value
        return self._sum.value**2 / squares if squares else 0.0


class Steps:
    """How far one click more, or one fewer where clicks are nearly certain, could move a sum down and up.

    A click adds its weight w. A click that does not happen, of the p w that were expected at most, takes that away.
    """

    def __init__(self) -> None:
        self.down = self.up = 0.0

    def add(self, weight: Floats, propensity: Floats) -> None:
        """Take documents shown: what a click on each would add, and the propensity."""
        missed = weight * propensity
        self.up = max(self.up, float(weight.max(initial=0.0)), -float(missed.min(initial=0.0)))
        self.down = max(self.down, -float(weight.min(initial=0.0)), float(missed.max(initial=0.0)))


class _Sums:
    """Sums of positive numbers by pair, the same in whatever order they come: equal ones are counted."""

    def __init__(self, pairs: int) -> None:
        self._pairs = pairs
        self._rows: list[tuple[Ints, Floats, Ints]] = []

    def add(self, pair: Ints, value: Floats) -> None:
        """Take numbers."""
        self._rows.append(_counted(pair, value, np.ones(len(pair), dtype=np.int64)))
        if len(self._rows) > 64:
            self._rows = [self._merged()]

    def _merged(self) -> tuple[Ints, Floats, Ints]:
        pair, value, often = (np.concatenate(column) for column in zip(*self._rows, strict=True))
        return _counted(pair, value, often)

    def sums(self) -> Floats:
        """(pairs,) The sum of each."""
        if not self._rows:
            return np.zeros(self._pairs)
        pair, value, often = self._merged()
        return np.bincount(pair, value * often, self._pairs).astype(np.float64, copy=False)


def _counted(pair: Ints, value: Floats, often: Ints) -> tuple[Ints, Floats, Ints]:
    """Different pairs and values, in order, and how often each is there."""
    order = np.lexsort((value, pair))
    pair, value = pair[order], value[order]
    new = np.append(True, (pair[1:] != pair[:-1]) | (value[1:] != value[:-1]))[: len(pair)]
    begins = np.flatnonzero(new)
    return pair[begins], value[begins], np.add.reduceat(often[order], begins) if len(begins) else often[:0]


class Pooled:
    """Takes documents of the other ranking that impressions could have had, and then has what they count for users.

    Parameters
    ----------
    pairs : int
        Documents of the other ranking, over all queries.
    """

    def __init__(self, pairs: int) -> None:
        self._would, self._looks = _Sums(pairs), _Sums(pairs)
        self._clicks = np.zeros(pairs, dtype=np.int64)

    def add(self, pair: Ints, worth: Floats, propensity: Floats, clicked: Ints) -> None:
        """Take documents: what each would count in an impression, and with what propensity it was shown there, 0 where
        it was not."""
        there = propensity > 0
        self._would.add(pair, worth)
        self._looks.add(pair[there], propensity[there])
        self._clicks += np.bincount(pair, clicked, len(self._clicks)).astype(np.int64)

    def settle(self) -> None:
        """Make weights of what was taken."""
        self._shown = self._looks.sums()
        ever = self._shown > 0
        self.weight = np.where(ever, self._would.sums() / np.where(ever, self._shown, 1.0), 0.0)
        self._all_clicks, self._all_looks = int(self._clicks.sum()), math.fsum(self._shown)

    def columns(self, users: Users) -> Columns:
        """What is added for each user: by either estimate, and of documents that were never shown."""
        items, of, n = users.items, users.item_of, len(users.place)
        pair, worth, looks, clicked = (items[name] for name in ("pair", "worth", "propensity", "clicked"))
        ever, weight = self._shown[pair] > 0, self.weight[pair]
        # What all others say of a document, and of all documents together.
        own, pairs = numbered(of.astype(np.uint64), pair.astype(np.uint64))
        rest_clicks = self._clicks[pair] - np.bincount(own, clicked, pairs)[own]
        rest_looks = np.maximum(self._shown[pair] - sorted_sums(looks, own, pairs)[own], 0.0)
        other_clicks = self._all_clicks - np.bincount(of, clicked, n)
        other_looks = np.maximum(self._all_looks - sorted_sums(looks, of, n), 0.0)
        usual = np.minimum(other_clicks / np.where(other_looks > 0, other_looks, np.inf), 1.0)[of]
        guess = np.minimum((rest_clicks + usual) / (rest_looks + 1), 1.0)
        robust = np.where(ever, weight * clicked + (worth - weight * looks) * guess, 0.0)
        return {
            POOLED: sorted_sums(weight * clicked, of, n),
            ROBUST: sorted_sums(robust, of, n),
            NEVER: sorted_sums(np.where(ever, 0.0, worth), of, n),
        }
