"""What a question is: the record that its command, its Python function and its pages are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from irev.base import extensions
from irev.base.errors import UsageError
from irev.base.settings import Settings

if TYPE_CHECKING:
    from irev.evaluation.batch import Work
    from irev.evaluation.comparison.systems import Gathered
    from irev.evaluation.files import FirstDocuments, Runs
    from irev.evaluation.notes import Note
    from irev.evaluation.result import Input, Outcome, Result
    from irev.evaluation.unjudged import CoveredRuns
    from irev.measures import Request
    from irev.questions.shared import Texts
    from irev.ranking.full import RankedRun
    from irev.ranking.fusion import FusionSpec
    from irev.ranking.fusion.inputs import InputRun, SharedQueries
    from irev.reading.judgments import Judgments

T = TypeVar("T")

RUNNING, REPORTING, MEASURING, READING = "running", "reporting", "measuring", "reading"
NAMING, TEXTS, WRITING = "naming", "texts", "writing"
EVERY_QUERY, COMPARING, ELSEWHERE = "every query", "comparing", "elsewhere"
"""Groups of choices that questions share: how runs are evaluated, how findings look, what measures see, how files are
read; how measures are called, the texts that are shown beside ids, and the file that is written where a question has
formats of its own; which queries count where runs are compared, what is evaluated of these, and on what machines."""


def takes_several(files: str) -> bool:
    """Whether there may be several of what help writes so."""
    return "…" in files or "..." in files


HUMAN, PREDICTED = "human", "predicted"
"""What two sets of judgments are called, of which one is predicted."""

PAGES = "pages"
"""How pages about runs look, and what measures see there."""

RUN_READING, LISTS, PROGRESS, SKIPPING = "run_reading", "lists", "progress", "skipping"
SHOWING, WHICH_QUERIES, EVALUATING, VERSION = "showing", "which queries", "evaluating", "version"
"""The same of runs without judgments; how lists and logs that are made look; whether progress is shown; whether
runs that cannot be read are left out; how values of measures are shown, of which queries, and of what; the version."""


class Question(NamedTuple):
    """A question that a command and a Python function of the same name answer.

    Attributes
    ----------
    name : str
    says : str
        What it answers, as lists of commands have it.
    about : str
        The same at length, as the help of the command has it.
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
    kind : str
        The kind of its finding, where that has styles of its own, as `irev.output.styles.styles` has it.
    group : str
        The group of questions that it is one of, if any: ``online`` of ``irev online ab``.
    """

    name: str
    says: str
    about: str
    example: str
    files: str
    choices: type[Any]
    shared: Sequence[str]
    kind: str = ""
    group: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """How help writes each of the choices that are files."""
        return (self.files,) if takes_several(self.files.split()[-1]) else tuple(self.files.split())

    def answer(self, given: Any, choices: Any) -> Any:
        """The finding: ``answer(given, choices)`` of the module ``answer`` in the folder of the question, or of the
        module that a group has for it.

        What is `given` is a `Given`, or what the group of the question has instead.
        """
        module = self.name.replace("-", "_") if self.group else "answer"
        return import_module(f"{self.choices.__module__}.{module}").answer(given, choices)


def folder_of(command: str) -> ModuleType:
    """The package of a command: in `irev.questions`, or in an extension. Raises `UsageError` where that is absent."""
    folder = command.replace("-", "_")
    found = find_spec(f"irev.questions.{folder}")
    if found is not None and found.origin is not None:  # no folder of leftovers
        return import_module(found.name)
    if extension := extensions.with_command(command):
        return import_module(f"{extension.package}.{folder}")
    raise UsageError(f"irev {command} is {extensions.absent('commands', command)}")


def question_of(name: str, *one: str) -> Question:
    """A question by the words of its command: of its own folder, or ``online``, ``off-policy`` as one of a group."""
    declared = folder_of(name)
    found: Question = declared.QUESTIONS[one[0]] if one else declared.QUESTION
    return found


class SingleQueries(NamedTuple):
    """Runs whose single queries are looked at.

    Attributes
    ----------
    judgments : Judgments
    requests : tuple of Request
        The measures that were asked for, or the usual one; all of them have a value for a single query.
    runs : tuple of RankedRun
        In the order in which they were given.
    """

    judgments: Judgments
    requests: tuple[Request, ...]
    runs: tuple[RankedRun, ...]


class Given(Protocol):
    """What a question is asked about, files or data in memory, as the doors have it."""

    settings: Settings

    @property
    def texts(self) -> Texts:
        """The files that have texts."""

    @property
    def judgments(self) -> Sequence[tuple[str, Judgments]]:
        """Every set of judgments, read, with its name."""

    @property
    def inputs(self) -> Sequence[Input]:
        """The files that were read so far."""

    @property
    def requests(self) -> Sequence[Request]:
        """The measures that were asked for, or the usual ones."""

    @property
    def of_each_query(self) -> tuple[Request, ...]:
        """The measures that were asked for, or the usual one, where each needs a value for a single query."""

    @property
    def has_runs(self) -> bool:
        """Whether there are runs."""

    @property
    def run_count(self) -> int:
        """How many runs there are."""

    def outcomes(self, settings: Settings, sampled: str = "") -> Sequence[Outcome]:
        """Every run under every set of judgments; that of the name `sampled`, if any, is of some of the queries, and
        nothing is said of the others."""

    def cover(self, most: int) -> CoveredRuns:
        """Every run with its first documents of each query, and what is not judged of them."""

    def single_queries(
        self, settings: Settings, asked: Sequence[bytes], alone: bool = False, requests: Sequence[Request] = ()
    ) -> AbstractContextManager[SingleQueries]:
        """Every run, of which chosen queries may be had whole within the block.

        Parameters
        ----------
        settings : Settings
        asked : sequence of bytes
            Queries that somebody named, which have to be judged.
        alone : bool
            Whether no other queries are looked at, so that nothing is said of others.
        requests : sequence of Request
            What is measured, where nobody can ask for measures.
        """

    def names(self, tags: Sequence[bytes]) -> Sequence[str]:
        """What the runs are called, of which these are the run ids."""

    def first_documents(self, most: int | None) -> tuple[Sequence[str], Sequence[FirstDocuments]]:
        """What the runs are called, and their first documents of each query, or all; nothing is said of them yet."""

    def say(self, notes: Sequence[Note], runs: int = 1) -> None:
        """Warn of something, that was noted of so many runs."""


class GivenBeside(Given, Protocol):
    """The same where a model may have judged beside a human."""

    @property
    def has_judgments(self) -> bool:
        """Whether runs are evaluated; otherwise there are results that were saved."""

    def beside(self, predicted: str) -> Given:
        """The same with two sets of judgments, `HUMAN` and `PREDICTED`, of which the second is this file."""


class GivenSystems(GivenBeside, Protocol):
    """The same of a question that compares runs query by query, which may have been evaluated before."""

    def systems(self, unjudged: str | None = None) -> Gathered:
        """Every run, with its values of the same queries, expected ones where grades of `unjudged` are drawn."""

    def collections(self, path: str) -> Iterable[tuple[str, str, Gathered]]:
        """The name, the group and the runs of each collection in a file."""

    def working(self, on: str) -> AbstractContextManager[None]:
        """Shows, as long as the block takes, what is worked on."""

    def on_same_queries(
        self, requests: Sequence[Request] = (), each_query: bool = False
    ) -> tuple[Sequence[Outcome], bool]:
        """Every run under every set of judgments, on the queries that all runs have there; and whether some have
        others, which are left out.

        Measured is what was asked for, or `requests`; with `each_query` every query that counts has a value."""


class GivenRuns(Protocol):
    """Runs without judgments, which are read side by side, query by query."""

    settings: Settings

    @property
    def inputs(self) -> Sequence[Input]:
        """The files that were read so far."""

    @property
    def run_count(self) -> int:
        """How many runs there are."""

    @property
    def width(self) -> int | None:
        """The columns of the terminal that is written to, if it is one."""

    def side_by_side(
        self, spec: FusionSpec, work: Callable[[Sequence[InputRun], SharedQueries, bool], T], fusing: bool = False
    ) -> tuple[Sequence[str], T]:
        """The names of the runs, and what ``work(runs, shared, whole)`` makes of them; whether that is fusing them."""


class GivenFiles(GivenBeside, Protocol):
    """Judgments and runs in files that are evaluated, and how their values are shown.

    Attributes
    ----------
    styles : sequence of str
        In which styles: that of the report, and those of files that are written beside it.
    sort : str or None
        What tables are to be sorted by, as somebody has typed it.
    """

    styles: Sequence[str]
    sort: str | None

    def of_collection(self, name: str, qrels: str, runs: Sequence[str], called: Sequence[str]) -> GivenFiles:
        """The same with other files: one set of judgments and its runs, which are called so, or by their run ids."""

    def measured(self, aggregates: Sequence[str], bounds: bool, unjudged: str | None) -> tuple[Request, ...]:
        """The measures that were asked for, or trec_eval's, with other aggregates, bounds, and expected values."""

    def evaluated(self, requests: Sequence[Request], **how: Any) -> Runs:
        """Every run under every set of judgments, as `irev.evaluation.files.evaluate_files` has it."""

    def note(self, found: Runs, ties: bool) -> None:
        """Warn of what the numbers do not show, and of ties, if that is wanted."""

    def working(self, on: str) -> AbstractContextManager[None]:
        """Shows, as long as the block takes, what is worked on."""


class GivenPages(GivenFiles, Protocol):
    """The same of what pages are written about.

    Attributes
    ----------
    warnings : sequence of str
        What has been said so far.
    """

    warnings: Sequence[str]

    @property
    def digits(self) -> int:
        """How many follow the point."""

    @property
    def typed(self) -> str:
        """The command line."""

    def warn(self, message: str) -> None:
        """Tell of what is doubtful."""

    def of_single_queries(self, measures: Sequence[str]) -> tuple[Request, ...]:
        """Some measures, or the usual one, where each needs a value for a single query."""

    def of_each_run(self, task: Work[T], paths: Sequence[str]) -> list[T]:
        """What a task makes of each of some runs."""

    def saved(self, path: str) -> tuple[Result, str]:
        """A saved result with the values of single queries, and what messages call it."""

    def again(
        self, sets: Sequence[tuple[str, str]], runs: Sequence[str] = (), requests: Sequence[Request] = ()
    ) -> GivenPages:
        """Sets of judgments alone, or with runs that were evaluated by these measures, of which all has been said."""
