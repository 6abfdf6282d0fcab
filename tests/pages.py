"""A page of HTML taken apart: its tables, elements and texts."""

import html.parser

SINGLE = ("meta", "br")
"""Elements without an end."""


class Page(html.parser.HTMLParser):
    """What is in a page, every element of which is closed where it ought to be."""

    def __init__(self, page: bytes | str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.classes: dict[str, str | None] = {}
        self.texts: dict[str, list[str]] = {}
        self._open: list[tuple[str, str | None]] = []
        self.feed(page if isinstance(page, str) else page.decode())
        self.close()
        assert [] == self._open

    @property
    def names(self) -> list[str]:
        """The name of each element."""
        return [tag for tag, _ in self.tags]

    @property
    def rows(self) -> list[list[str]]:
        """The rows of all tables."""
        return [row for table in self.tables for row in table]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in SINGLE:
            self._open.append((tag, dict(attrs).get("class")))
            self.texts.setdefault(tag, []).append("")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert tag == self._open.pop()[0], "elements are nested"

    def handle_data(self, data):
        for tag, kind in self._open:
            self.texts[tag][-1] += data
            if tag in ("td", "th"):
                self.tables[-1][-1][-1] += data
                self.classes[data] = kind
