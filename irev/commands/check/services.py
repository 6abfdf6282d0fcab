"""A verdict as services for continuous integration read it: JUnit XML, metrics of GitLab, and what GitHub shows.

Functions are pure: from a `Verdict` of `irev.commands.check.verdict` to bytes or text. Nothing in these tells when or
where it was made, so the same verdict gives the same bytes. Ids, and names of runs and files, are from strangers:
control characters and broken UTF-8 are shown escaped, and what a format could take for its own signs is escaped as that
format asks.

GitHub shows annotations of a workflow, the summary of a step, and a comment on a pull request. All three are limited,
and what is left out is said. Limits are those that GitHub states: ten errors and ten warnings of a step, 1 MiB for its
summary, 65,536 characters for a comment. Sizes are counted in bytes of UTF-8, which are never fewer than characters.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple
from xml.etree import ElementTree

from irev.base.errors import printable
from irev.base.text import named
from irev.commands.check.verdict import Finding, MeasuredValue, Verdict
from irev.commands.check.words import (
    TITLE,
    blamed,
    blanks,
    cut,
    details,
    did_it,
    direction,
    explained,
    reason,
    run_told,
    shown,
    signed,
    to_tell,
    why_of,
    word,
)
from irev.output.styles.github import in_message, in_property
from irev.output.styles.markdown import apart, literal, paragraph
from irev.reading.sources import STANDARD_INPUT

_MOST = 100
"""Queries that are listed for a condition."""

_LONGEST = 1000
"""Characters of a reason."""


def metrics(verdict: Verdict) -> bytes:
    """The measures in the text form of OpenMetrics, for ``artifacts:reports:metrics`` of GitLab.

    GitLab compares numbers as they are written, so they have as many digits as tables have: what looks alike is alike.
    """
    lines = ["# TYPE irev_measure gauge"]
    lines += [f"irev_measure{{{_labels(value)}}} {_number(value.value)}" for value in verdict.values]
    return "".join(f"{line}\n" for line in [*lines, "# EOF"]).encode()


def _labels(value: MeasuredValue) -> str:
    about = {"run": value.run, "group": value.group, "measure": value.measure}
    return ",".join(f'{name}="{_label(text)}"' for name, text in about.items() if text)


def _label(text: str) -> str:
    """A value of a label. GitLab takes what follows a number sign for a comment, inside of quotation marks too."""
    safe = named(text).replace("#", "\N{FULLWIDTH NUMBER SIGN}")
    return safe.replace("\\", "\\\\").replace('"', '\\"')


def _number(value: float) -> str:
    """A number; OpenMetrics has its own names for what is none."""
    return {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}.get(text := shown(value), text)


def junit(verdict: Verdict) -> bytes:
    """The verdict as JUnit XML, which Jenkins, GitLab and most others read: a suite for each run, a case for each
    condition.

    It keeps to the schema ``junit-10.xsd`` of the xUnit plugin of Jenkins, the strictest of its readers, which knows no
    attribute ``skipped`` of ``testsuites``. There is no time and no host in it.

    A condition that does not hold is a failure. One that cannot be told and counts as passed is skipped: a green case
    would say that it was shown to hold.
    """
    runs: dict[str, list[Finding]] = {name: [] for name, _ in verdict.files}
    for finding in verdict.findings:
        runs.setdefault(finding.run, []).append(finding)
    files = dict(verdict.files)
    root = ElementTree.Element("testsuites", {"name": TITLE} | _counts(verdict.findings))
    for run, findings in runs.items():
        if findings:
            skipped = sum(_is_skipped(finding) for finding in findings)
            about = {"name": named(run)} | _counts(findings) | {"skipped": str(skipped)}
            if run in files:
                about["file"] = named(files[run])
            suite = ElementTree.SubElement(root, "testsuite", about)
            for finding in findings:
                _case(suite, finding, verdict)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _counts(findings: Sequence[Finding]) -> dict[str, str]:
    failures = sum(not finding.holds for finding in findings)
    return {"tests": str(len(findings)), "failures": str(failures), "errors": "0"}


def _is_skipped(finding: Finding) -> bool:
    return finding.holds and finding.state == "undecided"


def _case(suite: ElementTree.Element, finding: Finding, verdict: Verdict) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", {"name": named(finding.condition), "classname": named(finding.run)}
    )
    if finding.state == "pass" and finding.holds:
        kind, about = "system-out", {}
    elif finding.holds:
        kind, about = "skipped", {"message": f"{word(finding)}: {reason(finding)}"}
    else:
        kind, about = "failure", {"type": word(finding), "message": reason(finding)}
    lines = [f"{name}: {text}" for name, text in details(finding).items()]
    lines += [f"query {query}" for query in blamed(finding, _MOST)]
    if (why := why_of(finding, verdict)) is not None:
        lines += explained(why, _MOST)
    ElementTree.SubElement(case, kind, about).text = "\n".join([reason(finding), *lines, ""])


ANNOTATIONS = 10
SUMMARY = 1_048_576
COMMENT = 65_536

_TITLE, _MESSAGE = 255, 2000
"""Characters of an annotation's title, which GitHub limits, and of what it says."""

_NAME, _REASON = 100, 1000
"""Characters of a name and of a reason in Markdown."""

_SHOWN, _NAMED = 10, 3
"""Queries that are named for a condition, and how many of these its reason names itself."""


# Annotations


def github_annotations(verdict: Verdict) -> str:
    """Workflow commands: an error for what does not hold, a warning for what cannot be told, and the verdict.

    Of more than ten errors, or warnings, the tenth says how many are left out, since GitHub drops them unsaid.
    """
    errors = [finding for finding in verdict.findings if not finding.holds]
    warnings = [finding for finding in verdict.findings if finding.holds and finding.state == "undecided"]
    lines = [
        *_limited("error", errors, "more conditions do not hold", verdict),
        *_limited("warning", warnings, "more conditions cannot be decided", verdict),
        _command("notice", "", TITLE, f"{verdict.headline}."),
    ]
    return "".join(f"{line}\n" for line in lines)


def _limited(kind: str, findings: Sequence[Finding], what: str, verdict: Verdict) -> Iterator[str]:
    files = dict(verdict.files)
    shown = findings if len(findings) <= ANNOTATIONS else findings[: ANNOTATIONS - 1]
    for finding in shown:
        title = f"{TITLE}: {word(finding)} {named(finding.condition)}"
        yield _command(kind, files.get(finding.run, ""), title, reason(finding))
    if len(findings) > len(shown):
        rest = findings[len(shown) :]
        conditions = ", ".join(cut(named(finding.condition), _NAME) for finding in rest[:_SHOWN])
        more = ", …" if len(rest) > _SHOWN else ""
        yield _command(kind, "", f"{TITLE}: {len(rest)} {what}", f"{len(rest)} {what}: {conditions}{more}")


def _command(kind: str, file: str, title: str, message: str) -> str:
    """A workflow command; what stands in it must not end or forge one."""
    place = f"file={in_property(named(file))}," if file not in ("", STANDARD_INPUT, "<stdin>") else ""
    return f"::{kind} {place}title={in_property(cut(title, _TITLE))}::{in_message(cut(message, _MESSAGE))}"


# Markdown


class _PagePart(NamedTuple):
    """A part of a page, of which lines may be left out from the end.

    `what` the lines are; what stands before and after them, if there are any.
    """

    what: str
    lines: Sequence[str]
    before: Sequence[str] = ()
    after: Sequence[str] = ()

    def size(self) -> int:
        return _size([*self.before, *self.lines, *self.after]) if self.lines else 0


def summary(verdict: Verdict) -> str:
    """The Markdown summary of a step: the reasons, measures, conditions and changed queries."""
    return _page((), [_reasons(verdict), _measures(verdict), _conditions(verdict), *_moved(verdict)], verdict, SUMMARY)


def comment(verdict: Verdict) -> str:
    """The body of a comment on a pull request: the reasons, measures and changed queries.

    It begins with a comment of HTML, which is not shown: by it the comment is found and replaced next time.
    """
    parts = [_reasons(verdict), _measures(verdict), *_moved(verdict)]
    return _page((f"<!-- {TITLE} -->",), parts, verdict, COMMENT)


def _page(first: Sequence[str], parts: Sequence[_PagePart], verdict: Verdict, limit: int) -> str:
    """The parts in a page of at most `limit` bytes.

    If they are too much, each but the last may take half of the room that is left, so that a long one leaves some to
    those that follow.
    """
    compared = f"Baseline: {verdict.baseline}." if verdict.baseline else ""
    policy = f"Queries: {verdict.policy}." if verdict.policy else ""
    head = [*first, f"### {TITLE}: {literal(verdict.headline)}", ""]
    notes = [cut(named(text), _REASON) for text in (policy, compared, *verdict.notes) if text]
    foot = [line for note in notes[:_SHOWN] for line in (paragraph(note), "")]
    left_out = _left_out({part.what: (len(part.lines), len(part.lines)) for part in parts}, limit)
    room = limit - _size(head) - _size(foot) - _size([left_out, ""])
    whole = sum(part.size() for part in parts) <= room
    body: list[str] = []
    missing: dict[str, tuple[int, int]] = {}
    for place, part in enumerate(parts, start=1):
        free = (room if whole or place == len(parts) else room // 2) - _size([*part.before, *part.after])
        kept = part.lines[: bisect([*accumulate(_size([line]) for line in part.lines)], free)]
        if kept:
            written = [*part.before, *kept, *part.after]
            body += written
            room -= _size(written)
        out, of = missing.get(part.what, (0, 0))
        missing[part.what] = out + len(part.lines) - len(kept), of + len(part.lines)
    cuts = {what: counts for what, counts in missing.items() if counts[0]}
    lines = [*head, *body, *foot, *([_left_out(cuts, limit)] if cuts else [])]
    return "\n".join(lines).rstrip("\n") + "\n"


def _left_out(missing: dict[str, tuple[int, int]], limit: int) -> str:
    listed = ", ".join(f"{out:,} of {of:,} {what}" for what, (out, of) in missing.items())
    return f"Left out, because GitHub accepts at most {limit:,} bytes here: {listed}."


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _reasons(verdict: Verdict) -> _PagePart:
    lines = []
    for finding, why in to_tell(verdict):
        lines.append(_told(finding, verdict))
        if why is not None:
            lines += [f"  - {literal(cut(each, _REASON))}" for each in explained(why, _NAMED, _NAME)]
    return _PagePart("reasons", lines, after=("",))


def _told(finding: Finding, verdict: Verdict) -> str:
    text = f"- **{word(finding)}** {literal(reason(finding, _REASON))}"
    if len(finding.queries) <= _NAMED or any(change.before is not None for change in finding.queries):
        return text  # those that changed have tables of their own
    queries = [literal(query) for query in blamed(finding, _SHOWN, _NAME)]
    return f"{text}. Queries: {', '.join(queries)}"


def _measures(verdict: Verdict) -> _PagePart:
    header = ("run", "group", "measure", "queries", "value", "baseline", "difference")
    rows = [
        (
            _name(run_told(value.run, verdict)),
            _name(value.group),
            _name(value.measure),
            str(value.queries),
            shown(value.value),
            shown(value.baseline),
            _difference(value),
        )
        for value in verdict.values
    ]
    return _table("measures", header, rows, ("run", "group", "measure"), note=blanks(verdict.values))


def _difference(value: MeasuredValue) -> str:
    """The difference, and in words whether it is for the better; the worse is bold."""
    text, change = signed(value.difference), direction(value)
    return f"**{text} {change}**" if change == "worse" else f"{text} {change}".rstrip()


def _conditions(verdict: Verdict) -> _PagePart:
    header = ("state", "condition", "run", "required", "measured", "baseline", "difference", "interval", "losing", "p")
    rows = []
    for finding in verdict.findings:
        about = details(finding)
        state = word(finding) if finding.holds else f"**{word(finding)}**"
        numbers = (_name(about.get(column, "")) for column in header[3:])
        rows.append((state, _name(finding.condition), _name(run_told(finding.run, verdict)), *numbers))
    return _table("conditions", header, rows, (*header[:4], "losing"), "All conditions", note=blanks(verdict.findings))


def _moved(verdict: Verdict) -> list[_PagePart]:
    parts = []
    for moved in verdict.moved:
        why = next((each for each in verdict.whys if (each.run, each.measure) == (moved.run, moved.measure)), None)
        causes = {} if why is None else {each.query: did_it(each, why, _NAME) for each in why.causes}
        rows = [
            (
                literal(cut(printable(change.query), _NAME)),
                shown(change.before),
                shown(change.after),
                signed(change.difference),
                literal(cut(causes.get(change.query, ""), _REASON)),
            )
            for change in moved.queries
        ]
        of_run = f" of {run}" if (run := run_told(moved.run, verdict)) else ""
        title = f"The queries{of_run} that changed most in {moved.measure}"
        header = ("query", "before", "after", "difference", "what made it fall")
        parts.append(_table("changed queries", header, rows, ("query", "what made it fall"), title))
    return parts


def _table(
    what: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    texts: Sequence[str],
    folded: str = "",
    note: str = "",
) -> _PagePart:
    """A table without its empty columns: closed at first where `folded` is its title, and with a note below it."""
    kept = [place for place in range(len(header)) if any(row[place] for row in rows)]
    before = [_row([header[i] for i in kept]), _row([":--" if header[i] in texts else "--:" for i in kept])]
    after = ["", paragraph(note), ""] if note else [""]
    if folded:
        before = ["<details>", f"<summary>{_html(cut(named(folded), _NAME))}</summary>", "", *before]
        after += ["</details>", ""]
    return _PagePart(what, [_row([row[i] for i in kept]) for row in rows], before, after)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _name(text: str) -> str:
    return literal(cut(named(text), _NAME))


def _html(text: str) -> str:
    """Text inside of an element of HTML."""
    return apart(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
