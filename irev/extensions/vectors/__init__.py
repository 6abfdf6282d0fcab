"""Vector search: arrays of nearest neighbours in files and memory, evaluated without ids as text."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "evaluate vector search: arrays of nearest neighbours, and their distances",
    functions={"top_k": "functions"},
    measures=("distances",),
    formats=("files",),
)
