"""Click models of a log: fitted to all users, and to all but a part of them, for intervals and for what they foretell.

Users are dealt to `GROUPS` groups, one after the other as the log first has them. Each model is fitted without each
group in turn. How much its parameters change says how well they are known: the delete-a-group jackknife (Kott,
Journal of Official Statistics 17(4), 2001), which holds whatever varies inside of a user. And the clicks of the group
are what a model has not seen: its perplexity there, 2^(-mean of log₂ of the chance of what was done at a position),
is 1 for a model that knows all and 2 for a coin (Dupret and Piwowarski, A User Browsing Model to Predict Search
Engine Click Data, SIGIR 2008).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, UsageError
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import MISSING, counted, interval, percent, plain, real
from irev.evaluation.inputs import Inputs
from irev.extensions.clicks.events.log import Impressions, Log
from irev.extensions.clicks.events.schema import DROP
from irev.extensions.clicks.events.spill import Spill, parts_of
from irev.extensions.clicks.online import ClickModelChoices
from irev.extensions.clicks.online.logs import LogFinding, of_log, require_sound
from irev.output.report import Plain, Sheet, keyed, table
from irev.reading.ids import Words
from irev.statistics.intervals import Interval, quantile

STEPS, CLOSE = 2_000, 1e-8
"""Steps of expectation maximisation at most, and the change of a step that is none."""


@dataclass(frozen=True, eq=False)
class ClickCounts:
    """What was shown and clicked, a cell for each pair and position at which it was shown.

    Attributes
    ----------
    pair : int (c,)
        From 0.
    place : int (c,)
        The position, from 0.
    shown, clicked : float (c,)
        Impressions, and those with a click there.
    to_first, first : float (c,)
        Impressions without a click above, and those of which the first click is there.
    pairs, places : int
        How many there are.
    """

    pair: Ints
    place: Ints
    shown: Floats
    clicked: Floats
    to_first: Floats
    first: Floats
    pairs: int
    places: int

    def of_pairs(self, values: Floats) -> Floats:
        """(pairs,) Sums over cells."""
        return np.bincount(self.pair, values, self.pairs).astype(np.float64, copy=False)

    def of_places(self, values: Floats) -> Floats:
        """(places,) Sums over cells."""
        return np.bincount(self.place, values, self.places).astype(np.float64, copy=False)


class Fitted(NamedTuple):
    """A model that was fitted.

    Attributes
    ----------
    attracts, out_of : (pairs,)
        Of how many who looked at a document so many were attracted; their ratio is the attraction.
    of_places : (places,)
        What the model knows of each position; nothing if it knows nothing.
    told : bool (places,)
        Whether the log tells that; what is foretold does not need it.
    """

    attracts: Floats
    out_of: Floats
    of_places: Floats
    told: Bools

    def attraction(self) -> Floats:
        """(pairs,) Of every pair, as if one more had looked, with the chance of all together: no click is impossible
        that was not seen yet."""
        usual = float(self.attracts.sum() / max(self.out_of.sum(), 1e-300))
        found: Floats = (self.attracts + usual) / (self.out_of + 1)
        return found


@dataclass(frozen=True)
class ClickModel:
    """How users go through a list.

    Attributes
    ----------
    title : str
        What it says of users, in a sentence.
    fit : callable
        ``fit(counts, begin)``, `begin` being what came of nearly the same counts, or None.
    chances : callable
        ``chances(attraction, of_places)``: the chance of a click at each position of lists, (n, k), whatever else is
        clicked; the attraction of what is beyond the end of a list is 0.
    of_places : str
        What it knows of each position, in words; empty for nothing.
    """

    title: str
    fit: Callable[[ClickCounts, Fitted | None], Fitted]
    chances: Callable[[Floats, Floats], Floats]
    of_places: str = ""


def fit_cascade(counts: ClickCounts, begin: Fitted | None) -> Fitted:
    """First clicks, of those who came so far: the most likely attraction.

    Craswell, Zoeter, Taylor and Ramsey, An Experimental Comparison of Click Position-Bias Models, WSDM 2008. What
    stands below the first click says nothing; a second click is one that the model does not know of.
    """
    nothing = np.zeros(0)
    return Fitted(counts.of_pairs(counts.first), counts.of_pairs(counts.to_first), nothing, nothing > 0)


def cascade_chances(attraction: Floats, of_places: Floats) -> Floats:
    """α of a document, times 1 - α of all above it."""
    above = np.cumprod(1 - attraction, axis=1)
    return attraction * np.concatenate((np.ones((len(above), 1)), above[:, :-1]), axis=1)


def fit_position(counts: ClickCounts, begin: Fitted | None) -> Fitted:
    """The most likely position_chances γ of looking at positions and α of attraction: click = γα.

    Each step is extrapolated from two of expectation maximisation: Varadhan and Roland, Simple and Globally Convergent
    Methods for Accelerating the Convergence of Any EM Algorithm, Scandinavian Journal of Statistics 35(2), 2008.
    """
    if begin is None:
        attracts = np.nan_to_num(counts.of_pairs(counts.clicked) / np.maximum(counts.of_pairs(counts.shown), 1))
        now = np.append(1 / np.arange(1.0, counts.places + 1), attracts)
    else:
        now = np.append(begin.of_places, begin.attracts / np.maximum(begin.out_of, 1e-300))
    now = np.clip(now, 1e-6, 1)
    for _ in range(STEPS):
        one = _step(counts, now)
        two = _step(counts, one)
        first, second = one - now, two - one - (one - now)
        if np.abs(first).max() < CLOSE:
            break
        length = -max(float(np.linalg.norm(first)) / (float(np.linalg.norm(second)) or 1e-300), 1.0)
        now = _step(counts, np.clip(now - 2 * length * first + length**2 * second, 1e-9, 1))
    looks, attracts = now[: counts.places], now[counts.places :]
    first_looks, out_of = float(looks[0]) or 1.0, counts.of_pairs(counts.shown)
    return Fitted(attracts * first_looks * out_of, out_of, looks / first_looks, connected(counts))


def _step(counts: ClickCounts, now: Floats) -> Floats:
    """γ and α after a step of expectation maximisation."""
    looks, attracts = now[: counts.places][counts.place], now[counts.places :][counts.pair]
    neither = np.maximum(1 - looks * attracts, 1e-300)
    missed = counts.shown - counts.clicked
    # Of those without a click so many looked, and so many were attracted and did not look.
    seen, unseen = missed * looks * (1 - attracts) / neither, missed * attracts * (1 - looks) / neither
    return np.append(
        counts.of_places(counts.clicked + seen) / np.maximum(counts.of_places(counts.shown), 1e-300),
        counts.of_pairs(counts.clicked + unseen) / np.maximum(counts.of_pairs(counts.shown), 1e-300),
    )


def connected(counts: ClickCounts) -> Bools:
    """(places,) Which positions a chain of documents leads to from the first, each seen at two of them."""
    known = np.zeros(counts.places, dtype=np.bool_)
    known[0] = True
    while True:
        pairs = counts.of_pairs(known[counts.place] * counts.shown) > 0
        more = counts.of_places(pairs[counts.pair] * counts.shown) > 0
        more |= known
        if (more == known).all():
            return known
        known = more


def position_chances(attraction: Floats, of_places: Floats) -> Floats:
    """γ of the position, times α of the document."""
    found: Floats = attraction * of_places[: attraction.shape[1]]
    return found


MODELS = {
    "cascade": ClickModel("users read from the top up to their first click", fit_cascade, cascade_chances),
    "position": ClickModel(
        "whether users look at a document depends only on its position",
        fit_position,
        position_chances,
        of_places="probability of a look, relative to the first position",
    ),
}


LOOKING = "position"
"""The model that says how often each position is looked at."""


GROUPS = 20

POSITION_ALONE = "positions alone"
"""What models are compared with: how often each position is clicked, whatever stands there."""


class ModelParameter(NamedTuple):
    """What a model knows of a position, from 1; no value where the log does not tell, and no interval of what is
    supposed."""

    position: int
    value: float | None
    interval: Interval | None


class ModelFound(NamedTuple):
    """A model: how well it foretells clicks of users that it was not fitted to, and what it knows of positions."""

    name: str
    perplexity: float | None
    parameters: tuple[ModelParameter, ...]


@dataclass(frozen=True, repr=False)
class ClickModels(LogFinding):
    """Click models of a log.

    Beside what every `LogFinding` has:

    Attributes
    ----------
    found : tuple of ModelFound
        The one that foretells clicks best first.
    several : int
        Impressions with clicks on several documents, which the cascade model does not explain.
    wanted : ClickModelChoices
    """

    found: tuple[ModelFound, ...]
    several: int
    wanted: ClickModelChoices

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
            return []
        known = self.propensities
        if not all(known):
            position = next(place for place, value in enumerate(known, 1) if not value)
            raise UsageError(
                f"the log does not show how often users look at position {position}",
                remedy="show documents at several positions, for example by random swaps",
            )
        return [(self.wanted.propensities_to, [f"{value!r}\n".encode() for value in known])]

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
            f"perplexity: for clicks of users to whom the model was not fitted (cross-validation with {GROUPS} "
            "groups of users, from which intervals are computed too); 1 is perfect prediction, 2 is a coin."
        )
        for name in MODELS:
            model = MODELS[name]
            known = f" Of positions: {model.of_places}." if model.of_places else ""
            yield f"{name}: {model.title}.{known}"
        yield f"{POSITION_ALONE}: how often each position is clicked, whatever document is there."
        if self.several:
            yield (
                f"{counted(self.several, 'impression')} with clicks on several documents, which the cascade model "
                "does not explain."
            )
        if any(each.value is None for found in self.found for each in found.parameters):
            yield (
                f"{MISSING}: unknown. How often users look at a position can be estimated only where "
                "documents were shown at several positions."
            )

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for found in self.found:
            yield (found.name, plain(found.perplexity), *[None] * 5)
            for each in found.parameters:
                says = MODELS[found.name].of_places
                yield (found.name, None, says, each.position, plain(each.value), *(each.interval or (None, None)))

    @property
    def record(self) -> dict[str, Any]:
        return {
            **self.stamp("irev click models"),
            "confidence": self.wanted.confidence,
            "several": self.several,
            "models": [keyed(self.columns, row) for row in self.rows],
        }

    def __repr__(self) -> str:
        return f"<ClickModels: {', '.join(each.name for each in self.found)}>"


EDGE = 1e-4
"""A chance that is so near to 0 or 1 has no interval: it does not vary as others do."""


ITEM = np.dtype([("pair", "u8"), ("user", "u8"), ("place", "u4"), ("group", "u1"), ("clicked", "u1")])
"""A document in a list that was shown: the hash of it and its query, that of the user, its position from 0, the group
of the user when that is known, and whether it was clicked."""


class QueryDocumentPairs(NamedTuple):
    """Pairs of a query and a document: their hashes, rising, and their numbers, in the order in which lists have them,
    so that numbers do not depend on hashes."""

    keys: Words
    number: Ints

    @classmethod
    def of(cls, parts: Iterator[np.ndarray]) -> QueryDocumentPairs:
        """Those of all items."""
        keys, places, seen = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int64)], 0
        for items in parts:
            some, first = np.unique(items["pair"], return_index=True)
            keys.append(some)
            places.append(first + seen)
            seen += len(items)
        every, place = np.concatenate(keys), np.concatenate(places)
        order = np.lexsort((place, every))
        unique, begins = np.unique(every[order], return_index=True)
        number = np.empty(len(unique), dtype=np.int64)
        number[np.argsort(place[order][begins])] = np.arange(len(unique))
        return cls(unique, number)

    def numbers(self, keys: Words) -> Ints:
        """The numbers of hashes."""
        found: Ints = self.number[np.searchsorted(self.keys, keys)]
        return found


class ModelFitter:
    """Takes impressions, and then fits models to them."""

    def __init__(self, log: Log, memory: int | None = None) -> None:
        self._log, self._spill = log, Spill(memory)
        self._users: list[tuple[Words, Ints]] = []
        self.several = 0

    def close(self) -> None:
        """Let go of what was taken."""
        self._spill.close()

    def add(self, some: Impressions) -> None:
        """Take some impressions. Raises `InputError` for one without a query or documents."""
        for there, what in ((some.length >= 0, "documents"), (some.query != 0, "query")):
            if not there.all():
                place = self._log.where(int(some.place[np.argmin(there)]))
                raise InputError(
                    f"the impression has no {what}",
                    place,
                    "click models need the query and the documents of every impression",
                )
        owner = some.owner
        record = np.zeros(len(owner), dtype=ITEM)
        query, document = some.query[owner], some.lists.get("documents", np.zeros(0, dtype=np.uint64))
        record["pair"] = (query ^ (query >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15) + document
        record["place"] = np.arange(len(owner)) - some.start[owner]
        record["user"] = some.user[:, 1][owner]
        users, of = np.unique(some.user[:, 1], return_inverse=True)
        first = np.full(len(users), np.iinfo(np.int64).max)
        np.minimum.at(first, of, some.place)
        self._users.append((users, first))
        record["clicked"][some.clicked] = 1
        self.several += int(np.count_nonzero(np.bincount(owner[some.clicked], minlength=len(some)) > 1))
        self.take(record, parts_of(some.user[:, 0])[owner])

    def take(self, items: np.ndarray, part: np.ndarray) -> None:
        """Take items of lists, as `ITEM` has them, and the part of the spill that each is for."""
        self._spill.put("items", items, part)
        self._spill.settle()

    def _deal(self) -> None:
        """Deal users to groups, one after the other, in the order in which the log first has them."""
        keys = np.concatenate([users for users, _ in self._users])
        place = np.concatenate([first for _, first in self._users])
        order = np.lexsort((place, keys))
        self._keys, begins = np.unique(keys[order], return_index=True)
        self._groups = np.empty(len(begins), dtype=np.uint8)
        self._groups[np.argsort(place[order][begins])] = np.arange(len(begins)) % GROUPS

    def _parts(self) -> Iterator[np.ndarray]:
        for part in self._spill.parts:
            items = self._spill.rows("items", part, ITEM)
            if len(items):
                if self._users:
                    items = items.copy()
                    items["group"] = self._groups[np.searchsorted(self._keys, items["user"])]
                yield items

    def fitted(self, confidence: float) -> list[ModelFound]:
        """What each model finds, the one that foretells best first."""
        if self._users:
            self._deal()
        pairs = QueryDocumentPairs.of(self._parts())
        if not len(pairs.keys):
            raise InputError("no document was shown")
        cells = _cells(self._parts(), pairs)
        groups = np.unique(cells["group"]).tolist()
        places = int(cells["place"].max()) + 1

        def counts(without: int | None) -> ClickCounts:
            return _counts(cells[cells["group"] != without], len(pairs.keys), places)

        parts, whole, found = {group: counts(group) for group in groups}, counts(None), []
        for name in MODELS:
            model = MODELS[name]
            all_of = model.fit(whole, None)
            without = {group: model.fit(counts, all_of) for group, counts in parts.items()} if len(groups) > 1 else {}
            known = [_parameter(place, all_of, [*without.values()], confidence) for place in range(whole.places)]
            perplexity = self._perplexity(name, without, pairs)
            found.append(ModelFound(name, perplexity, tuple(known) if model.of_places else ()))
        alone = {group: _of_positions(counts) for group, counts in parts.items()} if len(groups) > 1 else {}
        found.append(ModelFound(POSITION_ALONE, self._perplexity(None, alone, pairs), ()))
        return sorted(found, key=lambda each: math.inf if each.perplexity is None else each.perplexity)

    def _perplexity(self, name: str | None, without: dict[int, Fitted], pairs: QueryDocumentPairs) -> float | None:
        """Over all positions at which something was shown, each group by what was fitted without it."""
        if not without:
            return None
        bits, items_seen = 0.0, 0
        for items in self._parts():
            for group, fitted in without.items():
                mine = items[items["group"] == group]
                if not len(mine):
                    continue
                chance = _chances(name, fitted, mine, pairs)
                said = np.where(mine["clicked"] > 0, chance, 1 - chance)
                bits -= float(np.log2(np.clip(said, 1e-9, 1)).sum())
                items_seen += len(mine)
        return float(2 ** (bits / items_seen))


def _chances(name: str | None, fitted: Fitted, items: np.ndarray, pairs: QueryDocumentPairs) -> Floats:
    """The chance of a click on each item."""
    place = items["place"].astype(np.int64)
    if name is None:
        found: Floats = fitted.of_places[place]
        return found
    row = np.cumsum(place == 0) - 1
    attraction = np.zeros((int(row[-1]) + 1, int(place.max()) + 1))
    attraction[row, place] = fitted.attraction()[pairs.numbers(items["pair"])]
    chances: Floats = MODELS[name].chances(attraction, fitted.of_places)[row, place]
    return chances


COUNTED = ("shown", "clicked", "to_first", "first")


def _cells(parts: Iterator[np.ndarray], pairs: QueryDocumentPairs) -> np.ndarray:
    """Counts of each group, pair and position."""
    kind = [("group", "i8"), ("pair", "i8"), ("place", "i8"), *((name, "f8") for name in COUNTED)]
    found = []
    for items in parts:
        place, clicked = items["place"].astype(np.int64), items["clicked"] > 0
        row = np.cumsum(place == 0) - 1
        n, never = int(row[-1]) + 1, int(place.max()) + 1
        first = np.full(n, never)
        np.minimum.at(first, row[clicked], place[clicked])
        values = {
            "shown": np.ones(len(items)),
            "clicked": clicked,
            "to_first": place <= first[row],
            "first": place == first[row],
        }
        found.append(_added(items["group"], pairs.numbers(items["pair"]), place, values, kind))
    together = np.concatenate(found)
    values = {name: together[name] for name in COUNTED}
    return _added(together["group"], together["pair"], together["place"], values, kind)


def _added(
    group: Ints, pair: Ints, place: Ints, values: dict[str, np.ndarray], kind: list[tuple[str, str]]
) -> np.ndarray:
    order = np.lexsort((place, pair, group))
    keys = [each[order].astype(np.int64) for each in (group, pair, place)]
    begins = np.flatnonzero(segments.opens(*keys))
    cells = np.zeros(len(begins), dtype=kind)
    for name, key in zip(("group", "pair", "place"), keys, strict=True):
        cells[name] = key[begins]
    for name, value in values.items():
        cells[name] = np.add.reduceat(value[order].astype(np.float64), begins)
    return cells


def _counts(cells: np.ndarray, pairs: int, places: int) -> ClickCounts:
    of = {name: cells[name] for name in COUNTED}
    return ClickCounts(cells["pair"], cells["place"], **of, pairs=pairs, places=places)


def _of_positions(counts: ClickCounts) -> Fitted:
    shown, clicked = counts.of_places(counts.shown), counts.of_places(counts.clicked)
    usual = clicked.sum() / max(shown.sum(), 1)
    return Fitted(np.zeros(0), np.zeros(0), (clicked + usual) / (shown + 1), shown > 0)


def _parameter(place: int, fitted: Fitted, without: list[Fitted], confidence: float) -> ModelParameter:
    if not len(fitted.told) or not fitted.told[place]:
        return ModelParameter(place + 1, None, None)
    value = float(fitted.of_places[place])
    if len(without) < 2 or not all(each.told[place] for each in without) or min(value, abs(1 - value)) < EDGE:
        return ModelParameter(place + 1, value, None)
    others = np.array([each.of_places[place] for each in without])
    error = math.sqrt((len(others) - 1) / len(others) * float(((others - others.mean()) ** 2).sum()))
    reach = quantile(len(others), confidence) * error
    return ModelParameter(place + 1, value, Interval(max(value - reach, 0.0), value + reach))


def answer(inputs: Inputs, choices: ClickModelChoices) -> ClickModels:
    """Models of the clicks of a log."""
    return of_log(inputs, choices.files, "fitting models to", lambda log: fitted(log, choices))


def fitted(log: Log, choices: ClickModelChoices, memory: int | None = None) -> ClickModels:
    """Models of a log whose impressions have not been read yet."""
    with closing(ModelFitter(log, memory)) as shown:
        for some in log.impressions():
            shown.add(some)
        require_sound(log, choices.on_error == DROP)
        found = shown.fitted(choices.confidence)
        return ClickModels.of(log, tuple(found), shown.several, choices)
