"""Publications of measures, and their BibTeX, from ``literature.bib`` beside this module.

Docstrings name their sources in prose. A work is found in the prose by its title, or by a name in the field ``called``
of its entry, which is not printed and has semicolons between names. For a source without an entry, the prose is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import NamedTuple

from irev import __version__
from irev.measures.measure import Measure
from irev.measures.pages import page


class Publication(NamedTuple):
    """A work: the key, kind and fields of its BibTeX entry, and the names by which prose is recognised."""

    key: str
    kind: str
    fields: dict[str, str]
    called: tuple[str, ...] = ()

    def bibtex(self) -> str:
        """The entry, in ASCII."""
        given = {**self.fields, "title": f"{{{self.fields['title']}}}"}  # with its capitals as they are
        width = max(map(len, given))
        lines = [f"  {name:{width}} = {{{_tex(name, text)}}}" for name, text in given.items()]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


def _read() -> Iterator[Publication]:
    """The works of the file, which has one field on a line."""
    written = files(__package__).joinpath("literature.bib").read_text(encoding="utf-8")
    for kind, key, body in re.findall(r"^@(\w+)\{(\w+),\n(.*?)^\}$", written, re.MULTILINE | re.DOTALL):
        fields = dict(re.findall(r"^  (\w+) *= \{(.*)\},$", body, re.MULTILINE))
        called = fields.pop("called", fields["title"])
        yield Publication(key, kind, fields, tuple(called.split("; ")))


WORKS = tuple(_read())

IREV = Publication(
    "irev",
    "misc",
    {
        "author": "{the irev authors}",
        "title": "irev: Evaluation of Ranked Retrieval",
        "note": f"Version {__version__}",
        "year": "2026",
    },
)
"""What numbers were computed with."""

_PARTS = re.compile(r"; |\. Over ties: ")
"""What stands between the works of a source."""


def sources(measure: Measure) -> list[tuple[str, Publication | None]]:
    """The works that a measure's documentation names, each as its prose and its record, None where there is none."""
    prose = page(measure).source.rstrip(".")
    return [(part, _work(part)) for part in _PARTS.split(prose)] if prose else []


def cited(measures: Iterable[Measure], unsourced: bool = True) -> Iterator[str]:
    """BibTeX of what measures were published in, each work once, and of irev.

    Sources that have no record are comments, and so, unless `unsourced` is false, are measures that name none.
    """
    found: dict[str, Publication] = {}
    for measure in measures:
        named = sources(measure)
        if unsourced and not named:
            yield f"% {measure.name}: its documentation names no source"
        for prose, work in named:
            if work is None:
                yield f"% {measure.name}: {_ascii(prose)}"
            else:
                found.setdefault(work.key, work)
    for work in (*sorted(found.values(), key=lambda work: work.key.lower()), IREV):
        yield work.bibtex()


def _work(prose: str) -> Publication | None:
    """The work with the longest title of those that stand in the prose: some titles are words of others."""
    text = prose.lower()
    named = [(len(name), work) for work in WORKS for name in work.called if name.lower() in text]
    return max(named, key=lambda each: each[0])[1] if named else None


_LETTERS = {"ä": r"{\"a}", "ö": r"{\"o}", "ü": r"{\"u}", "é": r"{\'e}", "ø": r"{\o}", "–": "--"}


def _ascii(text: str) -> str:
    return "".join(_LETTERS.get(letter, letter) for letter in text)


def _tex(name: str, text: str) -> str:
    """A field, with letters and signs as TeX wants them; of a DOI nothing is changed."""
    return text if name == "doi" else _ascii(text).replace("_", r"\_").replace("&", r"\&")
