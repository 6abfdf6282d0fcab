"""An option that would change nothing is refused with a sentence, in every command: none is ignored.

`IDLE` has a command line for each way in which an option can be idle. Options of commands that ask no question have to
be in it or in `ALWAYS`: a new one is so decided on.
"""

import json

import click
import pytest
from conftest import ROOT
from outcomes import refused

from irev.cli import every_command, questions
from irev.cli import irev as group

QRELS, *RUNS = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run"))
ONE = (QRELS, RUNS[0])
TWO = (QRELS, *RUNS[:2])
PLACES = {"qrels": QRELS, "hybrid": RUNS[0], "keyword": RUNS[1], "semantic": RUNS[2]}
PLACES["costs"] = str(ROOT / "sample_data" / "costs.txt")
"""What stands in braces in the command lines below, which are split at blanks, as no path may be."""

JUDGES = (QRELS, str(ROOT / "sample_data" / "judge2.txt"))

SIGNIFICANCE = (
    "--significance has no effect here: it marks runs that are ordered by a measure, under one set of judgments"
)

IDLE = [
    *(
        (f"{command} {option}", files, f"{option.split()[0]} has no effect here: no measure uses {what}")
        for option, what in (("--gains 0=0,1=1,2=2,3=3", "gains, as nDCG@10 does"),)
        for command, files in (
            ("eval -m map", ONE),
            ("check --min AP=0", ONE),
            ("compare -m AP", TWO),
            ("agree -m AP", TWO),
            ("diff -m AP", TWO),
            ("explain --query q2 -m AP", ONE),
            ("curves --kind cutoff -m P", TWO),
            ("curves", TWO),
            ("report -m AP", TWO),
        )
    ),
    ("eval --costs {costs} -m map", ONE, "no measure uses costs, as TBG and 'INST(of=EC)' do"),
    ("eval --costs {costs} -m SDCG(of=ETU)", ONE, "--costs has no effect here: no measure uses costs"),
    *(
        (f"{command} --columns {named}", files, f"--columns {named} has no effect here: {why}")
        for named, why in (
            ("query=q", "no file has columns with names, as CSV has"),
            ("qrels:query=q", "the judgments have no columns with names, as CSV has"),
            ("run:query=q", "no run has columns with names, as CSV has"),
        )
        for command, files in (
            ("eval", ONE),
            ("compare", TWO),
            ("diff", TWO),
            ("explain", ONE),
            ("report", ONE),
            ("validate", ONE),
            ("check --min AP=0", ONE),
        )
    ),
    ("eval -q --sort map", ONE, "--sort with -q orders queries, and -f trec has them in the order of"),
    ("eval --sort map -f table", ONE, "--sort has no effect here: it orders runs, or single queries;"),
    ("eval -q --sort spread -f table", ONE, "--sort has no effect here: spread needs several runs with"),
    ("eval --sort worst -f table", TWO, "--sort has no effect here: worst needs several runs with"),
    ("eval -q --sort best -f html", TWO, "--sort has no effect here: best needs several runs with"),
    ("eval --significance -f table", TWO, f"{SIGNIFICANCE}; add"),
    (
        "eval --significance -f table --sort map --qrels a={qrels} --qrels b={qrels}",
        TWO[1:],
        f"{SIGNIFICANCE}, and several are given; name one",
    ),
    (
        "eval --significance -f table -q --sort map",
        TWO,
        f"{SIGNIFICANCE}, and -q shows single queries; leave out -q",
    ),
    ("eval -n -f table", ONE, "--no-summary has no effect here: without -q nothing else is shown"),
    ("show --sort map -f table saved.json", (), "--sort has no effect here: it orders runs, or single"),
    ("show -n -f table saved.json", (), "--no-summary (-n) has no effect here: without -q"),
    ("compare --layout paper --margin 0.1", TWO, "--margin has no effect without --layout tables"),
    ("compare --layout paper -q", TWO, "--per-query has no effect without --layout tables"),
    (
        "check --max-drop AP=0.1 --baseline-run {semantic} --groups groups",
        ONE,
        "--groups has no effect: no condition is about a group",
    ),
    ("validate --order rank", ONE[:1], "--order has no effect without RUN"),
    ("validate --sorted --order file", ONE, "--sorted has no effect with --order file"),
    ("convert --tag x --to csv {qrels} -", (), "--tag has no effect here: these are judgments"),
    (
        "convert --run-format trec --content qrels --to csv {qrels} -",
        (),
        "--run-format has no effect here: these are judgments",
    ),
    ("convert --columns qrels:query=q --to csv {hybrid} -", (), "--columns qrels:query=q has no effect here: the"),
    (
        "convert --qrels-format trec --content run --to csv {hybrid} -",
        (),
        "--qrels-format has no effect here: this is a run",
    ),
    ("convert --columns query=q --to csv {hybrid} -", (), "--columns query=q has no effect here: no file has"),
    ("convert --columns run:query=q --to csv {hybrid} -", (), "--columns run:query=q has no effect here: no run"),
    ("judges --columns query=q", JUDGES, "--columns query=q has no effect here: no file has columns with names"),
    ("judges --columns qrels:query=q", JUDGES, "--columns qrels:query=q has no effect here: the judgments have"),
    ("curves --kind sheet -m AP", ONE, "--measure has no effect without --kind"),
    ("fuse --columns run:query=q", RUNS, "--columns run:query=q has no effect here: no run has columns with names"),
    ("online interleave --within 5", RUNS[:2], "--within has no effect without --method probabilistic"),
]
"""A command, its files, and what is said of an option that has no effect there."""


@pytest.mark.parametrize(("words", "files", "said"), IDLE, ids=[words for words, *_ in IDLE])
def test_an_option_that_would_change_nothing_is_refused(irev, words, files, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    irev("eval", "-q", "-m", "map", "-f", "json", "-o", "saved.json", *ONE)
    refused(irev(*(word.format(**PLACES) for word in words.split()), *files), said)


@pytest.mark.parametrize(
    ("words", "files"),
    [
        ("eval -q --sort map -f table", ONE),
        ("eval -q --sort map -f markdown", ONE),
        ("eval --wide -f tsv", ONE),
        ("eval --digits 2 --wide -f json", ONE),
        ("eval --executor processes -j 2", TWO),
        ("compare --layout paper -f csv", TWO),
        ("show --wide saved.json", ()),
        ("eval -n", ONE),
        ("eval -N 100", ONE),
        ("compare --seed 1 --interval bca", TWO),
        ("compare --all-pairs --seed 1", (*TWO, RUNS[2])),
        ("check --no-worse-than AP=0.9 --significant 0.1 --baseline-run {semantic}", ONE),
        ("power --variance 1 --difference 1", ()),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_where_it_counts_or_misleads_nobody_it_is_taken(irev, words, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    irev("eval", "-q", "-m", "map", "-f", "json", "-o", "saved.json", *ONE)
    status, _, stderr = irev(*(word.format(**PLACES) for word in words.split()), *files)
    assert status in (0, 1), stderr


def test_a_configuration_is_held_to_it_too(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irev.toml").write_text(
        f"qrels = {json.dumps(QRELS)}\nruns = {json.dumps(RUNS[0])}\nmin = {{ AP = 0 }}\nsignificant = 0.05\n"
    )
    refused(irev("check"), "--significant has no effect without --max-drop or --no-worse-than or")


@pytest.mark.parametrize(("tag", "status"), [("x", 1), ("my-run", 0), ("my-[a-z]+", 0)])
def test_a_run_of_a_format_without_run_ids_is_held_to_its_name(irev, tmp_path, tag, status):
    (tmp_path / "my-run.txt").write_text("q1 d01 3\n")
    done = irev("validate", "--tag", tag, "--run-format", "trec3", QRELS, str(tmp_path / "my-run.txt"))
    assert status == done.status
    said = b"error E305: the run id, here the name of the file, does not match 'x'; name the run as the track asks"
    assert (status == 1) == (said in done.stdout)


# Every option

ALWAYS = {
    **dict.fromkeys(["names", "wide", "style", "digits", "output", "per_query"], "how it is shown, and where"),
    **dict.fromkeys(["file", "explain", "as_json", "cite", "shell", "words"], "what is shown"),
    **dict.fromkeys(["help", "h"], "what is shown instead"),
}
"""Parameters that have an influence wherever a command takes them, or of which `IDLE` has the exceptions; on what."""


def parameters() -> list[tuple[str, str, str]]:
    """Each parameter of each command: the command, its name, and how it is written."""
    context = click.Context(group)
    found = []
    for name in {*every_command()} - {*questions()}:  # choices of questions say themselves when they have an effect
        for parameter in group.get_command(context, name).params:
            found.append((name, parameter.name, next((o for o in parameter.opts if o.startswith("--")), "")))
    return found


@pytest.mark.parametrize("command", [("eval",), ("diff", RUNS[0]), ("explain",), ("validate",)])
def test_columns_are_named_where_any_file_has_some(command, irev, tmp_path):
    """One of the judgments and runs will do; a dictionary in JSON has none."""
    table, judged, scored = (str(tmp_path / name) for name in ("run.csv", "qrels.csv", "run.json"))
    (tmp_path / "run.csv").write_text("q,docno,score\nq1,d02,2\n")
    (tmp_path / "qrels.csv").write_text("q,docno,rel\nq1,d02,2\n")
    (tmp_path / "run.json").write_text('{"q1": {"d02": 2}}')
    name, *before = command
    for options, files in (
        (("--columns", "query=q"), (QRELS, *before, table)),
        (("--columns", "run:query=q"), (QRELS, *before, table)),
        (("--columns", "query=q"), (judged, *before, RUNS[0])),
        (("--columns", "qrels:query=q"), (judged, *before, scored)),
    ):
        done = irev(name, *options, *files)
        assert done.status in (0, 1), done.stderr
        assert "changes nothing" not in done.stderr
    refused(irev(name, "--columns", "query=q", QRELS, *before, scored), "--columns query=q has no effect here: no file")


def test_every_option_is_decided_on():
    """One that may be idle has a line in the table, the others are listed with what they have an influence on."""
    tried = {(words.split()[0], said.split()[0]) for words, _, said in IDLE}
    undecided = [
        (command, name, option)
        for command, name, option in parameters()
        if name not in ALWAYS and (command, option) not in tried
    ]
    assert [] == undecided
