"""Preferences between two documents, as pairs; trec_eval's levels of preferences are the core's."""

from irev.base.extensions import Extension

EXTENSION = Extension(__name__, "read pairs of documents of which the first is preferred", formats=("pairs",))
