"""The version of irev, for records and messages; and the arithmetic of a machine, as a text to be compared: what may
differ between processors and libraries.

Additions, divisions and roots are the same everywhere; logarithms and powers are those of the C library, and expected
values over ties use numpy's own and sums of products, which depend on the processor in the last bit. So some thousand
of these values are computed wherever tables or runs are evaluated, and compared as a whole.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from irev.base.errors import UsageError, option

if TYPE_CHECKING:
    from irev.base.settings import Settings

__version__ = "0.1.0"


def arithmetic_of(settings: Settings) -> str:
    """What evaluates here, in words: versions, and a digest of values that would differ if results could."""
    return described(settings.ties == "average")


def described(vectors: bool) -> str:
    """The same for an evaluation that uses numpy's own functions, or not."""
    import numpy as np

    return f"irev {__version__}, numpy {np.__version__}, arithmetic {_digest(vectors)}"


@lru_cache
def _digest(vectors: bool) -> str:
    import hashlib

    import numpy as np

    from irev.base import segments

    whole = np.arange(1, 2049)
    broken = np.linspace(0.001, 40.0, 1999)
    values = [segments.log2(whole), segments.log2(broken), segments.exp2(-broken)]
    values.append(np.array([[math.log(x), math.exp(-x), 2.0**x, x**0.5] for x in broken.tolist()]).ravel())
    if vectors:
        values += [np.log(broken), np.exp(-broken)]
        values.append(np.array([broken[:n] @ (1.0 / whole[:n]) for n in range(1, 400)]))
    return hashlib.sha256(b"".join(each.tobytes() for each in values)).hexdigest()[:12]


def require_same(there: str, settings: Settings) -> None:
    """Raise `UsageError` where values could differ in the last bit from those of whoever asks for them."""
    if (here := arithmetic_of(settings)) != there:
        fact = f"values would differ between machines: this worker has {here}, the main process has {there}"
        same = f"use the same versions on all machines, and the same kind of processor for {option('ties', 'average')}"
        raise UsageError(fact, remedy=same)
