"""What a command is asked about: judgments and runs as they were given, and what is read and evaluated of them.

A door makes an `Inputs`. The functions here read files or data in memory, and evaluate; nothing here calls a door. What
a door knows, such as the names of options in messages, is data; doubts go to the callback `Inputs.warn`, and progress
is shown by `Inputs.watched` and `Inputs.working`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from irev.base import workers
from irev.base.errors import AboveMaximum, InputError, MeasureWarning, UsageError, option
from irev.base.records import cached_property, dataclass
from irev.base.registry import executors
from irev.base.segments import WEIGHTED
from irev.base.settings import DEFAULT_MEASURES, Settings
from irev.base.text import and_more, decoded
from irev.evaluation import files, result
from irev.evaluation.batch import PROCESSES, Batch, Evaluated, JudgmentsFile, Skipping, Task, local, without_broken
from irev.evaluation.files import FirstDocuments, FirstDocumentsTask, Runs
from irev.evaluation.notes import (
    Note,
    Warn,
    doubt_notes,
    empty_notes,
    fused_notes,
    group_notes,
    heeded,
    judgments_notes,
    left_out_notes,
    not_common_notes,
    reading_notes,
    relevance_notes,
    side_by_side_notes,
    tie_notes,
    unmatched_notes,
    warn_of,
)
from irev.evaluation.result import Input, Outcome, in_groups
from irev.evaluation.scores import of_unjudged, suited
from irev.measures import parse
from irev.measures.request import requests_of
from irev.reading import chunks, qrels
from irev.reading.columns import require_named
from irev.reading.small_files import read_groups
from irev.reading.sources import Source, is_dataset, reader_of_remote

if TYPE_CHECKING:
    from irev.evaluation.batch import Work
    from irev.evaluation.side_by_side import ToShow
    from irev.measures import Request
    from irev.ranking.full import RankedRun
    from irev.ranking.fusion import FusionSpec
    from irev.ranking.fusion.inputs import InputRun, SharedQueries
    from irev.reading.judgments import Judgments

T = TypeVar("T")

SHARED = 3
"""A note about more runs than this is written once, with the names of so many."""


def _silent(message: str, category: object = None) -> None:
    """Say nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class HeldEvaluations:
    """Evaluations that exist already.

    Attributes
    ----------
    outcomes : tuple of Outcome
    settings : tuple of Settings
        How each was evaluated.
    same_judgments : bool or None
        Whether all are under the same judgments; None where that is not known.
    both : bool
        Whether queries that not all runs have are left out.
    least : int
        The smallest number of runs that can be compared.
    """

    outcomes: tuple[Outcome, ...]
    settings: tuple[Settings, ...]
    same_judgments: bool | None
    both: bool = False
    least: int = 2


@dataclass(frozen=True, eq=False, repr=False)
class Inputs:
    """What a command is asked about, and how it is evaluated and shown.

    Attributes
    ----------
    judgments : sequence of (str, path or data)
        The sets of judgments by their names.
    runs : sequence of path or data
    settings : Settings
    measures : sequence of str
        As typed.
    names : sequence of str
        Names of the runs; none at all for their run ids.
    batched : bool
        Whether judgments and runs are files that several processes read and evaluate, as the command line does; Python
        evaluates one run after the other.
    jobs : int, optional
        Processes that share out the runs, or the queries of a large one; unless given, as many as processors and memory
        allow.
    executor : str or executor, optional
        Where runs are evaluated, ``processes``, or as the `executors` of an extension have it.
    skip_broken : bool
        Whether a run that cannot be read is left out with a warning. Runs have no given names then.
    digest : bool
        Whether the output says what files were.
    held, baseline : Held, optional
        Evaluations that exist already, and those that they are compared with.
    beside : mapping of str to (path or data)
        Runs that others are compared with, by their names.
    titles, documents : str, optional
        Files with the texts of queries and of documents.
    styles : sequence of str
        The output formats: that of the report, then those of files that are written beside it.
    sort : str, optional
        What tables are sorted by, as typed.
    digits : int
        Digits after the decimal point in sentences and on pages.
    width : int, optional
        The columns of the terminal that is written to, if it is one.
    command : sequence of str
        The words of the command line.
    flags : mapping of str to str
        How the door spells each option.
    typed, given : set of str
        The options that were typed, and those that were typed or stand in a configuration file.
    warn : Warn
    watched : callable
        Shows progress while the files of a batch are read.
    working : callable
        Shows progress while work takes long that no file tells the length of.
    files : list of Input
        Files that were read, added as they are read.
    said : sequence of str
        Warnings so far, for pages that repeat them.
    """

    judgments: Sequence[tuple[str, Any]] = ()
    runs: Sequence[Any] = ()
    settings: Settings = field(default_factory=Settings)
    measures: Sequence[str] = ()
    names: Sequence[str] = ()
    batched: bool = False
    jobs: int | None = None
    executor: Any = None
    skip_broken: bool = False
    digest: bool = False
    held: HeldEvaluations | None = None
    baseline: HeldEvaluations | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)
    titles: str | None = None
    documents: str | None = None
    styles: Sequence[str] = ("json",)
    sort: str | None = None
    digits: int = 4
    width: int | None = None
    command: Sequence[str] = ()
    flags: Mapping[str, str] = field(default_factory=dict)
    typed: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    warn: Warn = _silent
    watched: Callable[[Batch[Any], Sequence[str]], AbstractContextManager[None]] = lambda batch, paths: nullcontext()
    working: Callable[[str], AbstractContextManager[None]] = lambda what: nullcontext()
    files: list[Input] = field(default_factory=list)
    said: Sequence[str] = ()

    @cached_property
    def requests(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the default ones."""
        requests = tuple(parse(self.measures or DEFAULT_MEASURES, self.settings.compat, self.warn_of_measure))
        refuse_idle_scales(self, requests)
        return requests

    @cached_property
    def of_each_query(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the default one, where each needs a value for a single query."""
        return self.of_single_queries(self.measures)

    def of_single_queries(self, measures: Sequence[str]) -> tuple[Request, ...]:
        """Some measures, or the default one, where each needs a value for a single query."""
        requests = requests_of(measures, self.settings.compat, self.warn_of_measure)
        refuse_idle_scales(self, requests)
        return requests

    @cached_property
    def judged(self) -> list[tuple[str, Judgments]]:
        """Every set of judgments, read, with its name; doubts are warned of."""
        found = [(name, judgments_of(self, each, self.settings, name)) for name, each in self.judgments]
        if not self.runs:
            refuse_idle_columns(self, any(each.named for _, each in found), False)
        return found

    def warn_of_measure(self, message: str) -> None:
        """Warn of a measure whose name is doubtful."""
        self.warn(message, MeasureWarning)

    def tell(self, notes: Iterable[Note], settings: Settings | None = None) -> None:
        """Warn of each note; with settings as `heeded` has it."""
        warn_of(notes, self.warn, settings)

    def say(self, notes: Sequence[Note], runs: int = 1) -> None:
        """Warn of notes about some of so many runs; on the command line, a note that many runs share is one line that
        names the first of them, before all others."""
        about = dict[str, dict[str, None]]()
        for note in heeded(notes, self.settings):
            about.setdefault(note.shared, {})[note.run] = None
        many = [shared for shared, named in about.items() if len(named) > SHARED and self.batched]
        for shared in many:
            first, count = ", ".join([*about[shared]][:SHARED]), len(about[shared])
            self.warn(f"{count} of {runs} runs {shared}: {first}{and_more(count, SHARED)}")
        self.tell(note for note in notes if note.shared not in many)

    def titles_of(self, queries: Iterable[bytes]) -> dict[bytes, str]:
        """The texts of some queries; a warning where the file has none of them."""
        return _texts(self, self.titles, queries, "query", "queries")

    def texts_of(self, documents: Iterable[bytes]) -> dict[bytes, str]:
        """The texts of some documents; a warning where the file has none of them."""
        return _texts(self, self.documents, documents, "document", "documents")


def _texts(
    inputs: Inputs, path: str | None, ids: Iterable[bytes], role: str, roles: Literal["queries", "documents"]
) -> dict[bytes, str]:
    """The texts in a file; none without a file, which is usual, and then nothing is loaded for them."""
    if path is None:
        return {}

    from irev.reading.lists import read_texts, text_of_record  # seldom wanted, and slow to import

    ids, first = {*ids}, b""
    if is_dataset(path):
        records = reader_of_remote(path).records(path, roles, ids)
        found = {key: text_of_record(record) for key, record in records}
    else:
        with Source(path) as source:
            found, first = read_texts(source, role, ids)
    if ids and not found:
        inputs.say([*unmatched_notes(path, role, min(ids), first)])
    return found


# What has no effect is refused where ignoring it would mislead.


def refuse_idle_scales(inputs: Inputs, requests: Sequence[Request]) -> None:
    """Raise `UsageError` for gains, costs or weights of queries that no measure uses."""
    for name, used, why in (
        ("gains", any(request.measure.graded for request in requests), "no measure uses gains, as nDCG@10 does"),
        ("costs", any(request.costs for request in requests), "no measure uses costs, as TBG and 'INST(of=EC)' do"),
        (
            "query_weights",
            any(request.aggregate == WEIGHTED for request in requests),
            "no measure uses weights of queries, as 'AP(agg=weighted)' does",
        ),
    ):
        if name in inputs.given and not used:
            raise UsageError(f"{option(name)} has no effect here: {why}")


def refuse_idle_columns(inputs: Inputs, judged: bool, retrieved: bool) -> None:
    """Raise `UsageError` for names of columns where no file has any, as `irev.reading.columns.require_named` does."""
    if inputs.batched and inputs.settings.columns:
        require_named(inputs.settings, judged, retrieved)


def refuse_evaluating(inputs: Inputs) -> None:
    """Raise `UsageError` for an option that changes values, since those of saved results stay as they are."""
    for name, flag in inputs.flags.items():
        if name in inputs.typed and name in vars(inputs.settings) and name not in ("queries", "complete"):
            fact = f"{flag} cannot change results that were saved"
            raise UsageError(fact, remedy="give judgments and runs, or leave out the option")


# Files and data


def is_path(data: object) -> bool:
    """Return True for the path of a file."""
    return isinstance(data, str | os.PathLike)


def judgments_of(inputs: Inputs, data: Any, settings: Settings, name: str = "", doubted: bool = True) -> Judgments:
    """A set of judgments, read; doubts, such as that it is a run, are warned of, if that is wanted."""
    if not inputs.batched:
        from irev.evaluation import dictionaries, objects

        return dictionaries.indexed(objects.judgments_of(data, settings, inputs.warn))

    with Source(data, digest=inputs.digest) as source:
        judgments = qrels.read(source, settings, rater=name)
        inputs.files.extend([Input("qrels", source.name, *source.digest())] if inputs.digest else [])
    if doubted:
        inputs.tell(doubt_notes(judgments.name, judgments.doubts, judgments.details), settings)
    return judgments


def names_of(inputs: Inputs, tags: Sequence[bytes], runs: Sequence[Any] | None = None) -> Sequence[str]:
    """The names of the runs, which have these run ids; of `runs`, where some were left out."""
    if inputs.names and not inputs.batched:
        return inputs.names
    paths = [os.fsdecode(path) for path in (inputs.runs if runs is None else runs)]
    return files.names_of(paths, [*map(decoded, tags)], inputs.names, inputs.warn if inputs.batched else _silent)


def called(inputs: Inputs) -> Sequence[str]:
    """The names of the runs in messages of Python: those that were given, or those of their files."""
    return inputs.names or [os.path.basename(os.fsdecode(run)) for run in inputs.runs]


def require_read_twice(inputs: Inputs) -> None:
    """Raise `InputError` for judgments from standard input or a pipe, which runs would need a second time."""
    if inputs.batched and inputs.runs:
        require_files([path for _, path in inputs.judgments], "with runs the judgments are")


def require_files(paths: Sequence[str], what: str = "a run is") -> None:
    """Raise `InputError` for what cannot be read twice, as a run is: for its numbers, and for ranks of documents."""
    for path in paths:
        if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
            name = "<stdin>" if path == "-" else path
            raise InputError(f"{what} read twice, and this is no file", name, "write it to a file first")


def require_runs(inputs: Inputs) -> None:
    """Raise `UsageError` where there are no runs."""
    if not inputs.runs:
        raise UsageError("there are no runs", remedy="give at least one run")


def of_each_run(inputs: Inputs, task: Work[T], paths: Sequence[str]) -> tuple[list[T], Sequence[str]]:
    """The result of a task for each of some runs, with progress, and the runs; one that cannot be read is left out, if
    that is wanted."""
    batch: Batch[Any] = Batch(Skipping(task) if inputs.skip_broken else task, paths, local(paths, inputs.jobs))
    with inputs.watched(batch, paths):
        found = list(batch.results())
    return without_broken(found, paths, inputs.warn) if inputs.skip_broken else (found, paths)


def first_of(
    inputs: Inputs, runs: Sequence[Any], most: int | None, digest: bool
) -> tuple[list[FirstDocuments], Sequence[Any]]:
    """The first `most` documents of every query of some runs, or all, and the runs; `digest` hashes files."""
    if inputs.batched:
        found, runs = of_each_run(inputs, FirstDocumentsTask(inputs.settings, most, digest), runs)
        inputs.files.extend(Input("run", run.name, *run.digest) for run in found if run.digest is not None)
        return found, runs
    from irev.evaluation.objects import first_of as first_of_data

    each = zip(called(inputs), runs, strict=True)
    read = [(name, *first_of_data(run, name, inputs.settings, most, inputs.warn)) for name, run in each]
    return [FirstDocuments(*each) for each in read], runs


def first_documents(inputs: Inputs, most: int | None) -> tuple[Sequence[str], Sequence[FirstDocuments]]:
    """The names of the runs, and their first documents of each query, or all; without notes."""
    require_runs(inputs)
    judged = any(each.named for _, each in inputs.judged)
    found, runs = first_of(inputs, inputs.runs, most, inputs.digest)
    refuse_idle_columns(inputs, judged, any(each.reading.named for each in found))
    given = names_of(inputs, [each.reading.tag for each in found], runs)
    if not inputs.batched:
        found = [run._replace(name=name) for run, name in zip(found, given, strict=True)]
    return given, found


# Evaluation


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
    outcomes = _outcomes_in(first, files.names_of(runs, _tags(first), inputs.names, inputs.warn), called, grouping)
    compared: tuple[Outcome, ...] = ()
    if others:
        compared = _outcomes_in(others, files.names_of(beside, _tags(others), (), inputs.warn), called, grouping)
    queries = {query for outcome in outcomes for query in outcome.scores.queries} if grouping else set()
    run_files = [Input("run", each.name, *each.digest) for each in evaluated if each.digest is not None]
    read = (*judgment_files, *run_files, *group_files) if digest else tuple(run_files)
    return Runs(outcomes, judgments, evaluated, read, compared, tuple(sorted(queries - grouping.keys())))


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


def _outcomes_in(
    evaluated: Sequence[Evaluated], names: Sequence[str], sets: Sequence[str], grouping: dict[bytes, bytes]
) -> tuple[Outcome, ...]:
    """Every run under every set of judgments, with a name, its summary and those of groups."""
    return tuple(
        Outcome(name, called, scores, summary, facts, in_groups(scores, grouping))
        for name, each in zip(names, evaluated, strict=True)
        for called, scores, summary, facts in zip(sets, each.scores, each.summaries, each.facts, strict=True)
    )


def evaluate(
    inputs: Inputs,
    requests: Sequence[Request],
    settings: Settings | None = None,
    **how: Any,
) -> Runs:
    """Evaluate every run under every set of judgments, all of which are files; see
    `evaluate_files`."""
    found = evaluate_files(inputs, requests, settings or inputs.settings, **how)
    retrieved = any(each.reading.named for each in found.evaluated)
    refuse_idle_columns(inputs, any(each.named for each in found.judgments), retrieved)
    inputs.tell(group_notes(found.outcomes, found.ungrouped))
    return found


def warn_of_runs(inputs: Inputs, found: Runs, ties: bool = False, settings: Settings | None = None) -> None:
    """Warn of what the numbers do not show, and of ties, if that is wanted."""
    settings, requests = settings or inputs.settings, [column.request for column in found.outcomes[0].scores.columns]
    for each in found.judgments:
        inputs.tell(judgments_notes(each, settings, requests), settings)
    warn_of_evaluated(inputs, found.evaluated, settings)
    inputs.say([*tie_notes(found.judgments, found.outcomes, settings, ties)], len(found.outcomes))


def warn_of_evaluated(inputs: Inputs, evaluated: Sequence[Evaluated], settings: Settings, sampled: str = "") -> None:
    """Warn of what was noted when runs were read, and of the queries left out under each set of judgments.

    `sampled` names a set that judges only a sample: queries without judgments there are not mentioned.
    """
    notes: list[Note] = []
    for run in evaluated:
        notes += reading_notes(run.reading, run.name)
        for (name, _), left_out in zip(inputs.judgments, run.left_out, strict=True):
            of = f"{run.name} under {name}" if len(inputs.judgments) > 1 else run.name
            some = replace(left_out, not_judged=()) if sampled and name == sampled else left_out
            notes += left_out_notes(some, settings, of)
    inputs.say(notes, len(evaluated) * max(len(inputs.judgments), 1))


def outcomes_of(
    inputs: Inputs, settings: Settings, sampled: str = "", requests: Sequence[Request] = (), noted: bool = False
) -> Sequence[Outcome]:
    """Every run under every set of judgments; nothing is said of queries that the `sampled` one lacks. Runs in memory
    are warned of only where they are to be `noted`."""
    require_runs(inputs)
    requests = requests or inputs.requests
    if inputs.batched:
        found = evaluate(inputs, requests, settings, digest=True)
        warn_of_evaluated(inputs, found.evaluated, settings, sampled)
        inputs.files.extend(each for each in found.inputs if each.role == "run")
        return found.outcomes
    from irev.evaluation.objects import scored

    made = []
    for judge, judgments in inputs.judged:
        each = zip(called(inputs), inputs.runs, strict=True)
        of_runs = [scored(judgments, run, requests, settings, name, inputs.warn) for name, run in each]
        for name, (found_scores, summary, left_out, facts) in zip(
            names_of(inputs, [scores.tag for scores, *_ in of_runs]), of_runs, strict=True
        ):
            inputs.tell(left_out_notes(left_out, settings, name) if noted else (), settings)
            made.append(Outcome(name, judge, found_scores, summary, facts))
    return made


def on_same_queries(
    inputs: Inputs, requests: Sequence[Request] = (), each_query: bool = False
) -> tuple[Sequence[Outcome], bool]:
    """Every run under every set of judgments, on the queries that all runs have there; and whether some have others,
    which are left out.

    Measured is what was asked for, or `requests`; with `each_query` every query that counts has a value.
    """
    require_runs(inputs)
    requests = requests or inputs.requests
    refuse_idle_scales(inputs, requests)
    if all(is_path(each) for _, each in inputs.judgments):
        inputs = replace(inputs, settings=suited(inputs.settings, requests, inputs.warn))
    settings = inputs.settings
    if inputs.batched:
        found = evaluate(inputs, requests, digest=True, each_query=each_query)
        warn_of_runs(inputs, found)
        kept, left_out = result.on_same_queries(found.outcomes)
        inputs.tell(not_common_notes(left_out))
        inputs.files.extend(found.inputs)
        return kept, bool(left_out)
    for _, judgments in inputs.judged:
        inputs.tell(relevance_notes(judgments, settings, requests), settings)
    if each_query:
        judged = {query for _, judgments in inputs.judged for query in judgments.queries}
        settings = settings.of_every_query(tuple(sorted(judged)))
    kept, left_out = result.on_same_queries(outcomes_of(inputs, settings, requests=requests, noted=True))
    return kept, bool(left_out)


class SingleQueries(NamedTuple):
    """Runs whose single queries are looked at.

    Attributes
    ----------
    judgments : Judgments
    requests : tuple of Request
        The measures that were asked for, or the default one; all of them have a value for a single query.
    runs : tuple of RankedRun
        In the order in which they were given.
    """

    judgments: Judgments
    requests: tuple[Request, ...]
    runs: tuple[RankedRun, ...]


@contextmanager
def single_queries(
    inputs: Inputs, settings: Settings, asked: Sequence[bytes], alone: bool = False, requests: Sequence[Request] = ()
) -> Iterator[SingleQueries]:
    """Every run, of which chosen queries may be had whole within the block; files are warned of at its end.

    Parameters
    ----------
    inputs : Inputs
    settings : Settings
    asked : sequence of bytes
        Queries that somebody named, which have to be judged.
    alone : bool
        Whether no other queries are looked at, so that nothing is said of others.
    requests : sequence of Request
        The measures, where nobody can ask for measures.
    """
    require_runs(inputs)
    requests = tuple(requests) or inputs.of_each_query
    refuse_idle_scales(inputs, requests)
    ((_, judged),) = inputs.judgments
    if is_path(judged):
        settings = suited(settings, requests, inputs.warn)
    judgments = judgments_of(inputs, judged, settings, doubted=False)
    judgments.require_judged(asked)
    ranking_of = settings.of_every_query(tuple(judgments.queries))
    with ExitStack() as opened:
        if inputs.batched:
            runs = _in_files(inputs, judgments, ranking_of, asked if alone else (), opened)
        else:
            from irev.evaluation.objects import ranked_run

            found = [ranked_run(judgments, run, ranking_of, opened, inputs.warn) for run in inputs.runs]
            each = zip(found, called(inputs), strict=True)
            runs = [run if run.path else run._replace(name=name) for run, name in each]
        yield SingleQueries(judgments, requests, tuple(runs))
    refuse_idle_columns(inputs, judgments.named, any(run.reading.named for run in runs))
    notes = judgments_notes if inputs.batched else relevance_notes
    inputs.tell(notes(judgments, settings, requests, not alone), settings)
    for run, name in zip(runs, [run.name for run in runs] if inputs.batched else called(inputs), strict=True):
        inputs.tell(reading_notes(run.reading, name) if inputs.batched else (), settings)
        if not (alone and asked):
            inputs.tell(left_out_notes(run.left_out, settings, name), settings)


def _in_files(
    inputs: Inputs, judgments: Judgments, settings: Settings, chosen: Sequence[bytes], opened: ExitStack
) -> list[RankedRun]:
    """The runs in files, which stay open."""
    from irev.ranking.full import in_file

    sources = [opened.enter_context(Source(path, digest=inputs.digest)) for path in inputs.runs]
    runs = [in_file(judgments, each, settings, chosen) for each in sources]
    inputs.files.extend(Input("run", each.name, *each.digest()) for each in sources if inputs.digest)
    return runs


# Runs side by side, without judgments


def side_by_side(
    inputs: Inputs,
    spec: FusionSpec,
    work: Callable[[Sequence[InputRun], SharedQueries, bool], T],
    fusing: bool = False,
) -> tuple[Sequence[str], T]:
    """The names of the runs, and the result of ``work(runs, shared, whole)``; `fusing` says that these are fused."""
    from irev.ranking.fusion.inputs import in_step_or_whole, of_files

    digest = inputs.digest and not fusing
    with ExitStack() as opened:
        sources: list[Source] = []
        runs: Sequence[Any]
        if inputs.batched:
            sources += [opened.enter_context(Source(path, digest=digest)) for path in inputs.runs]
            runs = [opened.enter_context(each) for each in of_files(sources, spec, inputs.settings)]
        else:
            each = zip(inputs.names, inputs.runs, strict=True)
            runs = [_input_run(inputs, run, name, spec, opened) for name, run in each]

        def read() -> None:
            if inputs.batched:
                refuse_idle_columns(inputs, False, any(each.reading.named for each in runs))

        with inputs.working("fusing" if fusing else "comparing"):
            found, shared = in_step_or_whole(runs, lambda shared, whole: work(runs, shared, whole), read)
        given: Sequence[str] = [each.name for each in runs]
        if inputs.batched and not fusing:
            given = names_of(inputs, [each.reading.tag for each in runs])
        inputs.files.extend(Input("run", each.name, *each.digest()) for each in sources if digest)
    inputs.say([*(fused_notes if fusing else side_by_side_notes)(runs, shared)], len(runs))
    inputs.tell(empty_notes("the fused run" if fusing else "the runs", shared.empty))
    return given, found


def _input_run(inputs: Inputs, run: Any, name: str, spec: FusionSpec, opened: ExitStack) -> InputRun:
    """A run of Python as it is read side by side with others."""
    from irev.evaluation.objects import Run, require_read_alike, rows_of
    from irev.ranking.fusion.inputs import FileRun, MemoryRun

    settings = inputs.settings
    if is_path(run):
        source = opened.enter_context(Source(os.fsdecode(run)))
        return opened.enter_context(FileRun(source, spec, settings, chunks.SIZE))
    if isinstance(run, Run):
        require_read_alike(run, settings)
        held = run.blocks
        return MemoryRun(run.name, lambda: held, spec, settings)
    of = f"run {name}"
    return MemoryRun(of, lambda: rows_of(run, settings, of, inputs.warn), spec, settings)
