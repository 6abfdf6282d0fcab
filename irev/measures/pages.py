"""Pages: what the documentation of a measure consists of, from its record and the paragraphs of its docstring.

A docstring opens with one sentence. Of its other paragraphs those that begin with ``Parameter:`` or ``Parameters:``,
``Option:`` or ``Options:``, ``Elsewhere:``, ``Source:`` or ``Example:`` are what the word says, and the rest is the
definition.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from irev.base import segments
from irev.base.records import dataclass
from irev.base.registry import docstring
from irev.base.settings import CURRENT, SINGLE_PRECISION
from irev.measures import MEASURES
from irev.measures import families as core_families
from irev.measures import spellings as calls
from irev.measures.measure import ORDER_FREE, SETS, TREC_ORDER, Measure
from irev.measures.parameters import NONE, Cutoffs, Levels, Value
from irev.measures.request import MODIFIERS, Request, read
from irev.reading.fields import GRADES

PARTS = {
    "Parameter": "parameters",
    "Parameters": "parameters",
    "Option": "parameters",
    "Options": "parameters",
    "Elsewhere": "elsewhere",
    "Source": "source",
    "Sources": "source",
    "Example": "example",
}
"""The words that paragraphs of a docstring begin with, and the part of the page that these are."""

_PART = re.compile(rf"({'|'.join(PARTS)}): ")
_ANY_CUTOFF = re.compile(r"(?<=@|\.)[kx]$|(?<=_at_)[kx]$")

SUMMARIES = {
    "mean": "mean over queries",
    "sum": "sum over queries",
    "geometric mean": "geometric mean over queries",
    "queries": "number of queries",
    "run tag": "run id",
    "judged relevant": "sum over queries",
    "none": "none",
}
"""How the line for all queries is made, in words, for each `irev.measures.measure.Summary`."""


@dataclass(frozen=True)
class PageOption:
    """An option of a measure: its name, its default as one would type it, and what it may be."""

    name: str
    default: str
    form: str


@dataclass(frozen=True)
class Alias:
    """A name that another tool has for a measure, and the options that make the measure what the tool computes."""

    tool: str
    name: str
    options: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        chosen = ", ".join(f"{key}={value}" for key, value in self.options)
        return self.name + (f" ({chosen})" if chosen else "")


def meaning(measure: Measure) -> str:
    """What a measure is, in a sentence: its formula, if its definition begins with that, else its summary."""
    described = page(measure)
    first, stop, _ = (described.definition[0] if described.definition else "").partition(". ")
    return f"{first}{stop.strip()}" if " = " in first else described.summary


@dataclass(frozen=True)
class Page:
    """The documentation of one measure. Its fields are the keys of ``irev measures --json``.

    Attributes
    ----------
    name, standard : str
        The name in trec_eval's style, and the one in papers.
    written : tuple of str
        Both again, with a letter for what follows where something must: ``P.k``, ``P@k``.
    family : str
        The measures that it stands with.
    summary : str
        What it is, in a sentence.
    definition : tuple of str
        Paragraphs: the formula, and what happens in special cases.
    parameters : tuple of str
        Paragraphs on its parameter and its options.
    form : str
        What may follow the dot of its name: ``cutoffs such as 5,10``.
    defaults : tuple of str
        What a bare name stands for, as one would type it.
    cutoff : str
        Which measure it is at a cutoff, itself or another one; nothing where a cutoff makes no sense.
    options : tuple of PageOption
        What can be chosen by name.
    modifiers : tuple of str
        Those of `irev.measures.request.MODIFIERS` that it takes.
    judgments : str
        The kind of judgments that it needs; ``grades`` are in all.
    graded : bool
        Whether grades matter, and not only whether they reach the relevance level.
    kind, aggregate : str
        What its values are, and how the line for all queries is made of them.
    per_query : bool
        Whether it has a value for a single query.
    bounds, ties : str
        Whether it has bounds and expected values over ties, in words.
    also : tuple of Alias
        What other tools call it.
    trec_eval : tuple of str
        The versions of trec_eval that have it.
    elsewhere : tuple of str
        Paragraphs on how the numbers of other tools differ.
    source, example : str
        Where it was published, and what it is for a small ranking.
    """

    name: str
    standard: str
    written: tuple[str, str]
    family: str
    summary: str
    definition: tuple[str, ...]
    parameters: tuple[str, ...]
    form: str
    defaults: tuple[str, ...]
    cutoff: str
    options: tuple[PageOption, ...]
    modifiers: tuple[str, ...]
    judgments: str
    graded: bool
    kind: str
    aggregate: str
    per_query: bool
    bounds: str
    ties: str
    also: tuple[Alias, ...]
    trec_eval: tuple[str, ...]
    elsewhere: tuple[str, ...]
    source: str
    example: str

    def record(self) -> dict[str, Any]:
        """The page as ``irev measures --json`` has it."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        record["options"] = [vars(choice) for choice in self.options]
        record["also"] = [vars(alias) | {"options": dict(alias.options)} for alias in self.also]
        return record

    @property
    def at_10(self) -> tuple[str, str]:
        """How it is written at cutoff 10, in both styles; what follows the dot alone is a parameter, if it has one."""
        return f"{self.name}.{'k=' if self.form else ''}10", f"{self.standard}@10"


@dataclass(frozen=True)
class FamilyPage:
    """Measures that one module defines.

    Attributes
    ----------
    title : str
    opening : str
        What the measures of the family have in common; may be nothing.
    measures : tuple of Measure
    """

    title: str
    opening: str
    measures: tuple[Measure, ...]


def families(measures: Iterable[Measure] | None = None) -> list[FamilyPage]:
    """The given measures, or all, by family, in trec_eval's order and then in that of their definition.

    Families that are imported when asked for stand last, by the last words of their modules, whoever has them: which is
    imported first depends on what was asked before.
    """
    wanted = set(MEASURES.values() if measures is None else measures)
    grouped: dict[str, list[Measure]] = {}
    for name in dict.fromkeys((*TREC_ORDER, *MEASURES)):
        if (measure := MEASURES.get(name)) in wanted:
            grouped.setdefault(measure.function.__module__, []).append(measure)

    def place(module: str) -> str:
        is_first = module.startswith(core_families.__name__) and grouped[module][0].of == GRADES
        return "" if is_first else module.rpartition(".")[2]

    order = sorted(grouped, key=place)
    return [FamilyPage(*_title(module), tuple(grouped[module])) for module in order]


def _title(module: str) -> tuple[str, str]:
    """The title of a family, and what follows it in the first paragraph of the module."""
    opening = _line((inspect.cleandoc(docstring(sys.modules[module])) or module).split("\n\n")[0])
    title, _, rest = opening.partition(": ")
    return title.rstrip("."), rest[:1].upper() + rest[1:]


def page(measure: Measure) -> Page:
    """The page of a measure."""
    summary, *paragraphs = map(_line, inspect.cleandoc(measure.documentation).split("\n\n"))
    parts: dict[str, list[str]] = {}
    for paragraph in paragraphs:
        begins = _PART.match(paragraph)
        text = paragraph if begins is None else paragraph[begins.end() :]
        parts.setdefault("definition" if begins is None else PARTS[begins[1]], []).append(text)
    return Page(
        name=measure.name,
        standard=measure.standard,
        written=written(measure),
        family=_title(measure.function.__module__)[0],
        summary=summary,
        definition=tuple(parts.get("definition", ())),
        parameters=tuple(parts.get("parameters", ())),
        form="" if measure.parameter is NONE else measure.parameter.form,
        defaults=tuple(filter(None, map(_typed, measure.parameter.defaults))),
        cutoff=_at_a_cutoff(measure),
        options=tuple(PageOption(key, o.write(o.default), o.form) for key, o in measure.options.items()),
        modifiers=modifiers(measure),
        judgments=measure.of,
        graded=measure.graded,
        kind=measure.kind,
        aggregate=SUMMARIES[measure.summary],
        per_query=measure.per_query,
        bounds=_bounds(measure),
        ties=_ties(measure),
        also=tuple(Alias(*alias) for alias in calls.also(measure)),
        trec_eval=_versions(measure),
        elsewhere=tuple(parts.get("elsewhere", ())),
        source=" ".join(parts.get("source", ())),
        example=" ".join(parts.get("example", ())),
    )


def summary(measure: Measure) -> str:
    """What a measure is, in a sentence."""
    return _line(inspect.cleandoc(measure.documentation).split("\n\n")[0])


def written(measure: Measure) -> tuple[str, str]:
    """Its name in trec_eval's style and in that of papers, with a letter for what follows it where something must."""
    follows = {Cutoffs: "k", Levels: "x"}.get(type(measure.parameter))
    return (
        (f"{measure.name}.{follows}", f"{measure.standard}@{follows}") if follows else (measure.name, measure.standard)
    )


def widths(families: Iterable[FamilyPage]) -> tuple[int, int]:
    """The columns that the two names of a measure take in a list."""
    listed = [written(measure) for family in families for measure in family.measures]
    return max(len(trec) for trec, _ in listed), max(len(standard) for _, standard in listed)


def modifiers(measure: Measure) -> tuple[str, ...]:
    """Those of `MODIFIERS` that make sense for a measure."""
    takes = {
        "k": bool(_at_a_cutoff(measure)),
        "rel": True,
        "judged_only": True,
        "agg": measure.numeric,
        "bound": measure.bounds != "none" and measure.kind != "text",
        "unjudged": bool(_at_a_cutoff(measure)) and measure.bounds != "fixed" and measure.kind != "text",
    }
    return tuple(name for name in MODIFIERS if takes[name])


def described(texts: Iterable[str]) -> list[Measure]:
    """The measures that texts such as ``ndcg_cut.10``, ``nDCG``, ``P@k`` or ``official`` name, in the order given.

    Raises `UsageError` for a text that ``-m`` would refuse.
    """
    found: dict[str, Measure] = {}
    for text in texts:
        if text in SETS:
            found |= {name: MEASURES.find(name) for name in SETS[text]}
            continue
        # The letter in P@k, as names are listed, stands for any cutoff.
        for request in read(_ANY_CUTOFF.sub("1", text)):
            found.setdefault(request.measure.name, request.measure)
    return list(found.values())


def record(measures: Iterable[Measure] | None = None) -> dict[str, Any]:
    """What ``irev measures --json`` prints: the pages, and the other words of the language of measures."""
    return {
        "measures": [page(measure).record() for family in families(measures) for measure in family.measures],
        "sets": SETS,
        "modifiers": MODIFIERS,
        "aggregates": {name: meaning for name, (meaning, _) in segments.AGGREGATES.items()},
        "absent": calls.ABSENT,
    }


def absent() -> list[str]:
    """A line for each family of measures that is not there yet."""
    return [f"{family}: {', '.join(names)}" for family, names in calls.ABSENT.items()]


def _line(paragraph: str) -> str:
    return " ".join(paragraph.split())


def _typed(value: Value) -> str:
    """A value of a parameter as one would type it; nothing where there is none."""
    numbers = value.value if isinstance(value.value, tuple) else (value.value,)
    return ",".join(f"{number:g}" for number in numbers if isinstance(number, int | float))


def _at_a_cutoff(measure: Measure) -> str:
    if isinstance(measure.parameter, Cutoffs) or measure.cut == "depth":
        return measure.name
    return measure.cut


def _bounds(measure: Measure) -> str:
    if measure.kind == "text":
        return "none: it is not a number"
    if measure.bounds == "none":
        return "none: no exact method is known"
    if measure.bounds == "fixed":
        return "unjudged results do not change it"
    narrow = measure.bounds == "search" and measure.graded
    option, without = measure.unbounded
    but = f"exact, but there are none with {option}={', '.join(without)}" if without else "exact"
    return "exact, where the judgments have no other grades than 0 and 1" if narrow else but


def _ties(measure: Measure) -> str:
    if measure.expected is None:
        return "no expected value: no closed form is offered"
    if measure.expected == ORDER_FREE:
        at_a_cutoff = "; at a cutoff there is no expected value" if measure.cut == "depth" else ""
        return "their order does not matter" + at_a_cutoff
    return "exact expected value over all orders"


def _versions(measure: Measure) -> tuple[str, ...]:
    if measure.name not in TREC_ORDER:
        return ()
    return (CURRENT,) if measure.new_in_10 else (SINGLE_PRECISION, CURRENT)


_CHANGED: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("discount", "jarvelin2002"): tuple((f"log2({i} + 1)", f"max(1, log_base({i}))") for i in "ij"),
    ("discount", "zipf"): tuple((f"log2({i} + 1)", i) for i in "ij"),
    ("gain", "exp"): (("gain_i", "(2^g_i - 1)"), ("of g_i / ", "of (2^g_i - 1) / ")),
}
"""By an option and what it is: words of formulas, and what they are then."""


def formula(request: Request) -> str:
    """What a request is, in a sentence or two. Numbers that the formula names are in the name of the measure."""
    text = meaning(request.measure)
    beside = []
    for key, value in request.options:
        written, before = request.measure.options[key].write(value), text
        for old, new in _CHANGED.get((key, written), ()):
            text = text.replace(old, new)
        if key == "base":
            text = text.replace("log_base(", f"log_{written}(")
        is_named = re.search(rf"(?<![A-Za-z]){re.escape(key)}(?![A-Za-z])", text) is not None
        if text == before and not (is_named and isinstance(value, int | float)):
            beside.append(f"{key}={written}")
    text = text.replace("log_base(", "log2(")
    if beside:
        text += f" Here with {', '.join(beside)}: {' '.join(page(request.measure).parameters)}"
    return text
