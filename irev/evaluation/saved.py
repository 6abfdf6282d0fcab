"""The record of a result: everything that was computed and what it was computed from, as dictionaries and lists.

`record` makes it of a `Result`, and `restored` makes the same `Result` of it, so that a saved one is shown as the first
one was. ``docs/result.schema.json`` describes every key. Numbers are unrounded, ids are text with the bytes that are no
UTF-8 as lone surrogates, and what is no finite number is ``"inf"``, ``"-inf"`` or ``"nan"``, which JSON has no numbers
for. Nothing in it tells when or where it was made: the same files and options give the same record.

`VERSION` rises when a key goes or means something else; a reader leaves keys alone that it does not know. A file that
says it is a record may be anything, so everything in it is looked at before it is used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from irev import __version__
from irev.base.settings import ABOUT, FLAGS, QUERIES, Settings
from irev.base.text import decoded, encoded
from irev.errors import InputError, UsageError, decimal, shown
from irev.evaluation.result import Facts, Group, Input, Outcome, Result
from irev.evaluation.scores import Column, Scores
from irev.evaluation.summary import Summarised, Summary
from irev.measures import Request, parse
from irev.measures.measure import Measure
from irev.measures.parameters import Cutoffs, Value
from irev.reading import limits
from irev.reading.sources import Source

FORMAT, VERSION = "irev result", 1

_AGAIN = "make the record again with `irev eval -f json`"
_UNKNOWN = "show it with the version of irev that made it, or a later one"

_ODD = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_LARGEST = 2**63 - 1
_DIGITS = 400
"""No number of so many digits is meant; to read those of a million takes minutes."""

_LONGEST_NAME = 10_000
"""Characters in a name of a measure, whose parameters may be lists; to read one of a million takes minutes."""


# From a result


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
    return options | {
        "only": None if settings.only is None else _text(settings.only),
        "columns": dict(settings.columns),
        "queries": settings.queries if isinstance(settings.queries, str) else [_text(q) for q in settings.queries],
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
        "better": measure.better,
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
        queries = [_text(query) for query in group.queries]
        groups[_text(group.name)] = {"size": int(group.size), "queries": queries, **summary}
    made: dict[str, Any] = {
        "run": outcome.run,
        "qrels": outcome.qrels,
        "tag": _text(scores.tag),
        "counts": {
            "queries": int(scores.considered),
            "judged": int(facts.judged),
            "unjudged": int(facts.unjudged),
            "tied": int(facts.tied),
            "positive_judgments": int(scores.positive_judgments),
            "not_retrieved": [_text(query) for query in facts.not_retrieved],
            "not_judged": [_text(query) for query in facts.not_judged],
        },
        "queries": [_text(query) for query in scores.queries],
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
        return _text(value)
    return repr(float(value)) if isinstance(value, float) and not math.isfinite(value) else value


def _text(name: bytes) -> str:
    return decoded(name)


# To a result


def read(source: Source) -> Result:
    """The result of which a file has the record, as JSON.

    Raises
    ------
    InputError
        For a file that is no record, one of another version, and a damaged one, with the place of the damage.
    """
    try:
        text = source.content(limits.RECORD).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is no text in UTF-8, as JSON is", source.name, _AGAIN) from None
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_int=_whole, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise InputError(f"this is no JSON ({error.msg})", f"{source.name}:{error.lineno}", _AGAIN) from None
    except RecursionError:
        raise InputError("brackets are nested too deep for a record of results", source.name, _AGAIN) from None
    except ValueError as error:  # what the functions refuse
        raise InputError(f"this is no JSON ({error})", source.name, _AGAIN) from None
    return restored(found, source.name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} stands where a number should")


def restored(plain: Any, name: str) -> Result:
    """The result of which `plain` is the record.

    It has the values of single queries, and those of all of them, when the record has; how it is to be written
    otherwise, the record does not say.

    Parameters
    ----------
    plain : dict
        As `record` makes it, or anything else.
    name : str
        What messages call it.

    Raises
    ------
    InputError
        For what is no record, one of another version, and a damaged one, with the place of the damage.
    """
    found = _Placed(plain, "", name)
    kind = plain.get("format") if isinstance(plain, Mapping) else None
    if isinstance(kind, str) and kind != FORMAT and kind.startswith("irev "):
        other = shown(kind.encode("utf-8", "replace"))
        raise InputError(f"this is a record of another kind, {other}", name, "ask that command for another -f")
    if kind != FORMAT:
        raise InputError("this is no record of results", name, _AGAIN)
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
        precision=found["precision"].whole() if "precision" in found else None,
    )


@dataclass(frozen=True)
class _Placed:
    """A value in a record, and where it stands.

    Attributes
    ----------
    value : object
    place : str
        Its place in the record: ``results[0].counts``.
    file : str
    """

    value: Any
    place: str
    file: str

    def refused(self, expected: str) -> InputError:
        kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
        there = kinds.get(type(self.value), "a number")
        if isinstance(self.value, str):
            there = shown(self.value.encode("utf-8", "replace"))
        place = f"{self.file}, {self.place}" if self.place else self.file
        return InputError(f"expected {expected}, found {there}", place, _AGAIN)

    def members(self) -> dict[str, _Placed]:
        """What is in an object, by key."""
        if not isinstance(self.value, Mapping):
            raise self.refused("an object")
        return {key: self._inside(key, value) for key, value in self.value.items()}

    def elements(self) -> list[_Placed]:
        """What is in a list."""
        if not isinstance(self.value, list | tuple):
            raise self.refused("a list")
        return [_Placed(value, f"{self.place}[{number}]", self.file) for number, value in enumerate(self.value)]

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, Mapping) and key in self.value

    def __getitem__(self, key: str) -> _Placed:
        if not isinstance(self.value, Mapping):
            raise self.refused("an object")
        if key not in self.value:
            raise self.refused(f"an object with the key {shown(key.encode('utf-8', 'replace'))}")
        return self._inside(key, self.value[key])

    def _inside(self, key: str, value: Any) -> _Placed:
        name = shown(key.encode("utf-8", "replace"))[1:-1]
        return _Placed(value, f"{self.place}.{name}" if self.place else name, self.file)

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.refused("a text")
        try:
            encoded(self.value)
        except UnicodeEncodeError:
            raise self.refused("a text of characters that there are") from None
        return self.value

    def id(self) -> bytes:
        return encoded(self.text())

    def word(self, words: Sequence[str]) -> str:
        if self.value not in words:
            raise self.refused(f"one of {', '.join(words)}")
        return self.text()

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.refused("true or false")
        return self.value

    def whole(self) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not 0 <= self.value <= _LARGEST:
            raise self.refused("a whole number of 0 or more")
        return self.value

    def number(self) -> float | int:
        """A number, whole ones as such."""
        if isinstance(self.value, str) and self.value in _ODD:
            return _ODD[self.value]
        if isinstance(self.value, float) and math.isfinite(self.value):
            return self.value
        if isinstance(self.value, int) and not isinstance(self.value, bool) and abs(self.value) <= _LARGEST:
            return self.value
        raise self.refused("a number, 'inf', '-inf' or 'nan'")

    def finite(self) -> float:
        if isinstance(self.value, str):
            raise self.refused("a number")
        return float(self.number())

    def or_none(self, read: Callable[[_Placed], Any]) -> Any:
        return None if self.value is None else read(self)


def _level(found: _Placed) -> float:
    if (level := found.finite()) < 0:
        raise found.refused("a number of 0 or more")
    return level


def _queries(found: _Placed) -> str | tuple[bytes, ...]:
    if isinstance(found.value, str):
        return found.word(QUERIES)
    return tuple(query.id() for query in found.elements())


def _pair(found: _Placed) -> tuple[float, float]:
    if len(pair := found.elements()) != 2:
        raise found.refused("a grade and a gain")
    return pair[0].finite(), pair[1].finite()


_READ: dict[str, Callable[[_Placed], Any]] = {
    "level": _level,
    "depth": lambda found: found.or_none(_Placed.whole),
    "collection_size": _Placed.whole,
    "only": lambda found: found.or_none(_Placed.id),
    "qrels_format": lambda found: found.or_none(_Placed.text),
    "run_format": lambda found: found.or_none(_Placed.text),
    "columns": lambda found: tuple((role, column.text()) for role, column in found.members().items()),
    "queries": _queries,
    "gains": lambda found: found.or_none(lambda given: tuple(_pair(pair) for pair in given.elements())),
}
"""How each field of `Settings` is read that is neither a word nor a flag."""


def _setting(name: str, found: _Placed) -> Any:
    if words := ABOUT[name].words:
        return found.word(words)
    return found.flag() if name in FLAGS else _READ[name](found)


def _settings(found: _Placed) -> Settings:
    return Settings(**{name: _setting(name, found[name]) for name, about in ABOUT.items() if about.recorded})


def _requests(found: _Placed) -> tuple[tuple[Request, ...], dict[Request, str]]:
    """The requests, and what the values of each, and of those for single queries, are called."""
    requests, keys = [], {}
    for member in found.elements():
        request = _request(member)
        if request in requests:
            raise member.refused("a measure that is not listed before")
        requests.append(request)
        keys[request] = member["key"].text()
        if request.measure.per_query:
            keys[request.base] = member["per_query"].text()
    if not requests:
        raise found.refused("a list with at least one measure")
    return tuple(requests), keys


def _request(found: _Placed) -> Request:
    """The request with these two names: its numbers are exact in the standard one, and as typed in the other."""
    label, standard = found["label"].text(), found["standard"].text()
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
    if (request.label, request.standard) != (label, standard):
        raise found["standard"].refused(f"the standard name of {label}")
    return request


def _input(found: _Placed) -> Input:
    return Input(
        found["role"].text(),
        found["name"].text(),
        found["sha256"].text(),
        found["bytes"].whole(),
        found["lines"].whole(),
    )


def _restored(
    found: _Placed,
    requests: tuple[Request, ...],
    keys: Mapping[Request, str],
    settings: Settings,
    per_query: bool,
    summarised: bool,
) -> Outcome:
    counts = found["counts"]
    queries = found["queries"].elements()
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
        ),
        groups=tuple(
            Group(
                _Placed(name, group.place, group.file).id(),
                group["size"].whole(),
                _summarised(group, requests, keys, summarised),
                tuple(query.id() for query in group["queries"].elements()),
            )
            for name, group in found["groups"].members().items()
        ),
    )


def _summarised(found: _Placed, requests: Iterable[Request], keys: Mapping[Request, str], summarised: bool) -> Summary:
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


def _weighs(weights: _Placed, queries: Sequence[_Placed], key: str) -> bool:
    return bool(queries) and key in weights[queries[0].text()]


def _columns(
    found: _Placed, queries: Sequence[_Placed], requests: Iterable[Request], keys: Mapping[Request, str]
) -> dict[Request, npt.NDArray[Any]]:
    """The values of single queries, in the order of `queries`."""
    rows = [found[query.text()] for query in queries]
    return {request: _column(rows, keys[request], request.measure.kind) for request in requests}


def _column(rows: Sequence[_Placed], key: str, kind: str) -> npt.NDArray[Any]:
    if kind == "text":
        return np.array([*(row[key].id() for row in rows), None], dtype=object)[:-1]
    values: list[Any] = [row.value.get(key) if isinstance(row.value, Mapping) else None for row in rows]
    if set(map(type, values)) == {float} and all(map(math.isfinite, values)):
        return np.array(values)  # nearly always, and fast
    numbers = [row[key].number() for row in rows]
    whole = kind == "count" and all(isinstance(number, int) for number in numbers)
    return np.array(numbers, dtype=np.int64 if whole else np.float64)
