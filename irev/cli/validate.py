"""``irev validate``: options to rules, a report for each file, and the verdict."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from irev.base.settings import Settings
from irev.base.text import named
from irev.cli.options import READING, Grade, WholeNumber, settings_options
from irev.cli.output import refuse_inputs, write
from irev.errors import message, shown
from irev.reading.problem_codes import CODES, severity

if TYPE_CHECKING:
    from irev.analysis.validation import FileReport
    from irev.errors import Problem

FAILED, REFUSED = 1, 2
UNUSABLE = "E100"
"""The code of a file that nothing can be said about."""

COLOURS = {"error": "red", "warning": "yellow"}


@click.command("validate", short_help="Find everything that is wrong with judgments and runs.")
@click.argument("files", metavar="QRELS [RUN]...", nargs=-1)
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="text: a line for each problem; json: one record; github: workflow annotations.",
)
@click.option(
    "--max-problems",
    metavar="N",
    type=WholeNumber(1),
    default=100,
    show_default=True,
    help="Show at most N problems of each code and file; the rest is counted.",
)
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
@click.option("--stats", is_flag=True, help="Show what the files hold.")
@click.option("--topics", metavar="FILE", help="The topics: a run must have results for each, and for no others.")
@click.option("--max-depth", metavar="N", type=WholeNumber(1), help="The most results that a query may have.")
@click.option("--docids", metavar="FILE", help="The document ids of the collection, one on each line.")
@click.option("--tag", metavar="PATTERN", help="A regular expression that the run id must match as a whole.")
@click.option("--sorted", "sorted_", is_flag=True, help="The rows of a query must stand by falling score.")
@click.option(
    "-l",
    "--level",
    metavar="GRADE",
    type=Grade(),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant.",
)
@settings_options(READING)
@click.help_option("-h", "--help")
@click.pass_context
def validate_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    style: str,
    max_problems: int,
    strict: bool,
    stats: bool,
    topics: str | None,
    max_depth: int | None,
    docids: str | None,
    tag: str | None,
    sorted_: bool,
    **choices: Any,
) -> int:
    """Find everything that is wrong with the judgments in QRELS and the results in each RUN, in one pass.

    Errors are what `irev eval` refuses, and breaches of the rules given here. Warnings are legal and usually a
    mistake. Exit status: 0 no errors, 1 errors found (with --strict, warnings too), 2 wrong usage or a file that
    cannot be used at all.
    """
    if not files:
        raise click.UsageError("expected QRELS, and any number of runs", ctx)
    if [*files, topics, docids].count("-") > 1:
        raise click.UsageError("only one file can be standard input", ctx)
    refuse_inputs(None, (*files, *filter(None, (topics, docids))))
    settings = Settings(**choices)
    pattern = _pattern(tag, ctx)

    from irev.analysis.validation import DocIds, Rules, check_judgments, check_run
    from irev.reading.id_lists import read_ids
    from irev.reading.sources import Source

    wanted: tuple[bytes, ...] | None = None
    if topics is not None:
        with Source(topics) as source:
            wanted = tuple(read_ids(source))
    collection = None
    if docids is not None:
        with Source(docids) as source:
            source.large = settings.allow_large
            collection = DocIds.read(source)
    rules = Rules(wanted, max_depth, pattern, sorted_, collection)
    judgments, report = check_judgments(files[0], settings, max_problems)
    reports = [report, *(check_run(judgments, run, settings, rules, max_problems) for run in files[1:])]
    if style == "text":
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        rendered = _text(reports, stats, colour).encode()
    elif style == "json":
        rendered = _json(reports, stats).encode("ascii")
    else:
        rendered = _github(reports).encode()
    write(rendered, None, safe=style == "text")
    if any(UNUSABLE in report.faults.counts for report in reports):
        return REFUSED
    return FAILED if _tally(reports, "error") or (strict and _tally(reports, "warning")) else 0


def _pattern(tag: str | None, ctx: click.Context) -> re.Pattern[bytes] | None:
    try:
        return None if tag is None else re.compile(os.fsencode(tag))
    except re.error as error:
        raise click.UsageError(f"--tag {tag}: this is no regular expression ({error})", ctx) from None


def _tally(reports: list[FileReport], kind: str) -> int:
    return sum(n for report in reports for code, n in report.faults.counts.items() if severity(code) == kind)


def _listed(report: FileReport) -> Iterator[tuple[Problem, int]]:
    """The problems to show, and with the last one of a code how many more there are."""
    problems = sorted(report.faults.earliest(), key=lambda problem: (problem.line, problem.column or 0, problem.code))
    listed = Counter(problem.code for problem in problems)
    last = {problem.code: i for i, problem in enumerate(problems)}
    for i, problem in enumerate(problems):
        more = report.faults.counts[problem.code] - listed[problem.code]
        yield problem, more if last[problem.code] == i else 0


def _place(report: FileReport, problem: Problem) -> str:
    name = message(report.name)
    if not problem.line:
        return name
    if report.faults.unit != "line":
        return f"{name}, {report.faults.unit} {problem.line}"
    return f"{name}:{problem.line}" + (f":{problem.column}" if problem.column else "")


def _described(report: FileReport, problem: Problem) -> str:
    where = "on line" if report.faults.unit == "line" else f"in {report.faults.unit}"
    first = "" if problem.first is None else f" (first {where} {problem.first})"
    return message(f"{problem.fact}{first}" + (f"; {problem.remedy}" if problem.remedy else ""))


def _more(code: str, count: int) -> str:
    return f"{count} more {code} ({CODES[code].title})"


def _text(reports: list[FileReport], stats: bool, colour: bool) -> str:
    lines: list[str] = []
    for report in reports:
        for problem, more in _listed(report):
            kind = severity(problem.code)
            word = f"{kind} {problem.code}"
            if colour:
                word = click.style(word, fg=COLOURS[kind], bold=True)
            lines.append(f"{_place(report, problem)}: {word}: {_described(report, problem)}")
            if more:
                lines.append(f"{message(report.name)}: {_more(problem.code, more)}")
        if stats and report.statistics:
            lines += _statistics(report)
    errors, warnings = (_plural(_tally(reports, kind), kind) for kind in ("error", "warning"))
    lines.append(f"{errors}, {warnings} in {_plural(len(reports), 'file')}")
    return "\n".join(lines) + "\n"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _statistics(report: FileReport) -> list[str]:
    lines = [f"{message(report.name)}: {report.kind}"]
    for name, value in report.statistics.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key}: {number}" for key, number in value.items())
        elif isinstance(value, str):
            value = shown(value.encode("utf-8", "surrogateescape"))
        lines.append(f"  {name:20} {value}")
    return lines


def _json(reports: list[FileReport], stats: bool) -> str:
    record = {
        "errors": _tally(reports, "error"),
        "warnings": _tally(reports, "warning"),
        "files": [
            {
                "name": report.name,
                "kind": report.kind,
                "unit": report.faults.unit,
                "counts": dict(sorted(report.faults.counts.items())),
                "problems": [
                    {
                        "code": problem.code,
                        "severity": severity(problem.code),
                        "line": problem.line or None,
                        "column": problem.column,
                        "first": problem.first,
                        "fact": message(problem.fact),
                        "remedy": message(problem.remedy),
                    }
                    for problem, _ in _listed(report)
                ],
                **({"statistics": report.statistics} if stats else {}),
            }
            for report in reports
        ],
    }
    return json.dumps(record, indent=2) + "\n"


def _github(reports: list[FileReport]) -> str:
    """Workflow commands; what stands in them must not end or forge one."""
    lines = []
    for report in reports:
        file = f"file={named(_property(report.name))}"
        for problem, more in _listed(report):
            place = [file]
            if problem.line and report.faults.unit == "line":
                place += [f"line={problem.line}"] + ([f"col={problem.column}"] if problem.column else [])
            title = _property(f"{problem.code} {CODES[problem.code].title}")
            lines.append(
                f"::{severity(problem.code)} {','.join(place)},title={title}::{_message(_described(report, problem))}"
            )
            if more:
                lines.append(f"::notice {file}::{_message(_more(problem.code, more))}")
    return "".join(f"{line}\n" for line in lines)


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
