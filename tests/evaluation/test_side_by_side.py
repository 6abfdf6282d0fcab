"""Several runs side by side: what is kept in one reading is what explanations and differences find query by query."""

import random

import pytest
from conftest import added

from irev.base.settings import Settings
from irev.commands.explain.answer import explain
from irev.evaluation.batch import Batch, InTurn
from irev.evaluation.changes import changes, details
from irev.evaluation.inputs import Inputs, evaluate_files
from irev.evaluation.side_by_side import Located, ToShow, attribution, share, side_by_side
from irev.measures import parse
from irev.ranking import full
from irev.reading import qrels
from irev.reading.sources import Source

MEASURES = ("nDCG@5", "AP", "RR", "P@3", "nDCG(judged_only=True)@4", "RBP(p=0.8)", "DCG(gains={-1:1})@5")
QUERIES = [b"q%d" % n for n in range(6)]


def random_files(seed: int) -> list[bytes]:
    """Judgments and three runs with ties, documents without a judgment, queries of one file alone, scattered rows."""
    chance = random.Random(seed)
    documents = [b"d%d" % n for n in range(14)] + ["é\N{LINE SEPARATOR}".encode(), b"\xff<b>"]
    documents += [b"x" * 300, b"x" * 300 + b"y"]
    judged = [
        b"%b 0 %b %d\n" % (query, document, chance.choice((-1, 0, 0, 1, 2, 3)))
        for query in QUERIES[:5]
        for document in chance.sample(documents, 9)
    ]
    runs = []
    for name in (b"a", b"b", b"c"):
        rows = [
            b"%b Q0 %b 1 %d %b\n" % (query, document, chance.randint(0, 4), name)
            for query in chance.sample(QUERIES, 5)
            for document in chance.sample(documents, chance.randint(1, 14))
        ]
        runs.append(b"".join(rows))
    return [b"".join(judged), *runs]


@pytest.fixture
def laid(tmp_path):
    """``laid(files, most, measures, **choices)``: the runs side by side, the judgments, and what else is needed."""

    def laid(files, most, measures=MEASURES, **choices):
        paths = [str(tmp_path / name) for name in ("qrels", "a", "b", "c")][: len(files)]
        for path, content in zip(paths, files, strict=True):
            with open(path, "wb") as file:
                file.write(content)
        settings = Settings(**{"complete": True, **choices})
        requests = tuple(parse([each])[0] for each in measures)
        runs = paths[1:]
        found = evaluate_files(Inputs([("", paths[0])], runs, jobs=1), requests, settings, show=ToShow(most))
        shown = [each.shown for each in found.evaluated]

        def locate(judgments):
            return list(Batch(Located(judgments, settings), runs, InTurn()).results())

        side = side_by_side(found.outcomes, shown, requests, found.judgments[0], settings.level, most, locate)
        return side, shown, found.judgments[0], paths, settings

    return laid


def wholes_of(paths, settings):
    """Of each run its rankings, and every document of every query."""
    with Source(paths[0]) as source:
        judgments = qrels.read(source, settings)
    for path in paths[1:]:
        with Source(path) as source:
            ranked, _, _, whole = full.rank_keeping(judgments, source, settings, judgments.queries)
            yield ranked, whole


def ideal_of(summed, topic):
    """Row, gain and term of each document of the ideal ranking of a topic."""
    if summed.ideal is None:
        return []
    here = slice(summed.ideal.begin[topic], summed.ideal.begin[topic + 1])
    return list(zip(*(column[here].tolist() for column in summed.ideal[1:]), strict=True))


SETTINGS = [{}, {"depth": 4}, {"judged_only": True}, {"depth": 5, "judged_only": True}, {"ties": "docid-asc"}]
SETTINGS += [{"ties": "file"}, {"level": 2.0}, {"negative": "nonrelevant"}, {"queries": (b"q1", b"q3")}]


@pytest.mark.parametrize("choices", SETTINGS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_ranks_grades_and_terms_are_those_of_explanations(laid, seed, choices):
    depth = shown_depth = 3 + seed
    measures = MEASURES[:-1] if choices.get("judged_only") else MEASURES
    side, _, _, paths, settings = laid(random_files(seed), shown_depth, measures, **choices)
    for run, (ranked, wholes) in enumerate(wholes_of(paths, settings)):
        for topic, query in enumerate(side.queries):
            whole, rows = wholes[query], range(side.begin[topic], side.begin[topic + 1])
            there = {side.documents[row]: row for row in rows}
            assert len(rows) == len(there)
            assert len(whole) == side.retrieved[topic, run]
            assert list(whole.documents[:depth]) == [
                document
                for _, document in sorted((side.rank[row, run], side.documents[row]) for row in rows)
                if 0 < side.rank[there[document], run] <= depth
            ]
            ranks = {document: rank for rank, document in enumerate(whole.documents, 1)}
            grades = dict(zip(whole.judged, whole.judged_grade.tolist(), strict=True))
            assert [ranks.get(side.documents[row], 0) for row in rows] == [side.rank[row, run] for row in rows]
            assert [grades.get(side.documents[row]) for row in rows] == [
                None if side.grade[row] != side.grade[row] else side.grade[row] for row in rows
            ]
            place = list(ranked.queries).index(query)
            explained = explain(ranked.part(place, place + 1), whole, side.requests)
            for number, measure in enumerate(explained.measures):
                summed = side.sums[number]
                assert measure.value == side.values[number][topic, run]
                assert (measure.sum is None) == (summed is None)
                if summed is None:
                    continue
                assert measure.sum.total == summed.total[topic, run]
                assert measure.value == share(summed, topic, run)
                view = measure.whole.documents
                terms = {}
                for term in measure.sum.terms:
                    document = view[term.rank - 1]
                    terms[document] = terms.get(document, 0.0) + term.value
                shown = dict(zip(whole.documents, summed.term[topic, run].tolist(), strict=False))
                assert {d: v for d, v in terms.items() if ranks[d] <= depth} == {
                    d: v for d, v in shown.items() if v == v
                }
                assert added(v for d, v in terms.items() if ranks[d] > depth) == pytest.approx(
                    summed.deeper[topic, run], abs=1e-12
                )
                best = ideal_of(summed, topic)
                assert [(i.gain, i.value) for i in measure.sum.ideal[:depth]] == [each[1:] for each in best]
                ordered = [(-gain, side.documents[row]) for row, gain, _ in best]
                assert ordered == sorted(ordered)
                assert [grades[side.documents[row]] for row, _, _ in best] == sorted(
                    (grades[side.documents[row]] for row, _, _ in best), reverse=True
                )


@pytest.mark.parametrize("choices", SETTINGS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_documents_are_responsible_for_what_differences_find(laid, seed, choices):
    side, shown, judgments, paths, settings = laid(random_files(seed), 5, MEASURES[:1], **choices)
    (before, whole_before), (after, whole_after), _ = wholes_of(paths, settings)
    found = changes(before, after, side.requests)
    wholes = [{query: whole[query] for query in found.queries} for whole in (whole_before, whole_after)]
    moves = {
        (detail.query, move.document): move
        for detail in details(found, before, after, *wholes, 5)
        for move in detail.moves
        if move.contributions[0]
    }
    most = attribution(shown[0], shown[1], 0, judgments, side.queries, 1000)

    assert moves.keys() == {(each.query, each.document) for each in most}
    sizes = [abs(each.contribution) for each in most]
    assert sizes == sorted(sizes, reverse=True)
    for each in most:
        move = moves[each.query, each.document]
        assert (move.before or 0, move.after or 0, move.grade) == (each.before, each.after, each.grade)
        assert move.contributions[0] == pytest.approx(each.contribution, abs=1e-15)
    assert most[:3] == attribution(shown[0], shown[1], 0, judgments, side.queries, 3)


def test_runs_with_other_queries_are_shown_on_those_that_all_have(laid):
    files = [b"q1 0 a 1\nq2 0 a 1\nq3 0 a 1\n", b"q1 0 a 1 1 a\nq2 0 a 1 1 a\n", b"q3 0 a 1 1 b\nq2 0 b 1 1 b\n"]
    side, *_ = laid(files, 5, ("AP",))
    assert (b"q1", b"q2", b"q3") == side.queries
    side, *_ = laid(files, 5, ("AP",), complete=False)
    assert ((b"q2",), [[1.0, 0.0]], (b"a", b"b")) == (side.queries, side.values[0].tolist(), tuple(side.documents))
    assert ([[1.0, 0.0]], [1.0, 0.0]) == (
        side.sums[0].total.tolist(),
        [outcome.summary.values[0] for outcome in side.outcomes],
    )


def test_a_run_of_nothing_but_unjudged_queries_is_all_zero(laid):
    files = [b"q1 0 a 1\n", b"q1 0 b 1 1 a\nq9 0 a 1 1 a\n", b"q1 0 a 1 1 b\n"]
    (side, *_) = laid(files, 5, ("AP", "nDCG"))
    assert [[0.0, 1.0]] == side.values[0].tolist()
    assert (b"a", b"b") == tuple(side.documents)
    assert [[0, 1], [1, 0]] == side.rank.tolist()
