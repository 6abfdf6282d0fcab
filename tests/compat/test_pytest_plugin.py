"""A test of pytest fails, with the reasons of `irev check`, where a run is not as good as it must be."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest
from conftest import ROOT, environment, in_process

import irev
from irev.compat.pytest import assert_quality

QRELS, KEYWORD, SEMANTIC = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run", "semantic.run"))


@pytest.fixture
def run_tests(tmp_path):
    """Run a module of tests as somebody has it who installed irev, and give its counts and what pytest says of it.

    In a process: pytest's own pytester forgets modules that were imported meanwhile, and they would come twice.
    """

    def run(body: str) -> tuple[dict[str, int], str]:
        files = f"QRELS, KEYWORD, SEMANTIC = {QRELS!r}, {KEYWORD!r}, {SEMANTIC!r}\n"
        (tmp_path / "test_search.py").write_text(files + body, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-p", "irev.compat.pytest", "-p", "no:cacheprovider", "--rootdir=."]
        command += ["-W", "ignore::irev.QueriesWarning"]  # a query of the samples has no relevant document
        alone = environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")  # or a plugin that is installed comes twice
        done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, encoding="utf-8")
        counts = re.findall(r"(\d+) (passed|failed|error)", done.stdout.splitlines()[-1])
        return {outcome: int(count) for count, outcome in counts}, done.stdout

    return run


@pytest.fixture
def saved(tmp_path):
    """A baseline of the better run, and judgments in a file that a test may change."""
    qrels, path = tmp_path / "qrels.txt", str(tmp_path / "baseline.json")
    qrels.write_bytes((ROOT / "sample_data" / "qrels.txt").read_bytes())
    assert 0 == in_process("check", "--update-baseline", "--baseline", path, "--min", "AP=0", str(qrels), SEMANTIC)[0]
    return qrels, path


def lead(*options: str) -> list[str]:
    """What `irev check` says first: its headline and reasons, without the title."""
    found = json.loads(in_process("check", *options, "-f", "json").stdout)
    return [f"{found['headline']}.", *(each["reason"] for each in found["findings"] if not each["holds"])]


class TestATestFails:
    def test_with_the_reasons_of_the_command_and_its_own_line_alone(self, run_tests):
        counts, said = run_tests(
            "def test_search(assert_quality):\n"
            "    assert_quality(QRELS, KEYWORD, 'nDCG@10 >= 0.9', 'AP>=0.1', baseline_run=SEMANTIC,\n"
            "        max_drop={'AP': 0.01})\n"
        )
        assert {"failed": 1} == counts
        options = ("--min", "nDCG@10=0.9", "--min", "AP=0.1", "--max-drop", "AP=0.01", "--baseline-run", SEMANTIC)
        headline, *reasons = lead(*options, QRELS, KEYWORD)
        assert "2 of 3 conditions do not hold." == headline
        assert 2 == len(reasons)
        for line in (headline, *(f"FAIL: {reason}" for reason in reasons)):
            assert re.search(f"^E .*{re.escape(line)}", said, re.MULTILINE), line
        assert "compat/pytest.py" not in said

    def test_not_where_all_conditions_hold(self, run_tests):
        counts, _ = run_tests(
            "def test_of_files(assert_quality):\n"
            "    assert_quality(QRELS, KEYWORD, 'nDCG@10 >= 0.6', 'unjudged <= 100', every_query='P@5>=0')\n"
            "def test_of_memory(assert_quality):\n"
            "    assert_quality({'q': {'d': 1}}, {'q': {'d': 2.0}}, min={'AP': 1}, ties='docid-asc')\n"
        )
        assert {"passed": 2} == counts

    def test_where_it_cannot_be_judged(self, run_tests):
        counts, said = run_tests(
            "def test_search(assert_quality):\n    assert_quality(QRELS, KEYWORD + '.gone', 'nDCG@10 >= 0.4')\n"
        )
        assert {"failed": 1} == counts
        assert re.search(r"^E .*Error: .*keyword.run.gone: there is no such file", said, re.MULTILINE)
        assert "sources.py" not in said

    @pytest.mark.parametrize(("run", "counts"), [(SEMANTIC, {"passed": 1}), (KEYWORD, {"failed": 1})])
    def test_as_the_page_has_it(self, run_tests, tmp_path, saved, run, counts):
        page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
        (body,) = re.findall(r"^## pytest\n.*?^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        (tmp_path / "eval").mkdir()
        for path, name in zip((*saved, run), ("eval/qrels.txt", "eval/baseline.json", "new.run"), strict=True):
            shutil.copy(path, tmp_path / name)
        assert counts == run_tests(body)[0]


class TestConditions:
    def test_count_queries_without_results_unless_others_are_asked_for(self):
        judged, found = {"q0": {"a": 1}, "q1": {"a": 1}}, {"q1": {"a": 2.0}}
        with pytest.raises(AssertionError, match=r"AP is 0.5000; required: at least 0.9"):
            assert_quality(judged, found, "AP >= 0.9")
        assert assert_quality(judged, found, "AP >= 0.9", queries="run").holds

    def test_that_name_no_measure_are_about_those_of_the_command(self):
        verdict = assert_quality(QRELS, KEYWORD, baseline_run=KEYWORD, max_query_losses=0)
        assert ["AP", "nDCG@10"] == [each.measure for each in verdict.findings]

    def test_stand_beside_those_of_keywords_and_groups(self):
        groups = {"q1": "easy", "q2": "hard"}
        verdict = assert_quality(QRELS, KEYWORD, "group:easy/RR >= 0.1", min=["AP=0.2"], groups=groups)
        assert [("RR", "easy"), ("AP", "")] == [(each.measure, each.group) for each in verdict.findings]

    @pytest.mark.parametrize(
        "text", ["nDCG@10", "nDCG@10 > 0.4", "nDCG@10 = 0.4", ">= 0.4", "", 0.4, "AP >= ", "0.1 <= AP <= 0.9"]
    )
    def test_that_are_none_are_refused(self, text):
        with pytest.raises(irev.UsageError, match="is not a condition; expected a measure, >= or <=, and a number"):
            assert_quality(QRELS, KEYWORD, text)

    @pytest.mark.parametrize(
        ("conditions", "options", "message"),
        [
            ((), {}, "no condition is given"),
            (("AP >= x",), {}, "min AP=x: 'x' is not a number"),
            (("nDGC@10 >= 1",), {}, "min nDGC@10=1: there is no measure"),
            ((), {"max_drop": {"AP": 0}}, "max_drop has no effect without baseline"),
            (("AP >= 0",), {"min": 4j}, "4j is no value of min"),
            (("AP >= 0",), {"baseline": "x", "baseline_run": KEYWORD}, "baseline and baseline_run exclude each other"),
        ],
    )
    def test_that_make_no_sense_are_refused(self, conditions, options, message):
        with pytest.raises(irev.UsageError, match=message):
            assert_quality(QRELS, KEYWORD, *conditions, **options)

    def test_of_another_name_are_refused_with_the_nearest(self):
        with pytest.raises(TypeError, match="there is no option 'max_drops'; did you mean 'max_drop'"):
            assert_quality(QRELS, KEYWORD, max_drops={"AP": 0})


class TestASavedBaseline:
    def test_is_what_runs_are_held_against(self, saved):
        qrels, path = saved
        assert assert_quality(qrels, SEMANTIC, baseline=path, max_drop={"AP": 0}).holds
        with pytest.raises(AssertionError, match=r"AP is 0\.5603, the baseline 0\.7270 \(-0\.1667\)"):
            assert_quality(qrels, KEYWORD, baseline=path, max_drop={"AP": 0})

    def test_of_other_judgments_is_refused_unless_that_is_allowed(self, saved):
        qrels, path = saved
        qrels.write_bytes(qrels.read_bytes() + b"q1 0 another 1\n")
        with pytest.raises(
            irev.InputError, match=r"the baseline was made with other judgments.*say allow_changed_qrels"
        ):
            assert_quality(qrels, SEMANTIC, baseline=path, max_drop={"AP": 0.9})
        verdict = assert_quality(qrels, SEMANTIC, baseline=path, max_drop={"AP": 0.9}, allow_changed_qrels=True)
        assert any("which may explain differences" in note for note in verdict.notes)


def test_names_from_strangers_stay_on_their_line():
    with pytest.raises(AssertionError) as failed:
        assert_quality({"q\x1b[31m\n": {"d": 1}}, {"q\x1b[31m\n": {"x\r": 1.0}}, every_query="AP>0")
    assert "\x1b" not in str(failed.value)
    assert "\r" not in str(failed.value)


def test_pytest_finds_the_plugin_by_its_entry_point_and_it_imports_little():
    plugins = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert hasattr(import_module(plugins["irev"]), "assert_quality")
    unwanted = "{'numpy', 'scipy', 'click', 'irev.api'}"
    command = f"import sys, {plugins['irev']}; print(sorted({unwanted} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", command], env=environment(), capture_output=True, text=True)
    assert "[]\n" == done.stdout, done.stderr
