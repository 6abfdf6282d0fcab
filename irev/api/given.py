"""Make the choices and the `Inputs` of a command from the arguments of its Python function."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from irev.api.options import named_otherwise, names_of_measures, no_value, path_in_list, warned
from irev.base.choice import File, NamedFile, SeveralMeasures, choices_of, idle
from irev.base.errors import UsageError, spoken
from irev.base.registry import did_you_mean
from irev.base.settings import Settings
from irev.commands.question import question_of
from irev.evaluation.inputs import Inputs
from irev.evaluation.objects import Judged, Path, Retrieved


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
