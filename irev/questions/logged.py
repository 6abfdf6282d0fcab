"""Choices of the questions that keep results in a log of builds: where, and what build they are of."""

from __future__ import annotations

from irev.base.choice import choice
from irev.base.kinds import Kind, NewFile
from irev.base.records import dataclass

FACTS = ("time", "commit", "branch")

SQLITE = "sqlite:"
"""How the name of a log begins that is a SQLite file."""


def utc(text: str) -> str:
    """A time as ISO 8601 in UTC, to the second. Raises `ValueError` for what is no such time."""
    from datetime import UTC, datetime

    try:
        found = datetime.fromisoformat(text)
        there = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"expected a time such as 2026-03-01T02:00:00Z, found '{text}'") from None
    return there.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


class Fact(Kind):
    """Something that is known of a build."""

    metavar = "NAME=VALUE"

    def __init__(self) -> None:
        self.expected = f"{', '.join(f'{name}=…' for name in FACTS)}"

    def read(self, text: str) -> str:
        name, sign, value = text.partition("=")
        if name not in FACTS or not sign or not value:
            raise ValueError(self.expected)
        if name == "time":
            utc(value)
        return text


class Log(NewFile):
    """A log of builds: a folder, or a SQLite file."""

    metavar = "LOG"

    def read(self, text: str) -> str:
        if text in ("", SQLITE, f"{SQLITE}:memory:"):
            raise ValueError(f"expected a folder or {SQLITE}FILE, which keeps the results")
        return text

    def file(self, value: str | None) -> str | None:
        return None if value is None else value.removeprefix(SQLITE)


@dataclass(frozen=True)
class Logged:
    """Where results are kept for `irev trend`, and what build they are of."""

    log: str | None = choice(
        None,
        "also save the result, with the values of each query, in LOG for `irev trend`: a folder, or sqlite:FILE",
        Log(),
        heading="History",
    )
    build: tuple[str, ...] = choice(
        (),
        "facts about this build for the log: commit=…, branch=… or time=…. Default: the variables of the CI "
        "service, and the current time",
        Fact(),
        several=True,
        needs="log",
        heading="History",
    )
