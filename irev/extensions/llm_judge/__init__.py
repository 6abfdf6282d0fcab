"""Judgments of all queries by a language model, corrected by a human's of a random sample: ``irev llm-judge``."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "correct a model's judgments by some of a human's",
    commands={"llm-judge": ()},
    after={"llm-judge": "compare"},
    functions={"llm_judge": "functions"},
)
