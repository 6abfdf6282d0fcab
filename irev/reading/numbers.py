"""Decimal numbers read from text, a column at a time, rounded correctly or near enough to know when to look again.

A number is split at its point, its digits are read eight at a time by multiplying and masking words, and the mantissa
is divided by a power of ten. A mantissa up to 2^53 over 10^k, k <= 22, divides to the correctly rounded double. Dense
retrievers print 16 and 17 digits: up to 19 digits fit an unsigned word, and the quotient is then within `TOLERANCE` of
the true value; `Decimals.uncertain` marks such rows, and `Decimals.settle` reads those again exactly that the caller
names. Exponents, infinities and longer numbers go through `float`, row by row. Numbers that only C or only Python would
read (``0x1p3``, ``1_000``) and nan are none.
"""

from __future__ import annotations

import re

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import REAL
from irev.reading.ids import Bytes, Words, at, words_at_any_offset

TOLERANCE = 2.0**-51
"""Relative error that a value with more than 53 bits of mantissa may have: two roundings."""

_NUMBER = REAL.encode() + rb"|[+-]?inf(inity)?"

_WORDS = 3
NO_POINT = 8 * _WORDS
"""What stands for the number of decimals of a number without a point."""
_POWERS: Floats = np.array([10.0**k for k in range(23)] + [np.nan, 1.0])
"""10^k for k decimals; never used for 23, which is not exact; 1 for a number without a point."""

_MINUS, _PLUS, _POINT, _ZERO = b"-+.0"
_ZEROS = np.uint64(0x3030303030303030)
_POINTS = np.uint64(0x1E1E1E1E1E1E1E1E)  # what a point becomes once the zeros are taken off
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_ABOVE_NINE = np.uint64(0x7676767676767676)
_BYTE, _SEVEN_BYTES = np.uint64(8), np.uint64(56)
_EIGHT_DIGITS, _SIXTEEN_DIGITS = np.uint64(10**8), np.uint64(10**16)


def _last_bytes(n: int) -> int:
    return ((1 << 8 * n) - 1) << (8 * (8 - n))


_LAST_BYTES: Words = np.array([_last_bytes(n) for n in range(9)], dtype=np.uint64)
"""Masks that keep the last n bytes of a word."""


def _point_tables() -> tuple[Words, Words, Words]:
    """For word j (0 holds the last eight characters) and k decimals: what stays, what moves on, and what comes in."""
    stays = np.zeros((_WORDS, NO_POINT + 1), dtype=np.uint64)
    moves = np.zeros_like(stays)
    comes = np.zeros_like(stays)
    for j in range(_WORDS):
        for k in range(NO_POINT + 1):
            if k == NO_POINT or j < k // 8:
                stays[j, k] = _last_bytes(8)
            elif j == k // 8:
                stays[j, k] = _last_bytes(k % 8)
                moves[j, k] = (1 << 8 * (7 - k % 8)) - 1
                comes[j, k] = 0xFF
            else:
                moves[j, k] = (1 << 56) - 1
                comes[j, k] = 0xFF
    return stays, moves, comes


_STAYS, _MOVES, _COMES = _point_tables()


@dataclass(frozen=True, eq=False)
class Decimals:
    """A column of numbers.

    Attributes
    ----------
    text, start, stop
        Where they stand.
    value : float64 (rows,)
        Their values; NaN for what is not a number.
    mantissa : uint64 (rows,)
        Their digits as one whole number, 0 where `float` read them.
    decimals : int (rows,), or int
        How many digits follow the point; `NO_POINT` without one.
    uncertain : bool (rows,) or None
        Rows whose value is only within `TOLERANCE`; None when there are none.
    bad : int (b,)
        Rows that are no number.
    """

    text: Bytes
    start: Ints
    stop: Ints
    value: Floats
    mantissa: Words
    decimals: Ints | int
    uncertain: Bools | None
    bad: Ints

    def settle(self, rows: Ints) -> None:
        """Give the named rows their correctly rounded value."""
        if self.uncertain is None:
            return
        spans = zip(rows.tolist(), self.start[rows].tolist(), self.stop[rows].tolist(), strict=True)
        for row, start, stop in spans:
            self.value[row] = float(at(self.text, start, stop - start))

    def where(self, keep: Bools) -> Decimals:
        """The kept rows alone."""
        return Decimals(
            self.text,
            self.start[keep],
            self.stop[keep],
            self.value[keep],
            self.mantissa[keep],
            self.decimals if isinstance(self.decimals, int) else self.decimals[keep],
            None if self.uncertain is None else self.uncertain[keep],
            np.empty(0, np.int64),
        )

    def negated(self) -> Decimals:
        """The numbers with their sign changed, correctly rounded."""
        if self.uncertain is not None:
            self.settle(np.flatnonzero(self.uncertain))
        return exact(-self.value, self.bad)

    def written_alike(self, a: Ints, b: Ints) -> Bools:
        """Whether rows `a` and `b` have the same digits and point, so that closeness of their values is equality."""
        alike: Bools = self.mantissa[a] == self.mantissa[b]
        if not isinstance(self.decimals, int):
            alike &= self.decimals[a] == self.decimals[b]
        return alike


def exact(value: Floats, bad: Ints) -> Decimals:
    """Numbers that were not read from text, and the rows among them that are none."""
    nowhere = np.zeros(len(value), np.int64)
    text = np.empty(0, np.uint8)
    return Decimals(text, nowhere, nowhere, value, np.zeros(len(value), np.uint64), 0, None, bad)


def decimals(text: Bytes, start: Ints, stop: Ints) -> Decimals:
    """Read the numbers at ``text[start:stop]``, each at least one byte long."""
    rows = len(start)
    if rows == 0:
        return Decimals(text, start, stop, np.empty(0), np.empty(0, np.uint64), 0, None, np.empty(0, np.int64))
    first = text[start]
    any_signed = bool((first < _POINT).any())
    digits_from = start
    if any_signed:
        negative = first == _MINUS
        digits_from = start + (negative | (first == _PLUS))
    length = stop - digits_from
    shortest, longest = int(length.min()), int(length.max())

    shared = _shared_decimal_places(text, digits_from, stop, length, shortest)
    # Nine characters with a point are eight digits, as in most runs: those of a word, and the first.
    nine = longest == 9 and shared is not None and shared < 8
    count = 1 if nine else min((longest + 7) // 8, _WORDS)
    loads = words_at_any_offset(text)
    columns: list[Words] = []
    for j in range(count):
        column = loads[stop - 8 * (j + 1)]
        column ^= _ZEROS
        if shortest < 8 * (j + 1):
            column &= _LAST_BYTES.take(np.clip(length - 8 * j, 0, 8))
        columns.append(column)
    places = _decimal_places(rows, columns) if shared is None else shared
    odd = length > NO_POINT if longest > NO_POINT else np.zeros(rows, dtype=bool)
    if shortest < 2:  # at least one digit
        odd |= length < 1 + (np.asarray(places) != NO_POINT)
    if longest >= NO_POINT:
        odd |= np.asarray(places) == 23
    mantissa = np.zeros(rows, dtype=np.uint64)
    for j, column in enumerate(columns):
        if isinstance(places, int) and j < places // 8:
            digits = column  # all of it stands behind the point
        else:
            digits = column & _MOVES[j].take(places)
            digits <<= _BYTE
            digits |= column & _STAYS[j].take(places)
            if j + 1 < count:
                digits |= (columns[j + 1] >> _SEVEN_BYTES) & _COMES[j].take(places)
            elif nine:
                leading = text[digits_from] if any_signed else first
                digits |= ((leading ^ _ZERO) * (length == 9)).astype(np.uint64)
        marks = digits + _ABOVE_NINE
        marks |= digits
        marks &= _TOPS
        odd |= marks != 0
        number = _eight_digits(digits)
        if j == 0:
            mantissa = number
        elif j == 1:
            mantissa += number * _EIGHT_DIGITS
        else:
            odd |= number >= 1000  # more than 19 digits do not fit
            mantissa += number * _SIXTEEN_DIGITS

    value = mantissa.astype(np.float64)
    value /= _POWERS[places]
    if any_signed:
        np.negative(value, out=value, where=negative)
    beyond: Bools = mantissa > 2**53
    uncertain = beyond if beyond.any() else None
    bad = _read_one_by_one(text, start, stop, np.flatnonzero(odd), value, mantissa, uncertain)
    return Decimals(text, start, stop, value, mantissa, places, uncertain, bad)


def _shared_decimal_places(text: Bytes, start: Ints, stop: Ints, length: Ints, shortest: int) -> int | None:
    """How many digits follow the point where all rows agree, which is the usual case and the cheap one."""
    head = at(text, start[0], length[0])
    guess = len(head) - 1 - head.find(b".") if b"." in head else NO_POINT
    return guess if guess < min(shortest, NO_POINT) and (text[stop - (1 + guess)] == _POINT).all() else None


def _decimal_places(rows: int, columns: list[Words]) -> Ints:
    """How many digits follow the point of each row."""
    places = np.full(rows, NO_POINT, dtype=np.int64)
    for j in reversed(range(len(columns))):
        word = columns[j] ^ _POINTS
        found = (word - _ONES) & ~word & _TOPS
        has = found != 0
        # The lowest marked bit belongs to the first point; all bits up to it, counted, tell its byte.
        through = np.bitwise_count(found ^ (found - np.uint64(1))).astype(np.int64) >> 3
        places = np.where(has, 8 * j + 8 - through, places)
    return places


def _eight_digits(digits: Words) -> Words:
    """The number that eight digits, one in each byte and the first one lowest, stand for. Changes its argument."""
    shifted = digits >> np.uint64(8)
    digits *= np.uint64(10)
    digits += shifted
    digits &= np.uint64(0x00FF00FF00FF00FF)
    np.right_shift(digits, np.uint64(16), out=shifted)
    digits *= np.uint64(100)
    digits += shifted
    digits &= np.uint64(0x0000FFFF0000FFFF)
    np.right_shift(digits, np.uint64(32), out=shifted)
    digits *= np.uint64(10000)
    digits += shifted
    digits &= np.uint64(0x00000000FFFFFFFF)
    return digits


_STRETCH = 1 << 14
"""Rows that are read one by one are looked at so many at a time."""


def _read_one_by_one(
    text: Bytes, start: Ints, stop: Ints, odd: Ints, value: Floats, mantissa: Words, uncertain: Bools | None
) -> Ints:
    """Values of the rows that have an unusual form, by `float`; the rows among them that are no number."""
    mantissa[odd] = 0
    if uncertain is not None:
        uncertain[odd] = False
    number = np.ones(len(odd), dtype=bool)
    for first in range(0, len(odd), _STRETCH):  # a file of nothing but faulty numbers must not become as many objects
        rows = odd[first : first + _STRETCH]
        bounds = zip(rows.tolist(), start[rows].tolist(), stop[rows].tolist(), strict=True)
        for place, (row, begin, end) in enumerate(bounds, first):
            written = at(text, begin, end - begin)
            number[place] = re.fullmatch(_NUMBER, written, re.IGNORECASE) is not None
            value[row] = float(written) if number[place] else np.nan
    return odd[~number]


def is_integer(written: bytes) -> bool:
    """Whether `written` is a whole number in decimal digits."""
    return re.fullmatch(rb"[+-]?[0-9]+", written) is not None
