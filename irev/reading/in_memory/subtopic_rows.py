"""Judgments of subtopics from rows that a program has: lines are made of them, which are read as those of a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from irev.base.settings import Settings
from irev.base.text import encoded
from irev.errors import Faults, InputError
from irev.reading import formats, qrels
from irev.reading.fields import SUBTOPICS
from irev.reading.formats.subtopics import LINES as FIELDS
from irev.reading.judgments import Judgments

_LAYOUT = replace(FIELDS, comments="none", empty_lines=True, blanks=True, kind=SUBTOPICS, unit="judgment")


class _LinesInMemory:
    """Lines that are in memory, as a stream of them."""

    def __init__(self, name: str, text: bytes) -> None:
        self.name, self.size = name, len(text)
        self._text, self._place = memoryview(text), 0

    def fill(self, room: memoryview) -> int:
        """As `irev.reading.sources.Source.fill`."""
        part = self._text[self._place : self._place + len(room)]
        room[: len(part)] = part
        self._place += len(part)
        return len(part)

    def rewind(self) -> None:
        """As `irev.reading.sources.Source.rewind`."""
        self._place = 0


def judgments(rows: Iterable[tuple[str, str, str, float]], settings: Settings, name: str = "qrels") -> Judgments:
    """The judgments of rows of query, subtopic, document and grade.

    Raises
    ------
    InputError
        For an id that is none, a grade that is no number, and a document that is judged twice for a subtopic.
    """
    lines = []
    for number, (query, subtopic, document, grade) in enumerate(rows, start=1):
        fields = []
        for role, written in (("query", query), ("subtopic", subtopic), ("document", document)):
            field = formats.as_field(written)
            if field is None:
                fault = formats.id_fault(number, role, written)
                raise InputError(f"judgment {number}: {fault.fact}", name, fault.remedy)
            fields.append(field)
        lines.append(f"{' '.join(fields)} {grade!s}\n")
    text = encoded("".join(lines))
    return qrels.of_lines(_LAYOUT, _LinesInMemory(name, text), settings, Faults())
