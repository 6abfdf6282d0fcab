"""Whether offline differences of past experiments predicted what users did."""

from __future__ import annotations

from dataclasses import replace

from irev.evaluation.result import Input
from irev.questions.online.given import Given
from irev.questions.online.predict.choices import PredictChoices
from irev.questions.online.predict.finding import Predictions
from irev.questions.online.predict.predictions import EXPECTED, experiments_of, predictions
from irev.questions.online.predict.saved_experiments import OFFLINE, saved_experiments
from irev.reading.small_tables import read_small_table
from irev.reading.sources import Source


def answer(given: Given, choices: PredictChoices) -> Predictions:
    """How well each measure predicted what happened online."""
    with Source(choices.file, digest=True) as source:
        table = read_small_table(source, EXPECTED)
        inputs = [Input("experiments", source.name, *source.digest())]
    if OFFLINE in table.columns:
        experiments, records = saved_experiments(table, choices.measures)
        inputs += records
    else:
        experiments = experiments_of(table, choices.measures, given.note)
    found = predictions(experiments, choices.confidence, choices.samples, choices.seed)
    return replace(found, inputs=tuple(inputs))
