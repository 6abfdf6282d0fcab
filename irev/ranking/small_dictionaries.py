"""Rankings of few documents, in plain Python: what programs hand in when they evaluate one query at a time.

A call of numpy takes about as long as sorting ten documents does, and indexing and ranking by arrays is two hundred
such calls. So small dictionaries go this way, if they hold nothing unusual. What comes out is what `reading.memory`
and `ranking.ranking` would give, to the last bit, but for `LeftOut.strangers`, which programs do not ask for; whatever
is unusual, errors included, is left to these.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.base.settings import Settings
from irev.ranking import ranking
from irev.ranking.ranked import Ranked
from irev.ranking.ranking import LeftOut
from irev.reading import memory
from irev.reading.judgments import LARGEST, Judgments

MOST = 400
"""Documents of all queries together; more are faster by arrays."""


@dataclass(frozen=True, eq=False)
class FewJudgments:
    """The judgments of a small dictionary, with what ranking few documents wants to know of `Judgments`.

    Attributes
    ----------
    written : dict
        The dictionary, copied.
    settings : Settings
        What they are read with.
    queries : tuple of bytes
        Judged queries, in byte order.
    index : dict of bytes
        The same, to look one up.
    grades : dict of bytes to (dict, float array)
        What `of_query` gives.
    """

    written: dict[str, dict[str, float]]
    settings: Settings
    queries: tuple[bytes, ...]
    index: dict[bytes, int]
    grades: dict[bytes, tuple[dict[str, float], Floats]]
    name: ClassVar[str] = "qrels"
    details: ClassVar[None] = None
    neighbours: ClassVar[bool] = False
    relevant_only: ClassVar[bool] = False

    def of_query(self, query: bytes) -> tuple[dict[str, float], Floats]:
        """As `Judgments.of_query`."""
        return self.grades[query]

    @cached_property
    def positive(self) -> int:
        """How many grades are above 0."""
        return sum(int(np.count_nonzero(falling > 0)) for _, falling in self.grades.values())

    @cached_property
    def highest(self) -> float:
        """The highest grade."""
        return max(float(falling[0]) for _, falling in self.grades.values())

    @property
    def grade(self) -> Floats:
        """All grades."""
        return np.concatenate([falling for _, falling in self.grades.values()])

    @cached_property
    def indexed(self) -> Judgments:
        """The same for any number of documents."""
        return memory.judgments(self.written, self.settings)


def judgments(data: object, settings: Settings) -> Judgments | FewJudgments:
    """Judgments in memory: `FewJudgments` where they are few and usual, else as `memory.judgments` gives them."""
    few = _few_judgments(data, settings) if type(data) is dict and settings.negative != "error" else None
    return few or memory.judgments(data, settings)


def indexed(judgments: Judgments | FewJudgments) -> Judgments:
    """Judgments for any number of documents."""
    return judgments.indexed if isinstance(judgments, FewJudgments) else judgments


def _few_judgments(data: dict[Any, Any], settings: Settings) -> FewJudgments | None:
    if not data or not _is_small(data):
        return None
    grades = {}
    written = {query: dict(documents) for query, documents in data.items()}
    for query, documents in written.items():
        name, values = _query(query), _numbers(documents)
        if name is None or values is None or not all(-LARGEST <= value <= LARGEST for value in values):
            return None
        least = 0.0 if settings.negative == "nonrelevant" else -math.inf
        of_documents = [max(value, least) + 0.0 for value in values]  # a grade of -0 is 0
        falling = np.array(sorted(of_documents, reverse=True))
        grades[name] = dict(zip(documents, of_documents, strict=True)), falling
    queries = tuple(sorted(grades))
    return FewJudgments(written, settings, queries, {query: place for place, query in enumerate(queries)}, grades)


def rank_nested(
    judgments: Judgments | FewJudgments, run: memory.Listed, settings: Settings, tag: bytes
) -> tuple[Ranked, LeftOut]:
    """Rank a run of dictionaries, or of lists; arguments and results are those of `ranking.rank_blocks`."""
    found = _few(judgments, run, settings, tag)
    return found or ranking.rank_blocks(indexed(judgments), memory.blocks(run, settings), "run", tag, settings)


def _is_usual(settings: Settings) -> bool:
    """Whether the settings ask for nothing that only `ranking` does."""
    return (
        settings.order == "score"
        and settings.queries == "both"
        and settings.only is None
        and settings.gains is None
        and settings.costs is None
        and not (settings.strict or settings.drop_self)
    )


class FewQuery(NamedTuple):
    """One query that counts.

    Attributes
    ----------
    name : bytes
    rows : list of (float, str)
        Its documents, best first.
    hits : list of (int, int, int, int)
        Of each that is judged: which of the queries it is of, its rank, and the first and last rank of its tie.
    grades : mapping of str to float
        The judgments of the query.
    falling : float array
        Their grades, highest first.
    """

    name: bytes
    rows: list[tuple[float, str]]
    hits: list[tuple[int, int, int, int]]
    grades: Mapping[str, float]
    falling: Floats


class FewRankings(NamedTuple):
    """The queries that count, which of them the run lacks, and those that are left out."""

    queries: list[FewQuery]
    missing: list[bool]
    left_out: LeftOut


def few_rankings(judgments: Judgments | FewJudgments, run: memory.Listed, settings: Settings) -> FewRankings | None:
    """The rankings of a run, not cut, or None for what is too large or in any way unusual, and for judgments that are
    more than grades."""
    if not isinstance(judgments, FewJudgments) and judgments.details is not None:
        return None
    if not isinstance(run, Mapping) or not _is_usual(settings) or not _is_small(run):
        return None
    dictionaries: Mapping[Any, Any] = run
    rankings: dict[bytes, list[tuple[float, str]]] = {}
    for query, documents in dictionaries.items():
        known, scores = _query(query), _numbers(documents)
        if known is None or scores is None:
            return None
        if settings.single_precision:
            scores = array("f", scores)
        rankings[known] = _ranked(list(zip(scores, documents, strict=True)), settings.ties)
    everything = settings.complete and not settings.single_precision
    evaluated = sorted(name for name in rankings if name in judgments.index)
    if everything and evaluated:
        evaluated = list(judgments.queries)
    if not evaluated or len(evaluated) > MOST:
        return None
    queries = []
    for owner, name in enumerate(evaluated):
        rows = rankings.get(name, [])
        grades, falling = judgments.of_query(name)
        queries.append(FewQuery(name, rows, _hits(owner, rows, grades), grades, falling))
    left_out = LeftOut(
        tuple(name for name in judgments.queries if name not in rankings),
        tuple(sorted(name for name in rankings if name not in judgments.index)),
        not_retrieved_count=settings.complete,
        not_judged_count=False,
    )
    return FewRankings(queries, [name not in rankings for name in evaluated], left_out)


def _few(
    judgments: Judgments | FewJudgments, run: memory.Listed, settings: Settings, tag: bytes
) -> tuple[Ranked, LeftOut] | None:
    """The rankings as arrays, or None as `few_rankings`."""
    few = few_rankings(judgments, run, settings)
    if few is None:
        return None
    queries = few.queries
    hits = [hit for query in queries for hit in query.hits]
    of_hits = [query.grades[query.rows[rank - 1][1]] for query in queries for _, rank, _, _ in query.hits]
    judged = [query.falling for query in queries]
    owner_of, rank, first, last = np.array(hits, dtype=np.int64).reshape(-1, 4).T.copy()
    alone = len(judged) == 1
    ranked = Ranked(
        settings=settings.uncut,
        queries=tuple(query.name for query in queries),
        missing=np.array(few.missing, dtype=bool),
        retrieved=np.array([len(query.rows) for query in queries], dtype=np.int64),
        owner=owner_of,
        rank=rank,
        grade=np.array(of_hits, dtype=np.float64),
        tie_first=first,
        tie_last=last,
        judged_owner=np.zeros(len(judged[0]), dtype=np.int64)
        if alone
        else np.repeat(np.arange(len(judged)), list(map(len, judged))),
        judged_grade=judged[0] if alone else np.concatenate(judged),
        considered=len(judgments.queries) if settings.complete else len(queries),
        positive_judgments=judgments.positive,
        highest_grade=judgments.highest,
        tag=tag,
    )
    return ranked.at(depth=settings.depth, judged_only=settings.judged_only), few.left_out


def _is_small(data: Mapping[Any, Any]) -> bool:
    """Whether these are dictionaries of few documents, and at least one."""
    usual = all(type(documents) is dict and documents for documents in data.values())
    return usual and sum(map(len, data.values())) <= MOST


def _query(query: object) -> bytes | None:
    """The bytes of a query id, or None for an unusual one."""
    if type(query) is not str or not query or "\0" in query:
        return None
    try:
        return query.encode()
    except UnicodeEncodeError:
        return None


def _numbers(documents: Mapping[str, float]) -> array[float] | None:
    """The scores or grades of documents, or None where one is no number, or one of the ids is unusual."""
    try:
        joined = "".join(documents)
        if not joined.isascii():
            joined.encode()
        numbers = array("d", documents.values())
    except (TypeError, OverflowError, UnicodeEncodeError):
        return None
    usual = set(map(type, documents.values())) <= _NUMBERS and not ("\0" in joined or "" in documents)
    return numbers if usual and all(number == number for number in numbers) else None


_NUMBERS = {float, int, np.float64}


def _ranked(rows: list[tuple[float, str]], ties: str) -> list[tuple[float, str]]:
    """Rows by falling score. The order of the characters of ids is that of their bytes."""
    if ties == "file":
        return sorted(rows, key=lambda row: -row[0])
    if ties == "docid-asc":
        return sorted(rows, key=lambda row: (-row[0], row[1]))
    return sorted(rows, reverse=True)


def _hits(owner: int, rows: list[tuple[float, str]], grades: Mapping[str, float]) -> list[tuple[int, int, int, int]]:
    """Query, rank, and first and last rank of its tie of each document that is judged."""
    hits: list[tuple[int, int, int, int]] = []
    for place, (score, document) in enumerate(rows):
        if document in grades:
            first = last = place
            while first and rows[first - 1][0] == score:
                first -= 1
            while last + 1 < len(rows) and rows[last + 1][0] == score:
                last += 1
            hits.append((owner, place + 1, first + 1, last + 1))
    return hits
