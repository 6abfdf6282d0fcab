"""Records: what `dataclasses` makes of a class, made sooner."""

import copy
import dataclasses
import inspect
import pickle
import typing
from dataclasses import FrozenInstanceError, astuple, field, fields, replace

import pytest

from irev.base.records import dataclass


@dataclass(frozen=True)
class Point:
    """A class of this module, as pickles want it."""

    x: int
    y: float = 2.5
    names: list[str] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True)
class Place(Point):
    """One that inherits fields, and looks at them."""

    called: str = ""

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("below 0")


def twins(**choices):
    """A class made here and by dataclasses, which must not be told apart."""

    def made(maker):
        class Twin:
            a: int
            b: str = "b"
            c: list = field(default_factory=list)
            d: int = 4

        return maker(**choices)(Twin)

    return made(dataclass), made(dataclasses.dataclass)


ARGUMENTS = [((1,), {}), ((1, "x"), {}), ((), {"a": 1}), ((1,), {"c": [1], "b": "y"}), ((1, "z", [2]), {})]


@pytest.mark.parametrize("choices", [{}, {"frozen": True}, {"eq": False}, {"frozen": True, "eq": False, "repr": False}])
@pytest.mark.parametrize(("values", "named"), ARGUMENTS)
def test_instances_are_those_of_dataclasses(choices, values, named):
    ours, theirs = (kind(*values, **named) for kind in twins(**choices))

    assert vars(theirs) == vars(ours)
    assert astuple(theirs) == astuple(ours)
    if choices.get("repr", True):
        assert repr(theirs).replace("test_records", "") == repr(ours).replace("test_records", "")


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, 3, 4, 5), {}), ((1,), {"a": 2}), ((1,), {"z": 2})])
def test_arguments_that_are_wrong_are_a_type_error(values, named):
    for kind in twins():
        with pytest.raises(TypeError):
            kind(*values, **named)


@pytest.mark.parametrize("choices", [{}, {"frozen": True}, {"eq": False}, {"frozen": True, "eq": False}])
def test_equality_and_hashes_are_as_chosen(choices):
    for kind in twins(**choices):
        alike = kind(1) == kind(1)

        assert choices.get("eq", True) == alike
        assert kind(1) != kind(2)
        assert kind(1) != (1, "b", [], 4)
        assert ("frozen" in choices or "eq" in choices) == (kind.__hash__ is not None)
    assert hash(Point(1)) == hash(Point(1, names=["another"]))
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_frozen_ones_change_by_replacement_alone():
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2
    with pytest.raises(FrozenInstanceError):
        point.z = 2
    with pytest.raises(FrozenInstanceError):
        del point.x

    assert Point(2) == replace(point, x=2)
    assert ["x", "y", "names"] == [each.name for each in fields(point)]


def test_a_class_inherits_fields_and_is_asked_when_it_is_complete():
    assert (1, 2.5, [], "home") == astuple(Place(1, called="home"))
    assert Place(1) != Point(1)
    with pytest.raises(ValueError, match="below 0"):
        replace(Place(1), x=-1)


def test_records_can_be_sent_and_copied():
    for made in (Point(1, names=["a"]), Place(2, called="there")):
        assert astuple(made) == astuple(pickle.loads(pickle.dumps(made)))
        assert astuple(made) == astuple(copy.deepcopy(made))


def test_a_signature_is_there_for_whoever_asks():
    assert "(x: int, y: float = 2.5, names: list[str] = Ellipsis)" == str(inspect.signature(Point)).replace("'", "")


def test_methods_of_the_class_stay():
    @dataclass(frozen=True)
    class Own:
        """With a text of its own."""

        a: int

        def __repr__(self) -> str:
            return "mine"

    assert "mine" == repr(Own(1))


@pytest.mark.parametrize("made", [field(init=False), field(kw_only=True), field(hash=False)])
def test_fields_that_only_dataclasses_knows_are_refused(made):
    class Odd:
        a: int = made

    with pytest.raises(TypeError, match="needs the dataclass of dataclasses"):
        dataclass(Odd)


def test_a_field_without_a_default_stands_before_those_with_one():
    class Odd:
        a: int = 1
        b: int

    with pytest.raises(TypeError):
        dataclass(Odd)


def test_one_field_and_none_are_compared_as_tuples_are():
    @dataclass(frozen=True)
    class One:
        """Of one field."""

        a: float

    @dataclass(frozen=True)
    class Nothing:
        """Of none that is compared."""

        a: float = field(default=0.0, compare=False)

    nan = float("nan")
    assert One(nan) == One(nan)
    assert hash((1.0,)) == hash(One(1.0))
    assert Nothing(1.0) == Nothing(2.0)


def test_what_dataclasses_finds_is_there_when_it_is_asked_for():
    """Whatever is asked for first, and of classes that dataclasses itself made of one."""

    @dataclasses.dataclass
    class Further(Place):
        more: int = 0

    ours, theirs = twins()
    assert dataclasses.is_dataclass(ours)
    for mine, other in zip(fields(ours), fields(theirs), strict=True):
        assert (other.name, other.type, other.default, other.compare) == (
            mine.name,
            mine.type,
            mine.default,
            mine.compare,
        )
    assert ours.__match_args__ == theirs.__match_args__
    assert ["x", "y", "names", "called", "more"] == [each.name for each in fields(Further)]
    assert 2.5 == Point.y
    assert not hasattr(Point, "names")


def test_what_is_of_the_class_alone_is_no_field():
    @dataclass
    class Counted:
        a: int
        every: typing.ClassVar[int] = 3

    assert ["a"] == [each.name for each in fields(Counted)]
    assert 3 == Counted(1).every
