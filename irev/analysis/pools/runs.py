"""The runs that a pool is made of, read several at a time: of each no more than its first documents is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from irev.analysis.pools.candidates import GatheredRuns
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.evaluation.batch import Batch
from irev.evaluation.executors import local
from irev.evaluation.result import Input
from irev.ranking.ranking import First, first_documents
from irev.reading import qrels
from irev.reading.digest import Digest
from irev.reading.judgments import Judgments
from irev.reading.runs import Reading
from irev.reading.sources import Source


class FirstOf(NamedTuple):
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
    digest: Digest | None


@dataclass(frozen=True, eq=False)
class FirstTask:
    """What is read of every run: the first `most` documents of each query, or all; `digest` hashes files."""

    settings: Settings
    most: int | None
    digest: bool = False

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> FirstOf:
        """Read one run, as `irev.evaluation.batch.Work` has it."""
        with Source(path, digest=self.digest, watch=watch, name=name) as source:
            first, reading = first_documents(source, self.settings, self.most)
            return FirstOf(source.name, first, reading, source.digest() if self.digest else None)


class FilesRead(NamedTuple):
    """What a pool is made of.

    Attributes
    ----------
    gathered : GatheredRuns
    readings : list of Reading
        What reading each run found.
    judgments : Judgments or None
    inputs : list of Input
        The files, where these were to be hashed.
    """

    gathered: GatheredRuns
    readings: list[Reading]
    judgments: Judgments | None
    inputs: list[Input]

    @property
    def tags(self) -> list[str]:
        """The run ids."""
        return [decoded(each.tag) for each in self.readings]

    @property
    def twice(self) -> list[tuple[int, int]]:
        """Runs that seem to be one given twice, the later and the earlier: equal in their run ids, in how many rows
        they have, and in all documents that were kept of them."""
        found = []
        for run, reading in enumerate(self.readings):
            for other in self.gathered.same_as(run):
                before = self.readings[other]
                if (before.tag, before.rows) == (reading.tag, reading.rows):
                    found.append((run, other))
                    break
        return found


def read_files(
    paths: Sequence[str],
    judged: str | None,
    settings: Settings,
    most: int | None,
    *,
    digest: bool = False,
    jobs: int | None = None,
    watched: Callable[[Batch[Any], Sequence[str]], AbstractContextManager[None]] = lambda batch, paths: nullcontext(),
) -> FilesRead:
    """Read runs, and of each the first `most` documents of every query, or all; and what is judged, if anything.

    `watched` gives what is entered meanwhile. Raises `InputError` for a file that cannot be read.
    """
    judgments, inputs, gathered, readings = None, list[Input](), GatheredRuns(), []
    if judged is not None:
        with Source(judged, digest=digest) as source:
            judgments = qrels.read(source, settings)
            inputs += [Input("qrels", source.name, *source.digest())] if digest else []
    batch = Batch(FirstTask(settings, most, digest), paths, local(paths, jobs))
    with watched(batch, paths):
        for run in batch.results():
            gathered.add(run.first)
            readings.append(run.reading)
            inputs += [Input("run", run.name, *run.digest)] if run.digest is not None else []
    return FilesRead(gathered, readings, judgments, inputs)
