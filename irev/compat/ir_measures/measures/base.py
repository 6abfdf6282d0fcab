"""Measures as ir_measures has them: objects with parameters, equal when they are written alike.

    AP(rel=2) @ 10
    parse_measure("AP(rel=2)@10")

What a built-in measure is called, which parameters it takes, and what they are unless given stands in irev's records of
measures; `irev.compat.ir_measures.measures.base` reads it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

from irev.base.errors import UsageError
from irev.measures.families.set_based import XOrBeta
from irev.measures.measure import Measure as Record
from irev.measures.parameters import Choice, Cutoffs, Flag, Levels, Mapping, Option, Whole
from irev.measures.request import MODIFIERS
from irev.measures.spellings import OTHER_KEYS, OTHER_NAMES, spellings
from irev.reading.fields import GRADES, SUBTOPICS


class Metric(NamedTuple):
    """The value of one query."""

    query_id: str
    measure: Any
    value: float


class CalcResults(NamedTuple):
    """The values for all queries by measure, and those of each query.

    What the method `calc` of a measure gives has the one value in the place of the dictionary.
    """

    aggregated: Any
    per_query: list[Metric]


NOT_PROVIDED: Any = type("NotProvided", (), {"__repr__": lambda self: "NOT_PROVIDED"})()
"""Stands for a parameter that has no value."""


class UnusableMeasure(UsageError, ValueError, AssertionError):
    """A measure that cannot be evaluated, or has a parameter that it does not take.

    ir_measures raises ValueError for the one and AssertionError for the other.
    """


class Agg:
    """What makes one number of the values of all queries; a class derives from it and defines both methods."""

    def add(self, value: float) -> None:
        """Take the value of one more query."""
        raise NotImplementedError(f"{type(self).__name__} must define `add`")

    def result(self) -> float:
        """The number."""
        raise NotImplementedError(f"{type(self).__name__} must define `result`")


class MeanAgg(Agg):
    """The mean, `default` where there is no query."""

    def __init__(self, default: float = float("nan")) -> None:
        self.sum = 0.0
        self.count = 0
        self.default = default

    def add(self, value: float) -> None:
        self.sum += value
        self.count += 1

    def result(self) -> float:
        return self.sum / self.count if self.count else self.default


class SumAgg(Agg):
    """The sum."""

    def __init__(self) -> None:
        self.sum: float = 0

    def add(self, value: float) -> None:
        self.sum += value

    def result(self) -> float:
        return self.sum


class ParamInfo:
    """What a parameter may be: its type, whether it is required, words to choose from, and its value unless given."""

    def __init__(
        self,
        dtype: Any = None,
        required: bool = False,
        choices: Any = NOT_PROVIDED,
        default: Any = NOT_PROVIDED,
        desc: str | None = None,
    ) -> None:
        self.dtype = dtype
        self.required = required
        self.choices = choices
        self.default = default
        self.desc = desc

    def validate(self, value: Any) -> bool:
        """Whether the parameter may have this value, `NOT_PROVIDED` for none."""
        if value is NOT_PROVIDED:
            return not self.required
        # Where a fraction is expected a whole number is one too.
        kinds = (float, int) if self.dtype is float else self.dtype
        return (kinds is None or isinstance(value, kinds)) and (self.choices is NOT_PROVIDED or value in self.choices)


class Measure:
    """A measure with values for some of its parameters.

    Calling it gives the same measure with further parameters, and ``@`` one with a cutoff (or a recall level, for
    `IPrec`). Two that are written alike are equal.

    Parameters
    ----------
    **params
        Values of parameters. They are checked when the measure is used.

    Attributes
    ----------
    NAME : str
        What it is called.
    AT_PARAM : str
        The parameter that ``@`` gives.
    SUPPORTED_PARAMS : dict of str to ParamInfo
        What it takes.
    DEFAULT : float
        The value of a judged query that the run lacks.
    pipeline : FallbackProvider
        Who is asked for its values; `irev.compat.ir_measures.providers` sets it.
    """

    NAME: str | None = None
    PRETTY_NAME: str | None = None
    SHORT_DESC: str | None = None
    AT_PARAM = "cutoff"
    SUPPORTED_PARAMS: ClassVar[dict[str, ParamInfo]] = {}
    DEFAULT = 0.0
    pipeline: ClassVar[Any]

    def __init__(self, **params: Any) -> None:
        self.params = params

    def validate_params(self) -> None:
        """Raise `UnusableMeasure` for a parameter that it does not take, a wrong value, or one that is missing."""
        for name in self.params.keys() - self.SUPPORTED_PARAMS.keys():
            known = ", ".join(self.SUPPORTED_PARAMS)
            raise UnusableMeasure(f"{self.NAME} has no parameter {name!r}", remedy=f"it has {known or 'none'}")
        for name, info in self.SUPPORTED_PARAMS.items():
            value = self.params.get(name, NOT_PROVIDED)
            if not info.validate(value):
                raise UnusableMeasure(f"{value!r} is no value of {name!r} for {self!r}", remedy=info.desc or "")

    def __call__(self, **params: Any) -> Measure:
        return type(self)(**(self.params | params))

    def __matmul__(self, at: Any) -> Measure:
        return self(**{self.AT_PARAM: at})

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self._default(name))

    def _default(self, name: str) -> Any:
        return self.SUPPORTED_PARAMS[name].default if name in self.SUPPORTED_PARAMS else NOT_PROVIDED

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """The value of every judged query."""
        values: Iterator[Metric] = self.pipeline.iter_calc([self], qrels, run)
        return values

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """The value for all queries."""
        return float(self.evaluator(qrels).calc_aggregate(run)[self])

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """Both: a number as ``aggregated``."""
        found: CalcResults = self.evaluator(qrels).calc(run)
        return found._replace(aggregated=found.aggregated[self])

    def evaluator(self, qrels: Any) -> Any:
        """What evaluates runs against these judgments."""
        return self.pipeline.evaluator([self], qrels)

    def aggregator(self) -> Agg:
        """A new aggregator, which makes the value for all queries."""
        return MeanAgg()

    def __repr__(self) -> str:
        return self.written(self.shown())

    def shown(self) -> dict[str, Any]:
        """The parameters without those that have the value that they have anyway."""
        return {name: value for name, value in self.params.items() if value != self._default(name)}

    def written(self, params: dict[str, Any]) -> str:
        """The measure with these parameters as a text."""
        inside = ",".join(f"{name}={as_text(value)}" for name, value in params.items() if name != self.AT_PARAM)
        at = f"@{params[self.AT_PARAM]}" if self.AT_PARAM in params else ""
        return f"{self.NAME}{f'({inside})' if inside else ''}{at}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


BaseMeasure = Measure


def as_text(value: Any) -> str:
    """A value as it is written; of a mapping what it changes."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{to}" for key, to in sorted(value.items()) if key != to) + "}"
    return repr(value)


registry: dict[str, Measure] = {}
"""The measures by all their names."""


def register(
    measure: Measure, aliases: tuple[str, ...] | list[str] = (), name: str | None = None
) -> dict[str, Measure]:
    """Give a measure its name, or `name`, and others. Raises ValueError for one that is taken."""
    for each in (name or str(measure.NAME), *aliases):
        if each in registry:
            raise ValueError(f"there is a measure {each!r} already")
        registry[each] = measure
    return registry


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
