"""The schema of what irev writes as JSON, made ready once: to check the schema itself takes longer than a command."""

import json

import jsonschema
from conftest import ROOT

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))

VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def faults(record: object) -> list[str]:
    """Where a record is not what the schema describes, and how; nothing where it is."""
    return [f"{error.json_path}: {error.message[:300]}" for error in VALIDATOR.iter_errors(record)]
