"""JUnit XML, which Jenkins, GitLab and most others read: a suite for each run, a case for each condition.

It keeps to the schema ``junit-10.xsd`` of the xUnit plugin of Jenkins, the strictest of its readers, which knows no
attribute ``skipped`` of ``testsuites``. There is no time and no host in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from irev.analysis.gate.verdict import Finding, Verdict
from irev.base.text import named
from irev.output.reports.verdict_words import TITLE, blamed, details, explained, reason, why_of, word

_MOST = 100
"""Queries that are listed for a condition."""


def junit(verdict: Verdict) -> bytes:
    """The verdict as JUnit XML.

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
