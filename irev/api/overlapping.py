"""`rbo`: how far the rankings of two runs overlap, with the choices that ``irev agree RUN RUN`` has."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal, Unpack

from irev.api.fusing import input_of
from irev.api.inputs import Retrieved
from irev.api.options import RunOptions, settings_of
from irev.api.values import between, speaking_of_parameters, whole_number
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.api.findings import ShownOverlap


def rbo(
    a: Retrieved,
    b: Retrieved,
    *,
    p: float = 0.9,
    rbo_ties: Literal["a", "b", "w"] = "a",
    depth: int | None = None,
    **options: Unpack[RunOptions],
) -> ShownOverlap:
    """Rank-biased overlap of two runs, query by query.

    Parameters
    ----------
    a, b : path, nested dictionary, data frame, arrays, or Run
    p : float
        Persistence, above 0 and below 1: the higher, the deeper it looks.
    rbo_ties : str
        What documents of equal score are. ``a``: in any order, what is expected counts, RBO^a; ``b``: the same, divided
        by what each run has with itself, RBO^b; ``w``: at one rank, RBO^w.
    depth : int, optional
        Look at the first so many documents of each ranking alone.
    **options
        See `RunOptions`.

    Returns
    -------
    RunOverlap
        With arrays in the order of ``queries``, which are bytes: ``extrapolated``, ``least`` and ``residual``,
        ``documents`` of each run, and those in ``common``; and their ``means``. A query that one run lacks has 0, and
        a residual of 1. ``to_pandas()`` has a row for each query.

    Raises
    ------
    UsageError
        For a `p` or ties that there are not, and ``ties="average"``.
    InputError
        For runs without a query in common, and what cannot be read or understood.

    Source: Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, ACM Transactions on Information
    Systems 28(4), 2010; Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.
    """
    from irev.analysis.overlap import overlap_of, spec_of
    from irev.api.findings import ShownOverlap, shown
    from irev.ranking.fusion.inputs import in_step_or_whole
    from irev.statistics.overlap import TIES

    with speaking_of_parameters():
        settings = settings_of(options, RunOptions)
        if settings.ties == "average":
            raise UsageError("rbo_ties says what ties are here, and ties='average' nothing")
        if rbo_ties not in TIES:
            raise UsageError(f"there are no ties {rbo_ties!r}", remedy=f"choose one of {', '.join(TIES)}")
        persistence = between("p", p)
        spec = spec_of(None if depth is None else whole_number("depth", depth, 1))
        with ExitStack() as opened:
            runs = [input_of(run, str(each), spec, settings, opened) for each, run in enumerate((a, b), start=1)]
            names = runs[0].name, runs[1].name
            found, _ = in_step_or_whole(
                runs, lambda shared, whole: overlap_of(runs, names, persistence, rbo_ties, shared, whole)
            )
    return shown(ShownOverlap, found)
