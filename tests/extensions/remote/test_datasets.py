"""Data sets of ir_datasets as judgments and texts: of the package where it is installed, and of a stand-in with its
interface anywhere. Nothing is fetched."""

import importlib.util
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from outcomes import refused

import irev as package

JUDGED = [("q1", "d1", 2), ("q1", "d2", 0), ("q2", "d3", -1), ("q2", "d1", 1)]
LINES = b"".join(b"%b 0 %b %d\n" % (query.encode(), document.encode(), grade) for query, document, grade in JUDGED)
RUN = b"q1 Q0 d2 1 2 tag\nq1 Q0 d1 2 1 tag\nq2 Q0 d1 1 1 tag\n"
OTHER = b"q1 Q0 d1 1 2 tag\nq1 Q0 d2 2 1 tag\nq2 Q0 d9 1 1 tag\n"
NAME = "ir_datasets:irev-tests/small"


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class SubtopicQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


class Preference(NamedTuple):
    query_id: str
    doc_id: str
    better: float


class Query(NamedTuple):
    query_id: str
    text: str


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str


class Store:
    def get_many_iter(self, ids):
        return iter([Doc(each, f"title of {each}", "and text") for each in ids if each != "d9"])


class Dataset:
    """As a data set of ir_datasets answers; what is None it does not have."""

    def __init__(self, qrels=None, queries=None, docs=None):
        self._qrels, self._queries, self._docs = qrels, queries, docs

    def has_qrels(self):
        return self._qrels is not None

    def has_queries(self):
        return self._queries is not None

    def has_docs(self):
        return self._docs is not None

    def qrels_iter(self):
        for each in self._qrels:
            if isinstance(each, Exception):
                raise each
            yield each

    def queries_iter(self):
        return iter(self._queries)

    def docs_store(self):
        return self._docs


DATASETS = {
    "irev-tests/small": Dataset(
        [Qrel(*row) for row in JUDGED], [Query("q1", "the first"), Query("q2", "the second")], Store()
    ),
    "irev-tests/parts": Dataset(docs=Store()),
    "irev-tests/parts/dev": Dataset([Qrel("q1", "d1", 1)]),
    "irev-tests/offline": Dataset([Qrel("q1", "d1", 1), OSError("no route\nto host")]),
    "irev-tests/subtopics": Dataset([SubtopicQrel("q1", "d1", 1, "1"), SubtopicQrel("q1", "d2", 1, "2")]),
    "irev-tests/preferences": Dataset([Preference("q1", "d1", 1.0)]),
    "irev-tests/blank": Dataset([Qrel("q1", "d 1", 1)]),
    "irev-tests/comment": Dataset([Qrel("#q1", "d1", 1)]),
}


def registered(monkeypatch) -> None:
    """Put the data sets into the package's own table."""
    if importlib.util.find_spec("ir_datasets") is None:
        pytest.skip("the extra `datasets` is not installed; the stand-in for it was tried")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ir_datasets
        from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries

    class Docs(BaseDocs):
        def docs_store(self):
            return Store()

    def made(found: Dataset):
        parts = []
        for there, base, method in (
            (found.has_qrels(), BaseQrels, "qrels_iter"),
            (found.has_queries(), BaseQueries, "queries_iter"),
        ):
            if there:
                parts.append(
                    type("Part", (base,), {method: (lambda call: lambda self: call())(getattr(found, method))})()
                )
        return ir_datasets.Dataset(*parts, *([Docs()] if found.has_docs() else []))

    for name, found in DATASETS.items():
        monkeypatch.setitem(ir_datasets.registry._registered, name, made(found))


def stood_in(monkeypatch) -> None:
    """A module of the same interface in the package's place."""
    module = ModuleType("ir_datasets")
    module.registry = DATASETS
    module.load = DATASETS.__getitem__
    monkeypatch.setitem(sys.modules, "ir_datasets", module)


@pytest.fixture(params=[stood_in, registered], ids=["stand-in", "package"])
def folder(request, tmp_path, monkeypatch) -> Path:
    """A current folder with the same judgments as a file, and runs, where the data sets are known."""
    request.param(monkeypatch)
    for name, content in {"qrels": LINES, "run": RUN, "other": OTHER}.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words",
    [
        ("eval", "-q", "-m", "all_trec", "QRELS", "run"),
        ("QRELS", "run"),
        ("eval", "-m", "AP", "--qrels", "a=QRELS", "--qrels", "b=qrels", "x=run"),
        ("compare", "QRELS", "a=run", "b=other"),
        ("check", "--min", "AP=0.1", "QRELS", "run"),
        ("diff", "QRELS", "run", "other"),
        ("explain", "--query", "q1", "QRELS", "run"),
        ("agree", "-m", "AP,RR", "QRELS", "a=run", "b=other"),
        ("convert", "--to", "trec", "QRELS", "-"),
    ],
    ids=lambda words: words[0],
)
def test_a_data_set_is_read_wherever_judgments_are(irev, folder, words):
    expected = irev(*(word.replace("QRELS", "qrels") for word in words))
    found = irev(*(word.replace("QRELS", NAME) for word in words))
    assert expected.status == found.status, found.stderr
    assert expected.stdout.replace(b"qrels", b"X") == found.stdout.replace(NAME.encode(), b"X").replace(b"qrels", b"X")


def test_validate_calls_it_by_its_name(irev, folder):
    assert NAME.encode() in irev("validate", "-f", "json", NAME, "run").stdout


def test_the_record_says_which_data_set_it_was(irev, folder):
    def judged(name: str) -> dict[str, object]:
        inputs = json.loads(irev("eval", "-f", "json", name, "run").stdout)["inputs"]
        return next(each for each in inputs if each["role"] == "qrels")

    assert judged("qrels") | {"name": NAME} == judged(NAME) | {"name": NAME}
    assert NAME in judged(NAME).values()


def test_python_reads_it_too(folder):
    assert package.evaluate("qrels", "run", "AP").mean() == package.evaluate(NAME, "run", "AP").mean()


def test_a_configuration_may_name_it(irev, folder):
    Path("irev.toml").write_text(f'qrels = "{NAME}"\nruns = "run"\nmin = {{ AP = 0.1 }}\n')
    assert 0 == irev("check").status


def test_texts_are_taken_from_it_when_they_are_asked_for(irev, folder):
    found = irev("diff", "-f", "json", "--titles", NAME, "--documents", NAME, NAME, "run", "other").stdout.decode()
    assert "the first" in found
    assert "title of d1: and text" in found
    assert "the first" not in irev("diff", "-f", "json", NAME, "run", "other").stdout.decode()
    explained = irev("explain", "--query", "q1", "--titles", NAME, "--documents", NAME, NAME, "run").stdout.decode()
    assert "the first" in explained
    assert "title of d2" in explained


def test_subtopics_stand_where_trec_has_them(irev, folder):
    done = irev("convert", "--to", "trec", "ir_datasets:irev-tests/subtopics", "-")
    assert b"q1 1 d1 1\nq1 2 d2 1\n" == done.stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("irev-tests/smal", "there is no such data set; did you mean 'irev-tests/small'"),
        ("irev-tests/parts", "this data set has no judgments; there is irev-tests/parts/dev"),
        ("irev-tests/offline", "the data set cannot be downloaded (OSError: no route to host); is there a network"),
        ("irev-tests/preferences", "its judgments have no grades, but query_id, doc_id, better"),
        ("irev-tests/blank", "'d 1' cannot stand in a line of TREC's; write the judgments to a CSV file"),
        ("irev-tests/comment", "'#q1' cannot stand in a line of TREC's; write the judgments to a CSV file"),
        ("", "there is no such data set"),
    ],
)
def test_what_cannot_be_had_is_an_error_before_anything_is_printed(irev, folder, name, said):
    refused(irev("eval", f"ir_datasets:{name}", "run"), f"ir_datasets:{name}: {said}")


def test_a_data_set_without_texts_has_none_to_show(irev, folder):
    said = "ir_datasets:irev-tests/parts: this data set has no queries; there is irev-tests/parts/dev"
    refused(irev("diff", "--titles", "ir_datasets:irev-tests/parts", NAME, "run", "other"), said)


def test_judgments_are_no_run(irev, folder):
    refused(irev("eval", "qrels", NAME), "this looks like judgments; judgments come first, then runs")


def test_a_missing_package_is_told_with_how_to_install_it(irev, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    monkeypatch.chdir(tmp_path)
    Path("run").write_bytes(RUN)
    said = (
        "ir_datasets:x: ir_datasets is needed to read data sets; pip install ir_datasets; for a file of this name use"
    )
    refused(irev("eval", "ir_datasets:x", "run"), said)


def test_a_file_that_is_called_so_is_read_under_its_folder(irev, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    monkeypatch.chdir(tmp_path)
    Path("ir_datasets:x").write_bytes(LINES)
    Path("run").write_bytes(RUN)
    assert 0 == irev("eval", "./ir_datasets:x", "run").status
    assert package.evaluate(tmp_path / "ir_datasets:x", "run", "AP").mean()
