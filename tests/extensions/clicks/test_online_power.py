"""How many users it takes: what scipy's distributions say, what past logs say, and that so many find the difference."""

import json
import random
from math import ceil, sqrt
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from reference_clicks import as_jsonl
from scipy import stats
from test_clicks import bucket_log, team_log

import irev as package
from irev.statistics import ratios
from irev.statistics.power import users_needed
from irev.statistics.sequential import ONCE, Always

SAMPLE = ROOT / "sample_data"


def chance(n: int, effect: float, groups: int, share: float, reach: float) -> float:
    """That t is above its limit, of a noncentral t."""
    moved = effect * sqrt(n * (share * (1 - share) if groups == 2 else 1))
    return 1 - stats.nct.cdf(reach, n - groups, moved)


@pytest.mark.parametrize(("groups", "share"), [(1, 0.5), (2, 0.5), (2, 0.1)])
@pytest.mark.parametrize("effect", [0.05, -0.3, 1.5])
@pytest.mark.parametrize("looks", [ONCE, Always(1.0)], ids=["once", "always"])
def test_one_user_less_is_not_enough(groups: int, share: float, effect: float, looks) -> None:
    n = users_needed(effect, 0.05, 0.8, groups, share, looks)
    limit = {each: looks.reach(0.95, each - groups) for each in (n - 1, n)}
    assert chance(n, abs(effect), groups, share, limit[n]) >= 0.8
    assert n - 1 == groups or chance(n - 1, abs(effect), groups, share, limit[n - 1]) < 0.8


def test_no_number_finds_no_effect() -> None:
    assert users_needed(0.0, 0.05, 0.8) is None
    assert users_needed(1e-6, 0.05, 0.8) is None
    assert users_needed(0.1, 0.05, 0.8) == pytest.approx(31.4 / 0.01, rel=0.01)


def asked(irev, path: Path, *options: str) -> dict:
    done = irev("online", "power", "-f", "json", *options, str(path))
    assert (0, "") == (done.status, done.stderr)
    return json.loads(done.stdout)


def test_an_ab_test_is_planned_by_how_users_of_the_baseline_vary(irev, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(bucket_log(80, {"new": 0.5, "old": 0.4}, random.Random(3))))
    record = asked(irev, path, "-m", "ctr", "--baseline", "old", "--difference", "0.1", "--share", "0.2")
    found = package.clicks(path, "ctr", baseline="old").found
    value, bucket = found.metrics[0].values[0], found.buckets[0]
    (need,) = record["needs"]
    deviation = value.error * sqrt(value.n)
    assert (value.value, "ctr", 0.1) == (need["value"], need["metric"], need["relative"])
    assert deviation == pytest.approx(need["deviation"])
    assert users_needed(0.1 * value.value / deviation, 0.05, 0.8, 2, 0.2) == need["users"]
    assert ceil(need["users"] * bucket.impressions / bucket.users) == need["impressions"]
    assert need["users_every_look"] > need["users"]


def test_interleaving_is_planned_by_how_credit_varies(irev, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(team_log(80, 0.6, random.Random(3))))
    record = asked(irev, path, "--difference", "0.1", "--difference", "0.05")
    credit = package.clicks(path).found.credit
    assert record["interleaved"]
    assert [users_needed(each / (credit.error * sqrt(credit.n)), 0.05, 0.8, 1) for each in (0.1, 0.05)] == [
        need["users"] for need in record["needs"]
    ]
    assert all("credit" == need["metric"] for need in record["needs"])


def test_users_who_do_not_vary_need_no_number(irev, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(as_jsonl([{"event": "impression", "impression": f"{n}", "user": f"{n}"} for n in range(5)]))
    assert [None] * 5 == [need["users"] for need in asked(irev, path, "-m", "ctr")["needs"]]
    text = " ".join(irev("online", "power", str(path)).stdout.decode().split())
    assert "all users of the log have the same value" in text


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.5, 0.1])
def test_so_many_users_find_the_difference_as_often_as_said(share: float) -> None:
    """Users come again: the deviation is that of a ratio over users, from a past log."""
    rng = np.random.default_rng(8)

    def users(n: int, mean: float) -> tuple[np.ndarray, np.ndarray]:
        visits = 1 + rng.poisson(4, n)
        return rng.binomial(visits, rng.beta(5 * mean, 5 * (1 - mean), n)).astype(float), visits.astype(float)

    past = ratios.ratio(*users(5000, 0.3))
    n = users_needed(0.03 / (past.error * sqrt(past.n)), 0.05, 0.8, 2, share)
    found = 0
    for _ in range(400):
        one, two = users(round(n * share), 0.33), users(n - round(n * share), 0.3)
        found += ratios.difference(ratios.ratio(*one), ratios.ratio(*two), 0.95).p <= 0.05
    assert 0.74 < found / 400 < 0.87
