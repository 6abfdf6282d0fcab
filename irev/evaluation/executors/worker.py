"""What is sent to a worker, what it does there, and what it sends back.

Sent are paths, and the task without its judgments: a process reads these once, and keeps them for what comes next.
Every worker says who it is and what it computes with, and one that computes with anything else than whoever sent the
task does nothing: neither could be sure to understand what the other sends, nor would the numbers be the same.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from irev.base.settings import Settings
from irev.errors import InputError, IrevError, UnreachableError
from irev.evaluation.arithmetic import described
from irev.evaluation.batch import JudgmentsFile, Task
from irev.evaluation.executors.executor import counted, outcome, unreachable
from irev.reading import chunks, qrels
from irev.reading.judgments import Judgments
from irev.reading.remote import is_dataset, is_url
from irev.reading.sources import Source

MOST = 4
"""Sets of judgments that a process keeps, unless one task has more."""


class Sent(NamedTuple):
    """A run as it is sent: where it is, and what messages call it."""

    path: str
    name: str


def sent(path: str) -> Sent:
    """A path as it is sent: absolute, as a worker may be in another folder."""
    local = path and not is_dataset(path) and not is_url(path)
    return Sent(os.path.abspath(path) if local else path, path)


def packed(task: Task) -> bytes:
    """A task as it is sent: without its judgments, but with the places where they can be read."""
    files = tuple(file._replace(path=sent(file.path).path) for file in task.files)
    return pickle.dumps(replace(task, judgments=(), files=files))


class SentCall:
    """A call of `evaluate` that is made where it is unpickled.

    So what is submitted to an executor is `pickle.loads`, and bytes: whatever stands between it and its workers, as the
    scheduler of Dask does, needs no irev, and a worker that has none, or one of another version, can say so.
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return evaluate, self._arguments


def identity() -> str:
    """This process, as messages call it: host and number."""
    return f"{socket.gethostname()}:{os.getpid()}"


def evaluate(
    arithmetic: str, averages: bool, sender: str, task: bytes, runs: Sequence[tuple[str, str]]
) -> tuple[str, str, bytes]:
    """Evaluate some runs in turn, up to the first that raises something.

    What goes in and comes out is made of plain values, which any version understands.

    Parameters
    ----------
    arithmetic, averages : str, bool
        What the sender computes with, and whether that is about averages over ties, as `described` has it.
    sender : str
        As `identity` has it.
    task : bytes
        As `packed` has it.
    runs : sequence of Sent

    Returns
    -------
    worker : str
        As `identity` has it.
    arithmetic : str
        What the worker computes with. Where it is not that of the sender, nothing was done.
    found : bytes
        Of `unpacked`.
    """
    worker, here = identity(), described(averages)
    if here != arithmetic:
        return worker, here, b""
    if worker != sender:
        chunks.THREADS = 1  # other processes may be working beside this one, a processor for each
        _keep_pages()
    found: list[tuple[Any, int]] = []
    try:
        work = _with_judgments(pickle.loads(task), worker)
    except (IrevError, MemoryError) as error:
        found.append((error, 0))
    else:
        for path, name in runs:
            read = [0]
            found.append((outcome(work, path, counted(read, 0), name, worker), read[0]))
            if isinstance(found[-1][0], Exception):
                break
    return worker, here, pickle.dumps(found)


@cache
def _keep_pages() -> None:
    """Have the C library keep pages of memory that are needed again at once, where it was told to give them back.

    Dask tells its workers so (``MALLOC_TRIM_THRESHOLD_``), and to have the pages of every buffer made anew takes three
    times as long as to evaluate with those that are there. Up to `PAGES` bytes are kept.
    """
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return
    with contextlib.suppress(OSError, AttributeError):  # a C library that is not GNU's
        import ctypes

        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, PAGES // 4)  # which would not grow any more by itself
        library.mallopt(_TRIM_THRESHOLD, PAGES)


PAGES = 128 << 20
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Of malloc.h."""


def unpacked(found: bytes) -> list[tuple[Any, int]]:
    """What came of each run that a worker evaluated, or what it raised, and how many bytes it read for it."""
    outcomes: list[tuple[Any, int]] = pickle.loads(found)
    return outcomes


def _with_judgments(task: Task, worker: str) -> Task:
    with _READING:
        wanted = [(file.sha256, task.settings) for file in task.files]
        others = [key for key in _kept if key not in wanted]
        for key in others[: max(len(others) + len(wanted) - MOST, 0)]:
            _kept.pop(key, None)
        judgments = []
        for key, file in zip(wanted, task.files, strict=True):
            kept = _kept.pop(key) if key in _kept else _read(file, task.settings, worker)
            _kept[key] = kept
            judgments.append(kept)
        return replace(task, judgments=tuple(judgments))


def forget() -> None:
    """Keep no judgments in this process, where whoever sends tasks has come to an end of them."""
    _kept.clear()


_READING = threading.Lock()
"""Held while judgments are read, so that threads that want the same read them once."""

_kept: dict[tuple[str, Settings], Judgments] = {}
"""Judgments by what their file held and what they were read with, those used last behind the others."""


def _read(file: JudgmentsFile, settings: Settings, worker: str) -> Judgments:
    found = None
    try:
        with Source(file.path, digest=True, name=file.name) as source:
            judgments = qrels.read(source, settings)
            found = source.digest().sha256
    except UnreachableError as error:
        raise unreachable(error, worker) from None
    except InputError:  # what was read by whoever sent it had no fault
        found = None
    if found != file.sha256:
        fact = f"the worker {worker} finds another file under this path"
        raise InputError(fact, file.name, "have all workers see the same files")
    return judgments
