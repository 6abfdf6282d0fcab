"""The report of a pool: for programs the documents to judge, for people what each run contributes; and sample files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev import __version__
from irev.analysis.pools.pool import Contribution, PooledQuery, PoolOfRuns
from irev.analysis.pools.wanted import DEPTH, DIFFERENCE, MAXMEAN, RRF, STRATA, PoolWanted
from irev.base.text import counted, decoded, named, percent
from irev.errors import InputError, shown
from irev.evaluation.result import Input
from irev.output.report import Cell, Plain, Report, Sheet
from irev.output.targets.trec import LOST

FORMAT, VERSION = "irev pool", 1

_VALUES = {RRF: "score", MAXMEAN: "mean", STRATA: "probability", DIFFERENCE: "weight"}
"""What the value is called that documents were chosen by; of a pool by depth there is none."""


class PoolReport(Report):
    """A pool, laid out; `inputs` are the files that it was made of."""

    texts = frozenset({"query", "document"})

    def __init__(self, pool: PoolOfRuns, inputs: Sequence[Input] = ()) -> None:
        self.pool, self.inputs = pool, inputs

    @property
    def title(self) -> str:
        return "Pool of " + counted(len(self.pool.contributions), "run")

    @property
    def lead(self) -> Iterator[str]:
        pool = self.pool
        judged = f", {pool.size - pool.to_judge:,} of them judged already" if pool.judgments is not None else ""
        sizes = [len(each.documents) for each in pool.queries]
        each = f", {min(sizes):,} to {max(sizes):,} of a query" if min(sizes) < max(sizes) else ""
        yield f"{described(pool.wanted)}."
        yield (
            f"{counted(pool.size, 'document')} of {counted(len(sizes), 'query', 'queries')}{judged};"
            f" {pool.to_judge:,} to judge{each}."
        )

    @property
    def sheets(self) -> Iterator[Sheet]:
        header = ("run", "documents", "unique", "to judge")
        rows = tuple(
            (Cell(named(each.run)), *(Cell(f"{number:,}") for number in each[1:])) for each in self.pool.contributions
        )
        yield Sheet("", header, 1, frozenset({0}), (rows,), (), names=frozenset({0}))

    @property
    def notes(self) -> Iterator[str]:
        yield (
            "documents: those of the pool that a run has; unique: those that no other run has; to judge: those without"
            " a judgment."
        )

    @property
    def columns(self) -> tuple[str, ...]:
        wanted = self.pool.wanted
        if not wanted.in_order:
            return ("query", "document")
        value = (_VALUES[wanted.by],) if wanted.by in _VALUES else ()
        return ("query", "document", "best_rank", "runs", *(("stratum",) if wanted.by == STRATA else ()), *value)

    @property
    def exact(self) -> frozenset[str]:
        return frozenset(_VALUES.values())

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for each in self.pool.queries:
            query = decoded(each.query)
            for row in self._documents(each):
                yield (query, *row)

    def _documents(self, each: PooledQuery) -> Iterator[tuple[Plain, ...]]:
        """A document to judge, and what it was chosen by where that is to be seen."""
        documents = map(decoded, each.documents)
        if not self.pool.wanted.in_order:
            return zip(documents)
        further = (column.tolist() for column in (each.stratum, each.value) if column is not None)
        return zip(documents, each.best.tolist(), each.found_by.tolist(), *further, strict=True)

    @property
    def record(self) -> dict[str, Any]:
        pool, wanted = self.pool, self.pool.wanted
        names = self.columns[1:]
        return {
            "format": FORMAT,
            "version": VERSION,
            "irev": __version__,
            "by": wanted.by,
            "depth": wanted.depth,
            "budget": wanted.budget,
            "strata": [{"depth": each.depth, "share": float(each.share)} for each in wanted.strata],
            "next": wanted.next,
            "within": wanted.within,
            "measure": wanted.measure if wanted.by == DIFFERENCE else None,
            "level": wanted.level,
            "seed": wanted.seed,
            "in_order": wanted.in_order,
            "judged": pool.judgments,
            "inputs": [file.recorded() for file in self.inputs],
            "runs": [dict(zip(Contribution._fields, each, strict=True)) for each in pool.contributions],
            "queries": [
                {
                    "query": decoded(each.query),
                    "pooled": each.size,
                    "documents": [dict(zip(names, row, strict=True)) for row in self._documents(each)],
                }
                for each in pool.queries
            ],
        }


def described(wanted: PoolWanted) -> str:
    """How documents are chosen, in words."""
    within = "" if wanted.within is None else f", within the first {wanted.within:,} of each run"
    if wanted.by == DEPTH:
        return f"The first {counted(wanted.depth or 0, 'document')} of each run"
    if wanted.by == RRF:
        return f"Reciprocal rank fusion, up to {counted(wanted.budget or 0, 'judgment')} of each query{within}"
    if wanted.by == MAXMEAN:
        most = "" if wanted.budget is None else f", up to {counted(wanted.budget, 'judgment')} of each query"
        return f"The bandit MaxMean, the next {counted(wanted.next or 1, 'document')} of each query{most}{within}"
    if wanted.by == DIFFERENCE:
        return (
            f"The next {counted(wanted.next or 1, 'document')} that can move the difference of"
            f" {wanted.measure} most{within}"
        )
    firsts = [1, *(each.depth + 1 for each in wanted.strata)]
    shares = (
        f"{percent(float(each.share))} of ranks {first:,} to {each.depth:,}"
        for first, each in zip(firsts, wanted.strata, strict=False)
    )
    return f"A sample: {', '.join(shares)}"


def for_sample_eval(pool: PoolOfRuns) -> bytes:
    """A sample with its judgments as NIST's ``sample_eval.pl`` reads it, for infNDCG and extended infAP.

    That is ``query 0 document stratum grade`` for every document of the strata; -1 is the grade of one that was not
    drawn, or has no judgment. The script finds the share that was drawn in each stratum by counting.
    """
    return b"".join(
        b"%b 0 %b %d %b\n" % (query, document, stratum, _grade(grade) if drawn else b"-1")
        for query, document, stratum, drawn, _, grade in _sampled(pool)
    )


def for_statap(pool: PoolOfRuns) -> bytes:
    """The same as ``statAP_MQ_eval`` of the Million Query tracks reads it: ``query document grade 1 probability`` for
    every document that was drawn and judged; the 1 says that it was sampled."""
    return b"".join(
        b"%b %b %b 1 %b\n" % (query, document, _grade(grade), repr(probability).encode())
        for query, document, _, drawn, probability, grade in _sampled(pool)
        if drawn and grade == grade
    )


def _sampled(pool: PoolOfRuns) -> Iterator[tuple[bytes, bytes, int, bool, float, float]]:
    """Every document of the strata, with its stratum, whether it was drawn, its probability and its grade.

    Raises `InputError` for an id that would be two fields of a line.
    """
    for each in pool.queries:
        if each.sample is not None:
            documents, *columns = each.sample
            for role, name in (("query", each.query), *(("document", document) for document in documents)):
                if LOST.search(name):
                    fact = f"lines of fields cannot hold the {role} {shown(name)}: there is a blank in it"
                    raise InputError(fact, remedy="leave out --sample-eval and --statap, or call it otherwise")
            for document, *row in zip(documents, *(column.tolist() for column in columns), strict=True):
                yield (each.query, document, *row)


def _grade(grade: float) -> bytes:
    if grade != grade:
        return b"-1"
    return b"%d" % int(grade) if grade == int(grade) else repr(grade).encode()
