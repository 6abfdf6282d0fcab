"""The records of irev: dataclasses that are made in a tenth of the time.

`dataclasses.dataclass` writes the methods of a class as text and has that compiled, 0.4 ms for a frozen class, and a
small evaluation makes some hundred of them: with those it takes 1.15 times as long. This one has it find the fields, so
that `fields`, `replace` and `astuple` work, and its methods are closures. Every field is an argument. A class of either
kind cannot inherit from a frozen one of the other.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, FrozenInstanceError, fields
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def _made(cls: Any = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True) -> Any:
    """`dataclasses.dataclass`, with some of its choices."""

    def made(cls: Any) -> Any:
        cls.__signature__ = _Signature()
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
        _require_usual(cls)
        methods = {"__init__": _init(cls)}
        if repr:
            methods["__repr__"] = _repr(cls)
        if eq:
            methods["__eq__"], methods["__hash__"] = _comparison(cls, frozen)
        if frozen:
            methods["__setattr__"], methods["__delattr__"] = _refusals(cls)
        for name, method in methods.items():
            if name not in vars(cls):
                setattr(cls, name, method)
        return cls

    return made if cls is None else made(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # as type checkers know it
else:
    dataclass = _made


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


def _require_usual(cls: Any) -> None:
    """Refuse what this does not do as dataclasses does."""
    optional = False
    for each in fields(cls):
        lacking = each.default is MISSING and each.default_factory is MISSING
        if not each.init or each.kw_only or each.hash is not None or (optional and lacking):
            raise TypeError(f"the field {each.name!r} of {cls.__name__} needs the dataclass of dataclasses")
        optional = optional or not lacking


def _init(cls: Any) -> Any:
    names = [each.name for each in fields(cls)]
    default = {each.name: each.default for each in fields(cls) if each.default is not MISSING}
    factory = {each.name: each.default_factory for each in fields(cls) if each.default_factory is not MISSING}
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


def _repr(cls: Any) -> Any:
    names = [each.name for each in fields(cls) if each.repr]

    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _comparison(cls: Any, frozen: bool) -> tuple[Any, Any]:
    names = [each.name for each in fields(cls) if each.compare]
    # Of one name alone it would get no tuple.
    values: Any = attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)

    def __eq__(self: Any, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __eq__, __hash__ if frozen else None


def _refusals(cls: Any) -> tuple[Any, Any]:
    names = {each.name for each in fields(cls)}

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
    """What `inspect.signature` finds, made when it is asked for."""

    def __get__(self, instance: object, cls: Any) -> Any:
        from inspect import Parameter, Signature

        def of(field: Any) -> Parameter:
            missing = field.default is MISSING and field.default_factory is MISSING
            default = Parameter.empty if missing else field.default if field.default is not MISSING else ...
            return Parameter(field.name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=field.type)

        return Signature([of(each) for each in fields(cls)])
