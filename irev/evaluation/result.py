"""The one record that feeds every output: what was computed, from what, and what of it was asked for.

A `Result` has an `Outcome` for every run under every set of judgments. `rows` gives its numbers one row after the
other, for outputs that are lists or tables of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev import __version__
from irev.base.errors import InputError, option
from irev.base.records import cached_property, dataclass
from irev.base.segments import WEIGHTED
from irev.base.settings import Settings
from irev.base.text import disambiguate
from irev.evaluation.scores import Column, Scores, Summarised, Summary, summarise
from irev.measures import Request


class Input(NamedTuple):
    """A file that was read, as its content was after decompression.

    Attributes
    ----------
    role : str
        ``qrels`` or ``run``.
    name : str
        Its path as given, or ``<stdin>``.
    sha256 : str
        In hexadecimal digits.
    size, lines : int
        Bytes, and lines, of which the last need not end in a newline.
    content : str
        Of judgments that are saved: `Judgments.content`; otherwise empty.
    """

    role: str
    name: str
    sha256: str
    size: int
    lines: int
    content: str = ""

    def recorded(self) -> dict[str, str | int]:
        """What records say of it."""
        return {
            "role": self.role,
            "name": self.name,
            "sha256": self.sha256,
            "bytes": self.size,
            "lines": self.lines,
            **({"content": self.content} if self.content else {}),
        }


def same_judgments(one: Iterable[Input], other: Iterable[Input]) -> bool:
    """Whether two results were made under judgments with the same grades; by the bytes of the files where records do
    not say more."""
    first, second = ([file for file in files if file.role == "qrels"] for files in (one, other))
    if all(file.content for file in (*first, *second)):
        return {file.content for file in first} == {file.content for file in second}
    return {file.sha256 for file in first} == {file.sha256 for file in second}


class Facts(NamedTuple):
    """What the numbers of an outcome do not show.

    Attributes
    ----------
    judged, unjudged : int
        Retrieved documents of the evaluated queries with a grade of 0 or more, and without.
    tied : int
        Evaluated queries with a judged document in a tie.
    not_retrieved, not_judged : sequence of bytes
        Judged queries that the run lacks, and queries of the run without judgments.
    known : bool
        False for values that another program computed, of which nothing else is known.
    empty : sequence of bytes
        Queries that count and of which the run has no results, although it names them.
    alike : int
        Queries with a judged document, and others, of which all have the same score.
    """

    judged: int
    unjudged: int
    tied: int
    not_retrieved: Sequence[bytes]
    not_judged: Sequence[bytes]
    known: bool = True
    empty: Sequence[bytes] = ()
    alike: int = 0

    @property
    def missing(self) -> int:
        """Judged queries for which nothing was retrieved: those that the run lacks, and the empty ones."""
        return len(self.not_retrieved) + len(self.empty)

    @property
    def judged_share(self) -> float:
        """Share of the retrieved documents that are judged; 0 when there are none."""
        return self.judged / ((self.judged + self.unjudged) or 1)


class Group(NamedTuple):
    """Some of the queries, with a summary of their own.

    Attributes
    ----------
    name : bytes
    size : int
        Number of its queries that count.
    summary : Summary
    queries : tuple of bytes
        These queries.
    """

    name: bytes
    size: int
    summary: Summary
    queries: tuple[bytes, ...] = ()


@dataclass(frozen=True, eq=False)
class Outcome:
    """One run under one set of judgments.

    Attributes
    ----------
    run, qrels : str
        What the two are called.
    scores : Scores
        One value per query and measure.
    summary : Summary
        One value per measure.
    facts : Facts
    groups : tuple of Group
        In the order of their names.
    """

    run: str
    qrels: str
    scores: Scores
    summary: Summary
    facts: Facts
    groups: tuple[Group, ...] = ()

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns that have values for single queries, those that differ in their aggregate alone as one."""
        by_base = {column.request.base: column for column in self.scores.columns if column.request.measure.per_query}
        return tuple(
            Column(base, column.values, None if column.request.aggregate == WEIGHTED else column.weights)
            for base, column in by_base.items()
        )

    def arranged(self, requests: tuple[Request, ...]) -> Outcome:
        """The same with the columns of these requests, in their order."""
        place_of = {column.request: place for place, column in enumerate(self.scores.columns)}
        places = [place_of[request] for request in requests]
        if places == list(range(len(self.scores.columns))):
            return self

        def summary(of: Summary) -> Summary:
            return Summary(tuple(of.values[place] for place in places))

        return replace(
            self,
            scores=replace(self.scores, columns=tuple(self.scores.columns[place] for place in places)),
            summary=summary(self.summary),
            groups=tuple(group._replace(summary=summary(group.summary)) for group in self.groups),
        )

    @property
    def unknown_shares(self) -> str:
        """Why it is unknown how much of the first documents is judged; empty if it is known, or if all are."""
        return "" if self.facts.known and not self.facts.unjudged else self.scores.unknown

    @cached_property
    def group_of(self) -> dict[bytes, Group]:
        """The group of each query that is in one."""
        return {query: group for group in self.groups for query in group.queries}


MAX_GROUPS = 20_000
"""Groups that are summarised. With a group for each query of a file of a megabyte it took 12 seconds."""


def in_groups(scores: Scores, grouping: Mapping[bytes, bytes]) -> tuple[Group, ...]:
    """Return the groups of queries, each with its summary, given the group of each query, sorted by name.

    Raises `InputError` for more than `MAX_GROUPS` groups.
    """
    places: dict[bytes, list[int]] = {name: [] for name in sorted(set(grouping.values()))}
    if len(places) > MAX_GROUPS:
        fact = f"there are {len(places):,} groups of queries, and at most {MAX_GROUPS:,} are summarised"
        raise InputError(fact, remedy="use larger groups, or the values of single queries")
    for place, query in enumerate(scores.queries if grouping else ()):
        if query in grouping:
            places[grouping[query]].append(place)
    groups = []
    for name, kept in places.items():
        part = scores.at(np.array(kept, dtype=np.int64))
        groups.append(Group(name, len(part.queries), summarise(part), tuple(part.queries)))
    return tuple(groups)


@dataclass(frozen=True, eq=False)
class Row:
    """The numbers of one query of one outcome, or of all of its queries.

    Attributes
    ----------
    outcome : Outcome
    query : bytes or None
        The query; None for all of them, or all of a group.
    group : Group or None
        The group that a row for several queries is about, None for all queries; or the one that the query is in.
    values : tuple of (Request, value)
        What each request gave.
    """

    outcome: Outcome
    query: bytes | None
    group: Group | None
    values: tuple[tuple[Request, Summarised], ...]

    @property
    def name(self) -> bytes:
        """The query as outputs show it, ``all``, or ``all`` with the name of the group."""
        if self.query is not None:
            return disambiguate(self.query, bool(self.outcome.groups))
        return b"all" if self.group is None else b"all:" + self.group.name

    @property
    def size(self) -> int:
        """How many queries the averages of a row for several queries divide by."""
        return self.outcome.scores.considered if self.group is None else self.group.size


@dataclass(frozen=True, eq=False)
class Result:
    """Evaluations, ready to be shown.

    Attributes
    ----------
    outcomes : tuple of Outcome
        For every run in turn, one for every set of judgments. All have the same columns.
    settings : Settings
        How they were made.
    policy : str
        Which queries count, in words.
    inputs : tuple of Input
        The files, where they were asked for.
    per_query, summarised : bool
        Whether the values of single queries, and those for all of them, are wanted.
    version : str
        The version of irev that computed it.
    zscores : bool
        Whether its values are z-scores of what the requests ask for.
    """

    outcomes: tuple[Outcome, ...]
    settings: Settings
    policy: str = ""
    inputs: tuple[Input, ...] = ()
    per_query: bool = False
    summarised: bool = True
    version: str = __version__
    zscores: bool = False

    @property
    def requests(self) -> tuple[Request, ...]:
        """What was asked for."""
        return tuple(column.request for column in self.outcomes[0].scores.columns)

    @property
    def several_runs(self) -> bool:
        """Whether there is more than one run."""
        return len({outcome.run for outcome in self.outcomes}) > 1

    @property
    def several_qrels(self) -> bool:
        """Whether there is more than one set of judgments."""
        return len({outcome.qrels for outcome in self.outcomes}) > 1

    def is_odd(self, outcome: Outcome) -> bool:
        """Whether an outcome is averaged over other queries than most runs of those under the same judgments."""
        return outcome.scores.queries != self._usual[outcome.qrels]

    @cached_property
    def _usual(self) -> dict[str, Sequence[bytes]]:
        """The queries that most of the outcomes under each set of judgments are averaged over."""
        counts: dict[str, Counter[Sequence[bytes]]] = {}
        for outcome in self.outcomes:
            counts.setdefault(outcome.qrels, Counter())[outcome.scores.queries] += 1
        return {qrels: counted.most_common(1)[0][0] for qrels, counted in counts.items()}

    @property
    def grouped(self) -> bool:
        """Whether queries are in groups."""
        return any(outcome.groups for outcome in self.outcomes)


def rows(result: Result) -> Iterator[Row]:
    """The numbers of a result: of every outcome in turn its queries, then all of them, then its groups."""
    for outcome in result.outcomes:
        if result.per_query:
            yield from query_rows(outcome)
        if result.summarised:
            yield from summary_rows(outcome)


TOGETHER = 1 << 14
"""Queries whose numbers are made objects of at the same time, which are four times as long as they."""


def query_rows(outcome: Outcome) -> Iterator[Row]:
    """A row for each query, with the measures that have a value for one."""
    requests = [column.request for column in outcome.columns]
    queries = outcome.scores.queries
    for begin in range(0, len(queries), TOGETHER):
        part = slice(begin, begin + TOGETHER)
        table = zip(queries[part], *(column.values[part].tolist() for column in outcome.columns), strict=True)
        for query, *values in table:
            yield Row(outcome, query, outcome.group_of.get(query), tuple(zip(requests, values, strict=True)))


def summary_rows(outcome: Outcome) -> Iterator[Row]:
    """A row for all queries, and one for each group, with the measures that have a value for several."""
    requests = [column.request for column in outcome.scores.columns]
    for group in (None, *outcome.groups):
        values = (outcome.summary if group is None else group.summary).values
        yield Row(outcome, None, group, tuple((r, v) for r, v in zip(requests, values, strict=True) if v is not None))


class Worst(NamedTuple):
    """The query with the worst value of a measure.

    Attributes
    ----------
    query : bytes
    queries : int
        Of how many it is the worst.
    some : bool
        Whether these are those for which anything is relevant, and others are there.
    """

    query: bytes
    queries: int
    some: bool


def worst(scores: Scores, by: Request, relevant: Sequence[bool]) -> Worst:
    """The query with the worst value of a measure, the first of equal ones.

    `relevant` says of each query whether anything is relevant for it. Where that is so of some, the others are not
    looked at: most measures are 0 there, whatever is retrieved.
    """
    queries = len(scores.queries)
    places = _sorted(scores.columns, queries, by)
    kept = [place for place in places if relevant[place]] or places
    return Worst(scores.queries[kept[0]], len(kept), len(kept) < queries)


def order(outcome: Outcome, sort: Request | None, descending: bool | None = None) -> list[int]:
    """The places of an outcome's queries as they are to stand: in their order, or by a measure, worst first.

    Where `descending` is given, the highest stand first, or the lowest. What is not a number stands last.
    """
    return _sorted(outcome.columns, len(outcome.scores.queries), sort, descending)


def _sorted(columns: Sequence[Column], queries: int, sort: Request | None, descending: bool | None = None) -> list[int]:
    places = list(range(queries))
    for column in columns:
        if sort is not None and column.request == sort.base:
            values = column.values.tolist()
            sign = -1 if (column.request.better == "lower" if descending is None else descending) else 1
            places.sort(key=lambda i: (values[i] != values[i], sign * values[i]))
    return places


def on_same_queries(outcomes: Sequence[Outcome]) -> tuple[tuple[Outcome, ...], tuple[bytes, ...]]:
    """The outcomes with the queries that all of them have under the same judgments, and the queries that some lack.

    Columns without values of single queries, as saved results have them, are left out where queries are. Raises
    `InputError` when they have no query in common.
    """
    found: list[Outcome] = []
    left_out: set[bytes] = set()
    for qrels in dict.fromkeys(outcome.qrels for outcome in outcomes):
        kept, some = _on_same_queries([outcome for outcome in outcomes if outcome.qrels == qrels])
        found += kept
        left_out.update(some)
    return tuple(found), tuple(sorted(left_out))


def _on_same_queries(outcomes: Sequence[Outcome]) -> tuple[tuple[Outcome, ...], tuple[bytes, ...]]:
    """The same under one set of judgments."""
    common, some = common_queries([outcome.scores.queries for outcome in outcomes])
    return tuple(_part(outcome, common) for outcome in outcomes) if some else tuple(outcomes), some


def common_queries(of_each: Sequence[Sequence[bytes]]) -> tuple[set[bytes], tuple[bytes, ...]]:
    """The queries that all of some runs have, and those that some of them lack.

    Raises `InputError` where there are none that all have.
    """
    every = [set(queries) for queries in of_each]
    common = set.intersection(*every)
    if not common:
        remedy = f"{option('queries', 'qrels')} counts all that are judged"
        raise InputError("the runs have no query in common", remedy=remedy)
    return common, tuple(sorted(set.union(*every) - common))


def _part(outcome: Outcome, queries: set[bytes]) -> Outcome:
    size = len(outcome.scores.queries)
    columns = tuple(column for column in outcome.scores.columns if len(column.values) == size)
    scores = replace(outcome.scores, columns=columns).of([query in queries for query in outcome.scores.queries])
    return replace(outcome, scores=scores, summary=summarise(scores), groups=())
