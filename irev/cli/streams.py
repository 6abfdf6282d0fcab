"""Standard output and standard error, the one way out of this process: what is written arrives whole, or it fails.

Python's streams do not promise that. An unbuffered one, as ``PYTHONUNBUFFERED`` makes it, writes what the system takes
at once and forgets the rest; a pipe that does not wait for its reader refuses what does not fit. So while a command
runs, both streams are over a `WholeStream`, and whatever is printed, by click and rich too, goes through `put`.

What is said on standard error is text, a line for each message: names of files and ids are from strangers, and give no
orders to a terminal, and forge no line of a log. On a terminal, what takes longer than a second shows its progress.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from irev.base.errors import message, typed
from irev.base.exit import at_a_signal, leave_to_first_thread

if TYPE_CHECKING:
    from rich.console import Console

    from irev.evaluation.batch import Batch

STANDARD_OUTPUT = "-"
"""What standard output is called on the command line."""


class Unwritable(OSError):
    """Output that a file, a pipe or a device does not take, and why."""


def put(data: Any, stream: Any) -> None:
    """Write all of the bytes to an unbuffered stream, however few it takes at a time.

    Raises
    ------
    BrokenPipeError
        When nobody reads any more.
    Unwritable
        When it takes no more.
    """
    rest = memoryview(data).cast("B")
    while rest:
        try:
            written = stream.write(rest)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise Unwritable(error.errno, error.strerror or str(error)) from None
        if written is None:
            from irev.reading.open_files import wait_until_ready

            wait_until_ready(stream, writing=True)
        else:
            rest = rest[written:]


class WholeStream(io.RawIOBase):
    """A stream that takes all of what it is given, or fails.

    A reader that goes away (``| head``) is no failure: the rest goes nowhere, and the exit status stays the verdict.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._read = True

    def write(self, data: Any) -> int:
        if self._read:
            try:
                put(data, self._stream)
            except BrokenPipeError:
                self._read = False
        return memoryview(data).nbytes

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self._stream.isatty())

    def fileno(self) -> int:
        return int(self._stream.fileno())


@contextlib.contextmanager
def whole_streams() -> Iterator[None]:
    """Standard output and standard error as `WholeStream` streams, until the block ends."""
    given = sys.stdout, sys.stderr
    closed = io.TextIOWrapper(cast(Any, _Closed()), "utf-8", "replace", write_through=True)
    sys.stdout, sys.stderr = closed if sys.stdout is None else _whole(sys.stdout), _whole(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = given


class _Closed(io.RawIOBase):
    """Standard output where there is none: only who writes to it is refused."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        raise Unwritable(errno.EBADF, "it is closed")


def _whole(stream: TextIO) -> TextIO:
    binary = getattr(stream, "buffer", None)
    if binary is None:  # closed, or text in memory
        return stream
    stream.flush()
    return io.TextIOWrapper(
        cast(Any, WholeStream(getattr(binary, "raw", binary))), stream.encoding, stream.errors, write_through=True
    )


def tell(text: str) -> None:
    """Write text that is safe to show to standard error; when nobody can hear it, it is no use to fail."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        sys.stderr.write(text)


def say(text: str) -> None:
    """Say something in a line of its own, whatever words of strangers are in it."""
    tell(f"{message(text)}\n")


def warn(text: str, category: object = None, /) -> None:
    """Say something that the user may want to act upon; a category is for Python."""
    text = typed(text)
    for listener in _listeners:
        listener.append(message(text))
    say(f"irev: warning: {text}")


_listeners: list[list[str]] = []


@contextlib.contextmanager
def warnings_heard() -> Iterator[list[str]]:
    """The warnings that are said until the block ends, for output that repeats them."""
    heard: list[str] = []
    _listeners.append(heard)
    try:
        yield heard
    finally:
        _listeners.remove(heard)


def terminal() -> tuple[int | None, bool]:
    """The columns of the terminal that is written to, None where there is none, and whether it takes colours."""
    if not sys.stdout.isatty():
        return None, False
    return columns(), not os.environ.get("NO_COLOR")


def columns() -> int:
    """How wide the terminal is, as `shutil.get_terminal_size` has it, which takes a fiftieth of a short run to import:
    what ``COLUMNS`` says, or else the terminal that standard output goes to, or else 80."""
    with contextlib.suppress(ValueError):
        if (asked := int(os.environ.get("COLUMNS", ""))) > 0:
            return asked
    with contextlib.suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(cast(TextIO, sys.__stdout__).fileno()).columns or 80
    return 80


DELAY = 1.0
"""Seconds after which progress is shown."""

_EVERY = 0.1


@contextlib.contextmanager
def progress_of(batch: Batch[Any], paths: Sequence[str]) -> Iterator[None]:
    """Show how much of the files was read, until the block ends."""
    with _followed(lambda ended: _follow(batch, paths, ended)):
        yield


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Say what is being done, and for how long already, until the block ends: what no file tells the length of."""
    with _followed(lambda ended: _wait(what, ended)):
        yield


@contextlib.contextmanager
def _followed(follow: Callable[[threading.Event], None]) -> Iterator[None]:
    """Have a thread show something until the event is set, on a terminal, unless ``IREV_PROGRESS=0``."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("IREV_PROGRESS") == "0":
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
        return float(sum(map(os.path.getsize, paths))) or None
    except (OSError, ValueError):
        return None
