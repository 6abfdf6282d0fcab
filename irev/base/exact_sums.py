"""Sums of floats that are rounded once, at the end: in whatever order and in however many pieces they were added."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

_BITS, _LOW = 53, 26
_PIECE = 1 << 24


class ExactSum:
    """A sum of finite numbers, as whole multiples of powers of two.

    Every float is a whole number of 53 bits times a power of two. The upper and the lower bits of numbers of the same
    power are added as whole numbers that a float holds exactly.
    """

    def __init__(self) -> None:
        self._whole = 0
        self._of_power: Counter[int] = Counter()

    def add(self, values: npt.NDArray[Any]) -> None:
        """Add all of some values, whole numbers (of fewer than 2^39 in size) or floats."""
        if values.dtype.kind in "iu":
            self._whole += sum(int(values[at : at + _PIECE].sum()) for at in range(0, len(values), _PIECE))
            return
        for at in range(0, len(values), _PIECE):
            piece = values[at : at + _PIECE]
            mantissa, power = np.frexp(piece[piece != 0])
            if not len(power):
                continue
            whole = np.ldexp(mantissa, _BITS).astype(np.int64)
            least = int(power.min())
            high = np.bincount(power - least, weights=(whole >> _LOW).astype(np.float64))
            low = np.bincount(power - least, weights=(whole & ((1 << _LOW) - 1)).astype(np.float64))
            for place in np.flatnonzero(high.astype(bool) | low.astype(bool)).tolist():
                self._of_power[least + place] += (int(high[place]) << _LOW) + int(low[place])

    def add_products(self, a: npt.NDArray[Any], b: npt.NDArray[Any]) -> None:
        """Add all a·b, of whole numbers (whose products are as `add` has it) or of floats between 10^-150 and 10^150 in
        size: what rounding takes from a product is a float too (Dekker, A Floating-Point Technique for Extending the
        Available Precision, Numerische Mathematik 18, 1971)."""
        product = a * b
        self.add(product)
        if product.dtype.kind == "f":
            (a, a_low), (b, b_low) = _halves(a), _halves(b)
            self.add(a_low * b_low - (((product - a * b) - a_low * b) - a * b_low))

    @property
    def exact(self) -> Fraction:
        """The sum."""
        least = min(self._of_power, default=_BITS)
        total = sum(number << (power - least) for power, number in self._of_power.items())
        return Fraction(total) * Fraction(2) ** (least - _BITS) + self._whole

    @property
    def value(self) -> float:
        """The float that is nearest to the sum."""
        return float(self.exact)


def _halves(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Floats as sums of two that have half as many bits, so that products of these are not rounded."""
    far = values * float((1 << (_BITS + 1) // 2) + 1)
    high = far - (far - values)
    return high, values - high
