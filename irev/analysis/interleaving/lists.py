"""Two runs, query by query, made into lists for one method."""

from __future__ import annotations

from irev.analysis.interleaving import methods, random_clicks
from irev.analysis.interleaving.interleaved import Interleaved
from irev.analysis.interleaving.random_clicks import ClickWorth
from irev.base.chance import SeededChance
from irev.base.records import dataclass
from irev.errors import InputError, UsageError, shown
from irev.ranking.ranking import First


@dataclass(frozen=True)
class Interleaving:
    """Lists made of two runs.

    Attributes
    ----------
    method : str
        One of `irev.analysis.interleaving.methods.names`.
    length : int
        Documents of a list, unless both runs together have fewer.
    seed : int
    a, b : str
        What the runs are called.
    lists : dict of bytes to Interleaved
        By query, in byte order; the queries that both runs have. Of several draws the first.
    alone : tuple of bytes
        Those that one of the runs has, and that have no list.
    by_chance : ClickWorth
        What a click on any one document is worth to A and to B, as a mean over these lists.
    over_draws : ClickWorth or None
        The same over all lists that could have been drawn, exactly; None for methods by which both are alike.
    drawn : dict of bytes to tuple of Interleaved
        All lists of each query, as many as were asked for; some may be the same.
    """

    method: str
    length: int
    seed: int
    a: str
    b: str
    lists: dict[bytes, Interleaved]
    alone: tuple[bytes, ...]
    by_chance: ClickWorth
    over_draws: ClickWorth | None
    drawn: dict[bytes, tuple[Interleaved, ...]]


def chance_of(seed: int, method: str, query: bytes, *more: bytes) -> SeededChance:
    """Where the list of a query is drawn from: by its seed, method and id alone, and by what tells lists apart."""
    return SeededChance(seed, b"interleave", method.encode(), query, *more)


def chance_of_draw(seed: int, method: str, query: bytes, draw: int) -> SeededChance:
    """The same of several lists of a query, counting from 0: the first is that of a single one."""
    return chance_of(seed, method, query, *([b"draw %d" % draw] if draw else []))


def most(method: str, length: int) -> int | None:
    """How many documents of a ranking a method looks at; None for all."""
    return None if methods.find(method).whole else length


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
