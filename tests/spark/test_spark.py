"""Evaluation on Spark: the numbers of `irev.evaluate`, to the last bit, of each query and of all, whatever the buckets,
the types of ids and the fate of workers; and what is refused, which depends on none of these.

Real sessions, never mocks: without pyspark or Java these tests are skipped, and say so.
"""

import functools
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import ROOT, environment
from sessions_of_spark import MARKS, QUICK, spark  # noqa: F401 - a fixture
from tables import CHOICES, evaluated, qrels_of, random_rows, run_of

import irev
from irev.base.errors import RowError

sys.path.insert(0, str(ROOT / "tests" / "arrow"))

import irev.spark
from irev.spark import frames as spark_frames

pytestmark = MARKS

FEW = ["AP", "nDCG@10", "gm_map", "Judged(by=pooled)@5", "INST", "num_rel", "map.agg=median", "relstring"]


def frames(spark, judged, retrieved):  # noqa: F811
    """Rows as data frames of Spark; those of a query stand scattered."""
    kinds = [(type(rows[0][0]) is int and pa.int64()) or pa.string() for rows in (judged, retrieved)]
    made = (qrels_of(judged, kinds[0]), run_of(retrieved, kinds[1]))
    return tuple(spark.createDataFrame(each) for each in made)


def assert_same(expected: irev.Evaluation, found: irev.spark.SparkEvaluation) -> None:
    assert repr(expected.mean()) == repr(found.mean())
    per_query = found.per_query.toArrow().sort_by("query")
    assert list(expected.queries) == per_query.column("query").to_pylist()
    for name, values in {**expected.per_query, **expected.texts}.items():
        assert repr(list(values.values())) == repr(per_query.column(name).to_pylist()), name
    found.unpersist()


@functools.cache
def of_few(choice: str):
    judged, retrieved = random_rows(7, 30)
    options = CHOICES[choice]
    measures = ["AP", "nDCG@10", "RBP(gmax=auto)", "num_rel"] if choice == "average" else FEW
    measures = [measure for measure in measures if measure != "RBP(gmax=auto)"]
    return judged, retrieved, measures, options, irev.evaluate(qrels_of(judged), run_of(retrieved), measures, **options)


# Numbers.


@pytest.mark.parametrize(("buckets", "most"), [(1, 10**6), (7, 10**6), (200, 10**6), (7, 0)])
def test_every_measure_is_the_same_in_any_number_of_buckets(spark, monkeypatch, buckets, most):  # noqa: F811
    monkeypatch.setattr("irev.spark.plans.BROADCAST", most)  # whether workers have the judgments, or rows are sent
    judged, retrieved, measures, options, expected = evaluated("none")
    data = [each.repartition(3) for each in frames(spark, judged, retrieved)]
    found = irev.spark.evaluate(*data, measures, buckets=buckets, **options)
    assert buckets == found.buckets
    assert expected.to_json() == found.result().to_json()
    assert_same(expected, found)


@pytest.mark.parametrize(("most", "shuffles"), [(10**6, 1), (0, 2)])
def test_the_run_is_shuffled_once_and_judgments_where_they_are_many(spark, monkeypatch, capsys, most, shuffles):  # noqa: F811
    monkeypatch.setattr("irev.spark.plans.BROADCAST", most)
    rows = [(f"q{n}", f"d{m}", float(m)) for n in range(5) for m in range(4)]
    irev.spark.evaluate(*frames(spark, rows, rows), "AP", cache=False).per_query.explain()
    plan = capsys.readouterr().out
    assert (shuffles, 0) == (len(re.findall(r"\bExchange\b", plan)), plan.count("Broadcast")), plan


@pytest.mark.parametrize("choice", ["complete", "average", "run", "9.0.8", "gains"])
def test_settings_mean_what_they_mean_elsewhere(spark, choice):  # noqa: F811
    judged, retrieved, measures, options, expected = of_few(choice)
    assert_same(expected, irev.spark.evaluate(*frames(spark, judged, retrieved), measures, buckets=3, **options))


def test_whole_numbers_and_bytes_are_ids(spark):  # noqa: F811
    judged = [(9, 10, 1), (9, -3, 2), (10, 7, 1), (2**40, 1, 1)]
    retrieved = [(9, -3, 1.0), (9, 10, 1.0), (10, 7, 1.0), (2**40, 1, 0.0)]
    texts = [[(str(query), str(document), number) for query, document, number in rows] for rows in (judged, retrieved)]
    expected = irev.evaluate(qrels_of(texts[0]), run_of(texts[1]), FEW)
    assert_same(expected, irev.spark.evaluate(*frames(spark, judged, retrieved), FEW, buckets=2))
    odd = [(b"\xff", b"\xfe\xff", 1.0), (b"q", b"p\x05", 1.0)]
    data = [spark.createDataFrame(made(odd, pa.binary())) for made in (qrels_of, run_of)]
    evaluated = irev.spark.evaluate(*data, "AP")
    found = evaluated.result()
    assert ((b"q", b"\xff"), {"AP": 1.0}) == (tuple(found.scores.queries), found.mean())
    assert {b"q", b"\xff"} == {bytes(row["query"]) for row in evaluated.per_query.collect()}


def test_where_a_bucket_would_not_fit_there_are_more_and_a_query_that_does_not_is_refused(spark):  # noqa: F811
    chance = random.Random(8)
    judged, retrieved = random_rows(8, 25)
    large = [("large", f"d{number:06}", float(chance.randint(0, 9))) for number in range(len(retrieved))]
    retrieved = [*retrieved, *large]
    judged = [*judged, *(("large", f"d{number:06}", number % 3) for number in range(0, len(large), 5))]
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), FEW)
    data = frames(spark, judged, retrieved)
    size = 6 * (36 * (len(large) + len(large[::5])))
    found = irev.spark.evaluate(*data, FEW, memory=size, buckets=1)
    assert found.buckets > 1
    assert_same(expected, found)
    rows = len(large) + len(large[::5])
    with pytest.raises(irev.InputError, match=f"query 'large' has {rows} rows.*memory=, or cut the results"):
        irev.spark.evaluate(*data, FEW, memory=size - 1, buckets=1)


def test_ties_in_every_query_are_broken_as_elsewhere(spark):  # noqa: F811
    judged = [(f"q{query}", f"d{number}", number % 4) for query in range(9) for number in range(0, 300, 3)]
    retrieved = [(f"q{query}", f"d{number}", 1.0) for query in range(9) for number in range(300)]
    for options in ({}, {"ties": "average"}):
        expected = irev.evaluate(qrels_of(judged), run_of(retrieved), ["AP", "nDCG@10", "ERR"], **options)
        found = irev.spark.evaluate(*frames(spark, judged, retrieved), ["AP", "nDCG@10", "ERR"], buckets=4, **options)
        assert_same(expected, found)


@pytest.mark.parametrize("options", [{"order": "file"}, {"ties": "file"}, {"duplicates": "first"}], ids=str)
def test_what_goes_by_the_order_of_rows_needs_a_column_that_has_it(spark, options):  # noqa: F811
    judged, retrieved = random_rows(6, 9)
    if "duplicates" in options:
        retrieved += [(*row[:2], row[2] + 1) for row in retrieved[::3]]
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), ["AP", "RR"], **options)
    ordered = run_of(retrieved).append_column("my row", [list(range(len(retrieved)))])
    qrels, run = spark.createDataFrame(qrels_of(judged)), spark.createDataFrame(ordered).repartition(3)
    with pytest.raises(irev.UsageError, match=r"depends on the order of rows.*order_column="):
        irev.spark.evaluate(qrels, run, "AP", **options)
    assert_same(expected, irev.spark.evaluate(qrels, run, ["AP", "RR"], order_column="my row", **options))


def test_what_comes_of_it_is_compared_and_checked_as_any_evaluation(spark):  # noqa: F811
    judged, retrieved = random_rows(9, 20)
    worse = [(query, document, -score) for query, document, score in retrieved]
    found = {
        name: irev.spark.evaluate(*frames(spark, judged, rows), ["AP", "RR"], complete=True, tag=name).result()
        for name, rows in (("good", retrieved), ("bad", worse))
    }
    expected = {
        name: irev.evaluate(qrels_of(judged), run_of(rows), ["AP", "RR"], complete=True)
        for name, rows in (("good", retrieved), ("bad", worse))
    }
    assert str(irev.compare(expected)) == str(irev.compare(found))
    assert irev.check(expected, min={"AP": 0.1}).headline == irev.check(found, min={"AP": 0.1}).headline
    assert ["good", "bad"] == [each.scores.tag.decode() for each in found.values()]


def test_queries_on_one_side_are_counted(spark):  # noqa: F811
    judged, retrieved = random_rows(10, 30)
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), "AP")
    found = irev.spark.evaluate(*frames(spark, judged, retrieved), "AP")
    assert (len(expected.missing), len(expected.unjudged)) == (found.counts.not_retrieved, found.counts.not_judged)
    assert len(expected.queries) == found.queries == found.counts.both


def test_values_that_are_not_kept_are_computed_again(spark):  # noqa: F811
    judged, retrieved = random_rows(11, 12)
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), FEW)
    found = irev.spark.evaluate(*frames(spark, judged, retrieved), FEW, cache=False)
    assert repr(expected.mean()) == repr(found.mean())


def test_values_come_in_as_many_parts_as_the_driver_can_hold(spark, monkeypatch):  # noqa: F811
    monkeypatch.setattr("irev.spark.TOGETHER", 3)
    judged, retrieved = random_rows(12, 40)
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), FEW)
    found = irev.spark.evaluate(*frames(spark, judged, retrieved), FEW)
    assert repr(expected.mean()) == repr(found.mean())
    assert expected.to_json() == found.result().to_json()


# What is refused.

GOOD = [(f"q{query}", f"d{number}", 1.0) for query in range(9) for number in range(5)]
BAD_ROWS = {
    "null id": ((None, "d", 1.0), "E113", "the query is null"),
    "empty id": (("p", "", 1.0), "E110", "the document id is empty"),
    "NUL": (("p", "a\0b", 1.0), "E110", "the document id holds a NUL"),
    "null number": (("p", "d", None), "E113", "the (grade|score) is null"),
    "no number": (("p", "d", float("nan")), "E10[25]", "the (grade|score) nan is not a number"),
    "twice": (("q0", "d1", 1.0), "E103", "the document is (judged|retrieved) again"),
}


@pytest.mark.parametrize(
    ("side", "fault"), [*(("run", fault) for fault in BAD_ROWS), ("qrels", "no number"), ("qrels", "twice")]
)
def test_the_least_row_that_is_wrong_is_named_whatever_the_buckets(spark, fault, side):  # noqa: F811
    row, code, fact = BAD_ROWS[fault]
    worse = [] if fault == "twice" else [("r", "d", float("nan"))]
    rows = [*GOOD, row, *worse, ("q7", "d3", 1.0), ("q8", "d1", 1.0)]
    data = frames(spark, *((rows, GOOD) if side == "qrels" else (GOOD, rows)))
    messages = set()
    # Faults that a row shows alone are found before there are any buckets.
    for choices in ({"buckets": 1}, {"buckets": 7})[: 1 + (fault == "twice")]:
        with pytest.raises(RowError, match=fact) as caught:
            irev.spark.evaluate(*data, "AP", **choices)
        assert re.fullmatch(code, caught.value.code)
        messages.add(str(caught.value))
    assert 1 == len(messages)
    assert messages.pop().startswith(f"{side}, query ")


def test_faults_in_results_without_judgments_are_faults_too(spark):  # noqa: F811
    data = frames(spark, GOOD[:5], [*GOOD, ("q8", "x", float("nan"))])
    with pytest.raises(RowError, match="run, query 'q8', document 'x': the score nan is not a number"):
        irev.spark.evaluate(*data, "AP")


REFUSED = {
    "no query in common": (GOOD, [("x", "d", 1.0)], {}, "qrels and run have no query in common: .*'q0'.*'x'"),
    "no judgments": ([], GOOD, {}, "qrels: there are no judgments"),
    "no results": (GOOD, [], {}, "run: there are no results"),
    "strict": (GOOD, GOOD[5:], {"strict": True}, "run: it has no results for 'q0'"),
    "gains": ([*GOOD, ("q1", "x", 3), ("q2", "x", 2)], GOOD, {"gains": {0: 0, 1: 1}}, "qrels: grade 2 has no gain"),
    "negative": ([*GOOD, ("q1", "x", -1)], GOOD, {"negative": "error"}, "'q1', document 'x': the grade -1 is negative"),
    "gmax": ([*GOOD, ("q1", "x", 5), ("q2", "x", 7)], GOOD, {}, "a grade of 7 is above the highest grade 4"),
    "listed": (GOOD, GOOD, {"queries": ["q1"]}, "cannot be evaluated for listed queries"),
    "relevant": (GOOD, GOOD, {"queries": "relevant"}, "leave out the judgments of such queries"),
    "buckets": (GOOD, GOOD, {"buckets": 0}, "0 is no value of buckets; expected a whole number of 1 or more"),
    "columns": (
        GOOD,
        GOOD,
        {"columns": {"run:score": "x"}},
        "run: there is no column 'x'; there are 'query_id'",
    ),
    "type": (
        GOOD,
        GOOD,
        {"columns": {"run:score": "doc_id", "run:document": "score"}},
        "column 'score' holds double",
    ),
    "text": (
        *(GOOD, GOOD),
        {"columns": {"qrels:grade": "doc_id", "qrels:document": "query_id", "qrels:query": "doc_id"}},
        "doc_id",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_evaluated_is_refused_in_the_words_of_elsewhere(spark, case):  # noqa: F811
    judged, retrieved, options, message = REFUSED[case]
    made = [made(rows or GOOD) for made, rows in ((qrels_of, judged), (run_of, retrieved))]
    data = [spark.createDataFrame(each) for each in made]
    data = [each if rows else each.limit(0) for each, rows in zip(data, (judged, retrieved), strict=True)]
    with pytest.raises(irev.IrevError, match=message):
        irev.spark.evaluate(*data, ["ERR", "AP"], **{"buckets": 5, **options})


def test_what_is_no_data_frame_of_spark_is_refused(spark):  # noqa: F811
    with pytest.raises(irev.InputError, match=r"qrels: this is of type Table; expected a DataFrame of Spark"):
        irev.spark.evaluate(qrels_of(GOOD), run_of(GOOD), "AP")


def test_a_worker_that_computes_otherwise_is_refused(spark, monkeypatch):  # noqa: F811
    monkeypatch.setattr(irev.spark, "arithmetic_of", lambda settings: "irev 9.9, numpy 1.0, arithmetic x")
    with pytest.raises(irev.UsageError, match=r"this worker has irev 0\..*the main process has irev 9\.9, numpy 1\.0"):
        irev.spark.evaluate(*frames(spark, GOOD, GOOD), "AP")


def test_the_script_of_the_page_at_scale_saves_what_irev_eval_finds(spark, tmp_path, monkeypatch):  # noqa: F811
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    script = page.partition("# evaluate.py")[2].partition("```")[0].partition("\n")[2]
    paths = [str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run")]
    monkeypatch.setattr(sys, "argv", ["evaluate.py", *paths, str(tmp_path / "scores.json")])
    exec(compile(script, "evaluate.py", "exec"), {})
    saved = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    with pytest.warns(irev.QueriesWarning):
        expected = json.loads(irev.evaluate(*paths, ["nDCG@10", "AP"]).to_json())
    assert [{**expected["results"][0], "run": "keyword"}] == saved["results"]


# What it needs.


def test_java_is_named_where_it_is_missing_or_too_old(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(irev.InputError, match="Spark needs Java 17 or newer, and there is none; install Java 17"):
        spark_frames.require_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(irev.InputError, match=f"and there is none in JAVA_HOME, {tmp_path}; install"):
        spark_frames.require_java()
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    program.chmod(0o755)
    with pytest.raises(irev.InputError, match=f"newer, and {program} is Java 8; install Java 17"):
        spark_frames.require_java()


def test_pyspark_is_named_where_it_is_missing_or_too_old(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(irev.InputError, match=r"pyspark is needed to evaluate on Spark; pip install 'pyspark>=4"):
        irev.spark.evaluate(None, None, "AP")
    monkeypatch.undo()
    monkeypatch.setattr("pyspark.__version__", "3.5.1")
    with pytest.raises(irev.InputError, match=r"Spark 4\.0 or later is needed, and pyspark is 3\.5\.1"):
        irev.spark.evaluate(None, None, "AP")


def test_workers_run_the_python_that_runs_here(spark):  # noqa: F811
    assert sys.executable == os.environ["PYSPARK_PYTHON"]


# Sessions of other kinds, each in a process of its own.

ELSEWHERE = """
import os, signal, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {tests!r})
import irev, irev.spark
from tables import qrels_of, random_rows, run_of
{session}
judged, retrieved = random_rows(12, 20)
expected = irev.evaluate(qrels_of(judged), run_of(retrieved), ["AP", "INST", "gm_map"])
qrels, run = spark.createDataFrame(qrels_of(judged)), spark.createDataFrame(run_of(retrieved))
{change}
found = irev.spark.evaluate(qrels, run, ["AP", "INST", "gm_map"], buckets=5)
assert expected.to_json() == found.result().to_json()
assert repr(expected.mean()) == repr(found.mean())
print("the same", {said})
spark.stop()
"""

KILLED = """
def killing(batches):
    # The worker's parent is the daemon that forked it, whose parent is the executor.
    for batch in batches:
        if not os.path.exists({mark!r}):
            open({mark!r}, "x").close()
            daemon = open(f"/proc/{{os.getppid()}}/stat").read().rpartition(")")[2].split()
            os.kill(int(daemon[1]), signal.SIGKILL)
        yield batch
run = run.repartition(4).mapInArrow(killing, run.schema)
"""


def ran(folder: Path, session: str, change: str = "", said: str = "''") -> str:
    code = ELSEWHERE.format(tests=str(ROOT / "tests"), session=session, change=change, said=said)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(PYTHONWARNINGS="ignore"),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert 0 == done.returncode, done.stderr[-3000:]
    return done.stdout.splitlines()[-1]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="executors are found in /proc")
def test_numbers_are_the_same_when_an_executor_is_killed(tmp_path):
    mark = tmp_path / "killed"
    session = f"spark = irev.spark.session(spark_master='local-cluster[2,1,1024]', **{QUICK!r})"
    change = KILLED.format(mark=str(mark))
    assert "the same " == ran(tmp_path, session, change)[:9]
    assert mark.exists()


def test_spark_connect_gives_the_same_numbers(tmp_path):
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    session = f"spark = irev.spark.session(spark_remote='local[2]', **{QUICK!r})"
    assert "the same pyspark.sql.connect.session" == ran(tmp_path, session, said="type(spark).__module__")
