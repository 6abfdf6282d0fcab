"""Random samples: signs flipped, queries drawn again, values shuffled inside each row.

Each generator yields blocks of samples, so that memory is bounded however many there are. The columns of an array share
the samples, and every call with the same seed and number of rows draws the same ones. Drawing as numbers of 0, 1 and so
on how often each row counts makes a block of samples one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irev.base.segments import Floats

BLOCK = 1 << 19
"""Numbers in a block: with 4 MB, it mostly stays in the processor's cache."""


def flipped_sums(values: Floats, samples: int, seed: int) -> Iterator[Floats]:
    """Column sums of (n, c) values after the sign of each row was flipped or not by a coin: (block, c) at a time."""
    n = len(values)
    generator = np.random.Generator(np.random.PCG64(seed))
    total = values.sum(axis=0)
    kept = np.empty((_rows(n, samples), n))
    for size in _sizes(samples, len(kept)):
        bits = generator.integers(0, 256, size=(size, -(-n // 8)), dtype=np.uint8)
        np.copyto(kept[:size], np.unpackbits(bits, axis=1, count=n))
        yield 2 * (kept[:size] @ values) - total  # what keeps its sign, less all that does not


def all_flipped_sums(values: Floats) -> Iterator[Floats]:
    """The same for each of the 2^n ways to give n rows a sign, once: (block, c) at a time."""
    n = len(values)
    total, places = values.sum(axis=0), np.arange(n)
    rows = _rows(max(n, 1), 1 << n)
    for begin in range(0, 1 << n, rows):
        ways = np.arange(begin, min(begin + rows, 1 << n))[:, None]
        yield 2 * ((ways >> places & 1).astype(np.float64) @ values) - total


def resampled_means(values: Floats, samples: int, seed: int) -> Iterator[Floats]:
    """Column means of n rows drawn from the n rows of (n, c) values, with replacement: (block, c) at a time."""
    for times in resampled_counts(len(values), samples, seed):
        yield (times @ values) / len(values)


def resampled_counts(n: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each of n rows is drawn when n are, with replacement: (block, n) at a time."""
    generator = np.random.Generator(np.random.PCG64(seed))
    rows = _rows(n, samples)
    narrow = np.uint16 if n <= 1 << 16 else np.uint32
    offsets = np.arange(rows, dtype=np.int64)[:, None] * n
    for size in _sizes(samples, rows):
        drawn = generator.integers(0, n, size=(size, n), dtype=narrow) + offsets[:size]
        times = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        yield times.astype(np.float64)


def shuffled_sums(values: Floats, samples: int, seed: int) -> Iterator[Floats]:
    """Column sums of (n, k) values after the values of each row changed places at random: (k, block) at a time.

    A row is shuffled by sorting random numbers that carry their place in their lowest bits. With the samples side by
    side, the sorting is a fixed sequence of comparisons between whole arrays, several times as fast as
    `numpy.random.Generator.permuted`. Up to 64 columns the random part has at least 26 bits, above that at least 40:
    two equal ones, whose order would not be random, are too rare to show in a p-value.
    """
    k = values.shape[1]
    generator = np.random.Generator(np.random.PCG64(seed))
    kind = np.dtype(np.uint32 if k <= 64 else np.uint64)
    place = kind.type((1 << (k - 1).bit_length()) - 1)
    places = np.arange(k, dtype=kind)[:, None]
    network = list(_comparisons(k))
    width = min(samples, max(64, BLOCK // 2 // k))
    lower = np.empty(width, dtype=kind)
    for size in _sizes(samples, width):
        sums = np.zeros((k, size))
        for row in values:
            # Numbers of 64 bits are what the generator makes; two of 32 come from each.
            words = -(-k * size * kind.itemsize // 8)
            keys = generator.integers(0, 1 << 64, size=words, dtype=np.uint64).view(kind)[: k * size].reshape(k, size)
            keys &= ~place
            keys |= places
            for i, j in network:
                np.minimum(keys[i], keys[j], out=lower[:size])
                np.maximum(keys[i], keys[j], out=keys[j])
                keys[i] = lower[:size]
            keys &= place
            sums += row.take(keys)
        yield sums


def _comparisons(k: int) -> Iterator[tuple[int, int]]:
    """Pairs of places whose entries, put in order one pair after the other, sort any k entries: merging by odd and even
    places (Batcher, Sorting Networks and their Applications, AFIPS Spring Joint Computer Conference, 1968)."""
    merged = 1
    while merged < k:
        step = merged
        while step:
            for start in range(step % merged, k - step, 2 * step):
                for i in range(start, min(start + step, k - step)):
                    if i // (2 * merged) == (i + step) // (2 * merged):
                        yield i, i + step
            step //= 2
        merged *= 2


def _rows(n: int, samples: int) -> int:
    """Samples of n numbers each in a block."""
    return min(samples, max(8, BLOCK // n))


def _sizes(samples: int, block: int) -> Iterator[int]:
    for done in range(0, samples, block):
        yield min(block, samples - done)


def gathered_means(values: Floats, samples: int, seed: int) -> Floats:
    """All of `resampled_means` at once: (samples, c)."""
    return np.concatenate(list(resampled_means(values, samples, seed)))
