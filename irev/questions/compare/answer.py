"""How much runs differ, and whether chance explains it."""

from __future__ import annotations

from dataclasses import replace

from irev.base.text import counted
from irev.evaluation.comparison import contrasts
from irev.evaluation.comparison.alignment import pairs_of
from irev.evaluation.notes import Note, not_common_notes
from irev.output.report import PAPER
from irev.output.styles.latex import PAGE
from irev.questions.compare.choices import CompareChoices
from irev.questions.compare.finding import Comparison
from irev.questions.predicted import Predicted, beside, from_predicted
from irev.questions.question import GivenSystems
from irev.statistics.plan import plan_alone


def answer(given: GivenSystems, choices: CompareChoices) -> Comparison | Predicted:
    """Every run against the baseline, or all against each other, by every measure; with predicted judgments, by these
    and human ones."""
    if choices.predicted is not None:
        return _predicted(given, choices.predicted, choices)
    plan = plan_alone(choices)
    contrasts.require_suitable(plan, choices.all_pairs)
    found = given.systems()
    aligned, first, runs = found.aligned, choices.first(found.aligned.runs, found.files), len(found.aligned.runs)
    with given.working(f"comparing {counted(runs, 'run')}"):
        compared = contrasts.compare(aligned, first, plan, choices.power)
    if choices.layout == PAPER and runs > 2 * PAGE:
        given.say([Note("", f"a table of {runs:,} runs is too large for a page, or too small to be read", "")])
    return Comparison(
        **vars(compared),
        policy=found.policy,
        details=choices.details,
        layout=choices.layout,
        notes=(*found.notes, *(note.said for note in not_common_notes(aligned.left_out))),
        inputs=found.inputs,
        per_query=choices.per_query,
    )


def _predicted(given: GivenSystems, model: str, choices: CompareChoices) -> Predicted:
    """The same by the judgments of a model, corrected by those of a human."""
    both = beside(given, model)
    found = from_predicted(
        both,
        choices.confidence,
        choices.alpha,
        lambda runs: pairs_of(len(runs), choices.first(runs, ())),
        choices.per_query,
    )
    human, predicted = (judgments.name for _, judgments in both.judgments)
    return replace(found, human=human, model=predicted)
