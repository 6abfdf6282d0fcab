"""Measures as papers and other tools write them, ``nDCG@10``, ``AP(rel=2)``, ``hit_rate@5``, ``recall_at_100``.

    call      = name [ "(" argument { "," argument } ")" ] [ "@" number ] [ "-l" number ]
              | name "(" [ number { "," number } ] ")"
              | name "_at_" number
              | "rbp." number
    argument  = key "=" value
    value     = number | word | 'text' | "text" | "[" numbers "]" | "{" grade ":" gain { "," grade ":" gain } "}"

Every name belongs to the record of one measure: its standard name, and those that it lists as other tools'. Where one
spelling means different things in two tools, the record of a measure has it for the tool whose spelling it is. Numbers
without a key are cwl-eval's: its names come with the order of their arguments.

A name that none of them has is read as the one that it is however it is capitalised and hyphenated, and as the measure
that the glossary calls so: ``gMAP``, ``Reciprocal Rank``, ``Prec@3``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache

from irev.base import glossary
from irev.base.errors import UsageError, decimal
from irev.base.records import dataclass
from irev.measures.measure import MEASURES, SETS, Measure
from irev.measures.parameters import Cutoffs, Levels


@dataclass(frozen=True)
class Call:
    """A measure, how it is to be taken, and whose spelling it is.

    Attributes
    ----------
    measure : Measure
    arguments : tuple of (str, str)
        Keys and texts, ``k`` for the cutoff.
    tool : str
        ``ranx`` and the like, or ``standard``.
    order : tuple of str
        The keys of arguments that may stand without one.
    """

    measure: Measure
    arguments: tuple[tuple[str, str], ...]
    tool: str
    order: tuple[str, ...] = ()


_CALL = re.compile(
    r"(?P<name>\w[\w.#' -]*?)(\((?P<inside>[^()]*)\))?(@(?P<cut>[^@()\s]*?))?(-l(?P<level>[0-9]+))?", re.DOTALL
)
_AT = re.compile(r"(?P<name>\w+)_at_(?P<cut>[0-9]+)", re.ASCII)
_PERSISTENCE = re.compile(r"rbp[.@](?P<digits>[0-9]+)(-l(?P<level>[0-9]+))?", re.ASCII)
_ARGUMENT = re.compile(
    r"""\s*(\w+)\s*=\s*('[^']*'|"[^"]*"|\{[^{}]*\}|\[[^\[\]]*\]|[^\s,'"{}\[\]]+)\s*(?:,(?=.)|$)""", re.DOTALL
)
OTHER_KEYS = {"cutoff": "k", "dcg": "gain"}
"""What ir_measures calls arguments that have another name here."""

OTHER_NAMES = {("SetP", "relative", "True"): "SetRelP"}
"""A measure of ir_measures that an argument turns into another one."""

ABSENT = {
    "C/W/L": ("IPM", "IFT", "NPV", "U-measure"),
    "preference": ("ABNDCG", "Pref"),
}
"""Names that people will look for and that irev does not have, by family."""

MEANT = {"hit": ("Success", "hit_rate"), "hr": ("Success", "hit_rate"), "acc": ("Success",)}
"""What is meant by names, in small letters, that look more like those of other measures: ``hits`` is a count."""

TWO_MEANINGS = {
    ("accuracy", True): "write Success@{k} (of sentence-transformers, BEIR), pair_accuracy.{k} (of ir_measures) or "
    "set_accuracy.{k}",
    ("hits", True): "write Success@{k} (of work on entities) or num_rel_ret.{k},agg=mean (of ranx)",
    ("sDCG", True): "write SDCG@{k} for scaled DCG (of ir_measures); irev has no session DCG",
    ("sDCG", False): "write SDCG for scaled DCG (of ir_measures); irev has no session DCG",
}
"""Names that different fields give, with a cutoff or without, to different measures; and what to write. Small letters
stand for any."""


IsMeasure = Callable[[str], bool]


def read(text: str, is_measure: IsMeasure = lambda text: True) -> Call:
    """What `text` calls. Raises `UsageError` with the nearest name that `is_measure` with all that follows it."""
    try:
        return _read(text)
    except _UnknownName as error:
        if text in CONDITIONS:
            remedy = f"`irev check` has it as a condition, such as --max {text}=0"
            raise UsageError(error.fact, remedy=remedy) from None
        raise UsageError(error.fact, remedy=_suggestion(text, is_measure)) from None


CONDITIONS = ("queries", "missing", "empty", "tied")
"""Counts that conditions can be about, and that are no measures."""


class _UnknownName(UsageError):
    """A text that is no measure, before anybody looks for what it is near to."""


def _read(text: str) -> Call:
    """The same. Raises `_UnknownName` for a name of no measure, and `UsageError` for anything else that is wrong."""
    if of_ranx := _PERSISTENCE.fullmatch(text):
        level = (("rel", of_ranx["level"]),) if of_ranx["level"] else ()
        return Call(MEASURES["rbp"], (("p", decimal(float(f"0.{of_ranx['digits']}"))), ("gmax", "1"), *level), "ranx")
    found = _AT.fullmatch(text) or _CALL.fullmatch(text)
    if found is None:
        raise _UnknownName(f"there is no measure '{text}'")
    if text.endswith("@") and _is_known(text[:-1]):
        raise UsageError(f"no cutoff follows '{text}'", remedy=f"expected one, such as {text}10")
    parts: dict[str, str | None] = {"inside": None, "level": None, **found.groupdict()}
    spelling = _spelling(text, found["name"], parts["cut"] is not None, at=found.re is _AT)
    arguments = _arguments(text, _with_keys(text, parts["inside"], spelling.order))
    for (name, key, value), other in OTHER_NAMES.items():
        if found["name"] == name and (key, value) in arguments:
            spelling = _spelling(text, other, parts["cut"] is not None, at=False)
            arguments = [(k, v) for k, v in arguments if (k, v) != (key, value)]
    if parts["cut"] is not None:
        arguments.append(("k", parts["cut"]))
    if parts["level"] is not None:
        arguments.append(("rel", parts["level"]))
    given = {key for key, _ in arguments}
    presets = [(key, value) for key, value in spelling.arguments if key not in given]
    return Call(spelling.measure, (*presets, *arguments), spelling.tool)


def _spelling(text: str, name: str, cut: bool, at: bool) -> Call:
    printed = name == "Accuracy"  # the standard name of a measure, which has to parse back
    meanings = None if printed else TWO_MEANINGS.get((name.lower(), cut)) or TWO_MEANINGS.get((name, cut))
    if meanings:
        cutoff = re.search("(?:@|_at_)([0-9]+)", text)
        raise UsageError(f"'{text}' has two meanings", remedy=meanings.format(k=cutoff[1] if cutoff else "k"))
    measure = None if at else MEASURES.first(lambda each: each.standard == name and _takes_cutoff(each) is cut)
    if measure is not None:
        return Call(measure, (), "standard")
    known = spellings()
    written = f"{name}_at_" if at else name
    for key in ((written, cut), (written, False)):
        if key in known:
            return known[key]
    if name in MEASURES:
        return Call(MEASURES[name], (), "trec_eval")
    for key in ((written, not cut), (name, cut)):
        if key in known:
            return known[key]
    for family, names in ABSENT.items():
        if name in names:
            raise UsageError(f"'{name}' is a {family} measure that irev does not have")
    if (alike := _alike(name, cut)) not in ("", name):  # the glossary may name one that is not installed
        call = _spelling(text, alike, cut, at=False)
        return Call(call.measure, call.arguments, "in other words", call.order)
    raise _UnknownName(f"there is no measure '{text}'")


def _alike(name: str, cut: bool) -> str:
    """The name of a measure that another one is, but for capitals and hyphens, or in the glossary.

    Nothing where there is none, or where names that differ in these alone mean different things.
    """
    called = glossary.named_measure(name)
    if called:
        return called
    names = _by_key().get(glossary.key(name), [])
    found = {
        (call.measure.name, call.arguments): each for each in names for call in [_spelling(each, each, cut, False)]
    }
    return next(iter(found.values())) if len(found) == 1 else ""


@cache
def _by_key() -> dict[str, list[str]]:
    """Every name of a measure, by what is the same of names that differ in capitals and hyphens alone."""
    found: dict[str, list[str]] = {}
    for name in (*MEASURES, *(name for name, _ in spellings() if not name.endswith("_at_"))):
        found.setdefault(glossary.key(name), []).append(name)
    return found


def _with_keys(text: str, inside: str | None, order: tuple[str, ...]) -> str | None:
    """The arguments with a key before each that stands without one, where their order is known."""
    if not inside or not order or "=" in inside:
        return inside
    given = [part.strip() for part in inside.split(",")]
    if len(given) > len(order):
        raise UsageError(f"'{text}' has more than {len(order)} arguments", remedy=f"expected {', '.join(order)}")
    return ",".join(f"{key}={value}" for key, value in zip(order, given, strict=False))


def _arguments(text: str, inside: str | None) -> list[tuple[str, str]]:
    found, place = [], 0
    while inside and inside.strip() and place < len(inside):
        argument = _ARGUMENT.match(inside, place)
        if argument is None:
            raise UsageError(
                f"'{inside[place:].strip()}' in '{text}' is not an argument",
                remedy="expected NAME=VALUE, as in AP(rel=2)",
            )
        key, value = argument[1], argument[2]
        value = re.sub(r"\s", "", value[1:-1] if value[0] in "'\"" else value)
        found.append((OTHER_KEYS.get(key, key), value))
        place = argument.end()
    return found


@cache
def spellings() -> dict[tuple[str, bool], Call]:
    """Every spelling, and whether a cutoff belongs to it, with what it calls."""
    known: dict[tuple[str, bool], Call] = {}
    for measure in MEASURES.values():
        _add(known, measure.standard, _takes_cutoff(measure), Call(measure, (), "standard"))
    for measure in MEASURES.values():
        for (tool, template, presets), line in zip(also(measure), measure.also, strict=True):
            name, at, _ = template.partition("@k")
            if template.endswith("_at_k"):
                name, at = template[:-1], "_at_k"
            order = re.search(r"\((.*)\)", line)
            _add(known, name, bool(at), Call(measure, presets, tool, tuple(order[1].split(",")) if order else ()))
    return known


def _takes_cutoff(measure: Measure) -> bool:
    return isinstance(measure.parameter, Cutoffs | Levels)


def _add(known: dict[tuple[str, bool], Call], name: str, cut: bool, call: Call) -> None:
    """Several tools may share a spelling that means the same; one with two meanings is a fault of the table."""
    first = known.setdefault((name, cut), call)
    if (first.measure, first.arguments) != (call.measure, call.arguments):
        raise ValueError(f"{name!r} would call both {first.measure.name!r} and {call.measure.name!r}")


def names() -> list[tuple[str, str]]:
    """Every name that ``-m`` takes, an ``@`` after those that a cutoff follows, and what it is in a sentence."""
    found: dict[str, str] = {name: "set of measures: " + ", ".join(members) for name, members in SETS.items()}
    for measure in MEASURES.values():
        found.setdefault(measure.name, measure.documentation.strip().partition("\n")[0])
    for (name, cut), call in spellings().items():
        sentence = call.measure.documentation.strip().partition("\n")[0]
        found.setdefault(f"{name}@" if cut and not name.endswith("_at_") else name, sentence)
    return list(found.items())


def also(measure: Measure) -> list[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Tool, spelling and what is to be chosen, for every other name of a measure."""
    found = []
    for line in measure.also:
        tool, template, *rest = line.split()
        presets = (each.partition("=") for each in rest if "=" in each)
        found.append((tool, template, tuple((key, value) for key, _, value in presets)))
    return found


def _suggestion(text: str, is_measure: IsMeasure) -> str:
    def accepted(text: str) -> bool:
        name, mark, rest = _stem(text)
        by_trec_eval = name in MEASURES and mark in ("", ".") and not {*rest} & {*"(@"}
        return text in SETS or ((by_trec_eval or _is_known(text)) and is_measure(text))

    if "," in text.partition(".")[0].partition("(")[0]:
        return "put commas between the names of measures"
    names = text.split()
    if len(names) > 1 and all(_is_known(name) or name.partition(".")[0] in MEASURES for name in names):
        return f"put commas between the names of measures: '{','.join(names)}'"
    written = _as_usual(text)
    if written != text and accepted(written):
        return f"did you mean '{written}'?"
    name, mark, rest = _stem(text.rstrip("@("))
    if meant := MEANT.get(name.lower()):
        return _did_you_mean(meant, mark, rest, accepted)
    term = glossary.find(name)
    if term is not None and term.commands:
        does = "is nearest" if term.nearest else "does this"
        return f"{' or '.join(map(repr, term.commands))} {does}; see `irev help {name}`"
    numbered = re.fullmatch(r"(\D*[^\W\d_])[ _-]*([0-9]+)", name)
    if numbered and not mark:
        with suppress(UsageError):
            call = _read(f"{numbered[1]}@{numbered[2]}")
            known = f"{numbered[1] if call.arguments[:-1] else call.measure.standard}@{numbered[2]}"
            if accepted(known):
                return f"did you mean '{known}'?"
    if mark == "(" and _is_known(name):
        return f"expected NAME=VALUE between parentheses, as in {name}(rel=2)"
    return _did_you_mean(_nearest(name), mark, rest, accepted) or "`irev measures` lists them all"


def _did_you_mean(names: Iterable[str], mark: str, rest: str, accepted: IsMeasure) -> str:
    """A question for up to three of the names, with what follows them if they take it; none where nothing is left."""
    names = [*names]
    marks = (mark, "@") if mark == "." else (mark,)  # after a dot only trec_eval's names have a cutoff
    whole = (next(filter(accepted, (f"{name}{each}{rest}" for each in marks)), "") for name in names)
    found = [*filter(None, whole)] or [*filter(accepted, names)]
    return f"did you mean {' or '.join(map(repr, found[:3]))}?" if found else ""


def _as_usual(text: str) -> str:
    """The text with ``@`` for the word "at", without blanks around signs, and with every parenthesis that it needs."""
    text = re.sub(r"\s*@\s*|\s+at\s+(?=[0-9])", "@", text.strip())
    text = re.sub(r"\s*([(=])\s*|\s+([,)])", lambda found: found[1] or found[2], text).rstrip("@(")
    if text.count("(") > text.count(")"):
        return f"{text})"
    return text.removesuffix(")") if text.count(")") > text.count("(") else text


def _is_known(text: str) -> bool:
    try:
        _read(text)
    except UsageError:
        return False
    return True


def _nearest(name: str) -> list[str]:
    from difflib import get_close_matches  # rarely needed, and slow to import

    called = {word: term.measure for term in glossary.terms() if term.measure for word in term.words}
    names = dict.fromkeys([*SETS, *MEASURES, *(spelled for spelled, _ in spellings() if not spelled.endswith("_at_"))])
    shown: dict[str, str] = {}
    for word in (*names, *called):
        shown.setdefault(word.lower(), word if word in names else called[word])
    return [*dict.fromkeys(shown[each] for each in get_close_matches(name.lower(), shown, n=6, cutoff=0.6))]


def _stem(text: str) -> tuple[str, str, str]:
    """A name, the first sign that ends it, and the rest."""
    found = re.search(r"[.@(]", text)
    return (text[: found.start()], found[0], text[found.end() :]) if found else (text, "", "")
