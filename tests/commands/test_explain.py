"""``irev explain``: the full ranking of a query, and terms that add up to the printed value, for every measure."""

import contextlib
import csv
import io
import json
import math
import random
from pathlib import Path

import pytest
import reference
from conftest import ROOT
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from outcomes import refused
from schema import faults
from test_against_reference import files, options
from test_properties import EVERY

import irev
import irev as package
from irev.base.errors import UsageError
from irev.base.settings import Settings
from irev.commands.explain.answer import explain
from irev.evaluation.scores import evaluate
from irev.measures import parse
from irev.measures.request import of_single_queries
from irev.ranking import full
from irev.reading import qrels
from irev.reading.lists import KEPT, read_texts
from irev.reading.sources import Source

SAMPLE = ROOT / "sample_data"
FILES = (str(SAMPLE / "qrels.txt"), str(SAMPLE / "semantic.run"))


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """``kept(judged, retrieved, queries, **choices)`` ranks a run and keeps queries whole: `Ranked`, and a dict."""
    folder = tmp_path_factory.mktemp("explained")

    def kept(judged: bytes, retrieved: bytes, wanted, **choices):
        (folder / "qrels").write_bytes(judged)
        (folder / "run").write_bytes(retrieved)
        chosen = Settings(**{"collection_size": 1000, **choices})
        with Source(str(folder / "qrels")) as first, Source(str(folder / "run")) as second:
            judgments = qrels.read(first, chosen)
            ranked, _, _, whole = full.rank_keeping(judgments, second, chosen, wanted)
            second.rewind()
            again = full.keep(judgments, second, chosen, wanted)
        assert [as_rows(each) for each in whole.values()] == [as_rows(each) for each in again.values()]
        return ranked, whole

    return kept


@pytest.fixture(scope="session")
def explained(kept):
    """``explained(judged, retrieved, query, measures, **choices)`` is the `Explanation` of one query."""

    def explained(judged: bytes, retrieved: bytes, query: bytes, measures, **choices):
        requests = of_single_queries(parse(measures) if isinstance(measures[0], str) else measures)
        ranked, whole = kept(judged, retrieved, {query}, queries=(query,), **choices)
        return explain(ranked, whole[query], requests)

    return explained


def as_rows(whole) -> list[tuple]:
    """Document, grade and tie at each rank."""
    ties = zip(whole.tie_first.tolist(), whole.tie_last.tolist(), strict=True)
    known = [None if math.isnan(grade) else grade for grade in whole.grade.tolist()]
    return list(zip(whole.documents, known, ties, strict=True))


# The full ranking


def rows_of_reference(retrieved, grades, given) -> list[tuple]:
    """The same, slowly."""
    single = given.compat == "9.0.8" and given.order == "score"
    value = {name: reference.as_float32(each) if single else each for name, each in retrieved.items()}
    order = reference.rank(retrieved, given)
    alike = [[i for i, other in enumerate(order, 1) if value[other] == value[name]] for name in order]
    rows = [(name, grades.get(name), (ranks[0], ranks[-1])) for name, ranks in zip(order, alike, strict=True)]
    rows = rows[: given.depth]
    if given.judged_only:
        rows = [row for row in rows if row[1] is not None and row[1] >= 0]
        alike = [[i for i, other in enumerate(rows, 1) if other[2][0] == row[2][0]] for row in rows]
        rows = [(*row[:2], (ranks[0], ranks[-1])) for row, ranks in zip(rows, alike, strict=True)]
    return rows


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@settings(max_examples=150)
@given(data=st.data())
@pytest.mark.thorough
def test_a_full_ranking_is_that_of_the_reference_under_any_options(kept, compat, data):
    wanted = data.draw(options(compat))
    made = data.draw(files(compat=compat, repeats=wanted.duplicates != "error"))
    try:
        judgments, (run, _) = reference.read_qrels(made.qrels, wanted), reference.read_run(made.run, wanted)
    except reference.Refused:
        assume(False)
    names = ("level", "depth", "judged_only", "compat", "order", "ties", "duplicates", "negative", "drop_self")

    # Listed queries count, whether or not a file has them; one that both have is needed.
    queries = (*sorted({*judgments, *run}), b"nowhere")
    assume(judgments.keys() & run.keys())
    ranked, whole = kept(
        made.qrels, made.run, queries, queries=queries, **{name: getattr(wanted, name) for name in names}
    )

    for place, query in enumerate(ranked.queries):
        expected = rows_of_reference(run.get(query, {}), judgments.get(query, {}), wanted)
        assert expected == as_rows(whole[query])

        # What measures see of it are the judged documents at the same ranks.
        mine = ranked.owner == place
        hits = [
            (rank, grade, (first, last))
            for rank, grade, first, last in zip(
                *(getattr(ranked, name)[mine].tolist() for name in ("rank", "grade", "tie_first", "tie_last")),
                strict=True,
            )
        ]
        assert hits == [(rank, *row[1:]) for rank, row in enumerate(expected, 1) if row[1] is not None]
        assert ranked.retrieved[place] == len(expected)
        judged = judgments.get(query, {})
        assert sorted(judged.items()) == sorted(
            zip(whole[query].judged, whole[query].judged_grade.tolist(), strict=True)
        )
        assert ranked.judged_grade[ranked.judged_owner == place].tolist() == whole[query].judged_grade.tolist()


def test_under_average_ties_a_cut_keeps_whatever_may_stand_before_it(kept):
    run = b"".join(b"q Q0 %b 1 %d t\n" % row for row in [(b"a", 5), (b"b", 4), (b"c", 4), (b"d", 4), (b"e", 3)])
    ranked, whole = kept(b"q 0 a 1\nq 0 b 1\n", run, {b"q"}, ties="average", depth=2)

    assert [b"a", b"d", b"c", b"b"] == list(whole[b"q"].documents)
    assert [1, 4] == ranked.rank.tolist()


def test_scores_are_kept_as_they_are_written(kept):
    run = b"q Q0 a 1 0.10 t\nq Q0 b 2 1e-3 t\nq Q0 c 3 0.3000000000000000000001 t\n"
    for order, expected in (
        ("score", [b"0.3000000000000000000001", b"0.10", b"1e-3"]),
        ("rank", [b"0.10", b"1e-3", b"0.3000000000000000000001"]),
    ):
        _, whole = kept(b"q 0 a 1\n", run, {b"q"}, order=order)
        assert expected == list(whole[b"q"].scores)


def test_a_format_without_scores_has_the_ranks_in_their_place(kept):
    _, whole = kept(b"q 0 a 1\n", b"q\ta\t2\nq\tb\t1\n", {b"q"}, run_format="msmarco")

    assert [b"1", b"2"] == list(whole[b"q"].scores)


def test_chosen_queries_are_found_in_every_block_of_a_large_and_of_a_scattered_file(kept, monkeypatch):
    rows = [(b"q%d" % (n % 50), b"d%d" % n, n * 7919 % 1000) for n in range(2000)]
    judged = b"".join(b"%b 0 %b 1\n" % row[:2] for row in rows[::3])
    chosen = {b"q3": None, b"q49": None, b"q0": None}
    expected = {
        query: [
            document for _, document, _ in sorted((row for row in rows if row[0] == query), key=lambda r: (-r[2], r[1]))
        ]
        for query in chosen
    }
    monkeypatch.setattr("irev.reading.chunks.SIZE", 1 << 12)
    for arranged in (rows, sorted(rows)):
        run = b"".join(b"%b Q0 %b 1 %d t\n" % row for row in arranged)
        _, whole = kept(judged, run, chosen, ties="docid-asc")
        assert expected == {query: list(each.documents) for query, each in whole.items()}


# Terms add up


GRADES = (b"-1", b"0", b"0", b"1", b"1", b"2", b"3")


def random_files(seed: int, tied: bool = True) -> tuple[bytes, bytes]:
    """Judgments and a run of one query, with unjudged documents, negative grades, ties, and some never retrieved."""
    chance = random.Random(seed)
    documents = [b"d%02d" % number for number in range(chance.choice((1, 4, 12, 30)))]
    judged = [name for name in documents if chance.random() < 0.6] + [b"m1", b"m2", b"m3"][: chance.randrange(4)]
    judged = judged or [b"m1"]
    scores = range(6) if tied else range(100)
    return (
        b"".join(b"q 0 %b %b\n" % (name, chance.choice(GRADES)) for name in judged) + b"other 0 x 3\n",
        b"".join(b"q Q0 %b 1 %d t\n" % (name, chance.choice(scores)) for name in documents) + b"other Q0 x 1 1 t\n",
    )


SUMS = 60
"""At least so many of the requests are sums over ranks: far fewer would mean that the table lost them."""


@pytest.fixture(scope="session")
def single(kept):
    """All requests of the table with a value for a query, but for options that contradict others or the grades."""
    ranked, whole = kept(b"q 0 a 3\n", b"q Q0 a 1 1 t\n", {b"q"}, queries=(b"q",))
    allowed = []
    for request in EVERY:
        if request.measure.per_query and not (request.aggregate or request.bound):
            with contextlib.suppress(UsageError):
                explain(ranked, whole[b"q"], [request])
                allowed.append(request)
    return list(dict.fromkeys(allowed))


def same(a: object, b: object) -> bool:
    """Equal to the last bit; what is not a number is like what is not a number."""
    return a == b or (a != a and b != b)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"judged_only": True},
        {"depth": 3},
        {"depth": 5, "judged_only": True},
        {"level": 2.0},
        {"gains": ((0.0, 0.5), (1.0, 1.5), (2.0, 4.0), (3.0, 2.0))},
        {"compat": "9.0.8"},
    ],
    ids=str,
)
def test_terms_add_up_to_the_value_from_left_to_right_for_every_measure_that_is_a_sum(explained, single, choices):
    sums = set()
    for seed in range(5):
        found = explained(*random_files(seed), b"q", single, **choices)
        for each in found.measures:
            if each.sum is None:
                continue
            sums.add(each.request)
            total = 0.0
            for term in each.sum.terms:
                total += term.value
                assert same(total, term.so_far)
            over, times = each.sum.over, each.sum.times
            value = times * total / over if over else 0.0
            assert same(value, each.value), (each.request.label, seed)
            assert same(value, each.sum.value)
            assert all(1 <= term.rank <= len(each.whole) for term in each.sum.terms), each.request.label
    assert len(sums) >= SUMS


@pytest.mark.thorough
def test_expected_values_over_ties_are_sums_of_their_terms_too(kept, single):
    expected = [request for request in single if callable(request.measure.expected) and not request.judged_only]
    sums = set()
    for seed in range(8):
        ranked, whole = kept(*random_files(seed), {b"q"}, queries=(b"q",), ties="average")
        for each in explain(ranked, whole[b"q"], expected).measures:
            if each.sum is not None:
                sums.add(each.request)
                assert same(each.sum.value, each.value), (each.request.label, seed)
                assert all(1 <= term.rank <= len(each.whole) for term in each.sum.terms), each.request.label
    assert len(sums) >= SUMS // 2


@pytest.mark.thorough
def test_values_are_those_of_an_evaluation_of_the_whole_file(explained, kept, single):
    """What is computed of the query alone does not differ, whatever else is in the files."""
    for seed in range(8):
        judged, retrieved = random_files(seed)
        ranked, _ = kept(judged, retrieved, ())
        expected = evaluate(ranked, single)
        row = expected.queries.index(b"q") if b"q" in expected.queries else None
        found = explained(judged, retrieved, b"q", single)
        for column, each in zip(expected.columns, found.measures, strict=True):
            assert row is None or same(column.values.tolist()[row], each.value), column.request.label


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from((None, 1, 3, 10)), st.sampled_from(("linear", "exp")))
def test_ndcg_term_by_term_is_what_a_loop_computes(explained, seed, k, gain):
    judged, retrieved = random_files(seed, tied=False)
    name = f"nDCG(gain={gain})" + (f"@{k}" if k else "")
    grades = {line.split()[2]: float(line.split()[3]) for line in judged.splitlines() if line.startswith(b"q ")}
    run = {line.split()[2]: float(line.split()[4]) for line in retrieved.splitlines() if line.startswith(b"q ")}

    def worth(grade: float) -> float:
        return grade if gain == "linear" else 2.0**grade - 1.0

    order = sorted(sorted(run, reverse=True), key=lambda name: -run[name])
    expected = [
        (rank, worth(grades[name]), worth(grades[name]) / math.log2(rank + 1))
        for rank, name in enumerate(order[:k], 1)
        if grades.get(name, 0) > 0
    ]
    best = sorted((worth(grade) for grade in grades.values() if grade > 0), reverse=True)[:k]

    (found,) = explained(judged, retrieved, b"q", [name]).measures

    assert expected == [(term.rank, term.gain, term.value) for term in found.sum.terms]
    assert [(rank, x, x / math.log2(rank + 1)) for rank, x in enumerate(best, 1)] == [
        (place.rank, place.gain, place.value) for place in found.sum.ideal
    ]
    assert (found.sum.ideal[-1].so_far if best else 0.0) == found.sum.over
    assert {rank: math.log2(rank + 1) for rank in found.sum.discounts} == found.sum.discounts
    at = {name: rank for rank, name in enumerate(order, 1)}
    terms = {term.rank: term.value for term in found.sum.terms}
    lost = {place.document: place.value - terms.get(at.get(place.document), 0.0) for place in found.sum.ideal}
    if found.sum.loss is None:
        assert max(lost.values(), default=0.0) <= 0
    else:
        document = found.sum.loss.ideal.document
        assert max(lost.values()) == lost[document] == found.sum.loss.lost > 0
        assert at.get(document) == found.sum.loss.rank


def test_documents_of_equal_gain_stand_in_the_ideal_ranking_as_they_stand_in_the_run(explained):
    judged = b"q 0 a 1\nq 0 b 1\nq 0 c 1\nq 0 d 2\n"
    found = explained(judged, b"q Q0 c 1 3 t\nq Q0 a 2 2 t\n", b"q", ["nDCG"])

    assert [b"d", b"c", b"a", b"b"] == [place.document for place in found.measures[0].sum.ideal]


def test_what_was_not_retrieved_is_named_best_first(explained):
    found = explained(b"q 0 a 1\nq 0 b 3\nq 0 c 0\nq 0 d -1\nq 0 e 2\n", b"q Q0 e 1 1 t\n", b"q", ["AP"])

    assert [(b"b", 3.0), (b"a", 1.0)] == [tuple(each) for each in found.missed]
    assert (1, 1, 0, 0, 3, 1) == tuple(found.counts)


def test_a_summary_alone_is_no_value_of_a_query():
    with pytest.raises(UsageError, match="'gm_map' has no value for a single query"):
        of_single_queries(parse(["gm_map"]))

    assert ["map"] == [request.label for request in of_single_queries(parse(["gm_map", "map", "AP(agg=median)"]))]


# The command


def rows(outcome) -> list[dict[str, str]]:
    assert outcome.status == 0, outcome.stderr
    return list(csv.DictReader(io.StringIO(outcome.stdout.decode("utf-8", "surrogateescape"))))


def test_a_table_at_80_columns_has_the_ideal_ranking_below_and_a_wide_one_beside(irev, monkeypatch):
    for columns, ideal in (("80", "\nThe ideal ranking\n"), ("130", "its total\n")):
        monkeypatch.setenv("COLUMNS", columns)
        shown = irev("explain", *FILES, "--query", "q3").stdout.decode()
        assert ideal in shown
        assert max(map(len, shown.splitlines())) <= int(columns)
        assert "nDCG@10 = 2.7796 / 4.1309 = 0.6729: the ideal ranking reaches 4.1309." in shown.replace("\n", " ")
        assert "d10 (grade 3) is at rank 2 instead of rank 1: this is the largest loss, 1.1072." in shown


def test_a_measure_that_is_no_sum_says_so_and_shows_what_can_be_counted(irev):
    shown = irev("explain", *FILES, "--query", "q3", "-m", "SearchLength").stdout.decode()

    assert "SearchLength is not a sum over ranks" in shown
    assert "5 documents retrieved: 3 relevant, 0 judged not relevant, 2 unjudged." in shown
    assert "relevant so" in shown


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("Judged@5", "Share of the first k results that have a judgment."),
        ("NumRelRet", "Number of relevant documents retrieved, r."),
        ("Success@3", "Whether a relevant document stands among the first k results: 1 or 0."),
        ("P@5", "P_k = r_k / k, where r_k is the number of relevant documents among the first k."),
    ],
)
def test_the_last_sentence_says_what_a_measure_is_by_its_formula_if_there_is_one(irev, measure, said):
    shown = irev("explain", *FILES, "--query", "q3", "-m", measure, "-f", "json").stdout
    assert said == json.loads(shown)["measures"][0]["meaning"]


def test_what_stands_below_the_shown_ranks_is_summed_up_or_shown_with_all(irev, write):
    judged = write(b"".join(b"q 0 d%d 1\n" % n for n in (1, 5, 30, 40)), "judged")
    run = write(b"".join(b"q Q0 d%d %d %d t\n" % (n, n, 100 - n) for n in range(1, 51)), "run")
    command = ("explain", judged, run, "--query", "q", "-m", "AP")
    short, whole = (irev(*command, *extra).stdout.decode() for extra in ((), ("--all",)))

    assert "30–40  … 2 more terms" in short
    assert "The ranking continues to rank 50; --all shows all of it." in short
    assert (10, 50) == tuple(sum(f"  d{n} " in text for n in range(1, 51)) for text in (short, whole))
    assert [1, 2, 3, 4, 5, 30, 40] == [int(row["rank"]) for row in rows(irev(*command, "--top=5", "-fcsv"))]
    assert "… 3 more terms" in irev(*command, "--top=1").stdout.decode()


def test_the_total_is_0_before_the_first_term_and_not_shown_behind_the_last(irev, write):
    judged = write(b"q 0 a 0\nq 0 b 1\nq 0 c 0\nq 0 d 2\nq 0 e 0\n", "judged")
    run = write(b"".join(b"q Q0 %c 1 %d t\n" % (name, -n) for n, name in enumerate(b"abcde")), "run")
    shown = irev("explain", judged, run, "--query", "q", "-m", "AP").stdout.decode().splitlines()
    header = ["rank", "document", "score", "grade", "precision", "recall", "term", "total"]
    assert header in [line.split() for line in shown], "nothing ties"
    totals = [line.split()[6:] for line in shown if line[:4].strip().isdigit()]
    assert [["0.0000"], ["0.5000", "0.5000"], ["0.5000"], ["0.5000", "1.0000"], []] == totals


def test_a_wide_screen_shows_all_of_the_ideal_ranking_beside_the_ranking(irev, write, monkeypatch):
    monkeypatch.setenv("COLUMNS", "130")
    judged = write(b"q 0 a 1\nq 0 b 2\nq 0 c 1\n", "judged")
    run = write(b"".join(b"q Q0 %c 1 %d t\n" % (name, -n) for n, name in enumerate(b"abcde")), "run")
    shown = irev("explain", judged, run, "--query", "q", "-m", "nDCG@10").stdout.decode().splitlines()
    rows = {line.split()[0]: line.split() for line in shown if line[:4].strip().isdigit()}
    assert ["c", "1", "0.5000", "3.1309"] == rows["3"][-4:]
    assert ["4", "d", "-3", "–", "2.3219"] == rows["4"]


def test_relevant_grades_are_green_and_those_that_count_as_no_judgment_dim(irev, write):
    judged = write(b"q 0 a 0\nq 0 b 1\nq 0 c -1\nq 0 d 2\n", "judged")
    run = write(b"".join(b"q Q0 %c 1 %d t\n" % (name, -n) for n, name in enumerate(b"abcde")), "run")
    page = irev("explain", judged, run, "--query", "q", "-m", "AP", "-l", "2", "-f", "html").stdout.decode()
    for grade, tone in {"0": "", "1": "", "-1": " quiet", "2": " good", "–": " quiet"}.items():
        assert f'<td class="number{tone}">{grade}</td>' in page, grade


def test_a_query_that_the_run_lacks_found_nothing(irev):
    shown = irev("explain", FILES[0], str(SAMPLE / "keyword.run"), "--query", "q6").stdout.decode()

    assert "Nothing was retrieved. Relevant in the judgments: 1." in shown
    assert "d20 (grade 3) was not retrieved, and should be at rank 1" in shown


def test_a_query_without_relevant_documents_divides_by_nothing(irev):
    shown = irev("explain", *FILES, "--query", "q7").stdout.decode()

    assert "nDCG@10 = 0.0000: the sum would be divided by 0." in shown


def test_a_perfect_ranking_is_said_to_be_one(irev):
    assert "No ranking has a higher value." in irev("explain", *FILES, "--query", "q1").stdout.decode()


def test_an_unknown_query_is_refused_with_the_nearest_that_is_judged(irev, write):
    judged = write(b"query-17 0 a 1\nquery-18 0 a 1\n", "judged")
    run = write(b"query-17 Q0 a 1 1 t\n", "run")

    found = irev("explain", judged, run, "--query", "qeury-17")
    refused(found, f"{judged}: query 'qeury-17' has no judgments; did you mean 'query-17' or 'query-18'?")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("explain", "-", "-", "--query", "q"), "only one of the files can be standard input"),
        (("explain", *FILES, "--query", "q1", "-m", "nDCC@10"), "did you mean"),
        (("explain", *FILES, "--query", "q1", "-m", "gm_map"), "no value for a single query"),
        (("explain", *FILES, "--query", "q1", "--top", "0"), "'0' is not a whole number of 1 or more"),
        (("explain", *FILES, "--query", "q1", "-o", FILES[1]), "is an input"),
        (("explain", *FILES, "--query", "q1", "--titles", "nowhere"), "there is no such file"),
        (("explain", FILES[0]), "missing argument 'RUN'"),
        (("explain", "--grades", "3,2", FILES[0]), "--grades stands for QRELS; give one of the two"),
        (("explain", "--grades", "3,2", *FILES), "--grades stands for QRELS; give one of the two"),
        (("explain", "--grades", "3,x"), "'x' is not a grade; expected grades such as 3,2,-,0"),
        (("explain", "--grades", ""), "'' is not a grade"),
        (("explain", "--grades", "-,-"), "no document of the ranking has a judgment"),
        (("explain", "--grades", "1e300"), "'1e300' is not a grade"),
        (("explain", "--grades", "1,1", "--relevant", "1"), "--relevant is 1, and 2 of the grades are relevant"),
        (
            ("explain", "--grades", "1", "--relevant", "1000000001"),
            "--relevant is 1000000001; expected 1000000 at most",
        ),
        (("explain", "--grades", "1,1", "--ties", "average"), "--ties has no effect with --grades"),
        (("explain", "--grades", "1,1", "--gains", "1=2", "-m", "AP"), "no measure uses gains"),
        (("explain", "--grades", "1,1", "--titles", "nowhere"), "--titles has no effect with --grades"),
    ],
)
def test_wrong_usage_is_refused(irev, words, said):
    refused(irev(*words), said)


def test_the_run_may_be_standard_input(irev):
    expected = irev("explain", *FILES, "--query", "q3").stdout
    found = irev("explain", FILES[0], "-", "--query", "q3", stdin=Path(FILES[1]).read_bytes()).stdout

    assert expected.partition(b"\n")[2] == found.partition(b"\n")[2]
    assert found.startswith(b"Query q3 of <stdin>\n")


# Texts of strangers


def test_huge_texts_and_ids_are_cut(irev, write):
    long = b"x" * 5000
    judged = write(b"q 0 %b 1\n" % long, "judged")
    run = write(b"q Q0 %b 1 1 t\n" % long, "run")
    documents = write(long + b"\t" + b"word " * 100_000 + b"\n", "documents")

    found = irev("explain", judged, run, "--query", "q", "--documents", documents)

    assert found.status == 0, found.stderr
    assert max(map(len, found.stdout.decode().splitlines())) <= 80
    assert len(found.stdout) < 10_000


def texts_of(path: str, *wanted: bytes) -> dict[bytes, str]:
    with Source(path) as source:
        return read_texts(source, "document", wanted)[0]


def test_what_was_not_retrieved_has_its_text_too(irev, write):
    judged, run = write(b"q 0 a 1\nq 0 missed 2\n", "judged"), write(b"q Q0 a 1 1 t\n", "run")
    shown = irev("explain", judged, run, "-m", "AP", "--documents", write(b"missed\tIts text\n", "texts"))

    assert ["missed", "Its", "text", "2"] in [line.split() for line in shown.stdout.decode().splitlines()]


def test_texts_are_read_from_columns_and_from_json(write):
    columns = write(
        b"\xef\xbb\xbfa\tone\r\nb\ttwo\tand more\n\nlong-one\t" + b"x" * 3 * KEPT + b"\na\tagain", "columns"
    )
    lines = write(
        b'{"id": "a", "title": "one"}\n{"_id": "b", "title": "two", "text": "and more"}\n'
        b'{"title": "named by a number", "doc_id": 7}\n{"id": "\\u00e9", "contents": "escaped"}\n'
        b'{"meta": {"id": "c"}, "id": "d", "text": "d"}\n',
        "lines",
    )

    assert {b"a": "one", b"b": "two\tand more", b"long-one": "x" * KEPT} == texts_of(
        columns, b"a", b"b", b"long-one", b"c"
    )
    assert {b"a": "one", b"b": "two: and more", b"7": "named by a number", "é".encode(): "escaped"} == texts_of(
        lines, b"a", b"b", b"7", "é".encode(), b"c", b"x"
    )


def test_texts_are_found_in_every_piece_of_a_large_file(write, monkeypatch):
    monkeypatch.setattr("irev.reading.chunks.SIZE", 1 << 10)
    names = [b"d%d" % n for n in range(3000)]
    columns = write(b"".join(b"%b\ttext of %b\n" % (name, name) for name in names), "columns")
    lines = write(b"".join(b'{"id": "%b", "text": "text of %b"}\n' % (name, name) for name in names), "lines")
    wanted = names[::311]

    for path in (columns, lines):
        assert {name: f"text of {name.decode()}" for name in wanted} == texts_of(path, *wanted)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\tone\nb two\n", ":2: found 'b two'; expected an id, a tab and a text"),
        (b'{"id": "x", "title": ""}\n{"id": "q1", "title"\n', ", entry 2: this is not JSON"),
        (b"x\t" + b"y" * (5 << 20), ":1: the line is longer than 4 MiB"),
    ],
)
def test_texts_that_cannot_be_read_are_refused_with_their_line(irev, write, content, said):
    refused(irev("explain", *FILES, "--query", "q1", "--titles", write(content, "texts")), said)


def test_a_factor_is_written_as_one_writes_it(irev):
    """1 - 0.8 is 0.2, and 0.19999999999999996 for a computer."""
    files = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run"))
    assert "\nRBP(p=0.8) = 0.2 × 2.4400 = 0.4880.\n" in irev("explain", "--query=q3", "-mRBP", *files).stdout.decode()


def test_a_text_stands_once_where_the_table_is_split(irev, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    files = [str(ROOT / "sample_data" / name) for name in ("qrels.txt", "semantic.run", "documents.tsv")]
    text = irev("explain", "-m", "P@3", "--query", "q3", *files[:2], "--documents", files[2]).stdout.decode()

    assert 2 <= text.count("  d10 ")
    assert 1 == text.count("A compost heap")


# A ranking by its grades alone


@pytest.mark.filterwarnings("ignore:.*every judged document counts as relevant")
@settings(max_examples=60)
@given(
    grades=st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), min_size=1, max_size=12).filter(
        lambda found: any(grade is not None for grade in found)
    ),
    missed=st.integers(0, 5),
    level=st.sampled_from([1, 2]),
)
def test_a_ranking_of_grades_has_the_values_of_judgments_and_a_run_that_state_it(grades, missed, level):
    measures = [
        "nDCG@6",
        "nDCG(gain=exp)",
        "AP",
        "P@5",
        "R@3",
        "RR",
        "Bpref",
        "RBP(p=0.8)",
        "DCG(discount=jarvelin2002)",
    ]
    documents = [f"d{rank}" for rank in range(1, len(grades) + 1)]
    judged = {d: g for d, g in zip(documents, grades, strict=True) if g is not None}
    judged |= {f"m{number}": level for number in range(missed)}
    run = {"q": dict(zip(documents, range(len(documents), 0, -1), strict=True))}
    relevant = missed + sum(grade is not None and grade >= level for grade in grades)
    expected = irev.evaluate({"q": judged}, run, measures, level=level).mean()
    found = irev.explain(grades=grades, relevant=relevant, measures=measures, level=level)

    assert expected == {name: each.value for name, each in zip(measures, found.measures, strict=True)}
    assert relevant == found.counts.relevant_total


def test_grades_stand_between_commas_or_blanks(irev):
    (one, other) = (irev("explain", "--grades", text, "-m", "AP").stdout for text in ("3,2, -,0", "3 2 -  0"))

    assert one == other
    assert b"4 documents retrieved: 2 relevant, 1 judged not relevant, 1 unjudged." in one


def test_a_ranking_of_grades_has_no_scores(irev):
    assert b"rank  document  grade  gain" in irev("explain", "--grades", "3,2").stdout
    assert b"\n   1  d1 " in irev("explain", "--grades", "3,2").stdout


@pytest.mark.parametrize(
    "given",
    [
        {"grades": "3,2"},
        {"grades": [True]},
        {"grades": []},
        {"grades": [None]},
        {"grades": [float("nan")]},
        {"grades": 3},
        {"grades": [1], "qrels": FILES[0]},
        {"qrels": FILES[0]},
        {"grades": [1], "query": "q1"},
        {"grades": [1], "ties": "average"},
        {"grades": [1], "relevant": 0},
        {"qrels": FILES[0], "run": FILES[1], "relevant": 3},
        {},
    ],
    ids=str,
)
def test_wrong_grades_are_refused_in_python_by_their_parameters(given):
    with pytest.raises(UsageError, match=r"grades|no document of the ranking") as caught:
        irev.explain(**given)

    assert "--" not in str(caught.value)


def test_several_rankings_have_means(irev):
    """Each is explained as it is alone, and a query of its own."""
    rankings, asked = ("1,0,1,1,0", "0,1,1"), ("-m", "AP,RR,num_rel_ret")
    words = [word for each in rankings for word in ("--grades", each)]
    text = irev("explain", *words, "--relevant", "4,2", *asked).stdout.decode()
    for each, relevant in zip(rankings, "42", strict=True):
        alone = irev("explain", "--grades", each, "--relevant", relevant, *asked).stdout.decode()
        assert all(sheet in text for sheet in alone.strip().split("\n\n"))
    assert "Mean AP = (0.6042 + 0.5833) / 2 = 0.5938.\nMean RR = (1.0000 + 0.5000) / 2 = 0.7500.\n" in text
    assert "NumRelRet of all = 3 + 2 = 5." in text
    assert {"q1", "q2"} == {row["query"] for row in rows(irev("explain", *words, "-f", "csv"))}
    record = json.loads(irev("explain", *words, "-f", "json", *asked).stdout)
    assert [] == faults(record)
    found = package.explain(grades=[[1, 0, 1, 1, 0], [0, 1, 1]], measures=["AP", "RR", "num_rel_ret"])
    assert found.means == record["means"]
    assert {} == package.explain(grades=[1, 0]).means


def test_each_ranking_has_a_number_of_relevant_documents(irev):
    done = irev("explain", "--grades", "1,0", "--grades", "1", "--relevant", "3")
    refused(done, "2 rankings and 1 number of relevant documents; expected a number for each ranking: --relevant 4,2")
    assert 0 == irev("explain", "--grades", "1,0", "--grades", "1", "--relevant", "4,2").status


def test_of_grades_alone_sums_are_worked_step_by_step(irev):
    text = " ".join(irev("explain", "--grades", "0,2,-,1", "-m", "nDCG@4,RR").stdout.decode().split())

    assert "at rank 2, 2 / 1.5850 = 1.2619. 2. The sum of the terms: 1.2619 + 0.4307 = 1.6925." in text
    assert (
        "3. The same sum for the ideal ranking, with grades 2 1: 2.0000 + 0.6309 = 2.6309. 4. The first sum divided"
        in text
    )
    assert "by the second: nDCG@4 = 1.6925 / 2.6309 = 0.6433" in text
    assert "The first relevant document is at rank 2: 1 / 2 = 0.5000." in text


def test_where_there_are_files_no_step_is_told(irev):
    text = irev("explain", "-m", "nDCG", str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run")).stdout.decode()
    assert "The sum of the terms" not in text
