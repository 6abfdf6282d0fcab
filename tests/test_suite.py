"""The suite itself: what `conftest` does for all other tests."""

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
