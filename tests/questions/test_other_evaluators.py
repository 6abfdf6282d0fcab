"""Results that other evaluators computed: every form has one outcome, in every command and in Python."""

import csv
import io
import json

import pytest

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


FORMS = {
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
