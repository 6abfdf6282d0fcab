"""Trend: how results changed from build to build, and where they fell by more than chance.

This module declares what `irev trend` and `irev.trend` can be asked.
"""

from __future__ import annotations

from irev.base.choice import Kind, Picture, SavedResults, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import DIGITS, REPORTING, Question
from irev.commands.shared import PictureChoices, cluster_choice, measure_choice
from irev.statistics.plan import Plan


@dataclass(frozen=True)
class TrendChoices:
    """Which builds are looked at, and by which measures."""

    results: tuple[str, ...] = choice((), "saved results, or folders of them", SavedResults())
    measures: tuple[str, ...] = measure_choice("a measure. Repeat it for more. Default: all that every build has")
    branch: str | None = choice(None, "only builds of this branch", Kind())
    family: str = as_in(
        Plan, "family", says="the falls of which at most 5% are false together: those of each measure of a run, or all"
    )
    clusters: str | tuple[tuple[bytes, bytes], ...] | None = cluster_choice()
    plot: str | None = choice(None, "also draw the values of every build: FILE.svg, .png or .pdf", Picture())
    width: float = as_in(PictureChoices, "width")


QUESTION = Question(
    "trend",
    about="""Show the results of many builds in the order of time: the values, the change since the last build and since
the best one, and the first build that is significantly worse.

RESULT is a result that `irev eval -q -f json` saved, or a folder of results. `irev eval --log LOG` and `irev check
--log LOG` keep results with the time, commit and branch of the build.""",
    example="irev trend builds",
    files="RESULT…",
    choices=TrendChoices,
    shared=(
        REPORTING,
        DIGITS,
    ),
)
