"""What users see and click: the group of questions, the choices that those about logs share, and what they are asked
about: runs, judgments and logs, in files or in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from irev.base.choice import choice
from irev.base.kinds import File, Flag, Share, Whole, Word
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.reading.events.schema import ON_ERROR, REFUSE

if TYPE_CHECKING:
    from irev.base.segments import Floats
    from irev.evaluation.result import Input
    from irev.ranking.ranking import First
    from irev.reading.events.log import Log
    from irev.reading.judgments import Judgments


ABOUT = """Evaluate clicks: interleaving and A/B tests.

Mix two runs into lists, show them, log what users see and click (docs/logs.md), and find which run they prefer. Or show
each user one run, in an A/B test, and compare what they do."""

ON_ERROR_CHOICE = (
    REFUSE,
    "what to do with faulty events: refuse the log (error), or drop each with all events of its impression; a "
    "user in several buckets is dropped with all events",
    Word(ON_ERROR),
)


@dataclass(frozen=True)
class LogChoices:
    """How a log is read and tested."""

    files: tuple[str, ...] = choice((), "the files of the log, in their order", File())
    on_error: str = choice(*ON_ERROR_CHOICE)
    alpha: float = choice(0.05, "the largest p-value that is significant", Share())
    confidence: float = choice(0.95, "confidence level of the intervals", Share())
    sequential: int | None = choice(
        None,
        "make intervals and p-values that allow for a look at any time. N is the number of impressions planned for"
        " the whole test: give the same N at every look. Default: valid for one look, at a time chosen before",
        Whole(1),
    )
    per_user: bool = choice(
        False,
        "show results of every user: in a separate table, or in csv, tsv and similar formats instead of "
        "the other results",
        Flag(),
    )
    show_users: bool = choice(False, "show the ids of users. Default: a hash of each id", Flag(), needs="per_user")


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

    def log(self, files: Sequence[Any], users: bool = False, ids: bool = False) -> AbstractContextManager[Log]:
        """A log of what users saw and clicked, which knows the ids of `users`, or others, if they are wanted."""

    def working(self, what: str) -> AbstractContextManager[None]:
        """Tell whoever waits what is done within the block."""

    def note(self, sentence: str) -> None:
        """Say what makes a finding doubtful, or what was left out."""
