"""The document around the parts of a page: one file, in which nothing runs but its own script and nothing is fetched.

Its policy names script and style by their hashes, so that markup which was smuggled in could not run, and forbids
whatever else a page can load. Data stand in an element of their own, in which no sign can end it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from irev.output.pages.html import END, Markup, joined, tag

_ESCAPED = "<>&\u2028\u2029"


def document(title: str, body: Markup, data: Any = None) -> bytes:
    """A page with a title and a body; with data for its script, where it has any."""
    style, script = resource("report.css") + _BARS + _SMALLER, resource("report.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}';"
        " base-uri 'none'; form-action 'none'"
    )
    head = (
        tag("meta", {"charset": "utf-8"}),
        tag("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        tag("meta", {"name": "referrer", "content": "no-referrer"}),
        tag("meta", {"name": "color-scheme", "content": "light dark"}),
        tag("title", None, title),
        tag("style", None, Markup(style)),
    )
    ends = (
        None if data is None else tag("script", {"type": "application/json", "id": "data"}, Markup(as_json(data))),
        tag("script", None, Markup(script)),
    )
    html = tag("html", {"lang": "en"}, END, _lines(*head), END, tag("body", None, END, body, END, _lines(*ends)))
    return joined(Markup("<!DOCTYPE html>\n"), html, END).encode("utf-8", "replace")


_BARS = "".join(f".b{share}{{background-size:{share}% 4px}}" for share in range(101)) + "\n"
"""A class for each length of a bar in a cell, since elements have no styles of their own."""


_SMALLER = "@media print{" + "".join(f".z{share}{{zoom:{share}%}}" for share in range(5, 100, 5)) + "}\n"
"""A class for each size of a table that would not go on paper."""


def as_json(data: Any) -> str:
    """Data as JSON that no element of HTML ends in, and that is the same text in a script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in _ESCAPED:
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@cache
def resource(name: str) -> str:
    """A file of this package, to be written into a page."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _lines(*parts: Markup | None) -> Markup:
    return Markup("\n".join(part for part in parts if part is not None))


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
