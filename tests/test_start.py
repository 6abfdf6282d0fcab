"""What a small evaluation imports and makes before it reads anything: that is most of its time.

Nothing here is timed. The numbers may fall; whoever lets one rise has to say so here.
"""

import json
import subprocess
import sys

import pytest
from conftest import ROOT, environment

MODULES = 70
"""Of irev, out of some 330."""

COMPILED = 1
"""Classes whose methods `dataclasses` writes as text and compiles: a third of a millisecond each."""

EXPRESSIONS = 2
"""Regular expressions of irev that are compiled."""

COUNTING = """
import collections, dataclasses, json, re._compiler as compiler, sys
import click, numpy
there = set(sys.modules)
counts = collections.Counter()
make, compile_expression = dataclasses._process_class, compiler.compile

def made(cls, init, *others):
    counts["compiled"] += bool(init)
    return make(cls, init, *others)

def compiled(*given):
    counts["expressions"] += 1
    return compile_expression(*given)

dataclasses._process_class, compiler.compile = made, compiled
from irev.cli import run
status = run(sys.argv[1:])
new = set(sys.modules) - there
counts["modules"] = sum(name.partition(".")[0] == "irev" for name in new)
print(json.dumps(counts | {"status": status, "new": sorted(new)}), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def made() -> dict[str, object]:
    """What was counted."""
    command = [sys.executable, "-c", COUNTING, "-mmap", "sample_data/qrels.txt", "sample_data/semantic.run"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True)
    counted: dict[str, object] = json.loads(done.stderr.splitlines()[-1])
    return counted


def test_no_more_modules_are_imported(made):
    assert made["modules"] <= MODULES, made["new"]


def test_no_more_classes_and_expressions_are_compiled(made):
    assert made["compiled"] <= COMPILED
    assert made["expressions"] <= EXPRESSIONS


def test_what_is_heavy_stays_out(made):
    heavy = {"scipy", "rich", "pyarrow", "pandas", "multiprocessing", "concurrent", "hashlib", "tempfile", "difflib"}
    heavy |= {"csv", "distributed", "dask", "fsspec", "irev.extensions.clusters.futures"}
    new = {name.partition(".")[0] for name in made["new"]} | set(made["new"])

    assert not (heavy | {"numpy.typing", "importlib.metadata"}) & new


NO_TEST = (
    "eval -q -f json qrels.txt semantic.run",
    "eval -f table qrels.txt semantic.run keyword.run",
    "check qrels.txt semantic.run --min AP=0.1",
    "diff qrels.txt semantic.run keyword.run",
    "explain qrels.txt semantic.run --query q1",
    "validate qrels.txt semantic.run",
    "coverage qrels.txt semantic.run",
    "curves qrels.txt semantic.run",
    "pool semantic.run keyword.run --depth 2",
    "fuse semantic.run keyword.run",
    "rbo semantic.run keyword.run",
    "agree qrels.txt semantic.run keyword.run -m AP -m P@5",
)
"""Commands that neither test nor estimate."""


@pytest.mark.parametrize("command", NO_TEST)
def test_scipy_is_needed_for_tests_and_intervals_alone(tmp_path, command):
    (tmp_path / "sitecustomize.py").write_text('import sys\nsys.modules["scipy"] = None\n')  # an import of it fails
    words = [sys.executable, "-m", "irev", *command.split()]
    without = environment() | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(words, cwd=ROOT / "sample_data", env=without, capture_output=True, text=True)

    assert 0 == done.returncode, done.stderr
    assert done.stdout
