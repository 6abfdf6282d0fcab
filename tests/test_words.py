"""What people read has the project's words: "query" and not "topic", and no riddles in place of plain sentences.

The tests read all texts of the program (help, messages, codes of problems, glossary), the prose of docs/, the
descriptions of docs/result.schema.json, and the docstrings of public names. Other docstrings are not read; help and
pages that are made from docstrings are tested there.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import ROOT

from irev.base import glossary

RIDDLES = (
    "held against",
    "what becomes of",
    "of nobody",
    "said to be",
    "changes nothing here",
    "comes of it",
    "come of it",
    "for want of",
    "stands? twice",
    "called (?:alike|otherwise)",
    "made otherwise",
    "made under",
    r"(?:is|are) no (?:numbers?|JSON|CSV|TOML|condition|pair|regular expression)\b",
    "where people read",
    "words for people",
    "cannot be told",
    "that there (?:is|are) not",
    "chance (?:began|begins)",
    "than chance explains",
    "fetch or make",
    r"less (?:that|those) of\b",
    r"as ever\b",
    "meant from",
    "ranks closed",
    r"\bnobody's",
    r"the least p\b",
)
WRITTEN = re.compile(rf"\btopics?\b|{'|'.join(RIDDLES)}", re.IGNORECASE)

NAMES = re.compile(
    r"`[^`]*`|\]\([^)]*\)"  # what is typed, and where links lead
    r"|--topics|topics\.tsv|topics: "  # an option of TREC's name, its file, and a kind of curves
    r"|topic set size|(?:missing|extra) topic|topic without subtopics",  # a method, and promised titles of codes
    re.IGNORECASE,
)
LITERALS = re.compile(r"``[^`]*``")
"""Code in docstrings."""

LOOKED_UP = re.compile(r"(?m)^Also: .*|^\| query \|.*")
"""Lines of the glossary with words that others use."""


UNSAID = ("also", "example")
"""Arguments of the program that are no sentences: words that others use, and lines of files as TREC has them."""


def prose(page: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"(?ms)^ *```.*?^ *```$", "", page)


def texts(source: str) -> list[str]:
    """The texts in a module: strings of several words, but for docstrings and what the glossary looks up."""
    left, found = set[ast.AST](), list[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg in UNSAID):
            left.add(node.value)
        elif node not in left and isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [node.value] if " " in node.value.strip() else []
    return found


def unplain(text: str) -> list[str]:
    """Where a text has a word that it should not have, with what is around it."""
    text = NAMES.sub("", text)
    return [text[max(0, match.start() - 40) : match.end() + 40] for match in WRITTEN.finditer(text)]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_pages_have_the_words_of_the_project(page):
    assert [] == unplain(LOOKED_UP.sub("", prose(page.read_text(encoding="utf-8"))))


def test_the_program_has_the_words_of_the_project():
    found = {
        str(path.relative_to(ROOT)): each
        for path in sorted((ROOT / "irev").rglob("*.py"))
        if (each := [place for text in texts(path.read_text(encoding="utf-8")) for place in unplain(text)])
    }
    assert {} == found
    assert {} == {term.name: found for term in glossary.terms() if (found := unplain(term.says))}


def test_not_shown_is_said_of_differences_alone():
    """And, of documents of a log, that users did not see them. What has no room is not in the list, or left out."""
    places = {
        str(path.relative_to(ROOT / "irev"))
        for path in (ROOT / "irev").rglob("*.py")
        for text in texts(path.read_text(encoding="utf-8"))
        if re.search(r"\bnot shown\b", text, re.IGNORECASE)
    }
    of_differences = {
        "evaluation/comparison/contrasts.py",
        "output/reports/comparison.py",
    }
    assert of_differences | {"extensions/clicks/events/log.py"} == places


def descriptions(schema: Any) -> Iterator[str]:
    """The descriptions in a schema."""
    for key, value in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if key == "description" and isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            yield from descriptions(value)


def test_records_are_described_in_the_words_of_the_project():
    schema = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))
    assert {} == {text: found for text in descriptions(schema) if (found := unplain(text))}


def test_public_docstrings_have_the_words_of_the_project():
    import irev

    documented = {name: inspect.getdoc(getattr(irev, name)) or "" for name in irev.__all__}
    assert {} == {name: found for name, text in documented.items() if (found := unplain(LITERALS.sub("", text)))}


def test_what_is_not_plain_is_seen():
    assert ["no results for topic q1"] == unplain("no results for topic q1")
    assert ["Held against others"] == unplain("Held against others")
    assert ["the key 'x' stands twice"] == unplain("the key 'x' stands twice")
    assert ["a", "b"] == [*descriptions({"description": "a", "of": [{"description": "b", "items": {}}]})]
    assert [] == unplain("`topic`, topics.tsv and --topics: [queries](topics.md)")
    assert ["one topic", "a b"] == texts('"""Of a topic."""\nTerm("one topic", also="topic effect")\nf"{x}a b{y}"')
    assert "a\n\nb" == prose("a\n```console\nof all topics\n```\nb")
