"""What the command says in lines ``irev: warning:``, as warnings of Python at the line that called irev."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from irev.errors import IrevWarning, JudgmentsWarning, of_parameters
from irev.evaluation.notes import Note

_OURS = ("irev", "contextlib")
"""Whose frames stand between a warning and the line that called irev."""


def warned(message: str, category: type[IrevWarning] = JudgmentsWarning) -> None:
    """Warn whoever called irev, with parameters in place of options."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    said = message.replace("(-c ", "(complete ").replace("; -l ", "; level ")
    warnings.warn(of_parameters(said), category, level)


def warned_of(notes: Iterable[Note]) -> None:
    """The same of notes."""
    for note in notes:
        warned(f"{note.run}{note.said}", note.category)
