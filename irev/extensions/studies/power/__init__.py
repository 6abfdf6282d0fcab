"""Power: how many queries it takes to find a difference between runs, and how often a gate turns red.

This module declares what `irev power` can be asked.
"""

from __future__ import annotations

from irev.base.choice import OpenShare, Real, Whole, Word, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import DIGITS, EVERY_QUERY, REPORTING, Question
from irev.commands.shared import Contrasts
from irev.statistics.plan import ALTERNATIVES, Plan

DESIGNS = T, ANOVA, INTERVAL = "t", "anova", "interval"
"""What a number of queries is planned for."""


@dataclass(frozen=True)
class PowerChoices(Contrasts):
    """What a set of queries is to make possible: a test, an interval, or a gate."""

    power: float = choice(
        0.8,
        "show how many queries are needed to find the difference with this probability",
        OpenShare(),
        needs="kind=t,anova",
        not_with="gate",
        heading="Significance",
    )
    kind: str = choice(
        T,
        "what the queries are used for: a paired t-test, an analysis of variance of several runs, or an interval "
        "of a given width",
        Word(DESIGNS),
        "--design",
        not_with="gate",
    )
    gate: float | None = choice(
        None,
        "show how often `irev check --max-drop D` and similar conditions fail if the true drop is --difference "
        "(default: some drops near D)",
        Real(),
    )
    number: int | None = choice(None, "with --gate: how many queries. Default: as measured", Whole(2), needs="gate")
    difference: float | None = choice(
        None,
        "the smallest difference to find; with anova, between the best and the worst run; with --gate, the true drop",
        Real(open_ends=True),
        needs="kind=t,anova",
    )
    variance: float | None = choice(
        None,
        "variance of the differences of queries; with anova, of queries within a run. Default: the one measured",
        Real(open_ends=True),
    )
    systems: int | None = choice(
        None, "how many runs are compared. Default: as many as given, or 2", Whole(2), needs="kind=t,anova"
    )
    correction: str | None = as_in(Plan, "correction", needs="kind=t", not_with="gate")
    family: str = as_in(Plan, "family", needs="kind=t", not_with="gate")
    width: float | None = choice(None, "with interval: its expected width", Real(open_ends=True), needs="kind=interval")
    clusters: str | tuple[tuple[bytes, bytes], ...] | None = as_in(Contrasts, "clusters", not_with="variance")
    alternative: str = choice(
        "two-sided", "whether the t-test has two sides or one", Word(ALTERNATIVES), needs="kind=t", not_with="gate"
    )
    alpha: float = choice(0.05, "the largest p-value that is significant", OpenShare())

    @property
    def drops(self) -> tuple[float, ...]:
        """The true drops that are asked about of a gate."""
        if self.difference is not None:
            return (self.difference,)
        return tuple(times * (self.gate or 0.01) for times in (0.0, 0.5, 1.0, 2.0, 3.0, 5.0))


QUESTION = Question(
    "power",
    says="Estimate how many queries it takes to find a difference.",
    about="""Estimate how many queries it takes to find a difference between runs.

The RUNs show how much differences vary from query to query; without runs, give --variance.""",
    example="irev power --difference 0.02 --variance 0.01",
    files="[QRELS RUN RUN… | RESULT…]",
    choices=PowerChoices,
    shared=(REPORTING, DIGITS, EVERY_QUERY, "level", "qrels_format"),
)
