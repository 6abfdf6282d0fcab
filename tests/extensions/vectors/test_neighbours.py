"""Arrays of nearest neighbours: each kind of file gives the numbers of the same rows in TREC's format; bad ones are
refused with file and row."""

from __future__ import annotations

import gzip
import io
import re
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from outcomes import refused

from irev.base.errors import InputError
from irev.base.settings import Settings
from irev.reading import in_memory, qrels, runs
from irev.reading.sources import Source

QUERIES, NEAREST, FOUND, BASE = 40, 12, 8, 500
RNG = np.random.default_rng(7)
TRUTH = np.array([RNG.permutation(BASE)[:NEAREST] for _ in range(QUERIES)], dtype=np.int32)
DISTANCES = np.sort(RNG.random((QUERIES, NEAREST)).astype(np.float32), axis=1)
RUN = np.array([[*RNG.permutation(row)[: FOUND - 3], 497, 498, 499] for row in TRUTH], dtype=np.int32)
RUN[[3, 5], 6:] = -1
TRUTH[4, 9:] = -1
for _row in range(QUERIES):  # the same id twice in a row is a fault
    RUN[_row][[each in RUN[_row, : FOUND - 3] for each in RUN[_row]] & (np.arange(FOUND) >= FOUND - 3)] = -1


def npy(table: np.ndarray, **named: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, table)
    return file.getvalue()


def npz(packed: bool = False, **arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(file, **arrays)
    return file.getvalue()


def vecs(table: np.ndarray) -> bytes:
    """Texmex: each row behind its length."""
    return b"".join(struct.pack("<i", len(row)) + row.tobytes() for row in table)


def ibin(table: np.ndarray, distances: np.ndarray | None = None) -> bytes:
    """big-ann-benchmarks: the shape, the ids, and perhaps the distances."""
    behind = b"" if distances is None else distances.tobytes()
    return struct.pack("<II", *table.shape) + table.tobytes() + behind


def hdf5(**arrays: np.ndarray) -> bytes:
    h5py = pytest.importorskip("h5py", reason="HDF5 is read with h5py, which is not installed")
    file = io.BytesIO()
    with h5py.File(file, "w") as written:
        for name, table in arrays.items():
            written[name] = table
    return file.getvalue()


def parquet(table: np.ndarray, first: int = 0) -> bytes:
    """As VectorDBBench has it, the queries numbered from `first`, here in no order."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as written

    file = io.BytesIO()
    lists = [[each for each in row if each >= 0] for row in table.tolist()]
    numbers = [*range(first, first + len(table))]
    written.write_table(pyarrow.table({"id": numbers[::-1], "neighbors_id": lists[::-1]}), file)
    return file.getvalue()


EVERY_WAY = {
    "npy": npy,
    "npy of eight bytes": lambda table: npy(table.astype(np.int64)),
    "npy of another order of bytes": lambda table: npy(table.astype(">i4")),
    "npz": lambda table: npz(ids=table),
    "npz, packed": lambda table: npz(True, I=table),
    "ivecs": vecs,
    "ivecs, compressed": lambda table: gzip.compress(vecs(table)),
    "ibin": ibin,
    "hdf5": lambda table: hdf5(neighbors=table),
    "parquet": parquet,
}


def trec_judgments(truth: np.ndarray, distances: np.ndarray | None = None) -> bytes:
    """The obvious version: a neighbour has as many points as there are neighbours from it, or from its tie, on."""
    lines = []
    for query, row in enumerate(truth.tolist()):
        there = [place for place, each in enumerate(row) if each >= 0]
        for place in there:
            first = place
            while distances is not None and first > 0 and distances[query, first - 1] == distances[query, place]:
                first -= 1
            lines.append(f"{query} 0 {row[place]} {sum(each >= first for each in there)}\n")
    return "".join(lines).encode()


def trec_run(found: np.ndarray) -> bytes:
    rows = [(query, [each for each in row if each >= 0]) for query, row in enumerate(found.tolist())]
    lines = [f"{query} Q0 {each} 0 {-rank} run\n" for query, row in rows for rank, each in enumerate(row)]
    return "".join(lines).encode()


def evaluated(irev, folder: Path, truth: bytes, found: bytes, *options: str) -> bytes:
    (folder / "truth").write_bytes(truth)
    (folder / "run").write_bytes(found)
    done = irev("-q", "-m", "all_trec", *options, str(folder / "truth"), str(folder / "run"))
    assert 0 == done.status, done.stderr
    if truth[:4] != b"0 0 ":  # TREC's lines have other warnings: none has grade 0
        assert done.stderr.endswith(
            "/truth: R@5 divides by all neighbours of a query, up to 12; kNNRecall@5 by the 5 nearest\n"
        )
        assert 1 == done.stderr.count("\n")
    return done.stdout


NAMED = ("--qrels-format", "neighbours")


@pytest.mark.parametrize("written", EVERY_WAY.values(), ids=EVERY_WAY)
def test_judgments_give_the_numbers_of_the_same_rows_in_trec_format(written, irev, tmp_path):
    expected = evaluated(irev, tmp_path, trec_judgments(TRUTH), trec_run(RUN))
    assert expected == evaluated(irev, tmp_path, written(TRUTH), trec_run(RUN), *NAMED)


@pytest.mark.parametrize("written", EVERY_WAY.values(), ids=EVERY_WAY)
def test_runs_give_the_numbers_of_the_same_rows_in_trec_format(written, irev, tmp_path):
    expected = evaluated(irev, tmp_path, trec_judgments(TRUTH), trec_run(RUN))
    assert expected == evaluated(irev, tmp_path, trec_judgments(TRUTH), written(RUN), "--run-format", "neighbours")


@pytest.mark.parametrize("name", [name for name in EVERY_WAY if name not in ("ibin", "parquet")])
def test_files_are_recognised_where_their_first_bytes_are_certain(name, irev, tmp_path):
    expected = evaluated(irev, tmp_path, trec_judgments(TRUTH), trec_run(RUN))
    assert expected == evaluated(irev, tmp_path, EVERY_WAY[name](TRUTH), EVERY_WAY[name](RUN))


def with_ties() -> np.ndarray:
    tied = DISTANCES.copy()
    tied[:, 2:4] = tied[:, 1:2]
    tied[7] = 0.5
    return np.sort(tied, axis=1)


DISTANCES_IN = {
    "npz, rising": lambda tied: npz(ids=TRUTH, distances=tied),
    "npz, falling": lambda tied: npz(ids=TRUTH, similarities=-tied),
    "npz of faiss": lambda tied: npz(I=TRUTH, D=-tied),
    "ibin": lambda tied: ibin(TRUTH, tied),
    "hdf5": lambda tied: hdf5(neighbors=TRUTH, distances=tied, train=np.zeros((BASE, 2))),
}


@pytest.mark.parametrize("written", DISTANCES_IN.values(), ids=DISTANCES_IN)
def test_neighbours_at_the_same_distance_have_the_same_grade(written, irev, tmp_path):
    tied = with_ties()
    expected = evaluated(irev, tmp_path, trec_judgments(TRUTH, tied), trec_run(RUN))
    assert expected != evaluated(irev, tmp_path, trec_judgments(TRUTH), trec_run(RUN))
    assert expected == evaluated(irev, tmp_path, written(tied), trec_run(RUN), *NAMED)


@pytest.mark.parametrize("written", [vecs, npy], ids=["fvecs", "npy"])
def test_distances_may_stand_in_a_file_of_their_own(written, irev, tmp_path):
    tied = with_ties()
    (tmp_path / "distances").write_bytes(written(tied))
    named = ("--qrels-format", f"neighbours:{tmp_path / 'distances'}")
    expected = evaluated(irev, tmp_path, trec_judgments(TRUTH, tied), trec_run(RUN))
    assert expected == evaluated(irev, tmp_path, vecs(TRUTH), trec_run(RUN), *named)


def changed(table: np.ndarray, row: int, column: int, value: float) -> np.ndarray:
    made = table.copy()
    made[row, column] = value
    return made


WRONG = {
    "a negative id": (npy(changed(TRUTH, 5, 2, -7)), ", row 6: -7 is not an id (query 5); expected 0 or more"),
    "an id twice": (npy(changed(TRUTH, 5, 2, TRUTH[5, 0])), f", row 6: the id {TRUTH[5, 0]} occurs twice in the row"),
    "cut short": (
        vecs(TRUTH)[:-3],
        ", row 40: the file ends within the row (.ivecs); is it incomplete? download or make it again",
    ),
    "rows of different lengths": (
        vecs(TRUTH) + vecs(TRUTH[:, :7]),
        ", row 41: the row has 7 numbers, and the first has 12 (.ivecs); expected the same number in every row",
    ),
    "vectors of bytes": (
        b"".join(struct.pack("<I", 17) + bytes(range(17)) for _ in range(3)),
        ": these are vectors of 17 bytes each (.bvecs); expected the ids of their neighbours",
    ),
    "vectors": (
        vecs(DISTANCES - 0.5),
        ": these are vectors of 12 numbers each (.fvecs); expected the ids of their neighbours, as in .ivecs; ids that",
    ),
    "vectors without numbers below 0": (vecs(DISTANCES), ": these are vectors of 12 numbers each (.fvecs)"),
    "vectors of whole numbers": (vecs(TRUTH.astype(np.float32)), ": these are vectors of 12 numbers each (.fvecs)"),
    "vectors behind their shape": (ibin(DISTANCES), ": these are vectors of 12 numbers each (.fbin)"),
    "npy cut short": (npy(TRUTH)[:-3], ": the header says 40 rows of 12 numbers, and the file ends before"),
    "another length of a row": (
        vecs(TRUTH[:30]) + struct.pack("<i", 11) + vecs(TRUTH[30:])[4:],
        ", row 31: the row has 11 numbers, and the first has 12; expected the same number in every row",
    ),
    "one dimension": (npy(TRUTH[0]), ": this is an array of int32 of shape (12,); expected whole numbers of shape"),
    "numbers with fractions": (npy(DISTANCES), ": this is an array of float32 of shape (40, 12); expected whole"),
    "by columns": (npy(np.asfortranarray(TRUTH)), ": the array is stored by columns; np.ascontig"),
    "no rows": (npy(TRUTH[:0]), ": the file holds no neighbours; expected a row for each query"),
    "text": (
        b"0 0 17 1\n",
        ": this is not an array of neighbours; expected .npy, .npz, .ivecs, .ibin, HDF5 or Parquet",
    ),
    "nothing": (b"", ": this is not an array of neighbours"),
    "npy damaged": (npy(TRUTH)[:30], ": the numpy data are damaged"),
    "npz damaged": (npz(ids=TRUTH)[:-30], ": the zip data are damaged"),
    "npz of others": (npz(a=TRUTH, b=TRUTH), ": 0 of its arrays have names of ids, and 0 of distances; the arrays are"),
    "npz of two": (npz(ids=TRUTH, labels=TRUTH), ": 2 of its arrays have names of ids"),
    "distances of another shape": (
        npz(ids=TRUTH, distances=DISTANCES[:, 1:]),
        ": there are distances of shape (40, 11), and ids of (40, 12); expected one for each id",
    ),
    "a distance that is none": (
        npz(ids=TRUTH, distances=changed(DISTANCES, 9, 3, np.nan)),
        ", row 10: a distance is nan (query 9)",
    ),
    "distances in no order": (
        npz(I=TRUTH, D=changed(DISTANCES, 9, 3, 5.0)),
        ", row 10: the distances neither rise nor fall along the row (query 9); expected the nearest first",
    ),
    "similarities called distances": (
        npz(ids=TRUTH, distances=-DISTANCES),
        ", row 1: the distances fall along the row, and others rise (query 0); distances rise along a row",
    ),
    "distances called similarities": (npz(ids=TRUTH, similarities=DISTANCES), ", row 1: the distances rise along"),
    "distances that turn": (
        npz(I=TRUTH, D=np.concatenate((DISTANCES[:20], -DISTANCES[20:]))),
        ", row 21: the distances fall along the row, and others rise (query 20)",
    ),
}


@pytest.mark.parametrize(("data", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_refused_with_file_and_row(data, message, irev, tmp_path):
    (tmp_path / "truth").write_bytes(data)
    (tmp_path / "run").write_bytes(npy(RUN))
    refused(irev(*NAMED, str(tmp_path / "truth"), str(tmp_path / "run")), f"irev: error: {tmp_path / 'truth'}{message}")


def test_ids_beyond_the_base_are_refused_where_the_file_has_it(irev, tmp_path):
    (tmp_path / "truth").write_bytes(hdf5(neighbors=changed(TRUTH, 4, 1, BASE), train=np.zeros((BASE, 2))))
    (tmp_path / "run").write_bytes(npy(RUN))
    done = irev(str(tmp_path / "truth"), str(tmp_path / "run"))
    expected = f"{tmp_path / 'truth'}, row 5: the id 500 is beyond the 500 vectors of the base (query 4)"
    assert (2, True) == (done.status, expected in done.stderr), done.stderr


def test_a_repeated_result_is_a_choice_as_in_any_run(irev, tmp_path):
    again = changed(RUN, 5, 1, RUN[5, 0])
    (tmp_path / "truth").write_bytes(npy(TRUTH))
    (tmp_path / "run").write_bytes(npy(again))
    files = str(tmp_path / "truth"), str(tmp_path / "run")
    assert f"run, row 6: the id {RUN[5, 0]} occurs twice in the row (query 5)" in irev(*files).stderr
    kept = irev("--duplicates", "first", "-q", "-m", "P.5", *files)
    (tmp_path / "run").write_bytes(trec_run(again))
    assert kept == irev("--duplicates", "first", "-q", "-m", "P.5", *files)


def test_a_zip_archive_of_something_else_is_none(irev, tmp_path):
    (tmp_path / "truth").write_bytes(npz(ids=TRUTH).replace(b"ids.npy", b"ids.txt"))
    assert "this is a zip archive; unpack it" in irev(str(tmp_path / "truth"), str(tmp_path / "truth")).stderr


def test_queries_of_parquet_are_numbered_from_0_or_not_at_all(irev, tmp_path):
    (tmp_path / "truth").write_bytes(parquet(TRUTH, first=1))
    done = irev(*NAMED, str(tmp_path / "truth"), str(tmp_path / "truth"))
    fact = f"the column id does not have each number from 0 to {len(TRUTH) - 1} once; number the queries from 0 on"
    assert (2, True) == (done.status, fact in done.stderr)


def _external(file, secret):
    file.create_dataset("neighbors", (2, 4), "i4", external=[(str(secret), 0, 32)])


def _virtual(file, secret):
    import h5py

    layout = h5py.VirtualLayout((2, 4), "i4")
    layout[:] = h5py.VirtualSource(str(secret), "a", (2, 4))
    file.create_virtual_dataset("neighbors", layout)


def _growing(file, secret):
    import h5py

    layout = h5py.VirtualLayout((2, 4), "i4", maxshape=(None, 4))
    layout[: h5py.h5s.UNLIMITED] = h5py.VirtualSource(str(secret), "a", (2, 4), maxshape=(None, 4))[
        : h5py.h5s.UNLIMITED
    ]
    file.create_virtual_dataset("neighbors", layout)


def _base(file, secret):
    file["neighbors"] = TRUTH
    file.create_dataset("train", (2, 4), "i4", external=[(str(secret), 0, 32)])


def _linked(file, secret):
    import h5py

    file["neighbors"] = h5py.ExternalLink(str(secret), "a")


def _named_twice(file, _):
    import h5py

    file["others"] = TRUTH
    file["neighbors"] = h5py.SoftLink("/others")


def _in_a_circle(file, _):
    import h5py

    file["neighbors"] = h5py.SoftLink("/neighbors")


NOT_HERE = ": the numbers of 'neighbors' are not in this file but in others; store the array itself in the file"
LINK = ": 'neighbors' is a link, and links are not followed; store the array itself in the file"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (_external, NOT_HERE),
        (_virtual, NOT_HERE),
        (_growing, NOT_HERE),
        (_base, NOT_HERE.replace("neighbors", "train")),
        (_linked, LINK),
        (_named_twice, LINK),
        (_in_a_circle, LINK),
    ],
)
def test_hdf5_that_refers_to_something_else_is_refused(irev, tmp_path, written, expected):
    """What is in another file must not become ids, even if it is the file of a stranger's choice."""
    h5py = pytest.importorskip("h5py")
    secret = tmp_path / "secret"
    with h5py.File(secret, "w") as file:
        file["a"] = np.arange(8, dtype="i4").reshape(2, 4)
    with h5py.File(tmp_path / "truth", "w") as file:
        written(file, secret)
    (tmp_path / "run").write_bytes(npy(RUN))

    refused(irev("eval", "-m", "R@8", str(tmp_path / "truth"), str(tmp_path / "run")), expected)


def test_links_of_hdf5_that_nobody_asks_for_are_not_followed(irev, tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "run").write_bytes(npy(RUN))
    for name in ("truth", "linked"):
        with h5py.File(tmp_path / name, "w") as file:
            file["neighbors"] = TRUTH
            if name == "linked":
                file["train"] = h5py.ExternalLink("/dev/zero", "a")
    with_links, without = (irev("eval", str(tmp_path / each), str(tmp_path / "run")) for each in ("linked", "truth"))

    assert without == with_links


def test_hdf5_in_large_pieces_or_of_numbers_that_were_never_written_is_refused(irev, tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "run").write_bytes(npy(RUN))
    for rows, piece, expected in (
        (100_000, 1 << 20, "the array is stored in pieces of 400 MB, more than 64 MB; store it in smaller chunks"),
        (1 << 22, 100, "of the file decompress to more than 256 MB, 200 times as much"),
    ):
        with h5py.File(tmp_path / "truth", "w") as file:
            file.create_dataset("neighbors", (rows, 100), "i4", chunks=(piece, 100), maxshape=(None, 100))
        refused(irev("eval", str(tmp_path / "truth"), str(tmp_path / "run")), expected)


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_arrays_in_a_zip_are_compressed_as_numpy_does(irev, tmp_path, way):
    with zipfile.ZipFile(tmp_path / "truth", "w", compression=way) as written:
        written.writestr("ids.npy", npy(TRUTH))
    (tmp_path / "run").write_bytes(npy(RUN))

    fact = "an array is compressed in an unusual way; write it by numpy.savez"
    refused(irev("eval", str(tmp_path / "truth"), str(tmp_path / "run")), fact)


def test_lists_of_parquet_of_very_different_lengths_do_not_take_the_room_of_the_longest(irev, tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as written

    monkeypatch.setattr("irev.reading.limits.LARGE", 100_000)
    written.write_table(pyarrow.table({"ids": [[1]] * 5000 + [[*range(5000)]]}), tmp_path / "truth")
    (tmp_path / "run").write_bytes(npy(RUN))

    read = ("eval", "--qrels-format", "neighbours", "--run-format", "neighbours")
    refused(irev(*read, str(tmp_path / "truth"), str(tmp_path / "run")), "decompress to more than 97.7 kB")


def test_h5py_and_pyarrow_are_asked_for_by_name(irev, tmp_path, monkeypatch):
    data = {"h5py": hdf5(neighbors=TRUTH), "pyarrow": parquet(TRUTH)}
    for module, content in data.items():
        (tmp_path / "truth").write_bytes(content)
        monkeypatch.setitem(__import__("sys").modules, module, None)
        done = irev(*NAMED, str(tmp_path / "truth"), str(tmp_path / "truth"))
        assert f"pip install {module}\n" in done.stderr


def test_files_of_a_few_bytes_are_refused_and_never_a_traceback(tmp_path):
    chance = np.random.default_rng(3)
    whole = [written(TRUTH[:3]) for name, written in EVERY_WAY.items() if "compressed" not in name]
    refused = 0
    for turn in range(150):
        data = bytearray(whole[turn % len(whole)])
        for _ in range(int(chance.integers(1, 4))):
            data[int(chance.integers(len(data)))] = int(chance.integers(256))
        (tmp_path / "file").write_bytes(bytes(data[: int(chance.integers(len(data)))]) if turn % 3 else bytes(data))
        settings = Settings(qrels_format="neighbours", run_format="neighbours")
        for read in (qrels.read, lambda source, given: runs.read(source, in_memory.kept, given)):
            try:
                with Source(str(tmp_path / "file")) as source:
                    read(source, settings)
            except InputError:
                refused += 1
    assert refused > 100


def test_rows_of_different_lengths_are_refused_as_that_without_the_name_of_the_format(irev, tmp_path):
    (tmp_path / "r.ivecs").write_bytes(b"".join(struct.pack(f"<I{n}I", n, *range(n)) for n in (3, 5, 2)))
    done = irev("eval", str(tmp_path / "r.ivecs"), str(tmp_path / "r.ivecs"))
    refused(done, "r.ivecs, row 2: the row has 5 numbers, and the first has 3 (.ivecs)")


def test_vectors_of_bytes_are_recognised_as_none_that_can_be_evaluated(irev, tmp_path):
    (tmp_path / "v.bvecs").write_bytes(b"".join(struct.pack("<I", 4) + bytes(range(4)) for _ in range(3)))
    done = irev("eval", str(tmp_path / "v.bvecs"), str(tmp_path / "v.bvecs"))
    refused(done, "v.bvecs: these are vectors of 4 bytes each (.bvecs)")


def test_few_vectors_are_recognised_by_the_name_of_their_file_and_large_ids_are_no_vectors(irev, tmp_path):
    two = DISTANCES[:2, :3]
    (tmp_path / "v.fvecs").write_bytes(vecs(two))
    np.save(tmp_path / "ids.npy", two.view(np.int32))
    large = np.arange(40, dtype=np.int32).reshape(4, 10) * 50_000_001
    (tmp_path / "large.ivecs").write_bytes(vecs(large))
    done = irev("eval", str(tmp_path / "ids.npy"), str(tmp_path / "v.fvecs"))
    refused(done, "v.fvecs: these are vectors of 3 numbers each (.fvecs); expected the ids of their neighbours")
    for ids in ("ids.npy", "large.ivecs"):
        assert 0 == irev("eval", str(tmp_path / ids), str(tmp_path / ids)).status


def test_what_a_library_says_of_a_damaged_file_is_not_cut(irev, tmp_path):
    (tmp_path / "cut.hdf5").write_bytes(hdf5(neighbors=TRUTH)[:500])
    (tmp_path / "run.npy").write_bytes(npy(RUN))
    said = irev("eval", str(tmp_path / "cut.hdf5"), str(tmp_path / "run.npy")).stderr
    assert re.search(
        r"cut\.hdf5: the HDF5 data are damaged \(.* file .*\d+\)*\); download or make the file again\n$", said
    )
