"""Options that become `irev.base.settings.Settings`, shared by commands, and the types that read their values strictly.

Every option is called like the field of `Settings` that it sets, so that a command can pass them on as they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from irev import __version__
from irev.base import kinds
from irev.base.choice import Choice, choices_of
from irev.base.kinds import Kind
from irev.base.records import dataclass
from irev.base.settings import ABOUT, COLUMNS, QUERIES, Settings
from irev.doors.cli.help import Headed
from irev.output.styles import EVALUATION, styles

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from irev.doors.cli.output import Output
    from irev.reading.costs import Costs

F = TypeVar("F", bound=Callable[..., Any])


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


class WholeNumber(Typed):
    """A whole number that is not too small."""

    def __init__(self, least: int) -> None:
        super().__init__(kinds.Whole(least))


class Grade(Typed):
    """A decimal number of 0 or more."""

    def __init__(self) -> None:
        super().__init__(kinds.Grade())


class ByGrade(Typed):
    """A number for each of some grades."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(kinds.ByGrade(*given, **more))


class WordList(Typed):
    """One or several of some words, with commas between them."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """The words that are not there yet, behind those that are."""
        from click.shell_completion import CompletionItem  # slow to import

        before, comma, last = incomplete.rpartition(",")
        words = self.kind.words if isinstance(self.kind, kinds.Words) else ()
        left = [word for word in words if word.startswith(last) and word not in before.split(",")]
        return [CompletionItem(before + comma + word) for word in left]


def _joined(ctx: click.Context, param: click.Parameter, value: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The words of an option that may be repeated, each once."""
    return tuple(dict.fromkeys(word for words in value for word in words))


class NamedFile(Typed):
    """A name and a file."""

    def __init__(self) -> None:
        super().__init__(kinds.NamedFile())


def complete_measures(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """What a shell offers after ``-m``: the names, in each style, that begin with what was typed."""
    from click.shell_completion import CompletionItem  # slow to import

    from irev.measures.offered import offered

    return [CompletionItem(name, help=meaning) for name, meaning in offered(incomplete)]


def complete_format(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """What a shell offers after ``--qrels-format`` and ``--run-format``: the formats that there are."""
    from click.shell_completion import CompletionItem

    from irev.reading.formats import JUDGMENTS, RUNS, listed

    formats = listed(JUDGMENTS if param.name == "qrels_format" else RUNS)
    return [CompletionItem(each.name, help=each.description) for each in formats if each.name.startswith(incomplete)]


class Digits(click.ParamType[int]):
    """How many digits follow the point, 0 to 17, or ``exact``."""

    name = "digits"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if value == "exact":
            return -1
        if not re.fullmatch(r"[0-9]{1,2}", value, re.ASCII) or int(value) > 17:
            self.fail(f"'{value}' is neither a number from 0 to 17 nor 'exact'", param, ctx)
        return int(value)


class QueryList(NamedTuple):
    """The queries that a file lists, and the file."""

    path: str
    queries: tuple[bytes, ...]


class Queries(click.ParamType["str | QueryList"]):
    """``both``, ``qrels`` or ``run``, or a file with a query id on each line."""

    name = "queries"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | QueryList:
        if not isinstance(value, str) or value in QUERIES:
            return value  # type: ignore[no-any-return]
        if ctx is not None and param is not None and param.name:
            from irev.doors.cli.configured import require_configured

            require_configured(ctx, param.name, value)
        if not os.path.exists(value):
            self.fail(f"'{value}' is neither a file nor one of {', '.join(QUERIES)}", param, ctx)
        from irev.reading.id_lists import read_ids
        from irev.reading.sources import Source

        with Source(value) as source:
            return QueryList(value, tuple(read_ids(source)))


class CostList(NamedTuple):
    """The costs that a file has, and the file."""

    path: str
    costs: Costs


class CostsFile(click.ParamType[CostList]):
    """A file of costs, read."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> CostList:
        if isinstance(value, CostList):
            return value
        if ctx is not None and param is not None and param.name:
            from irev.doors.cli.configured import require_configured

            require_configured(ctx, param.name, value)
        from irev.reading.costs import read_costs
        from irev.reading.sources import Source

        with Source(value) as source:
            return CostList(value, read_costs(source))


def with_costs(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices with the costs themselves, as settings have them, where a file has them."""
    return {**choices, "costs": choices["costs"].costs} if choices.get("costs") is not None else {**choices}


def inputs_given(ctx: click.Context, paths: Iterable[str | None]) -> tuple[str, ...]:
    """Every file that is read, with those that list runs, ``@FILE``, and those of a format, ``NAME:FILE``; one of them
    may be standard input."""
    costs = ctx.params.get("costs")
    formats = (ctx.params.get(each) or "" for each in ("qrels_format", "run_format"))
    paths = (*paths, *(each.partition(":")[2] or None for each in formats))
    given = tuple(path for path in (*paths, costs.path if isinstance(costs, CostList) else None) if path is not None)
    inputs = (*given, *(path[1:] for path in given if path.startswith("@")))
    if inputs.count("-") > 1:
        raise click.UsageError("only one of the files can be standard input", ctx)
    return inputs


def _refused(sentence: str, allowed: str | None = None) -> Any:
    """Callback of an option of trec_eval that is not served: refuse it with a sentence rather than ignore it."""

    def callback(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None and value != allowed:
            raise click.UsageError(f"{param.opts[0]} {value}: {sentence}", ctx)

    return callback


def _debug(ctx: click.Context, param: click.Parameter, value: str | None) -> bytes | None:
    """``-D 0`` means nothing, ``-D 0.QID`` evaluates that query alone, and debug output is not served."""
    if value is None:
        return None
    level, _, query = value.partition(".")
    if level != "0":
        raise click.UsageError(f"-D {value}: there is no debug output; -D 0.QUERY evaluates that query alone", ctx)
    return os.fsencode(query) if query else None


def setting_option(setting: str, more: str = "", **choices: Any) -> Callable[[F], F]:
    """The option of a setting, made of what stands beside it; its help may go on with something else."""
    about = ABOUT[setting]
    if isinstance(about.kind, kinds.Queries | kinds.Costs):
        choices = {"type": Queries() if isinstance(about.kind, kinds.Queries) else CostsFile(), **choices}
    default = choices.pop("default", getattr(Settings(), setting))
    return _given_to_commands(option_of(setting, about._replace(more=more or about.more), default, **choices))


def options_of(record: type, *names: str) -> tuple[Callable[[F], F], ...]:
    """The choices of a record as options, or those of some names."""
    declared = [each for each in choices_of(record) if each[0] in (names or each)]
    return tuple(_given_to_commands(option_of(*each)) for each in declared)


def _given_to_commands(made: click.Option) -> Callable[[F], F]:
    def give(command: F) -> F:
        parameters = (
            command.params if isinstance(command, click.Command) else vars(command).setdefault("__click_params__", [])
        )
        parameters.append(made)
        return command

    return give


_COMPLETED = {
    **dict.fromkeys((kinds.Measure, kinds.Conditions, kinds.Limits), complete_measures),
    kinds.FormatName: complete_format,
}
"""What a shell offers for kinds of values."""


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
        "shell_complete": _COMPLETED.get(type(kind)),
        "callback": _joined if isinstance(kind, kinds.Words) else None,
        **choices,
    }
    return Headed([*flags, name], multiple=about.several, help=about.help, heading=about.heading, **given)


def _type_of(kind: Kind) -> click.ParamType[Any]:
    if isinstance(kind, kinds.Name):
        from irev.doors.cli.names import Name

        return Name(kind.words, kind.elsewhere)
    if isinstance(kind, kinds.Words):
        return WordList(kind)
    return click.Choice(kind.words) if isinstance(kind, kinds.Word) else Typed(kind)


OUTPUT = click.option(
    "-o",
    "--output",
    "--Output_old_results_format",
    "output",
    metavar="FILE",
    help="Write to FILE instead of standard output.",
    cls=Headed,
    heading="Output",
)

_NAMES = click.option(
    "--names",
    type=click.Choice(("trec", "standard")),
    help="Names of measures: map_cut_10 (trec) or AP@10 (standard). Default: standard for people, trec elsewhere.",
    cls=Headed,
    heading="Output",
)

DIGITS = click.option(
    "--digits",
    type=Digits(),
    metavar="N",
    default=4,
    show_default=True,
    help="Digits after the decimal point, or `exact`: all digits.",
    cls=Headed,
    heading="Output",
)

SHOWING = (
    click.option(
        "-f",
        "--format",
        "style",
        metavar="STYLE",
        type=click.Choice(styles(EVALUATION)),
        help="Output format: trec, trec_eval's lines; table, for people;"
        f" {', '.join(styles(EVALUATION)[2:])}. Default: what the ending of the output file asks for, or trec.",
        cls=Headed,
        heading="Output",
    ),
    OUTPUT,
    _NAMES,
    DIGITS,
    click.option(
        "--wide",
        is_flag=True,
        help="With tsv and csv: a row for each query, a column for each measure.",
        cls=Headed,
        heading="Output",
    ),
    click.option(
        "--sort",
        metavar="NAME[:asc|desc]",
        shell_complete=complete_measures,
        help="With a table: runs by this measure, best first, with ranks; with -q queries, worst first, with bars where"
        " they fit; of several runs also by best, median, worst or spread. :asc and :desc say which end is first.",
        cls=Headed,
        heading="Output",
    ),
)
"""How results are shown."""

FORMATS = (
    setting_option("qrels_format"),
    setting_option("run_format"),
    *map(setting_option, COLUMNS),
)
"""How what is read from files is found there."""

LARGE = (setting_option("allow_large"), setting_option("partitioned"))


READING = (
    *FORMATS,
    setting_option("order"),
    setting_option("ties"),
    setting_option("duplicates"),
    setting_option("negative"),
    setting_option("drop_self"),
    *LARGE,
    setting_option("compat"),
    click.option(
        "-T",
        "--Results_format",
        metavar="NAME",
        expose_value=False,
        hidden=True,
        callback=_refused("of trec_eval's formats of runs only trec_results is read", "trec_results"),
    ),
)
"""What is read from files."""

RUN_READING = (
    setting_option("run_format"),
    setting_option("run_columns"),
    setting_option("order"),
    setting_option("ties"),
    setting_option("duplicates"),
    setting_option("drop_self"),
    *LARGE,
    setting_option("compat"),
)
"""The same where runs alone are read, and no measure that averages over ties."""

WHICH_QUERIES = (
    setting_option("complete"),
    setting_option(
        "queries",
        more=": those in both files, all of the qrels (as -c), all of the run, or those that a file lists",
    ),
)
"""Which queries count in `irev eval`: as in trec_eval."""

EVERY_QUERY = (
    click.option("-c", "--complete", is_flag=True, hidden=True),  # what is so anyway
    setting_option(
        "queries",
        default="qrels",
        more=": all of the qrels, where one without results counts as an empty ranking; those in the judgments and"
        " every run (both); or those that a file lists",
    ),
)
"""Which queries count where runs are held against each other: a run must not win by losing its hard queries."""

MEASURING = (*map(setting_option, ("level", "depth", "judged_only", "collection_size", "gains", "costs")),)
"""What measures see of the queries that count."""

PAGES = (
    OUTPUT,
    DIGITS,
    MEASURING[0],
    click.option(
        *("-M", "--Max_retrieved_per_topic", "depth"),
        metavar="N",
        type=WholeNumber(0),
        help="Evaluate no more than the first N documents of each ranking.",
        cls=Headed,
        heading="Measures",
    ),
    *MEASURING[2:],
)
"""How pages about runs look, and what measures see there; ``--depth`` once was how many documents are shown."""

EVALUATING = (
    *MEASURING,
    setting_option("strict"),
    click.option(
        "-D",
        "--Debug_level",
        "only",
        metavar="0.QUERY",
        callback=_debug,
        help=ABOUT["only"].help,
        cls=Headed,
        heading="Queries",
    ),
)
"""What is evaluated."""

COMPARING = (
    *EVALUATING,
    click.option(
        "-Z",
        "--Zscore",
        metavar="FILE",
        expose_value=False,
        callback=_refused("z-scores are what irev eval prints; here values are held against each other as they are"),
        hidden=True,
    ),
)
"""The same where values are taken further than `irev eval` does, and are what they are."""

VERSION = click.version_option(
    __version__,
    "-v",
    "--version",
    message="irev %(version)s",
    help="Show the version and exit.",
    cls=Headed,
    heading="About",
)

QUIET = click.option("--quiet", is_flag=True, help="Show no progress.", cls=Headed, heading="Output")

RUNNING = (
    click.option(
        "--name",
        "names_given",
        metavar="NAME",
        multiple=True,
        help="Name of a run; give it once for each run.",
        cls=Headed,
        heading="Files",
    ),
    click.option(
        "-j",
        "--jobs",
        metavar="N",
        type=WholeNumber(1),
        help="Number of processes; they also share out a large run.",
        cls=Headed,
        heading="Output",
    ),
    QUIET,
    click.option("--all-warnings", is_flag=True, help="Name every run in a warning.", cls=Headed, heading="Output"),
)
"""How several runs are evaluated."""


class ExecutorName(click.ParamType[str]):
    """What an executor is called: ``dask://HOST:PORT``, ``processes``, ``mpi``."""

    name = "executor"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from irev.evaluation.executors import EXPECTED, is_name

        if not is_name(value):
            self.fail(f"'{value}' is no executor; {EXPECTED}", param, ctx)
        return str(value)


ELSEWHERE = (
    click.option(
        "--executor",
        metavar="EXECUTOR",
        type=ExecutorName(),
        help="Where runs are evaluated: dask://HOST:PORT, mpi, or processes of this machine, as without it; workers"
        " read the files themselves.",
        cls=Headed,
        heading="Output",
    ),
)
"""Where several runs are evaluated."""


@dataclass(frozen=True)
class Running:
    """What the options of `RUNNING` and `ELSEWHERE` say."""

    names_given: tuple[str, ...] = ()
    jobs: int | None = None
    quiet: bool = False
    all_warnings: bool = False
    executor: str | None = None


REPORTING = (
    click.option(
        "-f",
        "--format",
        "style",
        metavar="STYLE",
        type=click.Choice(styles()),
        help=f"Output format: table, for people; {', '.join(styles()[1:])}. Default: what the ending of"
        " the output file asks for, or table.",
        cls=Headed,
        heading="Output",
    ),
    OUTPUT,
    DIGITS,
)
"""How reports are shown."""


DATA = ("jsonl", "json", "csv", "tsv", "parquet")
"""The styles that have lists and logs; all others are for people."""

LISTS = (
    click.option(
        "-f",
        "--format",
        "style",
        metavar="STYLE",
        type=click.Choice(styles()),
        help=f"Output format: {', '.join(DATA)}: everything that is shown to users;"
        f" {', '.join(each for each in styles() if each not in DATA)}: a summary. Default: what the ending of the"
        " output file asks for, or jsonl.",
        cls=Headed,
        heading="Output",
    ),
    OUTPUT,
)
"""How lists and logs that are made look."""


NAMING = (_NAMES,)
"""How reports call measures, where they may be called otherwise than in papers."""


@dataclass(frozen=True)
class Reporting:
    """What the options of `SHOWING`, or of `REPORTING` and `NAMING`, say."""

    style: str | None = None
    output: str | None = None
    digits: int = 4
    names: str | None = None
    wide: bool = False
    sort: str | None = None

    def to(self, inputs: tuple[str, ...], kind: str = "") -> Output:
        """Where a report goes, and how, as `irev.doors.cli.output.reporting_to` has it."""
        from irev.doors.cli.output import reporting_to

        return reporting_to(self.style, self.output, inputs, self.names, self.digits, self.wide, kind)


def settings_options(*groups: tuple[Callable[[Any], Any], ...]) -> Callable[[F], F]:
    """Give a command the options of some of the groups, in their order."""

    def give(command: F) -> F:
        for group in reversed(groups):
            for option in reversed(group):
                command = option(command)
        return command

    return give


R = TypeVar("R")


def pick(record: type[R], choices: dict[str, Any]) -> R:
    """A record made of the choices that are called like its fields, which are taken out."""
    given = {field.name: choices.pop(field.name) for field in fields(record) if field.name in choices}  # type: ignore[arg-type]
    return record(**given)
