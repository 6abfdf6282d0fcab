"""What lists are drawn from: the first documents of runs, and chance that is the same everywhere for a seed."""

from __future__ import annotations

from irev.base.chance import SeededChance
from irev.base.settings import Settings
from irev.errors import UsageError, option
from irev.questions.online.interleaving import methods


def chance_of(seed: int, method: str, query: bytes, *more: bytes) -> SeededChance:
    """Where the list of a query is drawn from: by its seed, method and id alone, and by what tells lists apart."""
    return SeededChance(seed, b"interleave", method.encode(), query, *more)


def chance_of_draw(seed: int, method: str, query: bytes, draw: int) -> SeededChance:
    """The same of several lists of a query, counting from 0: the first is that of a single one."""
    return chance_of(seed, method, query, *([b"draw %d" % draw] if draw else []))


def most(method: str, length: int) -> int | None:
    """How many documents of a ranking a method looks at; None for all."""
    return None if methods.find(method).whole else length


def require_ranks(settings: Settings) -> None:
    """Raise `UsageError` where documents of equal score share a rank, and so have no place in a list."""
    if settings.ties == "average":
        fact = f"documents in ties have no rank of their own under {option('ties')} average"
        raise UsageError(fact, remedy="choose another")
