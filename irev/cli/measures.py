"""``irev measures``: the catalogue as a list (in a terminal a table), as pages and as JSON; and how a text given to
``-m`` is understood."""

from __future__ import annotations

import io
import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from irev.cli.help import Command
from irev.cli.options import complete_measures
from irev.cli.streams import terminal

if TYPE_CHECKING:
    from irev.measures.pages import FamilyPage, Page
    from irev.measures.readings import MeasureReading

WIDTH, NARROWEST, WIDEST = 80, 20, 100
"""Columns of a page where there is no terminal, the least of a text, and the most of a page that is easy to read."""

LABELS = 13
"""Columns of the labels in a page."""


@click.command(
    "measures",
    cls=Command,
    short_help="List the measures, or explain one.",
    epilog="irev measures nDCG@10",
)
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
        from irev.measures.readings import explain as explained

        explanations = [explained(name) for name in names]
        if as_json:
            _put(_json([each.record() for each in explanations]))
        else:
            _put("\n\n".join("\n".join(_explained(each)) for each in explanations))
        return

    from irev.measures import MEASURES
    from irev.measures.measure import SETS
    from irev.measures.pages import described, families, page, record

    MEASURES.more()  # all are listed
    chosen = described(names) if names else None
    if cite:
        from irev.measures.literature import cited

        _put("\n\n".join(cited(chosen or MEASURES.values(), unsourced=bool(names))))
    elif as_json:
        _put(_json(record(chosen)))
    elif chosen is None or all(name in SETS for name in names):
        _put(_list(families(chosen), whole=chosen is None))
    else:
        _put("\n\n".join("\n".join(_printed(page(measure))) for measure in chosen))


def _put(text: str) -> None:
    """Print in UTF-8, whatever the terminal is set to: names of people have letters that not every encoding has."""
    click.echo(text.encode())


def _json(record: Any) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False)


def _list(families: list[FamilyPage], whole: bool) -> str:
    """All families: a table on a terminal, a line for each measure elsewhere; the whole has a last word."""
    width, colour = terminal()
    listed = "\n\n".join(_aligned(families)) if width is None else table(families, width, colour)
    return "\n".join([listed, "", *_last_word(width)]) if whole else listed


def _aligned(families: list[FamilyPage]) -> Iterator[str]:
    """Each family, in lines of which names and sentences begin at the same columns."""
    from irev.measures.pages import summary, widths, written

    first, second = widths(families)
    for family in families:
        lines = [family.title]
        for measure in family.measures:
            name, standard = written(measure)
            lines.append(f"  {name:{first}}  {standard:{second}}  {summary(measure)}")
        yield "\n".join(lines)


def _last_word(width: int | None) -> Iterator[str]:
    """What is not there yet, and where there is more."""
    from irev.measures.pages import absent

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
    from irev.reading.fields import GRADES

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
    from irev.measures.pages import summary
    from irev.measures.readings import chosen

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


_NARROWEST = 30
"""Columns of a table at least."""

_ROOMY = 100
"""Columns of a terminal from which on no name is broken."""
_NAMES = (17, 13)
"""The most columns of the two names where there is less room; a few long names take two lines."""
_SENTENCE = 28
"""The least columns in which a sentence is easy to read beside the names."""


def table(families: Sequence[FamilyPage], width: int, colour: bool) -> str:
    """The families one below the other, a table each, in lines of at most `width` columns where that is possible.

    Where the terminal is too narrow for three columns, what a measure is stands below its names.
    """
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from irev.measures.pages import summary, widths, written
    from irev.output.terminal import console

    output = io.StringIO()
    screen = console(output, max(width, _NARROWEST), colour)
    columns = widths(families)
    if screen.width < _ROOMY:
        columns = (min(columns[0], _NAMES[0]), min(columns[1], _NAMES[1]))
    wide = screen.width - sum(columns) - 6 >= _SENTENCE
    for number, family in enumerate(families):
        if number:
            screen.print()
        screen.print(Text(family.title, style="bold"))
        if not wide:
            for measure in family.measures:
                screen.print(Padding(Text("  ".join(written(measure)), style="cyan"), (0, 0, 0, 2)))
                screen.print(Padding(Text(summary(measure)), (0, 0, 0, 4)))
            continue
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=0)
        for column in columns:
            grid.add_column(width=column, overflow="fold")
        grid.add_column()
        for measure in family.measures:
            name, standard = written(measure)
            grid.add_row("", Text(name, style="cyan"), Text(standard, style="green"), Text(summary(measure)))
        screen.print(grid)
    # Rich fills every line to the width of the table; nobody needs the blanks at its end.
    return "\n".join(line.rstrip(" ") for line in output.getvalue().rstrip("\n").split("\n"))
