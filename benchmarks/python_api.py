"""Measure evaluation from Python: judgments and a run in memory, against pytrec_eval, which runs C on dictionaries.

Both get evaluators that were made before, so that only the evaluation of a run counts: 1,000 queries with 1,000
documents each, 60 judgments per query of which half are retrieved, document ids of eight characters, and four
measures. The run is a dictionary whose documents stand by falling score, as programs have them; one whose documents
are shuffled; data frames of strings; and arrays. pytrec_eval always gets a dictionary that is made for it beforehand:
what a program with a frame would need to make one is not counted against it.

One warm-up of each, in which all results are compared; then rounds of irev, pytrec_eval, irev, pytrec_eval, …, so
that whatever slows the machine down for a while slows both. What counts is the ratio within a round, and of these the
median; no seconds are shown, since they say more about the machine. The garbage collector is off while the clock
runs, for both.

    python benchmarks/python_api.py
    python benchmarks/python_api.py dictionary arrays --rounds 21
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import irev

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
}
"""What a run can be, by the name it is measured under."""


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
    given = FORMS[form](run)
    rivals = given if isinstance(given, dict) else run
    ours = irev.Evaluator(qrels, MEASURES)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    expected, found = theirs.evaluate(rivals), ours.evaluate(given)
    for measure in MEASURES:
        if {query: values[measure] for query, values in expected.items()} != found.per_query[measure]:
            raise SystemExit(f"{form}: {measure} differs from pytrec_eval's")
    return [1 / timed(lambda: ours.evaluate(given)) * timed(lambda: theirs.evaluate(rivals)) for _ in range(rounds)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("forms", nargs="*", metavar="FORM", help=f"of {', '.join(FORMS)}; default: all")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    unknown = set(arguments.forms) - set(FORMS)
    if unknown:
        parser.error(f"there is no form {', '.join(sorted(unknown))}")
    qrels, run = made()
    print(f"{'from':12} {'median':>7} {'worst':>7} {'best':>7}  times as fast as pytrec_eval")
    for form in arguments.forms or FORMS:
        found = ratios(form, qrels, run, arguments.rounds)
        print(f"{form:12} {statistics.median(found):7.1f} {min(found):7.1f} {max(found):7.1f}")


if __name__ == "__main__":
    main()
