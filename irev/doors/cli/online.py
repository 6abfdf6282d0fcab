"""Files of questions about users: logs, and runs that lists are made from, as the command line has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from irev.base.errors import shown
from irev.base.settings import Settings
from irev.base.text import counted, decoded, encoded
from irev.doors.cli import progress
from irev.doors.cli.evaluating import first_of_files, runs_of, say, say_each
from irev.doors.cli.idle import refuse_idle_columns
from irev.doors.cli.options import Running
from irev.doors.cli.streams import warn
from irev.evaluation.notes import doubt_notes, reading_notes
from irev.output.styles import needs_inputs
from irev.reading.sources import Source

if TYPE_CHECKING:
    from irev.base.segments import Floats
    from irev.evaluation.result import Input
    from irev.ranking.ranking import First
    from irev.reading.events.log import Log
    from irev.reading.judgments import Judgments


class UserFiles:
    """Logs, judgments and runs in files."""

    def __init__(self, ctx: click.Context, running: Running, settings: Settings, style: str) -> None:
        self._ctx, self._running, self._style = ctx, running, style
        self.settings = settings
        self.inputs: list[Input] = []
        self._named_columns = False

    def around(self, found: Any) -> AbstractContextManager[None]:
        """Writes nothing else, around the block in which the finding is shown."""
        return nullcontext()

    def listed(self, runs: Sequence[str]) -> Sequence[str]:
        """Runs, with those that a list or a folder of runs names."""
        return runs_of(runs, self._ctx)

    def judged(self, file: str) -> Judgments:
        """The judgments of a file."""
        from irev.evaluation.result import Input
        from irev.reading import qrels

        with Source(file, digest=needs_inputs(self._style)) as source:
            judgments = qrels.read(source, self.settings)
            if needs_inputs(self._style):
                self.inputs.append(Input("qrels", source.name, *source.digest()))
        say_each(doubt_notes(judgments.name, judgments.doubts, judgments.details))
        self._named_columns = judgments.named
        return judgments

    def first_documents(self, runs: Sequence[str], most: int | None) -> Sequence[tuple[str, First]]:
        """The name of each run, and the first `most` documents of each of its queries, or all."""
        from irev.evaluation.files import names_of

        found, read = first_of_files(runs, self.settings, most, self._style, self._running)
        refuse_idle_columns(self._ctx, self._named_columns, any(run.reading.named for run in found))
        names = names_of(runs, [decoded(run.reading.tag) for run in found], self._running.names_given, warn)
        notes = [note for run in found for note in reading_notes(run.reading, run.name)]
        say(notes, len(runs), self._running.all_warnings)
        self.inputs += read
        return [(name, run.first) for name, run in zip(names, found, strict=True)]

    def propensities(self, given: str | None) -> tuple[str | None, Floats | None]:
        """The file of the probabilities that positions are looked at, and these."""
        from irev.evaluation.result import Input
        from irev.reading.small_files import read_propensities

        if given is None:
            return None, None
        with Source(given, digest=True) as source:
            positions = read_propensities(source)
            self.inputs.append(Input("propensities", source.name, *source.digest()))
        return given, positions

    @contextmanager
    def log(self, files: Sequence[str], users: bool = False, ids: bool = False) -> Iterator[Log]:
        """A log of what users saw and clicked."""
        from irev.evaluation.result import Input
        from irev.reading.events.log import Log

        if not files:
            raise click.UsageError("expected at least one LOG", self._ctx)
        with self.working(f"reading {counted(len(files), 'file')}"):
            log = Log(files, large=self.settings.allow_large, users=users, ids=ids, digest=needs_inputs(self._style))
        with log:
            self.inputs += [Input("log", name, *digest) for name, digest in log.digests]
            yield log

    def working(self, what: str) -> AbstractContextManager[None]:
        """Show progress within the block."""
        return progress.working(what, self._running.quiet)

    def note(self, sentence: str) -> None:
        """Say what makes a finding doubtful, or what was left out."""
        warn(sentence)


def require_names(ctx: click.Context, names: Sequence[str]) -> None:
    """Raise `click.UsageError` for a name that no log may have, and that would be refused where clicks are scored."""
    from irev.reading.formats import FORGING

    for name in names:
        if not name or re.search(FORGING, name):
            fact = f"{shown(encoded(name))} of --name is empty, contains a control character, or has a blank at an end"
            raise click.UsageError(f"{fact}; choose another", ctx)
