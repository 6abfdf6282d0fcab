"""Click models of a log: the record of them, and how people and programs see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from irev.base.records import dataclass
from irev.base.text import MISSING, counted, interval, percent, plain, real
from irev.errors import UsageError
from irev.evaluation.result import Input
from irev.output.report import Plain, Sheet, keyed, table
from irev.questions.online.click_models.choices import ClickModelChoices
from irev.questions.online.logs import LogFinding
from irev.questions.online.models import MODELS
from irev.reading.events.schema import LogFacts
from irev.statistics.intervals import Interval

FORMAT = "irev click models"

LOOKING = "position"
"""The model that says how often each position is looked at."""


GROUPS = 20

POSITION_ALONE = "positions alone"
"""What models are compared with: how often each position is clicked, whatever stands there."""


class Parameter(NamedTuple):
    """What a model knows of a position, from 1; no value where the log does not tell, and no interval of what is
    supposed."""

    position: int
    value: float | None
    interval: Interval | None


class ModelFound(NamedTuple):
    """A model: how well it foretells clicks of users that it was not fitted to, and what it knows of positions."""

    name: str
    perplexity: float | None
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, repr=False)
class ClickModels(LogFinding):
    """Click models of a log.

    Attributes
    ----------
    facts : LogFacts
    faults : dict of str to int
        How often each code was found, of events that were left out.
    found : tuple of ModelFound
        The one that foretells clicks best first.
    several : int
        Impressions with clicks on several documents, which the cascade model does not know.
    wanted : ClickModelChoices
    inputs : tuple of Input
        The files that were read.
    """

    facts: LogFacts
    faults: dict[str, int]
    found: tuple[ModelFound, ...]
    several: int
    wanted: ClickModelChoices
    inputs: Sequence[Input] = ()

    columns = ("model", "perplexity", "parameter", "position", "value", "low", "high")
    texts = frozenset({"model", "parameter"})

    @property
    def title(self) -> str:
        return f"Click models of {self.facts.impressions:,} impressions"

    @property
    def propensities(self) -> tuple[float | None, ...]:
        """The probability that each position is looked at, by the position model, relative to the largest; None where
        the log does not tell."""
        (model,) = (each for each in self.found if each.name == LOOKING)
        values = [each.value for each in model.parameters]
        most = max(value for value in values if value is not None)
        return tuple(None if value is None or not most else value / most for value in values)

    @property
    def files(self) -> Iterable[tuple[str, Iterable[bytes]]]:
        if self.wanted.propensities_to is None:
            return ()
        known = self.propensities
        if not all(known):
            position = next(place for place, value in enumerate(known, 1) if not value)
            raise UsageError(
                f"the log does not tell how often position {position} is looked at",
                remedy="show documents at several positions: swap some at random",
            )
        return ((self.wanted.propensities_to, [f"{value!r}\n".encode() for value in known]),)

    @property
    def sheets(self) -> Iterator[Sheet]:
        digits = self.look.digits
        rows = ({"model": each.name, "perplexity": real(each.perplexity, digits)} for each in self.found)
        yield table("", ("model",), ("perplexity",), rows)
        shown = [each for each in self.found if each.parameters]
        level = percent(self.wanted.confidence)
        places = range(max((len(each.parameters) for each in shown), default=0))
        told = (
            {
                "rank": str(place + 1),
                **{each.name: real(each.parameters[place].value, digits) for each in shown},
                **{
                    f"{each.name} {level}": interval(each.parameters[place].interval, digits, sign=False)
                    for each in shown
                },
            }
            for place in places
        )
        header = [name for each in shown for name in (each.name, f"{each.name} {level}")]
        yield table("Positions", ("rank",), header, told)

    def said(self) -> Iterator[str]:
        yield (
            "perplexity: of clicks of users that a model was not fitted to; 1 is a model that knows all, 2 a coin."
            f" Users are dealt to {GROUPS} groups, and models are fitted without each of them; intervals come from"
            " that, too."
        )
        for name in MODELS:
            model = MODELS.find(name)
            known = f" Of positions: {model.of_places}." if model.of_places else ""
            yield f"{name}: {model.title}.{known}"
        yield f"{POSITION_ALONE}: how often each is clicked, whatever stands there."
        if self.several:
            yield (
                f"{counted(self.several, 'impression')} with clicks on several documents, which the cascade model does"
                " not know."
            )
        if any(each.value is None for found in self.found for each in found.parameters):
            yield (
                f"{MISSING}: the log does not tell. Of looking it does where documents were shown at several positions."
            )

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for found in self.found:
            yield (found.name, plain(found.perplexity), *[None] * 5)
            for each in found.parameters:
                says = MODELS.find(found.name).of_places
                ends = (None, None) if each.interval is None else each.interval
                yield (found.name, None, says, each.position, plain(each.value), *ends)

    @property
    def record(self) -> dict[str, Any]:
        return {
            **self.stamp(FORMAT),
            "confidence": self.wanted.confidence,
            "several": self.several,
            "models": [keyed(self.columns, row) for row in self.rows],
        }

    def __repr__(self) -> str:
        return f"<ClickModels: {', '.join(each.name for each in self.found)}>"
