"""Several processes of this machine, which share out the runs: ``-j``.

One thread reads a run with little to wait for, while several threads of one process would wait for the interpreter.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from typing import Any

from irev.base import processes
from irev.base.records import dataclass
from irev.evaluation.executors.executor import Counts, E, Work, counted, outcome
from irev.reading import chunks
from irev.reading.sources import STANDARD_INPUT

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
