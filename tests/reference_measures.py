"""The slow, obvious definitions that judge the fast measures: those that trec_eval does not have, written as loops over
lists, and the others by `reference`. Nothing is shared with the package.

Two questions that the package answers in closed form are answered here by trying everything: what a measure is worth
on average when tied documents stand in any order, and between which values it lies whatever the unjudged results are.
"""

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import reference


class Refused(Exception):
    """The measure has no value here: a grade is above the highest one, or the collection is too small or unknown."""


class Document(NamedTuple):
    """A result."""

    grade: float | None = None  # None where the judgments of the query do not name it; negative where it is not judged


@dataclass(frozen=True)
class Query:
    """All that a measure may look at."""

    results: tuple[Document, ...]  # in rank order
    missed: tuple[float, ...] = ()  # grades of the documents that were not retrieved
    level: float = 1.0
    highest: float = 3.0  # highest grade of the whole file of judgments
    collection_size: int = 0
    missing: bool = False  # not in the run

    @property
    def n(self) -> int:
        return len(self.results)

    @property
    def relevant(self) -> list[int]:
        """Ranks of the relevant results."""
        return [i for i, result in self.ranked if is_relevant(result.grade, self)]

    @property
    def ranked(self) -> list[tuple[int, Document]]:
        return list(enumerate(self.results, start=1))

    @property
    def judged(self) -> list[float]:
        """Grades of all judged documents, retrieved or not."""
        every = [result.grade for result in self.results] + list(self.missed)
        return [grade for grade in every if is_judged(grade)]

    @property
    def R(self) -> int:
        return len([grade for grade in self.judged if grade >= self.level])


def is_judged(grade: float | None) -> bool:
    return grade is not None and grade >= 0


def is_relevant(grade: float | None, query: Query) -> bool:
    return is_judged(grade) and grade >= query.level


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def total(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) if all(map(math.isfinite, numbers)) else sum(numbers)


# Other views of a query


def cut(query: Query, k: int | None) -> Query:
    """Only the first k results; the others were not retrieved."""
    if k is None:
        return query
    gone = [result.grade for result in query.results[k:] if result.grade is not None]
    return replace(query, results=query.results[:k], missed=(*query.missed, *gone))


def only_judged(query: Query) -> Query:
    """Without the results that have no judgment."""
    return replace(query, results=tuple(result for result in query.results if is_judged(result.grade)))


def without_gain_below(query: Query, level: float) -> Query:
    def lowered(grade: float | None) -> float | None:
        return 0.0 if is_judged(grade) and grade < level else grade

    results = tuple(result._replace(grade=lowered(result.grade)) for result in query.results)
    return replace(query, results=results, missed=tuple(map(lowered, query.missed)))


# Gains and discounts

Gains = Sequence[tuple[float, float]]
"""Pairs of grade and gain; the grade -1 is a document that is not named, -2 one that is named but not judged."""


def worth(grade: float | None, gain: str, gains: Gains) -> float:
    given = dict(gains)
    if grade is None:
        return given.get(-1, 0.0)
    if grade < 0:
        return given.get(-2, 0.0)
    if grade in given:
        return given[grade]
    return 2.0**grade - 1.0 if gain == "exp" else float(grade)


def gains_of_results(query: Query, gain: str, gains: Gains) -> list[float]:
    return [worth(result.grade, gain, gains) for result in query.results]


def gains_of_ideal(query: Query, gain: str, gains: Gains) -> list[float]:
    every = [worth(grade, gain, gains) for grade in query.judged]
    return sorted((each for each in every if each > 0), reverse=True)


def discount_at(i: int, discount: str, base: float) -> float:
    if discount == "zipf":
        return 1.0 / i
    if discount == "jarvelin2002":
        return 1.0 if i < base else 1.0 / (math.log(i) / math.log(base))
    return 1.0 / math.log2(i + 1)


def discounted(gains: list[float], discount: str, base: float) -> float:
    return total([gain * discount_at(i, discount, base) for i, gain in enumerate(gains, start=1)])


def dcg(query: Query, pairs: Gains, gain: str = "linear", discount: str = "log2", base: float = 2.0) -> float:
    return discounted(gains_of_results(query, gain, pairs), discount, base)


def ideal_dcg(query: Query, pairs: Gains, gain: str = "linear", discount: str = "log2", base: float = 2.0) -> float:
    return discounted(gains_of_ideal(query, gain, pairs), discount, base)


def ndcg(query: Query, pairs: Gains, **options: object) -> float:
    return share(dcg(query, pairs, **options), ideal_dcg(query, pairs, **options))


def dcg_cut(
    query: Query, k: int, gain: str = "linear", gains: Gains = (), discount: str = "log2", base: float = 2.0
) -> float:
    return discounted(gains_of_results(query, gain, gains)[:k], discount, base)


def ndcg_cut(
    query: Query, k: int, gain: str = "linear", gains: Gains = (), discount: str = "log2", base: float = 2.0
) -> float:
    options = (gain, gains, discount, base)
    return share(dcg_cut(query, k, *options), ideal_dcg_cut(query, k, *options))


def ideal_dcg_cut(
    query: Query, k: int, gain: str = "linear", gains: Gains = (), discount: str = "log2", base: float = 2.0
) -> float:
    return discounted(gains_of_ideal(query, gain, gains)[:k], discount, base)


def cg(query: Query, _: None, gain: str = "linear", gains: Gains = ()) -> float:
    return total(gains_of_results(query, gain, gains))


def ncg(query: Query, k: int, gain: str = "linear", gains: Gains = ()) -> float:
    return share(total(gains_of_results(query, gain, gains)[:k]), total(gains_of_ideal(query, gain, gains)[:k]))


# Other measures of grades


def grades_or_zero(query: Query) -> list[float]:
    return [result.grade if is_judged(result.grade) else 0.0 for result in query.results]


def err(query: Query, _: None, gmax: float | str = 4.0) -> float:
    highest = query.highest if gmax == "auto" else gmax
    if any(grade > highest for grade in query.judged):
        raise Refused("a grade is above the highest one")
    goes_on = 1.0
    value = 0.0
    for i, grade in enumerate(grades_or_zero(query), start=1):
        satisfied = (2.0**grade - 1.0) / 2.0**highest
        value += goes_on * satisfied / i
        goes_on *= 1.0 - satisfied
    return value


def q_measure(query: Query, _: None, beta: float = 1.0) -> float:
    ideal = sorted(query.judged, reverse=True)
    grades = grades_or_zero(query)
    value = 0.0
    for found, i in enumerate(query.relevant, start=1):
        value += (found + beta * total(grades[:i])) / (i + beta * total(ideal[:i]))
    return share(value, query.R)


def gap(query: Query, _: None) -> float:
    grades = grades_or_zero(query)
    value = 0.0
    for i, grade in enumerate(grades, start=1):
        if grade > 0:
            value += total([min(grade, above) for above in grades[:i]]) / i
    return share(value, total(query.judged))


def rbp(query: Query, pairs: Sequence[tuple[object, float]], gmax: float | str = "query") -> float:
    if gmax == "query":
        return of_trec_eval("rbp", query, pairs)
    highest = query.highest if gmax == "auto" else gmax
    p = dict(pairs).get("p", 0.9)
    gains = gains_of_results(query, "linear", [pair for pair in pairs if pair[0] != "p"])
    value = total([gain * p ** (i - 1) for i, gain in enumerate(gains, start=1)])
    return (1 - p) * share(value, highest) if highest > 0 else 0.0


def binrbp(query: Query, _: None, p: float = 0.8) -> float:
    return (1 - p) * total([p ** (i - 1) for i in query.relevant])


def binrbp_resid(query: Query, _: None, p: float = 0.8) -> float:
    unjudged = [i for i, result in query.ranked if not is_judged(result.grade)]
    return (1 - p) * total([p ** (i - 1) for i in unjudged]) + p**query.n


def compat(query: Query, _: None, p: float = 0.95, normalize: object = True, depth: object = 1000) -> float:
    run: list[object] = list(range(query.n))
    positive = [(grade, place) for place, grade in enumerate(grades_or_zero(query)) if grade > 0]
    positive += [(grade, query.n + place) for place, grade in enumerate(query.missed) if grade > 0]
    ideal = [place for _, place in sorted(positive, key=lambda pair: (-pair[0], pair[1]))]
    depth = max(len(run), len(ideal)) if depth == "longest" else depth
    score = rank_biased_overlap(run, ideal, p, int(depth))
    if normalize in (False, "false"):
        return score
    return share(score, rank_biased_overlap(ideal, ideal, p, int(depth)))


def rank_biased_overlap(first: list[object], second: list[object], p: float, depth: int) -> float:
    score = norm = 0.0
    weight = 1.0
    of_first: set[object] = set()
    of_second: set[object] = set()
    for i in range(depth):
        of_first |= set(first[i : i + 1])
        of_second |= set(second[i : i + 1])
        score += weight * len(of_first & of_second) / (i + 1)
        norm += weight
        weight *= p
    return share(score, norm)


# User models: C/W/L, each by the probability C_i of going on from every rank


def user_model(
    continuing: Callable[..., list[float]], fixed_depth: bool = False, thrifty: bool = False
) -> Callable[..., float]:
    """The measure of a reader, given ``continuing(gains, parameter, **options)``, every C_i; of one that is thrifty,
    ``cost``, what every result costs, is among the options."""

    def value(
        query: Query,
        parameter: int | None,
        of: str = "EU",
        max_rel: float | str = "auto",
        min_rel: float = 0.0,
        clip: bool = False,
        gain: str = "linear",
        depth: float = 1000,
        max_cost: float = 1.0,
        min_cost: float = 1.0,
        **options: float,
    ) -> float:
        high = query.highest if max_rel == "auto" else max_rel
        last = int(parameter if fixed_depth else depth)
        if not clip and max([0.0, *query.judged]) > high:
            raise Refused
        scaled = (lambda x: 2**x - 1) if gain == "exp" else float
        found = {}
        for unknown, cost in ((0.0, max_cost), (1.0, min_cost)):
            gains = [
                share(*(scaled(grade - min_rel) for grade in (min(max(result.grade, min_rel), high), high)))
                if is_judged(result.grade)
                else unknown
                for result in query.results
            ]
            gains = [*gains, *[unknown] * last][:last]
            likely = continuing(gains, parameter, **options, **({"cost": cost} if thrifty else {}))
            found[unknown] = quantity(of.removeprefix("Res"), gains, likely, cost)
        return found[1.0] - found[0.0] if of.startswith("Res") else found[0.0]

    return value


def quantity(of: str, gains: list[float], continuing: list[float], cost: float) -> float:
    """One of the five, by W and by L; the last rank is the last one."""
    continuing = [*continuing[: len(gains) - 1], 0.0]
    viewed = [*itertools.accumulate(continuing[:-1], initial=1.0, func=operator.mul)]
    last = [v * (1 - c) for v, c in zip(viewed, continuing, strict=True)]
    costs = [cost] * len(gains)
    if of == "ED":
        return sum(viewed)
    worth = costs if "C" in of else gains
    if of.startswith("ET"):
        so_far = list(itertools.accumulate(worth))
        return sum(stop * seen for stop, seen in zip(last, so_far, strict=True))
    return sum(v * x for v, x in zip(viewed, worth, strict=True)) / sum(viewed)


def until(last: list[bool]) -> list[float]:
    """1 before the first rank that is the last one."""
    going = True
    return [float(going := going and not each) for each in last]


def ahead(gains: list[float], _: None) -> list[float]:
    weighed = [gain / i for i, gain in enumerate(gains, start=1)]
    rest = [*reversed([*itertools.accumulate(reversed(weighed))]), 0.0]
    return [share(rest[i + 1], rest[i]) for i in range(len(weighed))]


def bejeweled(
    gains: list[float], k: int, T: float = 1.0, hb: float = 0.0, hc: float = 0.0, usual: float = 0.0, cost: float = 1.0
):
    stops, gained = [], 0.0
    for i, gain in enumerate(gains, start=1):
        gained += gain
        stops.append(gained >= T or i * cost >= k)
        T, k = T + hb * (gain - usual), k + hc * (gain - usual)
    return until(stops)


def of_size(i: int, T: float) -> float:
    return ((i + 2 * T - 1) / (i + 2 * T)) ** 2


def ranks(gains: list[float]) -> range:
    return range(1, len(gains) + 1)


USER_MODELS = {
    "cwl_p": user_model(lambda gains, k: [1.0] * len(gains), True),
    "cwl_rr": user_model(lambda gains, _: until([gain > 0 for gain in gains])),
    "cwl_ap": user_model(ahead),
    "cwl_rbp": user_model(lambda gains, _, p=0.9: [p] * len(gains)),
    "sdcg": user_model(lambda gains, k: [math.log(i + 1) / math.log(i + 2) for i in ranks(gains)], True),
    "inst": user_model(
        lambda gains, _, T=1.0: [of_size(i, T - seen / 2) for i, seen in enumerate(itertools.accumulate(gains), 1)]
    ),
    "insq": user_model(lambda gains, _, T=1.0: [of_size(i, T) for i in ranks(gains)]),
    "bpm": user_model(bejeweled, thrifty=True),
    "bpm_dynamic": user_model(
        lambda gains, k, T=1.0, hb=1.0, hc=1.0, usual=0.5, cost=1.0: bejeweled(gains, k, T, hb, hc, usual, cost),
        thrifty=True,
    ),
    "nerr8": user_model(lambda gains, k: [1 - gain for gain in gains], True),
    "nerr9": user_model(lambda gains, k: [(1 - gain) * i / (i + 1) for i, gain in enumerate(gains, 1)], True),
    "nerr10": user_model(lambda gains, _, p=0.9: [(1 - gain) * p for gain in gains]),
    "nerr11": user_model(lambda gains, _, T=1.0: [(1 - x) * of_size(i, T) for i, x in enumerate(gains, 1)]),
    "tbg": user_model(lambda gains, _, halflife=224.0, cost=1.0: [2 ** (-cost / halflife)] * len(gains), thrifty=True),
}


# Cut and set


def f_of(p: float, r: float, beta: float) -> float:
    return share((1 + beta * beta) * p * r, beta * beta * p + r)


def found_within(query: Query, k: int) -> int:
    return len([i for i in query.relevant if i <= k])


def f(query: Query, k: int, beta: float = 1.0) -> float:
    return f_of(found_within(query, k) / k, share(found_within(query, k), query.R), beta)


def knn_recall(query: Query, k: int, of: int | str = "k") -> float:
    n = k if of == "k" else int(of)
    best = sorted((grade for grade in query.judged if grade >= query.level), reverse=True)[:n]
    found = [
        result for _, result in cut(query, k).ranked if best and is_judged(result.grade) and result.grade >= best[-1]
    ]
    return min(len(found), len(best)) / len(best) if best else 0.0


def set_f(query: Query, weights: Sequence[float], beta: float | str | None = None) -> float:
    if not isinstance(beta, float):
        return of_trec_eval("set_F", query, weights)
    return f_of(share(len(query.relevant), query.n), share(len(query.relevant), query.R), beta)


def map_(query: Query, _: None, over: str = "relevant") -> float:
    return map_cut(query, query.n, over)


def map_cut(query: Query, k: int, over: str = "relevant") -> float:
    precisions = [found / i for found, i in enumerate(query.relevant, start=1) if i <= k]
    return share(total(precisions), len(precisions) if over == "found" else query.R)


def map_cap(query: Query, k: int) -> float:
    precisions = [found / i for found, i in enumerate(query.relevant, start=1) if i <= k]
    return share(total(precisions), min(query.R, k))


def set_success(query: Query, _: None) -> float:
    return 1.0 if query.relevant else 0.0


def tp(query: Query, _: None) -> int:
    return len(query.relevant)


def fp(query: Query, _: None) -> int:
    return query.n - len(query.relevant)


def fn(query: Query, _: None) -> int:
    return query.R - len(query.relevant)


def tn(query: Query, _: None) -> int:
    others = query.collection_size - tp(query, None) - fp(query, None) - fn(query, None)
    if query.collection_size == 0 or others < 0:
        raise Refused("the size of the collection is not known or too small")
    return others


def fallout(query: Query, _: None) -> float:
    found = [1 for _, result in query.ranked if is_judged(result.grade) and not is_relevant(result.grade, query)]
    return share(len(found), len(query.judged) - query.R)


def set_accuracy(query: Query, _: None) -> float:
    return (tp(query, None) + tn(query, None)) / query.collection_size


def pair_accuracy(query: Query, _: None) -> float:
    """Of all pairs of a relevant result and another one, the share that stands in the right order."""
    others = [i for i in range(1, query.n + 1) if i not in query.relevant]
    if not query.relevant:
        return 0.0
    if not others:
        return 1.0
    right = [1 for good in query.relevant for bad in others if good < bad]
    return len(right) / (len(query.relevant) * len(others))


def search_length(query: Query, _: None, miss: float | str = "inf") -> float:
    return float(query.relevant[0]) if query.relevant else float(miss)


def avg_rank(query: Query, _: None, miss: float | str = "inf") -> float:
    return total(query.relevant) / len(query.relevant) if query.relevant else float(miss)


def pr_points(query: Query, _: None) -> bytes:
    points = [f"{found / query.R:.4f},{found / i:.4f}" for found, i in enumerate(query.relevant, start=1)]
    return f"'{' '.join(points)}'".encode()


def judged(query: Query, k: int, by: str = "results") -> float:
    first = query.results[:k]
    holes = [result for result in first if not is_judged(result.grade)]
    if by in ("results", "pooled"):
        return share(len(first) - len(holes), len(first))
    if by == "ranks":
        return (k - len(holes)) / k
    return (len(first) - len(holes)) / k


def unjudged(query: Query, k: int, by: str = "results") -> float:
    if by in ("results", "pooled") and not query.results:
        return 0.0
    return 1.0 - judged(query, k, by)


def set_judged(query: Query, _: None, by: str = "results") -> float:
    return judged(query, query.n, by)


def set_unjudged(query: Query, _: None, by: str = "results") -> float:
    return unjudged(query, query.n, by)


def of_trec_eval(name: str, query: Query, parameter: object) -> object:
    """The value that `reference` has for a measure of trec_eval."""
    grades = [-1 if grade is None else -2 if grade < 0 else grade for (grade,) in query.results]
    measure = reference.MEASURES[name]
    if measure.parameters == "pairs":
        parameter = [(str(key), gain) for key, gain in parameter]
    if measure.parameters == "list":
        parameter = list(parameter)
    options = reference.Options(level=query.level, collection_size=query.collection_size)
    return measure.value(reference.Query(grades, query.judged, options, query.missing), parameter)


def iprec_at_recall(query: Query, recall: float, rule: str = "trec_eval") -> object:
    if rule == "trec_eval":
        return of_trec_eval("iprec_at_recall", query, recall)
    point = Fraction(str(recall))
    return max([n / i for n, i in enumerate(query.relevant, start=1) if Fraction(n, query.R) >= point], default=0.0)


def eleven_point_average(query: Query, points: Sequence[float], rule: str = "trec_eval") -> object:
    if rule == "trec_eval":
        return of_trec_eval("11pt_avg", query, points)
    return sum(iprec_at_recall(query, point, rule) for point in reversed(points)) / len(points)


MEASURES: dict[str, Callable[..., object]] = {
    "iprec_at_recall": iprec_at_recall,
    "11pt_avg": eleven_point_average,
    "dcg": dcg,
    "ideal_dcg": ideal_dcg,
    "ndcg": ndcg,
    "dcg_cut": dcg_cut,
    "ideal_dcg_cut": ideal_dcg_cut,
    "ndcg_cut": ndcg_cut,
    "cg": cg,
    "ncg": ncg,
    "err": err,
    "q_measure": q_measure,
    "gap": gap,
    "rbp": rbp,
    "binrbp": binrbp,
    "binrbp_resid": binrbp_resid,
    "compat": compat,
    **USER_MODELS,
    "F": f,
    "set_F": set_f,
    "map": map_,
    "map_cut": map_cut,
    "map_cap": map_cap,
    "knn_recall": knn_recall,
    "set_success": set_success,
    "tp": tp,
    "fp": fp,
    "fn": fn,
    "tn": tn,
    "fallout": fallout,
    "set_accuracy": set_accuracy,
    "pair_accuracy": pair_accuracy,
    "search_length": search_length,
    "avg_rank": avg_rank,
    "pr_points": pr_points,
    "judged": judged,
    "unjudged": unjudged,
    "set_judged": set_judged,
    "set_unjudged": set_unjudged,
}
"""``function(query, parameter, **options)`` of every measure that trec_eval lacks or that has more options here."""

GRADED = {
    *("dcg", "ideal_dcg", "ndcg", "dcg_cut", "ideal_dcg_cut", "ndcg_cut", "ndcg_rel", "Rndcg", "G", "cg", "ncg"),
    *("err", "q_measure", "gap", "rbp", "compat", *USER_MODELS),
}
"""Measures that look at grades: a level of their own takes the gain from lower ones."""


def value(
    name: str,
    query: Query,
    parameter: object = None,
    options: Sequence[tuple[str, object]] = (),
    *,
    k: int | None = None,
    level: float | None = None,
    judged_only_first: bool = False,
) -> object:
    """The value of a measure with one parameter and the options that are not at their defaults.

    A level of its own takes the gain from grades below it when the measure looks at grades; unjudged results are
    dropped before the cut at k.
    """
    if level is not None:
        query = replace(query, level=level)
        query = without_gain_below(query, level) if name in GRADED else query
    query = cut(only_judged(query) if judged_only_first else query, k)
    if name in MEASURES:
        return MEASURES[name](query, parameter, **dict(options))
    return of_trec_eval(name, query, parameter)


# By trying everything


def orders(results: Sequence[Document], ties: Sequence[int]) -> Iterator[tuple[Document, ...]]:
    """Every order of the results in which the members of each tie, of the given sizes, stand in any order.

    Documents that are alike are not told apart: each order that looks different comes up once, and all are as likely.
    """
    ends = list(itertools.accumulate(ties))
    groups = [results[end - size : end] for end, size in zip(ends, ties, strict=True)]
    for arranged in itertools.product(*(sorted(set(itertools.permutations(group)), key=repr) for group in groups)):
        yield tuple(itertools.chain(*arranged))


def expected(value: Callable[[Query], float], query: Query, ties: Sequence[int]) -> float:
    """The mean of a value over all orders of tied documents."""
    values = [value(replace(query, results=order)) for order in orders(query.results, ties)]
    return total(values) / len(values)


def extremes(value: Callable[[Query], float], query: Query, grades: Sequence[float]) -> tuple[float, float]:
    """The lowest and highest value when each result without a judgment has any of the grades."""
    choices = [[result.grade] if is_judged(result.grade) else grades for result in query.results]
    values = [value(replace(query, results=tuple(map(Document, assigned)))) for assigned in itertools.product(*choices)]
    return min(values), max(values)
