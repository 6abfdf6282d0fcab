"""Where many runs are evaluated: in this process, by several of this machine, or by an executor somewhere else.

Each has the interface of `irev.evaluation.executors.executor`. `opened` gives the one that is asked for, by a name or
as an executor of `concurrent.futures`, and `local` the one that nobody has to ask for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from irev.base.errors import InputError, UsageError
from irev.evaluation.executors.executor import Executor, InTurn, Processes, how_many
from irev.reading.sources import STANDARD_INPUT

if TYPE_CHECKING:
    from irev.base.settings import Settings

PROCESSES, MPI, DASK = "processes", "mpi", "dask://"

EXPECTED = "expected dask://HOST:PORT, processes or mpi"
"""What an executor may be called."""


def is_name(text: str) -> bool:
    """Whether an executor is called so."""
    return text in (PROCESSES, MPI) or re.fullmatch(rf"{DASK}[^\s/]+:[0-9]{{1,5}}", text) is not None


def is_elsewhere(executor: Any) -> bool:
    """Whether others than this process, and those that it begins as its likes, read the files."""
    return executor is not None and executor != PROCESSES


def local(runs: Sequence[str], jobs: int | None) -> Executor:
    """Several processes, where runs, processors and memory are there for several, or as many as `jobs` says."""
    several = how_many(runs, jobs)
    return InTurn() if several == 1 else Processes(several)


@contextmanager
def opened(
    executor: Any, runs: Sequence[str], jobs: int | None, warn: Callable[[str], None], wait: float = 60
) -> Iterator[Executor]:
    """An executor, which is closed again unless it was handed in.

    Parameters
    ----------
    executor : str or executor or None
        A name, as `is_name` has it; an executor of `concurrent.futures`, or a client of Dask; None for `local`.
    runs, jobs
        Of `local`.
    warn : callable
        Is told what keeps it waiting.
    wait : float
        Seconds until a cluster without workers is an error.

    Raises
    ------
    UsageError
        For anything else, and for a name of what is not installed.
    InputError
        When it cannot be reached, or has no workers.
    """
    if not is_elsewhere(executor):
        yield local(runs, jobs)
    elif isinstance(executor, str) and not is_name(executor):
        raise _no_executor(executor)
    elif isinstance(executor, str) and executor.startswith(DASK):
        from irev.evaluation.executors.clusters import of_dask

        with of_dask(executor.removeprefix(DASK), warn, wait) as found:
            yield found
    elif executor == MPI:
        from irev.evaluation.executors.clusters import of_mpi

        with of_mpi() as found:
            yield found
    else:
        yield _given(executor)


def _given(executor: Any) -> Executor:
    from irev.evaluation.executors.futures import Futures

    if hasattr(executor, "get_executor"):
        from irev.evaluation.executors.clusters import of_client

        return of_client(executor)
    if isinstance(executor, type) or not callable(getattr(executor, "submit", None)):
        raise _no_executor(executor)
    said = (getattr(executor, name, None) for name in ("num_workers", "max_workers", "_max_workers"))
    return Futures(executor, next((number for number in said if isinstance(number, int)), 0))


def _no_executor(given: object) -> UsageError:
    return UsageError(f"{given!r} is not an executor", remedy=f"{EXPECTED}, or one of concurrent.futures")


def require_sendable(judgments: Sequence[str], runs: Sequence[str], settings: Settings) -> None:
    """Raise `UsageError` for what no other process can read: standard input, and what is no file; nor a file that
    the settings name beside the run."""
    for path in (*judgments, *runs):
        if path == STANDARD_INPUT:
            raise UsageError("workers cannot read standard input", remedy="write it to a file that they can read")
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            raise InputError(
                "workers cannot read this, which is no file", path, "write it to a file that they can read"
            )
    name, _, beside = (settings.run_format or "").partition(":")
    if beside:
        remedy = "convert the runs with irev convert, and evaluate the new files"
        raise UsageError(
            f"--run-format {name} needs a second file for each run, which workers do not get", remedy=remedy
        )
