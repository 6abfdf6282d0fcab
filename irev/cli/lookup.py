"""``irev help WORD``: where a word leads, by the glossary and by the tables of the program.

A term, a measure, an option, a word that an option takes, a format, or the code of a problem: each comes to a
`Meaning`, which fits on one screen.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

import click
from click.shell_completion import CompletionItem

from irev.base import glossary
from irev.base.errors import UsageError
from irev.base.exit import REFUSED
from irev.base.glossary import Term, key
from irev.base.registry import absent, instead
from irev.cli import commands, line_of
from irev.cli.help import Command
from irev.cli.output import say, terminal
from irev.measures import MEASURES
from irev.measures.measure import SETS
from irev.measures.pages import page, written
from irev.measures.request import read
from irev.measures.spellings import names
from irev.reading.formats import JUDGMENTS, RUNS, listed
from irev.reading.problem_codes import CODES

WIDTH, NARROWEST = 80, 40
"""Columns where there is no terminal, or a wide one, and the fewest for which lines are broken."""

FILES = {"grades": "qrels.txt semantic.run", "subtopics": "subtopics.txt semantic.run"}
"""Files of sample_data with judgments of a kind, and a run; for other kinds QRELS and RUN stand there."""

_NUMBERED = re.compile(r"(.*?[^\W\d_])(?:[\s_-]+at|[\s_-]+top)?[\s_-]*([0-9]+)")
"""``ndcg10``, ``precision at 5``: a name, and a cutoff."""

_CUTOFF = re.compile(r"@[0-9]+$")
_GENERAL = re.compile(rf"[ _-]({'|'.join(glossary.GENERAL)})$")


Commands: TypeAlias = Mapping[str, click.Context]
"""Commands by their names; that of the program alone is nothing."""


class Meaning(NamedTuple):
    """What there is to say of a word.

    Attributes
    ----------
    title : str
    says : tuple of str
        Paragraphs.
    lines : tuple of str
        Commands that can be typed.
    page : str
        A page of docs, with a heading.
    also : tuple of str
        Other words for it.
    """

    title: str
    says: tuple[str, ...]
    lines: tuple[str, ...] = ()
    page: str = ""
    also: tuple[str, ...] = ()


def _complete_words(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """What a shell offers after ``irev help``: commands, and terms of one word."""
    listed = {name: line_of(name) for name in commands()}
    known = {term.name: term.says or f"the measure {term.measure}" for term in glossary.terms()} | listed
    words = ((word, says) for word, says in known.items() if " " not in word and word.startswith(incomplete))
    return [CompletionItem(word, help=says) for word, says in words]


@click.command(
    "help",
    cls=Command,
    epilog="irev help sign test",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("words", metavar="[WORD]...", nargs=-1, type=click.UNPROCESSED, shell_complete=_complete_words)
@click.pass_context
def help_command(ctx: click.Context, /, words: tuple[str, ...]) -> int:
    """Say on one screen what a WORD means, which command does it, and which page tells more.

    A WORD is anything from the field or the program: a command, an option, a measure, a method, a term of a textbook,
    a format, or the code of a problem. Case, hyphens and the plural do not matter.
    """
    text, commands = " ".join(words), dict(_within(ctx.find_root()))
    last = {name.rpartition(" ")[2]: context for name, context in commands.items()}
    if found := commands.get(text) or last.get(text):
        click.echo(found.get_help())
        return 0
    return answer(text, commands)


def _within(above: click.Context, before: str = "") -> Iterator[tuple[str, click.Context]]:
    """A command and those within it, by their names after that of the program."""
    yield before, above
    if isinstance(above.command, click.Group):
        for name in above.command.list_commands(above):
            found = above.command.get_command(above, name)
            if found is not None:
                below = click.Context(found, info_name=name, parent=above)
                yield from _within(below, f"{before} {name}".strip())


def answer(text: str, commands: Commands) -> int:
    """Print what a word leads to, in a program with these commands; the exit status."""
    found = look_up(text, commands)
    if found is None:
        flags = (flag for _, option in _options(commands) for flag in option.opts)
        names = flags if text.startswith("-") else (*commands, *_measure_names())
        near = glossary.near(text, names) if re.search(r"\w", text) else []
        meant = " or ".join(repr(each) for each in near)
        hint = f"did you mean {meant}?" if near else "docs/glossary.md lists all words, `irev measures` all measures"
        if now := instead("", text):
            hint = f"it was an option: {now}"
        where = absent("", text)
        say(f"irev: error: '{text}' is {where}" if where else f"irev: error: '{text}' is not known; {hint}")
        return REFUSED
    click.echo("\n".join(_printed(found)).encode())
    return 0


def look_up(text: str, commands: Commands) -> Meaning | None:
    """What a word leads to; None where it leads nowhere."""
    if text.startswith("-"):
        return _option(text, commands)
    text = re.sub("@[knx]$", "", text, flags=re.IGNORECASE)
    cutoff = _CUTOFF.search(text)
    if cutoff and (measure := _measure(text)):
        return measure
    term = glossary.find(text) or glossary.find(_CUTOFF.sub("", text))
    if term is not None and not term.measure:
        return Meaning(term.name, (term.says,), term.lines, term.page, _others(term, text))
    return (
        (term and _measure(term.measure + (cutoff[0] if cutoff else "")))
        or _measure(text)
        or _option(f"--{text.replace(' ', '-')}", commands)
        or _word(text, commands)
        or _format(text)
        or _code(text)
    )


def _others(term: Term, text: str) -> tuple[str, ...]:
    """The other words for a term, but the one that was asked for."""
    return tuple(each for each in term.words if key(each) not in (key(text), key(term.name)))[:8]


def _measure(text: str) -> Meaning | None:
    """A measure, as ``-m`` reads the text, or would with a mark before its number; or a set of measures."""
    if text in SETS:
        listed = (f"A set of measures: {', '.join(SETS[text])}.",)
        return Meaning(text, listed, (f"irev eval -m {text} {FILES['grades']}",), "measures.md#sets")
    numbered = _NUMBERED.fullmatch(text)
    spelled = (text, f"{numbered[1]}@{numbered[2]}") if numbered else (text, _GENERAL.sub("", text))
    for each in spelled:
        try:
            request = read(each)[0]
        except UsageError:
            continue
        measure = request.measure
        described = page(measure)
        named = (term for term in glossary.terms() if term.measure in (measure.standard, measure.name, each))
        term = next(named, None)
        title = ", ".join(dict.fromkeys(reversed(written(measure))))
        typed = shlex.quote(each)
        says = (described.summary, *described.definition[:1])
        if request.options and "=" not in each:
            says += (f"'{each}' sets {', '.join('='.join(map(str, option)) for option in request.options)}.",)
        if measure.of not in FILES:
            says += (f"It needs judgments of {measure.of}.",)
        lines = (f"irev eval -m {typed} {FILES.get(measure.of, 'QRELS RUN')}", f"irev measures {typed}")
        also = _others(term, text) if term else ()
        return Meaning(title, says, lines, f"measures.md#{measure.name.lower()}", also)
    return None


def _measure_names() -> Iterator[str]:
    """Every name of a measure, those of papers first."""
    yield from (measure.standard for measure in MEASURES.values())
    yield from (name.rstrip("@") for name, _ in names())


def _options(commands: Commands) -> Iterator[tuple[str, click.Option]]:
    """Every option of every command that help shows."""
    for name, context in commands.items():
        for option in context.command.params:
            if isinstance(option, click.Option) and not option.hidden:
                yield name, option


def _listed(found: list[tuple[str, click.Option]], title: str) -> Meaning | None:
    """Commands with an option, those together of which it says the same."""
    said: dict[str, list[str]] = {}
    for name, option in found:
        said.setdefault(option.help or "", []).append(name)
    if not said:
        return None
    says = tuple(f"irev {', '.join(names)}: {text}" for text, names in said.items())
    return Meaning(title, says, (f"irev {found[0][0]} --help",), f"options.md#irev-{found[0][0].replace(' ', '-')}")


def _option(text: str, commands: Commands) -> Meaning | None:
    found = [(name, option) for name, option in _options(commands) if text in (*option.opts, *option.secondary_opts)]
    if not found:
        return None
    return _listed(found, ", ".join(found[0][1].opts[:2]))  # others are trec_eval's names


def _word(text: str, commands: Commands) -> Meaning | None:
    """A word that some option takes: ``holm``."""
    taken: dict[str, list[tuple[str, click.Option]]] = {}
    for name, option in _options(commands):
        for word in getattr(option.type, "choices", ()):
            if key(str(word)) == key(text):
                taken.setdefault(f"{option.opts[-1]} {word}", []).append((name, option))
    return (
        _listed(*max(((found, title) for title, found in taken.items()), key=lambda each: len(each[0])))
        if taken
        else None
    )


def _format(text: str) -> Meaning | None:
    tables = (("judgments", "-R", JUDGMENTS), ("runs", "--run-format", RUNS))
    said = [
        (f"A format of {what}, {option} {form.name}: {form.description}",)
        for what, option, table in tables
        for form in listed(table)
        if form.name == text.lower()
    ]
    return (
        Meaning(text.lower(), tuple(each for one in said for each in one), ("irev formats",), "formats.md")
        if said
        else None
    )


def _code(text: str) -> Meaning | None:
    if text.upper() not in CODES:
        return None
    code = CODES[text.upper()]
    page = f"errors.md#{text.lower()}-{code.title.lower().replace(' ', '-')}"
    return Meaning(
        f"{text.upper()} {code.title}", (code.cause, code.remedy), ("irev validate qrels.txt hybrid.run",), page
    )


def _printed(entry: Meaning) -> Iterator[str]:
    """The lines of an entry."""
    there, colour = terminal()
    width = max(min(there or WIDTH, WIDTH), NARROWEST)
    yield click.style(entry.title, bold=True) if colour else entry.title
    for paragraph in entry.says:
        yield ""
        yield from _wrapped(paragraph, width)
    yield ""
    yield from (f"{label:6}{text}" for label, text in _pointers(entry))
    if entry.also:
        yield from _wrapped(", ".join(entry.also), width, "Also  ", " " * 6)


def _pointers(entry: Meaning) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(entry.lines):
        yield "" if number else "Try", line
    yield "Read", f"docs/{entry.page}"


def _wrapped(text: str, width: int, first: str = "  ", later: str = "  ") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
