"""What comparisons are made by unless asked otherwise, and which queries count in them, in words."""

from __future__ import annotations

from dataclasses import replace

from irev.base.settings import Settings

DEFAULT_MEASURES = ("AP", "nDCG@10")
"""What runs are compared by unless asked otherwise."""

BOTH = "those that all runs have values of"
JUDGED = "those that are judged and that all runs have"
ALL = "all that any of the files has, one that a file lacks as 0"
KNOWN = "all that any result has or knows to be judged, one without a value as 0"
ANY = "all that are judged or in any of the runs, one without judgments or results as 0"


def policy_of(settings: Settings, both: bool) -> str:
    """Which queries count of runs that were evaluated with these settings, in words.

    Where a query counts without results, each run has a value of it, and `both`, whether those that not all have are
    left out, leaves out none.
    """
    if settings.complete or settings.only is not None or not isinstance(settings.queries, str):
        return settings.policy
    if settings.queries == "run":
        return BOTH if both else ANY
    return JUDGED if both else replace(settings, complete=True).policy


def policy(settings: Settings) -> str:
    """Which queries count on a page of runs, in words."""
    each = settings.queries == "both" and settings.only is None and not settings.complete
    return JUDGED if each else settings.policy
