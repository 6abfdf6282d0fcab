"""Names to requests and back: what ``-m`` accepts, and what is printed.

A request names a measure as trec_eval does (``map``, ``P.5,10``, ``ndcg.1=3,2=9``), by a label that was
printed (``P_10``), by the name of a set (``official``), or as papers and other tools write it (``nDCG@10``,
``AP(rel=2)``; see `irev.measures.spellings`). Several requests for one measure add up: ``-m P.5 -m P.10`` gives both,
and parameters that are given replace the defaults of a bare name.

What trec_eval does not have follows after the dot in the same way, as ``name=value``: the options of a measure, and
what any measure takes, which `MODIFIERS` lists. Its label is made alike, ``recip_rank_10,rel=2``, and parses back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from irev.base import segments
from irev.base.errors import UsageError, decimal
from irev.base.records import dataclass
from irev.base.registry import absent, did_you_mean
from irev.base.settings import CURRENT, LOOKED_AT_BY, SINGLE_PRECISION
from irev.measures.measure import MEASURES, SETS, TREC_ORDER, Better, Bounds, Measure
from irev.measures.parameters import NONE, Cutoffs, FlagParameter, Levels, Pairs, RealParameter, Value, Warn

MODIFIERS = {
    "k": "only the first k results, where that makes sense",
    "rel": "lowest grade that counts as relevant",
    "judged_only": "true: without unjudged documents",
    "agg": "how values of queries are combined: mean, gmean, median, min, max, sd, sum, or a quantile such as q25",
    "bound": "low or high: the lowest or highest value over all possible judgments of unjudged results",
    "unjudged": "bootstrap: the expected value if each unjudged result had the grade of a random judged document of "
    "the query; the measure needs a cutoff",
}
"""What any measure takes by name."""

LOW, HIGH, BOOTSTRAP = "low", "high", "bootstrap"

_LEVEL = RealParameter(1.0, 0.0)
_CUTOFFS = Cutoffs()
_AS_A_CALL = r".*[@(].*|\w+_at_[0-9]+|rbp[.@][0-9]+|.+-l[0-9]+"
"""Texts that no name or label of trec_eval looks like."""


@dataclass(frozen=True)
class Request:
    """One line of output: a measure with one value of its parameter, and how it is to be taken.

    Attributes
    ----------
    measure : Measure
    value : Value
        The parameter, `Value(None, "")` for a measure that takes none.
    options : tuple of (str, value)
        Options of the measure that are not at their defaults, in the order of the measure.
    k : int or None
        Cutoff, for a measure whose parameter is none.
    level : float or None
        Relevance level, where it is not that of the settings.
    judged_only : bool
        Drop documents without a judgment before anything is cut, and close the ranks.
    bound : str
        ``low`` or ``high`` for a bound instead of the value; ``bootstrap`` for the expected value where grades of
        unjudged documents are drawn.
    aggregate : str
        How the line for all queries is made, where not by the rule of the measure.
    """

    measure: Measure
    value: Value
    options: tuple[tuple[str, Any], ...] = ()
    k: int | None = None
    level: float | None = None
    judged_only: bool = False
    bound: str = ""
    aggregate: str = ""

    @property
    def base(self) -> Request:
        """What each query's value is computed from: the same without the aggregate."""
        return replace(self, aggregate="") if self.aggregate else self

    @property
    def plain(self) -> bool:
        """Whether trec_eval has it too."""
        return self.measure.name in TREC_ORDER and self == Request(self.measure, self.value)

    @property
    def cutoff(self) -> int | None:
        """The last rank that it looks at, where it was told one."""
        of_parameter = int(self.value.value) if isinstance(self.measure.parameter, Cutoffs) else None
        return of_parameter if self.k is None else self.k

    @property
    def better(self) -> Better:
        """Which value is the better one."""
        option, known = self.measure.better_of
        chosen = dict(self.options).get(option)
        return known.get(chosen, self.measure.better) if isinstance(chosen, str) else self.measure.better

    @property
    def bounds(self) -> Bounds:
        """How its bounds are found."""
        option, values = self.measure.unbounded
        return "none" if dict(self.options).get(option) in values else self.measure.bounds

    @property
    def of_one(self) -> bool:
        """Whether values lie between 0 and 1, of queries and of all, unless the settings give gains of their own."""
        option, values = self.measure.within_one
        within = not values or dict(self.options).get(option, values[0]) in values
        return self.measure.of_one and within and not self._has_own_gains and self.aggregate != "sum"

    @property
    def _has_own_gains(self) -> bool:
        """Whether the measure was given gains, which may be below 0."""
        pairs = self.value.value if isinstance(self.measure.parameter, Pairs) else ()
        return "gains" in dict(self.options) or any(isinstance(key, int) for key, _ in pairs)

    @property
    def costs(self) -> bool:
        """Whether it looks at what results cost."""
        return self.measure.costs(dict(self.options))

    @property
    def label(self) -> str:
        """The printed name in the style of trec_eval, ``P_10`` or ``recip_rank_10,rel=2``, which `parse` accepts."""
        name, value = self.measure.name, self.value.label
        extra = [f"{key}={self.measure.options[key].write(chosen)}" for key, chosen in self.options]
        if self.k is not None and self.measure.parameter is NONE:
            value = f"_{self.k}"
        elif self.k is not None:
            extra.append(f"k={self.k}")
        extra += self._modifiers()
        if extra and isinstance(self.measure.parameter, Levels) and float(value[1:]) != self.value.value:
            value = f"_{decimal(self.value.value)}"  # trec_eval's two decimals would be another level
        return name + value + (("," if value else "_") + ",".join(extra) if extra else "")

    @property
    def standard(self) -> str:
        """The name as papers write it, ``P@10`` or ``RR(rel=2)@10``, which `parse` accepts too.

        It states what papers choose differently: ``RBP(p=0.8)``.
        """
        inside, cut = self.measure.parameter.call(self.value)
        given = dict(self.options)
        written = [
            f"{key}={option.call(given.get(key, option.default))}"
            for key, option in self.measure.options.items()
            if key in given or option.stated
        ]
        inside = [*written, *inside, *self._modifiers()]
        cut = str(self.k) if self.k is not None else cut
        return self.measure.standard + (f"({','.join(inside)})" if inside else "") + (f"@{cut}" if cut else "")

    @property
    def bound_key(self) -> str:
        """The modifier that asks for `bound`."""
        return "unjudged" if self.bound == BOOTSTRAP else "bound"

    def _modifiers(self) -> list[str]:
        return [
            *([f"rel={decimal(self.level)}"] if self.level is not None else []),
            *(["judged_only=true"] if self.judged_only else []),
            *([f"{self.bound_key}={self.bound}"] if self.bound else []),
            *([f"agg={self.aggregate}"] if self.aggregate else []),
        ]


def parse(
    texts: Iterable[str],
    compat: str = CURRENT,
    warn: Warn = lambda message: None,
    aggregates: tuple[str, ...] = (),
    bounds: bool = False,
) -> tuple[Request, ...]:
    """What the given ``-m`` texts ask for, in their order, and a set in its own.

    Parameters
    ----------
    texts : iterable of str
        The texts; none at all means ``official``.
    compat : str
        Version of trec_eval: 9.0.8 lacks some measures.
    warn : callable
        Called with a sentence when something is read in a way that its author may not expect.
    aggregates : tuple of str
        Aggregates (`irev.base.segments`) that every measure with a number for each query gets, one request for each.
    bounds : bool
        Whether every measure that unjudged documents could change gets its bounds beside it.

    Raises
    ------
    UsageError
        For an unknown name, or a parameter that the measure does not take, with what was probably meant.
    """
    asked: dict[str, list[Value]] = {}
    wanted: list[Request] = []
    for text in [name for listed in texts or ("official",) for name in several(listed)]:
        if text in SETS:
            wanted += (Request(each, _BARE) for each in map(MEASURES.find, SETS[text]) if _exists(each, compat))
            continue
        for request in read(text, warn):
            if not _exists(request.measure, compat):
                raise UsageError(
                    f"trec_eval {compat} has no measure '{request.measure.name}'",
                    remedy=f"leave out --compat {compat}",
                )
            if request.plain and request.value is not _BARE:
                asked.setdefault(request.measure.name, []).append(request.value)
            wanted.append(request)
    each = [one for request in wanted for one in (_meant(request, asked) if request.plain else [request])]
    each = [bounded for request in dict.fromkeys(each) for bounded in _bounded(request, bounds)]
    return tuple(dict.fromkeys(one for request in each for one in _aggregated(request, aggregates)))


def others_in(requests: Iterable[Request]) -> dict[str, Request]:
    """Return the requests whose measures another program computed, by their names."""
    return {each.label: each for each in requests if not each.measure.computed}


def parse_among(names: Sequence[str], others: Mapping[str, Request], compat: str, warn: Warn) -> tuple[Request, ...]:
    """What `parse` reads in names, of which some may be measures that another program computed."""
    from irev.base.directions import directed  # which no evaluation needs

    labels = {name: directed(name)[0] for name in names}
    own = [name for name in names if labels[name] not in others]
    parsed = parse(own, compat, warn) if own else ()
    return tuple(dict.fromkeys((*(others[label] for label in labels.values() if label in others), *parsed)))


def is_measure(text: str) -> bool:
    """Return True if `parse` reads the text."""
    try:
        return bool(parse([text]))
    except UsageError:
        return False


def _meant(request: Request, asked: dict[str, list[Value]]) -> list[Request]:
    """What a request as in trec_eval stands for: a bare name for the usual parameters, unless others are asked for."""
    measure, values = request.measure, asked.get(request.measure.name, [])
    if request.value is _BARE:
        return [] if values else [Request(measure, value) for value in measure.parameter.defaults]
    if not measure.parameter.merges:  # what is printed alike is asked for once
        return [Request(measure, next(value for value in reversed(values) if value.label == request.value.label))]
    return [Request(measure, next(value for value in reversed(values) if value.value == request.value.value))]


def in_trec_order(requests: Iterable[Request]) -> tuple[Request, ...]:
    """The requests in trec_eval's order, with their bounds and aggregates; then those that it does not have."""

    def place(request: Request) -> tuple[int, float]:
        if not replace(request, bound="", aggregate="").plain:
            return len(TREC_ORDER), 0.0
        return TREC_ORDER.index(request.measure.name), request.value.value if request.measure.parameter.merges else 0.0

    return tuple(sorted(requests, key=place))


def _exists(measure: Measure, compat: str) -> bool:
    return not (compat == SINGLE_PRECISION and measure.new_in_10)


def _bounded(request: Request, wanted: bool) -> list[Request]:
    """The request, and its bounds where they are wanted and can differ from it."""
    measure = request.measure
    if not wanted or request.bounds == "fixed" or measure.kind == "text" or request.bound:
        return [request]
    return [request, *(_with_bound(request, bound) for bound in (LOW, HIGH))]


def _with_bound(request: Request, bound: str) -> Request:
    return _consistent(replace(request, bound=bound))


def _consistent(request: Request) -> Request:
    """The request, when what was asked for together goes together, in whatever order it was."""
    if request.bound in (LOW, HIGH) and request.bounds == "none":
        raise UsageError(
            f"there are no bounds for the measure '{request.measure.name}': no exact method is known",
            remedy="ask for it without bounds",
        )
    if request.bound and request.judged_only:
        what = "expected value" if request.bound == BOOTSTRAP else "bounds"
        raise UsageError(
            f"'{request.label}' has no {what}, because unjudged documents are removed",
            remedy="leave out judged_only=true",
        )
    if request.bound in (LOW, HIGH) and request.aggregate == "sd":
        raise UsageError("the standard deviation of bounds is not a bound", remedy="choose another aggregate")
    return request


def _aggregated(request: Request, names: tuple[str, ...]) -> list[Request]:
    """The request once for each aggregate, where none was asked for with it and the measure has more than one."""
    if not names or request.aggregate or not request.measure.numeric:
        return [request]
    return [_with_aggregate(request, name) for name in names]


def _with_aggregate(request: Request, name: str) -> Request:
    if not request.measure.numeric:
        raise UsageError(
            f"measure '{request.measure.name}' has no number for each query that could be aggregated",
            remedy=f"leave out agg={name}",
        )
    return _consistent(replace(request, aggregate="" if name == request.measure.summary else name))


def weighted(requests: Iterable[Request]) -> tuple[Request, ...]:
    """The requests, each once, of which those that are means are means by the weights of queries."""
    found = (
        _with_aggregate(each, segments.WEIGHTED)
        if each.measure.numeric and not each.aggregate and each.measure.summary == "mean"
        else each
        for each in requests
    )
    return tuple(dict.fromkeys(found))


def among(text: str, requests: Iterable[Request], per_query: bool) -> Request:
    """The one of the requests that a text names, to sort queries by, or runs.

    Raises `UsageError` when none of them is that, with a number for each query, or for all of them.
    """
    requests = tuple(requests)
    named = parse([text])
    for request in (*(each for each in requests if each in named), *requests):
        if (request in named or request.base in named) and request.measure.kind != "text":
            if per_query and not request.measure.numeric:
                fact = f"--sort {text}: it has only one number for all queries, which cannot sort single queries"
                raise UsageError(fact, remedy="leave out -q")
            return request
    there = ", ".join(request.label for request in requests[:8])
    raise UsageError(f"--sort {text}: it must be one of the measures of the result", remedy=f"as {there}")


# From text


_BARE = Value(None, "bare")
"""Stands for the values of a bare name, which other requests for the measure replace."""


_NEXT = r",(?=\s*[0-9]*[A-Za-z][^,=]*(?:[(,]|$))(?![^(]*\))"


def several(text: str) -> list[str]:
    """The texts of the measures in a list: ``P.5,10,AP`` is ``P.5,10`` and ``AP``.

    After a comma outside of parentheses a measure begins where a letter does, perhaps behind digits, and no key of a
    parameter, ``key=value``.
    """
    return [name.strip() for name in re.split(_NEXT, text)] if "," in text else [text]


def read(text: str, warn: Warn = lambda message: None) -> list[Request]:
    """The requests that one text makes; the value of a bare trec_eval name is still open.

    Raises `UsageError`.
    """
    try:
        return _read(text, warn)
    except UsageError:
        if MEASURES.more():  # another package may have it
            from irev.measures import spellings as calls

            calls.spellings.cache_clear()
            return _read(text, warn)
        where = absent("measures", *(text[: end.start()] for end in re.finditer(r"[^A-Za-z0-9]|$", text)))
        if where:
            raise UsageError(f"the measure '{text}' is {where}") from None
        raise


def _read(text: str, warn: Warn) -> list[Request]:
    is_word = text.replace("_", "").isalnum()
    if is_word and (measure := MEASURES.first(lambda each: text in (each.name, each.standard))) is not None:
        if text != measure.name:
            return _called(text, warn)
        return [Request(measure, _BARE)] if text in TREC_ORDER else resolved(measure, [], [], warn)
    if re.fullmatch(_AS_A_CALL, text, re.DOTALL):
        return _called(text, warn)
    name, dot, parameters = text.partition(".")
    if dot and name in SETS:
        raise UsageError(
            f"'{name}' is a set of measures and takes no parameter, but '{parameters}' follows it",
            remedy="name the measure, for example -m P.5",
        )
    if not (dot and name in MEASURES):
        name, parameters = _label(text)
    if name not in MEASURES:
        return _called(text, warn)
    measure = MEASURES[name]
    if not parameters:
        raise UsageError(f"there is nothing after the dot in '{text}'", remedy=f"expected {measure.parameter.form}")
    keyed, positional = [], []
    for part in parameters.split(","):
        key, equals, value = part.partition("=")
        if equals and (key in MODIFIERS or key in measure.options):
            keyed.append((key, value))
        else:
            positional.append(part)
    return resolved(measure, positional, keyed, warn)


def _label(text: str) -> tuple[str, str]:
    """A printed label in two: the longest name of a measure that begins it, and the rest."""
    name = max((name for name in MEASURES if text.startswith(f"{name}_")), key=len, default="")
    rest = text[len(name) + 1 :]
    # Without a number or a key it is none: ranx has a measure called dcg_burges.
    return (name, rest) if re.search("[0-9=]", rest) else ("", "")


def _called(text: str, warn: Warn) -> list[Request]:
    from irev.measures import spellings as calls  # rarely needed, and it looks at every name

    call = calls.read(text, is_measure)
    return resolved(call.measure, [], list(call.arguments), warn)


def resolved(measure: Measure, positional: list[str], keyed: list[tuple[str, str]], warn: Warn) -> list[Request]:
    """The requests for a measure with what stands after its name: parts without a key, and keys with their texts."""
    names = [key for key, _ in keyed]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"'{name}' is given twice for measure '{measure.name}'")
    if measure.cut and measure.cut in MEASURES and (cutoffs := _cutoffs(positional, keyed)):
        return resolved(MEASURES[measure.cut], cutoffs, _without_cutoff(positional, keyed), warn)
    if measure.at_level and "rel" in names:
        return resolved(MEASURES[measure.at_level], positional, keyed, warn)
    request, cutoffs, options = Request(measure, _BARE), [], {}
    for key, text in keyed:
        called = f"'{key}' of measure '{measure.name}'"
        named = measure.parameter.named(key, text)
        if key in measure.options:
            options[key] = measure.options[key].read(called, text)
        elif key == "k":
            cutoffs = text.split(",")
        elif key in MODIFIERS:
            request = _modified(request, key, called, text)
        elif named is not None:
            positional = [*positional, *named]
        else:
            raise _unknown_parameter(measure, key)
    chosen = {
        key: options[key]
        for key in measure.options
        if options.get(key, _BARE) not in (_BARE, measure.options[key].default)
    }
    request = _consistent(replace(request, options=tuple(chosen.items())))
    found = [
        replace(request, value=value, k=k) for value, k in _values(measure, positional, cutoffs, request.plain, warn)
    ]
    return [require_cutoff(each) if each.bound == BOOTSTRAP else each for each in found]


def require_cutoff(request: Request) -> Request:
    """Raise `UsageError` where grades would be drawn for documents of any rank, or change nothing."""
    if request.bounds == "fixed" or request.measure.kind == "text":
        raise UsageError(f"{request.standard} does not change with unjudged documents", remedy="choose another measure")
    if request.cutoff is None:
        fact = f"{request.standard}: grades are drawn for unjudged documents of the first results only"
        raise UsageError(fact, remedy="choose a measure with a cutoff, such as nDCG@10")
    return request


def bootstrapped(names: Sequence[str], compat: str = CURRENT, warn: Warn = lambda message: None) -> list[str]:
    """The names of the same measures as expected values; of those that unjudged documents do not change, the same.

    Raises `UsageError` for a measure without a cutoff.
    """
    requests = (
        each if each.bounds == "fixed" or each.measure.kind == "text" else replace(each, bound=BOOTSTRAP)
        for each in parse(names, compat, warn)
    )
    return [(require_cutoff(_consistent(each)) if each.bound == BOOTSTRAP else each).standard for each in requests]


def _cutoffs(positional: list[str], keyed: list[tuple[str, str]]) -> list[str]:
    """The cutoffs that follow the name of a measure which has another name with a cutoff."""
    by_name = [part for key, text in keyed if key == "k" for part in text.split(",")]
    plain = [part for part in positional if "=" not in part]
    return by_name or (plain if any(part.strip().isdecimal() for part in plain) else [])


def _without_cutoff(positional: list[str], keyed: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What else follows it; pairs of grade and gain become the option ``gains``."""
    pairs = [part.replace("=", ":", 1) for part in positional if "=" in part]
    gains = [("gains", ";".join(pairs))] if pairs else []
    return [(key, text) for key, text in keyed if key != "k"] + gains


def _modified(request: Request, key: str, called: str, text: str) -> Request:
    if key == "rel":
        return replace(request, level=float(_LEVEL.read(called, text)))
    if key == "judged_only":
        return _consistent(replace(request, judged_only=FlagParameter().read(called, text)))
    if key == "agg":
        return _with_aggregate(request, segments.known_aggregate(text))
    if key == "unjudged":
        if text != BOOTSTRAP:
            raise UsageError(f"'{text}' is no value of {called}", remedy=f"expected {BOOTSTRAP}")
        return _with_bound(request, BOOTSTRAP)
    if text not in (LOW, HIGH):
        raise UsageError(f"'{text}' is no value of {called}", remedy=f"expected {LOW} or {HIGH}")
    return _with_bound(request, text)


def _unknown_parameter(measure: Measure, key: str) -> UsageError:
    known = [*measure.options, *(name for name in MODIFIERS if name != "k" or measure.cut)]
    return UsageError(
        f"measure '{measure.name}' has no parameter '{key}'",
        remedy=did_you_mean(key, known) or f"it has {', '.join(known)}",
    )


def _values(
    measure: Measure, positional: list[str], cutoffs: list[str], plain: bool, warn: Warn
) -> list[tuple[Value, int | None]]:
    """Each value of the parameter with each cutoff; a bare name of trec_eval leaves its value open."""
    name, parameter = measure.name, measure.parameter
    ks: list[int | None] = [None]
    if isinstance(parameter, Cutoffs | Levels):
        positional = [*positional, *cutoffs]
    elif measure.cut == "depth" and (cutoffs or (parameter is NONE and positional and "=" not in positional[0])):
        given = cutoffs or positional
        positional = positional if cutoffs else []
        ks = [value.value for value in _CUTOFFS.parse(name, ",".join(given), warn)]
        plain = False
    elif cutoffs:
        raise UsageError(f"measure '{name}' takes no cutoff", remedy=_depth_instead(cutoffs))
    if not positional:
        return [(value, k) for k in ks for value in ((_BARE,) if plain else parameter.defaults)]
    try:
        values = parameter.parse(name, ",".join(positional), warn)
    except UsageError as error:
        numbers = parameter is NONE and all(part.isdecimal() for part in positional)
        raise UsageError(error.fact, remedy=_depth_instead(positional) if numbers else error.remedy) from None
    return [(value, k) for k in ks for value in values]


def _depth_instead(cutoffs: list[str]) -> str:
    return f"-M {cutoffs[0]} cuts the run at that depth, for every measure" if len(cutoffs) == 1 else ""


# Single queries


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
