"""The Python function `llm_judge`: a model's judgments, corrected by some of a human's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Unpack

from irev.api.options import Options, ask, inputs_of, require_several, settings_of
from irev.evaluation.objects import Judged, Path, Retrieved

if TYPE_CHECKING:
    from irev.extensions.llm_judge.llm_judge.finding import CorrectedRuns


def llm_judge(
    model: Judged,
    human: Judged,
    runs: Mapping[str, Retrieved] | Iterable[Path],
    measures: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    min: Mapping[str, float] | None = None,
    max_drop: Mapping[str, float] | None = None,
    no_worse_than: Mapping[str, float] | None = None,
    width: float | None = None,
    sequential: int | None = None,
    clusters: Path | Mapping[str, str] | None = None,
    confidence: float = 0.95,
    **options: Unpack[Options],
) -> CorrectedRuns:
    """Say what runs are worth by a model's judgments of all queries, corrected by a human's judgments of some.

    Parameters
    ----------
    model, human : path, nested dictionary, data frame, arrays, or Qrels
        The model's judgments of all queries, and a human's of a random sample of the queries.
    runs : mapping of str to run, or iterable of paths
        By their names; paths alone are called by their run ids.
    measures : str or iterable of str
        As after ``-m``; AP and nDCG@10 unless given, or the measures of conditions.
    baseline : str, optional
        The run that the others are compared with; all pairs of runs unless given.
    min, max_drop, no_worse_than : mapping of str to float, optional
        Conditions: the lowest corrected value of a measure, the largest corrected drop from the baseline, and the loss
        that a one-sided test at 0.05 must exclude. `conditions` of what is returned says whether they hold.
    width : float, optional
        `needed` of each difference is how many queries the human must judge in all for an interval of this width.
    sequential : int, optional
        About how many queries the human will judge in the end, the same at every look. Intervals and p-values then hold
        at every look.
    clusters : path, str, or mapping of str to str, optional
        The cluster of each query, of queries that depend on each other, as for `compare`.
    confidence : float
        Confidence level of the intervals.
    **options
        See `Options`. Every query that the model judged counts.

    Returns
    -------
    CorrectedRuns
        With the `means` of the runs and their `differences` in `found`.

    Raises
    ------
    UsageError
        For an unknown choice, and a measure that is no mean over queries.
    InputError
        For input that cannot be read, and a query that the human judged and the model did not.
    """
    require_several("runs", runs)
    given = locals()
    about = inputs_of({"predicted": model, "human": human}, runs, measures, settings_of(options))
    found: CorrectedRuns = ask("llm-judge", about, given)
    return found
