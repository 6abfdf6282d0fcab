"""``irev help WORD``: where words of textbooks lead, and what is said of one that leads nowhere."""

import pytest
from conftest import ROOT
from outcomes import refused

LISTED = [line.split("\t") for line in (ROOT / "tests/cli/words.tsv").read_text(encoding="utf-8").splitlines()]
"""Words of textbooks on retrieval evaluation and of TREC, each with a command or a page that it must lead to."""


def test_the_words_are_more_than_two_hundred():
    assert 200 <= len({word for word, _ in LISTED})


@pytest.mark.parametrize(("word", "where"), LISTED)
def test_a_word_of_a_textbook_leads_to_what_does_it(irev, word, where):
    done = irev("help", *word.split(" "))
    assert (0, "") == (done.status, done.stderr)
    lines = done.stdout.decode().splitlines()
    assert any(where in line for line in lines if line.startswith(("Try ", "Read ", "      irev", "Usage: ", "--")))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("sign test", "irev compare --test sign"),
        ("Sign-Tests", "irev compare --test sign"),
        ("F1", "irev eval -m f1"),
        ("Mean Average Precision", "docs/measures.md#map"),
        ("nDCG@10", "docs/measures.md#ndcg_cut"),
        ("ndcg10", "irev eval -m ndcg@10"),
        ("precision at 5", "irev eval -m precision@5"),
        ("--baseline", "irev compare"),
        ("holm", "--correction holm"),
        ("letor", "docs/formats.md"),
        ("e101", "docs/errors.md#e101-wrong-number-of-fields"),
        ("topic", "query"),
        ("official", "A set of measures"),
        ("ab", "Usage: irev online ab"),
        ("rbp", "in capitals, RBP is ir_measures' measure of relevance alone, binrbp."),
        ("RBP", "in small letters, rbp is trec_eval's measure of grades"),
    ],
)
def test_a_word_leads_to_what_it_is_called_here(irev, word, said):
    done = irev("help", *word.split(" "))
    assert (0, "") == (done.status, done.stderr)
    assert said in " ".join(done.stdout.decode().split())


@pytest.mark.parametrize("word", ["sign test", "Mean Average Precision", "kappa", "position bias", "-m", "holm"])
def test_an_answer_is_one_screen(irev, word):
    lines = irev("help", *word.split(" ")).stdout.decode().splitlines()
    assert len(lines) <= 24 or word == "-m"
    assert max(map(len, lines)) <= 80


def test_of_another_name_of_a_measure_the_options_are_told_that_it_sets(irev):
    assert b"'dcg_burges' sets gain=exp." in irev("help", "dcg_burges").stdout


def test_other_words_are_those_of_the_same_measure(irev):
    assert b"classification accuracy" not in irev("help", "ROC", "AUC").stdout


def test_what_is_asked_for_is_never_raw_on_the_terminal(irev):
    assert "\x1b" not in irev("help", "\x1b[31mred").stderr


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("sing test", "'sign test'"),
        ("Kendal tau", '"Kendall\'s tau"'),
        ("nDGC", "'nDCG'"),
        ("evla", "'eval'"),
        ("--baselin", "'--baseline'"),
        ("xyzzy", "glossary.md"),
    ],
)
def test_an_unknown_word_is_answered_with_the_nearest(irev, word, meant):
    refused(irev("help", *word.split(" ")), meant)


def test_blanks_mean_nothing(irev):
    done = irev("help", " ")
    assert "did you mean" not in done.stderr
    assert "docs/glossary.md lists all words" in done.stderr


@pytest.mark.parametrize("sign", ["%", "≥", "§§", "@"])
def test_a_sign_that_is_not_known_is_not_near_to_anything(irev, sign):
    refused(irev("help", sign), f"'{sign}' is not known; docs/glossary.md lists all words")


def test_an_option_that_is_gone_leads_to_what_replaced_it(irev):
    refused(irev("help", "--partitioned"), "'--partitioned' is not known; it was an option: leave it out, and write")
    refused(irev("help", "--any-drop"), "it was an option: use irev check --no-worse-than NAME=VALUE to fail sooner")
