"""The slow, obvious evaluator of preferences and of judgments in groups, as trec_eval defines them, for tests.

One query at a time, in plain loops over lists and dicts; nothing is shared with the package. Sums are loops, because
the order of additions decides the last printed digit.
"""

import math
import struct
from collections import defaultdict

POSS, FUL, FUL_RET = "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"
COUNTS = (POSS, FUL, FUL_RET)


class Contradiction(Exception):
    """Preferences of one group that cannot hold together."""


def single(number):
    """The number in single precision."""
    return struct.unpack("f", struct.pack("f", number))[0] if math.isfinite(number) else number


def ranking(scores, depth=None, rising=True, compat="10.0"):
    """Documents by score, highest first, equal ones by id."""
    rounded = single if compat == "9.0.8" else float
    by_id = sorted(scores, reverse=not rising)
    return sorted(by_id, key=lambda document: -rounded(scores[document]))[:depth]


def preferred(rows, compat="10.0"):
    """The preferences of one group: pairs of documents, the better one first; rows are (subgroup, document, level)."""
    rounded = single if compat == "9.0.8" else float
    rows = [(subgroup, document, rounded(level)) for subgroup, document, level in rows]
    pairs = [(a, b) for one, a, higher in rows for other, b, lower in rows if one == other and higher > lower]
    if any(a == b for a, b in pairs):
        raise Contradiction
    if len({subgroup for subgroup, _, _ in rows}) == 1:
        return pairs
    zero = {document for _, document, level in rows if level == 0}
    if any(document in zero for _, document, level in rows if level != 0):
        raise Contradiction
    closed = set(pairs)
    while True:
        more = {(a, d) for a, b in closed for c, d in closed if b == c} - closed
        if not more:
            break
        closed |= more
    if any(a == b for a, b in closed):
        raise Contradiction
    return sorted(closed)


def preference_values(judgments, documents, compat="10.0"):
    """The 14 measures of a query: judgments {group: [(subgroup, document, level)]}, and its documents in rank order."""
    judged = {document for rows in judgments.values() for _, document, _ in rows}
    order = [document for document in documents if document in judged]
    retrieved = len(order)
    order += sorted(judged - set(order))
    number = {document: place for place, document in enumerate(order)}
    groups = [_Group(judgments[name], number, retrieved, compat) for name in sorted(judgments)]
    weight = defaultdict(int)
    for group in groups:
        for pair in group.pairs:
            weight[pair] += 1
    values = {}
    values[POSS] = sum(len(group.pairs) for group in groups)
    values[FUL] = sum(group.fulfilled(group.pairs) for group in groups)
    values[FUL_RET] = sum(group.fulfilled(group.both(group.pairs)) for group in groups)
    kept = {"": lambda g: g.pairs, "_ret": lambda g: g.both(g.pairs), "_imp": lambda g: g.one(g.pairs)}
    for ending, of in kept.items():
        values["prefs_simp" + ending] = _ratio(
            sum(group.fulfilled(of(group)) for group in groups), sum(len(of(group)) for group in groups)
        )
        total = 0.0
        for group in groups:
            total += _ratio(group.fulfilled(of(group)), len(of(group)))
        values["prefs_avgjg" + ending] = total / len(groups)
        values["prefs_pair" + ending] = _per_pair(weight, len(order), retrieved, ending)
    for ending in ("", "_ret"):
        total = 0.0
        for group in groups:
            fulfilled, possible = group.as_many_nonrelevant(ending == "_ret")
            total = math.nan if possible == 0 else total + fulfilled / possible
        values["prefs_avgjg_Rnonrel" + ending] = total / len(groups) if total > 0 else 0.0
    return values


def _ratio(a, b):
    return a / b if b else 0.0


def _per_pair(weight, judged, retrieved, ending):
    """The mean over pairs of documents of the share of groups that prefer them as they are ranked.

    First those of which both are retrieved, then those of which one is.
    """
    total, pairs = 0.0, 0
    for of_one in (False, True):
        for i in range(retrieved):
            for j in range(retrieved, judged) if of_one else range(i + 1, retrieved):
                if weight[i, j] + weight[j, i] and not (of_one and ending == "_ret"):
                    total += weight[i, j] / (weight[i, j] + weight[j, i])
                    pairs += 1
    if not ending:
        for i in range(retrieved, judged):
            pairs += sum(1 for j in range(i + 1, judged) if weight[i, j] + weight[j, i])
    return total / pairs if pairs else 0.0


class _Group:
    """The preferences of one group as pairs of numbers, which stand for documents in rank order."""

    def __init__(self, rows, number, retrieved, compat):
        self.pairs = [(number[a], number[b]) for a, b in preferred(rows, compat)]
        self.retrieved = retrieved
        self.several = len({subgroup for subgroup, _, _ in rows}) > 1
        self.levels = {number[document]: level for _, document, level in rows}

    def both(self, pairs):
        return [pair for pair in pairs if max(pair) < self.retrieved]

    def one(self, pairs):
        return [pair for pair in pairs if min(pair) < self.retrieved]

    def fulfilled(self, pairs):
        return sum(1 for a, b in pairs if a < b and a < self.retrieved)

    def as_many_nonrelevant(self, retrieved_alone):
        """Fulfilled and possible preferences with as many documents of level 0 as of others."""
        relevant = [d for d, level in self.levels.items() if level > 0]
        nonrelevant = sorted(d for d, level in self.levels.items() if level == 0)
        found = [d for d in relevant if d < self.retrieved]
        pairs = self.both(self.pairs) if retrieved_alone else self.pairs
        if retrieved_alone:
            R, N = len(found), len([d for d in nonrelevant if d < self.retrieved])
        else:
            R, N = len(relevant), len(nonrelevant)
        if R >= N:
            return (
                self.fulfilled(pairs) + len(found) * (R - N),
                len(pairs) + len(relevant) * (R - N),
            )
        kept = nonrelevant[: len(relevant) if self.several else R]
        left_out = set(nonrelevant) - set(kept)
        pairs = [pair for pair in pairs if not left_out & set(pair)]
        if not self.several:  # each document of level 0 against each that is kept, itself too
            against = [(a, b) for a in nonrelevant for b in kept]
            pairs += self.both(against) if retrieved_alone else against
        return self.fulfilled(pairs), len(pairs)


def grouped_values(judgments, documents, cutoffs, multiples, level=1, judged_only=False):
    """map, P at cutoffs and Rprec_mult at multiples, each the mean over groups: {group: {document: grade}}."""
    values = defaultdict(float)
    for name in sorted(judgments):
        grades = judgments[name]
        kept = [d for d in documents if not judged_only or grades.get(d, -1) >= 0]
        relevant = [grades.get(d, -1) >= level for d in kept]
        R = sum(1 for grade in grades.values() if grade >= level)
        found, total = 0, 0.0
        for rank, hit in enumerate(relevant, start=1):
            if hit:
                found += 1
                total += found / rank
        values["map_avgjg"] += total / R if found else 0.0
        for k in cutoffs:
            values[f"P_avgjg_{k}"] += sum(relevant[:k]) / k
        for multiple in multiples:
            k = int(multiple * R + 0.9)
            values[f"Rprec_mult_avgjg_{multiple:3.2f}"] += sum(relevant[:k]) / k if k > 0 else 0.0
    return {name: value / len(judgments) for name, value in values.items()}
