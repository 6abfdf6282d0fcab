"""Tables on Spark, on this machine: the part of `benchmarks/distributed.py` that is about them.

Rows in random order, as Parquet; `irev eval` of one process reads the same files. A session of Spark with two workers
is there before the clock runs. The means of both have to be equal.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
MEASURES = ["AP", "nDCG@10", "P@10", "Recall@100"]
DEPTH, JUDGED = 1_000, 100


def write_tables(folder: Path, rows: int, depth: int = DEPTH) -> int:
    """Judgments and a run as Parquet, rows in no order; the number of queries."""
    import pyarrow as pa
    from pyarrow import compute, parquet

    rng = np.random.default_rng(1)
    queries = rows // depth
    judged = min(JUDGED, depth)
    for name, each, number in (("qrels", judged, "relevance"), ("run", depth, "score")):
        query = np.repeat(np.arange(queries), each)
        document = (query * 7919 + np.tile(np.arange(each), queries) * (depth // each)) % 10_000_000
        value = rng.integers(0, 4, len(query)) if number == "relevance" else rng.normal(10, 3, len(query)).round(4)
        order = rng.permutation(len(query))
        data = {
            "query_id": compute.binary_join_element_wise("q", pa.array(query[order]).cast(pa.string()), ""),
            "doc_id": compute.binary_join_element_wise("doc", pa.array(document[order]).cast(pa.string()), ""),
            number: pa.array(value[order]),
        }
        parquet.write_table(pa.table(data), folder / f"{name}.parquet", row_group_size=1 << 20)
    return queries


def spark_once(folder: Path, choices: dict[str, Any]) -> dict[str, Any]:
    """In a process of its own: seconds of each step, bytes shuffled, and the memory of this process."""
    code = f"import sys; sys.path.append({str(Path(__file__).parent)!r}); import on_spark; on_spark.child()"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        input=json.dumps({"folder": str(folder), **choices}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


def child() -> None:
    """What `spark_once` starts."""
    given = json.load(sys.stdin)
    folder = given.pop("folder")
    import irev.spark

    begun = time.perf_counter()
    events = tempfile.mkdtemp(dir=folder)
    spark = irev.spark.session(
        spark_master="local[2]",
        spark_ui_enabled="false",
        spark_ui_showConsoleProgress="false",
        spark_log_level="ERROR",
        spark_driver_memory="3g",
        spark_sql_shuffle_partitions="8",
        spark_eventLog_enabled="true",
        spark_eventLog_compress="false",
        spark_eventLog_dir=f"file://{events}",
    )
    spark.range(10).mapInArrow(lambda batches: batches, "id long").count()  # a Python worker is there
    at = [begun, time.perf_counter()]
    qrels, run = (spark.read.parquet(f"{folder}/{name}.parquet") for name in ("qrels", "run"))
    found = irev.spark.evaluate(qrels, run, MEASURES, **given)
    at.append(time.perf_counter())
    mean = found.mean()
    at.append(time.perf_counter())
    status = Path("/proc/self/status").read_text().splitlines()
    memory = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))  # not that of its parent
    buckets, queries = found.buckets, found.queries
    spark.stop()
    shuffled = 0
    for path in Path(events).rglob("*"):
        if path.is_file():
            for line in path.read_text(errors="ignore").splitlines():
                if '"SparkListenerTaskEnd"' in line:
                    metrics = json.loads(line).get("Task Metrics") or {}
                    shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    steps = dict(zip(("session", "evaluate", "fold"), (b - a for a, b in pairwise(at)), strict=True))
    said = {
        "mean": list(mean.values()),
        "memory": memory,
        "shuffled": shuffled,
        "buckets": buckets,
        "queries": queries,
    }
    print(json.dumps(said | steps))


def irev_once(folder: Path) -> tuple[float, list[float]]:
    """Seconds that ``irev eval`` takes of the same tables, and its values."""
    options = [word for measure in MEASURES for word in ("-m", measure)]
    command = [sys.executable, "-m", "irev", "eval", *options, "-f", "json"]
    command += [str(folder / "qrels.parquet"), str(folder / "run.parquet")]
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=True, cwd=ROOT)
    seconds = time.perf_counter() - begun
    record = json.loads(done.stdout)
    return seconds, list(record["results"][0]["summary"].values())


def kernel_memory(folder: Path, rows: int) -> tuple[int, int]:
    """Bytes of the rows of a bucket as plans count them, and bytes of memory that the kernel takes beside them."""
    code = """
import resource, sys
import pyarrow.compute as pc, pyarrow.parquet as pq
import irev.arrow
folder, rows, depth = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tables = []
for name in ("run", "qrels"):
    table = pq.read_table(f"{folder}/{name}.parquet")
    number = pc.cast(pc.utf8_slice_codeunits(table["query_id"], 1), "int64")
    tables.append(table.filter(pc.less(number, rows // depth)).combine_chunks())
size = sum(pc.sum(pc.add(pc.binary_length(t[0]), pc.binary_length(t[1]))).as_py() + 24 * t.num_rows for t in tables)
irev.arrow.evaluate_tables(*(table.slice(0, 1000) for table in tables), ["AP"])
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # forget the peak
read = lambda what: next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith(what))
before = read("VmRSS")
irev.arrow.evaluate_tables(*tables, sys.argv[4:])
print(size, read("VmHWM") - before)
"""
    command = [sys.executable, "-c", code, str(folder), str(rows), str(DEPTH), *MEASURES]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    size, peak = map(int, done.stdout.split())
    return size, peak


def measure(arguments: argparse.Namespace) -> int:
    """Print what was measured; the status is 1 when numbers differ."""
    same = True
    print("| rows | Spark, two workers | of that for all queries | irev eval, one process | ratio | shuffled |")
    print("|---|---|---|---|---|---|")
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_tables(folder, rows)
            rounds = []
            for _ in range(arguments.rounds):
                seconds, expected = irev_once(folder)
                found = spark_once(folder, {})
                same = same and expected == found["mean"]
                rounds.append((found["evaluate"] + found["fold"], seconds, found))
            ratio = statistics.median(spark / alone for spark, alone, _ in rounds)
            spark, alone, found = rounds[-1]
            cells = [f"{spark:.1f} s", f"{found['fold']:.1f} s", f"{alone:.1f} s", f"{ratio:.2f}"]
            print(f"| {rows:,} | {' | '.join(cells)} | {found['shuffled'] / 1e6:.0f} MB |")
            sys.stdout.flush()
            if rows == arguments.rows[-1]:
                for buckets in arguments.buckets:
                    swept = spark_once(folder, {"buckets": buckets})
                    same = same and swept["mean"] == expected
                    ratio = swept["evaluate"] / found["evaluate"]
                    print(f"N = {buckets}, time ÷ that of N = {found['buckets']}: {ratio:.2f}")
                    sys.stdout.flush()
                size, peak = kernel_memory(folder, min(rows, 1_000_000))
                print(f"a bucket of a million rows: {size / 1e6:.0f} MB of rows, {peak / 1e6:.0f} MB beside them")
    memory = []
    for queries in arguments.queries:
        with tempfile.TemporaryDirectory() as name:
            write_tables(Path(name), queries * 5, depth=5)
            found = spark_once(Path(name), {})
            memory.append(f"{queries:,} queries {found['memory'] / 1e6:.0f} MB")
    print("memory of the driver's Python: " + ", ".join(memory))
    print("the numbers are the same" if same else "THE NUMBERS DIFFER")
    return not same


def add_to(commands: Any) -> None:
    """Make it a command of `benchmarks/distributed.py`."""
    parser = commands.add_parser("spark", help="tables on Spark")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 7_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--buckets", type=int, nargs="*", default=[1, 7, 70])
    parser.add_argument("--queries", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.set_defaults(measure=measure)
