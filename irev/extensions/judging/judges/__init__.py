"""Judges: how far those who judged the same documents agree, and what that does to runs.

This module declares what `irev judges` and `irev.judges` can be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from irev.base.choice import (
    FileBeside,
    Flag,
    JudgesFiles,
    Kind,
    MayReplace,
    NewFile,
    OpenShare,
    Real,
    RunFile,
    Word,
    as_in,
    choice,
)
from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.text import REAL
from irev.commands.question import REPORTING, Question
from irev.commands.shared import PictureChoices, measure_choice, picture_choice


class JudgeScale(NamedTuple):
    """The grades of a judge, and the grade that each is mapped to.

    Attributes
    ----------
    judge : str or None
        Whose; None for all who have no scale of their own.
    grades : tuple of (float, float, float)
        Lowest and highest grade of a range, which may be the same, and the grade to which the range is mapped. Of two
        ranges with a grade the later one counts; a grade in none is refused.
    """

    judge: str | None
    grades: tuple[tuple[float, float, float], ...]


class GradeScale(Kind):
    """A map of grades, ``0:0,1:1,2:1``, or of ranges, ``0..0.5:0,0.5..1:1``, or the grades that there are, ``0,1,2``;
    of one judge after ``NAME=``."""

    metavar = "[NAME=]GRADE[..GRADE][:GRADE],…"
    name = "scale"

    def read(self, text: str) -> JudgeScale:
        judge, equals, written = text.rpartition("=")
        grades: dict[tuple[float, float], float] = {}
        for part in written.split(","):
            given, _, meant = part.partition(":")
            low, ranged, high = given.partition("..")
            meant = meant if ":" in part or ranged else given
            numbers = (low, high if ranged else low, meant)
            if not all(re.fullmatch(REAL, each, re.ASCII) and 0 <= float(each) < 2**53 for each in numbers):
                raise ValueError(f"'{part}' is neither a grade such as 2, nor two such as 2:1, nor 0.5..1:1")
            span = (float(low), float(numbers[1]))
            if span in grades:
                raise ValueError(f"grade {given} is given twice")
            if span[0] > span[1]:
                raise ValueError(f"the range {given} ends below its begin")
            grades[span] = float(meant)
        return JudgeScale(judge if equals else None, tuple((*span, meant) for span, meant in grades.items()))


PREFERENCES = {
    "first": "the grade of the first judge who gave one",
    "max": "the highest grade",
    "mean": "the mean of the grades",
    "majority": "the grade that most judges gave; of several such grades, the one of the earliest judge",
}
"""How grades that differ become one."""


@dataclass(frozen=True)
class JudgesChoices:
    """How judges are compared, and what is made of their judgments."""

    judged: tuple[tuple[str, str], ...] = choice((), "the judgments of each judge", JudgesFiles())
    runs: tuple[str, ...] = choice(
        (), "also measure this run under each judge. Repeat it", RunFile(), flags="--run", several=True
    )
    scales: tuple[JudgeScale, ...] = choice(
        (),
        "the grades of the scale; GRADE:GRADE maps a grade to another one, 0.5..1:1 a range. For all judges, or for"
        " one",
        GradeScale(),
        flags="--scale",
        several=True,
    )
    weights: str = choice("quadratic", "the weights of weighted kappa", Word(("linear", "quadratic")))
    alpha_level: str = choice(
        "ordinal",
        "how alpha treats grades: as names (nominal), as ranks (ordinal), or as numbers whose distances "
        "count (interval)",
        Word(("nominal", "ordinal", "interval")),
        flags="--alpha",
    )
    merge: str | None = choice(
        None, "merge the judgments of all judges, and write them to FILE in the format of its ending", NewFile()
    )
    prefer: str = choice(
        "first",
        "with --merge: which grade wins where judges differ",
        Word(PREFERENCES),
        needs="merge",
    )
    unsettled_to: str | None = choice(
        None,
        "write the documents on which no grade has a majority to FILE, with the grade of each judge and an empty grade",
        FileBeside(),
        flags="--unsettled-to",
    )
    overwrite: bool = choice(
        False,
        "with --merge and --unsettled-to: replace FILE if it exists",
        MayReplace(),
        flags="--force",
        needs="merge|unsettled_to",
    )
    plot: str | None = picture_choice(
        "also draw the scores of runs under every two judges against each other",
        needs="runs",
    )
    width: float = as_in(PictureChoices, "width")
    per_query: bool = choice(
        False,
        "show all queries, conflicts and pairs of runs, not only the first; in formats for people",
        Flag(),
        flags="-q --per-query",
    )
    measures: tuple[str, ...] = measure_choice(
        "with --run: a measure. Repeat it for more. Default: AP and nDCG@10", needs="runs"
    )
    explain: bool = choice(
        False,
        "show how kappa comes about: the table with totals, observed and expected agreement, kappa as a fraction",
        Flag(),
    )
    confidence: float = choice(0.95, "confidence level of the intervals", OpenShare())


QUESTION = Question(
    "judges",
    says="Measure how far judges agree.",
    about="""Measure how far judges of the same documents agree.

Each file has the judgments of one judge; --columns grade=ann+bob reads judges from columns of one table. Agreement of
two judges is over the documents that both judged, agreement of all over those that at least two judged. --run shows
which runs change places under another judge.""",
    example="irev judges --run hybrid.run --run keyword.run qrels.txt judge2.txt",
    files="[NAME=]QRELS…",
    choices=JudgesChoices,
    shared=(REPORTING, "level", "qrels_format", "columns"),
)


def scales_of(scale: Any) -> tuple[JudgeScale, ...]:
    """The scales that Python has: of all judges, or of some by their names, mappings of grades or lists of them."""

    def of(judge: str | None, grades: Mapping[Any, float] | Iterable[float]) -> JudgeScale:
        try:
            pairs = grades.items() if isinstance(grades, Mapping) else [(grade, grade) for grade in grades]
            spans = [(given if isinstance(given, tuple) else (given, given), meant) for given, meant in pairs]
            checked = [(*map(_GRADE.check, span), _GRADE.check(meant)) for span, meant in spans]
            return JudgeScale(judge, tuple((low, high, meant) for low, high, meant in checked))
        except (TypeError, ValueError):
            expected = f"expected grades, each {_GRADE.expected}"
            raise UsageError(f"{grades!r} is no value of scale", remedy=expected) from None

    if scale is None:
        return ()
    if isinstance(scale, str):
        try:
            return (GradeScale().read(scale),)
        except ValueError as error:
            raise UsageError(f"{scale!r} is no value of scale", remedy=str(error)) from None
    if isinstance(scale, Mapping) and all(isinstance(key, str) for key in scale):
        return tuple(of(judge, grades) for judge, grades in scale.items())
    return (of(None, scale),)


_GRADE = Real()
