"""A file that cannot be used is reported with its name, and with where it was named: a list, a configuration."""

import gzip

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
