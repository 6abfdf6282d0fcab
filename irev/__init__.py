"""irev evaluates ranked retrieval: relevance judgments and runs in, the numbers that trec_eval prints out.

    import irev
    scores = irev.evaluate("qrels.txt", "run.txt", ["nDCG@10", "AP"])

What `irev.doors.api` has is here too, loaded when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; importing typing would take most of the time
if TYPE_CHECKING:
    from typing import Any

    from irev.doors.api import (
        Analysis,
        Evaluation,
        Evaluator,
        Gate,
        Options,
        Qrels,
        Run,
        check,
        clicks,
        compare,
        coverage,
        curves,
        diff,
        evaluate,
        evaluate_runs,
        explain,
        fuse,
        interleave,
        judges,
        off_policy,
        pool,
        rbo,
        read_qrels,
        read_run,
        top_k,
    )
    from irev.errors import (
        ComparisonWarning,
        DocumentsWarning,
        InputError,
        IrevError,
        IrevWarning,
        JudgmentsWarning,
        LevelWarning,
        MeasureWarning,
        QueriesWarning,
        RunWarning,
        UsageError,
    )

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "ComparisonWarning",
    "DocumentsWarning",
    "Evaluation",
    "Evaluator",
    "Gate",
    "InputError",
    "IrevError",
    "IrevWarning",
    "JudgmentsWarning",
    "LevelWarning",
    "MeasureWarning",
    "Options",
    "Qrels",
    "QueriesWarning",
    "Run",
    "RunWarning",
    "UsageError",
    "check",
    "clicks",
    "compare",
    "coverage",
    "curves",
    "diff",
    "evaluate",
    "evaluate_runs",
    "explain",
    "fuse",
    "interleave",
    "judges",
    "off_policy",
    "pool",
    "rbo",
    "read_qrels",
    "read_run",
    "top_k",
]

_OF_ERRORS = ("Error", "Warning")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module("irev.errors" if name.endswith(_OF_ERRORS) else "irev.doors.api"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
