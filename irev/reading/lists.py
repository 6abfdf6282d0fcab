"""Lists of ids: one on each line, as in a file of queries to evaluate."""

from __future__ import annotations

from irev.errors import InputError, Problem, ProblemError, shown
from irev.reading.chunks import read_all
from irev.reading.fields import LONGEST, too_long
from irev.reading.ids import PAD
from irev.sources import Source


def read_ids(source: Source) -> list[bytes]:
    """The first field of every line, in order; what follows it, such as the text of a topic, is ignored.

    Raises
    ------
    ProblemError
        For an id that stands twice, and for a line that is too long.
    InputError
        For a file without ids.
    """
    buffer = read_all(source)
    found: dict[bytes, int] = {}
    for number, line in enumerate(buffer.text[PAD : buffer.end].tobytes().split(b"\n"), start=1):
        if len(line) > LONGEST:
            raise ProblemError(source.name, too_long(number))
        fields = line.split(None, 1)
        if fields and fields[0] in found:
            fact = f"{shown(fields[0])} stands twice"
            raise ProblemError(
                source.name, Problem(number, "E107", fact, "keep one of the two lines", found[fields[0]])
            )
        if fields:
            found[fields[0]] = number
    if not found:
        raise InputError("the file lists no ids", source.name, "expected one on each line")
    return list(found)
