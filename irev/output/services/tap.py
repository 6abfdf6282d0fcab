"""TAP, the Test Anything Protocol, in version 14: a test point for each condition, with its numbers as YAML.

Every scalar of the YAML is a string as JSON writes it, which all versions of YAML read alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from irev.analysis.gate.verdict import Finding, Verdict
from irev.base.text import named
from irev.output.reports.verdict_words import blamed, details, explained, reason, why_of, word

_MOST = 100
"""Queries that are listed for a condition."""


def tap(verdict: Verdict) -> bytes:
    """The verdict as TAP.

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
