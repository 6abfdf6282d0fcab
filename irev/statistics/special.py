"""The functions of ``scipy.special``, by their names, imported when one is asked for.

``scipy.special`` begins by importing what makes its functions work on arrays of other libraries: 0.15 s of processor
time, more than an evaluation. The functions themselves are in an extension module, which is loaded alone where that is
possible, and is the one that ``scipy.special`` has if somebody imports that later. Where it is not possible, the
package is imported, as it says.
"""

from __future__ import annotations

import sys
from threading import active_count
from types import ModuleType
from typing import Any

from irev.base.errors import IrevError
from irev.base.exit import is_shortage


def __getattr__(name: str) -> Any:
    """A function of ``scipy.special``."""
    if name.startswith("_"):
        raise AttributeError(name)
    function = globals()[name] = getattr(_functions(), name)
    return function


def _functions() -> ModuleType:
    found = sys.modules.get("scipy.special")
    # Another thread may be about to import the package.
    if found is None and active_count() == 1:
        try:
            return _alone()
        except Exception:  # this version has them elsewhere
            sys.modules.pop("scipy.special", None)
    try:
        from scipy import special
    except ImportError as error:
        if is_shortage(error):  # it is there, and finds no room
            raise
        raise IrevError(f"scipy is needed for tests and intervals ({error})", remedy="pip install scipy") from None

    functions: ModuleType = special
    return functions


def _alone() -> ModuleType:
    """The extension module, below an empty package that is taken away at once."""
    from importlib.machinery import PathFinder

    import scipy

    name = "scipy.special"
    found = PathFinder.find_spec(name, scipy.__path__)
    if found is None:
        raise ImportError(name)
    package = ModuleType(name)
    package.__path__ = list(found.submodule_search_locations or ())
    sys.modules[name] = package
    try:
        from scipy.special import _ufuncs
    finally:
        del sys.modules[name]
    functions: ModuleType = _ufuncs
    return functions
