"""Folders of runs: what is said of a file in one that turns out to be no run, since nobody has named that file."""

from __future__ import annotations

import os
from collections.abc import Iterable

from irev.errors import IrevError


def tell_folder(error: IrevError, arguments: Iterable[str]) -> None:
    """Have an error about a file that is no run at all, from its first line on, say in which folder it was found.

    Parameters
    ----------
    error : IrevError
    arguments : iterable of str
        What was named on the command line.
    """
    path = error.place.removesuffix(":1")
    for folder in arguments:
        if os.path.dirname(path) == folder.rstrip(os.sep) and os.path.isdir(folder) and os.path.isfile(path):
            also = f"all files in the folder '{folder}' are taken for runs: move '{os.path.basename(path)}' away if it"
            error.remedy = "; ".join(filter(None, (error.remedy, f"{also} is none, or name the runs")))
            return
