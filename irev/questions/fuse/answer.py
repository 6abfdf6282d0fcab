"""Several runs made one, a part of each at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from irev.errors import UsageError, option
from irev.questions.fuse.choices import FuseChoices
from irev.questions.fuse.finding import Fused, Ways
from irev.questions.question import GivenRuns
from irev.ranking.fusion.inputs import InputRun, fused_runs
from irev.ranking.fusion.spec import require_weights

if TYPE_CHECKING:
    from irev.ranking.fusion.shared_queries import SharedQueries
    from irev.reading.block import Block

T = TypeVar("T")


def answer(given: GivenRuns, choices: FuseChoices) -> Fused | Ways:
    """The fused run, which is made when it is written; or the ways to fuse."""
    if choices.ways_listed:
        if given.run_count:
            raise UsageError(f"{option('list')} fuses nothing", remedy="leave out the runs")
        return Ways(given.width)
    if not given.run_count:
        raise UsageError("there is nothing to fuse", remedy="give at least one run")
    if given.settings.ties == "average":
        fact = f"documents in ties have no rank of their own under {option('ties')} average"
        raise UsageError(fact, remedy="choose another")
    spec = choices.spec
    require_weights(spec, given.run_count)

    def made(work: Callable[[Callable[[], Iterable[Block]]], T]) -> T:
        def worked(runs: Sequence[InputRun], shared: SharedQueries, whole: bool) -> T:
            return work(lambda: fused_runs(runs, spec, shared, whole))

        return given.side_by_side(spec, worked, fusing=True)[1]

    return Fused(choices, made)
