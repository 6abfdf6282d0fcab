"""Runs compared with each other: what is compared, several runs on the same queries.

Values come from an evaluation, from saved results, or from what another program printed (`systems`): a `System` has
them by measure and query, and `align` brings several onto the same queries. Of these, `contrasts` makes a comparison
with tests, intervals and effect sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from irev.base.errors import InputError, UsageError, decimal, option, shown
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints, difference, values_on
from irev.reading.small_files import clusters_of

V = TypeVar("V")


class Quantity(NamedTuple):
    """What was measured.

    Attributes
    ----------
    label, standard : str
        Its name in the style of trec_eval, and as papers write it.
    better : str
        ``higher``, ``lower`` or ``neither``.
    of_one : bool
        Whether values lie between 0 and 1, as far as grades do not name other gains.
    """

    label: str
    standard: str
    better: str = "higher"
    of_one: bool = False


class QueryValues(NamedTuple):
    """A value for each of some queries.

    Attributes
    ----------
    queries : tuple of bytes, length q
        Each once.
    values : float (q,)
    """

    queries: tuple[bytes, ...]
    values: Floats


class Condensed(NamedTuple, Generic[V]):
    """Values of the runs without their unjudged documents, and their shares of judged documents.

    Attributes
    ----------
    depth : int
        The first ranks of which some are not judged.
    judged : QueryValues or (n, k)
        The share of judged documents among them; NaN for a query without results.
    values : QueryValues or (n, k)
        The measure without unjudged documents.
    best : QueryValues or (n, k) or None
        The measure if those among the first ranks had the highest grade, where it has a cutoff.
    retrieved : tuple of float
        For each run, how many judged documents it has for a query, a mean.
    """

    depth: int
    judged: V
    values: V
    best: V | None = None
    retrieved: tuple[float, ...] = ()


def shares_of(condensed: Condensed[Floats]) -> Floats:
    """(n, k) The share of judged documents among the first ranks; 1 for a query without results."""
    return np.where(np.isnan(condensed.judged), 1.0, condensed.judged)


def without_unjudged(measured: Measured) -> Measured:
    """Return the runs measured without their unjudged documents; unchanged if those values are unknown."""
    if measured.condensed is None:
        return measured
    return replace(measured, values=measured.condensed.values, condensed=None)


class System(NamedTuple):
    """A run, by its values.

    Attributes
    ----------
    name : str
    measured : mapping of Quantity to QueryValues
    missing : tuple of bytes
        Judged queries that it has no values of, where these are known.
    condensed : mapping of Quantity to Condensed or str
        Of measures that unjudged documents could change; or why that is unknown, empty if all documents are judged.
    """

    name: str
    measured: Mapping[Quantity, QueryValues]
    missing: tuple[bytes, ...] = ()
    condensed: Mapping[Quantity, Condensed[QueryValues] | str] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Measured:
    """The values of several runs under one measure, on the same queries.

    Attributes
    ----------
    quantity : Quantity
    queries : tuple of bytes, length n
        In the order of their bytes.
    values : (n, k)
        A row for each query, a column for each run.
    cluster : (n,) or None
        The number of each query's cluster; None where queries do not depend on each other.
    condensed : Condensed or None
        The same of its fields, where all runs have it.
    unknown : str
        Why it is unknown whether unjudged documents decide; empty if it is known, or if they cannot.
    """

    quantity: Quantity
    queries: tuple[bytes, ...]
    values: Floats
    cluster: Ints | None = None
    condensed: Condensed[Floats] | None = None
    unknown: str = ""

    @property
    def rows(self) -> int:
        """Number of independent rows: clusters if queries have clusters, otherwise queries."""
        return len(self.queries) if self.clusters is None else self.clusters

    @property
    def clusters(self) -> int | None:
        """Number of clusters, or None if queries have no clusters."""
        return None if self.cluster is None else int(self.cluster.max()) + 1


@dataclass(frozen=True, eq=False)
class Aligned:
    """Several systems on the same queries.

    Attributes
    ----------
    runs : tuple of str
        What they are called.
    measured : tuple of Measured
    filled : tuple of (str, tuple of bytes)
        The queries that a run has no value of, which count as 0.
    left_out : tuple of bytes
        Queries that some of the runs have, and that do not count.
    """

    runs: tuple[str, ...]
    measured: tuple[Measured, ...]
    filled: tuple[tuple[str, tuple[bytes, ...]], ...] = ()
    left_out: tuple[bytes, ...] = ()


def align(systems: Sequence[System], quantities: Sequence[Quantity], both: bool) -> Aligned:
    """Bring systems onto the same queries.

    Parameters
    ----------
    systems : sequence of System
    quantities : sequence of Quantity
        Which all of them have values of.
    both : bool
        Whether only the queries that all have count; otherwise those that any has do, a missing one as 0.

    Raises
    ------
    InputError
        When no query counts, and for a missing query under a measure of which 0 would be the best value.
    """
    of_each = [set[bytes]().union(*(system.measured[each].queries for each in quantities)) for system in systems]
    known = set().union(*of_each, *(system.missing for system in systems))
    counting = set(known).intersection(*of_each) if both else known
    queries = tuple(sorted(counting))
    if not queries:
        raise InputError("no query is in all of the runs", remedy="compare runs of the same queries")
    filled = tuple(
        (system.name, absent)
        for system, has in zip(systems, of_each, strict=True)
        if (absent := tuple(query for query in queries if query not in has))
    )
    for quantity in quantities:
        if filled and quantity.better == "lower":
            run, absent = filled[0]
            fact = (
                f"{run} has no value of {quantity.standard} for query {shown(absent[0])}, and 0 would be the best value"
            )
            raise InputError(
                fact, remedy="compare the runs instead of results, or only queries that all have: --queries both"
            )
    measured = tuple(
        Measured(
            quantity,
            queries,
            _table(queries, [system.measured[quantity] for system in systems]),
            None,
            *_condensed(queries, [system.condensed.get(quantity, "") for system in systems]),
        )
        for quantity in quantities
    )
    return Aligned(tuple(system.name for system in systems), measured, filled, tuple(sorted(known - counting)))


def _table(queries: tuple[bytes, ...], columns: Sequence[QueryValues], absent: float = 0.0) -> Floats:
    """(n, k) The values of queries, by run."""
    table = np.empty((len(queries), len(columns)))
    for place, column in enumerate(columns):
        table[:, place] = values_on(column.values, column.queries, queries, absent=absent)
    return table


def firsts_of(measured: Sequence[Measured]) -> list[int]:
    """For each measure, the place of the first one with the same values of all queries and runs: they are one test."""
    first: dict[bytes, int] = {}
    return [first.setdefault((each.values + 0.0).tobytes(), place) for place, each in enumerate(measured)]


Clusters: TypeAlias = str | Sequence[tuple[bytes, bytes]] | None
"""Clusters as users give them: a file, a regular expression, or pairs of queries and clusters."""


def in_clusters(aligned: Aligned, said: Clusters) -> Aligned:
    """Return these runs with a cluster for each query, as `irev.reading.small_files.clusters_of` reads them.

    Raises
    ------
    InputError
        For a query without a cluster, one cluster for all queries, and one for each.
    """
    if said is None:
        return aligned
    cluster = cluster_numbers(aligned.measured[0].queries, said)
    return replace(aligned, measured=tuple(replace(each, cluster=cluster) for each in aligned.measured))


def cluster_numbers(queries: Sequence[bytes], said: str | Sequence[tuple[bytes, bytes]]) -> Ints:
    """(n,) The number of each query's cluster, from 0. Raises as `in_clusters`."""
    found = clusters_of(queries, said)
    place = {cluster: number for number, cluster in enumerate(dict.fromkeys(found))}
    if len(place) in (1, len(queries)):
        fact = f"{option('clusters')}: " + (
            "all queries are in one cluster" if len(place) == 1 else "each query is a cluster of its own"
        )
        raise InputError(fact, remedy="clusters are groups of some queries that depend on each other")
    return np.array([place[cluster] for cluster in found])


def _condensed(
    queries: tuple[bytes, ...], several: Sequence[Condensed[QueryValues] | str]
) -> tuple[Condensed[Floats] | None, str]:
    """Return the condensed values of all runs, or why some are unknown."""
    known = [each for each in several if not isinstance(each, str)]
    if len(known) < len(several):
        return None, next(
            (each for each in several if isinstance(each, str) and each), "not all runs tell them" if known else ""
        )
    best = [each.best for each in known if each.best is not None]
    condensed = Condensed(
        known[0].depth,
        _table(queries, [each.judged for each in known], absent=np.nan),
        _table(queries, [each.values for each in known]),
        _table(queries, best) if len(best) == len(known) else None,
        tuple(number for each in known for number in each.retrieved),
    )
    return condensed, ""


def nonfinite(measured: Measured) -> tuple[bytes, ...]:
    """Queries for which some run has no finite value."""
    finite = np.isfinite(measured.values)
    return tuple(query for query, row in zip(measured.queries, finite, strict=True) if not row.all())


def pairs_of(runs: int, baseline: int | None) -> list[tuple[int, int]]:
    """Baseline and run of every contrast: all runs against one, or all pairs."""
    if baseline is None:
        return list(combinations(range(runs), 2))
    return [(baseline, run) for run in range(runs) if run != baseline]


def differences_of(values: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    """(n, pairs) Of every query, run minus baseline; 0 where both have the same infinite value."""
    return difference(values[:, [run for _, run in pairs]], values[:, [base for base, _ in pairs]])


def require_margin_within_range(aligned: Aligned, margin: float | None) -> None:
    """Raise `UsageError` for a margin that no difference of these measures can exceed."""
    of_one = all(
        each.quantity.of_one and not ((each.values < 0) | (each.values > 1)).any() for each in aligned.measured
    )
    if margin is not None and margin >= 1 and of_one:
        fact = f"{option('margin')} {decimal(margin)}: all measures lie between 0 and 1, so no difference is larger"
        meant = f"{margin / 100:.12g}" if margin < 100 else "a number below 1"
        raise UsageError(fact, remedy=f"write {meant}")
