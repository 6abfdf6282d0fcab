"""A file that cannot be used is reported with its name, and with where it was named: a list, a configuration."""

import gzip
import json

import pytest
from outcomes import refused


@pytest.mark.parametrize(
    "line",
    [
        ("eval", "", ""),
        ("eval", "qrels", ""),
        ("compare", "qrels", "run", ""),
        ("diff", "qrels", "run", ""),
        ("explain", "--query", "1", "", "run"),
        ("show", ""),
        ("eval", "--groups", "", "qrels", "run"),
        ("check", "--min", "AP=0", "qrels", ""),
    ],
    ids=" ".join,
)
def test_a_file_without_a_name_is_shown_as_one(irev, folder, line):
    """As it is when a variable of a shell was never set."""
    refused(irev(*line), "irev: error: '': there is no such file")


@pytest.mark.parametrize("command", [("eval",), ("compare",), ("check", "--min", "AP=0"), ("agree", "-mAP", "-mRR")])
def test_a_run_that_is_missing_is_reported_with_the_list_and_its_line(irev, folder, command):
    (folder / "list").write_text("run\n\nnowhere.run\n")
    refused(irev(*command, "qrels", "@list"), "list:3: there is no file 'nowhere.run'; paths in a list are relative to")


def test_what_is_wrong_with_a_run_that_is_there_is_reported_with_the_run(irev, folder):
    (folder / "list").write_text("run\nbad\n")
    (folder / "bad").write_text("q1 Q0 a 1 x r\n")
    refused(irev("qrels", "@list"), "irev: error: bad:1: the score 'x' is not a number")


MISSING = {
    'qrels = "gone"\nruns = "run"': "qrels",
    'qrels = "qrels"\nruns = ["run", "gone"]': "runs",
    'qrels = "qrels"\nruns = "@gone"': "runs",
    'runs = "gone"': "runs",
    'qrels = "qrels"\nruns = "run"\nqueries = "gone"': "queries",
    'qrels = "qrels"\nruns = "run"\nbaseline = "gone"': "baseline",
    'qrels = "qrels"\nruns = "run"\nbaseline-run = "gone"': "baseline-run",
    'qrels = "qrels"\nruns = "run"\ngroups = "gone"': "groups",
}


@pytest.mark.parametrize("text", MISSING, ids=lambda text: text.replace("\n", " "))
@pytest.mark.parametrize("place", ["irev.toml", "in/a folder.toml"])
def test_a_file_that_is_missing_is_reported_with_the_configuration_and_its_key(irev, folder, text, place):
    (folder / "in").mkdir()
    for name in ("qrels", "run"):
        (folder / "in" / name).write_bytes((folder / name).read_bytes())
    (folder / place).write_text(f"{text}\nmin = {{ AP = 0 }}\n")
    path = "gone" if place == "irev.toml" else "in/gone"
    refused(
        irev("check", "--config", place),
        f"{place}: the key '{MISSING[text]}' names '{path}', which does not exist; paths are relative",
    )


def test_a_baseline_that_is_to_be_written_need_not_be_there(irev, folder):
    (folder / "irev.toml").write_text('qrels = "qrels"\nruns = "run"\nbaseline = "new.json"\nmin = { AP = 0 }\n')
    assert 0 == irev("check", "--update-baseline").status


def test_files_of_a_configuration_that_others_are_given_for_need_not_be_there(irev, folder):
    (folder / "irev.toml").write_text('qrels = "gone"\nruns = "gone"\nqueries = "gone"\nmin = { AP = 0 }\n')
    done = irev("check", "--config", "irev.toml", "--queries", "both", "qrels", "run")
    assert 0 == done.status, done.stderr


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["qrels", "run"])
def test_text_in_utf_16_is_named_as_such(irev, folder, encoding, name):
    marked = (folder / name).read_text().encode(encoding)
    (folder / name).write_bytes(marked)
    said = (
        ": this is text in UTF-16" if encoding == "utf-16" else ":1: every other byte of this line is NUL, as in UTF-16"
    )
    refused(irev("qrels", "run"), f"{name}{said}; write it as UTF-8")


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_the_mark_of_utf_16_is_seen_in_compressed_files_and_pipes_and_small_files_too(irev, folder, mark):
    refused(irev("-", "run", stdin=mark), "<stdin>: this is text in UTF-16")
    refused(irev("-", "run", stdin=gzip.compress(mark + b"q\0")), "<stdin>: this is text in UTF-16")
    (folder / "list").write_bytes(mark)
    refused(irev("--queries", "list", "qrels", "run"), "list: this is text in UTF-16")


def test_validate_reports_it_as_a_file_that_cannot_be_used(irev, folder):
    (folder / "qrels").write_bytes((folder / "qrels").read_text().encode("utf-16"))
    done = irev("validate", "qrels", "run")
    assert (2, True) == (done.status, b"qrels: error E100: this is text in UTF-16; write it as UTF-8" in done.stdout)


@pytest.mark.parametrize("line", [b"1 Q0 a\0 1 3 t\n", b"1\0\0Q0 a 1 3 t\n", b"\0\n", b"\0\0\0\n"])
def test_a_nul_byte_alone_is_no_utf_16(irev, folder, line):
    (folder / "run").write_bytes(line)
    refused(irev("qrels", "run"), "run:1: this line contains a NUL byte")


def test_a_run_is_named_where_it_is_typed(irev, folder):
    for name in ("run", "other", "k1=0.9.run"):
        (folder / name).write_text(f"1 Q0 a 1 2 {name[:1]}\n")
    asked = ("eval", "-f", "csv", "-m", "AP", "qrels")

    def named(*runs, stdin=b""):
        return [line.split(",")[0] for line in irev(*asked, *runs, stdin=stdin).stdout.decode().splitlines()[1:]]

    assert ["x", "o", "y z"] == named("x=run", "other", "y z=other")
    assert ["k", "b"] == named("k1=0.9.run", "b=k1=0.9.run")
    assert ["x"] == named("x=-", stdin=b"1 Q0 a 1 2 t\n")
    assert ["x"] == named("x=oth*")
    (folder / "list").write_text("other\n")
    assert ["x"] == named("x=@list")
    assert 0 == irev("eval", "-q", "-m", "AP", "-f", "json", "-o", "saved.json", "qrels", "run").status
    compared = json.loads(irev("compare", "-f", "json", "x=saved.json", "y=saved.json").stdout)
    assert ["x", "y"] == compared["runs"]
    assert "From x to y" in irev("diff", "qrels", "x=run", "y=other").stdout.decode()
    (folder / "irev.toml").write_text('qrels = "qrels"\nruns = ["x=run", "k1=0.9.run"]\nmin = { AP = 0 }\n')
    assert ["x", "k"] == [each["run"] for each in json.loads(irev("check", "-f", "json").stdout)["findings"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("qrels", "x=none"), "there is no file 'none' to be called 'x', and none that is called 'x=none'"),
        (("qrels", "x="), "'x=' has no file; a run and its name are NAME=FILE"),
        (("qrels", "=run"), "=run: there is no such file"),
        (("qrels", "none/k1=0.9.run"), "none/k1=0.9.run: there is no such file"),
        (("x=qrels", "run"), "'x=qrels' is in the place of judgments, and only runs have names there"),
        (("qrels", "x=run", "x=run"), "two runs are called 'x'; give every run a name of its own"),
        (("qrels", "r=run", "run"), "two runs are called 'r'; give every run a name of its own"),
        (("qrels", "x=two"), "the name 'x' is for one run, and there are 2 in 'two'; leave out the name"),
    ],
)
def test_a_name_that_is_of_no_one_run_is_refused(irev, folder, words, said):
    (folder / "run").write_text("1 Q0 a 1 2 r\n")
    (folder / "two").mkdir()
    for name in ("a", "b"):
        (folder / "two" / name).write_text("1 Q0 a 1 2 r\n")
    refused(irev("eval", *words), said)


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_help_says_how_a_run_is_named(irev, command):
    assert b"`NAME=RUN` is RUN with another name" in b" ".join(irev(command, "--help").stdout.split())
