"""What a measure is with the options that were chosen: its formula, which the documentation has for the usual ones.

Where an option changes the formula, the words that it changes stand here beside those that take their place. An option
that the formula names, such as a persistence p, changes nothing in it. What neither holds for is said behind it.
"""

from __future__ import annotations

import re
from typing import Any

from irev.measures.pages import meaning, page
from irev.measures.request import Request

_LOG = "log2({0} + 1)"

_CHANGED: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("discount", "jarvelin2002"): tuple((_LOG.format(i), f"max(1, log_base({i}))") for i in "ij"),
    ("discount", "zipf"): tuple((_LOG.format(i), i) for i in "ij"),
    ("gain", "exp"): (
        ("gain_i", "(2^g_i - 1)"),
        (
            "of g_i / log2(i + 1), where g_i is the sum of the grades of the document for all subtopics",
            "of h_i / log2(i + 1), where h_i is the sum of 2^g - 1 over the grades g of the document for all subtopics",
        ),
        ("of g_i / ", "of (2^g_i - 1) / "),
        ("the positive gains", "the positive gains 2^g - 1"),
        ("is its grade for the subtopic", "is 2^g - 1 of its grade g for the subtopic"),
    ),
    ("norm", "none"): ((" / P_k", ""),),
    ("normalize", "false"): ((" / B(ideal, ideal)", ""),),
    ("ideal", "exact"): (("the ideal ranking", "the best ranking"),),
    ("rule", "nist"): (
        (
            "k is c · R rounded to the nearest whole number, half upwards, and at least 1",
            "k is the least whole number with k / R ≥ c, and at least 1",
        ),
        ("the mean of iprec_at_recall", "the mean of iprec_at_recall,rule=nist"),
    ),
}
"""By an option and what it is: words of formulas, and what they are then."""

_SHARED = {"ndcg_ia": "ndcg_cut_k", "d_sharp_ndcg": "d_ndcg_k"}
"""Measures whose formula has another measure, which takes the same options."""


def formula(request: Request) -> str:
    """What a request is, in a sentence or two."""
    text = meaning(request.measure)
    value_of = dict(request.options)
    chosen = {key: _written(request, key, value) for key, value in request.options}
    beside = []
    for key, value in chosen.items():
        changed = text
        for old, new in _CHANGED.get((key, value), ()):
            changed = changed.replace(old, new)
        inner = _SHARED.get(request.measure.name)
        if inner is not None and key in ("gain", "discount", "base"):
            changed = changed.replace(inner, f"{inner},{key}={value}")
        elif key == "of" and isinstance(value_of[key], str):
            changed = text.replace(" is EU with", f" is {value} with")
            changed = changed if changed != text else f"{value} of the reader of whom this is EU: {text}"
        elif key == "base":
            changed = text.replace("log_base(", f"log_{value}(")
        elif key == "gains":
            changed = f"{text.replace('of g_i / ', 'of gain_i / ')} The gains are {value}, by grade."
        is_named = re.search(rf"(?<![A-Za-z]){re.escape(key)}(?![A-Za-z])", text) is not None
        if changed == text and not (is_named and isinstance(value_of[key], int | float)):
            beside.append(f"{key}={value}")
        text = changed
    text = text.replace("log_base(", "log2(")
    if beside:
        text += f" Here with {', '.join(beside)}: {' '.join(page(request.measure).parameters)}"
    return text


def _written(request: Request, key: str, value: Any) -> str:
    return request.measure.options[key].write(value)
