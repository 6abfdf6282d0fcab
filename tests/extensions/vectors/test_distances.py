"""Recall by distance and the ratio of distances, as ann-benchmarks defines them, written out by query and result."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest


def searched(seed: int = 3, queries: int = 40) -> dict[str, np.ndarray]:
    """Exact and approximate search for points, some of them duplicates."""
    chance = np.random.default_rng(seed)
    base, asked = chance.random((300, 5)), chance.random((queries, 5))
    base[50:80] = base[:30]
    distances = np.sqrt(((asked[:, None, :] - base[None, :, :]) ** 2).sum(axis=2))
    truth, found = (
        distances.argsort(axis=1)[:, :40],
        (distances + chance.normal(0, 0.05, distances.shape)).argsort(axis=1),
    )
    found = found[:, :20]
    return {
        "truth": truth,
        "true": np.take_along_axis(distances, truth, axis=1).astype(np.float32),
        "found": found,
        "near": np.take_along_axis(distances, found, axis=1).astype(np.float32),
    }


def values(irev, folder: Path, given: dict[str, np.ndarray], *names: str, called: str = "distances") -> dict:
    np.savez(folder / "truth.npz", ids=given["truth"], **{called: given["true"]})
    np.savez(folder / "found.npz", ids=given["found"], **{called: given["near"]})
    asked = [word for name in names for word in ("-m", name)]
    done = irev("-q", "-f", "json", "--digits", "exact", *asked, str(folder / "truth.npz"), str(folder / "found.npz"))
    assert 0 == done.status, done.stderr
    record = json.loads(done.stdout)["results"][0]
    return {"queries": record["per_query"], "all": record["summary"]}


def share(true: list[float], near: list[float], k: int, limit: float) -> float:
    """ann-benchmarks: results among the first k that are not farther than a limit, of k."""
    return sum(each <= limit for each in near[:k]) / k


def by_query(found: dict, label: str) -> list[float]:
    return [found["queries"][str(query)][label] for query in range(len(found["queries"]))]


@pytest.mark.parametrize("k", [1, 10, 20])
def test_recall_by_distance_is_that_of_ann_benchmarks(k, irev, tmp_path):
    given = searched()
    rows = [*zip(given["true"].astype(float).tolist(), given["near"].astype(float).tolist(), strict=True)]
    names = {
        f"DistanceRecall@{k}": lambda t: t + 0.001,
        f"DistanceRecall(eps=0)@{k}": lambda t: t,
        f"DistanceRecall(eps=0.01,tolerance=relative)@{k}": lambda t: t * (1 + 0.01),
        f"DistanceRecall(eps=0.1,tolerance=relative)@{k}": lambda t: t * (1 + 0.1),
    }
    found = values(irev, tmp_path, given, *names)
    for (name, limit), label in zip(names.items(), found["all"], strict=True):
        expected = [min(share(true, near, k, limit(true[k - 1])), 1.0) for true, near in rows]
        assert expected == by_query(found, label), name
        assert 0 < sum(expected) / len(expected) < 1


def test_the_ratio_of_distances_is_that_of_their_sums(irev, tmp_path):
    given = searched()
    found = values(irev, tmp_path, given, "DistanceRatio@20", "DistanceRatio@5")
    true, near = given["true"].astype(float), given["near"].astype(float)
    for (label, value), k in zip(found["all"].items(), (20, 5), strict=True):
        assert value == pytest.approx(near[:, :k].sum() / true[:, :k].sum(), rel=1e-12)
        assert by_query(found, label) == pytest.approx((near[:, :k].sum(axis=1) / true[:, :k].sum(axis=1)).tolist())


def test_similarities_are_distances_that_fall(irev, tmp_path):
    given = searched()
    rising = values(irev, tmp_path, given, "DistanceRecall@10")
    turned = given | {"true": -given["true"], "near": -given["near"]}
    assert rising == values(irev, tmp_path, turned, "DistanceRecall@10", called="similarities")
    turned = given | {"true": 2 - given["true"], "near": 2 - given["near"]}
    values(irev, tmp_path, turned, "DistanceRecall@10", called="similarities")
    files = str(tmp_path / "truth.npz"), str(tmp_path / "found.npz")
    assert (
        "similarities have no relative tolerance" in irev("-m", "DistanceRecall(tolerance=relative)@5", *files).stderr
    )
    assert "similarities have no ratio of distances" in irev("-m", "DistanceRatio@5", *files).stderr


def test_what_is_no_result_is_far_away_and_fewer_neighbours_are_fewer_to_find(irev, tmp_path):
    given = searched()
    given["found"][0, 3:], given["found"][1] = -1, -1
    given["truth"][2, 4:] = -1
    rows = [*zip(given["true"].astype(float).tolist(), given["near"].astype(float).tolist(), strict=True)]
    found = by_query(values(irev, tmp_path, given, "DistanceRecall@10"), "distance_recall_10")
    (true, near), (four, others) = rows[0], rows[2]
    assert sum(each <= true[9] + 0.001 for each in near[:3]) / 10 == found[0]
    assert 0.0 == found[1]
    assert min(sum(each <= four[3] + 0.001 for each in others[:10]), 4) / 4 == found[2]


def test_distances_in_one_and_similarities_in_the_other_are_refused(irev, tmp_path):
    given = searched()
    given["near"] = np.sort(given["near"], axis=1)
    np.savez(tmp_path / "truth.npz", I=given["truth"], D=given["true"])
    np.savez(tmp_path / "found.npz", I=given["found"], D=-given["near"])
    done = irev("-m", "DistanceRecall@5", str(tmp_path / "truth.npz"), str(tmp_path / "found.npz"))
    expected = "distances fall along its rows, and rise along those of"
    assert (2, b"", True) == (done.status, done.stdout, expected in done.stderr), done.stderr


def test_files_without_distances_are_refused_in_words(irev, tmp_path):
    given = searched()
    values(irev, tmp_path, given, "DistanceRecall@10")
    np.save(tmp_path / "found.npy", given["found"])
    done = irev("-m", "DistanceRecall@10", str(tmp_path / "truth.npz"), str(tmp_path / "found.npy"))
    fact = "the measure 'distance_recall_10' needs judgments of distances, and these are of grades"
    assert (2, f"irev: error: {fact}; give arrays of neighbours that both have distances\n") == (
        done.status,
        done.stderr,
    )


def test_other_measures_do_not_look_at_distances_of_results(irev, tmp_path):
    given = searched()
    names = ("kNNRecall@10", "nDCG@10", "AP", "judged@10", "num_q", "runid")
    expected = values(irev, tmp_path, given, *names)
    np.save(tmp_path / "found.npy", given["found"])
    (tmp_path / "found.npz").unlink()
    asked = [word for name in names for word in ("-m", name)]
    files = str(tmp_path / "truth.npz"), str(tmp_path / "found.npy")
    done = irev("-q", "-f", "json", "--digits", "exact", *asked, *files)
    record = json.loads(done.stdout)["results"][0]
    assert expected == {"queries": record["per_query"], "all": record["summary"]}
