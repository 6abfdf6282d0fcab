"""What `irev online interleave` and `irev.interleave` can be asked."""

from __future__ import annotations

from irev.base.choice import choice
from irev.base.kinds import Name, RunFile, Whole
from irev.base.records import dataclass
from irev.questions.online.interleaving import methods
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
        Name(methods.names()),
    )
    length: int = choice(10, "the largest number of documents in a list", Whole(1))
    draws: int = choice(
        1,
        "lists of each query; show each user one of them at random. If all users see the same list, its chance draw"
        " affects all of them alike",
        Whole(1),
    )
    seed_of_lists: int = choice(0, "random seed", Whole(), flags="--seed")
    within_first: int | None = choice(
        None,
        "draw only from the first K documents of each run. Default: all",
        Whole(1),
        flags="--within",
        needs="method=probabilistic",
    )


QUESTION = Question(
    "interleave",
    says="Make lists that mix two runs, to see which one users click.",
    about="""Make a list of the runs A and B for each query that both have, and say which run contributed what.

Queries are in the order of their bytes. The list of a query depends on the seed and the id of the query alone. When a
run has no more documents, documents of the other fill the list; clicks on these count for neither run.""",
    example="irev online interleave hybrid.run keyword.run",
    files="A B",
    choices=InterleaveChoices,
    shared=(LISTS, RUNNING, RUN_READING),
    kind="log",
    group="online",
)
