"""The report of a comparison of runs: its sentences, and its tables.

Sentences say what stars mean, how everything was computed, and how to read findings. Intervals come before p-values: a
p-value says how sure a difference is, not how large it is.

Each measure has a table. If few runs are compared in all pairs, the pairs are listed below the means. Many runs have a
matrix instead: its rows are the runs in the order of their means, and a sign shows whether the run is better or worse
than the run of that column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from irev.base.errors import decimal, printable, shown
from irev.base.records import dataclass
from irev.base.text import (
    MISSING,
    and_more,
    counted,
    disambiguate,
    interval,
    named,
    p_value,
    percent,
    real,
    signed,
)
from irev.evaluation.comparison import Aligned, Measured, Quantity, firsts_of, nonfinite, shares_of
from irev.evaluation.comparison.contrasts import (
    BETTER,
    EQUIVALENT,
    FINDINGS,
    MANY,
    NO_WORSE,
    NOT_SHOWN,
    UNKNOWN,
    WORSE,
    Compared,
    ComparedRuns,
    Contrast,
    compare,
)
from irev.evaluation.notes import skewed, unknown_shares
from irev.measures import Request
from irev.output.report import (
    CODE,
    MARK,
    READER,
    RESTS,
    ZERO_INSIDE,
    Cell,
    Look,
    Report,
    Sheet,
    Texts,
    table,
)
from irev.output.reports.grid import AgainstBest
from irev.statistics.corrections import CORRECTIONS
from irev.statistics.effects import queries_wanted
from irev.statistics.intervals import INTERVALS
from irev.statistics.paired import TESTS, TestResult, jackknifed
from irev.statistics.plan import MAX_T, OF_MEANS, TUKEY, Plan
from irev.statistics.rounding import constant

_LISTED = 5
"""The largest number of queries that a sentence names."""


@dataclass(frozen=True)
class ComparisonLayout:
    """A comparison, and how it is to look; `per_query` says whether the difference of every query is wanted."""

    comparison: ComparedRuns
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

    def name(self, compared: Compared) -> str:
        """What a measure is called."""
        quantity = compared.measured.quantity
        return quantity.standard if self.look.names == "standard" else quantity.label

    def about(self, compared: Compared) -> str:
        """A measure, how many queries there are, and whether lower is better."""
        title = f"{self.name(compared)}, {count_of(compared.measured)}"
        return title + (", lower is better" if compared.measured.quantity.better == "lower" else "")

    def significant(self, adjusted: float | None) -> bool:
        """Whether a corrected p-value is small enough."""
        return adjusted is not None and adjusted <= self.plan.alpha


def count_of(measured: Measured) -> str:
    """State the numbers of queries and clusters."""
    queries = counted(len(measured.queries), "query", "queries")
    return queries if measured.clusters is None else f"{queries} in {counted(measured.clusters, 'cluster')}"


def by_clusters(comparison: ComparedRuns) -> str:
    """Return " by clusters" if queries have clusters."""
    return " by clusters" * any(each.measured.clusters is not None for each in comparison.compared)


def directed(quantity: Quantity | Request) -> str:
    """A measure by the name of papers, and whether lower is better."""
    return quantity.standard + (" (lower is better)" if quantity.better == "lower" else "")


def pair_of(contrast: Contrast) -> str:
    """The run and its baseline, in words."""
    return f"{named(contrast.run)} against {named(contrast.baseline)}"


def tone_of(contrast: Contrast) -> str:
    """The tone of a finding."""
    return {BETTER: "good", WORSE: "bad", NOT_SHOWN: "quiet"}.get(contrast.finding, "")


def finding_of(contrast: Contrast) -> Cell:
    """A finding, with its marks."""
    return Cell(contrast.finding, tone=tone_of(contrast), above=marks_of(contrast))


def marks_of(contrast: Contrast) -> str:
    """The marks of a finding that rests on unjudged documents, and of one whose interval contains 0."""
    return RESTS * bool(contrast.rests_on_unjudged) + ZERO_INSIDE * contrast.zero_inside


def judged_shares(compared: Compared) -> dict[str, list[str]]:
    """The heading and the share of judged documents of every run, where runs are unevenly judged."""
    condensed = compared.measured.condensed
    if condensed is None or all(contrast.unjudged is None for contrast in compared.contrasts):
        return {}
    shares = shares_of(condensed).mean(axis=0).tolist()
    return {f"judged@{condensed.depth}": [real(share, 2) for share in shares]}


def on_unjudged(
    laid: ComparisonLayout, several: Sequence[Compared], see: str | None = READER, shares: bool = False
) -> Iterator[str]:
    """Sentences on what unjudged documents decide, of the pair that changes most by each measure.

    `see` leads to the page that says more, which readers of a paper do not have; None leaves the mark out. `shares`
    leaves out the differences.
    """
    marks: list[Contrast] = []
    for compared in several:
        pairs = [contrast for contrast in compared.contrasts if contrast.unjudged is not None]
        if not pairs:
            continue
        marks += (contrast for contrast in pairs if contrast.rests_on_unjudged)
        worst = max(pairs, key=lambda each: (bool(each.rests_on_unjudged), abs(_moved(each))))
        about = f"{laid.name(compared)}: " * (len(several) > 1) + pair_of(worst)
        yield f"{about}: {_without_unjudged(laid, worst, shares)}" + (
            f"; unevenly judged are {counted(len(pairs), 'pair')}." if len(pairs) > 1 else "."
        )
    if marks and see is not None:
        few = any(contrast.unjudged is not None and contrast.unjudged.few for contrast in marks)
        yield what_mark_means("finding", few, see)


def what_mark_means(what: str, few: bool, see: str = READER) -> str:
    """What `RESTS` means; `few` says whether some run has too few judged documents to fill the first ranks."""
    too_few = ", or one run has too few judged documents to take their place" * few
    return f"{RESTS} The {what} changes if unjudged documents are left out{too_few}{see}."


def unevenly_judged(
    aligned: Aligned, first: int | None, digits: int, shares: bool = False
) -> tuple[dict[tuple[str, str, str], bool], list[str]]:
    """The measures, baselines and runs of which clearly more is judged of one run, with whether one has too few;
    and sentences on them, about `shares` alone or differences too."""
    if all(each.condensed is None for each in aligned.measured):
        return {}, [*unknown_shares(each.unknown for each in aligned.measured)]
    found = compare(aligned, first, Plan(("t",)))
    uneven = {
        (compared.measured.quantity.standard, contrast.baseline, contrast.run): contrast.unjudged.few
        for compared in found.compared
        for contrast in compared.contrasts
        if contrast.unjudged is not None
    }
    there = {measure for measure, _, _ in uneven}
    several = [each for each in found.compared if each.measured.quantity.standard in there]
    said = on_unjudged(ComparisonLayout(found, Look("standard", digits)), several, None, shares)
    return uneven, [*said, *on_unknown(found)]


def on_unknown(comparison: ComparedRuns) -> Iterator[str]:
    """A sentence if it is unknown whether unjudged documents decide."""
    return unknown_shares(compared.measured.unknown for compared in comparison.compared)


def _moved(contrast: Contrast) -> float:
    return 0.0 if contrast.unjudged is None else contrast.unjudged.difference - contrast.difference


def _without_unjudged(laid: ComparisonLayout, contrast: Contrast, shares: bool) -> str:
    other = contrast.unjudged
    if other is None:
        return ""
    of_both = f"{percent(round(other.judged, 2))} against {percent(round(other.baseline_judged, 2))}"
    judged = f"{of_both} of the first {other.depth} documents are judged"
    if shares:
        return judged
    bounds = ""
    if other.bounds is not None:
        low, high = (signed(end, laid.digits) for end in other.bounds)
        bounds = f"; if those of one run alone are relevant, it is {low} or {high}"
    then, now = signed(other.difference, laid.digits), signed(contrast.difference, laid.digits)
    if (then, other.finding) == (now, contrast.finding):
        return f"{judged}; without unjudged documents the difference stays {now} ({contrast.finding}){bounds}"
    return (
        f"{judged}; without unjudged documents the difference is"
        f" {then} ({other.finding}), not {now} ({contrast.finding}){bounds}"
    )


def kind_of_interval(comparison: ComparedRuns) -> str:
    """How the intervals of differences were made."""
    return INTERVALS[comparison.plan.interval].title + by_clusters(comparison)


def widened(comparison: ComparedRuns) -> str:
    """The kind of the intervals, and whether any allows for queries that are not in the sample."""
    kind = kind_of_interval(comparison)
    if not any(contrast.unseen for compared in comparison.compared for contrast in compared.contrasts):
        return kind
    return f"widened {kind.replace(' interval', '', 1)}"


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
    tests += by_clusters(comparison)
    corrected = _family(laid, alone)
    if not corrected:
        tests = "Tukey's test by randomisation" + by_clusters(comparison) if correction == TUKEY else tests
        return f"{tests}, {sides}, without p-values"
    drawn = _drawn(laid)
    if correction == TUKEY:
        return f"Tukey's test by randomisation{by_clusters(comparison)}, over all {corrected}, {drawn}"
    if correction == MAX_T:
        return f"{tests}, {sides}, the maximum-t method over {corrected}" + (f", {drawn}" if drawn else "")
    if correction == "none":
        return f"{tests}, {sides}, {corrected}, uncorrected"
    return f"{tests}, {sides}, {CORRECTIONS[correction].title} over {corrected}"


def _drawn(laid: ComparisonLayout) -> str:
    """The samples drawn for a correction, by measure if measures differ."""
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
    """Explain the star, and state how often it appears by chance."""
    star = f"{MARK} p ≤ {decimal(laid.plan.alpha)}: {tested(laid, alone=False)}."
    return " ".join([star, *by_chance(laid, "a star"), *repeated(laid)])


def _firsts(laid: ComparisonLayout) -> list[int]:
    return firsts_of([compared.measured for compared in laid.comparison.compared])


def repeated(laid: ComparisonLayout) -> Iterator[str]:
    """State which measures have the same values, and so are one test of the family of all measures."""
    names = [laid.name(compared) for compared in laid.comparison.compared]
    for place, first in enumerate(_firsts(laid) if laid.plan.family == "all" else ()):
        if first < place:
            yield f"{names[place]} has the values of {names[first]}: one test."


def by_chance(laid: ComparisonLayout, mark: str) -> Iterator[str]:
    """State how often equal runs have a star if each of several measures is a family of its own.

    Šidák's inequality: measures of the same lists depend on each other, so that it is less often than if they did not.
    """
    families = [compared for compared in laid.comparison.compared if compared.family]
    safe = laid.comparison.correction not in ("bh", "by", "none") or all(each.family == 1 for each in families)
    if laid.plan.family == "all" or len(families) < 2 or not safe:
        return
    alpha, any_of = laid.plan.alpha, counted(len(families), "measure")
    yield (
        f"{laid.name(families[0])}, the first, is the primary measure: if no runs differ, {percent(alpha)} of"
        f" comparisons have {mark} there, and up to {percent(round(1 - (1 - alpha) ** len(families), 2))} under any of"
        f" the {any_of}."
    )


def spans(laid: ComparisonLayout) -> str:
    """How the intervals of differences were made, and whether they are corrected."""
    plan = laid.plan
    drawn = "" if plan.interval == "t" else f" ({plan.samples:,} samples, seed {plan.seed})"
    drawn += ", two-sided" * (plan.alternative != "two-sided")
    return widened(laid.comparison) + drawn + ", uncorrected" * (laid.comparison.correction != "none")


def _family(laid: ComparisonLayout, alone: bool) -> str:
    """The tests that are corrected together, in words: ``3 tests of each measure``, ``2 to 3 tests``, ``3 pairs of
    runs``; or nothing."""
    compared, tests = laid.comparison.compared, range(1 if alone else len(laid.plan.tests))
    if laid.plan.family == "all":
        compared = tuple(compared[place] for place in sorted({*_firsts(laid)}))
    each = " of each measure" if len(laid.comparison.compared) > 1 else ""
    if laid.comparison.correction == TUKEY:
        pairs = max(of.family for of in compared)
        return counted(pairs, "pair") + " of runs" + each.replace("of", "under") if pairs else ""
    sizes = [[sum(one.adjusted[test] is not None for one in of.contrasts) for test in tests] for of in compared]
    sizes = [[size and size + laid.comparison.others for size in of] for of in sizes]
    if laid.plan.family == "all":
        sizes, each = [[sum(of) for of in zip(*sizes, strict=True)]], " of all measures"
    least, most = min(map(min, sizes)), max(map(max, sizes))
    to = "" if least == most else f"{least:,} to " if least else "up to "
    return to + counted(most, "test") + each if most else ""


def meanings(laid: ComparisonLayout) -> dict[str, str]:
    """The meaning of each finding that is easily misread."""
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


def on_tests(laid: ComparisonLayout) -> Iterator[str]:
    """Cautions about p-values, which no other remark may hide."""
    if not of_means(laid):
        return
    several = len(laid.comparison.compared) > 1
    pairs, tests = [], []
    for compared in laid.comparison.compared:
        for each in compared.contrasts:
            name = f"{laid.name(compared)}: " * several + pair_of(each)
            rows = jackknifed(each.differences[:, None], compared.measured.cluster)[:, 0]
            pairs.append((name, each))
            tests.append((name, len(rows), queries_wanted(rows)))
    yield from skewed(tests, "pair", by_clusters(laid.comparison) and "cluster")
    found = [(name, each) for name, each in pairs if each.finding in (BETTER, WORSE)]
    if odd := [(name, each) for name, each in found if each.zero_inside]:
        name, fewest = min(odd, key=lambda each: np.count_nonzero(each[1].differences))
        differ = f"{np.count_nonzero(fewest.differences):,} of {counted(len(fewest.values), 'query', 'queries')} differ"
        if constant(fewest.differences):
            differ = f"all {len(fewest.differences):,} queries differ by the same amount"
        of = counted(len(found), "significant difference")
        yield (
            f"{ZERO_INSIDE} The interval contains 0 in {len(odd):,} of {of}: it allows for queries that are not in the"
            f" sample and differ otherwise. {name}: {differ}; compare on more queries"
            " (docs/statistics.md, Intervals)."
        )


def on_baseline(laid: ComparisonLayout) -> Iterator[str]:
    """A caution about a baseline that has the best mean of three runs or more and a significant difference."""
    comparison = laid.comparison
    if comparison.baseline is None or comparison.others or len(comparison.runs) < 3 or not of_means(laid):
        return
    for compared in comparison.compared:
        sign = -1 if compared.measured.quantity.better == "lower" else 1
        found = any(each.finding in (BETTER, WORSE) for each in compared.contrasts)
        if found and all(sign * each.baseline_mean >= sign * each.mean for each in compared.contrasts):
            yield "If the baseline was chosen because it is the best run here, compare all pairs instead."
            return


def cautions(laid: ComparisonLayout) -> Iterator[str]:
    """Cautions about the numbers as a whole."""
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


def doubts(laid: ComparisonLayout, compared: Compared) -> Iterator[str]:
    """Cautions about one measure: odd values, and tests that cannot find anything."""
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


SIGN = "sign"
MOST_PAIRS = 10
"""So many pairs are listed, which five runs have."""

SIGNS = {BETTER: "+", WORSE: "-", EQUIVALENT: "=", NO_WORSE: "~", NOT_SHOWN: ".", UNKNOWN: "?", RESTS: RESTS}
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
    judged = [] if laid.pairs else judged_shares(compared)
    header = [*([] if laid.pairs else ["mean"]), *judged, "difference", laid.span, *wins]
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
        rests = contrast.rests_on_unjudged
        found[contrast.run, contrast.baseline] = RESTS if rests else contrast.finding
        found[contrast.baseline, contrast.run] = RESTS if rests else _TURNED.get(contrast.finding, NOT_SHOWN)
    parts = [order[begin : begin + _TOGETHER] for begin in range(0, len(order), _TOGETHER)]
    headings = [_from_to(part * _TOGETHER + 1, part * _TOGETHER + len(of)) for part, of in enumerate(parts)]
    judged = judged_shares(compared)
    rows: list[Texts] = [
        {
            "#": f"{place:,}",
            "run": named(runs[run]),
            "mean": real(compared.means[run], laid.digits),
            **{heading: column[run] for heading, column in judged.items()},
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
    made = table(title, ["#", "run"], ["mean", *judged, *headings], rows, ["run", *headings])
    return replace(made, names=frozenset({1}))


def _from_to(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}–{last}"


def notes(laid: ComparisonLayout, policy: str, remarks: Sequence[str]) -> Iterator[str]:
    """What has to be known to read them."""
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
    yield from on_unjudged(laid, compared)
    yield from on_tests(laid)
    yield from on_baseline(laid)
    yield from beside_the_mean(laid, compared)
    for each in compared:
        yield from (f"{laid.name(each)}: " * (len(compared) > 1) + doubt for doubt in doubts(laid, each))
    yield from cautions(laid)
    said = [f"{remark[0].upper()}{remark[1:]}." for remark in (f"queries: {policy}", *remarks)]
    yield " ".join([*said, *on_unknown(laid.comparison)])


class ComparisonReport(Report):
    """A comparison, as it stands in a document; `policy` is which queries count, in words."""

    per_query = False

    def __init__(self, comparison: ComparedRuns, policy: str, remarks: Sequence[str] = ()) -> None:
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
        return notes(self.laid, self.policy, self.remarks)


BEST = "best"


def against_best(aligned: Aligned, request: Request, best: int, policy: str) -> AgainstBest:
    """Compare all runs with the best of them, whose place is `best`; `policy` says in words which queries count."""
    return found_against_best(compare(aligned, best, Plan(), best=True), request, policy)


def found_against_best(comparison: ComparedRuns, request: Request, policy: str) -> AgainstBest:
    """What a comparison with the best run shows, under one measure."""
    (compared,) = comparison.compared
    findings = {str(comparison.baseline): Cell(BEST)}
    for contrast in compared.contrasts:
        findings[contrast.run] = finding_of(contrast)._replace(tone="bad" if contrast.finding == WORSE else "quiet")
    laid = ComparisonLayout(comparison, Look())
    how = tested(laid, alone=False)
    cautioned = [*on_unjudged(laid, [compared]), *on_unknown(comparison), *on_tests(laid)]
    doubtful = "".join(f". {sentence.removesuffix('.')}" for sentence in cautioned)
    return AgainstBest(
        request,
        findings,
        {contrast.run: contrast.adjusted[0] for contrast in compared.contrasts},
        {contrast.run: contrast.rests_on_unjudged for contrast in compared.contrasts},
        f"vs best: whether the difference from the best {request.base.standard} is significant, p ≤"
        f" {decimal(comparison.plan.alpha)}, on {count_of(compared.measured)} ({policy}): {how}; {NOT_SHOWN} does not"
        f" mean equal{doubtful}",
    )


WINS = "W/T/L"


def contrast_rows(laid: ComparisonLayout, compared: Compared) -> Iterator[Texts]:
    """The baseline, if there is one, and every contrast of a measure."""
    means = dict(zip(laid.comparison.runs, compared.means, strict=True))
    shares, runs = judged_shares(compared), laid.comparison.runs
    judged = {run: {heading: column[place] for heading, column in shares.items()} for place, run in enumerate(runs)}
    baseline = laid.comparison.baseline
    if baseline is not None:
        yield {
            **judged[baseline],
            "run": named(baseline),
            "mean": real(means[baseline], laid.digits),
            "difference": "baseline",
        }
    for contrast in compared.contrasts:
        yield {
            **judged[contrast.run],
            "run": named(contrast.run),
            "against": named(contrast.baseline),
            "mean": real(contrast.mean, laid.digits),
            "difference": Cell(signed(contrast.difference, laid.digits), tone=tone_of(contrast)),
            laid.span: interval(contrast.interval, laid.digits),
            **p_texts(laid, contrast.tests[0], contrast.adjusted[0]),
            "finding": finding_of(contrast),
            WINS: f"{contrast.wins}/{contrast.ties}/{contrast.losses}",
        }


def p_headings(laid: ComparisonLayout) -> list[str]:
    """What stands above p-values: as they are, and corrected, the last of which has the star."""
    correction = laid.comparison.correction
    return ["p"] if correction == "none" else ["p", f"p {correction}"]


def p_texts(laid: ComparisonLayout, tested: TestResult, adjusted: float | None) -> dict[str, Cell | str]:
    """The p-values of a test under these headings."""
    *plain, corrected = p_headings(laid)
    star = Cell(p_value(adjusted), significant=laid.significant(adjusted))
    return {**dict.fromkeys(plain, p_value(tested.p)), corrected: star}


def queries(laid: ComparisonLayout, compared: Compared, contrast: Contrast) -> Sheet:
    """Every query with both values, their difference and which run won, the run's greatest losses first."""
    lower = compared.measured.quantity.better == "lower"
    gains = -contrast.differences if lower else contrast.differences
    places = gains.argsort(kind="stable")
    winners = [
        "tie" if not gain else named(contrast.run if gain > 0 else contrast.baseline) if gain == gain else MISSING
        for gain in gains.tolist()
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
    """The means of all runs under all measures."""
    compared = laid.comparison.compared
    judged = {heading: column for each in compared for heading, column in judged_shares(each).items()}
    rows = tuple(
        (
            Cell(named(run)),
            *(Cell(real(each.means[number], laid.digits)) for each in compared),
            *(Cell(column[number]) for column in judged.values()),
        )
        for number, run in enumerate(laid.comparison.runs)
    )
    # A measure of saved results may be called as a heading is, so that this is no table by heading.
    header = ("run", *(laid.name(each) for each in compared), *judged)
    return Sheet("Means", header, 1, frozenset({0}), (rows,))


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
