"""Z-scores, ``irev eval -Z``: what they are made with, what they print, and what is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import refused

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 a 1\nq2 0 c 1\nq3 0 a 1\n"
RUN = b"q1 Q0 b 0 2 tag\nq1 Q0 a 0 1 tag\nq2 Q0 a 0 3 tag\n"
MEANS = b"q1 map 0.25 0.5\nq2 map 0.75 0.125\nq1 num_ret 2 0\nq2 num_ret 4 0\nq2 P_5 0 0.1\nq1 P_5 .1 .1\n"


@pytest.fixture
def files(write):
    return write(QRELS, "qrels"), write(RUN, "run"), write(MEANS, "means")


def test_values_are_how_many_deviations_they_stand_above_the_mean_as_trec_eval_prints_it(irev, files):
    qrels, run, means = files
    done = irev("eval", "-q", "-m", "map", "-m", "num_ret", "-m", "num_q", "-m", "runid", "-Z", means, qrels, run)
    expected = (
        b"Znum_ret               \tq1\t0.0000\n"
        b"Zmap                   \tq1\t0.5000\n"
        b"Znum_ret               \tq2\t-1000000.0000\n"  # no deviation, and not the mean
        b"Zmap                   \tq2\t-2.0000\n"
        b"runid                 \tall\ttag\n"
        b"Znum_q                 \tall\t2.0000\n"
        b"Znum_ret               \tall\t-1000000.0000\n"
        b"Zmap                   \tall\t-0.7500\n"
    )
    assert (0, expected) == (done.status, done.stdout)


def test_the_long_names_do_the_same(irev, files):
    qrels, run, means = files
    expected = irev("eval", "-m", "map", "-Z", means, qrels, run).stdout
    assert expected
    for written in (["--zscore", means], [f"--Zscore={means}"]):
        assert expected == irev("eval", "-m", "map", *written, qrels, run).stdout


def test_summaries_are_made_of_z_scores_by_the_rules_of_the_measures_and_others(irev, files):
    qrels, run, means = files
    asked = ["-m", "map", "--aggregate", "max,sum", "-Z", means, "--digits", "2", qrels, run]
    expected = b"Zmap_agg=max           \tall\t0.50\nZmap_agg=sum           \tall\t-1.50\n"
    assert expected == irev("eval", *asked).stdout


def test_a_missing_query_that_counts_needs_its_mean_too_and_none_in_9_0_8(irev, write, files):
    qrels, run, means = files
    done = irev("eval", "-c", "-m", "map", "-Z", means, qrels, run)
    refused(done, "there is no mean of map for query 'q3'; expected a line such as: 'q3' map 0.25 0.1")
    more = write(MEANS + b"q3 map 0.5 0.5\n", "more")
    assert b"Zmap                   \tall\t-0.8333\n" == irev("eval", "-c", "-m", "map", "-Z", more, qrels, run).stdout
    alone = write(MEANS + b"q1 num_rel 0 1\nq2 num_rel 0 1\n", "alone")
    older = irev("eval", "-c", "-m", "map", "-m", "num_rel", "-Z", alone, "--compat", "9.0.8", qrels, run)
    assert b"Znum_rel               \tall\t4.0000\nZmap                   \tall\t-0.5000\n" == older.stdout


def test_groups_have_z_scores_and_texts_stay_texts(irev, write, files):
    qrels, run, means = files
    groups = write(b"q1\tx\nq2\ty\n", "groups")
    done = irev("eval", "-q", "-m", "map", "-m", "relstring", "--groups", groups, "-Z", means, qrels, run)
    lines = done.stdout.splitlines()
    assert b"relstring             \tq1\t'01'" in lines
    assert b"Zmap                   \tall:x\t0.5000" in lines
    assert b"Zmap                   \tall:y\t-2.0000" in lines


def test_a_geometric_mean_needs_no_entries_and_says_so(irev, write, files):
    qrels, run, means = files
    done = irev("eval", "-m", "gm_map", "-Z", means, qrels, run)
    assert (0, b"Zgm_map                \tall\t0.0000\n") == (done.status, done.stdout)
    assert "has no means of gm_map, which no line for a query shows: 0.0000 is not its value" in done.stderr
    known = write(b"q1 gm_map -1 1\nq2 gm_map -2 0.5\n", "known")
    expected = math.exp(((math.log(0.5) + 1) / 1 + (math.log(0.5) + 2) / 0.5) / 2)
    assert (
        b"Zgm_map                \tall\t%6.4f\n" % expected
        == irev("eval", "-m", "gm_map", "-Z", known, qrels, run).stdout
    )
    huge = write(b"q1 gm_map -1 1e-9\nq2 gm_map -2 1e-9\n", "huge")
    assert b"Zgm_map                \tall\t   inf\n" == irev("eval", "-m", "gm_map", "-Z", huge, qrels, run).stdout
    some = irev("eval", "-m", "gm_map", "-Z", write(b"q1 gm_map -1 1\n", "some"), qrels, run)
    refused(some, "there is no mean of gm_map for query 'q2'")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty; expected a query, the label of a measure"),
        (b"q1 map 0.5 1\nq2 P_5 1 1\n", "there is no mean of map for query 'q2'; expected a line such as"),
        (b"q9 map 0.5 1\n", "there is no mean of map for query 'q1', nor for 1 other query"),
        (b"q1 map 0.5\n", ":1: found 'q1 map 0.5'; expected a query, the label of a measure, a mean and a"),
        (b"q1 map 0.5 1\n\n", "there is no mean of map for query 'q2'"),
        (b"q1 map 0.5 1 x\n", ":1: found 'q1 map 0.5 1 x'; expected a query, the label of a measure, a mean and a"),
        (b"q1 map x 1\n", ":1: the mean 'x' is not a number"),
        (b"q1 map 1 nan\n", ":1: the standard deviation 'nan' is not a number"),
        (b"q1 map 1 -1\n", ":1: the standard deviation '-1' is below 0"),
        (b"q1 map 0 1\nq2 map 0 1\nq1 map 0 1\n", ":3: query 'q1' of measure 'map' occurs twice (first on line 1)"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(irev, write, files, content, message):
    qrels, run, _ = files
    refused(irev("eval", "-m", "map", "-Z", write(content, "bad"), qrels, run), message)


def test_other_styles_and_commands_refuse_z_scores_by_name(irev, files):
    qrels, run, means = files
    done = irev("eval", "-f", "json", "-Z", means, qrels, run)
    refused(done, "z-scores are printed only with -f trec, not with -f json")
    for command in ("compare", "check", "power", "agree", "curves"):
        refused(irev(command, "-Z", means, qrels, run, run), "irev eval -Z FILE prints z-scores")


values = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@given(
    means=st.tuples(values, values),
    deviations=st.tuples(values, values),
)
@pytest.mark.thorough
def test_every_line_is_what_a_loop_makes_of_the_values(irev, tmp_path_factory, means, deviations):
    folder = tmp_path_factory.mktemp("z")
    for name, content in (("qrels", QRELS), ("run", RUN)):
        (folder / name).write_bytes(content)
    files = str(folder / "qrels"), str(folder / "run")
    plain = irev("eval", "-q", "-n", "-m", "all_trec", "--digits", "exact", *files).stdout.decode()
    rows = [line.split("\t") for line in plain.splitlines() if not line.startswith("relstring")]
    of = {query: pair for query, *pair in zip(("q1", "q2"), means, deviations, strict=True)}
    entries = [f"{query} {label.strip()} {of[query][0]!r} {of[query][1]!r}\n" for label, query, _ in rows]
    (folder / "means").write_text("".join(entries))
    expected = []
    for label, query, value in rows:
        mean, deviation = of[query]
        at_mean = 0.0 if float(value) == mean else -1000000.0
        z = (float(value) - mean) / deviation if deviation else at_mean
        expected.append(f"Z{label}\t{query}\t{z:6.4f}")
    done = irev("eval", "-q", "-n", "-m", "all_trec", "-Z", str(folder / "means"), *files).stdout.decode()
    assert expected == [line for line in done.splitlines() if not line.startswith("relstring")]
