"""The Python interface: judgments and runs in, whether files or in memory, and an `Evaluation` out.

    import irev
    scores = irev.evaluate("qrels.txt", "run.txt", ["nDCG@10", "AP"])
    scores.mean()["nDCG@10"]

These are the calls that ``irev eval`` makes, with the same records between them, so that the numbers are the same to
the last bit. Everything here is frozen, nothing that is handed in is changed, and several threads may share it.
"""

from irev.api.comparison import Analysis, compare
from irev.api.evaluation import Evaluation, Evaluator, evaluate, evaluate_runs
from irev.api.gate import Gate, check
from irev.api.options import Options
from irev.api.questions import (
    curves,
    diff,
    explain,
    fuse,
    rbo,
    read_qrels,
    read_run,
    trend,
)
from irev.base.errors import (
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
    TiesWarning,
    UsageError,
)
from irev.evaluation.objects import Qrels, Run

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
    "TiesWarning",
    "UsageError",
    "check",
    "compare",
    "curves",
    "diff",
    "evaluate",
    "evaluate_runs",
    "explain",
    "fuse",
    "rbo",
    "read_qrels",
    "read_run",
    "trend",
]
