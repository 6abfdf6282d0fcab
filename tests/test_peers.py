"""ir_measures and ranx judge live, on random data without ties: each measure under the name that they have for it.

Where a peer contradicts the definition that it states, or its own other numbers, the disagreement is written down here
with both numbers, so that it is noticed when the peer changes.
"""

import random
import shutil

import pytest
from conftest import answers_of_peers

from irev.base.errors import UsageError
from irev.base.settings import Settings
from irev.evaluation.scores import evaluate, summarise
from irev.measures import parse
from irev.ranking import ranking
from irev.reading import qrels
from irev.reading.sources import Source

OF_IR_MEASURES = [
    *("AP", "MAP", "AP(rel=2)", "AP@10", "AP(rel=2)@10", "MAP@3", "AP(judged_only=True)", "AP(judged_only=True)@5"),
    *("P@5", "Precision@5", "P@100", "P(rel=2)@10", "P(judged_only=True)@5", "P(rel=2,judged_only=True)@5"),
    *("R@10", "Recall@100", "R(rel=2)@5", "R(judged_only=True)@5"),
    *("RR", "MRR", "RR(rel=2)", "RR@10", "MRR@2", "RR(rel=2)@5", "RR(judged_only=True)"),
    *("Rprec", "RPrec", "Rprec(rel=2)", "Rprec(judged_only=True)"),
    *("Bpref", "BPref", "Bpref(rel=2)", "infAP", "infAP(rel=2)"),
    *("nDCG", "NDCG", "nDCG@10", "NDCG@100", "nDCG(judged_only=True)@5", "nDCG(gains={1:3,2:9})@10"),
    *("nDCG(gains={0:0,1:1,2:5,3:5})", "nDCG(dcg='log2')@10"),
    *("Success@5", "Success(rel=2)@1", "Success(judged_only=True)@1"),
    *("SetP", "SetP(rel=2)", "SetRelP", "SetP(relative=True)", "SetP(judged_only=True)"),
    *("SetR", "SetR(rel=2)", "SetF", "SetF(beta=1.0)", "SetF(rel=2)", "SetAP", "SetAP(rel=2)"),
    *("NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumRelRet", "NumRel"),
    *("Judged", "Judged@1", "Judged@10", "Judged@1000"),
    *("Accuracy", "Accuracy(rel=2)"),
    *("RBP(rel=1)", "RBP(rel=1,p=0.8)", "RBP(p=0.5,rel=1)", "RBP(rel=2,p=0.95)"),
    *("INST(max_rel=3)", "INST(T=1.0,max_rel=3)", "INST(T=2.0,max_rel=3)", "INST(T=1.5,min_rel=1,max_rel=3)"),
    *("INST(max_rel=4)", "INSQ(max_rel=3)", "INSQ(T=2.0,max_rel=4)", "SDCG(max_rel=3)@10", "BPM(max_rel=4,T=2.0)@5"),
    *("BPM(max_rel=3)@10", "NERR8(max_rel=3)@10", "NERR9(max_rel=4)@5", "NERR10(max_rel=3)", "NERR10(p=0.5,max_rel=4)"),
    *("NERR11(max_rel=3)", "NERR11(T=2.0,max_rel=4,min_rel=1)"),
]
"""Spellings of ir_measures that have its numbers, here and there the same measure under two names."""

OF_MOVED_GRADES = ["INST(max_rel=2)", "SDCG(max_rel=1)@10", "NERR8(max_rel=2)@5"]
"""Those that move grades above the highest one to it without being told to."""

OF_GDEVAL = ["ERR@10", "ERR@20", "nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@100"]
"""Those that it has from a program which prints five decimals."""

NEEDS_PERL = pytest.mark.skipif(shutil.which("perl") is None, reason="ir_measures runs a program in Perl for ERR")

OF_RANX = [
    *("hits", "hits-l2", "hit_rate", "hit_rate@5", "hit_rate@3-l3"),
    *("precision", "precision@5", "precision@100", "precision@10-l2", "recall@10", "recall@10-l2"),
    *("f1", "f1@5", "f1@100", "f1@10-l2", "r-precision", "r-precision-l2"),
    *("mrr", "mrr@10", "mrr@2", "mrr@10-l2", "map", "map@10", "map@10-l2", "map-l2"),
    *("dcg", "dcg@10", "dcg@5-l2", "dcg_burges", "dcg_burges@10", "dcg_burges@10-l2"),
    *("ndcg", "ndcg@10", "ndcg@10-l2", "ndcg-l2", "ndcg_burges", "ndcg_burges@10", "ndcg_burges@10-l2"),
    *("rbp.95", "rbp.8", "rbp.5-l2", "bpref", "bpref-l2"),
]
"""Spellings of ranx that have its numbers."""


def random_data(seed: int, queries: int) -> tuple[dict, dict]:
    """Judgments and results without ties; each query has relevant documents of every grade, found and missed."""
    chance = random.Random(seed)
    grades, scores = {}, {}
    for query in map(str, range(1, queries + 1)):
        documents = [f"d{number}" for number in chance.sample(range(1000), 40)]
        judged = chance.sample(documents, 20)
        grades[query] = dict(zip(judged, [0, 0, 0, 1, 2, 3, *chance.choices((0, 0, 1, 1, 2, 3), k=14)], strict=True))
        found = [judged[3], judged[4], judged[0], *chance.sample(documents, chance.randint(3, 30))]
        retrieved = list(dict.fromkeys(found))
        chance.shuffle(retrieved)
        values = sorted(chance.sample(range(1000), len(retrieved)), reverse=True)
        scores[query] = {document: value / 8 for document, value in zip(retrieved, values, strict=True)}
    return grades, scores


def question(grades: dict, scores: dict, ir_measures: list[str] = (), ranx: list[str] = ()) -> dict:
    return {"qrels": grades, "run": scores, "ir_measures": list(ir_measures), "ranx": list(ranx)}


def one(grades: str, missed: str = "", scores: list[float] | None = None, **measures: list[str]) -> dict:
    """A question about one query, as its grades in rank order, ``-`` for a document without a judgment."""
    signs = grades.split()
    judged = {f"d{place}": int(sign) for place, sign in enumerate(signs) if sign != "-"}
    judged |= {f"m{place}": int(grade) for place, grade in enumerate(missed.split())}
    values = scores or [float(len(signs) - place) for place in range(len(signs))]
    return question({"1": judged}, {"1": {f"d{place}": value for place, value in enumerate(values)}}, **measures)


QUESTIONS = {
    "random": question(*random_data(1, 12), OF_IR_MEASURES + OF_GDEVAL + OF_MOVED_GRADES, OF_RANX),
    "recall levels": question(*random_data(2, 12), ["IPrec@0.1", "IPrec@0.5", "IPrec(rel=2)@0.7", "IPrec@0.3"]),
    "F": one("1 - 1 0", "1", ir_measures=["SetF(beta=2.0)"]),
    "few results": one("2 - 1", "1", ir_measures=["Compat", "Compat(p=0.8)"]),
    "only relevant": one("1 1", "0", ir_measures=["Accuracy"]),
    "nothing relevant": one("0 -", "1", ir_measures=["Accuracy"]),
    "no document judged nonrelevant": one("1 - 1", "1", ir_measures=["Bpref"], ranx=["bpref"]),
    "negative": one("-1 1 -2 0", "", ir_measures=["Judged@4", "Bpref"], ranx=["bpref"]),
    "a tie": one("0 1", "", [1.0, 1.0], ir_measures=["RR", "RR@10", "Success@1"]),
    "two ties": one("0 2 1 0 1", "", [2.0, 2.0, 1.0, 1.0, 1.0], ir_measures=["Compat(p=0.8)"]),
    "a name": one("0 1 -", "2", ir_measures=["RBP"], ranx=["recall"]),
    "a grade of 5": one("5 0", "", ir_measures=["ERR@10"]),
}


@pytest.fixture(scope="session")
def answers(tmp_path_factory):
    """What the peers answer to all questions, from one process."""
    return answers_of_peers(QUESTIONS, tmp_path_factory.mktemp("answers"))


@pytest.fixture(scope="session")
def values(tmp_path_factory):
    """``values(question, measure, **choices)`` is what irev has; the name is passed on unchanged."""
    folder = tmp_path_factory.mktemp("peers")

    def values(name: str, measure: str, **choices) -> dict[str, float]:
        made = QUESTIONS[name]
        judgments, results = folder / "qrels", folder / "run"
        judgments.write_text("".join(f"{q} 0 {d} {g}\n" for q, of in made["qrels"].items() for d, g in of.items()))
        results.write_text("".join(f"{q} Q0 {d} 0 {s} t\n" for q, of in made["run"].items() for d, s in of.items()))
        with Source(str(judgments)) as first, Source(str(results)) as second:
            settings = Settings(**choices)
            ranked, _, _ = ranking.rank(qrels.read(first, settings), second, settings)
        scores = evaluate(ranked, parse([measure]))
        (column,), (overall,) = scores.columns, summarise(scores).values
        found = zip(ranked.queries, column.values.tolist(), strict=True)
        return {query.decode(): value for query, value in found} | {"all": overall}

    return values


# Agreement


@pytest.mark.parametrize("measure", OF_IR_MEASURES)
def test_ir_measures_has_the_same_number(answers, values, measure):
    assert answers["random"]["ir_measures"][measure] == pytest.approx(values("random", measure), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("measure", OF_MOVED_GRADES)
def test_ir_measures_moves_grades_that_are_too_high(answers, values, measure):
    found = values("random", measure.replace(")", ",clip=true)"))

    assert answers["random"]["ir_measures"][measure] == pytest.approx(found, rel=1e-9)
    with pytest.raises(UsageError, match="is above the highest grade"):
        values("random", measure)


@NEEDS_PERL
@pytest.mark.parametrize("measure", OF_GDEVAL)
def test_ir_measures_has_five_decimals_of_what_gdeval_computes(answers, values, measure):
    assert answers["random"]["ir_measures"][measure] == pytest.approx(values("random", measure), abs=5.001e-6)


@pytest.mark.parametrize("measure", ["IPrec@0.1", "IPrec@0.5", "IPrec(rel=2)@0.7", "IPrec@0.3"])
def test_ir_measures_interpolates_as_the_older_trec_eval_does(answers, values, measure):
    found = values("recall levels", measure, compat="9.0.8")

    assert answers["recall levels"]["ir_measures"][measure] == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("measure", OF_RANX)
def test_ranx_has_the_same_number(answers, values, measure):
    assert answers["random"]["ranx"][measure] == pytest.approx(values("random", measure), rel=1e-9, abs=1e-9)


def test_the_names_are_tried_on_numbers_that_differ(answers):
    """A measure that is 0 or 1 for every query would agree with many others."""
    for peer in ("ir_measures", "ranx"):
        for measure, found in answers["random"][peer].items():
            assert len(set(found.values())) > 1 or measure in ("hit_rate", "hit_rate@5", "Success@5"), measure


# Disagreement


def both(answers: dict, values, name: str, measure: str, peer: str = "ir_measures") -> tuple[object, float]:
    """The answer of a peer about one query, and ours."""
    answer = answers[name][peer][measure]
    return (answer if isinstance(answer, str) else answer.get("1")), values(name, measure)["1"]


def test_f_with_beta_2_is_the_f_2_of_its_definition(answers, values):
    """ir_measures passes beta to trec_eval, which takes it for the square of beta. Here P = 1/2 and R = 2/3."""
    theirs, ours = both(answers, values, "F", "SetF(beta=2.0)")

    assert theirs == pytest.approx((2 + 1) * (1 / 2) * (2 / 3) / (2 * (1 / 2) + 2 / 3), rel=1e-9)
    assert ours == pytest.approx((4 + 1) * (1 / 2) * (2 / 3) / (4 * (1 / 2) + 2 / 3), rel=1e-9)
    assert values("F", "set_F.2")["1"] == pytest.approx(theirs, rel=1e-9)
    assert values("F", "SetF(x=2)")["1"] == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize(("measure", "theirs", "ours"), [("Compat", 0.7280, 0.6917), ("Compat(p=0.8)", 0.7486, 0.7217)])
def test_compatibility_looks_as_deep_for_few_results_as_for_many(answers, values, measure, theirs, ours):
    """ir_measures stops at the last result or ideal document, whichever comes last; the authors' program at 1000."""
    found = both(answers, values, "few results", measure)

    assert (theirs, ours) == pytest.approx(found, abs=5e-5)
    separator = "(" if "(" not in measure else ","
    assert values("few results", f"{measure.rstrip(')')}{separator}depth=3)")["1"] == pytest.approx(found[0], rel=1e-9)


def test_accuracy_of_nothing_but_relevant_results_is_1(answers, values):
    theirs, ours = both(answers, values, "only relevant", "Accuracy")

    assert ("ZeroDivisionError", 1.0) == (theirs.partition(":")[0], ours)  # the rest is worded by Python


def test_accuracy_without_a_relevant_result_is_0_and_counts(answers, values):
    """ir_measures leaves such a query out of the mean, or counts it as 0 beside measures of another kind."""
    assert {"all": None} == answers["nothing relevant"]["ir_measures"]["Accuracy"]
    assert {"1": 0.0, "all": 0.0} == values("nothing relevant", "Accuracy")


def test_bpref_without_a_document_judged_nonrelevant_is_a_number(answers, values):
    """ranx divides by the number of them."""
    assert (None, pytest.approx(2 / 3)) == both(answers, values, "no document judged nonrelevant", "bpref", "ranx")
    assert values("no document judged nonrelevant", "Bpref")["1"] == pytest.approx(
        answers["no document judged nonrelevant"]["ir_measures"]["Bpref"]["1"]
    )


def test_a_negative_grade_is_no_judgment(answers, values):
    """It is one for ranx, and for ir_measures when it counts judged documents, but not when it computes bpref."""
    assert (0.0, 1.0) == both(answers, values, "negative", "bpref", "ranx")
    assert (1.0, 0.5) == both(answers, values, "negative", "Judged@4")
    assert (1.0, 1.0) == both(answers, values, "negative", "Bpref")


def test_all_measures_rank_tied_documents_alike(answers, values):
    """ir_measures has the id with the highest bytes first, and the one with the lowest when there is a cutoff."""
    measures = ("RR", "RR@10", "Success@1")

    assert [1.0, 0.5, 1.0] == [both(answers, values, "a tie", measure)[0] for measure in measures]
    assert [1.0, 1.0, 1.0] == [both(answers, values, "a tie", measure)[1] for measure in measures]
    assert [0.5, 0.5, 0.0] == [values("a tie", measure, ties="docid-asc")["1"] for measure in measures]


def test_compatibility_has_tied_documents_by_rising_id_there(answers, values):
    theirs = answers["two ties"]["ir_measures"]["Compat(p=0.8)"]["1"]
    rising, falling = (
        values("two ties", "Compat(p=0.8,depth=longest)", ties=ties)["1"] for ties in ("docid-asc", "docid-desc")
    )
    assert theirs == pytest.approx(rising, abs=1e-12) != falling


def test_rbp_needs_no_level(answers, values):
    """ir_measures has it only when `rel` is given."""
    assert ("ValueError: Unsupported measures {RBP}.", pytest.approx(0.16)) == both(answers, values, "a name", "RBP")


@NEEDS_PERL
def test_a_grade_of_5_is_for_err_to_be_told(answers, values):
    """The program that ir_measures runs stops at it without a word of why."""
    assert answers["a grade of 5"]["ir_measures"]["ERR@10"].startswith("CalledProcessError: ")
    with pytest.raises(UsageError, match="a grade of 5 is above the highest grade 4"):
        values("a grade of 5", "ERR@10")
    assert values("a grade of 5", "ERR(gmax=5)@10")["1"] == pytest.approx(31 / 32)


def test_recall_without_a_cutoff_is_at_the_usual_ones_as_in_trec_eval(answers, values):
    """For ranx it means all results."""
    assert len(parse(["recall"])) > 1
    assert answers["a name"]["ranx"]["recall"] == pytest.approx(values("a name", "SetR"))
