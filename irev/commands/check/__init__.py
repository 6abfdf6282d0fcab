"""`irev check`: conditions on runs, and on their changes since a baseline; and the verdict.

This module declares what `irev check` and `irev.check` can be asked, on the command line, in Python, and in
``irev.toml``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from irev.base.choice import (
    ConfigurationFile,
    File,
    Flag,
    Kind,
    NewFiles,
    Real,
    RunFile,
    UpdatedFile,
    Whole,
    Word,
    as_in,
    choice,
)
from irev.base.errors import decimal
from irev.base.records import dataclass
from irev.commands.question import (
    COMPARING,
    ELSEWHERE,
    EVERY_QUERY,
    FORMATS,
    JOBS,
    ORDERING,
    REPORTING,
    Question,
)
from irev.commands.shared import Logged, Systems, cluster_choice


class Conditions(Kind):
    """Conditions on measures, each a text; in Python one text, or several."""

    expected = "texts such as 'RR>0'"
    offers = "measures"

    def __init__(self, metavar: str) -> None:
        self.metavar = metavar

    def check(self, value: Any) -> tuple[str, ...]:
        listed = [value] if isinstance(value, str) else value
        if isinstance(listed, Mapping) or not hasattr(listed, "__iter__"):
            raise ValueError(self.expected)
        texts = tuple(listed)
        if not all(isinstance(text, str) for text in texts):
            raise ValueError(self.expected)
        return texts


class Limits(Conditions):
    """Measures and their limits, ``nDCG@10=0.42``; in Python also a dictionary of them, or a limit for all measures."""

    expected = "limits such as {'nDCG@10': 0.01}"

    def check(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, Mapping):
            return tuple(f"{name}={self._limit(limit)}" for name, limit in value.items())
        one = hasattr(value, "__float__") and not hasattr(value, "__iter__")
        return (self._limit(value),) if one else super().check(value)

    def _limit(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, float):  # any, of which more is said where conditions are read
            return decimal(value)
        try:
            whole = hasattr(value, "__index__") and not isinstance(value, bool)
            number = Whole(1 - LARGEST, LARGEST - 1).check(value) if whole else Real(-math.inf).check(value)
        except ValueError:
            raise ValueError(self.expected) from None
        return decimal(number) if isinstance(number, float) else str(number)


LARGEST = 1 << 63
"""Of whole numbers, which TOML allows this size; longer ones could not even be written."""


class Level(Real):
    """A level of significance; above a half, bounds at this level would lie the wrong way round."""

    metavar = "ALPHA"

    def __init__(self) -> None:
        super().__init__(0, 0.5, open_ends=True)
        self.expected = "a number between 0 and 0.5"


_CHANGES = "max_drop|no_worse_than|max_share_losing"
"""The conditions that tests and bounds are about; of a drop only where it has to be significant."""

_BASELINE, _SIGNIFICANCE = "Baseline", "Significance"


def _condition(says: str, kind: Kind, **more: str) -> tuple[str, ...]:
    """Something that is required."""
    made: tuple[str, ...] = choice((), says, kind, several=True, heading="Conditions", **more)
    return made


def _against(says: str, metavar: str) -> tuple[str, ...]:
    """Something that is required of what became of a run since a baseline."""
    return _condition(says, Limits(metavar), needs="baseline|baseline_run")


@dataclass(frozen=True)
class CheckChoices:
    """What is required of runs, what they are compared with, and where the verdict goes."""

    files: tuple[str, ...] = as_in(Systems, "files")
    scores: bool = as_in(Systems, "scores", typed=True)
    config: str | None = choice(
        None,
        "take files and options from FILE. Default: irev.toml, or [tool.irev] in pyproject.toml, when no files are"
        " named",
        ConfigurationFile(),
        typed=True,
    )
    min: tuple[str, ...] = _condition("the lowest value that is allowed", Limits("NAME=VALUE"))
    max: tuple[str, ...] = _condition("the highest value that is allowed", Limits("NAME=VALUE"))
    every_query: tuple[str, ...] = _condition(
        "what must hold for every query: a measure, one of > >= < <= =, and a value",
        Conditions("NAME>VALUE"),
    )
    max_drop: tuple[str, ...] = _against(
        "the largest drop from the baseline that is allowed: 0.01, or 2% of its value", "NAME=VALUE"
    )
    no_worse_than: tuple[str, ...] = _against("a test must show that the loss is smaller than this", "[NAME=]VALUE")
    max_query_losses: tuple[str, ...] = _against("how many queries may be worse than in the baseline", "[NAME=]N")
    max_share_losing: tuple[str, ...] = _against(
        "at most SHARE of all queries may lose more than LOSS, shown by an exact upper bound",
        "NAME>LOSS=SHARE",
    )
    baseline: str | None = choice(
        None,
        "a saved result to compare with",
        UpdatedFile("update_baseline"),
        not_with="baseline_run",
        heading=_BASELINE,
    )
    baseline_run: str | None = choice(None, "a run to compare with", RunFile(), heading=_BASELINE)
    significant: float | None = choice(
        None,
        "a drop fails only if a one-sided test at this level, corrected over all conditions, shows that it is"
        " larger than allowed",
        Level(),
        needs=_CHANGES,
        heading=_SIGNIFICANCE,
    )
    undecided: str | None = choice(
        None,
        "what a condition counts as when the queries are too few to tell. Default: pass with --significant, fail with"
        " --no-worse-than and --max-share-losing",
        Word(("fail", "pass")),
        needs=f"{_CHANGES} significant|no_worse_than|max_share_losing",
        heading=_SIGNIFICANCE,
    )
    clusters: str | tuple[tuple[bytes, bytes], ...] | None = cluster_choice(
        needs=f"{_CHANGES} significant|no_worse_than|max_share_losing"
    )
    allow_changed_qrels: bool = choice(
        False,
        "compare although the judgments have changed since the baseline was made",
        Flag(),
        needs="baseline",
        heading=_BASELINE,
    )
    update_baseline: bool = choice(
        False,
        "write the result to the baseline when all conditions hold",
        Flag(),
        needs="baseline",
        typed=True,
        heading=_BASELINE,
    )
    groups: str | None = choice(None, "groups of queries, for conditions about some of them", File())
    also: tuple[tuple[str, str], ...] = choice(
        (),
        "also write FILE. KIND is junit, a report of tests; comment, Markdown for a pull request; page, HTML with the"
        " reasons and what irev report shows",
        NewFiles(("junit", "comment", "page")),
        several=True,
        heading="Output",
    )
    log: str | None = as_in(Logged, "log", typed=True)

    @property
    def paged(self) -> bool:
        """Whether a page is written."""
        return any(kind == "page" for kind, _ in self.also)


QUESTION = Question(
    "check",
    about="""Check that every RUN is as good as it must be, and end with status 1 if one is not.

Every judged query counts, a query without results as an empty ranking. Conditions are about a measure, or about
`queries`, `missing`, `tied`, `judged` or `unjudged`; `run:NAME/` and `group:NAME/` before it narrow them down.
RESULTs stand for judgments and runs: what `irev eval -q -f json` saved, or what another evaluator wrote.""",
    example="irev check --min nDCG@10=0.7 --min RR=0.6 qrels.txt semantic.run",
    files="QRELS RUN… | RESULT…",
    choices=CheckChoices,
    shared=(
        JOBS,
        ELSEWHERE,
        REPORTING,
        EVERY_QUERY,
        "query_weights",
        COMPARING,
        FORMATS,
        ORDERING,
        "document_of",
        "compat",
    ),
    around="check",
)
