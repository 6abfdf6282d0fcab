"""What a program with strict type hints writes: mypy checks this file, and a test runs it."""

from collections.abc import Mapping

import irev

QRELS: Mapping[str, Mapping[str, int]] = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}
RUNS: dict[str, dict[str, dict[str, float]]] = {
    "old": {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}},
    "new": {"q1": {"d1": 2.0, "d2": 1.0}},
}


def means(measure: str) -> dict[str, float]:
    """The mean of each run, a query that it lacks as 0."""
    evaluator = irev.Evaluator(QRELS, [measure], complete=True)
    return {name: evaluator.evaluate(run).mean()[measure] for name, run in RUNS.items()}


def worst(evaluation: irev.Evaluation, measure: str) -> str:
    """The query with the lowest value."""
    values: dict[str, float] = evaluation.per_query[measure]
    return min(values, key=values.__getitem__)


def verdict(measure: str) -> str:
    """Whether the new run is as good as the old one."""
    found = irev.evaluate_runs(QRELS, RUNS, [measure], complete=True)
    gate: irev.Gate = {"min": {measure: 0.4}, "max_drop": {measure: "2%"}}
    made = irev.check({"new": found["new"]}, baseline=found["old"], **gate)
    return ", ".join(f"{finding.required}: {finding.state}" for finding in made.findings)


def movers(measure: str) -> list[tuple[bytes, float | None]]:
    """What each document contributes to the change of the query that changed most."""
    found = irev.diff(QRELS, RUNS["old"], RUNS["new"], measure)
    return [(move.document, move.contributions[0]) for move in found.details[0].moves]


def reasons(query: str) -> dict[str, float | int | bytes]:
    """The values of a query."""
    explanation = irev.explain(QRELS, RUNS["old"], query, ["RR", "AP"])
    return {each.request.standard: each.value for each in explanation.measures}


def refusal(run: Mapping[str, Mapping[str, float]]) -> str:
    """Why a run is refused."""
    try:
        irev.evaluate(irev.read_qrels(QRELS), irev.read_run(run), "RR")
    except irev.IrevError as error:
        return error.fact
    return ""


if __name__ == "__main__":
    print(means("RR"))
    print(worst(irev.evaluate(QRELS, RUNS["old"], ["AP"]), "AP"))
    print(verdict("RR"))
    print(movers("AP"))
    print(reasons("q1"))
    print(refusal({"q1": {"d1": float("nan")}}))
