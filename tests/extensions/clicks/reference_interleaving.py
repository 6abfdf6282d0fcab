"""Interleaving as the papers have it, slowly: what judges the ways of `irev.extensions.clicks.online.interleave`."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import fsum

from irev.extensions.clicks.chance import SeededChance
from irev.extensions.clicks.online.interleave import Interleaved


def team_draft(a: Sequence, b: Sequence, coins: Sequence[bool]) -> tuple[list, list[str]]:
    """Algorithm 2 of Radlinski, Kurup and Joachims 2008; a coin that is true lets A begin."""
    shown, teams, coins = [], [], list(coins)
    while any(each not in shown for each in a) and any(each not in shown for each in b):
        size_a, size_b = teams.count("A"), teams.count("B")
        if size_a < size_b or (size_a == size_b and coins.pop(0)):
            shown.append(next(each for each in a if each not in shown))
            teams.append("A")
        else:
            shown.append(next(each for each in b if each not in shown))
            teams.append("B")
    return shown, teams


def softmax(run: Sequence, left_out: Sequence) -> dict:
    """What is drawn next from a run, with its probability: rank ** -3, of what is not left out."""
    weights = {each: (rank + 1) ** -3 for rank, each in enumerate(run) if each not in left_out}
    return {each: weight / sum(weights.values()) for each, weight in weights.items()}


def probabilistic(a: Sequence, b: Sequence, length: int) -> Iterator[tuple[float, tuple, tuple[str, ...]]]:
    """Every list and assignment of Hofmann, Whiteson and de Rijke 2011 with its probability, while both runs last."""
    for teams in product("AB", repeat=length):
        found = [(0.5**length, ())]
        for team in teams:
            found = [
                (probability * of_this, (*shown, document))
                for probability, shown in found
                for document, of_this in softmax(a if team == "A" else b, shown).items()
            ]
        yield from ((probability, shown, teams) for probability, shown in found)


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


def credit(shown: Interleaved, positions: Sequence[int]) -> tuple[float, float]:
    """The credit of A and of B for clicks at some positions of one list, counting from 1."""
    of_a = of_b = 0.0
    for place in sorted({position - 1 for position in positions}):
        if shown.teams[place] is not None:
            share = float(shown.teams[place] == "A") if shown.shares is None else shown.shares[place]
            of_a, of_b = of_a + share, of_b + 1 - share
    return of_a, of_b
