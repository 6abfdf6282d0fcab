"""Interleave: lists made of two runs, to be shown to users.

This module declares what `irev online interleave` and `irev.interleave` can be asked.
"""

from __future__ import annotations

from irev.base.choice import choice
from irev.base.kinds import Name, RunFile, Whole
from irev.base.records import dataclass
from irev.questions.online.interleaving import METHODS
from irev.questions.question import LISTS, RUN_READING, RUNNING, Question


@dataclass(frozen=True)
class InterleaveChoices:
    """How lists are made of two runs."""

    a: str = choice("", "a run", RunFile())
    b: str = choice("", "the other run", RunFile())
    method: str = choice(
        "team-draft",
        "how the lists are mixed. Team-draft: in each round both runs add their best document (Radlinski et al."
        " 2008); balanced: rank by rank (Joachims 2003); probabilistic: drawn from softmax distributions over ranks"
        " (Hofmann et al. 2011)",
        Name(tuple(METHODS)),
    )
    length: int = choice(10, "the largest number of documents in a list", Whole(1))
    draws: int = choice(
        1,
        "number of lists for each query; show each user one of them at random. If all users see the same list, the"
        " result depends on one random draw",
        Whole(1),
    )
    seed_of_lists: int = choice(0, "random seed", Whole(), flags="--seed")
    within_first: int | None = choice(
        None,
        "use only the first K documents of each run. Default: all",
        Whole(1),
        flags="--within",
        needs="method=probabilistic",
    )


QUESTION = Question(
    "interleave",
    says="Interleave two runs, to see which one users click.",
    about="""Mix the runs A and B into one list for each query that both have, and say which run each document is from.

Queries are in the order of their bytes. The list of a query depends only on the seed and the id of the query. When one
run has no more documents, the other fills the list; clicks on these documents count for neither run.""",
    example="irev online interleave hybrid.run keyword.run",
    files="A B",
    choices=InterleaveChoices,
    shared=(LISTS, RUNNING, RUN_READING),
    kind="log",
    group="online",
)
