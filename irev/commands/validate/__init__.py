"""Validate: everything that is wrong with judgments and runs, and what is legal but usually a mistake.

Errors are what evaluation refuses, found by the same readers; a reader that is asked to collects them instead of
raising the earliest. Warnings and the rules of a track for submissions are checked here, block by block, so that a run
of any length streams by.

`answer` reads each file, `run_rows` looks at each row of a run, and `checks` has what both look for beside that.

This module declares what `irev validate` can be asked.
"""

from __future__ import annotations

import os
import re

from irev.base.choice import File, Flag, Kind, RunFiles, Whole, Word, choice
from irev.base.records import dataclass
from irev.commands.question import FORMATS, Question
from irev.output.styles import TEXT, VALIDATION, styles

_EXPLAINED = ("text", "table", "github", "json")


class Pattern(Kind):
    """A regular expression."""

    metavar = "PATTERN"

    def read(self, text: str) -> re.Pattern[bytes]:
        try:
            return re.compile(os.fsencode(text))
        except re.error as error:
            raise ValueError(f"'{text}' is not a regular expression ({error})") from None


@dataclass(frozen=True)
class ValidateChoices:
    """What files are checked for, and how much of what is found is shown."""

    files: tuple[str, ...] = choice((), "the judgments, and runs", RunFiles(least=0))
    style: str = choice(
        TEXT,
        "output format: text, a line for each problem; table, for people; github, workflow annotations; json, one"
        f" record; {', '.join(each for each in styles(VALIDATION) if each not in _EXPLAINED)}",
        Word(styles(VALIDATION), metavar="STYLE"),
        "-f --format",
    )
    max_problems: int = choice(100, "show at most N problems of each code and file; the rest is counted", Whole(1))
    strict: bool = choice(False, "fail on warnings too", Flag())
    stats: bool = choice(False, "show what the files hold", Flag())
    topics: str | None = choice(
        None,
        "the queries, in a file: a run must have results for each, and for no others; judgments for no others",
        File(),
    )
    max_depth: int | None = choice(None, "the largest number of results of a query", Whole(1))
    docids: str | None = choice(
        None, "the document ids of the collection, one on each line: no run and no judgment may have others", File()
    )
    tag: re.Pattern[bytes] | None = choice(
        None,
        "a regular expression that the run id must match as a whole; {file} stands for the name of the file without its"
        " ending",
        Pattern(),
    )
    sorted: bool = choice(False, "the rows of a query must be sorted by score, highest first", Flag())


QUESTION = Question(
    "validate",
    about="""Check the judgments in QRELS and the results in each RUN for errors, all in one pass. Before there are
judgments, give the RUNs alone.

Errors are what `irev eval` refuses, and what breaks the rules given here. Warnings are legal, and usually a mistake.
Exit status: 0 no errors, 1 errors (with --strict, warnings too), 2 wrong usage or an unusable file.""",
    example="irev validate qrels.txt keyword.run",
    files="[QRELS] [RUN]...",
    choices=ValidateChoices,
    shared=("level", FORMATS, "order", "duplicates"),
)
