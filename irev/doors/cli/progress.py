"""A line on standard error for what takes longer than a second, and only on a terminal: a bar where files are read."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from irev.base.errors import InputError
from irev.base.exit import at_a_signal, leave_to_first_thread

if TYPE_CHECKING:
    from rich.console import Console

    from irev.evaluation.batch import Batch

DELAY = 1.0
"""Seconds after which progress is shown."""

_EVERY = 0.1


@contextlib.contextmanager
def shown(batch: Batch[Any], paths: Sequence[str], quiet: bool) -> Iterator[None]:
    """Show how much of the files was read, until the block ends."""
    with _followed(lambda ended: _follow(batch, paths, ended), quiet):
        yield


@contextlib.contextmanager
def working(what: str, quiet: bool) -> Iterator[None]:
    """Say what is being done, and for how long already, until the block ends: what no file tells the length of."""
    with _followed(lambda ended: _wait(what, ended), quiet):
        yield


@contextlib.contextmanager
def _followed(follow: Callable[[threading.Event], None], quiet: bool) -> Iterator[None]:
    """Have a thread show something until the event is set, if it is to be shown."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_after_a_while, args=(follow, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _after_a_while(follow: Callable[[threading.Event], None], ended: threading.Event) -> None:
    leave_to_first_thread()
    if not ended.wait(DELAY):
        follow(ended)


def _wait(what: str, ended: threading.Event) -> None:
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.fields[what]}", markup=False), TimeElapsedColumn())
    with at_a_signal(_give_back), Progress(*columns, console=_console(), transient=True) as progress:
        progress.add_task("", total=None, what=what)
        ended.wait()


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True, no_color=bool(os.environ.get("NO_COLOR")))


def _follow(batch: Batch[Any], paths: Sequence[str], ended: threading.Event) -> None:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.fields[runs]}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with at_a_signal(_give_back), Progress(*columns, console=_console(), transient=True) as progress:
        task = progress.add_task("", total=_bytes(paths), runs=_count(batch, paths))
        while not ended.wait(_EVERY):
            progress.update(task, completed=batch.read(), runs=_count(batch, paths))


def _give_back() -> None:
    """Leave the terminal as it was: without the line of progress, and with a cursor.

    What shows progress runs on until the process ends: what it writes from now on goes nowhere.
    """
    terminal = os.dup(sys.stderr.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    os.write(terminal, b"\r\x1b[2K\x1b[?25h")


def _count(batch: Batch[Any], paths: Sequence[str]) -> str:
    return f"{batch.done} of {len(paths)} runs" if len(paths) > 1 else "reading"


def _bytes(paths: Sequence[str]) -> float | None:
    """Bytes of all files together; None when that cannot be known, as of a pipe."""
    try:
        return float(sum(map(_size, paths))) or None
    except (OSError, ValueError, InputError):
        return None


def _size(path: str) -> int:
    if not os.path.isdir(path):
        return os.path.getsize(path)
    from irev.reading.parts import parts_of

    return sum(part.state[0] for part in parts_of(path))
