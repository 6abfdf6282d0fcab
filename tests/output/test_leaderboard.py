"""Tables of runs in the order of a measure, of queries in that of what runs have for them; and what is said of many."""

import csv
import io
import json
import re

import numpy as np
import pytest
from conftest import ROOT
from outcomes import refused

QRELS, *RUNS = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run"))
STYLES = ("table", "markdown", "latex", "html")


@pytest.fixture
def many(tmp_path, monkeypatch) -> list[str]:
    """Judgments and nine runs of different worth, of which all have ties, and all lack a query."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    queries, documents = [f"q{n}" for n in range(12)], [f"d{n}" for n in range(20)]
    judged = "".join(f"{q} 0 {d} {int(n < 4)}\n" for q in [*queries, "lost"] for n, d in enumerate(documents))
    (tmp_path / "qrels").write_text(judged)
    for run in range(9):
        scores = {(q, n): round(random.normal((n < 4) * run / 4, 0.6), 1) for q in queries for n in range(20)}
        lines = "".join(f"{q} Q0 d{n} 1 {score} r{run}\n" for (q, n), score in scores.items())
        (tmp_path / f"r{run}").write_text(lines)
    return ["qrels", *(f"r{run}" for run in range(9))]


def rows(text: str) -> list[list[str]]:
    """The words of the rows that begin with a rank."""
    return [line.split() for line in text.splitlines() if re.match(r" *\d+ +\S+ .*\d\.\d", line)]


def shown(irev, *arguments: str) -> str:
    done = irev("eval", *arguments)
    assert 0 == done.status, done.stderr
    return done.stdout.decode()


@pytest.mark.parametrize(
    ("sort", "measure", "better", "down"),
    [
        ("AP", "AP", "higher", True),
        ("AP:asc", "AP", "higher", False),
        ("AP:desc", "AP", "higher", True),
        ("SearchLength", "SearchLength", "lower", False),
        ("SearchLength:desc", "SearchLength", "lower", True),
        ("map", "AP", "higher", True),
    ],
)
def test_runs_stand_in_the_order_of_a_measure_and_the_best_is_the_first(irev, many, sort, measure, better, down):
    text = shown(irev, "-f", "table", "-m", measure, "-m", "P@5", "--sort", sort, *many)
    found = [(int(rank), float(value.strip("◂"))) for rank, _, value, _ in rows(text)]

    assert sorted((value for _, value in found), reverse=down) == [value for _, value in found]
    best = sorted((value for _, value in found), reverse=better == "higher")
    assert [best.index(value) + 1 for _, value in found] == [rank for rank, _ in found]


def test_equal_values_share_a_rank(irev, many):
    text = shown(irev, "-f", "table", "-m", "num_ret", "-m", "AP", "--sort", "num_ret", *many)

    assert {"1"} == {row[0] for row in rows(text)}


def test_runs_are_ranked_under_each_set_of_judgments(irev):
    sets = ["--qrels", f"a={QRELS}", "--qrels", f"b={QRELS}"]
    found = rows(shown(irev, "-f", "table", "-m", "AP", "--sort", "AP", *sets, *RUNS))

    assert ["a"] * 3 + ["b"] * 3 == [row[2] for row in found]
    assert ["1", "2", "3"] * 2 == [row[0] for row in found]


def test_groups_follow_their_run_and_have_no_rank(irev, tmp_path):
    (tmp_path / "groups").write_text("q1\tx\nq2\tx\n")
    options = ["-f", "markdown", "-m", "AP", "--sort", "AP", "--groups", str(tmp_path / "groups")]
    lines = shown(irev, *options, QRELS, *RUNS).splitlines()[2:8]

    assert [("1", "all"), ("", "x"), ("2", "all"), ("", "x"), ("3", "all"), ("", "x")] == [
        (cells[1].strip(), cells[3].strip()) for cells in (line.split("|") for line in lines)
    ]


@pytest.mark.parametrize("style", STYLES)
def test_ranks_stand_in_every_style_for_people(irev, style):
    text = shown(irev, "-f", style, "-m", "AP", "--sort", "AP", QRELS, *RUNS)

    assert text.index("rank") < text.index("run", text.index("rank"))
    assert text.index("semantic") < text.index("hybrid") < text.index("keyword")


def test_a_saved_result_is_shown_in_the_same_order(irev, many, tmp_path):
    shown(irev, "-m", "AP", "-o", "saved.json", *many)
    options = ["-f", "table", "--sort", "AP"]

    assert shown(irev, *options, "-m", "AP", *many) == irev("show", *options, "saved.json").stdout.decode()


@pytest.mark.parametrize("style", ["table", "markdown", "latex", "html", "csv", "jsonl"])
def test_measures_stand_in_the_order_asked_for(irev, style):
    names = ["P@5", "nDCG@10", "AP"] if style not in ("csv", "jsonl") else ["P_5", "ndcg_cut_10", "map"]
    text = shown(irev, "-f", style, "-m", "P@5", "-m", "nDCG@10", "-m", "AP", QRELS, *RUNS)

    places = [text.index(name) for name in names]
    assert sorted(places) == places


def test_what_is_saved_in_the_order_asked_for_has_the_lines_of_trec_eval_in_its_own(irev, tmp_path):
    asked = ["-q", "-m", "P.10", "-m", "map", "-m", "P.5", "-m", "num_ret", QRELS, RUNS[0]]
    shown(irev, "-o", str(tmp_path / "saved.json"), *asked)

    assert shown(irev, *asked) == irev("show", "-q", str(tmp_path / "saved.json")).stdout.decode()
    labels = list(dict.fromkeys(line.split()[0] for line in shown(irev, *asked).splitlines()))
    assert ["num_ret", "map", "P_5", "P_10"] == labels


# The best


def test_a_run_averaged_over_other_queries_is_never_marked_as_best(irev):
    """keyword has 6 queries and the highest mean; of the other two, with 7 queries, semantic is the best."""
    line = ("eval", "--sort", "RBP", "-m", "RBP", "-f", "table", QRELS, *RUNS)
    lines = {row[1]: row[2] for each in irev(*line).stdout.decode().splitlines() if len(row := each.split()) == 3}
    assert {"keyword*": "0.3198", "semantic": "0.3180◂", "hybrid": "0.3090"} == {
        name: lines[name] for name in ("keyword*", "semantic", "hybrid")
    }
    every = irev(*line, "-c").stdout.decode()
    assert "*" not in every


def test_the_best_of_runs_is_marked_where_there_is_no_bold_type_and_the_mark_explained(irev):
    lines = shown(irev, "-f", "table", "-m", "AP", "-m", "P@5", QRELS, *RUNS).splitlines()

    assert ["hybrid", "0.6746", "0.4000◂"] == lines[2].split()
    assert ["keyword*", "0.6537", "0.4333"] == lines[3].split()
    assert ["semantic", "0.7270◂", "0.4000◂"] == lines[4].split()
    assert "◂ best run" == lines[-1]
    assert "◂" not in shown(irev, "-f", "table", "-m", "AP", QRELS, RUNS[0])


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.thorough
def test_runs_that_do_not_differ_from_the_best_are_told_from_those_that_do(irev, many, style):
    text = shown(irev, "-f", style, "-m", "AP", "--sort", "AP", "--significance", *many)

    assert {"best", "worse", "not shown"} <= {*re.findall(r"best|worse|not shown", text.replace("vs best", ""))}
    said = " ".join(text.split())
    for words in ("paired t test", "the maximum-t method over 36 tests", "on 12 queries", "does not mean equal"):
        assert words in said
    assert re.search(r"p (≤|\$\\leq\$) 0\.05", said)


def against_the_best(irev, *arguments: str) -> dict[str, str]:
    found = rows(shown(irev, "-f", "table", "-m", "AP", "--sort", "AP", "--significance", *arguments))
    return {row[1]: " ".join(row[3:]) for row in found}


@pytest.fixture
def near(tmp_path, monkeypatch) -> list[str]:
    """Three runs by the ranks of the one relevant document: p of the first two is 0.0531, by 10,000 samples 0.0496."""
    monkeypatch.chdir(tmp_path)
    ranks = {
        "x": [5, 5, 10, 6, 7, 2, 1, 10, 8, 7, 1, 1, 5, 8, 6, 4, 7, 6, 6, 2, 3, 5, 10, 7, 2],
        "y": [4, 4, 11, 5, 8, 2, 3, 10, 7, 7, 2, 2, 7, 9, 8, 6, 8, 8, 6, 3, 3, 4, 9, 9, 4],
        "z": [4, 3, 9, 8, 3, 5, 10, 9, 8, 9, 3, 10, 10, 10, 10, 2, 8, 9, 8, 2, 8, 7, 1, 1, 6],
    }
    (tmp_path / "qrels").write_text("".join(f"q{query:02} 0 rel 1\n" for query in range(25)))
    for run, of in ranks.items():
        found = [(q, "rel" if n == rank else f"d{n}", n) for q, rank in enumerate(of) for n in range(1, rank + 1)]
        (tmp_path / run).write_text("".join(f"q{q:02} Q0 {document} {n} {-n} {run}\n" for q, document, n in found))
    return ["qrels", *ranks]


@pytest.mark.parametrize("files", ["many", "near"])
@pytest.mark.thorough
def test_what_is_said_of_the_best_is_what_a_comparison_of_all_pairs_finds(irev, request, files):
    arguments = request.getfixturevalue(files)
    found = against_the_best(irev, *arguments)
    record = json.loads(
        irev("compare", "--queries", "both", "-m", "AP", "--all-pairs", "-f", "json", *arguments).stdout
    )
    best = next(iter(found))
    turned = {"better": "worse", "worse": "better"}
    expected = {best: "best"}
    for each in record["measures"][0]["contrasts"]:
        if each["baseline"] == best:
            expected[each["run"]] = each["finding"]
        elif each["run"] == best:
            expected[each["baseline"]] = turned.get(each["finding"], each["finding"])

    assert expected == found


def test_the_queries_that_the_best_is_held_against_others_on_are_said_as_they_count(irev):
    """One of these runs has no results for q6, which is no query "that all runs have"."""
    options = ("-f", "table", "-m", "AP", "--sort", "AP", "--significance", QRELS)
    every = " ".join(shown(irev, "-c", *options, *RUNS).split())
    shared = " ".join(shown(irev, *options, RUNS[0], RUNS[2]).split())

    assert "on 7 queries (all judged queries; one without results counts as an empty ranking): paired t test" in every
    assert "on 7 queries (those in both files): paired t test" in shared


@pytest.mark.parametrize(
    ("options", "said"),
    {
        (
            "-m",
            "RR",
        ): "different queries, so their means are not comparable; count all judged queries, those without results",
        ("-c", "-m", "RR", "--aggregate", "median"): "RR(agg=median) ranks runs by a number that is not a mean over",
        ("-c", "-m", "judged.5,by=pooled"): "Judged(by=pooled)@5 ranks runs by a number that is not a mean over",
        ("-c", "-m", "gm_map"): "GMAP ranks runs by a number that is not a mean over queries, but tests compare means",
    }.items(),
)
def test_what_is_tested_is_what_runs_are_ranked_by(irev, tmp_path, monkeypatch, options, said):
    """Ranked by its own queries the one run is the best, and the other shown to be better on those that both have."""
    monkeypatch.chdir(tmp_path)
    lines: dict[str, str] = {"qrels": "", "x": "", "y": ""}
    ranks = {"x": {q: 1 if q >= 20 else 3 + q % 3 for q in range(30)}, "y": {q: 2 + q % 2 for q in range(20)}}
    for query in range(30):
        lines["qrels"] += f"q{query} 0 rel 1\n"
        for run in ranks:
            for rank in range(1, ranks[run].get(query, 0) + 1):
                document = "rel" if rank == ranks[run][query] else f"n{rank}"
                lines[run] += f"q{query} Q0 {document} {rank} {-rank} {run}\n"
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
    arguments = ("eval", "-f", "table", *options, "--sort", options[options.index("-m") + 1], "qrels", "x", "y")

    refused(irev(*arguments, "--significance"), said)
    assert 0 == irev(*arguments).status
    added = irev("eval", "-c", "-f", "table", "-m", "RR(agg=sum)", "--sort", "RR", "--significance", "qrels", "x", "y")
    assert 0 == added.status, added.stderr


@pytest.mark.parametrize("better", ["gm_map", "gm_bpref", "num_q"])
def test_runs_are_ranked_by_measures_that_have_a_number_for_all_queries_alone(irev, better):
    options = ["-f", "table", "-m", better, "-m", "AP", "--sort", better, QRELS, *RUNS]
    found = [float(row[2].strip("◂")) for row in rows(shown(irev, *options))]

    assert 3 == len(found)
    assert sorted(found, reverse=True) == found
    done = irev("eval", "-q", *options)
    refused(
        done, f"--sort {better}: it has only one number for all queries, which cannot sort single queries; leave out"
    )


# Queries


@pytest.mark.parametrize("column", ["best", "median", "worst", "spread"])
@pytest.mark.parametrize("end", ["", ":asc", ":desc"])
@pytest.mark.thorough
def test_queries_are_sorted_by_what_runs_have_for_them(irev, many, column, end):
    text = shown(irev, "-f", "table", "-q", "-n", "-m", "AP", "--sort", column + end, *many)
    lines = [line.split() for line in text.splitlines() if line.startswith("q") and "query" not in line]
    values = [float(line[["best", "median", "worst", "spread"].index(column) + 1]) for line in lines]

    assert 12 == len(lines)
    assert sorted(values, reverse=end == ":desc" or (not end and column == "spread")) == values
    assert all(abs(float(best) - float(worst) - float(spread)) < 2e-4 for _, best, _, worst, spread, *_ in lines)


# Warnings


def test_what_is_said_of_many_runs_is_said_once(irev, many):
    done = irev("eval", "-f", "table", "-m", "AP", *many)

    assert [
        "irev: warning: 9 of 9 runs have no results for judged queries, which are left out (-c counts them): r0, r1, r2"
        " and 6 more",
        "irev: warning: 9 of 9 runs have judged documents in ties, ordered by --ties docid-desc: r0, r1, r2 and 6 more",
    ] == done.stderr.splitlines()


@pytest.mark.parametrize("command", [["eval", "-f", "table"], ["compare"], ["agree", "-m", "RR"]])
def test_each_of_a_few_runs_is_named(irev, many, command):
    few = irev(*command, "-m", "AP", *many[:4]).stderr.splitlines()
    assert 3 == sum("query lost has no results" in line for line in few)


# Long names

LONG = ("bm25-rm3-k1_0.9-b_0.4-fb10-terms20-passage-v2", "splade-pp-ensembledistil-onnx-rerank-monot5", "short")


@pytest.fixture
def long_names(tmp_path, monkeypatch):
    """``long_names(names)``: judgments, and a run of each name."""
    monkeypatch.chdir(tmp_path)

    def write(names) -> list[str]:
        random = np.random.default_rng(4)
        (tmp_path / "qrels").write_text("".join(f"q{q} 0 d{d} {int(d < 3)}\n" for q in range(9) for d in range(12)))
        for place, name in enumerate(names):
            scores = ((q, d, random.normal(int(d < 3) * place / 2, 1)) for q in range(9) for d in range(12))
            (tmp_path / f"run{place}").write_text("".join(f"q{q} Q0 d{d} 1 {s} {name}\n" for q, d, s in scores))
        return ["qrels", *(f"run{place}" for place in range(len(names)))]

    return write


def tables_of(text: str) -> int:
    return sum(bool(re.fullmatch("─+", line)) for line in text.splitlines())


@pytest.mark.parametrize(
    "command",
    [
        ("eval", "-c", "-f", "table", "-m", "AP", "-m", "RR", "-m", "P@5", "--sort", "AP", "--significance"),
        ("eval", "-c", "-f", "table", "-m", "AP", "-q", "-n", "--sort", "spread"),
        ("compare", "-m", "AP"),
    ],
)
@pytest.mark.thorough
def test_long_names_leave_room_for_all_columns(command, irev, long_names):
    """Of names the middle is left out, so that one table stays one; what is wider than a screen was parted before."""
    text = irev(*command, *long_names(LONG)).stdout.decode()
    assert 1 == tables_of(text)
    assert max(map(len, text.splitlines())) <= 80
    for name in LONG:
        head, _, tail = (re.search(rf"{re.escape(name[:6])}\S*?(…)(\S+)|{name}", text) or ["", "", ""])[0].partition(
            "…"
        )
        assert name.startswith(head)
        assert name.endswith(tail)
    assert "short" in text
    assert all(name in irev(*command[:1], "-m", "AP", "-f", "csv", *long_names(LONG)).stdout.decode() for name in LONG)


def test_names_that_have_room_are_whole(irev, long_names):
    text = irev("eval", "-c", "-f", "table", "-m", "AP", "-m", "RR", *long_names(LONG)).stdout.decode()
    assert all(name in text for name in LONG)


def test_names_that_would_look_alike_are_folded_instead(irev, long_names):
    names = [f"bm25-with-all-of-its-many-{word}-parameters-as-they-were" for word in ("tuned", "other")]
    wanted = [part for name in ("AP", "RR", "P@5", "R@5", "nDCG@5") for part in ("-m", name)]
    text = irev("eval", "-c", "-f", "table", *wanted, *long_names(names)).stdout.decode()
    assert "…" not in text
    assert 1 == tables_of(text)
    end = text.splitlines()[0].index(" AP") - 4
    folded = "".join(line[:end].strip() for line in text.splitlines())
    assert all(name in folded for name in names)


@pytest.mark.thorough
def test_a_matrix_of_many_pairs_has_as_many_columns_as_have_room(irev, long_names):
    names = [f"a-name-that-is-rather-long-for-any-table-{n:02}" for n in range(58)]
    arguments = ("compare", "--all-pairs", "-m", "AP")
    text = irev(*arguments, *long_names(names)).stdout.decode()
    assert 2 == tables_of(text), "58 signs and what they are of have no room beside each other at 80 columns"
    assert max(map(len, text.splitlines())) <= 80
    rows = [line.split() for line in text.splitlines() if re.match(r" *\d+  a-name", line)]
    assert 2 * 58 == len(rows)
    assert names == sorted("a-name-that-is-rather-long-for-any-table-" + row[1][-2:] for row in rows[:58])
    signs = [
        "".join(part for part in (*first[3:], *second[2:])) for first, second in zip(rows[:58], rows[58:], strict=True)
    ]
    assert {58} == {len(each) for each in signs}
    assert all("\\" == each[place] for place, each in enumerate(signs))


@pytest.mark.parametrize("files", ["many", "near"])
def test_the_same_question_has_the_same_verdict_everywhere(irev, request, files):
    """`eval --significance` in each style, a page, a page with its default spelt out, and all pairs in `compare`."""
    arguments = request.getfixturevalue(files)
    asked = ("-c", "-m", "AP", "--sort", "AP", "--significance", *arguments)
    results = json.loads(irev("eval", *asked, "-f", "json").stdout)["results"]
    found = {each["run"]: each["vs_best"] for each in results}
    (best,) = (run for run, each in found.items() if each["finding"] == "best")

    every = json.loads(irev("compare", "-m", "AP", "--all-pairs", "-f", "json", *arguments).stdout)["measures"][0]
    p = {frozenset((each["baseline"], each["run"])): each["tests"][0]["adjusted"] for each in every["contrasts"]}
    assert {run: p[frozenset((best, run))] for run in found if run != best} == {
        run: pytest.approx(each["p"]) for run, each in found.items() if run != best
    }

    long = csv.DictReader(io.StringIO(irev("eval", *asked, "-f", "csv").stdout.decode()))
    assert {run: each["finding"] for run, each in found.items()} == {
        row["run"]: row["value"] for row in long if row["measure"] == "vs_best"
    }

    done = irev("report", "-m", "AP", *arguments)
    assert 0 == done.status, done.stderr
    table = re.search(r'<table id="board".*?</table>', done.stdout.decode(), re.DOTALL)[0]
    lines = [re.sub(r"<[^>]+>", " ", row) for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)]
    for run, each in found.items():
        (line,) = (line for line in lines if run in line.split())
        assert each["finding"] in line
    assert "the maximum-t method over" in done.stdout.decode()
