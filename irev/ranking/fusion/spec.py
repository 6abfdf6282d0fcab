"""What is asked for of a fusion: a method, what makes scores comparable before, and the numbers that these take."""

from __future__ import annotations

from irev.base.records import dataclass
from irev.errors import UsageError, option
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


def require_weights(spec: FusionSpec, runs: int) -> None:
    """Raise `UsageError` for weights that are not as many as the runs, or all of which are 0."""
    if spec.weights is None:
        return
    if len(spec.weights) != runs:
        said = f"{len(spec.weights)} weight{'s' * (len(spec.weights) != 1)} for {runs} run{'s' * (runs != 1)}"
        raise UsageError(said, remedy=f"give {option('weights')} one number for each run, in their order")
    if not any(spec.weights):
        raise UsageError("all weights are 0, so that no run counts", remedy="give a run another one")
