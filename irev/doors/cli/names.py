"""Names that an option takes, of things that papers and other programs write in other ways: ``RRF``, ``teamdraft``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from irev.base.registry import did_you_mean


class Name(click.Choice[str]):
    """One of some names, in letters of either case; an error says which one is near to any other.

    Parameters
    ----------
    names : iterable of str
    elsewhere : mapping of str to str
        What some of them are called by others, where that is not near.
    """

    def __init__(self, names: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> None:
        super().__init__(tuple(names), case_sensitive=False)
        self._elsewhere = elsewhere or {}

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx).rstrip(".")
        known = self._elsewhere.get(str(value).lower().replace("_", "-"))
        remedy = f"did you mean {known!r}?" if known else did_you_mean(str(value), self.choices)
        return f"{message}; {remedy}" if remedy else message
