"""Formulas of measures with options: `irev explain` shows what was computed, whatever was chosen."""

import re

import pytest

from irev.measures import MEASURES, parse
from irev.measures.pages import formula, meaning
from irev.measures.parameters import Cutoffs, FlagParameter, WordParameter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DCG(discount=jarvelin2002)@10", "dcg_cut_k = sum over the ranks i ≤ k of gain_i / max(1, log2(i))."),
        (
            "DCG(discount=jarvelin2002,base=10)@10",
            "dcg_cut_k = sum over the ranks i ≤ k of gain_i / max(1, log_10(i)).",
        ),
        ("DCG(discount=zipf,gain=exp)@10", "dcg_cut_k = sum over the ranks i ≤ k of (2^g_i - 1) / i."),
        ("CG(gain=exp)", "cg = sum over the ranks i of (2^g_i - 1)."),
    ],
)
def test_the_formula_is_that_of_the_options(text, expected):
    assert expected == formula(parse([text])[0])


CHOICES = [
    (name, key, value)
    for name, measure in MEASURES.items()
    for key, option in measure.options.items()
    for value in (
        option.words
        if isinstance(option, WordParameter)
        else ("true", "false")
        if isinstance(option, FlagParameter)
        else ()
    )
    if value != option.write(option.default)
]


@pytest.mark.parametrize(("name", "key", "value"), CHOICES)
def test_every_word_that_can_be_chosen_is_told_from_the_usual_one(name, key, value):
    measure = MEASURES[name]
    follows = "5," if isinstance(measure.parameter, Cutoffs) else "0.5," if name == "iprec_at_recall" else ""
    beside = ",discount=jarvelin2002" if key == "base" else ""
    (request,) = parse([f"{name}.{follows}{key}={value}{beside}"])

    assert meaning(measure) != formula(request)
    if key == "discount":
        assert not re.search(r"log2\([ij] \+ 1\)", formula(request))


def test_what_is_not_chosen_changes_nothing():
    assert {name: meaning(measure) for name, measure in MEASURES.items()} == {
        name: formula(request) for name in MEASURES for request in parse([name])[:1]
    }


def test_explain_prints_it(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 3\n1 0 b 2\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    done = irev("explain", "-m", "DCG(discount=jarvelin2002)@10", "qrels", "run")

    assert "dcg_cut_k = sum over the ranks i ≤ k of gain_i / max(1, log2(i))." in done.stdout.decode()
    assert "log2(i + 1)" not in done.stdout.decode()
