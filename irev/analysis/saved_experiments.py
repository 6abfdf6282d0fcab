"""Past experiments from the results that were saved of them: of each what ``irev compare -f json`` wrote, and what
``irev clicks -f json`` did.

Both name what they compare, so that a difference that was taken the other way round online is turned, and results of
other systems are refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from irev.analysis.online import NAME, ONLINE, Experiments, require_experiments
from irev.base.text import encoded
from irev.errors import InputError, UsageError, shown
from irev.evaluation.result import Input
from irev.measures import parse
from irev.reading.small_tables import SmallTable
from irev.reading.sources import Source

OFFLINE = "offline"
"""The column of saved comparisons, by which such a table is known."""

EXPECTED = f"expected a row for each experiment with {NAME}, and {OFFLINE} and {ONLINE}, the files of saved results"

COMPARISON, BUCKETS, PREFERENCE = "irev comparison", "irev buckets", "irev preference"

CREDIT = "credit"
"""What is compared of interleaved lists: the mean credit of an impression."""


class _Subtracted(NamedTuple):
    """A run, or a bucket, less another."""

    name: str
    baseline: str


class _OfflineResult(NamedTuple):
    """Differences by measure, and which of them are of measures of which lower, or neither, values are better."""

    pair: _Subtracted
    differences: dict[str, Any]
    better: dict[str, str]


class _OnlineResult(NamedTuple):
    """A difference in some quantity, above 0 where the first is better, and its standard error."""

    pair: _Subtracted
    quantity: str
    difference: float
    error: float


def saved_experiments(table: SmallTable, wanted: Sequence[str] = ()) -> tuple[Experiments, tuple[Input, ...]]:
    """The experiments of a table of files, and the files.

    Parameters
    ----------
    table : SmallTable
        With `NAME`, `OFFLINE` and `ONLINE`, and nothing else. Paths are meant from the folder that irev is run in.
    wanted : sequence of str
        The measures that count; all of the first comparison unless given.

    Raises
    ------
    InputError
        For other columns, a file that is no such result, one of several pairs, metrics or with buckets that are not as
        large as they were meant to be, results of other systems, measures that one lacks.
    """
    for name in (NAME, ONLINE):
        if name not in table.columns:
            raise InputError(f"there is no column '{name}'", table.file, EXPECTED)
    for column in table.columns:
        if column not in (NAME, OFFLINE, ONLINE):
            raise InputError(f"column {shown(encoded(column))} is none of saved results", table.file, EXPECTED)
    names = table.ids(NAME)
    require_experiments(len(names), table.file)
    inputs: list[Input] = []
    offline = [_offline(*_read(path, inputs)) for path in table.texts(OFFLINE)]
    online = [_online(*_read(path, inputs)) for path in table.texts(ONLINE)]
    measures = tuple(dict.fromkeys(_standard(name, offline[0]) for name in wanted)) or tuple(offline[0].differences)
    values, turned = [], []
    for line, before, after in zip(table.lines, offline, online, strict=True):
        place = f"{table.file}:{line}"
        if missing := [measure for measure in measures if measure not in before.differences]:
            known = ", ".join(before.differences)
            raise InputError(f"the comparison has no {missing[0]}", place, f"it has {known}; -m chooses of these")
        for measure in measures:
            if not isinstance(before.differences[measure], int | float):
                fact = f"the difference in {measure} is no finite number"
                raise InputError(fact, place, "-m chooses among other measures")
        if after.quantity != online[0].quantity:
            fact = f"{after.quantity} was compared online, and {online[0].quantity} in the first experiment"
            raise InputError(fact, place, "compare one thing in all of them")
        values.append([before.differences[measure] for measure in measures])
        turned.append(_turned(before.pair, after.pair, place))
    for measure in measures:
        if offline[0].better[measure] == "neither":
            raise UsageError(f"neither higher nor lower values of {measure} are better", remedy="leave it out")
    found = Experiments(
        names,
        measures,
        tuple(offline[0].better[measure] == "lower" for measure in measures),
        np.array(values),
        np.array([sign * each.difference for sign, each in zip(turned, online, strict=True)]) + 0.0,
        np.array([each.error for each in online]),
    )
    return found, tuple(inputs)


def _standard(name: str, offline: _OfflineResult) -> str:
    """A measure as comparisons call it, whichever of its names is given."""
    if name in offline.differences:
        return name
    requests = parse([name])
    return requests[0].standard if len(requests) == 1 else name


def _turned(offline: _Subtracted, online: _Subtracted, place: str) -> int:
    """1 where both are differences of the same, -1 where one is taken the other way round."""
    if offline == online:
        return 1
    if offline == _Subtracted(online.baseline, online.name):
        return -1
    fact = "{} less {} was measured offline, and {} less {} online".format(
        *(shown(encoded(name)) for name in (*offline, *online))
    )
    raise InputError(fact, place, "call runs as buckets are called, with --name")


def _read(path: str, inputs: list[Input]) -> tuple[str, dict[str, Any]]:
    with Source(path, digest=True) as source:
        content = source.content()
        inputs.append(Input("record", source.name, *source.digest()))
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no JSON ({error})", path, "save results with -f json") from None
    if not isinstance(record, dict):
        raise InputError("this is no saved result", path, "save results with -f json")
    return path, record


def _offline(path: str, record: dict[str, Any]) -> _OfflineResult:
    if record.get("format") != COMPARISON:
        raise InputError("this is no saved comparison", path, "make it with irev compare -f json")
    with _Complete(path):
        measures = record["measures"]
        pairs = {_Subtracted(each["run"], each["baseline"]) for measure in measures for each in measure["contrasts"]}
        if len(pairs) != 1:
            raise InputError(f"{len(pairs)} pairs of runs are compared", path, "compare two runs")
        differences = {each["standard"]: each["contrasts"][0]["difference"] for each in measures}
        return _OfflineResult(pairs.pop(), differences, {each["standard"]: str(each["better"]) for each in measures})


def _online(path: str, record: dict[str, Any]) -> _OnlineResult:
    if record.get("format") == PREFERENCE:
        with _Complete(path):
            credit = record["credit"]
            return _positive(
                path,
                _OnlineResult(
                    _Subtracted(record["a"], record["b"]),
                    CREDIT,
                    *map(_number, (credit["difference"], credit["error"])),
                ),
            )
    if record.get("format") != BUCKETS:
        raise InputError("this is no saved result of clicks", path, "make it with irev clicks -f json")
    with _Complete(path):
        if record["sample_ratio"]["mismatch"]:
            raise InputError("its buckets are not as large as they were meant to be", path, "leave out the experiment")
        rows = record["contrasts"]
        contrasts = [each for each in rows if each["baseline"] is not None]
        if len(contrasts) != 1:
            fact = f"{len(contrasts)} differences are in it"
            raise InputError(fact, path, "save one metric of two buckets, with irev clicks -m NAME -f json")
        (found,) = contrasts
        (metric,) = record["metrics"]
        sign = -1 if metric["better"] == "lower" else 1
        errors = [_number(each["error"]) for each in rows]
        pair = _Subtracted(found["bucket"], found["baseline"])
        return _positive(
            path, _OnlineResult(pair, found["metric"], sign * _number(found["difference"]), math.hypot(*errors))
        )


def _positive(path: str, online: _OnlineResult) -> _OnlineResult:
    if not online.error > 0:
        raise InputError("the standard error of its difference is not above 0", path, "leave out the experiment")
    return online


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("no number")
    return float(value)


class _Complete:
    """Whoever reads a record finds what it should have; `InputError` where it has not."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KeyError | IndexError | TypeError | ValueError):
            raise InputError("the record is damaged, or has no difference", self._path, "save it again") from None
