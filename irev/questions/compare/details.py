"""The tables of a comparison with all that was found: effects, outcomes, every test, and sentences on each measure."""

from __future__ import annotations

from collections.abc import Iterator

from irev.base.errors import decimal
from irev.base.text import interval, named, p_value, real
from irev.evaluation.comparison.contrasts import Compared, Contrast
from irev.output.report import Sheet, table
from irev.output.reports.comparison.rows import (
    EFFECTS_SPAN,
    MEANS_SPAN,
    contrast_rows,
    means,
    needed,
    p_headings,
    queries,
    tests,
)
from irev.output.reports.comparison.words import (
    ComparisonLayout,
    beside_the_mean,
    cautions,
    doubts,
    meanings,
    pair_of,
    spans,
    starred,
)

_METHODS = 5
"""So many methods of tests are told apart before the rest is left out."""


def sheets(laid: ComparisonLayout) -> Iterator[Sheet]:
    """The means under several measures; then for each of them everything."""
    if len(laid.comparison.compared) > 1:
        yield means(laid)
    for compared in laid.comparison.compared:
        yield from _of_measure(laid, compared)


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


def legend(laid: ComparisonLayout) -> Iterator[str]:
    """What stars mean, and how everything was computed."""
    plan, single = laid.plan, laid.comparison.correction != "none"
    yield starred(laid)
    one_sided = "" if plan.alternative == "two-sided" else "one-sided "
    scored = "; mean's interval: of values from 0 to 1 by score" if plan.interval == "t" else ""
    noncentral = ", with its interval by the noncentral t" * laid.per_query
    yield (
        f"difference: run minus {'the other run' if laid.pairs else 'baseline'};"
        f" interval: {spans(laid)}{scored}; effect: mean difference over its standard"
        f" deviation (d_z){noncentral}, positive where the run is better; better: share of queries on which the run"
        f" is better;"
        " CLE: the same, with ties counted as half (common-language effect); n: queries"
        f" that {'an uncorrected' if single else 'a'} {one_sided}t-test at level {decimal(plan.alpha)} needs"
        f" to find such a difference, and [ ] the same for the ends of the {laid.span} of the effect (∞: the"
        f" interval contains 0)."
    )
    methods = dict.fromkeys(
        tested.method
        for compared in laid.comparison.compared
        for contrast in compared.contrasts
        for tested in contrast.tests
        if len(plan.tests) == 1 and tested.p is not None and not tested.note
    )
    if methods:
        yield "p: " + "; ".join(list(methods)[:_METHODS]) + ("; …" if len(methods) > _METHODS else "") + "."


def reading(laid: ComparisonLayout) -> Iterator[str]:
    """How findings are to be read."""
    for finding, meaning in meanings(laid).items():
        yield f"{finding}: {meaning}."
    yield from cautions(laid)


def of_variance(compared: Compared) -> Iterator[str]:
    """Whose the variance is, and whether any run differs."""
    anova = compared.anova
    if len(compared.measured.queries) < 2:
        return
    if anova.share_queries is not None and anova.share_runs is not None and anova.share_residual is not None:
        shares = (
            f"Of the variance {100 * anova.share_queries:.0f}% is between queries, "
            f"{100 * anova.share_runs:.0f}% between runs, {100 * anova.share_residual:.0f}% is left"
        )
        if anova.p is not None and anova.f is not None:
            f = f"F({anova.df_runs}, {anova.df_residual}) = {anova.f:.2f}"
            how = "two-way ANOVA"
            if anova.epsilon is not None and anova.df_runs > 1:
                f += f", ε = {anova.epsilon:.2f}"
                how += ", Greenhouse-Geisser"
            shares += f"; whether any run differs: {f}, {_p_in_words(anova.p)} ({how})"
        yield shares + "."


def equivalence(laid: ComparisonLayout, contrast: Contrast) -> str:
    """Whether two runs are the same within the margin."""
    margin = f"{decimal(laid.plan.margin or 0.0)}"
    pair = pair_of(contrast)
    found = contrast.equivalent
    if found is None or found.p is None or found.p_not_worse is None:
        return f"{pair}: it cannot be decided whether they are the same within {margin}" + (
            f": {found.note}." if found is not None and found.note else "."
        )
    if found.p <= laid.plan.alpha:
        return f"{pair}: the same within {margin} ({_p_in_words(found.p)}, two one-sided t-tests)."
    if found.p_not_worse <= laid.plan.alpha:
        return f"{pair}: not worse by {margin} or more ({_p_in_words(found.p_not_worse)}, one-sided t-test)."
    same, worse = f"the same within {margin} ({_p_in_words(found.p)})", _p_in_words(found.p_not_worse)
    return f"{pair}: it is not shown that they are {same}, nor that the run is not worse by that ({worse})."


def _p_in_words(p: float) -> str:
    return f"p {p_value(p)}".replace("p <", "p < ") if p < 0.0001 else f"p = {p_value(p)}"
