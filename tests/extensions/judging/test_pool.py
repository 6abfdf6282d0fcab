"""``irev pool``: every way of choosing documents against `reference_pools`, by hand, and against trectools; what holds
of pools whatever the runs; what is refused and what is said."""

import csv
import io
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
import reference_pools as reference
from conftest import ROOT, environment
from hypothesis import given
from hypothesis import strategies as st
from outcomes import refused

import irev as package
from irev.base.errors import JudgmentsWarning, UsageError
from irev.extensions.judging.pool.answer import GatheredRuns

SAMPLE = ROOT / "sample_data"
QRELS = str(SAMPLE / "qrels.txt")
RUNS = [str(SAMPLE / f"{name}.run") for name in ("hybrid", "keyword", "semantic")]

DOCUMENTS = [f"d{number:02d}" for number in range(14)]

scores = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4), min_size=1, max_size=12)
run = st.dictionaries(st.sampled_from(["1", "2", "3"]), scores, min_size=1).map(lambda found: {"1": {"d00": 9}} | found)
grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 2), min_size=1)
judgments = st.dictionaries(st.sampled_from(["1", "2"]), grades, min_size=1).map(
    lambda found: {"1": {"d01": 1}} | found
)
several = st.lists(run, min_size=2, max_size=5).map(lambda found: {f"r{n}": each for n, each in enumerate(found)})
two = st.lists(run, min_size=2, max_size=2).map(lambda found: {f"r{n}": each for n, each in enumerate(found)})


def pool(*arguments, **choices):
    """The pool of runs in memory, of which some may be alike."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return package.pool(*arguments, **choices)


def to_judge(found) -> dict[str, list[str]]:
    """The documents of each query, as they are given out."""
    return {each.query.decode(): [document.decode() for document in each.documents] for each in found.queries}


def queries(runs) -> list[str]:
    return sorted({query for each in runs.values() for query in each})


def written(folder, runs: dict, seed: int) -> list[str]:
    """Files of runs, whose lines are in random order, and say ranks that mean nothing."""
    paths = []
    for name, each in runs.items():
        lines = [
            f"{query} Q0 {document} 7 {score} {name}\n"
            for query, of_query in each.items()
            for document, score in of_query.items()
        ]
        random.Random(seed).shuffle(lines)
        (folder / name).write_text("".join(lines))
        paths.append(str(folder / name))
    return paths


def rows(outcome) -> list[dict[str, str]]:
    assert 0 == outcome.status, outcome.stderr
    return list(csv.DictReader(io.StringIO(outcome.stdout.decode()), delimiter="\t"))


def random_runs(seed: int, runs: int, queries: int, documents: int, most: int) -> dict:
    draw = random.Random(seed)
    return {
        f"run{number}": {
            f"q{query}": {
                f"d{document:03d}": draw.randint(0, 9)
                for document in draw.sample(range(documents), draw.randint(1, most))
            }
            for query in range(queries)
            if draw.random() < 0.9 or query == 0
        }
        for number in range(runs)
    }


# By depth


@given(several, st.integers(1, 15))
def test_a_pool_by_depth_has_what_any_run_has_among_its_first(runs, depth):
    found = to_judge(pool(runs, depth=depth))

    assert {query: reference.by_depth(runs, query, depth) for query in queries(runs)} == {
        query: {*documents} for query, documents in found.items()
    }
    assert all(len(documents) == len({*documents}) for documents in found.values())


@given(several, st.integers(1, 12))
def test_a_deeper_pool_contains_the_shallower_one_in_the_same_order(runs, depth):
    shallow, deep = (to_judge(pool(runs, depth=each)) for each in (depth, depth + 1))

    assert shallow == {
        query: [document for document in documents if document in shallow[query]] for query, documents in deep.items()
    }


@given(several, st.randoms(use_true_random=False))
@pytest.mark.thorough
def test_the_order_of_the_runs_changes_no_pool(runs, chance):
    names = list(runs)
    chance.shuffle(names)
    shuffled = {name: runs[name] for name in names}
    judged = {"1": {"d00": 1, "d03": 0}}
    for choices in (
        {"depth": 3},
        {"depth": 3, "in_order": True},
        {"budget": 5},
        {"budget": 5, "in_order": True},
        {"strata": {1: 1, 5: 0.5}, "seed": 4},
        {"by": "maxmean", "next": 4},
    ):
        assert to_judge(pool(runs, **choices, judged=judged)) == to_judge(pool(shuffled, **choices, judged=judged))


@given(several, judgments, st.integers(1, 6))
def test_what_is_judged_is_left_out_and_what_is_pooled_without_a_judgment_is_not(runs, judged, depth):
    found = to_judge(pool(runs, depth=depth, judged=judged))
    for query in queries(runs):
        known = {document for document, grade in judged.get(query, {}).items() if grade >= 0}
        assert reference.by_depth(runs, query, depth) - known == {*found[query]}


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_trectools_makes_the_same_pool_where_it_breaks_ties_alike(irev, tmp_path, seed):
    """It orders equal scores by id, lowest first; ids of queries that are numbers it reads as these."""
    runs = random_runs(seed, runs=4, queries=6, documents=50, most=40)
    paths = written(tmp_path, runs, seed)
    theirs = of_trectools("topX", 7, paths)
    ours: dict[str, list[str]] = {}
    for path in paths:
        assert 0 == irev("convert", "--ties", "docid-asc", path, f"{path}.csv").status
    for row in rows(irev("pool", "--depth", "7", *(f"{path}.csv" for path in paths))):
        ours.setdefault(row["query"], []).append(row["document"])

    assert theirs == {query: sorted(documents) for query, documents in ours.items()}


@pytest.mark.thorough
def test_trectools_fuses_by_the_rank_column_and_takes_no_query_that_is_no_number(irev, tmp_path):
    (tmp_path / "a").write_text("1 Q0 x 1 3 a\n")
    (tmp_path / "b").write_text("1 Q0 y 9 3 b\n1 Q0 x 8 2 b\n1 Q0 z 1 1 b\n")
    paths = [str(tmp_path / name) for name in "ab"]

    # By score y is the first of b, by its rank column z.
    assert {"1": ["x", "z"]} == of_trectools("rrf", 2, paths)
    assert ["x", "y"] == [row["document"] for row in rows(irev("pool", "--budget", "2", "--in-order", *paths))]
    assert "ValueError" in of_trectools("rrf", 2, RUNS)


def of_trectools(strategy: str, number: int, paths: list[str]):
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("trectools_pools.py")), strategy, str(number), *paths],
        env=environment(PYTHONWARNINGS="ignore"),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


# By reciprocal rank fusion


@given(several, judgments, st.integers(1, 12), st.sampled_from([None, 3]))
def test_fusion_gives_what_the_exact_sums_order_first(runs, judged, budget, within):
    known = {query: sum(grade >= 0 for grade in judged.get(query, {}).values()) for query in queries(runs)}
    if min(known.values()) > budget:  # which is refused
        judged = {"1": {"elsewhere": 1}}
    found = to_judge(pool(runs, budget=budget, judged=judged, within=within, in_order=True))
    for query in queries(runs):
        assert reference.by_fusion(runs, query, budget, judged.get(query, {}), within) == found[query]


def test_a_budget_counts_the_judgments_that_there_are():
    runs = {"a": {"q": ["x", "y", "z"]}, "b": {"q": ["y", "z", "x"]}}

    assert {"q": ["x"]} == to_judge(pool(runs, budget=2, judged={"q": {"y": 0}}, in_order=True))
    assert {"q": []} == to_judge(pool(runs, budget=2, judged={"q": {"y": 0, "elsewhere": 1}}, in_order=True))
    assert {"q": ["y", "x"]} == to_judge(pool(runs, budget=2, judged={"q": {"y": -1}}, in_order=True))


# By bandit


def judged_one_by_one(runs, truth, query: str, steps: int) -> list[str]:
    """What MaxMean gives when each document is judged before the next one is wanted; by the reference."""
    judged: dict[str, int] = {}
    found = []
    for _ in range(steps):
        document = reference.next_by_bandit(runs, query, judged)
        if document is None:
            break
        judged[document] = truth[document]
        found.append(document)
    return found


truths = st.fixed_dictionaries({document: st.integers(0, 1) for document in DOCUMENTS})


@given(several, truths, st.integers(0, 14))
def test_a_bandit_that_is_resumed_goes_on_as_one_that_never_stopped(runs, truth, stop):
    whole = judged_one_by_one(runs, truth, "1", 20)
    so_far = whole[:stop]
    judged = {document: truth[document] for document in sorted(so_far)}
    found = to_judge(pool(runs, by="maxmean", budget=20, judged={"1": judged} if judged else None))

    assert whole[stop : stop + 1] == found["1"]


@given(several, judgments, st.sampled_from([None, 2]))
def test_the_bandit_gives_what_the_reference_gives(runs, judged, within):
    level = 2 if len(runs) % 2 else 1
    found = to_judge(pool(runs, by="maxmean", next=1, judged=judged, level=level, within=within))
    for query in queries(runs):
        expected = reference.next_by_bandit(runs, query, judged.get(query, {}), level, within)
        assert ([] if expected is None else [expected]) == found[query]


@given(several, st.integers(1, 9))
def test_without_judgments_a_batch_goes_down_the_ranks_of_all_runs(runs, batch):
    found = pool(runs, by="maxmean", next=batch, in_order=True)
    for each in found.queries:
        assert sorted(each.best.tolist()) == each.best.tolist()
        assert {0.5} >= {*each.value.tolist()}


@given(several, judgments, st.integers(1, 8))
def test_a_batch_begins_with_what_a_smaller_one_gives(runs, judged, batch):
    small, large = (
        to_judge(pool(runs, by="maxmean", next=n, judged=judged, in_order=True)) for n in (batch, batch + 1)
    )

    assert small == {query: documents[:batch] for query, documents in large.items()}


def test_a_bandit_stops_at_its_budget():
    runs = {"a": {"q": ["x", "y", "z"]}}

    assert {"q": ["y"]} == to_judge(pool(runs, by="maxmean", budget=2, next=9, judged={"q": {"x": 1}}))
    assert {"q": []} == to_judge(pool(runs, by="maxmean", budget=1, next=9, judged={"q": {"x": 1}}))


# Samples


def test_an_audit_draws_every_query_as_often_as_any_other():
    runs = {"r": {f"q{number}": {"d": 1} for number in range(6)}}
    counts = Counter(query for seed in range(600) for query in to_judge(pool(runs, depth=1, audit=2, seed=seed)))
    # 200 of 600 are expected of each; four standard deviations are 46.
    assert [] == [count for count in counts.values() if abs(count - 200) > 46]
    assert 1200 == counts.total()


def test_an_audit_goes_on_where_the_last_one_ended():
    runs = {"r": {f"q{number}": {"d": 1, "e": 0} for number in range(20)}}
    whole = [*to_judge(pool(runs, depth=1, audit=12))]
    first = [*to_judge(pool(runs, depth=1, audit=5))]
    judged = {query: {"d": 1, "e": -1} for query in first}
    later = [*to_judge(pool(runs, depth=1, audit=7, judged=judged))]
    assert whole == sorted(first + later)
    # In the pool and not judged is not judged.
    unsure = {query: {"d": -1} for query in first} | {"q0": {"d": 1}}
    assert {*first} - {"q0"} <= {*to_judge(pool(runs, depth=1, audit=19, judged=unsure))}


@pytest.mark.parametrize("asked", [("--audit", "3"), ("--judges", "2"), ()], ids=lambda asked: "".join(asked[:1]))
def test_a_list_that_people_fill_in_is_replaced_by_force_alone(irev, tmp_path, asked):
    path = tmp_path / "pool.tsv"
    command = ("pool", "--depth", "3", *asked, "-o", str(path), *RUNS)
    assert 0 == irev(*command).status
    drawn = path.read_text()
    path.write_text("filled in")
    refused(irev(*command), f"{path}: the file exists already; --force replaces it")
    assert "filled in" == path.read_text()
    assert 0 == irev(*command, "--force").status
    assert drawn == path.read_text()


def test_an_audit_comes_back_when_its_grades_are_filled_in(irev, tmp_path):
    path = tmp_path / "audit.csv"
    assert 0 == irev("pool", "--depth", "3", "--audit", "2", "-o", str(path), *RUNS).status
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert ["query", "document", "grade"] == [*rows[0]]
    assert {""} == {row["grade"] for row in rows}
    assert 2 == len({row["query"] for row in rows})
    refused(
        irev("eval", str(path), RUNS[0]),
        "audit.csv:2: the grade is not filled in; fill it in first: a number such as 0, 1 or 2",
    )
    path.write_text(path.read_text().replace(",\n", ",1\n"))
    done = irev("eval", "-m", "num_rel", str(path), RUNS[0])
    assert f"\t{len(rows)}\n" in done.stdout.decode()


def test_an_audit_of_more_queries_than_there_are_is_refused(irev):
    refused(
        irev("pool", "--depth", "3", "--audit", "9", *RUNS),
        "--audit asks for 9, but the runs have only 8 queries without judgments",
    )
    refused(
        irev("pool", "--depth", "3", "--audit", "2", "--judged", QRELS, *RUNS),
        "--audit asks for 2, but the runs have only 1 query without",
    )


@given(several, st.integers(0, 3), st.sampled_from(["0.1", "0.34", "0.5", "1"]))
def test_each_stratum_is_sampled_alike_and_probabilities_add_up_to_the_sample(runs, seed, share):
    found = pool(runs, strata={1: 1, 3: share, 9: "0.25"}, seed=seed, in_order=True)
    exact = [1.0, float(share), 0.25]
    for each in found.queries:
        strata = reference.in_strata(runs, each.query.decode(), [1, 3, 9])
        for number, members in enumerate(strata, start=1):
            drawn = [row for row, stratum in enumerate(each.stratum.tolist()) if stratum == number]
            wanted = math.ceil(round(exact[number - 1] * len(members), 9))
            assert {each.documents[row].decode() for row in drawn} <= members
            assert wanted == len(drawn)
            if not members:
                continue
            probabilities = [each.value[row] for row in drawn]
            assert probabilities == [wanted / len(members)] * wanted
            # Of all documents of a stratum, drawn or not, the probabilities add up to how many are drawn.
            assert pytest.approx(wanted) == len(members) * probabilities[0]


def test_a_share_is_exact():
    """A tenth of 30 documents is 3; 0.1 * 30 is more than that as a double."""
    runs = {"a": {"q": [f"d{number:02d}" for number in range(30)]}}

    assert 3 == pool(runs, strata={30: 0.1}).to_judge
    assert 4 == pool(runs, strata={30: 0.11}).to_judge


def test_strata_may_be_named_in_any_order():
    runs = {"a": {"q": [f"d{number:02d}" for number in range(30)]}}

    assert to_judge(pool(runs, strata={4: 1, 30: 0.3})) == to_judge(pool(runs, strata={30: 0.3, 4: 1}))


@pytest.mark.thorough
def test_over_seeds_every_document_is_drawn_as_often_as_its_probability_says_and_estimates_are_right():
    runs = {
        "a": {"q": [f"d{number:02d}" for number in range(20)]},
        "b": {"q": [f"d{number:02d}" for number in range(25, 5, -1)]},
    }
    relevant = {f"d{number:02d}" for number in range(0, 26, 3)}
    times, estimates, draws = dict.fromkeys(relevant, 0), [], 2000
    strata = reference.in_strata(runs_with_scores(runs), "q", [2, 20])
    share = dict.fromkeys(strata[0], 1.0) | {document: math.ceil(0.3 * 22) / 22 for document in strata[1]}
    assert (4, 22) == tuple(map(len, strata))
    for seed in range(draws):
        (each,) = pool(runs, strata={2: 1, 20: 0.3}, seed=seed, in_order=True).queries
        drawn = [document.decode() for document in each.documents]
        for document in relevant.intersection(drawn):
            times[document] += 1
        weights = dict(zip(drawn, each.value.tolist(), strict=True))
        estimates.append(math.fsum(1 / weights[document] for document in relevant.intersection(drawn)))

    assert {document: pytest.approx(share[document], abs=0.04) for document in relevant} == {
        document: count / draws for document, count in times.items()
    }
    assert pytest.approx(len(relevant), abs=0.2) == math.fsum(estimates) / draws


def runs_with_scores(runs):
    return {
        name: {query: {document: -rank for rank, document in enumerate(found)} for query, found in each.items()}
        for name, each in runs.items()
    }


def test_a_larger_share_holds_the_smaller_and_another_seed_another_sample():
    runs = {"a": {"q": [f"d{number:03d}" for number in range(100)]}}
    small, large, other = (
        {*to_judge(pool(runs, strata={100: share}, seed=seed))["q"]} for share, seed in ((0.2, 1), (0.3, 1), (0.3, 2))
    )

    assert small < large
    assert large != other


def test_files_for_scripts_list_the_strata_with_their_judgments(irev, tmp_path):
    """sample_eval.pl reads topic, 0, document, stratum and grade, and takes -1 for what was not sampled; statAP reads
    topic, document, grade, method and probability of what was."""
    (tmp_path / "a").write_text("".join(f"q Q0 d{n:02d} 1 {-n} a\n" for n in range(12)))
    (tmp_path / "all").write_text("".join(f"q 0 d{n:02d} {n % 3}\n" for n in range(12)))
    options = ("pool", "--strata", "2=1,12=0.4", "--seed", "5", str(tmp_path / "a"))
    drawn = {row["document"] for row in rows(irev(*options))}
    files = [str(tmp_path / name) for name in ("sample", "statap")]
    done = irev(*options, "--judged", str(tmp_path / "all"), "--sample-eval", files[0], "--statap", files[1])

    assert (0, "") == (done.status, done.stderr)
    assert b"query\tdocument\n" == done.stdout
    grade = {f"d{n:02d}": n % 3 for n in range(12)}
    assert 2 + 4 == len(drawn)
    assert {f"q 0 {d} {1 if d < 'd02' else 2} {grade[d] if d in drawn else -1}" for d in grade} == {
        *(tmp_path / "sample").read_text().splitlines()
    }
    assert {f"q {d} {grade[d]} 1 {1.0 if d < 'd02' else 0.4}" for d in drawn} == {
        *(tmp_path / "statap").read_text().splitlines()
    }


def test_a_document_of_the_sample_that_nobody_judged_is_told_and_counts_as_not_drawn(irev, tmp_path):
    (tmp_path / "a").write_text("q Q0 x 1 2 a\nq Q0 y 1 1 a\n")
    (tmp_path / "some").write_text("q 0 x 1\n")
    sample = str(tmp_path / "sample")
    options = ("--strata", "2=1", "--judged", str(tmp_path / "some"), "--sample-eval", sample, "--statap", f"{sample}2")
    done = irev("pool", *options, str(tmp_path / "a"))

    assert "irev: warning: 1 document of the sample has no judgment yet\n" == done.stderr
    assert {"q 0 x 1 1", "q 0 y 1 -1"} == {*(tmp_path / "sample").read_text().splitlines()}
    assert "q x 1 1 1.0\n" == (tmp_path / "sample2").read_text()


@pytest.mark.parametrize(("query", "document"), [("red bricks", "d1"), ("q", "d 1")])
def test_an_id_that_would_be_two_fields_is_refused_in_files_for_scripts_alone(irev, tmp_path, query, document):
    (tmp_path / "a.csv").write_text(f"query_id,doc_id,score\n{query},{document},2\n")
    (tmp_path / "q.csv").write_text(f"query_id,doc_id,relevance\n{query},{document},1\n")
    options = ("pool", "--strata", "1=1", "--judged", str(tmp_path / "q.csv"), str(tmp_path / "a.csv"))
    for option in ("--sample-eval", "--statap"):
        refused(
            irev(*options, option, str(tmp_path / "out")), "lines of fields cannot hold the ", "there is a blank in it"
        )

    assert not (tmp_path / "out").exists()
    assert 0 == irev(*options).status
    assert [query, document] == [*json.loads(irev(*options[:3], "-f", "jsonl", options[-1]).stdout).values()]


# What is given out


def test_judges_see_no_ranks(irev):
    found = rows(irev("pool", "--depth", "5", *RUNS))

    assert {"query", "document"} == {name for row in found for name in row}
    by_rank = rows(irev("pool", "--depth", "5", "--in-order", *RUNS))
    assert sorted(map(str, found)) == sorted(
        str({"query": row["query"], "document": row["document"]}) for row in by_rank
    )
    assert [row["document"] for row in found] != [row["document"] for row in by_rank]


def test_lots_for_one_thing_say_nothing_of_another():
    """Neither of the order in another query, nor of the sample."""
    documents = [f"d{number:02d}" for number in range(40)]
    runs = {"a": {"q1": documents, "q2": documents}}
    order = to_judge(pool(runs, depth=40))
    sample = to_judge(pool(runs, strata={40: 0.5}))

    assert sorted(order["q1"]) == sorted(order["q2"])
    assert order["q1"] != order["q2"]
    assert {*order["q1"][:20]} != {*sample["q1"]} != {*sample["q2"]}


@given(several, st.sampled_from([{"depth": 4}, {"strata": {2: 1, 6: "0.5"}}]))
def test_in_order_the_best_rank_comes_first_and_then_the_highest_id(runs, choices):
    for each in pool(runs, **choices, in_order=True).queries:
        found = list(zip(each.best.tolist(), each.documents, strict=True))
        assert sorted(sorted(found, key=lambda pair: pair[1], reverse=True), key=lambda pair: pair[0]) == found


def test_another_seed_is_another_order_of_the_same_documents(irev):
    first, again, other = (
        [tuple(row.values()) for row in rows(irev("pool", "--depth", "5", "--seed", seed, *RUNS))]
        for seed in ("1", "1", "2")
    )

    assert first == again
    assert first != other
    assert sorted(first) == sorted(other)


@given(several, judgments, st.integers(1, 6))
def test_runs_contribute_what_they_have_of_the_pool(runs, judged, depth):
    found = pool(runs, depth=depth, judged=judged)
    for number, each in enumerate(found.contributions):
        documents = unique = left = 0
        for query in queries(runs):
            of_run = {*reference.rankings(runs, query, depth)[number]}
            others = {d for n, of in enumerate(reference.rankings(runs, query, depth)) if n != number for d in of}
            documents += len(of_run)
            unique += len(of_run - others)
            left += sum(judged.get(query, {}).get(document, -1) < 0 for document in of_run)
        assert (f"r{number}", documents, unique, left) == tuple(each)


def test_people_see_what_runs_contribute(irev):
    done = irev("pool", "--depth", "2", "--judged", QRELS, "-f", "table", *RUNS)

    assert 0 == done.status
    assert "21 documents of 8 queries, 17 of them judged already; 4 to judge, 0 to 2 of a query." in " ".join(
        done.stdout.decode().split()
    )


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (("--depth", "3", "--within", "5"), "--within has no effect with --depth"),
        (("--strata", "3=1", "--within", "5"), "--within has no effect with --strata"),
        (("--by", "maxmean", "--next", "3", "-l", "2"), "--level has no effect without --judged"),
        (("--strata", "3=1", "--statap", "x"), "--statap has no effect without --judged"),
        (("--depth", "3", "--statap", "x", "--judged", QRELS), "--statap has no effect without --strata"),
    ],
)
def test_what_has_no_effect_is_refused_where_that_would_mislead(irev, options, fact):
    refused(irev("pool", *options, *RUNS), fact)


def test_python_and_the_command_make_the_same_pool(irev):
    for options, choices in (
        (("--depth", "3", "--judged", QRELS), {"depth": 3, "judged": QRELS}),
        (("--budget", "6", "--within", "4"), {"budget": 6, "within": 4}),
        (("--strata", "1=1,4=0.5", "--seed", "3"), {"strata": {1: 1, 4: 0.5}, "seed": 3}),
        (
            ("--by", "maxmean", "--next", "3", "--judged", QRELS, "-l", "2"),
            {"by": "maxmean", "next": 3, "judged": package.read_qrels(QRELS), "level": 2},
        ),
    ):
        expected = [tuple(row.values()) for row in rows(irev("pool", *options, *RUNS))]
        read = {name: package.read_run(path) for name, path in zip("abc", RUNS, strict=True)}
        for runs in (RUNS, read):
            frame = pool(runs, **choices).to_pandas()
            assert expected == list(frame.itertuples(index=False, name=None))


# What is refused, and what is said


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (("--depth", "x"), "'x' is not a whole number"),
        (("--budget", "0"), "'0' is not a whole number of 1 or more"),
        (("--depth", "3", "--strata", "3=1"), "--depth and --strata are different ways to choose documents"),
        (("--next", "3"), "how to choose documents with --next is not said; add --by maxmean"),
        (
            ("--budget", "3", "--next", "3"),
            "how to choose documents with --budget and --next is not said; add --by maxm",
        ),
        (("--by", "maxmean"), "--by maxmean takes --budget or --next, and it is not given"),
        (("--by", "rrf", "--depth", "3"), "--depth has no effect here; --by rrf takes --budget"),
        (("--strata", "3"), "'3' is no depth and share such as 50=0.2"),
        (("--strata", "3=1,3=0.5"), "depth 3 is given twice"),
        (
            ("--strata", "0=1"),
            "'0=1' is not a stratum; expected a depth of 1 or more, and a share above 0 and at most 1",
        ),
        (("--strata", "3=1.5"), "'3=1.5' is not a stratum"),
        (("--strata", "3=0"), "'3=0' is not a stratum"),
        (("--strata", "3=."), "'3=.' is not a stratum"),
        (("--depth", "3", f"a={RUNS[0]}", f"a={RUNS[1]}"), "two runs are called 'a'"),
        (("--depth", "3", "-o", RUNS[0]), "is an input"),
        (("--depth", "3", "--judged", "missing"), "missing"),
    ],
)
def test_what_makes_no_pool_is_refused(irev, options, fact):
    refused(irev("pool", *options, *RUNS), fact)


def test_no_run_is_refused(irev):
    refused(irev("pool", "--depth", "3"), "expected at least one RUN")


def test_judgments_of_other_queries_are_refused(irev, tmp_path):
    (tmp_path / "qrels").write_text("x9 0 d 1\n")
    refused(
        irev("pool", "--depth", "3", "--judged", str(tmp_path / "qrels"), *RUNS),
        "qrels: no run has a query that is judged: the runs have 'q1', the judgments 'x9'; do the judgments belong to",
    )


def test_a_query_that_has_overspent_is_told_and_refused_if_all_have(irev, tmp_path):
    (tmp_path / "a").write_text("1 Q0 x 1 2 a\n1 Q0 y 1 1 a\n2 Q0 x 1 2 a\n")
    (tmp_path / "one").write_text("1 0 x 1\n1 0 y 1\n")
    (tmp_path / "both").write_text("1 0 x 1\n1 0 y 1\n2 0 x 1\n2 0 z 1\n")
    for way in ("rrf", "maxmean"):
        options = ("pool", "--by", way, "--budget", "1", str(tmp_path / "a"), "--judged")
        done = irev(*options, str(tmp_path / "one"))
        assert b"query\tdocument\n2\tx\n" == done.stdout
        assert f"{tmp_path / 'one'}: query 1 has more judgments than the budget; none of their" in done.stderr
        refused(
            irev(*options, str(tmp_path / "both")),
            f"{tmp_path / 'both'}: every query has more judgments than the budget of 1: query '1' has 2;"
            " --budget includes existing judgments; give a larger budget",
        )


def test_a_budget_that_is_just_spent_is_the_end_and_no_error(irev, tmp_path):
    (tmp_path / "a").write_text("1 Q0 x 1 2 a\n1 Q0 y 1 1 a\n")
    (tmp_path / "qrels").write_text("1 0 x 1\n")
    done = irev("pool", "--budget", "1", "--judged", str(tmp_path / "qrels"), str(tmp_path / "a"))

    assert (0, b"query\tdocument\n", "") == done


def test_queries_that_a_run_lacks_are_told(irev):
    assert "keyword.run: query q6 of other runs has no results\n" in irev("pool", "--depth", "1", *RUNS).stderr


def test_a_run_that_is_given_twice_is_told_under_whatever_name(irev, tmp_path):
    (tmp_path / "copy").write_bytes((SAMPLE / "hybrid.run").read_bytes())
    done = irev("pool", "--depth", "1", *RUNS, str(tmp_path / "copy"))
    assert (
        f"{tmp_path / 'copy'}: this seems to be the same run as {RUNS[0]}; its documents are unique to" in done.stderr
    )


def test_runs_that_begin_alike_are_not_one_run(irev, tmp_path):
    (tmp_path / "a").write_text("q Q0 x 1 3 a\nq Q0 y 2 2 a\n")
    (tmp_path / "b").write_text("q Q0 x 1 3 b\nq Q0 y 2 2 b\n")
    (tmp_path / "c").write_text("q Q0 x 1 3 a\nq Q0 y 2 2 a\nq Q0 z 2 1 a\n")

    done = irev("pool", "--depth", "1", *(str(tmp_path / name) for name in "abc"))
    assert (0, b"query\tdocument\nq\tx\n") == (done.status, done.stdout)
    assert "same run" not in done.stderr


def test_judgments_of_other_documents_are_doubted(irev, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 elsewhere 1\n")
    done = irev("pool", "--depth", "1", "--judged", str(tmp_path / "qrels"), *RUNS)

    assert "qrels: none of the considered documents is judged; are the document ids those of" in done.stderr


def test_python_refuses_what_the_command_refuses_by_its_own_names():
    runs = {"a": {"q": ["x", "y"]}}
    for choices, fact in (
        ({}, "no option says which documents to choose; expected depth=…, budget=…, strata=… or next=…"),
        ({"depth": 1, "budget": 1}, "depth and budget are different ways to choose documents"),
        (
            {"strata": {3: 2}},
            "{3: 2} is no value of strata; expected a dictionary of depths of 1 or more and shares above",
        ),
        ({"strata": {3: math.nan}}, "{3: nan} is no value of strata; expected a dictionary of depths"),
        ({"depth": 1, "within": 2}, "within has no effect with depth"),
        ({"depth": 1, "level": 2}, "level has no effect without judged"),
        ({"depth": 1, "ties": "average"}, "documents in ties have no rank of their own"),
    ):
        with pytest.raises(UsageError, match=re.escape(fact)):
            package.pool(runs, **choices)
    with pytest.raises(UsageError, match="there are no runs; give at least one run"):
        package.pool({}, depth=1)
    with pytest.raises(TypeError, match="expected several runs"):
        package.pool("a.run", depth=1)
    with pytest.raises(UsageError, match="one item is of type dict; use a dictionary with names"):
        package.pool([{"q": ["x", "y"]}], depth=1)
    with pytest.raises(TypeError, match="there is no option 'complete'"):
        package.pool(runs, depth=1, complete=True)


def test_python_warns_of_a_run_that_is_there_twice():
    run = {"q": ["x", "y"]}
    with pytest.warns(UserWarning, match="b: this seems to be the same run as a"):
        package.pool({"a": run, "b": run}, depth=1)


def test_a_query_without_results_has_an_empty_pool(irev, tmp_path):
    (tmp_path / "lists.json").write_text('{"1": ["x"], "2": []}')
    record = json.loads(irev("pool", "--depth", "3", "-f", "json", str(tmp_path / "lists.json")).stdout)

    assert [("1", 1), ("2", 0)] == [(each["query"], each["pooled"]) for each in record["queries"]]


@pytest.mark.parametrize("form", ["tsv", "csv"])
@pytest.mark.parametrize("more", [(), ("--in-order",)])
@pytest.mark.parametrize("named", [(), ("--qrels-format", "msmarco")])
def test_a_pool_is_not_taken_for_judgments(irev, tmp_path, monkeypatch, form, more, named):
    """The advice was --qrels-format msmarco, by which every document of the pool was relevant."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    assert 0 == irev("pool", "--depth", "2", *more, "-o", f"pool.{form}", "run").status
    done = irev("eval", *named, "-m", "P.10", f"pool.{form}", "run")
    refused(done, "is this a pool? judge its documents and add a column grade")
    assert "msmarco" not in done.stderr


@pytest.mark.parametrize(
    ("strata", "relevant", "said"),
    [
        ({1: (10, 1)}, 1, "10% of the documents that were sampled are judged, with 1.0 relevant documents"),
        (
            {1: (10, 10), 2: (40, 8)},
            7,
            "20% of the documents that were sampled are judged, with 7.0 relevant documents",
        ),
        ({1: (10, 10), 2: (40, 8)}, 8, ""),
        ({1: (10, 6)}, 1, ""),
        ({1: (10, 10)}, 1, ""),
    ],
)
def test_a_sample_with_too_little_to_estimate_from_is_told(irev, tmp_path, strata, relevant, said):
    """The same in both formats; strata are their documents and how many of these are judged."""
    by_stratum, by_chance, left = [], [], relevant
    for number, (documents, judged) in strata.items():
        for place in range(documents):
            grade = -1 if place >= judged else int(left > 0)
            left -= grade > 0
            by_stratum.append(f"q 0 d{number}-{place} {number} {grade}\n")
            if grade >= 0:
                by_chance.append(f"q d{number}-{place} {grade} 1 {judged / documents}\n")
    (tmp_path / "run").write_text("q Q0 d1-0 1 1 run\n")
    for kind, lines, measure in (("strata", by_stratum, "xinfAP"), ("prels", by_chance, "statAP")):
        (tmp_path / kind).write_text("".join(lines))
        files = str(tmp_path / kind), str(tmp_path / "run")
        status, _, stderr = irev("eval", "-m", measure, "--qrels-format", kind, *files)
        assert (0, bool(said)) == (status, "warning" in stderr)
        assert said in stderr


def test_statap_is_too_low_where_few_relevant_documents_are_drawn():
    """One in ten of 50 documents, ten of them relevant, and a perfect ranking, of which AP is 1."""
    chance, estimates = random.Random(1), []
    run = {"q": {f"d{place:02}": float(50 - place) for place in range(50)}}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sample")
        for _ in range(100):
            drawn = chance.sample(range(50), 5)
            path.write_text("".join(f"q d{place:02} {int(place < 10)} 1 0.1\n" for place in drawn))
            with pytest.warns(JudgmentsWarning, match="estimates of AP and nDCG are biased"):
                found = package.evaluate(path, run, "statAP", qrels_format="prels").mean()
            estimates.append(found["statAP"])
    assert 0.35 < sum(estimates) / len(estimates) < 0.55


def test_the_bandit_warns_of_gaps(irev):
    status, _, stderr = irev("pool", "--by", "maxmean", "--next", "1", "--judged", QRELS, *RUNS)
    assert 0 == status
    assert "judgments chosen by maxmean favour the best runs" in stderr
    assert "favour" not in irev("pool", "--depth", "1", "--judged", QRELS, *RUNS)[2]


def test_runs_with_the_same_hash_are_compared_by_their_documents():
    gathered = GatheredRuns()
    for run in ({b"q": (b"a", b"b")}, {b"q": (b"b", b"a")}, {b"p": (b"a", b"b")}, {b"q": (b"a", b"b")}):
        gathered.add(run)
    gathered._prints = [0] * 4
    assert [[], [], [], [0]] == [gathered.same_as(run) for run in range(4)]
