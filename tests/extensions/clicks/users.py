"""Logs of users who click documents of sample_data by their grades."""

import json
import random
from itertools import islice
from pathlib import Path

from conftest import ROOT, nested

import irev

SAMPLE = ROOT / "sample_data"
ATTRACTION = {0: 0.05, 1: 0.125, 2: 0.375, 3: 0.875}


def simulated(
    path: Path,
    *runs: str,
    impressions: int = 400,
    users: int = 100,
    method: str | None = None,
    draws: int = 2000,
    attraction: dict[int, float] = ATTRACTION,
    seed: int = 0,
) -> list[dict]:
    """Write a log of users who look at rank r with probability 1/r, and return its events. With a method, two runs are
    interleaved, with so many lists of each query; otherwise each user sees one of the runs."""
    chance = random.Random(seed)
    grades = nested(str(SAMPLE / "qrels.txt"), 3)
    files = [str(SAMPLE / f"{name}.run") for name in runs]
    rankings = [
        {query: sorted(scores, key=lambda each: (scores[each], each), reverse=True) for query, scores in run.items()}
        for run in (nested(file, 4) for file in files)
    ]
    queries = sorted(set(grades).intersection(*rankings))
    drawn = irev.interleave(*files, method=method, draws=draws).drawn if method else {}
    bucket_of = [chance.randrange(len(runs)) for _ in range(users)]
    events = []
    for number in range(impressions):
        user, query = chance.randrange(users), chance.choice(queries)
        shown = {"event": "impression", "impression": f"{number}", "time": number * 1000.0, "user": f"u{user}"}
        if method:
            chosen = chance.choice(drawn[query.encode()])
            documents = [each.decode() for each in chosen.documents]
            fields = {name: [*values] for name, values in chosen.fields().items()}
            shown |= {**fields, "method": method, "a": runs[0], "b": runs[1]}
        else:
            bucket = bucket_of[user]
            documents = [*islice(rankings[bucket][query], 10)]
            shown["bucket"] = runs[bucket]
        looks = [1 / rank for rank in range(1, len(documents) + 1)]
        events.append({**shown, "query": query, "documents": documents, "propensities": looks})
        for rank, (document, look) in enumerate(zip(documents, looks, strict=True), 1):
            if chance.random() < look * attraction[max(grades[query].get(document, 0), 0)]:
                click = {"event": "click", "impression": f"{number}", "time": number * 1000.0 + rank}
                events.append({**click, "position": rank, "document": document})
    path.write_text("".join(json.dumps(each) + "\n" for each in events))
    return events
