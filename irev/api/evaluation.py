"""`evaluate` and `Evaluator` for one run, `evaluate_runs` for many; and `Evaluation`, their result.

They use the same functions and records as ``irev eval``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from irev.api.options import (
    EvaluationOptions,
    path_in_list,
    requests_by_name,
    require_several,
    settings_of,
    warned,
)
from irev.base.errors import AboveMaximum, UsageError
from irev.base.records import cached_property, dataclass
from irev.base.segments import WEIGHTED
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.evaluation import dictionaries
from irev.evaluation.files import names_of
from irev.evaluation.inputs import Inputs, evaluate_files
from irev.evaluation.notes import judgments_notes, left_out_notes, reading_notes, relevance_notes, tie_notes, warn_of
from irev.evaluation.objects import Judged, Path, Qrels, Retrieved, Run, judgments_of, scored
from irev.evaluation.result import Facts, Input, Outcome, Result
from irev.evaluation.scores import NOTHING_BESIDE, Column, Scores, Summary, of_unjudged, suited
from irev.measures import Request
from irev.output.finding import Drawing, Shown, drawing_of_bars
from irev.output.report import Look
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import written
from irev.ranking.ranking import LeftOut
from irev.reading.qrels import refuse_above
from irev.reading.sources import FileRead, file_read

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas
    import polars


FEW = 30
"""Of so many queries each is shown; of more, the values for all."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Shown):
    """The scores of one run.

    Measures are called by the texts that asked for them. A text that stands for several lines, such as ``P.5,10`` or
    ``official``, has each under its standard name, ``P@5`` and ``P@10``.

    Attributes
    ----------
    measures : tuple of str
        What was evaluated, in the order asked for.
    scores : Scores
        The values, with a column for each of `measures`.
    summary : Summary
        The values for all queries.
    left_out : LeftOut
        Queries that are not in both judgments and run.
    facts : Facts
        What numbers do not show: how much is judged and tied.
    settings : Settings
        How it was evaluated.
    files : tuple of FileRead
        The files that were read.
    """

    measures: tuple[str, ...]
    scores: Scores
    summary: Summary
    left_out: LeftOut
    facts: Facts
    settings: Settings
    files: tuple[FileRead, ...] = ()

    def __getattr__(self, name: str) -> Any:
        """What a small evaluation has not made yet; anything else is missing."""
        few = vars(self).get("_few")
        if few is None or name not in ("scores", "summary", "left_out", "facts"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        made = vars(self)[name] = getattr(few, name)
        return made

    def __getstate__(self) -> dict[str, Any]:
        made = {name: getattr(self, name) for name in ("scores", "summary", "left_out", "facts")}
        return {name: value for name, value in vars(self).items() if name != "_few"} | made

    @property
    def _tied(self) -> bool:
        """Whether a query has a judged document in a tie."""
        few = self.__dict__.get("_few")
        return self.facts.tied > 0 if few is None else few.tied

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The evaluated queries, in the order of their bytes."""
        return tuple(decoded(query) for query in self.scores.queries)

    @property
    def missing(self) -> tuple[str, ...]:
        """Judged queries for which nothing was retrieved.

        Of these the run names those of `empty`, which count in means; the others count if `Options.complete` was asked
        for.
        """
        return tuple(map(decoded, self.left_out.missing))

    @property
    def empty(self) -> tuple[str, ...]:
        """Queries that count and of which the run has an empty list of results."""
        return tuple(map(decoded, self.left_out.empty))

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Queries of the run without judgments. Unless ``queries="run"`` was asked for, they are left out."""
        return tuple(decoded(query) for query in self.left_out.not_judged)

    def mean(self) -> dict[str, float]:
        """The value for all queries of each measure: its mean, or what else sums it up.

        Counts such as ``num_ret`` are added and whole numbers, ``gm_map`` is a geometric mean, and ``agg=median`` in
        the name of a measure asks for a median. Measures that are texts have no such value.
        """
        values = zip(self.measures, self.summary.values, strict=True)
        return {name: value for name, value in values if isinstance(value, int | float)}

    @cached_property
    def per_query(self) -> dict[str, dict[str, float]]:
        """The value of each query by measure, ``per_query["AP"]["301"]``, of measures that are numbers."""
        return {
            name: dict(zip(self.queries, column.values.tolist(), strict=True))
            for name, column in self._columns()
            if column.request.measure.kind != "text"
        }

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        """The same of measures that are texts, such as ``relstring``."""
        return {
            name: dict(zip(self.queries, map(decoded, column.values.tolist()), strict=True))
            for name, column in self._columns()
            if column.request.measure.kind == "text"
        }

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with a row for each query, which is its index, and a column for each measure."""
        import pandas

        return pandas.DataFrame(self._values(), index=pandas.Index(self.queries, name="query"))

    def to_polars(self) -> polars.DataFrame:
        """A data frame with a row for each query, named in the column ``query``, and a column for each measure."""
        import polars

        return polars.DataFrame({"query": list(self.queries), **self._values()})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, unrounded.

        Returns
        -------
        record : dict
            ``queries``, ``missing`` and ``unjudged`` are lists, ``summary`` has `mean`, ``per_query`` the values by
            measure and query, texts among them.
        """
        return {
            "queries": list(self.queries),
            "missing": list(self.missing),
            "unjudged": list(self.unjudged),
            "summary": self.mean(),
            "per_query": {
                name: (self.per_query if name in self.per_query else self.texts)[name] for name, _ in self._columns()
            },
        }

    def to_json(self) -> str:
        """The record that ``irev eval -q -f json`` writes (docs/result-record.md), which ``irev show`` renders and
        `irev.read_scores` reads from a file.

        With the hashes of the files, which are read again for that; data in memory have none.

        Raises
        ------
        InputError
            For a file that has changed since it was evaluated.
        """

        def content(file: FileRead) -> str:
            return (
                dictionaries.indexed(judgments_of(file.path, self.settings, warned)).content
                if file.role == "qrels"
                else ""
            )

        inputs = tuple(Input(file.role, file.path, *file.digest(), content(file)) for file in self.files)
        return written("json", self._reported(per_query=True, inputs=inputs), Look()).decode("ascii")

    def report(self) -> EvaluationReport:
        """The table that ``irev eval -f table`` shows; of few queries with the values of each."""
        return self._reported(per_query=len(self.scores.queries) <= FEW)

    def plot(self) -> Drawing:
        """The values of all queries, sorted, for each measure that is a number."""
        caption = f"{decoded(self.scores.tag)}. Queries: {self.settings.policy}."
        return drawing_of_bars(self.per_query.items(), f"{len(self.queries):,} queries", caption, order=True)

    def _reported(self, per_query: bool, inputs: tuple[Input, ...] = ()) -> EvaluationReport:
        outcome = Outcome(decoded(self.scores.tag), "", self.scores, self.summary, self.facts)
        result = Result((outcome,), self.settings, self.settings.policy, per_query=per_query, inputs=inputs)
        return EvaluationReport(result)

    def __repr__(self) -> str:
        first = list(self.mean().items())[:4]
        shown = ", ".join(f"{name} {value if isinstance(value, int) else f'{value:.4f}'}" for name, value in first)
        more = ", …" if len(self.mean()) > 4 else ""
        return f"<Evaluation of {len(self.queries)} queries: {shown}{more}>"

    def _columns(self) -> list[tuple[str, Column]]:
        """The columns with a value for each query."""
        named = zip(self.measures, self.scores.columns, strict=True)
        return [(name, column) for name, column in named if column.request.measure.per_query]

    def _values(self) -> dict[str, Any]:
        """A new array or list for each column."""
        return {
            name: list(self.texts[name].values()) if name in self.texts else np.array(column.values)
            for name, column in self._columns()
        }


def evaluation_of(outcome: Outcome, settings: Settings) -> Evaluation:
    facts, measures = outcome.facts, tuple(column.request.standard for column in outcome.scores.columns)
    left_out = LeftOut(facts.not_retrieved, facts.not_judged, settings.complete, False)
    return Evaluation(measures, outcome.scores, outcome.summary, left_out, facts, settings)


class Evaluator:
    """Evaluates runs against judgments that are read and indexed once.

    Of queries that a run or the judgments lack it does not warn, because it may be called for single queries;
    `evaluate` does. Of tied documents it warns once.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    measures : str or iterable of str
        As after ``-m``: ``nDCG@10``, ``AP(rel=2)``, ``map``, ``P.5,10``, ``official``. None at all means ``official``.
    **options
        See `Options`; and `query_weights`, a path or a dictionary of the weight of each query, for measures that ask
        for it, ``AP(agg=weighted)``.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist.
    InputError
        For judgments that cannot be read or understood.
    """

    __slots__ = ("_beside", "_files", "_judgments", "_named", "_nested", "_path", "_settings", "_told")

    def __init__(self, qrels: Judged, measures: str | Iterable[str] = (), **options: Unpack[EvaluationOptions]) -> None:
        settings = settings_of(options, EvaluationOptions)
        named = requests_by_name(measures, settings.compat)
        require_weighted(settings, named.values())
        if isinstance(qrels, str | os.PathLike):
            settings = suited(settings, tuple(named.values()), warned)
        self._named = named
        self._settings = settings
        self._path = os.fsdecode(qrels) if isinstance(qrels, str | os.PathLike) else None
        self._files = qrels.files if isinstance(qrels, Qrels) else file_read("qrels", qrels)
        self._judgments = judgments_of(qrels, self._settings, warned)
        warn_of(relevance_notes(self._judgments, settings, tuple(named.values())), warned, settings)
        self._told = False
        self._beside = NOTHING_BESIDE
        self._nested = dictionaries.compiled(self._judgments, settings, tuple(named.values()))

    @property
    def measures(self) -> tuple[str, ...]:
        """What is evaluated."""
        return tuple(self._named)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Those of `measures` that are numbers, and not texts."""
        return tuple(name for name, request in self._named.items() if request.measure.kind != "text")

    def evaluate(self, run: Retrieved) -> Evaluation:
        """Evaluate a run.

        Raises
        ------
        InputError
            For a run that cannot be read or understood, or shares no query with the judgments.
        """
        found = self._evaluated(run)
        if not self._told and found._tied:
            self._told = True
            self._tell(found)
        return found

    def _comparing(self) -> Evaluator:
        """Return this evaluation with the columns by which comparisons find unevenly judged runs."""
        judgments = dictionaries.indexed(self._judgments)
        self._beside = of_unjudged(self._named.values(), judgments, self._settings)
        return self

    def _tell(self, found: Evaluation, name: str = "", every: bool = True) -> None:
        """Warn of ties of a run."""
        outcome = Outcome(name, "", found.scores, found.summary, found.facts)
        warn_of(tie_notes([self._judgments], [outcome], self._settings, every, bool(name)), warned, self._settings)

    def _evaluated(self, run: Retrieved, name: str = "run", examples: bool = False) -> Evaluation:
        """Evaluate a run without a warning. Only with `examples` are ids that do not match looked for."""
        files = self._files + (run.files if isinstance(run, Run) else file_read("run", run))
        measures = tuple(self._named)
        try:
            found = None
            if self._nested is not None and isinstance(run, Mapping):
                found = self._nested.evaluate(run, examples, self._beside)
            if found is None:
                named = self._named.values()
                found = scored(self._judgments, run, named, self._settings, name, warned, self._beside)
        except AboveMaximum as error:
            if self._path is not None:
                refuse_above(self._path, self._settings, error)
            raise
        if not isinstance(found, dictionaries.FewValues):
            return Evaluation(measures, *found, self._settings, files)
        lazy = object.__new__(Evaluation)
        lazy.__dict__.update(measures=measures, settings=self._settings, files=files, _few=found)
        return lazy


def evaluate(
    qrels: Judged,
    run: Retrieved,
    measures: str | Iterable[str] = (),
    **options: Unpack[EvaluationOptions],
) -> Evaluation:
    """Evaluate a run against judgments.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    run : path, nested dictionary, data frame, arrays, or Run
    measures : str or iterable of str
        As after ``-m``; none at all means ``official``.
    **options
        See `Options`; and `query_weights`, a path or a dictionary of the weight of each query, for measures that ask
        for it, ``AP(agg=weighted)``.

    Returns
    -------
    Evaluation

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist.
    InputError
        For judgments or a run that cannot be read, or that have no query in common.
    """
    return evaluate_named(Evaluator(qrels, measures, **options), run)


def require_weighted(settings: Settings, requests: Iterable[Request]) -> None:
    """Raise `UsageError` for weights of queries where no measure looks at them."""
    if settings.query_weights is not None and not any(request.aggregate == WEIGHTED for request in requests):
        raise UsageError("no measure uses query_weights", remedy="ask for weighted means, 'AP(agg=weighted)'")


def evaluate_named(evaluator: Evaluator, run: Retrieved, name: str = "run", every: bool = True) -> Evaluation:
    """Evaluate a run, and warn of queries that it or the judgments lack, and of ties, or unless `every` is true of runs
    whose scores are all equal; data in memory are called by the name."""
    found = evaluator._evaluated(run, name, examples=True)
    called = os.fsdecode(run) if isinstance(run, str | os.PathLike) else run.name if isinstance(run, Run) else name
    warn_of(left_out_notes(found.left_out, found.settings, called), warned, found.settings)
    if found._tied:
        evaluator._tell(found, called, every)
    return found


def evaluate_runs(
    qrels: Judged,
    runs: Mapping[str, Retrieved] | Iterable[Path],
    measures: str | Iterable[str] = (),
    *,
    executor: Executor | str | Any = None,
    **options: Unpack[EvaluationOptions],
) -> dict[str, Evaluation]:
    """Evaluate runs against judgments, with the results of `evaluate` for each run.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    runs : mapping of str to run, or iterable of paths
        By their names: paths, nested dictionaries, data frames, arrays, or Runs. Paths alone are called by their run
        ids, and where several share one by their files, as ``irev eval`` does.
    measures : str or iterable of str
        As after ``-m``; none at all means ``official``.
    executor : executor of concurrent.futures, client of Dask, or str, optional
        Where runs are evaluated; by default one after the other in this process. ``processes`` are processes of this
        machine, ``dask://HOST:PORT`` is a cluster. An executor that you pass is not shut down. Judgments and runs
        are paths then, or URLs, which workers read themselves.
    **options
        See `evaluate`.

    Returns
    -------
    dict of str to Evaluation
        In the order of the runs, whatever is ready first; `compare` accepts it.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist, an invalid executor, and data in memory where paths are
        needed.
    InputError
        For judgments or a run that cannot be read, or that have no query in common; of several errors the one of the
        earliest run. When a worker is lost, cannot read a file, or has other versions of irev or numpy.
    """
    require_several("runs", runs)
    if executor is None:
        return evaluated_by_name(Evaluator(qrels, measures, **options), runs)
    return evaluated_by_name(lambda given: _elsewhere(qrels, given, measures, executor, options), runs)


def evaluated_by_name(
    how: Evaluator | Callable[[list[Retrieved]], list[Evaluation]], runs: Mapping[str, Retrieved] | Iterable[Path]
) -> dict[str, Evaluation]:
    """The evaluation of each run by its name, or by its run id where only paths are given."""
    names = list(runs) if isinstance(runs, Mapping) else None
    given: list[Retrieved] = list(runs.values()) if isinstance(runs, Mapping) else list(runs)
    called = names if names is not None else [path_in_list("runs", run) for run in given]
    if isinstance(how, Evaluator):
        evaluations = [evaluate_named(how, run, name) for run, name in zip(given, called, strict=True)]
    else:
        evaluations = how(given)
    if names is None:
        tags = [decoded(each.scores.tag) for each in evaluations]
        names = [*names_of(called, tags, (), lambda note: None)]
    return dict(zip(names, evaluations, strict=True))


def _elsewhere(
    qrels: Judged, runs: list[Retrieved], measures: str | Iterable[str], executor: Any, options: EvaluationOptions
) -> list[Evaluation]:
    for given, what in ((qrels, "judgments"), *((run, "a run") for run in runs)):
        if not isinstance(given, str | os.PathLike):
            fact = f"workers read files, not {what} of type {type(given).__name__}"
            raise UsageError(fact, remedy="write it to a file and give its path, or leave out executor")
    settings = settings_of(options, EvaluationOptions)
    named = requests_by_name(measures, settings.compat)
    require_weighted(settings, named.values())
    settings = suited(settings, tuple(named.values()), warned)
    paths = [os.fsdecode(run) for run in runs]  # type: ignore[arg-type]
    about = Inputs([("", os.fsdecode(qrels))], paths, executor=executor)  # type: ignore[arg-type]
    found = evaluate_files(about, tuple(named.values()), settings)
    for judgments in found.judgments:
        warn_of(judgments_notes(judgments, settings, tuple(named.values())), warned, settings)
    for each in found.evaluated:
        warn_of(reading_notes(each.reading, each.name), warned, settings)
        warn_of(left_out_notes(each.left_out[0], settings, each.name), warned, settings)
    outcomes = [Outcome(each.name, "", each.scores[0], each.summaries[0], each.facts[0]) for each in found.evaluated]
    warn_of(tie_notes(found.judgments, outcomes, settings), warned, settings)
    return [
        Evaluation(
            tuple(named),
            each.scores[0],
            each.summaries[0],
            each.left_out[0],
            each.facts[0],
            settings,
            (*file_read("qrels", qrels), *file_read("run", run)),
        )
        for each, run in zip(found.evaluated, runs, strict=True)
    ]
