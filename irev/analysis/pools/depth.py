"""The pool that most test collections are made of: what any run has among its first documents.

Karen Spärck Jones and Keith van Rijsbergen, Report on the Need for and Provision of an "Ideal" Information Retrieval
Test Collection, Cambridge 1975.
"""

from __future__ import annotations

import numpy as np

from irev.analysis.pools.candidates import Candidates
from irev.analysis.pools.selection import Selection


def choose(candidates: Candidates) -> Selection:
    """All candidates, of which no more were read than are wanted; best rank first, equal ones by id, highest first."""
    return Selection(np.argsort(candidates.best, kind="stable"))
