"""Arguments of Python functions to the settings of an evaluation, and to the choices and `Inputs` of a command.

Beside that, the checks of all other values that callers hand in, which are refused by the name of their option; the
measures that are asked for; and `warned`, which makes what the command says in lines ``irev: warning:`` a warning of
Python at the line that called irev.
"""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, Literal, TypedDict

import numpy as np

from irev.base.choice import (
    MOST,
    File,
    Flag,
    Kind,
    NamedFile,
    NamedNumbers,
    Queries,
    SeveralMeasures,
    Whole,
    choices_of,
    idle,
)
from irev.base.errors import IrevWarning, JudgmentsWarning, MeasureWarning, UsageError, brief, in_python, spoken
from irev.base.registry import did_you_mean, with_function
from irev.base.settings import ABOUT, QUERIES, RELEVANT, Settings
from irev.base.text import decoded, encoded
from irev.commands.question import question_of
from irev.evaluation.inputs import Inputs
from irev.evaluation.objects import Judged, Path, Retrieved, require_no_paths
from irev.measures import Request, parse
from irev.reading import in_memory
from irev.reading.formats import settled
from irev.reading.in_memory.frame_columns import is_frame
from irev.reading.small_files import NAMED_NUMBERS
from irev.reading.sources import Source


class RunOptions(TypedDict, total=False):
    """Those of `Options` that say how runs are read, and what orders their documents."""

    ties: Literal["docid-desc", "docid-asc", "file", "average"]
    order: Literal["score", "rank", "file"]
    duplicates: Literal["error", "first", "best", "same", "max"]
    drop_self: bool
    document_of: str | None
    compat: Literal["10.0", "9.0.8"]
    columns: Mapping[str, str]
    run_format: str | None


class ReadingOptions(RunOptions, total=False):
    """Those of `Options` that say how judgments and runs are read, what orders documents, and what is relevant."""

    level: float
    negative: Literal["unjudged", "nonrelevant", "error"]
    grade_words: str | os.PathLike[str] | Mapping[str, float] | None
    qrels_format: str | None


class Options(ReadingOptions, total=False):
    """How to evaluate: what the options of ``irev eval`` say, under the same names.

    Attributes
    ----------
    level : float
        Lowest grade that counts as relevant, 1 unless given.
    depth : int or None
        Keep the first `depth` documents of each ranking.
    judged_only : bool
        After the depth cut, remove documents without a grade of 0 or more, and renumber the ranks.
    complete : bool
        Average over all judged queries; one that the run lacks has found nothing.
    queries : str, or iterable of str
        Which queries count: those in ``both`` (the default), all of the ``qrels`` (as `complete`), those of them that
        have a ``relevant`` document, all of the ``run``, or those listed.
    strict : bool
        Fail if a query would be left out, or if the numbers are probably not what was meant.
    gains : mapping of float to float
        What each grade is worth to gain measures.
    costs : path, or mapping of str to float
        What results cost by their type, the second column of a run in TREC's format, for user models.
    collection_size : int
        Documents in the collection, for measures that need it.
    ties : str
        How documents of equal score are ordered: ``docid-desc`` (the default), ``docid-asc``, ``file`` (the order of
        rows), or ``average`` for expected values over all orders.
    order : str
        What orders a run: its ``score``, its ``rank`` column, or the order of its rows, ``file``.
    duplicates : str
        What to do with a document that a query retrieves twice, ``first`` or ``best``, or that is judged twice,
        ``same`` (equal grades count once) or ``max``; both are an ``error`` otherwise.
    negative : str
        What a negative grade means: ``unjudged``, ``nonrelevant`` or ``error``.
    grade_words : path, or mapping of str to float
        The grade of each word that stands where a grade belongs: ``{"highly relevant": 2}``. ``relevant``, ``not
        relevant``, yes and no are known.
    drop_self : bool
        Ignore results whose document id is the query id.
    document_of : str
        A regular expression: what it finds in the id of a result, or its first group, is the id of the document that it
        is a chunk of, and its best chunk counts.
    compat : str
        Version of trec_eval whose numbers to compute, ``10.0`` or ``9.0.8``.
    columns : mapping of str to str
        Names of the columns ``query``, ``document``, ``grade``, ``score`` and ``rank``, in frames and in files with a
        header, and of lists of documents, ``results`` in runs and ``relevant`` in judgments. ``qrels:document`` names
        one of the judgments alone, ``run:document`` of the runs.
    qrels_format, run_format : str
        Formats of files, if they cannot be recognised.
    """

    depth: int | None
    judged_only: bool
    complete: bool
    queries: str | Iterable[str]
    strict: bool
    gains: Mapping[float, float] | None
    costs: str | os.PathLike[str] | Mapping[str, float] | None
    collection_size: int


class EvaluationOptions(Options, total=False):
    """The same where runs are evaluated and not compared.

    Attributes
    ----------
    query_weights : path, or mapping of str to float
        The weight of each query, for measures that ask for it, ``AP(agg=weighted)``.
    """

    query_weights: str | os.PathLike[str] | Mapping[str, float] | None


def settings_of(options: EvaluationOptions | ReadingOptions | RunOptions, known: type = Options) -> Settings:
    """Options, checked, as settings; `known` has those that there are."""
    if not options:
        return _USUAL
    given: dict[str, Any] = dict(options)
    require_known(given, known)
    read = {name: _option(name, value) for name, value in given.items()}
    settings = Settings(**{field.name: read[field.name] for field in fields(Settings) if field.name in read})
    if settings.qrels_format is not None:
        settings = settled(settings)
    if settings.queries == "qrels":
        settings = replace(settings, queries="both", complete=True)
    if settings.queries == RELEVANT:
        settings = replace(settings, complete=True)
    elif settings.complete and settings.queries != "both":
        raise UsageError("complete=True means queries='qrels', but queries has another value")
    if settings.ties == "average" and settings.judged_only and settings.depth is not None:
        raise UsageError("depth with judged_only has no expected value over ties", remedy="choose another ties=")
    return settings


_USUAL = Settings()


def every_query(options: Options) -> Options:
    """Options by which every judged query counts, unless they say which do."""
    return options if {"complete", "queries"} & {*options} else {**options, "complete": True}


def _option(name: str, value: Any) -> Any:
    """The value of one option as `Settings` has it."""
    kind = ABOUT[name].kind
    if isinstance(kind, Queries):
        return _queries(value)
    if value is None and getattr(Settings(), name) is None:
        return None
    if isinstance(kind, NamedNumbers):
        return named_numbers(name, value)
    return _checked(kind, name, value)


def _queries(value: Any) -> str | tuple[bytes, ...]:
    if isinstance(value, str):
        if value not in QUERIES:
            raise no_value("queries", value, f"one of {', '.join(map(repr, QUERIES))}, or a list of queries")
        return value
    queries = listed("queries", value)
    if not queries:
        raise no_value("queries", value, "one query or more")
    return queries


def named_numbers(name: str, value: Any) -> Any:
    """What a file or a dictionary has for each name."""
    read, check = NAMED_NUMBERS[name]
    if isinstance(value, str | os.PathLike):
        with Source(os.fsdecode(value)) as source:
            return read(source)
    try:
        return check(value if isinstance(value, Mapping) and value else {"": None})
    except ValueError as error:
        raise no_value(name, value, f"a path, or {error}") from None


_OURS = ("irev", "contextlib")
"""Whose frames stand between a warning and the line that called irev."""


def warned(message: str, category: type[IrevWarning] = JudgmentsWarning) -> None:
    """Warn whoever called irev, with parameters in place of options."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(in_python(message), category, level)


def require_known(given: Mapping[str, object], options: type) -> None:
    """Raise `TypeError` for a keyword that no option of these has for a name, `UsageError` for an option of the command
    that Python writes in the name of a measure."""
    for name in given:
        if name not in options.__annotations__:
            if name in _IN_NAMES:
                fact = f"{name} is part of the name of a measure in Python"
                raise UsageError(fact, remedy=f"write {_IN_NAMES[name]}")
            near = did_you_mean("measures" if name == "metrics" else name, ["measures", *options.__annotations__])
            if with_function(name) is not None:
                near = f"irev.{name} is a function"
            raise TypeError(f"there is no option {name!r}{'; ' + near if near else ''}")


_IN_NAMES = {
    "aggregate": "'AP(agg=median)'",
    "bounds": "'P(bound=low)@10' and 'P(bound=high)@10'",
    "unjudged": "'nDCG(unjudged=bootstrap)@10'",
}


def no_value(name: str, value: object, expected: str) -> UsageError:
    """The error of a value that the option cannot have."""
    return UsageError(f"{value!r} is no value of {name}", remedy=f"expected {expected}")


def flag(name: str, value: Any) -> bool:
    """Raise `UsageError` for what is neither True nor False."""
    found: bool = _checked(Flag(), name, value)
    return found


def _checked(kind: Kind, name: str, value: Any) -> Any:
    try:
        return kind.check(value)
    except ValueError as error:
        raise no_value(name, value, str(error)) from None


def whole_number(name: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """Raise `UsageError` for what is not a whole number, or one that is too small or too large."""
    found: int = _checked(Whole(least, most), name, value)
    return found


def require_several(what: str, given: object) -> None:
    """Raise `TypeError` for what is neither a list nor a dictionary, `UsageError` for a dictionary of which a value has
    no queries: it is probably the dictionary of the queries of one run, which would be taken for as many runs."""
    if isinstance(given, str | bytes | os.PathLike) or not isinstance(given, Iterable) or is_frame(given):
        raise TypeError(f"expected several {what}: a list, or a dictionary of {what} by their names")
    if isinstance(given, Mapping):
        for name, each in given.items():
            require_no_paths(each, f"{what}: {brief(str(name))!r}", what)
            if in_memory.names_no_query(each, "grade" if what == "judgments" else "score"):
                fact = f"{what}: {brief(str(name))!r} has documents, but no queries"
                raise UsageError(fact, remedy=f"write names, queries and documents: {_NESTED[what]}")


def groups_of(given: Mapping[str, str] | None, of: str = "queries", example: str = "'q1': 'hard'") -> dict[str, str]:
    """The group of each query, or run. Raises `UsageError` for what is no dictionary of texts."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(each, str) for pair in given.items() for each in pair):
        raise no_value("groups", given, f"a dictionary of {of} and their groups, such as {{{example}}}")
    return dict(given)


def path_of(name: str, value: object) -> str:
    """The path of what is read as a file. Raises `UsageError` for data in memory."""
    if not isinstance(value, str | os.PathLike):
        fact = f"{name} is of type {type(value).__name__}, and only files are read here"
        raise UsageError(fact, remedy="write it to a file and give its path")
    if not os.fspath(value):
        raise no_value(name, value, "a path")
    return os.fsdecode(value)


def paths_of(name: str, given: str | os.PathLike[str] | Iterable[Any]) -> tuple[str, ...]:
    """The paths of what is read as files, one or several. Raises `UsageError` for data in memory."""
    one = isinstance(given, str | os.PathLike | Mapping) or not isinstance(given, Iterable) or is_frame(given)
    paths: Iterable[object] = [given] if one else given  # type: ignore[assignment]
    return tuple(path_of(name, path) for path in paths)


def path_in_list(what: str, value: object) -> str:
    """The path of one of several. Raises `UsageError` for data in memory, which a list gives no names."""
    if not isinstance(value, str | bytes | os.PathLike):
        fact = f"a list of {what} must have paths, but one item is of type {type(value).__name__}"
        raise UsageError(fact, remedy=named_otherwise(what))
    return os.fsdecode(value)


def named_otherwise(what: str) -> str:
    """The remedy where names of files do not do."""
    return f"use a dictionary with names: {{{_NAMED[what]}, …}}"


_NAMED = {"runs": "'bm25': run", "judgments": "'anna': judgments"}
_NESTED = {"runs": "{'bm25': {'q1': {'d1': 0.9}}}", "judgments": "{'anna': {'q1': {'d1': 1}}}"}


def number(name: str, value: Any) -> float:
    """Raise `UsageError` for what is not a finite number."""
    if isinstance(value, str | bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise no_value(name, value, "a number")
    return float(value)


def listed(name: str, value: Iterable[Any]) -> tuple[bytes, ...]:
    """Queries that an option lists. Raises `UsageError` for what is no id, and for one that comes twice."""
    if not isinstance(value, Iterable):
        raise no_value(name, value, "strings, the ids of queries")
    if is_frame(value):
        raise UsageError(f"{name} is a data frame", remedy="give its column of ids, such as frame['qid']")
    queries = tuple(encoded(query) if isinstance(query, str) else query for query in value)
    for place, query in enumerate(queries):
        if not isinstance(query, bytes):
            raise no_value(name, query, "strings")
        if query in queries[:place]:
            raise UsageError(f"query {decoded(query)!r} is listed twice in {name}")
    return queries


def requests_by_name(measures: str | Iterable[str], compat: str) -> dict[str, Request]:
    """What is asked for by name."""
    unusual: list[str] = []
    named: dict[str, Request] = {}
    for text in names_of_measures(measures) or ["official"]:
        found, said = _parsed(text, compat)
        unusual += said
        if len(found) == 1:
            named[text] = found[0]
        else:
            named |= {request.standard: request for request in found}
    for message in unusual:
        warned(message, MeasureWarning)
    return named


def names_of_measures(measures: str | Iterable[str]) -> list[str]:
    """The texts that ask for measures. Raises `TypeError` for what is no text."""
    texts: list[Any] = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else list(measures)
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            if not _is_of_ir_measures(text):
                fact = f"a measure is a string such as 'nDCG@10', not {text!r} of type {type(text).__name__}"
                raise TypeError(fact)
            texts[place] = str(text)
    return texts


def _is_of_ir_measures(measure: object) -> bool:
    """Return True for a measure object of ir_measures, whose text irev reads. ir_measures may not be installed."""
    names = (f"{each.__module__}.{each.__name__}" for each in type(measure).__mro__)
    return "ir_measures.measures.base.Measure" in names


@lru_cache(512)
def _parsed(text: str, compat: str) -> tuple[tuple[Request, ...], tuple[str, ...]]:
    """What a text asks for, and what is to be said of it; kept, since programs ask for the same again and again."""
    said: list[str] = []
    return tuple(parse([text], compat, said.append)), tuple(said)


def ask(command: str, about: Inputs, arguments: Mapping[str, Any], **made: Any) -> Any:
    """Return the finding of a command about these inputs, with its choices from arguments of its function and from what
    was `made` of others; see `checked_record`."""
    asked = question_of(*command.split())
    return asked.answer(about, checked_record(asked.choices, arguments, arguments, **made))


def checked_record(record: type, given: Mapping[str, Any], offered: Container[str], **made: Any) -> Any:
    """A record of choices, from arguments of a function, which has those `offered`, and what was made of others.

    A parameter is called like the choice, or like its option.

    Raises
    ------
    UsageError
        For a value that a choice cannot have, and a choice that has no effect without another one.
    """
    found = dict(made)
    called, defaults = {}, {}
    for name, about, defaults[name] in choices_of(record):
        called[name] = next((each for each in (name, about.parameter) if each in given), name)
        data = isinstance(about.kind, File | NamedFile | SeveralMeasures)
        if name in made or called[name] not in given or data:
            continue
        value = given[called[name]]
        if value is None and defaults[name] in (None, ()):
            continue
        try:
            found[name] = about.kind.check(value)
        except ValueError as error:
            wrong, words = no_value(called[name], value, str(error)), getattr(about.kind, "words", ())
            raise UsageError(wrong.fact, remedy=did_you_mean(str(value), words, wrong.remedy)) from None
    usual = {name: (None, (), "", default) for name, default in defaults.items()}

    def present(value: Any, known: Sequence[Any]) -> bool:
        """Return True for a value that was given; it may be a data frame, which is equal to nothing."""
        return not any(type(value) is type(each) and value == each for each in known)

    settings = {name: (value, (None,)) for name, value in given.items() if name not in called.values()}
    choices = {name: (given.get(called[name]), usual[name]) for name in called}
    there = {name for name, each in (settings | choices).items() if present(*each)}
    values = {name: found.get(name, given.get(called[name])) for name in called}
    for fact in idle(record, there, values, {name for name in called if called[name] in offered}):
        raise UsageError(spoken(fact, lambda name: called.get(name, name)))
    return record(**found)


def inputs_of(
    judgments: Mapping[str, Judged] | Iterable[Path],
    runs: Mapping[str, Retrieved] | Iterable[Path] | None,
    measures: str | Iterable[str] = (),
    settings: Settings | None = None,
) -> Inputs:
    """Judgments and runs by their names, in memory or as paths, as questions are asked about them. Raises `UsageError`
    where there are to be runs, and are none."""
    sets, given = _named("judgments", judgments), _named("runs", () if runs is None else runs)
    if runs is not None and not given:
        raise UsageError("there are no runs", remedy="give at least one run")
    return Inputs(
        sets,
        [run for _, run in given],
        settings or Settings(),
        [each for each in names_of_measures(measures) if each],
        [name for name, _ in given] if isinstance(runs, Mapping) else (),
        warn=warned,
    )


def _named(what: str, given: Mapping[str, Any] | Iterable[Path]) -> list[tuple[str, Any]]:
    """Return what was given by names; paths get the names of their files."""
    if isinstance(given, Mapping):
        return [*given.items()]
    paths = [path_in_list(what, path) for path in given]
    names = [os.path.basename(path) for path in paths]
    if what == "judgments" and len({*names}) < len(names):  # runs have run ids
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise UsageError(f"two judges are called {again!r}", remedy=named_otherwise(what))
    return [*zip(names, paths, strict=True)]
