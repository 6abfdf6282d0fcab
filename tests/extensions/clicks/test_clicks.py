"""What logs of clicks say: what slow arithmetic with dictionaries makes of them, in any order and parts."""

import itertools
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from outcomes import refused
from reference_clicks import as_jsonl, faults_and_rest, random_log
from scipy.stats import binom, binomtest, fisher_exact, skew
from users import simulated

import irev as package
from benchmarks import interleaving
from irev.base.errors import InputError, UsageError
from irev.extensions.clicks import statistics
from irev.extensions.clicks.events import schema
from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.online import AbChoices, LogChoices
from irev.extensions.clicks.online.ab import compare as compare_buckets
from irev.extensions.clicks.online.ab.buckets import BucketTest, MetricSums, _contrast
from irev.extensions.clicks.online.by_user import Users, float_sums
from irev.extensions.clicks.online.interleave import METHODS
from irev.extensions.clicks.online.logs import Clicks
from irev.extensions.clicks.online.metrics import METRICS
from irev.extensions.clicks.online.preference import Preference
from irev.extensions.clicks.online.preference import compare as compare_lists
from irev.extensions.clicks.statistics import ExactSum

SAMPLE = ROOT / "sample_data"


def bucket_plan(metrics: tuple = (), baseline: str | None = None, shares: dict | None = None, **more) -> AbChoices:
    return AbChoices(metrics=metrics, baseline=baseline, shares=tuple((shares or {}).items()), **more)


USUAL = bucket_plan()


def score(log: Log, plan: AbChoices, memory: int | None = None) -> Clicks:
    """What `irev.clicks` finds, by the kind of the log."""
    if log.facts.kind != schema.INTERLEAVED:
        return compare_buckets(log, plan, memory)
    return compare_lists(log, LogChoices(on_error=plan.on_error), memory)


def scored(rows: list, path: Path, plan: AbChoices = USUAL, memory: int | None = None, drop: bool = True) -> Clicks:
    path.write_bytes(as_jsonl(rows))
    plan = replace(plan, on_error=schema.DROP if drop else schema.REFUSE)
    with Log([str(path)], memory=memory) as log:
        return score(log, plan, memory)


def test_there_are_the_methods_that_lists_can_be_made_by() -> None:
    assert sorted(schema.METHODS) == sorted(METHODS)


# Buckets

RATIOS = {
    "ctr": (lambda of: bool(of["clicks"]), lambda of: 1),
    "abandonment": (lambda of: not of["clicks"], lambda of: 1),
    "clicks": (lambda of: len(of["clicks"]), lambda of: 1),
    "first_click": (lambda of: first_click(of), lambda of: bool(of["clicks"])),
    "max_rr": (
        lambda of: max((Fraction(1, each["position"]) for each in of["clicks"]), default=0),
        lambda of: bool(of["clicks"]),
    ),
    "mean_rr": (lambda of: sum(Fraction(1, each["position"]) for each in of["clicks"]), lambda of: len(of["clicks"])),
    "dwell": (lambda of: sum_of(of["clicks"], "dwell"), lambda of: sum("dwell" in each for each in of["clicks"])),
    "conversions": (lambda of: len(of["conversions"]), lambda of: 1),
    "value": (lambda of: sum_of(of["conversions"], "value"), lambda of: 1),
}
"""What is added of an impression, and what divides it."""


def sum_of(events: list, name: str) -> Fraction:
    return sum((Fraction(each.get(name, 0)) for each in events), Fraction(0))


def first_click(of: dict) -> Fraction:
    if not of["clicks"] or "time" not in of:
        return Fraction(0)
    return Fraction(round((min(each["time"] for each in of["clicks"]) - of["time"]) * 1e6), 10**6)


def slowly(rows: list) -> tuple[dict, dict]:
    """Users by bucket, and of each metric and bucket the value and its standard error."""
    _, rest = faults_and_rest(rows)
    of_user = defaultdict(list)
    for name, of in rest.items():
        of_user[of.get("user", (name,))].append(of)
    sound = {user: seen for user, seen in of_user.items() if len({of["bucket"] for of in seen}) == 1}
    users = Counter(seen[0]["bucket"] for seen in sound.values())
    found = {}
    for metric, (y_of, x_of) in RATIOS.items():
        for bucket in users:
            pairs = [
                (sum(Fraction(y_of(of)) for of in seen), sum(x_of(of) for of in seen))
                for seen in sound.values()
                if seen[0]["bucket"] == bucket
            ]
            pairs = [(y, x) for y, x in pairs if x]
            n, total = len(pairs), sum(x for _, x in pairs)
            if not total:
                found[metric, bucket] = (None, None)
                continue
            value = sum(y for y, _ in pairs) / Fraction(total)
            error = None
            if n > 1:  # each user left out in turn
                error = sqrt((n - 1) / n * sum(((y - value * x) / (total - x)) ** 2 for y, x in pairs))
            found[metric, bucket] = (float(value), error)
    return dict(users), found


@pytest.mark.parametrize("seed", range(4))
def test_metrics_are_what_slow_arithmetic_makes_of_them(seed: int, tmp_path: Path) -> None:
    rows = random_log(random.Random(seed), "buckets", impressions=80, faults=0.05 * (seed % 2))
    plan = bucket_plan(metrics=tuple(name for name in RATIOS if name != "first_click" or "time" in rows[0]))
    users, values = slowly(rows)
    found = scored(rows, tmp_path / "log", plan).found
    assert isinstance(found, BucketTest)
    assert users == {bucket.name: bucket.users for bucket in found.buckets}
    for each in found.metrics:
        for bucket, ratio in zip(found.buckets, each.values, strict=True):
            value, error = values[each.metric.name, bucket.name]
            assert ratio.value == (value if value is None else pytest.approx(value, rel=1e-11, abs=1e-11))
            assert ratio.error == (error if error is None else pytest.approx(error, rel=1e-6, abs=1e-9))


def shuffled(rows: list, rng: random.Random) -> list:
    """The same log with impressions, each with its events behind it, in another order."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["impression"]].append(row)
    order = [*groups.values()]
    rng.shuffle(order)
    return [row for group in order for row in group]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["buckets", *METHODS])
def test_neither_parts_nor_the_order_of_the_log_change_a_bit(kind: str, tmp_path: Path) -> None:
    rows = random_log(random.Random(f"{kind}!"), kind, impressions=120)
    whole = scored(rows, tmp_path / "log")
    for memory in (None, 0, 20_000):
        for order in (rows, shuffled(rows, random.Random(memory))):
            other = scored(order, tmp_path / "log", memory=memory)
            assert repr(whole.found) == repr(other.found)


def bucket_log(users: int, rate: dict[str, float], rng: random.Random, sizes: dict[str, int] | None = None) -> list:
    rows = []
    for bucket, wanted in (sizes or dict.fromkeys(rate, users)).items():
        for user in range(wanted):
            for number in range(rng.randrange(1, 5)):
                name = f"{bucket} {user} {number}"
                rows.append({"event": "impression", "impression": name, "user": f"{bucket} {user}", "bucket": bucket})
                if rng.random() < rate[bucket]:
                    rows.append({"event": "click", "impression": name, "position": 1})
    return rows


def test_a_difference_that_is_there_is_found_and_none_where_there_is_none(tmp_path: Path) -> None:
    rows = bucket_log(300, {"new": 0.6, "old": 0.3, "same": 0.3}, random.Random(0))
    found = scored(rows, tmp_path / "log", bucket_plan(("ctr", "abandonment"), baseline="old")).found
    assert isinstance(found, BucketTest)
    assert not found.mismatch
    assert ["old", "new", "same"] == [bucket.name for bucket in found.buckets]
    findings = {(each.metric.name, of.bucket): of.finding for each in found.metrics for of in each.contrasts}
    assert findings == {
        ("ctr", "new"): "better",
        ("ctr", "same"): "not shown",
        ("abandonment", "new"): "better",
        ("abandonment", "same"): "not shown",
    }
    (ctr, _) = found.metrics
    assert ctr.contrasts[0].found.low < 0.3 < ctr.contrasts[0].found.high
    assert ctr.contrasts[0].adjusted == 2 * ctr.contrasts[0].found.p  # abandonment is the same test


def test_metrics_whose_users_are_perfectly_correlated_are_tested_once(irev, tmp_path: Path) -> None:
    rows = bucket_log(60, {"new": 0.5, "old": 0.3}, random.Random(1))
    found = scored(rows, tmp_path / "log.jsonl", bucket_plan(("ctr", "abandonment", "ctr_1"), baseline="old")).found
    assert [None, "ctr"] == [each.same_as for each in found.metrics][:2]
    alone = scored(rows, tmp_path / "log.jsonl", bucket_plan(("ctr",), baseline="old")).found.metrics[0].contrasts[0]
    both = scored(rows, tmp_path / "log.jsonl", bucket_plan(("ctr", "abandonment"), baseline="old")).found
    assert [alone.found.p] * 2 == [each.contrasts[0].adjusted for each in both.metrics]
    shown = irev("online", "ab", "--on-error", "drop", "-m", "abandonment,ctr", str(tmp_path / "log.jsonl")).stdout
    assert b"ctr and abandonment are one test" in b" ".join(shown.split())
    assert b"correction over 1 test;" in b" ".join(shown.split())


@pytest.mark.parametrize("rates", [(0.0, 0.3), (1.0, 0.5), (1.0, 0.0)])
def test_metrics_that_are_one_are_tested_once_where_values_vary_in_one_bucket_or_none(tmp_path: Path, rates) -> None:
    rows = bucket_log(60, dict(zip(("new", "old"), rates, strict=True)), random.Random(1))
    found = scored(rows, tmp_path / "log", bucket_plan(("ctr", "abandonment"), baseline="old")).found
    assert [None, "ctr"] == [each.same_as for each in found.metrics]
    (ctr, abandonment) = (each.contrasts[0] for each in found.metrics)
    assert ctr.found.p == ctr.adjusted == abandonment.adjusted


def test_where_no_metric_can_be_tested_no_correction_is_named(irev, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(
        "".join(f"{json.dumps(row)}\n" for row in bucket_log(20, {"new": 1.0, "old": 1.0}, random.Random(1)))
    )
    asked = ("online", "ab", "--on-error", "drop", "-m", "ctr,abandonment", str(tmp_path / "log.jsonl"))
    said = " ".join(irev(*asked).stdout.decode().split())
    assert "No metric could be tested." in said
    assert "0 tests" not in said
    assert "valid for one look" not in said


def test_metrics_of_equal_numbers_and_other_users_are_two_tests(tmp_path: Path) -> None:
    """Equally many users, of equally many, click at rank 1 and at rank 2, and so all p are equal."""
    rows = single_log({"new": (30, 60), "old": (15, 60)})
    users = [row["user"] for row in rows if row["event"] == "impression"]
    others = [user for user in users if int(user.split()[1]) >= 60 - {"new": 30, "old": 15}[user.split()[0]]]
    rows += [{"event": "click", "impression": user, "position": 2} for user in others]
    found = scored(rows, tmp_path / "log", bucket_plan(("ctr_1", "ctr_2"), baseline="old")).found
    one, other = (each.contrasts[0] for each in found.metrics)
    assert one.found.p == other.found.p
    assert one.adjusted == 2 * one.found.p
    assert [None, None] == [each.same_as for each in found.metrics]


def test_a_share_of_users_with_one_impression_has_the_interval_of_clopper_and_pearson(tmp_path: Path) -> None:
    found = scored(single_log({"new": (3, 400), "old": (0, 90)}), tmp_path / "log", bucket_plan(("ctr",))).found
    exact = [binomtest(k, n).proportion_ci(method="exact") for k, n in ((3, 400), (0, 90))]
    few, none = found.metrics[0].intervals
    assert few == pytest.approx((exact[0].low, exact[0].high), abs=5e-4)  # t of 399 degrees, not z
    assert none == pytest.approx((0, exact[1].high), rel=0.03)


def single_log(clicked: dict[str, tuple[int, int]]) -> list:
    """Users of one impression each: so many of so many of a bucket click."""
    rows = []
    for bucket, (some, users) in clicked.items():
        for user in range(users):
            name = f"{bucket} {user}"
            rows.append({"event": "impression", "impression": name, "user": name, "bucket": bucket})
            if user < some:
                rows.append({"event": "click", "impression": name, "position": 1})
    return rows


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ((10, 1000), (0, 100), "not shown"),  # t has p = 0.0015
        ((0, 1000), (1000, 1000), "better"),  # and here no user differs
        ((1000, 1000), (0, 1000), "worse"),
        ((9, 50), (30, 50), "better"),
        ((0, 50), (0, 50), "not shown"),
    ],
)
def test_where_nearly_all_users_are_alike_fishers_test_of_how_many_have_any_decides(
    old: tuple[int, int], new: tuple[int, int], finding: str, tmp_path: Path
) -> None:
    plan = bucket_plan(("ctr", "abandonment"), "old", {"old": old[1], "new": new[1]}, correction="none")
    found = scored(single_log({"old": old, "new": new}), tmp_path / "log", plan).found
    assert isinstance(found, BucketTest)
    expected = fisher_exact([[old[0], old[1] - old[0]], [new[0], new[1] - new[0]]]).pvalue
    for each in found.metrics:
        (of,) = each.contrasts
        assert (finding, "fisher") == (of.finding, of.test)
        assert of.found.p == pytest.approx(expected, rel=1e-9)
        assert (None, None, None) == (of.found.low, of.found.relative_low, of.detectable)


def test_ten_users_who_differ_are_enough_for_another_test(tmp_path: Path) -> None:
    for some, test in ((9, "fisher"), (10, "permutation")):
        found = scored(
            single_log({"old": (50, 100), "new": (some, 100)}), tmp_path / "log", bucket_plan(("ctr",))
        ).found
        assert isinstance(found, BucketTest)
        assert test == found.metrics[0].contrasts[0].test
        assert (test == "permutation") == (found.metrics[0].contrasts[0].detectable is not None)


def test_where_all_have_some_and_few_differ_there_is_no_test_and_the_reason_is_said(irev, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(single_log({"old": (50, 100), "new": (5, 100)})))
    done = irev("online", "ab", "-m", "ctr", "-m", "max_rr", str(path))
    assert done == irev("online", "ab", "-m", "CTR,max_rr", "-m", "ctr", str(path))
    text = " ".join(done.stdout.decode().split())
    few = "users of a bucket have a value other than the most frequent one"
    assert f"{few}, so Fisher's two-sided exact test of how many users have any replaces t, without an" in text
    assert f"{few}, and all users have some, so there is no test: max_rr." in text


def test_more_users_with_any_and_a_lower_ratio_are_no_finding(tmp_path: Path) -> None:
    rows = single_log({"old": (5, 100), "new": (30, 100)})
    rows += [{"event": "click", "impression": "old 0", "position": 1}] * 100
    found = scored(rows, tmp_path / "log", bucket_plan(("clicks",), "old")).found
    assert isinstance(found, BucketTest)
    (of,) = found.metrics[0].contrasts
    assert of.found.p < 0.001
    assert of.found.difference < 0
    assert "no test" == of.finding


def heavy_log(seed: int, heavy: int, users: int = 150) -> list:
    """Two buckets that do not differ, of which two users each at most come so much more often, and always click."""
    rng, rows = random.Random(seed), []
    for bucket in ("new", "old"):
        machines = rng.randrange(3)
        for user in range(users):
            for number in range(heavy if user < machines else rng.randrange(1, 4)):
                name = f"{bucket} {user} {number}"
                rows.append({"event": "impression", "impression": name, "user": f"{bucket} {user}", "bucket": bucket})
                if user < machines or rng.random() < 0.2:
                    rows.append({"event": "click", "impression": name, "position": 1})
    return rows


def test_users_who_weigh_as_much_as_few_are_said_and_not_tested_by_t(irev, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(heavy_log(3, 400)))
    found = scored(heavy_log(3, 400), path).found
    assert isinstance(found, BucketTest)
    impressions = Counter(row["user"] for row in heavy_log(3, 400) if row["event"] == "impression")
    for bucket in found.buckets:
        counts = [count for user, count in impressions.items() if user.split()[0] == bucket.name]
        assert sum(counts) ** 2 / sum(count**2 for count in counts) == pytest.approx(bucket.effective)
    (ctr, *_) = found.metrics
    assert ("permutation", "not shown") == (ctr.contrasts[0].test, ctr.contrasts[0].finding)
    done = irev("online", "ab", str(path))
    said = " ".join(done.stderr.split())
    assert "HEAVY USERS: 150 users of " in said
    assert "with equally many impressions would: a few users decide" in said
    assert "HEAVY" not in irev("online", "ab", str(ROOT / "sample_data" / "ab_test.csv")).stderr


@pytest.mark.thorough
def test_heavy_users_make_no_differences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of 25 logs about one is to be expected at the level 0.05; t by the delta method finds one in more than 12."""
    monkeypatch.setattr(statistics, "SAMPLES", 199)
    found = [scored(heavy_log(seed, 400), tmp_path / "log", bucket_plan(("ctr",))).found for seed in range(25)]
    contrasts = [each.metrics[0].contrasts[0] for each in found if isinstance(each, BucketTest)]
    assert sum(of.finding not in ("no test", "not shown") for of in contrasts) <= 4


def spending_log(seed: int, sizes: dict[str, int], sigma: float = 2.0) -> list:
    """Users of one impression and one conversion each, whose values are lognormal, and the same in all buckets."""
    rng, rows = random.Random(seed), []
    for bucket, users in sizes.items():
        for user in range(users):
            name = f"{bucket} {user}"
            rows.append({"event": "impression", "impression": name, "user": name, "bucket": bucket})
            rows.append({"event": "conversion", "impression": name, "value": rng.lognormvariate(0, sigma)})
    return rows


def test_skewed_values_are_said_with_the_users_that_they_ask_for_and_users_are_dealt_out_again(
    irev, tmp_path: Path
) -> None:
    rows, path = spending_log(3, {"new": 40, "old": 400}), tmp_path / "log"
    found = scored(rows, path, bucket_plan(("value", "ctr"), "old", {"new": 1, "old": 10})).found
    assert isinstance(found, BucketTest)
    value, ctr = found.metrics
    skewness = [
        skew([row["value"] for row in rows if "value" in row and row["impression"].startswith(bucket)])
        for bucket in ("old", "new")
    ]
    assert [pytest.approx(each, rel=1e-9) for each in skewness] == [*value.skewness]
    (of,) = value.contrasts
    assert ("permutation", "fisher") == (of.test, ctr.contrasts[0].test)
    assert (of.found.low <= 0 <= of.found.high) == (of.found.p > 0.05)
    done = irev("online", "ab", "-m", "value", "--baseline", "old", "--shares", "new=1,old=10", str(path))
    asked = max(355 * each**2 for each in skewness)
    said = " ".join(done.stderr.split())
    assert f"SKEWED VALUES: the t-test needs 355 · skewness² users in each bucket: {ceil(asked):,} for" in said
    record = json.loads(irev("online", "ab", "-f", "json", "-m", "value", "--shares", "new=1,old=10", str(path)).stdout)
    assert {ceil(355 * each**2) for each in skewness} == {each["needed"] for each in record["contrasts"]}


def test_where_no_outcome_could_be_found_the_least_p_is_said(irev, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(single_log({"old": (3, 3), "new": (0, 3)})))
    text = " ".join(irev("online", "ab", "-m", "ctr", str(path)).stdout.decode().split())
    assert (
        "no mismatch is shown (p = 1.0000); with so few users no mismatch can be shown: the lowest possible p is"
        " 0.0312." in text
    )
    assert "no outcome could be significant; the lowest possible p, uncorrected: 0.1000 of ctr." in text
    path.write_bytes(as_jsonl(single_log({"old": (30, 60), "new": (20, 60)})))
    assert "least" not in irev("online", "ab", "-m", "ctr", str(path)).stdout.decode()
    for users, some in ((5, True), (6, False)):
        path.write_bytes(as_jsonl(team_log(users, 1.0, random.Random(5))))
        text = " ".join(irev("online", "preference", str(path)).stdout.decode().split())
        assert some == ("no outcome could be significant: the lowest possible p is 0.0625." in text)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("chance", "old", "new"), [(0.01, 1000, 100), (0.02, 500, 50), (0.05, 200, 20), (0.1, 100, 20), (0.01, 1000, 1000)]
)
def test_rare_clicks_in_buckets_of_unequal_size_are_found_to_differ_as_seldom_as_said(
    chance: float, old: int, new: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The t-test finds a difference in 30 to 37 of 100 of the first three."""
    monkeypatch.setattr(statistics, "SAMPLES", 199)
    rng = np.random.default_rng(0)
    plan, found = bucket_plan(), 0
    for _ in range(2000):
        of, other = (_sums(rng.random(users) < chance) for users in (new, old))
        found += (_contrast("new", of, other, plan).found.p or 0.0) <= plan.alpha
    assert found / 2000 <= 0.06


def _sums(clicked: np.ndarray) -> MetricSums:
    """Of users of one impression."""
    ones, nothing = np.ones(len(clicked), dtype=np.int64), np.empty(0)
    sums = MetricSums(METRICS["ctr"], 0)
    keys = np.arange(2 * len(ones), dtype=np.uint64).reshape(-1, 2)
    users = Users(keys, nothing, ones, {"clicked": clicked.astype(np.int64)}, nothing, nothing, {})
    sums.add(users, ones.astype(bool))
    sums.settle()
    sums.vary(users, ones.astype(bool))
    sums.keep(users, ones.astype(bool))
    return sums


def test_buckets_that_are_not_as_large_as_meant_leave_nothing_to_be_found(tmp_path: Path) -> None:
    rows = bucket_log(0, {"new": 0.6, "old": 0.3}, random.Random(1), {"new": 250, "old": 150})
    found = scored(rows, tmp_path / "log").found
    assert isinstance(found, BucketTest)
    assert found.mismatch
    assert {"no test"} == {of.finding for each in found.metrics for of in each.contrasts}
    meant = scored(rows, tmp_path / "log", bucket_plan(shares={"new": 5, "old": 3})).found
    assert isinstance(meant, BucketTest)
    assert not meant.mismatch
    assert [0.625, 0.375] == [bucket.share for bucket in meant.buckets]


def test_a_user_in_several_buckets_is_a_fault(tmp_path: Path) -> None:
    rows = bucket_log(20, {"new": 0.5, "old": 0.5}, random.Random(2))
    rows.append({"event": "impression", "impression": "last", "user": "old 0", "bucket": "new"})
    rows.append({"event": "click", "impression": "last", "position": 1})
    with pytest.raises(
        InputError, match=rf"log:{len(rows) - 1}: the user of this impression was in another bucket bef"
    ):
        scored(rows, tmp_path / "log", drop=False)
    dropped = scored(rows, tmp_path / "log")
    assert {"E145": 1} == dropped.faults
    assert isinstance(dropped.found, BucketTest)
    assert {"new": 20, "old": 19} == {bucket.name: bucket.users for bucket in dropped.found.buckets}
    without = [row for row in rows if row["impression"] != "last" and not row["impression"].startswith("old 0 ")]
    assert repr(scored(without, tmp_path / "log").found) == repr(dropped.found)
    assert len(rows) - len(without) == dropped.facts.left_out


def test_what_a_log_has_nothing_of_is_not_measured_unless_asked_for(tmp_path: Path) -> None:
    rows = [{"event": "impression", "impression": f"{n}", "bucket": "old"} for n in range(3)]
    found = scored(rows, tmp_path / "log").found
    assert ["ctr", "abandonment", "clicks"] == [each.metric.name for each in found.metrics]
    found = scored(rows, tmp_path / "log", bucket_plan(("conversions", "dwell"))).found
    assert [0.0, None] == [each.values[0].value for each in found.metrics]


def test_what_the_log_cannot_say_is_refused(tmp_path: Path) -> None:
    rows = bucket_log(5, {"new": 0.5, "old": 0.5}, random.Random(3))
    for plan, words in (
        (bucket_plan(("first_click",)), "needs times"),
        (bucket_plan(baseline="odl"), "did you mean"),
        (bucket_plan(shares={"new": 1}), "no share is given for the bucket 'old'"),
        (bucket_plan(shares={"new": 1, "old": 1, "other": 1}), "no bucket 'other'"),
    ):
        with pytest.raises(UsageError, match=words):
            scored(rows, tmp_path / "log", plan)


# Interleaved lists


def credit_slowly(of: dict) -> tuple[Fraction, Fraction]:
    """Of one impression, by the rules of the papers."""
    positions = sorted({each["position"] for each in of["clicks"] if of["teams"][each["position"] - 1]})
    if of["method"] == "team-draft":
        teams = [of["teams"][position - 1] for position in positions]
        return Fraction(teams.count("A")), Fraction(teams.count("B"))
    shares = [Fraction(of["shares"][position - 1]) for position in positions]
    return sum(shares, Fraction(0)), sum((1 - share for share in shares), Fraction(0))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_preferences_are_what_slow_arithmetic_makes_of_them(method: str, seed: int, tmp_path: Path) -> None:
    rows = random_log(random.Random(f"{method} {seed}?"), method, impressions=80, faults=0.04 * seed)
    found = scored(rows, tmp_path / "log").found
    assert isinstance(found, Preference)
    _, rest = faults_and_rest(rows)
    of_impressions, users, credit, seen = [0, 0, 0], defaultdict(Fraction), [Fraction(0), Fraction(0)], 0
    for name, of in rest.items():
        if not of["clicks"]:
            continue
        seen += 1
        a, b = credit_slowly(of)
        credit = [credit[0] + a, credit[1] + b]
        of_impressions[0 if a > b else 2 if a < b else 1] += 1
        users[of.get("user", (name,))] += a - b
    assert (found.impressions, found.clicked) == (len(rest), seen)
    assert of_impressions == [found.of_impressions.a, found.of_impressions.ties, found.of_impressions.b]
    sides = [sum(each > 0 for each in users.values()), sum(each == 0 for each in users.values())]
    assert [*sides, len(users) - sum(sides)] == [found.of_users.a, found.of_users.ties, found.of_users.b]
    assert [pytest.approx(float(each), rel=1e-12) for each in credit] == [found.credit_a, found.credit_b]
    a, ties, b = of_impressions
    assert found.of_impressions.delta == pytest.approx((a + ties / 2) / (a + ties + b) - 0.5)
    assert found.credit.value == pytest.approx(float((credit[0] - credit[1]) / seen))


def team_log(users: int, chance_a: float, rng: random.Random) -> list:
    rows = []
    for user in range(users):
        for number in range(3):
            name = f"{user} {number}"
            teams = rng.choice([["A", "B"], ["B", "A"]])
            shown = {"event": "impression", "impression": name, "user": f"u{user}", "documents": ["d1", "d2"]}
            rows.append(shown | {"teams": teams, "method": "team-draft", "a": "ours", "b": "theirs"})
            side = "A" if rng.random() < chance_a else "B"
            rows.append({"event": "click", "impression": name, "position": teams.index(side) + 1})
    return rows


def test_the_system_that_users_click_is_the_one_that_they_prefer(tmp_path: Path) -> None:
    for chance, finding in ((0.8, "A"), (0.2, "B"), (0.5, "not shown")):
        found = scored(team_log(200, chance, random.Random(5)), tmp_path / "log").found
        assert isinstance(found, Preference)
        assert finding == found.finding
        assert ("ours", "theirs") == found.names
        low, high = found.of_impressions.interval
        assert low < chance - 0.5 < high


def test_clicks_by_chance_on_probabilistic_lists_prefer_nothing(tmp_path: Path) -> None:
    """By the sign of single lists they would: three in four clicks are worth 0.6 to A, and the fourth 0.2."""
    rng = random.Random(6)
    rows = []
    for number in range(2000):
        share = 0.2 if number % 4 == 0 else 0.6
        shown = {"event": "impression", "impression": f"{number}", "query": f"q{number}", "documents": ["d1"]}
        rows.append(shown | {"method": "probabilistic", "teams": ["A"], "shares": [share]})
        if rng.random() < 0.5:
            rows.append({"event": "click", "impression": f"{number}", "position": 1})
    found = scored(rows, tmp_path / "log").found
    assert isinstance(found, Preference)
    assert found.test.p < 1e-6
    assert found.by_mean
    assert "not shown" == found.finding


def ending_log(seed: int, click: Callable[[int, random.Random], bool]) -> list:
    """Users of one list each, by team draft of a run of two documents and one of four, who click by position alone."""
    rng, queries = random.Random(seed), [f"q{number}" for number in range(200)]
    short = {query: {"t": 2.0, "p": 1.0} for query in queries}
    long = {query: {"t": 4.0, "q": 3.0, "r": 2.0, "s": 1.0} for query in queries}
    rows: list[dict] = []
    for query, of in package.interleave(short, long, length=4, seed=seed).lists.items():
        shown = {"event": "impression", "impression": query.decode(), "method": "team-draft", "teams": list(of.teams)}
        rows.append(shown | {"documents": [document.decode() for document in of.documents]})
        for place in range(len(of.documents)):
            if click(place, rng):
                rows.append({"event": "click", "impression": query.decode(), "position": place + 1})
    return rows


def test_where_a_run_has_ended_the_mean_credit_decides_of_lists_by_team_draft(irev, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(ending_log(0, lambda place, rng: place in (0, 2))))
    record = json.loads(irev("online", "preference", "-f", "json", str(path)).stdout)
    assert ("credit", 112) == (record["decides"], record["filled"])
    assert record["users"]["p"] < 1e-6
    assert "not shown" == record["finding"]
    text = " ".join(irev("online", "preference", str(path)).stdout.decode().split())
    assert "the mean credit decides" in text
    assert "In 112 of 200 lists, one run ran out of documents: there signs favour one side" in text

    found = scored(team_log(20, 0.5, random.Random(7)), tmp_path / "log").found
    assert isinstance(found, Preference)
    assert (False, 0) == (found.by_mean, found.filled)


def test_an_interval_has_a_width_where_all_users_are_for_one_system(irev, tmp_path: Path) -> None:
    """Of 20 users who are all for A, the share may be as low as 20/(20 + t²), by Wilson's interval."""
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(team_log(20, 1.0, random.Random(5))))
    record = json.loads(irev("online", "preference", "-f", "json", str(path)).stdout)
    expected = 20 / (20 + 2.0930240544**2) - 0.5
    assert (pytest.approx(expected), 0.5) == (record["users"]["low"], record["users"]["high"])
    assert (pytest.approx(expected), 0.5) == (record["impressions"]["low"], record["impressions"]["high"])


@pytest.mark.thorough
@pytest.mark.parametrize("for_a", [0.5, 0.9, 0.95])
def test_intervals_of_preferences_hold_the_truth(for_a: float) -> None:
    """Of 300 logs of 20 users; percentiles of the bootstrap held 0.95 in 61 to 65 of 100."""
    rng, truth = np.random.default_rng(3), 0.9 * (for_a - 0.5)
    found = [interleaving.preferences(rng, 20, for_a)[0] for _ in range(300)]
    for spans in ([each.of_users.interval for each in found], [each.of_impressions.interval for each in found]):
        held = sum(span is not None and span.low <= truth <= span.high for span in spans)
        assert held >= binom.ppf(0.001, 300, 0.95)


# Lists that are shown to several


def _preference(rows: list, path: Path) -> Preference:
    found = scored(rows, path).found
    assert isinstance(found, Preference)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(("queries", "zipf"), [(50, True), (50, False), (200, True)])
def test_clicks_by_position_on_shared_lists_prefer_nothing(queries: int, zipf: bool) -> None:
    """Of 100 logs; the sign test of users found a preference in 30 of those of 50 queries and Zipf traffic."""
    rng = np.random.default_rng(4)
    found = [interleaving.shared_log(rng, queries, 300, 1000, zipf, draws=1) for _ in range(100)]
    assert all(each.shared and each.by_mean and each.test.p is None for each in found)
    assert sum(each.finding != "not shown" for each in found) <= 12
    if zipf:
        assert sum(map(interleaving.signs, found)) > 12


def test_a_preference_is_found_on_shared_lists_where_there_is_one() -> None:
    found = interleaving.shared_log(np.random.default_rng(5), 200, 300, 1000, False, draws=1, effect=0.3)
    assert (True, "A") == (found.shared, found.finding)


@pytest.mark.parametrize(("draws", "shared"), [(1, True), (3, True), (10, True), (interleaving.FRESH, False)])
def test_lists_are_shared_where_they_repeat_by_more_than_chance(draws: int, shared: bool) -> None:
    found = [interleaving.shared_log(np.random.default_rng(seed), 20, 300, 1000, True, draws) for seed in range(20)]
    assert [shared] * 20 == [each.shared for each in found]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("draws", [None, 1, 2])
def test_lists_drawn_for_every_impression_are_told_from_others(method: str, draws: int | None, tmp_path: Path) -> None:
    """Of six queries and short runs, where few lists are possible: a log of any method, as it is made up."""
    a = {f"q{number}": {"x": 3.0, "y": 2.0, "z": 1.0} for number in range(6)}
    b = {f"q{number}": {"z": 3.0, "w": 2.0, "y": 1.0} for number in range(6)}
    drawn = package.interleave(a, b, method=method, length=3, draws=draws or 300).drawn
    rng, rows = random.Random(9), []
    for number in range(300):
        query = rng.choice(sorted(drawn))
        of = drawn[query][rng.randrange(draws)] if draws else drawn[query][number]
        fields = {
            name: [x.decode() if isinstance(x, bytes) else x for x in cells] for name, cells in of.fields().items()
        }
        shown = {"event": "impression", "impression": f"{number}", "user": f"u{number % 50}", "query": query.decode()}
        rows.append(shown | {"method": method, **fields})
        rows.append({"event": "click", "impression": f"{number}", "position": rng.randrange(len(of.documents)) + 1})
    assert (draws is not None) == _preference(rows, tmp_path / "log").shared


def test_lists_that_a_user_sees_again_are_not_shared() -> None:
    """A service draws a list for each user and query, and shows it to that user whenever the query comes back."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        query, user = rng.integers(0, 5, 400), rng.integers(0, 80, 400)
        coins = rng.random((5, 80, 5)) < 0.5
        first = np.where(coins[query, user], 1, -1)
        teams = np.stack((first, -first), axis=2).reshape(400, 10)
        clicked = rng.random(teams.shape) < 0.5 / np.arange(1, 11)
        assert not interleaving.found_of(query, user, teams, clicked).shared


def test_how_often_users_have_the_same_list_is_what_slow_arithmetic_makes_of_it() -> None:
    rng = np.random.default_rng(3)
    verdicts = set()
    for draws in (1, 2, 3, 8) * 10:
        query, user = rng.integers(0, 3, 40), rng.integers(0, 12, 40)
        coins = rng.random((3, draws, 2)) < 0.5
        first = np.where(coins[query, rng.integers(0, draws, 40)], 1, -1)
        teams = np.stack((first, -first), axis=2).reshape(40, 4)
        clicked = rng.random(teams.shape) < 0.5
        seen = np.flatnonzero(clicked.any(axis=1)).tolist()
        more = variance = 0.0
        for one, other in itertools.permutations(seen, 2):
            if query[one] == query[other] and user[one] != user[other]:
                more += 4 * (teams[one] == teams[other]).all() - 1
        for each in range(3):
            often = Counter(user[i] for i in seen if query[i] == each).values()
            variance += sum(2 * (m * n) ** 2 * 3 for m, n in itertools.permutations(often, 2))
        shared = more > 3 * variance**0.5
        assert shared == interleaving.found_of(query, user, teams, clicked).shared
        verdicts.add(bool(shared))
    assert {True, False} == verdicts


def test_a_log_without_queries_says_that_lists_may_look_shared(irev, tmp_path: Path) -> None:
    rows = []
    for number in range(20):
        shown = {"event": "impression", "impression": f"{number}", "user": f"u{number}", "method": "team-draft"}
        rows += [shown | {"documents": ["x", "y"], "teams": ["A", "B"]}]
        rows += [{"event": "click", "impression": f"{number}", "position": 1}]
    path = tmp_path / "log"
    for query, unsure in (({}, True), ({"query": "q"}, False)):
        path.write_text("".join(json.dumps(row | (query if "documents" in row else {})) + "\n" for row in rows))
        made = irev("online", "preference", str(path))
        assert "SHARED LISTS" in made.stderr
        assert unsure == ("does not name all queries" in made.stderr)


def test_an_error_over_users_and_lists_is_what_slow_arithmetic_makes_of_it() -> None:
    rng = np.random.default_rng(11)
    query, user = rng.integers(0, 5, 200), rng.integers(0, 30, 200)
    teams = np.where(query % 2 == 0, 1, -1)[:, None] * np.array([1, -1])
    clicked = rng.random((200, 2)) < 0.6
    found = interleaving.found_of(query, user, teams, clicked)
    seen = np.flatnonzero(clicked.any(axis=1))
    credit = (clicked * teams).sum(axis=1)[seen]

    def over(units: list) -> float:
        places = [[i for i, unit in enumerate(units) if unit == one] for one in sorted(set(units))]
        whole = credit.mean()
        without = [np.delete(credit, place).mean() for place in places]
        return (len(places) - 1) / len(places) * sum((each - whole) ** 2 for each in without)

    pairs = [*zip(user[seen].tolist(), query[seen].tolist(), strict=True)]
    users, lists, both = over(user[seen].tolist()), over(query[seen].tolist()), over(pairs)
    assert found.shared
    assert max(users + lists - both, users, lists) ** 0.5 == pytest.approx(found.credit.error)
    assert credit.mean() == pytest.approx(found.credit.value)


def test_a_log_says_that_its_lists_are_shared(irev, tmp_path: Path) -> None:
    path = tmp_path / "log"
    for draws, shared in ((1, True), (2, True), (300, False)):
        simulated(path, "hybrid", "keyword", impressions=300, method="team-draft", draws=draws)
        made = irev("online", "preference", "-f", "json", str(path))
        record = json.loads(made.stdout)
        assert shared == record["lists"]["shared"]
        assert shared == (record["users"]["p"] is None)
        assert shared == ("SHARED LISTS" in made.stderr)
        assert shared == (b"SHARED LISTS" in irev("online", "preference", str(path)).stdout)


def test_a_heavy_user_is_named_and_decides_nothing(irev, tmp_path: Path) -> None:
    """One of 100 users clicks 500 times, always for A; of the others half do."""
    rows = []
    for user in range(100):
        for number in range(500 if user == 0 else 1):
            name = f"{user} {number}"
            shown = {"event": "impression", "impression": name, "user": f"u{user}", "query": name}
            shares = [0.9, 0.1] if user % 2 == 0 else [0.1, 0.9]
            shown |= {"documents": ["d1", "d2"], "teams": ["A", "B"], "shares": shares}
            rows.append(shown | {"method": "probabilistic"})
            rows.append({"event": "click", "impression": name, "position": 1})
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(rows))
    made = irev("online", "preference", "-f", "json", str(path))
    record = json.loads(made.stdout)
    assert ("credit", "not shown") == (record["decides"], record["finding"])
    assert "HEAVY USERS: 100 users weigh as much as 1.4 with equally many clicks" in made.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    "click",
    [
        lambda place, rng: rng.random() < 0.7,
        lambda place, rng: rng.random() < 0.9 / (place + 1),
        lambda place, rng: place in (0, 2),
    ],
)
def test_clicks_by_chance_where_a_run_has_ended_prefer_nothing(click: Any, tmp_path: Path) -> None:
    """Of 100 logs 5 are to be expected at the level 0.05; signs find a difference in up to 100."""
    found = [scored(ending_log(seed, click), tmp_path / "log").found for seed in range(100)]
    assert sum(each.finding != "not shown" for each in found if isinstance(each, Preference)) <= 11


# Sums


def test_a_value_of_which_users_have_nearly_the_same_has_an_error(tmp_path: Path) -> None:
    rng, rows = random.Random(2), []
    for user in range(40):
        bucket = ("new", "old")[user % 2]
        rows.append({"event": "impression", "impression": f"i{user}", "user": f"u{user}", "bucket": bucket})
        value = (1e8 if bucket == "old" else 1e8 + 2) + rng.gauss(0, 1)
        rows.append({"event": "conversion", "impression": f"i{user}", "value": value})
    found = scored(rows, tmp_path / "log", bucket_plan(metrics=("value",), correction="none")).found
    assert isinstance(found, BucketTest)
    _, values = slowly(rows)
    for bucket, ratio in zip(found.buckets, found.metrics[0].values, strict=True):
        assert ratio.error == pytest.approx(values["value", bucket.name][1], rel=1e-6)
    assert "better" == found.metrics[0].contrasts[0].finding or "worse" == found.metrics[0].contrasts[0].finding


def test_sums_are_those_of_exact_arithmetic_in_any_order() -> None:
    rng = np.random.default_rng(0)
    for scale in (0, 5, 200):
        values = rng.normal(size=2000) * 10.0 ** rng.integers(-scale, scale + 1, size=2000)
        exact = float(sum(map(Fraction, values.tolist())))
        for pieces in (1, 3, 50):
            total = ExactSum()
            for piece in np.array_split(rng.permutation(values), pieces):
                total.add(piece)
            assert exact == total.value
    total = ExactSum()
    total.add(np.array([5e-324, 1e308, -1e308, 0.0]))
    total.add(np.array([1, 2], dtype=np.int32))
    assert 3.0 == total.value
    assert 0.0 == ExactSum().value


def test_json_has_what_was_found(tmp_path: Path) -> None:
    from irev.output.report import Look
    from irev.output.styles import written

    rows = bucket_log(20, {"new": 0.5, "old": 0.5}, random.Random(7))
    each = scored(rows, tmp_path / "log")
    record = json.loads(written("json", each, Look()))
    assert ["new", "old"] == [bucket["name"] for bucket in record["buckets"]]


# In Python


@pytest.mark.thorough
def test_python_says_what_the_command_says(irev, tmp_path: Path) -> None:
    rows = bucket_log(20, {"new": 0.5, "old": 0.5}, random.Random(8))
    path = tmp_path / "log"
    path.write_bytes(as_jsonl([*rows, {"event": "click", "impression": "nowhere", "position": 1}]))
    options = ("--on-error", "drop", "-m", "ctr", "--baseline", "old", "--correction", "none")
    shown = irev("online", "ab", *options, str(path)).stdout.decode()
    found = package.clicks(path, "ctr", on_error="drop", baseline="old", correction="none")
    assert shown == str(found).rstrip("\n") + "\n"
    assert {"E141": 1} == found.faults
    assert ["ctr"] == found.to_pandas()["metric"].unique().tolist()
    for choices, words in (
        ({}, "on_error drop leaves it out"),
        ({"on_error": "drop", "measures": "ctrl"}, "did you mean"),
        ({"on_error": "drop", "shares": {"old": 0}}, "no value of shares"),
    ):
        with pytest.raises((InputError, UsageError), match=words):
            package.clicks([path], **choices)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda log: package.clicks(3), "log is of type int"),
        (lambda log: package.clicks([{"event": "impression"}]), "log is of type dict"),
        (lambda log: package.clicks({"event": ["impression"]}), "log is of type dict"),
        (lambda log: package.clicks([]), "there is no log"),
        (lambda log: package.clicks(log, 3), "a measure is a string such as"),
        (lambda log: package.clicks(log, [3]), "a measure is a string such as"),
        (lambda log: package.off_policy([3], {"q": {"a": 1.0}}), "log is of type int"),
    ],
)
def test_python_refuses_what_is_no_log(tmp_path: Path, ask: Any, said: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(as_jsonl(bucket_log(4, {"new": 0.5, "old": 0.5}, random.Random(8))))
    with pytest.raises((UsageError, TypeError), match=said):
        ask(str(path))


# Logs that are made up


ATTRACTION = {0: 0.1, 1: 0.3, 2: 0.6, 3: 0.9}


def made_up(path: Path, **choices: Any) -> list[dict]:
    """A log of users who click by the position model, of which every probability is known."""
    size = {"impressions": 6000, "users": 3000, "seed": 3}
    return simulated(path, "hybrid", "keyword", attraction=ATTRACTION, **size, **choices)


@cache
def grades() -> dict[tuple[str, str], int]:
    lines = (SAMPLE / "qrels.txt").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {(query, document): int(grade) for query, _, document, grade in rows}


def chances(shown: dict) -> list[float]:
    """The probability that each document is clicked: users look at it with 1/rank, and click by its grade."""
    of = [max(grades().get((shown["query"], each), 0), 0) for each in shown["documents"]]
    return [ATTRACTION[grade] / rank for rank, grade in enumerate(of, 1)]


@pytest.mark.thorough
def test_a_log_that_was_made_up_gives_back_what_it_was_made_of(tmp_path: Path) -> None:
    rows = made_up(tmp_path / "log.jsonl")
    shown = [row for row in rows if row["event"] == "impression"]
    with Log([str(tmp_path / "log.jsonl")]) as log:
        found = score(log, bucket_plan(("clicks", "ctr"), confidence=0.999)).found
    assert isinstance(found, BucketTest)
    clicks, ctr = found.metrics
    for place, bucket in enumerate(found.buckets):
        known = [chances(each) for each in shown if each["bucket"] == bucket.name]
        low, high = clicks.intervals[place]
        assert low < sum(map(sum, known)) / len(known) < high
        low, high = ctr.intervals[place]
        assert low < sum(1 - np.prod([1 - each for each in of]) for of in known) / len(known) < high


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["team-draft", "probabilistic"])
def test_lists_that_were_made_up_give_back_what_they_were_made_of(method: str, tmp_path: Path) -> None:
    rows = made_up(tmp_path / "log.jsonl", method=method)
    shown = [row for row in rows if row["event"] == "impression"]
    with Log([str(tmp_path / "log.jsonl")]) as log:
        found = score(log, bucket_plan()).found
    assert isinstance(found, Preference)
    worth = {"A": 0.0, "B": 0.0}
    for each in shown:
        shares = each.get("shares") or [{"A": 1, "B": 0, None: None}[team] for team in each["teams"]]
        for share, chance in zip(shares, chances(each), strict=True):
            if share is not None:
                worth["A"] += share * chance
                worth["B"] += (1 - share) * chance
    assert found.credit_a == pytest.approx(worth["A"], rel=0.05)
    assert found.credit_b == pytest.approx(worth["B"], rel=0.05)
    assert np.sign(worth["A"] - worth["B"]) == {"A": 1, "B": -1}[found.finding]


def visits(of: dict[str, list[dict]]) -> list[dict]:
    """A log of two buckets of three users each, every one of whom sees one list and does so much."""
    rows = []
    for user in range(6):
        bucket = ("new", "old")[user % 2]
        rows.append({"event": "impression", "impression": f"i{user}", "time": 0, "user": f"u{user}", "bucket": bucket})
        rows += [{"impression": f"i{user}", "time": 1} | event for event in of[bucket]]
    return rows


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("metric", "field"), [("dwell", "dwell"), ("value", "value")])
def test_numbers_too_large_to_be_added_are_faults(metric: str, field: str, tmp_path: Path) -> None:
    event = {"event": "click", "position": 1} if field == "dwell" else {"event": "conversion"}
    for number in (1.7e12, 1e300) if field == "dwell" else (1.1e15, -1e300, 1e308):
        with pytest.raises(InputError, match="too large"):
            scored(visits({"new": [event | {field: number}], "old": []}), tmp_path / "log", drop=False)
    largest = 9_007_199_254 if field == "dwell" else 1e15
    found = scored(visits({"new": [event | {field: largest}] * 2000, "old": []}), tmp_path / "log", drop=False).found
    assert isinstance(found, BucketTest)
    (value,) = (each.values[0].value for each in found.metrics if each.metric.name == metric)
    assert largest * (1 if field == "dwell" else 2000) == pytest.approx(value, rel=1e-12)


def test_ranks_and_waits_of_a_user_who_never_stops_do_not_wrap(tmp_path: Path) -> None:
    rows = []
    for number in range(2000):
        rows.append({"event": "impression", "impression": f"i{number}", "time": -9e9, "user": "u", "bucket": "new"})
        rows.append({"event": "click", "impression": f"i{number}", "time": 9e9, "position": 1})
    found = scored(rows, tmp_path / "log", drop=False).found
    assert isinstance(found, BucketTest)
    (value,) = (each.values[0].value for each in found.metrics if each.metric.name == "first_click")
    assert 18e9 == value


def test_sums_of_large_whole_numbers_do_not_depend_on_their_order() -> None:
    rng = random.Random(1)
    values, of = [float(rng.randrange(2**52)) for _ in range(3000)], [rng.randrange(3) for _ in range(3000)]
    values[:500] = [1.0] * 500
    order = list(range(3000))
    sums = set()
    for _ in range(5):
        rng.shuffle(order)
        sums.add(tuple(float_sums(np.array(values)[order], np.array(of)[order], 4)))
    assert 1 == len(sums)
    exact = [
        sum(int(value) for value, segment in zip(values, of, strict=True) if segment == which) for which in range(4)
    ]
    assert exact == pytest.approx(sums.pop(), rel=1e-12)
    assert [6.0, 0.0] == float_sums(np.array([1.0, 5.0]), np.array([0, 0]), 2).tolist()


@pytest.mark.parametrize("shares", [{"new": 1e308, "old": 1e308}, {"new": 1e308, "old": 1e-308}])
def test_shares_that_cannot_be_parts_of_one_are_refused(shares: dict[str, float], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="differ too much, or are too large"):
        scored(visits({"new": [], "old": []}), tmp_path / "log", bucket_plan(shares=shares))


@pytest.mark.parametrize("options", [(), ("-m", "ctr"), ("-m", "ctr", "--baseline", "a")])
def test_a_log_of_users_who_all_change_buckets_is_refused(irev, tmp_path: Path, options: tuple[str, ...]) -> None:
    log = tmp_path / "log.csv"
    log.write_text("event,impression,user,bucket\nimpression,1,u1,a\nimpression,2,u1,b\nimpression,3,u1,b\n")
    refused(irev("online", "ab", *options, str(log)), ":3: the user of this impression was in another bucket before")
    dropped = irev("online", "ab", *options, "--on-error", "drop", str(log))
    assert "no impression is left; faults in the log: E145 1" in dropped.stderr


def test_a_log_without_buckets_says_what_a_test_needs(irev, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(as_jsonl([{"event": "impression", "impression": "i1"}]))
    shown = " ".join(irev("online", "ab", str(path)).stdout.decode().split())
    assert "so nothing is compared. An A/B test needs the field bucket, and interleaved lists need teams." in shown
    assert "1 impression of 1 names no user, and each counts as one" in shown
    path.write_bytes(as_jsonl([{"event": "impression", "impression": "i1", "bucket": "new"}]))
    assert b"An A/B test needs" not in irev("online", "ab", str(path)).stdout


def test_a_bucket_that_was_to_have_no_user_is_not_said_to_have_some_of_0(irev, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(as_jsonl(visits({"new": [], "old": []})))
    done = irev("online", "ab", "--shares", "new=1e-9,old=1", str(path))
    assert "new 3 of less than 1" in done.stderr


def test_fields_with_usual_names_of_others_are_said_to_be_perhaps_those(irev, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("event,impression,user_id,variant,colour\nimpression,i1,u1,A,red\nimpression,i2,u2,B,red\n")
    done = irev("online", "ab", str(log))
    assert "3 fields ignored, unknown: colour, user_id (is it `user`?), variant (is it `bucket`?)" in done.stderr


def test_a_metric_of_times_that_cannot_be_read_leads_to_the_first_of_them(irev, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("event,impression,user,bucket,time\nimpression,i1,u1,A,14/11/2023\n")
    done = irev("online", "ab", "-m", "first_click", str(log))
    assert (2, True) == (done.status, "log.csv:2: the time cannot be read; expected seconds" in done.stderr)
