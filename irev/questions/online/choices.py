"""What users see and click: the group of questions, and the choices that those about logs share."""

from __future__ import annotations

from irev.base.choice import choice
from irev.base.kinds import File, Flag, Share, Whole, Word
from irev.base.records import dataclass
from irev.reading.events.schema import ON_ERROR, REFUSE

ABOUT = """Evaluate clicks: interleaving and A/B tests.

Mix two runs into lists, show them, log what users see and click (docs/logs.md), and find which run they prefer. Or show
each user one run, in an A/B test, and compare what they do."""

ON_ERROR_CHOICE = (
    REFUSE,
    "what to do with events that are wrong: refuse the log, or drop them, with all events of their impression; a user"
    " in several buckets is dropped with all events",
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
        "intervals and p-values that hold at every look: N impressions are planned, the same number at each look."
        " Default: they hold for one look, at a time chosen before",
        Whole(1),
    )
    per_user: bool = choice(
        False,
        "show results of every user: in a table of their own, and in csv, tsv and others instead of the other results",
        Flag(),
    )
    show_users: bool = choice(False, "show the ids of users. Default: a hash of each id", Flag(), needs="per_user")
