"""The finding of ``irev llm-judge``: runs under a model's judgments and a human's, as people and programs see them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base.errors import decimal
from irev.base.exit import DONE, FAILED
from irev.base.records import dataclass
from irev.base.text import MISSING, counted, ends, interval, named, p_value, percent, real, signed
from irev.evaluation.result import Input
from irev.extensions.llm_judge.values import ByPredictions, CorrectedValue
from irev.output.figures import Estimate, Estimated, figure_of_estimates
from irev.output.finding import Pictured, ReportedFinding, fields_of, recorded
from irev.output.report import Cell, Form, Plain, Sheet, Texts, first_of, stamped, table
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.output.figures import Estimated

FEW = 15
"""With fewer judged queries nobody has tried how often intervals hold (benchmarks/predicted_judgments.py)."""

RARE = 5
"""In so many judged queries a model has to differ from the human: docs/statistics.md has what is missed otherwise."""


NO_WORSE = "shown not to be worse"

ALPHA = 0.05
"""Up to this p-value a difference is significant; the level of the test of ``--no-worse-than``, too."""


class JudgedCondition(NamedTuple):
    """A condition, judged for a run.

    Attributes
    ----------
    measure, run : str
    required : str
        In words.
    limit : float
    found : float or None
        The corrected value or difference that the limit is compared with, or the bound of the difference, which is None
        where the judged queries have no error.
    holds : bool
    """

    measure: str
    run: str
    required: str
    limit: float
    found: float | None
    holds: bool


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedRuns(Pictured, ReportedFinding):
    """What runs are worth by predicted judgments that human ones correct.

    Attributes
    ----------
    found : ByPredictions
    human, model : str
        What the judges are called.
    confidence : float
        Of the intervals.
    inputs : tuple of Input
    sequential : int or None
        About how many queries will be judged in the end, where intervals and p-values hold at every look.
    width : float or None
        Of the intervals that `CorrectedValue.needed` is about.
    conditions : tuple of JudgedCondition
    """

    found: ByPredictions
    human: str
    model: str
    confidence: float
    inputs: tuple[Input, ...] = ()
    sequential: int | None = None
    width: float | None = None
    conditions: tuple[JudgedCondition, ...] = ()

    columns = CorrectedValue._fields
    texts = frozenset({"measure", "run", "baseline"})
    exact = frozenset({"p", "favour_p"})

    @property
    def title(self) -> str:
        judged, queries = self.found.judged, counted(self.found.queries, "query", "queries")
        return f"Runs by predicted judgments of {queries}, corrected by human ones of {judged:,}"

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.conditions:
            states = map(self._condition, self.conditions)
            yield table("Conditions", ("state", "measure", "run", "required"), ("found",), states)
        numbers = ("human", "predicted", "corrected", "interval")
        yield table("Means", ("measure", "run"), (*numbers, "worth"), map(self._texts, self.found.means))
        differences = self.found.differences
        if differences:
            kept, notes = first_of(differences, False, "-f csv")
            columns = (*numbers, "p", "worth", *(["needed"] if self.width is not None else []))
            yield table("Differences", ("measure", "run", "against"), columns, map(self._texts, kept), notes=notes)
        compared = ("against other runs", "p") if self._of_several else ()
        yield table("Bias", ("measure", "run"), ("bias", "interval", *compared), map(self._bias, self.found.means))

    def _texts(self, line: CorrectedValue) -> Texts:
        digits, of_two = self.look.digits, line.baseline is not None
        word = signed if of_two else real
        return {
            "measure": line.measure,
            "run": named(line.run),
            "against": named(line.baseline or ""),
            "human": word(line.human, digits),
            "predicted": word(line.predicted, digits),
            "corrected": word(line.corrected, digits),
            "interval": interval(ends(line.low, line.high), digits, of_two),
            "p": Cell(p_value(line.p), significant=self._significant(line.p)),
            "worth": self._worth(line.worth),
            "needed": f">{self.found.queries:,}" if line.needed is None else f"{line.needed:,}",
        }

    def _condition(self, line: JudgedCondition) -> Texts:
        state = Cell("pass", tone="good") if line.holds else Cell("fail", tone="bad")
        return {**line._asdict(), "run": named(line.run), "state": state, "found": real(line.found, self.look.digits)}

    def _worth(self, worth: int | None) -> str:
        """The number of queries, or that it is more than there are left to judge."""
        left = self.found.queries - self.found.judged
        if worth is None:
            return MISSING
        return f"+{worth:,}" if worth <= left else f">{left:,}"

    @property
    def _corrections(self) -> Iterator[str]:
        """How p-values are corrected."""
        measures = len({line.measure for line in self.found.means})
        runs, pairs = len(self.found.means) // measures, len(self.found.differences) // measures
        if runs > 2 and pairs == math.comb(runs, 2) and self.sequential is None:
            yield f"of differences by the maximum-t method ({Plan.samples:,} samples, seed {Plan.seed})"
        elif pairs > 1:
            yield "of differences with Holm's correction over those of a measure"
        if runs > 2:
            yield "of biases with Holm's correction over the runs"

    @property
    def _of_several(self) -> bool:
        return any(line.favour is not None for line in self.found.means)

    def _significant(self, p: float | None) -> bool:
        return p is not None and p <= ALPHA

    def _bias(self, line: CorrectedValue) -> Texts:
        digits = self.look.digits
        return {
            "measure": line.measure,
            "run": named(line.run),
            "bias": signed(line.bias, digits),
            "interval": interval(ends(line.bias_low, line.bias_high), digits),
            "against other runs": signed(line.favour, digits),
            "p": Cell(p_value(line.favour_p), significant=self._significant(line.favour_p)),
        }

    @property
    def notes(self) -> Iterator[str]:
        found = self.found
        yield (
            f"human: by {named(self.human)}, the {counted(found.judged, 'query', 'queries')} judged there; "
            f"predicted: by {named(self.model)}, all {found.queries:,}; corrected: both (prediction-powered "
            f"inference). interval: {percent(self.confidence)} confidence. worth: without the model, a human "
            "would have to judge this many more queries for an interval as narrow (a rough number, even with 40"
            " judged queries); with > more than there are."
        )
        yield (
            "The corrected interval allows for the errors of the model that the judged queries show. These have to be a"
            " random sample of all."
        )
        if found.clusters is not None:
            yield f"Intervals and p-values take {counted(found.clusters, 'cluster')} of queries as independent."
        if self.sequential is not None:
            yield (
                f"Intervals and p-values hold at every look, for {self.sequential:,} judged queries in the end, the"
                " same number at each look (asymptotic confidence sequences)."
            )
        elif self.found.differences:
            yield (
                "Intervals and p-values are valid for one look: judging more queries until p is low finds differences"
                " that do not exist (see --sequential)."
            )
        if self.width is not None:
            yield (
                "needed: queries that a human has to judge in all for an interval of the difference that is expected to"
                f" be {decimal(self.width)} wide, if as large a share of the queries differs."
            )
        if any(line.required.startswith(NO_WORSE) for line in self.conditions):
            yield f"{NO_WORSE}: the lower bound of the difference, one-sided, at {percent(1 - ALPHA)} confidence."
        favours = (
            " Against other runs: the bias of the run minus the mean bias of the others, with its p-value; below 0, "
            "the predictions favour the run."
        )
        yield (
            "bias: human minus predicted, over the judged queries; below 0, the predictions are too high."
            + (favours if self._of_several else "")
        )
        if corrected := [*self._corrections]:
            yield f"p: {', '.join(corrected)}."
        if found.judged < FEW:
            yield (
                f"Intervals were tested with {FEW} or more judged queries; with fewer they may be too narrow, and so "
                "may those of human judgments alone."
            )
        if found.differing < RARE:
            few = f"only {found.differing:,}" if found.differing else "none"
            yield (
                f"For one run and measure, the values by human and model differ in {few} of {found.judged:,} judged"
                " queries. Errors of the model as rare as that are easily missed, and the interval may be too narrow:"
                " judge more queries."
            )
        lines = (*found.means, *found.differences)
        if any(self._significant(p) for line in lines for p in (line.p, line.favour_p)):
            yield f"* significant at {decimal(ALPHA)}."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return iter((*self.found.means, *self.found.differences))

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev predicted judgments"),
            "human": self.human,
            "predicted": self.model,
            **fields_of(self, "confidence", "inputs"),
            **fields_of(self.found, "queries", "judged", "chosen", "means", "differences"),
            **({} if self.sequential is None else {"sequential": self.sequential}),
            **({} if self.found.clusters is None else {"clusters": self.found.clusters}),
            **({"conditions": recorded(self.conditions)} if self.conditions else {}),
        }

    @property
    def status(self) -> int:
        return DONE if all(line.holds for line in self.conditions) else FAILED

    def drawn(self, form: Form) -> bytes:
        """A forest plot: of every run and difference, by human, predicted and both kinds of judgments."""
        caption = (
            f"human: {named(self.human)}, {self.found.judged:,} queries; predicted: {named(self.model)}, all"
            f" {self.found.queries:,}; corrected: both. Intervals at {percent(self.confidence)}."
        )
        return figure_of_estimates(self.estimated, form, caption)

    @property
    def estimated(self) -> list[Estimated]:
        """Every mean and difference with its estimates, as forest plots have them."""
        numbers = []
        for line in (*self.found.means, *self.found.differences):
            human = (
                () if line.human is None else (Estimate("human", line.human, ends(line.human_low, line.human_high)),)
            )
            numbers.append(
                Estimated(
                    line.measure if line.baseline is None else f"{line.measure}, differences",
                    named(line.run) if line.baseline is None else f"{named(line.run)} − {named(line.baseline)}",
                    (
                        *human,
                        Estimate("predicted", line.predicted, None),
                        Estimate("corrected", line.corrected, ends(line.low, line.high)),
                    ),
                    line.baseline is not None,
                )
            )
        return numbers

    def __repr__(self) -> str:
        return f"<CorrectedRuns: {self.found.judged} of {self.found.queries} queries judged by a human>"
