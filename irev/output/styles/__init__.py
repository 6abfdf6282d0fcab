"""Results and reports to bytes: one module per style, with functions ``render(result, screen)`` and
``write(report)``; trec_eval's lines are for results alone.

A renderer neither computes nor prints. Ids are bytes from strangers: `trec` writes them as they are, every other style
escapes what its format forbids. A new style is a new module in this folder, with a constant beside its function:
`NAMES`, how it calls measures unless asked otherwise; and `INPUTS`, if it says what the files were that numbers come
from. ``-f`` offers it by the module's name, and a file's name that ends in that asks for it.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # names alone are wanted when the command line is read, and records bring numpy with them
    from irev.evaluation.result import Result, Screen
    from irev.output.report import Look, Report

TREC, TABLE = "trec", "table"


def styles() -> list[str]:
    """The names that ``-f`` takes, trec_eval's lines and tables first, without importing any of them."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return sorted(names, key=lambda name: (name != TREC, name != TABLE))


_ENDINGS = {"txt": TREC, "eval": TREC, "ndjson": "jsonl", "md": "markdown", "tex": "latex", "htm": "html"}
"""Endings of file names that ask for a style and are not its name."""


def style_of(path: str) -> str | None:
    """The style that the ending of a file's name asks for, if it asks for any: its name, or one of `_ENDINGS`."""
    ending = os.path.splitext(path)[1][1:].lower()
    style = _ENDINGS.get(ending, ending)
    return style if style in styles() else None


def chosen(style: str | None, output: str | None) -> str:
    """The style asked for, or the one that the name of the output file asks for, or trec_eval's lines."""
    return style or (style_of(output) if output is not None else None) or TREC


def reporting() -> list[str]:
    """The `styles` that reports have, tables first: all but trec_eval's lines."""
    return [name for name in styles() if name != TREC]


def chosen_for_report(style: str | None, output: str | None) -> str:
    """The style asked for, or the one of `reporting` that the name of the output file asks for, or a table."""
    named = style_of(output) if output is not None else None
    return style or (named if named in reporting() else None) or TABLE


def needs_inputs(style: str) -> bool:
    """Whether a style says what the files were that numbers come from."""
    return bool(getattr(_module(style), "INPUTS", False))


def render(style: str, result: Result, screen: Screen) -> bytes:
    """The result in one of `styles`."""
    module = _module(style)
    output: bytes = module.render(replace(result, names=result.names or module.NAMES), screen)
    return output


def written(style: str, report: Report, look: Look) -> bytes:
    """The report in one of the styles of `reporting`, with the names that suit it unless others are asked for."""
    module = _module(style)
    output: bytes = module.write(report.seen(look._replace(names=look.names or module.NAMES)))
    return output


def require(style: str) -> None:
    """Raise `IrevError` when something that a style needs is not installed."""
    if needed := getattr(_module(style), "require", None):
        needed()


def for_screens(style: str) -> bool:
    """Whether a style fits its tables to a screen, and is safe for one as it is."""
    return bool(getattr(_module(style), "SCREEN", False))


def _module(style: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{style}")
