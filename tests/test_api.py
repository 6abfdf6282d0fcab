"""The Python interface gives the numbers of the command line to the last bit, whatever its data come in."""

import doctest
import io
import itertools
import json
import re
import runpy
import subprocess
import sys
import threading
import types
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import ROOT, added, environment, in_process
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from kinds import OF_GRADES

import irev
from irev import evaluate
from irev.base.errors import InputError, UsageError
from irev.cli import command
from irev.commands.check.finding import CheckReport
from irev.compat import pytrec_eval
from irev.reading import in_memory

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 0, "d4": 1}, "q3": {"d5": 1}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0, "d9": 2.0, "d3": 0.5}, "q2": {"d4": 1.0, "d1": 4.0}, "x": {"d1": 1.0}}
SOME = ["nDCG@10", "AP", "RR", "P@5", "Bpref", "relstring", "num_ret", "iprec_at_recall", "RBP(p=0.8)"]

SAMPLE = ROOT / "sample_data"


def rows(nested):
    """Queries, documents and values of a nested dictionary, as three lists."""
    found = [(query, document, value) for query in nested for document, value in nested[query].items()]
    return [list(column) for column in zip(*found, strict=True)]


def shuffled(columns, seed=1):
    """Three columns with their rows in another order, so that queries are scattered."""
    order = np.random.default_rng(seed).permutation(len(columns[0]))
    return [[column[i] for i in order] for column in columns]


def objects(values):
    """A numpy array of Python objects."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


FORMS = {
    "dictionary": lambda nested, value: nested,
    "lists": lambda nested, value: tuple(rows(nested)),
    "arrays of str": lambda nested, value: tuple(np.array(column) for column in rows(nested)),
    "arrays of bytes": lambda nested, value: tuple(
        np.array([x.encode() for x in column] if i < 2 else column) for i, column in enumerate(rows(nested))
    ),
    "arrays of objects": lambda nested, value: tuple(objects(column) for column in rows(nested)),
    "scattered arrays": lambda nested, value: tuple(np.array(column) for column in shuffled(rows(nested))),
    "pandas": lambda nested, value: pd.DataFrame(dict(zip(("query_id", "doc_id", value), rows(nested), strict=True))),
    "pandas of objects": lambda nested, value: pd.DataFrame(
        dict(zip(("qid", "docno", value), map(objects, rows(nested)), strict=True))
    ),
    "pandas of categories": lambda nested, value: pd.DataFrame(
        dict(zip(("qid", "docno", value), rows(nested), strict=True))
    ).astype({"qid": "category", "docno": "category"}),
    "pandas of Python's strings": lambda nested, value: pd.DataFrame(
        dict(zip(("qid", "docno", value), rows(nested), strict=True))
    ).astype({"qid": "string[python]", "docno": "string[python]"}),
    "scattered pandas with an index": lambda nested, value: pd.DataFrame(
        dict(zip(("query", "doc", value), shuffled(rows(nested)), strict=True))
    ).set_index(pd.Index(shuffled(rows(nested))[1])),
    "polars": lambda nested, value: pl.DataFrame(dict(zip(("query_id", "doc_id", value), rows(nested), strict=True))),
    "scattered polars": lambda nested, value: pl.DataFrame(
        dict(zip(("qid", "docid", value), shuffled(rows(nested)), strict=True))
    ),
    "polars of categories": lambda nested, value: pl.DataFrame(
        dict(zip(("qid", "docid", value), rows(nested), strict=True))
    ).with_columns(pl.col("qid").cast(pl.Categorical), pl.col("docid").cast(pl.Categorical)),
    "pyarrow": lambda nested, value: pa.table(dict(zip(("qid", "docid", value), rows(nested), strict=True))),
    "scattered pyarrow in chunks": lambda nested, value: pa.concat_tables(
        [pa.table(dict(zip(("qid", "docid", value), shuffled(rows(nested)), strict=True))).slice(at, 2)
         for at in range(0, len(rows(nested)[0]), 2)]
    ),
}  # fmt: skip


def lines(nested, template):
    """The file of a nested dictionary."""
    return "".join(
        template.format(query=query, document=document, value=value)
        for query in nested
        for document, value in nested[query].items()
    ).encode()


@pytest.fixture
def files(write):
    """``files(qrels, run)`` writes both in TREC format and gives their paths."""

    def files(qrels, run):
        return (
            write(lines(qrels, "{query} 0 {document} {value}\n"), "qrels"),
            write(lines(run, "{query} Q0 {document} 0 {value!r} tag\n"), "run"),
        )

    return files


def responded(found):
    """What a response to _rank_eval has for a query."""
    hits = [{"hit": {"_index": "i", "_id": name, "_score": score}, "rating": None} for name, score in found.items()]
    return {"metric_score": 0.0, "unrated_docs": [], "hits": hits}


def numbers(evaluation):
    """All that an evaluation says, but for the run's name."""
    return evaluation.to_dict()


class TestTheSameNumbers:
    @pytest.mark.parametrize("run", ["keyword.run", "semantic.run", "hybrid.run"])
    @pytest.mark.parametrize(
        ("options", "chosen"),
        [
            ((), {}),
            (("-c",), {"complete": True}),
            (("-l", "2", "-J"), {"level": 2, "judged_only": True}),
            (("--compat", "9.0.8"), {"compat": "9.0.8"}),
            (("--ties", "docid-asc", "-M", "3"), {"ties": "docid-asc", "depth": 3}),
        ],
    )
    def test_as_the_command_line_prints(self, run, options, chosen, write, irev):
        """With all digits, from the files and from dictionaries of what stands in them."""
        qrels = write((SAMPLE / "qrels.txt").read_bytes().partition(b"\n")[2])  # its comment is new in trec_eval 10
        measures = ["map", "ndcg", "P_5", "P_10", "recip_rank", "bpref", "num_ret", "gm_map", "relstring"]
        asked = itertools.chain(*(("-m", name) for name in measures))
        status, stdout, _ = irev("eval", "-q", "--digits", "exact", *options, *asked, qrels, str(SAMPLE / run))
        printed = {}
        for line in stdout.decode().splitlines():
            name, query, value = line.split("\t")
            printed[name.strip(), query] = value
        with open(SAMPLE / run) as lines:
            nested = pytrec_eval.parse_run(lines)

        assert 0 == status
        for data in (SAMPLE / run, nested):
            found = evaluate(qrels, data, measures, **chosen)
            shown = {(name, "all"): repr(value) for name, value in found.mean().items()}
            for by_query in (found.per_query, found.texts):
                shown |= {(name, query): str(value) for name in by_query for query, value in by_query[name].items()}
            assert printed == shown

    @pytest.mark.parametrize("form", FORMS)
    def test_of_files_and_of_what_is_in_memory(self, files, form):
        """The run has every score with all its digits, so that the file has the same doubles."""
        options = {"complete": True, "queries": "both"}
        expected = irev.evaluate(*files(QRELS, RUN), SOME, **options)
        found = irev.evaluate(FORMS[form](QRELS, "relevance"), FORMS[form](RUN, "score"), SOME, **options)

        assert numbers(expected) == numbers(found)

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        "options",
        [
            {"level": 2},
            {"depth": 2},
            {"judged_only": True},
            {"ties": "docid-asc"},
            {"ties": "file"},
            {"order": "file"},
            {"compat": "9.0.8"},
            {"queries": "run"},
            {"queries": ["q2", "q3"]},
            {"gains": {0: 0, 1: 1, 2: 3}},
            {"negative": "nonrelevant"},
            {"drop_self": True},
        ],
        ids=str,
    )
    def test_under_every_option(self, files, options):
        run = RUN | {"q2": {"d4": 1.0, "q2": 7.0, "d1": 1.00000001}}
        expected = irev.evaluate(*files(QRELS, run), SOME, **options)
        forms = [form for form in FORMS if "scattered" not in form or "file" not in options.values()]

        for form in forms:
            found = irev.evaluate(FORMS[form](QRELS, "rel"), FORMS[form](run, "score"), SOME, **options)
            assert numbers(expected) == numbers(found), form

    @pytest.mark.parametrize(
        "options", [{}, {"complete": True}, {"queries": "run"}, {"queries": ["q1", "q3"]}], ids=str
    )
    def test_of_queries_that_found_nothing(self, write, options):
        """A file that can say so says it: an empty object or list is a query of the run, and not one that it lacks."""
        qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
        for run in ({"q1": {}, "q2": {"b": 2.0}}, {"q2": {"b": 2.0}, "q1": {}, "q9": {}}, {"q1": {}}):
            lists = {query: [*found] for query, found in run.items()}
            records = [{"query_id": query, "retrieved_ids": found} for query, found in lists.items()]
            response = {"details": {query: responded(found) for query, found in run.items()}, "failures": {}}
            contents = {
                "nested.json": json.dumps(run),
                "lists.json": json.dumps(lists),
                "lists.jsonl": "".join(f"{json.dumps(record)}\n" for record in records),
                "array.json": json.dumps(records),
                "response.json": json.dumps({"metric_score": 0.0, **response}),
            }
            expected = numbers(irev.evaluate(qrels, run, SOME, **options))
            for name, content in contents.items():
                path = write(content.encode(), name)
                assert expected == numbers(irev.evaluate(qrels, path, SOME, **options)), name

    def test_over_ties(self, files):
        measures = ["nDCG@2", "AP", "RR", "P@1"]
        expected = irev.evaluate(*files(QRELS, RUN), measures, ties="average")

        assert numbers(expected) == numbers(irev.evaluate(QRELS, RUN, measures, ties="average"))

    def test_of_whole_numbers_as_ids(self, files):
        """Ids of any number of digits: 9 comes after 10 where documents tie, as text."""
        ids = [0, 7, 9, 10, 99, 100, 9999, 10000, 123456789, 2**40, 2**63 - 1]
        qrels = {"1": {str(id): n % 3 for n, id in enumerate(ids)}, "12": {"9": 1, "10": 0}}
        run = {"1": {str(id): float(n % 2) for n, id in enumerate(ids)}, "12": {"10": 1.0, "9": 1.0}}
        expected = numbers(irev.evaluate(*files(qrels, run), SOME))

        def whole(nested):
            queries, documents, values = rows(nested)
            return np.array(list(map(int, queries))), np.array(list(map(int, documents))), np.array(values)

        assert expected == numbers(irev.evaluate(whole(qrels), whole(run), SOME))
        assert expected == numbers(irev.evaluate(qrels, whole(run), SOME))
        frame = pd.DataFrame(dict(zip(("qid", "docid", "score"), whole(run), strict=True)))
        assert expected == numbers(irev.evaluate(qrels, frame.astype({"docid": "Int64"}), SOME))
        assert expected == numbers(irev.evaluate(qrels, pl.from_pandas(frame), SOME))

    def test_of_negative_numbers_as_ids(self):
        run = (np.array([-1, -1]), np.array([-12, 5]), np.array([2.0, 1.0]))

        assert {"AP": 0.5} == irev.evaluate({"-1": {"5": 1}}, run, "AP").mean()

    @pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.int8, np.uint16])
    def test_of_scores_of_every_kind(self, kind):
        run = (["q1"] * 3, ["d1", "d2", "d3"], np.array([1, 3, 2], dtype=kind))

        assert {"AP": pytest.approx((1 / 2 + 2 / 3) / 2)} == irev.evaluate(QRELS, run, "AP").mean()

    @pytest.mark.thorough
    @pytest.mark.filterwarnings("ignore::irev.IrevWarning")
    @examples(max_examples=60)
    @given(st.data())
    def test_of_anything(self, tmp_path_factory, data):
        """Ids of every length and alphabet, ties, many queries, and parts of a few rows."""
        names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=12)
        documents = data.draw(st.lists(names, min_size=1, max_size=30, unique=True))
        queries = data.draw(
            st.lists(names.filter(lambda q: not q.startswith("#")), min_size=1, max_size=5, unique=True)
        )
        one = st.sampled_from(documents)
        scores = st.one_of(st.integers(-2, 2).map(float), st.floats(-1e9, 1e9))
        qrels = {q: data.draw(st.dictionaries(one, st.integers(-1, 3), min_size=1)) for q in queries}
        run = {q: data.draw(st.dictionaries(one, scores, min_size=1)) for q in queries}
        folder = tmp_path_factory.mktemp("anything")
        (folder / "qrels").write_bytes(lines(qrels, "{query} 0 {document} {value}\n"))
        (folder / "run").write_bytes(lines(run, "{query} Q0 {document} 0 {value!r} tag\n"))
        expected = numbers(irev.evaluate(folder / "qrels", folder / "run", SOME))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(in_memory, "ROWS", data.draw(st.sampled_from((1, 7, 1 << 16))))
            for form in FORMS:
                found = numbers(irev.evaluate(FORMS[form](qrels, "grade"), FORMS[form](run, "sim"), SOME))
                assert expected == found, form

    def test_of_ids_with_blanks_in_them(self):
        """Which no file of fields can have."""
        for form in FORMS:
            qrels = FORMS[form]({"a query": {"a\tdocument\n": 1, " ": 0}}, "label")
            run = FORMS[form]({"a query": {" ": 2.0, "a\tdocument\n": 1.0}}, "score")
            assert {"AP": 0.5} == irev.evaluate(qrels, run, "AP").mean(), form


class TestMeasures:
    def test_are_called_as_they_were_asked_for(self):
        found = irev.evaluate(QRELS, RUN, ["ndcg_cut_10", "map", "AP(rel=2)@5", "MRR@10"])

        assert ("ndcg_cut_10", "map", "AP(rel=2)@5", "MRR@10") == found.measures
        assert list(found.measures) == list(found.mean()) == list(found.per_query)

    def test_have_standard_names_where_a_text_makes_several(self):
        assert ("P@5", "P@10", "map") == irev.evaluate(QRELS, RUN, ["P.5,10", "map"]).measures

    def test_are_those_of_trec_eval_when_none_is_named(self):
        found = irev.evaluate(QRELS, RUN)

        assert {"AP", "Rprec", "P@1000"} <= set(found.mean())
        assert "NumQ" not in found.per_query

    def test_may_be_one_alone(self):
        assert {"RR": 0.375} == irev.evaluate(QRELS, RUN, "RR").mean() | {"RR": 0.375}
        assert ("RR",) == irev.evaluate(QRELS, RUN, "RR").measures

    def test_that_are_texts_stand_apart(self):
        found = irev.evaluate(QRELS, RUN, ["relstring", "AP"])

        assert {"relstring": {"q1": "'0-12'", "q2": "'01'"}} == found.texts
        assert ["AP"] == list(found.per_query) == list(found.mean())

    def test_are_whole_numbers_where_they_count(self):
        found = irev.evaluate(QRELS, RUN, "num_ret")

        assert {"num_ret": 6} == found.mean()
        assert {"num_ret": {"q1": 4, "q2": 2}} == found.per_query
        assert all(isinstance(value, int) for value in [*found.mean().values(), *found.per_query["num_ret"].values()])

    def test_have_medians_when_asked(self):
        found = irev.evaluate(QRELS, RUN, ["AP(agg=median)", "AP"], complete=True)
        values = found.per_query["AP"].values()

        assert sorted(values)[1] == found.mean()["AP(agg=median)"]
        assert added(values) / 3 == found.mean()["AP"]

    def test_that_no_one_knows_are_refused(self):
        with pytest.raises(UsageError, match=r"there is no measure 'nDGC@10'; did you mean 'ndcg@10'"):
            irev.evaluate(QRELS, RUN, "nDGC@10")
        with pytest.raises(TypeError, match="a measure is a string such as 'nDCG@10', not 10 of type int"):
            irev.evaluate(QRELS, RUN, [10])

    def test_that_are_read_in_an_unexpected_way_are_warned_of(self):
        with pytest.warns(UserWarning, match="is read as 5") as caught:
            irev.Evaluator(QRELS, "P.5.7")
        assert [__file__] == [warning.filename for warning in caught]

    @pytest.mark.parametrize("name", [name for name in OF_GRADES if name not in ("tn", "set_accuracy")])
    def test_of_every_kind_are_served(self, name):
        found = irev.evaluate(QRELS, RUN, [name])

        assert found.measures
        assert found.to_dict()["summary"] == found.mean()


class TestResults:
    FOUND = irev.evaluate(QRELS, RUN, ["AP", "relstring", "num_ret", "num_q"])

    def test_name_queries_and_those_left_out(self):
        assert ("q1", "q2") == self.FOUND.queries
        assert ("q3",) == self.FOUND.missing
        assert ("x",) == self.FOUND.unjudged

    def test_become_a_frame_of_pandas(self):
        expected = pd.DataFrame(
            {"AP": list(self.FOUND.per_query["AP"].values()), "relstring": ["'0-12'", "'01'"], "num_ret": [4, 2]},
            index=pd.Index(["q1", "q2"], name="query"),
        )
        pd.testing.assert_frame_equal(expected, self.FOUND.to_pandas())

    def test_become_a_frame_of_polars(self):
        expected = {
            "query": ["q1", "q2"],
            "AP": list(self.FOUND.per_query["AP"].values()),
            "relstring": ["'0-12'", "'01'"],
            "num_ret": [4, 2],
        }
        assert expected == self.FOUND.to_polars().to_dict(as_series=False)

    def test_become_a_dictionary(self):
        assert {
            "queries": ["q1", "q2"],
            "missing": ["q3"],
            "unjudged": ["x"],
            "summary": {"AP": self.FOUND.mean()["AP"], "num_ret": 6, "num_q": 2},
            "per_query": {
                "AP": self.FOUND.per_query["AP"],
                "relstring": {"q1": "'0-12'", "q2": "'01'"},
                "num_ret": {"q1": 4, "q2": 2},
            },
        } == self.FOUND.to_dict()

    def test_a_short_form_has_four_measures_and_says_that_there_are_more(self):
        five = ["AP", "RR", "P@1", "R@1", "nDCG"]
        told = [repr(irev.evaluate(QRELS, RUN, five[:number])) for number in (4, 5)]

        assert [3, 4] == [text.count(",") for text in told]
        assert [False, True] == [text.endswith(", …>") for text in told]

    def test_are_shown_in_a_line(self):
        found = irev.evaluate(QRELS, RUN, ["P@1", "num_ret"])

        assert "<Evaluation of 2 queries: P@1 0.0000, num_ret 6>" == repr(found)
        assert "<Qrels qrels: 6 judgments of 3 queries>" == repr(irev.read_qrels(QRELS))
        assert "<Run run: 7 results of 3 queries>" == repr(irev.read_run(RUN))

    def test_are_the_callers_to_change(self):
        """A frame shares nothing with the evaluation it came from."""
        found = irev.evaluate(QRELS, RUN, "AP")
        before = found.to_dict()
        frame = found.to_pandas()
        frame.loc["q1", "AP"] = 7.0

        assert before == found.to_dict() == irev.evaluate(QRELS, RUN, "AP").to_dict()


class TestReadOnce:
    def test_judgments_and_runs_serve_many_evaluations(self, files):
        for qrels, run in (files(QRELS, RUN), (QRELS, RUN)):
            judgments, results = irev.read_qrels(qrels), irev.read_run(run)
            for options in ({}, {"level": 2}, {"ties": "docid-asc"}, {"negative": "nonrelevant"}, {"compat": "9.0.8"}):
                expected = irev.evaluate(qrels, run, SOME, **options)
                assert numbers(expected) == numbers(irev.evaluate(judgments, results, SOME, **options))

    def test_they_know_their_size_and_queries(self, files):
        for qrels, run in (files(QRELS, RUN), (QRELS, RUN)):
            judgments, results = irev.read_qrels(qrels), irev.read_run(run)
            assert (6, ("q1", "q2", "q3")) == (len(judgments), judgments.queries)
            assert (7, ("q1", "q2", "x")) == (len(results), results.queries)

    @pytest.mark.thorough
    def test_a_large_run_is_kept_whole(self, tmp_path):
        """Chunks of a file are read into one another's place."""
        with (tmp_path / "run").open("w") as file:
            file.writelines(f"q{n // 1000} Q0 document{n} 0 {n * 7919 % 1000 / 7!r} tag\n" for n in range(200_000))
        qrels = {f"q{q}": {f"document{q * 1000 + n * 7}": n % 3 for n in range(140)} for q in range(200)}
        run = irev.read_run(tmp_path / "run")

        assert len(run.blocks) > 1
        assert numbers(irev.evaluate(qrels, tmp_path / "run", SOME)) == numbers(irev.evaluate(qrels, run, SOME))

    def test_choices_that_come_too_late_are_refused(self):
        run = irev.read_run(RUN)

        with pytest.raises(UsageError, match="the run was read with order='score'; give order to read_run too"):
            irev.evaluate(QRELS, run, "AP", order="file")
        with pytest.raises(UsageError, match="duplicates"):
            irev.read_run(run, duplicates="best")
        assert run is irev.read_run(run)

    def test_negative_grades_are_given_a_meaning_later(self):
        qrels = irev.read_qrels({"q": {"a": -1, "b": 1}})
        run = {"q": {"a": 2.0, "b": 1.0}}

        assert {"Bpref": 1.0} == irev.evaluate(qrels, run, "Bpref").mean()
        assert {"Bpref": 0.0} == irev.evaluate(qrels, run, "Bpref", negative="nonrelevant").mean()
        with pytest.raises(InputError, match=r"qrels: the grade -1.0 of document 'a' of query 'q' is negative"):
            irev.evaluate(qrels, run, "Bpref", negative="error")


class TestThreads:
    @pytest.mark.thorough
    def test_may_share_an_evaluator(self):
        rng = np.random.default_rng(5)
        documents = [f"d{n}" for n in range(300)]
        qrels = {f"q{q}": {d: int(rng.integers(3)) for d in rng.choice(documents, 40)} for q in range(60)}
        runs = [{f"q{q}": {d: float(rng.integers(50)) for d in documents} for q in range(60)} for _ in range(6)]
        evaluator = irev.Evaluator(irev.read_qrels(qrels), SOME)
        expected = [numbers(irev.evaluate(qrels, run, SOME)) for run in runs]
        found = {}

        def work(number):
            for _ in range(3):
                found[number] = numbers(evaluator.evaluate(runs[number]))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(len(runs))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert expected == [found[number] for number in range(len(runs))]


class TestInputs:
    @pytest.mark.parametrize("form", FORMS)
    def test_are_never_changed(self, form):
        qrels = {"q1": {"d1": 1, "d2": -1}}
        given = FORMS[form](qrels, "relevance"), FORMS[form](RUN, "score")
        again = FORMS[form](qrels, "relevance"), FORMS[form](RUN, "score")
        irev.evaluate(*given, ["AP"], negative="nonrelevant", order="file", duplicates="best", compat="9.0.8")

        for mine, fresh in zip(given, again, strict=True):
            if isinstance(mine, tuple):
                assert all(list(a) == list(b) for a, b in zip(mine, fresh, strict=True))
            elif hasattr(mine, "equals"):
                assert mine.equals(fresh)
            else:
                assert mine == fresh

    def test_may_be_read_only(self):
        arrays = [np.array(column) for column in rows(RUN)]
        for column in arrays:
            column.flags.writeable = False

        assert numbers(irev.evaluate(QRELS, RUN, SOME)) == numbers(irev.evaluate(QRELS, tuple(arrays), SOME))

    def test_may_be_views_with_gaps(self):
        arrays = tuple(np.repeat(np.array(column), 2)[::2] for column in rows(RUN))

        assert numbers(irev.evaluate(QRELS, RUN, SOME)) == numbers(irev.evaluate(QRELS, arrays, SOME))

    def test_paths_may_be_objects(self):
        paths = SAMPLE / "qrels.txt", SAMPLE / "keyword.run"

        assert numbers(irev.evaluate(*paths)) == numbers(irev.evaluate(*map(str, paths)))

    def test_a_query_without_results_was_answered(self):
        """It found nothing; and a query whose judgments are empty counts as one without a relevant document."""
        found = irev.evaluate({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {}}, {"q1": {"a": 1.0}, "q2": {}, "q3": {}}, "AP")

        assert {"AP": {"q1": 1.0, "q2": 0.0, "q3": 0.0}} == found.per_query
        assert () == found.unjudged

    def test_query_ids_that_are_no_utf_8_come_back_as_they_were(self, write):
        qrels, run = write(b"q\xe9 0 d 1\n", "qrels"), write(b"q\xe9 Q0 d 1 1 t\n", "run")
        name = b"q\xe9".decode("utf-8", "surrogateescape")

        assert (name,) == irev.evaluate(qrels, run, "AP").queries
        assert (name,) == irev.evaluate({name: {"d": 1}}, run, "AP").queries
        assert (name,) == irev.evaluate(qrels, (np.array([b"q\xe9"]), ["d"], [1.0]), "AP").queries

    @pytest.mark.parametrize("options", [{}, {"order": "file"}, {"order": "rank"}, {"depth": 2}, {"ties": "average"}])
    def test_lists_are_rankings_as_they_are_in_a_file(self, tmp_path, options):
        lists = {"q2": ["d3", "d1"], "q1": ["d2", "d9", "d1"], "q3": []}
        path, measures = tmp_path / "lists.json", ["AP", "P@2", "num_ret"]
        path.write_text(json.dumps(lists))
        expected = irev.evaluate(QRELS, path, measures, **options).to_dict()
        of_bytes = {query: [each.encode() for each in documents] for query, documents in lists.items()}
        for run in (lists, {query: tuple(documents) for query, documents in lists.items()}, of_bytes):
            assert expected == irev.evaluate(QRELS, run, measures, **options).to_dict()
        if "order" not in options:
            assert expected == irev.evaluate(QRELS, irev.read_run(lists), measures, **options).to_dict()

    def test_lists_may_have_what_other_runs_may_have(self):
        lists = {"q1": ["d2", "d1", "d2"], "q2": {"d3": 2.0}}
        found = irev.evaluate(QRELS, lists, "relstring", duplicates="first").texts["relstring"]
        assert irev.evaluate(QRELS, {**lists, "q1": ["d2", "d1"]}, "relstring").texts["relstring"] == found
        assert found == irev.evaluate(QRELS, lists, "relstring", duplicates="best").texts["relstring"]
        kept = irev.evaluate({"q1": {"d1": 1}}, {"q1": ["q1", "d1"]}, "RR", drop_self=True).mean()
        assert {"RR": 1.0} == kept
        with pytest.raises(UsageError, match="a dictionary has no ranks"):
            irev.evaluate(QRELS, lists, "AP", order="rank")

    @pytest.mark.parametrize("kind", [list, tuple, set, frozenset, lambda ids: [each.encode() for each in ids]])
    def test_judgments_may_be_lists_of_relevant_documents(self, kind):
        judged = {"q1": {"d2": 1, "d1": 1}, "q2": {"d3": 1}}
        lists = {query: kind(documents) for query, documents in judged.items()}
        run = {"q1": ["d4", "d2"], "q2": ["d3", "d1"]}
        expected = irev.evaluate(judged, run, ["AP", "nDCG@10", "num_rel"]).to_dict()

        assert expected == irev.evaluate(lists, run, ["AP", "nDCG@10", "num_rel"]).to_dict()
        assert expected == irev.evaluate(irev.read_qrels(lists), run, ["AP", "nDCG@10", "num_rel"]).to_dict()

    def test_some_queries_of_judgments_may_have_lists_and_others_grades(self):
        judged = irev.read_qrels({"q1": ["d1"], "q2": {"d3": 2, "d1": 0}})

        assert {"CG": {"q1": 1.0, "q2": 2.0}} == irev.evaluate(judged, {"q1": ["d1"], "q2": ["d3"]}, "CG").per_query

    @pytest.mark.parametrize(
        ("judged", "message"),
        [
            (
                {"q1": "d1"},
                "the grade of document 'q1' of query '1': 'd1' of type str is not a number",
            ),
            (
                {"q1": ["d1", "d1"]},
                "qrels: document 'd1' of query 'q1' is judged twice; keep one of the two, or choose duplicates='same'",
            ),
            ({"q1": ["d1"], "q2": ["d", 7]}, "qrels: a document id of query 'q2' 7 is of type int; expected a string"),
        ],
    )
    def test_lists_of_relevant_documents_are_refused_as_dictionaries_are(self, judged, message):
        with pytest.raises(InputError, match=re.escape(message)):
            irev.evaluate(judged, RUN, "AP")

    @pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_a_frame_may_have_a_column_of_lists(self, library):
        judged, run = {"1": ["d2", "d1"], "2": ["d3"]}, {"1": ["d4", "d2"], "2": ["d3", "d1"], "3": []}
        qrels = library({"query_id": [1, 2], "relevant_ids": [*judged.values()], "doc_count": [2, 1]})
        results = library({"qid": ["1", "2", "3"], "text": ["a", "b", "c"], "retrieved_ids": [*run.values()]})
        expected = irev.evaluate(judged, run, ["AP", "nDCG@10", "num_ret"]).to_dict()

        assert expected == irev.evaluate(qrels, results, ["AP", "nDCG@10", "num_ret"]).to_dict()
        named = library({"question": ["1", "2"], "good": [*judged.values()]})
        columns = {"qrels:query": "question", "relevant": "good"}
        assert (
            expected["summary"] == irev.evaluate(named, results, ["AP", "nDCG@10", "num_ret"], columns=columns).mean()
        )

    @pytest.mark.parametrize(
        ("frame", "message"),
        [
            (
                pd.DataFrame({"qid": ["q1", "q2"], "results": [["d1"], None]}),
                "run: column 'results' has a value of type ",
            ),
            (pd.DataFrame({"qid": ["q1", "q1"], "results": [["d1"], ["d2"]]}), "run: query 'q1' has two rows; put all"),
            (pd.DataFrame({"qid": ["q1"], "results": [["d1", "d1"]]}), "run: document 'd1' of query 'q1' is retrieved"),
            (
                pd.DataFrame({"qid": ["q1"], "results": ["d1;d2"]}),
                "run, entry 1: query 'q1' has the text 'd1;d2' for a list",
            ),
            (pd.DataFrame({"qid": ["q1"], "results": [[None]]}), "run: a document id of query 'q1' None is of type"),
        ],
    )
    def test_a_column_of_lists_is_refused_where_it_is_wrong(self, frame, message):
        with pytest.raises(InputError, match=re.escape(message)):
            irev.evaluate({"q1": ["d1"]}, frame, "AP")

    @pytest.mark.parametrize("wide", [int, np.int64])
    def test_whole_numbers_in_lists_of_a_frame_are_ids(self, wide):
        frame = pd.DataFrame({"qid": [wide(7)], "results": [[wide(2), wide(1)]]})

        assert {"RR": 0.5} == irev.evaluate({"7": ["1"]}, frame, "RR").mean()

    def test_ids_of_several_queries_may_be_bytes(self):
        run = {"q1": {b"d2": 1.0, b"d1": 0.5}, "q2": {b"d3": 2, b"d1": 1}}
        expected = irev.evaluate(
            QRELS, {q: {d.decode(): s for d, s in of.items()} for q, of in run.items()}, ["AP", "RR"]
        )
        assert expected.per_query == irev.evaluate(QRELS, run, ["AP", "RR"]).per_query
        judged = {"q1": {b"d1": 1, b"d2": 0}, "q2": {b"d3": 2}}
        assert (
            irev.evaluate({q: {d.decode(): s for d, s in of.items()} for q, of in judged.items()}, run, "AP").mean()
            == irev.evaluate(judged, run, "AP").mean()
        )

    def test_a_long_list_keeps_its_order(self):
        documents = [f"d{n}" for n in range(70_000)]
        found = irev.evaluate({"q1": {"d69999": 1, "d5": 1}}, {"q1": documents}, ["RR", "search_length"]).mean()
        assert {"RR": 1 / 6, "search_length": 6.0} == found

    @pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
    @pytest.mark.parametrize("options", [{}, {"order": "rank"}])
    def test_a_frame_with_ranks_and_no_scores_goes_by_its_ranks(self, library, options):
        frame = library({"qid": ["q1", "q1"], "docno": ["b", "a"], "rank": [2, 1]})

        assert {"RR": 1.0} == irev.evaluate({"q1": {"a": 1, "b": 0}}, frame, "RR", **options).mean()
        assert {"RR": 0.5} == irev.evaluate(
            {"q1": {"a": 0, "b": 1}}, irev.read_run(frame, **options), "RR", **options
        ).mean()

    def test_the_rank_column_of_a_frame_may_order(self):
        frame = pd.DataFrame({"qid": ["q1"] * 3, "docno": ["d1", "d2", "d3"], "rank": [3, 1, 2], "score": [9.0, 1, 2]})

        assert {"relstring": {"q1": "'021'"}} == irev.evaluate(QRELS, frame, "relstring", order="rank").texts

    @pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_the_names_that_files_have_win_over_other_usual_names(self, library):
        """A frame may hold the text of the query and other numbers beside what is evaluated."""
        beside = {"query": ["red brick"], "qid": ["7"], "docno": ["d9"], "doc": ["a text"], "rank": [0], "sim": [-1.0]}
        run = library(beside | {"query_id": ["q1"], "doc_id": ["d1"], "score": [9.0]})
        qrels = library(beside | {"label": ["a word"], "query_id": ["q1"], "doc_id": ["d1"], "relevance": [1]})

        assert {"AP": {"q1": 1.0}} == irev.evaluate(qrels, run, "AP").per_query
        chosen = irev.evaluate(qrels, run, "AP", columns={"query": "qid", "document": "docno"})
        assert {"AP": {"7": 1.0}} == chosen.per_query

    def test_judgments_and_runs_may_have_other_names(self):
        qrels = pl.DataFrame({"a": ["q1"], "b": ["d1"], "c": [1]})
        run = pl.DataFrame({"b": ["q1"], "a": ["d1"], "c": [1.0]})
        found = irev.evaluate(
            qrels,
            run,
            "AP",
            columns={
                **{"qrels:query": "a", "qrels:document": "b", "grade": "c"},
                **{"run:query": "b", "run:document": "a", "score": "c"},
            },
        )
        assert {"AP": 1.0} == found.mean()

    def test_columns_may_be_named(self):
        frame = pl.DataFrame({"topic": ["q1"], "answer": ["d1"], "score": [9.0], "sim": [1.0]})
        columns = {"document": "answer", "score": "sim"}

        assert {"P@1": 1.0} == irev.evaluate(QRELS, frame, "P@1", columns=columns).mean()

    def test_the_best_of_repeated_documents_may_count(self):
        run = (["q1"] * 4, ["d2", "d1", "d1", "d3"], [2.0, 1.0, 3.0, 0.0])

        assert {"relstring": {"q1": "'102'"}} == irev.evaluate(QRELS, run, "relstring", duplicates="best").texts
        assert {"relstring": {"q1": "'012'"}} == irev.evaluate(QRELS, run, "relstring", duplicates="first").texts


class TestRefusals:
    """Each says in which argument, of which query and document, and what to do."""

    @pytest.mark.parametrize(
        ("run", "message"),
        [
            ({"q1": {"d1": float("nan")}}, "run: the score of document 'd1' of query 'q1' is not a number"),
            ({"q1": {"d1": "2"}}, "run: the score of document 'd1' of query 'q1': '2' of type str is not a number"),
            (
                {"q1": {"d1": None}},
                "run: the score of document 'd1' of query 'q1': None of type NoneType is not a number",
            ),
            ({"q1": {"d1": 10**400}}, "is too large"),
            ({"q1": {"d1": 1.0, "": 1.0}}, "run: a document id of query 'q1' is empty"),
            ({"q1": {"d\0": 1.0}}, r"run: a document id of query 'q1' 'd\\x00' holds a NUL"),
            ({"q1": {"a": 1.0, 7: 1.0}}, "run: a document id of query 'q1' 7 is of type int; expected a string"),
            ({"q1": {"\ud800": 1.0}}, "cannot be encoded in UTF-8"),
            ({7.0: {"d1": 1.0}}, "run: a query id 7.0 is of type float; expected a string"),
            ({True: {"d1": 1.0}}, "run: a query id True is of type bool; expected a string"),
            ({7: {"d1": 1.0}, "q1": {"d1": 1.0}}, "run: a query id 7 is of type int; expected a string"),
            (
                {"q1": "d1"},
                "run: query 'q1' has a value of type str; expected a dictionary of documents and scores, or a list",
            ),
            ({"q1": ["d1", "d1"]}, "run: document 'd1' of query 'q1' is retrieved twice; keep one"),
            ({"q1": ["d1", ""]}, "run: a document id of query 'q1' is empty"),
            (
                {"q1": ["d1", {"id": "d2"}]},
                "run: a document id of query 'q1' {'id': 'd2'} is of type dict; expected a s",
            ),
            ({}, "run: there are no results"),
            (
                {"other": {"d1": 1.0}},
                "qrels and run have no query in common: .* 'q1' in the judgments and 'other' in the results",
            ),
            ((["q1"], ["d1"]), "run: a tuple of 2; expected three arrays: queries, documents and scores"),
            ((["q1"], ["d1", "d2"], [1.0, 2.0]), "run: lengths differ: the array of queries has 1"),
            ((["q1"] * 2, ["d1"] * 2, [1.0, 2.0]), "run: document 'd1' of query 'q1' is retrieved twice; keep one"),
            ((["q1", "q1"], ["d1", ""], [1.0, 2.0]), "run: the document id of row 1 is empty"),
            ((["q1", ""], ["d1", "d2"], [1.0, 2.0]), "run: the query id of row 1 is empty"),
            ((["q1", "q1"], ["d1", None], [1.0, 2.0]), "row 1 None is of type NoneType; expected a string"),
            ((np.array(["q1"]), np.array([""]), [1.0]), "run: the document id of row 0 is empty"),
            ((np.array(["q1"]), np.array(["a\0b"]), [1.0]), r"the document id of row 0 'a\\x00b' holds a NUL"),
            ((np.array([1.5]), np.array(["a"]), [1.0]), "the array of queries holds float64; expected a column of ids"),
            ((["q1"], ["a"], ["1.0"]), "'1.0' of type str is not a number"),
            ((["q1"], ["a"], np.array(["1.0"])), "run: the array of scores holds <U3; expected a column of numbers"),
            ((["q1"], ["a"], np.array([[1.0]])), "run: the array of scores has 2 dimensions"),
            (([], [], []), "run: there are no results"),
            ((["q1"], ["d1"], [float("nan")]), "run: the score of document 'd1' of query 'q1' is not a number"),
            (
                7,
                "run: this is of type int; expected a path, a nested dictionary, a data frame, or a tuple of three",
            ),
            (np.zeros((2, 2)), "run: this is of type ndarray; .*; irev.top_k takes an array of neighbours"),
            (
                pd.DataFrame({"qid": ["q1"], "docid": [["d1", "d2"]], "score": [[2.0, 1.0]]}),
                r"run: column 'docid' has lists; columns=\{'results': 'docid'\} says that these are documents, best",
            ),
            (
                pa.table({"qid": ["q1"], "doc": [["d1", "d2"]]}),
                r"run: column 'doc' has lists; columns=\{'results': 'doc'\} says that these are documents, best first",
            ),
            (
                types.SimpleNamespace(to_dict=dict),
                r"run: this is of type SimpleNamespace; .* a tuple of three arrays; its to_dict\(\) may be one$",
            ),
            (
                pd.DataFrame({"qid": ["q1"], "topic_id": ["301"], "docid": ["d1"], "score": [1.0]}),
                r"run: columns 'qid' and 'topic_id' could each be the query; columns=\{'run:query': …\} chooses one",
            ),
            (
                pl.DataFrame({"qid": ["q1"], "text": ["d1"], "score": [1.0]}),
                "run: found no document column .* there are 'qid', 'text', 'score'",
            ),
            (
                pd.DataFrame({"qid": ["q1", None], "docid": ["d1", "d2"], "score": [1.0, 2.0]}),
                "run: column 'qid' has no value in row 1; expected an id in every row",
            ),
            (
                pl.DataFrame({"qid": ["q1", "q1"], "docid": ["d1", None], "score": [1.0, 2.0]}),
                "run: column 'docid' has no value in row 1",
            ),
            (
                pa.table({"qid": ["q1", "q1"], "docid": ["d1", "d2"], "score": [1.0, None]}),
                "run: the score of document 'd2' of query 'q1' is not a number",
            ),
            (
                pl.DataFrame({"qid": ["q1", "q1"], "docid": ["d1", "d2"], "score": [1, None]}),
                "run: the score of document 'd2' of query 'q1' is not a number",
            ),
            (pl.LazyFrame({"qid": ["q1"]}), r"run: this is a lazy frame; collect\(\) it first"),
            (pd.DataFrame({"qid": [1.0], "docid": ["d1"], "score": [1.0]}), "column 'qid' holds float64"),
            (pl.DataFrame({"qid": ["q1"], "docid": ["a\0b"], "score": [1.0]}), r"row 0 'a\\x00b' holds a NUL"),
            (pa.table({"qid": ["q1"], "docid": [""], "score": [1.0]}), "the document id of row 0 is empty"),
        ],
    )
    def test_of_a_run(self, run, message):
        with pytest.raises(InputError, match=message):
            irev.evaluate(QRELS, run, "AP")

    @pytest.mark.parametrize(
        ("qrels", "message"),
        [
            ({"q1": {"d1": float("nan")}}, "qrels: the grade nan of document 'd1' of query 'q1' is not a number"),
            ({"q1": {"d1": 2.0**60}}, "is too large; expected at most 2\\^53"),
            ({"q1": {"d1": "1"}}, "qrels: the grade of document 'd1' of query 'q1': '1' of type str is not a number"),
            ({}, "qrels: there are no judgments"),
            ({"q1": {}}, "qrels: there are no judgments"),
            (
                (["q1"] * 2, ["d1"] * 2, [1, 0]),
                "qrels: document 'd1' of query 'q1' is judged twice; keep one of the two, or choose duplicates='max'",
            ),
            (pd.DataFrame({"qid": ["q1"], "docid": ["d1"]}), "qrels: found no grade column"),
            (
                pl.DataFrame({"qid": ["q1"], "doc": [["d1", "d2"]]}),
                r"qrels: column 'doc' has lists; columns=\{'relevant': 'doc'\} says that these are the relevant",
            ),
        ],
    )
    def test_of_judgments(self, qrels, message):
        with pytest.raises(InputError, match=message):
            irev.evaluate(qrels, RUN, "AP")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"ties": "random"}, "'random' is no value of ties; expected one of 'docid-desc'"),
            ({"level": -1}, "-1 is no value of level; expected a number of 0 or more"),
            ({"level": "1"}, "'1' is no value of level; expected a number of 0 or more"),
            ({"depth": 1.5}, "1.5 is no value of depth; expected a whole number of 0 or more"),
            ({"complete": 1}, "1 is no value of complete; expected True or False"),
            ({"queries": "all"}, "'all' is no value of queries"),
            ({"queries": ["q1", "q1"]}, "query 'q1' is listed twice in queries"),
            ({"queries": []}, r"\[\] is no value of queries; expected one query or more"),
            ({"aggregate": "q01"}, "aggregate is part of the name of a measure in Python; write 'AP\\(agg=median\\)'"),
            ({"bounds": True}, "bounds is part of the name of a measure in Python"),
            ({"queries": "run", "complete": True}, "complete=True means queries='qrels'"),
            ({"gains": {-1: 1}}, r"\{-1: 1\} is no value of gains; expected grades of 0 or more"),
            ({"gains": [0, 1]}, "expected a dictionary of grades and gains"),
            (
                {"document_of": "("},
                r"'\(' is no value of document_of; expected a regular expression \(missing \), unte",
            ),
            ({"columns": {"text": "a"}}, "is no value of columns; expected a dictionary of query, document"),
            ({"run_format": 7}, "7 is no value of run_format; expected the name of a format"),
            ({"ties": "average", "judged_only": True, "depth": 3}, "no expected value over ties"),
            ({"order": "rank"}, "run: a dictionary has no ranks"),
        ],
        ids=str,
    )
    def test_of_options(self, options, message):
        with pytest.raises(UsageError, match=message):
            irev.evaluate(QRELS, RUN, "AP", **options)

    def test_of_options_that_are_none(self):
        with pytest.raises(TypeError, match=r"there is no option 'levle'; did you mean 'level'\?"):
            irev.evaluate(QRELS, RUN, "AP", levle=2)

    @pytest.mark.parametrize(
        ("call", "error", "said"),
        [
            (
                lambda: irev.evaluate_runs(QRELS, 7),
                TypeError,
                "expected several runs: a list, or a dictionary",
            ),
            (lambda: irev.fuse(irev.read_run(RUN)), TypeError, "expected several runs: a list, or a dictionary"),
            (lambda: irev.pool(7, depth=1), TypeError, "expected several runs: a list, or"),
            (lambda: irev.curves(QRELS, {"a": RUN}, resources={}), UsageError, "resources is of type dict, and only f"),
            (lambda: irev.evaluate(QRELS, RUN, "AP", depth=np.arange(2)), UsageError, "is no value of depth; expected"),
            (lambda: irev.evaluate(QRELS, RUN, "AP", level=np.ones(2)), UsageError, "is no value of level; expected"),
            (lambda: irev.evaluate(QRELS, RUN, "AP", ties=pd.Series([1])), UsageError, "is no value of ties; expected"),
        ],
    )
    def test_of_values_of_other_types(self, call, error, said):
        with pytest.raises(error, match=said):
            call()

    def test_of_groups_that_are_no_dictionary_of_texts(self):
        found = {"a": irev.evaluate(QRELS, RUN, ["AP"], complete=True)}
        for groups in ("hard", {"q1": 1}, [("q1", "hard")]):
            with pytest.raises(UsageError, match="is no value of groups; expected a dictionary of queries and their"):
                irev.check(found, min={"AP": 0}, groups=groups)

    def test_of_measures_that_are_no_texts(self):
        for measures in (1, None, [1]):
            with pytest.raises(TypeError, match=r"a measure is a string such as 'nDCG@10', not (1|None) of type"):
                irev.evaluate(QRELS, RUN, measures)

    def test_of_queries_that_would_be_left_out(self):
        with pytest.raises(InputError, match="run: it has no results for 'q3'"):
            irev.evaluate(QRELS, RUN, "AP", strict=True)

    def test_of_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(InputError, match="there is no such file"):
            irev.evaluate(tmp_path / "qrels", RUN, "AP")

    def test_are_of_one_kind(self):
        assert issubclass(irev.InputError, irev.IrevError)
        assert issubclass(irev.UsageError, irev.IrevError)


class TestThePage:
    """What docs/python.md says of options that the command line has."""

    def test_names_the_options_that_are_keywords(self):
        page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        said = page.partition("These options of `irev eval` are keywords of the same name: ")[2].partition(". [Grades")[
            0
        ]
        assert set(irev.Options.__annotations__) == set(re.findall(r"`(\w+)`", said))
        assert set(irev.Options.__annotations__) <= {option.name for option in command("eval").params}

    def test_names_what_comparisons_call_otherwise(self):
        known = {option.name for option in command("compare").params}
        assert {*irev.Analysis.__annotations__, "layout", "baseline", "all_pairs"} <= known

    @pytest.mark.parametrize("more", [{}, {"layout": "paper"}])
    def test_comparisons_show_what_the_command_line_shows(self, more):
        """Down to the last sentence, which names the keyword where the command line has an option."""
        files = [
            str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run")
        ]
        flags = [part for name, value in more.items() for part in (f"--{name}", *([] if value is True else [value]))]
        printed = in_process("compare", "-m", "AP", *flags, *files).stdout.decode()
        shown = str(irev.compare(files[0], {Path(file).stem: file for file in files[1:]}, "AP", **more))
        assert printed.rstrip() == shown

    @pytest.mark.parametrize(
        ("flags", "more"), [((), {}), (("--all",), {"everything": True}), (("--top", "2"), {"top": 2})]
    )
    def test_explanations_show_what_the_command_line_shows(self, flags, more, tmp_path):
        judged = {"q1": {f"d{n:02}": n % 2 for n in range(40)}}
        run = {"q1": {f"d{n:02}": -float(n) for n in range(30)}}
        (tmp_path / "qrels").write_bytes(lines(judged, "{query} 0 {document} {value}\n"))
        (tmp_path / "run").write_bytes(lines(run, "{query} Q0 {document} 0 {value} tag\n"))
        files = [str(tmp_path / name) for name in ("qrels", "run")]
        printed = in_process("explain", "--query", "q1", "-m", "AP", *flags, *files).stdout.decode()
        shown = str(irev.explain(*files, "q1", "AP", **more))
        assert printed.rstrip().replace("--all shows", "everything=True shows") == shown

    def test_how_much_is_shown_is_said_once(self):
        with pytest.raises(UsageError, match="top has no effect with everything"):
            irev.explain(QRELS, RUN, "q1", top=3, everything=True)

    def test_a_layout_that_there_is_not_is_refused(self):
        made = {name: irev.evaluate(QRELS, RUN, "AP") for name in "ab"}
        with pytest.raises(UsageError, match="layout"):
            irev.compare(made, layout="screen")
        with pytest.raises(UsageError, match="margin has no effect without layout='tables'"):
            irev.compare(made, layout="paper", margin=0.1)


class TestTheModule:
    def test_costs_nothing_until_it_is_used(self):
        code = (
            "import sys, irev;"
            " print([name for name in ('numpy', 'click', 'typing', 'irev.api') if name in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-S", "-c", code], env=environment(), capture_output=True, text=True)

        assert ("[]\n", "") == (done.stdout, done.stderr)

    @pytest.mark.parametrize("form", ["dictionary", "arrays of str"])
    def test_loads_no_library_of_frames_that_was_not_handed_in(self, form):
        data = {"dictionary": "{'q': {'d': 1}}", "arrays of str": "(['q'], ['d'], [1])"}[form]
        code = (
            f"import sys, irev; irev.evaluate({data}, {data}).to_dict();"
            " print([m for m in ('pandas', 'polars', 'pyarrow', 'click', 'rich') if m in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)

        assert ("[]\n", "") == (done.stdout, done.stderr)

    def test_lists_its_names(self):
        assert set(irev.__all__) <= set(dir(irev))
        assert all(getattr(irev, name) for name in irev.__all__)
        with pytest.raises(AttributeError, match="no attribute 'evalute'"):
            _ = irev.evalute

    def test_is_typed(self):
        assert (Path(irev.__file__).parent / "py.typed").exists()

    def test_the_typed_example_runs(self):
        with redirect_stdout(io.StringIO()) as printed:
            runpy.run_path(str(ROOT / "tests" / "typed_example.py"), run_name="__main__")

        assert [
            "{'old': 0.75, 'new': 0.5}",
            "q1",
            "a drop of at most 2%: fail, at least 0.4: pass",
            "[(b'd1', -1.0)]",
            "{'RR': 0.5, 'AP': 0.5}",
            "the score of document 'd1' of query 'q1' is not a number",
        ] == printed.getvalue().splitlines()


@pytest.mark.filterwarnings("ignore::irev.IrevWarning", "ignore:.*:SyntaxWarning")  # they are not printed
@pytest.mark.parametrize(
    ("page", "examples"),
    [
        ("python.md", 20),
        ("scale.md", 4),
        ("ir_measures.md", 6),
        pytest.param("tutorials/from-ranx.md", 12, marks=pytest.mark.thorough),  # ranx compiles what it computes
    ],
)
def test_the_documentation_shows_what_python_says(monkeypatch, page, examples):
    for package in ("ranx", "ir_measures"):
        if package in page:
            pytest.importorskip(package)
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    # A block of the page ends with its fence, which is no output.
    source = "\n".join("" if line.startswith("```") else line for line in text.split("\n"))
    test = doctest.DocTestParser().get_doctest(source, {}, page, page, 0)
    report = io.StringIO()
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
        test, out=report.write
    )

    assert "" == report.getvalue()
    assert result.attempted > examples


def test_parts_of_a_dictionary_hold_whole_queries():
    """However its queries fall into parts, all are evaluated once."""
    for size in (1, 3, 4, 100):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(in_memory, "ROWS", size)
            assert numbers(irev.evaluate(QRELS, RUN, SOME)) == numbers(irev.evaluate(QRELS, tuple(rows(RUN)), SOME))
    assert len(list(itertools.chain(*rows(RUN)))) == 21


def test_the_json_is_the_record_of_the_command():
    measures = ["num_ret", "AP", "relstring", "nDCG(gain=exp)@5", "SearchLength"]
    asked = [word for measure in measures for word in ("-m", measure)]
    files = str(SAMPLE / "qrels.txt"), str(SAMPLE / "semantic.run")
    done = subprocess.run(
        [sys.executable, "-m", "irev", "-q", "-f", "json", *asked, *files],
        env=environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    expected = json.loads(done.stdout)

    assert expected == json.loads(irev.evaluate(*files, measures).to_json())
    held = irev.read_qrels(files[0]), irev.read_run(files[1])
    assert expected == json.loads(irev.evaluate(*held, measures).to_json()), "what was read before names its files, too"


def test_the_record_of_a_file_that_has_changed_is_refused(tmp_path):
    qrels = str(SAMPLE / "qrels.txt")
    run = tmp_path / "run"
    run.write_bytes((SAMPLE / "semantic.run").read_bytes())
    found = irev.evaluate(qrels, str(run), "AP")
    (judged, _) = json.loads(found.to_json())["inputs"]
    assert ("qrels", qrels) == (judged["role"], judged["name"])
    run.write_bytes(b"")
    with pytest.raises(irev.InputError, match="changed since it was read"):
        found.to_json()


def test_data_in_memory_have_no_files():
    assert [] == json.loads(irev.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP").to_json())["inputs"]


@pytest.fixture(scope="module")
def three():
    files = {name: str(SAMPLE / f"{name}.run") for name in ("hybrid", "keyword", "semantic")}
    return {
        name: irev.evaluate(str(SAMPLE / "qrels.txt"), path, ["AP", "nDCG@10"], complete=True)
        for name, path in files.items()
    }


class TestComparisons:
    def test_are_those_of_the_command(self, three):
        made = irev.compare(three, baseline="keyword", tests=("sign", "t"), margin=0.1, correction="bh")
        options = "-f json --baseline keyword --test sign,t --margin 0.1 --correction bh -m AP -m nDCG@10"
        files = [str(SAMPLE / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run")]
        done = subprocess.run(
            [sys.executable, "-m", "irev", "compare", *options.split(), *files],
            env=environment(),
            stdout=subprocess.PIPE,
            check=True,
        )
        expected = [
            (measure["standard"], each["run"], each["difference"], each["interval"]["low"], each["finding"])
            for measure in json.loads(done.stdout)["measures"]
            for each in measure["contrasts"]
        ]

        found = [
            (compared.measured.quantity.standard, each) for compared in made.compared for each in compared.contrasts
        ]
        assert expected == [(name, each.run, each.difference, each.interval.low, each.finding) for name, each in found]
        adjusted = [
            [test["adjusted"] for test in each["tests"]]
            for measure in json.loads(done.stdout)["measures"]
            for each in measure["contrasts"]
        ]
        assert adjusted == [list(each.adjusted) for _, each in found]

    def test_hold_the_others_against_the_first_run(self, three):
        assert [("hybrid", "keyword"), ("hybrid", "semantic")] == [
            (each.baseline, each.run) for each in irev.compare(three).compared[0].contrasts
        ]

    def test_of_all_pairs_is_corrected_by_the_maximum_t_method(self, three):
        made = irev.compare(three, all_pairs=True)
        assert ("max-t", ("t",)) == (made.correction, made.plan.tests)
        for alone in made.compared[0].contrasts:
            assert alone.effect.interval.low < alone.effect.standardised < alone.effect.interval.high

    def test_may_be_of_all_pairs_by_tukeys_test(self, three):
        made = irev.compare(three, all_pairs=True, correction="tukey")
        assert ("tukey", None, ("randomization",)) == (made.correction, made.baseline, made.plan.tests)
        assert 3 == len(made.compared[0].contrasts)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"baseline": "keywrd"}, "there is no run 'keywrd'; did you mean 'keyword'?"),
            ({"baseline": "keyword", "all_pairs": True}, "baseline has no effect with all_pairs"),
            ({"tests": ()}, "() is no value of tests; expected some of 'bootstrap'"),
            ({"correction": "holmes"}, "'holmes' is no value of correction; did you mean 'holm'?"),
            ({"correction": "tukey", "tests": "t"}, "Tukey's test is made by randomisation here"),
            ({"correction": "max-t", "tests": "sign"}, "the maximum-t method corrects tests of the mean"),
        ],
    )
    def test_refuse_what_there_is_not(self, three, options, message):
        with pytest.raises(irev.UsageError) as refused:
            irev.compare(three, **options)
        assert str(refused.value).startswith(message)

    def test_refuse_an_option_that_there_is_not(self, three):
        with pytest.raises(TypeError, match="there is no option 'test'; did you mean 'tests'"):
            irev.compare(three, test="t")

    def test_take_two_runs_at_least(self, three):
        with pytest.raises(irev.UsageError, match="there is nothing to compare; give at least two runs"):
            irev.compare({"hybrid": three["hybrid"]})


HYBRID, KEYWORD = (str(SAMPLE / f"{name}.run") for name in ("hybrid", "keyword"))
CHECKED = {
    "--min nDCG@10=0.6 --max RR=0.9": {"min": {"nDCG@10": 0.6}, "max": ["RR=0.9"]},
    "--min run:keyword/queries=7": {"min": "run:keyword/queries=7"},
    "--every-query RR>0": {"every_query": "RR>0"},
    "--every-query RR>0 --every-query AP<1": {"every_query": ("RR>0", "AP<1")},
    "--max-drop AP=2% --max-drop RR=0.1": {"max_drop": {"AP": "2%", "RR": 0.1}},
    "--max-drop AP=0.01 --significant 0.2": {"max_drop": {"AP": 0.01}, "significant": 0.2},
    "--max-drop AP=0.01 --significant 0.2 --undecided fail": {
        **{"max_drop": {"AP": 0.01}, "significant": 0.2, "undecided": "fail"},
    },
    "--no-worse-than AP=0.3": {"no_worse_than": {"AP": 0.3}},
    "--max-query-losses AP=2": {"max_query_losses": {"AP": 2}},
    "--max-share-losing AP>0.2=20%": {"max_share_losing": {"AP>0.2": "20%"}},
    "--min group:hard/RR=0.4": {"min": {"group:hard/RR": 0.4}},
}


@pytest.fixture(scope="module")
def measured():
    names = ["AP", "nDCG@10", "RR", "map"]  # one of them twice, by another name
    return {
        name: irev.evaluate(str(SAMPLE / "qrels.txt"), path, names, complete=True)
        for name, path in {"hybrid": HYBRID, "keyword": KEYWORD}.items()
    }


class TestChecks:
    @pytest.mark.parametrize("options", CHECKED)
    def test_are_those_of_the_command(self, tmp_path, measured, options):
        groups = {"q1": "easy", "q2": "hard", "q3": "hard", "q6": "hard"}
        (tmp_path / "groups").write_text("".join(f"{query}\t{group}\n" for query, group in groups.items()))
        given = groups if "group:" in options else None
        grouped = ("--groups", str(tmp_path / "groups")) if given else ()
        files = ("--baseline-run", HYBRID, *grouped, str(SAMPLE / "qrels.txt"), KEYWORD)
        done = in_process("check", *options.split(), *files, "-f", "json")
        expected = json.loads(done.stdout)

        made = irev.check(
            {"keyword": measured["keyword"]},
            baseline=measured["hybrid"],
            groups=groups if grouped else None,
            qrels=SAMPLE / "qrels.txt",
            runs={"keyword": KEYWORD},
            baseline_runs={"hybrid": HYBRID},
            **CHECKED[options],
        )

        found = CheckReport(made).record
        assert (done.status == 0) == made.holds
        for part in ("holds", "headline", "findings", "values", "moved", "notes", "policy"):
            assert expected[part] == found[part], part

    def test_take_a_baseline_that_was_saved(self, tmp_path, measured):
        path = tmp_path / "saved.json"
        status, *_ = in_process(
            *("eval", "-c", "-q", "-m", "AP", str(SAMPLE / "qrels.txt"), HYBRID, "-f", "json", "-o", str(path))
        )
        assert 0 == status
        made = irev.check(
            {"hybrid": measured["hybrid"], "keyword": measured["keyword"]}, baseline=path, max_drop={"AP": 0}
        )
        assert [("keyword", "fail"), ("hybrid", "pass")] == [(each.run, each.state) for each in made.findings]
        assert (
            "It is not known whether the baseline was made with the same judgments.",
            "Judged shares unknown: values alone do not tell them, judgments and runs do.",
        ) == made.notes

    def test_hold_each_run_against_the_one_of_its_name(self, measured):
        swapped = {"hybrid": measured["keyword"], "keyword": measured["hybrid"]}
        made = irev.check(measured, baseline=swapped, max_drop={"AP": 0})
        assert [("keyword", "fail"), ("hybrid", "pass")] == [(each.run, each.state) for each in made.findings]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({}, "no condition is given; add one, for example min='nDCG@10=0.4' or max_drop='AP=0.01'"),
            ({"min": {"RR": "x"}}, "min RR=x: 'x' is not a number"),
            ({"min": 1j}, "1j is no value of min; expected limits such as"),
            ({"every_query": {"RR": 1}}, "{'RR': 1} is no value of every_query; expected texts such as 'RR>0'"),
            ({"min": {"P@5": 1}}, "'hybrid' was not evaluated by P@5"),
            ({"min": {"run:x/RR": 1}}, "min run:x/RR=1: there is no run 'x'"),
            ({"min": {"group:x/RR": 1}}, "min group:x/RR=1: there is no group 'x'"),
            ({"max_drop": {"AP": 0}}, "max_drop has no effect without baseline"),
            ({"min": {"RR": 1}, "undecided": "fail"}, "undecided has no effect without max_drop"),
            ({"no_worse_than": 0.1}, "no_worse_than has no effect without baseline"),
            (
                {"max_query_losses": 1, "undecided": "fail"},
                "max_query_losses has no effect without baseline",
            ),
        ],
    )
    def test_refuse_what_there_is_not(self, measured, options, message):
        with pytest.raises(irev.UsageError) as refused:
            irev.check(measured, **options)
        assert str(refused.value).startswith(message)

    @pytest.mark.parametrize("function", [irev.check, irev.compare])
    def test_refuse_evaluations_without_names(self, measured, function):
        for unnamed in ([*measured.values()], measured["hybrid"], {"hybrid": HYBRID}):
            with pytest.raises(TypeError, match="expected a dictionary of evaluations by the names of their runs"):
                function(unnamed)

    def test_refuse_a_run_that_lost_its_hard_queries_in_silence(self):
        judged, found = {"q0": {"a": 1}, "q1": {"a": 1}}, {"q1": {"a": 2.0}}
        silent = irev.evaluate(judged, found, ["AP"])
        whole = irev.evaluate(judged, {"q0": {"a": 1.0}, **found}, ["AP"])
        for evaluations, baseline in (({"B": silent}, None), ({"A": whole}, {"A": whole, "B": silent})):
            with pytest.raises(irev.UsageError) as refused:
                irev.check(evaluations, baseline=baseline, min={"AP": 0.9})
            assert str(refused.value).startswith(
                "'B' was evaluated without 1 of the judged queries, because it has no results for them;"
            )
            assert "complete=True" in str(refused.value)
        counted = irev.evaluate(judged, found, ["AP"], complete=True)
        assert not irev.check({"B": counted}, min={"AP": 0.9}).holds
        for chosen in ("run", ["q1"]):
            assert irev.check({"B": irev.evaluate(judged, found, ["AP"], queries=chosen)}, min={"AP": 0.9}).holds
        assert irev.check({"A": whole}, min={"AP": 0.9}).holds

    def test_refuse_an_option_that_there_is_not(self, measured):
        with pytest.raises(TypeError, match="there is no option 'max_drops'; did you mean 'max_drop'"):
            irev.check(measured, max_drops={"AP": 0})

    def test_refuse_no_runs_and_runs_that_were_evaluated_otherwise(self, measured):
        with pytest.raises(irev.UsageError, match="there is nothing to check"):
            irev.check({}, min={"RR": 0})
        other = irev.evaluate(str(SAMPLE / "qrels.txt"), HYBRID, ["RR"], complete=True, level=2)
        with pytest.raises(irev.UsageError, match="'baseline' was evaluated with another level than 'hybrid'"):
            irev.check(measured, baseline=other, max_drop={"RR": 0})
        fewer = irev.evaluate(str(SAMPLE / "qrels.txt"), KEYWORD, ["RR"])
        with pytest.raises(irev.UsageError, match="'baseline' was evaluated with another complete than 'hybrid'"):
            irev.check(measured, baseline=fewer, max_drop={"RR": 0})


def test_a_grade_above_the_highest_is_named_with_its_line_where_judgments_are_a_file(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("q1 0 d1 1\nq1 0 d2 3\n")
    run = {"q1": {"d1": 1.0}}
    with pytest.raises(
        irev.InputError, match=f"{path}:2: the grade 3 is too high: the highest grade that measure 'err' allows is 2"
    ):
        irev.evaluate(path, run, ["ERR(gmax=2)"])
    with pytest.raises(irev.UsageError, match="a grade of 3 is above the highest grade 2 of measure 'err'"):
        irev.evaluate({"q1": {"d1": 1, "d2": 3}}, run, ["ERR(gmax=2)"])


@pytest.mark.parametrize(("form", "kind"), [("subtopics", "subtopics"), ("prefs", "preferences")])
def test_a_format_of_other_judgments_is_refused_for_grades_in_memory(form, kind):
    """Which were read as grades, whatever the format said that they were."""
    with pytest.raises(UsageError, match=f"^qrels_format='{form}' is for judgments of {kind}, but those in memory are"):
        irev.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, ["AP"], qrels_format=form)
    assert {"AP": 1.0} == irev.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, ["AP"], qrels_format="trec").mean()


def test_a_judged_query_that_a_run_lacks_counts_where_runs_are_made_comparable():
    """What docs/tutorials/from-ranx.md says of ranx's make_comparable."""
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    lacking, whole = {"q1": {"d1": 1.0}}, {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}

    assert {"q1": 1.0} == irev.evaluate(qrels, lacking, ["AP"]).per_query["AP"]
    assert {"q1": 1.0, "q2": 0.0} == irev.evaluate(qrels, lacking, ["AP"], complete=True).per_query["AP"]
    runs = {"lacking": lacking, "whole": whole}
    assert 0.5 == irev.compare(qrels, runs, ["AP"]).compared[0].contrasts[0].difference
    assert 0.0 == irev.compare(qrels, runs, ["AP"], both=True).compared[0].contrasts[0].difference


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_library_that_another_thread_imports_is_no_error(monkeypatch, library):
    """Its module is there, and lacks most names."""
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "c": 2.0}}
    columns = [np.array(["q", "q"]), np.array(["a", "c"]), np.array([1.0, 2.0])]
    expected = irev.evaluate(qrels, run, "AP").mean()
    monkeypatch.setitem(sys.modules, library, types.ModuleType(library))
    for data in (run, tuple(columns), tuple(map(list, columns))):
        assert expected == irev.evaluate(qrels, data, "AP").mean()
