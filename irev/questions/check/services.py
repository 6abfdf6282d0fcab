"""A verdict as the files that services for continuous integration read: of GitLab, JUnit XML, and TAP.

Functions are pure: from a `irev.questions.check.finding.Verdict` to bytes. Nothing in these tells when or where it was
made, so the same verdict gives the same bytes. Ids, and names of runs and files, are from strangers: control characters
and broken UTF-8 are shown escaped, and what a format could take for its own signs is escaped as that format asks.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from irev.base.text import encoded, named
from irev.questions.check.verdict import Finding, MeasuredValue
from irev.questions.check.words import TITLE, blamed, details, explained, reason, shown, why_of, word

if TYPE_CHECKING:
    from irev.questions.check.finding import Verdict

_MOST = 100
"""Queries that are listed for a condition."""

_LONGEST = 1000
"""Characters of a reason."""

_SEVERITIES = {"fail": "major", "undecided": "minor"}


def metrics(verdict: Verdict) -> bytes:
    """The measures in the text form of OpenMetrics, for ``artifacts:reports:metrics`` of GitLab.

    GitLab compares numbers as they are written, so they have as many digits as tables have: what looks alike is alike.
    """
    lines = ["# TYPE irev_measure gauge"]
    lines += [f"irev_measure{{{_labels(value)}}} {_number(value.value, verdict.digits)}" for value in verdict.values]
    return "".join(f"{line}\n" for line in [*lines, "# EOF"]).encode()


def _labels(value: MeasuredValue) -> str:
    about = {"run": value.run, "group": value.group, "measure": value.measure}
    return ",".join(f'{name}="{_label(text)}"' for name, text in about.items() if text)


def _label(text: str) -> str:
    """A value of a label. GitLab takes what follows a number sign for a comment, inside of quotation marks too."""
    safe = named(text).replace("#", "\N{FULLWIDTH NUMBER SIGN}")
    return safe.replace("\\", "\\\\").replace('"', '\\"')


def _number(value: float, digits: int) -> str:
    """A number; OpenMetrics has its own names for what is none."""
    return {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}.get(text := shown(value, digits), text)


def code_quality(verdict: Verdict) -> bytes:
    """What does not hold, and what cannot be told, for ``artifacts:reports:codequality`` of GitLab.

    A finding's fingerprint is that of its run and condition, whatever the numbers, so GitLab knows it again.
    """
    files = dict(verdict.files)
    told = [finding for finding in verdict.findings if finding.state != "pass" or not finding.holds]
    seen: Counter[str] = Counter()
    entries: list[dict[str, Any]] = []
    for finding in told:
        identity = f"{finding.run}\0{finding.condition}"
        seen[identity] += 1
        entries.append(
            {
                "description": f"{word(finding)}: {reason(finding, _LONGEST)}",
                "check_name": "irev-check",
                "fingerprint": _fingerprint(f"{identity}\0{seen[identity]}"),
                "severity": _severity(finding),
                "location": {
                    "path": named(files.get(finding.run, verdict.qrels)).removeprefix("./"),
                    "lines": {"begin": 1},
                },
            }
        )
    return json.dumps(entries, indent=2).encode("ascii") + b"\n"


def _severity(finding: Finding) -> str:
    return "info" if finding.holds else _SEVERITIES.get(finding.state, "major")


def _fingerprint(text: str) -> str:
    return hashlib.sha256(encoded(text)).hexdigest()


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
    lines = [f"{name}: {text}" for name, text in details(finding, verdict).items()]
    lines += [f"query {query}" for query in blamed(finding, verdict, _MOST)]
    if (why := why_of(finding, verdict)) is not None:
        lines += explained(why, verdict, _MOST)
    ElementTree.SubElement(case, kind, about).text = "\n".join([reason(finding), *lines, ""])


def tap(verdict: Verdict) -> bytes:
    """The verdict as TAP, the Test Anything Protocol, in version 14: a test point for each condition, with its numbers
    as YAML, of which every scalar is a string as JSON writes it, which all versions of YAML read alike.

    A condition that does not hold is ``not ok``. One that cannot be told and counts as passed is ``ok`` with the
    directive SKIP, the only one that tells a harness apart from a pass without failing it: the outcome is ignored for
    the time being.
    """
    total = len(verdict.findings)
    lines = ["TAP version 14", f"1..{total}" if total else "1..0 # no conditions", f"# {verdict.headline}"]
    for place, finding in enumerate(verdict.findings, start=1):
        lines += _point(place, finding, verdict)
    return "".join(f"{line}\n" for line in lines).encode()


def _point(place: int, finding: Finding, verdict: Verdict) -> Iterator[str]:
    skip = finding.holds and finding.state == "undecided"
    yield (
        f"{'ok' if finding.holds else 'not ok'} {place} - {_plain(f'{finding.run}: {finding.condition}')}"
        f"{f' # SKIP {word(finding)}' if skip else ''}"
    )
    yield "  ---"
    yield f"  message: {_scalar(reason(finding))}"
    yield f"  severity: {_scalar(finding.state)}"
    for name, text in details(finding, verdict).items():
        yield f"  {name}: {_scalar(text)}"
    if finding.queries:
        yield "  queries:"
        for query in blamed(finding, verdict, _MOST):
            yield f"    - {_scalar(query)}"
    if (why := why_of(finding, verdict)) is not None:
        yield "  why:"
        for sentence in explained(why, verdict, _MOST):
            yield f"    - {_scalar(sentence)}"
    yield "  ..."


def _plain(text: str) -> str:
    """A description, in which a number sign would begin a directive."""
    return named(text).replace("\\", "\\\\").replace("#", "\\#")


def _scalar(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
