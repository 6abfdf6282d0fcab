"""Clusters, and the only module that knows their packages.

**Dask**: workers that a scheduler knows. What a lost worker had to do is done again by another.

**MPI**: ``mpiexec -n 9 python -m mpi4py.futures -m irev eval … --executor mpi`` has eight workers.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from irev.base.errors import InputError, UsageError
from irev.evaluation.executors.futures import Futures

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
            raise InputError(fact, remedy="start workers (dask worker ADDRESS), or wait longer (--wait SECONDS)")
        time.sleep(0.1)


def of_client(client: Any) -> Futures:
    """The workers that a client has."""
    return Futures(client.get_executor(pure=False), sum(client.nthreads().values()))


@contextmanager
def _in_silence() -> Iterator[None]:
    """Have the package not write to standard error what is told in other words."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def of_mpi() -> Iterator[Futures]:
    """The pool of this program's processes of MPI, or, where it was begun alone, of those that MPI begins for it."""
    try:
        from mpi4py.futures import MPIPoolExecutor
    except (ImportError, RuntimeError) as error:  # the package, or the library that it needs
        remedy = "pip install mpi4py, and have an MPI, such as Debian's openmpi-bin"
        raise UsageError(f"mpi4py is needed to evaluate on MPI ({error})", remedy=remedy) from None
    executor = MPIPoolExecutor()
    try:
        yield Futures(executor, executor.num_workers)
    finally:
        executor.shutdown(cancel_futures=True)
