"""Single queries: the measures that have a value for each, and queries that somebody names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from irev.base.registry import did_you_mean
from irev.base.settings import LOOKED_AT_BY
from irev.errors import InputError, UsageError, escaped, shown
from irev.measures import Request, parse
from irev.measures.parameters import Warn
from irev.reading.judgments import Judgments


def requests_of(measures: Sequence[str], compat: str, warn: Warn = lambda message: None) -> tuple[Request, ...]:
    """What names ask for that has a value for a single query, in the order of the names; `LOOKED_AT_BY` of none.

    Raises
    ------
    UsageError
        For a name that is none, and where nothing has such a value.
    """
    texts = measures or [LOOKED_AT_BY]
    each = [parse([text], compat) for text in texts]
    order = {request: place for place, found in reversed(list(enumerate(each))) for request in found}
    requests = parse(texts, compat, warn)
    warn_of_aggregates(requests, warn)
    return of_single_queries(sorted(requests, key=lambda request: order.get(request, len(texts))))


def warn_of_aggregates(requests: Iterable[Request], warn: Warn) -> None:
    """Say which aggregates are left out where values of single queries are what counts."""
    for request in requests:
        if request.aggregate:
            warn(f"single queries have no aggregate: {request.standard} is computed as {request.base.standard}")


def require_judged(queries: Iterable[bytes], judgments: Judgments) -> None:
    """Raise `InputError` for a query that is not judged, with those that look like it."""
    for query in queries:
        if query not in judgments.index:
            known = [each.decode("utf-8", "backslashreplace") for each in judgments.queries]
            near = did_you_mean(
                query.decode("utf-8", "backslashreplace"), known, f"judged is {known[0]!r}, for example"
            )
            raise InputError(f"query {shown(query)} has no judgments", judgments.name, escaped(near))


def of_single_queries(requests: Iterable[Request]) -> tuple[Request, ...]:
    """The requests that have a value for a single query, without their aggregates.

    Raises `UsageError` where none has.
    """
    asked = tuple(requests)
    kept = tuple(dict.fromkeys(request.base for request in asked if request.measure.per_query))
    if asked and not kept:
        raise UsageError(
            f"the measure '{asked[0].label}' has no value for a single query", remedy="choose one that has"
        )
    return kept


def scaled(total: float, times: float, over: float) -> float:
    """``times · total / over``, 0 where `over` is 0."""
    return times * total / over if over else 0.0
