"""Pages of reports as bytes: one file, safe whatever is in it, the same each time, with the numbers of `irev eval`."""

import base64
import hashlib
import json
import math
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from hostile import IDS
from outcomes import refused

from irev.evaluation.comparison import Aligned, Measured, Quantity
from irev.evaluation.comparison.contrasts import compare
from irev.evaluation.curves import BARS, LINES, MANY, Axis, Curve, CurvePicture, Point
from irev.output import pages as html
from irev.output.figures import svg
from irev.output.pages import tag
from irev.output.pages.queries import distinct
from irev.statistics.plan import Plan

QRELS, *RUNS = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run"))
TITLES, DOCUMENTS = (str(ROOT / "sample_data" / name) for name in ("topics.tsv", "documents.tsv"))


def page(irev, *arguments) -> str:
    """The page that a command writes."""
    status, stdout, stderr = irev("report", *arguments)
    assert 0 == status, stderr
    return stdout.decode()


class Elements(HTMLParser):
    """The elements of a page, their attributes, and what stands in those that have no elements in them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"style": [], "script": []}
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, name, attributes):
        self.found.append((name, dict(attributes)))
        if name in self.raw:
            self.raw[name].append("")

    def handle_data(self, data):
        last = self.found[-1][0] if self.found else ""
        if last in self.raw and self.lasttag == last and self.cdata_elem:
            self.raw[last][-1] += data
        else:
            self.words.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


def data_of(text: str) -> dict:
    """What a page has for its script, unpacked."""
    (found,) = re.findall('<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    data = json.loads(found)

    def unpacked(part):
        return json.loads(zlib.decompress(base64.b64decode(part))) if isinstance(part, str) else part

    return data | {"values": unpacked(data["values"]), "pieces": [unpacked(piece) for piece in data["pieces"]]}


@pytest.fixture
def sample(irev) -> str:
    return page(irev, "--titles", TITLES, "--documents", DOCUMENTS, QRELS, *RUNS)


# One file


def test_nothing_is_fetched_and_nothing_but_its_own_script_and_style_may_run(sample):
    elements = Elements(sample)
    policy = next(a["content"] for name, a in elements.found if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.split(None, 1) for rule in policy.split("; "))
    style, (_, script) = elements.raw["style"], elements.raw["script"]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (*style, script)]

    assert {"default-src", "script-src", "style-src", "base-uri", "form-action"} == rules.keys()
    assert ["'none'"] * 3 == [rules[name] for name in ("default-src", "base-uri", "form-action")]
    assert [f"'sha256-{each}'" for each in hashes] == [rules["style-src"], rules["script-src"]]
    attributes = {(name, key) for name, given in elements.found for key in given}
    assert set() == {
        key for _, key in attributes if key.startswith("on") or key in ("style", "src", "srcdoc", "action")
    }
    assert all(a["href"].startswith("#") for _, a in elements.found if "href" in a)


def test_the_script_is_small_and_makes_elements_of_text_alone():
    script = html.resource("report.js")
    assert len(script.encode()) <= 36_000
    forbidden = "innerHTML outerHTML insertAdjacent document.write eval( Function( fetch( XMLHttp import( Worker .style"
    assert [] == [word for word in forbidden.split() if word in script]
    assert [] == [word for word in ("url(", "@import", "@font-face") if word in html.resource("report.css")]


def test_the_same_findings_give_the_same_bytes(irev, sample):
    assert sample == page(irev, "--titles", TITLES, "--documents", DOCUMENTS, QRELS, *RUNS)
    alone = page(irev, "-j", "1", QRELS, *RUNS)
    assert alone.replace(" -j 1", "") == page(irev, "-j", "2", QRELS, *RUNS).replace(" -j 2", "")


def test_the_command_that_made_it_stands_there(sample):
    words = f"irev report --titles {TITLES} --documents {DOCUMENTS} {QRELS} {' '.join(RUNS)}"
    assert words in "".join(Elements(sample).words)


# Numbers


def test_values_are_those_that_eval_prints(irev, sample):
    data = data_of(sample)
    measures = [each["name"] for each in data["measures"]]
    options = [word for name in measures for word in ("-m", name)]
    status, stdout, _ = irev("eval", "-c", "-q", "-f", "jsonl", "--names", "standard", *options, QRELS, *RUNS)
    assert 0 == status
    for line in map(json.loads, stdout.splitlines()):
        run = data["runs"].index(line["run"])
        for name, value in line["measures"].items():
            if line["query"] == "all":
                assert f"{value:.4f}" in sample
                continue
            column = data["values"][measures.index(name)][data["lead"] + run]
            shown = column.split(" ")[data["queries"].index(line["query"])]
            assert f"{value:.4f}" == shown


def test_best_median_worst_and_spread_are_those_of_eval(irev, sample):
    data = data_of(sample)
    status, stdout, _ = irev("eval", "-c", "-q", "-f", "table", "--sort", "median", "-m", "nDCG@10", QRELS, *RUNS)
    assert 0 == status
    rows = [line.split()[:5] for line in stdout.decode().splitlines() if line.startswith("q")]
    columns = [each.split(" ") for each in (*data["values"][0][:2], *data["values"][0][5:])]
    shown = [[data["queries"][at], *(column[at] for column in columns)] for at in data["order"]]
    assert ["query", "best", "median", "worst", "spread"] == rows[0]
    assert sorted(rows[1:]) == sorted(shown)
    assert "q7" == shown.pop()[0]
    assert [row[2] for row in rows[1:] if row[0] != "q7"] == [row[2] for row in shown]


def test_a_curve_is_read_back_from_its_picture(irev, sample):
    """Where the marks of the axes stand says which value a coordinate is."""
    (picture, *_) = re.findall(r"<svg .*?</svg>", sample, re.DOTALL)
    scales = {}
    for axis, at in (("x", 1), ("y", 2)):
        marks = re.findall(rf'<text class="axis {axis}" x="([\d.]+)" y="([\d.]+)"[^>]*>([\d.-]+)</text>', picture)
        (one, *_, other) = [(float(mark[at - 1]) - (4 if axis == "y" else 0), float(mark[2])) for mark in marks]
        scales[axis] = one, other

    def value(axis: str, place: float) -> float:
        (p, a), (q, b) = scales[axis]
        return a + (place - p) / (q - p) * (b - a)

    for path, name in re.findall(r'<path class="curve[^"]*" d="M([^"]*)"[^>]*><title>(\w+)</title>', picture):
        run = next(each for each in RUNS if f"/{name}.run" in each)
        options = [word for tenth in range(11) for word in ("-m", f"IPrec@{tenth / 10}")]
        status, stdout, _ = irev("eval", "-c", *options, "--digits", "exact", QRELS, run)
        assert 0 == status
        printed = [float(line.split()[2]) for line in stdout.splitlines()]
        points = [tuple(map(float, point.split())) for point in path.split("L")]
        assert [tenth / 10 for tenth in range(11)] == pytest.approx([value("x", x) for x, _ in points], abs=2e-4)
        assert printed == pytest.approx([value("y", y) for _, y in points], abs=3e-4)


# Names of strangers


def test_markup_is_escaped_in_elements_attributes_and_data():
    nasty = "</script><img src=x onerror=alert(1)>&\u2028\"'"
    text = html.document(nasty, tag("p", {"title": nasty}, nasty), {nasty: [nasty]}).decode()
    elements = Elements(text)
    assert ["html", "meta", "meta", "meta", "meta", "meta", "title", "style", "body", "p", "script", "script"] == [
        name for name, _ in elements.found
    ]
    seen = nasty.replace("\u2028", "\\u2028")
    assert {"title": seen} == elements.found[9][1]
    assert [seen, seen] == [word for word in elements.words if word.strip()]
    assert {nasty: [nasty]} == json.loads(elements.raw["script"][0])
    assert "\u2028" not in elements.raw["script"][0]


def test_names_of_strangers_add_no_element(irev, tmp_path):
    plain, hostile = ((b"x%d" % n for n in range(len(IDS))), IDS.values())
    pages = []
    for number, names in enumerate((list(plain), list(hostile))):
        place = tmp_path / str(number)
        place.mkdir()
        judged = b"".join(b"%b 0 %b 1\n" % (name, other) for name in names for other in names[:2])
        run = b"".join(b"%b Q0 %b 1 %d %b\n" % (name, names[2 - n], 9 - n, names[3]) for name in names for n in (0, 1))
        (place / "qrels").write_bytes(judged)
        (place / "a").write_bytes(run)
        (place / "b").write_bytes(run.replace(b" 9 " + names[3], b" 1 " + names[16]))
        (place / "texts").write_bytes(b"".join(b"%b\t%b\n" % (name, name) for name in names))
        texts = ("--titles", str(place / "texts"), "--documents", str(place / "texts"))
        pages.append(page(irev, *texts, *(str(place / each) for each in ("qrels", "a", "b"))))
    first, second = ([name for name, _ in Elements(text).found] for text in pages)
    assert sorted(set(first)) == sorted(set(second))
    assert first.count("tr") == second.count("tr")
    assert first.count("script") == second.count("script") == 2


# Odd inputs


@pytest.mark.parametrize(
    ("judged", "runs"),
    [
        ("q 0 d 1\n", ["q Q0 d 1 1 a\n"]),
        ("q 0 d 1\n", ["q Q0 d 1 1 a\n", "q Q0 d 1 1 b\n"]),
        ("q 0 d 0\n", ["q Q0 d 1 1 a\n", "q Q0 e 1 1 b\n"]),
        ("q 0 d 1\nr 0 d 1\n", ["q Q0 d 1 1 a\n", "x Q0 d 1 1 b\nq Q0 z 1 1 b\n"]),
        ("q 0 d 1\nr 0 d 1\n", ["q Q0 d 1 1 a\nr Q0 d 1 1 a\n"] * 3),
        ("q 0 d -1\n", ["q Q0 d 1 1 a\n", "q Q0 e 1 1 b\n", "q Q0 e 1 0 c\nq Q0 d 1 0 c\n"]),
    ],
    ids=["one of each", "alike", "nothing relevant", "nothing shared", "all tied", "nothing judged"],
)
def test_odd_inputs_make_pages_without_what_is_no_number(irev, tmp_path, judged, runs):
    (tmp_path / "qrels").write_text(judged)
    paths = [tmp_path / f"run{n}" for n in range(len(runs))]
    for path, content in zip(paths, runs, strict=True):
        path.write_text(content)
    measures = [word for name in ("nDCG@10", "AP", "RR", "bpref", "ERR", "num_rel", "RBP") for word in ("-m", name)]
    text = page(irev, *measures, str(tmp_path / "qrels"), *map(str, paths))
    shown = Elements(text).words + [value or "" for name, given in Elements(text).found for value in given.values()]
    assert [] == [word for word in shown if re.search(r"\b(nan|NaN|inf|Infinity|undefined|None)\b", word)]


def test_a_picture_of_one_point_or_none_has_no_odd_coordinates():
    for points in ([], [(0.5, 0.5)], [(1.0, 0.0)], [(1.0, math.nan)], [(1.0, math.inf), (2.0, 1.0)]):
        for drawn, logarithmic in ((LINES, False), (LINES, True), (BARS, False)):
            curve = Curve("a", tuple(Point(x, y) for x, y in points))
            axes = Axis("x", "x", logarithmic=logarithmic), Axis("y", "y")
            picture = svg.drawn(CurvePicture("kind", "m", "", *axes, (curve,), drawn))
            assert not re.search(r"nan|inf", picture)
            assert bool(picture) == any(math.isfinite(y) for _, y in points)


# Leaderboards


def test_a_sentence_that_begins_with_a_name_from_right_to_left_runs_from_left_to_right():
    assert "\u2068שלום\u2069 &lt; ד: <" == f"{html.sentence('שלום < ד: ')}<".replace("\u2068ד\u2069", "ד")
    (paragraph,) = html.sentences(["ד and A cross."])
    assert "<p>\u2068ד\u2069 and A cross.</p>" == paragraph


def test_runs_are_ranked_and_told_from_the_best(irev):
    text = page(irev, "--sort", "AP", "--title", "A <i>track", "-m", "RR", "-m", "AP", QRELS, *RUNS)
    words = overview_of(text)
    assert words.index("1semantic (baseline)") < words.index("2hybrid") < words.index("3keyword")
    assert 1 == words.count("best0") + words.count("best6")
    assert 5 == words.count("not shown"), "of two runs, and below the table, with and without unjudged documents"
    assert "<h1>A &lt;i&gt;track</h1>" in text
    assert ["semantic", "hybrid", "keyword"] == data_of(text)["runs"]
    assert "the maximum-t method over 3 tests" in words


def test_what_runs_took_are_columns_and_dominated_runs_are_named(irev, tmp_path):
    rows = [f"{run},q{query},{cost * query}" for run, cost in COSTS.items() for query in range(1, 11)]
    (tmp_path / "costs.csv").write_text("\n".join(["run,query,time", *rows, ""]))
    text = page(irev, "--resources", str(tmp_path / "costs.csv"), "-m", "AP", QRELS, *RUNS)
    words = overview_of(text)
    assert all(name in words for name in ("time:p50", "time:p95", "time:p99", "time:mean", "AP against time:p50"))
    for run, cost in COSTS.items():  # of 1 to 10 times its cost; quantiles interpolate, as `agg=q95` does
        quantiles = f"{5.5 * cost:g}{9.55 * cost:g}{9.91 * cost:g}{5.5 * cost:g}"
        assert any(f"{run}{more}{quantiles}" in words for more in ("", " (baseline)"))
    assert (2, 1) == (words.count("Pareto front"), words.count("dominated by semantic"))
    picture = re.search('<svg[^>]*aria-label="AP by time:p50.*?</svg>', text, re.DOTALL)[0]
    assert sorted(COSTS) == sorted(re.findall('<text class="point[^>]*>([^<]*)', picture))
    dots = re.findall('<path class="dots[^>]* d="([^"]*)"', picture)
    assert [2, 1] == [path.count("h0") for path in dots]  # on the front, and dominated
    assert 1 == len(re.findall('<path class="curve[^>]* d="M[^"]*H[^"]*V', picture))  # the front alone is joined
    refused(irev("report", "--resources", TITLES, QRELS, *RUNS), "there is no column run")


COSTS = {"keyword": 1, "semantic": 3, "hybrid": 4}


def test_runs_are_ranked_by_a_measure_of_the_page(irev):
    refused(irev("report", "--sort", "P@5", QRELS, *RUNS), "it must be one of the measures of the result")


@pytest.mark.parametrize("correction", [None, "holm", "bonferroni", "bh", "tukey", "none"])
def test_a_run_chosen_because_it_is_the_best_is_compared_as_among_all_pairs(correction):
    chance = np.random.default_rng(4)
    values = chance.random((30, 6)) + np.arange(6) / 12
    runs, queries = tuple("abcdef"), tuple(b"q%d" % n for n in range(30))
    aligned = Aligned(runs, (Measured(Quantity("m", "M"), queries, values),))
    plan = Plan(correction=correction, samples=2000)
    (every,) = compare(aligned, None, plan).compared
    (best,) = compare(aligned, 5, plan, best=True).compared
    among = {each.baseline: each for each in every.contrasts if each.run == "f"}

    assert every.family == best.family
    assert every.drawn == best.drawn
    assert [("f", run) for run in "abcde"] == [(each.baseline, each.run) for each in best.contrasts]
    for each in best.contrasts:
        assert among[each.run].adjusted == pytest.approx(each.adjusted)
        assert -among[each.run].interval.high == pytest.approx(each.interval.low)


def test_definitions_are_of_the_measures_as_asked(irev):
    text = page(irev, "-m", "AP", "-m", "R@100", "-m", "P(rel=2)@5", "-l", "1", "-M", "50", QRELS, *RUNS)
    words = Elements(text).words
    assert "Average precision of a query." in words
    assert "Share of all relevant documents that stand among the first 100 results." in words
    assert "Share of the first 5 results that are relevant. A grade of 2 or more is relevant." in words
    assert "Keep the first 50 documents of each ranking: 50." not in words
    assert "Keep the first N documents of each ranking: 50." in words


# Checks


CHECKED = ("check", "--max-drop", "AP=0.01", "--min", "nDCG@10=0.6", QRELS, RUNS[1])


def test_the_page_of_a_check_has_its_reasons_first(irev, tmp_path):
    place = tmp_path / "page.html"
    status, told, _ = irev(*CHECKED, "--baseline-run", RUNS[2], "-f", "html", "--also", f"page={place}")
    assert 1 == status
    text = place.read_text(encoding="utf-8")
    words = [word for word in Elements(text).words if word.strip()]
    report = [word for word in Elements(told.decode()).words if word.strip()]
    verdict = words[words.index("1 of 2 conditions does not hold.") : words.index("Overview", 20)]
    assert [] == [word for word in report if word not in (*words, "irev check")]
    assert "FAIL: keyword: AP is 0.5603, the baseline 0.7270 (-0.1667)" in verdict[1]
    assert ["keyword", "semantic"] == data_of(text)["runs"]
    assert 1 == data_of(text)["baseline"]
    assert "irev check --max-drop AP=0.01" in text


def test_a_page_changes_neither_the_verdict_nor_the_baseline(irev, tmp_path):
    outputs = []
    for number, paged in enumerate(([], ["--also", f"page={tmp_path}/page.html"])):
        baseline = tmp_path / f"{number}.json"
        done = irev(
            "check", "--min", "AP=0.1", "--baseline", str(baseline), "--update-baseline", *paged, QRELS, RUNS[0]
        )
        outputs.append((done.status, done.stdout.replace(b"1.json", b"0.json"), baseline.read_bytes()))
    assert outputs[0] == outputs[1]
    assert 0 == outputs[0][0]


def test_runs_that_are_checked_are_not_held_against_each_other(irev, tmp_path):
    saved, place = str(tmp_path / "saved.json"), tmp_path / "page.html"
    assert 0 == irev("eval", "-c", "-q", "-m", "AP", "-f", "json", "-o", saved, QRELS, RUNS[2]).status
    for baseline in (("--min", "AP=0.1"), ("--max-drop", "AP=0.1", "--baseline", saved)):
        irev("check", *baseline, QRELS, *RUNS[:2], "--also", f"page={place}")
        text = place.read_text(encoding="utf-8")
        assert ["hybrid", "keyword"] == data_of(text)["runs"]
        assert "Significance" not in "".join(Elements(text).words)
        assert "(baseline)" not in overview_of(text)


def test_the_page_of_a_check_has_what_was_warned_of(irev, tmp_path):
    place = tmp_path / "page.html"
    _, _, stderr = irev(*CHECKED, "--baseline-run", RUNS[2], "--also", f"page={place}")
    warned = [line.removeprefix("irev: warning: ") for line in stderr.splitlines() if "warning" in line]
    assert warned
    text = overview_of(place.read_text(encoding="utf-8"))
    assert "".join(warned) in text
    assert "paired t" not in text


def test_a_run_that_is_called_as_its_baseline_is_told_from_it(irev, tmp_path):
    place = tmp_path / "page.html"
    irev("check", "--max-drop", "AP=0", "--baseline-run", RUNS[0], QRELS, RUNS[0], "--also", f"page={place}")
    assert ["hybrid", "hybrid (before)"] == data_of(place.read_text(encoding="utf-8"))["runs"]


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("-o", "page.html"), "--output and --also page both write to 'page.html'"),
        (("--baseline-run", "-"), "a run is read twice, and this is no file"),
        (("--queries", "run"), "rankings side by side need the same queries: leave out --queries run"),
    ],
)
def test_a_check_of_which_there_can_be_no_page_is_refused(irev, tmp_path, monkeypatch, arguments, fact):
    monkeypatch.chdir(tmp_path)
    refused(irev("check", "--min", "AP=0.1", "--also", "page=page.html", *arguments, QRELS, RUNS[0]), fact)


@pytest.mark.parametrize("condition", ["gm_map=0.1", "queries=3", "AP(agg=median)=0.1", "num_q=3"])
def test_a_page_of_conditions_on_no_single_query_asks_for_a_measure(irev, tmp_path, condition):
    arguments = ("check", "--min", condition, "--also", f"page={tmp_path}/page.html", QRELS, RUNS[0])
    refused(irev(*arguments), "no condition is about a measure that has any; add one, for example --min AP=0")
    assert 0 == irev(*arguments, "--min", "AP=0").status
    assert "AP" in overview_of((tmp_path / "page.html").read_text(encoding="utf-8"))


# Refusals


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ((QRELS,), ["expected QRELS and at least one RUN"]),
        ((QRELS, "-"), ["<stdin>: a run is read twice, and this is no file; write it to a file first"]),
        ((QRELS, RUNS[0], "--queries", "run"), ["leave out --queries run"]),
        ((QRELS, *RUNS, "-m", "RunID"), ["no value for a single query"]),
        ((QRELS, *RUNS, "-m", "num_q"), ["no value for a single query"]),
        ((QRELS, *RUNS, "--baseline", "hybird"), ["there is no run 'hybird'; did you mean 'hybrid'?"]),
        ((QRELS, *RUNS, "--all-pairs", "--baseline", "hybrid"), ["--baseline has no effect with --all-pairs"]),
        ((QRELS, *RUNS, "-o", RUNS[0]), ["is an input"]),
    ],
    ids=lambda words: " ".join(word for word in words if "/" not in word),
)
def test_what_makes_no_page_is_refused(irev, tmp_path, monkeypatch, arguments, facts):
    monkeypatch.chdir(tmp_path)
    refused(irev("report", *arguments), *facts)


def test_two_runs_have_their_difference_for_each_topic(irev):
    data = data_of(page(irev, "-m", "AP", "--baseline", "semantic", QRELS, RUNS[1], RUNS[2]))
    semantic, keyword, difference = ([*map(float, each.split(" "))] for each in data["values"][0])
    assert 0 == data["lead"]
    assert [round(a - b, 4) for a, b in zip(keyword, semantic, strict=True)] == pytest.approx(difference, abs=1.01e-4)


def test_one_run_has_a_page_without_comparisons(irev):
    text = page(irev, QRELS, RUNS[0])
    assert 0 == data_of(text)["lead"]
    assert "Significance" not in text
    assert "hybrid on " in text


def test_all_pairs_have_no_star_and_a_table_of_pairs(irev):
    text = page(irev, "--all-pairs", QRELS, *RUNS)
    words = Elements(text).words
    assert "against" in words
    assert "Documents that changed scores most" in words


# Sentences that say what tables do


def overview_of(text: str) -> str:
    """The words of the overview."""
    (part,) = re.findall('<section id="overview".*?</section>', text, re.DOTALL)
    return "".join(Elements(part).words)


@pytest.mark.parametrize(
    ("options", "expected", "stars"),
    [
        (("-J",), "* differs significantly from keyword; see the tests below.", True),
        ((), "No difference to the baseline is significant; see the tests below.", False),
    ],
)
def test_the_overview_says_of_significance_what_the_tables_say(irev, options, expected, stars):
    text = page(irev, "-m", "AP", *options, "--baseline", "keyword", QRELS, RUNS[1], RUNS[2])
    words = overview_of(text)
    assert expected in words
    assert stars == ("0.7857*" in words)


def test_what_could_not_be_tested_is_not_said_to_be_without_significance(irev, tmp_path):
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    for run, found in (("a", "d"), ("b", "e")):
        (tmp_path / run).write_text(f"q Q0 {found} 1 1 {run}\n")
    text = page(irev, "-m", "AP", *(str(tmp_path / name) for name in ("qrels", "a", "b")))
    assert "No difference to the baseline could be tested." in overview_of(text)
    assert "baseline is significant" not in overview_of(text)


def test_bold_is_explained_where_something_is_bold(irev):
    assert "Bold" in overview_of(page(irev, "-m", "AP", QRELS, *RUNS))
    assert "Bold" not in overview_of(page(irev, "-m", "NumRet", QRELS, *RUNS))


def test_the_overview_says_what_its_shares_of_judged_documents_are(irev):
    words = overview_of(page(irev, "-m", "AP", QRELS, *RUNS))
    assert "the share of all retrieved documents that are judged, over all queries together" in words
    assert "averaged over queries; a query without results has 1" in words
    assert "count as not relevant" in words
    dropped = overview_of(page(irev, "-m", "AP", "-J", QRELS, *RUNS))
    assert "are removed, and ranks renumbered" in dropped
    assert "not relevant" not in dropped


def test_queries_that_some_runs_lack_are_told_with_what_is_not_about_the_others(irev):
    words = overview_of(page(irev, "-m", "AP", "--queries", "both", QRELS, *RUNS))
    assert "query q6 is not in all of the runs and is left out" in words
    assert "1 query that not all runs have is left out. Numbers of judgments, results and ties are for all" in words
    assert "other queries" not in overview_of(page(irev, "-m", "AP", "--queries", "both", QRELS, RUNS[0], RUNS[2]))


def test_topics_without_anything_relevant_stand_last(irev, sample):
    data = data_of(sample)
    assert "q7" == data["queries"][data["order"][-1]]
    assert "worst first by the median of the runs, those without relevant documents last." in "".join(
        Elements(sample).words
    )
    assert ", the worst first by the median of the runs, those without relevant documents last" == data["sorted"]


def test_an_aggregate_that_a_page_does_not_have_is_said_to_be_left_out(irev):
    status, stdout, stderr = irev("report", "-m", "AP(agg=gmean)", QRELS, *RUNS)
    assert 0 == status
    assert "single queries have no aggregate: AP(agg=gmean) is computed as AP" in stderr
    assert "AP(agg=gmean) is computed as AP" in overview_of(stdout.decode())


def test_sums_are_told_from_means(irev):
    words = overview_of(page(irev, "-m", "NumRet", "-m", "AP", QRELS, *RUNS))
    assert "NumRet (sum)AP" in words
    assert 1 == words.count("(sum)")


def test_names_that_print_alike_are_told_apart(irev, tmp_path):
    assert ["a", "a #3", "a #2"] == distinct(["a", "a", "a #2"])
    assert ["a #2", "a", "a #3"] == distinct(["a #2", "a", "a"])
    alike = ["caf\u00e9", "cafe\u0301", "a b", "a  b"]
    assert [alike[0], f"{alike[1]} #2", "a b", "a  b #2"] == distinct(alike)
    (tmp_path / "qrels").write_bytes(b"q\\x9b 0 d 1\nq\xc2\x9b 0 d 1\n")
    for number, name in enumerate((b"r\\x9b", b"r\xc2\x9b", b"r\\x9b#2")):
        rows = b"".join(b"q%b Q0 d 1 1 %b\n" % (of, name) for of in (b"\\x9b", b"\xc2\x9b"))
        (tmp_path / str(number)).write_bytes(rows)
    text = page(irev, *(str(tmp_path / name) for name in ("qrels", "0", "1", "2")))
    data = data_of(text)
    assert [r"r\x9b", r"r\x9b #2", r"r\x9b#2"] == data["runs"]
    assert [r"q\x9b", r"q\x9b #2"] == sorted(data["queries"])
    assert r"r\x9b #2" in overview_of(text)
    for part in ("Significance", "Curves"):
        assert r"r\x9b #2" in "".join(Elements(text.partition(f">{part}</h2>")[2].partition("<h2")[0]).words)


def test_captions_say_nothing_of_an_interval_that_there_is_not(irev, tmp_path):
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    for run, found in (("a", "d"), ("b", "e")):
        (tmp_path / run).write_text(f"q Q0 {found} 1 1 {run}\n")
    words = "".join(Elements(page(irev, "-m", "AP", *(str(tmp_path / name) for name in ("qrels", "a", "b")))).words)
    assert "wins/ties/losses 0/0/1, mean -1.0000. 1 query." in words


def test_curves_of_shares_that_are_all_zero_have_the_axis_of_shares():
    curve = Curve("a", (Point(1.0, 0.0), Point(2.0, 0.0)))
    picture = svg.drawn(CurvePicture("kind", "m", "", Axis("x", "x"), Axis("y", "y", 0.0), (curve,), LINES))
    marks = re.findall(r'<text class="axis y"[^>]*>([^<]*)<', picture)
    assert ("0", "1") == (marks[0], marks[-1])


def test_a_large_page_is_written_with_a_word_on_that(irev, monkeypatch):
    monkeypatch.setattr("irev.commands.report.answer.LARGE", 1000)
    status, stdout, stderr = irev("report", "--documents", DOCUMENTS, QRELS, *RUNS)
    assert 0 == status
    assert stdout.startswith(b"<!DOCTYPE html>")
    assert "irev: warning: the page has 0.1 MB, which browsers are slow to open; show fewer documents" in stderr
    assert "without the texts of documents" in stderr


def test_a_text_stands_in_a_piece_once(irev):
    text = page(irev, "--documents", DOCUMENTS, QRELS, *RUNS)
    (piece,) = data_of(text)["pieces"]
    assert len(set(piece["x"])) == len(piece["x"])
    assert 1 == text.count("Pruning apple trees in late winter") - text.partition('id="data"')[0].count("Pruning apple")
    shown = {
        name: piece["x"][at]
        for of, texts in zip(piece["d"], piece["k"], strict=True)
        for name, at in zip(of, texts, strict=True)
    }
    with open(DOCUMENTS, encoding="utf-8") as lines:
        known = dict(line.rstrip("\n").split("\t") for line in lines)
    assert shown == {name: known[name] for name in shown}


def test_queries_that_all_runs_have_are_shown_where_some_lack_others_in_curves_too(irev, tmp_path):
    text = page(irev, "-m", "AP", "--queries", "both", QRELS, *RUNS)
    assert "queries that are judged and that all runs have" in text
    assert ["q1", "q2", "q3", "q4", "q5", "q7"] == data_of(text)["queries"]
    assert "0.7648" in text
    shared = tmp_path / "shared"
    shared.write_text("".join(line for line in Path(QRELS).read_text().splitlines(True) if not line.startswith("q6")))
    alone = page(irev, "-m", "AP", "--queries", "both", str(shared), *RUNS)
    drawn = [re.findall(r'<path class="curve[^>]* d="([^"]*)"', each) for each in (text, alone)]
    assert drawn[0] == drawn[1] != []
    assert "6 queries that all runs have; 1 left out." in "".join(Elements(text).words)
    assert "6 queries that all runs have" not in "".join(Elements(alone).words)


@pytest.mark.thorough
def test_numbers_of_trec_eval_9_are_those_of_eval_or_refused(irev, tmp_path):
    qrels, judged = str(tmp_path / "qrels"), (ROOT / "sample_data" / "qrels.txt").read_text().splitlines(True)
    Path(qrels).write_text("".join(line for line in judged if line.startswith("q")))
    names = ("AP", "NumRel", "NumRet", "nDCG@10", "R@100")
    for name in names:
        status, stdout, _ = irev("eval", "-c", "--compat", "9.0.8", "-m", name, qrels, RUNS[1])
        assert 0 == status
        text = page(irev, "--compat", "9.0.8", "-m", "AP", *(["-m", name] if name != "AP" else []), qrels, RUNS[1])
        assert stdout.split()[2].decode() in overview_of(text)
    for name in ("YAAP", "IDCG@10", "RBPResid"):
        refused(irev("report", "--compat", "9.0.8", "-m", name, qrels, RUNS[1]), "without results as 0", name)
        place = str(tmp_path / "page.html")
        check = (
            *("check", "--compat", "9.0.8", "--min", "AP=0.1", "--max", f"{name}=1"),
            *("--also", f"page={place}", "--also", f"junit={place}.xml"),
        )
        refused(irev(*check, qrels, RUNS[1]), "without results as 0", name)
        assert not Path(place + ".xml").exists()
        page(irev, "--compat", "9.0.8", "-m", name, qrels, RUNS[0])
        page(irev, "--compat", "9.0.8", "--queries", "both", "-m", name, qrels, RUNS[1])


def test_a_query_without_results_is_said_to_have_found_nothing_which_is_not_always_0(irev):
    text = page(irev, "-m", "YAAP", QRELS, RUNS[1], RUNS[2])
    words = "".join(Elements(text).words)
    assert "-0.6931" in data_of(text)["values"][0][1]
    assert 3 <= words.count("all judged queries; one without results counts as an empty ranking")
    assert "as 0." not in words


def straight(count: int) -> CurvePicture:
    """As many curves."""
    axes = Axis("x", "x", 0.0, 1.0), Axis("y", "y", 0.0, 1.0)
    curves = tuple(Curve(f"run {n:02}", (Point(0.0, n / count), Point(1.0, n / count))) for n in range(count))
    return CurvePicture("cutoff", "", "", *axes, curves, LINES)


def test_curves_that_colours_do_not_tell_apart_have_a_piece_of_the_line_beside_their_names():
    paths = {
        count: re.findall('class="curve s[0-7] run" d="([^"]+)"', str(svg.drawn(straight(count)))) for count in (8, 9)
    }
    assert [1] * 8 == [path.count("M") for path in paths[8]]
    assert [2] * 9 == [path.count("M") for path in paths[9]]


def test_of_many_curves_few_have_a_name_in_a_picture_of_a_page_and_it_says_so():
    figure = str(svg.drawn(straight(MANY + 1)))
    (others,) = re.findall('class="curve rest" d="([^"]+)"', figure)
    assert MANY + 1 - 4 == others.count("M")
    assert 4 == figure.count('class="curve s') == figure.count('class="label ')
    assert "17 of 21 curves are grey and have no name: all but the 3 highest and the lowest." in figure


def test_of_many_runs_a_page_names_the_best_the_last_and_the_baseline(irev, folder):
    (folder / "qrels").write_text("q 0 d 1\n")
    for n in range(1, 25):
        lines = (f"q Q0 {'d' if rank == n else f'x{rank}'} {rank} {-rank} run{n:02}\n" for rank in range(1, 25))
        (folder / f"run{n:02}").write_text("".join(lines))
    runs = sorted(path.name for path in folder.glob("run??"))
    text = page(irev, "-m", "RR", "--baseline", "run09", "qrels", *runs)
    said = "19 of 24 curves are grey and have no name: all but the 3 highest, the lowest and run09."
    assert said in " ".join("".join(Elements(text).words).split())
    (others, *_) = re.findall('class="curve rest" d="([^"]+)"', text)
    assert 19 == others.count("M")


def test_a_long_name_keeps_its_beginning_and_its_end():
    curves = tuple(Curve(f"a_system_of_some_group_{n}", (Point(0.0, n), Point(1.0, n))) for n in (1, 2))
    axes = Axis("x", "x", 0.0, 1.0), Axis("y", "y", 0.0, 2.0)
    figure = str(svg.drawn(CurvePicture("cutoff", "", "", *axes, curves, LINES)))
    assert {"a_system_o…roup_1", "a_system_o…roup_2"} == set(re.findall(">(a_[^<]+…[^<]+)</text>", figure))
