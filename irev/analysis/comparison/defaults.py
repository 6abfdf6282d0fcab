"""What comparisons are made by unless asked otherwise, and which queries count in them, in words."""

from irev.base.settings import Settings

DEFAULT_MEASURES = ("AP", "nDCG@10")
"""What runs are compared by unless asked otherwise."""

BOTH = "those that all runs have"
JUDGED = "those that are judged and that all runs have"
ALL = "all that any of the files has, one that a file lacks as 0"


def policy(settings: Settings) -> str:
    """Which queries count where runs are evaluated to be compared."""
    each = settings.queries == "both" and settings.only is None and not settings.complete
    return JUDGED if each else settings.policy
