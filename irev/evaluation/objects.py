"""Judgments and runs that Python passes, in files or in memory: what `evaluate` and all questions read of them.

`Qrels` and `Run` are read once, to be used again. What is doubtful is said to the callback ``warn``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.settings import ABOUT, Settings
from irev.base.text import counted, decoded, encoded
from irev.evaluation import dictionaries, scores
from irev.evaluation.batch import facts_of
from irev.evaluation.dictionaries import NestedJudgments
from irev.evaluation.notes import Warn, doubt_notes, reading_notes, warn_of
from irev.evaluation.result import Facts
from irev.evaluation.scores import NOTHING_BESIDE, Beside, Scores, Summary
from irev.measures import Request
from irev.ranking import full, ranking
from irev.ranking.full import RankedRun
from irev.ranking.ranked import Ranked
from irev.ranking.ranking import First, LeftOut
from irev.reading import in_memory, qrels
from irev.reading.block import Block
from irev.reading.columns import THE_QUERY
from irev.reading.flat_ids import FlatIds
from irev.reading.formats import require_grades
from irev.reading.ids import at
from irev.reading.in_memory import Arrays, Frame, Listed, ListedJudgments, OwnRows
from irev.reading.judgments import Judgments, counting
from irev.reading.runs import Reading
from irev.reading.sources import FileRead, Source

if TYPE_CHECKING:
    import pandas

Path = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Relevance judgments, read and indexed: what `read_qrels` gives; `files` has the file, if it was one."""

    judgments: Judgments
    files: tuple[FileRead, ...] = ()

    def __post_init__(self) -> None:
        _require_read(self, "read_qrels", isinstance(self.judgments, Judgments))

    @property
    def queries(self) -> tuple[str, ...]:
        """Judged queries, in the order of their bytes."""
        return tuple(decoded(query) for query in self.judgments.queries)

    def __len__(self) -> int:
        """Number of judgments."""
        return len(self.judgments.grade)

    def __repr__(self) -> str:
        return f"<Qrels {self.judgments.name}: {len(self)} judgments of {len(self.judgments.queries)} queries>"


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run in memory: what `read_run` gives.

    Attributes
    ----------
    name : str
        The file, or what else messages call it.
    tag : str
        Its run id.
    blocks : tuple of Block
        Its rows.
    settings : Settings
        What its rows were read with.
    files : tuple of FileRead
        The file, if it was one.
    """

    name: str
    tag: str = ""
    blocks: tuple[Block, ...] = ()
    settings: Settings = None  # type: ignore[assignment]  # for Run(data), of which more is to be said than what lacks
    files: tuple[FileRead, ...] = ()

    def __post_init__(self) -> None:
        _require_read(self, "read_run", isinstance(self.settings, Settings))

    @property
    def queries(self) -> tuple[str, ...]:
        """Its queries, in the order of their bytes."""
        return tuple(decoded(query) for query in sorted(query for block in self.blocks for query in block.queries))

    def __len__(self) -> int:
        """Number of results."""
        return sum(len(block.query) for block in self.blocks)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query: {document: score}}``, best first in a run that `fuse` made, and otherwise as they were read.

        Where something else orders the run, that stands for the scores: ranks with their sign changed.
        """
        found: dict[str, dict[str, float]] = {}
        for query, document, score in self._rows():
            found.setdefault(query, {})[document] = score
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame of the same, a row for each result, with the columns ``query_id``, ``doc_id`` and ``score``."""
        import pandas

        return pandas.DataFrame(self._rows(), columns=["query_id", "doc_id", "score"])

    def _rows(self) -> list[tuple[str, str, float]]:
        found: list[tuple[str, str, float]] = []
        for block in self.blocks:
            if block.score.uncertain is not None:
                block.score.settle(np.flatnonzero(block.score.uncertain))
            queries = [decoded(query) for query in block.queries]
            documents = FlatIds(block.text, block.start, block.length)
            rows = zip(block.query.tolist(), documents, block.score.value.tolist(), strict=True)
            found += [(queries[query], decoded(document), score) for query, document, score in rows]
        return found

    def __repr__(self) -> str:
        queries = sum(len(block.queries) for block in self.blocks)
        return f"<Run {self.name}: {counted(len(self), 'result')} of {counted(queries, 'query', 'queries')}>"


def _require_read(record: Qrels | Run, reader: str, read: bool) -> None:
    """Raise `UsageError` for a record that somebody made of data."""
    if not read:
        raise UsageError(f"irev.{type(record).__name__} is what irev.{reader} gives", remedy=f"irev.{reader}(data)")


Judged = Path | ListedJudgments | Frame | Arrays | Qrels
"""Judgments: a path, ``{query: {document: grade}}``, ``{query: [document, …]}`` with the relevant ones, a data frame
with a column of each or with a column of lists, three arrays, or what `read_qrels` gives."""


Retrieved = Path | Listed | Frame | Arrays | Run
"""A run: a path, ``{query: {document: score}}``, ``{query: [document, …]}`` with the best first, a data frame
with a column of each, with ranks in place of scores, or with a column of lists, three
arrays, or what `read_run` gives."""


def require_no_paths(data: object, place: str, what: str = "runs") -> None:
    """Raise `UsageError` for a list of paths in the place of one, which would be taken for the documents of a query."""

    def is_path(each: object) -> bool:
        return isinstance(each, os.PathLike) or (isinstance(each, str) and os.path.isfile(each))

    if isinstance(data, list | tuple) and data and all(map(is_path, data)):
        several = f"irev.{'evaluate_runs and irev.compare take' if what == 'runs' else 'judges takes'} several {what}"
        remedy = f"{several}; documents that are files need a query, {{{THE_QUERY!r}: […]}}"
        raise UsageError(f"this is a list of {counted(len(data), 'path')}", place, remedy)


def judgments_of(data: Judged, settings: Settings, warn: Warn) -> Judgments | NestedJudgments:
    if isinstance(data, Qrels):
        judgments = data.judgments

        def described(row: int) -> str:
            document = at(judgments.text, judgments.document_start[row], judgments.document_length[row])
            return f"document {decoded(document)!r} of query {decoded(judgments.queries[judgments.query[row]])!r}"

        if settings.negative != "unjudged":
            grade = in_memory.graded(judgments.grade, settings, judgments.name, described)
            judgments = replace(judgments, grade=grade)
        return counting(judgments, settings)
    if isinstance(data, Run):
        raise UsageError("this is a run", "qrels", "judgments come first, then runs")
    if isinstance(data, str | os.PathLike):
        with Source(os.fsdecode(data)) as source:
            found: Judgments | NestedJudgments = qrels.read(source, settings, again=os.fsdecode(data))
    else:
        require_no_paths(data, "qrels", "judgments")
        require_grades(settings, "those in memory")
        if isinstance(data, OwnRows):
            return data.judged(settings)
        found = dictionaries.judgments(data, settings)
    if found.doubts or found.details is not None:
        warn_of(doubt_notes(found.name, found.doubts, found.details), warn, settings)
    return found


def scored(
    judgments: Judgments | NestedJudgments,
    run: Retrieved,
    requests: Iterable[Request],
    settings: Settings,
    name: str,
    warn: Warn,
    beside: Beside = NOTHING_BESIDE,
) -> tuple[Scores, Summary, LeftOut, Facts]:
    """The scores of a run; of arrays of neighbours some rows at a time, from files and from memory alike."""
    requests = tuple(requests)
    if judgments.of_arrays and isinstance(run, str | os.PathLike | OwnRows):
        opened = nullcontext(run) if isinstance(run, OwnRows) else Source(os.fsdecode(run))
        with opened as given:
            found = dictionaries.indexed(judgments).evaluated(given, requests, settings)
        if found is not None:
            reading, scored, of_all, left_out, facts = found
            warn_of(reading_notes(reading, "run" if isinstance(run, OwnRows) else os.fsdecode(run)), warn, settings)
            return scored, of_all, left_out, facts
    ranked, left_out = ranked_by(judgments, run, settings, name, warn)
    found_scores = scores.evaluate_beside(ranked, requests, beside)
    return found_scores, scores.summarise(found_scores), left_out, facts_of(ranked, left_out)


def rows_of(run: object, settings: Settings, name: str, warn: Warn, tell: bool = True) -> Iterator[Block]:
    """The blocks of a run in memory. `tell` says whether doubts are warned of.

    Raises
    ------
    UsageError
        For judgments, and for a list of paths.
    """
    if isinstance(run, Qrels):
        raise UsageError("these are judgments", name, "judgments come first, then runs")
    require_no_paths(run, name)
    for block in in_memory.blocks(run, settings, name):
        for doubt in block.fields.faults.doubts[:tell]:
            warn_of(reading_notes(Reading(0, 0, b"", doubt=doubt), name), warn, settings)
            tell = False
        yield block


def ranked_by(
    judgments: Judgments | NestedJudgments, run: Retrieved, settings: Settings, name: str, warn: Warn
) -> tuple[Ranked, LeftOut]:
    judgments = dictionaries.indexed(judgments)
    if isinstance(run, str | os.PathLike):
        with Source(os.fsdecode(run)) as source:
            ranked, reading, left_out = ranking.rank(judgments, source, settings)
        warn_of(reading_notes(reading, source.name), warn, settings)
        return ranked, left_out
    if isinstance(run, Run):
        require_read_alike(run, settings)
        return ranking.rank_blocks(judgments, run.blocks, run.name, encoded(run.tag), settings)
    return ranking.rank_blocks(judgments, rows_of(run, settings, name, warn), name, b"run", settings)


def ranked_run(judgments: Judgments, run: Retrieved, settings: Settings, opened: ExitStack, warn: Warn) -> RankedRun:
    """A run, ranked, of which queries may be kept whole as long as what was opened is."""
    if isinstance(run, str | os.PathLike):
        found = full.in_file(judgments, opened.enter_context(Source(os.fsdecode(run))), settings)
        warn_of(reading_notes(found.reading, found.name), warn, settings)
        return found
    if isinstance(run, Run):
        require_read_alike(run, settings)
        held = run.blocks
        return full.in_memory(judgments, lambda: held, run.name, encoded(run.tag), settings, run.name)
    given, tell = run, iter([True])
    read = partial(rows_of, given, settings, "run", warn)
    return full.in_memory(judgments, lambda: read(tell=next(tell, False)), "run", b"run", settings)


def first_of(run: Retrieved, name: str, settings: Settings, most: int | None, warn: Warn) -> tuple[First, Reading]:
    """The first documents of a run, and what tells it from others: of one in memory the object that it is."""
    if isinstance(run, str | os.PathLike):
        with Source(os.fsdecode(run)) as source:
            return ranking.first_documents(source, settings, most)
    if isinstance(run, Run):
        require_read_alike(run, settings)
        blocks: Iterable[Block] = run.blocks
    else:
        blocks = rows_of(run, settings, name, warn)
    return ranking.first_documents(blocks, settings, most)[0], Reading(0, 0, encoded(f"{id(run)}"))


def require_read_alike(run: Run, settings: Settings) -> None:
    """Refuse choices that came too late: a run that was read has no other order or duplicates any more."""
    for choice in (name for name, about in ABOUT.items() if about.of_rows):
        wanted, had = getattr(settings, choice), getattr(run.settings, choice)
        if wanted != had:
            raise UsageError(f"the run was read with {choice}={had!r}", run.name, f"give {choice} to read_run too")
