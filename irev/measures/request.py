"""Names to requests and back: what ``-m`` accepts, and what is printed.

A request names a measure as trec_eval does (``map``, ``P.5,10``, ``ndcg.1=3,2=9``), by a label that was
printed (``P_10``), or by the name of a set (``official``). Several requests for one measure add up: ``-m
P.5 -m P.10`` gives both, and parameters that are given replace the defaults of a bare name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from irev.errors import UsageError
from irev.measures.measure import MEASURES, Measure
from irev.measures.parameters import NONE, Cutoffs, Value, Warn
from irev.measures.sets import SETS, TREC_ORDER
from irev.registry import did_you_mean
from irev.settings import CURRENT, SINGLE_PRECISION


@dataclass(frozen=True, eq=False)
class Request:
    """One line of output: a measure with one value of its parameter.

    Attributes
    ----------
    measure : Measure
    value : Value
        The parameter, `Value(None, "")` for a measure that takes none.
    """

    measure: Measure
    value: Value

    @property
    def label(self) -> str:
        """The printed name, ``P_10``, which `parse` accepts."""
        return self.measure.name + self.value.label


def parse(texts: Iterable[str], compat: str = CURRENT, warn: Warn = lambda message: None) -> tuple[Request, ...]:
    """What the given ``-m`` texts ask for, in order of output.

    Parameters
    ----------
    texts : iterable of str
        The texts; none at all means ``official``.
    compat : str
        Version of trec_eval: 9.0.8 lacks some measures.
    warn : callable
        Called with a sentence when something is read in a way that its author may not expect.

    Raises
    ------
    UsageError
        For an unknown name, or a parameter that the measure does not take, with what was probably meant.
    """
    asked: dict[str, list[Value]] = {}
    for text in texts or ("official",):
        if text in SETS:
            for name in SETS[text]:
                if _exists(MEASURES[name], compat):
                    asked.setdefault(name, [])
            continue
        found, values = _single(text, warn)
        if not _exists(found, compat):
            raise UsageError(f"trec_eval {compat} has no measure '{found.name}'", remedy=f"leave out --compat {compat}")
        asked.setdefault(found.name, []).extend(values)
    return tuple(
        Request(MEASURES[name], value)
        for name in sorted(asked, key=_place)
        for value in _merged(MEASURES[name], asked[name])
    )


def _exists(measure: Measure, compat: str) -> bool:
    return not (compat == SINGLE_PRECISION and measure.new_in_10)


def _place(name: str) -> int:
    return TREC_ORDER.index(name) if name in TREC_ORDER else len(TREC_ORDER)


def _merged(measure: Measure, values: list[Value]) -> list[Value]:
    if not values:
        return list(measure.parameter.defaults)
    if measure.parameter.merges:
        return sorted({value.value: value for value in values}.values(), key=lambda value: value.value)
    return list({value.label: value for value in values}.values())


def _single(text: str, warn: Warn) -> tuple[Measure, list[Value]]:
    if text in MEASURES:
        return MEASURES[text], []
    name, dot, parameters = text.partition(".")
    if dot and name in SETS:
        raise UsageError(
            f"'{name}' is a set of measures and takes no parameter, but '{parameters}' follows it",
            remedy="name the measure, for example -m P.5",
        )
    if not (dot and name in MEASURES):
        name, parameters = _label(text)
    if name not in MEASURES:
        raise UsageError(f"there is no measure '{text}'", remedy=_suggestion(text))
    measure = MEASURES[name]
    if not parameters:
        raise UsageError(f"nothing follows the dot of '{text}'", remedy=f"expected {measure.parameter.form}")
    try:
        return measure, measure.parameter.parse(name, parameters, warn)
    except UsageError as error:
        raise UsageError(error.fact, remedy=_cutoff_instead(name, parameters) or error.remedy) from None


def _label(text: str) -> tuple[str, str]:
    """A printed label in two: the longest name of a measure with parameters that begins it, and the rest."""
    with_parameters = [name for name, measure in MEASURES.items() if measure.parameter is not NONE]
    name = max((name for name in with_parameters if text.startswith(f"{name}_")), key=len, default="")
    return name, text[len(name) + 1 :]


def _cutoff_instead(name: str, parameters: str) -> str:
    """What to write for ``map.10``: the measure that has a cutoff, or the option that cuts the run."""
    if not all(part.strip().isdecimal() for part in parameters.split(",")):
        return ""
    if f"{name}_cut" in MEASURES:
        return f"did you mean '{name}_cut.{parameters}'?"
    if MEASURES[name].parameter is NONE and "," not in parameters:
        return f"-M {parameters} cuts the run at that depth, for every measure"
    return ""


def _suggestion(text: str) -> str:
    if "," in text.partition(".")[0]:
        return "give -m once for each measure"
    name, at, cutoff = text.partition("@")
    if at and cutoff.isdecimal():
        for measure in MEASURES.values():
            if measure.name.lower() in (name.lower(), f"{name.lower()}_cut") and isinstance(measure.parameter, Cutoffs):
                return f"did you mean '{measure.name}.{cutoff}'?"
    name, dot, parameters = text.partition(".")
    near = did_you_mean(name, [*SETS, *MEASURES])
    if near and dot:
        return near.replace("?", f", followed by '.{parameters}'?")
    return near or "docs/measures.md lists them all"
