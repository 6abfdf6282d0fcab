"""The formats of MS MARCO: passages that are relevant to queries, and ranked passages without scores.

Many systems write a score where MS MARCO has the rank. Read as ranks, scores would put each ranking upside down: what
is no rank is refused, and other formats are there for scores (see `irev.reading.formats.trec`).
"""

from __future__ import annotations

from irev.base.settings import Settings
from irev.errors import Faults
from irev.reading.fields import Layout
from irev.reading.formats import HEAD, JUDGMENTS, RUNS, Format, require_grades_named, trec
from irev.reading.sources import Source, Stream

PAIRS = Layout(fields=("query", "document"), exact=True, empty_lines=True, comments="none", example="query document")
FOURS = Layout(
    fields=("query", "ignored", "document", "grade"),
    exact=True,
    empty_lines=True,
    comments="none",
    example="query 0 document grade",
)
RUN = Layout(
    fields=("query", "document", "rank"),
    exact=True,
    empty_lines=True,
    comments="none",
    example="query document rank",
    hint="with scores it is --run-format trec3 (query document score) or trec4 (query document rank score)",
)


def _judgments(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    """The first line tells whether lines have grades."""
    require_grades_named(source)
    first = next((line for line in source.head(HEAD).split(b"\n") if line.strip()), b"")
    return trec.lines(PAIRS if len(first.split()) == len(PAIRS.fields) else FOURS, source, settings, faults)


JUDGMENTS.add(
    "msmarco",
    Format(
        name="msmarco",
        description="MS MARCO: query, 0, passage and grade, or query and passage alone, which means grade 1.",
        example="1048585\t0\t7187158\t1\n1048585\t0\t7187157\t1\n",
        lines=_judgments,
        likely=lambda lines: len(lines[0].split(b"\t")) == len(lines[0].split()) == len(PAIRS.fields),
    ),
)
RUNS.add(
    "msmarco",
    Format(
        name="msmarco",
        description="MS MARCO: query, passage and rank. The rank orders; there are no scores.",
        example="1048585\t7187158\t1\n1048585\t7187157\t2\n",
        lines=lambda *given: trec.lines(RUN, *given),
        likely=lambda lines: trec.counts_up(lines, len(RUN.fields)),
    ),
)
