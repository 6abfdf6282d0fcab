"""Tables of neighbours as a run: the numbers of the same run as a dictionary."""

import pickle

import numpy as np
import pytest

import irev

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2, "d0": 1}}
DOCUMENTS = ["d0", "d1", "d2", "d3"]


def means(run: object, qrels: object = QRELS) -> dict[str, float]:
    return irev.evaluate(qrels, run, ["AP", "nDCG@2", "num_ret"]).mean()


def test_rows_are_rankings_and_negative_numbers_nothing():
    expected = means({"q1": ["d2", "d1"], "q2": ["d3"]})

    assert expected == means(irev.top_k(np.array([[2, 1], [3, -1]]), queries=["q1", "q2"], documents=DOCUMENTS))
    assert expected == means(
        irev.top_k([[2, 1], [3, -1]], queries=np.array(["q1", "q2"]), documents=np.array(DOCUMENTS))
    )


def test_scores_order_where_they_are_given():
    expected = means({"q1": ["d1", "d2"], "q2": ["d0", "d3"]})
    scores = np.array([[0.1, 0.2], [7, 5]], dtype=np.float32)

    assert expected == means(irev.top_k([[2, 1], [0, 3]], scores, queries=["q1", "q2"], documents=DOCUMENTS))


def test_numbers_are_ids_where_there_are_no_others():
    expected = means({"0": ["7", "12"], "1": ["3"]}, {"0": {"12": 1}, "1": {"3": 1}})

    assert expected == means(irev.top_k(np.array([[7, 12], [3, -1]])), {"0": {"12": 1}, "1": {"3": 1}})


def test_true_neighbours_are_judgments_of_which_each_is_relevant():
    """The share of the true neighbours that a search finds; their scores, 0, -1 and so on, were taken for grades."""
    truth, found = [[4, 7, 1], [2, 9, 3]], [[7, 4, 5], [2, 9, -1]]

    assert {"R@3": 1.0} == irev.evaluate(irev.top_k(truth), irev.top_k(truth), "R@3").mean()
    assert {"R@3": 2 / 3} == irev.evaluate(irev.top_k(truth), irev.top_k(found), "R@3").mean()
    distances = -np.array([[0.0, 0.1, 0.2], [0.3, 0.4, 0.5]])
    assert {"R@3": 2 / 3} == irev.evaluate(irev.top_k(truth, distances), irev.top_k(found), "R@3").mean()
    assert {"R@3": 1.0} == irev.evaluate(irev.read_qrels(irev.top_k(truth)), irev.top_k(truth), "R@3").mean()


def test_nearer_neighbours_have_higher_grades_as_in_a_file_of_them(tmp_path):
    """Of the same distance the same; the numbers are those of files of the same arrays."""
    truth, found = np.array([[4, 7, 1, 8], [2, 9, 3, -1]]), np.array([[7, 4, 5], [1, 9, 2]])
    distances = np.array([[0.0, 0.5, 0.5, 1.0], [0.25, 0.25, 0.5, 0.0]])
    np.savez(tmp_path / "truth.npz", ids=truth, distances=distances)
    np.save(tmp_path / "found.npy", found)
    measures = ["kNNRecall@1", "kNNRecall@2", "kNNRecall(of=1)@3", "nDCG@3"]
    tied = irev.top_k(truth, -distances)

    assert [4, 3, 3, 1, 3, 3, 1] == tied.grades.tolist()
    assert [4, 3, 2, 1, 3, 2, 1] == irev.top_k(truth).grades.tolist()
    expected = irev.evaluate(tmp_path / "truth.npz", tmp_path / "found.npy", measures)
    assert expected.mean() == irev.evaluate(tied, irev.top_k(found), measures).mean()
    assert 0.0 == irev.evaluate(irev.top_k(truth), irev.top_k(found), "kNNRecall@1").mean()["kNNRecall@1"]


def nested(table: np.ndarray, values: np.ndarray) -> dict[str, dict[str, float]]:
    """The same as dictionaries; a row without any document is an empty one."""
    rows = enumerate(zip(table.tolist(), values.tolist(), strict=True))
    return {str(row): {str(each): value for each, value in zip(*pair, strict=True) if each >= 0} for row, pair in rows}


@pytest.mark.parametrize("seed", range(12))
def test_tables_have_the_numbers_of_dictionaries(seed):
    """With ties, in any order of scores, with gaps in rows and rows of nothing."""
    chance = np.random.default_rng(seed)
    truth, found = (np.argsort(chance.random((30, 120)), axis=1)[:, :k] for k in (7, 9))
    found[chance.random(found.shape) < 0.2] = -1
    found[4] = -1
    scores = chance.integers(0, 5 + 10**seed, found.shape).astype(np.float32)
    judged = nested(truth, np.tile(np.arange(7, 0, -1), (30, 1)))
    judged = {query: {**documents, "none": 0} for query, documents in judged.items()}
    measures = ["kNNRecall@3", "kNNRecall(of=2)@5", "nDCG@5", "AP", "RR", "num_ret", "num_q", "P@4"]
    for run, values in ((irev.top_k(found), -np.tile(np.arange(9), (30, 1))), (irev.top_k(found, scores), scores)):
        expected = irev.evaluate(judged, nested(found, values), measures)
        assert expected.per_query == irev.evaluate(irev.top_k(truth), run, measures).per_query
        assert expected.facts[:3] == irev.evaluate(irev.top_k(truth), run, measures).facts[:3]
        assert expected.per_query == irev.evaluate(judged, run, measures).per_query


@pytest.mark.parametrize("documents", [None, np.arange(50, 62), [f"d{each}" for each in range(12)]])
def test_a_row_of_nothing_counts_as_a_query_that_found_nothing(documents, tmp_path):
    """As in a file, where -1 means no result: what was not found does not make a mean better."""
    truth, found = np.array([[4, 7], [2, 9]]), np.array([[4, 7], [-1, -1]])
    run = irev.top_k(found, documents=documents)

    assert {"kNNRecall@2": 0.5} == irev.evaluate(irev.top_k(truth, documents=documents), run, "kNNRecall@2").mean()
    for table, name in ((truth, "truth.npy"), (found, "found.npy")):
        np.save(tmp_path / name, table)
    assert {"kNNRecall@2": 0.5} == irev.evaluate(tmp_path / "truth.npy", tmp_path / "found.npy", "kNNRecall@2").mean()
    assert {"kNNRecall@2": 0.5} == irev.evaluate(tmp_path / "truth.npy", irev.top_k(found), "kNNRecall@2").mean()


def test_what_was_read_stays_what_it_is_in_another_process(tmp_path):
    read = irev.read_qrels(irev.top_k([[4, 7], [2, 9]]))
    found = irev.evaluate(pickle.loads(pickle.dumps(read)), irev.top_k([[4, 1], [2, 9]]), "kNNRecall@2")
    assert {"kNNRecall@2": 0.75} == found.mean()


@pytest.mark.parametrize("kind", [np.float32, np.float64, int])
def test_distances_are_refused_where_scores_are_expected(kind):
    distances = np.array([[1, 2, 3], [4, 4, 5], [7, 7, 0]]).astype(kind)
    with pytest.raises(irev.UsageError, match="scores rise in every row, as distances do"):
        irev.top_k([[1, 2, 3], [4, 5, 6], [7, 8, -1]], distances)
    turned = irev.top_k([[1, 2, 3], [4, 5, 6], [7, 8, -1]], -distances)
    assert turned.scores.tolist() == [-1, -2, -3, -4, -4, -5, -7, -7]
    assert len(irev.top_k([[1, 2], [3, 4]], [[5.0, 5.0], [2.0, 2.0]])[0]) == 4  # equal ones neither rise nor fall


def test_ids_of_any_kind_stay_what_they_are():
    run = irev.top_k([[0, 1]], queries=[b"q\xff"], documents=["é", "long " * 9])

    assert ["é", "long " * 9] == list(run[1])
    assert [b"q\xff"] * 2 == list(run[0])
    with pytest.raises(irev.InputError, match="of type int"):
        irev.evaluate(QRELS, irev.top_k([[0, 1]], queries=["q1"], documents=["d1", 2]), "AP")


@pytest.mark.parametrize(
    ("indices", "more", "said"),
    [
        ([1, 2], {}, "expected whole numbers of shape (n, k)"),
        ([[0.5]], {}, "expected whole numbers of shape (n, k)"),
        ([[1, 2]], {"scores": [[1.0]]}, "scores are of shape (1, 1), and indices of (1, 2)"),
        ([[4]], {"documents": DOCUMENTS}, "there is an index 4, but only 4 documents"),
        ([[1]], {"queries": ["a", "b"]}, "queries are of shape (2,); expected a list of 1"),
    ],
)
def test_what_is_no_table_is_refused(indices, more, said):
    with pytest.raises(irev.UsageError) as error:
        irev.top_k(indices, **more)
    assert said in str(error.value)


# Arrays of other libraries, which are not imported


class Asked:
    """What has an array that numpy asks for, and nothing else of one but its length."""

    def __init__(self, values: object) -> None:
        self._values = np.asarray(values)

    def __len__(self) -> int:
        return len(self._values)


class ByArray(Asked):
    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self._values if dtype is None else self._values.astype(dtype)


class ByDLPack(Asked):
    def __dlpack__(self, **more: object) -> object:
        return self._values.__dlpack__(**more)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._values.__dlpack_device__()


class Elsewhere(Asked):
    """As a tensor on a graphics card, or one with a gradient."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


NUMBERS = {"7": {"12": 1, "5": 2}, "9": {"3": 1}}


@pytest.mark.parametrize("kind", [ByArray, ByDLPack])
def test_tensors_are_asked_for_their_arrays(kind):
    queries, documents, scores = [7, 7, 9, 9], [12, 8, 4, 3], [0.5, 0.75, 0.25, 1.0]
    expected = means((queries, documents, scores), NUMBERS)

    assert 4 == expected["num_ret"]
    assert expected == means(tuple(kind(each) for each in (queries, documents, scores)), NUMBERS)
    judged = tuple(kind(each) for each in ([7, 7, 9], [12, 5, 3], [1, 2, 1]))
    assert expected == means((queries, documents, scores), judged)


@pytest.mark.parametrize("kind", [ByArray, ByDLPack])
def test_tables_of_neighbours_may_be_tensors(kind):
    indices, scores = [[12, 8], [3, 4]], [[0.5, 0.75], [1.0, 0.25]]
    expected = means(irev.top_k(np.array(indices), np.array(scores), queries=np.array([7, 9])), NUMBERS)

    assert expected == means(irev.top_k(kind(indices), kind(scores), queries=kind([7, 9])), NUMBERS)


def test_what_gives_no_array_is_refused():
    with pytest.raises(
        irev.InputError, match=r"the array of r?.*scores of type Elsewhere cannot be converted to an array .*cuda"
    ):
        irev.evaluate(NUMBERS, ([7], [12], Elsewhere([1.0])), "AP")
    with pytest.raises(irev.InputError, match=r"top_k: indices of type Elsewhere .* move it to the CPU"):
        irev.top_k(Elsewhere([[1, 2]]))


@pytest.mark.parametrize("of", ["indices", "scores"])
def test_masked_values_are_not_read_as_if_they_were_not(of):
    table = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    given = (table, None) if of == "indices" else (table.data, -table)
    with pytest.raises(irev.InputError, match=f"{of}: 1 value is masked; leave them out, or fill them"):
        irev.top_k(*given)
    assert len(irev.top_k(np.ma.array(table.data, mask=False))[0]) == 4  # with a mask that hides nothing
