"""An option that would change nothing is refused with a sentence, in every command: none is ignored.

Two tables hold it. `IDLE` has a command line for each way in which an option can be idle. `HELD` has every option of
every command, and says why it cannot be ignored: a new option has to be entered, and so decided on.
"""

import json

import click
import pytest
from conftest import ROOT
from outcomes import refused

from irev.doors.cli import EVERY_COMMAND, QUESTIONS
from irev.doors.cli import irev as group

QRELS, *RUNS = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run"))
ONE = (QRELS, RUNS[0])
TWO = (QRELS, *RUNS[:2])
DROP = ("--max-drop", "AP=0.1", "--baseline-run", RUNS[2])

JUDGES = (QRELS, str(ROOT / "sample_data" / "judge2.txt"))

RANKED = (RUNS[2], str(ROOT / "sample_data" / "ab_test.csv"))

GAINS = ("--gains", "0=0,1=1,2=2,3=3")
COSTS = ("--costs", str(ROOT / "sample_data" / "costs.txt"))

IDLE = {
    **{
        (
            *command,
            *COSTS,
            *files,
        ): "--costs has no effect here: no measure uses costs, as TBG and 'INST(of=EC)' do"
        for command, files in (
            (("eval", "-m", "map", "-m", "SDCG(of=ETU)"), ONE),
            (("check", "--min", "AP=0"), ONE),
            (("compare", "-m", "AP"), TWO),
            (("power", "-m", "AP"), TWO),
            (("agree", "-m", "AP"), TWO),
            (("diff", "-m", "AP"), TWO),
            (("explain", "--query", "q2", "-m", "AP"), ONE),
            (("curves", "--kind", "cutoff", "-m", "P"), TWO),
            (("curves",), TWO),
            (("coverage", "-m", "AP"), TWO),
            (("judges", "--run", RUNS[0], "--run", RUNS[1], "-m", "AP"), JUDGES),
            (("report", "-m", "AP"), TWO),
        )
    },
    ("eval", "-m", "map", *GAINS, *ONE): "--gains has no effect here: no measure uses gains, as nDCG@10 does",
    ("check", "--min", "AP=0", *GAINS, *ONE): "--gains has no effect here: no measure uses gains",
    (
        "eval",
        "--partitioned",
        *ONE,
    ): "--partitioned has no effect here: no folder or pattern is given; put a pattern",
    ("compare", "-m", "AP", *GAINS, *TWO): "--gains has no effect here: no measure uses gains",
    ("power", "-m", "AP", *GAINS, *TWO): "--gains has no effect here: no measure uses gains",
    ("agree", "-m", "AP", *GAINS, *TWO): "--gains has no effect here: no measure uses gains",
    ("diff", "-m", "AP", *GAINS, *TWO): "--gains has no effect here: no measure uses gains",
    ("explain", "--query", "q2", "-m", "AP", *GAINS, *ONE): "--gains has no effect here: no measure uses gains",
    ("eval", "-q", "--sort", "map", *ONE): "--sort with -q orders queries, and -f trec has them in the order of",
    ("eval", "--sort", "map", "-f", "table", *ONE): "--sort has no effect here: it orders runs, or single queries;",
    (
        "eval",
        "-q",
        "--sort",
        "spread",
        "-f",
        "table",
        *ONE,
    ): "--sort has no effect here: spread needs several runs with",
    (
        "eval",
        "--sort",
        "worst",
        "-f",
        "table",
        *TWO,
    ): "--sort has no effect here: worst needs several runs with",
    ("eval", "-q", "--sort", "best", "-f", "html", *TWO): "--sort has no effect here: best needs several runs with",
    (
        "eval",
        "--significance",
        "-f",
        "table",
        *TWO,
    ): "--significance has no effect here: it marks runs that are ordered by a measure, under one set of judgments;"
    " add",
    (
        "eval",
        "--significance",
        "-f",
        "table",
        "--sort",
        "map",
        "--qrels",
        f"a={QRELS}",
        "--qrels",
        f"b={QRELS}",
        *TWO[1:],
    ): "--significance has no effect here: it marks runs that are ordered by a measure, under one set of judgments, and"
    " several are given; name one",
    (
        "eval",
        "--significance",
        "-f",
        "table",
        "-q",
        "--sort",
        "map",
        *TWO,
    ): "--significance has no effect here: it marks runs that are ordered by a measure, under one set of judgments, and"
    " -q shows single queries; leave out -q",
    (
        "eval",
        "-n",
        "-f",
        "table",
        *ONE,
    ): "--no-summary has no effect here: without -q nothing else is shown",
    ("show", "--sort", "map", "-f", "table", "saved.json"): "--sort has no effect here: it orders runs, or single",
    ("show", "--rerun", "-q", "saved.json"): "--per-query (-q) has no effect here: --rerun only shows what differs",
    ("show", "-n", "-f", "table", "saved.json"): "--no-summary (-n) has no effect here: without -q",
    ("compare", "--zeros", "pratt", *TWO): "--zeros has no effect without --test wilcoxon",
    ("compare", "--wilcoxon", "exact", *TWO): "--wilcoxon has no effect without --test wilcoxon",
    ("compare", "--layout", "paper", "--details", *TWO): "--details has no effect without --layout tables",
    ("compare", "--layout", "paper", "--margin", "0.1", *TWO): "--margin has no effect without --layout tables",
    ("compare", "--layout", "paper", "-q", *TWO): "--per-query has no effect without --layout tables",
    (
        "curves",
        "--kind",
        "cutoff",
        "-m",
        "P",
        *GAINS,
        *TWO,
    ): "--gains has no effect here: no measure uses gains",
    ("curves", *GAINS, *TWO): "--gains has no effect here: no measure uses gains",
    ("rbo", "--run-columns", "query=q", *RUNS[:2]): "--run-columns has no effect here: no run has columns",
    ("check", *DROP, "--groups", "groups", *ONE): "--groups has no effect: no condition is about a group",
    ("validate", "--order", "rank", QRELS): "--order has no effect without RUN",
    ("validate", "--sorted", "--order", "file", *ONE): "--sorted has no effect with --order file",
    ("convert", "--tag", "x", "--to", "csv", QRELS, "-"): "--tag has no effect here: these are judgments",
    ("convert", "--run-format", "trec", "--content", "qrels", "--to", "csv", QRELS, "-"): (
        "--run-format has no effect here: these are judgments"
    ),
    (
        "convert",
        "--qrels-columns",
        "query=q",
        "--to",
        "csv",
        RUNS[0],
        "-",
    ): "--qrels-columns has no effect here: this",
    ("convert", "--qrels-format", "trec", "--content", "run", "--to", "csv", RUNS[0], "-"): (
        "--qrels-format has no effect here: this is a run"
    ),
    ("coverage", "-J", *ONE): "--judged-only has no effect: values without unjudged documents are shown in any case",
    ("coverage", "-m", "AP", *GAINS, *TWO): "--gains has no effect here: no measure uses gains",
    ("judges", "--run", RUNS[0], "--run", RUNS[1], "-m", "AP", *GAINS, *JUDGES): "--gains has no effect here: no",
    ("judges", "--columns", "query=q", *JUDGES): "--columns has no effect here: no file has columns with names",
    ("judges", "--qrels-columns", "query=q", *JUDGES): "--qrels-columns has no effect here: the judgments have no",
    ("report", "--zeros", "pratt", *TWO): "--zeros has no effect without --test wilcoxon",
    ("report", "--wilcoxon", "exact", *TWO): "--wilcoxon has no effect without --test wilcoxon",
    ("report", "-m", "AP", *GAINS, *TWO): "--gains has no effect here: no measure uses gains",
    ("curves", "--kind", "sheet", "-m", "AP", *ONE): "--measure has no effect without --kind",
    ("report", "--name", "x", "--from", "saved.json"): "--name has no effect with --from",
    ("report", "--coverage", "-J", *TWO): "--judged-only has no effect: values without unjudged documents are shown",
    **{
        (command, option, "query=q", *files): f"{option} has no effect here: {why}"
        for option, why in (
            ("--columns", "no file has columns with names, as CSV has"),
            ("--qrels-columns", "the judgments have no columns with names, as CSV has"),
            ("--run-columns", "no run has columns with names, as CSV has"),
        )
        for command, files in (
            *(
                ("eval", ONE),
                ("compare", TWO),
                ("agree", TWO),
                ("coverage", TWO),
                ("power", TWO),
                ("diff", TWO),
                ("explain", ONE),
                ("report", ONE),
            ),
            *(("validate", ONE), ("check", ("--min", "AP=0", *ONE))),
        )
    },
    ("explain", "--list", "--columns", "query=q", *ONE): "--columns has no effect here: no file has columns",
    ("convert", "--columns", "query=q", "--to", "csv", RUNS[0], "-"): "--columns has no effect here: no file has",
    ("convert", "--run-columns", "query=q", "--to", "csv", RUNS[0], "-"): "--run-columns has no effect here: no run",
    ("fuse", "--run-columns", "query=q", *RUNS): "--run-columns has no effect here: no run has columns with names",
    ("online", "interleave", "--within", "5", *RUNS[:2]): "--within has no effect without --method probabilistic",
    ("online", "interleave", "--run-columns", "query=q", *RUNS[:2]): "--run-columns has no effect here: no run has",
    ("online", "off-policy", "--run-columns", "query=q", *RANKED): "--run-columns has no effect here: no run has",
    ("online", "simulate", "--columns", "query=q", *ONE): "--columns has no effect here: no file has columns",
    ("online", "simulate", "--run-columns", "query=q", *ONE): "--run-columns has no effect here: no run has",
    ("online", "simulate", "--qrels-columns", "query=q", *ONE): "--qrels-columns has no effect here: the judg",
}


@pytest.mark.parametrize("line", IDLE, ids=lambda line: " ".join(word for word in line if "/" not in word))
def test_an_option_that_would_change_nothing_is_refused(irev, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    irev("eval", "-q", "-m", "map", "-f", "json", "-o", "saved.json", *ONE)
    refused(irev(*line), IDLE[line])


@pytest.mark.parametrize(
    "line",
    [
        ("eval", "-q", "--sort", "map", "-f", "table", *ONE),
        ("eval", "-q", "--sort", "map", "-f", "markdown", *ONE),
        ("eval", "--wide", "-f", "tsv", *ONE),
        ("eval", "--digits", "2", "--wide", "-f", "json", *ONE),
        ("eval", "--executor", "processes", "-j", "2", *TWO),
        ("compare", "--layout", "paper", "-f", "csv", *TWO),
        ("show", "--wide", "saved.json"),
        ("eval", "-n", *ONE),
        ("eval", "-N", "100", *ONE),
        ("compare", "--samples", "99", "--seed", "1", "--interval", "bca", *TWO),
        ("compare", "--zeros", "pratt", "--test", "t,wilcoxon", *TWO),
        ("compare", "--all-pairs", "--samples", "99", *TWO, RUNS[2]),
        ("check", "--no-worse-than", "AP=0.9", "--significant", "0.1", "--baseline-run", RUNS[2], *ONE),
        ("power", "--variance", "1", "--difference", "1", "--digits", "2"),
    ],
    ids=lambda line: " ".join(word for word in line if "/" not in word),
)
def test_where_it_counts_or_misleads_nobody_it_is_taken(irev, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    irev("eval", "-q", "-m", "map", "-f", "json", "-o", "saved.json", *ONE)
    status, _, stderr = irev(*line)
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
    **dict.fromkeys(
        ["measures", "bounds", "zscore", "per_query", "names", "wide", "style", "output", "aggregates"], "shown"
    ),
    **dict.fromkeys(["per_query_to"], "written"),
    **dict.fromkeys(["sets", "files", "groups", "titles", "documents", "baseline", "baseline_run", "subsets"], "read"),
    **dict.fromkeys(
        ["complete", "queries", "strict", "only", "level", "depth", "judged_only", "gains", "costs"], "evaluated"
    ),
    **dict.fromkeys(["qrels_format", "run_format", "order", "ties", "duplicates", "negative"], "read"),
    **dict.fromkeys(["drop_self", "compat", "columns", "names_given", "scores", "all_pairs"], "read"),
    **dict.fromkeys(["qrels_columns", "run_columns", "target", "file_kind", "overwrite"], "read or written"),
    **dict.fromkeys(["collection_size", "rel_info_format", "results_format"], "as in trec_eval"),
    **dict.fromkeys(
        ["jobs", "executor", "quiet", "all_warnings", "help", "h", "words", "version", "allow_large"],
        "not about what comes out",
    ),
    **dict.fromkeys(["tests", "alternative", "interval", "confidence", "alpha", "correction", "family"], "shown"),
    **dict.fromkeys(["tie_tolerance", "margin", "power", "plot", "persistence", "difference", "variance"], "shown"),
    **dict.fromkeys(["p", "rbo_ties"], "evaluated"),
    **dict.fromkeys(["samples", "seed"], "drawn, where anything is"),
    **dict.fromkeys(["width", "kind", "curve", "update_baseline", "min", "max", "gate", "every_query"], "shown"),
    **dict.fromkeys(
        ["max_drop", "no_worse_than", "max_query_losses", "max_share_losing", "junit", "comment"],
        "written or checked",
    ),
    **dict.fromkeys(["markdown_summary", "gitlab_metrics", "github", "config"], "written or read"),
    **dict.fromkeys(["max_problems", "qrels", "run"], "shown"),
    **dict.fromkeys(
        ["everything", "digits", "simultaneous"], "shown, by explain in every style and in the sentences of check"
    ),
    **dict.fromkeys(["file", "explain", "as_json", "shell", "name"], "shown"),
    **dict.fromkeys(["cite", "rerun"], "shown"),
    **dict.fromkeys(["saved", "partitioned"], "read"),
    **dict.fromkeys(["report"], "written"),
    **dict.fromkeys(["judged", "runs"], "read"),
    **dict.fromkeys(["scales", "weights", "alpha_level"], "shown"),
    **dict.fromkeys(["tag"], "fused or written"),
}
"""Parameters that have an influence wherever a command takes them, or of which `IDLE` has the exceptions; on what."""


def parameters() -> list[tuple[str, str, str]]:
    """Each parameter of each command: the command, its name, and how it is written."""
    context = click.Context(group)
    found = []
    for name in {*EVERY_COMMAND} - {*QUESTIONS}:  # choices of questions say themselves when they have an effect
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
        (("--run-columns", "query=q"), (QRELS, *before, table)),
        (("--columns", "query=q"), (judged, *before, RUNS[0])),
        (("--qrels-columns", "query=q"), (judged, *before, scored)),
    ):
        done = irev(name, *options, *files)
        assert done.status in (0, 1), done.stderr
        assert "changes nothing" not in done.stderr
    refused(irev(name, "--columns", "query=q", QRELS, *before, scored), "--columns has no effect here: no file has col")


def test_every_option_is_decided_on():
    """One that may be idle has a line in the table, the others are listed with what they have an influence on."""
    tried = {(line[0], message.split()[0]) for line, message in IDLE.items()}
    always = {("validate", name) for name in ("topics", "docids")}
    undecided = [
        (command, name, option)
        for command, name, option in parameters()
        if name not in ALWAYS and (command, option) not in tried and (command, name) not in always
    ]
    assert [] == undecided
