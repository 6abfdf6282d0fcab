"""The command of a question: its options, its help and its refusals are derived from the record of its choices."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from warnings import catch_warnings

import click
from click.core import ParameterSource

from irev.base import processes
from irev.base.choice import Choice, choices_of, idle
from irev.base.errors import IrevError, UsageError, option, spoken
from irev.base.kinds import (
    ConfigurationFile,
    File,
    Grades,
    JudgmentsOrRuns,
    Kind,
    ListOfFiles,
    NamedFile,
    NamedNumbers,
    NewFile,
    RunFile,
    RunFiles,
    RunsOrResults,
    SavedResults,
    UpdatedFile,
)
from irev.base.settings import ABOUT, Settings
from irev.base.text import counted
from irev.cli import options
from irev.cli.help import TypedCommand
from irev.cli.options import GIVEN, are_saved, files_of, runs_of, settings_of
from irev.cli.streams import progress_of, terminal, warn, warnings_heard, working
from irev.commands import question
from irev.commands.question import Question
from irev.commands.shared import Texts
from irev.output.report import USUAL_WIDTH
from irev.output.styles import PAGE, needs_inputs

if TYPE_CHECKING:
    from irev.commands.shared import Texts
    from irev.evaluation.inputs import Inputs

T = TypeVar("T")


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
    from irev.cli.configured import configured

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
    from irev.cli.output import ending_of, refuse_clashes, reporting_to, require_new, show, write, write_pieces

    processes.let_threads_share_memory()
    declared = {name: about for name, about, _ in choices_of(asked.choices)}
    own = {name: values.pop(name) for name in declared}
    if (config := own.get("config")) is not None:
        own |= {"files": own["files"] or config.files(), "config": config.path}
    look, running = options.pick(options.Reporting, values), options.pick(options.Running, values)
    look = replace(look, style=own.get("style", look.style), output=own.get("output", look.output))
    texts = None
    if question.TEXTS in asked.shared:
        texts = options.pick(Texts, values)
    ranking = next((name for name in _rankings(asked) if own[name]), None)
    _require_files(ctx, own, ranking)
    instead = next((name for name in INSTEAD_OF_FILES if own.get(name) is not None), None)
    listing = any(isinstance(each.kind, ListOfFiles) for each in declared.values())
    elsewhere = bool(asked.group or ranking or instead or listing)
    sets, runs = ((), ()) if elsewhere else _sets_and_runs(ctx, asked, declared, own)
    refuse_idle_choices(ctx, asked.choices, bool(runs) or elsewhere)
    if instead and own["files"]:
        raise click.UsageError(f"{flag_of(ctx, instead)} stands for all files; give no others", ctx)
    settings, listed = settings_of(values, ctx)
    read = [path for name, about in declared.items() for path in _paths(about.kind, own[name])]
    updated = _updated(ctx, declared, own, texts)
    shown = texts.paths if texts else ()
    inputs = options.inputs_given(ctx, (*read, *(run for run in runs if run not in read), *shown, *listed))
    written: dict[str, str | None] = {}
    for name, choice in declared.items():
        if isinstance(choice.kind, NewFile) and name != "output":
            named = choice.kind.files(flag_of(ctx, name), own[name])
            options.require_inside(ctx, name, named.values())
            written |= named
    for name, path in updated.items():
        options.require_inside(ctx, name, (path,))
    if asked.name == "check":
        from irev.cli import check

        written |= check.summary_of_step()
    refuse_clashes(look.output, inputs, written, {flag_of(ctx, name): path for name, path in updated.items()})
    if "plot" in own and ending_of(look.output or "") in ("svg", "png", "pdf"):
        raise click.UsageError(f"'{look.output}' is the name of a figure; --plot draws one", ctx)
    to = reporting_to(look, inputs, asked.kind, asked.style) if "style" in ctx.params else None
    files = [own[name] for name in ("unsettled_to",) if own.get(name)]
    beside = [reporting_to(replace(look, style=None, output=file), inputs, asked.kind, asked.style) for file in files]
    if plot := own.get("plot"):
        from irev.output.figures import require_drawable

        require_drawable(ending_of(plot))
    new = own.get("overwrite") is False  # people may have filled in the file: only --force replaces it
    kept = own.get("output")
    for path in filter(None, (kept, *(path for flag, path in written.items() if flag != "--plot"))):
        if new:
            require_new(path)
    style, *others = (each.style or "" if each else "" for each in (to, *beside))
    if "files" in own and not asked.group:
        own["files"] = (*(path for _, path in sets), *runs)
    showing: Callable[[Any], AbstractContextManager[None]] = nullcontext
    with warnings_heard() as heard:
        choices = asked.choices(**options.with_numbers(own))
        if asked.name == "check":
            showing = partial(check.around, choices)
        about = _inputs(
            ctx,
            running,
            judgments=sets,
            runs=runs,
            settings=settings,
            measures=own.get("measures") or (),
            titles=texts.titles if texts else None,
            documents=texts.documents if texts else None,
            styles=(style, *others),
            digest=bool(style) and needs_inputs(style),
            sort=look.sort,
            digits=look.digits,
            said=heard,
        )
        found = asked.answer(about, choices)
    if asked.group or listing:  # files may name others that are read
        refuse_clashes(look.output, (*inputs, *(each.name for each in found.inputs)), written)
    report = found.report()

    def put(path: str, pieces: Iterable[bytes]) -> None:
        write_pieces(pieces, path, inputs, asked.kind == PAGE, new)

    report.write(put)
    if plot:
        write(_drawn(ctx, found, plot, own), plot, inputs)
    for (_, one), where in zip(report.beside, beside, strict=True):
        show(one, where, inputs, new=new)
    with showing(report):
        if to is not None:
            show(report, to, inputs, report.sort, new and "output" in own)
        else:
            for said in report.notes:
                warn(said)
    status: int = report.status
    return status


def _drawn(ctx: click.Context, found: Any, plot: str, own: Mapping[str, Any]) -> bytes:
    """The picture that --plot writes; what is to be said of it is a warning."""
    from irev.cli.output import ending_of
    from irev.output.figures import Form

    with catch_warnings(record=True) as raised:
        width = own.get("width", USUAL_WIDTH)
        drawn: bytes = found.drawn(Form(ending_of(plot), width, ctx.get_parameter_source("width") not in GIVEN))
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


def _updated(
    ctx: click.Context, declared: Mapping[str, Choice], own: Mapping[str, Any], texts: Texts | None
) -> dict[str, str]:
    """The files that are read and written anew. Raises `InputError` for any other that a configuration names, and that
    is not there."""
    updated = {}
    for name, about in declared.items():
        if isinstance(about.kind, UpdatedFile) and own[name] is not None:
            if own[about.kind.flag]:
                updated[name] = own[name]
            else:
                first = f", and {flag_of(ctx, about.kind.flag)} writes the first one"
                options.require_configured(ctx, name, own[name], first)
        elif isinstance(own[name], str) and _paths(about.kind, own[name]):
            options.require_configured(ctx, name, own[name])
    for name, path in vars(texts).items() if texts else ():
        if path is not None:
            options.require_configured(ctx, name, path)
    return updated


def _sets_and_runs(
    ctx: click.Context, asked: Question, declared: Mapping[str, Choice], own: Mapping[str, Any]
) -> tuple[Sequence[tuple[str, str]], Sequence[str]]:
    """The sets of judgments by their names, and the runs: one list of files, or each after its own name.

    Saved results are runs without judgments.
    """
    for name, about in declared.items():
        if isinstance(about.kind, SavedResults):
            if not own[name]:
                raise click.UsageError("expected at least one RESULT", ctx)
            return (), ()
        if isinstance(about.kind, JudgmentsOrRuns):
            return (), runs_of(own[name], ctx)
        if isinstance(about.kind, RunFiles):
            files, sets = own[name], own.get("sets", ())
            if isinstance(about.kind, RunsOrResults) and not sets and are_saved(files, own["scores"]):
                if not files and not asked.files.startswith("["):
                    raise click.BadArgumentUsage("expected QRELS and RUNs, or saved results", ctx)
                return (), files
            if not about.kind.least and _are_runs(files, ctx):
                return (), runs_of(files, ctx)
            return files_of(files, sets, ctx, about.kind)
    one = [own[name] for name, about in declared.items() if isinstance(about.kind, RunFile)]
    if one and all(isinstance(each, str) for each in one):  # each is an argument of its own
        return [("", own["qrels"])] if "qrels" in declared else [], one
    if next(iter(declared)) == "runs" and not own["runs"]:
        raise click.BadArgumentUsage("expected at least one RUN", ctx)
    judged = own["judged"] or ()
    if not isinstance(judged, tuple):
        judged = (("", judged),)
    elif raters := Settings(columns=ctx.params["columns"]).raters:
        if len(judged) != 1:
            fact = f"grade={'+'.join(raters)} reads several judges from one table"
            raise UsageError(fact, remedy=f"give this table alone; there are {counted(len(judged), 'file')}")
        judged = tuple((rater, judged[0][1]) for rater in raters)
    return judged, runs_of(own.get("runs", ()), ctx)


def _are_runs(files: Sequence[str], ctx: click.Context) -> bool:
    """Return True if files that may be runs alone are: the first is a folder, a list, or certainly a run.

    A pipe is not looked at, since it can be read only once.
    """
    from irev.reading.rows import kind_of
    from irev.reading.sources import Source

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
        of_runs = (name for name, about in ABOUT.items() if about.of_runs)
        found += [
            f"{option(name)} has no effect without {option('runs')}" for name in (*of_runs, *OF_RUNS) if name in given
        ]
    for fact in found:
        raise click.UsageError(spoken(fact, lambda name: flag_of(ctx, name)), ctx)


INSTEAD_OF_FILES = ("saved",)
"""Choices that name a file that stands for judgments and runs."""

OF_RUNS = ("jobs",)
"""Shared choices beside settings that are about runs alone."""


def _paths(kind: Kind, value: Any) -> Sequence[str]:
    """The files that a choice has read."""
    if isinstance(kind, NamedFile):
        return [path for _, path in value]
    if not isinstance(kind, File) or isinstance(kind, NewFile | NamedNumbers) or value is None:
        return []  # those of numbers are read already, and say of which file they are
    return [value] if isinstance(value, str) else value
