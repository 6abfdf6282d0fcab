"""Fit click models to a log."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from irev.base.text import counted
from irev.questions.online.click_models.choices import ClickModelChoices
from irev.questions.online.click_models.finding import ClickModels
from irev.questions.online.click_models.fits import Shown
from irev.questions.online.given import Given
from irev.questions.online.logs import log_notes, observe, require_sound
from irev.reading.events.log import Log
from irev.reading.events.schema import DROP


def answer(given: Given, choices: ClickModelChoices) -> ClickModels:
    """Models of the clicks of a log."""
    with given.log(choices.files) as log:
        with given.working(f"fitting models to {counted(log.facts.rows, 'event')}"):
            found = fitted(log, choices)
        for sentence in log_notes(log, log.faults.counts):
            given.note(sentence)
    return replace(found, inputs=tuple(given.inputs))


def fitted(log: Log, choices: ClickModelChoices, memory: int | None = None) -> ClickModels:
    """Models of a log whose impressions have not been read yet."""
    with closing(Shown(log, memory)) as shown:
        observe(log, shown)
        require_sound(log, choices.on_error == DROP)
        found = shown.fitted(choices.confidence)
        return ClickModels(log.facts, dict(log.faults.counts), tuple(found), shown.several, choices)
