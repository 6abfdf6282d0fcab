"""The reference itself is judged here by recorded output of trec_eval, and where trec_eval has none worth repeating."""

import json
from pathlib import Path

import pytest
from reference import Options, Refused, evaluate

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = {"trec_eval 10.0": "10.0", "trec_eval 9.0.8": "9.0.8"}


def options_of(flags: list[str], compat: str) -> Options:
    """Options from the flags of a golden case: a value is attached to its letter or is the next word."""
    choices: dict[str, object] = {"compat": compat}
    measures = []
    words = iter(flags)
    for word in words:
        letter = word[1]
        if letter in "qncJ":
            name, value = {
                "q": ("per_query", True),
                "n": ("summary", False),
                "c": ("complete", True),
                "J": ("judged_only", True),
            }[letter]
            choices[name] = value
        else:
            argument = word[2:] or next(words)
            if letter == "m":
                measures.append(argument)
            else:
                name = {"l": "level", "M": "depth", "N": "collection_size"}[letter]
                choices[name] = int(argument)
    return Options(measures=tuple(measures), **choices)


def recorded() -> list:
    """Every golden case and version that has an output."""
    cases = []
    for path in sorted(GOLDEN.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        for version in VERSIONS:
            if case[version] is not None:
                name = f"{path.stem}-{version}"
                cases.append(pytest.param(path, case["flags"], version, case[version], id=name))
    return cases


@pytest.mark.parametrize(("path", "flags", "version", "expected"), recorded())
def test_reference_prints_what_trec_eval_printed(path, flags, version, expected):
    qrels = path.with_suffix(".qrels").read_bytes()
    run = path.with_suffix(".run").read_bytes()
    options = options_of(flags, VERSIONS[version])

    if expected["exit"] != 0:
        with pytest.raises(Refused):
            evaluate(qrels, run, options)
    else:
        assert expected["stdout"] == evaluate(qrels, run, options).decode("utf-8")


def test_there_are_golden_cases_of_both_versions():
    cases = recorded()

    assert set(VERSIONS) == {case.values[2] for case in cases}
    assert len(list(GOLDEN.glob("*.json"))) == len({case.values[0] for case in cases})


# What irev promises where trec_eval has no answer worth repeating


def test_a_missing_query_counts_as_an_empty_ranking_under_complete():
    qrels = b"1 0 a 1\n2 0 a 1\n"
    run = b"1 0 a 0 1 t\n"
    measures = ("num_q", "num_rel", "map", "utility.0,0,1,0", "ndcg.-1=1")
    options = Options(measures=measures, per_query=True, complete=True)
    expected = [
        b"num_rel               \t2\t1",
        b"map                   \t2\t0.0000",
        b"utility_0,0,1,0       \t2\t0.0000",
        b"ndcg_-1=1             \t2\t0.0000",
    ]
    actual = evaluate(qrels, run, options).splitlines()

    assert expected == [line for line in actual if b"\t2\t" in line and b"\tall\t" not in line]
    assert b"map                   \tall\t0.5000" in actual
    assert b"num_q                 \tall\t2" in actual
