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
        in_process("clicks", "--simulate", *users, "-f", "jsonl", "-o", str(log), QRELS, *pair)
        in_process("clicks", "-m", "clicks", "-f", "json", "-o", str(online), str(log))
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
    found = json.loads(irev("agree", "--online", "past.csv", "-f", "json").stdout)
    for n, experiment in enumerate(found["experiments"]):
        offline = json.loads((folder / f"offline-{n}.json").read_text())["measures"]
        rows = json.loads((folder / f"online-{n}.json").read_text())["contrasts"]
        (online,) = [row for row in rows if row["baseline"] is not None]
        contrasts = {each["standard"]: each["contrasts"][0] for each in offline}
        assert {name: each["difference"] for name, each in contrasts.items()} == experiment["offline"]
        # Buckets are held against the first by name, runs against the first that is given.
        sign = 1 if online["bucket"] == contrasts["AP"]["run"] else -1
        assert sign * online["difference"] == experiment["online"]
        assert math.hypot(*(row["error"] for row in rows)) == experiment["online_error"]
    assert ["experiments", *["record"] * 6] == [each["role"] for each in found["inputs"]]
    signs = {each["measure"]: each["signs"]["same"] for each in found["measures"]}
    assert {"AP", "nDCG@10", "Unj@5"} == set(signs)


def test_a_table_of_the_same_numbers_says_the_same(irev, folder):
    record = json.loads(irev("agree", "--online", "past.csv", "-f", "json").stdout)
    lines = [
        json.dumps(
            {"name": each["name"], "online": each["online"], "online_error": each["online_error"]} | each["offline"]
        )
        for each in record["experiments"]
    ]
    (folder / "flat.jsonl").write_text("\n".join(lines))
    flat = json.loads(irev("agree", "--online", "flat.jsonl", "-f", "json").stdout)
    assert record | {"inputs": 0} == flat | {"inputs": 0}


def test_measures_are_chosen_by_any_of_their_names(irev):
    found = json.loads(irev("agree", "--online", "past.csv", "-m", "map", "-f", "json").stdout)
    assert ["AP"] == [each["measure"] for each in found["measures"]]


def test_interleaved_lists_are_compared_by_credit(irev, folder):
    log = ROOT / "sample_data" / "interleaved.jsonl"
    irev("clicks", "-f", "json", "-o", "credit.json", str(log))
    credit = json.loads((folder / "credit.json").read_text())["credit"]
    rows = past(folder, "a,offline-0.json,credit.json", "b,offline-0.json,credit.json")
    found = json.loads(irev("agree", "--online", rows, "-m", "AP", "-f", "json").stdout)["experiments"]
    # Offline keyword less hybrid, online hybrid less keyword.
    assert [(-credit["difference"], credit["error"])] * 2 == [(each["online"], each["online_error"]) for each in found]
    rows = past(folder, "a,offline-0.json,online-0.json", "b,offline-0.json,credit.json")
    refused(
        irev("agree", "--online", rows), "some.csv:3: credit was compared online, and clicks in the first experiment"
    )


def test_a_metric_of_which_lower_is_better_is_turned(irev, folder):
    for n in range(2):
        irev("clicks", "-m", "abandonment", "-f", "json", "-o", f"left-{n}.json", f"log-{n}.json")
    rows = past(folder, *(f"e{n},offline-{n}.json,left-{n}.json" for n in range(2)))
    found = json.loads(irev("agree", "--online", rows, "-m", "AP", "-f", "json").stdout)["experiments"]
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
    many = irev("clicks", "-m", "clicks", "-m", "ctr", "-f", "json", "-o", "many.json", "log-0.json")
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
    damaged = changed(folder, "offline-0.json", measures=[{}])
    for row, says in {
        "y,offline-0.json,online-1.json": "some.csv:3: 'keyword' less 'hybrid' was measured offline, and 's",
        "y,offline-0.json,many.json": "many.json: 2 differences are in it; save one metric of two buckets",
        "y,three.json,online-0.json": "three.json: 2 pairs of runs are compared; compare two runs",
        "y,other.json,online-0.json": "some.csv:3: the comparison has no AP; it has P@3; -m chooses of these",
        "y,eval.json,online-0.json": "eval.json: this is no saved comparison; make it with irev compare -f json",
        "y,offline-0.json,eval.json": "eval.json: this is no saved result of clicks; make it with irev clicks -f json",
        "y,no.json,online-0.json": "no.json: this is no JSON",
        "y,list.json,online-0.json": "list.json: this is no saved result; save results with -f json",
        "y,there-is-none.json,online-0.json": "there-is-none.json: there is no such file",
        f"y,offline-0.json,{mismatched}": "its buckets are not as large as they were meant to be; leave out",
        f"y,{damaged},online-0.json": "the record is damaged, or has no difference; save it again",
        "y,,online-0.json": "some.csv:3: the value of 'offline' is empty; expected one, or no such row",
    }.items():
        refused(irev("agree", "--online", past(folder, good, row)), says)
    rows = past(folder, "z,infinite.json,online-0.json", good)
    refused(
        irev("agree", "--online", rows), "some.csv:2: the difference in SearchLength is no finite number; -m chooses"
    )
    refused(irev("agree", "--online", past(folder, good)), "some.csv: there is one experiment alone")
    (folder / "more.csv").write_text("name,offline,online,AP\nx,a,b,1\n")
    refused(irev("agree", "--online", "more.csv"), "more.csv: column 'AP' is none of saved results; expected a row")
    rows = past(folder, "x,neither.json,online-0.json", "y,neither.json,online-0.json")
    refused(irev("agree", "--online", rows), "neither higher nor lower values of NumRet are better; leave it out")


def test_no_result_is_written_over(irev):
    refused(irev("agree", "--online", "past.csv", "-o", "online-1.json", "-f", "json"), "is an input")
