"""Fusion: by hand, and every method and normalisation against `reference_fusion`, over runs with ties, queries that a
run lacks, negative scores and ids that are no text; what does not depend on the order of runs, of queries, or on how
much of the files is read at a time."""

import random
import tempfile
from contextlib import ExitStack
from itertools import permutations
from pathlib import Path

import pytest
import reference_fusion as reference
from hypothesis import given
from hypothesis import strategies as st

from irev.base.errors import InputError
from irev.base.settings import Settings
from irev.commands.fuse import FuseChoices
from irev.ranking.fusion import METHODS, NONE, NORMALISATIONS, RANKS, SCORES, FusionSpec, inputs
from irev.ranking.fusion import fused as fused_module
from irev.ranking.fusion.inputs import Disagreement, SharedQueries
from irev.reading.sources import Source

Found = dict[bytes, list[tuple[bytes, float]]]

WAYS = [
    (name, norm) for name in METHODS for norm in ((*NORMALISATIONS, NONE) if METHODS[name].of == SCORES else (None,))
]
"""Every method with every normalisation."""


def written(folder: Path, runs: list[dict], seed: int | None = None) -> list[str]:
    """Files of runs: queries in their order, and the rows of each in a random one where there is a seed."""
    chance = random.Random(seed)
    paths = []
    for number, run in enumerate(runs):
        lines = []
        for query, scores in run.items():
            rows = [b"%b Q0 %b 0 %b t\n" % (query, name, repr(float(score)).encode()) for name, score in scores.items()]
            if seed is not None:
                chance.shuffle(rows)
            lines += rows
        paths.append(folder / f"{number}.run")
        paths[-1].write_bytes(b"".join(lines))
    return [str(path) for path in paths]


def fused(paths: list[str], wanted: FusionSpec, size: int | None = None, whole: bool = False) -> Found:
    """The fused run: each query with its documents and scores, in order."""
    with ExitStack() as opened:
        sources = [opened.enter_context(Source(path)) for path in paths]
        runs = inputs.of_files(sources, wanted, Settings())
        for each in runs:
            opened.enter_context(each)._size = size or each._size
        blocks = [*inputs.fused_runs(runs, wanted, SharedQueries(paths), whole)]
    found: Found = {}
    for block in blocks:
        rows = zip(block.query, block.start, block.length, block.score.value.tolist(), strict=True)
        for query, start, length, value in rows:
            document = block.text[start : start + length].tobytes()
            found.setdefault(block.queries[query], []).append((document, value))
    return found


def fused_of(runs: list[dict], way: tuple[str, str | None] = ("rrf", None), seed: int | None = 0, **choices) -> Found:
    """The fused run of runs in dictionaries, read whole."""
    called = {"weights": "run_weights", "depth": "input_depth", "top": "length"}
    named = {called.get(name, name): value for name, value in choices.items()}
    wanted = FuseChoices(fusion=way[0], norm=way[1], **named).spec
    with tempfile.TemporaryDirectory() as folder:
        return fused(written(Path(folder), runs, seed), wanted, whole=True)


# By hand

BM25 = {b"1": {b"a": 12.0, b"b": 9.0, b"c": 6.0}}
# Against the reference

DOCUMENTS = [*(b"d%02d" % number for number in range(9)), b"\xff\xfe", b"d\xe4", "ä".encode(), b"d" * 20, b"d" * 300]
QUERIES = [b"1", b"2", b"10", b"q\xff"]

values = st.one_of(
    st.integers(-2, 3).map(float),
    st.floats(-100, 100, allow_subnormal=False).map(lambda value: round(value, 3)),
    st.sampled_from([0.1, 0.30000000000000004, 12.345678901234567, 1e-12, 3e-12]),
)
ranked = st.dictionaries(st.sampled_from(DOCUMENTS), values, min_size=1, max_size=12)
run = st.dictionaries(st.sampled_from(QUERIES), ranked, min_size=1).map(lambda found: {b"0": {b"d00": 1.0}} | found)
several = st.lists(run, min_size=1, max_size=5)


def same(expected: dict[bytes, dict[bytes, float]], found: Found) -> None:
    """Assert that scores are equal to 1e-12, and that their order is by score, highest first, and then by id."""
    assert {query: {*scores} for query, scores in expected.items()} == {
        query: {document for document, _ in rows} for query, rows in found.items()
    }
    for query, rows in found.items():
        assert [*rows] == sorted(sorted(rows, reverse=True), key=lambda row: -row[1]), query
        of_query = expected[query]
        scale = max(1.0, *map(abs, of_query.values()))
        assert pytest.approx([of_query[document] for document, _ in rows], rel=1e-12, abs=1e-12 * scale) == [
            value for _, value in rows
        ]


def possible(runs: list[dict], norm: str | None, depth: int | None) -> bool:
    """Whether a normalisation has numbers for all scores."""
    return norm != "max" or all(max(scores.values()) > 0 for run in runs for scores in run.values())


@pytest.mark.thorough
@given(several, st.sampled_from(WAYS), st.one_of(st.none(), st.integers(1, 5)), st.integers(0, 99), st.booleans())
def test_every_method_does_as_the_reference(runs, way, depth, seed, weighing):
    if not possible(runs, way[1], depth):
        return
    weights = [seed % 7 / 2 - 1, *range(1, 5)][: len(runs)] if weighing and METHODS[way[0]].weighted else None
    weights = weights if weights and any(weights) else None
    expected = reference.fused(runs, way[0], way[1] or "none", weights=weights, depth=depth)

    same(expected, fused_of(runs, way, seed, weights=weights, depth=depth))


@pytest.mark.parametrize(
    ("way", "times"),
    [
        pytest.param(way, times, id=f"{way[0]}-{way[1]}-{times}", marks=[pytest.mark.thorough] * (times > 1))
        for times in (1, 10)
        for way in WAYS
    ],
)
def test_every_method_with_every_normalisation_does_as_the_reference(way, times):
    chance = random.Random(f"{way} {times}")
    for _ in range(times):
        runs = [random_run(chance) for _ in range(chance.randint(1, 6))]
        depth = chance.choice([None, None, 1, 3])
        same(
            reference.fused(runs, way[0], way[1] or "none", k=7.5, depth=depth),
            fused_of(runs, way, 1, depth=depth, k=7.5 if way[0] == "rrf" else None),
        )


def random_run(chance: random.Random, lowest: int = 1) -> dict:
    """A run with many ties, of which some queries are missing and some have one document."""
    return {
        query: {
            document: chance.choice([chance.randint(lowest, 4), chance.random() * 4 + lowest])
            for document in chance.sample(DOCUMENTS, chance.choice([1, 2, 5, 12]))
        }
        for query in [b"0", *(query for query in QUERIES if chance.random() < 0.8)]
    }


@pytest.mark.parametrize("norm", ["min-max", "sum", "z", "rank", "none"])
@pytest.mark.parametrize("scores", [[5.0], [0.0], [-3.5], [0.1] * 3, [1e-12, 3e-12], [1e300, -1e300], [5e-324, 0.0]])
def test_scores_that_hardly_differ_or_differ_hugely_are_made_comparable(norm, scores):
    run = {b"1": {b"d%d" % number: score for number, score in enumerate(scores)}}
    expected = reference.fused([run, BM25], "combsum", norm)

    same(expected, fused_of([run, BM25], ("combsum", norm)))


# What must not matter


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]}-{way[1]}")
def test_the_last_digit_does_not_depend_on_the_order_of_the_runs(way):
    chance = random.Random(3)
    runs = [random_run(chance) for _ in range(4)]
    weights = [0.1, 0.7, 1.3, 2.9] if METHODS[way[0]].weighted else None
    found = []
    for order in [*permutations(range(4))][::5]:
        reordered = fused_of(
            [runs[number] for number in order], way, weights=weights and [weights[number] for number in order]
        )
        found.append(dict(sorted(reordered.items())))

    assert [found[0]] * len(found) == found


SEEDS = pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(4, 60))]
)


def in_some_order(chance: random.Random, runs: int, agree: bool) -> list[dict]:
    """Runs of some queries each, in one order of queries, or each in its own."""
    queries = [b"%d" % number for number in range(12)]
    chance.shuffle(queries)
    found = []
    for _ in range(runs):
        mine = [query for query in queries if chance.random() < 0.7] or queries[:1]
        if not agree:
            chance.shuffle(mine)
        documents = ["abcdefgh"[number : number + 1].encode() for number in range(8)]
        found.append({query: {name: chance.random() for name in chance.sample(documents, 4)} for query in mine})
    return found


@SEEDS
def test_files_in_one_order_are_read_in_step_whatever_is_read_at_a_time(tmp_path, seed):
    """Queries that a run lacks do not disturb that; what is written is what comes of files that are read whole."""
    runs = in_some_order(random.Random(seed), 3, agree=True)
    paths, wanted = written(tmp_path, runs), FusionSpec(k=60.0)
    whole = [*fused(paths, wanted, whole=True).items()]

    for size in (1, 100, 300, 1 << 16):
        assert whole == [*fused(paths, wanted, size).items()]


@SEEDS
def test_files_in_other_orders_are_never_read_wrong(tmp_path, seed):
    """Either the same comes out in step, or it is said that they have to be read whole."""
    runs = in_some_order(random.Random(seed), 3, agree=False)
    paths, wanted = written(tmp_path, runs), FusionSpec(k=60.0)
    whole = [*fused(paths, wanted, whole=True).items()]
    expected = reference.fused(runs, "rrf")

    same(expected, dict(whole))
    for size in (1, 100, 300, 1 << 16):
        try:
            found = [*fused(paths, wanted, size).items()]
        except Disagreement:
            continue
        assert whole == found


def test_a_run_whose_queries_come_back_is_read_whole(irev, tmp_path):
    (tmp_path / "a.run").write_bytes(b"1 Q0 a 0 2 t\n2 Q0 a 0 2 t\n1 Q0 b 0 1 t\n")
    (tmp_path / "b.run").write_bytes(b"2 Q0 a 0 2 t\n1 Q0 b 0 1 t\n")
    done = irev("fuse", str(tmp_path / "a.run"), str(tmp_path / "b.run"))

    assert b"1 Q0 b 1 " in done.stdout
    assert 3 == done.stdout.count(b"\n")


def test_memory_follows_a_block_and_not_the_files(tmp_path, monkeypatch):
    """Of four runs in one order, one of which lacks a query, no more than two blocks each wait at any time."""
    queries = [b"%d" % number for number in range(400)]
    runs = [{query: {b"d%d" % d: float(d) for d in range(5)} for query in queries} for _ in range(4)]
    del runs[2][b"7"]
    waiting: list[int] = []
    alive: set[int] = set()
    kept = fused_module.RankedBlock.__init__

    def made(self, *arguments):
        kept(self, *arguments)
        import weakref

        alive.add(id(self))
        weakref.finalize(self, alive.discard, id(self))
        waiting.append(len(alive))

    monkeypatch.setattr(fused_module.RankedBlock, "__init__", made)
    monkeypatch.setattr(fused_module, "ROWS", 100)
    fused(written(tmp_path, runs), FusionSpec(k=60.0), 500)

    assert len(waiting) > 100
    assert max(waiting) < 40


def test_documents_of_one_hash_are_told_apart(monkeypatch):
    """A hash never decides alone: here all documents of a query share one."""
    chance = random.Random(5)
    runs = [random_run(chance) for _ in range(3)]
    expected = fused_of(runs)
    keeper = inputs.keeper

    def colliding(wanted, settings):
        kept = keeper(wanted, settings)

        def without_keys(block):
            found = kept(block)
            found.key[:] = 7
            return found

        return without_keys

    monkeypatch.setattr(inputs, "keeper", colliding)

    assert expected == fused_of(runs)


# What is refused


def test_infinite_scores_are_fused_by_rank_alone():
    runs = [{b"1": {b"a": float("inf"), b"b": 1.0}}, BM25]

    assert b"a" == fused_of(runs)[b"1"][0][0]
    assert b"a" == fused_of(runs, ("combsum", "rank"))[b"1"][0][0]
    with pytest.raises(InputError, match="the score of document 'a' of query '1' is infinite; use a method of ranks"):
        fused_of(runs, ("combsum", "min-max"))


def test_dividing_by_a_highest_score_that_is_not_positive_is_refused():
    for highest, said in ((0.0, "0.0"), (-2.0, "-2.0")):
        runs = [{b"1": {b"a": highest, b"b": -3.0}}, BM25]
        with pytest.raises(
            InputError, match=f"the highest score of query '1' is {said}, and max divides by it; min-max"
        ):
            fused_of(runs, ("combmax", "max"))


def test_what_no_double_holds_is_refused():
    huge = [{b"1": {b"a": 1.7e308, b"b": -1.7e308}}] * 2

    with pytest.raises(InputError, match=r"min-max of the score of document .* is too large for a double"):
        fused_of(huge, ("combsum", "min-max"))
    with pytest.raises(InputError, match=r"the fused score of document .* is too large for a double"):
        fused_of(huge, ("combsum", "none"))


# The records


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_what_it_is_and_where_it_is_from(name):
    found = METHODS[name]

    assert found.says.endswith((".", "…."))
    assert any(str(year) in found.function.__doc__ for year in range(1980, 2026)), "a source"
    assert found.of in (RANKS, SCORES)


@pytest.mark.parametrize("name", NORMALISATIONS)
def test_every_normalisation_says_what_it_is_and_where_it_is_from(name):
    found = NORMALISATIONS[name]

    assert any(str(year) in found.function.__doc__ for year in range(1980, 2026)), "a source"
    assert found.says


def test_by_borda_a_run_without_the_query_gives_all_candidates_the_same():
    """(3 + 1)/2 points, each worth 2."""
    import irev

    found = irev.fuse(
        [{"1": {"a": 2.0, "b": 1.0, "c": 0.5}, "2": {"x": 1.0}}, {"2": {"x": 1.0}}], "borda", weights=[1, 2]
    )
    assert {"a": 3 + 4.0, "b": 2 + 4.0, "c": 1 + 4.0} == found.to_dict()["1"]
