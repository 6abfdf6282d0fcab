"""The answer of ``irev bayes``: the posterior of the mean difference of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from irev.base.errors import decimal
from irev.base.records import dataclass
from irev.base.segments import difference
from irev.base.text import named, percent
from irev.evaluation.comparison import Measured, pairs_of, require_margin_within_range
from irev.evaluation.comparison.systems import systems_of
from irev.evaluation.inputs import Inputs
from irev.extensions.studies.bayes import BayesChoices
from irev.extensions.studies.differences import Differences, Line, lines_of, marked, require_two
from irev.extensions.studies.statistics.bayesian import posterior
from irev.extensions.studies.study import ALPHA
from irev.statistics.intervals import possible, unseen


class Believed(NamedTuple):
    """How probable it is that a run is better than the baseline, and by more than the margin."""

    measure: str
    baseline: str
    run: str
    queries: int
    difference: float | None
    low: float | None
    high: float | None
    better: float | None
    beyond: float | None
    note: str
    rests_on_unjudged: bool | None = False


@dataclass(frozen=True, eq=False, repr=False)
class Posteriors(Differences):
    """The posterior of each difference, a `Believed` in `lines`."""

    title = "Bayesian comparison"
    way = "bayes"
    headings: ClassVar[dict[str, str]] = {"better": "P(better)", "beyond": "P(by margin)"}

    @property
    def explained(self) -> Iterator[str]:
        margin = "" if self.margin is None else f"; P(by margin): of more than {decimal(self.margin)}"
        yield (
            "difference: the median of the posterior of the mean difference, under symmetric Student-t noise;"
            f" interval: {percent(self.confidence)} of the probability; wider where not all queries differ. P(better):"
            f" the probability that the run is better{margin}."
        )
        for line in self.lines:
            if line.note:
                about = f"{named(line.run)} against {named(line.baseline)}, {named(line.measure)}"
                yield f"{about}: {'no posterior, ' if line.better is None else ''}{line.note}."


def answer(inputs: Inputs, choices: BayesChoices) -> Posteriors:
    """The posterior of every difference, by every measure."""
    found = systems_of(inputs)
    runs = found.aligned.runs
    require_margin_within_range(found.aligned, choices.margin)
    first = choices.first(runs, found.files)
    require_two(runs)
    made = partial(_believed, runs=runs, pairs=pairs_of(len(runs), first), choices=choices)
    lines, unjudged = marked(lines_of(found, made), found, found.aligned, first, made, _shown)
    shared = choices.confidence, ALPHA, choices.margin, found.policy, found.inputs, found.notes
    return Posteriors(lines, *shared, unjudged)


def _shown(line: Believed) -> tuple[int, bool]:
    """The side of 0 on which the interval is."""
    return ((line.low or 0.0) > 0) - ((line.high or 0.0) < 0), False


def _believed(
    measured: Measured, runs: Sequence[str], pairs: Sequence[tuple[int, int]], choices: BayesChoices
) -> Iterator[Line]:
    for base, run in pairs:
        gains = difference(measured.values[:, run], measured.values[:, base])
        lower = measured.quantity.better == "lower"
        # Better is less of such a measure: its gains are turned, and what is found is turned back.
        (error,) = unseen(gains[:, None], possible(measured.values))
        found = posterior(-gains if lower else gains, choices.confidence, choices.margin, error)
        median, low, high = found[:3]
        if lower and median is not None and low is not None and high is not None:
            median, low, high = -median, -high, -low
        about = (measured.quantity.standard, runs[base], runs[run], len(measured.queries))
        yield Believed(*about, median, low, high, *found[3:])
