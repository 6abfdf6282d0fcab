"""Runs as systems that can be compared, whether just evaluated, saved before, or measured by another program."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irev.base.directions import Direction, directed, directions_in, usual
from irev.base.errors import ComparisonWarning, InputError, UsageError, shown
from irev.base.registry import did_you_mean
from irev.base.settings import (
    ALL,
    BOTH,
    COUNTING,
    DEFAULT_MEASURES,
    DRAWN_MEASURES,
    KNOWN,
    VALUES,
    Settings,
    changing,
    policy_of,
)
from irev.evaluation import saved
from irev.evaluation.comparison import Aligned, Condensed, Quantity, QueryValues, System, align
from irev.evaluation.files import names_of
from irev.evaluation.inputs import (
    HeldEvaluations,
    Inputs,
    evaluate,
    refuse_evaluating,
    refuse_idle_scales,
    warn_of_runs,
)
from irev.evaluation.notes import filled_notes
from irev.evaluation.result import Input, Outcome, Result, same_judgments
from irev.evaluation.scores import (
    SAVED,
    changes_with_judgments,
    judged_among_first,
    suited,
    with_best,
    without_unjudged,
)
from irev.measures import Request, parse
from irev.measures.request import bootstrapped, warn_of_aggregates
from irev.reading.formats import head_of
from irev.reading.sources import Source


class Saved(NamedTuple):
    """What files of scores hold.

    Attributes
    ----------
    systems : tuple of System
    inputs : tuple of Input
        The files.
    files : tuple of str
        The file of each system.
    notes : tuple of str
        What makes a comparison doubtful.
    """

    systems: tuple[System, ...]
    inputs: tuple[Input, ...]
    files: tuple[str, ...]
    notes: tuple[str, ...]


class Gathered(NamedTuple):
    """Runs on the same queries, and where they are from.

    Attributes
    ----------
    aligned : Aligned
    policy : str
        Which queries count, in words.
    inputs : tuple of Input
    files : tuple of str
        The file of each run.
    notes : tuple of str
        What makes a comparison doubtful.
    """

    aligned: Aligned
    policy: str
    inputs: tuple[Input, ...]
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


def place_of(run: str, runs: Sequence[str], files: Sequence[str]) -> int:
    """The place of a run by its name or its file. Raises `UsageError` where there is none."""
    for known in (runs, files):
        if run in known:
            return list(known).index(run)
    raise UsageError(f"there is no run '{run}'", remedy=did_you_mean(run, runs, f"there are {', '.join(runs)}"))


def of_outcome(outcome: Outcome) -> System:
    """A run that was evaluated, by all measures that have numbers for single queries."""
    values = {
        quantity_of(column.request): QueryValues(tuple(outcome.scores.queries), column.values.astype(np.float64))
        for column in outcome.columns
        if column.request.measure.numeric
    }
    missing = () if outcome.scores.complete else tuple(outcome.facts.not_retrieved)
    return System(outcome.run, values, missing, _condensed(outcome))


def require_common(outcomes: Sequence[Outcome]) -> None:
    """Refuse runs of which none has results for a query that counts: all would score 0."""
    if all(each.facts.known and {*each.facts.not_retrieved}.issuperset(each.scores.queries) for each in outcomes):
        run = outcomes[0]
        judged = shown(run.scores.queries[0])
        fact = f"no run has results for a query that counts: the first is {judged} in the judgments"
        other = "".join(f" and {shown(query)} in {run.run}" for query in run.facts.not_judged[:1])
        raise InputError(f"{fact}{other}", remedy="do the files belong together?")


def _condensed(outcome: Outcome) -> dict[Quantity, Condensed[QueryValues] | str]:
    """Values without unjudged documents, or why they are unknown, of each measure that these documents could change."""
    queries = tuple(outcome.scores.queries)
    # A share that has no weight is that of a query without results.
    beside = {
        column.request: QueryValues(
            queries,
            column.values if column.weights is None else np.where(column.weights > 0, column.values, np.nan),
        )
        for column in outcome.scores.beside
    }
    retrieved = (outcome.facts.judged / max(len(queries), 1),)
    found: dict[Quantity, Condensed[QueryValues] | str] = {}
    for column in outcome.columns:
        request, quantity = column.request, quantity_of(column.request)
        if (without := without_unjudged(request)) in beside:
            judged, best = judged_among_first(request), with_best(request)
            known = beside[judged], beside[without], None if best is None else beside.get(best)
            found[quantity] = Condensed(judged.cutoff or 0, *known, retrieved=retrieved)
        elif changes_with_judgments(request):
            found[quantity] = outcome.unknown_shares
    return found


def aligned_outcomes(outcomes: Sequence[Outcome], requests: Iterable[Request], both: bool) -> Aligned:
    """Runs that were evaluated, on the same queries, as `align` has them, by some measures."""
    return align([of_outcome(each) for each in outcomes], [*dict.fromkeys(map(quantity_of, requests))], both)


def quantity_of(request: Request) -> Quantity:
    """What a request measures."""
    return Quantity(request.label, request.standard, request.better, request.of_one)


def hold_scores(paths: Sequence[str]) -> bool:
    """Whether the first of some files has values of single queries, rather than judgments.

    Only of files that can be opened again: what was read of a pipe to know it would be lost.

    Raises `UsageError` when another one has, and the first has not.
    """
    first, *others = [path for path in paths if not path.startswith("@")] or [""]
    if _has_scores(first):
        return True
    for path in others:
        if _has_scores(path):
            fact = f"{path} has values of queries, but {first} has judgments"
            raise UsageError(fact, remedy="give judgments and runs, or only results")
    return False


def _has_scores(path: str) -> bool:
    if not os.path.isfile(path):  # a pipe is read once
        return False
    with Source(path) as source:
        return saved.has_values(source)


def holds_pairs(path: str) -> bool:
    """Whether a file begins with a query and its value, and nothing else, in a line; these are read when asked for."""
    if not os.path.isfile(path):
        return False
    with Source(path) as source:
        fields = head_of(source).partition(b"\n")[0].split()
    return len(fields) == 2 and re.fullmatch(rb"-?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?", fields[1]) is not None


def read(
    paths: Sequence[str],
    names: Sequence[str],
    note: Callable[[str], None],
    better: Mapping[str, Direction] | None = None,
) -> Saved:
    """The runs in files of scores: records of irev, and what other evaluators wrote.

    Parameters
    ----------
    paths : sequence of str
    names : sequence of str
        What to call the runs; empty to call them as the files do.
    note : callable
        Is told when names are not those in the files.
    better : mapping of str to str, optional
        Which value is the better one, of measures that irev does not know.

    Raises
    ------
    InputError, UsageError
        For a file that has no such values, and for names that are not as many as runs.
    """
    found: list[tuple[str, System]] = []
    inputs: list[Input] = []
    judged: list[Sequence[Input]] = []
    settings: list[Settings] = []
    for path in paths:
        with Source(path, digest=True) as source:
            result = saved.read(source, better=better, scores=True, warn=note)
            systems_found = _of_result(result, source.name)
            if all(outcome.facts.known for outcome in result.outcomes):
                settings.append(result.settings)
            elif len(paths) == 1:
                systems_found = _runs_in_columns(result, systems_found, better or {})
            found += [(path, system) for system in systems_found]
            if qrels := [file for file in result.inputs if file.role == "qrels"]:
                judged.append(qrels)
            inputs.append(Input("scores", source.name, *source.digest()))
    called = names_of([path for path, _ in found], [system.name for _, system in found], names, note)
    systems = tuple(system._replace(name=name) for name, (_, system) in zip(called, found, strict=True))
    notes = made_otherwise(
        "the results were saved", not all(same_judgments(judged[0], each) for each in judged), settings
    )
    return Saved(systems, tuple(inputs), tuple(path for path, _ in found), tuple(notes))


def made_otherwise(said: str, other_judgments: bool, settings: Sequence[Settings]) -> list[str]:
    """What makes a comparison of results doubtful that are there already, which are `said` to be made."""
    notes = []
    if other_judgments:
        notes.append(f"{said} under different judgments, which may explain a difference")
    if apart := [name for name in changing(VALUES) if len({getattr(each, name) for each in settings}) > 1]:
        notes.append(f"{said} with different options ({', '.join(apart)}); which may explain a difference")
    return notes


def left_out_measures(requests: Sequence[Request], compared: Sequence[Quantity]) -> list[str]:
    """What is said of measures that were asked for and that runs are not compared by, if there are any."""
    why: dict[str, list[str]] = {}
    for request in dict.fromkeys(each.base for each in requests):
        if (quantity := quantity_of(request)) in compared:
            continue
        if not (request.measure.numeric and request.measure.per_query):
            reason = "no numbers for single queries"
        else:
            reason = "neither high nor low is better" if quantity.better == "neither" else "not all runs have values"
        why.setdefault(reason, []).append(quantity.standard)
    listed = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in why.items())
    return [f"not compared: {listed}"] if why else []


def policy_of_saved(systems: Sequence[System], both: bool) -> str:
    """Which queries count of what files hold, in words: a record may know of a query that no file has a value of."""
    if both:
        return BOTH
    has = {query for system in systems for of in system.measured.values() for query in of.queries}
    return ALL if has.issuperset(query for system in systems for query in system.missing) else KNOWN


def _of_result(result: Result, name: str) -> list[System]:
    saved.require_queries(result, name)
    if result.several_qrels:
        raise InputError("results under several judgments", name, "save those under one of them")
    return [of_outcome(outcome) for outcome in result.outcomes]


def _runs_in_columns(result: Result, systems: list[System], better: Mapping[str, Direction]) -> list[System]:
    """The only run there is as several, where its columns are runs and no measures: ``query,System A,System B``."""
    (first, *others) = result.outcomes
    columns = first.scores.columns
    if others or first.scores.tag or len(columns) < 2:
        return systems
    if any(column.request.measure.computed or usual(column.request.label) for column in columns):
        return systems
    values = systems[0].measured
    value = Quantity(_VALUE, _VALUE, better.get(_VALUE, "higher"))
    return [System(quantity.label, {value: values[quantity]}, condensed={value: SAVED}) for quantity in values]


_VALUE = "value"
"""What values of no known measure are called."""


def asked(names: Sequence[str], compat: str) -> tuple[Quantity, ...]:
    """The quantities that runs are to be evaluated and compared by; of a set of measures those that tell runs apart.

    Raises `UsageError` for a measure that has no numbers for single queries.
    """
    found: list[Quantity] = []
    # All names together say what a bare one stands for: beside P.1 it is for no other cutoffs.
    every = {quantity_of(request.base) for request in parse(names, compat)}
    for name in names:
        requests = parse([name], compat)
        numeric = [request.base for request in requests if request.measure.numeric and request.measure.per_query]
        if not numeric:
            raise UsageError(f"{name} has no numbers for single queries", remedy="compare runs by another measure")
        telling = [request for request in numeric if request.better != "neither"]
        found += map(quantity_of, telling if telling and len(requests) > 1 else numeric)
    return tuple(quantity for quantity in dict.fromkeys(found) if quantity in every)


def wanted(systems: Sequence[System], names: Sequence[str]) -> tuple[Quantity, ...]:
    """The quantities to compare by: those asked for, or all that every system has.

    Raises `UsageError` for a name that not all of them have, and when they share none.
    """
    common = [
        quantity for quantity in systems[0].measured if all(quantity in system.measured for system in systems[1:])
    ]
    if not common:
        raise UsageError("the results have no measure in common", remedy="save them with the same -m")
    if not names:
        return tuple(quantity for quantity in common if quantity.better != "neither") or tuple(common)
    return tuple(dict.fromkeys(each for name in names for each in _named(common, name)))


def _named(common: Sequence[Quantity], name: str) -> list[Quantity]:
    try:
        asked = [quantity_of(request) for request in parse([name])]
        asked = [each for each in common if each.label == name] or asked  # as another program called it
    except UsageError:
        label = directed(name)[0]
        asked = [each for each in common if each.label == label] or [Quantity(label, label)]
    for each in asked:
        if each not in common:
            known = [text for quantity in common for text in (quantity.standard, quantity.label)]
            near = did_you_mean(each.standard, known) or f"they share {', '.join(q.standard for q in common[:9])}"
            raise UsageError(f"not all results have the measure '{each.standard}'", remedy=near)
    return asked


# What is asked about, as systems


def systems_of(inputs: Inputs, unjudged: str | None = None) -> Gathered:
    """Every run, with its values of the same queries, expected ones where grades of `unjudged` are drawn."""
    if inputs.held is not None:
        return _held_systems(inputs, inputs.held)
    if inputs.judgments:
        return _evaluated_systems(inputs, unjudged)
    if unjudged is not None:
        fact = "saved results have no documents whose grades could be drawn"
        raise UsageError(f"{fact}; give judgments and runs, or leave out --unjudged")
    return _saved_systems(inputs)


def _saved_systems(inputs: Inputs) -> Gathered:
    """The runs in files of saved results."""
    if inputs.settings.queries != "both":
        raise UsageError("for saved results, --queries is qrels (all queries) or both (queries that all have)")
    refuse_evaluating(inputs)
    given = read(inputs.runs, inputs.names, inputs.warn, directions_in(inputs.measures))
    for said in given.notes:
        inputs.warn(said)
    policy = policy_of_saved(given.systems, not inputs.settings.complete)
    aligned = _comparable(inputs, given.systems, wanted(given.systems, inputs.measures), _shared(inputs.settings))
    return Gathered(aligned, policy, given.inputs, given.files, given.notes)


def _evaluated_systems(inputs: Inputs, unjudged: str | None) -> Gathered:
    """The runs in files, evaluated."""
    ((_, judged),) = inputs.judgments
    if inputs.settings.qrels_format is None and holds_pairs(judged):
        fact = f"'{judged}' has lines of a query and a value, which are no judgments"
        raise UsageError(f"{fact}; add --scores to compare values")
    measures, compat = inputs.measures or DEFAULT_MEASURES, inputs.settings.compat
    if unjudged is not None:
        measures = bootstrapped(inputs.measures or DRAWN_MEASURES, compat, inputs.warn)
    quantities = asked(measures, compat)
    requests = parse(measures, compat, inputs.warn_of_measure)
    warn_of_aggregates(requests, inputs.warn)
    settings = suited(inputs.settings, requests, inputs.warn)
    refuse_idle_scales(inputs, requests)
    notes = tuple(left_out_measures(requests, quantities))
    for said in notes:
        inputs.warn(said)
    found = evaluate(inputs, requests, settings, digest=True, unjudged=True)
    require_common(found.outcomes)
    warn_of_runs(inputs, found, settings=settings)
    shared = _shared(settings)
    aligned = _comparable(inputs, [of_outcome(outcome) for outcome in found.outcomes], quantities, shared)
    return Gathered(aligned, policy_of(settings, shared), found.inputs, tuple(inputs.runs), notes)


def _held_systems(inputs: Inputs, held: HeldEvaluations) -> Gathered:
    """Evaluations that exist already."""
    found = [*map(of_outcome, held.outcomes)]
    if len(found) < held.least:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    require_common(held.outcomes)
    quantities = wanted(found, ())
    first, *others = ([getattr(each, name) for name in changing(COUNTING)] for each in held.settings)
    if not all(each.facts.known for each in held.outcomes):
        policy = policy_of_saved(found, held.both)
    elif all(each == first for each in others):
        policy = policy_of(held.settings[0], held.both)
    else:
        policy = BOTH if held.both else KNOWN
    notes = made_otherwise("the evaluations were made", held.same_judgments is False, held.settings)
    if inputs.measures:
        requests = parse(inputs.measures, held.settings[0].compat, inputs.warn_of_measure)
        notes += left_out_measures(requests, quantities)
    for said in notes:
        inputs.warn(said, ComparisonWarning)
    aligned = _comparable(inputs, found, quantities, held.both)
    return Gathered(aligned, policy, (), (), tuple(notes))


def _comparable(inputs: Inputs, found: Sequence[System], quantities: Sequence[Quantity], shared: bool) -> Aligned:
    """The systems on the same queries; warns of queries that are left out or count as 0."""
    aligned = align(found, quantities, both=shared)
    inputs.tell(filled_notes(aligned.filled, aligned.left_out))
    return aligned


def _shared(settings: Settings) -> bool:
    """Return True if only queries that all runs have count."""
    return settings.queries == "both" and not settings.complete
