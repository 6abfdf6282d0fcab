"""Whether two measures, sets of judgments or sets of queries order runs alike."""

from __future__ import annotations

from collections.abc import Sequence

from irev.base.settings import BOTH, JUDGED
from irev.errors import UsageError, option
from irev.questions.agree.choices import AgreeChoices
from irev.questions.agree.finding import Agree
from irev.questions.agreement import (
    Subset,
    agreement,
    orderings_of,
    orderings_of_systems,
    require_orders,
)
from irev.questions.question import GivenSystems
from irev.reading.small_files import read_ids
from irev.reading.sources import Source


def answer(given: GivenSystems, choices: AgreeChoices) -> Agree:
    """How far every two orderings of the runs agree."""
    subsets = _subsets(choices.subsets)
    if not given.has_judgments:
        found = given.systems()
        runs, orderings = orderings_of_systems(found.aligned, subsets)
        return Agree(agreement(runs, orderings, choices.persistence), found.policy, found.inputs)
    if len(choices.files) - max(len(choices.sets), 1) < 2:
        remedy = "" if choices.sets else "; irev rbo RUN RUN compares two rankings without judgments"
        raise UsageError("there is nothing to order", remedy=f"give at least two runs{remedy}")
    require_orders(given.requests)
    outcomes, some_left_out = given.on_same_queries()
    runs, orderings = orderings_of(outcomes, subsets)
    shared = BOTH if given.settings.queries == "run" else JUDGED
    policy = shared if some_left_out else given.settings.policy
    return Agree(agreement(runs, orderings, choices.persistence), policy, tuple(given.inputs))


def _subsets(subsets: Sequence[tuple[str, str]]) -> list[Subset]:
    if len({name for name, _ in subsets}) < len(subsets):
        raise UsageError(f"two sets of queries are called alike; {option('subset')} NAME=FILE names them")
    found = []
    for name, path in subsets:
        with Source(path) as source:
            found.append((name, frozenset(read_ids(source))))
    return found
