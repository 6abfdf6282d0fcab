"""Measures: their numbers on rankings small enough to check by hand, their documentation, and how they are
asked for.

A ranking is written as its grades in rank order: ``-`` is a document that the judgments do not name, ``.``
one that they name with a negative grade.
"""

import math
import random
import re
from dataclasses import replace

import numpy as np
import pytest
from kinds import OF_GRADES
from outcomes import refused

import irev
from irev.base.errors import UsageError
from irev.base.settings import Settings
from irev.evaluation.scores import evaluate, summarise
from irev.measures import MEASURES, in_trec_order, parse, spellings
from irev.measures.parameters import WordParameter
from irev.measures.request import several
from irev.ranking.ranked import Ranked


def rankings(*queries: str | None, missed: tuple[str, ...] = (), tag: str = "tag", absent: int = 0, **settings):
    """Rankings, one query each; None is a query that the run lacks.

    `missed` has the grades of judged documents that were not retrieved, for each query; the last entry
    serves all further queries. `absent` queries count in averages without being evaluated.
    """
    owner, rank, grade, judged_owner, judged_grade = [], [], [], [], []
    for index, written in enumerate(queries):
        symbols = written.split() if written else []
        hits = [(i, -1 if s == "." else int(s)) for i, s in enumerate(symbols, start=1) if s != "-"]
        owner += [index] * len(hits)
        rank += [i for i, _ in hits]
        grade += [g for _, g in hits]
        others = missed[min(index, len(missed) - 1)] if missed else ""
        judged = sorted([g for _, g in hits] + [int(g) for g in others.split()], reverse=True)
        judged_owner += [index] * len(judged)
        judged_grade += judged
    ranks = np.array(rank, dtype=np.int64)
    return Ranked(
        settings=Settings(**{"collection_size": 1000, **settings}),
        queries=tuple(b"q%d" % i for i in range(1, len(queries) + 1)),
        missing=np.array([written is None for written in queries], dtype=bool),
        retrieved=np.array([len(written.split()) if written else 0 for written in queries], dtype=np.int64),
        owner=np.array(owner, dtype=np.int64),
        rank=ranks,
        grade=np.array(grade, dtype=np.float64),
        tie_first=ranks,
        tie_last=ranks,
        judged_owner=np.array(judged_owner, dtype=np.int64),
        judged_grade=np.array(judged_grade, dtype=np.float64),
        considered=len(queries) + absent,
        positive_judgments=sum(g > 0 for g in judged_grade),
        highest_grade=max(judged_grade, default=0.0),
        tag=tag.encode(),
    )


def printed(value) -> str:
    if isinstance(value, bytes):
        return value.decode()
    return str(value) if isinstance(value, (int, np.integer)) else f"{value:6.4f}"


def per_query(ranked: Ranked, *asked: str) -> dict[str, list[str]]:
    """What each label shows for each query."""
    requests = parse(asked, ranked.settings.compat)
    return {c.request.label: [printed(v) for v in c.values] for c in evaluate(ranked, requests).columns}


def overall(ranked: Ranked, *asked: str) -> dict[str, str]:
    """What each label shows for all queries together; for the first one where there is no such line."""
    requests = parse(asked, ranked.settings.compat)
    scores = evaluate(ranked, requests)
    values = summarise(scores).values
    return {
        column.request.label: printed(column.values[0] if value is None else value)
        for column, value in zip(scores.columns, values, strict=True)
    }


# Numbers


VECTOR = "- . 0 2 1 0"
"""Among it, documents not in the pool, pooled but unjudged, nonrelevant, and relevant of two grades."""


def test_textbook_examples_of_average_precision():
    ranked = rankings("1 0 1 0 1", "1 0 1 0 0 1", "1 1 1 0 1 1 0 1 0 0", missed=("", "", "1 1"))

    assert per_query(ranked, "map") == {"map": ["0.7556", "0.7222", "0.6729"]}


def test_recall_and_precision_after_each_rank_of_a_textbook_example():
    ranked = rankings("1 1 0 1 0", missed=("1 " * 17,))

    assert [value for (value,) in per_query(ranked, "recall.1,2,3,4,5").values()] == [
        *("0.0500", "0.1000", "0.1000", "0.1500", "0.1500")
    ]
    assert [value for (value,) in per_query(ranked, "P.1,2,3,4,5").values()] == [
        *("1.0000", "1.0000", "0.6667", "0.7500", "0.6000")
    ]


def test_exponential_gains_of_a_textbook_example_can_be_given():
    ranked = rankings("3 2 3")

    assert per_query(ranked, "dcg.1=1,2=3,3=7", "ndcg.1=1,2=3,3=7") == {
        "dcg_1=1,2=3,3=7": ["12.3928"],
        "ndcg_1=1,2=3,3=7": ["0.9595"],
    }


def test_unjudged_documents_gain_only_when_a_gain_is_given():
    ranked = rankings("- 1 .", "0 -")

    assert per_query(ranked, "dcg") == {"dcg": ["0.6309", "0.0000"]}
    assert per_query(ranked, "dcg.-1=2", "dcg.-2=2") == {
        "dcg_-1=2": ["2.6309", "1.2619"],
        "dcg_-2=2": ["1.6309", "0.0000"],
    }


def test_of_a_grade_given_twice_the_run_has_the_lower_gain_and_the_ideal_the_first():
    assert per_query(rankings("1"), "dcg.1=3,1=2", "ideal_dcg.1=3,1=2") == {
        "dcg_1=3,1=2": ["2.0000"],
        "ideal_dcg_1=3,1=2": ["3.0000"],
    }


def test_rbp_divides_by_the_highest_grade_of_the_query_even_when_it_was_missed():
    ranked = rankings("1 0", "1 0", missed=("", "4"))

    assert per_query(ranked, "rbp.p=0.5") == {"rbp_p=0.5": ["0.5000", "0.1250"]}


def test_rbp_counts_the_grades_that_no_document_has_in_its_range():
    """Grades 1 and 2 keep their gains of 1 and 2 although only 3 and 0 are judged."""
    assert per_query(rankings("3 0"), "rbp.3=0.5") == {"rbp_3=0.5": ["0.0250"]}


def test_the_persistence_given_last_counts():
    assert per_query(rankings("1 - 1"), "rbp.p=0.1,p=0.5") == {"rbp_p=0.1,p=0.5": ["0.6250"]}


@pytest.mark.parametrize("p", ["0", "1", "1.5", "-0.5", "0.999999"])
def test_a_persistence_at_or_beyond_its_bounds_gives_a_number(p):
    values = per_query(rankings("1 - 0 1", "-", None), f"rbp.p={p}", f"rbp_resid.p={p}")

    assert [math.isfinite(float(value)) for column in values.values() for value in column] == [True] * 6


def test_depths_in_the_millions_and_grades_in_the_billions_are_ordinary():
    depth, grade = 3_000_000, 4e9
    base = rankings("1")
    place = np.array([depth], dtype=np.int64)
    ranked = Ranked(
        **{name: getattr(base, name) for name in ("settings", "queries", "missing", "owner", "judged_owner")},
        retrieved=place,
        rank=place,
        grade=np.array([grade]),
        tie_first=place,
        tie_last=place,
        judged_grade=np.array([grade]),
        considered=1,
        positive_judgments=1,
        highest_grade=grade,
        tag=b"",
    )
    values = per_query(ranked, "ndcg", "recip_rank", "rbp", "rbp_resid", "G.0=0.5", "Rprec_mult", "relstring")

    assert values["ndcg"] == [f"{1 / math.log2(depth + 1):6.4f}"]
    assert values["rbp_resid"] == ["1.0000"]
    assert values["rbp"] == ["0.0000"]


def test_no_results_left_give_zero_and_not_nan():
    ranked = rankings("- -", missed=("1",)).at(judged_only=True)
    values = per_query(ranked, "iprec_at_recall", "11pt_avg", "Rndcg.1=0", "set_F", "Rprec_mult")

    assert {value for column in values.values() for value in column} == {"0.0000"}


def test_measures_accept_no_queries_at_all():
    columns = evaluate(rankings(), parse(["all_trec", "yaap", "dcg"])).columns

    assert {len(column.values) for column in columns} == {0}


@pytest.mark.parametrize("name", OF_GRADES)
def test_the_type_of_values_follows_the_kind(name):
    measure = MEASURES[name]
    (column, *_) = evaluate(rankings(VECTOR, None), parse([name])).columns

    assert column.values.dtype == {"real": np.float64, "count": np.int64, "text": object}[measure.kind]


# Summaries


def test_complete_counts_positive_grades_whatever_the_level():
    ranked = rankings("1 2 0", complete=True).at(level=2)

    assert per_query(ranked, "num_rel") == {"num_rel": ["1"]}
    assert overall(ranked, "num_rel") == {"num_rel": "2"}


def test_means_are_added_from_left_to_right():
    tenths = rankings("1 0 0 0 0 0 0 0 0 0", *["- - - - - - - - - 1"] * 9)
    (value,) = summarise(evaluate(tenths, parse(["recip_rank"]))).values
    total = 0.0
    for each in [1.0] + [0.1] * 9:
        total += each

    assert value == total / 10


@pytest.mark.parametrize("name", [name for name, measure in OF_GRADES.items() if measure.per_query])
def test_values_lie_between_0_and_1_if_a_measure_says_so(name):
    ranked = rankings("1 - 0 2 3", "- - 1", ". 0 0", "3 3 3 1 2", "0 - - 3", None, missed=("2 1", "3"), level=1.0)
    chosen = [
        ((option, word),)
        for option, kind in OF_GRADES[name].options.items()
        if isinstance(kind, WordParameter)
        for word in kind.words
    ]

    for request in (replace(each, options=options) for each in parse([name]) for options in ((), *chosen)):
        values = evaluate(ranked, [request]).columns[0].values
        assert not request.of_one or ((values >= 0) & (values <= 1)).all(), request.standard


# Documentation


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_documented(name):
    first, *rest = MEASURES[name].documentation.strip().splitlines()

    assert re.fullmatch(r"\S.*\S\.", first), "one sentence that ends in a full stop"
    assert any("Example:" in line for line in rest)


@pytest.mark.parametrize("name", OF_GRADES)
def test_the_example_in_the_documentation_is_right(name):
    text = " ".join(MEASURES[name].documentation.split())
    setting, _, values = text.partition("Example: ")[2].removesuffix(".").partition(": ")
    grades, *rest = setting.removeprefix("grades ").split(", ")
    queries = grades.split(" | ")
    given = dict(re.fullmatch(r"(R =|N =|not retrieved|run id) (.*)", part).groups() for part in rest)
    missed = [given.get("not retrieved", "")] * len(queries)
    if "R =" in given:
        found = [sum(s.isdigit() and int(s) > 0 for s in query.split()) for query in queries]
        missed = ["1 " * (int(given["R ="]) - r) for r in found]
    expected = dict(re.findall(r"(\S+) ('[^']*'|\S+?)(?:, |$)", values))
    size = int(given.get("N =", "1000"))
    ranked = rankings(*queries, missed=tuple(missed), tag=given.get("run id", "tag"), collection_size=size)

    assert expected == {label: overall(ranked, label)[label] for label in expected}


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="'map' is registered twice"):
        MEASURES.add("map", MEASURES["map"])


# Requests


def labels(*texts: str, compat: str = "10.0") -> list[str]:
    return [request.label for request in parse(texts, compat)]


def test_measures_stand_in_the_order_asked_for_and_in_lines_of_trec_eval_in_its_own():
    asked = parse(["ndcg", "P.10", "map.agg=sd", "RR(rel=2)@10", "runid", "P.5", "official"], bounds=False)

    assert ["ndcg", "P_10", "map_agg=sd", "recip_rank_10,rel=2", "runid", "P_5", "num_q", "num_ret"] == [
        request.label for request in asked[:8]
    ]
    in_order = [request.label for request in in_trec_order(asked)]
    assert ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map_agg=sd", "map"] == in_order[:7]
    assert ["P_5", "P_10", "ndcg", "recip_rank_10,rel=2"] == in_order[-4:]


def test_parameters_of_several_requests_add_up_and_replace_the_defaults():
    assert labels("P.10", "P.5", "P.5,20") == ["P_10", "P_5", "P_20"]
    assert labels("official", "P.7")[-1] == "P_7"
    assert labels("P", "P_3") == ["P_3"]


def test_lists_and_pairs_give_a_line_each():
    assert labels("ndcg.2=1", "ndcg.1=3", "ndcg.2=1") == ["ndcg_2=1", "ndcg_1=3"]
    assert labels("utility.1,0,0,0", "utility.0,1,0,0") == ["utility_1,0,0,0", "utility_0,1,0,0"]


def test_recall_levels_may_share_a_label():
    assert labels("iprec_at_recall.0.204,0.201") == ["iprec_at_recall_0.20"] * 2


@pytest.mark.parametrize(
    ("text", "fact", "remedy"),
    [
        ("mpa", "there is no measure 'mpa'", "did you mean 'map'"),
        ("Rbp", "there is no measure 'Rbp'", "did you mean 'rbp'"),
        ("ndcg10", "there is no measure 'ndcg10'", "did you mean 'nDCG@10'?"),
        ("Mean Average Precison", "there is no measure 'Mean Average Precison'", "did you mean 'AP'"),
        ("CTR@1", "there is no measure 'CTR@1'", "'irev online ab -m ctr' does this; see `irev help CTR`"),
        ("RBO", "there is no measure 'RBO'", "'irev rbo' does this"),
        ("ndgc.1=3", "there is no measure 'ndgc.1=3'", "did you mean 'ndcg.1=3' or 'Rndcg.1=3'"),
        ("all_qrels", "there is no measure 'all_qrels'", "did you mean"),
        ("hit@3", "there is no measure 'hit@3'", "did you mean 'Success@3' or 'hit_rate@3'?"),
        ("HR(rel=2)@3", "there is no measure 'HR(rel=2)@3'", "did you mean 'Success(rel=2)@3' or 'hit_rate(rel=2)@3'?"),
        ("hit.3", "there is no measure 'hit.3'", "did you mean 'Success@3' or 'hit_rate@3'?"),
        ("hit", "there is no measure 'hit'", "did you mean 'Success' or 'hit_rate'?"),
        ("acc@1", "there is no measure 'acc@1'", "did you mean 'Success@1'?"),
        ("accuracy@1", "'accuracy@1' has two meanings", "write Success@1 (of sentence-transformers"),
        (
            "Hits@10",
            "'Hits@10' has two meanings",
            "write Success@10 (of work on entities) or num_rel_ret.10,agg=",
        ),
        ("hits_at_3", "'hits_at_3' has two meanings", "write Success@3"),
        ("sDCG", "'sDCG' has two meanings", "write SDCG for scaled DCG"),
        ("sDCG@5", "'sDCG@5' has two meanings", "write SDCG@5 for scaled DCG"),
        ("nDCG@10 AP P.5", "there is no measure", "put commas between the names of measures: 'nDCG@10,AP,P.5'"),
        ("P @ 10", "there is no measure 'P @ 10'", "did you mean 'P@10'?"),
        ("precision at 10", "there is no measure 'precision at 10'", "did you mean 'precision@10'?"),
        ("AP(", "there is no measure 'AP('", "did you mean 'AP'?"),
        ("AP" + "(" * 2000 + "b", "there is no measure", "expected NAME=VALUE between parentheses"),
        ("AP(rel=2", "there is no measure 'AP(rel=2'", "did you mean 'AP(rel=2)'?"),
        ("AP(rel", "there is no measure 'AP(rel'", "expected NAME=VALUE between parentheses, as in AP(rel=2)"),
        ("nDCG (rel=2) @ 10)", "there is no measure", "did you mean 'nDCG(rel=2)@10'?"),
        ("MAP@", "no cutoff follows 'MAP@'", "expected one, such as MAP@10"),
        ("specificity", "there is no measure", "'irev eval -m Fallout' is nearest; see `irev help specificity`"),
        ("faithfulness", "there is no measure", "is nearest; see `irev help faithfulness`"),
        ("R(of=10)@100", "measure 'recall' has no parameter 'of'", "it has rel, judged_only, agg"),
        ("map,,P", "there is no measure 'map,'", "put commas between"),
        ("zzzzzz", "there is no measure 'zzzzzz'", "list"),
        ("", "there is no measure ''", "list"),
        ("bpref.10", "'bpref' takes no parameter", "-M 10"),
        ("ndcg.a", "'a' is not a pair", "1=3,2=9"),
        ("ndcg.x=5", "'x=5' is not a pair", "1=3,2=9"),
        ("ndcg.p=0.5", "'p=0.5' is not a pair", "1=3,2=9"),
        ("ndcg.1=2,", "'' is not a pair", "1=3,2=9"),
        ("rbp.p=x", "'p=x' is not a pair", "p=0.9"),
        ("binG.1=3", "'binG' takes no parameter", ""),
        ("official.5", "'official' is a set of measures", "name the measure"),
        ("P.", "there is nothing after the dot in 'P.'", "cutoffs such as 5,10"),
        ("P.0", "cutoff 0 of measure 'P' is out of range", "expected 1 to"),
        ("P.-5", "cutoff -5 of measure 'P' is out of range", "expected 1 to"),
        ("P.0.9", "cutoff 0.9 of measure 'P' is out of range", "expected 1 to"),
        ("P.3000000000", "cutoff 3000000000 of measure 'P' is out of range", "expected 1 to"),
        ("P." + "9" * 30, f"cutoff {'9' * 30} of measure 'P' is out of range", "expected 1 to"),
        ("P." + "9" * 5000, "is too large a number for measure 'P'", ""),
        ("P.5,5", "5 occurs twice", ""),
        ("P.5x", "'5x' is not a cutoff", "cutoffs such as 5,10"),
        ("P.1e2", "'1e2' is not a cutoff", "cutoffs such as 5,10"),
        ("P.5,", "'' is not a cutoff", "cutoffs such as 5,10"),
        ("P.\N{ARABIC-INDIC DIGIT FIVE}", "is not a cutoff", "cutoffs such as 5,10"),
        ("Rprec_mult.0.5,.5", "0.5 occurs twice", ""),
        ("iprec_at_recall.x", "'x' is not a number", "0.1,0.5"),
        ("iprec_at_recall.nan", "'nan' is not a number", "0.1,0.5"),
        ("set_F.1_0", "'1_0' is not a number", ""),
        ("set_F.1e999", "'1e999' is too large a number", ""),
        ("utility.1", "'utility' got 1 number", "4 numbers such as 1,-1,0,0"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_with_a_remedy(text, fact, remedy):
    with pytest.raises(UsageError) as refused:
        parse([text])

    assert fact in refused.value.fact
    assert remedy in refused.value.remedy


@pytest.mark.parametrize(
    ("texts", "bounds"),
    [
        (["AP(bound=low,judged_only=true)"], False),
        (["AP(judged_only=true,bound=low)"], False),
        (["AP(judged_only=true)"], True),
        (["AP(agg=sd,bound=high)"], False),
        (["AP(bound=high,agg=sd)"], False),
        (["AP(agg=sd)"], True),
    ],
)
def test_what_has_no_bounds_is_refused_in_whatever_order_it_is_asked_for(texts, bounds):
    with pytest.raises(UsageError, match="bound"):
        parse(texts, bounds=bounds)


def test_a_measure_that_the_older_version_lacks_is_refused():
    with pytest.raises(UsageError, match=r"trec_eval 9\.0\.8 has no measure 'rbp'"):
        parse(["rbp"], compat="9.0.8")


def test_a_cutoff_with_a_fraction_is_cut_with_a_warning():
    warnings: list[str] = []

    (request,) = parse(["ndcg_cut.23.4"], warn=warnings.append)

    assert request.label == "ndcg_cut_23"
    assert warnings == ["cutoff '23.4' of measure 'ndcg_cut' is read as 23: cutoffs are whole numbers"]


@pytest.mark.parametrize("name", OF_GRADES)
def test_gains_are_looked_at_by_measures_that_look_at_grades_and_by_no_other(name):
    """So that gains can be refused where no measure looks at them."""
    judged = {"q": {"a": 3, "b": 2, "c": 1, "d": 0, "e": 1}}
    ranks = {"q": {"d": 5.0, "c": 4.0, "x": 3.0, "a": 2.0, "b": 1.0}}
    values = [
        irev.evaluate(judged, ranks, [name], gains=gains, collection_size=10).scores.columns[0].values.tolist()
        for gains in (None, {0: 0, 1: 1, 2: 3, 3: 4}, {0: 4, 1: 3, 2: 2, 3: 1})
    ]
    assert MEASURES[name].graded == (not values[0] == values[1] == values[2])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AP", ["AP"]),
        ("nDCG@10,AP", ["nDCG@10", "AP"]),
        ("P.5,10", ["P.5,10"]),
        ("P.5,10,map, recip_rank", ["P.5,10", "map", "recip_rank"]),
        ("AP(rel=2,judged_only=true),P@5", ["AP(rel=2,judged_only=true)", "P@5"]),
        ("judged_10,by=pooled,AP", ["judged_10,by=pooled", "AP"]),
        ("ndcg.1=2,2=3,map", ["ndcg.1=2,2=3", "map"]),
        ("nDCG@10,AP(rel=2)@5,Success@1", ["nDCG@10", "AP(rel=2)@5", "Success@1"]),
    ],
)
def test_a_list_of_measures_is_split_where_a_name_begins(text, names):
    assert names == several(text)
    assert parse(names) == parse([text])


def test_a_label_that_is_printed_is_no_list():
    for measure in MEASURES.values():
        for request in parse([measure.name]):
            assert [request.label] == several(request.label)
            assert [request.standard] == several(request.standard)


@pytest.mark.parametrize("gain", ["1e308", "-1e308", "5e-324", "-1e101", "1e-101"])
@pytest.mark.parametrize(
    "words", [("-m", "ndcg", "--gains", "0=0,1={}"), ("-m", "ndcg.1={}"), ("-m", "nDCG(gains={{1:{}}})@5")]
)
def test_gains_too_large_or_too_small_to_compute_with_are_refused(irev, gain, words):
    outcome = irev("eval", *(word.format(gain) for word in words), "sample_data/qrels.txt", "sample_data/keyword.run")
    refused(outcome, "in size")


def test_a_standard_name_states_what_papers_choose_differently():
    """The persistence p and the goal T of a user; other defaults, such as alpha = 0.5, are not stated."""
    stated = {name: {key for key, option in each.options.items() if option.stated} for name, each in MEASURES.items()}
    assert {name: {"p", "T"} & each.options.keys() for name, each in MEASURES.items()} == stated
    of_pairs = {name: getattr(each.parameter, "names", {}) for name, each in MEASURES.items()}
    assert {"rbp": {"p": 0.9}, "rbp_resid": {"p": 0.9}} == {name: known for name, known in of_pairs.items() if known}

    for name, keys in stated.items():
        for request in parse([name]):
            written = dict(part.split("=") for part in re.findall(r"\w+=[\d.]+", request.standard))
            assert keys | of_pairs[name].keys() == written.keys() & {"p", "T"}, request.standard
            assert (request,) == parse([request.standard])
    assert "RBP(p=0.8)@10" == parse(["RBP@10"])[0].standard
    assert "gRBP(p=0.5,gains={1:0.5})" == parse(["rbp.p=0.5,1=0.5"])[0].standard
    assert parse(["rbp"]) == parse(["gRBP"]) == parse(["gRBP(p=0.9)"])


def misspelt(name):
    """A name as people mistype it, with what may follow one."""
    written = [name[:-1], name[1:], f"{name}x", name.lower(), name.upper(), f"{name[:1]}{name[2:]}"]
    return [each + after for each in written for after in ("", "@10", ".5", "10", "(rel=2)@10", ".10,20", "(rel=2")]


@pytest.mark.thorough
def test_whatever_an_error_asks_whether_it_was_meant_is_accepted():
    names = {
        *MEASURES,
        *(measure.standard for measure in MEASURES.values()),
        *(name for name, _ in spellings.spellings()),
    }
    asked = 0
    for text in random.Random(1).sample(sorted({text for name in names for text in misspelt(name)}), 500):
        try:
            parse([text])
        except UsageError as error:
            for question in re.findall(r"did you mean ([^?]*)\?", str(error)):
                for meant in re.findall("'([^']*)'", question):
                    asked += 1
                    assert parse([meant]), text
    assert asked > 200
