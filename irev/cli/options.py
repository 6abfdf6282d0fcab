"""Options that commands share, by the names of their groups; the types of their values; and the settings and files made
of them.

They set the fields of `irev.base.settings.Settings`, `Reporting` (how findings are shown) and `Running` (how runs are
evaluated). Every option is called like the field that it sets, so that a command can pass them on as they are.

An option without effect is refused if ignoring it may mislead, such as gains when no measure uses them. Options about
looks, or about how something is computed, are ignored if a style has no such looks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from irev.base import choice as kinds
from irev.base.choice import Choice, Kind, choice, choices_of
from irev.base.errors import InputError, option, shown
from irev.base.records import dataclass
from irev.base.registry import did_you_mean, executors
from irev.base.settings import ABOUT, QUERIES, RELEVANT, Settings
from irev.base.text import counted
from irev.cli.help import Headed
from irev.cli.output import coloured, columns, refuse_inputs, write_pieces
from irev.commands import question
from irev.output.report import Look
from irev.output.styles import DATA, EVALUATION, TABLE, chosen, for_screens, pieces, require, styles
from irev.reading.sources import STANDARD_INPUT, Source, is_dataset

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from irev.output.report import Report, Sort


class Typed(click.ParamType[Any]):
    """A kind of values, as click asks for it."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.name = kind.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):  # a default, or what was read already
            return float(value) if isinstance(self.kind, kinds.Real) else value
        try:
            return self.kind.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class WordList(Typed):
    """One or several of some words, with commas between them."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """The words that are not there yet, behind those that are."""
        from click.shell_completion import CompletionItem  # slow to import

        before, comma, last = incomplete.rpartition(",")
        words = self.kind.words if isinstance(self.kind, kinds.Words) else ()
        left = [word for word in words if word.startswith(last) and word not in before.split(",")]
        return [CompletionItem(before + comma + word) for word in left]


class Name(click.Choice[str]):
    """One of some names, in letters of either case; an error says which one is near to any other.

    Parameters
    ----------
    names : iterable of str
    elsewhere : mapping of str to str
        What some of them are called by others, where that is not near.
    """

    def __init__(self, names: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> None:
        super().__init__(tuple(names), case_sensitive=False)
        self._elsewhere = elsewhere or {}

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx).rstrip(".")
        known = self._elsewhere.get(str(value).lower().replace("_", "-"))
        remedy = f"did you mean {known!r}?" if known else did_you_mean(str(value), self.choices)
        return f"{message}; {remedy}" if remedy else message


class Single(Headed):
    """An option of one value: of several the last counts, as in trec_eval, but no file is passed over."""

    def __init__(self, *given: Any, kind: Kind, **more: Any) -> None:
        super().__init__(*given, **more)
        self._kind = kind

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """All values are kept by the parser, for `consume_value`."""
        parser.add_option(self, self.opts, self.name, action="append")

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """The last value, or what stands for one. Raises `click.UsageError` for several of which one is a file."""
        name, kind = str(self.name), self._kind
        typed = opts.get(name, ())
        if len(typed) > 1 and any(map(kind.names_file, typed)) and not ctx.resilient_parsing:
            long = next(each for each in self.opts if each.startswith("--"))
            called = "/".join(dict.fromkeys((self.opts[0], long)))
            remedy = kind.only if isinstance(kind, kinds.File) else kinds.File.only
            raise click.UsageError(f"{called} is given twice, and takes one file; {remedy}", ctx)
        return super().consume_value(ctx, {name: typed[-1]} if typed else {})


def _joined(ctx: click.Context, param: click.Parameter, value: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The words of an option that may be repeated, each once."""
    return tuple(dict.fromkeys(word for words in value for word in words))


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """What a shell offers after ``-m``, ``--qrels-format`` and ``--run-format``."""
    from irev.cli import lists  # which imports measures

    return (lists.complete_format if str(param.name).endswith("_format") else lists.complete_measures)(
        ctx, param, incomplete
    )


class Digits(Kind):
    """How many digits follow the point, 0 to 17, or ``exact``."""

    metavar = "N"
    name = "digits"

    def read(self, text: str) -> int:
        if text == "exact":
            return -1
        if not re.fullmatch(r"[0-9]{1,2}", text, re.ASCII) or int(text) > 17:
            raise ValueError(f"'{text}' is neither a number from 0 to 17 nor 'exact'")
        return int(text)


class DebugLevel(Kind):
    """``0`` means nothing, ``0.QUERY`` evaluates that query alone, and debug output is not served."""

    metavar = "0.QUERY"

    def read(self, text: str) -> bytes | None:
        level, _, query = text.partition(".")
        if level != "0":
            raise ValueError("there is no debug output; -D 0.QUERY only selects that query")
        return os.fsencode(query) if query else None


class ExecutorName(Kind):
    """What an executor is called: ``dask://HOST:PORT``, ``processes``."""

    metavar = "EXECUTOR"
    name = "executor"

    def read(self, text: str) -> str:
        from irev.evaluation.batch import PROCESSES

        if text == PROCESSES or (module := executors()).is_name(text):
            return text
        raise ValueError(f"'{text}' is not an executor; {module.EXPECTED}")


class SortedBy(kinds.MeasureName):
    """A measure that tables are sorted by, and which end stands first."""

    metavar = "NAME[:asc|desc]"


def require_configured(ctx: click.Context | None, name: str, path: str, more: str = "") -> None:
    """Raise `InputError`, with file and key, for a file that a configuration file names for an option, and that is not
    there. The remedy ends with `more`."""
    if ctx is not None and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
        require_there(ctx.params["config"].path, name.replace("_", "-"), path, more)


def require_inside(ctx: click.Context, name: str, paths: Iterable[str | None]) -> None:
    """Raise `InputError`, with file and key, for an output that a configuration file may not name."""
    for path in paths:
        if path is not None and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
            _require_inside(ctx.params["config"].path, name.replace("_", "-"), path)


def require_there(path: str, key: str, named: str, more: str = "") -> None:
    """Raise `InputError` for a key of the file `path` that names a file, where there is none.

    Its remedy ends with `more`.
    """
    if named != STANDARD_INPUT and not is_dataset(named) and not os.path.exists(named):
        fact = f"the key '{key}' names {shown(os.fsencode(named))}, which does not exist"
        raise InputError(fact, path, f"paths are relative to the folder of this file{more}")


def _require_inside(path: str, key: str, named: str) -> None:
    """Raise `InputError` for a key of the file `path` that names an output outside the folder of that file, a hidden
    one such as a hook in .git, or a program, also where links lead there: the file may come with a checkout of
    strangers."""
    if named == STANDARD_INPUT:  # on the command line standard output has the same name
        return
    folder, target = os.path.join(os.path.realpath(os.path.dirname(path)), ""), os.path.realpath(named)
    if not target.startswith(folder):
        refused = "is outside the folder of this file"
    elif any(part.startswith(".") for part in target.removeprefix(folder).split(os.sep)):
        refused = "is a hidden file or in a hidden folder"
    elif os.path.isfile(target) and os.stat(target).st_mode & 0o111:
        refused = "exists and is executable"
    elif os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        refused = "exists and is not a regular file"
    else:
        return
    fact = f"the key '{key}' names the output {shown(os.fsencode(named))}, which {refused}"
    raise InputError(fact, path, f"give {option(key)} on the command line")


class QueryList(NamedTuple):
    """The queries that a file lists, and the file."""

    path: str
    queries: tuple[bytes, ...]


class QueriesType(click.ParamType["str | QueryList"]):
    """``both``, ``qrels``, ``relevant`` or ``run``, or a file with a query id on each line."""

    name = "queries"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | QueryList:
        if not isinstance(value, str) or value in QUERIES:
            return value  # type: ignore[no-any-return]
        require_configured(ctx, str(param.name) if param is not None else "", value)
        if not os.path.exists(value):
            self.fail(f"'{value}' is neither a file nor one of {', '.join(QUERIES)}", param, ctx)
        from irev.reading.small_files import read_ids

        with Source(value) as source:
            return QueryList(value, tuple(read_ids(source)))


class NumbersRead(NamedTuple):
    """What a file has for each name, and the file."""

    path: str
    numbers: tuple[tuple[Any, float], ...]


class NumbersFile(click.ParamType[NumbersRead]):
    """A file of names and numbers, read."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> NumbersRead:
        if isinstance(value, NumbersRead):
            return value
        setting = str(param.name) if param is not None else ""
        require_configured(ctx, setting, value)
        from irev.reading.small_files import NAMED_NUMBERS

        with Source(value) as source:
            return NumbersRead(value, NAMED_NUMBERS[setting][0](source))


def with_numbers(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices with the numbers themselves, as settings have them, where a file has them."""
    return {name: each.numbers if isinstance(each, NumbersRead) else each for name, each in choices.items()}


def inputs_given(ctx: click.Context, paths: Iterable[str | None]) -> tuple[str, ...]:
    """Every file that is read, with those that list runs, ``@FILE``, and those of a format, ``NAME:FILE``; one of them
    may be standard input."""
    formats = (ctx.params.get(each) or "" for each in ("qrels_format", "run_format"))
    paths = (*paths, *(each.partition(":")[2] or None for each in formats))
    numbers = (each.path for each in ctx.params.values() if isinstance(each, NumbersRead))
    given = tuple(path for path in (*paths, *numbers) if path is not None)
    inputs = (*given, *(path[1:] for path in given if path.startswith("@")))
    if inputs.count("-") > 1:
        raise click.UsageError("only one of the files can be standard input", ctx)
    return inputs


def setting_option(setting: str, **about: Any) -> click.Option:
    """The option of a setting, made of what stands beside it; some of that may be otherwise, its default too."""
    default = about.pop("default", getattr(Settings(), setting))
    return option_of(setting, ABOUT[setting]._replace(**about), default)


def options_of(record: type, *names: str) -> tuple[click.Option, ...]:
    """The choices of a record as options, or those of some names."""
    return tuple(option_of(*each) for each in choices_of(record) if each[0] in (names or each))


def option_of(name: str, about: Choice, default: Any, **choices: Any) -> click.Option:
    """A choice as an option."""
    flags = about.flags.split() or [f"--{name.replace('_', '-')}"]
    kind = about.kind
    if isinstance(kind, kinds.Flag):
        return Headed([*flags, name], is_flag=True, default=default, help=about.help, heading=about.heading)
    if isinstance(default, float) and default.is_integer():
        default = int(default)  # help shows 1, not 1.0
    given = {
        "type": _type_of(kind),
        "metavar": kind.metavar,
        "default": None if about.several else default,
        "show_default": default not in (None, ()),
        "shell_complete": _complete if kind.offers else None,
        "callback": _joined if isinstance(kind, kinds.Words) else None,
        **choices,
    }
    given |= {"help": about.help, "heading": about.heading}
    if about.several:
        return Headed([*flags, name], multiple=True, **given)
    return Single([*flags, name], kind=kind, **given)


def _type_of(kind: Kind) -> click.ParamType[Any]:
    if isinstance(kind, kinds.Queries):
        return QueriesType()
    if isinstance(kind, kinds.NamedNumbers):
        return NumbersFile()
    if isinstance(kind, kinds.NearName):
        return Name(kind.words, kind.elsewhere)
    if isinstance(kind, kinds.Words):
        return WordList(kind)
    return click.Choice(kind.words) if isinstance(kind, kinds.Word) else Typed(kind)


@dataclass(frozen=True)
class Reporting:
    """How findings are shown."""

    style: str | None = choice(
        None,
        f"output format: table, for people; {', '.join(styles()[1:])}. Default: by the ending of the output file, "
        "or table",
        kinds.Word(styles(), "STYLE"),
        "-f --format",
        heading="Output",
    )
    output: str | None = choice(
        None,
        "write to FILE instead of standard output",
        kinds.NewFile(),
        "-o --output --Output_old_results_format",
        heading="Output",
    )
    names: str | None = choice(
        None,
        "names of measures: map_cut_10 (trec) or AP@10 (standard). Default:"
        " standard in formats for people (table, markdown, …), trec in the others",
        kinds.Word(("trec", "standard")),
        heading="Output",
    )
    digits: int = choice(4, "digits after the decimal point, or `exact`: all digits", Digits(), heading="Output")
    wide: bool = choice(
        False, "with tsv and csv: a row for each query, a column for each measure", kinds.Flag(), heading="Output"
    )
    sort: str | None = choice(
        None,
        "order runs by this measure, best first, with ranks in a table. With -q -f table: order queries, worst "
        "first; with several runs also by best, median, worst or spread. :asc and "
        ":desc choose the direction",
        SortedBy(),
        heading="Output",
    )


def reporting_to(how: Reporting, inputs: tuple[str, ...], kind: str = "", usual: str = "") -> Reporting:
    """Return how a report of some kind is shown: in the style asked for, or the usual one of its kind.

    Raises
    ------
    UsageError
        It would be written over an input.
    IrevError
        What the style needs is not installed. Both are to be told before a long computation.
    """
    refuse_inputs(how.output, inputs)
    style = chosen(how.style, how.output, kind, usual)
    require(style)
    return replace(how, style=style)


def show(report: Report, how: Reporting, inputs: tuple[str, ...], sort: Sort | None = None, new: bool = False) -> None:
    """Write a report as it is asked for, over none of the `inputs`, and where it is to be `new` over no other file."""
    style = how.style or TABLE
    safe = for_screens(style)
    width, colour = _screen(how.output) if safe else (None, False)
    look = Look(how.names, how.digits, how.wide, sort, width, colour)
    write_pieces(pieces(style, report, look), how.output, inputs, safe, new)


def _screen(path: str | None) -> tuple[int, bool]:
    """The width, and whether there are colours, of a terminal, if one is written to."""
    return columns(), path is None and coloured()


@dataclass(frozen=True)
class Running:
    """How several runs are evaluated, and where."""

    jobs: int | None = choice(
        None,
        "number of processes; a large run is divided among them too",
        kinds.Whole(1),
        "-j --jobs",
        heading="Output",
    )
    executor: str | None = choice(
        None,
        "where runs are evaluated: dask://HOST:PORT, or processes (the default: processes of this machine). "
        "Workers read the files themselves; ?wait=SECONDS behind the port waits longer than 60 for the first",
        ExecutorName(),
        heading="Output",
    )
    skip_broken: bool = choice(
        False, "leave out runs that cannot be read, with a warning for each", kinds.Flag(), heading="Output"
    )


def _style_option(formats: str, usual: str, kind: str = "") -> click.Option:
    """The option of the output format, of which `formats` says which there are."""
    about = {name: about for name, about, _ in choices_of(Reporting)}["style"]
    says = f"output format: {formats}. Default: by the ending of the output file, or {usual}"
    return option_of("style", about._replace(says=says, kind=kinds.Word(styles(kind), "STYLE")), None)


def _refuse_format(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Raise `click.UsageError` for a format of runs that trec_eval reads, and irev does not."""
    if value not in (None, "trec_results"):
        raise click.UsageError(f"-T {value}: of trec_eval's formats of runs only trec_results is read", ctx)


_FORMATS = (*map(setting_option, ("qrels_format", "run_format", "columns")),)
_ORDERING = (*map(setting_option, ("order", "ties", "duplicates")),)
_SEEN = ("judged_only", "gains")
_MEASURING = (*map(setting_option, ("level", "depth", *_SEEN)),)

GROUPS: dict[str, tuple[click.Option, ...]] = {
    question.REPORTING: options_of(Reporting, "style", "output"),
    question.DIGITS: options_of(Reporting, "digits"),
    question.SHOWING: (
        _style_option(
            f"trec, trec_eval's lines; table, for people; {', '.join(styles(EVALUATION)[2:])}", "trec", EVALUATION
        ),
        *options_of(Reporting, "output", "names", "digits", "wide", "sort"),
    ),
    question.LISTS: (
        _style_option(
            f"{', '.join(DATA)}: the lists for users; "
            f"{', '.join(each for each in styles() if each not in DATA)}: a summary",
            "jsonl",
        ),
        *options_of(Reporting, "output"),
    ),
    question.SKIPPING: options_of(Running, "skip_broken"),
    question.JOBS: options_of(Running, "jobs"),
    question.ELSEWHERE: options_of(Running, "executor"),
    question.READING: (
        *_FORMATS,
        *_ORDERING,
        *map(setting_option, ("negative", "grade_words", "drop_self", "document_of", "compat")),
    ),
    question.FORMATS: _FORMATS,
    question.RUN_FORMATS: _FORMATS[1:],
    question.ORDERING: _ORDERING,
    # As in trec_eval.
    question.WHICH_QUERIES: (
        setting_option("complete"),
        setting_option(
            "queries",
            more=": those in both files, all of the qrels (as -c), all of the run, or those that a file lists",
        ),
    ),
    # A run must not win by losing its hard queries.
    question.EVERY_QUERY: (
        setting_option(
            "queries",
            default="qrels",
            more=": qrels, all judged queries, where one without results counts as an empty ranking; both, those that"
            " are judged and in every run; or a file that lists them",
        ),
    ),
    question.MEASURING: _MEASURING,
    question.EVALUATING: (
        *_MEASURING,
        *map(setting_option, ("collection_size", "costs", "strict")),
        setting_option("only", flags="-D --Debug_level", kind=DebugLevel()),
        click.Option(["-T", "--Results_format"], expose_value=False, hidden=True, callback=_refuse_format),
    ),
    question.COMPARING: (*_MEASURING, setting_option("strict")),
    # ``--depth`` once was how many documents are shown.
    question.PAGES: (
        *options_of(Reporting, "digits"),
        setting_option("level"),
        setting_option(
            "depth", flags="-M --Max_retrieved_per_topic", says="keep the first N documents of each ranking"
        ),
        *map(setting_option, _SEEN),
    ),
}
"""The options of each group that questions share. Options of texts are elsewhere: not every command loads them."""


R = TypeVar("R")


def pick(record: type[R], choices: dict[str, Any]) -> R:
    """A record made of the choices that are called like its fields, which are taken out."""
    given = {field.name: choices.pop(field.name) for field in fields(record) if field.name in choices}  # type: ignore[arg-type]
    return record(**given)


def files_of(
    files: tuple[str, ...], sets: tuple[tuple[str, str], ...], ctx: click.Context, kind: kinds.RunFiles
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The sets of judgments, and the runs, those in lists and folders included."""
    if not sets:
        first = len(kind.sets)
        if len(files) < first + kind.least:
            given = counted(len(files), "file")
            more = f" and at least one RUN, but got {given}" if kind.least else ", and any number of runs"
            raise click.BadArgumentUsage(f"expected {kind.called}{more}", ctx)
        sets, files = tuple(zip(kind.sets, files, strict=False)), files[first:]
    elif not files:
        raise click.BadArgumentUsage("expected at least one RUN", ctx)
    for _, path in sets:
        if isinstance(path, kinds.NamedRun):
            fact = f"'{path.called}={path}' is in the place of judgments, and only runs have names there"
            raise click.UsageError(f"{fact}; give the file alone", ctx)
    if len({name for name, _ in sets}) < len(sets):
        raise click.UsageError("two sets of judgments have the same name; use --qrels NAME=FILE", ctx)
    return sets, runs_of(files, ctx)


def runs_of(files: Sequence[str], ctx: click.Context) -> tuple[str, ...]:
    """The runs, those in lists and folders included."""
    from irev.reading.small_files import runs_named

    found: list[str] = []
    for argument in files:
        paths = runs_named(argument)
        if isinstance(argument, kinds.NamedRun):
            if len(paths) > 1:
                fact = f"the name '{argument.called}' is for one run, and there are {len(paths)} in '{argument}'"
                raise click.UsageError(f"{fact}; leave out the name", ctx)
            paths = [kinds.NamedRun.of(path, argument.called) for path in paths]
        found += paths
    return tuple(found)


def settings_of(choices: Mapping[str, Any], ctx: click.Context) -> tuple[Settings, tuple[str, ...]]:
    """The settings that options ask for, -c and --queries agreeing, and the files that were read for them."""
    queries = choices.get("queries", Settings.queries)
    listed = (queries.path,) if isinstance(queries, QueryList) else ()
    wanted = queries.queries if isinstance(queries, QueryList) else queries
    settings = Settings(**{**with_numbers(choices), "queries": wanted})
    if settings.qrels_format is not None:
        from irev.reading.formats import settled

        settings = settled(settings)
    said = ctx.get_parameter_source("queries") in GIVEN
    if settings.queries == "qrels":
        settings = replace(settings, queries="both", complete=True)
    elif settings.queries == RELEVANT:
        settings = replace(settings, complete=True)
    elif settings.complete and (said or settings.queries != "both"):
        raise click.UsageError("-c means --queries qrels, but another --queries is given", ctx)
    return settings, listed


def are_saved(files: Sequence[str], scores: bool) -> bool:
    """Whether files hold values of queries, rather than judgments and runs; no files at all are taken for such."""
    from irev.evaluation.comparison.systems import hold_scores

    return scores or not files or hold_scores(files)


GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
"""Where an option is from that somebody has asked for: typed, or written into a configuration file."""


def refuse_idle(ctx: click.Context, why: str, *names: str) -> None:
    """Raise `click.UsageError` for an option that is given and would change nothing.

    Parameters
    ----------
    ctx : click.Context
    why : str
        What keeps it from changing anything, and what to do.
    names : str
        The parameters of the command that are meant.
    """
    for parameter in ctx.command.params:
        if parameter.name in names and ctx.get_parameter_source(parameter.name) in GIVEN:
            written = next((option for option in parameter.opts if option.startswith("--")), parameter.opts[0])
            short = next((option for option in parameter.opts if not option.startswith("--")), written)
            written += f" ({short})" * (short != written)  # which of the two was typed is not known
            raise click.UsageError(f"{written} has no effect here: {why}", ctx)
