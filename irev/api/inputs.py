"""`read_qrels` and `read_run` read data once, to be used again."""

from __future__ import annotations

import os
from typing import Unpack

from irev.api.options import Options, settings_of, warned
from irev.base.text import decoded
from irev.evaluation import dictionaries
from irev.evaluation.notes import reading_notes, warn_of
from irev.evaluation.objects import Judged, Qrels, Retrieved, Run, judgments_of, require_read_alike, rows_of
from irev.reading import in_memory, runs
from irev.reading.sources import Source, file_read


def read_qrels(data: Judged, **options: Unpack[Options]) -> Qrels:
    """Read and index judgments, to be used more than once.

    Parameters
    ----------
    data : path, nested dictionary, data frame, or arrays
    **options
        Options for reading: `negative`, `columns`, `qrels_format`, and `compat`, as comments came
        with trec_eval 10.0.
    """
    files = file_read("qrels", data)
    return Qrels(dictionaries.indexed(judgments_of(data, settings_of(options), warned)), files)


def read_run(data: Retrieved, **options: Unpack[Options]) -> Run:
    """Read a run into memory, to be used more than once.

    Parameters
    ----------
    data : path, nested dictionary, data frame, or arrays
    **options
        Options for reading: `order`, `duplicates`, `drop_self`, `columns`, `run_format` and
        `compat`.
    """
    settings = settings_of(options)
    if isinstance(data, Run):
        require_read_alike(data, settings)
        return data
    if isinstance(data, str | os.PathLike):
        files = file_read("run", data)
        with Source(os.fsdecode(data)) as source:
            blocks, reading = runs.read(source, in_memory.kept, settings)
        warn_of(reading_notes(reading, source.name), warned, settings)
        return Run(source.name, decoded(reading.tag), tuple(blocks), settings, files)
    return Run("run", "run", tuple(rows_of(data, settings, "run", warned)), settings)
