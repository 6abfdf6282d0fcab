"""The Python interface: judgments and runs in, whether files or in memory, and an `Evaluation` out.

    import irev
    scores = irev.evaluate("qrels.txt", "run.txt", ["nDCG@10", "AP"])
    scores.mean()["nDCG@10"]

These are the calls that ``irev eval`` makes, with the same records between them, so that the numbers are the same to
the last bit. Everything here is frozen, nothing that is handed in is changed, and several threads may share it.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from irev.base.registry import did_you_mean
from irev.base.settings import ABOUT, FLAGS, QUERIES, Settings
from irev.base.text import decoded, encoded
from irev.errors import UsageError
from irev.evaluation import scores as evaluation
from irev.evaluation import summary as aggregation
from irev.evaluation.batch import facts_of
from irev.evaluation.result import Facts, Outcome, Result, in_groups
from irev.evaluation.scores import Column, Scores
from irev.evaluation.summary import Summary
from irev.measures import Request, parse
from irev.output.report import Look
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import written
from irev.ranking import few, ranking, revisited
from irev.ranking.few import FewJudgments
from irev.ranking.ranked import Ranked
from irev.ranking.ranking import LeftOut
from irev.ranking.revisited import Revisited
from irev.reading import memory, qrels, runs
from irev.reading.ids import at
from irev.reading.memory import Arrays, Frame, Nested
from irev.reading.qrels import Judgments
from irev.reading.runs import Block
from irev.reading.sources import Source
from irev.statistics.plan import (
    ALTERNATIVES,
    FAMILIES,
    JOINT,
    OF_VALUES,
    WILCOXON,
    ZEROS,
    Alternative,
    Family,
    IntervalKind,
    Joint,
    OfValues,
    Plan,
    Test,
    Wilcoxon,
    Zeros,
    default_tests,
)

if TYPE_CHECKING:
    import pandas
    import polars

    from irev.analysis.comparison.contrasts import Comparison
    from irev.analysis.diff import Difference
    from irev.analysis.explain import Explanation
    from irev.analysis.gate.rules import GateRules
    from irev.analysis.gate.verdict import Verdict

Path = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """How to evaluate: what the options of ``irev eval`` say, under the same names.

    Attributes
    ----------
    level : float
        Lowest grade that counts as relevant, 1 unless given.
    depth : int or None
        Keep the first `depth` documents of each ranking.
    judged_only : bool
        Then drop documents without a grade of 0 or more, and close the ranks.
    complete : bool
        Average over all judged queries; one that the run lacks has found nothing.
    queries : str, or iterable of str
        Which queries count: those in ``both`` (the default), all of the ``qrels`` (as `complete`), all of the ``run``,
        or those listed.
    strict : bool
        Refuse to leave any query out.
    gains : mapping of float to float
        What each grade is worth to gain measures.
    collection_size : int
        Documents in the collection, for measures that need it.
    ties : str
        How documents of equal score are ordered: ``docid-desc`` (the default), ``docid-asc``, ``file`` (the order of
        rows), or ``average`` for expected values over all orders.
    order : str
        What orders a run: its ``score``, its ``rank`` column, or the order of its rows, ``file``.
    duplicates : str
        What becomes of a document that a query retrieves twice: ``error``, ``first`` or ``best``.
    negative : str
        What a negative grade means: ``unjudged``, ``nonrelevant`` or ``error``.
    drop_self : bool
        Ignore results whose document id is the query id.
    allow_large : bool
        Read files although they decompress to more than 1 GB and 200 times their size, and JSON values above 64 MB.
    compat : str
        The version of trec_eval whose numbers are wanted, ``10.0`` or ``9.0.8``.
    columns : mapping of str to str
        Names of the columns ``query``, ``document``, ``grade``, ``score`` and ``rank``, in frames and in files with a
        header.
    qrels_format, run_format : str
        Formats of files, where they cannot be told from them.
    """

    level: float
    depth: int | None
    judged_only: bool
    complete: bool
    queries: str | Iterable[str]
    strict: bool
    gains: Mapping[float, float] | None
    collection_size: int
    ties: Literal["docid-desc", "docid-asc", "file", "average"]
    order: Literal["score", "rank", "file"]
    duplicates: Literal["error", "first", "best"]
    negative: Literal["unjudged", "nonrelevant", "error"]
    drop_self: bool
    allow_large: bool
    compat: Literal["10.0", "9.0.8"]
    columns: Mapping[str, str]
    qrels_format: str | None
    run_format: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Relevance judgments, read and indexed: what `read_qrels` gives."""

    judgments: Judgments

    @property
    def queries(self) -> tuple[str, ...]:
        """Judged queries, in the order of their bytes."""
        return tuple(_text(query) for query in self.judgments.queries)

    def __len__(self) -> int:
        """Number of judgments."""
        return len(self.judgments.grade)

    def __repr__(self) -> str:
        return f"<Qrels {self.judgments.name}: {len(self)} judgments of {len(self.judgments.queries)} queries>"


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run in memory: what `read_run` gives.

    Attributes
    ----------
    name : str
        The file, or what else messages call it.
    tag : str
        Its run id.
    blocks : tuple of Block
        Its rows.
    settings : Settings
        What its rows were read with.
    """

    name: str
    tag: str
    blocks: tuple[Block, ...]
    settings: Settings

    @property
    def queries(self) -> tuple[str, ...]:
        """Its queries, in the order of their bytes."""
        return tuple(_text(query) for query in sorted(query for block in self.blocks for query in block.queries))

    def __len__(self) -> int:
        """Number of results."""
        return sum(len(block.query) for block in self.blocks)

    def __repr__(self) -> str:
        return f"<Run {self.name}: {len(self)} results of {sum(len(block.queries) for block in self.blocks)} queries>"


Judged = Path | Nested | Frame | Arrays | Qrels
"""Judgments: a path, ``{query: {document: grade}}``, a data frame with a column of each, three arrays, or what
`read_qrels` gives."""

Retrieved = Path | Nested | Frame | Arrays | Run
"""A run: a path, ``{query: {document: score}}``, a data frame, three arrays, or what `read_run` gives."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
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
    """

    measures: tuple[str, ...]
    scores: Scores
    summary: Summary
    left_out: LeftOut
    facts: Facts
    settings: Settings

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The evaluated queries, in the order of their bytes."""
        return tuple(_text(query) for query in self.scores.queries)

    @property
    def missing(self) -> tuple[str, ...]:
        """Judged queries that the run lacks. Unless `Options.complete` was asked for, they are left out of means."""
        return tuple(_text(query) for query in self.left_out.not_retrieved)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Queries of the run without judgments. Unless ``queries="run"`` was asked for, they are left out."""
        return tuple(_text(query) for query in self.left_out.not_judged)

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
            name: dict(zip(self.queries, map(_text, column.values.tolist()), strict=True))
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
        """The record that ``irev eval -q -f json`` writes (docs/result-record.md), which ``irev show`` renders.

        Without the hashes of files, as there need not be any.
        """
        outcome = Outcome(_text(self.scores.tag), "", self.scores, self.summary, self.facts)
        result = Result((outcome,), self.settings, self.settings.policy, per_query=True)
        return written("json", EvaluationReport(result), Look()).decode("ascii")

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


class Evaluator:
    """Evaluates runs against judgments that are read and indexed once.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    measures : str or iterable of str
        As after ``-m``: ``nDCG@10``, ``AP(rel=2)``, ``map``, ``P.5,10``, ``official``. None at all means ``official``.
    **options
        See `Options`.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist.
    InputError
        For judgments that cannot be read or understood.
    """

    __slots__ = ("_judgments", "_named", "_settings")

    def __init__(self, qrels: Judged, measures: str | Iterable[str] = (), **options: Unpack[Options]) -> None:
        settings = _settings(options)
        named = _requests(measures, settings.compat)
        self._named = named
        self._settings = settings
        self._judgments = _judgments(qrels, self._settings)

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
        ranked, left_out = _ranked(self._judgments, run, self._settings)
        scores = evaluation.evaluate(ranked, self._named.values())
        facts = facts_of(ranked, left_out)
        return Evaluation(tuple(self._named), scores, aggregation.summarise(scores), left_out, facts, self._settings)


def evaluate(
    qrels: Judged, run: Retrieved, measures: str | Iterable[str] = (), **options: Unpack[Options]
) -> Evaluation:
    """Evaluate a run against judgments.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    run : path, nested dictionary, data frame, arrays, or Run
    measures : str or iterable of str
        As after ``-m``; none at all means ``official``.
    **options
        See `Options`.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist.
    InputError
        For judgments or a run that cannot be read or understood, or that share no query.
    """
    return Evaluator(qrels, measures, **options).evaluate(run)


def read_qrels(data: Judged, **options: Unpack[Options]) -> Qrels:
    """Read and index judgments, to be used more than once.

    Parameters
    ----------
    data : path, nested dictionary, data frame, or arrays
    **options
        What matters for reading: `negative`, `columns`, `qrels_format`, and `compat`, as comments came with trec_eval
        10.0.
    """
    return Qrels(few.indexed(_judgments(data, _settings(options))))


def read_run(data: Retrieved, **options: Unpack[Options]) -> Run:
    """Read a run into memory, to be used more than once.

    Parameters
    ----------
    data : path, nested dictionary, data frame, or arrays
    **options
        What matters for reading: `order`, `duplicates`, `drop_self`, `columns`, `run_format` and `compat`.
    """
    settings = _settings(options)
    if isinstance(data, Run):
        _require_read_alike(data, settings)
        return data
    if isinstance(data, str | os.PathLike):
        with Source(os.fsdecode(data)) as source:
            blocks, reading = runs.read(source, memory.kept, settings)
        return Run(source.name, _text(reading.tag), tuple(blocks), settings)
    return Run("run", "run", tuple(memory.blocks(data, settings)), settings)


def _judgments(data: Judged, settings: Settings) -> Judgments | FewJudgments:
    if isinstance(data, Qrels):
        judgments = data.judgments

        def described(row: int) -> str:
            document = at(judgments.text, judgments.document_start[row], judgments.document_length[row])
            return f"document {_text(document)!r} of query {_text(judgments.queries[judgments.query[row]])!r}"

        if settings.negative == "unjudged":
            return judgments
        return replace(judgments, grade=memory.graded(judgments.grade, settings, judgments.name, described))
    if isinstance(data, str | os.PathLike):
        with Source(os.fsdecode(data)) as source:
            return qrels.read(source, settings)
    return few.judgments(data, settings)


def _ranked(judgments: Judgments | FewJudgments, run: Retrieved, settings: Settings) -> tuple[Ranked, LeftOut]:
    if isinstance(run, Mapping):
        return few.rank_nested(judgments, run, settings, b"run")
    judgments = few.indexed(judgments)
    if isinstance(run, str | os.PathLike):
        with Source(os.fsdecode(run)) as source:
            ranked, _, left_out = ranking.rank(judgments, source, settings)
        return ranked, left_out
    if isinstance(run, Run):
        _require_read_alike(run, settings)
        return ranking.rank_blocks(judgments, run.blocks, run.name, _bytes(run.tag), settings)
    return ranking.rank_blocks(judgments, memory.blocks(run, settings), "run", b"run", settings)


def _revisited(judgments: Judgments, run: Retrieved, settings: Settings, opened: ExitStack) -> Revisited:
    """A run, ranked, of which queries may be kept whole as long as what was opened is."""
    if isinstance(run, str | os.PathLike):
        return revisited.in_file(judgments, opened.enter_context(Source(os.fsdecode(run))), settings)
    if isinstance(run, Run):
        _require_read_alike(run, settings)
        held = run.blocks
        return revisited.in_memory(judgments, lambda: held, run.name, _bytes(run.tag), settings)
    given = run
    return revisited.in_memory(judgments, lambda: memory.blocks(given, settings), "run", b"run", settings)


def _require_read_alike(run: Run, settings: Settings) -> None:
    """Refuse choices that came too late: a run that was read has no other order or duplicates any more."""
    for choice in (name for name, about in ABOUT.items() if about.of_rows):
        wanted, had = getattr(settings, choice), getattr(run.settings, choice)
        if wanted != had:
            raise UsageError(f"the run was read with {choice}={had!r}", run.name, f"give {choice} to read_run too")


def _requests(measures: str | Iterable[str], compat: str) -> dict[str, Request]:
    """What is asked for by name."""

    unusual: list[str] = []
    named: dict[str, Request] = {}
    for text in _texts(measures) or ["official"]:
        found, said = _parsed(text, compat)
        unusual += said
        if len(found) == 1:
            named[text] = found[0]
        else:
            named |= {request.standard: request for request in found}
    for message in unusual:
        warnings.warn(message, stacklevel=3)
    return named


def _texts(measures: str | Iterable[str]) -> list[str]:
    """The texts that ask for measures."""
    texts = [measures] if isinstance(measures, str) else list(measures)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a measure is a string such as 'nDCG@10', not {text!r} of type {type(text).__name__}")
    return texts


def _of_single_queries(measures: str | Iterable[str], compat: str) -> tuple[Request, ...]:
    """What is asked for by name, to look at single queries."""
    from irev.analysis.explain import requests_of

    unusual: list[str] = []
    requests = requests_of(_texts(measures), compat, unusual.append)
    for message in unusual:
        warnings.warn(message, stacklevel=3)
    return requests


@lru_cache(512)
def _parsed(text: str, compat: str) -> tuple[tuple[Request, ...], tuple[str, ...]]:
    """What a text asks for, and what is to be said of it; kept, since programs ask for the same again and again."""
    said: list[str] = []
    return tuple(parse([text], compat, said.append)), tuple(said)


# Options


_NAMES = ("qrels_format", "run_format")


class Analysis(TypedDict, total=False):
    """How to compare: what the options of ``irev compare`` say, under the same names.

    Attributes
    ----------
    tests : tuple of str
        ``t`` (the default), ``randomization``, ``bootstrap``, ``wilcoxon``, ``sign``; the first one decides.
    alternative : str
        ``two-sided`` (the default), ``greater`` or ``less``, of run minus baseline.
    samples, seed : int
        How many samples are drawn where any are, and where chance begins.
    interval : str
        ``t`` (the default), ``percentile`` or ``bca``.
    confidence, alpha : float
        Of intervals, 0.95 unless given; level of significance, 0.05.
    simultaneous : bool
        Whether the confidence is that of all intervals of differences to hold together.
    correction : str or None
        ``max-t``, ``tukey``, ``holm``, ``bonferroni``, ``bh``, ``by`` or ``none``; None for the maximum-t method of all
        pairs, Holm's for two tests or more against a baseline, and none for one test.
    family : str
        What is corrected together: the tests of each ``measure``, or ``all``.
    tie_tolerance : float
        Differences up to this are ties.
    zeros, wilcoxon : str
        What the Wilcoxon test does with zeros, ``drop``, ``pratt`` or ``split``; ``auto``, ``exact`` or ``normal``.
    margin : float or None
        Also test whether runs differ by less than this.
    """

    tests: tuple[str, ...]
    alternative: Alternative
    samples: int
    seed: int
    interval: IntervalKind
    confidence: float
    simultaneous: bool
    alpha: float
    correction: OfValues | Joint | None
    family: Family
    tie_tolerance: float
    zeros: Zeros
    wilcoxon: Wilcoxon
    margin: float | None


def compare(
    evaluations: Mapping[str, Evaluation],
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    both: bool = False,
    power: float = 0.8,
    **analysis: Unpack[Analysis],
) -> Comparison:
    """Compare runs, query by query, by the measures that all evaluations have.

    Parameters
    ----------
    evaluations : mapping of str to Evaluation
        At least two, by the names of their runs; made with ``complete=True``, so that a run that lost its hard queries
        does not win.
    baseline : str, optional
        The run that the others are held against; the first one unless given.
    all_pairs : bool
        Hold all runs against each other.
    both : bool
        Leave out queries that not all runs have, instead of counting a missing one as 0.
    power : float
        The power for which the number of queries needed is computed.
    **analysis
        See `Analysis`.

    Returns
    -------
    Comparison
        With a `Compared` for each measure in `compared`, and a `Contrast` for each pair of runs in its `contrasts`:
        difference, interval, effect, tests, corrected p-values and finding.

    Raises
    ------
    UsageError
        For fewer than two runs, a run or a choice that there is not, and evaluations without a measure in common.
    InputError
        When no query counts, and for a missing query under a measure of which 0 would be the best value.
    """
    from irev.analysis.comparison import contrasts, systems

    _require_named(evaluations)
    if baseline is not None and baseline not in evaluations:
        raise UsageError(f"there is no run {baseline!r}", remedy=did_you_mean(baseline, evaluations))
    if baseline is not None and all_pairs:
        raise UsageError("all_pairs has no baseline")
    plan = _plan(analysis)
    found = [
        systems.of_outcome(Outcome(name, "", each.scores, each.summary, each.facts))
        for name, each in evaluations.items()
    ]
    if len(found) < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two evaluations")
    aligned = contrasts.align(found, systems.wanted(found, ()), both)
    first = None if all_pairs else 0 if baseline is None else list(evaluations).index(baseline)
    return contrasts.compare(aligned, first, plan, _between(power, "power"))


Limits = Mapping[str, float | str] | Iterable[str] | float | str
"""Limits by measure, ``{"nDCG@10": 0.42}``; texts as after the option, ``["nDCG@10=0.42"]``; or one for all of them."""


class Gate(TypedDict, total=False):
    """What is required of runs: what the options of ``irev check`` say, under the same names.

    Attributes
    ----------
    min, max : Limits
        The lowest and the highest value that is allowed.
    every_query : str, or iterable of str
        What must hold for every query, ``RR>0``.
    max_drop : Limits
        By how much a run may be worse than the baseline: ``0.01``, or ``"2%"`` of its value.
    no_worse_than : Limits
        The run must be shown, by a test, to be worse by less than this.
    max_query_losses : Limits
        How many queries may be worse.
    max_share_losing : Limits
        The largest share of queries that may lose more than a loss, ``{"nDCG@10>0.2": "2%"}``, as an exact bound shows.
    significant : float or None
        A drop fails only if it is shown to be larger than is allowed, at this level. None, unless given: by its value.
    any_drop : bool
        With it, show that there is any drop, where the measured one is larger than is allowed.
    undecided : str or None
        What a condition counts as when the queries are too few to tell, ``pass`` or ``fail``; None for ``fail`` with
        `no_worse_than` and `max_share_losing`, ``pass`` otherwise.
    test : str
        ``t`` (the default), ``randomization``, ``bootstrap``, ``wilcoxon``, ``sign``.
    correction : str
        Of p-values over drops: ``holm`` (the default), ``bonferroni``, ``bh``, ``by`` or ``none``.
    samples, seed : int
        How many samples are drawn where any are, and where chance begins.
    """

    min: Limits
    max: Limits
    every_query: str | Iterable[str]
    max_drop: Limits
    no_worse_than: Limits
    max_query_losses: Limits
    max_share_losing: Limits
    significant: float | None
    any_drop: bool
    undecided: Literal["fail", "pass"] | None
    test: Test
    correction: OfValues
    samples: int
    seed: int


def check(
    evaluations: Mapping[str, Evaluation],
    *,
    baseline: Evaluation | Mapping[str, Evaluation] | Path | None = None,
    measures: str | Iterable[str] = (),
    groups: Mapping[str, str] | None = None,
    digits: int = 4,
    **gate: Unpack[Gate],
) -> Verdict:
    """Check that runs are as good as they must be.

    Parameters
    ----------
    evaluations : mapping of str to Evaluation
        By the names of their runs; made with ``complete=True``, so that a run that lost its hard queries does not pass,
        and with all measures that conditions are about.
    baseline : Evaluation, mapping of str to Evaluation, or path, optional
        What runs are compared with: an evaluation, several by the names of their runs, or a result that ``irev check
        --update-baseline`` or ``irev eval -c -q -f json`` saved. What was saved must have been made with the same
        options; whether it was under the same judgments is not known here, and a note of the verdict says so.
    measures : str or iterable of str
        Measures to show beside those of conditions; conditions that name none are about these, or else those of other
        conditions, or else all.
    groups : mapping of str to str, optional
        The group of each query, for conditions about some of them: ``{"group:hard/RR": 0.4}``.
    digits : int
        How many follow the point in sentences.
    **gate
        What is required; see `Gate`.

    Returns
    -------
    Verdict
        Whether it `holds`, a sentence on that in `headline`, and a `Finding` for each condition and run in `findings`:
        state, value, baseline, interval, p-value, the reason in words, and the queries to blame.

    Raises
    ------
    UsageError
        For a condition that is none, or is about a run, a group or a measure that there is not, or about a change where
        there is no baseline; evaluations that were made with different options, or without judged queries that their
        run lacks, unless `queries` asked for others; nothing required, and a choice that no condition is judged by.
    InputError
        For a baseline that cannot be read, was made with other options, or is of other queries.
    """
    from irev.analysis.gate import checking
    from irev.analysis.gate.baseline import SAME
    from irev.evaluation import saved

    _require_named(evaluations)
    if not evaluations:
        raise UsageError("there is nothing to check", remedy="give at least one evaluation")
    texts, rules = _gate(gate, digits)
    others = {"baseline": baseline} if isinstance(baseline, Evaluation) else baseline
    together = [*evaluations.items(), *(others.items() if isinstance(others, Mapping) else ())]
    first, settings = together[0][0], together[0][1].settings
    for name, each in together:
        if odd := [field for field in ("complete", *SAME) if getattr(each.settings, field) != getattr(settings, field)]:
            raise UsageError(f"{name!r} was evaluated with another {odd[0]} than {first!r}")
        if not settings.complete and settings.queries == "both" and each.missing:
            fact = f"{name!r} was evaluated without {len(each.missing)} of the judged queries, which it lacks"
            raise UsageError(fact, remedy="evaluate with complete=True, or with the queries that count in queries=")
        if settings.complete and settings.single_precision and each.missing:
            fact = "trec_eval 9.0.8 has no values of queries that a run lacks, and conditions are about them"
            raise UsageError(fact, remedy="evaluate with the judged queries listed in queries=")
    grouping = {_bytes(query): _bytes(group) for query, group in (groups or {}).items()}
    outcomes = [_outcome(name, each, grouping) for name, each in evaluations.items()]
    default = [request.standard for request in dict.fromkeys(column.request for column in outcomes[0].scores.columns)]
    shown = [measures] if isinstance(measures, str) else list(measures)
    asked = checking.requirements(texts, shown, default, settings.compat)
    for outcome in outcomes:
        known = {column.request for column in outcome.scores.columns}
        for request in asked.requests:
            if request not in known:
                fact = f"{outcome.run!r} was not evaluated by {request.standard}"
                raise UsageError(fact, remedy="evaluate it by all measures that conditions are about")
    if others is None:
        return checking.check(asked, outcomes, settings, checking.Baseline(), rules)
    if isinstance(others, Mapping):
        held = tuple(_outcome(name, each, {}) for name, each in others.items())
        result, called = Result(held, settings, settings.policy, per_query=True), ", ".join(others)
        return checking.check(asked, outcomes, settings, checking.Baseline(called, result), rules)
    with Source(os.fsdecode(others)) as source:
        read = replace(saved.read(source), inputs=())
    verdict = checking.check(asked, outcomes, settings, checking.Baseline(source.name, read), rules)
    unknown = "Whether the judgments are those that the baseline was made under is not known."
    return replace(verdict, notes=(unknown, *verdict.notes))


def _require_named(evaluations: object) -> None:
    """Raise `TypeError` for evaluations that are not called by the names of their runs."""
    if not isinstance(evaluations, Mapping):
        raise TypeError("expected a dictionary of evaluations by the names of their runs, such as {'bm25': evaluation}")


def _outcome(name: str, evaluation: Evaluation, grouping: Mapping[bytes, bytes]) -> Outcome:
    """An evaluation as conditions are judged by it, with a column for each measure, whatever it was called."""
    places = {column.request: place for place, column in reversed([*enumerate(evaluation.scores.columns)])}
    kept = sorted(places.values())
    scores = replace(evaluation.scores, columns=tuple(evaluation.scores.columns[place] for place in kept))
    summary = Summary(tuple(evaluation.summary.values[place] for place in kept))
    return Outcome(name, "", scores, summary, evaluation.facts, in_groups(scores, grouping))


def _gate(gate: Gate, digits: int) -> tuple[dict[str, tuple[str, ...]], GateRules]:
    """What is required, as texts, and how it is judged, checked."""
    from irev.analysis.gate import configuration
    from irev.analysis.gate.conditions import EVERY_QUERY, KINDS
    from irev.analysis.gate.rules import GateRules, idle

    given: dict[str, Any] = dict(gate)
    for name in given:
        if name not in Gate.__annotations__:
            near = did_you_mean(name, Gate.__annotations__)
            raise TypeError(f"there is no option {name!r}{'; ' + near if near else ''}")
    texts: dict[str, tuple[str, ...]] = {}
    for kind in KINDS:
        name = kind.replace("-", "_")
        if name in given:
            read = configuration.texts if kind == EVERY_QUERY else configuration.limits
            if (found := read(given[name])) is None:
                expected = "texts such as 'RR>0'" if kind == EVERY_QUERY else "limits such as {'nDCG@10': 0.01}"
                raise _no_value(name, given[name], expected)
            texts[kind] = found
    significant, any_drop, undecided = given.get("significant"), given.get("any_drop", False), given.get("undecided")
    if undecided not in (None, "fail", "pass"):
        raise _no_value("undecided", undecided, "'fail' or 'pass'")
    if given.get("correction") in JOINT:
        raise _no_value("correction", given["correction"], "one of " + ", ".join(map(repr, OF_VALUES)))
    analysis: dict[str, Any] = {name: given[name] for name in ("samples", "seed") if name in given}
    analysis |= {"tests": given.get("test", "t"), "correction": given.get("correction", "holm")}
    if significant is not None:
        analysis["alpha"] = _between(significant, "significant", 0.5)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 17:
        raise _no_value("digits", digits, "a whole number from 0 to 17")
    plan = _plan(analysis)  # type: ignore[arg-type]
    said = {name.replace("_", "-") for name, value in given.items() if value is not None and value is not False}
    kinds = [kind for kind, of_kind in texts.items() if of_kind]
    if kinds and (fact := idle(said, kinds, significant is not None, lambda option: option.replace("-", "_"))):
        raise UsageError(fact)
    return texts, GateRules(plan, significant is not None, any_drop, undecided, digits=digits)


def explain(
    qrels: Judged, run: Retrieved, query: str, measures: str | Iterable[str] = (), **options: Unpack[Options]
) -> Explanation:
    """Explain what the values of one query are made of.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    run : path, nested dictionary, data frame, arrays, or Run
    query : str
    measures : str or iterable of str
        As after ``-m``; none at all means ``nDCG@10``.
    **options
        See `Options`; `queries`, `complete` and `strict` say nothing of one query, and are refused.

    Returns
    -------
    Explanation
        With an `Explained` for each measure in `measures`: its value, the ranking, and the terms of one that is a sum
        over ranks. Ids are bytes.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist, and measures without a value for a single query.
    InputError
        For a query without judgments, and what `evaluate` refuses.
    """
    from irev.analysis import explain as explaining

    for name in ("queries", "complete", "strict"):
        if name in options:
            raise UsageError(f"{name} says nothing of one query", remedy="leave it out")
    wanted = _listed([query], "query")
    settings = replace(_settings(options), queries=wanted)
    requests = _of_single_queries(measures, settings.compat)
    judgments = few.indexed(_judgments(qrels, settings))
    explaining.require_judged(wanted, judgments)
    with ExitStack() as opened:
        found = _revisited(judgments, run, settings, opened)
        (whole,) = found.keep(wanted).values()
    return explaining.explain(found.ranked, whole, requests)


def diff(
    qrels: Judged,
    before: Retrieved,
    after: Retrieved,
    measures: str | Iterable[str] = (),
    *,
    query: str | Iterable[str] = (),
    limit: int = 10,
    best: bool = False,
    pool_depth: int | None = None,
    **options: Unpack[Options],
) -> Difference:
    """Find what changed from one run to another: the queries that lost and won most, and the documents that did it.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    before, after : path, nested dictionary, data frame, arrays, or Run
    measures : str or iterable of str
        As after ``-m``; the first one orders the queries. None at all means ``nDCG@10``.
    query : str or iterable of str
        Look at the documents of these queries, instead of those that changed most.
    limit : int
        Look at the documents of so many queries that lost, and so many that won.
    best : bool
        Those that won come first.
    pool_depth : int, optional
        How many ranks documents enter and leave: unless given, the cutoff of the first measure, or 10.
    **options
        See `Options`. Every judged query counts, one that a run lacks as having found nothing, unless `complete` or
        `queries` says otherwise.

    Returns
    -------
    Difference
        With the values of all queries in `changes`, and a `Detail` for each query that was looked at in `details`: its
        documents, and what each contributes to the change. Ids are bytes.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist, measures that have no number for a single query, and
        ``ties="average"``.
    InputError
        For a query without judgments, runs without a query in common, and what `evaluate` refuses.
    """
    from irev.analysis import diff as differing
    from irev.analysis.explain import require_judged

    if "queries" not in options and "complete" not in options:
        options["complete"] = True
    settings = _settings(options)
    requests = _of_single_queries(measures, settings.compat)
    asked = _listed([query] if isinstance(query, str) else query, "query")
    chosen = differing.Chosen(asked, _whole_number("limit", limit), best)
    depth = None if pool_depth is None else _whole_number("pool_depth", pool_depth, 1)
    judgments = few.indexed(_judgments(qrels, settings))
    require_judged(chosen.queries, judgments)
    settings = settings.of_every_query(judgments.queries)
    with ExitStack() as opened:
        earlier, later = (_revisited(judgments, run, settings, opened) for run in (before, after))
        return differing.difference(earlier, later, requests, chosen, depth)


def _plan(analysis: Analysis) -> Plan:
    """The choices of an analysis, checked."""
    from irev.statistics import families, intervals, paired

    given: dict[str, Any] = dict(analysis)
    for name, value in given.items():
        if name not in Analysis.__annotations__:
            near = did_you_mean(name, Analysis.__annotations__)
            raise TypeError(f"there is no option {name!r}{'; ' + near if near else ''}")
        if name in ("confidence", "alpha"):
            given[name] = _between(value, name)
        elif name == "simultaneous":
            if not isinstance(value, bool):
                raise _no_value(name, value, "True or False")
        elif name in ("samples", "seed"):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < (name == "samples"):
                raise _no_value(name, value, "a whole number")
            given[name] = int(value)
        elif name in ("margin", "tie_tolerance") and value is not None:
            given[name] = _number(name, value)
            if given[name] < 0 or (name == "margin" and not given[name]):
                raise _no_value(name, value, "a number above 0" if name == "margin" else "0 or more")
    words = {"alternative": ALTERNATIVES, "zeros": ZEROS, "wilcoxon": WILCOXON, "family": FAMILIES}
    for name, known in words.items():
        if name in given and given[name] not in known:
            raise _no_value(name, given[name], "one of " + ", ".join(map(repr, known)))
    tests = given.get("tests", default_tests(given.get("correction")))
    given["tests"] = (tests,) if isinstance(tests, str) else tuple(tests)
    for test in given["tests"]:
        paired.TESTS.find(test)
    if not given["tests"]:
        raise _no_value("tests", tests, "at least one test")
    intervals.INTERVALS.find(given.get("interval", "t"))
    if given.get("correction") not in (None, *JOINT):
        families.CORRECTIONS.find(str(given["correction"]))
    return Plan(**given)


def _between(value: Any, name: str, end: float = 1) -> float:
    number = _number(name, value)
    if not 0 < number < end:
        raise _no_value(name, value, f"a number between 0 and {end}")
    return number


def _settings(options: Options) -> Settings:
    """Options, checked, as settings."""
    given: dict[str, Any] = dict(options)
    for name in given:
        if name not in Options.__annotations__:
            near = did_you_mean(name, Options.__annotations__)
            raise TypeError(f"there is no option {name!r}{'; ' + near if near else ''}")
    read = {name: _option(name, value) for name, value in given.items()}
    settings = Settings(**{field.name: read[field.name] for field in fields(Settings) if field.name in read})
    if settings.queries == "qrels":
        settings = replace(settings, queries="both", complete=True)
    if settings.complete and settings.queries != "both":
        raise UsageError("complete=True means queries='qrels', and other queries are asked for")
    if settings.ties == "average" and settings.judged_only and settings.depth is not None:
        raise UsageError("depth with judged_only has no expected value over ties", remedy="choose another ties=")
    return settings


def _option(name: str, value: Any) -> Any:
    """The value of one option as `Settings` has it."""
    if words := ABOUT[name].words:
        if value not in words:
            raise _no_value(name, value, "one of " + ", ".join(map(repr, words)))
    elif name in FLAGS:
        if not isinstance(value, bool | np.bool_):
            raise _no_value(name, value, "True or False")
        value = bool(value)
    elif name in _NAMES:
        if not isinstance(value, str | None):
            raise _no_value(name, value, "the name of a format")
    elif name == "level":
        value = _number(name, value)
        if value < 0:
            raise _no_value(name, value, "0 or more")
    elif name in ("depth", "collection_size"):
        value = None if value is None and name == "depth" else _whole_number(name, value)
    elif name == "queries":
        value = _queries(value)
    elif name == "gains":
        value = None if value is None else _gains(value)
    elif name == "columns":
        if not isinstance(value, Mapping) or not value.keys() <= memory.ALIASES.keys():
            raise _no_value(name, value, "a dictionary of query, document, grade, score and rank")
        value = tuple(value.items())
    return value


def _no_value(name: str, value: object, expected: str) -> UsageError:
    return UsageError(f"{value!r} is no value of {name}", remedy=f"expected {expected}")


def _whole_number(name: str, value: Any, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise _no_value(name, value, f"a whole number of {least} or more")
    return int(value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, str | bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise _no_value(name, value, "a number")
    return float(value)


def _queries(value: Any) -> str | tuple[bytes, ...]:
    if isinstance(value, str):
        if value not in QUERIES:
            raise _no_value("queries", value, f"one of {', '.join(map(repr, QUERIES))}, or a list of queries")
        return value
    return _listed(value, "queries")


def _listed(value: Iterable[Any], name: str) -> tuple[bytes, ...]:
    """Queries that an option lists."""
    listed = tuple(_bytes(query) if isinstance(query, str) else query for query in value)
    for number, query in enumerate(listed):
        if not isinstance(query, bytes):
            raise _no_value(name, query, "strings")
        if query in listed[:number]:
            raise UsageError(f"query {_text(query)!r} is listed twice in {name}")
    return listed


def _gains(value: Mapping[Any, Any]) -> tuple[tuple[float, float], ...]:
    if not isinstance(value, Mapping):
        raise _no_value("gains", value, "a dictionary of grades and gains such as {0: 0, 1: 1, 2: 3}")
    pairs = tuple((_number("gains", grade), _number("gains", gain)) for grade, gain in value.items())
    for grade, _ in pairs:
        if grade < 0:
            raise UsageError(f"a negative grade has no gain, but gains has one for {grade}")
    return pairs


def _text(name: bytes) -> str:
    return decoded(name)


def _bytes(name: str) -> bytes:
    return encoded(name)
