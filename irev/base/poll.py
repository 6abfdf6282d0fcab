"""Waiting for a stream that was told not to wait by itself, as one is that is shared with a program that set it so.

By `poll`, and not by `select`, which refuses descriptors above 1,023: a program that uses the package may have many.
"""

from __future__ import annotations

from typing import Any


def until_readable(stream: Any) -> None:
    """Wait until there is something to read, or the end."""
    _wait(stream, "POLLIN")


def until_writable(stream: Any) -> None:
    """Wait until the stream takes more, or nobody reads any more."""
    _wait(stream, "POLLOUT")


def _wait(stream: Any, event: str) -> None:
    import select

    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(stream.fileno(), getattr(select, event))
        poll.poll()
    else:  # pragma: no cover - Windows, which has no such pipes
        import time

        time.sleep(0.01)
