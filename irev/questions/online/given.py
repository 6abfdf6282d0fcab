"""What a question about users is asked about: runs, judgments and logs, in files or in memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from irev.base.settings import Settings

if TYPE_CHECKING:
    from irev.base.segments import Floats
    from irev.evaluation.result import Input
    from irev.ranking.ranking import First
    from irev.reading.events.log import Log
    from irev.reading.judgments import Judgments


class Given(Protocol):
    """Runs, judgments and logs."""

    settings: Settings

    @property
    def inputs(self) -> Sequence[Input]:
        """The files that were read so far."""

    def listed(self, runs: Sequence[Any]) -> Sequence[Any]:
        """Runs, with those that a list or a folder of runs names."""

    def judged(self, file: str) -> Judgments:
        """The judgments of a file."""

    def first_documents(self, runs: Sequence[Any], most: int | None) -> Sequence[tuple[str, First]]:
        """The name of each run, and the first `most` documents of each of its queries, or all."""

    def propensities(self, given: Any) -> tuple[str | None, Floats | None]:
        """The file of the probabilities that positions are looked at, empty where there is none, and these; None where
        they are in the log."""

    def log(self, files: Sequence[Any], users: bool = False) -> AbstractContextManager[Log]:
        """A log of what users saw and clicked, which knows the ids of `users` if they are wanted."""

    def working(self, what: str) -> AbstractContextManager[None]:
        """Tell whoever waits what is done within the block."""

    def note(self, sentence: str) -> None:
        """Say what makes a finding doubtful, or what was left out."""
