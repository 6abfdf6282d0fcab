"""Warnings of the Python interface: what the command says on standard error, each kind with a category."""

import json
import warnings
from pathlib import Path

import pytest
from conftest import ROOT
from outcomes import options_in

import irev
from irev.api.options import warned
from irev.base import errors

FRACTIONS = "1 0 a 1\n1 0 b 0.9\n1 0 c 0.2\n2 0 a 1\n"
RUN = "1 Q0 b 1 3 t\n1 Q0 a 2 2 t\n2 Q0 a 1 1 t\n"

CATEGORIES = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Warning)]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(FRACTIONS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "other").write_text(RUN.replace(" t\n", " u\n"))


def heard(call):
    """The categories and texts of the warnings of a call, and the file that they point to."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [(each.category, str(each.message), each.filename) for each in found]


def test_options_become_parameters_with_their_values_and_commands_in_quotes_stay():
    said = "--min-x, `irev a --b`, 'irev a --b 1' and --c"
    assert "min_x, `irev a --b`, 'irev a --b 1' and c" == errors.in_python(said)
    fact = f"{errors.option('by', 'rrf')} takes {errors.option('depth', 'K')} or {errors.option('max_drop')}"
    refused = errors.UsageError(fact, remedy=f"add {errors.option('strata', 'K=SHARE,…')}")
    assert "by='rrf' takes depth=… or max_drop; add strata=…" == str(refused)
    assert "--by rrf takes --depth K or --max-drop; add --strata K=SHARE,…" == refused.typed


@pytest.mark.parametrize(
    "ask",
    [
        lambda: irev.evaluate("qrels", "run", "P_5.7"),
        lambda: irev.curves("qrels", ["run", "other"], "queries", "P_5.7"),
        lambda: irev.judges(["qrels", "again"], ["run", "other"], "P_5.7"),
        lambda: irev.coverage("qrels", ["run", "other"], "P_5.7"),
        lambda: irev.explain("qrels", "run", measures="P_5.7"),
        lambda: irev.diff("qrels", "run", "other", "P_5.7"),
    ],
)
def test_a_cutoff_that_is_no_whole_number_is_warned_of_wherever_measures_are_asked_for(ask, tmp_path):
    (tmp_path / "again").write_text(FRACTIONS)
    said = [text for category, text, _ in heard(ask) if category is irev.MeasureWarning]
    assert ["cutoff '5.7' of measure 'P' is read as 5: cutoffs are whole numbers"] == said


def test_runs_that_are_fused_twice_are_warned_of():
    ((category, text, _),) = heard(lambda: irev.fuse(["run", "other", "run"]))
    assert (irev.RunWarning, "run: this seems to be the same run as run; it counts twice") == (category, text)


PARTLY = "2 of 4 grades above 0 are below the relevance level 1"


@pytest.mark.parametrize("qrels", ["qrels", {"1": {"a": 1, "b": 0.9, "c": 0.2}, "2": {"a": 1}}, "frame", "read"])
def test_grades_below_the_level_are_warned_of_wherever_they_are(qrels):
    pandas = pytest.importorskip("pandas")
    if qrels == "frame":
        rows = [line.split() for line in FRACTIONS.splitlines()]
        qrels = pandas.DataFrame([(q, d, float(g)) for q, _, d, g in rows], columns=["query_id", "doc_id", "relevance"])
    elif qrels == "read":
        qrels = irev.read_qrels("qrels")
    ((category, text, place),) = heard(lambda: irev.evaluate(qrels, "run", "RR"))

    assert (irev.LevelWarning, __file__) == (category, place)
    assert PARTLY in text
    assert text.endswith("level sets the lowest relevant grade, gains the gains of grades")


@pytest.mark.parametrize(
    "call",
    [
        lambda: irev.compare("qrels", {"a": "run", "b": "other"}, "RR"),
        lambda: irev.compare("qrels", ["run", "other"], "RR"),
        lambda: irev.evaluate_runs("qrels", ["run", "other"], "RR"),
        lambda: irev.explain("qrels", "run", "1", "RR"),
        lambda: irev.diff("qrels", "run", "other", "RR"),
        lambda: irev.curves("qrels", ["run", "other"], "queries", "RR"),
        lambda: irev.coverage("qrels", ["run", "other"], "P@1"),
        lambda: irev.Evaluator("qrels", ["nDCG@10", "RR"]),
    ],
)
def test_every_call_that_evaluates_warns(call):
    assert [irev.LevelWarning] == [category for category, text, place in heard(call) if place == __file__]


@pytest.mark.parametrize(
    ("measures", "options"),
    [
        ("nDCG@10", {}),
        (["nDCG@10", "Q", "ERR@10"], {}),
        ("RR", {"level": 0.5}),
        ("RR(rel=0.5)", {}),
        (["AP(rel=0.5)@10", "nDCG@10"], {}),
        ("RR(rel=0.5)", {"level": 0.1}),
        (["RR", "nDCG@10"], {"gains": {0: 0, 0.2: 0, 0.9: 1, 1: 1}}),
    ],
)
def test_nothing_is_said_where_it_is_settled(measures, options):
    assert [] == heard(lambda: irev.evaluate("qrels", "run", measures, **options))


@pytest.mark.parametrize(("share", "expected"), [(9, []), (10, [irev.LevelWarning])])
def test_a_tenth_of_the_grades_above_0_is_a_good_part(share, expected):
    grades = {f"d{n}": 0.5 if n < share else 2 for n in range(100)} | {f"x{n}": 0 for n in range(100)}
    qrels = {"1": grades}

    assert expected == [each[0] for each in heard(lambda: irev.evaluate(qrels, {"1": ["d1"]}, "AP"))]


def test_whoever_raises_the_level_means_the_grades_below_it():
    qrels = {"1": {"a": 1, "b": 2}}

    assert [] == heard(lambda: irev.evaluate(qrels, {"1": ["a"]}, "AP", level=2))
    ((category, text, _),) = heard(lambda: irev.evaluate(qrels, {"1": ["a"]}, "AP", level=3))
    assert (irev.LevelWarning, True) == (category, "no grade reaches the relevance level 3, the highest is 2" in text)


def test_queries_in_one_file_alone_have_a_category_of_their_own():
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": ["a"], "3": ["a"]}
    expected = [
        (irev.QueriesWarning, "run: judged query 2 has no results and is left out (complete=True counts it)"),
        (irev.QueriesWarning, "run: query 3 has no judgments and is left out"),
    ]

    assert expected == [each[:2] for each in heard(lambda: irev.evaluate(qrels, run, "AP"))]
    assert [] == heard(lambda: irev.Evaluator(qrels, "AP").evaluate(run))
    found = heard(lambda: irev.compare(qrels, {"a": run, "b": {"1": ["a"], "2": ["a"]}}, "AP"))
    assert [
        "a: judged query 2 has no results and counts as an empty ranking",
        "a: query 3 has no judgments and is left out",
    ] == [text for _, text, _ in found]


def test_runs_that_look_wrong_or_have_no_document_in_common_are_told_apart(tmp_path):
    (tmp_path / "mixed").write_text("1 Q0 a 1 2 t\n2 Q0 a 1 1 u\n")
    (tmp_path / "strange").write_text("1 Q0 x 1 2 t\n2 Q0 y 1 1 t\n")
    whole = {"1": {"a": 1}, "2": {"a": 1}}

    ((category, text, _),) = heard(lambda: irev.evaluate(whole, "mixed", "AP"))
    assert (irev.RunWarning, True) == (category, "run ids differ, among them" in text)
    assert [irev.RunWarning] == [each[0] for each in heard(lambda: irev.read_run("mixed"))]
    for run in ("strange", {"1": ["x"], "2": ["y"]}, {"1": {"x": 1.0}, "2": {"y": 1.0}}):
        ((category, text, _),) = heard(lambda run=run: irev.evaluate(whole, run, "AP"))
        assert irev.DocumentsWarning == category
        assert "none of the retrieved documents is judged" in text


def test_judgments_that_were_perhaps_meant_otherwise(tmp_path):
    (tmp_path / "second").write_text("1 1 a 1\n1 2 b 1\n2 1 a 1\n")

    ((category, text, _),) = heard(lambda: irev.evaluate("second", "run", "AP"))
    assert irev.JudgmentsWarning == category
    assert text.startswith("second:2: the second field is '2', and in the first line '1'; it is ignored")


def test_evaluations_made_otherwise_and_measures_read_otherwise():
    run = {"1": ["a"]}
    first, second = (irev.evaluate({"1": {"a": 1}}, run, "AP", depth=depth) for depth in (None, 1))

    assert [irev.ComparisonWarning] == [each[0] for each in heard(lambda: irev.compare({"a": first, "b": second}))]


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_kind_can_be_left_out(category):
    assert issubclass(category, irev.IrevWarning)
    assert getattr(irev, category.__name__) is category
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category)
        warned("nothing", category)


Q, K, S = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run", "semantic.run"))

REFUSED = {
    "measure": lambda: irev.evaluate(Q, K, "nDGC"),
    "collection_size": lambda: irev.evaluate(Q, K, "tn"),
    "strict": lambda: irev.evaluate(Q, K, "AP", strict=True),
    "ties": lambda: irev.evaluate(Q, K, "AP", ties="x"),
    "average": lambda: irev.evaluate(Q, K, "AP", judged_only=True, depth=3, ties="average"),
    "relstring": lambda: irev.evaluate(Q, K, "relstring", ties="average"),
    "bounds": lambda: irev.evaluate(Q, K, "ndcg", ties="average", gains={-1: 1}),
    "negative": lambda: irev.evaluate({"q1": {"d": -1}}, K, "AP", negative="error"),
    "twice": lambda: irev.evaluate(Q, {"q1": ["a", "a"]}, "AP"),
    "rank": lambda: irev.evaluate(Q, {"q1": {"a": 1}}, "AP", order="rank"),
    "format": lambda: irev.evaluate(Q, K, "AP", qrels_format="x"),
    "grade_words": lambda: irev.evaluate({"q1": {"a": "so so"}}, K, "AP"),
    "costs": lambda: irev.evaluate(Q, K, "TBG", costs={"a": 1}),
    "gains": lambda: irev.evaluate(Q, K, "nDCG", gains={0: 0, 1: 1}),
    "runs": lambda: irev.compare(Q, {"a": K}, "AP"),
    "baseline": lambda: irev.compare(Q, {"a": K, "b": S}, "AP", baseline="z"),
    "all_pairs": lambda: irev.compare(Q, {"a": K, "b": S}, "AP", baseline="a", all_pairs=True),
    "tests": lambda: irev.compare(Q, {"a": K, "b": S}, "AP", tests="z"),
    "family": lambda: irev.compare(Q, {"a": K, "b": S}, "AP", tests="sign", correction="max-t"),
    "tukey": lambda: irev.compare(Q, {"a": K, "b": S}, "AP", tests="t", correction="tukey", all_pairs=True),
    "equivalence": lambda: irev.compare(Q, {"a": K, "b": S}, "AP", noninferior=-1),
    "any_drop": lambda: irev.check(evaluation=None, any_drop=["AP"]),
    "query": lambda: irev.explain(Q, K, query="zz"),
    "grades": lambda: irev.explain(Q, K, grades=[1, 0]),
    "relevant": lambda: irev.explain(grades=[1, 0], relevant=0),
    "method": lambda: irev.fuse([K, S], "zz"),
    "norm": lambda: irev.fuse([K, S], "rrf", norm="max"),
    "weights": lambda: irev.fuse([K, S], "rrf", weights=[1]),
    "depth": lambda: irev.pool([K, S]),
    "by": lambda: irev.pool([K, S], by="maxmean", depth=3),
    "rule": lambda: irev.curves(Q, {"a": K}, kind="by-cutoff", rule="nist"),
    "judges": lambda: irev.judges({"a": Q}),
    "propensities": lambda: irev.off_policy(str(ROOT / "sample_data/ab_test.csv"), K, propensities="nowhere"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("said", REFUSED)
def test_errors_in_python_speak_of_parameters_and_not_of_options(said):
    with pytest.raises((irev.IrevError, TypeError)) as caught:
        REFUSED[said]()
    assert [] == options_in(str(caught.value))


# The same data through every door: the same warning


GOOD = {f"q{each}": {"d0": 2, "d1": 0, "d2": 1, "d3": 1} for each in range(4)}
SCORES = {query: {f"d{each}": 3.25 - 0.5 * each for each in range(4)} for query in GOOD}
SITUATIONS = {
    "nothing odd": (GOOD, SCORES, None),
    "a grade above 1000": ({**GOOD, "q0": {"d0": 881250949, "d1": 0}}, SCORES, "is above 1000"),
    "swapped": (SCORES, GOOD, "has a fraction, as most of them have"),
    "swapped shares": (
        {query: {each: 0.9 - score / 10 for each, score in found.items()} for query, found in SCORES.items()},
        GOOD,
        "were judgments and run swapped",
    ),
    "all scores equal": (GOOD, {query: dict.fromkeys(found, 1.0) for query, found in SCORES.items()}, "are equal in 4"),
    "rounded scores": (
        GOOD,
        {query: {each: float(round(score)) for each, score in found.items()} for query, found in SCORES.items()},
        "4 of 4 queries have a judged document in a tie",
    ),
}


def as_rows(data):
    return [(query, document, value) for query, found in data.items() for document, value in found.items()]


def as_arrays(data):
    return tuple(zip(*as_rows(data), strict=True))


def as_frame(data, value):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(as_rows(data), columns=["query_id", "doc_id", value])


def as_file(data, name):
    Path(name).write_text(json.dumps(data))
    return name


DOORS = {
    "file": lambda qrels, run: irev.evaluate(as_file(qrels, "q.json"), as_file(run, "r.json"), MEASURES),
    "dictionary": lambda qrels, run: irev.evaluate(qrels, run, MEASURES),
    "many rows": lambda qrels, run: irev.evaluate(qrels, run, [*MEASURES, "bpref(rel=1)"]),
    "frame": lambda qrels, run: irev.evaluate(as_frame(qrels, "relevance"), as_frame(run, "score"), MEASURES),
    "arrays": lambda qrels, run: irev.evaluate(as_arrays(qrels), as_arrays(run), MEASURES),
    "Evaluator": lambda qrels, run: irev.Evaluator(qrels, MEASURES).evaluate(run),
    "evaluate_runs": lambda qrels, run: irev.evaluate_runs(qrels, {"a": run}, MEASURES),
    "compare": lambda qrels, run: irev.compare(qrels, {"a": run, "b": SCORES}, MEASURES),
}
MEASURES = ["nDCG@10", "AP(rel=1)"]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_same_is_said_whatever_holds_the_data(door, situation):
    qrels, run, expected = SITUATIONS[situation]
    texts = [text for category, text, _ in heard(lambda: DOORS[door](qrels, run)) if category is not irev.LevelWarning]
    if situation == "rounded scores" and door == "compare":
        expected = None  # mild, and said of values alone
    assert (expected is None and texts == []) or any(expected in text for text in texts if expected), texts


def test_an_evaluator_warns_of_ties_once():
    evaluator = irev.Evaluator(GOOD, "AP")
    tied = SITUATIONS["rounded scores"][1]
    assert [1, 0] == [len(heard(lambda: evaluator.evaluate(tied))) for _ in range(2)]


@pytest.mark.parametrize(
    ("said", "typed", "python"),
    [
        ("-l 2; --gains sets", "-l 2; --gains sets", "level=2; gains sets"),
        ("(-c counts it)", "(-c counts it)", "(complete=True counts it)"),
        ("leave out --order rank", "leave out --order rank", "leave out order='rank'"),
        ("-M and -J, --ties", "-M and -J, --ties", "depth and judged_only=True, ties"),
        (errors.option("ties", "docid-desc"), "--ties docid-desc", "ties='docid-desc'"),
        ("-1 is `irev eval -q` - a", "-1 is `irev eval -q` - a", "-1 is `irev eval -q` - a"),
    ],
)
def test_a_message_speaks_as_its_door(said, typed, python):
    assert (typed, python) == (errors.typed(said), errors.in_python(said))


SHAPES = {
    "run for judgments": (lambda: (irev.read_run(SCORES), GOOD), "this is a run; judgments come first, then runs"),
    "judgments for a run": (lambda: (GOOD, irev.read_qrels(GOOD)), "these are judgments; judgments come first"),
    "several runs": (lambda: (GOOD, ["run", "other"]), "list of 2 paths; irev.evaluate_runs and irev.compare take"),
    "several paths": (lambda: (GOOD, (Path("run"), Path("other"))), "list of 2 paths; irev.evaluate_runs"),
    "several judgments": (lambda: (["qrels", "run"], SCORES), "list of 2 paths; irev.judges takes several judgments"),
    "ids in the index": (
        lambda: (GOOD, as_frame(SCORES, "score").set_index(["query_id", "doc_id"])),
        r"frame\.reset_index\(\) makes columns of it",
    ),
    "an empty frame": (lambda: (GOOD, as_frame({}, "score")), "there are no results"),
    "no judgments": (lambda: (as_frame({}, "relevance"), SCORES), "qrels: there are no judgments"),
}


CALLS = {
    "evaluate": lambda qrels, run: irev.evaluate(qrels, run, "AP"),
    "llm_judge": lambda qrels, run: irev.llm_judge(qrels, GOOD, {"a": run}, "AP"),
    "Evaluator": lambda qrels, run: irev.Evaluator(qrels, "AP").evaluate(run),
    "evaluate_runs": lambda qrels, run: irev.evaluate_runs(qrels, {"a": run}, "AP"),
    "compare": lambda qrels, run: irev.compare(qrels, {"a": run, "b": SCORES}, "AP"),
    "explain": lambda qrels, run: irev.explain(qrels, run, "q0", "AP"),
    "diff": lambda qrels, run: irev.diff(qrels, run, SCORES, "AP"),
    "curves": lambda qrels, run: irev.curves(qrels, {"a": run, "b": SCORES}, "queries", "AP"),
    "judges": lambda qrels, run: irev.judges({"a": qrels, "b": GOOD}, {"a": run, "b": SCORES}, "AP"),
    "pool": lambda qrels, run: irev.pool({"a": run}, depth=3, judged=qrels),
}
OF_RUNS = {
    "read_run": irev.read_run,
    "fuse": lambda run: irev.fuse({"a": run, "b": SCORES}),
    "rbo": lambda run: irev.rbo(run, SCORES),
    "interleave": lambda run: irev.interleave(SCORES, run),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("shape", SHAPES)
def test_data_of_another_shape_are_told_in_plain_words(shape, call):
    make, said = SHAPES[shape]
    with pytest.raises(irev.IrevError, match=said):
        CALLS[call](*make())


@pytest.mark.parametrize("call", OF_RUNS)
@pytest.mark.parametrize("shape", ["judgments for a run", "several runs", "several paths", "ids in the index"])
def test_what_is_no_run_is_told_where_there_are_no_judgments(shape, call):
    make, said = SHAPES[shape]
    with pytest.raises(irev.IrevError, match=said):
        OF_RUNS[call](make()[1])


def test_documents_that_are_files_are_told_apart_by_the_name_of_their_query():
    assert {"AP": 1.0} == irev.evaluate({"1": ["run"]}, {"1": ["run", "other"]}, "AP").mean()


def test_columns_of_objects_are_read_by_their_first_value():
    pandas = pytest.importorskip("pandas")
    judged = {"1": {"7": 1, "8": 0}}
    numbers = pandas.DataFrame({"query_id": [1, 1], "doc_id": [7, 8], "score": [2.0, 1.0]}).astype(
        {"query_id": object, "doc_id": object}
    )
    relevant = pandas.DataFrame({"query_id": ["1"], "relevant": [{"7"}]})
    lists = pandas.DataFrame({"query_id": ["0", "1"], "results": [None, ["7"]]})
    for qrels, run in ((judged, numbers), (relevant, {"1": ["7", "8"]})):
        assert {"AP": 1.0} == irev.evaluate(qrels, run, "AP").mean()
    with pytest.raises(irev.InputError, match="'results' has a value of type NoneType in row 0"):
        irev.evaluate(judged, lists, "AP")
