"""Measures of judgments of subtopics: against their definitions, against ndeval, and what is refused."""

import math
import random
import re
import time

import numpy as np
import pytest
import reference_diversity as definitions
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from outcomes import refused

import irev
from irev import evaluate as evaluated
from irev.base.errors import UsageError
from irev.base.settings import Settings
from irev.evaluation.scores import evaluate, terms
from irev.extensions.diversity import subtopics
from irev.measures import MEASURES, expected_over_ties, parse
from irev.measures.parameters import Cutoffs
from irev.ranking import ranking
from irev.reading import qrels
from irev.reading.sources import Source

KIND = "subtopics"
NAMES = [name for name, measure in MEASURES.items() if measure.of == KIND]
OPTIONS = {
    "alpha": ("0", "0.25", "1"),
    "beta": ("0", "0.8", "1"),
    "gamma": ("0", "0.3", "1"),
    "norm": ("none",),
    "ideal": ("exact",),
    "gain": ("exp",),
    "discount": (),  # those of nDCG, which has tests of its own
    "base": (),
}
LEVELS = (None, 2.0)


def texts_of(name):
    """The measure at some cutoffs, with every value of each of its options, at two levels."""
    cutoffs = ["1", "3", "25"] if isinstance(MEASURES[name].parameter, Cutoffs) else ["", "k=2"]
    for cutoff in cutoffs:
        for option in ["", *(f"{key}={value}" for key in MEASURES[name].options for value in OPTIONS[key])]:
            for level in LEVELS:
                parts = [cutoff, option, "" if level is None else f"rel={level:g}"]
                yield f"{name}.{','.join(filter(None, parts))}".removesuffix(".")


REQUESTS = [request for name in NAMES for text in texts_of(name) for request in parse([text])]
FAST = [request for request in REQUESTS if ("ideal", "exact") not in request.options]


def defined(request, judged, found):
    """The value of a request by its definition."""
    options = {definitions.OPTIONS.get(key, key): value for key, value in request.options}
    level = 1.0 if request.level is None else request.level
    return definitions.MEASURES[request.measure.name](judged, found, level, k=request.cutoff, **options)


documents = st.dictionaries(st.sampled_from("0123"), st.sampled_from((-1, 0, 1, 1, 2, 3)), min_size=1, max_size=4)
judgments = st.lists(documents, min_size=1, max_size=6).map(
    lambda found: {f"d{i}": grades for i, grades in enumerate(found)}
)
"""Some documents, judged for some subtopics."""

rankings = st.permutations(["d0", "d1", "d2", "d3", "d4", "d5", "x", "y"]).flatmap(
    lambda order: st.integers(1, 8).map(lambda length: order[:length])
)


def written(folder, queries):
    """Files of some queries: what is judged, and ties in the order of the ranking."""
    with (folder / "qrels").open("w") as file:
        for query, (judged, _) in queries.items():
            for document, grades in judged.items():
                file.writelines(f"{query} {topic} {document} {grade}\n" for topic, grade in grades.items())
            file.write(f"{query} 9 z 0\n")
    with (folder / "run").open("w") as file:
        for query, (_, ties) in queries.items():
            for place, tie in enumerate(ties):
                file.writelines(f"{query} Q0 {document} 0 {-place} t\n" for document in tie)
    return str(folder / "qrels"), str(folder / "run")


def scored(paths, requests, **choices):
    settings = Settings(qrels_format="subtopics", **choices)
    with Source(paths[0]) as first, Source(paths[1]) as second:
        ranked = ranking.rank(qrels.read(first, settings), second, settings)[0]
    return evaluate(ranked, requests)


def differences(scores, expected):
    """Labels, queries and both values, where they are not the same."""
    return [
        (column.request.label, query, value, expected[query][column.request])
        for column in scores.columns
        for query, value in zip(scores.queries, column.values.tolist(), strict=True)
        if not math.isclose(value, expected[query][column.request], rel_tol=1e-12, abs_tol=1e-15)
    ]


@pytest.mark.thorough
@examples(max_examples=60)
@given(st.lists(st.tuples(judgments, rankings), min_size=1, max_size=3))
def test_values_are_those_of_the_definitions(tmp_path_factory, queries):
    named = {f"q{i}": (judged, [[d] for d in found]) for i, (judged, found) in enumerate(queries)}
    expected = {
        b"q%d" % i: {request: defined(request, judged, found) for request in FAST}
        for i, (judged, found) in enumerate(queries)
    }
    scores = scored(written(tmp_path_factory.getbasetemp(), named), FAST)

    assert [] == differences(scores, expected)


@examples(max_examples=40)
@given(judgments, rankings)
def test_the_exact_ideal_is_the_best_of_all_rankings(tmp_path_factory, judged, found):
    requests = [request for request in REQUESTS if ("ideal", "exact") in request.options]
    expected = {b"q": {request: defined(request, judged, found) for request in requests}}
    scores = scored(written(tmp_path_factory.getbasetemp(), {"q": (judged, [[d] for d in found])}), requests)

    assert [] == differences(scores, expected)


@examples(max_examples=40)
@given(judgments, st.permutations(["d0", "d1", "d2", "d3", "x", "y"]), st.lists(st.booleans(), min_size=5, max_size=5))
@pytest.mark.thorough
def test_expected_values_are_means_over_all_orders_of_ties(tmp_path_factory, judged, order, breaks):
    ties = [[order[0]]]
    for document, apart in zip(order[1:], breaks, strict=True):
        if apart:
            ties.append([document])
        else:
            ties[-1].append(document)
    orders = list(definitions.orders(ties))[:]
    cached = {}

    def mean(request):
        values = []
        for each in orders:
            key = (request, tuple(each))
            if key not in cached:
                cached[key] = defined(request, judged, each)
            values.append(cached[key])
        return math.fsum(values) / len(values)

    requests = [
        r for name in NAMES for r in parse([f"{name}.2" if isinstance(MEASURES[name].parameter, Cutoffs) else name])
    ]
    requests += parse(
        ["nrbp.k=2", "map_ia.k=2", "err_ia.3,norm=none", "alpha_ndcg.3,alpha=0.25", "d_sharp_ndcg.3,gain=exp"]
    )
    scores = scored(written(tmp_path_factory.getbasetemp(), {"q": (judged, ties)}), requests, ties="average")
    found = {column.request: column.values.item() for column in scores.columns}

    assert {request: pytest.approx(mean(request), rel=1e-9, abs=1e-12) for request in requests} == found


def test_a_large_tie_takes_no_longer_than_it_has_places_that_count(tmp_path, monkeypatch):
    """Each subtopic of each of a hundred thousand documents was worked out on its own, and to the end of the tie."""
    worked_out = []
    monkeypatch.setattr(
        subtopics, "expected_at", lambda *tie: worked_out.append(tie[:3]) or expected_over_ties.expected_at(*tie)
    )
    alone = {f"d{i}": {str(i + 1): 1} for i in range(30)}
    shared = {f"d{i}": {"1": 1} for i in range(30)}
    paths = written(tmp_path, {"p": (alone, [[*alone]]), "q": (shared, [[*shared]])})
    found = scored(paths, parse(["alpha_dcg.2,norm=none"]), ties="average").columns[0].values.tolist()

    assert [(30, 1, 0), (30, 30, 0), (30, 30, 1)] == worked_out
    assert [1 + 1 / math.log2(3), 1 + 0.5 / math.log2(3)] == pytest.approx(found)


def test_cuts_and_unjudged_documents_are_left_out_as_for_any_measure(tmp_path):
    judged = {"d0": {"1": 1, "2": 1}, "d1": {"1": 1}, "d2": {"3": 2}}
    paths = written(tmp_path, {"q": (judged, [["x"], ["d1"], ["y"], ["d2"], ["d0"]])})
    for choices, left in (
        ({"depth": 4}, ["x", "d1", "y", "d2"]),
        ({"judged_only": True}, ["d1", "d2", "d0"]),
        ({"depth": 4, "judged_only": True}, ["d1", "d2"]),
    ):
        expected = {b"q": {request: defined(request, judged, left) for request in FAST}}
        assert [] == differences(scored(paths, FAST, **choices), expected)


def test_many_queries_are_evaluated_part_by_part(tmp_path, monkeypatch):
    draw = random.Random(7)
    queries = {}
    for number in range(40):
        judged = {f"d{i}": {str(t): draw.choice((0, 1, 2)) for t in range(1, 4)} for i in range(5)}
        queries[f"q{number}"] = judged, [[d] for d in draw.sample(["x", *judged], 4)]
    paths = written(tmp_path, queries)
    whole = scored(paths, FAST)
    monkeypatch.setattr("irev.evaluation.scores.TOGETHER", 7)
    parts = scored(paths, FAST)

    assert [column.values.tolist() for column in whole.columns] == [column.values.tolist() for column in parts.columns]


def test_the_greedy_ideal_can_be_beaten_and_the_exact_one_cannot(tmp_path):
    """Two documents cover six subtopics; the one that covers most leads away from them."""
    judged = {
        "left": {"1": 1, "2": 1, "3": 1},
        "right": {"4": 1, "5": 1, "6": 1},
        "most": {"1": 1, "2": 1, "4": 1, "5": 1},
    }
    paths = written(tmp_path, {"q": (judged, [["left"], ["right"], ["most"]])})
    scores = scored(paths, parse(["alpha_ndcg.2,alpha=1,ideal=exact", "alpha_ndcg.2,alpha=1", "strec.2"]))
    discount = 1 / math.log2(3)

    assert [
        pytest.approx(1.0),
        pytest.approx((3 + 3 * discount) / (4 + discount)),
        1.0,
    ] == [column.values.item() for column in scores.columns]


def test_an_exact_ideal_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(subtopics, "PATIENCE", 3)
    judged = {f"d{i}": {str(1 + (i * j) % 7): 1 for j in range(3)} for i in range(9)}
    paths = written(tmp_path, {"q 1".replace(" ", ""): (judged, [["d1"]])})
    with pytest.raises(UsageError, match="the exact ideal of query 'q1' takes too long") as refused:
        scored(paths, parse(["alpha_ndcg.5,ideal=exact"]))
    assert "ideal=greedy" in refused.value.remedy


@pytest.mark.thorough
def test_an_exact_ideal_of_a_megabyte_is_refused_soon(tmp_path):
    """250 documents with some 170 of 300 subtopics each: sets of them are given up after `PATIENCE`, not tried."""
    judged = {f"d{d}": {str(t): 1 for t in range(300) if t * d % 7 < 4 or t > 99} for d in range(250)}
    paths = written(tmp_path, {"q1": (judged, [[each] for each in judged])})
    started = time.process_time()
    with pytest.raises(UsageError, match="the exact ideal of query 'q1' takes too long"):
        scored(paths, parse(["alpha-nDCG(ideal=exact)"]))
    assert time.process_time() - started < 10


def test_a_cutoff_beyond_all_results_is_no_work(tmp_path):
    paths = written(tmp_path, {"q": ({"d0": {"1": 1}}, [["d0"]])})
    scores = scored(paths, parse(["alpha_dcg.2147483647", "alpha_ndcg.2147483647", "nerr_ia.2000000,ideal=exact"]))
    sum_of_all = sum(0.5 ** (i - 1) / math.log2(i + 1) for i in range(1, 80))

    assert [pytest.approx(1 / sum_of_all), 1.0, 1.0] == [column.values.item() for column in scores.columns]


def test_too_many_ranks_of_a_perfect_ranking_are_refused(tmp_path):
    paths = written(tmp_path, {"q": ({"d0": {"1": 1}}, [["d0"]])})
    for text in ("alpha_dcg.2147483647,alpha=0", "err_ia.2147483647,alpha=0.00000001"):
        with pytest.raises(UsageError, match="2147483647 ranks are too many") as refused:
            scored(paths, parse([text]))
        assert "norm=none" in refused.value.remedy
    assert 1.0 == scored(paths, parse(["alpha_dcg.2147483647,alpha=0,norm=none"])).columns[0].values.item()


def test_a_term_of_a_mean_over_subtopics_is_what_a_document_adds_for_all_of_them(tmp_path):
    """d0 is the first of two for subtopic 1 and for 2, d1 the second for 1, d3 the only one for 3."""
    judged = {"d0": {"1": 1, "2": 1}, "d1": {"1": 1}, "d3": {"3": 1}, "d9": {"2": 1}}
    paths = written(tmp_path, {"q": (judged, [["d0"], ["d1"], ["x"], ["d3"]])})
    settings = Settings(qrels_format="subtopics")
    with Source(paths[0]) as first, Source(paths[1]) as second:
        ranked = ranking.rank(qrels.read(first, settings), second, settings)[0]
    found = terms(ranked, parse(["map_ia"])[0])

    assert ([1, 2, 4], [1.0, 0.5, 0.25], [3]) == (found.rank.tolist(), found.values.tolist(), found.over.tolist())


def test_subtopics_are_text_and_no_numbers(tmp_path):
    paths = written(tmp_path, {"q": ({"a": {"1": 1}, "b": {"01": 1, "00": 1}}, [["a"]])})
    assert 1 / 3 == scored(paths, parse(["strec.1"])).columns[0].values.item()


def test_an_alpha_too_small_for_a_double_is_none(tmp_path):
    """1 - 1e-17 is 1: no subtopic is worth less for having been met."""
    paths = written(tmp_path, {"q": ({"a": {"1": 1}, "b": {"1": 1, "2": 1}}, [["a"], ["b"]])})
    for name in ("alpha_dcg", "alpha_ndcg", "err_ia", "nerr_ia"):
        scores = scored(paths, parse([f"{name}.5,alpha=1e-17", f"{name}.5,alpha=0"]))
        small, none = (column.values.item() for column in scores.columns)
        assert none == small > 0


def test_terms_add_up_to_what_sums_are(tmp_path):
    judged = {"d0": {"1": 1, "2": 1}, "d1": {"1": 1}, "d2": {"3": 2}}
    paths = written(tmp_path, {"q": (judged, [["x"], ["d1"], ["y"], ["d2"], ["d0"]])})
    settings = Settings(qrels_format="subtopics")
    with Source(paths[0]) as first, Source(paths[1]) as second:
        ranked = ranking.rank(qrels.read(first, settings), second, settings)[0]
    sums = [name for name in NAMES if terms(ranked, parse([name])[0]) is not None]

    assert list(NAMES) == sums
    for name in sums:
        (request,) = parse([name])[:1]
        found = terms(ranked, request)
        assert {2, 4, 5} >= set(found.rank.tolist())
        assert evaluate(ranked, [request]).columns[0].values.item() == found.total(1).item()


@pytest.mark.parametrize("name", NAMES)
def test_the_example_in_the_documentation_is_right(tmp_path, name):
    """Results are the subtopics that they are relevant to, with their grades where these are not 1."""
    text = " ".join(MEASURES[name].documentation.split())
    setting, _, values = text.partition("Example: ")[2].removesuffix(".").partition(": ")
    retrieved, _, missed = setting.removeprefix("subtopics ").partition(", not retrieved ")
    named = {
        f"{place}": dict((*part.split("="), "1")[:2] for part in result.split(","))
        for place, result in enumerate((*retrieved.split(), *missed.split()))
        if result != "-"
    }
    paths = written(tmp_path, {"q": (named, [[f"{place}"] for place in range(len(retrieved.split()))])})
    expected = dict(re.findall(r"(\S+) (\S+?)(?:, |$)", values))
    scores = scored(paths, parse(list(expected)))

    assert expected == {column.request.label: f"{column.values.item():.4f}" for column in scores.columns}


def test_cutoffs_are_those_of_ndeval_unless_others_are_asked_for():
    cut = [name for name in NAMES if isinstance(MEASURES[name].parameter, Cutoffs)]
    assert 9 == len(cut)
    assert [f"{name}_{k}" for name in cut for k in (5, 10, 20)] == [each.label for each in parse(cut)]


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_of_subtopics_has_a_definition_here(name):
    assert name in definitions.MEASURES
    assert set(MEASURES[name].options) <= set(OPTIONS)


# ndeval

NDEVAL = ["ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "NRBP", "nNRBP", "MAP-IA", "P-IA", "strec"]


def of_ndeval(queries, alpha, beta, cutoffs):
    """What ndeval prints for each query, by the names that it has for measures."""
    pyndeval = pytest.importorskip("pyndeval")
    judged = [
        (query, topic, document, int(grade))
        for query, (found, _) in queries.items()
        for document, grades in found.items()
        for topic, grade in sorted(grades.items())
    ]
    run = [
        (query, document, float(-place))
        for query, (_, found) in queries.items()
        for place, (document,) in enumerate(found)
    ]
    asked = [m if m in ("NRBP", "nNRBP", "MAP-IA") else f"{m}@{k}" for m in NDEVAL for k in cutoffs]
    return pyndeval.ndeval(judged, run, list(dict.fromkeys(asked)), alpha=alpha, beta=beta)


def drawn(draw, grades):
    """Queries as in TREC's Web tracks: some subtopics, each with relevant documents, most documents with none.

    In 2013 and 2014 a topic of a single facet had subtopic 0 alone, and others had documents that were judged for it.
    """
    queries = {}
    for number in range(4):
        topics = draw.choice(([], ["0"])) + [str(t) for t in range(1, draw.randint(2, 7))]
        topics = draw.choice((topics, topics, ["0"]))
        judged = {f"d{i}": {topic: draw.choice(grades) for topic in topics} for i in range(draw.randint(1, 30))}
        judged["d0"][topics[0]] = 1
        there = [*judged, *(f"x{i}" for i in range(20))]
        queries[f"q{number}"] = judged, [[d] for d in draw.sample(there, draw.randint(1, len(there)))]
    return queries


@pytest.mark.parametrize("seed", range(25))
def test_what_ndeval_prints_is_printed_by_the_same_names(tmp_path, seed):
    draw = random.Random(seed)
    alpha, beta = draw.choice(((0.5, 0.5), (0.5, 0.5), (0.25, 0.8), (0.9, 0.1)))
    queries = drawn(draw, (0, 0, 0, 0, 1, 1, 2))
    theirs = of_ndeval(queries, alpha, beta, (2, 5, 10, 20))
    paths = written(tmp_path, queries)
    names = list(next(iter(theirs.values())))
    given = {
        name: {key: value for key, value in (("alpha", alpha), ("beta", beta)) if key in MEASURES[measure].options}
        for name in names
        for measure in [parse([name])[0].measure.name]
    }
    requests = {}
    for name in names:
        inside = ",".join(f"{key}={value}" for key, value in given[name].items())
        called, _, cut = name.partition("@")
        (requests[name],) = parse([f"{called}({inside}){'@' if cut else ''}{cut}" if inside else name])
    scores = scored(paths, requests.values())
    mine = {
        query.decode(): {name: f"{scores.columns[i].values[q]:.6f}" for i, name in enumerate(names)}
        for q, query in enumerate(scores.queries)
    }

    assert {query: {name: f"{value:.6f}" for name, value in values.items()} for query, values in theirs.items()} == mine


def test_where_ndeval_is_not_right(tmp_path):
    """At cutoff 1 it does not divide, without a relevant document it prints nan, and a repetition counts twice."""
    queries = {
        "q0": ({"d0": {"1": 1, "2": 1}, "d1": {"3": 1}}, [["d0"], ["d1"]]),
        "q1": ({"d0": {"1": 0}}, [["d0"]]),
    }
    theirs = of_ndeval(queries, 0.5, 0.5, (1,))
    scores = scored(written(tmp_path, queries), parse(["alpha-DCG@1", "ERR-IA@1", "nNRBP"]))

    assert [2.0, 2.0] == [theirs["q0"]["alpha-DCG@1"], theirs["q0"]["ERR-IA@1"]]
    assert math.isnan(theirs["q1"]["nNRBP"])
    assert [[2 / 3, 0.0], [2 / 3, 0.0], [1.0, 0.0]] == [column.values.tolist() for column in scores.columns]
    assert np.isfinite(scores.columns[2].values).all()

    pyndeval = pytest.importorskip("pyndeval")
    twice = pyndeval.ndeval([("q", "1", "d", 1)] * 2, [("q", "d", 1.0)], ["MAP-IA"])
    assert twice["q"]["MAP-IA"] == 0.5
    with pytest.raises(AssertionError, match="only supports cutoffs up to 20"):
        pyndeval.ndeval([("q", "1", "d", 1)], [("q", "d", 1.0)], ["strec@21"])


def test_err_ia_may_fall_with_the_cutoff_and_does_not_where_nothing_divides(tmp_path):
    """The example of pyndeval, whose readme cuts digits off."""
    judged = {"A": {"1": 1}, "B": {"2": 1}, "D": {"2": 1}, "C": {"3": 1}}
    paths = written(tmp_path, {"q": (judged, [["A"], ["D"], ["E"], ["B"]])})
    values = [
        column.values.item() for column in scored(paths, parse(["ERR-IA@5,10", "ERR-IA(norm=none)@5,10"])).columns
    ]

    assert ["0.3933", "0.3908"] == [f"{value:.4f}" for value in values[:2]]
    assert values[2] == values[3]


@examples(max_examples=60)
@given(judgments, rankings)
def test_nothing_that_is_not_divided_falls_with_the_cutoff(tmp_path_factory, judged, found):
    paths = written(tmp_path_factory.getbasetemp(), {"q": (judged, [[document] for document in found])})
    cutoffs = ",".join(map(str, range(1, 10)))
    for name in ("ERR-IA(norm=none)", "alpha_DCG(norm=none)"):
        values = [column.values.item() for column in scored(paths, parse([f"{name}@{cutoffs}"])).columns]
        assert sorted(values) == values


# Bad input


def test_everything_that_is_wrong_with_judgments_is_found_at_once(irev, tmp_path):
    lines = ["q1 1 d1 1", "q1 0 d2 1", "q2 0 d3 0", "q1 1 d1 0", "q3 1 d1 one", "q3 1 d2", "q1 0 d2 2"]
    (tmp_path / "qrels").write_text("".join(f"{line}\n" for line in lines))
    done = irev("validate", "--qrels-format", "subtopics", str(tmp_path / "qrels"))
    found = re.findall(r"qrels:(\d+)\S* error (E\d+): (.*?);", done.stdout.decode())

    assert [
        ("4", "E103", "document 'd1' is judged twice for query 'q1', subtopic '1' (first on line 1)"),
        ("5", "E102", "the grade 'one' is not a number"),
        ("6", "E101", "3 fields in 'q3 1 d2'"),
        ("7", "E103", "document 'd2' is judged twice for query 'q1', subtopic '0' (first on line 2)"),
    ] == found
    (tmp_path / "run").write_text("q1 Q0 d1 1 1 t\n")
    done = irev("--qrels-format", "subtopics", str(tmp_path / "qrels"), str(tmp_path / "run"))
    refused(done, "qrels:4: document 'd1' is judged twice for query 'q1', subtopic '1' (first on line 1)")


WEB_TRACK = """\
201 0 d1 1
201 0 d2 0
201 0 d3 2
202 1 d1 1
202 2 d2 3
202 0 d3 1
203 0 d1 0
203 0 d2 -2
204 0 d1 0
204 1 d2 1
"""
"""As in TREC's Web tracks of 2013 and 2014: a topic of a single facet, one whose documents are judged for subtopic 0
too, one without anything relevant, and one whose documents of no subtopic stand there with 0."""


def test_subtopic_0_is_a_subtopic_as_for_ndeval_and_ir_measures(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pyndeval, ir_measures = pytest.importorskip("pyndeval"), pytest.importorskip("ir_measures")
    (tmp_path / "qrels").write_text(WEB_TRACK)
    run = [(query, f"d{n}", 4.0 - n) for query in ("201", "202", "203", "204") for n in (2, 1, 3)]
    (tmp_path / "run").write_text("".join(f"{query} Q0 {document} 1 {score} t\n" for query, document, score in run))
    names = ["ERR-IA@5", "nERR-IA@5", "alpha-DCG@5", "alpha-nDCG@5", "NRBP", "MAP-IA", "P-IA@5", "strec@5"]
    rows = [(*line.split()[:3], max(int(line.split()[3]), 0)) for line in WEB_TRACK.splitlines()]
    theirs = pyndeval.ndeval(rows, run, names)

    options = ("--qrels-format", "subtopics", "--digits", "6", "-q", "-n")
    done = irev("eval", *options, *(word for name in names for word in ("-m", name)), "qrels", "run")
    lines = done.stdout.decode().split("\n")[:-1]
    mine = [tuple(line.split()[1:]) for line in lines]
    assert [(query, f"{theirs[query][name]:.6f}") for query in theirs for name in names] == mine

    asked = [ir_measures.parse_measure(name) for name in ("alpha_nDCG@5", "ERR_IA@5", "StRecall@5")]
    read = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))
    means = ir_measures.calc_aggregate(asked, read, ir_measures.read_trec_run(str(tmp_path / "run")))
    texts = ["alpha-nDCG@5", "ERR-IA@5", "strec@5"]
    found = evaluated(str(tmp_path / "qrels"), str(tmp_path / "run"), texts, qrels_format="subtopics", complete=True)
    assert found.mean() == pytest.approx(dict(zip(texts, (means[each] for each in asked), strict=True)), abs=1e-12)


SAYS_SO = "all measures are of subtopics, so the second field of the judgments is read as the subtopic"


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "-m", "alpha-nDCG@5", "-m", "strec@5", "qrels", "run"),
        ("compare", "-m", "alpha-nDCG@5", "qrels", "run", "other"),
        ("check", "--min", "alpha-nDCG@5=0.1", "qrels", "run"),
        ("explain", "-m", "alpha-nDCG@5", "--query", "202", "qrels", "run"),
        ("explain", "-m", "alpha-nDCG@5", "qrels", "run"),
        ("diff", "-m", "alpha-nDCG@5", "qrels", "run", "other"),
        ("curves", "--kind", "queries", "-m", "alpha-nDCG@5", "qrels", "run", "other"),
        ("coverage", "-m", "strec@5", "qrels", "run", "other"),
        ("agree", "-m", "alpha-nDCG@5", "-m", "strec@2", "qrels", "run", "other"),
        ("power", "--difference", "0.1", "-m", "alpha-nDCG@5", "qrels", "run", "other"),
        ("report", "-m", "alpha-nDCG@5", "-o", "page.html", "qrels", "run"),
    ],
)
def test_where_only_measures_of_subtopics_are_asked_for_judgments_are_of_these(irev, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(WEB_TRACK)
    for name, order in (("run", (2, 1, 3)), ("other", (3, 2, 1))):
        rows = [f"{q} Q0 d{n} 1 {9 - r} {name}\n" for q in (201, 202, 203, 204) for r, n in enumerate(order)]
        (tmp_path / name).write_text("".join(rows))
    done = irev(*words)
    named = irev(*words, "--qrels-format", "subtopics")

    assert done.status == named.status, done.stderr
    assert done.status == 0, done.stderr
    assert SAYS_SO in done.stderr
    assert SAYS_SO not in named.stderr
    assert done.stdout == named.stdout


def test_where_another_measure_or_format_is_named_they_are_not(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 1 d1 1\n1 2 d2 1\n")
    (tmp_path / "run").write_text("1 Q0 d1 1 1 t\n")
    for more in (("-m", "AP"), ("--qrels-format", "trec")):
        done = irev("eval", "-m", "alpha-nDCG@5", *more, "qrels", "run")
        refused(done, "needs judgments of subtopics, and these are of grades; --qrels-format subtopics")


def test_a_single_subtopic_is_doubted(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d2 1\n")
    (tmp_path / "run").write_text("1 Q0 d1 1 1 t\n2 Q0 d2 1 1 t\n")
    done = irev("eval", "-m", "alpha-nDCG@5", "qrels", "run")

    assert b"alpha_ndcg_5          \tall\t1.0000\n" == done.stdout
    assert "qrels: the subtopic of every line is '0'; are these judgments of subtopics?" in done.stderr


def test_python_reads_files_so_too_and_warns(tmp_path):
    (tmp_path / "qrels").write_text(WEB_TRACK)
    run = {query: ["d2", "d1", "d3"] for query in ("201", "202", "203", "204")}
    expected = evaluated(str(tmp_path / "qrels"), run, "alpha-nDCG@5", qrels_format="subtopics")
    with pytest.warns(irev.JudgmentsWarning, match=SAYS_SO):
        found = evaluated(str(tmp_path / "qrels"), run, "alpha-nDCG@5")
    assert expected.per_query == found.per_query
    with pytest.warns(irev.JudgmentsWarning, match=SAYS_SO):
        explained = irev.explain(str(tmp_path / "qrels"), run, "202", "alpha-nDCG@5")
    assert [expected.per_query["alpha-nDCG@5"]["202"]] == [each.value for each in explained.measures]


def test_judgments_of_subtopics_are_never_taken_for_ordinary_ones_or_the_other_way_round(irev, tmp_path):
    """Both have four fields; without the option the second one is ignored, or doubted, or refused."""
    (tmp_path / "run").write_text("q1 Q0 d1 1 1 t\n")
    for text in ("q1 1 d1 1\nq1 2 d2 1\n", "q1 0.5 d1 1\nq1 1 d2 1\n", "q1 0 d1 1\n"):
        (tmp_path / "qrels").write_text(text)
        done = irev("-m", "map", str(tmp_path / "qrels"), str(tmp_path / "run"))
        assert (0, ("1 d1" in text) == ("--qrels-format subtopics" in done.stderr)) == (done.status, True)


def test_what_would_lose_subtopics_is_refused(irev, tmp_path):
    (tmp_path / "qrels").write_text("q1 1 d1 1\nq1 2 d1 1\n")
    qrels_, option = str(tmp_path / "qrels"), ("--qrels-format", "subtopics")
    for fact, words in (
        ("a conversion would keep only their grades", ("convert", qrels_, str(tmp_path / "new.csv"))),
        (
            "and --merge would keep only their grades",
            ("judges", "--merge", str(tmp_path / "new"), f"a={qrels_}", f"b={qrels_}"),
        ),
    ):
        refused(irev(words[0], *option, *words[1:]), "these are judgments of subtopics", fact)
    assert ["qrels"] == [path.name for path in tmp_path.iterdir()]


def test_runs_in_memory_have_the_same_values_as_files(tmp_path):
    judged = {f"d{i}": {str(t): (i + t) % 3 for t in range(1, 4)} for i in range(6)}
    queries = {f"q{n}": (judged, [[d] for d in random.Random(n).sample([*judged, "x"], 5)]) for n in range(3)}
    paths = written(tmp_path, queries)
    run = {
        query: {document: float(-place) for place, (document,) in enumerate(found)}
        for query, (_, found) in queries.items()
    }
    asked = [*NAMES, "AP"]
    expected = irev.evaluate(*paths, asked, qrels_format="subtopics").per_query
    evaluator = irev.Evaluator(paths[0], asked, qrels_format="subtopics")

    assert expected == evaluator.evaluate(run).per_query
    lists = {query: [document for (document,) in found] for query, (_, found) in queries.items()}
    assert expected == evaluator.evaluate(lists).per_query
    with pytest.raises(UsageError, match="needs judgments of subtopics, and these are of grades"):
        irev.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["alpha-nDCG@5"])


def test_gains_are_given_to_every_grade_and_looked_at_by_measures_of_gains(irev, tmp_path):
    paths = written(tmp_path, {"q": ({"d0": {"1": 3, "2": 1}, "d1": {"1": 2}}, [["d1"], ["d0"]])})
    option = ("--qrels-format", "subtopics", "-m", "D-nDCG@1")
    done = irev("eval", *option, "--gains", "0=0,2=2,3=3", *paths)
    assert (2, True) == (done.status, "grade 1 has no gain" in done.stderr)
    done = irev("eval", *option, "--gains", "0=0,1=1,2=8,3=9", *paths)
    assert f"{8 / 10:.4f}".encode() == done.stdout.split()[-1]
