"""What a measure is: one function and one record, registered in one place by the decorator `measure`.

A measure of one family looks like this, and nothing else anywhere needs to know of it::

    @measure("success", over=Cutoffs(1, 5, 10), standard="Success", also=("ranx hit_rate@k",), bounds="rising")
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
from dataclasses import field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.registry import Registry, docstring, import_all
from irev.base.segments import Array, Floats, Ints
from irev.measures.parameters import NONE, Option, Parameter
from irev.reading.fields import GRADES

if TYPE_CHECKING:
    from irev.measures.gains import Gained

TREC_ORDER = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret"),
    *("map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    *("relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
    *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair"),
    *("prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret"),
    *("prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
    *("map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "yaap", "rbp", "rbp_resid", "unj"),
)
"""trec_eval's order of output, and so that of its lines here, whatever the order of the requests."""

_PREFS = tuple(name for name in TREC_ORDER if name.startswith("prefs_"))

SETS: dict[str, tuple[str, ...]] = {
    "official": TREC_ORDER[: TREC_ORDER.index("P") + 1],
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_trec": tuple(
        name
        for name in TREC_ORDER
        if name not in ("dcg", "ideal_dcg", "yaap") and not name.startswith("prefs_") and not name.endswith("_avgjg")
    ),
    "all_prefs": ("runid", "num_q", *_PREFS),
    "prefs": ("runid", "num_q", *_PREFS[:6]),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
"""Nicknames. `official` is what an evaluation without ``-m`` gives."""

OF_OTHER_JUDGMENTS = ("all_prefs", "prefs", "qrels_jg")
"""The sets of measures that grades of documents are not enough for."""


Kind = Literal["real", "count", "text"]
"""How the values of a measure print: with decimals, as a whole number, as they are."""

Summary = Literal["mean", "sum", "geometric mean", "queries", "run tag", "judged relevant", "none"]
"""How the values of a measure become the line for all queries; `irev.evaluation.scores` has a function for each."""


Bounds = Literal["fixed", "rising", "search", "share", "none"]
"""How the lowest and highest value that a measure could have are found, when any retrieved document without a judgment
may turn out relevant or not; `irev.extensions.bounds` has a method for each.

``fixed``: what unjudged documents are does not matter. ``rising``: a better grade of one document never lowers the
value, or never raises it. ``search``: neither holds, as the number of relevant documents grows too, but for any number
of them the value is highest when they stand at the highest ranks and lowest when they stand at the lowest, or the other
way round. ``share``:
the value is a share of the ideal gain, and unjudged documents may have any grade. ``none``: no method is known.
"""

Better = Literal["higher", "lower", "neither"]

ORDER_FREE = "order free"
"""What stands for the expected value over ties of a measure for which the order of the results does not matter."""


@dataclass(frozen=True, eq=False)
class Weighted:
    """Values of which the line for all queries is not the plain mean but Σ weight · value / Σ weight."""

    values: Floats
    weights: Floats


class MadeOf(NamedTuple):
    """The gains that terms were made of, for whoever explains them.

    Attributes
    ----------
    run : Gained
        The retrieved documents with a gain.
    ideal : Gained or None
        The ideal ranking, where the measure is a share of what that has.
    depth : int or None
        Where both are cut.
    discounted : bool
        Whether a term is a gain divided by the discount of its rank, or the gain itself.
    """

    run: Gained
    ideal: Gained | None = None
    depth: int | None = None
    discounted: bool = True


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
    made_of : MadeOf or None
        Where each term is the gain of a document, discounted or not, these gains; they have no influence on the value.
    precisions : bool
        Whether the n-th term of a query is n / rank, which explanations then write as a fraction.
    by_rank : bool
        Whether the rank of a document is what its term falls with, so that whatever stands above it matters.
    """

    owner: Ints
    rank: Ints
    values: Array
    over: Array | float = 1.0
    times: float = 1.0
    made_of: MadeOf | None = None
    precisions: bool = False
    by_rank: bool = True

    def total(self, queries: int) -> Floats:
        """The value of each of `queries` queries."""
        return segments.ratio(self.times * segments.total(self.values, self.owner, queries), self.over)


def part_of(term: float, times: float, over: float) -> float:
    """What a term is of the value of its query."""
    return times * term / over if over else 0.0


Values: TypeAlias = "Floats | Ints | Terms | Weighted | list[bytes]"

Function = TypeVar("Function", bound=Callable[..., Values])


def free(options: dict[str, Any]) -> bool:
    """What says of most measures that they do not look at costs."""
    return False


@dataclass(frozen=True, eq=False)
class Measure:
    """One measure: what it is called, computed by, printed as, and summarised by.

    Attributes
    ----------
    name : str
        The name that trec_eval uses, such as ``ndcg_cut``, or would use.
    function : callable
        ``function(ranked)`` or ``function(ranked, parameter)``, with its options as keyword arguments.
    parameter : Parameter
        What may follow the name, and its defaults.
    kind, summary : str
        See `Kind` and `Summary`.
    standard : str
        The name in papers, such as ``nDCG``; what stands between brackets and after ``@`` is added to it. Two measures
        may share it when one of them is the other at a cutoff.
    per_query : bool
        Whether its value for a single query is printed.
    new_in_10 : bool
        Whether trec_eval has it, but 9.0.8 does not.
    options : dict of str to Option
        What can be chosen by name.
    cut : str
        What a cutoff means for a measure whose parameter is none: ``depth``, the same of the first k results; or the
        name of the measure that it is then; or nothing, when it makes no sense.
    at_level : str
        The measure that it is when a relevance level is asked for, where that is another.
    graded : bool
        Whether it looks at grades and not at the relevance level; a level asked for by ``rel=`` then takes the gain
        from the grades below it.
    better : str
        Which value is the better one: the ``higher``; the ``lower``, or, of what is not known, the less; or
        ``neither``, where it is no merit of a run.
    better_of : (str, dict of str to str)
        An option, and which value is the better one for values of it for which that is another.
    also : tuple of str
        What other tools call it: ``ranx precision@k``, and what is to be chosen then: ``ranx ndcg_burges@k gain=exp``.
        What stands in its call without a name is named in parentheses: ``cwl-eval BPMCWLMetric (T,k) max_rel=1``.
    expected : callable, str or None
        Its expected value over all orders of documents that tie, a function like `function`; `ORDER_FREE`; or None
        where no closed form is offered.
    bounds : str
        See `Bounds`.
    unbounded : (str, tuple of str)
        An option, and values of it with which there are no bounds, whatever `bounds` says.
    at_ranks : bool
        Whether it is made of precision or recall at some ranks, which an explanation then has at each.
    of : str
        The kind of judgments that it needs, as a format of judgments calls it; grades, which are in all, unless given.
    costs : callable
        ``costs(options)``: whether it looks at what results cost, given those of its options that are.
    beyond_one : bool
        Whether values may be above 1, or below 0.
    within_one : (str, tuple of str)
        An option, and the only values of it with which values lie between 0 and 1, if it is not `beyond_one`.
    """

    name: str
    function: Callable[..., Values]
    parameter: Parameter
    kind: Kind
    summary: Summary
    standard: str
    per_query: bool = True
    new_in_10: bool = False
    options: dict[str, Option] = field(default_factory=dict)
    cut: str = ""
    at_level: str = ""
    graded: bool = False
    better: Better = "higher"
    better_of: tuple[str, dict[str, Better]] = ("", {})
    also: tuple[str, ...] = ()
    expected: Callable[..., Values] | str | None = None
    bounds: Bounds = "none"
    at_ranks: bool = False
    of: str = GRADES
    costs: Callable[[dict[str, Any]], bool] = free
    unbounded: tuple[str, tuple[str, ...]] = ("", ())
    beyond_one: bool = False
    within_one: tuple[str, tuple[str, ...]] = ("", ())

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[str, ...]]:
        """Sent and copied by its name: there is one of each in a process, and its functions stay where they are."""
        return (_called, (self.name,)) if self.computed else (foreign, (self.name, self.better))

    @property
    def computed(self) -> bool:
        """Whether irev can compute it: False for a measure of another program."""
        return self.function is not _of_another

    @property
    def documentation(self) -> str:
        """The definition: the docstring of its function."""
        return docstring(self.function)

    @property
    def numeric(self) -> bool:
        """Whether it has a number for each query that can be summarised in more than one way."""
        return self.kind != "text" and self.per_query

    @property
    def of_one(self) -> bool:
        """Whether values lie between 0 and 1, as far as grades do not name other gains."""
        return self.kind == "real" and self.of == GRADES and not self.beyond_one

    def arguments(self, value: Any, options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What its functions take after the rankings: the parameter where there is one, and every option."""
        chosen = {name: options.get(name, option.default) for name, option in self.options.items()}
        return (() if self.parameter is NONE else (value,)), chosen


def _of_another(ranked: object) -> Values:
    """Stand in for the function of a measure that another program computed: its values are read, never computed."""
    raise TypeError("values of this measure are read from files")


@cache
def foreign(name: str, better: Better) -> Measure:
    """Return the measure of another program that has this name: there is one for each name and direction."""
    return Measure(name, _of_another, NONE, "real", "mean", name, better=better, beyond_one=True)


def summed(values: Values, queries: int) -> Array:
    """One value per query: float64, int64, or byte strings (object) for a text measure."""
    if isinstance(values, Terms):
        return values.total(queries)
    if isinstance(values, Weighted):
        return values.values
    if isinstance(values, list):
        return np.array([*values, None], dtype=object)[:-1]
    return values


MEASURES: Registry[Measure] = Registry("measure", partial(import_all, "irev.measures.families"), added="measures")


def _called(name: str) -> Measure:
    """The measure of this name, of which another process may only have the name."""
    return MEASURES.find(name)


def measure(
    name: str,
    *,
    standard: str,
    over: Parameter = NONE,
    kind: Kind = "real",
    summary: Summary | None = None,
    **about: Any,
) -> Callable[[Function], Function]:
    """Register the decorated function as measure `name`; the fields are those of `Measure`.

    Counts are summed over queries and reals averaged unless `summary` says otherwise.
    """

    def register(function: Function) -> Function:
        rule: Summary = summary or ("sum" if kind == "count" else "mean")
        MEASURES.add(name, Measure(name, function, over, kind, rule, standard, **about))
        return function

    return register
