"""The command of a question: its options, its help and its refusals are derived from the record of its choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from irev.base.choice import Choice, choices_of, idle
from irev.base.kinds import File, Kind, NamedFile, NewFile
from irev.base.settings import ABOUT, Settings
from irev.cli import options
from irev.cli.help import Command
from irev.cli.idle import GIVEN, refuse_idle_columns, refuse_idle_in, refuse_idle_scales
from irev.questions import question

if TYPE_CHECKING:
    from irev.cli.options import Running
    from irev.evaluation.result import Input, Outcome
    from irev.measures import Request
    from irev.questions.question import Question
    from irev.reading.qrels import Judgments

SHARED = {
    question.RUNNING: options.RUNNING,
    question.REPORTING: options.REPORTING,
    question.MEASURING: options.MEASURING,
    question.READING: options.READING,
}
"""The options of groups that questions share."""


def command_of(asked: Question) -> click.Command:
    """The command that asks a question: its files, its own options, and those of its groups."""
    (first, files, _), *own = choices_of(asked.choices)
    shared = click.Command("shared")
    options.settings_options(*(SHARED[group] for group in asked.shared), (click.help_option("-h", "--help"),))(shared)
    return Command(
        asked.name,
        params=[
            click.Argument([first], metavar=asked.files, nargs=-1, type=options.Typed(files.kind)),
            *(options.option_of(*each) for each in own),
            *reversed(shared.params),
        ],
        callback=click.pass_context(lambda ctx, /, **values: _answer(ctx, asked, values)),
        help=asked.about,
        short_help=asked.says,
        epilog=asked.example,
    )


def _answer(ctx: click.Context, asked: Question, values: dict[str, Any]) -> None:
    """Ask a question, and show what was found."""
    from irev.cli.output import ending_of, refuse_clashes, require_new, show, write, write_pieces

    declared = {name: about for name, about, _ in choices_of(asked.choices)}
    own = {name: values.pop(name) for name in declared}
    refuse_idle_choices(ctx, asked)
    read = [path for name, about in declared.items() for path in _paths(about.kind, own[name])]
    written = {_flag(name, about): own[name] for name, about in declared.items() if isinstance(about.kind, NewFile)}
    inputs = options.inputs_given(ctx, read)
    look = options.taken(options.Reporting, values)
    refuse_clashes(look.output, inputs, written)
    to = look.to(inputs)
    refuse_idle_in(ctx, to.style, "digits")
    if plot := own.get("plot"):
        from irev.output.figures import require_drawable

        require_drawable(ending_of(plot))
    if own.get("merge") and not own["overwrite"]:
        require_new(own["merge"])
    given = FilesGiven(ctx, own, options.taken(options.Running, values), Settings(**options.with_costs(values)))
    found = asked.answer(given, asked.choices(**own))
    for path, pieces in found.files:
        write_pieces(pieces, path, inputs, new=not own["overwrite"])
    if plot:
        write(found.drawn(ending_of(plot)), plot, inputs)
    show(found, to)


def refuse_idle_choices(ctx: click.Context, asked: Question) -> None:
    """Raise `click.UsageError` for a choice that is given and has no effect without another one."""

    def given(name: str) -> bool:
        return ctx.get_parameter_source(name) in GIVEN

    declared = {name: about for name, about, _ in choices_of(asked.choices)}
    found = [(_flag(name, declared[name]), needed) for name, needed in idle(asked.choices, given)]
    if "runs" in declared and not given("runs"):
        of_runs = (name for name, about in ABOUT.items() if about.of_runs)
        found += [(f"--{name.replace('_', '-')}", "runs") for name in (*of_runs, *OF_RUNS) if given(name)]
    for flag, needed in found:
        raise click.UsageError(f"{flag} has no effect without {_flag(needed, declared[needed])}", ctx)


OF_RUNS = ("names_given", "jobs", "all_warnings")
"""Shared choices beside settings that are about runs alone."""


def _flag(name: str, about: Choice) -> str:
    """What the command line calls a choice."""
    return next((flag for flag in about.flags.split() if flag.startswith("--")), f"--{name.replace('_', '-')}")


def _paths(kind: Kind, value: Any) -> Sequence[str]:
    """The files that a choice has read."""
    if isinstance(kind, NamedFile):
        return [path for _, path in value]
    if not isinstance(kind, File) or isinstance(kind, NewFile) or value is None:
        return []
    return [value] if isinstance(value, str) else value


class FilesGiven:
    """Judgments and runs in files: what a question is asked about on the command line."""

    def __init__(self, ctx: click.Context, own: Mapping[str, Any], running: Running, settings: Settings) -> None:
        self._ctx, self._own, self._running = ctx, own, running
        self.settings = settings
        self.inputs: list[Input] = []
        self.has_runs = bool(own.get("runs"))
        if self.has_runs and "-" in (path for _, path in own["judged"]):
            raise click.UsageError("judgments are read twice where there are runs, and standard input cannot be", ctx)

    @cached_property
    def judgments(self) -> list[tuple[str, Judgments]]:
        """Every set of judgments, with its name, in the order of the command line."""
        from irev.cli.notes import note_doubts
        from irev.evaluation.result import Input
        from irev.reading import qrels
        from irev.reading.sources import Source

        found = []
        for name, path in self._own["judged"]:
            with Source(path, digest=True) as source:
                judgments = qrels.read(source, self.settings)
                note_doubts(judgments.name, judgments.doubts, judgments.details)
                self.inputs.append(Input("qrels", source.name, *source.digest()))
                found.append((name, judgments))
        if not self.has_runs:
            refuse_idle_columns(self._ctx, any(each.named for _, each in found), False)
        return found

    @cached_property
    def requests(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the usual ones."""
        from irev import measures as catalogue
        from irev.analysis.comparison.defaults import DEFAULT_MEASURES
        from irev.cli.streams import warn

        requests = tuple(catalogue.parse(self._own["measures"] or DEFAULT_MEASURES, self.settings.compat, warn))
        refuse_idle_scales(self._ctx, requests)
        return requests

    def outcomes(self, settings: Settings) -> Sequence[Outcome]:
        """Every run under every set of judgments."""
        from irev.cli.evaluating import evaluate_runs, files_of
        from irev.cli.notes import say
        from irev.evaluation.notes import left_out_notes, reading_notes

        sets, paths = files_of(tuple(self._own["runs"]), tuple(self._own["judged"]), self._ctx)
        found = evaluate_runs(sets, paths, self.requests, settings, self._running, digest=True)
        notes = [
            *(note for run in found.evaluated for note in reading_notes(run.reading, run.name)),
            *(
                note
                for run in found.evaluated
                for (name, _), left_out in zip(sets, run.left_out, strict=True)
                for note in left_out_notes(left_out, settings, f"{run.name} under {name}")
            ),
        ]
        say(notes, len(found.evaluated), self._running.all_warnings)
        self.inputs += [each for each in found.inputs if each.role == "run"]
        return found.outcomes
