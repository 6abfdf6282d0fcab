"""`check`: whether runs are as good as they must be, by the conditions that ``irev check`` takes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from irev.base.errors import InputError, UsageError, option
from irev.base.registry import did_you_mean
from irev.base.settings import DEFAULT_MEASURES, Settings
from irev.base.text import encoded
from irev.doors.api.comparison import require_named, same_judgments
from irev.doors.api.evaluation import Evaluation
from irev.doors.api.given import BothJudged, checked_record
from irev.doors.api.inputs import Judged, Path, Retrieved, judgments_of, ranked_run
from irev.doors.api.options import (
    Options,
    groups_of,
    names_of_measures,
    path_of,
    require_known,
    require_several,
    warned,
    warned_of,
    whole_number,
)
from irev.evaluation import few_documents
from irev.evaluation.notes import Note
from irev.evaluation.result import Input, Outcome, Result, in_groups
from irev.evaluation.summary import Summary
from irev.measures.request import others_in
from irev.questions.question import HUMAN, PREDICTED
from irev.questions.shared import NO_TEXTS
from irev.reading.sources import Source
from irev.statistics.plan import OfValues

if TYPE_CHECKING:
    from irev.questions.check import CheckChoices
    from irev.questions.check.answer import Required, RunsToJudge
    from irev.questions.check.baseline import Again, Rankings
    from irev.questions.check.finding import CheckReport, Verdict


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
    clusters : path, str, or mapping of str to str, or None
        The cluster of each query, of queries that depend on each other, as for `compare`.
    samples, seed : int
        How many samples are drawn where any are, and the random seed.
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
    test: str
    correction: OfValues
    clusters: str | os.PathLike[str] | Mapping[str, str] | None
    samples: int
    seed: int


class GateOptions(Gate, Options, total=False):
    """What is required of a run, and how it is evaluated for that."""


def check(
    evaluations: Mapping[str, Evaluation],
    *,
    baseline: Evaluation | Mapping[str, Evaluation] | Path | None = None,
    measures: str | Iterable[str] = (),
    groups: Mapping[str, str] | None = None,
    qrels: Judged | None = None,
    runs: Mapping[str, Retrieved] | None = None,
    baseline_runs: Mapping[str, Retrieved] | None = None,
    allow_changed_qrels: bool = False,
    predicted: Judged | None = None,
    resources: Path | None = None,
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
        --update-baseline`` or ``irev eval -c -q -f json`` saved. A saved result must have been made with the same
        options and, where `qrels` is a file, under the same judgments, and evaluations under the same judgments as the
        runs; where that is not known, as of judgments in memory, a note of the verdict says so.
    measures : str or iterable of str
        Measures to show beside those of conditions; conditions that name none are about these, or else those of other
        conditions, or else all.
    groups : mapping of str to str, optional
        The group of each query, for conditions about some of them: ``{"group:hard/RR": 0.4}``.
    qrels : path, nested dictionary, data frame, arrays, or Qrels, optional
        The judgments. With `runs`, the verdict says in `whys` why conditions do not hold.
    runs : mapping of str to path, nested dictionary, data frame, arrays, or Run, optional
        What was evaluated, by the names in `evaluations`; used only if a condition does not hold.
    baseline_runs : mapping of str to the same, optional
        The runs of `baseline`, by the names of runs; a single run is used for all. Without it, a verdict says what the
        runs alone show.
    allow_changed_qrels : bool
        Whether the baseline may have been made with other judgments; a note of the verdict then says so.
    predicted : path, nested dictionary, data frame, arrays, or Qrels, optional
        Judgments of all queries by a model; `qrels` are those of a human, of a random sample of the queries. Conditions
        are then about the corrected value of a run, or its corrected difference from its run in `baseline_runs`. With
        `qrels` and `runs`; `evaluations` and `baseline` say by which measures and options.
    resources : path, optional
        Resources of runs, a table with a header: run, optionally query, and numbers, for limits such as
        ``max={"latency:p99": 20}``.
    digits : int
        How many follow the point in sentences.
    **gate
        What is required; see `Gate`.

    Returns
    -------
    Verdict
        Whether it `holds`, a sentence on that in `headline`, and a `Finding` for each condition and run in `findings`:
        state, value, baseline, interval, p-value, the reason in words, and the queries that made it fail. With `qrels`
        and `runs` a `Why` for each run and measure in `whys`: the document that each query lost most by, and how much
        of the loss missing judgments may explain. Notebooks show it.

    Raises
    ------
    UsageError
        For an invalid condition, an unknown run, group or measure in a condition, or a condition on a change if
        there is no baseline; evaluations that were made with different options, or without judged queries that their
        run lacks, unless `queries` asked for others; nothing required, and a choice that no condition is judged by.
    InputError
        For a baseline that cannot be read, was made with other options, or is of other queries, and for runs that are
        not those that were evaluated.
    """

    from irev.questions.check import QUESTION

    took = None if resources is None else path_of("resources", resources)
    if predicted is None:
        choices = _choices(gate, measures, took, baseline=baseline, allow_changed_qrels=allow_changed_qrels)
        given = _ToCheck(evaluations, baseline, groups, digits, qrels, runs, baseline_runs)
    else:
        if baseline is not None and baseline_runs is None:
            raise UsageError("baseline is not of both kinds of judgments", remedy="give its run in baseline_runs")
        more: Any = {"baseline_run": baseline_runs, "groups": groups, "predicted": predicted}
        choices = replace(_choices(gate, measures, took, **more), predicted=PREDICTED)
        given = _ToCorrect(evaluations, None, None, digits, qrels, runs, baseline_runs)
        given.predicted = predicted
    report: CheckReport = QUESTION.answer(given, choices)
    return report.verdict


def _choices(gate: Gate, measures: str | Iterable[str], took: str | None = None, **more: Any) -> CheckChoices:
    """What is required and how it is judged, checked."""
    from irev.questions.check import CheckChoices

    require_known(gate, Gate)
    wanted = tuple(names_of_measures(measures))
    given = {**gate, **more, "resources": took}
    offered = (*Gate.__annotations__, "resources", *more)
    found: CheckChoices = checked_record(CheckChoices, given, offered, measures=wanted, resources=took)
    return found


class _ToCheck:
    """Evaluations in memory, and what they are compared with."""

    texts = NO_TEXTS

    def __init__(
        self,
        evaluations: Mapping[str, Evaluation],
        baseline: Evaluation | Mapping[str, Evaluation] | Path | None,
        groups: Mapping[str, str] | None,
        digits: int,
        qrels: Judged | None,
        runs: Mapping[str, Retrieved] | None,
        baseline_runs: Mapping[str, Retrieved] | None,
    ) -> None:
        require_named(evaluations)
        for held in (runs, baseline_runs):
            if held is not None:
                require_several("runs", held)
        if not evaluations:
            raise UsageError("there is nothing to check", remedy="give at least one evaluation")
        self._baseline = {"baseline": baseline} if isinstance(baseline, Evaluation) else baseline
        others = self._baseline if isinstance(self._baseline, Mapping) else {}
        require_named(others, "baseline: ")
        self.settings = _same_settings([*evaluations.items(), *others.items()])
        self._qrels, self._runs, self._baseline_runs = qrels, runs, baseline_runs
        self.digits = whole_number("digits", digits, most=17)
        grouping = {encoded(query): encoded(group) for query, group in groups_of(groups).items()}
        self._same = same_judgments([*evaluations.values(), *others.values()]) if others else None
        self._outcomes = [_outcome(name, each, grouping) for name, each in evaluations.items()]
        requests = [column.request for column in self._outcomes[0].scores.columns]
        self.usual = [*dict.fromkeys(request.standard for request in requests)]
        self.others = others_in(requests)

    def called(self, name: str) -> str:
        return {"baseline_run": "baseline_runs"}.get(name, name)

    def warn(self, message: str) -> None:
        """Nothing: whoever evaluated was told."""

    def say(self, notes: Sequence[Note], runs: int = 1) -> None:
        """Warn of something."""
        warned_of(notes)

    def evaluate(self, asked: Required, choices: CheckChoices) -> RunsToJudge:
        """The runs, and what they are compared with. Raises `UsageError` where a measure is not there."""
        from irev.evaluation import saved
        from irev.questions.check.answer import Baseline, RunsToJudge, require_evaluated
        from irev.questions.check.baseline import CHANGED_JUDGMENTS, UNKNOWN_JUDGMENTS
        from irev.questions.check.conditions import AGAINST

        for outcome in self._outcomes:
            require_evaluated(outcome, asked.requests)
        found = RunsToJudge(self._outcomes, self.settings, Baseline())
        rankings = self._rankings()
        if self._baseline is None:
            return found
        if isinstance(self._baseline, Mapping):
            held = {name: _outcome(name, each, {}) for name, each in self._baseline.items()}
            compared = [each.request for each in asked.conditions if each.kind in AGAINST and each.request is not None]
            for run in (outcome.run for outcome in self._outcomes if len(held) > 1):
                if run not in held:
                    near = did_you_mean(run, held, f"there are {', '.join(held)}")
                    raise UsageError(f"there is no baseline of the run {run!r}", remedy=near)
            for each in held if len(held) == 1 else (outcome.run for outcome in self._outcomes):
                require_evaluated(held[each], compared)
            result = Result(tuple(held.values()), self.settings, self.settings.policy, per_query=True)
            name, again = ", ".join(self._baseline), "evaluate both with complete=True and the same judgments"
            if self._same is False and not choices.allow_changed_qrels:
                fact = "the baseline was made with other judgments"
                raise InputError(fact, name, f"{again}, or say {option('allow_changed_qrels')}")
            notes = {None: (UNKNOWN_JUDGMENTS,), False: (CHANGED_JUDGMENTS,), True: ()}[self._same]
            return found._replace(baseline=Baseline(name, result, again=again), rankings=rankings, notes=notes)
        with Source(path_of("baseline", self._baseline)) as source:
            read = saved.read(source, warn=warned)
        if any(each.role == "qrels" for each in read.inputs) and (judged := self._judgments()):
            baseline = Baseline(source.name, read, allow_changed=choices.allow_changed_qrels)
            return found._replace(baseline=baseline, inputs=judged, rankings=rankings)
        baseline = Baseline(source.name, replace(read, inputs=()))
        return found._replace(baseline=baseline, rankings=rankings, notes=(UNKNOWN_JUDGMENTS,))

    def _judgments(self) -> tuple[Input, ...]:
        """The file of judgments with its hash, where they are one that can be read twice."""
        path = self._qrels if isinstance(self._qrels, str | os.PathLike) else ""
        if not os.path.isfile(path):
            return ()
        name = os.fsdecode(path)
        with Source(name, digest=True) as source:
            content = few_documents.indexed(judgments_of(name, self.settings)).content
            return (Input("qrels", name, *source.digest(), content),)

    def _rankings(self) -> Rankings | None:
        """The rankings of runs, by the names that they are evaluated under. Raises `UsageError` for other names."""
        if self._qrels is None or self._runs is None:
            if any(each is not None for each in (self._qrels, self._runs, self._baseline_runs)):
                raise UsageError(
                    "qrels and runs are needed together to explain why conditions do not hold",
                    remedy="give both, or none",
                )
            return None
        names = [outcome.run for outcome in self._outcomes]
        for name in self._runs:
            if name not in names:
                fact = f"there is no evaluation of the run {name!r}, which is one of runs"
                raise UsageError(fact, remedy=did_you_mean(name, names))
        from irev.questions.check.baseline import Rankings

        qrels, runs, before = self._qrels, self._runs, self._baseline_runs

        def again(run: Retrieved | None, queries: Collection[bytes]) -> Again | None:
            from irev.questions.check.baseline import Again
            from irev.questions.check.causes import queries_alone

            if run is None:
                return None
            alone = queries_alone(self.settings, queries)
            judgments = few_documents.indexed(judgments_of(qrels, alone))
            with ExitStack() as opened:
                found = ranked_run(judgments, run, alone, opened)
                return Again(found.ranked, found.keep(queries))

        def of_baseline(name: str, queries: Collection[bytes]) -> Again | None:
            (only,) = before.values() if before and len(before) == 1 else (None,)
            return again((before or {}).get(name, only), queries)

        return Rankings(lambda name, queries: again(runs.get(name), queries), of_baseline if before else None)


class _ToCorrect(_ToCheck):
    """Runs in memory under human and predicted judgments, and what they are compared with."""

    predicted: Judged

    def evaluate(self, asked: Required, choices: CheckChoices) -> RunsToJudge:
        """The runs, and what they are compared with. Raises `UsageError` where judgments or runs are not there."""
        from irev.questions.check.answer import Baseline, RunsToJudge
        from irev.questions.check.corrected import BothOutcomes

        names, settings, others = [each.run for each in self._outcomes], self.settings, self._baseline_runs or {}
        if self._qrels is None or not {*names} <= {*(self._runs or {})}:
            raise UsageError(
                "predicted takes judgments and runs", remedy="give qrels and runs, by the names of evaluations"
            )
        if not settings.complete:
            raise UsageError("predicted takes every query into account", remedy="evaluate with complete=True")
        if len(others) > 1 and {*names} != {*others}:
            raise UsageError("baseline_runs has other names than runs", remedy="give one, or one for each run")
        ordered = others if len(others) < 2 else {name: others[name] for name in names}
        before: dict[str, Any] = {f"{name} (before)" if name in names else name: run for name, run in ordered.items()}
        runs: dict[str, Any] = {name: (self._runs or {})[name] for name in names}
        judged = {HUMAN: self._qrels, PREDICTED: self.predicted}
        every: dict[str, Retrieved] = {**runs, **before}
        given = BothJudged(judged, every, (), {})
        given.settings = settings
        outcomes = given.outcomes(replace(settings, queries="qrels"), requests=asked.requests)
        by_human, by_model = ([each for each in outcomes if each.qrels == name] for name in (HUMAN, PREDICTED))
        human, model = (judgments for _, judgments in given.judgments)
        return RunsToJudge(
            by_model[: len(names)],
            settings,
            Baseline(", ".join(ordered), run=by_model[len(names)] if before else None),
            both=BothOutcomes(
                human,
                model,
                by_human,
                by_model,
                lambda: [each.first for each in given.first_documents(settings.depth)[1]],
            ),
        )


def _same_settings(together: Sequence[tuple[str, Evaluation]]) -> Settings:
    """The settings of evaluations. Raises `UsageError` where they differ, or where judged queries are missing."""
    from irev.questions.check.baseline import SAME

    first, settings = together[0][0], together[0][1].settings
    for name, each in together:
        if odd := [field for field in ("complete", *SAME) if getattr(each.settings, field) != getattr(settings, field)]:
            raise UsageError(f"{name!r} was evaluated with another {odd[0]} than {first!r}")
        lacking = each.left_out.not_retrieved
        if not settings.complete and settings.queries == "both" and lacking:
            fact = (
                f"{name!r} was evaluated without {len(lacking)} of the judged queries, because it has no "
                "results for them"
            )
            raise UsageError(fact, remedy="evaluate with complete=True, or with the queries that count in queries=")
        if settings.complete and settings.single_precision and lacking:
            fact = "trec_eval 9.0.8 has no values for queries that a run lacks, but conditions need them"
            raise UsageError(fact, remedy="evaluate with the judged queries listed in queries=")
    return settings


def _outcome(name: str, evaluation: Evaluation, grouping: Mapping[bytes, bytes]) -> Outcome:
    """An evaluation as conditions are judged by it, with a column for each measure, whatever it was called."""
    places = {column.request: place for place, column in reversed([*enumerate(evaluation.scores.columns)])}
    kept = sorted(places.values())
    scores = replace(evaluation.scores, columns=tuple(evaluation.scores.columns[place] for place in kept))
    summary = Summary(tuple(evaluation.summary.values[place] for place in kept))
    return Outcome(name, "", scores, summary, evaluation.facts, in_groups(scores, grouping))


def measures_required(measures: str | Iterable[str], compat: str, **gate: Unpack[Gate]) -> tuple[str, ...]:
    """The measures that runs have to be evaluated by to be checked, by their standard names.

    Those of conditions and of `measures`; where neither names any, those that ``irev check`` takes. Raises `UsageError`
    as `check` does.
    """
    from irev.questions.check.answer import requirements

    choices = _choices(gate, measures)  # what they are compared with is not known yet
    asked = requirements(choices, DEFAULT_MEASURES, compat)
    return tuple(dict.fromkeys(request.standard for request in asked.requests))
