"""``irev convert``: judgments and runs in another format, with all that they hold or not at all."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from irev.base.settings import Settings
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_columns
from irev.cli.notes import note_doubts, note_empty
from irev.cli.options import FORMATS, LARGE, inputs_given, settings_options
from irev.cli.output import refuse_inputs, require_new, write_pieces
from irev.output import targets

if TYPE_CHECKING:
    from irev.reading.rows import Kind

KINDS = ("qrels", "run")


@click.command(
    "convert",
    cls=Command,
    short_help="Write judgments or runs in another format.",
    epilog="irev convert --to csv keyword.run -",
)
@click.argument("files", metavar="IN… OUT", nargs=-1)
@click.option(
    "--to",
    "target",
    type=click.Choice(targets.targets()),
    help="The format of OUT. Default: what its ending asks for.",
)
@click.option(
    "--kind", "file_kind", type=click.Choice(KINDS), help="What the files hold, where it cannot be told from them."
)
@click.option("--tag", metavar="NAME", help="The run id of all rows. Default: what they have, or the name of the file.")
@click.option("--force", "overwrite", is_flag=True, help="Replace OUT if there is such a file.")
@settings_options(FORMATS, LARGE)
@click.help_option("-h", "--help")
@click.pass_context
def convert_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    target: str | None,
    file_kind: Kind | None,
    tag: str | None,
    overwrite: bool,
    **choices: Any,
) -> None:
    """Write the judgments, or the runs, in every IN to OUT, in another format.

    No id, number or run id of a row is rounded, replaced or left out: what the format of OUT cannot hold is an error,
    and OUT is then not written. Columns that irev does not know are not kept, nor are comments, scores beside the
    documents of a list, whose order is the ranking, and queries without documents. Any format is read that `irev
    formats` lists. Several files are put together if no query stands in two of them. One IN may be `-`, standard input,
    and OUT `-`, standard output.
    """
    if len(files) < 2:
        raise click.UsageError(f"expected at least one IN, and OUT, but got {len(files)} of them", ctx)
    *given, out = files

    from irev.reading.id_lists import runs_named
    from irev.reading.rows import RowFile, kind_of
    from irev.reading.sources import Source

    written = targets.chosen(target, out)
    run_id = None if tag is None else targets.tag_held(os.fsencode(tag), written)
    inputs = inputs_given(ctx, [path for each in given for path in runs_named(each, choices["dataset"])])
    named = (choices["qrels_format"], choices["run_format"])
    beside = (name.partition(":")[2] for name in named if name and ":" in name)
    refuse_inputs(out, (*inputs, *(each.removeprefix("@") for each in given), *beside))
    if not overwrite:
        require_new(out)
    settings = Settings(**choices)
    with ExitStack() as opened:
        tables: list[RowFile] = []
        for path in inputs:
            source = opened.enter_context(Source(path))
            kind = file_kind or kind_of(source, settings)
            tables.append(RowFile(source, kind, settings))
            if kind != tables[0].kind:
                raise click.UsageError(
                    f"judgments and runs are not put together: {tables[0].source.name} and {source.name}", ctx
                )
        _refuse_idle(ctx, tables[0].kind)
        has_names = any(table.named for table in tables)
        refuse_idle_columns(ctx, has_names, has_names)
        data = targets.data_of(tables, run_id, getattr(written, "FILLS", False))
        write_pieces(written.write(data), out, inputs, new=not overwrite)
        for table in tables:
            note_doubts(table.source.name, table.doubts)
            note_empty(table.source.name, table.empty)


def _refuse_idle(ctx: click.Context, kind: str) -> None:
    if kind == "qrels":
        refuse_idle(ctx, "these are judgments", "tag", "run_format", "run_columns")
    else:
        refuse_idle(ctx, "this is a run", "qrels_format", "qrels_columns")
