"""The reports that GitLab shows in a merge request: metrics beside those of the target branch, and code quality."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from irev.analysis.gate.verdict import Finding, MeasuredValue, Verdict
from irev.base.text import encoded, named
from irev.output.reports.verdict_words import reason, shown, word

_LONGEST = 1000
"""Characters of a reason."""

_SEVERITIES = {"fail": "major", "undecided": "minor"}


def metrics(verdict: Verdict) -> bytes:
    """The measures in the text form of OpenMetrics, for ``artifacts:reports:metrics``.

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
    """What does not hold, and what cannot be told, for ``artifacts:reports:codequality``.

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
