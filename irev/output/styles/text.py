"""Lines as compilers print them, which editors know: file, line, column, severity and code, and what is wrong.

Below the problems of a file stands what it holds, where that is asked for, and at the end how many problems there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irev.errors import message
from irev.output.problems import described, held_by, listed
from irev.output.report import Report

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
