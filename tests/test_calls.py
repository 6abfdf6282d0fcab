"""Calls go one way, like imports: what is asked about travels down as data, and nothing below calls a door for more."""

import re
import shutil
import sys

import pytest
from conftest import ROOT

import irev
from irev import cli

CALLBACKS = {
    "irev.cli.output:warn",
    "irev.cli.output:progress_of",
    "irev.cli.output:working",
    "irev.api.options:warned",
    "irev.cli.question:put",
}
"""The callbacks of `Inputs` for warnings and progress, and where findings write the files that they are."""

DOORS = r"irev\.(cli|api|compat|arrow|spark|__main__|extensions\.\w+\.functions)\b"
"""Modules that stand above: ``functions`` has the Python functions of an extension."""


def calls_upward(work):
    """Every call from a room below the doors into one of them, as ``caller > called``."""
    found = set()

    def profile(frame, event, arg):
        name = frame.f_globals.get("__name__", "")
        if event != "call" or not re.match(r"irev\.(cli|api)\b", name):
            return
        back = frame.f_back
        while back is not None and not back.f_globals.get("__name__", "").startswith("irev"):
            back = back.f_back  # contextlib stands between, and numpy
        caller = "" if back is None else back.f_globals["__name__"]
        if caller.startswith("irev.") and not re.match(DOORS, caller):
            found.add((f"{caller}:{back.f_code.co_name}", f"{name}:{frame.f_code.co_name}"))

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return {f"{caller} > {called}" for caller, called in found if called not in CALLBACKS}


@pytest.fixture
def sample(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path / "sample_data")


FILES = ("qrels.txt", "keyword.run", "semantic.run")

COMMANDS = {
    "eval": (*FILES,),
    "eval --significance": ("-f", "table", "--significance", "-c", *FILES),
    "compare": (*FILES,),
    "compare saved": ("saved.json",),
    "collections": ("collections.toml",),
    "bayes": FILES,
    "compare-by": ("--groups", "groups.tsv", *FILES),
    "seeds": ("--runs-per-system", "2", *FILES, *FILES[1:]),
    "replicate": ("saved.json", *FILES),
    "check": ("--max-drop", "AP=0.01", "--baseline-run", *FILES[1:2], "--titles", "topics.tsv", FILES[0], FILES[2]),
    "check saved": ("--min", "AP=0.1", "saved.json"),
    "check --also": ("--min", "AP=0.1", "--also", "page=page.html", *FILES),
    "report": ("-o", "page.html", "--titles", "topics.tsv", "--coverage", *FILES),
    "diff": ("--titles", "topics.tsv", *FILES),
    "explain": FILES[:2],
    "curves": FILES,
    "coverage": FILES,
    "agree": (*FILES, "hybrid.run"),
    "judges": ("qrels.txt", "judge2.txt"),
    "llm-judge": ("qrels.txt", "judge2.txt", *FILES[1:]),
    "pool": FILES[1:],
    "rbo": FILES[1:],
    "fuse": FILES[1:],
    "power": FILES,
    "trend": ("builds",),
    "validate": FILES,
    "convert": ("keyword.run", "keyword.jsonl"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_calls_its_door(command, sample, capfd):
    assert 0 == cli.run(["eval", "-q", "-c", "-f", "json", "-o", "saved.json", *FILES])
    arguments = [command.split()[0], *COMMANDS[command]]
    assert set() == calls_upward(lambda: cli.run(arguments))
    assert "internal error" not in capfd.readouterr().err


def checked():
    made = {"keyword": irev.evaluate(*FILES[:2], "AP", complete=True)}
    before = irev.evaluate(FILES[0], FILES[2], "AP", complete=True)
    return irev.check(
        made,
        baseline=before,
        max_drop={"AP": 0.001},
        qrels=FILES[0],
        runs={"keyword": FILES[1]},
        baseline_runs={"semantic": FILES[2]},
    )


FUNCTIONS = {
    "evaluate": lambda: irev.evaluate(*FILES[:2], "AP"),
    "evaluate a dictionary": lambda: irev.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 2.0}}, "AP"),
    "compare": lambda: irev.compare(FILES[0], FILES[1:]),
    "collections": lambda: irev.collections("collections.toml"),
    "bayes": lambda: irev.bayes(FILES[0], FILES[1:]),
    "compare-by": lambda: irev.compare_by(FILES[0], FILES[1:], groups={"q1": "a", "q2": "a", "q3": "b", "q4": "b"}),
    "seeds": lambda: irev.seeds(FILES[0], dict.fromkeys("abcd", FILES[1]), runs_per_system=2),
    "check": checked,
    "diff": lambda: irev.diff(*FILES),
    "explain": lambda: irev.explain(*FILES[:2]),
    "curves": lambda: irev.curves(FILES[0], FILES[1:]),
    "coverage": lambda: irev.coverage(FILES[0], FILES[1:]),
    "judges": lambda: irev.judges(["qrels.txt", "judge2.txt"], FILES[1:]),
    "llm_judge": lambda: irev.llm_judge("qrels.txt", "judge2.txt", FILES[1:]),
    "pool": lambda: irev.pool(FILES[1:], depth=3),
    "rbo": lambda: irev.rbo(*FILES[1:]),
    "fuse": lambda: irev.fuse(FILES[1:]),
    "trend": lambda: irev.trend("builds"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_of_python_is_called_from_below(function, sample):
    assert set() == calls_upward(FUNCTIONS[function])


def test_a_call_upward_is_seen():
    below = {"__name__": "irev.evaluation.example", "command": cli.command}
    exec("def asked():\n    command('eval')", below)
    assert {"irev.evaluation.example:asked > irev.cli:command"} == calls_upward(below["asked"])
