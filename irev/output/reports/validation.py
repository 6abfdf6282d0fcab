"""The report of a validation: the problems of each file, by line, and what the files hold where that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from irev.analysis.validation.file_report import FileReport
from irev.base.text import encoded
from irev.errors import Problem, message, shown
from irev.output.report import Cell, Plain, Report, Sheet
from irev.reading.problem_codes import CODES, severity

_TONES = {"error": "bad", "warning": "quiet"}


class ValidationReport(Report):
    """What was found in files, laid out; `statistics` says whether what they hold is shown too."""

    title = "Validation"
    columns = ("file", "kind", "unit", "line", "column", "severity", "code", "fact", "remedy", "first")
    texts = frozenset({"file", "kind", "unit", "severity", "code", "fact", "remedy"})
    deepest = 99

    def __init__(self, files: Sequence[FileReport], statistics: bool) -> None:
        self.files, self.statistics = files, statistics

    def tally(self, kind: str) -> int:
        """How many problems there are of a severity."""
        return sum(n for file in self.files for code, n in file.faults.counts.items() if severity(code) == kind)

    @property
    def verdict(self) -> str:
        """How many problems there are in how many files."""
        errors, warnings = (_plural(self.tally(kind), kind) for kind in ("error", "warning"))
        return f"{errors}, {warnings} in {_plural(len(self.files), 'file')}"

    @property
    def lead(self) -> Iterator[str]:
        yield f"{self.verdict}."

    @property
    def sheets(self) -> Iterator[Sheet]:
        for file in self.files:
            found = list(listed(file))
            name = message(file.name)
            if found:
                rows = tuple(_cells(problem, file) for problem, _ in found)
                more = tuple(f"{left_out(problem.code, rest)}." for problem, rest in found if rest)
                header = (file.faults.unit, "column", "severity", "code", "problem")
                yield Sheet(name, header, 2, frozenset({2, 3, 4}), (rows,), more)
            if self.statistics and file.statistics:
                held = tuple((Cell(label), Cell(text)) for label, text in held_by(file))
                yield Sheet(f"{name}: {file.kind}", ("statistic", "value"), 1, frozenset({0, 1}), (held,))

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for file in self.files:
            for problem, _ in listed(file):
                place = (problem.line or None, problem.column)
                about = (severity(problem.code), problem.code, message(problem.fact), message(problem.remedy))
                yield (file.name, file.kind, file.faults.unit, *place, *about, problem.first)

    @property
    def record(self) -> dict[str, Any]:
        return {
            "errors": self.tally("error"),
            "warnings": self.tally("warning"),
            "files": [
                {
                    "name": file.name,
                    "kind": file.kind,
                    "unit": file.faults.unit,
                    "counts": dict(sorted(file.faults.counts.items())),
                    "problems": [
                        {
                            "code": problem.code,
                            "severity": severity(problem.code),
                            "line": problem.line or None,
                            "column": problem.column,
                            "first": problem.first,
                            "fact": message(problem.fact),
                            "remedy": message(problem.remedy),
                        }
                        for problem, _ in listed(file)
                    ],
                    **({"statistics": file.statistics} if self.statistics else {}),
                }
                for file in self.files
            ],
        }


def listed(file: FileReport) -> Iterator[tuple[Problem, int]]:
    """The problems to show, and with the last one of a code how many more there are."""
    problems = sorted(file.faults.earliest(), key=lambda problem: (problem.line, problem.column or 0, problem.code))
    kept = Counter(problem.code for problem in problems)
    last = {problem.code: i for i, problem in enumerate(problems)}
    for i, problem in enumerate(problems):
        more = file.faults.counts[problem.code] - kept[problem.code]
        yield problem, more if last[problem.code] == i else 0


def described(problem: Problem, file: FileReport) -> str:
    """What is wrong, and what to do about it."""
    where = "on line" if file.faults.unit == "line" else f"in {file.faults.unit}"
    first = "" if problem.first is None else f" (first {where} {problem.first})"
    return message(f"{problem.fact}{first}" + (f"; {problem.remedy}" if problem.remedy else ""))


def left_out(code: str, count: int) -> str:
    """How many more problems there are of a code."""
    return f"{count} more {code} ({CODES[code].title})"


def held_by(file: FileReport) -> Iterator[tuple[str, str]]:
    """What a file holds, as names and texts."""
    for name, value in file.statistics.items():
        if isinstance(value, dict):
            yield name, ", ".join(f"{key}: {number}" for key, number in value.items())
        else:
            yield name, shown(encoded(value)) if isinstance(value, str) else str(value)


def _cells(problem: Problem, file: FileReport) -> tuple[Cell, ...]:
    kind = severity(problem.code)
    return (
        Cell(str(problem.line or "")),
        Cell(str(problem.column or "")),
        Cell(kind, tone=_TONES[kind]),
        Cell(problem.code),
        Cell(described(problem, file)),
    )


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
