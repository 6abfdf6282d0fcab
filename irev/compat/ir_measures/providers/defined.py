"""Measures that a program defines by functions of its own, which are given data frames of pandas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from irev.compat.ir_measures.measures.base import Measure, ParamInfo
from irev.compat.ir_measures.providers.base import Evaluator, Provider
from irev.compat.ir_measures.util import Metric, QrelsConverter, RunConverter

_RUN = ("query_id", "doc_id", "score")
_QRELS = ("query_id", "doc_id", "relevance")


class Defined(Measure):
    """A measure that is a function: what `define` and `define_byquery` give.

    Two are equal when their functions are the same one, and their parameters equal.
    """

    def __init__(
        self, function: Callable[[Any, Any], Iterable[tuple[str, float]]], about: dict[str, Any], **params: Any
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

    def __call__(self, **params: Any) -> Defined:
        return Defined(self.function, self.about, **(self.params | params))

    def runtime_impl(self, qrels: Any, run: Any) -> Iterator[Metric]:
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

    def supports(self, measure: Any) -> bool:
        measure.validate_params()
        return hasattr(measure, "runtime_impl")

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
        frame = QrelsConverter(qrels, strict=False).as_pd_dataframe()
        return _Evaluator(measures, _ordered(frame, "qrels", {"doc_id": True}))

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        return sorted({name for measure in measures for name in getattr(measure, "RUN_INPUTS", ())})

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        return sorted({name for measure in measures for name in getattr(measure, "QREL_INPUTS", ())})


class _Evaluator(Evaluator):
    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        super().__init__(measures, qrels["query_id"].unique())
        self._qrels = qrels

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        frame = _ordered(RunConverter(run, strict=False).as_pd_dataframe(), "run", {"score": False})
        for measure in self.measures:
            yield from measure.runtime_impl(self._qrels, frame)


def _ordered(frame: Any, name: str, by: dict[str, bool]) -> Any:
    """The frame by query, and by another column where it has that."""
    there = list(frame.columns)
    if "query_id" not in there:
        raise ValueError(f"Required column query_id not found in {name}. Found columns was {there}")
    order = {"query_id": True} | {column: ascending for column, ascending in by.items() if column in there}
    return frame.sort_values(by=list(order), ascending=list(order.values()), kind="stable")


def define(
    impl: Callable[[Any, Any], Iterable[tuple[str, float]]],
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
    impl: Callable[[Any, Any], float],
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

    def of_all(qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
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
