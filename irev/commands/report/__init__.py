"""Report: a self-contained page about runs, or the sheet of one.

This module declares what `irev report` can be asked.
"""

from __future__ import annotations

from irev.base.choice import File, MeasureName, RunFiles, RunName, Whole, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import ELSEWHERE, EVERY_QUERY, FORMATS, JOBS, PAGES, TEXTS, Question
from irev.commands.shared import Contrasts, OutputChoices
from irev.output.styles import PAGE

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "R@100")
"""What a page shows unless asked otherwise; topics are ordered by the first."""

SHOWN = 10
"""Documents of each ranking that a page shows, unless more are asked for."""


@dataclass(frozen=True)
class ReportChoices:
    """What is written about, and what of it is shown."""

    files: tuple[str, ...] = choice((), "judgments and runs", RunFiles())
    measures: tuple[str, ...] = as_in(
        Contrasts,
        "measures",
        says=f"a measure; queries are ordered by the first. Default: {', '.join(DEFAULT_MEASURES)}",
    )
    top: int = choice(SHOWN, "show the first N documents of each ranking", Whole(1))
    sort: str | None = choice(
        None, "rank the runs by this measure. Default: the first", MeasureName(), heading="Leaderboard"
    )
    title: str | None = choice(None, "title of the page", heading="Leaderboard")
    resources: str | None = choice(
        None,
        "what runs took, a table with a header: run, perhaps query, and numbers such as latency. The table of runs has"
        " these numbers as columns, and marks dominated runs: another is as good and cheaper, or better and no dearer",
        File(),
        heading="Leaderboard",
    )
    baseline: str | None = choice(
        None, "the run that the others are compared with. Default: the best", RunName(), not_with="all_pairs"
    )
    all_pairs: bool = as_in(Contrasts, "all_pairs")
    clusters: str | tuple[tuple[bytes, bytes], ...] | None = as_in(Contrasts, "clusters")
    output: str | None = as_in(OutputChoices, "output")

    @property
    def against(self) -> Contrasts:
        """Which runs are compared with which."""
        return Contrasts(baseline=self.baseline, all_pairs=self.all_pairs)


QUESTION = Question(
    "report",
    about="""Write one page of HTML about the RUNs: scores, significance, every query and its documents.

The page needs no network, no server and no other file. Every judged query counts; one without results counts as an
empty ranking. Runs are ranked by the first measure; the best of them, or --baseline, is compared with each of the
others.""",
    example="irev report -o report.html qrels.txt keyword.run semantic.run",
    files="QRELS RUN…",
    choices=ReportChoices,
    shared=(PAGES, TEXTS, JOBS, ELSEWHERE, EVERY_QUERY, FORMATS, "compat"),
    kind=PAGE,
)
