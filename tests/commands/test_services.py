"""A verdict as JUnit, annotations, Markdown, a report; hostile names."""

import json
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from irev.base.text import named
from irev.commands.check import finding as services
from irev.commands.check.finding import CheckReport, Verdict, junit
from irev.commands.check.verdict import Change, Finding, MeasuredValue, Moved
from irev.output import styles
from irev.output.report import Look

ODD = [
    "a--b-->c",
    "]]>",
    "a|b\\|c",
    "`code` ``",
    "@user @organisation/team x@host.example",
    "<script>alert(1)</script><!--",
    "</details></summary>",
    "::error::x",
    "a\n::error::b\r\nc",
    "\x1b[31m\x00\x07\x7f",
    "%0A%25",
    "[x](http://example.com) ![y](z)",
    "#12 # heading",
    "12. one",
    "**b** _i_ ~s~ $m$",
    "www.example.com https://example.com",
    ":tada: GH-12",
    "\"double\" 'single' \\",
    "\u2028\ufffe\U0001f600é",
    "byte \udcff",
    "# SKIP # TODO",
    "--- ...: - x",
    "1..0",
    "a,b=c:d",
    "${{ github.token }} $(id) `id`",
]

STATES = {
    "FAIL": ("fail", False),
    "cannot tell": ("undecided", False),
    "open": ("undecided", True),
    "pass": ("pass", True),
}


def finding(state: str = "FAIL", **changes) -> Finding:
    """A finding in one of `STATES`."""
    name, holds = STATES[state]
    given = {
        "condition": f"--max-drop nDCG@10=0.0{len(state)}",
        "run": "new",
        "group": "",
        "measure": "nDCG@10",
        "state": name,
        "holds": holds,
        "required": "a drop of at most 0.01",
        "measured": 0.41,
        "reason": "nDCG@10 dropped by 0.0312.",
        "baseline": 0.4412,
        "difference": -0.0312,
        "low": -0.05,
        "high": -0.0101,
        "p": 0.0123,
    }
    return Finding(**(given | changes))


def verdict(*findings: Finding, **changes) -> Verdict:
    """A verdict about one run, with a table of one measure."""
    given = {
        "findings": findings,
        "values": (MeasuredValue("new", "", "nDCG@10", 7, 0.41, 0.4412, "higher"),),
        "moved": (Moved("new", "nDCG@10", (Change(b"q1", 1.0, 0.25),)),),
        "policy": "all that are judged",
        "baseline": "baseline.json",
        "qrels": "qrels.txt",
        "files": (("new", "runs/new.run"),),
        "shown_as": CheckReport,
    }
    return Verdict(**(given | changes))


EVERY_STATE = verdict(*map(finding, STATES))
NONE = verdict(values=(), moved=(), policy="", baseline="", notes=())


def odd(text: str) -> Verdict:
    """A verdict in which this text stands wherever a stranger could have put it."""
    queries = (Change(text.encode("utf-8", "surrogateescape"), 1.0, 0.0),)
    about = {"condition": text, "run": text, "group": text, "measure": text, "required": text, "reason": text}
    return verdict(
        *(finding(state, queries=queries, **about) for state in STATES),
        values=(MeasuredValue(text, text, text, 7, 0.41, 0.4412, "higher"),),
        moved=(Moved(text, text, queries),),
        policy=text,
        baseline=text,
        qrels=text,
        files=((text, text), ("other", "other.run")),
        notes=(text,),
    )


def many(count: int, state: str = "FAIL", length: int = 20) -> Verdict:
    """A verdict with so many findings, measures and changed queries, all with long names."""
    names = [f"{number} {'@|é' * (length // 3)}" for number in range(count)]
    changes = tuple(Change(name.encode(), 1.0, 0.0) for name in names)
    return verdict(
        *(finding(state, condition=name, reason=name, queries=changes[:20]) for name in names),
        values=tuple(MeasuredValue("new", "", name, 7, 0.41, 0.4412, "higher") for name in names),
        moved=tuple(Moved("new", name, changes[:10]) for name in names[:50]),
        notes=tuple(names),
    )


VERDICTS = [EVERY_STATE, NONE, many(500), many(50, "open"), *map(odd, ODD)]
each = pytest.mark.parametrize("made", VERDICTS, ids=["every state", "nothing", "500", "50 open", *map(ascii, ODD)])


# JUnit


NEEDED = {
    "testsuites": set(),
    "testsuite": {"name", "tests", "failures", "errors"},
    "testcase": {"name"},
    "failure": set(),
    "skipped": set(),
    "system-out": set(),
}
"""The attributes that junit-10.xsd requires of the elements that are used."""

ALLOWED = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": NEEDED["testsuite"]
    | {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
}
INSIDE = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "skipped", "system-out"},
    "failure": set(),
    "skipped": set(),
    "system-out": set(),
}
"""Children that it allows; it allows more, which are not used."""


@each
def test_junit_keeps_to_the_schema_of_the_xunit_plugin(made):
    root = ElementTree.fromstring(junit(made))
    assert "testsuites" == root.tag
    for element in root.iter():
        assert NEEDED[element.tag] <= set(element.attrib) <= ALLOWED[element.tag]
        assert {child.tag for child in element} <= INSIDE[element.tag]
        if element.tag in ("testsuites", "testsuite", "testcase"):  # these hold no text of their own
            assert "" == "".join([element.text or "", *(child.tail or "" for child in element)]).strip()


@each
def test_junit_counts_what_it_holds(made):
    root = ElementTree.fromstring(junit(made))
    assert len(made.findings) == int(root.get("tests")) == len(root.findall("*/testcase"))
    assert made.failed == int(root.get("failures")) == len(root.findall("*/*/failure"))
    for suite in root:
        assert int(suite.get("tests")) == len(suite) > 0
        assert int(suite.get("failures")) == len(suite.findall("*/failure"))
        assert int(suite.get("skipped")) == len(suite.findall("*/skipped"))


def test_junit_tells_each_state_apart():
    cases = ElementTree.fromstring(junit(EVERY_STATE)).findall("*/testcase")
    found = [(case[0].tag, case[0].get("type"), case[0].get("message")) for case in cases]
    assert [
        ("failure", "FAIL", "nDCG@10 dropped by 0.0312."),
        ("failure", "cannot tell", "nDCG@10 dropped by 0.0312."),
        ("skipped", None, "cannot tell: nDCG@10 dropped by 0.0312."),
        ("system-out", None, None),
    ] == found


def test_junit_has_a_suite_for_each_run_with_its_file_and_the_numbers_of_each_case():
    made = verdict(
        finding(run="b", queries=(Change(b"q1", 1.0, 0.5), Change(b"q2", None, 0.0))),
        finding("pass", run="a"),
        files=(("a", "a.run"), ("idle", "idle.run"), ("b", "b.run")),
    )
    root = ElementTree.fromstring(junit(made))
    assert [("a", "a.run"), ("b", "b.run")] == [(suite.get("name"), suite.get("file")) for suite in root]
    assert [
        "nDCG@10 dropped by 0.0312.",
        "required: a drop of at most 0.01",
        "measured: 0.4100",
        "baseline: 0.4412",
        "difference: -0.0312",
        "interval: [-0.0500, -0.0101]",
        "p: 0.0123",
        "query q1 1.0000 → 0.5000",
        "query q2 0.0000",
    ] == root[1][0][0].text.splitlines()


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_junit_gives_names_back(text):
    case = ElementTree.fromstring(junit(odd(text))).find("*/testcase")
    assert (named(text), named(text)) == (case.get("name"), case.get("classname"))


def test_ten_thousand_queries_are_listed_in_part():
    queries = tuple(Change(b"q%d" % number, 1.0, 0.0) for number in range(10_000))
    made = verdict(finding(queries=queries))
    lines = ElementTree.fromstring(junit(made)).find("*/*/failure").text.splitlines()
    assert ["query q99 1.0000 → 0.0000", "query and 9900 more"] == lines[-2:]
    assert 10_000 == len(CheckReport(made).record["findings"][0]["queries"])


@pytest.mark.parametrize(("p", "shown"), [(0.0123, "0.0123"), (0.00001, "<0.0001"), (0.0, "<0.0001"), (1.0, "1.0000")])
def test_no_p_value_is_shown_as_zero(p, shown):
    text = ElementTree.fromstring(junit(verdict(finding(p=p)))).find("*/*/failure").text
    assert f"p: {shown}" == text.splitlines()[-1]


# GitHub: annotations


def parsed(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Workflow commands as GitHub's runner reads them: kind, properties, message."""
    found = []
    for line in text.splitlines():
        kind, _, rest = line.removeprefix("::").partition(" ")
        properties, _, message = rest.partition("::")
        named = dict(each.split("=", 1) for each in properties.split(","))
        found.append((kind, {name: unescaped(value) for name, value in named.items()}, unescaped(message)))
    return found


def unescaped(text: str) -> str:
    for code, sign in {"%0A": "\n", "%0D": "\r", "%3A": ":", "%2C": ",", "%25": "%"}.items():
        text = text.replace(code, sign)
    return text


def test_what_does_not_hold_is_an_error_and_what_cannot_be_told_a_warning():
    assert [
        ("error", "irev check: FAIL --max-drop nDCG@10=0.04", "nDCG@10 dropped by 0.0312."),
        ("error", "irev check: cannot tell --max-drop nDCG@10=0.011", "nDCG@10 dropped by 0.0312."),
        ("warning", "irev check: cannot tell --max-drop nDCG@10=0.04", "nDCG@10 dropped by 0.0312."),
        ("notice", "irev check", "2 of 4 conditions do not hold."),
    ] == [(kind, about["title"], message) for kind, about, message in parsed(services.github_annotations(EVERY_STATE))]


def test_an_annotation_stands_at_the_file_of_the_run_unless_that_is_standard_input():
    assert "runs/new.run" == parsed(services.github_annotations(verdict(finding())))[0][1]["file"]
    for name in ("-", "<stdin>"):
        assert {"title"} == set(parsed(services.github_annotations(verdict(finding(), files=(("new", name),))))[0][1])


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_names_neither_end_nor_forge_workflow_commands(text):
    lines = services.github_annotations(odd(text)).splitlines()
    assert ["error", "error", "warning", "notice"] == [re.match(r"::(\w+) ", line)[1] for line in lines]
    _, about, message = parsed(lines[0])[0]
    name = named(text)
    assert (name, f"irev check: FAIL {name}") == (about["file"], about["title"])
    assert name == message


@pytest.mark.parametrize(("state", "kind"), [("FAIL", "error"), ("open", "warning")])
def test_the_tenth_annotation_of_many_says_how_many_are_left_out(state, kind):
    def kinds(count: int) -> list[str]:
        return [found[0] for found in parsed(services.github_annotations(many(count, state)))]

    assert [*[kind] * 10, "notice"] == kinds(10) == kinds(11) == kinds(500)
    last = parsed(services.github_annotations(many(500, state)))[9][2]
    assert last.startswith("491 more conditions ")


def test_annotations_are_short():
    for kind, about, message in parsed(services.github_annotations(many(20, length=100_000))):
        assert (len(about["title"]) <= 255, len(message) <= 2000) == (True, True), kind


# GitHub: Markdown


MARKDOWN = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])


def rendered(text: str):
    """The tokens of Markdown in order, those inside of lines too."""
    for token in MARKDOWN.parse(text):
        yield token
        yield from token.children or ()


def cells(text: str) -> list[list[str]]:
    """The text of each row of each table, without characters that take no room."""
    rows: list[list[str]] = []
    tokens = MARKDOWN.parse(text)
    for before, token in pairwise(tokens):
        if before.type == "tr_open":
            rows.append([])
        if before.type in ("th_open", "td_open"):
            rows[-1].append("".join(child.content for child in token.children).replace("\u200b", ""))
    return rows


def comment(made: Verdict) -> str:
    return services.markdown(CheckReport(made), services.COMMENT, services.MARKER).decode()


PLAIN = {"inline", "text", "text_special"} | {
    f"{name}_{side}"
    for name in ("heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td")
    for side in ("open", "close")
}


@pytest.mark.thorough
@each
def test_no_markup_of_strangers_comes_through(made):
    first, *others = rendered(comment(made))
    assert ("html_block", "<!-- irev check -->\n") == (first.type, first.content)
    assert {token.type for token in others} <= PLAIN


@pytest.mark.thorough
@each
def test_nobody_is_mentioned_and_nothing_referred_to(made):
    for token in MARKDOWN.parse(comment(made)):
        line = "".join(child.content for child in token.children or ())
        assert [] == re.findall(r"(?:^|[^A-Za-z0-9])@[A-Za-z0-9]", line)
        assert [] == re.findall(r"#\d|\bGH-\d|:[\w+-]+:|\w@\w+\.\w", line, re.ASCII)


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_names_are_shown_as_they_are(text):
    name = named(text).strip()  # blanks at the ends of a cell are not shown
    assert [
        "FAIL",
        f"{name}/{name}",
        name,
        name,
        "0.4100",
        "0.4412",
        "-0.0312",
        "[-0.0500, -0.0101]",
        "0.0123",
    ] == cells(comment(odd(text)))[1]


def test_a_comment_is_a_marker_and_the_markdown_of_the_report():
    markdown = styles.written("markdown", CheckReport(EVERY_STATE), Look("standard"))
    assert "<!-- irev check -->\n" + markdown.decode() == comment(EVERY_STATE)
    assert markdown == services.markdown(CheckReport(EVERY_STATE), services.SUMMARY)


@pytest.mark.thorough
@pytest.mark.parametrize(("count", "length"), [(500, 30), (4000, 30), (50, 100_000), (60, 3000)])
def test_pages_keep_below_the_limits_of_github(count, length):
    made = CheckReport(many(count, length=length))
    for limit in (services.COMMENT, services.SUMMARY):
        page = services.markdown(made, limit, services.MARKER)
        assert len(page) <= limit
        assert b"does not hold" in page or b"do not hold" in page
        whole = len((services.MARKER.encode() + styles.written("markdown", made, Look("standard"))).splitlines())
        *kept, last = page.decode().splitlines()
        if len(kept) + 1 < whole:
            out = f"{whole - len(kept) + 1:,} of {whole:,} lines"
            assert f"Left out, because GitHub accepts at most {limit:,} bytes here: {out}." == last


# The report


@pytest.mark.thorough
@each
def test_every_style_can_show_a_verdict(made):
    for style in styles.styles():
        if made.findings or style not in ("parquet", "jsonl"):  # these hold rows and nothing else
            assert styles.written(style, CheckReport(made), Look())


def test_the_report_gives_reasons_first_then_conditions_measures_and_queries():
    made = CheckReport(EVERY_STATE)
    assert (
        "2 of 4 conditions do not hold.",
        "FAIL: nDCG@10 dropped by 0.0312.",
        "cannot tell: nDCG@10 dropped by 0.0312.",
        "cannot tell: nDCG@10 dropped by 0.0312.",
    ) == tuple(made.lead)
    sheets = [*made.sheets, *made.further]
    assert ["Conditions", "Measures", "Queries that changed most in nDCG@10"] == [sheet.title for sheet in sheets]
    conditions, measures, queries = (
        [[cell.text for cell in row] for section in sheet.sections for row in section] for sheet in sheets
    )
    assert ["FAIL", "cannot tell", "cannot tell", "pass"] == [row[0] for row in conditions]
    assert [["nDCG@10", "7", "0.4100", "0.4412", "-0.0312", "worse"]] == measures
    assert [["q1", "1.0000", "0.2500", "-0.7500"]] == queries
    assert ("Queries: all that are judged.", "Baseline: baseline.json.") == tuple(made.notes)


def test_columns_that_are_empty_are_left_out():
    bare = {"baseline": None, "difference": None, "low": None, "high": None, "p": None}
    made = verdict(
        finding("pass", **bare), values=(MeasuredValue("new", "", "AP", 7, 0.5, None, "higher"),), moved=(), baseline=""
    )
    sheets = [*CheckReport(made).sheets, *CheckReport(made).further]
    assert [("state", "measure", "required", "measured"), ("measure", "queries", "value")] == [
        sheet.header for sheet in sheets
    ]
    assert [(2, {0, 1, 2}), (1, {0})] == [(sheet.labels, set(sheet.texts)) for sheet in sheets]


@each
def test_tables_are_safe_to_show_and_rectangular(made):
    for sheet in (*CheckReport(made).sheets, *CheckReport(made).further):
        for section in sheet.sections:
            for row in section:
                assert len(sheet.header) == len(row)
                assert all(cell.text.isprintable() for cell in row)
    assert all(text.isprintable() for text in [*CheckReport(made).lead, *CheckReport(made).notes])


@each
def test_rows_have_a_value_for_each_column_and_the_record_is_json(made):
    shown = CheckReport(made)
    assert {len(shown.columns)} >= {len(row) for row in shown.rows}
    assert len(made.findings) == len(list(shown.rows)) == len(shown.record["findings"])
    assert shown.record == json.loads(json.dumps(shown.record, allow_nan=False))


def test_the_record_has_everything():
    queries = (Change(b"q\xff", None, float("inf")),)
    made = verdict(finding(queries=queries, p=float("nan")), notes=("so",))
    found = CheckReport(made).record
    assert ("irev check", 1, False, 1) == (found["format"], found["version"], found["holds"], found["failed"])
    assert [{"name": "new", "file": "runs/new.run"}] == found["runs"]
    assert {
        "rests_on_unjudged": False,
        "condition": "--max-drop nDCG@10=0.04",
        "run": "new",
        "group": "",
        "measure": "nDCG@10",
        "state": "fail",
        "holds": False,
        "required": "a drop of at most 0.01",
        "measured": 0.41,
        "baseline": 0.4412,
        "difference": -0.0312,
        "interval": {"low": -0.05, "high": -0.0101},
        "p": "nan",
        "losing": None,
        "reason": "nDCG@10 dropped by 0.0312.",
        "queries": [{"query": "q\udcff", "before": None, "after": "inf"}],
    } == found["findings"][0]
    assert [
        {
            "run": "new",
            "group": "",
            "measure": "nDCG@10",
            "queries": 7,
            "value": 0.41,
            "baseline": 0.4412,
            "difference": 0.41 - 0.4412,
            "better": "higher",
        }
    ] == found["values"]
    assert [{"run": "new", "measure": "nDCG@10", "queries": [{"query": "q1", "before": 1.0, "after": 0.25}]}] == found[
        "moved"
    ]
    assert ["so"] == found["notes"]


def test_a_column_names_the_run_where_there_are_several():
    made = verdict(finding(), files=(("new", "new.run"), ("other", "other.run")))
    assert ["measure", "run"] == list(next(iter(CheckReport(made).sheets)).header[1:3])
    assert "Queries of new that changed most in nDCG@10" == list(CheckReport(made).further)[-1].title


# All of them


@given(st.text(min_size=1, max_size=20).filter(str.strip))
def test_any_text_is_read_back(text):
    text = text.encode("utf-8", "replace").decode()
    made = odd(text)
    case = ElementTree.fromstring(junit(made)).find("*/testcase")
    assert named(text) == case.get("name")
    assert named(text) == parsed(services.github_annotations(made))[0][1].get("file", named(text))
    assert named(text).strip() == cells(comment(made))[1][2]
