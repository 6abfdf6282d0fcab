"""Runs in turn, in this process: what there is for one run, and for what no other process can read."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from irev.evaluation.executors.executor import Counts, E, Work, counted


class InTurn:
    """One run after the other; what one raises comes out as it is."""

    def counts(self, runs: int) -> Counts:
        return [0] * runs

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        for number, path in enumerate(runs):
            yield number, work.evaluated(path, counted(read, number))
