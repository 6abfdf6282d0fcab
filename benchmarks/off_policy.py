"""How often estimates of another ranking err, where the truth is known: users are made up.

Each impression shows a list of documents, drawn from one or several. The document at position k is looked at with
probability 1/k, or as a scene says, and if so clicked with a probability of its own. Where users vary, each likes each
document more or less: that probability is multiplied by a factor with a gamma distribution of mean 1. irev's own code
estimates from these clicks what another ranking gets, and its estimates are compared with the truth.

    python benchmarks/off_policy.py                               # prints the tables of benchmarks/README.md
    python benchmarks/off_policy.py --logs 200 --only unshown     # or few, users
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv

from irev.base.errors import Faults, InputError
from irev.extensions.clicks.events.log import Impressions, hashed
from irev.extensions.clicks.events.schema import LogFacts
from irev.extensions.clicks.online.off_policy import (
    IPS,
    Estimates,
    OffPolicy,
    OffPolicyChoices,
    OtherRanking,
)


class Nowhere:
    """Stands for an open log: where the impressions come from, which is nowhere."""

    facts, faults = LogFacts(), Faults()


class Scene(NamedTuple):
    """Lists, and users who see them.

    Attributes
    ----------
    shown : tuple of str
        The lists, a letter for each document; every impression has one of them, drawn at random.
    other : str
        The other ranking.
    attraction : dict of str to float
        The probability that a document is clicked when looked at, on average over users.
    users : int
    often : int
        Impressions of each user.
    heaviest : int
        Impressions of one user in a hundred, if not 0.
    vary : float
        The variance of that factor.
    propensity : tuple of float, optional
        Of each position; 1/k unless given.
    cascade : bool
        Whether users read from the top up to their first click, so that no propensities are right.
    queries : int
        Impressions have one of these queries in turn. Of several, each has every list in turn.
    """

    shown: tuple[str, ...]
    other: str
    attraction: dict[str, float]
    users: int
    often: int = 1
    heaviest: int = 0
    vary: float = 0.0
    propensity: tuple[float, ...] | None = None
    cascade: bool = False
    queries: int = 1

    @property
    def looked(self) -> np.ndarray:
        """The propensity of each position."""
        return np.array(self.propensity or [1 / k for k in range(1, len(self.shown[0]) + 1)])

    def gets(self, ranking: str) -> float:
        """Its true clicks per impression."""
        if self.cascade:
            return 1 - math.prod(1 - self.attraction[each] for each in ranking[: len(self.shown[0])])
        ready = gammaincinv(1 / self.vary, (np.arange(10_000) + 0.5) / 10_000) * self.vary if self.vary else np.ones(1)
        return math.fsum(
            p * float(np.minimum(self.attraction[each] * ready, 1.0).mean())
            for p, each in zip(self.looked, ranking, strict=False)
        )

    @property
    def apart(self) -> float:
        """How many more the other ranking gets than the lists shown."""
        return self.gets(self.other) - math.fsum(map(self.gets, self.shown)) / len(self.shown)


def estimates(scene: Scene, random: np.random.Generator) -> Estimates | None:
    """What irev says of a log; None where it refuses to."""
    often = np.full(scene.users, scene.often)
    if scene.heaviest:
        often[: max(scene.users // 100, 1)] = scene.heaviest
    user = np.arange(scene.users).repeat(often)
    n, k = len(user), len(scene.shown[0])
    query = np.arange(n) % scene.queries
    turn = np.arange(n) // scene.queries % len(scene.shown)
    which = turn if scene.queries > 1 else random.integers(0, len(scene.shown), n)
    letters = sorted({*"".join(scene.shown)})
    lists = np.array([[letters.index(each) for each in one] for one in scene.shown])
    attraction = np.array([scene.attraction[each] for each in letters])[lists][which]
    if scene.vary:
        likes = random.gamma(1 / scene.vary, scene.vary, (scene.users, len(letters)))
        attraction = attraction * likes[user[:, None], lists[which]]
    if scene.cascade:
        clicked = random.random((n, k)) < attraction
        clicked &= np.cumsum(clicked, axis=1) == 1
    else:
        clicked = random.random((n, k)) < np.minimum(attraction, 1.0) * scene.looked
    of, position = np.nonzero(clicked)
    names = [f"q{number}" for number in range(scene.queries)]
    ranking = OtherRanking({name.encode(): tuple(each.encode() for each in scene.other) for name in names})
    policy = OffPolicy(Nowhere(), ranking, OffPolicyChoices(), scene.looked)
    key = user.astype(np.uint64) + np.uint64(1)
    with closing(policy):
        policy.add(
            Impressions(
                place=np.arange(1, n + 1),
                user=np.stack((key * np.uint64(0x9E3779B97F4A7C15), key), axis=1),
                query=hashed(names)[query],
                time=np.zeros(n, dtype=np.int64),
                bucket=np.full(n, -1),
                length=np.full(n, k),
                start=np.arange(n) * k,
                owner=np.arange(n).repeat(k),
                lists={"documents": hashed(letters)[lists[which]].ravel()},
                given={},
                click_of=of,
                position=position + 1,
                click_time=np.zeros(len(of), dtype=np.int64),
                dwell=np.full(len(of), np.nan),
                conversion_of=np.empty(0, dtype=np.int64),
                value=np.empty(0),
            )
        )
        try:
            return policy.estimates()
        except InputError:
            return None


class Outcome(NamedTuple):
    """What became of many logs by an estimator, in percent of them but for the means.

    Attributes
    ----------
    shown : float
        Logs with an estimate.
    value, bound : float
        Means of both ends.
    covered, covered_difference : float
        Intervals that hold the truth, of those that there are.
    tested : float
        Logs with a p.
    worse, better : float
        Logs in which the other ranking is called that, p <= 0.05.
    support : float
    width : float
        The mean width of intervals of the difference.
    """

    shown: float
    value: float
    bound: float
    covered: float
    covered_difference: float
    tested: float
    worse: float
    better: float
    support: float
    width: float


def outcomes(scene: Scene, logs: int, seed: int, names: Sequence[str] = (IPS,)) -> dict[str, Outcome]:
    """What becomes of so many logs, by each estimator."""
    random = np.random.default_rng(seed)
    found = [estimates(scene, random) for _ in range(logs)]
    return {name: outcome(scene, found, name) for name in names}


def outcome(scene: Scene, found: Sequence[Estimates | None], name: str) -> Outcome:
    """What became of logs by an estimator."""
    logs = len(found)
    there = [next(own for own in each.estimates if own.name == name) for each in found if each is not None]
    there = [each for each in there if each.value is not None]
    truth, apart = scene.gets(scene.other), scene.apart
    held = [each.interval.low <= truth <= each.interval.high for each in there if each.interval]
    ends = [each.difference_interval for each in there if each.difference_interval]
    tested = [each for each in there if each.p is not None]
    return Outcome(
        100 * len(there) / logs,
        mean(each.value for each in there),
        mean(each.bound for each in there),
        100 * mean(held),
        100 * mean(each.low <= apart <= each.high for each in ends),
        100 * len(tested) / logs,
        100 * sum(each.p <= 0.05 and each.bound_difference < 0 for each in tested) / logs,
        100 * sum(each.p <= 0.05 and each.difference > 0 for each in tested) / logs,
        mean(each.support for each in found if each is not None),
        mean(each.high - each.low for each in ends),
    )


def mean(values: Iterable[float]) -> float:
    """NaN of none."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else math.nan


KNOWN = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.2, "e": 0.1}

UNSHOWN = {"xabcd": "first", "axbcd": "second", "abxcd": "third", "abcdx": "last", "edcbx": "last, others reversed"}
"""Rankings with a document that was never shown."""


def unshown(logs: int, seed: int) -> Iterator[list[str]]:
    """A list of five documents, and rankings that have a new one instead of one of them."""
    yield ["new document", "attracts", "support", "true difference", "mean bounds", "covered", "worse", "better"]
    for other, place in UNSHOWN.items():
        scenes = [Scene(("abcde",), other, {**KNOWN, "x": attracts}, 200, 5, vary=0.2) for attracts in (0.9, 0.3, 0.0)]
        # Nobody sees the new document: the same clicks, whatever it attracts.
        random = np.random.default_rng(seed)
        log = [estimates(scenes[0], random) for _ in range(logs)]
        for scene in scenes:
            found = outcome(scene, log, IPS)
            before = scene.gets(other) - scene.apart
            yield [
                place,
                f"{scene.attraction['x']}",
                f"{found.support:.2f}",
                f"{scene.apart:+.3f}",
                f"{found.value - before:+.3f} to {found.bound - before:+.3f}",
                *(f"{each:.1f}" for each in (found.covered_difference, found.worse, found.better)),
            ]


def few(logs: int, seed: int) -> Iterator[list[str]]:
    """A list of five, and a ranking that has them the other way round: clicks on the last position count most."""
    yield ["users", "looked at", "attracts", "estimator", "shown", "truth", "mean", "covered", "covered difference"]
    for users, least, estimators in (
        (150, 0.2, [IPS]),
        (1000, 0.2, [IPS]),
        (500, 0.05, [IPS]),
        (500, 0.02, [IPS]),
        (1500, 0.02, [IPS]),
        (5000, 0.02, [IPS]),
    ):
        for attracts in (0.02, 0.2, 0.9):
            scene = Scene(("abcde",), "edcba", {**KNOWN, "e": attracts}, users, propensity=(1.0, 0.5, 0.3, 0.25, least))
            for name, found in outcomes(scene, logs, seed, estimators).items():
                mean = f"{found.value:.3f}"
                yield [
                    *(f"{users:,}", f"{least}", f"{attracts}", name, f"{found.shown:.0f}"),
                    *(f"{scene.gets('edcba'):.3f}", mean if found.shown else ""),
                    *(f"{each:.1f}" if found.shown else "" for each in (found.covered, found.covered_difference)),
                ]


def users(logs: int, seed: int) -> Iterator[list[str]]:
    """A ranking that is neither better nor worse, and users who come more or less often."""
    yield ["users", "impressions of each", "of one in 100", "variance of likes", "tested", "found", "covered"]
    alike = dict.fromkeys("abcde", 0.3)
    for many, often, heaviest, vary in (
        (3, 100, 0, 0.2),
        (10, 50, 0, 0.2),
        (30, 10, 0, 0.2),
        (100, 5, 0, 0.2),
        (100, 5, 0, 1.0),
        (1000, 5, 0, 1.0),
        (3, 1000, 0, 1.0),
        (10, 100, 0, 1.0),
        (100, 1, 50, 0.5),
        (100, 1, 500, 0.5),
        (200, 1, 500, 0.5),
        (1000, 1, 500, 0.5),
    ):
        scene = Scene(("abcde", "bcdea"), "edcba", alike, many, often, heaviest, vary)
        found = outcomes(scene, logs, seed)[IPS]
        yield [
            f"{many:,}",
            f"{often}",
            f"{heaviest or often}",
            f"{vary}",
            *(f"{each:.1f}" for each in (found.tested, found.worse + found.better, found.covered_difference)),
        ]


TABLES: dict[str, Callable[[int, int], Iterator[list[str]]]] = {
    "unshown": unshown,
    "few": few,
    "users": users,
}


def main() -> None:
    """Print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=[*TABLES])
    asked = parser.parse_args()
    for name in [asked.only] if asked.only else TABLES:
        for number, row in enumerate(TABLES[name](asked.logs, asked.seed)):
            print(f"| {' | '.join(row)} |", flush=True)
            if not number:
                print("|---" * len(row) + "|")
        print()


if __name__ == "__main__":
    main()
