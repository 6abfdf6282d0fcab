"""The answer of ``irev compare-by``: differences by weights of queries, and in groups of queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irev.base.errors import InputError, UsageError, option, shown
from irev.base.records import dataclass
from irev.base.segments import Ints, difference, mean
from irev.base.text import counted, decoded, encoded, percent, real
from irev.evaluation.comparison import Measured, in_clusters, pairs_of
from irev.evaluation.comparison.systems import systems_of
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import cluster_notes, group_notes
from irev.extensions.studies.compare_by import CompareByChoices
from irev.extensions.studies.differences import Differences, Line, Made, lines_of, marked, require_two, shown_by_test
from irev.reading.small_files import read_groups
from irev.reading.sources import Source
from irev.statistics.corrections import adjusted
from irev.statistics.intervals import INTERVALS, WIDER, of_differences, possible, unseen
from irev.statistics.paired import jackknifed, test
from irev.statistics.plan import Plan
from irev.statistics.ratios import weighted_mean
from irev.statistics.variance import welch


class WeightedDifference(NamedTuple):
    """The difference of weighted means, as `irev.statistics.ratios` has it; `queries` are those with a weight."""

    measure: str
    baseline: str
    run: str
    queries: int
    effective: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    rests_on_unjudged: bool | None = False


class InGroup(NamedTuple):
    """The difference in a group of queries; `interaction` is p of the difference being the same in all groups in which
    it varies, None for a group in which it does not."""

    measure: str
    baseline: str
    run: str
    group: str
    queries: int
    difference: float
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    interaction: float | None
    rests_on_unjudged: bool | None = False


FEW = 25
"""With fewer queries of equal weight intervals of skewed differences miss too often: benchmarks/weighted_means.py."""


@dataclass(frozen=True, eq=False, repr=False)
class WeightedDifferences(Differences):
    """Differences of weighted means.

    Attributes
    ----------
    how : str
        How intervals are made.
    units : str
        What has the weights: ``queries`` or ``clusters``.
    """

    how: str = ""
    units: str = "queries"

    title = "Differences of weighted means"
    way = "weights"
    headings: ClassVar[Mapping[str, str]] = {"effective": "n eff"}
    without_interval = "a few queries all differ by the same amount, or one query has nearly all of the weight"

    @property
    def explained(self) -> Iterator[str]:
        decide = [line.effective for line in self.lines if line.effective]
        if decide and min(decide) < FEW:
            yield (
                f"Few {self.units} decide: n eff is {real(min(decide), 1)}. Intervals of skewed differences then"
                " miss in up to 13 of 100 samples, not in 5."
            )
        yield (
            f"difference: of means by the weights of queries. interval, {percent(self.confidence)}: {self.how}. n eff:"
            f" so many {self.units} of equal weight would weigh as much. adjusted: p-values by t, with Holm's"
            " correction."
        )


@dataclass(frozen=True, eq=False, repr=False)
class GroupDifferences(Differences):
    """Differences in groups of queries.

    Attributes
    ----------
    how : str
        How intervals are made.
    """

    how: str = ""

    title = "Differences in groups of queries"
    way = "groups"
    hidden = ()
    without_interval = (
        "a group has one query or cluster, a few that all differ by the same amount, or values that are not finite"
    )

    @property
    def explained(self) -> Iterator[str]:
        yield (
            f"interval, {percent(self.confidence)}: {self.how}. adjusted: p-values by t, with Holm's correction over"
            " the groups and runs of a measure. interaction: p of the difference being the same in all groups (Welch's"
            " analysis of variance). A difference that is significant in one group and not in another need not differ"
            " between them."
        )


def answer(inputs: Inputs, choices: CompareByChoices) -> Differences:
    """The differences of runs by the weights of queries, or in groups of queries."""
    if not (choices.weights or choices.groups):
        remedy = f"give {option('query_weights')} or {option('groups')}"
        raise UsageError("there is nothing to compare by", remedy=remedy)
    found = systems_of(inputs, choices.unjudged)
    found = found._replace(aligned=in_clusters(found.aligned, choices.clusters))
    inputs.say([*cluster_notes(found.aligned.measured[0].queries, found.aligned.measured[0].cluster)])
    plan = Plan(interval=choices.interval, confidence=choices.confidence, alpha=choices.alpha, seed=choices.seed)
    runs, notes = found.aligned.runs, list(found.notes)
    require_two(runs)
    first = choices.first(runs, found.files)
    pairs = pairs_of(len(runs), first)
    about: dict[str, Any] = {"runs": runs, "pairs": pairs, "plan": plan}
    units = "queries" if found.aligned.measured[0].cluster is None else "clusters"
    clustered = " by clusters" * (units == "clusters")
    made: Made
    kind: Callable[..., Differences]
    if choices.weights:
        made = partial(_weighed, known=dict(choices.weights), **about)
        bootstrap = f", {plan.samples:,} samples, seed {plan.seed}" if choices.interval != "t" else ""
        how = {
            "t": f"t, with the jackknife's error{clustered} and as many degrees of freedom as weights leave",
            "percentile": f"bootstrap percentiles{clustered}{bootstrap}",
            "bca": f"bootstrap{clustered}, bias-corrected and accelerated{bootstrap}",
        }[choices.interval]
        kind = partial(WeightedDifferences, how=f"{how}; {WIDER}", units=units)
    else:
        members = _groups(choices.groups or {}, found.aligned.measured[0], notes)
        made = partial(_in_groups, members=members, notes=notes, **about)
        kind = partial(GroupDifferences, how=f"{INTERVALS[choices.interval].title}{clustered}; {WIDER}")
    lines = lines_of(found, made)
    shared = plan.confidence, plan.alpha, None, found.policy, found.inputs, tuple(notes)
    lines, unjudged = marked(lines, found, found.aligned, first, made, lambda line: shown_by_test(line, plan.alpha))
    return kind(lines, *shared, unjudged)


def _weighed(
    measured: Measured, runs: Sequence[str], pairs: Sequence[tuple[int, int]], plan: Plan, known: Mapping[bytes, float]
) -> Iterator[Line]:
    for query in measured.queries:
        if query not in known:
            raise InputError(f"the query {shown(query)} has no weight", remedy=f"add it to {option('query_weights')}")
    weights = np.array([known[query] for query in measured.queries], dtype=np.float64)
    differences = (difference(measured.values[:, run], measured.values[:, base]) for base, run in pairs)
    largest = possible(measured.values)
    found = [weighted_mean(each, weights, plan, measured.cluster, largest) for each in differences]
    p_values = adjusted("holm", [each.p for each in found])
    for (base, run), each, p in zip(pairs, found, p_values, strict=True):
        low, high = each.interval or (None, None)
        about = (measured.quantity.standard, runs[base], runs[run], int((weights > 0).sum()))
        yield WeightedDifference(*about, each.effective, each.mean, low, high, each.p, p)


def _groups(said: str | Mapping[str, str], measured: Measured, notes: list[str]) -> dict[str, Ints]:
    """The places of the queries of each group, in the order of their names."""
    if isinstance(said, str):
        with Source(said) as source:
            known = read_groups(source)
    else:
        known = {encoded(query): encoded(group) for query, group in said.items()}
    notes += (note.said for note in group_notes((), [each for each in measured.queries if each not in known]))
    found: dict[str, list[int]] = {}
    for place, query in enumerate(measured.queries):
        if query in known:
            found.setdefault(decoded(known[query]), []).append(place)
    if len(found) < 2:
        fact = f"{option('groups')}: the queries that count are in {counted(len(found), 'group')}"
        raise UsageError(fact, remedy="give two groups or more")
    members = {group: np.array(found[group], dtype=np.int64) for group in sorted(found)}
    if measured.cluster is not None:
        several = [np.unique(measured.cluster[places]) for places in members.values()]
        if sum(map(len, several)) > len(np.unique(np.concatenate(several))):
            fact = f"{option('clusters')}: a cluster has queries of several groups"
            raise UsageError(fact, remedy="give groups of whole clusters, or leave out one of the two options")
    return members


def _in_groups(
    measured: Measured,
    runs: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    members: Mapping[str, Ints],
    plan: Plan,
    notes: list[str],
) -> Iterator[Line]:
    largest, found = possible(measured.values), list[InGroup]()
    for base, run in pairs:
        of_pair, parts = list[InGroup](), {}
        for group, places in members.items():
            column = difference(measured.values[places, run], measured.values[places, base])[:, None]
            cluster = None if measured.cluster is None else np.unique(measured.cluster[places], return_inverse=True)[1]
            rows = jackknifed(column, cluster)
            (span,) = of_differences(column, plan, largest, cluster)
            (more,) = unseen(column, largest, cluster)
            size, error = len(rows), math.nan
            if size > 1 and np.isfinite(rows).all():
                error = math.hypot(float(rows.std(ddof=1)) / math.sqrt(size), more)
            (tested,) = test("t", rows, plan)
            if error > 0:
                parts[group] = (mean(column[:, 0]), error, size)
            about = (measured.quantity.standard, runs[base], runs[run], group, len(places))
            low, high = span or (None, None)
            of_pair.append(InGroup(*about, mean(column[:, 0]), low, high, tested.p, None, None))
        same = welch(*np.array([*parts.values()], dtype=np.float64).T) if len(parts) > 1 else None
        found += (line._replace(interaction=same[2] if same and line.group in parts else None) for line in of_pair)
        left_out = [group for group in members if same and group not in parts]
        said = f"Left out of the interaction, because they have one query or no variance: {', '.join(left_out)}."
        if left_out and said not in notes:
            notes.append(said)
    p_values = adjusted("holm", [line.p for line in found])
    yield from (line._replace(adjusted=p) for line, p in zip(found, p_values, strict=True))
