"""What clicks without a reason are worth to either run: in lists that were drawn, and over all that could be.

Somebody who clicks one document of a list, each as likely as another, prefers neither run. A method by which these
clicks are worth more to one of them finds differences that are not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np

from irev.base.aggregates import mean as mean_of
from irev.base.chance import SeededChance
from irev.questions.online.interleaving import methods
from irev.questions.online.interleaving.credit import credited
from irev.questions.online.interleaving.interleaved import Interleaved, clicked


class ClickWorth(NamedTuple):
    """What a click is worth to A and to B on average."""

    a: float
    b: float


class _Scripted(SeededChance):
    """Chance of which the first choices are given; all further ones are the first that there is."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self.script = script
        self.taken: list[tuple[int, Sequence[float]]] = []

    def choose(self, weights: Sequence[float]) -> int:
        place = self.script[len(self.taken)] if len(self.taken) < len(self.script) else 0
        self.taken.append((place, tuple(weights)))
        return place


def outcomes(draw: Callable[[SeededChance], Interleaved]) -> Iterator[tuple[float, Interleaved]]:
    """Everything that chance can lead to, with its probability: as many as there are ways to choose, so mind these."""
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        chance = _Scripted(scripts.pop())
        found = draw(chance)
        probability, before = 1.0, tuple(place for place, _ in chance.taken)
        for depth, (place, weights) in enumerate(chance.taken):
            probability *= weights[place] / fsum(weights)
            if depth >= len(chance.script):
                scripts += [(*before[:depth], other) for other in range(1, len(weights))]
        yield probability, found


def in_lists(method: str, lists: Sequence[Interleaved]) -> list[ClickWorth]:
    """What a click on a document of each list is worth on average, every document being as likely as another."""
    everywhere = [
        (place, position) for place, each in enumerate(lists) for position in range(1, len(each.documents) + 1)
    ]
    # As if every click were on a list of its own: what a click is worth may depend on the others.
    alone = clicked(lists, everywhere)
    found = credited(method, alone._replace(impression=np.arange(len(everywhere))), len(everywhere))
    sizes = np.array([len(each.documents) for each in lists])
    sums = (np.bincount(alone.impression, worth, len(lists)) / sizes for worth in found)
    return [ClickWorth(*pair) for pair in zip(*(each.tolist() for each in sums), strict=True)]


def over_draws(method: str, a: Sequence[bytes], b: Sequence[bytes], length: int) -> ClickWorth | None:
    """The same over everything that chance can lead to; None for a method that is fair to both anyway."""
    way = methods.find(method)
    if way.fair:
        return None
    probabilities, lists = zip(*outcomes(lambda chance: way.draw(a, b, length, chance)), strict=True)
    found = np.array(in_lists(method, lists))
    return ClickWorth(*(np.array(probabilities) @ found).tolist())


def mean(found: Sequence[ClickWorth]) -> ClickWorth:
    """The mean over queries."""
    return ClickWorth(*(mean_of(column) for column in np.array(found).T))
