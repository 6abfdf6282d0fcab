"""Ways to interleave two runs: a module for each, with a `METHOD`, whose name is that of the module with hyphens.

A new way is a new module in this folder.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.base.chance import SeededChance
    from irev.base.segments import Floats, Ints
    from irev.questions.online.interleaving.interleaved import Clicked, Interleaved


@dataclass(frozen=True)
class InterleavingMethod:
    """A way to interleave two runs.

    Attributes
    ----------
    draw : callable
        ``draw(a, b, length, chance)``: a list of at most `length` documents made of two rankings, neither of them
        empty, best first. It has `length`, or all that there are. A document of rank above `length` is not looked at,
        unless `whole`.
    credit : callable
        ``credit(clicked)``: what every click is worth to A, and to B, both (c,). No click is there twice, and none is
        on a document of nobody's.
    whole : bool
        Whether it looks at whole rankings.
    coins : callable
        ``coins(k)``: how many fair coins at least decide about a list with k documents of a team, each of which makes
        another list or other teams. So two lists drawn for a query are the same with a chance of 2 ** -coins at most.
    fair : bool
        Whether clicks that depend on positions alone are worth the same to both over all draws, whatever the rankings.
    """

    draw: Callable[[Sequence[bytes], Sequence[bytes], int, SeededChance], Interleaved]
    credit: Callable[[Clicked], tuple[Floats, Floats]]
    coins: Callable[[Ints], Ints]
    whole: bool = False
    fair: bool = True


@cache
def names() -> tuple[str, ...]:
    """What there is, without importing any of it."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def find(name: str) -> InterleavingMethod:
    """The method called so. Raises `UsageError` where there is none."""
    if name not in names():
        fact = f"there is no way to interleave that is called {name!r}"
        raise UsageError(fact, remedy=did_you_mean(name, names(), f"there are {', '.join(names())}"))
    method: InterleavingMethod = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").METHOD
    return method
