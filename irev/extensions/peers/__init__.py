"""What other evaluators wrote: values of queries of trec_eval, ir_measures, ranx, ragas, DeepEval and others."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "read values of queries that other evaluators computed",
    functions={"read_scores": "functions"},
    values="query_values",
)
