"""How many users an A/B test takes, or interleaving: from how much users of a past log vary."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from irev.base.text import counted
from irev.questions.online.ab.answer import compare as compare_buckets
from irev.questions.online.ab.choices import AbChoices
from irev.questions.online.choices import Given
from irev.questions.online.logs import log_notes
from irev.questions.online.power.choices import OnlinePowerChoices
from irev.questions.online.power.finding import CREDIT, OnlineNeed, OnlinePower
from irev.questions.online.preference.answer import compare as compare_lists
from irev.questions.online.preference.choices import PreferenceChoices
from irev.reading.events.log import Log
from irev.reading.events.schema import INTERLEAVED
from irev.statistics.power import users_needed
from irev.statistics.ratios import Ratio
from irev.statistics.sequential import ONCE, Always

RELATIVE, OF_CREDIT = (0.01, 0.02, 0.05, 0.1, 0.2), (0.02, 0.05, 0.1, 0.2)
"""Differences that are planned for where none are asked about: of metrics, and of the mean credit."""


def answer(given: Given, choices: OnlinePowerChoices) -> OnlinePower:
    """How many users it takes to find differences."""
    with given.log(choices.files) as log:
        with given.working(f"scoring {counted(log.facts.rows, 'event')}"):
            found = planned(log, choices)
        for sentence in log_notes(log, found.faults):
            given.note(sentence)
    return replace(found, inputs=tuple(given.inputs))


def planned(log: Log, choices: OnlinePowerChoices) -> OnlinePower:
    """How many users it takes, by a log whose impressions have not been read yet."""
    interleaved = log.facts.kind == INTERLEAVED
    needs = [*(_of_lists if interleaved else _of_buckets)(log, choices)]
    return OnlinePower(log.facts, dict(log.faults.counts), interleaved, tuple(needs), choices)


def _of_buckets(log: Log, choices: OnlinePowerChoices) -> Iterator[OnlineNeed]:
    plan = AbChoices(metrics=choices.metrics, baseline=choices.baseline, on_error=choices.on_error)
    found = compare_buckets(log, plan).found
    first = found.buckets[0]
    for each in found.metrics:
        ratio = each.values[0]
        for relative in choices.differences or RELATIVE:
            difference = None if ratio.value is None else relative * abs(ratio.value)
            need = _need(each.metric.name, ratio, difference, 2, choices)
            yield need._replace(relative=relative).of_impressions(first.impressions / first.users)


def _of_lists(log: Log, choices: OnlinePowerChoices) -> Iterator[OnlineNeed]:
    found = compare_lists(log, PreferenceChoices(on_error=choices.on_error)).found
    for difference in choices.differences or OF_CREDIT:
        need = _need(CREDIT, found.credit, difference, 1, choices)
        yield need.of_impressions(found.impressions / found.users_clicked) if found.users_clicked else need


def _need(name: str, ratio: Ratio, difference: float | None, groups: int, choices: OnlinePowerChoices) -> OnlineNeed:
    """How many users find a difference, of as many groups, if users vary as those of a ratio do.

    The error of a ratio of n users times √n is how much one user varies, whatever n is.
    """
    if not ratio.error or not difference:
        return OnlineNeed(name, ratio.value, None, difference)
    deviation = ratio.error * math.sqrt(ratio.n)
    once, always = (
        users_needed(difference / deviation, choices.alpha, choices.power, groups, choices.share, looks)
        for looks in (ONCE, Always(1.0))
    )
    return OnlineNeed(name, ratio.value, deviation, difference, users=once, users_every_look=always)
