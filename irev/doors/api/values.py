"""What callers of the Python interface hand in, one value at a time: checked, and refused by the name of its option.

Beside that, what the command says in lines ``irev: warning:``, as warnings of Python at the line that called irev.
"""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from irev.base.errors import IrevWarning, JudgmentsWarning, MeasureWarning, UsageError, of_parameters
from irev.base.registry import did_you_mean
from irev.base.text import decoded, encoded
from irev.evaluation.notes import Note
from irev.measures import Request, parse

_OURS = ("irev", "contextlib")
"""Whose frames stand between a warning and the line that called irev."""


def warned(message: str, category: type[IrevWarning] = JudgmentsWarning) -> None:
    """Warn whoever called irev, with parameters in place of options."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    said = message.replace("(-c ", "(complete ").replace("; -l ", "; level ")
    warnings.warn(of_parameters(said), category, level)


def warned_of(notes: Iterable[Note]) -> None:
    """The same of notes."""
    for note in notes:
        warned(f"{note.run}{note.said}", note.category)


def require_known(given: Mapping[str, object], options: type) -> None:
    """Raise `TypeError` for a keyword that no option of these has for a name, `UsageError` for an option of the command
    that Python writes in the name of a measure."""
    for name in given:
        if name not in options.__annotations__:
            if name in _IN_NAMES:
                fact = f"{name} is part of the name of a measure in Python"
                raise UsageError(fact, remedy=f"write {_IN_NAMES[name]}")
            near = did_you_mean(name, options.__annotations__)
            raise TypeError(f"there is no option {name!r}{'; ' + near if near else ''}")


_IN_NAMES = {"aggregate": "'AP(agg=median)'", "bounds": "'P(bound=low)@10' and 'P(bound=high)@10'"}


def no_value(name: str, value: object, expected: str) -> UsageError:
    """The error of a value that the option cannot have."""
    return UsageError(f"{value!r} is no value of {name}", remedy=f"expected {expected}")


def whole_number(name: str, value: Any, least: int = 0) -> int:
    """Raise `UsageError` for what is not a whole number, or one that is too small."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise no_value(name, value, f"a whole number of {least} or more")
    return int(value)


def path_of(name: str, value: object) -> str:
    """The path of what is read as a file. Raises `UsageError` for data in memory."""
    if not isinstance(value, str | os.PathLike):
        fact = f"{name} is of type {type(value).__name__}, and only files are read here"
        raise UsageError(fact, remedy="write it to a file and give its path")
    return os.fsdecode(value)


def path_in_list(what: str, value: object) -> str:
    """The path of one of several. Raises `UsageError` for data in memory, which a list gives no names."""
    if not isinstance(value, str | bytes | os.PathLike):
        fact = f"a list of {what} must have paths, but one item is of type {type(value).__name__}"
        raise UsageError(fact, remedy=named_otherwise(what))
    return os.fsdecode(value)


def named_otherwise(what: str) -> str:
    """The remedy where names of files do not do."""
    return f"use a dictionary with names: {{{_NAMED[what]}, …}}"


_NAMED = {"runs": "'bm25': run", "judgments": "'anna': judgments"}


def number(name: str, value: Any) -> float:
    """Raise `UsageError` for what is not a finite number."""
    if isinstance(value, str | bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise no_value(name, value, "a number")
    return float(value)


def listed(name: str, value: Iterable[Any]) -> tuple[bytes, ...]:
    """Queries that an option lists. Raises `UsageError` for what is no id, and for one that comes twice."""
    if not isinstance(value, Iterable):
        raise no_value(name, value, "strings, the ids of queries")
    queries = tuple(encoded(query) if isinstance(query, str) else query for query in value)
    for place, query in enumerate(queries):
        if not isinstance(query, bytes):
            raise no_value(name, query, "strings")
        if query in queries[:place]:
            raise UsageError(f"query {decoded(query)!r} is listed twice in {name}")
    return queries


def requests_by_name(measures: str | Iterable[str], compat: str) -> dict[str, Request]:
    """What is asked for by name."""

    unusual: list[str] = []
    named: dict[str, Request] = {}
    for text in names_of_measures(measures) or ["official"]:
        found, said = _parsed(text, compat)
        unusual += said
        if len(found) == 1:
            named[text] = found[0]
        else:
            named |= {request.standard: request for request in found}
    for message in unusual:
        warned(message, MeasureWarning)
    return named


def requests_of_single_queries(measures: str | Iterable[str], compat: str) -> tuple[Request, ...]:
    """What is asked for by name, to look at single queries."""
    from irev.evaluation.scores import requests_of

    unusual: list[str] = []
    requests = requests_of(names_of_measures(measures), compat, unusual.append)
    for message in unusual:
        warned(message, MeasureWarning)
    return requests


def names_of_measures(measures: str | Iterable[str]) -> list[str]:
    """The texts that ask for measures. Raises `TypeError` for what is no text."""
    texts = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else list(measures)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a measure is a string such as 'nDCG@10', not {text!r} of type {type(text).__name__}")
    return texts


@lru_cache(512)
def _parsed(text: str, compat: str) -> tuple[tuple[Request, ...], tuple[str, ...]]:
    """What a text asks for, and what is to be said of it; kept, since programs ask for the same again and again."""
    said: list[str] = []
    return tuple(parse([text], compat, said.append)), tuple(said)
