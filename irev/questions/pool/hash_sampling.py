"""Samples and orders that are the same everywhere: every document has a hash, of its id, its query and a seed.

A sample or an order depends on no generator of random numbers and its version, on no order of files, and on no other
document: a pool that grows keeps its order, and a sample of a larger share holds the smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

SAMPLE, ORDER, AUDIT = b"sample", b"order", b"audit"
"""What hashes are for; those for one say nothing of those for another."""


def ordered(seed: int, purpose: bytes, query: bytes, documents: Sequence[bytes], places: Iterable[int]) -> list[int]:
    """Some places of documents in the order of their hashes; or of queries, of no query."""
    key = blake2b(b"%b %d %b" % (purpose, seed, query)).digest()
    return sorted(places, key=lambda place: (blake2b(documents[place], key=key, digest_size=16).digest(), place))
