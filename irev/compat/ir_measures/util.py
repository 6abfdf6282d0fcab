"""What goes in and out: records, files in TREC's formats, forms of data, and measures from texts.

Errors of form are ValueErrors with the messages that ir_measures has.
"""

from __future__ import annotations

import ast
import io
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from irev.base.errors import MeasureWarning
from irev.base.registry import did_you_mean
from irev.compat import pytrec_eval
from irev.compat.ir_measures import lazylibs
from irev.compat.ir_measures.measures import Measure, registry
from irev.compat.ir_measures.measures.base import CalcResults as CalcResults
from irev.compat.ir_measures.measures.base import Metric as Metric
from irev.measures import MEASURES
from irev.measures.families.set_based import XOrBeta
from irev.measures.parameters import Cutoffs, Levels


class Qrel(NamedTuple):
    """A judgment."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A result."""

    query_id: str
    doc_id: str
    score: float


class GenericQrel(Qrel):
    """`Qrel` under an old name."""

    def __new__(cls, *args: Any, **kwargs: Any) -> GenericQrel:
        _deprecated("GenericQrel", "Qrel")
        return super().__new__(cls, *args, **kwargs)


class GenericScoredDoc(ScoredDoc):
    """`ScoredDoc` under an old name."""

    def __new__(cls, *args: Any, **kwargs: Any) -> GenericScoredDoc:
        _deprecated("GenericScoredDoc", "ScoredDoc")
        return super().__new__(cls, *args, **kwargs)


def _deprecated(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated; use {new}", DeprecationWarning, stacklevel=3)


# Files


def read_trec_qrels(file: Any) -> Iterator[Qrel]:
    """Judgments from lines ``query iteration document grade``, one after the other.

    Parameters
    ----------
    file : file, path, str, or None
        A text with a line break in it is what the file would hold. A path that ends in ``.gz`` is decompressed. None
        gives nothing, as in ir_measures; repro_eval counts on that.

    Raises
    ------
    ValueError
        For a line with another number of fields, and a grade that is not a whole number.
    """
    for query, iteration, document, grade in _lines(file, 4):
        yield Qrel(query, document, int(grade), iteration)


def read_trec_run(file: Any) -> Iterator[ScoredDoc]:
    """Results from lines ``query Q0 document rank score tag``, as `read_trec_qrels`."""
    for query, _, document, _, score, _ in _lines(file, 6):
        yield ScoredDoc(query, document, float(score))


def _lines(file: Any, fields: int) -> Iterator[list[str]]:
    if isinstance(file, str) and "\n" in file:
        yield from _lines(io.StringIO(file), fields)
    elif isinstance(file, str | os.PathLike):
        import gzip

        path = os.fspath(file)
        with (
            gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as opened
        ):
            yield from _lines(opened, fields)
    elif file is None:
        return
    elif not hasattr(file, "read"):
        raise TypeError(f"expected a file, a path, or the text of a file, not {type(file).__name__}")
    else:
        for number, line in enumerate(file, start=1):
            found = line.split()
            if found and len(found) != fields:
                raise ValueError(f"line {number}: {len(found)} fields in {line.strip()!r}; expected {fields}")
            if found:
                yield found


def parse_trec_qrels(file: Any) -> Iterator[Qrel]:
    """`read_trec_qrels` under an old name."""
    _deprecated("parse_trec_qrels", "read_trec_qrels")
    return read_trec_qrels(file)


def parse_trec_run(file: Any) -> Iterator[ScoredDoc]:
    """`read_trec_run` under an old name."""
    _deprecated("parse_trec_run", "read_trec_run")
    return read_trec_run(file)


# Measures


def parse_measure(measure: Any) -> Measure:
    """The measure that a text such as ``nDCG(dcg='exp-log2')@10`` calls; a measure is returned as it is.

    Raises
    ------
    NameError
        For a measure that there is not.
    ValueError
        For a text that is no such call.
    """
    if isinstance(measure, Measure):
        return measure
    try:
        call = ast.parse(str(measure).strip(), mode="eval").body
        given: dict[str, Any] = {}
        at = None
        if isinstance(call, ast.BinOp) and isinstance(call.op, ast.MatMult):
            at, call = ast.literal_eval(call.right), call.left
        if isinstance(call, ast.Call) and not call.args:
            given = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
            call = call.func
    except (SyntaxError, ValueError):
        call = ast.Constant(None)
    if not isinstance(call, ast.Name):
        raise ValueError(f"{measure!r} is no measure; expected one such as AP, P@10 or nDCG(dcg='exp-log2')@10")
    if call.id not in registry:
        near = did_you_mean(call.id, registry)
        raise NameError(f"measure not found: {call.id}{f'; {near}' if near else ''}")
    found = registry[call.id](**given)
    return found if at is None else found @ at


_TREC_NAME = r"(\w+?)(?:[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*))?"


def parse_trec_measure(measure: str) -> list[Measure]:
    """The measures that trec_eval calls ``map``, ``P``, ``ndcg_cut.5,10``, or by the name of a set, as ``official``.

    Of a set, those that ir_measures has no name for are left out, with a warning.

    Raises
    ------
    ValueError
        For a name that trec_eval does not know, or that is none of a measure of ir_measures.
    """
    if measure in pytrec_eval.supported_nicknames:
        members = sorted(pytrec_eval.supported_nicknames[measure] - {"runid"})
        skipped = [name for name in members if MEASURES[name].standard not in registry]
        if skipped:
            fact = f"{measure}: there are no measures {', '.join(skipped)}; left out"
            warnings.warn(fact, MeasureWarning, stacklevel=2)
        return [found for name in members if name not in skipped for found in parse_trec_measure(name)]
    parts = re.fullmatch(_TREC_NAME, measure, re.ASCII)
    name, numbers = parts.groups() if parts else (measure, None)
    if name not in pytrec_eval.supported_measures:
        near = did_you_mean(name, pytrec_eval.supported_measures)
        raise ValueError(f"unknown measure {measure}{f'; {near}' if near else ''}")
    record = MEASURES[name]
    if record.standard not in registry:
        raise ValueError(f"{measure} is a measure of trec_eval that ir_measures has no name for")
    found = registry[record.standard]
    kinds = {Cutoffs: ("cutoff", int), Levels: ("recall", float), XOrBeta: ("beta", float)}
    if type(record.parameter) not in kinds:
        if numbers:
            raise ValueError(f"unknown argument for {name}: {numbers}")
        return [found]
    key, kind = kinds[type(record.parameter)]
    if numbers is None:
        values = [value.value for value in record.parameter.defaults]
        values = [value[0] if isinstance(value, tuple) else value for value in values]
    else:
        values = [kind(number) for number in numbers.split(",")]
    return [found(**{key: kind(value)}) for value in values]


def convert_trec_name(measure: str) -> list[Measure]:
    """`parse_trec_measure` under an old name."""
    _deprecated("convert_trec_name", "parse_trec_measure")
    return parse_trec_measure(measure)


# Forms of data


class _Converter:
    """Judgments or results in one form, to be had in another.

    Parameters
    ----------
    data : dict, data frame, or iterable of named tuples
    strict : bool
        Refuse frames without the usual columns.
    """

    RECORD: ClassVar[Any]
    NAME: ClassVar[str]

    def __init__(self, data: Any, strict: bool = True) -> None:
        one_pass = isinstance(data, Iterable) and not isinstance(data, Mapping) and not hasattr(data, "columns")
        self.data: Any = list(data) if one_pass else data
        self.strict = strict

    @property
    def _required(self) -> tuple[str, ...]:
        return tuple(name for name in self.RECORD._fields if name not in self.RECORD._field_defaults)

    def _is_frame(self) -> bool:
        return hasattr(self.data, "itertuples")

    def _check(self) -> None:
        """Raise ValueError for a form that is none of the three."""
        if isinstance(self.data, Mapping):
            return
        if self._is_frame():
            there = list(self.data.columns)
            missing = [name for name in self._required if name not in there]
            fact = f"DataFrame missing columns: {missing} (found {there})" if missing and self.strict else ""
        elif isinstance(self.data, list):
            fields = getattr(self.data[0], "_fields", None) if self.data else self._required
            missing = [name for name in self._required if name not in (fields or ())]
            fact = f"namedtuple iter missing fields: {missing} (found {list(fields or ())})" if missing else ""
            fact = fact if fields is not None else "iterable not a namedtuple iterator"
        else:
            fact = (
                f"unexpected format; please provide either: (1) an iterable of namedtuples (fields {self._required},"
                f" e.g., from ir_measures.{self.RECORD.__name__}); (2) a pandas DataFrame with columns"
                f" {self._required}; or (3) a dict-of-dict"
            )
        if fact:
            raise ValueError(f"unknown {self.NAME} format: {fact}")

    def as_dict_of_dict(self) -> Any:
        """``{query: {document: value}}``; of a document that occurs twice the last."""
        self._check()
        if isinstance(self.data, Mapping):
            return self.data
        found: dict[str, dict[str, Any]] = {}
        for row in self.as_namedtuple_iter():
            found.setdefault(row.query_id, {})[row.doc_id] = row[2]
        return found

    def as_namedtuple_iter(self) -> Iterator[Any]:
        """Named tuples; those of a list as they are."""
        self._check()
        if isinstance(self.data, Mapping):
            for query, documents in self.data.items():
                for document, value in documents.items():
                    yield self.RECORD(query, document, value)
        elif self._is_frame():
            there = [name for name in self.RECORD._fields if name in self.data.columns]
            for row in zip(*(self.data[name] for name in there), strict=True):
                yield self.RECORD(**dict(zip(there, row, strict=True)))
        else:
            yield from self.data

    def as_pd_dataframe(self) -> Any:
        """A data frame of pandas; one that was given as it is, with the columns that may be left out."""
        self._check()
        defaults = self.RECORD._field_defaults
        if self._is_frame():
            missing = {name: value for name, value in defaults.items() if name not in self.data.columns}
            return self.data.assign(**missing) if missing else self.data
        return lazylibs.pandas().DataFrame(list(self.as_namedtuple_iter()), columns=list(self.RECORD._fields))


class QrelsConverter(_Converter):
    """Judgments in one form, to be had in another."""

    RECORD = Qrel
    NAME = "qrels"


class RunConverter(_Converter):
    """Results in one form, to be had in another."""

    RECORD = ScoredDoc
    NAME = "run"

    def as_sorteddict(self) -> dict[str, list[Any]]:
        """The results of each query, highest score first, equal ones as they stand."""
        found: dict[str, list[Any]] = {}
        for row in self.as_namedtuple_iter():
            found.setdefault(row.query_id, []).append(row)
        return {query: sorted(rows, key=lambda row: -row.score) for query, rows in found.items()}
