"""Run another Python evaluator as a whole process: its own reader, the same measures, trec_eval's labels.

    python benchmarks/rivals.py ir_measures official QRELS RUN
    python benchmarks/rivals.py pytrec_eval shared -q QRELS RUN

Two lists of measures are known. `official` is what trec_eval prints without options and `shared` what
trec_eval and ir_measures have in common. An evaluator that lacks a measure of the list leaves it out, and so
has less work than the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
SUCCESS_CUTOFFS = ("1", "5", "10")
RECALL_POINTS = tuple(f"{tenths / 10:.2f}" for tenths in range(11))


@dataclass(frozen=True)
class Family:
    """A measure of trec_eval, the parameters it is printed with, and its names elsewhere ("" = not there).

    pytrec_eval is trec_eval's code under trec_eval's names; in other names {} stands for the parameter.
    """

    name: str
    ir_measures: str = ""
    ranx: str = ""
    parameters: tuple[str, ...] = ()

    def labels(self) -> tuple[str, ...]:
        return tuple(f"{self.name}_{parameter}" for parameter in self.parameters) or (self.name,)

    def named(self, pattern: str) -> dict[str, str]:
        """Label of trec_eval → name elsewhere, given this family's pattern of names there."""
        names = [pattern.format(parameter) for parameter in self.parameters] or [pattern]
        return dict(zip(self.labels(), names, strict=True)) if pattern else {}


OFFICIAL = (
    Family("num_q", "NumQ"),
    Family("num_ret", "NumRet"),
    Family("num_rel", "NumRel"),
    Family("num_rel_ret", "NumRet(rel=1)"),
    Family("map", "AP", "map"),
    Family("gm_map"),
    Family("Rprec", "Rprec", "r-precision"),
    Family("bpref", "Bpref", "bpref"),
    Family("recip_rank", "RR", "mrr"),
    Family("iprec_at_recall", "IPrec@{}", parameters=RECALL_POINTS),
    Family("P", "P@{}", "precision@{}", CUTOFFS),
)
MEASURES = {
    "official": OFFICIAL,
    "shared": (
        *(family for family in OFFICIAL if family.ir_measures),
        Family("recall", "R@{}", "recall@{}", CUTOFFS),
        Family("infAP", "infAP"),
        Family("ndcg", "nDCG", "ndcg"),
        Family("ndcg_cut", "nDCG@{}", "ndcg@{}", CUTOFFS),
        Family("map_cut", "AP@{}", "map@{}", CUTOFFS),
        Family("success", "Success@{}", "hit_rate@{}", SUCCESS_CUTOFFS),
        Family("set_P", "SetP", "precision"),
        Family("set_recall", "SetR", "recall"),
        Family("set_map", "SetAP"),
        Family("set_F", "SetF", "f1"),
    ),
}


def trec_options(measures: str) -> tuple[str, ...]:
    """A list of measures as options for trec_eval and irev."""
    return tuple(f"-m{family.name}" for family in MEASURES[measures])


def show(label: str, query: str, value: float) -> None:
    print(f"{label:<22}\t{query}\t{value:6.4f}")


def run_ir_measures(families: Iterable[Family], per_query: bool, qrels_path: str, run_path: str) -> None:
    import ir_measures

    labels = {
        ir_measures.parse_measure(name): label
        for family in families
        for label, name in family.named(family.ir_measures).items()
    }
    qrels = ir_measures.read_trec_qrels(qrels_path)
    run = ir_measures.read_trec_run(run_path)
    if per_query:
        results = ir_measures.calc(list(labels), qrels, run)
        for metric in results.per_query:
            show(labels[metric.measure], metric.query_id, metric.value)
        means = results.aggregated
    else:
        means = ir_measures.calc_aggregate(list(labels), qrels, run)
    for measure, value in means.items():
        show(labels[measure], "all", value)


def run_pytrec_eval(families: Iterable[Family], per_query: bool, qrels_path: str, run_path: str) -> None:
    import pytrec_eval

    with open(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    with open(run_path) as file:
        run = pytrec_eval.parse_run(file)
    names = {family.name for family in families}
    scores: Mapping[str, Mapping[str, float]] = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    if per_query:
        for query, values in scores.items():
            for label, value in values.items():
                show(label, query, value)
    for label in next(iter(scores.values())):
        column = [values[label] for values in scores.values()]
        show(label, "all", pytrec_eval.compute_aggregated_measure(label, column))


def run_ranx(families: Iterable[Family], per_query: bool, qrels_path: str, run_path: str) -> None:
    import ranx

    labels = {name: label for family in families for label, name in family.named(family.ranx).items()}
    qrels = ranx.Qrels.from_file(qrels_path, kind="trec")
    run = ranx.Run.from_file(run_path, kind="trec")
    means = ranx.evaluate(qrels, run, list(labels))
    if per_query:
        for name, of_queries in run.scores.items():
            for query, value in of_queries.items():
                show(labels[name], query, value)
    for name, value in means.items():
        show(labels[name], "all", value)


RUNNERS = {"ir_measures": run_ir_measures, "pytrec_eval": run_pytrec_eval, "ranx": run_ranx}


def main() -> None:
    parser = argparse.ArgumentParser(description="Evaluate a run with another Python evaluator.")
    parser.add_argument("rival", choices=RUNNERS)
    parser.add_argument("measures", choices=MEASURES)
    parser.add_argument("-q", "--per-query", action="store_true", help="print each query's values too")
    parser.add_argument("qrels")
    parser.add_argument("run")
    options = parser.parse_args()
    RUNNERS[options.rival](MEASURES[options.measures], options.per_query, options.qrels, options.run)


if __name__ == "__main__":
    main()
