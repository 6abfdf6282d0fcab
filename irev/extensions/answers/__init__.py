"""Answers instead of documents: the nuggets that they should have, as nuggetizer writes them."""

from irev.base.registry import Extension

EXTENSION = Extension(__name__, "evaluate answers by their nuggets", measures=("nuggets",), formats=("files",))
