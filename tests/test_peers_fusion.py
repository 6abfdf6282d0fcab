"""ranx fuses live, on random runs without ties: every method and normalisation that it has, to 1e-9.

Where its numbers are not those of the definition that it names, or depend on what means nothing, both are written down
here, so that it is noticed when ranx changes; docs/fusion.md has them.
"""

import random
from itertools import permutations

import pytest
from conftest import answers_of_peers

import irev

METHODS = {
    **{"rrf": "rrf", "isr": "isr", "borda": "bordafuse", "combsum": "sum", "combmnz": "mnz", "combmax": "max"},
    **{"combmin": "min", "combmed": "med", "combanz": "anz"},
}
"""What ranx calls each method."""

NORMS = {"min-max": "min-max", "max": "max", "sum": "sum", "z": "zmuv", "rank": "rank", "none": None}
"""What it calls each normalisation."""

BY_RANK = ("rrf", "isr", "borda")
WAYS = [(method, norm) for method in METHODS for norm in ((None,) if method in BY_RANK else NORMS)]
WEIGHTS = [0.2, 1.7, 0.6, 1.1]


def asked(method: str, norm: str | None = None, **parameters) -> list:
    return [METHODS.get(method, method), None if norm is None else NORMS[norm], parameters]


def random_runs(seed: int, number: int, lowest: float = 0.5) -> list[dict]:
    """Runs of the same queries, of other lengths, without ties."""
    chance = random.Random(seed)

    def scores() -> dict[str, float]:
        size = chance.randint(2, 40)
        documents, values = chance.sample(range(60), size), chance.sample(range(900), size)
        return {f"d{each}": value / 16 + lowest for each, value in zip(documents, values, strict=True)}

    return [{f"q{query}": scores() for query in range(8)} for _ in range(number)]


RANDOM, NEGATIVE = random_runs(1, 4), random_runs(2, 3, lowest=-30)
SINGLE = [{"q": {"a": 3.0}}, {"q": {"b": 2.0, "c": 1.0}}]
TIED = [{"q": {"a": 1.0, "b": 1.0}}, {"q": {"c": 2.0, "a": 1.0}}]
NARROW = {"q": {"a": 3e-12, "b": 2e-12, "c": 1e-12}}
ADDED = [{"q": {"a": 0.1}}, {"q": {"a": 0.2}}, {"q": {"a": 0.3}}]

QUESTIONS = {
    "random": {
        "runs": RANDOM,
        "fuse": [
            *(asked(method, norm, **({"k": 60} if method == "rrf" else {})) for method, norm in WAYS),
            asked("wsum", "min-max", weights=WEIGHTS),
            asked("wsum", "z", weights=WEIGHTS),
        ],
    },
    "another constant": {"runs": RANDOM, "fuse": [asked("rrf", k=7)]},
    "negative": {"runs": NEGATIVE, "fuse": [asked("combsum", norm) for norm in NORMS if norm != "max"]},
    "a single document": {"runs": SINGLE, "fuse": [asked("combsum", norm) for norm in ("min-max", "sum", "z")]},
    "a narrow range": {
        "runs": [{"q": {"a": 3e-12, "b": 2e-12, "c": 1e-12}}] * 2,
        "fuse": [asked("combmax", "min-max")],
    },
    "below zero": {"runs": [{"q": {"a": -1.0, "b": -2.0}}] * 2, "fuse": [asked("combmax", "max")]},
    "large": {"runs": [{"q": {"a": 3e9}}, {"q": {"b": 2e9}}], "fuse": [asked("combmin", "none")]},
    "large and negative": {"runs": [{"q": {"a": -3e9}}, {"q": {"b": -2e9}}], "fuse": [asked("combmax", "none")]},
    "ties": {"runs": TIED, "fuse": [asked("rrf", k=60)]},
    "ties in another order": {"runs": [{"q": {"b": 1.0, "a": 1.0}}, TIED[1]], "fuse": [asked("rrf", k=60)]},
    "other queries": {"runs": [{"q": {"a": 1.0}}, {"p": {"a": 1.0}, "q": {"a": 1.0}}], "fuse": [asked("rrf", k=60)]},
    "one run": {"runs": [{"q": {"a": 1.0}}], "fuse": [asked("rrf", k=60)]},
    **{
        f"added {order}": {"runs": [ADDED[place] for place in order], "fuse": [asked("combsum", "none")]}
        for order in permutations(range(3))
    },
}


@pytest.fixture(scope="session")
def answers(tmp_path_factory):
    """What ranx answers to all questions, from one process."""
    return {
        name: answer["fused"]
        for name, answer in answers_of_peers(QUESTIONS, tmp_path_factory.mktemp("answers")).items()
    }


def same(theirs: dict, ours: irev.Run) -> None:
    """Assert that all documents have the same scores, to 1e-9."""
    found = ours.to_dict()

    assert theirs.keys() == found.keys()
    for query, scores in theirs.items():
        assert scores == pytest.approx(found[query], rel=1e-9, abs=1e-9), query


# Agreement


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_ranx_has_the_same_scores(answers, way):
    method, norm = way
    name = f"{METHODS[method]} {None if norm is None else NORMS[norm]}"

    same(answers["random"][name], irev.fuse(RANDOM, method, norm=norm))


@pytest.mark.parametrize("norm", ["min-max", "z"])
def test_ranx_has_the_same_weighted_sums(answers, norm):
    same(answers["random"][f"wsum {NORMS[norm]}"], irev.fuse(RANDOM, "combsum", norm=norm, weights=WEIGHTS))


@pytest.mark.parametrize("norm", [norm for norm in NORMS if norm != "max"])
def test_ranx_has_the_same_sums_of_scores_below_zero(answers, norm):
    same(answers["negative"][f"sum {NORMS[norm]}"], irev.fuse(NEGATIVE, "combsum", norm=norm))


def test_ranx_has_the_same_sums_with_another_constant(answers):
    same(answers["another constant"]["rrf None"], irev.fuse(RANDOM, "rrf", k=7))


def test_every_method_is_tried():
    from irev.ranking.fusion import METHODS as FUSIONS
    from irev.ranking.fusion import NORMALISATIONS

    assert {*FUSIONS} == {*METHODS}
    assert {*NORMALISATIONS, "none"} == {*NORMS}


# Disagreement


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("norm", "theirs", "ours"), [("min-max", 0.0, 1.0), ("sum", 0.0, 1.0), ("z", 0.0, 0.0)], ids=str
)
def test_a_single_document_is_worth_something(answers, norm, theirs, ours):
    """Its scores are all equal, so that normalisations divide nothing by nothing. ranx gives the only document of a run
    what it gives one that the run does not have."""
    assert theirs == answers["a single document"][f"sum {NORMS[norm]}"]["q"]["a"]
    assert ours == irev.fuse(SINGLE, "combsum", norm=norm).to_dict()["q"]["a"]


def test_a_narrow_range_is_a_range(answers):
    """ranx divides by 1e-9 at least."""
    expected = {"a": 1.0, "b": 0.5, "c": 0.0}

    assert {"a": 2e-3, "b": 1e-3, "c": 0.0} == pytest.approx(answers["a narrow range"]["max min-max"]["q"])
    assert expected == pytest.approx(irev.fuse(QUESTIONS["a narrow range"]["runs"], "combmax").to_dict()["q"])


def test_a_highest_score_below_zero_is_no_divisor(answers):
    assert {"a": -1e9, "b": -2e9} == pytest.approx(answers["below zero"]["max max"]["q"])
    with pytest.raises(irev.InputError, match=r"the highest score of query 'q' is -1.0, and max divides by it"):
        irev.fuse(QUESTIONS["below zero"]["runs"], "combmax", norm="max")


@pytest.mark.parametrize(("name", "method", "bound"), [("large", "min", 1e9), ("large and negative", "max", -1e9)])
def test_runs_that_lack_a_document_have_no_score_for_it(answers, name, method, bound):
    """ranx gives them one beyond which it takes none to be."""
    runs = QUESTIONS[name]["runs"]

    assert {"a": bound, "b": bound} == answers[name][f"{method} None"]["q"]
    assert {"a": runs[0]["q"]["a"], "b": runs[1]["q"]["b"]} == irev.fuse(runs, f"comb{method}", norm="none").to_dict()[
        "q"
    ]


def test_ties_of_a_run_are_broken_by_id_and_not_as_they_come(answers):
    """In ranx the order of rows decides which of two documents of equal score has the better rank."""
    one, other = (answers[name]["rrf None"]["q"] for name in ("ties", "ties in another order"))

    assert one != other
    assert (
        other == irev.fuse(TIED).to_dict()["q"] == irev.fuse(QUESTIONS["ties in another order"]["runs"]).to_dict()["q"]
    )


def test_a_query_that_a_run_lacks_is_fused_of_the_others(answers):
    assert answers["other queries"]["rrf None"].endswith("query ids do not match")
    assert {"a": 1 / 61} == irev.fuse(QUESTIONS["other queries"]["runs"]).to_dict()["p"]


def test_one_run_is_fused_too(answers):
    assert "AssertionError: Only one run provided" == answers["one run"]["rrf None"]
    assert {"q": {"a": 1 / 61}} == irev.fuse([{"q": {"a": 1.0}}]).to_dict()


def test_the_order_of_runs_changes_no_digit(answers):
    """ranx adds scores in the order of the runs, and the last digit says so."""
    theirs = {answers[name]["sum None"]["q"]["a"] for name in answers if name.startswith("added")}
    ours = {
        irev.fuse([ADDED[place] for place in order], "combsum", norm="none").to_dict()["q"]["a"]
        for order in permutations(range(3))
    }

    assert 1 < len(theirs)
    assert 1 == len(ours)
    assert theirs > ours
