"""Where output goes: standard output and standard error, on which what is written arrives whole or fails; and files,
each of which is complete or not there at all.

Python's streams do not promise that. An unbuffered one, as ``PYTHONUNBUFFERED`` makes it, writes what the system takes
at once and forgets the rest; a pipe that does not wait for its reader refuses what does not fit. So while a command
runs, both streams are over a `WholeStream`, and whatever is printed, by click and rich too, goes through `put`.

What is said on standard error is text, a line for each message: names of files and ids are from strangers, and give no
orders to a terminal, and forge no line of a log. On a terminal, what takes longer than a second shows its progress.
Output is never written over an input. Control characters that came from a file never reach a terminal.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TextIO, cast

from irev.base.errors import InputError, UsageError, message, printable, typed
from irev.base.exit import at_a_signal, leave_to_first_thread, making
from irev.reading.sources import STANDARD_INPUT, wait_until_ready

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


def write(data: bytes, path: str | None, inputs: tuple[str, ...] = (), safe: bool = False) -> None:
    """Write all of it, as `write_pieces` does."""
    write_pieces((data,), path, inputs, safe)


KEPT = 1 << 24
"""Bytes of output that are held until all of it is there; more are kept in a temporary file."""


def write_pieces(
    pieces: Iterable[bytes], path: str | None, inputs: tuple[str, ...] = (), safe: bool = False, new: bool = False
) -> None:
    """Write to standard output, or to the file `path`, which must be none of the `inputs`; nothing if making it fails.

    A file is written to a temporary neighbour that takes its name in the end, so a failure leaves an older file as it
    was. A path such as ``/dev/stdout`` is what this process has open already, and is written to from where that stands:
    whoever opened it may have written to it, and may go on. What is no file is written to when all pieces are there.
    Control characters are escaped on a terminal, and only there, unless the data are `safe` for one; then pieces of
    text are of whole lines. What is written is written whole, or an error is raised; a reader that goes away is none.
    A file that is to be `new` replaces none, even one that appeared since `require_new` looked.
    """
    refuse_inputs(path, inputs)
    if path is not None and path != STANDARD_OUTPUT and _descriptor(path) is None and _may_be_replaced(path):
        with _writing_to(path):
            _replace(os.path.realpath(path), path, pieces, new)
        return
    with _kept(pieces) as kept:
        if path is None or path == STANDARD_OUTPUT:
            for piece in kept:
                _put(piece, sys.stdout.buffer, safe)
            return
        descriptor = _descriptor(path)  # a device or a pipe cannot be replaced either
        with (
            _writing_to(path),
            open(path if descriptor is None else descriptor, "wb", buffering=0, closefd=descriptor is None) as stream,
        ):
            for piece in kept:
                _put(piece, WholeStream(stream), safe)


def _may_be_replaced(path: str) -> bool:
    return os.path.isfile(path) or not os.path.exists(path)


@contextlib.contextmanager
def _kept(pieces: Iterable[bytes]) -> Iterator[Iterable[bytes]]:
    """The pieces, all of which are there: in memory, and from some number of bytes on in a temporary file."""
    held: list[bytes] = []
    size = 0
    following = iter(pieces)
    for piece in following:
        held.append(piece)
        size += len(piece)
        if size > KEPT:
            break
    else:
        yield held
        return
    import tempfile

    with tempfile.TemporaryFile() as file:
        with _writing_to(f"a temporary file in {tempfile.gettempdir()}"):
            for piece in held:
                file.write(piece)
            held.clear()
            for piece in following:
                file.write(piece)
            file.seek(0)
        yield iter(lambda: file.read(1 << 20) + file.readline(), b"")


def ending_of(path: str) -> str:
    """How the name of a file ends, which says what is to be written to it: ``svg``."""
    return os.path.splitext(path)[1][1:].lower()


def require_new(path: str) -> None:
    """Raise `InputError` where there is a file already that would be replaced."""
    if path != STANDARD_OUTPUT and os.path.isfile(path) and _descriptor(path) is None:
        raise InputError("the file exists already", path, "--force replaces it")


def coloured() -> bool:
    """Whether what is written to standard output has colours: on a terminal, and where somebody asks for them.

    ``NO_COLOR`` has the last word. GitHub shows the colours of a log, which a step writes through a pipe; a file that
    standard output goes to stays without them.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if sys.stdout.isatty() or any(os.environ.get(name, "") not in ("", "0") for name in _FORCING):
        return True
    return os.environ.get("GITHUB_ACTIONS") == "true" and _is_pipe(sys.stdout)


_FORCING = ("FORCE_COLOR", "CLICOLOR_FORCE")
"""Variables that ask for colours wherever something is written, unless they are 0."""


def _is_pipe(stream: Any) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):  # closed, or in memory
        return False


def append(data: bytes, path: str) -> None:
    """Add to the end of a file, which is made if it is not there."""
    with _writing_to(path):
        descriptor = _descriptor(path)
        place = path if descriptor is None else descriptor
        with open(place, "ab", buffering=0, closefd=descriptor is None) as stream:
            put(data, stream)


_DESCRIPTORS = r"/proc/self/fd|/dev/fd|/proc/[0-9]+(/task/[0-9]+)?/fd"
"""The folders in which the system has a file for each descriptor of a process."""


def _descriptor(path: str) -> int | None:
    """The descriptor of this process that a path stands for, whatever links lead there; None for any other path."""
    for _ in range(_LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        folder = os.path.realpath(folder)
        if name.isdecimal() and re.fullmatch(_DESCRIPTORS, folder):
            ours = {os.path.realpath(each) for each in ("/proc/self/fd", "/proc/thread-self/fd", "/dev/fd")}
            return int(name) if folder in ours else None
        try:
            path = os.path.join(folder, os.readlink(os.path.join(folder, name)))
        except OSError:  # no link, so what it is called itself
            return None
    return None


_LINKS = 40
"""Links that lead to each other are followed as often as Linux does it."""


@contextlib.contextmanager
def _writing_to(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"the output cannot be written ({error.strerror or error})", path) from None


def refuse_clashes(
    output: str | None,
    inputs: tuple[str, ...],
    others: Mapping[str, str | None] = MappingProxyType({}),
    updated: Mapping[str, str | None] = MappingProxyType({}),
) -> None:
    """Raise `UsageError` when an output is a file that is read, or two of them are one, whatever links lead there.

    To be called before anything is read, since reading may take long.

    Parameters
    ----------
    output : str or None
        What ``--output`` says; None for standard output.
    inputs : tuple of str
        What is read.
    others : mapping of str to (str or None), optional
        Where other options write to; None for one that is not given.
    updated : mapping of str to (str or None), optional
        The same for those of which the file is read and then written anew.
    """
    outputs = {"--output": output or STANDARD_OUTPUT, **others}
    found: dict[object, str] = {}
    for option, path in {**outputs, **updated}.items():
        _require_name(path)
        if path is None or (place := _place(path)) is None:
            continue
        if place in found:
            called = "standard output" if path == STANDARD_OUTPUT else f"'{path}'"
            raise UsageError(f"{found[place]} and {option} both write to {called}")
        found[place] = option
    for path in filter(None, outputs.values()):
        refuse_inputs(path, inputs)


def _place(path: str) -> object:
    """What tells a file from all others, whatever it is called; None for what takes one output after the other."""
    try:
        status = _status(path)
    except (OSError, ValueError, AttributeError):
        return path if path == STANDARD_OUTPUT else _place_to_be(path)
    if stat.S_ISREG(status.st_mode):
        return status.st_dev, status.st_ino
    return path if path == STANDARD_OUTPUT else None


def _place_to_be(path: str) -> object:
    """The folder of a file that is not there yet, and its name; None where no file can be made."""
    folder, name = os.path.split(os.path.realpath(path))
    try:
        status = os.stat(folder)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, name


def refuse_inputs(path: str | None, inputs: tuple[str, ...]) -> None:
    """Raise `UsageError` when the output is a file that is read, whatever names or links it goes by.

    To be called before anything is read, since reading may take long.
    """
    _require_name(path)
    try:
        output = _status(path)
    except (OSError, ValueError, AttributeError):  # there is no such file yet; standard output is none
        return
    if stat.S_ISCHR(output.st_mode) or stat.S_ISSOCK(output.st_mode):  # one terminal is both
        return
    file = None if path is None or path == STANDARD_OUTPUT else os.path.realpath(path)
    for name in inputs:
        try:
            given = os.fstat(sys.stdin.fileno()) if name == STANDARD_INPUT else os.stat(name)
        except (OSError, ValueError, AttributeError):  # what cannot be opened is refused elsewhere
            given = None
        if file is not None and _is_part(file, name, given):
            raise UsageError(f"the output file '{path}' is inside the input '{name}'", remedy="write to another file")
        if given is not None and os.path.samestat(output, given):
            called = "standard output" if file is None else f"the output file '{path}'"
            raise UsageError(f"{called} is an input", remedy="write to another file")


def _is_part(file: str, given: str, status: os.stat_result | None) -> bool:
    """Whether a file is in a folder, or named by a pattern, that may be read as one table."""
    if status is not None:
        return stat.S_ISDIR(status.st_mode) and file.startswith(os.path.join(os.path.realpath(given), ""))
    if not any(mark in given for mark in "*?[") or os.path.lexists(given):
        return False
    from glob import glob

    return any(os.path.realpath(each) == file for each in glob(given, recursive=True))


def _require_name(path: str | None) -> None:
    """Raise `InputError` for what can be the name of no file."""
    if path is None:
        return
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise InputError("no file can have this name", path, "write to another file")


def _status(path: str | None) -> os.stat_result:
    return os.fstat(sys.stdout.fileno()) if path is None or path == STANDARD_OUTPUT else os.stat(path)


def _put(data: bytes, stream: Any, safe: bool) -> None:
    if stream.isatty() and not safe:
        data = re.sub(rb"[^\n\t -~]+", lambda found: printable(found[0]).encode(), data)
    stream.write(data)


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Within the block files that are written wait for their names: at its end all get them, or none where it fails."""
    with contextlib.ExitStack() as files:
        _waiting.append(files)
        try:
            yield
        finally:
            _waiting.remove(files)


_waiting: list[contextlib.ExitStack] = []


def _replace(target: str, path: str, pieces: Iterable[bytes], new: bool) -> None:
    """Write a file, which takes its name now, or with others that are written `together`."""
    with contextlib.ExitStack() as now:
        (_waiting[-1] if _waiting else now).enter_context(_replacing(target, path, pieces, new))


@contextlib.contextmanager
def _replacing(target: str, path: str, pieces: Iterable[bytes], new: bool) -> Iterator[None]:
    """Write to a neighbour, which takes the target's name and rights in the end, or has those of any new file.

    `path` is what messages call it; one that is to be `new` takes no name that somebody else took meanwhile.
    """
    neighbour = os.path.join(os.path.dirname(target), f".irev-{os.getpid()}-{os.urandom(4).hex()}")
    older = os.path.exists(target)
    with at_a_signal(lambda: os.unlink(neighbour)):
        try:
            # Nobody may read it who may not read the older one.
            with open(neighbour, "xb", buffering=0, opener=_for_me_alone if older else _for_all) as stream:
                for piece in pieces:
                    put(piece, stream)
                os.fsync(stream.fileno())  # a disk may be found full only now
            if older:
                os.chmod(neighbour, os.stat(target).st_mode & 0o7777)
            yield
            with _writing_to(path):
                if new:
                    _take_name(neighbour, target, path)
                else:
                    os.replace(neighbour, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(neighbour)
            raise


def _take_name(neighbour: str, target: str, path: str) -> None:
    """Give a file a name that nobody has: where two want it at the same time one of them is refused."""
    try:
        os.link(neighbour, target)
    except FileExistsError:
        require_new(path)
        raise
    except OSError:  # there are file systems without links
        require_new(path)
        os.replace(neighbour, target)
    else:
        os.unlink(neighbour)


def _for_me_alone(path: str, flags: int) -> int:
    with making:
        return os.open(path, flags, 0o600)


def _for_all(path: str, flags: int) -> int:
    with making:
        return os.open(path, flags, 0o666)
