"""Studies: experiments planned (`irev power`), and runs compared in other ways than by tests on one set of queries: by
weights or groups of queries, on several collections, over random seeds, beside an earlier experiment, by a posterior.
"""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "plan experiments, compare by groups, over collections and seeds, replicate, by posteriors",
    commands={"power": (), "collections": (), "seeds": (), "replicate": (), "bayes": (), "compare-by": ()},
    after={
        "compare-by": "compare",
        "collections": "compare-by",
        "bayes": "collections",
        "seeds": "bayes",
        "replicate": "seeds",
    },
    functions=dict.fromkeys(("collections", "seeds", "replicate", "bayes", "compare_by"), "functions"),
)
