"""Kappa worked by hand: the grades of two judges with totals, observed and expected agreement, kappa as a fraction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irev.base.text import named, real
from irev.output.report import Sheet, table
from irev.questions.judges.results import Pair

ALL = "all"


def worked(pair: Pair, grades: Sequence[str], digits: int) -> Sheet:
    """The table of the grades of two judges with its totals, and what kappa is computed from below it."""
    counts = [[int(count) for count in row] for row in pair.table.tolist()]
    columns = [sum(row[place] for row in counts) for place in range(len(grades))]
    lines = [*zip(grades, counts, strict=True), (ALL, columns)]
    rows = ({"grade": grade, **_texts(grades, row), ALL: f"{sum(row):,}"} for grade, row in lines)
    title = f"Kappa of {named(pair.first)}, a row for each grade, and {named(pair.second)}, a column for each"
    return table(title, ("grade",), None, rows, notes=_steps(counts, columns, digits))


def _texts(grades: Sequence[str], row: Sequence[int]) -> dict[str, str]:
    return {grade: f"{count:,}" for grade, count in zip(grades, row, strict=True)}


def _steps(counts: Sequence[Sequence[int]], columns: Sequence[int], digits: int) -> Iterator[str]:
    rows = [sum(row) for row in counts]
    n = sum(rows)
    same = [row[place] for place, row in enumerate(counts)]
    products = [one * other for one, other in zip(rows, columns, strict=True)]
    observed, expected = sum(same) * n, sum(products)  # both of n²
    yield (
        f"1. Observed agreement, the diagonal: p_o = ({_sum(same)}) / {n:,} = {sum(same):,}/{n:,}"
        f" = {real(sum(same) / n, digits)}."
    )
    yield (
        "2. Agreement expected by chance, total of each row times total of its column: p_e ="
        f" ({' + '.join(f'{one:,} · {other:,}' for one, other in zip(rows, columns, strict=True))}) / {n:,}²"
        f" = {expected:,}/{n * n:,} = {real(expected / (n * n), digits)}."
    )
    above, below = observed - expected, n * n - expected
    if not below:
        yield "3. kappa = (p_o - p_e) / (1 - p_e) is undefined: chance alone agrees on everything."
        return
    yield (
        f"3. kappa = (p_o - p_e) / (1 - p_e) = ({observed:,} - {expected:,}) / ({n * n:,} - {expected:,})"
        f" = {above:,}/{below:,} = {real(above / below, digits)}."
    )


def _sum(numbers: Sequence[int]) -> str:
    return " + ".join(f"{number:,}" for number in numbers)
