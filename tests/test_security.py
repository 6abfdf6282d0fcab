"""SECURITY.md: what is read, written and called is what was named, as an audit of a whole command sees it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, environment

SAMPLE = ROOT / "sample_data"

AUDITED = """
import json, sys

opened, called = set(), set()

def hear(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opened.add(arguments[0])
    elif event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.exec", "os.system"):
        called.add(event)
    elif event == "pickle.find_class":
        called.add(event)

from irev import cli
sys.addaudithook(hear)
status = cli.run(sys.argv[1:])
print(json.dumps([status, sorted(opened), sorted(called)]), file=sys.stderr)
"""

SYSTEM = ("/proc/", "/sys/", "/dev/", "/etc/localtime", "/usr/share/zoneinfo/")
"""What the system says of itself."""

COMMANDS = {
    "eval": ["eval", "-q", "qrels.txt", "hybrid.run", "-o", "new.json"],
    "compare": ["compare", "qrels.txt", "hybrid.run", "keyword.run", "-o", "compared.csv"],
    "check": ["check", "--min", "AP=0", "qrels.txt", "hybrid.run", "--also", "junit=new.xml"],
    "report": ["report", "qrels.txt", "hybrid.run", "keyword.run", "-o", "new.html"],
    "diff": ["diff", "--titles", "topics.tsv", "qrels.txt", "hybrid.run", "keyword.run"],
    "validate": ["validate", "qrels.txt", "hybrid.run"],
    "convert": ["convert", "--to", "csv", "hybrid.run", "new.csv"],
    "online ab": ["online", "ab", "ab_test.csv"],
    "show": ["show", "saved.json"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    for path in SAMPLE.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    made = ["eval", "-q", "qrels.txt", "hybrid.run", "-o", "saved.json"]
    subprocess.run(
        [sys.executable, "-m", "irev", *made], cwd=folder, check=True, capture_output=True, env=environment()
    )
    return folder


def audited(folder: Path, *words: str, **changes: str) -> tuple[int, set[str], set[str]]:
    """The status of a command, what it opened beside what is installed, and what it called."""
    command = [sys.executable, "-c", AUDITED, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment(**changes))
    status, opened, called = json.loads(done.stderr.splitlines()[-1])
    installed = tuple({*map(str, (ROOT / "irev", sys.prefix, sys.base_prefix)), *(path for path in sys.path if path)})
    return status, {path for path in opened if not path.startswith((*installed, *SYSTEM))}, {*called}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_file_is_opened_that_was_not_named_and_nothing_is_called(folder, name):
    words = COMMANDS[name]
    status, opened, called = audited(folder, *words)
    assert 0 == status
    assert set() == {path for path in opened - {*words} if not Path(path).name.startswith(".irev-")}
    assert set() == called


def test_of_the_environment_the_summary_of_github_is_written(folder, tmp_path):
    summary = str(tmp_path / "summary.md")
    _, opened, _ = audited(folder, *COMMANDS["check"], GITHUB_STEP_SUMMARY=summary)
    assert summary in opened


@pytest.mark.parametrize("named", ["http://127.0.0.1:9/qrels.txt", "ir_datasets:nowhere/at-all", "other.txt"])
def test_what_a_saved_result_names_is_not_asked_for(folder, tmp_path, named):
    record = json.loads((folder / "saved.json").read_text(encoding="utf-8"))
    record["inputs"][0]["name"] = named
    (tmp_path / "strange.json").write_text(json.dumps(record), encoding="utf-8")
    assert (0, {"strange.json"}, set()) == audited(tmp_path, "show", "strange.json")
    text = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
    assert "`irev show` opens none of the files and URLs that a saved result names" in text


def test_worker_processes_import_no_modules_of_the_current_folder(folder, tmp_path):
    """As on macOS and Windows, where they start from nothing; here too, when irev is told that it is there."""
    script = tmp_path / "script.py"
    script.write_text(
        "import irev.base.workers as there; from irev.__main__ import command\n"
        "if __name__ == '__main__':\n    there.COPIES = False\n    command()\n"
    )
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for module in ("pickle", "socket", "struct", "multiprocessing", "numpy", "irev", "shlex", "pip"):
        (checkout / f"{module}.py").write_text("import os\nos._exit(9)\n")
    command = [
        sys.executable,
        script,
        "eval",
        "-j2",
        *(folder / name for name in ("qrels.txt", "hybrid.run", "keyword.run")),
    ]
    done = subprocess.run(command, cwd=checkout, env=environment(), capture_output=True, timeout=60, check=False)
    assert 0 == done.returncode, done.stderr.decode()
