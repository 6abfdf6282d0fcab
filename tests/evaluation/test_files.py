"""Files to outcomes: what the commands call, which knows no command line, and hands on what there is to say."""

import contextlib
import subprocess
import sys

import pytest
from conftest import ROOT, environment

from irev.base.errors import InputError, UsageError
from irev.base.settings import Settings
from irev.evaluation.inputs import Inputs, evaluate_files
from irev.measures import parse

SAMPLE = ROOT / "sample_data"
QRELS, HYBRID, KEYWORD = (str(SAMPLE / name) for name in ("qrels.txt", "hybrid.run", "keyword.run"))
SETS = (("", QRELS),)
ALONE = """
import sys
from irev.base.settings import Settings
from irev.evaluation.inputs import evaluate_files
from irev.evaluation.inputs import Inputs
from irev.measures import parse

qrels, *runs = sys.argv[1:]
found = evaluate_files(Inputs((("", qrels),), (*runs, *runs)), parse(["AP"]), Settings())
assert [len(runs) * 2] == [len(found.outcomes)]
assert not {"click", "rich"} & sys.modules.keys()
"""


def test_nothing_is_printed_and_neither_click_nor_rich_is_loaded():
    done = subprocess.run(
        [sys.executable, "-c", ALONE, QRELS, HYBRID, KEYWORD], env=environment(), capture_output=True, check=False
    )
    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_what_there_is_to_say_is_told_or_handed_on(tmp_path):
    (tmp_path / "groups").write_text("q1\teasy\nq2\thard\n")
    said, watched = [], []

    @contextlib.contextmanager
    def watching(batch, paths):
        watched.append(("begun", batch.done, paths))
        yield
        watched.append(("ended", batch.done, paths))

    files = Inputs(SETS, (HYBRID, HYBRID), jobs=1, warn=said.append, watched=watching)
    found = evaluate_files(
        files,
        parse(["AP"]),
        Settings(),
        beside=(KEYWORD,),
        groups=str(tmp_path / "groups"),
        digest=True,
        digest_runs=False,
    )
    assert [("begun", 0, (HYBRID, HYBRID, KEYWORD)), ("ended", 3, (HYBRID, HYBRID, KEYWORD))] == watched
    assert 1 == len(said)
    assert ["keyword"] == [each.run for each in found.beside]
    assert ["qrels", "groups"] == [each.role for each in found.inputs]
    assert (b"q3", b"q4", b"q5", b"q7") == tuple(query for query in found.ungrouped if query != b"q6")


@pytest.mark.parametrize("each_query", [False, True])
def test_every_query_has_a_value_where_that_is_asked_for(tmp_path, each_query):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 1.0 t\n")
    files = Inputs((("", str(tmp_path / "qrels")),), (str(tmp_path / "run"),))
    settings = Settings(complete=True, compat="9.0.8")
    found = evaluate_files(files, parse(["AP"]), settings, each_query=each_query)
    assert ((b"q1", b"q2") if each_query else (b"q1",)) == found.outcomes[0].scores.queries


@pytest.mark.parametrize(
    ("files", "error"),
    [
        (Inputs(SETS, (HYBRID, KEYWORD), names=("one",)), UsageError),
        (Inputs(SETS, (HYBRID, "nowhere")), InputError),
        (Inputs((("", "nowhere"),), (HYBRID,)), InputError),
    ],
)
def test_what_cannot_be_evaluated_is_refused(files, error):
    with pytest.raises(error):
        evaluate_files(files, parse(["AP"]), Settings())
