"""Lines as compilers print them, which editors know: file, line, column, severity and code, and what is wrong.

Below the problems of a file stands what it holds, where that is asked for, and at the end how many problems there are.
"""

from __future__ import annotations

from irev.analysis.validation.file_report import FileReport
from irev.errors import Problem, message
from irev.output.reports.validation import ValidationReport, described, held_by, left_out, listed
from irev.reading.problem_codes import severity

SCREEN = True

_COLOURS = {"error": "\x1b[31m", "warning": "\x1b[33m"}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def write(report: ValidationReport) -> bytes:
    """The lines of a validation."""
    lines: list[str] = []
    for file in report.files:
        name = message(file.name)
        for problem, more in listed(file):
            kind = severity(problem.code)
            word = f"{kind} {problem.code}"
            if report.look.colour:
                word = f"{_COLOURS[kind]}{_BOLD}{word}{_PLAIN}"
            lines.append(f"{_place(problem, file)}: {word}: {described(problem, file)}")
            if more:
                lines.append(f"{name}: {left_out(problem.code, more)}")
        if report.statistics and file.statistics:
            lines += [f"{name}: {file.kind}", *(f"  {label:20} {text}" for label, text in held_by(file))]
    return "".join(f"{line}\n" for line in [*lines, report.verdict]).encode()


def _place(problem: Problem, file: FileReport) -> str:
    name = message(file.name)
    if not problem.line:
        return name
    if file.faults.unit != "line":
        return f"{name}, {file.faults.unit} {problem.line}"
    return f"{name}:{problem.line}" + (f":{problem.column}" if problem.column else "")
