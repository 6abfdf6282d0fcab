"""`trend`: how saved results changed from build to build, with the choices that ``irev trend`` has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from irev.doors.api.given import ask, checked
from irev.doors.api.inputs import Path

if TYPE_CHECKING:
    from irev.questions.trend.finding import Trend


def trend(results: Path | Iterable[Path], measures: str | Iterable[str] = (), *, branch: str | None = None) -> Trend:
    """How saved results changed from build to build, and from which build on they are worse by more than chance.

    Parameters
    ----------
    results : path, or iterable of paths
        Results that ``irev eval -q -f json`` saved, folders of them, and ``sqlite:FILE``.
    measures : str or iterable of str
        All that every build has unless given.
    branch : str, optional
        Only builds of this branch.

    Returns
    -------
    Trend
        With ``builds``, and ``series`` for each run and measure: its ``means`` and ``shifts``. ``to_pandas()`` has a
        row for each build, run and measure; ``plot()`` draws the means.

    Raises
    ------
    InputError
        For a file that is no saved result, results without the values of single queries, and results that cannot be
        compared: other settings, no run or no measure in common.
    UsageError
        For a measure that not every build has, and a branch without builds.
    """
    from irev.questions.trend.choices import QUESTION

    paths = [results] if isinstance(results, str | os.PathLike) else [*results]
    asked = (measures,) if isinstance(measures, str) else tuple(measures)
    made = {"results": tuple(map(os.fsdecode, paths)), "measures": asked}
    found: Trend = ask(QUESTION, None, checked(QUESTION, {"branch": branch}, **made))
    return found
