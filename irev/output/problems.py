"""Problems of files in the records of validations, as styles write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from irev.base.text import encoded
from irev.errors import message, shown
from irev.reading.problem_codes import CODES


def listed(file: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The problems of a file that are shown, and with the last one of a code how many more there are, if any."""
    kept = Counter(problem["code"] for problem in file["problems"])
    last = {problem["code"]: i for i, problem in enumerate(file["problems"])}
    for i, problem in enumerate(file["problems"]):
        code = problem["code"]
        more = file["counts"][code] - kept[code]
        yield problem, f"{more} more {code} ({CODES[code].title})" if more and last[code] == i else ""


def described(problem: Mapping[str, Any], unit: str) -> str:
    """What is wrong, and what to do about it."""
    where = "on line" if unit == "line" else f"in {unit}"
    first = "" if problem["first"] is None else f" (first {where} {problem['first']})"
    return message(f"{problem['fact']}{first}" + (f"; {problem['remedy']}" if problem["remedy"] else ""))


def held_by(file: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a file holds, as names and texts."""
    for name, value in file["statistics"].items():
        if isinstance(value, dict):
            yield name, ", ".join(f"{key}: {number}" for key, number in value.items())
        else:
            yield name, shown(encoded(value)) if isinstance(value, str) else str(value)
