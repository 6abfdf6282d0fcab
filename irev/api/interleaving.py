"""`interleave`: lists made of two runs, with the choices that ``irev interleave`` has."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, Unpack

from irev.api.inputs import Retrieved, Run, first_of
from irev.api.options import RunOptions, settings_of
from irev.api.values import speaking_of_parameters, whole_number
from irev.base.text import decoded
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.api.findings import ShownInterleaving


def interleave(
    a: Retrieved,
    b: Retrieved,
    *,
    method: Literal["team-draft", "balanced", "probabilistic"] = "team-draft",
    length: int = 10,
    draws: int = 1,
    seed: int = 0,
    within: int | None = None,
    **options: Unpack[RunOptions],
) -> ShownInterleaving:
    """Make a list of two runs for each query that both have, and say who contributed what.

    Parameters
    ----------
    a, b : path, nested dictionary, data frame, arrays, or Run
    method : str
        ``team-draft``, where both add their best in turns, ``balanced``, rank by rank, or ``probabilistic``, drawn from
        softmax distributions over ranks.
    length : int
        Documents of a list, at most.
    draws : int
        Lists of each query. Show each user one of them at random; where all users see a single one, they share the luck
        of its draw.
    seed : int
        Where chance begins. What is drawn for a query depends on that and its id alone.
    within : int, optional
        With ``probabilistic``: draw from the first so many documents of each run alone.
    **options
        See `RunOptions`.

    Returns
    -------
    Interleaving
        With an `Interleaved` for each query in ``lists``, a dictionary by query: documents, teams, and, by method,
        shares or ranks; ``drawn`` has a tuple of all of them, as many as ``draws``. ``by_chance`` is what a click on
        any one document of these lists is worth to A and to B, ``over_draws`` the same over all that could be drawn,
        where that is not the same to both. ``alone`` has the queries of one run, which have no list. Ids are bytes.
        ``to_pandas()`` has a row for each list; notebooks show what clicks at random are worth.

    Raises
    ------
    UsageError
        For a method that there is not, ``within`` with another than ``probabilistic``, and ``ties="average"``.
    InputError
        For runs without a query in common, and what cannot be read or understood.
    """
    from irev.analysis.interleaving import lists, methods
    from irev.api.findings import ShownInterleaving, shown
    from irev.evaluation.run_names import names_of

    with speaking_of_parameters():
        settings = settings_of(options, RunOptions)
        if settings.ties == "average":
            raise UsageError("documents in ties have no rank of their own under ties='average'")
        most = lists.most(method, whole_number("length", length, 1))
        if within is not None:
            if not methods.find(method).whole:
                raise UsageError(f"within changes nothing here: {method} looks at the first documents of each run")
            most = whole_number("within", within, 1)
        seed, draws = whole_number("seed", seed), whole_number("draws", draws, 1)
        runs = [first_of(run, name, settings, most) for run, name in ((a, "a"), (b, "b"))]
        files = [os.fsdecode(run) if isinstance(run, str | os.PathLike) else "" for run in (a, b)]
        tags = [
            decoded(reading.tag) if file else run.name if isinstance(run, Run) else name
            for (_, reading), file, run, name in zip(runs, files, (a, b), "AB", strict=True)
        ]
        first, second = names_of([file or tag for file, tag in zip(files, tags, strict=True)], tags, (), lambda _: None)
        found = lists.interleave(runs[0][0], runs[1][0], (first, second), method, length, seed, draws)
    return shown(ShownInterleaving, found)
