"""Write the summary for GitHub and the next baseline of ``irev check``, as only the command line does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from irev.base.errors import InputError
from irev.cli.output import append, write
from irev.cli.streams import say, tell, warn
from irev.commands.check.finding import SUMMARY, github_annotations, markdown
from irev.output.report import Look
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import written

if TYPE_CHECKING:
    from irev.commands.check import CheckChoices
    from irev.commands.check.finding import CheckReport
    from irev.commands.check.verdict import Verdict
    from irev.evaluation.result import Result

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file for the summary of a step, where GitHub runs it."""


def files() -> dict[str, str | None]:
    """The file that GitHub names for the summary of a step, by its variable."""
    return {STEP_SUMMARY: os.environ.get(STEP_SUMMARY) or None}


@contextmanager
def around(choices: CheckChoices, found: CheckReport) -> Iterator[None]:
    """Tell GitHub, and write the next baseline when the verdict is shown."""
    _tell_github(found)
    yield
    if choices.baseline is not None and choices.update_baseline and found.result is not None:
        _update(choices.baseline, found.result, found.verdict)


def _tell_github(found: CheckReport) -> None:
    """Annotations on standard error, where GitHub finds them too, and the summary of the step.

    The verdict does not hang on a summary that cannot be written.
    """
    if os.environ.get("GITHUB_ACTIONS") == "true":
        tell(github_annotations(found.verdict))
    if path := files()[STEP_SUMMARY]:
        try:
            append(markdown(found, SUMMARY), path)
        except InputError as error:
            warn(error.typed)


def _update(path: str, result: Result, verdict: Verdict) -> None:
    """Write the new baseline, unless something does not hold."""
    first = not os.path.exists(path)
    if not verdict.holds:
        changed = not first and all(finding.baseline is not None for finding in verdict.findings if not finding.holds)
        accept = "; to accept the change, delete it and check again" if changed else ""
        warn(f"{path} is unchanged, because not all conditions hold{accept}")
        return

    write(written("json", EvaluationReport(result), Look("standard")), path, ())
    if first:
        say(f"irev: {path}: this is the first baseline; later runs are compared with it")
