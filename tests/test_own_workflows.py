"""The workflows of this repository: their shell steps are targets that there are, or are run here as a runner would.

What others publish (`uses:`) and machines of GitHub are not tried.
"""

import os
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from conftest import ROOT, environment

from irev import __version__

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yml"))}
JOBS = {f"{name} {job}": steps for name, page in WORKFLOWS.items() for job, steps in page["jobs"].items()}
COMMANDS = sorted({step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step})
OWN = [command for command in COMMANDS if not command.startswith("make ")]

MAY_WRITE = {"release publish": {"id-token", "attestations"}, "site publish": {"id-token", "pages"}}
"""What jobs may do beside reading: those that publish, and these build nothing."""


def ran(command: str, folder, **changes: str) -> subprocess.CompletedProcess:
    """A step as GitHub runs it."""
    bash = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", command]
    return subprocess.run(bash, cwd=folder, env=environment() | changes, capture_output=True, text=True)


def test_there_are_the_workflows_that_a_release_needs():
    assert {"tests", "release", "site"} == set(WORKFLOWS)
    assert len(COMMANDS) > 5


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in OWN])
def test_a_step_is_a_target_of_the_makefile_that_can_be_made(command):
    assert re.fullmatch(r"make [a-z-]+", command)
    help_text = ran("make help", ROOT).stdout
    assert f"{command} " in help_text
    done = ran(f"{command.replace('make', 'make -n', 1)} VENV={os.devnull}/none PYTHON=python", ROOT)
    assert 0 == done.returncode, done.stderr


@pytest.mark.parametrize(
    ("tag", "status"), [(f"v{__version__}", 0), (__version__, 1), ("v9.9.9", 1), (f"v{__version__}.1", 1)]
)
def test_a_tag_is_released_that_is_the_version(tag, status):
    (command,) = [command for command in OWN if "__version__" in command]
    assert status == ran(command, ROOT, GITHUB_REF_NAME=tag).returncode


def test_a_version_without_an_entry_is_not_released(tmp_path):
    (command,) = [command for command in OWN if "CHANGELOG" in command]
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 1.2.0\n")
    assert 0 == ran(command, tmp_path, GITHUB_REF_NAME="v1.2.0").returncode
    assert 1 == ran(command, tmp_path, GITHUB_REF_NAME="v1.3.0").returncode


def test_every_step_that_is_no_target_is_run_here():
    assert 2 == len(OWN)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_step_puts_an_expression_into_a_command(name):
    runs = [step["run"] for job in WORKFLOWS[name]["jobs"].values() for step in job["steps"] if "run" in step]
    assert [] == [run for run in runs if "${{" in run]


@pytest.mark.parametrize("name", JOBS)
def test_jobs_have_no_more_rights_than_they_need(name):
    workflow, job = name.split()[0], JOBS[name]
    assert {"contents": "read"} == WORKFLOWS[workflow]["permissions"]
    written = {right for right, level in job.get("permissions", {}).items() if level == "write"}
    assert written == MAY_WRITE.get(name, set())
    assert not written or not any("run" in step for step in job["steps"])


def test_every_version_of_python_and_every_system_that_is_promised_is_tested():
    matrix = WORKFLOWS["tests"]["jobs"]["tests"]["strategy"]["matrix"]
    assert {"ubuntu-latest", "macos-latest", "windows-latest"} == {*matrix["os"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]
    assert promised == matrix["python"]


def test_a_workflow_says_that_it_was_not_run():
    for path in FOLDER.glob("*.yml"):
        assert path.read_text(encoding="utf-8").startswith("# Not run yet on GitHub. ")
