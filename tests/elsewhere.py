"""What another tool says of rankings, from a process of its own: they take long to import, and warn.

Reads ``{kind: [[grades, ranking], …]}`` as JSON from standard input, with ``grades`` as ``{document: grade}``, and
writes ``{name: [kind, [value, …]]}`` to standard output. Elasticsearch and OpenSearch are no packages: their measures
are written down here after their documentation and source.
"""

import asyncio
import contextlib
import json
import math
import os
import sys
from collections.abc import Callable

BINARY, GRADED, COMPLETE, COMPLETE_GRADED = KINDS = ("binary", "graded", "complete", "complete graded")
"""Of rankings: of judgments 0 and 1, or of grades up to 3; complete where all documents are judged and ranked."""

K = 5

Grades = dict[str, int]
Function = Callable[[Grades, list[str]], float]
Tool = dict[str, tuple[str, Function]]


def relevant(grades: Grades) -> list[str]:
    return [document for document, grade in grades.items() if grade > 0]


def of_llama_index() -> Tool:
    from llama_index.core.evaluation.retrieval import metrics

    def of(metric: object) -> Function:
        return lambda grades, ranking: metric.compute(expected_ids=relevant(grades), retrieved_ids=ranking).score

    return {
        "HitRate": (BINARY, of(metrics.HitRate())),
        "HitRate(use_granular_hit_rate=True)": (BINARY, of(metrics.HitRate(use_granular_hit_rate=True))),
        "MRR": (BINARY, of(metrics.MRR())),
        "Precision": (BINARY, of(metrics.Precision())),
        "Recall": (BINARY, of(metrics.Recall())),
        "AveragePrecision": (BINARY, of(metrics.AveragePrecision())),
        "NDCG": (BINARY, of(metrics.NDCG())),
    }


def of_haystack() -> Tool:
    from haystack import Document
    from haystack.components import evaluators

    def of(evaluator: object, graded: bool = False) -> Function:
        def value(grades: Grades, ranking: list[str]) -> float:
            truth = [Document(content=each, score=grades[each] if graded else None) for each in relevant(grades)]
            found = [Document(content=each) for each in ranking]
            return evaluator.run(ground_truth_documents=[truth], retrieved_documents=[found])["score"]

        return value

    recall = evaluators.DocumentRecallEvaluator
    return {
        "DocumentMRREvaluator": (BINARY, of(evaluators.DocumentMRREvaluator())),
        "DocumentMAPEvaluator": (BINARY, of(evaluators.DocumentMAPEvaluator())),
        "DocumentNDCGEvaluator": (GRADED, of(evaluators.DocumentNDCGEvaluator(), graded=True)),
        'DocumentRecallEvaluator(mode="single_hit")': (
            BINARY,
            of(recall(mode="single_hit")),
        ),
        'DocumentRecallEvaluator(mode="multi_hit")': (BINARY, of(recall(mode="multi_hit"))),
    }


def of_ragas() -> Tool:
    from ragas import SingleTurnSample, metrics

    def scored(metric: object, **fields: list[str]) -> float:
        return asyncio.run(metric.single_turn_ascore(SingleTurnSample(**fields)))

    def of_ids(metric: object) -> Function:
        return lambda grades, ranking: scored(
            metric, retrieved_context_ids=ranking, reference_context_ids=relevant(grades)
        )

    def of_texts(metric: object) -> Function:
        def text(document: str) -> str:
            return chr(0x4E00 + int(document[1:])) * 20  # texts that have no sign in common

        return lambda grades, ranking: scored(
            metric,
            retrieved_contexts=[*map(text, ranking)],
            reference_contexts=[*map(text, relevant(grades))],
        )

    return {
        "IDBasedContextPrecision": (BINARY, of_ids(metrics.IDBasedContextPrecision())),
        "IDBasedContextRecall": (BINARY, of_ids(metrics.IDBasedContextRecall())),
        "NonLLMContextPrecisionWithReference": (BINARY, of_texts(metrics.NonLLMContextPrecisionWithReference())),
        "NonLLMContextRecall": (BINARY, of_texts(metrics.NonLLMContextRecall())),
    }


def in_order(grades: Grades, ranking: list[str]) -> tuple[list[int], list[float]]:
    """The grade and the score of each result."""
    return [grades.get(each, 0) for each in ranking], [float(len(ranking) - place) for place in range(len(ranking))]


def of_scikit_learn() -> Tool:
    from sklearn import metrics

    def of(function: Callable[..., float], many: bool = False, **options: object) -> Function:
        def value(grades: Grades, ranking: list[str]) -> float:
            truth, scores = in_order(grades, ranking)
            return function(*((truth, scores) if not many else ([truth], [scores])), **options)

        return value

    lrap = metrics.label_ranking_average_precision_score
    return {
        "average_precision_score": (COMPLETE, of(metrics.average_precision_score)),
        "label_ranking_average_precision_score": (COMPLETE, of(lrap, many=True)),
        f"ndcg_score(k={K})": (COMPLETE_GRADED, of(metrics.ndcg_score, many=True, k=K)),
        f"dcg_score(k={K})": (COMPLETE_GRADED, of(metrics.dcg_score, many=True, k=K)),
        "roc_auc_score": (COMPLETE, of(metrics.roc_auc_score)),
        "average_precision_score of the results": (BINARY, of(metrics.average_precision_score)),
    }


def of_torchmetrics() -> Tool:
    import torch
    from torchmetrics.functional import retrieval

    def of(function: Callable[..., float], graded: bool = False, **options: object) -> Function:
        def value(grades: Grades, ranking: list[str]) -> float:
            truth, scores = in_order(grades, ranking)
            target = torch.tensor(truth) if graded else torch.tensor(truth) > 0
            return float(function(torch.tensor(scores, dtype=torch.float64), target, **options))

        return value

    return {
        "retrieval_average_precision": (COMPLETE, of(retrieval.retrieval_average_precision)),
        f"retrieval_average_precision(top_k={K})": (COMPLETE, of(retrieval.retrieval_average_precision, top_k=K)),
        f"retrieval_reciprocal_rank(top_k={K})": (COMPLETE, of(retrieval.retrieval_reciprocal_rank, top_k=K)),
        f"retrieval_precision(top_k={K})": (COMPLETE, of(retrieval.retrieval_precision, top_k=K)),
        f"retrieval_precision(top_k={K}, adaptive_k=True)": (
            COMPLETE,
            of(retrieval.retrieval_precision, top_k=K, adaptive_k=True),
        ),
        f"retrieval_recall(top_k={K})": (COMPLETE, of(retrieval.retrieval_recall, top_k=K)),
        f"retrieval_fall_out(top_k={K})": (COMPLETE, of(retrieval.retrieval_fall_out, top_k=K)),
        f"retrieval_hit_rate(top_k={K})": (COMPLETE, of(retrieval.retrieval_hit_rate, top_k=K)),
        "retrieval_r_precision": (COMPLETE, of(retrieval.retrieval_r_precision)),
        f"retrieval_normalized_dcg(top_k={K})": (
            COMPLETE_GRADED,
            of(retrieval.retrieval_normalized_dcg, graded=True, top_k=K),
        ),
        "retrieval_auroc": (COMPLETE, of(retrieval.retrieval_auroc)),
    }


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def gains(ratings: list[int]) -> float:
    """Their discounted gain, by the formula of both Elasticsearch and OpenSearch."""
    return sum((2**rating - 1) / math.log2(rank + 1) for rank, rating in enumerate(ratings, start=1))


def of_elasticsearch() -> Tool:
    """The request of ``_rank_eval``, which OpenSearch has too: it looks at the first k hits and at nothing else."""

    def precision(grades: Grades, ranking: list[str], threshold: int = 1) -> float:
        hits = ranking[:K]
        return share(sum(grades.get(each, 0) >= threshold for each in hits), len(hits))

    def of_labelled(grades: Grades, ranking: list[str]) -> float:
        ratings = [grades[each] for each in ranking[:K] if each in grades]
        return share(sum(rating >= 1 for rating in ratings), len(ratings))

    def recall(grades: Grades, ranking: list[str]) -> float:
        return share(sum(grades.get(each, 0) >= 1 for each in ranking[:K]), len(relevant(grades)))

    def reciprocal_rank(grades: Grades, ranking: list[str]) -> float:
        return max([1 / rank for rank, each in enumerate(ranking[:K], 1) if grades.get(each, 0) >= 1], default=0.0)

    def dcg(grades: Grades, ranking: list[str]) -> float:
        return gains([grades.get(each, 0) for each in ranking[:K]])

    def ndcg(grades: Grades, ranking: list[str]) -> float:
        best = sorted(grades.values(), reverse=True)[: len(ranking[:K])]
        return share(dcg(grades, ranking), gains(best))

    def err(grades: Grades, ranking: list[str]) -> float:
        seen, value = 1.0, 0.0
        for rank, each in enumerate(ranking[:K], start=1):
            satisfied = (2 ** grades.get(each, 0) - 1) / 2**3
            value += seen * satisfied / rank
            seen *= 1 - satisfied
        return value

    return {
        f"precision: k: {K}": (GRADED, precision),
        f"precision: k: {K}, relevant_rating_threshold: 2": (GRADED, lambda *given: precision(*given, threshold=2)),
        f"precision: k: {K}, ignore_unlabeled: true": (GRADED, of_labelled),
        f"recall: k: {K}": (GRADED, recall),
        f"mean_reciprocal_rank: k: {K}": (GRADED, reciprocal_rank),
        f"dcg: k: {K}": (GRADED, dcg),
        f"dcg: k: {K}, normalize: true": (COMPLETE_GRADED, ndcg),
        f"expected_reciprocal_rank: k: {K}, maximum_relevance: 3": (GRADED, err),
    }


def of_opensearch() -> Tool:
    """The measures of experiments in Search Relevance Workbench; each is rounded to two decimals there."""

    def precision(grades: Grades, ranking: list[str]) -> float:
        hits = ranking[:K]
        return share(sum(grades.get(each, 0) > 0 for each in hits), len(hits))

    def average_precision(grades: Grades, ranking: list[str]) -> float:
        ranks = [rank for rank, each in enumerate(ranking[:K], start=1) if grades.get(each, 0) > 0]
        return share(sum(found / rank for found, rank in enumerate(ranks, start=1)), len(relevant(grades)))

    def recall(grades: Grades, ranking: list[str]) -> float:
        return share(sum(grades.get(each, 0) > 0 for each in ranking[:K]), len(relevant(grades)))

    def dcg(grades: Grades, ranking: list[str]) -> float:
        return gains([grades.get(each, 0) for each in ranking[:K]])

    def ndcg(grades: Grades, ranking: list[str]) -> float:
        return share(dcg(grades, ranking), gains(sorted(grades.values(), reverse=True)[:K]))

    def reciprocal_rank(grades: Grades, ranking: list[str]) -> float:
        return max([1 / rank for rank, each in enumerate(ranking[:K], 1) if grades.get(each, 0) > 0], default=0.0)

    return {
        f"Precision@{K}": (GRADED, precision),
        f"MAP@{K}": (GRADED, average_precision),
        f"Recall@{K}": (GRADED, recall),
        f"DCG@{K}": (GRADED, dcg),
        f"NDCG@{K}": (GRADED, ndcg),
        "MRR": (GRADED, reciprocal_rank),
    }


TOOLS: dict[str, tuple[str, Callable[[], Tool]]] = {
    "LlamaIndex": ("llama_index", of_llama_index),
    "Haystack": ("haystack", of_haystack),
    "ragas": ("ragas", of_ragas),
    "scikit-learn": ("sklearn", of_scikit_learn),
    "torchmetrics": ("torchmetrics", of_torchmetrics),
    "Elasticsearch": ("math", of_elasticsearch),
    "OpenSearch": ("math", of_opensearch),
}
"""By the headings of docs/names-elsewhere.md: the module that a tool needs, and its measures."""


def main(name: str) -> None:
    cases = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        answers = {
            called: (kind, [float(value(*case)) for case in cases[kind]])
            for called, (kind, value) in TOOLS[name][1]().items()
        }
    json.dump(answers, sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # some leave threads behind that wait


if __name__ == "__main__":
    main(sys.argv[1])
