"""Executors somewhere else, each an `irev.evaluation.batch.Executor`.

`opened` gives the one that is asked for, by a name or as an executor of `concurrent.futures`. No other module knows the
package of clusters, Dask. If a worker is lost, Dask gives its runs to another.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from irev.base.errors import InputError, UsageError
from irev.evaluation.batch import PROCESSES, Executor
from irev.extensions.clusters.futures import Futures
from irev.reading.sources import STANDARD_INPUT

if TYPE_CHECKING:
    from irev.base.settings import Settings
    from irev.extensions.clusters.futures import Futures

DASK = "dask://"

EXPECTED = f"expected {DASK}HOST:PORT, {DASK}HOST:PORT?wait=SECONDS or {PROCESSES}"
"""What an executor may be called."""


def is_name(text: str) -> bool:
    """Return True if an executor is called so."""
    return _NAME.fullmatch(text) is not None


_NAME = re.compile(rf"{DASK}([^\s/?]+:[0-9]{{1,5}})(?:\?wait=([0-9]{{1,6}}))?")
"""An address, and how many seconds to wait for a first worker."""

WAIT = 60
"""Seconds to wait for a first worker, unless the name says it."""


@contextmanager
def opened(executor: Any, warn: Callable[[str], None]) -> Iterator[Executor]:
    """An executor, which is closed again unless it was handed in.

    Parameters
    ----------
    executor : str or executor
        A name, as `is_name` has it; an executor of `concurrent.futures`, or a client of Dask.
    warn : callable
        Is told what keeps it waiting.

    Raises
    ------
    UsageError
        For anything else, and for a name of what is not installed.
    InputError
        When it cannot be reached, or has no workers.
    """
    if not isinstance(executor, str):
        yield _given(executor)
    elif name := _NAME.fullmatch(executor):
        with of_dask(name[1], warn, int(name[2] or WAIT)) as found:
            yield found
    else:
        raise _no_executor(executor)


def _given(executor: Any) -> Executor:
    if hasattr(executor, "get_executor"):
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


PATIENCE = 15
"""Seconds after which a scheduler that says nothing is not there."""


@contextmanager
def of_dask(address: str, warn: Callable[[str], None], wait: float) -> Iterator[Futures]:
    """The workers of the scheduler at ``HOST:PORT``, until the block ends; at least one within `wait` seconds."""
    try:
        from distributed import Client
    except ImportError as error:
        remedy = "pip install 'dask[distributed]'"
        raise UsageError(f"dask is needed to evaluate on a cluster of Dask ({error})", remedy=remedy) from None
    with _in_silence():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of versions that differ, which are looked at here
                client = Client(f"tcp://{address}", timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            fact = f"no scheduler of Dask answers at {address} ({reason})"
            raise InputError(fact, remedy="is it the address that the scheduler prints?") from None
        try:
            if not client.nthreads():
                warn(f"the scheduler of Dask at {address} has no workers yet; waiting {wait:g} seconds for the first")
                _await_worker(client, address, wait)
            yield of_client(client)
        finally:
            client.close(timeout=PATIENCE)


def _await_worker(client: Any, address: str, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while not client.nthreads():
        if time.monotonic() >= ends:
            fact = f"the scheduler of Dask at {address} has had no workers for {seconds:g} seconds"
            longer = f"or wait longer ({DASK}{address}?wait=SECONDS)"
            raise InputError(fact, remedy=f"start workers (dask worker ADDRESS), {longer}")
        time.sleep(0.1)


def of_client(client: Any) -> Futures:
    """The workers that a client has."""
    return Futures(client.get_executor(pure=False), sum(client.nthreads().values()))


@contextmanager
def _in_silence() -> Iterator[None]:
    """Have the package not write to standard error what is told in other words."""
    import logging

    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
