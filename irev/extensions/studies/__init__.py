"""Studies: experiments planned (`irev power`), and runs compared in other ways than by tests on one set of queries: on
several collections, over random seeds, beside an earlier experiment, by a posterior.
"""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "plan experiments, compare over collections and seeds, replicate, by posteriors",
    commands={"power": (), "collections": (), "seeds": (), "replicate": (), "bayes": ()},
    after={"collections": "compare", "bayes": "collections", "seeds": "bayes", "replicate": "seeds"},
    functions={"collections": "functions", "seeds": "functions", "replicate": "functions", "bayes": "functions"},
)
