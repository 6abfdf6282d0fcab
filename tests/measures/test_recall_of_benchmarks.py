"""Recall as benchmarks of vector search define it, written out by queries and neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import irev

K = (1, 10, 25)


def of_ids(truth: list[int], found: list[int], k: int) -> float:
    """VectorDBBench, and big-ann-benchmarks without distances: the first k of both, as sets."""
    return len(set(truth[:k]) & set(found[:k])) / k


def with_equal_distances(truth: list[int], distances: list[float], found: list[int], k: int) -> float:
    """big-ann-benchmarks: those at the distance of the k-th neighbour count, too."""
    counts = {each for each, distance in zip(truth, distances, strict=True) if distance <= distances[k - 1]}
    return min(len(counts & set(found[:k])), k) / k


@pytest.fixture(scope="module")
def searched() -> tuple[np.ndarray, ...]:
    """Exact and approximate search for few-valued vectors, of which many are as far away as others."""
    chance = np.random.default_rng(5)
    base, asked = chance.integers(0, 3, (400, 6)), chance.integers(0, 3, (30, 6))
    distances = ((asked[:, None, :] - base[None, :, :]) ** 2).sum(axis=2)
    order = np.lexsort((np.arange(400) * np.ones((30, 1)), distances), axis=1)[:, :60]
    near = distances + chance.normal(0, 0.7, distances.shape)
    return order, np.take_along_axis(distances, order, axis=1), near.argsort(axis=1)[:, :25]


@pytest.mark.parametrize("k", K)
def test_recall_is_that_of_the_ids_of_the_k_nearest(k, searched):
    truth, _, found = searched
    expected = [of_ids(*rows, k) for rows in zip(truth.tolist(), found.tolist(), strict=True)]
    values = irev.evaluate(irev.top_k(truth), irev.top_k(found), f"kNNRecall@{k}").per_query[f"kNNRecall@{k}"]
    assert expected == [values[str(query)] for query in range(30)]


@pytest.mark.parametrize("k", K)
def test_neighbours_as_near_as_the_last_one_count_where_distances_are_known(k, searched):
    truth, distances, found = searched
    rows = zip(truth.tolist(), distances.tolist(), found.tolist(), strict=True)
    expected = [with_equal_distances(*each, k) for each in rows]
    judged = irev.top_k(truth, -distances)
    values = irev.evaluate(judged, irev.top_k(found), f"kNNRecall@{k}").per_query[f"kNNRecall@{k}"]
    assert expected == [values[str(query)] for query in range(30)]
    assert expected != [of_ids(*each, k) for each in zip(truth.tolist(), found.tolist(), strict=True)]


def test_one_recall_is_whether_the_nearest_one_was_found(searched):
    truth, _, found = searched
    expected = [float(first in row[:10]) for (first, *_), row in zip(truth.tolist(), found.tolist(), strict=True)]
    name = "kNNRecall(of=1)@10"
    values = irev.evaluate(irev.top_k(truth), irev.top_k(found), name).per_query[name]
    assert expected == [values[str(query)] for query in range(30)]
