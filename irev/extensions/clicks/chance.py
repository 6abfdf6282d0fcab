"""Chance that a seed and names decide."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import fsum

_PIECE = 8
"""Bytes of a hash that make a number."""


class SeededChance:
    """Chance that is the same everywhere: a stream of numbers that a seed and some names decide, and nothing else.

    The numbers are hashes, so that they depend on no generator and its version, on no platform, and on nothing that was
    drawn for other names: what is drawn for a query stays as it is when a file has more queries, or another order.
    Those for the names ``ab`` and ``c`` say nothing of those for ``a`` and ``bc``.
    """

    def __init__(self, seed: int, *names: bytes) -> None:
        self._hash = blake2b
        self._key = blake2b(b"%d" % seed + b"".join(b" %d:%b" % (len(name), name) for name in names)).digest()
        self._hashes = 0
        self._left = b""

    def uniform(self) -> float:
        """A number of 0 or more and below 1, a multiple of 2**-53."""
        if not self._left:
            self._left = self._hash(b"%d" % self._hashes, key=self._key).digest()
            self._hashes += 1
        piece, self._left = self._left[:_PIECE], self._left[_PIECE:]
        return (int.from_bytes(piece, "little") >> 11) * 2.0**-53

    def choose(self, weights: Sequence[float]) -> int:
        """A place in `weights`, which are positive, each with a probability that its weight is in proportion to."""
        least = self.uniform() * fsum(weights)
        reached = 0.0
        for place, weight in enumerate(weights):
            reached += weight
            if least < reached:
                return place
        return len(weights) - 1  # where rounding has left the sum below what was asked for

    def coin(self) -> bool:
        """True or false, each with probability 1/2."""
        return self.choose((1.0, 1.0)) == 0
