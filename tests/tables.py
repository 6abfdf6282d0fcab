"""Rows of judgments and results as tables of Arrow, random and odd, for whoever evaluates tables; what there is to
evaluate of them, and what `irev.evaluate` says."""

import functools
import random

import pyarrow as pa

import irev
from irev.measures import MEASURES

TEXTS = [
    *("Judged(by=pooled)@5", "nDCG(rel=2)@5", "P(judged_only=true)@7", "ERR(gmax=auto)", "INST(max_rel=3)"),
    *("map.agg=median", "recall.5,agg=sd", "num_rel_ret.agg=gmean", "AP(bound=low)", "ERR(bound=high,gmax=auto)"),
]
CHOICES = {
    "none": {},
    "complete": {"complete": True},
    "average": {"ties": "average"},
    "cut": {"depth": 7, "ties": "docid-asc"},
    "judged only": {"judged_only": True},
    "run": {"queries": "run", "level": 2},
    "9.0.8": {"compat": "9.0.8", "complete": True},
    "negative": {"negative": "nonrelevant", "drop_self": True},
    "gains": {"gains": {0: 0, 1: 1, 2: 3, 3: 7}},
}


def table(rows, number: str, ids: pa.DataType | None = None) -> pa.Table:
    """Rows of query, document and number as a table."""
    queries, documents, numbers = ([row[place] for row in rows] for place in range(3))
    return pa.table(
        {
            "query_id": pa.array(queries, ids or pa.string()),
            "doc_id": pa.array(documents, ids or pa.string()),
            number: numbers,
        }
    )


def qrels_of(rows, ids: pa.DataType | None = None) -> pa.Table:
    return table(rows, "relevance", ids)


def run_of(rows, ids: pa.DataType | None = None) -> pa.Table:
    return table(rows, "score", ids)


def random_rows(seed: int, queries: int = 60):
    """Judgments and results with heavy ties, queries on one side alone, ids beyond ASCII, and negative grades."""
    chance = random.Random(seed)
    judged, retrieved = [], []
    for query in (f"q{number}" + "é" * (number % 3) for number in range(queries)):
        if chance.random() < 0.85:
            documents = chance.sample(range(60), chance.randint(1, 30))
            judged += [(query, f"d{document}", chance.choice([-1, 0, 0, 1, 2, 3])) for document in documents]
        if chance.random() < 0.85:
            documents = chance.sample(range(60), chance.randint(1, 40))
            retrieved += [(query, f"d{document}", float(chance.randint(0, 8))) for document in documents]
            retrieved.append((query, query, 3.5))
    chance.shuffle(judged)
    chance.shuffle(retrieved)
    return judged, retrieved


@functools.cache
def evaluated(choice: str):
    """Rows, options, and what `irev.evaluate` gives of them: all measures that it computes of these data."""
    judged, retrieved = random_rows(1, 40)
    options = {"collection_size": 1000, **CHOICES[choice]}
    measures = usable(judged, retrieved, [*MEASURES, *TEXTS], **options)
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), measures, **options)
    return judged, retrieved, measures, options, expected


def usable(judged, retrieved, wanted, **options) -> list[str]:
    """Those measures that `irev.evaluate` computes of these data."""
    found = []
    for name in wanted:
        try:
            irev.evaluate(qrels_of(judged), run_of(retrieved), name, **options)
        except irev.UsageError:
            continue
        found.append(name)
    return found
