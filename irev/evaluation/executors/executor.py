"""What is done with many runs, and the one interface of whatever has it done."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, MutableSequence, Sequence
from typing import Any, Protocol, TypeVar

from irev.base import processes
from irev.base.errors import InputError, IrevError, ProblemError, UnreachableError
from irev.base.records import dataclass
from irev.reading import chunks
from irev.reading.sources import STANDARD_INPUT

E = TypeVar("E")
Found = TypeVar("Found", covariant=True)

Counts = MutableSequence[int]
"""How many bytes of each run were read."""


class Work(Protocol[Found]):
    """What is done with every run of a batch."""

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Found:
        """What comes of one run; `watch` is told how many bytes were read, as they are.

        Messages call it `name` where its path is not what somebody has typed.
        """


class Executor(Protocol):
    """Where the runs of a batch are evaluated."""

    def counts(self, runs: int) -> Counts:
        """Room for the number of bytes that are read of each run, by whoever reads them; all 0."""

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        """The number of each run and what came of it, as there is something; what it raises is an exception here.

        They may come in any order, and behind a run that raises something none need come. When the generator is closed,
        what has not begun is cancelled.
        """


def outcome(
    work: Work[E], path: str, watch: Callable[[int], None], name: str | None = None, where: str = ""
) -> E | Exception:
    """What comes of a run, or what it raises, as an exception that can be sent to another process.

    One about a file that cannot be had names who reads it, where that is said.
    """
    try:
        return work.evaluated(path, watch, name)
    except UnreachableError as error:
        return unreachable(error, where) if where else error
    except ProblemError as error:
        return InputError(error.fact, error.place, error.remedy)
    except (IrevError, MemoryError) as error:
        return error
    except Exception as error:
        return RuntimeError(f"{type(error).__name__}: {error}")


def unreachable(error: UnreachableError, worker: str) -> InputError:
    """What is said of a file that a worker cannot have."""
    shared = "workers read the files themselves: put them where every worker has them under the same path, or use a URL"
    return InputError(f"{error.fact} (worker {worker})", error.place, error.remedy or shared)


def counted(read: Counts, number: int) -> Callable[[int], None]:
    """What adds to the number of bytes that were read of a run."""

    def watch(size: int) -> None:
        read[number] += size

    return watch


class InTurn:
    """One run after the other; what one raises comes out as it is."""

    def counts(self, runs: int) -> Counts:
        return [0] * runs

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        for number, path in enumerate(runs):
            yield number, work.evaluated(path, counted(read, number))


LITTLE = 1 << 22
"""Bytes that one process has read before others have begun."""


def how_many(runs: Sequence[str], wanted: int | None) -> int:
    """How many processes to use: as many as wanted, or as files, processors and memory allow; 1 to do without."""
    if len(runs) < 2 or STANDARD_INPUT in runs:  # which another process may not have
        return 1
    if wanted is None and _are_little(runs):
        return 1
    return min(processes.how_many(wanted), len(runs))


def _are_little(runs: Sequence[str]) -> bool:
    """Whether these are files of no more than `LITTLE` bytes together. What is missing is found when it is read."""
    read = 0
    for path in runs:
        if os.path.exists(path):
            if not os.path.isfile(path):
                return False
            read += os.path.getsize(path)
            if read > LITTLE:
                return False
    return True


class Processes:
    """So many processes, each of which takes the next run as long as there is one."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def counts(self, runs: int) -> Counts:
        with processes.beginning():
            from multiprocessing.sharedctypes import RawArray

            counts: Counts = RawArray("Q", runs)
            return counts

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        one = _One(work, tuple(runs), read, max(processes.processors() // self._jobs, 1))
        yield from processes.results(one, len(runs), self._jobs)


@dataclass
class _One:
    """Evaluates one run, by as many threads as there are processors for each process."""

    work: Work[Any]
    runs: tuple[str, ...]
    read: Counts
    threads: int

    def __call__(self, number: int) -> Any:
        chunks.THREADS = self.threads
        return outcome(self.work, self.runs[number], counted(self.read, number))
