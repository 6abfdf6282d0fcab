"""What a provider of measures is, and what evaluates runs for it; either may be subclassed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any as Anything
from typing import ClassVar

from irev.compat.ir_measures.measures.base import NOT_PROVIDED, Measure, ParamInfo
from irev.compat.ir_measures.util import CalcResults, Metric, QrelsConverter, RunConverter


class Evaluator:
    """Evaluates runs against judgments that are indexed once.

    Parameters
    ----------
    measures : iterable of Measure
    qrel_qids : iterable of str
        The judged queries. Each has a value; of one that `_iter_calc` leaves out it is the ``DEFAULT`` of the measure.
    """

    def __init__(self, measures: Iterable[Anything], qrel_qids: Iterable[str]) -> None:
        self.measures = list(measures)
        self.qrel_qids = set(qrel_qids)

    def iter_calc(self, run: Anything) -> Iterator[Metric]:
        """The value of every judged query for every measure."""
        left: dict[Anything, set[str]] = {measure: set(self.qrel_qids) for measure in self.measures}
        for metric in self._iter_calc(run):
            left[metric.measure].discard(metric.query_id)
            yield metric
        for measure in sorted(left, key=str):
            for query in sorted(left[measure]):
                yield Metric(query, measure, measure.DEFAULT)

    def _iter_calc(self, run: Anything) -> Iterator[Metric]:
        """Values that there are, of whatever queries and measures: for classes that derive from this one."""
        raise NotImplementedError(f"{type(self).__name__} must define `_iter_calc`")

    def calc_aggregate(self, run: Anything) -> dict[Anything, float]:
        """The value for all queries of every measure."""
        return self.calc(run).aggregated  # type: ignore[no-any-return] # a dictionary, as `calc` of this class gives

    def calc(self, run: Anything) -> CalcResults:
        """Both."""
        found = list(self.iter_calc(run))
        values: dict[Anything, list[float]] = {measure: [] for measure in self.measures}
        for metric in found:
            values[metric.measure].append(metric.value)
        return CalcResults({measure: aggregated(measure, values[measure]) for measure in self.measures}, found)


def aggregated(measure: Anything, values: Iterable[float]) -> float:
    """One number of the values of all queries, as the measure makes it."""
    aggregator = measure.aggregator()
    for value in values:
        aggregator.add(value)
    return float(aggregator.result())


class Provider:
    """Evaluates some measures.

    Attributes
    ----------
    NAME : str
    SUPPORTED_MEASURES : list of Measure
        What it evaluates: measures whose parameters are `Any` or `Choices`; a parameter that is not named may have any
        value.
    """

    NAME: str
    SUPPORTED_MEASURES: ClassVar[list[Measure]] = []

    def __init__(self) -> None:
        self._is_available: bool | None = None

    def evaluator(self, measures: Iterable[Anything], qrels: Anything) -> Evaluator:
        """What evaluates runs for these measures against these judgments."""
        self._check_available()
        return self._evaluator(measures, qrels)

    def _evaluator(self, measures: Iterable[Anything], qrels: Anything) -> Evaluator:
        """The same, where the provider is there: for classes that derive from this one."""
        raise NotImplementedError(f"{type(self).__name__} must define `_evaluator`")

    def iter_calc(self, measures: Iterable[Anything], qrels: Anything, run: Anything) -> Iterator[Metric]:
        """The value of every judged query for every measure."""
        return self.evaluator(measures, qrels).iter_calc(run)

    def calc_aggregate(self, measures: Iterable[Anything], qrels: Anything, run: Anything) -> dict[Anything, float]:
        """The value for all queries of every measure."""
        return self.evaluator(measures, qrels).calc_aggregate(run)

    def calc(self, measures: Iterable[Anything], qrels: Anything, run: Anything) -> CalcResults:
        """Both."""
        return self.evaluator(measures, qrels).calc(run)

    @contextmanager
    def calc_ctxt(
        self, measures: Iterable[Anything], qrels: Anything
    ) -> Iterator[Callable[[Anything], Iterator[Metric]]]:
        """`evaluator` under an old name: the context is its `iter_calc`."""
        warnings.warn("calc_ctxt is deprecated; use evaluator", DeprecationWarning, stacklevel=3)
        yield self.evaluator(measures, qrels).iter_calc

    def supports(self, measure: Measure) -> bool:
        """Whether it evaluates this measure. Raises `UnusableMeasure` for parameters that no such measure has."""
        measure.validate_params()
        return any(
            supported.NAME == measure.NAME
            and all(spec.validate(measure[name]) for name, spec in supported.params.items())
            for supported in self.SUPPORTED_MEASURES
        )

    def is_available(self) -> bool:
        """Whether what it needs is installed."""
        if self._is_available is None:
            try:
                self.initialize()
                self._is_available = True
            except RuntimeError:
                self._is_available = False
        return self._is_available

    def initialize(self) -> None:
        """Load what it needs. Raises RuntimeError where that is missing."""

    def install_instructions(self) -> str | None:
        """How to install what it needs."""
        return None

    def _check_available(self) -> None:
        if not self.is_available():
            remedy = self.install_instructions()
            raise RuntimeError(f"Provider {self.NAME} is not available.{f' {remedy}' if remedy else ''}")

    def run_inputs(self, measures: Iterable[Anything]) -> list[str]:
        """The columns of a run that the measures need."""
        return ["query_id", "doc_id", "score"]

    def qrel_inputs(self, measures: Iterable[Anything]) -> list[str]:
        """The columns of judgments that the measures need."""
        return ["query_id", "doc_id", "relevance"]


class Any:
    """A parameter that may have any value, or any but none."""

    def __init__(self, required: bool = False) -> None:
        self.required = required

    def validate(self, value: Anything) -> bool:
        return not (self.required and value is NOT_PROVIDED)

    def __repr__(self) -> str:
        return "REQUIRED" if self.required else "ANY"


class Choices:
    """A parameter that must have one of these values."""

    def __init__(self, *choices: Anything) -> None:
        self.choices = choices

    def validate(self, value: Anything) -> bool:
        return value in self.choices

    def __repr__(self) -> str:
        return repr(self.choices[0] if len(self.choices) == 1 else self.choices)


registry: dict[str, Provider] = {}
"""The providers by name."""


def register(provider: Provider) -> Provider:
    """Give a provider its name."""
    registry[provider.NAME] = provider
    return provider


_RUN = ("query_id", "doc_id", "score")
_QRELS = ("query_id", "doc_id", "relevance")


class Defined(Measure):
    """A measure that is a function: what `define` and `define_byquery` give.

    Two are equal when their functions are the same one, and their parameters equal.
    """

    def __init__(
        self,
        function: Callable[[Anything, Anything], Iterable[tuple[str, float]]],
        about: dict[str, Anything],
        **params: Anything,
    ) -> None:
        super().__init__(**params)
        self.function = function
        self.about = about
        self.NAME = about["name"]
        self.PRETTY_NAME = about["pretty_name"]
        self.SHORT_DESC = about["short_desc"]
        self.RUN_INPUTS = about["run_inputs"]
        self.QREL_INPUTS = about["qrel_inputs"]
        if about["support_cutoff"]:
            self.SUPPORTED_PARAMS = {"cutoff": ParamInfo(int, desc="the first results of each query alone")}  # type: ignore[misc] # it depends on the function

    def __call__(self, **params: Anything) -> Defined:
        return Defined(self.function, self.about, **(self.params | params))

    def runtime_impl(self, qrels: Anything, run: Anything) -> Iterator[Metric]:
        """The values, from frames of all queries; those of the run are in order."""
        cutoff = self.params.get("cutoff")
        if cutoff is not None:
            run = run.groupby("query_id").head(cutoff).reset_index(drop=True)
        for query, value in self.function(qrels, run):
            yield Metric(query, self, value)

    def __repr__(self) -> str:
        return object.__repr__(self) if self.NAME is None else super().__repr__()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Defined) and self.function is other.function and self.params == other.params

    def __hash__(self) -> int:
        return hash((id(self.function), *sorted(self.params.items())))


class RuntimeProvider(Provider):
    """Evaluates measures that have a method ``runtime_impl``."""

    NAME = "runtime"

    def supports(self, measure: Anything) -> bool:
        measure.validate_params()
        return hasattr(measure, "runtime_impl")

    def _evaluator(self, measures: Iterable[Anything], qrels: Anything) -> Evaluator:
        frame = QrelsConverter(qrels, strict=False).as_pd_dataframe()
        return _Evaluator(measures, _ordered(frame, "qrels", {"doc_id": True}))

    def run_inputs(self, measures: Iterable[Anything]) -> list[str]:
        return sorted({name for measure in measures for name in getattr(measure, "RUN_INPUTS", ())})

    def qrel_inputs(self, measures: Iterable[Anything]) -> list[str]:
        return sorted({name for measure in measures for name in getattr(measure, "QREL_INPUTS", ())})


class _Evaluator(Evaluator):
    def __init__(self, measures: Iterable[Anything], qrels: Anything) -> None:
        super().__init__(measures, qrels["query_id"].unique())
        self._qrels = qrels

    def _iter_calc(self, run: Anything) -> Iterator[Metric]:
        frame = _ordered(RunConverter(run, strict=False).as_pd_dataframe(), "run", {"score": False})
        for measure in self.measures:
            yield from measure.runtime_impl(self._qrels, frame)


def _ordered(frame: Anything, name: str, by: dict[str, bool]) -> Anything:
    """The frame by query, and by another column where it has that."""
    there = list(frame.columns)
    if "query_id" not in there:
        raise ValueError(f"Required column query_id not found in {name}. Found columns was {there}")
    order = {"query_id": True} | {column: ascending for column, ascending in by.items() if column in there}
    return frame.sort_values(by=list(order), ascending=list(order.values()), kind="stable")


def define(
    impl: Callable[[Anything, Anything], Iterable[tuple[str, float]]],
    name: str | None = None,
    support_cutoff: bool = True,
    *,
    run_inputs: Sequence[str] | None = None,
    qrel_inputs: Sequence[str] | None = None,
    pretty_name: str | None = None,
    short_desc: str | None = None,
) -> Measure:
    """A measure of a function of all judgments and results, which gives queries and their values.

    Parameters
    ----------
    impl : callable
        ``impl(qrels, run)``, two frames of pandas; gives pairs of query and value.
    name : str, optional
        What it is called.
    support_cutoff : bool
        Whether ``@`` gives it the first results of each query alone.
    run_inputs, qrel_inputs : list of str, optional
        The columns that it needs.
    pretty_name, short_desc : str, optional
        What it is, in words.
    """
    about = {
        "name": name,
        "support_cutoff": support_cutoff,
        "run_inputs": list(_RUN if run_inputs is None else run_inputs),
        "qrel_inputs": list(_QRELS if qrel_inputs is None else qrel_inputs),
        "pretty_name": pretty_name,
        "short_desc": short_desc,
    }
    return Defined(impl, about)


def define_byquery(
    impl: Callable[[Anything, Anything], float],
    name: str | None = None,
    support_cutoff: bool = True,
    *,
    run_inputs: Sequence[str] | None = None,
    qrel_inputs: Sequence[str] | None = None,
    pretty_name: str | None = None,
    short_desc: str | None = None,
) -> Measure:
    """A measure of a function of the judgments and results of one query, which gives its value.

    Parameters are those of `define`; the name is that of the function unless another is given.
    """

    def of_all(qrels: Anything, run: Anything) -> Iterator[tuple[str, float]]:
        for query, results in run.groupby("query_id"):
            yield query, impl(qrels[qrels["query_id"] == query], results)

    called = getattr(impl, "__name__", repr(impl)) if name is None else name
    return define(
        of_all,
        called,
        support_cutoff,
        run_inputs=run_inputs,
        qrel_inputs=qrel_inputs,
        pretty_name=pretty_name,
        short_desc=short_desc,
    )
