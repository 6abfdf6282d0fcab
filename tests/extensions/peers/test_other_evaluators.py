"""Results that other evaluators computed: every form has one outcome, in every command and in Python."""

import csv
import io
import json
import pickle
import re

import pytest
from outcomes import refused

import irev as api

QUERIES = ["q1", "q2", "q3", "q4", "q 5"]
VALUES = {
    "a": {"nDCG@10": [0.5, 0.25, 0.75, 1.0, 0.125], "AP": [0.5, 0.125, 0.25, 1.0, 0.0625]},
    "b": {"nDCG@10": [0.25, 0.25, 0.5, 0.75, 0.375], "AP": [0.25, 0.25, 0.125, 0.5, 0.125]},
}
MEASURES = ["nDCG@10", "AP"]


def mean(values):
    return sum(values) / len(values)


def cells(run):
    """Every query, measure and value of a run, the means last."""
    for place, query in enumerate(QUERIES):
        for measure in MEASURES:
            yield query, measure, VALUES[run][measure][place]
    for measure in MEASURES:
        yield "all", measure, mean(VALUES[run][measure])


def lines(layout, names=("ndcg_cut_10", "map"), blank=" "):
    def written(run):
        called = dict(zip(MEASURES, names, strict=True))
        return "".join(
            layout.format(m=called[m], q=q.replace(" ", blank), v=f"{v:.4f}") + "\n" for q, m, v in cells(run)
        )

    return written


def table(header, row, separator=",", means="amean", query_first=True):
    """A table with a row for each query; `row(run, number, query, values)`."""

    def written(run):
        out = io.StringIO()
        writer = csv.writer(out, delimiter=separator, lineterminator="\n")
        writer.writerow(header)
        for number, query in enumerate(QUERIES):
            writer.writerow(row(run, number, query, [VALUES[run][m][number] for m in MEASURES]))
        if means:
            writer.writerow(row(run, len(QUERIES), means, [mean(VALUES[run][m]) for m in MEASURES]))
        return out.getvalue()

    return written


def long_table(header, row, separator=",", means=True):
    """A table with a row for each value; `row(run, query, measure, value)`."""

    def written(run):
        out = io.StringIO()
        writer = csv.writer(out, delimiter=separator, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(row(run, q, m, v) for q, m, v in cells(run) if means or q != "all")
        return out.getvalue()

    return written


def by_query(run):
    found = {}
    for query, measure, value in cells(run):
        found.setdefault(query, {})[{"nDCG@10": "ndcg_cut_10", "AP": "map"}[measure]] = value
    return found


def by_measure(run):
    return {m: dict(zip(QUERIES, VALUES[run][m], strict=True)) for m in MEASURES}


def records(run):
    return [{"run": run, "query": q, "metric": m, "value": v} for q, m, v in cells(run) if q != "all"]


def deepeval_run(run, data="metricsData", **about):
    """A test run as DeepEval saves it, with scores and what it has beside them."""
    cases = [
        {
            "name": query,
            "input": f"What is {query}?",
            "actualOutput": "An answer",
            "success": True,
            data: [
                {
                    "name": m,
                    "threshold": 0.5,
                    "success": True,
                    "score": VALUES[run][m][place],
                    "reason": "so",
                    "error": None,
                }
                for m in MEASURES
            ],
            "order": place,
        }
        for place, query in enumerate(QUERIES)
    ]
    metrics = [{"metric": m, "scores": VALUES[run][m], "passes": 3, "fails": 2, "errors": 0} for m in MEASURES]
    return {"testFile": 'test_"x".py', "testCases": cases, "metricsScores": metrics, "runDuration": 1.5, **about}


FORMS = {
    "DeepEval's test run": lambda run: json.dumps(deepeval_run(run, identifier=run)),
    "DeepEval's latest test run": lambda run: json.dumps({"testRunData": deepeval_run(run)}, indent=2),
    "DeepEval's conversations": lambda run: json.dumps(
        {"testCases": [], "conversationalTestCases": deepeval_run(run)["testCases"]}
    ),
    "DeepEval's result": lambda run: json.dumps(
        {"test_results": deepeval_run(run, "metrics_data")["testCases"], "confident_link": None}
    ),
    "trec_eval 10": lines("{m:<22}\t{q}\t{v}"),
    "trec_eval 7": lines("{m:<15}\t{q}\t{v}", names=("ndcg_cut_10", "map")),
    "without padding": lines("{m}\t{q}\t{v}"),
    "sample_eval": lines("{m}\t\t{q}\t\t{v}", blank="_"),
    "pytrec_eval's lines": lines("{m:25s}{q:8s}{v}", blank="_"),
    "ir_measures -q": lines("{q}\t{m}\t{v}", names=("nDCG@10", "AP")),
    "carriage returns": lambda run: lines("{m:<22}\t{q}\t{v}")(run).replace("\n", "\r\n"),
    "byte order mark": lambda run: "\ufeff" + lines("{m:<22}\t{q}\t{v}")(run),
    "ndeval": table(["runid", "topic", "nDCG@10", "AP"], lambda r, n, q, v: [r, q, *v]),
    "pandas": table(["query_id", "ndcg_cut_10", "map"], lambda r, n, q, v: [q, *v], means=""),
    "pandas with an index": table(["", "qid", "nDCG@10", "AP"], lambda r, n, q, v: [n, q, *v], means="average"),
    "pandas, queries as index": table(["", "nDCG@10", "AP"], lambda r, n, q, v: [q, *v], means="mean"),
    "pandas, index read again": table(["Unnamed: 0", "qid", "nDCG@10", "AP"], lambda r, n, q, v: [n, q, *v]),
    "semicolons": table(["qid", "nDCG@10", "AP"], lambda r, n, q, v: [q, *v], ";"),
    "texts beside": table(
        ["query_id", "question", "response", "nDCG@10", "contexts_used", "AP"],
        lambda r, n, q, v: [q, f"What, {n}?", "An answer\nof lines", v[0], "['x', 'y']", v[1]],
    ),
    "metric,query,value": long_table(["metric", "query", "value"], lambda r, q, m, v: [m, q, v]),
    "PyTerrier": long_table(["name", "qid", "measure", "value"], lambda r, q, m, v: [r, q, m, v]),
    "long with tabs": long_table(["run", "query", "measure", "value"], lambda r, q, m, v: [r, q, m, v], "\t"),
    "long of ragas": long_table(["user_input", "metric_name", "score"], lambda r, q, m, v: [q, m, v]),
    "pytrec_eval's JSON": lambda run: json.dumps(by_query(run)),
    "pytrec_eval's JSON, indented": lambda run: json.dumps(by_query(run), indent=4),
    "ranx's JSON": lambda run: json.dumps(by_measure(run)),
    "records": lambda run: json.dumps(records(run), indent=2),
    "JSON lines": lambda run: "".join(json.dumps(each) + "\n" for each in records(run)),
}


@pytest.fixture
def files(write):
    """``files(form)`` writes both runs in a form."""

    def files(form, ending=""):
        return [write(FORMS[form](run).encode(), f"{run}{ending}") for run in VALUES]

    return files


MEANS = {"nDCG@10": {"a": 0.525, "b": 0.425}, "AP": {"a": 0.3875, "b": 0.25}}


class TestEveryForm:
    @pytest.mark.parametrize("form", FORMS)
    def test_is_recognised_and_compared(self, irev, files, form):
        found = irev("compare", "-m", "nDCG@10", "-m", "AP", "-f", "json", *files(form))

        assert (0, "") == (found.status, found.stderr)
        measures = json.loads(found.stdout)["measures"]
        assert MEANS == {m["standard"]: {run: of["mean"] for run, of in m["means"].items()} for m in measures}
        assert {5} == {each["queries"] for each in measures}

    @pytest.mark.parametrize("form", FORMS)
    def test_has_one_outcome_in_every_command_and_in_python(self, irev, files, form):
        a, b = files(form)
        agree = json.loads(irev("agree", "-f", "json", a, b).stdout)
        power = json.loads(irev("power", "-f", "json", "-m", "AP", "--difference", "0.1", a, b).stdout)
        trend = json.loads(irev("trend", "-f", "json", a, b).stdout)
        check = irev("check", "-f", "json", "--max-drop", "AP=0.1", "--min", "nDCG@10=0.4", "--baseline", a, f"a={b}")
        held = {**api.read_scores(a, "a"), **api.read_scores(b, "b")}
        compared = api.compare(held)
        verdict = api.check({"b": held["b"]}, baseline=a, max_drop={"AP": 0.1}, min={"nDCG@10": 0.4})

        assert MEANS == {each["name"]: each["values"] for each in agree["orderings"]}
        assert [("AP", 5, 0.1)] == [(n["measure"], n["queries"], n["difference"]) for n in power["needs"]]
        assert {"nDCG@10": [0.525, 0.425], "AP": [0.3875, 0.25]} == {
            each["measure"]: each["means"] for each in trend["series"]
        }
        assert 1 == check.status
        assert ["fail", "pass"] == [each["state"] for each in json.loads(check.stdout)["findings"]]
        assert MEANS == {
            each.measured.quantity.standard: dict(zip("ab", each.means, strict=True)) for each in compared.compared
        }
        assert [("AP", "fail"), ("nDCG@10", "pass")] == [(each.measure, each.state) for each in verdict.findings]


DESCRIBED = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")
WIDE = ("query,map,ndcg\n", "{q},{v},{v}\n")
SUMMARISED = {
    "describe() of pandas": (*WIDE, DESCRIBED),
    "one row": (*WIDE, ("Median",)),
    "totals": (*WIDE, ("total", "all", "macro avg", "micro_avg", "weighted avg")),
    "long": ("run,query,measure,value\n", "r,{q},map,{v}\nr,{q},ndcg,{v}\n", DESCRIBED),
    "records": ("", '{{"query": "{q}", "map": {v}, "ndcg": {v}}}\n', DESCRIBED),
}


@pytest.mark.parametrize("form", SUMMARISED)
def test_the_last_rows_that_summarise_are_no_queries(irev, write, form):
    head, row, summaries = SUMMARISED[form]
    values = {"q1": 0.25, "sum": 0.5, "q2": 0.75}  # a name in the middle is a query
    rows = [row.format(q=q, v=v) for q, v in [*values.items(), *((name, 3) for name in summaries)]]
    one, two = (write((head + "".join(rows)).encode(), name) for name in ("one.x", "two.x"))
    left = [f"'{name}'" for name in summaries if name not in ("mean", "all")]
    said = f"{', '.join(left)} at the end {'summarise' if left[1:] else 'summarises'} queries, and"
    commands = {
        "compare": ("compare", "-m", "map", one, two),
        "check": ("check", "--max-drop", "map=0.1", "--baseline", one, f"a={two}"),
        "trend": ("trend", one, two),
        "agree": ("agree", "-m", "map", "-m", "ndcg", one, two),
    }
    for command in commands.values():
        done = irev(*command)
        assert f"irev: warning: {one}: {said}" in done.stderr
        assert b"3.0000" not in done.stdout
    with pytest.warns(api.IrevWarning, match=re.escape(said)):
        (found,) = api.read_scores(one).values()
    assert values == dict(found.per_query["AP"])


def test_lines_of_trec_eval_may_end_in_a_query_that_is_called_as_a_summary(irev, write):
    one = write(b"map                   \tq1\t0.5000\nmap                   \tmax\t0.2500\n", "one")
    assert {"q1": 0.5, "max": 0.25} == dict(api.read_scores(one)["one"].per_query["AP"])


class TestPython:
    def test_reads_dictionaries_and_frames_as_the_command_reads_files(self):
        pandas = pytest.importorskip("pandas")
        polars = pytest.importorskip("polars")
        wide = pandas.DataFrame(by_measure("a")).rename_axis("query")
        long = pandas.DataFrame(records("a"))
        for data in (by_query("a"), by_measure("a"), wide, wide.reset_index(), long, polars.from_pandas(long)):
            found = api.read_scores(data, "a")

            assert by_measure("a") == {name: dict(values) for name, values in found["a"].per_query.items()}

    def test_keeps_every_digit(self):
        value = 0.1 + 0.2

        assert value == api.read_scores({"q": {"AP": value}})["scores"].per_query["AP"]["q"]

    def test_says_which_value_is_better(self, write):
        before, after = ({"q": {"novelty": value}, "r": {"novelty": value}} for value in (0.5, 0.25))
        found = [api.read_scores(each, "a", better={"novelty": "lower"}) for each in (before, after)]

        assert api.check(found[1], baseline=found[0], max_drop={"novelty": 0.1}).holds
        assert not api.check(found[0], baseline=found[1], max_drop={"novelty": 0.1}).holds

    def test_can_be_sent_to_another_process(self):
        found = api.read_scores({"q": {"faithfulness": 0.5}})
        again = pickle.loads(pickle.dumps(found))

        assert (
            "faithfulness"
            == api.compare({"a": found["scores"], "b": again["scores"]}).compared[0].measured.quantity.standard
        )

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ({"q": {"AP": "high"}}, "the value 'high' is not a number"),
            ({"q": 0.5}, "found no query column"),
            (7, "data"),
        ],
    )
    def test_refuses_other_data(self, data, message):
        with pytest.raises(api.IrevError, match=message):
            api.read_scores(data)


class TestCheck:
    RAGAS = b',user_input,response,faithfulness,latency\n0,What?,"x\ny",%b,3\n1,Why?,b,0.5,4\n2,Who?,b,0.6,5\n'

    @pytest.fixture
    def two(self, write):
        return write(self.RAGAS % b"0.9", "before.csv"), write(self.RAGAS % b"0.4", "after.csv")

    def test_limits_hold_for_measures_that_irev_does_not_know(self, irev, two):
        before, after = two
        passed = irev("check", "--min", "faithfulness=0.6", "--max", "latency=4", before)
        failed = irev(
            "check", "--max-drop", "faithfulness=0.05", "--max-drop", "latency=0.1", "--baseline", before, after
        )

        assert (0, 1) == (passed.status, failed.status)
        assert b"faithfulness is 0.5000, the baseline 0.6667 (-0.1667)" in failed.stdout
        assert b"Queries: all queries that have a value." in failed.stdout

    def test_the_direction_may_be_said(self, irev, two):
        found = irev("check", "--max-drop", "faithfulness:lower=0.05", "--baseline", *two)

        assert (0, b"faithfulness") == (found.status, found.stdout[found.stdout.index(b"faithfulness") :][:12])

    def test_a_baseline_and_a_log_are_written_and_read_again(self, irev, two, tmp_path):
        before, after = two
        baseline, log = str(tmp_path / "baseline.json"), str(tmp_path / "log")
        first = irev(
            "check", "--min", "faithfulness=0.6", "--baseline", baseline, "--update-baseline", "--log", log, before
        )
        second = irev(
            "check", "--max-drop", "faithfulness=0.05", "--baseline", baseline, "--log", log, f"before={after}"
        )
        trend = json.loads(irev("trend", "-f", "json", log).stdout)

        assert (0, 1) == (first.status, second.status)
        assert {"faithfulness": "higher", "latency": "lower"} == {s["measure"]: s["better"] for s in trend["series"]}

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            (("--max", "missing=0"), "'missing' is not known of values that another program computed"),
            (("--min", "groundedness=0.5"), "there is no measure 'groundedness'"),
            (("--min", "AP=0.5"), "was not evaluated by AP"),
            (("--min", "faithfulness=0.5", "-l", "2"), "--level cannot change results that were saved"),
            (("--min", "faithfulness=0.5", "--also", "page=page.html"), "a page is about rankings"),
        ],
    )
    def test_what_is_not_known_is_refused(self, irev, two, more, message):
        found = irev("check", *more, two[0])

        assert (2, b"") == (found.status, found.stdout)
        assert message in found.stderr


class TestMeaning:
    def test_nothing_else_is_known_of_it(self, irev, write):
        files = [write(b"query,faithfulness,latency_ms\n1,0.5,20\n2,%b,30\n" % v, v.decode()) for v in (b"0.5", b"1")]
        found = json.loads(irev("compare", "-f", "json", *files).stdout)["measures"]

        assert [("faithfulness", "higher"), ("latency_ms", "lower")] == [(m["standard"], m["better"]) for m in found]

    def test_the_gains_of_gdeval_are_in_the_name(self, irev, write):
        rows = b"runid,topic,ndcg@20,err@20\n%b,1,0.50000,0.25000\n%b,2,0.40000,0.30000\n%b,amean,0.45000,0.27500\n"
        files = [write(rows.replace(b"%b", run), f"{run.decode()}.csv") for run in (b"x", b"y")]
        found = json.loads(irev("compare", "-f", "json", *files).stdout)["measures"]

        assert [("nDCG(gain=exp)@20", 2), ("ERR@20", 2)] == [(m["standard"], m["queries"]) for m in found]
        assert {"x", "y"} == set(found[0]["means"])

    @pytest.mark.parametrize(
        ("measure", "said", "better"),
        [("novelty", "novelty", "higher"), ("novelty", "novelty:lower", "lower"), ("qps", "qps:higher", "higher")],
    )
    def test_the_user_says_what_is_better(self, irev, write, measure, said, better):
        rows = f"query,measure,value\nq1,{measure},1\nq2,{measure},2\n".encode()
        found = json.loads(irev("compare", "-f", "json", "-m", said, write(rows, "x"), write(rows, "y")).stdout)

        assert [(measure, better)] == [(m["standard"], m["better"]) for m in found["measures"]]


@pytest.mark.parametrize(
    ("changed", "fact"),
    [
        ({"score": None}, "metric 'AP' has no score for test case 'q2'; evaluate the test case again, or leave it out"),
        ({"name": 1}, "these are no test cases with metrics, as DeepEval writes them ("),
        ({"name": "nDCG@10"}, "query 'q2' has two values of 'nDCG@10'"),
    ],
)
def test_a_test_run_that_lacks_something_is_refused(irev, write, changed, fact):
    run = deepeval_run("a")
    run["testCases"][1]["metricsData"][1] |= changed
    refused(
        irev("compare", write(json.dumps(run).encode(), "a"), write(json.dumps(deepeval_run("b")).encode(), "b")), fact
    )


def test_a_test_run_without_metrics_is_refused(irev, write):
    empty = write(b'{"testCases": [{"name": "q1"}]}', "empty")
    refused(irev("compare", empty, empty), "there are no values of single queries")
