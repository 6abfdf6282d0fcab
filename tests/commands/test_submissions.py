"""A track from submission to results: runs without judgments, judges, documents without a majority."""

import csv
import io
import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from conftest import ROOT
from outcomes import refused

import irev as package

SAMPLE = ROOT / "sample_data"
TOPICS, QRELS = str(SAMPLE / "topics.tsv"), str(SAMPLE / "qrels.txt")
HYBRID, KEYWORD, SEMANTIC = RUNS = tuple(str(SAMPLE / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(irev, *arguments: str) -> dict[str, Counter]:
    """The codes of the problems of each file."""
    done = irev("validate", "-f", "json", *arguments)
    assert done.status in (0, 1), done.stderr
    return {Path(file["name"]).name: Counter(file["counts"]) for file in json.loads(done.stdout)["files"]}


# Validation before there are judgments


def test_runs_are_validated_without_judgments(irev):
    found = codes(irev, "--topics", TOPICS, HYBRID, KEYWORD)
    assert {"hybrid.run", "keyword.run"} == set(found)
    assert Counter(E301=1, W204=1, W202=2) == found["keyword.run"]
    assert Counter() == found["hybrid.run"]
    said = irev("validate", HYBRID).stdout.decode()
    assert "0 errors, 0 warnings in 1 file, without judgments\n" == said
    assert "judged share" not in irev("validate", "--stats", HYBRID).stdout.decode()


@pytest.mark.parametrize("options", [("--max-depth", "3"), ("--tag", "x"), ("--sorted",)])
def test_rules_for_runs_need_a_run(irev, options):
    refused(irev("validate", *options, QRELS), f"{options[0]} has no effect without a run")
    assert 1 == irev("validate", *options[:1], *options[1:], KEYWORD).status or options == ("--sorted",)


@pytest.mark.parametrize("content", ["q1 0 d1 1\n", "query,doc,relevance\nq1,d1,1\n", '{"q1": {"d1": 1}}'])
def test_judgments_stay_judgments(irev, folder, content):
    Path("qrels").write_text(content)
    (kind,) = (file["kind"] for file in json.loads(irev("validate", "-f", "json", "qrels").stdout)["files"])
    assert "judgments" == kind


def test_a_run_id_is_that_of_one_run_and_may_have_to_be_the_name_of_the_file(irev, folder):
    lines = "q1 Q0 d1 1 {} {}\nq1 Q0 d2 2 1 {}\n"
    Path("a.run.txt").write_text(lines.format(9, "a", "a"))
    Path("b.run").write_text(lines.format(0.5, "a", "a"))  # the same documents in another order
    Path("c.run").write_text(lines.format(5, "c", "c"))  # those of a, with other scores
    Path("d+.run").write_text(lines.format("inf", "d+", "d+").replace("d2", "d3"))
    found = codes(irev, "--tag", "{file}", "a.run.txt", "b.run", "c.run", "d+.run")
    assert Counter() == found["a.run.txt"]
    assert Counter(W201=1, W230=1, E305=1) == found["b.run"]
    assert Counter(W231=1) == found["c.run"]
    assert Counter(W232=1) == found["d+.run"]
    said = irev("validate", "a.run.txt", "c.run").stdout.decode()
    assert "c.run: warning W231: a.run.txt has the same results" in said
    assert (
        "b.run: warning W230: a.run.txt has the run id 'a', too"
        in irev("validate", "a.run.txt", "b.run").stdout.decode()
    )


# Judges


def rows(irev, *arguments: str) -> list[dict[str, str]]:
    done = irev("pool", "-f", "csv", *arguments, *RUNS)
    assert 0 == done.status, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


@pytest.mark.parametrize("judges", [1, 2, 3, 8])
@pytest.mark.parametrize("overlap", [0, 3])
def test_a_pool_is_given_out_by_queries(irev, judges, overlap):
    pool = [(row["query"], row["document"]) for row in rows(irev, "--depth", "3")]
    words = ("--judges", str(judges), "--overlap", str(overlap))
    if judges == 1 and overlap:
        refused(irev("pool", "--depth", "3", *words, *RUNS), "8 queries to judge, and 1 judge")
        return
    given = rows(irev, "--depth", "3", *words)
    of_query: dict[str, set[str]] = {}
    for row in given:
        of_query.setdefault(row["query"], set()).add(row["judge"])
    assert Counter(pair for pair in pool for _ in of_query[pair[0]]) == Counter(
        (row["query"], row["document"]) for row in given
    )
    assert overlap == sum(len(each) == 2 for each in of_query.values())
    load = Counter(row["judge"] for row in given)
    longest = max(Counter(query for query, _ in pool).values())
    assert max(load.values()) - min(load.values()) <= longest
    assert given == rows(irev, "--depth", "3", *words)
    assert given != rows(irev, "--depth", "3", *words, "--seed", "1") or judges == 1


def test_judges_stand_in_every_form_and_in_python(irev):
    words = ("--depth", "3", "--judges", "2", "--overlap", "1")
    record = json.loads(irev("pool", "-f", "json", *words, *RUNS).stdout)
    found = package.pool(RUNS, depth=3, judges=2, overlap=1)
    assert {each["query"]: each["judges"] for each in record["queries"]} == {
        each.query.decode(): list(each.judges) for each in found.queries
    }
    table = irev("pool", "-f", "table", *words, *RUNS).stdout.decode()
    assert "Judges" in table
    refused(irev("pool", "--depth", "3", "--judges", "2", "--overlap", "9", *RUNS), "--overlap 9: there are 8 queries")


# Documents without a majority


def write(name: str, grades: dict[str, object]) -> None:
    Path(name).write_text("".join(f"{pair} {grade}\n" for pair, grade in grades.items()))


def test_documents_without_a_majority_are_listed(irev, folder):
    write("a", {"q1 0 d1": 1, "q1 0 d2": 1, "q2 0 d1": 0, "q2 0 d2": 2})
    write("b", {"q1 0 d1": 1, "q1 0 d2": 0, "q2 0 d1": 1, "q2 0 d2": 2})
    write("c", {"q1 0 d1": 0, "q1 0 d2": 2, "q2 0 d2": 0, "q2 0 d3": 1})
    assert 0 == irev("judges", "--unsettled-to", "list.csv", "a", "b", "c").status
    assert "query,document,by a,by b,by c,grade\nq1,d2,1,0,2,\nq2,d1,0,1,,\n" == Path("list.csv").read_text()
    found = package.judges({name: name for name in "abc"}).unsettled()
    assert [("q1", "d2", "1", "0", "2", None), ("q2", "d1", "0", "1", None, None)] == list(found.rows)
    refused(irev("judges", "--unsettled-to", "a", "a", "b", "c"), "a")


# Fleiss' kappa


def fleiss(items: list[list[int]]) -> Fraction:
    """Fleiss' kappa by its definition, of the grades of each item."""
    n, grades = len(items[0]), sorted({grade for item in items for grade in item})
    share = [Fraction(sum(item.count(grade) for item in items), n * len(items)) for grade in grades]
    agree = [Fraction(sum(item.count(grade) ** 2 for grade in grades) - n, n * (n - 1)) for item in items]
    by_chance = sum(each**2 for each in share)
    return (sum(agree) / len(items) - by_chance) / (1 - by_chance)


def kappas(items: list[list[int]]) -> dict:
    """What `irev.judges` finds of the pair, or of all judges."""
    judges = {
        f"j{place}": {
            f"q{n % 5}": {f"d{m}": item[place] for m, item in enumerate(items) if m % 5 == n % 5} for n in range(5)
        }
        for place in range(len(items[0]))
    }
    found = package.judges(judges)
    return (found.pairs[0] if found.together is None else found.together).coefficients


# Fleiss' table of ten subjects and 14 raters, as counts of five categories: 0.2099.
TABLE = (
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
)


def test_fleiss_kappa_is_that_of_the_definition():
    items = [[grade for grade, count in enumerate(row) for _ in range(count)] for row in TABLE]
    value = kappas(items)["fleiss"].value
    assert float(fleiss(items)) == pytest.approx(value)
    assert f"{value:.4f}" == "0.2099"


def test_two_judges_have_the_kappa_with_pooled_marginals_of_the_textbook():
    """Manning, Raghavan and Schuetze, table 8.2: 300 yes yes, 20 yes no, 10 no yes, 70 no no; kappa is 0.776."""
    items = [[1, 1]] * 300 + [[1, 0]] * 20 + [[0, 1]] * 10 + [[0, 0]] * 70
    found = kappas(items)
    assert float(fleiss(items)) == pytest.approx(found["fleiss"].value)
    assert "0.776" == f"{found['fleiss'].value:.3f}"


# Results for participants


@pytest.fixture
def broken(folder):
    """A folder of three runs and a file that is none."""
    Path("runs").mkdir()
    for run in RUNS:
        Path("runs", Path(run).name).write_bytes(Path(run).read_bytes())
    Path("runs", "bad.run").write_text("x y\n")
    return folder


@pytest.mark.parametrize("command", [("eval", "-m", "AP", QRELS), ("pool", "--depth", "2")], ids=["eval", "pool"])
def test_runs_that_cannot_be_read_are_left_out_on_demand(irev, broken, command):
    refused(irev(*command, "runs"), "bad.run:1: 2 fields in 'x y'")
    done = irev(*command, "--skip-broken", "runs")
    assert 0 == done.status
    assert re.search(r"warning: runs.bad\.run:1: 2 fields in 'x y'; .*; this run is skipped", done.stderr)
    assert irev(*command, *RUNS).stdout == done.stdout
    refused(irev(*command, "--skip-broken", "runs/bad.run"), "bad.run:1: 2 fields in 'x y'")


def test_participants_see_the_best_median_and_worst_of_each_query(irev):
    done = irev("eval", "-c", "--medians", "-f", "csv", "-m", "AP", "-m", "RR", QRELS, *RUNS)
    values: dict[tuple[str, str], list[float]] = {}
    for row in csv.DictReader(
        io.StringIO(
            irev(
                "eval", "-q", "-c", "-f", "csv", "--digits", "17", "-m", "AP", "-m", "RR", QRELS, *RUNS
            ).stdout.decode()
        )
    ):
        if row["query"] != "all":
            values.setdefault((row["measure"], row["query"]), []).append(float(row["value"]))
    found = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert len(values) == len(found)
    for row in found:
        three = sorted(values[row["measure"], row["query"]])
        assert [f"{each:.4f}" for each in reversed(three)] == [row["best"], row["median"], row["worst"]]
    for style in ("table", "markdown", "html", "latex", "tsv", "json", "jsonl"):
        assert 0 == irev("eval", "-c", "--medians", "-f", style, "-m", "AP", QRELS, *RUNS).status
    refused(irev("eval", "--medians", "-m", "AP", QRELS, *RUNS), "add -f table or -f csv")
    refused(irev("eval", "--medians", "-f", "csv", "-m", "AP", QRELS, RUNS[0]), "give several runs")


def test_medians_are_sorted(irev):
    asked = ("eval", "--medians", "-m", "AP", QRELS, *RUNS)
    shown = irev(*asked, "--sort", "spread:asc", "-f", "table").stdout.decode()
    spreads = [float(line.split()[4]) for line in shown.splitlines() if re.match(r"q[0-9]", line)]
    assert sorted(spreads) == spreads
    assert len({*spreads}) > 2
    refused(irev(*asked, "--sort", "AP", "-f", "csv"), "-f csv has them in the order of their ids; add -f table")


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2)], ids=["in pieces", "together"])
def test_a_run_id_of_several_words_is_its_first_word_and_is_told_with_its_line(irev, folder, order):
    Path("qrels").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    lines = [f"{query} Q0 {document} 1 {score} our best run\n" for query, document, score in RESULTS]
    Path("a.run").write_text("\n" + "".join(lines[each] for each in order))
    told = "a.run:2: the run id 'our best run' has several words, of which only 'our' counts; write it as one word\n"
    for choice in ((), ("--strict",)):  # no number depends on it
        done = irev("eval", "-m", "runid", "-m", "map", *choice, "qrels", "a.run")
        assert (0, b"runid                 \tall\tour\nmap                   \tall\t0.7500\n") == (
            done.status,
            done.stdout,
        )
        assert f"irev: warning: {told}" == done.stderr
    with pytest.warns(package.RunWarning, match="has several words, of which only 'our' counts"):
        package.evaluate("qrels", "a.run", "AP")
    assert f"{told.replace(': the', ': warning W233: the')}" in irev("validate", "qrels", "a.run").stdout.decode()


RESULTS = (("q1", "d1", 2), ("q2", "d1", 1), ("q2", "d2", 2))


def test_a_shifted_line_is_told_before_a_run_id_of_several_words(irev, folder):
    Path("qrels").write_text("q1 0 d1 1\n")
    Path("a.run").write_text("q1 Q0 d1 1 2 our run\nq1 Q0 d 2nd 2 1 run\n")
    assert "a.run:2: more than 6 fields, and the rank is not a number" in irev("eval", "qrels", "a.run").stderr
