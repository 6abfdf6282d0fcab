"""Measure evaluation from Python: judgments and a run in memory, against pytrec_eval, which runs C on dictionaries.

Both get evaluators that were made before, so that only the evaluation of a run counts: 1,000 queries with 1,000
documents each, 60 judgments per query of which half are retrieved, document ids of eight characters, and four
measures. The run is a dictionary whose documents stand by falling score, as programs have them; one whose documents
are shuffled; data frames of strings; arrays, of whole numbers too; and a table of the k nearest with its scores, of
which `irev.top_k` makes a run. pytrec_eval always gets a dictionary that is made for it beforehand:
what a program with a frame would need to make one is not counted against it.

One warm-up of each, in which all results are compared; then rounds of irev, pytrec_eval, irev, pytrec_eval, …, so
that whatever slows the machine down for a while slows both. What counts is the ratio within a round, and of these the
median; no seconds are shown, since they say more about the machine. The garbage collector is off while the clock
runs, for both.

After these come calls with smaller dictionaries, as training loops make them, with three sets of measures: how many
times as fast as pytrec_eval are `irev.compat.pytrec_eval`, and the mean and the values of `irev.Evaluator`? The
shortest of all calls counts, since other programs only make calls longer.

    python benchmarks/python_api.py
    python benchmarks/python_api.py dictionary arrays --rounds 21
    python benchmarks/python_api.py small
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import irev
from irev.compat import pytrec_eval as compat

QUERIES, DOCUMENTS, JUDGED = 1_000, 1_000, 60
COLLECTION = 10_000_000
MEASURES = ["ndcg_cut_10", "map", "recip_rank", "recall_100"]

Nested = dict[str, dict[str, float]]


def made(seed: int = 1) -> tuple[dict[str, dict[str, int]], Nested]:
    """Judgments and a run, by falling score."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: Nested = {}
    for number in range(QUERIES):
        drawn = rng.choice(COLLECTION, size=DOCUMENTS + JUDGED // 2, replace=False)
        documents = [f"D{document:07d}" for document in drawn.tolist()]
        # Of four decimals, as rankers print them, with some ties that are ties in single precision too.
        scores = np.sort(rng.normal(10.0, 3.0, DOCUMENTS).round(4))[::-1].tolist()
        run[f"q{number}"] = dict(zip(documents[:DOCUMENTS], scores, strict=True))
        found = rng.choice(DOCUMENTS, size=JUDGED // 2, replace=False).tolist()
        judged = [documents[place] for place in found] + documents[DOCUMENTS:]
        qrels[f"q{number}"] = dict(zip(judged, rng.integers(0, 4, JUDGED).tolist(), strict=True))
    return qrels, run


def shuffled(run: Nested) -> Nested:
    """The same with the documents of each query in another order."""
    shuffle = random.Random(1)
    return {query: dict(shuffle.sample(list(found.items()), len(found))) for query, found in run.items()}


def columns(run: Nested) -> tuple[list[str], list[str], list[float]]:
    """Queries, documents and scores."""
    queries = [query for query, found in run.items() for _ in found]
    documents = [document for found in run.values() for document in found]
    return queries, documents, [score for found in run.values() for score in found.values()]


def pandas_frame(run: Nested) -> Any:
    import pandas

    return pandas.DataFrame(dict(zip(("query_id", "doc_id", "score"), columns(run), strict=True)))


def polars_frame(run: Nested) -> Any:
    import polars

    return polars.DataFrame(dict(zip(("query_id", "doc_id", "score"), columns(run), strict=True)))


FORMS: dict[str, Callable[[Nested], Any]] = {
    "dictionary": lambda run: run,
    "shuffled": shuffled,
    "pandas": pandas_frame,
    "polars": polars_frame,
    "arrays": lambda run: tuple(np.array(column) for column in columns(run)),
    "bytes": lambda run: tuple(
        np.array(column, dtype="S" if place < 2 else None) for place, column in enumerate(columns(run))
    ),
    "integers": lambda run: tuple(np.array([*map(kind, each)]) for kind, each in zip(KINDS, columns(run), strict=True)),
    "top-k": lambda run: (
        np.array([[*map(int, found)] for found in run.values()]),
        np.array([[*found.values()] for found in run.values()]),
    ),
}
"""What a run can be, by the name it is measured under."""

KINDS = (int, int, float)
NUMBERED = ("integers", "top-k")
"""Forms whose ids are whole numbers."""


def numbered(nested: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same with digits for ids."""
    return {query[1:]: {str(int(each[1:])): value for each, value in of.items()} for query, of in nested.items()}


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    gc.collect()
    gc.disable()
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    gc.enable()
    return seconds


def ratios(form: str, qrels: dict[str, dict[str, int]], run: Nested, rounds: int) -> list[float]:
    """How many times as long pytrec_eval took in each round."""
    if form in NUMBERED:
        qrels, run = numbered(qrels), numbered(run)
    given = FORMS[form](run)
    rivals = given if isinstance(given, dict) else run
    ours = irev.Evaluator(qrels, MEASURES)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)

    def evaluated() -> Any:
        return ours.evaluate(irev.top_k(*given) if form == "top-k" else given)

    expected, found = theirs.evaluate(rivals), evaluated()
    for measure in MEASURES:
        if {query: values[measure] for query, values in expected.items()} != found.per_query[measure]:
            raise SystemExit(f"{form}: {measure} differs from pytrec_eval's")
    return [1 / timed(evaluated) * timed(lambda: theirs.evaluate(rivals)) for _ in range(rounds)]


SMALL, CALLS = "small", 1000
SHAPES = (1, 10, 5), (32, 10, 5), (32, 100, 20), (100, 100, 50), (50, 1000, 50), (1000, 1000, 50)
"""Queries, documents of each, and judged documents, of which half are retrieved."""

SETS = {
    "map ndcg": ["AP", "nDCG"],
    "map ndcg recip_rank P_10 recall_100 ndcg_cut_10": ["AP", "nDCG", "RR", "P@10", "R@100", "nDCG@10"],
    "bpref Rprec set_F map": ["Bpref", "Rprec", "SetF", "AP"],
}
"""Measures by the names of trec_eval, and by others."""


def small(queries: int, documents: int, judged: int) -> None:
    """Print how fast calls with some queries are, compared with pytrec_eval."""
    chance = random.Random(1)
    qrels: dict[str, dict[str, int]] = {}
    run: Nested = {}
    for number in range(queries):
        names = [f"D{each:07d}" for each in chance.sample(range(COLLECTION), documents + judged)]
        found = chance.sample(names[:documents], judged // 2)
        qrels[f"q{number}"] = {
            each: chance.choice((0, 0, 1, 1, 2)) for each in found + names[documents:][: -len(found)]
        }
        run[f"q{number}"] = {each: chance.random() * 30 for each in names[:documents]}
    for theirs, ours in SETS.items():
        rival, twin = (each.RelevanceEvaluator(qrels, set(theirs.split())) for each in (pytrec_eval, compat))
        if rival.evaluate(run) != twin.evaluate(run):
            raise SystemExit(f"{theirs}: differs from pytrec_eval's")
        own = irev.Evaluator(qrels, ours)
        works: list[Callable[[], object]] = [
            lambda rival=rival: rival.evaluate(run),
            lambda twin=twin: twin.evaluate(run),
            lambda own=own: own.evaluate(run).mean(),
            lambda own=own: own.evaluate(run).per_query,
        ]
        calls = max(5, min(CALLS, 1_000_000 // (queries * documents)))
        first, *others = (shortest(work, calls) for work in works)
        title = f"{queries} x {documents} ({judged})"
        print(f"{title:18} {first:10.1f} {''.join(f'{first / each:10.3f}' for each in others)}  {theirs}")


def shortest(work: Callable[[], object], calls: int) -> float:
    """Microseconds of the shortest of some calls, one after the other."""
    gc.collect()
    gc.disable()
    times = [time.perf_counter()]
    for _ in range(calls):
        work()
        times.append(time.perf_counter())
    gc.enable()
    return min(after - before for before, after in pairwise(times)) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("forms", nargs="*", metavar="FORM", help=f"of {', '.join(FORMS)}, {SMALL}; default: all")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    unknown = set(arguments.forms) - {*FORMS, SMALL}
    if unknown:
        parser.error(f"there is no form {', '.join(sorted(unknown))}")
    if arguments.forms != [SMALL]:
        qrels, run = made()
        print(f"{'from':12} {'median':>7} {'worst':>7} {'best':>7}  times as fast as pytrec_eval")
        for form in [form for form in arguments.forms if form != SMALL] or FORMS:
            found = ratios(form, qrels, run, arguments.rounds)
            print(f"{form:12} {statistics.median(found):7.1f} {min(found):7.1f} {max(found):7.1f}")
    if not arguments.forms or SMALL in arguments.forms:
        print(f"\n{'queries':18} {'pytrec_eval':>10} {'compat':>9} {'mean':>9} {'values':>9}  (us, then times as fast)")
        for shape in SHAPES:
            small(*shape)


if __name__ == "__main__":
    main()
