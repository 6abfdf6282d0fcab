"""What is asked for of a fusion: a method, what makes scores comparable before, and the numbers that these take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irev.base.records import dataclass
from irev.errors import UsageError
from irev.ranking.fusion.method import SCORES
from irev.ranking.fusion.methods import METHODS
from irev.ranking.fusion.normalisations import NORMALISATIONS

USUAL_METHOD, USUAL_NORM, NONE = "rrf", "min-max", "none"


@dataclass(frozen=True)
class FusionSpec:
    """A fusion.

    Attributes
    ----------
    method : str
        One of `irev.ranking.fusion.methods.METHODS`.
    norm : str
        One of `irev.ranking.fusion.normalisations.NORMALISATIONS`, or ``none``, which a method of ranks has too.
    k : float or None
        The constant of a method that has one.
    weights : tuple of float or None
        One for each run.
    depth : int or None
        The first so many documents of each ranking of the runs; None for all.
    top : int or None
        The first so many documents of each fused ranking.
    """

    method: str = USUAL_METHOD
    norm: str = NONE
    k: float | None = None
    weights: tuple[float, ...] | None = None
    depth: int | None = None
    top: int | None = None

    @property
    def of_scores(self) -> bool:
        """Whether anything is computed from scores, and not from ranks alone."""
        if METHODS[self.method].of != SCORES:
            return False
        return self.norm == NONE or NORMALISATIONS[self.norm].of == SCORES


def chosen(
    name: str,
    norm: str | None,
    k: float | None,
    weights: Sequence[float] | None,
    depth: int | None = None,
    top: int | None = None,
) -> FusionSpec:
    """The fusion that is asked for, None for what is not said.

    Raises `UsageError` for a name that there is not, and for what the method does not look at.
    """
    if name not in METHODS:
        raise UsageError(f"there is no method '{name}'", remedy=f"choose one of {', '.join(METHODS)}")
    if norm is not None and norm not in (NONE, *NORMALISATIONS):
        known = ", ".join((*NORMALISATIONS, NONE))
        raise UsageError(f"there is no normalisation '{norm}'", remedy=f"choose one of {known}")
    for why, option in idle(name, norm is not None, k is not None, weights is not None):
        raise UsageError(f"--{option} changes nothing here: {why}")
    of = METHODS[name]
    return FusionSpec(
        name,
        (norm or USUAL_NORM) if of.of == SCORES else NONE,
        of.k if k is None else k,
        None if weights is None else tuple(weights),
        depth,
        top,
    )


def idle(name: str, norm: bool, k: bool, weights: bool) -> Iterator[tuple[str, str]]:
    """Why some of what is given would change nothing for a method, and the option that is meant."""
    of = METHODS[name]
    if norm and of.of != SCORES:
        yield f"{name} looks at ranks alone", "norm"
    if k and of.k is None:
        having = " and ".join(each for each in METHODS if METHODS[each].k is not None)
        yield f"it is for {having}", "rrf-k"
    if weights and not of.weighted:
        having = " and ".join(each for each in METHODS if METHODS[each].weighted)
        yield f"{name} does not add up what runs contribute, as {having} do", "weights"


def require_weights(spec: FusionSpec, runs: int) -> None:
    """Raise `UsageError` for weights that are not as many as the runs, or all of which are 0."""
    if spec.weights is None:
        return
    if len(spec.weights) != runs:
        said = f"{len(spec.weights)} weight{'s' * (len(spec.weights) != 1)} for {runs} run{'s' * (runs != 1)}"
        raise UsageError(said, remedy="give --weights one number for each run, in their order")
    if not any(spec.weights):
        raise UsageError("all weights are 0, so that no run counts", remedy="give a run another one")
