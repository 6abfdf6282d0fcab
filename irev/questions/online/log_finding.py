"""Findings about a log of what users saw and clicked: what is said of the log, and of users who are listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from irev.base.records import dataclass
from irev.base.text import counted, decoded, p_value
from irev.errors import UsageError
from irev.evaluation.result import Input
from irev.output.finding import Drawing, Finding
from irev.output.report import stamped
from irev.reading.events.checks import LogFacts

VERSION = 1

HEXADECIMAL = 16
"""Digits of the hash that stands for a user."""


def pseudonym(user: bytes) -> str:
    """What is shown of a user unless the id is asked for: the first digits of its SHA-256.

    The same user has the same one in every log. It keeps ids out of sight, and no secret: who can guess an id, as one
    can a number or an address, can make its pseudonym and look for it.
    """
    return sha256(user).hexdigest()[:HEXADECIMAL]


class LogFinding(Finding):
    """What was found in a log.

    Attributes
    ----------
    facts : LogFacts
    faults : dict of str to int
        How often each was found, of events that were left out.
    inputs : sequence of Input
        The files that were read.
    """

    facts: LogFacts
    faults: dict[str, int]
    inputs: Sequence[Input]

    def plot(self) -> Drawing:
        """There is nothing to draw. Raises `UsageError`."""
        raise UsageError("findings about a log are not drawn", remedy="show them, or take to_pandas()")

    @property
    def notes(self) -> Iterator[str]:
        yield from self.said()
        facts = self.facts
        if facts.unnamed:
            yield (
                f"{counted(facts.unnamed, 'impression')} of {facts.impressions:,}"
                f" {'names' if facts.unnamed == 1 else 'name'} no user, and each counts as one: intervals are too"
                " narrow if users come back."
            )
        if facts.left_out:
            codes = ", ".join(f"{code} {count:,}" for code, count in sorted(self.faults.items()))
            yield f"Left out: {counted(facts.left_out, 'event')} of {facts.rows:,}, for these faults: {codes}."

    def said(self) -> Iterator[str]:
        """Sentences on what was found."""
        return iter(())

    def stamp(self, kind: str) -> dict[str, Any]:
        """How the record begins."""
        facts = self.facts
        return {
            **stamped(kind, VERSION),
            "inputs": [file.recorded() for file in self.inputs],
            "events": {
                "impressions": facts.impressions,
                "clicks": facts.clicks,
                "conversions": facts.conversions,
                "left_out": facts.left_out,
                "without_user": facts.unnamed,
                "faults": dict(sorted(self.faults.items())),
            },
        }


@dataclass(frozen=True, repr=False)
class Clicks(LogFinding):
    """What a log of clicks says, as `irev.clicks` gives it.

    Attributes
    ----------
    facts : LogFacts
    faults : dict of str to int
        How often each code was found, of events that were left out.
    found : BucketTest or Preference
    listed : list of UserOfBucket or InterleavedUser, or None
        Every user, in the order of the log, if users are listed.
    users : dict of tuple to bytes
        Their ids by their hashes.
    show_users : bool
        Whether ids of users are shown, where users are listed.
    inputs : tuple of Input
        The files that were read.
    """

    facts: LogFacts
    faults: dict[str, int]
    found: Any
    listed: Sequence[Any] | None
    users: dict[tuple[int, int], bytes]
    show_users: bool = False
    inputs: tuple[Input, ...] = ()

    def user(self, key: tuple[int, int]) -> str | None:
        """What is shown of a user; None for one who is not named."""
        name = self.users.get(key)
        if name is None:
            return None
        return decoded(name) if self.show_users else pseudonym(name)

    def __repr__(self) -> str:
        return f"<Clicks: {self.title}, {self.facts.impressions:,} impressions>"


def at_every_look(planned: int) -> str:
    """What is said of results that hold at every look."""
    return (
        f"Results hold at every look, however often you look: the chance that any look errs is as said, for {planned:,}"
        " impressions that are planned, the same number at each look."
    )


def compared(p: float | None) -> str:
    """A p-value behind its name: ``= 0.012``, ``< 0.001``."""
    text = p_value(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"
