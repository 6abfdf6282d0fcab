"""How the help of a command is laid out: an example, the options of the command, then those of many commands.

trec_eval's long names stay out of the lists, and are told together at the end of those of ``eval``, which is trec_eval.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

import click

from irev import __version__
from irev.base.errors import IrevError, UnreachableError, typed

OWN, ABOUT = "Options", "About"
"""The headings of options that a command has for itself, which stand first, and of those about the command."""

SHARED = ("Measures", "Queries", "Significance", "Files", "Output", "Reading", ABOUT)
"""The headings of options that many commands have, which stand last, in this order."""

TREC_EVAL = "eval"
"""The command whose help has trec_eval's own names of options; others that share these take them too."""

GUESSED = ("--metric",)
"""Names that newcomers guess: they are taken, and not shown."""


class Headed(click.Option):
    """An option that many commands have, and the heading under which their help has it."""

    def __init__(self, *given: Any, heading: str = "", **more: Any) -> None:
        super().__init__(*given, **more)
        self.heading = heading


def about_option(*flags: str, show: Callable[..., None], says: str) -> click.Option:
    """An option that shows something in place of what its command does."""
    return Headed(flags, is_flag=True, is_eager=True, expose_value=False, callback=show, help=says, heading=ABOUT)


def version_option() -> click.Option:
    """``--version``; not click's own, whose help is translated, which takes a hundredth of a small evaluation."""
    return about_option("-v", "--version", show=_show_version, says="Show the version and exit.")


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"irev {__version__}")
        ctx.exit()


def help_option() -> click.Option:
    """``-h`` and ``--help``; not click's own, for the same reason."""
    return about_option("-h", "--help", show=_show_help, says="Show this message and exit.")


def _show_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help())
        ctx.exit()


class _LongNames(dict[str, Any]):
    """Long names of options, among which click does not look for similar ones.

    It would look for each short option, which it first takes for a long one, and import modules for that, which takes
    4 ms. Similar names are found when the error is written.
    """

    def __bool__(self) -> bool:
        return False


class Command(click.Command):
    """A command whose epilog is its example, and whose options stand under headings."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **{**more, "add_help_option": False})
        self.params.append(help_option())

    def make_parser(self, ctx: click.Context) -> Any:
        parser = super().make_parser(ctx)
        parser._long_opt = _LongNames(parser._long_opt)
        return parser

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except IrevError as error:
            given = [ctx.params.get(each.name) for each in self.params if isinstance(each, click.Argument)]
            words = [word for value in given for word in (value if isinstance(value, tuple) else (value,))]
            _tell_convert(error, ctx)
            _tell_folder(error, ctx.params.get("files") or ctx.params.get("runs") or ())
            _tell_measures(error, [word for word in words if isinstance(word, str)])
            raise

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        if self.epilog:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"Example: {self.epilog}")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Nothing, since the example stands above the options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = records(self, ctx)
        for heading, names in sections(self):
            with formatter.section(heading):
                formatter.write_dl([rows[name] for name in names])
        own = long_names(self) if self.name == TREC_EVAL else []
        if own:
            formatter.write_paragraph()
            with formatter.section("trec_eval's own names"):
                formatter.write_text(", ".join(f"{name} ({short})" for name, short in own))


_OF_CONVERT = r"--(order|duplicates|grade-words|columns|run-format)\b(?: ('[^']*'|[^\s;`]+))?"
"""An option of reading in a message, and what may be its value."""


def _tell_convert(error: IrevError, ctx: click.Context) -> None:
    """Have an error that advises an option which irev convert has, and this command has not, say how to convert."""
    from irev.base.settings import ABOUT

    here = {flag for param in ctx.command.params for flag in param.opts}
    for name, given in re.findall(_OF_CONVERT, typed(f"{error.fact} {error.remedy}")):
        word = given.rstrip(",.)")
        about = ABOUT[name.replace("-", "_")]
        if f"--{name}" not in here:
            if about.words and word not in about.words:
                word = "best"
            value = "WORDS" if name == "grade-words" else word or about.kind.metavar
            convert = f"`irev convert --{name} {value} FILE NEW.csv` writes a file that needs none"
            error.remedy = f"{error.remedy}; {ctx.command_path} has no --{name}: {convert}"
            return


def _tell_folder(error: IrevError, arguments: Iterable[str]) -> None:
    """Have an error about a file that is no run at all, from its first line on, say in which folder it was found."""
    path = error.place.removesuffix(":1")
    for folder in arguments:
        if os.path.dirname(path) == folder.rstrip(os.sep) and os.path.isdir(folder) and os.path.isfile(path):
            also = f"all files in the folder '{folder}' are read as runs: move '{os.path.basename(path)}' away if it"
            error.remedy = "; ".join(filter(None, (error.remedy, f"{also} is not a run, or give the runs")))
            return


def _tell_measures(error: IrevError, words: Iterable[str]) -> None:
    """Have an error about a missing file that has the name of a measure say how measures are named."""
    if isinstance(error, UnreachableError) and error.place in words:
        import shlex

        from irev.measures.request import is_measure  # both rarely needed

        names = [word for word in words if not os.path.exists(word) and is_measure(word)]
        if error.place in names:
            options = " ".join(f"-m {shlex.quote(name)}" for name in names)
            error.remedy = "; ".join(filter(None, (error.remedy, f"measures are named by {options}")))


class TypedCommand(Command):
    """A command that knows what was typed: the object of its context."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = tuple(args)
        return super().parse_args(ctx, args)


def records(command: click.Command, ctx: click.Context) -> dict[str, tuple[str, str]]:
    """How each option that is not hidden is written, and what it means, by the name of its parameter."""
    found = {}
    for option in command.get_params(ctx):
        record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
        if record is not None:
            found[option.name or ""] = (_shown(record[0], option.opts), record[1])
    return found


def sections(command: click.Command) -> list[tuple[str, list[str]]]:
    """The headings and the names of parameters under each: those of the command itself first."""
    found: dict[str, list[str]] = {OWN: []}
    for each in command.params:
        if isinstance(each, click.Option) and not each.hidden:
            found.setdefault(getattr(each, "heading", "") or OWN, []).append(each.name or "")
    last = {heading: found.pop(heading) for heading in SHARED if heading in found}
    return [*((heading, names) for heading, names in found.items() if names), *last.items()]


def long_names(command: click.Command) -> list[tuple[str, str]]:
    """trec_eval's long names of options that a command takes, and the option that each is."""
    return [
        (name, parameter.opts[0])
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
        if _is_long_name(name)
    ]


def _is_long_name(name: str) -> bool:
    return "_" in name or name == "--nosummary"


def _shown(written: str, names: list[str]) -> str:
    """An option as help writes it, without the names that are taken and not shown."""
    kept = [name for name in names if not _is_long_name(name) and name not in GUESSED]
    return written.replace(", ".join(names), ", ".join(kept), 1)
