"""What several runs are called, so that no two are called alike."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from irev.base.text import and_more
from irev.errors import UsageError

_NAMED = 5
"""So many runs are named of those that share a run id."""


def names_of(
    paths: Sequence[str], tags: Sequence[str], given: Sequence[str], note: Callable[[str], None]
) -> tuple[str, ...]:
    """A name for each run: one that was given, or its run id; where several share that, their files' names.

    Parameters
    ----------
    paths, tags : sequence of str
        The files, and the run ids in them.
    given : sequence of str
        Names for all of the runs, or none.
    note : callable
        Is told, in a sentence, when names are not run ids.

    Raises
    ------
    UsageError
        For names that are not as many as runs, or are not different, blanks at their ends aside.
    """
    if given:
        if len(given) != len(paths):
            raise UsageError(f"{len(given)} names for {len(paths)} runs", remedy="give --name once for each run")
        if again := _twice(given):
            raise UsageError(f"two runs are called '{again[0]}'", remedy="give every run a name of its own")
        if again := _twice([name.strip() for name in given]):
            fact = f"the names of two runs are '{again[0]}' but for blanks at their ends"
            raise UsageError(fact, remedy="give every run a name that can be told from the others")
        return tuple(given)
    names = list(tags)
    if shared := dict.fromkeys(_twice(tags)):
        # The shortest way to tell files apart that works for all that share a run id.
        for of_path in (_stem, os.path.basename, str):
            candidates = [of_path(path) if tag in shared else tag for path, tag in zip(paths, tags, strict=True)]
            if not _twice(candidates):
                break
        else:
            candidates = [
                f"{name}#{number}" if tag in shared else name
                for number, (name, tag) in enumerate(zip(candidates, tags, strict=True), start=1)
            ]
        names = candidates
        listed = ", ".join(f"'{tag}'" for tag in shared)
        called = _of(names, tags, shared)
        more = and_more(len(called), _NAMED, ",")
        note(f"several runs have the run id {listed}; they are called {', '.join(called[:_NAMED])}{more}")
    return tuple(names)


def _of(names: Sequence[str], tags: Sequence[str], shared: Collection[str]) -> list[str]:
    return [name for name, tag in zip(names, tags, strict=True) if tag in shared]


def _stem(path: str) -> str:
    """A file's name without its endings: ``bm25`` for ``runs/bm25.run.gz``."""
    base = os.path.basename(path)
    return base.split(".", 1)[0] or base


def _twice(names: Sequence[str]) -> list[str]:
    """Those that stand more than once."""
    return [name for name, times in Counter(names).items() if times > 1]
