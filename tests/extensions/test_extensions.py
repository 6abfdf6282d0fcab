"""What extensions add comes and goes with their folder or package, and the core works without them."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from conftest import ROOT, environment

from irev.base.registry import bundled

SAMPLE = ROOT / "sample_data"
QRELS, KEYWORD, SEMANTIC = (str(SAMPLE / name) for name in ("qrels.txt", "keyword.run", "semantic.run"))
PAIR = (QRELS, KEYWORD, SEMANTIC)

CORE = {
    "eval": ("eval", *PAIR),
    "compare": ("compare", *PAIR),
    "check": ("check", QRELS, KEYWORD, "--min", "nDCG@10=0.1"),
    "diff": ("diff", *PAIR),
    "explain": ("explain", QRELS, KEYWORD),
    "report": ("report", *PAIR, "-o", "page.html"),
    "curves": ("curves", *PAIR),
    "fuse": ("fuse", KEYWORD, SEMANTIC),
    "validate": ("validate", QRELS, KEYWORD),
    "convert": ("convert", KEYWORD, "converted.csv"),
    "agree": ("agree", "-m", "AP", "-m", "nDCG@10", *PAIR),
    "rbo": ("rbo", KEYWORD, SEMANTIC),
    "show": ("show", "saved.json"),
    "help": ("--help",),
    "word": ("help", "nDCG"),
    "measures": ("measures",),
    "formats": ("formats",),
    "completion": ("completion", "bash"),
}
"""A line of every command of the core."""


def run(folder: Path, *words: str, paths: tuple[Path, ...]) -> subprocess.CompletedProcess[str]:
    """A command of the packages in some folders, typed in `folder`."""
    searched = os.pathsep.join(map(str, paths))
    return subprocess.run(
        [sys.executable, "-m", "irev", *words],
        cwd=folder,
        env=environment(PYTHONPATH=searched),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def copied(to: Path, gone: Iterable[str]) -> None:
    """The package without some folders; what is compiled of it is copied too, or each command would compile it."""
    shutil.copytree(ROOT / "irev", to / "irev", ignore=shutil.ignore_patterns("*.pyc.*"))
    for folder in gone:
        shutil.rmtree(to / "irev" / folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, subprocess.CompletedProcess[str]]:
    """What the lines of the core come to where nothing is deleted."""
    work = tmp_path_factory.mktemp("whole")
    saved = run(work, "eval", "-q", "-f", "json", *PAIR, paths=(ROOT,))
    (work / "saved.json").write_text(saved.stdout, encoding="utf-8")
    return {name: run(work, *words, paths=(ROOT,)) for name, words in CORE.items()}


PACKAGES = (("arrow", "spark"), ("compat",))
"""What can be deleted too; it stays where programs import it."""

FOLDERS = [f"extensions/{each.name}" for each in bundled()]

HAD = tomllib.loads((ROOT / "irev" / "base" / "extensions.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("gone", [*((each,) for each in FOLDERS), *PACKAGES, (*FOLDERS, *sum(PACKAGES, ()))])
def test_the_core_works_without_an_extension(
    gone: tuple[str, ...], whole: dict[str, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    copy, work = tmp_path / "copy", tmp_path / "work"
    copied(copy, gone)
    work.mkdir()
    saved = run(work, "eval", "-q", "-f", "json", *PAIR, paths=(copy,))
    assert saved.returncode == 0, saved.stderr
    (work / "saved.json").write_text(saved.stdout, encoding="utf-8")
    for name, words in CORE.items():
        here, there = whole[name], run(work, *words, paths=(copy,))
        assert here.returncode == 0, (name, here.stderr)
        if name != "help":
            assert (here.returncode, here.stderr) == (there.returncode, there.stderr), name
        if name in ("eval", "compare", "diff", "explain", "check", "fuse", "rbo"):
            assert here.stdout == there.stdout, name
    for extension in (each for each in bundled() if f"extensions/{each.name}" in gone):
        shown = run(work, "--help", paths=(copy,)).stdout
        for command in extension.commands:
            assert not re.search(rf"^  {command} ", shown, re.MULTILINE)
            said = f"irev: error: irev {command} is in the extension {extension.name}, which is not installed\n"
            for words in ((command, "--help"), (command,)):
                asked = run(work, *words, paths=(copy,))
                assert (asked.returncode, asked.stdout, asked.stderr) == (2, "", said)
        for function in extension.functions:
            code = f"import irev\ntry: irev.{function}\nexcept AttributeError as error: print(error)"
            done = subprocess.run(
                [sys.executable, "-c", code],
                cwd=work,
                env=environment(PYTHONPATH=str(copy)),
                capture_output=True,
                text=True,
            )
            assert f"is in the extension {extension.name}, which is not installed" in done.stdout


def test_an_executor_of_an_absent_extension_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copied(copy, ["extensions/clusters"])
    done = run(tmp_path, "eval", QRELS, KEYWORD, "--executor", "dask://here:1", paths=(copy,))
    assert (done.returncode, done.stdout) == (2, "")
    assert "what evaluates runs elsewhere is in the extension clusters, which is not installed" in done.stderr
    assert run(tmp_path, "eval", QRELS, KEYWORD, "--executor", "processes", paths=(copy,)).returncode == 0


def test_values_of_other_evaluators_need_their_extension(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copied(copy, ["extensions/peers"])
    (tmp_path / "a.csv").write_text("query,faithfulness\nq1,0.5\nq2,0.25\n", encoding="utf-8")
    assert run(tmp_path, "compare", "a.csv", "a.csv", paths=(ROOT,)).returncode == 0
    scores = ("compare", "--scores", "a.csv", "a.csv")
    for words in (scores, ("compare", "a.csv", "a.csv"), ("show", "a.csv")):
        done = run(tmp_path, *words, paths=(copy,))
        assert (done.returncode, done.stdout) == (2, ""), words
        assert "a.csv" in done.stderr
    assert "is in the extension peers, which is not installed" in run(tmp_path, *scores, paths=(copy,)).stderr


def test_urls_and_data_sets_need_their_extension(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copied(copy, ["extensions/remote"])
    for judged in (f"file://{QRELS}", "ir_datasets:vaswani"):
        done = run(tmp_path, "eval", judged, KEYWORD, paths=(copy,))
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{judged}: what reads URLs and data sets is in the extension remote, which is not inst" in done.stderr
    done = run(tmp_path, "diff", "--titles", "ir_datasets:vaswani", *PAIR, paths=(copy,))
    assert (done.returncode, done.stdout) == (2, "")
    assert "is in the extension remote, which is not installed" in done.stderr


def test_bounds_need_their_extension(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copied(copy, ["extensions/bounds"])
    for words in (("eval", "--bounds", "-m", "P.5", *PAIR), ("compare", "--unjudged", "bootstrap", *PAIR)):
        assert run(tmp_path, *words, paths=(ROOT,)).returncode == 0
        done = run(tmp_path, *words, paths=(copy,))
        assert (done.returncode, done.stdout) == (2, "")
        said = "what computes bounds, and values of drawn grades, is in the extension bounds, which is not installed"
        assert said in done.stderr


def test_the_table_of_what_extensions_have_is_what_they_say() -> None:
    """docs/generate.py writes it, and a test of the pages finds what it would change."""
    assert [each.name for each in bundled()] == [*HAD]
    for each in bundled():
        assert ([*each.commands], [*each.functions]) == (HAD[each.name]["commands"], HAD[each.name]["functions"])
        assert [bool(each.measures), bool(each.formats), *each.provides] == [
            bool(HAD[each.name]["measures"]),
            bool(HAD[each.name]["formats"]),
            *HAD[each.name]["provides"],
        ]


def test_measures_and_formats_of_absent_extensions_say_where_they_are(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copied(copy, FOLDERS)
    code = """
import sys
from irev.base.errors import UsageError
from irev.measures import parse
from irev.reading.formats import JUDGMENTS, RUNS
for kind, name in (words.split(" ") for words in sys.argv[1:]):
    try:
        parse([name]) if kind == "measures" else (RUNS if name in ("mteb", "letor-scores") else JUDGMENTS).find(name)
    except UsageError as error:
        print(error)
"""
    asked = {
        f"{kind} {written}": (extension, name if kind == "formats" else written)
        for extension, had in HAD.items()
        for kind in ("measures", "formats")
        for name in had[kind]
        for written in ([name, f"{name}@3", f"{name}_3,rel=2", f"{name}(of=EC)"] if kind == "measures" else [name])
    }
    done = subprocess.run(
        [sys.executable, "-c", code, *asked],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(copy)),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    for line, (extension, name) in zip(done.stdout.splitlines(), asked.values(), strict=True):
        assert f"'{name}' is in the extension {extension}, which is not installed" in line
    for words, said in (
        (("-m", "INST(T=2)"), "the measure 'INST(T=2)' is in the extension user_models, which is not installed"),
        (
            ("--qrels-format", "letor"),
            "the format of judgments 'letor' is in the extension formats, which is not installed",
        ),
    ):
        refused = run(tmp_path, "eval", *words, QRELS, KEYWORD, paths=(copy,))
        assert (2, "") == (refused.returncode, refused.stdout)
        assert said in refused.stderr
    helped = run(tmp_path, "help", "INST", paths=(copy,))
    assert (2, "irev: error: 'INST' is in the extension user_models, which is not installed\n") == (
        helped.returncode,
        helped.stderr,
    )


def test_an_evaluation_imports_no_extension(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom irev.__main__ import main\n"
        f"sys.argv = ['irev', {QRELS!r}, {KEYWORD!r}]\ntry: main()\nexcept SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('irev.extensions')], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(PYTHONPATH=str(ROOT)), capture_output=True, text=True
    )
    assert done.stderr.endswith("[]\n")


def test_the_extension_of_the_page_is_installed_and_works(tmp_path: Path) -> None:
    """Its files are the blocks of docs/extending.md."""
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:toml|python)\n(.*?)```", page, re.DOTALL)
    package = tmp_path / "source"
    names = ("pyproject.toml", "irev_mistakes/__init__.py", "irev_mistakes/measures.py")
    for name, block in zip(names, blocks, strict=True):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(block, encoding="utf-8")
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(target)]
    installed = subprocess.run([*pip, str(package)], capture_output=True, text=True, check=False)
    assert installed.returncode == 0, installed.stderr
    done = run(tmp_path, "eval", "-m", "Mistakes@10", QRELS, KEYWORD, paths=(ROOT, target))
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"mistakes_10 +\tall\t0\.\d{4}\n", done.stdout)
    without = run(tmp_path, "eval", "-m", "Mistakes@10", QRELS, KEYWORD, paths=(ROOT,))
    assert without.returncode == 2
    assert "there is no measure 'Mistakes@10'" in without.stderr
    help_of = run(tmp_path, "measures", "Mistakes", paths=(ROOT, target))
    assert "judged not relevant" in help_of.stdout
