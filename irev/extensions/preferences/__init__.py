"""Preferences between two documents: as trec_eval has them, by levels, and as pairs."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "evaluate with preferences between documents: trec_eval's `-R prefs`, and pairs",
    measures=("compatibility", "preferences"),
    formats=("levels", "pairs"),
)
