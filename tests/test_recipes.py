"""The code on docs/recipes.md does what it says, with stand-ins for the packages that it imports."""

import json
import re
import shutil
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest
import yaml
from conftest import ROOT, environment

import irev

PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}, "q3": {"d1": 1}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0, "q1": 9.0}, "q2": {"d2": 2.0, "d3": 1.0}}


def block(heading: str, language: str) -> str:
    (found,) = re.findall(rf"^## {heading}\n.*?^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[:1]
    return found


def module(monkeypatch, name: str, **members: object) -> ModuleType:
    """A package that has these members and nothing else, which code finds when it imports it."""
    for end in range(1, name.count(".") + 2):
        parent = ".".join(name.split(".")[:end])
        monkeypatch.setitem(sys.modules, parent, sys.modules.get(parent, ModuleType(parent)))
    vars(sys.modules[name]).update(members)
    return sys.modules[name]


def ran(code: str, **known: object) -> dict:
    """What a block has defined, beginning with what its reader has."""
    names = dict(known)
    exec(compile(code, "docs/recipes.md", "exec"), names)
    return names


def test_beir(monkeypatch, capsys):
    class GenericDataLoader:
        def __init__(self, data_folder: str) -> None:
            assert "datasets/scifact" == data_folder

        def load(self, split: str):
            assert "test" == split
            return {"d1": {"text": "a"}}, {"q1": "a"}, QRELS

    class EvaluateRetrieval:
        def __init__(self, retriever) -> None:
            assert "retriever" == retriever

        def retrieve(self, corpus, queries):
            return RUN

    module(monkeypatch, "beir.datasets.data_loader", GenericDataLoader=GenericDataLoader)
    module(monkeypatch, "beir.retrieval.evaluation", EvaluateRetrieval=EvaluateRetrieval)
    found = ran(block("BEIR", "python"), retriever="retriever")["found"]
    without = {query: {d: s for d, s in documents.items() if d != query} for query, documents in RUN.items()}
    assert irev.evaluate(QRELS, without, ["nDCG@10"], complete=True).mean()["nDCG@10"] == found.mean()["nDCG@10"]
    assert (("q3",), 1.0) == (found.missing, found.per_query["nDCG@10"]["q1"])
    assert "nDCG@10" in capsys.readouterr().out


def test_mteb(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    data = SimpleNamespace(loaded=False, dataset={})

    def load_data() -> None:
        data.dataset = {"default": {"test": {"relevant_docs": QRELS}}}

    data.load_data = load_data

    def evaluate(model, tasks, prediction_folder) -> None:
        assert ("model", [data]) == (model, tasks)
        (tmp_path / prediction_folder).mkdir()
        predictions = {"mteb_model_meta": {}, "default": {"test": RUN}}
        (tmp_path / prediction_folder / "SciFact_predictions.json").write_text(json.dumps(predictions))

    module(monkeypatch, "mteb", get_tasks=lambda tasks: [data] * (tasks == ["SciFact"]), evaluate=evaluate)
    found = ran(block("MTEB", "python"), model="model")["found"]
    assert irev.evaluate(QRELS, RUN, ["RR@10"], complete=True).mean()["RR@10"] == found.mean()["RR@10"]


def test_sentence_transformers(monkeypatch):
    class SentenceTransformer:
        def __init__(self, name: str) -> None:
            assert name

        def encode(self, texts):
            return texts

    def semantic_search(queries, corpus, top_k):
        assert (["a", "b"], ["x", "y", "z"], 100) == (queries, corpus, top_k)
        return [[{"corpus_id": 2, "score": 0.9}, {"corpus_id": 0, "score": 0.5}], [{"corpus_id": 1, "score": 0.4}]]

    util = SimpleNamespace(semantic_search=semantic_search)
    module(monkeypatch, "sentence_transformers", SentenceTransformer=SentenceTransformer, util=util)
    known = {
        "queries": {"q1": "a", "q2": "b"},
        "corpus": {"d1": "x", "d2": "y", "d3": "z"},
        "relevant_docs": {"q1": {"d1"}, "q2": {"d2"}},
    }
    made = ran(block("sentence-transformers", "python"), **known)
    assert {"q1": {"d3": 0.9, "d1": 0.5}, "q2": {"d2": 0.4}} == made["run"]
    assert {"q1": 0.6309297535714575, "q2": 1.0} == made["found"].per_query["nDCG@10"]


@pytest.fixture
def project(tmp_path):
    """A folder with a search, topics and judgments, and a way to run commands in it."""
    (tmp_path / "eval").mkdir()
    samples = ROOT / "sample_data"
    shutil.copy(samples / "topics.tsv", tmp_path / "eval")
    shutil.copy(samples / "qrels.txt", tmp_path / "eval")
    shutil.copy(samples / "semantic.run", tmp_path / "found.txt")
    (tmp_path / "search").write_text('#!/bin/sh\ntest -r "$1" && cat found.txt\n')
    (tmp_path / "search").chmod(0o755)

    def run(command: str) -> subprocess.CompletedProcess:
        begin = f'irev() {{ "{sys.executable}" -m irev "$@"; }}\n'
        done = ["bash", "-ec", begin + command]
        return subprocess.run(done, cwd=tmp_path, env=environment(), capture_output=True, text=True)

    return tmp_path, run


@pytest.mark.skipif(sys.platform == "win32", reason="commands are for a shell")
def test_dvc(project):
    folder, run = project
    baseline = "irev check eval/qrels.txt found.txt --min AP=0 --min nDCG@10=0 --baseline eval/baseline.json"
    assert 0 == run(f"{baseline} --update-baseline").returncode
    stages = yaml.safe_load(block("DVC", "yaml"))["stages"]
    for stage in stages.values():
        assert all((folder / path).exists() for path in stage["deps"]), stage
        done = run(stage["cmd"])
        assert 0 == done.returncode, done.stderr
        for made in (*stage.get("outs", ()), *stage.get("metrics", ())):
            assert (folder / (made if isinstance(made, str) else next(iter(made)))).exists()
    metrics = json.loads((folder / "metrics.json").read_text())
    assert 0.7577 == round(metrics["measures"]["ndcg_cut_10"], 4)
    shutil.copy(ROOT / "sample_data" / "keyword.run", folder / "new.run")
    assert 1 == run(stages["check"]["cmd"]).returncode


@pytest.mark.skipif(sys.platform == "win32", reason="commands are for a shell")
def test_snakemake(project):
    folder, run = project
    text = block("Snakemake", "python")
    rules = dict(re.findall(r'^rule (\w+):\n(?:    .*\n)*?    shell: "(.*)"$', text, re.MULTILINE))
    assert {"search", "compare"} == set(rules)
    (folder / "runs").mkdir()
    for system in re.findall(r'"(\w+)"', text.splitlines()[0]):
        command = rules["search"].replace("{input}", "eval/topics.tsv").replace("{output}", f"runs/{system}.run")
        assert 0 == run(command).returncode
    runs = "runs/one.run runs/two.run"
    command = rules["compare"].replace("{input.qrels}", "eval/qrels.txt").replace("{input.runs}", runs)
    done = run(command.replace("{output}", "comparison.md"))
    assert 0 == done.returncode, done.stderr
    assert "one" in (folder / "comparison.md").read_text(encoding="utf-8")


@pytest.mark.thorough
def test_mlflow_keeps_the_means_and_the_record(project, tmp_path):
    pytest.importorskip("mlflow", reason="pip install mlflow-skinny")
    (tmp_path / "log.py").write_text(block("MLflow and Weights & Biases", "python"))
    store = {"MLFLOW_TRACKING_URI": f"file:{tmp_path / 'store'}", "MLFLOW_ALLOW_FILE_STORE": "true"}
    known = environment(**store, PYTHONWARNINGS="ignore")
    done = subprocess.run([sys.executable, "log.py"], cwd=tmp_path, env=known, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ((metric),) = (tmp_path / "store").glob("*/*/metrics/nDCG_at_10")
    expected = irev.evaluate(tmp_path / "eval" / "qrels.txt", tmp_path / "found.txt", ["nDCG@10"], complete=True)
    assert float(metric.read_text().split()[1]) == pytest.approx(expected.mean()["nDCG@10"])
    ((record),) = (tmp_path / "store").glob("*/*/artifacts/irev.json")
    assert len(irev.trend(record).builds) == 1
