"""`fuse`: several runs made one, with the choices that ``irev fuse`` has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Unpack

from irev.base.settings import Settings
from irev.doors.api.inputs import Retrieved, Run, require_read_alike
from irev.doors.api.options import RunOptions, settings_of
from irev.doors.api.values import no_value, number, speaking_of_parameters, whole_number
from irev.doors.api.warned import warned_of
from irev.errors import UsageError
from irev.evaluation.notes import lacking_notes, reading_notes
from irev.reading import chunks, memory
from irev.reading.sources import Source

if TYPE_CHECKING:
    from irev.ranking.fusion.inputs import InputRun
    from irev.ranking.fusion.spec import FusionSpec


def fuse(
    runs: Mapping[str, Retrieved] | Iterable[Retrieved],
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Mapping[str, float] | Sequence[float] | None = None,
    k: float | None = None,
    depth: int | None = None,
    top: int | None = None,
    name: str | None = None,
    **options: Unpack[RunOptions],
) -> Run:
    """Make one run of several.

    Parameters
    ----------
    runs : iterable of run, or mapping of str to run
        Paths, nested dictionaries, data frames, arrays, or Runs; by their names, if they have some.
    method : str
        ``rrf``, ``combsum``, ``combmnz``, ``combmax``, ``combmin``, ``combmed``, ``combanz``, ``isr`` or ``borda``.
    norm : str, optional
        What makes scores of different runs comparable, for the methods that look at scores: ``min-max`` unless given,
        ``max``, ``sum``, ``z``, ``rank``, or ``none``.
    weights : sequence of float, or mapping of str to float, optional
        What each run counts for, in their order or by their names: for ``combsum``, ``rrf`` and ``borda``.
    k : float, optional
        The constant of ``rrf``, 60 unless given.
    depth : int, optional
        Look at the first so many documents of each ranking alone.
    top : int, optional
        Keep the first so many documents of each query.
    name : str, optional
        What the fused run is called, which is its run id: that of the method, unless given.
    **options
        See `RunOptions`.

    Returns
    -------
    Run
        Which is evaluated as any other, and of which ``to_dict()`` and ``to_pandas()`` have the documents.

    Raises
    ------
    UsageError
        For choices that do not go together, weights that are not as many as runs, and ``ties="average"``.
    InputError
        For a run that has no query in common with the others, scores that cannot be made comparable, and what cannot be
        read or understood.
    """
    from irev.ranking.fusion.fused import in_own_text
    from irev.ranking.fusion.inputs import FileRun, fused_runs, in_step_or_whole
    from irev.ranking.fusion.spec import chosen, require_weights

    with speaking_of_parameters():
        settings = settings_of(options, RunOptions)
        if settings.ties == "average":
            raise UsageError("documents in ties have no rank of their own under ties='average'")
        if isinstance(runs, str | os.PathLike):
            raise TypeError("expected runs: a list of runs, or a dictionary of runs by their names")
        named = {str(each): run for each, run in runs.items()} if isinstance(runs, Mapping) else None
        given = [*named.values()] if named is not None else [*runs]
        if not given:
            raise UsageError("there is nothing to fuse", remedy="give at least one run")
        numbers = {"depth": depth, "top": top}
        spec = chosen(
            method,
            norm,
            None if k is None else _constant(k),
            None if weights is None else _weights(weights, named),
            **{each: None if value is None else whole_number(each, value, 1) for each, value in numbers.items()},
        )
        require_weights(spec, len(given))
        called = method if name is None else name
        with ExitStack() as opened:
            inputs = [
                input_of(run, str(each), spec, settings, opened)
                for each, run in (named.items() if named is not None else enumerate(given, start=1))
            ]
            blocks, shared = in_step_or_whole(
                inputs, lambda shared, whole: tuple(map(in_own_text, fused_runs(inputs, spec, shared, whole)))
            )
    for each, queries in zip(inputs, shared.lacking, strict=True):
        if isinstance(each, FileRun):
            warned_of(reading_notes(each.reading, each.name))
        warned_of(lacking_notes(each.name, queries))
    return Run(called, called, blocks, Settings())


def input_of(run: Retrieved, name: str, spec: FusionSpec, settings: Settings, opened: ExitStack) -> InputRun:
    """A run as it is read side by side with others."""
    from irev.ranking.fusion.inputs import FileRun, MemoryRun

    if isinstance(run, str | os.PathLike):
        source = opened.enter_context(Source(os.fsdecode(run)))
        return opened.enter_context(FileRun(source, spec, settings, chunks.SIZE))
    if isinstance(run, Run):
        require_read_alike(run, settings)
        held = run.blocks
        return MemoryRun(run.name, lambda: held, spec, settings)
    return MemoryRun(f"run {name}", lambda: memory.blocks(run, settings, f"run {name}"), spec, settings)


def _weights(weights: Any, runs: Mapping[str, Any] | None) -> list[float]:
    """One for each run, in their order."""
    if isinstance(weights, Mapping):
        called = {str(each): weight for each, weight in weights.items()}
        if runs is None:
            raise UsageError("the runs have no names that weights could be by", remedy="give a list of weights")
        if called.keys() != runs.keys():
            lacking = next(iter(sorted(called.keys() ^ runs.keys())))
            fact = "there is no run" if lacking in called else "there is no weight for run"
            raise UsageError(f"{fact} {lacking!r}", remedy="give a weight for each run")
        weights = [called[each] for each in runs]
    if isinstance(weights, str) or not isinstance(weights, Iterable):
        raise no_value("weights", weights, "a number for each run")
    return [number("weights", each) for each in weights]


def _constant(k: float) -> float:
    if number("k", k) < 0:
        raise no_value("k", k, "0 or more")
    return float(k)
