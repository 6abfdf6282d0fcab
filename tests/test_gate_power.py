"""What a gate can tell: how often a condition of `irev check` fails for a drop that is known, by simulation."""

import numpy as np
import pytest

from irev.analysis.gate.conditions import read
from irev.analysis.gate.judging import _weighed
from irev.analysis.gate.rules import Rules
from irev.analysis.gate.weighing import weigh
from irev.statistics.plan import Plan

SPREAD = 0.1


def states(drop, allowed, queries, trials, any_drop=False, alpha=0.05):
    """What becomes of a condition on a drop, once for each trial."""
    rules = Rules(Plan(alpha=alpha), significant=True, any_drop=any_drop)
    gains = np.random.default_rng(11).normal(-drop, SPREAD, (trials, queries))
    room = np.full(queries, allowed)
    for each in gains:
        weighed = weigh(each, room, False, rules)
        yield _weighed(weighed, -each.mean() > allowed, weighed.worse.p, rules)


def share(state, *arguments, **options):
    found = list(states(*arguments, **options))
    return found.count(state) / len(found)


@pytest.mark.parametrize("allowed", [0.0, 0.01, 0.05])
def test_a_drop_as_large_as_is_allowed_fails_no_oftener_than_the_level_says(allowed):
    assert 0.05 == pytest.approx(share("fail", allowed, allowed, 50, 2000), abs=0.015)
    assert 0.05 == pytest.approx(share("pass", allowed, allowed, 50, 2000), abs=0.015)


def test_half_of_what_is_allowed_hardly_ever_fails_and_any_drop_often_does():
    assert 0.03 > share("fail", 0.005, 0.01, 200, 1000)
    assert 0.05 == pytest.approx(share("fail", 0.0, 0.01, 50, 2000, any_drop=True), abs=0.015)
    assert 0.3 < share("fail", 0.01, 0.01, 200, 1000, any_drop=True)


@pytest.mark.parametrize(("share", "queries"), [("2%", 149), ("10%", 29)])
def test_so_many_queries_without_a_loss_show_that_few_lose(share, queries):
    from irev.statistics import shares

    (condition,) = read("max-share-losing", f"AP>0.2={share}")
    assert condition.value >= shares.share(0, queries, condition.value, 0.05).high
    assert condition.value < shares.share(0, queries - 1, condition.value, 0.05).high
