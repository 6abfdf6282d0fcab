"""The sign test of paired differences."""

from __future__ import annotations

from math import comb

from irev.base.segments import Floats
from irev.base.text import counted
from irev.statistics import special
from irev.statistics.effects import outcomes
from irev.statistics.paired import NO_DIFFERENCE, PairedTest, TestResult, least_of_signs, tail
from irev.statistics.plan import Plan


def sign(differences: Floats, plan: Plan) -> list[TestResult]:
    """Are there more positive differences than negative ones? p is exact: a fair coin decides each, the distribution is
    binomial.

    The statistic is the number of positive ones. Differences of 0 are ties, and left out. How large a difference is
    does not count, so that the test says nothing of the mean.

    Arbuthnot, An Argument for Divine Providence, Philosophical Transactions 27, 1710; Conover, Practical Nonparametric
    Statistics, 1999, section 3.4.
    """
    return [of_outcomes(*outcomes(column), plan.alternative) for column in differences.T]


def of_outcomes(wins: int, ties: int, losses: int, alternative: str) -> TestResult:
    """The same of how many differences are positive, ties, and negative."""
    decided = wins + losses
    if not decided:
        return TestResult(0.0, 1.0, "not tested", NO_DIFFERENCE)
    method = f"exact binomial, {wins:,} of {decided:,} positive"
    if ties:
        method += f", {counted(ties, 'tie')} left out"
    method += _by_hand(wins, losses, alternative)
    # As many positive ones or more is as many negative ones or fewer.
    below, above = float(special.bdtr(wins, decided, 0.5)), float(special.bdtr(losses, decided, 0.5))
    least = least_of_signs(decided, alternative)
    return TestResult(float(wins), tail(alternative, below, above), method, least=least)


BY_HAND = 12
"""Decided queries up to which the p-value is written as the sum that one computes by hand."""


def _by_hand(wins: int, losses: int, alternative: str) -> str:
    decided, two_sided = wins + losses, alternative == "two-sided"
    if decided > BY_HAND:
        return ""
    fewer = {"less": wins, "greater": losses}.get(alternative, min(wins, losses))
    ways = [comb(decided, number) for number in range(fewer + 1)]
    limit = ", at most 1" if two_sided and 2 * sum(ways) > 2**decided else ""
    return f"; p = {'2 · ' * two_sided}({' + '.join(map(str, ways))}) / 2^{decided}{limit}"


TEST = PairedTest("sign test", "number of positive differences", sign, of_mean=False)
