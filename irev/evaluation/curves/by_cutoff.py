"""Measures at one cutoff after the other: by cutoff, and precision against recall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from irev.base.errors import UsageError
from irev.evaluation.curves import AGAINST_EACH_OTHER, CUTOFF, LINES, ROC, Axis, Curve, CurvePicture, Point, crossings
from irev.evaluation.result import Outcome
from irev.measures import Request, parse
from irev.measures.parameters import Cutoffs

CUTOFFS = (
    *(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100),
    *(120, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1000),
)
"""Where measures are looked at, unless other cutoffs are asked for."""

DEFAULT_MEASURES = ("nDCG", "P", "R")

AXES = {
    AGAINST_EACH_OTHER: (
        ("R", "P"),
        (Axis("recall", "recall at k", 0.0, 1.0), Axis("precision", "precision at k", 0.0, 1.0)),
        "Precision at k against recall at k, each the mean over queries, for each k. Not interpolated.",
    ),
    ROC: (
        ("Fallout", "R"),
        (Axis("fallout", "fallout at k", 0.0, 1.0), Axis("recall", "recall at k", 0.0, 1.0)),
        "ROC curve among judged documents: recall at k, the true positive rate, against fallout at k, the false "
        "positive rate, each the mean over queries, for each k. Unjudged documents are left out: in a whole "
        "collection the false positive rate is close to 0 everywhere. The curve depends on which documents were "
        "judged not relevant.",
    ),
}
"""For each kind of two measures against each other: their names, x before y, the axes, and how to read it."""

_DEPTH = parse(["num_ret"])[0]


def at(request: Request, k: int) -> Request:
    """A measure at a cutoff, whatever its own is. Raises `UsageError` for one that takes none."""
    measure = request.measure
    if isinstance(measure.parameter, Cutoffs):
        return replace(request, value=measure.parameter.read((k,))[0])
    if request.k is not None or measure.cut == "depth":
        return replace(request, k=k)
    if not measure.cut:
        raise UsageError(f"measure '{measure.name}' takes no cutoff", remedy="name one that does, such as nDCG or P")
    return parse([f"{request.standard}@{k}"])[0]


def curve_name(request: Request) -> str:
    """What a measure is called at any cutoff: ``nDCG@k``."""
    return at(request, 1).standard.removesuffix("1") + "k"


def without_cutoffs(names: Iterable[str]) -> tuple[Request, ...]:
    """The measures that names stand for, at cutoff 1, once each.

    Raises `UsageError` for a name that has a cutoff of its own, and for a measure that takes none.
    """
    found = []
    for name in names:
        for request in (several := parse([name])):
            parameter = request.measure.parameter
            own = request.cutoff is not None and (
                not isinstance(parameter, Cutoffs) or tuple(r.value for r in several) != parameter.defaults
            )
            if own:
                fact = f"{request.standard} has a cutoff, but this picture has every cutoff"
                raise UsageError(
                    fact, remedy=f"give the measure without a cutoff: {curve_name(request).removesuffix('@k')}"
                )
            found.append(at(request, 1))
    return tuple(dict.fromkeys(found))


def requests(names: Iterable[str] = (), cutoffs: Sequence[int] = CUTOFFS) -> tuple[Request, ...]:
    """What to evaluate for curves by cutoff: every measure at every cutoff, and how much each query retrieves."""
    measures = without_cutoffs(names or DEFAULT_MEASURES)
    return (*(at(each, k) for each in measures for k in cutoffs), _DEPTH)


def depth(outcomes: Sequence[Outcome]) -> int:
    """Where the shallowest run ends: of every run the longest ranking counts, and of these the shortest.

    Beyond it a run would be drawn that has nothing there. Rankings that the settings cut, or without unjudged
    documents, are as long as that left them.
    """
    longest = []
    for outcome in outcomes:
        retrieved = next(column.values for column in outcome.scores.columns if column.request == _DEPTH)
        longest.append(int(retrieved.max(initial=0)))
    return min(longest, default=0)


def by_cutoff(outcomes: Sequence[Outcome]) -> tuple[CurvePicture, ...]:
    """Every measure by cutoff, a picture for each.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Evaluations with all `requests`, on the same queries.

    Returns
    -------
    tuple of Curves
        For each run the points (k, value of the measure at k), for the cutoffs up to `depth`. Each value is of its own
        ideal ranking, that of the first k ranks, which is why nDCG@k may fall and rise.
    """
    ends = depth(outcomes)
    families: dict[Request, list[Request]] = {}
    for column in outcomes[0].scores.columns:
        k = column.request.cutoff
        if k is not None and column.request.measure.kind != "text":
            kept = families.setdefault(at(column.request, 1), [])
            kept += [column.request] if k <= ends else []
    values = _values(outcomes)
    found = []
    for first, members in families.items():
        curves = tuple(
            Curve(outcome.run, tuple(Point(float(each.cutoff or 0), of[each]) for each in members))
            for outcome, of in zip(outcomes, values, strict=True)
        )
        share = first.better == "higher" and first.measure.kind == "real"
        name = curve_name(first)
        found.append(
            CurvePicture(
                CUTOFF,
                name,
                "",
                Axis("k", "cutoff k", logarithmic=True),
                Axis("value", name, 0.0 if share else None),
                curves,
                LINES,
                " ".join((f"{name}: {_over(first)}.", *_ideal(first), *_end(outcomes, ends))),
                crossings(curves, "rank"),
            )
        )
    return tuple(found)


def _over(request: Request) -> str:
    """How the value for all queries is made, where it is the mean; otherwise that it is one."""
    return "mean over queries" if request.measure.summary == "mean" and not request.aggregate else "for all queries"


def _ideal(request: Request) -> list[str]:
    """What is said of measures that have an ideal ranking."""
    return ["The ideal ranking is computed for each k."] if request.measure.graded else []


def _end(outcomes: Sequence[Outcome], ends: int) -> list[str]:
    """What is said where cutoffs lie beyond the end."""
    last = max((column.request.cutoff or 0 for column in outcomes[0].scores.columns), default=0)
    if last <= ends:
        return []
    return [
        f"Beyond rank {ends:,}, where the {'shallowest run' if len(outcomes) > 1 else 'run'} ends, curves "
        "are not drawn."
    ]


def against_each_other(outcomes: Sequence[Outcome], kind: str = AGAINST_EACH_OTHER) -> CurvePicture:
    """Two measures at k against each other, both averaged over queries for each k: precision against recall, which is
    not the eleven-point curve, or recall against fallout.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Evaluations with the requests for the two names of `AXES`, on the same queries.
    kind : str
        One of `AXES`.

    Returns
    -------
    Curves
        For each run the points (mean of x at k, mean of y at k), labelled by k, for the cutoffs up to `depth`.
    """
    ends = depth(outcomes)
    names, axes, caption = AXES[kind]
    across, up = without_cutoffs(names)
    columns = [each.request for each in outcomes[0].scores.columns if each.request.cutoff is not None]
    cutoffs = [each.cutoff or 0 for each in columns if at(each, 1) == up]
    curves = tuple(
        Curve(
            outcome.run,
            tuple(Point(of[at(across, k)], of[at(up, k)], str(k)) for k in cutoffs if k <= ends),
        )
        for outcome, of in zip(outcomes, _values(outcomes), strict=True)
    )
    return CurvePicture(
        kind,
        "",
        "",
        *axes,
        curves,
        LINES,
        " ".join((caption, *_end(outcomes, ends))),
        labels="k",
        equal=kind == ROC,
    )


def _values(outcomes: Sequence[Outcome]) -> list[dict[Request, float]]:
    """Of every outcome the value of each request for all queries."""
    return [
        {
            column.request: float(value)
            for column, value in zip(outcome.scores.columns, outcome.summary.values, strict=True)
            if isinstance(value, float | int)
        }
        for outcome in outcomes
    ]
