"""The action, the template, the hooks and the workflows of docs/ci.md do what they say: their steps are run by bash.

They run in a repository with a branch and a main that it was made from, where ``./search`` prints a run. ``irev`` is
the package beside these tests; ``pip`` installs nothing, and ``gh`` answers from a folder and notes what it was asked.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
import yaml
from conftest import ROOT, environment

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
TEMPLATE = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))

BASH = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]
"""How GitHub runs a step."""

RUNNER = {  # what it already has
    "pip": 'echo "pip $*" >> "$ASKED"',
    "python": 'if [ "$1 $2 $3" = "-I -m pip" ]; then shift 3; exec pip "$@"; fi; exec "$PYTHON" "$@"',
    "irev": 'exec "$PYTHON" -m irev "$@"',
    "gh": """
        echo "gh $*" >> "$ASKED"
        case "$*" in
          "run list"*) cat "$ANSWERS/last" 2> /dev/null || true ;;
          "run download"*) cp -R "$ANSWERS/builds" . ;;
          *"--paginate"*) test ! -e "$ANSWERS/forbidden" || exit 1; cat "$ANSWERS/comments" 2> /dev/null || true ;;
          *body=@*) last=${!#}; cp "${last#body=@}" "$ANSWERS/comment.md" ;;
          *) exit 64 ;;
        esac""",
}


def blocks(language: str, heading: str) -> list[str]:
    """The blocks of a language under a heading of the page."""
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def workflow(heading: str) -> dict:
    """The only job of the workflow under a heading."""
    (block,) = blocks("yaml", heading)
    (job,) = yaml.safe_load(block)["jobs"].values()
    return job


class Done(NamedTuple):
    """What a job left behind: status of the first step that failed, what it printed, its steps' outputs."""

    status: int
    printed: str
    outputs: dict[str, dict[str, str]]


class Project:
    """A repository, and the machine that a job runs on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.answers = folder / "answers"
        self.asked = folder / "asked"
        self.summary = folder / "summary.md"
        for path in (self.folder / "eval", self.answers, folder / "bin", folder / "temporary"):
            path.mkdir(parents=True)
        self.asked.touch()
        for name, script in RUNNER.items():
            (folder / "bin" / name).write_text(f"#!/usr/bin/env bash\n{script}\n")
            (folder / "bin" / name).chmod(0o755)
        self.environment = environment(
            ANSWERS=str(self.answers),
            ASKED=str(self.asked),
            GITHUB_ACTIONS="true",
            GITHUB_REF_NAME="main",
            GITHUB_REPOSITORY="owner/project",
            GITHUB_STEP_SUMMARY=str(self.summary),
            GITHUB_WORKFLOW="nightly",
            GIT_CONFIG_GLOBAL=os.devnull,
            GIT_CONFIG_SYSTEM=os.devnull,
            PATH=f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            PYTHON=sys.executable,
            RUNNER_TEMP=str(folder / "temporary"),
        )
        self._commit()

    def _commit(self) -> None:
        """A main with judgments and a search, and a branch on top of it, as a checkout of a pull request has them."""
        samples = ROOT / "sample_data"
        judged = (samples / "qrels.txt").read_text().splitlines(keepends=True)
        relevant = [line for line in judged if not line.startswith("q7 ")]  # which no document is relevant for
        (self.folder / "eval" / "qrels.txt").write_text("".join(relevant))
        shutil.copy(samples / "topics.tsv", self.folder / "eval")
        shutil.copy(samples / "semantic.run", self.folder / "found.txt")
        (self.folder / "search").write_text('#!/bin/sh\ntest -r "$1" && cat found.txt\n')
        (self.folder / "search").chmod(0o755)
        self.shell(
            "git init -q -b main . && git config user.name n && git config user.email n@example.com\n"
            "git add . && git commit -q -m first\n"
            "git update-ref refs/remotes/origin/main main && git switch -q -c branch"
        )

    def shell(self, command: str, folder: str = ".", **changes: str) -> tuple[int, str]:
        """Status and printed text of a command, on either stream."""
        done = subprocess.run(
            [*BASH, command],
            cwd=self.folder / folder,
            env=self.environment | changes,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
        )
        return done.returncode, done.stdout

    def make_baseline(self) -> None:
        """Commit what the search of main finds, by the commands of the page."""
        status, printed = self.shell(blocks("sh", "Plain shell")[0])
        assert 0 == status, printed

    def spoil(self) -> None:
        """Turn around what the search finds for each query."""
        rows = [line.split() for line in (self.folder / "found.txt").read_text().splitlines()]
        turned = [[query, q0, document, rank, f"-{score}", tag] for query, q0, document, rank, score, tag in rows]
        (self.folder / "found.txt").write_text("".join(" ".join(row) + "\n" for row in turned))

    def job(self, steps: list[dict], context: dict[str, Any]) -> Done:
        """Run steps as GitHub does: after one that fails, only those that run always."""
        failed, printed = 0, ""
        outputs: dict[str, dict[str, str]] = {}
        for step in steps:
            condition = step.get("if", "")
            if (failed and "always()" not in condition) or not holds(condition, context):
                continue
            if "run" not in step:
                continue  # what others publish, which is not tried here
            file = self.answers / "outputs"
            file.write_text("")
            known = context | {
                f"steps.{name}.outputs.{key}": value for name, found in outputs.items() for key, value in found.items()
            }
            given = {name: filled(str(value), known) for name, value in step.get("env", {}).items()}
            folder = filled(step.get("working-directory", "."), known)
            status, text = self.shell(step["run"], folder, GITHUB_OUTPUT=str(file), **given)
            failed = failed or status
            printed += text
            if "id" in step:
                outputs[step["id"]] = dict(line.split("=", 1) for line in file.read_text().splitlines())
        return Done(failed, printed, outputs)


def holds(condition: str, context: dict[str, Any]) -> bool:
    """Whether a step's condition holds, for conditions that are conjunctions."""
    for part in filter(None, condition.split(" && ")):
        name, operator, value = re.fullmatch(r"([\w.()]+)(?: (==|!=) '(.*)')?", part).groups()
        found = True if name == "always()" else context[name]
        if not (found if operator is None else (found == value) == (operator == "==")):
            return False
    return True


def filled(text: str, context: dict[str, Any]) -> str:
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: str(context[found[1]]), text)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def steps_of(value: Any) -> list[dict]:
    """All mappings with a key ``run``, wherever they stand."""
    if isinstance(value, dict):
        return [*([value] if "run" in value else []), *(step for each in value.values() for step in steps_of(each))]
    return [step for each in value for step in steps_of(each)] if isinstance(value, list) else []


PAGES = {"action.yml": ACTION} | {
    heading: yaml.safe_load(block)
    for heading in re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    for block in blocks("yaml", heading)
}


@pytest.mark.parametrize("name", PAGES)
def test_no_step_puts_an_expression_into_a_command(name):
    assert [] == [step["run"] for step in steps_of(PAGES[name]) if "${{" in step["run"]]


@pytest.mark.parametrize("page", ["action.yml", "ci/gitlab.yml", "docs/ci.md"])
def test_no_step_imports_modules_of_the_checkout(page):
    """Python finds modules in the current folder first, unless it is isolated (``-I``)."""
    text = (ROOT / page).read_text(encoding="utf-8")
    calls = re.findall(r"\bpython3? (?=-)\S+", text)
    assert {"python -I"} <= set(calls) <= {"python -I", "python3 -I"}


def test_all_workflows_of_the_page_are_tried():
    assert {
        "action.yml",
        "A committed baseline",
        "Main as the baseline",
        "Every night",
        "A comment on the pull request",
        "GitLab",
        "Every night on GitLab",
        "pre-commit",
    } == set(PAGES)


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if "jobs" in page])
def test_workflows_have_no_more_rights_than_they_need(name):
    rights = PAGES[name]["permissions"]
    assert "read" == rights["contents"]
    assert {"pull-requests"} >= {right for right, level in rights.items() if level == "write"}


# Plain shell


def test_the_commands_of_the_page_make_a_baseline_hold_it_and_write_a_new_one(project):
    first, check, update = blocks("sh", "Plain shell")
    for command in (first, check):
        status, printed = project.shell(command)
        assert 0 == status, printed
    project.spoil()
    status, printed = project.shell(check)
    assert 1 == status, printed
    before = (project.folder / "eval" / "baseline.json").read_bytes()
    status, printed = project.shell(update)
    assert 0 == status, printed
    assert before != (project.folder / "eval" / "baseline.json").read_bytes()
    status, printed = project.shell(check.replace("--min RR=0.5", ""))
    assert 0 == status, printed


# GitHub


@pytest.mark.parametrize(("heading", "baseline"), [("A committed baseline", True), ("Main as the baseline", False)])
@pytest.mark.parametrize("spoilt", [False, True])
def test_a_pull_request_is_held_to_its_baseline(project, heading, baseline, spoilt):
    if baseline:
        project.make_baseline()
    if spoilt:
        project.spoil()
    done = project.job(workflow(heading)["steps"], {"github.base_ref": "main"})
    assert int(spoilt) == done.status, done.printed
    assert spoilt == ("::error " in done.printed)
    assert project.summary.read_text(encoding="utf-8").startswith("## irev check\n")
    assert "pip install git+<repository>\n" == project.asked.read_text()


def test_a_night_is_shown_after_the_earlier_ones(project):
    steps = workflow("Every night")["steps"]
    context = {"github.token": "secret"}
    done = project.job(steps, context)
    assert 0 == done.status, done.printed
    (project.answers / "last").write_text("7\n")
    (project.folder / "builds").rename(project.answers / "builds")

    project.spoil()
    done = project.job(steps, context)
    assert 1 == done.status, done.printed
    assert "gh run download 7 --name retrieval-builds --dir builds" in project.asked.read_text().splitlines()
    assert 2 == len([*(project.folder / "builds").iterdir()])
    assert "Trend" in done.printed


# The action


def inputs(**changes: str) -> dict[str, str]:
    """What the steps of the action can ask for."""
    (step,) = [
        step for step in workflow("A comment on the pull request")["steps"] if "OWNER/irev" in step.get("uses", "")
    ]
    given = {name: declared.get("default", "") for name, declared in ACTION["inputs"].items()} | step["with"] | changes
    assert set(ACTION["inputs"]) == set(given), "an input that the action does not have"
    return {f"inputs.{name}": value for name, value in given.items()} | {
        "github.action_path": "/action",
        "github.token": "secret",
        "github.event.pull_request.number": "12",
    }


def act(project: Project, **changes: str) -> Done:
    search = [step for step in workflow("A comment on the pull request")["steps"] if "run" in step]
    assert 0 == project.job(search, {}).status
    context = inputs(**changes)
    return project.job(ACTION["runs"]["steps"], context | {"steps.check.outputs.comment": ""})


@pytest.mark.parametrize("spoilt", [False, True])
def test_the_action_checks_and_says_what_it_found(project, spoilt):
    project.make_baseline()
    if spoilt:
        project.spoil()
    done = act(project)
    assert int(spoilt) == done.status, done.printed
    found = done.outputs["check"]
    assert (str(int(spoilt)), str(not spoilt).lower()) == (found["status"], found["holds"])
    assert Path(found["comment"]).read_text(encoding="utf-8").startswith("<!-- irev check -->\n")
    assert "testsuites" == ElementTree.parse(found["junit"]).getroot().tag
    assert set(found) == {
        re.fullmatch(r"\$\{\{ steps\.check\.outputs\.(\w+) \}\}", output["value"])[1]
        for output in ACTION["outputs"].values()
    }


def test_the_action_installs_itself_or_a_version(project):
    project.make_baseline()
    act(project)
    act(project, version="1.2")
    assert ["/action", "irev==1.2"] == [
        line.split()[-1] for line in project.asked.read_text().splitlines() if line.startswith("pip ")
    ]


def test_the_first_comment_is_written_and_later_ones_replace_it(project):
    project.make_baseline()
    act(project)
    assert ["--silent --method POST repos/owner/project/issues/12/comments"] == [
        line.split(" -F ")[0].removeprefix("gh api ") for line in project.asked.read_text().splitlines() if "-F" in line
    ]
    (project.answers / "comments").write_text("34\n56\n")
    project.spoil()
    act(project)
    assert "--method PATCH repos/owner/project/issues/comments/34 " in project.asked.read_text()
    assert "FAIL: " in (project.answers / "comment.md").read_text(encoding="utf-8")


def test_a_comment_that_may_not_be_written_does_not_change_the_verdict(project):
    project.make_baseline()
    (project.answers / "forbidden").touch()
    done = act(project)
    assert 0 == done.status
    assert "::warning title=irev check::the comment could not be written" in done.printed


@pytest.mark.parametrize("number", ["12", ""])
def test_no_comment_is_written_unless_asked_and_on_a_pull_request(project, number):
    project.make_baseline()
    context = inputs(comment="false" if number else "true") | {"github.event.pull_request.number": number}
    assert 0 == project.job([{"run": "./search eval/topics.tsv > new.run"}], {}).status
    project.job(ACTION["runs"]["steps"], context | {"steps.check.outputs.comment": ""})
    assert "gh" not in project.asked.read_text()


def test_the_command_line_of_the_action_is_quoted_as_in_a_shell_and_never_run(project):
    project.make_baseline()
    done = act(project, **{"command-line": 'eval/qrels.txt "$(touch hacked)" `touch hacked` ; touch hacked'})
    assert (2, False) == (done.status, (project.folder / "hacked").exists()), done.printed
    assert "2" == done.outputs["check"]["status"]


def test_an_unclosed_quotation_mark_fails_the_action(project):
    project.make_baseline()
    assert 0 != act(project, **{"command-line": 'eval/qrels.txt "new.run'}).status


# Other services


def test_the_gitlab_job_makes_its_reports(project):
    project.make_baseline()
    job = TEMPLATE[".irev-check"] | PAGES["GitLab"]["retrieval"]
    variables = TEMPLATE[".irev-check"]["variables"] | job["variables"]
    assert ".irev-check" == job["extends"]
    for spoilt in (False, True):
        if spoilt:
            project.spoil()
        done = [project.shell(line, **variables) for line in (*job["before_script"], *job["script"])]
        assert int(spoilt) == done[-1][0], done
        for report in job["artifacts"]["reports"].values():
            assert (project.folder / report).stat().st_size > 0
            (project.folder / report).unlink(missing_ok=not spoilt)


def test_a_night_on_gitlab_is_added_to_the_cached_log_and_its_trend_is_shown(project):
    job = PAGES["Every night on GitLab"]["nightly"]
    *_, install, search, check, trend = job["script"]
    (cached,) = job["cache"]["paths"]
    for night, spoilt in ((1, False), (2, True)):
        if spoilt:
            project.spoil()
        for line, expected in ((install, 0), (search, 0), (check, int(spoilt)), (trend, 0)):
            status, printed = project.shell(line)
            assert expected == status, printed
        assert night == len([*(project.folder / cached).iterdir()])
    assert "nDCG@10" in printed


def test_the_gitlab_template_installs_the_latest_version_or_the_one_that_is_given(project):
    for version in ("", "1.2"):
        for line in TEMPLATE[".irev-check"]["before_script"]:
            assert (0, "") == project.shell(line, IREV_VERSION=version, IREV_SOURCE="git+https://host/irev")
    assert ["git+https://host/irev", "git+https://host/irev@1.2"] == [
        line.split()[-1] for line in project.asked.read_text().splitlines()
    ]


@pytest.mark.parametrize("spoilt", [False, True])
def test_the_steps_for_jenkins_leave_a_junit_file(project, spoilt):
    project.make_baseline()
    if spoilt:
        project.spoil()
    (pipeline,) = blocks("groovy", "Jenkins")
    (report,) = re.findall(r"junit '(.*)'", pipeline)
    made = project.folder / ".venv" / "bin"
    made.mkdir(parents=True)
    for name in ("python", "irev"):
        (made / name).symlink_to(shutil.which(name, path=project.environment["PATH"]))
    commands = [line.removeprefix("python3 -m venv .venv && ") for line in re.findall(r"sh '(.*)'", pipeline)]
    done = [project.shell(command) for command in commands]
    assert [0, 0, int(spoilt)] == [status for status, _ in done], done
    assert "testsuites" == ElementTree.parse(project.folder / report).getroot().tag


@pytest.mark.parametrize("spoilt", [False, True])
def test_the_hooks_for_pre_commit_run(project, spoilt):
    project.make_baseline()
    if spoilt:
        project.spoil()
    assert 0 == project.shell("./search eval/topics.tsv > eval/new.run")[0]
    entries = {hook["id"]: hook["entry"] for hook in HOOKS}
    (repository,) = PAGES["pre-commit"]["repos"]
    done = {
        hook["id"]: project.shell(f"{entries[hook['id']]} {shlex.join(hook['args'])}") for hook in repository["hooks"]
    }
    assert {"irev-validate": 0, "irev-check": int(spoilt)} == {name: each[0] for name, each in done.items()}, done
    assert set(entries) == set(done)
