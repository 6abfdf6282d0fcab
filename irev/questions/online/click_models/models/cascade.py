"""The cascade model: a user reads from the top, clicks the first document that attracts, and is done.

Craswell, Zoeter, Taylor and Ramsey, An Experimental Comparison of Click Position-Bias Models, WSDM 2008. What stands
below the first click says nothing; a second click is one that the model does not know of.
"""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats
from irev.questions.online.click_models.models import Counts, Fitted, LogModel


def fit(counts: Counts, begin: Fitted | None) -> Fitted:
    """First clicks, of those who came so far: the most likely attraction."""
    return Fitted(counts.of_pairs(counts.first), counts.of_pairs(counts.to_first))


def chances(attraction: Floats, of_places: Floats) -> Floats:
    """α of a document, times 1 - α of all above it."""
    above = np.cumprod(1 - attraction, axis=1)
    return attraction * np.concatenate((np.ones((len(above), 1)), above[:, :-1]), axis=1)


MODEL = LogModel("users read from the top up to their first click", fit, chances)
