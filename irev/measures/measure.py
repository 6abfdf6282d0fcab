"""What a measure is: one function and one record, registered in one place by the decorator `measure`.

A measure of one family looks like this, and nothing else anywhere needs to know of it::

    @measure("success", over=Cutoffs(1, 5, 10))
    def success(ranked: Ranked, k: int) -> Floats:
        '''Whether a relevant document stands among the first k results: 1 or 0.
        ...
        '''
        return (ranked.relevant_within(k) > 0).astype(np.float64)

The docstring is the documentation page. A function returns one number per query, or, when the measure is a
sum over ranks, its `Terms`, which the engine adds; a text measure returns one byte string per query.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from irev import segments
from irev.measures.parameters import NONE, Parameter
from irev.ranked import Ranked
from irev.registry import Registry
from irev.segments import Floats, Ints

Kind = Literal["real", "count", "text"]
"""How the values of a measure print: with decimals, as a whole number, as they are."""

Summary = Literal["mean", "sum", "geometric mean", "queries", "run tag", "judged relevant", "none"]
"""How the values of a measure become the line for all queries; `irev.aggregation` has a function for each."""


@dataclass(frozen=True, eq=False)
class Terms:
    """A measure as a sum over ranks: ``times · Σ values / over`` for each query, added in rank order, 0
    where `over` is 0.

    Attributes
    ----------
    owner, rank : int (t,)
        Query and rank of each term, in the order of `Ranked`.
    values : float (t,)
        The terms.
    over : float (q,) or float
        What divides the sum.
    times : float
        What multiplies it.
    """

    owner: Ints
    rank: Ints
    values: npt.NDArray[Any]
    over: npt.NDArray[Any] | float = 1.0
    times: float = 1.0

    def total(self, queries: int) -> Floats:
        """The value of each of `queries` queries."""
        return segments.ratio(self.times * segments.total(self.values, self.owner, queries), self.over)


Values = Floats | Ints | Terms | list[bytes]

Function = TypeVar("Function", bound=Callable[..., Values])


@dataclass(frozen=True, eq=False)
class Measure:
    """One measure: what it is called, computed by, printed as, and summarised by.

    Attributes
    ----------
    name : str
        The name that trec_eval uses, such as ``ndcg_cut``.
    function : callable
        ``function(ranked)`` or ``function(ranked, parameter)``.
    parameter : Parameter
        What may follow the name, and its defaults.
    kind, summary : str
        See `Kind` and `Summary`.
    per_query : bool
        Whether its value for a single query is printed.
    new_in_10 : bool
        Whether trec_eval 9.0.8 lacks it.
    """

    name: str
    function: Callable[..., Values]
    parameter: Parameter
    kind: Kind
    summary: Summary
    per_query: bool
    new_in_10: bool

    @property
    def documentation(self) -> str:
        """The definition: the docstring of its function."""
        return self.function.__doc__ or ""

    def compute(self, ranked: Ranked, value: Any) -> npt.NDArray[Any]:
        """One value per query: float64, int64, or byte strings (object) for a text measure."""
        result = self.function(ranked) if self.parameter is NONE else self.function(ranked, value)
        if isinstance(result, Terms):
            return result.total(ranked.size)
        if isinstance(result, list):
            return np.array([*result, None], dtype=object)[:-1]
        return result


MEASURES: Registry[Measure] = Registry("measure")


def measure(
    name: str,
    *,
    over: Parameter = NONE,
    kind: Kind = "real",
    summary: Summary | None = None,
    per_query: bool = True,
    new_in_10: bool = False,
) -> Callable[[Function], Function]:
    """Register the decorated function as measure `name`.

    Counts are summed over queries and reals averaged unless `summary` says otherwise.
    """

    def register(function: Function) -> Function:
        rule: Summary = summary or ("sum" if kind == "count" else "mean")
        MEASURES.add(name, Measure(name, function, over, kind, rule, per_query, new_in_10))
        return function

    return register
