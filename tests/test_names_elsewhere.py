"""docs/names-elsewhere.md: what other tools call measures has the number, over random rankings, that the page says."""

import functools
import json
import random
import re
import subprocess
import sys
from importlib.util import find_spec

import elsewhere
import pytest
from conftest import ROOT, environment
from elsewhere import BINARY, COMPLETE, COMPLETE_GRADED, KINDS

import irev
from irev.measures import parse

PAGE = (ROOT / "docs" / "names-elsewhere.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|", re.MULTILINE)


def rows(heading: str) -> list[tuple[str, str]]:
    """The names in a section of the page, and those of irev beside them."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return ROW.findall(section[1])


def cases(kind: str, seed: int) -> list[tuple[dict[str, int], list[str]]]:
    """Judgments and rankings without ties; something is relevant, and something is not."""
    chance = random.Random(seed)
    found = []
    for _ in range(40):
        documents = [f"d{number}" for number in chance.sample(range(1000), 30)]
        highest = 1 if kind in (BINARY, COMPLETE) else 3
        complete = kind in (COMPLETE, COMPLETE_GRADED)
        judged = documents[: chance.randint(8, 14)]
        grades = dict(zip(judged, [0, 1, *chance.choices(range(highest + 1), k=len(judged) - 2)], strict=True))
        retrieved = [*judged] if complete else chance.sample(documents[:20], chance.randint(1, 12))
        chance.shuffle(retrieved)
        found.append((grades, retrieved))
    return found


CASES = {kind: cases(kind, seed) for seed, kind in enumerate(KINDS)}


@pytest.fixture(scope="session")
def answers(tmp_path_factory):
    """``answers(tool)`` is what a tool says of all cases; without the tool, the test is skipped."""

    @functools.cache
    def answers(tool: str) -> dict[str, tuple[str, list[float]]]:
        if find_spec(elsewhere.TOOLS[tool][0]) is None:
            pytest.skip(f"{tool} is not installed")
        done = subprocess.run(
            [sys.executable, str(ROOT / "tests" / "elsewhere.py"), tool],
            input=json.dumps(CASES),
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path_factory.mktemp("elsewhere"),
            env=environment(PYTHONWARNINGS="ignore"),
            check=False,
        )
        assert 0 == done.returncode, done.stderr
        return json.loads(done.stdout)

    return answers


def of_irev(measure: str, kind: str) -> list[float]:
    """The value of each case; ``-M K -J`` in front of a measure are options of the evaluation."""
    options, _, name = measure.rpartition("-m ")
    depth = re.search(r"-M (\d+)", options)
    qrels = {str(number): grades for number, (grades, _) in enumerate(CASES[kind])}
    run = {str(number): ranking for number, (_, ranking) in enumerate(CASES[kind])}
    scores = irev.evaluate(qrels, run, [name], depth=int(depth[1]) if depth else None, judged_only="-J" in options)
    (values,) = scores.per_query.values()
    return [values[query] for query in qrels]


@pytest.mark.parametrize(
    ("tool", "name", "measure"),
    [(tool, name, measure) for tool in elsewhere.TOOLS for name, measure in rows(tool)],
)
def test_a_name_elsewhere_has_the_number_that_the_page_says(answers, tool, name, measure):
    kind, values = answers(tool)[name]

    assert of_irev(measure, kind) == pytest.approx(values, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("tool", elsewhere.TOOLS)
def test_the_page_has_a_row_for_every_measure_that_was_tried(answers, tool):
    assert set(answers(tool)) == {name for name, _ in rows(tool)}


@pytest.mark.parametrize("heading", ["ranx, BEIR and MTEB", "trec_eval and ir_measures"])
def test_names_that_irev_reads_mean_what_the_page_says(heading):
    """Their numbers are tried in `test_peers`, and beside recorded ones of trec_eval."""
    assert rows(heading)
    for name, measure in rows(heading):
        assert parse([name]) == parse([measure]), name
