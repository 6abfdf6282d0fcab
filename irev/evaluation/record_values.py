"""Values in a file that says it is a record, each with its place there: looked at before they are used.

Such a file may be anything. What is not as a record has it is refused with the place, and what was expected there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from irev.base.records import dataclass
from irev.base.text import encoded
from irev.errors import InputError, shown
from irev.reading import limits
from irev.reading.sources import Source

AGAIN = "make the record again with `irev eval -f json`"

_ODD = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_LARGEST = 2**63 - 1
_DIGITS = 400
"""No number of so many digits is meant; to read those of a million takes minutes."""


def content(source: Source, again: str = AGAIN) -> Any:
    """What a file has, as JSON; `again` is the remedy of errors.

    Raises
    ------
    InputError
        For a file that is no JSON, with the line, and for objects that have a key twice.
    """
    try:
        text = source.content(limits.RECORD).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is no text in UTF-8, as JSON is", source.name, again) from None
    try:
        return json.loads(text, object_pairs_hook=_once, parse_int=_whole, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise InputError(f"this is no JSON ({error.msg})", f"{source.name}:{error.lineno}", again) from None
    except RecursionError:
        raise InputError("brackets are nested too deep for a record of results", source.name, again) from None
    except ValueError as error:  # what the functions refuse
        raise InputError(f"this is no JSON ({error})", source.name, again) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} stands where a number should")


@dataclass(frozen=True)
class RecordValue:
    """A value in a record, and where it stands.

    Attributes
    ----------
    value : object
    place : str
        Its place in the record: ``results[0].counts``.
    file : str
    again : str
        The remedy of errors.
    """

    value: Any
    place: str
    file: str
    again: str = AGAIN

    def refused(self, expected: str) -> InputError:
        kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
        there = kinds.get(type(self.value), "a number")
        if isinstance(self.value, str):
            there = shown(self.value.encode("utf-8", "replace"))
        place = f"{self.file}, {self.place}" if self.place else self.file
        return InputError(f"expected {expected}, found {there}", place, self.again)

    def members(self) -> dict[str, RecordValue]:
        """What is in an object, by key."""
        if not isinstance(self.value, Mapping):
            raise self.refused("an object")
        return {key: self._inside(key, value) for key, value in self.value.items()}

    def elements(self) -> list[RecordValue]:
        """What is in a list."""
        if not isinstance(self.value, list | tuple):
            raise self.refused("a list")
        return [
            RecordValue(value, f"{self.place}[{number}]", self.file, self.again)
            for number, value in enumerate(self.value)
        ]

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, Mapping) and key in self.value

    def __getitem__(self, key: str) -> RecordValue:
        if not isinstance(self.value, Mapping):
            raise self.refused("an object")
        if key not in self.value:
            raise self.refused(f"an object with the key {shown(key.encode('utf-8', 'replace'))}")
        return self._inside(key, self.value[key])

    def _inside(self, key: str, value: Any) -> RecordValue:
        name = shown(key.encode("utf-8", "replace"))[1:-1]
        return RecordValue(value, f"{self.place}.{name}" if self.place else name, self.file, self.again)

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.refused("a text")
        try:
            encoded(self.value)
        except UnicodeEncodeError:
            raise self.refused("a text of characters that there are") from None
        return self.value

    def id(self) -> bytes:
        return encoded(self.text())

    def word(self, words: Sequence[str]) -> str:
        if self.value not in words:
            raise self.refused(f"one of {', '.join(words)}")
        return self.text()

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.refused("true or false")
        return self.value

    def whole(self) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not 0 <= self.value <= _LARGEST:
            raise self.refused("a whole number of 0 or more")
        return self.value

    def number(self) -> float | int:
        """A number, whole ones as such."""
        if isinstance(self.value, str) and self.value in _ODD:
            return _ODD[self.value]
        if isinstance(self.value, float) and math.isfinite(self.value):
            return self.value
        if isinstance(self.value, int) and not isinstance(self.value, bool) and abs(self.value) <= _LARGEST:
            return self.value
        raise self.refused("a number, 'inf', '-inf' or 'nan'")

    def finite(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.refused("a number")
        if (isinstance(self.value, int) and abs(self.value) > _LARGEST) or not math.isfinite(self.value):
            raise self.refused("a smaller number")
        return float(self.value)

    def or_none(self, read: Callable[[RecordValue], Any]) -> Any:
        return None if self.value is None else read(self)
