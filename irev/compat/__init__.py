"""The interface of pytrec_eval, computed by irev; irev as a provider of ir_measures; a plug-in of pytest."""

from __future__ import annotations

import sys
from importlib import import_module

from irev.base.errors import UsageError


def replace(name: str) -> None:
    """Let ``import pytrec_eval`` give irev's module, from here on in this process.

    It is for programs whose imports cannot be changed, and has to be called before they import the package.

    Parameters
    ----------
    name : str
        The name of the package: ``"pytrec_eval"``.

    Raises
    ------
    UsageError
        For another package, and for one that was imported already.
    """
    if name == "ir_measures":
        remedy = "call irev.compat.ir_measures_provider.use(), and ir_measures asks irev for its numbers"
        raise UsageError("irev does not replace ir_measures", remedy=remedy)
    if name != "pytrec_eval":
        raise UsageError(f"there is no stand-in for {name!r}", remedy="there is one for pytrec_eval")
    module = import_module(f"irev.compat.{name}")
    if sys.modules.setdefault(name, module) is not module:
        raise UsageError(f"{name} was imported already", remedy="replace it before that")
