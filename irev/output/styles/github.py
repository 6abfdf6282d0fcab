"""Workflow commands, which GitHub shows as annotations of the lines that they are about."""

from __future__ import annotations

from irev.base.text import named
from irev.output.reports.validation import ValidationReport, described, left_out, listed
from irev.output.workflow_commands import in_message, in_property
from irev.reading.problem_codes import CODES, severity


def write(report: ValidationReport) -> bytes:
    """An annotation for each problem of a validation."""
    lines = []
    for found in report.files:
        file = f"file={named(in_property(found.name))}"
        for problem, more in listed(found):
            place = [file]
            if problem.line and found.faults.unit == "line":
                place += [f"line={problem.line}"] + ([f"col={problem.column}"] if problem.column else [])
            title = in_property(f"{problem.code} {CODES[problem.code].title}")
            lines.append(
                f"::{severity(problem.code)} {','.join(place)},title={title}::{in_message(described(problem, found))}"
            )
            if more:
                lines.append(f"::notice {file}::{in_message(left_out(problem.code, more))}")
    return "".join(f"{line}\n" for line in lines).encode()
