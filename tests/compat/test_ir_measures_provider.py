"""irev as a provider of ir_measures: the numbers stay what ir_measures had, and `leave` undoes `use`."""

import logging
import random
import shutil
import subprocess
import sys

import pytest
from conftest import environment
from peers import named

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
ir_measures = pytest.importorskip("ir_measures")

from irev import InputError  # noqa: E402 - the provider refuses where ir_measures is not there
from irev.compat import ir_measures_provider as provider  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*:SyntaxWarning", "ignore:.*:DeprecationWarning:cwl.*")
logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2, "d7": 1}, "q2": {"d1": 0, "d4": 1}, "q3": {"d5": 1}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0, "d9": 1.5, "d3": 0.5}, "q2": {"d4": 1.0, "d1": 4.0}, "x": {"d1": 1.0}}

TEXTS = [
    *("AP", "AP(rel=2)", "AP@3", "AP(rel=2)@5", "AP(judged_only=True)", "MAP@10", "P@5", "P(rel=2)@3", "Precision@1"),
    *("P(judged_only=True)@2", "P(rel=2,judged_only=True)@2", "R@4", "R(rel=2)@4", "Recall@2", "RR", "MRR", "RR@3"),
    *("RR(rel=2)", "RR(rel=2)@4", "RR(judged_only=True)", "Rprec", "RPrec(rel=2)", "Bpref", "BPref(rel=2)", "infAP"),
    *("nDCG", "NDCG@3", "nDCG(judged_only=True)@4", "nDCG(gains={1:3,2:9})@4", "nDCG(gains={0:2,1:5})", "Success@2"),
    *("nDCG(dcg='log2')", "Success(rel=2)@3", "SetP", "SetP(rel=2)", "SetRelP", "SetAP"),
    *("SetP(relative=True)", "SetP(judged_only=True)", "SetR", "SetR(rel=2)", "SetF", "SetF(beta=2.0)", "NumQ"),
    *("SetF(rel=2,beta=0.5)", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumRelRet", "NumRel", "IPrec@0.1"),
    *("IPrec@0.5", "IPrec(rel=2)@0.25", "Judged", "Judged@3", "Accuracy", "Accuracy(rel=2)@5", "RBP(rel=1)"),
    *("SDCG(max_rel=3)@3", "SDCG(max_rel=1,dcg='log2')@10", "BPM(max_rel=2,T=2.0)@3", "BPM(max_rel=1,min_rel=0)@5"),
    *("INSQ(max_rel=2)", "INSQ(max_rel=1,T=2.0)", "NERR8(max_rel=2)@3", "NERR9(max_rel=4)@5", "NERR10(max_rel=2)"),
    *("NERR10(max_rel=2,p=0.5)", "NERR11(max_rel=2)", "NERR11(max_rel=1,T=0.5)"),
    *("RBP(rel=2,p=0.5)", "INST(max_rel=4)", "INST(T=2.0,max_rel=1)", "Compat", "Compat(p=0.5,normalize=False)"),
]
"""Measures as ir_measures writes them."""

OF_GDEVAL = ["ERR@3", "ERR@20", "nDCG(dcg='exp-log2')@4"]
"""Those for which it runs a program in Perl, once for each."""

OF_PYNDEVAL = [
    *("alpha_nDCG@5", "alpha_nDCG(alpha=0.9)@7", "α_nDCG(rel=2)@10", "alpha_DCG@10", "α_DCG(alpha=0.25)@3"),
    *("ERR_IA@10", "ERR_IA(rel=2)@3", "nERR_IA@20", "nERR_IA(rel=2)@4", "P_IA@5", "P_IA(rel=2)@2", "StRecall@10"),
    *(
        "StRecall(rel=2)@3",
        "NRBP",
        "NRBP(alpha=0.3,beta=0.7)",
        "nNRBP",
        "nNRBP(rel=2,beta=0.8)",
        "AP_IA",
        "MAP_IA(rel=2)",
    ),
]
"""Those of subtopics."""


def grades(chance: random.Random, documents: list[str]) -> dict[str, int]:
    some = {each: chance.choice((0, 0, 1, 1, 2, 3, 4, -1)) for each in chance.sample(documents, chance.randint(1, 10))}
    return some if any(grade >= 0 for grade in some.values()) else some | {"d0": 1}  # trec_eval fails without one


def data(seed: int, ties: bool = True) -> tuple[dict, dict]:
    """Judgments and a run with many ties, equal scores in single precision, and queries that the other lacks.

    Without ties the scores are positive too.
    """
    chance = random.Random(seed)
    documents = [f"d{number}" for number in range(14)] + ["é", "Z", "a"]
    scores = (1.0, 2.0, 0.1, 0.10000000149, 3.5, 16777216.0, 16777217.0, -1.0)
    qrels = {str(query): grades(chance, documents) for query in range(chance.randint(1, 4))}
    run = {
        str(query): {each: chance.choice(scores) for each in chance.sample(documents, chance.randint(1, 14))}
        for query in range(chance.randint(0, 5))
        if chance.random() < 0.85
    }
    if not ties:
        run = {query: {each: 1.0 + place for place, each in enumerate(found)} for query, found in run.items()}
    return qrels, run


@pytest.fixture
def used():
    """irev is asked first, until the test is over."""
    provider.use()
    yield
    provider.leave()


def asked_of(evaluator, measures, qrels, run):
    """The values of queries and the means; None where ir_measures divides by zero, as for some of Accuracy."""
    try:
        found = evaluator.calc(measures, qrels, run)
    except ZeroDivisionError:
        return None
    means = {str(measure): value for measure, value in found.aggregated.items()}
    return {(each.query_id, str(each.measure)): each.value for each in found.per_query}, means


def assert_same(texts, qrels, run):
    """ir_measures says the same with irev as without."""
    measures = [named(text) for text in texts]
    before = asked_of(ir_measures, measures, qrels, run)
    after = asked_of(provider.PROVIDER, measures, qrels, run)
    if before is not None:
        # The last digits are those of other loops, of Compat above all.
        assert before[0] == pytest.approx(after[0], rel=1e-12, abs=1e-15)
        assert before[1] == pytest.approx(after[1], rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("text", TEXTS)
def test_numbers_stay_what_they_are(text):
    """With ties, negative grades, scores that are equal in single precision, missing and unjudged queries.

    Without ties for Compat, for which ir_measures then orders the ideal ranking in another way.
    """
    assert provider.PROVIDER.supports(named(text))
    for seed in range(8):
        assert_same([text], *data(seed, ties=not text.startswith("Compat")))


@pytest.mark.skipif(shutil.which("perl") is None, reason="ir_measures runs a program in Perl for these")
@pytest.mark.parametrize("text", OF_GDEVAL)
def test_five_decimals_stay_five(text):
    for seed in range(4):
        assert_same([text], *data(seed))


@pytest.mark.parametrize("texts", [["Accuracy", "AP"], ["Accuracy"], ["RR@3", "RR", "Judged@2", "P@1", "NumQ"]])
def test_numbers_of_several_measures_stay_what_they_are(texts):
    for seed in range(10):
        assert_same(texts, *data(seed))


@pytest.mark.parametrize("text", ["P@2", "RR@2", "Judged@5", "Accuracy", "Compat(p=0.8)", "NumQ", "RBP(rel=1)"])
def test_queries_without_results_or_judgments_stay_what_they_are(text):
    """0 for queries that the run lacks, nan without judged queries."""
    qrels, run = [ir_measures.Qrel("q1", "d1", 1)], [ir_measures.ScoredDoc("q1", "d1", 1.0)]
    none = pd.DataFrame([], columns=["query_id", "doc_id", "score", "relevance"])
    for given in ((QRELS, {}), ({}, RUN), ({}, {}), (qrels, []), ([], run), (pd.DataFrame(qrels), none), (none, none)):
        assert_same([text], *given)
    assert_same([text], QRELS, {"other": {"d1": 1.0}})
    assert_same(["AP"], {"q1": {"d1": 1}, "q2": {}}, {"q1": {"d1": 1.0}})


def test_all_forms_of_data_give_the_same():
    measures = [named(text) for text in TEXTS]
    expected = provider.PROVIDER.calc(measures, QRELS, RUN)
    qrels = [ir_measures.Qrel(q, d, grade) for q in QRELS for d, grade in QRELS[q].items()]
    run = [ir_measures.ScoredDoc(q, d, score) for q in RUN for d, score in RUN[q].items()]
    frames = pd.DataFrame(qrels).assign(label=9, query="red brick"), pd.DataFrame(run).assign(rank=0, qid="7")
    for given in (
        *((qrels, run), (iter(qrels), iter(run)), frames),
        (pl.DataFrame([row._asdict() for row in qrels]), pl.DataFrame([row._asdict() for row in run])),
    ):
        assert expected == provider.PROVIDER.calc(measures, *given)


def test_an_evaluator_takes_many_runs():
    measures = [ir_measures.AP, ir_measures.P @ 1]
    evaluator = provider.PROVIDER.evaluator(measures, QRELS)
    assert {"q1", "q2", "q3"} == evaluator.qrel_qids
    for run in (RUN, {}, {"q3": {"d5": 1.0}}):
        assert evaluator.calc_aggregate(run) == provider.PROVIDER.calc_aggregate(measures, QRELS, run)


@pytest.mark.parametrize(
    ("qrels", "run", "error", "message"),
    [
        (QRELS, {"q1": {"d1": float("nan")}}, InputError, "is not a number"),
        (QRELS, [ir_measures.ScoredDoc("q1", "d1", 1.0)] * 2, InputError, "is retrieved twice"),
        (QRELS, pd.DataFrame({"query_id": ["q1"], "score": [1.0]}), ValueError, "missing columns"),
        (QRELS, [("q1", "d1", 1.0)], ValueError, "not a namedtuple"),
        (7, RUN, ValueError, "unexpected format"),
    ],
)
def test_data_that_cannot_be_read_are_refused(qrels, run, error, message):
    with pytest.raises(error, match=message):
        provider.PROVIDER.calc_aggregate([ir_measures.AP], qrels, run)


NUMBERS_HERE = ["NumRel(rel=2)", "nDCG(dcg='exp-log2')", "RBP", "P(judged_only=True)@2"]


@pytest.mark.parametrize("text", NUMBERS_HERE)
def test_there_are_numbers_where_ir_measures_asks_nobody(text, used):
    assert ir_measures.calc_aggregate([named(text)], QRELS, RUN)[named(text)] > 0


def test_irev_is_asked_once(used, monkeypatch):
    asked = []
    evaluator = provider._Evaluator
    monkeypatch.setattr(provider, "_Evaluator", lambda *given: asked.append(1) or evaluator(*given))
    metrics = list(ir_measures.iter_calc([ir_measures.AP, ir_measures.RR @ 5], QRELS, RUN))

    assert ([1], 6) == (asked, len(metrics))
    assert all(type(metric) is ir_measures.Metric for metric in metrics)


def test_what_a_program_defines_is_evaluated_as_before():
    half = ir_measures.define_byquery(lambda qrels, run: 0.5, name="half")
    before = ir_measures.calc_aggregate([half, ir_measures.RR], QRELS, RUN)
    provider.use()
    try:
        assert before == pytest.approx(ir_measures.calc_aggregate([half, ir_measures.RR], QRELS, RUN), rel=1e-12)
    finally:
        provider.leave()


def test_it_can_be_asked_by_name():
    assert provider.PROVIDER is ir_measures.providers.registry["irev"]


def test_it_stands_there_once_and_leaves():
    before = list(ir_measures.DefaultPipeline.providers)
    provider.use()
    provider.use()

    assert [*before[:1], provider.PROVIDER, *before[1:]] == ir_measures.DefaultPipeline.providers
    provider.leave()
    provider.leave()
    assert before == ir_measures.DefaultPipeline.providers


def of_subtopics(seed: int) -> tuple[list, list]:
    """Judgments of subtopics, of which one is called 0, and a run with ties."""
    chance = random.Random(seed)
    qrels, run = [], []
    for query in ("1", "2", "3"):
        for document in (f"d{number}" for number in range(14)):
            for subtopic in map(str, range(chance.randint(1, 4))):
                grade = chance.choice((0, 1, 1, 2))
                qrels += [ir_measures.Qrel(query, document, grade, subtopic)] * (chance.random() < 0.5)
        qrels.append(ir_measures.Qrel(query, "best", 2, "0"))  # without a relevant one there are nans
        found = chance.sample([*(f"d{number}" for number in range(25)), "é", "Z"], chance.randint(1, 22))
        run += [ir_measures.ScoredDoc(query, document, chance.randint(0, 9) / 2) for document in found]
    return qrels, run[: -1 if seed % 3 else None]


@pytest.mark.parametrize("text", OF_PYNDEVAL)
def test_numbers_of_subtopics_stay_what_they_are(text):
    pytest.importorskip("pyndeval")
    for seed in range(6):
        qrels, run = of_subtopics(seed)
        assert_same([text], qrels, run)
        assert_same([text], pd.DataFrame(qrels), pd.DataFrame(run))


def test_measures_of_subtopics_with_other_parameters_have_their_own_numbers():
    """In ir_measures the first of them use up the run, and the others are 0."""
    qrels, run = of_subtopics(1)
    measures = [named(text) for text in ("alpha_nDCG@5", "alpha_nDCG(alpha=0.25)@5", "NRBP(beta=0.9)")]
    found = provider.PROVIDER.calc_aggregate(measures, qrels, run)
    assert found == {each: provider.PROVIDER.calc_aggregate([each], qrels, run)[each] for each in measures}
    assert 0 not in found.values()


def test_other_measures_beside_subtopics_use_the_highest_grade():
    qrels, run = of_subtopics(2)
    highest: dict[str, dict[str, int]] = {}
    for each in qrels:
        of_query = highest.setdefault(each.query_id, {})
        of_query[each.doc_id] = max(each.relevance, of_query.get(each.doc_id, 0))
    others = [ir_measures.nDCG @ 5, ir_measures.Compat]
    found = provider.PROVIDER.calc_aggregate([ir_measures.StRecall @ 5, *others], qrels, run)

    assert provider.PROVIDER.calc_aggregate(others, highest, run) == {each: found[each] for each in others}
    with pytest.raises(InputError, match="is judged twice"):
        provider.PROVIDER.calc_aggregate(others, qrels, run)


def test_measures_stand_in_the_same_order_in_every_process():
    """ir_measures hands over a set; the columns of PyTerrier's experiments stand in the order of what comes back."""
    code = (
        "import ir_measures as im; from irev.compat import ir_measures_provider as p; p.use()\n"
        "qrels, run = [im.Qrel('q', 'd', 1)], [im.ScoredDoc('q', 'd', 1.0)]\n"
        "measures = [im.RR, im.AP, im.nDCG @ 10, im.P @ 5, im.R @ 3]\n"
        "asked = measures, qrels, run\n"
        "print(*(each.measure for each in im.iter_calc(*asked)), *im.calc_aggregate(*asked))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env=environment(PYTHONHASHSEED=seed, PYTHONWARNINGS="ignore"),
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert {b"AP P@5 R@3 RR nDCG@10 AP P@5 R@3 RR nDCG@10\n"} == found


def test_every_measure_of_ir_measures_is_compared():
    compared = {named(text).NAME for text in [*TEXTS, *OF_GDEVAL, *OF_PYNDEVAL]}
    assert compared == {measure.NAME for measure in ir_measures.measures.registry.values()}
