"""trec_eval's lines, byte for byte: label, query or ``all``, and value, with tabs between them.

For each query in turn come its measures, in trec_eval's order, then all of them for ``all``. The label is padded to 22
characters and never cut; reals have four decimals unless others are asked for, counts none; ids and run tags are the
bytes of the file, but for a query called ``all``, which stands in quotes; a tab or the end of a line in them is
refused. Several runs follow each other; the line ``runid`` tells whose lines these are, and a line ``qrels`` under
which judgments, where there are several. The lines of a group are for ``all:GROUP``. Z-scores have a ``Z`` before the
padded label, as in trec_eval, and are reals, of counts too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.base.errors import InputError, shown
from irev.base.text import EXACT, disambiguate, encoded, number
from irev.evaluation.result import TOGETHER, Outcome, Result, summary_rows
from irev.evaluation.scores import Summarised
from irev.measures import Request, in_trec_order
from irev.output.report import Look
from irev.output.reports.evaluation import EvaluationReport

if TYPE_CHECKING:
    import numpy.typing as npt

NAMES = "trec"

_RUN_ID, _QRELS, _SIZE = "runid", "qrels", "num_q"


def pieces(report: EvaluationReport) -> Iterator[bytes]:
    """The lines of an evaluation, made of its arrays, since of large results there are many."""
    result, look = report.result, report.look
    order = in_trec_order(result.requests)
    wanted = {request.measure.name for request in result.requests}
    for outcome in (outcome.arranged(order) for outcome in result.outcomes):
        if not result.summarised and result.several_runs:
            yield _line(_RUN_ID, b"all", encoded(outcome.run))
        if result.several_qrels:
            yield _line(_QRELS, b"all", encoded(outcome.qrels))
        if result.per_query:
            yield from _per_query(outcome, result, look)
        if result.summarised:
            yield b"".join(_summary(outcome, result, look, wanted))


def _summary(outcome: Outcome, result: Result, look: Look, wanted: set[str]) -> Iterator[bytes]:
    tag = encoded(outcome.run)
    if result.several_runs and _RUN_ID not in wanted:
        yield _line(_RUN_ID, b"all", tag)
    for row in summary_rows(outcome):
        if row.group is not None and _SIZE not in wanted:
            yield _line(_SIZE, row.name, b"%d" % row.group.size)
        for request, value in row.values:
            of_several = request.measure.name == _RUN_ID and result.several_runs
            mark = _mark(request, result)
            yield mark + _line(look.name(request), row.name, tag if of_several else _text(value, look.digits))


def _mark(request: Request, result: Result) -> bytes:
    """What stands before the label of a measure: ``Z`` where its values are z-scores."""
    return b"Z" if result.zscores and request.measure.kind != "text" else b""


def _line(label: str, query: bytes, value: bytes) -> bytes:
    return b"%-22s\t%s\t%s\n" % (label.encode(), _in_line(query), _in_line(value))


def _in_line(name: bytes) -> bytes:
    """An id or a name as it is, which is refused where it would end a field or a line and so forge another.

    No file of lines has such ids; records, names that are given, and what Python has in memory may.
    """
    if name != name.translate(None, b"\t\n\v\f\r"):
        fact = f"{shown(name)} contains a tab or an end of line, which trec_eval's format cannot have"
        raise InputError(fact, remedy="choose another -f, such as csv")
    return name


def _text(value: Summarised, digits: int) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, float) and digits == 4:
        # The C library prints the sign of a NaN, and the one that arithmetic makes is negative.
        return b"%6.4f" % value if value == value else b"  -nan"
    return number(value or 0, digits).encode()


def _per_query(outcome: Outcome, result: Result, look: Look) -> Iterator[bytes]:
    """The lines of one query after the other, those of some together.

    One format makes all the lines of a query, several times faster than a format for each; the query takes the place of
    a NUL byte, which no id has. Bytes pass through Latin-1, which leaves them as they are.
    """
    real = {4: "%6.4f", EXACT: "%r"}.get(look.digits, f"%.{look.digits}f")
    forms = {"f": real, "i": "%d", "O": "%s"}
    cells = [_cells(column.values, look.digits) for column in outcome.columns]
    lines = "".join(
        f"{_mark(column.request, result).decode()}{look.name(column.request):22}\t\0\t{forms[values.dtype.kind]}\n"
        for column, values in zip(outcome.columns, cells, strict=True)
    )
    queries = outcome.scores.queries
    for begin in range(0, len(queries), TOGETHER):
        table = zip(*(values[begin : begin + TOGETHER].tolist() for values in cells), strict=True)
        found = []
        for query, row in zip(queries[begin : begin + TOGETHER], table, strict=False):
            name = disambiguate(_in_line(query), bool(outcome.groups)).decode("latin-1")
            found.append((lines % row).replace("\0", name))
        yield "".join(found).encode("latin-1")


def _cells(values: npt.NDArray[Any], digits: int) -> npt.NDArray[Any]:
    """Values that a format can take: texts decoded, and reals as texts where there is a NaN among them."""
    odd = values.dtype.kind == "f" and not np.isfinite(values).all()
    if values.dtype.kind == "O" or odd:
        texts = [_text(value, digits).decode("latin-1") for value in values.tolist()]
        return np.array([*texts, None], dtype=object)[:-1]
    return values
