"""What the Python functions give to a question: its checked choices, and data in memory or in files.

`MemoryGiven` has judgments and runs, `RunsGiven` runs alone, and `UserData` logs of users and runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from irev import measures as catalogue
from irev.base.choice import choices_of, idle
from irev.base.errors import IrevWarning, UsageError, spoken
from irev.base.kinds import File, Measure, NamedFile
from irev.base.records import cached_property
from irev.base.registry import did_you_mean
from irev.base.settings import DEFAULT_MEASURES, Settings
from irev.base.text import decoded
from irev.doors.api.inputs import (
    Judged,
    Path,
    Retrieved,
    Run,
    first_of,
    judgments_of,
    ranked_run,
    require_read_alike,
    rows_of,
    scored,
)
from irev.doors.api.options import (
    Options,
    ReadingOptions,
    named_otherwise,
    names_of_measures,
    no_value,
    path_in_list,
    path_of,
    requests_of_single_queries,
    settings_of,
    warned,
    warned_of,
)
from irev.evaluation import few_documents
from irev.evaluation.files import FirstDocuments, names_of
from irev.evaluation.notes import (
    Note,
    judgments_notes,
    lacking_notes,
    left_out_notes,
    not_common_notes,
    reading_notes,
    relevance_notes,
)
from irev.evaluation.result import Input, Outcome, on_same_queries
from irev.evaluation.scores import suited
from irev.measures import Request
from irev.questions.question import PREDICTED, SingleQueries, question_of
from irev.questions.shared import NO_TEXTS
from irev.reading import chunks
from irev.reading.judgments import Judgments
from irev.reading.sources import Source

if TYPE_CHECKING:
    from irev.evaluation.unjudged import CoveredRuns
    from irev.ranking.fusion import FusionSpec
    from irev.ranking.fusion.inputs import InputRun, SharedQueries


T = TypeVar("T")


def ask(command: str, about: Any, arguments: Mapping[str, Any], **made: Any) -> Any:
    """The finding of the question of a command, asked `about` what is given.

    Its choices are arguments of its function, and what was made of others; files and measures are for what is given.
    See `checked_record`.
    """
    asked = question_of(*command.split())
    return asked.answer(about, checked_record(asked.choices, arguments, arguments, **made))


def checked_record(record: type, given: Mapping[str, Any], offered: Container[str], **made: Any) -> Any:
    """A record of choices, from arguments of a function, which has those `offered`, and what was made of others.

    A parameter is called like the choice, or like its option.

    Raises
    ------
    UsageError
        For a value that a choice cannot have, and a choice that has no effect without another one.
    """
    found = dict(made)
    called, defaults = {}, {}
    for name, about, defaults[name] in choices_of(record):
        called[name] = next((each for each in (name, about.parameter) if each in given), name)
        data = isinstance(about.kind, File | NamedFile) or (isinstance(about.kind, Measure) and about.several)
        if name in made or called[name] not in given or data:
            continue
        value = given[called[name]]
        if value is None and defaults[name] in (None, ()):
            continue
        try:
            found[name] = about.kind.check(value)
        except ValueError as error:
            wrong, words = no_value(called[name], value, str(error)), getattr(about.kind, "words", ())
            raise UsageError(wrong.fact, remedy=did_you_mean(str(value), words, wrong.remedy)) from None
    usual = {name: (None, (), "", default) for name, default in defaults.items()}

    def present(name: str) -> bool:
        value = given.get(called.get(name, name))  # perhaps a data frame, which is equal to nothing
        known = usual.get(name, (None,))  # a setting is no choice of the record
        return not any(type(value) is type(each) and value == each for each in known)

    def taken(name: str) -> Any:
        return found.get(name, given.get(called[name]))

    for fact in idle(record, present, taken, lambda name: called[name] in offered):
        raise UsageError(spoken(fact, lambda name: called.get(name, name)))
    return record(**found)


class MemoryGiven:
    """Judgments and runs by their names, in memory or as paths: what a question is asked about in Python."""

    inputs: Sequence[Input] = ()
    texts = NO_TEXTS

    def __init__(
        self,
        judgments: Mapping[str, Judged] | Iterable[Path],
        runs: Mapping[str, Retrieved] | Iterable[Path] | None,
        measures: str | Iterable[str],
        options: Options | ReadingOptions,
        known: type = Options,
    ) -> None:
        self.settings = settings_of(options, known)
        self.has_runs = runs is not None
        self._judgments = _named("judgments", judgments)
        self._runs, self._named = [] if runs is None else _named("runs", runs), isinstance(runs, Mapping)
        self.run_count = len(self._runs)
        self._measures = tuple(names_of_measures(measures))

    @cached_property
    def judgments(self) -> list[tuple[str, Judgments]]:
        """Every set of judgments, read, with its name."""
        return [(name, few_documents.indexed(judgments_of(each, self.settings))) for name, each in self._judgments]

    @cached_property
    def requests(self) -> Sequence[Request]:
        """The measures that were asked for, or the usual ones."""
        return catalogue.parse([each for each in self._measures if each] or DEFAULT_MEASURES, self.settings.compat)

    def names(self, tags: Sequence[bytes]) -> Sequence[str]:
        """What the runs are called; those given as paths alone by their run ids, which these are."""
        if self._named:
            return [name for name, _ in self._runs]
        paths = [os.fsdecode(path) for _, path in self._runs]
        return names_of(paths, [*map(decoded, tags)], (), lambda note: None)

    @cached_property
    def of_each_query(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the usual one, where each needs a value for a single query."""
        return requests_of_single_queries(self._measures, self.settings.compat)

    def outcomes(
        self, settings: Settings, sampled: str = "", requests: Sequence[Request] = (), noted: bool = False
    ) -> list[Outcome]:
        """Every run under every set of judgments; with a warning of queries that are left out, if that is wanted."""
        self._require_runs()
        outcomes = []
        for judge, judgments in self.judgments:
            evaluated = [scored(judgments, run, requests or self.requests, settings, name) for name, run in self._runs]
            names = self.names([found.tag for found, *_ in evaluated])
            for name, (found, of_all, left_out, facts) in zip(names, evaluated, strict=True):
                warned_of(left_out_notes(left_out, settings, name) if noted else (), settings)
                outcomes.append(Outcome(name, judge, found, of_all, facts))
        return outcomes

    def on_same_queries(
        self, requests: Sequence[Request] = (), each_query: bool = False
    ) -> tuple[Sequence[Outcome], bool]:
        """Every run under every set of judgments, on the queries that all runs have there; and whether some have
        others, which are left out."""
        self._require_runs()
        requests = requests or self.requests
        if all(isinstance(each, str | os.PathLike) for _, each in self._judgments):
            self.settings = suited(self.settings, requests, warned)
        settings = self.settings
        for _, judgments in self.judgments:
            warned_of(relevance_notes(judgments, settings, requests), settings)
        if each_query:
            judged = {query for _, judgments in self.judgments for query in judgments.queries}
            settings = settings.of_every_query(tuple(sorted(judged)))
        outcomes, left_out = on_same_queries(self.outcomes(settings, requests=requests, noted=True))
        return outcomes, bool(left_out)

    def _require_runs(self) -> None:
        if not self._runs:
            raise UsageError("there are no runs", remedy="give at least one run")

    def first_documents(self, most: int | None) -> tuple[Sequence[str], Sequence[FirstDocuments]]:
        """What the runs are called, and their first documents of each query, or all; nothing is said of them yet."""
        self._require_runs()
        read = [first_of(run, name, self.settings, most) for name, run in self._runs]
        names = self.names([reading.tag for _, reading in read])
        return names, [FirstDocuments(name, *each) for name, each in zip(names, read, strict=True)]

    def say(self, notes: Sequence[Note], runs: int = 1) -> None:
        """Warn of something, that was noted of so many runs."""
        warned_of(notes)

    def cover(self, most: int) -> CoveredRuns:
        """Every run with its first documents of each query, and what is not judged of them; files alone."""
        from irev.evaluation.unjudged import cover

        settings = suited(self.settings, self.requests, warned)
        ((_, judged),) = self._judgments
        self._require_runs()
        paths = [path_of("a run", run) for _, run in self._runs]
        names = [name for name, _ in self._runs] if self._named else ()
        found = cover(path_of("qrels", judged), paths, self.requests, settings, names=names, most=most, jobs=1)
        warned_of(judgments_notes(found.judgments, settings, self.requests), settings)
        for run in (each.evaluated for each in found.runs):
            warned_of(reading_notes(run.reading, run.name), settings)
            warned_of(left_out_notes(run.left_out[0], settings, run.name), settings)
        warned_of(not_common_notes(found.some))
        return found

    @contextmanager
    def single_queries(
        self, settings: Settings, asked: Sequence[bytes], alone: bool = False, requests: Sequence[Request] = ()
    ) -> Iterator[SingleQueries]:
        """Every run, of which chosen queries may be had whole within the block."""
        self._require_runs()
        requests = tuple(requests) or self.of_each_query
        ((_, judged),) = self._judgments
        if isinstance(judged, str | os.PathLike):
            settings = suited(settings, requests, warned)
        judgments = few_documents.indexed(judgments_of(judged, settings))
        warned_of(relevance_notes(judgments, settings, requests, not alone), settings)
        judgments.require_judged(asked)
        ranking_of = settings.of_every_query(tuple(judgments.queries))
        with ExitStack() as opened:
            runs = []
            for name, given in self._runs:
                run = ranked_run(judgments, given, ranking_of, opened)
                runs.append(run if run.path else run._replace(name=name))
                if not (alone and asked):
                    warned_of(left_out_notes(run.left_out, settings, name), settings)
            yield SingleQueries(judgments, requests, tuple(runs))


class BothJudged(MemoryGiven):
    """Runs under human and predicted judgments."""

    has_judgments = True

    def __init__(self, judgments: Mapping[str, Any], *given: Any) -> None:
        if isinstance(judgments[PREDICTED], list):
            fact = "predicted takes the judgments of one model"
            raise UsageError(fact, remedy="judges(…, prefer='mean').merged makes one set of several")
        super().__init__(judgments, *given)

    def beside(self, predicted: str) -> MemoryGiven:
        """The same: both sets of judgments are there already."""
        return self


class ResultsGiven:
    """Saved results."""

    def warn(self, message: str) -> None:
        """Warn of files that are left out."""
        warned(message, IrevWarning)


class RunsGiven:
    """Runs without judgments, in memory or as paths, by names or their numbers, which are read side by side."""

    inputs: Sequence[Input] = ()
    width = None

    def __init__(self, runs: Mapping[str, Retrieved] | Sequence[Retrieved], settings: Settings) -> None:
        self._runs = runs if isinstance(runs, Mapping) else {str(each): run for each, run in enumerate(runs, start=1)}
        self.settings, self.run_count = settings, len(runs)

    def side_by_side(
        self, spec: FusionSpec, work: Callable[[Sequence[InputRun], SharedQueries, bool], T], fusing: bool = False
    ) -> tuple[Sequence[str], T]:
        """The names of the runs, and what ``work(runs, shared, whole)`` makes of them."""
        from irev.ranking.fusion.inputs import FileRun, in_step_or_whole

        with ExitStack() as opened:
            runs = [_input_of(run, name, spec, self.settings, opened) for name, run in self._runs.items()]
            found, shared = in_step_or_whole(runs, lambda shared, whole: work(runs, shared, whole))
        for each, queries in zip(runs, shared.lacking, strict=True):
            warned_of(reading_notes(each.reading, each.name) if isinstance(each, FileRun) else ())
            warned_of(lacking_notes(each.name, queries))
        return [run.name for run in runs], found


def _input_of(run: Retrieved, name: str, spec: FusionSpec, settings: Settings, opened: ExitStack) -> InputRun:
    """A run as it is read side by side with others."""
    from irev.ranking.fusion.inputs import FileRun, MemoryRun

    if isinstance(run, str | os.PathLike):
        source = opened.enter_context(Source(os.fsdecode(run)))
        return opened.enter_context(FileRun(source, spec, settings, chunks.SIZE))
    if isinstance(run, Run):
        require_read_alike(run, settings)
        held = run.blocks
        return MemoryRun(run.name, lambda: held, spec, settings)
    return MemoryRun(f"run {name}", lambda: rows_of(run, settings, f"run {name}"), spec, settings)


def _named(what: str, given: Mapping[str, Any] | Iterable[Path]) -> list[tuple[str, Any]]:
    """What was given by names, or paths by the names of their files."""
    if isinstance(given, Mapping):
        return [*given.items()]
    paths = [path_in_list(what, path) for path in given]
    names = [os.path.basename(path) for path in paths]
    if what == "judgments" and len({*names}) < len(names):  # runs have run ids
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise UsageError(f"two judges are called {again!r}", remedy=named_otherwise(what))
    return [*zip(names, paths, strict=True)]
