"""What another ranking would have got from the users of a log."""

from __future__ import annotations

from dataclasses import replace

from irev.base.text import counted
from irev.errors import UsageError
from irev.questions.online.given import Given
from irev.questions.online.interleaving.draws import require_ranks
from irev.questions.online.logs import log_notes
from irev.questions.online.off_policy.choices import OffPolicyChoices
from irev.questions.online.off_policy.estimates import OtherRanking, estimated
from irev.questions.online.off_policy.finding import Estimates, heavy_users, unsupported_note
from irev.reading.events.schema import DROP


def answer(given: Given, choices: OffPolicyChoices) -> Estimates:
    """What a run would have got from the users of a log."""
    require_ranks(given.settings)
    if len(choices.files) < 2:
        raise UsageError(f"expected RUN and at least one LOG, but got {counted(len(choices.files), 'file')}")
    run, *files = choices.files
    ((name, first),) = given.first_documents([run], choices.cutoff)
    file, positions = given.propensities(choices.propensities)
    with given.log(files) as log:
        with given.working(f"looking at {counted(log.facts.rows, 'event')}"):
            found = estimated(log, OtherRanking(first), choices, positions, drop=choices.on_error == DROP)
        for sentence in log_notes(log, log.faults.counts):
            given.note(sentence)
    if found.unsupported:
        given.note(unsupported_note(found))
    if found.shown_ratio.heavy:
        given.note(heavy_users(found))
    return replace(found, run=name, file=file, inputs=tuple(given.inputs))
