"""Measures as ir_measures has them: objects with parameters, equal when they are written alike.

    AP(rel=2) @ 10
    parse_measure("AP(rel=2)@10")

What a built-in measure is called, which parameters it takes, and what they are unless given stands in irev's records of
measures; `irev.compat.ir_measures.measures.made` reads it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.compat.ir_measures.providers.base import Evaluator
    from irev.compat.ir_measures.util import CalcResults, Metric

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
        raise NotImplementedError(f"{type(self).__name__} has to say how values are taken: define `add`")

    def result(self) -> float:
        """The number."""
        raise NotImplementedError(f"{type(self).__name__} has to say what comes of the values: define `result`")


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
    """

    NAME: str | None = None
    PRETTY_NAME: str | None = None
    SHORT_DESC: str | None = None
    AT_PARAM = "cutoff"
    SUPPORTED_PARAMS: ClassVar[dict[str, ParamInfo]] = {}
    DEFAULT = 0.0

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
        from irev.compat.ir_measures.providers import DEFAULT_PIPELINE

        return DEFAULT_PIPELINE.iter_calc([self], qrels, run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """The value for all queries."""
        return self.evaluator(qrels).calc_aggregate(run)[self]

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """Both: a number as ``aggregated``."""
        found = self.evaluator(qrels).calc(run)
        return found._replace(aggregated=found.aggregated[self])

    def evaluator(self, qrels: Any) -> Evaluator:
        """What evaluates runs against these judgments."""
        from irev.compat.ir_measures.providers import DEFAULT_PIPELINE

        return DEFAULT_PIPELINE.evaluator([self], qrels)

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
