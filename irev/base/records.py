"""The records of irev: `dataclass`, whose classes are created in a small part of the usual time.

`dataclasses.dataclass` writes the methods of a class as text and compiles it, which takes 0.4 ms for a frozen class. A
small evaluation creates some hundred classes, and takes 1.15 times as long with it. Here the methods are closures.

`dataclasses` finds the fields of a class when somebody asks for them, so `fields`, `replace` and `astuple` work. Every
field is an argument. A dataclass made here cannot inherit from a frozen one of `dataclasses`, nor the reverse.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from dataclasses import MISSING, Field, FrozenInstanceError, field
from inspect import Parameter, Signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def _dataclass(cls: Any = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True) -> Any:
    """`dataclasses.dataclass`, with some of its choices."""

    def completed(cls: Any) -> Any:
        own = _fields_of(cls)
        cls.__dataclass_fields__ = _FoundFields(cls, own)
        cls.__signature__ = _Signature(own)
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

    return completed if cls is None else completed(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # as type checkers know it
else:
    dataclass = _dataclass


if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):
        """As in Python 3.12, without a lock: a fork copies one that another thread holds, and nobody releases it."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            if self.attrname not in instance.__dict__:
                instance.__dict__[self.attrname] = self.func(instance)
            return instance.__dict__[self.attrname]


class Memoized:
    """A record that keeps the results of functions of it, for as long as it exists."""

    def once(self, make: Callable[..., T], *arguments: Any) -> T:
        """``make(self, *arguments)``, computed the first time and kept: results that need the same step share it."""
        key = (make, arguments)
        if key not in self._results:
            self._results[key] = make(self, *arguments)
        result: T = self._results[key]
        return result

    @cached_property
    def _results(self) -> dict[Any, Any]:
        return {}


def _fields_of(cls: Any) -> dict[str, tuple[Any, Any]]:
    """The annotation and the `dataclasses.Field` of each field, inherited ones first.

    Raises `TypeError` for a field with options that only `dataclasses.dataclass` has.
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
    """The attribute that `dataclasses.fields` reads. `dataclasses` computes it on first use; few classes need it."""

    def __init__(self, cls: Any, made: dict[str, tuple[Any, Any]]) -> None:
        self.cls, self.made = cls, made

    def __get__(self, instance: object, cls: Any) -> Any:
        return self._found

    @cached_property
    def _found(self) -> Any:
        # As text, each annotation would be looked at three times: it is put in afterwards.
        own = [(name, object, made) for name, (_, made) in self.made.items()]
        name, namespace = self.cls.__name__, {"__doc__": "A class with the same fields."}
        twin: Any = dataclasses.make_dataclass(name, own, namespace=namespace, init=False, repr=False, eq=False)
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
    # With a single name, attrgetter returns no tuple.
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
    """The signature of a dataclass for `inspect.signature`, computed on first use."""

    def __init__(self, own: dict[str, tuple[Any, Any]]) -> None:
        self._own = own

    def __get__(self, instance: object, cls: Any) -> Any:
        def of(name: str, kind: Any, made: Any) -> Parameter:
            missing = made.default is MISSING and made.default_factory is MISSING
            default = Parameter.empty if missing else made.default if made.default is not MISSING else ...
            return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)

        return Signature([of(name, *described) for name, described in self._own.items()])
