"""The interfaces of other packages, computed by irev, for programs that were written for them.

There is a module for each, which is called as the package is.
"""

from __future__ import annotations

import sys
from importlib import import_module

from irev.base.errors import UsageError


def replace(name: str) -> None:
    """Let ``import ir_measures`` or ``import pytrec_eval`` give irev's module, from here on in this process.

    It is for programs whose imports cannot be changed, and has to be called before they import the package.

    Parameters
    ----------
    name : str
        The name of the package.

    Raises
    ------
    UsageError
        For a package that irev has no stand-in for, and one that was imported already.
    """
    known = ("ir_measures", "pytrec_eval")
    if name not in known:
        raise UsageError(f"there is no stand-in for {name!r}", remedy=f"there are {' and '.join(known)}")
    module = import_module(f"irev.compat.{name}")
    if sys.modules.get(name, module) is not module:
        raise UsageError(f"{name} was imported already", remedy="replace it before that")
    for full, each in list(sys.modules.items()):
        if f"{full}.".startswith(f"irev.compat.{name}."):
            sys.modules[full.removeprefix("irev.compat.")] = each
