"""Many runs at once: each as if it were alone, in the order given, whoever evaluates it; their names, groups, and
several sets of judgments."""

import contextlib
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Started, environment
from outcomes import refused

from irev.base.errors import InputError, UsageError
from irev.base.settings import Settings
from irev.cli import output as progress
from irev.evaluation.batch import LITTLE, Batch, Processes, Task, how_many, local
from irev.evaluation.batch import outcome as outcome_of
from irev.evaluation.files import names_of
from irev.measures import parse
from irev.reading import qrels
from irev.reading.sources import Source

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq2 0 c 1\nq3 0 d 1\n"
RUNS = {
    "first": b"q1 Q0 a 1 3 one\nq1 Q0 b 2 2 one\nq2 Q0 c 1 2 one\nq3 Q0 x 1 1 one\n",
    "second": b"q1 Q0 b 1 3 two\nq1 Q0 a 2 2 two\nq2 Q0 a 1 2 two\nq3 Q0 d 1 1 two\n",
    "third": b"q1 Q0 a 1 3 three\nq2 Q0 x 1 2 three\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files, in the folder that the commands run in."""
    (tmp_path / "qrels").write_bytes(QRELS)
    for name, content in RUNS.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(outcome) -> list[list[str]]:
    """The fields of every line printed."""
    assert outcome.status == 0, outcome.stderr
    return [line.split() for line in outcome.stdout.decode().splitlines()]


# Each as if it were alone


@pytest.mark.parametrize("jobs", ["-j1", "-j2", "-j3", "--jobs=8"])
@pytest.mark.parametrize("options", [(), ("-q",), ("-mofficial", "-mnDCG@5", "-c"), ("-mrunid", "-mmap", "-q")])
def test_trec_output_of_several_runs_is_that_of_each_in_turn(irev, folder, jobs, options):
    asked = options if any(option.startswith("-m") for option in options) else (*options, "-mrunid", "-mmap", "-mP.1")
    expected = b"".join(irev(*asked, "qrels", name).stdout for name in RUNS)

    assert expected == irev(*asked, jobs, "qrels", *RUNS).stdout


def test_a_line_with_the_run_id_is_added_when_nobody_asked_for_it(irev, folder):
    assert [
        ["runid", "all", "one"],
        ["map", "all", "0.5000"],
        ["runid", "all", "two"],
        ["map", "all", "0.6667"],
    ] == [line for line in lines(irev("-mmap", "qrels", "first", "second")) if line[1] == "all"]


def test_without_summaries_the_run_id_comes_before_the_queries(irev, folder):
    found = lines(irev("-nq", "-mnum_ret", "qrels", "first", "third"))

    assert [["runid", "num_ret", "num_ret", "num_ret", "runid", "num_ret", "num_ret"], ["one", "three"]] == [
        [line[0] for line in found],
        [line[2] for line in found if line[0] == "runid"],
    ]


def test_runs_stand_in_the_order_given_and_may_be_listed_in_a_file(irev, folder):
    (folder / "list.txt").write_text("third\n\n  first  \n")

    assert (
        irev("-mmap", "qrels", "second", "third", "first").stdout
        == irev("-mmap", "qrels", "second", "@list.txt").stdout
    )


def test_an_empty_list_of_runs_is_an_error(irev, folder):
    (folder / "list.txt").write_text("\n")
    refused(irev("qrels", "@list.txt"), "list.txt: the file lists no runs")


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_of_several_faults_that_of_the_earliest_run_is_told_and_nothing_is_printed(irev, folder, jobs):
    (folder / "bad").write_bytes(b"q1 Q0 a 1 x t\n")
    (folder / "worse").write_bytes(b"q1 Q0 a\n")
    outcome = irev(jobs, "qrels", "first", "bad", "worse")
    refused(outcome, "bad:1: ")
    assert "worse" not in outcome.stderr


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_warnings_name_the_run_that_they_are_about(irev, folder, jobs):
    stderr = irev(jobs, "-mmap", "qrels", "first", "third").stderr

    assert "third: judged query q3 has no results and is left out" in stderr
    assert "first:" not in stderr


def test_measures_with_options_are_the_same_in_other_processes(irev, folder):
    measures = (
        "-mnDCG(gain=exp)@2",
        "-mERR(gmax=auto)",
        "-mAP(rel=2,agg=median)",
        "-mJudged(by=pooled)@2",
        "-mset_F.beta=2",
    )
    expected = irev("-q", "--bounds", "-mP.2", "qrels", "first", "second", "-j1")

    assert irev("-q", *measures, "-j1", "qrels", *RUNS).stdout == irev("-q", *measures, "-j2", "qrels", *RUNS).stdout
    assert expected.stdout == irev("-q", "--bounds", "-mP.2", "qrels", "first", "second", "-j2").stdout


# Names


def named(paths: list[str], tags: list[str], given: tuple[str, ...] = ()) -> tuple[list[str], list[str]]:
    """The names, and what was said of them."""
    said: list[str] = []
    return list(names_of(paths, tags, given, said.append)), said


def test_a_run_is_called_by_its_run_id():
    assert (["bm25", "dense"], []) == named(["a.run", "b.run"], ["bm25", "dense"])


def test_runs_that_share_a_run_id_are_called_by_their_files():
    names, said = named(["x/a.run.gz", "x/b.run", "c"], ["tag", "tag", "other"])

    assert ["a", "b", "other"] == names
    assert ["several runs have the run id 'tag'; their names are a, b"] == said
    names, said = named([f"run{n}" for n in range(58)], ["tag"] * 58)
    assert [f"run{n}" for n in range(58)] == names
    assert ["several runs have the run id 'tag'; their names are run0, run1, run2, run3, run4 and 53 more"] == said


def test_files_of_the_same_name_are_called_by_more_of_their_paths():
    assert ["a.run", "a.txt"] == named(["x/a.run", "x/a.txt"], ["tag", "tag"])[0]
    assert ["x/a.run", "y/a.run"] == named(["x/a.run", "y/a.run"], ["tag", "tag"])[0]
    assert ["x/a.run#1", "x/a.run#2"] == named(["x/a.run", "x/a.run"], ["tag", "tag"])[0]


def test_a_file_is_not_called_like_the_run_id_of_another():
    assert ["b.run", "c.run", "b"] == named(["b.run", "c.run", "d"], ["tag", "tag", "b"])[0]


def test_names_that_are_given_count():
    assert (["x", "y"], []) == named(["a", "b"], ["tag", "tag"], ("x", "y"))
    with pytest.raises(UsageError, match="two runs are called 'x'"):
        named(["a", "b"], ["t", "u"], ("x", "x"))
    with pytest.raises(UsageError, match="the names of two runs are 'x', except for blanks at the ends"):
        named(["a", "b"], ["t", "u"], ("x", " x\u00a0"))


def test_names_show_in_the_lines(irev, folder):
    found = lines(irev("-mmap", "qrels", "A=first", "B=second"))

    assert ["A", "B"] == [line[2] for line in found if line[0] == "runid"]


# Groups


def test_groups_have_means_of_their_own_and_their_sizes(irev, folder):
    (folder / "groups.tsv").write_text("q1\teasy\nq2\teasy\nq3\thard\n")

    assert [
        "map all 0.6667",
        "num_q all:easy 2",
        "map all:easy 0.5000",
        "num_q all:hard 1",
        "map all:hard 1.0000",
    ] == [" ".join(line) for line in lines(irev("-mmap", "--groups=groups.tsv", "qrels", "second"))]


def test_groups_without_a_query_that_counts_are_named(irev, folder):
    """As those of a file whose columns are swapped."""
    (folder / "groups.tsv").write_text("easy\tq1\nhard\tq2\n")
    told = irev("-mmap", "--groups=groups.tsv", "qrels", *RUNS).stderr

    assert "2 groups have no query that counts: q1, q2; a line of groups is query, tab, group" in told
    (folder / "groups.tsv").write_text("q1\teasy\n")
    assert "that counts" not in irev("-mmap", "--groups=groups.tsv", "qrels", *RUNS).stderr


def test_groups_may_be_json_and_need_not_have_every_query(irev, folder):
    (folder / "groups.tsv").write_text("q1\teasy\nq3\thard\n")
    (folder / "groups.json").write_text(json.dumps({"q1": "easy", "q3": "hard"}))
    first, second = (irev("-mmap", "-mP.1", f"--groups=groups.{kind}", "qrels", *RUNS) for kind in ("tsv", "json"))

    assert first == second
    assert "query q2 is in no group" in first.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("q1 easy\n", "groups:1: found 'q1 easy'; expected a query, a tab and its group"),
        ("q1\teasy\nq1\thard\n", "groups:2: query 'q1' occurs twice (first on line 1)"),
        ("\n", "groups: the file is empty; expected a query, a tab and its group"),
        ("{}", "groups: the file lists no groups"),
        ('{"q1": ["a"]}', "groups, entry 1: the group is an array; expected a text or a number"),
        ('{"q1": "a", "q1": "b"}', "query 'q1' occurs twice"),
        ('{"q1": ', "this is not JSON"),
    ],
)
def test_a_file_that_lists_no_groups_is_an_error(irev, folder, content, said):
    (folder / "groups").write_text(content)
    refused(irev("--groups=groups", "qrels", "first"), said)


# Several sets of judgments


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_every_run_is_evaluated_under_every_set_of_judgments(irev, folder, jobs):
    (folder / "strict").write_bytes(b"q1 0 b 1\nq2 0 a 1\n")
    found = lines(irev(jobs, "--qrels=human=qrels", "--qrels=model=strict", "-mmap", "first", "second"))

    assert [
        *("runid one", "qrels human", "map 0.5000", "runid one", "qrels model", "map 0.2500"),
        *("runid two", "qrels human", "map 0.6667", "runid two", "qrels model", "map 1.0000"),
    ] == [f"{label} {value}" for label, _, value in sorted_blocks(found)]


def sorted_blocks(found: list[list[str]]) -> list[list[str]]:
    """The lines of each run and set of judgments, the line with the run first."""
    blocks: list[list[list[str]]] = []
    for line in found:
        if line[0] == "qrels":
            blocks.append([])
        blocks[-1].append(line)
    return [
        line for block in blocks for line in sorted(block, key=lambda line: ("runid", "qrels", "map").index(line[0]))
    ]


def test_a_table_has_the_judged_share_under_each_set(irev, folder):
    (folder / "less").write_bytes(b"q1 0 a 1\n")
    output = irev("--qrels=all=qrels", "--qrels=less=less", "-ftable", "-mAP", "first", "second").stdout.decode()

    assert ["one", "all", "0.75", "0.5000"] in [line.split() for line in output.splitlines()]
    assert ["one", "less", "0.50", "1.0000"] in [line.replace("◂", "").split() for line in output.splitlines()]


def test_judgments_without_a_name_are_called_by_their_file(irev, folder):
    (folder / "deep").mkdir()
    (folder / "deep" / "less").write_bytes(b"q1 0 a 1\n")
    found = lines(irev("--qrels=qrels", "--qrels=deep/less", "-mmap", "first"))

    assert ["qrels", "less"] == [value for label, _, value in found if label == "qrels"]


def test_two_sets_of_judgments_have_two_names(irev, folder):
    refused(irev("--qrels=a=qrels", "--qrels=a=first", "second"), "two sets of judgments have the same name")


# Tables


def test_by_query_a_table_says_whose_value_is_best_and_worst(irev, folder):
    rows = [line.split() for line in irev("-q", "-ftable", "-mRR", "qrels", *RUNS).stdout.decode().splitlines()]

    assert ["query", "best", "median", "worst", "spread", "best", "run", "worst", "run"] in rows
    assert ["q1", "1.0000", "1.0000", "0.5000", "0.5000", "one", "+1", "two"] in rows
    assert ["q3", "1.0000", "0.5000", "0.0000", "1.0000", "two", "one"] in rows


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_in_a_folder_of_runs_is_waited_for(irev, folder):
    Path("runs").mkdir()
    Path("runs/first").write_bytes(RUNS["first"])
    os.mkfifo("runs/piped")
    writer = threading.Thread(target=lambda: Path("runs/piped").write_bytes(RUNS["second"]))
    writer.start()
    found = lines(irev("-q", "-j1", "-mRR", "qrels", "runs"))
    writer.join()
    assert lines(irev("-q", "-mRR", "qrels", "first", "second")) == found


def test_a_file_in_a_folder_that_is_no_run_is_told_as_that(irev, folder):
    Path("runs").mkdir()
    Path("runs/README").write_text("Our runs of May\n")
    said = "all files in the folder 'runs' are read as runs: move 'README' away if it is not a run, or give the runs"
    assert said in irev("qrels", "runs").stderr
    assert "folder" not in irev("qrels", "runs/README").stderr, "which somebody has named"
    Path("runs/README").write_bytes(RUNS["first"] + b"q9 Q0 a 1 x one\n")
    assert "folder" not in irev("qrels", "runs").stderr, "which is a run with a fault in it"
    Path("runs/README").write_text("# by\n")
    assert said in irev("compare", "qrels", "runs/", "first").stderr.replace("'runs/'", "'runs'")


def test_a_pattern_that_no_shell_expanded_is_expanded(irev, folder):
    """As on Windows, or between quotes."""
    os.mkdir("runs")
    for name in ("b.run", "a.run", ".hidden.run", "c.txt"):
        Path("runs", name).write_bytes(RUNS["first"])
    Path("runs/[1].run").write_bytes(RUNS["second"])

    def named(pattern: str) -> list[str]:
        return [line[2] for line in lines(irev("-mrunid", "-f", "trec", "qrels", pattern)) if line[0] == "runid"]

    assert irev("-mmap", "qrels", "runs/a.run", "runs/b.run").stdout == irev("-mmap", "qrels", "runs/[ab].run").stdout
    assert ["two"] == named("runs/[1].run"), "which is a file"
    refused(irev("qrels", "runs/*.none"), "runs/*.none: no file matches this; expected runs")


@pytest.mark.parametrize("given", ["table", "table/*.parquet"])
def test_parts_of_a_table_are_no_runs(irev, folder, given):
    (folder / "table").mkdir()
    (folder / "table" / "part-00000-x.snappy.parquet").write_bytes(b"PAR1")
    said = "'part-00000-x.snappy.parquet' is a part of a table, not a run; write the table to one file, or give each"
    refused(irev("qrels", given), f"irev: error: {given}: {said} file if it is a run")


# Other processes


def without_statuses() -> None:
    """Have the system keep no status of processes that end, as under some that start others."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


@pytest.fixture(params=[None, without_statuses], ids=["statuses", "no statuses"])
def waiting(request, tmp_path: Path) -> Iterator[Started]:
    """An evaluation by two processes, one of which reads from a pipe that nobody writes to."""
    folder = tmp_path
    (folder / "qrels").write_bytes(QRELS)
    os.mkfifo(folder / "pipe")
    (folder / "first").write_bytes(RUNS["first"])
    running = Started(
        [sys.executable, "-m", "irev", "-j2", "qrels", "pipe", "first"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=request.param,
    )
    with open(folder / "pipe", "wb"):  # which waits until it is read
        yield running


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes that a signal could be sent to")
def test_ctrl_c_ends_all_processes_at_once(waiting):
    os.killpg(waiting.pid, signal.SIGINT)
    stdout, stderr = waiting.communicate(timeout=20)

    assert (130, b"", b"") == (waiting.returncode, stdout, stderr.strip())


def test_a_run_from_standard_input_may_stand_among_others(process, folder):
    alone = process("-mmap", "qrels", "second", "first")
    piped = process("-mmap", "qrels", "-", "first", stdin=RUNS["second"])

    assert alone.stdout == piped.stdout


def children(parent: int) -> list[int]:
    """The processes that a process has begun, as /proc tells, and where there is none `ps`."""
    if not Path("/proc/self/stat").exists():
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=", "-o", "ppid="], capture_output=True, text=True, check=True
        ).stdout
        pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
        return [pid for pid, of in pairs if of == parent]
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            pid, rest = path.read_text().split(" (", 1)
            if int(rest.rpartition(") ")[2].split()[1]) == parent:
                found.append(int(pid))
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that kills, and neither /proc nor ps")
def test_a_process_that_is_killed_is_an_error_and_not_an_endless_wait(waiting):
    for child in children(waiting.pid):
        with contextlib.suppress(ProcessLookupError):  # one that had ended by itself
            os.kill(child, signal.SIGKILL)
    stdout, stderr = waiting.communicate(timeout=20)

    assert (2, b"") == (waiting.returncode, stdout)
    assert re.search(rb"a process that evaluated runs was stopped (by signal 9|with status 1); use fewer", stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_whoever_keeps_no_statuses_has_the_same_numbers(process, folder):
    command = [sys.executable, "-m", "irev", "-j2", "-mmap", "qrels", "second", "first"]
    done = subprocess.run(command, capture_output=True, env=environment(), preexec_fn=without_statuses, timeout=60)

    assert (0, process("-mmap", "qrels", "second", "first").stdout) == (done.returncode, done.stdout), done.stderr


@pytest.mark.parametrize(
    ("fault", "status", "said"),
    [
        (ZeroDivisionError("divided"), 70, "ZeroDivisionError: divided"),
        (MemoryError(), 2, "memory ran out"),
        (InputError("fact", "place", "remedy"), 2, "place: fact; remedy"),
    ],
)
def test_what_another_process_raises_is_told_by_the_first(irev, folder, monkeypatch, fault, status, said):
    class Broken:
        def evaluated(self, *_):
            raise fault

    sent = pickle.loads(pickle.dumps(outcome_of(Broken(), "first", lambda size: None)))
    monkeypatch.setattr(Processes, "evaluated", lambda *_: (each for each in [(0, sent)]))
    outcome = irev("-j2", "qrels", "first", "second")

    assert (status, b"") == (outcome.status, outcome.stdout)
    assert said in outcome.stderr


# Progress


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Under:
    """An evaluation under way: one of three runs is done, and half of all bytes are read."""

    done = 1

    def read(self) -> int:
        return 3


def said_while(
    monkeypatch,
    folder,
    stderr: io.StringIO,
    delay: float,
    patience: float = 0.5,
    until: str = "\0",
) -> str:
    """What is written to standard error until a text is there, or patience is at its end."""
    paths = []
    for name in ("a", "b", "c"):
        (folder / name).write_bytes(b"12")
        paths.append(str(folder / name))
    monkeypatch.setattr(progress, "DELAY", delay)
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm-256color")
    ends = time.monotonic() + patience
    with progress.progress_of(Under(), paths):
        while until not in stderr.getvalue() and time.monotonic() < ends:
            time.sleep(0.01)
    return stderr.getvalue()


@pytest.mark.thorough
def test_progress_shows_runs_and_bytes_on_a_terminal(monkeypatch, tmp_path):
    said = said_while(monkeypatch, tmp_path, Terminal(), delay=0.0, patience=60.0, until="3/6 bytes")

    assert "1 of 3 runs" in said
    assert "3/6 bytes" in said


@pytest.mark.thorough
def test_work_without_files_says_what_is_done_on_a_terminal_and_to_nobody_else(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    for stderr, asked, delay, expected in (
        (Terminal(), "", 0.0, True),
        *((Terminal(), "0", 0.0, False), (io.StringIO(), "", 0.0, False), (Terminal(), "", 60.0, False)),
    ):
        monkeypatch.setenv("IREV_PROGRESS", asked)
        monkeypatch.setattr(progress, "DELAY", delay)
        monkeypatch.setattr(sys, "stderr", stderr)
        ends = time.monotonic() + (60.0 if expected else 0.2)
        with progress.working("comparing 58 runs"):
            while "58 runs" not in stderr.getvalue() and time.monotonic() < ends:
                time.sleep(0.01)
        assert expected == ("comparing 58 runs" in stderr.getvalue())
        assert expected or not stderr.getvalue()


def test_comparisons_say_that_they_are_under_way(irev, folder, monkeypatch):
    said = []

    @contextlib.contextmanager
    def working(what):
        said.append(what)
        yield

    monkeypatch.setattr("irev.cli.question.working", working)
    assert 0 == irev("compare", "qrels", *RUNS).status
    assert 0 == irev("eval", "-f", "table", "--sort", "map", "--significance", "-c", "qrels", *RUNS).status
    assert ["comparing 3 runs"] * 2 == said


@pytest.mark.thorough
def test_progress_is_shown_to_nobody_else(monkeypatch, tmp_path):
    assert "" == said_while(monkeypatch, tmp_path, io.StringIO(), delay=0.0)
    assert "" == said_while(monkeypatch, tmp_path, Terminal(), delay=60.0)
    monkeypatch.setenv("IREV_PROGRESS", "0")
    assert "" == said_while(monkeypatch, tmp_path, Terminal(), delay=0.0)


def test_bytes_are_counted_while_runs_are_read(folder):
    runs = ["first", "second"]
    settings = Settings()
    with Source("qrels") as source:
        judgments = qrels.read(source, settings)
    for jobs in (1, 2):
        batch = Batch(Task((judgments,), parse(["map"]), settings), runs, local(runs, jobs))
        results = list(batch.results())

        assert (2, 2) == (len(results), batch.done)
        assert sum(len(RUNS[name]) for name in runs) == batch.read()


def test_as_many_processes_as_processors_files_and_memory_allow(monkeypatch, folder):
    monkeypatch.setattr("irev.base.workers.processors", lambda: 8)
    monkeypatch.setattr("irev.base.workers._free_memory", lambda: 450 << 20)

    for name in "abcd":
        (folder / name).write_bytes(bytes(LITTLE // 2 + 1))
    (folder / "little").write_bytes(b"q Q0 d 1 1 t\n")

    assert 3 == how_many(["a", "b", "c", "d"], None)
    assert 4 == how_many(["a", "b", "c", "d"], 16)
    assert 2 == how_many(["a", "b"], None)
    assert 1 == how_many(["a"], 8)
    assert 1 == how_many(["a", "-"], 8)
    # Little is read before other processes have begun, unless they are asked for.
    assert 1 == how_many(["a", "little", "missing"], None)
    assert 2 == how_many(["little", "little"], 2)


def test_processes_that_do_not_begin_as_copies_have_the_same_numbers(irev, folder):
    """As on macOS and Windows; here too, when irev is told that it is there."""
    code = (
        "import sys, irev.base.workers as there; from irev.cli import run;"
        "there.COPIES = False; sys.exit(run(sys.argv[1:]))"
    )
    asked = ("-q", "-mAP", "-mnDCG(gain=exp)@2", "-miprec_at_recall.0.104", "-j2", "qrels", *RUNS)
    begun_anew = subprocess.run(
        [sys.executable, "-c", code, *asked], env=environment(), capture_output=True, timeout=60, check=True
    )

    assert irev(*asked).stdout == begun_anew.stdout
