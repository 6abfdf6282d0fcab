"""The tables of a comparison with all that was found: effects, outcomes, every test, and sentences on each measure."""

from __future__ import annotations

from collections.abc import Iterator

from irev.analysis.comparison.contrasts import Compared
from irev.base.text import interval, named, real
from irev.output.report import Cell, Sheet
from irev.output.reports.comparison.rows import (
    EFFECTS_SPAN,
    MEANS_SPAN,
    contrast_rows,
    needed,
    p_headings,
    p_texts,
    queries,
)
from irev.output.reports.comparison.words import ComparisonLayout, beside_the_mean, doubts, equivalence, of_variance
from irev.output.reports.tables import table


def sheets(laid: ComparisonLayout) -> Iterator[Sheet]:
    """The means under several measures; then for each of them everything."""
    if len(laid.comparison.compared) > 1:
        yield means(laid)
    for compared in laid.comparison.compared:
        yield from _of_measure(laid, compared)


def means(laid: ComparisonLayout) -> Sheet:
    """The means of all runs under all measures, with a star where one differs significantly from the baseline."""
    compared, baseline = laid.comparison.compared, laid.comparison.baseline
    differing = {
        (place, contrast.run)
        for place, each in enumerate(compared)
        for contrast in each.contrasts
        if baseline is not None and laid.significant(contrast.adjusted[0])
    }
    rows = tuple(
        (
            Cell(named(run)),
            *(
                Cell(real(each.means[number], laid.digits), significant=(place, run) in differing)
                for place, each in enumerate(compared)
            ),
        )
        for number, run in enumerate(laid.comparison.runs)
    )
    # A measure of saved results may be called as a heading is, so that this is no table by heading.
    header = ("run", *(laid.name(each) for each in compared))
    title = "Means" if baseline is None else f"Means, against {named(baseline)}"
    return Sheet(title, header, 1, frozenset({0}), (rows,))


def _of_measure(laid: ComparisonLayout, compared: Compared) -> Iterator[Sheet]:
    """The runs with their contrasts; where all pairs are compared, runs and pairs apart; then tests and queries."""
    title = laid.about(compared)
    if laid.pairs:
        yield _runs(laid, compared, title)
        title = f"{laid.name(compared)}, all pairs"
    yield _contrasts(laid, compared, title)
    if len(laid.plan.tests) > 1:
        yield tests(laid, compared)
    if laid.per_query:
        yield from (queries(laid, compared, contrast) for contrast in compared.contrasts)


def _runs(laid: ComparisonLayout, compared: Compared, title: str) -> Sheet:
    found = zip(laid.comparison.runs, compared.means, compared.intervals, strict=True)
    rows = (
        {"run": named(run), "mean": real(mean, laid.digits), laid.span: interval(span, laid.digits, sign=False)}
        for run, mean, span in found
    )
    return table(title, ["run"], ["mean", laid.span], rows)


def _contrasts(laid: ComparisonLayout, compared: Compared, title: str) -> Sheet:
    labels = ["run", "against"] if laid.pairs else ["run"]
    header = [
        *("mean", "difference", laid.span_of_difference, "effect", *p_headings(laid), "finding"),
        *([] if laid.pairs else [MEANS_SPAN.format(laid.span)]),
        *([EFFECTS_SPAN.format(laid.span)] if laid.per_query else []),
        *("wins/ties/losses", "better", "CLE", "relative", needed(laid)),
    ]
    notes = [*beside_the_mean(laid, [compared]), *doubts(laid, compared)]
    notes += [equivalence(laid, contrast) for contrast in compared.contrasts if contrast.equivalent is not None]
    notes += of_variance(compared)
    return table(title, labels, header, contrast_rows(laid, compared), [*labels, "finding"], notes)


def tests(laid: ComparisonLayout, compared: Compared) -> Sheet:
    """Every test of every contrast, where there are several."""
    labels = ["run", *(["against"] if laid.pairs else []), "test"]
    rows = (
        {
            "run": named(contrast.run),
            "against": named(contrast.baseline),
            "test": test,
            "statistic": real(tested.statistic, laid.digits),
            **p_texts(laid, tested, adjusted),
            "how": tested.method,
        }
        for contrast in compared.contrasts
        for test, tested, adjusted in zip(laid.plan.tests, contrast.tests, contrast.adjusted, strict=True)
    )
    header = ["statistic", *p_headings(laid), "how"]
    return table(f"{laid.name(compared)}, tests", labels, header, rows, [*labels, "how"])
