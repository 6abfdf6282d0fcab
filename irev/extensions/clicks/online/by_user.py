"""What users did, added up for each user, in memory that does not grow with the log.

Counts are added as integers; whole numbers that may be large as floats, which hold their sums exactly up to 2^53; and
what is beyond that, or no whole number, in the order of its size. So nothing depends on the order of events or on the
parts that users come in, and no sum wraps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.extensions.clicks.events.log import Impressions
from irev.extensions.clicks.events.rows import grouped
from irev.extensions.clicks.events.spill import Spill, parts_of
from irev.reading.ids import Words

Columns = dict[str, Any]
"""Arrays by name, of impressions or users."""


@dataclass(frozen=True, eq=False)
class Users:
    """Some users; all that is known of each is here.

    Attributes
    ----------
    key : uint64 (u, 2)
        The hash of each.
    place : int (u,)
        Where the first impression of each stands.
    impressions : int (u,)
    sums : dict of str to array (u,)
        What was added, by name.
    of : int (n,)
        The user of each impression, rising; those of one user stand in any order.
    places : int (n,)
    columns : dict of str to array (n,)
        Of the impressions.
    """

    key: Words
    place: Ints
    impressions: Ints
    sums: Columns
    of: Ints
    places: Ints
    columns: Columns


class ByUser:
    """Columns of impressions, which come back user by user."""

    def __init__(self, memory: int | None = None) -> None:
        self._spill = Spill(memory)
        self._names: list[str] = []
        self._all_names: list[str] = []

    def add(self, some: Impressions, columns: Columns, key: Words | None = None, kept: Columns | None = None) -> None:
        """Keep columns of some impressions, the same each time; `key`, (n, 2), says what they come back by, if that is
        not the user. Those `kept` are not added up."""
        key = some.user if key is None else key
        self._names = [*columns]
        columns = columns | (kept or {})
        self._all_names = [*columns]
        kind = [("hi", "u8"), ("lo", "u8"), ("place", "i8"), *((name, of.dtype) for name, of in columns.items())]
        record = np.zeros(len(some), dtype=kind)
        record["hi"], record["lo"], record["place"] = key[:, 0], key[:, 1], some.place
        for name, column in columns.items():
            record[name] = column
        self._spill.put("users", record, parts_of(record["hi"]))
        self._spill.settle()

    def __iter__(self) -> Iterator[Users]:
        for part in self._spill.parts:
            record = self._spill.rows("users", part)
            if not self._names or not len(record):
                continue
            order, begins = grouped(record["hi"], record["lo"])
            record = record[order]
            counts = np.diff(np.append(begins, len(record)))
            of = np.repeat(np.arange(len(begins)), counts)
            columns = {name: record[name] for name in self._all_names}
            key = np.stack((record["hi"][begins], record["lo"][begins]), axis=1)
            yield Users(
                key,
                np.minimum.reduceat(record["place"], begins),
                counts,
                {name: _added(columns[name], of, begins) for name in self._names},
                of,
                record["place"],
                columns,
            )

    def close(self) -> None:
        """Let go of everything."""
        self._spill.close()


def _added(values: Any, of: Ints, begins: Ints) -> Any:
    """The sum of each user: exact of counts, and of floats in the order of their size."""
    if values.dtype.kind == "f":
        return float_sums(values, of, len(begins))
    return np.add.reduceat(values.astype(np.int64), begins)


def sorted_sums(values: Floats, of: Ints, segments: int) -> Floats:
    """The sum of the values of each segment, the lowest first."""
    rows = np.flatnonzero(values)
    rows = rows[np.lexsort((values[rows], of[rows]))]
    return np.bincount(of[rows], weights=values[rows], minlength=segments).astype(np.float64, copy=False)


def float_sums(values: Floats, of: Ints, segments: int) -> Floats:
    """The same, without sorting whole numbers, none below 0, whose sum a float holds exactly in any order."""
    total = np.bincount(of, weights=values, minlength=segments).astype(np.float64, copy=False)
    if (values < 0).any() or (values != np.rint(values)).any():
        return sorted_sums(values, of, segments)
    if (total >= 2.0**53).any():
        large = total[of] >= 2.0**53
        total = np.where(total >= 2.0**53, sorted_sums(values[large], of[large], segments), total)
    return total
