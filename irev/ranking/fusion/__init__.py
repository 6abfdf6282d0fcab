"""Fusion: several runs made one, query by query.

`wanted` says what is asked for, `rankings` is what is kept of a run, `merging` brings the queries of all runs together,
and `fused` makes runs of them. How votes become scores is a module of `methods`, how scores of different runs become
comparable one of `normalisations`; either has its function and a record, `METHOD` or `NORMALISATION`
(`irev.ranking.fusion.method`), and is called as users call it. A new one is a new module there.
"""

from __future__ import annotations

import pkgutil
from functools import cache


@cache
def method_names() -> tuple[str, ...]:
    """The names of all methods, without importing any of them."""
    return _modules("methods")


@cache
def normalisation_names() -> tuple[str, ...]:
    """The names of all normalisations, in the same way; ``none`` is none of them."""
    return _modules("normalisations")


def _modules(folder: str) -> tuple[str, ...]:
    found = pkgutil.iter_modules([f"{path}/{folder}" for path in __path__])
    return tuple(sorted(module.name.replace("_", "-") for module in found))
