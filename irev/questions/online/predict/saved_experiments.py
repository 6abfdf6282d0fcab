"""Past experiments from the results that were saved of them: of each what ``irev compare -f json`` wrote, and what
``irev online preference -f json`` or ``irev online ab -f json`` did.

Both name what they compare, so that a difference that was taken the other way round online is turned, and results of
other systems are refused. A file that says it is such a result may be anything, so everything that is used is looked at
before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irev import __version__
from irev.base.text import encoded
from irev.errors import InputError, UsageError, shown
from irev.evaluation.record import RecordValue, content
from irev.evaluation.result import Input
from irev.measures import parse
from irev.questions.online.predict.finding import Experiments
from irev.questions.online.predict.predictions import LARGEST, NAME, ONLINE, require_experiments
from irev.reading.small_tables import SmallTable
from irev.reading.sources import Source

OFFLINE = "offline"
"""The column of saved comparisons, by which such a table is known."""

EXPECTED = f"expected a row for each experiment with {NAME}, and {OFFLINE} and {ONLINE}, the files of saved results"

COMPARISON, BUCKETS, PREFERENCE = "irev comparison", "irev buckets", "irev preference"
VERSION = 1
"""Of all three."""

_COMPARE = "make it with irev compare -f json"
_CLICKS = "make it with irev online preference or irev online ab, -f json"

FISHER = "fisher"
"""The test of a difference that has no standard error."""

CREDIT = "credit"
"""What is compared of interleaved lists: the mean credit of an impression."""


class _Subtracted(NamedTuple):
    """A run, or a bucket, less another."""

    name: str
    baseline: str


class _OfflineResult(NamedTuple):
    """Differences by measure, and which of them are of measures of which lower, or neither, values are better."""

    pair: _Subtracted
    differences: dict[str, float | None]
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
    offline = [_offline(_read(path, inputs, _COMPARE)) for path in table.texts(OFFLINE)]
    online = [_online(_read(path, inputs, _CLICKS)) for path in table.texts(ONLINE)]
    measures = tuple(dict.fromkeys(_standard(name, offline[0]) for name in wanted)) or tuple(offline[0].differences)
    values, turned = [], []
    for line, before, after in zip(table.lines, offline, online, strict=True):
        place = f"{table.file}:{line}"
        if missing := [measure for measure in measures if measure not in before.differences]:
            known = ", ".join(before.differences)
            raise InputError(f"the comparison has no {missing[0]}", place, f"it has {known}; -m chooses of these")
        for measure in measures:
            if before.differences[measure] is None:
                fact = f"the difference in {measure} is no finite number"
                raise InputError(fact, place, "-m chooses among other measures")
            if before.better[measure] != offline[0].better[measure]:
                fact = f"{before.better[measure]} values of {measure} are better, and {offline[0].better[measure]} ones"
                raise InputError(f"{fact} in the first experiment", place, "compare with one meaning of the measure")
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


def _read(path: str, inputs: list[Input], again: str) -> RecordValue:
    """What is in a file, which is added to the inputs; `again` says how such a one is made."""
    with Source(path, digest=True) as source:
        found = RecordValue(content(source, again), "", source.name, again)
        inputs.append(Input("record", source.name, *source.digest()))
    return found


def _kind(found: RecordValue, what: str, *kinds: str) -> str:
    """What a record says it is: one of the kinds, in the version that is known."""
    kind = found["format"].value if "format" in found else None
    if kind not in kinds:
        raise InputError(f"this is no {what}", found.file, found.again)
    if (version := found["version"].whole()) != VERSION:
        fact = f"irev {__version__} does not know version {version} of such results"
        raise InputError(fact, found.file, "use the version of irev that made it, or a later one")
    return str(kind)


def _subtracted(found: RecordValue, name: str, baseline: str) -> _Subtracted:
    pair = _Subtracted(found[name].text(), found[baseline].text())
    if pair.name == pair.baseline:
        raise found[baseline].refused(f"another name than that of {name}")
    return pair


def _offline(found: RecordValue) -> _OfflineResult:
    _kind(found, "saved comparison", COMPARISON)
    measures = found["measures"].elements()
    contrasts = [each["contrasts"].elements() for each in measures]
    pairs = {_subtracted(each, "run", "baseline") for of_measure in contrasts for each in of_measure}
    if len(pairs) != 1:
        raise InputError(f"{len(pairs)} pairs of runs are compared", found.file, "compare two runs")
    differences: dict[str, float | None] = {}
    better: dict[str, str] = {}
    for measure, of_measure in zip(measures, contrasts, strict=True):
        name = measure["standard"].text()
        if name in differences:
            raise measure["standard"].refused("a measure that is not listed before")
        if len(of_measure) != 1:
            raise measure["contrasts"].refused("a list with one difference")
        difference = of_measure[0]["difference"].or_none(RecordValue.number)
        differences[name] = difference if difference is not None and abs(difference) <= LARGEST else None
        better[name] = measure["better"].word(("higher", "lower", "neither"))
    return _OfflineResult(pairs.pop(), differences, better)


def _online(found: RecordValue) -> _OnlineResult:
    if _kind(found, "saved result of clicks", PREFERENCE, BUCKETS) == PREFERENCE:
        credit = found["credit"]
        difference, error = _number(credit["difference"]), _error(credit["error"])
        return _positive(found, _OnlineResult(_subtracted(found, "a", "b"), CREDIT, difference, error))
    if found["sample_ratio"]["mismatch"].flag():
        raise InputError(
            "its buckets are not as large as they were meant to be", found.file, "leave out the experiment"
        )
    rows = found["contrasts"].elements()
    contrasts = [each for each in rows if each["baseline"].value is not None]
    if len(contrasts) != 1:
        fact = f"{len(contrasts)} differences are in it"
        raise InputError(fact, found.file, "save one metric of two buckets, with irev online ab -m NAME -f json")
    (contrast,), metrics = contrasts, found["metrics"].elements()
    pair, metric = _subtracted(contrast, "bucket", "baseline"), contrast["metric"].text()
    for each in rows:
        if [each["metric"].text()] != [listed["name"].text() for listed in metrics]:
            raise each["metric"].refused("the one metric that is listed")
    if sorted(pair) != sorted(each["bucket"].text() for each in rows):
        raise found["contrasts"].refused("a list with each bucket once")
    if "test" in contrast and contrast["test"].value == FISHER:
        raise InputError(
            "its standard error is not known: too few users differ", found.file, "leave out the experiment"
        )
    sign = -1 if metrics[0]["better"].word(("higher", "lower")) == "lower" else 1
    error = math.hypot(*(_error(each["error"]) for each in rows))
    return _positive(found, _OnlineResult(pair, metric, sign * _number(contrast["difference"]), error))


def _number(found: RecordValue) -> float:
    if abs(number := found.finite()) > LARGEST:
        raise found.refused("a difference that may be one")
    return number


def _error(found: RecordValue) -> float:
    """A standard error: 0 in a bucket whose users all did the same."""
    if (error := _number(found)) < 0:
        raise found.refused("a standard error of 0 or more")
    return error


def _positive(found: RecordValue, online: _OnlineResult) -> _OnlineResult:
    if not online.error > 0:
        raise InputError("the standard error of its difference is not above 0", found.file, "leave out the experiment")
    return online
