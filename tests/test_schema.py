"""docs/result.schema.json: every command's JSON is what it describes, and nothing else would be."""

import json
from pathlib import Path

import jsonschema
import pytest
from schema import COMMANDS, EVERY_KIND, HYBRID, KEYWORD, QRELS, SCHEMA, SEMANTIC, faults

from irev.evaluation.curves import KINDS


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
    more = ["--resources", str(Path(QRELS).parent / "resources.csv")] if kind == "tradeoff" else []
    done = irev("curves", "--kind", kind, *more, "-f", "json", QRELS, HYBRID, KEYWORD, SEMANTIC)
    assert 0 == done.status, done.stderr
    assert [] == faults(json.loads(done.stdout))


@pytest.mark.parametrize(
    "options",
    [
        ["--depth", "2"],
        ["--depth", "2", "--in-order"],
        ["--budget", "3", "--in-order", "--within", "9"],
        ["--by", "maxmean", "--next", "3", "--in-order"],
        ["--strata", "3=0.5"],
    ],
    ids=" ".join,
)
def test_it_describes_every_kind_of_pool(irev, options):
    done = irev("pool", *options, "-f", "json", HYBRID, KEYWORD)
    assert 0 == done.status, done.stderr
    assert [] == faults(json.loads(done.stdout))


@pytest.mark.parametrize("method", ["team-draft", "probabilistic"])
def test_it_describes_every_way_to_interleave(irev, method):
    done = irev("online", "interleave", "--method", method, "-f", "json", HYBRID, KEYWORD)
    assert 0 == done.status, done.stderr
    assert [] == faults(json.loads(done.stdout))


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
