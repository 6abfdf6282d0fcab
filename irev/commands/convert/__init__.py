"""Convert: judgments and runs in another format, with all that they hold or not at all.

This module declares what `irev convert` can be asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.base.choice import JudgmentsOrRuns, MayReplace, NewFile, RunName, Word, choice
from irev.base.records import dataclass
from irev.commands.question import Question
from irev.output import writers

if TYPE_CHECKING:  # reading rows needs numpy
    from irev.reading import rows


@dataclass(frozen=True)
class ConvertChoices:
    """What files are made into."""

    files: tuple[str, ...] = choice((), "the files to convert", JudgmentsOrRuns())
    output: str = choice("", "the new file", NewFile())
    target: str | None = choice(None, "the format of OUT. Default: by its ending", Word(tuple(writers.WRITERS)), "--to")
    file_kind: rows.Kind | None = choice(
        None, "what the files contain, where it cannot be recognised", Word(("qrels", "run")), "--content"
    )
    tag: str | None = choice(
        None, "the run id of all rows. Default: the ids in the files, or the name of the file", RunName()
    )
    overwrite: bool = choice(False, "replace OUT if it exists", MayReplace(), "--force")


SPECIAL = ("order", "ties", "duplicates", "drop_self", "document_of", "negative", "grade_words")
"""Settings by which files are read as evaluations read them, not row by row."""


QUESTION = Question(
    "convert",
    about="""Write the judgments, or the runs, in every IN to OUT, in another format.

Ids, numbers and run ids stay exactly as they are. If the format of OUT cannot hold one, that is an error, and OUT is
not written. Not copied: unknown columns, comments, queries without documents, and the scores in JSON that lists the
documents of a query best first (ranks are written instead). `irev formats` lists the formats. Several files are joined
if no query is in two of them. One IN may be `-`, standard input, and OUT `-`, standard output.

With `--document-of`, `--drop-self`, `--duplicates`, `--order`, `--ties`, `--grade-words` or `--negative`, OUT has what
`irev eval` makes of the file with the same option, for commands without it: a run in the order of its ranks, judgments
with numbers for grades. With `--order` or `--ties`, scores count down to 1.""",
    example="irev convert --to csv keyword.run -",
    files="IN… OUT",
    choices=ConvertChoices,
    shared=("qrels_format", "run_format", "columns", *SPECIAL),
)
