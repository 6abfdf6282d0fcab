"""``python -m irev`` and the command ``irev``: a short-lived process, which begins and ends as fast as it can."""

try:
    import atexit
    import contextlib
    import gc
    import os
    import sys
    from typing import NoReturn

    from irev.base.exit import at_exit_of_a_library, heed, is_limited, is_shortage
except KeyboardInterrupt:
    # `irev.base.exit.INTERRUPTED`, as a number, since an import is what may be interrupted once more.
    raise SystemExit(130) from None


def main() -> int:
    """Run the command line; the exit status."""
    # numpy's linear algebra is never used, and the threads it would start for it only take time from ours.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # The memory of tables goes back when they are read, where the pool that Arrow would choose keeps 60 MB of it.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Processes of Python that begin from nothing look for modules in the current folder, which may be a stranger's.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    # Collecting garbage while modules are imported finds none.
    gc.disable()
    from irev.cli import run
    from irev.reading.limits import bound_memory

    bound_memory()
    return run(sys.argv[1:])


_ended = False


def _watched() -> int:
    """`main`, with a word where a library ends the process because it gets no memory."""
    global _ended
    if is_limited():
        at_exit_of_a_library(lambda: None if _ended else _without_memory())
    status = main()
    _ended = True
    return status


def _without_memory() -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, b"irev: error: memory ran out before anything was read; raise the limit (ulimit -v, ulimit -d)\n")
    os._exit(2)  # `irev.base.exit.REFUSED`


def command() -> None:
    """Run the command line and leave at once: taking the interpreter apart would take a tenth of a short run.

    What libraries registered to be done at the end is done, such as to remove a temporary folder.
    """
    heed()
    try:
        status = _watched()
    except Exception as error:  # of what is imported before anything else can be said
        if isinstance(error, SystemError) or is_shortage(error):
            _without_memory()
        raise
    with contextlib.suppress(OSError, AttributeError, ValueError):
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(status)


if __name__ == "__main__":
    command()
