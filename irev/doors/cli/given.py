"""What a command gives to a question: judgments and runs in files, evaluated or read with progress, and its notes.

Notes are warnings on standard error; one that is true of many runs is written once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from irev.base.errors import printable, shown
from irev.base.records import cached_property
from irev.base.settings import DEFAULT_MEASURES, DRAWN_MEASURES, Settings, policy_of
from irev.base.text import decoded, encoded
from irev.doors.cli.options import Running, refuse_evaluating, refuse_idle_columns, refuse_idle_scales, runs_of
from irev.doors.cli.streams import progress_of, terminal, warn, working
from irev.evaluation.notes import (
    Note,
    doubt_notes,
    empty_notes,
    filled_notes,
    fused_notes,
    group_notes,
    heeded,
    judgments_notes,
    left_out_notes,
    not_common_notes,
    reading_notes,
    side_by_side_notes,
    tie_notes,
)
from irev.output.styles import needs_inputs
from irev.questions import question
from irev.questions.question import SingleQueries
from irev.reading.sources import Source

if TYPE_CHECKING:
    from irev.evaluation.batch import Evaluated, Work
    from irev.evaluation.comparison import Aligned, Quantity, System
    from irev.evaluation.comparison.systems import Gathered
    from irev.evaluation.files import FirstDocuments, Runs
    from irev.evaluation.result import Input, Outcome, Result
    from irev.evaluation.unjudged import CoveredRuns
    from irev.measures import Request
    from irev.questions.shared import Texts
    from irev.ranking.fusion import FusionSpec
    from irev.ranking.fusion.inputs import InputRun, SharedQueries
    from irev.reading.judgments import Judgments

T = TypeVar("T")

SHARED = 3
"""A note about more runs than this is written once, without their names, unless --all-warnings is given."""


def flag_of(ctx: click.Context, name: str) -> str:
    """What the command line calls a choice."""
    flags = (flag for each in ctx.command.params if each.name == name for flag in each.opts if flag.startswith("--"))
    return next(flags, "RUN")


class FilesGiven:
    """Judgments and runs in files: what a question is asked about on the command line."""

    def __init__(
        self,
        ctx: click.Context,
        sets: Sequence[tuple[str, str]],
        runs: Sequence[str],
        measures: Sequence[str] | None,
        running: Running,
        settings: Settings,
        texts: Texts | None = None,
        quiet: bool = False,
        style: str = "json",
    ) -> None:
        self._ctx, self._sets, self._runs, self._measures, self._running = ctx, sets, runs, measures or (), running
        self._evaluates = measures is not None
        self._quiet = quiet  # somebody else has said of the files what there is to be said
        self._style = style
        self.read: tuple[str, ...] = ()
        self.written: Mapping[str, str | None] = {}
        self.warnings: Sequence[str] = ()
        self.settings, self._texts = settings, texts
        self.styles: Sequence[str] = (style,)
        self.sort: str | None = None
        self.inputs: list[Input] = []
        self.has_runs, self.has_judgments, self.run_count = bool(runs), bool(sets), len(runs)

    @property
    def texts(self) -> Texts:
        """The files that have texts."""
        from irev.questions.shared import NO_TEXTS

        return self._texts or NO_TEXTS

    @cached_property
    def judgments(self) -> list[tuple[str, Judgments]]:
        """Every set of judgments, with its name, in the order of the command line."""
        if self.has_runs and self._evaluates and "-" in (path for _, path in self._sets):
            fact = "with runs the judgments are read twice, which standard input does not allow"
            raise click.UsageError(fact, self._ctx)
        found = [(name, self.judged(path, name)) for name, path in self._sets]
        if not self.has_runs:
            refuse_idle_columns(self._ctx, any(each.named for _, each in found), False)
        return found

    def judged(self, file: str, name: str = "") -> Judgments:
        """The judgments of a file, or of one judge there; warns if they look like something else, such as a run."""
        judgments = self._read(file, self.settings, name)
        say_each(heeded(doubt_notes(judgments.name, judgments.doubts, judgments.details), self.settings))
        return judgments

    def _read(self, path: str, settings: Settings, name: str = "") -> Judgments:
        """The judgments of a file, which is kept with its hash where the style says what files were."""
        from irev.evaluation.result import Input
        from irev.reading import qrels

        digest = needs_inputs(self._style)
        with Source(path, digest=digest) as source:
            judgments = qrels.read(source, settings, rater=name)
            self.inputs += [Input("qrels", source.name, *source.digest())] if digest else []
        return judgments

    @cached_property
    def requests(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the usual ones."""
        from irev import measures as catalogue

        requests = tuple(catalogue.parse(self._measures or DEFAULT_MEASURES, self.settings.compat, warn))
        refuse_idle_scales(self._ctx, requests)
        return requests

    @cached_property
    def of_each_query(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the usual one, where each needs a value for a single query."""
        return self.of_single_queries(self._measures)

    def of_single_queries(self, measures: Sequence[str]) -> tuple[Request, ...]:
        """Some measures, or the usual one, where each needs a value for a single query."""
        from irev.measures.request import requests_of

        requests = requests_of(measures, self.settings.compat, self.warn)
        refuse_idle_scales(self._ctx, requests)
        return requests

    def of_collection(self, name: str, qrels: str, runs: Sequence[str], called: Sequence[str]) -> FilesGiven:
        """The same with other files: one set of judgments and its runs, which are called so, or by their run ids."""
        running, found = replace(self._running, names_given=tuple(called)), runs_of(runs, self._ctx)
        return FilesGiven(self._ctx, ((name, qrels),), found, self._measures, running, self.settings, style=self._style)

    def measured(self, aggregates: Sequence[str], bounds: bool, unjudged: str | None) -> tuple[Request, ...]:
        """The measures that were asked for, or trec_eval's, with other aggregates, bounds, and expected values."""
        from irev import measures as catalogue
        from irev.evaluation.scores import suited
        from irev.measures.request import bootstrapped

        names = self._measures if unjudged is None else bootstrapped(self._measures, self.settings.compat, warn)
        requests = tuple(catalogue.parse(names, self.settings.compat, warn, tuple(aggregates), bounds))
        if self.settings.query_weights is not None and not aggregates:
            requests = catalogue.weighted(requests)
        self.settings = suited(self.settings, requests, warn)
        refuse_idle_scales(self._ctx, requests)
        return requests

    def evaluated(
        self,
        requests: Sequence[Request],
        settings: Settings | None = None,
        beside: Sequence[str] = (),
        groups: str | None = None,
        **how: Any,
    ) -> Runs:
        """Evaluate every run under every set of judgments, with progress, as the options of `RUNNING` say; see
        `irev.evaluation.files.evaluate_files`."""
        from irev.evaluation.files import Files, evaluate_files

        running = self._running
        found = evaluate_files(
            Files(self._sets, self._runs, running.names_given, beside, groups),
            requests,
            settings or self.settings,
            jobs=running.jobs,
            executor=running.executor,
            wait=running.wait,
            skip_broken=running.skip_broken,
            warn=warn,
            watched=lambda batch, paths: progress_of(batch, paths, running.quiet),
            **how,
        )
        retrieved = any(each.reading.named for each in found.evaluated)
        refuse_idle_columns(self._ctx, any(each.named for each in found.judgments), retrieved)
        say_each(group_notes(found.outcomes, found.ungrouped))
        return found

    def note(self, found: Runs, ties: bool = False, settings: Settings | None = None) -> None:
        """Warn of what the numbers do not show, and of ties, if that is wanted."""
        settings, requests = settings or self.settings, [column.request for column in found.outcomes[0].scores.columns]
        for each in found.judgments:
            say_each(heeded(judgments_notes(each, settings, requests), settings))
        self.note_evaluated(found.evaluated, settings)
        self.say([*tie_notes(found.judgments, found.outcomes, settings, ties)], len(found.outcomes))

    def note_evaluated(self, evaluated: Sequence[Evaluated], settings: Settings, sampled: str = "") -> None:
        """Write what was noted when runs were read, and the queries left out under each set of judgments.

        `sampled` names a set that judges only a sample: queries without judgments there are not mentioned.
        """
        notes: list[Note] = []
        for run in evaluated:
            notes += reading_notes(run.reading, run.name)
            for (name, _), left_out in zip(self._sets, run.left_out, strict=True):
                called = f"{run.name} under {name}" if len(self._sets) > 1 else run.name
                some = replace(left_out, not_judged=()) if sampled and name == sampled else left_out
                notes += left_out_notes(some, settings, called)
        self.say(notes, len(evaluated) * max(len(self._sets), 1))

    def outcomes(self, settings: Settings, sampled: str = "") -> Sequence[Outcome]:
        """Every run under every set of judgments; nothing is said of queries that the `sampled` one lacks."""
        found = self.evaluated(self.requests, settings, digest=True)
        self.note_evaluated(found.evaluated, settings, sampled)
        self.inputs += [each for each in found.inputs if each.role == "run"]
        return found.outcomes

    def beside(self, predicted: str) -> FilesGiven:
        """The same with two sets of judgments, of which the second is this file."""
        ((_, human),) = self._sets
        return FilesGiven(
            self._ctx,
            ((question.HUMAN, human), (question.PREDICTED, predicted)),
            self._runs,
            self._measures,
            self._running,
            self.settings,
            self._texts,
            self._quiet,
            self._style,
        )

    def again(
        self, sets: Sequence[tuple[str, str]], runs: Sequence[str] = (), requests: Sequence[Request] = ()
    ) -> FilesGiven:
        """Sets of judgments alone, or with runs that were evaluated by these measures, of which all has been said."""
        measures = [request.standard for request in requests]
        found = FilesGiven(self._ctx, sets, runs, measures, self._running, self.settings, quiet=bool(runs))
        if requests:
            found.requests = tuple(requests)
        return found

    def saved(self, path: str) -> tuple[Result, str]:
        """A saved result with the values of single queries, and what messages call it."""
        from irev.evaluation import saved

        refuse_evaluating(self._ctx)
        with Source(path) as source:
            result = saved.read(source, warn=warn)
        saved.require_queries(result, source.name)
        return result, source.name

    def of_each_run(self, task: Work[T], paths: Sequence[str]) -> list[T]:
        """What a task makes of each of some runs, with progress shown."""
        from irev.evaluation.batch import Batch, Skipping, local, without_broken

        skip = self._running.skip_broken
        batch: Batch[Any] = Batch(Skipping(task) if skip else task, paths, local(paths, self._running.jobs))
        with progress_of(batch, paths, self._running.quiet):
            found = list(batch.results())
        if not skip:
            return found
        kept, self._runs = without_broken(found, paths, warn)
        self.run_count = len(kept)
        return kept

    def first_of(self, paths: Sequence[str], most: int | None, digest: bool) -> list[FirstDocuments]:
        """The first `most` documents of every query of some runs, or all; files with their hashes are kept."""
        from irev.evaluation.files import FirstDocumentsTask
        from irev.evaluation.result import Input

        found = self.of_each_run(FirstDocumentsTask(self.settings, most, digest), paths)
        self.inputs += [Input("run", run.name, *run.digest) for run in found if run.digest is not None]
        return found

    @property
    def digits(self) -> int:
        """How many follow the point in sentences and on pages."""
        found: int = self._ctx.params["digits"]
        return found

    @property
    def typed(self) -> str:
        """The command line."""
        import shlex  # which no evaluation needs

        return printable(encoded(shlex.join(["irev", self._ctx.info_name or "", *self._ctx.obj])))

    def warn(self, message: str) -> None:
        """Tell of what is doubtful."""
        warn(message)

    def systems(self, unjudged: str | None = None) -> Gathered:
        """Every run, with its values of the same queries, expected ones where grades of `unjudged` are drawn."""
        if self.has_judgments:
            return self._evaluated_systems(unjudged)
        if unjudged is not None:
            fact = "saved results have no documents whose grades could be drawn"
            raise click.UsageError(f"{fact}; give judgments and runs, or leave out --unjudged", self._ctx)
        return self._saved_systems()

    def _saved_systems(self) -> Gathered:
        """The runs in files of saved results."""
        from irev.base.directions import directions_in
        from irev.evaluation.comparison.systems import Gathered, policy_of_saved, read, wanted

        if not self._runs:
            raise click.BadArgumentUsage("expected QRELS and RUNs, or saved results", self._ctx)
        if self.settings.queries != "both":
            fact = "for saved results, --queries is qrels (all queries) or both (queries that all have)"
            raise click.UsageError(fact, self._ctx)
        refuse_evaluating(self._ctx)
        saved = read(self._runs, self._running.names_given, warn, directions_in(self._measures))
        for note in saved.notes:
            warn(note)
        policy = policy_of_saved(saved.systems, not self.settings.complete)
        aligned = _comparable(saved.systems, wanted(saved.systems, self._measures), self.settings)
        return Gathered(aligned, policy, saved.inputs, saved.files, saved.notes)

    def _evaluated_systems(self, unjudged: str | None) -> Gathered:
        """The runs in files, evaluated."""
        from irev import measures as catalogue
        from irev.evaluation.comparison import systems
        from irev.evaluation.comparison.systems import Gathered, asked, holds_pairs, left_out_measures, of_outcome
        from irev.evaluation.scores import suited
        from irev.measures.request import bootstrapped, warn_of_aggregates

        ((_, judged),) = self._sets
        if self.settings.qrels_format is None and holds_pairs(judged):
            fact = f"'{judged}' has lines of a query and a value, which are no judgments"
            raise click.UsageError(f"{fact}; add --scores to compare values", self._ctx)
        measures, compat = self._measures or DEFAULT_MEASURES, self.settings.compat
        if unjudged is not None:
            measures = bootstrapped(self._measures or DRAWN_MEASURES, compat, warn)
        quantities = asked(measures, compat)
        requests = catalogue.parse(measures, compat, warn)
        warn_of_aggregates(requests, warn)
        settings = suited(self.settings, requests, warn)
        refuse_idle_scales(self._ctx, requests)
        notes = tuple(left_out_measures(requests, quantities))
        for note in notes:
            warn(note)
        found = self.evaluated(requests, settings, digest=True, unjudged=True)
        systems.require_common(found.outcomes)
        self.note(found, settings=settings)
        aligned = _comparable([of_outcome(outcome) for outcome in found.outcomes], quantities, settings)
        return Gathered(aligned, policy_of(settings, _shared(settings)), found.inputs, tuple(self._runs), notes)

    def collections(self, path: str) -> Iterator[tuple[str, str, Gathered]]:
        """The name, the group and the runs of each collection in a file."""
        from irev.evaluation.collections import read

        for each in read(path):
            yield each.name, each.group, self.of_collection(each.name, each.qrels, each.runs, each.called).systems()

    def names(self, tags: Sequence[bytes]) -> Sequence[str]:
        """What the runs are called, of which these are the run ids."""
        from irev.evaluation.files import names_of

        return names_of(self._runs, [*map(decoded, tags)], self._running.names_given, warn)

    def working(self, on: str) -> AbstractContextManager[None]:
        """Shows, as long as the block takes, what is worked on."""
        return working(on, self._running.quiet)

    def on_same_queries(
        self, requests: Sequence[Request] = (), each_query: bool = False
    ) -> tuple[Sequence[Outcome], bool]:
        """Every run under every set of judgments, on the queries that all runs have there; and whether some have
        others, which are left out."""
        from irev.evaluation.result import on_same_queries
        from irev.evaluation.scores import suited

        requests = requests or self.requests
        refuse_idle_scales(self._ctx, requests)
        settings = suited(self.settings, requests, warn)
        found = self.evaluated(requests, settings, digest=True, each_query=each_query)
        self.note(found, settings=settings)
        outcomes, left_out = on_same_queries(found.outcomes)
        say_each(not_common_notes(left_out))
        self.inputs += found.inputs
        return outcomes, bool(left_out)

    @property
    def width(self) -> int | None:
        """The columns of the terminal that is written to, if it is one."""
        return terminal()[0]

    def side_by_side(
        self, spec: FusionSpec, work: Callable[[Sequence[InputRun], SharedQueries, bool], T], fusing: bool = False
    ) -> tuple[Sequence[str], T]:
        """The names of the runs, and what ``work(runs, shared, whole)`` makes of them; whether that is fusing them."""
        from irev.evaluation.result import Input
        from irev.ranking.fusion.inputs import in_step_or_whole, of_files

        digest = not fusing and needs_inputs(self._style)
        with ExitStack() as opened:
            sources = [opened.enter_context(Source(path, digest=digest)) for path in self._runs]
            runs = [opened.enter_context(each) for each in of_files(sources, spec, self.settings)]

            def read() -> None:
                refuse_idle_columns(self._ctx, False, any(each.reading.named for each in runs))

            with working("fusing" if fusing else "comparing", self._running.quiet):
                found, shared = in_step_or_whole(runs, lambda shared, whole: work(runs, shared, whole), read)
            names = [each.name for each in runs] if fusing else self.names([each.reading.tag for each in runs])
            self.inputs += [Input("run", each.name, *each.digest()) for each in sources if digest]
        notes = fused_notes if fusing else side_by_side_notes
        self.say([*notes(runs, shared)], len(runs))
        say_each(empty_notes("the fused run" if fusing else "the runs", shared.empty))
        return names, found

    def cover(self, most: int) -> CoveredRuns:
        """Every run with its first documents of each query, and what is not judged of them."""
        from irev.evaluation.scores import suited
        from irev.evaluation.unjudged import cover

        settings = suited(self.settings, self.requests, warn)
        ((_, judged),) = self._sets
        found = cover(
            judged,
            self._runs,
            self.requests,
            settings,
            names=self._running.names_given,
            most=most,
            jobs=self._running.jobs,
            warn=warn,
            watched=lambda batch, some: progress_of(batch, some, self._running.quiet),
        )
        evaluated = [each.evaluated for each in found.runs]
        if not self._quiet:
            say_each(heeded(judgments_notes(found.judgments, settings, self.requests), settings))
            self.note_evaluated(evaluated, settings)
            say_each(not_common_notes(found.some))
        refuse_idle_columns(self._ctx, found.judgments.named, any(each.reading.named for each in evaluated))
        return found

    @contextmanager
    def single_queries(
        self, settings: Settings, asked: Sequence[bytes], alone: bool = False, requests: Sequence[Request] = ()
    ) -> Iterator[SingleQueries]:
        """Every run, of which chosen queries may be had whole within the block; what is said of files is said last."""
        from irev.evaluation.result import Input
        from irev.evaluation.scores import suited
        from irev.ranking.full import in_file

        requests, digest = tuple(requests) or self.of_each_query, needs_inputs(self._style)
        refuse_idle_scales(self._ctx, requests)
        settings = suited(settings, requests, warn)
        ((_, judged),) = self._sets
        judgments = self._read(judged, settings)
        judgments.require_judged(asked)
        ranking_of = settings.of_every_query(tuple(judgments.queries))
        with ExitStack() as opened:
            sources = [opened.enter_context(Source(path, digest=digest)) for path in self._runs]
            runs = [in_file(judgments, each, ranking_of, asked if alone else ()) for each in sources]
            self.inputs += [Input("run", each.name, *each.digest()) for each in sources if digest]
            yield SingleQueries(judgments, requests, tuple(runs))
        refuse_idle_columns(self._ctx, judgments.named, any(run.reading.named for run in runs))
        say_each(heeded(judgments_notes(judgments, settings, requests, not alone), settings))
        for run in runs:
            say_each(heeded(reading_notes(run.reading, run.name), settings))
            if not (alone and asked):
                say_each(heeded(left_out_notes(run.left_out, settings, run.name), settings))

    def first_documents(self, most: int | None) -> tuple[Sequence[str], Sequence[FirstDocuments]]:
        """What the runs are called, and their first documents of each query, or all; nothing is said of them yet."""
        judged = any(each.named for _, each in self.judgments)
        found = self.first_of(self._runs, most, needs_inputs(self._style))
        refuse_idle_columns(self._ctx, judged, any(each.reading.named for each in found))
        return self.names([each.reading.tag for each in found]), found

    def around(self, found: Any) -> AbstractContextManager[None]:
        """Writes and tells what else there is, before and after the block in which the finding is shown."""
        return nullcontext()

    def say(self, notes: Sequence[Note], runs: int = 1) -> None:
        """Warn of notes about some of so many runs; a note that many runs share is one line, before all others, unless
        --all-warnings is given."""
        everything, about = self._running.all_warnings, dict[str, set[str]]()
        for note in heeded(notes, self.settings):
            about.setdefault(note.shared, set()).add(note.run)
        for shared, named in about.items():
            if len(named) > SHARED and not everything:
                warn(f"{len(named)} of {runs} runs {shared}; --all-warnings names them")
        say_each(note for note in notes if everything or len(about[note.shared]) <= SHARED)


def require_names(ctx: click.Context, names: Sequence[str]) -> None:
    """Raise `click.UsageError` for a name that no log may have, and that would be refused where clicks are scored."""
    from irev.reading.formats import FORGING

    for name in names:
        if not name or re.search(FORGING, name):
            fact = f"{shown(encoded(name))} of --name is empty, contains a control character, or has a blank at an end"
            raise click.UsageError(f"{fact}; choose another", ctx)


def say_each(notes: Iterable[Note]) -> None:
    """Write each note as a warning."""
    for note in notes:
        warn(f"{note.run}{note.said}")


def _comparable(systems: Sequence[System], quantities: Sequence[Quantity], settings: Settings) -> Aligned:
    """The systems on the same queries; warns of queries that are left out or count as 0."""
    from irev.evaluation.comparison import align

    aligned = align(systems, quantities, both=_shared(settings))
    say_each(filled_notes(aligned.filled, aligned.left_out))
    return aligned


def _shared(settings: Settings) -> bool:
    """Whether queries that not all runs have are left out."""
    return settings.queries == "both" and not settings.complete
