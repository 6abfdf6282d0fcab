"""The documentation is true: its commands print what it shows, its links lead somewhere, its tables are complete.

A ```console block is what a terminal shows: ``$ `` begins a command, ``> `` continues it, other lines are what it
prints on either stream. Each block is typed anew, in a folder that has a copy of sample_data. Set-up commands stand
in ```sh blocks, which are not run.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, environment
from shell import typed

from irev.measures import MEASURES
from irev.measures.measure import SETS

PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/*.md",
        "docs/tutorials/*.md",
        "sample_data/**/*.md",
        "tests/**/*.md",
        "benchmarks/*.md",
    )
    for path in ROOT.glob(pattern)
)


def blocks(page: Path) -> list[tuple[int, list[str]]]:
    """Line number and lines of each console block of a page."""
    found = []
    lines = page.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        if line == "```console":
            end = lines.index("```", number)
            found.append((number + 2, lines[number + 1 : end]))
    return found


def commands(lines: list[str]) -> list[tuple[str, str]]:
    """Each command of a block, and what is printed under it."""
    found: list[tuple[str, str]] = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), ""))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1] = found[-1][0] + "\n" + line.removeprefix("> "), ""
        else:
            found[-1] = found[-1][0], found[-1][1] + line + "\n"
    return found


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(
    "path",
    [*PAGES, ROOT / "action.yml", *sorted((ROOT / "ci").glob("*")), *sorted((ROOT / "irev").rglob("*.py"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_nothing_is_installed_from_an_index_that_does_not_have_it(path):
    """docs/install.md says how irev is installed. The release that publishes it changes that page, and this test."""
    asked = re.findall(
        r"pip install (?:--?\w[\w-]* )*[\"']?(irev\b(?!.* @ git\+)|git\+[^\"'\s]*)", path.read_text(encoding="utf-8")
    )
    assert {"git+<repository>"} >= {*asked}, "irev is not in an index yet; docs/install.md says what to write"


def test_the_pages_are_found():
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= {page.name for page in PAGES}
    assert {"measures.md", "formats.md", "differences.md", "exit-status.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize(
    "lines",
    [pytest.param(lines, id=f"{page.relative_to(ROOT)}:{number}") for page in PAGES for number, lines in blocks(page)],
)
def test_commands_print_what_the_page_shows(lines, tmp_path):
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    assert lines[0].startswith("$ "), "a console block begins with a command"
    assert any("irev " in command for command, _ in commands(lines)), "a console block shows irev"
    expected, found = [], []
    for command, printed in commands(lines):
        expected.append(f"$ {command}\n{printed}")
        found.append(f"$ {command}\n{typed(command, tmp_path, together=True)[1]}")
    assert "".join(expected) == "".join(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    astray = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, heading = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        if not goal.exists() or (heading and heading not in headings(goal)):
            astray.append(target)
    assert astray == []


def test_the_index_names_every_page_and_each_task_once():
    here = ROOT / "docs"
    text = (here / "README.md").read_text(encoding="utf-8")
    pages = {path.relative_to(here).as_posix() for path in [*here.glob("*.md"), *here.glob("tutorials/*.md")]}

    assert [] == sorted(each for each in pages - {"README.md"} if each not in text)
    rows = re.findall(r"^\| ([^|]+) \| \[", text, re.MULTILINE)
    assert [] == sorted({row for row in rows if rows.count(row) > 1})


def test_the_map_of_the_house_names_what_is_there():
    """Each row of the table in CONTRIBUTING: every name in its second column is a module or a folder of its room."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| in `irev/` |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[a-z]+/`[^|]*) \| ([^|]+) \|", table, re.MULTILINE)
    house = {path.relative_to(ROOT / "irev").with_suffix("").as_posix() for path in (ROOT / "irev").rglob("*")}
    assert {place for place in house if (ROOT / "irev" / place / "__init__.py").is_file() and "/" not in place} == {
        room for of, _ in rows for room in re.findall(r"`([a-z]+)/`", of)
    }
    astray = []
    for of, said in rows:
        rooms = re.findall(r"`([a-z]+)/`", of)
        astray += [
            name for name in re.findall(r"`([a-z_]+)/?`", said) if not any(f"{room}/{name}" in house for room in rooms)
        ]
    assert [] == astray


def test_generated_pages_are_what_the_generator_writes():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"],
        env=environment(PYTHONIOENCODING="utf-8"),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert (0, "", "") == (done.returncode, done.stdout.strip(), done.stderr), "run `make docs`"


def test_adding_a_measure_as_the_text_says_touches_one_file(tmp_path):
    """The file that CONTRIBUTING shows is added to a copy of the package, and prints what CONTRIBUTING shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    name, module, shown = re.search(
        r"`(irev/measures/families/\w+\.py)`:\n\n```python\n(.*?)```\n.*?```text\n(.*?)```", text, re.DOTALL
    ).groups()
    shutil.copytree(ROOT / "irev", tmp_path / "irev", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    assert not (tmp_path / name).exists(), "the example is no measure of irev's own"
    (tmp_path / name).write_text(module, encoding="utf-8")

    found = [f"$ {command}\n" + done(shlex.split(command)[1:], tmp_path) for command, _ in commands(shown.splitlines())]

    assert shown == "".join(found)


SHOWING = {
    "eval": "sample_data/qrels.txt sample_data/hybrid.run",
    "show": "saved.json",
    "compare": "sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run",
    "check": "--min AP=0.1 sample_data/qrels.txt sample_data/hybrid.run",
    "diff": "sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run",
    "explain": "--query q1 sample_data/qrels.txt sample_data/hybrid.run",
    "validate": "doubtful.txt",
    "power": "--difference 0.05 --variance 0.02",
    "collections": "sample_data/collections.toml",
    "bayes": "sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run",
    "compare-by": "--groups sample_data/groups.tsv saved.json saved.json",
    "seeds": "--runs-per-system 2 saved.json saved.json saved.json saved.json",
    "replicate": "sample_data/original.csv sample_data/qrels.txt sample_data/keyword.run sample_data/semantic.run",
    "agree": "sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run",
    "rbo": "sample_data/hybrid.run sample_data/keyword.run",
    "coverage": "sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run",
    "judges": "sample_data/qrels.txt sample_data/judge2.txt",
    "llm-judge": "sample_data/llm/llm.txt sample_data/llm/human.txt sample_data/llm/bm25.run",
    "curves": "sample_data/qrels.txt sample_data/hybrid.run sample_data/keyword.run",
    "trend": "sample_data/builds",
    "pool": "--depth 3 sample_data/hybrid.run sample_data/keyword.run",
    "online interleave": "sample_data/hybrid.run sample_data/keyword.run",
    "online preference": "sample_data/interleaved.jsonl",
    "online ab": "sample_data/ab_test.csv",
    "online click-models": "sample_data/ab_test.csv",
    "online off-policy": "sample_data/semantic.run sample_data/ab_test.csv",
}
"""What every command that shows something is given; those that list what irev knows have no style."""


@pytest.fixture(scope="module")
def with_a_style(tmp_path_factory) -> tuple[Path, str]:
    """A copy of the package with the style that CONTRIBUTING shows, and what this style is called."""
    folder = tmp_path_factory.mktemp("style")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    name, module = re.search(r"`(irev/output/styles/\w+\.py)`:\n\n```python\n(.*?)```\n", text, re.DOTALL).groups()
    shutil.copytree(ROOT / "irev", folder / "irev", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "sample_data", folder / "sample_data")
    assert not (folder / name).exists(), "the example is no style of irev's own"
    (folder / name).write_text(module, encoding="utf-8")
    (folder / "doubtful.txt").write_bytes(b"q1 0 d\xff 1\n")
    done(["eval", "-q", "-o", "saved.json", *SHOWING["eval"].split()], folder)
    return folder, Path(name).stem


@pytest.mark.parametrize("command", SHOWING)
def test_adding_a_style_as_the_text_says_touches_one_file_and_every_command_has_it(with_a_style, command):
    folder, style = with_a_style
    lines = done([*command.split(), "-f", style, *SHOWING[command].split()], folder).splitlines()

    assert lines, "it shows what the command found"
    assert all(isinstance(json.loads(line.removeprefix("- ")), dict) for line in lines)


def test_every_command_that_takes_a_style_is_tried_with_a_new_one():
    from irev.cli import command, every_command

    taking = {name for name in every_command() if "style" in {each.name for each in command(name).params}}

    assert taking == {*SHOWING}


def done(arguments: list[str], package: Path) -> str:
    """What the command prints on standard output when the package of another folder is run."""
    run = subprocess.run(
        [sys.executable, "-m", "irev", *arguments],
        cwd=package,
        env=environment(PYTHONPATH=str(package)),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_every_page_stands_in_the_index_and_the_readme_is_short():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert [] == sorted(name for name in pages if f"({name})" not in index)
    assert 300 >= len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())


def test_every_measure_and_every_set_stands_in_the_reference():
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert [name for name in MEASURES if f"\n### {name}\n" not in page] == []
    assert [name for name in SETS if f"\n- `{name}`: " not in page] == []
