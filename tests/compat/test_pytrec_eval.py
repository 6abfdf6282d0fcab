"""pytrec_eval, which runs the C code of trec_eval 9, judges ``--compat 9.0.8`` live: to the last printed digit."""

import math
from collections.abc import Mapping

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from irev.compat import pytrec_eval as ours

WITH_CUTOFFS = ("P", "recall", "map_cut", "ndcg_cut", "relative_P", "success")
MEASURES = sorted(
    pytrec_eval.supported_measures - {"runid", "relstring", "num_q"}
)  # texts, and what has no line for a query
LOGARITHMS = ("gm_map", "gm_bpref")

Grades = Mapping[str, Mapping[str, int]]
Scores = Mapping[str, Mapping[str, float]]

documents = st.one_of(st.sampled_from("abcdefghijklmnop"), st.text("xy01", min_size=1, max_size=9))
scores = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-100, 100, allow_subnormal=False).map(lambda x: round(x, 4)),
    # Equal in single precision, which the older version compares, but not as doubles.
    st.sampled_from((16777216.0, 16777217.0, 0.1, 0.10000000149, 0.100000001, 1.0, 1.00000001)),
)
some_results = st.dictionaries(documents, scores, min_size=1, max_size=30)
some_grades = st.dictionaries(documents, st.integers(-2, 4), min_size=1, max_size=20).filter(
    lambda found: any(grade >= 0 for grade in found.values())  # trec_eval fails without one
)
queries = st.dictionaries(
    st.sampled_from(("1", "2", "10", "é", "q")), st.tuples(some_grades, some_results), min_size=1, max_size=4
)


def printed(name: str, value: float) -> str:
    """A value as trec_eval prints it."""
    return f"{int(value)}" if name.startswith("num_") else f"{value:6.4f}"


def expected_lines(grades: Grades, results: Scores, measures: set[str], level: int, judged_only: bool) -> list[str]:
    """What `irev -q` has to print, in no particular order."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        grades, measures, relevance_level=level, judged_docs_only_flag=judged_only
    )
    found = evaluator.evaluate(results)
    order = sorted(found, key=str.encode)
    lines = []
    for label in found[order[0]]:
        total = 0.0  # from left to right, as trec_eval adds
        for query in order:
            total += found[query][label]
            if label not in LOGARITHMS:
                lines.append(f"{label:22}\t{query}\t{printed(label, found[query][label])}")
        mean = total if label.startswith("num_") else total / len(order)
        lines.append(f"{label:22}\tall\t{printed(label, math.exp(mean) if label in LOGARITHMS else mean)}")
    return sorted(lines)


@pytest.fixture(scope="session")
def found_lines(irev, tmp_path_factory):
    """``found_lines(grades, results, measures, *options)`` is what irev prints, sorted."""
    folder = tmp_path_factory.mktemp("pytrec_eval")
    qrels, run = folder / "qrels", folder / "run"

    def found_lines(grades: Grades, results: Scores, measures: set[str], *options: str) -> list[str]:
        lines = [f"{query} 0 {document} {grade}\n" for query in grades for document, grade in grades[query].items()]
        qrels.write_text("".join(lines), encoding="utf-8")
        lines = [
            f"{query} Q0 {document} 0 {score!r} t\n" for query in results for document, score in results[query].items()
        ]
        run.write_text("".join(lines), encoding="utf-8")
        asked = [f"-m{measure}" for measure in measures]
        status, stdout, stderr = irev("eval", "--compat", "9.0.8", "-q", *asked, *options, str(qrels), str(run))
        assert 0 == status
        expected = (
            "no grade reaches the relevance level",
            "none of the retrieved documents is judged",
            "every judged document counts as relevant",
            "no relevant document; ",
            "differ from judged ones only in how they are written",
            "all scores are equal in ",
        )
        assert all(any(each in note for each in expected) for note in stderr.splitlines())
        return sorted(stdout.decode("utf-8").splitlines())

    return found_lines


@pytest.mark.thorough
@settings(max_examples=150)
@given(queries, st.sampled_from((1, 1, 2, 3)))
def test_every_measure_of_pytrec_eval_has_its_value(found_lines, given, level):
    grades = {query: judged for query, (judged, _) in given.items()}
    results = {query: retrieved for query, (_, retrieved) in given.items()}
    expected = expected_lines(grades, results, set(MEASURES), level, False)

    assert expected == found_lines(grades, results, set(MEASURES), "-l", str(level))


@settings(max_examples=60)
@given(queries, st.data())
def test_cutoffs_of_every_measure_have_their_value(found_lines, given, data):
    grades = {query: judged for query, (judged, _) in given.items()}
    results = {query: retrieved for query, (_, retrieved) in given.items()}
    cutoffs = sorted(data.draw(st.sets(st.integers(1, 12), min_size=1, max_size=4)))
    measures = {f"{name}.{','.join(map(str, cutoffs))}" for name in WITH_CUTOFFS}

    assert expected_lines(grades, results, measures, 1, False) == found_lines(grades, results, measures)


@pytest.mark.thorough
@settings(max_examples=80)
@given(queries, st.sampled_from((1, 2)))
def test_judged_documents_only_have_their_value(found_lines, given, level):
    """A document that is judged is retrieved for each query: without one, trec_eval has a nan where irev has 0."""
    grades = {query: judged | {"judged": 1} for query, (judged, _) in given.items()}
    results = {query: retrieved | {"judged": 0.5} for query, (_, retrieved) in given.items()}
    expected = expected_lines(grades, results, set(MEASURES), level, True)

    assert expected == found_lines(grades, results, set(MEASURES), "-J", "-l", str(level))


def test_a_relevance_level_below_1_is_refused_where_pytrec_eval_finds_nothing():
    grades, scored = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(grades, {"map", "P_5", "num_rel"}, relevance_level=-1).evaluate(scored)
    assert {"map": 0.0, "P_5": 0.0, "num_rel": 0.0} == theirs["q"]
    for level in (0, -1):
        with pytest.raises(TypeError, match="should be positive"):
            ours.RelevanceEvaluator(grades, {"map"}, relevance_level=level)
