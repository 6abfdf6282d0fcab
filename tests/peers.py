"""What ir_measures and ranx say, from a process of its own: they take long to import, and warn.

Reads questions as JSON from standard input and writes answers as JSON to standard output. A question is
``{"qrels": {query: {document: grade}}, "run": {query: {document: score}}, "ir_measures": [...], "ranx": [...]}`` with
measures in the spelling of each; an answer is ``{"ir_measures": {measure: {query: value}}, "ranx": ...}``. The query
``all`` is the line for all queries; a measure that failed has a text instead, and a value that is not a number is null.
A question about fusion is as `of_ranx_fusion` has it.
"""

import ast
import json
import math
import re
import sys

MEASURE = re.compile(r"(?P<name>\w+)(\((?P<inside>.*)\))?(@(?P<cut>.+))?")
ARGUMENT = re.compile(r"(\w+)=(\{[^}]*\}|[^,]+)")

Values = dict[str, dict[str, float | None] | str]


def of_ir_measures(question: dict) -> Values:
    import ir_measures

    qrels = [ir_measures.Qrel(q, d, g) for q, grades in question["qrels"].items() for d, g in grades.items()]
    run = [ir_measures.ScoredDoc(q, d, s) for q, scores in question["run"].items() for d, s in scores.items()]
    found: Values = {}
    for text in question["ir_measures"]:
        measure = named(text)
        try:
            # One at a time: asked together, some disturb each other.
            calculated = ir_measures.calc([measure], qrels, run)
            found[text] = {metric.query_id: number(metric.value) for metric in calculated.per_query}
            found[text]["all"] = number(calculated.aggregated[measure])
        except Exception as error:
            found[text] = f"{type(error).__name__}: {error}"
    return found


def named(text: str) -> object:
    """The measure that a text such as ``AP(rel=2)@10`` names, made without the parser of ir_measures.

    That one needs parts of Python which 3.14 no longer has.
    """
    import ir_measures

    parts = MEASURE.fullmatch(text)
    inside = {key: ast.literal_eval(value) for key, value in ARGUMENT.findall(parts["inside"] or "")}
    measure = getattr(ir_measures, parts["name"])(**inside)
    return measure @ ast.literal_eval(parts["cut"]) if parts["cut"] else measure


def of_ranx(question: dict) -> Values:
    import ranx

    qrels = ranx.Qrels(question["qrels"])
    run = ranx.Run(question["run"])
    found: Values = {}
    for text in question["ranx"]:
        try:
            mean = ranx.evaluate(qrels, run, text)
            found[text] = {query: number(value) for query, value in run.scores[text].items()} | {"all": number(mean)}
        except Exception as error:
            found[text] = f"{type(error).__name__}: {error}"
    return found


def of_ranx_fusion(question: dict) -> dict[str, dict[str, dict[str, float]] | str]:
    """``{"runs": [run, …], "fuse": [[method, norm, parameters], …]}``: for each the fused run, in its order."""
    import ranx

    found = {}
    for method, norm, parameters in question["fuse"]:
        try:
            fused = ranx.fuse([ranx.Run(run) for run in question["runs"]], norm, method, parameters)
            answer = {query: {document: float(s) for document, s in of.items()} for query, of in fused.run.items()}
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        found[f"{method} {norm}"] = answer
    return found


def number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def main() -> None:
    questions = json.load(sys.stdin)
    answers = {
        name: {
            "ir_measures": of_ir_measures(question) if question.get("ir_measures") else {},
            "ranx": of_ranx(question) if question.get("ranx") else {},
            "fused": of_ranx_fusion(question) if question.get("fuse") else {},
        }
        for name, question in questions.items()
    }
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
