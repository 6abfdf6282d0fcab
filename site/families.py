"""The page of measures, split into a page for each family: the whole page is too long to read and to search."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

PAGE = "measures.md"

KEPT = ("Sets", "All measures", "Names in other tools", "Not there yet")
"""Sections about all families, which stay on the page of measures."""

_SECTION = re.compile(r"(?m)^## (?P<title>.+)\n")


class Family(NamedTuple):
    """A page of a family.

    Attributes
    ----------
    path : str
        Its place beside the pages of docs/.
    title : str
        What it is called in the navigation.
    content : str
        Its Markdown.
    anchors : frozenset of str
        What links within it lead to.
    """

    path: str
    title: str
    content: str
    anchors: frozenset[str]


def families(markdown: str) -> list[Family]:
    """The pages of the families, in the order of the page."""
    found = []
    for title, text in _sections(markdown):
        if title in KEPT:
            continue
        short = title.split(",")[0]
        content = f"# {short}\n\n" + (f"{title}.\n\n" if short != title else "") + re.sub(r"(?m)^##(#+ )", r"#\1", text)
        names = re.findall(r"(?m)^###+ (.+)$", text)
        found.append(Family(f"measures/{slug(short)}.md", short, content, frozenset(map(slug, [title, *names]))))
    return found


def without_families(markdown: str) -> str:
    """The page of measures, with links to the pages of families in place of the families."""
    first = _SECTION.search(markdown)
    opening = markdown[: first.start()] if first else markdown
    kept = {title: text for title, text in _sections(markdown) if title in KEPT}
    listed = "".join(f"- [{family.title}]({family.path})\n" for family in families(markdown))
    parts = [f"## {title}\n{text}" for title, text in kept.items()]
    return f"{opening}## Families\n\n{listed}\n{''.join(parts)}"


def page_of(anchor: str, pages: Mapping[str, frozenset[str]]) -> str:
    """The page that now has an anchor of the page of measures."""
    return next((path for path, anchors in pages.items() if anchor in anchors), PAGE)


def slug(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def _sections(markdown: str) -> list[tuple[str, str]]:
    found = [*_SECTION.finditer(markdown)]
    ends = [*(each.start() for each in found[1:]), len(markdown)]
    return [(each["title"], markdown[each.end() : end]) for each, end in zip(found, ends, strict=True)]
