"""What a question is: the record that its command, its Python function and its pages are made from."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base import registry
from irev.base.choice import choices_of
from irev.base.errors import UsageError

if TYPE_CHECKING:
    from irev.evaluation.inputs import Inputs

REPORTING, MEASURING, READING = "reporting", "measuring", "reading"
TEXTS = "texts"
EVERY_QUERY, COMPARING, ELSEWHERE = "every query", "comparing", "elsewhere"
"""Groups of choices that questions share: how runs are evaluated, how findings look, what measures see, how files are
read; the texts that are shown beside ids; which queries count where runs are compared,
what is evaluated of these, and on what machines."""


def takes_several(files: str) -> bool:
    """Whether there may be several of what help writes so."""
    return "…" in files or "..." in files


PAGES = "pages"
"""How pages about runs look, and what measures see there."""

FORMATS, RUN_FORMATS, ORDERING = "formats", "run formats", "ordering"
"""What files are, what runs are, and how a run is ordered."""

LISTS, JOBS, DIGITS, SKIPPING = "lists", "jobs", "digits", "skipping"
SHOWING, WHICH_QUERIES, EVALUATING = "showing", "which queries", "evaluating"
"""How lists and logs that are made look; how many
processes evaluate; how many digits numbers have; whether
runs that cannot be read are left out; how values of measures are shown, of which queries, and of what."""


class Question(NamedTuple):
    """A question that a command and a Python function of the same name answer.

    Attributes
    ----------
    name : str
    about : str
        What it answers, as the help of the command has it.
    example : str
        A command line that works in `sample_data`.
    files : str
        How help writes the files that it takes: ``QRELS RUN…``, as many as there are; ``QRELS RUN``, one
        of each; or ``IN… OUT``.
    choices : type
        The record of its own choices, the first of which are its files: one choice for as many as there are, or else
        one for each.
    shared : tuple of str
        Groups of choices that it shares with other questions, and settings.
    says : str
        The same in a line, as lists of commands have it; of a command of the core it is in `irev.cli`.
    kind : str
        The kind of its finding, where that has styles of its own, as `irev.output.styles.styles` has it.
    group : str
        The group of questions that it is one of, if any: ``online`` of ``irev online ab``.
    style : str
        The output format unless another is asked for; by default the first of its kind.
    around : str
        The module of `irev.cli` with what only the command line does around what is shown, if there is one:
        ``files()``, which it writes, and ``around(choices, report)``.
    """

    name: str
    about: str
    example: str
    files: str
    choices: type[Any]
    shared: Sequence[str]
    says: str = ""
    kind: str = ""
    group: str = ""
    style: str = ""
    around: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """How help writes each of the choices that are files; the first that may be several takes all words left."""
        words = self.files.split()
        if not takes_several(words[-1]):
            return tuple(words)
        alone = next(place for place, (_, _, default) in enumerate(choices_of(self.choices)) if default is not None)
        return (*words[:alone], " ".join(words[alone:]))

    def answer(self, inputs: Inputs, choices: Any) -> Any:
        """Return the finding: ``answer(inputs, choices)`` of the module ``answer`` in the folder of the question, or of
        the module that a group has for it."""
        module = self.name.replace("-", "_") if self.group else "answer"
        return import_module(f"{self.choices.__module__}.{module}").answer(inputs, choices)


def folder_of(command: str) -> ModuleType:
    """The package of a command: in `irev.commands`, or in an extension. Raises `UsageError` where that is absent."""
    folder = command.replace("-", "_")
    found = find_spec(f"irev.commands.{folder}")
    if found is not None and found.origin is not None:  # no folder of leftovers
        return import_module(found.name)
    if extension := registry.with_command(command):
        return import_module(f"{extension.package}.{folder}")
    raise UsageError(f"irev {command} is {registry.absent('commands', command)}")


def question_of(name: str, *one: str) -> Question:
    """A question by the words of its command: of its own folder, or ``online``, ``off-policy`` as one of a group."""
    declared = folder_of(name)
    found: Question = declared.QUESTIONS[one[0]] if one else declared.QUESTION
    return found
