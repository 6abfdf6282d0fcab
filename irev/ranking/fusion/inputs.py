"""Runs that are fused while they are read, a block of each at a time.

Each file has a thread that reads one block ahead of what is asked for, and no further, so that memory does not grow
with the files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, Queue
from typing import Protocol, TypeVar

from irev.base.processes import processors
from irev.base.settings import Settings
from irev.base.signals import leave_to_first_thread
from irev.ranking.fusion.fused import fused
from irev.ranking.fusion.merging import Disagreement, in_step
from irev.ranking.fusion.rankings import RankedBlock, keeper
from irev.ranking.fusion.shared_queries import SharedQueries
from irev.ranking.fusion.wanted import FusionWanted
from irev.reading import chunks, runs
from irev.reading.chunks import Scattered
from irev.reading.runs import Block, Reading
from irev.reading.sources import Source

LEAST = 1 << 18
"""Bytes that are read of a file at a time, at least; of few files it is more."""

NOT_IN_STEP = (Scattered, Disagreement)
"""What is raised where runs are not in one order of queries: they are then read whole."""


class InputRun(Protocol):
    """A run that is to be fused: `name` is what messages call it."""

    @property
    def name(self) -> str: ...

    def in_blocks(self) -> Iterator[RankedBlock]:
        """Its blocks, each made when it is asked for. May raise `Scattered`."""

    def whole(self) -> Iterator[RankedBlock]:
        """Its blocks, once more, with queries in pieces brought together."""


class FileRun:
    """A run in an open file, of which `size` bytes are read at a time.

    Attributes
    ----------
    reading : Reading
        What reading it found, once it was read.
    print : int
        Which of files that were read alike are equal, all that is fused considered, or seem so.
    """

    reading: Reading

    def __init__(self, source: Source, wanted: FusionWanted, settings: Settings, size: int) -> None:
        self._source, self._settings, self._size = source, settings, size
        self._kept = keeper(wanted, settings)
        self.name = source.name
        self.print = 0

    def in_blocks(self) -> Iterator[RankedBlock]:
        """Its blocks, each read when it is asked for. Raises `Scattered`."""
        blocks = runs.stream(self._source, self._kept, self._settings, self._size)
        while True:
            try:
                block = next(blocks)
            except StopIteration as end:
                self.reading = end.value
                return
            yield self._noted(block)

    def whole(self) -> Iterator[RankedBlock]:
        """Its blocks, all read once more before the first is given, with queries in pieces brought together."""
        self._source.rewind()
        self.print = 0
        blocks, self.reading = runs.read(self._source, self._kept, self._settings)
        yield from map(self._noted, blocks)

    def _noted(self, block: RankedBlock) -> RankedBlock:
        self.print = hash((self.print, block.key.tobytes(), block.score.tobytes()))
        return block


class MemoryRun:
    """A run in memory; `blocks` makes its blocks, as often as they are wanted, and no query is in two of them."""

    def __init__(
        self, name: str, blocks: Callable[[], Iterable[Block]], wanted: FusionWanted, settings: Settings
    ) -> None:
        self.name, self._blocks = name, blocks
        self._kept = keeper(wanted, settings)

    def in_blocks(self) -> Iterator[RankedBlock]:
        """Its blocks."""
        return map(self._kept, self._blocks())

    whole = in_blocks


def of_files(sources: Sequence[Source], wanted: FusionWanted, settings: Settings) -> list[FileRun]:
    """The runs in some open files."""
    size = min(max(2 * chunks.SIZE // max(len(sources), 1), LEAST), chunks.SIZE)
    return [FileRun(source, wanted, settings, size) for source in sources]


def fused_runs(inputs: Sequence[InputRun], wanted: FusionWanted, shared: SharedQueries, whole: bool) -> Iterator[Block]:
    """Blocks of the fused run, as `irev.ranking.fusion.fused.fused` gives them; `shared` notes its queries.

    Raises
    ------
    InputError
        For a run that cannot be read, one that has no query in common with the others, and as `fused`.
    Scattered, Disagreement
        For runs that are not in one order of queries, unless they are read `whole`.
    """
    names = [each.name for each in inputs]
    if whole:
        merged = in_step([each.whole() for each in inputs], whole=True)
        yield from fused(shared.watching(merged), names, wanted)
        return
    with _read_ahead(inputs) as blocks:
        yield from fused(shared.watching(in_step(blocks, whole=False)), names, wanted)


R = TypeVar("R")


def in_step_or_whole(inputs: Sequence[InputRun], work: Callable[[SharedQueries, bool], R]) -> tuple[R, SharedQueries]:
    """What `work` makes of the runs, given where to note their queries and whether to read them `whole`: in step first,
    and once more where that is not possible. What it made of a part is lost then."""
    names = [each.name for each in inputs]
    shared = SharedQueries(names)
    try:
        return work(shared, False), shared
    except NOT_IN_STEP:
        shared = SharedQueries(names)
        return work(shared, True), shared


_Step = tuple[RankedBlock | None, BaseException | None]


@contextmanager
def _read_ahead(inputs: Sequence[InputRun]) -> Iterator[list[Iterator[RankedBlock]]]:
    """The blocks of each, of which, of a file, another thread makes the next while one is worked on.

    The threads are not waited for when something is wrong: one may be waiting for a pipe that nobody writes to. Where
    the files are to be read once more they are, since nobody may be reading these then.
    """
    blocks = [each.in_blocks() for each in inputs]
    ahead = [number for number, each in enumerate(inputs) if isinstance(each, FileRun)] if processors() > 1 else []
    queues = {number: Queue[_Step](1) for number in ahead}
    stopped = threading.Event()

    def make(number: int) -> None:
        leave_to_first_thread()
        more = True
        while more and not stopped.is_set():
            step: _Step = None, None
            try:
                step = next(blocks[number], None), None
            except BaseException as error:  # handed to the thread that asks for the block
                step = None, error
            more = step[0] is not None
            queues[number].put(step)

    def made(queue: Queue[_Step]) -> Iterator[RankedBlock]:
        while True:
            block, error = queue.get()
            if error is not None:
                raise error
            if block is None:
                return
            yield block

    def stop() -> None:
        stopped.set()
        for queue in queues.values():
            try:
                queue.get_nowait()  # which lets its thread go on, and see that it is to stop
            except Empty:
                continue

    threads = [threading.Thread(target=make, args=(number,), daemon=True) for number in ahead]
    try:
        for thread in threads:
            try:
                thread.start()
            except RuntimeError:  # "can't start new thread"
                raise MemoryError from None
        yield [made(queues[number]) if number in queues else each for number, each in enumerate(blocks)]
    except NOT_IN_STEP:
        stop()
        for thread in threads:
            thread.join()
        raise
    finally:
        stop()
