"""`curves` and `trend`: runs by recall, by cutoff, by query and by build, with the choices that these commands have."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Unpack

from irev.base.errors import UsageError
from irev.base.text import encoded
from irev.doors.api.given import MemoryGiven, ask
from irev.doors.api.inputs import Judged, Path, Retrieved
from irev.doors.api.options import Options

if TYPE_CHECKING:
    from irev.questions.curves.answer import Curves
    from irev.questions.trend.answer import Trend


def curves(
    qrels: Judged,
    runs: Mapping[str, Retrieved] | Iterable[Path],
    kind: str = "recall-precision",
    measures: str | Iterable[str] = (),
    *,
    query: str | None = None,
    rule: str | None = None,
    cutoffs: Iterable[int] = (),
    baseline: str | None = None,
    resources: Path | None = None,
    against: str | None = None,
    confidence: float = 0.95,
    tie_tolerance: float = 0.0,
    both: bool = False,
    **options: Unpack[Options],
) -> Curves:
    """Compute the points of curves, which can be shown and drawn.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    runs : mapping of str to run, or iterable of paths
        By their names: paths, nested dictionaries, data frames, arrays, or Runs. Paths alone are called by their run
        ids.
    kind : str
        ``recall-precision``, ``query``, ``cutoff``, ``precision-recall@k``, ``roc``, ``queries``, ``topics``,
        ``scatter``, ``distribution``, ``agreement`` (of measures), ``sheet`` or ``tradeoff``, as ``irev curves --kind``
        has them.
    measures : str or iterable of str
        As after ``-m``; by cutoff named without one.
    query : str, optional
        The one that ``query`` draws.
    rule : str, optional
        ``nist``, of the eleven points.
    cutoffs : iterable of int
        By cutoff; some up to 1000 unless given.
    baseline : str, optional
        The run that ``queries`` and ``scatter`` compare the others with; the first unless given.
    resources : path, optional
        Resources of runs, for ``tradeoff``: a table with a header: run, optionally query, and numbers such as latency.
    against : str, optional
        The column of it against which measures are drawn, such as ``latency:p99``; by default the first.
    confidence, tie_tolerance : float
        Of the intervals of ``queries``; differences up to the tolerance are ties.
    both : bool
        Leave out queries that not all runs have, instead of counting a missing one as 0.
    **options
        See `Options`. Every judged query counts unless `both`, `complete` or `queries` says otherwise.

    Returns
    -------
    Curves
        With a picture, `irev.evaluation.curves.Curves`, for each measure, query or pair of runs in `pictures`.

    Raises
    ------
    UsageError
        For an unknown choice or run, a choice that the kind does not use, and too few runs.
    InputError
        For input that cannot be read, and runs without a query in common.
    """
    if not both and not {"complete", "queries"} & {*options}:
        options = {**options, "complete": True}
    names = tuple(each for each in ((measures,) if isinstance(measures, str) else measures) if each)
    asked = () if query is None else (encoded(query),)
    given = {name: value for name, value in locals().items() if name != "qrels"}  # of one set of judgments
    took = None if resources is None else os.fsdecode(resources)
    about = MemoryGiven({"": qrels}, runs, names, options)
    found: Curves = ask("curves", about, given, measures=names, query=asked, resources=took)
    return found


def trend(results: Path | Iterable[Path], measures: str | Iterable[str] = (), *, branch: str | None = None) -> Trend:
    """Show how saved results changed from build to build, and from which build on they are significantly worse.

    Parameters
    ----------
    results : path, or iterable of paths
        Results that ``irev eval -q -f json`` saved, folders of them, and ``sqlite:FILE``.
    measures : str or iterable of str
        All that every build has unless given.
    branch : str, optional
        Only builds of this branch.

    Returns
    -------
    Trend
        With ``builds``, and ``series`` for each run and measure: its ``means`` and ``shifts``. ``to_pandas()`` has a
        row for each build, run and measure; ``plot()`` draws the means.

    Raises
    ------
    InputError
        For a file that is not a saved result, results without the values of single queries, and results that cannot be
        compared: other settings, no run or no measure in common.
    UsageError
        For a measure that not every build has, and a branch without builds.
    """
    paths = [results] if isinstance(results, str | os.PathLike) or not isinstance(results, Iterable) else [*results]
    if not paths:
        raise UsageError("results: expected paths of saved results, found none")
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise UsageError(f"results: expected paths of saved results, found {type(path).__name__}")
    asked = (measures,) if isinstance(measures, str) else tuple(measures)
    made = {"results": tuple(map(os.fsdecode, paths)), "measures": asked}
    found: Trend = ask("trend", None, {"branch": branch}, **made)
    return found
