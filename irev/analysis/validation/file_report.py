"""What was found in one file: its problems, and what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from irev.base.records import dataclass
from irev.errors import Faults, InputError, Problem, ProblemError


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
            self.add("E100", error.fact, error.remedy)
