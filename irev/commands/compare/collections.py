"""Differences of runs on several collections: on each, their macro average, and their random-effects meta-analysis.

Queries say how sure the difference on a collection is. How sure it is for collections that were not measured, only the
differences between collections say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import UsageError, decimal
from irev.base.records import dataclass
from irev.base.text import counted, ends, interval, named, p_value, percent, real, signed
from irev.commands.compare import CompareChoices
from irev.evaluation.collections import RANDOM_EFFECTS, groups_of, of_group
from irev.evaluation.comparison import Quantity, differences_of, pairs_of
from irev.evaluation.comparison.contrasts import unevenly_judged
from irev.evaluation.comparison.systems import Gathered, collections_of
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import unknown_shares
from irev.evaluation.result import MACRO, Input
from irev.output.finding import Pictured, ReportedFinding, fields_of
from irev.output.report import Cell, Form, Plain, Sheet, Texts, stamped, table
from irev.statistics import intervals, meta_analysis
from irev.statistics.corrections import adjusted
from irev.statistics.intervals import Interval
from irev.statistics.plan import Plan
from irev.statistics.rounding import constant


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
class CollectionDifferences(Pictured, ReportedFinding):
    """Differences of runs on several collections.

    Attributes
    ----------
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

    pairs: tuple[AcrossCollections, ...]
    confidence: float
    alpha: float
    policy: str
    inputs: tuple[Input, ...] = ()
    notes_of: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    columns = (
        *("measure", "baseline", "run", "group", "collection", "queries", "difference", "low", "high", "weight"),
        *("p", "adjusted", "predicted_low", "predicted_high", "tau_squared", "i_squared", "q", "p_q"),
    )
    texts = frozenset({"measure", "baseline", "run", "group", "collection"})
    exact = frozenset({"p", "adjusted", "p_q"})

    @property
    def title(self) -> str:
        names = {each.collection for pair in self.pairs for each in pair.collections}
        return f"Differences on {counted(len(names), 'collection')}"

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        """A row for each collection, and for what is made of them."""
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
            **fields_of(self, "pairs"),
        }

    @property
    def sheets(self) -> Iterator[Sheet]:
        header = ["n", "difference", f"{percent(self.confidence)} interval", "weight", "p holm"]
        for pair in self.pairs:
            title = f"{named(pair.measure)}, {named(pair.run)} against {named(pair.baseline)}"
            notes = [said for each in pair.combined for said in self._heterogeneity(each)]
            yield table(title, ["collection"], header, map(self._texts, _rows(pair)), notes=notes)

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
        yield f"Queries: {self.policy}."
        yield from map(named, (*self.notes_of, *self.unjudged))

    def drawn(self, form: Form) -> bytes:
        """A forest plot: the difference on each collection, and below them what is made of all."""
        from irev.output.figures import figure_of_estimates
        from irev.output.figures.bars import Estimate, Estimated

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
        return figure_of_estimates(numbers, form, caption, self.title)

    def __repr__(self) -> str:
        return f"<CollectionDifferences: {counted(len(self.pairs), 'pair')}, {self.title.lower()}>"


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


class _Part(NamedTuple):
    """A collection, and its runs."""

    name: str
    group: str
    found: Gathered


def collection_differences(inputs: Inputs, choices: CompareChoices, path: str) -> CollectionDifferences:
    """The differences of runs on each of the collections in a file, and what all of them say.

    Raises
    ------
    UsageError
        Where no two runs are on the same collection, and for an unknown baseline.
    """
    parts = [_Part(*each) for each in collections_of(inputs, path)]
    runs = [*dict.fromkeys(run for part in parts for run in part.found.aligned.runs)]
    wanted = pairs_of(len(runs), choices.first(runs, ()))
    pairs: list[AcrossCollections] = []
    for quantity in _shared(parts):
        across = (_across(parts, quantity, runs[base], runs[run], choices) for base, run in wanted)
        pairs += _corrected([pair for pair in across if pair.collections])
    if not pairs:
        raise UsageError("there is nothing to compare", remedy="give at least two runs of the same collection")
    notes = [note for part in parts for note in part.found.notes]
    for run in runs:
        if lacking := [part.name for part in parts if run not in part.found.aligned.runs]:
            notes.append(f"{run} is not in {', '.join(lacking)}.")
    return CollectionDifferences(
        tuple(pairs),
        choices.confidence,
        choices.alpha,
        parts[0].found.policy,
        tuple(dict.fromkeys(file for part in parts for file in part.found.inputs)),
        tuple(dict.fromkeys(notes)),
        tuple(_on_unjudged(parts, [(runs[base], runs[run]) for base, run in wanted])),
    )


def _on_unjudged(parts: Sequence[_Part], wanted: Sequence[tuple[str, str]]) -> Iterator[str]:
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


def _shared(parts: Sequence[_Part]) -> list[Quantity]:
    """What is measured on every collection."""
    first, *others = ([each.quantity for each in part.found.aligned.measured] for part in parts)
    shared = [quantity for quantity in first if all(quantity in other for other in others)]
    if not shared:
        raise UsageError("the collections have no measure in common", remedy="evaluate all of them by the same")
    return shared


def _across(
    parts: Sequence[_Part], quantity: Quantity, baseline: str, run: str, choices: CompareChoices
) -> AcrossCollections:
    """A pair of runs on the collections that have both."""
    found, variances = [], []
    for part in parts:
        names = part.found.aligned.runs
        if baseline not in names or run not in names:
            continue
        (values,) = (each.values for each in part.found.aligned.measured if each.quantity == quantity)
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


def _combined(group: str, listed: Sequence[tuple[OnCollection, float]], choices: CompareChoices) -> Combined | None:
    """Differences with their variances as one; None where there are not two of them, or one has no variance at all."""
    differences, variances = (
        np.array(each) for each in zip(*((one.difference, of) for one, of in listed), strict=True)
    )
    if len(listed) < 2 or not np.isfinite(differences).all():
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
