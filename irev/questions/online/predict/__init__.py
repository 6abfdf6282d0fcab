"""Whether offline differences predicted online ones: what a measure said of past experiments, and what users did.

An experiment compared two systems twice: offline by measures, and online, by an A/B test or by interleaving. A measure
that is worth deciding by has differences with the sign of the online ones, and larger ones where users saw more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from irev.base.errors import InputError, UsageError, shown
from irev.base.segments import Bools, Floats
from irev.base.text import encoded
from irev.evaluation.result import Input
from irev.measures import Request, parse
from irev.questions.online import Given, PredictChoices
from irev.questions.online.predict.finding import Experiments, Predictions, Predictor, Rivals, Signs
from irev.reading.small_tables import SmallTable, read_small_table
from irev.reading.sources import Source
from irev.statistics.corrections import adjusted
from irev.statistics.correlations import (
    KENDALL,
    PEARSON,
    SPEARMAN,
    correlation,
    resampled_kendall,
)
from irev.statistics.intervals import Interval, middle, normal_quantile
from irev.statistics.shares import as_often, share

NAME, ONLINE, ERROR = "name", "online", "online_error"
"""Columns of a table of experiments that are no measures."""

MOST = 2000
"""More experiments nobody has: all pairs of them are looked at, in every sample."""

LARGEST = 1e100
"""No measure has larger differences, nor do users; of smaller ones nothing overflows."""

EXPECTED = f"expected a row for each experiment with {NAME}, {ONLINE}, and a column for each measure"


def experiments_of(
    table: SmallTable, wanted: Sequence[str] = (), warn: Callable[[str], None] = lambda _: None
) -> Experiments:
    """Experiments as a table has them.

    Parameters
    ----------
    table : SmallTable
        With columns `NAME`, `ONLINE` and maybe `ERROR`. Every other one is a measure that is known by that name, so
        that it is known which values are better.
    wanted : sequence of str
        Other columns that count, of any name: of a name that no measure has, higher values are better.

    Raises
    ------
    InputError
        For a column that is missing or no measure, two of one measure, fewer than two experiments, names that stand
        twice, what is not a number or one beyond `LARGEST`, a standard error that is not above 0.
    UsageError
        For a wanted column that is not there, and a measure of which neither higher nor lower values are better.
    """
    for needed in (NAME, ONLINE):
        if needed not in table.columns:
            raise InputError(f"there is no column '{needed}'", table.file, EXPECTED)
    others = [column for column in table.columns if column not in (NAME, ONLINE, ERROR)]
    for name in wanted:
        if name not in others:
            known = f"there are {', '.join(map(_quoted, others))}" if others else EXPECTED
            raise UsageError(f"{table.file} has no measure {_quoted(name)}", remedy=known)
    measures = tuple(dict.fromkeys(wanted)) or tuple(others)
    if not measures:
        raise InputError("there is no column of a measure", table.file, EXPECTED)
    requests = {name: _request(name, warn) for name in measures}
    lower = tuple(_lower(name, bool(wanted), table.file, request) for name, request in requests.items())
    first: dict[str, str] = {}
    for name, request in requests.items():
        if request is not None and (one := first.setdefault(request.standard, name)) != name:
            fact = f"columns {_quoted(one)} and {_quoted(name)} are one measure"
            raise InputError(fact, table.file, "leave one of them out, or choose with -m")
    names = table.ids(NAME)
    require_experiments(len(names), table.file)
    errors = _differences(table, ERROR) if ERROR in table.columns else None
    if errors is not None and (errors <= 0).any():
        place = int(np.argmax(errors <= 0))
        raise InputError(
            f"the standard error of {_quoted(names[place])} is not above 0",
            f"{table.file}:{table.lines[place]}",
            f"leave out the row, or the column {ERROR}",
        )
    offline = np.stack([_differences(table, name) for name in measures], axis=1)
    return Experiments(names, measures, lower, offline, _differences(table, ONLINE), errors)


def _differences(table: SmallTable, column: str) -> Floats:
    numbers = table.numbers(column)
    if (np.abs(numbers) > LARGEST).any():
        place = int(np.argmax(np.abs(numbers) > LARGEST))
        fact = f"{numbers[place]:g}, the value of {_quoted(column)}, is too large for a difference"
        raise InputError(fact, f"{table.file}:{table.lines[place]}", f"expected numbers up to {LARGEST:g}")
    return numbers


def require_experiments(count: int, file: str) -> None:
    """Raise `InputError` for fewer than two, and for more than `MOST`."""
    if count < 2:
        raise InputError(
            "there is only one experiment", file, "a correlation needs at least two, and is imprecise below ten"
        )
    if count > MOST:
        raise InputError(
            f"there are {count:,} experiments", file, f"expected {MOST:,} at most, because all pairs are compared"
        )


def _quoted(name: str) -> str:
    return shown(encoded(name))


def _request(name: str, warn: Callable[[str], None] = lambda _: None) -> Request | None:
    """The measure of this name; None where there is none, or several."""
    try:
        (request,) = parse([name], warn=warn)
    except (UsageError, ValueError):
        return None
    return request


def _lower(name: str, asked: bool, file: str, request: Request | None) -> bool:
    """Whether lower values of a measure are better."""
    if request is None:
        if asked:
            return False
        fact = f"column {_quoted(name)} is not a known measure"
        remedy = "leave it out, or choose columns with -m, which accepts any name and takes higher as better"
        raise InputError(fact, file, remedy)
    if request.better == "neither":
        raise UsageError(f"neither higher nor lower values of {request.standard} are better", remedy="leave it out")
    return request.better == "lower"


def predictions(
    experiments: Experiments, confidence: float = 0.95, samples: int = 10_000, seed: int = 0
) -> Predictions:
    """How well each measure predicted online differences, and whether one did better than another.

    Signs are what decisions are made by (Radlinski and Craswell, Comparing the Sensitivity of Information Retrieval
    Metrics, SIGIR 2010; Garcin et al., Offline and Online Evaluation of News Recommender Systems at swissinfo.ch,
    RecSys 2014, for how far apart the two can be); of correlations Kendall's asks for no line and minds no outlier.
    """
    gains, online = experiments.gains, experiments.online
    chance = 1 - confidence
    decided = None
    if experiments.errors is not None:
        decided = np.abs(online) > normal_quantile(confidence) * experiments.errors
    found = []
    for place, measure in enumerate(experiments.measures):
        right, clear = _right(gains[:, place], online)
        coefficients = (correlation(each, gains[:, place], online, confidence) for each in (KENDALL, PEARSON, SPEARMAN))
        found.append(
            Predictor(
                measure,
                _signs(right, clear, chance),
                None if decided is None else _signs(right & decided, clear & decided, chance),
                *coefficients,
            )
        )
    order = sorted(range(len(found)), key=lambda place: (-_or_least(found[place].tau.value), -_share(found[place])))
    predictors = tuple(found[place] for place in order)
    rivals = _rivals(predictors, gains[:, order], online, confidence, samples, seed) if len(order) > 1 else ()
    return Predictions(experiments, predictors, rivals, confidence, samples, seed)


def _or_least(value: float | None) -> float:
    return -math.inf if value is None else value


def _share(predictor: Predictor) -> float:
    return _or_least(predictor.signs.share)


def _right(gains: Floats, online: Floats) -> tuple[Bools, Bools]:
    """Where the signs are the same, and where there are two."""
    clear = (gains != 0) & (online != 0)
    return clear & ((gains > 0) == (online > 0)), clear


def _signs(right: Bools, clear: Bools, chance: float) -> Signs:
    same, of = int(right.sum()), int(clear.sum())
    if not of:
        return Signs(0, 0, None, None)
    bounds = share(same, of, 0.5, chance / 2)
    return Signs(same, of, same / of, Interval(bounds.low, bounds.high))


def _rivals(
    predictors: Sequence[Predictor], gains: Floats, online: Floats, confidence: float, samples: int, seed: int
) -> tuple[Rivals, ...]:
    drawn = resampled_kendall(gains, online, samples, seed)
    pairs = list(combinations(range(len(predictors)), 2))
    differences: list[tuple[float | None, Interval | None, float | None]] = []
    alone: list[tuple[int, int, float]] = []
    for i, j in pairs:
        one, other = predictors[i].tau.value, predictors[j].tau.value
        if one is None or other is None:
            differences.append((None, None, None))
        else:
            sampled = drawn[:, i] - drawn[:, j]
            differences.append((one - other, middle(sampled, confidence), _beyond(sampled)))
        first, second = _right(gains[:, i], online)[0], _right(gains[:, j], online)[0]
        wins, losses = int((first & ~second).sum()), int((second & ~first).sum())
        alone.append((wins, losses, as_often(wins, losses)))
    corrected = adjusted("holm", [p for _, _, p in differences])
    corrected_signs = adjusted("holm", [p for _, _, p in alone])
    return tuple(
        Rivals(
            predictors[i].measure,
            predictors[j].measure,
            *differences[place],
            corrected[place],
            *alone[place],
            corrected_signs[place],
        )
        for place, (i, j) in enumerate(pairs)
    )


def _beyond(sampled: Floats) -> float | None:
    """p of no difference, from samples of it: twice the share, itself counted, that lies beyond 0 on the rarer side."""
    defined = sampled[~np.isnan(sampled)]
    if middle(sampled, 0.5) is None:
        return None
    rarer = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(defined) + 1))


def answer(given: Given, choices: PredictChoices) -> Predictions:
    """How well each measure predicted what happened online."""
    with Source(choices.file, digest=True) as source:
        table = read_small_table(source, EXPECTED)
        inputs = [Input("experiments", source.name, *source.digest())]
    experiments = experiments_of(table, choices.measures, given.warn)
    found = predictions(experiments, choices.confidence, choices.samples, choices.seed)
    return replace(found, inputs=tuple(inputs))
