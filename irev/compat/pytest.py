"""Quality as a test of pytest: `assert_quality`, which fails with the reasons that ``irev check`` gives.

pytest finds this module by its entry point and has the fixture of that name from it; nothing of irev that evaluates is
imported before a test asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from irev.base.errors import IrevError, UsageError

if TYPE_CHECKING:
    from typing import Unpack

    from irev.api.gate import GateOptions
    from irev.commands.check.verdict import Verdict
    from irev.evaluation.objects import Judged, Path, Retrieved


def assert_quality(
    qrels: Judged,
    run: Retrieved,
    *conditions: str,
    baseline: Path | None = None,
    baseline_run: Retrieved | None = None,
    groups: Mapping[str, str] | None = None,
    allow_changed_qrels: bool = False,
    **choices: Unpack[GateOptions],
) -> Verdict:
    """Fail, with reasons, unless a run is as good as it must be.

    Every judged query counts, a query without results as an empty ranking, unless `Options.queries` asks for others.

    Parameters
    ----------
    qrels : path, nested dictionary, data frame, arrays, or Qrels
    run : path, nested dictionary, data frame, arrays, or Run
    *conditions : str
        A measure, ``>=`` or ``<=``, and a number: ``nDCG@10 >= 0.4``; what ``min`` and ``max`` of `Gate` say otherwise.
    baseline : path, optional
        A result that ``irev check --update-baseline`` or ``irev eval -c -q -f json`` saved.
    baseline_run : path, nested dictionary, data frame, arrays, or Run, optional
        A run in its place.
    groups : mapping of str to str, optional
        The group of each query, for conditions about some of them: ``group:hard/RR >= 0.4``.
    allow_changed_qrels : bool
        Whether the baseline may have been made under other judgments.
    **choices
        Other conditions and how they are judged, see `irev.Gate`; how runs are evaluated, see `irev.Options`.

    Returns
    -------
    Verdict
        As `irev.check` gives it, of a run that passed.

    Raises
    ------
    AssertionError
        For a condition that does not hold; its text is what was required and measured, and why.
    UsageError, InputError
        As `irev.check` does: a test that cannot be judged is no test that passed.
    """
    __tracebackhide__ = True
    try:
        about = {"baseline": baseline, "groups": groups, "allow_changed_qrels": allow_changed_qrels}
        found = _verdict(qrels, run, conditions, baseline_run, {**choices}, about)
    except IrevError as error:
        raise error.with_traceback(None) from None  # what was wrong stands in its text, and where is not in irev
    if not found.holds:
        raise AssertionError("\n".join(found.report().lead))
    return found


@pytest.fixture(name="assert_quality", scope="session")
def _assert_quality() -> Any:
    """Fail unless a run is as good as it must be: assert_quality(qrels, run, "nDCG@10 >= 0.4")."""
    return assert_quality


def _verdict(
    qrels: Judged,
    run: Retrieved,
    conditions: Iterable[str],
    before: Retrieved | None,
    choices: dict[str, Any],
    about: dict[str, Any],
) -> Verdict:
    from irev.api import Evaluator, check
    from irev.api.gate import Gate, GateOptions, measures_required
    from irev.api.options import require_known
    from irev.base.settings import CURRENT
    from irev.base.text import decoded

    require_known(choices, GateOptions)
    if about["baseline"] is not None and before is not None:
        raise UsageError("baseline and baseline_run exclude each other")
    gate: dict[str, Any] = {name: choices.pop(name) for name in Gate.__annotations__ if name in choices}
    for kind, texts in _limits(conditions).items():
        gate[kind] = [*texts, *_given(kind, gate)]
    if "queries" not in choices:
        choices.setdefault("complete", True)
    named = measures_required(choices.get("compat", CURRENT), **gate)
    evaluator = Evaluator(qrels, named, **choices)
    made = evaluator._evaluated(run)
    name = decoded(made.scores.tag)
    if before is not None:
        about |= {"baseline": evaluator._evaluated(before), "baseline_runs": {name: before}}
    return check({name: made}, qrels=qrels, runs={name: run}, **about, **gate)


_CONDITION = re.compile(r"(?P<about>(?:(?!>=|<=).)+?)\s*(?P<sign>>=|<=)\s*(?P<limit>[^<>=]+)")


def _limits(conditions: Iterable[str]) -> dict[str, list[str]]:
    """Conditions as texts of `Gate`, by its names. Raises `UsageError` for what is none."""
    found: dict[str, list[str]] = {}
    for condition in conditions:
        read = _CONDITION.fullmatch(condition.strip()) if isinstance(condition, str) else None
        if read is None:
            remedy = (
                "expected a measure, >= or <=, and a number; other conditions are keywords, such as "
                "max_drop={'AP': 0.01}"
            )
            raise UsageError(f"{condition!r} is not a condition", remedy=remedy)
        found.setdefault("min" if read["sign"] == ">=" else "max", []).append(f"{read['about']}={read['limit']}")
    return found


def _given(kind: str, gate: Mapping[str, Any]) -> Iterable[str]:
    """What a keyword says of the lowest or highest values already, as texts."""
    from irev.api.options import no_value
    from irev.commands.check import Limits

    try:
        return Limits("").check(gate.get(kind, ()))
    except ValueError as error:
        raise no_value(kind, gate[kind], str(error)) from None
