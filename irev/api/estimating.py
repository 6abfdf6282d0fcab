"""`off_policy`: what another ranking would have got of a log, with the choices that ``irev clicks --ranking`` has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Unpack

from irev.api.inputs import Path, Retrieved, Run, first_of
from irev.api.options import RunOptions, settings_of
from irev.api.values import between, no_value, number, speaking_of_parameters, whole_number
from irev.base.text import decoded
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.api.findings import ShownEstimates
    from irev.base.segments import Floats


def off_policy(
    log: Path | Iterable[Path],
    run: Retrieved,
    *,
    estimate: Literal["clicks", "dcg", "reciprocal", "precision"] = "clicks",
    propensities: Path | Sequence[float] | None = None,
    cutoff: int | None = None,
    clip: float = 10.0,
    min_effective: float = 100.0,
    min_support: float = 0.5,
    confidence: float = 0.95,
    on_error: str = "refuse",
    **options: Unpack[RunOptions],
) -> ShownEstimates:
    """What another ranking would have got of the users of a log, if position alone decides what is looked at.

    Parameters
    ----------
    log : path, or iterable of paths
        Several are one log, in their order.
    run : path, nested dictionary, data frame, arrays, or Run
    estimate : str
        ``clicks`` per impression; or ``dcg``, ``reciprocal`` (the sum of 1/rank) or ``precision``, of documents as they
        are clicked when looked at.
    propensities : path, or sequence of float, optional
        The probability that each position is looked at; those in the log unless given.
    cutoff : int, optional
        Only the first so many documents count; as many as were shown unless given.
    clip : float
        The most that a click counts in the clipped estimate.
    min_effective : float
        The least effective number of looks that an estimate may rest on, whatever was clicked.
    min_support : float
        The least share of the weight of the ranking that documents shown must have for differences to have an interval
        and a p.
    confidence : float
        Of the intervals.
    on_error : str
        ``refuse`` or ``drop``, as in `irev.clicks`.
    **options
        See `RunOptions`; `allow_large` is for the log, too.

    Returns
    -------
    Estimates
        ``shown`` is what the lists of the log got, and ``estimates`` has what the ranking would have: by inverse
        propensity scores and by clipped ones, each from ``value`` (documents that were not shown get no click) to
        ``bound`` (they are clicked whenever they are looked at), and self-normalised, which is a guess between the two.
        `irev.analysis.clicks.off_policy` says what each is.

    Raises
    ------
    UsageError
        For a choice that there is not.
    InputError
        For what cannot be read or understood, and where all estimates rest on too few looks.
    """
    from irev.analysis.clicks.off_policy import METRICS, OffPolicyWanted, OtherRanking, estimated
    from irev.api.findings import ShownEstimates, shown
    from irev.evaluation.run_names import names_of
    from irev.reading.events.log import Log
    from irev.reading.events.schema import DROP, ON_ERROR

    if estimate not in METRICS:
        raise no_value("estimate", estimate, " or ".join(map(repr, METRICS)))
    if on_error not in ON_ERROR:
        raise no_value("on_error", on_error, " or ".join(map(repr, ON_ERROR)))
    if number("clip", clip) <= 0:
        raise no_value("clip", clip, "a number above 0")
    if number("min_effective", min_effective) < 1:
        raise no_value("min_effective", min_effective, "a number of 1 or more")
    if not 0 <= number("min_support", min_support) <= 1:
        raise no_value("min_support", min_support, "a number from 0 to 1")
    most = None if cutoff is None else whole_number("cutoff", cutoff, 1)
    wanted = OffPolicyWanted(estimate, most, clip, min_effective, min_support, between("confidence", confidence))
    paths = [log] if isinstance(log, str | os.PathLike) else [*log]
    if not paths:
        raise UsageError("there is no log", remedy="give at least one path")
    with speaking_of_parameters():
        settings = settings_of(options, RunOptions)
        if settings.ties == "average":
            raise UsageError("documents in ties have no rank of their own under ties='average'")
        positions, file = _positions(propensities)
        first, reading = first_of(run, "run", settings, most)
        path = os.fsdecode(run) if isinstance(run, str | os.PathLike) else ""
        tag = decoded(reading.tag) if path else run.name if isinstance(run, Run) else "run"
        (name,) = names_of([path or tag], [tag], (), lambda _: None)
        with Log([os.fsdecode(each) for each in paths], large=settings.allow_large) as read:
            found = estimated(read, OtherRanking(first), wanted, positions, drop=on_error == DROP)
    return shown(ShownEstimates, found, run=name, file=file)


def _positions(given: Path | Sequence[float] | None) -> tuple[Floats | None, str | None]:
    """Propensities, and the file that they are from, as `OffPolicyReport` has it."""
    import numpy as np

    from irev.reading.propensities import read_propensities
    from irev.reading.sources import Source

    if given is None:
        return None, None
    if isinstance(given, str | os.PathLike):
        with Source(os.fsdecode(given)) as source:
            return read_propensities(source), source.name
    found = [number(f"propensities[{place}]", value) for place, value in enumerate(given)]
    if not found or not all(0 < value <= 1 for value in found):
        raise no_value("propensities", given, "numbers above 0 and at most 1")
    return np.array(found, dtype=np.float64), ""
