"""Judgments with inclusion probabilities: by hand, against a slow definition, over all samples that could be drawn, as
statAP_MQ_eval has it, and what is refused."""

import itertools
import json
import math
import random

import pytest
from outcomes import refused

JUDGED = "1 a 1 1 1\n1 b 1 1 0.5\n1 c 0 1 0.5\n1 d 1 4 0.5\n"
PRELS = ("--qrels-format", "prels")
ALL = ("statAP", "statP@1,3", "statRprec", "statNumRel")


def files(tmp_path, judgments: str, results: dict[str, list[str]]) -> tuple[str, str]:
    (tmp_path / "prels").write_text(judgments)
    lines = [f"{query} Q0 {d} 0 {-place} t\n" for query, of in results.items() for place, d in enumerate(of)]
    (tmp_path / "run").write_text("".join(lines))
    return str(tmp_path / "prels"), str(tmp_path / "run")


def values(irev, measures, *given: str) -> dict[str, list[float]]:
    done = irev("eval", "-q", "-f", "jsonl", *(word for name in measures for word in ("-m", name)), *PRELS, *given)
    assert 0 == done.status, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["query"]: [*row["measures"].values()] for row in rows if row.get("query") not in (None, "all")}


Judged = dict[str, tuple[int, int, float]]
"""Grade, method and probability of each document."""


def weights(judged: Judged, level: int = 1) -> dict[str, float]:
    """1/π of the relevant documents."""
    return {d: 1.0 if method in (0, 2) else 1 / p for d, (grade, method, p) in judged.items() if grade >= level}


def summed(weight: dict[str, float], ranked: list[str], own: bool = False) -> float:
    """The estimated sum of precisions; with `own` the document itself counts as 1/π, too."""
    above = result = 0.0
    for rank, document in enumerate(ranked, start=1):
        if document in weight:
            w = weight[document]
            result += w * ((w if own else 1) + above) / rank
            above += w
    return result


def slow(judged: Judged, ranked: list[str], cutoffs=(1, 3), level: int = 1) -> list[float]:
    weight = weights(judged, level)
    R = sum(weight.values())

    def found(k):
        return sum(weight.get(d, 0.0) for d in ranked[:k])

    k = math.floor(R + 0.5)
    rprec = found(k) / (k if len(ranked) >= k else R) if R else 0.0
    return [summed(weight, ranked) / R if R else 0.0, *(found(k) / k for k in cutoffs), rprec, R]


def test_four_judged_documents_by_hand(irev, tmp_path):
    """a was certain to be drawn, b and d had half a chance: R = 1 + 2 + 2. The results are a, e, which nobody judged, b
    and c. At rank 1 the precision is 1. Of the first three, a is one and b itself another: 2/3, and b stands for two.
    statAP = (1 + 2 · 2/3) / 5. P_3 = (1 + 2) / 3. R is 5, and there are four results: Rprec = 3/5."""
    expected = [(1 + 2 * 2 / 3) / 5, 1.0, 1.0, 3 / 5, 5.0]

    assert expected == pytest.approx(values(irev, ALL, *files(tmp_path, JUDGED, {"1": [*"aebc"]}))["1"], abs=1e-15)


def test_a_document_that_was_picked_stands_for_itself_whatever_stands_in_the_file(irev, tmp_path):
    given = files(tmp_path, "1 a 1 0 0.1\n1 b 1 2 0.1\n1 c 1 1 0.1\n", {"1": [*"cab"]})

    assert [[12.0]] == [*values(irev, ["statNumRel"], *given).values()]


def test_estimates_can_be_above_one(irev, tmp_path):
    given = files(tmp_path, "1 a 1 1 0.1\n1 b 1 1 0.1\n", {"1": [*"ab"]})

    assert [(10 + 10 * 11 / 2) / 20, 10.0] == pytest.approx(values(irev, ("statAP", "statP@2"), *given)["1"])


@pytest.mark.parametrize("seed", range(12))
def test_values_are_those_of_the_definitions(irev, tmp_path, seed):
    chance = random.Random(seed)
    level, cutoffs = chance.choice((1, 2)), (1, 3, 10, 100)
    judged: dict[str, Judged] = {}
    ranked = {}
    for query in map(str, range(1, chance.randint(2, 9))):
        documents = [f"d{number}" for number in range(chance.randint(1, 60))]
        judged[query] = {
            d: (chance.choice((-1, 0, 0, 1, 2)), chance.choice((0, 1, 1, 1, 2, 4)), chance.choice((1, 0.5, 1e-3, 0.3)))
            for d in chance.sample(documents, chance.randint(1, len(documents)))
        }
        ranked[query] = chance.sample(documents, chance.randint(1, len(documents)))
    lines = [f"{q} {d} {g} {m} {p}\n" for q, of in judged.items() for d, (g, m, p) in of.items()]
    chance.shuffle(lines)
    measures = ("statAP", f"statP@{','.join(map(str, cutoffs))}", "statRprec", "statNumRel")
    found = values(irev, measures, "-l", str(level), *files(tmp_path, "".join(lines), ranked))

    assert {
        query: pytest.approx(slow(judged[query], ranked[query], cutoffs, level), rel=1e-12) for query in judged
    } == found


POPULATION = {"a": (1, 0.5), "b": (0, 0.9), "c": (2, 0.25), "d": (1, 1.0), "e": (1, 0.1)}
RANKED = [*"cbxadye"]


def expectations(irev, tmp_path, samples: list[tuple[float, tuple[str, ...]]], probability: dict[str, float]):
    """Expected values of the sum of precisions, precisions and R, where these samples are drawn so often: each is a
    topic, which has nothing if nothing was drawn."""
    lines = [
        f"{number} {d} {POPULATION[d][0]} 1 {probability[d]!r}\n" for number, (_, of) in enumerate(samples) for d in of
    ]
    given = files(tmp_path, "".join(lines), {str(number): RANKED for number in range(len(samples))})
    found = values(irev, ("statAP", "statP@1,4,20", "statNumRel"), *given)
    there = [(often, *found.get(str(number), [0.0] * 5)) for number, (often, _) in enumerate(samples)]
    sums = math.fsum(often * ap * R for often, ap, *_, R in there)
    return [sums, *(math.fsum(row[0] * row[column] for row in there) for column in (2, 3, 4, 5))]


def truth() -> list[float]:
    relevant = {d: 1.0 for d, (grade, _) in POPULATION.items() if grade > 0}
    return [
        summed(relevant, RANKED),
        *(sum(d in relevant for d in RANKED[:k]) / k for k in (1, 4, 20)),
        float(len(relevant)),
    ]


def test_over_all_samples_of_independent_draws_estimates_expect_the_truth(irev, tmp_path):
    """Of five documents there are 32 samples."""
    probability = {d: p for d, (_, p) in POPULATION.items()}
    samples = []
    for drawn in itertools.product((True, False), repeat=len(POPULATION)):
        often = math.prod(p if yes else 1 - p for yes, p in zip(drawn, probability.values(), strict=True))
        samples.append((often, tuple(d for yes, d in zip(drawn, POPULATION, strict=True) if yes)))

    assert truth() == pytest.approx(expectations(irev, tmp_path, samples, probability), rel=1e-12)
    # What they would expect if the document itself counted as 1/π.
    weight = {d: 1 / probability[d] for d in POPULATION if POPULATION[d][0] > 0}
    expected = sum(often * summed({d: weight[d] for d in of if d in weight}, RANKED, own=True) for often, of in samples)
    assert expected > truth()[0] + 1


def test_precisions_and_the_number_of_relevant_documents_expect_the_truth_of_samples_of_one_size_too(irev, tmp_path):
    """Three of five without replacement: draws depend on each other, and the sum of precisions is another matter."""
    samples = [(1 / 10, of) for of in itertools.combinations(POPULATION, 3)]
    found = expectations(irev, tmp_path, samples, dict.fromkeys(POPULATION, 0.6))

    assert truth()[1:] == pytest.approx(found[1:], rel=1e-12)
    assert truth()[0] != pytest.approx(found[0], rel=1e-3)


def test_where_all_were_certain_to_be_drawn_they_are_the_ordinary_measures(irev, tmp_path):
    chance = random.Random(5)
    grades = {(q, d): chance.choice((0, 0, 1, 2)) for q in range(1, 9) for d in range(chance.randint(5, 60))}
    ranked = {str(q): [str(d) for d in chance.sample(range(80), 40)] for q in range(1, 9)}
    given = files(tmp_path, "".join(f"{q} {d} {g} 1 1\n" for (q, d), g in grades.items()), ranked)
    ordinary = values(irev, ("AP", "P@5,30"), *given)

    assert ordinary == values(irev, ("statAP", "statP@5,30"), *given)


def test_what_stat_ap_mq_eval_printed(irev, tmp_path):
    """Of version 3 as TREC distributes it, which prints six decimals."""
    rows = [(1, 1, 0.5), (0, 1, 0.5), (2, 1, 0.125), (1, 0, 1), (1, 2, 0.3), (0, 0, 1), (1, 4, 0.75), (1, 1, 0.05)]
    judgments = "".join(f"1 d{number} {grade} {method} {p}\n" for number, (grade, method, p) in enumerate(rows))
    order = [5, 3, 9, 2, 0, 11, 6, 4, 1]
    found = values(
        irev,
        ("statAP", "statRprec", "statP@30", "statNumRel"),
        *files(tmp_path, judgments, {"1": [f"d{d}" for d in order]}),
    )

    assert ["0.373571", "0.400000", "0.444444", "33.333333"] == [f"{value:.6f}" for value in found["1"]]


def test_measures_of_grades_see_the_grades_alone(irev, tmp_path):
    given = files(tmp_path, JUDGED, {"1": [*"aebc"]})
    (tmp_path / "grades").write_text("1 0 a 1\n1 0 b 1\n1 0 c 0\n1 0 d 1\n")
    expected = irev("-q", "-m", "map", "-m", "ndcg", str(tmp_path / "grades"), given[1])

    assert expected == irev("-q", "-m", "map", "-m", "ndcg", *PRELS, *given)


@pytest.mark.parametrize("name", ["statAP", "statP@3", "statRprec"])
def test_a_value_is_explained_as_a_sum(irev, tmp_path, name):
    done = irev("explain", "-m", name, *PRELS, *files(tmp_path, JUDGED, {"1": [*"aebc"]}))

    assert (0, True) == (done.status, b"term" in done.stdout)


def test_commands_that_hold_runs_against_each_other_take_them(irev, tmp_path):
    judgments = JUDGED + "".join(f"2{row[1:]}" for row in JUDGED.splitlines(keepends=True))
    qrels, run = files(tmp_path, judgments, {"1": [*"aebc"], "2": [*"dab"]})
    (tmp_path / "other").write_text("1 Q0 d 1 2 other\n1 Q0 c 2 1 other\n2 Q0 c 1 1 other\n")
    for command in (
        ("check", "--min", "statAP=0.1", *PRELS, qrels, run),
        ("compare", "-m", "statAP", *PRELS, qrels, run, str(tmp_path / "other")),
        ("report", "-m", "statAP", "-o", str(tmp_path / "page.html"), *PRELS, qrels, run, str(tmp_path / "other")),
        ("eval", "-m", "statMAP", "-f", "table", *PRELS, qrels, run, str(tmp_path / "other")),
    ):
        done = irev(*command)
        assert 0 == done.status, (command, done.stderr)


def test_what_irev_pool_writes_for_it_is_read(irev, tmp_path):
    """A sample of all documents gives what the judgments give."""
    (tmp_path / "a").write_text("".join(f"q Q0 d{n:02d} 1 {-n} a\n" for n in range(12)))
    (tmp_path / "all").write_text("".join(f"q 0 d{n:02d} {n % 3}\n" for n in range(12)))
    written = str(tmp_path / "written")
    done = irev(
        "pool", "--strata", "3=1,12=1", "--judged", str(tmp_path / "all"), "--statap", written, str(tmp_path / "a")
    )
    assert 0 == done.status, done.stderr
    expected = values(irev, ["AP"], written, str(tmp_path / "a"))

    assert expected == values(irev, ["statAP"], written, str(tmp_path / "a"))


def test_judgments_of_another_kind_are_refused(irev, tmp_path):
    _, run = files(tmp_path, JUDGED, {"1": [*"a"]})
    (tmp_path / "grades").write_text("1 0 a 1\n")
    said = "needs judgments of probabilities, and these are of grades"

    refused(irev("-m", "statAP", str(tmp_path / "grades"), run), said, "--qrels-format prels")


def test_five_fields_suggest_the_format(irev, tmp_path):
    refused(irev("-m", "map", *files(tmp_path, JUDGED, {"1": [*"a"]})), "prels:1", "--qrels-format prels")


WRONG = {
    "1 a 1 1 0\n": "prels:1: the probability '0' is not above 0 and at most 1",
    "1 a 1 1 1.5\n": "prels:1: the probability '1.5' is not above 0 and at most 1",
    "1 a 1 1 1e-320\n": "prels:1: the probability '1e-320' is too small, because the weight of the",
    "1 a 1 1 1.1e-16\n": "prels:1: the probability '1.1e-16' is too small",
    "1 a 1 1 NA\n": "prels:1: the probability 'NA' is not a number",
    "1 a 1 1 1\n1 b 1 3 1\n": "prels:2: there is no method '3'; expected 0 (picked), 1 or 4 (drawn) or 2 (both)",
    "1 a 1 1 1\n1 a 0 1 0.5\n": "prels:2: document 'a' is judged twice for query '1', method '1'",
    "1 a 1 1 0.5\n1 b 1 1 1\n1 a 1 0 1\n": "prels:3: document 'a' of query '1' is judged by method '0', and by method"
    " '1' (first on line 1)",
    "1 a 1 1\n": "prels:1: ",
    "1 a 1 1 1 1\n": "prels:1: ",
}


@pytest.mark.parametrize("judgments", WRONG)
def test_what_is_wrong_is_refused_with_its_line(irev, tmp_path, judgments):
    refused(irev("-m", "statAP", *PRELS, *files(tmp_path, judgments, {"1": [*"a"]})), WRONG[judgments])


def test_validate_finds_all_at_once(irev, tmp_path):
    judgments = "1 a 1 1 0\n1 b 1 3 1\n1 c 1 1 1\n1 c 1 2 1\n"
    done = irev("validate", *PRELS, files(tmp_path, judgments, {})[0])

    assert (1, []) == (done.status, [code for code in ("E103", "E114", "E162") if code not in str(done.stdout)])


def test_conversion_would_lose_probabilities_and_is_refused(irev, tmp_path):
    qrels, _ = files(tmp_path, JUDGED, {})

    refused(irev("convert", *PRELS, qrels, str(tmp_path / "out.csv")), "probabilities")
    assert not (tmp_path / "out.csv").exists()


def test_bounds_and_ties_that_there_are_not_are_refused_by_name(irev, tmp_path):
    given = files(tmp_path, JUDGED, {"1": [*"ab"]})

    refused(irev("-m", "statAP(bound=low)", *PRELS, *given), "no bounds for the measure 'statap'")
    refused(irev("-m", "statP@3", "--ties", "average", *PRELS, *given), "over ties of the measure 'stat_P_3'")
