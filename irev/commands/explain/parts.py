"""What an explanation consists of: how much was retrieved, terms, the ideal ranking, and the value of each measure.

Many measures are sums over ranks (`irev.measures.measure.Terms`). Of these the terms are told one by one, added from
left to right as the evaluation adds them, so that nothing remains unexplained. Of the others, what they are made of is
told as far as it can be counted.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import NamedTuple

from irev.base.errors import UsageError, decimal, option
from irev.base.records import dataclass
from irev.base.settings import ABOUT, Settings
from irev.measures import Request
from irev.measures.measure import part_of
from irev.measures.pages import formula
from irev.output.reports.ranking import Excerpt
from irev.ranking import full
from irev.ranking.full import FullRanking, RankedRun
from irev.reading import in_memory
from irev.reading.flat_ids import FlatIds
from irev.reading.judgments import Judgments


class DocumentCounts(NamedTuple):
    """How much there is.

    Attributes
    ----------
    retrieved : int
        Documents retrieved.
    relevant, nonrelevant : int
        How many of them are judged, with a grade that reaches the relevance level or one below.
    unjudged : int
        How many are not, those with a negative grade included.
    relevant_total, nonrelevant_total : int
        Documents judged so, retrieved or not.
    """

    retrieved: int
    relevant: int
    nonrelevant: int
    unjudged: int
    relevant_total: int
    nonrelevant_total: int


class Missed(NamedTuple):
    """A relevant document that was not retrieved."""

    document: bytes
    grade: float


class RankTerm(NamedTuple):
    """One term of a sum.

    Attributes
    ----------
    rank : int
        Where it belongs.
    value : float
    so_far : float
        The sum up to it, itself included.
    gain : float or None
        The gain that it was made of, if it was.
    """

    rank: int
    value: float
    so_far: float
    gain: float | None = None


class Ideal(NamedTuple):
    """A document of the ideal ranking.

    Attributes
    ----------
    rank : int
        Where it stands there.
    document : bytes
    grade, gain : float
    value, so_far : float
        Its term, and the sum up to it.
    """

    rank: int
    document: bytes
    grade: float
    gain: float
    value: float
    so_far: float


class Cost(NamedTuple):
    """What is lost since a document does not stand where the ideal ranking has it.

    Attributes
    ----------
    ideal : Ideal
        Where it would stand.
    rank : int or None
        Where it does; None where it was not retrieved.
    lost : float
        How much more its term would be there.
    """

    ideal: Ideal
    rank: int | None
    lost: float


@dataclass(frozen=True, eq=False)
class Sum:
    """A value as ``times · (sum of the terms) / over``, 0 where `over` is 0.

    Attributes
    ----------
    terms : tuple of Term
        In rank order.
    times, over : float
    discounts : dict of int to float
        What the gain at each rank is divided by, up to the last one that counts; empty where terms are not discounted
        gains.
    ideal : tuple of Ideal
        The ideal ranking, where the value is a share of what that has. Documents of equal gain stand in the order of
        the run, those not retrieved last.
    loss : Cost or None
        The document that loses most since it does not stand where the ideal ranking has it.
    gains : bool
        Whether terms are gains of documents.
    precisions : bool
        Whether the n-th term is n / rank.
    """

    terms: tuple[RankTerm, ...]
    times: float
    over: float
    discounts: dict[int, float]
    ideal: tuple[Ideal, ...]
    loss: Cost | None
    gains: bool
    precisions: bool = False

    @property
    def total(self) -> float:
        """The sum of the terms."""
        return self.terms[-1].so_far if self.terms else 0.0

    @property
    def value(self) -> float:
        """The value."""
        return part_of(self.total, self.times, self.over)


class InterpolatedPoint(NamedTuple):
    """Interpolated precision at a point of recall.

    Attributes
    ----------
    recall, precision : float
    first : int or None
        The rank from which precisions count; None where the recall is not reached.
    rank : int or None
        The rank with the highest of them, which decides the value.
    """

    recall: float
    precision: float
    first: int | None
    rank: int | None


@dataclass(frozen=True, eq=False)
class Explained:
    """The value of one measure.

    Attributes
    ----------
    request : Request
    value : float, int or bytes
        As an evaluation has it.
    whole : FullRanking
        The ranking as the measure sees it, but for its cutoff.
    sum : Sum or None
        How it comes about, where it is a sum over ranks.
    points : tuple of Point
        Of interpolated precision the point of recall, and of a mean of it all points.
    level : float
        The relevance level of the measure.
    """

    request: Request
    value: float | int | bytes
    whole: FullRanking
    sum: Sum | None
    points: tuple[InterpolatedPoint, ...] = ()
    level: float = 1.0

    @property
    def meaning(self) -> str:
        """What the measure is, with its options, in a sentence or two."""
        return formula(self.request)


def by_rank(made: Sum) -> dict[int, list[RankTerm]]:
    """The terms at each rank that has any."""
    found: dict[int, list[RankTerm]] = {}
    for term in made.terms:
        found.setdefault(term.rank, []).append(term)
    return found


def summed(terms: list[RankTerm]) -> float:
    """The sum of terms, and what one alone is to the last bit."""
    return reduce(add, (term.value for term in terms))


SHOWN = 10
"""Ranks that are shown of a measure without a cutoff."""

_LEVEL = "iprec_at_recall"
"""The measure whose values at several points stand in one table."""


def last_rank(explained: Explained, excerpt: Excerpt) -> int:
    """The last rank that is shown."""
    longest = max(len(explained.whole), len(explained.sum.ideal) if explained.sum else 0)
    if excerpt.everything:
        return longest
    wanted = (explained.request.cutoff or SHOWN) if excerpt.top is None else excerpt.top
    return min(wanted, longest)


def last_rank_of(group: Sequence[Explained], excerpt: Excerpt) -> int:
    """The last rank that is shown of measures that share a list; of many cutoffs the longest is much too long."""
    last = last_rank(group[-1], excerpt)
    if len(group) == 1 or excerpt.everything or excerpt.top is not None:
        return last
    return min(last, max(SHOWN, min(each.request.cutoff or SHOWN for each in group)))


def rankings_of(measures: Sequence[Explained]) -> list[list[list[Explained]]]:
    """The groups of measures (`groups_of`) by the ranking that they see and the level at which it is relevant."""
    found: dict[tuple[int, float], list[Explained]] = {}
    for explained in measures:
        found.setdefault((id(explained.whole), explained.level), []).append(explained)
    return [groups_of(alike) for alike in found.values()]


def groups_of(measures: Sequence[Explained]) -> list[list[Explained]]:
    """The measures that share a list, the one with the longest last."""
    found: list[list[Explained]] = []
    for explained in measures:
        group = next((group for group in found if _share(group[0], explained)), None)
        if group is None:
            found.append([explained])
        else:
            group.append(explained)
            group.sort(key=_depth)
    return found


def _depth(explained: Explained) -> float:
    return explained.request.cutoff or (SHOWN if explained.sum is None else math.inf)


def is_at_recall(explained: Explained) -> bool:
    """Return True for interpolated precision at a point of recall."""
    return explained.request.measure.name == _LEVEL


def _share(one: Explained, other: Explained) -> bool:
    """Whether the list of one of two measures says all that the other's does, if not more."""
    short, long = sorted((one, other), key=_depth)
    few, many = short.sum, long.sum
    if (
        short.whole is not long.whole
        or short.request.level != long.request.level
        or short.request.measure.at_ranks != long.request.measure.at_ranks
        or is_at_recall(short) != is_at_recall(long)
    ):
        return False
    if is_at_recall(short):
        return replace(short.request, value=long.request.value) == long.request
    if few is None or many is None:
        return few is many
    within = [term for term in few.terms if term.rank <= _depth(short)]
    return (
        short.request.measure.standard == long.request.measure.standard
        and within == [*many.terms[: len(within)]]
        and not any(term.value for term in few.terms[len(within) :])
        and few.ideal == many.ideal[: len(few.ideal)]
        and few.discounts.items() <= many.discounts.items()
    )


OBEYED = ("level", "depth", "judged_only", "collection_size", "compat", "gains")
"""The settings that have an effect where nothing is read; a query that somebody names always counts."""

MOST = 1_000_000
"""How many relevant documents there may be: each is made up, which takes time and memory."""


def ranking_of(
    grades: Sequence[float | None], relevant: int | None, settings: Settings, query: str
) -> tuple[Judgments, RankedRun]:
    """Judgments and a run: d1 is the document at rank 1, and m1, m2, … are relevant documents that were not retrieved.

    Parameters
    ----------
    grades : sequence of float or None
        None for a document without a judgment.
    relevant : int or None
        How many documents are relevant in all. Those that are not among the grades have the relevance level as grade.
    settings : Settings
    query : str
        The id of the query.

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
    judgments = in_memory.judgments({query: judged | missed}, settings)
    shown = " ".join("-" if grade is None else decimal(grade) for grade in grades[:20]) + " …" * (len(grades) > 20)
    name = f"The ranking {shown}"
    run = full.in_memory(judgments, lambda: in_memory.blocks({query: documents}, settings), name, b"run", settings)

    def keep(chosen: Collection[bytes]) -> dict[bytes, FullRanking]:
        whole = run.keep(chosen)
        return {query: replace(each, scores=FlatIds.of([b""] * len(each))) for query, each in whole.items()}

    return judgments, run._replace(keep=keep)
