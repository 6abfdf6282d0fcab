"""How a verdict is put in words and numbers, wherever it is shown."""

from __future__ import annotations

from irev.analysis.gate.verdict import Change, Finding, MeasuredValue, Verdict
from irev.base import text as wording
from irev.base.text import and_more, named, number
from irev.errors import printable

TITLE = "irev check"

_WORDS = {"pass": "pass", "fail": "FAIL", "undecided": "cannot tell"}


def word(finding: Finding) -> str:
    """What became of a condition: ``pass``, ``FAIL`` or ``cannot tell``."""
    return _WORDS[finding.state]


def shown(value: float | None, digits: int) -> str:
    """A number, or nothing."""
    return "" if value is None else number(value, digits)


def signed(value: float | None, digits: int) -> str:
    """A difference with its sign, or nothing."""
    return "" if value is None else wording.signed(value, digits)


def direction(value: MeasuredValue, digits: int) -> str:
    """Whether the difference is for the ``better`` or the ``worse``; empty if it is neither, or none that is seen."""
    difference = value.difference
    if difference is None or value.better == "neither" or signed(difference, digits)[0] not in "+-":
        return ""
    return "better" if (difference > 0) == (value.better == "higher") else "worse"


def run_told(run: str, verdict: Verdict) -> str:
    """The name of a run where there are several; one needs none."""
    return named(run) if len(verdict.files) > 1 else ""


def reason(finding: Finding, longest: int = 0) -> str:
    """Why a condition holds, does not, or cannot be told; cut after so many characters, unless that is 0."""
    return cut(named(finding.reason), longest)


def changed(change: Change, digits: int, longest: int = 0) -> str:
    """A query with its value, and the one before; an id is cut after so many characters, unless that is 0."""
    values = filter(None, (shown(change.before, digits), shown(change.after, digits)))
    return f"{cut(printable(change.query), longest)} {' → '.join(values)}"


def blamed(finding: Finding, verdict: Verdict, most: int, longest: int = 0) -> list[str]:
    """The queries that are to blame, and how many more there are than `most`."""
    listed = [changed(change, verdict.digits, longest) for change in finding.queries[:most]]
    more = and_more(len(finding.queries), most).strip()
    return [*listed, more] if more else listed


def details(finding: Finding, verdict: Verdict) -> dict[str, str]:
    """The numbers of a condition by what they are, without those that it has not."""
    digits = verdict.digits
    found = {
        "required": named(finding.required),
        "measured": shown(finding.measured, digits),
        "baseline": shown(finding.baseline, digits),
        "difference": signed(finding.difference, digits),
        "interval": _interval(finding, digits),
        "losing": _losing(finding),
        "p": "" if finding.p is None else wording.p_value(finding.p),
    }
    return {name: text for name, text in found.items() if text}


def _interval(finding: Finding, digits: int) -> str:
    if finding.low is None or finding.high is None:
        return ""
    return wording.interval((finding.low, finding.high), digits)


def _losing(finding: Finding) -> str:
    if (lost := finding.losing) is None:
        return ""
    return f"{lost.count} of {lost.of}, {100 * lost.low:.1f}% to {100 * lost.high:.1f}% of all"


def cut(text: str, longest: int) -> str:
    """The text, or if it has more characters than `longest` its beginning and ``…``; 0 is no limit."""
    return f"{text[: longest - 1]}…" if 0 < longest < len(text) else text
