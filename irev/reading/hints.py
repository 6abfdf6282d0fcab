"""Hints: what a message advises where a file is not in TREC's format, and no other was named or recognised.

Advice that is followed must not lead to a wrong number. A format is therefore named only if its reader takes the first
lines, if what it reads is plausible (ids where ids belong, grades that are grades, scores that fall, ranks that count
up), and if no other format would do as well. The same holds for a header that lacks, and for one that is too much.
Where nothing stands this test, the message says what was expected and no more.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from irev.base.errors import Faults, InputError, IrevError, Problem, ProblemError
from irev.base.registry import Registry
from irev.base.settings import Settings
from irev.base.text import REAL, decoded
from irev.reading import chunks, ids, qrels, runs
from irev.reading.fields import WORSE, Layout, split, with_blanks
from irev.reading.formats import DEFAULT, JUDGMENTS, RUNS, Format, recognised, roles_of
from irev.reading.ids import PAD
from irev.reading.sources import BOM, GivenText

Columns = dict[str, list[bytes]]
"""The fields of all lines, by name."""

FIRST = 20
"""So many lines are tried."""

HIGHEST = 10
"""The highest grade of usual scales of whole numbers: higher numbers are rather scores."""

_HEADERS = (
    "query_id,doc_id,{}",
    "query_id,doc_id,rank",
    "query_id,iteration,doc_id,{}",
    "query_id,doc_id,rank,{}",
    "query_id,iteration,doc_id,rank,{},tag",
)
"""Headers for tables that lack one; the place is for the first name of a grade or score."""


def advice(table: Registry[Format], head: bytes, name: str, settings: Settings) -> str:
    """What to advise for a file that is not of TREC's format; nothing where no advice is good.

    Raises
    ------
    InputError
        Where the file is certainly something else, or begins with a header.
    """
    judged = table is JUDGMENTS
    option = "--qrels-format" if judged else "--run-format"
    lines = [line for line in head.split(b"\n", FIRST)[:FIRST] if line.strip() and not line.startswith(b"#")]
    text = _lines_of(lines)
    if lines and all(re.fullmatch(_VALUES, line) for line in lines):
        what = "judgments" if judged else "a run"
        remedy = "irev eval takes judgments and runs; irev compare reads such values"
        raise InputError(f"these are values of queries, as an evaluator prints them, not {what}", name, remedy)
    if _takes(RUNS if judged else JUDGMENTS, DEFAULT, text, settings):
        return f"this looks like {'a run' if judged else 'judgments'}; judgments come first, then runs"
    if settings.columns_apart != settings and recognised(table, head, settings.columns_apart):
        names = "run:ROLE=NAME those of runs" if judged else "qrels:ROLE=NAME those of judgments"
        return f"--columns names none of its columns, and {names} alone"
    if _is_header(lines):
        found = _formats(table, _lines_of(lines[1:]), settings)
        if len(found) == 1:
            as_comment = "" if settings.single_precision else ", or begin it with #"
            also = "" if found == [DEFAULT] else f", and give {option} {found[0]}"
            raise ProblemError(name, Problem(1, "E101", "the first line is a header", f"remove it{as_comment}{also}"))
    for separator in ",;":
        fields = lines[0].count(separator.encode()) + 1 if lines else 0
        for header in _HEADERS:
            header = header.format("relevance" if judged else "score").replace(",", separator)
            if fields == header.count(separator) + 1 and _takes(
                table, "csv", _lines_of([header.encode(), *lines]), settings
            ):
                return f"with {'commas' if separator == ',' else 'semicolons'} it needs a header: {header}"
    found = _formats(table, _whole_json(head) if head.lstrip().startswith(b"{") else text, settings)
    if len(found) == 1:
        return f"perhaps it needs {option} {found[0]}"
    if judged and any(re.fullmatch(_WORDS, line) for line in lines):
        return "a grade of several words is written with _ between them, as highly_relevant"
    return ""


def refuse_other(table: Registry[Format], form: Format, head: bytes, name: str, settings: Settings) -> None:
    """Raise `InputError` for a table with the columns of a run where judgments belong, or the other way round."""
    other = RUNS if table is JUDGMENTS else JUDGMENTS
    if form.name not in ("csv", "tsv", "jsonl"):
        return  # only these are lines that can be tried
    text = _lines_of([line for line in head.removeprefix(BOM).split(b"\n", FIRST)[:FIRST] if line.strip()])
    if form.name in other and recognised(other, head, settings) and _takes(other, form.name, text, settings):
        what = "a run" if table is JUDGMENTS else "judgments"
        raise InputError(f"this looks like {what}", name, "judgments come first, then runs")


_VALUES = rb"[A-Za-z]\S*(?: +\t[^\t]+|\tall)\t[^\t]+"
"""A line as trec_eval prints it: a measure, with blanks behind it, a query or all, and a value."""

_WORDS = rb"\S+\s+\S+\s+\S+(?:\s+[^\W\d_]+){2,4}\s*"
"""A line of judgments whose grade is words with blanks between them."""


def _lines_of(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _whole_json(head: bytes) -> bytes:
    """The beginning of an object of arrays, with its end."""
    return head if head.rstrip().endswith(b"}") else head[: head.rfind(b"]") + 1] + b"}"


def _is_header(lines: list[bytes]) -> bool:
    """Whether names of columns stand between the blanks of the first line."""
    if len(lines) < 2:
        return False
    names = lines[0].split()
    if {"query", "document"} <= roles_of([decoded(each) for each in names]):
        return True
    words = all(re.fullmatch(rb"[A-Za-z][A-Za-z_-]*", name) for name in names)
    return words and len(names) > 2 and names[0] not in {line.split()[0] for line in lines[1:]}


def _formats(table: Registry[Format], text: bytes, settings: Settings) -> list[str]:
    """The formats in which these lines are plausible: TREC's, or else all others that may be suggested."""
    if _takes(table, DEFAULT, text, settings):
        return [DEFAULT]
    if all(re.fullmatch(REAL.encode(), line.strip()) for line in text.splitlines()):
        return [form.option for form in table.values() if form.suggested and form.beside]
    return [form.name for form in table.values() if form.suggested and _takes(table, form.name, text, settings)]


def _takes(table: Registry[Format], name: str, text: bytes, settings: Settings) -> bool:
    """Whether the reader of a format takes these lines, and what it reads is plausible."""
    form, faults = table[name], Faults()
    settings = replace(settings, qrels_format=name, run_format=name)
    try:
        layout, stream = form.lines(GivenText(text, ""), settings, faults)
        columns = _columns(layout, chunks.read_all(stream))
        if columns is None or faults.problems:
            return False
        if table is JUDGMENTS:
            qrels.read(GivenText(text, ""), settings)
        else:
            runs.read(GivenText(text, ""), lambda block: None, settings)
    except IrevError:
        return False
    return (
        form.plausible(columns) and _are_ids(columns) and _are_grades(columns)
        if table is JUDGMENTS
        else _are_ids(columns) and _are_results(columns)
    )


def _columns(layout: Layout, buffer: chunks.Buffer) -> Columns | None:
    """The fields of all lines; None where a line has others than those of the layout, or there is none."""
    text = buffer.text
    fields = split(text, PAD, buffer.end, layout)
    with_blanks(text, PAD, buffer.end, layout)
    if fields.faults.problems or not fields.rows:
        return None
    spans = ((name, *fields.span(name)) for name in layout.fields)
    return {
        name: [ids.at(text, a, b - a) for a, b in zip(start.tolist(), stop.tolist(), strict=True)]
        for name, start, stop in spans
    }


_NO_ID = re.compile(rb"[0-9]+:[^:]*|[^:]+:[0-9.]{1,3}|[+-]?[0-9]*\.[0-9]+|L[0-9]|Q?0")
"""What is rather a feature, a score, a level, the second field of TREC's lines, or a grade."""


def _are_ids(columns: Columns) -> bool:
    """Whether ids of documents stand where they belong."""
    json = columns["query"][0].startswith((b"{", b"["))
    return not json and not all(map(_NO_ID.fullmatch, columns["document"]))


def _are_grades(columns: Columns) -> bool:
    """Whether judgments are plausible: grades on a usual scale that are no ranks, and what each kind of them has."""
    if "subgroup" in columns:
        groups = [*zip(columns["query"], columns["group"], columns["subgroup"], strict=True)]
        if {*columns["group"]} <= {b"0", b"Q0"} or any(groups.count(each) < 2 for each in groups):
            return False  # blanks in the ids of TREC's lines look so, but a preference takes two documents of a group
    if WORSE in columns:
        both = columns["document"] + columns[WORSE]
        words = all(re.search(rb"\w", each) and not re.fullmatch(REAL.encode(), each) for each in both)
        return words and len({*columns["query"]}) < len(columns["query"])  # topics have a line each
    if "grade" not in columns and not any(re.search(rb"[0-9]", each) for each in columns["document"]):
        return False  # a word may be the text of a topic
    if {*columns["document"]}.intersection(columns.get("grade", ())):
        return False  # numbers may be the other documents of pairs
    grades = [float(each) for each in columns.get("grade", ()) if re.fullmatch(REAL.encode(), each)]
    usual = all(0 <= each <= 1 or (each % 1 == 0 and -3 < each <= HIGHEST) for each in grades)
    return usual and not (max(grades, default=0) > 2 and _count_up(columns["query"], grades))


def _are_results(columns: Columns) -> bool:
    """Whether results are plausible: ranks that count up, scores that fall and are no grades."""
    queries = columns["query"]
    written = columns.get("score", ())
    if not all(re.fullmatch(REAL.encode(), each) for each in written):
        return False
    scores = [*map(float, written)]
    if "rank" in columns:
        ranks = [float(each) if each.isdigit() else -1.0 for each in columns["rank"]]
        if not _count_up(queries, ranks) or (not scores and max(ranks) < 2):
            return False
    rows = [*zip(queries, scores, strict=True)] if scores else []
    falling = all(a[0] != b[0] or a[1] >= b[1] for a, b in pairwise(rows))
    return falling and (not scores or any(each % 1 or abs(each) > 4 for each in scores))


def _count_up(queries: list[bytes], numbers: list[float]) -> bool:
    """Whether the numbers of each query rise, from 0 or 1 on, as ranks do."""
    last: dict[bytes, float] = {}
    for query, number in zip(queries, numbers, strict=True):
        if number <= last[query] if query in last else number not in (0, 1):
            return False
        last[query] = number
    return True
