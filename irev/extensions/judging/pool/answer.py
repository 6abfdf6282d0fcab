"""Pool: the documents of each query that are to be judged, and what every run contributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base.errors import InputError, JudgmentsWarning, RunWarning, UsageError, option, shown
from irev.base.segments import Bools, Floats, Ints
from irev.base.settings import Settings
from irev.base.text import counted
from irev.evaluation.files import FirstDocuments
from irev.evaluation.inputs import Inputs, first_documents
from irev.evaluation.notes import Note, lacking_notes, level_notes, listed, reading_notes
from irev.extensions.judging.pool import DEPTH, MAXMEAN, RRF, STRATA, TAKES, PoolChoices
from irev.extensions.judging.pool import candidates as ways
from irev.extensions.judging.pool.candidates import Candidates, GatheredRuns, Selection, StratifiedSample
from irev.extensions.judging.pool.finding import Contribution, Pool, PooledQuery
from irev.reading.judgments import Judgments

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
    drawn = ways.by_hashes(choices.seed, ways.JUDGES, b"", [each.query for each in queries], places)
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
    order = ways.by_hashes(seed, ways.AUDIT, b"", queries, range(len(queries)))
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
            by_hash = ways.by_hashes(choices.seed, ways.ORDER, self.query, self.documents, rows.tolist())
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
            sample = ways.sample(candidates, choices.strata or (), choices.seed)
            return ways.by_sample(candidates, sample), sample

        return drawn
    if choices.by == RRF:
        return lambda candidates: (ways.by_fusion(candidates, choices.budget or 0), None)
    if choices.by == MAXMEAN:
        return lambda candidates: (ways.by_bandit(candidates, choices.budget, choices.next or 1, level), None)
    return lambda candidates: (ways.by_depth(candidates), None)
