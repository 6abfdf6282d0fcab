"""What is found of judges: of each, of each pair, of all together, of merging them, and of runs under each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.text import plain
from irev.evaluation.comparison.contrasts import BETTER, WORSE, Contrast
from irev.output.finding import Names
from irev.questions.agreement import Agreed, Ordering
from irev.statistics.intervals import Interval
from irev.statistics.plan import Plan


@dataclass(frozen=True)
class Judge:
    """What a judge judged.

    Attributes
    ----------
    name : str
    documents : int
        How many judgments there are, those with a negative grade left out.
    left_out : int
        How many these are: in the pool, and not judged.
    queries : int
    mean : float or None
        Of the grades; None where there are none.
    relevant : float or None
        The share of them at or above the level of relevance.
    grades : tuple of (float, int)
        How often each grade was given, rising.
    """

    RECORDED: ClassVar[Names] = {"documents": "judgments", "left_out": "negative", "grades": "counts"}

    name: str
    documents: int
    left_out: int
    queries: int
    mean: float | None
    relevant: float | None
    grades: tuple[tuple[float, int], ...]


class Coefficient(NamedTuple):
    """A coefficient, None where there is none, and its interval."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, eq=False)
class OfTopic:
    """How two judges agree on one topic.

    Attributes
    ----------
    query : bytes
    documents : int
        Judged by both.
    equal, kappa, overlap : float or None
    relevant : tuple of (int, int)
        How many of them each holds to be relevant.
    """

    query: bytes
    documents: int
    equal: float | None
    kappa: float | None
    overlap: float | None
    relevant: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Pair:
    """How two judges agree, on the documents that both judged.

    Attributes
    ----------
    first, second : str
    documents, queries : int
        That both judged.
    table : int (g, g)
        How often the first gave each grade, a row each, and the second each, a column each.
    coefficients : mapping of str to Coefficient
        By their names in `COEFFICIENTS`.
    topics : tuple of OfTopic
        In byte order of their ids.
    """

    RECORDED: ClassVar[Names] = {
        "first": "judge",
        "second": "and",
        "table": "counts",
        "coefficients": "*",
        "topics": "*query",
    }

    first: str
    second: str
    documents: int
    queries: int
    table: Ints
    coefficients: Mapping[str, Coefficient]
    topics: tuple[OfTopic, ...]


@dataclass(frozen=True, eq=False)
class Together:
    """How three judges or more agree.

    Attributes
    ----------
    documents, queries : int
        That at least two of them judged.
    by_all : int
        Documents that all of them judged.
    coefficients : mapping of str to Coefficient
        ``equal``, ``overlap`` and ``mean_overlap``, of documents that all judged; ``kappa`` and ``weighted``, the
        means over pairs of judges (Light, Measures of Response Agreement for Qualitative Data, Psychological Bulletin
        76(5), 1971); ``alpha``, of all that two of them judged. Only the last has an interval.
    """

    RECORDED: ClassVar[Names] = {"coefficients": "*"}

    documents: int
    queries: int
    by_all: int
    coefficients: Mapping[str, Coefficient]


class Conflict(NamedTuple):
    """A document that judges gave different grades.

    Attributes
    ----------
    query, document : bytes
    grades : tuple of (float or None)
        Of every judge.
    merged : float
        What became of them.
    """

    query: bytes
    document: bytes
    grades: tuple[float | None, ...]
    merged: float


@dataclass(frozen=True, eq=False)
class Merged:
    """One set of judgments of several.

    Attributes
    ----------
    prefer : str
        One of `PREFERENCES`.
    grades : (p,)
        Of each pair.
    conflicts : tuple of Conflict
        In the order of the pairs.
    by_several : int
        Pairs that several judges judged, of which these are some.
    without_majority : int
        With `MAJORITY`: how many had several grades that equally many gave.
    """

    RECORDED: ClassVar[Names] = {"grades": None}

    prefer: str
    by_several: int
    without_majority: int
    conflicts: tuple[Conflict, ...]
    grades: Floats


class Swapped(NamedTuple):
    """Two runs that two judges put in opposite order.

    Attributes
    ----------
    measure : str
    first, second : str
        The judges.
    contrasts : tuple of Contrast
        The second run against the first, which is better under the first judge, under each judge.
    """

    measure: str
    first: str
    second: str
    contrasts: tuple[Contrast, Contrast]

    @property
    def shown(self) -> bool:
        """Whether either order was shown to be more than chance."""
        return any(contrast.finding in (BETTER, WORSE) for contrast in self.contrasts)


@dataclass(frozen=True, eq=False)
class RunsUnder:
    """What becomes of runs under each judge.

    Attributes
    ----------
    runs : tuple of str
    queries : int
        That all judges judged, over which runs are measured.
    orderings : tuple of (str, str, Ordering)
        One for each judge and measure, which stand before it.
    agreed : tuple of (str, str, str, Agreed)
        For each measure and every two judges: measure, judges, and how far the orders agree.
    swapped : tuple of Swapped
    plan : Plan
        Of the tests.
    """

    runs: tuple[str, ...]
    queries: int
    orderings: tuple[tuple[str, str, Ordering], ...]
    agreed: tuple[tuple[str, str, str, Agreed], ...]
    swapped: tuple[Swapped, ...]
    plan: Plan

    def shown(self, measure: str, first: str, second: str) -> int:
        """Of how many pairs of runs that two judges put in opposite order either order was shown."""
        return sum(each.shown for each in self.swapped if each[:3] == (measure, first, second))

    def recorded(self) -> dict[str, Any]:
        """What records say of it."""
        return {
            "queries": self.queries,
            "runs": list(self.runs),
            "alpha": self.plan.alpha,
            "scores": [
                {
                    "judge": judge,
                    "measure": measure,
                    "values": {
                        run: plain(value) for run, value in zip(self.runs, ordering.values.tolist(), strict=True)
                    },
                    "places": dict(zip(self.runs, ordering.places, strict=True)),
                }
                for judge, measure, ordering in self.orderings
            ],
            "orders": [
                {
                    "measure": measure,
                    "judge": one,
                    "and": other,
                    "tau_b": plain(each.tau_b),
                    "tau_ap": plain(each.tau_ap),
                    "swapped": each.swapped,
                    "pairs": each.pairs,
                }
                for measure, one, other, each in self.agreed
            ],
            "swapped": [
                {
                    "measure": swap.measure,
                    "run": swap.contrasts[0].baseline,
                    "and": swap.contrasts[0].run,
                    "shown": swap.shown,
                    "under": {
                        judge: {"difference": plain(contrast.difference), "p": plain(contrast.adjusted[0])}
                        for judge, contrast in zip((swap.first, swap.second), swap.contrasts, strict=True)
                    },
                }
                for swap in self.swapped
            ],
        }
