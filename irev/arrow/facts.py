"""Facts about all judgments together, which tables of some queries cannot tell: counted once, and handed in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

from irev.arrow.columns import JUDGMENTS, read_columns
from irev.arrow.faults import earliest_fault
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.doors.api.options import Options, settings_of
from irev.errors import InputError, UsageError
from irev.measures import Request
from irev.reading import memory

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class QrelsFacts:
    """What is true of all judgments. Facts of tables that share no query add up: ``facts + more``.

    Attributes
    ----------
    queries : int
        Judged queries.
    judgments : int
        Judgments, of whatever grade.
    positive_judgments : int
        Judgments with a grade above 0.
    highest_grade : float
        The highest grade; minus infinity where there are no judgments.
    """

    queries: int = 0
    judgments: int = 0
    positive_judgments: int = 0
    highest_grade: float = -math.inf

    def __add__(self, other: QrelsFacts) -> QrelsFacts:
        return QrelsFacts(
            self.queries + other.queries,
            self.judgments + other.judgments,
            self.positive_judgments + other.positive_judgments,
            max(self.highest_grade, other.highest_grade),
        )


def qrels_facts(qrels: pyarrow.Table, **options: Unpack[Options]) -> QrelsFacts:
    """The facts of a table of judgments.

    Parameters
    ----------
    qrels : pyarrow.Table or RecordBatch
        All judgments, or all of some queries, the facts of which then add up.
    **options
        As for the evaluation; of these `negative` and the names of columns matter.

    Raises
    ------
    InputError
        For a table without the columns, and for a row that is no judgment (`irev.errors.RowError`).
    """
    settings = settings_of(options)
    columns = read_columns(qrels, JUDGMENTS, settings)
    if not columns.rows:
        return QrelsFacts()
    try:
        judgments = memory.judgments(columns.table, columns.settings, JUDGMENTS)
    except InputError as error:
        raise earliest_fault(columns, settings) or error from None
    return QrelsFacts(len(judgments.queries), columns.rows, judgments.positive, judgments.highest)


def lacking(requests: dict[str, Request], settings: Settings) -> Iterator[tuple[str, str]]:
    """The requests whose values depend on facts about all judgments, each with the fact that it needs."""
    for name, request in requests.items():
        measure = request.measure
        chosen = {option: default.default for option, default in measure.options.items()} | dict(request.options)
        best = "auto" in (value for value in chosen.values() if isinstance(value, str))
        if (best and settings.gains is None) or (request.bound and measure.graded):
            yield name, "the highest grade of all judgments"


def require_facts(requests: dict[str, Request], settings: Settings) -> None:
    """Raise `UsageError` for the first request whose values depend on facts that were not handed in."""
    for name, fact in lacking(requests, settings):
        raise UsageError(f"measure '{name}' needs {fact}, which a table of some queries cannot tell", remedy=REMEDY)


REMEDY = "hand in facts=irev.arrow.qrels_facts(…)"
