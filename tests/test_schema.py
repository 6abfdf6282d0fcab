"""docs/result.schema.json: every command's JSON is what it describes, and nothing else would be."""

import json
from pathlib import Path

import jsonschema
import pytest
from conftest import ROOT
from schema import SCHEMA, faults

from irev.evaluation.curves.kinds import KINDS

SAMPLE = ROOT / "sample_data"
QRELS, HYBRID, KEYWORD, SEMANTIC = (
    str(SAMPLE / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run")
)
TEXTS = ["--titles", str(SAMPLE / "topics.tsv"), "--documents", str(SAMPLE / "documents.tsv")]
EVERY_KIND = ["-m", "nDCG@3", "-m", "AP", "-m", "bpref", "-m", "SearchLength", "-m", "num_ret"]

COMMANDS = {
    "irev result": ["eval", "-q", QRELS, HYBRID, KEYWORD],
    "irev comparison": ["compare", "-q", "--margin", "0.1", QRELS, HYBRID, KEYWORD, SEMANTIC],
    "irev power": ["power", QRELS, HYBRID, KEYWORD],
    "irev gate power": ["power", "--gate", "0.01", QRELS, HYBRID, KEYWORD],
    "irev agreement": ["agree", QRELS, HYBRID, KEYWORD, SEMANTIC],
    "irev overlap": ["agree", HYBRID, KEYWORD],
    "irev predictions": ["agree", "--online", str(SAMPLE / "experiments.csv")],
    "irev sheet": ["report", "--sheet", QRELS, HYBRID, KEYWORD, SEMANTIC],
    "irev curves": ["curves", "--kind", "query", "--query", "q3", QRELS, HYBRID, KEYWORD],
    "irev pool": ["pool", "--strata", "2=1,5=0.5", "--judged", QRELS, "--in-order", HYBRID, KEYWORD],
    "irev interleaving": ["interleave", "--method", "probabilistic", HYBRID, KEYWORD],
    "irev simulation": ["clicks", "--simulate", "--impressions", "30", QRELS, HYBRID, KEYWORD],
    "irev buckets": ["clicks", str(ROOT / "sample_data" / "ab_test.csv")],
    "irev off-policy": ["clicks", "--ranking", SEMANTIC, str(ROOT / "sample_data" / "ab_test.csv")],
    "irev preference": ["clicks", str(ROOT / "sample_data" / "interleaved.jsonl")],
    "irev check": [
        *("check", "--min", "AP=0", "--max-drop", "AP=1", "--max-share-losing", "AP>0.1=99%"),
        *("--baseline-run", HYBRID, QRELS, KEYWORD),
    ],
    "irev difference": ["diff", *TEXTS, *EVERY_KIND, QRELS, HYBRID, KEYWORD],
    "irev explanation": ["explain", *TEXTS, *EVERY_KIND, "-m", "relstring", "--query", "q3", QRELS, HYBRID],
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_it_describes_what_the_command_writes(irev, kind):
    done = irev(*COMMANDS[kind], "-f", "json")
    assert 0 == done.status, done.stderr
    record = json.loads(done.stdout)

    assert kind == record["format"]
    assert [] == faults(record)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_key_that_it_does_not_know_is_found(irev, kind):
    record = json.loads(irev(*COMMANDS[kind], "-f", "json").stdout)
    assert faults(record | {"surplus": 1})


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "query"])
def test_it_describes_every_kind_of_curves(irev, kind):
    done = irev("curves", "--kind", kind, "-f", "json", QRELS, HYBRID, KEYWORD, SEMANTIC)
    assert 0 == done.status, done.stderr
    assert [] == faults(json.loads(done.stdout))


@pytest.mark.parametrize(
    "options",
    [
        ["--depth", "2"],
        ["--depth", "2", "--in-order"],
        ["--budget", "3", "--in-order", "--within", "9"],
        ["--by", "maxmean", "--next", "3", "--in-order"],
        ["--by", "difference", "--next", "3", "--in-order"],
        ["--strata", "3=0.5"],
    ],
    ids=" ".join,
)
def test_it_describes_every_kind_of_pool(irev, options):
    done = irev("pool", *options, "-f", "json", HYBRID, KEYWORD)
    assert 0 == done.status, done.stderr
    assert [] == faults(json.loads(done.stdout))


@pytest.mark.parametrize("method", ["team-draft", "balanced", "probabilistic"])
def test_it_describes_every_way_to_interleave(irev, method):
    for words in (["interleave"], ["clicks", "--simulate", "--model", "cascade", "--impressions", "30", QRELS]):
        done = irev(*words, "--method", method, "-f", "json", HYBRID, KEYWORD)
        assert 0 == done.status, done.stderr
        assert [] == faults(json.loads(done.stdout))


@pytest.mark.parametrize("kind", ["irev buckets", "irev preference"])
@pytest.mark.parametrize("options", [["--per-user"], ["--per-user", "--show-users"]], ids=" ".join)
def test_it_describes_users(irev, kind, options):
    done = irev(*COMMANDS[kind], *options, "-f", "json")
    assert 0 == done.status, done.stderr
    record = json.loads(done.stdout)
    assert record["listed"]
    assert [] == faults(record)


@pytest.mark.parametrize("query", ["q1", "q2", "q4", "q5", "q6", "q7"])
@pytest.mark.parametrize("run", [HYBRID, KEYWORD], ids=lambda path: Path(path).stem)
def test_it_describes_the_explanation_of_every_query(irev, query, run):
    done = irev("explain", *EVERY_KIND, "--query", query, QRELS, run, "-f", "json")
    assert 0 == done.status, done.stderr
    assert [] == faults(json.loads(done.stdout))


@pytest.mark.thorough
def test_it_is_a_schema_and_names_every_kind_once():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    kinds = [
        SCHEMA["$defs"][each["$ref"].rpartition("/")[2]]["properties"]["format"]["const"] for each in SCHEMA["oneOf"]
    ]
    assert sorted(COMMANDS) == sorted(kinds)
