"""The codes of problems, from which the documentation of errors is generated.

They are in ``problem_codes.toml`` beside this module and in the packages of extensions. ``E1xx`` are faults of a file
that every command refuses, ``E3xx`` breaches of a track's rules, ``W2xx`` what is legal and usually a mistake. A code
keeps its meaning for ever.
"""

from __future__ import annotations

from typing import Literal

from irev.base.records import dataclass
from irev.base.registry import Registry, tables_beside


@dataclass(frozen=True)
class Code:
    """A kind of problem.

    Attributes
    ----------
    title : str
        What it is, in a few words.
    example : str
        A line or a state that has it, in Markdown.
    cause, remedy : str
        Where it usually comes from, and what to do, in Markdown.
    """

    title: str
    example: str
    cause: str
    remedy: str


def _read() -> None:
    for table in tables_beside(__package__, "problem_codes.toml"):
        for code, fields in table.items():
            CODES.add(code, Code(**fields))


CODES: Registry[Code] = Registry("code", _read)


def severity(code: str) -> Literal["error", "warning"]:
    """Whether a code is an error or a warning."""
    return "warning" if code.startswith("W") else "error"
