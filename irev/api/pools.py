"""`pool`: which documents of runs are to be judged, with the choices that ``irev pool`` has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, Unpack

from irev.api.inputs import Judged, Path, Retrieved, Run, judgments_of, require_read_alike
from irev.api.options import ReadingOptions, settings_of
from irev.api.values import no_value, of_parameters, speaking_of_parameters, whole_number
from irev.api.warned import warned, warned_of
from irev.base.text import encoded
from irev.errors import RunWarning, UsageError
from irev.evaluation.notes import lacking_notes, reading_notes
from irev.ranking import ranking, small_dictionaries
from irev.reading import memory
from irev.reading.block import Block
from irev.reading.runs import Reading
from irev.reading.sources import Source

if TYPE_CHECKING:
    from irev.api.findings import ShownPool
    from irev.base.settings import Settings
    from irev.ranking.ranking import First


def pool(
    runs: Mapping[str, Retrieved] | Iterable[Path],
    *,
    depth: int | None = None,
    budget: int | None = None,
    strata: Mapping[int, float | str] | None = None,
    next: int | None = None,
    by: Literal["depth", "rrf", "maxmean", "strata", "difference"] | None = None,
    measure: str = "AP",
    within: int | None = None,
    judged: Judged | None = None,
    in_order: bool = False,
    seed: int = 0,
    **options: Unpack[ReadingOptions],
) -> ShownPool:
    """Choose which documents of runs are to be judged.

    Parameters
    ----------
    runs : mapping of str to run, or iterable of paths
        By their names: paths, nested dictionaries, data frames, arrays, or Runs. Paths alone are called by their run
        ids.
    depth : int, optional
        The first so many documents of each run.
    budget : int, optional
        As many documents of each query as there can be with so many judgments, those in `judged` counted.
    strata : mapping of int to (float or str), optional
        A sample: ``{10: 1, 50: 0.2}`` takes all documents that any run has among its first 10, and of others among the
        first 50 a fifth, rounded up. Shares are read as decimal numbers.
    next : int, optional
        The next so many documents: by ``maxmean`` of each query, 1 unless given; by ``difference`` of all queries
        together.
    by : str, optional
        How documents are chosen: by ``depth``; by reciprocal rank fusion, ``rrf``, or bandit, ``maxmean``, with a
        budget; as ``strata``; or by how much their judgment can move the ``difference`` of two runs. Unless given,
        what `depth`, `budget` (``rrf``) or `strata` says.
    measure : str
        By ``difference``: ``AP``, ``nDCG`` or ``nDCG@10`` and the like.
    within : int, optional
        Look at so many documents of each run alone.
    judged : path, nested dictionary, data frame, arrays, or Qrels, optional
        What is judged already: left out, and learned from.
    in_order : bool
        Best first; otherwise the documents of a query are shuffled.
    seed : int
        Of the order and the sample.
    **options
        See `ReadingOptions`.

    Returns
    -------
    Pool
        With a `PooledQuery` for each query of any run in `queries`, whose `documents` are to be judged, and what each
        run has in `contributions`. Ids are bytes. ``to_pandas()`` has a row for each document; notebooks show it.

    Raises
    ------
    UsageError
        For choices that do not go together, and ``ties="average"``.
    InputError
        For a run that has no query in common with the others, judgments that have none with the runs, a budget that
        every query has overspent, and what cannot be read or understood.
    """
    from irev.analysis.pools.candidates import GatheredRuns
    from irev.analysis.pools.pool import make, require_made
    from irev.analysis.pools.runs import FilesRead
    from irev.analysis.pools.wanted import WAYS, PoolWanted, chosen, idle
    from irev.api.findings import ShownPool, shown
    from irev.evaluation.run_names import names_of

    with speaking_of_parameters():
        settings = settings_of(options, ReadingOptions)
        if settings.ties == "average":
            raise UsageError("documents in ties have no rank of their own under ties='average'")
        if by is not None and by not in WAYS:
            raise no_value("by", by, "one of " + ", ".join(map(repr, WAYS)))
        numbers = {"depth": depth, "budget": budget, "next": next, "within": within}
        counts = {name: None if value is None else whole_number(name, value, 1) for name, value in numbers.items()}
        pairs = {whole_number("strata", key, 1): str(share) for key, share in (strata or {}).items()}
        within_most = counts.pop("within")
        wanted = chosen(
            by,
            strata=pairs or None,
            **counts,
            within=within_most,
            measure=measure,
            level=settings.level,
            seed=whole_number("seed", seed),
            in_order=in_order,
        )
        given = {
            "measure": measure != PoolWanted.measure,
            "within": within is not None,
            "seed": seed != PoolWanted.seed,
        }
        for why, about in idle(wanted, judged is not None):
            for each in about:
                if given.get(each) or each in options:
                    raise UsageError(f"{each} changes nothing here: {of_parameters(why)}")
        judgments = None if judged is None else small_dictionaries.indexed(judgments_of(judged, settings))
        if isinstance(runs, str | os.PathLike):
            raise TypeError("expected runs: a list of paths, or a dictionary of runs by their names")
        named = runs if isinstance(runs, Mapping) else dict(enumerate(map(os.fsdecode, runs)))
        if not named:
            raise UsageError("there is nothing to pool", remedy="give at least one run")
        require_made(wanted, len(named))
        read = FilesRead(GatheredRuns(), [], judgments, [])
        for name, run in named.items():
            first, reading = first_of(run, str(name), settings, wanted.most)
            read.gathered.add(first)
            read.readings.append(reading)
        if isinstance(runs, Mapping):
            called = [str(name) for name in named]
        else:
            called = [*names_of([str(path) for path in named.values()], read.tags, (), lambda note: None)]
        for number, (each, reading) in enumerate(zip(called, read.readings, strict=True)):
            warned_of(reading_notes(reading, each))
            warned_of(lacking_notes(each, read.gathered.lacking(number)))
        for again, before in read.twice:
            warned(f"{called[again]} seems to be the same run as {called[before]}", RunWarning)
        found = make(read.gathered, called, judgments, wanted)
    return shown(ShownPool, found)


def first_of(run: Retrieved, name: str, settings: Settings, most: int | None) -> tuple[First, Reading]:
    """The first documents of a run, and what tells it from others: of one in memory the object that it is."""
    if isinstance(run, str | os.PathLike):
        with Source(os.fsdecode(run)) as source:
            return ranking.first_documents(source, settings, most)
    if isinstance(run, Run):
        require_read_alike(run, settings)
        blocks: Iterable[Block] = run.blocks
    else:
        blocks = memory.blocks(run, settings, name)
    return ranking.first_of_blocks(blocks, settings, most), Reading(0, 0, encoded(f"{id(run)}"))
