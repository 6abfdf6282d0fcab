"""Another Python evaluator, called as trec_eval is: for `python tests/conformance.py`, see docs/conformance.md.

    python benchmarks/adapter.py ranx -q -c -m ndcg_cut.10 QRELS RUN

It reads with the evaluator's own readers, asks it for each measure under its own name, and prints what it says in
trec_eval's lines; nothing is computed here but what trec_eval prints of it. A measure that the evaluator lacks is named
on standard error as not offered; where flags or the queries of the files ask for what it has no way to do, or it lacks
all measures, the status is 3. irev itself is used only to understand the names of measures.
"""

from __future__ import annotations

import contextlib
import getopt
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from irev.measures import Request, parse

NOT_OFFERED = 3

Scores = dict[str, dict[str, float]]
"""The value of each query by label."""


class Asked(NamedTuple):
    """What the command line asks for.

    Attributes
    ----------
    requests : list of Request
    level : int
        The lowest grade that is relevant.
    judged_only, complete : bool
        ``-J`` and ``-c``.
    qrels, run : str
        Paths.
    """

    requests: list[Request]
    level: int
    judged_only: bool
    complete: bool
    qrels: str
    run: str


class Found(NamedTuple):
    """What an evaluator says: of each query and of all, by label, and the measures that it has and failed at."""

    each: Scores
    all: dict[str, float]
    failed: frozenset[str] = frozenset()


class NotOfferedError(Exception):
    """The evaluator has no way to do this."""


def parameter(request: Request) -> str:
    """The cutoff, or the level of recall, that a label ends with; nothing where there is another parameter or none."""
    at = request.cutoff is not None or request.measure.name == "iprec_at_recall"
    return request.label[len(request.measure.name) + 1 :] if at else ""


def sayable(request: Request, pattern: str) -> bool:
    """Whether an evaluator that calls the measure by this pattern can be asked for it: with a cutoff, or as it is."""
    if "{}" in pattern:
        return not request.options
    return bool(pattern) and request == parse([request.measure.name])[0]


def require_all_judged_retrieved(judged: Iterable[str], retrieved: Iterable[str], asked: Asked, counts: bool) -> None:
    """Refuse files with judged queries that the run lacks, where the evaluator has one way to count them alone."""
    if asked.complete != counts and {*judged} - {*retrieved}:
        raise NotOfferedError("judged queries that the run lacks")


def one_by_one(requests: Iterable[Request], ask: Callable[[Request], tuple[dict[str, float] | None, float]]) -> Found:
    """What an evaluator says that is asked for one measure after the other.

    ``ask(request)`` gives the values of queries, None where there are none, and that of all.
    """
    each: Scores = {}
    means, failed = {}, set()
    for request in requests:
        try:
            values, means[request.label] = ask(request)
        except Exception as error:  # whatever a library raises
            sys.stderr.write(f"{request.label}: {type(error).__name__}: {error}\n")
            failed.add(request.label)
            continue
        if values is not None:
            each[request.label] = values
    return Found(each, means, frozenset(failed))


# pytrec_eval has trec_eval's own names.


def of_pytrec_eval(asked: Asked) -> Found:
    import pytrec_eval

    with open(asked.qrels) as file:
        qrels = pytrec_eval.parse_qrel(file)
    with open(asked.run) as file:
        run = pytrec_eval.parse_run(file)
    require_all_judged_retrieved(qrels, run, asked, counts=False)
    called = {each: each.measure.name + (f".{parameter(each)}" if parameter(each) else "") for each in asked.requests}
    names = {*called.values()}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, names, asked.level, asked.judged_only)
    scores = evaluator.evaluate(run)
    labels = [each.label for each in called if all(each.label in values for values in scores.values())]
    found = {label: {query: values[label] for query, values in scores.items()} for label in labels}
    means = {label: pytrec_eval.compute_aggregated_measure(label, [*of.values()]) for label, of in found.items()}
    return Found(found, means)


# ir_measures: {} stands for the parameter; (rel=L) is put in.

IR_MEASURES = {
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel(rel=L)",
    "num_rel_ret": "NumRet(rel=L)",
    "map": "AP(rel=L)",
    "map_cut": "AP(rel=L)@{}",
    "Rprec": "Rprec(rel=L)",
    "bpref": "Bpref(rel=L)",
    "recip_rank": "RR(rel=L)",
    "iprec_at_recall": "IPrec(rel=L)@{}",
    "P": "P(rel=L)@{}",
    "recall": "R(rel=L)@{}",
    "success": "Success(rel=L)@{}",
    "infAP": "infAP(rel=L)",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG@{}",
    "set_P": "SetP(rel=L)",
    "set_recall": "SetR(rel=L)",
    "set_map": "SetAP(rel=L)",
    "set_F": "SetF(rel=L)",
}


def of_ir_measures(asked: Asked) -> Found:
    import ir_measures

    qrels = list(ir_measures.read_trec_qrels(asked.qrels))
    run = list(ir_measures.read_trec_run(asked.run))
    require_all_judged_retrieved({row.query_id for row in qrels}, {row.query_id for row in run}, asked, counts=True)
    if asked.judged_only:
        raise NotOfferedError("-J")

    def ask(request: Request) -> tuple[dict[str, float], float]:
        text = IR_MEASURES[request.measure.name].replace("rel=L", f"rel={asked.level}").format(parameter(request))
        calculated = ir_measures.calc([ir_measures.parse_measure(text)], qrels, run)
        (mean,) = calculated.aggregated.values()
        return {metric.query_id: metric.value for metric in calculated.per_query}, mean

    return one_by_one(asked.requests, ask)


# ranx: -lL is put behind measures that know relevance and not grades.

RANX = {
    "num_rel_ret": "hits-l",
    "map": "map-l",
    "map_cut": "map@{}-l",
    "Rprec": "r-precision-l",
    "bpref": "bpref-l",
    "recip_rank": "mrr-l",
    "P": "precision@{}-l",
    "recall": "recall@{}-l",
    "success": "hit_rate@{}-l",
    "ndcg": "ndcg",
    "ndcg_cut": "ndcg@{}",
    "set_P": "precision-l",
    "set_recall": "recall-l",
    "set_F": "f1-l",
}


def of_ranx(asked: Asked) -> Found:
    import ranx

    qrels = ranx.Qrels.from_file(asked.qrels, kind="trec")
    run = ranx.Run.from_file(asked.run, kind="trec")
    require_all_judged_retrieved(qrels.keys(), run.keys(), asked, counts=True)
    if asked.judged_only:
        raise NotOfferedError("-J")

    names = {}
    for request in asked.requests:
        text = RANX[request.measure.name].format(parameter(request))
        names[request.label] = f"{text}{asked.level}" if text.endswith("-l") else text
    # All at once, where nothing is wrong with any of them: each call takes its time.
    with contextlib.suppress(Exception):
        ranx.evaluate(qrels, run, [*dict.fromkeys(names.values())], make_comparable=True)

    def ask(request: Request) -> tuple[dict[str, float], float]:
        text = names[request.label]
        if text not in run.scores:
            ranx.evaluate(qrels, run, text, make_comparable=True)
        of_queries = dict(run.scores[text])
        whole = sum(of_queries.values())
        return of_queries, whole if request.measure.summary == "sum" else float(run.mean_scores[text])

    return one_by_one(asked.requests, ask)


# trectools: a function of a depth for each measure; it knows one level of relevance.

TRECTOOLS = {
    "map": "get_map",
    "map_cut": "get_map",
    "gm_map": "get_geometric_map",
    "Rprec": "get_rprec",
    "bpref": "get_bpref",
    "recip_rank": "get_reciprocal_rank",
    "P": "get_precision",
    "recall": "get_recall",
    "ndcg": "get_ndcg",
    "ndcg_cut": "get_ndcg",
    "num_ret": "get_retrieved_documents",
    "num_rel": "get_relevant_documents",
    "num_rel_ret": "get_relevant_retrieved_documents",
}


def of_trectools(asked: Asked) -> Found:
    import inspect

    import trectools

    qrels, run = trectools.TrecQrel(asked.qrels), trectools.TrecRun(asked.run)
    if asked.level != 1 or asked.judged_only:
        raise NotOfferedError("-l or -J")
    require_all_judged_retrieved(qrels.qrels_data["query"], run.run_data["query"], asked, counts=False)
    judged = trectools.TrecEval(run, qrels)

    def ask(request: Request) -> tuple[dict[str, float] | None, float]:
        method = getattr(judged, TRECTOOLS[request.measure.name])
        takes = inspect.signature(method).parameters
        more: dict[str, Any] = {"trec_eval": True} if "trec_eval" in takes else {}
        if parameter(request):
            more["depth"] = int(parameter(request))
        mean = float(method(**more))
        if "per_query" not in takes:
            return None, mean
        table = method(**more, per_query=True)
        values = table.iloc[:, 0] if hasattr(table, "columns") else table
        return {str(query): float(value) for query, value in values.items()}, mean

    return one_by_one(asked.requests, ask)


def offers(peer: str, request: Request) -> bool:
    """Whether an evaluator has such a measure, whatever it says of the files."""
    name = request.measure.name
    if peer == "pytrec_eval":
        import pytrec_eval

        there = name in pytrec_eval.supported_measures and request.measure.kind != "text"
        return there and sayable(request, "{}" if parameter(request) else name)
    if peer == "trectools":
        return name in TRECTOOLS and bool(parameter(request) or sayable(request, name))
    return sayable(request, {"ir_measures": IR_MEASURES, "ranx": RANX}[peer].get(name, ""))


PEERS = {"pytrec_eval": of_pytrec_eval, "ir_measures": of_ir_measures, "ranx": of_ranx, "trectools": of_trectools}


def line(request: Request, query: str, value: float) -> str:
    """A line as trec_eval prints it."""
    text = f"{round(value)}" if request.measure.kind == "count" else f"{value:6.4f}"
    return f"{request.label:<22}\t{query}\t{text}\n"


def main(words: list[str]) -> int:
    peer, *words = words
    given, files = getopt.getopt(words, "qncJl:M:N:m:")
    flags = {flag for flag, _ in given}
    if len(files) != 2 or {"-M", "-N"} & flags:
        return NOT_OFFERED
    levels = [value for flag, value in given if flag == "-l"]
    requests = parse([value for flag, value in given if flag == "-m"] or ["official"])
    # What it lacks is said before it reads anything: a fault in reading is no fault in that.
    lacking = _not_offered({each.measure.name for each in requests if not offers(peer, each)})
    if not (requests := tuple(each for each in requests if each.measure.name not in lacking)):
        return NOT_OFFERED
    level = int(levels[-1]) if levels else 1
    asked = Asked(list(requests), level, "-J" in flags, "-c" in flags, *files)
    try:
        found = PEERS[peer](asked)
    except NotOfferedError:
        return NOT_OFFERED
    wanted = {each.label: each.measure for each in requests}
    there = {*found.all, *found.failed}
    if "-q" in flags:
        each_query = {*found.each, *found.failed}
        there = {label for label in there if label in each_query or not wanted[label].per_query}
    lacking = _not_offered({measure.name for label, measure in wanted.items() if label not in there})
    if not there:
        return NOT_OFFERED
    lines = []
    for request in requests:
        if request.measure.name not in lacking:
            values = found.each.get(request.label, {}) if "-q" in flags and request.measure.per_query else {}
            lines += [line(request, query, value) for query, value in values.items()]
            if "-n" not in flags and request.label in found.all:
                lines.append(line(request, "all", found.all[request.label]))
    sys.stdout.write("".join(lines))
    return 0


def _not_offered(names: set[str]) -> set[str]:
    """Name measures on standard error."""
    sys.stderr.write("".join(f"not offered: {name}\n" for name in sorted(names)))
    return names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
