"""Results to bytes: one module per style, each with a function ``render(result, screen)``.

A renderer neither computes nor prints. Ids are bytes from strangers: `trec` writes them as they are, every other style
escapes what its format forbids. A new style is a new module in this folder; ``-f`` offers it by the module's name.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # names alone are wanted when the command line is read, and records bring numpy with them
    from irev.result import Result, Screen


def styles() -> list[str]:
    """The names that ``-f`` takes, trec_eval's lines first, without importing any of them."""
    return sorted((module.name for module in pkgutil.iter_modules(__path__)), reverse=True)


def render(style: str, result: Result, screen: Screen) -> bytes:
    """The result in one of `styles`."""
    output: bytes = importlib.import_module(f"{__name__}.{style}").render(result, screen)
    return output
