"""Options that would change nothing in the company in which they are given: refused with a sentence, never ignored.

Who types an option expects something of it. What nothing obeys may be the one thing that mattered, such as the level of
significance of a gate that has no condition to be tested. Options of trec_eval that it accepts without effect (``-N``
where no measure looks at it, ``-n`` without ``-q``) are none of these, and neither are ``--jobs`` and ``--quiet``,
which are about how and not about what.
"""

from __future__ import annotations

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
            raise click.UsageError(f"{written} changes nothing here: {why}", ctx)


def refuse_idle_in(ctx: click.Context, style: str, *names: str) -> None:
    """Raise `click.UsageError` for one of the options that are about how things look, where a style does not obey it.

    Digits may be ``exact`` in any style, and are in those that do not obey them.
    """
    from irev.base.text import EXACT
    from irev.output.styles import obeying, obeys

    for name in names:
        if obeys(style, name) or (name == "digits" and ctx.params.get(name) == EXACT):
            continue
        if ctx.get_parameter_source(name) not in GIVEN:
            continue  # what other styles obey is known only when all of them are loaded
        known = [f"-f {each}" for each in obeying(name)]
        there = ", ".join(known[:-1]) + " or " * (len(known) > 1) + known[-1]
        asked = ctx.get_parameter_source("style") in GIVEN or ctx.params.get("output") is not None
        fact = f"-f {style} does not obey it" if asked else f"without -f it is -f {style}, which does not obey it"
        refuse_idle(ctx, f"{fact}; {'choose' if asked else 'add'} {there}", name)


def refuse_idle_scales(ctx: click.Context, requests: Iterable[Request]) -> None:
    """Raise `click.UsageError` for gains where no measure looks at grades, and for costs where none looks at these."""
    requests = tuple(requests)
    if not any(request.measure.graded for request in requests):
        refuse_idle(ctx, "no measure looks at gains, as nDCG@10 does", "gains")
    if not any(request.costs for request in requests):
        refuse_idle(ctx, "no measure looks at costs, as TBG and 'INST(of=EC)' do", "costs")


def refuse_idle_columns(ctx: click.Context, judged: bool, retrieved: bool) -> None:
    """Raise `UsageError` for names of columns where no file has any, as `irev.reading.columns.require_named` does."""
    if any(ctx.params.get(name) for name in COLUMNS):
        from irev.reading.columns import require_named

        require_named(ctx.params, judged, retrieved)


def refuse_idle_summaries(ctx: click.Context, style: str, per_query: bool, no_summary: bool) -> None:
    """Raise `click.UsageError` for options about the numbers for all queries where those are left out."""
    from irev.output.styles import TABLE, obeys

    if not no_summary:
        return
    if not obeys(style, "aggregates"):
        refuse_idle(ctx, "it is of the numbers for all queries, which -n leaves out", "aggregates")
    if not obeys(style, "groups"):
        refuse_idle(ctx, f"-n leaves out the numbers of groups, and -f {style} shows nothing else of them", "groups")
    if not per_query and style == TABLE:
        refuse_idle(ctx, "without -q there is nothing else to show", "no_summary")


def refuse_idle_partitioned(ctx: click.Context) -> None:
    """Raise `click.UsageError` for ``--partitioned`` where no folder, no pattern of names and no list is given."""
    import os

    from irev.reading.parts import is_pattern

    def any_of(value: object) -> bool:
        if isinstance(value, str):
            return value.startswith("@") or os.path.isdir(value) or is_pattern(value)
        return isinstance(value, tuple | list) and any(map(any_of, value))

    if not any(map(any_of, ctx.params.values())):
        why = "there is no folder, and no pattern; a pattern stands in quotation marks, or the shell makes files of it"
        refuse_idle(ctx, why, "partitioned")
