"""`pool`: which documents of runs are to be judged, with the choices that ``irev pool`` has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Unpack

from irev.doors.api.given import MemoryGiven, ask, checked
from irev.doors.api.inputs import Judged, Path, Retrieved
from irev.doors.api.options import ReadingOptions

if TYPE_CHECKING:
    from irev.questions.pool.finding import Pool


def pool(
    runs: Mapping[str, Retrieved] | Iterable[Path],
    *,
    depth: int | None = None,
    budget: int | None = None,
    strata: Mapping[int, float | str] | None = None,
    next: int | None = None,
    by: Literal["depth", "rrf", "maxmean", "strata", "difference"] | None = None,
    measure: str = "AP",
    audit: int | None = None,
    predicted: Judged | Sequence[Judged] | None = None,
    within: int | None = None,
    judged: Judged | None = None,
    in_order: bool = False,
    seed: int = 0,
    **options: Unpack[ReadingOptions],
) -> Pool:
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
    audit : int, optional
        With `depth`: only so many queries, drawn at random from those without a judgment. By ``difference``: so many
        documents.
    predicted : path, nested dictionary, data frame, arrays, or Qrels; or a list of these, optional
        With `audit`: judgments of all queries by a model, or by several. What runs or models disagree on is then more
        likely; `PooledQuery.probability` has how likely.
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
    from irev.questions.pool.choices import QUESTION

    several = predicted if isinstance(predicted, list | tuple) else () if predicted is None else (predicted,)
    models = {f"model {number}": each for number, each in enumerate(several, start=1)}
    given = {**locals(), "strata": strata or None, "predicted": tuple(models)}
    choices = checked(QUESTION, given, predicted=tuple(models))
    judgments = {**({} if judged is None else {"": judged}), **models}
    found: Pool = ask(QUESTION, MemoryGiven(judgments, runs, (), options, ReadingOptions), choices)
    return found
