"""Elements of HTML: what is given as text is text, whatever it holds; only what was made here is markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from irev.output.html_escapes import literal

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


def elements(markup: str) -> int:
    """How many elements there are in markup, in which a sign that begins one is nothing else."""
    return markup.count("<") - markup.count("</")
