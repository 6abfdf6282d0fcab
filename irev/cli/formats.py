"""``irev formats``: the formats of judgments and runs that can be read, with an example of each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from irev.cli.help import Command
from irev.cli.streams import terminal

if TYPE_CHECKING:
    from irev.base.registry import Registry
    from irev.reading.formats import Format

INDENT = 2


@click.command(
    "formats",
    cls=Command,
    short_help="List the file formats that irev reads.",
    epilog="irev formats",
)
def formats_command() -> None:
    """List the formats of judgments and runs, with an example of each.

    A format is recognised by content where that is certain; a file of any other kind is read as TREC's, unless
    --qrels-format or --run-format names its format.
    """
    from irev.reading.formats import JUDGMENTS, RUNS

    width, colour = terminal()
    lines = [
        *_section("Judgments (--qrels-format)", JUDGMENTS, width),
        "",
        *_section("Runs (--run-format)", RUNS, width),
    ]
    click.echo("\n".join(lines), color=colour)


def _section(title: str, table: Registry[Format], width: int | None) -> Iterator[str]:
    from irev.reading.formats import listed

    yield click.style(title, bold=True)
    for form in listed(table):
        yield ""
        yield " " * INDENT + click.style(form.name, bold=True)
        described = [form.description]
        if width is not None:
            described = textwrap.wrap(form.description, max(width - 2 * INDENT, 20))
        for line in described:
            yield " " * 2 * INDENT + line
        for line in form.example.splitlines():
            yield " " * 3 * INDENT + line
