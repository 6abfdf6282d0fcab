"""The rows of a comparison's tables: everything known of a contrast, by heading; and every query of one."""

from __future__ import annotations

from collections.abc import Iterator

from irev.base.errors import printable
from irev.base.text import MISSING, disambiguate, interval, named, p_value, percent, percentage, real, signed
from irev.evaluation.comparison.contrasts import Compared, Contrast
from irev.output.report import Cell, Sheet, Texts, needed_between, table
from irev.output.reports.comparison.words import ComparisonLayout, tone_of
from irev.statistics.paired import TestResult
from irev.statistics.rounding import tied

WINS = "W/T/L"
MEANS_SPAN, EFFECTS_SPAN = "mean's {}", "effect's {}"


def contrast_rows(laid: ComparisonLayout, compared: Compared) -> Iterator[Texts]:
    """The baseline, if there is one, and every contrast of a measure."""
    means = dict(zip(laid.comparison.runs, compared.means, strict=True))
    spans = {
        run: interval(span, laid.digits, sign=False)
        for run, span in zip(laid.comparison.runs, compared.intervals, strict=True)
    }
    baseline = laid.comparison.baseline
    if baseline is not None:
        yield {
            "run": named(baseline),
            "mean": real(means[baseline], laid.digits),
            "difference": "baseline",
            MEANS_SPAN.format(laid.span): spans[baseline],
        }
    for contrast in compared.contrasts:
        yield {**_texts(laid, contrast), MEANS_SPAN.format(laid.span): spans[contrast.run]}


def _texts(laid: ComparisonLayout, contrast: Contrast) -> dict[str, Cell | str]:
    tone, effect = tone_of(contrast), contrast.effect
    span = "" if contrast.needed_span is None else needed_between(contrast.needed_span)
    return {
        "run": named(contrast.run),
        "against": named(contrast.baseline),
        "mean": real(contrast.mean, laid.digits),
        "difference": Cell(signed(contrast.difference, laid.digits), tone=tone),
        laid.span_of_difference: interval(contrast.interval, laid.digits),
        "effect": signed(effect.standardised, 2),
        **p_texts(laid, contrast.tests[0], contrast.adjusted[0]),
        "finding": Cell(contrast.finding, tone=tone),
        EFFECTS_SPAN.format(laid.span): interval(effect.interval, 2),
        **dict.fromkeys(("wins/ties/losses", WINS), f"{contrast.wins}/{contrast.ties}/{contrast.losses}"),
        "better": _share(effect.improved),
        "CLE": _share(effect.common_language),
        "relative": percentage(contrast.relative),
        needed(laid): f"{MISSING if contrast.needed is None else f'{contrast.needed:,}'} {span}".rstrip(),
    }


def needed(laid: ComparisonLayout) -> str:
    """What stands above how many queries it would take."""
    return f"n for {percent(laid.comparison.power)} power"


def p_headings(laid: ComparisonLayout) -> list[str]:
    """What stands above p-values: as they are, and corrected, the last of which has the star."""
    correction = laid.comparison.correction
    return ["p"] if correction == "none" else ["p", f"p {correction}"]


def p_texts(laid: ComparisonLayout, tested: TestResult, adjusted: float | None) -> dict[str, Cell | str]:
    """The p-values of a test under these headings."""
    *plain, corrected = p_headings(laid)
    star = Cell(p_value(adjusted), significant=laid.significant(adjusted))
    return {**dict.fromkeys(plain, p_value(tested.p)), corrected: star}


def _share(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.0f}%"


def queries(laid: ComparisonLayout, compared: Compared, contrast: Contrast) -> Sheet:
    """Every query with both values, their difference and which run won, the run's greatest losses first."""
    lower = compared.measured.quantity.better == "lower"
    gains = -contrast.differences if lower else contrast.differences
    places = gains.argsort(kind="stable")
    ties = tied(gains, laid.plan.tie_tolerance)
    winners = [
        "tie" if tie else named(contrast.run if gain > 0 else contrast.baseline) if gain == gain else MISSING
        for tie, gain in zip(ties.tolist(), gains.tolist(), strict=True)
    ]
    runs = laid.comparison.runs
    base, run = runs.index(contrast.baseline), runs.index(contrast.run)
    values = compared.measured.values
    rows = tuple(
        (
            Cell(printable(disambiguate(compared.measured.queries[i]))),
            Cell(real(float(values[i, base]), laid.digits)),
            Cell(real(float(values[i, run]), laid.digits)),
            Cell(signed(float(contrast.differences[i]), laid.digits)),
            Cell(winners[i]),
        )
        for i in places.tolist()
    )
    # Two runs may be called as the other columns are, so that this is no table by heading.
    header = ("query", named(contrast.baseline), named(contrast.run), "difference", "winner")
    title = f"{laid.name(compared)}, {named(contrast.run)} minus {named(contrast.baseline)}"
    return Sheet(title, header, 1, frozenset({0, 4}), (rows,), ())


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
