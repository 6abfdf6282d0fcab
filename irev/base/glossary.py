"""The words of the field, each with what it is, a line that does it, and the page that tells more.

They are in ``glossary.toml`` beside this module and in the packages of extensions. ``irev help WORD``, the hints for
unknown measures and commands, the words that the site finds, and docs/glossary.md come from these files. Words that the
program has in tables of its own (measures, commands, options and their words, formats) are not in them: they are found
there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from irev.base.registry import tables_beside


class Term(NamedTuple):
    """A word of the field.

    Attributes
    ----------
    name : str
    says : str
        What it is, in one or two sentences. What a measure is stands in its own record.
    line : str
        A command that does it, on the files of sample_data; several stand on lines of their own. What is essential
        stands before the first file.
    page : str
        The page of docs, with a heading of it: ``statistics.md#tests``.
    also : str
        Other words for it, with commas between them.
    measure : str
        The measure that it is, as ``-m`` takes it, without a cutoff.
    not_said : str
        Words that the program does not use for it, with commas between them; they lead here too. Of a word that the
        program itself uses with one meaning.
    nearest : bool
        Whether irev does not compute it, and the line does what is nearest.
    """

    name: str
    says: str = ""
    line: str = ""
    page: str = ""
    also: str = ""
    measure: str = ""
    not_said: str = ""
    nearest: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Everything that it is called."""
        listed = ", ".join(filter(None, (self.name, self.also, self.not_said)))
        return tuple(listed.split(", "))

    @property
    def lines(self) -> tuple[str, ...]:
        """The commands that do it."""
        return tuple(self.line.splitlines())

    @property
    def commands(self) -> tuple[str, ...]:
        """The same up to the first file."""
        return tuple(re.sub(r" \S+\.(txt|run|csv|jsonl)\b.*", "", line) for line in self.lines)


GENERAL = [
    "score",
    "metric",
    "measure",
    "measurement",
    "value",
    "statistic",
    "evaluation",
    "method",
    "methodology",
    "analysis",
    "testing",
]
"""Words that may follow another one and say nothing new: ``MAP score``."""

LINKING = ("the", "a", "an", "of", "for", "in")
"""Words that link others."""


def key(word: str) -> str:
    """What is the same however a word is capitalised, hyphenated or spelt in Britain: small letters and digits.

    A sign such as ± is its own key.
    """
    text = re.sub(r"is(?=(e|ed|es|ing|ation|ations)\b)", "iz", word.casefold().replace("judgement", "judgment"))
    return "".join(re.findall(r"[^\W_]+|[#+]", text.replace("'s ", " "))) or text.strip()


def looser(word: str) -> str:
    """The same of a word in the singular, without an article or a `GENERAL` word at its end."""
    words = [each for each in re.split(r"[\s_-]+", word.casefold()) if each not in LINKING]
    if len(words) > 1 and len(words[0]) > 1 and words[-1].rstrip("s") in GENERAL:
        words.pop()
    return key(" ".join(re.sub(r"(?<=\w\w[^sui])s$", "", re.sub(r"(?<=\w\w)ies$", "y", each)) for each in words))


@cache
def _file() -> dict[str, dict[str, Any]]:
    """The glossaries of the core and of all extensions as one."""
    found: dict[str, dict[str, Any]] = {"measures": {}, "word": {}, "term": {}}
    for table in tables_beside(__package__, "glossary.toml"):
        for kind, entries in table.items():
            found[kind].update(entries)
    return found


@cache
def words() -> tuple[Term, ...]:
    """Return the words that the program and its pages use, each with one meaning."""
    return tuple(Term(name, **each) for name, each in _file()["word"].items())


@cache
def terms() -> tuple[Term, ...]:
    """Return all terms, in the order of their names."""
    named = ((measure, *names.partition(", ")) for measure, names in _file()["measures"].items())
    measures = (Term(name, also=also, measure=measure) for measure, name, _, also in named)
    found = [*words(), *measures, *(Term(name, **each) for name, each in _file()["term"].items())]
    return tuple(sorted(found, key=lambda term: key(term.name)))


@cache
def _by_key() -> dict[str, Term]:
    found: dict[str, Term] = {}
    for term in terms():
        for word in term.words:
            other = found.setdefault(key(word), term)
            if other is not term:
                raise ValueError(f"{word!r} would lead to both {other.name!r} and {term.name!r}")
    return found


@cache
def _by_looser() -> dict[str, Term]:
    return {looser(word): term for term in reversed(terms()) for word in reversed(term.words)} | _by_key()


def find(word: str) -> Term | None:
    """The term that a word leads to, if there is one: however it is capitalised or hyphenated, in the plural too."""
    return _by_key().get(key(word)) or _by_looser().get(looser(word))


def named_measure(word: str) -> str:
    """The measure that a word is a name of, as ``-m`` takes it; nothing where it is none."""
    term = _by_key().get(key(word))
    return term.measure if term is not None else ""


def commands(word: str) -> tuple[str, ...]:
    """What to type for a word, without files: ``irev compare --test t`` for ``ttest``."""
    term = find(word)
    return () if term is None else term.commands


def near(word: str, names: Iterable[str] = (), most: int = 3) -> list[str]:
    """The words nearest to one that leads nowhere, of the glossary and of other `names`, the nearest first."""
    from difflib import get_close_matches  # rarely needed, and slow to import

    known: dict[str, str] = {}
    for name in (*names, *(each for term in terms() for each in term.words)):
        known.setdefault(looser(name), name)
    found = get_close_matches(looser(word), known, n=most, cutoff=0.7)
    if not found:  # what has one of its words
        parts = {looser(each) for each in re.split(r"[\s_-]+", word) if len(each) > 3}
        found = [
            folded for folded, name in known.items() if parts & {looser(each) for each in re.split(r"[\s_-]+", name)}
        ]
    return [known[each] for each in found[:most]]
