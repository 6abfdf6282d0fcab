"""A pool of MPI: ``mpiexec -n 9 python -m mpi4py.futures -m irev eval … --executor mpi`` has eight workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from irev.errors import UsageError
from irev.evaluation.executors.futures import Futures


@contextmanager
def pool() -> Iterator[Futures]:
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
