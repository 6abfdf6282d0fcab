"""User models: against cwl-eval on random gains, where cwl-eval loses readers, and what is refused."""

import math
import random
import subprocess
import sys

import numpy as np
import pytest

import irev
from irev.base.errors import UsageError
from irev.measures import parse

cwl = pytest.importorskip("cwl.ruler.cwl_ruler", reason="cwl-eval judges user models")
from cwl.ruler.ranking import Ranking  # noqa: E402 (only where it is there)

OF_CWL_EVAL = [
    *("PrecisionCWLMetric(1)", "PrecisionCWLMetric(7)", "PrecisionCWLMetric(40)", "RRCWLMetric()", "APCWLMetric()"),
    *("RBPCWLMetric(0.2)", "RBPCWLMetric(0.9)", "NDCGCWLMetric(5)", "NDCGCWLMetric(10)"),
    *("INSTCWLMetric(1.0)", "INSTCWLMetric(2.5)", "INSQCWLMetric(1.0)", "INSQCWLMetric(3)"),
    *(
        "BPMCWLMetric(1,10)",
        "BPMCWLMetric(2.5,5)",
        "BPMDCWLMetric(1,10,0.0,0.0,0.5)",
        "BPMDCWLMetric(2,30,1.0,0.0,0.25)",
    ),
    *("NERReq8CWLMetric(5)", "NERReq9CWLMetric(12)", "NERReq10CWLMetric(0.8)", "NERReq11CWLMetric(2)"),
    *("TBGCWLMetric(224)", "TBGCWLMetric(2.5)"),
]
"""Lines of a file of measures for cwl-eval."""

QUANTITIES = ("EU", "ETU", "EC", "ETC", "ED")


def given(seed: int) -> tuple[dict, dict]:
    """Gains in eighths, of some results and of other documents; one query has no gain at all."""
    chance = random.Random(seed)
    gains, run = {}, {}
    for query in map(str, range(8)):
        documents = [f"d{number}" for number in range(chance.randint(1, 30))]
        shares = [0.0] if query == "3" else [0.0, 0.0, *(number / 8 for number in range(9))]
        gains[query] = {document: chance.choice(shares) for document in documents if chance.random() < 0.7}
        gains[query] |= {"missed": 0.0 if query == "3" else 0.5}
        run[query] = {document: float(-place) for place, document in enumerate(documents)}
    return gains, run


def of_cwl_eval(line: str, gains: dict, run: dict) -> dict[str, dict[str, float]]:
    """What cwl-eval says of every query, with the readers that its totals lose."""
    name, _, inside = line.rstrip(")").partition("(")
    metric = getattr(cwl, name)(*(float(each) if "." in each else int(each) for each in inside.split(",") if each))
    metric.residuals = True
    found = {}
    for query, scores in run.items():
        ranking = Ranking(
            query, [gains[query].get(document, math.nan) for document in scores], [math.nan] * len(scores)
        )
        ranking.total_qrel_rels = float(sum(gain > 0 for gain in gains[query].values()))
        metric.measure(ranking)
        values = dict(zip(QUANTITIES, metric.get_scores(), strict=True))
        residuals = [metric.residual_expected_utility, metric.residual_expected_total_utility]
        residuals += [
            metric.residual_expected_cost,
            metric.residual_expected_total_cost,
            metric.residual_expected_items,
        ]
        lost = {worst: np.prod(metric.c_vector(ranking, worst)) for worst in (True, False)}
        totals = {worst: ranking.get_gain_vector(worst).sum() for worst in (True, False)}
        values |= dict(zip((f"Res{name}" for name in QUANTITIES), residuals, strict=True))
        values["ETU"] += lost[True] * totals[True]
        values["ResETU"] += lost[False] * totals[False] - lost[True] * totals[True]
        values["ETC"] += lost[True] * 1000
        values["ResETC"] += (lost[False] - lost[True]) * 1000
        found[query] = values
    return found


@pytest.mark.parametrize("line", OF_CWL_EVAL)
def test_every_quantity_is_that_of_cwl_eval_with_the_readers_that_go_on_from_its_last_rank(line):
    gains, run = given(1)
    expected = of_cwl_eval(line, gains, run)
    (plain,) = parse([line])
    inside = plain.standard.partition("(")[2].partition(")")[0]
    texts = {
        of: f"{plain.measure.standard}({inside},of={of})" + (f"@{plain.cutoff}" if plain.cutoff else "")
        for quantity in QUANTITIES
        for of in (quantity, f"Res{quantity}")
    }
    found = irev.evaluate(gains, run, list(texts.values())).per_query

    assert [] == [
        f"{text} of query {query}: {expected[query][of]!r} and not {found[text][query]!r}"
        for of, text in texts.items()
        for query in run
        if not math.isclose(expected[query][of], found[text][query], rel_tol=1e-9, abs_tol=1e-9)
    ]


def test_total_and_rate_are_depth_times_each_other():
    """Which the totals of cwl-eval are not, where readers go on from the last rank."""
    gains, run = given(2)
    found = irev.evaluate(gains, run, [f"INST(T=3,depth=5,of={of})" for of in QUANTITIES]).per_query
    values = list(found.values())
    for eu, etu, ec, etc, ed in ([each[query] for each in values] for query in run):
        assert (etu, etc) == (pytest.approx(eu * ed), pytest.approx(ec * ed))


def test_a_ranking_of_which_nothing_gains_is_read_to_the_end_and_paid_for():
    gains, run = {"1": {"a": 0.0}}, {"1": {"a": 1.0}}
    ruler = cwl.RRCWLMetric()
    ruler.measure(Ranking("1", [0.0], [math.nan]))

    assert [1000.0, 0.0] == [ruler.expected_items, ruler.expected_total_cost]
    found = irev.evaluate(gains, run, ["CWL_RR(of=ED,max_rel=1)", "CWL_RR(of=ETC,max_rel=1)"]).mean()
    assert [1000.0, 1000.0] == list(found.values())


def test_gains_of_another_scale_are_its_gains_times_the_highest():
    """cwl-eval --max_gain 4 checks gains, and does not divide them."""
    gains, run = given(3)
    four = {query: {document: 4 * gain for document, gain in of.items()} for query, of in gains.items()}
    expected = of_cwl_eval("NDCGCWLMetric(10)", four, run)
    found = irev.evaluate(four, run, ["SDCG(max_rel=4)@10"]).per_query["SDCG(max_rel=4)@10"]

    assert {query: of["EU"] for query, of in expected.items()} == pytest.approx({q: 4 * v for q, v in found.items()})


def test_hc_of_the_dynamic_player_changes_patience_here_and_nothing_in_cwl_eval():
    """Patience 2 grows by 2 · (1 - 0.5) with every gain of 1, so all five results are seen."""
    gains, run = {"1": dict.fromkeys("abcde", 1.0)}, {"1": dict(zip("abcde", [5.0, 4, 3, 2, 1], strict=True))}
    lines = ["BPMDCWLMetric(5,2,0.0,2.0,0.5)", "BPMDCWLMetric(5,2,0.0,0.0,0.5)"]

    assert [2.0, 2.0] == [of_cwl_eval(line, gains, run)["1"]["ED"] for line in lines]
    found = irev.evaluate(gains, run, ["BPMD(T=5,hb=0,hc=2,of=ED)@2", "BPMD(T=5,hb=0,hc=0,of=ED)@2"])
    assert [5.0, 2.0] == [each["1"] for each in found.per_query.values()]


def files(tmp_path, grades: str) -> tuple[str, str]:
    (tmp_path / "qrels").write_text(grades)
    (tmp_path / "run").write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n")
    return str(tmp_path / "qrels"), str(tmp_path / "run")


@pytest.mark.parametrize(("measure", "option"), [("SDCG(max_rel=1)@10", "max_rel"), ("ERR(gmax=1)@10", "gmax")])
def test_a_grade_above_the_stated_maximum_is_an_error_with_file_and_line(tmp_path, measure, option):
    qrels, run = files(tmp_path, "1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 d 3\n")
    done = subprocess.run(
        [sys.executable, "-m", "irev", "eval", "-m", measure, qrels, run], capture_output=True, text=True, check=False
    )

    assert (2, "") == (done.returncode, done.stdout)
    name = measure.partition("(")[0].lower()
    assert f"qrels:3: the grade 2 is too high: the highest grade that measure '{name}' allows is 1" in done.stderr
    assert f"{option}=auto" in done.stderr


def test_grades_of_dictionaries_above_the_stated_maximum_are_refused_too():
    with pytest.raises(UsageError, match="a grade of 3 is above the highest grade 1 of measure 'inst'"):
        irev.evaluate({"1": {"a": 3}}, {"1": {"a": 1.0}}, ["INST(max_rel=1)"])


def test_clip_moves_higher_grades_to_the_maximum():
    found = irev.evaluate({"1": {"a": 3, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}, ["CWL_P(max_rel=2,clip=true)@2"])

    assert [0.75] == list(found.mean().values())


@pytest.mark.parametrize("name", ["CWL_P@1000001", "SDCG(of=ResEU)@2147483647", "NERR8@1000001", "NERR9@1000001"])
def test_more_ranks_than_anybody_reads_are_refused(name):
    """Readers go down rank by rank, and went for hours."""
    with pytest.raises(UsageError, match="ranks are too many for a user model; the most is 1000000"):
        irev.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, [name])
    assert [1.0] == list(irev.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["BPM@2147483647"]).mean().values())


@pytest.mark.parametrize("line", ["NDCGCWLMetric(10,3)", "RRCWLMetric(3)", "INSTCWLMetric(x)"])
def test_lines_of_cwl_eval_that_make_no_sense_are_refused(line):
    with pytest.raises(UsageError):
        parse([line])


@pytest.mark.parametrize(
    ("name", "better"), [("SDCG@10", "higher"), ("SDCG(of=ETC)@10", "lower"), ("SDCG(of=ED)@10", "neither")]
)
def test_what_is_better_depends_on_the_quantity(name, better):
    (request,) = parse([name])

    assert better == request.better


@pytest.mark.parametrize("quantity", [f"Res{each}" for each in QUANTITIES])
def test_residuals_have_no_bounds_since_they_are_of_what_is_not_known(quantity):
    with pytest.raises(UsageError, match="there are no bounds for the measure 'sdcg'"):
        parse([f"SDCG(of={quantity},bound=low)@5"])
    assert 3 == len(parse([f"SDCG(of={quantity.removeprefix('Res')})@5"], bounds=True))


@pytest.mark.parametrize("measure", ["INST", "INSQ", "NERR11", "BPM"])
def test_a_goal_that_nobody_reaches_has_an_end(measure):
    """The largest doubles were taken, and values were no numbers then."""
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(UsageError, match="1e308"):
        irev.evaluate(qrels, run, [f"{measure}(T=1e308)"])
    assert all(math.isfinite(value) for value in irev.evaluate(qrels, run, [f"{measure}(T=999999999)"]).mean().values())


@pytest.mark.parametrize("of", QUANTITIES + tuple(f"Res{each}" for each in QUANTITIES))
def test_many_ranks_at_once_are_the_same_to_the_last_bit_as_one_after_the_other(of, monkeypatch):
    gains, run = given(5)
    grades = {query: {document: int(8 * gain) for document, gain in of.items()} for query, of in gains.items()}
    asked = [f"{line}(of={of})" for line in ("INST", "INSQ", "CWL_RR", "CWL_AP", "CWL_RBP", "NERR10", "NERR11", "TBG")]
    asked += [f"{line}(of={of})@40" for line in ("SDCG", "BPM", "BPMD", "NERR8", "NERR9", "CWL_P")]
    at_once = irev.evaluate(grades, run, asked).per_query
    monkeypatch.setattr("irev.extensions.user_models.user_models._AT_ONCE", 1)
    assert irev.evaluate(grades, run, asked).per_query == at_once
