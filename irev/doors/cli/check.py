"""``irev check``: the gate for the quality of retrieval."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from irev.analysis.comparison.defaults import DEFAULT_MEASURES, policy
from irev.base.exit_status import DONE, FAILED
from irev.base.kinds import Real
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.doors.cli.evaluating import evaluate_runs, files_of, note_runs, settings_of
from irev.doors.cli.help import TypedCommand
from irev.doors.cli.idle import refuse_idle, refuse_idle_in, refuse_idle_scales
from irev.doors.cli.options import (
    COMPARING,
    EVERY_QUERY,
    READING,
    REPORTING,
    RUNNING,
    Reporting,
    Running,
    Typed,
    complete_measures,
    inputs_given,
    measure_option,
    options_of,
    pick,
    require_configured,
    settings_options,
)
from irev.doors.cli.output import refuse_clashes, show, write
from irev.doors.cli.services import SERVICES, Services, serve
from irev.doors.cli.streams import say, warn, warnings_heard
from irev.questions.texts import Texts
from irev.statistics.plan import OF_VALUES, SAMPLED, TEST_NAMES, Plan

if TYPE_CHECKING:
    from irev.evaluation.files import Runs
    from irev.evaluation.page_data import ToShow
    from irev.evaluation.result import Outcome, Result
    from irev.measures import Request
    from irev.questions.check.answer import Baseline, Required
    from irev.questions.check.causes import Again, Rankings
    from irev.questions.check.conditions import GateRules
    from irev.questions.check.finding import Verdict


class Configured(NamedTuple):
    """A configuration file, None where there is none, and the judgments and runs that it names, each with its key."""

    path: str | None = None
    named: tuple[tuple[str, str], ...] = ()

    def files(self) -> tuple[str, ...]:
        """The judgments and runs. Raises `InputError`, with the file and the key, for one that is not there."""
        from irev.questions.check.configuration import require_there

        for key, path in self.named:
            require_there(self.path or "", key, path.removeprefix("@") if key == "runs" else path)
        return tuple(path for _, path in self.named)


def _configured(ctx: click.Context, param: click.Parameter, path: str | None) -> Configured:
    """Take what the configuration file says for what options do not."""
    from irev.questions.check import configuration

    if ctx.resilient_parsing:
        return Configured()
    # Files are there before this option when it is not given: they are eager too, and it comes last.
    path = path or (None if ctx.params.get("files") else configuration.present())
    if path is None:
        return Configured()
    found = configuration.read(path)
    options = {option.lstrip("-"): each.name for each in ctx.command.params for option in each.opts}
    ctx.default_map = {str(options[key]): value for key, value in found.items() if key not in ("qrels", "runs")}
    qrels = [("qrels", found["qrels"])] if "qrels" in found else []
    return Configured(path, (*qrels, *(("runs", run) for run in found.get("runs", ()))))


CONDITIONS = (
    click.option(
        "--min",
        metavar="NAME=VALUE",
        multiple=True,
        shell_complete=complete_measures,
        help="The lowest value that is allowed.",
    ),
    click.option(
        "--max",
        metavar="NAME=VALUE",
        multiple=True,
        shell_complete=complete_measures,
        help="The highest value that is allowed.",
    ),
    click.option(
        "--every-query",
        metavar="NAME>VALUE",
        shell_complete=complete_measures,
        multiple=True,
        help="What must hold for every query: a measure, one of > >= < <= =, and a value.",
    ),
    click.option(
        "--max-drop",
        metavar="NAME=VALUE",
        shell_complete=complete_measures,
        multiple=True,
        help="By how much a run may be worse than the baseline: 0.01, or 2% of its value.",
    ),
    click.option(
        "--no-worse-than",
        metavar="[NAME=]VALUE",
        shell_complete=complete_measures,
        multiple=True,
        help="The run must be shown, by a test, to be worse by less than this.",
    ),
    click.option(
        "--max-query-losses",
        metavar="[NAME=]N",
        shell_complete=complete_measures,
        multiple=True,
        help="How many queries may be worse than in the baseline.",
    ),
    click.option(
        "--max-share-losing",
        metavar="NAME>LOSS=SHARE",
        shell_complete=complete_measures,
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
        type=Typed(Real(0, 0.5, open_ends=True)),  # above it bounds at this level would lie the wrong way round
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
    click.option("--test", type=click.Choice(TEST_NAMES), default="t", show_default=True, help="The paired test."),
    click.option(
        "--correction",
        type=click.Choice(OF_VALUES),
        default="holm",
        show_default=True,
        help="How p-values are corrected over conditions.",
    ),
    *options_of(Plan, "samples", "seed"),
    click.option(
        "--allow-changed-qrels",
        is_flag=True,
        help="Compare although the judgments are not those that the baseline was made under.",
    ),
    click.option("--update-baseline", is_flag=True, help="Write the result to the baseline when all conditions hold."),
    click.option("--force", is_flag=True, help="Write it even when some do not hold, and over one made otherwise."),
    click.option("--exact", is_flag=True, help="Write it unrounded, instead of with 6 digits after the decimal point."),
)
"""What runs are compared with."""


@dataclass(frozen=True)
class Comparing:
    """What the options of `BASELINE` say of the baseline."""

    baseline: str | None
    baseline_run: str | None
    allow_changed_qrels: bool
    update_baseline: bool
    force: bool
    exact: bool

    @property
    def any(self) -> bool:
        """Whether there is anything to compare with."""
        return self.baseline is not None or self.baseline_run is not None

    @property
    def beside(self) -> tuple[str, ...]:
        """The run to evaluate beside the others, if there is one."""
        return () if self.baseline_run is None else (self.baseline_run,)

    @property
    def updated(self) -> str | None:
        """The file to write it to, if it is to be written."""
        return self.baseline if self.update_baseline else None

    def saved(self) -> Result | None:
        """What the baseline holds, None where there is none; one that is to be written need not be there yet."""
        if self.baseline is None or (self.update_baseline and not os.path.exists(self.baseline)):
            return None
        from irev.errors import InputError, option
        from irev.evaluation import saved
        from irev.evaluation.record_values import AGAIN
        from irev.reading.sources import STANDARD_INPUT, Source

        if self.baseline != STANDARD_INPUT and not os.path.exists(self.baseline):
            raise InputError("there is no such file", self.baseline, "--update-baseline writes the first one")
        with Source(self.baseline) as source:
            return saved.read(source, f"{AGAIN}, or name a run by {option('baseline_run')}")

    def files_there(self, ctx: click.Context, **others: str | None) -> tuple[str | None, ...]:
        """The baseline's files, and others by the names of their options. Raises `InputError` for one that the
        configuration names and that is not there, but for one that is to be written."""
        named = {"baseline": self.baseline, "baseline_run": self.baseline_run, **others}
        for name, path in named.items():
            if path is not None and path != self.updated:
                first = ", and --update-baseline writes the first one" if name == "baseline" else ""
                require_configured(ctx, name, name.replace("_", "-"), path, first)
        return tuple(named.values())

    def of(self, saved: Result | None, beside: Sequence[Outcome]) -> Baseline:
        """What runs are to be held against."""
        from irev.questions.check.answer import Baseline

        name, run = self.baseline or self.baseline_run or "", beside[0] if beside else None
        return Baseline(name, saved, run, self.allow_changed_qrels, self.force and self.update_baseline)

    def require(self, ctx: click.Context) -> None:
        """Raise `click.UsageError` for options that exclude or need each other."""
        if self.baseline is not None and self.baseline_run is not None:
            raise click.UsageError("--baseline and --baseline-run exclude each other", ctx)
        if self.update_baseline and self.baseline is None:
            raise click.UsageError("--update-baseline needs --baseline, the file to write", ctx)

    def require_used(self, ctx: click.Context) -> None:
        """Refuse what is said of a baseline, or of writing it, where there is no such thing."""
        if self.baseline is None:
            refuse_idle(ctx, "it is for --baseline", "allow_changed_qrels")
        if not self.update_baseline:
            refuse_idle(ctx, "it is for --update-baseline", "force", "exact")


@dataclass(frozen=True)
class Judging:
    """What they say of tests."""

    significant: float | None
    any_drop: bool
    undecided: str | None
    test: str
    correction: str
    samples: int
    seed: int

    def require(self, texts: Mapping[str, Sequence[str]], ctx: click.Context) -> None:
        """Raise `click.UsageError` for an option that was given and says nothing of the conditions."""
        from irev.questions.check.conditions import MAX_DROP, NEEDS, NOTHING_SHOWN, SHOWING, idle

        names = {name: name.replace("-", "_") for name in NEEDS if name != "any-drop" or self.any_drop}
        given = [name for name, of in names.items() if ctx.get_parameter_source(of) is not ParameterSource.DEFAULT]
        kinds = [kind for kind, of_kind in texts.items() if of_kind]
        if fact := idle(given, kinds, self.significant is not None):
            raise click.UsageError(fact, ctx)
        if not {MAX_DROP, *SHOWING} & {*kinds}:
            refuse_idle(ctx, NOTHING_SHOWN, "significant")
        if self.test not in SAMPLED:
            refuse_idle(ctx, f"--test {self.test} draws no samples", "samples", "seed")

    def rules(self, digits: int) -> GateRules:
        from irev.questions.check.conditions import GateRules

        alpha = self.significant or 0.05
        plan = Plan((self.test,), correction=self.correction, samples=self.samples, seed=self.seed, alpha=alpha)
        return GateRules(plan, self.significant is not None, self.any_drop, self.undecided, digits=digits)


@click.command(
    "check",
    cls=TypedCommand,
    short_help="Fail when a run is not as good as it must be.",
    epilog="irev check --min nDCG@10=0.7 --min RR=0.6 qrels.txt semantic.run",
)
@click.argument("files", metavar="QRELS RUN…", nargs=-1, is_eager=True)
@click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    callback=_configured,
    help="Take files and options from FILE. Default: irev.toml, or [tool.irev] in pyproject.toml, when no files are"
    " named.",
)
@measure_option("A measure to show, beside those of the conditions. Repeat it for more.")
@click.option("--groups", metavar="FILE", help="Groups of queries, for conditions about some of them.")
@settings_options(
    CONDITIONS, BASELINE, options_of(Texts), SERVICES, RUNNING, REPORTING, EVERY_QUERY, COMPARING, READING
)
@click.pass_context
def check_command(ctx: click.Context, /, files: tuple[str, ...], config: Configured, **choices: Any) -> int:
    """Check that every RUN is as good as it must be, and end with status 1 if one is not.

    Every judged query counts, a query without results as an empty ranking. Conditions are about a measure, or about
    `queries`, `missing`, `tied`, `judged` or `unjudged`; `run:NAME/` and `group:NAME/` before it narrow them down.
    """
    from irev.questions.check.conditions import KINDS

    comparing, judging = pick(Comparing, choices), pick(Judging, choices)
    services, running, look = pick(Services, choices), pick(Running, choices), pick(Reporting, choices)
    texts_of = pick(Texts, choices)
    texts = {kind: choices.pop(kind.replace("-", "_")) for kind in KINDS}
    measures, groups = choices.pop("measures"), choices.pop("groups")
    settings, listed = settings_of(choices, ctx)
    comparing.require(ctx)
    files = files or config.files()
    sets, runs = files_of(files, (), ctx)
    there = comparing.files_there(ctx, groups=groups, titles=texts_of.titles, documents=texts_of.documents)
    inputs = (*inputs_given(ctx, (*files, *there, config.path, *listed)), *runs)
    refuse_clashes(look.output, inputs, services.paths, {"--baseline": comparing.updated})
    to = look.to(inputs)

    from irev.evaluation.scores import suited
    from irev.questions.check.answer import NOTHING, check, requirements
    from irev.questions.check.finding import CheckReport

    if not any(texts.values()):
        raise click.UsageError(NOTHING, ctx)
    judging.require(texts, ctx)
    with warnings_heard() as warnings:
        asked = requirements(texts, measures, DEFAULT_MEASURES, settings.compat, warn)
        settings = suited(settings, asked.requests, warn)
        _refuse_idle(ctx, asked, comparing, to.style, services)
        saved = comparing.saved()
        evaluated = _evaluate(ctx, asked, comparing, services, sets, runs, settings, running, groups)
        if services.report is not None:
            from irev.doors.cli.pages import require_same_zeros

            require_same_zeros((*evaluated.outcomes, *evaluated.beside), _paged(asked.requests), settings)
        held, rules = comparing.of(saved, evaluated.beside), judging.rules(look.digits)
        again = _rankings(evaluated, runs, comparing.baseline_run, settings)
        about: Any = {"inputs": evaluated.inputs, "qrels": files[0], "files": runs, "rankings": again}
        found = check(asked, evaluated.outcomes, settings, held, rules, **about)
        found = _with_texts(found, texts_of, settings.allow_large)
        note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    serve(found, services, inputs)
    if services.report is not None:
        of = _Pages(evaluated, (*runs, *comparing.beside), settings, running, texts_of)
        write(_page(ctx, found, of, warnings), services.report, inputs)
    show(CheckReport(found), to)
    # Last, since a check that is made again would be made against it.
    if comparing.updated is not None:
        _update(evaluated, settings, comparing.updated, found.holds or comparing.force, comparing.exact)
    return DONE if found.holds else FAILED


def _evaluate(
    ctx: click.Context,
    asked: Required,
    comparing: Comparing,
    services: Services,
    sets: Sequence[tuple[str, str]],
    runs: tuple[str, ...],
    settings: Settings,
    running: Running,
    groups: str | None,
) -> Runs:
    """The runs, and beside them the one that they are held against; with what a page shows where one is wanted."""
    paged = services.report is not None
    return evaluate_runs(
        sets,
        runs,
        asked.requests,
        settings,
        running,
        digest=paged or comparing.baseline is not None,
        digest_runs=paged or comparing.update_baseline,
        groups=groups,
        beside=comparing.beside,
        each_query=True,
        show=_to_show(ctx, asked, (*runs, *comparing.beside), settings) if paged else None,
    )


def _refuse_idle(ctx: click.Context, asked: Required, comparing: Comparing, style: str, services: Services) -> None:
    """Refuse options about what the conditions do not look at."""
    refuse_idle_scales(ctx, asked.requests)
    comparing.require_used(ctx)
    if not comparing.any and services.report is None:
        refuse_idle(ctx, "it is of queries that changed, and there is no baseline", "titles", "documents")
    elif not services.any:
        refuse_idle_in(ctx, style, "titles", "documents")
    if not any(condition.group for condition in asked.conditions):
        refuse_idle(ctx, "no condition is about a group; for example --min group:NAME/AP=0.3", "groups")


def _to_show(ctx: click.Context, asked: Required, paths: Sequence[str], settings: Settings) -> ToShow:
    """What is kept of each run for a page. Raises `IrevError` where there can be none."""
    from irev.doors.cli.pages import SHOWN, require_files, require_pages, to_show

    require_files(paths)
    require_pages(_paged(asked.requests), settings, ctx)
    return to_show(SHOWN)


def _paged(requests: Sequence[Request]) -> tuple[Request, ...]:
    """The measures that a page shows: those with numbers for single queries."""
    return tuple(each for each in requests if each.measure.numeric and each == each.base)


class _Pages(NamedTuple):
    """What a page is made of beside the verdict."""

    evaluated: Runs
    paths: tuple[str, ...]
    settings: Settings
    running: Running
    texts: Texts


def _page(ctx: click.Context, found: Verdict, of: _Pages, warnings: Sequence[str]) -> bytes:
    """The page about a check: the verdict and its reasons first, then the runs, held against that of the baseline.

    Without such a run they are held against nothing but their conditions.
    """
    from irev.doors.cli.pages import SHOWN, EvaluatedRuns, compared, disambiguate, made_by
    from irev.evaluation.curves.same_queries import on_same_queries
    from irev.questions.check.finding import CheckReport

    outcomes = [*of.evaluated.outcomes, *of.evaluated.beside]
    taken_names = {outcome.run for outcome in of.evaluated.outcomes}
    outcomes = [
        replace(each, run=f"{each.run} (before)") if each in of.evaluated.beside and each.run in taken_names else each
        for each in outcomes
    ]
    kept, _ = on_same_queries(outcomes)
    aligned = disambiguate(kept)
    requests = _paged([column.request for column in aligned[0].scores.columns])
    first = len(of.evaluated.outcomes) if of.evaluated.beside else 0
    comparison = compared(aligned, requests, policy(of.settings), first) if of.evaluated.beside else None
    runs = EvaluatedRuns(of.evaluated, of.paths, aligned, of.settings, of.running, SHOWN)
    page = runs.page(requests, comparison, first, of.texts, found.digits)
    return made_by(ctx, replace(page, verdict=CheckReport(found)), warnings).written()


def _with_texts(found: Verdict, texts: Texts, large: bool) -> Verdict:
    """A verdict with the texts of the queries and documents that it names."""
    if texts.titles is None and texts.documents is None:
        return found
    queries = {change.query for moved in found.moved for change in moved.queries}
    queries |= {cause.query for why in found.whys for cause in why.causes}
    named = {name for why in found.whys for cause in why.causes for name in (cause.document, cause.by) if name}
    return replace(found, titles=texts.of_queries(queries, large), documents=texts.of_documents(named, large))


def _rankings(evaluated: Runs, runs: Sequence[str], baseline: str | None, settings: Settings) -> Rankings:
    """Where the rankings of runs, and of the one they are held against, are read again."""
    from irev.questions.check.causes import Rankings

    judgments, paths = evaluated.judgments[0], dict(zip([each.run for each in evaluated.outcomes], runs, strict=True))

    def again(path: str, queries: Collection[bytes]) -> Again | None:
        from irev.questions.check.causes import in_file

        return in_file(judgments, path, settings, queries)

    def of_run(run: str, queries: Collection[bytes]) -> Again | None:
        return again(paths[run], queries)

    def of_baseline(run: str, queries: Collection[bytes]) -> Again | None:
        return again(baseline or "", queries)

    return Rankings(of_run, None if baseline is None else of_baseline)


def _update(evaluated: Runs, settings: Settings, path: str, allowed: bool, exact: bool) -> None:
    """Write the new baseline, unless something does not hold."""
    if not allowed:
        warn(f"{path} is left as it is, since not all conditions hold; --force writes it")
        return
    from irev.evaluation.result import Result, rounded
    from irev.output.report import Look
    from irev.output.reports.evaluation import EvaluationReport
    from irev.output.styles import written
    from irev.questions.check.baseline import PRECISION

    result = Result(evaluated.outcomes, settings, settings.policy, evaluated.inputs, per_query=True)
    baseline = EvaluationReport(rounded(result, None if exact else PRECISION))
    first = not os.path.exists(path)
    write(written("json", baseline, Look("standard")), path, ())
    if first:
        say(f"irev: {path}: the first baseline, which is written now; later runs are compared with it")
