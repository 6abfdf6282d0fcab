"""`compare`: evaluations compared with each other, by the choices that ``irev compare`` has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from irev.api.evaluation import Evaluation, Evaluator, evaluate_named, evaluated_by_name
from irev.api.options import (
    Options,
    checked_record,
    every_query,
    flag,
    names_of_measures,
    require_known,
    require_several,
    settings_of,
    warned,
)
from irev.base.errors import InputError, UsageError
from irev.base.settings import DEFAULT_MEASURES, DRAWN_MEASURES
from irev.evaluation import dictionaries
from irev.evaluation.inputs import HeldEvaluations, Inputs
from irev.evaluation.objects import Judged, Path, Retrieved, judgments_of
from irev.evaluation.result import Outcome
from irev.measures.request import BOOTSTRAP, bootstrapped
from irev.statistics.plan import Alternative, Family, IntervalKind, Joint, OfValues

if TYPE_CHECKING:
    from irev.commands.compare.answer import Comparison


class Analysis(TypedDict, total=False):
    """Options of a comparison, with the names that ``irev compare`` has for them.

    Attributes
    ----------
    tests : tuple of str
        ``t`` (the default), ``randomization``, ``bootstrap``, ``wilcoxon``, ``sign``; the first one decides.
    alternative : str
        ``two-sided`` (the default), ``greater`` or ``less``, of run minus baseline.
    seed : int
        The random seed.
    interval : str
        ``t`` (the default), ``percentile`` or ``bca``.
    confidence, alpha : float
        Of intervals, 0.95 unless given; level of significance, 0.05.
    correction : str or None
        ``max-t``, ``tukey``, ``holm``, ``bonferroni``, ``bh``, ``by`` or ``none``; None for the maximum-t method of all
        pairs, Holm's for two tests or more against a baseline, and none for one test.
    family : str
        What is corrected together: the tests of each ``measure``, or ``all``.
    margin : float or None
        Also test whether runs differ by less than this.
    """

    tests: tuple[str, ...]
    alternative: Alternative
    seed: int
    interval: IntervalKind
    confidence: float
    alpha: float
    correction: OfValues | Joint | None
    family: Family
    margin: float | None


class ComparisonOptions(Options, Analysis, total=False):
    """Options of an evaluation and of a comparison."""


def compare(
    qrels: Judged | Mapping[str, Evaluation],
    runs: Mapping[str, Retrieved | Evaluation] | Iterable[Path] | None = None,
    measures: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    both: bool = False,
    clusters: Path | Mapping[str, str] | None = None,
    layout: Literal["tables", "paper"] = "tables",
    unjudged: Literal["bootstrap"] | None = None,
    **choices: Unpack[ComparisonOptions],
) -> Comparison:
    """Compare runs, query by query: ``compare(qrels, runs)``, or ``compare(evaluations)``.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels; or mapping of str to Evaluation
        The judgments. Or only evaluations, by the names of their runs, compared by the measures that all of them have;
        they should be made with ``complete=True``, so that a run that lost its hard queries does not win.
    runs : mapping of str to run, or iterable of paths
        At least two. By their names: paths, nested dictionaries, data frames, arrays, Runs, or Evaluations that are
        there already. Paths alone are called by their run ids, as ``irev compare`` does.
    measures : str or iterable of str
        As after ``-m``; AP and nDCG@10 unless given.
    baseline : str, optional
        The run that the others are compared with; the first one unless given.
    all_pairs : bool
        Hold all runs against each other.
    both : bool
        Leave out queries that not all runs have, instead of counting a missing one as 0.
    clusters : path, str, or mapping of str to str, optional
        The cluster of each query, of queries that depend on each other: a file as after ``--clusters``, a regular
        expression that finds the cluster in the id of a query, or a dictionary. Means stay means over queries; tests
        and intervals take the clusters as independent.
    layout : str
        How it is shown: as ``tables``, or as one table for a ``paper``.
    unjudged : str, optional
        ``bootstrap`` compares expected values: each unjudged document among the first results has the grade of a random
        judged one of the query. Measures need a cutoff, as nDCG@10, the default then, has.
    **choices
        See `Analysis`; with judgments and runs also `Options`. Then every judged query counts; a query that a run lacks
        counts as an empty ranking, unless `both`, `complete` or `queries` changes that.

    Returns
    -------
    Comparison
        With a `Compared` for each measure in `compared`, and a `Contrast` for each pair of runs in its `contrasts`:
        difference, interval, effect, tests, corrected p-values and finding.

        Evaluations of different judgments or options are a warning, and one of `notes`, and so are measures that runs
        are not compared by. Different judgments are recognised by their files, and in memory by
        their queries and their number of positive grades.

    Raises
    ------
    UsageError
        For fewer than two runs, an unknown run or choice, and evaluations without a common measure.
    InputError
        When no query counts, and for a missing query under a measure of which 0 would be the best value.
    """
    from irev.commands.compare import QUESTION

    analysis: Any = {name: value for name, value in choices.items() if name not in Options.__annotations__}
    options: Any = {name: value for name, value in choices.items() if name in Options.__annotations__}
    require_known(analysis, Analysis)
    given: dict[str, Any] = {**locals(), **analysis}
    about = held_inputs(qrels, runs, measures, both, options, unjudged)
    asked = checked_record(QUESTION.choices, given, {*given, *Analysis.__annotations__})
    found: Comparison = QUESTION.answer(about, asked)
    return found


def held_inputs(
    qrels: Judged | Mapping[str, Evaluation],
    runs: Mapping[str, Retrieved | Evaluation] | Iterable[Path] | None,
    measures: str | Iterable[str],
    both: bool,
    options: Options,
    unjudged: str | None = None,
) -> Inputs:
    """Judgments and runs, evaluated, or evaluations by the names of their runs, as questions are asked about them."""
    names = [each for each in names_of_measures(measures) if each]
    if unjudged is not None and runs is None:
        raise UsageError("unjudged has no effect on existing evaluations", remedy="give judgments and runs")
    if unjudged == BOOTSTRAP:
        names = [*bootstrapped(names or DRAWN_MEASURES, settings_of(options).compat)]
    if runs is not None:
        require_several("runs", runs)
        held = held_of(_evaluated(qrels, runs, names, flag("both", both), options), both)  # type: ignore[arg-type]
        return Inputs(held=held, measures=names, warn=warned)
    refuse_evaluating(options, names)
    evaluations: Mapping[str, Evaluation] = qrels  # type: ignore[assignment]
    require_named(evaluations)
    return Inputs(held=held_of(evaluations, flag("both", both)), warn=warned)


def held_of(evaluations: Mapping[str, Evaluation], both: bool = False, least: int = 2) -> HeldEvaluations:
    """Evaluations by the names of their runs, as questions are asked about them."""
    every = [*evaluations.values()]
    named = [Outcome(name, "", each.scores, each.summary, each.facts) for name, each in evaluations.items()]
    return HeldEvaluations(tuple(named), tuple(each.settings for each in every), same_judgments(every), both, least)


def refuse_evaluating(options: Options, measures: str | Iterable[str]) -> None:
    """Raise `UsageError` for what changes values, since those of evaluations stay as they are."""
    if options or measures:
        said = next(iter(options), "measures")
        raise UsageError(f"{said} has no effect on existing evaluations", remedy="give judgments and runs")


def same_judgments(evaluations: Sequence[Evaluation]) -> bool | None:
    """Return True if evaluations are under the same judgments, None if that is not known, as of judgments in memory.

    Those in memory are not kept, so that other grades of as many documents are not seen. Files are read again only
    where evaluations name several.
    """
    if not all(each.facts.known for each in evaluations):
        return None
    positive = {each.scores.positive_judgments for each in evaluations}
    every = [each for each in evaluations if each.settings.queries == "both" and each.settings.only is None]
    queries = {frozenset(each.scores.queries).union(each.left_out.not_retrieved) for each in every}
    if len(positive) > 1 or len(queries) > 1:
        return False
    files = {tuple(file for file in each.files if file.role == "qrels") for each in evaluations}
    if () in files:
        return None
    if len(files) == 1:
        return True
    try:
        read = {
            file.digest(): (file.path, each.settings)
            for each in evaluations
            for file in each.files
            if file.role == "qrels"
        }
        contents = {dictionaries.indexed(judgments_of(*each, warned)).content for each in read.values()}
        return len(read) == 1 or (len(contents) == 1 and "" not in contents)
    except InputError:  # gone, or written anew
        return None


def _evaluated(
    qrels: Judged,
    runs: Mapping[str, Retrieved | Evaluation] | Iterable[Path],
    measures: str | Iterable[str],
    both: bool,
    options: Options,
) -> dict[str, Evaluation]:
    """The evaluation of each run, by its name."""
    given = settings_of(options)
    if both and (given.complete or not isinstance(given.queries, str)):
        fact = "both leaves out queries that a run lacks, but complete or queries count them as 0"
        raise UsageError(fact, remedy="leave out one of them")
    options = options if both else every_query(options)
    evaluator = Evaluator(qrels, measures or DEFAULT_MEASURES, **options)._comparing()
    if not isinstance(runs, Mapping):
        return evaluated_by_name(evaluator, runs)
    return {
        name: run if isinstance(run, Evaluation) else evaluate_named(evaluator, run, name, every=False)
        for name, run in runs.items()
    }


def require_named(evaluations: object, what: str = "") -> None:
    """Raise `TypeError` for what is not evaluations by the names of their runs."""
    fact = f"{what}expected a dictionary of evaluations by the names of their runs, such as {{'bm25': evaluation}}"
    if not isinstance(evaluations, Mapping):
        raise TypeError(fact)
    for name, each in evaluations.items():
        if not isinstance(each, Evaluation):
            raise TypeError(f"{fact}, but {name!r} is of type {type(each).__name__}; irev.evaluate makes an evaluation")
