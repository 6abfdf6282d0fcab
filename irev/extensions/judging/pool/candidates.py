"""Runs brought together by query: which documents they have, at which ranks, and which of these are judged already;
and the ways to choose among them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from irev.base.records import cached_property, dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.extensions.judging.pool import Stratum
from irev.ranking.fusion import reciprocal
from irev.ranking.fusion.fused import summed
from irev.ranking.ranking import First
from irev.reading.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Candidates:
    """The documents of one query, `d` of them, that `r` runs have, and their `n` places in these.

    Attributes
    ----------
    query : bytes
    documents : sequence of bytes, length d
        Highest bytes first, as irev orders what ties; so a place that comes earlier wins a tie.
    run, rank, document : int (n,)
        A run, a rank in it counting from 1, and the place of the document in `documents`. By run, then by rank.
    runs : int
        How many runs there are, those that lack the query included.
    grade : float (d,)
        The grade of a document that is judged, NaN for any other; one with a negative grade is not judged.
    judged, relevant : int
        Judgments of the query, of whatever document, and those among them that reach the relevance level.
    """

    query: bytes
    documents: list[bytes]
    run: Ints
    rank: Ints
    document: Ints
    runs: int
    grade: Floats
    judged: int
    relevant: int

    @cached_property
    def unjudged(self) -> Bools:
        """(d,) Whether a document is still to be judged."""
        return np.isnan(self.grade)

    @cached_property
    def best(self) -> Ints:
        """(d,) The best rank of each document in any run."""
        found = np.full(len(self.documents), np.iinfo(np.int64).max)
        np.minimum.at(found, self.document, self.rank)
        return found

    @cached_property
    def found_by(self) -> Ints:
        """(d,) How many runs have each document."""
        return np.bincount(self.document, minlength=len(self.documents))


class GatheredRuns:
    """Runs, one after the other, taken apart by query: each document is kept once, and of a run four bytes for each.

    Attributes
    ----------
    queries : list of frozenset of bytes
        Those of each run.
    counts : Counter of bytes
        How many runs have each query.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, dict[bytes, int]] = {}
        self._rankings: dict[bytes, list[tuple[int, Ints]]] = {}
        self.queries: list[frozenset[bytes]] = []
        self.counts: Counter[bytes] = Counter()
        self._prints: list[int] = []

    def add(self, first: First) -> None:
        """Take the next run, as `irev.ranking.ranking.first_documents` gives it."""
        run = len(self.queries)
        for query, documents in first.items():
            number = self._numbers.setdefault(query, {})
            found = [number.setdefault(document, len(number)) for document in documents]
            self._rankings.setdefault(query, []).append((run, np.array(found, dtype=np.int32)))
        self.queries.append(frozenset(first))
        self.counts.update(first.keys())
        self._prints.append(hash(frozenset(first.items())))

    def lacking(self, run: int) -> list[bytes]:
        """The queries that other runs have, and this one lacks, in byte order."""
        return sorted(self.counts.keys() - self.queries[run])

    def same_as(self, run: int) -> list[int]:
        """The runs before this one of which as much as was kept is the same."""
        return [other for other in range(run) if self._prints[other] == self._prints[run] and self._alike(other, run)]

    def _alike(self, run: int, other: int) -> bool:
        """Return True if two runs have the same documents; equal hashes alone may be chance."""
        if self.queries[run] != self.queries[other]:
            return False
        rankings = (dict(self._rankings[query]) for query in self.queries[run])
        return all(np.array_equal(found[run], found[other]) for found in rankings)

    def candidates(self, judgments: Judgments | None, level: float) -> Iterator[Candidates]:
        """Every query in byte order; what was gathered of it is given away."""
        for query in sorted(self._rankings):
            yield self._of(query, judgments.graded(query) if judgments is not None else {}, level)

    def _of(self, query: bytes, judged: dict[bytes, float], level: float) -> Candidates:
        by_arrival = list(self._numbers.pop(query))
        order = sorted(range(len(by_arrival)), key=by_arrival.__getitem__, reverse=True)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        documents = [by_arrival[number] for number in order]
        rankings = self._rankings.pop(query)
        lengths = [len(found) for _, found in rankings]
        judged = {document: grade for document, grade in judged.items() if grade >= 0}
        return Candidates(
            query,
            documents,
            np.repeat(np.array([run for run, _ in rankings], dtype=np.int64), lengths),
            np.concatenate([np.arange(1, length + 1) for length in lengths]),
            place[np.concatenate([found for _, found in rankings])],
            len(self.queries),
            np.array([judged.get(document, np.nan) for document in documents], dtype=np.float64),
            len(judged),
            sum(grade >= level for grade in judged.values()),
        )


class Selection(NamedTuple):
    """The documents of one query that make its pool, `c` of them.

    Attributes
    ----------
    documents : int (c,)
        Their places among the candidates, best first; those that are judged already stand among them.
    value : float (c,) or None
        What they were chosen by, where that is more than ranks.
    stratum : int (c,) or None
        Counting from 1, of a sample.
    """

    documents: Ints
    value: Floats | None = None
    stratum: Ints | None = None


def by_depth(candidates: Candidates) -> Selection:
    """All candidates, of which no more were read than are asked for; best rank first, equal ones by id, highest first.

    Karen Spärck Jones and Keith van Rijsbergen, Report on the Need for and Provision of an "Ideal" Information
    Retrieval Test Collection, Cambridge 1975.
    """
    return Selection(np.argsort(candidates.best, kind="stable"))


def by_fusion(candidates: Candidates, budget: int) -> Selection:
    """The documents of the highest scores that are not judged, as many as the budget has left; ties by id.

    Reciprocal rank fusion: Gordon Cormack, Charles Clarke and Stefan Büttcher, Reciprocal Rank Fusion Outperforms
    Condorcet and Individual Rank Learning Methods, SIGIR 2009.
    """
    score = fused(candidates)
    order = np.argsort(-score, kind="stable")
    order = order[candidates.unjudged[order]][: max(budget - candidates.judged, 0)]
    return Selection(order, score[order])


def fused(candidates: Candidates) -> Floats:
    """(d,) The sum of 1 / (60 + rank) over the runs that have a document, as ``irev fuse`` has it."""
    return summed(reciprocal(candidates.rank), candidates.document, candidates.found_by)


class StratifiedSample(NamedTuple):
    """The documents of one query in strata, `d` of them.

    Attributes
    ----------
    documents : tuple of bytes
    stratum : int (d,)
        Counting from 1.
    drawn : bool (d,)
    probability : float (d,)
        That of a document to be drawn.
    grade : float (d,)
        NaN for one that is not judged.
    """

    documents: tuple[bytes, ...]
    stratum: Ints
    drawn: Bools
    probability: Floats
    grade: Floats


def sample(candidates: Candidates, strata: Sequence[Stratum], seed: int) -> StratifiedSample:
    """Draw from each stratum, without replacement, every document being as likely as another.

    A document belongs to the first stratum whose depth its best rank in any run reaches. Of N documents and a share s
    the ⌈sN⌉ with the lowest hashes are drawn, so that each is with probability ⌈sN⌉ / N, and these probabilities add up
    to the number that is drawn.

    Emine Yilmaz, Evangelos Kanoulas and Javed Aslam, A Simple and Efficient Sampling Method for Estimating AP and NDCG,
    SIGIR 2008; Javed Aslam and Virgil Pavlu, A Practical Sampling Strategy for Efficient Retrieval Evaluation, 2007.
    """
    stratum = np.searchsorted([each.depth for each in strata], candidates.best) + 1
    drawn = np.zeros(len(candidates.documents), dtype=bool)
    probability = np.zeros(len(candidates.documents))
    for number, each in enumerate(strata, start=1):
        members = np.flatnonzero(stratum == number).tolist()
        if members:
            size = math.ceil(each.share * len(members))
            probability[members] = size / len(members)
            by_hash = by_hashes(seed, SAMPLE, candidates.query, candidates.documents, members)
            drawn[by_hash[:size]] = True
    return StratifiedSample(tuple(candidates.documents), stratum, drawn, probability, candidates.grade)


def by_sample(candidates: Candidates, found: StratifiedSample) -> Selection:
    """The documents that were drawn; best rank first, equal ones by id, highest first."""
    order = np.argsort(candidates.best, kind="stable")
    order = order[found.drawn[order]]
    return Selection(order, found.probability[order], found.stratum[order])


SAMPLE, ORDER, AUDIT, JUDGES = b"sample", b"order", b"audit", b"judges"
"""What hashes are for; those for one say nothing of those for another."""


def by_hashes(seed: int, purpose: bytes, query: bytes, documents: Sequence[bytes], places: Iterable[int]) -> list[int]:
    """Some places of documents in the order of their hashes; or of queries, of no query.

    A sample or an order so depends on no generator of random numbers and its version, on no order of files, and on no
    other document: a pool that grows keeps its order, and a sample of a larger share holds the smaller.
    """
    key = blake2b(b"%b %d %b" % (purpose, seed, query)).digest()
    return sorted(places, key=lambda place: (blake2b(documents[place], key=key, digest_size=16).digest(), place))


def by_bandit(candidates: Candidates, budget: int | None, batch: int, level: float) -> Selection:
    """The next documents of one query by MaxMean: runs are the arms of a bandit, of which the one that did best so far
    gives the next document to be judged.

    The stationary bandit of David Losada, Javier Parapar and Álvaro Barreiro, Feeling Lucky? Multi-Armed Bandits for
    Ordering Judgements in Pooling-Based Evaluation, SAC 2016, and Multi-Armed Bandits for Adjudicating Documents in
    Pooling-Based Evaluation of Information Retrieval Systems, Information Processing & Management 53, 2017.

    The run with the highest mean gives the first of its documents that is neither judged nor given out. Of several
    with the highest mean it is the one whose document has the best rank; of several such documents the one with the
    highest id. Within a batch no mean changes, since nothing is judged meanwhile.

    Parameters
    ----------
    candidates : Candidates
    budget : int or None
        Judgments in the end, those that there are included.
    batch : int
        How many documents are given out, if there are so many.
    level : float
    """
    left = batch if budget is None else min(batch, max(budget - candidates.judged, 0))
    mean = means(candidates, level)
    left_of = [_unjudged(candidates, run) for run in range(candidates.runs)]
    given: list[int] = []
    values: list[float] = []
    out = set[int]()
    while len(given) < left:
        offers = []
        for run, places in enumerate(left_of):
            while places and places[-1][1] in out:
                places.pop()
            if places:
                offers.append((-mean[run], *places[-1]))
        if not offers:
            break
        value, _, place = min(offers)
        given.append(place)
        values.append(-value)
        out.add(place)
    return Selection(np.array(given, dtype=np.int64), np.array(values, dtype=np.float64))


def means(candidates: Candidates, level: float) -> Floats:
    """(r,) The mean of each run: (1 + r) / (2 + n), of whose documents n are judged and r relevant.

    The probability that a document of a run is relevant has a uniform prior, Beta(1, 1), and a judgment counts for
    every run that has the document. So the means follow from the judgments alone, whatever the order in which they were
    made: a bandit that is resumed from them goes on as one that never stopped.
    """
    grade = candidates.grade[candidates.document]
    judged = np.bincount(candidates.run[~np.isnan(grade)], minlength=candidates.runs)
    relevant = np.bincount(candidates.run[grade >= level], minlength=candidates.runs)
    found: Floats = (1 + relevant) / (2 + judged)
    return found


def _unjudged(candidates: Candidates, run: int) -> list[tuple[int, int]]:
    """Rank and place of the documents of a run that are not judged, the first at the end."""
    mine = np.flatnonzero((candidates.run == run) & candidates.unjudged[candidates.document])[::-1]
    return list(zip(candidates.rank[mine].tolist(), candidates.document[mine].tolist(), strict=True))
