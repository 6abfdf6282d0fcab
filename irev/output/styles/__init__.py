"""Reports to bytes: one module per style, with a function ``write(report)``, or with ``pieces(report)`` where what is
written is made by and by and need not be held.

A style neither computes nor prints. Ids are bytes from strangers: `trec` writes them as they are, every other style
escapes what its format forbids. A new style is a new module in this folder. Beside its function may stand `NAMES`, how
it calls measures unless asked otherwise, ``trec`` or ``standard``; `INPUTS`, if it says what the files were that
numbers come from; `SCREEN`, if it fits its tables to a terminal, and lets nothing through that is not safe there; and a
function ``require()``, if it needs what may not be installed. ``-f`` offers it by the module's name, and a file's name
that ends in that asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from irev.base.errors import UsageError
from irev.base.registry import module_of, names_in

if TYPE_CHECKING:  # names alone are wanted when the command line is read
    from irev.output.report import Look, Report

TREC, TEXT, GITHUB, TABLE = "trec", "text", "github", "table"

USUAL = 80
"""The columns of a screen of which nothing is known."""

EVALUATION, VALIDATION, PAGE = "evaluation", "validation", "page"
"""The kinds of reports that have styles of their own."""

DATA = ("jsonl", "json", "csv", "tsv", "parquet")
"""The styles for programs; all others but trec_eval's are for people."""

_OWN = {TREC: EVALUATION, TEXT: VALIDATION, GITHUB: VALIDATION}
"""Styles for one kind of report alone."""

_FIRST = (TREC, TEXT, TABLE)
"""These stand first, and the first that a report has is what it is written in unless something else is asked for."""

_ENDINGS = {"eval": TREC, "ndjson": "jsonl", "md": "markdown", "tex": "latex", "htm": "html"}
"""Endings of file names that ask for a style and are not its name."""

_PLAIN = "txt"
"""The ending of a file for what would else be printed."""


def styles(kind: str = "") -> list[str]:
    """The names that ``-f`` takes for a kind of report, without importing any of them."""
    names = {*names_in(__name__)}
    first = [name for name in _FIRST if name in names]
    return [name for name in [*first, *sorted(names - {*first})] if _OWN.get(name, kind) == kind]


def chosen(style: str | None, output: str | None, kind: str = "", usual: str = "") -> str:
    """The style asked for, or the one that the name of the output file asks for, or the usual one of its kind.

    Raises `UsageError` for a name with an ending that asks for none of them.
    """
    known = styles(kind)
    ending = os.path.splitext(output or "")[1][1:].lower()
    named = _ENDINGS.get(ending, ending)
    if style or named in known:
        return style or named
    if ending in ("", _PLAIN):
        return usual or known[0]
    endings = sorted([*known, _PLAIN, *(each for each, asked in _ENDINGS.items() if asked in known)])
    raise UsageError(
        f"the ending of '{output}' is not an output format",
        remedy=f"choose a format with -f, or use one of the endings {', '.join(f'.{each}' for each in endings)}",
    )


def needs_inputs(style: str) -> bool:
    """Whether a style says what the files were that numbers come from."""
    return bool(getattr(_module(style), "INPUTS", False))


def written(style: str, report: Report, look: Look) -> bytes:
    """The report in a style, with the names that suit it unless others are asked for."""
    return b"".join(pieces(style, report, look))


def pieces(style: str, report: Report, look: Look) -> Iterator[bytes]:
    """What `written` gives, by and by where the style can: of whole lines, if it is text."""
    module = _module(style)
    if not for_screens(style):
        look = look._replace(width=None, colour=False)
    elif look.width is None:
        look = look._replace(width=USUAL)
    seen = report.seen(look._replace(names=look.names or getattr(module, "NAMES", "trec")))
    if hasattr(module, "pieces"):
        yield from module.pieces(seen)
    else:
        yield module.write(seen)


def require(style: str) -> None:
    """Raise `IrevError` when something that a style needs is not installed."""
    if needed := getattr(_module(style), "require", None):
        needed()


def for_screens(style: str) -> bool:
    """Whether a style fits its tables to a screen, and is safe for one as it is."""
    return bool(getattr(_module(style), "SCREEN", False))


def _module(style: str) -> ModuleType:
    return module_of(__name__, style)
