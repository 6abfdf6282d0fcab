"""The answer of ``irev collections``: means of runs on several collections, and their differences: on each, their macro
average, and their random-effects meta-analysis.

Queries say how sure the difference on a collection is. How sure it is for collections that were not measured, only the
differences between collections say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import UsageError, decimal
from irev.base.records import dataclass
from irev.base.segments import Floats, mean
from irev.base.text import counted, ends, interval, named, p_value, percent, real, signed
from irev.evaluation.comparison import Quantity, differences_of, pairs_of
from irev.evaluation.comparison.contrasts import unevenly_judged
from irev.evaluation.comparison.systems import Gathered, systems_of
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import unknown_shares
from irev.evaluation.result import Input
from irev.extensions.studies.collections import CollectionsChoices
from irev.extensions.studies.collections.files import MACRO, RANDOM_EFFECTS, groups_of, inputs_of, of_group, read
from irev.extensions.studies.statistics import meta_analysis
from irev.extensions.studies.study import ALPHA
from irev.output.figures import Estimate, Estimated, figure_of_estimates
from irev.output.finding import Pictured, ReportedFinding, fields_of
from irev.output.report import Cell, Form, Plain, Sheet, Texts, stamped, table
from irev.statistics import intervals
from irev.statistics.corrections import adjusted
from irev.statistics.intervals import Interval
from irev.statistics.plan import Plan
from irev.statistics.rounding import constant


class MeanOn(NamedTuple):
    """The mean of a run on a collection, or its macro average over those of a group; queries are None then."""

    measure: str
    run: str
    group: str
    collection: str
    queries: int | None
    mean: float


class OnCollection(NamedTuple):
    """A difference on one collection: its mean over the queries, Student's interval, and its group."""

    collection: str
    group: str
    queries: int
    difference: float
    interval: Interval | None


class Combined(NamedTuple):
    """Differences on the collections of a group, or on all of them, as one.

    Attributes
    ----------
    group : str
        Nothing for all collections.
    collections : tuple of str
        Those that have both runs.
    macro : OverCollections
        Their mean.
    macro_adjusted : float or None
        Its p-value with Holm's correction over the pairs of runs of a measure.
    random_effects : RandomEffects or None
        The meta-analysis; None where `note` says why.
    adjusted : float or None
        Its p-value, corrected in the same way.
    note : str
    """

    group: str
    collections: tuple[str, ...]
    macro: meta_analysis.OverCollections
    macro_adjusted: float | None
    random_effects: meta_analysis.RandomEffects | None
    adjusted: float | None
    note: str = ""


class AcrossCollections(NamedTuple):
    """A run against a baseline by a measure: the difference on each collection, and all of them as one."""

    measure: str
    baseline: str
    run: str
    collections: tuple[OnCollection, ...]
    combined: tuple[Combined, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Collections(Pictured, ReportedFinding):
    """Runs on several collections.

    Attributes
    ----------
    means : tuple of MeanOn
        For each measure, collection and run; those of groups of collections, and of all, last.
    better : mapping of str to str
        Which values of each measure are better: ``higher``, ``lower`` or ``neither``.
    pairs : tuple of AcrossCollections
        For each measure and pair of runs.
    confidence, alpha : float
        Of intervals, and of significance.
    policy : str
        Which queries count, in words.
    inputs : tuple of Input
    notes_of : tuple of str
        What else is to be said.
    unjudged : tuple of str
        Sentences on unjudged documents.
    """

    means: tuple[MeanOn, ...]
    better: Mapping[str, str]
    pairs: tuple[AcrossCollections, ...]
    confidence: float
    alpha: float
    policy: str
    inputs: tuple[Input, ...] = ()
    notes_of: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    columns = (
        *("measure", "baseline", "run", "group", "collection", "queries", "mean", "difference"),
        *("low", "high", "weight"),
        *("p", "adjusted", "predicted_low", "predicted_high", "tau_squared", "i_squared", "q", "p_q"),
    )
    texts = frozenset({"measure", "baseline", "run", "group", "collection"})
    exact = frozenset({"p", "adjusted", "p_q"})

    @property
    def title(self) -> str:
        names = {each.collection for each in self.means if each.queries is not None}
        return counted(len(names), "collection")

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        """A row for each mean; then for each difference, on a collection and over several. Means have no baseline."""
        for each in self.means:
            known = each._asdict()
            yield tuple(known.get(column) for column in self.columns)
        for pair in self.pairs:
            for row in _rows(pair):
                yield (*pair[:3], *(row.get(column) for column in self.columns[3:]))

    @property
    def record(self) -> dict[str, Any]:
        found = fields_of(self, "confidence", "alpha", "policy", "inputs")
        return {
            **stamped("irev collections"),
            **found,
            "notes": [*self.notes_of, *self.unjudged],
            **fields_of(self, "means", "pairs"),
        }

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield from map(self._means_of, dict.fromkeys(each.measure for each in self.means))
        header = ["n", "difference", f"{percent(self.confidence)} interval", "weight", "p holm"]
        for pair in self.pairs:
            title = f"{named(pair.measure)}, {named(pair.run)} against {named(pair.baseline)}"
            notes = [said for each in pair.combined for said in self._heterogeneity(each)]
            yield table(title, ["collection"], header, map(self._texts, _rows(pair)), notes=notes)

    def _means_of(self, measure: str) -> Sheet:
        """The means of every run by a measure, a column for each collection."""
        values = {(each.run, each.collection): each.mean for each in self.means if each.measure == measure}
        runs, names = (list(dict.fromkeys(key[place] for key in values)) for place in (0, 1))
        rows: list[dict[str, Cell | str]] = [{"run": named(run)} for run in runs]
        for name in names:
            known = [value for run in runs if not math.isnan(value := values.get((run, name), math.nan))]
            marked = len(known) > 1 and self.better[measure] != "neither"
            best = (min if self.better[measure] == "lower" else max)(known) if marked else None
            for run, row in zip(runs, rows, strict=True):
                there = values.get((run, name))
                row[name] = Cell(real(there, self.look.digits), best=there is not None and there == best)
        return replace(table(measure, ["run"], names, rows), header=("run", *map(named, names)))

    def _texts(self, row: dict[str, Any]) -> Texts:
        found: dict[str, str | Cell] = {"collection": named(row["collection"])}
        queries, weight, p = row.get("queries"), row.get("weight"), row.get("adjusted")
        found["n"] = "" if queries is None else f"{queries:,}"
        found["difference"] = signed(row["difference"], self.look.digits)
        found[f"{percent(self.confidence)} interval"] = interval(ends(row["low"], row["high"]), self.look.digits)
        found["weight"] = "" if weight is None else f"{100 * weight:.0f}%"
        if "adjusted" in row:
            found["p holm"] = Cell(p_value(p), significant=p is not None and p <= self.alpha)
        return found

    def _heterogeneity(self, found: Combined) -> Iterator[str]:
        """How much more differences vary than queries explain."""
        about = of_group(RANDOM_EFFECTS, named(found.group) if found.group else "")
        if (analysis := found.random_effects) is None:
            yield f"No {about}: {found.note}."
            return
        p, digits = p_value(analysis.q_p), self.look.digits
        test = f"Q({len(found.collections) - 1}) = {analysis.q:.2f}, p {p if p.startswith('<') else f'= {p}'}"
        said = f"{about}: τ = {real(analysis.tau_squared**0.5, digits)}, I² = {100 * analysis.i_squared:.0f}%, {test}"
        yield said + (f"; another collection: {interval(analysis.predicted, digits)}." if analysis.predicted else ".")

    @property
    def notes(self) -> Iterator[str]:
        level = percent(self.confidence)
        if not self.pairs:
            yield f"{MACRO}: collections weigh the same."
        else:
            yield from self._explained(level)
        if any(each.run not in self._averaged for each in self.means):
            yield f"A run that lacks a collection has no {MACRO}."
        counts = {each.collection: each.queries for each in self.means if each.queries is not None}
        listed = ", ".join(f"{named(name)} {count:,}" for name, count in counts.items())
        yield f"Queries: {self.policy}: {listed}."
        yield from map(named, (*self.notes_of, *self.unjudged))

    @property
    def _averaged(self) -> frozenset[str]:
        """The runs that are on every collection."""
        return frozenset(each.run for each in self.means if each.collection == MACRO)

    def _explained(self, level: str) -> Iterator[str]:
        yield (
            f"n: queries. interval, {level}: of a collection, Student's, {intervals.WIDER}, for other queries; of"
            f" what is made of several, for other collections. {MACRO}: collections weigh the same; Student's interval"
            " over them."
            f" {RANDOM_EFFECTS}: DerSimonian and Laird's, with the modified interval of Hartung and Knapp. p holm:"
            " p-values, with Holm's correction over pairs of runs."
        )
        yield (
            "τ: how much true differences vary between collections (SD). I²: the share of the variance that queries do"
            f" not explain. Q: Cochran's test of it. another collection: {level} prediction interval."
        )
        rows = (row for pair in self.pairs for row in _rows(pair))
        if any(p is not None and p <= self.alpha for p in (row.get("adjusted") for row in rows)):
            yield f"* significant at {decimal(self.alpha)}."

    def drawn(self, form: Form) -> bytes:
        """A forest plot: the difference on each collection, and below them what is made of all."""
        if not self.pairs:
            raise UsageError("no two runs are on the same collection, so there are no differences to draw")
        numbers = []
        for pair in self.pairs:
            for group in [each.group for each in pair.combined] or [""]:
                rows = (row for row in _rows(pair) if row["group"] == group or ("queries" in row and not group))
                estimates = tuple(
                    Estimate(named(row["collection"]), row["difference"], ends(row["low"], row["high"])) for row in rows
                )
                name = f"{named(pair.run)} − {named(pair.baseline)}"
                numbers.append(Estimated(pair.measure, name + (f", {named(group)}" if group else ""), estimates, True))
        caption = " ".join([f"Intervals at {percent(self.confidence)}.", *self.unjudged])
        return figure_of_estimates(numbers, form, caption)

    def __repr__(self) -> str:
        return f"<Collections: {counted(len(self.pairs), 'pair')}, {self.title.lower()}>"


def _rows(pair: AcrossCollections) -> Iterator[dict[str, Any]]:
    """What there is to say of a pair, as rows: of each collection, of each group and of all."""
    whole = next((each for each in pair.combined if not each.group), None)
    weights = whole.random_effects.weights if whole is not None and whole.random_effects is not None else ()
    for place, each in enumerate(pair.collections):
        low, high = each.interval or (None, None)
        yield {
            **{"group": each.group, "collection": each.collection, "queries": each.queries},
            **{"difference": each.difference, "low": low, "high": high},
            "weight": weights[place] if weights else None,
        }
    for found in pair.combined:
        macro, analysis = found.macro, found.random_effects
        yield _averaged(found.group, MACRO, macro) | {"adjusted": found.macro_adjusted}
        if analysis is not None:
            low, high = analysis.predicted or (None, None)
            yield {
                **_averaged(found.group, RANDOM_EFFECTS, analysis.over),
                **{"adjusted": found.adjusted, "predicted_low": low, "predicted_high": high},
                **{"tau_squared": analysis.tau_squared, "i_squared": analysis.i_squared},
                **{"q": analysis.q, "p_q": analysis.q_p},
            }


def _averaged(group: str, name: str, over: meta_analysis.OverCollections) -> dict[str, Any]:
    row = {"group": group, "collection": of_group(name, group), "difference": over.mean}
    return row | {"low": over.low, "high": over.high, "p": over.p}


class Part(NamedTuple):
    """A collection, and its runs."""

    name: str
    group: str
    found: Gathered


def answer(inputs: Inputs, choices: CollectionsChoices) -> Collections:
    """The means of runs on each of the collections in a file, their differences, and what all of them say."""
    listed = read(choices.path or "")
    return across([Part(each.name, each.group, systems_of(inputs_of(inputs, each))) for each in listed], choices)


def across(parts: Sequence[Part], choices: CollectionsChoices) -> Collections:
    """The same of collections whose runs are evaluated. Raises `UsageError` for an unknown baseline."""
    runs = [*dict.fromkeys(run for part in parts for run in part.found.aligned.runs)]
    wanted = pairs_of(len(runs), choices.first(runs))
    shared = _shared(parts)
    pairs: list[AcrossCollections] = []
    for quantity in shared:
        found = (_across(parts, quantity, runs[base], runs[run], choices) for base, run in wanted)
        pairs += _corrected([pair for pair in found if pair.collections])
    notes = [note for part in parts for note in part.found.notes]
    for run in runs:
        if lacking := [part.name for part in parts if run not in part.found.aligned.runs]:
            notes.append(f"{run} is not in {', '.join(lacking)}.")
    return Collections(
        tuple(mean for quantity in shared for mean in _means(parts, quantity, runs)),
        {quantity.standard: quantity.better for quantity in shared},
        tuple(pairs),
        choices.confidence,
        ALPHA,
        parts[0].found.policy,
        tuple(dict.fromkeys(file for part in parts for file in part.found.inputs)),
        tuple(dict.fromkeys(notes)),
        tuple(_on_unjudged(parts, [(runs[base], runs[run]) for base, run in wanted])),
    )


def _values(part: Part, quantity: Quantity) -> Floats:
    """(n, k) The values of every query and run of a collection."""
    (values,) = (each.values for each in part.found.aligned.measured if each.quantity == quantity)
    return values


def _means(parts: Sequence[Part], quantity: Quantity, runs: Sequence[str]) -> Iterator[MeanOn]:
    """The mean of every run on every collection, and its macro averages over those of a group and over all."""
    found: dict[tuple[str, str], float] = {}
    for part in parts:
        values = _values(part, quantity)
        for place, run in enumerate(part.found.aligned.runs):
            value = found[run, part.name] = mean(values[:, place])
            yield MeanOn(quantity.standard, run, part.group, part.name, len(values), value)
    for group in groups_of(part.group for part in parts):
        names = [part.name for part in parts if group in ("", part.group)]
        for run in runs:
            if all((run, name) in found for name in names):
                value = math.fsum(found[run, name] for name in names) / len(names)
                yield MeanOn(quantity.standard, run, group, of_group(MACRO, group), None, value)


def _on_unjudged(parts: Sequence[Part], wanted: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Name the collections on which clearly more is judged of one run than of another."""
    every = [(part, part.found.aligned, measured) for part in parts for measured in part.found.aligned.measured]
    yield from unknown_shares(measured.unknown for _, _, measured in every)
    uneven = []
    for part, aligned, measured in every:
        pairs = [
            (aligned.runs.index(base), aligned.runs.index(run))
            for base, run in wanted
            if {base, run} <= {*aligned.runs}
        ]
        if pairs and any(unevenly_judged(measured, pairs)):
            uneven.append(part.name)
    if uneven:
        listed = ", ".join(dict.fromkeys(uneven))
        yield f"Clearly more is judged of one run than of another on {listed}: compare the runs of each alone."


def _shared(parts: Sequence[Part]) -> list[Quantity]:
    """What is measured on every collection."""
    first, *others = ([each.quantity for each in part.found.aligned.measured] for part in parts)
    shared = [quantity for quantity in first if all(quantity in other for other in others)]
    if not shared:
        raise UsageError("the collections have no measure in common", remedy="evaluate all of them by the same")
    return shared


def _across(
    parts: Sequence[Part], quantity: Quantity, baseline: str, run: str, choices: CollectionsChoices
) -> AcrossCollections:
    """A pair of runs on the collections that have both."""
    found, variances = [], []
    for part in parts:
        names = part.found.aligned.runs
        if baseline not in names or run not in names:
            continue
        values = _values(part, quantity)
        (gains,) = differences_of(values, [(names.index(baseline), names.index(run))]).T
        largest = intervals.possible(values)
        (span,) = intervals.of_differences(gains[:, None], Plan(confidence=choices.confidence), largest)
        found.append(OnCollection(part.name, part.group, len(gains), float(gains.mean()), span))
        (more,) = intervals.unseen(gains[:, None], largest)
        varies = span is not None and not constant(gains)
        variances.append(more**2 + (float(gains.var(ddof=1)) / len(gains) if varies else 0.0))
    combined = [
        _combined(
            group, [places for places in zip(found, variances, strict=True) if group in ("", places[0].group)], choices
        )
        for group in groups_of(each.group for each in found)
    ]
    kept = tuple(each for each in combined if each is not None)
    return AcrossCollections(quantity.standard, baseline, run, tuple(found), kept)


def _combined(group: str, listed: Sequence[tuple[OnCollection, float]], choices: CollectionsChoices) -> Combined | None:
    """Differences with their variances as one; None where there are not two of them, or one has no variance at all."""
    if len(listed) < 2:
        return None
    differences, variances = (
        np.array(each) for each in zip(*((one.difference, of) for one, of in listed), strict=True)
    )
    if not np.isfinite(differences).all():
        return None
    macro = meta_analysis.macro_average(differences, choices.confidence)
    names = tuple(each.collection for each, _ in listed)
    if still := [each for each, variance in listed if not variance]:
        one, more = ([each.collection for each in still if (each.queries == 1) == single] for single in (True, False))
        said = [
            *([f"{', '.join(map(named, one))} {'has' if len(one) == 1 else 'have'} one query"] if one else []),
            *([f"differences of the queries of {', '.join(map(named, more))} do not vary"] if more else []),
        ]
        note = f"{'; '.join(said)}, which gives no standard error"
        return Combined(group, names, macro, None, None, None, note)
    analysis = meta_analysis.random_effects(differences, variances, choices.confidence)
    return Combined(group, names, macro, None, analysis, None)


def _corrected(pairs: Sequence[AcrossCollections]) -> Iterator[AcrossCollections]:
    """Pairs of runs with p-values that are corrected over the pairs, for each group alone."""
    held: dict[str, list[Combined]] = {}
    for pair in pairs:
        for each in pair.combined:
            held.setdefault(each.group, []).append(each)
    corrected: dict[str, Iterator[tuple[float | None, float | None]]] = {}
    for group, found in held.items():
        macro = adjusted("holm", [each.macro.p for each in found])
        random = adjusted("holm", [each.random_effects and each.random_effects.over.p for each in found])
        corrected[group] = zip(macro, random, strict=True)
    for pair in pairs:
        both = [(each, *next(corrected[each.group])) for each in pair.combined]
        combined = tuple(each._replace(macro_adjusted=macro, adjusted=random) for each, macro, random in both)
        yield pair._replace(combined=combined)
