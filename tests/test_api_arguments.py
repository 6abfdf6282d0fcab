"""Plausible arguments of Python that functions cannot take: each is refused with what to give instead."""

import pytest
from conftest import ROOT

import irev

DATA = ROOT / "sample_data"
QRELS, JUDGE, HYBRID, SEMANTIC = (str(DATA / name) for name in ("qrels.txt", "judge2.txt", "hybrid.run", "semantic.run"))
LOG = str(DATA / "interleaved.jsonl")


def refused(said, call):
    with pytest.raises(irev.UsageError) as error:
        call()
    assert said in str(error.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: irev.compare(QRELS, [HYBRID, SEMANTIC], "AP", both="no"),
        lambda: irev.curves(QRELS, [HYBRID, SEMANTIC], both="no"),
        lambda: irev.clicks(LOG, allow_large="no"),
    ],
)
def test_words_in_place_of_true_or_false(call):
    refused("; expected True or False", call)
