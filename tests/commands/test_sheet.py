"""`irev curves --kind sheet`: TREC's sheet of a run has the values of `irev eval`, on a screen, a page and paper."""

import json

import pytest
from comparing import record, shown
from conftest import ROOT
from outcomes import refused

QRELS = str(ROOT / "sample_data" / "qrels.txt")
RUNS = tuple(str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))
SHEET = ("curves", "--kind", "sheet")


def test_its_values_are_those_of_eval_to_the_last_digit(irev):
    measures = ("num_q", "num_ret", "num_rel", "num_rel_ret", "iprec_at_recall", "map", "P", "Rprec")
    asked = [part for measure in measures for part in ("-m", measure)]
    _, stdout, _ = irev("eval", "-c", *asked, "-f", "json", QRELS, RUNS[2])
    (result,) = json.loads(stdout)["results"]

    found = record(irev, *SHEET, QRELS, RUNS[2])

    assert result["summary"] == found["values"]
    assert ("semantic", 0, []) == (found["run"], found["others"], found["topics"])


def test_it_is_laid_out_as_trec_does(irev):
    lines = shown(irev, *SHEET, QRELS, RUNS[2]).splitlines()

    for line in (
        "Result sheet of semantic",
        "documents retrieved               35",
        "relevant documents retrieved      14",
        "0.00                  0.7381",
        "1.00                  0.7286",
        "average precision     0.7270",
        "at 5 documents        0.4000",
        "at 1000 documents     0.0020",
        "R-precision           0.6667",
    ):
        assert line in lines


def test_topics_stand_beside_the_median_of_the_other_runs(irev, folder):
    """By hand: AP of the first query is 1, 1/2 and 1/4, of the second 1/2, 1 and 0; the run itself is no other run."""
    (folder / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    for name, ranks in (("x", (1, 2)), ("y", (2, 1)), ("z", (4, 0))):
        rows = [
            f"{query} Q0 {'a' if n == rank else n} 1 {-n} {name}\n"
            for query, rank in enumerate(ranks, 1)
            for n in range(1, 5)
        ]
        (folder / name).write_text("".join(rows))
    sheet = record(irev, *SHEET, "qrels", "x", "y", "z")

    assert 2 == sheet["others"]
    assert [("1", 1 - 3 / 8, 1.0, 3 / 8, 1 / 4, 1 / 2), ("2", 0.0, 1 / 2, 1 / 2, 0.0, 1.0)] == [
        tuple(topic[key] for key in ("query", "difference", "value", "median", "lowest", "highest"))
        for topic in sheet["topics"]
    ]
    said = " ".join(shown(irev, *SHEET, "qrels", "x", "y", "z").split())
    assert "Difference from the median over the 2 other runs, query by query. In TREC's own sheets the median" in said


def test_one_other_run_has_no_median(irev):
    text = " ".join(shown(irev, *SHEET, QRELS, *RUNS[:2]).split())

    assert "One other run has no useful median, so there is no histogram." in text
    assert [] == record(irev, *SHEET, QRELS, *RUNS[:2])["topics"]


def test_latex_has_three_tables(irev, folder):
    irev(*SHEET, "-o", "sheet.tex", QRELS, *RUNS)

    assert 3 == (folder / "sheet.tex").read_text().count(r"\begin{tabular}")


@pytest.mark.thorough
def test_one_query_without_relevant_documents_is_no_nan(irev, folder):
    (folder / "qrels").write_text("1 0 a 0\n")
    files = ("qrels", *(f"run{n}=run" for n in range(3)))
    assert 0 == irev(*SHEET, "-o", "sheet.txt", "--plot", "sheet.svg", *files).status
    assert "nan" not in (folder / "sheet.txt").read_text()
    assert "nan" not in (folder / "sheet.svg").read_text()


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ((QRELS,), "expected QRELS and at least one RUN"),
        (("--queries", "run", QRELS, RUNS[0]), "--queries run means other queries for each run, but curves"),
        (("-o", QRELS, QRELS, RUNS[0]), "is an input; write to another file"),
        (("-o", "sheet.doc", QRELS, RUNS[0]), "the ending of 'sheet.doc' is not an output format"),
    ],
)
def test_what_makes_no_sheet_is_refused(irev, words, fact):
    refused(irev(*SHEET, *words), fact)


@pytest.mark.parametrize("how", ["the same path", "another path", "a link", "a copy"])
def test_the_run_is_not_one_of_the_others(irev, folder, how):
    """As in `my.run runs/*`: it drew the median, the least and the highest to itself."""
    (folder / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    for name, rows in (("x", "ab"), ("y", "ba"), ("z", "bca")):
        text = "".join(f"{query} Q0 {d} 1 {-n} {name}\n" for query in "12" for n, d in enumerate(rows))
        (folder / name).write_text(text)
    again = {"the same path": "x", "another path": "./x"}.get(how, "again")
    if how == "a link":
        (folder / "again").symlink_to("x")
    elif how == "a copy":
        (folder / "again").write_bytes((folder / "x").read_bytes())
    alone, found = (record(irev, *SHEET, "qrels", "x", *more, "y", "z") for more in ((), (again,)))

    assert 2 == alone["others"] == found["others"]
    assert alone["topics"] == found["topics"]


def test_a_baseline_is_refused_since_a_sheet_has_none(irev):
    refused(irev(*SHEET, "--baseline", "keyword", QRELS, *RUNS), "--baseline has no effect without --kind")
