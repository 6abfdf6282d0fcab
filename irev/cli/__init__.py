"""The command line: one module per command, and the one place that maps what can go wrong to messages and exit status.

Standard output is data, standard error is talk, the exit status is the verdict: one of `irev.base.exit`. A
reader that goes away (``| head``) is no error. Nothing heavy is imported here, so that ``irev --help`` answers at once.
"""

from __future__ import annotations

import importlib
import os
import re
from inspect import cleandoc
from typing import TYPE_CHECKING

import click

from irev import __version__
from irev.base import registry
from irev.base.errors import IrevError
from irev.base.exit import DONE, FAULT, INTERRUPTED, MEANINGS, REFUSED, is_shortage
from irev.base.registry import docstring, instead
from irev.cli.help import help_option, version_option
from irev.cli.output import Unwritable, say, tell, together, whole_streams
from irev.cli.question import QuestionGroup, command_of
from irev.commands.question import question_of
from irev.reading.limits import OUT_OF_MEMORY, allowed

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "eval": "Score runs against relevance judgments.",
    "compare": "Test whether runs differ.",
    "check": "Fail when a run is not as good as it must be.",
    "diff": "Show what changed between two runs.",
    "explain": "Explain the value of a measure for one query.",
    "agree": "Compare two rankings of runs.",
    "rbo": "Measure the rank-biased overlap of two runs.",
    "curves": "Draw curves of runs by recall, cutoff and query.",
    "trend": "Show how saved results changed from build to build.",
    "show": "Show a saved result in another format.",
    "report": "Write a self-contained HTML report about runs.",
    "fuse": "Merge several runs into one.",
    "validate": "Check judgments and runs for errors.",
    "convert": "Write judgments or runs in another format.",
    "measures": "List the measures, or explain one.",
    "formats": "List the file formats that irev reads.",
    "completion": "Print the script that completes commands in a shell.",
    "help": "Explain a word, and say what to type.",
}
"""Those of the core, and what each does; the help of all commands needs no module of theirs."""

OTHERS = {"show": "show", "measures": "lists", "formats": "lists", "completion": "completion", "help": "lookup"}
"""Those that ask no question, and the module of `irev.cli` in which each is the click command ``NAME_command``."""


def commands() -> tuple[str, ...]:
    """Return all commands, those of extensions where these say, or before those that ask no question."""
    listed = [*COMMANDS]
    for each in registry.every():
        for name in each.commands:
            if name not in listed:
                before = each.after.get(name)
                place = listed.index(before) + 1 if before in listed else listed.index("measures")
                listed.insert(place, name)
    return tuple(listed)


def is_command(name: str) -> bool:
    """Return True if there is a command, in the core or in an extension. Files go before other people's extensions."""
    if name in COMMANDS:
        return True
    is_word = name[:1].isalpha() and name.replace("-", "").isalpha()
    return is_word and registry.with_command(name, bundled_alone=os.path.exists(name)) is not None


def group_of(name: str) -> tuple[str, ...]:
    """Return the commands of a group of commands; none for a command."""
    extension = None if name in COMMANDS else registry.with_command(name)
    return () if extension is None else extension.commands[name]


def every_command() -> tuple[str, ...]:
    """Return all commands that do something: ``eval``, ``online ab``."""
    return tuple(f"{name} {one}".rstrip() for name in commands() for one in group_of(name) or ("",))


def questions() -> tuple[str, ...]:
    """Return the commands that are made from the choices of a question, in `irev.commands` or an extension."""
    return tuple(name for name in every_command() if name not in OTHERS)


ALSO = {"evaluate": "eval"}
"""Names of commands that newcomers guess, and the command that each runs."""


def line_of(name: str) -> str:
    """Return what a command does, in a line; one of an extension is imported for that."""
    return COMMANDS.get(name) or command(name).get_short_help_str(80)


def command(name: str) -> click.Command:
    """One of `every_command`."""
    context = click.Context(irev)
    first, _, second = name.partition(" ")
    found = irev.get_command(context, first)
    if second and isinstance(found, click.Group):
        found = found.get_command(context, second)
    if found is None:
        raise KeyError(name)
    return found


class DefaultGroup(click.Group):
    """A group of `COMMANDS` of which ``eval`` need not be named: ``irev QRELS RUN``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line_of(name)) for name in commands()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = ALSO.get(cmd_name, cmd_name)
        if not is_command(cmd_name):
            return None
        if several := group_of(cmd_name):
            return QuestionGroup(cmd_name, several)
        if cmd_name not in OTHERS:
            return command_of(question_of(cmd_name))
        command: click.Command = getattr(importlib.import_module(f"irev.cli.{OTHERS[cmd_name]}"), f"{cmd_name}_command")
        return _with_help(command)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing and args and not is_command(args[0]):  # a shell asks how the line may go on
            return super().parse_args(ctx, ["eval", *args])
        own = {option for parameter in self.params for option in parameter.opts}
        if args and args[0] not in own and not is_command(args[0]):
            if not args[0].startswith("-") and not os.path.exists(args[0]):
                if args[0] in ALSO:
                    return super().parse_args(ctx, args)
                self._refuse_misspelt(args[0], ctx)
            args = ["eval", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands, and files, since what follows may be an evaluation."""
        from click.shell_completion import CompletionItem  # slow to import

        named = [name for name in commands() if name.startswith(incomplete)]
        items = [CompletionItem(name, help=line_of(name)) for name in named]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*items, *options, CompletionItem(incomplete, type="file")]

    def _refuse_misspelt(self, word: str, ctx: click.Context) -> None:
        from difflib import get_close_matches

        from irev.base import glossary

        if absent := registry.absent("commands", word):
            raise click.UsageError(f"irev {word} is {absent}", ctx)
        near = [f"irev {name}" for name in get_close_matches(word, commands(), n=1, cutoff=0.7)]
        known = glossary.commands(word) if re.fullmatch(r"[\w -]+", word) else ()
        meant = near or known or ([f"irev eval -m {word}"] if _is_measure(word) else [])
        if listed := " or ".join(f"'{each}'" for each in meant):
            raise click.UsageError(f"there is no file or command '{word}'; did you mean {listed}?", ctx)


def _is_measure(word: str) -> bool:
    from irev.measures.request import is_measure

    return is_measure(word)


@click.group(
    cls=DefaultGroup,
    params=[
        version_option(),
        help_option(),
    ],
    add_help_option=False,
    context_settings={"max_content_width": 100},
    epilog="`irev QRELS RUN` means `irev eval QRELS RUN`. Exit status: "
    + ", ".join(f"{number} {said}" for number, (said, _) in MEANINGS.items())
    + ".",
)
def irev() -> None:
    """Evaluate ranked retrieval: trec_eval's numbers, byte for byte, and faster on large files."""


def _with_help(command: click.Command) -> click.Command:
    """The command, whose help is its docstring, with the help that it lacks where Python drops docstrings."""
    if command.help is None and command.callback is not None:
        command.help = cleandoc(docstring(command.callback))
    return command


_with_help(irev)


def run(arguments: list[str], command: click.Group = irev, name: str = "irev") -> int:
    """Run the command line with the given arguments; the exit status. Another `command` may be called by its `name`."""
    with whole_streams():
        return _run(arguments, command, name)


def _run(arguments: list[str], command: click.Group, name: str) -> int:
    try:
        if "_IREV_COMPLETE" in os.environ:  # a shell asks
            from irev.cli import completion

            return completion.answer(os.environ["_IREV_COMPLETE"], command)
        # Not `irev.main`, which takes any pipe that breaks for an end with status 1.
        with command.make_context(name, arguments) as context, together():
            status = command.invoke(context)
        return status if isinstance(status, int) else DONE
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        tell(f"{error.ctx.get_help() if error.ctx else error.format_message()}\n")
        return REFUSED
    except click.UsageError as error:
        say(f"irev: error: {_usage(error)}")
        if error.ctx is not None and type(error) is not click.UsageError:  # those say what to do instead
            say(f"Try '{error.ctx.command_path} --help'.")
        return REFUSED
    except click.ClickException as error:
        say(f"irev: error: {error.format_message()}")
        return REFUSED
    except IrevError as error:
        say(f"irev: error: {error.typed}")
        return REFUSED
    except Unwritable as error:
        say(f"irev: error: the output cannot be written: {error.strerror}")
        return REFUSED
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """Say what is no refusal of irev's own; the exit status."""
    if is_shortage(error):
        what = "no thread can be started" if "thread" in str(error) else f"{OUT_OF_MEMORY}{allowed()}"
        say(f"irev: error: {what}; evaluate fewer runs, queries or measures at a time")
        return REFUSED
    if isinstance(error, OSError):
        say(f"irev: error: the system refuses: {error}")
    else:
        _report(error)
    return FAULT


def _usage(error: click.UsageError) -> str:
    message = error.format_message()
    message = message[:1].lower() + message[1:].rstrip(".")
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        from difflib import get_close_matches

        if now := instead(error.ctx.command_path.partition(" ")[2], error.option_name):
            return f"there is no option '{error.option_name}'; {now}"
        options = [option for parameter in error.ctx.command.params for option in parameter.opts]
        begun = [o for o in options if o.startswith(error.option_name) and error.option_name.startswith("--")]
        # Who types a letter may mean the last word of a name: -k is no constant of rrf, and --rrf-k is.
        ends = [o for o in options if o.endswith(error.option_name) and o.startswith("--")]
        # And --json the word of an option: -f json.
        word = error.option_name.removeprefix("--")
        words = [f"{p.opts[0]} {word}" for p in error.ctx.command.params if word in getattr(p.type, "choices", ())]
        near = begun or ends or words
        if not near and (others := _with_option(error.option_name)):
            return f"there is no option '{error.option_name}'; {others} it"
        listed = " or ".join(near or get_close_matches(error.option_name, options, n=3))
        return f"there is no option '{error.option_name}'{f'; did you mean {listed}?' if listed else ''}"
    return message


def _with_option(name: str) -> str:
    """The commands that have a long option, as the subject of a sentence; nothing where none or most have it."""
    if not name.startswith("--"):
        return ""
    found = [f"irev {each}" for each in every_command() if any(name in option.opts for option in command(each).params)]
    if not found or len(found) > MOST_COMMANDS:
        return ""
    *others, last = found
    return f"{', '.join(others)} and {last} have" if others else f"{last} has"


MOST_COMMANDS = 5
"""An option that more commands have is not named by these."""


def _report(error: Exception) -> None:
    """A short report on an internal error: what and where, for whoever mends it."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    say(f"irev: internal error: {type(error).__name__}: {error}{where}")
    say(f"This is a fault of irev {__version__}, not of your files. Please report it with the command line.")
    if os.environ.get("IREV_TRACEBACK"):
        for line in "".join(traceback.format_exception(error)).splitlines():
            say(line)
