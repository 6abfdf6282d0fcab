"""Files to outcomes: judgments, groups of queries and runs are read, evaluated several at a time, and named.

Nothing is said and nothing shown here: doubts are handed to a callback, and whoever wants to watch is given the batch.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from irev.base.choice import NamedRun
from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import and_more
from irev.evaluation.batch import (
    Evaluated,
)
from irev.evaluation.result import Input, Outcome
from irev.ranking.ranking import First, first_documents
from irev.reading.judgments import Judgments
from irev.reading.runs import Reading
from irev.reading.sources import Digest, Source

if TYPE_CHECKING:
    pass

_NAMED = 5
"""So many runs are named of those that share a run id."""


def names_of(
    paths: Sequence[str], tags: Sequence[str], given: Sequence[str], note: Callable[[str], None]
) -> tuple[str, ...]:
    """A name for each run: one that was given or typed before its path, or its run id; where several share that, their
    files' names.

    Parameters
    ----------
    paths, tags : sequence of str
        The files, and the run ids in them.
    given : sequence of str
        Names for all of the runs; if none, those of `NamedRun`.
    note : callable
        Is told, in a sentence, when names are not run ids.

    Raises
    ------
    UsageError
        For names that are not as many as runs, or are not different, blanks at their ends aside.
    """
    if given and len(given) != len(paths):
        raise UsageError(f"{len(given)} names for {len(paths)} runs", remedy="give one for each")
    chosen = given or [path.called if isinstance(path, NamedRun) else "" for path in paths]
    if any(chosen):
        unnamed = [place for place, name in enumerate(chosen) if not name]
        others = names_of([paths[place] for place in unnamed], [tags[place] for place in unnamed], (), note)
        names = [*chosen]
        for place, name in zip(unnamed, others, strict=True):
            names[place] = name
        if again := _twice(names):
            raise UsageError(f"two runs are called '{again[0]}'", remedy="give every run a name of its own")
        if again := _twice([name.strip() for name in names]):
            fact = f"the names of two runs are '{again[0]}', except for blanks at the ends"
            raise UsageError(fact, remedy="give every run a different name")
        return tuple(names)
    names = list(tags)
    if shared := dict.fromkeys(_twice(tags)):
        # The shortest way to tell files apart that works for all that share a run id.
        for of_path in (_stem, os.path.basename, str):
            candidates = [of_path(path) if tag in shared else tag for path, tag in zip(paths, tags, strict=True)]
            if not _twice(candidates):
                break
        else:
            candidates = [
                f"{name}#{number}" if tag in shared else name
                for number, (name, tag) in enumerate(zip(candidates, tags, strict=True), start=1)
            ]
        names = candidates
        listed = ", ".join(f"'{tag}'" for tag in shared)
        called = _of(names, tags, shared)
        more = and_more(len(called), _NAMED, ",")
        note(f"several runs have the run id {listed}; their names are {', '.join(called[:_NAMED])}{more}")
    return tuple(names)


def _of(names: Sequence[str], tags: Sequence[str], shared: Collection[str]) -> list[str]:
    return [name for name, tag in zip(names, tags, strict=True) if tag in shared]


def _stem(path: str) -> str:
    """A file's name without its endings: ``bm25`` for ``runs/bm25.run.gz``."""
    base = os.path.basename(path)
    return base.split(".", 1)[0] or base


def _twice(names: Sequence[str]) -> list[str]:
    """Those that stand more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


class Runs(NamedTuple):
    """Runs that were evaluated.

    Attributes
    ----------
    outcomes : tuple of Outcome
        Every run under every set of judgments.
    judgments : tuple of Judgments
    evaluated : tuple of Evaluated
        What came of each run.
    inputs : tuple of Input
        The files, where these were to be hashed.
    beside : tuple of Outcome
        Runs that were evaluated beside the others.
    ungrouped : tuple of bytes
        Queries that count and are in no group, where there are groups.
    """

    outcomes: tuple[Outcome, ...]
    judgments: tuple[Judgments, ...]
    evaluated: tuple[Evaluated, ...]
    inputs: tuple[Input, ...]
    beside: tuple[Outcome, ...] = ()
    ungrouped: tuple[bytes, ...] = ()


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
