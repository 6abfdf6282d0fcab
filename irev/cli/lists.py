"""``irev measures``, lists and pages of them, and how a text after ``-m`` is understood; and ``irev formats``."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem

from irev.base.registry import Registry
from irev.cli.help import Command
from irev.cli.output import terminal
from irev.measures import MEASURES
from irev.measures.literature import cited
from irev.measures.measure import SETS
from irev.measures.pages import FamilyPage, Page, absent, described, families, page, record, summary, widths, written
from irev.measures.readings import MeasureReading, chosen, offered
from irev.measures.readings import explain as explained
from irev.reading.fields import GRADES
from irev.reading.formats import JUDGMENTS, RUNS, Format, listed

WIDTH, NARROWEST, WIDEST = 80, 20, 100
"""Columns of a page where there is no terminal, the least of a text, and the most of a page that is easy to read."""

SENTENCE = 28
"""The least columns in which a sentence is easy to read beside the names of a measure."""

LABELS = 13
"""Columns of the labels in a page."""


def complete_measures(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The names, in each style, that begin with what was typed."""
    return [CompletionItem(name, help=meaning) for name, meaning in offered(incomplete)]


def complete_format(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The formats of judgments, or of runs."""
    formats = listed(JUDGMENTS if param.name == "qrels_format" else RUNS)
    return [CompletionItem(each.name, help=each.description) for each in formats if each.name.startswith(incomplete)]


@click.command("measures", cls=Command, epilog="irev measures nDCG@10")
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=complete_measures)
@click.option("--explain", is_flag=True, help="Show how `irev eval -m` understands each NAME.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record with everything about the measures.")
@click.option(
    "--cite",
    is_flag=True,
    help="Print BibTeX entries of the papers that define each NAME (default: all measures), and of irev.",
)
@click.pass_context
def measures_command(ctx: click.Context, /, names: tuple[str, ...], explain: bool, as_json: bool, cite: bool) -> None:
    """List all measures by family, or print the documentation of each NAME: its definition, parameters and options,
    what other tools call it and where their numbers differ, its source and an example.

    A NAME is anything that `irev eval -m` takes: a name of trec_eval, of papers (nDCG) or of another tool
    (hit_rate@5), a printed label, or a set (official), of which the measures are listed.
    """
    if cite and (explain or as_json):
        raise click.UsageError(f"--cite prints BibTeX, but --{'explain' if explain else 'json'} something else", ctx)
    if explain and not names:
        raise click.UsageError("expected a NAME to explain", ctx)
    if explain:
        explanations = [explained(name) for name in names]
        if as_json:
            _put(_json([each.record() for each in explanations]))
        else:
            _put("\n\n".join("\n".join(_explained(each)) for each in explanations))
        return

    MEASURES.more()  # all are listed
    wanted = described(names) if names else None
    if cite:
        _put("\n\n".join(cited(wanted or MEASURES.values(), unsourced=bool(names))))
    elif as_json:
        _put(_json(record(wanted)))
    elif wanted is None or all(name in SETS for name in names):
        width, colour = terminal()
        _put("\n".join([*lines_of(families(wanted), width, colour), *(_last_word(width) if wanted is None else ())]))
    else:
        _put("\n\n".join("\n".join(_printed(page(measure))) for measure in wanted))


def _put(text: str) -> None:
    """Print in UTF-8, whatever the terminal is set to: names of people have letters that not every encoding has."""
    click.echo(text.encode())


def _json(record: Any) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False)


def lines_of(families: Iterable[FamilyPage], width: int | None, colour: bool) -> Iterator[str]:
    """A line for each measure; where a terminal is too narrow for that, what it is stands below its names."""
    families = list(families)
    first, second = widths(families)
    below = width is not None and width - (first + second + 6) < SENTENCE
    for number, family in enumerate(families):
        if number:
            yield ""
        yield from (_bold(line, colour) for line in _wrapped(family.title, width))
        for measure in family.measures:
            name, standard = written(measure)
            names = f"  {name:{first}}  {standard:{second}}  "
            if below:
                yield from _wrapped(f"{name} {standard}", width, "  ", "  ")
                names = "    "
            yield from _wrapped(summary(measure), width, names, " " * len(names))


def _last_word(width: int | None) -> Iterator[str]:
    """What is not there yet, and where there is more."""
    yield ""
    yield "Not there yet"
    for family in absent():
        yield from _wrapped(family, width, "  ", "    ")
    yield ""
    more = "`irev measures NAME` has the definition; NAME may be a name from another tool."
    yield from _wrapped(more, width)


def _wrapped(text: str, width: int | None, first: str = "", later: str = "") -> list[str]:
    """Lines of at most `width` columns, the first and the later ones indented; one line where there is no width."""
    if width is None:
        return [first + text]
    return textwrap.wrap(
        text,
        max(width, NARROWEST),
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _printed(page: Page) -> Iterator[str]:
    """The lines of a page."""
    width, colour = terminal()
    width = min(width or WIDTH, WIDEST)
    trec, standard = page.written
    called = trec if trec == standard else f"{trec}, {standard}"
    yield _bold(called, colour)
    for paragraph in (page.summary, *page.definition):
        yield ""
        yield from _wrapped(paragraph, width)
    yield ""
    for label, texts in _facts(page):
        for number, text in enumerate(texts):
            lines = _wrapped(text, width - LABELS)
            yield _bold(f"{'' if number else label:{LABELS}}", colour) + lines[0]
            yield from (" " * LABELS + line for line in lines[1:])


def _facts(page: Page) -> Iterator[tuple[str, list[str]]]:
    """What a page says beside the definition: labels with paragraphs."""
    yield "Family", [page.family]
    yield "Parameter", [*_parameter(page), *page.parameters]
    yield "Options", [f"{o.name}: {o.form}; {o.default or 'none'} unless given" for o in page.options]
    if page.cutoff and page.cutoff != page.name:
        yield "At a cutoff", [f"it is the measure {page.cutoff}"]
    elif page.cutoff and not page.form.startswith("cutoffs"):
        yield "At a cutoff", ["{} or {} uses only the first 10 results".format(*page.at_10)]
    yield "Takes also", [", ".join(name for name in page.modifiers if name != "k")]
    yield "Judgments", [f"of {page.judgments}"] if page.judgments != GRADES else []
    yield "Values", [page.kind if page.per_query else f"{page.kind}, none for single queries"]
    yield "All queries", [page.aggregate]
    yield "Bounds", [page.bounds]
    yield "Ties", [page.ties]
    yield "trec_eval", [", ".join(page.trec_eval) or "does not have it"]
    tools = dict.fromkeys(alias.tool for alias in page.also)
    yield "Other tools", [f"{tool}: {', '.join(str(a) for a in page.also if a.tool == tool)}" for tool in tools]
    yield "Elsewhere", list(page.elsewhere)
    yield "Source", [page.source] if page.source else []
    yield "Example", [page.example] if page.example else []


def _parameter(page: Page) -> list[str]:
    """What may follow the dot of its name, and what it alone stands for."""
    if not page.form:
        return []
    alone = f"; {page.name} without parameters means {' '.join(page.defaults)}" if page.defaults else ""
    return [page.form + alone]


def _explained(explanation: MeasureReading) -> Iterator[str]:
    """The lines of an explanation: whose spelling it is, then each measure with the lines that it is asked for."""
    width, colour = terminal()
    yield f"{_bold(explanation.text, colour)}: {explanation.spelling}"
    for note in explanation.notes:
        yield from _wrapped(note, width, "  ")
    lines = [
        (r.label, r.standard, ", ".join(f"{key}={value}" for key, value in chosen(r))) for r in explanation.requests
    ]
    first, second = (max(len(line[i]) for line in lines) for i in (0, 1))
    before = None
    for request, (trec, standard, parameters) in zip(explanation.requests, lines, strict=True):
        if request.measure is not before:
            yield from _wrapped(f"{request.measure.name}: {summary(request.measure)}", width, "  ", "    ")
        before = request.measure
        yield f"    {trec:{first}}  {standard:{second}}  {parameters}".rstrip()


def _bold(text: str, colour: bool) -> str:
    return click.style(text, bold=True) if colour else text


@click.command("formats", cls=Command, epilog="irev formats")
def formats_command() -> None:
    """List the formats of judgments and runs, with an example of each.

    A format is recognised by content where that is certain; a file of any other kind is read as TREC's, unless
    --qrels-format or --run-format names its format.
    """
    judgments, runs = _formats("Judgments (--qrels-format)", JUDGMENTS), _formats("Runs (--run-format)", RUNS)
    click.echo("\n".join([*judgments, "", *runs]))


def _formats(title: str, table: Registry[Format]) -> Iterator[str]:
    width, _ = terminal()
    yield click.style(title, bold=True)
    for form in listed(table):
        yield ""
        yield "  " + click.style(form.name, bold=True)
        yield from _wrapped(form.description, width, "    ", "    ")
        yield from (" " * 6 + line for line in form.example.splitlines())
