"""What changed between two runs: the queries that changed most, and for each the documents that did it.

What documents contribute to a change is shown with the largest first. What is not shown is summed up, so that the
numbers of a table always add up to the change that stands above it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from irev.base.errors import InputError, shown
from irev.base.records import dataclass
from irev.base.text import MISSING, and_more, counted, decoded, named, plain, real, signed
from irev.commands.diff import DiffChoices
from irev.evaluation.changes import Changes, Detail, Move, changes, details
from irev.evaluation.files import names_of
from irev.evaluation.inputs import Inputs, single_queries
from irev.output.finding import Drawing, ReportedFinding, drawing_of_bars, fields_of
from irev.output.report import Cell, Plain, Sheet, stamp
from irev.output.reports.ranking import Excerpt, beside, grade_or_none, grade_text, id_text, rank_text, with_texts

SHOWN = 5
"""Documents of a query that are shown, unless more are asked for."""

_NAMED = 10
"""How many newcomers a sentence names."""

COLUMNS = (
    "query",
    "measure",
    "document",
    "grade",
    "rank_before",
    "rank_after",
    "event",
    "before",
    "after",
    "change",
)


class Names(NamedTuple):
    """What things are called: the judgments, and the earlier and the later run with the files that they are in."""

    qrels: str
    before: str
    after: str
    before_file: str
    after_file: str


def shown_of(detail: Detail, excerpt: Excerpt) -> tuple[Move, ...]:
    """The documents of a query that people see."""
    return detail.moves[: None if excerpt.everything else excerpt.top or SHOWN]


@dataclass(frozen=True, eq=False, repr=False)
class Difference(ReportedFinding):
    """What changed between two runs.

    Attributes
    ----------
    changes : Changes
        Of all queries.
    sections : tuple of tuples of int
        The queries that were looked at, by their place in `changes`: those that lost most and those that won most, or
        those that were asked for.
    details : tuple of Detail
        What changed in these.
    depth : int
        How many ranks documents enter and leave.
    names : Names
    policy : str
        Which queries count, in words.
    excerpt : Excerpt
        How many documents people see, and texts.
    unjudged : str or None
        The file for new documents without a judgment.
    """

    changes: Changes
    sections: tuple[tuple[int, ...], ...]
    details: tuple[Detail, ...]
    depth: int
    names: Names
    policy: str
    excerpt: Excerpt = Excerpt()
    unjudged: str | None = None

    columns = COLUMNS
    exact = frozenset({"grade"})

    @property
    def title(self) -> str:
        return f"From {self.names.before} to {self.names.after}"

    def _real(self, value: float | None) -> str:
        return real(value, self.look.digits)

    def _signed(self, number: int, change: float | None, without: str = MISSING) -> Cell:
        """A change, coloured by whether it is for the better; what stands in place of none."""
        text = without if change is None else signed(change, self.look.digits)
        better = self.changes.requests[number].better
        if change is None or not change or math.isnan(change) or better == "neither":
            return Cell(text)
        return Cell(text, tone="good" if (change > 0) == (better == "higher") else "bad")

    # For people

    @property
    def lead(self) -> Iterator[str]:
        changes, name = self.changes, self.look.name(self.changes.requests[0])
        worse, better = len(changes.worse), len(changes.better)
        unchanged = len(changes.queries) - worse - better
        yield (
            f"{name} of {counted(len(changes.queries), 'query', 'queries')}: {worse:,} worse, {better:,} better,"
            f" {unchanged:,} unchanged."
        )
        shown = {number for section in self.sections for number in section}
        hidden = [sum(number not in shown for number in side) for side in (changes.worse, changes.better)]
        if any(hidden):
            yield f"Not in the list: {hidden[0]:,} of those that got worse, {hidden[1]:,} of those that got better."

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._queries()
        for detail in self.details:
            yield self._documents(detail)

    def _queries(self) -> Sheet:
        changes, first = self.changes, self.changes.requests[0]
        newcomers = {detail.number: len(detail.newcomers) for detail in self.details}
        others = list(enumerate(changes.requests))[1:]
        header = (
            *("query", "before", "after", "change"),
            *(f"{self.look.name(request)} change" for _, request in others),
            "unjudged newcomers",
        )

        def row(label: str, before: Any, after: Any, numbers: Sequence[float | None], new: str) -> tuple[Cell, ...]:
            words = [self._real(value) if value is not None else MISSING for value in (before, after)]
            cells = [self._signed(number, change) for number, change in enumerate(numbers)]
            return (Cell(label), Cell(words[0]), Cell(words[1]), *cells, Cell(new))

        sections = [
            tuple(
                row(
                    id_text(changes.queries[number]),
                    float(changes.before[number, 0]),
                    float(changes.after[number, 0]),
                    changes.change[number].tolist(),
                    str(newcomers.get(number, "")),
                )
                for number in section
            )
            for section in self.sections
        ]
        overall = [_difference(a, b) for a, b in zip(changes.all_before, changes.all_after, strict=True)]
        every = row("all queries", _number(changes.all_before[0]), _number(changes.all_after[0]), overall, "")
        title = f"Queries by change in {self.look.name(first)}"
        if first.better == "lower":
            title += ", lower is better"
        sheet = Sheet(title, header, 1, frozenset({0}), (*filter(None, sections), (every,)))
        if not self.excerpt.titles:
            return sheet
        shown = [changes.queries[number] for section in self.sections for number in section]
        texts = [*(self.excerpt.titles.get(query) for query in shown), None]
        return with_texts(sheet, 1, "title", texts, self.look.width)

    def _documents(self, detail: Detail) -> Sheet:
        changes, excerpt = self.changes, self.excerpt
        before, after = (float(values[detail.number, 0]) for values in (changes.before, changes.after))
        title = excerpt.titles.get(detail.query)
        text = f" “{beside(title, 40)}”" if title else ""
        change = signed(float(changes.change[detail.number, 0]), self.look.digits)
        heading = (
            f"{id_text(detail.query)}{text}: {self.look.name(changes.requests[0])}"
            f" {self._real(before)} → {self._real(after)} ({change})"
        )
        sums = self._sums(detail)
        shown = shown_of(detail, excerpt)
        rows = tuple(
            (
                Cell(id_text(move.document)),
                Cell(grade_text(move.grade), tone="" if move.grade >= 0 else "quiet"),
                Cell(rank_text(move.before)),
                Cell(rank_text(move.after)),
                Cell(move.event(self.depth)),
                *(self._signed(number, move.contributions[number] or None, "") for number in sums),
            )
            for move in shown
        )
        header = ("document", "grade", "was at", "is at", "move", *self._contribution_labels(sums))
        rest = detail.moves[len(shown) :]
        further = []
        if rest and rows:
            left = [math.fsum(move.contributions[number] or 0.0 for move in rest) for number in sums]
            cells = [self._signed(number, value or None, "") for number, value in zip(sums, left, strict=True)]
            further.append((Cell(f"… {len(rest):,} more", tone="quiet"), *(Cell(""),) * 4, *cells))
        if sums and rows:
            cells = [self._signed(number, float(changes.change[detail.number, number])) for number in sums]
            further.append((Cell("together"), *(Cell(""),) * 4, *cells))
        notes = tuple(self._remarks(detail))
        if not rows:
            return Sheet(heading, (), 0, frozenset(), (), notes or ("No document changed its rank.",))
        sheet = Sheet(heading, header, 1, frozenset({0, 4}), tuple(filter(None, (rows, tuple(further)))), notes)
        if not excerpt.documents:
            return sheet
        texts = [*(excerpt.documents.get(move.document) for move in shown), *(None,) * len(further)]
        return with_texts(sheet, 1, "text", texts, self.look.width)

    def _sums(self, detail: Detail) -> list[int]:
        """The measures of which it is known what each document contributes."""
        known = detail.moves[0].contributions if detail.moves else ()
        return [number for number, contribution in enumerate(known) if contribution is not None]

    def _contribution_labels(self, sums: Sequence[int]) -> Iterator[str]:
        for number in sums:
            yield (
                "change"
                if len(self.changes.requests) == 1
                else f"{self.look.name(self.changes.requests[number])} change"
            )

    def _remarks(self, detail: Detail) -> Iterator[str]:
        changes = self.changes
        for missing, run in ((changes.missing_before, self.names.before), (changes.missing_after, self.names.after)):
            if missing[detail.number]:
                yield f"{run} has no results for it, which counts as an empty ranking."
        if detail.newcomers:
            named = [f"{id_text(move.document)} (rank {move.after})" for move in detail.newcomers[:_NAMED]]
            rest = and_more(len(detail.newcomers), len(named), ",")
            yield f"Unjudged and new in the first {self.depth:,}: {', '.join(named)}{rest}."

    @property
    def notes(self) -> Iterator[str]:
        known = next((detail.moves[0].contributions for detail in self.details if detail.moves), ())
        others = [
            self.look.name(request)
            for request, contribution in zip(self.changes.requests, known, strict=False)
            if contribution is None
        ]
        if others:
            verb = "is" if len(others) == 1 else "are"
            yield f"{', '.join(others)} {verb} no sum over ranks: the change cannot be shared out among documents."
        yield f"Queries: {self.policy}."

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        """Each query with its values; then the documents of those that are shown, with what they contribute."""
        changes = self.changes
        names = [self.look.name(request) for request in changes.requests]
        for place in changes.order:
            query = decoded(changes.queries[place])
            values = (changes.before[place], changes.after[place], changes.change[place])
            for name, before, after, change in zip(names, *(each.tolist() for each in values), strict=True):
                yield query, name, None, None, None, None, None, before, after, change
        for detail in self.details:
            query = decoded(detail.query)
            for move in detail.moves:
                for name, contribution in zip(names, move.contributions, strict=True):
                    about = (
                        decoded(move.document),
                        grade_or_none(move.grade),
                        move.before,
                        move.after,
                        move.event(self.depth),
                    )
                    yield query, name, *about, None, None, contribution

    @property
    def record(self) -> dict[str, Any]:
        changes, names = self.changes, self.names
        return {
            **stamp("irev difference"),
            "qrels": names.qrels,
            "before": {"run": names.before, "file": names.before_file},
            "after": {"run": names.after, "file": names.after_file},
            "policy": self.policy,
            "pool_depth": self.depth,
            "measures": [
                {
                    **fields_of(request, "label", "standard", "better"),
                    "before": plain(_number(changes.all_before[number])),
                    "after": plain(_number(changes.all_after[number])),
                    "worse": int((changes.merit(number) < 0).sum()),
                    "improved": int((changes.merit(number) > 0).sum()),
                }
                for number, request in enumerate(changes.requests)
            ],
            "queries": [
                {
                    "query": decoded(changes.queries[place]),
                    **self._title(changes.queries[place]),
                    "before": [plain(value) for value in changes.before[place].tolist()],
                    "after": [plain(value) for value in changes.after[place].tolist()],
                    "change": [plain(value) for value in changes.change[place].tolist()],
                }
                for place in changes.order
            ],
            "details": [
                {
                    "query": decoded(detail.query),
                    "documents": [self._move(move) for move in detail.moves],
                    "newcomers": [
                        {"document": decoded(move.document), "rank": move.after} for move in detail.newcomers
                    ],
                }
                for detail in self.details
            ],
        }

    def _move(self, move: Move) -> dict[str, Any]:
        return {
            "document": decoded(move.document),
            "grade": grade_or_none(move.grade),
            "before": move.before,
            "after": move.after,
            "event": move.event(self.depth),
            "change": [None if value is None else plain(value) for value in move.contributions],
            **self.excerpt.recorded_text(move.document),
        }

    def _title(self, query: bytes) -> dict[str, str]:
        return {"title": self.excerpt.titles[query]} if query in self.excerpt.titles else {}

    @property
    def files(self) -> Iterable[tuple[str, Iterable[bytes]]]:
        if self.unjudged is not None:
            moves = [(detail.query, move) for detail in self.details for move in detail.newcomers]
            yield self.unjudged, [b"%b %b %d\n" % (query, move.document, move.after or 0) for query, move in moves]

    # For Python

    def plot(self) -> Drawing:
        """The change of every query, sorted, in each measure."""
        changes, names = self.changes, self.names
        queries = [*map(decoded, changes.queries)]
        sets = [
            (f"{request.standard}: {names.after} − {names.before}", dict(zip(queries, change.tolist(), strict=True)))
            for request, change in zip(changes.requests, (changes.after - changes.before).T, strict=True)
        ]
        return drawing_of_bars(sets, f"{len(queries):,} queries", f"Queries: {self.policy}.", order=True)

    def __repr__(self) -> str:
        changes = self.changes
        change = float((changes.after[:, 0] - changes.before[:, 0]).mean())
        return f"<Difference: {changes.requests[0].standard} {change:+.4f} over {len(changes.queries)} queries>"


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, float | int) else None


def _difference(before: Any, after: Any) -> float | None:
    old, new = _number(before), _number(after)
    return None if old is None or new is None else 0.0 if old == new else new - old


def answer(inputs: Inputs, choices: DiffChoices) -> Difference:
    """What changed from one run to the other."""
    asked = tuple(dict.fromkeys(choices.query))
    with single_queries(inputs, inputs.settings, asked) as (judgments, requests, (before, after)):
        found = changes(before.ranked, after.ranked, requests)
        sections = looked_at(found, asked, choices)
        queries = [found.queries[place] for section in sections for place in section]
        earlier, later = (run.keep(queries) if queries else {} for run in (before, after))
        depth = choices.pool_depth or requests[0].cutoff or 10
        looked = details(found, before.ranked, after.ranked, earlier, later, depth)
        tags = [decoded(run.ranked.tag) for run in (before, after)]
        called = names_of([*inputs.runs] if inputs.batched else [before.name, after.name], tags, (), lambda note: None)
        excerpt = Excerpt(choices.top, choices.everything, inputs.titles_of(queries))
        texts = inputs.texts_of({move.document for each in looked for move in shown_of(each, excerpt)})
    return Difference(
        found,
        sections,
        looked,
        depth,
        Names(*map(named, (judgments.name, *called, before.path, after.path))),
        inputs.settings.policy,
        excerpt._replace(documents=texts),
        choices.unjudged,
    )


def looked_at(found: Changes, asked: tuple[bytes, ...], choices: DiffChoices) -> tuple[tuple[int, ...], ...]:
    """The queries that are looked at, by their places, in groups: those that were asked for, or that changed most.

    Raises `InputError` for a query that does not count.
    """
    if not asked:
        sides = tuple(found.worse[: choices.limit]), tuple(found.better[: choices.limit])
        return sides[::-1] if choices.best else sides
    places = {query: place for place, query in enumerate(found.queries)}
    for query in asked:
        if query not in places:
            raise InputError(f"query {shown(query)} is left out: a run has no results for it")
    return (tuple(places[query] for query in asked),)
