"""Options that would change nothing in the company in which they are given, and whose user would be misled if they were
ignored: refused with a sentence.

What nothing obeys may be the one thing that mattered, such as gains where no measure looks at them. Options about looks
and about how something is computed are none of these: where a style has no such looks, they are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from irev.base.settings import COLUMNS

if TYPE_CHECKING:
    from irev.measures import Request

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


def refuse_idle_scales(ctx: click.Context, requests: Iterable[Request]) -> None:
    """Raise `click.UsageError` for gains where no measure looks at grades, and for costs where none looks at these."""
    requests = tuple(requests)
    if not any(request.measure.graded for request in requests):
        refuse_idle(ctx, "no measure uses gains, as nDCG@10 does", "gains")
    if not any(request.costs for request in requests):
        refuse_idle(ctx, "no measure uses costs, as TBG and 'INST(of=EC)' do", "costs")
    from irev.base.aggregates import WEIGHTED

    if not any(request.aggregate == WEIGHTED for request in requests):
        refuse_idle(ctx, "no measure uses weights of queries, as 'AP(agg=weighted)' does", "query_weights")


def refuse_idle_columns(ctx: click.Context, judged: bool, retrieved: bool) -> None:
    """Raise `UsageError` for names of columns where no file has any, as `irev.reading.columns.require_named` does."""
    if any(ctx.params.get(name) for name in COLUMNS):
        from irev.reading.columns import require_named

        require_named(ctx.params, judged, retrieved)


def refuse_idle_partitioned(ctx: click.Context) -> None:
    """Raise `click.UsageError` for ``--partitioned`` where no folder, no pattern of names and no list is given."""

    from irev.reading.parts import is_pattern

    def any_of(value: object) -> bool:
        if isinstance(value, str):
            return value.startswith("@") or os.path.isdir(value) or is_pattern(value)
        return isinstance(value, tuple | list) and any(map(any_of, value))

    if not any(map(any_of, ctx.params.values())):
        why = "no folder or pattern is given; put a pattern in quotation marks, or the shell expands it"
        refuse_idle(ctx, why, "partitioned")
