"""What may follow the name of a measure: the kinds of parameter, how each is read from text, and how it is
printed in a label.

Text is read strictly. trec_eval reads ``5x`` as 5, ``1e2`` as 1 and ``abc`` as 0; here these are usage
errors. One exception keeps old command lines alive: a whole number with a fraction (``ndcg_cut.23.4``) is
cut to the whole number, with a warning.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from irev.errors import UsageError

Warn = Callable[[str], None]

_INTEGER = re.compile(r"[ \t]*[+-]?[0-9]{1,18}", re.ASCII)
_REAL = re.compile(r"[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Value:
    """One parameter value: as the function of the measure takes it, and what follows the name in print."""

    value: Any
    label: str


class Parameter(ABC):
    """A kind of parameter, with the values that a bare name stands for."""

    form: str
    """What is expected, for messages: ``cutoffs such as 5,10``."""

    merges: bool
    """Whether the values of several requests form one ascending list, or stay in the order asked for."""

    def __init__(self, *defaults: Any) -> None:
        self.defaults: tuple[Value, ...] = tuple(self.read(defaults))

    @abstractmethod
    def read(self, defaults: tuple[Any, ...]) -> list[Value]:
        """The values that a bare name stands for."""

    @abstractmethod
    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        """The values that `text`, found after the name of measure `name`, asks for. Raises `UsageError`."""


class Nothing(Parameter):
    """No parameter."""

    form = "no parameter"
    merges = False

    def read(self, defaults: tuple[Any, ...]) -> list[Value]:
        return [Value(None, "")]

    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        raise UsageError(f"measure '{name}' takes no parameter, but '{text}' follows it")


class Cutoffs(Parameter):
    """Ranks, 1 or more: ``P.5,10``. A line for each."""

    form = "cutoffs such as 5,10"
    merges = True

    def read(self, defaults: tuple[Any, ...]) -> list[Value]:
        return [Value(int(k), f"_{k}") for k in defaults]

    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        cutoffs = [self._cutoff(name, part, warn) for part in text.split(",")]
        return self.read(tuple(sorted(distinct(name, cutoffs))))

    def _cutoff(self, name: str, part: str, warn: Warn) -> int:
        whole = _INTEGER.fullmatch(part) is not None
        if not whole and (not _REAL.fullmatch(part) or "e" in part.lower() or part.lstrip().startswith(".")):
            raise UsageError(f"'{part}' is no cutoff for measure '{name}'", remedy=f"expected {self.form}")
        cutoff = int(part) if whole else int(_finite(name, part))
        if not 1 <= cutoff <= _LARGEST:
            raise UsageError(f"cutoff {part} of measure '{name}' is out of range", remedy=f"expected 1 to {_LARGEST}")
        if not whole:
            warn(f"cutoff '{part}' of measure '{name}' is read as {cutoff}: cutoffs are whole numbers")
        return cutoff


class Levels(Parameter):
    """Real numbers, such as recall levels: ``iprec_at_recall.0.1,0.5``. A line for each."""

    form = "numbers such as 0.1,0.5"
    merges = True

    def read(self, defaults: tuple[Any, ...]) -> list[Value]:
        # trec_eval prints two decimals into a field of eight characters; two levels may share a label.
        return [Value(float(x), f"_{f'{float(x):3.2f}'[:8]}") for x in defaults]

    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        return self.read(tuple(sorted(distinct(name, reals(name, text, self.form)))))


class Numbers(Parameter):
    """A list of real numbers that belong together: ``utility.1,-1,0,0``. One line for the whole list.

    Parameters
    ----------
    *defaults : float
        The list that a bare name stands for; its label is empty.
    length : int or None
        How many numbers there have to be; None for one or more.
    """

    form = "numbers such as 0.5,1"
    merges = False

    def __init__(self, *defaults: float, length: int | None = None) -> None:
        self.length = length
        if length is not None:
            self.form = f"{length} numbers such as {','.join(f'{x:g}' for x in defaults)}"
        super().__init__(*defaults)

    def read(self, defaults: tuple[Any, ...]) -> list[Value]:
        return [Value(tuple(float(x) for x in defaults), "")]

    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        numbers = tuple(reals(name, text, self.form))
        if self.length is not None and len(numbers) != self.length:
            raise UsageError(
                f"measure '{name}' got {len(numbers)} number{'' if len(numbers) == 1 else 's'}",
                remedy=f"expected {self.form}",
            )
        return [Value(numbers, f"_{text}")]


class Pairs(Parameter):
    """Pairs of a key and a number that belong together: ``ndcg.1=3,2=9``. One line for the whole list.

    Parameters
    ----------
    *names : str
        Words allowed as keys beside grades, such as ``p``.
    """

    form = "pairs of grade and gain such as 1=3,2=9"
    merges = False

    def __init__(self, *names: str) -> None:
        self.names = names
        if names:
            self.form = f"pairs such as {names[0]}=0.9 or 1=3,2=9"
        super().__init__()

    def read(self, defaults: tuple[Any, ...]) -> list[Value]:
        return [Value((), "")]

    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        pairs: list[tuple[int | str, float]] = []
        for part in text.split(","):
            key, equals, gain = part.partition("=")
            known = key in self.names or _INTEGER.fullmatch(key)
            if not (equals and known and _REAL.fullmatch(gain)):
                raise UsageError(f"'{part}' is no pair for measure '{name}'", remedy=f"expected {self.form}")
            pairs.append((key if key in self.names else int(key), _finite(name, gain)))
        return [Value(tuple(pairs), f"_{text}")]


def reals(name: str, text: str, form: str) -> list[float]:
    """The numbers of a comma-separated list. Raises `UsageError` for anything else."""
    parts = text.split(",")
    for part in parts:
        if not _REAL.fullmatch(part):
            raise UsageError(f"'{part}' is no number for measure '{name}'", remedy=f"expected {form}")
    return [_finite(name, part) for part in parts]


def _finite(name: str, text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise UsageError(f"'{text}' is too large a number for measure '{name}'")
    return number


def distinct(name: str, values: list[Any]) -> list[Any]:
    """`values`, or `UsageError` when one stands twice."""
    for value in values:
        if values.count(value) > 1:
            raise UsageError(f"{value} stands twice in the parameters of measure '{name}'")
    return values


NONE = Nothing()
