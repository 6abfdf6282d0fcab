"""What commands that evaluate runs share: which files are judgments and runs, how they are read, what is said of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from irev.base.settings import Settings
from irev.cli.notes import note_judgments, note_left_out, note_reading, note_ungrouped
from irev.cli.options import QueryList, Running
from irev.cli.streams import warn

if TYPE_CHECKING:
    from irev.evaluation.batch import Evaluated
    from irev.evaluation.result import Input, Outcome
    from irev.measures import Request
    from irev.reading.qrels import Judgments


class Runs(NamedTuple):
    """Runs that were evaluated.

    Attributes
    ----------
    outcomes : tuple of Outcome
        Every run under every set of judgments.
    judgments : tuple of Judgments
    evaluated : tuple of Evaluated
        What came of each run.
    inputs : tuple of Input
        The files, where these were to be hashed.
    beside : tuple of Outcome
        Runs that were evaluated beside the others, and named apart from them.
    """

    outcomes: tuple[Outcome, ...]
    judgments: tuple[Judgments, ...]
    evaluated: tuple[Evaluated, ...]
    inputs: tuple[Input, ...]
    beside: tuple[Outcome, ...] = ()


def evaluate_runs(
    sets: Sequence[tuple[str, str]],
    runs: Sequence[str],
    requests: Sequence[Request],
    settings: Settings,
    running: Running,
    *,
    digest: bool,
    groups: str | None = None,
    beside: Sequence[str] = (),
    digest_runs: bool | None = None,
    each_query: bool = False,
) -> Runs:
    """Read judgments and runs, and evaluate, several runs at a time; files are hashed where a digest is wanted.

    Runs are hashed like judgments unless `digest_runs` says otherwise, which for large ones takes as long as reading.
    `each_query` asks for a value of every query that counts: trec_eval 9.0.8 counts missing ones in the mean alone.
    """
    from irev.cli import progress
    from irev.evaluation.batch import Batch, Task, processes

    grouping, group_files = groups_of(groups, digest)
    judgments, judgment_files = judgments_of(sets, settings, digest)
    if each_query and settings.complete and settings.single_precision:
        settings = replace(settings, queries=tuple(sorted({q for each in judgments for q in each.queries})))
    together = (*runs, *beside)
    hashed = digest if digest_runs is None else digest_runs
    batch = Batch(Task(judgments, tuple(requests), settings, hashed), together, processes(together, running.jobs))
    with progress.shown(batch, together, running.quiet):
        evaluated = tuple(batch.results())
    called = [name for name, _ in sets]
    outcomes = outcomes_of(evaluated[: len(runs)], runs, called, running.names_given, grouping)
    others = outcomes_of(evaluated[len(runs) :], beside, called, (), grouping) if beside else ()
    if grouping:
        note_ungrouped(sorted({q for outcome in outcomes for q in outcome.scores.queries if q not in grouping}))
    inputs = (*judgment_files, *inputs_of(evaluated), *group_files)
    return Runs(outcomes, judgments, evaluated, inputs, others)


def files_of(
    files: tuple[str, ...], sets: tuple[tuple[str, str], ...], ctx: click.Context
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The sets of judgments, and the runs, those in lists included."""
    if not sets:
        if len(files) < 2:
            raise click.UsageError(f"expected QRELS and at least one RUN, but got {len(files)} of them", ctx)
        sets, files = (("", files[0]),), files[1:]
    elif not files:
        raise click.UsageError("expected at least one RUN", ctx)
    if len({name for name, _ in sets}) < len(sets):
        raise click.UsageError("two sets of judgments are called alike; --qrels NAME=FILE names them", ctx)
    runs: list[str] = []
    for path in files:
        runs += listed(path[1:]) if path.startswith("@") else [path]
    return sets, tuple(runs)


def listed(path: str) -> list[str]:
    """The runs that a file lists, a path on each line."""
    from irev.errors import InputError, shown
    from irev.reading.id_lists import read_lines
    from irev.reading.sources import STANDARD_INPUT, Source

    with Source(path) as source:
        runs = [(number, os.fsdecode(line)) for number, line in read_lines(source)]
    if not runs:
        raise InputError("the file lists no runs", path, "expected a path on each line")
    for number, run in runs:
        if run != STANDARD_INPUT and not os.path.exists(run):
            fact = f"there is no file {shown(os.fsencode(run))}"
            raise InputError(fact, f"{path}:{number}", "paths in a list are meant from the folder that irev is run in")
    return [run for _, run in runs]


def settings_of(choices: Mapping[str, Any], ctx: click.Context) -> tuple[Settings, tuple[str, ...]]:
    """The settings that options ask for, -c and --queries agreeing, and the files that were read for them."""
    queries = choices["queries"]
    listed = (queries.path,) if isinstance(queries, QueryList) else ()
    settings = Settings(**{**choices, "queries": queries.queries if isinstance(queries, QueryList) else queries})
    if settings.queries == "qrels":
        settings = replace(settings, queries="both", complete=True)
    elif settings.complete and settings.queries != "both":
        raise click.UsageError("-c means --queries qrels, and another --queries is given", ctx)
    return settings, listed


def groups_of(path: str | None, digest: bool) -> tuple[dict[bytes, bytes], list[Input]]:
    """The group of each query, none when there is no file of groups; and what that file was."""
    if path is None:
        return {}, []
    from irev.evaluation.result import Input
    from irev.reading.id_lists import read_groups
    from irev.reading.sources import Source

    with Source(path, digest=digest) as source:
        groups = read_groups(source)
        return groups, [Input("groups", source.name, *source.digest())] if digest else []


def judgments_of(
    sets: Sequence[tuple[str, str]], settings: Settings, digest: bool
) -> tuple[tuple[Judgments, ...], list[Input]]:
    from irev.evaluation.result import Input
    from irev.reading import qrels
    from irev.reading.sources import Source

    judgments, inputs = [], []
    for _, path in sets:
        with Source(path, digest=digest) as source:
            judgments.append(qrels.read(source, settings))
            if digest:
                inputs.append(Input("qrels", source.name, *source.digest()))
    return tuple(judgments), inputs


def inputs_of(evaluated: Sequence[Evaluated]) -> list[Input]:
    from irev.evaluation.result import Input

    return [Input("run", each.name, *each.digest) for each in evaluated if each.digest is not None]


def outcomes_of(
    evaluated: Sequence[Evaluated],
    runs: Sequence[str],
    sets: Sequence[str],
    given: Sequence[str],
    grouping: dict[bytes, bytes],
) -> tuple[Outcome, ...]:
    """Every run under every set of judgments, with a name, its summary and those of groups."""
    from irev.evaluation.result import Outcome, in_groups
    from irev.evaluation.run_names import names_of
    from irev.evaluation.summary import summarise

    tags = [each.reading.tag.decode("utf-8", "surrogateescape") for each in evaluated]
    names = names_of(runs, tags, given, warn)
    outcomes = []
    for name, each in zip(names, evaluated, strict=True):
        for qrels, scores, facts in zip(sets, each.scores, each.facts, strict=True):
            groups = in_groups(scores, grouping)
            outcomes.append(Outcome(name, qrels, scores, summarise(scores), facts, groups))
    return tuple(outcomes)


def note_runs(runs: Runs, sets: Sequence[str], settings: Settings) -> None:
    """Say of judgments and runs what the numbers do not show."""
    for each in runs.judgments:
        note_judgments(each, settings)
    for run in runs.evaluated:
        note_reading(run.reading, run.name)
        for name, left_out in zip(sets, run.left_out, strict=True):
            note_left_out(left_out, settings, f"{run.name} under {name}" if len(sets) > 1 else run.name)
