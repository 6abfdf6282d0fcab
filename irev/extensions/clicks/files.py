"""Logs, judgments and runs in files, as the command line has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from irev.base.errors import UsageError
from irev.base.segments import Floats
from irev.base.text import counted, decoded
from irev.doors.cli.given import FilesGiven
from irev.doors.cli.options import refuse_idle_columns, runs_of
from irev.doors.cli.streams import warn
from irev.evaluation.files import names_of
from irev.evaluation.notes import reading_notes
from irev.evaluation.result import Input
from irev.extensions.clicks.events.log import Log
from irev.output.styles import needs_inputs
from irev.ranking.ranking import First
from irev.reading.judgments import Judgments
from irev.reading.small_files import read_propensities
from irev.reading.sources import Source


class UserFiles(FilesGiven):
    """Logs, judgments and runs in files: what a question about users is asked about."""

    _named_columns = False

    def listed(self, runs: Sequence[str]) -> Sequence[str]:
        """Runs, with those that a list or a folder of runs names."""
        return runs_of(runs, self._ctx)

    def judged(self, file: str, name: str = "") -> Judgments:
        """The judgments of a file; remembers whether their columns have names."""
        judgments = super().judged(file, name)
        self._named_columns = judgments.named
        return judgments

    def first_of_runs(self, runs: Sequence[str], most: int | None) -> Sequence[tuple[str, First]]:
        """The name of each run, and the first `most` documents of each of its queries, or all."""
        found = self.first_of(runs, most, needs_inputs(self._style))
        refuse_idle_columns(self._ctx, self._named_columns, any(run.reading.named for run in found))
        names = names_of(runs, [decoded(run.reading.tag) for run in found], self._running.names_given, warn)
        self.say([note for run in found for note in reading_notes(run.reading, run.name)], len(runs))
        return [(name, run.first) for name, run in zip(names, found, strict=True)]

    def propensities(self, given: str | None) -> tuple[str | None, Floats | None]:
        """The file of the probabilities that positions are looked at, and these."""
        if given is None:
            return None, None
        with Source(given, digest=True) as source:
            positions = read_propensities(source)
            self.inputs.append(Input("propensities", source.name, *source.digest()))
        return given, positions

    @contextmanager
    def log(self, files: Sequence[str], users: bool = False, ids: bool = False) -> Iterator[Log]:
        """A log of what users saw and clicked."""
        if not files:
            raise UsageError("expected at least one LOG")
        with self.working(f"reading {counted(len(files), 'file')}"):
            log = Log(files, large=self.settings.allow_large, users=users, ids=ids, digest=needs_inputs(self._style))
        with log:
            self.inputs += [Input("log", name, *digest) for name, digest in log.digests]
            yield log
