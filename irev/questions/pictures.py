"""How the picture that `--plot` writes looks, for every question that has one."""

from __future__ import annotations

import re
from typing import Any

from irev.base.choice import choice
from irev.base.kinds import Flag, Kind, Real
from irev.base.records import dataclass
from irev.output.form import USUAL_WIDTH

_INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
_LEAST, _MOST = 2.0, 40.0


class Width(Kind):
    """A width, ``3.3in``, ``8.4cm`` or ``241pt``; in Python a number of inches."""

    metavar = "WIDTH"
    name = "width"
    expected = f"a width of {_LEAST:g} to {_MOST:g} inches"

    def read(self, text: str) -> float:
        found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)(in|cm|mm|pt)", text)
        if not found:
            raise ValueError(f"'{text}' is no width; expected one such as 3.3in, 8.4cm or 241pt")
        inches = float(found[1]) * _INCHES[found[2]]
        if not _LEAST <= inches <= _MOST:
            raise ValueError(f"{text} is no width of {_LEAST:g} to {_MOST:g} inches")
        return inches

    def check(self, value: Any) -> float:
        return Real(_LEAST, _MOST).check(value)


@dataclass(frozen=True)
class PictureChoices:
    """How it looks."""

    width: float = choice(
        USUAL_WIDTH,
        "with --plot: how wide the picture is, such as 3.3in or 8.4cm. Text has 8 points there",
        Width(),
        needs="plot",
        typed=True,
    )
    no_notes: bool = choice(
        False,
        "with --plot: leave out the sentences below the picture, for a caption of your own",
        Flag(),
        needs="plot",
        typed=True,
    )
