"""Ids of more than 256 bytes, which are hashed in another way: objects and numbers mean the same in each process.

Hashes of Python differ between processes. Objects are made in one process and used in another one, and worker processes
start from nothing, as on macOS and Windows.
"""

import json
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from conftest import ROOT, environment

import irev

LONG = "x" * 300
"""What long ids begin with; they have the order of the short ones."""

RUNS = [f"{name}.run" for name in ("keyword", "semantic", "hybrid")]
MEASURES = ["AP", "nDCG@10", "Judged@10", "num_rel_ret", "bpref"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of sample_data with long ids."""
    found = tmp_path_factory.mktemp("long")
    for name in ("qrels.txt", "judge2.txt", *RUNS):
        lines = (ROOT / "sample_data" / name).read_text().splitlines()
        rows = [line.split() for line in lines if line and not line.startswith("#")]
        written = [f"{LONG}{row[0]} {row[1]} {LONG}{row[2]} {' '.join(row[3:])}\n" for row in rows]
        (found / name).write_text("".join(written))
    return found


DOORS = {
    "qrels": ("irev.read_qrels(qrels)", "irev.evaluate(sent, run, measures).per_query"),
    "run": ("irev.read_run(run)", "irev.evaluate(qrels, sent, measures).per_query"),
    "both": ("(irev.read_qrels(qrels), irev.read_run(run))", "irev.evaluate(*sent, measures).per_query"),
    "evaluator": ("irev.Evaluator(irev.read_qrels(qrels), measures)", "sent.evaluate(run).per_query"),
    "evaluator of dictionaries": (
        "irev.Evaluator(graded, measures)",
        "[sent.evaluate(each).per_query for each in (run, irev.read_run(run), irev.read_run(run).to_dict())]",
    ),
    "evaluator that was used": (
        "[made := irev.Evaluator(irev.read_qrels(qrels), measures), made.evaluate(run)][0]",
        "sent.evaluate(run).per_query",
    ),
    "compat": (
        "pytrec_eval.RelevanceEvaluator(graded, ['map', 'ndcg_cut'])",
        "sent.evaluate(irev.read_run(run).to_dict())",
    ),
    "evaluations": (
        "irev.evaluate(qrels, run, measures)",
        "irev.compare({'one': sent, 'other': irev.evaluate(qrels, other, measures)}, tests='t')",
    ),
    "compare": ("irev.read_run(run)", "irev.compare(qrels, {'one': sent, 'other': other}, measures)"),
    "check": (
        "irev.read_run(run)",
        "irev.check({'one': irev.evaluate(qrels, sent, 'AP', complete=True)}, min={'AP': 0.5})",
    ),
    "fuse": ("irev.read_run(run)", "irev.fuse([sent, run]).to_dict()"),
    "fuse both": ("[irev.read_run(run), irev.read_run(other)]", "irev.fuse(sent).to_dict()"),
    "pool": ("irev.read_run(run)", "irev.pool({'one': sent, 'other': other}, depth=3)"),
    "diff": ("(irev.read_qrels(qrels), irev.read_run(run))", "irev.diff(*sent, other, 'AP')"),
    "explain": ("(irev.read_qrels(qrels), irev.read_run(run))", "irev.explain(*sent, sent[0].queries[0], 'AP')"),
    "rbo": ("irev.read_run(run)", "irev.rbo(sent, other)"),
    "judges": ("irev.read_qrels(qrels)", "irev.judges({'one': sent, 'other': 'judge2.txt'})"),
    "interleave": ("irev.read_run(run)", "irev.interleave(sent, other)"),
}
"""For each door what one process makes, and what another one does with it."""

NAMES = f"""
import json, pickle, sys, irev
from irev.compat import pytrec_eval
qrels, run, other, measures = "qrels.txt", "keyword.run", "semantic.run", {MEASURES}
doors = {DOORS}
graded = {{}}
for query, _, document, grade in map(str.split, open(qrels)):
    graded.setdefault(query, {{}})[document] = int(grade)
"""
MAKE = "objects = {door: pickle.dumps(eval(make)) for door, (make, _) in doors.items()}\n"
SEND = "sys.stdout.buffer.write(pickle.dumps(objects))\n"
RECEIVE = "objects = pickle.load(sys.stdin.buffer)\n"
USE = """
found = {}
for door, (_, use) in doors.items():
    sent = pickle.loads(objects[door])
    found[door] = str(eval(use))
print(json.dumps(found))
"""


def program(folder, code, seed, given=b""):
    """What a program prints in a folder, in a process of its own with its own hashes."""
    done = subprocess.run(
        [sys.executable, "-c", NAMES + code],
        input=given,
        cwd=folder,
        env=environment(PYTHONHASHSEED=seed, PYTHONWARNINGS="ignore"),
        capture_output=True,
        check=False,
    )
    assert 0 == done.returncode, done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="module")
def answers(folder):
    """What each door gives in the process that made its object, and in another one."""
    sent = program(folder, MAKE + SEND, "1")
    return json.loads(program(folder, MAKE + USE, "1")), json.loads(program(folder, RECEIVE + USE, "2", sent))


@pytest.mark.parametrize("door", DOORS)
def test_objects_mean_the_same_in_another_process(answers, door):
    here, there = answers
    assert here[door] == there[door]


@pytest.mark.parametrize(
    "line",
    [
        "eval -q qrels.txt keyword.run semantic.run",
        *(
            pytest.param(line, marks=pytest.mark.thorough)
            for line in (
                "compare qrels.txt keyword.run semantic.run hybrid.run",
                "check qrels.txt keyword.run --min AP=0.5 semantic.run",
                "curves qrels.txt keyword.run semantic.run",
            )
        ),
    ],
)
def test_worker_processes_that_start_from_nothing_have_the_same_numbers(folder, line):
    """As on macOS and Windows; here too, when irev is told that it is there."""
    code = (
        "import sys, irev.base.workers as there; from irev.cli import run;"
        "there.COPIES = False; sys.exit(run(sys.argv[1:]))"
    )
    alone, by_workers = (
        subprocess.run(
            [sys.executable, "-c", code, *line.split(), jobs], cwd=folder, env=environment(), capture_output=True
        )
        for jobs in ("-j1", "-j2")
    )
    assert (alone.stdout, alone.stderr, alone.returncode) == (by_workers.stdout, by_workers.stderr, 0)


def test_executors_have_the_numbers_of_short_ids(folder):
    short = ROOT / "sample_data"
    expected = [irev.evaluate(short / "qrels.txt", short / run, MEASURES).mean() for run in RUNS]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        for given in (None, executor):
            paths = [folder / run for run in RUNS]
            found = irev.evaluate_runs(folder / "qrels.txt", paths, MEASURES, executor=given)
            assert expected == [each.mean() for each in found.values()]
