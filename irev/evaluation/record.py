"""The record of a result: everything that was computed and what it was computed from, as dictionaries and lists.

`record` makes it of a `Result`, and `irev.evaluation.saved` makes the same `Result` of it again.
``docs/result.schema.json`` describes every key. Numbers are unrounded, ids are text with the bytes that are no UTF-8 as
lone surrogates, and what is no finite number is ``"inf"``, ``"-inf"`` or ``"nan"``, which JSON has no numbers for.
Nothing in it tells when or where it was made: the same files and options give the same record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from irev.base.settings import ABOUT, COLUMNS, Settings
from irev.base.text import decoded
from irev.errors import decimal
from irev.evaluation.result import Outcome, Result
from irev.evaluation.summary import Summarised, Summary
from irev.measures import Request
from irev.measures.measure import Measure
from irev.measures.parameters import Cutoffs

FORMAT, VERSION = "irev result", 1
"""`VERSION` rises when a key goes or means something else; a reader leaves keys alone that it does not know."""


def record(result: Result, standard: bool = False) -> dict[str, Any]:
    """The record of a result, with the values of single queries and of all of them where these are wanted.

    Values are called as trec_eval does, or as papers do where `standard` says so; of two alike the second has ``#2``
    behind it.
    """
    keys = _keys(result, standard)
    return {
        "format": FORMAT,
        "version": VERSION,
        "irev": result.version,
        "options": _options(result.settings),
        "policy": _policy(result),
        **({} if result.precision is None else {"precision": result.precision}),
        "measures": [_measure(request, keys) for request in result.requests],
        "inputs": [file.recorded() for file in result.inputs],
        "results": [_outcome(outcome, result, keys) for outcome in result.outcomes],
    }


def _keys(result: Result, standard: bool) -> dict[Request, str]:
    """What the values of each request are called, and those of single queries, which know no aggregate."""
    requests = dict.fromkeys([*result.requests, *(request.base for request in result.requests)])
    keys: dict[str, Request] = {}
    for request in requests:
        name, number = request.standard if standard else request.label, 1
        key = name
        while key in keys:  # two recall levels may share a label
            number += 1
            key = f"{name}#{number}"
        keys[key] = request
    return {request: key for key, request in keys.items()}


def _options(settings: Settings) -> dict[str, Any]:
    options = {name: getattr(settings, name) for name, about in ABOUT.items() if about.recorded}
    for name in ("costs", "grade_words"):
        numbers = options.pop(name)
        if numbers is not None:
            options[name] = {decoded(each) if isinstance(each, bytes) else each: number for each, number in numbers}
    return options | {
        "only": None if settings.only is None else decoded(settings.only),
        **{name: dict(getattr(settings, name)) for name in COLUMNS},
        "queries": settings.queries if isinstance(settings.queries, str) else [decoded(q) for q in settings.queries],
        "gains": None if settings.gains is None else [list(pair) for pair in settings.gains],
    }


def _policy(result: Result) -> dict[str, str]:
    """What the options come to, in words."""
    settings = result.settings
    precision = ", in single precision" if settings.single_precision else ""
    return {
        "queries": result.policy,
        "relevant": f"a grade of {decimal(settings.level)} or more",
        "unjudged": "dropped, and the ranks closed" if settings.judged_only else "not relevant",
        "negative grades": settings.meaning("negative"),
        "order": settings.meaning("order") + (precision if settings.order == "score" else ""),
        "ties": settings.meaning("ties"),
        "duplicates": settings.meaning("duplicates"),
    }


def _measure(request: Request, keys: Mapping[Request, str]) -> dict[str, Any]:
    measure = request.measure
    return {
        "key": keys[request],
        "label": request.label,
        "standard": request.standard,
        "measure": measure.name,
        "definition": _definition(measure),
        "kind": measure.kind,
        "aggregate": request.aggregate or measure.summary,
        "cutoff": request.value.value if isinstance(measure.parameter, Cutoffs) else request.k,
        "level": request.level,
        "judged_only": request.judged_only,
        "bound": request.bound or None,
        "better": request.better,
        "per_query": keys[request.base] if measure.per_query else None,
    }


def _definition(measure: Measure) -> str:
    """The first sentence of its documentation."""
    return " ".join(measure.documentation.strip().partition("\n\n")[0].split())


def _outcome(outcome: Outcome, result: Result, keys: Mapping[Request, str]) -> dict[str, Any]:
    facts, scores = outcome.facts, outcome.scores
    groups = {}
    for group in outcome.groups:
        summary = {"summary": _summary(group.summary, result, keys)} if result.summarised else {}
        queries = [decoded(query) for query in group.queries]
        groups[decoded(group.name)] = {"size": int(group.size), "queries": queries, **summary}
    made: dict[str, Any] = {
        "run": outcome.run,
        "qrels": outcome.qrels,
        "tag": decoded(scores.tag),
        "counts": {
            "queries": int(scores.considered),
            "judged": int(facts.judged),
            "unjudged": int(facts.unjudged),
            "tied": int(facts.tied),
            "positive_judgments": int(scores.positive_judgments),
            "not_retrieved": [decoded(query) for query in facts.not_retrieved],
            "not_judged": [decoded(query) for query in facts.not_judged],
        },
        "queries": [decoded(query) for query in scores.queries],
    }
    if result.summarised:
        made["summary"] = _summary(outcome.summary, result, keys)
    made["groups"] = groups
    if result.per_query:
        columns = {keys[column.request]: column for column in outcome.columns}
        made["per_query"] = _table(made["queries"], {key: column.values for key, column in columns.items()})
        weights = {key: column.weights for key, column in columns.items() if column.weights is not None}
        if weights:
            made["weights"] = _table(made["queries"], weights)
    return made


def _summary(summary: Summary, result: Result, keys: Mapping[Request, str]) -> dict[str, Any]:
    values = zip(result.requests, summary.values, strict=True)
    return {keys[request]: _plain(value) for request, value in values if value is not None}


def _table(queries: Sequence[str], columns: Mapping[str, npt.NDArray[Any]]) -> dict[str, dict[str, Any]]:
    """A row of values for each query."""
    cells = [_cells(values) for values in columns.values()]
    rows = zip(*cells, strict=True) if cells else [()] * len(queries)
    return {query: dict(zip(columns, row, strict=True)) for query, row in zip(queries, rows, strict=True)}


def _cells(values: npt.NDArray[Any]) -> list[Any]:
    plain = values.dtype.kind == "i" or (values.dtype.kind == "f" and bool(np.isfinite(values).all()))
    cells: list[Any] = values.tolist()
    return cells if plain else [_plain(value) for value in cells]


def _plain(value: Summarised) -> Any:
    if isinstance(value, bytes):
        return decoded(value)
    return repr(float(value)) if isinstance(value, float) and not math.isfinite(value) else value
