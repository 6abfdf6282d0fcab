"""Pages in a real browser: what a reader sees, does and sends on; that nothing is fetched and nothing runs amok."""

import contextlib
import csv
import io
import json
import os
import random
import re
from pathlib import Path

import pytest
from browser import READY, axe, chromium
from conftest import ROOT
from hostile import TEXTS

from irev.base.errors import printable

pytestmark = pytest.mark.thorough  # a browser takes its time

SAMPLE = ROOT / "sample_data"
QRELS, *RUNS = (str(SAMPLE / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run"))
WITH_TEXTS = ("--titles", str(SAMPLE / "topics.tsv"), "--documents", str(SAMPLE / "documents.tsv"))


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def opened(browser):
    """``opened(file, hash, **context)``: a page that was opened; it fetches nothing and complains of nothing."""
    said: list[str] = []
    with contextlib.ExitStack() as closed:

        def opened(file: Path, place: str = "", **choices):
            context = browser.new_context(**choices)
            closed.callback(context.close)
            page = context.new_page()
            page.on("console", lambda message: said.append(f"console: {message.text}"))
            page.on("pageerror", lambda error: said.append(f"error: {error}"))
            page.on("dialog", lambda dialog: (said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
            page.on("request", lambda request: said.append(f"request: {request.url}"))
            page.goto(file.as_uri() + place)
            said[:] = [each for each in said if each.partition("#")[0] != f"request: {file.as_uri()}"]
            if choices.get("java_script_enabled", True):
                page.wait_for_selector(READY, state="attached")
            return page

        yield opened
    assert [] == said


@pytest.fixture
def sample(irev, tmp_path) -> Path:
    """The page about the sample data."""
    status, _, stderr = irev("report", *WITH_TEXTS, "-o", str(tmp_path / "report.html"), QRELS, *RUNS)
    assert 0 == status, stderr
    return tmp_path / "report.html"


def rows(page, selector: str = "#queries-table") -> list[list[str]]:
    """The texts of a table."""
    texts = "table => [...table.rows].map(row => [...row.cells].map(cell => cell.textContent))"
    return page.eval_on_selector(selector, texts)


def until(page, expression: str, wanted: object) -> None:
    """Wait until an expression has a value; Playwright's own way to wait is forbidden by the page's policy."""
    for _ in range(500):
        if (found := page.evaluate(expression)) == wanted:
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"{expression} is {found}, not {wanted}")


NAME = "(document.querySelector('#query-name') || {}).textContent"


def values(irev, *measures: str) -> dict[tuple[str, str, str], str]:
    """What eval prints of each run, measure and query."""
    options = [word for name in measures for word in ("-m", name)]
    status, stdout, _ = irev("eval", "-c", "-q", "-f", "jsonl", "--names", "standard", *options, QRELS, *RUNS)
    assert 0 == status
    return {
        (line["run"], name, line["query"]): f"{value:.4f}"
        for line in map(json.loads, stdout.splitlines())
        for name, value in line["measures"].items()
    }


# What is seen


def test_topics_have_the_values_of_eval_and_are_sorted_and_filtered(opened, sample, irev):
    page, printed = opened(sample), values(irev, "nDCG@10", "AP")
    head, *body = rows(page)
    assert ["query", "title", "best", "median", "semantic", "hybrid", "keyword", "worst", "spread"] == head
    runs = head[4:7]
    assert [[printed[run, "nDCG@10", row[0]] for run in runs] for row in body] == [row[4:7] for row in body]
    page.select_option("#queries select", label="AP")
    body = rows(page)[1:]
    assert [[printed[run, "AP", row[0]] for run in runs] for row in body] == [row[4:7] for row in body]

    page.click("#queries-table thead button >> text=keyword")
    column = [float(row[6]) for row in rows(page)[1:]]
    assert column == sorted(column)
    assert "ascending" == page.get_attribute("#queries-table thead th:nth-child(7)", "aria-sort")
    page.click("#queries-table thead button >> text=keyword")
    assert column[::-1] == [float(row[6]) for row in rows(page)[1:]]
    page.click("#queries-table thead button >> text=query")
    assert [f"q{n}" for n in range(1, 8)] == [row[0] for row in rows(page)[1:]]

    page.fill("#filter", "TOMATO brown")
    assert [["q1", "brown leaves on tomato plants"]] == [row[:2] for row in rows(page)[1:]]
    page.fill("#filter", "nothing of the kind")
    assert [] == rows(page)[1:]
    assert "No query has these words." == page.inner_text("#queries .status")


def test_a_topic_shows_rankings_terms_and_what_moved(opened, sample, irev):
    page = opened(sample, "#q=q3&runs=semantic,hybrid&m=nDCG%4010")
    assert ["q3", "compost heap smells"] == [page.inner_text(f"#one {part}") for part in ("h3", ".title")]
    status, stdout, _ = irev("explain", "--query", "q3", "-f", "json", QRELS, RUNS[2])
    assert 0 == status
    explained = json.loads(stdout)["measures"][0]
    cards = page.eval_on_selector_all(
        "#one .card",
        "cards => cards.map(c => [c.querySelector('h4').textContent, "
        "[...c.querySelectorAll('tbody tr:not(.words)')].map("
        "r => [...r.cells].map(c => (c.querySelector('.id') || c).textContent))])",
    )
    (semantic_name, semantic), (_, hybrid), (_, ideal) = cards[1:]
    assert f"semantic {explained['value']:.4f}" == semantic_name
    listed = [[str(row["rank"]), row["document"]] for row in explained["ranking"]]
    terms = ["" if row["term"] is None else f"{row['term']:.4f}" for row in explained["ranking"]]
    assert listed == [[re.match(r"\d+", row[0])[0], row[1]] for row in semantic]
    assert terms == [row[3] for row in semantic]
    assert ["1↑1", "2↓1", "3=", "4↑1", "5↓1"] == [row[0] for row in hybrid]
    assert ["d10", "d09", "d11"] == [row[1] for row in ideal]
    assert "Sum: 2.7796 ÷ 4.1309 = 0.6729" in page.inner_text("#one")
    assert "d10, grade 3. semantic: 2; hybrid: 1" in page.text_content("#one svg")
    assert len({row[1] for row in [*hybrid, *semantic]}) == page.locator("#one svg g.line").count()


def test_what_left_is_told_with_where_it_went(opened, irev, tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "one").write_text("".join(f"q Q0 {d} 1 {9 - n} one\n" for n, d in enumerate("abcd")))
    (tmp_path / "two").write_text("".join(f"q Q0 {d} 1 {9 - n} two\n" for n, d in enumerate("dcea")))
    files = [str(tmp_path / name) for name in ("qrels", "one", "two")]
    irev("report", "--top", "2", "-o", str(tmp_path / "page.html"), *files)
    page = opened(tmp_path / "page.html", "#q=q")
    said = page.inner_text("#one")
    assert "Left the first 2: a (was 1, now 4), b (was 2, not retrieved)." in said
    moves = [row[0] for row in rows(page, "#one .cards .card:nth-child(2) table")[1:]]
    assert ["1entered", "2entered"] == moves
    titles = page.eval_on_selector_all("#one svg g.line title", "all => all.map(each => each.textContent)")
    assert {
        "a, grade 1. one: 1; two: 4, below the first 2",
        "b, grade 0. one: 2; two: not retrieved",
        "c, grade –. one: 3, below the first 2; two: 2",
        "d, grade –. one: 4, below the first 2; two: 1",
    } == set(titles)


def test_runs_are_sorted_and_filtered(opened, sample):
    page = opened(sample)
    column = "rows => rows.filter(row => !row.hidden).map(row => row.cells[1].textContent.trim())"
    names = lambda: page.eval_on_selector_all("#board tbody tr", column)  # noqa: E731
    assert ["semantic (baseline)", "hybrid", "keyword"] == names()
    page.click("#board thead button >> text=run")
    assert ["hybrid", "keyword", "semantic (baseline)"] == names()
    page.click("#board thead button >> text=queries with ties")
    assert "keyword" == names()[0]
    assert "descending" == page.get_attribute("#board thead th:has-text('queries with ties')", "aria-sort")
    page.fill("#runs-filter", "HYB")
    assert ["hybrid"] == names()
    assert "1 of 3 runs" == page.inner_text("#overview .status")


# What is sent on


def test_an_address_leads_to_a_topic_in_a_new_browser(opened, sample):
    page = opened(sample)
    page.click("#queries-table a >> text=q4")
    page.wait_for_selector("#query-name >> text=q4")
    page.check("#one fieldset >> text=keyword")
    until(page, "location.hash.includes('semantic,hybrid,keyword')", True)
    page.select_option("#one select", label="RR")
    until(page, "location.hash.includes('m=RR')", True)
    place = page.evaluate("location.hash")
    assert "#q=q4&runs=semantic,hybrid,keyword&m=RR" == place

    other = opened(sample, place)
    assert "q4" == other.inner_text("#query-name")
    assert page.inner_text("#one") == other.inner_text("#one")
    assert "There is no query “q9” on this page." == opened(sample, "#q=q9").inner_text("#one")
    for broken in ("#q=%E0%A4%A", "#q", "#runs=,&m=&q=", "#m=__proto__&runs=__proto__&q=__proto__", "#=&&=="):
        opened(sample, broken)


@pytest.mark.parametrize(
    "attempt",
    [
        "s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)",
        "s = document.createElement('img'); s.setAttribute('onerror', 'ran=1'); s.src = 'x:'; document.body.append(s)",
        "s = document.createElement('a'); s.href = 'javascript:window.ran = 1'; document.body.append(s); s.click()",
        "s = document.createElement('script'); s.src = 'data:text/javascript,window.ran = 1'; document.body.append(s)",
    ],
    ids=["element", "handler", "address", "source"],
)
def test_nothing_runs_but_the_script_of_the_page(browser, sample, attempt):
    """The browser complains of each attempt, which `opened` would not have."""
    with contextlib.closing(browser.new_page()) as page:
        page.goto(sample.as_uri())
        page.evaluate(f"() => {{ let s; {attempt} }}")
        page.wait_for_timeout(100)

        assert None is page.evaluate("window.ran")


def test_nothing_is_fetched_even_if_it_is_asked_for(browser, sample):
    with contextlib.closing(browser.new_page()) as page:
        page.goto(sample.as_uri())

        assert "refused" == page.evaluate("fetch('data:,a').then(() => 'fetched', () => 'refused')")


def test_back_leads_to_the_topic_before(opened, sample):
    page = opened(sample, "#q=q3")
    page.keyboard.press("j")
    until(page, NAME, "q2")
    page.go_back()
    until(page, NAME, "q3")

    assert ("q3", "#q=q3") == (page.inner_text("#query-name"), page.evaluate("location.hash"))


def test_tables_are_copied_and_saved(opened, sample, irev):
    page = opened(sample, permissions=["clipboard-read", "clipboard-write"], accept_downloads=True)
    page.fill("#filter", "tomato")
    with page.expect_download() as coming:
        page.click("#queries .tools button >> text=CSV")
    saved = list(csv.reader(io.StringIO(Path(coming.value.path()).read_text(encoding="utf-8"))))
    assert rows(page) == saved
    assert "queries.csv" == coming.value.suggested_filename
    page.fill("#filter", "")
    page.click("#overview .tools button >> text=Copy")
    page.wait_for_selector("#overview .tools button >> text=Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert rows(page, "#overview table") == [line.split("\t") for line in copied.split("\n")]
    assert page.locator(".sheet:not(.folded)").count() == page.locator(".tools").count()
    page.click("#curves summary >> nth=0")
    page.wait_for_selector("#curves .folded .tools")
    with page.expect_download() as coming:
        page.click("#curves .folded .tools button >> text=CSV")
    head, *points = csv.reader(io.StringIO(Path(coming.value.path()).read_text(encoding="utf-8")))
    assert ["run", "0", "0.1", "1"] == [*head[:3], head[-1]]
    status, stdout, _ = irev("eval", "-c", "-m", "iprec_at_recall", QRELS, RUNS[0])
    assert 0 == status
    assert ["hybrid", *(line.split()[2].decode() for line in stdout.splitlines())] in points
    assert rows(page, "#curves .folded table") == [head, *points]


# Keys, eyes, sizes


def test_keys_lead_everywhere(opened, sample):
    page = opened(sample)
    order = [row[0] for row in rows(page)[1:]]
    for name in order[:3]:
        page.keyboard.press("j")
        page.wait_for_selector(f"#query-name >> text={name}")
    page.keyboard.press("k")
    page.wait_for_selector(f"#query-name >> text={order[1]}")
    page.keyboard.press("/")
    page.keyboard.type("jk/")
    assert "jk/" == page.input_value("#filter")
    assert order[1] == page.inner_text("#query-name")
    page.keyboard.press("Escape")
    assert "" == page.input_value("#filter")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Control+j")
    assert order[1] == page.inner_text("#query-name")

    reached = []
    page.evaluate("window.scrollTo(0, 0); document.querySelector('nav a').focus()")
    for _ in range(200):
        here = page.evaluate(
            "(e => [e.tagName, e.textContent.slice(0, 20), getComputedStyle(e).outlineStyle])(document.activeElement)"
        )
        if here[0] == "BODY":
            break
        reached.append(here)
        page.keyboard.press("Tab")
    assert {"A", "BUTTON", "INPUT", "SELECT", "DIV"} <= {name for name, _, _ in reached}
    assert {"none"}.isdisjoint(style for _, _, style in reached)
    everything = page.locator("a, button:not([disabled]), input, select, [tabindex='0'], .words summary").count()
    assert everything == len(reached)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["", "#q=q3"])
def test_axe_finds_nothing_that_keeps_people_out(opened, sample, scheme, place):
    script = axe()
    page = opened(sample, place, color_scheme=scheme)
    page.evaluate(script)
    found = page.evaluate("axe.run()")
    assert [] == [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]]


@pytest.mark.parametrize("kind", ["pairs", "check"])
def test_axe_finds_nothing_in_other_pages_with_everything_open(browser, irev, tmp_path, kind):
    script, place = axe(), str(tmp_path / "page.html")
    conditions = ("--max-drop", "AP=0", "--max-query-losses", "1", "--baseline-run", RUNS[0], "--also", f"page={place}")
    arguments = {
        "pairs": ("report", "--all-pairs", "-o", place, QRELS, *RUNS),
        "check": ("check", *conditions, QRELS, *RUNS[1:]),
    }
    _, _, stderr = irev(*arguments[kind])
    assert Path(place).exists(), stderr
    with contextlib.closing(browser.new_page()) as page:
        page.goto(Path(place).as_uri())
        for summary in page.query_selector_all("summary"):
            summary.click()
        until(page, "document.querySelectorAll('pre:not(.command)').length", 0)
        page.evaluate(script)
        found = page.evaluate("axe.run()")
    assert [] == [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]]


@pytest.mark.parametrize("width", [320, 640, 1280])
def test_the_page_itself_never_scrolls_sideways(opened, sample, width):
    page = opened(sample, "#q=q2", viewport={"width": width, "height": 700})
    assert width == page.evaluate("document.documentElement.scrollWidth")


@pytest.mark.parametrize("width", [640, 1280])
def test_controls_stand_on_one_line_on_a_projector_at_200_percent(opened, sample, width):
    page = opened(sample, "#q=q2", viewport={"width": width, "height": 720})
    middles = page.evaluate(
        """() => [...document.querySelectorAll(".bar")].map((bar) =>
          [...bar.querySelectorAll("input, select, button")].map((each) => {
            const box = each.getBoundingClientRect(), around = bar.getBoundingClientRect();
            return [(box.top + box.bottom) / 2, box.right <= around.right + 1];
          }))"""
    )
    assert 3 == len(middles)
    for bar in middles:
        assert max(middle for middle, _ in bar) - min(middle for middle, _ in bar) < 4
        assert all(inside for _, inside in bar)


def test_without_a_script_everything_but_single_topics_is_there(opened, sample, irev):
    page = opened(sample, java_script_enabled=False)
    text = page.locator("body").inner_text()
    printed = values(irev, "nDCG@10", "AP")
    assert all(value in text for (_, name, query), value in printed.items() if query == "all" or name == "nDCG@10")
    assert all(
        words in text for words in ("Significance", "not shown", "Interpolated precision", "sha256", "irev report")
    )
    assert "Scripts are disabled here." in text
    assert 5 <= page.locator("figure svg").count()
    assert 0 == page.locator("button").count()


def test_what_is_printed_has_whole_tables(opened, irev, tmp_path):
    lines = [f"q{n:03} 0 d 1\n" for n in range(300)]
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "run").write_text("".join(f"q{n:03} Q0 d 1 1 r\n" for n in range(300)))
    irev("report", "-o", str(tmp_path / "page.html"), str(tmp_path / "qrels"), str(tmp_path / "run"))
    page = opened(tmp_path / "page.html")
    assert len(rows(page)) < 301
    count = "document.querySelectorAll('#queries-table tbody tr').length"
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = {count} }})")
    content = page.pdf()
    assert content.startswith(b"%PDF")
    assert 300 == page.evaluate("window.printed")
    assert len(rows(page)) < 301
    page.emulate_media(media="print")
    assert not page.is_visible("#queries .tools")
    assert [] == page.eval_on_selector_all(
        ".frame", "all => all.filter(e => getComputedStyle(e).overflowX !== 'visible')"
    )


@pytest.mark.parametrize(("runs", "options"), [(40, ()), (100, ("--all-pairs",))])
def test_a_page_of_many_runs_is_light_and_reads_without_its_script(opened, irev, tmp_path, runs, options):
    chance = random.Random(runs)
    (tmp_path / "qrels").write_text(
        "".join(f"q{n} 0 d{d} {chance.randint(0, 2)}\n" for n in range(30) for d in range(9))
    )
    for run in range(runs):
        found = [(n, d) for n in range(30) for d in chance.sample(range(20), 10)]
        (tmp_path / f"r{run:02}").write_text("".join(f"q{n} Q0 d{d} 1 {-d} r{run:02}\n" for n, d in found))
    files = [str(tmp_path / name) for name in ("qrels", *(f"r{run:02}" for run in range(runs)))]
    status, _, stderr = irev("report", *options, "-o", str(tmp_path / "page.html"), *files)
    assert 0 == status, stderr
    page = opened(tmp_path / "page.html")
    assert page.locator("*").count() < 3500
    plain = opened(tmp_path / "page.html", java_script_enabled=False)
    assert plain.locator("*").count() < 3500
    for name in ("nDCG@10", "AP", "RR", "R@100"):
        assert plain.locator("#significance", has_text=f"{name}, 30 queries").count()
    plain.click("#significance summary >> nth=-1")
    assert plain.locator("#significance pre >> nth=-1").is_visible()
    assert runs == plain.locator("#significance pre >> nth=-1").text_content().count("\n") - (not options) + (
        not options
    )
    page.click("#significance summary >> nth=-1")
    page.wait_for_selector("#significance .folded .tools")
    assert runs == len(rows(page, "#significance .folded table")) - 1
    page.emulate_media(media="print")
    assert not page.locator("#documents pre").is_visible()  # the first of them have a table


def test_what_is_printed_of_a_filter_says_so_and_has_no_keys(opened, sample):
    page = opened(sample)
    page.fill("#filter", "tomato")
    assert page.inner_text("#queries-note").startswith("nDCG@10 of 1 of 7 queries, the worst first")
    page.emulate_media(media="print")
    assert "Keys" not in page.inner_text("#queries-note")


def test_parts_are_gone_to_without_losing_the_topic_in_the_address(opened, sample):
    page = opened(sample, "#q=q3")
    for part in ("queries", "made"):
        page.click(f"nav a[href='#{part}']")
        assert "#q=q3" == page.evaluate("location.hash")
        assert f"{part}-h" == page.evaluate("document.activeElement.id")
    other = opened(sample)
    other.click("nav a[href='#queries']")
    assert "#queries" == other.evaluate("location.hash")


def test_an_address_leads_to_the_row_of_its_topic(opened, irev, tmp_path):
    (tmp_path / "qrels").write_text("".join(f"q{n:03} 0 d 1\n" for n in range(300)))
    (tmp_path / "run").write_text("".join(f"q{n:03} Q0 d 1 1 r\n" for n in range(300)))
    irev("report", "-o", str(tmp_path / "page.html"), str(tmp_path / "qrels"), str(tmp_path / "run"))
    page = opened(tmp_path / "page.html", "#q=q250")
    assert "q250" == page.inner_text("#queries-table tr.chosen th")


def test_long_names_in_captions_do_not_widen_the_page(opened, irev, tmp_path):
    (tmp_path / "qrels").write_text("q 0 d 1\nr 0 d 1\n")
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"q Q0 {name}d 1 1 {name * 150}\nr Q0 d 1 1 {name * 150}\n")
    files = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    irev("report", "-o", str(tmp_path / "page.html"), *files)
    page = opened(tmp_path / "page.html", viewport={"width": 640, "height": 700})
    assert 640 == page.evaluate("document.documentElement.scrollWidth")


def test_what_a_cut_hides_is_not_said_to_be_missing(opened, irev, tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b -2\nr 0 a 0\n")
    (tmp_path / "one").write_text("".join(f"{q} Q0 {d} 1 {9 - n} one\n" for q in "qr" for n, d in enumerate("abcd")))
    (tmp_path / "two").write_text("".join(f"{q} Q0 {d} 1 {9 - n} two\n" for q in "qr" for n, d in enumerate("dcab")))
    files = [str(tmp_path / name) for name in ("qrels", "one", "two")]
    irev("report", "-M", "2", "-m", "AP", "-o", str(tmp_path / "page.html"), *files)
    page = opened(tmp_path / "page.html", "#q=q")
    assert "Left the first 10: a (was 1, not in the first 2)" in page.inner_text("#one")
    assert "not retrieved" not in page.inner_text("body")
    assert "documents retrieved" not in page.inner_text("#one")
    assert "negative, as no judgment" == page.get_attribute("#one .card .grade >> text=-2", "title")
    irev("report", "-M", "3", "--top", "2", "-m", "AP", "-o", str(tmp_path / "other.html"), *files)
    assert "3 documents above the cut, 2 shown." in opened(tmp_path / "other.html", "#q=q").inner_text("#one")
    page = opened(tmp_path / "page.html", "#q=r")
    assert "Sum: 0.0000; there is nothing to divide it by, and the value is 0.0000" in page.inner_text("#one")


# NoOverlap

NASTY = {
    **TEXTS,
    "end of the script": b"</script><script>alert(1)</script>",
    "image": b"<img/src=x/onerror=alert(1)>",
    "comment": b"<!--<script>",
    "prototype": b"__proto__",
    "constructor": b"constructor",
    "entity": b"&lt;b&gt;&#60;",
    "handler": b'"onmouseover="alert(1)',
    "template": b"${alert(1)}`",
}
WORDS = {name: text for name, text in NASTY.items() if not re.search(rb"\s|\xc2\x85|^#", text)}
"""Ids of queries, documents and runs, in files of lines."""


def test_names_of_strangers_are_shown_and_not_obeyed(opened, irev, tmp_path):
    ids = list(WORDS.values())
    others = [b"a\x00b", b"\xed\xa0\x80x", "c\N{LINE SEPARATOR}d\N{RIGHT-TO-LEFT OVERRIDE}e".encode()]
    (tmp_path / "qrels").write_bytes(b"".join(b"%b 0 %b 1\n" % (query, d) for query in ids for d in ids[:3]))
    for name, tag in (("a", ids[-1]), ("b", b"</script><img/src=x>")):
        found = ids if name == "a" else ids[::-1]
        rows_of = [b"%b Q0 %b 1 %d %b\n" % (query, d, -n, tag) for query in ids for n, d in enumerate(found)]
        (tmp_path / name).write_bytes(b"".join(rows_of))
    texts = [b"%b\t%b %b\n" % (name, b" ".join(others), name) for name in ids]
    (tmp_path / "texts").write_bytes(b"".join(texts))
    files = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    given = ("--titles", str(tmp_path / "texts"), "--documents", str(tmp_path / "texts"))
    status, _, stderr = irev("report", "--top", "99", *given, "-o", str(tmp_path / "page.html"), *files)
    assert 0 == status, stderr

    page = opened(tmp_path / "page.html")
    known = page.evaluate("[...new Set([...document.querySelectorAll('*')].map(e => e.localName))]")
    assert set() == set(known) & {"img", "iframe", "object", "embed", "link", "base", "form", "marquee"}
    assert 2 == page.locator("script").count()
    shown = [printable(name) for name in ids]
    queries = page.evaluate("JSON.parse(document.getElementById('data').textContent).queries")
    assert sorted(queries) == sorted(row[0] for row in rows(page)[1:])
    assert sorted(shown) == sorted(name.removesuffix(" #2") for name in queries)
    assert len(set(queries)) == len(ids)
    for name in queries:
        page.evaluate("name => { location.hash = '#q=' + encodeURIComponent(name) }", name)
        until(page, NAME, name)
        listed = page.eval_on_selector_all("#one .card .doc .id", "all => all.map(each => each.textContent)")
        assert set(shown) == set(listed)
    assert r"a\x00b \xed\xa0\x80x c d\u202ee" in page.inner_text("#one .title")
    assert 0 == page.locator("#one img, #one script").count()
    assert printable(ids[-1]) in page.inner_text("h2 + .sheet table")


def test_odd_inputs_are_shown_without_what_is_no_number(opened, irev, tmp_path):
    (tmp_path / "qrels").write_text("q 0 d 0\n")
    (tmp_path / "a").write_text("q Q0 d 1 1 a\n")
    (tmp_path / "b").write_text("x Q0 d 1 1 b\nq Q0 e 1 1 b\n")
    (tmp_path / "c").write_text("x Q0 d 1 1 c\n")
    for runs in (["a"], ["a", "b"]):
        irev("report", "-o", str(tmp_path / "page.html"), str(tmp_path / "qrels"), *(str(tmp_path / r) for r in runs))
        page = opened(tmp_path / "page.html", "#q=q")
        content = page.content().partition("<script>")[0]
        assert not re.search(r"\b(NaN|undefined|Infinity|null)\b", re.sub(r"<script.*?</script>", "", content))
        assert not re.search(r"\b(NaN|undefined|Infinity|null)\b", page.inner_text("body"))


# Sizes


def test_a_thousand_topics_of_twenty_runs_make_a_page_that_is_light(opened, irev, tmp_path):
    chance = random.Random(1)
    texts: dict[str, list[str]] = {"qrels": [], **{f"run{n}": [] for n in range(20)}}
    for topic in range(1000):
        pool = chance.sample(range(8_000_000), 60)
        texts["qrels"] += [f"{topic} 0 {d} {chance.randint(0, 3)}\n" for d in pool[:30:2]]
        for n in range(20):
            order = sorted(range(60), key=lambda i: i + chance.gauss(0, 8))[:10]
            texts[f"run{n}"] += [f"{topic} Q0 {pool[i]} 1 {-rank} run{n}\n" for rank, i in enumerate(order)]
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(lines))
    files = [str(tmp_path / "qrels"), *(str(tmp_path / f"run{n}") for n in range(20))]
    status, _, stderr = irev("report", "-o", str(tmp_path / "page.html"), *files)
    assert 0 == status, stderr
    assert os.path.getsize(tmp_path / "page.html") < 2_000_000
    page = opened(tmp_path / "page.html")
    assert page.locator("*").count() < 3500
    assert "1 to 24 of 1,000 queries" == page.inner_text("#queries .status")
    page.click("#queries .pager button >> text=Later")
    assert "25 to 48 of 1,000 queries" == page.inner_text("#queries .status")
    page.fill("#filter", "99")
    assert "1 to 19 of 19 queries" == page.inner_text("#queries .status")
    page.click("#queries-table a >> nth=3")
    page.wait_for_selector("#query-name")
    assert 10 == page.locator("#one .card:nth-of-type(1) .doc").count()
