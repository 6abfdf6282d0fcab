"""The suite itself: what `conftest` does for all other tests."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT, environment


@pytest.mark.parametrize("values", [[0.5], [1, 0.5], [float("nan")]], ids=str)
def test_a_sum_of_floats_fails_in_irev_and_nowhere_else(values):
    with pytest.raises(AssertionError, match="adds floats"):
        eval("sum(values)", {"__name__": "irev.measures", "values": values})
    assert 6 == eval("sum(n for n in (1, 2, 3))", {"__name__": "irev.measures"})
    eval("sum(values)", {"__name__": "scipy.stats", "values": values})


def test_the_shell_of_who_runs_the_tests_does_not_reach_them():
    odd = {
        "NO_COLOR": "1",
        "FORCE_COLOR": "1",
        "COLUMNS": "17",
        "LC_ALL": "C",
        "GITHUB_STEP_SUMMARY": "x",
        "CI": "true",
    }
    code = "import os, conftest; print(sorted(os.environ))"
    seen = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment(**changes),
            cwd=ROOT / "tests",
            capture_output=True,
            check=True,
        ).stdout
        for changes in ({}, odd)
    ]
    assert seen[0] == seen[1]
    assert b"COLUMNS" in seen[0]


def test_fast_leaves_out_processes_drawn_examples_what_is_thorough_and_most_of_many_cases(tmp_path):
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_some.py").write_text(
        "import pytest, subprocess, sys\n"
        "from hypothesis import given, strategies\n\n"
        "def test_here(irev): assert irev('--version').status == 0\n"
        "def test_program(): subprocess.run([sys.executable, '-c', '0'], check=True)\n"
        "@given(strategies.integers())\n"
        "def test_examples(number): pass\n"
        "@pytest.mark.thorough\n"
        "def test_thorough(): pass\n"
        "@pytest.mark.parametrize('case', range(40))\n"
        "def test_cases(case): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(tmp_path)]
    told = [
        subprocess.run(
            [*command, *extra], cwd=tmp_path, env=environment(PYTHONPATH=str(ROOT)), capture_output=True, text=True
        ).stdout.splitlines()[-1]
        for extra in ([], ["--fast"])
    ]
    assert [True, True] == ["44 passed" in told[0], "4 passed, 1 skipped, 39 deselected" in told[1]], told
