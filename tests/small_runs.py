"""Many small runs, with ties, empty queries and documents without judgments, for whatever evaluates many of them."""

import random
from pathlib import Path


def small_runs(folder: Path, number: int, queries: int = 4, depth: int = 6) -> tuple[str, list[str]]:
    """The paths of judgments and of so many runs, all of them different, which are made in a folder."""
    chance = random.Random(number)
    folder.mkdir(parents=True, exist_ok=True)
    documents = [f"d{i}" for i in range(20)]
    judged = [f"q{i} 0 {document} {chance.randrange(4)}\n" for i in range(queries) for document in documents[::2]]
    (folder / "qrels").write_text("".join(judged))
    paths = []
    for run in range(number):
        rows = [
            f"q{i} Q0 {document} 1 {chance.randrange(9) / 2} tag{run}\n"
            for i in range(queries)
            if chance.random() < 0.9 or i == 0
            for document in chance.sample(documents, depth)
        ]
        paths.append(str(folder / f"run{run:04}"))
        Path(paths[-1]).write_text("".join(rows))
    return str(folder / "qrels"), paths
