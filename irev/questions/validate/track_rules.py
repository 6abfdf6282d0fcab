"""What a track asks of a submission: rules that judgments and runs do not know."""

from __future__ import annotations

import re

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Bools, Ints
from irev.errors import Faults, InputError
from irev.reading import ids
from irev.reading.chunks import Buffer, Chunks
from irev.reading.fields import Layout, split
from irev.reading.ids import Bytes, Words
from irev.reading.sources import Source


@dataclass(frozen=True)
class TrackRules:
    """What a track asks of a submission; None asks nothing.

    Attributes
    ----------
    topics : tuple of bytes or None
        The queries that a run must have, and no others.
    max_depth : int or None
        Most results for a query.
    tag : re.Pattern or None
        What the run id must match, as a whole.
    sorted : bool
        Whether the rows of a query must stand by falling score.
    docids : DocIds or None
        The documents of the collection.
    """

    topics: tuple[bytes, ...] | None = None
    max_depth: int | None = None
    tag: re.Pattern[bytes] | None = None
    sorted: bool = False
    docids: DocIds | None = None


@dataclass(frozen=True, eq=False)
class DocIds:
    """The ids of a collection as sorted hashes of eight bytes, so that ten million fit.

    An id that is not in the collection is taken for one that is when their hashes agree: once in 10^5 runs of
    seven million lines.
    """

    name: str
    key: Words

    @classmethod
    def read(cls, source: Source) -> DocIds:
        """Read the first field of every line, a chunk at a time.

        Raises
        ------
        ProblemError
            For a line that is no text.
        InputError
            For a file without ids.
        """
        layout = Layout(("document",), exact=False, empty_lines=True, comments="none", example="document")
        chunks, buffer = Chunks(source), Buffer(ids.padded(0))
        parts: list[Words] = []
        faults, lines = Faults(), 0
        while chunks.read(buffer):
            fields = split(buffer.text, buffer.begin, buffer.end, layout)
            faults.take(fields.faults, lines)
            faults.raise_earliest(source.name)
            lines += fields.lines
            start, stop = fields.span("document")
            parts.append(ids.keys(buffer.text, start, stop - start, ids.SEED))
        if not sum(len(part) for part in parts):
            raise InputError("the file lists no ids", source.name, "expected one on each line")
        key = np.concatenate(parts)
        key.sort()
        return cls(source.name, key)

    def lacks(self, text: Bytes, start: Ints, length: Ints) -> Bools:
        """Which of the given ids are not in the collection."""
        wanted = ids.keys(text, start, length, ids.SEED)
        place = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        lacking: Bools = self.key[place] != wanted
        return lacking
