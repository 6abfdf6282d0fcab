"""Lines as compilers print them, which editors know: file, line, column, severity and code, and what is wrong.

Below the problems of a file stands what it holds, where that is asked for, and at the end how many problems there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from irev.base.errors import message, shown
from irev.base.text import encoded
from irev.output.report import Report
from irev.reading.problem_codes import CODES

SCREEN = True

_COLOURS = {"error": "\x1b[31m", "warning": "\x1b[33m"}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def write(report: Report) -> bytes:
    """The lines of a validation."""
    lines: list[str] = []
    for file in report.record["files"]:
        name = message(file["name"])
        for problem, more in listed(file):
            word = f"{problem['severity']} {problem['code']}"
            if report.look.colour:
                word = f"{_COLOURS[problem['severity']]}{_BOLD}{word}{_PLAIN}"
            lines.append(f"{name}{_place(problem, file['unit'])}: {word}: {described(problem, file['unit'])}")
            if more:
                lines.append(f"{name}: {more}")
        if file.get("statistics"):
            lines += [f"{name}: {file['kind']}", *(f"  {label:20} {text}" for label, text in held_by(file))]
    return "".join(f"{line}\n" for line in [*lines, *(said.rstrip(".") for said in report.lead)]).encode()


def _place(problem: Mapping[str, Any], unit: str) -> str:
    if not problem["line"]:
        return ""
    if unit != "line":
        return f", {unit} {problem['line']}"
    return f":{problem['line']}" + (f":{problem['column']}" if problem["column"] else "")


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
