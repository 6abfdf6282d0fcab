"""Rank-biased overlap of two runs: by hand, against slow definitions, as published with the paper on ties, and as the
command and Python have it."""

import itertools
import json
import math
import random

import numpy as np
import pytest
from outcomes import refused

import irev as package
from irev.statistics.correlations import TIES, overlap, places

Ranking = list[tuple[str, ...]]
"""Groups of items that tie, best first."""


def fast(one: Ranking, other: Ranking, p: float, ties: str = "a"):
    items = [[item for group in ranking for item in group] for ranking in (one, other)]
    scores = [np.array([-float(g) for g, group in enumerate(r) for _ in group]) for r in (one, other)]
    both = [item for item in items[0] if item in items[1]]
    common = tuple(np.array([side.index(item) for item in both], dtype=np.int64) for side in items)
    return overlap(places(scores[0]), places(scores[1]), common, p, ties)


def apart(*items: str) -> Ranking:
    return [(item,) for item in items]


def agreement(one: list[str], other: list[str], depth: int) -> float:
    return len(set(one[:depth]) & set(other[:depth])) / depth


def endless(one: list[str], other: list[str], p: float) -> float:
    """Of rankings so long that what follows does not count."""
    return (1 - p) * math.fsum(p ** (d - 1) * agreement(one, other, d) for d in range(1, len(one) + 1))


FAR = 400
"""A depth that with p ≤ 0.9 is as good as none."""


def least(one: list[str], other: list[str], p: float) -> float:
    """Nothing that follows is in both."""
    return endless(
        *(side + [f"{k} of {name}" for k in range(FAR - len(side))] for side, name in ((one, 1), (other, 2))), p
    )


def most(one: list[str], other: list[str], p: float) -> float:
    """What follows is what the other has, as soon as there is any."""
    sides = [list(one), list(other)]
    for number in range(FAR):
        for mine, theirs in (sides, sides[::-1]):
            if len(mine) < FAR and len(mine) <= number:
                mine.append(next((item for item in theirs if item not in mine), f"new {len(mine)}"))
    return endless(*(side[:FAR] for side in sides), p)


def extrapolated(one: list[str], other: list[str], p: float) -> float:
    """Equation 32 of Webber, Moffat and Zobel."""
    one, other = sorted((one, other), key=len)
    s, length = len(one), len(other)
    both = [len(set(one[:d]) & set(other[:d])) for d in range(length + 1)]
    total = sum(both[d] / d * p**d for d in range(1, length + 1))
    total += sum(both[s] * (d - s) / (s * d) * p**d for d in range(s + 1, length + 1))
    return (1 - p) / p * total + ((both[length] - both[s]) / length + both[s] / s) * p**length


def orders(ranking: Ranking):
    """Every order of every tie."""
    for chosen in itertools.product(*(itertools.permutations(group) for group in ranking)):
        yield [item for group in chosen for item in group]


def by_depth(one: Ranking, other: Ranking, p: float, ties: str) -> float:
    """The least value, from the definitions of agreement under ties."""

    def share(ranking: Ranking, item: str, depth: int) -> float:
        above = 0
        for group in ranking:
            if item in group:
                return float(depth > above) if ties == "w" else min(max((depth - above) / len(group), 0.0), 1.0)
            above += len(group)
        return 0.0

    lengths = [sum(map(len, ranking)) for ranking in (one, other)]
    items = {item for ranking in (one, other) for group in ranking for item in group}
    total = 0.0
    for depth in range(1, FAR):
        shares = [[share(ranking, item, depth) for item in items] for ranking in (one, other)]
        both = math.fsum(a * b for a, b in zip(*shares, strict=True))
        squared = [
            float(depth) if depth > length else math.fsum(x * x for x in of)
            for of, length in zip(shares, lengths, strict=True)
        ]
        counted = [float(depth) if depth > n else sum(of) for of, n in zip(shares, lengths, strict=True)]
        over = {"a": depth, "b": math.sqrt(squared[0] * squared[1]), "w": sum(counted) / 2}[ties]
        if depth > max(lengths):
            over = depth
        total += p ** (depth - 1) * both / over
    return (1 - p) * total


def random_ranking(chance: random.Random, items: int, longest: int) -> Ranking:
    drawn = [f"d{number}" for number in chance.sample(range(items), chance.randint(1, min(items, longest)))]
    found = []
    while drawn:
        size = chance.choice((1, 1, 2, 3))
        found.append(tuple(drawn[:size]))
        drawn = drawn[size:]
    return found


def test_two_rankings_by_hand():
    """a b c and b a d, p = 0.5: A_1 = 0, A_2 = 1, A_3 = 2/3, and 2/3 from there on: 0 + 1/4 + 1/12 + 1/12."""
    found = fast(apart("a", "b", "c"), apart("b", "a", "d"), 0.5)

    assert pytest.approx(1 / 4 + 1 / 12 + 1 / 12) == found.extrapolated
    # With nothing new, A_d = 2/d: sum of 2/d · 2^-d less the first.
    assert pytest.approx(2 * (math.log(2) - 0.5)) == found.least
    # At best c and d turn up at rank 4: A_4 = 1, and so on, where it would be 2/d.
    assert pytest.approx(1 / 8 - 2 * (math.log(2) - 0.5 - 1 / 8 - 1 / 24)) == found.residual


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("a", (0.6922853, 0.3310519, 0.5620173)),
        ("w", (0.7068257, 0.3429684, 0.5620173)),
        ("b", (0.7207131, 0.3509163, 0.5620173)),
    ],
)
def test_the_example_of_the_paper_on_ties(ties, expected):
    """As printed by the program of its authors: red (blue green) yellow pink, and one of another length."""
    one = [("red",), ("blue", "green"), ("yellow",), ("pink",)]
    other = [("blue", "red"), ("white",), ("yellow", "black", "purple"), ("green",)]

    assert expected == pytest.approx(tuple(fast(one, other, 0.95, ties)), abs=5e-8)
    assert expected == pytest.approx(tuple(fast(other, one, 0.95, ties)), abs=5e-8)


@pytest.mark.parametrize("seed", range(30))
def test_rankings_without_ties_are_as_defined_whatever_ties_are(seed):
    chance = random.Random(seed)
    p = chance.choice((0.5, 0.8, 0.9))
    one, other = ([group[0] for group in random_ranking(chance, 12, 9)] for _ in range(2))
    expected = extrapolated(one, other, p), least(one, other, p), most(one, other, p) - least(one, other, p)
    for ties in TIES:
        assert expected == pytest.approx(tuple(fast(apart(*one), apart(*other), p, ties)), abs=1e-9)


@pytest.mark.parametrize("seed", range(15))
def test_ties_of_kind_a_are_the_mean_over_all_orders(seed):
    chance = random.Random(seed)
    one, other = (random_ranking(chance, 7, 6) for _ in range(2))
    every = [least(a, b, 0.8) for a in orders(one) for b in orders(other)]

    assert pytest.approx(math.fsum(every) / len(every), abs=1e-9) == fast(one, other, 0.8).least


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("seed", range(10))
def test_the_least_value_under_ties_is_as_defined_depth_by_depth(seed, ties):
    chance = random.Random(100 + seed)
    one, other = (random_ranking(chance, 10, 9) for _ in range(2))

    assert pytest.approx(by_depth(one, other, 0.9, ties), abs=1e-9) == fast(one, other, 0.9, ties).least


def test_a_ranking_with_ties_agrees_with_itself_but_for_kind_a():
    ranking = [("a", "b"), ("c",), ("d", "e", "f")]
    found = {ties: fast(ranking, ranking, 0.9, ties).extrapolated for ties in TIES}

    assert (1.0, 1.0) == pytest.approx((found["b"], found["w"]))
    assert found["a"] < 0.95


def test_a_ranking_of_nothing_overlaps_with_nothing():
    assert (0.0, 0.0, 1.0) == fast([], apart("a"), 0.9)


# The command and Python


def lines(run: dict[str, dict[str, float]]) -> str:
    return "".join(f"{q} Q0 {d} 0 {s} t\n" for q, of in run.items() for d, s in of.items())


A = {"1": {"a": 3.0, "b": 2.0, "c": 2.0}, "2": {"x": 1.0}, "4": {"k": 1.0}}
B = {"1": {"b": 9.0, "a": 8.0, "d": 7.0, "c": 6.5}, "2": {"y": 1.0}, "3": {"z": 1.0}}


@pytest.fixture
def two(tmp_path) -> tuple[str, str]:
    for name, run in (("a", A), ("b", B)):
        (tmp_path / name).write_text(lines(run))
    return str(tmp_path / "a"), str(tmp_path / "b")


@pytest.mark.parametrize("ties", TIES)
def test_the_command_and_python_have_the_same_numbers(irev, two, ties):
    done = irev("rbo", "--rbo-ties", ties, "--rbo-p", "0.8", "-f", "json", *two)
    record = json.loads(done.stdout)
    expected = fast([("a",), ("b", "c")], apart("b", "a", "d", "c"), 0.8, ties)
    rows = {row["query"]: (row["rbo"], row["least"], row["residual"]) for row in record["queries"]}

    assert tuple(expected) == pytest.approx(rows["1"])
    assert ["1", "2", "3", "4"] == list(rows)
    assert [(0.0, 0.0, 1.0)] * 2 == [rows["3"], rows["4"]]
    found = package.rbo(A, B, p=0.8, rbo_ties=ties)
    assert [rows[query.decode()] for query in found.queries] == list(
        zip(found.extrapolated.tolist(), found.least.tolist(), found.residual.tolist(), strict=True)
    )
    assert tuple(record["mean"].values()) == tuple(found.means)
    assert (3, 3, 4) == (record["queries"][0]["common"], found.documents[0, 0], found.documents[0, 1])
    assert "query 3 of other runs has no results" in done.stderr


def test_runs_in_other_orders_of_queries_have_the_same_numbers(irev, two, tmp_path):
    backwards = tmp_path / "c"
    backwards.write_text("".join(reversed(lines(B).splitlines(keepends=True))))
    rows = [irev("rbo", "-f", "csv", two[0], other).stdout for other in (two[1], str(backwards))]

    assert rows[0] == rows[1]


def test_a_depth_cuts_both(irev, two):
    rows = irev("rbo", "-M", "1", "-f", "csv", *two).stdout.splitlines()

    assert b"1,0.0000,0.0000,0.9000,0,1,1" in [row.strip() for row in rows]


def test_judgments_in_the_place_of_a_run_are_refused(irev, tmp_path, two):
    (tmp_path / "qrels").write_text("1 0 a 1\n")

    refused(irev("rbo", str(tmp_path / "qrels"), two[0]), "qrels:1", "looks like judgments")


def test_runs_of_other_queries_are_refused(irev, tmp_path, two):
    (tmp_path / "other").write_text("9 Q0 a 1 1 t\n")

    refused(irev("rbo", two[0], str(tmp_path / "other")), "no query in common")


@pytest.mark.parametrize(
    "choices", [{"p": 1.0}, {"p": 0}, {"rbo_ties": "c"}, {"ties": "average"}, {"depth": 0}], ids=str
)
def test_python_refuses_what_makes_no_sense(choices):
    with pytest.raises(package.UsageError):
        package.rbo(A, B, **choices)


@pytest.mark.parametrize("style", ["table", "markdown", "html", "latex"])
def test_ids_and_names_are_not_taken_for_orders_to_a_terminal(irev, tmp_path, style):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"\x1b[31m<b>q Q0 d 1 1 \x1b[2J<i>" + name.encode() + b"\n")
    written = irev("rbo", "-f", style, str(tmp_path / "a"), str(tmp_path / "b")).stdout

    assert (0, 0) == (written.count(b"\x1b[31m"), written.count(b"\x1b[2J"))
    assert style != "html" or 0 == written.count(b"<i>a")


def test_queries_of_one_document_have_the_values_that_each_has_alone(irev, tmp_path):
    for name, lines in (("one", ("q1 a", "q2 a", "q3 b", "q4 b")), ("two", ("q1 a", "q2 a", "q3 a", "q5 b"))):
        rows = ((query, line.split()[1]) for line in lines for query in [line.split()[0]])
        (tmp_path / name).write_text("".join(f"{query} Q0 {document} 1 1 {name}\n" for query, document in rows))
    made = irev("rbo", "-f", "csv", str(tmp_path / "one"), str(tmp_path / "two")).stdout.decode().splitlines()
    values = {line.split(",")[0]: line.split(",")[1:] for line in made[1:]}
    assert values["q1"] == values["q2"]
    assert [1.0, 0.0, 0.0, 0.0] == [float(values[query][0]) for query in ("q1", "q3", "q4", "q5")]
