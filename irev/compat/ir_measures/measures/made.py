"""Measure objects from irev's records: which parameters a measure takes, and their types, words and defaults."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from irev.compat.ir_measures.measures.base import (
    NOT_PROVIDED,
    Agg,
    MeanAgg,
    Measure,
    ParamInfo,
    SumAgg,
    as_text,
    register,
    registry,
)
from irev.measures.families.set_based import XOrBeta
from irev.measures.measure import Measure as Record
from irev.measures.parameters import Choice, Cutoffs, Flag, Levels, Mapping, Option, Whole
from irev.measures.request import MODIFIERS
from irev.measures.spellings import OTHER_KEYS, OTHER_NAMES, spellings
from irev.reading.fields import GRADES, SUBTOPICS

_MOVES_GRADES = ("BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG")
_UNLESS_GIVEN = {
    ("RBP", "rel"): NOT_PROVIDED,
    ("Compat", "depth"): "longest",
    **{(name, "clip"): True for name in _MOVES_GRADES},
}
"""What parameters are in ir_measures where irev has something else: RBP looks at grades until a level is given,
Compat no further than the longer of the two rankings, and user models move grades above the highest one to it."""

_TRUE_OR_FALSE = {"true", "false"}


class Made(Measure):
    """A measure of irev under the name that ir_measures has for it."""

    RECORDS: tuple[Record, ...] = ()
    """The measure, and what it is at a cutoff where that is another."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.NAME, self.params)

    def aggregator(self) -> Agg:
        return SumAgg() if any(record.kind == "count" for record in self.RECORDS) else MeanAgg()

    @property
    def text(self) -> str:
        """What irev calls it."""
        # ir_measures hands what it calls beta to trec_eval, whose x stands where the square of beta does in textbooks.
        renamed = {"beta": "x"} if self.NAME == "SetF" else {}
        given = {key: self[key] for name, key in _UNLESS_GIVEN if name == self.NAME} | self.shown()
        said = {name: value for name, value in given.items() if value is not NOT_PROVIDED and as_text(value) != "{}"}
        return self.written({renamed.get(name, name): value for name, value in said.items()})


def _again(name: str, params: dict[str, Any]) -> Measure:
    """A measure from a pickle."""
    return type(registry[name])(**params)


def made(name: str, *aliases: str) -> Measure:
    """The measure that ir_measures calls `name` and `aliases`, registered."""
    known = (spellings()[key].measure for key in ((name, False), (name, True)) if key in spellings())
    records = tuple(dict.fromkeys(record for record in known if record.of in (GRADES, SUBTOPICS)))
    documentation = records[0].documentation
    measure: Measure = type(
        f"_{name}",
        (Made,),
        {
            "__doc__": documentation,
            "__name__": name,
            "NAME": name,
            "PRETTY_NAME": name,
            "SHORT_DESC": documentation.strip().partition("\n")[0],
            "AT_PARAM": "recall" if any(isinstance(record.parameter, Levels) for record in records) else "cutoff",
            "SUPPORTED_PARAMS": _parameters(name, records),
            "RECORDS": records,
        },
    )()
    register(measure, aliases)
    return measure


def also(name: str, measure: Measure) -> Measure:
    """A measure with some parameters, registered under a name of its own."""
    register(measure, name=name)
    return measure


def _parameters(name: str, records: Iterable[Record]) -> dict[str, ParamInfo]:
    """What may stand between the brackets."""
    found: dict[str, ParamInfo] = {}
    names_there = {here: there for there, here in OTHER_KEYS.items()}
    records = tuple(records)
    if any(record.cut or isinstance(record.parameter, Cutoffs) for record in records):
        # Of subtopics ir_measures requires none, and then fails.
        required = all(isinstance(record.parameter, Cutoffs) and record.of == GRADES for record in records)
        found["cutoff"] = ParamInfo(int, required=required, desc=MODIFIERS["k"])
    for record in records:
        if isinstance(record.parameter, Levels):
            found["recall"] = ParamInfo(float, required=True, desc=record.parameter.form)
        if isinstance(record.parameter, XOrBeta):
            found["beta"] = _of_option(record.parameter.beta)
        for key, option in record.options.items():
            found[names_there.get(key, key)] = _of_option(option)
        if record.summary != "queries":
            found["judged_only"] = ParamInfo(bool, default=False, desc=MODIFIERS["judged_only"])
        if record.summary != "queries" and not record.graded:
            found["rel"] = ParamInfo(int, default=NOT_PROVIDED if record.at_level else 1, desc=MODIFIERS["rel"])
    for called, key, _ in OTHER_NAMES:
        if called == name:
            found[key] = ParamInfo(bool, default=False)
    for (called, key), default in _UNLESS_GIVEN.items():
        if called == name:
            found[key].default = default
    return found


def _of_option(option: Option) -> ParamInfo:
    default = option.default
    if isinstance(option, Choice):
        if set(option.words) == _TRUE_OR_FALSE:
            return ParamInfo(bool, default=default == "true", desc=option.form)
        # What ir_measures calls a word goes before what irev does.
        there = next((word for word, here in option.also.items() if here == default), default)
        return ParamInfo(str, choices=[*option.also, *option.words], default=there, desc=option.form)
    if isinstance(option, Mapping):
        return ParamInfo(dict, desc=option.form)
    kind = bool if isinstance(option, Flag) else int if isinstance(option, Whole) else float
    return ParamInfo(kind, default=default, desc=option.form)
