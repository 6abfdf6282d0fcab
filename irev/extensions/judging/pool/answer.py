"""Pool: the documents of each query that are to be judged, and what every run contributes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from irev.base.errors import InputError, JudgmentsWarning, RunWarning, UsageError, option, shown
from irev.base.records import cached_property, dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.settings import Settings
from irev.base.text import counted
from irev.evaluation.files import FirstDocuments
from irev.evaluation.inputs import Inputs, first_documents
from irev.evaluation.notes import Note, lacking_notes, level_notes, listed, reading_notes
from irev.extensions.judging.pool import DEPTH, MAXMEAN, RRF, STRATA, TAKES, PoolChoices, Stratum
from irev.extensions.judging.pool.finding import Contribution, Pool, PooledQuery, StratifiedSample
from irev.ranking.fusion import reciprocal
from irev.ranking.fusion.votes import summed
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


def stratified(candidates: Candidates, strata: Sequence[Stratum], seed: int) -> StratifiedSample:
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


OF_JUDGMENTS = ("level", "negative", "qrels_format")
"""Settings that are about judgments."""


def answer(inputs: Inputs, choices: PoolChoices) -> Pool:
    """The documents to be judged, of every query of any run."""
    choices, settings = resolved(choices), inputs.settings
    settings.require_ranks()
    judgments = next((each for _, each in inputs.judged), None)
    for name in OF_JUDGMENTS:
        if not inputs.judgments and getattr(settings, name) != getattr(Settings, name):
            raise UsageError(f"{option(name)} has no effect without {option('judged')}")
    names, runs = first_documents(inputs, choices.most)
    gathered = GatheredRuns()
    for run in runs:
        gathered.add(run.first)
    of_runs = [*_notes_of_runs(runs, gathered)]
    pool = make(gathered, names, judgments, choices, settings)
    if judgments is not None:
        inputs.say([*level_notes(judgments, settings)])
    inputs.say(of_runs, len(runs))
    inputs.say([*_notes_of_pool(pool)])
    return replace(pool, inputs=tuple(inputs.files))


def resolved(choices: PoolChoices) -> PoolChoices:
    """The same with the way of choosing, and how many documents are given out now.

    Raises `UsageError` for numbers that are none of one way's.
    """
    given = [name for name in ("depth", "budget", "strata", "next") if getattr(choices, name)]
    way = _way(choices.by, given)
    if choices.audit is not None and way != DEPTH:
        raise UsageError(f"{option('audit')} has no effect without {option('depth')}")
    return replace(choices, by=way, next=(choices.next or 1) if way == MAXMEAN else None)


def _way(by: str | None, given: Sequence[str]) -> str:
    """The way of choosing that is asked for, by its name or by the numbers that are given."""
    numbers = " and ".join(map(option, given))
    if by is not None:
        takes = f"{option('by', by)} takes {' or '.join(map(option, TAKES[by]))}"
        for name in given:
            if name not in TAKES[by]:
                raise UsageError(f"{option(name)} has no effect here", remedy=takes)
        if not given:
            raise UsageError(f"{takes}, and it is not given")
        return by
    if not given:
        known = (
            f"{option('depth', 'K')}, {option('budget', 'N')}, {option('strata', 'K=SHARE,…')} or {option('next', 'N')}"
        )
        raise UsageError("no option says which documents to choose", remedy=f"expected {known}")
    ways = [option("by", name) for name, takes in TAKES.items() if {*given} <= {*takes} and "next" in given]
    if ways:
        raise UsageError(f"how to choose documents with {numbers} is not said", remedy=f"add {' or '.join(ways)}")
    if len(given) > 1:
        raise UsageError(f"{numbers} are different ways to choose documents", remedy="give one of them")
    return next(way for way, takes in TAKES.items() if takes == (*given,))


def _notes_of_runs(runs: Sequence[FirstDocuments], gathered: GatheredRuns) -> Iterator[Note]:
    """What there is to say of the runs of a pool: queries that they lack, and runs that are given twice.

    Two are taken for one if they are equal in their run ids, in how many rows they have, and in all documents that
    were kept of them.
    """
    for number, run in enumerate(runs):
        yield from reading_notes(run.reading, run.name)
        yield from lacking_notes(run.name, gathered.lacking(number))
    for number, run in enumerate(runs):
        for other in map(runs.__getitem__, gathered.same_as(number)):
            if (other.reading.tag, other.reading.rows) == (run.reading.tag, run.reading.rows):
                said = f": this seems to be the same run as {other.name}; its documents are unique to neither"
                of_many = "seem to be duplicates of other runs; their documents are unique to none"
                yield Note(run.name, said, of_many, RunWarning)
                break


def _notes_of_pool(pool: Pool) -> Iterator[Note]:
    """What the way of choosing does to comparisons, and what judgments that are given make doubtful."""
    judgments = pool.judgments or ""
    if pool.choices.by == MAXMEAN:
        said = (
            "judgments chosen by maxmean favour the best runs: differences between runs can be larger than under "
            "complete judgments"
        )
        yield Note("", said, "", JudgmentsWarning)
    if pool.overspent:
        what = ("query {} has more judgments than the budget", "queries have more judgments than the budget")
        said = f": {listed(pool.overspent, *what)}; none of their documents is chosen"
        yield Note(judgments, said, "", JudgmentsWarning)
    if pool.none_judged:
        fact = "none of the considered documents is judged"
        yield Note(judgments, f": {fact}; are the document ids those of the runs?", "", JudgmentsWarning)
    samples = [each.sample for each in pool.queries if each.sample is not None]
    unjudged = sum(int((each.drawn & (each.grade != each.grade)).sum()) for each in samples)
    if unjudged:
        has = "has" if unjudged == 1 else "have"
        yield Note("", f"{counted(unjudged, 'document')} of the sample {has} no judgment yet", "", JudgmentsWarning)


def make(
    gathered: GatheredRuns,
    names: Sequence[str],
    judgments: Judgments | None,
    choices: PoolChoices,
    settings: Settings,
) -> Pool:
    """The pool of runs that were gathered, which are given away.

    Parameters
    ----------
    gathered : GatheredRuns
    names : sequence of str
        What the runs are called.
    judgments : Judgments or None
        What is judged already.
    choices : PoolChoices
        As `resolved` gives them.
    settings : Settings

    Raises
    ------
    InputError
        For a run that has no query in common with the others, judgments that have none with the runs, and a budget
        that every query has spent, and more.
    """
    _require_common(gathered, names)
    if judgments is not None:
        _require_judged(gathered, judgments)
    level = settings.level
    choose = _chooser(choices, level)
    samples = choices.sample_eval is not None or choices.statap is not None
    drawn = None if choices.audit is None else _drawn(gathered, judgments, choices.audit, choices.seed)
    parts, known, overspent = [], choices.audit is not None, []
    for candidates in gathered.candidates(judgments, level):
        if drawn is not None and candidates.query not in drawn:
            continue
        chosen, sample = choose(candidates)
        parts.append(_part(candidates, chosen, sample if samples else None))
        known |= not candidates.unjudged.all()
        if choices.budget is not None and candidates.judged > choices.budget:
            overspent.append((candidates.query, candidates.judged))
    if overspent and len(overspent) == len(parts):
        _refuse_overspent(*overspent[0], choices, judgments)
    given = tuple(part.given(choices) for part in parts)
    if choices.judges is not None:
        given = _given_out(given, choices.judges, choices)
    counts = sum((part.contributed() for part in parts), np.zeros((3, len(names)), dtype=np.int64))
    return Pool(
        choices,
        level,
        given,
        tuple(Contribution(name, *numbers) for name, numbers in zip(names, counts.T.tolist(), strict=True)),
        judgments=None if judgments is None else judgments.name,
        overspent=tuple(query for query, _ in overspent),
        none_judged=judgments is not None and not known,
    )


def _given_out(queries: Sequence[PooledQuery], judges: int, choices: PoolChoices) -> tuple[PooledQuery, ...]:
    """Give whole queries to judges, the longest first and each to whoever has fewest documents; then some, drawn by
    the seed, to a second judge.

    A query is judged by one person, so that its documents are judged alike.

    Raises
    ------
    UsageError
        For an overlap of more queries than there are, and for one without a second judge.
    """
    sizes = [len(each.documents) for each in queries]
    places = [place for place, size in enumerate(sizes) if size]
    if choices.overlap > len(places) or (choices.overlap and judges < 2):
        fact = f"{option('overlap')} {choices.overlap}: there are {counted(len(places), 'query', 'queries')} to judge,"
        raise UsageError(f"{fact} and {counted(judges, 'judge')}", remedy="ask for less, or for more judges")
    drawn = by_hashes(choices.seed, JUDGES, b"", [each.query for each in queries], places)
    load = [0] * judges
    given: list[tuple[int, ...]] = [()] * len(queries)

    def give(place: int) -> None:
        free = [number for number in range(judges) if number + 1 not in given[place]]
        number = min(free, key=load.__getitem__)
        load[number] += sizes[place]
        given[place] = (*given[place], number + 1)

    for place in sorted(drawn, key=lambda place: -sizes[place]):
        give(place)
    for place in drawn[: choices.overlap]:
        give(place)
    return tuple(each._replace(judges=to) for each, to in zip(queries, given, strict=True))


def _require_common(gathered: GatheredRuns, names: Sequence[str]) -> None:
    """Refuse a run that has no query in common with any of the others."""
    counts = gathered.counts
    for name, queries in zip(names, gathered.queries, strict=True):
        if len(names) > 1 and all(counts[query] == 1 for query in queries):
            other = next((query for query in sorted(counts) if query not in queries), b"")
            fact = f"it has no query in common with the other runs: it has {shown(min(queries))}"
            fact = f"{fact}, they have {shown(other)}"
            raise InputError(fact, name, "do the runs have the same queries?")


def _require_judged(gathered: GatheredRuns, judgments: Judgments) -> None:
    """Refuse judgments that have no query in common with the runs."""
    if gathered.counts.keys().isdisjoint(judgments.queries):
        fact = f"no run has a query that is judged: the runs have {shown(min(gathered.counts))}, the judgments"
        fact = f"{fact} {shown(judgments.queries[0])}"
        raise InputError(fact, judgments.name, "do the judgments belong to the runs?")


def _drawn(gathered: GatheredRuns, judgments: Judgments | None, number: int, seed: int) -> frozenset[bytes]:
    """So many queries, drawn at random from those without a judgment. Those that were drawn first come first, so that a
    larger number, and a further draw with the same seed, go on where the last one ended."""
    judged: set[bytes] = set()
    if judgments is not None:
        judged = {judgments.queries[query] for query in np.unique(judgments.query[judgments.grade >= 0]).tolist()}
    queries = sorted(gathered.counts.keys() - judged)
    if number > len(queries):
        there = counted(len(queries), "query", "queries")
        raise UsageError(f"{option('audit')} asks for {number:,}, but the runs have only {there} without judgments")
    order = by_hashes(seed, AUDIT, b"", queries, range(len(queries)))
    return frozenset(queries[place] for place in order[:number])


def _refuse_overspent(query: bytes, judged: int, choices: PoolChoices, judgments: Judgments | None) -> None:
    fact = f"every query has more judgments than the budget of {choices.budget}: query {shown(query)} has {judged}"
    name = judgments.name if judgments is not None else ""
    raise InputError(fact, name, f"{option('budget')} includes existing judgments; give a larger budget")


class _QueryPool(NamedTuple):
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
    sample: StratifiedSample | None

    def contributed(self) -> Ints:
        """(3, r) For each run, the counts of `Contribution`."""
        unique = self.has.sum(axis=1) == 1
        return np.stack([self.has[rows].sum(axis=0) for rows in (slice(None), unique, self.unjudged)])

    def at(self, rows: Ints) -> _QueryPool:
        """Some of the documents alone, in this order."""
        return self._replace(
            documents=tuple(self.documents[row] for row in rows.tolist()),
            has=self.has[rows],
            unjudged=self.unjudged[rows],
            best=self.best[rows],
            value=None if self.value is None else self.value[rows],
            stratum=None if self.stratum is None else self.stratum[rows],
        )

    def given(self, choices: PoolChoices) -> PooledQuery:
        """What is to be judged, as it is given out."""
        rows = np.flatnonzero(self.unjudged)
        if not choices.in_order:
            by_hash = by_hashes(choices.seed, ORDER, self.query, self.documents, rows.tolist())
            rows = np.array(by_hash, dtype=np.int64)
        left = self.at(rows)
        found_by = left.has.sum(axis=1)
        size = len(self.documents)
        return PooledQuery(
            self.query,
            left.documents,
            left.best,
            found_by,
            left.value,
            left.stratum,
            size,
            self.sample,
        )


def _part(candidates: Candidates, chosen: Selection, sample: StratifiedSample | None) -> _QueryPool:
    has = np.zeros((len(candidates.documents), candidates.runs), dtype=bool)
    has[candidates.document, candidates.run] = True
    return _QueryPool(
        candidates.query,
        tuple(candidates.documents[place] for place in chosen.documents.tolist()),
        has[chosen.documents],
        candidates.unjudged[chosen.documents],
        candidates.best[chosen.documents],
        chosen.value,
        chosen.stratum,
        sample,
    )


def _chooser(choices: PoolChoices, level: float) -> Callable[[Candidates], tuple[Selection, StratifiedSample | None]]:
    """What takes of the candidates of a query those that are choices."""
    if choices.by == STRATA:

        def drawn(candidates: Candidates) -> tuple[Selection, StratifiedSample]:
            sample = stratified(candidates, choices.strata or (), choices.seed)
            return by_sample(candidates, sample), sample

        return drawn
    if choices.by == RRF:
        return lambda candidates: (by_fusion(candidates, choices.budget or 0), None)
    if choices.by == MAXMEAN:
        return lambda candidates: (by_bandit(candidates, choices.budget, choices.next or 1, level), None)
    return lambda candidates: (by_depth(candidates), None)
