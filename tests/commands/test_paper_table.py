"""The table of a comparison for a paper: what its marks say is what the record finds, and no mark can be misread."""

import itertools
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

from irev.commands.compare.paper import LETTERS, joined, letters_of


@pytest.fixture
def values(tmp_path, monkeypatch):
    """``values(runs)`` writes values of so many runs on 20 queries and gives the files."""
    monkeypatch.chdir(tmp_path)

    def write(runs: int) -> list[str]:
        random = np.random.default_rng(5)
        for run in range(runs):
            lines = "".join(f"q{n} {random.normal(run % 5 / 15, 0.12)}\n" for n in range(20))
            (tmp_path / f"run_{run}").write_text(lines)
        return [f"run_{run}" for run in range(runs)]

    return write


def record(irev, *arguments: str) -> dict:
    return json.loads(irev("compare", "--scores", "-f", "json", *arguments).stdout)["measures"][0]


def table(irev, *arguments: str) -> dict[str, tuple[str, str]]:
    """By run the mean with its marks, and what is raised, as markdown has it."""
    text = irev("compare", "--scores", "--layout", "paper", "-f", "markdown", *arguments).stdout.decode()
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells and re.search(r"\d\.\d", cells[-1]):
            mean, _, raised = cells[-1].removesuffix("</sup>").partition("<sup>")
            found[cells[-2].replace("\\", "")] = (mean, raised.replace("\\", ""))
    return found


# Letters


def test_runs_have_letters_that_are_no_digits_and_two_when_these_are_used_up():
    assert ["a", "b", "c"] == letters_of(3)
    many = letters_of(700)

    assert ["z", "aa", "ab"] == many[23:26]
    assert ["zz", "aaa"] == many[24 + 24 * 24 - 1 : 24 + 24 * 24 + 1]
    assert len(set(many)) == 700
    assert not {"l", "o"} & set(LETTERS)


@pytest.mark.parametrize("runs", [3, 8, 26])
def test_no_two_lists_of_runs_read_alike(runs):
    letters = letters_of(runs)
    chosen = range(runs) if runs < 10 else [0, 1, 2, 3, 4, 22, 23, 24, 25]
    lists = [of for size in range(len(chosen) + 1) for of in itertools.combinations(chosen, size)]

    assert len({joined(of, letters) for of in lists}) == len(lists)


@pytest.mark.parametrize(
    ("places", "expected"),
    [((), ""), ((0, 2), "ac"), ((0, 1, 2), "abc"), ((0, 1, 2, 3), "a–d"), ((0, 2, 3, 4, 5), "a,c–f")],
)
def test_many_runs_in_a_row_are_a_range(places, expected):
    assert expected == joined(places, letters_of(8))


# What stands in it


@pytest.mark.thorough
@pytest.mark.parametrize("runs", [5, 30])
def test_above_a_mean_stand_the_runs_that_it_is_shown_to_be_better_than(irev, values, runs):
    files = [*values(runs), "--all-pairs"]
    text = irev("compare", "--scores", "--layout", "paper", "-f", "markdown", *files).stdout.decode()
    letters = dict(re.findall(r"^\| (\w+) +\| (run\S+)", text.replace("\\", ""), re.MULTILINE))
    order = list(letters)
    beaten: dict[str, set[str]] = {run: set() for run in letters.values()}
    for contrast in record(irev, *files)["contrasts"]:
        if contrast["finding"] == "better":
            beaten[contrast["run"]].add(contrast["baseline"])
        elif contrast["finding"] == "worse":
            beaten[contrast["baseline"]].add(contrast["run"])

    assert any(beaten.values())
    for run, (_, raised) in table(irev, *files).items():
        parts = raised.split(",") if re.search(r"[,–]", raised) or runs > 24 else list(raised)
        found = set()
        for part in filter(None, parts):
            first, _, last = part.partition("–")
            found |= {letters[each] for each in order[order.index(first) : order.index(last or first) + 1]}
        assert beaten[run] == found


def test_with_a_baseline_daggers_say_which_runs_are_better_and_which_worse(irev, values):
    files = [*values(5), "--baseline", "run_2", "--alpha", "0.2"]
    marks = {"better": "†", "worse": "‡", "not shown": ""}
    expected = {each["run"]: marks[each["finding"]] for each in record(irev, *files)["contrasts"]}

    assert {"†", "‡"} <= set(expected.values())
    assert {**expected, "run_2": ""} == {run: raised for run, (_, raised) in table(irev, *files).items()}


@pytest.mark.parametrize("more", [["--all-pairs"], []])
def test_on_a_screen_one_legend_says_which_marks_there_are(irev, values, more):
    text = " ".join(irev("compare", "--scores", "--layout", "paper", *values(4), *more).stdout.decode().split())

    assert ("◂ best run", "◃ second best") == (text[text.index("◂ best") :][:10], text[text.index("◃ sec") :])
    assert "bold" not in text
    assert "underlined" not in text


def test_the_best_is_bold_and_the_second_best_underlined(irev, values):
    files = values(5)
    means = record(irev, *files)["means"]
    order = sorted(means, key=lambda run: -means[run]["mean"])
    found = table(irev, *files)

    assert f"**{means[order[0]]['mean']:.4f}**" == found[order[0]][0]
    assert f"<ins>{means[order[1]]['mean']:.4f}</ins>" == found[order[1]][0]
    assert all(re.fullmatch(r"-?[\d.]+", found[run][0]) for run in order[2:])


@pytest.mark.parametrize("style", ["table", "markdown", "latex", "html"])
@pytest.mark.thorough
def test_the_caption_says_test_correction_level_and_queries(irev, values, style):
    done = irev("compare", "--scores", "--layout", "paper", "--all-pairs", "-f", style, *values(4))
    said = " ".join(re.sub(r"<[^>]*>|\$", "", done.stdout.decode()).replace("\\leq", "≤").split())

    for words in (
        "20 queries",
        "paired t test, two-sided, the maximum-t method over 6 tests",
        "p ≤ 0.05",
        "second best",
    ):
        assert words in said


def test_of_two_tests_the_one_that_decides_is_named(irev, values):
    arguments = ("compare", "--scores", "--test", "sign,t", *values(3))
    paper = " ".join(irev(*arguments, "--layout", "paper").stdout.decode().split())
    tables = " ".join(irev(*arguments).stdout.decode().split())

    assert "(p ≤ 0.05, n = 20 queries, sign test, two-sided, Holm's correction over 2 tests)." in paper
    assert "* p ≤ 0.05: each test; the sign test decides, two-sided, Holm's correction over 2 tests." in tables


def test_flips_that_differ_between_measures_are_said_of_each(irev):
    sample = [str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run")]
    options = ("-m", "AP", "-m", "P@1", "-m", "nDCG@10", "--all-pairs", "--layout", "paper")
    said = " ".join(irev("compare", *options, *sample).stdout.decode().split())

    assert "AP, nDCG@10: exact over 2^6 joint sign flips; P@1: exact over 2^2 joint sign flips)." in said


def test_latex_is_a_whole_table_that_is_made_to_fit_where_it_is_wide(irev, values):
    files = values(5)
    plain, fit = (
        irev("compare", "--scores", "--layout", "paper", "-f", "latex", *runs).stdout.decode()
        for runs in (files, [f"a run with a rather long name, number {n}={file}" for n, file in enumerate(files)])
    )

    for text in (plain, fit):
        assert re.findall(r"\\(?:begin|end)\{(?:table|tabular)\}", text) == [
            *(r"\begin{table}", r"\begin{tabular}", r"\end{tabular}", r"\end{table}")
        ]
        assert "\\caption{Means over 20 queries.}\n\\label{tab:runs}\n" in text
        assert r"\footnotesize The best is bold, the second best underlined. " in text
    assert "adjustbox" not in plain
    assert r"max width=\columnwidth" in fit


def test_a_table_much_wider_than_a_column_stands_across_the_page(irev):
    sample = [str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run")]
    measures = "AP,nDCG@10,P@5,P@10,RR,Recall@10,Recall@100"
    text = irev("compare", "--layout", "paper", "-f", "latex", "-m", measures, *sample).stdout.decode()

    assert [r"\begin{table*}", r"\end{table*}"] == re.findall(r"\\(?:begin|end)\{table\*\}", text)
    assert r"max width=\textwidth" in text


@pytest.mark.parametrize("style", ["table", "markdown", "latex", "html"])
@pytest.mark.thorough
def test_marks_are_explained_where_there_are_any_and_nowhere_else(irev, values, style):
    marks = {"latex": (r"\textdagger{}", r"\textdaggerdbl{}")}.get(style, ("†", "‡"))

    def said(*more: str) -> str:
        return irev("compare", "--scores", "--layout", "paper", "-f", style, *more).stdout.decode()

    for alpha in ("0.000001", "0.2", "0.9"):
        arguments = [*values(5), "--baseline", "run_2", "--alpha", alpha]
        findings = {each["finding"] for each in record(irev, *arguments)["contrasts"]}
        text = said(*arguments)
        for finding, mark in zip(("better", "worse"), marks, strict=True):
            assert (finding in findings) == (mark in text)
        none = not {"better", "worse"} & findings
        assert none == ("No run is significantly better or worse than run" in " ".join(text.split()))
    for alpha, there in (("0.000001", False), ("0.2", True)):
        text = " ".join(said(*values(5), "--all-pairs", "--alpha", alpha).split())
        assert there == ("Letters above a mean" in text) != ("No run is significantly better than another (" in text)


@pytest.mark.parametrize("style", ["markdown", "latex", "html"])
def test_bold_and_underlined_are_spoken_of_where_anything_is(irev, tmp_path, monkeypatch, style):
    monkeypatch.chdir(tmp_path)
    for run, value in (("a", 1), ("b", 1)):
        (tmp_path / run).write_text(f"q1 {value}\nq2 {value}\n")
    text = irev("compare", "--scores", "--layout", "paper", "-f", style, "a", "b").stdout.decode()
    assert "The best is bold" in text
    assert "second best" not in text, "both are the best"


@pytest.mark.thorough
def test_an_apostrophe_and_a_range_are_what_type_has_for_them(irev, values):
    text = irev("compare", "--scores", "--layout", "paper", "-f", "latex", *values(4)).stdout.decode()
    assert "Holm's correction" in text
    files = [*values(30), "--all-pairs", "--alpha", "0.9"]
    text = irev("compare", "--scores", "--layout", "paper", "-f", "latex", *files).stdout.decode()
    assert r"\textendash{}" in text
    assert "-{}-" not in text


@pytest.mark.thorough
def test_more_rows_than_a_page_has_are_said(irev, values):
    done = irev("compare", "--scores", "--layout", "paper", "-f", "latex", *values(58))
    text = done.stdout.decode()
    assert [f"run\\_{n}" for n in range(58)] == re.findall(r"^(run\\_\d+) &", text, re.MULTILINE)
    assert 1 == text.count(r"\caption{") == text.count(r"\begin{tabular}")
    assert "a table of 58 runs does not fit on a page" in done.stderr
    assert "does not fit on a page" not in (
        irev("compare", "--scores", "--layout", "paper", "-f", "latex", *values(40)).stderr
    )


CLASSES = {
    "article": r"\documentclass[twocolumn]{article}",
    "acmart": r"\PassOptionsToPackage{expansion=false}{microtype}\documentclass[sigconf,nonacm]{acmart}",
    "llncs": r"\documentclass{llncs}",
    "IEEEtran": r"\documentclass{IEEEtran}",
}


NEEDS_LATEX = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex to compile with")


def set_in(opening: str) -> tuple[int, list[str]]:
    """The status of LaTeX with the table in ``made.tex``, and what it says of boxes that are too wide."""
    wanted = ["adjustbox.sty", "booktabs.sty", re.search(r"documentclass.*\{(.*)\}", opening)[1] + ".cls"]
    found = subprocess.run(["kpsewhich", "-all", *wanted], capture_output=True, check=False).stdout.count(b"\n")
    if found < len(wanted):
        pytest.skip(f"LaTeX lacks one of {', '.join(wanted)}; Debian: texlive-latex-extra and texlive-publishers")
    Path("page.tex").write_text(
        rf"{opening}\usepackage[T1]{{fontenc}}\usepackage{{textcomp,booktabs,adjustbox}}"
        "\n\\begin{document}\nText\n\n\\input{made}\n\\end{document}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "page.tex"], capture_output=True, timeout=120, check=False
    )
    return done.returncode, re.findall(r"Overfull.*", done.stdout.decode("latin-1"))


@NEEDS_LATEX
@pytest.mark.thorough
def test_a_wide_table_of_an_evaluation_is_made_to_fit_its_column(irev, values):
    sample = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run", "semantic.run"))
    irev("eval", "-f", "latex", "-o", "made.tex", "-m", "AP,nDCG@10,P@5,P@10,R@10,RR,Rprec,bpref", *sample)
    assert (0, []) == set_in(CLASSES["article"])


@NEEDS_LATEX
@pytest.mark.thorough
@pytest.mark.parametrize(("options", "of_class"), [*((["--layout", "paper"], name) for name in CLASSES), ([], "")])
def test_latex_takes_it_and_it_fits_its_column(irev, values, options, of_class):
    opening = CLASSES.get(of_class, r"\documentclass{article}")
    long = [f"bm25_rm3_then_cross-encoder/large.v{n}_of-2024_final={file}" for n, file in enumerate(values(6))]
    for runs, more in (
        (values(6), []),
        (long, []),
        (long, ["--all-pairs"]),
        (values(30), ["--all-pairs"]),
        (values(58), ["--all-pairs"]),
    ):
        irev("compare", "--scores", "-f", "latex", "-o", "made.tex", *options, *more, *runs)
        assert (0, []) == set_in(opening)


def test_marks_of_a_table_in_letters_stand_beside_its_means(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for run, value in (("A", 0.25), ("B", 0.5)):
        (tmp_path / run).write_text("".join(f"q{n} {value + n / 100}\n" for n in range(9)))
    text = irev("compare", "--scores", "--layout", "paper", "--test", "sign", "A", "B").stdout.decode()

    assert [["A", "0.2900◃"], ["B", "0.5400◂", "†"]] == [
        line.split() for line in text.splitlines() if line[:2] in ("A ", "B ")
    ]
