"""How much runs differ and whether chance explains it: the record, its report for people and programs, the figure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from irev.base.records import dataclass
from irev.base.text import counted, decoded, disambiguate, named, percent, plain
from irev.commands.compare import CompareChoices
from irev.commands.compare.paper import paper
from irev.evaluation.comparison import contrasts, in_clusters, nonfinite, require_margin_within_range
from irev.evaluation.comparison.contrasts import Compared, Contrast
from irev.evaluation.comparison.systems import systems_of
from irev.evaluation.curves.by_query import of_contrast
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import Note, cluster_notes, not_common_notes
from irev.evaluation.result import Input
from irev.output.figures import Estimate, Estimated, figure_of_estimates
from irev.output.finding import Pictured, ReportedFinding, Shown, fields_of, recorded
from irev.output.report import CONCLUDED, PAPER, RESTS, TABLES, Form, Look, Plain, Sheet, stamped
from irev.output.reports.comparison import (
    ComparisonLayout,
    ComparisonReport,
    by_clusters,
    directed,
    on_unjudged,
    on_unknown,
    widened,
)
from irev.output.styles.latex import PAGE
from irev.statistics.intervals import Interval
from irev.statistics.plan import Plan, plan_alone


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(contrasts.ComparedRuns, Pictured, Shown):
    """A comparison, as `irev.compare` gives it.

    Attributes
    ----------
    policy : str
        Which queries count, in words.
    layout : str
        How it is shown: ``tables``, or ``paper`` for one table with a caption.
    notes : tuple of str
        What makes it doubtful, and which measures and queries are left out; each was a warning too.
    inputs : tuple of Input
        The files.
    per_query : bool
        Whether the difference of every query is shown.
    """

    policy: str = ""
    layout: str = TABLES
    notes: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    per_query: bool = False

    def report(self) -> FullReport:
        return FullReport(self)

    def drawn(self, form: Form) -> bytes:
        """Mean differences with their intervals, and the differences of single queries, sorted."""
        numbers, below, to = [], [], "" if self.baseline is None else f" to {named(self.baseline)}"
        for compared in self.compared:
            title = f"{named(directed(compared.measured.quantity))}, mean difference{to}"
            for contrast in compared.contrasts:
                below.append(of_contrast(compared.measured, contrast, self.plan.confidence))
                if math.isfinite(contrast.difference):
                    ends = contrast.interval and (contrast.interval.low, contrast.interval.high)
                    interval = ends if ends and all(map(math.isfinite, ends)) else None
                    name = named(contrast.run) if to else f"{named(contrast.run)} − {named(contrast.baseline)}"
                    name += f" {RESTS}" if contrast.rests_on_unjudged else ""
                    value = Estimate("", contrast.difference, interval)
                    numbers.append(Estimated(title, name, (value,), True, self.plan.margin))
        confidence = percent(self.plan.confidence)
        caption = f"Means with {confidence} intervals ({widened(self)}). Queries: {self.policy}."
        unjudged = on_unjudged(ComparisonLayout(self, Look("standard")), self.compared, "", shares=True)
        return figure_of_estimates(numbers, form, " ".join([caption, *unjudged, *on_unknown(self)]), below)

    def __repr__(self) -> str:
        held = f"against {named(self.baseline)}" if self.baseline is not None else "all pairs"
        first = [
            f"{named(contrast.run)} {contrast.difference:+.4f} ({contrast.finding})"
            for compared in self.compared[:1]
            for contrast in compared.contrasts[:3]
        ]
        measure = self.compared[0].measured.quantity.standard
        more = ", …" if len(self.compared) > 1 or len(self.compared[0].contrasts) > len(first) else ""
        return f"<Comparison of {len(self.runs)} runs, {held}: {measure}: {', '.join(first)}{more}>"


class FullReport(ComparisonReport, ReportedFinding):
    """A comparison with all that is known of it."""

    def __init__(self, found: Comparison) -> None:
        super().__init__(found, found.policy, found.notes)
        self.found, self.per_query, self.bare = found, found.per_query, found.layout == PAPER

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.bare:
            return iter([paper(self.laid, self.policy, self.remarks)])
        return super().sheets

    @property
    def notes(self) -> Iterator[str]:
        if self.bare:
            return
        yield from super().notes
        if self.look.width is not None:
            yield f"JSON also has effects, wins and losses, queries needed, and methods. {CONCLUDED}"

    @property
    def columns(self) -> tuple[str, ...]:
        plan = self.comparison.plan
        return (
            *("measure", "baseline", "run", "query", "queries", "baseline_mean", "mean", "difference", "relative"),
            *("low", "high", "wins", "ties", "losses"),
            *("effect", "effect_low", "effect_high", "common_language", "improved"),
            *(f"{of}_{test}" for test in plan.tests for of in ("statistic", "p", "adjusted")),
            *(("p_not_worse", "p_equivalent") if plan.margin is not None else ()),
            *("needed", "needed_low", "needed_high", "finding"),
            *(("clusters", "design_effect") if by_clusters(self.comparison) else ()),
            *("baseline_judged", "judged", "condensed_difference", "condensed_p", "condensed_finding"),
        )

    @property
    def exact(self) -> frozenset[str]:
        return frozenset(column for column in self.columns if column.startswith(("p_", "adjusted_", "condensed_p")))

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        """A row for each contrast, the query ``all``; and one for each query where these are wanted."""
        laid, width = self.laid, len(self.columns)
        for compared in laid.comparison.compared:
            for contrast in compared.contrasts:
                about: list[Plain] = [laid.name(compared), contrast.baseline, contrast.run]
                if laid.per_query:
                    for query, before, after, difference in _by_query(laid.comparison, compared, contrast):
                        row = [*about, decoded(disambiguate(query)), 1, before, after, difference]
                        yield (*row, *[None] * (width - len(row)))
                yield (*about, "all", *_numbers(laid.plan, compared, contrast))

    @property
    def record(self) -> dict[str, Any]:
        comparison = self.comparison
        return {
            **stamped("irev comparison"),
            "policy": self.policy,
            "notes": list(self.remarks),
            "runs": list(comparison.runs),
            "baseline": comparison.baseline,
            "plan": _planned(comparison),
            "inputs": [file.recorded() for file in self.found.inputs],
            "measures": [_measure(self.laid, compared) for compared in comparison.compared],
        }


def _numbers(plan: Plan, compared: Compared, contrast: Contrast) -> Iterator[Plain]:
    effect, span = contrast.effect, contrast.interval
    yield from (len(compared.measured.queries), contrast.baseline_mean, contrast.mean, contrast.difference)
    yield contrast.relative
    yield from span or (None, None)
    yield from (contrast.wins, contrast.ties, contrast.losses)
    yield effect.standardised
    yield from effect.interval or (None, None)
    yield from (effect.common_language, effect.improved)
    for tested, adjusted in zip(contrast.tests, contrast.adjusted, strict=True):
        yield from (tested.statistic, tested.p, adjusted)
    if plan.margin is not None:
        equivalent = contrast.equivalent
        yield from (None, None) if equivalent is None else (equivalent.p_not_worse, equivalent.p)
    yield from (contrast.needed, *(contrast.needed_span or (None, None)), contrast.finding)
    if compared.measured.clusters is not None:
        yield from (compared.measured.clusters, contrast.design_effect)
    other = contrast.unjudged
    if other is None:
        yield from [None] * 5
    else:
        yield from (other.baseline_judged, other.judged, other.difference, other.p, other.finding)


def _measure(laid: ComparisonLayout, compared: Compared) -> dict[str, Any]:
    anova = compared.anova
    return {
        **fields_of(compared.measured.quantity, "label", "standard", "better"),
        "queries": len(compared.measured.queries),
        "judged_unknown": compared.measured.unknown or None,
        **_clusters(compared, clusters=compared.measured.clusters),
        "nonfinite": [decoded(query) for query in nonfinite(compared.measured)],
        **fields_of(compared, "family", "drawn"),
        "means": {
            run: {"mean": plain(mean), **_span(span)}
            for run, mean, span in zip(laid.comparison.runs, compared.means, compared.intervals, strict=True)
        },
        "anova": {
            **{
                kind: {of: recorded(getattr(anova, f"{short}_{of}")) for of in ("runs", "queries", "residual")}
                for kind, short in (("sums_of_squares", "ss"), ("degrees_of_freedom", "df"), ("shares", "share"))
            },
            "residual_variance": plain(anova.ms_residual),
            **fields_of(anova, "f", "epsilon", "p", "note"),
        },
        "contrasts": [_contrast(laid, compared, contrast) for contrast in compared.contrasts],
    }


def _clusters(compared: Compared, **known: Plain) -> dict[str, Plain]:
    """Return the fields of a record about clusters, if queries have clusters."""
    return known if compared.measured.clusters is not None else {}


def _contrast(laid: ComparisonLayout, compared: Compared, contrast: Contrast) -> dict[str, Any]:
    made: dict[str, Any] = {
        **fields_of(contrast, "baseline", "run", "baseline_mean", "mean", "difference", "relative"),
        "interval": None if contrast.interval is None else _span(contrast.interval),
        **fields_of(contrast, "wins", "ties", "losses"),
        "effect": {
            **recorded(contrast.effect),
            "interval": None if contrast.effect.interval is None else _span(contrast.effect.interval),
        },
        "tests": [
            {
                "test": name,
                **fields_of(tested, "statistic", "p"),
                "adjusted": plain(adjusted),
                "least": plain(least),
                **fields_of(tested, "method", "note"),
            }
            for name, tested, adjusted, least in zip(
                laid.plan.tests, contrast.tests, contrast.adjusted, contrast.least, strict=True
            )
        ],
        "equivalence": recorded(contrast.equivalent),
        "needed": contrast.needed,
        "needed_interval": None
        if contrast.needed_span is None
        else {"low": contrast.needed_span.least, "high": contrast.needed_span.most},
        "finding": contrast.finding,
        **_clusters(compared, design_effect=plain(contrast.design_effect)),
        **fields_of(contrast, "rests_on_unjudged"),
        "unjudged": None if contrast.unjudged is None else _without_unjudged(contrast.unjudged),
    }
    if laid.per_query:
        made["per_query"] = {
            decoded(query): {
                "baseline": plain(before),
                "run": plain(after),
                "difference": plain(difference),
            }
            for query, before, after, difference in _by_query(laid.comparison, compared, contrast)
        }
    return made


def _without_unjudged(found: contrasts.Unjudged) -> dict[str, Any]:
    return {
        **fields_of(found, "depth", "baseline_judged", "judged", "difference"),
        "interval": None if found.interval is None else _span(found.interval),
        **fields_of(found, "p", "finding"),
        "bounds": None if found.bounds is None else _span(found.bounds),
    }


def _by_query(
    comparison: contrasts.ComparedRuns, compared: Compared, contrast: Contrast
) -> Iterator[tuple[bytes, float, float, float]]:
    """Every query with the value of the baseline, that of the run, and their difference."""
    base, run = comparison.runs.index(contrast.baseline), comparison.runs.index(contrast.run)
    values = compared.measured.values
    return zip(
        compared.measured.queries,
        values[:, base].tolist(),
        values[:, run].tolist(),
        contrast.differences.tolist(),
        strict=True,
    )


def _span(span: Interval | None) -> dict[str, Any]:
    return {"low": None, "high": None} if span is None else {"low": plain(span.low), "high": plain(span.high)}


def _planned(comparison: contrasts.ComparedRuns) -> dict[str, Any]:
    """What the record has of the choices that were made."""
    plan = comparison.plan
    return {
        **fields_of(plan, "tests", "alternative", "samples", "seed", "interval", "confidence"),
        "correction": comparison.correction,
        **fields_of(plan, "family", "alpha", "margin"),
        "power": contrasts.POWER,
    }


def answer(inputs: Inputs, choices: CompareChoices) -> Comparison:
    """Every run against the baseline, or all against each other, by every measure."""
    plan = plan_alone(choices)
    contrasts.require_suitable(plan, choices.all_pairs)
    found = systems_of(inputs, choices.unjudged)
    require_margin_within_range(found.aligned, choices.margin)
    aligned = in_clusters(found.aligned, choices.clusters)
    inputs.say([*cluster_notes(aligned.measured[0].queries, aligned.measured[0].cluster)])
    first, runs = choices.first(aligned.runs, found.files), len(aligned.runs)
    with inputs.working(f"comparing {counted(runs, 'run')}"):
        compared = contrasts.compare(aligned, first, plan)
    if choices.layout == PAPER and runs > PAGE:
        inputs.say([Note("", f"a table of {runs:,} runs does not fit on a page at a readable size", "")])
    return Comparison(
        **vars(compared),
        policy=found.policy,
        layout=choices.layout,
        notes=(*found.notes, *(note.said for note in not_common_notes(aligned.left_out))),
        inputs=found.inputs,
        per_query=choices.per_query,
    )
