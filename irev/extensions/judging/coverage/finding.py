"""What judgments cover of runs: the record of it, and how people and programs see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.text import MISSING, counted, decoded, named, real, signed
from irev.evaluation.curves import LINES, POINTS, Axis, Curve, CurvePicture, Point
from irev.evaluation.curves.by_query import one_scale
from irev.evaluation.result import Input
from irev.output.figures import figure_of_curves
from irev.output.finding import Names, Pictured, ReportedFinding, recorded
from irev.output.report import Form, Plain, Sheet, first_of, stamped, table

_COLUMNS = ("statistic", "run", "and_run", "measure", "k", "query", "document", "value", "n")
_TEXTS = ("statistic", "run", "and_run", "measure", "query", "document")

CAVEAT = (
    "Small changes do not show that the judgments are enough for runs of another kind: all pooled runs may share "
    "a bias (Buckley et al. 2007)."
)


class Score(NamedTuple):
    """A run under one measure.

    Attributes
    ----------
    value : float
    condensed : float
        Of its list without unjudged documents.
    low, high : float or None
        Between which it lies, whatever the unjudged documents of the run turn out to be; None where no exact method is
        known.
    place : int
        Among the runs, from 1.
    without : float
        Its value without the judgments that its group alone brought in.
    place_without : int
        Its place then, the others being as they are.
    """

    value: float
    condensed: float
    low: float | None
    high: float | None
    place: int
    without: float
    place_without: int

    @property
    def change(self) -> float:
        """What it gains, or loses, by not having been pooled; 0 where both are infinite."""
        return 0.0 if self.without == self.value else self.without - self.value


class RunCoverage(NamedTuple):
    """A run.

    Attributes
    ----------
    name, group : str
        The group is its own name where it has none.
    judged : tuple of (float or None)
        The share of its first documents that is judged, for each depth, the mean over queries for which it has any;
        None beyond its deepest ranking.
    unjudged, alone : int
        Pairs of a query and a document that is not judged among its first documents; and those that no other run has
        there.
    own, own_relevant : int
        Judged documents that its group alone brought into the pool, and how many of these are relevant.
    scores : tuple of Score
        For each measure.
    """

    name: str
    group: str
    judged: tuple[float | None, ...]
    unjudged: int
    alone: int
    own: int
    own_relevant: int
    scores: tuple[Score, ...]


class Hole(NamedTuple):
    """A document that is not judged, and that runs have among their first.

    Attributes
    ----------
    query, document : bytes
    runs : int
        How many have it there.
    best : int
        Its best rank.
    """

    query: bytes
    document: bytes
    runs: int
    best: int


class Exchange(NamedTuple):
    """Two runs that could change places.

    Attributes
    ----------
    measure : str
    better, worse : str
        As they stand.
    difference : float
        Of their values, positive.
    needed : float
        How much of what could happen it takes: the difference as a share of how far the better run could fall and the
        worse one rise; 1 could just not happen, or is an infinite difference.
    """

    measure: str
    better: str
    worse: str
    difference: float
    needed: float


class Bias(NamedTuple):
    """How much runs owe to judgments of their own, under one measure.

    Attributes
    ----------
    measure : str
    mean, largest : float
        Of the sizes of the changes of values.
    largest_run : str
        Whose change that is.
    places : int
        The largest change of a place.
    tau : float or None
        Kendall's tau-b of the order of the runs as they are with that of all their values without.
    better : str
        ``higher`` or ``lower``: which values of the measure are.
    """

    measure: str
    mean: float
    largest: float
    largest_run: str
    places: int
    tau: float | None
    better: str


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(Pictured, ReportedFinding):
    """What the judgments cover of runs.

    Attributes
    ----------
    policy : str
        Which queries count, in words.
    runs : tuple of RunCoverage
    measures : tuple of str
        As papers write them.
    depths : tuple of int
    first : int
        How many first documents were looked at for what is not judged.
    pool_depth : int
    grouped : bool
        Whether groups were given.
    queries : int
        That count.
    shared : tuple of (int, int)
        By how many runs unjudged first documents are shared, and how many are by so many.
    holes : tuple of Hole
        These documents, those of most runs first, then by best rank and name.
    exchanges : tuple of Exchange
        The easiest first, for each measure that has bounds.
    pairs : int
        Of runs.
    bounded : tuple of bool
        Which measures have bounds.
    biases : tuple of Bias
        For each measure; none at all of one group alone.
    """

    policy: str
    queries: int
    first: int
    pool_depth: int
    inputs: tuple[Input, ...]
    runs: tuple[RunCoverage, ...]
    shared: tuple[tuple[int, int], ...]
    exchanges: tuple[Exchange, ...]
    pairs: int
    bounded: tuple[bool, ...]
    biases: tuple[Bias, ...]
    holes: tuple[Hole, ...]
    measures: tuple[str, ...]
    depths: tuple[int, ...]
    grouped: bool
    everything: bool = False

    RECORDED: ClassVar[Names] = {
        "biases": "bias",
        **dict.fromkeys(("measures", "depths", "grouped", "everything")),
    }

    columns = _COLUMNS
    texts = frozenset(_TEXTS)
    deepest = 4

    @property
    def title(self) -> str:
        return "Coverage of " + counted(len(self.runs), "run")

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._judged()
        for place in range(len(self.measures)):
            yield self._scores(place)
        if self.exchanges:
            yield self._exchanges()
        if self.holes:
            yield self._shared()
            yield self._holes()
        for place in range(len(self.biases)):
            yield self._own(place)

    def _judged(self) -> Sheet:
        rows = (
            {
                "run": named(run.name),
                **{str(k): real(share, self.look.digits) for k, share in zip(self.depths, run.judged, strict=True)},
                "unjudged": f"{run.unjudged:,}",
                "alone": f"{run.alone:,}",
            }
            for run in self.runs
        )
        return table("Share of the first k documents that are judged", ("run",), None, rows)

    def _scores(self, place: int) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                "run": named(run.name),
                "score": f"{real(run.scores[place].value, digits)} ({run.scores[place].place})",
                "condensed": real(run.scores[place].condensed, digits),
                "lowest": real(run.scores[place].low, digits),
                "highest": real(run.scores[place].high, digits),
            }
            for run in sorted(self.runs, key=lambda run: run.scores[place].place)
        )
        return table(f"{self.measures[place]}, and how far unjudged documents could change it", ("run",), None, rows)

    def _exchanges(self) -> Sheet:
        kept, left_out = first_of(self.exchanges, self.everything, "-q")
        rows = (
            {
                "run": named(each.better),
                "above": named(each.worse),
                "measure": each.measure,
                "difference": signed(each.difference, self.look.digits),
                "takes": real(each.needed, self.look.digits),
            }
            for each in kept
        )
        return table(
            "Runs that could change places", ("run", "above"), None, rows, ("run", "above", "measure"), left_out
        )

    def _shared(self) -> Sheet:
        rows = ({"runs": f"{runs:,}", "documents": f"{count:,}"} for runs, count in self.shared)
        title = f"Unjudged documents among the first {self.first}, by how many runs have them there"
        return table(title, ("runs",), None, rows, ())

    def _holes(self) -> Sheet:
        kept, left_out = first_of(self.holes, self.everything, "-q")
        rows = (
            {
                "query": named(decoded(each.query)),
                "document": named(decoded(each.document)),
                "runs": f"{each.runs:,}",
                "best rank": f"{each.best:,}",
            }
            for each in kept
        )
        return table("Of these", ("query", "document"), None, rows, notes=left_out)

    def _own(self, place: int) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                "run": named(run.name),
                **({"group": named(run.group)} if self.grouped else {}),
                "own": f"{run.own:,}",
                "relevant": f"{run.own_relevant:,}",
                "score": f"{real(run.scores[place].value, digits)} ({run.scores[place].place})",
                "without": f"{real(run.scores[place].without, digits)} ({run.scores[place].place_without})",
                "change": signed(run.scores[place].change, digits),
            }
            for run in sorted(self.runs, key=lambda run: run.scores[place].place)
        )
        bias = self.biases[place]
        whose = f" ({named(bias.largest_run)})" if bias.largest else ""
        note = (
            f"Changes: {real(bias.mean, digits)} in the mean, {real(bias.largest, digits)} at most{whose},"
            f" {counted(bias.places, 'place')} at most. tau of the orders with and without them:"
            f" {real(bias.tau, digits)}."
        )
        title = f"{bias.measure} without judgments that only one {'group' if self.grouped else 'run'} contributed"
        return table(title, ("run", "group") if self.grouped else ("run",), None, rows, notes=[note])

    @property
    def notes(self) -> Iterator[str]:
        yield (
            f"unjudged: pairs of query and document among the first {self.first} of a run; alone: those that no "
            f"other run has there. Shares are means over queries with results; {MISSING}: no ranking is that deep."
        )
        yield (
            "condensed: the value after unjudged documents are removed. lowest, highest: the bounds over all "
            "possible judgments of the unjudged documents of the run; relevant documents that it did not "
            "retrieve are not considered."
        )
        if not all(self.bounded):
            missing = [name for name, there in zip(self.measures, self.bounded, strict=True) if not there]
            yield f"No exact bounds are known for {', '.join(missing)} under these judgments."
        for name, there in zip(self.measures, self.bounded, strict=True):
            if there and self.pairs:
                count = sum(each.measure == name for each in self.exchanges)
                yield (
                    f"{name}: {count:,} of {counted(self.pairs, 'pair')} of runs could change places, each pair "
                    "considered alone; takes: how far towards the bounds the values must move for that."
                )
        if self.biases:
            whose = "its group" if self.grouped else "it"
            yield (
                f"own: judged documents that, of all these runs, only {whose} alone has up to rank {self.pool_depth:,}"
                " (--pool-depth); without: as if these had not been judged."
            )
            yield CAVEAT
        yield self.counting

    @property
    def counting(self) -> str:
        """Which queries count, in a sentence."""
        policy = (
            "queries that are in the judgments and in all runs" if self.policy == "those in both files" else self.policy
        )
        return f"{counted(self.queries, 'query', 'queries')}: {policy}."

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for given in self._found():
            yield tuple(given.get(column) for column in _COLUMNS)

    def _found(self) -> Iterator[dict[str, Plain]]:
        for run in self.runs:
            for k, share in zip(self.depths, run.judged, strict=True):
                if share is not None:
                    yield {"statistic": "judged", "run": run.name, "k": k, "value": share}
            for name in ("unjudged", "alone"):
                yield {"statistic": name, "run": run.name, "k": self.first, "value": getattr(run, name)}
            for name in ("own", "own_relevant"):
                yield {"statistic": name, "run": run.name, "k": self.pool_depth, "value": getattr(run, name)}
            for measure, score in zip(self.measures, run.scores, strict=True):
                for name in ("value", "condensed", "low", "high", "without"):
                    yield {"statistic": name, "run": run.name, "measure": measure, "value": getattr(score, name)}
                for name in ("place", "place_without"):
                    value = getattr(score, name)
                    yield {"statistic": name, "run": run.name, "measure": measure, "value": value, "n": len(self.runs)}
        for each in self.exchanges:
            pair: dict[str, Plain] = {"run": each.better, "and_run": each.worse, "measure": each.measure}
            yield {"statistic": "exchange", **pair, "value": each.needed, "n": self.pairs}
        for bias in self.biases:
            about: dict[str, Plain] = {"measure": bias.measure, "n": len(self.runs)}
            yield {"statistic": "mean_change", **about, "value": bias.mean}
            yield {"statistic": "largest_change", **about, "run": bias.largest_run, "value": bias.largest}
            yield {"statistic": "tau_b", **about, "value": bias.tau}
        for hole in self.holes:
            place: dict[str, Plain] = {"query": decoded(hole.query), "document": decoded(hole.document)}
            yield {"statistic": "hole", **place, "k": hole.best, "value": hole.runs, "n": len(self.runs)}

    @property
    def record(self) -> dict[str, Any]:
        runs = [
            {
                "name": run.name,
                "group": run.group,
                "judged": {
                    str(k): share for k, share in zip(self.depths, run.judged, strict=True) if share is not None
                },
                **recorded({name: getattr(run, name) for name in ("unjudged", "alone", "own", "own_relevant")}),
                "scores": dict(zip(self.measures, recorded(run.scores), strict=True)),
            }
            for run in self.runs
        ]
        bounded = dict(zip(self.measures, self.bounded, strict=True))
        return {**stamped("irev coverage"), **recorded(self), "runs": runs, "bounded": bounded}

    # For Python

    def drawn(self, form: Form) -> bytes:
        """The share that are judged, by rank, and runs by their values with and without their own."""
        return figure_of_curves(pictures(self), form, self.counting)

    def __repr__(self) -> str:
        return f"<Coverage of {len(self.runs)} runs: {len(self.holes):,} unjudged among the first {self.first}>"


def pictures(coverage: Coverage) -> tuple[CurvePicture, ...]:
    """The share that are judged, by rank; and for each measure runs by their values with and without their own."""
    judged = CurvePicture(
        "judged",
        "",
        "",
        Axis("k", "first k documents", float(coverage.depths[0]), float(max(coverage.depths[-1], 2)), logarithmic=True),
        Axis("judged", "share that are judged", 0.0, 1.0),
        tuple(
            Curve(
                run.name,
                tuple(
                    Point(float(k), share)
                    for k, share in zip(coverage.depths, run.judged, strict=True)
                    if share is not None
                ),
            )
            for run in coverage.runs
        ),
        LINES,
        "Share of the first k documents that are judged, mean over queries with results.",
    )
    return (judged, *(_without(coverage, place) for place in range(len(coverage.biases))))


def _without(coverage: Coverage, place: int) -> CurvePicture:
    scores = [run.scores[place] for run in coverage.runs]
    low, high = one_scale(np.array([each.value for each in scores]), np.array([each.without for each in scores]))
    measure = coverage.measures[place]
    whose = "its group" if coverage.grouped else "it"
    side = "above" if coverage.biases[place].better == "lower" else "below"
    points = tuple(Point(each.value, each.without, run.name) for each, run in zip(scores, coverage.runs, strict=True))
    return CurvePicture(
        "without",
        measure,
        "",
        Axis("value", measure, low, high),
        Axis("without", f"{measure} without judgments that only {whose} contributed", low, high),
        (Curve("", points, {"tau b": coverage.biases[place].tau}),),
        POINTS,
        f"A point for each run; runs {side} the diagonal gain from judgments that only {whose} contributed.",
        labels="run",
        equal=True,
    )
