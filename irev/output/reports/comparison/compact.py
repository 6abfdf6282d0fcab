"""The tables of a comparison that most people need: for each measure one, and a few sentences below all of them.

All pairs of a few runs are listed below the means. Of many runs there is a matrix instead, of which the rows are the
runs in the order of their means, and the signs in a row what the run is shown to be against the runs in that order.

What other layouts have too is below: rows with everything known of a contrast, by heading, and tables of queries,
means and tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from irev.base.errors import decimal, printable
from irev.base.text import MISSING, counted, disambiguate, interval, named, p_value, percent, percentage, real, signed
from irev.evaluation.comparison.contrasts import (
    BETTER,
    EQUIVALENT,
    FINDINGS,
    NO_WORSE,
    NOT_SHOWN,
    UNKNOWN,
    WORSE,
    Compared,
    Comparison,
    Contrast,
    compare,
)
from irev.evaluation.comparison.systems import aligned_outcomes
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.output.report import CODE, Cell, Look, Report, Sheet, Texts, needed_between, table
from irev.output.reports.comparison.words import (
    ComparisonLayout,
    beside_the_mean,
    cautions,
    doubts,
    meanings,
    spans,
    starred,
    tested,
    tone_of,
)
from irev.output.reports.grid import AgainstBest
from irev.statistics.paired import TestResult
from irev.statistics.plan import Plan
from irev.statistics.rounding import tied

SIGN = "sign"
MOST_PAIRS = 10
"""So many pairs are listed, which five runs have."""

SIGNS = {BETTER: "+", WORSE: "-", EQUIVALENT: "=", NO_WORSE: "~", NOT_SHOWN: ".", UNKNOWN: "?"}
ITSELF = "\\"
_TURNED = {BETTER: WORSE, WORSE: BETTER, EQUIVALENT: EQUIVALENT, UNKNOWN: UNKNOWN}
"""What the baseline is against the run. That one is no worse says nothing of the other."""

_TOGETHER = 10
"""So many signs of the matrix stand in a column."""


def sheets(laid: ComparisonLayout) -> Iterator[Sheet]:
    """The tables, with those of tests and queries where several tests and single queries are asked for."""
    matrices = laid.pairs and len(laid.comparison.compared[0].contrasts) > MOST_PAIRS
    if laid.pairs and not matrices:
        yield means(laid)
    for compared in laid.comparison.compared:
        yield matrix(laid, compared) if matrices else _contrasts(laid, compared)
        if len(laid.plan.tests) > 1 and not matrices:
            yield tests(laid, compared)
        if laid.per_query:
            yield from (queries(laid, compared, contrast) for contrast in compared.contrasts)


def _contrasts(laid: ComparisonLayout, compared: Compared) -> Sheet:
    labels = ["run", "against"] if laid.pairs else ["run"]
    wins = [WINS] if SIGN in laid.plan.tests else []  # which that test counts
    header = [*([] if laid.pairs else ["mean"]), "difference", laid.span_of_difference, *wins]
    header += [p_headings(laid)[-1], "finding"]
    made = table(laid.about(compared), labels, header, contrast_rows(laid, compared), [*labels, "finding"])
    return replace(made, names=frozenset(range(len(labels))))


def matrix(laid: ComparisonLayout, compared: Compared) -> Sheet:
    """The findings of all pairs, a sign for each, of runs in the order of their means, best first."""
    runs = laid.comparison.runs
    sign = 1 if compared.measured.quantity.better == "lower" else -1
    # What is not a number stands last.
    order = sorted(range(len(runs)), key=lambda i: (compared.means[i] != compared.means[i], sign * compared.means[i]))
    found = {}
    for contrast in compared.contrasts:
        found[contrast.run, contrast.baseline] = contrast.finding
        found[contrast.baseline, contrast.run] = _TURNED.get(contrast.finding, NOT_SHOWN)
    parts = [order[begin : begin + _TOGETHER] for begin in range(0, len(order), _TOGETHER)]
    headings = [_from_to(part * _TOGETHER + 1, part * _TOGETHER + len(of)) for part, of in enumerate(parts)]
    rows: list[Texts] = [
        {
            "#": f"{place:,}",
            "run": named(runs[run]),
            "mean": real(compared.means[run], laid.digits),
            **{
                heading: Cell(
                    "".join(ITSELF if run == other else SIGNS[found[runs[run], runs[other]]] for other in part),
                    tone=CODE,
                )
                for heading, part in zip(headings, parts, strict=True)
            },
        }
        for place, run in enumerate(order, 1)
    ]
    pairs = len(compared.contrasts)
    differing = sum(contrast.finding in (BETTER, WORSE) for contrast in compared.contrasts)
    title = f"{laid.about(compared)}: {counted(pairs, 'pair')} of runs, of which {differing:,} differ"
    made = table(title, ["#", "run"], ["mean", *headings], rows, ["run", *headings])
    return replace(made, names=frozenset({1}))


def _from_to(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}–{last}"


def notes(laid: ComparisonLayout, policy: str, remarks: Sequence[str], more: str | None) -> Iterator[str]:
    """What has to be known to read them: in five sentences at most, the last of which says with what there is more.

    Without that, as in a document, whose readers type no command, all remarks stand there.
    """
    compared = laid.comparison.compared
    yield starred(laid)
    read = [f"{finding}: {meaning}" for finding, meaning in meanings(laid).items()]
    if meanings(laid).get(NOT_SHOWN) == FINDINGS[NOT_SHOWN]:
        read[0] = f"{NOT_SHOWN} does not mean equal"
    if laid.pairs and len(compared[0].contrasts) > MOST_PAIRS:
        found = {contrast.finding for each in compared for contrast in each.contrasts}
        found |= {_TURNED.get(finding, NOT_SHOWN) for finding in found}
        signs = ", ".join(f"{sign} {finding}" for finding, sign in SIGNS.items() if finding in found)
        how = f"Signs compare the run of a row with the run of a column: {signs}"
    else:
        how = f"Interval: {spans(laid)}"
        read += [f"{WINS}: queries that the run won, tied and lost"] * (SIGN in laid.plan.tests)
    yield "; ".join([how, *read]) + "."
    odd = [*beside_the_mean(laid, compared)]
    odd += [
        f"{laid.name(each)}: {doubt}" if len(compared) > 1 else doubt
        for each in compared
        for doubt in doubts(laid, each)
    ]
    odd += cautions(laid)
    yield from odd if more is None else odd[:1]
    yield " ".join(f"{remark[0].upper()}{remark[1:]}." for remark in (f"queries: {policy}", *remarks))
    if more is not None:
        hidden = f"{counted(len(odd) - 1, 'more remark')}, " if len(odd) > 1 else ""
        yield f"{more} shows {hidden}effects, wins and losses, queries needed, and methods."


class ComparisonReport(Report):
    """A comparison, as it stands in a document; `policy` is which queries count, in words."""

    per_query = False
    more: str | None = None
    """With what those who look at it see all that was found; nothing in a document."""

    def __init__(self, comparison: Comparison, policy: str, remarks: Sequence[str] = ()) -> None:
        self.comparison, self.policy, self.remarks = comparison, policy, remarks

    @property
    def laid(self) -> ComparisonLayout:
        """The comparison with the look that is asked for."""
        return ComparisonLayout(self.comparison, self.look, self.per_query)

    @property
    def title(self) -> str:
        return "Comparison of " + counted(len(self.comparison.runs), "run")

    @property
    def sheets(self) -> Iterator[Sheet]:
        return sheets(self.laid)

    @property
    def notes(self) -> Iterator[str]:
        return notes(self.laid, self.policy, self.remarks, self.more)


BEST = "best"
_PLAN = Plan()
"""What a comparison is made by unless asked otherwise: of the same runs both are to find the same."""


def against_best(outcomes: Sequence[Outcome], request: Request, best: Outcome, policy: str) -> AgainstBest:
    """Hold all runs against the best; `policy` is which queries count, in words: all runs have values of the same."""
    return found_against_best(
        compare(aligned_outcomes(outcomes, [request.base], both=True), None, _PLAN), request, best, policy
    )


def found_against_best(comparison: Comparison, request: Request, best: Outcome, policy: str) -> AgainstBest:
    """The same of a comparison of all pairs, or with the best, under one measure."""
    (compared,) = comparison.compared
    findings = {best.run: Cell(BEST)}
    for contrast in compared.contrasts:
        if contrast.run == best.run:
            findings[contrast.baseline] = _cell(_TURNED.get(contrast.finding, contrast.finding))
        elif contrast.baseline == best.run:
            findings[contrast.run] = _cell(contrast.finding)
    laid = ComparisonLayout(comparison, Look())
    queries = counted(len(compared.measured.queries), "query", "queries")
    how = tested(laid, alone=False)
    return AgainstBest(
        findings,
        f"vs best: whether the difference from the best {request.base.standard} is significant, p ≤"
        f" {decimal(_PLAN.alpha)}, on {queries} ({policy}): {how}; {NOT_SHOWN} does not mean equal",
    )


def _cell(finding: str) -> Cell:
    return Cell(finding, tone="bad" if finding == WORSE else "quiet")


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
