"""A ranking that is given by its grades alone, as textbooks have it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from irev.base.settings import ABOUT, Settings
from irev.errors import UsageError, decimal, option
from irev.ranking.full import FullRanking, Texts
from irev.ranking.second_pass import RankedRun, in_memory
from irev.reading import memory
from irev.reading.judgments import Judgments

QUERY = "q"
"""What the query is called."""

OBEYED = ("level", "depth", "judged_only", "collection_size", "compat", "gains")
"""The settings that have an effect where nothing is read; a query that somebody names always counts."""

MOST = 1_000_000
"""How many relevant documents there may be: each is made up, which takes time and memory."""


def ranking_of(grades: Sequence[float | None], relevant: int | None, settings: Settings) -> tuple[Judgments, RankedRun]:
    """Judgments and a run: d1 is the document at rank 1, and m1, m2, … are relevant documents that were not retrieved.

    Parameters
    ----------
    grades : sequence of float or None
        None for a document without a judgment.
    relevant : int or None
        How many documents are relevant in all. Those that are not among the grades have the relevance level as grade.
    settings : Settings

    Raises
    ------
    UsageError
        Where more of the grades are relevant, and for a setting that has no effect.
    """
    for name in ABOUT:
        if name not in OBEYED and getattr(settings, name) != getattr(Settings(), name):
            raise UsageError(f"{option(name)} has no effect with {option('grades')}")
    documents = [f"d{rank}" for rank, _ in enumerate(grades, start=1)]
    judged = {document: grade for document, grade in zip(documents, grades, strict=True) if grade is not None}
    found = sum(grade >= max(settings.level, 0.0) for grade in judged.values())
    if relevant is not None and relevant < found:
        fact = f"{option('relevant')} is {relevant}, and {found} of the grades are relevant"
        raise UsageError(fact, remedy=f"expected {found} or more")
    if relevant is not None and relevant > MOST:
        raise UsageError(f"{option('relevant')} is {relevant}", remedy=f"expected {MOST} at most")
    missed = {f"m{n}": settings.level for n in range(1, 1 + (found if relevant is None else relevant) - found)}
    judgments = memory.judgments({QUERY: judged | missed}, settings)
    shown = " ".join("-" if grade is None else decimal(grade) for grade in grades[:20]) + " …" * (len(grades) > 20)
    name = f"The ranking {shown}"
    run = in_memory(judgments, lambda: memory.blocks({QUERY: documents}, settings), name, b"run", settings)

    def keep(chosen: Collection[bytes]) -> dict[bytes, FullRanking]:
        whole = run.keep(chosen)
        return {query: replace(each, scores=Texts([b""] * len(each))) for query, each in whole.items()}

    return judgments, run._replace(keep=keep)
