"""The choices that a command line or a configuration file makes, as one frozen record.

Everything here is plain data that was checked when it was read; the modules that use it trust it.
"""

from __future__ import annotations

from dataclasses import dataclass

CURRENT = "10.0"
SINGLE_PRECISION = "9.0.8"
VERSIONS = (CURRENT, SINGLE_PRECISION)


@dataclass(frozen=True)
class Settings:
    """How to evaluate.

    Attributes
    ----------
    level : float
        Lowest grade that counts as relevant.
    depth : int or None
        Keep the first `depth` documents of every ranking; None keeps all.
    judged_only : bool
        Drop documents without a grade of 0 or more after the depth cut, and close the ranks.
    complete : bool
        Average over all judged queries, a query that the run lacks as one that found nothing.
    collection_size : int
        Documents in the collection; only `utility` looks at it.
    compat : str
        Version of trec_eval whose numbers are given, one of `VERSIONS`.
    only : bytes or None
        Evaluate this query alone.
    """

    level: float = 1.0
    depth: int | None = None
    judged_only: bool = False
    complete: bool = False
    collection_size: int = 0
    compat: str = CURRENT
    only: bytes | None = None

    @property
    def single_precision(self) -> bool:
        """Whether scores are compared as 32-bit floats, as trec_eval 9 does."""
        return self.compat == SINGLE_PRECISION
