"""An estimate by which all lists that a query was shown with speak for a document together, whoever made them.

A document j of the other ranking was shown for its query with propensities that add up to P, in whatever lists, and
would have counted f in each of these impressions, F in all, had the ranking been shown. Then each click on it counts
F/P. These are the weights of the balance heuristic, which take the lists of all loggers for those of one that draws
among them (Veach and Guibas, Optimally Combining Sampling Techniques for Monte Carlo Rendering, SIGGRAPH 1995; of logs
Agarwal, Basu, Schnabel and Joachims, Effective Evaluation Using Logged Bandit Feedback from Multiple Loggers, KDD
2017). By ``ips`` a document counts where this list showed it, here where any did.

A doubly robust estimate adds a guess γ of the attraction of a document and corrects it by clicks: Σ f γ +
Σ (click - pγ) F/P (Dudík, Langford and Li, Doubly Robust Policy Evaluation and Learning, ICML 2011). With these weights
it is the same estimate whatever the guess: Fγ is added, and PγF/P taken away.

Documents that no list ever showed count nothing up to f, as in all other estimates. Weights depend on lists and
propensities alone.
"""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats, Ints
from irev.questions.online.by_user import Columns, Users, sorted_sums
from irev.questions.online.off_policy.finding import POOLED
from irev.statistics.ratios import ExactSum

NEVER = "never shown"
"""What documents that no list showed would count at most."""


class Looks:
    """The sums for the effective number of looks, Σ p w and Σ p w² over documents shown, clicked or not."""

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

    def add(self, pair: Ints, worth: Floats, propensity: Floats) -> None:
        """Take documents: what each would count in an impression, and with what propensity it was shown there, 0 where
        it was not."""
        there = propensity > 0
        self._would.add(pair, worth)
        self._looks.add(pair[there], propensity[there])

    def settle(self) -> None:
        """Make weights of what was taken."""
        shown = self._looks.sums()
        self._ever = shown > 0
        self.weight = np.where(self._ever, self._would.sums() / np.where(self._ever, shown, 1.0), 0.0)

    def columns(self, users: Users) -> Columns:
        """What is added for each user: by the estimate, and of documents that were never shown."""
        items, of, n = users.items, users.item_of, len(users.place)
        pair = items["pair"]
        return {
            POOLED: sorted_sums(self.weight[pair] * items["clicked"], of, n),
            NEVER: sorted_sums(np.where(self._ever[pair], 0.0, items["worth"]), of, n),
        }
