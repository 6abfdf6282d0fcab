"""A comparison as one table for a paper.

It has runs as rows, measures as columns, and notes that say what was tested. The best of each measure is bold, the
second best underlined. Where all pairs are compared each run has a letter, and above its means stand the letters of the
runs that it is significantly better than. With a baseline a dagger says that a run is significantly better than the
baseline, and a double dagger that it is worse.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from irev.base.errors import decimal
from irev.base.text import named, real
from irev.evaluation.comparison.contrasts import BETTER, WORSE, Compared, ComparedRuns
from irev.output.report import RESTS, ZERO_INSIDE, Cell, Sheet
from irev.output.reports.comparison import (
    ComparisonLayout,
    beside_the_mean,
    by_chance,
    count_of,
    doubts,
    is_tested,
    judged_shares,
    marks_of,
    on_tests,
    on_unjudged,
    on_unknown,
    repeated,
    tested,
)

LETTERS = "abcdefghijkmnpqrstuvwxyz"
"""Without ``l`` and ``o``, which look like digits above a number."""

BETTER_MARK, WORSE_MARK = "†", "‡"

_TOGETHER = 4
"""So many letters in a row, or more, are a range."""


def paper(laid: ComparisonLayout, policy: str, remarks: Sequence[str]) -> Sheet:
    """The table, with a caption that says what it has, and a label."""
    comparison = laid.comparison
    order = _order(comparison) if laid.pairs else list(range(len(comparison.runs)))
    letters = letters_of(len(order)) if laid.pairs else []
    columns = [_cells(laid, compared, letters, order) for compared in comparison.compared]
    judged = {name: shares for compared in comparison.compared for name, shares in judged_shares(compared).items()}
    rows = tuple(
        (
            *([Cell(letters[row])] if letters else []),
            Cell(named(comparison.runs[run])),
            *(of[row] for of in columns),
            *(Cell(shares[run]) for shares in judged.values()),
        )
        for row, run in enumerate(order)
    )
    labels = (*([""] if letters else []), "run")
    header = (*labels, *(laid.name(compared) for compared in comparison.compared), *judged)
    cells = [cell for column in columns for cell in column]
    notes = (f"Means over {_count(laid)}.", *_notes(laid, policy, remarks, cells))
    return Sheet("", header, len(labels), frozenset(range(len(labels))), (rows,), notes, anchor="tab:runs")


def _count(laid: ComparisonLayout) -> str:
    return count_of(laid.comparison.compared[0].measured)


def _order(comparison: ComparedRuns) -> list[int]:
    """The places of the runs as they stand: as given, or the best first where one letter is not enough for each.

    Then most of those that a run is better than stand together, and are a range.
    """
    order = list(range(len(comparison.runs)))
    first = comparison.compared[0]
    if len(order) > len(LETTERS):
        sign = 1 if first.measured.quantity.better == "lower" else -1
        order.sort(key=lambda run: (math.isnan(first.means[run]), sign * first.means[run]))
    return order


def letters_of(count: int) -> list[str]:
    """A letter for each of so many runs; after the last one two, in the same order."""
    found = list(LETTERS[:count])
    while len(found) < count:
        place = len(found)
        prefix = found[place // len(LETTERS) - 1]
        found.append(prefix + LETTERS[place % len(LETTERS)])
    return found


def joined(places: Sequence[int], letters: Sequence[str], marked: Mapping[int, str] = MappingProxyType({})) -> str:
    """The letters of some runs, given in rising order: ``ac``, ``a–e``, ``b,aa,ad``; no two lists read alike.

    Those that are marked stand last, with the marks: ``acb§``.
    """
    parts: list[str] = []
    places = sorted({*places}.difference(marked))
    begin = 0
    while begin < len(places):
        end = begin
        while end + 1 < len(places) and places[end + 1] == places[end] + 1:
            end += 1
        if end - begin + 1 >= _TOGETHER:
            parts.append(f"{letters[places[begin]]}–{letters[places[end]]}")
        else:
            parts += (letters[place] for place in places[begin : end + 1])
        begin = end + 1
    parts += (letters[place] + marks for place, marks in sorted(marked.items()))
    apart = any(len(part.rstrip(RESTS + ZERO_INSIDE)) > 1 for part in [*parts, *letters])
    return ("," if apart else "").join(parts)


def _cells(laid: ComparisonLayout, compared: Compared, letters: Sequence[str], order: Sequence[int]) -> list[Cell]:
    """The means of a measure in the order of the rows, with what is best and what is above each."""
    texts = [real(mean, laid.digits) for mean in compared.means]
    best, second = _two_best(compared, texts)
    above = _beaten(laid, compared, letters, order) if letters else _against(laid, compared)
    cells = [
        Cell(text, best=text == best, second=text == second, above=mark)
        for text, mark in zip(texts, above, strict=True)
    ]
    return [cells[run] for run in order]


def _two_best(compared: Compared, texts: Sequence[str]) -> tuple[str | None, str | None]:
    """The best and the second best mean, as they are shown: what looks alike is marked alike."""
    better = compared.measured.quantity.better
    if better == "neither":
        return None, None
    known = [place for place, mean in enumerate(compared.means) if not math.isnan(mean)]
    known.sort(key=lambda place: compared.means[place] if better == "lower" else -compared.means[place])
    found = [*dict.fromkeys(texts[place] for place in known), None, None]
    return found[0], found[1]


def _beaten(laid: ComparisonLayout, compared: Compared, letters: Sequence[str], order: Sequence[int]) -> list[str]:
    """Above the mean of each run the letters of the runs that it is shown to be better than."""
    runs = laid.comparison.runs
    places = {runs[run]: row for row, run in enumerate(order)}
    beaten: list[list[int]] = [[] for _ in letters]
    marked: list[dict[int, str]] = [{} for _ in letters]
    for contrast in compared.contrasts:
        better, worse = places[contrast.run], places[contrast.baseline]
        if contrast.finding == WORSE:
            better, worse = worse, better
        elif contrast.finding != BETTER:
            continue
        beaten[better].append(worse)
        if marks := marks_of(contrast):
            marked[better][worse] = marks
    return [joined(beaten[places[run]], letters, marked[places[run]]) for run in runs]


def _against(laid: ComparisonLayout, compared: Compared) -> list[str]:
    """Above each mean what the run is shown to be against the baseline."""
    marks = {BETTER: BETTER_MARK, WORSE: WORSE_MARK}
    found = {contrast.run: marks.get(contrast.finding, "") + marks_of(contrast) for contrast in compared.contrasts}
    return [found.get(run, "") for run in laid.comparison.runs]


def _daggers(there: Collection[str], baseline: str) -> str:
    """What the daggers that there are mean."""
    if BETTER_MARK not in there:
        return (
            f"{WORSE_MARK} significantly worse than {baseline}"
            if there
            else f"No run is significantly better or worse than {baseline}"
        )
    worse = f", {WORSE_MARK} significantly worse" * (WORSE_MARK in there)
    return f"{BETTER_MARK} significantly better than {baseline}{worse}"


def _notes(laid: ComparisonLayout, policy: str, remarks: Sequence[str], cells: Sequence[Cell]) -> Iterator[str]:
    """What has to be said of the cells: of marks, of those that there are."""
    comparison = laid.comparison
    # A screen has no underlined type, and says itself which marks it has instead.
    types = ["The best is bold"] * any(cell.best for cell in cells)
    types += ["the second best underlined"] * any(cell.second for cell in cells)
    if types and laid.look.width is None:
        yield f"{', '.join(types)}."
    lower = [laid.name(of) for of in comparison.compared if of.measured.quantity.better == "lower"]
    if lower:
        yield f"Of {', '.join(lower)} the lowest is the best."
    is_known, by = is_tested(laid), tested(laid, alone=True)
    if not is_known:
        yield f"No difference is significant: {by}."
    how = f"p ≤ {decimal(laid.plan.alpha)}, n = {_count(laid)}, {by}"
    raised = {mark for cell in cells for mark in cell.above}
    if laid.pairs and is_known:
        letters = "Letters above a mean: runs that it is significantly better than"
        yield f"{letters if raised else 'No run is significantly better than another'} ({how})."
    elif is_known:
        yield f"{_daggers(raised, named(str(comparison.baseline)))} ({how})."
    yield from by_chance(laid, "a letter" if laid.pairs else "a dagger")
    yield from repeated(laid)
    yield from on_unjudged(laid, comparison.compared, see="")
    yield from on_unknown(comparison)
    yield from on_tests(laid)
    yield from beside_the_mean(laid, comparison.compared)
    doubted: dict[str, list[str]] = {}
    for compared in comparison.compared:
        for doubt in doubts(laid, compared):
            doubted.setdefault(doubt, []).append(laid.name(compared))
    for doubt, names in doubted.items():
        yield f"{', '.join(names)}: " * (len(comparison.compared) > 1) + doubt
    yield from (f"{remark[0].upper()}{remark[1:]}." for remark in remarks)
    yield f"Queries: {policy}."
