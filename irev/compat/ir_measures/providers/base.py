"""What a provider of measures is, and what evaluates runs for it; either may be subclassed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any as Anything
from typing import ClassVar

from irev.compat.ir_measures.measures.base import NOT_PROVIDED, Measure
from irev.compat.ir_measures.util import CalcResults, Metric


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
        raise NotImplementedError(f"{type(self).__name__} has to say how runs are evaluated: define `_iter_calc`")

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
        raise NotImplementedError(f"{type(self).__name__} has to say what evaluates runs: define `_evaluator`")

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
