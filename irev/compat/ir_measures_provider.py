"""irev as a provider of ir_measures, for programs that import that and cannot import something else.

    import irev.compat.ir_measures_provider
    irev.compat.ir_measures_provider.use()

From then on ir_measures, and what asks it, such as PyTerrier's ``Experiment``, has irev evaluate every measure that
irev has; the others are evaluated by whom they were before. Numbers stay what they are: irev computes what each program
would say that ir_measures asks, as `irev.compat.ir_measures` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

try:
    import ir_measures
    from ir_measures import providers
except ImportError as error:
    raise ImportError("ir_measures is not installed: pip install ir_measures") from error

from irev.base.errors import UsageError
from irev.compat import ir_measures as own

_RUNTIME = "runtime"


class IrevProvider(providers.Provider):  # type: ignore[misc] # ir_measures has no types
    """Evaluates by irev what irev has."""

    NAME = "irev"

    def supports(self, measure: Any) -> bool:
        """Whether irev has a measure, with these parameters."""
        measure.validate_params()
        return not hasattr(measure, "runtime_impl") and _of_irev(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        # ir_measures hands over a set, whose order is another in each process, and columns would be in that order.
        in_order = sorted(measures, key=str) if isinstance(measures, set | frozenset) else list(measures)
        return _Evaluator(in_order, qrels)


class _Evaluator(providers.Evaluator):  # type: ignore[misc] # ir_measures has no types
    """Asks irev, and answers with the measures that were asked for."""

    def __init__(self, measures: list[Any], qrels: Any) -> None:
        self._asked = {_of_irev(measure): measure for measure in measures}
        self._evaluator = own.evaluator(self._asked, qrels)
        super().__init__(measures, self._evaluator.qrel_qids)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        for found in self._evaluator.iter_calc(run):
            yield ir_measures.Metric(query_id=found.query_id, measure=self._asked[found.measure], value=found.value)


def _of_irev(measure: Any) -> Any:
    """The same measure here; None for one that irev does not have."""
    try:
        found = own.parse_measure(str(measure))
        return found if own.DefaultPipeline.supports(found) else None
    except (UsageError, NameError, ValueError):
        return None


PROVIDER = providers.register(IrevProvider())


def use() -> None:
    """Have ir_measures ask irev before others, but for measures that a program defines by functions of its own."""
    asked = ir_measures.DefaultPipeline.providers
    if PROVIDER not in asked:
        asked.insert(1 if asked and asked[0].NAME == _RUNTIME else 0, PROVIDER)


def leave() -> None:
    """Have ir_measures ask whom it asked before."""
    if PROVIDER in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(PROVIDER)
