"""Curves: the points that pictures of evaluations are made of, a module per kind. Nothing is drawn here.

Every value is one that `irev eval` prints, or is made of such values as the docstring of the kind says. Values for
several queries are averages over queries, never shares of what all queries have together. A curve has points with a
name, on axes that say what they are, and sentences without which they mislead; and where curves cross that are drawn
over the same places, such as cutoffs, neither run is better throughout.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from irev.base.errors import decimal
from irev.base.records import dataclass
from irev.base.text import counted, named

if TYPE_CHECKING:
    from irev.base.settings import Settings
    from irev.evaluation.result import Input


RECALL_PRECISION = "recall-precision"
ONE_QUERY = "query"
CUTOFF = "cutoff"
AGAINST_EACH_OTHER = "precision-recall@k"
ROC = "roc"
DIFFERENCES = "queries"
TOPICS = "topics"
DISTRIBUTION = "distribution"
SHEET = "sheet"
TRADEOFF = "tradeoff"

KINDS = {
    RECALL_PRECISION: "precision at eleven points of recall",
    ONE_QUERY: "precision and recall of one query, at every relevant document",
    CUTOFF: "measures by cutoff",
    AGAINST_EACH_OTHER: "precision against recall, cutoff by cutoff",
    ROC: "recall against fallout (the share of judged non-relevant documents that are retrieved), cutoff by cutoff",
    DIFFERENCES: "differences of queries from the baseline, sorted",
    TOPICS: "differences of queries from the median of the runs",
    DISTRIBUTION: "how the values of queries are distributed",
    SHEET: "TREC's result sheet of the first run; with two others or more, its queries against their median",
    TRADEOFF: "measures against resources of runs, such as time, with the Pareto front",
}
"""Every kind, and what it shows."""

BY_CUTOFF = (CUTOFF, AGAINST_EACH_OTHER, ROC)
OF_FEW_POINTS = (ONE_QUERY, AGAINST_EACH_OTHER, ROC, TRADEOFF)
WITHOUT_MEASURES = (RECALL_PRECISION, ONE_QUERY, AGAINST_EACH_OTHER, ROC, SHEET)
WITH_QUERIES = (DIFFERENCES, TOPICS, DISTRIBUTION)
"""Kinds that have points for single queries, or for their values."""

NIST = "nist"
"""A rule by which points of recall are reached, of which `by_run` has the words."""


LINES, STEPS_BEFORE, STEPS_AFTER = "lines", "steps before", "steps after"
BARS, POINTS = "bars", "points"
"""How points are drawn: joined by straight lines; by steps, of which each has the height of the point at its right end,
or at its left one; as bars that stand on zero; or as points."""


class Point(NamedTuple):
    """A point of a curve.

    Attributes
    ----------
    x, y : float
        Unrounded. They may be infinite or NaN where a measure is.
    label : str
        What it is about, where x does not say it: a query or a run, as given.
    more : tuple of float
        What else is known of it, one for each of `Curves.more`.
    """

    x: float
    y: float
    label: str = ""
    more: tuple[float, ...] = ()


class Axis(NamedTuple):
    """What is along a side.

    Attributes
    ----------
    name : str
        Of the numbers, a word that can head a column.
    title : str
        The same for people.
    low, high : float or None
        Where it has to begin and end; None where that depends on the points.
    logarithmic : bool
    """

    name: str
    title: str
    low: float | None = None
    high: float | None = None
    logarithmic: bool = False


@dataclass(frozen=True)
class Curve:
    """Points that belong together.

    Attributes
    ----------
    name : str
        What they are of, most often a run, as given.
    points : tuple of Point
        In the order in which they are joined.
    values : mapping of str to number
        What is true of all of them together: ``mean``, ``wins``; None for what there is not.
    """

    name: str
    points: tuple[Point, ...]
    values: Mapping[str, float | int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class CurvePicture:
    """Curves that stand in one picture.

    Attributes
    ----------
    kind : str
        What kind of picture it is.
    measure : str
        What is measured, as papers write it; empty where the axes say it.
    about : str
        What it shows, where that is not all: a pair of runs, a query.
    x, y : Axis
    curves : tuple of Curve
    drawn : str
        How the points are joined: one of the words above.
    caption : str
        How to read it, a sentence or some; which queries count and under which settings is known to whoever evaluated.
    notes : tuple of str
        Sentences on what can be seen.
    labels : str
        What the labels of points are: ``query``, ``run``; empty where there are none.
    more : tuple of str
        What else is known of each point.
    marks : tuple of float
        Where along x something is to be seen that the notes name.
    given : tuple of (str, str)
        What else is the same for all points, as words that can head a column and what stands there: a query, or the
        baseline.
    equal : bool
        Whether both axes have one scale, so that a diagonal means something.
    named : tuple of str
        Runs that have names in the picture however many there are.
    """

    kind: str
    measure: str
    about: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    drawn: str
    caption: str = ""
    notes: tuple[str, ...] = ()
    labels: str = ""
    more: tuple[str, ...] = ()
    marks: tuple[float, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    equal: bool = False
    named: tuple[str, ...] = ()


class HowMade(NamedTuple):
    """How the values of curves were made.

    Attributes
    ----------
    settings : Settings
    policy : str
        Which queries count, in words.
    queries : int
        How many these are.
    inputs : sequence of Input
    """

    settings: Settings
    policy: str
    queries: int
    inputs: Sequence[Input] = ()

    @property
    def caption(self) -> str:
        """What a figure of them says: how many queries, which, and under which settings."""
        settings = self.settings
        cut = f"; rankings cut at rank {settings.depth:,}" if settings.depth is not None else ""
        unjudged = "; documents without a judgment dropped" if settings.judged_only else ""
        compat = f"; as trec_eval {settings.compat}" if settings.single_precision else ""
        return (
            f"{counted(self.queries, 'query', 'queries')}: {self.policy}. Relevant: a grade of"
            f" {decimal(settings.level)} or more{cut}{unjudged}{compat}."
        )


# Crossings


MOST_PAIRS = 6
"""Of so many pairs of runs it is said where they cross; where there are more, of those with the first run."""

MANY = 20
"""Of more runs it is not said where they cross; and figures give few of them a name."""

MOST_CROSSINGS = 3
"""Of two that cross more often, it is said how often."""

_EQUAL = 1e-12


def pairs_of(curves: Sequence[Curve]) -> list[tuple[Curve, Curve]]:
    """The pairs of curves of which it is said where they cross."""
    if len(curves) > MANY:
        return []
    pairs = list(combinations(curves, 2))
    return [(curves[0], other) for other in curves[1:]] if len(pairs) > MOST_PAIRS else pairs


def crossings(curves: Sequence[Curve], across: str) -> tuple[str, ...]:
    """A sentence on each pair of curves that cross, in order: between which places, and which is higher where.

    Parameters
    ----------
    curves : sequence of Curve
        With points at the same places.
    across : str
        What a place is called, such as ``recall``.
    """
    pairs = pairs_of(curves)
    said = tuple(said for one, other in pairs if (said := _crossing(one, other, across)))
    if len(pairs) in (0, math.comb(len(curves), 2)):
        return said
    return (*said, f"Of so many runs, only crossings with {named(curves[0].name)} are given.")


def _crossing(one: Curve, other: Curve, across: str) -> str:
    turns: list[tuple[float, float]] = []
    higher: list[Curve] = []
    before = math.nan
    for first, second in zip(one.points, other.points, strict=False):
        apart = first.y - second.y
        if not abs(apart) > _EQUAL:  # equal, or no number
            continue
        best = one if apart > 0 else other
        if higher and higher[-1] is not best:
            turns.append((before, first.x))
        if not higher or higher[-1] is not best:
            higher.append(best)
        before = first.x
    if not turns:
        return ""
    both = f"{named(one.name)} and {named(other.name)}"
    if len(turns) > MOST_CROSSINGS:
        return f"{both} cross {len(turns)} times, first between {_between(*turns[0], across)}."
    where = " and between ".join(_between(*turn, across) for turn in turns)
    begins, ends = named(higher[0].name), named(higher[-1].name)
    said = f"{begins} is higher before, {ends} after" if begins != ends else f"{begins} is higher before and after"
    return f"{both} cross between {where}: {said}."


def _between(low: float, high: float, across: str) -> str:
    return f"{across} {low:g} and {high:g}"
