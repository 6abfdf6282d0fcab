"""Costs of results from a file: by hand, against cwl-eval, under every option that orders or leaves out results, and
what is refused."""

import contextlib
import io
import itertools
import json
import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from outcomes import refused

import irev as package
from irev.base.errors import InputError, ProblemError, UsageError
from irev.measures import parse

COSTS = {"ad": 0.7, "web": 1.0, "image": 2.25, "card": 3.5}

BY_HAND = {
    # q1 is web 1, ad 2, web 1 with gains 0, 1, 1/2; q2 ad 2 with gain 1/2, and nothing below it.
    "CWL_P(of=ETC)@3": (4.0, 4.0),
    "CWL_P(of=EC)@3": (4 / 3, 4 / 3),
    "CWL_P(of=ETC,max_cost=5)@3": (4.0, 12.0),
    "CWL_P(of=ResETC,max_cost=5,min_cost=2)@3": (0.0, -6.0),
    "CWL_P(of=ED)@3": (3.0, 3.0),
    "CWL_RR(of=ETC)": (3.0, 2.0),
    "BPM(T=9,of=ED)@2": (2.0, 1.0),
    "BPM(T=9,of=ETC)@3": (3.0, 3.0),
    "BPM(T=9)@3": (1 / 2, 1 / 4),
    "BPMD(T=9,hb=0,hc=0,of=ETC)@4": (4.0, 4.0),
    "TBG(halflife=1,of=ED,depth=3)": (1 + 1 / 2 + 1 / 8, 1 + 1 / 4 + 1 / 8),
    "TBG(halflife=1,of=ETU,depth=3)": (1 / 2 + 1 / 16, 1 / 2),
    "TBG(halflife=1,of=ETC,depth=3)": (1 + 2 / 2 + 1 / 8, 2 + 1 / 4 + 1 / 8),
}

QRELS = "q1 0 a 0\nq1 0 b 2\nq1 0 c 1\nq2 0 a 1\n"
RUN = "q1 web a 1 3 t\nq1 ad b 2 2 t\nq1 web c 3 1 t\nq2 ad a 1 3 t\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "costs").write_text("web\t1\n\nad 2\r\n")
    return tuple(str(tmp_path / name) for name in ("qrels", "run", "costs"))


@pytest.mark.parametrize(("measure", "expected"), BY_HAND.items())
def test_numbers_by_hand(files, measure, expected):
    qrels, run, costs = files
    found = package.evaluate(qrels, run, measure, costs=costs).per_query[measure]

    assert expected == pytest.approx((found["q1"], found["q2"]), abs=1e-12)


def test_without_costs_a_result_costs_what_is_said_of_ranks_of_which_nothing_is_known(files):
    qrels, run, _ = files
    found = package.evaluate(
        qrels, run, ["CWL_P(of=ETC,max_cost=3)@2", "TBG(halflife=6,max_cost=3)", "TBG(halflife=2)"]
    )

    assert found.mean()["CWL_P(of=ETC,max_cost=3)@2"] == 6.0
    assert found.per_query["TBG(halflife=6,max_cost=3)"] == pytest.approx(found.per_query["TBG(halflife=2)"])


# cwl-eval

PLAYERS = (
    "BPMCWLMetric(1,10)",
    "BPMCWLMetric(2.5,5)",
    "BPMDCWLMetric(1,10,0.0,0.0,0.5)",
    "BPMDCWLMetric(2,30,1.0,0.0,0.25)",
)
OF_CWL_EVAL = (
    *("PrecisionCWLMetric(1)", "PrecisionCWLMetric(7)", "PrecisionCWLMetric(40)", "RRCWLMetric()", "APCWLMetric()"),
    *(
        "RBPCWLMetric(0.2)",
        "RBPCWLMetric(0.9)",
        "NDCGCWLMetric(10)",
        "INSTCWLMetric(2.5)",
        "INSQCWLMetric(3)",
        *PLAYERS,
    ),
    *("NERReq8CWLMetric(5)", "NERReq9CWLMetric(12)", "NERReq10CWLMetric(0.8)", "NERReq11CWLMetric(2)"),
    *("TBGCWLMetric(224)", "TBGCWLMetric(2.5)"),
)
"""Lines of a file of measures for cwl-eval."""

QUANTITIES = ("EU", "ETU", "EC", "ETC", "ED")
DEPTH = 100
"""In the place of 1000, for which cwl-eval takes long."""

QUERIES = tuple(map(str, range(5)))


class Given:
    """Gains in eighths, of some results and of one that is not there; types at random; results by falling score."""

    def __init__(self, folder: Path, seed: int) -> None:
        chance = random.Random(seed)
        self.gains: dict[str, dict[str, float]] = {}
        self.results: dict[str, list[tuple[str, str]]] = {}
        for query in QUERIES:
            listed = [(f"d{number:02}", chance.choice(list(COSTS))) for number in range(chance.randint(1, 30))]
            shares = [0.0, 0.0, *(number / 8 for number in range(9))]
            self.results[query] = listed
            self.gains[query] = {name: chance.choice(shares) for name, _ in listed if chance.random() < 0.7}
            self.gains[query]["missed"] = 0.5
        self.unknown = {"max_cost": chance.choice((1.0, 2.5)), "min_cost": chance.choice((1.0, 0.5, 0.125))}
        self.qrels, self.run, self.costs = (str(folder / name) for name in ("qrels", "run", "costs"))
        lines = [f"{query} 0 {name} {gain}\n" for query, of in self.gains.items() for name, gain in of.items()]
        Path(self.qrels).write_text("".join(lines))
        rows = [
            f"{query} {kind} {name} {place} {-place} t\n"
            for query, listed in self.results.items()
            for place, (name, kind) in enumerate(listed)
        ]
        Path(self.run).write_text("".join(rows))
        Path(self.costs).write_text("".join(f"{kind}\t{cost}\n" for kind, cost in COSTS.items()))

    def of_cwl_eval(self, cwl, line: str) -> dict[str, dict[str, float]]:
        """What cwl-eval says of every query, with the readers that its totals lose at the last rank."""
        from cwl.ruler.ranking import Ranking

        name, _, inside = line.rstrip(")").partition("(")
        metric = getattr(cwl, name)(*(float(each) if "." in each else int(each) for each in inside.split(",") if each))
        metric.residuals = True
        found = {}
        for query, listed in self.results.items():
            gains = [self.gains[query].get(name, math.nan) for name, _ in listed]
            ranking = Ranking(query, gains, [COSTS[kind] for _, kind in listed], **self.unknown, max_n=DEPTH)
            metric.measure(ranking)
            left = "utility", "total_utility", "cost", "total_cost"
            residuals = [getattr(metric, f"residual_expected_{each}") for each in left]
            values = dict(zip(QUANTITIES, metric.get_scores(), strict=True))
            values |= dict(
                zip((f"Res{each}" for each in QUANTITIES), [*residuals, metric.residual_expected_items], strict=True)
            )
            for quantity, vector in (("ETU", ranking.get_gain_vector), ("ETC", ranking.get_cost_vector)):
                worst, best = (np.prod(metric.c_vector(ranking, each)) * vector(each).sum() for each in (True, False))
                values[quantity] += worst
                values[f"Res{quantity}"] += best - worst
            found[query] = values
        return found

    def differences(self, cwl, line: str) -> list[str]:
        """Where irev has another number than cwl-eval."""
        (plain,) = parse([line])
        chosen = [plain.standard.partition("(")[2].partition(")")[0], *(f"{k}={v}" for k, v in self.unknown.items())]
        chosen += [f"depth={DEPTH}"] * ("depth" in plain.measure.options)
        at = f"@{plain.cutoff}" if plain.cutoff else ""
        texts = {
            of: f"{plain.measure.standard}({','.join(chosen)},of={of}){at}"
            for quantity in QUANTITIES
            for of in (quantity, f"Res{quantity}")
        }
        found = package.evaluate(self.qrels, self.run, list(texts.values()), costs=self.costs).per_query
        expected = self.of_cwl_eval(cwl, line)
        return [
            f"{text} of query {query}: {expected[query][of]!r} and not {found[text][query]!r}"
            for of, text in texts.items()
            for query in QUERIES
            if not math.isclose(expected[query][of], found[text][query], rel_tol=1e-9, abs_tol=1e-9)
        ]


@pytest.mark.parametrize("line", OF_CWL_EVAL)
def test_every_quantity_is_that_of_cwl_eval(tmp_path, line):
    cwl = pytest.importorskip("cwl.ruler.cwl_ruler", reason="cwl-eval judges user models")

    assert [] == Given(tmp_path, 1).differences(cwl, line)


@pytest.mark.thorough
@pytest.mark.parametrize("line", OF_CWL_EVAL)
def test_every_quantity_is_that_of_cwl_eval_for_many_files(tmp_path, line):
    cwl = pytest.importorskip("cwl.ruler.cwl_ruler", reason="cwl-eval judges user models")

    assert [] == [each for seed in range(2, 7) for each in Given(tmp_path, seed).differences(cwl, line)]


def test_the_digits_of_cwl_eval_for_the_same_three_files(tmp_path, monkeypatch):
    """Of its default metrics, but for totals from which readers are lost at its last rank."""
    program = pytest.importorskip("cwl.cwl_eval", reason="cwl-eval judges costs")
    given = Given(tmp_path, 8)
    monkeypatch.chdir(tmp_path)  # it writes a log
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        program.main(given.run, given.qrels, given.costs, residuals=True, max_n=DEPTH)
    names = {"P@5": "CWL_P(of={},max_rel=1)@5", "RBP@0.8": "CWL_RBP(p=0.8,depth=100,of={},max_rel=1)"}
    kept = ("EU", "EC", "ED", "ResEU", "ResEC", "ResED")
    texts = {text.format(of): (name, of) for name, text in names.items() for of in kept}
    found = package.evaluate(given.qrels, given.run, list(texts), costs=given.costs).per_query
    columns = (*QUANTITIES, *(f"Res{each}" for each in QUANTITIES))
    lines = [line.split("\t") for line in printed.getvalue().splitlines()]
    expected = {
        (query, name, of): value for query, name, *values in lines for of, value in zip(columns, values, strict=True)
    }

    assert {(query, *key): expected[query, *key] for key in texts.values() for query in QUERIES} == {
        (query, *key): f"{found[text][query]:.4f}" for text, key in texts.items() for query in QUERIES
    }


# What orders and leaves out results


def types_of(folder: Path, rows: list[tuple[str, str, float, str]]) -> str:
    (folder / "run").write_text("".join(f"{q} {kind} {name} 1 {score} t\n" for q, name, score, kind in rows))
    return str(folder / "run")


def spent(folder: Path, rows, **options) -> list[float]:
    """What each of the first four ranks costs, for query q1; 9 where nothing stands."""
    measures = [f"CWL_P(of=ETC,max_cost=9)@{k}" for k in range(1, 5)]
    qrels = folder / "qrels"
    qrels.write_text("q1 0 a 1\nq1 0 c 0\nq0 0 a 1\n")
    costs = {"one": 1, "two": 2, "three": 3, "four": 4}
    values = package.evaluate(qrels, types_of(folder, rows), measures, costs=costs, **options).per_query
    totals = [0.0, *(each["q1"] for each in values.values())]
    return [after - before for before, after in itertools.pairwise(totals)]


ROWS = [
    ("q1", "a", 4, "one"),
    ("q1", "b", 3, "two"),
    ("q1", "c", 3, "three"),
    ("q1", "d", 1, "four"),
    ("q0", "a", 1, "one"),
]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 3, 2, 4]),
        ({"ties": "docid-asc"}, [1, 2, 3, 4]),
        ({"ties": "file"}, [1, 2, 3, 4]),
        ({"order": "file"}, [1, 2, 3, 4]),
        ({"depth": 2}, [1, 3, 9, 9]),
        ({"judged_only": True}, [1, 3, 9, 9]),
        ({"judged_only": True, "depth": 1}, [1, 9, 9, 9]),
        ({"queries": ["q1"]}, [1, 3, 2, 4]),
        ({"queries": "run"}, [1, 3, 2, 4]),
        ({"compat": "9.0.8"}, [1, 3, 2, 4]),
        ({"complete": True}, [1, 3, 2, 4]),
    ],
    ids=str,
)
def test_a_rank_costs_what_its_document_does(tmp_path, options, expected):
    assert expected == spent(tmp_path, ROWS, **options)


def test_the_order_of_rows_and_of_queries_means_nothing(tmp_path):
    for seed in range(20):
        rows = random.Random(seed).sample([*ROWS, ("q2", "x", 1, "two"), ("q00", "x", 1, "four")], 7)
        assert [1, 3, 2, 4] == spent(tmp_path, rows)
        assert [1, 3, 2, 4] == spent(tmp_path, rows, queries="run")


def test_of_a_document_that_stands_twice_the_row_counts_that_is_kept(tmp_path):
    rows = [*ROWS[:4], ("q1", "a", 9, "three")]

    assert [1, 3, 2, 4] == spent(tmp_path, rows, duplicates="first")
    assert [3, 3, 2, 4] == spent(tmp_path, rows, duplicates="best")


def test_a_query_without_results_costs_what_unknown_ranks_do(tmp_path):
    assert [9, 9, 9, 9] == spent(tmp_path, ROWS[4:], complete=True)


def test_many_queries_in_several_blocks_have_what_each_has_alone(tmp_path, monkeypatch):
    """Blocks are small here, and parts that are evaluated together too."""
    from irev.evaluation import scores
    from irev.reading import chunks

    given = Given(tmp_path, 3)
    measures = ["TBG(halflife=3)", "BPM(of=ETC)@7", "INST(of=ResEC)"]
    expected = package.evaluate(given.qrels, given.run, measures, costs=given.costs).per_query
    monkeypatch.setattr(chunks, "SIZE", 256)
    monkeypatch.setattr(scores, "TOGETHER", 2)

    assert expected == package.evaluate(given.qrels, given.run, measures, costs=given.costs).per_query


def test_a_long_query_is_read_as_a_short_one_is(tmp_path, monkeypatch):
    from irev.reading import block

    given = Given(tmp_path, 4)
    expected = package.evaluate(given.qrels, given.run, "TBG(halflife=3)", costs=given.costs).per_query
    monkeypatch.setattr(block, "LONG", 1)

    assert expected == package.evaluate(given.qrels, given.run, "TBG(halflife=3)", costs=given.costs).per_query


def test_rows_carry_no_types_where_no_costs_are_given(files):
    from irev.base.settings import Settings
    from irev.ranking import ranking
    from irev.reading import qrels
    from irev.reading.sources import Source

    with Source(files[0]) as source:
        judgments = qrels.read(source, Settings())
    with Source(files[1]) as source:
        assert ranking.rank(judgments, source, Settings())[0].element is None


# Commands


def test_check_reads_values_that_eval_saved_with_costs(irev, files, tmp_path):
    qrels, run, costs = files
    saved = str(tmp_path / "saved.json")
    assert 0 == irev("eval", "-c", "-q", "-m", "CWL_P(of=ETC)@3", "--costs", costs, "-o", saved, qrels, run).status
    done = irev("check", "--max", "CWL_P(of=ETC)@3=4", saved)
    assert (0, "") == (done.status, done.stderr)
    assert 1 == irev("check", "--max", "CWL_P(of=ETC)@3=3.9", saved).status


def test_costs_are_in_the_record_and_a_result_of_others_is_no_baseline(irev, files, tmp_path):
    qrels, run, costs = files
    saved = str(tmp_path / "saved.json")
    assert 0 == irev("eval", "-c", "-q", "-m", "TBG", "--costs", costs, "-o", saved, qrels, run).status
    assert {"ad": 2, "web": 1} == json.loads(Path(saved).read_text())["options"]["costs"]
    refused(irev("check", "--max-drop", "TBG=0", "--baseline", saved, qrels, run), "the baseline", "costs")


def test_the_file_may_come_from_standard_input_and_is_not_overwritten(irev, files):
    qrels, run, costs = files
    asked = ("eval", "-m", "CWL_P(of=ETC)@3")
    done = irev(*asked, "--costs", "-", qrels, run, stdin=b"web 1\nad 2\n")
    assert (0, b"cwl_p_3,of=ETC        \tall\t4.0000\n") == (done.status, done.stdout)

    refused(irev(*asked, "--costs", "-", qrels, "-", stdin=b"web 1\n"), "only one of the files can be standard input")
    refused(irev(*asked, "--costs", costs, "-o", costs, qrels, run), "costs")
    assert "web\t1\n" in Path(costs).read_text()


# What is refused

BROKEN = {
    "": "expected an element type and its cost, such as: snippet 2.5",
    "\n \n": "expected an element type and its cost",
    "ad\n": ":1: found 'ad'; expected an element type and its cost",
    "ad 1\nweb 2 3\n": ":2: found 'web 2 3'; expected an element type and its cost",
    "ad 0\n": ":1: the cost '0' of type 'ad' is not above 0; expected a number above 0, such as 2.5",
    "web 1\nad -1\n": ":2: the cost '-1' of type 'ad' is not above 0",
    "ad nan\n": ":1: the cost 'nan' of type 'ad' is not a number",
    "ad inf\n": ":1: the cost 'inf' of type 'ad' is not a number",
    "ad 1e101\n": ":1: the cost '1e101' of type 'ad' is too large",
    "ad 1_0\n": ":1: the cost '1_0' of type 'ad' is not a number",
    "ad 1\n\nad 1\n": ":3: type 'ad' occurs twice (first on line 1); keep one of the two lines",
    "ad 1\0\n": ":1: this line contains a NUL byte",
}


@pytest.mark.parametrize("text", BROKEN, ids=ascii)
def test_a_file_that_is_wrong_is_refused_with_its_line(irev, files, text):
    qrels, run, costs = files
    Path(costs).write_text(text)

    refused(irev("eval", "-m", "TBG", "--costs", costs, qrels, run), costs, BROKEN[text])


def test_a_type_without_a_cost_is_an_error_with_the_line_of_the_run(irev, files):
    """cwl-eval takes 1."""
    qrels, run, costs = files
    Path(costs).write_text("web 1\n")

    fact = f"{run}:2: element type 'ad' has no cost; add a line for it to the file of costs"
    refused(irev("eval", "-m", "TBG", "--costs", costs, qrels, run), fact)
    Path(run).write_text("".join(reversed(RUN.splitlines(keepends=True))) + "q1 tile d 4 0 t\n")
    refused(irev("eval", "-m", "TBG", "--costs", costs, qrels, run), f"{run}:1: element type 'ad' has no cost")


@pytest.mark.parametrize("name", ["trec3", "csv", "json"])
def test_a_format_without_types_is_refused(irev, files, tmp_path, name):
    qrels, _, costs = files
    run = tmp_path / f"run.{name}"
    run.write_text({"trec3": "q1 a 1\n", "csv": "query,document,score\nq1,a,1\n", "json": '{"q1": {"a": 1}}'}[name])
    options = ("--run-format", name) if name == "trec3" else ()

    fact = "this format has no element types, which --costs needs; write it in TREC's format"
    refused(irev("eval", "-m", "TBG", "--costs", costs, *options, qrels, str(run)), fact)


def test_expected_values_over_ties_are_refused_where_costs_matter(irev, files):
    qrels, run, costs = files
    for measure in ("TBG", "CWL_P(of=EC)@3"):
        done = irev("eval", "--ties", "average", "-m", measure, "--costs", costs, qrels, run)
        refused(done, "the expected value over ties of the measure", "has no closed form")
    found = package.evaluate(qrels, run, ["CWL_P@3", "CWL_P(of=EC)@3"], ties="average")
    assert 1.0 == found.mean()["CWL_P(of=EC)@3"]
    assert 1 == len(package.evaluate(qrels, run, "CWL_P@3", ties="average", costs=costs).mean())


def test_expected_values_of_residuals_are_means_over_all_orders_where_ranks_cost_less_in_the_best_case(tmp_path):
    """q1 ties a judged document and one that is not judged: either stands first."""
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    measures = [f"TBG(halflife=2,depth=3,of={of},max_cost=4,min_cost=0.5)" for of in ("ResEU", "ResETU")]
    means = []
    for scores in ((2, 1), (1, 2), (1, 1)):
        (tmp_path / "run").write_text(f"q1 0 a 1 {scores[0]} t\nq1 0 b 2 {scores[1]} t\n")
        ties = "average" if scores == (1, 1) else "docid-desc"
        means.append(
            np.array(list(package.evaluate(tmp_path / "qrels", tmp_path / "run", measures, ties=ties).mean().values()))
        )

    assert ((means[0] + means[1]) / 2).tolist() == pytest.approx(means[2].tolist())


@pytest.mark.parametrize("value", [{}, 3, {1: 1}, {"ad": 0}, {"ad": -1}, {"ad": float("nan")}, {"ad": "1"}], ids=str)
def test_what_are_no_costs_in_python_is_refused(files, value):
    with pytest.raises(UsageError, match="expected a path, or a dictionary of element types and costs above 0"):
        package.evaluate(files[0], files[1], "TBG", costs=value)


def test_runs_in_memory_have_no_types_and_are_refused(files):
    qrels, run, costs = files
    given = {"q1": {"a": 1.0}}
    for each in (given, package.read_run(run), package.read_run(given)):
        with pytest.raises(InputError, match="a run in memory has no element types, which costs need; name its file"):
            package.evaluate(qrels, each, "TBG", costs=costs)
        with pytest.raises(InputError, match="a run in memory has no element types"):
            package.Evaluator(qrels, "TBG", costs=costs).evaluate(each)
    with pytest.raises(InputError, match="a run in memory has no element types"):
        package.evaluate({"q1": {"a": 1}}, given, "AP", costs={"ad": 1})


def test_costs_of_a_dictionary_are_those_of_a_file(files):
    qrels, run, costs = files
    of_file, of_dictionary = (
        package.evaluate(qrels, run, "TBG(halflife=2)", costs=each).mean()
        for each in (Path(costs), {"web": 1, "ad": 2.0})
    )
    assert of_file == of_dictionary
    with pytest.raises(ProblemError, match="element type 'web' has no cost"):
        package.evaluate(qrels, run, "TBG", costs={"ad": 2})


def test_tables_are_refused(files):
    arrow = pytest.importorskip("irev.arrow", reason="tables are Arrow's")
    pyarrow = pytest.importorskip("pyarrow")
    run = pyarrow.table({"query": ["q1"], "document": ["a"], "score": [1.0]})
    judged = pyarrow.table({"query": ["q1"], "document": ["a"], "grade": [1]})

    with pytest.raises(UsageError, match="tables have no element types, which costs need"):
        arrow.evaluate_tables(run, judged, "TBG(max_rel=1)", costs=files[2])


def test_processes_read_them_too(files, tmp_path):
    qrels, run, costs = files
    again = str(tmp_path / "again.run")
    Path(again).write_text(RUN)
    command = [
        sys.executable,
        "-m",
        "irev",
        "eval",
        "-j",
        "2",
        "-m",
        "CWL_P(of=ETC)@3",
        "--costs",
        costs,
        qrels,
        run,
        again,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (0, 2) == (done.returncode, done.stdout.count("all\t4.0000"))


def test_bounds_are_those_of_the_ranks_that_costs_let_a_reader_get_to(files):
    """Of q1 the document at rank 2 is not judged: it gains nothing, or 1 at half of the weight."""
    qrels, run, costs = files
    Path(qrels).write_text("q1 0 a 0\nq1 0 c 1\n")
    names = [f"TBG(halflife=1,depth=3,of=ETU{bound})" for bound in ("", ",bound=low", ",bound=high")]
    found = package.evaluate(qrels, run, names, costs=costs).mean()

    assert [1 / 8, 1 / 8, 1 / 2 + 1 / 8] == pytest.approx(list(found.values()))
