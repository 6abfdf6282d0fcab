"""The fuzzer of `make fuzz` finds nothing in two seconds, and would find what is wrong."""

import random

import fuzz
import pytest
from conftest import Outcome

from irev.reading.fields import GRADES
from irev.reading.formats import JUDGMENTS


def calls(tmp_path, seed: int, count: int) -> list[str]:
    source = fuzz.faults(tmp_path, random.Random(seed))
    return [next(source) for _ in range(count)]


@pytest.mark.thorough
def test_it_finds_nothing_in_two_seconds(capsys):
    status = fuzz.main(2, 1)
    assert 0 == status, capsys.readouterr().out


WRONG = {
    "a fault of irev": Outcome(70, b"", "irev: internal error\n"),
    "output beside an error": Outcome(2, b"map\tall\t0.5\n", "irev: error: no\n"),
    "an error without a message": Outcome(2, b"", ""),
    "control characters": Outcome(0, b"", "irev: warning: \x1b[31m\n"),
    "a message with status 0": Outcome(0, b"", "irev: error: no\n"),
}


@pytest.mark.parametrize("outcome", WRONG.values(), ids=WRONG)
def test_it_tells_what_is_wrong(tmp_path, monkeypatch, outcome):
    monkeypatch.setattr(fuzz, "in_process", lambda *_: outcome)
    assert fuzz.fault_of(tmp_path, ["eval"])


def test_it_tells_of_an_exception(tmp_path, monkeypatch):
    def raises(*_):
        fuzz.cli._report(ValueError("planted"))
        return Outcome(70, b"", "")

    monkeypatch.setattr(fuzz, "in_process", raises)
    assert "ValueError: planted" in fuzz.fault_of(tmp_path, ["eval"])


@pytest.mark.skipif(fuzz.TREC_EVAL is None, reason="there is no trec_eval on PATH")
def test_it_compares_with_trec_eval(tmp_path, monkeypatch):
    qrels, run = fuzz.valid(random.Random(1))
    (tmp_path / "qrels").write_bytes(qrels)
    (tmp_path / "run").write_bytes(run)
    arguments = ["-m", "map", str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert not fuzz.unlike_trec_eval(arguments)
    monkeypatch.setattr(fuzz, "in_process", lambda *_: Outcome(0, b"map\tall\t9\n", ""))
    assert "trec_eval: b'map" in fuzz.unlike_trec_eval(arguments)


@pytest.mark.thorough
def test_a_seed_gives_the_same_calls(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(fuzz, "fault_of", lambda _, arguments: seen.append(arguments) or "")
    monkeypatch.setattr(fuzz, "unlike_trec_eval", lambda arguments: seen.append(arguments) or "")
    assert [""] * 60 == calls(tmp_path, 3, 30) + calls(tmp_path, 3, 30)
    assert seen[:30] == seen[30:]
    assert len({arguments[0] for arguments in seen}) > 5


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_what_it_begins_with_is_as_it_should_be(tmp_path, kind):
    """Of every kind of judgments; what is garbage from the beginning finds nothing."""
    done = []
    for seed in range(8):
        for path, content in zip(("qrels", "run"), fuzz.of_kind(kind, random.Random(seed)), strict=True):
            (tmp_path / path).write_bytes(content)
        measures = [word for measure in fuzz.KINDS[kind] for word in ("-m", measure)]
        files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
        done.append(fuzz.in_process("eval", "--qrels-format", kind, *measures, *files))
    assert 4 < [each.status for each in done].count(0), [each.stderr for each in done]


def test_every_kind_of_judgments_is_among_them():
    assert {name for name, form in JUDGMENTS.items() if form.kind.name != GRADES} == {*fuzz.KINDS} - {"trec"}


def test_most_of_the_corpus_is_there():
    assert {"ties", "bytes", "called_all"} <= {qrels.stem for qrels, _ in fuzz.CORPUS}
    assert all(run.exists() for _, run in fuzz.CORPUS)
