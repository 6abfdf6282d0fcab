"""Scores as they are read a column at a time, against `float`, which reads them one by one and rightly."""

import random
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irev.reading.ids import PAD
from irev.reading.numbers import NO_POINT, TOLERANCE, Decimals, decimals

NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE)
"""What is a number; of nan and of what only C or only Python reads, none is."""


def column(texts: list[bytes], between: bytes = b" ") -> Decimals:
    """The texts, read as one column with other bytes around them."""
    joined = between.join(texts) + between
    text = np.frombuffer(b"\0" * PAD + joined + b"\0" * PAD, dtype=np.uint8)
    length = np.array([len(t) for t in texts], dtype=np.int64)
    start = PAD + np.cumsum(length + len(between)) - length - len(between)
    return decimals(text, start, start + length)


def check(texts: list[bytes], between: bytes = b" ") -> None:
    """Each number is exact, or marked as uncertain and near; what is none is told."""
    found = column(texts, between)
    uncertain = np.zeros(len(texts), dtype=bool) if found.uncertain is None else found.uncertain

    assert [row for row, text in enumerate(texts) if not NUMBER.fullmatch(text)] == found.bad.tolist()
    for row, text in enumerate(texts):
        value = float(found.value[row])
        if row in found.bad:
            assert np.isnan(value)
        elif uncertain[row]:
            exact = Fraction(text.decode())
            assert abs(Fraction(value) - exact) <= abs(exact) * Fraction(TOLERANCE), text
        else:
            assert (float(text), np.signbit(float(text))) == (value, np.signbit(value)), text


def random_decimal(chance: random.Random) -> bytes:
    """A sign at times, up to 26 digits, a point at times, anywhere."""
    digits = "".join(chance.choices("0123456789" if chance.random() < 0.8 else "09", k=chance.randint(1, 26)))
    point = chance.randint(0, len(digits))
    with_point = digits if chance.random() < 0.2 else f"{digits[:point]}.{digits[point:]}"
    return (chance.choice(("", "", "", "-", "+")) + with_point).encode()


@pytest.mark.parametrize("seed", range(10))
def test_thousands_of_random_decimals_are_read_as_float_reads_them(seed):
    chance = random.Random(seed)
    check([random_decimal(chance) for _ in range(2000)])


@pytest.mark.parametrize("digits", range(1, 27))
def test_columns_written_with_one_width_are_read_as_float_reads_them(digits):
    """Columns in which all rows have their point at the same place take a shorter way."""
    chance = random.Random(digits)
    for decimals_ in range(digits + 1):
        whole = ["".join(chance.choices("0123456789", k=digits)) for _ in range(20)]
        point = digits - decimals_
        check([f"{number[:point]}.{number[point:]}".encode() for number in whole])
    check([number.encode() for number in whole])


@settings(max_examples=300)
@given(st.lists(st.floats().map(lambda x: b"%r" % x), min_size=1, max_size=8))
def test_floats_as_python_prints_them_are_read_back(texts):
    check(texts)


@settings(max_examples=300)
@given(
    st.lists(st.text("0123456789+-.eEinfatyx_ ,:/", min_size=1, max_size=12).map(str.encode), min_size=1, max_size=8)
)
def test_what_is_no_number_is_told_from_what_is_one(texts):
    check(texts)


@pytest.mark.parametrize("alone", [b"-", b"+", b".", b"-.", b"x"])
def test_a_column_of_what_is_no_number_alone(alone):
    check([alone])
    check([alone] * 3)


@pytest.mark.thorough
@settings(max_examples=200)
@given(
    st.integers(0, 8).flatmap(
        lambda k: st.lists(
            st.from_regex(f"[+-]?[0-9x]{{{max(0, 7 - k)},{8 - k}}}[.][0-9]{{{k}}}", fullmatch=True).map(str.encode),
            min_size=1,
            max_size=8,
        )
    )
)
def test_columns_of_eight_and_nine_characters_with_the_point_in_one_place(texts):
    """As most runs have them, and read in a way of their own."""
    check(texts)


@settings(max_examples=100)
@given(st.lists(st.binary(min_size=1, max_size=9), min_size=1, max_size=8))
def test_any_bytes_may_stand_where_a_number_should(texts):
    check(texts)


@pytest.mark.parametrize("around", [b" ", b"9", b".", b"0", b"-", b"\xff", b"\0"])
def test_the_bytes_around_a_number_do_not_matter(around):
    check([b"1", b"12.5", b".5", b"5.", b"-1", b"123456789.123456789", b"x", b"1" * 24, b"1" * 25], around)


def test_numbers_that_only_c_or_only_python_would_read_are_none():
    texts = [
        b"0x1p3",
        b"1_000",
        b"nan",
        b"-nan(1)",
        "٣".encode(),
        b"1,5",
        b"1d5",
        b"infin",
        b"+",
        b"-",
        b".",
        b"-.",
        b"+.e1",
    ]

    assert list(range(len(texts))) == column(texts).bad.tolist()


@pytest.mark.parametrize(
    ("texts", "uncertain"),
    [
        ([b"0.1234567", b"12.5"], False),
        ([b"9007199254740992"], False),
        ([b"9007199254740993"], True),
        ([b"0.12345678901234567"], True),
        ([b"1234567890123456789"], True),
        ([b"12345678901234567890"], False),  # too long for a word, so that float read it
        ([b"1e-7"], False),
    ],
)
def test_only_mantissas_beyond_2_to_the_53_are_uncertain(texts, uncertain):
    found = column(texts).uncertain

    assert uncertain == (found is not None and bool(found.any()))


def test_settled_rows_are_correctly_rounded_and_others_are_left_alone():
    texts = [f"0.{n}".encode() for n in range(12345678901234567, 12345678901234667)]
    found = column(texts)
    before = found.value.copy()
    found.settle(np.arange(50))

    assert [float(text) for text in texts[:50]] == found.value[:50].tolist()
    assert before[50:].tolist() == found.value[50:].tolist()


def test_rows_with_the_same_digits_and_point_are_written_alike():
    found = column([b"1.25", b"1.25", b"12.5", b"125", b"01.25", b"1.250"])
    others = np.arange(6)

    assert [True, True, False, False, True, False] == found.written_alike(np.zeros(6, dtype=np.int64), others).tolist()


def test_the_number_of_decimals_is_told_for_each_row():
    found = column([b"1", b"1.", b"1.5", b".25"])

    assert [NO_POINT, 0, 1, 2] == np.broadcast_to(found.decimals, 4).tolist()


def test_a_column_without_rows_has_no_values():
    nothing = np.empty(0, dtype=np.int64)
    found = decimals(np.zeros(2 * PAD, dtype=np.uint8), nothing, nothing)

    assert ([], []) == (found.value.tolist(), found.bad.tolist())
    assert found.uncertain is None


def test_many_unusual_numbers_are_read_some_at_a_time():
    """More than are looked at together, so that places of one stretch are not taken for those of another."""
    check([(b"x%d" if n % 3 else b"1e-%d") % (n % 300) for n in range(40_000)])
