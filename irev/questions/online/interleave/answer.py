"""Two runs, query by query, made into lists that mix them, and what clicks without a reason are worth to either run.

Somebody who clicks one document of a list, each as likely as another, prefers neither run. A method by which these
clicks are worth more to one of them finds differences that are not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import fsum

import numpy as np

from irev.base.aggregates import mean as mean_of
from irev.base.chance import SeededChance
from irev.base.text import real
from irev.errors import InputError, UsageError, shown
from irev.evaluation.notes import not_common_notes
from irev.questions.online.choices import Given
from irev.questions.online.interleave.choices import InterleaveChoices
from irev.questions.online.interleave.finding import ClickWorth, Interleaving
from irev.questions.online.interleaving import (
    METHODS,
    Interleaved,
    chance_of_draw,
    clicked,
    credited,
    most,
    require_ranks,
)
from irev.ranking.ranking import First


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
    way = METHODS.find(method)
    if way.fair:
        return None
    probabilities, lists = zip(*outcomes(lambda chance: way.draw(a, b, length, chance)), strict=True)
    found = np.array(in_lists(method, lists))
    return ClickWorth(*(np.array(probabilities) @ found).tolist())


def mean(found: Sequence[ClickWorth]) -> ClickWorth:
    """The mean over queries."""
    return ClickWorth(*(mean_of(column) for column in np.array(found).T))


_ROUNDING = 1e-9
"""Means that differ by less are equal."""


def answer(given: Given, choices: InterleaveChoices) -> Interleaving:
    """Lists made of two runs."""
    require_ranks(given.settings)
    first = choices.within_first or most(choices.method, choices.length)
    (a, of_a), (b, of_b) = given.first_documents((choices.a, choices.b), first)
    found = interleave(of_a, of_b, (a, b), choices.method, choices.length, choices.seed_of_lists, choices.draws)
    for note in not_common_notes(found.alone):
        given.note(note.said)
    worth = found.over_draws
    if worth is not None and abs(worth.a - worth.b) > _ROUNDING:
        better, other = sorted(((worth.a, found.a), (worth.b, found.b)), reverse=True)
        said = f"{real(better[0], 4)} to {better[1]} and {real(other[0], 4)} to {other[1]}"
        given.note(f"{found.method} interleaving: a click at random is worth {said}, whichever is better")
    return replace(found, inputs=tuple(given.inputs))


def common(a: First, b: First, names: tuple[str, str]) -> tuple[list[bytes], tuple[bytes, ...]]:
    """The queries that two runs have, and those that one of them has, in byte order.

    Raises `InputError` where they have none in common.
    """
    both = sorted(a.keys() & b.keys())
    if not both:
        fact = f"the runs have no query in common: it has {shown(min(b))}, {names[0]} has {shown(min(a))}"
        raise InputError(fact, names[1], "do the runs have the same queries?")
    return both, tuple(sorted(a.keys() ^ b.keys()))


def interleave(
    a: First, b: First, names: tuple[str, str], method: str, length: int, seed: int, draws: int = 1
) -> Interleaving:
    """Interleave two runs, whose first documents are given: as many as `most` says, or all. Each query has `draws`
    lists.

    Raises `UsageError` for a method that there is not or a length below 1, `InputError` as `common`.
    """
    draw = METHODS.find(method).draw
    if length < 1:
        raise UsageError(f"a list of {length} documents is none", remedy="expected a length of 1 or more")
    queries, alone = common(a, b, names)
    drawn = {
        query: tuple(
            draw(a[query], b[query], length, chance_of_draw(seed, method, query, number)) for number in range(draws)
        )
        for query in queries
    }
    exact = [over_draws(method, a[query], b[query], length) for query in queries]
    known = [each for each in exact if each is not None]
    by_chance = mean(in_lists(method, [each for of in drawn.values() for each in of]))
    over_all = mean(known) if known else None
    lists = {query: of[0] for query, of in drawn.items()}
    return Interleaving(method, length, seed, *names, lists, alone, by_chance, over_all, drawn, (a, b))
