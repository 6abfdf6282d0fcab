"""Past experiments from saved results: the same as the numbers that stand in these, and nothing that does not fit."""

import json
import math

import pytest
from conftest import ROOT, in_process
from outcomes import refused

QRELS, HYBRID, KEYWORD, SEMANTIC = (
    str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run")
)
PAIRS = ((HYBRID, KEYWORD), (KEYWORD, SEMANTIC), (SEMANTIC, HYBRID))
MEASURES = ("-m", "AP", "-m", "nDCG@10", "-m", "Unj@5")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three experiments that are saved: runs compared, and logs of made-up users scored as two buckets."""
    folder = tmp_path_factory.mktemp("experiments")
    rows = ["name,offline,online"]
    for n, pair in enumerate(PAIRS):
        offline, log, online = (folder / f"{kind}-{n}.json" for kind in ("offline", "log", "online"))
        in_process("compare", *MEASURES, "-f", "json", "-o", str(offline), QRELS, *pair)
        users = ("--impressions", "300", "--seed", str(n))
        in_process("online", "simulate", *users, "-f", "jsonl", "-o", str(log), QRELS, *pair)
        in_process("online", "ab", "-m", "clicks", "-f", "json", "-o", str(online), str(log))
        rows.append(f"e{n},{offline.name},{online.name}")
    (folder / "past.csv").write_text("".join(f"{row}\n" for row in rows))
    return folder


@pytest.fixture(autouse=True)
def _there(folder, monkeypatch):
    monkeypatch.chdir(folder)


def changed(folder, name, **members):
    """A saved result with other members, under a name of its own."""
    record = json.loads((folder / name).read_text()) | members
    (folder / f"changed-{name}").write_text(json.dumps(record))
    return f"changed-{name}"


def past(folder, *rows):
    (folder / "some.csv").write_text("".join(f"{row}\n" for row in ("name,offline,online", *rows)))
    return "some.csv"


def test_differences_are_those_of_the_results(irev, folder):
    found = json.loads(irev("online", "predict", "past.csv", "-f", "json").stdout)
    for n, experiment in enumerate(found["experiments"]):
        offline = json.loads((folder / f"offline-{n}.json").read_text())["measures"]
        rows = json.loads((folder / f"online-{n}.json").read_text())["contrasts"]
        (online,) = [row for row in rows if row["baseline"] is not None]
        contrasts = {each["standard"]: each["contrasts"][0] for each in offline}
        assert {name: each["difference"] for name, each in contrasts.items()} == experiment["offline"]
        # Buckets are compared with the first by name, runs against the first that is given.
        sign = 1 if online["bucket"] == contrasts["AP"]["run"] else -1
        assert sign * online["difference"] == experiment["online"]
        assert math.hypot(*(row["error"] for row in rows)) == experiment["online_error"]
    assert ["experiments", *["record"] * 6] == [each["role"] for each in found["inputs"]]
    signs = {each["measure"]: each["signs"]["same"] for each in found["measures"]}
    assert {"AP", "nDCG@10", "Unj@5"} == set(signs)


def test_a_table_of_the_same_numbers_says_the_same(irev, folder):
    record = json.loads(irev("online", "predict", "past.csv", "-f", "json").stdout)
    lines = [
        json.dumps(
            {"name": each["name"], "online": each["online"], "online_error": each["online_error"]} | each["offline"]
        )
        for each in record["experiments"]
    ]
    (folder / "flat.jsonl").write_text("\n".join(lines))
    flat = json.loads(irev("online", "predict", "flat.jsonl", "-f", "json").stdout)
    assert record | {"inputs": 0} == flat | {"inputs": 0}


def test_measures_are_chosen_by_any_of_their_names(irev):
    found = json.loads(irev("online", "predict", "past.csv", "-m", "map", "-f", "json").stdout)
    assert ["AP"] == [each["measure"] for each in found["measures"]]


def test_interleaved_lists_are_compared_by_credit(irev, folder):
    log = ROOT / "sample_data" / "interleaved.jsonl"
    irev("online", "preference", "-f", "json", "-o", "credit.json", str(log))
    credit = json.loads((folder / "credit.json").read_text())["credit"]
    rows = past(folder, "a,offline-0.json,credit.json", "b,offline-0.json,credit.json")
    found = json.loads(irev("online", "predict", rows, "-m", "AP", "-f", "json").stdout)["experiments"]
    # Offline keyword less hybrid, online hybrid less keyword.
    assert [(-credit["difference"], credit["error"])] * 2 == [(each["online"], each["online_error"]) for each in found]
    rows = past(folder, "a,offline-0.json,online-0.json", "b,offline-0.json,credit.json")
    refused(
        irev("online", "predict", rows), "some.csv:3: credit was compared online, and clicks in the first experiment"
    )


def test_a_metric_of_which_lower_is_better_is_turned(irev, folder):
    for n in range(2):
        irev("online", "ab", "-m", "abandonment", "-f", "json", "-o", f"left-{n}.json", f"log-{n}.json")
    rows = past(folder, *(f"e{n},offline-{n}.json,left-{n}.json" for n in range(2)))
    found = json.loads(irev("online", "predict", rows, "-m", "AP", "-f", "json").stdout)["experiments"]
    for n, each in enumerate(found):
        (online,) = [
            row
            for row in json.loads((folder / f"left-{n}.json").read_text())["contrasts"]
            if row["baseline"] is not None
        ]
        assert abs(online["difference"]) == abs(each["online"])
        turned = online["baseline"] == ("hybrid", "keyword")[n]
        assert (-1 if turned else 1) * online["difference"] == each["online"]


def test_results_that_do_not_fit_are_refused(irev, folder):
    good = "x,offline-0.json,online-0.json"
    many = irev("online", "ab", "-m", "clicks", "-m", "ctr", "-f", "json", "-o", "many.json", "log-0.json")
    assert 0 == many.status
    irev("compare", "-m", "AP", "-f", "json", "-o", "three.json", QRELS, HYBRID, KEYWORD, SEMANTIC)
    irev("compare", "-m", "P@3", "-f", "json", "-o", "other.json", QRELS, HYBRID, KEYWORD)
    irev("compare", "-m", "P@3", "-m", "NumRet", "-f", "json", "-o", "neither.json", QRELS, HYBRID, KEYWORD)
    irev("compare", "-m", "AP", "-m", "SearchLength", "-f", "json", "-o", "infinite.json", QRELS, HYBRID, KEYWORD)
    irev("eval", "-f", "json", "-o", "eval.json", QRELS, HYBRID)
    (folder / "no.json").write_text("{")
    (folder / "list.json").write_text("[]")
    sample_ratio = {"p": 1e-9, "at_most": 0.001, "mismatch": True}
    mismatched = changed(folder, "online-0.json", sample_ratio=sample_ratio)
    online = json.loads((folder / "online-1.json").read_text())
    fisher = changed(folder, "online-1.json", contrasts=[each | {"test": "fisher"} for each in online["contrasts"]])
    damaged = changed(folder, "offline-0.json", measures=[{}])
    for row, says in {
        "y,offline-0.json,online-1.json": "some.csv:3: 'keyword' less 'hybrid' was measured offline, and 's",
        "y,offline-0.json,many.json": "many.json: 2 differences are in it; save one metric of two buckets",
        "y,three.json,online-0.json": "three.json: 2 pairs of runs are compared; compare two runs",
        "y,other.json,online-0.json": "some.csv:3: the comparison has no AP; it has P@3; -m chooses of these",
        "y,eval.json,online-0.json": "eval.json: this is no saved comparison; make it with irev compare -f json",
        "y,offline-0.json,eval.json": "eval.json: this is no saved result of clicks; make it with irev online",
        "y,no.json,online-0.json": "no.json:1: this is no JSON",
        "y,list.json,online-0.json": "list.json: this is no saved comparison; make it with irev compare -f json",
        "y,there-is-none.json,online-0.json": "there-is-none.json: there is no such file",
        f"y,offline-0.json,{mismatched}": "its buckets are not as large as they were meant to be; leave out",
        f"y,offline-0.json,{fisher}": "its standard error is not known: too few users differ; leave out",
        f"y,{damaged},online-0.json": "changed-offline-0.json, measures[0]: expected an object",
        "y,,online-0.json": "some.csv:3: the value of 'offline' is empty; expected one, or no such row",
    }.items():
        refused(irev("online", "predict", past(folder, good, row)), says)
    rows = past(folder, "z,infinite.json,online-0.json", good)
    refused(
        irev("online", "predict", rows), "some.csv:2: the difference in SearchLength is no finite number; -m chooses"
    )
    refused(irev("online", "predict", past(folder, good)), "some.csv: there is one experiment alone")
    (folder / "more.csv").write_text("name,offline,online,AP\nx,a,b,1\n")
    refused(irev("online", "predict", "more.csv"), "more.csv: column 'AP' is none of saved results; expected a row")
    rows = past(folder, "x,neither.json,online-0.json", "y,neither.json,online-0.json")
    refused(irev("online", "predict", rows), "neither higher nor lower values of NumRet are better; leave it out")


def test_no_result_is_written_over(irev):
    refused(irev("online", "predict", "past.csv", "-o", "online-1.json", "-f", "json"), "is an input")


def edited(folder, name, edit):
    """A saved result that is as a text gives it, under a name of its own; `edit` is what is replaced, and by what."""
    text = (folder / name).read_text()
    assert edit[0] in text
    (folder / f"edited-{name}").write_text(text.replace(*edit, 1))
    return f"edited-{name}"


@pytest.mark.parametrize(
    ("member", "value", "says"),
    [
        ("version", 99, "does not know version 99 of such results; use the version of irev that made it, or a later"),
        ("version", True, ", version: expected a whole number of 0 or more, found true or false; make it with irev c"),
        ("version", None, ", version: expected a whole number of 0 or more, found null"),
        ("measures", 3, ", measures: expected a list, found a number; make it with irev compare -f json"),
        ("measures", [], "0 pairs of runs are compared"),
    ],
)
def test_a_comparison_that_is_none_is_refused(irev, folder, member, value, says):
    name = changed(folder, "offline-0.json", **{member: value})
    refused(irev("online", "predict", past(folder, f"x,{name},online-0.json", f"y,{name},online-0.json")), name, says)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("measures.0.better", "sideways", "better: expected one of higher, lower, neither, found 'sideways'"),
        ("measures.0.better", ["higher"], "better: expected one of higher, lower, neither, found a list"),
        ("measures.0.standard", 7, "measures[0].standard: expected a text, found a number"),
        ("measures.0.standard", "nDCG@10", "measures[1].standard: expected a measure that is not listed before"),
        ("measures.0.contrasts.0.difference", True, "contrasts[0].difference: expected a number, "),
        ("measures.0.contrasts.0.difference", [1], "contrasts[0].difference: expected a number, "),
        ("measures.0.contrasts.0.difference", 10**300, "contrasts[0].difference: expected a number, "),
        ("measures.0.contrasts.0.difference", 1e308, "the difference in AP is no finite number"),
        ("measures.0.contrasts.0.difference", "nan", "the difference in AP is no finite number"),
        ("measures.0.contrasts.0.run", 1, "contrasts[0].run: expected a text, found a number"),
        ("measures.0.contrasts.0.run", "\ud800", "contrasts[0].run: expected a text of characters that there are"),
        ("measures.0.contrasts.0.run", "hybrid", "contrasts[0].baseline: expected another name than that of run"),
        ("measures.0.contrasts", [], "measures[0].contrasts: expected a list with one difference"),
        ("measures.0.contrasts", 10, "measures[0].contrasts: expected a list, found a number"),
    ],
)
def test_what_is_used_of_a_comparison_is_looked_at_before(irev, folder, path, value, says):
    name = changed_inside(folder, "offline-0.json", path, value)
    rows = past(folder, f"x,{name},online-0.json", "y,offline-1.json,online-1.json")
    refused(irev("online", "predict", rows, "-m", "AP", "-m", "nDCG@10"), says)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("version", 99, "does not know version 99 of such results"),
        ("sample_ratio.mismatch", 0, "sample_ratio.mismatch: expected true or false, found a number"),
        ("metrics.0.better", "sideways", "metrics[0].better: expected one of higher, lower, found 'sideways'"),
        ("metrics.0.name", 3, "metrics[0].name: expected a text, found a number"),
        ("metrics", [], "contrasts[0].metric: expected the one metric that is listed, found 'clicks'"),
        ("contrasts.0.metric", "ctr", "contrasts[0].metric: expected the one metric that is listed, found 'ctr'"),
        ("contrasts.1.metric", "ctr", "contrasts[1].metric: expected the one metric that is listed, found 'ctr'"),
        ("contrasts.0.error", -1, "contrasts[0].error: expected a standard error of 0 or more"),
        ("contrasts.1.error", -1, "contrasts[1].error: expected a standard error of 0 or more"),
        ("contrasts.1.error", None, "contrasts[1].error: expected a number, found null; make it with irev online"),
        ("contrasts.1.error", "inf", "contrasts[1].error: expected a number, found 'inf'"),
        ("contrasts.1.error", 1e308, "contrasts[1].error: expected a difference that may be one"),
        ("contrasts.1.difference", False, "contrasts[1].difference: expected a number, found true or false"),
        ("contrasts.1.difference", 10**300, "contrasts[1].difference: expected a smaller number"),
        ("contrasts.1.bucket", 5, "contrasts[1].bucket: expected a text, found a number"),
        ("contrasts.0.bucket", "other", "contrasts: expected a list with each bucket once"),
        ("contrasts.0.bucket", None, "contrasts[0].bucket: expected a text, found null"),
        ("contrasts", {}, "contrasts: expected a list, found an object"),
    ],
)
def test_what_is_used_of_buckets_is_looked_at_before(irev, folder, path, value, says):
    name = changed_inside(folder, "online-0.json", path, value)
    rows = past(folder, f"x,offline-0.json,{name}", "y,offline-1.json,online-1.json")
    refused(irev("online", "predict", rows, "-m", "AP"), name, says)


def changed_inside(folder, name, path, value):
    """A saved result with another value at a path of keys and numbers."""
    record = within = json.loads((folder / name).read_text())
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        within = within[part]
    within[last] = value
    (folder / f"changed-{name}").write_text(json.dumps(record))
    return f"changed-{name}"


def test_a_standard_error_of_0_in_all_buckets_is_refused(irev, folder):
    name = changed_inside(folder, "online-0.json", "contrasts.0.error", 0)
    rows = past(folder, f"x,offline-0.json,{name}", "y,offline-1.json,online-1.json")
    assert 0 == irev("online", "predict", rows, "-m", "AP").status, "all users of one bucket may have done the same"
    (folder / "zero.json").write_text((folder / name).read_text())
    changed_inside(folder, "zero.json", "contrasts.1.error", 0)
    rows = past(folder, "x,offline-0.json,changed-zero.json", "y,offline-1.json,online-1.json")
    refused(irev("online", "predict", rows, "-m", "AP"), "the standard error of its difference is not above 0")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1" + "0" * 400])
def test_numbers_that_json_has_not_are_refused(irev, folder, number):
    for kind in ("offline", "online"):
        name = edited(folder, f"{kind}-0.json", ('"difference": ', f'"difference": {number}, "was": '))
        files = {"offline": "offline-0.json", "online": "online-0.json"} | {kind: name}
        rows = past(folder, f"x,{files['offline']},{files['online']}", "y,offline-1.json,online-1.json")
        refused(irev("online", "predict", rows, "-m", "AP"), f"{name}: this is no JSON (")


def test_a_key_that_stands_twice_is_refused(irev, folder):
    name = edited(folder, "offline-0.json", ('"standard": "AP"', '"standard": "AP", "standard": "RR"'))
    rows = past(folder, f"x,{name},online-0.json", "y,offline-1.json,online-1.json")
    refused(irev("online", "predict", rows), f"{name}: this is no JSON (a key stands twice in an object); make it with")


def test_comparisons_that_mean_another_thing_by_a_measure_are_refused(irev, folder):
    name = changed_inside(folder, "offline-1.json", "measures.0.better", "lower")
    rows = past(folder, "x,offline-0.json,online-0.json", f"y,{name},online-1.json")
    fact = "some.csv:3: lower values of AP are better, and higher ones in the first experiment"
    refused(irev("online", "predict", rows, "-m", "AP"), fact)


def test_interleaved_lists_that_are_damaged_are_refused(irev, folder):
    irev("online", "preference", "-f", "json", "-o", "lists.json", str(ROOT / "sample_data" / "interleaved.jsonl"))
    for path, value, says in (
        ("a", 1, "a: expected a text, found a number"),
        ("b", "hybrid", "b: expected another name than that of a, found 'hybrid'"),
        ("credit", None, "credit: expected an object, found null"),
        ("credit.error", -0.5, "credit.error: expected a standard error of 0 or more"),
        ("credit.difference", True, "credit.difference: expected a number, found true or false"),
        ("version", "1", "version: expected a whole number of 0 or more, found '1'"),
    ):
        name = changed_inside(folder, "lists.json", path, value)
        refused(irev("online", "predict", past(folder, *(f"{row},offline-0.json,{name}" for row in "xy"))), says)
