"""`judges`: how far judges agree, with the choices that ``irev judges`` has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from irev.doors.api.given import MemoryGiven, ask, checked
from irev.doors.api.inputs import Judged, Path, Retrieved
from irev.doors.api.options import Options

if TYPE_CHECKING:
    from irev.questions.judges.finding import Judges

Grades = Mapping[float, float] | Iterable[float]
"""What each grade comes to, or which there are."""


def judges(
    judgments: Mapping[str, Judged] | Iterable[Path],
    runs: Mapping[str, Retrieved] | Iterable[Path] | None = None,
    measures: str | Iterable[str] = (),
    *,
    scale: Grades | Mapping[str, Grades] | None = None,
    weights: str = "quadratic",
    alpha: str = "ordinal",
    prefer: str | None = None,
    predicted: str | None = None,
    explain: bool = False,
    confidence: float = 0.95,
    **options: Unpack[Options],
) -> Judges | Any:
    """How far judges agree who judged the same documents, and what becomes of runs under each.

    Parameters
    ----------
    judgments : mapping of str to judgments, or iterable of paths
        At least two, by the names of the judges: paths, nested dictionaries, data frames, arrays, or Qrels. Paths alone
        are called by the names of the files.
    runs : mapping of str to run, or iterable of paths, optional
        At least two, which are measured under each judge, over the queries that all of them judged.
    measures : str or iterable of str
        As after ``-m``; AP and nDCG@10 unless given.
    scale : mapping of float to float, or iterable of float; or mapping of str to these
        What each grade comes to, or which grades there are: of all judges, or of some by their names.
    weights : str
        Of weighted kappa: ``linear`` or ``quadratic``.
    alpha : str
        What Krippendorff's alpha takes grades for: ``nominal``, ``ordinal`` or ``interval``.
    prefer : str, optional
        ``first``, ``max``, ``mean`` or ``majority``: also make one set of judgments of all, in `merged`; where they
        differ, of that grade.
    predicted : str, optional
        The name of one of two judges, such as a language model, that judged all queries: say what runs score by it,
        corrected by the other judge, a human who judged a random sample of the queries.
    explain : bool
        Show how kappa comes about, where it is shown: the table with totals, and kappa as a fraction.
    confidence : float
        Of the intervals, which are jackknife-t over topics.
    **options
        See `Options`. `level` says which grades are relevant.

    Returns
    -------
    Judges
        With a `Pair` for every two judges in `pairs`, what all agree on in `together`, and what becomes of runs in
        `under`. With `predicted` a `Predicted`, of which `found` has the means and differences.

    Raises
    ------
    UsageError
        For fewer than two judges or runs, and for a choice or a judge that there is not.
    InputError
        For what cannot be read or understood, judges without a document in common, and a query that a human judged and
        the judge who is `predicted` did not.
    """
    given = {**locals(), "prefer": prefer or "first"}
    from irev.questions.judges.choices import QUESTION, scales_of

    choices = checked(QUESTION, given, scales=scales_of(scale), merge=None if prefer is None else "")
    return ask(QUESTION, MemoryGiven(judgments, runs, measures, options), choices)
