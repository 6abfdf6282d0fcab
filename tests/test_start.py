"""What a small evaluation imports and makes before it reads anything: that is most of its time.

Nothing here is timed. The numbers may fall; whoever lets one rise has to say so here.
"""

import json
import subprocess
import sys

import pytest
from conftest import ROOT, environment

MODULES = 108
"""Of irev, out of some 360."""

COMPILED = 1
"""Classes whose methods `dataclasses` or `NamedTuple` write as text and compile: a third of a millisecond each."""

EXPRESSIONS = 16
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
from irev.doors.cli import run
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
    new = {name.partition(".")[0] for name in made["new"]} | set(made["new"])

    assert not (heavy | {"numpy.typing", "importlib.metadata"}) & new
