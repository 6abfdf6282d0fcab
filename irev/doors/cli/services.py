"""Options for what services for continuous integration read, and how a verdict is handed to them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from irev.base.records import dataclass
from irev.doors.cli.output import append, write
from irev.doors.cli.streams import tell, warn

if TYPE_CHECKING:
    from irev.questions.check.finding import Verdict

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file for the summary of a step, where GitHub runs it."""

SERVICES = (
    click.option("--report", metavar="FILE", help="Also write a page: the reasons first, then what irev report has."),
    click.option("--junit", metavar="FILE", help="Also write a JUnit report."),
    click.option("--tap", metavar="FILE", help="Also write a TAP report."),
    click.option("--comment", metavar="FILE", help="Also write Markdown for a comment on a pull request."),
    click.option("--markdown-summary", metavar="FILE", help="Also write the Markdown of the step summary to FILE."),
    click.option("--gitlab-metrics", metavar="FILE", help="Also write a metrics report for GitLab."),
    click.option("--gitlab-quality", metavar="FILE", help="Also write a code quality report for GitLab."),
    click.option(
        "--github/--no-github",
        default=None,
        help="Write annotations for GitHub, and append a summary to the file that GITHUB_STEP_SUMMARY names. Default:"
        " when that is set.",
    ),
)


@dataclass(frozen=True)
class Services:
    """What the options of `SERVICES` say: a file for each service, and whether GitHub is told, None if it is there."""

    report: str | None
    junit: str | None
    tap: str | None
    comment: str | None
    markdown_summary: str | None
    gitlab_metrics: str | None
    gitlab_quality: str | None
    github: bool | None

    @property
    def telling(self) -> bool:
        """Whether GitHub is told."""
        return self.github or (self.github is None and bool(os.environ.get(SUMMARY)))

    @property
    def any(self) -> bool:
        """Whether any of them is told."""
        return any(path is not None for path in self.paths.values())

    @property
    def paths(self) -> dict[str, str | None]:
        """Where each option writes to."""
        return {
            "--report": self.report,
            "--junit": self.junit,
            "--tap": self.tap,
            "--comment": self.comment,
            "--markdown-summary": self.markdown_summary,
            "--gitlab-metrics": self.gitlab_metrics,
            "--gitlab-quality": self.gitlab_quality,
            SUMMARY: os.environ.get(SUMMARY) or None if self.telling else None,
        }


def serve(found: Verdict, services: Services, inputs: tuple[str, ...]) -> None:
    """Write the files that services read, each where its option says, and tell GitHub."""
    if not (services.any or services.telling):
        return
    from irev.questions.check import github
    from irev.questions.check import services as made

    makers = {
        "--junit": made.junit,
        "--tap": made.tap,
        "--comment": lambda verdict: github.comment(verdict).encode("utf-8", "replace"),
        "--markdown-summary": lambda verdict: github.summary(verdict).encode("utf-8", "replace"),
        "--gitlab-metrics": made.metrics,
        "--gitlab-quality": made.code_quality,
    }
    paths = services.paths
    for option, make in makers.items():
        if (path := paths[option]) is not None:
            write(make(found), path, inputs)
    if services.telling:
        _tell_github(found, bool(services.github))


def _tell_github(found: Verdict, asked: bool) -> None:
    """Annotations on standard error, where GitHub finds them too, and the summary of the step.

    The verdict does not hang on a summary that nobody asked for.
    """
    from irev.errors import InputError
    from irev.questions.check import github

    tell(github.annotations(found))
    if path := os.environ.get(SUMMARY):
        try:
            append(github.summary(found).encode("utf-8", "replace"), path)
        except InputError as error:
            if asked:
                raise
            warn(str(error))
