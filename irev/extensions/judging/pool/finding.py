"""A pool of documents to judge: for programs these, for people what each run contributes; and files of a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from irev.base.errors import InputError, option, shown
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import counted, decoded, named, percent
from irev.evaluation.result import Input
from irev.extensions.judging.pool import DEPTH, MAXMEAN, RRF, STRATA, PoolChoices
from irev.output.finding import ReportedFinding, fields_of, recorded
from irev.output.report import Cell, Plain, Sheet, Texts, stamp, table
from irev.output.writers import LOST

_VALUES = {RRF: "score", MAXMEAN: "mean", STRATA: "probability"}
"""What the value is called that documents were chosen by; of a pool by depth there is none."""


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
        What they were chosen by, as `irev.extensions.judging.pool.answer.Selection` has it.
    stratum : int (t,) or None
    size : int
        Documents of the pool, with those that are judged.
    sample : Sample or None
        The strata that they were drawn from, where files of them are written.
    judges : tuple of int
        The numbers of the judges who judge it, from 1; empty where no judges were asked for.
    """

    query: bytes
    documents: tuple[bytes, ...]
    best: Ints
    found_by: Ints
    value: Floats | None
    stratum: Ints | None
    size: int
    sample: StratifiedSample | None = None
    judges: tuple[int, ...] = ()


class Contribution(NamedTuple):
    """What a run has of the pool: documents, those among them that no other run has, and those to be judged."""

    run: str
    documents: int
    unique: int
    to_judge: int


@dataclass(frozen=True, eq=False, repr=False)
class Pool(ReportedFinding):
    """The pool of some runs.

    Attributes
    ----------
    choices : PoolChoices
        With the way of choosing documents.
    level : float
        Lowest grade that counts as relevant.
    queries : tuple of PooledQuery
        In byte order; those without a document to judge too.
    contributions : tuple of Contribution
        In the order of the runs.
    judgments : str or None
        What the judgments are called that were left out.
    overspent : tuple of bytes
        Queries that have more judgments than the budget already.
    none_judged : bool
        Whether no document that was looked at is judged, though judgments are given.
    """

    choices: PoolChoices
    level: float
    queries: tuple[PooledQuery, ...]
    contributions: tuple[Contribution, ...]
    inputs: tuple[Input, ...] = ()
    judgments: str | None = None
    overspent: tuple[bytes, ...] = ()
    none_judged: bool = False

    texts = frozenset({"query", "document"})
    exact = frozenset(_VALUES.values())

    @property
    def size(self) -> int:
        """Documents of the pool, with those that are judged."""
        return sum(each.size for each in self.queries)

    @property
    def to_judge(self) -> int:
        """Documents to be judged."""
        return sum(len(each.documents) for each in self.queries)

    @property
    def title(self) -> str:
        return "Pool of " + counted(len(self.contributions), "run")

    @property
    def lead(self) -> Iterator[str]:
        judged = f", {self.size - self.to_judge:,} of them judged already" if self.judgments is not None else ""
        sizes = [len(each.documents) for each in self.queries]
        each = f", {min(sizes):,} to {max(sizes):,} of a query" if min(sizes) < max(sizes) else ""
        yield f"{described(self.choices)}."
        yield (
            f"{counted(self.size, 'document')} of {counted(len(sizes), 'query', 'queries')}{judged};"
            f" {self.to_judge:,} to judge{each}."
        )

    @property
    def sheets(self) -> Iterator[Sheet]:
        header = ("run", "documents", "unique", "to judge")
        rows = tuple(
            (Cell(named(each.run)), *(Cell(f"{number:,}") for number in each[1:])) for each in self.contributions
        )
        yield Sheet("", header, 1, frozenset({0}), (rows,), (), names=frozenset({0}))
        if self.choices.judges is not None:
            yield table("Judges", ("judge",), None, map(self._given_to, range(1, self.choices.judges + 1)))

    def _given_to(self, judge: int) -> Texts:
        own = self.given_to(judge)
        shared = sum(len(each.judges) > 1 for each in own)
        documents = sum(len(each.documents) for each in own)
        numbers = {"queries": len(own), "documents": documents, "queries shared": shared}
        return {"judge": str(judge), **{name: f"{number:,}" for name, number in numbers.items()}}

    @property
    def notes(self) -> Iterator[str]:
        yield (
            "documents: documents of the pool that the run has; unique: those that no other run has; to judge: "
            "those without a judgment."
        )

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self._known, *(("grade",) if self.choices.audit is not None else ()))

    @property
    def _known(self) -> tuple[str, ...]:
        """The columns that are not left to be filled in."""
        choices = self.choices
        if choices.judges is not None:
            return ("judge", *replace(self, choices=replace(choices, judges=None))._known)
        if not choices.in_order:
            return ("query", "document")
        value = [name for way, name in _VALUES.items() if way == choices.by]
        return ("query", "document", "best_rank", "runs", *(("stratum",) if choices.by == STRATA else ()), *value)

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        empty = () if self.choices.audit is None else (None,)
        for judge in range(1, self.choices.judges + 1) if self.choices.judges is not None else (None,):
            for each in self.queries if judge is None else self.given_to(judge):
                query = decoded(each.query)
                for row in self._documents(each):
                    made = (query, *row, *empty)
                    yield made if judge is None else (judge, *made)

    def given_to(self, judge: int) -> list[PooledQuery]:
        """The queries that an judge judges."""
        return [each for each in self.queries if judge in each.judges]

    def _documents(self, each: PooledQuery) -> Iterator[tuple[Plain, ...]]:
        """A document to judge, and what it was chosen by where that is to be seen."""
        documents = map(decoded, each.documents)
        if not self.choices.in_order:
            return zip(documents)
        further = (column.tolist() for column in (each.stratum, each.value) if column is not None)
        return zip(documents, each.best.tolist(), each.found_by.tolist(), *further, strict=True)

    @property
    def record(self) -> dict[str, Any]:
        choices = self.choices
        names = self._known[self._known.index("document") :]

        def documents(each: PooledQuery) -> list[dict[str, Plain]]:
            return [dict(zip(names, row, strict=True)) for row in self._documents(each)]

        return {
            **stamp("irev pool"),
            **fields_of(choices, "by", "depth", "budget"),
            "strata": [{"depth": each.depth, "share": float(each.share)} for each in choices.strata or ()],
            **fields_of(choices, "next", "audit", "within"),
            "level": self.level,
            **fields_of(choices, "seed", "in_order"),
            "judged": self.judgments,
            "inputs": recorded(self.inputs),
            "runs": recorded(self.contributions),
            "queries": [
                {
                    "query": decoded(each.query),
                    "pooled": each.size,
                    **({"judges": list(each.judges)} if each.judges else {}),
                    "documents": documents(each),
                }
                for each in self.queries
            ],
        }

    @property
    def files(self) -> Iterator[tuple[str, Iterable[bytes]]]:
        for path, lines in ((self.choices.sample_eval, for_sample_eval), (self.choices.statap, for_statap)):
            if path is not None:
                yield path, lines(self)

    def __repr__(self) -> str:
        found = f"{self.to_judge} documents of {len(self.queries)} queries to judge"
        return f"<Pool of {len(self.contributions)} runs: {found}>"


def described(choices: PoolChoices) -> str:
    """How documents are chosen, in words."""
    within = "" if choices.within is None else f", within the first {choices.within:,} of each run"
    if choices.by == DEPTH:
        some = "" if choices.audit is None else f", of {counted(choices.audit, 'query', 'queries')} drawn at random"
        return f"The first {counted(choices.depth or 0, 'document')} of each run{some}"
    if choices.by == RRF:
        return f"Reciprocal rank fusion, up to {counted(choices.budget or 0, 'judgment')} of each query{within}"
    if choices.by == MAXMEAN:
        most = "" if choices.budget is None else f", up to {counted(choices.budget, 'judgment')} of each query"
        return f"The bandit MaxMean, the next {counted(choices.next or 1, 'document')} of each query{most}{within}"
    strata = choices.strata or ()
    firsts = [1, *(each.depth + 1 for each in strata)]
    shares = (
        f"{percent(float(each.share))} of ranks {first:,} to {each.depth:,}"
        for first, each in zip(firsts, strata, strict=False)
    )
    return f"A sample: {', '.join(shares)}"


def for_sample_eval(pool: Pool) -> list[bytes]:
    """A sample with its judgments as NIST's ``sample_eval.pl`` reads it, for infNDCG and extended infAP.

    That is ``query 0 document stratum grade`` for every document of the strata; -1 is the grade of one that was not
    drawn, or has no judgment. The script finds the share that was drawn in each stratum by counting.
    """
    return [
        b"%b 0 %b %d %b\n" % (query, document, stratum, _grade(grade) if drawn else b"-1")
        for query, document, stratum, drawn, _, grade in _sampled(pool)
    ]


def for_statap(pool: Pool) -> list[bytes]:
    """The same as ``statAP_MQ_eval`` of the Million Query tracks reads it: ``query document grade 1 probability`` for
    every document that was drawn and judged; the 1 says that it was sampled."""
    return [
        b"%b %b %b 1 %b\n" % (query, document, _grade(grade), repr(probability).encode())
        for query, document, _, drawn, probability, grade in _sampled(pool)
        if drawn and grade == grade
    ]


def _sampled(pool: Pool) -> Iterator[tuple[bytes, bytes, int, bool, float, float]]:
    """Every document of the strata, with its stratum, whether it was drawn, its probability and its grade.

    Raises `InputError` for an id that would be two fields of a line.
    """
    for each in pool.queries:
        if each.sample is not None:
            documents, *columns = each.sample
            for role, name in (("query", each.query), *(("document", document) for document in documents)):
                if LOST.search(name):
                    fact = f"lines of fields cannot hold the {role} {shown(name)}: there is a blank in it"
                    raise InputError(
                        fact, remedy=f"leave out {option('sample_eval')} and {option('statap')}, or change the id"
                    )
            for document, *row in zip(documents, *(column.tolist() for column in columns), strict=True):
                yield (each.query, document, *row)


def _grade(grade: float) -> bytes:
    if grade != grade:
        return b"-1"
    return b"%d" % int(grade) if grade == int(grade) else repr(grade).encode()
