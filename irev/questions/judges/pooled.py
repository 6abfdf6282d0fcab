"""The judgments of several judges side by side: a row for each pair of query and document, a column for each judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import named
from irev.errors import InputError, UsageError, decimal, shown
from irev.questions.judges.choices import JudgeScale
from irev.reading import ids
from irev.reading.flat_ids import FlatIds
from irev.reading.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Pooled:
    """Judgments of several judges, `p` pairs of a query and a document that any of them judged.

    Attributes
    ----------
    names : tuple of str, length m
        What judges are called.
    queries : tuple of bytes
        In byte order.
    query : (p,)
        The place of each pair's query; rising.
    grades : (p, m)
        NaN where a judge gave none.
    left_out : tuple of int, length m
        Judgments with a negative grade.
    mapped : frozenset of str
        Judges whose scale was said.
    """

    names: tuple[str, ...]
    queries: tuple[bytes, ...]
    query: Ints
    grades: Floats
    left_out: tuple[int, ...]
    mapped: frozenset[str]
    _judgments: tuple[Judgments, ...] = field(repr=False)
    _place: tuple[Ints, Ints] = field(repr=False)

    def document(self, pair: int) -> bytes:
        """The document of a pair."""
        judge, row = (int(of[pair]) for of in self._place)
        judgments = self._judgments[judge]
        return ids.at(judgments.text, judgments.document_start[row], judgments.document_length[row])

    @property
    def judged(self) -> Bools:
        """(p, m) Who judged what."""
        return ~np.isnan(self.grades)


def pool(given: Sequence[tuple[str, Judgments]], scales: Sequence[JudgeScale] = ()) -> Pooled:
    """Bring judgments onto the same pairs of query and document.

    Parameters
    ----------
    given : sequence of (str, Judgments)
        The judgments of each judge, by names of which no two are alike; negative grades are left out.
    scales : sequence of JudgeScale
        What grades come to.

    Raises
    ------
    UsageError
        For fewer than two judges, two that are called alike, and a scale of nobody.
    InputError
        For a grade that its scale does not have, and judges without a pair in common.
    """
    names, judgments = [name for name, _ in given], [each for _, each in given]
    if len(names) < 2:
        raise UsageError("there is nobody to agree with", remedy="give the judgments of at least two judges")
    if len(set(names)) < len(names):
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise UsageError(f"two judges are called {named(again)}", remedy="NAME=FILE calls a judge otherwise")
    for scale in scales:
        if scale.judge is not None and scale.judge not in names:
            raise UsageError(
                f"there is no judge {named(scale.judge)}", remedy=f"there are {', '.join(map(named, names))}"
            )
    for each in judgments:
        if not each.assigned:
            each.require_grades("agreement is")
    queries = tuple(sorted({query for each in judgments for query in each.queries}))
    place = {query: number for number, query in enumerate(queries)}
    kept: list[Ints] = []
    grades: list[Floats] = []
    for name, each in zip(names, judgments, strict=True):
        rows = np.flatnonzero(each.grade >= 0)
        kept.append(rows)
        grades.append(_scaled(name, each, rows, scales))
    own = [np.array([place[query] for query in each.queries], dtype=np.int64) for each in judgments]
    pairs: list[Ints] = []  # of each judge, the pair of each row that is kept
    first: list[tuple[int, Ints]] = []  # judges, and the rows of pairs that nobody before them judged
    count = 0
    for judge, (each, rows) in enumerate(zip(judgments, kept, strict=True)):
        pair = np.full(len(rows), -1, dtype=np.int64)
        for earlier in range(judge):
            _find(each, rows, judgments[earlier], kept[earlier], pairs[earlier], pair)
        new = np.flatnonzero(pair < 0)
        pair[new] = count + np.arange(len(new))
        count += len(new)
        pairs.append(pair)
        first.append((judge, rows[new]))
    found = np.full((count, len(names)), np.nan)
    for judge, pair in enumerate(pairs):
        found[pair, judge] = grades[judge]
    judge_of = np.concatenate([np.full(len(rows), judge) for judge, rows in first])
    row_of = np.concatenate([rows for _, rows in first])
    query = np.concatenate([own[judge][judgments[judge].query[rows]] for judge, rows in first])
    start = np.concatenate([judgments[judge].document_start[rows].astype(np.int64) for judge, rows in first])
    order = np.lexsort((start, judge_of, query))
    pooled = Pooled(
        tuple(names),
        queries,
        query[order],
        found[order],
        tuple(len(each.grade) - len(rows) for each, rows in zip(judgments, kept, strict=True)),
        frozenset(name for name in names if _scale_of(name, scales) is not None),
        tuple(judgments),
        (judge_of[order], row_of[order]),
    )
    if not (pooled.judged.sum(axis=1) > 1).any():
        fact = "no document of a query was judged by two judges"
        unless = ", and any grade not negative" if any(pooled.left_out) else ""
        raise InputError(fact, remedy=f"are the ids of queries and documents the same in all files{unless}?")
    return pooled


def _find(each: Judgments, rows: Ints, other: Judgments, kept: Ints, pairs: Ints, pair: Ints) -> None:
    """Set the pairs of rows that another judge judged too."""
    missing = np.flatnonzero(pair < 0)
    some = rows[missing]
    query = other.places(each.queries)[each.query[some]]
    start, length = each.document_start[some].astype(np.int64), each.document_length[some].astype(np.int64)
    seeds = FlatIds.of(each.queries).keys[each.query[some]]
    key = ids.keys(each.text, start, length, seeds)
    here, there = other.find(each.text, query, start, length, key)
    pair_of = np.full(len(other.grade), -1, dtype=np.int64)
    pair_of[kept] = pairs
    pair[missing[here]] = pair_of[there]


def _scale_of(name: str, scales: Sequence[JudgeScale]) -> JudgeScale | None:
    """The scale of a judge: their own, or else that of all."""
    own = [scale for scale in scales if scale.judge == name]
    return next(iter(own or [scale for scale in scales if scale.judge is None]), None)


def _scaled(name: str, judgments: Judgments, rows: Ints, scales: Sequence[JudgeScale]) -> Floats:
    """What the grades of some rows come to."""
    grade = judgments.grade[rows]
    scale = _scale_of(name, scales)
    if scale is None:
        return grade
    known = dict(scale.grades)
    found = np.full(len(grade), np.nan)
    for given, meant in known.items():
        found[grade == given] = meant
    unknown = np.flatnonzero(np.isnan(found))
    if len(unknown):
        row = int(unknown[judgments.document_start[rows[unknown]].argmin()])  # the earliest in the file
        at = rows[row]
        document = ids.at(judgments.text, judgments.document_start[at], judgments.document_length[at])
        query = judgments.queries[judgments.query[at]]
        fact = f"document {shown(document)} of query {shown(query)} has grade {decimal(grade[row])}"
        expected = ", ".join(decimal(given) for given in known)
        raise InputError(f"{fact}, which the scale has not", judgments.name, f"--scale has {expected}; add it there")
    return found
