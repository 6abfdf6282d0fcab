"""The recipes for tables of a lake and for S3 (docs/recipes.md) run as they stand: with Delta Lake's and Iceberg's own
packages, and a server that answers as S3 does. `.ci/run` installs these."""

import contextlib
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, environment
from test_recipes import block

import irev

LACKS = "pip install deltalake 'pyiceberg[sql-sqlite]' 'moto[server]' s3fs"
SAMPLES = ROOT / "sample_data"

pytestmark = pytest.mark.filterwarnings("ignore")  # of what these packages are written with


@pytest.fixture
def expected():
    return irev.evaluate(SAMPLES / "qrels.txt", SAMPLES / "semantic.run", ["nDCG@10"], complete=True).mean()


@pytest.fixture
def tables():
    """Judgments and a run as tables of Arrow, by name."""
    arrow = pytest.importorskip("pyarrow", reason="pip install pyarrow")
    qrels = [line.split() for line in (SAMPLES / "qrels.txt").read_text().splitlines()[1:]]
    run = [line.split() for line in (SAMPLES / "semantic.run").read_text().splitlines()]
    return {
        "qrels": arrow.table(
            {
                "query_id": [row[0] for row in qrels],
                "doc_id": [row[2] for row in qrels],
                "relevance": [int(row[3]) for row in qrels],
            }
        ),
        "run": arrow.table(
            {
                "query_id": [row[0] for row in run],
                "doc_id": [row[2] for row in run],
                "score": [float(row[4]) for row in run],
            }
        ),
    }


def found(code: str):
    known = {}
    exec(compile(code, "docs/recipes.md", "exec"), known)
    return known["found"].mean()


def test_a_delta_table_is_read_at_its_newest_version(tmp_path, monkeypatch, tables, expected):
    deltalake = pytest.importorskip("deltalake", reason=LACKS)
    monkeypatch.chdir(tmp_path)
    for name, table in tables.items():
        deltalake.write_deltalake(f"lake/{name}", table.slice(0, 2))
        deltalake.write_deltalake(f"lake/{name}", table, mode="overwrite")  # whose first files are still there
    assert expected == found(block("Delta Lake", "python"))


def test_iceberg_tables_are_read_through_their_catalogue(tmp_path, monkeypatch, tables, expected):
    pytest.importorskip("sqlalchemy", reason=LACKS)
    catalogs = pytest.importorskip("pyiceberg.catalog", reason=LACKS)
    monkeypatch.chdir(tmp_path)
    code = block("Iceberg", "python").replace("file:///tmp/warehouse", (tmp_path / "warehouse").as_uri())
    catalog = catalogs.load_catalog(
        "local", type="sql", uri="sqlite:///catalog.db", warehouse=(tmp_path / "warehouse").as_uri()
    )
    catalog.create_namespace("search")
    for name, table in tables.items():
        catalog.create_table(f"search.{name}", schema=table.schema).append(table)
    assert expected == found(code)


def printed(folder, heading: str, **variables: str) -> str:
    words = block(heading, "sh").split()
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_a_table_in_parts_is_read_as_one_and_written_to_one_file(tmp_path, monkeypatch, tables):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install pyarrow")
    (tmp_path / "eval").mkdir()
    shutil.copy(SAMPLES / "qrels.txt", tmp_path / "eval")
    run = tables["run"]
    days = ["2026-11-25"] * 9 + ["2026-11-24"] * (run.num_rows - 9)
    parquet.write_to_dataset(run.append_column("day", [days]), tmp_path / "run", partition_cols=["day"])
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8").partition("## A table in parts\n")[2]
    evaluated, written = re.findall(r"```python\n(.*?)```", text.partition("\n## ")[0], re.DOTALL)
    whole = irev.evaluate(SAMPLES / "qrels.txt", run, ["nDCG@10"], complete=True).mean()
    assert whole == found(evaluated)
    exec(compile(written, "docs/recipes.md", "exec"), {})
    assert whole == irev.evaluate("eval/qrels.txt", "run.parquet", ["nDCG@10"], complete=True).mean()


@contextlib.contextmanager
def store():
    """A server that answers as S3 does; its address."""
    server = pytest.importorskip("moto.server", reason=LACKS).ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        yield "http://{}:{}".format(*server.get_host_and_port())
    finally:
        server.stop()


def test_files_on_s3_are_read_by_their_urls(tmp_path, monkeypatch, expected):
    pytest.importorskip("s3fs", reason=LACKS)
    client = pytest.importorskip("boto3", reason=LACKS).client
    keys = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "k", "AWS_DEFAULT_REGION": "eu-west-1"}
    with store() as address:
        for name, value in keys.items():
            monkeypatch.setenv(name, value)
        s3 = client("s3", endpoint_url=address)
        s3.create_bucket(Bucket="lake", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        s3.upload_file(os.fspath(SAMPLES / "qrels.txt"), "lake", "qrels.txt")
        s3.upload_file(os.fspath(SAMPLES / "semantic.run"), "lake", "found.txt")
        shown = printed(tmp_path, "S3", AWS_ENDPOINT_URL=address, **keys)
    assert f"{expected['nDCG@10']:.4f}" == shown.split()[-1]
