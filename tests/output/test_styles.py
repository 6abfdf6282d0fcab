"""Outputs from results made by hand: what they show, and that what they escape can be read back."""

import csv
import doctest
import io
import json
import math
import random
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from hostile import TEXTS
from pages import Page
from pyarrow import parquet

from irev.base.errors import IrevError, escaped
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import EXACT, decoded
from irev.base.text import named as named_text
from irev.evaluation.result import Facts, Group, Outcome, Result
from irev.evaluation.scores import Column, Scores, Summary, summarise
from irev.measures import parse
from irev.output.report import CODE, MARK, Cell, Look, Report, Sheet, Sort
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import EVALUATION, chosen, written
from irev.output.styles.markdown import APART
from irev.output.terminal import isolated, width

DATA = ("tsv", "csv", "jsonl", "parquet")
FOR_PEOPLE = ("markdown", "latex", "html")

HOSTILE = {
    "pipe": b"a|b",
    "script": b"<script>alert(1)</script>",
    "entity": b"&amp;",
    "latex": rb"\input{x}%$#_^~{}",
    "row end": rb"\\[1cm]",
    "markdown": b"**b** _i_ `c` [l](http://x) ~s~ ![i](j) www.x.org",
    "quotes": b"\"'",
    "comma": b"a,b",
    "formula": b"=1+1",
    "newlines": b"a\nb\r\nc\rd",
    "tab": b"a\tb",
    "escape": b"\x1b[2J",
    "not UTF-8": b"a\xff\xfe",
    "right to left": "\N{RIGHT-TO-LEFT OVERRIDE}x".encode(),
    "Hebrew": "שלום".encode(),
    "backslash": rb"a\tb",
    "blanks": b" a  b ",
    "number": b"1e5",
    "dashes": b"a---b",
}
NAMES = pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)


def outcome(values, run="bm25", qrels="", queries=(b"q1", b"q2"), considered=None, groups=None, tag=b"tag", facts=None):
    """An outcome with these values: one list for each measure, whose `-m` text is its key."""
    requests = parse(list(values))
    given = dict(zip([parse([text])[0] for text in values], values.values(), strict=True))
    scores = Scores(
        queries=tuple(queries),
        columns=tuple(Column(request, column(given[request])) for request in requests),
        considered=considered or len(queries),
        complete=False,
        positive_judgments=0,
        tag=tag,
    )
    made = []
    for name, members in (groups or {}).items():
        part = scores.of([query in members for query in queries])
        made.append(Group(name, len(members), summarise(part), part.queries))
    return Outcome(run, qrels, scores, summarise(scores), facts or Facts(3, 1, 0, (), ()), tuple(made))


def column(values) -> np.ndarray:
    kind = object if isinstance(values[0], bytes) else int if isinstance(values[0], int) else float
    return np.array([*values, None], dtype=object)[:-1] if kind is object else np.array(values, dtype=kind)


@dataclass(frozen=True, eq=False)
class Made(Result):
    """A result, and how it is to look."""

    names: str | None = None
    digits: int = 4
    wide: bool = False
    sort: Sort | None = None


def result(*outcomes, **choices) -> Made:
    return Made(outcomes, Settings(), **choices)


def render(style: str, made: Made, **screen) -> bytes:
    return written(style, EvaluationReport(made), Look(made.names, made.digits, made.wide, made.sort, **screen))


def shown(style: str, made: Made) -> str:
    return render(style, made).decode("utf-8", "surrogateescape")


def table(style: str, made: Made) -> list[list[str]]:
    """Header and rows of an output, as a program that knows its format reads them."""
    return READERS[style](render(style, made))


def of_tsv(data: bytes) -> list[list[str]]:
    meant = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
    lines = data.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    return [[re.sub(r"\\.", lambda e: meant[e[0]], field) for field in line.split("\t")] for line in lines]


def of_csv(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8", "surrogateescape"), newline="")))


def of_jsonl(data: bytes) -> list[list[str]]:
    rows = [json.loads(line) for line in data.splitlines()]
    header = [key for key in rows[0] if key != "measures"]
    lines = [[row[key] for key in header] + [k, str(v)] for row in rows for k, v in row["measures"].items()]
    return [[*header, "measure", "value"], *lines]


def of_parquet(data: bytes) -> list[list[str]]:
    rows = parquet.read_table(io.BytesIO(data)).to_pylist()
    return [list(rows[0]), *(list(row.values()) for row in rows)]


def of_markdown(data: bytes) -> list[list[str]]:
    """Cells are split where GitHub splits them; a backslash goes from before a sign."""
    lines = [line for line in data.decode().split("\n") if line.startswith("|")]
    cells = [[cell.strip(" ") for cell in re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]] for line in lines]
    del cells[1]
    return [[re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell) for cell in row] for row in cells]


READERS = {
    "tsv": of_tsv,
    "csv": of_csv,
    "jsonl": of_jsonl,
    "parquet": of_parquet,
    "markdown": of_markdown,
    "html": lambda data: Page(data).rows,
}


# Lists of numbers


@pytest.mark.parametrize("style", ["tsv", "csv"])
def test_a_tidy_list_has_a_line_for_each_number_and_all_for_all_queries(style):
    made = result(outcome({"num_rel": [3, 4], "map": [0.25, 0.5]}), per_query=True)

    assert table(style, made) == [
        ["run", "query", "measure", "value"],
        ["bm25", "q1", "num_rel", "3"],
        ["bm25", "q1", "map", "0.2500"],
        ["bm25", "q2", "num_rel", "4"],
        ["bm25", "q2", "map", "0.5000"],
        ["bm25", "all", "num_rel", "7"],
        ["bm25", "all", "map", "0.3750"],
    ]


@pytest.mark.parametrize("style", ["tsv", "csv"])
def test_a_wide_list_has_a_column_for_each_measure_that_has_values(style):
    values = {"runid": [b"", b""], "map": [0.25, 0.5], "relstring": [b"'10'", b"'-'"], "map.agg=sd": [0.25, 0.5]}
    made = result(outcome(values), per_query=True, wide=True, digits=2)

    assert table(style, made) == [
        ["run", "query", "runid", "map", "relstring", "map_agg=sd"],
        ["bm25", "q1", "", "0.25", "'10'", ""],
        ["bm25", "q2", "", "0.50", "'-'", ""],
        ["bm25", "all", "tag", "0.38", "", "0.18"],
    ]
    assert table(style, replace(made, summarised=False))[0] == ["run", "query", "map", "relstring"]
    assert table(style, replace(made, per_query=False))[0] == ["run", "query", "runid", "map", "map_agg=sd"]


@pytest.mark.parametrize("style", DATA)
def test_runs_follow_each_other_in_their_order(style):
    made = result(outcome({"map": [0.5, 0.5]}, run="z"), outcome({"map": [1.0, 0.0]}, run="a"), per_query=True)
    rows = table(style, made)

    assert [row[:2] for row in rows] == [
        ["run", "query"],
        *(["z", query] for query in ("q1", "q2", "all")),
        *(["a", query] for query in ("q1", "q2", "all")),
    ]


@pytest.mark.parametrize("style", DATA)
def test_several_judgments_have_a_column(style):
    made = result(*(outcome({"map": [0.5, 0.5]}, qrels=qrels) for qrels in ("human", "llm")))

    assert [row[:3] for row in table(style, made)] == [
        ["run", "qrels", "query"],
        ["bm25", "human", "all"],
        ["bm25", "llm", "all"],
    ]


@pytest.mark.parametrize("style", DATA)
def test_groups_have_a_column_and_their_sizes_a_line(style):
    made = result(outcome({"map": [0.25, 0.75]}, groups={b"easy": (b"q2",)}), per_query=True)
    nothing = None if style in ("jsonl", "parquet") else ""
    rows = [[*row[:4], row[4] if row[0] == "run" else float(row[4])] for row in table(style, made)]

    assert rows == [
        ["run", "group", "query", "measure", "value"],
        ["bm25", nothing, "q1", "map", 0.25],
        ["bm25", "easy", "q2", "map", 0.75],
        ["bm25", nothing, "all", "num_q", 2.0],
        ["bm25", nothing, "all", "map", 0.5],
        ["bm25", "easy", "all", "num_q", 1.0],
        ["bm25", "easy", "all", "map", 0.75],
    ]


def test_the_size_of_a_group_stands_once_though_asked_for():
    made = result(outcome({"num_q": [1, 1], "map": [0.25, 0.75]}, groups={b"easy": (b"q2",)}), wide=True)

    assert table("tsv", made) == [
        ["run", "group", "query", "num_q", "map"],
        ["bm25", "", "all", "2", "0.5000"],
        ["bm25", "easy", "all", "1", "0.7500"],
    ]


@pytest.mark.parametrize("style", ["tsv", "csv", "jsonl"])
@NAMES
def test_ids_are_read_back_byte_for_byte(style, name):
    run = name.decode("utf-8", "surrogateescape")
    made = result(
        outcome({"map": [1.0]}, run, run, [name], groups={name: (name,)}),
        outcome({"map": [1.0]}, run, run + "2", [name], groups={name: (name,)}),
        per_query=True,
    )
    rows = table(style, made)[1:]

    def back(text: str) -> bytes:
        return text.encode("utf-8", "surrogateescape")

    assert {back(row[0]) for row in rows} == {name}
    assert {back(row[1]) for row in rows} == {name, name + b"2"}
    assert {back(row[2]) for row in rows if row[2]} == {name}
    assert {back(row[3]) for row in rows} == {name, b"all"}


@NAMES
def test_parquet_has_ids_as_text_with_escapes_for_what_is_no_utf8(name):
    made = result(outcome({"map": [1.0]}, queries=[name]), per_query=True, summarised=False)

    assert [name.decode("utf-8", "backslashreplace")] == [row[1] for row in table("parquet", made)[1:]]


def test_parquet_has_columns_of_fixed_types_and_nulls_for_what_is_not_there():
    made = result(outcome({"map": [math.nan, math.inf], "relstring": [b"'1'", b"'\xff'"]}), per_query=True)
    data = render("parquet", made)
    read = parquet.read_table(io.BytesIO(data))

    assert {"run": "string", "query": "string", "measure": "string", "value": "double", "text": "string"} == {
        field.name: str(field.type) for field in read.schema
    }
    values = read["value"].to_pylist()
    assert math.isnan(values[0])
    assert [None, math.inf, None] == values[1:4]
    assert [None, "'1'", None, r"'\xff'", None] == read["text"].to_pylist()
    assert data == render("parquet", made)


def test_parquet_without_pyarrow_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(IrevError) as caught:
        render("parquet", result(outcome({"map": [1.0, 1.0]})))

    assert "pyarrow is needed to write Parquet; pip install pyarrow" == str(caught.value)


def test_the_page_on_outputs_reads_parquet_as_it_says(irev, tmp_path, monkeypatch):
    page = (ROOT / "docs" / "outputs.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^\$ irev (.* -o scores\.parquet .*) 2>/dev/null$", page, re.MULTILINE)
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)
    runs = sorted(map(str, Path("sample_data").glob("*.run")))
    assert 0 == irev(*command.removesuffix(" sample_data/*.run").split(), *runs).status
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(block, {}, "outputs.md", None, None)
    found = doctest.DocTestRunner().run(test)

    assert (0, 4) == (found.failed, found.attempted)


@pytest.mark.parametrize("style", DATA)
def test_a_query_called_all_stands_in_quotes(style):
    made = result(outcome({"map": [0.25, 0.5]}, queries=[b"all", b'"all"']), per_query=True)

    assert ['"all"', '""all""', "all"] == [row[1] for row in table(style, made)[1:]]


def test_json_lines_have_unrounded_numbers_and_no_infinity():
    values = {"map": [1 / 3, math.nan], "recip_rank": [math.inf, -math.inf], "relstring": [b"'1'", b"'\xff'"]}
    made = result(outcome({"num_ret": [2, 3], **values}), per_query=True, summarised=False, digits=1)

    assert shown("jsonl", made) == (
        '{"run": "bm25", "query": "q1", "measures":'
        ' {"num_ret": 2, "map": 0.3333333333333333, "recip_rank": "inf", "relstring": "\'1\'"}}\n'
        '{"run": "bm25", "query": "q2", "measures":'
        ' {"num_ret": 3, "map": "nan", "recip_rank": "-inf", "relstring": "\'\\udcff\'"}}\n'
    )


def test_measures_that_are_called_alike_are_told_apart():
    """Labels of recall levels have two decimals."""
    made = result(outcome({"iprec_at_recall.0.101": [0.5, 0.5], "iprec_at_recall.0.102": [1.0, 0.0]}))
    names = ["iprec_at_recall_0.10", "iprec_at_recall_0.10#2"]

    assert names == list(json.loads(shown("jsonl", made))["measures"])
    assert names == [row[2] for row in table("csv", made)[1:]]
    assert names == table("tsv", replace(made, wide=True))[0][2:]


# Digits and names


@pytest.mark.parametrize("style", ["tsv", "csv", "markdown", "html"])
@pytest.mark.parametrize(
    ("digits", "expected"), [(0, "0"), (2, "0.33"), (17, "0.33333333333333331"), (EXACT, "0.3333333333333333")]
)
def test_digits_are_those_asked_for_and_counts_have_none(style, digits, expected):
    made = result(outcome({"num_ret": [3, 4], "map": [1 / 3, 1 / 3]}), digits=digits)

    assert ["7", expected] == [row[-1] for row in table(style, made)[1:]]


@pytest.mark.parametrize("style", [*DATA, *FOR_PEOPLE])
def test_measures_have_standard_names_for_people_and_labels_for_programs(style):
    made = result(outcome({"ndcg_cut.10": [0.5, 0.5]}))
    expected, other = ("nDCG@10", "ndcg_cut_10")[:: 1 if style in FOR_PEOPLE else -1]

    for names, name in ((None, expected), ("standard", "nDCG@10"), ("trec", "ndcg_cut_10")):
        if style == "latex":
            assert f"{name.replace('_', chr(92) + '_')} & 0.5000" in shown(style, replace(made, names=names))
        else:
            assert name in [cell for row in table(style, replace(made, names=names)) for cell in row]
    assert other not in shown(style, made)


@pytest.mark.parametrize(
    ("ending", "style"),
    {
        ".tsv": "tsv",
        ".csv": "csv",
        ".json": "json",
        ".jsonl": "jsonl",
        ".ndjson": "jsonl",
        ".txt": "trec",
        ".eval": "trec",
        "": "trec",
        ".trec": "trec",
        ".table": "table",
        ".md": "markdown",
        ".markdown": "markdown",
        ".tex": "latex",
        ".html": "html",
        ".htm": "html",
        ".parquet": "parquet",
        ".PARQUET": "parquet",
    }.items(),
)
def test_the_ending_of_a_file_asks_for_a_style(ending, style):
    assert style == chosen(None, f"out{ending}", EVALUATION)
    assert "table" == chosen("table", f"out{ending}", EVALUATION), "what is asked for in words goes first"


# Tables for people


def test_one_run_has_measures_as_rows_and_nothing_bold():
    made = result(outcome({"num_rel": [3, 4], "map": [0.25, 0.5]}), policy="those in both files")

    assert shown("markdown", made) == (
        "| measure | all queries |\n"
        "| :------ | ----------: |\n"
        "| NumRel  |           7 |\n"
        "| AP      |      0.3750 |\n"
        "\n"
        "2 queries: those in both files\n"
    )


def test_one_run_has_aggregates_and_bounds_as_columns():
    made = result(outcome({"map": [0.25, 0.5], "map.bound=high": [0.5, 0.5], "map.agg=max": [0.25, 0.5]}), digits=2)

    assert table("markdown", made) == [
        ["measure", "mean", "mean high", "max"],
        ["AP", "0.38", "0.50", "0.50"],
    ]


def test_several_runs_are_rows_and_the_best_is_bold():
    low = outcome({"map": [0.25, 0.5], "P.5": [0.2, 0.2], "search_length": [1.0, 2.0]}, run="low")
    high = outcome({"map": [0.5, 0.5], "P.5": [0.2, 0.2], "search_length": [4.0, 2.0]}, run="high")

    assert shown("markdown", result(low, high)) == (
        "| run  |         AP |        P@5 | SearchLength |\n"
        "| :--- | ---------: | ---------: | -----------: |\n"
        "| low  |     0.3750 | **0.2000** |   **1.5000** |\n"
        "| high | **0.5000** | **0.2000** |       3.0000 |\n"
    )


def bold(made: Made) -> list[list[str]]:
    """The bold cells of each row of an output, which every style has to agree on."""
    rows = [re.findall(r"\*\*(.*?)\*\*", line) for line in shown("markdown", made).split("\n")[2:] if line[:1] == "|"]
    flat = [cell for row in rows for cell in row]
    assert flat == Page(render("html", made)).texts.get("strong", [])
    assert flat == re.findall(r"\\textbf\{(.*?)\}", shown("latex", made))
    return rows


def test_what_looks_alike_is_bold_alike():
    made = result(*(outcome({"map": [value, value]}, run=str(value)) for value in (0.25, 0.75, 0.75001)))

    assert [[], ["0.7500"], ["0.7500"]] == bold(made)
    assert [[], [], ["0.75001"]] == bold(replace(made, digits=5))


def test_what_is_no_number_is_never_best_and_infinity_can_be():
    made = result(*(outcome({"map": [value, value]}, run=str(value)) for value in (math.nan, 0.5, math.inf)))

    assert [[], [], ["inf"]] == bold(made)
    assert [[], []] == bold(result(*(outcome({"map": [math.nan] * 2}, run=run) for run in "ab")))


def test_what_is_infinitely_bad_is_never_best():
    made = result(
        *(outcome({"map": [-value] * 2, "search_length": [value] * 2}, run=str(value)) for value in (math.inf, 3.0))
    )

    assert [[], ["-3.0000", "3.0000"]] == bold(made)
    assert [[], []] == bold(result(*(outcome({"search_length": [math.inf] * 2}, run=run) for run in "ab")))


def test_numbers_that_are_no_merit_are_never_bold():
    values = {"num_q": [1, 1], "num_ret": [9, 9], "num_rel": [3, 4], "map.agg=sd": [0.0, 1.0], "map": [0.0, 1.0]}
    made = result(outcome(values, run="a"), outcome(values, run="b"))

    assert [["0.5000"], ["0.5000"]] == bold(made)


def test_a_table_on_a_terminal_has_the_same_numbers_bold_and_the_same_marks_elsewhere():
    made = result(
        *(outcome({"map": [value] * 2, "search_length": [value] * 2}, run=str(value)) for value in (0.25, 0.5)),
        *(outcome({"map": [0.5, 0.5], "search_length": [9.0, 9.0]}, run=run) for run in "ab"),
    )
    coloured = render("table", made, width=80, colour=True).decode()

    assert [cell for row in bold(made) for cell in row] == re.findall(r"\x1b\[1m *([\d.]+)◂\x1b", coloured)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == shown("table", made)


def test_a_group_that_is_called_all_is_told_apart_in_every_style_for_people():
    made = result(outcome({"map": [0.25, 0.75]}, groups={b"all": (b"q2",)}))

    assert ['"all"', "1", "0.7500"] == table("html", made)[2]
    assert ['"all"', "1", "0.7500"] == shown("table", made).split("\n")[3].split()


def test_runs_are_compared_under_the_same_judgments_only():
    made = result(
        *(
            outcome({"map": [value, value]}, run, qrels)
            for run, qrels, value in [("a", "x", 0.1), ("a", "y", 0.4), ("b", "x", 0.2), ("b", "y", 0.3)]
        )
    )

    assert [[], ["0.4000"], ["0.2000"], []] == bold(made)
    assert [["a", "x", "0.75"], ["a", "y", "0.75"]] == [row[:3] for row in table("html", made)[1:3]]
    assert ["run", "qrels", "judged", "AP"] == table("html", made)[0]


def test_one_run_is_never_best_in_groups_or_queries_or_under_several_judgments():
    grouped = result(outcome({"map": [0.25, 0.75]}, groups={b"g": (b"q1",)}), per_query=True)

    assert [[]] * 4 == bold(grouped)
    assert [[]] * 2 == bold(result(*(outcome({"map": [0.5, 0.5]}, qrels=qrels) for qrels in "xy")))


def test_groups_are_rows_with_their_sizes():
    made = result(
        outcome({"map": [0.25, 0.75]}, run="a", groups={b"all": (b"q2",)}),
        outcome({"map": [0.5, 0.5]}, run="b", groups={b"all": (b"q2",)}),
    )

    assert table("html", made) == [
        ["run", "group", "queries", "AP"],
        ["a", "all", "2", "0.5000"],
        ["a", '"all"', "1", "0.7500"],
        ["b", "all", "2", "0.5000"],
        ["b", '"all"', "1", "0.5000"],
    ]
    assert [["0.5000"], ["0.7500"], ["0.5000"], []] == bold(made)


def test_queries_are_rows_and_all_of_them_the_last():
    values = {"map": [0.25, 0.75], "relstring": [b"'1'", b"'2'"], "map.agg=max": [0.25, 0.75]}
    made = result(outcome(values), per_query=True)

    assert table("html", made) == [
        ["query", "AP", "RelString"],
        ["q1", "0.2500", "'1'"],
        ["q2", "0.7500", "'2'"],
        ["all, mean", "0.5000", ""],
        ["all, max", "0.7500", ""],
    ]


def test_queries_of_several_runs_are_compared_query_by_query():
    made = result(
        outcome({"map": [0.25, 0.75]}, run="a"),
        outcome({"map": [0.5]}, run="b", queries=[b"q1"]),
        per_query=True,
    )

    # b is averaged over other queries, and never marked.
    assert [[], [], [], ["0.5000"], []] == bold(made)


def test_queries_are_sorted_worst_first_when_asked():
    values = {"map": [0.5, math.nan, 0.25, 0.75], "avg_rank": [5.0, math.inf, 9.0, 1.0]}
    made = result(outcome(values, queries=[b"a", b"b", b"c", b"d"]), per_query=True, summarised=False)
    by = {request.measure.name: request for request in made.requests}

    assert ["c", "a", "d", "b"] == [row[0] for row in table("html", replace(made, sort=Sort(by["map"])))[1:]]
    assert ["b", "c", "a", "d"] == [row[0] for row in table("html", replace(made, sort=Sort(by["avg_rank"])))[1:]]


def test_runs_over_other_queries_are_marked():
    both = outcome({"map": [0.25, 0.75]}, run="a"), outcome({"map": [0.5, 0.5]}, run="b")
    made = result(*both, outcome({"map": [0.5]}, run="c", queries=[b"q1"]), policy="those in both files")
    remark = "averaged over other queries than most runs, so never marked as best"

    assert ["a", "b", "c*"] == [row[0] for row in table("html", made)[1:]]
    assert shown("markdown", made).endswith(f"\n\n1 or 2 queries: those in both files\n\n\\* {remark}\n")
    assert [f"1 or 2 queries: those in both files* {remark}"] == Page(render("html", made)).texts["caption"]
    assert shown("latex", made).startswith("% 1 or 2 queries: those in both files\n")
    assert f"\\bottomrule\n\\multicolumn{{2}}{{l}}{{\\footnotesize {{*}} {remark}}} \\\\\n" in shown("latex", made)
    assert remark not in "".join(shown(style, result(*both)) for style in FOR_PEOPLE)


@pytest.mark.parametrize("style", FOR_PEOPLE)
def test_a_result_of_nothing_is_a_table_of_nothing(style):
    made = result(outcome({"map": [0.25, 0.75]}), summarised=False)

    assert "0.5000" not in shown(style, made)
    assert "measure" in shown(style, made)


# Hostile names


SEEN = {name: name.decode("utf-8", "backslashreplace") for name in HOSTILE.values()} | {
    b"a\nb\r\nc\rd": r"a\nb\r\nc\rd",
    b"a\tb": r"a\tb",
    b"\x1b[2J": r"\x1b[2J",
    "\N{RIGHT-TO-LEFT OVERRIDE}x".encode(): r"\u202ex",
}
"""What people see: control characters and broken UTF-8 as escapes, everything else as it is."""


def named(name: bytes) -> Made:
    """A result in which everything is called by one name."""
    run = name.decode("utf-8", "surrogateescape")
    first = outcome({"relstring": [name]}, run, run, [name], groups={name: (name,)})
    other = outcome({"relstring": [name]}, run + "2", run, [name], groups={name: (name,)})
    return result(first, other, per_query=True)


@NAMES
def test_html_shows_names_and_has_no_element_of_theirs(name):
    page = Page(render("html", named(name)))
    plain = Page(render("html", named(b"plain")))

    assert plain.tags == page.tags
    assert [SEEN[name], SEEN[name], SEEN[name], "", SEEN[name]] == page.rows[1]


@NAMES
def test_markdown_shows_names_and_has_no_markup_of_theirs(name):
    text = shown("markdown", named(name))
    cells = [re.sub(r"\\([!-/:-@\[-`{-~])", "", cell) for cell in re.split(r"(?<!\\) \| ", text.split("\n")[2])]

    seen = SEEN[name].strip()
    assert [seen, seen, seen, "", seen] == table("markdown", named(name))[1]
    assert not any(re.search(r"[*`\[\]<>&~|$]|://|www\.", cell) for cell in [cells[0].removeprefix("| "), *cells[1:-1]])
    assert text.count("\n") == shown("markdown", named(b"plain")).count("\n")


@NAMES
def test_latex_shows_names_and_has_no_command_of_theirs(name):
    text = shown("latex", named(name))
    row = text.split("\\midrule\n")[1].split("\n")[0]

    assert row.endswith(r" \\")
    cells = row.removesuffix(r" \\").split(" & ")
    assert [SEEN[name], SEEN[name], SEEN[name], "", SEEN[name]] == [typeset(cell) for cell in cells]


def typeset(text: str) -> str:
    """What LaTeX prints for a cell, in which nothing but what is known here may stand."""
    meant = {
        r"\textbackslash{}": "\\",
        r"\textasciitilde{}": "~",
        r"\textasciicircum{}": "^",
        r"\textless{}": "<",
        r"\textgreater{}": ">",
        r"\textbar{}": "|",
        r"\textasciigrave{}": "`",
        r"\symbol{34}": '"',
        "{[}": "[",
        "{*}": "*",
        "{}": "",
    } | {f"\\{sign}": sign for sign in "{}&%$#_"}
    known = "|".join(map(re.escape, meant))
    pieces = re.findall(rf"{known}|[^\\{{}}&%$#_~^<>|\"`\[*]", text)
    assert text == "".join(pieces)
    assert not re.search("--|''", text)
    return "".join(meant.get(piece, piece) for piece in pieces)


class Named(Report):
    """A report that has one text wherever it may have any, and escapes nothing itself."""

    def __init__(self, text: str, bare: bool) -> None:
        self.text, self.bare = text, bare

    @property
    def title(self):
        return self.text

    @property
    def lead(self):
        return (self.text,)

    notes = lead

    @property
    def sheets(self):
        cells = (Cell(self.text), Cell(self.text, tone=CODE), Cell(self.text, best=True, above=self.text))
        for floats in (False, True) if self.bare else (False,):
            notes = (self.text, f"{MARK} {self.text}")
            yield Sheet(self.text, (self.text,) * 3, 1, frozenset({0, 1}), ((cells,),), notes, floats)


def names_of_tags(page: str) -> list[str]:
    return [name for name, _ in Page(page.encode()).tags]


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("style", ["table", *FOR_PEOPLE])
def test_a_style_makes_text_of_whatever_a_report_hands_to_it(style, bare):
    for name in TEXTS.values():
        text = written(style, Named(decoded(name), bare), Look(width=80)).decode()
        if style == "table":  # where names from right to left are isolated
            text = re.sub("\u2068([^\u2068\u2069\n]*)\u2069", r"\1", text)
        plain = written(style, Named("x" * width(named_text(decoded(name))), bare), Look(width=80)).decode()
        meant = ("\n", APART) if style == "markdown" else ("\n",)
        assert [] == [character for character in text if not character.isprintable() and character not in meant]
        if style != "table":  # of which lines are folded
            assert plain.count("\n") == text.count("\n")
        if style != "html":
            orders = [line for line in text.split("\n") if line.lstrip().startswith("::") or "##[" in line]
            assert [] == orders
        if style == "html":
            assert names_of_tags(plain) == names_of_tags(text)


def test_markdown_leaves_names_of_measures_readable():
    made = replace(result(outcome({"map_cut.10": [1.0, 1.0], "map.rel=2": [1.0, 1.0]})), names="trec")

    assert "| map_cut_10 " in shown("markdown", made)
    assert "| map_rel=2 " in shown("markdown", made)


# Pages


def test_html_tells_screen_readers_what_cells_are_headings_of():
    made = result(outcome({"map": [0.25, 0.5]}, run="a"), outcome({"map": [0.5, 0.5]}, run="b"), policy="all")
    page = Page(render("html", made))
    headings = [attributes["scope"] for tag, attributes in page.tags if tag == "th"]

    assert ["col", "col", "row", "row"] == headings
    assert ["html", "meta", "meta", "title", "style", "table"] == [tag for tag, _ in page.tags[:6]]
    assert "en" == page.tags[0][1]["lang"]
    assert ["2 queries: all"] == page.texts["caption"]


def test_html_of_one_run_says_which():
    page = Page(render("html", result(outcome({"map": [0.25, 0.5]}, run="a<b"), policy="all")))

    assert ["a<b2 queries: all"] == page.texts["caption"]


def test_a_rule_parts_single_queries_from_all_of_them():
    made = result(outcome({"map": [0.25, 0.5]}), per_query=True)
    lines = shown("latex", made).split("\n")

    assert r"\midrule" == lines[lines.index(r"all & 0.3750 \\") - 1]
    assert 2 == shown("html", made).count("<tbody>")


def test_a_measure_without_a_number_for_a_group_leaves_its_cell_empty():
    first = outcome({"map": [0.25, 0.5]}, run="a")
    gone = replace(first, run="b", summary=Summary((None,)))

    assert [["a", "0.3750"], ["b", ""]] == table("html", result(first, gone))[1:]


def test_words_of_labels_are_not_broken_while_one_number_has_room_beside_them(irev, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    conditions = (
        "--max-drop",
        "AP=0.01",
        "--max-query-losses",
        "AP=1",
        "--min",
        "nDCG@10=0.6",
        "--significant",
        "0.05",
    )
    sample = ROOT / "sample_data"
    files = [str(sample / name) for name in ("semantic.run", "qrels.txt", "keyword.run")]
    text = irev("check", *conditions, "--baseline-run", *files).stdout.decode()
    table = text.partition("\nConditions\n")[2].partition("\n\n")[0]

    assert ["state", "measure", "required", "measured", "baseline"] == table.splitlines()[0].split()
    assert "nDCG@10" in table


def test_names_from_right_to_left_are_isolated_in_tables_and_take_no_more_room():
    """What a terminal shows of a row has its cells in order, whatever their scripts; other tables have no such sign."""

    def cells(name):
        return (((Cell(name), Cell("0.5000"), Cell("better")), (Cell("bm25"), Cell("0.4000"), Cell(""))),)

    class Named(Report):
        def __init__(self, name: str) -> None:
            self.name = name

        @property
        def sheets(self):
            yield Sheet("", ("run", "AP", "finding"), 1, frozenset({0, 2}), cells(self.name))

    hebrew = written("table", Named("שלום עולם"), Look(width=80)).decode()
    latin = written("table", Named("abcd efgh"), Look(width=80)).decode()

    assert "\u2068שלום עולם\u2069  0.5000  better\n" in hebrew
    assert latin == hebrew.replace("\u2068", "").replace("\u2069", "").replace("שלום עולם", "abcd efgh")
    assert "\u2068" not in latin


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run  a b  0.5\n", "run  a b  0.5\n"),
        ("שלום abc ד  0.5 ב\n", "<שלום abc ד>  0.5 <ב>\n"),
        ("A─ שלום-run   B╌ ד", "A─ <שלום-run>   B╌ <ד>"),
        ("שלום and A cross: ד ב, ג.\n  FAIL: ד\n", "<שלום> and A cross: <ד ב>, <ג>.\n  FAIL: <ד>\n"),
        ("P@10, שלום − ד", "P@10, <שלום> − <ד>"),
        ("\x1b[1mש\x1b[0m\x1b[1m \x1b[0m \x1b[1mד\x1b[0m", "<\x1b[1mש\x1b[0m\x1b[1m> \x1b[0m <\x1b[1mד\x1b[0m>"),
    ],
)
def test_words_from_right_to_left_are_isolated_each_for_itself(line, expected):
    assert expected.translate({ord("<"): "\u2068", ord(">"): "\u2069"}) == isolated(line)


@pytest.mark.thorough
@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("columns", [20, 60, 100])
def test_rows_of_a_long_table_look_as_those_that_rich_draws(monkeypatch, columns, bare, colour):
    chance = random.Random(1)
    texts = ["漢字", "日本語のテキスト" * 5, "a", "", "0.5", "some words " * 6, "x" * 50]
    texts += [escaped(each if isinstance(each, str) else decoded(each)) for each in TEXTS.values()]

    class Long(Report):
        def __init__(self, rows) -> None:
            self.bare, self._rows = bare, rows

        @property
        def sheets(self):
            sections = (tuple(self._rows), ((Cell("mean", tone="total"), Cell("1.0"), Cell("2.0"), Cell("")),))
            yield Sheet("", ("query", "first value", "second", "text"), 1, frozenset({0, 3}), sections)

    def plain(text: bytes) -> str:
        return re.sub(r"\x1b\[[0-9;]*m", "", text.decode())

    for _ in range(20):
        rows = [
            (
                Cell(chance.choice(texts)),
                Cell(f"{chance.random():.4f}", best=chance.random() < 0.1),
                Cell(f"{chance.random():.2f}", tone=chance.choice(["good", ""])),
                Cell(chance.choice(texts), second=chance.random() < 0.1),
            )
            for _ in range(12)
        ]
        report, look = Long(rows), Look(width=columns, colour=colour)
        expected = written("table", report, look)
        monkeypatch.setattr("irev.output.styles.table._ROWS", 3)
        found = written("table", report, look)
        monkeypatch.undo()

        assert plain(expected) == plain(found)
        assert colour or expected == found
