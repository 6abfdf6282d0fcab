"""The sentences of a comparison: what stars mean, how everything was computed, how findings are to be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irev.base.errors import decimal, shown
from irev.base.records import dataclass
from irev.base.text import and_more, counted, named, p_value, percent
from irev.evaluation.comparison import Quantity, nonfinite
from irev.evaluation.comparison.contrasts import (
    BETTER,
    EQUIVALENT,
    FINDINGS,
    MANY,
    NO_WORSE,
    NOT_SHOWN,
    WORSE,
    Compared,
    Comparison,
    Contrast,
)
from irev.measures import Request
from irev.output.report import MARK, Look
from irev.statistics.corrections import CORRECTIONS
from irev.statistics.effects import queries_wanted
from irev.statistics.intervals import INTERVALS
from irev.statistics.paired import TESTS
from irev.statistics.plan import MAX_T, OF_MEANS, TUKEY, Plan

_LISTED = 5
"""How many queries a sentence names before it only counts."""


@dataclass(frozen=True)
class ComparisonLayout:
    """A comparison, and how it is to look; `per_query` says whether the difference of every query is wanted."""

    comparison: Comparison
    look: Look
    per_query: bool = False

    @property
    def plan(self) -> Plan:
        return self.comparison.plan

    @property
    def digits(self) -> int:
        return self.look.digits

    @property
    def pairs(self) -> bool:
        """Whether all runs are compared with each other."""
        return self.comparison.baseline is None

    @property
    def span(self) -> str:
        """What an interval is called."""
        return f"{percent(self.plan.confidence)} interval"

    @property
    def span_of_difference(self) -> str:
        """What the interval of a difference is called."""
        return "simultaneous " * self.plan.simultaneous + self.span

    def name(self, compared: Compared) -> str:
        """What a measure is called."""
        quantity = compared.measured.quantity
        return quantity.standard if self.look.names == "standard" else quantity.label

    def about(self, compared: Compared) -> str:
        """A measure, how many queries there are, and whether lower is better."""
        title = f"{self.name(compared)}, {counted(len(compared.measured.queries), 'query', 'queries')}"
        return title + (", lower is better" if compared.measured.quantity.better == "lower" else "")

    def significant(self, adjusted: float | None) -> bool:
        """Whether a corrected p-value is small enough."""
        return adjusted is not None and adjusted <= self.plan.alpha


def directed(quantity: Quantity | Request) -> str:
    """A measure by the name of papers, and whether lower is better."""
    return quantity.standard + (" (lower is better)" if quantity.better == "lower" else "")


def pair_of(contrast: Contrast) -> str:
    """What is compared with what."""
    return f"{named(contrast.run)} against {named(contrast.baseline)}"


def tone_of(contrast: Contrast) -> str:
    """The tone of a finding."""
    return {BETTER: "good", WORSE: "bad", NOT_SHOWN: "quiet"}.get(contrast.finding, "")


def kind_of_interval(comparison: Comparison) -> str:
    """How the intervals of differences were made."""
    plan, title = comparison.plan, INTERVALS[comparison.plan.interval].title
    if not plan.simultaneous:
        return title
    joint = comparison.correction == MAX_T and plan.interval == "t"
    return f"{title}, simultaneous by {'the maximum-t method' if joint else 'Bonferroni correction'}"


def tested(laid: ComparisonLayout, *, alone: bool) -> str:
    """The test, its sides and its correction; what is corrected together, and what was drawn for it.

    Of several tests it names the one that findings are of; `alone` says whether nothing is shown of the others.
    """
    plan, comparison = laid.plan, laid.comparison
    correction = comparison.correction
    sides = plan.alternative if plan.alternative == "two-sided" else f"one-sided ({plan.alternative})"
    tests = TESTS[plan.tests[0]].title
    if len(plan.tests) > 1 and not alone:
        tests = f"each test; the {tests} decides"
    corrected = _family(laid, alone)
    if not corrected:
        tests = "Tukey's test by randomisation" if correction == TUKEY else tests
        return f"{tests}, {sides}, without p-values"
    drawn = _drawn(laid)
    if correction == TUKEY:
        return f"Tukey's test by randomisation, over all {corrected}, {drawn}"
    if correction == MAX_T:
        return f"{tests}, {sides}, the maximum-t method over {corrected}" + (f", {drawn}" if drawn else "")
    if correction == "none":
        return f"{tests}, {sides}, {corrected}, uncorrected"
    return f"{tests}, {sides}, {CORRECTIONS[correction].title} over {corrected}"


def _drawn(laid: ComparisonLayout) -> str:
    """What was drawn for a correction; where measures differ in it, by measure."""
    measures: dict[str, list[str]] = {}
    for compared in laid.comparison.compared:
        if compared.drawn:
            measures.setdefault(compared.drawn, []).append(laid.name(compared))
    if len(measures) < 2:
        return "".join(measures)
    return "; ".join(f"{', '.join(names)}: {drawn}" for drawn, names in measures.items())


def is_tested(laid: ComparisonLayout) -> bool:
    """Whether the test that decides has any p-value."""
    return bool(_family(laid, alone=True))


def starred(laid: ComparisonLayout) -> str:
    """What a star means."""
    return f"{MARK} p ≤ {decimal(laid.plan.alpha)}: {tested(laid, alone=False)}."


def spans(laid: ComparisonLayout) -> str:
    """How the intervals of differences were made, and whether they are corrected."""
    plan = laid.plan
    drawn = "" if plan.interval == "t" else f" ({plan.samples:,} samples, seed {plan.seed})"
    drawn += ", two-sided" * (plan.alternative != "two-sided")
    corrected = laid.comparison.correction != "none"
    return kind_of_interval(laid.comparison) + drawn + ", uncorrected" * (corrected and not plan.simultaneous)


def _family(laid: ComparisonLayout, alone: bool) -> str:
    """What is corrected together: ``3 tests of each measure``, ``2 to 3 tests``, ``3 pairs of runs``; or nothing."""
    compared, tests = laid.comparison.compared, range(1 if alone else len(laid.plan.tests))
    each = " of each measure" if len(compared) > 1 else ""
    if laid.comparison.correction == TUKEY:
        pairs = max(of.family for of in compared)
        return counted(pairs, "pair") + " of runs" + each.replace("of", "under") if pairs else ""
    sizes = [[sum(one.adjusted[test] is not None for one in of.contrasts) for test in tests] for of in compared]
    sizes = [[size and size + laid.comparison.untested for size in of] for of in sizes]
    if laid.plan.family == "all":
        sizes, each = [[sum(of) for of in zip(*sizes, strict=True)]], " of all measures"
    least, most = min(map(min, sizes)), max(map(max, sizes))
    to = "" if least == most else f"{least:,} to " if least else "up to "
    return to + counted(most, "test") + each if most else ""


def meanings(laid: ComparisonLayout) -> dict[str, str]:
    """What those findings mean that are easily read as something else, where there are any."""
    found = {contrast.finding for compared in laid.comparison.compared for contrast in compared.contrasts}
    side = {"greater": "that the run's values are greater", "less": "that the run's values are less"}
    meant = {}
    for finding in (NOT_SHOWN, EQUIVALENT, NO_WORSE):
        if finding in found:
            meant[finding] = FINDINGS[finding]
            if finding == NOT_SHOWN and laid.plan.alternative in side:
                meant[finding] = f"it is not shown {side[laid.plan.alternative]}; only this was tested"
            elif finding != NOT_SHOWN and laid.comparison.correction != "none":
                meant[finding] += "; uncorrected"
    return meant


def cautions(laid: ComparisonLayout) -> Iterator[str]:
    """What to bear in mind with such numbers."""
    if of_means(laid):
        yield from _skewed([each for compared in laid.comparison.compared for each in compared.contrasts])
    most = max(len(compared.measured.queries) for compared in laid.comparison.compared)
    if most >= MANY:
        yield (
            f"With {most:,} queries even differences too small to matter become significant; look at the effect"
            " first, or say with a margin what matters."
        )
    if any(compared.measured.quantity.better == "neither" for compared in laid.comparison.compared):
        yield "If neither high nor low values of a measure are better, the higher value counts as a win."


def of_means(laid: ComparisonLayout) -> bool:
    """Whether the test that decides is of means, and has a p-value."""
    plan = laid.plan
    return is_tested(laid) and (laid.comparison.correction == TUKEY or plan.tests[0] in (*OF_MEANS, "bootstrap"))


def _skewed(contrasts: Sequence[Contrast]) -> Iterator[str]:
    """A sentence on pairs whose differences are too skewed for so few queries, where there are any."""
    wanted = [(queries_wanted(each.differences) or 0, each) for each in contrasts]
    if many := sum(queries > 0 for queries, _ in wanted):
        most, worst = max(wanted, key=lambda each: each[0])
        yield (
            f"Skewed differences in {many:,} of {counted(len(contrasts), 'pair')}, the most skewed {pair_of(worst)}:"
            f" with {counted(len(worst.differences), 'query', 'queries')} p-values can be far too small; a single test"
            f" needs about {most:,} queries, several need more (docs/statistics.md, Rare gains)."
        )


def doubts(laid: ComparisonLayout, compared: Compared) -> Iterator[str]:
    """What makes the numbers of one measure odd: values, and tests that say nothing, whatever the values."""
    yield from _out_of_reach(laid, compared)
    if odd := nonfinite(compared.measured):
        names = ", ".join(shown(query)[1:-1] for query in odd[:_LISTED]) + (" …" if len(odd) > _LISTED else "")
        yield f"{counted(len(odd), 'query has', 'queries have')} a value that is not a finite number: {names}."
    for note, contrasts in _by_note(compared.contrasts).items():
        about = ", ".join(contrasts[:_LISTED]) + and_more(len(contrasts), _LISTED, ",")
        yield f"{about}: {note}."
    for contrast in compared.contrasts:
        if contrast.interval is None and contrast.tests[0].p is not None:
            yield f"{pair_of(contrast)}: no {kind_of_interval(laid.comparison)} can be computed from these samples."


def _out_of_reach(laid: ComparisonLayout, compared: Compared) -> Iterator[str]:
    """The tests of which no result could be significant, with the least p that there can be."""
    for place, name in enumerate(laid.plan.tests):
        limits: dict[float, list[str]] = {}
        for contrast in compared.contrasts:
            least = contrast.least[place]
            if least is not None and least > laid.plan.alpha:
                limits.setdefault(least, []).append(pair_of(contrast))
        for least, pairs in limits.items():
            about = ""
            if len(pairs) < len(compared.contrasts):
                about = f"{', '.join(pairs[:_LISTED])}{and_more(len(pairs), _LISTED, ',')}: "
            corrected = "corrected " * (laid.comparison.correction != "none")
            yield (
                f"{about}{'the' if about else 'The'} lowest possible {corrected}p of the {TESTS[name].title} here "
                f"is {p_value(least)}: no result can be significant at {decimal(laid.plan.alpha)}."
            )


def beside_the_mean(laid: ComparisonLayout, several: Sequence[Compared]) -> Iterator[str]:
    """A sentence on all findings of some measures that are beside the mean, where there are any."""
    found = []
    for compared in several:
        for contrast in compared.contrasts:
            if _beside_the_mean(contrast, compared):
                mean = "lower" if contrast.difference < 0 else "higher" if contrast.difference > 0 else "the same"
                about = f"{laid.name(compared)}: " * (len(several) > 1) + pair_of(contrast)
                found.append(f"{about}: {contrast.finding}, though its mean is {mean}")
    if found:
        yield f"By the {TESTS[laid.plan.tests[0]].title} {'; '.join(found)}."


def _beside_the_mean(contrast: Contrast, compared: Compared) -> bool:
    """Whether a test of ranks or signs finds a run better whose mean is not, or worse."""
    if contrast.finding not in (BETTER, WORSE):
        return False
    gain = -contrast.difference if compared.measured.quantity.better == "lower" else contrast.difference
    return not (gain > 0 if contrast.finding == BETTER else gain < 0)


def _by_note(contrasts: Sequence[Contrast]) -> dict[str, list[str]]:
    """Why tests say nothing, or what is special about them, with the runs that it is about."""
    found: dict[str, list[str]] = {}
    for contrast in contrasts:
        for tested in contrast.tests:
            if tested.note:
                about = found.setdefault(tested.note, [])
                name = pair_of(contrast)
                if name not in about:
                    about.append(name)
    return found
