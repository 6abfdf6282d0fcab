"""Workflow commands, which GitHub shows as annotations of the lines that they are about."""

from __future__ import annotations

from irev.base.text import named
from irev.output.report import Report
from irev.output.styles.text import described, listed
from irev.reading.problem_codes import CODES


def write(report: Report) -> bytes:
    """An annotation for each problem of a validation."""
    lines = []
    for found in report.record["files"]:
        file = f"file={named(in_property(found['name']))}"
        for problem, more in listed(found):
            place = [file]
            if problem["line"] and found["unit"] == "line":
                place += [f"line={problem['line']}"] + ([f"col={problem['column']}"] if problem["column"] else [])
            title = in_property(f"{problem['code']} {CODES[problem['code']].title}")
            said = in_message(described(problem, found["unit"]))
            lines.append(f"::{problem['severity']} {','.join(place)},title={title}::{said}")
            if more:
                lines.append(f"::notice {file}::{in_message(more)}")
    return "".join(f"{line}\n" for line in lines).encode()


def in_message(text: str) -> str:
    """The message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def in_property(text: str) -> str:
    """The value of a property of a command."""
    return in_message(text).replace(":", "%3A").replace(",", "%2C")
