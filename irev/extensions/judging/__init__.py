"""Judgments: which documents to judge (``irev pool``), how far judges agree (``irev judges``), and how much of runs was
judged (``irev coverage``).
"""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "choose documents to judge, compare judges, show what judgments cover",
    commands={"judges": (), "coverage": (), "pool": ()},
    after={"judges": "rbo", "coverage": "judges", "pool": "report"},
    functions={"coverage": "functions", "judges": "functions", "pool": "functions"},
)
