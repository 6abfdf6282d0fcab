"""Files to outcomes: judgments, groups of queries and runs are read, evaluated several at a time, and named.

Nothing is said and nothing shown here: doubts are handed to a callback, and whoever wants to watch is given the batch.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base import workers
from irev.base.choice import NamedRun
from irev.base.errors import AboveMaximum, UsageError
from irev.base.records import dataclass
from irev.base.registry import executors
from irev.base.settings import Settings
from irev.base.text import and_more, decoded
from irev.evaluation.batch import (
    PROCESSES,
    Batch,
    Evaluated,
    JudgmentsFile,
    Skipping,
    Task,
    local,
    without_broken,
)
from irev.evaluation.result import Input, Outcome, in_groups
from irev.evaluation.scores import of_unjudged
from irev.measures import Request
from irev.ranking.ranking import First, first_documents
from irev.reading import qrels
from irev.reading.judgments import Judgments
from irev.reading.runs import Reading
from irev.reading.small_files import read_groups
from irev.reading.sources import Digest, Source

if TYPE_CHECKING:
    from irev.evaluation.inputs import Inputs
    from irev.evaluation.side_by_side import ToShow

_NAMED = 5
"""So many runs are named of those that share a run id."""


def names_of(
    paths: Sequence[str], tags: Sequence[str], given: Sequence[str], note: Callable[[str], None]
) -> tuple[str, ...]:
    """A name for each run: one that was given or typed before its path, or its run id; where several share that, their
    files' names.

    Parameters
    ----------
    paths, tags : sequence of str
        The files, and the run ids in them.
    given : sequence of str
        Names for all of the runs; if none, those of `NamedRun`.
    note : callable
        Is told, in a sentence, when names are not run ids.

    Raises
    ------
    UsageError
        For names that are not as many as runs, or are not different, blanks at their ends aside.
    """
    if given and len(given) != len(paths):
        raise UsageError(f"{len(given)} names for {len(paths)} runs", remedy="give one for each")
    chosen = given or [path.called if isinstance(path, NamedRun) else "" for path in paths]
    if any(chosen):
        unnamed = [place for place, name in enumerate(chosen) if not name]
        others = names_of([paths[place] for place in unnamed], [tags[place] for place in unnamed], (), note)
        names = [*chosen]
        for place, name in zip(unnamed, others, strict=True):
            names[place] = name
        if again := _twice(names):
            raise UsageError(f"two runs are called '{again[0]}'", remedy="give every run a name of its own")
        if again := _twice([name.strip() for name in names]):
            fact = f"the names of two runs are '{again[0]}', except for blanks at the ends"
            raise UsageError(fact, remedy="give every run a different name")
        return tuple(names)
    names = list(tags)
    if shared := dict.fromkeys(_twice(tags)):
        # The shortest way to tell files apart that works for all that share a run id.
        for of_path in (_stem, os.path.basename, str):
            candidates = [of_path(path) if tag in shared else tag for path, tag in zip(paths, tags, strict=True)]
            if not _twice(candidates):
                break
        else:
            candidates = [
                f"{name}#{number}" if tag in shared else name
                for number, (name, tag) in enumerate(zip(candidates, tags, strict=True), start=1)
            ]
        names = candidates
        listed = ", ".join(f"'{tag}'" for tag in shared)
        called = _of(names, tags, shared)
        more = and_more(len(called), _NAMED, ",")
        note(f"several runs have the run id {listed}; their names are {', '.join(called[:_NAMED])}{more}")
    return tuple(names)


def _of(names: Sequence[str], tags: Sequence[str], shared: Collection[str]) -> list[str]:
    return [name for name, tag in zip(names, tags, strict=True) if tag in shared]


def _stem(path: str) -> str:
    """A file's name without its endings: ``bm25`` for ``runs/bm25.run.gz``."""
    base = os.path.basename(path)
    return base.split(".", 1)[0] or base


def _twice(names: Sequence[str]) -> list[str]:
    """Those that stand more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


class Runs(NamedTuple):
    """Runs that were evaluated.

    Attributes
    ----------
    outcomes : tuple of Outcome
        Every run under every set of judgments.
    judgments : tuple of Judgments
    evaluated : tuple of Evaluated
        What came of each run.
    inputs : tuple of Input
        The files, where these were to be hashed.
    beside : tuple of Outcome
        Runs that were evaluated beside the others.
    ungrouped : tuple of bytes
        Queries that count and are in no group, where there are groups.
    """

    outcomes: tuple[Outcome, ...]
    judgments: tuple[Judgments, ...]
    evaluated: tuple[Evaluated, ...]
    inputs: tuple[Input, ...]
    beside: tuple[Outcome, ...] = ()
    ungrouped: tuple[bytes, ...] = ()


def evaluate_files(
    inputs: Inputs,
    requests: Sequence[Request],
    settings: Settings,
    *,
    beside: Sequence[str] = (),
    groups: str | None = None,
    digest: bool = False,
    digest_runs: bool | None = None,
    content: bool = False,
    each_query: bool = False,
    per_query: bool = True,
    unjudged: bool = False,
    show: ToShow | None = None,
) -> Runs:
    """Read judgments and runs, and evaluate.

    Parameters
    ----------
    inputs : Inputs
        Judgments and runs are paths.
    requests : sequence of Request
    settings : Settings
    beside : sequence of str
        Paths of runs to evaluate beside the others, and to name apart from them.
    groups : str, optional
        The path of a file of groups.
    digest : bool
        Whether files are hashed.
    digest_runs : bool, optional
        Whether runs are, which for large ones takes as long as reading; as `digest` unless given.
    content : bool
        Whether the grades of judgments are hashed too, for results that are saved.
    each_query : bool
        Whether every query that counts needs a value: trec_eval 9.0.8 counts missing ones in the mean alone.
    per_query : bool
        Whether the outcomes have the values of single queries; those of groups always do.
    unjudged : bool
        Whether `Scores.beside` has what `scores.of_unjudged` asks for, under one set of judgments.
    show : ToShow, optional
        What pages show of each run, under one set of judgments.

    Raises
    ------
    UsageError
        For names that are not as many as runs, or are not different.
    InputError
        For a file that cannot be read or understood, or that shares no query with the judgments.
    """
    runs, paths = inputs.runs, (*inputs.runs, *beside)
    elsewhere = executors() if inputs.executor not in (None, PROCESSES) else None
    if elsewhere:
        elsewhere.require_sendable([path for _, path in inputs.judgments], paths, settings)
    grouping, group_files = _groups_of(groups, digest)
    judgments, judgment_files = _judgments_of(inputs.judgments, settings, digest or elsewhere is not None, content)
    if each_query:
        settings = settings.of_every_query(tuple(sorted({query for each in judgments for query in each.queries})))
    hashed = digest if digest_runs is None else digest_runs
    task = Task(judgments, tuple(requests), settings, hashed, per_query or bool(grouping))
    if show is not None:
        from irev.evaluation.side_by_side import ShowingTask

        for each in judgments:
            if not each.assigned:
                each.require_grades("pages are")
        task = ShowingTask(judgments, tuple(requests), settings, hashed, show=show)
    if unjudged and len(judgments) == 1:
        task = replace(task, beside=of_unjudged(requests, judgments[0], settings))
    if len(paths) == 1 and not elsewhere:
        task = replace(task, jobs=workers.how_many(inputs.jobs))
    if elsewhere:
        places = zip(inputs.judgments, judgment_files, strict=True)
        task = replace(task, files=tuple(JudgmentsFile(path, file.name, file.sha256) for (_, path), file in places))
    opening = elsewhere.opened(inputs.executor, inputs.warn) if elsewhere else nullcontext(local(paths, inputs.jobs))
    with opening as opened:
        batch: Batch[Any] = Batch(Skipping(task) if inputs.skip_broken else task, paths, opened)
        with inputs.watched(batch, paths):
            try:
                evaluated = tuple(batch.results())
            except AboveMaximum as error:
                for _, path in inputs.judgments:
                    qrels.refuse_above(path, settings, error)
                raise
    if inputs.skip_broken:
        kept, runs = without_broken(evaluated, paths, inputs.warn)
        evaluated = tuple(kept)
    called = [name for name, _ in inputs.judgments]
    first, others = evaluated[: len(runs)], evaluated[len(runs) :]
    outcomes = _outcomes_of(first, names_of(runs, _tags(first), inputs.names, inputs.warn), called, grouping)
    compared: tuple[Outcome, ...] = ()
    if others:
        compared = _outcomes_of(others, names_of(beside, _tags(others), (), inputs.warn), called, grouping)
    queries = {query for outcome in outcomes for query in outcome.scores.queries} if grouping else set()
    run_files = [Input("run", each.name, *each.digest) for each in evaluated if each.digest is not None]
    files = (*judgment_files, *run_files, *group_files) if digest else tuple(run_files)
    return Runs(outcomes, judgments, evaluated, files, compared, tuple(sorted(queries - grouping.keys())))


def _groups_of(path: str | None, digest: bool) -> tuple[dict[bytes, bytes], list[Input]]:
    """The group of each query, none when there is no file of groups; and what that file was."""
    if path is None:
        return {}, []
    with Source(path, digest=digest) as source:
        groups = read_groups(source)
        return groups, [Input("groups", source.name, *source.digest())] if digest else []


def _judgments_of(
    sets: Sequence[tuple[str, str]], settings: Settings, digest: bool, content: bool
) -> tuple[tuple[Judgments, ...], list[Input]]:
    judgments, inputs = [], []
    for name, path in sets:
        with Source(path, digest=digest) as source:
            judgments.append(qrels.read(source, settings, again=path, rater=name))
            if digest:
                of_grades = judgments[-1].content if content else ""
                inputs.append(Input("qrels", source.name, *source.digest(), of_grades))
    return tuple(judgments), inputs


def _tags(evaluated: Sequence[Evaluated]) -> list[str]:
    return [decoded(each.reading.tag) for each in evaluated]


def _outcomes_of(
    evaluated: Sequence[Evaluated], names: Sequence[str], sets: Sequence[str], grouping: dict[bytes, bytes]
) -> tuple[Outcome, ...]:
    """Every run under every set of judgments, with a name, its summary and those of groups."""
    return tuple(
        Outcome(name, called, scores, summary, facts, in_groups(scores, grouping))
        for name, each in zip(names, evaluated, strict=True)
        for called, scores, summary, facts in zip(sets, each.scores, each.summaries, each.facts, strict=True)
    )


class FirstDocuments(NamedTuple):
    """The first documents of a run.

    Attributes
    ----------
    name : str
        What messages call its file.
    first : First
    reading : Reading
    digest : Digest or None
        What the file was, where that was asked for.
    """

    name: str
    first: First
    reading: Reading
    digest: Digest | None = None


@dataclass(frozen=True, eq=False)
class FirstDocumentsTask:
    """What is read of every run: the first `most` documents of each query, or all; `digest` hashes files."""

    settings: Settings
    most: int | None
    digest: bool = False

    def evaluated(
        self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None
    ) -> FirstDocuments:
        """Read one run, as `irev.evaluation.batch.Work` has it."""
        with Source(path, digest=self.digest, watch=watch, name=name) as source:
            first, reading = first_documents(source, self.settings, self.most)
            return FirstDocuments(source.name, first, reading, source.digest() if self.digest else None)
