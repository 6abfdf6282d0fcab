"""Interleaving as the papers have it, slowly: what judges the ways of `irev.extensions.clicks.online.interleaving`."""

from collections.abc import Iterator, Sequence
from itertools import product


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


def balanced(a: Sequence, b: Sequence, a_first: bool) -> list:
    """Algorithm 1 of the same paper."""
    shown, at_a, at_b = [], 0, 0
    while at_a < len(a) and at_b < len(b):
        if at_a < at_b or (at_a == at_b and a_first):
            if a[at_a] not in shown:
                shown.append(a[at_a])
            at_a += 1
        else:
            if b[at_b] not in shown:
                shown.append(b[at_b])
            at_b += 1
    return shown


def clicks_within(a: Sequence, b: Sequence, shown: Sequence, positions: Sequence[int]) -> tuple[int, int]:
    """h_a and h_b of the same paper: clicks on the first k of A, and of B, with k = min {j : the document that was
    clicked lowest is a_j or b_j}."""
    lowest = shown[max(positions) - 1]
    k = min(run.index(lowest) + 1 for run in (a, b) if lowest in run)
    clicks = [shown[position - 1] for position in positions]
    return sum(each in a[:k] for each in clicks), sum(each in b[:k] for each in clicks)


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
