"""The command of a question: its options, its help and its refusals are derived from the record of its choices."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import click

from irev.base.choice import Choice, choices_of, idle
from irev.base.kinds import File, Grades, JudgmentsOrRuns, Kind, NamedFile, NewFile, RunFile, RunFiles, RunsOrResults
from irev.base.settings import ABOUT, Settings
from irev.base.text import decoded
from irev.doors.cli import options
from irev.doors.cli.evaluating import evaluate_runs, files_of, note_evaluated, note_runs, runs_of, settings_of
from irev.doors.cli.help import Command
from irev.doors.cli.idle import GIVEN, refuse_idle_columns, refuse_idle_in, refuse_idle_scales
from irev.doors.cli.online import UserFiles, require_names
from irev.doors.cli.systems import are_saved, evaluated_systems, saved_systems
from irev.errors import option, spoken
from irev.output.styles import LOG
from irev.questions import question
from irev.questions.texts import NO_TEXTS, Texts

if TYPE_CHECKING:
    from irev.analysis.comparison.systems import Gathered
    from irev.doors.cli.options import Running
    from irev.evaluation.first_documents import FirstDocuments
    from irev.evaluation.notes import Note
    from irev.evaluation.result import Input, Outcome
    from irev.evaluation.unjudged import CoveredRuns
    from irev.measures import Request
    from irev.questions.question import Question, SingleQueries
    from irev.ranking.fusion.inputs import InputRun
    from irev.ranking.fusion.shared_queries import SharedQueries
    from irev.ranking.fusion.spec import FusionSpec
    from irev.reading.judgments import Judgments

T = TypeVar("T")

SHARED = {
    question.RUNNING: options.RUNNING,
    question.REPORTING: options.REPORTING,
    question.MEASURING: options.MEASURING,
    question.READING: options.READING,
    question.NAMING: options.NAMING,
    question.TEXTS: options.options_of(Texts),
    question.EVERY_QUERY: options.EVERY_QUERY,
    question.COMPARING: options.COMPARING,
    question.ELSEWHERE: options.ELSEWHERE,
    question.WRITING: (options.OUTPUT,),
    question.RUN_READING: options.RUN_READING,
    question.LISTS: options.LISTS,
    question.PROGRESS: (options.QUIET,),
}
"""The options of groups that questions share."""


def command_of(asked: Question) -> click.Command:
    """The command that asks a question: its files, its own options, and those of its groups."""
    own = [*choices_of(asked.choices)]
    shared = click.Command("shared")
    groups = (SHARED.get(name) or (options.setting_option(name),) for name in asked.shared)
    options.settings_options(*groups)(shared)
    return Command(
        asked.name,
        params=[
            *(_argument(asked, word, *each) for word, each in zip(asked.arguments, own, strict=False)),
            *(options.option_of(*each) for each in own[len(asked.arguments) :]),
            *reversed(shared.params),
        ],
        callback=click.pass_context(lambda ctx, /, **values: _answer(ctx, asked, values)),
        help=asked.about,
        short_help=asked.says,
        epilog=asked.example,
    )


def _argument(asked: Question, word: str, name: str, about: Choice, default: Any) -> click.Argument:
    """The files that a command takes, or one of them."""
    nargs, required = -1 if question.takes_several(word) else 1, asked.arguments != (word,) and not _rankings(asked)
    return click.Argument([name], metavar=word, nargs=nargs, required=required, type=options.Typed(about.kind))


def _rankings(asked: Question) -> list[str]:
    """The choices of a question that are a ranking, which stands for all files."""
    return [name for name, about, _ in choices_of(asked.choices) if isinstance(about.kind, Grades)]


def _require_files(ctx: click.Context, own: Mapping[str, Any], ranking: str | None) -> None:
    """Raise `click.UsageError` where a file is missing, and where one is given beside a ranking that stands for it."""
    for each in ctx.command.params:
        if isinstance(each, click.Argument) and each.nargs == 1:
            given = own.get(str(each.name)) is not None
            if given and ranking:
                raise click.UsageError(f"{_flag(ctx, ranking)} stands for {each.metavar}; give one of the two", ctx)
            if not given and not ranking:
                raise click.MissingParameter(ctx=ctx, param=each)


class QuestionGroup(click.Group):
    """Questions that are one group: ``irev online ab``; each is imported when it is needed."""

    def __init__(self, name: str, questions: Sequence[str]) -> None:
        about = importlib.import_module(f"{question.folder_of(name)}.choices").ABOUT
        super().__init__(name, help=about, context_settings={"help_option_names": ["-h", "--help"]})
        self._questions = questions

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._questions]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._questions:
            return None
        return command_of(importlib.import_module(f"{question.folder_of(str(self.name), cmd_name)}.choices").QUESTION)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self._questions and not ctx.resilient_parsing:
            from difflib import get_close_matches

            from irev.base import glossary

            meant = [each for each in glossary.commands(args[0]) if each.startswith(f"{ctx.command_path} ")]
            near = meant or [f"{ctx.command_path} {one}" for one in get_close_matches(args[0], self._questions, n=1)]
            listed = " or ".join(f"'{each}'" for each in near)
            remedy = f"did you mean {listed}?" if near else f"there are {', '.join(self._questions)}"
            raise click.UsageError(f"there is no command '{ctx.command_path} {args[0]}'; {remedy}", ctx)
        return super().resolve_command(ctx, args)


def _answer(ctx: click.Context, asked: Question, values: dict[str, Any]) -> int:
    """Ask a question, and show what was found, if there is a style for it; the exit status."""
    from irev.doors.cli.output import ending_of, refuse_clashes, require_new, show, write, write_pieces
    from irev.doors.cli.streams import warn

    declared = {name: about for name, about, _ in choices_of(asked.choices)}
    own = {name: values.pop(name) for name in declared}
    look, running = options.pick(options.Reporting, values), options.pick(options.Running, values)
    look = replace(look, style=own.get("style", look.style), output=own.get("output", look.output))
    texts = options.pick(Texts, values)
    ranking = next((name for name in _rankings(asked) if own[name] is not None), None)
    _require_files(ctx, own, ranking)
    sets, runs = _sets_and_runs(ctx, declared, own) if not (asked.group or ranking) else ((), ())
    refuse_idle_choices(ctx, asked.choices, bool(runs or asked.group or ranking))
    settings, listed = settings_of(values, ctx)
    read = [path for name, about in declared.items() for path in _paths(about.kind, own[name])]
    inputs = options.inputs_given(ctx, (*read, *(run for run in runs if run not in read), *texts.paths, *listed))
    new_files = [name for name, about in declared.items() if isinstance(about.kind, NewFile) and name != "output"]
    written = {_flag(ctx, name): own[name] for name in new_files}
    refuse_clashes(look.output, inputs, written)
    if "plot" in own and ending_of(look.output or "") in ("svg", "png", "pdf"):
        raise click.UsageError(f"'{look.output}' is to be a figure; --plot draws one", ctx)
    if asked.kind == LOG:
        require_names(ctx, running.names_given)
    to = look.to(inputs, asked.kind) if "style" in ctx.params else None
    if to is not None:
        refuse_idle_in(ctx, to.style, "digits", "titles", "documents", "layout")
    if plot := own.get("plot"):
        from irev.output.figures import require_drawable

        require_drawable(ending_of(plot))
    new = own.get("overwrite") is False
    for name in ("merge", "output"):
        if own.get(name) and new:
            require_new(own[name])
    style = to.style if to else ""
    given: FilesGiven | UserFiles
    if asked.group:
        given = UserFiles(ctx, running, settings, style)
    else:
        if "files" in own:
            own["files"] = (*(path for _, path in sets), *runs)
        given = FilesGiven(ctx, sets, runs, own.get("measures"), running, settings, texts, style=style)
    found = asked.answer(given, asked.choices(**own))
    if asked.group:  # files may name others that are read
        refuse_clashes(look.output, (*inputs, *(each.name for each in found.inputs)), written)
    report = found.report()
    report.write(lambda path, pieces: write_pieces(pieces, path, inputs, new=new))
    if plot:
        write(found.drawn(ending_of(plot)), plot, inputs)
    if to is not None:
        show(report, to)
    else:
        for said in report.notes:
            warn(said)
    status: int = report.status
    return status


def _sets_and_runs(
    ctx: click.Context, declared: Mapping[str, Choice], own: Mapping[str, Any]
) -> tuple[Sequence[tuple[str, str]], Sequence[str]]:
    """The sets of judgments by their names, and the runs: one list of files, or each after its own name.

    Saved results are runs without judgments.
    """
    for name, about in declared.items():
        if isinstance(about.kind, JudgmentsOrRuns):
            return (), runs_of(own[name], ctx)
        if isinstance(about.kind, RunFiles):
            files, sets = own[name], own.get("sets", ())
            if isinstance(about.kind, RunsOrResults) and not sets and are_saved(files, own["scores"]):
                return (), files
            return files_of(files, sets, ctx, about.kind.least)
    one = [own[name] for name, about in declared.items() if isinstance(about.kind, RunFile)]
    if one and all(isinstance(each, str) for each in one):  # each is an argument of its own
        return [("", own["qrels"])] if "qrels" in declared else [], one
    if next(iter(declared)) == "runs" and not own["runs"]:
        raise click.UsageError("expected at least one RUN", ctx)
    judged = own["judged"] or ()
    return (("", judged),) if isinstance(judged, str) else judged, runs_of(own.get("runs", ()), ctx)


def refuse_idle_choices(ctx: click.Context, choices: type, has_runs: bool) -> None:
    """Raise `click.UsageError` for a choice that is given and has no effect without another one, or without runs."""

    def given(name: str) -> bool:
        return has_runs if name == "runs" else ctx.get_parameter_source(name) in GIVEN

    found = [fact for _, fact in idle(choices, given, ctx.params.get)]
    if not has_runs:
        of_runs = (name for name, about in ABOUT.items() if about.of_runs)
        found += [
            f"{option(name)} has no effect without {option('runs')}" for name in (*of_runs, *OF_RUNS) if given(name)
        ]
    for fact in found:
        raise click.UsageError(spoken(fact, lambda name: _flag(ctx, name)), ctx)


OF_RUNS = ("names_given", "jobs", "all_warnings")
"""Shared choices beside settings that are about runs alone."""


def _flag(ctx: click.Context, name: str) -> str:
    """What the command line calls a choice."""
    flags = (flag for each in ctx.command.params if each.name == name for flag in each.opts if flag.startswith("--"))
    return next(flags, "RUN")


def _paths(kind: Kind, value: Any) -> Sequence[str]:
    """The files that a choice has read."""
    if isinstance(kind, NamedFile):
        return [path for _, path in value]
    if not isinstance(kind, File) or isinstance(kind, NewFile) or value is None:
        return []
    return [value] if isinstance(value, str) else value


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
        texts: Texts = NO_TEXTS,
        quiet: bool = False,
        style: str = "json",
    ) -> None:
        self._ctx, self._sets, self._runs, self._measures, self._running = ctx, sets, runs, measures or (), running
        self._evaluates = measures is not None
        self._quiet = quiet  # somebody else has said of the files what there is to be said
        self._style = style
        self.settings, self.texts = settings, texts
        self.inputs: list[Input] = []
        self.has_runs, self.has_judgments, self.run_count = bool(runs), bool(sets), len(runs)

    @cached_property
    def judgments(self) -> list[tuple[str, Judgments]]:
        """Every set of judgments, with its name, in the order of the command line."""
        from irev.doors.cli.notes import note_doubts
        from irev.evaluation.result import Input
        from irev.output.styles import needs_inputs
        from irev.reading import qrels
        from irev.reading.sources import Source

        digest = needs_inputs(self._style)
        if self.has_runs and self._evaluates and "-" in (path for _, path in self._sets):
            fact = "judgments are read twice where there are runs, and standard input cannot be"
            raise click.UsageError(fact, self._ctx)
        found = []
        for name, path in self._sets:
            with Source(path, digest=digest) as source:
                judgments = qrels.read(source, self.settings)
                note_doubts(judgments.name, judgments.doubts, judgments.details)
                self.inputs += [Input("qrels", source.name, *source.digest())] if digest else []
                found.append((name, judgments))
        if not self.has_runs:
            refuse_idle_columns(self._ctx, any(each.named for _, each in found), False)
        return found

    @cached_property
    def requests(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the usual ones."""
        from irev import measures as catalogue
        from irev.analysis.comparison.defaults import DEFAULT_MEASURES
        from irev.doors.cli.streams import warn

        requests = tuple(catalogue.parse(self._measures or DEFAULT_MEASURES, self.settings.compat, warn))
        refuse_idle_scales(self._ctx, requests)
        return requests

    @cached_property
    def of_each_query(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the usual one, where each needs a value for a single query."""
        from irev.analysis.single_queries import requests_of
        from irev.doors.cli.streams import warn

        requests = requests_of(self._measures, self.settings.compat, warn)
        refuse_idle_scales(self._ctx, requests)
        return requests

    def outcomes(self, settings: Settings, sampled: str = "") -> Sequence[Outcome]:
        """Every run under every set of judgments; nothing is said of queries that the `sampled` one lacks."""
        found = evaluate_runs(self._sets, self._runs, self.requests, settings, self._running, digest=True)
        names = [name for name, _ in self._sets]
        note_evaluated(found.evaluated, names, settings, self._running.all_warnings, sampled)
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
            self.texts,
            self._quiet,
            self._style,
        )

    def systems(self) -> Gathered:
        """Every run, with its values of the same queries."""
        if not self.has_judgments:
            return saved_systems(self._ctx, self._runs, self._measures, self.settings, self._running)
        return evaluated_systems(self._ctx, self._sets, self._runs, self._measures, self.settings, self._running)

    def names(self, tags: Sequence[bytes]) -> Sequence[str]:
        """What the runs are called, of which these are the run ids."""
        from irev.doors.cli.streams import warn
        from irev.evaluation.run_names import names_of

        return names_of(self._runs, [*map(decoded, tags)], self._running.names_given, warn)

    def working(self, on: str) -> AbstractContextManager[None]:
        """Shows, as long as the block takes, what is worked on."""
        from irev.doors.cli import progress

        return progress.working(on, self._running.quiet)

    def on_same_queries(
        self, requests: Sequence[Request] = (), each_query: bool = False
    ) -> tuple[Sequence[Outcome], bool]:
        """Every run under every set of judgments, on the queries that all runs have there; and whether some have
        others, which are left out."""
        from irev.doors.cli.notes import note_not_common
        from irev.doors.cli.streams import warn
        from irev.evaluation.curves.same_queries import on_same_queries
        from irev.evaluation.scores import suited

        requests, names = requests or self.requests, [name for name, _ in self._sets]
        refuse_idle_scales(self._ctx, requests)
        settings = suited(self.settings, requests, warn)
        found = evaluate_runs(
            self._sets, self._runs, requests, settings, self._running, digest=True, each_query=each_query
        )
        note_runs(found, names, settings, self._running.all_warnings)
        outcomes, left_out = on_same_queries(found.outcomes)
        note_not_common(left_out)
        self.inputs += found.inputs
        return outcomes, bool(left_out)

    @property
    def width(self) -> int | None:
        """The columns of the terminal that is written to, if it is one."""
        from irev.doors.cli.streams import columns

        return columns() if sys.stdout.isatty() else None

    def side_by_side(
        self, spec: FusionSpec, work: Callable[[Sequence[InputRun], SharedQueries, bool], T], fusing: bool = False
    ) -> tuple[Sequence[str], T]:
        """The names of the runs, and what ``work(runs, shared, whole)`` makes of them; whether that is fusing them."""
        from irev.doors.cli import progress
        from irev.doors.cli.notes import fused_notes, note_empty, say, side_by_side_notes
        from irev.evaluation.result import Input
        from irev.output.styles import needs_inputs
        from irev.ranking.fusion.inputs import in_step_or_whole, of_files
        from irev.reading.sources import Source

        digest = not fusing and needs_inputs(self._style)
        with ExitStack() as opened:
            sources = [opened.enter_context(Source(path, digest=digest)) for path in self._runs]
            runs = [opened.enter_context(each) for each in of_files(sources, spec, self.settings)]

            def read() -> None:
                refuse_idle_columns(self._ctx, False, any(each.reading.named for each in runs))

            with progress.working("fusing" if fusing else "comparing", self._running.quiet):
                found, shared = in_step_or_whole(runs, lambda shared, whole: work(runs, shared, whole), read)
            names = [each.name for each in runs] if fusing else self.names([each.reading.tag for each in runs])
            self.inputs += [Input("run", each.name, *each.digest()) for each in sources if digest]
        notes = fused_notes if fusing else side_by_side_notes
        say([*notes(runs, shared)], len(runs), everything=self._running.all_warnings)
        note_empty("the fused run" if fusing else "the runs", shared.empty)
        return names, found

    def cover(self, most: int) -> CoveredRuns:
        """Every run with its first documents of each query, and what is not judged of them."""
        from irev.doors.cli import progress
        from irev.doors.cli.notes import note_judgments, note_not_common
        from irev.doors.cli.streams import warn
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
            watched=lambda batch, some: progress.shown(batch, some, self._running.quiet),
        )
        evaluated = [each.evaluated for each in found.runs]
        if not self._quiet:
            note_judgments(found.judgments, settings, self.requests)
            note_evaluated(evaluated, [""], settings, self._running.all_warnings)
            note_not_common(found.some)
        refuse_idle_columns(self._ctx, found.judgments.named, any(each.reading.named for each in evaluated))
        return found

    @contextmanager
    def single_queries(
        self, settings: Settings, asked: Sequence[bytes], alone: bool = False, requests: Sequence[Request] = ()
    ) -> Iterator[SingleQueries]:
        """Every run, of which chosen queries may be had whole within the block; what is said of files is said last."""
        from irev.analysis.single_queries import require_judged
        from irev.doors.cli.notes import note_judgments, note_left_out, note_reading
        from irev.doors.cli.streams import warn
        from irev.evaluation.result import Input
        from irev.evaluation.scores import suited
        from irev.output.styles import needs_inputs
        from irev.questions.question import SingleQueries
        from irev.ranking.second_pass import in_file
        from irev.reading import qrels
        from irev.reading.sources import Source

        requests, digest = tuple(requests) or self.of_each_query, needs_inputs(self._style)
        refuse_idle_scales(self._ctx, requests)
        settings = suited(settings, requests, warn)
        ((_, judged),) = self._sets
        with Source(judged, digest=digest) as source:
            judgments = qrels.read(source, settings)
            self.inputs += [Input("qrels", source.name, *source.digest())] if digest else []
        require_judged(asked, judgments)
        ranking_of = settings.of_every_query(tuple(judgments.queries))
        with ExitStack() as opened:
            sources = [opened.enter_context(Source(path, digest=digest)) for path in self._runs]
            runs = [in_file(judgments, each, ranking_of, asked if alone else ()) for each in sources]
            self.inputs += [Input("run", each.name, *each.digest()) for each in sources if digest]
            yield SingleQueries(judgments, requests, tuple(runs))
        refuse_idle_columns(self._ctx, judgments.named, any(run.reading.named for run in runs))
        note_judgments(judgments, settings, requests)
        for run in runs:
            note_reading(run.reading, run.name)
            if not alone:
                note_left_out(run.left_out, settings, run.name)

    def first_documents(self, most: int | None) -> tuple[Sequence[str], Sequence[FirstDocuments]]:
        """What the runs are called, and their first documents of each query, or all; nothing is said of them yet."""
        from irev.doors.cli.evaluating import first_of_files

        judged = any(each.named for _, each in self.judgments)
        found, inputs = first_of_files(self._runs, self.settings, most, self._style, self._running)
        self.inputs += inputs
        refuse_idle_columns(self._ctx, judged, any(each.reading.named for each in found))
        return self.names([each.reading.tag for each in found]), found

    def say(self, notes: Sequence[Note], runs: int = 1) -> None:
        """Warn of something, that was noted of so many runs."""
        from irev.doors.cli.notes import say

        say(notes, runs, self._running.all_warnings)
