"""Where curves cross: sentences that say so, against a look at every pair of neighbouring points."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from irev.evaluation.curves import MOST_CROSSINGS, Curve, Point, crossings


def curve(name: str, *heights: float) -> Curve:
    return Curve(name, tuple(Point(float(x), y) for x, y in enumerate(heights, start=1)))


def test_it_is_said_between_which_places_curves_cross_and_which_is_higher():
    one, other = curve("a", 3, 3, 1, 1), curve("b", 2, 2, 2, 2)
    assert ("a and b cross between rank 2 and 3: a is higher before, b after.",) == crossings([one, other], "rank")


def test_equal_heights_are_no_crossing_and_are_stepped_over():
    assert () == crossings([curve("a", 2, 1, 2), curve("b", 1, 1, 1)], "rank")
    assert ("a and b cross between k 1 and 3: a is higher before, b after.",) == crossings(
        [curve("a", 2, 1, 1), curve("b", 1, 1, 2)], "k"
    )


def test_what_is_no_number_is_stepped_over():
    nan = float("nan")
    assert () == crossings([curve("a", 2, nan, 2), curve("b", 1, 3, 1)], "rank")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9))
def test_as_many_crossings_are_told_as_there_are(heights):
    signs = [one > other for one, other in heights if one != other]
    turns = sum(before != after for before, after in pairwise(signs))
    found = crossings([curve("a", *(one for one, _ in heights)), curve("b", *(other for _, other in heights))], "x")

    assert bool(found) == bool(turns)
    if turns > MOST_CROSSINGS:
        assert f"a and b cross {turns} times" in found[0]
    elif turns:
        assert turns == found[0].count(" between ")


def test_of_many_runs_those_with_the_first_are_told():
    *found, last = crossings([curve("first", 1, 0), *(curve(f"run{n}", 0, 1) for n in range(9))], "rank")
    assert "Of so many runs, only crossings with first are given." == last
    assert 9 == len(found)
    assert all(said.startswith("first and run") for said in found)
