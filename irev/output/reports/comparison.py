"""The report of a comparison: for each measure a table of runs with what sets them apart, and what was done to know it.

Effect sizes and intervals stand before p-values, since a p-value says how sure one may be that there is a difference,
and not how large it is. A star says that a corrected p-value is small enough, and the line below which test, correction
and level that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev import __version__
from irev.analysis.comparison.contrasts import (
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
    Quantity,
    nonfinite,
)
from irev.base.text import (
    MISSING,
    counted,
    decoded,
    interval,
    named,
    p_value,
    percent,
    percentage,
    plain,
    real,
    scipy_version,
    signed,
    told_apart,
)
from irev.errors import decimal, printable, shown
from irev.evaluation.result import Input
from irev.output.figures import Panel
from irev.output.report import MARK, Cell, Plain, Report, Sheet
from irev.statistics.families import CORRECTIONS
from irev.statistics.intervals import INTERVALS, Interval
from irev.statistics.paired import TESTS, Tested
from irev.statistics.plan import MAX_T, TUKEY, Plan

FORMAT, VERSION = "irev comparison", 1

_LISTED = 5
"""How many queries a sentence names before it only counts."""


def panels(comparison: Comparison) -> list[Panel]:
    """What a figure shows: the differences of each contrast, under each measure."""
    return [
        Panel(
            measure=_directed(compared.measured.quantity),
            baseline=contrast.baseline,
            run=contrast.run,
            differences=contrast.differences,
            queries=compared.measured.queries,
            low=None if contrast.interval is None else contrast.interval.low,
            high=None if contrast.interval is None else contrast.interval.high,
            mean=contrast.difference,
            margin=comparison.plan.margin,
        )
        for compared in comparison.compared
        for contrast in compared.contrasts
    ]


def _directed(quantity: Quantity) -> str:
    return quantity.standard + (" (lower is better)" if quantity.better == "lower" else "")


def caption(comparison: Comparison, policy: str) -> str:
    """What a figure says below."""
    return (
        "Differences of single queries, run minus baseline; means with"
        f" {percent(comparison.plan.confidence)} intervals ({_kind_of_interval(comparison)}). Queries: {policy}."
    )


def _kind_of_interval(comparison: Comparison) -> str:
    """How the intervals of differences were made."""
    plan, title = comparison.plan, INTERVALS[comparison.plan.interval].title
    if not plan.simultaneous:
        return title
    joint = comparison.correction == MAX_T and plan.interval == "t"
    return f"{title}, simultaneous by {'the maximum-t method' if joint else 'Bonferroni correction'}"


class ComparisonReport(Report):
    """A comparison, laid out.

    Parameters
    ----------
    comparison : Comparison
    policy : str
        Which queries count, in words.
    remarks : sequence of str
        What else is to be said.
    inputs : sequence of Input
        The files.
    per_query : bool
        Whether the difference of every query is wanted.
    """

    def __init__(
        self,
        comparison: Comparison,
        policy: str,
        remarks: Sequence[str] = (),
        inputs: Sequence[Input] = (),
        per_query: bool = False,
    ) -> None:
        self.comparison, self.plan = comparison, comparison.plan
        self.policy, self.remarks, self.inputs, self.per_query = policy, remarks, inputs, per_query
        self.span = f"{percent(self.plan.confidence)} interval"
        self.span_of_difference = "simultaneous " * self.plan.simultaneous + self.span

    @property
    def digits(self) -> int:
        return self.look.digits

    @property
    def title(self) -> str:
        return "Comparison of " + counted(len(self.comparison.runs), "run")

    def name(self, compared: Compared) -> str:
        quantity = compared.measured.quantity
        return quantity.standard if self.look.names == "standard" else quantity.label

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.comparison.baseline is not None and len(self.comparison.compared) > 1:
            yield self._overview()
        for compared in self.comparison.compared:
            yield from self._sheets(compared)

    @property
    def notes(self) -> Iterator[str]:
        yield from self._legend()
        yield from self._reading()
        yield from (f"{remark[0].upper()}{remark[1:]}." for remark in self.remarks)
        yield f"Queries: {self.policy}."

    def _overview(self) -> Sheet:
        """The means of all runs under all measures, with a mark where one differs significantly from the baseline."""
        compared = self.comparison.compared
        differing = {
            (place, contrast.run)
            for place, each in enumerate(compared)
            for contrast in each.contrasts
            if contrast.adjusted[0] is not None and contrast.adjusted[0] <= self.plan.alpha
        }
        rows = tuple(
            (
                Cell(named(run)),
                *(
                    Cell(real(each.means[number], self.digits), significant=(place, run) in differing)
                    for place, each in enumerate(compared)
                ),
            )
            for number, run in enumerate(self.comparison.runs)
        )
        header = ("run", *(self.name(each) for each in compared))
        title = f"Means, against {named(str(self.comparison.baseline))}"
        return Sheet(title, header, 1, frozenset({0}), (rows,), ())

    def _sheets(self, compared: Compared) -> Iterator[Sheet]:
        """The runs with their contrasts; where all pairs are compared, runs and pairs apart; then the queries."""
        title = f"{self.name(compared)}, {counted(len(compared.measured.queries), 'query', 'queries')}"
        better = compared.measured.quantity.better
        if better == "lower":
            title += ", lower is better"
        pairs = self.comparison.baseline is None
        if pairs:
            yield self._runs(compared, title)
            title = f"{self.name(compared)}, all pairs"
        yield self._contrasts(compared, title, pairs)
        if len(self.plan.tests) > 1:
            yield self._tests(compared, pairs)
        if self.per_query:
            yield from (self._queries(compared, contrast) for contrast in compared.contrasts)

    def _runs(self, compared: Compared, title: str) -> Sheet:
        rows = tuple(
            (Cell(named(run)), Cell(real(mean, self.digits)), Cell(interval(span, self.digits, sign=False)))
            for run, mean, span in zip(self.comparison.runs, compared.means, compared.intervals, strict=True)
        )
        return Sheet(title, ("run", "mean", self.span), 1, frozenset({0}), (rows,), ())

    def _contrasts(self, compared: Compared, title: str, pairs: bool) -> Sheet:
        labels = ["run", "against"] if pairs else ["run"]
        header = [
            *labels,
            "mean",
            "difference",
            self.span_of_difference,
            "effect",
            *self._p_headings(),
            "finding",
            *([] if pairs else [f"mean's {self.span}"]),
            *([f"effect's {self.span}"] if self.per_query else []),
            "wins/ties/losses",
            "better",
            "CLE",
            "relative",
            f"n for {percent(self.comparison.power)} power",
        ]
        rows: list[tuple[Cell, ...]] = []
        if not pairs:
            place = self.comparison.runs.index(str(self.comparison.baseline))
            texts = dict.fromkeys(header, "") | {
                "run": named(str(self.comparison.baseline)),
                "mean": real(compared.means[place], self.digits),
                "difference": "baseline",
                f"mean's {self.span}": interval(compared.intervals[place], self.digits, sign=False),
            }
            rows.append(tuple(Cell(text) for text in texts.values()))
        rows += [self._row(compared, contrast, pairs) for contrast in compared.contrasts]
        left = frozenset([*range(len(labels)), header.index("finding")])
        return Sheet(title, tuple(header), len(labels), left, (tuple(rows),), tuple(self._below(compared)))

    def _p_headings(self) -> list[str]:
        correction = self.comparison.correction
        return ["p"] if correction == "none" else ["p", f"p {correction}"]

    def _p_cells(self, tested: Tested, adjusted: float | None) -> list[Cell]:
        mark = adjusted is not None and adjusted <= self.plan.alpha
        if self.comparison.correction == "none":
            return [Cell(p_value(tested.p), significant=mark)]
        return [Cell(p_value(tested.p)), Cell(p_value(adjusted), significant=mark)]

    def _tests(self, compared: Compared, pairs: bool) -> Sheet:
        """Every test of every contrast, where there are several."""
        labels = ["run", *(["against"] if pairs else []), "test"]
        header = [*labels, "statistic", *self._p_headings(), "how"]
        rows = tuple(
            (
                Cell(named(contrast.run)),
                *([Cell(named(contrast.baseline))] if pairs else []),
                Cell(test),
                Cell(real(tested.statistic, self.digits)),
                *self._p_cells(tested, adjusted),
                Cell(tested.method),
            )
            for contrast in compared.contrasts
            for test, tested, adjusted in zip(self.plan.tests, contrast.tests, contrast.adjusted, strict=True)
        )
        left = frozenset([*range(len(labels)), len(header) - 1])
        return Sheet(f"{self.name(compared)}, tests", tuple(header), len(labels), left, (rows,), ())

    def _row(self, compared: Compared, contrast: Contrast, pairs: bool) -> tuple[Cell, ...]:
        tone = {BETTER: "good", WORSE: "bad", NOT_SHOWN: "quiet"}.get(contrast.finding, "")
        cells = [Cell(named(contrast.run))]
        if pairs:
            cells.append(Cell(named(contrast.baseline)))
        cells += [
            Cell(real(contrast.mean, self.digits)),
            Cell(signed(contrast.difference, self.digits), tone=tone),
            Cell(interval(contrast.interval, self.digits)),
            Cell(signed(contrast.effect.standardised, 2)),
        ]
        cells += self._p_cells(contrast.tests[0], contrast.adjusted[0])
        needed = MISSING if contrast.needed is None else f"{contrast.needed:,}"
        cells += [
            Cell(contrast.finding, tone=tone),
            *([] if pairs else [Cell(interval(self._of_mean(compared, contrast.run), self.digits, sign=False))]),
            *([Cell(interval(contrast.effect.interval, 2))] if self.per_query else []),
            Cell(f"{contrast.wins}/{contrast.ties}/{contrast.losses}"),
            Cell(_share(contrast.effect.improved)),
            Cell(_share(contrast.effect.common_language)),
            Cell(percentage(contrast.relative)),
            Cell(needed),
        ]
        return tuple(cells)

    def _of_mean(self, compared: Compared, run: str) -> Interval | None:
        return compared.intervals[self.comparison.runs.index(run)]

    def _below(self, compared: Compared) -> Iterator[str]:
        """What belongs to one measure: odd values, why a test says nothing, equivalence, and the variance."""
        if odd := nonfinite(compared.measured):
            names = ", ".join(shown(query)[1:-1] for query in odd[:_LISTED]) + (" …" if len(odd) > _LISTED else "")
            yield f"{counted(len(odd), 'query has', 'queries have')} a value that is no finite number: {names}."
        for note, contrasts in _by_note(compared.contrasts).items():
            yield f"{', '.join(contrasts)}: {note}."
        for contrast in compared.contrasts:
            if _beside_the_mean(contrast, compared):
                mean = "lower" if contrast.difference < 0 else "higher" if contrast.difference > 0 else "the same"
                shown_by = f"{contrast.finding} by the {TESTS[self.plan.tests[0]].title}, though its mean is {mean}"
                yield f"{named(contrast.run)} against {named(contrast.baseline)}: {shown_by}."
            if contrast.interval is None and contrast.tests[0].p is not None:
                pair = f"{named(contrast.run)} against {named(contrast.baseline)}"
                yield f"{pair}: no {_kind_of_interval(self.comparison)} can be made of these samples."
            if contrast.equivalent is not None:
                yield self._equivalence(contrast)
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

    def _equivalence(self, contrast: Contrast) -> str:
        margin = f"{decimal(self.plan.margin or 0.0)}"
        pair = f"{named(contrast.run)} against {named(contrast.baseline)}"
        found = contrast.equivalent
        if found is None or found.p is None or found.p_not_worse is None:
            return f"{pair}: whether they are the same within {margin} cannot be told" + (
                f": {found.note}." if found is not None and found.note else "."
            )
        if found.p <= self.plan.alpha:
            return f"{pair}: the same within {margin} ({_p_in_words(found.p)}, two one-sided t-tests)."
        if found.p_not_worse <= self.plan.alpha:
            return f"{pair}: not worse by {margin} or more ({_p_in_words(found.p_not_worse)}, one-sided t-test)."
        same, worse = f"the same within {margin} ({_p_in_words(found.p)})", _p_in_words(found.p_not_worse)
        return f"{pair}: neither shown to be {same} nor shown not to be worse by that ({worse})."

    def _queries(self, compared: Compared, contrast: Contrast) -> Sheet:
        """Every query with both values and their difference, the run's greatest losses first."""
        lower = compared.measured.quantity.better == "lower"
        places = (-contrast.differences if lower else contrast.differences).argsort(kind="stable")
        runs = self.comparison.runs
        base, run = runs.index(contrast.baseline), runs.index(contrast.run)
        values = compared.measured.values
        rows = tuple(
            (
                Cell(printable(told_apart(compared.measured.queries[i]))),
                Cell(real(float(values[i, base]), self.digits)),
                Cell(real(float(values[i, run]), self.digits)),
                Cell(signed(float(contrast.differences[i]), self.digits)),
            )
            for i in places.tolist()
        )
        header = ("query", named(contrast.baseline), named(contrast.run), "difference")
        title = f"{self.name(compared)}, {named(contrast.run)} minus {named(contrast.baseline)}"
        return Sheet(title, header, 1, frozenset({0}), (rows,), ())

    def _legend(self) -> Iterator[str]:
        """What stars mean, and how everything was computed."""
        plan, comparison = self.plan, self.comparison
        correction = comparison.correction
        sides = plan.alternative if plan.alternative == "two-sided" else f"one-sided ({plan.alternative})"
        tests = TESTS[plan.tests[0]].title if len(plan.tests) == 1 else "each test"
        corrected = self._family()
        drawn = "; ".join(dict.fromkeys(compared.drawn for compared in comparison.compared if compared.drawn))
        if correction == TUKEY:
            how = f"Tukey's test by randomisation, over all {corrected}, {drawn}"
        elif correction == MAX_T:
            how = f"{tests}, {sides}, the maximum-t method over {corrected}" + (f", {drawn}" if drawn else "")
        elif correction == "none":
            how = f"{tests}, {sides}, {corrected}, uncorrected"
        else:
            how = f"{tests}, {sides}, {CORRECTIONS[correction].title} over {corrected}"
        yield f"{MARK} p ≤ {decimal(plan.alpha)}: {how}."
        drawn = "" if plan.interval == "t" else f" ({plan.samples:,} samples, seed {plan.seed})"
        one_sided = "" if plan.alternative == "two-sided" else "one-sided "
        single = correction != "none"
        drawn += ", two-sided" * bool(one_sided) + ", uncorrected" * (single and not plan.simultaneous)
        noncentral = ", with its interval by the noncentral t" * self.per_query
        yield (
            f"difference: run minus {'the run it is against' if comparison.baseline is None else 'baseline'};"
            f" interval: {_kind_of_interval(comparison)}{drawn}; effect: mean difference over its standard"
            f" deviation (d_z){noncentral}, positive where the run is better; better: share of queries on which it is;"
            " CLE: the same with ties counting half, the common-language effect; n: queries"
            f" that {'an uncorrected' if single else 'a'} {one_sided}t-test at level {decimal(plan.alpha)} needs"
            " to find such a difference."
        )
        methods = dict.fromkeys(
            tested.method
            for compared in comparison.compared
            for contrast in compared.contrasts
            for tested in contrast.tests
            if len(plan.tests) == 1 and tested.p is not None and not tested.note
        )
        if methods:
            yield "p: " + "; ".join(list(methods)[:_LISTED]) + ("; …" if len(methods) > _LISTED else "") + "."

    def _family(self) -> str:
        """What is corrected together: ``3 tests of each measure``, ``2 to 3 tests``, ``3 pairs of runs``."""
        compared, tests = self.comparison.compared, range(len(self.plan.tests))
        each = " of each measure" if len(compared) > 1 else ""
        if self.comparison.correction == TUKEY:
            return counted(max(of.family for of in compared), "pair") + " of runs" + each.replace("of", "under")
        sizes = [[sum(one.adjusted[test] is not None for one in of.contrasts) for test in tests] for of in compared]
        if self.plan.family == "all":
            sizes, each = [[sum(of) for of in zip(*sizes, strict=True)]], " of all measures"
        least, most = min(map(min, sizes)), max(map(max, sizes))
        return (f"{least:,} to " if least < most else "") + counted(most, "test") + each

    def _reading(self) -> Iterator[str]:
        """How findings are to be read."""
        contrasts = [contrast for compared in self.comparison.compared for contrast in compared.contrasts]
        found = {contrast.finding for contrast in contrasts}
        side = {"greater": "that the run's values are greater", "less": "that the run's values are less"}
        for finding in (NOT_SHOWN, EQUIVALENT, NO_WORSE):
            if finding in found:
                meaning = FINDINGS[finding]
                if finding == NOT_SHOWN and self.plan.alternative in side:
                    meaning = f"it is not shown {side[self.plan.alternative]}, and nothing else was tested"
                elif finding != NOT_SHOWN and self.comparison.correction != "none":
                    meaning += "; uncorrected"
                yield f"{finding}: {meaning}."
        most = max(len(compared.measured.queries) for compared in self.comparison.compared)
        if most >= MANY:
            yield (
                f"With {most:,} queries even differences too small to matter become significant; look at the effect"
                " first, or say with --margin what matters."
            )
        if any(compared.measured.quantity.better == "neither" for compared in self.comparison.compared):
            yield "Of a measure that is neither better high nor low, the higher value counts as a win."

    # For programs

    @property
    def columns(self) -> tuple[str, ...]:
        return (
            *("measure", "baseline", "run", "query", "queries", "baseline_mean", "mean", "difference", "relative"),
            *("low", "high", "wins", "ties", "losses"),
            *("effect", "effect_low", "effect_high", "common_language", "improved"),
            *(f"{of}_{test}" for test in self.plan.tests for of in ("statistic", "p", "adjusted")),
            *(("p_not_worse", "p_equivalent") if self.plan.margin is not None else ()),
            *("needed", "finding"),
        )

    @property
    def exact(self) -> frozenset[str]:
        return frozenset(column for column in self.columns if column.startswith(("p_", "adjusted_")))

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        """A row for each contrast, the query ``all``; and one for each query where these are wanted."""
        width = len(self.columns)
        for compared in self.comparison.compared:
            for contrast in compared.contrasts:
                about: list[Plain] = [self.name(compared), contrast.baseline, contrast.run]
                if self.per_query:
                    for query, before, after, difference in _by_query(self.comparison, compared, contrast):
                        row = [*about, decoded(told_apart(query)), 1, before, after, difference]
                        yield (*row, *[None] * (width - len(row)))
                yield (*about, "all", *self._numbers(compared, contrast))

    def _numbers(self, compared: Compared, contrast: Contrast) -> Iterator[Plain]:
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
        if self.plan.margin is not None:
            equivalent = contrast.equivalent
            yield from (None, None) if equivalent is None else (equivalent.p_not_worse, equivalent.p)
        yield from (contrast.needed, contrast.finding)

    @property
    def record(self) -> dict[str, Any]:
        comparison = self.comparison
        return {
            "format": FORMAT,
            "version": VERSION,
            "irev": __version__,
            "scipy": scipy_version(),
            "policy": self.policy,
            "notes": list(self.remarks),
            "runs": list(comparison.runs),
            "baseline": comparison.baseline,
            "plan": _plan(self.plan, comparison),
            "inputs": [file.recorded() for file in self.inputs],
            "measures": [self._measure(compared) for compared in comparison.compared],
        }

    def _measure(self, compared: Compared) -> dict[str, Any]:
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
                for run, mean, span in zip(self.comparison.runs, compared.means, compared.intervals, strict=True)
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
            "contrasts": [self._contrast(compared, contrast) for contrast in compared.contrasts],
        }
        return made

    def _contrast(self, compared: Compared, contrast: Contrast) -> dict[str, Any]:
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
                _test(name, tested, adjusted)
                for name, tested, adjusted in zip(self.plan.tests, contrast.tests, contrast.adjusted, strict=True)
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
            "finding": contrast.finding,
        }
        if self.per_query:
            made["per_query"] = {
                decoded(query): {
                    "baseline": plain(before),
                    "run": plain(after),
                    "difference": plain(difference),
                }
                for query, before, after, difference in _by_query(self.comparison, compared, contrast)
            }
        return made


def _beside_the_mean(contrast: Contrast, compared: Compared) -> bool:
    """Whether a test of ranks or signs finds a run better whose mean is not, or worse."""
    if contrast.finding not in (BETTER, WORSE):
        return False
    gain = -contrast.difference if compared.measured.quantity.better == "lower" else contrast.difference
    return not (gain > 0 if contrast.finding == BETTER else gain < 0)


def _share(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.0f}%"


def _by_note(contrasts: Sequence[Contrast]) -> dict[str, list[str]]:
    """Why tests say nothing, or what is special about them, with the runs that it is about."""
    found: dict[str, list[str]] = {}
    for contrast in contrasts:
        for tested in contrast.tests:
            if tested.note:
                about = found.setdefault(tested.note, [])
                name = f"{named(contrast.run)} against {named(contrast.baseline)}"
                if name not in about:
                    about.append(name)
    return found


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


def _p_in_words(p: float) -> str:
    return f"p {p_value(p)}".replace("p <", "p < ") if p < 0.0001 else f"p = {p_value(p)}"


def _span(span: Interval | None) -> dict[str, Any]:
    return {"low": None, "high": None} if span is None else {"low": plain(span.low), "high": plain(span.high)}


def _test(name: str, tested: Tested, adjusted: float | None) -> dict[str, Any]:
    return {
        "test": name,
        "statistic": plain(tested.statistic),
        "p": plain(tested.p),
        "adjusted": plain(adjusted),
        "method": tested.method,
        "note": tested.note,
    }


def _plan(plan: Plan, comparison: Comparison) -> dict[str, Any]:
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
