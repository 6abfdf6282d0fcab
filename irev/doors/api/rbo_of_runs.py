"""`rbo`: how far the rankings of two runs overlap, with the choices that ``irev rbo`` has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Unpack

from irev.doors.api.given import RunsGiven, ask, checked
from irev.doors.api.inputs import Retrieved
from irev.doors.api.options import RunOptions, settings_of
from irev.doors.api.values import whole_number

if TYPE_CHECKING:
    from irev.questions.rbo.answer import RunOverlap


def rbo(
    a: Retrieved,
    b: Retrieved,
    *,
    p: float = 0.9,
    rbo_ties: Literal["a", "b", "w"] = "a",
    depth: int | None = None,
    **options: Unpack[RunOptions],
) -> RunOverlap:
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
    from irev.questions.rbo.choices import QUESTION

    choices = checked(QUESTION, locals())
    first = None if depth is None else whole_number("depth", depth, 1)
    given = RunsGiven((a, b), replace(settings_of(options, RunOptions), depth=first))
    found: RunOverlap = ask(QUESTION, given, choices)
    return found
