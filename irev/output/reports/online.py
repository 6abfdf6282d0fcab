"""The report of past experiments: how well offline differences predicted online ones, measure by measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev.analysis.online import Predictions, Predictor, Rivals, Signs
from irev.base.segments import Bools
from irev.base.text import MISSING, counted, interval, named, p_value, percent, plain, real, signed
from irev.evaluation.result import Input
from irev.output.report import Cell, Plain, Report, Sheet
from irev.output.reports.tables import stamped, table
from irev.statistics.correlations import Correlation
from irev.statistics.intervals import Interval

FORMAT, VERSION = "irev predictions", 1

_COEFFICIENTS = ("tau", "pearson", "spearman")
_COLUMNS = (
    *("measure", "experiments", "same", "of", "share", "share_low", "share_high", "shown_same", "shown_of"),
    *(f"{name}{end}" for name in _COEFFICIENTS for end in ("", "_low", "_high")),
)

_FEW = 10
"""With fewer experiments a single one changes all of it."""

_LISTED = 20
"""Pairs of measures, and experiments, that people see; the record has all."""


class PredictionsReport(Report):
    """What measures predicted, laid out."""

    columns = _COLUMNS
    texts = frozenset({"measure"})

    def __init__(self, predicted: Predictions, inputs: Sequence[Input] = ()) -> None:
        self.predicted, self.inputs = predicted, inputs

    @property
    def title(self) -> str:
        return f"Offline and online differences of {counted(len(self.predicted.experiments.names), 'experiment')}"

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._measures()
        if self.predicted.rivals:
            yield self._rivals()
        yield self._experiments()

    def _measures(self) -> Sheet:
        digits = self.look.digits
        level = percent(self.predicted.confidence)
        rows = (
            {
                "measure": named(each.measure),
                "same sign": _of(each.signs),
                "share": real(each.signs.share, digits),
                f"share {level}": interval(each.signs.interval, digits, sign=False),
                "where shown": "" if each.shown is None else _of(each.shown),
                "tau": signed(each.tau.value, digits),
                f"tau {level}": interval(each.tau.interval, digits),
                "Pearson": signed(each.pearson.value, digits),
                "Spearman": signed(each.spearman.value, digits),
            }
            for each in self.predicted.predictors
        )
        shown = () if self.predicted.experiments.errors is None else ("where shown",)
        header = ("same sign", "share", f"share {level}", *shown, "tau", f"tau {level}", "Pearson", "Spearman")
        return table("", ("measure",), header, rows)

    def _rivals(self) -> Sheet:
        found, digits = self.predicted.rivals, self.look.digits
        kept = found[:_LISTED]
        level = percent(self.predicted.confidence)
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
        header = ("tau", level, "p", "alone right", "p of that")
        title = "Whether one measure predicts better than another"
        return table(title, ("measure", "against"), header, rows, notes=_left_out(len(found), len(kept)))

    def _experiments(self) -> Sheet:
        """Experiments, those first for which the best measure was wrong, and of these those that users felt most."""
        experiments = self.predicted.experiments
        gains, online = experiments.gains, experiments.online
        up, down = (online > 0)[:, None], (online < 0)[:, None]
        places = [experiments.measures.index(each.measure) for each in self.predicted.predictors]
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
            notes=["! the sign is another than online.", *_left_out(len(order), len(kept))],
        )
        names = tuple(named(experiments.measures[place]) for place in places)
        header = (*sheet.header[: len(sheet.header) - len(names)], *names)
        return Sheet(sheet.title, header, sheet.labels, sheet.texts, sheet.sections, sheet.notes)

    def _experiment(self, row: int, places: Sequence[int], wrong: Bools) -> dict[str, Cell | str]:
        experiments, digits = self.predicted.experiments, self.look.digits
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
        found = self.predicted
        n = len(found.experiments.names)
        yield (
            "same sign: experiments whose offline and online differences have one sign, of those in which neither is 0;"
            " its interval is exact. tau: Kendall's tau b of offline with online differences, Pearson's r and"
            " Spearman's rho. Of a measure of which lower values are better, lower is taken as a gain."
        )
        if found.experiments.errors is not None:
            yield (
                "where shown: the same of experiments whose online difference is farther from 0 than chance explains,"
                f" at {percent(found.confidence)}."
            )
        if found.rivals:
            yield (
                "p: of no difference in tau, of experiments drawn again; alone right: experiments of which one measure"
                " alone has the right sign, and the exact p of that; both by Holm's correction for"
                f" {counted(len(found.rivals), 'pair')}."
            )
            yield self.verdict
        if any(value is None for each in found.predictors for value in (each.tau.value, each.signs.share)):
            yield f"{MISSING}: there is none where all differences are equal, or 0."
        if n < _FEW:
            yield f"With {counted(n, 'experiment')} a single one changes all of this."

    @property
    def verdict(self) -> str:
        """Which measure predicts best, and whether that is more than chance."""
        found = self.predicted
        best = found.predictors[0].measure
        chance = 1 - found.confidence
        ahead = [
            named(each.second)
            for each in found.rivals
            if each.first == best and each.corrected is not None and each.corrected <= chance
        ]
        others = len(found.predictors) - 1
        if not ahead:
            return (
                f"The highest tau is that of {named(best)}, which is shown to be higher than that of no other measure."
            )
        whose = "every other measure" if len(ahead) == others else ", ".join(ahead)
        return f"The highest tau is that of {named(best)}, shown to be higher than that of {whose}."

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        n = len(self.predicted.experiments.names)
        for each in self.predicted.predictors:
            signs, shown = each.signs, each.shown
            yield (
                *(each.measure, n, signs.same, signs.of, signs.share, *_ends(signs.interval)),
                *((None, None) if shown is None else (shown.same, shown.of)),
                *(number for name in _COEFFICIENTS for number in _correlated(getattr(each, name))),
            )

    @property
    def record(self) -> dict[str, Any]:
        found = self.predicted
        experiments = found.experiments
        return {
            **stamped(FORMAT, VERSION),
            "confidence": found.confidence,
            "samples": found.samples,
            "seed": found.seed,
            "inputs": [file.recorded() for file in self.inputs],
            "measures": [_predictor(each) for each in found.predictors],
            "pairs": [_pair(each) for each in found.rivals],
            "experiments": [
                {
                    "name": name,
                    "online": plain(float(experiments.online[row])),
                    "online_error": None if experiments.errors is None else plain(float(experiments.errors[row])),
                    "offline": dict(
                        zip(experiments.measures, map(plain, experiments.offline[row].tolist()), strict=True)
                    ),
                }
                for row, name in enumerate(experiments.names)
            ],
        }


def _of(signs: Signs) -> str:
    return f"{signs.same:,} of {signs.of:,}"


def _ends(span: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if span is None else (span.low, span.high)


def _correlated(found: Correlation) -> tuple[float | None, ...]:
    return (found.value, *_ends(found.interval))


def _left_out(count: int, kept: int) -> list[str]:
    return [f"{counted(count - kept, 'row')} left out; -f json has all."] if count > kept else []


def _span(span: Interval | None) -> dict[str, float] | None:
    return None if span is None else span._asdict()


def _signs(signs: Signs) -> dict[str, Any]:
    return {"same": signs.same, "of": signs.of, "share": signs.share, "interval": _span(signs.interval)}


def _predictor(each: Predictor) -> dict[str, Any]:
    return {
        "measure": each.measure,
        "signs": _signs(each.signs),
        "shown": None if each.shown is None else _signs(each.shown),
        **{
            name: {"value": found.value, "interval": _span(found.interval)}
            for name in _COEFFICIENTS
            if (found := getattr(each, name))
        },
    }


def _pair(each: Rivals) -> dict[str, Any]:
    return {
        "first": each.first,
        "second": each.second,
        "tau": each.tau,
        "interval": _span(each.interval),
        "p": each.p,
        "corrected": each.corrected,
        "first_alone": each.first_alone,
        "second_alone": each.second_alone,
        "p_signs": each.p_signs,
        "corrected_signs": each.corrected_signs,
    }
