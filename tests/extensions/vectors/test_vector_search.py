"""The tutorial with FAISS, step by step, and the block of the page; skipped where FAISS is not installed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from irev.base.text import encoded

TUTORIAL = (ROOT / "docs" / "tutorials" / "vector-search.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    pytest.importorskip("faiss", reason="the tutorial searches with FAISS, which is not installed")
    folder = tmp_path_factory.mktemp("searched")
    (script,) = re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL)
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)
    return folder


def commands() -> list[list[str]]:
    return [
        shlex.split(line)
        for block in re.findall(r"```sh\n(.*?)```", TUTORIAL, re.DOTALL)
        for line in block.splitlines()
    ]


@pytest.mark.parametrize("command", commands(), ids=lambda words: words[1])
def test_every_command_of_the_tutorial_does_what_it_says(command, searched, irev, monkeypatch):
    monkeypatch.chdir(searched)
    words = [each for word in command[1:] for each in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]
    done = irev(*words)
    assert (0, "") == (done.status, done.stderr)
    if "table" in words:
        rows = [line.split() for line in done.stdout.splitlines() if line.startswith(b"ef")]
        recall = [float(row[2].removesuffix(encoded("◂"))) for row in rows]
        assert 5 == len(recall)
        assert sorted(recall) == recall
        assert 0.3 < recall[0] < 0.8 < 0.95 < recall[-1] <= 1
        headed, shown = done.stdout.decode().split("ef010")[0], TUTORIAL.partition("```text\n")[2].split("ef010")[0]
        assert shown == headed
    if words[0] == "check":
        assert 1 == irev(*words[:-1], "ef040.npz").status


def test_what_is_found_in_memory_has_the_numbers_of_the_files(searched):
    import numpy as np

    import irev

    truth, found = (np.load(searched / name)["ids"] for name in ("truth.npz", "ef040.npz"))
    measures = ["kNNRecall@10", "kNNRecall(agg=q05)@10", "kNNRecall(of=1)@10"]
    expected = irev.evaluate(searched / "truth.npz", searched / "ef040.npz", measures).mean()
    assert expected == irev.evaluate(irev.top_k(truth), irev.top_k(found), measures).mean()
