"""What may follow the name of a measure: the kinds of parameter and option, how each is read from text, and how it is
printed in a label.

A *parameter* is what trec_eval reads after the dot, at most one kind for a measure. An *option* has a name, a default,
and is written ``name=value``; it reaches the function of the measure as a keyword argument.

Text is read strictly. trec_eval reads ``5x`` as 5, ``1e2`` as 1 and ``abc`` as 0; here these are usage
errors. One exception keeps old command lines alive: a whole number with a fraction (``ndcg_cut.23.4``) is
cut to the whole number, with a warning.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from irev.base.errors import UsageError, decimal
from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.base.settings import require_gain
from irev.base.text import REAL

Warn = Callable[[str], None]

_LARGEST = 2**31 - 1


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"[ \t]*[+-]?[0-9]{1,18}", text, re.ASCII) is not None


def _is_real(text: str) -> bool:
    return re.fullmatch(r"[ \t]*" + REAL, text, re.ASCII) is not None


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

    def call(self, value: Value) -> tuple[list[str], str]:
        """A value as a call has it: what stands between the brackets, and what follows the ``@``."""
        return [], ""

    def named(self, key: str, text: str) -> list[str] | None:
        """What ``key=text`` between the brackets of a call would be after the dot; None when it is no such thing."""
        return None


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
        whole = _is_whole(part)
        if not whole and (not _is_real(part) or "e" in part.lower() or part.lstrip().startswith(".")):
            raise UsageError(f"'{part}' is not a cutoff for measure '{name}'", remedy=f"expected {self.form}")
        cutoff = int(part) if whole else int(_finite(name, part))
        if not 1 <= cutoff <= _LARGEST:
            raise UsageError(f"cutoff {part} of measure '{name}' is out of range", remedy=f"expected 1 to {_LARGEST}")
        if not whole:
            warn(f"cutoff '{part}' of measure '{name}' is read as {cutoff}: cutoffs are whole numbers")
        return cutoff

    def call(self, value: Value) -> tuple[list[str], str]:
        return [], str(value.value)


class Levels(Parameter):
    """Real numbers, such as recall levels: ``iprec_at_recall.0.1,0.5``. A line for each."""

    form = "numbers such as 0.1,0.5"
    merges = True

    def read(self, defaults: tuple[Any, ...]) -> list[Value]:
        # trec_eval prints two decimals into a field of eight characters; two levels may share a label.
        return [Value(float(x), f"_{f'{float(x):3.2f}'[:8]}") for x in defaults]

    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        return self.read(tuple(sorted(distinct(name, reals(name, text, self.form)))))

    def call(self, value: Value) -> tuple[list[str], str]:
        return [], decimal(value.value)


class Numbers(Parameter):
    """A list of real numbers that belong together: ``utility.1,-1,0,0``. One line for the whole list.

    Parameters
    ----------
    *defaults : float
        The list that a bare name stands for; its label is empty.
    key : str
        What the list is called in a call: ``Utility(weights=[1,-1,0,0])``.
    length : int or None
        How many numbers there have to be; None for one or more.
    """

    form = "numbers such as 0.5,1"
    merges = False

    def __init__(self, *defaults: float, key: str, length: int | None = None) -> None:
        self.key = key
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

    def call(self, value: Value) -> tuple[list[str], str]:
        numbers = ",".join(map(decimal, value.value))
        return ([f"{self.key}=[{numbers}]" if "," in numbers else f"{self.key}={numbers}"] if value.label else []), ""

    def named(self, key: str, text: str) -> list[str] | None:
        return _inside(text, "[]").split(",") if key == self.key else None


class Pairs(Parameter):
    """Pairs of a key and a number that belong together: ``ndcg.1=3,2=9``. One line for the whole list.

    Parameters
    ----------
    **names : float
        Words allowed as keys beside grades, such as ``p``, and their defaults, which a call states.
    """

    form = "pairs of grade and gain such as 1=3,2=9"
    merges = False

    def __init__(self, **names: float) -> None:
        self.names = names
        for name, default in names.items():
            self.form = f"pairs such as {name}={decimal(default)} or 1=3,2=9"
        super().__init__()

    def read(self, defaults: tuple[Any, ...]) -> list[Value]:
        return [Value((), "")]

    def parse(self, name: str, text: str, warn: Warn) -> list[Value]:
        pairs: list[tuple[int | str, float]] = []
        for part in text.split(","):
            key, equals, gain = part.partition("=")
            known = key in self.names or _is_whole(key)
            if not (equals and known and _is_real(gain)):
                raise UsageError(f"'{part}' is not a pair for measure '{name}'", remedy=f"expected {self.form}")
            pairs.append((key if key in self.names else int(key), _finite(name, gain)))
            if key not in self.names:
                require_gain(pairs[-1][1])
        others = (pair for pair in pairs if pair not in self.names.items())
        return [Value(tuple(others), f"_{text}")]

    def call(self, value: Value) -> tuple[list[str], str]:
        stated = self.names | {key: number for key, number in value.value if key in self.names}
        named = [f"{key}={decimal(number)}" for key, number in stated.items()]
        gains = [f"{key}:{decimal(number)}" for key, number in value.value if key not in self.names]
        return [*named, *(["gains={" + ",".join(gains) + "}"] if gains else [])], ""

    def named(self, key: str, text: str) -> list[str] | None:
        if key == "gains":
            return [part.replace(":", "=", 1) for part in _inside(text, "{}").split(",")]
        if _is_real(text) and float(text) == self.names.get(key):
            return []  # as stated in the call of a bare name
        return [f"{key}={text}"] if key in self.names else None


class Option(ABC):
    """An option of a measure, ``name=value``.

    Attributes
    ----------
    default
        What it is unless given; an option that has its default is not shown in a label.
    form : str
        What is expected, for messages.
    stated : bool
        Whether standard names have it at its default too, as papers use many values: ``RBP(p=0.8)``.
    """

    default: Any
    form: str
    stated = False

    @abstractmethod
    def read(self, name: str, text: str) -> Any:
        """The value that `text` stands for. Raises `UsageError`, which calls the option `name`."""

    def write(self, value: Any) -> str:
        """The value as text that `read` reads as the same, for a label."""
        return decimal(value) if isinstance(value, float) else str(value)

    def call(self, value: Any) -> str:
        """The same for a call."""
        return self.write(value)

    def refuse(self, name: str, text: str) -> UsageError:
        """What to raise for a text that cannot be read."""
        return UsageError(f"'{text}' is no value of {name}", remedy=f"expected {self.form}")


class RealParameter(Option):
    """A decimal number, or one of some words.

    Parameters
    ----------
    default : float or str
    low, high : float
        What it has to lie between; the two themselves are allowed unless `open`.
    open : bool
        Whether `low` and `high` are themselves too low and too high.
    words : tuple of str
        Words allowed beside numbers, such as ``auto``.
    stated : bool
    """

    def __init__(
        self,
        default: float | str,
        low: float,
        high: float = math.inf,
        open: bool = False,
        words: tuple[str, ...] = (),
        stated: bool = False,
    ) -> None:
        self.default, self.stated = default, stated
        self.low, self.high, self.open, self.words = low, high, open, words
        least = f"above {decimal(low)}" if open else f"of {decimal(low)} or more"
        between = f"between {decimal(low)} and {decimal(high)}"
        self.form = f"a number {least if math.isinf(high) else between}" + "".join(f", or {word}" for word in words)

    def read(self, name: str, text: str) -> float | str:
        if text in self.words:
            return text
        if not _is_real(text):
            raise self.refuse(name, text)
        number = float(text)
        inside = self.low < number < self.high if self.open else self.low <= number <= self.high
        if not inside or math.isinf(number):
            raise self.refuse(name, text)
        return number


class WholeParameter(Option):
    """A whole number, or one of some words.

    Parameters
    ----------
    default : int or str
    low, high : int
        The least and the greatest that is allowed.
    words : tuple of str
        Words allowed beside numbers, such as ``longest``.
    """

    def __init__(self, default: int | str, low: int, high: int, words: tuple[str, ...] = ()) -> None:
        self.default = default
        self.low, self.high, self.words = low, high, words
        self.form = f"a whole number from {low} to {high}" + "".join(f", or {word}" for word in words)

    def read(self, name: str, text: str) -> int | str:
        if text in self.words:
            return text
        if not _is_whole(text) or not self.low <= int(text) <= self.high:
            raise self.refuse(name, text)
        return int(text)


class WordParameter(Option):
    """One of several words, of which the first is the default.

    Parameters
    ----------
    *words : str
    also : dict
        Other words for them, which peers use.
    """

    def __init__(self, *words: str, also: dict[str, str] | None = None) -> None:
        self.default = words[0]
        self.words = words
        self.also = also or {}
        self.form = " or ".join((", ".join(words[:-1]), words[-1]))

    def read(self, name: str, text: str) -> str:
        word = self.also.get(text, text)
        if word not in self.words:
            near = did_you_mean(text, self.words)
            raise UsageError(f"'{text}' is no value of {name}", remedy=near or f"expected {self.form}")
        return word


class FlagParameter(Option):
    """``true`` or ``false``, the default."""

    default = False
    form = "true or false"

    def read(self, name: str, text: str) -> bool:
        if text.lower() not in ("true", "false"):
            raise self.refuse(name, text)
        return text.lower() == "true"

    def write(self, value: Any) -> str:
        return str(value).lower()


class Mapping(Option):
    """Grades and gains: ``{1:3,2:9}`` in a call, ``1:3;2:9`` in a label."""

    default: Any = ()
    form = "grades and gains such as {1:3,2:9}"

    def read(self, name: str, text: str) -> tuple[tuple[float, float], ...]:
        pairs: dict[float, float] = {}
        for part in re.split("[,;]", _inside(text, "{}")):
            grade, colon, gain = (word.strip() for word in part.partition(":"))
            if not (colon and _is_real(grade) and _is_real(gain)) or float(grade) in pairs:
                raise self.refuse(name, text)
            pairs[float(grade)] = float(gain)
        if not all(math.isfinite(number) for pair in pairs.items() for number in pair):
            raise self.refuse(name, text)
        for gain in pairs.values():
            require_gain(gain)
        return tuple(sorted(pairs.items()))

    def write(self, value: Any) -> str:
        return ";".join(f"{decimal(grade)}:{decimal(gain)}" for grade, gain in value)

    def call(self, value: Any) -> str:
        return "{" + self.write(value).replace(";", ",") + "}"


def _inside(text: str, brackets: str) -> str:
    """`text` without the brackets around it, where it has them."""
    enclosed = len(text) > 1 and text[0] == brackets[0] and text[-1] == brackets[1]
    return text[1:-1] if enclosed else text


def reals(name: str, text: str, form: str) -> list[float]:
    """The numbers of a comma-separated list. Raises `UsageError` for anything else."""
    parts = text.split(",")
    for part in parts:
        if not _is_real(part):
            raise UsageError(f"'{part}' is not a number for measure '{name}'", remedy=f"expected {form}")
    return [_finite(name, part) for part in parts]


def _finite(name: str, text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise UsageError(f"'{text}' is too large a number for measure '{name}'")
    return number


def distinct(name: str, values: list[Any]) -> list[Any]:
    """`values`, or `UsageError` when one occurs twice."""
    for value in values:
        if values.count(value) > 1:
            raise UsageError(f"{value} occurs twice in the parameters of measure '{name}'")
    return values


NONE = Nothing()
