"""Results that hold at every look: what obvious arithmetic makes of them, and how often they err."""

import json
import math
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from outcomes import refused
from reference_clicks import as_jsonl, faults_and_rest, random_log
from scipy import integrate, stats
from test_clicks import METHODS, bucket_log, credit_slowly, ending_log, scored, spending_log, team_log

import irev as package
from benchmarks import looks as benchmark
from irev.extensions.clicks import statistics as exact
from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.online import LogChoices
from irev.statistics.ratios import ONCE, TIGHTEST, Always

SAMPLE = ROOT / "sample_data"


def bet(z: float, n: float, planned: float) -> float:
    """What a bet against a mean of 0 has won: the likelihood of a drift over that of none, for normal drifts."""
    spread = math.sqrt(TIGHTEST / planned)

    def won(drift: float) -> float:
        return math.exp(drift * z * math.sqrt(n) - drift * drift * n / 2) * stats.norm.pdf(drift, scale=spread)

    return integrate.quad(won, -12 * spread, 12 * spread, epsabs=0, epsrel=1e-10, limit=200)[0]


@pytest.mark.parametrize(("n", "planned"), [(40, 100), (100, 100), (900, 100), (20, 1000)])
def test_p_is_the_inverse_of_what_a_bet_on_drifts_has_won(n: int, planned: int) -> None:
    looks = Always(n / planned)
    for z in (0.5, 2.0, 3.5):
        assert min(1.0, 1 / bet(z, n, planned)) == pytest.approx(looks.p(z, math.inf), rel=1e-6)
    for confidence in (0.9, 0.95, 0.99):
        assert 1 / (1 - confidence) == pytest.approx(bet(looks.reach(confidence, math.inf), n, planned), rel=1e-6)


@pytest.mark.parametrize("freedom", [1, 3.5, 40, math.inf])
@pytest.mark.parametrize("looks", [ONCE, Always(0.1), Always(1.0), Always(30.0)], ids=["once", "soon", "later", "late"])
def test_p_is_below_what_is_left_of_the_confidence_where_the_interval_excludes_0(looks, freedom: float) -> None:
    reach = looks.reach(0.95, freedom)
    assert 0.05 == pytest.approx(looks.p(reach, freedom), rel=1e-6)
    assert looks.p(reach * 1.001, freedom) < 0.05 < looks.p(reach * 0.999, freedom)


def test_no_share_of_what_is_planned_has_a_narrower_interval_than_all() -> None:
    reach = Always(1.0).reach(0.95, math.inf)
    assert all(reach <= Always(part).reach(0.95, math.inf) for part in np.geomspace(0.01, 100, 400))
    assert math.inf == Always(1e-4).reach(0.95, math.inf)
    assert 1.0 == Always(1e-4).p(0.5, math.inf)


def won(wins: int, losses: int, share: float, planned: float) -> float:
    """What a bet against a share has won, spread over all shares by a beta distribution."""
    a = max((planned / TIGHTEST - 1) / 2, 0.5)
    chance = integrate.quad(lambda x: x**wins * (1 - x) ** losses * stats.beta.pdf(x, a, a), 0, 1)[0]
    return chance / (share**wins * (1 - share) ** losses)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (7, 3), (15, 40), (0, 12)])
@pytest.mark.parametrize("planned", [5, 60])
def test_signs_are_what_a_bet_on_shares_has_won(wins: int, losses: int, planned: int) -> None:
    (low, high), p = exact.signs(wins, losses, planned, 0.95)
    assert min(1.0, 1 / won(wins, losses, 0.5, planned)) == pytest.approx(p, rel=1e-6)
    for end in (low, high):
        assert end in (0, 1) or won(wins, losses, end, planned) == pytest.approx(20, rel=1e-6)
    assert low <= (wins / (wins + losses) if wins + losses else 0.5) <= high


def erring(looks: int, share: float, errs) -> float:
    """The chance that any of so many looks errs: every course of signs, counted, which ends where it errs."""
    chances, erred = np.array([1.0]), 0.0
    for n in range(1, looks + 1):
        chances = np.append(chances * (1 - share), 0) + np.append(0, chances * share)
        for wins in np.flatnonzero(chances > 1e-12).tolist():
            if errs(wins, n - wins):
                erred, chances[wins] = erred + chances[wins], 0.0
    return erred


@pytest.mark.parametrize("planned", [10, 300])
def test_signs_err_at_any_of_300_looks_with_an_exact_chance_below_5_percent(planned: int) -> None:
    halves = (0.5, 0.5)
    erred = erring(300, 0.5, lambda wins, losses: exact.counts((wins, losses), halves, planned) <= 0.05)
    assert 0.003 < erred < 0.05


@pytest.mark.thorough
@pytest.mark.parametrize("planned", [10, 300])
@pytest.mark.parametrize("share", [0.5, 0.2])
def test_intervals_of_signs_err_at_any_look_with_an_exact_chance_below_5_percent(share: float, planned: int) -> None:
    def errs(wins: int, losses: int) -> bool:
        low, high = exact.signs(wins, losses, planned, 0.95).interval
        return not low <= share <= high

    assert 0.001 < erring(150, share, errs) < 0.05


def test_counts_of_three_buckets_err_at_any_look_with_an_exact_chance_below_5_percent() -> None:
    shares, erred, alive = (0.5, 0.3, 0.2), 0.0, {(0, 0, 0): 1.0}
    for _ in range(45):
        grown: dict[tuple[int, ...], float] = defaultdict(float)
        for seen, chance in alive.items():
            for kind, share in enumerate(shares):
                grown[tuple(count + (place == kind) for place, count in enumerate(seen))] += chance * share
        ended = {seen for seen in grown if exact.counts(seen, shares, 30) <= 0.05}
        erred += sum(grown[seen] for seen in ended)
        alive = {seen: chance for seen, chance in grown.items() if seen not in ended}
    assert 0.001 < erred < 0.05


@pytest.mark.thorough
@pytest.mark.parametrize("case", ["rates, 1 : 1", "rates, 1 : 9", "visits", "credit"])
def test_sequences_err_at_any_look_as_seldom_as_said_and_one_look_does_not(case: str) -> None:
    experiment, rng = dict(benchmark.CASES)[case], np.random.default_rng(3)
    once = always = 0
    for _ in range(120):
        t, freedom = experiment(rng, 400)
        once += benchmark.found(t, freedom, lambda _: ONCE)
        always += benchmark.found(t, freedom, lambda look: Always((look + 1) / 400))
    assert always <= stats.binom.ppf(0.999, 120, 0.05)
    assert once > always


# Whole logs


def first_deciding(rows: list) -> list[int]:
    """1 or -1 for each user with a click that decides: by the first such impression of the log."""
    _, rest = faults_and_rest(rows)
    found: dict = {}
    for name, of in rest.items():
        a, b = credit_slowly(of)
        if of["clicks"] and a != b:
            found.setdefault(of.get("user", (name,)), 1 if a > b else -1)
    return [*found.values()]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_a_user_counts_once_by_the_first_clicks_that_decide(method: str, seed: int, tmp_path: Path) -> None:
    rows = random_log(random.Random(seed), method)
    signs = first_deciding(rows)
    found = preference(rows, tmp_path / "log", sequential=500)
    assert (signs.count(1), 0, signs.count(-1)) == found.of_users[:3]
    if not found.shared:
        p = exact.signs(signs.count(1), signs.count(-1), 50, 0.95).p
        assert p == pytest.approx(found.test.p)


def preference(rows: list, path: Path, **choices):
    from irev.extensions.clicks.online.preference import compare

    path.write_bytes(as_jsonl(rows))
    with Log([str(path)]) as log:
        return compare(log, LogChoices(on_error="drop", **choices)).found


def test_what_a_user_does_later_changes_no_sign(tmp_path: Path) -> None:
    rows = team_log(60, 0.5, random.Random(2))
    rng = random.Random(3)
    impressions = [rows[at : at + 2] for at in range(0, len(rows), 2)]
    rng.shuffle(impressions)
    before = [0, 0, 0]
    for seen in range(20, len(impressions) + 1, 20):
        some = [row for each in impressions[:seen] for row in each]
        now = preference(some, tmp_path / "log", sequential=200).of_users[:3]
        assert all(old <= new for old, new in zip(before, now, strict=True))
        before = now


def test_the_mean_credit_decides_at_every_look_where_it_decides_at_one(tmp_path: Path) -> None:
    rows = ending_log(3, lambda position, rng: rng.random() < 0.5)
    once, always = (preference(rows, tmp_path / "log", sequential=planned) for planned in (None, 400))
    assert (True, True) == (once.by_mean, always.by_mean)
    t, part = once.credit.value / once.credit.error, once.impressions / 400
    assert always.credit_p == pytest.approx(Always(part).p(t, once.credit.freedom))
    assert once.credit == always.credit
    assert (
        always.credit_interval.low < once.credit_interval.low < once.credit_interval.high < always.credit_interval.high
    )


def test_buckets_have_sequences_of_the_same_ratios(tmp_path: Path) -> None:
    rows = bucket_log(300, {"new": 0.5, "old": 0.45}, random.Random(4))
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(rows))
    once, always = (package.clicks(path, ["ctr", "abandonment"], sequential=planned).found for planned in (None, 2000))
    part = sum(bucket.impressions for bucket in always.buckets) / 2000
    for one, every in zip(once.metrics, always.metrics, strict=True):
        assert one.values == every.values
        (a,), (b,) = one.contrasts, every.contrasts
        assert "t" == a.test == b.test
        assert b.found.p == pytest.approx(Always(part).p(a.found.difference / a.found.error, a.found.degrees))
        assert b.found.high - b.found.difference == pytest.approx(
            Always(part).reach(0.95, a.found.degrees) * a.found.error
        )
        assert b.detectable > a.detectable
    sizes = [bucket.users for bucket in always.buckets]
    assert always.p == exact.counts(sizes, (0.5, 0.5), 200)


def test_what_t_is_wrong_for_is_not_tested_yet(irev, tmp_path: Path) -> None:
    rows, path = spending_log(3, {"new": 40, "old": 400}), tmp_path / "log"
    shares = (("new", 1), ("old", 10))
    found = scored(rows, path, package_plan(metrics=("value", "ctr"), shares=shares, sequential=500)).found
    for metric in found.metrics:
        assert all((None, None, "no test") == (each.found.p, each.test, each.finding) for each in metric.contrasts)
    said = irev("online", "ab", "-m", "value", "--shares", "new=1,old=10", "--sequential", "500", str(path)).stdout
    assert "Not tested yet, because fewer than 10 users" in " ".join(said.decode().split())


def package_plan(**choices):
    from irev.extensions.clicks.online import AbChoices

    return AbChoices(**choices)


@pytest.mark.parametrize("name", ["interleaved.jsonl", "ab_test.csv"])
def test_the_record_has_what_is_planned(irev, name: str) -> None:
    kind = "preference" if name.startswith("inter") else "ab"
    done = irev("online", kind, "-f", "json", "--sequential", "400", str(SAMPLE / name))
    assert 400 == json.loads(done.stdout)["plan"]["sequential"]
    assert "Results are valid at every look" in " ".join(str(package.clicks(SAMPLE / name, sequential=400)).split())
    refused(irev("online", kind, "--sequential", "0", str(SAMPLE / name)))
