"""Interpolated precision at eleven points of recall, averaged over queries: the curve that TREC prints."""

from __future__ import annotations

from collections.abc import Sequence

from irev.base.settings import Settings
from irev.evaluation.curves.curve import LINES, Axis, Curve, Curves, Point
from irev.evaluation.curves.kinds import NIST, RECALL_PRECISION
from irev.evaluation.result import Outcome
from irev.measures import Request, parse

_POINTS = tuple(f"{tenth / 10:.1f}" for tenth in range(11))


def requests(rule: str | None = None) -> tuple[Request, ...]:
    """What to evaluate for it: ``iprec_at_recall`` at 0.0, 0.1 … 1.0, by trec_eval's rule unless `NIST` is said."""
    inside = f"(rule={rule})" if rule else ""
    return parse([f"IPrec{inside}@{point}" for point in _POINTS])


def recall_precision(outcomes: Sequence[Outcome], settings: Settings, rule: str | None = None) -> Curves:
    """The curve of every run.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Evaluations with all `requests`, on the same queries.
    settings : Settings
        How they were made: trec_eval 10.0 and 9.0.8 have a rule each.
    rule : str, optional
        As it was for `requests`.

    Returns
    -------
    Curves
        For each run the points (recall, precision), recall being 0, 0.1 … 1 and precision the mean over queries of the
        highest precision at that recall or a higher one, 0 for a query that never reaches it.
    """
    wanted = requests(rule)
    curves = []
    for outcome in outcomes:
        values = dict(zip([column.request for column in outcome.scores.columns], outcome.summary.values, strict=True))
        points = (Point(float(each.value.value), float(values[each] or 0.0)) for each in wanted)
        curves.append(Curve(outcome.run, tuple(points)))
    return Curves(
        RECALL_PRECISION,
        "",
        "",
        Axis("recall", "recall", 0.0, 1.0),
        Axis("precision", "interpolated precision", 0.0, 1.0),
        tuple(curves),
        LINES,
        "Interpolated precision at eleven points of recall, mean over queries; straight lines join the points and mean"
        f" nothing. {_rule(settings, rule)}",
    )


def _rule(settings: Settings, rule: str | None) -> str:
    if rule == NIST:
        return "Rule: the highest precision at any rank where recall is at least that of the point (NIST)."
    if settings.single_precision:
        return "Rule of trec_eval 9.0.8: the highest precision from recall x on, x · R + 0.9 cut to a whole number."
    return "Rule of trec_eval 10.0: the highest precision from recall x on, x · R rounded to the nearest whole number."
