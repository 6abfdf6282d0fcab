"""Lines of other evaluations: of MS MARCO, and judgments of NTCIR.

**MS MARCO** has passages that are relevant to queries, and ranked passages without scores. Many systems write a score
where it has the rank. Read as ranks, scores would put each ranking upside down: what is not a rank is refused, and
other formats are there for scores (see `irev.reading.formats.trec`).

**NTCIR**'s grades are levels: ``L0`` is not relevant, ``L1`` partially, and so on. No other format has such grades, so
that a file of which all first lines have one is recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from irev.base.errors import Faults, InputError, Problem, option, shown
from irev.base.settings import Settings
from irev.reading.fields import Layout
from irev.reading.formats import (
    FIRST,
    JUDGMENTS,
    RUNS,
    Format,
    Rewritten,
    head_of,
    trec,
    whole_lines,
    with_header,
)
from irev.reading.sources import Source, Stream

_FOURS = replace(trec.QRELS, empty_lines=True, comments="none")
_PASSAGES = replace(_FOURS, fields=("query", "document"), example="query document")
_RANKS = replace(
    _FOURS,
    fields=("query", "document", "rank"),
    example="query document rank",
    hint="with scores it is --run-format trec3 (query document score) or trec4 (query document rank score)",
)
_LEVELS_OF_THREE = replace(_FOURS, fields=("query", "document", "grade"), example="topic document L2")
_LEVELS = replace(_FOURS, fields=("query", "iteration", "document", "grade"), example="topic 0 document L2")


def _passages(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    """The first line tells whether lines have grades."""
    if form := with_header(JUDGMENTS, head_of(source)):
        return form.lines(source, settings, faults)
    first = next((line for line in head_of(source).split(b"\n") if line.strip()), b"")
    return trec.lines(_PASSAGES if len(first.split()) == len(_PASSAGES.fields) else _FOURS, source, settings, faults)


def _ranked(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    """The first line tells whether lines have ranks, without which their order has to be asked for."""
    first = next((line for line in head_of(source).split(b"\n") if line.strip()), b"")
    unranked = len(first.split()) == len(_PASSAGES.fields)
    if unranked and settings.order != "file":
        fact = f"{shown(first[:200])} has neither a rank nor a score"
        raise InputError(fact, source.name, f"add {option('order', 'file')} if lines are in ranked order, best first")
    return trec.lines(_PASSAGES if unranked else _RANKS, source, settings, faults)


_LEVEL = rb"([ \t])L([0-9]{1,3})[ \t\r]*\n"
_RECORD = rb"[ \t]*[^\s]+(?:[ \t]+[^\s]+)?[ \t]+[^\s]+[ \t]+L[0-9]{1,3}[ \t\r]*"


def _first_lines(head: bytes) -> list[bytes]:
    """The first whole lines that are not blank; the only one where none is whole."""
    lines = head.split(b"\n", FIRST)
    return [line for line in lines[:-1] or lines if line.strip()]


def _are_levels(head: bytes, settings: Settings) -> bool:
    first = _first_lines(head)
    return bool(first) and all(re.fullmatch(_RECORD, line) for line in first)


def _levels(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    """The first line tells how many fields there are."""
    first = next(iter(_first_lines(head_of(source))), b"")
    layout = _LEVELS if len(first.split()) == len(_LEVELS.fields) else _LEVELS_OF_THREE

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
    fact = f"the grade {shown(line.split()[-1])} is not a level"
    faults.note(Problem(number, "E102", fact, "expected L0, L1, L2 …, as in the lines before"))
    return b"\n"


Format(
    name="msmarco",
    description="MS MARCO: query, 0, passage and grade, or query and passage alone, which means grade 1.",
    example="1048585\t0\t7187158\t1\n1048585\t0\t7187157\t1\n",
    lines=_passages,
    suggested=True,
).add_to(JUDGMENTS)
Format(
    name="msmarco",
    description="MS MARCO: query, passage and rank. Ordered by rank; there are no scores. With --order file also query"
    " and passage alone, best first.",
    example="1048585\t7187158\t1\n1048585\t7187157\t2\n",
    lines=_ranked,
    suggested=True,
).add_to(RUNS)
Format(
    name="ntcir",
    description="NTCIR judgments: query, document and level, L0, L1, L2 and so on, which are the grades 0, 1, 2;"
    " a field between query and document is ignored.",
    example="q1 d01 L2\nq1 d02 L0\n",
    lines=_levels,
    recognised=_are_levels,
    suggested=True,
).add_to(JUDGMENTS)
