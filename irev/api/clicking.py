"""`clicks`: what a log of clicks says, with the choices that ``irev clicks`` has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from irev.api.inputs import Path
from irev.api.values import between, no_value, number, speaking_of_parameters, whole_number
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.api.findings import ShownClicks


def clicks(
    log: Path | Iterable[Path],
    measures: str | Iterable[str] = (),
    *,
    on_error: str = "refuse",
    baseline: str | None = None,
    shares: Mapping[str, float] | None = None,
    confidence: float = 0.95,
    alpha: float = 0.05,
    power: float = 0.8,
    correction: str = "holm",
    samples: int = 10_000,
    seed: int = 0,
    per_user: bool = False,
    show_users: bool = False,
    allow_large: bool = False,
) -> ShownClicks:
    """What a log of impressions and clicks says: which of two systems users prefer, or what they did in each bucket.

    Parameters
    ----------
    log : path, or iterable of paths
        Several are one log, in their order.
    measures : str or iterable of str
        Of buckets, what to measure, as after ``-m``; all that the log has unless given.
    on_error : str
        ``refuse`` raises `InputError` for an event that is wrong, ``drop`` leaves it out, with all events of its
        impression or, of a user in several buckets, of the user.
    baseline : str, optional
        The bucket that others are held against; the first by name unless given.
    shares : mapping of str to float, optional
        Which share of users each bucket was to have; equal ones unless given.
    confidence, alpha, power, correction
        Of intervals and tests; `power` is the chance of finding the difference called detectable.
    samples, seed : int
        Without effect: intervals of interleaved lists need no samples any more.
    per_user, show_users : bool
        Whether users are listed, and by their ids.
    allow_large : bool
        Read files although they decompress to implausibly much.

    Returns
    -------
    Clicks
        ``found`` is a `BucketTest`, with a `MetricFound` for each metric in ``metrics``, or a `Preference`, as
        ``facts.kind`` says; ``faults`` counts what was left out, by code.

    Raises
    ------
    UsageError
        For a choice that there is not, or that the log has nothing for.
    InputError
        For what cannot be read or understood.
    """
    from irev.analysis.clicks.buckets import BucketPlan
    from irev.analysis.clicks.interleaved import InterleavingPlan
    from irev.analysis.clicks.scoring import score
    from irev.api.findings import ShownClicks, shown
    from irev.reading.events.log import Log
    from irev.reading.events.schema import DROP, ON_ERROR

    if on_error not in ON_ERROR:
        raise no_value("on_error", on_error, " or ".join(map(repr, ON_ERROR)))
    paths = [log] if isinstance(log, str | os.PathLike) else [*log]
    if not paths:
        raise UsageError("there is no log", remedy="give at least one path")
    for name, share in (shares or {}).items():
        if number("shares", share) <= 0:
            raise no_value(f"shares[{name!r}]", share, "a number above 0")
    alpha, confidence = between("alpha", alpha), between("confidence", confidence)
    buckets = BucketPlan(
        (measures,) if isinstance(measures, str) else tuple(measures),
        baseline,
        shares,
        confidence,
        alpha,
        between("power", power),
        correction,
    )
    lists = InterleavingPlan(confidence, alpha, whole_number("samples", samples, least=1), whole_number("seed", seed))
    with (
        speaking_of_parameters(),
        Log([os.fsdecode(path) for path in paths], large=allow_large, users=per_user) as read,
    ):
        found = score(read, buckets, lists, drop=on_error == DROP, per_user=per_user)
    return shown(ShownClicks, found, show_users=show_users)
