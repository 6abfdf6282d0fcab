"""How far numbers from incomplete judgments are from those of complete ones, by simulation.

    python benchmarks/holes.py                  # some minutes; prints tables of docs/sampled.md and judgments.md
    python benchmarks/holes.py --draws 4        # a quick look
    python benchmarks/holes.py --only samples   # those of one kind: samples, pools, comparisons
    python benchmarks/holes.py --write          # replaces the tables there

Collections are made up, so that every judgment is known. A query has 1,000 documents, some of them relevant. A run
gives a document a score: the strength of the run if the document is relevant, an error that all runs share, and one of
its own; all errors are normal. The first 100 documents are the run.

Samples
    Six runs. Each draw has 50 queries and a new sample of the documents that any run has among its first 50, in strata
    as `irev pool --strata` makes them. What is estimated is the value with all documents of the strata judged; the
    documents below are in no sample and count as not relevant. The table has the mean of that over runs, queries and
    draws, and the mean of the estimates. "drawn" is the mean number of relevant documents of a query that were drawn.

Pools
    Five runs make the pool. A sixth, as strong as the third, did not take part in it; half of its error is shared with
    no other run. Each way of pooling gives every query the same number of judgments, the bandit one judgment at a time.
    "gap" is the difference between the best and the worst pooled run, "not pooled" that of the sixth and the third.

Comparisons
    Five lexical runs of the same strength, whose errors are mostly shared, make a pool by depth. A dense run, whose
    errors are mostly its own, did not take part in it; it is as strong, or weaker. `irev.compare` compares it, and
    another lexical run, with the first lexical one.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from significance import BEGIN, END, table

import irev.base.errors
from irev.extensions.judging.pool.answer import Candidates, by_bandit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DOCS = Path(__file__).resolve().parent.parent / "docs"
DOCUMENTS, DEPTH, QUERIES = 1000, 100, 50
STRENGTHS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.25)
POOLED, UNPOOLED = (1.0, 1.25, 1.5, 1.75, 2.0), 1.5

SAMPLES = (((50, 0.1),), ((50, 0.2),), ((50, 0.5),), ((10, 1.0), (50, 0.1)), ((10, 1.0), (50, 0.2)))
RELEVANT = (5, 20, 80)
ESTIMATES = {"statAP": "AP", "statP@10": "P@10", "xinfAP": "AP", "infNDCG": "nDCG"}
"""Each measure of samples, and what it estimates."""
BUDGETS = (20, 50, 150)


class Collection(NamedTuple):
    """Relevance of every document (queries, documents), and the runs (runs, queries, depth), places of documents."""

    relevant: npt.NDArray[np.bool_]
    runs: Ints


def collection(strengths: Floats, own: Floats, relevant: int, random: np.random.Generator) -> Collection:
    """A collection; `own` is the share of a run's variance that it shares with no other, one for each run."""
    there = np.zeros((QUERIES, DOCUMENTS), dtype=bool)
    there[:, :relevant] = True
    shared = random.standard_normal((QUERIES, DOCUMENTS))
    errors = random.standard_normal((len(strengths), QUERIES, DOCUMENTS))
    mixed = np.sqrt(1 - own)[:, None, None] * shared + np.sqrt(own)[:, None, None] * errors
    return Collection(there, np.argsort(-(strengths[:, None, None] * there + mixed), axis=2)[..., :DEPTH])


def names(places: Ints) -> list[str]:
    return [f"d{place:04}" for place in places.tolist()]


def as_run(ranked: Ints) -> dict[str, dict[str, float]]:
    """A run (queries, depth) as `irev.evaluate` takes it."""
    return {f"q{q}": dict(zip(names(found), range(DEPTH, 0, -1), strict=True)) for q, found in enumerate(ranked)}


def means(
    qrels: object, runs: list[dict[str, dict[str, float]]], measures: tuple[str, ...], **options: object
) -> Floats:
    """(runs, measures) The means over all judged queries."""
    found = [irev.evaluate(qrels, run, list(measures), complete=True, **options).mean() for run in runs]
    return np.array([[mean[measure] for measure in measures] for mean in found])


# Samples


def samples(draws: int, seed: int) -> Iterator[str]:
    """A table of estimates from samples, beside what they estimate."""
    rows = []
    for strata in SAMPLES:
        for relevant in RELEVANT:
            random = np.random.default_rng([seed, relevant, len(strata), int(100 * strata[-1][1])])
            found = [drawn(strata, relevant, random) for _ in range(draws)]
            truth, estimate = (np.mean([each[part] for each in found], axis=0) for part in (0, 1))
            said = ",".join(f"{to}={share:g}" for to, share in strata)
            rows.append(
                [f"`{said}`", str(relevant), f"{np.mean([each[2] for each in found]):.1f}"]
                + [f"{estimate[i]:.3f} for {truth[i]:.3f}" for i in range(len(ESTIMATES))]
            )
    title = (
        f"Means of estimates, and of what they estimate: six runs, {QUERIES} queries, {draws} samples for each row"
        " (“0.490 for 0.516” is an estimate of 0.490 where 0.516 is true)."
    )
    yield title + "\n\n" + table(["--strata", "relevant", "drawn", *ESTIMATES], rows)


def drawn(
    strata: tuple[tuple[int, float], ...], relevant: int, random: np.random.Generator
) -> tuple[Floats, Floats, float]:
    """Truths and estimates of `ESTIMATES`, in the mean over the runs, and the relevant documents drawn per query."""
    found = collection(np.array(STRENGTHS), np.full(len(STRENGTHS), 0.5), relevant, random)
    by_stratum, by_chance, complete, hits = [], [], {}, 0
    for query in range(QUERIES):
        best = np.full(DOCUMENTS, DEPTH)
        np.minimum.at(best, found.runs[:, query].ravel(), np.tile(np.arange(DEPTH), len(STRENGTHS)))
        above = 0
        complete[f"q{query}"] = {}
        for number, (to, share) in enumerate(strata, start=1):
            members = np.flatnonzero((best >= above) & (best < to))
            above, taken = to, math.ceil(round(share * len(members), 6))
            chosen = set(random.permutation(members)[:taken].tolist())
            for place in members.tolist():
                grade = int(found.relevant[query, place])
                complete[f"q{query}"][f"d{place:04}"] = grade
                by_stratum.append(f"q{query} 0 d{place:04} {number} {grade if place in chosen else -1}\n")
                if place in chosen:
                    hits += grade
                    by_chance.append(f"q{query} d{place:04} {grade} 1 {taken / len(members)}\n")
    runs = [as_run(ranked) for ranked in found.runs]
    truths, estimates = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, lines, measures in (
            ("strata", by_stratum, ("xinfAP", "infNDCG")),
            ("prels", by_chance, ("statAP", "statP@10")),
        ):
            path = Path(folder, kind)
            path.write_text("".join(lines))
            values = means(path, runs, measures, qrels_format=kind).mean(axis=0)
            estimates |= dict(zip(measures, values.tolist(), strict=True))
    wanted = tuple(dict.fromkeys(ESTIMATES.values()))
    truths = dict(zip(wanted, means(complete, runs, wanted).mean(axis=0).tolist(), strict=True))
    return (
        np.array([truths[of] for of in ESTIMATES.values()]),
        np.array([estimates[e] for e in ESTIMATES]),
        hits / QUERIES,
    )


# Pools


def pools(draws: int, seed: int) -> Iterator[str]:
    """Tables of runs under judgments of pools: with holes, without the holes, and with all judgments."""
    gaps, holes = [], []
    strengths = np.array((*POOLED, UNPOOLED))
    own = np.array((*[0.5] * len(POOLED), 0.75))
    for budget in BUDGETS:
        ways = {"depth": [], "fusion": [], "MaxMean": []}
        truth = []
        random = np.random.default_rng([seed, budget])
        for _ in range(draws):
            found = collection(strengths, own, 20, random)
            runs = [as_run(ranked) for ranked in found.runs]
            complete = {
                f"q{q}": {f"d{place:04}": int(grade) for place, grade in enumerate(found.relevant[q].tolist())}
                for q in range(QUERIES)
            }
            truth.append(means(complete, runs, MEASURES))
            for way, several in ways.items():
                judged = {f"q{q}": _judged(found, q, way, budget) for q in range(QUERIES)}
                several.append([means(judged, runs, MEASURES), means(judged, runs, MEASURES, judged_only=True)])
        true = np.mean(truth, axis=0)
        for way, several in ways.items():
            score, condensed = np.mean(several, axis=0)
            best, worst = len(POOLED) - 1, 0
            gaps.append(
                [way, str(budget)]
                + [f"{score[best, m] - score[worst, m]:.3f} for {true[best, m] - true[worst, m]:.3f}" for m in (0, 1)]
                + [f"{score[-1, m] - score[2, m]:+.3f} for {true[-1, m] - true[2, m]:+.3f}" for m in (0, 1)]
            )
            for m, measure in enumerate(MEASURES if way == "depth" else ()):
                for who, places in (("pooled", slice(0, len(POOLED))), ("not pooled", slice(len(POOLED), None))):
                    row = (values[places, m].mean() for values in (score, condensed, true))
                    holes.append([measure, who, str(budget), *(f"{value:.3f}" for value in row)])
    holes.sort(key=lambda row: row[:2])
    about = f"{QUERIES} queries with 20 relevant documents, {draws} collections"
    title = f"Differences between runs under the judgments of a pool, and under all judgments; {about}."
    header = ["pool", "judgments", *(f"gap, {m}" for m in MEASURES), *(f"not pooled, {m}" for m in MEASURES)]
    yield title + "\n\n" + table(header, gaps)
    title = f"Means under a pool by depth, with and without unjudged documents, and under all judgments; {about}."
    yield title + "\n\n" + table(["measure", "runs", "judgments", "score", "condensed", "truth"], holes)


MEASURES = ("AP", "nDCG@10")


def _judged(found: Collection, query: int, way: str, budget: int) -> dict[str, int]:
    """The judgments that a way of pooling gives for a query, `budget` of them."""
    given: dict[str, int] = {}
    ranked = found.runs[: len(POOLED), query]
    if way == "depth":
        # The whole of rank 1 of all runs, then of rank 2, until the judgments are spent.
        places = list(dict.fromkeys(ranked.T.ravel().tolist()))[:budget]
        return {f"d{place:04}": int(found.relevant[query, place]) for place in places}
    documents = np.unique(ranked)[::-1]
    place_of = np.full(DOCUMENTS, -1)
    place_of[documents] = np.arange(len(documents))
    grade = np.full(len(documents), np.nan)
    runs, ranks = np.repeat(np.arange(len(POOLED)), DEPTH), np.tile(np.arange(1, DEPTH + 1), len(POOLED))
    called = [f"d{place:04}".encode() for place in documents.tolist()]
    while len(given) < budget:
        candidates = Candidates(
            b"q", called, runs, ranks, place_of[ranked.ravel()], len(POOLED), grade, len(given), sum(given.values())
        )
        if way == "fusion":
            chosen = ranks.by_fusion(candidates, budget).documents[:budget]
        else:
            chosen = by_bandit(candidates, budget, 1, 1.0).documents
        if not len(chosen):
            break
        for number in chosen.tolist():
            grade[number] = found.relevant[query, documents[number]]
            given[called[number].decode()] = int(grade[number])
    return given


# Comparisons

LEXICAL = 5
"""Lexical runs that make the pool."""

DENSE = ((0.85, 0.0, (10, 33, 95)), (1.0, 0.0, (10, 33, 95)), (0.85, -0.5, (10, 33, 95)))
"""The share of its error that the dense run has alone, by how much its strength differs from theirs, and pools."""


def comparisons(draws: int, seed: int) -> Iterator[str]:
    """Tables of findings about a dense run that was not pooled, against a lexical one that was."""
    draws *= 10
    rows, estimates = [], []
    for own, gap, depth in [(own, gap, depth) for own, gap, depths in DENSE for depth in depths]:
        random = np.random.default_rng([seed, depth, int(100 * own), int(-100 * gap)])
        of = np.array(list(compared(own, gap, depth, draws, random)))
        judged, true = of[:, 0].mean(), of[:, 1].mean()
        about = [f"{own:.2f}", f"{judged:.2f}", f"{true:+.3f}"]
        share = [f"{100 * column.mean():.1f}%" for column in of[:, 2:7].T]
        rows.append([str(depth), *about, *share])
        cells = [f"{of[:, place].mean():+.3f}" for place in (7, 10, 13)]
        for low, high in ((8, 9), (14, 15)):
            cells.append(f"{100 * ((of[:, low] <= true) & (true <= of[:, high])).mean():.1f}%")
        shown = [f"{100 * of[:, place].mean():.1f}%" for place in (16, 17)]
        estimates.append([str(depth), *about, *cells, *shown])
    about = f"nDCG@10, 50 queries with 14 relevant documents, {draws} collections for each row"
    header = [
        "pool",
        "own error",
        "judged@10",
        "true difference",
        "worse",
        "worse without §",
        "better",
        "better without §",
    ]
    header += ["other lexical run shown"]
    yield f"Findings of `irev compare` about the dense run; {about}.\n\n" + table(header, rows)
    header = ["pool", "own error", "judged@10", "true difference", "measured", "without unjudged", "bootstrap"]
    header += ["coverage, measured", "coverage, bootstrap", "worse, bootstrap", "better, bootstrap"]
    yield f"Means of differences, and coverage of 95% intervals; {about}.\n\n" + table(header, estimates)


def compared(
    own_error: float, gap: float, depth: int, draws: int, random: np.random.Generator
) -> Iterator[list[float]]:
    """What each draw shows of the dense run and of another lexical one."""
    strengths = np.array((*[2.4] * LEXICAL, 2.4 + gap))
    own = np.array((*[0.35] * LEXICAL, own_error))
    for _ in range(draws):
        found = collection(strengths, own, 14, random)
        pool = [np.unique(found.runs[:LEXICAL, query, :depth]) for query in range(QUERIES)]
        judged = {f"q{q}": {f"d{d:04}": int(found.relevant[q, d]) for d in of.tolist()} for q, of in enumerate(pool)}
        runs = {name: as_run(found.runs[place]) for name, place in (("a", 0), ("b", 1), ("dense", LEXICAL))}
        other, dense = irev.compare(judged, runs, "nDCG@10", correction="none").compared[0].contrasts
        pair = {name: runs[name] for name in ("a", "dense")}
        (drawn,) = irev.compare(judged, pair, "nDCG@10", unjudged="bootstrap").compared[0].contrasts
        relevant = np.array(
            [np.take_along_axis(found.relevant, found.runs[place], 1)[:, :10] for place in (0, LEXICAL)]
        )
        discount = 1 / np.log2(np.arange(2, 12))
        values = (relevant * discount).sum(axis=2).mean(axis=1) / discount.sum()
        share = np.mean([np.isin(found.runs[LEXICAL, q, :10], of).mean() for q, of in enumerate(pool)])
        condensed = dense if dense.unjudged is None else dense.unjudged
        findings = [dense.finding == side for side in ("worse", "better")]
        silent = [flag and not dense.rests_on_unjudged for flag in findings]
        yield [
            *(float(share), values[1] - values[0], findings[0], silent[0], findings[1], silent[1]),
            other.unjudged is not None,
            *(value for each in (dense, condensed, drawn) for value in (each.difference, *each.interval)),
            *(drawn.finding == side for side in ("worse", "better")),
        ]


KINDS = {
    "samples": (samples, "sampled.md"),
    "pools": (pools, "judgments.md"),
    "comparisons": (comparisons, "judgments.md"),
}


def main() -> int:
    """Simulate, and print or write the tables."""
    parser = argparse.ArgumentParser(description="Numbers from incomplete judgments, by simulation.")
    parser.add_argument("--draws", type=int, default=20, help="simulated collections for each row")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS, action="append", help="tables of this kind; may be repeated")
    parser.add_argument("--write", action="store_true", help="replace the tables in docs/")
    options = parser.parse_args()
    warnings.simplefilter("ignore", irev.IrevWarning)  # which say that estimates are biased
    began = time.monotonic()
    for name in options.only or KINDS:
        simulate, page = KINDS[name]
        text = "\n\n".join(simulate(options.draws, options.seed)) + "\n"
        print(text, flush=True)
        if options.write:
            begin, end = BEGIN.format(name), END.format(name)
            before, _, rest = (DOCS / page).read_text(encoding="utf-8").partition(begin)
            (DOCS / page).write_text(f"{before}{begin}\n\n{text}\n{end}{rest.partition(end)[2]}", encoding="utf-8")
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
