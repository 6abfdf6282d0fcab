"""A pool: the documents of each query that are to be judged, and what every run contributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from irev.analysis.pools import depth, difference, fusion, lots, maxmean, strata
from irev.analysis.pools.candidates import Candidates, GatheredRuns
from irev.analysis.pools.selection import Selection
from irev.analysis.pools.strata import Sample
from irev.analysis.pools.wanted import DIFFERENCE, MAXMEAN, RRF, STRATA, PoolWanted
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.errors import InputError, UsageError, shown
from irev.reading.judgments import Judgments


class PooledQuery(NamedTuple):
    """The pool of one query, of which `t` documents are to be judged.

    Attributes
    ----------
    query : bytes
    documents : tuple of bytes, length t
        Those to be judged, as they are given out.
    best, found_by : int (t,)
        The best rank of each in any run, and how many runs have it.
    value : float (t,) or None
        What they were chosen by, as `irev.analysis.pools.selection.Selection` has it.
    stratum : int (t,) or None
    size : int
        Documents of the pool, with those that are judged.
    sample : Sample or None
        The strata that they were drawn from, where these are wanted.
    """

    query: bytes
    documents: tuple[bytes, ...]
    best: Ints
    found_by: Ints
    value: Floats | None
    stratum: Ints | None
    size: int
    sample: Sample | None = None


class Contribution(NamedTuple):
    """What a run has of the pool: documents, those among them that no other run has, and those to be judged."""

    run: str
    documents: int
    unique: int
    to_judge: int


@dataclass(frozen=True, eq=False)
class PoolOfRuns:
    """The pool of some runs.

    Attributes
    ----------
    wanted : PoolWanted
    queries : tuple of PooledQuery
        In byte order; those without a document to judge too.
    contributions : tuple of Contribution
        In the order of the runs.
    judgments : str or None
        What the judgments are called that were left out.
    overspent : tuple of bytes
        Queries that have more judgments than the budget already.
    strangers : bool
        Whether no document that was looked at is judged, though judgments are given.
    """

    wanted: PoolWanted
    queries: tuple[PooledQuery, ...]
    contributions: tuple[Contribution, ...]
    judgments: str | None = None
    overspent: tuple[bytes, ...] = ()
    strangers: bool = False

    @property
    def size(self) -> int:
        """Documents of the pool, with those that are judged."""
        return sum(each.size for each in self.queries)

    @property
    def to_judge(self) -> int:
        """Documents to be judged."""
        return sum(len(each.documents) for each in self.queries)


def make(
    gathered: GatheredRuns,
    names: Sequence[str],
    judgments: Judgments | None,
    wanted: PoolWanted,
    *,
    samples: bool = False,
) -> PoolOfRuns:
    """The pool of runs that were gathered, which are given away.

    Parameters
    ----------
    gathered : GatheredRuns
    names : sequence of str
        What the runs are called.
    judgments : Judgments or None
        What is judged already.
    wanted : PoolWanted
    samples : bool
        Whether the strata are kept, for files that list all of their documents.

    Raises
    ------
    UsageError
        By difference, for runs that are not two.
    InputError
        For a run that has no query in common with the others, judgments that have none with the runs, and a budget
        that every query has spent, and more.
    """
    require_made(wanted, len(names))
    _require_common(gathered, names)
    if judgments is not None:
        _require_judged(gathered, judgments)
    choose = _chooser(wanted)
    parts, known, overspent = [], False, []
    for candidates in gathered.candidates(judgments, wanted.level):
        chosen, sample = choose(candidates)
        parts.append(_part(candidates, chosen, sample if samples else None))
        known |= not candidates.unjudged.all()
        if wanted.budget is not None and candidates.judged > wanted.budget:
            overspent.append((candidates.query, candidates.judged))
    if overspent and len(overspent) == len(parts):
        _refuse_overspent(*overspent[0], wanted, judgments)
    if wanted.by == DIFFERENCE and wanted.next is not None:
        parts = _heaviest(parts, wanted.next)
    counts = sum((part.contributed() for part in parts), np.zeros((3, len(names)), dtype=np.int64))
    return PoolOfRuns(
        wanted,
        tuple(part.given(wanted) for part in parts),
        tuple(Contribution(name, *numbers) for name, numbers in zip(names, counts.T.tolist(), strict=True)),
        None if judgments is None else judgments.name,
        tuple(query for query, _ in overspent),
        judgments is not None and not known,
    )


def require_made(wanted: PoolWanted, runs: int) -> None:
    """Raise `UsageError` for a pool that so many runs make none of, and for a measure that weighs no documents."""
    if wanted.by == DIFFERENCE:
        difference.weighing(wanted.measure)
        if runs != 2:
            fact = f"--by difference tells two runs apart, and there {'is' if runs == 1 else 'are'} {runs}"
            raise UsageError(fact, remedy="name two")


def _require_common(gathered: GatheredRuns, names: Sequence[str]) -> None:
    """Refuse a run that has no query in common with any of the others."""
    counts = gathered.counts
    for name, queries in zip(names, gathered.queries, strict=True):
        if len(names) > 1 and all(counts[query] == 1 for query in queries):
            other = next((query for query in sorted(counts) if query not in queries), b"")
            fact = f"it has no query in common with the other runs: it has {shown(min(queries))}"
            fact = f"{fact}, they have {shown(other)}"
            raise InputError(fact, name, "are the runs of the same topics?")


def _require_judged(gathered: GatheredRuns, judgments: Judgments) -> None:
    """Refuse judgments that have no query in common with the runs."""
    if gathered.counts.keys().isdisjoint(judgments.queries):
        fact = f"no run has a query that is judged: the runs have {shown(min(gathered.counts))}, the judgments"
        fact = f"{fact} {shown(judgments.queries[0])}"
        raise InputError(fact, judgments.name, "do the judgments belong to the runs?")


def _refuse_overspent(query: bytes, judged: int, wanted: PoolWanted, judgments: Judgments | None) -> None:
    fact = f"every query has more judgments than the budget of {wanted.budget}: query {shown(query)} has {judged}"
    name = judgments.name if judgments is not None else ""
    raise InputError(fact, name, "--budget counts those that there are; give a larger one")


class _Part(NamedTuple):
    """The pool of one query, its `c` documents best first, with those that are judged.

    `has` (c, r) says which runs have a document, `unjudged` (c,) whether it is to be judged.
    """

    query: bytes
    documents: tuple[bytes, ...]
    has: Bools
    unjudged: Bools
    best: Ints
    value: Floats | None
    stratum: Ints | None
    sample: Sample | None

    def contributed(self) -> Ints:
        """(3, r) For each run, the counts of `Contribution`."""
        unique = self.has.sum(axis=1) == 1
        return np.stack([self.has[rows].sum(axis=0) for rows in (slice(None), unique, self.unjudged)])

    def at(self, rows: Ints) -> _Part:
        """Some of the documents alone, in this order."""
        return self._replace(
            documents=tuple(self.documents[row] for row in rows.tolist()),
            has=self.has[rows],
            unjudged=self.unjudged[rows],
            best=self.best[rows],
            value=None if self.value is None else self.value[rows],
            stratum=None if self.stratum is None else self.stratum[rows],
        )

    def given(self, wanted: PoolWanted) -> PooledQuery:
        """What is to be judged, as it is given out."""
        rows = np.flatnonzero(self.unjudged)
        if not wanted.in_order:
            by_lot = lots.drawn(wanted.seed, lots.ORDER, self.query, self.documents, rows.tolist())
            rows = np.array(by_lot, dtype=np.int64)
        left = self.at(rows)
        found_by = left.has.sum(axis=1)
        size = len(self.documents)
        return PooledQuery(self.query, left.documents, left.best, found_by, left.value, left.stratum, size, self.sample)


def _part(candidates: Candidates, chosen: Selection, sample: Sample | None) -> _Part:
    has = np.zeros((len(candidates.documents), candidates.runs), dtype=bool)
    has[candidates.document, candidates.run] = True
    return _Part(
        candidates.query,
        tuple(candidates.documents[place] for place in chosen.documents.tolist()),
        has[chosen.documents],
        candidates.unjudged[chosen.documents],
        candidates.best[chosen.documents],
        chosen.value,
        chosen.stratum,
        sample,
    )


def _chooser(wanted: PoolWanted) -> Callable[[Candidates], tuple[Selection, Sample | None]]:
    """What takes of the candidates of a query those that are wanted."""
    if wanted.by == STRATA:

        def drawn(candidates: Candidates) -> tuple[Selection, Sample]:
            sample = strata.sample(candidates, wanted.strata, wanted.seed)
            return strata.choose(candidates, sample), sample

        return drawn
    if wanted.by == DIFFERENCE:
        weights = difference.weighing(wanted.measure).weights
        return lambda candidates: (difference.choose(candidates, wanted.next or 1, wanted.level, weights), None)
    if wanted.by == RRF:
        return lambda candidates: (fusion.choose(candidates, wanted.budget or 0), None)
    if wanted.by == MAXMEAN:
        return lambda candidates: (maxmean.choose(candidates, wanted.budget, wanted.next or 1, wanted.level), None)
    return lambda candidates: (depth.choose(candidates), None)


def _heaviest(parts: Sequence[_Part], most: int) -> list[_Part]:
    """Of the documents of all queries those of the highest values, at most so many; of equal ones the first query's."""
    value = np.concatenate([part.value for part in parts if part.value is not None])
    owner = np.repeat(np.arange(len(parts)), [len(part.documents) for part in parts])
    chosen = np.sort(np.argsort(-value, kind="stable")[:most])
    starts = np.searchsorted(owner, np.arange(len(parts)))
    return [
        part.at(chosen[owner[chosen] == number] - start)
        for number, (part, start) in enumerate(zip(parts, starts.tolist(), strict=True))
    ]
