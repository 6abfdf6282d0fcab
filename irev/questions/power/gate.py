"""Planning a gate: how often each condition on a drop turns red, for drops that are known.

The chances are those of normal differences. Their spread comes from runs that were measured, or is given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from irev.errors import UsageError, option
from irev.evaluation.comparison.alignment import Aligned, differences_of, pairs_of
from irev.questions.power.choices import PowerChoices
from irev.questions.power.finding import Chance
from irev.statistics import drops
from irev.statistics.variance import sample_variance


def from_variance(asked: PowerChoices) -> list[Chance]:
    """The chances of a gate without any data.

    Raises
    ------
    UsageError
        Without a variance, or a number of queries.
    """
    if asked.variance is None:
        raise UsageError(
            "without runs a variance is needed", remedy=f"give {option('variance')}, or judgments and runs"
        )
    if asked.number is None:
        raise UsageError(
            "without runs a number of queries is needed", remedy=f"give {option('number')}, or judgments and runs"
        )
    return list(_chances(asked, (None, None, None), asked.number, asked.variance))


def from_runs(aligned: Aligned, baseline: int | None, asked: PowerChoices) -> list[Chance]:
    """The chances of a gate for runs that differ as these do, under every measure."""
    pairs = pairs_of(len(aligned.runs), baseline)
    found: list[Chance] = []
    for measured in aligned.measured:
        for (base, run), differences in zip(pairs, differences_of(measured.values, pairs).T, strict=True):
            about = (measured.quantity.standard, aligned.runs[base], aligned.runs[run])
            variance = sample_variance(differences) if asked.variance is None else asked.variance
            found += _chances(asked, about, asked.number or len(differences), variance)
    return found


def _chances(
    asked: PowerChoices, about: tuple[str | None, str | None, str | None], queries: int, variance: float | None
) -> Iterator[Chance]:
    for drop in asked.drops:
        if not variance or not math.isfinite(variance) or queries < 2:
            yield Chance(*about, queries, variance, drop)
            continue
        gate = (queries, drop, asked.gate or 0.0, math.sqrt(variance))
        yield Chance(
            *about,
            queries,
            variance,
            drop,
            drops.measured_beyond(*gate),
            drops.shown_beyond(*gate, asked.alpha),
            drops.shown_and_measured_beyond(*gate, asked.alpha),
            1 - drops.shown_within(*gate, asked.alpha),
        )
