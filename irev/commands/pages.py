"""What questions that write pages about runs share: the data kept of each run, and the page made of them."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING

from irev import __version__
from irev.base.errors import UsageError, printable
from irev.base.records import dataclass
from irev.base.settings import Settings, policy
from irev.base.text import encoded, named
from irev.evaluation.comparison import Clusters, in_clusters
from irev.evaluation.comparison.contrasts import compare
from irev.evaluation.comparison.systems import aligned_outcomes
from irev.evaluation.curves import by_run
from irev.evaluation.inputs import Inputs, of_each_run
from irev.evaluation.result import Result, on_same_queries
from irev.evaluation.scores import require_ranks
from irev.evaluation.side_by_side import Located, ToShow, attribution, side_by_side
from irev.output.pages.queries import distinct
from irev.output.pages.report import Differing, ReportPage
from irev.output.reports.comparison import ComparisonReport
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.base.segments import Ints
    from irev.evaluation.batch import ShownRun
    from irev.evaluation.curves import CurvePicture
    from irev.evaluation.files import Runs
    from irev.evaluation.result import Outcome
    from irev.evaluation.side_by_side import SideBySide
    from irev.measures import Request
    from irev.reading.judgments import Judgments

CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Where curves by cutoff have their points."""

MOST = 36
"""Documents that differences are due to, of all runs together."""


def to_show(top: int) -> ToShow:
    """What is to be kept of each run for a page with the first documents of each ranking."""
    return ToShow(top, (*by_run.recall_requests(), *by_run.cutoff_requests(cutoffs=CUTOFFS)))


def require_pages(requests: Sequence[Request], settings: Settings) -> None:
    """Raise `UsageError` where rankings cannot be shown beside each other, or not by some of the measures."""
    if settings.queries == "run":
        raise UsageError("rankings side by side need the same queries: leave out --queries run")
    if not requests:
        fact = "a page shows values of single queries, but no measure has any"
        raise UsageError(fact, remedy="add a measure, for example -m AP")
    require_ranks(requests, settings)


def require_same_zeros(outcomes: Sequence[Outcome], requests: Sequence[Request], settings: Settings) -> None:
    """Refuse measures by which having found nothing is not 0, as which trec_eval 9 counts a query that a run lacks."""
    if not (settings.single_precision and settings.complete):
        return
    for outcome in outcomes:
        number = {query: place for place, query in enumerate(outcome.scores.queries)}
        at = [number[query] for query in outcome.facts.not_retrieved]
        for column in outcome.scores.columns:
            in_file = column.request.measure.summary == "judged relevant"  # there are those of all queries
            if at and column.request in requests and not in_file and column.values[at].any():
                name = column.request.standard
                raise UsageError(
                    f"trec_eval {settings.compat} counts a query without results as 0, but {name} of an empty "
                    "ranking is another number",
                    remedy=f"leave out {name} or --compat, or use --queries both, which counts queries that all "
                    "runs have",
                )


def disambiguate(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The runs with names as they are shown, no two of which look alike."""
    names = distinct([named(outcome.run) for outcome in outcomes])
    return tuple(replace(outcome, run=name) for outcome, name in zip(outcomes, names, strict=True))


@dataclass(frozen=True, eq=False)
class EvaluatedRuns:
    """Runs that were evaluated with `to_show`.

    Attributes
    ----------
    evaluated : Runs
    paths : sequence of str
        The file of each run, those that were evaluated beside the others included.
    outcomes : tuple of Outcome
        All of them on the same queries, in the order of their files.
    inputs : Inputs
        What they were evaluated of.
    top : int
        How many documents of each ranking are shown.
    """

    evaluated: Runs
    paths: Sequence[str]
    outcomes: tuple[Outcome, ...]
    inputs: Inputs
    top: int

    def page(
        self,
        requests: Sequence[Request],
        comparison: ComparisonReport | None,
        first: int,
    ) -> ReportPage:
        """The page about them, on which these measures are shown, and all runs are compared with one of them."""
        settings = self.inputs.settings
        result = Result(self.outcomes, settings, policy(settings), self.evaluated.inputs)
        side = self._side_by_side(requests)
        return ReportPage(
            result,
            tuple(requests),
            side,
            comparison,
            self.evaluated.judgments[0].name,
            curves=self._curves(),
            differing=self._differing(requests[0], first),
            titles=self.inputs.titles_of(side.queries),
            documents=self.inputs.texts_of(side.documents),
            digits=self.inputs.digits,
            left_out=self._left_out,
        )

    def _side_by_side(self, requests: Sequence[Request]) -> SideBySide:
        def locate(judgments: Judgments) -> Sequence[Ints]:
            return of_each_run(self.inputs, Located(judgments, settings), self.paths)[0]

        settings = self.inputs.settings
        return side_by_side(
            self._given,
            self._shown,
            requests,
            self.evaluated.judgments[0],
            settings.level,
            self.top,
            locate,
        )

    @property
    def _shown(self) -> list[ShownRun]:
        """What was kept of each run."""
        return [each.shown for each in self.evaluated.evaluated if each.shown is not None]

    @property
    def _given(self) -> tuple[Outcome, ...]:
        """The outcomes as they were evaluated."""
        return (*self.evaluated.outcomes, *self.evaluated.beside)

    @property
    def _left_out(self) -> int:
        """How many queries not all runs have."""
        return len(on_same_queries(self._given)[1])

    def _curves(self) -> tuple[CurvePicture, ...]:
        """The curves of averages over the queries that all runs have."""
        if not self._shown[0].scores.columns:
            return ()
        requests = (*by_run.recall_requests(), *by_run.cutoff_requests(cutoffs=CUTOFFS))
        made = [each.arranged(requests) for each in self._kept]
        first = by_run.recall_precision(made, self.inputs.settings)
        return first, by_run.against_each_other(made), *by_run.by_cutoff(made)

    @property
    def _kept(self) -> tuple[Outcome, ...]:
        """The values that were kept of each run, of the queries that all runs have."""
        return on_same_queries(
            [
                replace(outcome, scores=each.scores, summary=each.summary)
                for outcome, each in zip(self.outcomes, self._shown, strict=True)
            ]
        )[0]

    def _differing(self, request: Request, first: int) -> list[Differing]:
        """The documents that the differences to one of the runs are due to."""
        outcomes, judgments, shown = self.outcomes, self.evaluated.judgments[0], self._shown
        number = [column.request for column in self._given[0].scores.columns].index(request)
        others = [place for place in range(len(shown)) if place != first]
        most = max(MOST // max(len(others), 4), 2)
        queries = outcomes[0].scores.queries
        return [
            Differing(
                outcomes[first].run,
                outcomes[place].run,
                attribution(shown[first], shown[place], number, judgments, queries, most),
            )
            for place in others
        ]


def compared(
    outcomes: Sequence[Outcome],
    requests: Sequence[Request],
    policy: str,
    first: int | None,
    is_best: bool = False,
    clusters: Clusters = None,
) -> ComparisonReport | None:
    """How runs on the same queries differ from the `first`, or from each other where that is None; None for one run.

    `is_best` says that the first was chosen since it is the best.
    """
    if len(outcomes) == 1:
        return None
    aligned = in_clusters(aligned_outcomes(outcomes, requests, both=True), clusters)
    return ComparisonReport(compare(aligned, first, Plan(), best=is_best), policy)


def made_by(inputs: Inputs, page: ReportPage) -> ReportPage:
    """The page with what was said, what was typed, and the programs that numbers depend on."""
    command = printable(encoded(shlex.join(inputs.command)))
    packages = {name: version(name) for name in ("numpy", "scipy")}
    versions = {"irev": __version__, "Python": platform.python_version(), **packages}
    return replace(page, warnings=inputs.said, command=command, versions=versions)
