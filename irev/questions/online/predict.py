"""Whether offline differences predicted online ones: what a measure said of past experiments, and what users did.

An experiment compared two systems twice: offline by measures, and online, by an A/B test or by interleaving. A measure
that is worth deciding by has differences with the sign of the online ones, and larger ones where users saw more.

The first part of the module has the finding and its report; the second part computes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from irev.base.errors import InputError, UsageError, shown
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats
from irev.base.text import MISSING, counted, encoded, interval, named, p_value, percent, plain, real, signed
from irev.evaluation.curves import POINTS, Axis, Curve, Curves, Point
from irev.evaluation.result import Input
from irev.measures import Request, parse
from irev.output.finding import Finding, fields_of, recorded
from irev.output.report import Cell, Form, Plain, Sheet, left_out, stamped, table
from irev.questions.online import Given, PredictChoices
from irev.reading.small_tables import SmallTable, read_small_table
from irev.reading.sources import Source
from irev.statistics.corrections import adjusted
from irev.statistics.correlations import (
    KENDALL,
    PEARSON,
    SPEARMAN,
    Correlation,
    correlation,
    resampled_kendall,
)
from irev.statistics.intervals import Interval, middle, normal_quantile
from irev.statistics.shares import as_often, share

_COEFFICIENTS = ("tau", "pearson", "spearman")
_COLUMNS = (
    *("measure", "experiments", "same", "of", "share", "share_low", "share_high", "shown_same", "shown_of"),
    *(f"{name}{end}" for name in _COEFFICIENTS for end in ("", "_low", "_high")),
)

_FEW = 10
"""With fewer experiments a single one changes all of it."""

_LISTED = 20
"""Pairs of measures, and experiments, that people see; the record has all."""


@dataclass(frozen=True, eq=False)
class Experiments:
    """Past experiments, n of them.

    Attributes
    ----------
    names : tuple of str
    measures : tuple of str
        As the table calls them.
    lower : tuple of bool
        Of which measures lower values are better.
    offline : (n, measures)
        Differences as they were measured.
    online : (n,)
        Above 0 where users had it better.
    errors : (n,) or None
        Standard errors of these.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    lower: tuple[bool, ...]
    offline: Floats
    online: Floats
    errors: Floats | None

    @property
    def gains(self) -> Floats:
        """The offline differences, those of measures of which lower values are better with the other sign."""
        return np.where(np.array(self.lower), -self.offline, self.offline) + 0.0


@dataclass(frozen=True)
class Signs:
    """In how many experiments the offline difference has the sign of the online one.

    Attributes
    ----------
    same, of : int
        Of the experiments in which neither difference is 0.
    share : float or None
        None of no experiments.
    interval : Interval or None
        Exact, of Clopper and Pearson.
    """

    same: int
    of: int
    share: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Predictor:
    """What a measure said of online differences.

    Attributes
    ----------
    measure : str
    signs : Signs
    shown : Signs or None
        Of the experiments whose online difference is farther from 0 than chance explains; None without standard errors.
    tau, pearson, spearman : Correlation
        Of offline with online differences: Kendall's τ_b, Pearson's r, Spearman's ρ.
    """

    measure: str
    signs: Signs
    shown: Signs | None
    tau: Correlation
    pearson: Correlation
    spearman: Correlation


@dataclass(frozen=True)
class Rivals:
    """Two measures, the first of which predicts better as far as was seen.

    Attributes
    ----------
    first, second : str
    tau : float or None
        τ_b of the first with online differences, less that of the second.
    interval : Interval or None
        Percentiles of it over experiments drawn again.
    p, corrected : float or None
        Of no difference, from the same samples; and by Holm's correction for all pairs of measures.
    first_alone, second_alone : int
        Experiments of which one alone has the right sign.
    p_signs, corrected_signs : float or None
        Of both being right alone as often: the exact binomial test of these (McNemar's).
    """

    first: str
    second: str
    tau: float | None
    interval: Interval | None
    p: float | None
    corrected: float | None
    first_alone: int
    second_alone: int
    p_signs: float | None
    corrected_signs: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Finding):
    """Measures compared with what happened online.

    Attributes
    ----------
    experiments : Experiments
    predictors : tuple of Predictor
        Those first that predict better: by τ_b, then by the share of same signs, then as in the table.
    rivals : tuple of Rivals
        Every two of them.
    confidence : float
    samples, seed : int
    inputs : tuple of Input
        The files that were read.
    """

    experiments: Experiments
    predictors: tuple[Predictor, ...]
    rivals: tuple[Rivals, ...]
    confidence: float
    samples: int
    seed: int
    inputs: tuple[Input, ...] = ()

    columns = _COLUMNS
    texts = frozenset({"measure"})

    @property
    def title(self) -> str:
        return f"Offline and online differences of {counted(len(self.experiments.names), 'experiment')}"

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._measures()
        if self.rivals:
            yield self._rivals()
        yield self._experiments()

    def _measures(self) -> Sheet:
        digits = self.look.digits
        level = percent(self.confidence)
        rows = (
            {
                "measure": named(each.measure),
                "same sign": _of(each.signs),
                "share": real(each.signs.share, digits),
                f"share {level}": interval(each.signs.interval, digits, sign=False),
                **({} if each.shown is None else {"where shown": _of(each.shown)}),
                "tau": signed(each.tau.value, digits),
                f"tau {level}": interval(each.tau.interval, digits),
                "Pearson": signed(each.pearson.value, digits),
                "Spearman": signed(each.spearman.value, digits),
            }
            for each in self.predictors
        )
        return table("", ("measure",), None, rows)

    def _rivals(self) -> Sheet:
        found, digits = self.rivals, self.look.digits
        kept = found[:_LISTED]
        level = percent(self.confidence)
        rows = (
            {
                "measure": named(each.first),
                "against": named(each.second),
                "tau": signed(each.tau, digits),
                level: interval(each.interval, digits),
                "p": p_value(each.corrected),
                "alone right": f"{each.first_alone:,} : {each.second_alone:,}",
                "p of that": p_value(each.corrected_signs),
            }
            for each in kept
        )
        title = "Whether one measure predicts better than another"
        return table(title, ("measure", "against"), None, rows, notes=left_out(len(found), len(kept)))

    def _experiments(self) -> Sheet:
        """Experiments, those first for which the best measure was wrong, and of these those that users felt most."""
        experiments = self.experiments
        gains, online = experiments.gains, experiments.online
        up, down = (online > 0)[:, None], (online < 0)[:, None]
        places = [experiments.measures.index(each.measure) for each in self.predictors]
        wrong = (gains < 0) & up | (gains > 0) & down
        order = sorted(range(len(online)), key=lambda row: (not wrong[row, places[0]], -abs(online[row])))
        kept = order[:_LISTED]
        rows = [self._experiment(row, places, wrong) for row in kept]
        error = () if experiments.errors is None else ("error",)
        sheet = table(
            "Experiments",
            ("experiment",),
            ("online", *error, *map(str, places)),
            rows,
            notes=["! the sign differs from online.", *left_out(len(order), len(kept))],
        )
        names = tuple(named(experiments.measures[place]) for place in places)
        header = (*sheet.header[: len(sheet.header) - len(names)], *names)
        return Sheet(sheet.title, header, sheet.labels, sheet.texts, sheet.sections, sheet.notes)

    def _experiment(self, row: int, places: Sequence[int], wrong: Bools) -> dict[str, Cell | str]:
        experiments, digits = self.experiments, self.look.digits
        cells: dict[str, Cell | str] = {
            "experiment": named(experiments.names[row]),
            "online": signed(float(experiments.online[row]), digits),
        }
        if experiments.errors is not None:
            cells["error"] = real(float(experiments.errors[row]), digits)
        for place in places:
            text = signed(float(experiments.offline[row, place]), digits)
            other = bool(wrong[row, place])
            cells[str(place)] = Cell(f"{text} !" if other else text, tone="bad" if other else "")
        return cells

    @property
    def notes(self) -> Iterator[str]:
        n = len(self.experiments.names)
        yield (
            "same sign: experiments in which offline and online differences have the same sign, of those without "
            "a 0; the interval is exact. tau: Kendall's tau b of offline with online differences, Pearson's r "
            "and Spearman's rho. Where lower values of a measure are better, a lower value counts as a gain."
        )
        if self.experiments.errors is not None:
            yield (
                "where shown: the same, only for experiments whose online difference is significant at "
                f"{percent(self.confidence)} confidence."
            )
        if self.rivals:
            yield (
                "p: of no difference in tau, by a bootstrap over experiments; alone right: experiments in which "
                "only one of the two measures has the right sign, with the exact p. Both p have Holm's "
                f"correction for {counted(len(self.rivals), 'pair')}."
            )
            yield self.verdict
        if any(value is None for each in self.predictors for value in (each.tau.value, each.signs.share)):
            yield f"{MISSING}: undefined, because all differences are equal (tau) or 0 (signs)."
        if n < _FEW:
            yield f"With {counted(n, 'experiment')} a single one can change these numbers a lot."

    @property
    def verdict(self) -> str:
        """Which measure predicts best, and whether that is more than chance."""
        best = self.predictors[0].measure
        chance = 1 - self.confidence
        ahead = [
            named(each.second)
            for each in self.rivals
            if each.first == best and each.corrected is not None and each.corrected <= chance
        ]
        others = len(self.predictors) - 1
        if not ahead:
            return f"{named(best)} has the highest tau; it is not significantly higher than that of any other measure."
        whose = "every other measure" if len(ahead) == others else ", ".join(ahead)
        return f"{named(best)} has the highest tau; it is significantly higher than that of {whose}."

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        n = len(self.experiments.names)
        for each in self.predictors:
            signs, shown = each.signs, each.shown
            yield (
                *(each.measure, n, signs.same, signs.of, signs.share, *(signs.interval or (None, None))),
                *((None, None) if shown is None else (shown.same, shown.of)),
                *(number for name in _COEFFICIENTS for number in _correlated(getattr(each, name))),
            )

    @property
    def record(self) -> dict[str, Any]:
        experiments = self.experiments
        return {
            **stamped("irev predictions"),
            **fields_of(self, "confidence", "samples", "seed", "inputs"),
            "measures": [_predictor(each) for each in self.predictors],
            "pairs": [_spanned(each) for each in self.rivals],
            "experiments": [
                {
                    "name": name,
                    "online": plain(float(experiments.online[row])),
                    "online_error": None if experiments.errors is None else plain(float(experiments.errors[row])),
                    "offline": dict(zip(experiments.measures, recorded(experiments.offline[row]), strict=True)),
                }
                for row, name in enumerate(experiments.names)
            ],
        }

    def drawn(self, form: Form) -> bytes:
        """A picture for each measure, experiments by their offline and online differences, as the content of a file."""
        from irev.output.figures import figure_of_curves

        return figure_of_curves(pictures(self), form, self.verdict if self.rivals else "", self.title)


def _of(signs: Signs) -> str:
    return f"{signs.same:,} of {signs.of:,}"


def _correlated(found: Correlation) -> tuple[float | None, ...]:
    return (found.value, *(found.interval or (None, None)))


def _spanned(value: Signs | Correlation | Rivals) -> dict[str, Any]:
    """A record that has the ends of its interval by their names."""
    return {**recorded(value), "interval": None if value.interval is None else value.interval._asdict()}


def _predictor(each: Predictor) -> dict[str, Any]:
    return {
        "measure": each.measure,
        "signs": _spanned(each.signs),
        "shown": None if each.shown is None else _spanned(each.shown),
        **{name: _spanned(getattr(each, name)) for name in _COEFFICIENTS},
    }


def pictures(predicted: Predictions) -> list[Curves]:
    """A picture for each measure: experiments by their offline and their online difference."""
    experiments = predicted.experiments
    return [_picture(experiments, experiments.measures.index(each.measure), each) for each in predicted.predictors]


def _picture(experiments: Experiments, place: int, predictor: Predictor) -> Curves:
    offline = experiments.offline[:, place]
    points = tuple(
        Point(each, online, name)
        for each, online, name in zip(offline.tolist(), experiments.online.tolist(), experiments.names, strict=True)
    )
    better = ", lower is better" if experiments.lower[place] else ""
    return Curves(
        "online",
        predictor.measure,
        "",
        Axis("offline", f"offline difference in {predictor.measure}{better}", *_around_zero(offline)),
        Axis("online", "online difference", *_around_zero(experiments.online)),
        (Curve("", points, {"tau b": predictor.tau.value}),),
        POINTS,
        "A point for each experiment; the lines show where a difference is 0.",
        labels="experiment",
        zeros=True,
    )


def _around_zero(values: Floats) -> tuple[float, float]:
    """The ends of an axis on which there is 0, equally far on either side."""
    reach = float(np.abs(values).max(initial=0.0)) or 1.0
    return -reach, reach


NAME, ONLINE, ERROR = "name", "online", "online_error"
"""Columns of a table of experiments that are no measures."""

MOST = 2000
"""The largest number of experiments: every sample compares all pairs of them."""

LARGEST = 1e100
"""The largest difference of a measure or of users: nothing overflows below it."""

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
