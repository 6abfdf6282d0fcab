"""The schema of what irev writes as JSON, made ready once: to check the schema itself takes longer than a command.

And a command for each kind of record.
"""

import json

import jsonschema
from conftest import ROOT

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))

VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


SAMPLE = ROOT / "sample_data"
QRELS, HYBRID, KEYWORD, SEMANTIC = (
    str(SAMPLE / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run")
)
TEXTS = ["--titles", str(SAMPLE / "topics.tsv"), "--documents", str(SAMPLE / "documents.tsv")]
EVERY_KIND = ["-m", "nDCG@3", "-m", "AP", "-m", "bpref", "-m", "SearchLength", "-m", "num_ret"]

COMMANDS = {
    "irev result": ["eval", "-q", QRELS, HYBRID, KEYWORD],
    "irev comparison": ["compare", "-q", "--margin", "0.1", QRELS, HYBRID, KEYWORD, SEMANTIC],
    "irev power": ["power", "--difference", "0.05", QRELS, HYBRID, KEYWORD],
    "irev gate power": ["power", "--gate", "0.01", QRELS, HYBRID, KEYWORD],
    "irev differences": ["bayes", "--margin", "0.1", QRELS, HYBRID, KEYWORD, SEMANTIC],
    "irev collections": ["collections", str(SAMPLE / "collections.toml")],
    "irev predicted judgments": [
        "llm-judge",
        *("--baseline", "bm25", "--min", "P@5=0.5"),
        *(str(SAMPLE / "llm" / name) for name in ("llm.txt", "human.txt", "bm25.run", "rerank.run")),
    ],
    "irev agreement": ["agree", QRELS, HYBRID, KEYWORD, SEMANTIC],
    "irev overlap": ["rbo", HYBRID, KEYWORD],
    "irev trend": ["trend", str(SAMPLE / "builds")],
    "irev sheet": ["curves", "--kind", "sheet", QRELS, HYBRID, KEYWORD, SEMANTIC],
    "irev curves": ["curves", "--kind", "query", "--query", "q3", QRELS, HYBRID, KEYWORD],
    "irev pool": ["pool", "--strata", "2=1,5=0.5", "--judged", QRELS, "--in-order", HYBRID, KEYWORD],
    "irev interleaving": ["online", "interleave", "--method", "probabilistic", HYBRID, KEYWORD],
    "irev buckets": ["online", "ab", str(ROOT / "sample_data" / "ab_test.csv")],
    "irev click models": ["online", "click-models", str(ROOT / "sample_data" / "ab_test.csv")],
    "irev off-policy": ["online", "off-policy", SEMANTIC, str(ROOT / "sample_data" / "ab_test.csv")],
    "irev preference": ["online", "preference", str(ROOT / "sample_data" / "interleaved.jsonl")],
    "irev check": [
        *("check", "--min", "AP=0", "--max-drop", "AP=0.9", "--max-share-losing", "AP>0.1=99%"),
        *("--baseline-run", HYBRID, QRELS, KEYWORD),
    ],
    "irev difference": ["diff", *TEXTS, *EVERY_KIND, QRELS, HYBRID, KEYWORD],
    "irev explanation": ["explain", *TEXTS, *EVERY_KIND, "-m", "relstring", "--query", "q3", QRELS, HYBRID],
}


def faults(record: object) -> list[str]:
    """Where a record is not what the schema describes, and how; nothing where it is."""
    return [f"{error.json_path}: {error.message[:300]}" for error in VALIDATOR.iter_errors(record)]
