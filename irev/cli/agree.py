"""``irev agree``: whether two measures, judgments or sets of queries order runs alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.analysis.comparison.defaults import BOTH, DEFAULT_MEASURES, JUDGED
from irev.cli.agree_rankings import agree_rankings
from irev.cli.evaluating import evaluate_runs, files_of, note_runs, settings_of
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_in, refuse_idle_scales
from irev.cli.notes import note_not_common
from irev.cli.options import (
    COMPARING,
    EVERY_QUERY,
    READING,
    REPORTING,
    RUNNING,
    NamedFile,
    Reporting,
    Running,
    inputs_given,
    sets_option,
    settings_options,
    taken,
)
from irev.cli.output import show
from irev.cli.systems import gather
from irev.cli.testing_options import MEASURES, SCORES, choice_option, share_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.analysis.comparison.agreement import Subset
    from irev.evaluation.result import Outcome
    from irev.statistics.overlap import Ties


@click.command(
    "agree",
    cls=Command,
    short_help="How far two orderings of runs agree.",
    epilog="irev agree -m AP -m RR qrels.txt hybrid.run keyword.run semantic.run",
)
@click.argument("files", metavar="QRELS RUN RUN… | RESULT… | RUN RUN", nargs=-1)
@sets_option("Order the runs under these judgments; once for each set.")
@click.option(
    "--subset",
    "subsets",
    type=NamedFile(),
    metavar="NAME=FILE",
    multiple=True,
    help="Order the runs by the queries that this file lists; once for each set of queries.",
)
@share_option(
    "--rbo-p",
    "persistence",
    metavar="P",
    default=0.9,
    meaning="Persistence of rank-biased overlap: the higher, the deeper it looks.",
)
@choice_option(
    "--rbo-ties",
    "tied",
    words=("a", "b", "w"),
    default="a",
    meaning="With two runs alone: what documents of equal score are. a: in any order, what is expected counts; b: the"
    " same, divided by what each run has with itself; w: at one rank.",
)
@settings_options(MEASURES, SCORES, RUNNING, REPORTING, EVERY_QUERY, COMPARING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def agree_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    sets: tuple[tuple[str, str], ...],
    subsets: tuple[tuple[str, str], ...],
    persistence: float,
    tied: Ties,
    scores: bool,
    **choices: Any,
) -> None:
    """Say how far orderings of RUNs agree: by two measures, under two sets of judgments, or on two sets of queries.

    Every measure, under every set of judgments, on every set of queries, orders the runs, and every two orderings are
    held against each other. Two RUNs and nothing else: how far their rankings overlap, query by query.
    """
    if len({name for name, _ in subsets}) < len(subsets):
        raise click.UsageError("two sets of queries are called alike; --subset NAME=FILE names them", ctx)
    running, look = taken(Running, choices), taken(Reporting, choices)
    settings, listed = settings_of(choices, ctx)
    if len(files) == 2 and not (measures or sets or subsets or scores) and not _hold_scores(files):
        agree_rankings(ctx, files, persistence, tied, settings, running, look)
        return
    refuse_idle(ctx, "it is for two runs alone, without judgments", "tied")
    inputs = inputs_given(ctx, (*files, *listed, *(path for _, path in (*sets, *subsets))))
    to = look.to(inputs)
    refuse_idle_in(ctx, to.style, "digits")
    if sets:
        refuse_idle(ctx, "--qrels gives judgments, and the files are runs", "scores")

    from irev import measures as catalogue
    from irev.analysis.comparison.agreement import agreement, orderings_of, orderings_of_systems, require_orders
    from irev.analysis.comparison.systems import hold_scores
    from irev.cli.streams import warn
    from irev.evaluation.scores import suited
    from irev.output.reports.agreement import AgreementReport

    chosen = _subsets(subsets)
    if not sets and (scores or hold_scores(files)):
        gathered = gather(ctx, files, measures, settings, running, scores=True)
        runs, found = orderings_of_systems(gathered.aligned, chosen)
        policy, files_read = gathered.policy, gathered.inputs
    else:
        sets, paths = files_of(files, sets, ctx)
        requests = catalogue.parse(measures or DEFAULT_MEASURES, settings.compat, warn)
        settings = suited(settings, requests, warn)
        refuse_idle_scales(ctx, requests)
        require_orders(requests)
        evaluated = evaluate_runs(sets, paths, requests, settings, running, digest=True)
        note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
        outcomes, left_out = _on_same_queries(evaluated.outcomes)
        note_not_common(left_out)
        runs, found = orderings_of(outcomes, chosen)
        shared = BOTH if settings.queries == "run" else JUDGED
        policy, files_read = shared if left_out else settings.policy, evaluated.inputs
    report = AgreementReport(agreement(runs, found, persistence), policy, files_read)
    show(report, to)


def _hold_scores(files: tuple[str, ...]) -> bool:
    from irev.analysis.comparison.systems import hold_scores

    return hold_scores(files)


def _on_same_queries(outcomes: Sequence[Outcome]) -> tuple[list[Outcome], tuple[bytes, ...]]:
    """The runs with the queries that all of them have under the same judgments, and those that some of them lack.

    Means over other queries order nothing but the queries.
    """
    from irev.evaluation.curves.same_queries import on_same_queries

    kept: list[Outcome] = []
    left_out: set[bytes] = set()
    for qrels in dict.fromkeys(outcome.qrels for outcome in outcomes):
        under, some = on_same_queries([outcome for outcome in outcomes if outcome.qrels == qrels])
        kept += under
        left_out.update(some)
    return kept, tuple(sorted(left_out))


def _subsets(subsets: Sequence[tuple[str, str]]) -> list[Subset]:
    from irev.reading.id_lists import read_ids
    from irev.reading.sources import Source

    found = []
    for name, path in subsets:
        with Source(path) as source:
            found.append((name, frozenset(read_ids(source))))
    return found
