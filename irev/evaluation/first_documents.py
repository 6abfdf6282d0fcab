"""The first documents of every query of a run: no more is kept of it. Several runs are read at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.ranking.ranking import First, first_documents
from irev.reading.open_files import Digest
from irev.reading.runs import Reading
from irev.reading.sources import Source


class FirstDocuments(NamedTuple):
    """The first documents of a run.

    Attributes
    ----------
    name : str
        What messages call its file.
    first : First
    reading : Reading
    digest : Digest or None
        What the file was, where that was asked for.
    """

    name: str
    first: First
    reading: Reading
    digest: Digest | None = None


@dataclass(frozen=True, eq=False)
class FirstDocumentsTask:
    """What is read of every run: the first `most` documents of each query, or all; `digest` hashes files."""

    settings: Settings
    most: int | None
    digest: bool = False

    def evaluated(
        self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None
    ) -> FirstDocuments:
        """Read one run, as `irev.evaluation.batch.Work` has it."""
        with Source(path, digest=self.digest, watch=watch, name=name) as source:
            first, reading = first_documents(source, self.settings, self.most)
            return FirstDocuments(source.name, first, reading, source.digest() if self.digest else None)
