"""The programs that ir_measures asks for its numbers, each as irev computes what it would say.

They differ in how they order documents of equal score, in how precise a score is, and in what they print; here that is
a few settings of irev. So a measure has one definition, and the same number as in ir_measures also where documents tie.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any as Anything
from typing import ClassVar

from irev.base.errors import InputError, UsageError
from irev.base.settings import Settings
from irev.compat.ir_measures import measures as m
from irev.compat.ir_measures.measures.base import NOT_PROVIDED, Made, Measure
from irev.compat.ir_measures.providers.base import Any, Choices, Evaluator, Provider, aggregated
from irev.compat.ir_measures.util import CalcResults, Metric, Qrel, QrelsConverter, parse_measure
from irev.doors import api
from irev.doors.api import Evaluation, Options
from irev.measures import parse
from irev.reading.fields import SUBTOPICS
from irev.reading.in_memory import subtopic_judgments as judgments
from irev.reading.in_memory.frame_columns import is_frame

_ABSENT = Choices(NOT_PROVIDED)
_NOT = Choices(False)
_GIVEN = Any(required=True)


class Named(Measure):
    """A measure by a text that irev reads and ir_measures does not, such as ``map_cut_10`` or ``F@5``."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = self.NAME = text


class Peer(Provider):
    """A program that irev stands in for.

    Attributes
    ----------
    OPTIONS : Options
        How it orders documents and reads grades.
    DECIMALS : int or None
        How many decimals it has; None for all.
    SUBTOPICS : bool
        Whether the iteration of a judgment is a subtopic for it. Whoever is asked together with it sees the highest
        grade of each document.
    """

    OPTIONS: ClassVar[Options] = {}
    DECIMALS: ClassVar[int | None] = None
    SUBTOPICS: ClassVar[bool] = False

    def _evaluator(self, measures: Iterable[Anything], qrels: Anything) -> Evaluator:
        return PeersEvaluator({self: list(dict.fromkeys(measures))}, qrels)

    def texts(self, measure: Anything) -> list[str]:
        """What irev is to evaluate for a measure; its own name is the first."""
        return [text_of(measure)]

    def values(self, measure: Anything, found: Evaluation) -> dict[str, float]:
        """The values of the queries that it has one for."""
        everyone = dict.fromkeys(found.queries, 1)  # NumQ counts each of them
        values = found.per_query.get(text_of(measure), everyone)
        return {query: self._shown(value) for query, value in values.items()}

    def _shown(self, value: float) -> float:
        return float(value if self.DECIMALS is None else f"{value:.{self.DECIMALS}f}")


class PytrecEvalProvider(Peer):
    """trec_eval 9.0.8: scores in single precision; of equal ones the id with the highest bytes first."""

    NAME = "pytrec_eval"
    OPTIONS: ClassVar[Options] = {"compat": "9.0.8"}
    SUPPORTED_MEASURES: ClassVar = [
        *(m.AP, m.Bpref, m.infAP, m.IPrec, m.NumQ, m.NumRet, m.P, m.R, m.Rprec, m.SetAP, m.SetF, m.SetP, m.SetR),
        *(m.Success, m.nDCG(dcg=Choices("log2")), m.NumRel(rel=Choices(1)), m.RR(cutoff=_ABSENT)),
    ]


class CwlEvalProvider(Peer):
    """cwl_eval: the first 1000 results; of equal scores the one that was given first.

    Its average precision, which divides by the relevant documents found, is not there.
    """

    NAME = "cwl_eval"
    OPTIONS: ClassVar[Options] = {"ties": "file", "depth": 1000}
    SUPPORTED_MEASURES: ClassVar = [
        *(m.P(judged_only=_NOT), m.RR(cutoff=_ABSENT, judged_only=_NOT)),
        m.RBP(cutoff=_ABSENT, rel=Any(required=True)),
        *(each(max_rel=Any(required=True)) for each in (m.INST, m.INSQ, m.NERR10, m.NERR11)),
        *(each(cutoff=Any(required=True), max_rel=Any(required=True)) for each in (m.BPM, m.NERR8, m.NERR9)),
        m.SDCG(cutoff=Any(required=True), max_rel=Any(required=True), dcg=Choices("log2")),
    ]


class CompatProvider(Peer):
    """The program of the authors of Compat: of equal scores the id with the lowest bytes first."""

    NAME = "compat"
    OPTIONS: ClassVar[Options] = {"ties": "docid-asc", "negative": "nonrelevant"}
    SUPPORTED_MEASURES: ClassVar = [m.Compat]


class PyNdEvalProvider(Peer):
    """pyndeval: of equal scores the id with the lowest bytes first; the iteration of a judgment is its subtopic.

    Other measures of subtopics that irev has, by their texts, too.
    """

    NAME = "pyndeval"
    OPTIONS: ClassVar[Options] = {"ties": "docid-asc"}
    SUBTOPICS: ClassVar[bool] = True
    SUPPORTED_MEASURES: ClassVar = [
        *(m.alpha_DCG(cutoff=_GIVEN), m.alpha_nDCG(cutoff=_GIVEN), m.ERR_IA(cutoff=_GIVEN), m.nERR_IA(cutoff=_GIVEN)),
        *(m.P_IA(cutoff=_GIVEN), m.StRecall(cutoff=_GIVEN), m.NRBP, m.nNRBP, m.AP_IA),
    ]

    def supports(self, measure: Anything) -> bool:
        if not isinstance(measure, Named):
            return super().supports(measure)
        try:
            found = parse([measure.text])
        except UsageError:
            return False
        return len(found) == 1 and found[0].measure.of == SUBTOPICS


class JudgedProvider(Peer):
    """A loop in ir_measures: of equal scores the id with the lowest bytes first; a negative grade is a judgment too."""

    NAME = "judged"
    OPTIONS: ClassVar[Options] = {"ties": "docid-asc", "negative": "nonrelevant"}
    SUPPORTED_MEASURES: ClassVar = [m.Judged]


class MsMarcoProvider(Peer):
    """The program of MS MARCO: of equal scores the id with the lowest bytes first."""

    NAME = "msmarco"
    OPTIONS: ClassVar[Options] = {"ties": "docid-asc", "negative": "nonrelevant"}
    SUPPORTED_MEASURES: ClassVar = [m.RR(judged_only=_NOT)]


class GdevalProvider(Peer):
    """gdeval.pl, which prints five decimals; of equal scores the id with the highest bytes first.

    Its nDCG has exponential gains, whatever the measure says.
    """

    NAME = "gdeval"
    DECIMALS: ClassVar[int | None] = 5
    SUPPORTED_MEASURES: ClassVar = [
        m.ERR(cutoff=Any(required=True)),
        m.nDCG(cutoff=Any(required=True), dcg=Choices("exp-log2"), gains=_ABSENT, judged_only=_NOT),
    ]

    def texts(self, measure: Anything) -> list[str]:
        return [text_of(self._as_computed(measure))]

    def values(self, measure: Anything, found: Evaluation) -> dict[str, float]:
        return super().values(self._as_computed(measure), found)

    def _as_computed(self, measure: Anything) -> Anything:
        return measure(dcg="exp-log2") if measure.NAME == "nDCG" else measure


class AccuracyProvider(Peer):
    """A loop in ir_measures: of equal scores the one that was given first.

    It has no value for a query without a relevant result. Only beside other measures that counts as 0.
    """

    NAME = "accuracy"
    OPTIONS: ClassVar[Options] = {"ties": "file"}
    SUPPORTED_MEASURES: ClassVar = [m.Accuracy]

    def texts(self, measure: Anything) -> list[str]:
        return [*super().texts(measure), text_of(self._found(measure))]

    def values(self, measure: Anything, found: Evaluation) -> dict[str, float]:
        relevant = found.per_query[text_of(self._found(measure))]
        return {query: value for query, value in super().values(measure, found).items() if relevant[query]}

    def _found(self, measure: Anything) -> Measure:
        return m.NumRet(rel=1)(**parse_measure(str(measure)).params)


class RanxProvider(Peer):
    """ranx; in which order it has equal scores is not defined."""

    NAME = "ranx"
    SUPPORTED_MEASURES: ClassVar = [
        *(m.P(judged_only=_NOT), m.R(judged_only=_NOT), m.SetP(judged_only=_NOT), m.SetR, m.RR(judged_only=_NOT)),
        *(m.Rprec(judged_only=_NOT), m.AP(judged_only=_NOT), m.nDCG(gains=_ABSENT, judged_only=_NOT)),
        *(m.NumRet(rel=Any(required=True)), m.Success(judged_only=_NOT)),
    ]


class IrevProvider(Peer):
    """irev, for what ir_measures has nobody to ask for: ``NumRel(rel=2)``, ``RBP`` without ``rel``, and other names."""

    NAME = "irev"

    def supports(self, measure: Anything) -> bool:
        if not isinstance(measure, Named | Made):
            return False
        measure.validate_params()
        try:
            found = parse([measure.text])
        except UsageError:
            return False
        return len(found) == 1 and found[0].measure.kind != "text"


class _Lacking(Provider):
    """A program that irev does not stand in for."""

    def initialize(self) -> None:
        raise RuntimeError(self.NAME)

    def install_instructions(self) -> str:
        return "irev does not compute what it says."


class TrectoolsProvider(_Lacking):
    """trectools, which ir_measures too asks only where it is named."""

    NAME = "trectools"


def as_measure(given: Anything) -> Anything:
    """What is to be evaluated: a measure as it is, one of ir_measures itself by its text, a text as it calls one."""
    if isinstance(given, Measure):
        return given
    try:
        return parse_measure(given)
    except (NameError, ValueError):
        return Named(str(given))


def text_of(measure: Anything) -> str:
    """What irev calls a measure."""
    found = as_measure(measure)
    return str(getattr(found, "text", found))


class PeersEvaluator(Evaluator):
    """Evaluates runs as one or several peers would.

    Parameters
    ----------
    asked : mapping of Peer to list
        Who is asked for which measures.
    qrels : dict, data frame, iterable of named tuples, path, or Qrels
    """

    def __init__(self, asked: Mapping[Peer, Sequence[Anything]], qrels: Anything) -> None:
        self._asked = dict(asked)
        self._leaves_out = all(isinstance(peer, AccuracyProvider) for peer in asked)
        alike = _alike(asked)
        rows = with_subtopics(qrels) if any(peer.SUBTOPICS for peer in asked) else columns(qrels, "relevance")
        held = rows if is_empty(rows) or _is_soon_read(rows, len(alike)) else api.read_qrels(rows)
        self._evaluators = [
            (api.Evaluator(held, [*dict.fromkeys(self._texts(peers))], **options), peers)
            for options, peers in (() if is_empty(rows) else alike)
        ]
        self._judged = set() if is_empty(rows) else _queries(held)
        queries = list(rows) if isinstance(rows, Mapping) else self._judged
        super().__init__([measure for measures in asked.values() for measure in measures], queries)

    def _texts(self, peers: Iterable[Peer]) -> Iterator[str]:
        return (text for peer in peers for measure in self._asked[peer] for text in peer.texts(measure))

    def iter_calc(self, run: Anything) -> Iterator[Metric]:
        """The value of every judged query for every measure, query by query, those last that the run lacks."""
        yield from self._per_query(self._values(run))

    def calc_aggregate(self, run: Anything) -> dict[Anything, float]:
        """The value for all queries of every measure."""
        return self._aggregated(self._values(run))

    def calc(self, run: Anything) -> CalcResults:
        """Both."""
        values = self._values(run)
        return CalcResults(self._aggregated(values), list(self._per_query(values)))

    def _values(self, run: Anything) -> dict[Anything, dict[str, float]]:
        """Of each measure the values by query, those that are missing at the end."""
        found: dict[Anything, dict[str, float]] = {measure: {} for measure in self.measures}
        rows = columns(run, "score")
        if self._evaluators and not is_empty(rows):
            held = rows if _is_soon_read(rows, len(self._evaluators)) else api.read_run(rows)
            some = not self._judged.isdisjoint(_queries(held))
            for evaluator, peers in self._evaluators if some else ():
                evaluation = evaluator.evaluate(held)
                for peer in peers:
                    found |= {measure: peer.values(measure, evaluation) for measure in self._asked[peer]}
        if not self._leaves_out:
            for measure, values in found.items():
                values |= dict.fromkeys(sorted(self.qrel_qids - values.keys()), float(getattr(measure, "DEFAULT", 0.0)))
        return found

    def _per_query(self, values: Mapping[Anything, Mapping[str, float]]) -> Iterator[Metric]:
        for query in dict.fromkeys(query for of_measure in values.values() for query in of_measure):
            for measure, of_measure in values.items():
                if query in of_measure:
                    yield Metric(query, measure, of_measure[query])

    def _aggregated(self, values: Mapping[Anything, Mapping[str, float]]) -> dict[Anything, float]:
        return {measure: aggregated(as_measure(measure), of_measure.values()) for measure, of_measure in values.items()}


def _alike(asked: Iterable[Peer]) -> list[tuple[Options, list[Peer]]]:
    """The peers by their options."""
    alike: list[tuple[Options, list[Peer]]] = []
    for peer in asked:
        for options, peers in alike:
            if options == peer.OPTIONS:
                peers.append(peer)
                break
        else:
            alike.append((peer.OPTIONS, [peer]))
    return alike


_SOON_READ = 400
"""Documents in dictionaries up to which it takes less time to read them again than to keep what was read."""


def _is_soon_read(data: Anything, times: int) -> bool:
    """Whether it takes less time to read these data so many times than to keep what was read."""
    return isinstance(data, Mapping) and (times == 1 or sum(map(len, data.values())) <= _SOON_READ)


def _queries(held: Anything) -> set[str]:
    """The queries with judgments or results."""
    return {query for query, documents in held.items() if documents} if isinstance(held, Mapping) else set(held.queries)


def columns(data: Anything, value: str) -> Anything:
    """Named tuples as three columns; everything else as it is."""
    if isinstance(data, Mapping | str) or is_frame(data) or not isinstance(data, Iterable):
        return data
    rows = list(data)
    if isinstance(data, tuple) and rows and not hasattr(rows[0], "query_id"):
        return data
    try:
        return [row.query_id for row in rows], [row.doc_id for row in rows], [getattr(row, value) for row in rows]
    except AttributeError:
        remedy = f"expected a dictionary, a data frame, or named tuples with query_id, doc_id and {value}"
        raise InputError("a row without these fields", "run" if value == "score" else "qrels", remedy) from None


def with_subtopics(qrels: Anything) -> Anything:
    """Judgments of which the iteration is a subtopic; those that are read already as they are."""
    if isinstance(qrels, api.Qrels):
        return qrels
    if isinstance(qrels, str):
        return api.read_qrels(qrels, qrels_format=SUBTOPICS)
    if is_frame(qrels):
        lacking = [name for name in ("query_id", "doc_id", "relevance") if name not in qrels.columns]
        if lacking:
            raise InputError(f"there is no column {lacking[0]!r}", "qrels", "call the columns as ir_measures does")
        qrels = map(Qrel, *(list(qrels[name]) for name in Qrel._fields if name in qrels.columns))
    rows = [
        (str(row.query_id), str(getattr(row, "iteration", "0")), str(row.doc_id), row.relevance)
        for row in QrelsConverter(qrels).as_namedtuple_iter()
    ]
    if len({subtopic for _, subtopic, _, _ in rows}) == 1:
        said = "judgments have one subtopic: the iteration of a row says which, in named tuples and data frames"
        warnings.warn(said, stacklevel=2)
    return api.Qrels(judgments(rows, Settings())) if rows else ([], [], [])


def is_empty(data: Anything) -> bool:
    """Whether these judgments or results, in memory, are none."""
    if isinstance(data, Mapping):
        return not any(data.values())
    if isinstance(data, tuple):
        return not len(data[0])
    return is_frame(data) and not len(data)
