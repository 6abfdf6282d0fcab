"""The verdict of a check: the finding of each condition, the values of measures, and how they look in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from irev.base.errors import printable
from irev.base.records import cached_property, dataclass
from irev.base.text import and_more, decoded, ends, interval, named, number, p_value
from irev.base.text import signed as with_sign
from irev.output.finding import Drawing, Shown, drawing_of_bars
from irev.output.report import RESTS
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


# Words and numbers

TITLE = "irev check"

FAIL = "FAIL"

_WORDS = {"pass": "pass", "fail": FAIL, "undecided": "cannot tell"}


def word(finding: Finding) -> str:
    """The state of a condition: ``pass``, ``FAIL`` or ``cannot tell``; marked if it rests on unjudged documents."""
    return _WORDS[finding.state] + (f" {RESTS}" if finding.rests_on_unjudged else "")


def shown(value: float | None, digits: int = DIGITS) -> str:
    """A number, or nothing."""
    return "" if value is None else number(value, digits)


def signed(value: float | None, digits: int = DIGITS) -> str:
    """A difference with its sign, or nothing."""
    return "" if value is None else with_sign(value, digits)


def direction(value: MeasuredValue) -> str:
    """Whether the difference is for the ``better`` or the ``worse``; empty if it is neither, or none that is seen."""
    difference = value.difference
    if difference is None or value.better == "neither" or signed(difference)[0] not in "+-":
        return ""
    return "better" if (difference > 0) == (value.better == "higher") else "worse"


def run_told(run: str, verdict: Verdict) -> str:
    """The name of a run where there are several; one needs none."""
    return named(run) if len(verdict.files) > 1 else ""


def reason(finding: Finding, longest: int = 0) -> str:
    """Why a condition holds, does not, or cannot be told; cut after so many characters, unless that is 0."""
    return cut(named(finding.reason), longest)


def blamed(finding: Finding, most: int, longest: int = 0) -> list[str]:
    """The queries that are to blame with their values, and how many more there are than `most`; ids are cut after so
    many characters, unless that is 0."""
    listed = []
    for change in finding.queries[:most]:
        values = filter(None, (shown(change.before), shown(change.after)))
        listed.append(f"{cut(printable(change.query), longest)} {' → '.join(values)}")
    more = and_more(len(finding.queries), most).strip()
    return [*listed, more] if more else listed


def blanks(rows: Sequence[Finding] | Sequence[MeasuredValue]) -> str:
    """Why some rows of a table have no baseline and others have; empty where it is not so."""
    if len({row.baseline is None for row in rows}) < 2:
        return ""
    if isinstance(rows[0], Finding):
        return "Conditions on the value of a run have no baseline: those cells are empty."
    return "Cells are empty for measures and groups that the saved baseline does not have."


def to_tell(verdict: Verdict) -> Iterator[Finding]:
    """The conditions that do not hold or cannot be decided; of several about the same queries the first names them."""
    named: set[tuple[str, str, str]] = set()
    for finding in verdict.findings:
        if not finding.holds or finding.state == "undecided":
            queries = finding.run, finding.subject, finding.named
            shorter = finding.reason.removesuffix(finding.named) if queries in named else finding.reason
            yield replace(finding, reason=shorter)
            named.add(queries)


def details(finding: Finding) -> dict[str, str]:
    """The numbers of a condition by what they are, without those that it has not."""
    span = ends(finding.low, finding.high)
    found = {
        "required": named(finding.required),
        "measured": shown(finding.measured),
        "baseline": shown(finding.baseline),
        "difference": signed(finding.difference),
        "interval": "" if span is None else interval(span, DIGITS),
        "losing": _losing(finding),
        "p": "" if finding.p is None else p_value(finding.p),
    }
    return {name: text for name, text in found.items() if text}


def _losing(finding: Finding) -> str:
    if (lost := finding.losing) is None:
        return ""
    return f"{lost.count} of {lost.of}, {100 * lost.low:.1f}% to {100 * lost.high:.1f}% of all"


def cut(text: str, longest: int) -> str:
    """The text, or if it has more characters than `longest` its beginning and ``…``; 0 is no limit."""
    return f"{text[: longest - 1]}…" if 0 < longest < len(text) else text
