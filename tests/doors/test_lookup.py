"""``irev help WORD``: every word of the field leads somewhere, to lines that can be typed and pages that are there."""

import re
import shlex
import shutil

import pytest
from conftest import ROOT

from irev.base import glossary
from irev.measures import parse

TERMS = glossary.terms()


def heads(page: str) -> set[str]:
    """What a link to a heading of a page may end in."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    titles = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_every_term_leads_to_a_heading_that_is_there():
    pages = [each.page.partition("#") for each in TERMS if each.page]
    assert [] == [(page, head) for page, _, head in pages if head and head not in heads(page)]
    assert [] == [page for page, _, _ in pages if not (ROOT / "docs" / page).exists()]


def test_every_term_is_a_measure_or_says_what_it_is_what_to_type_and_where_to_read():
    assert [] == [each.name for each in TERMS if not (each.measure or (each.says and each.line and each.page))]
    assert [] == [each.name for each in TERMS if each.measure and not parse([each.measure])]


@pytest.mark.parametrize("line", sorted({line for each in TERMS for line in each.lines}))
def test_every_line_of_the_glossary_can_be_typed(irev, line, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "sample_data", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(line)
    done = irev(*words)
    assert ("irev", 0) == (program, done.status), done.stderr


def test_what_a_term_says_is_short():
    assert [] == [each.name for each in TERMS if len(each.says) > 260 or each.says.count(". ") > 1]


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
    ],
)
def test_a_word_leads_to_what_it_is_called_here(irev, word, said):
    done = irev("help", *word.split(" "))
    assert (0, "") == (done.status, done.stderr)
    assert said in done.stdout.decode()


@pytest.mark.parametrize("word", ["sign test", "Mean Average Precision", "kappa", "position bias", "-m", "holm"])
def test_an_answer_is_one_screen(irev, word):
    lines = irev("help", *word.split(" ")).stdout.decode().splitlines()
    assert len(lines) <= 24 or word == "-m"
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("sing test", "'sign test'"),
        ("Kendal tau", '"Kendall\'s tau"'),
        ("nDGC", "'nDCG'"),
        ("evla", "'eval'"),
        ("xyzzy", "glossary.md"),
    ],
)
def test_an_unknown_word_is_answered_with_the_nearest(irev, word, meant):
    done = irev("help", *word.split(" "))
    assert (2, b"") == (done.status, done.stdout)
    assert meant in done.stderr
