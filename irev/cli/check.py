"""``irev check``: the gate for the quality of retrieval."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from irev.base.settings import Settings
from irev.cli.analysis import RESAMPLING, Number, inputs_given
from irev.cli.evaluating import consistent, evaluate_runs, files_of, note_runs
from irev.cli.options import (
    EVALUATING,
    EVERY_QUERY,
    LISTS,
    READING,
    REPORTING,
    RUNNING,
    measure_option,
    settings_options,
)
from irev.cli.output import append, refuse_clashes, reporting_to, show, write
from irev.cli.streams import tell, warn
from irev.statistics.plan import OF_VALUES, TESTS

if TYPE_CHECKING:
    from irev.analysis.gate.conditions import Condition
    from irev.analysis.gate.rules import Rules
    from irev.analysis.gate.verdict import Verdict
    from irev.cli.evaluating import Runs
    from irev.evaluation.result import Outcome, Result
    from irev.measures import Request

FAILED = 1
"""The exit status when some condition does not hold."""

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file for the summary of a step, where GitHub runs it."""


FILES = "irev.check.files"
"""Key of the context's ``meta`` for the judgments and runs that the configuration names."""


def _configured(ctx: click.Context, param: click.Parameter, path: str | None) -> None:
    """Take what the configuration file says for what options do not."""
    from irev.analysis.gate import configuration

    if ctx.resilient_parsing:
        return
    # Files are there before this option when it is not given: they are eager too, and it comes last.
    path = path or (None if ctx.params.get("files") else configuration.present())
    if path is None:
        return
    found = configuration.read(path)
    ctx.meta[FILES] = (*([found["qrels"]] if "qrels" in found else []), *found.get("runs", ()))
    ctx.meta[LISTS] = [path]
    options = {option.lstrip("-"): each.name for each in ctx.command.params for option in each.opts}
    ctx.default_map = {str(options[key]): value for key, value in found.items() if key not in ("qrels", "runs")}


CONDITIONS = (
    click.option("--min", "least", metavar="NAME=VALUE", multiple=True, help="The lowest value that is allowed."),
    click.option("--max", "most", metavar="NAME=VALUE", multiple=True, help="The highest value that is allowed."),
    click.option(
        "--every-query",
        metavar="NAME>VALUE",
        multiple=True,
        help="What must hold for every query: a measure, one of > >= < <= =, and a value.",
    ),
    click.option(
        "--max-drop",
        metavar="NAME=VALUE",
        multiple=True,
        help="By how much a run may be worse than the baseline: 0.01, or 2% of its value.",
    ),
    click.option(
        "--no-worse-than",
        metavar="[NAME=]VALUE",
        multiple=True,
        help="The run must be shown, by a test, to be worse by less than this.",
    ),
    click.option(
        "--max-query-losses",
        metavar="[NAME=]N",
        multiple=True,
        help="How many queries may be worse than in the baseline.",
    ),
    click.option(
        "--max-share-losing",
        metavar="NAME>LOSS=SHARE",
        multiple=True,
        help="The share of all queries that lose more than LOSS must be shown, by an exact bound, to be at most SHARE.",
    ),
)
"""What is required."""

BASELINE = (
    click.option("--baseline", metavar="RESULT", help="A saved result to compare with."),
    click.option("--baseline-run", metavar="RUN", help="A run to compare with."),
    click.option(
        "--significant",
        metavar="ALPHA",
        type=Number(0, 1, open_ends=True),
        help="A drop fails only if it is shown to be larger than is allowed, by a test with one side at this level,"
        " corrected over all conditions.",
    ),
    click.option(
        "--any-drop",
        is_flag=True,
        help="With --significant: it is enough to show that there is any drop, where the measured one is larger than is"
        " allowed.",
    ),
    click.option(
        "--undecided",
        type=click.Choice(("fail", "pass")),
        help="What a condition counts as when the queries are too few to tell. Default: pass with --significant, fail"
        " with --no-worse-than and --max-share-losing.",
    ),
    click.option("--test", type=click.Choice(TESTS), default="t", show_default=True, help="The paired test."),
    click.option(
        "--correction",
        type=click.Choice(OF_VALUES),
        default="holm",
        show_default=True,
        help="How p-values are corrected over conditions.",
    ),
    *RESAMPLING,
    click.option(
        "--allow-changed-qrels",
        is_flag=True,
        help="Compare although the judgments are not those that the baseline was made under.",
    ),
    click.option("--update-baseline", is_flag=True, help="Write the result to the baseline when all conditions hold."),
    click.option("--force", is_flag=True, help="Write it even when some do not hold, and over one made otherwise."),
    click.option("--exact", is_flag=True, help="Write it unrounded, instead of with 6 digits behind the point."),
)
"""What runs are compared with."""

SERVICES = (
    click.option("--junit", metavar="FILE", help="Also write a JUnit report."),
    click.option("--tap", metavar="FILE", help="Also write a TAP report."),
    click.option("--comment", metavar="FILE", help="Also write Markdown for a comment on a pull request."),
    click.option("--markdown-summary", metavar="FILE", help="Also write the Markdown of the step summary to FILE."),
    click.option("--gitlab-metrics", metavar="FILE", help="Also write a metrics report for GitLab."),
    click.option("--gitlab-quality", metavar="FILE", help="Also write a code quality report for GitLab."),
    click.option(
        "--github/--no-github",
        default=None,
        help="Write annotations for GitHub, and append a summary to the file that GITHUB_STEP_SUMMARY names. Default:"
        " when that is set.",
    ),
)
"""What services for continuous integration read."""


@click.command("check", short_help="Fail when a run is not as good as it must be.")
@click.argument("files", metavar="QRELS RUN…", nargs=-1, is_eager=True)
@click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_configured,
    help="Take files and options from FILE. Default: irev.toml, or [tool.irev] in pyproject.toml, when no files are"
    " named.",
)
@measure_option("A measure to show, beside those of the conditions. Repeat it for more.")
@click.option("--groups", metavar="FILE", help="Groups of queries, for conditions about some of them.")
@settings_options(CONDITIONS, BASELINE, SERVICES, RUNNING, REPORTING, EVERY_QUERY, EVALUATING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def check_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    groups: str | None,
    least: tuple[str, ...],
    most: tuple[str, ...],
    every_query: tuple[str, ...],
    max_drop: tuple[str, ...],
    no_worse_than: tuple[str, ...],
    max_query_losses: tuple[str, ...],
    max_share_losing: tuple[str, ...],
    baseline: str | None,
    baseline_run: str | None,
    significant: float | None,
    any_drop: bool,
    undecided: str | None,
    test: str,
    correction: str,
    samples: int,
    seed: int,
    allow_changed_qrels: bool,
    update_baseline: bool,
    force: bool,
    exact: bool,
    junit: str | None,
    tap: str | None,
    comment: str | None,
    markdown_summary: str | None,
    gitlab_metrics: str | None,
    gitlab_quality: str | None,
    github: bool | None,
    names_given: tuple[str, ...],
    jobs: int | None,
    quiet: bool,
    style: str | None,
    output: str | None,
    digits: int,
    **choices: Any,
) -> int:
    """Check that every RUN is as good as it must be, and end with status 1 if one is not.

    Every judged query counts, one that a run lacks as 0. Conditions are about a measure, or about `queries`, `missing`,
    `tied`, `judged` or `unjudged`; `run:NAME/` and `group:NAME/` before it narrow them down.
    """
    settings = consistent(Settings(**choices), ctx)
    files = files or ctx.meta.get(FILES, ())
    sets, runs = files_of(files, (), ctx)
    if baseline is not None and baseline_run is not None:
        raise click.UsageError("--baseline and --baseline-run exclude each other", ctx)
    if update_baseline and baseline is None:
        raise click.UsageError("--update-baseline needs --baseline, the file to write", ctx)
    if any_drop and significant is None:
        raise click.UsageError("--any-drop needs --significant, the level at which a drop is shown", ctx)
    others = [path for path in (baseline, baseline_run, groups) if path is not None]
    inputs = (*inputs_given(ctx, (*files, *others)), *runs)
    telling = github or (github is None and bool(os.environ.get(SUMMARY)))
    written = {
        "--junit": junit,
        "--tap": tap,
        "--comment": comment,
        "--markdown-summary": markdown_summary,
        "--gitlab-metrics": gitlab_metrics,
        "--gitlab-quality": gitlab_quality,
        SUMMARY: os.environ.get(SUMMARY) or None if telling else None,
    }
    refuse_clashes(output, inputs, written, {"--baseline": baseline if update_baseline else None})
    to = reporting_to(style, output, inputs, digits=digits)

    from irev.analysis.gate import baseline as baselines
    from irev.analysis.gate.conditions import KINDS
    from irev.analysis.gate.judging import judge
    from irev.analysis.gate.rules import Rules
    from irev.analysis.gate.verdict import Verdict
    from irev.output.reports.check import CheckReport
    from irev.statistics.plan import Plan

    texts = (least, most, every_query, max_drop, no_worse_than, max_query_losses, max_share_losing)
    wanted = dict(zip(KINDS, texts, strict=True))
    conditions, shown = _conditions(wanted, measures, settings, ctx)
    requests = list(dict.fromkeys([*(each.request for each in conditions if each.request is not None), *shown]))
    saved = _saved(baseline, update_baseline)
    beside = () if baseline_run is None else (baseline_run,)
    evaluated = evaluate_runs(
        sets,
        runs,
        requests,
        settings,
        digest=baseline is not None,
        digest_runs=update_baseline,
        jobs=jobs,
        names=names_given,
        groups=groups,
        quiet=quiet,
        beside=beside,
        each_query=True,
    )
    notes: list[str] = []
    why = "There is no baseline yet"
    if saved is not None and force and update_baseline:
        tested = significant is not None
        if not _is_comparable(saved, settings, evaluated, conditions, tested, allow_changed_qrels):
            saved, why = None, "The baseline was made otherwise and is replaced"
    if saved is not None:
        note = baselines.require_comparable(saved, str(baseline), settings, evaluated.inputs, allow_changed_qrels)
        notes += [note] if note else []
    held = _baselines(evaluated, saved, str(baseline or baseline_run))
    if baseline is not None and not held:
        conditions = _without_baseline(conditions, why, notes)
    rules = Rules(
        Plan(tests=(test,), correction=correction, samples=samples, seed=seed, alpha=significant or 0.05),
        significant is not None,
        any_drop,
        undecided,
        baselines.tolerance(saved),
        digits,
    )
    found = Verdict(
        *judge(conditions, requests, evaluated.outcomes, held, rules),
        policy=settings.policy,
        baseline=(baseline or baseline_run or "") if held else "",
        qrels=files[0],
        files=tuple((outcome.run, path) for outcome, path in zip(evaluated.outcomes, runs, strict=True)),
        notes=(*notes, *_how(conditions, rules)),
        digits=digits,
    )
    note_runs(evaluated, [name for name, _ in sets], settings)
    _serve(found, written, inputs)
    if telling:
        _tell_github(found, bool(github))
    show(CheckReport(found), to)
    # Last, since a check that is made again would be made against it.
    if update_baseline and baseline is not None:
        _update(evaluated, settings, baseline, found, force, exact)
    return 0 if found.holds else FAILED


def _conditions(
    wanted: dict[str, tuple[str, ...]], measures: tuple[str, ...], settings: Settings, ctx: click.Context
) -> tuple[list[Condition], list[Request]]:
    """What is required, and the measures to show."""
    from irev.analysis.gate.conditions import read
    from irev.cli.analysis import DEFAULT_MEASURES
    from irev.measures import parse

    named = [
        each
        for kind, texts in wanted.items()
        for text in texts
        for each in read(kind, text, (), settings.compat)
        if each.request is not None
    ]
    # What names no measure is about those asked for, or those of other conditions.
    fallback = measures or tuple(dict.fromkeys(each.measure for each in named)) or DEFAULT_MEASURES
    conditions = [
        each for kind, texts in wanted.items() for text in texts for each in read(kind, text, fallback, settings.compat)
    ]
    if not conditions:
        raise click.UsageError("nothing is required; for example --min nDCG@10=0.4 or --max-drop AP=0.01", ctx)
    return conditions, list(parse(measures, settings.compat, warn)) if measures else []


def _saved(path: str | None, update: bool) -> Result | None:
    """The baseline, None where there is none; one that is to be written need not be there yet."""
    if path is None or (update and not os.path.exists(path)):
        return None
    from irev.evaluation import saved as record
    from irev.reading.sources import Source

    with Source(path) as source:
        return record.read(source)


def _is_comparable(
    saved: Result,
    settings: Settings,
    evaluated: Runs,
    conditions: Sequence[Condition],
    significant: bool,
    allow_changed: bool,
) -> bool:
    """Whether the conditions can be judged by a baseline."""
    from irev.analysis.gate.baseline import require_comparable
    from irev.analysis.gate.cases import require_measured
    from irev.analysis.gate.conditions import AGAINST
    from irev.errors import InputError, UsageError

    try:
        require_comparable(saved, "", settings, evaluated.inputs, allow_changed)
        for held in _baselines(evaluated, saved, "").values():
            for condition in conditions:
                if condition.kind in AGAINST:
                    require_measured(held.scores, condition, significant)
    except (InputError, UsageError):
        return False
    return True


def _baselines(evaluated: Runs, saved: Result | None, name: str) -> dict[str, Outcome]:
    """What every run is held against."""
    from irev.analysis.gate.baseline import outcome_for, require_same_queries

    if evaluated.beside:
        for outcome in evaluated.outcomes:
            require_same_queries(
                outcome, evaluated.beside[0].scores, name, "--queries qrels counts all that are judged"
            )
        return {outcome.run: evaluated.beside[0] for outcome in evaluated.outcomes}
    if saved is None:
        return {}
    held = {outcome.run: outcome_for(saved, outcome.run, name) for outcome in evaluated.outcomes}
    for outcome in evaluated.outcomes:
        require_same_queries(outcome, held[outcome.run].scores, name)
    return held


def _without_baseline(conditions: list[Condition], why: str, notes: list[str]) -> list[Condition]:
    """The conditions that need no baseline, where there is none to judge the others by."""
    from irev.analysis.gate.conditions import AGAINST

    kept = [condition for condition in conditions if condition.kind not in AGAINST]
    if len(kept) < len(conditions):
        notes.append(f"{why}, so what needs one was not checked.")
    return kept


def _how(conditions: Sequence[Condition], rules: Rules) -> list[str]:
    """How tests were made, where there are any."""
    if not any(rules.tests(condition) for condition in conditions):
        return []
    from irev.errors import decimal
    from irev.statistics.families import CORRECTIONS
    from irev.statistics.paired import TESTS as PAIRED

    plan = rules.plan
    drawn = f", {plan.samples:,} samples, seed {plan.seed}" if plan.tests[0] in ("randomization", "bootstrap") else ""
    title = CORRECTIONS[plan.correction or "holm"].title
    against = "any drop" if rules.any_drop else "the drop that is allowed"
    return [
        f"Tests: {PAIRED[plan.tests[0]].title}, one-sided, against {against}, level {decimal(plan.alpha)},"
        f" {title}{drawn}."
    ]


def _update(evaluated: Runs, settings: Settings, path: str, found: Verdict, force: bool, exact: bool) -> None:
    """Write the new baseline, unless something does not hold."""
    if not found.holds and not force:
        warn(f"{path} is left as it is, since not all conditions hold; --force writes it")
        return
    from irev.analysis.gate.baseline import PRECISION, rounded
    from irev.evaluation.result import Result
    from irev.output.report import Look
    from irev.output.reports.evaluation import EvaluationReport
    from irev.output.styles import written

    result = Result(
        evaluated.outcomes,
        settings,
        settings.policy,
        evaluated.inputs,
        per_query=True,
    )
    baseline = EvaluationReport(rounded(result, None if exact else PRECISION))
    write(written("json", baseline, Look("standard")), path, ())


def _serve(found: Verdict, paths: dict[str, str | None], inputs: tuple[str, ...]) -> None:
    """Write the files that services read, each where its option says."""
    from irev.output.services import github, gitlab, junit, tap

    makers = {
        "--junit": junit.junit,
        "--tap": tap.tap,
        "--comment": lambda verdict: github.comment(verdict).encode("utf-8", "replace"),
        "--markdown-summary": lambda verdict: github.summary(verdict).encode("utf-8", "replace"),
        "--gitlab-metrics": gitlab.metrics,
        "--gitlab-quality": gitlab.code_quality,
    }
    for option, made in makers.items():
        if (path := paths[option]) is not None:
            write(made(found), path, inputs)


def _tell_github(found: Verdict, asked: bool) -> None:
    """Annotations on standard error, where GitHub finds them too, and the summary of the step.

    The verdict does not hang on a summary that nobody asked for.
    """
    from irev.errors import InputError
    from irev.output.services import github

    tell(github.annotations(found))
    if path := os.environ.get(SUMMARY):
        try:
            append(github.summary(found).encode("utf-8", "replace"), path)
        except InputError as error:
            if asked:
                raise
            warn(str(error))
