"""What is installed and how: the wheel and what is in it, the manual page, the container and the recipe for conda."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import PurePath

import pytest
import yaml
from conftest import ROOT, environment

from irev import __version__
from irev.cli import every_command

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SHARED = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
MANUAL = ROOT / "docs" / "irev.1"

LARGEST = 1_475_000
"""Bytes of a wheel."""


def built(source, folder):
    """A wheel of a folder, by what builds it everywhere, without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=source, env=environment(), capture_output=True, text=True)
    assert 0 == done.returncode, done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.thorough
@pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="there is no hatchling")
def test_the_wheel_has_the_same_bytes_wherever_it_is_built_and_what_it_is_to_have(tmp_path):
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    for name in ("irev", "docs", "sample_data"):
        shutil.copytree(
            ROOT / name, copy / name, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, copy / name)  # with other times, and nothing that lies about
    first, second = built(ROOT, tmp_path / "one"), built(copy, tmp_path / "two")
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size < LARGEST
    with zipfile.ZipFile(first) as wheel:
        names = wheel.namelist()
        data = f"irev-{__version__}.data/data/"
        assert {*SHARED.values()} <= {name.removeprefix(data) for name in names}
        assert wheel.read(f"{data}share/man/man1/irev.1") == MANUAL.read_bytes()
        points = wheel.read(f"irev-{__version__}.dist-info/entry_points.txt").decode()
    assert "irev = irev.compat.pytest" in points
    beside = (
        path.relative_to(ROOT) for path in (ROOT / "irev").rglob("*.*") if path.suffix in (".toml", ".bib", ".js")
    )
    assert {"irev/base/glossary.toml"} <= {path.as_posix() for path in beside} <= {*names}
    assert [] == [name for name in names if re.search(r"^tests/|golden|__pycache__|\.pyc$", name)]


def test_what_is_shared_is_there_and_in_source_distributions():
    include = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for path in SHARED:
        assert (ROOT / path).is_file()
        assert path.partition("/")[0] in include


def test_a_source_distribution_has_all_that_there_is():
    """Whoever packages irev runs the tests, which look at workflows and at `.ci/run` too."""
    include = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, env=environment())
    if listed.returncode or not listed.stdout:
        pytest.skip("this is no checkout")
    for path in listed.stdout.splitlines():
        tops = {path.partition("/")[0], f"/{path.partition('/')[0]}", path, f"/{path}"}
        there = tops & {*include} or any(PurePath(path).match(each.lstrip("/")) for each in include)
        assert there or path in (".gitignore", "pyproject.toml"), path


def test_the_manual_page_has_every_command():
    lines = MANUAL.read_text(encoding="ascii").splitlines()
    assert f'.TH IREV 1 "" "irev {__version__}"' == lines[0]
    headings = [line for line in lines if line.startswith(".SH IREV ")]
    assert [rf".SH IREV {name.upper()}".replace("-", r"\-") for name in every_command()] == headings
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert {".TH", ".SH", ".SS", ".TP", ".PP"} == requests


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_the_manual_page_is_shown_without_a_warning():
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", str(MANUAL)], capture_output=True, env=environment())
    assert (0, b"") == (done.returncode, done.stderr)
    text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout.decode("utf-8"))
    assert "IREV CHECK" in text
    assert "--baseline" in text
    assert "…" in text


def test_the_recipe_for_conda_asks_for_what_the_project_does():
    text = re.sub(r"\{\{.*?\}\}", "x", (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8"))
    recipe = yaml.safe_load(text)
    project = PROJECT["project"]
    assert (__version__, project["license"]) == (recipe["package"]["version"], recipe["about"]["license"])
    plain = {each.replace(" ", "") for each in recipe["requirements"]["run"]}
    assert {*project["dependencies"], f"python{project['requires-python']}"} == plain
    assert [f"irev = {project['scripts']['irev']}"] == recipe["build"]["entry_points"]
    assert {*PROJECT["build-system"]["requires"]} <= {each.replace(" ", "") for each in recipe["requirements"]["host"]}


def test_the_container_is_slim_and_nobody_in_it_is_root():
    lines = [line for line in (ROOT / "Containerfile").read_text().splitlines() if line and not line.startswith("#")]
    assert all("-slim" in line for line in lines if line.startswith("FROM "))
    last = lines[max(place for place, line in enumerate(lines) if line.startswith("FROM ")) :]
    (user,) = [line.split()[1] for line in last if line.startswith("USER ")]
    assert int(user) > 0
    assert 'ENTRYPOINT ["/irev/bin/irev"]' == last[-1]
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert [] == [path for path in SHARED if path.partition("/")[0] in ignored]


@pytest.mark.skipif(sys.platform == "win32", reason="the page has it for a shell")
def test_the_page_on_installation_finds_what_is_shared(tmp_path):
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^## What else is installed\n.*?^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for source, place in SHARED.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, tmp_path / place)
    python, man = f'python() {{ echo "{tmp_path}"; }}\n', 'man() { head -n 1 "$1"; }\n'
    run = python + man + f'irev() {{ "{sys.executable}" -m irev "$@"; }}\n'
    done = subprocess.run(["bash", "-ec", run + block], env=environment(), capture_output=True, text=True)
    assert (0, True) == (done.returncode, done.stdout.startswith(".TH IREV 1")), done.stderr
    assert "map                   \tall\t0.7270\n" in done.stdout
