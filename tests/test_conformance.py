"""Any command can be compared with the recorded cases: what it lacks does not count, what differs is told by line."""

import json
import shutil
import subprocess
import sys

import conformance
import pytest
from conftest import ROOT, environment

TREC_EVAL = shutil.which("trec_eval")


@pytest.fixture
def some(tmp_path):
    """A folder with a few of the cases."""
    (tmp_path / "golden").mkdir()
    for number in ("000", "012", "054"):
        for ending in ("json", "qrels", "run"):
            shutil.copy(ROOT / "tests" / "golden" / f"{number}.{ending}", tmp_path / "golden")
    shutil.copytree(ROOT / "tests" / "differences", tmp_path / "differences")
    return tmp_path


@pytest.fixture
def recorded(tmp_path):
    """A command that prints what trec_eval did, whatever a change of its text makes of that."""

    def made(change: str = "text", status: str = "0", says: str = "") -> list[str]:
        script = tmp_path / "evaluator.py"
        script.write_text(
            "import glob, json, sys\n"
            "flags = sys.argv[1:-2]\n"
            f"cases = map(json.load, map(open, sorted(glob.glob({str(tmp_path / 'golden' / '*.json')!r}))))\n"
            "text = next((c['trec_eval 10.0']['stdout'] for c in cases if c['flags'] == flags), '')\n"
            f"print({change}, end='')\nprint({says!r}, file=sys.stderr)\nsys.exit({status})\n",
            encoding="utf-8",
        )
        return [sys.executable, str(script)]

    return made


def tried(folder, command) -> list[conformance.TriedMeasure]:
    """The units of recorded output."""
    recorded_cases = [case for case in conformance.cases(folder, "10.0") if not case.section]
    return [unit for case in recorded_cases for unit in conformance.tried(case, command)]


def states(units) -> dict[str, set[str]]:
    found = {}
    for unit in units:
        found.setdefault(unit.group, set()).add(unit.state)
    return found


def test_what_prints_the_same_passes_in_any_order_and_padding(some, recorded):
    change = "'\\n'.join(sorted(' '.join(line.split()) for line in text.splitlines()))"
    assert {"passed"} == set().union(*states(tried(some, recorded(change))).values())


def test_a_digit_that_differs_fails_the_measure_and_no_other(some, recorded):
    units = tried(some, recorded("text.replace('0.1201', '0.1202')"))
    failed = [unit for unit in units if unit.state == "failed"]
    assert [("000", "bpref")] == [(unit.case.name, unit.group) for unit in failed]
    assert (("bpref all 0.1201",), ("bpref all 0.1202",)) == (failed[0].missing, failed[0].odd)


def test_a_line_too_many_and_a_measure_that_was_not_asked_for_fail(some, recorded):
    units = tried(some, recorded("text + 'bpref x 0.5\\nmap all 0.5\\n'"))
    assert {"failed"} == states(units)["bpref"] | states(units)["map"]


def test_what_is_said_not_to_be_offered_does_not_count(some, recorded):
    change = "''.join(line for line in text.splitlines(True) if not line.startswith('bpref'))"
    assert {"failed"} == states(tried(some, recorded(change)))["bpref"]
    assert {"not offered"} == states(tried(some, recorded(change, says="not offered: bpref")))["bpref"]
    assert {"passed"} == states(tried(some, recorded(change, says="not offered: bpref")))["infAP"]


def test_numbers_that_are_printed_count_whatever_is_said(some, recorded):
    units = tried(some, recorded("text.replace('0.1201', '0.1202')", says="not offered: bpref"))
    assert "failed" in states(units)["bpref"]


@pytest.mark.parametrize(("status", "state"), [("3", "not offered"), ("1", "failed")])
def test_a_status_speaks_for_the_whole_case(some, recorded, status, state):
    assert {state} == set().union(*states(tried(some, recorded(status=status))).values())


def test_a_call_that_is_to_be_refused_passes_with_any_failure(some):
    refused = [case for case in conformance.cases(some, "10.0") if case.lines is None]
    assert len(refused) > 10
    for status, state in (("1", "passed"), ("0", "failed"), ("3", "not offered")):
        (unit,) = conformance.tried(refused[0], [sys.executable, "-c", f"raise SystemExit({status})"])
        assert state == unit.state


@pytest.mark.skipif(sys.platform == "win32", reason="there a status does not say that a process was killed")
def test_a_command_that_crashes_refuses_nothing(some):
    refused = [case for case in conformance.cases(some, "10.0") if case.lines is None]
    program = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    (unit,) = conformance.tried(refused[0], [sys.executable, "-c", program])
    assert "failed" == unit.state


def test_a_command_that_hangs_fails_each_case_once_at_least(some, monkeypatch):
    monkeypatch.setattr(conformance, "SECONDS", 0.05)
    every = [*conformance.cases(some, "10.0")]
    refused = next(case for case in every if case.lines is None)
    silent = refused._replace(lines=())
    for case in (every[0], refused, silent):
        units = conformance.tried(case, [sys.executable, "-c", "import time; time.sleep(60)"])
        assert {"failed"} == {unit.state for unit in units}


def test_the_command_line_tells_what_failed_and_writes_counts(some, recorded, tmp_path, capsys):
    shutil.rmtree(some / "differences")
    (some / "differences").mkdir()
    for section in conformance.SECTIONS:
        (some / "differences" / f"{section}.toml").write_text('title = "x"\nrow = []\n')
    command = recorded("text.replace('0.1201', '0.1202\\x1b[31m')")
    status = conformance.main(["--cases", str(some), "-v", "--json", str(tmp_path / "counts"), *command])
    printed = capsys.readouterr().out
    assert 1 == status
    assert "000: bpref: -m bpref -m gm_bpref -m infAP -m gm_map -q -J\n  - bpref all 0.1201\n" in printed
    assert "\x1b" not in printed
    counts = json.loads((tmp_path / "counts").read_text())
    assert 1 == sum(count["failed"] for count in counts.values())
    assert 0 == conformance.main(["--cases", str(some), *recorded()])


def test_without_cases_it_says_where_they_are(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        conformance.main(["--cases", str(tmp_path), "trec_eval"])
    assert 2 == ended.value.code
    assert "checkout or source distribution" in capsys.readouterr().err


def test_a_command_that_is_not_there_is_an_error(some, capsys):
    assert 2 == conformance.main(["--cases", str(some), "nowhere-to-be-found"])
    assert "nowhere-to-be-found: No such file" in capsys.readouterr().err


def test_what_is_no_program_and_a_file_that_cannot_be_written_are_errors(some, recorded, tmp_path, capsys):
    (tmp_path / "text").write_text("no program")
    (tmp_path / "text").chmod(0o755)
    nowhere = str(tmp_path / "nowhere" / "counts")
    for words in ([str(tmp_path / "text")], ["--json", nowhere, "--", *recorded()]):
        assert 2 == conformance.main(["--cases", str(some), *words])
        printed = capsys.readouterr()
        assert "" == printed.out
        assert 1 == printed.err.count("\n")
        assert "python tests/conformance.py: error: " + str(tmp_path) in printed.err


@pytest.mark.thorough
@pytest.mark.skipif(TREC_EVAL is None, reason="there is no trec_eval on PATH")
def test_trec_eval_passes_all_that_was_recorded_of_it(capsys):
    units = tried(ROOT / "tests", [TREC_EVAL])
    assert [] == [unit for unit in units if unit.state != "passed"]
    assert len(units) > 400


@pytest.mark.thorough
def test_irev_passes_the_rows_of_differences(some):
    rows = [case for case in conformance.cases(some, "10.0") if case.section]
    assert len(rows) > 50
    for case in rows[::7]:
        for unit in conformance.tried(case, [sys.executable, "-m", "irev", "eval"]):
            assert "passed" == unit.state, (case, unit)


@pytest.mark.thorough
@pytest.mark.parametrize("peer", ["pytrec_eval", "ir_measures", "trectools", "ranx"])
def test_an_adapter_prints_what_trec_eval_does_of_a_plain_case(tmp_path, peer):
    pytest.importorskip(peer)
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c 1\nq2 0 d 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 1 t\nq2 Q0 x 1 2 t\nq2 Q0 d 2 1 t\n")
    command = [sys.executable, "-W", "ignore", str(ROOT / "benchmarks" / "adapter.py"), peer]
    asked = ["-q", "-m", "map", "-m", "P.2", "-m", "utility", str(tmp_path / "qrels"), str(tmp_path / "run")]
    kept = environment()
    kept.pop("PYTHONWARNINGS", None)
    done = subprocess.run([*command, *asked], capture_output=True, text=True, env=kept)
    expected = {"map q1 0.8333", "map q2 0.5000", "map all 0.6667", "P_2 q1 0.5000", "P_2 q2 0.5000", "P_2 all 0.5000"}
    if peer == "pytrec_eval":
        expected |= {"utility q1 1.0000", "utility q2 0.0000", "utility all 0.5000"}
    assert (0, expected) == (done.returncode, {" ".join(line.split()) for line in done.stdout.splitlines()}), (
        done.stderr
    )
    assert ("not offered: utility" in done.stderr) == (peer != "pytrec_eval")
    done = subprocess.run([*command, "-M", "2", *asked], capture_output=True, text=True, env=kept)
    assert (3, "") == (done.returncode, done.stdout)


def test_the_page_has_a_column_for_each_tool():
    text = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    head = text.split("<!-- tools: begin -->\n")[1].splitlines()[0]
    for tool in ("irev", "trec_eval 10.0", "trec_eval 9.0.8", "pytrec_eval", "ir_measures"):
        assert f"| {tool}" in head
