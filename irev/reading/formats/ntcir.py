"""Judgments of NTCIR, whose grades are levels: ``L0`` is not relevant, ``L1`` partially, and so on.

No other format has such grades, so that a file of which all first lines have one is recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from irev.base.settings import Settings
from irev.errors import Faults, Problem, shown
from irev.reading.fields import Layout
from irev.reading.formats import FIRST, HEAD, JUDGMENTS, Format, Rewritten, trec, whole_lines
from irev.reading.sources import Source, Stream

THREES = replace(trec.QRELS_OF_THREE, empty_lines=True, comments="none", example="topic document L2")
FOURS = replace(
    trec.QRELS,
    fields=("query", "iteration", "document", "grade"),
    empty_lines=True,
    comments="none",
    example="topic 0 document L2",
)

_LEVEL = rb"([ \t])L([0-9]{1,3})[ \t\r]*\n"
_RECORD = rb"[ \t]*[^\s]+(?:[ \t]+[^\s]+)?[ \t]+[^\s]+[ \t]+L[0-9]{1,3}[ \t\r]*"


def _first(head: bytes) -> list[bytes]:
    """The first whole lines that are not blank; the only one where none is whole."""
    lines = head.split(b"\n", FIRST)
    return [line for line in lines[:-1] or lines if line.strip()]


def _recognised(head: bytes, settings: Settings) -> bool:
    first = _first(head)
    return bool(first) and all(re.fullmatch(_RECORD, line) for line in first)


def _lines(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    """The first line tells how many fields there are."""
    first = next(iter(_first(source.head(HEAD))), b"")
    layout = FOURS if len(first.split()) == len(FOURS.fields) else THREES

    def rewritten(source: Source) -> Iterator[bytes]:
        lines = 0
        for piece in whole_lines(source):
            count = piece.count(b"\n")
            text, found = re.subn(_LEVEL, rb"\1\2\n", piece)
            if found != count:
                text = b"".join(
                    _line(line, lines + number, faults) for number, line in enumerate(piece.split(b"\n")[:-1], 1)
                )
            yield text
            lines += count

    return layout, Rewritten(source, rewritten, faults)


def _line(line: bytes, number: int, faults: Faults) -> bytes:
    """A line with its level as a number; an empty one, and a problem noted, where it has none."""
    text, found = re.subn(_LEVEL, rb"\1\2\n", line + b"\n")
    if found or not line.strip():
        return text
    fact = f"the grade {shown(line.split()[-1])} is no level"
    faults.note(Problem(number, "E102", fact, "expected L0, L1, L2 …, as in the lines before"))
    return b"\n"


JUDGMENTS.add(
    "ntcir",
    Format(
        name="ntcir",
        description="NTCIR judgments: topic, document and level, L0, L1, L2 and so on, which are the grades 0, 1, 2;"
        " a field between topic and document is ignored.",
        example="q1 d01 L2\nq1 d02 L0\n",
        lines=_lines,
        recognised=_recognised,
        likely=lambda lines: re.fullmatch(_RECORD, lines[0]) is not None,
    ),
)
