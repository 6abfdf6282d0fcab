"""irev as a provider of ir_measures itself: its numbers, whoever asks, and all as it was when irev leaves again."""

import random
import subprocess
import sys

import pytest
from conftest import environment

ir_measures = pytest.importorskip("ir_measures")

from irev.compat import ir_measures_provider as provider  # noqa: E402 - it refuses where ir_measures is not there

MEASURES = [
    *(
        ir_measures.nDCG @ 10,
        ir_measures.AP,
        ir_measures.AP(rel=2),
        ir_measures.RR,
        ir_measures.P @ 5,
        ir_measures.R @ 20,
    ),
    *(ir_measures.Bpref, ir_measures.Success @ 1, ir_measures.NumRet, ir_measures.Judged @ 10, ir_measures.RR @ 10),
    *(ir_measures.Compat(p=0.8), ir_measures.infAP, ir_measures.SetF, ir_measures.IPrec @ 0.5, ir_measures.NumQ),
]


def files(seed: int):
    """Judgments and a run with ties, a query without results, and one without judgments."""
    chance = random.Random(seed)
    qrels = {f"q{query}": {f"d{chance.randint(0, 30)}": chance.randint(-1, 3) for _ in range(12)} for query in range(6)}
    run = {
        f"q{query}": {f"d{chance.randint(0, 30)}": chance.randint(0, 9) / 2 for _ in range(20)} for query in range(1, 7)
    }
    return qrels, run


@pytest.fixture
def used():
    """irev is asked first, until the test is over."""
    provider.use()
    yield
    provider.leave()


@pytest.mark.parametrize("seed", range(5))
def test_numbers_stay_what_they_are(seed):
    qrels, run = files(seed)
    before = ir_measures.calc(MEASURES, qrels, run)
    provider.use()
    try:
        after = ir_measures.calc(MEASURES, qrels, run)
    finally:
        provider.leave()

    # The last digits are those of other loops, of Compat above all.
    assert values(before) == pytest.approx(values(after), rel=1e-12)
    assert {str(measure): value for measure, value in before.aggregated.items()} == pytest.approx(
        {str(measure): value for measure, value in after.aggregated.items()}, rel=1e-12
    )


def values(found) -> dict[tuple[str, str], float]:
    return {(each.query_id, str(each.measure)): each.value for each in found.per_query}


def test_irev_is_asked(used, monkeypatch):
    asked = []
    evaluator = provider.own.evaluator
    monkeypatch.setattr(provider.own, "evaluator", lambda *given: asked.append(1) or evaluator(*given))
    qrels, run = files(0)
    metrics = list(ir_measures.iter_calc([ir_measures.AP], qrels, run))

    assert ([1], [ir_measures.AP] * 6) == (asked, [metric.measure for metric in metrics])
    assert all(type(metric) is ir_measures.Metric for metric in metrics)


def test_what_a_program_defines_is_evaluated_as_before():
    pytest.importorskip("pandas")
    half = ir_measures.define_byquery(lambda qrels, run: 0.5, name="half")
    qrels, run = files(1)
    before = ir_measures.calc_aggregate([half, ir_measures.RR], qrels, run)
    provider.use()
    try:
        assert before == pytest.approx(ir_measures.calc_aggregate([half, ir_measures.RR], qrels, run), rel=1e-12)
    finally:
        provider.leave()


def test_it_can_be_asked_by_name():
    qrels, run = files(2)
    assert provider.PROVIDER is ir_measures.providers.registry["irev"]
    assert ir_measures.calc_aggregate([ir_measures.AP], qrels, run) == pytest.approx(
        provider.PROVIDER.calc_aggregate([ir_measures.AP], qrels, run)
    )


def test_it_stands_there_once_and_leaves():
    before = list(ir_measures.DefaultPipeline.providers)
    provider.use()
    provider.use()

    assert [*before[:1], provider.PROVIDER, *before[1:]] == ir_measures.DefaultPipeline.providers
    provider.leave()
    provider.leave()
    assert before == ir_measures.DefaultPipeline.providers


def test_measures_of_subtopics_stay_what_they_are():
    pytest.importorskip("pyndeval")
    chance = random.Random(9)
    qrels = [
        ir_measures.Qrel(f"q{query}", f"d{number}", chance.choice((0, 1, 2)), str(subtopic))
        for query in range(4)
        for number in range(12)
        for subtopic in range(3)
    ]
    run = [ir_measures.ScoredDoc(f"q{q}", f"d{n}", float(n * 7 % 12)) for q in range(4) for n in range(12)]
    for measure in (ir_measures.alpha_nDCG @ 5, ir_measures.nERR_IA @ 10, ir_measures.NRBP, ir_measures.StRecall @ 3):
        before = ir_measures.calc([measure], qrels, run)
        provider.use()
        try:
            after = ir_measures.calc([measure], qrels, run)
        finally:
            provider.leave()
        assert values(before) == pytest.approx(values(after), rel=1e-12)


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
