"""Runs under predicted judgments of all queries, which human judgments of some of them correct.

`by_predictions` has the mean of every run and the difference of every two of them by human judgments alone, by
predicted ones alone, and corrected; and how far the predictions favour a run.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base.errors import InputError, UsageError, shown
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.evaluation.comparison import Aligned, Clusters, cluster_numbers, differences_of, nonfinite
from irev.evaluation.comparison.systems import aligned_outcomes
from irev.evaluation.result import Outcome
from irev.extensions.llm_judge.prediction_powered import (
    Corrected,
    by_parts,
    chosen,
    corrected,
    favour,
    mean_of,
    parts,
    queries_needed,
)
from irev.measures import Request
from irev.statistics import corrections
from irev.statistics.intervals import possible, unseen, unseen_error
from irev.statistics.paired import cluster_sums
from irev.statistics.plan import Plan
from irev.statistics.ratios import ONCE, Always, Looks, around, p_of_zero

CHOSEN = 0.01
"""From this p on a sample looks chosen: one random sample of a hundred does."""

LEAST = 2
"""Queries that a human has to have judged: one has no error."""


class Unlike(NamedTuple):
    """A measure by which the judged queries look chosen, not drawn at random: the mean predicted value of the judged
    queries, and of the others, over all runs; and p of no difference."""

    measure: str
    judged: float
    others: float
    p: float


class CorrectedValue(NamedTuple):
    """The mean of a run, or the difference of a run from another, by both kinds of judgments.

    Attributes
    ----------
    measure, run : str
    baseline : str or None
        The run that `run` is compared with; None of a mean.
    human, human_low, human_high : float or None
        By human judgments of the judged queries alone, with Student's interval.
    predicted : float
        By predicted judgments of all queries alone.
    corrected, low, high : float or None
        By both, with its interval.
    error, error_of_all : float or None
        The standard error of that, and the part of it that comes from all queries, however many of them are judged.
    differ : int or None
        How many of the judged queries (or clusters of them) differ by either kind of judgments, for a difference.
    unseen : float or None
        The standard error by which its interval is wider, since other queries may differ (`intervals.unseen`).
    p : float or None
        Of a corrected difference of 0, of all pairs of several runs by the maximum-t method over those of the measure,
        of others by Holm's correction.
    tuning : float
        The weight of the predictions, from 0.
    worth : int or None
        How many more queries with human judgments alone would give as narrow an interval.
    bias, bias_low, bias_high : float or None
        The mean of human less predicted values of the judged queries.
    favour, favour_p : float or None
        The bias of a run less the mean bias of the others, and the p of none, by Holm's correction over the runs; None
        of a single run, and of a difference.
    needed : int or None
        How many queries a human has to judge in all for an interval of a difference of the width that was asked for;
        None where all are too few.
    """

    measure: str
    run: str
    baseline: str | None
    human: float | None
    human_low: float | None
    human_high: float | None
    predicted: float
    corrected: float
    low: float | None
    high: float | None
    error: float | None
    error_of_all: float
    differ: int | None
    unseen: float | None
    p: float | None
    tuning: float
    worth: int | None
    bias: float | None
    bias_low: float | None
    bias_high: float | None
    favour: float | None = None
    favour_p: float | None = None
    needed: int | None = None


@dataclass(frozen=True, eq=False)
class ByPredictions:
    """Runs under human and predicted judgments.

    Attributes
    ----------
    queries, judged : int
        With predicted judgments, and with human ones, too.
    differing : int
        In how many of the latter both find different values, of that run and measure of which it is the fewest.
    means, differences : tuple of CorrectedValue
    chosen : tuple of Unlike
    clusters : int or None
        How many clusters the queries are in, where they depend on each other.
    """

    queries: int
    judged: int
    differing: int
    means: tuple[CorrectedValue, ...]
    differences: tuple[CorrectedValue, ...]
    chosen: tuple[Unlike, ...]
    clusters: int | None = None


def by_predictions(
    values: Sequence[ValuesByBoth],
    confidence: float,
    pairs: Sequence[tuple[int, int]],
    planned: int | None = None,
    width: float | None = None,
) -> ByPredictions:
    """Means, differences and biases of runs.

    Parameters
    ----------
    values : sequence of ValuesByBoth
        Of each measure.
    confidence : float
        Of the intervals.
    pairs : sequence of (int, int)
        The places of a baseline and a run, for each difference.
    planned : int, optional
        About how many queries will be judged in the end, where intervals and p-values are to hold at every look.
    width : float, optional
        Of an interval, for which `CorrectedValue.needed` is wanted.
    """
    if planned is not None:
        values = [each._replace(looks=Always(len(each.places) / planned)) for each in values]
    means: list[CorrectedValue] = []
    differences: list[CorrectedValue] = []
    unlike: list[Unlike] = []
    for about in values:
        means += about.means(confidence)
        found = about.differences(pairs, confidence)
        differences += found if width is None else (about.with_needed(line, width, confidence) for line in found)
        unlike += _unlike(about, len(values))
    queries, judged = len(values[0].predicted), len(values[0].places)
    differing = min(int((each.human != each.predicted[each.places]).sum(axis=0).min()) for each in values)
    cluster = values[0].cluster
    clusters = None if cluster is None else int(cluster.max()) + 1
    return ByPredictions(queries, judged, differing, tuple(means), tuple(differences), tuple(unlike), clusters)


def values_by_both(
    human: Sequence[Outcome],
    predicted: Sequence[Outcome],
    judged: Collection[bytes],
    clusters: Clusters = None,
) -> list[ValuesByBoth]:
    """The values of single queries, under each measure.

    Parameters
    ----------
    human, predicted : sequence of Outcome
        Every run under human judgments and under predicted ones, in one order, over all queries judged there.
    judged : collection of bytes
        The queries that a human judged; others, of which all grades are negative, do not count.
    clusters : optional
        As `irev.evaluation.comparison.in_clusters` takes them.

    Raises
    ------
    InputError
        For a query with human judgments and without predicted ones, and for fewer than two that have both.
    UsageError
        For a measure without finite numbers for single queries.
    """
    requests = [column.request for column in human[0].columns if column.request.measure.numeric]
    if not requests:
        raise UsageError("no measure has numbers for single queries", remedy="name another one, such as nDCG@10")
    by_human, by_model = (aligned_outcomes(outcomes, requests, both=False) for outcomes in (human, predicted))
    queries = {query: place for place, query in enumerate(by_model.measured[0].queries)}
    rows = [row for row, query in enumerate(by_human.measured[0].queries) if query in judged]
    known = [by_human.measured[0].queries[row] for row in rows]
    _require_predicted(known, queries)
    places = np.array([queries[query] for query in known], dtype=np.int64)
    cluster = cluster_numbers([*queries], clusters) if clusters else None
    return [
        ValuesByBoth(request, by_model.runs, _finite(by_human, place)[rows], _finite(by_model, place), places, cluster)
        for place, request in enumerate(requests)
    ]


def _require_predicted(judged: Sequence[bytes], predicted: Collection[bytes]) -> None:
    if strange := [query for query in judged if query not in predicted]:
        fact = f"query {shown(strange[0])} has human judgments and no predicted ones"
        raise InputError(fact, remedy="the predicted judgments have to cover all queries")
    if len(judged) < LEAST:
        fact = f"a human judged {len(judged)} of the {len(predicted)} queries with predicted judgments"
        raise InputError(fact, remedy=f"judge {LEAST} or more, drawn at random; 30 is a good number to start")


def _finite(aligned: Aligned, place: int) -> Floats:
    measured = aligned.measured[place]
    if infinite := nonfinite(measured):
        fact = f"{measured.quantity.standard} has no finite value for query {shown(infinite[0])}"
        raise UsageError(fact, remedy="name another measure")
    return measured.values


class ValuesByBoth(NamedTuple):
    """Values of single queries under one measure: (n, k) by a human, (N, k) predicted, which of the latter are judged,
    and the clusters of all."""

    request: Request
    runs: tuple[str, ...]
    human: Floats
    predicted: Floats
    places: Ints
    cluster: Ints | None = None
    looks: Looks = ONCE

    @property
    def of_judged(self) -> Ints | None:
        """The clusters of the judged queries."""
        return None if self.cluster is None else self.cluster[self.places]

    def unseen(self, human: Floats, guesses: Floats) -> tuple[int, float]:
        """How many judged queries, or clusters of them, differ, by a human (n,) or as predicted (N,); and the error of
        `intervals.unseen`."""
        either = np.where(human, human, guesses[self.places])[:, None]
        cluster = self.of_judged
        if cluster is not None:
            cluster = np.unique(cluster, return_inverse=True)[1]
            if not cluster.any():
                return 1, 0.0
        (error,) = unseen(either, possible(self.predicted), cluster)
        return int(np.count_nonzero(cluster_sums(either, cluster))), error

    def means(self, confidence: float) -> list[CorrectedValue]:
        """The mean of each run."""
        found = [
            self._line(run, None, values, confidence)
            for run, *values in zip(self.runs, self.human.T, self.predicted.T, strict=True)
        ]
        if len(found) < 2:
            return found
        favours = favour(self.human - self.predicted[self.places], self.of_judged)
        p = [p_of_zero(each, self.looks) for each in favours]
        p = corrections.adjusted("holm", p) if len(found) > 2 else p  # of two runs it is one test
        return [
            line._replace(favour=each.value, favour_p=value)
            for line, each, value in zip(found, favours, p, strict=True)
        ]

    def differences(self, pairs: Sequence[tuple[int, int]], confidence: float) -> list[CorrectedValue]:
        """The difference of each pair of runs, by their places."""
        if not pairs:
            return []
        human, guesses = (differences_of(each, pairs).T for each in (self.human, self.predicted))
        found = [
            self._line(self.runs[run], self.runs[base], values, confidence)
            for (base, run), *values in zip(pairs, human, guesses, strict=True)
        ]
        varied = [place for place, line in enumerate(found) if line.error]
        if len(varied) < 2 or self.looks is not ONCE or not every_pair(pairs, len(self.runs)):
            adjusted = corrections.adjusted("holm", [line.p for line in found])
            return [line._replace(p=p) for line, p in zip(found, adjusted, strict=True)]
        t = np.array([found[place].corrected / (found[place].error or 1.0) for place in varied])
        added = [parts(human[place], guesses[place], self.places, found[place].tuning) for place in varied]
        if self.cluster is not None:
            added = [np.bincount(self.cluster, weights=each).astype(np.float64) for each in added]
        degrees = mean_of(np.ones(len(self.places)), self.of_judged).freedom
        together = by_parts(t, np.stack(added, axis=1), degrees, Plan())
        for place, p in zip(varied, together.tolist(), strict=True):
            found[place] = found[place]._replace(p=p)
        return found

    def with_needed(self, line: CorrectedValue, width: float, confidence: float) -> CorrectedValue:
        """A difference, with how many queries have to be judged for an interval of this width."""
        judged, queries = len(self.places), len(self.predicted)
        if line.error is None or line.differ is None:
            return line
        share, largest = line.differ / judged, (line.unseen or 0.0) / (unseen_error(judged, line.differ, 1.0) or 1.0)
        of_all = line.error_of_all**2
        return line._replace(
            needed=queries_needed(line.error, of_all, judged, queries, width, confidence, share, largest)
        )

    def _line(self, run: str, baseline: str | None, values: Sequence[Floats], confidence: float) -> CorrectedValue:
        human, guesses = values
        share = self.request.of_one and guesses.min() >= 0 and guesses.max() <= 1
        is_share = share and baseline is None
        found = corrected(human, guesses, self.places, is_share, self.cluster)
        differ, missing = (None, None) if baseline is None else self.unseen(human, guesses)
        found = replace(found, unseen=missing or 0.0, looks=self.looks)
        off = mean_of(human - guesses[self.places], self.of_judged)
        human_low, human_high = found.human_interval(confidence) or (None, None)
        bias_low, bias_high = around(off, confidence, self.looks) or (None, None)
        ends_of_both = found.interval(confidence) or (None, None)
        return CorrectedValue(
            self.request.standard,
            run,
            baseline,
            human=found.human.value,
            human_low=human_low,
            human_high=human_high,
            predicted=found.predicted,
            corrected=found.value,
            low=ends_of_both[0],
            high=ends_of_both[1],
            error=found.estimate.error,
            error_of_all=math.sqrt(found.of_all),
            differ=differ,
            unseen=missing,
            p=None if baseline is None else found.p,
            tuning=found.tuning,
            worth=_worth(found),
            bias=off.value,
            bias_low=bias_low,
            bias_high=bias_high,
        )


def every_pair(pairs: Sequence[tuple[int, int]], runs: int) -> bool:
    """Whether these are all pairs of several runs, so that the maximum-t method corrects their p-values."""
    return runs > 2 and len(pairs) == math.comb(runs, 2)


def _worth(found: Corrected) -> int | None:
    # Rounding alone makes no query.
    return None if found.worth is None else max(0, int(found.worth + 1e-6))


def _unlike(about: ValuesByBoth, tests: int) -> list[Unlike]:
    """The measure, where the judged queries look chosen by the mean of the predicted values of all runs."""
    guesses = about.predicted.mean(axis=1)
    p = chosen(guesses, about.places, about.cluster)
    if p is None or p * tests > CHOSEN:
        return []
    others = np.delete(guesses, about.places)
    judged = float(guesses[about.places].mean())
    return [Unlike(about.request.standard, judged, float(others.mean()), p)]
