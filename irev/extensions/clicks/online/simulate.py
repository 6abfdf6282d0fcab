"""Logs of users who were never there: what would be shown of runs, and clicked if the judgments are right.

The same seed makes the same log everywhere, and of fewer impressions its beginning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from irev.base.errors import InputError, UsageError, decimal
from irev.base.records import dataclass
from irev.base.text import counted, decoded, named, number
from irev.evaluation.inputs import Inputs, judgments_of
from irev.evaluation.notes import listed
from irev.evaluation.result import Input
from irev.extensions.clicks.inputs import first_of_runs, listed_runs, require_names, warn
from irev.extensions.clicks.online import SimulateChoices
from irev.extensions.clicks.online.interleaving import (
    EXACT,
    METHODS,
    chance_of,
    chance_of_draw,
    decoded_fields,
    most,
)
from irev.extensions.clicks.online.models import MODELS
from irev.output.finding import ReportedFinding, fields_of
from irev.output.report import Cell, Listed, Plain, Sheet, stamp
from irev.ranking.ranking import First
from irev.reading.judgments import Judgments
from irev.statistics.resampling import SeededChance

FIELDS = (
    *("event", "impression", "time", "user", "query", "bucket", "method", "a", "b", "documents", "teams", "shares"),
    *("ranks_a", "ranks_b", "propensities", "position", "document", "dwell"),
)
"""What events have, in the order of columns; those that no impression of a log has are left out."""


@dataclass(frozen=True, repr=False)
class Simulation(ReportedFinding):
    """A log that was made up.

    Attributes
    ----------
    wanted : SimulateChoices
    runs : tuple of str
        What they are called: A and B, or the buckets.
    queries : tuple of bytes
        Those that were asked: judged, and in all of the runs.
    alone : tuple of bytes
        Those that some of the runs lack, or that are not judged.
    attraction : dict of float to float
        The probability of a click on what is looked at, by grade.
    events : callable
        ``events()``: all of them, made anew, the same each time, since a long log is more than memory may hold. One is
        a dictionary by the names that fields have in a log, ids as bytes; what an event has not is not there. They are
        in the order of their times, and what belongs to an impression stands right behind it.
    inputs : tuple of Input
        The files that it was made from.
    """

    wanted: SimulateChoices
    runs: tuple[str, ...]
    queries: tuple[bytes, ...]
    alone: tuple[bytes, ...]
    attraction: dict[float, float]
    events: Callable[[], Iterator[dict[str, Any]]]
    inputs: tuple[Input, ...] = ()

    texts = frozenset({"event", "impression", "user", "query", "bucket", "method", "a", "b", "document"})
    exact = EXACT
    title = "Log of simulated users"

    @property
    def lead(self) -> Iterator[str]:
        wanted = self.wanted
        counts: Counter[str] = Counter()
        users = set()
        for each in self.events():
            counts[each["event"]] += 1
            users.add(each.get("user"))
        how = f"the runs are interleaved by {wanted.method}" if wanted.method else "every user sees one of the runs"
        yield (
            f"{counted(counts['impression'], 'impression')}, {counted(counts['click'], 'click')},"
            f" {counted(counts['conversion'], 'conversion')}; {counted(len(users - {None}), 'user')},"
            f" {counted(len(self.queries), 'query', 'queries')}; {how}."
        )

    @property
    def sheets(self) -> Iterator[Sheet]:
        rows = tuple(
            (Cell(decimal(grade)), Cell(number(probability, self.look.digits)))
            for grade, probability in self.attraction.items()
        )
        yield Sheet("", ("grade", "clicked if looked at"), 1, frozenset(), (rows,))

    @property
    def notes(self) -> Iterator[str]:
        yield f"By the {self.wanted.model} model; {', '.join(map(named, self.runs))}."

    @property
    def columns(self) -> tuple[str, ...]:
        there = {*next(self.events()), "position", "document", "dwell"}
        return tuple(name for name in FIELDS if name in there)

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        return map(decoded_fields, self.events())

    @property
    def rows(self) -> Iterable[tuple[Plain | Listed, ...]]:
        columns = self.columns
        return (tuple(map(each.get, columns)) for each in self.objects)

    @property
    def record(self) -> dict[str, Any]:
        wanted = self.wanted
        return {
            **stamp("irev simulation"),
            **fields_of(wanted, "model", "method", "draws", "length", "impressions", "users"),
            "seed": wanted.seed_of_lists,
            "attraction": [[grade, probability] for grade, probability in self.attraction.items()],
            "inputs": [file.recorded() for file in self.inputs],
            "runs": list(self.runs),
            "left_out": [decoded(query) for query in self.alone],
            "events": [
                {name: list(value) if isinstance(value, tuple) else value for name, value in each.items()}
                for each in self.objects
            ],
        }


NOISE = 0.05
"""The least probability of a click on what is looked at, unless other ones are asked for."""

READING, BETWEEN, AWAY = 2.0, 30.0, 1800.0
"""Seconds, on average: to look at a document of a list, until the next query of a session, and the next session."""

STAYS = 0.5
"""The probability that a session has another query."""

DWELL = 120.0
"""Seconds on a document that is clicked whenever it is looked at, on average; others are left sooner, in proportion."""

CONVERTS = 0.2
"""The probability that a click on such a document leads to a conversion; on others it is less, in proportion."""


def answer(inputs: Inputs, choices: SimulateChoices) -> Simulation:
    """A log of users who see runs, and click what the judgments say is good."""
    inputs.settings.require_ranks()
    require_names(choices.files)
    if len(choices.files) < 2:
        raise UsageError(f"expected QRELS and at least one RUN, but got {counted(len(choices.files), 'file')}")
    judged, *others = choices.files
    runs = listed_runs(inputs, others)
    require_simulated(choices, len(runs))
    judgments = judgments_of(inputs, judged, inputs.settings)
    first = choices.length if choices.method is None else most(choices.method, choices.length)
    found = first_of_runs(inputs, runs, first, judgments.named)
    made = simulate(judgments, [run for _, run in found], [name for name, _ in found], choices)
    if made.alone:
        of_one = "query {} is not judged, or not in all of the runs, and is never asked"
        of_many = "queries are not judged, or not in all of the runs, and are never asked"
        warn(inputs, listed(made.alone, of_one, of_many))
    return replace(made, inputs=tuple(inputs.files))


def require_simulated(wanted: SimulateChoices, runs: int) -> None:
    """Raise `UsageError` for a log that so many runs make none of, and for what there is not."""
    MODELS.find(wanted.model)
    if wanted.method is not None:
        METHODS.find(wanted.method)
        if runs != 2:
            fact = f"interleaving needs two runs, but there {'is' if runs == 1 else 'are'} {runs}"
            raise UsageError(fact, remedy="name two; without --method every user sees one of the runs")
    elif wanted.draws is not None:
        raise UsageError("lists are drawn only for interleaving", remedy="name a method")
    for name, wished in (
        ("draws", wanted.draws or 1),
        ("length", wanted.length),
        ("impressions", wanted.impressions),
        ("users", wanted.users),
    ):
        if wished < 1:
            raise UsageError(f"{name} {wished} is below 1")
    for grade, probability in wanted.attraction:
        if not 0 <= probability <= 1:
            raise UsageError(f"a click has a probability from 0 to 1, and {decimal(grade)} has {decimal(probability)}")


def simulate(judgments: Judgments, runs: Sequence[First], names: Sequence[str], wanted: SimulateChoices) -> Simulation:
    """Show lists of the runs to users who come again and again, and note what they click.

    Every impression is of a query that is judged and in all of the runs, each as likely as another. An unjudged
    document, and one with a negative grade, is clicked as one of grade 0.

    Raises
    ------
    UsageError
        As `require_simulated`, and for a grade of the judgments without a probability where these are given.
    InputError
        For runs and judgments that have no query in common.
    """
    require_simulated(wanted, len(runs))
    judgments.require_grades("clicks are")
    judged = frozenset(judgments.queries)
    queries = sorted(judged.intersection(*runs))
    if not queries:
        raise InputError(
            "no query is judged and in all of the runs", judgments.name, "do the runs have the same queries?"
        )
    alone = tuple(sorted(frozenset().union(judged, *runs).difference(queries)))
    graded = {query: judgments.graded(query) for query in queries}
    attraction = _attraction(graded, judgments.name, wanted)
    attractive = {
        query: {document: attraction[max(grade, 0.0)] for document, grade in judged.items()}
        for query, judged in graded.items()
    }
    events = partial(_events, attractive, attraction[0.0], tuple(runs), tuple(names), wanted)
    return Simulation(wanted, tuple(names), tuple(queries), alone, attraction, events)


def _events(
    attractive: Mapping[bytes, Mapping[bytes, float]],
    otherwise: float,
    runs: Sequence[First],
    names: Sequence[str],
    wanted: SimulateChoices,
) -> Iterator[dict[str, Any]]:
    """The events of a log: by query the probability of a click on each document that is judged, and on any other."""
    queries = [*attractive]
    visits, user, over = SeededChance(wanted.seed_of_lists, b"visits"), b"", 0.0
    for place in range(1, wanted.impressions + 1):
        stays = place > 1 and visits.uniform() < STAYS
        if not stays:
            user = b"u%d" % (1 + int(visits.uniform() * wanted.users))
        time = over + _about(BETWEEN if stays else AWAY, visits)
        chance = SeededChance(wanted.seed_of_lists, b"impression", b"%d" % place)
        query = queries[int(chance.uniform() * len(queries))]
        fields, documents = _shown(runs, names, wanted, query, user, place)
        name = b"%d" % place
        yield {"event": "impression", "impression": name, "time": round(time, 3), "user": user, "query": query} | fields
        in_order = [attractive[query].get(document, otherwise) for document in documents]
        over, done = _clicks(in_order, documents, time, wanted.model, chance)
        for kind, event in done:
            yield {"event": kind, "impression": name} | event


def _attraction(
    graded: Mapping[bytes, Mapping[bytes, float]], name: str, wanted: SimulateChoices
) -> dict[float, float]:
    """The probability of a click by grade, for all that there are, and 0."""
    grades = sorted({0.0, *(grade for found in graded.values() for grade in found.values() if grade >= 0)})
    if not wanted.attraction:
        try:
            return {grade: max(NOISE, (2.0**grade - 1) / 2.0 ** grades[-1]) for grade in grades}
        except OverflowError:
            fact = f"the grade {decimal(grades[-1])} is too large for a default probability"
            raise InputError(fact, name, "give a probability for each grade") from None
    given = dict(wanted.attraction)
    if missing := [grade for grade in grades if grade not in given]:
        fact = f"grade {decimal(missing[0])} has no probability of a click"
        raise UsageError(
            fact, remedy="give one for every grade of the judgments, and for 0, the grade of unjudged documents"
        )
    return {grade: given[grade] for grade in grades}


def _shown(
    runs: Sequence[First], names: Sequence[str], wanted: SimulateChoices, query: bytes, user: bytes, number: int
) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """What an impression shows, as fields of its event, and the documents among these."""
    fields: dict[str, Any]
    if wanted.method is None:
        bucket = int(SeededChance(wanted.seed_of_lists, b"bucket", user).uniform() * len(runs))
        documents = runs[bucket][query][: wanted.length]
        fields = {"bucket": names[bucket], "documents": documents}
    else:
        found = METHODS.find(wanted.method).draw(
            runs[0][query],
            runs[1][query],
            wanted.length,
            _draw(wanted, wanted.method, query, number),
        )
        documents = found.documents
        fields = {"method": wanted.method, "a": names[0], "b": names[1], **found.fields()}
    if (propensities := MODELS.find(wanted.model).propensities) is not None:
        fields["propensities"] = propensities(len(documents))
    return fields, documents


def _draw(wanted: SimulateChoices, method: str, query: bytes, number: int) -> SeededChance:
    """Where the list of an impression is drawn from."""
    if wanted.draws is None:
        return chance_of(wanted.seed_of_lists, method, query, b"%d" % number)
    draw = int(SeededChance(wanted.seed_of_lists, b"draw", b"%d" % number).uniform() * wanted.draws)
    return chance_of_draw(wanted.seed_of_lists, method, query, draw)


def _clicks(
    attractive: Sequence[float],
    documents: Sequence[bytes],
    time: float,
    model: str,
    chance: SeededChance,
) -> tuple[float, list[tuple[str, dict[str, Any]]]]:
    """When a user is done with a list that is shown at a time, and what comes of it: events by their kinds.

    Whoever clicks has looked at what stands above, and is back from the document before the next click.
    """
    before, events = 0, list[tuple[str, dict[str, Any]]]()
    for position in MODELS.find(model).clicks(attractive, chance):
        place, attracts = position - 1, attractive[position - 1]
        time += _about(READING * (position - before), chance)
        dwell = round(_about(DWELL * attracts, chance), 1)
        fields = {"time": round(time, 3), "position": position, "document": documents[place], "dwell": dwell}
        events.append(("click", fields))
        time, before = time + dwell, position
        if chance.uniform() < CONVERTS * attracts:
            events.append(("conversion", {"time": round(time, 3)}))
    return time, events


def _about(seconds: float, chance: SeededChance) -> float:
    """A span of half to one and a half times as much. No logarithm, whose last digit differs between platforms."""
    return seconds * (0.5 + chance.uniform())
