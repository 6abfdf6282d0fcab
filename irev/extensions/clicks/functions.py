"""The Python functions: `interleave` mixes two runs, `clicks` evaluates a log, and `off_policy` estimates the clicks of
another ranking.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from irev.api.options import (
    RunOptions,
    ask,
    checked_record,
    names_of_measures,
    no_value,
    number,
    paths_of,
    settings_of,
    warned,
)
from irev.base.errors import UsageError
from irev.evaluation.inputs import Inputs
from irev.evaluation.objects import Path, Retrieved
from irev.extensions.clicks.events.schema import INTERLEAVED
from irev.extensions.clicks.online import AB, PREFERENCE
from irev.extensions.clicks.online.logs import opened

if TYPE_CHECKING:
    from irev.extensions.clicks.online.interleave import Interleaving
    from irev.extensions.clicks.online.logs import Clicks
    from irev.extensions.clicks.online.off_policy import Estimates


def interleave(
    a: Retrieved,
    b: Retrieved,
    *,
    method: Literal["team-draft", "probabilistic"] = "team-draft",
    length: int = 10,
    draws: int = 1,
    seed: int = 0,
    within: int | None = None,
    **options: Unpack[RunOptions],
) -> Interleaving:
    """Mix two runs into a list for each query that both have, and record which run contributed each document.

    Parameters
    ----------
    a, b : path, nested dictionary, data frame, arrays, or Run
    method : str
        ``team-draft``, where both add their best in turns, or ``probabilistic``, drawn from softmax distributions over
        ranks.
    length : int
        Documents of a list, at most.
    draws : int
        Lists of each query. Show each user one of them at random; where all users see a single one, they share the luck
        of its draw.
    seed : int
        Random seed. What is drawn for a query depends only on the seed and the query id.
    within : int, optional
        With ``probabilistic``: draw only from this number of first documents of each run.
    **options
        See `RunOptions`.

    Returns
    -------
    Interleaving
        With an `Interleaved` for each query in ``lists``, a dictionary by query: documents, teams, and, by method,
        shares; ``drawn`` has a tuple of all of them, as many as ``draws``. ``alone`` has the queries of one run, which
        have no list. Ids are bytes. ``to_pandas()`` has a row for each list.

    Raises
    ------
    UsageError
        For an unknown method, ``within`` with a method other than ``probabilistic``, and ``ties="average"``.
    InputError
        For runs without a query in common, and input that cannot be read.
    """
    about = Inputs(settings=settings_of(options, RunOptions), warn=warned)
    found: Interleaving = ask("online interleave", about, locals(), a=a, b=b)
    return found


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
    sequential: int | None = None,
) -> Clicks:
    """Evaluate a log of clicks: which of two systems users prefer, or what they did in each bucket.

    Parameters
    ----------
    log : path, or iterable of paths
        Several are one log, in their order.
    measures : str or iterable of str
        For buckets: the metrics, as after ``-m``; by default all that the log has.
    on_error : str
        ``refuse`` raises `InputError` for an event that is wrong, ``drop`` leaves it out, with all events of its
        impression or, of a user in several buckets, of the user.
    baseline : str, optional
        The bucket with which others are compared; by default the first by name.
    shares : mapping of str to float, optional
        The intended share of users of each bucket; by default equal shares.
    confidence, alpha, power, correction
        Of intervals and tests; `power` is the probability of finding the difference shown as detectable.
    sequential : int, optional
        Make intervals and p-values that are valid at every look, narrowest at this planned number of impressions. It
        must be the same at every look. By default they are valid for one look.

    Returns
    -------
    Clicks
        ``found`` is a `BucketTest`, with a `MetricFound` for each metric in ``metrics``, or a `Preference`, as
        ``facts.kind`` says; ``faults`` counts what was left out, by code.

    Raises
    ------
    UsageError
        For an unknown choice, or one for which the log has no data.
    InputError
        For input that cannot be read.
    """
    given = {**locals()}
    files, metrics = _files(log), tuple(names_of_measures(measures))
    of_buckets = checked_record(AB.choices, given, given, files=files, metrics=metrics)
    of_lists = checked_record(PREFERENCE.choices, given, given, files=files)
    about = Inputs(warn=warned)
    with opened(about, files) as events:
        about = replace(about, runs=[events])
        interleaved = events.facts.kind == INTERLEAVED
        found: Clicks = PREFERENCE.answer(about, of_lists) if interleaved else AB.answer(about, of_buckets)
    return found


def off_policy(
    log: Path | Iterable[Path],
    run: Retrieved,
    *,
    propensities: Path | Sequence[float] | None = None,
    cutoff: int | None = None,
    min_effective: float = 100.0,
    min_support: float = 0.5,
    confidence: float = 0.95,
    on_error: str = "refuse",
    **options: Unpack[RunOptions],
) -> Estimates:
    """Estimate the clicks of another ranking from a log, if only position decides what users look at.

    Parameters
    ----------
    log : path, or iterable of paths
        Several are one log, in their order.
    run : path, nested dictionary, data frame, arrays, or Run
    propensities : path, or sequence of float, optional
        The probability that users look at each position; by default those in the log.
    cutoff : int, optional
        Only the first K documents count; by default as many as were shown.
    min_effective : float
        The lowest effective number of looks for which an estimate is given.
    min_support : float
        The least share of the weight of the ranking that documents shown must have for differences to have an interval
        and a p.
    confidence : float
        Of the intervals.
    on_error : str
        ``refuse`` or ``drop``, as in `irev.clicks`.
    **options
        See `RunOptions`.

    Returns
    -------
    Estimates
        ``shown`` is what the lists of the log got, and ``estimates`` has what the ranking would have: by inverse
        propensity scores, from ``value`` (documents that were not shown get no click) to ``bound`` (they are clicked
        whenever they are looked at), and self-normalised, which is a guess between the two.
        `irev.extensions.clicks.online.off_policy` says what each is.

    Raises
    ------
    UsageError
        For an unknown choice.
    InputError
        For input that cannot be read, and if all estimates are based on too few looks.
    """
    about, files = Inputs(settings=settings_of(options, RunOptions), warn=warned), (run, *_files(log))
    looked = _propensities(propensities)
    found: Estimates = ask("online off-policy", about, locals(), files=files, propensities=looked)
    return found


def _files(log: Path | Iterable[Path]) -> tuple[str, ...]:
    """The files of a log, one or more."""
    paths = paths_of("log", log)
    if not paths:
        raise UsageError("there is no log", remedy="give at least one path")
    return paths


def _propensities(given: Path | Sequence[float] | None) -> Any:
    """A path, or checked probabilities as an array."""
    if given is None or isinstance(given, str | os.PathLike):
        return given
    several = isinstance(given, Iterable)
    found = [number(f"propensities[{place}]", value) for place, value in enumerate(given)] if several else []
    if not found or not all(0 < value <= 1 for value in found):
        raise no_value("propensities", given, "numbers above 0 and at most 1")
    return np.array(found, dtype=np.float64)
