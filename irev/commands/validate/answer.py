"""A file is read as evaluation reads it, and what is found is reported."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any

import numpy as np

from irev.base.errors import (
    Faults,
    InputError,
    Problem,
    ProblemError,
    UsageError,
    decimal,
    message,
    option,
    shown,
    spoken,
    typed_option,
)
from irev.base.exit import DONE, FAILED, REFUSED
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.base.text import and_more, counted
from irev.commands.validate import ValidateChoices
from irev.commands.validate.checks import DocIds, Inspector, TrackRules, check_encoding, check_invisible
from irev.evaluation.files import FirstDocumentsTask
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import all_relevant, below_level, written_otherwise
from irev.output.finding import ReportedFinding
from irev.output.report import Cell, Plain, Sheet
from irev.output.styles.text import described, held_by, listed
from irev.ranking.hits import Hits, near_miss, no_overlap
from irev.ranking.ranking import require_common
from irev.reading import ids, qrels, runs
from irev.reading.columns import require_named
from irev.reading.fields import Fields
from irev.reading.judgments import Judgments
from irev.reading.problem_codes import severity
from irev.reading.runs import Reading
from irev.reading.small_files import read_ids
from irev.reading.sources import BOM, STANDARD_INPUT, Source

UNUSABLE = "E100"
"""The code of a file that nothing can be said about."""

_TONES = {"error": "bad", "warning": "quiet"}


@dataclass(frozen=True)
class FileReport:
    """What was found in one file.

    Attributes
    ----------
    name, kind : str
        The file, and whether it holds ``judgments`` or a ``run``.
    faults : Faults
        Its problems; line 0 is for what is true of the file as a whole.
    statistics : dict
        What the file holds, as names and values; empty for a file that could not be read to its end.
    """

    name: str
    kind: str
    faults: Faults
    statistics: dict[str, Any] = field(default_factory=dict)

    def add(self, code: str, fact: str, remedy: str, line: int = 0, column: int | None = None) -> None:
        """Add one problem, of a line or of the file as a whole."""
        self.faults.add([0], lambda row: Problem(line, code, fact, remedy, column=column))

    def once(self, code: str, of_queries: bool = False) -> None:
        """Keep only the earliest problem of a code, where one is enough to say that all lines need another look; where
        there is one `of_queries` each, it says how many."""
        first = [problem for problem in self.faults.earliest() if problem.code == code][:1]
        if of_queries and self.faults.counts[code] > 1:
            fact = f"{first[0].fact}, in {counted(self.faults.counts[code], 'query', 'queries')}"
            first = [replace(first[0], fact=fact)]
        self.faults.problems = [problem for problem in self.faults.problems if problem.code != code] + first
        if first:
            self.faults.counts[code] = 1

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """What keeps the file from being opened, or read to its end, becomes one of its problems."""
        try:
            yield
        except ProblemError as error:  # of a file that belongs to this one, as what scores are of
            self.add(error.problem.code, f"{error.place}: {error.fact}", error.remedy)
        except InputError as error:
            self.add(UNUSABLE, error.fact, error.remedy)

    @property
    def usable(self) -> bool:
        """Whether anything can be said about it."""
        return UNUSABLE not in self.faults.counts

    @property
    def may_be_named(self) -> bool:
        """Whether it may have columns with names."""
        return self.faults.named or not self.usable

    @property
    def problems(self) -> list[Problem]:
        """Its problems that are shown, by line, with options as they are typed."""
        found = (
            replace(each, fact=spoken(each.fact, typed_option), remedy=spoken(each.remedy, typed_option))
            for each in self.faults.earliest()
        )
        return sorted(found, key=lambda problem: (problem.line, problem.column or 0, problem.code))


@dataclass(frozen=True, eq=False)
class Validation(ReportedFinding):
    """What was found in files.

    Attributes
    ----------
    reports : tuple of FileReport
        A file after the other.
    stats : bool
        Whether what they hold is shown too.
    strict : bool
        Whether warnings are failures.
    """

    reports: tuple[FileReport, ...]
    stats: bool
    strict: bool

    title = "Validation"
    columns = ("file", "kind", "unit", "line", "column", "severity", "code", "fact", "remedy", "first")
    texts = frozenset({"file", "kind", "unit", "severity", "code", "fact", "remedy"})
    deepest = 99

    def tally(self, kind: str) -> int:
        """How many problems there are of a severity."""
        return sum(n for file in self.reports for code, n in file.faults.counts.items() if severity(code) == kind)

    @property
    def status(self) -> int:
        if not all(file.usable for file in self.reports):
            return REFUSED
        return FAILED if self.tally("error") or (self.strict and self.tally("warning")) else DONE

    @property
    def lead(self) -> Iterator[str]:
        errors, warnings = (_plural(self.tally(kind), kind) for kind in ("error", "warning"))
        alone = "" if any(file.kind == "judgments" for file in self.reports) else ", without judgments"
        yield f"{errors}, {warnings} in {_plural(len(self.reports), 'file')}{alone}."

    @property
    def sheets(self) -> Iterator[Sheet]:
        for file in self.record["files"]:
            name = message(file["name"])
            if file["problems"]:
                found = [*listed(file)]
                rows = tuple(_cells(problem, file["unit"]) for problem, _ in found)
                header = (file["unit"], "column", "severity", "code", "problem")
                more = tuple(f"{rest}." for _, rest in found if rest)
                yield Sheet(name, header, 2, frozenset({2, 3, 4}), (rows,), more)
            if file.get("statistics"):
                held = tuple((Cell(label), Cell(text)) for label, text in held_by(file))
                yield Sheet(f"{name}: {file['kind']}", ("statistic", "value"), 1, frozenset({0, 1}), (held,))

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for file in self.record["files"]:
            for problem in file["problems"]:
                yield (file["name"], file["kind"], file["unit"], *(problem[column] for column in self.columns[3:]))

    @property
    def record(self) -> dict[str, Any]:
        return {
            "errors": self.tally("error"),
            "warnings": self.tally("warning"),
            "files": [
                {
                    "name": file.name,
                    "kind": file.kind,
                    "unit": file.faults.unit,
                    "counts": dict(sorted(file.faults.counts.items())),
                    "problems": [_of(problem) for problem in file.problems],
                    **({"statistics": file.statistics} if self.stats else {}),
                }
                for file in self.reports
            ],
        }


def _of(problem: Problem) -> dict[str, Plain]:
    return {
        "code": problem.code,
        "severity": severity(problem.code),
        "line": problem.line or None,
        "column": problem.column,
        "first": problem.first,
        "fact": message(problem.fact),
        "remedy": message(problem.remedy),
    }


def _cells(problem: Mapping[str, Any], unit: str) -> tuple[Cell, ...]:
    kind = problem["severity"]
    place = (Cell(str(problem[each] or "")) for each in ("line", "column"))
    return (*place, Cell(kind, tone=_TONES[kind]), Cell(problem["code"]), Cell(described(problem, unit)))


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


JUDGED_AT = 10
"""Depth at which the share of judged documents is counted."""


MOST_GRADES = 20
"""So many different grades are counted one by one."""


def answer(inputs: Inputs, choices: ValidateChoices) -> Validation:
    """Everything that is wrong with judgments and runs, a file after the other."""
    settings = inputs.settings
    if choices.sorted and settings.order == "file":
        raise UsageError(
            f"{option('sorted')} has no effect with {option('order', 'file')}, which accepts any order of rows"
        )
    topics = docids = None
    if choices.topics is not None:
        with Source(choices.topics) as source:
            topics = tuple(read_ids(source))
    if choices.docids is not None:
        with Source(choices.docids) as source:
            docids = DocIds.read(source)
    rules = TrackRules(topics, choices.max_depth, choices.tag, choices.sorted, docids)
    most, paths = choices.max_problems, [*choices.files]
    judgments, reports = _NO_JUDGMENTS, []
    if inputs.judgments:
        judgments, judged = check_judgments(paths.pop(0), settings, most, rules)
        reports.append(judged)
    for name in ("max_depth", "tag", "sorted"):
        if not paths and getattr(choices, name):
            raise UsageError(f"{option(name)} has no effect without a run")
    runs, seen = [], _SeenRuns(settings)
    for path in paths:
        runs.append(check_run(judgments, path, settings, rules, most, seen))
    named = any(each.may_be_named for each in reports)
    require_named(settings, named, any(run.may_be_named for run in runs))
    return Validation((*reports, *runs), choices.stats, choices.strict)


@dataclass(frozen=True, eq=False)
class _SeenRuns:
    """The runs that were checked: by run id, and by the sum of their keys, which the same results have."""

    settings: Settings
    by_tag: dict[bytes, str] = field(default_factory=dict)
    by_sum: dict[tuple[int, int], str] = field(default_factory=dict)

    def compare(self, path: str, reading: Reading, total: int, report: FileReport) -> None:
        """Warn of a run id that another run has, and of results that another run has."""
        other = self.by_tag.setdefault(reading.tag, path)
        if other != path:
            fact = f"{message(_called(other))} has the run id {shown(reading.tag)}, too"
            report.add("W230", fact, "give each run an id of its own")
        twin = self.by_sum.setdefault((reading.rows, total & 0xFFFFFFFFFFFFFFFF), path)
        if twin != path and os.path.isfile(path) and os.path.isfile(twin):
            task = FirstDocumentsTask(self.settings, None)  # sums may be equal by chance: results decide
            if task.evaluated(path).first == task.evaluated(twin).first:
                fact = f"{message(twin)} has the same results: the same documents in the same order for each query"
                report.add("W231", fact, "keep one of them")


def check_judgments(path: str, settings: Settings, most: int, rules: TrackRules) -> tuple[Judgments, FileReport]:
    """Read judgments and report on them; at most `most` problems of a kind are described.

    Of the rules those count that are about queries and documents: judgments may lack topics, and have no others.

    The judgments are those that can be used, and perhaps none.
    """
    report = FileReport(_called(path), "judgments", Faults(most))
    judgments = _NO_JUDGMENTS
    with report.collecting(), Source(path) as source:
        marked = source.head(len(BOM)) == BOM
        judgments = qrels.read(source, settings, report.faults, lambda fields: _inspect(fields, rules))
        _mark(marked, report)
        for doubt in judgments.doubts:
            report.faults.note(doubt)
        _relevance(judgments, settings, report)
        if rules.topics is not None:
            _others(rules.topics, judgments.queries, "judgments of", report)
        distinct, count = np.unique(judgments.grade, return_counts=True)
        grades: dict[str, float] = {decimal(grade): int(n) for grade, n in zip(distinct, count, strict=True)}
        report.statistics.update(
            {
                "queries": len(judgments.queries),
                "judgments": len(judgments.grade),
                "grades": grades if len(grades) <= MOST_GRADES else _spread(judgments.grade),
                "relevant per query": _spread(_relevant(judgments, settings)),
            }
        )
    return judgments, report


def _inspect(fields: Fields, rules: TrackRules) -> None:
    """Look at a part of a file of judgments: how it is written, and whether its documents are of the collection."""
    check_encoding(fields)
    check_invisible(fields)
    if rules.docids is None or "document" not in fields.layout.fields:
        return
    start, stop = fields.span("document")
    fact, remedy = f"this document is not in {rules.docids.name}", "no run can find it"

    def unknown(row: int) -> Problem:
        return Problem(fields.line_of(row), "E304", fact, remedy, column=fields.column(row, "document"))

    fields.faults.add(np.flatnonzero(rules.docids.lacks(fields.text, start, stop - start)), unknown)


def _mark(marked: bool, report: FileReport) -> None:
    """A byte order mark where it is no error."""
    if marked and not report.faults.counts["E109"]:
        fact, remedy = "the file begins with a byte order mark", "it is skipped here; other tools read it as an id"
        report.add("W211", fact, remedy, 1, 1)


def _called(path: str) -> str:
    return "<stdin>" if path == STANDARD_INPUT else path


def _relevance(judgments: Judgments, settings: Settings, report: FileReport) -> None:
    """Queries without relevant documents. Those none of whose lines can be used have errors enough."""
    grade = judgments.grade
    usable = np.bincount(judgments.query, minlength=len(judgments.queries)) > 0
    usable |= not report.faults.counts  # there are no lines of a query with an empty list
    without = np.flatnonzero(usable & (_relevant(judgments, settings) == 0))
    if len(without) == np.count_nonzero(usable) and (grade > 0).any():
        fact = f"no grade reaches the relevance level {decimal(settings.level)}"
        report.add("W222", fact, f"--level {decimal(grade.max())} would count the highest grade as relevant")
    elif len(without):
        fact = f"no document is relevant for {_named([judgments.queries[i] for i in without.tolist()])}"
        report.add("W221", fact, "such queries score 0")
    if judgments.details is not None and not judgments.details.kind.graded:
        return
    if (grade >= settings.level).any() and (found := below_level(grade[grade > 0], settings)):
        report.add("W226", *found)
    if found := all_relevant(judgments, settings):
        report.add("W227", *found)


def _relevant(judgments: Judgments, settings: Settings) -> Ints:
    """How many documents are relevant for each query."""
    return np.bincount(judgments.query[judgments.grade >= settings.level], minlength=len(judgments.queries))


def check_run(
    judgments: Judgments, path: str, settings: Settings, rules: TrackRules, most: int, seen: _SeenRuns
) -> FileReport:
    """Read a run and report on it; without judgments, on the run alone."""
    report = FileReport(_called(path), "run", Faults(most))
    with report.collecting(), Source(path) as source:
        marked = source.head(len(BOM)) == BOM
        source.beside = {"rank": "-"}
        inspector = Inspector(judgments, settings, rules.of_file(path))
        blocks, reading = runs.read(source, inspector.inspect, settings, faults=report.faults)
        _mark(marked, report)
        retrieved: dict[bytes, int] = {}
        for block in blocks:
            retrieved.update(zip(block.queries(judgments), block.retrieved.tolist(), strict=True))
        if len(judgments.grade) and retrieved:
            _coverage(judgments, source, blocks, retrieved, settings, report)
        _lines(reading, report)
        seen.compare(path, reading, sum(inspector.sums), report)
        report.once("E305")
        report.once("W201", of_queries=True)
        tag = inspector.rules.tag
        if tag is not None and not report.faults.counts["E305"] and not tag.fullmatch(reading.tag):
            # The lines have none: the run is called like its file.
            fact = f"the run id, here the name of the file, does not match {shown(tag.pattern)}"
            report.add("E305", fact, "name the run as the track asks")
        if not any(code.startswith("E1") for code in report.faults.counts):
            _depths(retrieved, report)  # results that cannot be read would be missed
        if rules.topics is not None:
            _topics(rules.topics, retrieved, report)
        report.statistics.update(
            {
                "queries": len(retrieved),
                "results": reading.rows,
                "results per query": _spread(np.array(list(retrieved.values()))),
                **_judged_at(judgments, blocks, retrieved),
                "run id": reading.tag.decode("utf-8", "backslashreplace"),
            }
        )
    return report


def _coverage(
    judgments: Judgments,
    source: Source,
    blocks: list[Hits],
    retrieved: dict[bytes, int],
    settings: Settings,
    report: FileReport,
) -> None:
    """Queries that only one file has, and a run that shares nothing with the judgments."""
    try:
        require_common(judgments, source.name, retrieved, settings)
    except InputError as error:
        report.add("E120", error.fact, error.remedy)
        return
    missing = [query for query in judgments.queries if query not in retrieved]
    empty = sorted(query for query, count in retrieved.items() if not count)
    if empty:
        report.add("W205", f"an empty list of results for {_named(empty)}", "such queries count as 0")
    if missing:
        report.add("W205", f"no results for {_named(missing)}", "eval leaves them out, or counts them as 0 with -c")
    unjudged = sorted(query for query in retrieved if query not in judgments.index)
    if unjudged:
        remedy = "eval leaves them out"
        if alike := written_otherwise(missing, unjudged):
            remedy += f"; {shown(alike[0])} is in the judgments and {shown(alike[1])} here: are they the same query?"
        report.add("W212", f"results without judgments for {_named(unjudged)}", remedy)
    near = near_miss(judgments, blocks)
    if near is not None and not report.faults.counts["W207"] + report.faults.counts["W213"]:
        fact = f"some documents differ from judged ones only in how they are written: {near.example}"
        report.add("W207", fact, "they count as unjudged; ids are compared byte for byte")
    found = no_overlap(judgments, blocks)
    if found is not None:
        report.add("W208", *found.fact_and_remedy)


def _lines(reading: Reading, report: FileReport) -> None:
    """What reading found out beside the results."""
    if reading.other_tag:
        fact = f"run ids differ: {shown(reading.tag)} and {shown(reading.other_tag)}"
        report.add("W203", fact, "a run has one id; were two files put together?")
    doubt = reading.doubt
    if doubt is not None:
        report.add(doubt.code, doubt.fact, doubt.remedy, doubt.line)


def _depths(retrieved: dict[bytes, int], report: FileReport) -> None:
    """Queries with fewer results than most have."""
    depth = Counter(filter(None, retrieved.values()))
    usual, queries = depth.most_common(1)[0] if depth else (0, 0)
    fewer = sorted(query for query, n in retrieved.items() if 0 < n < usual)
    if fewer and queries > len(retrieved) / 2:
        report.add("W204", f"fewer than {usual} results for {_named(fewer)}", "most queries have that many")


def _topics(topics: tuple[bytes, ...], retrieved: dict[bytes, int], report: FileReport) -> None:
    absent = [topic for topic in topics if topic not in retrieved]
    if absent:
        report.add("E301", f"no results for {_named(absent)}", "a submission has results for each")
    _others(topics, retrieved, "results for", report)


def _others(topics: tuple[bytes, ...], there: Iterable[bytes], what: str, report: FileReport) -> None:
    """Queries that are not listed."""
    extra = sorted(set(there) - set(topics))
    if extra:
        report.add("E302", f"{what} {_named(extra)}, not among those of --topics", "leave them out")


def _judged_at(judgments: Judgments, blocks: list[Hits], retrieved: dict[bytes, int]) -> dict[str, float]:
    """The share of the first `JUDGED_AT` results of judged queries that have a grade of 0 or more; nothing without
    judgments."""
    if not judgments.name:
        return {}
    near = sum(
        int(np.count_nonzero((block.rank <= JUDGED_AT) & (judgments.grade[block.judgment] >= 0))) for block in blocks
    )
    of = sum(min(n, JUDGED_AT) for query, n in retrieved.items() if query in judgments.index)
    return {f"judged share at {JUDGED_AT}": round(near / of, 4) if of else 0.0}


def _named(queries: Sequence[bytes]) -> str:
    named = ", ".join(shown(query) for query in queries[:_MOST_NAMED])
    more = and_more(len(queries), _MOST_NAMED)
    return f"query {named}" if len(queries) == 1 else f"{len(queries)} queries: {named}{more}"


_MOST_NAMED = 5


def _spread(values: Ints | Floats) -> dict[str, float]:
    if not len(values):
        return {"least": 0, "median": 0, "most": 0}
    least, median, most = values.min(), np.median(values), values.max()
    return {"least": least.item(), "median": median.item(), "most": most.item()}


_NO_JUDGMENTS = Judgments(
    name="",
    queries=(),
    text=ids.padded(0),
    query=np.empty(0, np.int64),
    document_start=np.empty(0, np.int64),
    document_length=np.empty(0, np.int64),
    grade=np.empty(0),
    key=np.empty(0, np.uint32),
)
