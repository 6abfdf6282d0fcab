"""Files of learning to rank, LETOR's and SVMlight's: their grades as judgments, a file of scores beside one as a run.

A line has a grade, ``qid:`` and the query, features, and behind a number sign what is said of it. In LETOR that is
``docid = ID``; where the first line does not have it, as in MSLR and RankLib's files, a document is called by the
number of its line. Quepid's export has no features, and behind the number sign the document and the text of the query.
Learners write no more than a score for each line, or, as RankLib does, the query, a number and the
score: which documents these are is in the file that was scored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from irev.base.errors import Faults, InputError, Problem, ProblemError, UsageError, shown
from irev.base.settings import Settings
from irev.reading.fields import Layout, too_long
from irev.reading.formats import JUDGMENTS, RUNS, Format, Rewritten, whole_lines
from irev.reading.limits import LONGEST
from irev.reading.sources import Source, Stream

SCORES = "letor-scores"

_EXAMPLE = rb"(?s)[ \t]*([^\s#]+)[ \t]+qid:([^\s#]+)(?:[ \t\r]([^#]*))?(#.*)?"
_FEATURES = rb"[ \t\r]*(?:[0-9]+:[^\s:]+(?:[ \t\r]+|\Z))*"
_DOCUMENT = rb"\bdocid[ \t]*=[ \t]*([^\s]+)"
_QUEPID = rb"#[ \t]*([^\s]+?)(?:;(?=[ \t]+\")|(?=\s)|\Z)"
"""The document of a line without features, to which an earlier version of Quepid added a semicolon."""
_GRADE = rb"[+-]?[0-9]+(?:\.[0-9]*)?"


class _Examples:
    """Reads lines of examples: of each the grade, the query and the document."""

    def __init__(self) -> None:
        self._named: bool | None = None

    def fields(self, line: bytes, number: int) -> tuple[bytes, bytes, bytes] | Problem | None:
        """The fields, what is wrong with them, or nothing for a line without an example."""
        if len(line) > LONGEST:
            return too_long(number)
        if not line.strip() or line.lstrip().startswith(b"#"):
            return None
        found = re.fullmatch(_EXAMPLE, line)
        if found is None or not re.fullmatch(_FEATURES, found[3] or b""):
            remedy = "expected grade qid:query feature:value …"
            return Problem(number, "E101", f"{shown(line[:200].strip())} is not a line of LETOR", remedy)
        document = re.search(_DOCUMENT, found[4] or b"")
        if document is None and not (found[3] or b"").strip():
            document = re.match(_QUEPID, found[4] or b"")
        if self._named is None:
            self._named = document is not None
        if not self._named and document is not None:
            return Problem(
                number, "E101", "the line has a docid, but the first line has none", "expected all to have one"
            )
        if not self._named:
            return found[1], found[2], b"%d" % number
        if document is None:
            return Problem(
                number, "E101", "the line has no docid, but other lines have one", "expected # docid = ID at its end"
            )
        return found[1], found[2], document[1]


def _numbered(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers."""
    number = 0
    for piece in whole_lines(source):
        for line in piece.split(b"\n")[:-1]:
            number += 1
            yield number, line


def _judgments(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    def rewritten(source: Source) -> Iterator[bytes]:
        examples = _Examples()
        for number, line in _numbered(source):
            fields = examples.fields(line, number)
            if isinstance(fields, Problem):
                faults.note(fields)
            yield b"%b %b %b\n" % fields if isinstance(fields, tuple) else b"\n"

    return _layout("grade", "grade qid:query 1:0.5"), Rewritten(source, rewritten, faults)


def _layout(value: str, example: str) -> Layout:
    order = ("grade", "query", "document") if value == "grade" else ("query", "document", "score")
    return Layout(order, exact=True, empty_lines=True, comments="none", example=example)


def _scores(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    path = (settings.run_format or "").partition(":")[2]
    if not path or path == "-":
        fact = f"--run-format {SCORES} needs the file that was scored"
        raise UsageError(fact, remedy=f"expected {SCORES}:FILE, where FILE has a document on each line")

    if os.path.exists(path) and not os.path.isfile(path):  # the scores may be read twice, and it beside them
        raise InputError(
            "this is not a regular file, but it may have to be read twice", path, "write it to a file first"
        )

    def rewritten(source: Source) -> Iterator[bytes]:
        with Source(path) as scored:
            documents, places = _documents(scored), _Places()
            for number, line in _numbered(source):
                yield _scored(line, number, documents, places, scored.name, faults) if line.strip() else b"\n"
            missing = sum(1 for _ in documents)
            if missing:
                counted = "1 document has" if missing == 1 else f"{missing} documents have"
                fact = f"{counted} no score, the last ones of {scored.name}"
                raise InputError(fact, source.name, "expected a score for each, in the same order")

    return _layout("score", "0.5"), Rewritten(source, rewritten, faults)


def _documents(scored: Source) -> Iterator[tuple[bytes, bytes]]:
    """Query and document of each example. Raises `ProblemError` for a line that is none."""
    examples = _Examples()
    for number, line in _numbered(scored):
        fields = examples.fields(line, number)
        if isinstance(fields, Problem):
            raise ProblemError(scored.name, fields)
        if fields is not None:
            yield fields[1], fields[2]


class _Places:
    """The numbers that RankLib gives documents, which count those of a query, from 0 or 1."""

    def __init__(self) -> None:
        self._query = b""
        self._last: dict[bytes, int] = {}

    def follows(self, query: bytes, written: bytes) -> bool:
        """Whether this is the number of the next document, or of the first where another query came before."""
        if not written.isdigit() or len(written) > 18:
            return False
        place, last = int(written), self._last.get(query)
        begins = query != self._query and place < 2
        self._query = query
        self._last[query] = place
        return begins or (last is not None and place == last + 1)


def _scored(
    line: bytes,
    number: int,
    documents: Iterator[tuple[bytes, bytes]],
    places: _Places,
    scored: str,
    faults: Faults,
) -> bytes:
    """The result of a line; an empty one, and a problem noted, where something is wrong."""
    if len(line) > LONGEST:
        faults.note(too_long(number))
        return b"\n"
    found, fields = next(documents, None), line.split()
    if found is None:
        fact = f"there are more scores than documents in {scored}"
        faults.note(Problem(number, "E101", fact, "expected a score for each, in the same order"))
    elif len(fields) not in (1, 3):
        remedy = "expected a score, or query, number and score"
        faults.note(Problem(number, "E101", f"{len(fields)} fields in {shown(line[:200].strip())}", remedy))
    elif len(fields) == 3 and fields[0] != found[0]:
        fact = f"the query is {shown(fields[0])}, and that of the document in {scored} is {shown(found[0])}"
        faults.note(Problem(number, "E101", fact, "expected the order of that file"))
    elif len(fields) == 3 and not places.follows(fields[0], fields[1]):
        fact = f"the number {shown(fields[1])} is not that of the next document of query {shown(fields[0])}"
        faults.note(Problem(number, "E101", fact, f"expected the order of {scored}; were the scores sorted?"))
    else:
        return b"%b %b %b\n" % (*found, fields[-1])
    return b"\n"


def _recognised(head: bytes, settings: Settings) -> bool:
    """Whether the first example begins as none of another format does."""
    if b" qid:" not in head and b"\tqid:" not in head:
        return False
    first = next((line for line in head.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")), b"")
    found = re.match(rb"[ \t]*([^\s#]+)[ \t]+qid:[^\s#]+(?:[ \t\r]+[0-9]+:|[ \t\r]*(?:#|\Z))", first)
    return found is not None and re.fullmatch(_GRADE, found[1]) is not None


Format(
    name="letor",
    description="LETOR and SVMlight: grade, qid:query, features, and behind # perhaps docid = ID, or where there "
    "are no features the document and the query, as Quepid exports them; otherwise the line number "
    "is the id of the document.",
    example="2 qid:q1 1:0.05 2:0.5 #docid = d01\n0 qid:q1 1:0.27 2:0.0 #docid = d02\n",
    lines=_judgments,
    recognised=_recognised,
).add_to(JUDGMENTS)
Format(
    name=SCORES,
    description=f"A score on each line for the documents of a LETOR file: --run-format {SCORES}:FILE names it."
    " RankLib's lines of query, number and score are read too.",
    example="0.5\n-1.25\n",
    lines=_scores,
    suggested=True,
    beside=True,
).add_to(RUNS)
