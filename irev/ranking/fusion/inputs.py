"""Runs that are fused while they are read, a block of each at a time, and whose queries are brought together.

Each file has a thread that reads one block ahead of what is asked for, and no further, so that memory does not grow
with the files.

Nothing need be known of the order of the queries: by number, by id, as in a file of topics. The next query is the first
one of a run that no other run has behind something else. A run lacks it when it has ended, or has a query already that
comes later in the other one. So runs whose queries stand in one order, whichever, are read in step, a block of each at
a time, and memory follows these; what only some of the runs have does not disturb that. Where orders contradict each
other `Disagreement` is raised, as soon as that is known: such runs are read whole, and then the first run that has a
query left goes ahead.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, Queue
from typing import Protocol, TypeVar

from irev.base.errors import InputError, shown
from irev.base.exit import leave_to_first_thread
from irev.base.settings import Settings
from irev.base.workers import processors
from irev.ranking.fusion import FusionSpec
from irev.ranking.fusion.fused import Part, RankedBlock, fused, keeper
from irev.ranking.ranking import first_documents
from irev.reading import chunks, runs
from irev.reading.block import Block
from irev.reading.chunks import Scattered
from irev.reading.runs import Reading
from irev.reading.sources import Source


class Disagreement(Exception):
    """A query came after one that stands behind it in another run."""


class _RunAhead:
    """The queries of a run that were read and not taken yet."""

    def __init__(self, blocks: Iterator[RankedBlock]) -> None:
        self._blocks = blocks
        self.waiting: OrderedDict[bytes, Part] = OrderedDict()
        self.ended = False
        self.lacking: set[bytes] = set()
        """Queries that others have had taken, and this one was taken to lack."""

    def read(self) -> bool:
        """Read the next block; whether there was one. Raises `Disagreement`."""
        block = next(self._blocks, None)
        if block is None:
            self.ended = True
            return False
        if self.lacking and not self.lacking.isdisjoint(block.queries):
            raise Disagreement
        for number, query in enumerate(block.queries):
            self.waiting[query] = block, number
        return True


def in_step(runs: Sequence[Iterator[RankedBlock]], whole: bool) -> Iterator[tuple[bytes, list[Part | None]]]:
    """Each query of any run, and what every run has of it, None for one that lacks it.

    Parameters
    ----------
    runs : sequence of iterator of RankedBlock
        No query comes twice in one.
    whole : bool
        Whether they are read to their ends first, which is wanted where orders contradict each other.

    Raises
    ------
    Disagreement
        Unless `whole`.
    """
    all_runs = [_RunAhead(blocks) for blocks in runs]
    if whole:
        for run in all_runs:
            while run.read():
                pass
    while True:
        for run in all_runs:
            while not run.waiting and not run.ended:
                run.read()
        left = [run for run in all_runs if run.waiting]
        if not left:
            return
        query = _next(left, all_runs, whole)
        parts = [run.waiting.pop(query, None) for run in all_runs]
        for run, part in zip(all_runs, parts, strict=True):
            if part is None and not run.ended:
                run.lacking.add(query)
        yield query, parts


def _next(left: Sequence[_RunAhead], runs: Sequence[_RunAhead], whole: bool) -> bytes:
    """The first query of a run that all others have first too, or lack."""
    for run in left:
        query = next(iter(run.waiting))
        if all(_is_next(query, run, other) for other in runs if other is not run):
            return query
    if whole:
        return next(iter(left[0].waiting))
    raise Disagreement


def _is_next(query: bytes, run: _RunAhead, other: _RunAhead) -> bool:
    """Whether the other run has a query first, or lacks it, that a run has first. Reads on until that is known."""
    while query not in other.waiting:
        if other.ended:
            return True
        if not run.waiting.keys().isdisjoint(other.waiting.keys()):
            return True  # what the other has already comes later in this one
        other.read()
        if not run.ended:
            run.read()
    return next(iter(other.waiting)) == query


class SharedQueries:
    """What is known of the queries of some runs once all have passed; `passed` is called then.

    Attributes
    ----------
    lacking : list of list of bytes
        The queries that each run lacks and others have, in the order in which they came.
    empty : list of bytes
        Those for which no run has a document.
    """

    def __init__(self, names: Sequence[str], passed: Callable[[], None] = lambda: None) -> None:
        self._names, self._passed = names, passed
        self.lacking: list[list[bytes]] = [[] for _ in names]
        self.empty: list[bytes] = []
        self._example: list[bytes | None] = [None for _ in names]
        self._shares = [len(names) == 1 for _ in names]

    def watching(self, merged: Iterable[tuple[bytes, list[Part | None]]]) -> Iterator[tuple[bytes, list[Part | None]]]:
        """The same queries, noted. Raises `InputError` at the end for a run that has none in common with the others."""
        for query, parts in merged:
            having = len(parts) - parts.count(None)
            if having < len(parts):
                self._note(query, parts, having)
            elif not all(self._shares):
                self._shares = [True for _ in self._shares]
            if not any(block.ends[number + 1] - block.ends[number] for block, number in filter(None, parts)):
                self.empty.append(query)
            yield query, parts
        self._require_shared()
        self._passed()

    def _note(self, query: bytes, parts: Sequence[Part | None], having: int) -> None:
        for run, part in enumerate(parts):
            if part is None:
                self.lacking[run].append(query)
            else:
                self._shares[run] |= having > 1
                self._example[run] = self._example[run] or query

    def _require_shared(self) -> None:
        for run, shares in enumerate(self._shares):
            mine = self._example[run]
            if shares or mine is None:
                continue
            other = min(filter(None, self._example[:run] + self._example[run + 1 :]), default=b"")
            fact = f"it has no query in common with the other runs: it has {shown(mine)}, they have {shown(other)}"
            raise InputError(fact, self._names[run], "do the runs have the same queries?")


LEAST = 1 << 18
"""Bytes that are read of a file at a time, at least; of few files it is more."""

NOT_IN_STEP = (Scattered, Disagreement)
"""What is raised where runs are not in one order of queries: they are then read whole."""


_Step = tuple[RankedBlock | None, BaseException | None]


class _Ahead:
    """Blocks of which a thread makes the next one while one is worked on."""

    def __init__(self, blocks: Iterator[RankedBlock]) -> None:
        self._blocks = blocks
        self._made = Queue[_Step](1)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._make, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # "can't start new thread"
            raise MemoryError from None

    def _make(self) -> None:
        leave_to_first_thread()
        more = True
        while more and not self._stopped.is_set():
            step: _Step = None, None
            try:
                step = next(self._blocks, None), None
            except BaseException as error:  # handed to the thread that asks for the block
                step = None, error
            more = step[0] is not None
            self._made.put(step)

    def __iter__(self) -> Iterator[RankedBlock]:
        while True:
            block, error = self._made.get()
            if error is not None:
                raise error
            if block is None:
                return
            yield block

    def stop(self, wait: bool) -> None:
        """Have no more blocks made, and wait until nothing is read any more, or not."""
        self._stopped.set()
        with suppress(Empty):
            self._made.get_nowait()  # which lets the thread go on, and see that it is to stop
        if wait:
            self._thread.join()


class InputRun(Protocol):
    """A run that is to be fused: `name` is what messages call it."""

    @property
    def name(self) -> str: ...

    def in_blocks(self) -> Iterator[RankedBlock]:
        """Its blocks, each made when it is asked for. May raise `Scattered`."""

    def whole(self) -> Iterator[RankedBlock]:
        """Its blocks, once more, with queries in pieces brought together."""


class FileRun:
    """A run in an open file, of which `size` bytes are read at a time; to be left before the file is closed.

    Attributes
    ----------
    reading : Reading
        What reading it found, once it was read.
    print : int
        Which of files that were read alike are equal, all that is fused considered, or seem so.
    """

    reading: Reading

    def __init__(self, source: Source, spec: FusionSpec, settings: Settings, size: int) -> None:
        self._source, self._settings, self._size = source, settings, size
        self._kept = keeper(spec, settings)
        self.name = source.name
        self.print = 0
        self._ahead: _Ahead | None = None

    def __enter__(self) -> FileRun:
        return self

    def __exit__(self, *_: object) -> None:
        # A thread that waits for a pipe may do so for ever. No other may read on: not from a file that is closed, in
        # the place of which another one may be open soon.
        self._stop(wait=not self._source.may_wait)

    def in_blocks(self) -> Iterator[RankedBlock]:
        """Its blocks, each read when the one before is asked for. Raises `Scattered`."""
        if processors() == 1:
            return self._streamed()
        self._ahead = _Ahead(self._streamed())
        return iter(self._ahead)

    def whole(self) -> Iterator[RankedBlock]:
        """Its blocks, all read once more before the first is given, with queries in pieces brought together."""
        self._stop(wait=True)
        self._source.rewind()
        self.print = 0
        return self._gathered()

    def same_as(self, other: FileRun) -> bool:
        """Whether another file with the same `print` has the same documents in the same order, since the hashes of ids
        may be equal; of what cannot be read again, such as a pipe, the print decides."""
        names = (self._source.name, other._source.name)
        if not all(map(os.path.isfile, names)):
            return True
        found = []
        for name in names:
            with Source(name) as source:
                found.append(first_documents(source, self._settings, None)[0])
        return found[0] == found[1]

    def _stop(self, wait: bool) -> None:
        if self._ahead is not None:
            self._ahead.stop(wait)
            self._ahead = None

    def _streamed(self) -> Iterator[RankedBlock]:
        blocks = runs.stream(self._source, self._kept, self._settings, self._size)
        while True:
            try:
                block = next(blocks)
            except StopIteration as end:
                self.reading = end.value
                return
            yield self._noted(block)

    def _gathered(self) -> Iterator[RankedBlock]:
        blocks, self.reading = runs.read(self._source, self._kept, self._settings)
        yield from map(self._noted, blocks)

    def _noted(self, block: RankedBlock) -> RankedBlock:
        self.print = hash((self.print, block.key.tobytes(), block.score.tobytes()))
        return block


class MemoryRun:
    """A run in memory; `blocks` makes its blocks, as often as they are asked for, and no query is in two of them."""

    def __init__(self, name: str, blocks: Callable[[], Iterable[Block]], spec: FusionSpec, settings: Settings) -> None:
        self.name, self._blocks = name, blocks
        self._kept = keeper(spec, settings)

    def in_blocks(self) -> Iterator[RankedBlock]:
        """Its blocks."""
        return map(self._kept, self._blocks())

    whole = in_blocks


def of_files(sources: Sequence[Source], spec: FusionSpec, settings: Settings) -> list[FileRun]:
    """The runs in some open files."""
    size = min(max(2 * chunks.SIZE // max(len(sources), 1), LEAST), chunks.SIZE)
    return [FileRun(source, spec, settings, size) for source in sources]


def fused_runs(inputs: Sequence[InputRun], spec: FusionSpec, shared: SharedQueries, whole: bool) -> Iterator[Block]:
    """Blocks of the fused run, as `irev.ranking.fusion.fused.fused` gives them; `shared` notes its queries.

    Raises
    ------
    InputError
        For a run that cannot be read, one that has no query in common with the others, and as `fused`.
    Scattered, Disagreement
        For runs that are not in one order of queries, unless they are read `whole`.
    """
    merged = in_step([each.whole() if whole else each.in_blocks() for each in inputs], whole)
    yield from fused(shared.watching(merged), [each.name for each in inputs], spec)


R = TypeVar("R")


def in_step_or_whole(
    inputs: Sequence[InputRun], work: Callable[[SharedQueries, bool], R], passed: Callable[[], None] = lambda: None
) -> tuple[R, SharedQueries]:
    """What `work` makes of the runs, given where to note their queries and whether to read them `whole`: in step first,
    and once more where that is not possible. What it made of a part is lost then. `passed` is called once all queries
    have passed by, before the last is worked on."""
    names = [each.name for each in inputs]
    shared = SharedQueries(names, passed)
    try:
        return work(shared, False), shared
    except NOT_IN_STEP:
        shared = SharedQueries(names, passed)
        return work(shared, True), shared
