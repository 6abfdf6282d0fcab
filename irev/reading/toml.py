"""Files in TOML, of which keys nested so deep that the parser would take minutes are refused."""

from __future__ import annotations

import re
from typing import Any

from irev.errors import InputError
from irev.reading.limits import CONFIGURATION, DEEPEST
from irev.reading.sources import Source

_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)"""
_NEXT = rf"[ \t]*\.[ \t]*{_PART}"
_TOKEN = (
    r"#[^\n]*"
    r'|"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    rf"|{_PART}(?:{_NEXT}){{0,{DEEPEST - 1}}}(?P<more>{_NEXT})?"
)
"""A comment, a text of several lines, a key with its parts, or another value; what is not closed goes on to the end."""


def parsed(path: str, encoding: str) -> dict[str, Any]:
    """What a file says. Raises `ValueError` or `RecursionError` for one that is not TOML."""
    import tomllib

    with Source(path) as source:
        text = source.content(CONFIGURATION).decode(encoding)
    for token in re.finditer(_TOKEN, text, re.ASCII | re.DOTALL):
        if token["more"]:
            place = f"{path}:{text.count(chr(10), 0, token.start()) + 1}"
            raise InputError(f"a key has more than {DEEPEST} parts", place, "is it the right file?")
    return tomllib.loads(text)
