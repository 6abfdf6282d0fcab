"""What the command line alone does for ``irev check``: it evaluates runs beside the one that they are compared with,
makes the page, tells GitHub, and writes the next baseline."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.base.directions import directions_in
from irev.base.errors import InputError, option
from irev.base.records import cached_property
from irev.base.settings import DEFAULT_MEASURES, policy
from irev.doors.cli.given import FilesGiven, flag_of
from irev.doors.cli.options import refuse_evaluating, refuse_idle, refuse_idle_scales
from irev.doors.cli.output import append, refuse_clashes, write
from irev.doors.cli.streams import say, tell, warn
from irev.evaluation.result import Result, on_same_queries, rounded
from irev.evaluation.scores import suited
from irev.measures.request import others_in
from irev.output.report import Look
from irev.output.styles import written
from irev.questions.check.answer import Baseline, RunsToJudge, require_evaluated
from irev.questions.check.baseline import PRECISION, Rankings
from irev.questions.check.conditions import KINDS
from irev.questions.question import HUMAN, PREDICTED
from irev.reading.sources import STANDARD_INPUT, Source

if TYPE_CHECKING:
    from irev.evaluation.files import Runs
    from irev.measures import Request
    from irev.questions.check import CheckChoices
    from irev.questions.check.answer import Required
    from irev.questions.check.baseline import Again
    from irev.questions.check.finding import CheckReport, Verdict
    from irev.ranking.ranking import First

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file for the summary of a step, where GitHub runs it."""


OF_RANKINGS = ("baseline_run", "predicted", "groups", "report")
"""Choices that have no effect on results that are there already."""


class FilesToCheck(FilesGiven):
    """Judgments, runs, and what the runs are compared with, in files."""

    _choices: CheckChoices
    _evaluated: Runs
    _result: Result

    @cached_property
    def _given(self) -> tuple[Result, tuple[str, ...]] | None:
        """Results that stand for judgments and runs, and the file of each run."""
        if self.has_judgments:
            return None
        if not self._runs:
            raise click.BadArgumentUsage("expected QRELS and RUNs, or saved results", self._ctx)
        from irev.evaluation.saved import read_together

        refuse_evaluating(self._ctx)
        refuse_idle(self._ctx, "give judgments and runs instead of results", *OF_RANKINGS)
        params = self._ctx.params
        better = directions_in(text for name in ("measures", *KINDS) for text in params[name])
        found, files = read_together(self._runs, self._running.names_given, warn, better)
        self.settings = found.settings
        return found, files

    @property
    def usual(self) -> Sequence[str]:
        """The measures that conditions are about where nobody names any."""
        return DEFAULT_MEASURES if self._given is None else [each.standard for each in self._given[0].requests]

    @property
    def others(self) -> Mapping[str, Request]:
        """The measures that another program computed, by their names."""
        return {} if self._given is None else others_in(self._given[0].requests)

    def called(self, name: str) -> str:
        """What the command line calls a choice."""
        return flag_of(self._ctx, name)

    @property
    def _beside(self) -> tuple[str, ...]:
        """The run that is evaluated beside the others, if there is one."""
        return () if self._choices.baseline_run is None else (self._choices.baseline_run,)

    @property
    def _updated(self) -> str | None:
        """The baseline that is to be written, if it is."""
        return self._choices.baseline if self._choices.update_baseline else None

    @property
    def _summary(self) -> str | None:
        """The file that a summary is appended to for GitHub, if it is told anything."""
        return os.environ.get(SUMMARY) or None if self._tells_github else None

    @cached_property
    def _tells_github(self) -> bool:
        asked = self._choices.github
        return bool(os.environ.get(SUMMARY)) if asked is None else asked

    def evaluate(self, asked: Required, choices: CheckChoices) -> RunsToJudge:
        """The runs, and what they are compared with."""
        self._choices = choices
        if self._summary is not None:
            written = {**self.written, SUMMARY: self._summary}
            refuse_clashes(self._ctx.params["output"], self.read, written, {"--baseline": self._updated})
        if self._given is not None:
            return self._of_results(asked, *self._given)
        self.settings = settings = suited(self.settings, asked.requests, warn)
        refuse_idle_scales(self._ctx, asked.requests)
        if choices.predicted is not None:
            return self._by_both(asked, choices.predicted)
        paged, paths = choices.report is not None, (*self._runs, *self._beside)
        to_show = None
        if paged:
            from irev.questions import pages
            from irev.questions.report import SHOWN

            pages.require_files(paths)
            pages.require_pages(_paged(asked.requests), settings)
            to_show = pages.to_show(SHOWN)
        saved = self._saved()
        self._evaluated = found = self.evaluated(
            asked.requests,
            digest=paged or choices.baseline is not None or choices.log is not None,
            content=choices.baseline is not None or choices.log is not None,
            digest_runs=paged or choices.update_baseline,
            groups=choices.groups,
            beside=self._beside,
            each_query=True,
            unjudged=bool(self._beside),
            show=to_show,
        )
        if paged:
            pages.require_same_zeros((*found.outcomes, *found.beside), _paged(asked.requests), settings)
        self._result = Result(found.outcomes, settings, settings.policy, found.inputs, per_query=True)
        name, run = choices.baseline or choices.baseline_run or "", found.beside[0] if found.beside else None
        replaced = choices.force and choices.update_baseline
        baseline = Baseline(name, saved, run, choices.allow_changed_qrels, replaced)
        ((_, judged),) = self._sets
        return RunsToJudge(
            found.outcomes,
            settings,
            baseline,
            found.inputs,
            judged,
            self._runs,
            self._rankings(found),
            tell=self._tell,
            page=self._page,
        )

    def _of_results(self, asked: Required, result: Result, files: Sequence[str]) -> RunsToJudge:
        """The same of results that are there already."""
        for outcome in result.outcomes:
            require_evaluated(outcome, asked.requests)
        self._result, choices = result, self._choices
        baseline = Baseline(
            choices.baseline or "",
            self._saved(),
            allow_changed=choices.allow_changed_qrels,
            replaced=choices.force and choices.update_baseline,
        )
        return RunsToJudge(result.outcomes, result.settings, baseline, result.inputs, files=files, policy=result.policy)

    def _by_both(self, asked: Required, model: str) -> RunsToJudge:
        """The same under human judgments, and those of a model in this file."""
        from irev.questions.check.corrected import BothOutcomes

        settings, ((_, human),), paths = self.settings, self._sets, (*self._runs, *self._beside)
        if self._choices.report is not None:
            from irev.questions import pages

            pages.require_files(paths)
            pages.require_pages(_paged(asked.requests), settings)
        both = self.beside(model)
        found = both.evaluated(asked.requests, beside=self._beside, each_query=True)
        both.note_evaluated(found.evaluated, settings, HUMAN)
        by_human, by_model = (
            [each for each in (*found.outcomes, *found.beside) if each.qrels == name] for name in (HUMAN, PREDICTED)
        )

        def firsts() -> list[First]:
            return [each.first for each in self.first_of(paths, settings.depth, digest=False)]

        held = by_model[len(self._runs) :]
        return RunsToJudge(
            by_model[: len(self._runs)],
            settings,
            Baseline(self._choices.baseline_run or "", run=held[0] if held else None),
            found.inputs,
            human,
            self._runs,
            page=lambda report: self._page_by_both(report, asked.requests, model),
            both=BothOutcomes(found.judgments[0], found.judgments[1], by_human, by_model, firsts),
        )

    def _saved(self) -> Result | None:
        """What the baseline holds, None where there is none; one that is to be written need not be there yet."""
        path = self._choices.baseline
        if path is None or (path == self._updated and not os.path.exists(path)):
            return None
        from irev.evaluation import saved
        from irev.evaluation.record import AGAIN

        if path != STANDARD_INPUT and not os.path.exists(path):
            raise InputError("there is no such file", path, f"{option('update_baseline')} writes the first one")
        with Source(path) as source:
            better = directions_in(text for name in KINDS for text in self._ctx.params[name])
            return saved.read(source, f"{AGAIN}, or name a run by {option('baseline_run')}", better, warn=warn)

    def _rankings(self, found: Runs) -> Rankings:
        """Where the rankings of runs, and of the one they are compared with, are read again."""
        judgments, settings = found.judgments[0], self.settings
        paths = dict(zip([each.run for each in found.outcomes], self._runs, strict=True))
        beside = self._beside

        def again(path: str, queries: Collection[bytes]) -> Again | None:
            from irev.questions.check.causes import in_file

            return in_file(judgments, path, settings, queries)

        return Rankings(
            lambda run, queries: again(paths[run], queries),
            (lambda run, queries: again(beside[0], queries)) if beside else None,
        )

    def _tell(self) -> None:
        """Say of judgments and runs what the numbers do not show."""
        self.note(self._evaluated, ties=False)

    def _page(self, report: CheckReport) -> bytes:
        """The verdict and its reasons first, then the runs, compared with that of the baseline.

        Without such a run they are compared with nothing but their conditions.
        """
        from irev.questions.pages import EvaluatedRuns, compared, disambiguate, made_by
        from irev.questions.report import SHOWN

        found = self._evaluated
        names = {outcome.run for outcome in found.outcomes}
        beside = [replace(each, run=f"{each.run} (before)") if each.run in names else each for each in found.beside]
        kept, _ = on_same_queries([*found.outcomes, *beside])
        aligned = disambiguate(kept)
        requests = _paged([column.request for column in aligned[0].scores.columns])
        first = len(found.outcomes) if beside else 0
        comparison = compared(aligned, requests, policy(self.settings), first) if beside else None
        runs = EvaluatedRuns(found, (*self._runs, *self._beside), aligned, self, SHOWN)
        page = runs.page(requests, comparison, first)
        return made_by(self, replace(page, verdict=report)).written()

    def _page_by_both(self, report: CheckReport, requests: Sequence[Request], model: str) -> bytes:
        """The verdict first, then the runs by both kinds of judgments, and their queries by those of the model."""
        from irev.questions.pages import EvaluatedRuns, corrected_page, disambiguate, made_by, to_show
        from irev.questions.report import SHOWN

        corrected, settings, paged = report.verdict.corrected, self.settings, _paged(requests)
        if corrected is None:
            return b""
        how: dict[str, Any] = {"digest": True, "beside": self._beside, "each_query": True, "show": to_show(SHOWN)}
        found = self.again((("", model),), self._runs).evaluated(paged, **how)
        names = [*dict.fromkeys(line.run for line in corrected.found.means)]
        every = zip((*found.outcomes, *found.beside), names, strict=True)
        outcomes = disambiguate([replace(each, run=name) for each, name in every])
        result = Result(outcomes, settings, policy(settings), found.inputs)
        runs = EvaluatedRuns(found, (*self._runs, *self._beside), outcomes, self, SHOWN)
        page = corrected_page(runs, result, corrected, paged)
        return made_by(self, replace(page, verdict=report)).written()

    @contextmanager
    def around(self, found: CheckReport) -> Iterator[None]:
        """Tells GitHub, and writes the next baseline when the verdict is shown."""
        if self._tells_github:
            self._tell_github(found.verdict)
        yield
        if self._updated is not None:
            self._update(self._updated, found.verdict.holds or self._choices.force)

    def _tell_github(self, found: Verdict) -> None:
        """Annotations on standard error, where GitHub finds them too, and the summary of the step.

        The verdict does not hang on a summary that nobody asked for.
        """
        from irev.questions.check import services

        tell(services.github_annotations(found))
        if self._summary:
            try:
                append(services.summary(found).encode("utf-8", "replace"), self._summary)
            except InputError as error:
                if self._choices.github:
                    raise
                warn(error.typed)

    def _update(self, path: str, allowed: bool) -> None:
        """Write the new baseline, unless something does not hold."""
        if not allowed:
            warn(f"{path} is unchanged, because not all conditions hold; --force writes it")
            return
        from irev.output.reports.evaluation import EvaluationReport

        baseline = EvaluationReport(rounded(self._result, None if self._choices.exact else PRECISION))
        first = not os.path.exists(path)
        write(written("json", baseline, Look("standard")), path, ())
        if first:
            say(f"irev: {path}: this is the first baseline; later runs are compared with it")


def _paged(requests: Sequence[Request]) -> tuple[Request, ...]:
    """The measures that a page shows: those with numbers for single queries."""
    return tuple(each for each in requests if each.measure.numeric and each == each.base)
