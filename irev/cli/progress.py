"""A bar on standard error for evaluations that take longer than a second, and only on a terminal."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from irev.base.signals import at_a_signal, leave_to_first_thread
from irev.evaluation.batch import Batch

DELAY = 1.0
"""Seconds after which progress is shown."""

_EVERY = 0.1


@contextlib.contextmanager
def shown(batch: Batch[Any], paths: Sequence[str], quiet: bool) -> Iterator[None]:
    """Show how much of the files was read, until the block ends."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_follow, args=(batch, paths, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _follow(batch: Batch[Any], paths: Sequence[str], ended: threading.Event) -> None:
    leave_to_first_thread()
    if ended.wait(DELAY):
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.fields[runs]}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, no_color=bool(os.environ.get("NO_COLOR")))
    with at_a_signal(_give_back), Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=_bytes(paths), runs=_count(batch, paths))
        while not ended.wait(_EVERY):
            progress.update(task, completed=batch.read(), runs=_count(batch, paths))


def _give_back() -> None:
    """Leave the terminal as it was: without the line of progress, and with a cursor."""
    os.write(sys.stderr.fileno(), b"\r\x1b[2K\x1b[?25h")


def _count(batch: Batch[Any], paths: Sequence[str]) -> str:
    return f"{batch.done} of {len(paths)} runs" if len(paths) > 1 else "reading"


def _bytes(paths: Sequence[str]) -> float | None:
    """Bytes of all files together; None when that cannot be known, as of a pipe."""
    try:
        return float(sum(os.path.getsize(path) for path in paths)) or None
    except (OSError, ValueError):
        return None
