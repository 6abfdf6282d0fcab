"""What was found in files: the problems of each, by line, and what the files hold where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from irev.base.exit import DONE, FAILED, REFUSED
from irev.base.records import dataclass
from irev.errors import Faults, InputError, Problem, ProblemError, message
from irev.output.finding import Finding
from irev.output.report import Cell, Plain, Sheet
from irev.output.styles.text import described, held_by, listed
from irev.reading.problem_codes import severity

UNUSABLE = "E100"
"""The code of a file that nothing can be said about."""

_TONES = {"error": "bad", "warning": "quiet"}


@dataclass(frozen=True)
class FileReport:
    """What was found in one file.

    Attributes
    ----------
    name, kind : str
        The file, and whether it holds ``judgments``, a ``run`` or ``costs``.
    faults : Faults
        Its problems; line 0 is for what is true of the file as a whole.
    statistics : dict
        What the file holds, as names and values; empty for a file that could not be read to its end.
    """

    name: str
    kind: str
    faults: Faults
    statistics: dict[str, Any] = field(default_factory=dict)

    def add(self, code: str, fact: str, remedy: str, line: int = 0, column: int | None = None) -> None:
        """Add one problem, of a line or of the file as a whole."""
        self.faults.add([0], lambda row: Problem(line, code, fact, remedy, column=column))

    def once(self, code: str) -> None:
        """Keep only the earliest problem of a code, where one is enough to say that all lines need another look."""
        first = [problem for problem in self.faults.earliest() if problem.code == code][:1]
        self.faults.problems = [problem for problem in self.faults.problems if problem.code != code] + first
        if first:
            self.faults.counts[code] = 1

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """What keeps the file from being opened, or read to its end, becomes one of its problems."""
        try:
            yield
        except ProblemError as error:  # of a file that belongs to this one, as what scores are of
            self.add(error.problem.code, f"{error.place}: {error.fact}", error.remedy)
        except InputError as error:
            self.add(UNUSABLE, error.fact, error.remedy)

    @property
    def usable(self) -> bool:
        """Whether anything can be said about it."""
        return UNUSABLE not in self.faults.counts

    @property
    def may_be_named(self) -> bool:
        """Whether it may have columns with names."""
        return self.faults.named or not self.usable

    @property
    def problems(self) -> list[Problem]:
        """Its problems that are shown, by line."""
        return sorted(self.faults.earliest(), key=lambda problem: (problem.line, problem.column or 0, problem.code))


@dataclass(frozen=True, eq=False)
class Validation(Finding):
    """What was found in files.

    Attributes
    ----------
    reports : tuple of FileReport
        A file after the other.
    stats : bool
        Whether what they hold is shown too.
    strict : bool
        Whether warnings are failures.
    """

    reports: tuple[FileReport, ...]
    stats: bool
    strict: bool

    title = "Validation"
    columns = ("file", "kind", "unit", "line", "column", "severity", "code", "fact", "remedy", "first")
    texts = frozenset({"file", "kind", "unit", "severity", "code", "fact", "remedy"})
    deepest = 99

    def tally(self, kind: str) -> int:
        """How many problems there are of a severity."""
        return sum(n for file in self.reports for code, n in file.faults.counts.items() if severity(code) == kind)

    @property
    def status(self) -> int:
        if not all(file.usable for file in self.reports):
            return REFUSED
        return FAILED if self.tally("error") or (self.strict and self.tally("warning")) else DONE

    @property
    def lead(self) -> Iterator[str]:
        errors, warnings = (_plural(self.tally(kind), kind) for kind in ("error", "warning"))
        yield f"{errors}, {warnings} in {_plural(len(self.reports), 'file')}."

    @property
    def sheets(self) -> Iterator[Sheet]:
        for file in self.record["files"]:
            name = message(file["name"])
            if file["problems"]:
                found = [*listed(file)]
                rows = tuple(_cells(problem, file["unit"]) for problem, _ in found)
                header = (file["unit"], "column", "severity", "code", "problem")
                more = tuple(f"{rest}." for _, rest in found if rest)
                yield Sheet(name, header, 2, frozenset({2, 3, 4}), (rows,), more)
            if file.get("statistics"):
                held = tuple((Cell(label), Cell(text)) for label, text in held_by(file))
                yield Sheet(f"{name}: {file['kind']}", ("statistic", "value"), 1, frozenset({0, 1}), (held,))

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for file in self.record["files"]:
            for problem in file["problems"]:
                yield (file["name"], file["kind"], file["unit"], *(problem[column] for column in self.columns[3:]))

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
                    "problems": [_of(problem) for problem in file.problems],
                    **({"statistics": file.statistics} if self.stats else {}),
                }
                for file in self.reports
            ],
        }


def _of(problem: Problem) -> dict[str, Plain]:
    return {
        "code": problem.code,
        "severity": severity(problem.code),
        "line": problem.line or None,
        "column": problem.column,
        "first": problem.first,
        "fact": message(problem.fact),
        "remedy": message(problem.remedy),
    }


def _cells(problem: Mapping[str, Any], unit: str) -> tuple[Cell, ...]:
    kind = problem["severity"]
    place = (Cell(str(problem[each] or "")) for each in ("line", "column"))
    return (*place, Cell(kind, tone=_TONES[kind]), Cell(problem["code"]), Cell(described(problem, unit)))


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
