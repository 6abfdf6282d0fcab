"""What notebooks, `print` and programs get of findings in Python: the report of the command line in other clothes."""

import math
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ROOT, nested
from hostile import IDS

import irev
from irev.output.report import Look

DATA = ROOT / "sample_data"
QRELS = str(DATA / "qrels.txt")
RUNS = {name: str(DATA / f"{name}.run") for name in ("hybrid", "keyword", "semantic")}
MEASURES = ["AP", "nDCG@10"]


def evaluated(name):
    return irev.evaluate(QRELS, RUNS[name], MEASURES, complete=True)


def checked():
    before = {"hybrid": evaluated("hybrid")}
    return irev.check({"hybrid": evaluated("keyword")}, baseline=before, max_drop={"AP": 0.01}, min={"AP": 0.1})


FINDINGS = {
    "evaluation": lambda: evaluated("hybrid"),
    "comparison": lambda: irev.compare(QRELS, RUNS, MEASURES),
    "verdict": checked,
    "difference": lambda: irev.diff(QRELS, RUNS["keyword"], RUNS["semantic"], MEASURES, limit=2),
    "explanation": lambda: irev.explain(QRELS, RUNS["keyword"], "q2", MEASURES),
    "interleaving": lambda: irev.interleave(RUNS["keyword"], RUNS["hybrid"], method="probabilistic"),
}
ELEMENTS = {"div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "strong", "bdi", "br"}

each_finding = pytest.mark.parametrize("make", FINDINGS.values(), ids=FINDINGS)
DRAWN = FINDINGS.keys() - {"interleaving"}


class Elements(HTMLParser):
    """The elements of a page, opened and closed, and the texts of cells."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open[-1] == "br":
            self.open.pop()
        assert tag == self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


@each_finding
def test_a_notebook_gets_one_element_whose_looks_are_its_own(make):
    html = make()._repr_html_()
    page = Elements(html)
    assert not page.open
    assert {"div", "style", "table"} <= {*page.seen} <= ELEMENTS
    rules = html.partition("<style>")[2].partition("</style>")[0]
    assert all(rule.startswith(".irev") for rule in re.findall(r"^[^\s}][^{]*(?=\{)", rules, re.MULTILINE))


@each_finding
def test_a_short_line_stands_for_it_and_print_writes_its_tables(make):
    found = make()
    assert 160 >= len(repr(found))
    assert "\n" not in repr(found)
    assert repr(found).startswith("<")
    assert all(len(line) <= 80 for line in str(found).splitlines())
    assert "──" in str(found)


@each_finding
def test_frames_have_the_rows_of_its_report_unrounded(make):
    found = make()
    report = found.report().seen(Look("standard"))
    if isinstance(found, irev.Evaluation):
        assert found.to_pandas().loc["q1", "AP"] == found.per_query["AP"]["q1"]
        return
    rows = list(report.rows)
    pandas, polars = found.to_pandas(), found.to_polars()
    assert [*report.columns] == [*pandas.columns] == polars.columns
    assert len(rows) == len(pandas) == len(polars)
    for place, name in enumerate(report.columns):
        for row, value in zip(rows, pandas[name].tolist(), strict=True):
            missing = row[place] is None and (value is None or (isinstance(value, float) and math.isnan(value)))
            assert missing or row[place] == value


@pytest.mark.thorough
@pytest.mark.parametrize("make", [FINDINGS[name] for name in sorted(DRAWN)], ids=sorted(DRAWN))
def test_a_figure_is_drawn_and_written(make, tmp_path):
    drawing = make().plot()
    assert ElementTree.fromstring(drawing._repr_svg_()).tag.endswith("svg")
    assert drawing._repr_svg_() == make().plot()._repr_svg_()
    drawing.save(str(tmp_path / "figure.png"))
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(irev.UsageError, match=r"name one that ends in \.svg"):
        drawing.save(str(tmp_path / "figure.gif"))
    assert not (tmp_path / "figure.gif").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("name", IDS.values(), ids=IDS)
def test_names_of_strangers_are_text_and_never_markup(name):
    query = name.decode("utf-8", "surrogateescape")
    qrels, run = {query: {query: 1, "b": 0}}, {query: {query: 1.0, "b": 2.0}}
    for found in (
        irev.evaluate(qrels, run, "AP"),
        irev.compare(qrels, {query: run, "b": run}, "AP"),
        irev.diff(qrels, run, {query: {query: 3.0, "b": 2.0}}, "AP"),
        irev.explain(qrels, run, query, "AP"),
    ):
        page = Elements(found._repr_html_())
        assert {*page.seen} <= ELEMENTS
        table = re.sub("\u2068([^\u2068\u2069\n]*)\u2069", r"\1", str(found))  # irev's own signs come in pairs
        for text in (table, repr(found)):
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


# compare takes what evaluate takes


def numbers(comparison):
    return [
        (compared.measured.quantity.standard, contrast.run, contrast.difference, contrast.adjusted)
        for compared in comparison.compared
        for contrast in compared.contrasts
    ]


def test_compare_takes_files_dictionaries_frames_arrays_and_evaluations_alike():
    pandas = pytest.importorskip("pandas")
    expected = numbers(irev.compare({name: evaluated(name) for name in RUNS}))
    rows = {
        name: [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
        for name, path in RUNS.items()
    }
    dictionaries = {name: nested(path, 4) for name, path in RUNS.items()}
    arrays = {
        name: ([row[0] for row in of], [row[2] for row in of], [float(row[4]) for row in of])
        for name, of in rows.items()
    }
    frames = {
        name: pandas.DataFrame(dict(zip(("query_id", "doc_id", "score"), three, strict=True)))
        for name, three in arrays.items()
    }
    mixed = {"hybrid": evaluated("hybrid"), "keyword": RUNS["keyword"], "semantic": frames["semantic"]}
    for runs in (RUNS, dictionaries, arrays, frames, mixed):
        assert expected == numbers(irev.compare(QRELS, runs, MEASURES))
    assert expected == numbers(irev.compare(QRELS, [*RUNS.values()]))
    assert expected == numbers(irev.compare(irev.read_qrels(QRELS), RUNS))


def test_compare_counts_every_judged_query_unless_asked_otherwise():
    assert 7 == len(irev.compare(QRELS, RUNS, "AP").compared[0].measured.queries)
    assert 6 == len(irev.compare(QRELS, RUNS, "AP", both=True).compared[0].measured.queries)
    assert 2 == len(irev.compare(QRELS, RUNS, "AP", queries=["q1", "q2"]).compared[0].measured.queries)


def test_compare_says_which_queries_count():
    every = "all judged queries; one without results counts as an empty ranking"
    shared = "queries that are judged and that all runs have"
    full = {name: irev.evaluate(QRELS, path, "AP", complete=True) for name, path in RUNS.items()}
    part = {name: irev.evaluate(QRELS, path, "AP") for name, path in RUNS.items()}
    first, second, *_ = RUNS
    mixed = {first: full[first], second: part[second]}

    assert every == irev.compare(QRELS, RUNS, "AP").policy
    assert shared == irev.compare(QRELS, RUNS, "AP", both=True).policy
    listed = irev.compare(QRELS, RUNS, "AP", queries=["q1"])
    assert "the listed queries; one that a file lacks counts as empty there" == listed.policy
    assert every == irev.compare(part).policy
    assert shared == irev.compare(part, both=True).policy
    assert every == irev.compare(full).policy
    assert every == irev.compare(full, both=True).policy
    assert (
        "all queries that any result has or lists as judged; a query without a value counts as 0"
        == irev.compare(mixed).policy
    )
    assert "queries for which all runs have values" == irev.compare(mixed, both=True).policy
    for choices in ({"complete": True}, {"queries": ["q1"]}, {"queries": "qrels"}):
        with pytest.raises(irev.UsageError, match="both leaves out queries that a run lacks, but complete or queries"):
            irev.compare(QRELS, RUNS, "AP", both=True, **choices)


@pytest.mark.parametrize(
    ("options", "apart"),
    [({"level": 2}, "level"), ({"depth": 1}, "depth"), ({"ties": "docid-asc", "level": 2}, "level, ties")],
)
def test_evaluations_with_other_options_are_doubted_as_saved_results_are(options, apart):
    path = RUNS["hybrid"]
    first = irev.evaluate(QRELS, path, "AP", complete=True)
    said = f"the evaluations were made with different options ({apart}); which may explain a difference"
    for compared in (
        lambda: irev.compare(QRELS, {"a": first, "b": path}, "AP", **options),
        lambda: irev.compare({"a": first, "b": irev.evaluate(QRELS, path, "AP", complete=True, **options)}),
    ):
        with pytest.warns(UserWarning, match=re.escape(said)):
            found = compared()
        assert (said,) == found.notes
        assert f"{said[0].upper()}{said[1:]}." in " ".join(str(found).split())
    assert () == irev.compare(QRELS, {"a": first, "b": path}, "AP").notes


@pytest.mark.parametrize("more", [{"q1": {"new": 1}}, {"q9": {"d": 0}}])
def test_evaluations_under_other_judgments_are_doubted(more):
    judged = {"q1": {"d": 1}, "q2": {"d": 1}}
    run = {query: {"d": 1.0, "e": 0.5} for query in judged}
    other = {query: {**judged.get(query, {}), **more.get(query, {})} for query in {**judged, **more}}
    with pytest.warns(UserWarning, match="the evaluations were made under different judgments"):
        irev.compare(judged, {"a": irev.evaluate(other, run, "AP", complete=True), "b": run}, "AP")


def test_evaluations_under_other_files_are_doubted_and_under_copies_are_not(tmp_path):
    judged, other, copy = (tmp_path / name for name in ("judged", "other", "copy"))
    judged.write_text("q1 0 d 1\nq2 0 e 1\n")
    other.write_text("q1 0 e 1\nq2 0 d 1\n")  # of as many queries and relevant documents
    copy.write_text(judged.read_text())
    run = {query: {"d": 1.0, "e": 0.5} for query in ("q1", "q2")}
    first, second, same = (irev.evaluate(path, run, "AP", complete=True) for path in (judged, other, copy))

    with pytest.warns(irev.ComparisonWarning, match="the evaluations were made under different judgments"):
        irev.compare({"a": first, "b": second})
    assert () == irev.compare({"a": first, "b": same}).notes
    with pytest.raises(
        irev.InputError, match="the baseline was made with other judgments; evaluate both with complete"
    ):
        irev.check({"a": second}, baseline=first, max_drop={"AP": 0.1})
    allowed = irev.check({"a": second}, baseline=first, max_drop={"AP": 0.1}, allow_changed_qrels=True)
    assert "The baseline was made with other judgments, which may explain differences." == allowed.notes[0]
    (unknown,) = irev.check({"a": same}, baseline=first, max_drop={"AP": 0.1}).notes
    assert unknown.startswith("Judged shares unknown")


def test_a_baseline_in_memory_of_other_queries_is_refused_in_words_of_python_and_one_that_may_be_other_is_said():
    judged, run = {"q1": {"d": 1}, "q2": {"d": 1}}, {"q1": {"d": 1.0}, "q2": {"d": 1.0}}
    first, again = (irev.evaluate(judged, run, "AP") for _ in range(2))
    other = irev.evaluate({"q1": {"d": 1}, "q3": {"d": 1}}, run | {"q3": {"d": 1.0}}, "AP", complete=True)
    fewer = irev.evaluate(judged, run, "AP", queries=["q1"])

    said = "It is not known whether the baseline was made with the same judgments."
    assert (said,) == irev.check({"a": again}, baseline=first, max_drop={"AP": 0.1}).notes
    complete = irev.evaluate(judged, run, "AP", complete=True)
    with pytest.raises(
        irev.InputError, match=r"other queries than a: .*; evaluate both with complete on, under the same"
    ):
        irev.check({"a": complete}, baseline=other, max_drop={"AP": 0.1}, allow_changed_qrels=True)
    with pytest.raises(irev.UsageError, match="was evaluated with another"):
        irev.check({"a": again}, baseline=fewer, max_drop={"AP": 0.1})


def test_measures_that_are_left_out_are_said():
    said = "not compared: NumRet, NumRel (neither high nor low is better); NumQ, GMAP, RunID (no numbers for single"
    with pytest.warns(UserWarning, match=re.escape(said)):
        found = irev.compare(QRELS, RUNS, ["num_ret", "AP", "num_rel", "num_q", "gm_map", "runid"])
    assert ["AP"] == [each.measured.quantity.standard for each in found.compared]


def test_what_compare_cannot_take_is_refused_with_a_remedy():
    evaluations = {name: evaluated(name) for name in RUNS}
    with pytest.raises(irev.UsageError, match="level has no effect on existing evaluations"):
        irev.compare(evaluations, level=2)
    with pytest.raises(irev.UsageError, match="measures has no effect on existing evaluations"):
        irev.compare(evaluations, measures="AP")
    assert irev.compare(evaluations, seed=1, tests=("randomization", "wilcoxon"))
    with pytest.raises(irev.UsageError, match="one item is of type dict; use a dictionary with names"):
        irev.compare(QRELS, [{"q1": {"d": 1}}, {"q1": {"d": 2}}])
    with pytest.raises(irev.UsageError, match="1 is no value of query; expected strings"):
        irev.diff(QRELS, *[*RUNS.values()][:2], query=1)
    with pytest.raises(TypeError, match="several runs"):
        irev.compare(QRELS, RUNS["hybrid"])
    with pytest.raises(irev.UsageError, match="nothing to compare"):
        irev.compare(QRELS, [RUNS["hybrid"]])
    with pytest.raises(TypeError, match="by the names of their runs"):
        irev.compare([evaluated("hybrid")])


def test_a_drawing_says_what_to_do_with_it():
    assert ".save(" in repr(FINDINGS["comparison"]().plot())


def test_html_of_many_queries_has_the_values_for_all():
    many = {str(number): {"a": 1} for number in range(100)}
    html = irev.evaluate(many, {query: {"a": 1.0} for query in many}, "AP")._repr_html_()
    assert 3 >= html.count("<tr>")


def test_what_has_nothing_to_draw_is_refused_where_a_plot_is_asked_for():
    """And not in the display of a notebook, which would show the traceback of a representation."""
    with pytest.warns(irev.DocumentsWarning, match="none of the retrieved documents is judged"):
        explained = irev.explain({"q": {"a": 1}}, {"q": {"b": 1.0}}, measures=["AP"])
    with pytest.raises(irev.IrevError, match="there is nothing to draw"):
        explained.plot()
