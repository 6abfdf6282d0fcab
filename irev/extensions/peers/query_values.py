"""Values of single queries that other programs computed: the forms in which they are written, and one reader.

========  ============================================================================================
lines     a measure, a query and a value: trec_eval 7 to 10, sample_eval, pytrec_eval, ``irev eval -q``;
          or a query, a measure and a value: ``ir_measures -q``
table     CSV, TSV, JSON lines or a JSON list, with a row for each value (run, query, measure, value) or
          for each query (a column for each measure): gdeval, ndeval, pandas, PyTerrier, ragas, DeepEval
nested    JSON: ``{query: {measure: value}}`` of pytrec_eval and BEIR, ``{measure: {query: value}}`` of ranx
test run  JSON of DeepEval: test cases, each with a list of metrics and their scores
pairs     a query and its value
========  ============================================================================================

All are recognised, except two columns and tables without a name that is known: these could be judgments.

Rows for `MEANS`, and `SUMMARIES` at the end, are left out, and so are texts in single quotes, as relstring prints them.
A query that stands as ``"all"`` is the query called all, as `irev.base.text.disambiguate` writes it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice, takewhile
from typing import Any, NamedTuple

import numpy as np

from irev.base import directions
from irev.base.directions import Direction, usual
from irev.base.errors import InputError, Problem, ProblemError, UsageError, shown
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import REAL, decoded, encoded
from irev.evaluation.record import is_record
from irev.evaluation.result import Facts, Outcome, Result
from irev.evaluation.scores import Column, Scores, summarise
from irev.measures import Request, parse
from irev.measures.measure import foreign
from irev.measures.parameters import Value
from irev.measures.request import is_measure
from irev.reading import columns
from irev.reading.formats import HEAD, head_of
from irev.reading.json_reader import once
from irev.reading.lists import content_of, quoted_records, require_apart, require_width
from irev.reading.sources import BOM, Source

ALL = b"all"

MEANS = frozenset(b"all amean gmean hmean mean avg average overall".split())
"""What evaluators call the row for all queries, in small letters."""

SUMMARIES = re.compile(
    rb"count|sum|total|min|max|median|std|stdev|stddev|sd|var|variance|[0-9.]+%"
    rb"|(macro|micro|weighted)[ _-]?(avg|average|mean)?"
)
"""What programs call other rows for all queries, as `DataFrame.describe` of pandas does, in small letters. Queries may
have these names too: only the last rows of a file are left out, and a warning names them."""

_QUERY = (*columns.ALIASES["query"], "question", "input", "case", "test_case")
_RUN = ("run", "run_id", "runid", "run_name", "system", "model", "experiment")
_MEASURE = ("measure", "metric", "measure_name", "metric_name")
_NUMBER = ("value", "score", "metric_value")
_INDEX = ("", "unnamed: 0")
"""Names of columns in small letters, the best one first; pandas writes an index without a name."""
_NAME = "name"
"""The run of PyTerrier's experiments, and the test case of DeepEval where no other column is the query."""

_NOT_MEASURED = ("run", "qrels", "group", *_RUN, *_INDEX, *_QUERY)
_NOT_SCORES = {name for role in ("document", "results", "relevant", "rank", "grade") for name in columns.ALIASES[role]}
"""Columns that tables of judgments and runs have, and tables of scores do not."""
_VALUE = re.compile(b"(" + REAL.encode() + rb"|[+-]?inf|[+-]?nan|'.*')?", re.IGNORECASE)
"""What a cell of a wide table may hold: a number, a text, or nothing."""

_HEADERS = "expected a header with query, measure and value, or with query and a column for each measure"

_BEGINS_JSON = re.compile(rb'\s*(?:\{|\[\s*[]"{[0-9-])')
_PADDED = 22
"""Characters that trec_eval 9 and 10 pad their labels to."""
_WITH_OPTIONS = re.compile(rb"[,(][a-z_]+=|^utility_-?[0-9.]+,")
"""What labels of more than 22 characters have in them, and ids do not."""

_RUN_ID = (b"runid", b"RunID")
_GROUP = re.compile(rb"^(?:num_q|NumQ) *\tall:", re.MULTILINE)
"""How the lines for a group begin."""
_LIKE_ALL = {False: re.compile(rb'"+all"+'), True: re.compile(rb'"+all(:.*)?"+', re.DOTALL)}
"""What stands in quotes to be told apart from the lines for all queries; more where there are groups."""
_GDEVAL = re.compile(rb"ndcg@([0-9]+)")
"""A measure of gdeval, whose gains are exponential."""


def recognised(head: bytes) -> str | None:
    """Return the form of a file that begins with these bytes, one of `FORMS`; None for anything else.

    Records of irev and judgments and runs in any format are None, and so are two columns.
    """
    head = head.removeprefix(BOM)
    if is_record(head):
        return None
    return next((name for name, form in FORMS.items() if form.recognised(head)), None)


class Table(NamedTuple):
    """The values of one run, as a file has them.

    Attributes
    ----------
    run : str
        What the file calls it; empty when it does not say.
    measures : dict of str to dict of bytes to float
        For each measure, as it is called there, the value of each query, in the order of the file. Values may be nan
        or infinite.
    qrels : str
        What the file calls the judgments; empty when it does not say.
    """

    run: str
    measures: dict[str, dict[bytes, float]]
    qrels: str = ""


def read_result(source: Source, better: Mapping[str, Direction], warn: Callable[[str], object]) -> Result:
    """Read the result that a file of values holds; `better` is of measures that irev does not know."""
    return of_tables(read_scores(source, warn=warn), source.name, better)


def of_tables(tables: Sequence[Table], name: str, better: Mapping[str, Direction]) -> Result:
    """The result that tables of values hold, of which no more is known than these values."""
    requests = {label: _named(label, better) for table in tables for label in table.measures}
    outcomes = tuple(_outcome_of(table, name, requests) for table in tables)
    return Result(outcomes, COMPUTED_ELSEWHERE, EVERY_VALUE, per_query=True)


COMPUTED_ELSEWHERE = Settings(queries="both", complete=True)
"""The settings of values that another program computed: every query counts that has one."""


EVERY_VALUE = "all queries that have a value"


def _named(label: str, better: Mapping[str, Direction]) -> Request:
    """What a name stands for. A measure that irev does not know is better the higher, unless its name says otherwise
    or the user does."""
    try:
        requests = parse([label])
    except UsageError:
        requests = ()
    # A bare name for several cutoffs is that of none, and a measure that has no values for queries is another.
    if len(requests) == 1 and requests[0].measure.numeric and not requests[0].aggregate:
        return requests[0]
    return Request(foreign(label, better.get(label) or usual(label) or "higher"), Value(None, ""))


def _outcome_of(table: Table, name: str, requests: Mapping[str, Request]) -> Outcome:
    queries = sorted({query for values in table.measures.values() for query in values})
    columns: dict[Request, Column] = {}
    for label, values in table.measures.items():
        request = requests[label]
        if len(values) < len(queries):
            absent = next(query for query in queries if query not in values)
            fact = f"query {shown(absent)} has no value of {shown(encoded(label))}, but of another measure"
            raise InputError(fact, name, "add the value, or leave out the query")
        if request in columns:
            raise InputError(f"two measures are {request.standard}, one of them {shown(encoded(label))}", name)
        array = np.array([values[query] for query in queries], dtype=np.float64)
        whole = request.measure.kind == "count" and bool((array == np.rint(array)).all())
        columns[request] = Column(request, array.astype(np.int64) if whole else array)
    scores = Scores(tuple(queries), tuple(columns.values()), len(queries), True, 0, encoded(table.run))
    run = table.run or os.path.basename(name).split(".", 1)[0] or name
    return Outcome(run, table.qrels, scores, summarise(scores), Facts(0, 0, 0, (), (), known=False))


def read_scores(
    source: Source,
    form: str | None = None,
    measure: str = "value",
    warn: Callable[[str], object] = lambda message: None,
) -> list[Table]:
    """Read the values of single queries in a file: a table for each run and set of judgments, in the order of the file.

    Parameters
    ----------
    source : Source
    form : str, optional
        One of `FORMS`; by default what the content is, and when it is nothing else the form that it looks like.
    measure : str
        What the values of two columns are called.
    warn : callable
        Is told which rows at the end are no queries.

    Raises
    ------
    ProblemError
        For a line with the wrong number of fields, a value that is not a number, a query with two values of a measure,
        an empty name, a NUL byte, a line that is too long.
    InputError
        For an empty file, and one without values of single queries.
    """
    found = form or _form(head_of(source))
    content = content_of(source, "expected values of single queries", skip_mark=found != "pairs")
    return _tables(content, source.name, found, measure, warn)


def tables_in(content: bytes, name: str, warn: Callable[[str], object]) -> list[Table]:
    """Read what `read_scores` reads from memory; `name` is what messages call it."""
    return _tables(content, name, _form(content[:HEAD]), "value", warn)


def _form(head: bytes) -> str:
    """The form of a file that has scores, as the user says."""
    return recognised(head) or _looks_like(head.removeprefix(BOM))


def _tables(content: bytes, name: str, found: str, measure: str, warn: Callable[[str], object]) -> list[Table]:
    parts = [*(_of_pairs(content, name, measure) if found == "pairs" else FORMS[found].read(content, name))]
    if found not in ("lines", "test run"):
        columns = [column for part in parts for column in part.named.values()]
        if rows := [*dict.fromkeys(row for column in columns for row in column.without_summaries())]:
            said = f"{', '.join(map(shown, rows))} at the end {'summarises' if len(rows) == 1 else 'summarise'} queries"
            warn(f"{name}: {said}, and {'is' if len(rows) == 1 else 'are'} left out")
    made = [Table(part.run, part.values(), part.qrels) for part in parts]
    if not any(table.measures for table in made):
        remedy = (
            "save it again with `trec_eval -q` or `irev eval -q`"
            if found == "lines"
            else "expected a line for each query"
        )
        raise InputError("there are no values of single queries", name, remedy)
    return [table for table in made if table.measures]


def _looks_like(head: bytes) -> str:
    """The form to read a file in that the user says has scores, and that is not recognised."""
    if _BEGINS_JSON.match(head):
        return "nested" if _first_pair(head) else "table"
    return "table" if _has_header(head) else "pairs"


class _ScoreColumn:
    """The values of one measure, and the lines that they stand on."""

    def __init__(self, label: bytes, file: str) -> None:
        self.label, self.file = label, file
        self.values: dict[bytes, float] = {}
        self.lines: dict[bytes, int] = {}
        self.refused: ProblemError | None = None

    def put(self, line: int, query: bytes, value: bytes) -> None:
        """Take the value of a query, unless it is a text."""
        try:
            number = float(value)
        except ValueError:
            text = value.strip()
            if len(text) > 1 and text[:1] == text[-1:] == b"'":
                return
            raise self._no_number(line, text) from None
        if b"_" in value:  # which Python reads
            raise self._no_number(line, value.strip())
        if query in self.lines:
            fact = f"query {shown(query)} has two values of {shown(self.label)}"
            raise ProblemError(self.file, Problem(line, "E107", fact, "keep one of the two", self.lines[query]))
        self.values[query], self.lines[query] = number, line

    def put_cell(self, line: int, query: bytes, value: bytes) -> None:
        """Take a cell of a wide table.

        A column may be empty in all rows, as that of a measure without values for queries is, and it may be one of
        texts, such as answers. Only a column with some numbers is refused.
        """
        if value and _VALUE.fullmatch(value.strip()):
            self.put(line, query, value)
        elif self.refused is None:
            self.refused = self._no_number(line, value.strip())

    def without_summaries(self) -> list[bytes]:
        """Leave out the last rows that are `SUMMARIES`, and return what they are called."""
        rows = [*takewhile(lambda row: SUMMARIES.fullmatch(row.strip().lower()), reversed(self.values))][::-1]
        for row in rows:
            del self.values[row]
        return rows

    def _no_number(self, line: int, value: bytes) -> ProblemError:
        if not value:
            fact = f"the value of {shown(self.label)} is empty"
            return ProblemError(self.file, Problem(line, "E113", fact, "expected a decimal number"))
        fact = f"the value {shown(value)} is not a number"
        return ProblemError(self.file, Problem(line, "E105", fact, "expected a decimal number"))


@dataclass(eq=False)
class _RunTable:
    """What a file has of one run, under one set of judgments.

    The keys of `columns` are labels as they stand there, those of `named` are without the blanks around them.
    """

    file: str
    run: str = ""
    qrels: str = ""
    columns: dict[bytes, _ScoreColumn] = field(default_factory=dict)
    named: dict[bytes, _ScoreColumn] = field(default_factory=dict)

    def column(self, label: bytes, line: int) -> _ScoreColumn:
        """The column of a label, a new one if need be."""
        if label not in self.columns:
            name = label.strip()
            if not name:
                raise ProblemError(self.file, Problem(line, "E110", "the name of the measure is empty", "name it"))
            self.columns[label] = self.named.setdefault(name, _ScoreColumn(name, self.file))
        return self.columns[label]

    def values(self) -> dict[str, dict[bytes, float]]:
        """The values of each measure that has some."""
        kept = {name: column for name, column in self.named.items() if column.values}
        for column in self.named.values():
            of_texts = kept and not is_measure(decoded(column.label))
            if column.refused and (column.values or not (of_texts or column.refused.problem.code == "E113")):
                raise column.refused
        return {decoded(name): column.values for name, column in kept.items()}


def _query(name: bytes, grouped: bool, file: str, line: int) -> bytes:
    """The query that is shown as `name`: without the quotes that tell one called ``all`` apart."""
    if not name:
        raise ProblemError(file, Problem(line, "E110", "the query id is empty", "expected an id"))
    return name[1:-1] if name.startswith(b'"') and _LIKE_ALL[grouped].fullmatch(name) else name


def _is_mean(query: bytes) -> bool:
    return query.lower() in MEANS


# Lines


def _fields(line: bytes) -> list[bytes]:
    """The three fields of a line between tabs, where ids may have blanks, or else between blanks."""
    fields = line.split(b"\t")
    return fields if len(fields) == 3 else line.split(None, 2)


def _place_of_label(content: bytes) -> int | None:
    """Return 0 if lines begin with the measure, 1 if it follows the query; None for lines of another kind.

    A label is the name of a measure, or padded as trec_eval 9 and 10 pad it. Beside such labels there may be others.
    """
    known: dict[bytes, bool] = {}

    def is_label(text: bytes) -> bool:
        name = text.strip()
        if name not in known:
            padded = len(text) == _PADDED and text.endswith(b" ")
            known[name] = padded or bool(_WITH_OPTIONS.search(name)) or is_measure(decoded(name))
        return known[name]

    first = second = True
    sure = False  # of the first field; the second is always known
    seen = False
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        fields = _fields(line)
        if len(fields) == 2 and is_label(fields[0]):
            continue  # ir_measures prints means so
        if len(fields) != 3 or line.startswith(b" ") or not (fields[1].strip() and fields[2].strip()):
            return None
        named = fields[0].strip() in (b"qrels", *_RUN_ID)  # and what has the name stands where a value does
        if not named and not _VALUE.fullmatch(fields[2].strip()):
            return None  # before names of measures are looked up, for which all of them are imported
        seen, label = True, is_label(fields[0])
        first, sure = first and (label or _may_be_label(fields[0])), sure or label
        second = second and is_label(fields[1])
        if not (first or second):
            return None
    return 0 if first and sure else 1 if second and seen else None


def _may_be_label(text: bytes) -> bool:
    """Whether this may be a measure that irev does not know, beside others that it does: a word that tells of
    trec_eval's padding, or of the length of its labels."""
    return text.endswith(b" ") or len(text) >= _PADDED


def _are_lines(head: bytes) -> bool:
    whole, newline, _ = head.rpartition(b"\n")
    return _place_of_label(whole if newline else head) is not None


def _of_lines(content: bytes, file: str) -> list[_RunTable]:
    """A part for each run, one after the other.

    The name of a run stands behind its queries, among the lines for all, or before them where there are no other such
    lines; that of the judgments stands before them. A query behind lines for all is the first of the next run.
    """
    grouped = _GROUP.search(content) is not None
    behind = _place_of_label(content[: content.rfind(b"\n", 0, HEAD) + 1]) == 1
    part = _RunTable(file)
    parts, ended = [part], False
    for number, line in enumerate(content.split(b"\n"), start=1):
        fields = line.split(b"\t", 2)
        if len(fields) != 3 or (not fields[1] and line.count(b"\t") > 2):
            fields = line.split(None, 2)
            if not fields or (behind and len(fields) == 2):
                continue
            if len(fields) != 3:
                raise _miscounted(file, number, line, "a label, a query and a value")
        label, query, value = fields
        if behind:
            label, query = query, label
        if _is_mean(query) or (grouped and query.startswith(b"all:")):
            name = label.strip()
            if name not in (b"qrels", *_RUN_ID):
                ended = True
            elif part.columns and (name == b"qrels" or part.run):
                part, ended = _RunTable(file), False
                parts.append(part)
            if name in _RUN_ID:
                part.run, ended = decoded(value.rstrip(b"\r")), bool(part.columns)
            elif name == b"qrels":
                part.qrels = decoded(value.rstrip(b"\r"))
            continue
        if ended:
            part, ended = _RunTable(file), False
            parts.append(part)
        column = part.columns.get(label) or part.column(label, number)
        if query[:1] in (b'"', b""):
            query = _query(query, grouped, file, number)
        column.put(number, query, value)
    return parts


def _miscounted(file: str, line: int, found: bytes, expected: str) -> ProblemError:
    return ProblemError(file, Problem(line, "E101", f"found {shown(found)}", f"expected {expected}"))


# Tables


class _Roles(NamedTuple):
    """The places of the columns of a table; None for a column that it lacks."""

    query: int | None
    run: int | None
    qrels: int | None
    measure: int | None
    value: int | None
    measures: tuple[int, ...]
    """The columns of a wide table, one for each measure, and perhaps texts."""


def _roles(header: Sequence[bytes]) -> _Roles:
    names = [decoded(name).strip().lower() for name in header]

    def place(*known: str) -> int | None:
        return next((names.index(name) for name in known if name in names), None)

    query, run = place(*_QUERY), place(*_RUN)
    if query is None:
        query = place(_NAME, *_INDEX)
    elif run is None and place(*_MEASURE) is not None:
        run = place(_NAME)
    aside = {query, run, *(number for number, name in enumerate(names) if name in _NOT_MEASURED)}
    wide = tuple(number for number in range(len(names)) if number not in aside)
    return _Roles(query, run, place("qrels"), place(*_MEASURE), place(*_NUMBER), wide)


def _is_table(head: bytes) -> bool:
    """Whether there is the header of a long table, or of a wide one with nothing but values in the line below it."""
    try:
        rows = _rows(head, "", cut=True)
        header, row = next(rows)[1], next(rows, (0, []))[1]
    except (InputError, StopIteration):
        return False
    names, roles = [decoded(name).strip() for name in header], _roles(header)
    if roles.query is None:
        return False
    if roles.measure is not None and roles.value is not None:
        return True
    if roles.measure is not None or len(row) != len(names) or _NOT_SCORES.intersection(map(str.lower, names)):
        return False
    cells = {names[number]: row[number].strip() for number in roles.measures}
    numbers = {name for name, cell in cells.items() if _VALUE.fullmatch(cell)}
    if any(is_measure(name) or directions.usual(name) for name in numbers if cells[name]):
        return True
    return names[roles.query] == "query" and any(cells.values()) and len(numbers) == len(cells)


def _has_header(head: bytes) -> bool:
    """Whether the first line of a file of scores is a header, whatever stands below it: it names a column of queries
    and another one, and no number."""
    first = head.partition(b"\n")[0].rstrip(b"\r")
    names = first.split(_separator_of(first))
    return len(names) > 1 and _roles(names).query is not None and not any(n and _VALUE.fullmatch(n) for n in names)


def _rows(content: bytes, file: str, cut: bool = False) -> Iterator[tuple[int, list[bytes]]]:
    """The header of a table and its rows, with their lines; `cut` says that the content may end within a row."""
    if _BEGINS_JSON.match(content):
        objects = _objects(content, file, cut)
        found = [*islice(objects, 1)] if cut else [*objects]
        if not found:
            return
        header = [*dict.fromkeys(name for _, each in found for name in each)]
        yield 1, header
        yield from ((line, [each.get(name, b"") for name in header]) for line, each in found)
        return
    separator = _separator_of(content.partition(b"\n")[0])
    if separator != b"\t":
        yield from quoted_records([content], separator, file)
        return
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line := line.removesuffix(b"\r"):
            fields = line.split(b"\t")
            yield number, [_ESCAPE.sub(_unescaped, part) for part in fields] if b"\\" in line else fields


_ESCAPE = re.compile(rb"\\([\\tnr])")
_ESCAPES = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r"}
_QUOTED = re.compile(rb'"[^"]*"')


def _unescaped(found: re.Match[bytes]) -> bytes:
    return _ESCAPES[found[1]]


def _separator_of(header: bytes) -> bytes:
    """A tab where there is one; else what stands there more often, quotes aside: names may have the other in them."""
    if b"\t" in header:
        return b"\t"
    bare = _QUOTED.sub(b"", header)
    return b";" if bare.count(b";") > bare.count(b",") else b","


def _objects(content: bytes, file: str, cut: bool) -> Iterator[tuple[int, dict[bytes, bytes]]]:
    """The objects of JSON lines, or of a list, with their lines; values that are neither numbers nor texts as texts."""
    try:
        text = content.decode("utf-8", "ignore" if cut else "strict")
        decode, at = _decoder().raw_decode, re.compile(r"[\s,\[\]]*")
        place = at.match(text).end()  # type: ignore[union-attr]
        while place < len(text):
            found, end = decode(text, place)
            if not isinstance(found, dict):
                raise ValueError("expected an object")
            cells = {encoded(name): _cell(value) for name, value in found.items()}
            yield text.count("\n", 0, place) + 1, cells
            place = at.match(text, end).end()  # type: ignore[union-attr]
    except (ValueError, RecursionError) as error:
        fact = f"this is not JSON with an object for each row ({getattr(error, 'msg', error)})"
        raise InputError(fact, file, "write it with a JSON library") from None


def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=once)


def _cell(value: Any) -> bytes:
    if value is None:
        return b""
    if isinstance(value, str):
        return encoded(value)
    return repr(value).encode()


def _of_table(content: bytes, file: str) -> list[_RunTable]:
    """A part for each run and set of judgments that rows name."""
    records = _rows(content, file)
    _, header = next(records)
    require_apart(file, header)
    roles = _roles(header)
    if roles.query is None:
        raise InputError("found no query column (query, query_id, qid …)", file, _HEADERS)
    if roles.measure is not None and roles.value is None:
        raise InputError("there is no column 'value'", file, _HEADERS)
    long = roles.measure is not None
    if not long and not roles.measures:
        raise InputError("there is no column of values", file, _HEADERS)
    labels = {number: _label(header, number) for number in roles.measures}
    run, qrels, query, grouped = roles.run, roles.qrels, roles.query, b"group" in header
    measure, value = roles.measure or 0, roles.value or 0
    parts: dict[tuple[bytes, bytes], _RunTable] = {}
    for line, row in records:
        require_width(file, line, row, header)
        name = row[query]
        if _is_mean(name):
            continue
        about = b"" if run is None else row[run], b"" if qrels is None else row[qrels]
        part = parts.get(about)
        if part is None:
            part = parts[about] = _RunTable(file, decoded(about[0]), decoded(about[1]))
        if name[:1] in (b'"', b""):
            name = _query(name, grouped, file, line)
        if long:
            (part.columns.get(row[measure]) or part.column(row[measure], line)).put(line, name, row[value])
            continue
        for number, label in labels.items():
            part.column(label, line).put_cell(line, name, row[number])
    return list(parts.values())


def _label(header: Sequence[bytes], number: int) -> bytes:
    """The name of a column; that of gdeval's nDCG says that its gains are exponential."""
    of_gdeval = _GDEVAL.fullmatch(header[number]) if list(header[:2]) == [b"runid", b"topic"] else None
    return b"nDCG(gain=exp)@%b" % of_gdeval[1] if of_gdeval else header[number]


# Nested objects


_PAIR = re.compile(r'\s*\{\s*("(?:[^"\\]|\\.)*")\s*:\s*(?=\{)')


def _first_pair(head: bytes) -> tuple[str, str] | None:
    """The first key of an object of objects, and the text from its value on; None for anything else."""
    text = head.decode("utf-8", "ignore")
    found = _PAIR.match(text)
    return (json.loads(found[1], strict=False), text[found.end() :]) if found else None


def _is_nested(head: bytes) -> bool:
    """Whether a file has an object of objects whose outer, or all of whose inner keys are measures."""
    if (first := _first_pair(head)) is None:
        return False
    key, text = first
    try:
        inner, _ = _decoder().raw_decode(text)
    except (ValueError, RecursionError):  # as of an object that goes on behind the head
        return _is_known(key)
    return bool(inner) and (_is_known(key) or all(map(_is_known, inner))) and all(map(_is_number, inner.values()))


def _is_known(name: str) -> bool:
    """Whether a key is the name of a measure; a single letter is rather a query."""
    return (len(name) > 1 and is_measure(name)) or directions.usual(name) is not None


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _of_nested(content: bytes, file: str) -> list[_RunTable]:
    """One part: values by query and measure, or by measure and query where only the outer keys are all measures."""
    try:
        found = json.loads(content, object_pairs_hook=once)
        outer = {name: dict(inner) for name, inner in found.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        fact = f"this is not JSON such as {{query: {{measure: value}}}} ({getattr(error, 'msg', error)})"
        raise InputError(fact, file, "write it with a JSON library") from None
    inner = dict.fromkeys(name for values in outer.values() for name in values)
    if all(map(_is_known, outer)) and not all(map(_is_known, inner)):
        every = ((query, name, value) for name, inner in outer.items() for query, value in inner.items())
    else:
        every = ((query, name, value) for query, inner in outer.items() for name, value in inner.items())
    part = _RunTable(file)
    for query, name, value in every:
        if not _is_mean(encoded(query)):
            part.column(encoded(name), 1).put(1, _query(encoded(query), False, file, 1), _cell(value))
    return [part]


# DeepEval

_CASES = ("testCases", "conversationalTestCases", "test_results")
"""Where a test run, or the result of ``evaluate()``, has its test cases."""
_TEST_RUN = re.compile(
    rb'\s*\{\s*(?:"testFile"\s*:\s*(?:null|"(?:[^"\\]|\\.)*")\s*,\s*)?"(?:testRunData|%b)"\s*:'
    % "|".join(_CASES).encode()
)


def _of_test_run(content: bytes, file: str) -> list[_RunTable]:
    """One part: the score of each metric by the name of the test case."""
    try:
        found = json.loads(content, object_pairs_hook=once)
        run = found.get("testRunData", found)
        cases = [case for key in _CASES for case in run.get(key) or ()]
        every = [
            (encoded(case["name"]), encoded(metric["name"]), metric.get("score"))
            for case in cases
            for metric in case.get("metricsData") or case.get("metrics_data") or ()
        ]
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        fact = f"these are no test cases with metrics, as DeepEval writes them ({getattr(error, 'msg', error)})"
        raise InputError(fact, file, "save the test run again") from None
    identifier = run.get("identifier")
    part = _RunTable(file, identifier if isinstance(identifier, str) else "")
    for case, metric, score in every:
        if score is None:
            fact = f"metric {shown(metric)} has no score for test case {shown(case)}"
            raise InputError(fact, file, "evaluate the test case again, or leave it out")
        part.column(metric, 1).put(1, case, _cell(score))
    return [part]


# Two columns


def _of_pairs(content: bytes, file: str, measure: str) -> list[_RunTable]:
    part = _RunTable(file)
    column = part.column(encoded(measure), 1)
    for number, line in enumerate(content.split(b"\n"), start=1):
        fields = line.split()
        if len(fields) == 2:
            if not _is_mean(fields[0]):
                column.put(number, _query(fields[0], False, file, number), fields[1])
        elif fields:
            raise _miscounted(file, number, line, "a query and its value")
    return [part]


class _Shape(NamedTuple):
    """How a form is recognised by the first bytes of a file, and read."""

    recognised: Callable[[bytes], bool]
    read: Callable[[bytes, str], Iterable[_RunTable]]


FORMS = {
    "test run": _Shape(lambda head: _TEST_RUN.match(head) is not None, _of_test_run),
    "table": _Shape(_is_table, _of_table),
    "nested": _Shape(_is_nested, _of_nested),
    "lines": _Shape(_are_lines, _of_lines),
}
"""The forms that are recognised, in the order in which they are tried."""
