"""What an explanation consists of: how much was retrieved, terms, the ideal ranking, and the value of each measure.

Many measures are sums over ranks (`irev.measures.measure.Terms`). Of these the terms are told one by one, added from
left to right as the evaluation adds them, so that nothing remains unexplained. Of the others, what they are made of is
told as far as it can be counted.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import NamedTuple

from irev.base.records import dataclass
from irev.evaluation.single_queries import scaled
from irev.measures import Request
from irev.ranking.full import FullRanking


class Counts(NamedTuple):
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


class Term(NamedTuple):
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
    costs : tuple of Cost
        The documents that have less than in the ideal ranking, the one that loses most first.
    gains : bool
        Whether terms are gains of documents.
    precisions : bool
        Whether the n-th term is n / rank.
    """

    terms: tuple[Term, ...]
    times: float
    over: float
    discounts: dict[int, float]
    ideal: tuple[Ideal, ...]
    costs: tuple[Cost, ...]
    gains: bool
    precisions: bool = False

    @property
    def total(self) -> float:
        """The sum of the terms."""
        return self.terms[-1].so_far if self.terms else 0.0

    @property
    def value(self) -> float:
        """The value."""
        return scaled(self.total, self.times, self.over)


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
    points : tuple of (float, float)
        Of a mean of interpolated precision, the points of recall and the precision at each.
    """

    request: Request
    value: float | int | bytes
    whole: FullRanking
    sum: Sum | None
    points: tuple[tuple[float, float], ...] = ()

    @property
    def meaning(self) -> str:
        """What the measure is, with its options, in a sentence or two."""
        from irev.measures.formulas import formula

        return formula(self.request)


def by_rank(made: Sum) -> dict[int, list[Term]]:
    """The terms at each rank that has any."""
    found: dict[int, list[Term]] = {}
    for term in made.terms:
        found.setdefault(term.rank, []).append(term)
    return found


def summed(terms: list[Term]) -> float:
    """The sum of terms, and what one alone is to the last bit."""
    return reduce(add, (term.value for term in terms))
