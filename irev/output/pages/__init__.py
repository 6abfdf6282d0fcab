"""Pages: findings as one file of HTML that anyone can open, without a server, a network or another file.

Static parts, which are all but single queries, are HTML and SVG written here, and need no script. What strangers have
named is text in the page and strings in its data, never markup; a policy in the page forbids whatever is not written
here, and anything from elsewhere. The same findings give the same bytes.

What is given as text is text, whatever it holds; only what was made here is markup. The document is one file, in which
nothing runs but its own script and nothing is fetched. Its policy names script and style by their hashes, so that
markup which was smuggled in could not run, and forbids whatever else a page can load. Data stand in an element of their
own, in which no sign can end it. Tables have a frame each, which scrolls by itself where they are too wide.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from irev.base.errors import escaped
from irev.output.report import MARK, Cell, Sheet
from irev.output.terminal import isolated as isolated_words
from irev.output.terminal import width

Attributes = Mapping[str, str | int | bool | None]


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


END = Markup("\n")
"""Ends a line of markup, where one in a text would be shown as an escape."""


Content = str | Iterable[str] | None
"""Texts and markup; None is nothing."""

_EMPTY = frozenset({"meta", "br", "col", "input"})


def tag(name: str, attributes: Attributes | None = None, *content: Content) -> Markup:
    """An element. An attribute that is None or False is left out, and one that is True has no value."""
    given = "".join(
        f" {key}" if value is True else f' {key}="{literal(str(value))}"'
        for key, value in (attributes or {}).items()
        if value is not None and value is not False
    )
    if name in _EMPTY:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{joined(*content)}</{name}>")


def joined(*content: Content) -> Markup:
    """Texts and markup one after the other."""
    return Markup("".join(map(_markup, content)))


def _markup(content: Content) -> str:
    if content is None:
        return ""
    if isinstance(content, Markup):
        return content
    if isinstance(content, str):
        return literal(content)
    return joined(*content)


def isolated(text: str) -> Markup:
    """Text that moves nothing around it, in whatever direction its script runs."""
    return tag("bdi", None, text)


def sentence(text: str) -> Markup:
    """A sentence or a title, which runs from left to right whatever the script of the names in it."""
    return Markup(isolated_words(literal(text)))


def literal(text: str) -> str:
    """Text for an element or an attribute: no markup, and no control characters either, which are shown as escapes."""
    return text if _PLAIN.fullmatch(text) else html.escape(escaped(text))


_PLAIN = re.compile(r"[A-Za-z0-9 .,:+_@/()–-]*")
"""Characters that need no escape: those of most numbers and names."""

_ESCAPED = "<>&\u2028\u2029"


def document(title: str, body: Markup, data: Any) -> bytes:
    """A page with a title and a body, and data for its script."""
    meta, style, script = _head()
    given = tag("script", {"type": "application/json", "id": "data"}, Markup(as_json(data)))
    head = _lines(meta, tag("title", None, title), style)
    html = tag("html", {"lang": "en"}, END, head, END, tag("body", None, END, body, END, _lines(given, script)))
    return joined(Markup("<!DOCTYPE html>\n"), html, END).encode("utf-8", "replace")


def plain_page(title: str, style: str, body: Iterable[str]) -> bytes:
    """A page without a script: the lines of its body, with rules for its looks."""
    lines = (
        "<!DOCTYPE html>",
        '<html lang="en">',
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{literal(title)}</title>",
        f"<style>\n{style}\n</style>",
        *body,
        "</html>",
    )
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _head() -> tuple[Markup, Markup, Markup]:
    """What stands before the title of a page, the style behind it, and the script at the end."""
    style = resource("report.css") + resource("picture.css") + _BARS
    script = resource("report.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}';"
        " base-uri 'none'; form-action 'none'"
    )
    meta = (
        tag("meta", {"charset": "utf-8"}),
        tag("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        tag("meta", {"name": "referrer", "content": "no-referrer"}),
        tag("meta", {"name": "color-scheme", "content": "light dark"}),
    )
    return _lines(*meta), tag("style", None, Markup(style)), tag("script", None, Markup(script))


_BARS = "".join(f".b{share}{{background-size:{share / 25:g}rem 4px}}" for share in range(101)) + "\n"
"""A class for each length of a bar in a cell, since elements have no styles of their own: of one scale in all cells,
however wide these are."""


def as_json(data: Any) -> str:
    """Data as JSON that no element of HTML ends in, and that is the same text in a script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in _ESCAPED:
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@cache
def resource(name: str) -> str:
    """A file of this package, to be written into a page."""
    from importlib.resources import files

    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _lines(*parts: Markup | None) -> Markup:
    return Markup("\n".join(part for part in parts if part is not None))


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def sentences(texts: Iterable[str], kind: str | None = None) -> Iterator[Markup]:
    """A paragraph for each."""
    for text in texts:
        yield tag("p", {"class": kind}, sentence(text))


def reasons_list(lead: Iterable[str]) -> Markup:
    """A list of the sentences of a lead."""
    return tag("ul", {"class": "reasons"}, (tag("li", None, sentence(said)) for said in lead))


def sheet_of(sheet: Sheet, level: int = 3) -> Iterator[Markup]:
    """A sheet with its heading, and its notes below."""
    if sheet.header:
        yield framed(table(sheet), sheet.title, level)
    yield from sentences(sheet.notes, "note")


def framed(table: Markup, title: str, level: int = 3, name: str | None = None, kind: str = "") -> Markup:
    """A table below its heading, in a frame that can be scrolled, by keys too.

    Of a frame of the kind ``tall`` the first column of names and the headings stay in sight.
    """
    heading = tag(f"h{level}", None, sentence(title)) if title else None
    about = f"Table: {name or title}"
    region: Attributes = {"class": f"frame {kind}".strip(), "tabindex": 0, "role": "region", "aria-label": about}
    return tag("div", {"class": "sheet"}, heading, tag("div", region, table))


def folded(sheet: Sheet, title: str, kind: str = "") -> Markup:
    """A table as lines of text below its title, opened by a click: few elements however many cells there are.

    It reads and prints without the script, which makes a table of it when it is opened: a tab ends each cell.
    """
    rows = (row for section in sheet.sections for row in section)
    columns = [
        [escaped(cell.text + MARK * cell.significant + cell.above) for cell in column]
        for column in zip(*rows, strict=True)
    ]
    return folded_columns(sheet.header, columns, sheet.labels, sheet.texts, title, kind)


def folded_columns(
    header: Sequence[str],
    columns: Sequence[Sequence[str]],
    labels: int,
    texts: Collection[int],
    title: str,
    kind: str = "",
) -> Markup:
    """The same of columns whose texts are safe to show, of which thousands are written soon."""
    padded = (
        _padded([escaped(label), *column], place in texts)
        for place, (label, column) in enumerate(zip(header, columns, strict=True))
    )
    lines = "\n".join("\t".join(row).rstrip(" ") for row in zip(*padded, strict=True))
    region: Attributes = {"class": "frame", "tabindex": 0, "role": "region", "aria-label": f"Table: {title}"}
    about: Attributes = {
        "class": f"sheet folded {kind}".strip(),
        "data-labels": labels,
        "data-texts": " ".join(map(str, sorted(texts))),
    }
    pre = tag("pre", None, Markup(html.escape(lines)))
    return tag("details", about, tag("summary", None, sentence(title)), tag("div", region, pre))


def _padded(column: Sequence[str], left: bool) -> list[str]:
    """The texts of a column, each as wide as the widest."""
    most, fill = max(map(width, column)), str.ljust if left else str.rjust
    return [fill(text, most + len(text) - width(text)) for text in column]


def table(sheet: Sheet, name: str | None = None) -> Markup:
    """The table itself; `name` is how a script finds it."""
    head = tag("thead", None, tag("tr", None, (_heading(label, i, sheet) for i, label in enumerate(sheet.header))))
    bodies = (
        tag("tbody", None, (tag("tr", None, (_cell(cell, i, sheet) for i, cell in enumerate(row))) for row in section))
        for section in sheet.sections
    )
    return tag("table", {"id": name}, head, bodies)


def _heading(label: str, place: int, sheet: Sheet) -> Markup:
    return tag("th", {"scope": "col", "class": _class(place, sheet)}, label)


def _cell(cell: Cell, place: int, sheet: Sheet) -> Markup:
    kind = _class(place, sheet, cell.tone)
    said: Content = cell.text if cell.text.isascii() else isolated(cell.text)
    if place < sheet.labels and cell.text:
        return tag("th", {"scope": "row", "class": kind}, said)
    text = tag("strong", None, said) if cell.best else tag("u", None, said) if cell.second else said
    above = tag("sup", None, cell.above) if cell.above else None
    return tag("td", {"class": kind}, text, MARK if cell.significant else None, above)


def _class(place: int, sheet: Sheet, tone: str = "") -> str | None:
    return " ".join(filter(None, ("" if place in sheet.texts else "n", tone))) or None
