"""The verdict of a check: the finding of each condition, the values of measures, and the reasons why queries fell."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import TYPE_CHECKING, Literal, NamedTuple

from irev.base.records import cached_property, dataclass
from irev.base.text import decoded
from irev.output.finding import Drawing, Shown, drawing_of_bars
from irev.statistics.intervals import Interval, Share
from irev.statistics.paired import TestResult

if TYPE_CHECKING:
    from irev.output.report import Report

State = Literal["pass", "fail", "undecided"]

ORDER: dict[State, int] = {"fail": 0, "undecided": 1, "pass": 2}
"""The order in which findings are told: what needs work comes first."""


WORST = 10
"""How many queries a finding names."""

DIGITS = 4
"""How many follow the point in texts."""


class Change(NamedTuple):
    """The change of one query.

    Attributes
    ----------
    query : bytes
    before : float or None
        Its value in the baseline; None where there is no baseline.
    after : float
        Its value now.
    """

    query: bytes
    before: float | None
    after: float

    @property
    def difference(self) -> float | None:
        """How much more it has now."""
        return None if self.before is None else self.after - self.before


@dataclass(frozen=True)
class Weighed:
    """What differences of queries show of a drop, compared with the drop that is allowed.

    Gains, by which a query is better than in the baseline, and room, what it may lose, add up to what it has left: a
    mean below 0 is a drop larger than is allowed, and each test is one of that sum, with one side.

    Attributes
    ----------
    interval : Interval or None
        Of the difference, run minus baseline, by Student's t; each end is a one-sided bound at the level of the plan.
    worse : TestResult
        Student's, of the drop being larger than is allowed.
    p_no_worse : float or None
        Student's, of the drop being as large as is allowed or larger; a small one shows that it is smaller.
    still : bool
        Whether no query has more left than another, so that there is no variance to test against.
    unchanged : bool
        Whether no query differs.
    skewed : tuple of int, or None
        The queries or clusters, and those that a test of the mean needs, where differences are too skewed for so few.
    wanted : int or None
        How many queries without a difference show that the drop is smaller; None where any differs, and of a drop of 0.
    tested : tuple
        The values of both runs, and what is tested of them. Where these are equal, there is one test.
    """

    interval: Interval | None
    worse: TestResult
    p_no_worse: float | None
    still: bool
    unchanged: bool = False
    wanted: int | None = None
    skewed: tuple[int, int] | None = None
    tested: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class Finding:
    """The finding of one condition for one run.

    Attributes
    ----------
    condition : str
        The condition as it was written: ``--min nDCG@10=0.42``.
    run : str
        What the run is called.
    group : str
        The group of queries that it is about; empty for all of them.
    measure : str
        What was measured: ``nDCG@10``, ``judged@10``, ``queries``.
    required : str
        ``at least 0.42``, ``a drop of at most 2%``.
    measured : float
        The value of the run.
    considered : int
        How many queries it is about.
    state : str
        ``pass``, ``fail``, or ``undecided`` where the queries are too few to tell.
    holds : bool
        Whether it counts as passed: an undecided one counts as the condition says.
    reason : str
        One sentence for a person: what was required, measured, and what follows.
    baseline, difference : float or None
        The value of the baseline, and how much more the run has; None where a condition needs no baseline.
    drop : float
        How much worse the run is than the baseline.
    low, high : float or None
        The interval of the difference, where significance was asked for. Either end is a one-sided bound at the level
        of the check.
    p : float or None
        The p-value of the condition's test, which has one side; of drops corrected.
    losing : Share or None
        The queries that lose more than they may, of a condition on their share.
    queries : tuple of Change
        The queries that are to blame, worst first.
    named : str
        The end of the reason, where it names queries.
    rests_on_unjudged : bool or None
        Whether the state changes if unjudged documents are left out, of runs of which clearly not as much is judged;
        None if that is unknown.
    weighed : Weighed or None
        What the queries show of the drop, where that is tested.
    """

    condition: str
    run: str
    group: str
    measure: str
    required: str
    measured: float
    considered: int = 0
    state: State = "undecided"
    holds: bool = False
    reason: str = ""
    baseline: float | None = None
    difference: float | None = None
    drop: float = 0.0
    low: float | None = None
    high: float | None = None
    p: float | None = None
    losing: Share | None = None
    queries: tuple[Change, ...] = ()
    named: str = ""
    rests_on_unjudged: bool | None = False
    weighed: Weighed | None = field(default=None, repr=False)

    @property
    def subject(self) -> str:
        """The measure, with the group that it is about."""
        return f"{self.group}/{self.measure}" if self.group else self.measure


@dataclass(frozen=True)
class MeasuredValue:
    """One measure of one run, whether or not a condition is about it.

    Attributes
    ----------
    run, group, measure : str
    queries : int
        Over how many queries.
    value : float
    baseline : float or None
    better : str
        ``higher``, ``lower`` or ``neither``.
    """

    run: str
    group: str
    measure: str
    queries: int
    value: float
    baseline: float | None
    better: str

    @property
    def difference(self) -> float | None:
        """How much more the run has than the baseline."""
        return None if self.baseline is None else self.value - self.baseline


@dataclass(frozen=True)
class Moved:
    """The queries of a run that changed most in a measure, worst first.

    Attributes
    ----------
    run, measure : str
    queries : tuple of Change
    """

    run: str
    measure: str
    queries: tuple[Change, ...]


class Cause(NamedTuple):
    """What made a query fall.

    Attributes
    ----------
    query : bytes
    change : float
        Its value now less the one of the baseline.
    document : bytes or None
        The document that it lost most by; None where that cannot be told.
    grade : float
        The grade of that, NaN without a judgment.
    was, now : int or None
        Its ranks in the baseline and now; None where it was not retrieved.
    contribution : float or None
        What it adds to the change, of which other documents add the rest; None for a measure that is no sum over ranks.
    by : bytes or None
        The document that stands highest of those that are above it now and were not before, of measures that are sums
        over ranks; without a document, of those that are not relevant and were not retrieved before; where only the
        values of the baseline are known, the first one without a judgment.
    by_grade : float
    by_rank : int
    others : int
        How many more of that kind there are.
    missing : bool
        Whether the run has no results for the query.
    """

    query: bytes
    change: float
    document: bytes | None = None
    grade: float = math.nan
    was: int | None = None
    now: int | None = None
    contribution: float | None = None
    by: bytes | None = None
    by_grade: float = math.nan
    by_rank: int = 0
    others: int = 0
    missing: bool = False


class Newcomers(NamedTuple):
    """Documents without a judgment that entered the first ranks or rose there, and what comes back when they are left
    out.

    Attributes
    ----------
    queries : int
        The queries that were looked at, all that fell or those that fell most.
    documents : int
        How many such documents they have.
    lost : float
        What these queries lost together, above 0.
    regained : float
        How much of that comes back, of no query more than it lost.
    """

    queries: int
    documents: int
    lost: float
    regained: float


@dataclass(frozen=True)
class Why:
    """Why a run is worse than what it is compared with, in one measure.

    Attributes
    ----------
    run, group, measure : str
    fallen : int
        How many queries fell.
    depth : int
        How many ranks count as the first.
    compared : bool
        Whether the rankings of the baseline are known; else newcomers are all documents without a judgment in the first
        ranks.
    causes : tuple of Cause
        Of the queries that fell most, the worst first.
    newcomers : Newcomers or None
        None where values are infinite.
    cut : int or None
        How many results of each query count, where that is limited.
    summed : bool
        Whether the measure is a sum over ranks; else newcomers are the documents alone that were not retrieved before.
    """

    run: str
    group: str
    measure: str
    fallen: int
    depth: int
    compared: bool
    causes: tuple[Cause, ...]
    newcomers: Newcomers | None
    cut: int | None = None
    summed: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Shown):
    """Whether a check holds, and why.

    Attributes
    ----------
    findings : tuple of Finding
        Those that fail first, then the undecided ones, then those that pass.
    values : tuple of MeasuredValue
        The table of measures.
    moved : tuple of Moved
        The queries that changed most, at most ten of a run and measure; empty without a baseline.
    policy : str
        Which queries count, in words.
    baseline : str
        What the runs were compared with; empty when with nothing.
    qrels : str
        The file of the judgments, or what they are called.
    files : tuple of (str, str)
        The name of each run, and its file.
    shown_as : callable
        What lays it out.
    notes : tuple of str
        What else is to be said: how tests were made, what was left out.
    whys : tuple of Why
        Why conditions do not hold, for each run and measure of which one does not, where the rankings are known.
    """

    findings: tuple[Finding, ...]
    values: tuple[MeasuredValue, ...]
    moved: tuple[Moved, ...]
    policy: str
    baseline: str
    qrels: str
    files: tuple[tuple[str, str], ...]
    shown_as: Callable[[Verdict], Report]
    notes: tuple[str, ...] = ()
    whys: tuple[Why, ...] = ()

    @cached_property
    def holds(self) -> bool:
        """Whether all of it holds."""
        return all(finding.holds for finding in self.findings)

    @property
    def failed(self) -> int:
        """How many conditions do not hold."""
        return sum(not finding.holds for finding in self.findings)

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        total = len(self.findings)
        if not total:
            return "No condition was checked"
        if self.holds:
            if untold := sum(finding.state == "undecided" for finding in self.findings):
                held = f"{total - untold} hold{'s' if total - untold == 1 else ''}, " if untold < total else ""
                about = "The condition" if total == 1 else f"{held}{untold}"
                return f"{about} cannot be decided (count{'s' if untold == 1 else ''} as holding)"
            return "The condition holds" if total == 1 else f"All {total} conditions hold"
        if total == 1:
            return "The condition does not hold"
        return f"{self.failed} of {total} conditions {'does' if self.failed == 1 else 'do'} not hold"

    def report(self) -> Report:
        return self.shown_as(self)

    def plot(self) -> Drawing:
        """The queries that changed most, for each run and measure with a baseline."""
        sets = [
            (
                f"{moved.measure}, {moved.run}: run minus baseline, the queries that changed most",
                {
                    decoded(change.query): change.after - change.before
                    for change in moved.queries
                    if change.before is not None
                },
            )
            for moved in self.moved
        ]
        return drawing_of_bars(sets, "queries", f"{self.headline}.", order=False)

    def __repr__(self) -> str:
        return f"<Verdict: {self.headline}>"
