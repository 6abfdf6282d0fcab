"""``irev power``: how many queries it takes to find a difference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from irev.cli.evaluating import settings_of
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_in
from irev.cli.options import (
    COMPARING,
    EVERY_QUERY,
    READING,
    REPORTING,
    RUNNING,
    Reporting,
    Running,
    WholeNumber,
    inputs_given,
    settings_options,
    taken,
)
from irev.cli.output import show
from irev.cli.testing_options import (
    AGAINST,
    ALPHA,
    MEASURES,
    POWER,
    SCORES,
    Against,
    Number,
    choice_option,
    comparable,
    gather,
)
from irev.statistics.plan import ALTERNATIVES, DESIGNS

if TYPE_CHECKING:
    from irev.analysis.comparison.planning import Design

_GATE = "gate"
"""What is asked with ``--gate``, beside the designs."""

_DESIGN = ("kind", "alpha", "power", "alternative", "difference", "variance", "systems", "width")
"""The options that become a `Design`."""

_SUITS = {
    "number": (_GATE,),
    "difference": ("t", "anova", _GATE),
    "power": ("t", "anova"),
    "alternative": ("t",),
    "systems": ("anova",),
    "width": ("interval",),
}
"""The designs that an option is for, where it is not for all."""

_WITHOUT_RUNS = {*_DESIGN, *_SUITS, "gate", "style", "output", "digits", "jobs", "quiet"}
"""The options that count where there are no runs."""


@click.command(
    "power",
    cls=Command,
    short_help="How many queries it takes to find a difference.",
    epilog="irev power --difference 0.02 --variance 0.01",
)
@click.argument("files", metavar="[QRELS RUN RUN… | RESULT…]", nargs=-1)
@choice_option(
    "--design",
    "kind",
    words=DESIGNS,
    default="t",
    meaning="What the queries are for: a paired t-test, an analysis of variance of several runs, or an interval of a"
    " certain width.",
)
@click.option(
    "--gate",
    metavar="D",
    type=Number(),
    help="Say instead how often `irev check --max-drop D` and its relatives turn red, for a true drop of --difference,"
    " or for some that suit D.",
)
@click.option("--number", metavar="N", type=WholeNumber(2), help="With --gate: how many queries. Default: as measured.")
@click.option(
    "--difference",
    metavar="D",
    type=Number(open_ends=True),
    help="The least difference to find; of anova, between the best and the worst run. Default: the one measured. Of a"
    " gate, the true drop.",
)
@click.option(
    "--variance",
    metavar="V",
    type=Number(open_ends=True),
    help="Of the differences of single queries; of anova, of queries within a run. Default: the one measured.",
)
@click.option(
    "--systems", metavar="N", type=WholeNumber(2), help="With anova: how many runs. Default: as many as given."
)
@click.option("--width", metavar="W", type=Number(open_ends=True), help="With interval: how wide it should be.")
@choice_option(
    "--alternative", words=ALTERNATIVES, default="two-sided", meaning="Whether the t-test has two sides or one."
)
@settings_options(MEASURES, AGAINST, (POWER, ALPHA), SCORES, RUNNING, REPORTING, EVERY_QUERY, COMPARING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def power_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    gate: float | None,
    number: int | None,
    scores: bool,
    **choices: Any,
) -> None:
    """Say how many queries it takes to find a difference between runs.

    From runs, which tell how much differences vary from query to query; or without any, from --difference and
    --variance.
    """
    against, running, look = taken(Against, choices), taken(Running, choices), taken(Reporting, choices)
    asked = {name: choices.pop(name) for name in _DESIGN}
    against.require_one(ctx)
    _require_suitable(asked["kind"] if gate is None else _GATE, ctx)
    settings, listed = settings_of(choices, ctx)
    inputs = inputs_given(ctx, (*files, *listed))
    to = look.to(inputs)
    refuse_idle_in(ctx, to.style, "digits")
    if not files:
        about_runs = {parameter.name or "" for parameter in ctx.command.params} - _WITHOUT_RUNS
        refuse_idle(ctx, "it is about runs, and there are none", *about_runs)
    if gate is None and asked["kind"] == "anova":
        refuse_idle(ctx, "--design anova is about all runs at once", "baseline", "all_pairs")

    from irev.analysis.comparison.planning import Design, from_runs, from_variance, require_directed
    from irev.analysis.gate import planning as gates
    from irev.output.reports.gate_power import GatePowerReport
    from irev.output.reports.power import PowerReport

    design = Design(**asked)
    if files and gate is None:
        require_directed(design, against.all_pairs)
    planned = None if gate is None else gates.Planned(gate, design.difference, number, design.variance, design.alpha)
    report: PowerReport | GatePowerReport
    if files:
        gathered = gather(ctx, files, measures, settings, running, scores)
        aligned = comparable(gathered, settings)
        first = against.first(aligned, gathered.files, ctx)
        about = gathered.policy, gathered.inputs
        if planned is None:
            design = _counted(design, len(aligned.runs))
            report = PowerReport(from_runs(aligned, first, design), design, *about)
        else:
            report = GatePowerReport(gates.from_runs(aligned, first, planned), planned, *about)
    elif planned is None:
        design = _counted(design, 2)
        report = PowerReport([from_variance(design)], design)
    else:
        report = GatePowerReport(gates.from_variance(planned), planned)
    show(report, to)


def _require_suitable(kind: str, ctx: click.Context) -> None:
    """Raise `click.UsageError` for an option that is for another design, or for a gate, or for none."""
    given = {name for name in (*_SUITS, "kind") if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if kind == _GATE and "kind" in given:
        raise click.UsageError("--gate has no --design", ctx)
    for option, suits in _SUITS.items():
        if option in given and kind not in suits:
            designs = [suit for suit in suits if suit != _GATE]
            where = f"--design {' and '.join(designs)}" if designs else "--gate"
            raise click.UsageError(f"--{option} is for {where}", ctx)


def _counted(design: Design, runs: int) -> Design:
    """The design with as many runs as it is for, where that matters and nothing else was asked for."""
    from irev.analysis.comparison.planning import ANOVA

    return replace(design, systems=runs) if design.kind == ANOVA and design.systems is None else design
