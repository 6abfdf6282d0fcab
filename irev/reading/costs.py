"""Costs: what it takes to read a result, by its type, as cwl-eval has it.

A file of costs has lines ``type cost``; the type of each result stands in the second column of a run in TREC's format,
which nothing else reads.
"""

from __future__ import annotations

import math
import re

import numpy as np

from irev.base.segments import AnyInts
from irev.base.text import REAL
from irev.errors import Faults, InputError, Problem, shown
from irev.reading import ids
from irev.reading.block import Block
from irev.reading.small_tables import content_of
from irev.reading.sources import Source

Costs = tuple[tuple[bytes, float], ...]
"""Element types and the cost of each, by type."""

FIELD = "Q0"
"""The field of a run that has the types."""

LARGEST = 1e100
"""No cost is higher: what many results cost together still is a number."""

EXPECTED = "expected an element type and its cost, such as: snippet 2.5"

_NUMBER = re.compile(REAL.encode())


def read_costs(source: Source, faults: Faults | None = None) -> Costs:
    """The costs of a file, whose lines may stand in any order; blank ones mean nothing.

    `faults` collects what is wrong with lines; a cost that cannot be used is 1 then. Without it the earliest is raised.

    Raises
    ------
    ProblemError
        For a line that has not two fields, a cost that is no number above 0 and at most `LARGEST`, and a type that
        stands twice.
    InputError
        For a file without costs.
    """
    found = Faults() if faults is None else faults
    costs: dict[bytes, float] = {}
    first: dict[bytes, int] = {}
    for number, text in enumerate(content_of(source, EXPECTED, skip_mark=True).split(b"\n"), start=1):
        fields = text.split()
        if len(fields) != 2:
            if fields:
                fact = f"expected 2 fields, found {len(fields)}"
                found.note(Problem(number, "E101", fact, EXPECTED))
            continue
        name, written = fields
        if name in first:
            fact = f"element type {shown(name)} stands twice"
            found.note(Problem(number, "E107", fact, "keep one of the two lines", first[name]))
            continue
        first[name] = number
        cost = float(written) if _NUMBER.fullmatch(written) else math.nan
        if not 0 < cost <= LARGEST:
            what = "no number" if math.isnan(cost) else "not above 0" if cost <= 0 else "too large"
            fact = f"the cost {shown(written)} of element type {shown(name)} is {what}"
            found.note(Problem(number, "E164", fact, "expected a number above 0, such as 2.5"))
            cost = 1.0  # that the type has none shall not be said of all of its results, too
        costs[name] = cost
    if faults is None:
        found.raise_earliest(source.name)
    if not first and not found.counts:
        raise InputError("the file lists no costs", source.name, EXPECTED)
    return tuple(sorted(costs.items()))


def of_rows(block: Block, costs: Costs) -> AnyInts:
    """(n,) Which of the costs each row of a block has. Adds the rows whose type has none to the faults of the block."""
    fields = block.fields
    start, stop = (offsets[block.row] for offsets in fields.span(FIELD))
    group, examples = ids.grouped(block.text, start, stop - start)
    place = {name: number for number, (name, _) in enumerate(costs)}
    written = [ids.at(block.text, int(start[row]), int(stop[row] - start[row])) for row in examples.tolist()]
    number = np.array([place.get(name, -1) for name in written], dtype=np.int64)[group]

    def problem(row: int) -> Problem:
        own = int(block.row[row])
        name = written[int(group[row])]
        fact = f"element type {shown(name)} has no cost"
        remedy = "add a line for it to the file of costs"
        return Problem(fields.line_of(own), "E163", fact, remedy, column=fields.column(own, FIELD))

    fields.faults.add(np.flatnonzero(number < 0), problem, lambda rows: fields.lines_of(block.row[rows]))
    return np.maximum(number, 0).astype(np.min_scalar_type(max(len(costs) - 1, 0)))
