"""irev evaluates ranked retrieval: relevance judgments and runs in, the numbers that trec_eval prints out.

    import irev
    scores = irev.evaluate("qrels.txt", "run.txt", ["nDCG@10", "AP"])

What `irev.api` and extensions have is here too, and so are the packages `irev.arrow`, `irev.compat` and
`irev.spark`, all loaded when they are first used.
"""

# Nothing is imported here, not even `__future__`: an interrupt meanwhile would be a traceback that names this file.
TYPE_CHECKING = False  # as type checkers know it; importing typing would take most of the time
if TYPE_CHECKING:
    from typing import Any

    from irev.api import *  # noqa: F403

__version__ = "0.1.0"

_OF_ERRORS = ("Error", "Warning")
_PACKAGES = ("arrow", "compat", "spark")


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _PACKAGES:
        return import_module(f"irev.{name}")
    module = import_module("irev.base.errors" if name.endswith(_OF_ERRORS) else "irev.api")
    if name in getattr(module, "__all__", vars(module)):
        globals()[name] = value = getattr(module, name)
        return value
    extensions = import_module("irev.base.registry")
    if name == "__all__":
        return sorted([*module.__all__, *(each for one in extensions.bundled() for each in one.functions)])
    if (extension := extensions.with_function(name)) is None:
        absent = extensions.absent("functions", name)
        more = f"; it is {absent}" if absent else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{more}")
    globals()[name] = value = extension.function(name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
