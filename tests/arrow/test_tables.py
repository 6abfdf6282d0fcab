"""Tables of Arrow, cut by query into as many as one likes: the numbers of `irev.evaluate`, to the last bit, of each
query and of all; and what is refused, which does not depend on the order of rows."""

import ast
import pickle
import random
import re

import numpy as np
import pyarrow as pa
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from kinds import OF_GRADES
from tables import CHOICES, TEXTS, evaluated, qrels_of, random_rows, run_of, table

import irev
from irev import arrow
from irev.base import workers
from irev.base.errors import RowError, UsageError
from irev.base.settings import Settings
from irev.measures import MEASURES, parse
from irev.reading.fields import GRADES
from irev.reading.formats import JUDGMENTS


def in_parts(rows, bucket, count: int):
    """The rows of each bucket."""
    return [[row for row in rows if bucket[row[0]] == number] for number in range(count)]


def pieced(judged, retrieved, measures, count: int, seed: int = 0, **options):
    """Values of queries and of all, by way of so many tables, into which queries are cut at random."""
    chance = random.Random(seed)
    bucket = {row[0]: chance.randrange(count) for row in (*judged, *retrieved)}
    parts = list(zip(in_parts(retrieved, bucket, count), in_parts(judged, bucket, count), strict=True))
    facts = sum((arrow.qrels_facts(qrels_of(part), **options) for _, part in parts), arrow.QrelsFacts())
    made = [arrow.evaluate_tables(run_of(r), qrels_of(j), measures, facts=facts, **options) for r, j in parts]
    values = pa.concat_tables(made).sort_by("query")
    assert arrow.per_query_schema(measures, facts=facts, **options) == values.schema
    fold = arrow.Fold(measures, facts=facts, **options)
    for begin in range(0, values.num_rows, 7):
        fold.add(values.slice(begin, 7))
    return values, fold


def assert_equal(expected: irev.Evaluation, values: pa.Table, fold: arrow.Fold) -> None:
    assert list(expected.queries) == values.column("query").to_pylist()
    for name, of_queries in {**expected.per_query, **expected.texts}.items():
        assert repr(list(of_queries.values())) == repr(values.column(name).to_pylist()), name
    assert repr(expected.mean()) == repr(fold.mean())


@pytest.mark.parametrize(("choice", "count"), [*((choice, 7) for choice in CHOICES), ("none", 1), ("none", 200)])
@pytest.mark.thorough
def test_every_measure_is_the_same_however_queries_are_cut_into_tables(choice, count):
    judged, retrieved, measures, options, expected = evaluated(choice)
    assert len(measures) > 50
    assert_equal(expected, *pieced(judged, retrieved, measures, count, **options))


IDS = st.one_of(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1), st.just("q"))
ROWS = st.dictionaries(st.tuples(IDS, IDS), st.tuples(st.integers(-1, 3), st.sampled_from([1.0, 0.5, -1e300, 1e-300])))


@pytest.mark.filterwarnings("ignore:.*every judged document counts as relevant")
@pytest.mark.thorough
@given(ROWS, ROWS, st.integers(1, 5), st.sampled_from(["both", "qrels", "run"]), st.randoms(use_true_random=False))
def test_any_tables_cut_anyhow_give_the_numbers_of_the_whole(first, second, count, queries, chance):
    judged = [(*row, grade) for row, (grade, _) in first.items()] + [("q", "d", 1)] * (("q", "d") not in first)
    retrieved = [(*row, score) for row, (_, score) in second.items()] + [("q", "d", 1.0)] * (("q", "d") not in second)
    chance.shuffle(retrieved)
    measures = ["official", "INST", "num_q"]
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), measures, queries=queries)
    assert_equal(expected, *pieced(judged, retrieved, measures, count, seed=chance.random(), queries=queries))


LONG_DICTIONARY = pa.dictionary(pa.int32(), pa.large_string())
KINDS = [*(pa.string(), pa.large_string(), pa.string_view()), LONG_DICTIONARY]
KINDS += [pa.binary(), pa.large_binary(), pa.binary_view()]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_ids_of_every_type_are_the_same_ids(kind):
    judged, retrieved = random_rows(2, 20)
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), ["AP", "nDCG@10"])
    retyped = [
        data.cast(pa.schema([("query_id", kind), ("doc_id", kind), (data.column_names[2], pa.float32())]))
        if "dictionary" not in str(kind)
        else pa.table([data[0].dictionary_encode(), data[1].dictionary_encode(), data[2]], names=data.column_names)
        for data in (run_of(retrieved), qrels_of(judged))
    ]
    chunked = [pa.concat_tables([data.slice(0, 5), data.slice(5, 0), data.slice(5)]) for data in retyped]
    found = arrow.evaluate_tables(*chunked, ["AP", "nDCG@10"])
    assert (pa.binary() if "binary" in str(kind) else pa.string()) == found.schema.field("query").type
    queries = [query if isinstance(query, bytes) else query.encode() for query in found.column("query").to_pylist()]
    assert [query.encode() for query in expected.queries] == queries
    assert list(expected.per_query["AP"].values()) == found.column("AP").to_pylist()


def test_whole_numbers_are_ids_of_their_digits_whatever_their_width():
    texts = [("9", "10", 1), ("9", "-3", 2), ("10", "7", 1)], [("9", "-3", 1.0), ("9", "10", 1.0), ("10", "7", 1.0)]
    whole = [[(int(query), int(document), number) for query, document, number in rows] for rows in texts]
    expected = irev.evaluate(qrels_of(texts[0]), run_of(texts[1]), ["AP", "nDCG"])
    found = arrow.evaluate_tables(run_of(whole[1], pa.int8()), qrels_of(whole[0], pa.int64()), ["AP", "nDCG"])
    assert ["10", "9"] == found.column("query").to_pylist()
    assert list(expected.per_query["nDCG"].values()) == found.column("nDCG").to_pylist()


def test_a_record_batch_does_as_a_table():
    judged, retrieved = random_rows(3, 9)
    batches = [data.combine_chunks().to_batches()[0] for data in (run_of(retrieved), qrels_of(judged))]
    expected = arrow.evaluate_tables(run_of(retrieved), qrels_of(judged), "AP")
    assert expected == arrow.evaluate_tables(*batches, "AP")


def test_ids_that_are_no_utf8_are_ids_in_columns_of_bytes():
    run = table([(b"\xff", b"\xfe", 1.0)], "score", pa.binary())
    qrels = table([(b"\xff", b"\xfe", 1)], "relevance", pa.binary())
    found = arrow.evaluate_tables(run, qrels, "AP")
    assert [(b"\xff", 1.0)] == list(zip(*(column.to_pylist() for column in found.columns), strict=True))
    fold = arrow.Fold("AP")
    fold.add(found)
    assert {"AP": 1.0} == fold.mean()


# What depends on more than the rows that are there.


@pytest.mark.parametrize("measure", [*OF_GRADES, *TEXTS, "nDCG(bound=low)"])
def test_a_measure_that_needs_facts_is_refused_by_name_without_and_no_other_one_changes_with_them(measure):
    judged, retrieved = random_rows(4, 12)
    data = run_of(retrieved), qrels_of([(*row[:2], max(row[2], 0) > 0) for row in judged])
    data = data[0], pa.table([*data[1].columns[:2], data[1][2].cast(pa.int64())], names=data[1].column_names)
    options = {"collection_size": 1000}
    values = [
        arrow.evaluate_tables(*data, measure, facts=arrow.QrelsFacts(9, 99, 9, highest), **options)
        for highest in (1.0, 1.0 if "nDCG" in measure else 4.0)
    ]
    needed = values[0] != values[1] or "nDCG(bound" in measure
    if not needed:
        assert values[0] == arrow.evaluate_tables(*data, measure, **options)
        return
    with pytest.raises(
        irev.UsageError, match=r"needs the highest grade of all judgments.*facts=irev\.arrow\.qrels_facts"
    ):
        arrow.evaluate_tables(*data, measure, **options)
    assert "auto" in measure or "bound" in measure or "max_rel" in OF_GRADES[measure].options


def test_averages_over_all_judged_queries_are_refused_without_their_number():
    with pytest.raises(irev.UsageError, match="needs the number of judged queries; pass facts"):
        arrow.Fold("AP", complete=True)


def test_listed_queries_are_refused_by_name():
    with pytest.raises(irev.UsageError, match="cannot be evaluated for listed queries; leave out the rows"):
        arrow.evaluate_tables(run_of([]), qrels_of([]), "AP", queries=["q1"])


def test_queries_without_a_relevant_document_are_left_out_by_whoever_has_all_rows():
    remedy = "leave out the judgments of such queries, and choose queries='qrels'"
    with pytest.raises(irev.UsageError, match=f"also for those without a relevant document; {remedy}"):
        arrow.evaluate_tables(run_of([]), qrels_of([]), "AP", queries="relevant")
    judged = [("a", "d", 1), ("b", "d", 0), ("c", "d", 2)]
    retrieved = [("a", "d", 1.0), ("b", "d", 1.0)]
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), ["AP", "num_q"], queries="relevant")
    _, fold = pieced([judged[0], judged[2]], retrieved, ["AP", "num_q"], 1, queries="qrels")
    assert {"AP": 0.5, "num_q": 2} == expected.mean() == fold.mean()


def test_facts_of_parts_add_up_to_those_of_the_whole():
    judged, _ = random_rows(5)
    bucket = {row[0]: len(row[0]) % 2 for row in judged}
    whole = arrow.qrels_facts(qrels_of(judged))
    first, second = (arrow.qrels_facts(qrels_of(part)) for part in in_parts(judged, bucket, 2))
    assert whole == first + second
    positive = sum(grade > 0 for _, _, grade in judged)
    assert arrow.QrelsFacts(len(bucket), len(judged), positive, 3.0) == whole
    assert arrow.QrelsFacts() == arrow.qrels_facts(qrels_of([]))
    assert -1.0 == arrow.qrels_facts(qrels_of([("q", "d", -1)])).highest_grade
    assert 0.0 == arrow.qrels_facts(qrels_of([("q", "d", -1)]), negative="nonrelevant").highest_grade


# The order of rows.

ORDERED = [{"order": "file"}, {"ties": "file"}, {"duplicates": "first"}]


@pytest.mark.parametrize("options", ORDERED, ids=str)
def test_what_goes_by_the_order_of_rows_needs_a_column_that_has_it(options):
    judged, retrieved = random_rows(6, 9)
    if "duplicates" in options:
        retrieved += [(*row[:2], row[2] + 1) for row in retrieved[::3]]
    ((name, word),) = options.items()
    with pytest.raises(irev.UsageError, match=f"{name}='{word}' depends on the order of rows.*order_column="):
        arrow.evaluate_tables(run_of(retrieved), qrels_of(judged), "AP", **options)
    expected = irev.evaluate(qrels_of(judged), run_of(retrieved), ["AP", "RR"], **options)
    ordered = run_of(retrieved).append_column("row", [list(range(100, 100 + len(retrieved)))])
    shuffled = ordered.take(random.Random(0).sample(range(len(retrieved)), len(retrieved)))
    found = arrow.evaluate_tables(shuffled, qrels_of(judged), ["AP", "RR"], order_column="row", **options)
    assert list(expected.per_query["AP"].values()) == found.column("AP").to_pylist()
    assert list(expected.per_query["RR"].values()) == found.column("RR").to_pylist()


def test_an_order_that_nothing_looks_at_is_refused():
    with pytest.raises(irev.UsageError, match="order_column has no effect"):
        arrow.evaluate_tables(run_of([]), qrels_of([]), "AP", order_column="row")


def test_rows_of_a_query_at_one_place_are_refused_whatever_their_order():
    rows = [("q", "a", 1.0), ("p", "c", 1.0), ("q", "b", 2.0)]
    places = pa.chunked_array([[1, 1, 1]])
    data = run_of(rows).append_column("row", places)
    messages = set()
    for order in ([0, 1, 2], [2, 1, 0]):
        with pytest.raises(RowError, match="another row of the query has its order, 1") as caught:
            arrow.evaluate_tables(data.take(order), qrels_of([("q", "a", 1)]), "AP", ties="file", order_column="row")
        messages.add(caught.value.query)
    assert {b"q"} == messages


# Faults.

FAULTS = {
    "null query": ((None, "d", 1), "E113", "the query is null"),
    "null document": (("p", None, 1), "E113", "the document is null"),
    "empty id": (("p", "", 1), "E110", "the document id is empty"),
    "NUL": (("p", "a\0b", 1), "E110", "the document id holds a NUL"),
    "null number": (("p", "d", None), "E113", "the (grade|score) is null"),
    "no number": (("p", "d", float("nan")), "E10[25]", "the (grade|score) nan is not a number"),
    "twice": (("r", "d1", 1), "E103", "the document is (judged|retrieved) again"),
}


@pytest.mark.parametrize("which", ["relevance", "score"])
@pytest.mark.parametrize("fault", FAULTS)
def test_the_least_row_that_is_wrong_is_named_whatever_the_order_of_rows(fault, which):
    row, code, fact = FAULTS[fault]
    good = [("r", f"d{number}", 1.0) for number in range(5)]
    worse = [row, ("s", "d", float("nan")), ("t", "d", 1.0), ("t", "d", 1.0)]
    messages = set()
    for seed in range(5):
        rows = random.Random(seed).sample([*good, *worse], 9)
        data = {"relevance": good, "score": good} | {which: rows}
        with pytest.raises(RowError, match=fact) as caught:
            arrow.evaluate_tables(run_of(data["score"]), qrels_of(data["relevance"]), "AP")
        assert re.fullmatch(code, caught.value.code)
        assert code[:3] in str(caught.value)
        assert ((row[0] or "").encode(), (row[1] or "").encode()) == (caught.value.query, caught.value.document)
        messages.add(str(caught.value))
    assert 1 == len(messages)


@pytest.mark.parametrize(
    ("grade", "options", "code"),
    [(-1, {"negative": "error"}, "E106"), (2.0**53 + 2, {}, "E102"), (float("inf"), {}, "E102")],
)
def test_grades_that_are_none_have_the_codes_of_files(grade, options, code):
    with pytest.raises(RowError) as caught:
        arrow.evaluate_tables(run_of([("q", "d", 1.0)]), qrels_of([("q", "d", grade)]), "AP", **options)
    assert code == caught.value.code
    with pytest.raises(RowError):
        arrow.qrels_facts(qrels_of([("q", "d", grade)]), **options)


def test_a_message_about_a_row_says_table_query_and_document():
    with pytest.raises(RowError) as caught:
        arrow.evaluate_tables(run_of([("q\x1b", "d", float("nan"))]), qrels_of([("q", "d", 1)]), "AP")
    expected = r"run, query 'q\x1b', document 'd': the score nan is not a number (E105); expected a number"
    assert expected == str(caught.value)
    assert expected == str(pickle.loads(pickle.dumps(caught.value)))


def test_scores_may_be_infinite_as_in_frames():
    run = run_of([("q", "d1", float("inf")), ("q", "d2", float("-inf"))])
    assert [1.0] == arrow.evaluate_tables(run, qrels_of([("q", "d1", 1)]), "RR").column("RR").to_pylist()


@pytest.mark.parametrize("missing", ["query_id", "doc_id", "score"])
def test_columns_that_are_missing_are_named_also_where_there_are_no_rows(missing):
    for rows in ([], [("q", "d", 1.0)]):
        with pytest.raises(irev.InputError, match="run: found no"):
            arrow.evaluate_tables(run_of(rows).drop_columns([missing]), qrels_of([("q", "d", 1)]), "AP")


def test_columns_may_have_other_names_and_must_have_the_right_types():
    run = run_of([("q", "d", 1.0)]).rename_columns(["a", "b", "c"])
    columns = {"run:query": "a", "run:document": "b", "run:score": "c"}
    found = arrow.evaluate_tables(run, qrels_of([("q", "d", 1)]), "AP", columns=columns)
    assert [1.0] == found.column("AP").to_pylist()
    run = run.append_column("d", run.column("a"))
    for swapped in ({**columns, "run:score": "d"}, {**columns, "run:query": "c", "run:score": "d"}):
        with pytest.raises(irev.InputError, match=r"run: column '[cd]' holds (string|double); expected a column of"):
            arrow.evaluate_tables(run, qrels_of([]), "AP", columns=swapped)
    with pytest.raises(irev.UsageError, match="one column is given for two roles: query=a,document=b,score=a"):
        arrow.evaluate_tables(run, qrels_of([]), "AP", columns={**columns, "run:score": "a"})


def test_what_is_no_table_is_refused():
    with pytest.raises(irev.InputError, match=r"run: this is of type dict; expected a pyarrow\.Table or RecordBatch"):
        arrow.evaluate_tables({}, qrels_of([]), "AP")


def test_values_that_come_out_of_order_are_not_folded():
    values = pa.table({"query": ["b", "a"], "AP": [1.0, 0.5]})
    for tables in ([values], [values.slice(0, 1), values.slice(1)], [values.slice(0, 1)] * 2):
        fold = arrow.Fold("AP")
        *before, last = tables
        for each in before:
            fold.add(each)
        with pytest.raises(irev.InputError, match="comes after 'b'; sort them by the bytes of the query"):
            fold.add(last)
    with pytest.raises(irev.InputError, match="there is no column 'RR'; there are query, AP"):
        arrow.Fold("RR").add(values.slice(0, 1))


# Arithmetic that depends on the machine.


def test_a_worker_that_computes_otherwise_is_refused_with_both_versions(monkeypatch):
    data = run_of([("q", "d", 1.0)]), qrels_of([("q", "d", 1)])
    same = arrow.arithmetic()
    assert [1.0] == arrow.evaluate_tables(*data, "AP", arithmetic=same).column("AP").to_pylist()
    assert same != arrow.arithmetic(ties="average")
    monkeypatch.setattr(workers, "__version__", "9.9")
    with pytest.raises(irev.UsageError, match=r"this worker has irev 9\.9, numpy .* the main process has irev 0\."):
        arrow.evaluate_tables(*data, "AP", arithmetic=same)


def test_a_last_bit_that_differs_is_another_arithmetic(monkeypatch):
    settings = Settings(ties="average")
    here = workers.arithmetic_of(settings)
    exp = np.exp
    monkeypatch.setattr(np, "exp", lambda values: np.nextafter(exp(values), 2.0))
    workers._digest.cache_clear()
    assert here != workers.arithmetic_of(settings)
    monkeypatch.undo()
    workers._digest.cache_clear()


@pytest.mark.thorough
def test_functions_of_numpy_that_differ_between_processors_make_expected_values_alone():
    """`arithmetic` compares them for ties='average' only, so that no other value may be made of them."""
    unsteady = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "power", "float_power", "sin", "cos", "tanh"}
    found = set()
    for path in [*ROOT.glob("irev/measures/**/*.py"), *ROOT.glob("irev/ranking/*.py"), *ROOT.glob("irev/base/*.py")]:
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                of_numpy = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "np" and node.attr in unsteady
                product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
                dot = isinstance(node, ast.Attribute) and node.attr in {"dot", "matmul", "einsum", "vdot", "inner"}
                if of_numpy or product or dot:
                    found.add(f"{path.stem}.{function.name}")
    # The last is what is compared.
    expected = {"expected_over_ties.chances", "expected_over_ties.expected_at", "workers._digest"}
    assert expected == found


KINDS = {name: form.kind.name for name, form in JUDGMENTS.items() if form.kind.name != GRADES}


@pytest.mark.parametrize("name", KINDS)
def test_judgments_of_more_than_grades_are_refused_by_name(name):
    """Their measures, and their formats, which would be passed over."""
    run, judged = run_of([("q", "d", 1.0)]), qrels_of([("q", "d", 1)])
    with pytest.raises(
        UsageError, match=f"qrels_format='{name}' is for judgments of {KINDS[name]}, but those in tables"
    ):
        arrow.evaluate_tables(run, judged, "AP", qrels_format=name)
    for of_kind in [each for each, measure in MEASURES.items() if measure.of == KINDS[name]]:
        first = parse([of_kind])[0].label
        with pytest.raises(UsageError, match=f"needs judgments of {KINDS[name]}, and those in tables") as refused:
            arrow.evaluate_tables(run, judged, first)
        assert "write them to a file, and evaluate that" == refused.value.remedy


def test_costs_are_refused_by_name():
    for refusing in (
        lambda: arrow.evaluate_tables(
            run_of([("q", "d", 1.0)]), qrels_of([("q", "d", 1)]), "TBG(max_rel=1)", costs={"a": 1}
        ),
        lambda: arrow.per_query_schema("TBG(max_rel=1)", costs={"a": 1}),
    ):
        with pytest.raises(UsageError, match="tables have no element types, which costs need"):
            refusing()
