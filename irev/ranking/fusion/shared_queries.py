"""Which runs have which queries: noted while queries pass by, since runs of other topics are no runs to fuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from irev.errors import InputError, shown
from irev.ranking.fusion.merging import Part


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
            raise InputError(fact, self._names[run], "are the runs of the same topics?")
