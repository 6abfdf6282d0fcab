"""`coverage`: what judgments cover of runs, with the choices that ``irev coverage`` has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Unpack

from irev.doors.api.given import MemoryGiven, ask, checked
from irev.doors.api.inputs import Path
from irev.doors.api.options import Options

if TYPE_CHECKING:
    from irev.questions.coverage.finding import Coverage


def coverage(
    qrels: Path,
    runs: Mapping[str, Path] | Iterable[Path],
    measures: str | Iterable[str] = (),
    *,
    groups: Mapping[str, str] | None = None,
    pool_depth: int = 100,
    top: int = 10,
    **options: Unpack[Options],
) -> Coverage:
    """What of runs was judged, what unjudged documents could change, and what runs owe to judgments of their own.

    Parameters
    ----------
    qrels : path
    runs : mapping of str to path, or iterable of paths
        By their names; paths alone are called by their run ids.
    measures : str or iterable of str
        As after ``-m``; AP and nDCG@10 unless given.
    groups : mapping of str to str, optional
        The group of a run by its name: runs of a group are left out together.
    pool_depth : int
        To which rank runs were pooled.
    top : int
        How many first documents are looked at for what is not judged.
    **options
        See `Options`. Every judged query counts unless `queries` says otherwise.

    Returns
    -------
    Coverage
        With a `RunCoverage` for each run in `runs`, unjudged documents in `holes`, pairs of runs that could change
        places in `exchanges`, and a `Bias` for each measure in `biases`.

    Raises
    ------
    UsageError
        For a choice that there is not, and settings under which the question has no answer.
    InputError
        For what cannot be read or understood.
    """
    from irev.questions.coverage.choices import QUESTION

    if not {"complete", "queries"} & {*options}:
        options = {**options, "complete": True}
    choices = checked(QUESTION, locals(), groups=groups)
    found: Coverage = ask(QUESTION, MemoryGiven({"": qrels}, runs, measures, options), choices)
    return found
