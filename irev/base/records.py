"""The records of irev: dataclasses and named tuples that are made in a small part of the time.

`dataclasses.dataclass` writes the methods of a class as text and has that compiled, 0.4 ms for a frozen class, as
`typing.NamedTuple` does, 0.05 ms, and a small evaluation makes some hundred of them: with those it takes 1.2 times as
long. Here methods are closures, and dataclasses finds the fields when somebody asks for them, so that `fields`,
`replace` and `astuple` work. Every field is an argument. A dataclass of either kind cannot inherit from a frozen one of
the other.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, field
from functools import cached_property
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import ClassVar

T = TypeVar("T")


def _made(cls: Any = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True) -> Any:
    """`dataclasses.dataclass`, with some of its choices."""

    def made(cls: Any) -> Any:
        own = _fields_of(cls)
        cls.__dataclass_fields__ = _FoundFields(cls, own)
        cls.__signature__ = _Signature(lambda: {name: (kind, _default(made)) for name, (kind, made) in own.items()})
        methods = {"__init__": _init(cls, own), "__match_args__": tuple(own), "__replace__": dataclasses.replace}
        if repr:
            methods["__repr__"] = _repr([name for name, (_, made) in own.items() if made.repr])
        if eq:
            compared = [name for name, (_, made) in own.items() if made.compare]
            methods["__eq__"], methods["__hash__"] = _comparison(compared, frozen)
        if frozen:
            methods["__setattr__"], methods["__delattr__"] = _refusals(cls, frozenset(own))
        for name, method in methods.items():
            if name not in vars(cls):
                setattr(cls, name, method)
        return cls

    return made if cls is None else made(cls)


class _OfNamedTuples(type):
    """Makes the class of a named tuple."""

    def __new__(cls, name: str, bases: tuple[Any, ...], namespace: dict[str, Any]) -> Any:
        if not bases or bases[0].__base__ is not tuple:
            return super().__new__(cls, name, bases, namespace)
        made: Any = super().__new__(cls, name, bases, {"__slots__": (), **namespace})
        kinds = made.__annotations__
        defaults = {each: namespace[each] for each in kinds if each in namespace}
        members: dict[str, Any] = {each: property(itemgetter(place)) for place, each in enumerate(kinds)}
        members |= {"_fields": tuple(kinds), "__match_args__": tuple(kinds), "_field_defaults": defaults}
        members["__signature__"] = _Signature(
            lambda: {each: (kinds[each], defaults.get(each, MISSING)) for each in kinds}
        )
        for each, member in members.items():
            setattr(made, each, member)
        return made


class _NamedTuple(tuple[Any, ...], metaclass=_OfNamedTuples):
    """What `typing.NamedTuple` is."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]
    _field_defaults: ClassVar[dict[str, Any]]

    def __new__(cls, /, *values: Any, **named: Any) -> Any:
        if named or len(values) != len(cls._fields):
            values = cls._completed(values, named)
        return tuple.__new__(cls, values)

    @classmethod
    def _completed(cls, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        rest = cls._fields[len(values) :]
        found = cls._field_defaults | named
        if len(values) <= len(cls._fields) and named.keys() <= {*rest} <= found.keys():
            return (*values, *[found[name] for name in rest])
        given = ", ".join([str(len(values)), *named])
        raise TypeError(f"{cls.__name__}() takes the arguments {', '.join(cls._fields)}, but was given {given}")

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        return cls(*values)

    def _replace(self, **named: Any) -> Any:
        return type(self)(**self._asdict() | named)

    __replace__ = _replace

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"


if TYPE_CHECKING:  # as type checkers know them
    from dataclasses import dataclass as dataclass
    from typing import NamedTuple as NamedTuple
else:
    dataclass, NamedTuple = _made, _NamedTuple


class Memoized:
    """A record that keeps what is made of it, for as long as it is there."""

    def once(self, make: Callable[..., T], *arguments: Any) -> T:
        """``make(self, *arguments)``, the first time; so whatever is built from one intermediate result shares it."""
        key = (make, arguments)
        if key not in self._made:
            self._made[key] = make(self, *arguments)
        result: T = self._made[key]
        return result

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}


def _fields_of(cls: Any) -> dict[str, tuple[Any, Any]]:
    """The annotation of each field, inherited ones first, and what `dataclasses.field` made of it.

    Refuses what this does not do as dataclasses does.
    """
    found: dict[str, tuple[Any, Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        found |= getattr(vars(base).get("__dataclass_fields__"), "made", {})
    for name, annotation in cls.__annotations__.items():
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        made = vars(cls).get(name, MISSING)
        if not isinstance(made, Field):
            made = field(default=made)
        elif made.default is not MISSING:
            setattr(cls, name, made.default)
        else:
            delattr(cls, name)
        found[name] = annotation, made
    optional = False
    for name, (_, made) in found.items():
        lacking = made.default is MISSING and made.default_factory is MISSING
        if not made.init or made.kw_only is True or made.hash is not None or (optional and lacking):
            raise TypeError(f"the field {name!r} of {cls.__name__} needs the dataclass of dataclasses")
        optional = optional or not lacking
    return found


class _FoundFields:
    """What `dataclasses.fields` looks at, which dataclasses makes when it is asked for: mostly it is not."""

    def __init__(self, cls: Any, made: dict[str, tuple[Any, Any]]) -> None:
        self.cls, self.made = cls, made

    def __get__(self, instance: object, cls: Any) -> Any:
        return self._found

    @cached_property
    def _found(self) -> Any:
        # It would look at each annotation three times, if it were text.
        own = [(name, object, made) for name, (_, made) in self.made.items()]
        name, said = self.cls.__name__, {"__doc__": "What has the same fields."}
        twin: Any = dataclasses.make_dataclass(name, own, namespace=said, init=False, repr=False, eq=False)
        for name, (kind, _) in self.made.items():
            twin.__dataclass_fields__[name].type = kind
        self.cls.__dataclass_params__ = twin.__dataclass_params__
        return twin.__dataclass_fields__


def _init(cls: Any, own: dict[str, tuple[Any, Any]]) -> Any:
    names = [*own]
    default = {name: made.default for name, (_, made) in own.items() if made.default is not MISSING}
    factory = {name: made.default_factory for name, (_, made) in own.items() if made.default_factory is not MISSING}
    known, finish = frozenset(names), getattr(cls, "__post_init__", None)

    def __init__(self: Any, /, *values: Any, **named: Any) -> None:
        mine = self.__dict__  # past what refuses to set attributes
        mine.update(zip(names, values, strict=False))
        if len(values) + len(named) == len(names) and known.issuperset(named):
            mine.update(named)
            if len(mine) == len(names):  # nothing was given twice
                if finish is not None:
                    finish(self)
                return
        for name in names[len(values) :]:
            if name in named:
                mine[name] = named.pop(name)
            elif name in default:
                mine[name] = default[name]
            elif name in factory:
                mine[name] = factory[name]()
            else:
                raise TypeError(f"{cls.__name__}() lacks the argument {name!r}")
        if named or len(values) > len(names):
            more = next(iter(named), f"number {len(names) + 1}")
            raise TypeError(f"{cls.__name__}() takes no argument {more!r}, or not twice")
        if finish is not None:
            finish(self)

    return __init__


def _repr(names: list[str]) -> Any:
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _comparison(names: list[str], frozen: bool) -> tuple[Any, Any]:
    # Of one name alone it would get no tuple.
    values: Any = attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)

    def __eq__(self: Any, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __eq__, __hash__ if frozen else None


def _refusals(cls: Any, names: frozenset[str]) -> tuple[Any, Any]:
    def __setattr__(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__


class _Signature:
    """What `inspect.signature` finds, made when it is asked for, of the annotation and the default of each field."""

    def __init__(self, fields: Callable[[], dict[str, tuple[Any, Any]]]) -> None:
        self._fields = fields

    def __get__(self, instance: object, cls: Any) -> Any:
        from inspect import Parameter, Signature

        def of(name: str, kind: Any, default: Any) -> Parameter:
            default = Parameter.empty if default is MISSING else default
            return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)

        return Signature([of(name, *described) for name, described in self._fields().items()])


def _default(made: Any) -> Any:
    return made.default if made.default_factory is MISSING else ...
