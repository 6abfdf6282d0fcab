"""ir_measures judges its stand-in live: the same names, objects, texts, data, numbers and refusals.

Where no number can be compared, as ir_measures fails, is wrong or gives none, docs/ir_measures.md says so. What that
page lists is held here too.
"""

import copy
import doctest
import gzip
import io
import logging
import math
import pickle
import random
import re
import shutil
import subprocess
import sys
import types
import warnings
from collections import namedtuple

import ir_measures as original
import pandas as pd
import polars as pl
import pytest
import pytrec_eval
from conftest import ROOT, environment
from pandas.testing import assert_frame_equal
from peers import named

import irev.compat
from irev import InputError, UsageError
from irev.compat import ir_measures
from irev.compat.ir_measures import AP, RR, Compat, IPrec, Measure, NumRelRet, NumRet, P, SetP, SetRelP, nDCG
from irev.compat.ir_measures.measures.base import NOT_PROVIDED

pytestmark = pytest.mark.filterwarnings("ignore:.*:SyntaxWarning", "ignore:.*:DeprecationWarning:cwl.*")
logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")

PAGE = (ROOT / "docs" / "ir_measures.md").read_text(encoding="utf-8")

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2, "d7": 1}, "q2": {"d1": 0, "d4": 1}, "q3": {"d5": 1}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0, "d9": 1.5, "d3": 0.5}, "q2": {"d4": 1.0, "d1": 4.0}, "x": {"d1": 1.0}}

TEXTS = [
    *("AP", "AP(rel=2)", "AP@3", "AP(rel=2)@5", "AP(judged_only=True)", "MAP@10", "P@5", "P(rel=2)@3", "Precision@1"),
    *("P(judged_only=True)@2", "P(rel=2,judged_only=True)@2", "R@4", "R(rel=2)@4", "Recall@2", "RR", "MRR", "RR@3"),
    *("RR(rel=2)", "RR(rel=2)@4", "RR(judged_only=True)", "Rprec", "RPrec(rel=2)", "Bpref", "BPref(rel=2)", "infAP"),
    *("nDCG", "NDCG@3", "nDCG(judged_only=True)@4", "nDCG(gains={1:3,2:9})@4", "nDCG(gains={0:2,1:5})", "Success@2"),
    *("nDCG(gains={0:0,1:1})", "nDCG(dcg='log2')", "Success(rel=2)@3", "SetP", "SetP(rel=2)", "SetRelP", "SetAP"),
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

THEIRS = original.measures.registry
OURS = ir_measures.measures.registry


def both(text: str) -> tuple[object, Measure]:
    """A measure of ir_measures, made without its parser, and ours."""
    return named(text), ir_measures.parse_measure(text)


class TestNames:
    def test_has_every_public_name(self):
        assert [] == [name for name in original.__all__ if not hasattr(ir_measures, name)]
        assert set() == set(original.__all__) - set(ir_measures.__all__) - {"__version__"}
        assert original.__version__ == ir_measures.__version__

    @pytest.mark.parametrize("part", ["measures", "providers"])
    def test_so_have_its_parts(self, part):
        ours = getattr(ir_measures, part)

        assert [] == [name for name in getattr(original, part).__all__ if not hasattr(ours, name)]

    def test_util_has_its_functions_and_records(self):
        public = [
            name
            for name, each in vars(original.util).items()
            if not name.startswith("_") and not isinstance(each, types.ModuleType)
        ]
        typing_names = {"Dict", "List", "NamedTuple", "Union", "Iterable", "defaultdict", "TYPE_RUN", "TYPE_QREL"}

        assert [] == [name for name in public if name not in typing_names and not hasattr(ir_measures.util, name)]

    def test_a_star_imports_measures_and_nothing_that_ir_measures_has_not(self):
        names: dict[str, object] = {}
        exec("from irev.compat.ir_measures import *", names)

        assert set(original.__all__) == names.keys() - {"__builtins__"}

    def test_records_have_the_same_fields(self):
        for name in ("Qrel", "ScoredDoc", "Metric", "CalcResults", "CwlMetric"):
            theirs, ours = getattr(original, name), getattr(ir_measures, name)
            assert (theirs._fields, theirs._field_defaults) == (ours._fields, ours._field_defaults)

    def test_old_names_still_work_and_say_so(self):
        text = "q1 0 d1 1\n"
        for old, arguments in (
            ("GenericQrel", ("q", "d", 1)),
            ("GenericScoredDoc", ("q", "d", 1.0)),
            ("convert_trec_name", ("map",)),
            ("parse_trec_qrels", (text,)),
            ("parse_trec_run", ("q1 Q0 d1 1 2.5 t\n",)),
        ):
            with pytest.warns(DeprecationWarning, match=old):
                getattr(ir_measures, old)(*arguments)
        with pytest.warns(DeprecationWarning, match="calc_ctxt"), ir_measures.calc_ctxt([AP], QRELS) as calculate:
            assert list(ir_measures.iter_calc([AP], QRELS, RUN)) == list(calculate(RUN))


class TestMeasures:
    def test_has_the_same_under_the_same_names(self):
        assert {name: str(measure) for name, measure in THEIRS.items()} == {n: str(m) for n, m in OURS.items()}
        assert OURS == {name: getattr(ir_measures, name) for name in OURS}

    @pytest.mark.parametrize("name", THEIRS)
    def test_takes_the_same_parameters(self, name):
        """And those that only irev has."""
        ours = OURS[name].SUPPORTED_PARAMS
        for key, info in THEIRS[name].SUPPORTED_PARAMS.items():
            without = info.default is original.measures.base._NOT_PROVIDED
            if key != "max_rel":  # unless given, irev looks at the judgments
                assert (info.required, without) == (ours[key].required, ours[key].default is NOT_PROVIDED), key
            assert info.dtype is ours[key].dtype or (int, float) == (info.dtype, ours[key].dtype), key
            assert without or info.default == ours[key].default, key
        assert THEIRS[name].AT_PARAM == OURS[name].AT_PARAM

    @pytest.mark.parametrize("text", [*TEXTS, *OF_GDEVAL, *OF_PYNDEVAL])
    def test_writes_them_alike_and_reads_what_it_writes(self, text):
        theirs, ours = both(text)

        assert repr(theirs) == repr(ours) == str(ours)
        assert ours == ir_measures.parse_measure(repr(ours))
        assert ours is ir_measures.parse_measure(ours)

    def test_operators_give_measures(self):
        assert "AP(rel=2)@10" == str(AP(rel=2) @ 10) == str((AP @ 10)(rel=2)) == str(AP(cutoff=10, rel=2))
        assert "IPrec(rel=2)@0.2" == str(IPrec(recall=0.4, rel=2) @ 0.2)
        assert "AP" == str(AP) == str(AP(rel=1)) == str(AP(rel=2)(rel=1))
        assert (10, 1, False) == ((P @ 10)["cutoff"], (P @ 10)["rel"], (P @ 10)["judged_only"])

    def test_equal_is_what_is_written_alike(self):
        assert P(rel=2) @ 10 == P(cutoff=10, rel=2)
        assert hash(P(rel=2) @ 10) == hash(P(cutoff=10, rel=2))
        assert 1 == len({AP, AP(), AP(rel=1), ir_measures.MAP})
        assert (NumRelRet, SetRelP) == (NumRet(rel=1), SetP(relative=True))
        assert AP != P @ 10
        assert AP != "AP"
        assert nDCG(gains={1: 2, 0: 1}) == nDCG(gains={0: 1, 1: 2})
        assert Compat != Compat(depth=1000)

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_can_be_pickled_and_copied(self, protocol):
        for measure in [*OURS.values(), *map(ir_measures.parse_measure, (*TEXTS, *OF_PYNDEVAL))]:
            for again in (pickle.loads(pickle.dumps(measure, protocol)), copy.copy(measure), copy.deepcopy(measure)):
                assert (type(measure), measure.params, measure) == (type(again), again.params, again)

    @pytest.mark.parametrize(
        "text", ['nDCG(dcg="exp-log2", cutoff=20)@10', "nDCG(gains={1: 2, 0: 1})", " P @ 10 ", "α_nDCG@10"]
    )
    def test_parses_what_python_would(self, text):
        assert repr(eval(text, {name: getattr(original, name) for name in original.__all__})) == repr(
            ir_measures.parse_measure(text)
        )

    @pytest.mark.parametrize("text", ["", "AP(2)", "AP AP", "AP(rel=x)", "AP@", "P+1", "1", "AP(rel=2", "f()()", "a.b"])
    def test_refuses_what_is_no_measure(self, text):
        with pytest.raises(ValueError, match="is no measure; expected one such as"):
            ir_measures.parse_measure(text)

    def test_refuses_names_that_there_are_not(self):
        with pytest.raises(NameError, match="measure not found: nDGC; did you mean 'nDCG'"):
            ir_measures.parse_measure("nDGC@10")

    @pytest.mark.parametrize(
        "name", [*sorted(pytrec_eval.supported_measures), "P.5,10", "P_5", "ndcg_cut_5,10", "set_F.1.0,0.5,2.4"]
    )
    def test_parses_the_same_names_of_trec_eval(self, name):
        try:
            expected = [str(measure) for measure in original.parse_trec_measure(name)]
        except ValueError:
            with pytest.raises(ValueError, match=r"that ir_measures has no name for|unknown"):
                ir_measures.parse_trec_measure(name)
        else:
            assert expected == [str(measure) for measure in ir_measures.parse_trec_measure(name)]

    @pytest.mark.parametrize("name", ["official", "set", "all_trec"])
    def test_parses_the_same_sets_of_trec_eval(self, name, capsys):
        expected = [str(measure) for measure in original.parse_trec_measure(name)]
        skipped = set(re.findall(r"'(\w+)'", capsys.readouterr().out))

        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            found = ir_measures.parse_trec_measure(name)
        assert expected == [str(measure) for measure in found]
        assert skipped == {each for each in skipped if each in "".join(str(said.message) for said in warned)}
        assert bool(skipped) == bool(warned)

    @pytest.mark.parametrize("name", ["nonsense", "map.5", "runid", "P.x", ""])
    def test_refuses_other_names_of_trec_eval(self, name):
        for package in (original, ir_measures):
            with pytest.raises(ValueError):  # noqa: PT011 (each has its own words)
                package.parse_trec_measure(name)

    @pytest.mark.parametrize(
        ("measure", "message"),
        [
            (P, "NOT_PROVIDED is no value of 'cutoff' for P"),
            (AP(level=2), "AP has no parameter 'level'; it has cutoff"),
            (AP(rel="2"), r"'2' is no value of 'rel' for AP\(rel='2'\)"),
            (nDCG(dcg="log3"), "'log3' is no value of 'dcg'"),
        ],
    )
    def test_refuses_parameters_with_the_same_kind_of_error(self, measure, message):
        with pytest.raises((AssertionError, KeyError)):  # a parameter that there is not has no default either
            original.calc_aggregate([THEIRS[measure.NAME](**measure.params)], QRELS, RUN)
        with pytest.raises(AssertionError, match=message):
            ir_measures.calc_aggregate([measure], QRELS, RUN)

    def test_their_documentation_is_that_of_irev(self):
        assert AP.__doc__.startswith("Mean of the precisions") or "precision" in AP.__doc__
        assert all(measure.SHORT_DESC and measure.PRETTY_NAME for measure in OURS.values())


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


def rows_of(nested: object, record: type) -> object:
    """A nested dictionary as named tuples, unless these could not say what it does."""
    if not isinstance(nested, dict) or not all(nested.values()):
        return nested
    return [record(query, document, value) for query, found in nested.items() for document, value in found.items()]


def assert_same(text: str, qrels: object, run: object) -> None:
    theirs, ours = both(text)
    try:
        expected = original.calc([theirs], qrels, run)
    except ZeroDivisionError:
        assert text.startswith("Accuracy")  # only relevant documents were found
        return
    found = ir_measures.calc([ours], qrels, run)

    values = {(metric.query_id, str(metric.measure)): metric.value for metric in expected.per_query}
    assert values == pytest.approx(
        {(m.query_id, str(m.measure)): m.value for m in found.per_query}, rel=1e-12, abs=1e-15
    )
    assert expected.aggregated[theirs] == pytest.approx(found.aggregated[ours], rel=1e-12, nan_ok=True)
    again = ours.calc_aggregate(rows_of(qrels, ir_measures.Qrel), rows_of(run, ir_measures.ScoredDoc))
    assert expected.aggregated[theirs] == pytest.approx(again, rel=1e-12, nan_ok=True)
    assert all(type(metric.value) is float for metric in found.per_query)


class TestNumbers:
    @pytest.mark.thorough
    @pytest.mark.parametrize("text", TEXTS)
    def test_are_the_same(self, text):
        """With ties, negative grades, scores that are equal in single precision, missing and unjudged queries.

        Without ties for Compat, of which ir_measures then has no ideal ranking that is nearest to the run.
        """
        for seed in range(25):
            assert_same(text, *data(seed, ties=not text.startswith("Compat")))

    @pytest.mark.skipif(shutil.which("perl") is None, reason="ir_measures runs a program in Perl for these")
    @pytest.mark.parametrize("text", OF_GDEVAL)
    def test_are_the_same_where_a_program_prints_five_decimals(self, text):
        for seed in range(4):
            assert_same(text, *data(seed))

    @pytest.mark.parametrize("texts", [["Accuracy", "AP"], ["Accuracy"], ["RR@3", "RR", "Judged@2", "P@1", "NumQ"]])
    def test_are_the_same_when_asked_for_together(self, texts):
        for seed in range(10):
            qrels, run = data(seed)
            theirs, ours = zip(*map(both, texts), strict=True)
            try:
                expected = original.calc(theirs, qrels, run)
            except ZeroDivisionError:
                continue
            found = ir_measures.calc(ours, qrels, run)
            assert {str(m): value for m, value in expected.aggregated.items()} == pytest.approx(
                {str(m): value for m, value in found.aggregated.items()}, nan_ok=True
            )
            assert {(m.query_id, str(m.measure)) for m in expected.per_query} == {
                (m.query_id, str(m.measure)) for m in found.per_query
            }

    @pytest.mark.parametrize("name", ["pytrec_eval", "cwl_eval", "compat", "judged", "msmarco", "accuracy"])
    @pytest.mark.parametrize("text", ["P@3", "RR", "RR@2", "Compat", "Judged@3", "RBP(rel=1)", "Accuracy", "ERR@5"])
    def test_are_those_of_a_provider_that_is_named(self, name, text):
        theirs, ours = both(text)
        provider, peer = getattr(ir_measures, name), getattr(original, name)

        assert peer.supports(theirs) == provider.supports(ours)
        for seed in range(6 if peer.supports(theirs) else 0):
            qrels, run = data(seed, ties=text != "Compat")
            try:
                expected = {m.query_id: m.value for m in peer.iter_calc([theirs], qrels, run)}
            except ZeroDivisionError:
                continue
            found = {m.query_id: m.value for m in provider.iter_calc([ours], qrels, run)}
            assert expected == pytest.approx(found, rel=1e-12)

    @pytest.mark.parametrize("text", ["P@2", "RR@2", "Judged@5", "Accuracy", "Compat(p=0.8)", "NumQ", "RBP(rel=1)"])
    @pytest.mark.thorough
    def test_are_the_same_of_nothing(self, text):
        """0 for queries that the run lacks, nan without judged queries."""
        rows = [ir_measures.ScoredDoc("q1", "d1", 1.0)], [ir_measures.Qrel("q1", "d1", 1)]
        frames = pd.DataFrame(rows[0]), pd.DataFrame(rows[1])
        for (run, qrels), none in (
            ((RUN, QRELS), {}),
            (rows, []),
            ((frames[0], frames[1]), pd.DataFrame([], columns=["query_id", "doc_id", "score", "relevance"])),
        ):
            for arguments in ((qrels, none), (none, run), (none, none)):
                assert_same(text, *arguments)
        assert_same(text, QRELS, {"other": {"d1": 1.0}})
        assert_same("AP", {"q1": {"d1": 1}, "q2": {}}, {"q1": {"d1": 1.0}})

    @pytest.mark.thorough
    def test_of_an_own_definition_are_the_same(self):
        def share(qrels, run):
            return float(run.doc_id.isin(qrels[qrels.relevance > 0].doc_id).mean())

        def found(qrels, run):
            for query, results in run.groupby("query_id"):
                yield query, float(len(results))

        for seed in range(5):
            qrels, run = data(seed)
            for define, function in (("define_byquery", share), ("define", found)):
                theirs = getattr(original, define)(function, name="Own")
                ours = getattr(ir_measures, define)(function, name="Own")
                for cutoff in (None, 1, 3):
                    first, second = (theirs, ours) if cutoff is None else (theirs @ cutoff, ours @ cutoff)
                    assert str(first) == str(second)
                    if run:
                        expected = {m.query_id: m.value for m in first.iter_calc(qrels, run)}
                        assert expected == {m.query_id: m.value for m in second.iter_calc(qrels, run)}
                        assert first.calc_aggregate(qrels, run) == pytest.approx(second.calc_aggregate(qrels, run))

    def test_of_own_definitions_stand_beside_others(self):
        ones = ir_measures.define_byquery(lambda qrels, run: 1.0)
        twos = ir_measures.define_byquery(lambda qrels, run: 2.0)
        rows = [ir_measures.ScoredDoc(q, d, score) for q in RUN if q in QRELS for d, score in RUN[q].items()]
        judged = [ir_measures.Qrel(q, d, grade) for q in QRELS for d, grade in QRELS[q].items()]

        assert ones != twos
        found = ir_measures.calc_aggregate([ones, AP, twos], iter(judged), iter(rows))
        assert {ones: 2 / 3, AP: AP.calc_aggregate(QRELS, RUN), twos: 4 / 3} == pytest.approx(found)

    @pytest.mark.thorough
    def test_columns_that_own_definitions_need_are_asked_for(self):
        theirs = original.define(lambda q, r: [], "A", run_inputs=["query_id"], qrel_inputs=["query_id", "x"])
        ours = ir_measures.define(lambda q, r: [], "A", run_inputs=["query_id"], qrel_inputs=["query_id", "x"])
        for which in ("run_inputs", "qrel_inputs"):
            assert set(getattr(original, which)([theirs])) == set(getattr(ir_measures, which)([ours]))
            assert set(getattr(original, which)([theirs, original.AP])) == set(getattr(ir_measures, which)([ours, AP]))


class TestData:
    @pytest.mark.thorough
    def test_takes_dictionaries_frames_and_named_tuples(self):
        texts = [text for text in TEXTS if "Compat" not in text]
        expected = ir_measures.calc(texts, QRELS, RUN)
        qrels = [original.Qrel(q, d, grade) for q in QRELS for d, grade in QRELS[q].items()]
        run = [original.ScoredDoc(q, d, score) for q in RUN for d, score in RUN[q].items()]
        mine = [ir_measures.Qrel(*row) for row in qrels], [ir_measures.ScoredDoc(*row) for row in run]
        topic = namedtuple("Topic", ["doc_id", "score", "query_id", "rank"])
        with_text = pd.DataFrame(run).assign(query="red brick", rank=0, qid="7", docno="d1")

        for judged, retrieved in (
            (qrels, run),
            (iter(qrels), iter(run)),
            (tuple(qrels), tuple(run)),
            mine,
            (qrels, [topic(row.doc_id, row.score, row.query_id, 0) for row in run]),
            (pd.DataFrame(qrels), pd.DataFrame(run)),
            (pd.DataFrame(qrels).assign(label=9, query="red brick"), with_text),
            (pl.DataFrame([row._asdict() for row in qrels]), pl.DataFrame([row._asdict() for row in run])),
        ):
            assert expected == ir_measures.calc(texts, judged, retrieved)

    def test_takes_measures_as_objects_of_either_and_as_texts(self):
        texts = ir_measures.calc_aggregate(["nDCG@3", "AP", "map_cut_2"], QRELS, RUN)
        objects = ir_measures.calc_aggregate([original.nDCG @ 3, original.AP, AP @ 2], QRELS, RUN)

        assert ["nDCG@3", "AP", "map_cut_2"] == list(texts)
        assert [original.nDCG @ 3, original.AP, AP @ 2] == list(objects)
        assert list(texts.values()) == list(objects.values())

    def test_evaluates_many_runs_under_one_set_of_judgments(self):
        evaluator = ir_measures.evaluator([AP, P @ 1], QRELS)

        assert {"q1", "q2", "q3"} == evaluator.qrel_qids
        assert [AP, P @ 1] == list(evaluator.measures)
        for run in (RUN, {}, {"q3": {"d5": 1.0}}):
            assert evaluator.calc_aggregate(run) == ir_measures.calc_aggregate([AP, P @ 1], QRELS, run)
            assert evaluator.calc_aggregate(run) == evaluator.calc(run).aggregated
            assert list(evaluator.iter_calc(run)) == evaluator.calc(run).per_query

    def test_measures_evaluate_themselves(self):
        found = (P @ 2).calc(QRELS, RUN)

        assert ir_measures.calc_aggregate([P @ 2], QRELS, RUN)[P @ 2] == found.aggregated
        assert found.per_query == list((P @ 2).iter_calc(QRELS, RUN))
        assert found.aggregated == (P @ 2).evaluator(QRELS).calc_aggregate(RUN)[P @ 2]

    @pytest.mark.parametrize("package", [original, ir_measures])
    def test_reads_files_of_trec(self, package, tmp_path):
        judged = "q1 0 d1 1\n\n q1\tit d2 -1 \n"
        retrieved = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1e-3 t\n"
        (tmp_path / "qrels").write_text(judged)
        (tmp_path / "run.gz").write_bytes(gzip.compress(retrieved.encode()))
        expected = [("q1", "d1", 1, "0"), ("q1", "d2", -1, "it")], [("q1", "d1", 2.5), ("q1", "d2", 0.001)]

        for file in (judged, str(tmp_path / "qrels"), io.StringIO(judged)):
            assert expected[0] == list(package.read_trec_qrels(file))
        for file in (retrieved, str(tmp_path / "run.gz"), io.StringIO(retrieved)):
            assert expected[1] == list(package.read_trec_run(file))
        assert [] == list(package.read_trec_qrels(None)) == list(package.read_trec_run(None))
        for wrong in ("q1 0 d1\n", "q1 0 d1 x\n"):
            with pytest.raises(ValueError):  # noqa: PT011 (each has its own words)
                list(package.read_trec_qrels(wrong))

    def test_reading_says_what_is_wrong(self):
        with pytest.raises(ValueError, match="line 2: 5 fields in 'q Q0 d 1 1'; expected 6"):
            list(ir_measures.read_trec_run("q Q0 d 1 1 t\nq Q0 d 1 1\n"))
        with pytest.raises(TypeError, match="expected a file, a path, or the text of a file, not int"):
            list(ir_measures.read_trec_run(7))

    @pytest.mark.parametrize(("name", "value"), [("QrelsConverter", 1), ("RunConverter", 1.5)])
    def test_converts_between_the_same_forms(self, name, value):
        of_theirs, of_ours = getattr(original.util, name), getattr(ir_measures.util, name)
        record = original.Qrel if value == 1 else original.ScoredDoc
        rows = [record("2", "A", value), record("1", "B", value), record("2", "C", value)]
        nested = {"2": {"A": value, "C": value}, "1": {"B": value}}
        frame = pd.DataFrame(rows)

        for make in (lambda: rows, lambda: iter(rows), lambda: frame, lambda: nested, lambda: []):
            theirs, ours = of_theirs(make()), of_ours(make())
            assert theirs.as_dict_of_dict() == ours.as_dict_of_dict()
            assert list(of_theirs(make()).as_namedtuple_iter()) == list(of_ours(make()).as_namedtuple_iter())
            if not isinstance(make(), list) or make():
                assert_frame_equal(of_theirs(make()).as_pd_dataframe(), of_ours(make()).as_pd_dataframe())
        if value == 1.5:
            assert of_theirs(rows).as_sorteddict() == of_ours(rows).as_sorteddict()
        for wrong in (object(), frame.rename(columns={"doc_id": "docno"}), [1, 2], [namedtuple("T", "a")(1)]):
            with pytest.raises(ValueError) as expected:  # noqa: PT011 (compared below)
                of_theirs(wrong).as_dict_of_dict()
            with pytest.raises(ValueError) as found:  # noqa: PT011
                of_ours(wrong).as_dict_of_dict()
            if not isinstance(wrong, list):
                assert str(expected.value) == str(found.value)

    @pytest.mark.parametrize(
        ("run", "message"),
        [
            (
                [("q1", "d1", 1.0)],
                "run: a row without these fields; expected a dictionary, a data frame, or named tuples",
            ),
            ({"q1": {"d1": math.nan}}, "the score of document 'd1' of query 'q1' is not a number"),
            ([ir_measures.ScoredDoc("q1", "d1", 1.0)] * 2, "document 'd1' of query 'q1' is retrieved twice"),
            (pd.DataFrame({"query_id": ["q1"], "score": [1.0]}), "found no document column"),
        ],
    )
    def test_refuses_what_irev_refuses_anywhere(self, run, message):
        with pytest.raises(InputError, match=message):
            ir_measures.calc_aggregate([AP], QRELS, run)

    @pytest.mark.parametrize(
        ("measures", "message"),
        [
            (["P.5,10"], "'P.5,10' is not one number"),
            (["relstring"], "'relstring' is not one number"),
            ([], "there is no measure"),
        ],
    )
    def test_refuses_texts_that_are_no_single_number(self, measures, message):
        with pytest.raises(UsageError, match=message):
            ir_measures.calc_aggregate(measures, QRELS, RUN)


class TestOwnProviders:
    def test_may_be_written_and_asked_first(self):
        """As for ir_measures: a subclass that says what it supports, and makes evaluators."""
        base = ir_measures.providers.base

        class Half(ir_measures.Evaluator):
            def _iter_calc(self, run):
                yield from (
                    ir_measures.Metric(query, m, 0.5) for query in run if query in self.qrel_qids for m in self.measures
                )

        class Mine(ir_measures.Provider):
            NAME = "mine"
            SUPPORTED_MEASURES = [RR(cutoff=base.Any(required=True), rel=base.Choices(1, 2))]  # noqa: RUF012

            def _evaluator(self, measures, qrels):
                return Half(measures, qrels)

        pipeline = ir_measures.providers.FallbackProvider([Mine(), ir_measures.pytrec_eval])
        found = pipeline.calc_aggregate([RR @ 3, RR], QRELS, RUN)

        assert {RR @ 3: 1 / 3, RR: ir_measures.pytrec_eval.calc_aggregate([RR], QRELS, RUN)[RR]} == pytest.approx(found)
        assert pipeline.supports(RR(rel=2) @ 3)
        assert not pipeline.supports(RR(rel=3) @ 3)

    def test_one_that_lacks_something_says_so(self):
        with pytest.raises(RuntimeError, match=r"Provider trectools is not available\. irev does not compute"):
            ir_measures.trectools.calc_aggregate([AP], QRELS, RUN)

    def test_say_what_a_class_has_to_define(self):
        """The class that irev's interface shares with ir_measures is there to be derived from."""

        class Unfinished(ir_measures.Provider):
            NAME = "unfinished"

        with pytest.raises(NotImplementedError, match="Unfinished must define `_evaluator`"):
            Unfinished().evaluator([AP], QRELS)


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


class TestSubtopics:
    """Measures of which the iteration of a judgment is a subtopic; pyndeval judges them."""

    @pytest.fixture(autouse=True)
    def _needs_pyndeval(self):
        pytest.importorskip("pyndeval")

    @pytest.mark.parametrize("text", OF_PYNDEVAL)
    def test_are_the_same(self, text):
        theirs, ours = both(text)
        for seed in range(12):
            qrels, run = of_subtopics(seed)
            expected = {metric.query_id: metric.value for metric in original.iter_calc([theirs], qrels, run)}
            frames = [pd.DataFrame(rows) for rows in (qrels, run)]
            for given in ((qrels, run), (iter(qrels), iter(run)), frames, (pl.DataFrame(frames[0]), frames[1])):
                found = ir_measures.calc([ours], *given)
                assert expected == pytest.approx(
                    {metric.query_id: metric.value for metric in found.per_query}, rel=1e-12
                )
            assert found.aggregated[ours] == pytest.approx(original.calc_aggregate([theirs], qrels, run)[theirs])

    def test_those_with_other_parameters_have_their_numbers_when_asked_for_together(self):
        """In ir_measures the first of them use up the run."""
        qrels, run = of_subtopics(1)
        texts = ["alpha_nDCG@5", "alpha_nDCG(alpha=0.25)@5", "NRBP(beta=0.9)"]
        ours = [both(text)[1] for text in texts]
        theirs = original.calc_aggregate([both(text)[0] for text in texts], qrels, run)

        assert 1 == sum(value > 0 for value in theirs.values())
        assert ir_measures.calc_aggregate(ours, qrels, run) == {
            each: ir_measures.calc_aggregate([each], qrels, run)[each] for each in ours
        }

    def test_other_measures_beside_them_see_the_highest_grade_of_each_document(self):
        qrels, run = of_subtopics(2)
        highest: dict[str, dict[str, int]] = {}
        for each in qrels:
            of_query = highest.setdefault(each.query_id, {})
            of_query[each.doc_id] = max(each.relevance, of_query.get(each.doc_id, 0))
        found = ir_measures.calc_aggregate([ir_measures.StRecall @ 5, nDCG @ 5, Compat], qrels, run)

        assert ir_measures.calc_aggregate([nDCG @ 5, Compat], highest, run) == {
            measure: found[measure] for measure in (nDCG @ 5, Compat)
        }
        with pytest.raises(InputError, match="is judged twice"):
            ir_measures.calc_aggregate([nDCG @ 5], qrels, run)

    def test_those_that_ir_measures_lacks_may_be_asked_for_as_text(self):
        qrels, run = of_subtopics(3)
        (value,) = ir_measures.calc_aggregate(["D#-nDCG@5"], qrels, run).values()

        assert 0 < value < 1

    def test_there_are_numbers_where_ir_measures_has_none(self):
        qrels, run = of_subtopics(4)
        for text in ("P_IA@30", "P_IA(judged_only=True)@5"):
            theirs, ours = both(text)
            with pytest.raises((AssertionError, TypeError)):
                original.calc_aggregate([theirs], qrels, run)
            assert 0 < ir_measures.calc_aggregate([ours], qrels, run)[ours] <= 1
        empty = [ir_measures.Qrel("1", "d1", 0, "1"), ir_measures.Qrel("1", "d1", 0, "2")]
        assert math.isnan(original.calc_aggregate([original.nNRBP], empty, run)[original.nNRBP])
        assert {ir_measures.nNRBP: 0.0} == ir_measures.calc_aggregate([ir_measures.nNRBP], empty, run)

    def test_at_cutoff_1_values_are_divided_which_they_are_not_there(self):
        qrels = [
            ir_measures.Qrel("1", "a", 1, "1"),
            ir_measures.Qrel("1", "a", 1, "2"),
            ir_measures.Qrel("1", "b", 1, "3"),
        ]
        run = [ir_measures.ScoredDoc("1", "a", 1.0)]
        for name in ("alpha_DCG", "ERR_IA"):
            measure = THEIRS[name] @ 1
            assert 2.0 == original.calc_aggregate([measure], qrels, run)[measure]
            assert {OURS[name] @ 1: pytest.approx(2 / 3)} == ir_measures.calc_aggregate([OURS[name] @ 1], qrels, run)

    def test_judgments_without_iterations_have_one_subtopic_and_that_is_said(self):
        with pytest.warns(UserWarning, match="judgments have one subtopic: the iteration of a row says which"):
            found = ir_measures.calc_aggregate([ir_measures.StRecall @ 5], QRELS, RUN)

        assert found == {
            ir_measures.StRecall @ 5: pytest.approx(
                original.calc_aggregate([original.StRecall @ 5], QRELS, RUN)[original.StRecall @ 5]
            )
        }

    def test_no_judgments_and_no_results_have_no_values(self):
        assert math.isnan(ir_measures.calc_aggregate([ir_measures.NRBP], [], [])[ir_measures.NRBP])
        qrels, _ = of_subtopics(5)
        assert {ir_measures.NRBP: 0.0} == ir_measures.calc_aggregate([ir_measures.NRBP], qrels, [])

    def test_what_cannot_be_read_is_refused(self):
        qrels, run = of_subtopics(6)
        with pytest.raises(InputError, match="is judged twice for query '1', subtopic '0'"):
            ir_measures.calc_aggregate([ir_measures.NRBP], [*qrels, qrels[0]._replace(iteration="0")] * 2, run)
        for wrong in ({"doc_id": ""}, {"doc_id": "a\tb"}, {"relevance": math.nan}, {"query_id": "\n"}):
            with pytest.raises(InputError):
                ir_measures.calc_aggregate([ir_measures.NRBP], [*qrels, qrels[0]._replace(**wrong)], run)
        with pytest.raises(InputError, match="there is no column 'query_id'"):
            ir_measures.calc_aggregate([ir_measures.NRBP], pd.DataFrame({"qid": ["1"]}), run)
        blank = [qrels[0]._replace(doc_id="a b", relevance=1, iteration=each) for each in "12"]
        scored = [ir_measures.ScoredDoc("1", "a b", 1.0)]
        assert {ir_measures.StRecall @ 1: 1.0} == ir_measures.calc_aggregate([ir_measures.StRecall @ 1], blank, scored)

    def test_a_measure_without_its_cutoff_is_refused(self):
        with pytest.raises(ValueError, match="'alpha_nDCG' is not one number; name measures such as P@5"):
            ir_measures.calc_aggregate([ir_measures.alpha_nDCG], *of_subtopics(7))


class TestThePage:
    """What docs/ir_measures.md says."""

    def test_its_examples_are_right(self):
        source = "\n".join("" if line.startswith("```") else line for line in PAGE.split("\n"))
        test = doctest.DocTestParser().get_doctest(source, {}, "docs/ir_measures.md", "docs/ir_measures.md", 0)
        report = io.StringIO()
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
            test, out=report.write
        )

        assert "" == report.getvalue()
        assert result.attempted >= 8

    def test_every_measure_has_a_number_that_was_compared(self):
        compared = {both(text)[1].NAME for text in [*TEXTS, *OF_GDEVAL, *OF_PYNDEVAL]}

        assert compared == {measure.NAME for measure in OURS.values()}

    def test_tests_that_cannot_pass_are_listed_with_why(self):
        rows = [line.split("|") for line in PAGE.split("\n") if line.startswith("| `test_")]

        assert {"test_cwl_eval.py", "test_providers.py"} == {
            re.search(r"`(test_\w+\.py)", test)[1] for _, test, reason, _ in rows if reason.strip()
        }


class TestReplacing:
    def run(self, program: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr.strip().rpartition("\n")[2]

    def test_programs_import_the_stand_in(self):
        """Under every name that the package has, as one and the same module."""
        program = """
import irev.compat
irev.compat.replace("ir_measures")
irev.compat.replace("pytrec_eval")
import ir_measures, pytrec_eval, ir_measures.measures, ir_measures.util
from ir_measures.providers.base import Any
from ir_measures import AP
import irev.compat.ir_measures as ours
print(ir_measures is ours, ir_measures.measures is ours.measures, AP is ours.AP, pytrec_eval is irev.compat.pytrec_eval)
"""
        assert "True True True True\n" == self.run(program)

    def test_a_package_that_was_imported_cannot_be_replaced(self):
        program = "import ir_measures; import irev.compat; irev.compat.replace('ir_measures')"
        message = "irev.UsageError: ir_measures was imported already; replace it before that"

        assert message == self.run(program)
        with pytest.raises(UsageError, match="there is no stand-in for 'ranx'; there are ir_measures and pytrec_eval"):
            irev.compat.replace("ranx")
