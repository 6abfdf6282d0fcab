"""What ``import ir_measures.providers`` gives: who is asked for which measure, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from irev.base.errors import UsageError
from irev.compat.ir_measures.measures.base import Measure, UnusableMeasure
from irev.compat.ir_measures.providers.base import (
    Evaluator,
    Provider,
    RuntimeProvider,
    define,
    define_byquery,
    register,
    registry,
)
from irev.compat.ir_measures.providers.peers import (
    AccuracyProvider,
    CompatProvider,
    CwlEvalProvider,
    GdevalProvider,
    IrevProvider,
    JudgedProvider,
    MsMarcoProvider,
    Peer,
    PeersEvaluator,
    PyNdEvalProvider,
    PytrecEvalProvider,
    RanxProvider,
    TrectoolsProvider,
    as_measure,
    text_of,
)
from irev.compat.ir_measures.util import Metric
from irev.measures import parse

__all__ = [
    "AccuracyProvider",
    "CompatProvider",
    "CwlEvalProvider",
    "CwlMetric",
    "Evaluator",
    "FallbackProvider",
    "GdevalProvider",
    "JudgedProvider",
    "MsMarcoProvider",
    "Provider",
    "PyNdEvalProvider",
    "PytrecEvalProvider",
    "RanxProvider",
    "RuntimeProvider",
    "TrectoolsProvider",
    "define",
    "define_byquery",
    "register",
    "registry",
]


class CwlMetric(NamedTuple):
    """What cwl_eval says of a query. irev has the value alone, as a `Metric`."""

    query_id: str
    measure: Any
    value: float
    expected_total_utility: float
    expected_cost: float
    expected_total_cost: float
    expected_items: float


class FallbackProvider(Provider):
    """Several providers, of which the first that is available and supports a measure evaluates it."""

    NAME = "fallback"

    def __init__(self, providers: Iterable[Provider]) -> None:
        super().__init__()
        self.providers = list(providers)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
        asked = list(dict.fromkeys(measures))
        if not asked:
            raise UsageError("there is no measure")
        shares: dict[Provider, list[Any]] = {}
        for measure in asked:
            shares.setdefault(self._provider(measure), []).append(measure)
        peers = {provider: share for provider, share in shares.items() if isinstance(provider, Peer)}
        evaluators: list[Evaluator] = []
        qrels = _to_be_read_again(qrels) if len(shares) > bool(peers) else qrels
        if peers:
            evaluators.append(PeersEvaluator(peers, qrels))
        evaluators += [
            provider.evaluator(share, qrels) for provider, share in shares.items() if not isinstance(provider, Peer)
        ]
        return evaluators[0] if len(evaluators) == 1 else _Several(asked, evaluators)

    def _provider(self, measure: Any) -> Provider:
        wanted = as_measure(measure)
        for provider in self.providers:
            if provider.is_available() and provider.supports(wanted):
                return provider
        text = text_of(wanted)
        try:
            parse([text])
        except UsageError as error:
            raise UnusableMeasure(error.fact, remedy=error.remedy) from None
        raise UnusableMeasure(f"'{text}' is not one number", remedy="name measures such as P@5 one by one")

    def supports(self, measure: Any) -> bool:
        return any(provider.is_available() and provider.supports(measure) for provider in self.providers)

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        return self._inputs("run_inputs", measures)

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        return self._inputs("qrel_inputs", measures)

    def _inputs(self, which: str, measures: Iterable[Any]) -> list[str]:
        return sorted({name for measure in measures for name in getattr(self._provider(measure), which)([measure])})


class _Several(Evaluator):
    """Evaluators of which each has some of the measures."""

    def __init__(self, measures: Iterable[Any], evaluators: list[Evaluator]) -> None:
        super().__init__(measures, evaluators[0].qrel_qids)
        self._evaluators = evaluators

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        run = _to_be_read_again(run)
        for evaluator in self._evaluators:
            yield from evaluator.iter_calc(run)


def _to_be_read_again(data: Any) -> Any:
    """The same data, as a list where they could be read but once."""
    return list(data) if isinstance(data, Iterator) and not isinstance(data, Mapping) else data


for _provider in (
    *(RuntimeProvider(), PytrecEvalProvider(), CwlEvalProvider(), CompatProvider(), PyNdEvalProvider()),
    *(JudgedProvider(), MsMarcoProvider(), GdevalProvider(), AccuracyProvider(), RanxProvider(), TrectoolsProvider()),
):
    register(_provider)

DEFAULT_PIPELINE = Measure.pipeline = FallbackProvider([*registry.values(), IrevProvider()])
"""Who is asked unless a provider is named."""
