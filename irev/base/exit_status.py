"""The exit statuses: what each number is called here, and what it says. Help and docs/exit-status.md read them."""

from __future__ import annotations


def by_signal(number: int) -> int:
    """The status of a process that a signal ends, as shells have it."""
    return 128 + number


DONE, FAILED, REFUSED, FAULT = 0, 1, 2, 70
INTERRUPTED, TERMINATED, HUNG_UP = by_signal(2), by_signal(15), by_signal(1)

MEANINGS = {
    DONE: (
        "done",
        "; also `--help`, `--version`, and when the reader of a pipe goes away (`irev … | head`), which does not change"
        " the verdict of `irev check`",
    ),
    FAILED: (
        "a check did not hold",
        ": a condition of [`irev check`](check.md), or [`irev validate`](validate.md) found errors, or [`irev show"
        " --rerun`](result-record.md#made-again) differences",
    ),
    REFUSED: (
        "wrong usage or unusable input",
        ": an option or a file that cannot be used; also output that cannot be written, and no memory left",
    ),
    FAULT: ("internal error", " of irev, never of your files"),
    INTERRUPTED: ("interrupted", ", as by Ctrl-C (SIGINT)"),
    TERMINATED: ("terminated", ", as by `kill` (SIGTERM)"),
    HUNG_UP: ("hangup", " (SIGHUP)"),
}
"""What each says, in a few words, and what docs/exit-status.md adds to them."""
