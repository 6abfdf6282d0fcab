"""Two runs, query by query, made into lists that mix them."""

from __future__ import annotations

from dataclasses import replace

from irev.base.text import real
from irev.errors import InputError, UsageError, shown
from irev.evaluation.notes import not_common_notes
from irev.questions.online.given import Given
from irev.questions.online.interleave import random_clicks
from irev.questions.online.interleave.choices import InterleaveChoices
from irev.questions.online.interleave.finding import Interleaving
from irev.questions.online.interleaving import methods
from irev.questions.online.interleaving.draws import chance_of_draw, most, require_ranks
from irev.ranking.ranking import First

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
        raise InputError(fact, names[1], "are the runs of the same topics?")
    return both, tuple(sorted(a.keys() ^ b.keys()))


def interleave(
    a: First, b: First, names: tuple[str, str], method: str, length: int, seed: int, draws: int = 1
) -> Interleaving:
    """Interleave two runs, whose first documents are given: as many as `most` says, or all. Each query has `draws`
    lists.

    Raises `UsageError` for a method that there is not or a length below 1, `InputError` as `common`.
    """
    draw = methods.find(method).draw
    if length < 1:
        raise UsageError(f"a list of {length} documents is none", remedy="expected a length of 1 or more")
    queries, alone = common(a, b, names)
    drawn = {
        query: tuple(
            draw(a[query], b[query], length, chance_of_draw(seed, method, query, number)) for number in range(draws)
        )
        for query in queries
    }
    exact = [random_clicks.over_draws(method, a[query], b[query], length) for query in queries]
    known = [each for each in exact if each is not None]
    by_chance = random_clicks.mean(random_clicks.in_lists(method, [each for of in drawn.values() for each in of]))
    over_draws = random_clicks.mean(known) if known else None
    lists = {query: of[0] for query, of in drawn.items()}
    return Interleaving(method, length, seed, *names, lists, alone, by_chance, over_draws, drawn)
