"""Models of users who click: a module for each, with a `MODEL`, called as the module is.

A new model is a new module in this folder.
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


@dataclass(frozen=True)
class ClickModel:
    """How a user goes through a list.

    Attributes
    ----------
    clicks : callable
        ``clicks(attractive, chance)``: the positions that are clicked, from 1, rising; of every document in the order
        shown there is the probability that it is clicked if it is looked at.
    propensities : callable or None
        ``propensities(length)``: for each position the probability that it is looked at, where that depends on nothing
        else; None for a model in which it does.
    """

    clicks: Callable[[Sequence[float], SeededChance], list[int]]
    propensities: Callable[[int], tuple[float, ...]] | None = None


@cache
def names() -> tuple[str, ...]:
    """What there is, without importing any of it."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def find(name: str) -> ClickModel:
    """The model called so. Raises `UsageError` where there is none."""
    if name not in names():
        raise UsageError(
            f"there is no click model {name!r}", remedy=did_you_mean(name, names(), f"there are {', '.join(names())}")
        )
    model: ClickModel = importlib.import_module(f"{__name__}.{name}").MODEL
    return model
