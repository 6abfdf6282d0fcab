"""Arrays of neighbours under arrays: the values of the same rows as lines, to the last bit, and refusals."""

from __future__ import annotations

import itertools
import re
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import irev
from irev.extensions.vectors import evaluation as engine
from irev.extensions.vectors import files as reading
from irev.extensions.vectors import ranking as joining
from irev.extensions.vectors.files import in_byte_order
from irev.extensions.vectors.ranking import RepeatedId
from irev.reading.written_ids import whole_number_ids


def tables(seed: int, rows: int = 57, there: int | None = None, padded: bool = True) -> dict[str, np.ndarray]:
    """True neighbours, their distances with many ties, and results, of which some are none."""
    chance = np.random.default_rng(seed)
    width, most, base = (
        int(each) for each in (chance.integers(1, 30), chance.integers(1, 30), chance.integers(60, 500))
    )
    truth = np.array([chance.permutation(base)[:width] for _ in range(rows)])
    found = np.array([chance.permutation(base)[:most] for _ in range(rows)])
    for row in range(rows):  # results that resemble the truth
        near = chance.permutation(truth[row])[: min(width, most)]
        others = [each for each in found[row] if each not in near]
        found[row] = chance.permutation([*near, *others][:most])
    if padded:
        found[chance.random(found.shape) < 0.1] = -1
        truth[:, 1:][chance.random((rows, width - 1)) < 0.1] = -1
    distances = np.sort(chance.integers(0, 12, (rows, width)), axis=1).astype(np.float32)
    return {"truth": truth.astype(np.int32), "found": found[: there or rows], "distances": distances}


def printed(irev, folder: Path, given: dict[str, np.ndarray], *options: str, tied: bool = False) -> bytes:
    np.savez(folder / "truth.npz", ids=given["truth"], **({"distances": given["distances"]} if tied else {}))
    np.save(folder / "found.npy", given["found"])
    done = irev(*options, str(folder / "truth.npz"), str(folder / "found.npy"))
    assert 0 == done.status, done.stderr
    return done.stdout + done.stderr.encode()


def as_lines(irev, *given: object, **how: bool) -> bytes:
    """The same without the way that takes no lines."""
    with patch.object(engine, "evaluated", lambda *given: None):
        return printed(irev, *given, **how)


EVERY = ("-m", "all_trec", "-m", "kNNRecall@1,3,10", "-m", "kNNRecall(of=2)@5", "--digits", "exact", "-q")
OPTIONS = [(), ("-c",), ("-l", "3"), ("-M", "4"), ("-J",), ("-n",), ("--aggregate", "q01,q05,mean")]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tied", [False, True], ids=["", "with distances"])
def test_values_are_those_of_the_same_rows_as_lines(seed, tied, irev, tmp_path):
    given = tables(seed, padded=seed % 2 > 0)
    with patch.object(reading, "VALUES", 200):  # many blocks
        found = printed(irev, tmp_path, given, *EVERY, tied=tied)
    assert as_lines(irev, tmp_path, given, *EVERY, tied=tied) == found


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("there", [None, 31], ids=["", "fewer rows"])
def test_options_hold(options, there, irev, tmp_path):
    given = tables(3, there=there, padded=False)
    if options[:1] != ("--aggregate",):
        options = (*EVERY, *options)
    assert as_lines(irev, tmp_path, given, *options) == printed(irev, tmp_path, given, *options)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_found_is_what_a_search_of_each_row_finds(seed):
    given = tables(seed, rows=9)
    truth, found = given["truth"], given["found"]
    large = np.int64(2) ** (seed % 50)  # ids that need more bytes
    truth, found = (np.where(each < 0, -1, each * large) for each in (truth, found))
    hits = joining.hits(truth, found, 0)
    expected = [
        (row, column, truth[row].tolist().index(each))
        for row, column in itertools.product(range(len(found)), range(found.shape[1]))
        if (each := found[row, column]) >= 0 and each in truth[row]
    ]
    assert expected == list(zip(*(each.tolist() for each in hits), strict=True))


@pytest.mark.parametrize("judged", [True, False])
def test_the_first_id_that_stands_twice_is_named(judged):
    given = tables(5, rows=9)
    table = given["truth" if judged else "found"]
    table[[6, 3], 0], table[[6, 3], -1] = 7, 7
    table[:, 1:-1][table[:, 1:-1] == 7] = -1
    found = joining.hits(given["truth"], given["found"], 100)
    assert isinstance(found, RepeatedId)
    assert (judged, 104) == (found.judged, found.problem.line)


@pytest.mark.parametrize("options", [(), ("-c",)], ids=str)
def test_a_query_without_results_counts_as_finding_nothing(options, irev, tmp_path):
    given = tables(7, padded=False)
    given["found"][[0, 11, 56]] = -1
    found = printed(irev, tmp_path, given, *EVERY, *options)
    assert as_lines(irev, tmp_path, given, *EVERY, *options) == found
    assert b"knn_recall_3\t11\t0.0\n" in found.replace(b" ", b"")


def test_a_query_without_neighbours_is_not_judged(irev, tmp_path):
    given = tables(7, padded=False)
    given["truth"][11] = -1
    assert b"query 11 has no judgments and is left out" in printed(irev, tmp_path, given, *EVERY)


def test_more_queries_than_the_truth_has_are_refused(irev, tmp_path):
    given = tables(2)
    given["truth"] = given["truth"][:40]
    np.save(tmp_path / "truth.npy", given["truth"])
    np.save(tmp_path / "found.npy", given["found"])
    done = irev(str(tmp_path / "truth.npy"), str(tmp_path / "found.npy"))
    expected = f"irev: error: {tmp_path / 'found.npy'}, row 41: {tmp_path / 'truth.npy'} has only 40 rows, so no"
    assert (2, b"") == (done.status, done.stdout)
    assert done.stderr.startswith(expected), done.stderr


@pytest.mark.parametrize("which", ["truth", "found"])
def test_repeated_ids_and_ids_below_0_are_refused_with_file_and_row(which, irev, tmp_path):
    for value, fact in ((None, "occurs twice in the row (query 11)"), (-5, "-5 is not an id (query 11)")):
        given = tables(4, padded=False)
        given[which][11, 1] = given[which][11, 0] if value is None else value
        np.save(tmp_path / "truth.npy", given["truth"])
        np.save(tmp_path / "found.npy", given["found"])
        done = irev(str(tmp_path / "truth.npy"), str(tmp_path / "found.npy"))
        name = "truth.npy" if which == "truth" else "found.npy"
        assert (2, b"") == (done.status, done.stdout)
        assert done.stderr.startswith(f"irev: error: {tmp_path / name}, row 12: "), done.stderr
        assert fact in done.stderr


def test_several_runs_and_other_commands_read_arrays_too(irev, tmp_path):
    given = tables(6, padded=False)
    printed(irev, tmp_path, given)
    np.save(tmp_path / "other.npy", given["found"][:, ::-1])
    files = str(tmp_path / "truth.npz"), str(tmp_path / "found.npy"), str(tmp_path / "other.npy")
    assert 0 == irev("eval", "-m", "kNNRecall@10", "-f", "table", *files).status
    assert b"kNNRecall@10" in irev("compare", "-m", "kNNRecall@10", *files).stdout
    assert 0 == irev("diff", "-m", "R@5", *files).status


def test_recall_of_more_neighbours_than_results_is_told_from_that_of_the_nearest(irev, tmp_path):
    given = tables(6, padded=False)
    printed(irev, tmp_path, given)
    many = given["truth"].shape[1]
    files = str(tmp_path / "truth.npz"), str(tmp_path / "found.npy")
    said = f"truth.npz: R@{many - 1} divides by all neighbours of a query, up to {many}; kNNRecall@{many - 1} by"
    assert said in irev("-m", f"R@{many - 1},{many}", *files).stderr
    assert "" == irev("-m", f"R@{many}", "-m", f"kNNRecall@{many - 1}", *files).stderr


def test_grades_of_neighbours_are_never_odd(irev, tmp_path):
    """Of more than a thousand neighbours the nearest have grades that nobody would give."""
    truth = np.arange(3 * 1200).reshape(3, 1200)
    np.save(tmp_path / "truth.npy", truth)
    (tmp_path / "run").write_bytes(b"0 Q0 5 1 1.0 r\n1 Q0 1300 1 1.0 r\n2 Q0 7 1 1.0 r\n")
    assert b"0 errors, 0 warnings" in irev("validate", str(tmp_path / "truth.npy")).stdout
    done = irev("-m", "P@1", str(tmp_path / "truth.npy"), str(tmp_path / "run"))
    assert (0, "", b"0.6667") == (done.status, done.stderr, done.stdout.split()[-1])


def test_ids_are_digits_in_the_order_of_their_bytes():
    numbers = np.array([0, 1, 2, 9, 10, 11, 19, 99, 100, 101, 1000, 54321, 10**12])
    expected = sorted(b"%d" % number for number in numbers.tolist())
    assert expected == list(whole_number_ids(in_byte_order(numbers)))


@pytest.mark.parametrize("options", [(), ("-c",), ("-M", "1")], ids=str)
def test_results_of_which_none_is_a_true_neighbour_are_warned_of(options, irev, tmp_path):
    given = tables(2, padded=False)
    given["found"] = given["found"] + 1000
    given["found"][0], given["found"][1, 0] = -1, -1
    with patch.object(reading, "VALUES", 200):
        found = printed(irev, tmp_path, given, *EVERY, *options)
    assert as_lines(irev, tmp_path, given, *EVERY, *options) == found
    assert b"none of the retrieved documents is judged: for query '1' " in found
    given["found"][40, 0] = given["truth"][40, 0]
    assert b"none of the retrieved" not in printed(irev, tmp_path, given, *EVERY, *options)


def searched() -> dict[str, np.ndarray]:
    """The 20 nearest of 2,000 points to each of 60, and 20 of the 30 nearest as results, with squared distances."""
    chance = np.random.default_rng(1)
    points, queries = (chance.normal(size=(size, 8)).astype(np.float32) for size in (2000, 60))
    squares = ((queries[:, None] - points) ** 2).sum(axis=2)
    order = np.argsort(squares, axis=1)
    found = np.array([row[np.sort(chance.permutation(30)[:20])] for row in order])
    there = {"truth": order[:, :20], "found": found}
    return there | {f"of {name}": np.take_along_axis(squares, each, axis=1) for name, each in there.items()}


ROOTS = "distances here are the roots of those there"
OTHERS = "are these ids of the same vectors"
OFF, PERMUTED = "seem to count from 1, and those of the judgments from 0", "fits row 59 of the judgments"
BEYOND = "ids go up to 1.*are they of another base?"
WRONG = {
    "nothing": ("", "", lambda ids, near: (ids, near)),
    "roots": ("", ROOTS, lambda ids, near: (ids, np.sqrt(near))),
    "squares": ("", "the squares of those there", lambda ids, near: (ids, near**2)),
    "other ids": ("", OTHERS, lambda ids, near: ((ids * 7 + 3) % 2000, near)),
    "ids from 1 on": (OFF, OFF, lambda ids, near: (ids + 1, near)),
    "rows of other queries": (PERMUTED, PERMUTED, lambda ids, near: (ids[::-1], near[::-1])),
    "another base": (BEYOND, BEYOND, lambda ids, near: (np.where(ids > 20, ids + 10_000, ids), near)),
}


@pytest.mark.parametrize("door", ["file", "arrays"])
@pytest.mark.parametrize("wrong", WRONG)
def test_results_that_cannot_be_are_told(wrong, door, tmp_path):
    """A result nearer than the true nearest is an error where distances count; hardly any hit is a warning."""
    given, (warned, refused, changed) = searched(), WRONG[wrong]
    ids, near = changed(given["found"], given["of found"])
    truth, found = irev.top_k(given["truth"], -given["of truth"]), irev.top_k(ids, -near)
    if door == "file":
        truth, found = tmp_path / "truth.npz", tmp_path / "found.npz"
        np.savez(truth, ids=given["truth"], distances=given["of truth"])
        np.savez(found, ids=ids, distances=near)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        irev.evaluate(truth, found, "kNNRecall@10")
    said = [str(each.message) for each in heard if "none of the retrieved" not in str(each.message)]
    assert len(said) == bool(warned)
    assert re.search(warned, "".join(said))
    if refused:
        with pytest.raises(irev.InputError, match=refused):
            irev.evaluate(truth, found, "DistanceRecall@10")
    else:
        assert 0.5 < irev.evaluate(truth, found, "DistanceRecall@10").mean()["DistanceRecall@10"] < 1
