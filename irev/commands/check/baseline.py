"""Baselines: results that were saved to be compared with later.

They are records as `irev.evaluation.record` makes them, so that ``irev show`` shows them and ``irev compare`` reads
them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from irev.base.errors import InputError, decimal, option
from irev.base.settings import COUNTING, VALUES, Settings, changing
from irev.evaluation.result import Input, Outcome, Result, same_judgments
from irev.ranking.ranked import Ranked

if TYPE_CHECKING:
    from irev.ranking.full import FullRanking

ROUNDING = 1e-12
"""Differences up to this may come of adding numbers: 0.7 - 0.69 is more than 0.01."""

SAME = changing(VALUES, COUNTING)
"""The settings that numbers depend on."""

AGAIN = "delete it, and make it again from a good run with `irev check --update-baseline`"
AGAIN_BY_QUERY = "make it again with `irev eval -c -q -f json`"
"""What makes a baseline that will do, and one that has every judged query, each with its values."""

CHANGED_JUDGMENTS = "The baseline was made with other judgments, which may explain differences."
UNKNOWN_JUDGMENTS = "It is not known whether the baseline was made with the same judgments."


def require_comparable(
    baseline: Result, name: str, settings: Settings, inputs: tuple[Input, ...], allow_changed: bool
) -> str | None:
    """Raise `InputError` for a baseline that was made otherwise, or under other judgments.

    Parameters
    ----------
    baseline : Result
    name : str
        What messages call it.
    settings : Settings
        Those of now.
    inputs : tuple of Input
        The judgments of now.
    allow_changed : bool
        Whether other judgments are all right.

    Returns
    -------
    str or None
        What is to be said of judgments that changed, where that is allowed.
    """
    if settings.complete and not baseline.settings.complete:
        fact = "the baseline lacks the judged queries for which its run has no results"
        raise InputError(fact, name, AGAIN_BY_QUERY)
    if baseline.settings.complete and not settings.complete:
        raise InputError("the baseline counts every judged query", name, f"leave {option('queries')} out")
    for field in SAME:
        then, now = getattr(baseline.settings, field), getattr(settings, field)
        if then != now:
            raise InputError(
                f"the baseline was made with {field.replace('_', '-')} {value_shown(then)}, not {value_shown(now)}",
                name,
                AGAIN,
            )
    if baseline.several_qrels:
        raise InputError("the baseline has results under several judgments", name, AGAIN)
    if same_judgments(baseline.inputs, inputs):
        return None
    if not allow_changed:
        remedy = f"{AGAIN}, or say {option('allow_changed_qrels')}"
        raise InputError("the baseline was made with other judgments", name, remedy)
    return CHANGED_JUDGMENTS


def value_shown(value: object) -> str:
    """A value of a setting, for messages."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return decimal(value) if isinstance(value, float) else "none" if value is None else str(value)


def _outcome_for(baseline: Result, run: str, name: str) -> Outcome:
    """The outcome that a run is to be compared with: the one of its name, or the only one there is."""
    named = [outcome for outcome in baseline.outcomes if outcome.run == run]
    if named:
        return named[0]
    if len(baseline.outcomes) == 1:
        return baseline.outcomes[0]
    known = ", ".join(outcome.run for outcome in baseline.outcomes)
    raise InputError(
        f"the baseline has no run '{run}' but {known}",
        name,
        "give the run the same name as before, NAME=RUN",
    )


class Held(NamedTuple):
    """What runs are compared with.

    Attributes
    ----------
    name : str
        What messages call it; empty for nothing.
    outcomes : mapping of str to Outcome
        By the name of the run; empty where there are none yet.
    notes : tuple of str
        What is to be said of it.
    """

    name: str = ""
    outcomes: Mapping[str, Outcome] = MappingProxyType({})
    notes: tuple[str, ...] = ()


def held_run(run: Outcome, name: str, outcomes: Sequence[Outcome]) -> Held:
    """A run that all are compared with. Raises `InputError` for one of other queries."""
    for outcome in outcomes:
        _require_same_queries(outcome, run, name, f"{option('queries', 'qrels')} counts all that are judged")
    return Held(name, {outcome.run: run for outcome in outcomes})


def held_result(baseline: Result, name: str, runs: Result, allow_changed: bool = False, again: str = AGAIN) -> Held:
    """A result that runs are compared with by their names, where `again` says how to make a suitable one.

    Raises
    ------
    InputError
        For a result that was made otherwise, of other judgments or of other queries, or that lacks a run.
    """
    note: str | None = UNKNOWN_JUDGMENTS
    if all(each.facts.known for each in (*runs.outcomes, *baseline.outcomes)):
        note = require_comparable(baseline, name, runs.settings, runs.inputs, allow_changed)
    found = {each.run: _outcome_for(baseline, each.run, name) for each in runs.outcomes}
    for outcome in runs.outcomes:
        _require_same_queries(outcome, found[outcome.run], name, again)
    return Held(name, found, (note,) if note else ())


def _require_same_queries(outcome: Outcome, baseline: Outcome, name: str, remedy: str) -> None:
    odd = {*outcome.scores.queries} ^ {*baseline.scores.queries}
    if odd:
        count = f"{len(odd)} {'query is' if len(odd) == 1 else 'queries are'} in only one of them"
        raise InputError(f"the baseline has other queries than {outcome.run}: {count}", name, remedy)


class Again(NamedTuple):
    """The rankings of some queries of a run, neither cut nor without unjudged documents.

    Attributes
    ----------
    ranked : Ranked
    whole : mapping of bytes to FullRanking
    """

    ranked: Ranked
    whole: Mapping[bytes, FullRanking]

    def at(self, settings: Settings) -> Again:
        """As they were evaluated."""
        depth, judged_only = settings.depth, settings.judged_only
        whole = {query: each.at(depth, judged_only) for query, each in self.whole.items()}
        return Again(self.ranked.at(depth=depth, judged_only=judged_only), whole)


RankAgain = Callable[[str, Collection[bytes]], Again | None]
"""Gives the rankings of some queries again, by the name of their run; None where they cannot be had."""


class Rankings(NamedTuple):
    """Where rankings are had from.

    Attributes
    ----------
    run : RankAgain
    baseline : RankAgain or None
        What the run of that name is compared with; None where only its values were saved.
    """

    run: RankAgain
    baseline: RankAgain | None
