"""Saved results: the `Result` of which a file has the record, so that a saved one is shown as the first one was.

A reader leaves keys alone that it does not know. A file that says it is a record may be anything, so everything in it
is looked at before it is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irev import __version__
from irev.base.choice import Flag
from irev.base.directions import Direction
from irev.base.errors import InputError, UsageError, shown
from irev.base.registry import provided, where
from irev.base.segments import Array
from irev.base.settings import ABOUT, QUERIES, Settings
from irev.base.text import encoded
from irev.evaluation.files import names_of
from irev.evaluation.record import AGAIN, FORMAT, VERSION, RecordValue, content, is_record
from irev.evaluation.result import Facts, Group, Input, Outcome, Result, same_judgments
from irev.evaluation.scores import Column, Scores, Summarised, Summary
from irev.measures import Request, parse
from irev.measures.measure import foreign
from irev.measures.parameters import Value
from irev.reading.formats import JUDGMENTS, RUNS, head_of, trec
from irev.reading.sources import Source

_UNKNOWN = "show it with the version of irev that made it, or a later one"

_LONGEST_NAME = 10_000
"""Characters in a name of a measure, whose parameters may be lists; to read one of a million takes minutes."""


def read(
    source: Source,
    again: str = AGAIN,
    better: Mapping[str, Direction] | None = None,
    scores: bool = False,
    warn: Callable[[str], object] = lambda message: None,
) -> Result:
    """The result that a file holds: the record of one, or values of queries that another program computed.

    Parameters
    ----------
    source : Source
    again : str
        The remedy where it is none.
    better : mapping of str to str, optional
        Which value is the better one, of measures that irev does not know.
    scores : bool
        Whether the file is said to have values of queries, so that a form that is not recognised is read too.
    warn : callable
        Is told which rows are no queries.

    Raises
    ------
    InputError
        For a file that is no record, one of another version, and a damaged one, with the place of the damage.
    """
    head = head_of(source)
    others = None if is_record(head) else provided("values")
    if others is None and scores and not is_record(head):
        fact = f"this is no result that irev saved, and what reads values of other programs is {where('values')}"
        raise InputError(fact, source.name, again)
    if others is None or not (scores or others.recognised(head)):
        return restored(content(source, again), source.name, again)
    result: Result = others.read_result(source, better or {}, warn)
    return result


def has_values(source: Source) -> bool:
    """Whether a file certainly has values of queries: it is a record, or of a form that an extension recognises.

    Judgments and runs of TREC's format are known before an extension is imported.
    """
    head = head_of(source)
    if is_record(head):
        return True
    if (trec.certainly(JUDGMENTS, head) or trec.certainly(RUNS, head)) and head.partition(b"\n")[0].count(b"\t") != 2:
        return False
    others = provided("values")
    return others is not None and others.recognised(head) is not None


def read_together(
    paths: Sequence[str], names: Sequence[str], note: Callable[[str], None], better: Mapping[str, Direction]
) -> tuple[Result, tuple[str, ...]]:
    """The runs in several files as one result, and the file of each run.

    Parameters
    ----------
    paths : sequence of str
    names : sequence of str
        What to call the runs; empty to call them as the files do.
    note : callable
        Is told when names are not those in the files.
    better : mapping of str to str
        Which value is the better one, of measures that irev does not know.

    Raises
    ------
    InputError
        As `read` does, and for results without the values of queries, or made with different options or judgments.
    """
    results = []
    for path in paths:
        with Source(path) as source:
            results.append(read(source, better=better, scores=True, warn=note))
        require_queries(results[-1], path)
    first = results[0]
    for path, result in zip(paths, results, strict=True):
        if result.settings != first.settings or not same_judgments(result.inputs, first.inputs):
            raise InputError(f"this was made with other options or judgments than {paths[0]}", path, "check it alone")
    found = [(path, outcome) for path, result in zip(paths, results, strict=True) for outcome in result.outcomes]
    files = tuple(path for path, _ in found)
    called = names_of(files, [outcome.run for _, outcome in found], names, note)
    outcomes = tuple(replace(outcome, run=name) for name, (_, outcome) in zip(called, found, strict=True))
    return replace(first, outcomes=outcomes), files


def require_queries(result: Result, name: str) -> None:
    """Raise `InputError` when the values of single queries were not saved in the file."""
    if not result.per_query:
        raise InputError("the values of single queries were not saved", name, "make it again with `irev eval -q`")


def restored(plain: Any, name: str, again: str = AGAIN) -> Result:
    """The result of which `plain` is the record.

    It has the values of single queries, and those of all of them, when the record has; how it is to be written
    otherwise, the record does not say.

    Parameters
    ----------
    plain : dict
        As `irev.evaluation.record` makes it, or anything else.
    name : str
        What messages call it.

    Raises
    ------
    InputError
        For what is no record, one of another version, and a damaged one, with the place of the damage.
    """
    found = RecordValue(plain, "", name)
    kind = plain.get("format") if isinstance(plain, Mapping) else None
    if kind != FORMAT:
        raise InputError("this is not a record of results", name, again)
    if (version := found["version"].whole()) != VERSION:
        raise InputError(f"irev {__version__} does not know version {version} of records", name, _UNKNOWN)
    settings = _settings(found["options"])
    requests, keys = _requests(found["measures"])
    outcomes = found["results"].elements()
    if not outcomes:
        raise found["results"].refused("a list with at least one result")
    per_query, summarised = (part in outcomes[0].members() for part in ("per_query", "summary"))
    return Result(
        outcomes=tuple(_restored(outcome, requests, keys, settings, per_query, summarised) for outcome in outcomes),
        settings=settings,
        policy=found["policy"]["queries"].text(),
        inputs=tuple(_input(file) for file in found["inputs"].elements()),
        per_query=per_query,
        summarised=summarised,
        version=found["irev"].text(),
    )


def _level(found: RecordValue) -> float:
    if (level := found.finite()) < 0:
        raise found.refused("a number of 0 or more")
    return level


def _queries(found: RecordValue) -> str | tuple[bytes, ...]:
    if isinstance(found.value, str):
        return found.word(QUERIES)
    return tuple(query.id() for query in found.elements())


def _cost(name: str, found: RecordValue) -> tuple[bytes, float]:
    if found.finite() <= 0:
        raise found.refused("a number above 0")
    return replace(found, value=name).id(), found.finite()


def _pair(found: RecordValue) -> tuple[float, float]:
    if len(pair := found.elements()) != 2:
        raise found.refused("a grade and a gain")
    return pair[0].finite(), pair[1].finite()


_READ: dict[str, Callable[[RecordValue], Any]] = {
    "level": _level,
    "depth": lambda found: found.or_none(RecordValue.whole),
    "collection_size": RecordValue.whole,
    "only": lambda found: found.or_none(RecordValue.id),
    "qrels_format": lambda found: found.or_none(RecordValue.text),
    "run_format": lambda found: found.or_none(RecordValue.text),
    "document_of": lambda found: found.or_none(RecordValue.text),
    "columns": lambda found: tuple((role, column.text()) for role, column in found.members().items()),
    "queries": _queries,
    "costs": lambda found: tuple(sorted(_cost(name, cost) for name, cost in found.members().items())),
    "query_weights": lambda found: tuple(
        sorted((encoded(query), weight.finite()) for query, weight in found.members().items())
    ),
    "grade_words": lambda found: tuple(sorted((word, grade.finite()) for word, grade in found.members().items())),
    "gains": lambda found: found.or_none(lambda given: tuple(_pair(pair) for pair in given.elements())),
}
"""How each field of `Settings` is read that is neither a word nor a flag."""


def _setting(name: str, found: RecordValue) -> Any:
    if words := ABOUT[name].words:
        return found.word(words)
    return found.flag() if isinstance(ABOUT[name].kind, Flag) else _READ[name](found)


UNLESS_GIVEN = ("costs", "grade_words", "document_of", "query_weights")
"""Settings that a record lacks where they were not given."""


def _settings(found: RecordValue) -> Settings:
    recorded = [name for name in ABOUT if name in found or name not in UNLESS_GIVEN]
    return Settings(**{name: _setting(name, found[name]) for name in recorded})


def _requests(found: RecordValue) -> tuple[tuple[Request, ...], dict[Request, str]]:
    """The requests, and what the values of each, and of those for single queries, are called."""
    requests, keys = [], {}
    for member in found.elements():
        request = _request(member)
        if request in requests:
            raise member.refused("a measure that is not already in the list")
        requests.append(request)
        keys[request] = member["key"].text()
        if request.measure.per_query:
            keys[request.base] = member["per_query"].text()
    if not requests:
        raise found.refused("a list with at least one measure")
    return tuple(requests), keys


def _request(found: RecordValue) -> Request:
    """The request with these two names: its numbers are exact in the standard one, and as typed in the other."""
    label, standard = found["label"].text(), found["standard"].text()
    if "computed" in found and not found["computed"].flag():
        return Request(foreign(label, "lower" if found["better"].text() == "lower" else "higher"), Value(None, ""))
    try:
        if len(label) > _LONGEST_NAME or len(standard) > _LONGEST_NAME:
            raise ValueError(f"no measure has a name of more than {_LONGEST_NAME} characters")
        (exact,), (typed,) = parse([standard]), parse([label])
    except (UsageError, ValueError):  # no measure, or several
        unknown = InputError(
            f"there is no measure {shown(label.encode('utf-8', 'replace'))}", f"{found.file}, {found.place}", _UNKNOWN
        )
        raise unknown from None
    request = exact if exact.label == label else replace(exact, value=Value(exact.value.value, typed.value.label))
    if request.label != label:
        raise found["standard"].refused(f"the standard name of {label}")
    return request


def _input(found: RecordValue) -> Input:
    return Input(
        found["role"].text(),
        found["name"].text(),
        found["sha256"].text(),
        found["bytes"].whole(),
        found["lines"].whole(),
        found["content"].text() if "content" in found else "",
    )


def _restored(
    found: RecordValue,
    requests: tuple[Request, ...],
    keys: Mapping[Request, str],
    settings: Settings,
    per_query: bool,
    summarised: bool,
) -> Outcome:
    counts = found["counts"]
    queries = found["queries"].elements()
    if len({query.text() for query in queries}) < len(queries):
        raise found["queries"].refused("a list with each query once")
    bases = {request.base for request in requests if request.measure.per_query} if per_query else set()
    values = _columns(found["per_query"], queries, bases, keys) if per_query else {}
    weighted = {base for base in bases if "weights" in found and _weighs(found["weights"], queries, keys[base])}
    weights = _columns(found["weights"], queries, weighted, keys) if weighted else {}
    none = np.zeros(0)
    return Outcome(
        run=found["run"].text(),
        qrels=found["qrels"].text(),
        scores=Scores(
            queries=tuple(query.id() for query in queries),
            columns=tuple(
                Column(request, values.get(request.base, none), weights.get(request.base)) for request in requests
            ),
            considered=counts["queries"].whole(),
            complete=settings.complete,
            positive_judgments=counts["positive_judgments"].whole(),
            tag=found["tag"].id(),
        ),
        summary=_summarised(found, requests, keys, summarised),
        facts=Facts(
            counts["judged"].whole(),
            counts["unjudged"].whole(),
            counts["tied"].whole(),
            tuple(query.id() for query in counts["not_retrieved"].elements()),
            tuple(query.id() for query in counts["not_judged"].elements()),
            known="computed" not in found or found["computed"].flag(),
            empty=tuple(query.id() for query in counts["empty"].elements()) if "empty" in counts else (),
        ),
        groups=tuple(
            Group(
                RecordValue(name, group.place, group.file).id(),
                group["size"].whole(),
                _summarised(group, requests, keys, summarised),
                tuple(query.id() for query in group["queries"].elements()),
            )
            for name, group in found["groups"].members().items()
        ),
    )


def _summarised(
    found: RecordValue, requests: Iterable[Request], keys: Mapping[Request, str], summarised: bool
) -> Summary:
    """The values for all queries, each of the type that it had."""

    def value(request: Request) -> Summarised:
        if not summarised or request.measure.summary == "none":
            return None
        member = found["summary"][keys[request]]
        if request.measure.kind == "text":
            return member.id()
        # A program may have written 2.0 as 2.
        return float(member.number()) if request.aggregate or request.measure.kind == "real" else member.number()

    return Summary(tuple(value(request) for request in requests))


def _weighs(weights: RecordValue, queries: Sequence[RecordValue], key: str) -> bool:
    return bool(queries) and key in weights[queries[0].text()]


def _columns(
    found: RecordValue, queries: Sequence[RecordValue], requests: Iterable[Request], keys: Mapping[Request, str]
) -> dict[Request, Array]:
    """The values of single queries, in the order of `queries`."""
    rows = [found[query.text()] for query in queries]
    return {request: _column(rows, keys[request], request.measure.kind) for request in requests}


def _column(rows: Sequence[RecordValue], key: str, kind: str) -> Array:
    if kind == "text":
        return np.array([*(row[key].id() for row in rows), None], dtype=object)[:-1]
    values: list[Any] = [row.value.get(key) if isinstance(row.value, Mapping) else None for row in rows]
    if set(map(type, values)) == {float} and all(map(math.isfinite, values)):
        return np.array(values)  # nearly always, and fast
    numbers = [row[key].number() for row in rows]
    whole = kind == "count" and all(isinstance(number, int) for number in numbers)
    return np.array(numbers, dtype=np.int64 if whole else np.float64)
