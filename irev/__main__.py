"""``python -m irev`` and the command ``irev``: a short-lived process, which begins and ends as fast as it can."""

from __future__ import annotations

try:
    import contextlib
    import gc
    import os
    import sys

    from irev.base.signals import heed
except KeyboardInterrupt:
    # `irev.base.exit_status.INTERRUPTED`, as a number, since an import is what may be interrupted once more.
    raise SystemExit(130) from None


def main() -> int:
    """Run the command line; the exit status."""
    # numpy's linear algebra is never used, and the threads it would start for it only take time from ours.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # The memory of tables goes back when they are read, where the pool that Arrow would choose keeps 60 MB of it.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Collecting garbage while modules are imported finds none.
    gc.disable()
    from irev.cli import run
    from irev.reading.limits import bound_memory

    bound_memory()
    return run(sys.argv[1:])


def command() -> None:
    """Run the command line and leave at once: taking the interpreter apart would take a tenth of a short run."""
    heed()
    status = main()
    with contextlib.suppress(OSError, AttributeError, ValueError):
        sys.stderr.flush()
    if "mpi4py.MPI" in sys.modules:  # the processes of MPI wait for one another at their ends
        sys.exit(status)
    os._exit(status)


if __name__ == "__main__":
    command()
