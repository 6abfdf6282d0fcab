"""How often `irev online preference` finds a preference where there is none, and its intervals hold the truth.

Lists are by team draft of two runs that have no document in common. Users look at rank r with probability 1/r, and
click what they look at with probability 0.4, whoever contributed it.

- shared lists: one list per query is drawn, or N, and shown to everybody; or one for every impression. Queries come
  equally often, or the one of rank r in proportion to 1/r (Zipf).
- heavy users: each has a leaning of its own, from a beta distribution that favours neither system, and 1 + Poisson(4)
  clicks; one comes 50 or 500 times as often.
- intervals: of users 10% are for neither system, and of the others a share is for A; each has 1 + Poisson(4)
  impressions, and sides with the same system in all of them.

    python benchmarks/interleaving.py [--logs 300] [--seed 0]     # print the tables of benchmarks/README.md
"""

from __future__ import annotations

import argparse
from types import SimpleNamespace

import numpy as np

from irev.extensions.clicks.events.log import Impressions
from irev.extensions.clicks.events.schema import LogFacts
from irev.extensions.clicks.online.preference import Interleavings, LogChoices, Preference
from irev.statistics import ratios, special
from irev.statistics.paired import of_outcomes

LENGTH = 10
FRESH = 0
"""Draws of a query: a list for every impression."""


def found_of(query: np.ndarray, user: np.ndarray, teams: np.ndarray, clicked: np.ndarray) -> Preference:
    """What `irev online preference` finds of impressions of these queries and users. Lists have these teams (1 for
    A, -1 for B) and clicks, both (impressions, length)."""
    n, length = teams.shape
    of_team = np.where(teams > 0, np.cumsum(teams > 0, axis=1), np.cumsum(teams < 0, axis=1))
    documents = (query[:, None] * 1000 + of_team) * 2 + (teams > 0)
    impression, place = np.nonzero(clicked)
    words = np.stack((user, user), axis=1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    nothing = np.zeros(0, dtype=np.int64)
    some = Impressions(
        place=np.arange(n),
        user=words,
        query=(query + 1).astype(np.uint64),
        time=np.zeros(n, dtype=np.int64),
        bucket=np.full(n, -1),
        length=np.full(n, length),
        start=np.arange(n) * length,
        owner=np.repeat(np.arange(n), length),
        lists={"documents": documents.ravel().astype(np.uint64), "teams": teams.ravel().astype(np.int8)},
        given={},
        click_of=impression,
        position=place + 1,
        click_time=np.zeros(len(place), dtype=np.int64),
        dwell=np.full(len(place), np.nan),
        conversion_of=nothing,
        value=nothing.astype(float),
    )
    log = SimpleNamespace(facts=LogFacts(kind="interleaved", method="team-draft"))
    taken = Interleavings(log)  # type: ignore[arg-type]
    taken.add(some)
    return taken.compare(LogChoices())


def shared_log(
    random: np.random.Generator, queries: int, users: int, impressions: int, zipf: bool, draws: int, effect: float = 0.0
) -> Preference:
    """A log of lists of which each query has `draws`; documents of A are clicked so much more often than others."""
    weights = 1 / np.arange(1, queries + 1) if zipf else np.ones(queries)
    query = random.choice(queries, impressions, p=weights / weights.sum())
    user = random.integers(0, users, impressions)
    shown = np.arange(impressions) if draws == FRESH else query * draws + random.integers(0, draws, impressions)
    coins = random.random((int(shown.max()) + 1, LENGTH // 2)) < 0.5
    teams = np.empty((len(coins), LENGTH), dtype=np.int64)
    teams[:, ::2] = np.where(coins, 1, -1)
    teams[:, 1::2] = -teams[:, ::2]
    teams = teams[shown]
    clicked = random.random(teams.shape) < 0.4 / np.arange(1, LENGTH + 1) * (1 + effect * teams)
    return found_of(query, user, teams, clicked)


def signs(found: Preference) -> bool:
    """Whether the sign test of users finds a preference, which used to decide."""
    of = found.of_users
    return (of_outcomes(of.a, of.ties, of.b, "two-sided").p or 1.0) <= 0.05


def of_shared_lists(random: np.random.Generator, logs: int) -> None:
    print("| queries | users | impressions | traffic | lists of a query | sign test of users | irev |")
    print("|---:|---:|---:|---|---|---:|---:|")
    for draws in (1, 10, FRESH):
        for queries in (50, 200) if draws == 1 else (50,):
            for users, impressions in ((300, 1000), (2000, 4000)):
                for zipf in (True, False):
                    found = [shared_log(random, queries, users, impressions, zipf, draws) for _ in range(logs)]
                    numbers = [sum(map(signs, found)), sum(each.finding != "not shown" for each in found)]
                    shown = " | ".join(f"{100 * number / logs:.1f}" for number in numbers)
                    traffic, lists = "Zipf" if zipf else "uniform", draws or "one for every impression"
                    print(f"| {queries} | {users:,} | {impressions:,} | {traffic} | {lists} | {shown} |", flush=True)


def naive(y: np.ndarray, x: np.ndarray) -> float:
    """p of a mean of 0, by the delta method and with one degree of freedom less than users."""
    n, r = len(y), y.sum() / x.sum()
    error = np.sqrt(n / (n - 1) * ((y - r * x) ** 2).sum()) / x.sum()
    return float(2 * special.stdtr(n - 1, -abs(r) / error)) if error > 1e-12 else 1.0


def credits(random: np.random.Generator, users: int, heavy: int, leaning: float) -> tuple[np.ndarray, np.ndarray]:
    """The credit of users, A less B, and their clicks."""
    clicks = 1 + random.poisson(4, users)
    clicks[0] *= heavy
    for_a = random.binomial(clicks, random.beta(leaning, leaning, users))
    return 2.0 * for_a - clicks, clicks.astype(float)


def of_heavy_users(random: np.random.Generator, logs: int) -> None:
    print("| users | one comes | leaning | delta method, n - 1 | irev |")
    print("|---:|---|---|---:|---:|")
    for users, heavy in ((3, 1), (5, 1), (10, 1), (10, 10), (30, 1), (100, 50), (100, 500), (1000, 500)):
        for leaning, said in ((100.0, "hardly any"), (2.0, "some"), (0.5, "strong")):
            count = np.zeros(2)
            for _ in range(logs):
                y, x = credits(random, users, heavy, leaning)
                now = ratios.p_of_zero(ratios.ratio(y, x))
                count += [naive(y, x) <= 0.05, now is not None and now <= 0.05]
            shown = " | ".join(f"{each:.1f}" for each in 100 * count / logs)
            often = f"{heavy} times as often" if heavy > 1 else "as often"
            print(f"| {users:,} | {often} | {said} | {shown} |", flush=True)


def preferences(random: np.random.Generator, users: int, share: float) -> tuple[Preference, np.ndarray]:
    """A log of which no two lists are of one query; and by user wins of A, ties, and wins of B."""
    seen = 1 + random.poisson(4, users)
    user = np.repeat(np.arange(users), seen)
    side = random.choice([1, 0, -1], users, p=[0.9 * share, 0.1, 0.9 * (1 - share)])
    teams = np.where(random.random(len(user)) < 0.5, 1, -1)[:, None] * np.array([1, -1])
    clicked = (teams == side[user, None]) | (side[user] == 0)[:, None]
    wins = np.stack([seen * (side == each) for each in (1, 0, -1)], axis=1)
    return found_of(np.arange(len(user)), user, teams, clicked), wins


def percentile(random: np.random.Generator, wins: np.ndarray) -> tuple[float, float]:
    """The interval of the bootstrap over users, which there was."""
    sums = random.multinomial(len(wins), np.full(len(wins), 1 / len(wins)), 1000) @ wins
    low, high = np.quantile((sums[:, 0] + sums[:, 1] / 2) / sums.sum(axis=1) - 0.5, (0.025, 0.975))
    return float(low), float(high)


def of_intervals(random: np.random.Generator, logs: int) -> None:
    print("| users | for A | users: percentiles | irev | impressions: percentiles | irev |")
    print("|---:|---|---:|---:|---:|---:|")
    for users in (5, 20, 50, 200):
        for share in (0.5, 0.75, 0.9, 0.95):
            held, truth = np.zeros(4), 0.9 * (share - 0.5)
            for _ in range(logs):
                found, wins = preferences(random, users, share)
                spans = [percentile(random, np.minimum(wins, 1)), found.of_users.interval]
                spans += [percentile(random, wins), found.of_impressions.interval]
                held += [span is not None and span[0] <= truth <= span[1] for span in spans]
            shown = " | ".join(f"{each:.1f}" for each in 100 * held / logs)
            print(f"| {users} | {100 * share:.0f}% | {shown} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("shared", "heavy", "intervals"))
    asked = parser.parse_args()
    for name, made in (("shared", of_shared_lists), ("heavy", of_heavy_users), ("intervals", of_intervals)):
        if asked.only in (None, name):
            print(f"\n{name}\n")
            made(np.random.default_rng(asked.seed), asked.logs)


if __name__ == "__main__":
    main()
