"""A/B tests with less variance: a log of the time before (CUPED) and caps, and what slow arithmetic makes of them."""

import random
from collections import defaultdict
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from outcomes import refused
from reference_clicks import as_jsonl, faults_and_rest, random_log
from scipy.stats import binom
from test_clicks import RATIOS, shuffled

import irev as package
from benchmarks import ab_tests
from irev.base.errors import UsageError
from irev.extensions.clicks import statistics
from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.online import AbChoices
from irev.extensions.clicks.online.ab import compare
from irev.extensions.clicks.online.ab.buckets import BucketTest
from irev.statistics import ratios

METRICS = ("ctr", "clicks", "mean_rr", "dwell", "value")


def some_log(seed: int, users: int, bucket: bool) -> list:
    """Impressions of some users, every one named."""
    rng = random.Random(seed)
    rows = random_log(rng, "buckets" if bucket else "plain", impressions=6 * users)
    names = {row["impression"]: f"u{rng.randrange(users)}" for row in rows if row["event"] == "impression"}
    for row in rows:
        if row["event"] == "impression":
            row["user"] = names[row["impression"]]
            if bucket:
                row["bucket"] = ["new", "old"][sum(row["user"].encode()) % 2]
        row.pop("time", None)
    return rows


def sums_of(rows: list, metric: str) -> dict[str, tuple[Fraction, int]]:
    """y and x of each user."""
    y_of, x_of = RATIOS[metric]
    found: dict = defaultdict(lambda: (Fraction(0), 0))
    for of in faults_and_rest(rows)[1].values():
        y, x = found[of["user"]]
        found[of["user"]] = (y + Fraction(y_of(of)), x + x_of(of))
    return found


def slowly(rows: list, before: list | None, metric: str) -> tuple[dict, float | None]:
    """The ratio of each bucket with its error, and the share by which the variance falls."""
    during, earlier = sums_of(rows, metric), sums_of(before or [], metric)
    bucket = {user: ["new", "old"][sum(user.encode()) % 2] for user in during}
    there = {user: earlier.get(user, (0, 0)) for user in during}
    below = sum(x for _, x in there.values())
    q = sum(y for y, _ in there.values()) / Fraction(below) if below else 0
    w = {user: y - q * x for user, (y, x) in there.items()}
    of_bucket = {name: [user for user in during if bucket[user] == name] for name in ("new", "old")}
    r = {
        name: sum(during[user][0] for user in users) / Fraction(sum(during[user][1] for user in users))
        for name, users in of_bucket.items()
    }
    u = {user: during[user][0] - r[bucket[user]] * during[user][1] for user in during}
    own = sum(each * each for each in w.values())
    both = sum(u[user] * w[user] for user in during)
    theta = both / own if own else Fraction(0)
    found = {}
    for name, users in of_bucket.items():
        kept = [user for user in users if during[user][1] or (theta and w[user])]
        y = np.array([float(during[user][0] - theta * w[user]) for user in kept])
        found[name] = ratios.ratio(y, np.array([float(during[user][1]) for user in kept]))
    explained = None if before is None else float(both * both / own / sum(each * each for each in u.values()))
    return found, explained


def ab_test(rows: list, before: list | None, folder: Path, memory: int | None = None, **choices) -> BucketTest:
    """What is found of a test, and the time before."""
    with ExitStack() as stack:
        logs = []
        for name, some in (("during", rows), ("before", before)):
            if some is not None:
                (folder / name).write_bytes(as_jsonl(some))
                logs.append(stack.enter_context(Log([str(folder / name)], memory=memory)))
        found = compare(logs[0], AbChoices(**choices), memory, *logs[1:]).found
    assert isinstance(found, BucketTest)
    return found


@pytest.mark.parametrize("with_before", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_values_are_what_slow_arithmetic_makes_of_them(seed: int, with_before: bool, tmp_path: Path) -> None:
    rows, before = some_log(seed, 24, True), some_log(seed + 50, 30, False) if with_before else None
    found = ab_test(rows, before, tmp_path, metrics=METRICS)
    for each in found.metrics:
        values, explained = slowly(rows, before, each.metric.name)
        for bucket, value in zip(found.buckets, each.values, strict=True):
            expected = values[bucket.name]
            assert expected.value == pytest.approx(value.value, rel=1e-9)
            assert expected.error == pytest.approx(value.error, rel=1e-6)
        assert each.explained == (None if explained is None else pytest.approx(explained, rel=1e-9))


@pytest.mark.thorough
def test_neither_parts_nor_the_order_of_logs_change_a_bit(tmp_path: Path) -> None:
    rows, before = some_log(7, 24, True), some_log(57, 30, False)
    whole = ab_test(rows, before, tmp_path)
    for memory in (0, 20_000):
        rng = random.Random(memory)
        other = ab_test(shuffled(rows, rng), shuffled(before, rng), tmp_path, memory)
        assert repr(whole) == repr(other)


def test_who_did_the_same_before_explains_all(tmp_path: Path) -> None:
    rows = some_log(3, 40, True)
    before = [{key: value for key, value in row.items() if key != "bucket"} for row in rows]
    without = ab_test(rows, None, tmp_path, metrics=("clicks",)).metrics[0]
    found = ab_test(rows, before, tmp_path, metrics=("clicks",)).metrics[0]
    # What is left is that u is compared with the ratio of the bucket, and w against that of all.
    assert found.explained > 0.98
    assert all(less.error < 0.2 * more.error for less, more in zip(found.values, without.values, strict=True))


def test_a_log_of_other_users_is_refused(tmp_path: Path, irev) -> None:
    rows, before = some_log(3, 10, True), some_log(4, 10, False)
    for row in before:
        if "user" in row:
            row["user"] += " of old"
    with pytest.raises(UsageError, match="no user of the test is in the log of before;"):
        ab_test(rows, before, tmp_path)
    refused(irev("online", "ab", "--before", str(tmp_path / "before"), str(tmp_path / "during")))


def test_the_command_and_python_say_the_same(irev, tmp_path: Path) -> None:
    paths = [tmp_path / "during", tmp_path / "before"]
    for path, rows in zip(paths, (some_log(3, 60, True), some_log(4, 50, False)), strict=True):
        path.write_bytes(as_jsonl(rows))
    shown = irev("online", "ab", "-m", "clicks", "--before", str(paths[1]), str(paths[0]))
    found = package.clicks(paths[0], "clicks", before=paths[1])
    assert shown.stdout.decode() == str(found).rstrip("\n") + "\n"
    assert "less variance" in str(found)
    record = irev("online", "ab", "-f", "json", "--before", str(paths[1]), str(paths[0])).stdout
    assert b'"before": ' in record
    assert 2 == irev("online", "ab", "--before", str(ROOT / "sample_data" / "qrels.txt"), str(paths[0])).status


@pytest.mark.thorough
def test_less_variance_finds_no_more_where_there_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ten users in one bucket for each in the other, and skewed values."""
    monkeypatch.setattr(statistics, "SAMPLES", 199)
    rng, found, apart = np.random.default_rng(4), np.zeros(2), []
    buckets = np.repeat([0, 1], [1000, 100])
    for _ in range(150):
        before = rng.standard_normal(1100)
        y, y_before = (np.exp(each) for each in (0.9 * before + 0.44 * rng.standard_normal(1100), before))
        all_ = np.ones(1100, dtype=bool)
        contrasts = [ab_tests.bucketed(y, y_before, all_, buckets, how) for how in ("", "before")]
        found += [each.found.p <= 0.05 for each in contrasts]
        apart.append([each.found.difference for each in contrasts])
    assert all(found <= binom.ppf(0.999, 150, 0.05))
    plain, less = np.var(apart, axis=0)
    assert less < 0.6 * plain


@pytest.mark.parametrize(
    ("copied", "said"),
    [(False, "is one of the logs of the test itself"), (True, "continues after the start of the test")],
)
def test_a_log_of_the_test_itself_explains_nothing(irev, write, copied: bool, said: str) -> None:
    """A test that was compared with itself would have next to no variance left, and every difference would be found."""
    log = write((ROOT / "sample_data" / "ab_test.csv").read_bytes(), "log.csv")
    before = write((ROOT / "sample_data" / "ab_test.csv").read_bytes(), "same.csv") if copied else log
    refused(irev("online", "ab", "--before", before, log), said)


# Strata


@pytest.mark.parametrize(
    ("metric", "truth", "draw", "holds"),
    [
        ("ctr", 0.02, ab_tests.shares(0.02, alike=True), 0.95),
        ("ctr", 0.1, ab_tests.shares(0.1), 0.93),
        ("value", 1.0, ab_tests.spend(1), 0.9),
        ("value", 1.0, ab_tests.spend(2), 0.83),
    ],
)
def test_intervals_of_a_value_hold_it_and_do_not_go_below_0(metric: str, truth: float, draw: Any, holds: float) -> None:
    before, _, after, under = ab_tests.held(np.random.default_rng(0), 300, 60, metric, truth, draw)
    assert under == 0
    assert after >= before
    assert binom.cdf(300 * after, 300, holds) > 0.001
