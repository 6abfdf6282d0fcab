"""irev as a provider of ir_measures, for programs that use it, such as PyTerrier.

    from irev.compat import ir_measures_provider
    ir_measures_provider.use()

From then on ir_measures asks irev for every measure that irev has, and its other providers for the rest.

ir_measures takes its numbers from several programs. They differ in the order of equal scores, in the precision of
scores, and in the digits that they print. irev computes each measure with the settings of the program that ir_measures
would ask, so that numbers do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

try:
    import ir_measures
    from ir_measures import providers, util
except ImportError as error:
    raise ImportError("ir_measures is not installed: pip install ir_measures") from error

from irev import api
from irev.api import Options
from irev.base.errors import Faults, InputError, UsageError
from irev.base.settings import Settings
from irev.base.text import encoded
from irev.measures import parse
from irev.reading import formats
from irev.reading.qrels import of_lines
from irev.reading.sources import GivenText

_RUNTIME = "runtime"

_PROGRAMS: dict[str, Options] = {
    "pytrec_eval": {"compat": "9.0.8"},
    "cwl_eval": {"ties": "file", "depth": 1000},
    "compat": {"ties": "docid-asc", "negative": "nonrelevant"},
    "pyndeval": {"ties": "docid-asc"},
    "judged": {"ties": "docid-asc", "negative": "nonrelevant"},
    "msmarco": {"ties": "docid-asc", "negative": "nonrelevant"},
    "gdeval": {},
    "accuracy": {"ties": "file"},
    "ranx": {},
    "": {},
}
"""The settings that compute the numbers of each program; "" stands for measures that no program has."""

_MOVES_GRADES = ("BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG")
"""User models that cwl_eval computes; it lowers grades above max_rel to max_rel."""


class IrevProvider(providers.Provider):  # type: ignore[misc] # ir_measures has no types
    """Evaluate the measures that irev has."""

    NAME = "irev"

    def supports(self, measure: Any) -> bool:
        """Return True if irev has the measure, with these parameters."""
        measure.validate_params()
        return not hasattr(measure, "runtime_impl") and _is_one_number(_text(measure))

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        # ir_measures passes a set, whose order differs between processes; the order of columns would differ with it.
        return _Evaluator(sorted(set(measures), key=str), qrels)


class _Evaluator(providers.Evaluator):  # type: ignore[misc] # ir_measures has no types
    """Evaluate runs against judgments that are read once."""

    def __init__(self, measures: list[Any], qrels: Any) -> None:
        self._programs: dict[str, list[Any]] = {}
        for measure in measures:
            self._programs.setdefault(_program(measure), []).append(measure)
        judgments = _with_subtopics(qrels) if "pyndeval" in self._programs else _data(qrels, "relevance")
        if not isinstance(judgments, api.Qrels) and not _is_empty(judgments):
            judgments = api.read_qrels(judgments)
        self._judged: set[str] = set() if _is_empty(judgments) else set(judgments.queries)
        self._evaluators = {
            program: api.Evaluator(judgments, list(dict.fromkeys(_texts(asked))), **_PROGRAMS[program])
            for program, asked in self._programs.items()
            if self._judged
        }
        super().__init__(measures, set(qrels) if isinstance(qrels, Mapping) else self._judged)

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield the value of every judged query for every measure."""
        # The program for accuracy leaves out queries without relevant results; beside other measures they count as 0.
        return self._iter_calc(run) if set(self._programs) == {"accuracy"} else super().iter_calc(run)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        rows = _data(run, "score")
        if not self._judged or _is_empty(rows):
            return
        rows = api.read_run(rows)
        if self._judged.isdisjoint(rows.queries):
            return
        values = {}
        for program, evaluator in self._evaluators.items():
            found = evaluator._evaluated(rows)
            for measure in self._programs[program]:
                ones = dict.fromkeys(found.queries, 1.0)  # of NumQ, which has no values of queries
                values[measure] = found.per_query.get(_text(measure), ones)
                if program == "gdeval":  # prints five decimals
                    values[measure] = {query: round(value, 5) for query, value in values[measure].items()}
                if program == "accuracy":
                    relevant = found.per_query[_relevant_results(measure)]
                    values[measure] = {query: value for query, value in values[measure].items() if relevant[query]}
        for query in dict.fromkeys(query for of_measure in values.values() for query in of_measure):
            for measure, of_measure in values.items():
                if query in of_measure:
                    yield ir_measures.Metric(query_id=query, measure=measure, value=float(of_measure[query]))


def _text(measure: Any) -> str:
    """Return irev's name of a measure."""
    name, inside, at = re.fullmatch(r"(\w+)(?:\((.*)\))?(@.*)?", str(measure), re.DOTALL).groups("")  # type: ignore[union-attr] # ir_measures writes it so
    if name == "SetF":  # what ir_measures calls beta is trec_eval's x, the square of beta in textbooks
        inside = inside.replace("beta=", "x=")
    if name == "Accuracy":  # which other tools call something else
        name = "pair_accuracy"
    if name == "Compat":
        inside = ",".join(filter(None, (inside, "depth='longest'")))
    if name in _MOVES_GRADES:
        inside = ",".join(filter(None, (inside, "clip=True")))
    return f"{name}({inside}){at}" if inside else f"{name}{at}"


@cache
def _is_one_number(text: str) -> bool:
    """Return True for a name of one measure whose values are numbers."""
    try:
        found = parse([text])
    except UsageError:
        return False
    return len(found) == 1 and found[0].measure.kind != "text"


def _program(measure: Any) -> str:
    """Return the program that ir_measures would ask for a measure; an empty text if it would ask none."""
    asked = (each for each in ir_measures.DefaultPipeline.providers if each.NAME in _PROGRAMS)
    return next((each.NAME for each in asked if each.supports(measure)), "")


def _texts(measures: Iterable[Any]) -> Iterator[str]:
    """Yield the names of everything that irev computes for some measures."""
    for measure in measures:
        yield _text(measure)
        if measure.NAME == "Accuracy":
            yield _relevant_results(measure)


def _relevant_results(accuracy: Any) -> str:
    """Return the name of the number of relevant results that an accuracy looks at."""
    cutoff = accuracy.params.get("cutoff")
    return f"NumRet(rel={accuracy['rel']})" + (f"@{cutoff}" if cutoff else "")


def _data(data: Any, value: str) -> Any:
    """Return judgments or results as irev reads them: dictionaries as they are, and columns."""
    if isinstance(data, Mapping):
        return data
    if hasattr(data, "columns"):
        lacking = [name for name in ("query_id", "doc_id", value) if name not in data.columns]
        if not lacking:
            return tuple(data[name] for name in ("query_id", "doc_id", value))
    converter = util.QrelsConverter if value == "relevance" else util.RunConverter
    rows = list(converter(data).as_namedtuple_iter())  # which refuses other data
    return tuple([getattr(row, name) for row in rows] for name in ("query_id", "doc_id", value))


def _with_subtopics(qrels: Any) -> Any:
    """Return judgments whose iteration is a subtopic.

    Raises
    ------
    InputError
        For an id that is none, a grade that is not a number, and a document that is judged twice for a subtopic.
    """
    fields = ("query", "group", "document", "grade")
    kind = formats.JUDGMENTS.find("subtopics").kind
    layout = replace(formats.rewritten_layout(fields, " ".join(fields), "judgment", named=False), kind=kind)
    lines = []
    for number, row in enumerate(util.QrelsConverter(qrels).as_namedtuple_iter(), start=1):
        named = []
        for role, written in (("query", row.query_id), ("subtopic", row.iteration), ("document", row.doc_id)):
            field = formats.as_field(str(written))
            if field is None:
                fault = formats.id_fault(number, role, str(written))
                raise InputError(f"judgment {number}: {fault.fact}", "qrels", fault.remedy)
            named.append(field)
        lines.append(f"{' '.join(named)} {row.relevance!s}\n")
    text = GivenText(encoded("".join(lines)), "qrels")
    return api.Qrels(of_lines(layout, text, Settings(), Faults())) if lines else {}


def _is_empty(data: Any) -> bool:
    """Return True for judgments or results without rows."""
    if isinstance(data, tuple):
        return not len(data[0])
    return isinstance(data, Mapping) and not any(data.values())


PROVIDER = providers.register(IrevProvider())


def use() -> None:
    """Have ir_measures ask irev first, except for measures that a program defines by its own functions."""
    asked = ir_measures.DefaultPipeline.providers
    if PROVIDER not in asked:
        asked.insert(1 if asked and asked[0].NAME == _RUNTIME else 0, PROVIDER)


def leave() -> None:
    """Undo `use`."""
    if PROVIDER in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(PROVIDER)
