"""`irev trend` and the logs it reads: which builds it finds worse, what it says, and what it refuses."""

from __future__ import annotations

import errno
import json
import math
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import environment, in_process
from outcomes import refused
from scipy import stats

import irev
from irev.base.errors import IrevWarning
from irev.commands.builds import keep
from irev.statistics.shifts import ALPHA, share_of, shifts

QUERIES = 200


def _history(random: np.random.Generator, builds: int = 30, noise: str = "normal") -> np.ndarray:
    """Values of queries in every build: a level for each query, and noise that is new in every build."""
    level = random.beta(1, 2, QUERIES)
    draws = {
        "normal": lambda size: random.normal(0, 1, size),
        "skewed": lambda size: (random.exponential(1, size) ** 2 - 2) / math.sqrt(20),
        "rare losses": lambda size: -((random.random(size) < 0.05) - 0.05) / math.sqrt(0.05 * 0.95),
    }
    return level + 0.1 * draws[noise]((builds, QUERIES))


@pytest.mark.thorough
@pytest.mark.parametrize("noise", ["normal", "skewed", "rare losses"])
def test_a_planted_fall_is_found_at_its_build_and_nothing_where_there_is_none(noise: str) -> None:
    """0.3 standard deviations in 200 queries: at its build in 90 of 100 histories; a false one in 5 of 100 at most."""
    random = np.random.default_rng(11)
    found = false = 0
    for _ in range(100):
        values = _history(random, noise=noise)
        false += any(shift.difference < 0 for shift in shifts(values))
        place = int(random.integers(8, 26))
        values[place:] -= 0.3 * 0.1
        falls = [shift.at for shift in shifts(values) if shift.difference < 0]
        found += falls[:1] == [place]
    assert found >= 90
    assert false <= 5


def test_a_change_of_the_system_is_found_however_many_equal_builds_come_before_it() -> None:
    """Equal builds are no look at anything, so they use up no error."""
    random = np.random.default_rng(5)
    values = np.tile(random.random(QUERIES), (300, 1))
    values[250:] += random.normal(-0.03, 0.1, QUERIES)
    (shift,) = shifts(values)
    assert (shift.at, shift.seen) == (250, 250)
    assert shift.p == pytest.approx(stats.ttest_1samp(values[250] - values[249], 0, alternative="less").pvalue)


def test_a_rise_after_a_change_that_no_test_finds_is_no_fall() -> None:
    """A small true rise of every query, after queries have changed much and on average little."""
    random = np.random.default_rng(5)
    marked = {"fall": 0, "rise": 0}
    for _ in range(100):
        start = random.uniform(0.3, 0.7, 100)
        changed = start + random.normal(0, 0.3, 100)
        better = changed + random.normal(0.01, 0.005, 100)
        found = shifts(np.array([start] * 7 + [changed] * 2 + [better] * 20))
        for shift in found:
            marked["fall" if shift.difference < 0 else "rise"] += 1
        assert [9] == [shift.at for shift in found if shift.difference > 0][-1:]
    assert marked["fall"] <= 5


def test_a_shift_begins_at_a_build_that_its_look_compared() -> None:
    random = np.random.default_rng(6)
    for _ in range(300):
        builds = int(random.integers(2, 25))
        values = np.cumsum(random.normal(0, 0.02, (builds, 1)) * (random.random((builds, 1)) < 0.4), axis=0)
        found = shifts(values + random.normal(0, 0.05, (builds, 30)), alpha=0.5)
        assert all(before.at < after.at for before, after in pairwise(found))
        assert all(0 < shift.at <= shift.seen for shift in found)


def test_the_shares_of_all_looks_add_to_one() -> None:
    shares = [share_of(look) for look in range(1, 100_000)]
    assert all(one > other > 0 for one, other in pairwise(shares))
    assert sum(shares) == pytest.approx(1 - 1 / math.log2(100_001))


def _obvious_p(differences: np.ndarray, largest: float) -> float:
    """Johnson's t, with the error of queries that are not in the sample; or Student's, if that is nearer to 0."""
    n, seen = len(differences), np.count_nonzero(differences)
    unseen = largest * (1 - seen / n) / (1 + seen / 5) * math.sqrt(2 / n / (n - 1))
    t = differences.mean() / math.sqrt(differences.var(ddof=1) / n + unseen**2)
    skewness = stats.skew(differences, bias=False) if n > 2 else 0.0
    johnson = t + skewness / 6 / math.sqrt(n) + skewness * t**2 / 3 / math.sqrt(n)
    return float(stats.t.sf(min(abs(t), max(0.0, math.copysign(1.0, t) * johnson)), n - 1))


def _obvious(values: np.ndarray, alpha: float) -> list[int]:
    """The builds at which a look finds a shift, without a shift before: the definition, written out."""
    looks = 0
    for now in range(1, len(values)):
        if list(values[now]) == list(values[now - 1]):
            continue
        looks += 1
        for power in range(20):
            size = 2**power
            if 2 * size > now + 1:
                break
            after, before = values[now + 1 - size : now + 1], values[now + 1 - 2 * size : now + 1 - size]
            p = _obvious_p(after.mean(axis=0) - before.mean(axis=0), values.max() - values.min())
            if p <= alpha * share_of(looks) / 2 ** (power + 1):
                return [now]
    return []


def test_the_first_look_that_finds_a_shift_is_that_of_the_definition() -> None:
    random = np.random.default_rng(8)
    some = 0
    for _ in range(100):
        values = random.normal(0, 1, (random.integers(2, 25), random.integers(2, 12)))
        values[random.integers(0, len(values)) :] += random.normal(0, 2)
        expected = _obvious(values, ALPHA)
        assert [shift.seen for shift in shifts(values)][:1] == expected
        some += bool(expected)
    assert some > 10


def test_rounding_is_no_shift() -> None:
    a, b = np.random.default_rng(2).random((2, QUERIES))
    assert [shift.at for shift in shifts(np.array([a, b] * 40)) if abs(shift.difference) < 1e-9] == []
    assert shifts(np.full((9, 4), 0.1) + np.array([0.0, 1e-16] * 2)) == []


# Files


def _files(folder: Path, good: int) -> tuple[str, str]:
    """Judgments of 40 queries, and a run that has the relevant document at rank 1 for some, at rank 2 for others."""
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text("".join(f"q{query:02} 0 a 1\nq{query:02} 0 b 0\n" for query in range(40)))
    lines = []
    for query in range(40):
        first, second = ("a", "b") if query < good else ("b", "a")
        lines += [f"q{query:02} Q0 {first} 1 2 dense\n", f"q{query:02} Q0 {second} 2 1 dense\n"]
    run.write_text("".join(lines))
    return str(qrels), str(run)


MARCH = 1772330400
"""1 March 2026, 2 o'clock UTC, in seconds."""


def _kept(log: str, *files: str, day: int = 1, commit: str = "", branch: str = "") -> None:
    """Keep a build that variables tell the facts of."""
    facts = {"SOURCE_DATE_EPOCH": str(MARCH + 86400 * (day - 1)), "GIT_COMMIT": commit, "GIT_BRANCH": branch}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in facts.items():
            patch.setenv(name, value)
        assert in_process("eval", "-m", "RR", "--log", log, *files).status == 0


def _log(folder: Path, log: str, goods: list[int]) -> None:
    for day, good in enumerate(goods, start=1):
        _kept(log, *_files(folder, good), day=day, commit=f"c0ffee{day:02}", branch="main")


def test_a_log_has_every_build_and_its_first_fall(tmp_path: Path) -> None:
    log = str(tmp_path / "builds")
    _log(tmp_path, log, [36, 37, 36, 10, 11])
    record = json.loads(in_process("trend", "-f", "json", log).stdout)
    assert [build["commit"] for build in record["builds"]] == [f"c0ffee{day:02}" for day in range(1, 6)]
    (series,) = record["series"]
    assert series["means"] == pytest.approx([1 - 0.5 * (40 - good) / 40 for good in (36, 37, 36, 10, 11)])
    assert [(shift["kind"], shift["build"]) for shift in series["shifts"]] == [("fall", 4)]
    shown = in_process("trend", log).stdout.decode()
    assert "4, c0ffee04" in shown
    assert "▼ 0.6250" in shown
    assert "RR is significantly worse from build 4, c0ffee04 on" in shown
    rows = in_process("trend", "-f", "tsv", log).stdout.decode().splitlines()
    assert len(rows) == 6
    found = irev.trend(log)
    assert [shift.at for shift in found.series[0].shifts] == [3]
    assert len(found.to_pandas()) == 5


def test_builds_stand_in_the_order_of_their_times(tmp_path: Path) -> None:
    for day in (3, 1, 2):
        _kept(str(tmp_path / "log"), *_files(tmp_path, day), day=day, commit=str(day))
    builds = irev.trend(tmp_path / "log").builds
    assert [build.commit for build in builds] == ["1", "2", "3"]
    assert builds[0].time == "2026-03-01T02:00:00Z"


@pytest.mark.parametrize(
    ("environment", "commit", "branch"),
    [
        ({"GITHUB_SHA": "aa", "GITHUB_REF_NAME": "main"}, "aa", "main"),
        ({"CI_COMMIT_SHA": "bb", "CI_COMMIT_REF_NAME": "dev"}, "bb", "dev"),
        ({"GIT_COMMIT": "cc", "GIT_BRANCH": "x"}, "cc", "x"),
        ({}, "", ""),
    ],
)
def test_services_tell_commit_and_branch(environment: dict[str, str], commit: str, branch: str) -> None:
    from irev.commands.builds import facts_of

    found = facts_of({**environment, "SOURCE_DATE_EPOCH": "0"})
    assert found == {"time": "1970-01-01T00:00:00Z", "commit": commit, "branch": branch}


def test_only_builds_of_a_branch(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    _log(tmp_path, log, [36, 36])
    _kept(log, *_files(tmp_path, 3), branch="dev")
    assert len(irev.trend(log, branch="main").builds) == 2
    refused(in_process("trend", "--branch", "mian", log), "there is no build of the branch 'mian'; there are dev, main")


def test_a_check_keeps_builds(tmp_path: Path, monkeypatch) -> None:
    log = str(tmp_path / "log")
    for day, good in enumerate((36, 36, 10), start=1):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(MARCH + 86400 * day))
        checked = in_process("check", "--min", "RR=0.8", "--log", log, *_files(tmp_path, good))
        assert checked.status == (day == 3)
    shown = in_process("trend", log).stdout.decode()
    assert "RR is significantly worse from build 3 on" in shown


def test_what_a_trend_could_not_read_is_not_kept(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    _log(tmp_path, log, [36])
    qrels, run = _files(tmp_path, 36)
    for command, said in (
        (("check", "--min", "RR=0.8", qrels, run), "another complete (no, not yes)"),
        (("eval", "-m", "RR", "-l", "2", qrels, run), "another level (1, not 2)"),
        (("eval", "-m", "AP", qrels, run), "no measure in common"),
        (("eval", "-m", "runid", qrels, run), "no measure in common"),
        (("eval", "-m", "RR", qrels, f"a={run}", f"b={run}"), "in every build, NAME=RUN\n"),
        (("eval", "-m", "RR", "--qrels", f"a={qrels}", "--qrels", f"b={qrels}", run), "several sets of judgments"),
    ):
        refused(in_process(*command, "--log", log), said)
    assert len(irev.trend(log).builds) == 1


def test_nothing_is_tested_across_other_judgments(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    _log(tmp_path, log, [36, 36])
    qrels, run = _files(tmp_path, 36)
    Path(qrels).write_text(Path(qrels).read_text().replace(" a 1", " c 1").replace(" b 0", " a 0"))
    _kept(log, qrels, run, day=9)
    (series,) = irev.trend(log).series
    assert (series.shifts, series.rejudged) == ((), (2,))
    assert "Judgments changed at build 3: builds before and after it are not tested against each other." in " ".join(
        in_process("trend", log).stdout.decode().split()
    )


def test_builds_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    qrels, run = _files(tmp_path, 20)
    log = str(tmp_path / "log")
    command = [sys.executable, "-m", "irev", "eval", "-m", "RR", "--log", log, qrels, run]
    writing = [
        subprocess.Popen(command, env=environment(SOURCE_DATE_EPOCH=str(MARCH)), stdout=subprocess.DEVNULL)
        for _ in range(6)
    ]
    assert [each.wait() for each in writing] == [0] * 6
    assert len(irev.trend(log).builds) == 6
    assert {path.name for path in tmp_path.iterdir()} == {"qrels", "run", "log"}


def test_threads_that_write_at_once_lose_nothing_and_break_nothing(tmp_path: Path, monkeypatch) -> None:
    """Here all have one process id, as processes in containers may have; no file system needs to have links."""
    monkeypatch.delattr(os, "link")
    log, count = str(tmp_path / "log"), 20
    _kept(log, *_files(tmp_path, 3))
    (build,) = irev.trend(log).builds
    with ThreadPoolExecutor(count) as threads:
        for written in [threads.submit(keep, log, build._replace(commit=f"c{i % 3}")) for i in range(count)]:
            written.result()
    assert sorted(each.commit for each in irev.trend(log).builds) == sorted(["", *(f"c{i % 3}" for i in range(count))])
    assert {each.suffix for each in Path(log).iterdir()} == {".json"}


def test_broken_files_stop_neither_writers_nor_the_trend(tmp_path: Path) -> None:
    log = tmp_path / "log"
    _log(tmp_path, str(log), [36, 36])
    whole = min(log.iterdir()).read_bytes()
    broken = {"19990101T000000Z.json": b"", "20990101T000000Z.json": whole[:-9], "20990102T000000Z-c.json": 2 * whole}
    for name, content in broken.items():
        (log / name).write_bytes(content)
    assert in_process("eval", "-m", "RR", "--log", str(log), *_files(tmp_path, 30)).status == 0
    done = in_process("trend", str(log))
    assert (done.status, "Trend of 3 builds" in done.stdout.decode(), done.stderr.count("\n")) == (0, True, 3)
    assert all(f"{log / name}:" in done.stderr for name in broken)
    assert done.stderr.count("this is not JSON") == done.stderr.count("; the file is left out") == 3
    with pytest.warns(IrevWarning, match="is left out"):
        assert len(irev.trend(log).builds) == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_sockets_and_folders_of_a_log_are_left_out(tmp_path: Path, monkeypatch) -> None:
    """Each used to be opened, and a pipe never ended."""
    log = tmp_path / "log"
    _log(tmp_path, str(log), [36])
    os.mkfifo(log / "pipe.json"), (log / "folder.json").mkdir(), (log / "lost.json").symlink_to("nowhere")
    monkeypatch.chdir(log)  # names of sockets are short
    with closing(socket.socket(socket.AF_UNIX)) as bound:
        bound.bind("socket.json")
    for asked in (("trend", str(log)), ("eval", "-m", "RR", "--log", str(log), *_files(tmp_path, 30))):
        done = in_process(*asked)
        assert done.status == 0
        for name in ("pipe", "folder", "lost", "socket") if asked[0] == "trend" else ():
            assert f"{log / name}.json: this is not a regular file; the file is left out" in done.stderr
    with pytest.warns(IrevWarning, match="is left out"):
        assert len(irev.trend(log).builds) == 2


def test_a_folder_of_broken_files_alone_starts_a_log_anew(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    (log / "20260301T000000Z.json").write_bytes(b"{")
    refused(in_process("trend", str(log)), "there are no results in this folder")
    assert in_process("eval", "-m", "RR", "--log", str(log), *_files(tmp_path, 30)).status == 0
    with pytest.warns(IrevWarning, match="is left out"):
        assert len(irev.trend(log).builds) == 1


def test_a_build_that_cannot_be_written_leaves_no_file(tmp_path: Path, monkeypatch) -> None:
    log = tmp_path / "log"
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left")))
    refused(in_process("eval", "-m", "RR", "--log", str(log), *_files(tmp_path, 30)), "No space left")
    assert [*log.iterdir()] == []


def test_builds_of_one_time_stand_as_they_came(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    commits = ["c", "", "a", "a", "b", *map(str, range(9)), "a", ""]
    for commit in commits:
        _kept(log, *_files(tmp_path, 3), commit=commit)
    assert [build.commit for build in irev.trend(log).builds] == commits


@pytest.mark.parametrize("log", ["sqlite:log.db", ""])
def test_a_log_that_is_no_folder_is_refused(tmp_path: Path, log: str) -> None:
    refused(in_process("eval", "--log", log, *_files(tmp_path, 2)), "expected a folder, which keeps the results")


def test_no_output_overwrites_the_log(tmp_path: Path) -> None:
    log, files = tmp_path / "log", _files(tmp_path, 2)
    for command, option in (
        (["eval", "-o", str(log)], "--output"),
        (["check", "--min", "AP=0.1", "--also", f"page={log}"], "--also page"),
    ):
        done = in_process(*command, "--log", str(log), *files)
        refused(done, "both write to")
        assert f"{option} and --log both" in done.stderr or f"--log and {option} both" in done.stderr
        assert not log.exists()
    refused(in_process("eval", "--log", files[0], *files), "is an input")


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"GITHUB_SHA": "\udcff\udcfe"}, "not UTF-8: '\\xff\\xfe'; set GITHUB_SHA to another"),
        ({"SOURCE_DATE_EPOCH": "²"}, "SOURCE_DATE_EPOCH is not a time in seconds"),
        ({"SOURCE_DATE_EPOCH": "9" * 18}, "SOURCE_DATE_EPOCH is not a time in seconds"),
    ],
)
def test_facts_that_are_none_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], said: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    refused(in_process("eval", "--log", str(tmp_path / "log"), *_files(tmp_path, 2)), said)


def test_the_years_of_old_builds_have_four_digits() -> None:
    from irev.commands.shared import utc

    assert utc("0900-01-01") == "0900-01-01T00:00:00Z"


def test_a_trend_of_medians_is_refused_and_means_are_called_so(tmp_path: Path) -> None:
    log, files = str(tmp_path / "log"), _files(tmp_path, 30)
    in_process("eval", "-m", "RR(agg=median)", "--log", log, *files)
    outcome = in_process("trend", "-m", "RR(agg=median)", log)
    refused(outcome, "a trend is one of means, and not of RR(agg=median); ask for RR")
    (series,) = irev.trend(log).series
    assert (series.request.standard, series.means) == ("RR", (0.875,))


def test_a_query_that_stands_twice_is_refused(tmp_path: Path) -> None:
    saved = in_process("eval", "-m", "RR", "-q", "-f", "json", *_files(tmp_path, 3)).stdout.decode()
    plain = json.loads(saved)
    (outcome,) = plain["results"]
    outcome["queries"].append(outcome["queries"][0])
    (tmp_path / "x.json").write_text(json.dumps(plain))
    refused(in_process("trend", str(tmp_path / "x.json")), "expected a list with each query once")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "this is not JSON"),
        ("{}", "this is not a record of results"),
        ("", "this is not JSON"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)
    for path in (file, tmp_path):
        refused(in_process("trend", str(path)), f"{file}", said)


def test_what_is_no_log_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.db").write_text("no database, but a text that is long enough to be looked at " * 20)
    (tmp_path / "empty").mkdir()
    for log in ("x.db", "gone", "empty"):
        refused(in_process("trend", log), log)
    refused(in_process("eval", "--log", "x.db", *_files(tmp_path, 2)), "the log cannot be written")


def test_settings_that_differ_are_refused(tmp_path: Path) -> None:
    files = _files(tmp_path, 9)
    (tmp_path / "weights").write_text("".join(f"q{query:02} 1\n" for query in range(40)))
    weighted = ("-m", "RR(agg=weighted)", "--query-weights", str(tmp_path / "weights"))
    for name, options in (("a", ("-m", "RR")), ("b", ("-m", "RR", "-l", "2")), ("c", weighted)):
        saved = in_process("eval", *options, "-q", "-f", "json", *files).stdout.decode()
        (tmp_path / f"{name}.json").write_text(saved)
    a, b, c = (str(tmp_path / f"{name}.json") for name in "abc")
    refused(
        in_process("trend", a, b), f"{b}: ", "a.json was made with another level (1, not 2); leave one of the two out"
    )
    refused(in_process("trend", a, c), "a.json was made with another query-weights; leave")


def test_a_log_of_one_build_has_no_change(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    _log(tmp_path, log, [20])
    (row,) = json.loads(in_process("trend", "-f", "json", log).stdout)["series"]
    assert row["shifts"] == []
    assert "Trend of 1 build" in " ".join(in_process("trend", log).stdout.decode().split())


@pytest.mark.parametrize("wrong", [None, 3, [None], [irev.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}})]])
def test_python_wants_paths(wrong: object) -> None:
    with pytest.raises(irev.UsageError, match=r"results is of type .*, and only files are read here; write it to"):
        irev.trend(wrong)  # type: ignore[arg-type]


def test_no_results_are_refused_in_python() -> None:
    with pytest.raises(irev.UsageError, match="results: expected paths of saved results, found none"):
        irev.trend([])


@pytest.mark.parametrize("wrong", [3, [3]])
def test_python_wants_names_of_measures(wrong: object) -> None:
    with pytest.raises(TypeError, match="a measure is a string such as"):
        irev.trend("a.json", wrong)  # type: ignore[arg-type]


def _drifting(random: np.random.Generator, queries: int, lost: float, gained: float) -> np.ndarray:
    """30 builds, in each of which some queries lose .01 and some gain .1 for good; the true mean stays as it is."""
    drawn = random.random((29, queries))
    changes = np.where(drawn < lost, -0.01, 0.0) + np.where(drawn > 1 - gained, 0.1, 0.0)
    return random.beta(1, 2, queries) + np.vstack([np.zeros(queries), np.cumsum(changes, axis=0)])


@pytest.mark.parametrize(("queries", "lost", "gained"), [(200, 0.1, 0.01), (50, 0.1, 0.01), (1000, 0.03, 0.003)])
def test_skewed_changes_that_stay_are_seldom_a_fall(queries, lost, gained) -> None:
    """100 histories, of which 5 may have a false fall; Student's t alone finds one in 76 to 99."""
    random = np.random.default_rng(15)
    found = sum(
        any(shift.difference < 0 for shift in shifts(_drifting(random, queries, lost, gained))) for _ in range(100)
    )
    assert found <= 10


def test_a_fall_of_many_queries_is_found_as_before() -> None:
    random = np.random.default_rng(16)
    found = 0
    for _ in range(50):
        start = random.beta(1, 2, 200)
        worse = start + (random.random(200) < 0.1) * random.normal(-0.3, 0.3, 200)
        found += any(shift.difference < 0 for shift in shifts(np.array([start] * 15 + [worse] * 15)))
    assert found > 40


def _results(irev, tmp_path, values: dict[str, np.ndarray]) -> list[str]:
    """Files of results, a column for each measure, of (builds, queries) values."""
    builds = len(next(iter(values.values())))
    for build in range(builds):
        columns = [of[build] for of in values.values()]
        lines = [",".join(("query", *values))]
        lines += [
            ",".join((f"q{query}", *(f"{value:.6f}" for value in row)))
            for query, row in enumerate(zip(*columns, strict=True))
        ]
        (tmp_path / f"{build:02}.csv").write_text("\n".join(lines) + "\n")
    return [str(tmp_path / f"{build:02}.csv") for build in range(builds)]


def test_the_level_over_all_series_is_said_and_held_with_family_all(irev, tmp_path) -> None:
    random = np.random.default_rng(17)
    start = random.random(50)
    even = stats.norm.ppf((np.arange(50) + 0.5) / 50)
    # Of the first look, p is 0.005: between 0.05 · 0.37 / 2 and a fourth of it.
    worse = start + 0.1 * even / even.std(ddof=1) - 0.1 * stats.t.isf(0.005, 49) / math.sqrt(50)
    builds = _results(
        irev, tmp_path, {name: np.array([start] * 3 + [worse]) for name in ("AP", "RR", "P@5", "nDCG@10")}
    )
    text = " ".join(irev("trend", *builds).stdout.decode().split())
    assert "at most 5% for each of 4 series" in text
    assert "for all series together it is up to 19%, or 5% with --family all" in text
    assert "▼ 0" in text
    together = " ".join(irev("trend", *builds, "--family", "all").stdout.decode().split())
    assert "at most 5% for all 4 series together" in together
    assert "▼ 0" not in together
    assert ALPHA / 4 == json.loads(irev("trend", *builds, "--family", "all", "-f", "json").stdout)["alpha"]
    alone = " ".join(irev("trend", *builds, "-m", "AP").stdout.decode().split())
    assert "in all builds together is at most 5%, unless changes are so rare" in alone


def test_family_all_holds_the_level_over_measures() -> None:
    """9 measures of one run that are alike: 100 histories of 10 builds."""
    random, false = np.random.default_rng(18), np.zeros(2)
    for _ in range(100):
        noise = random.normal(0, 1, (10, 60))
        series = [noise + random.normal(0, 1, noise.shape) for _ in range(9)]
        for place, alpha in enumerate((ALPHA, ALPHA / 9)):
            false[place] += any(shift.difference < 0 for of in series for shift in shifts(of, alpha))
    assert false[1] <= 9 < false[0]


@pytest.mark.parametrize("queries", [1, 2, 3])
def test_one_or_two_queries_have_no_falls(irev, tmp_path, queries) -> None:
    """All queries fall by nearly the same, so that any test would find the fall."""
    values = np.tile(0.5 + np.arange(queries) / 10, (6, 1))
    values[3:] -= 0.2 + np.arange(queries) * 1e-6
    assert (queries > 2) == bool(shifts(values))
    text = " ".join(irev("trend", *_results(irev, tmp_path, {"AP": values})).stdout.decode().split())
    assert (queries > 2) == ("The probability of a false ▼" in text)
    assert (queries < 3) == ("Falls and rises are not tested: with fewer than 3 queries" in text)
    assert ("none" in text) is False
