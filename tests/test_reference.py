"""The reference itself is judged here: by recorded output of trec_eval and by numbers worked out by hand."""

import json
from pathlib import Path

import pytest
from reference import Options, Refused, evaluate, rank, read_qrels, read_run

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = {"trec_eval 10.0": "10.0", "trec_eval 9.0.8": "9.0.8"}


def options_of(flags: list[str], compat: str) -> Options:
    """Options from the flags of a golden case: a value is attached to its letter or is the next word."""
    choices: dict[str, object] = {"compat": compat}
    measures = []
    words = iter(flags)
    for word in words:
        letter = word[1]
        if letter in "qncJ":
            name, value = {
                "q": ("per_query", True),
                "n": ("summary", False),
                "c": ("complete", True),
                "J": ("judged_only", True),
            }[letter]
            choices[name] = value
        else:
            argument = word[2:] or next(words)
            if letter == "m":
                measures.append(argument)
            else:
                name = {"l": "level", "M": "depth", "N": "collection_size"}[letter]
                choices[name] = int(argument)
    return Options(measures=tuple(measures), **choices)


def recorded() -> list:
    """Every golden case and version that has an output."""
    cases = []
    for path in sorted(GOLDEN.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        for version in VERSIONS:
            if case[version] is not None:
                name = f"{path.stem}-{version}"
                cases.append(pytest.param(path, case["flags"], version, case[version], id=name))
    return cases


@pytest.mark.parametrize(("path", "flags", "version", "expected"), recorded())
def test_reference_prints_what_trec_eval_printed(path, flags, version, expected):
    qrels = path.with_suffix(".qrels").read_bytes()
    run = path.with_suffix(".run").read_bytes()
    options = options_of(flags, VERSIONS[version])

    if expected["exit"] != 0:
        with pytest.raises(Refused):
            evaluate(qrels, run, options)
    else:
        assert expected["stdout"] == evaluate(qrels, run, options).decode("utf-8")


def test_there_are_golden_cases_of_both_versions():
    cases = recorded()

    assert set(VERSIONS) == {case.values[2] for case in cases}
    assert len(list(GOLDEN.glob("*.json"))) == len({case.values[0] for case in cases})


# One query small enough to work out on paper: six documents retrieved, three relevant, two of them found.

VECTOR_QRELS = b"q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq1 0 d -1\nq1 0 e 0\nq1 0 f 1\n"
VECTOR_RUN = b"".join(
    b"q1 Q0 %s 0 %d tag\n" % row for row in [(b"x", 9), (b"d", 8), (b"a", 7), (b"b", 7), (b"c", 5), (b"e", 4)]
)


def vector(measure: str, **choices) -> dict[str, str]:
    """Label to value of the query q1, or of the summary where a measure has no line for a query."""
    options = Options(measures=(measure,), per_query=True, **choices)
    lines = evaluate(VECTOR_QRELS, VECTOR_RUN, options).decode("ascii").splitlines()
    values = {}
    for line in lines:
        label, _, value = line.split("\t")
        values.setdefault(label.strip(), value)
    return values


VECTOR = {
    "runid": {"runid": "tag"},
    "num_q": {"num_q": "1"},
    "num_ret": {"num_ret": "6"},
    "num_rel": {"num_rel": "3"},
    "num_rel_ret": {"num_rel_ret": "2"},
    "relstring": {"relstring": "'-.0210'"},
    "relstring.3": {"relstring_3": "'-.0'"},
    "map": {"map": "0.2167"},
    "gm_map": {"gm_map": "0.2167"},
    "Rprec": {"Rprec": "0.0000"},
    "bpref": {"bpref": "0.3333"},
    "gm_bpref": {"gm_bpref": "0.3333"},
    "recip_rank": {"recip_rank": "0.2500"},
    "iprec_at_recall.0,.8,.9,1": {
        "iprec_at_recall_0.00": "0.4000",
        "iprec_at_recall_0.80": "0.4000",
        "iprec_at_recall_0.90": "0.0000",
        "iprec_at_recall_1.00": "0.0000",
    },
    "11pt_avg": {"11pt_avg": "0.3273"},
    "P.3,4,5": {"P_3": "0.0000", "P_4": "0.2500", "P_5": "0.4000"},
    "recall.4": {"recall_4": "0.3333"},
    "infAP": {"infAP": "0.2500"},
    "Rprec_mult": {
        "Rprec_mult_0.20": "0.0000",
        "Rprec_mult_0.40": "0.0000",
        "Rprec_mult_0.60": "0.0000",
        "Rprec_mult_0.80": "0.0000",
        "Rprec_mult_1.00": "0.0000",
        "Rprec_mult_1.20": "0.2500",
        "Rprec_mult_1.40": "0.4000",
        "Rprec_mult_1.60": "0.4000",
        "Rprec_mult_1.80": "0.3333",
        "Rprec_mult_2.00": "0.3333",
    },
    "utility": {"utility": "-2.0000"},
    "binG": {"binG": "0.2871"},
    "G": {"G": "0.3230"},
    "G.1=3,2=9": {"G_1=3,2=9": "0.2605"},
    "dcg": {"dcg": "1.2482"},
    "ideal_dcg": {"ideal_dcg": "3.1309"},
    "ndcg": {"ndcg": "0.3987"},
    "ndcg.1=3,2=9": {"ndcg_1=3,2=9": "0.4064"},
    "ndcg_rel": {"ndcg_rel": "0.3575"},
    "Rndcg": {"Rndcg": "0.1329"},
    "ndcg_cut.3,4,5": {"ndcg_cut_3": "0.0000", "ndcg_cut_4": "0.2751", "ndcg_cut_5": "0.3987"},
    "map_cut.4": {"map_cut_4": "0.0833"},
    "relative_P.4,5": {"relative_P_4": "0.3333", "relative_P_5": "0.6667"},
    "success.3,5": {"success_3": "0.0000", "success_5": "1.0000"},
    "set_P": {"set_P": "0.3333"},
    "set_recall": {"set_recall": "0.6667"},
    "set_relative_P": {"set_relative_P": "0.6667"},
    "set_map": {"set_map": "0.2222"},
    "set_F": {"set_F": "0.4444"},
    "set_F.0.5": {"set_F_0.5": "0.4000"},
    "num_nonrel_judged_ret": {"num_nonrel_judged_ret": "2"},
    "yaap": {"yaap": "-0.7082"},
    "rbp": {"rbp": "0.1057"},
    "rbp_resid": {"rbp_resid": "0.7214"},
    "unj.2,4,5": {"unj_2": "1.0000", "unj_4": "0.5000", "unj_5": "0.4000"},
}


@pytest.mark.parametrize(("measure", "expected"), VECTOR.items())
def test_measures_of_the_small_query_have_their_value(measure, expected):
    assert expected == vector(measure)


def test_utility_counts_the_documents_outside_of_both_sets():
    expected = {"utility_1,-1,.5,.25": "21.7500"}

    assert expected == vector("utility.1,-1,.5,.25", collection_size=100)


@pytest.mark.parametrize(
    ("measure", "expected"),
    {
        "relstring": "'0210'",
        "map": "0.3889",
        "infAP": "0.3889",
        "bpref": "0.3333",
        "P.2": "0.5000",
        "ndcg": "0.5627",
        "Rndcg": "0.2814",
        "rbp_resid": "0.0000",
    }.items(),
)
def test_judged_only_closes_the_ranks_of_unjudged_documents(measure, expected):
    assert [expected] == list(vector(measure, judged_only=True).values())


@pytest.mark.parametrize(
    ("measure", "expected"),
    {
        "num_rel": "1",
        "map": "0.2500",
        "infAP": "0.2500",
        "P.4": "0.2500",
        "bpref": "0.0000",
        "num_nonrel_judged_ret": "3",
        "dcg": "1.2482",
        "ndcg": "0.3987",
        "ndcg_rel": "0.3575",
        "Rndcg": "0.1329",
        "ndcg_cut.4": "0.2751",
        "G": "0.3230",
        "rbp": "0.1057",
    }.items(),
)
def test_a_level_of_two_moves_relevance_but_no_gain(measure, expected):
    assert [expected] == list(vector(measure, level=2).values())


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("11pt_avg", {"11pt_avg": "0.2909"}),
        ("iprec_at_recall.0.7,0.8", {"iprec_at_recall_0.70": "0.4000", "iprec_at_recall_0.80": "0.0000"}),
    ],
)
def test_9_0_8_rounds_recall_points_up(measure, expected):
    assert expected == vector(measure, compat="9.0.8")


# What irev promises where trec_eval has no answer worth repeating


def test_cutoffs_of_several_requests_are_united():
    options = Options(measures=("P.10", "P", "P.5"))
    expected = [b"P_5", b"P_10"]

    assert expected == [line.split()[0] for line in evaluate(VECTOR_QRELS, VECTOR_RUN, options).splitlines()]


def test_lists_and_pairs_of_several_requests_have_a_line_each():
    options = Options(measures=("ndcg.1=3", "set_F.2", "ndcg", "ndcg.2=9", "set_F.0.5"))
    expected = [b"ndcg_1=3", b"ndcg_2=9", b"set_F_2", b"set_F_0.5"]

    assert expected == [line.split()[0] for line in evaluate(VECTOR_QRELS, VECTOR_RUN, options).splitlines()]


def test_rbp_of_graded_judgments_divides_by_the_highest_grade_of_the_query():
    qrels = b"q 0 a 4\nq 0 b 1\n"
    run = b"q 0 b 0 2 t\nq 0 a 0 1 t\n"

    expected = b"rbp_p=0.5             \tall\t0.3750\n"  # (1 - 0.5) * (1/4 + 4/4 * 0.5)

    assert expected == evaluate(qrels, run, Options(measures=("rbp.p=0.5",)))


def test_rbp_scales_over_every_grade_up_to_the_highest_judged_even_one_no_document_has():
    qrels = b"q 0 a 4\nq 0 b 0\n"
    run = b"q 0 b 0 1 t\n"
    expected = b"rbp_4=-3              \tall\t0.0500\n"  # gains run from -3 to 3: (1 - 0.9) * (0 + 3)/(3 + 3)

    assert expected == evaluate(qrels, run, Options(measures=("rbp.4=-3",)))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("dcg.-1=1", {"dcg_-1=1": "2.2482"}),  # x, of which the judgments say nothing, at rank 1
        ("dcg.-2=1", {"dcg_-2=1": "1.8791"}),  # d, judged below 0, at rank 2
    ],
)
def test_an_unjudged_document_gains_what_a_pair_credits(measure, expected):
    assert expected == vector(measure)


def test_a_missing_query_counts_as_an_empty_ranking_under_complete():
    qrels = b"1 0 a 1\n2 0 a 1\n"
    run = b"1 0 a 0 1 t\n"
    measures = ("num_q", "num_rel", "map", "utility.0,0,1,0", "ndcg.-1=1")
    options = Options(measures=measures, per_query=True, complete=True)
    expected = [
        b"num_rel               \t2\t1",
        b"map                   \t2\t0.0000",
        b"utility_0,0,1,0       \t2\t0.0000",
        b"ndcg_-1=1             \t2\t0.0000",
    ]
    actual = evaluate(qrels, run, options).splitlines()

    assert expected == [line for line in actual if b"\t2\t" in line and b"\tall\t" not in line]
    assert b"map                   \tall\t0.5000" in actual
    assert b"num_q                 \tall\t2" in actual


def test_a_missing_query_is_left_out_without_complete():
    qrels = b"1 0 a 1\n2 0 a 1\n"
    run = b"1 0 a 0 1 t\n"

    expected = b"num_q                 \tall\t1\n"

    assert expected == evaluate(qrels, run, Options(measures=("num_q",)))


def test_a_query_with_negative_grades_only_has_no_relevant_documents():
    qrels = b"1 0 a -1\n1 0 b -2\n"
    run = b"1 0 a 0 1 t\n"
    expected = b"num_rel               \tall\t0\nideal_dcg             \tall\t0.0000\n"

    assert expected == evaluate(qrels, run, Options(measures=("num_rel", "ideal_dcg")))


def test_equal_scores_are_ordered_by_highest_document_bytes_first():
    scores = {b"a": 1.0, b"z": 0.5, b"\xc3\xa9": 1.0, b"ab": 1.0, b"b": 1.0}
    expected = [b"\xc3\xa9", b"b", b"ab", b"a", b"z"]

    assert expected == rank(scores, Options())


def test_9_0_8_compares_scores_in_single_precision():
    scores = {b"a": 0.1234567891, b"b": 0.1234567890, b"c": 1e300, b"d": 1e299}

    assert [b"c", b"d", b"a", b"b"] == rank(scores, Options())
    assert [b"d", b"c", b"b", b"a"] == rank(scores, Options(compat="9.0.8"))


def test_comments_are_no_data_in_10_0_and_data_in_9_0_8():
    qrels = b"# 0 a 1\n# 0 b 1\nq 0 c 1\n# 0 d 1\n"
    run = b"  # 0 a 0 1 t\nq 0 c 0 1 t\n#9 0 b 0 1 t\n"

    newer, older = Options(), Options(compat="9.0.8")

    assert {b"q"} == set(read_qrels(qrels, newer))
    assert {b"q"} == set(read_run(run, newer)[0])
    assert {b"q", b"#"} == set(read_qrels(qrels, older))
    assert {b"q", b"#", b"#9"} == set(read_run(run, older)[0])


QRELS_ROW = b"q 0 d 1\n"
RUN_ROW = b"q 0 d 0 1 t\n"


@pytest.mark.parametrize(
    ("qrels", "run", "file", "line"),
    [
        (b"", RUN_ROW, "qrels", None),
        (b"# only a comment\n", RUN_ROW, "qrels", None),
        (QRELS_ROW, b"", "run", None),
        (QRELS_ROW, b"\n# only a comment\n", "run", None),
        (QRELS_ROW + b"\n", RUN_ROW, "qrels", 2),
        (QRELS_ROW + b"q 0 e\n", RUN_ROW, "qrels", 2),
        (QRELS_ROW + b"q 0 e 1 1\n", RUN_ROW, "qrels", 2),
        (QRELS_ROW + b"q 0 e 1,5\n", RUN_ROW, "qrels", 2),
        (QRELS_ROW + b"q 0 e 9007199254740994\n", RUN_ROW, "qrels", 2),
        (QRELS_ROW + b"q 0 e 1e400\n", RUN_ROW, "qrels", 2),
        (QRELS_ROW + b"r 0 d 1\nq 1 d 0\n", RUN_ROW, "qrels", 3),
        (QRELS_ROW + b"q 0 e\0 1\n", RUN_ROW, "qrels", 2),
        (QRELS_ROW + b"# \0\n", RUN_ROW, "qrels", 2),
        (QRELS_ROW, RUN_ROW + b"q 0 e 0 1\n", "run", 2),
        (QRELS_ROW, RUN_ROW + b"q 0 e 0 nan t\n", "run", 2),
        (QRELS_ROW, RUN_ROW + b"q 0 e 0 0x1 t\n", "run", 2),
        (QRELS_ROW, RUN_ROW + b"q 0 e 0 1_0 t\n", "run", 2),
        (QRELS_ROW, RUN_ROW + b"q 0 an id with blanks 0 1 t\n", "run", 2),
        (QRELS_ROW, RUN_ROW + b"\nq 0 d 0 0.5 t\n", "run", 3),
        (QRELS_ROW, RUN_ROW + b"q 0 e 0 1 \0\n", "run", 2),
        (QRELS_ROW + b"q\n", RUN_ROW + b"q\n", "qrels", 2),
        (QRELS_ROW, b"r 0 d 0 1 t\n", None, None),
    ],
)
def test_bad_input_is_refused_at_its_earliest_line(qrels, run, file, line):
    with pytest.raises(Refused) as refusal:
        evaluate(qrels, run, Options())
    assert (file, line) == (refusal.value.file, refusal.value.line)


@pytest.mark.parametrize("score", [b"1", b"-1.", b"+.5", b"1e400", b"1E-3", b"INF", b"-infinity", b"+inf"])
def test_numbers_and_infinities_are_scores(score):
    assert {b"q": {b"d": float(score)}} == read_run(b"q 0 d 0 %s t\n" % score, Options())[0]


@pytest.mark.parametrize(
    "measure",
    [
        *(
            "",
            "nothing",
            "P.",
            "P.0",
            "P.5,5",
            "P.5x",
            "P.1e2",
            "official.5",
            "map.5",
            "recip_rank.10",
            "binG.1=3",
        ),
        *(
            "set_F.abc",
            "utility.1",
            "ndcg.1",
            "ndcg.1=2,",
            "ndcg.x=5",
            "ndcg.p=0.5",
            "iprec_at_recall..2,.20",
        ),
    ],
)
def test_a_measure_that_means_nothing_is_refused(measure):
    with pytest.raises(Refused):
        evaluate(QRELS_ROW, RUN_ROW, Options(measures=(measure,)))


@pytest.mark.parametrize("measure", ["dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"])
def test_9_0_8_does_not_know_the_measures_of_10_0(measure):
    with pytest.raises(Refused):
        evaluate(QRELS_ROW, RUN_ROW, Options(measures=(measure,), compat="9.0.8"))
