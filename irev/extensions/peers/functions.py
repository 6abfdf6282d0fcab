"""The Python function `read_scores`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from irev.api.evaluation import Evaluation, evaluation_of
from irev.api.options import no_value, warned
from irev.base.directions import Direction
from irev.base.errors import InputError, UsageError
from irev.evaluation import saved
from irev.evaluation.objects import Path
from irev.extensions.peers.query_values import of_tables, tables_in
from irev.reading.in_memory.frame_columns import is_frame
from irev.reading.sources import Source


def read_scores(
    data: Path | Mapping[Any, Mapping[Any, float]] | Any,
    name: str | None = None,
    *,
    better: Mapping[str, Direction] | None = None,
) -> dict[str, Evaluation]:
    """Read values of queries that another evaluator computed, or a result that irev saved.

    What comes back can be given to `compare` and `check` as other evaluations are.

    Parameters
    ----------
    data : path, nested dictionary, or data frame
        A file in a form that ``irev compare`` reads (docs/other-evaluators.md); ``{query: {measure: value}}``, as
        pytrec_eval returns; or a data frame of pandas or polars with a row for each query or for each value.
    name : str, optional
        Name of the run, if there is only one. Default: its name in the data, or the name of the file.
    better : mapping of str to str, optional
        Which value is the better one, ``"higher"`` or ``"lower"``, of measures that irev does not know. Unless given,
        it is the lower of well-known costs such as latency, and the higher of all others.

    Returns
    -------
    evaluations : dict of str to Evaluation
        By the names of runs. How much is judged and tied is not known, and 0 stands there.

    Raises
    ------
    InputError
        For data that cannot be read or understood.
    UsageError
        For a name of several runs.
    """
    if any(each not in ("higher", "lower") for each in (better or {}).values()):
        raise no_value("better", better, "a dictionary such as {'latency': 'lower'}")
    if isinstance(data, str | os.PathLike):
        with Source(os.fsdecode(data)) as source:
            result = saved.read(source, better=better, scores=True, warn=warned)
        saved.require_queries(result, source.name)
    else:
        result = of_tables(tables_in(_written(data), "scores", warned), "scores", better or {})
    if result.several_qrels:
        raise InputError("results under several judgments", result.outcomes[0].run, "save those under one of them")
    if name is not None and len(result.outcomes) > 1:
        raise UsageError(f"there are {len(result.outcomes)} runs, and one name", remedy="leave out name")
    return {name or outcome.run: evaluation_of(outcome, result.settings) for outcome in result.outcomes}


def _written(data: Any) -> bytes:
    """A dictionary as JSON, and a data frame as CSV: every digit of a number is kept."""
    if isinstance(data, Mapping):
        try:
            return json.dumps(data, default=float).encode()
        except (TypeError, ValueError):
            raise no_value("data", data, "numbers by query and measure") from None
    if not is_frame(data):
        raise no_value("data", data, "a path, a dictionary, or a data frame")
    frame = data.to_pandas() if hasattr(data, "to_pandas") and not hasattr(data, "write_csv") else data
    text: str = frame.write_csv() if hasattr(frame, "write_csv") else frame.to_csv()
    return text.encode()
