"""What a shell may offer where a measure is being typed: names, and usual cutoffs behind one."""

from __future__ import annotations

from collections.abc import Iterator

from irev.errors import UsageError
from irev.measures.pages import summary
from irev.measures.parameters import Levels
from irev.measures.request import read
from irev.measures.spellings import names

CUTOFFS = ("1", "3", "5", "10", "20", "50", "100", "1000")
"""What is offered after ``nDCG@``."""


def offered(incomplete: str) -> Iterator[tuple[str, str]]:
    """What may be typed after ``-m`` where `incomplete` stands, and what each is in a sentence."""
    before, last = _last_of(incomplete)
    if before and not last:  # a comma may also be followed by one more cutoff
        others, begun = _last_of(before[:-1])
        for name, meaning in _cutoffs_offered(f"{begun},"):
            yield others + name, meaning
    for name, meaning in _names(last):
        yield before + name, meaning


def _last_of(measures: str) -> tuple[str, str]:
    """A list of measures, cut where the last of them begins. Neither a comma in parentheses begins one, nor what
    begins with a digit: ``AP,P@5,10`` are two measures."""
    begin = depth = 0
    for place, sign in enumerate(measures):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth and not measures[place + 1 : place + 2].isdigit():
            begin = place + 1
    return measures[:begin], measures[begin:]


def _names(incomplete: str) -> Iterator[tuple[str, str]]:
    """The names that begin with what was typed, and cutoffs behind one."""
    for name, meaning in names():
        if name.startswith(incomplete) and not (name == incomplete and name.endswith("@")):
            yield name, meaning
    yield from _cutoffs_offered(incomplete)


def _cutoffs_offered(incomplete: str) -> Iterator[tuple[str, str]]:
    for mark in ("@", ".", "_at_"):
        name, found, typed = incomplete.partition(mark)
        if found:
            yield from _cutoffs(name + mark, typed)
            break


def _cutoffs(begun: str, typed: str) -> Iterator[tuple[str, str]]:
    """Cutoffs, or what else is usual, after a name and its mark; in a list, those that it does not have yet."""
    try:
        measure = read(f"{begun}1")[0].measure
    except UsageError:
        return
    before, comma, last = typed.rpartition(",")
    usual: tuple[str, ...] = CUTOFFS
    if isinstance(measure.parameter, Levels):
        usual = tuple(f"{value.value:g}" for value in measure.parameter.defaults)
    for cutoff in usual:
        if cutoff.startswith(last) and cutoff not in before.split(","):
            yield begun + before + comma + cutoff, summary(measure)
