"""Reports in every style: what they show, and that what they hold can be read back."""

import csv
import io
import json
import math
import re
import unicodedata
from dataclasses import dataclass, field, replace

import pytest
from pages import Page
from pyarrow import parquet

from irev.base.text import EXACT
from irev.output.report import Cell, Look, Plain, Report, Sheet
from irev.output.styles import EVALUATION, chosen, styles, written

HOSTILE = ("a|b", "<b>&amp;</b>", r"\input{x}%$#_^~", "**b** _i_ [l](http://x)", 'a,"b"', r"\x1b[2J", "1. #x", "שלום")


@dataclass(frozen=True)
class Parts:
    """What a report is to have, part by part."""

    title: str
    lead: tuple[str, ...]
    sheets: tuple[Sheet, ...]
    notes: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Plain, ...], ...]
    record: dict[str, object] = field(default_factory=dict)
    exact: frozenset[str] = frozenset()


class Made(Report):
    """A report of these parts, which notes which of them are asked for."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.asked: set[str] = set()


def part_of(name: str) -> property:
    def part(made: Made) -> object:
        made.asked.add(name)
        return getattr(made.parts, name)

    return property(part)


for name in Parts.__dataclass_fields__:
    setattr(Made, name, part_of(name))


def cells(*texts: str) -> tuple[Cell, ...]:
    return tuple(map(Cell, texts))


NAMES = Sheet(
    title="Names <of> *runs*",
    header=("run", "group", "AP", "p_value"),
    labels=2,
    texts=frozenset({0, 1}),
    sections=(
        tuple((Cell(name), Cell("", tone="quiet"), Cell("0.25"), Cell("")) for name in HOSTILE),
        (),
        ((Cell("best"), Cell("g"), Cell("+0.5000", best=True, tone="good"), Cell("−0.1000", tone="bad")),),
    ),
    notes=("* a mark <is> explained", "1. not a list"),
)
WIDE = Sheet(
    title="Wide",
    header=("query", *(f"column_number_{place}" for place in range(20))),
    labels=1,
    texts=frozenset({0}),
    sections=((cells("q1", *(f"{place}.0000" for place in range(20))),),),
)
EMPTY = Sheet("Nothing", ("query", "value"), 1, frozenset({0}), (), ("there is no row",))
BARE = Sheet("No columns", (), 0, frozenset(), (), ("nor columns",))
ALL_LABELS = Sheet("", ("a", "b"), 2, frozenset({0}), ((cells("x" * 30, "1"),),))

COLUMNS = ("query", "value", "count", "certain", "mixed", "nothing", "real")
ROWS = (
    ('q\t1,\n"x"', 1 / 3, 3, True, 1, None, 1),
    ("q\udcff", math.inf, None, None, "x", None, 0.5),
    ("", math.nan, 2**40, False, math.inf, None, None),
    ("-", -math.inf, 0, False, True, None, None),
)

ODD = Parts(
    title="A & B <compared>",
    lead=("One sentence that is long enough to be wrapped when the screen is narrow, as it is here.", "- Another."),
    sheets=(NAMES, EMPTY, WIDE, BARE, ALL_LABELS),
    notes=("The end_of_it.",),
    columns=COLUMNS,
    rows=ROWS,
    record={"format": "irev", "p": "inf", "runs": [{"name": "q\udcff", "values": [1, 2]}], "none": None},
)
NOTHING = Parts("", (), (), (), ("a",), (), {})


def made(style: str, parts: Parts, **look) -> bytes:
    return written(style, Made(parts), Look(**look))


def shown(style: str, parts: Parts, **look) -> str:
    return made(style, parts, **look).decode("utf-8", "surrogateescape")


# Every style


def test_every_style_but_trec_eval_s_lines_has_reports():
    assert {*styles(EVALUATION)} - {"trec"} == {*styles()}
    assert ["trec", "table"] == styles(EVALUATION)[:2]
    assert "table" == styles()[0]


@pytest.mark.parametrize("style", styles())
@pytest.mark.parametrize("report", [ODD, NOTHING], ids=["odd", "nothing"])
def test_the_same_report_gives_the_same_bytes_on_any_screen(style, report):
    assert made(style, report) == made(style, report)
    if style != "table":
        assert made(style, report) == made(style, report, width=20, colour=True)


@pytest.mark.parametrize(
    ("style", "output", "expected"),
    [
        (None, None, "table"),
        (None, "x.csv", "csv"),
        (None, "x.md", "markdown"),
        (None, "x.txt", "table"),
        (None, "x", "table"),
        ("json", "x.csv", "json"),
        ("json", "x.xlsx", "json"),
        (None, "runs.d/x", "table"),
    ],
)
def test_a_report_is_a_table_unless_something_else_is_asked_for(style, output, expected):
    assert expected == chosen(style, output)


@pytest.mark.parametrize("style", ["table", "markdown", "latex", "html"])
def test_parts_for_people_stand_in_their_order(style):
    text = re.sub(r"\s+", " ", shown(style, ODD))
    marks = ["One sentence", "Another.", "Names", "best", "is} explained" if style == "latex" else "explained"]
    places = [text.index(mark) for mark in [*marks[:4], "explained", "there is no row", "nor columns", "The end"]]

    assert sorted(places) == places


@pytest.mark.parametrize(
    ("style", "parts"),
    {
        "json": {"record"},
        "jsonl": {"columns", "rows"},
        "csv": {"columns", "exact", "rows"},
        "markdown": {"title", "lead", "sheets", "notes"},
    }.items(),
)
def test_a_style_asks_for_the_parts_that_it_writes_and_no_other_is_made(style, parts):
    report = Made(ODD)
    report.asked = asked = set()
    written(style, report, Look())

    assert parts == asked


# Tables in terminals

WIDTHS = pytest.mark.parametrize("width", [20, 40, 80, 200])


def columns_of(line: str) -> int:
    """How many columns of a terminal a line takes."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in line)
    no_width = sum(unicodedata.category(sign) == "Cf" for sign in line)
    return len(line) + wide - no_width


@WIDTHS
@pytest.mark.parametrize("colour", [False, True])
def test_a_table_fits_the_screen_and_has_no_blanks_at_its_ends(width, colour):
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown("table", ODD, width=width, colour=colour))
    lines = text.split("\n")

    assert [] == [line for line in lines if columns_of(line) > width]
    assert [] == [line for line in lines if line != line.rstrip(" ")]
    assert "\n\n\n" not in text
    assert "" == lines[-1] != lines[-2], "one newline at the end"


@WIDTHS
def test_every_number_of_a_wide_table_stands_in_one_piece_beside_its_label(width):
    text = shown("table", replace(ODD, sheets=(WIDE,)), width=width)
    rows = [line.split() for line in text.split("\n") if line.startswith("q1")]

    assert [f"{place}.0000" for place in range(20)] == [cell for row in rows for cell in row[1:]]
    assert 1 == text.count("Wide")


def test_labels_are_folded_only_when_they_must_be():
    name = "n" * 50
    sheet = Sheet("", ("run", "AP"), 1, frozenset({0}), ((cells(name, "0.1234"),),))

    assert name in shown("table", replace(ODD, sheets=(sheet,)), width=80)
    assert name not in shown("table", replace(ODD, sheets=(sheet,)), width=40)


@pytest.mark.parametrize("width", range(36, 60))
def test_short_labels_and_the_words_above_them_are_not_broken_where_one_number_has_room_beside_them(width):
    header = ("measure", "semantic", "against", "true drop", "significant", "by value")
    row = cells("nDCG@10", "semantics", "hybrid", "0.005", "1.0%", "2.0%")
    sheet = Sheet("", header, 4, frozenset({0, 1, 2}), ((row,),))
    text = shown("table", replace(ODD, lead=(), notes=(), sheets=(sheet,)), width=width)

    room = sum(len(label) + 2 for label in ("nDCG@10", "semantics", "against", "0.005")) + len("significant") + 2
    whole = all(word in text.split() for word in (*["measure", "semantic", "against"], *row[1].text.split()))
    assert (width >= room) <= whole
    assert max(map(len, text.splitlines())) <= max(width, 20)


def test_long_texts_are_folded_beside_their_numbers():
    sheet = Sheet("", ("rank", "grade", "text"), 1, frozenset({2}), ((cells("1", "2", "word " * 40),),))
    lines = [line for line in shown("table", replace(ODD, sheets=(sheet,)), width=60).split("\n") if "word" in line]

    assert 3 < len(lines) < 6
    assert ["1", "2", "word"] == lines[0].split()[:3]


def test_a_rule_parts_sections_and_empty_ones_have_none():
    lines = shown("table", replace(ODD, lead=(), sheets=(NAMES,), notes=()), width=100).split("\n")

    assert 2 == sum(bool(re.fullmatch("─+", line.replace(" ", ""))) for line in lines)
    assert re.fullmatch("─+", lines[[line[:4] for line in lines].index("best") - 1].replace(" ", ""))


def test_colours_are_for_terminals_that_have_them_and_say_nothing_that_signs_do_not():
    report = replace(ODD, lead=(), sheets=(NAMES,), notes=())
    plain, coloured = (shown("table", report, width=100, colour=colour) for colour in (False, True))

    assert "\x1b" not in plain
    assert plain == re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert "\x1b[1;32m+0.5000\x1b[0m" in coloured
    assert "\x1b[31m−0.1000\x1b[0m" in coloured


def test_markup_of_the_library_that_draws_is_text():
    assert "[red]x[/red] :smile:" in shown("table", replace(ODD, title="[red]x[/red] :smile:"))


def test_a_report_as_a_table():
    sheet = Sheet(
        "AP",
        ("run", "mean", "difference"),
        1,
        frozenset({0}),
        ((cells("bm25", "0.2500", ""),), ((Cell("dense"), Cell("0.3000", True), Cell("+0.0500", tone="good")),)),
        ("* p < 0.05",),
    )
    report = Parts("Compared", ("2 queries.",), (sheet,), ("Every judged query counts.",), (), (), {})

    assert [
        "Compared",
        "",
        "2 queries.",
        "",
        "AP",
        "run      mean  difference",
        "─────────────────────────",
        "bm25   0.2500",
        "─────────────────────────",
        "dense  0.3000     +0.0500",
        "",
        "* p < 0.05",
        "",
        "Every judged query counts.",
        "",
    ] == shown("table", report).split("\n")


def significant(first: str, second: str) -> Parts:
    rows = (Cell("a"), Cell(first, best=True, significant=True)), (Cell("b"), Cell(second))
    return Parts("", (), (Sheet("", ("run", "p"), 1, frozenset({0}), (rows,)),), ("* p ≤ 0.05.",), (), (), {})


def test_digits_stand_below_each_other_where_some_numbers_are_marked():
    assert ["run       p", "───────────", "a    0.012*", "b    0.210", "", "* p ≤ 0.05.", ""] == shown(
        "table", significant("0.012", "0.210")
    ).split("\n")


# Markup


def test_markdown_has_headings_tables_and_sentences():
    report = replace(ODD, sheets=(EMPTY, replace(NAMES, sections=NAMES.sections[2:])))

    assert [
        r"## A \& B \<compared\>",
        "",
        "One sentence that is long enough to be wrapped when the screen is narrow, as it is here.",
        "",
        r"\- Another.",
        "",
        "### Nothing",
        "",
        "| query | value |",
        "| :---- | ----: |",
        "",
        "there is no row",
        "",
        r"### Names \<of\> \*runs\*",
        "",
        "| run  | group |          AP | p_value |",
        "| :--- | :---- | ----------: | ------: |",
        "| best | g     | **+0.5000** | −0.1000 |",
        "",
        r"\* a mark \<is\> explained",
        "",
        r"1\. not a list",
        "",
        "The end_of_it.",
        "",
    ] == shown("markdown", report).split("\n")


def test_latex_has_a_tabular_for_each_sheet_and_small_sentences_below():
    sheet = replace(NAMES, title="100% of it", sections=NAMES.sections[2:], notes=("p ≥ 5 % [one]",))
    report = Parts("Title", ("Lead.",), (sheet, EMPTY), ("End_.",), (), (), {})

    assert [
        "% Title",
        "% Lead.",
        r"% needs \usepackage{booktabs}",
        "% 100% of it",
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"run & group & AP & p\_value \\",
        r"\midrule",
        r"best & g & \textbf{+0.5000} & $-$0.1000 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par{\raggedright\footnotesize p $\geq$ 5 \% {[}one]\par}",
        "",
        "% Nothing",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"query & value \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par{\raggedright\footnotesize there is no row\par}",
        r"\par{\raggedright\footnotesize End\_.\par}",
        "",
    ] == shown("latex", report).split("\n")


def test_latex_has_signs_for_minus_and_hyphens_in_names():
    rows = (cells("bm25-2", "-0.1", "[-0.2, -0.1]", "1e-05"),)
    text = shown("latex", replace(ODD, sheets=(Sheet("", ("run", "d", "i", "p"), 1, frozenset({0}), (rows,)),)))

    assert r"bm25-2 & $-$0.1 & {[}$-$0.2, $-$0.1] & 1e-05 \\" in text


@pytest.mark.parametrize("end", ["\\", "%", "}", "{"])
def test_no_name_breaks_out_of_latex(end):
    text = shown("latex", replace(ODD, lead=(end,), title=end, notes=(end,), sheets=()))
    code = "".join(line for line in text.split("\n") if not line.startswith("%"))

    bare = re.sub(r"\\[{}%]", "", code)
    assert bare.count("{") == bare.count("}")
    assert r"\par}" == code[-5:]


def test_a_page_shows_everything_and_has_no_element_of_names():
    page = Page(shown("html", ODD))
    plain = Page(shown("html", replace(ODD, sheets=(replace(NAMES, sections=NAMES.sections[2:]),))))

    assert set(plain.names) == set(page.names)
    assert [["run", "group", "AP", "p_value"], *([name, "", "0.25", ""] for name in HOSTILE)] == page.tables[0][:-1]
    assert ["Names <of> *runs*", "Nothing", "Wide"] == page.texts["caption"]
    assert [ODD.title] == page.texts["h1"] == page.texts["title"]
    assert [*ODD.lead, *NAMES.notes, *EMPTY.notes, *BARE.notes, *ODD.notes] == page.texts["p"]
    assert [["query", "value"]] == page.tables[1]
    assert [] == re.findall(r"(?:src|href|url|import|script)\b", shown("html", replace(ODD, sheets=())))


def test_a_page_has_classes_for_tones():
    classes = Page(shown("html", ODD)).classes

    assert {"+0.5000": "number good", "−0.1000": "number bad", "0.25": "number", "best": None} == {
        text: classes[text] for text in ("+0.5000", "−0.1000", "0.25", "best")
    }


@pytest.mark.parametrize(
    ("style", "mark", "legend"),
    [
        ("markdown", r"**0.012**\* |", "\n\\* p ≤ 0.05."),
        ("html", "<strong>0.012</strong>*</td>", "* p ≤ 0.05."),
        (
            "latex",
            r"\textbf{0.012}\rlap{\textsuperscript{\textdagger{}}} \\",
            r"\par{\raggedright\footnotesize \textsuperscript{\textdagger{}} p $\leq$ 0.05.\par}",
        ),
    ],
)
def test_what_is_significant_is_marked_and_the_mark_explained(style, mark, legend):
    text = shown(style, significant("0.012", "0.210"))

    assert mark in text
    assert legend in text


# Data


def test_tsv_has_rounded_rows_and_escapes_what_a_field_cannot_hold():
    assert [
        "\t".join(COLUMNS),
        "\t".join(['q\\t1,\\n"x"', "0.3333", "3", "true", "1", "", "1"]),
        "\t".join(["q\udcff", "inf", "", "", "x", "", "0.5000"]),
        "\t".join(["", "nan", "1099511627776", "false", "inf", "", ""]),
        "\t".join(["-", "-inf", "0", "false", "true", "", ""]),
        "",
    ] == shown("tsv", ODD).split("\n")


@pytest.mark.parametrize(("digits", "third"), [(0, "0"), (2, "0.33"), (EXACT, "0.3333333333333333")])
def test_csv_is_read_back_with_the_digits_asked_for(digits, third):
    rows = list(csv.reader(io.StringIO(shown("csv", ODD, digits=digits), newline="")))

    assert [list(COLUMNS), ['q\t1,\n"x"', third, "3", "true", "1", "", "1"]] == rows[:2]
    assert {len(COLUMNS)} == {len(row) for row in rows}


@pytest.mark.parametrize("style", ["tsv", "csv"])
def test_columns_that_are_exact_are_not_rounded(style):
    report = Parts("", (), (), (), ("p", "x"), ((1e-9, 1e-9),), {}, exact=frozenset({"p"}))

    assert ["1e-09", "0.0000"] == re.split("[\t,]", shown(style, report).split("\n")[1])


def test_json_lines_are_objects_with_unrounded_values():
    rows = [json.loads(line) for line in shown("jsonl", ODD).splitlines()]

    assert dict(zip(COLUMNS, ROWS[0], strict=True)) == rows[0]
    assert ["inf", "nan", "-inf"] == [row["value"] for row in rows[1:]]
    assert ["q\udcff", None, "x"] == [rows[1][name] for name in ("query", "count", "mixed")]
    assert shown("jsonl", ODD).isascii()


def test_parquet_has_columns_of_the_types_that_they_hold():
    table = parquet.read_table(io.BytesIO(made("parquet", ODD)))
    expected = ["string", "double", "int64", "bool", "string", "double", "double"]

    assert dict(zip(COLUMNS, expected, strict=True)) == {field.name: str(field.type) for field in table.schema}
    assert ['q\t1,\n"x"', r"q\xff", "", "-"] == table["query"].to_pylist()
    assert [1 / 3, math.inf] == table["value"].to_pylist()[:2]
    assert [3, None, 2**40, 0] == table["count"].to_pylist()
    assert [True, None, False, False] == table["certain"].to_pylist()
    assert ["1", "x", "inf", "true"] == table["mixed"].to_pylist()
    assert [1.0, 0.5, None, None] == table["real"].to_pylist()


def test_parquet_without_rows_has_its_columns_nevertheless():
    table = parquet.read_table(io.BytesIO(made("parquet", NOTHING)))

    assert (["a"], 0) == (table.column_names, table.num_rows)


def test_json_is_the_record():
    text = shown("json", ODD)

    assert dict(ODD.record) == json.loads(text)
    assert text.isascii()
    assert text.endswith("\n}\n")
