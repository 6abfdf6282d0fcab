"""Texts that ask for measures, in Python: what is unusual about them is a warning to the caller."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from irev.doors.api.warned import warned
from irev.errors import MeasureWarning
from irev.measures import Request, parse


def requests_by_name(measures: str | Iterable[str], compat: str) -> dict[str, Request]:
    """What is asked for by name."""

    unusual: list[str] = []
    named: dict[str, Request] = {}
    for text in _texts(measures) or ["official"]:
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
    from irev.evaluation.single_queries import requests_of

    unusual: list[str] = []
    requests = requests_of(_texts(measures), compat, unusual.append)
    for message in unusual:
        warned(message, MeasureWarning)
    return requests


def _texts(measures: str | Iterable[str]) -> list[str]:
    """The texts that ask for measures."""
    texts = [measures] if isinstance(measures, str) else list(measures)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a measure is a string such as 'nDCG@10', not {text!r} of type {type(text).__name__}")
    return texts


@lru_cache(512)
def _parsed(text: str, compat: str) -> tuple[tuple[Request, ...], tuple[str, ...]]:
    """What a text asks for, and what is to be said of it; kept, since programs ask for the same again and again."""
    said: list[str] = []
    return tuple(parse([text], compat, said.append)), tuple(said)
