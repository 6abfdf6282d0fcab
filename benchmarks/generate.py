"""Make the inputs of the benchmarks from a seed.

Each input is a pair of files, judgments and a run, that looks like what people evaluate in earnest: the size
of MS MARCO's development set, scores as sparse and as dense retrievers print them, a pooled web collection
with long document ids and many judgments, the same rows in random order, twenty runs of the same queries, and
a run so small that only starting up counts. The text is put together by numpy, a block of queries at a time:
every field is a matrix of bytes in which a zero byte means "nothing here", and a block of lines is those
matrices side by side without their zeros.

    python benchmarks/generate.py all
    python benchmarks/generate.py msmarco pooled --seed 7 --folder /data/seven
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from scenarios import INPUTS, SAVED

DEFAULT_FOLDER = Path(__file__).parent / "data"
DEFAULT_SEED = 1
SEED_FILE = "seed.txt"

QUERIES_PER_BLOCK = 64
LINES_PER_BLOCK = 1 << 16
PIECE = 1 << 24  # bytes searched for line ends at a time
TIE_RATE = 0.02
DISAGREEMENT = 1.0  # of runs about the logarithm of a document's rank, as a standard deviation


@dataclass(frozen=True)
class Passages:
    """Large runs over documents with numeric ids, and about one relevant document per query.

    `spare` documents per query are left over by a run of `depth` documents; chance comes from streams named by `kind`.
    """

    kind: str
    queries: int
    spare: int
    depth: int = 1_000
    documents: int = 8_841_823
    last_query_id: int = 1_102_400
    second_judgment_rate: float = 0.07
    missed_rate: float = 0.14


@dataclass(frozen=True)
class Pool:
    """A run over documents with long ids, judged down to a depth and, below that, here and there."""

    queries: int
    depth: int
    first_query_id: int
    judged_per_query: int
    judged_depth: int
    judged_rate_below: float
    grades: tuple[int, ...]
    grade_shares_within: tuple[float, ...]
    grade_shares_elsewhere: tuple[float, ...]


PASSAGES = Passages(kind="passage", queries=6_980, spare=2)
SHARED_PASSAGES = Passages(kind="shared passage", queries=1_000, spare=200)
POOLED = Pool(
    queries=250,
    depth=1_000,
    first_query_id=201,
    judged_per_query=484,
    judged_depth=100,
    judged_rate_below=0.26,
    grades=(-2, -1, 0, 1, 2, 3, 4),
    grade_shares_within=(0.04, 0.01, 0.44, 0.25, 0.16, 0.07, 0.03),
    grade_shares_elsewhere=(0.04, 0.01, 0.80, 0.10, 0.03, 0.015, 0.005),
)
SMALL = Pool(
    queries=50,
    depth=100,
    first_query_id=301,
    judged_per_query=60,
    judged_depth=20,
    judged_rate_below=0.2,
    grades=(0, 1, 2),
    grade_shares_within=(0.6, 0.3, 0.1),
    grade_shares_elsewhere=(0.85, 0.12, 0.03),
)


# Text out of columns


def decimal(values: np.ndarray, width: int, at_least: int = 1) -> np.ndarray:
    """The digits of whole numbers, right-aligned in `width` bytes; "0" fills up to `at_least` digits."""
    digits = np.empty((len(values), width), np.uint8)
    rest = values
    for column in reversed(range(width)):
        rest, last = np.divmod(rest, 10)
        digits[:, column] = last + ord("0")
    smallest = 10 ** np.arange(width - 1, -1, -1)  # the least number that has a digit in each column
    absent = values[:, None] < smallest
    absent[:, width - at_least :] = False
    digits[absent] = 0
    return digits


def words(texts: list[str]) -> np.ndarray:
    """Texts as a matrix of bytes, one a row."""
    return np.array(texts, dtype=np.bytes_).view(np.uint8).reshape(len(texts), -1)


def lines(*fields: np.ndarray | bytes) -> bytes:
    """Fields side by side, row by row; a field given as bytes is the same in each row."""
    rows = next(len(field) for field in fields if not isinstance(field, bytes))
    columns = [
        np.broadcast_to(np.frombuffer(field, np.uint8), (rows, len(field))) if isinstance(field, bytes) else field
        for field in fields
    ]
    text = np.concatenate(columns, axis=1)
    return text[text != 0].tobytes()


def six_decimals(scores: np.ndarray) -> np.ndarray:
    """Scores below a thousand, as sparse retrievers print them."""
    whole, millionths = np.divmod(np.rint(scores * 1e6).astype(np.int64), 1_000_000)
    point = np.full((len(scores), 1), ord("."), np.uint8)
    return np.concatenate([decimal(whole, 3), point, decimal(millionths, 6, at_least=6)], axis=1)


def all_digits(scores: np.ndarray) -> np.ndarray:
    """Scores with just the digits that tell each double from its neighbours, as Python's repr prints them."""
    return words(list(map(repr, scores.tolist())))


def web_ids(numbers: np.ndarray) -> np.ndarray:
    """Document numbers below WEB_DOCUMENTS as ids of 25 characters such as clueweb12-0000tw-05-12114."""
    rest, serial = np.divmod(numbers, 30_000)
    rest, part = np.divmod(rest, 100)
    segment, kind = np.divmod(rest, 3)
    rows = len(numbers)
    return np.concatenate(
        [
            np.broadcast_to(np.frombuffer(b"clueweb12-", np.uint8), (rows, 10)),
            decimal(segment, 4, at_least=4),
            words(["tw", "wb", "wt"])[kind],
            np.full((rows, 1), ord("-"), np.uint8),
            decimal(part, 2, at_least=2),
            np.full((rows, 1), ord("-"), np.uint8),
            decimal(serial, 5, at_least=5),
        ],
        axis=1,
    )


WEB_DOCUMENTS = 1_900 * 3 * 100 * 30_000


# Chance


def stream(seed: int, purpose: str) -> np.random.Generator:
    """An own source of chance for each purpose, so that inputs made alone and together are the same."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])


def distinct(chance: np.random.Generator, queries: int, count: int, population: int) -> np.ndarray:
    """For each query `count` different numbers below `population`, in random order: one of each stratum."""
    width = population // count
    strata = chance.permuted(np.tile(np.arange(count), (queries, 1)), axis=1)
    return strata * width + chance.integers(width, size=(queries, count))


def falling(chance: np.random.Generator, tops: np.ndarray, depth: int, lost: float) -> np.ndarray:
    """For each query scores that start at its top and lose a share of it, fast at first; a few are tied."""
    steps = chance.exponential(size=(len(tops), depth)) / (np.arange(depth) + 3)
    steps[chance.random(steps.shape) < TIE_RATE] = 0
    steps[:, 0] = 0
    fallen = np.cumsum(steps, axis=1)
    return tops[:, None] * (1 - lost * fallen / fallen[:, -1:])


# Runs and judgments


def passage_blocks(seed: int, passages: Passages) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Query ids and, for each, its documents in rank order followed by the spare ones."""
    chance = stream(seed, f"{passages.kind}s")
    ids = chance.choice(np.arange(2, passages.last_query_id + 1), passages.queries, replace=False)
    for start in range(0, passages.queries, QUERIES_PER_BLOCK):
        block = ids[start : start + QUERIES_PER_BLOCK]
        yield block, distinct(chance, len(block), passages.depth + passages.spare, passages.documents)


def passage_lines(queries: np.ndarray, documents: np.ndarray, scores: np.ndarray, tag: str) -> bytes:
    """Results of some queries: for each its documents in rank order, and the text of all scores."""
    depth = documents.shape[1]
    return lines(
        np.repeat(decimal(queries, 7), depth, axis=0),
        b" Q0 ",
        decimal(documents.ravel(), 7),
        b" ",
        np.tile(decimal(np.arange(1, depth + 1), 4), (len(queries), 1)),
        b" ",
        scores,
        f" {tag}\n".encode(),
    )


def sparse_scores(chance: np.random.Generator, queries: int) -> np.ndarray:
    return six_decimals(falling(chance, chance.uniform(14, 45, queries), PASSAGES.depth, lost=0.5).ravel())


def dense_scores(chance: np.random.Generator, queries: int) -> np.ndarray:
    """Cosines in single precision and inner products in double precision, turn and turn about."""
    scores = falling(chance, chance.uniform(0.7, 0.95, queries), PASSAGES.depth, lost=0.15)
    scores[0::2] = scores[0::2].astype(np.float32)
    scores[1::2] *= 100
    return all_digits(scores.ravel())


def write_passage_run(
    file: BinaryIO, seed: int, tag: str, scores: Callable[[np.random.Generator, int], np.ndarray]
) -> None:
    chance = stream(seed, f"{tag} scores")
    for queries, documents in passage_blocks(seed, PASSAGES):
        text = scores(chance, len(queries))
        file.write(passage_lines(queries, documents[:, : PASSAGES.depth], text, tag))


def write_reordered_run(file: BinaryIO, seed: int, tag: str) -> None:
    """One of the runs that share queries and, mostly, documents, and have their own order of both."""
    chance = stream(seed, f"{tag} order")
    blocks = zip(*passage_blocks(seed, SHARED_PASSAGES), strict=True)
    queries, documents = (np.concatenate(parts) for parts in blocks)
    agreed = np.log(np.arange(1, documents.shape[1] + 1))
    order = chance.permutation(len(queries))
    for start in range(0, len(order), QUERIES_PER_BLOCK):
        chosen = order[start : start + QUERIES_PER_BLOCK]
        keys = agreed + chance.normal(scale=DISAGREEMENT, size=(len(chosen), len(agreed)))
        ranking = np.argsort(keys, axis=1)[:, : SHARED_PASSAGES.depth]
        retrieved = np.take_along_axis(documents[chosen], ranking, axis=1)
        file.write(passage_lines(queries[chosen], retrieved, sparse_scores(chance, len(chosen)), tag))


def write_passage_judgments(file: BinaryIO, seed: int, passages: Passages) -> None:
    """One relevant document per query, seldom two; most are retrieved, as many in ranks 1-9 as in 10-99."""
    chance = stream(seed, f"{passages.kind} judgments")
    for queries, documents in passage_blocks(seed, passages):
        shape = (len(queries), 2)
        places = np.floor(passages.depth ** chance.random(shape)).astype(np.int64) - 1
        clash = places[:, 0] == places[:, 1]
        places[clash, 1] = (places[clash, 1] + 1) % passages.depth
        missed = passages.depth + np.arange(2)  # the columns of two spare documents
        places = np.where(chance.random(shape) < passages.missed_rate, missed, places)
        judged = np.ones(shape, bool)
        judged[:, 1] = chance.random(len(queries)) < passages.second_judgment_rate
        query, place = np.nonzero(judged)
        file.write(
            lines(
                decimal(queries[query], 7),
                b" 0 ",
                decimal(documents[query, places[query, place]], 7),
                b" 1\n",
            )
        )


def pool_documents(seed: int, name: str, pool: Pool) -> np.ndarray:
    """For each query its documents in rank order, and then those that may be judged but are not retrieved."""
    chance = stream(seed, f"{name} documents")
    return distinct(chance, pool.queries, pool.depth + pool.judged_per_query, WEB_DOCUMENTS)


def pool_query_ids(pool: Pool) -> np.ndarray:
    return decimal(pool.first_query_id + np.arange(pool.queries), 3)


def write_pool_run(file: BinaryIO, seed: int, name: str, pool: Pool) -> None:
    chance = stream(seed, f"{name} scores")
    file.write(
        lines(
            np.repeat(pool_query_ids(pool), pool.depth, axis=0),
            b" Q0 ",
            web_ids(pool_documents(seed, name, pool)[:, : pool.depth].ravel()),
            b" ",
            np.tile(decimal(np.arange(1, pool.depth + 1), 4), (pool.queries, 1)),
            b" ",
            six_decimals(falling(chance, chance.uniform(14, 45, pool.queries), pool.depth, lost=0.5).ravel()),
            f" {name}\n".encode(),
        )
    )


def write_pool_judgments(file: BinaryIO, seed: int, name: str, pool: Pool) -> None:
    """As many judgments for each query, in the order of document ids, with better grades near the top."""
    chance = stream(seed, f"{name} judgments")
    documents = pool_documents(seed, name, pool)
    judged = np.zeros(documents.shape, bool)
    judged[:, : pool.depth] = chance.random((pool.queries, pool.depth)) < pool.judged_rate_below
    judged[:, : pool.judged_depth] = True
    spare = judged.sum(axis=1) + np.arange(1, pool.judged_per_query + 1)[:, None] <= pool.judged_per_query
    judged[:, pool.depth :] = spare.T
    near_top = chance.choice(pool.grades, size=documents.shape, p=pool.grade_shares_within)
    grades = chance.choice(pool.grades, size=documents.shape, p=pool.grade_shares_elsewhere)
    grades[:, : pool.judged_depth] = near_top[:, : pool.judged_depth]

    query, place = np.nonzero(judged)
    order = np.lexsort((documents[query, place], query))
    query, place = query[order], place[order]
    file.write(
        lines(
            pool_query_ids(pool)[query],
            b" 0 ",
            web_ids(documents[query, place]),
            b" ",
            words([str(grade) for grade in range(-2, 5)])[grades[query, place] + 2],
            b"\n",
        )
    )


def write_plain(file: BinaryIO, seed: int, kind: str, queries: int, depth: int, judgments: bool) -> None:
    """As many documents for each query, in the order of falling scores, or judged, every third of them relevant.

    Judgments begin with the third document of the run, so that some documents are in one of the files alone.
    """
    chance = stream(seed, f"{kind} {'judgments' if judgments else 'run'}")
    step = max(queries // -(-queries * depth // LINES_PER_BLOCK), 1)
    for first in range(0, queries, step):
        query = np.repeat(np.arange(first, min(first + step, queries)), depth)
        for begin in range(0, len(query), LINES_PER_BLOCK):
            part = query[begin : begin + LINES_PER_BLOCK]
            rank = np.arange(begin, begin + len(part)) % depth
            if judgments:
                # Numbers that are spread over all documents, each once for a query, and mostly those of the run.
                document = (part * 7_919 + (rank + (depth > 2) * 2) * SPREAD) % PLAIN_DOCUMENTS
                grade = words(["0", "0", "1"])[chance.integers(3, size=len(part))]
                file.write(lines(decimal(part, 8), b" 0 ", decimal(document, 8), b" ", grade, b"\n"))
            else:
                document = (part * 7_919 + rank * SPREAD) % PLAIN_DOCUMENTS
                score = six_decimals(900 - 800 * (rank + chance.random(len(part))) / depth)
                written = (decimal(part, 8), b" Q0 ", decimal(document, 8), b" ", decimal(rank + 1, 8), b" ", score)
                file.write(lines(*written, b" plain\n"))


PLAIN_DOCUMENTS = 99_999_989  # a prime, so that multiples of SPREAD meet again after as many
SPREAD = 61_803_391


def write_shuffled(file: BinaryIO, source: Path, seed: int) -> None:
    """The lines of another file in random order. Memory holds where the lines are, not the lines."""
    text = np.memmap(source, np.uint8, mode="r")
    pieces = range(0, len(text), PIECE)
    ends = np.concatenate([np.flatnonzero(text[start : start + PIECE] == ord("\n")) + start for start in pieces])
    starts = np.concatenate([[0], ends[:-1] + 1])
    order = stream(seed, f"order of {source.name}").permutation(len(ends))
    for first in range(0, len(order), LINES_PER_BLOCK):
        chosen = order[first : first + LINES_PER_BLOCK]
        lengths = ends[chosen] + 1 - starts[chosen]
        places = np.cumsum(lengths) - lengths
        file.write(text[np.repeat(starts[chosen] - places, lengths) + np.arange(lengths.sum())].tobytes())


def write_gzipped(file: BinaryIO, source: Path) -> None:
    """Another file, compressed as the command gzip does it, and the same bytes each time."""
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed, source.open("rb") as plain:
        shutil.copyfileobj(plain, packed, PIECE)


def write_saved(file: BinaryIO, qrels: Path, run: Path) -> None:
    """What irev makes of a run, query by query, to hold later runs against."""
    measures = [word for name in SAVED for word in ("-m", name)]
    command = [sys.executable, "-m", "irev", "eval", "-c", "-q", *measures, "-f", "json"]
    subprocess.run(
        [*command, qrels.resolve(), run.resolve()], stdout=file, check=True, cwd=Path(__file__).parent.parent
    )


def write_later(file: BinaryIO, run: Path) -> None:
    """A run with a tenth of its scores lowered a little, so that many documents move."""
    with run.open("rb") as lines:
        for number, line in enumerate(lines):
            if number % 10 == 0:
                fields = line.split()
                fields[4] = b"%.6f" % (float(fields[4]) * 0.999)
                line = b" ".join(fields) + b"\n"
            file.write(line)


def write_list(file: BinaryIO, folder: Path, names: tuple[str, ...]) -> None:
    """A path a line, and absolute ones, since whoever reads the list may run anywhere."""
    file.write(b"".join(os.fsencode(folder.resolve() / name) + b"\n" for name in names))


# Files


# How each file is written. A file that is made from another stands after it.
WRITERS: dict[str, Callable[[BinaryIO, Path, int], None]] = {
    "msmarco.qrels": lambda file, folder, seed: write_passage_judgments(file, seed, PASSAGES),
    "msmarco.run": lambda file, folder, seed: write_passage_run(file, seed, "bm25", sparse_scores),
    "dense.run": lambda file, folder, seed: write_passage_run(file, seed, "dense", dense_scores),
    "pooled.qrels": lambda file, folder, seed: write_pool_judgments(file, seed, "pooled", POOLED),
    "pooled.run": lambda file, folder, seed: write_pool_run(file, seed, "pooled", POOLED),
    "many.qrels": lambda file, folder, seed: write_passage_judgments(file, seed, SHARED_PASSAGES),
    "small.qrels": lambda file, folder, seed: write_pool_judgments(file, seed, "small", SMALL),
    "small.run": lambda file, folder, seed: write_pool_run(file, seed, "small", SMALL),
    "many-queries.qrels": lambda file, folder, seed: write_plain(file, seed, "many queries", 10_000_000, 1, True),
    "many-queries.run": lambda file, folder, seed: write_plain(file, seed, "many queries", 10_000_000, 1, False),
    "many-judgments.qrels": lambda file, folder, seed: write_plain(file, seed, "many judgments", 20_000, 1_000, True),
    "many-judgments.run": lambda file, folder, seed: write_plain(file, seed, "many judgments", 20_000, 10, False),
    "long-ranking.qrels": lambda file, folder, seed: write_plain(file, seed, "long ranking", 1, 1_000, True),
    "long-ranking.run": lambda file, folder, seed: write_plain(file, seed, "long ranking", 1, 10_000_000, False),
    "msmarco-shuffled.run": lambda file, folder, seed: write_shuffled(file, folder / "msmarco.run", seed),
    "msmarco.run.json": lambda file, folder, seed: write_saved(file, folder / "msmarco.qrels", folder / "msmarco.run"),
    "msmarco.run.later": lambda file, folder, seed: write_later(file, folder / "msmarco.run"),
    "msmarco.run.gz": lambda file, folder, seed: write_gzipped(file, folder / "msmarco.run"),
    "pooled-shuffled.run": lambda file, folder, seed: write_shuffled(file, folder / "pooled.run", seed),
    **{
        name: lambda file, folder, seed, tag=f"r{number:02}": write_reordered_run(file, seed, tag)
        for number, name in enumerate(INPUTS["many"].parts, 1)
    },
    "many.list": lambda file, folder, seed: write_list(file, folder, INPUTS["many"].parts),
}


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name when it is complete: an interruption leaves no half input behind."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        yield file
    os.replace(part, path)


def files_of(names: list[str]) -> list[str]:
    """The files of some inputs and those they are made from, in the order in which they can be written."""
    wanted = {file for name in names for file in INPUTS[name].files}
    wanted |= {file.replace("-shuffled", "").removesuffix(".gz") for file in wanted}
    return [file for file in WRITERS if file in wanted]


def seed_of(folder: Path) -> int | None:
    """The seed that the files in a folder were made from."""
    note = folder / SEED_FILE
    return int(note.read_text()) if note.exists() else None


def generate(names: list[str], folder: Path, seed: int, *, again: bool = False) -> None:
    """Write the files of the named inputs that are not there yet, or all of them `again`.

    All files of a folder come from one seed, because inputs share judgments; another one is refused.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if seed_of(folder) not in (None, seed):
        raise SystemExit(f"{folder} holds inputs of seed {seed_of(folder)}: empty it, or name another --folder")
    (folder / SEED_FILE).write_text(f"{seed}\n")
    for name in files_of(names):
        path = folder / name
        if again or not path.exists():
            with whole_file(path) as file:
                WRITERS[name](file, folder, seed)
            print(f"{path}: {path.stat().st_size / 1e6:.1f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the inputs of the benchmarks from a seed.")
    parser.add_argument("names", nargs="+", choices=["all", *INPUTS], metavar="NAME", help=f"all, {', '.join(INPUTS)}")
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, help="where files go (default: %(default)s)")
    parser.add_argument("--seed", type=int, help=f"default: that of the folder, or {DEFAULT_SEED}")
    parser.add_argument("--again", action="store_true", help="write files that are already there once more")
    options = parser.parse_args()
    names = list(INPUTS) if "all" in options.names else options.names
    seed = options.seed if options.seed is not None else seed_of(options.folder)
    generate(names, options.folder, DEFAULT_SEED if seed is None else seed, again=options.again)


if __name__ == "__main__":
    main()
