"""The command as a shell sees it: options, files, exit status, standard output and standard error, and tables."""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unicodedata
from pathlib import Path

import pytest
from conftest import QRELS, RUN, Started, all_of_terminal, environment
from hostile import IDS
from outcomes import no_traceback, refused

from irev import __version__
from irev.base.text import disambiguate
from irev.reading import block

NUMBERS = re.compile(rb"num_q +\tall\t2\n")


# Exit status


def test_an_evaluation_ends_with_0_and_its_numbers(process, folder):
    status, stdout, stderr = process("qrels", "run")

    assert 0 == status
    assert NUMBERS.search(stdout)
    assert no_traceback(stderr)


def test_no_arguments_end_with_2_and_the_help(process):
    status, stdout, stderr = process()

    assert (2, b"") == (status, stdout)
    assert stderr.startswith("Usage: irev")


@pytest.mark.parametrize(
    "fault", [ZeroDivisionError("divided"), KeyError(b"1"), AssertionError(), RecursionError("deep")]
)
def test_a_fault_of_irev_ends_with_70_and_a_short_report(irev, folder, monkeypatch, fault):
    def broken(*_):
        raise fault

    monkeypatch.setattr("irev.evaluation.scores.evaluate_summary", broken)
    monkeypatch.delenv("IREV_TRACEBACK", raising=False)
    status, stdout, stderr = irev("qrels", "run")

    assert (70, b"") == (status, stdout)
    assert f"irev: internal error: {type(fault).__name__}" in stderr
    assert "This is a fault of irev" in stderr
    assert "test_command_line.py" in stderr, "it says where"
    assert len(stderr.splitlines()) <= 3
    assert no_traceback(stderr)


def test_a_fault_shows_its_traceback_to_whoever_asks_for_it(irev, folder, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("divided")

    monkeypatch.setattr("irev.evaluation.scores.evaluate_summary", broken)
    monkeypatch.setenv("IREV_TRACEBACK", "1")

    assert "Traceback" in irev("qrels", "run").stderr


def test_a_fault_in_a_thread_ends_with_70_too(irev, folder, monkeypatch):
    """Long enough for several chunks, of which the first is worked on without threads."""
    (folder / "long").write_bytes(b"".join(b"%d Q0 d 1 1.0 tag\n" % n for n in range(50_000)))
    main, doubt = threading.get_ident(), block._doubt

    def broken_elsewhere(*arguments):
        if threading.get_ident() != main:
            raise ZeroDivisionError("divided")
        return doubt(*arguments)

    monkeypatch.setattr("irev.reading.chunks.SIZE", 1 << 16)
    monkeypatch.setattr("irev.reading.chunks.processors", lambda: 2)
    monkeypatch.setattr("irev.reading.block._doubt", broken_elsewhere)
    status, stdout, stderr = irev("qrels", "long")

    assert (70, b"") == (status, stdout)
    assert no_traceback(stderr)


def test_too_little_memory_is_said_to_be_that(irev, folder, monkeypatch):
    def too_large(*_):
        raise MemoryError

    monkeypatch.setattr("irev.evaluation.scores.evaluate_summary", too_large)
    status, stdout, stderr = irev("qrels", "run")

    said = "irev: error: memory ran out; evaluate fewer runs, queries or measures at a time\n"
    assert (2, b"", said) == (status, stdout, stderr)


COMMAND = [sys.executable, "-m", "irev"]

# Windows has neither these pipes nor this signal.
if hasattr(os, "mkfifo"):
    # Where a shell started the tests in the background, their children ignore Ctrl-C unless told otherwise.
    LISTENING = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from irev.__main__ import command; command()"
    )

    @pytest.mark.thorough
    @pytest.mark.parametrize("begun", [0, 100, 6 << 20], ids=["nothing", "a few lines", "several chunks"])
    @pytest.mark.parametrize("position", [0, 1], ids=["qrels", "run"])
    def test_control_c_while_waiting_for_a_pipe_ends_with_130(folder, position, begun):
        """So much is written to the pipe, and then no more."""
        os.mkfifo("pipe")
        files = ["qrels", "run"]
        files[position] = "pipe"
        lines = b"%d 0 d%d 1\n" if position == 0 else b"%d Q0 d%d 1 1.5 tag\n"
        data = b"".join(lines % (n // 10, n) for n in range(begun // 10))[:begun]
        with Started(
            [sys.executable, "-c", LISTENING, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        ) as running:
            try:
                with open("pipe", "wb") as stream:  # waits until irev opens it
                    stream.write(data)
                    stream.flush()
                    time.sleep(0.3)
                    running.send_signal(signal.SIGINT)
                    stdout, stderr = running.communicate(timeout=10)
            finally:
                running.kill()

        assert (130, b"", b"") == (running.returncode, stdout, stderr.strip())


# Standard output


# A shell, to close what Python would rather keep open.
if shutil.which("sh"):

    def in_shell(redirected: str, *arguments: str) -> subprocess.CompletedProcess:
        """Run ``irev ARGUMENTS`` with the redirection of a shell."""
        script = f'exec "$@" {redirected}'
        return subprocess.run(
            ["sh", "-c", script, "sh", *COMMAND, *arguments], capture_output=True, timeout=60, env=environment()
        )

    @pytest.mark.parametrize("arguments", [("qrels", "run"), ("--help",), ("--version",), ("-v",), ("eval", "-h")])
    def test_closed_standard_output_is_an_error(folder, arguments):
        done = in_shell(">&-", *arguments)

        assert 2 == done.returncode
        assert b"irev: error: the output cannot be written: it is closed" in done.stderr
        assert no_traceback(done.stderr.decode())

    def test_closed_standard_output_is_nothing_to_whom_writes_a_file(folder):
        done = in_shell(">&-", "qrels", "run", "-o", "written")

        assert 0 == done.returncode
        assert in_shell("", "qrels", "run").stdout == Path("written").read_bytes()

    @pytest.mark.parametrize("redirected", ["2>&-", *(["2>/dev/full"] if os.path.exists("/dev/full") else [])])
    def test_numbers_come_even_when_nobody_can_hear_the_notes(folder, redirected):
        done = in_shell(redirected, "qrels", "run")

        assert (0, b"") == (done.returncode, done.stderr)
        assert NUMBERS.search(done.stdout)

    @pytest.mark.parametrize("redirected", ["2>&-", *(["2>/dev/full"] if os.path.exists("/dev/full") else [])])
    def test_the_status_is_that_of_the_fault_even_when_nobody_can_hear_of_it(folder, redirected):
        assert 2 == in_shell(redirected, "qrels", "missing").returncode

    def test_closed_standard_input_is_an_error_for_whom_reads_it(folder):
        done = in_shell("<&-", "qrels", "-")

        assert 2 == done.returncode
        assert b"irev: error: <stdin>: standard input is closed; name a file, or pipe one to irev\n" == done.stderr
        assert no_traceback(done.stderr.decode())

    def test_closed_standard_input_is_nothing_to_whom_reads_files(folder):
        assert 0 == in_shell("<&-", "qrels", "run").returncode


# A device that is always full; not on macOS and Windows.
# What is imported


def imported(*arguments: str) -> set[str]:
    """The heavy packages that a command imports."""
    code = (
        "import sys; from irev.__main__ import main; sys.argv[0] = 'irev'; main();"
        "print('', *{'numpy', 'rich', 'scipy'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, timeout=60, env=environment())
    return set(done.stderr.decode().splitlines()[-1].split())


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("-h",), ("--version",), ("-v",), ("eval", "--help"), ("eval", "-Zx"), ()],
)
def test_help_version_and_wrong_usage_import_nothing_heavy(folder, arguments):
    assert set() == imported(*arguments)


def test_an_evaluation_imports_what_it_uses(folder):
    assert {"numpy"} == imported("eval", "qrels", "run")
    assert {"numpy"} == imported("-q", "-mall_trec", "-c", "-o", "out", "qrels", "run")
    assert {"numpy", "rich"} == imported("-ftable", "qrels", "run")


# The command line


def same(irev, one: str, other: str) -> None:
    """Assert that two command lines give the same output, and a good one."""
    first, second = irev(*one.split()), irev(*other.split())

    assert 0 == first.status, first.stderr
    assert first == second


ALIKE = [
    ("qrels run", "eval qrels run"),
    ("-q qrels run", "eval -q qrels run"),
    ("qrels run -q", "eval -q qrels run"),
    ("qrels -q run", "eval -q qrels run"),
    ("-qc qrels run", "-q -c qrels run"),
    ("-qcnJ -l2 qrels run", "-q -c -n -J -l 2 qrels run"),
    ("-qcJl2 qrels run", "-q -c -J -l 2 qrels run"),
    ("-qM100 qrels run", "-q -M 100 qrels run"),
    ("-M100 qrels run", "-M 100 qrels run"),
    ("-M1 -M100 qrels run", "-M 100 qrels run"),
    ("-qqq qrels run", "-q qrels run"),
    ("-mP.5,10 qrels run", "-m P.5,10 qrels run"),
    ("-qmmap qrels run", "-q -m map qrels run"),
    ("-mmap -mP.5 -mmap qrels run", "-m P.5 -m map qrels run"),
    ("-m P_5 -m P_10 qrels run", "-m P.5,10 qrels run"),
    ("-m official qrels run", "qrels run"),
    ("--per-query qrels run", "-q qrels run"),
    ("--query_eval_wanted qrels run", "-q qrels run"),
    ("-q --no-summary qrels run", "-qn qrels run"),
    ("-q --nosummary qrels run", "-qn qrels run"),
    ("--complete qrels run", "-c qrels run"),
    ("--complete_rel_info_wanted qrels run", "-c qrels run"),
    ("--level 2 qrels run", "-l2 qrels run"),
    ("--level=2 qrels run", "-l2 qrels run"),
    ("--level_for_rel 2 qrels run", "-l2 qrels run"),
    ("--level_for_rel=2 qrels run", "-l2 qrels run"),
    ("-l +2 qrels run", "-l2 qrels run"),
    ("--depth 1 qrels run", "-M1 qrels run"),
    ("--Max_retrieved_per_topic=1 qrels run", "-M1 qrels run"),
    ("--judged-only qrels run", "-J qrels run"),
    ("--Judged_docs_only qrels run", "-J qrels run"),
    ("-m utility.0,0,0,1 --collection-size 9 qrels run", "-m utility.0,0,0,1 -N9 qrels run"),
    ("-m utility.0,0,0,1 --Number_docs_in_coll 9 qrels run", "-m utility.0,0,0,1 -N9 qrels run"),
    ("--measure map --measure=P.5 qrels run", "-mmap -mP.5 qrels run"),
    ("--format trec qrels run", "qrels run"),
    ("--format=table qrels run", "-ftable qrels run"),
    ("-R qrels -T trec_results qrels run", "qrels run"),
    ("-Rqrels --Results_format=trec_results qrels run", "qrels run"),
    ("-D 0 qrels run", "qrels run"),
    ("--compat 10.0 qrels run", "qrels run"),
    ("-q -- qrels run", "-q qrels run"),
    ("eval -- qrels run", "qrels run"),
    ("./qrels ./run", "./qrels ./run"),
    ("-o - qrels run", "qrels run"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("one", "other"), ALIKE, ids=[one for one, _ in ALIKE])
def test_two_ways_to_say_the_same(irev, folder, one, other):
    same(irev, one, other)


def test_options_make_a_difference(irev, folder):
    """Two ways to say the same could otherwise both say nothing."""
    commands = ("", "-q", "-qn", "-c", "-l2", "-M1", "-J", "-qc", "-mmap", "-ftable", "-ftable -q", "-D 0.2")
    outputs = [irev(*command.split(), "qrels", "run").stdout for command in commands]

    assert len(commands) == len(set(outputs))


def test_a_query_asked_for_by_d_is_evaluated_alone(irev, folder):
    status, stdout, stderr = irev("-q", "-D0.2", "-mmap", "-mnum_q", "qrels", "run")

    assert b"num_q                 \tall\t1\n" in stdout
    assert {b"2", b"all"} == {line.split(b"\t")[1] for line in stdout.splitlines()}
    assert (0, "") == (status, stderr)
    refused(irev("-D0.9", "qrels", "run"), "query '9'")


def test_files_may_be_called_like_commands_and_options(irev, process, folder):
    expected = irev("-q", "qrels", "run")
    shutil.copy("qrels", "eval")
    shutil.copy("run", "-q")

    assert expected.stdout == process("eval", "-q", "eval", "run").stdout
    assert expected.stdout == irev("eval", "-q", "--", "eval", "-q").stdout
    assert expected.stdout == irev("-q", "./eval", "run").stdout
    assert expected.stdout == irev("-q", "eval", "run").stdout


@pytest.mark.parametrize(
    ("guessed", "meant"),
    {
        "fusion": "fuse",
        "abtest": "online ab",
        "ab-test": "online ab",
        "interleave": "online interleave",
        "clicks": "online preference' or 'irev online ab",
        "ttest": "compare --test t",
        "sign test": "compare --test sign",
        "ndcg": "eval -m ndcg",
        "f1": "eval -m f1",
    }.items(),
)
def test_a_guessed_command_is_answered_with_the_one_that_is_meant(irev, folder, guessed, meant):
    refused(irev(guessed, "qrels", "run"), f"there is no file or command '{guessed}'; did you mean 'irev {meant}'?")
    assert 0 == irev(*meant.split("'")[0].split(), "--help").status
    Path(guessed).write_bytes(Path("qrels").read_bytes())
    assert irev("qrels", "run") == irev(guessed, "run")


def test_a_misspelt_command_is_told_from_a_missing_file(irev, folder):
    refused(irev("evla", "qrels", "run"), "'evla'", "did you mean 'irev eval'?")
    refused(irev("missing", "run"), "missing: there is no such file")


HELP = [
    "--help",
    "-h",
    "eval --help",
    "eval -h",
    "eval -h missing",
    "-q -h",
    "eval qrels run -h",
    "eval -m nonsense -l x -h",
    "-qch",
    "-D1 -h",
]


@pytest.mark.parametrize("words", HELP)
def test_help_wins(irev, folder, words):
    status, stdout, stderr = irev(*words.split())

    assert (0, "") == (status, stderr)
    assert stdout.startswith(b"Usage: irev")
    assert max(len(line) for line in stdout.decode().splitlines()) <= 100


@pytest.mark.parametrize("words", ["--version", "-v"])
def test_version_is_on_standard_output(irev, words):
    assert (0, f"irev {__version__}\n".encode(), "") == irev(*words.split())


REFUSED_OPTIONS = [
    ("-f table --Zscore=file qrels run", "z-scores"),
    ("-D 1 qrels run", "no debug output"),
    ("-R pref qrels run", "there is no format of judgments 'pref'; did you mean 'prefs' or 'prels'?"),
    ("-l -0.5 qrels run", "'-0.5' is not a number of 0 or more"),
    ("-l nan qrels run", "'nan' is not a number"),
    ("-l inf qrels run", "'inf' is not a number"),
    ("-l 1_0 qrels run", "'1_0' is not a number"),
    ("-l 1,5 qrels run", "'1,5' is not a number"),
    ("-l ٣ qrels run", "is not a number"),
    ("-l " + "9" * 5000 + " qrels run", "is not a number of 0 or more"),
    ("-N 1e6 qrels run", "'1e6' is not a whole number"),
    ("--query qrels run", "--query_eval_wanted"),
    ("--Per-query qrels run", "--per-query"),
    ("--json qrels run", "there is no option '--json'; did you mean -f json?"),
    ("--resources x qrels run", "there is no option '--resources'; irev curves and irev report have it"),
    ("--norm z qrels run", "there is no option '--norm'; irev fuse has it"),
    ("-qx qrels run", "there is no option '-x'"),
    ("-f jsno qrels run", "'json'"),
    ("-m", "-m"),
    ("--compat 9.0.8 -m rbp qrels run", "9.0.8 has no measure 'rbp'"),
    ("eval", "expected QRELS and at least one RUN"),
    ("qrels run nowhere", "there is no such file"),
    ("-q", "expected QRELS and at least one RUN"),
]


@pytest.mark.parametrize(("words", "fact"), REFUSED_OPTIONS, ids=[words[:40] for words, _ in REFUSED_OPTIONS])
def test_what_cannot_be_done_is_refused_with_a_sentence(irev, folder, words, fact):
    refused(irev(*words.split()), fact)


def test_usage_is_refused_before_any_file_is_read(irev):
    refused(irev("-m", "nonsense", "missing", "missing"), "'nonsense'")


# Files


def test_a_fault_in_standard_input_is_named_with_its_line(irev, folder):
    refused(irev("qrels", "-", stdin=RUN + b"x\n"), "<stdin>:7: 1 field")
    refused(irev("-", "run", stdin=b""), "<stdin>: the file is empty")


def test_one_file_may_be_named_twice_and_is_then_wrong_for_one_of_them(irev, folder):
    refused(irev("qrels", "qrels"), "qrels:1: 4 fields", "expected 6 fields")


@pytest.mark.parametrize("position", [0, 1])
def test_files_that_cannot_be_used_are_named(irev, folder, position):
    def with_file(name: str) -> tuple[str, str]:
        return (name, "run") if position == 0 else ("qrels", name)

    (folder / "empty").touch()
    (folder / "a folder").mkdir()

    refused(irev(*with_file("missing")), "missing: there is no such file")
    remedy = "this is a directory; expected a file" if position == 0 else "there are no files in this folder"
    refused(irev(*with_file("a folder")), f"a folder: {remedy}")
    refused(irev(*with_file("empty")), "empty: the file is empty")
    refused(irev(*with_file("run/x")), "run/x: ")
    refused(irev(*with_file("\N{SNOWMAN}")), "\N{SNOWMAN}: there is no such file")
    refused(irev(*with_file("")), "there is no such file")


# Where several runs are expected a folder is read file by file, and a pipe in it is waited for.
IN_PLACE_OF_A_FILE = [
    ["eval", "F", "run"],
    ["eval", "qrels", "@F"],
    ["eval", "--queries", "F", "qrels", "run"],
    ["eval", "--groups", "F", "qrels", "run"],
    ["eval", "--costs", "F", "-m", "TBG", "qrels", "run"],
    ["compare", "F", "run"],
    ["compare", "--scores", "F", "F"],
    ["check", "--config", "F", "qrels", "run"],
    ["check", "--min", "AP=0", "--baseline", "F", "qrels", "run"],
    ["check", "--min", "AP=0", "--baseline-run", "F", "qrels", "run"],
    ["diff", "--titles", "F", "qrels", "run", "run2"],
    ["explain", "--query", "1", "--documents", "F", "qrels", "run"],
    ["judges", "F", "qrels"],
    ["show", "F"],
    ["pool", "--depth", "3", "--judged", "F", "run"],
    ["online", "ab", "F"],
    ["online", "off-policy", "run", "--propensities", "F", "qrels"],
    ["validate", "F", "run"],
    ["validate", "--topics", "F", "qrels", "run"],
]


@pytest.mark.parametrize("inside", ["dangling", "pipe"])
@pytest.mark.parametrize("arguments", IN_PLACE_OF_A_FILE, ids=" ".join)
def test_a_folder_in_place_of_a_file_is_refused_whatever_is_in_it(irev, folder, arguments, inside):
    (folder / "F").mkdir()
    if inside == "dangling":
        (folder / "F" / "x").symlink_to("nowhere")
    elif hasattr(os, "mkfifo"):
        os.mkfifo(folder / "F" / "x")
    else:
        pytest.skip("there are no named pipes")
    shutil.copy("run", "run2")
    status, stdout, stderr = irev(*arguments)
    assert 2 == status
    said = stdout.decode() + stderr  # validate says it as data
    words = "this is a directory", "this is not a file", "F/x: cannot be opened"
    assert any(word in said for word in words), said


# Names that are no text, on systems that have them.
if sys.platform.startswith("linux"):

    def test_file_names_that_are_no_text_are_opened_and_named(process, folder):
        name = os.fsdecode(b"r\xffn")
        refused(process("qrels", name), "there is no such file")
        shutil.copy("run", name)

        assert process("qrels", "run").stdout == process("qrels", name).stdout

    @pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
    def test_messages_and_tables_survive_a_plain_locale(process, folder, locale):
        (folder / "e.qrels").write_bytes("é 0 a 1\nü 0 a 1\n".encode())
        (folder / "e.run").write_bytes("é Q0 a 1 1 täg\nx Q0 a 1 1 täg\n".encode())
        for style in ("trec", "table"):
            status, _, stderr = process("-q", "-f", style, "e.qrels", "e.run", LC_ALL=locale, PYTHONIOENCODING="ascii")
            assert 0 == status
            assert no_traceback(stderr)


# The superuser may read everything, and Windows has other rights.
if hasattr(os, "geteuid") and os.geteuid() != 0:

    def test_a_file_that_may_not_be_read_is_named(irev, folder):
        os.chmod("run", 0)
        refused(irev("qrels", "run"), "run: cannot be opened (Permission denied)")

    def test_a_folder_that_may_not_be_written_to_is_named(irev, folder):
        (folder / "sealed").mkdir(mode=0o500)
        refused(
            irev("-o", "sealed/out", "qrels", "run"), "sealed/out: the output cannot be written (Permission denied)"
        )


# The output file


@pytest.mark.parametrize("step", ["os.replace", "irev.cli.output.open", "os.chmod"])
def test_a_failed_write_leaves_the_older_output_file_and_nothing_else(irev, folder, monkeypatch, step):
    def failing(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    Path("out").write_bytes(b"old")
    monkeypatch.setattr(step, failing, raising=False)
    outcome = irev("-o", "out", "qrels", "run")
    monkeypatch.undo()

    refused(outcome, "out: the output cannot be written (No space left on device)")
    assert b"old" == (folder / "out").read_bytes()
    assert ["out", "qrels", "run"] == sorted(os.listdir(folder))


def test_an_output_that_cannot_be_a_file_is_refused(irev, folder):
    (folder / "a folder").mkdir()
    refused(irev("-o", "a folder", "qrels", "run"), "a folder: the output cannot be written")
    refused(irev("-o", "nowhere/out", "qrels", "run"), "nowhere/out: the output cannot be written")
    refused(irev("-o", "", "qrels", "run"))


# Rights and links as POSIX has them.
if os.name == "posix":

    def test_the_output_file_has_the_rights_of_any_new_file_or_of_the_older_one(irev, folder):
        Path("plain").touch()
        irev("-o", "out", "qrels", "run")
        assert oct(os.stat("plain").st_mode) == oct(os.stat("out").st_mode)

        os.chmod("out", 0o640)
        irev("-o", "out", "qrels", "run")
        assert oct(0o100640) == oct(os.stat("out").st_mode)

    def test_a_link_stays_a_link_to_the_new_output(irev, folder):
        Path("target").write_bytes(b"old")
        os.symlink("target", "link")
        irev("-o", "link", "qrels", "run")

        assert os.path.islink("link")
        assert irev("qrels", "run").stdout == Path("target").read_bytes()

# Notes


def test_queries_left_out_are_counted_and_named(irev, folder):
    stderr = irev("qrels", "run").stderr

    assert "run: judged query 3 has no results and is left out (-c counts it)" in stderr
    assert "run: query 4 has no judgments and is left out" in stderr
    assert 2 == len(stderr.splitlines())


def test_of_many_queries_left_out_five_are_named(irev, folder):
    (folder / "more").write_bytes(QRELS + b"".join(b"m%d 0 a 1\n" % n for n in range(7)))
    (folder / "run").write_bytes(RUN + b"".join(b"r%d Q0 a 1 1 tag\n" % n for n in range(6)))
    stderr = irev("more", "run").stderr

    assert "8 judged queries have no results and are left out (-c counts them): 3, m0, m1, m2, m3 and 3 more" in stderr
    assert "7 queries have no judgments and are left out: 4, r0, r1, r2, r3 and 2 more" in stderr


def test_files_that_agree_give_no_notes(irev, folder):
    (folder / "agreeing").write_bytes(b"1 0 a 1\n2 0 a 1\n4 0 a 1\n")

    assert "" == irev("agreeing", "run").stderr


def test_differing_run_ids_are_noted(irev, folder):
    (folder / "run").write_bytes(RUN.replace(b"tag", b"other", 1))
    status, stdout, stderr = irev("qrels", "run")

    assert (0, True) == (status, stdout.startswith(b"runid                 \tall\ttag\n"))
    assert "run: run ids differ, among them 'other'; runid is that of the last row, 'tag'" in stderr


# Ids are data

NASTY = pytest.mark.parametrize("name", IDS.values(), ids=IDS)


def nasty_files(folder: Path, name: bytes) -> None:
    """Files in which everything is called like that."""
    (folder / "qrels").write_bytes(b"%b 0 %b 1\nlacking%b 0 a 1\n" % (name, name, name))
    (folder / "run").write_bytes(b"%b Q0 %b 1 1.0 %b\nextra%b Q0 a 1 1.0 %b\n" % (name, name, name, name, name))


@NASTY
def test_ids_are_written_as_they_are_in_trec_style(irev, folder, name):
    nasty_files(folder, name)
    stdout = irev("-q", "-mrunid", "-mmap", "qrels", "run").stdout
    query = disambiguate(name)  # `all` in quotes

    assert b"map                   \t%b\t1.0000\nrunid                 \tall\t%b\n" % (query, name) in stdout


# Tables


def width(line: str) -> int:
    """Columns of a terminal that the line takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in line)


@pytest.fixture
def table(irev, monkeypatch):
    """``table(columns, *arguments)`` is the table on a screen of that width, as lines."""

    def table(columns: int, *arguments: str) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        status, stdout, _ = irev("-f", "table", *arguments)
        assert 0 == status
        return stdout.decode("utf-8").splitlines()

    return table


WIDE = "日本語の検索質問番号"


def wide_files(folder: Path) -> None:
    """Files with ids that take two columns a character, and with long ones."""
    (folder / "qrels").write_bytes(QRELS + f"{WIDE} 0 a 1\n{'long-' * 20} 0 a 1\n".encode())
    (folder / "run").write_bytes(
        RUN + f"{WIDE} Q0 a 1 1.0 {'tag-' * 30}\n{'long-' * 20} Q0 a 1 1.0 {WIDE * 3}\n".encode()
    )


@pytest.mark.parametrize("columns", [200, 80, 40])
def test_a_summary_shows_the_numbers_of_trec_style(irev, table, folder, columns):
    expected = [line.split() for line in irev("qrels", "run").stdout.decode().splitlines()]
    rows = [line.split() for line in table(columns, "--names=trec", "qrels", "run")]

    assert [] == [row for label, _, *row in expected if [label, *row] not in rows]


@pytest.mark.parametrize("columns", [200, 80, 40])
def test_every_number_of_every_query_stands_in_some_table(irev, table, folder, columns):
    measures = ("-mnum_ret", "-mmap", "-mRprec", "-mbpref", "-mrecip_rank", "-mP.5,10,20", "-mG", "-mrbp")
    stdout = irev("-q", *measures, "qrels", "run").stdout.decode()
    expected: dict[str, list[str]] = {}
    for line in stdout.splitlines():
        _, query, value = line.split()
        expected.setdefault(query, []).append(value)
    found: dict[str, list[str]] = {}
    for line in table(columns, "-q", *measures, "qrels", "run"):
        first, *values = line.split() or [""]
        if first in expected and all(re.fullmatch(r"-?\d+(\.\d+)?", value) for value in values):
            found.setdefault(first, []).extend(values)

    assert expected == found


def test_every_label_heads_a_column(table, folder):
    labels = ["num_ret", "map", "Rprec", "bpref", "recip_rank", "P_5", "P_10"]
    lines = table(80, "-q", "--names=trec", *(f"-m{label}" for label in labels), "qrels", "run")
    heads = "".join("".join(lines).split())

    assert [] == [label for label in labels if not all(word in heads for word in label.split("_"))]


def test_tables_have_standard_names_and_lines_those_of_trec_eval_unless_asked_otherwise(irev, table, folder):
    asked = ("-mnDCG@10", "-mAP(rel=2)", "-mrecip_rank.3", "qrels", "run")
    lines = ["ndcg_cut_10", "recip_rank_3", "map_rel=2"]
    standard = ["nDCG@10", "RR@3", "AP(rel=2)"]

    assert sorted(lines) == sorted(first_words(irev(*asked).stdout.decode().splitlines()))
    assert sorted(standard) == sorted(first_words(irev("--names=standard", *asked).stdout.decode().splitlines()))
    assert set(standard) <= set(first_words(table(80, *asked)))
    assert set(lines) <= set(first_words(table(80, "--names=trec", *asked)))


def first_words(lines: list[str]) -> list[str]:
    """The first word of each line that has any."""
    return [line.split()[0] for line in lines if line.split()]


def test_a_query_called_all_is_told_apart_in_every_output(irev, table, write):
    judged = write(b"all 0 a 1\nx 0 a 1\n", "q")
    run = write(b"all Q0 a 1 2 t\nx Q0 b 1 2 t\n", "r")

    assert irev("-q", "-mmap", judged, run).stdout.decode().splitlines() == [
        'map                   \t"all"\t1.0000',
        "map                   \tx\t0.0000",
        "map                   \tall\t0.5000",
    ]
    assert ['"all"', "1.0000"] in [line.split() for line in table(80, "-q", "-mmap", judged, run)]


# Pseudo terminals; not on Windows.
if os.name == "posix":
    import fcntl
    import pty
    import struct
    import termios

    def on_terminal(columns: int, *arguments: str, **changes: str) -> tuple[int, str]:
        """Run the command on a terminal of that width: its status and what the terminal got."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        given = {
            name: value
            for name, value in environment(TERM="xterm", **changes).items()
            if name not in ("COLUMNS", "LINES")
        }
        with Started([*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=given) as running:
            os.close(theirs)
            found = all_of_terminal(ours)
            running.stderr.read()
        return running.returncode, found.decode("utf-8").replace("\r\n", "\n")

    ESCAPE = re.compile(r"\x1b\[[0-9;]*m")

    @pytest.mark.parametrize("columns", [80, 40])
    def test_a_table_on_a_terminal_fits_it_and_has_colours_or_weights(folder, columns):
        wide_files(folder)
        status, text = on_terminal(columns, "-q", "-ftable", "-mall_trec", "qrels", "run")
        plain = ESCAPE.sub("", text)

        assert 0 == status
        assert ESCAPE.search(text)
        assert "\x1b" not in plain
        assert [] == [line for line in plain.splitlines() if width(line) > columns]
        assert columns // 2 < max(width(line) for line in plain.splitlines())

    def test_ways_to_fuse_are_told_in_the_columns_of_a_terminal_and_no_word_is_broken(irev, folder):
        status, text = on_terminal(50, "fuse", "--list")

        assert 0 == status
        assert [] == [line for line in text.splitlines() if width(line) > 50]
        assert irev("fuse", "--list").stdout.decode().split() == text.split()

    def test_no_color_is_respected_on_a_terminal(folder):
        assert "\x1b" not in on_terminal(80, "-q", "-ftable", "qrels", "run", NO_COLOR="1")[1]

    @pytest.mark.parametrize(
        ("changes", "coloured"),
        [
            ({}, False),
            ({"FORCE_COLOR": "1"}, True),
            ({"CLICOLOR_FORCE": "1"}, True),
            ({"FORCE_COLOR": "0", "CLICOLOR_FORCE": "0"}, False),
            ({"FORCE_COLOR": "", "CLICOLOR_FORCE": ""}, False),
            ({"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "GITHUB_ACTIONS": "true", "NO_COLOR": "1"}, False),
            ({"GITHUB_ACTIONS": "true"}, True),
            ({"GITHUB_ACTIONS": "false"}, False),
        ],
        ids=str,
    )
    def test_colours_are_had_for_the_asking_and_in_the_log_of_github(folder, changes, coloured):
        arguments = ("-q", "-ftable", "qrels", "run")
        piped = subprocess.run([*COMMAND, *arguments], capture_output=True, env=environment(**changes)).stdout

        assert coloured == (b"\x1b[" in piped)
        plain = subprocess.run([*COMMAND, *arguments], capture_output=True, env=environment()).stdout
        assert plain.decode().splitlines() == [each.rstrip() for each in ESCAPE.sub("", piped.decode()).splitlines()]

    @pytest.mark.parametrize("how", [("-o", "out"), ()], ids=["-o", ">"])
    def test_a_file_has_no_colours_though_github_is_there(folder, how):
        with open("standard", "wb") as stream:
            command = [*COMMAND, "-q", "-ftable", *how, "qrels", "run"]
            subprocess.run(command, stdout=stream, env=environment(GITHUB_ACTIONS="true"), stderr=subprocess.PIPE)
        assert b"\x1b" not in Path("out" if how else "standard").read_bytes()

    def test_the_table_on_a_terminal_is_the_piped_one_but_for_its_colours(irev, folder):
        piped = irev("-q", "-ftable", "qrels", "run").stdout.decode()

        shown = ESCAPE.sub("", on_terminal(80, "-q", "-ftable", "qrels", "run")[1])

        assert piped.splitlines() == [line.rstrip() for line in shown.splitlines()]

    def test_trec_style_is_the_same_on_a_terminal(irev, folder):
        assert irev("-q", "qrels", "run").stdout.decode() == on_terminal(80, "-q", "qrels", "run")[1]
