"""The interface of ir_measures, for the measures that irev has.

    from irev.compat import ir_measures
    from irev.compat.ir_measures import AP, nDCG
    ir_measures.calc_aggregate([nDCG @ 10, AP(rel=2)], qrels, run)

It follows version 0.4.3. Measures are objects, or texts; judgments and runs are nested dictionaries, data frames, or
named tuples with its fields. As there, every judged query counts, and one that the run lacks has 0; without judged
queries a mean is nan.

The numbers are those of ir_measures, as every program that it asks would give them; docs/ir_measures.md says where they
are not.
"""

from __future__ import annotations

from irev.compat.ir_measures import lazylibs, measures, providers, util
from irev.compat.ir_measures.measures import *  # noqa: F403 (the measures, whose names stand there)
from irev.compat.ir_measures.providers import CwlMetric, Evaluator, Provider, define, define_byquery
from irev.compat.ir_measures.util import (
    CalcResults,
    GenericQrel,
    GenericScoredDoc,
    Metric,
    Qrel,
    ScoredDoc,
    convert_trec_name,
    parse_measure,
    parse_trec_measure,
    parse_trec_qrels,
    parse_trec_run,
    read_trec_qrels,
    read_trec_run,
)

__version__ = "0.4.3"

accuracy = providers.registry["accuracy"]
compat = providers.registry["compat"]
cwl_eval = providers.registry["cwl_eval"]
gdeval = providers.registry["gdeval"]
judged = providers.registry["judged"]
msmarco = providers.registry["msmarco"]
pyndeval = providers.registry["pyndeval"]
pytrec_eval = providers.registry["pytrec_eval"]
ranx = providers.registry["ranx"]
runtime = providers.registry["runtime"]
trectools = providers.registry["trectools"]

DefaultPipeline = providers.DEFAULT_PIPELINE
evaluator = DefaultPipeline.evaluator
calc_ctxt = DefaultPipeline.calc_ctxt
iter_calc = DefaultPipeline.iter_calc
calc_aggregate = DefaultPipeline.calc_aggregate
calc = DefaultPipeline.calc
run_inputs = DefaultPipeline.run_inputs
qrel_inputs = DefaultPipeline.qrel_inputs

__all__ = [
    "CalcResults",
    "CwlMetric",
    "DefaultPipeline",
    "Evaluator",
    "GenericQrel",
    "GenericScoredDoc",
    "Metric",
    "Provider",
    "Qrel",
    "ScoredDoc",
    "__version__",
    "accuracy",
    "calc",
    "calc_aggregate",
    "calc_ctxt",
    "compat",
    "convert_trec_name",
    "cwl_eval",
    "define",
    "define_byquery",
    "evaluator",
    "gdeval",
    "iter_calc",
    "judged",
    "lazylibs",
    "measures",
    "msmarco",
    "parse_measure",
    "parse_trec_measure",
    "parse_trec_qrels",
    "parse_trec_run",
    "providers",
    "pyndeval",
    "pytrec_eval",
    "ranx",
    "read_trec_qrels",
    "read_trec_run",
    "runtime",
    "trectools",
    "util",
]
__all__ += measures.__all__
