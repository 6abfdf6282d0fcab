"""Arithmetic on flat arrays that hold one segment per query: totals, counts, running sums, ratios; and aggregates, one
number for many, which ``--aggregate`` and ``agg=`` name. Knows nothing of retrieval.

An array of *rows* comes with `owner`, the segment of each row, which never decreases. Sums add from left to
right, as a loop in C does, so that they round alike; `np.sum` and `np.add.reduceat` add pairwise, and the
latter is wrong on empty segments. An aggregate of no values at all is NaN.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from irev.base.errors import UsageError, option
from irev.base.registry import did_you_mean

if TYPE_CHECKING:
    import numpy.typing as npt


Floats: TypeAlias = "npt.NDArray[np.float64]"
Ints: TypeAlias = "npt.NDArray[np.int64]"
AnyInts: TypeAlias = "npt.NDArray[np.integer[Any]]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"
Array: TypeAlias = "npt.NDArray[Any]"
N = TypeVar("N", bound=np.generic)


def total(values: Array, owner: Ints, segments: int) -> Floats:
    """Sum of `values` in each segment, added left to right; 0.0 for an empty segment."""
    return np.bincount(owner, weights=values, minlength=segments).astype(np.float64, copy=False)


def count(owner: Ints, segments: int) -> Ints:
    """Number of rows in each segment."""
    return np.bincount(owner, minlength=segments)


def count_flagged(flags: Bools, owner: Ints, segments: int) -> Ints:
    """Number of flagged rows in each segment."""
    if len(owner) <= MANY:
        return count(owner[flags], segments)
    counts = np.zeros(segments, dtype=np.int64)
    for begin, end in pieces(len(owner)):
        first, last = int(owner[begin]), int(owner[end - 1])
        flagged = owner[begin:end][flags[begin:end]] - first
        counts[first : last + 1] += np.bincount(flagged, minlength=last - first + 1)
    return counts


def starts(counts: Ints) -> Ints:
    """Offset of the first row of each segment, given the number of rows in each."""
    offsets = np.zeros(len(counts), dtype=np.int64)
    if len(counts) == 1:
        return offsets
    np.cumsum(counts[:-1], out=offsets[1:])
    return offsets


def gathered(owner: Ints) -> Ints:
    """Indices that bring the rows of each segment together, in their order; rows with a negative owner are left out."""
    if len(owner) > MANY and int(owner.min()) >= 0:
        return stable_order(owner)
    kept = np.flatnonzero(owner >= 0)
    owner = owner[kept]
    if (owner[1:] >= owner[:-1]).all():
        return kept
    return kept[stable_order(owner)]


def stable_order(numbers: AnyInts) -> Ints:
    """Indices that sort numbers of 0 or more, equal ones in their order."""
    if not len(numbers):
        return np.empty(0, dtype=np.int64)
    most = int(numbers.max())
    if len(numbers) > MANY and packs(most, len(numbers)):
        return packed_order(numbers.astype(np.uint64))[1]
    # numpy sorts 16-bit numbers in linear time.
    return np.argsort(numbers.astype(np.uint16) if most < 1 << 16 else numbers, kind="stable")


MANY = 1 << 20
"""Rows of which lists of indices are a matter of memory: they are worked on piece by piece, in few bytes each."""


def packs(most: int, rows: int) -> bool:
    """Whether numbers up to `most`, and the numbers of so many rows, fit into 64 bits together."""
    return most.bit_length() + max(rows - 1, 1).bit_length() <= 64 and rows < 1 << 32


def packed_order(numbers: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], Ints]:
    """Whole numbers in order, and the indices that sort them, equal ones in their order; for those that `packs`.

    Sorted in their own memory, each together with its index: an index of its own for each would take as much again, and
    sorting by way of it several times as long. The numbers handed in are lost.
    """
    bits = np.uint64(max(len(numbers) - 1, 1).bit_length())
    numbers <<= bits
    for begin, end in pieces(len(numbers)):
        numbers[begin:end] |= np.arange(begin, end, dtype=np.uint64)
    numbers.sort()
    order: Array = np.empty(len(numbers), dtype=np.int64 if len(numbers) <= MANY else np.uint32)
    mask = (np.uint64(1) << bits) - np.uint64(1)
    for begin, end in pieces(len(numbers)):
        order[begin:end] = numbers[begin:end] & mask
    numbers >>= bits
    return numbers, order


def pieces(rows: int) -> Iterator[tuple[int, int]]:
    """Where pieces of so many rows begin and end, small enough that what is made of one does not count."""
    for begin in range(0, rows, MANY):
        yield begin, min(begin + MANY, rows)


def full(rows: int, value: int) -> Array:
    """The same whole number for so many rows, with room for indices: in four bytes each where they are many."""
    return np.full(rows, value, dtype=np.int64 if rows <= MANY else np.int32)


def narrowed(values: Array, many: int | None = None) -> Array:
    """Whole numbers in as few bytes as hold them, with a sign, so that differences of few do not wrap around.

    Left as they are unless there are more than `many`, by default `MANY`.
    """
    if len(values) <= (MANY if many is None else many):
        return values
    most = int(values.max(initial=0))
    if most >= 1 << 30:
        return values
    return values.astype(np.int16 if most < 1 << 14 else np.int32, copy=False)


def pick(values: npt.NDArray[N], rows: AnyInts) -> npt.NDArray[N]:
    """``values[rows]``, without making indices of eight bytes of those that are shorter."""
    found = np.empty(len(rows), dtype=values.dtype)
    for begin, end in pieces(len(rows)):
        np.take(values, rows[begin:end], out=found[begin:end], mode="clip")
    return found


def opens(*columns: Array) -> Bools:
    """(n,) Which rows differ from the row before in any of some columns; the first one does."""
    found = np.ones(len(columns[0]), dtype=bool)
    found[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        found[1:] |= column[1:] != column[:-1]
    return found


def inverse(order: Ints) -> Ints:
    """(n,) The place of each row in an order of all rows."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def distinct(values: npt.NDArray[N]) -> npt.NDArray[N]:
    """The distinct values, rising, as `np.unique` gives them, which imports half of numpy to do so."""
    ordered = np.sort(values)
    return ordered[opens(ordered)]


def falling_order(values: Floats) -> Ints:
    """Indices that sort values which repeat a lot, such as grades, highest first, equal ones in their order."""
    known = distinct(values)
    return stable_order(len(known) - 1 - np.searchsorted(known, values))


def ranges(start: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Of ranges that begin somewhere and hold so many: the range that each place is of, and the place."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) + (start - starts(counts))[owner]


def ordered(codes: Ints, size: int) -> tuple[Ints, AnyInts]:
    """Codes of 0 or more and below `size`, rising, and the indices that sort them, equal ones in their order."""
    if packs(size, len(codes)):  # one sort of single numbers is several times as fast
        found, order = packed_order(codes.astype(np.uint64))
        return found.view(np.int64), order
    order = np.argsort(codes, kind="stable")
    return codes[order], order


def numbered(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct codes, which are 0 or more and below `size`, rising, and the number of each code among these."""
    if size <= max(1 << 16, 4 * len(codes)):
        there = np.zeros(size, dtype=bool)
        there[codes] = True
        return np.flatnonzero(there), (np.cumsum(there) - 1)[codes]
    rising, order = ordered(codes, size)
    first = opens(rising)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(first) - 1
    return rising[first], number


def position(owner: Ints, segments: int) -> Ints:
    """Place of each row in its segment, counting from 0."""
    if segments == 1:
        return np.arange(len(owner))
    return np.arange(len(owner)) - starts(count(owner, segments))[owner]


def running_count(flags: Bools, owner: Ints, segments: int) -> Ints:
    """How many flags are set in the segment up to each row, that row included."""
    seen = np.cumsum(flags)
    before = np.concatenate(([0], seen))[starts(count(owner, segments))]
    return seen - before[owner]


def running_sum(values: Floats, owner: Ints, segments: int) -> Floats:
    """Sum of the segment up to each row, that row included.

    Every segment is added on its own, so that rounding never leaks from one into the next.
    """
    sums = values.astype(np.float64)
    counts = count(owner, segments)
    longer = np.flatnonzero(counts > 1)
    for start, rows in zip(starts(counts)[longer].tolist(), counts[longer].tolist(), strict=True):
        # What np.cumsum does, without its own steps on the way, which take longer for a short segment.
        np.add.accumulate(values[start : start + rows], out=sums[start : start + rows])
    return sums


def highest_ahead(values: Floats, owner: Ints, segments: int) -> Floats:
    """Highest value of the segment from each row to its last, that row included."""
    highest = values.copy()
    longest = int(count(owner, segments).max(initial=0))
    step = 1
    # Each pass doubles how far ahead a row has looked.
    while step < longest:
        same = owner[:-step] == owner[step:]
        highest[:-step][same] = np.maximum(highest[:-step], highest[step:])[same]
        step *= 2
    return highest


def first(values: Ints, owner: Ints, segments: int, missing: int) -> Ints:
    """The value of each segment's first row, or `missing` for an empty segment."""
    found = np.full(segments, missing, dtype=np.int64)
    # Written last row first, so that the first row of each segment is the one that stays.
    found[owner[::-1]] = values[::-1]
    return found


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Floats:
    """`numerator / denominator`, 0.0 where the denominator is 0."""
    top, bottom = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    shape = top.shape if bottom.ndim == 0 or top.shape == bottom.shape else np.broadcast_shapes(top.shape, bottom.shape)
    quotient: Floats = np.divide(top, bottom, out=np.zeros(shape), where=bottom != 0)
    return quotient


def log2(values: Array) -> Floats:
    """Binary logarithm of every value; -inf for 0, nan below 0.

    `math.log2` agrees with the C library to the last bit and `np.log2` does not, so it is called once for
    every distinct value.
    """
    global _of_ranks
    logarithms: Floats
    if values.dtype.kind == "i" and values.min(initial=0) == 0 and (most := values.max(initial=0)) < _LONGEST_TABLE:
        # Such as ranks: a table that is kept is quicker than sorting.
        if most >= len(_of_ranks):
            # At least doubled, so that asking for one rank after the other takes linear time.
            longer = range(len(_of_ranks), max(int(most) + 1, 2 * len(_of_ranks), 1024))
            _of_ranks = np.concatenate((_of_ranks, [_log2(x) for x in longer]))
        logarithms = _of_ranks[values]
    else:
        known = distinct(values.ravel())
        place = np.searchsorted(known, values)
        logarithms = np.array([_log2(x) for x in known.tolist()], dtype=np.float64)[place]
    return logarithms


_LONGEST_TABLE = 1 << 16
_of_ranks: Floats = np.empty(0)
"""The logarithms of 0, 1, 2, …, as far as they were wanted."""


def _log2(value: float) -> float:
    if value > 0:
        return math.log2(value)
    return -math.inf if value == 0 else math.nan


def exp2(values: Floats) -> Floats:
    """2 to the power of every value: the C library's, once for every distinct value, as `np.exp2` differs between
    processors in the last bit of powers that are not whole."""
    known = distinct(values.ravel())
    powers: Floats = np.array([math.exp2(x) for x in known.tolist()], dtype=np.float64)
    return powers[np.searchsorted(known, values)]


def values_on(
    values: npt.NDArray[N], queries: Sequence[bytes], wanted: Sequence[bytes], absent: float | None = None
) -> npt.NDArray[N]:
    """The values of the wanted queries.

    Parameters
    ----------
    values : (q,)
    queries : sequence of bytes, length q
        What they are the values of, each once, in whatever order.
    wanted : sequence of bytes, length w
    absent : number, optional
        Counts as the value of a query that has none.

    Returns
    -------
    values : (w,)
        The array itself where the queries are the same.

    Raises
    ------
    KeyError
        For a wanted query without a value, unless `absent` counts as one.
    """
    if wanted == queries:
        return values
    places = {query: place for place, query in enumerate(queries)}
    if absent is None:
        return values[[places[query] for query in wanted]]
    padded = np.append(values, np.array([absent], dtype=values.dtype))
    return padded[[places.get(query, len(values)) for query in wanted]]


def difference(after: Floats, before: Floats) -> Floats:
    """After less before; 0 where both are the same infinity."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(after == before, 0.0, after - before)


Aggregate = Callable[[Floats], float]

FLOOR = 0.00001
"""The lowest value that a geometric mean uses; lower ones count as this."""


def sum_in_order(values: Floats, before: float = 0.0) -> float:
    """Sum, left to right; `np.sum` adds pairwise and rounds otherwise. `before` is the sum of what stands before."""
    if before:
        values = np.concatenate(([before], values))
    return float(total(values, np.zeros(len(values), dtype=np.int64), 1)[0])


def mean(values: Floats) -> float:
    """Arithmetic mean."""
    return sum_in_order(values) / len(values) if len(values) else math.nan


def geometric_mean(values: Floats) -> float:
    """exp(mean of ln(max(value, 0.00001)))."""
    return math.exp(mean(logarithms(values))) if len(values) else math.nan


def logarithms(values: Floats) -> Floats:
    """ln(max(value, `FLOOR`)), of which a geometric mean is made; `np.log` rounds otherwise than C."""
    return np.array([math.log(max(value, FLOOR)) for value in values.tolist()], dtype=np.float64)


def standard_deviation(values: Floats) -> float:
    """Return the standard deviation of a sample, sqrt(sum of (x - mean)² / (n - 1)); NaN for fewer than two values."""
    if len(values) < 2:
        return math.nan
    with np.errstate(invalid="ignore", over="ignore"):  # an infinite value has no deviation
        return math.sqrt(sum_in_order((values - mean(values)) ** 2) / (len(values) - 1))


def quantile(values: Floats, share: float) -> float:
    """The value below which a share of the values lies, interpolated linearly between neighbours (type 7 of
    Hyndman and Fan, Sample Quantiles in Statistical Packages, The American Statistician 50(4), 1996)."""
    if not len(values):
        return math.nan
    ordered = np.sort(values)
    place = share * (len(ordered) - 1)
    low, high = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    # The difference of two infinities is not a number.
    return low if low == high else low + (high - low) * (place - math.floor(place))


AGGREGATES: dict[str, tuple[str, Aggregate]] = {
    "mean": ("arithmetic mean", mean),
    "gmean": ("geometric mean, values below 0.00001 as 0.00001", geometric_mean),
    "median": ("the value in the middle", lambda values: quantile(values, 0.5)),
    "min": ("lowest value", lambda values: quantile(values, 0.0)),
    "max": ("highest value", lambda values: quantile(values, 1.0)),
    "sd": ("standard deviation of the sample", standard_deviation),
    "sum": ("sum", sum_in_order),
}
"""The meaning and the function of each aggregate, by name. ``q25`` or ``p25`` and the like are quantiles."""

WEIGHTED = "weighted"
"""The mean by the weights of queries, which values alone do not have."""

_QUANTILE = r"[qp](\d{1,2}(\.\d{1,6})?|100)"

_WEIGHTS = f"`irev eval` and `irev check` take {option('query_weights')}"


def known_aggregate(name: str) -> str:
    """`name`, if it names an aggregate; ``p25`` becomes ``q25``. Raises `UsageError` with the nearest one otherwise."""
    if name in AGGREGATES or name == WEIGHTED:
        return name
    if re.fullmatch(_QUANTILE, name, re.ASCII):
        return f"q{name[1:]}"
    known = ", ".join([*AGGREGATES, "q25 (any percentage)"])
    raise UsageError(f"there is no aggregate '{name}'", remedy=did_you_mean(name, AGGREGATES) or f"there are {known}")


def aggregate(name: str, values: Floats) -> float:
    """The aggregate called `name`, such as ``median`` or ``q25``, of the values of all queries."""
    if name in AGGREGATES:
        return AGGREGATES[name][1](values)
    if name == WEIGHTED:
        raise UsageError(f"agg={WEIGHTED} needs weights of queries, but there are none", remedy=_WEIGHTS)
    return quantile(values, float(name[1:]) / 100)
