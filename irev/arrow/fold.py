"""Folding: from values of queries, which come as a stream of tables, to the values for all queries.

Sums of floats depend on the order of what is added. It is that of the queries' bytes, as everywhere in irev, so that
the tables must come in this order; then what comes out is what `irev.evaluate` gives, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from irev.arrow.facts import REMEDY, QrelsFacts
from irev.arrow.kernel import LOGARITHM, QUERY, WEIGHT
from irev.base.settings import Settings
from irev.base.text import decoded, encoded
from irev.doors.api.measures import requests_by_name
from irev.doors.api.options import Options, settings_of
from irev.errors import InputError, UsageError
from irev.evaluation.scores import Column, Scores
from irev.evaluation.summary import Folding, Summary
from irev.measures import Request

if TYPE_CHECKING:
    import pyarrow


class Fold:
    """The values for all queries of a run, from tables of `evaluate_tables`.

    Memory does not grow with the number of queries, but for aggregates that are asked for by name (``agg=median``),
    which look at all values together: these are kept, in eight bytes each.

    Parameters
    ----------
    measures : str or iterable of str
        As they were evaluated.
    facts : QrelsFacts, optional
        Needed where all judged queries count (`complete`), and refused to do without there.
    tag : str
        The run id, which ``runid`` gives.
    **options
        As they were evaluated.
    """

    def __init__(
        self,
        measures: str | Iterable[str] = (),
        *,
        facts: QrelsFacts | None = None,
        tag: str = "run",
        **options: Unpack[Options],
    ) -> None:
        settings = settings_of(options)
        self._begin(requests_by_name(measures, settings.compat), settings, facts, encoded(tag))

    @classmethod
    def of(cls, named: dict[str, Request], settings: Settings, facts: QrelsFacts | None, tag: bytes) -> Fold:
        """The same, given what measures and options come to."""
        fold = cls.__new__(cls)
        fold._begin(named, settings, facts, tag)
        return fold

    def _begin(self, named: dict[str, Request], settings: Settings, facts: QrelsFacts | None, tag: bytes) -> None:
        if settings.complete and facts is None:
            raise UsageError("complete=True averages over all judged queries, which are to be counted", remedy=REMEDY)
        self._named, self._settings, self._facts, self._tag = named, settings, facts or QrelsFacts(), tag
        self._folding = Folding(named.values())
        self._last: bytes | None = None
        self._summary: Summary | None = None
        self.queries = 0

    def add(self, table: pyarrow.Table) -> None:
        """Take the values of the next queries.

        Raises
        ------
        InputError
            For queries that do not rise by their bytes, and for a table without the column of a measure.
        """
        if self._summary is not None:
            raise RuntimeError("values come after they were folded")
        self._require_rising(_in_bytes(self._column(table, QUERY)))
        self._folding.add([self.column(table, name, request) for name, request in self._named.items()])
        self.queries += table.num_rows

    def _require_rising(self, queries: list[bytes]) -> None:
        last = self._last
        for query in queries:
            if last is not None and query <= last:
                fact = f"query {decoded(query)!r} comes after {decoded(last)!r}"
                raise InputError(fact, "values of queries", "sort them by the bytes of the query")
            last = query
        self._last = last

    def column(self, table: pyarrow.Table, name: str, request: Request) -> Column:
        """The column of a measure in a table of `evaluate_tables`, as evaluations have it."""
        measure = request.measure
        if not measure.per_query and measure.summary != "geometric mean":
            return Column(request, np.ones(table.num_rows, dtype=np.int64))
        if measure.kind == "text":
            return Column(request, np.array([*_in_bytes(self._column(table, name)), None], dtype=object)[:-1])
        values = self._column(table, name if measure.per_query else name + LOGARITHM).to_numpy()
        weighted = name + WEIGHT in table.column_names
        return Column(request, values, self._column(table, name + WEIGHT).to_numpy() if weighted else None)

    def _column(self, table: Any, name: str) -> Any:
        if name not in table.column_names:
            there = ", ".join(table.column_names)
            raise InputError(f"there is no column {name!r}", "values of queries", f"there are {there}")
        return table.column(name)

    @property
    def summary(self) -> Summary:
        """The value for all queries of each measure, in their order."""
        if self._summary is None:
            self._summary = self._folding.summary(self.scores())
        return self._summary

    def scores(self, queries: tuple[bytes, ...] | None = None, columns: tuple[Column, ...] = ()) -> Scores:
        """What there is to know of all queries together, with the values of these queries where they are wanted."""
        return Scores(
            queries=range(self.queries) if queries is None else queries,  # type: ignore[arg-type]  # their number alone
            columns=columns,
            considered=self._facts.queries if self._settings.complete else self.queries,
            complete=self._settings.complete,
            positive_judgments=self._facts.positive_judgments,
            tag=self._tag,
        )

    def mean(self) -> dict[str, float]:
        """The value for all queries of each measure, as `irev.Evaluation.mean` gives it; measures that are texts have
        none. It is NaN where no query counts."""
        values = zip(self._named, self.summary.values, strict=True)
        return {name: value for name, value in values if isinstance(value, int | float)}


def _in_bytes(column: Any) -> list[bytes]:
    """A column of texts as bytes."""
    import pyarrow

    large = pyarrow.large_binary()
    return [bytes(query) for query in column.cast(large, safe=False).to_pylist()]
