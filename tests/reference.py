"""The slow, obvious evaluator that judges the fast one.

It states trec_eval's evaluation in plain loops over dicts and lists: one short function per measure, no
arrays, nothing shared with the package. Where trec_eval reads garbage as a number, crashes or prints memory
that was never set, it does what irev promises instead: bad input is `Refused`, naming the line.

Floating-point sums are written as loops because the order of additions decides the last printed digit, and
because the built-in `sum` compensates rounding errors from Python 3.12 on.
"""

import math
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

INTEGER = re.compile(rb"[+-]?[0-9]+")
DECIMAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
INFINITY = re.compile(rb"[+-]?inf(inity)?", re.IGNORECASE)
LARGEST_GRADE = 2**53
SMALLEST_GEOMETRIC = 0.00001
INFAP_EPSILON = 0.00001


@dataclass(frozen=True)
class Options:
    """The choices of a command line, under the names of what they mean."""

    measures: tuple[str, ...] = ()  # raw -m values, such as "P.5,10"; none means official
    per_query: bool = False  # -q
    summary: bool = True  # not -n
    complete: bool = False  # -c
    level: float = 1  # -l
    depth: int | None = None  # -M
    judged_only: bool = False  # -J
    collection_size: int = 0  # -N
    compat: str = "10.0"  # or "9.0.8"
    order: str = "score"  # --order, or rank or file
    ties: str = "docid-desc"  # --ties, or docid-asc or file
    duplicates: str = "error"  # --duplicates, or first or best
    negative: str = "unjudged"  # --negative, or nonrelevant or error
    drop_self: bool = False  # --drop-self
    queries: str | tuple[bytes, ...] = "both"  # --queries, or qrels or run, or the lines of a file
    strict: bool = False  # --strict
    gains: tuple[tuple[str, str], ...] | None = None  # --gains, as written


class Refused(Exception):
    """Unacceptable input or usage: `file` is "qrels", "run" or None, `line` counts from 1 or is None."""

    def __init__(self, fact: str, file: str | None = None, line: int | None = None) -> None:
        super().__init__(f"{file}:{line}: {fact}")
        self.fact = fact
        self.file = file
        self.line = line


# Reading


def numbered_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    lines = data.split(b"\n")
    if lines[-1] == b"":  # the newline that ends the last line starts no further one
        lines.pop()
    return enumerate(lines, start=1)


def fields_of(line: bytes, width: int) -> list[bytes]:
    """The fields between white space; where tabs alone make as many as the format has, those between tabs.

    In a run the last one may be several words, of which the first is the run id.
    """
    slots, words = line.split(b"\t"), line.split()
    if len(words) > width == len(slots) and all(slot.split() for slot in slots):
        ids = [slot.strip() for slot in slots[: width - (width == 6)]]
        gaps = [gap for slot in ids for gap in re.findall(rb"[\t-\r ]+", slot)]
        if all(gap.startswith(b" ") and gap.endswith(b" ") for gap in gaps):
            return ids + (slots[-1].split() if width == 6 else [])
    return words


def read_qrels(data: bytes, options: Options) -> dict[bytes, dict[bytes, float]]:
    """Grade of each judged document of each query."""
    judgments: dict[bytes, dict[bytes, float]] = {}
    for number, line in numbered_lines(data):
        if b"\0" in line:
            raise Refused("NUL byte", "qrels", number)
        if options.compat == "10.0" and line.startswith(b"#"):
            continue
        fields = fields_of(line, 4)
        if len(fields) != 4:
            raise Refused(f"{len(fields)} fields instead of 4", "qrels", number)
        query, _, document, text = fields
        if not DECIMAL.fullmatch(text) or abs(float(text)) > LARGEST_GRADE:
            raise Refused("the grade is not a number within 2**53", "qrels", number)
        grade = float(text)
        if grade < 0 and options.negative == "error":
            raise Refused("the grade is negative", "qrels", number)
        if grade < 0 and options.negative == "nonrelevant":
            grade = 0.0
        grades = judgments.setdefault(query, {})
        if document in grades:
            raise Refused("document judged twice", "qrels", number)
        grades[document] = grade
    if not judgments:
        raise Refused("no judgments", "qrels")
    return judgments


Retrieved = dict[bytes, float]
"""What orders the documents of a query, highest first, in the order of the file."""


def read_run(data: bytes, options: Options) -> tuple[dict[bytes, Retrieved], bytes]:
    """The documents retrieved for each query, and the run id of the last row."""
    run: dict[bytes, Retrieved] = {}
    run_id = b""
    for number, line in numbered_lines(data):
        if b"\0" in line:
            raise Refused("NUL byte", "run", number)
        fields = fields_of(line, 6)
        if not fields or (options.compat == "10.0" and fields[0].startswith(b"#")):
            continue
        if len(fields) < 6:
            raise Refused(f"{len(fields)} fields instead of 6", "run", number)
        query, _, document, rank, score, run_id = fields[:6]
        text = rank if options.order == "rank" else score
        if not DECIMAL.fullmatch(text) and not INFINITY.fullmatch(text):
            raise Refused("the score, or the rank, is not a number", "run", number)
        if options.order == "rank" and not float(text).is_integer():  # nor is infinity a whole number
            raise Refused("the rank is not a whole number", "run", number)
        documents = run.setdefault(query, {})
        if options.drop_self and document == query:
            continue
        value = {"score": float(text), "rank": -float(text), "file": float(-number)}[options.order]
        if document in documents:
            if options.duplicates == "error":
                raise Refused("document retrieved twice", "run", number)
            if options.duplicates == "first" or value <= documents[document]:
                continue
            del documents[document]  # the better row takes its place in the file, too
        documents[document] = value
    if not run:
        raise Refused("no results", "run")
    return run, run_id


def is_whole_grade(text: bytes) -> bool:
    digits = text.lstrip(b"+-0")  # int() refuses thousands of digits, so count them first
    return bool(INTEGER.fullmatch(text)) and len(digits) <= 16 and abs(int(digits or b"0")) <= LARGEST_GRADE


def as_float32(value: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


# Ranking


def rank(retrieved: Retrieved, options: Options) -> list[bytes]:
    """Documents by what orders them, highest first; equal ones by document id or as they stand in the file."""
    single = options.compat == "9.0.8" and options.order == "score"
    value = {document: as_float32(score) if single else score for document, score in retrieved.items()}
    documents = list(retrieved)
    if options.ties != "file":
        documents.sort(reverse=options.ties == "docid-desc")
    return sorted(documents, key=lambda document: -value[document])  # equal ones stay in their order


def ranked_grades(retrieved: Retrieved, grades: dict[bytes, float], options: Options) -> list[float]:
    """Grades in rank order: -1 where nothing is said of the document, -2 where its grade is negative."""
    result = []
    for document in rank(retrieved, options)[: options.depth]:
        grade = grades.get(document, -1)
        if document in grades and grade < 0:
            grade = -2
        if grade >= 0 or not options.judged_only:
            result.append(grade)
    return result


@dataclass(frozen=True)
class Query:
    """All that a measure may look at."""

    grades: list[float]  # of the retrieved documents, in rank order; -1 and -2 are unjudged
    judged: list[float]  # of all judged documents, in no particular order, without negative ones
    options: Options
    missing: bool  # not in the run

    @property
    def num_ret(self) -> int:
        return len(self.grades)

    @property
    def num_rel(self) -> int:
        return len([grade for grade in self.judged if grade >= self.options.level])

    @property
    def num_nonrel(self) -> int:
        return len(self.judged) - self.num_rel

    @property
    def num_rel_ret(self) -> int:
        return len(self.relevant_ranks)

    @property
    def relevant_ranks(self) -> list[int]:
        return [i for i, grade in enumerate(self.grades, start=1) if grade >= self.options.level]

    def relevant_within(self, k: int) -> int:
        return len([i for i in self.relevant_ranks if i <= k])


# Arithmetic as C does it


def divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def log2(x: float) -> float:
    if x > 0:
        return math.log2(x)
    return -math.inf if x == 0 else math.nan


def round_half_away_from_zero(x: float) -> int:
    whole = math.trunc(x)
    if abs(x - whole) >= 0.5:
        whole += 1 if x > 0 else -1
    return whole


# Counts


def num_ret(query: Query, _: None) -> int:
    return query.num_ret


def num_rel(query: Query, _: None) -> int:
    return query.num_rel


def num_rel_ret(query: Query, _: None) -> int:
    return query.num_rel_ret


def num_nonrel_judged_ret(query: Query, _: None) -> int:
    return len([grade for grade in query.grades if 0 <= grade < query.options.level])


# Precision and recall, at ranks and in whole


def precision(query: Query, k: int) -> float:
    return query.relevant_within(k) / k


def recall(query: Query, k: int) -> float:
    return query.relevant_within(k) / query.num_rel if query.num_rel else 0.0


def relative_precision(query: Query, k: int) -> float:
    return query.relevant_within(k) / min(k, query.num_rel) if query.num_rel else 0.0


def success(query: Query, k: int) -> float:
    return 1.0 if query.relevant_within(k) > 0 else 0.0


def unjudged(query: Query, k: int) -> float:
    return len([grade for grade in query.grades[:k] if grade < 0]) / k


def r_precision(query: Query, _: None) -> float:
    k = min(query.num_ret, query.num_rel)
    return query.relevant_within(k) / query.num_rel if k else 0.0


def r_precision_multiple(query: Query, multiple: float) -> float:
    k = math.trunc(multiple * query.num_rel + 0.9)
    return query.relevant_within(k) / k if k > 0 else 0.0


def set_precision(query: Query, _: None) -> float:
    return query.num_rel_ret / query.num_ret if query.num_ret else 0.0


def set_recall(query: Query, _: None) -> float:
    return query.num_rel_ret / query.num_rel if query.num_rel else 0.0


def set_relative_precision(query: Query, _: None) -> float:
    best = min(query.num_ret, query.num_rel)
    return query.num_rel_ret / best if best else 0.0


def set_average_precision(query: Query, _: None) -> float:
    product = query.num_ret * query.num_rel
    return query.num_rel_ret * query.num_rel_ret / product if product else 0.0


def set_f(query: Query, weights: list[float]) -> float:
    if query.num_rel_ret == 0:
        return 0.0
    x = weights[0]
    p = query.num_rel_ret / query.num_ret
    r = query.num_rel_ret / query.num_rel
    return divide((x + 1.0) * p * r, x * p + r)


def utility(query: Query, weights: list[float]) -> float:
    if query.missing:
        return 0.0
    hits = query.num_rel_ret
    false_alarms = query.num_ret - hits
    misses = query.num_rel - hits
    others = query.options.collection_size + hits - query.num_ret - query.num_rel
    return weights[0] * hits + weights[1] * false_alarms + weights[2] * misses + weights[3] * others


# Average precision and its relatives


def sum_of_precisions(query: Query, k: int | None = None) -> float:
    """Precisions at the ranks of relevant documents, added from the top down to rank k."""
    total = 0.0
    for found, i in enumerate(query.relevant_ranks, start=1):
        if k is None or i <= k:
            total += found / i
    return total


def average_precision(query: Query, _: None) -> float:
    return sum_of_precisions(query) / query.num_rel if query.num_rel_ret else 0.0


def average_precision_cut(query: Query, k: int) -> float:
    return sum_of_precisions(query, k) / query.num_rel if query.num_rel else 0.0


def yaap(query: Query, _: None) -> float:
    total = sum_of_precisions(query)
    return math.log((1.0 + total) / (1.0 + query.num_rel - total))


def reciprocal_rank(query: Query, _: None) -> float:
    return 1.0 / query.relevant_ranks[0] if query.num_rel_ret else 0.0


def bpref(query: Query, _: None) -> float:
    total = 0.0
    nonrelevant = 0
    for grade in query.grades:
        if grade >= query.options.level:
            if nonrelevant:
                total += 1.0 - min(nonrelevant, query.num_rel) / min(query.num_nonrel, query.num_rel)
            else:
                total += 1.0
        elif grade >= 0:
            nonrelevant += 1
    return total / query.num_rel if query.num_rel else 0.0


def inferred_average_precision(query: Query, _: None) -> float:
    total = 0.0
    relevant = nonrelevant = pooled_unjudged = 0
    for above, grade in enumerate(query.grades):
        if grade == -2:
            pooled_unjudged += 1
        elif 0 <= grade < query.options.level:
            nonrelevant += 1
        elif grade >= query.options.level:
            if above == 0:
                total += 1.0
            else:
                pooled = (relevant + nonrelevant + pooled_unjudged) / above
                precision_in_pool = (relevant + INFAP_EPSILON) / (relevant + nonrelevant + 2 * INFAP_EPSILON)
                total += 1.0 / (above + 1.0) + (above / (above + 1.0)) * pooled * precision_in_pool
            relevant += 1
    return total / query.num_rel if query.num_rel else total


def g_mean_average_precision(query: Query, _: None) -> float:
    return math.log(max(average_precision(query, None), SMALLEST_GEOMETRIC))


def g_mean_bpref(query: Query, _: None) -> float:
    return math.log(max(bpref(query, None), SMALLEST_GEOMETRIC))


def interpolated_precision(query: Query, point: float) -> float:
    """The best precision at any recall not below the point."""
    if query.options.compat == "10.0":
        k = round_half_away_from_zero(point * query.num_rel)
    else:
        k = math.trunc(point * query.num_rel + 0.9)
    best = 0.0
    for found, i in enumerate(query.relevant_ranks, start=1):
        if found >= k:
            best = max(best, found / i)
    return best


def eleven_point_average(query: Query, points: list[float]) -> float:
    total = 0.0
    for point in reversed(points):
        total += interpolated_precision(query, point)
    return total / len(points)


def relevance_string(query: Query, lengths: list[float]) -> bytes:
    symbols = ""
    for grade in query.grades[: max(math.trunc(lengths[0]), 0)]:
        if grade >= 0:
            symbols += ">" if grade >= 10 else str(math.trunc(grade))
        else:
            symbols += "-" if grade == -1 else "."
    return f"'{symbols}'".encode()


# Cumulated gain


Pairs = list[tuple[str, float]]  # as written: ("1", 3.0) for 1=3, ("p", 0.8) for p=0.8


def gain_table(query: Query, pairs: Pairs) -> list[tuple[float, float]]:
    """Rows of grade and gain: the pairs of the measure, then the grades that none of them names.

    Those are the grades of --gains with their gains, or else each as its own gain: all that are judged, and the whole
    numbers from 0 to the highest. Of the ones that no document has, only the greatest can matter (to the range of rbp),
    and it alone is listed, for grades may be huge.
    """
    rows = [(float(key), gain) for key, gain in pairs if key != "p"]
    named = {grade for grade, _ in rows}
    if query.options.gains is not None:
        given = [(float(grade), float(gain)) for grade, gain in query.options.gains]
        return rows + [(grade, gain) for grade, gain in given if grade not in named]
    greatest = math.floor(max(query.judged, default=-1))
    while greatest in named:
        greatest -= 1
    unnamed = {grade for grade in [*query.judged, greatest] if grade >= 0} - named
    return rows + [(grade, float(grade)) for grade in sorted(unnamed)]


def retrieved_gains(query: Query, pairs: Pairs) -> list[float]:
    """Gain at each rank: of a grade given twice the lower one, of a grade without a row 0."""
    table = gain_table(query, pairs)
    return [min((gain for of, gain in table if of == grade), default=0.0) for grade in query.grades]


def ideal_gains(query: Query, pairs: Pairs) -> list[float]:
    """Positive gains of all judged documents, best first: of a grade given twice the first."""
    gains: dict[float, float] = {}
    for grade, gain in gain_table(query, pairs):
        gains.setdefault(grade, gain)
    return sorted((gains[grade] for grade in query.judged if gains[grade] > 0), reverse=True)


def discounted(gains: list[float], k: int | None = None) -> float:
    total = 0.0
    for i, gain in enumerate(gains[:k], start=1):
        total += gain / math.log2(i + 1)
    return total


def dcg(query: Query, pairs: Pairs) -> float:
    return discounted(retrieved_gains(query, pairs))


def ideal_dcg(query: Query, pairs: Pairs) -> float:
    return discounted(ideal_gains(query, pairs))


def ndcg(query: Query, pairs: Pairs) -> float:
    ideal = ideal_dcg(query, pairs)
    return dcg(query, pairs) / ideal if ideal > 0 else 0.0


def ndcg_cut(query: Query, k: int) -> float:
    ideal = discounted(ideal_gains(query, []), k)
    return discounted(retrieved_gains(query, []), k) / ideal if ideal > 0 else 0.0


def ndcg_rel(query: Query, pairs: Pairs) -> float:
    """Mean of nDCG at the ranks of gaining documents; those not retrieved count with the final nDCG."""
    gains, ideal = retrieved_gains(query, pairs), ideal_gains(query, pairs)
    total = 0.0
    found = 0
    for i, gain in enumerate(gains, start=1):
        if gain > 0:
            total += divide(discounted(gains, i), discounted(ideal, i))
            found += 1
    total += divide((len(ideal) - found) * discounted(gains), discounted(ideal))
    return divide(total, len(ideal)) if total > 0 else 0.0


def r_ndcg(query: Query, pairs: Pairs) -> float:
    """Mean of nDCG at the ranks where the ideal gain changes."""
    gains, ideal = retrieved_gains(query, pairs), ideal_gains(query, pairs)
    if query.num_rel == 0 or not ideal:
        return 0.0
    total = 0.0
    points = 0
    for b in range(1, len(ideal) + 1):
        if b == len(ideal) or ideal[b] != ideal[b - 1]:
            total += discounted(gains, b) / discounted(ideal, b)
            points += 1
    if query.num_ret >= len(ideal) + 2:
        total += discounted(gains) / discounted(ideal)
        points += 1
    return total / points


def g(query: Query, pairs: Pairs) -> float:
    gains, ideal = retrieved_gains(query, pairs), ideal_gains(query, pairs)
    total = cost = gained = ideal_sum = 0.0
    for i, gain in enumerate(gains):
        gained += gain
        cost += max(ideal[i], 1.0) if i < len(ideal) else 1.0
        if gain != 0:
            total += divide(gain, log2(2 + cost - gained))
    for gain in ideal:
        ideal_sum += gain
    return total / ideal_sum if ideal_sum > 0 else 0.0


def bin_g(query: Query, _: None) -> float:
    total = 0.0
    for found, i in enumerate(query.relevant_ranks, start=1):
        total += 1.0 / math.log2(3 + (i - 1) - found)
    return total / query.num_rel if query.num_rel_ret else 0.0


def persistence(pairs: Pairs) -> float:
    p = 0.9
    for key, value in pairs:
        if key == "p":
            p = value
    return p


def rbp(query: Query, pairs: Pairs) -> float:
    """Gains outside 0 to 1 are first scaled into it, over all gains of the query's table and 0."""
    table = gain_table(query, pairs)
    low = min([0.0] + [gain for _, gain in table])
    high = max([0.0] + [gain for _, gain in table])
    has_row = {grade for grade, _ in table}
    p = persistence(pairs)
    total = 0.0
    weight = 1.0
    for grade, gain in zip(query.grades, retrieved_gains(query, pairs), strict=True):
        if grade in has_row:
            if low < 0 or high > 1:
                gain = (gain - low) / (high - low)
            total += gain * weight
        weight *= p
    return (1.0 - p) * total


def rbp_residual(query: Query, pairs: Pairs) -> float:
    """What rbp could still gain if every unjudged document had the highest gain."""
    p = persistence(pairs)
    total = 0.0
    weight = 1.0
    for grade in query.grades:
        if grade < 0:
            total += weight
        weight *= p
    return weight + (1 - p) * total if min(query.grades, default=0) < 0 else 0.0


# The table of measures, in the order of output


@dataclass(frozen=True)
class Measure:
    value: Callable[[Query, object], object]
    parameters: str = "none"  # none, integers, reals, list or pairs
    default: tuple = ()  # the cutoffs or points, each a line; or the one list or the pairs
    summary: str = "mean"  # mean, sum, geometric, or none for what has no line of `all`
    per_query: bool = True


RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)

MEASURES = {
    "runid": Measure(lambda query, _: None, summary="runid", per_query=False),
    "num_q": Measure(lambda query, _: None, summary="num_q", per_query=False),
    "num_ret": Measure(num_ret, summary="sum"),
    "num_rel": Measure(num_rel, summary="sum"),
    "num_rel_ret": Measure(num_rel_ret, summary="sum"),
    "map": Measure(average_precision),
    "gm_map": Measure(g_mean_average_precision, summary="geometric", per_query=False),
    "Rprec": Measure(r_precision),
    "bpref": Measure(bpref),
    "recip_rank": Measure(reciprocal_rank),
    "iprec_at_recall": Measure(interpolated_precision, "reals", TENTHS),
    "P": Measure(precision, "integers", RANKS),
    "relstring": Measure(relevance_string, "list", (10.0,), summary="none"),
    "recall": Measure(recall, "integers", RANKS),
    "infAP": Measure(inferred_average_precision),
    "gm_bpref": Measure(g_mean_bpref, summary="geometric", per_query=False),
    "Rprec_mult": Measure(r_precision_multiple, "reals", FIFTHS),
    "utility": Measure(utility, "list", (1.0, -1.0, 0.0, 0.0)),
    "11pt_avg": Measure(eleven_point_average, "list", TENTHS),
    "binG": Measure(bin_g),
    "G": Measure(g, "pairs"),
    "dcg": Measure(dcg, "pairs"),
    "ideal_dcg": Measure(ideal_dcg, "pairs"),
    "ndcg": Measure(ndcg, "pairs"),
    "ndcg_rel": Measure(ndcg_rel, "pairs"),
    "Rndcg": Measure(r_ndcg, "pairs"),
    "ndcg_cut": Measure(ndcg_cut, "integers", RANKS),
    "map_cut": Measure(average_precision_cut, "integers", RANKS),
    "relative_P": Measure(relative_precision, "integers", RANKS),
    "success": Measure(success, "integers", (1, 5, 10)),
    "set_P": Measure(set_precision),
    "set_relative_P": Measure(set_relative_precision),
    "set_recall": Measure(set_recall),
    "set_map": Measure(set_average_precision),
    "set_F": Measure(set_f, "list", (1.0,)),
    "num_nonrel_judged_ret": Measure(num_nonrel_judged_ret, summary="sum"),
    "yaap": Measure(yaap),
    "rbp": Measure(rbp, "pairs"),
    "rbp_resid": Measure(rbp_residual, "pairs"),
    "unj": Measure(unjudged, "integers", (5, 10, 20)),
}

NOT_IN_9 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

SETS = {
    "official": tuple(MEASURES)[:12],
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_trec": tuple(name for name in MEASURES if name not in ("dcg", "ideal_dcg", "yaap")),
}


# Requests: what -m asks for


@dataclass(frozen=True)
class Request:
    label: str
    measure: Measure
    parameter: object


def requests(options: Options) -> list[Request]:
    """The lines to print for each query, in their order."""
    known = {name for name in MEASURES if options.compat == "10.0" or name not in NOT_IN_9}
    texts: dict[str, list[str]] = {}  # measure to its parameter texts, in the order given
    for asked in options.measures or ("official",):
        name, dot, text = asked.partition(".")
        if name in SETS and not dot:
            for member in SETS[name]:
                if member in known:
                    texts.setdefault(member, [])
        elif name in known and not dot:
            texts.setdefault(name, [])
        elif name in known and text and MEASURES[name].parameters != "none":
            texts.setdefault(name, []).append(text)
        else:
            raise Refused(f"no measure {asked}")
    result = []
    for name, measure in MEASURES.items():
        if name in texts:
            result += requests_of(name, measure, texts[name])
    return result


def requests_of(name: str, measure: Measure, texts: list[str]) -> list[Request]:
    """Cutoffs of several texts are united; several lists or pairs give a line each."""
    if measure.parameters == "none":
        return [Request(name, measure, None)]
    if measure.parameters == "integers":
        cutoffs = united(texts, integer_cutoff) or measure.default
        return [Request(f"{name}_{k}", measure, k) for k in cutoffs]
    if measure.parameters == "reals":
        points = united(texts, real) or measure.default
        return [Request(f"{name}_{f'{point:3.2f}'[:8]}", measure, point) for point in points]
    if not texts:
        return [Request(name, measure, list(measure.default))]
    parse = parse_pairs if measure.parameters == "pairs" else parse_list
    return [Request(f"{name}_{text}", measure, parse(name, text)) for text in dict.fromkeys(texts)]


def united(texts: list[str], parse: Callable[[str], float]) -> list:
    values = set()
    for text in texts:
        parsed = [parse(item) for item in text.split(",")]
        if len(set(parsed)) != len(parsed):
            raise Refused(f"the same value twice in {text}")
        values |= set(parsed)
    return sorted(values)


def integer_cutoff(text: str) -> int:
    """A fraction is cut off: 23.4 is 23."""
    if not re.fullmatch(r"\+?0*[1-9][0-9]{0,17}(\.[0-9]*)?", text):
        raise Refused(f"{text} is no positive cutoff")
    return int(text.partition(".")[0])


def real(text: str) -> float:
    if not DECIMAL.fullmatch(text.encode("utf-8", "surrogateescape")) or math.isinf(float(text)):
        raise Refused(f"{text} is not a number")
    return float(text)


def parse_list(name: str, text: str) -> list[float]:
    values = [real(item) for item in text.split(",")]
    if name == "utility" and len(values) != 4:
        raise Refused("utility takes four numbers")
    return values


def parse_pairs(name: str, text: str) -> Pairs:
    pairs = []
    for item in text.split(","):
        key, equals, value = item.partition("=")
        of_rbp = key == "p" and name in ("rbp", "rbp_resid")
        if not equals or not (of_rbp or is_whole_grade(key.encode("utf-8", "surrogateescape"))):
            raise Refused(f"{item} is not a pair of grade and gain")
        pairs.append((key, real(value)))
    return pairs


# Evaluation


def evaluate(qrels: bytes, run: bytes, options: Options) -> bytes:
    """What the command prints on standard output."""
    if options.level < 0 or (options.depth is not None and options.depth < 0):
        raise Refused("a negative level or depth")
    if options.queries == "qrels":
        options = replace(options, queries="both", complete=True)
    elif options.complete and options.queries != "both":
        raise Refused("-c and another choice of queries")
    wanted = requests(options)
    judgments = read_qrels(qrels, options)
    require_gains(judgments, options)
    retrieved, run_id = read_run(run, options)
    queries = evaluated_queries(judgments, retrieved, options)
    lines = []
    if options.per_query:
        for query_id, query in queries.items():
            for request in wanted:
                if request.measure.per_query:
                    value = request.measure.value(query, request.parameter)
                    lines.append(printed(request.label, disambiguate(query_id), value))
    if options.summary:
        for request in wanted:
            if request.measure.summary != "none":
                value = summary(request, queries, judgments, run_id, options)
                lines.append(printed(request.label, b"all", value))
    return b"".join(lines)


def require_gains(judgments: dict[bytes, dict[bytes, float]], options: Options) -> None:
    """With --gains every grade has to have one."""
    if options.gains is not None:
        given = {float(grade) for grade, _ in options.gains}
        for grades in judgments.values():
            if any(grade >= 0 and grade not in given for grade in grades.values()):
                raise Refused("a grade without a gain", "qrels")


def evaluated_queries(
    judgments: dict[bytes, dict[bytes, float]], retrieved: dict[bytes, Retrieved], options: Options
) -> dict[bytes, Query]:
    """The queries that --queries names, in byte order; in 9.0.8 a query that is missing under -c is only counted."""
    with_missing = options.complete and options.compat == "10.0"
    judged_ids, retrieved_ids = set(judgments), set(retrieved)
    if not with_missing and not judged_ids & retrieved_ids:
        raise Refused("no query is in both files")
    if options.strict and isinstance(options.queries, str):
        if judged_ids - retrieved_ids and not options.complete:
            raise Refused("judged queries are left out", "run")
        if retrieved_ids - judged_ids and options.queries != "run":
            raise Refused("queries of the run are left out", "run")
    if not isinstance(options.queries, str):
        evaluated = set(options.queries)
        if not evaluated & judged_ids:
            raise Refused("none of the listed queries is judged", "qrels")
        if options.strict and evaluated - judged_ids:
            raise Refused("listed queries are not judged")
    elif options.queries == "run":
        evaluated = retrieved_ids
    else:
        evaluated = judged_ids if with_missing else judged_ids & retrieved_ids
    queries = {}
    for query_id in sorted(evaluated):
        grades = judgments.get(query_id, {})
        queries[query_id] = Query(
            grades=ranked_grades(retrieved.get(query_id, {}), grades, options),
            judged=[grade for grade in grades.values() if grade >= 0],
            options=options,
            missing=query_id not in retrieved,
        )
    return queries


def summary(
    request: Request,
    queries: dict[bytes, Query],
    judgments: dict[bytes, dict[bytes, float]],
    run_id: bytes,
    options: Options,
) -> object:
    """The value of `all`; under -c every judged query is in the divisor, evaluated or not."""
    count = len(judgments) if options.complete else len(queries)
    if request.measure.summary == "runid":
        return run_id
    if request.measure.summary == "num_q":
        return count
    if request.label == "num_rel" and options.complete:
        return len([1 for grades in judgments.values() for grade in grades.values() if grade > 0])
    if request.measure.summary == "sum":
        return sum(request.measure.value(query, request.parameter) for query in queries.values())
    total = 0.0
    for query in queries.values():
        total += request.measure.value(query, request.parameter)
    if request.measure.summary == "geometric":
        total += (count - len(queries)) * math.log(SMALLEST_GEOMETRIC)
        return math.exp(total / count)
    return total / count


def disambiguate(query_id: bytes) -> bytes:
    """A query called `all` stands in quotes, and so does one that has quotes already."""
    return b'"' + query_id + b'"' if query_id.strip(b'"') == b"all" and query_id.count(b'"') % 2 == 0 else query_id


def printed(label: str, query_id: bytes, value: object) -> bytes:
    if isinstance(value, int):
        value = b"%d" % value
    elif isinstance(value, float):
        value = b"  -nan" if math.isnan(value) else b"%6.4f" % value
    return b"%-22s\t%s\t%s\n" % (label.encode("utf-8", "surrogateescape"), query_id, value)
