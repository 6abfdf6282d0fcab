"""Where floats round: which numbers are the same but for rounding, and numbers brought to a size at which nothing
overflows or vanishes when squared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from irev.base.segments import Bools, Floats

Exponents = npt.NDArray[np.int32]

SLACK = 1e-12
"""Numbers that differ by less than this share of the largest are one number, rounded differently: 0.3 - 0.2 and
0.2 - 0.1. Far above the error of adding thousands of floats, far below any difference that a measure can show."""


def constant(values: Floats) -> bool:
    """Whether all values, of which there is at least one, are equal but for rounding."""
    small = scaled(values)[0]
    return bool(small.max() - small.min() <= SLACK * np.abs(small).max())


def begins(ordered: Floats) -> Bools:
    """Where, in numbers in rising order, another number begins: one that is larger by more than rounding explains.

    That is a share `SLACK` of its own size, or of the size that half of those other than 0 do not exceed, since values
    of that size may have been subtracted to make it. A few that are huge make no others equal.
    """
    sizes = np.where(np.isfinite(ordered), np.abs(ordered), 0.0)
    other = np.sort(sizes[sizes > 0])
    usual = float(other[(len(other) - 1) // 2]) if len(other) else 0.0
    new = np.ones(len(ordered), dtype=np.bool_)
    with np.errstate(invalid="ignore", over="ignore"):
        new[1:] = np.diff(ordered) > SLACK * np.maximum(np.maximum(sizes[1:], sizes[:-1]), usual)
    return new


def scaled(values: Floats) -> tuple[Floats, Exponents]:
    """Finite values divided by a power of two 2^e, so that the largest lies between 1/2 and 1; and e. Of an array with
    columns, each is divided by its own.

    The division is exact, so that results are those of the values themselves wherever these could be computed.
    """
    exponents = np.frexp(np.max(np.abs(values), axis=0, initial=0.0))[1]
    return np.ldexp(values, -exponents), exponents


def sized(values: Floats) -> Floats:
    """The same for an array as a whole."""
    return scaled(values.ravel())[0].reshape(values.shape)


def restored(values: Floats, exponents: Exponents) -> Floats:
    """values · 2^e: means or bounds of `scaled` values at their own size again; infinite beyond the largest float."""
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(values, exponents))
