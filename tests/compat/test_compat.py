"""The interfaces of other packages give what those packages give, and say where they do not."""

import math
import random
import subprocess
import sys

import pytest
import pytrec_eval
from conftest import environment
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

import irev.compat
from irev import InputError, UsageError
from irev.compat import pytrec_eval as compat

WITH_CUTOFFS = ("P", "recall", "map_cut", "ndcg_cut", "relative_P", "success")

documents = st.one_of(st.sampled_from("abcdefghijklmnop"), st.text("xy01é中 ", min_size=1, max_size=9))
scores = st.one_of(
    st.integers(-3, 3),
    st.floats(-100, 100),
    st.floats(allow_nan=False),
    # Equal in single precision, which that package compares, but not as doubles.
    st.sampled_from((16777216.0, 16777217.0, 0.1, 0.10000000149, 0.100000001, 1.0, 1.00000001, 1e-46, 1e39)),
)
some_grades = st.dictionaries(documents, st.integers(-2, 4), max_size=20).filter(
    lambda found: not found or any(grade >= 0 for grade in found.values())  # trec_eval fails without one
)
names = st.sampled_from(("1", "2", "10", "é", "q"))
judgments = st.dictionaries(names, some_grades, max_size=4)
runs = st.dictionaries(names, st.dictionaries(documents, scores, max_size=30), max_size=4)


def with_nan_as_text(values):
    """The same, where nan, which differs from itself, is a word."""
    return {
        query: {name: "nan" if math.isnan(value) else value for name, value in found.items()}
        for query, found in values.items()
    }


class TestPytrecEval:
    def test_has_the_same_measures_and_sets(self):
        assert pytrec_eval.supported_measures == compat.supported_measures
        theirs = {name: members for name, members in pytrec_eval.supported_nicknames.items() if "pref" not in name}
        assert {name: members for name, members in theirs.items() if name != "qrels_jg"} == compat.supported_nicknames

    @pytest.mark.thorough
    @examples(max_examples=400)
    @given(judgments, runs, st.sampled_from((1, 1, 2, 3)), st.booleans())
    @example({"q": {"a": 1}}, {"q": {}}, 1, False)
    @example({"q": {"a": 1}}, {"q": {"b": 1.0}}, 2, True)
    @example({"q": {}}, {"q": {"b": 1.0}}, 1, False)
    def test_gives_the_same_dictionaries(self, qrels, run, level, judged_only):
        """To the last bit, of all measures, in the order of the run's queries.

        The first query has results: that package crashes when it begins with one that has none.
        """
        qrels, run = {"first": {"a": 4}} | qrels, {"first": {"a": 1}} | run
        given = {"relevance_level": level, "judged_docs_only_flag": judged_only}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures, **given).evaluate(run)
        ours = compat.RelevanceEvaluator(qrels, compat.supported_measures, **given).evaluate(run)

        assert with_nan_as_text(theirs) == with_nan_as_text(ours)
        assert list(theirs) == list(ours)
        assert all(type(value) is float for found in ours.values() for value in found.values())

    @pytest.mark.thorough
    @examples(max_examples=200)
    @given(judgments, runs, st.data())
    def test_gives_the_same_at_cutoffs(self, qrels, run, data):
        cutoffs = st.sets(st.integers(1, 30), min_size=1, max_size=4)
        forms = st.sampled_from((".{}", "_{}"))
        asked = data.draw(st.lists(st.tuples(st.sampled_from(WITH_CUTOFFS), forms, cutoffs), min_size=1, max_size=5))
        qrels, run = {"first": {"a": 4}} | qrels, {"first": {"a": 1}} | run
        measures = [name + form.format(",".join(map(str, sorted(ks)))) for name, form, ks in asked] + ["P", "map"]
        theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)

        assert theirs == compat.RelevanceEvaluator(qrels, measures).evaluate(run)

    @pytest.mark.parametrize("levels", ["0.05", "0,0.1,0.33", "1"])
    def test_gives_the_same_at_recall_levels(self, levels):
        qrels = {"a": {"x": 1}, "b": {"x": 0}, "c": {"x": 1, "y": 1}}
        run = {"c": {"y": 1.0}, "a": {}, "b": {}}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {f"iprec_at_recall.{levels}"}).evaluate(run)
        ours = compat.RelevanceEvaluator(qrels, {f"iprec_at_recall.{levels}"}).evaluate(run)

        assert with_nan_as_text(theirs) == with_nan_as_text(ours)

    @pytest.mark.parametrize("points", ["", ".0.5", ".0.0", ".0.0,0.5", ".0.1", ".0.05", ".0.11", ".1.0"])
    @pytest.mark.parametrize("grade", [0, 1], ids=["nothing relevant", "something relevant"])
    def test_gives_the_same_where_nothing_is_left_of_a_ranking(self, points, grade):
        given = (
            f'{{"q": {{"d1": {grade}}}}}, {{"11pt_avg{points}"}}',
            "judged_docs_only_flag=True",
            '{"q": {"d2": 1.0}}',
        )
        program = "import pytrec_eval; print(pytrec_eval.RelevanceEvaluator({}, {}).evaluate({}))".format(*given)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        ours = compat.RelevanceEvaluator({"q": {"d1": grade}}, {f"11pt_avg{points}"}, judged_docs_only_flag=True)
        assert done.stdout == f"{ours.evaluate({'q': {'d2': 1.0}})}\n"

    def test_evaluates_again_and_again(self):
        qrels, run = {"q1": {"d1": 0, "d2": 1}}, {"q1": {"d1": 1.0, "d2": 0.5}}
        evaluator = compat.RelevanceEvaluator(qrels, {"ndcg_cut.1,2"})

        assert evaluator.evaluate(run) == evaluator.evaluate(run)
        assert {"q1": {"ndcg_cut_1": 0.0, "ndcg_cut_2": 1 / math.log2(3)}} == evaluator.evaluate(run)

    @pytest.mark.parametrize(
        ("qrels", "measures", "run", "expected"),
        [
            ({"q": {"d": 1}}, {"map"}, {}, {}),
            ({"q": {"d": 1}}, set(), {"q": {"d": 1.0}}, {"q": {}}),
            ({}, {"map"}, {"q": {"d": 1.0}}, {}),
            ({"q": {"d": 1}}, {"map"}, {"other": {"d": 1.0}}, {}),
            ({"q": {"d": 1}}, {"map"}, {"q": {}}, {"q": {"map": 0.0}}),
        ],
    )
    def test_may_have_nothing_to_do(self, qrels, measures, run, expected):
        assert expected == pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
        assert expected == compat.RelevanceEvaluator(qrels, measures).evaluate(run)

    @pytest.mark.parametrize(
        ("arguments", "kind"),
        [
            (({"q": {"d": 1}}, {"nonsense"}), ValueError),
            (({"q": {"d": 1}}, {"map"}, 0), TypeError),
            (({"q": {"d": 1}}, {"map"}, 1.5), TypeError),
        ],
    )
    def test_refuses_with_the_same_kind_of_error(self, arguments, kind):
        for package in (pytrec_eval, compat):
            with pytest.raises(kind):
                package.RelevanceEvaluator(*arguments)

    def test_refuses_grades_that_are_no_whole_numbers(self):
        """By the error that pytrec_eval has for them, which may then crash, as it does with Python 3.14."""
        with pytest.raises(TypeError):
            compat.RelevanceEvaluator({"q": {"d": 1.5}}, {"map"})

    def test_refuses_what_has_no_order(self):
        evaluator = compat.RelevanceEvaluator({"q": {"d": 1}}, {"map"})

        with pytest.raises(InputError, match="the score of document 'd' of query 'q' is not a number"):
            evaluator.evaluate({"q": {"d": math.nan}})
        with pytest.raises(TypeError):
            evaluator.evaluate({1: {"d": 1.0}})
        with pytest.raises(TypeError):
            evaluator.evaluate({"q": ["d"]})

    def test_changes_nothing(self):
        qrels, run = {"q": {"d": 1}, "p": {}}, {"q": {"d": 1.0}, "r": {}}
        compat.RelevanceEvaluator(qrels, {"map"}).evaluate(run)

        assert ({"q": {"d": 1}, "p": {}}, {"q": {"d": 1.0}, "r": {}}) == (qrels, run)

    def test_reads_lines(self):
        run, qrels = ["q1 Q0 d1 1 2.5 t\n", "q1 Q0 d2 2 1e-3 t\n"], ["q1 0 d1 1\n", "q2 0 d1 0\n"]

        assert pytrec_eval.parse_run(run) == compat.parse_run(run)
        assert pytrec_eval.parse_qrel(qrels) == compat.parse_qrel(qrels)
        with pytest.raises(ValueError, match="document 'd1' of query 'q1' occurs twice"):
            compat.parse_run([*run, run[0]])
        with pytest.raises(ValueError, match="document 'd1' of query 'q2' occurs twice"):
            compat.parse_qrel([*qrels, qrels[1]])

    @pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map"])
    def test_sums_up_to_the_last_bit(self, measure):
        chance = random.Random(measure)
        for size in (1, 2, 4, 9, 50, 1000):
            values = [chance.uniform(-3, 3) for _ in range(size)]
            theirs = pytrec_eval.compute_aggregated_measure(measure, values)
            assert theirs == compat.compute_aggregated_measure(measure, values)

    def test_has_the_version_of_the_original(self):
        assert pytrec_eval.__version__ == compat.__version__

    @pytest.mark.parametrize(
        "measures",
        [
            *(["set_F.2"], ["set_F.0.5,1"], ["set_F_2"], ["11pt_avg.0.1"], ["11pt_avg.0.1,0.5"], ["relstring.5"]),
            *(["Rprec_mult.0.3"], ["iprec_at_recall.0.1,0.35"], ["P.5", "P_10", "set_F.3", "map"]),
        ],
    )
    def test_calls_results_the_same(self, measures):
        qrels, run = {"q1": {"d1": 1, "d2": 0, "d4": 1}}, {"q1": {"d1": 1.0, "d3": 2.0}}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, set(measures)).evaluate(run)

        assert theirs == compat.RelevanceEvaluator(qrels, set(measures)).evaluate(run)

    def test_takes_the_weights_of_utility(self):
        """That package drops what follows the first comma, as the second number is negative, and gives 0."""
        evaluator = compat.RelevanceEvaluator({"q": {"a": 1, "b": 0}}, {"utility.1,-3,0,0"})
        assert {"q": {"utility": -2.0}} == evaluator.evaluate({"q": {"a": 1, "b": 0}})

    @pytest.mark.parametrize("measure", ["ndcg.1=3", "G.1=2", "iprec_at_recall.0.1,.35", "P.", "P.x", "nDCG@10"])
    def test_refuses_what_that_package_aborts_on_or_cuts_off(self, measure):
        with pytest.raises(ValueError, match="unsupported measure"):
            compat.RelevanceEvaluator({"q": {"a": 1}}, {measure})


class TestReplacing:
    def run(self, program: str) -> str:
        done = subprocess.run([sys.executable, "-c", program], env=environment(), capture_output=True, text=True)
        return done.stdout + done.stderr.strip().rpartition("\n")[2]

    def test_programs_import_the_stand_in(self):
        program = "import irev; irev.compat.replace('pytrec_eval'); import pytrec_eval; print(pytrec_eval.__name__)"
        assert "irev.compat.pytrec_eval\n" == self.run(program)

    def test_a_package_that_was_imported_cannot_be_replaced(self):
        program = "import pytrec_eval, irev; irev.compat.replace('pytrec_eval')"
        assert "irev.UsageError: pytrec_eval was imported already; replace it before that" == self.run(program)

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("ranx", "there is no stand-in for 'ranx'; there is one for pytrec_eval"),
            ("ir_measures", r"irev does not replace ir_measures; call irev\.compat\.ir_measures_provider\.use\(\)"),
        ],
    )
    def test_other_packages_are_refused(self, name, message):
        with pytest.raises(UsageError, match=message):
            irev.compat.replace(name)
