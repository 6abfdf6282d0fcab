"""What `irev report` can be asked."""

from __future__ import annotations

from irev.base.choice import as_in, choice
from irev.base.kinds import Flag, NamedFile, RunFiles, SavedResult, Whole
from irev.base.records import dataclass
from irev.output.styles import PAGE
from irev.questions.question import EVERY_QUERY, PAGES, READING, RUNNING, TEXTS, Question
from irev.questions.systems import Contrasts
from irev.statistics.plan import Plan

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "R@100")
"""What a page shows unless asked otherwise; topics are ordered by the first."""

SHOWN = 10
"""Documents of each ranking that a page shows, unless more are asked for."""


@dataclass(frozen=True)
class PageChoices:
    """What is written about, and what of it is shown."""

    files: tuple[str, ...] = choice((), "judgments and runs", RunFiles())
    measures: tuple[str, ...] = as_in(
        Contrasts,
        "measures",
        says=f"a measure; queries are ordered by the first. Default: {', '.join(DEFAULT_MEASURES)}",
    )
    saved: str | None = choice(
        None,
        "make the page from a saved result, which has values but no rankings",
        SavedResult(),
        "--from",
        settles="top covers others names_given",
    )
    top: int = choice(SHOWN, "show the first N documents of each ranking", Whole(1))
    covers: bool = choice(
        False,
        "also say how much of the runs was judged, and how far missing judgments could change scores",
        Flag(),
        "--coverage",
    )
    others: tuple[tuple[str, str], ...] = choice(
        (),
        "other judgments: also say how far QRELS agrees with them, as `irev judges` does. Repeat it for more",
        NamedFile(),
        "--judge",
        several=True,
    )
    baseline: str | None = as_in(Contrasts, "baseline")
    all_pairs: bool = as_in(Contrasts, "all_pairs")


@dataclass(frozen=True)
class ReportChoices(Plan, PageChoices):
    """The same, and how runs are compared."""

    @property
    def against(self) -> Contrasts:
        """Which runs are compared with which."""
        return Contrasts(baseline=self.baseline, all_pairs=self.all_pairs)


QUESTION = Question(
    "report",
    says="Write a self-contained HTML report about runs.",
    about="""Write one page of HTML about the RUNs: scores, significance, every query and its documents.

The page needs no network, no server and no other file. Every judged query counts; one without results counts as an
empty ranking. The first RUN, or --baseline, is compared with each of the others.""",
    example="irev report -o report.html qrels.txt keyword.run semantic.run",
    files="QRELS RUN…",
    choices=ReportChoices,
    shared=(PAGES, TEXTS, RUNNING, EVERY_QUERY, READING),
    kind=PAGE,
)
