"""Simulate: a log of users who click by a model.

This module declares what `irev online simulate` can be asked.
"""

from __future__ import annotations

from irev.base.choice import choice
from irev.base.kinds import ByGrade, File, Name, Whole
from irev.base.records import dataclass
from irev.questions.online.interleaving import METHODS
from irev.questions.online.models import MODELS
from irev.questions.question import LISTS, READING, RUNNING, Question


@dataclass(frozen=True)
class SimulateChoices:
    """Which log is made."""

    files: tuple[str, ...] = choice((), "judgments and runs", File())
    model: str = choice(
        "position",
        "how users look and click. Position: users look at rank r with probability 1/r; cascade: users read from the"
        " top up to their first click (Craswell et al. 2008); dependent: users read from the top, and go on after a"
        " click with probability 1/2 (Guo et al. 2009)",
        Name(tuple(MODELS)),
    )
    method: str | None = choice(
        None,
        "interleave two runs, as irev online interleave does. Default: an A/B test of all runs",
        Name(tuple(METHODS)),
    )
    draws: int | None = choice(
        None,
        "with --method: show one of N lists of each query, those of irev online interleave --draws N. Default: a new"
        " list for every impression",
        Whole(1),
        needs="method",
    )
    length: int = choice(10, "the largest number of documents in a list", Whole(1))
    impressions: int = choice(1000, "number of lists that are shown", Whole(1))
    users: int = choice(100, "the largest number of users", Whole(1))
    attraction: tuple[tuple[float, float], ...] = choice(
        (),
        "the probability of a click when users look at a document, by grade. Default: (2^grade - 1) / 2^highest, and"
        " at least 0.05",
        ByGrade("attraction", "probability", "1=0.4", lowest=0, highest=1),
    )
    seed_of_lists: int = choice(0, "random seed", Whole(), flags="--seed")


QUESTION = Question(
    "simulate",
    says="Simulate a log of users who click.",
    about="""Write a log of simulated users, who see the RUNs and click by a model that knows the judgments.

The log depends only on the files, the options and the seed.""",
    example="irev online simulate --impressions 30 qrels.txt hybrid.run keyword.run",
    files="QRELS RUN…",
    choices=SimulateChoices,
    shared=(LISTS, RUNNING, READING),
    kind="log",
    group="online",
)
