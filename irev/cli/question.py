"""The command of a question: its options, its help and its refusals are derived from the record of its choices."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from warnings import catch_warnings

import click
from click.core import ParameterSource

from irev.base import exit
from irev.base.choice import (
    Choice,
    ConfigurationFile,
    File,
    FileBeside,
    Grades,
    HoldScores,
    JudgesFiles,
    JudgmentSets,
    JudgmentsOrRuns,
    Kind,
    MayReplace,
    NamedFile,
    NamedNumbers,
    NewFile,
    Picture,
    QrelsFile,
    RunFile,
    RunFiles,
    RunsOrResults,
    SavedResults,
    SeveralMeasures,
    UpdatedFile,
    choices_of,
    idle,
)
from irev.base.errors import IrevError, UsageError, option, spoken
from irev.base.registry import did_you_mean
from irev.base.settings import ABOUT, Settings
from irev.base.text import counted
from irev.cli import options
from irev.cli.help import TypedCommand
from irev.cli.options import GIVEN, are_saved, files_of, reporting_to, runs_of, settings_of, show
from irev.cli.output import (
    ending_of,
    progress_of,
    refuse_clashes,
    require_new,
    terminal,
    warn,
    warnings_heard,
    working,
    write,
    write_pieces,
)
from irev.commands import question
from irev.commands.question import Question
from irev.commands.shared import Texts, Width
from irev.output.report import USUAL_WIDTH
from irev.output.styles import PAGE, needs_inputs
from irev.reading.sources import Source

if TYPE_CHECKING:
    from irev.evaluation.inputs import Inputs
    from irev.output.figures import Form


def flag_of(ctx: click.Context, name: str) -> str:
    """Return the option's name as the command line spells it."""
    return _flags(ctx).get(name, "RUN")


def _flags(ctx: click.Context) -> dict[str, str]:
    """The name of each option as the command line spells it."""
    return {
        str(each.name): flag for each in ctx.command.params for flag in reversed(each.opts) if flag.startswith("--")
    }


def _options_of(group: str) -> tuple[click.Option, ...]:
    """The options of a group that questions share, or that of a setting."""
    if group == question.TEXTS:
        return options.options_of(Texts)
    return options.GROUPS.get(group) or (options.setting_option(group),)


def command_of(asked: Question) -> click.Command:
    """The command that asks a question: its files, its own options, and those of its groups."""
    own = [*choices_of(asked.choices)]
    return TypedCommand(
        asked.name,
        params=[
            *(_argument(asked, word, *each) for word, each in zip(asked.arguments, own, strict=False)),
            *(options.option_of(*each, **_eager(each[1].kind)) for each in own[len(asked.arguments) :]),
            *(each for group in asked.shared for each in _options_of(group)),
        ],
        callback=click.pass_context(lambda ctx, /, **values: _answer(ctx, asked, values)),
        help=asked.about,
        short_help=asked.says,
        epilog=asked.example,
    )


def _eager(kind: Kind) -> dict[str, Any]:
    """A configuration file is read before all options, to which it gives values, and behind the files, which it may
    name."""
    if not isinstance(kind, ConfigurationFile):
        return {}
    return {"is_eager": True, "callback": _configured}


def _configured(ctx: click.Context, param: click.Parameter, path: str | None) -> Any:
    """What a configuration file says, by what no help of a command needs."""
    from irev.cli.check import configured

    return configured(ctx, param, path)


def _argument(asked: Question, word: str, name: str, about: Choice, default: Any) -> click.Argument:
    """The files that a command takes, or one of them."""
    nargs, required = -1 if question.takes_several(word) else 1, asked.arguments != (word,) and not _rankings(asked)
    eager = any(_eager(each.kind) for _, each, _ in choices_of(asked.choices))
    kind = options.Typed(about.kind)
    return click.Argument([name], metavar=word, nargs=nargs, required=required, type=kind, is_eager=eager)


def _rankings(asked: Question) -> list[str]:
    """The choices of a question that are a ranking, which stands for all files."""
    return [name for name, about, _ in choices_of(asked.choices) if isinstance(about.kind, Grades)]


def _require_files(ctx: click.Context, own: Mapping[str, Any], ranking: str | None) -> None:
    """Raise `click.UsageError` where a file is missing, and where one is given beside a ranking that stands for it."""
    for each in ctx.command.params:
        if isinstance(each, click.Argument) and each.nargs == 1:
            given = own.get(str(each.name)) is not None
            if given and ranking:
                raise click.UsageError(f"{flag_of(ctx, ranking)} stands for {each.metavar}; give one of the two", ctx)
            if not given and not ranking:
                raise click.MissingParameter(ctx=ctx, param=each)


class QuestionGroup(click.Group):
    """Questions that are one group: ``irev online ab``; each is imported when it is needed."""

    def __init__(self, name: str, questions: Sequence[str]) -> None:
        about = question.folder_of(name).ABOUT
        super().__init__(name, help=about, context_settings={"help_option_names": ["-h", "--help"]})
        self._questions = questions

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._questions]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._questions:
            return None
        return command_of(question.question_of(str(self.name), cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self._questions and not ctx.resilient_parsing:
            remedy = did_you_mean(args[0], self._questions, f"there are {', '.join(self._questions)}")
            raise click.UsageError(f"there is no command '{ctx.command_path} {args[0]}'; {remedy}", ctx)
        return super().resolve_command(ctx, args)


class _Given:
    """The choices of a command as they were given, found by their kinds."""

    def __init__(self, asked: Question, values: dict[str, Any]) -> None:
        self.asked = asked
        self.kinds = {name: about.kind for name, about, _ in choices_of(asked.choices)}
        self.values = {name: values.pop(name) for name in self.kinds}
        for name in self.names(ConfigurationFile):
            if (config := self.values[name]) is not None:
                files = self.names(RunFiles)[0]
                self.values |= {files: self.values[files] or config.files(), name: config.path}

    def names(self, *kinds: type[Kind]) -> list[str]:
        """The choices of some kinds."""
        return [name for name, kind in self.kinds.items() if isinstance(kind, kinds)]

    def first(self, *kinds: type[Kind]) -> Any:
        """What was given for the first choice of some kinds that has something; else None."""
        return next((self.values[name] for name in self.names(*kinds) if self.values[name]), None)

    @property
    def files(self) -> str:
        """The choice that has the files of the command, in the way that `_FILES` knows; nothing for other files."""
        return next(iter(self.names(*_FILES)), "")

    def read(self) -> list[str]:
        """The files that are read."""
        return [path for name, kind in self.kinds.items() for path in _paths(kind, self.values[name])]


def _answer(ctx: click.Context, asked: Question, values: dict[str, Any]) -> int:
    """Ask a question, and show what was found, if there is a style for it; the exit status."""
    exit.let_threads_share_memory()
    given = _Given(asked, values)
    running, look = options.pick(options.Running, values), options.pick(options.Reporting, values)
    own_look = {each: given.values[each] for each in vars(look).keys() & given.values.keys()}
    look = replace(look, **own_look)
    texts = options.pick(Texts, values) if question.TEXTS in asked.shared else None
    sets, runs = _sets_and_runs(ctx, given)
    settings, listed = settings_of(values, ctx)
    read = given.read()
    updated = _updated(ctx, given, texts)
    shown = texts.paths if texts else ()
    inputs = options.inputs_given(ctx, (*read, *(run for run in runs if run not in read), *shown, *listed))
    around = import_module(f"irev.cli.{asked.around}") if asked.around else None
    written = _new_files(ctx, given, updated.keys() | own_look.keys()) | (around.files() if around else {})
    refuse_clashes(look.output, inputs, written, {flag_of(ctx, name): path for name, path in updated.items()})
    drawing = _drawing(ctx, given, look.output)
    to = reporting_to(look, inputs, asked.kind, asked.style) if "style" in ctx.params else None
    files = [given.values[name] for name in given.names(FileBeside) if given.values[name]]
    beside = [reporting_to(replace(look, style=None, output=file), inputs, asked.kind, asked.style) for file in files]
    # People may have filled in the file: only --force replaces it.
    new = any(not given.values[name] for name in given.names(MayReplace))
    pictures = {flag_of(ctx, name) for name in given.names(Picture)}
    kept = [own_look.get("output"), *(path for flag, path in written.items() if flag not in pictures)]
    for path in filter(None, kept if new else ()):
        require_new(path)
    style, *others = (each.style or "" if each else "" for each in (to, *beside))
    if isinstance(given.kinds.get(given.files), RunFiles | JudgmentsOrRuns):
        given.values[given.files] = (*(path for _, path in sets), *runs)
    with warnings_heard() as heard:
        choices = asked.choices(**options.with_numbers(given.values))
        about = _inputs(
            ctx,
            running,
            judgments=sets,
            runs=runs,
            settings=settings,
            measures=given.first(SeveralMeasures) or (),
            titles=texts.titles if texts else None,
            documents=texts.documents if texts else None,
            styles=(style, *others),
            digest=bool(style) and needs_inputs(style),
            sort=look.sort,
            digits=look.digits,
            said=heard,
        )
        found = asked.answer(about, choices)
    if not given.files:  # files may name others that are read
        refuse_clashes(look.output, (*inputs, *(each.name for each in found.inputs)), written)
    report = found.report()

    def put(path: str, pieces: Iterable[bytes]) -> None:
        write_pieces(pieces, path, inputs, asked.kind == PAGE, new)

    report.write(put)
    if drawing is not None:
        plot, form = drawing
        write(_drawn(found, form), plot, inputs)
    for (_, one), where in zip(report.beside, beside, strict=True):
        show(one, where, inputs, new=new)
    with around.around(choices, report) if around else nullcontext():
        if to is not None:
            show(report, to, inputs, report.sort, new and "output" in own_look)
        else:
            for said in report.notes:
                warn(said)
    status: int = report.status
    return status


def _new_files(ctx: click.Context, given: _Given, others: Collection[str]) -> dict[str, str | None]:
    """The files that are written beside the output, each by what messages call its option."""
    written: dict[str, str | None] = {}
    for name in given.names(NewFile, UpdatedFile):
        kind = given.kinds[name]
        if isinstance(kind, NewFile) and name not in others:
            named = kind.files(flag_of(ctx, name), given.values[name])
            options.require_inside(ctx, name, named.values())
            written |= named
        elif name in others and isinstance(kind, UpdatedFile):
            options.require_inside(ctx, name, (given.values[name],))
    return written


def _drawing(ctx: click.Context, given: _Given, output: str | None) -> tuple[str, Form] | None:
    """The picture that is wanted, and how. Raises `UsageError` where it cannot be drawn."""
    pictures = given.names(Picture)
    if pictures and ending_of(output or "") in ("svg", "png", "pdf"):
        raise click.UsageError(f"'{output}' is the name of a figure; {flag_of(ctx, pictures[0])} draws one", ctx)
    if (plot := given.first(Picture)) is None:
        return None
    from irev.output.figures import Form, require_drawable

    require_drawable(ending_of(plot))
    asked_for = any(ctx.get_parameter_source(name) in GIVEN for name in given.names(Width))
    return plot, Form(ending_of(plot), given.first(Width) or USUAL_WIDTH, not asked_for)


def _drawn(found: Any, form: Form) -> bytes:
    """The picture; what is to be said of it is a warning."""
    with catch_warnings(record=True) as raised:
        drawn: bytes = found.drawn(form)
    for each in raised:
        warn(str(each.message))
    return drawn


def _inputs(ctx: click.Context, running: options.Running, **asked: Any) -> Inputs:
    """Return the `Inputs` of a command, from its options."""
    from irev.evaluation.inputs import Inputs  # which help does not need

    sources = {str(each.name): ctx.get_parameter_source(str(each.name)) for each in ctx.command.params}
    return Inputs(
        **asked,
        batched=True,
        jobs=running.jobs if "jobs" in ctx.params else 1,
        executor=running.executor,
        skip_broken=running.skip_broken,
        width=terminal()[0],
        command=("irev", ctx.info_name or "", *ctx.obj),
        flags=_flags(ctx),
        typed=frozenset(name for name, source in sources.items() if source is ParameterSource.COMMANDLINE),
        given=frozenset(name for name, source in sources.items() if source in GIVEN),
        warn=warn,
        watched=progress_of,
        working=working,
    )


def _updated(ctx: click.Context, given: _Given, texts: Texts | None) -> dict[str, str]:
    """The files that are read and written anew. Raises `InputError` for any other that a configuration names, and that
    is not there."""
    updated = {}
    for name, kind in given.kinds.items():
        value = given.values[name]
        if isinstance(kind, UpdatedFile) and value is not None:
            if given.values[kind.flag]:
                updated[name] = value
            else:
                first = f", and {flag_of(ctx, kind.flag)} writes the first one"
                options.require_configured(ctx, name, value, first)
        elif isinstance(value, str) and _paths(kind, value):
            options.require_configured(ctx, name, value)
    for name, path in vars(texts).items() if texts else ():
        if path is not None:
            options.require_configured(ctx, name, path)
    return updated


Files: TypeAlias = tuple[Sequence[tuple[str, str]], Sequence[str]]
"""The sets of judgments by their names, and the runs."""


def _sets_and_runs(ctx: click.Context, given: _Given) -> Files:
    """The sets of judgments and the runs of a command; saved results are runs without judgments.

    Raises `click.UsageError` for files that are missing or too many, and for choices that have no effect.
    """
    ranking = next((name for name in given.names(Grades) if given.values[name]), None)
    _require_files(ctx, given.values, ranking)
    elsewhere = bool(ranking or not given.files)
    found: Files = ((), ()) if elsewhere else _FILES[_way(given.kinds[given.files])](ctx, given)
    refuse_idle_choices(ctx, given.asked.choices, bool(found[1]) or elsewhere)
    return found


def _way(kind: Kind) -> type[Kind]:
    return next(way for way in _FILES if isinstance(kind, way))


def _saved_results(ctx: click.Context, given: _Given) -> Files:
    if not given.values[given.files]:
        raise click.UsageError("expected at least one RESULT", ctx)
    return (), ()


def _one_kind(ctx: click.Context, given: _Given) -> Files:
    return (), runs_of(given.values[given.files], ctx)


def _judgments_then_runs(ctx: click.Context, given: _Given) -> Files:
    files, sets = given.values[given.files], given.first(JudgmentSets) or ()
    kind = cast(RunFiles, given.kinds[given.files])
    if isinstance(kind, RunsOrResults) and not sets and are_saved(files, bool(given.first(HoldScores))):
        if not files and not given.asked.files.startswith("["):
            raise click.BadArgumentUsage("expected QRELS and RUNs, or saved results", ctx)
        return (), files
    if not kind.least and _are_runs(files, ctx):
        return (), runs_of(files, ctx)
    return files_of(files, sets, ctx, kind)


def _each_by_its_choice(ctx: click.Context, given: _Given) -> Files:
    if isinstance(given.kinds[given.files], RunFile) and given.values[given.files] == ():
        raise click.BadArgumentUsage("expected at least one RUN", ctx)
    judged = [(name, path) for several in given.names(JudgesFiles) for name, path in given.values[several]]
    if raters := Settings(columns=ctx.params["columns"]).raters if judged else ():
        if len(judged) != 1:
            fact = f"grade={'+'.join(raters)} reads several judges from one table"
            raise UsageError(fact, remedy=f"give this table alone; there are {counted(len(judged), 'file')}")
        judged = [(rater, judged[0][1]) for rater in raters]
    judged += [("", given.values[name]) for name in given.names(QrelsFile) if given.values[name] is not None]
    runs: list[str] = []
    for name in given.names(RunFile):
        named = given.values[name]
        runs += [named] if isinstance(named, str) else runs_of(named or (), ctx)
    return judged, runs


_FILES: Mapping[type[Kind], Callable[[click.Context, _Given], Files]] = {
    RunFiles: _judgments_then_runs,
    JudgmentsOrRuns: _one_kind,
    SavedResults: _saved_results,
    JudgesFiles: _each_by_its_choice,
    QrelsFile: _each_by_its_choice,
    RunFile: _each_by_its_choice,
}
"""How a command's files are judgments and runs, by the kind of the first choice that has some."""


def _are_runs(files: Sequence[str], ctx: click.Context) -> bool:
    """Return True if files that may be runs alone are: the first is a folder, a list, or certainly a run.

    A pipe is not looked at, since it can be read only once.
    """
    from irev.reading.rows import kind_of

    first = files[0] if files else ""
    if first.startswith("@"):
        return True
    if os.path.isdir(first):
        return all(os.path.isfile(os.path.join(first, each)) for each in os.listdir(first))
    if ctx.params["qrels_format"] is not None or not os.path.isfile(first):
        return False
    try:
        with Source(first) as source:
            return kind_of(source, Settings()) == "run"
    except IrevError:
        return False


def refuse_idle_choices(ctx: click.Context, choices: type, has_runs: bool) -> None:
    """Raise `click.UsageError` for a choice that is given and has no effect without another one, or without runs."""

    given = {
        name
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) in GIVEN and value is not False  # as configurations may say
    } - {"runs"}
    given |= {"runs"} if has_runs else set()
    found = [*idle(choices, given, ctx.params)]
    if not has_runs:
        of_runs = (name for name, about in ABOUT.items() if about.of_runs or about.of_rows)
        found += [
            f"{option(name)} has no effect without {option('runs')}" for name in (*of_runs, *OF_RUNS) if name in given
        ]
    for fact in found:
        raise click.UsageError(spoken(fact, lambda name: flag_of(ctx, name)), ctx)


OF_RUNS = ("jobs",)
"""Shared choices beside settings that are about runs alone."""


def _paths(kind: Kind, value: Any) -> Sequence[str]:
    """The files that a choice has read."""
    if isinstance(kind, NamedFile):
        return [path for _, path in value]
    if not isinstance(kind, File) or isinstance(kind, NewFile | NamedNumbers) or value is None:
        return []  # those of numbers are read already, and say of which file they are
    return [value] if isinstance(value, str) else value
