"""What programs get of a comparison: rows of numbers, and a record of everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from irev.analysis.comparison.alignment import nonfinite
from irev.analysis.comparison.contrasts import Compared, Comparison, Contrast
from irev.base.text import decoded, disambiguate, plain
from irev.output.report import Plain
from irev.output.reports.comparison.words import ComparisonLayout
from irev.statistics.intervals import Interval
from irev.statistics.paired import TestResult
from irev.statistics.plan import Plan


def columns(plan: Plan) -> tuple[str, ...]:
    """The names of the columns of `rows`."""
    return (
        *("measure", "baseline", "run", "query", "queries", "baseline_mean", "mean", "difference", "relative"),
        *("low", "high", "wins", "ties", "losses"),
        *("effect", "effect_low", "effect_high", "common_language", "improved"),
        *(f"{of}_{test}" for test in plan.tests for of in ("statistic", "p", "adjusted")),
        *(("p_not_worse", "p_equivalent") if plan.margin is not None else ()),
        *("needed", "needed_low", "needed_high", "finding"),
    )


def rows(laid: ComparisonLayout) -> Iterator[tuple[Plain, ...]]:
    """A row for each contrast, the query ``all``; and one for each query where these are wanted."""
    width = len(columns(laid.plan))
    for compared in laid.comparison.compared:
        for contrast in compared.contrasts:
            about: list[Plain] = [laid.name(compared), contrast.baseline, contrast.run]
            if laid.per_query:
                for query, before, after, difference in _by_query(laid.comparison, compared, contrast):
                    row = [*about, decoded(disambiguate(query)), 1, before, after, difference]
                    yield (*row, *[None] * (width - len(row)))
            yield (*about, "all", *_numbers(laid.plan, compared, contrast))


def _numbers(plan: Plan, compared: Compared, contrast: Contrast) -> Iterator[Plain]:
    effect, span = contrast.effect, contrast.interval
    yield from (len(compared.measured.queries), contrast.baseline_mean, contrast.mean, contrast.difference)
    yield contrast.relative
    yield from (None, None) if span is None else span
    yield from (contrast.wins, contrast.ties, contrast.losses)
    yield effect.standardised
    yield from (None, None) if effect.interval is None else effect.interval
    yield from (effect.common_language, effect.improved)
    for tested, adjusted in zip(contrast.tests, contrast.adjusted, strict=True):
        yield from (tested.statistic, tested.p, adjusted)
    if plan.margin is not None:
        equivalent = contrast.equivalent
        yield from (None, None) if equivalent is None else (equivalent.p_not_worse, equivalent.p)
    yield from (contrast.needed, *(contrast.needed_span or (None, None)), contrast.finding)


def measures(laid: ComparisonLayout) -> list[dict[str, Any]]:
    """What the record has of each measure."""
    return [_measure(laid, compared) for compared in laid.comparison.compared]


def _measure(laid: ComparisonLayout, compared: Compared) -> dict[str, Any]:
    quantity, anova = compared.measured.quantity, compared.anova
    made: dict[str, Any] = {
        "label": quantity.label,
        "standard": quantity.standard,
        "better": quantity.better,
        "queries": len(compared.measured.queries),
        "nonfinite": [decoded(query) for query in nonfinite(compared.measured)],
        "family": compared.family,
        "drawn": compared.drawn,
        "means": {
            run: {"mean": plain(mean), **_span(span)}
            for run, mean, span in zip(laid.comparison.runs, compared.means, compared.intervals, strict=True)
        },
        "anova": {
            "sums_of_squares": {
                "runs": plain(anova.ss_runs),
                "queries": plain(anova.ss_queries),
                "residual": plain(anova.ss_residual),
            },
            "degrees_of_freedom": {
                "runs": anova.df_runs,
                "queries": anova.df_queries,
                "residual": anova.df_residual,
            },
            "shares": {
                "runs": plain(anova.share_runs),
                "queries": plain(anova.share_queries),
                "residual": plain(anova.share_residual),
            },
            "residual_variance": plain(anova.ms_residual),
            "f": plain(anova.f),
            "epsilon": plain(anova.epsilon),
            "p": plain(anova.p),
            "note": anova.note,
        },
        "contrasts": [_contrast(laid, compared, contrast) for contrast in compared.contrasts],
    }
    return made


def _contrast(laid: ComparisonLayout, compared: Compared, contrast: Contrast) -> dict[str, Any]:
    equivalent = contrast.equivalent
    made: dict[str, Any] = {
        "baseline": contrast.baseline,
        "run": contrast.run,
        "baseline_mean": plain(contrast.baseline_mean),
        "mean": plain(contrast.mean),
        "difference": plain(contrast.difference),
        "relative": plain(contrast.relative),
        "interval": None if contrast.interval is None else _span(contrast.interval),
        "wins": contrast.wins,
        "ties": contrast.ties,
        "losses": contrast.losses,
        "effect": {
            "standardised": plain(contrast.effect.standardised),
            "interval": None if contrast.effect.interval is None else _span(contrast.effect.interval),
            "common_language": plain(contrast.effect.common_language),
            "improved": plain(contrast.effect.improved),
        },
        "tests": [
            _test(*each)
            for each in zip(laid.plan.tests, contrast.tests, contrast.adjusted, contrast.least, strict=True)
        ],
        "equivalence": None
        if equivalent is None
        else {
            "p_not_worse": plain(equivalent.p_not_worse),
            "p_not_better": plain(equivalent.p_not_better),
            "p": plain(equivalent.p),
            "note": equivalent.note,
        },
        "needed": contrast.needed,
        "needed_interval": None
        if contrast.needed_span is None
        else {"low": contrast.needed_span.least, "high": contrast.needed_span.most},
        "finding": contrast.finding,
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


def _by_query(
    comparison: Comparison, compared: Compared, contrast: Contrast
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


def _test(name: str, tested: TestResult, adjusted: float | None, least: float | None) -> dict[str, Any]:
    return {
        "test": name,
        "statistic": plain(tested.statistic),
        "p": plain(tested.p),
        "adjusted": plain(adjusted),
        "least": plain(least),
        "method": tested.method,
        "note": tested.note,
    }


def planned(comparison: Comparison) -> dict[str, Any]:
    """What the record has of the choices that were made."""
    plan = comparison.plan
    return {
        "tests": list(plan.tests),
        "alternative": plan.alternative,
        "samples": plan.samples,
        "seed": plan.seed,
        "interval": plan.interval,
        "confidence": plan.confidence,
        "simultaneous": plan.simultaneous,
        "correction": comparison.correction,
        "family": plan.family,
        "alpha": plan.alpha,
        "tie_tolerance": plan.tie_tolerance,
        "zeros": plan.zeros,
        "wilcoxon": plan.wilcoxon,
        "margin": plan.margin,
        "power": comparison.power,
    }
