"""Names that people type: one meaning, however it is capitalised and hyphenated, and the words of textbooks."""

import pytest

from irev.base import glossary
from irev.base.errors import UsageError
from irev.measures import MEASURES, parse, spellings

APART = {"rbp", "rbpresid", "accuracy", "judged", "unjudged"}
"""Names that differ in capitals alone and in their meaning, since two tools have them: each is read as it stands."""


def meaning(text: str) -> list[str]:
    return [each.label for each in parse([text])]


@pytest.mark.parametrize(
    ("typed", "meant"),
    {
        "F1": "SetF",
        "F-measure": "SetF",
        "f measure": "SetF",
        "F1@10": "F@10",
        "gMAP": "GMAP",
        "R-precision": "Rprec",
        "Reciprocal Rank": "RR",
        "reciprocal rank@10": "RR@10",
        "Mean Reciprocal Rank": "RR",
        "Mean Average Precision": "AP",
        "MAP": "AP",
        "Map": "AP",
        "ap": "AP",
        "Search Length": "SearchLength",
        "Prec@3": "P@3",
        "AUC": "Accuracy",
        "BPREF": "Bpref",
        "Normalized Discounted Cumulative Gain@10": "nDCG@10",
        "Normalised discounted cumulative gain@10": "nDCG@10",
        "NDCG@10": "nDCG@10",
        "nDCG(rel=2)@5": "ndcg_cut.5,rel=2",
        "Rank-Biased Precision": "RBP",
        "Sensitivity": "SetR",
        "Precision": "SetP",
        "precision": "SetP",
        "Precision@5": "P@5",
        "recall": "R",
        "Recall": "R",
        "Recall@5": "R@5",
    }.items(),
)
def test_what_people_type_is_the_measure_that_they_mean(typed, meant):
    assert meaning(meant) == meaning(typed)


def names() -> dict[str, set[str]]:
    """Every name of a measure, by what is the same of names but for capitals and hyphens."""
    found: dict[str, set[str]] = {}
    for name in (*MEASURES, *(name for name, _ in spellings.spellings() if not name.endswith("_at_"))):
        found.setdefault(glossary.key(name), set()).add(name)
    return found


def test_a_name_has_one_meaning_however_it_is_capitalised():
    for name, alike in names().items():
        meant = {(call.measure.name, call.arguments) for call in map(spellings.read, alike)}
        assert (len(meant) > 1) == (name in APART), alike


@pytest.mark.parametrize("name", ["Rbp", "ACCURACY", "jUDGED", "UNJUDGED", "RBP-resid"])
def test_a_name_of_which_the_capitals_decide_is_refused_in_any_third_way(name):
    assert glossary.key(name) in APART
    with pytest.raises(UsageError, match="there is no measure"):
        parse([name])


def test_every_other_word_for_a_measure_is_read_as_it():
    for term in glossary.terms():
        for word in term.words if term.measure else ():
            own = names().get(glossary.key(word), set())
            if not own:
                assert meaning(term.measure) == meaning(word), word


def test_no_word_for_what_is_no_measure_is_read_as_one():
    """But those that a measure has in its own record, as precision."""
    for term in glossary.terms():
        for word in () if term.measure else term.words:
            if glossary.key(word) not in names():
                with pytest.raises(UsageError):
                    parse([word])
