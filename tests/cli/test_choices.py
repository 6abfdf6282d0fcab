"""Options on grades, order and queries, where the slow reference cannot judge: what they say on standard error, what
they refuse and how, and cases that random files seldom hold.
"""

import re

import outcomes
import pytest
from conftest import QRELS, RUN


@pytest.fixture
def evaluated(irev, folder):
    """``evaluated("OPTIONS", qrels=…, run=…)`` is what irev prints, a list of fields for each line; it must succeed."""

    def evaluated(options: str, qrels: bytes = QRELS, run: bytes = RUN) -> list[list[str]]:
        (folder / "qrels").write_bytes(qrels)
        (folder / "run").write_bytes(run)
        status, stdout, stderr = irev("eval", *options.split(), "qrels", "run")
        assert 0 == status, stderr
        return [line.split() for line in stdout.decode().splitlines()]

    return evaluated


@pytest.fixture
def said(irev, folder):
    """``said("OPTIONS", qrels=…, run=…)`` is what irev says on standard error, whatever it prints."""

    def said(options: str, qrels: bytes = QRELS, run: bytes = RUN) -> str:
        (folder / "qrels").write_bytes(qrels)
        (folder / "run").write_bytes(run)
        return irev("eval", *options.split(), "qrels", "run").stderr

    return said


@pytest.fixture
def refused(irev, folder):
    """``refused("OPTIONS", fact, …)`` asserts status 2, nothing printed, and one error that states the facts."""

    def refused(options: str, *facts: str, qrels: bytes = QRELS, run: bytes = RUN) -> None:
        (folder / "qrels").write_bytes(qrels)
        (folder / "run").write_bytes(run)
        outcomes.refused(irev("eval", *options.split(), "qrels", "run"), *facts)

    return refused


# Grades and the relevance level

LEVEL = re.compile(r"no grade reaches the relevance level (\S+), the highest is (\S+); --level (\S+) would")


@pytest.mark.parametrize(
    ("highest", "options", "level"),
    [
        (b"0.5", "", "1"),
        (b"0.1234567890123456", "", "1"),
        (b"1e-7", "", "1"),
        (b"3", "-l 3.5", "3.5"),
        (b"1", "-l 10000000000000000000000", "1e+22"),
    ],
)
def test_grades_below_the_level_are_noted_with_a_level_that_they_reach(said, highest, options, level):
    qrels = b"1 0 a %s\n1 0 b 0\n2 0 a -1\n" % highest
    (found,) = LEVEL.findall(said(options, qrels))

    assert (level, float(highest)) == (found[0], float(found[1]))
    assert "no grade reaches" not in said(f"--level {found[2]}", qrels)


@pytest.mark.parametrize("grades", [(b"0.5", b"1"), (b"0", b"0"), (b"-1", b"0"), (b"-2", b"-0.5")])
def test_grades_that_reach_the_level_or_do_not_try_to_are_not_noted(said, grades):
    assert "no grade reaches" not in said("", b"1 0 a %s\n2 0 b %s\n" % grades)


@pytest.mark.parametrize(
    ("grade", "symbol"),
    [("0.5", "0"), ("1.999", "1"), ("9.5", "9"), ("10", ">"), ("1e3", ">"), ("-0.5", "."), ("-0", "0"), ("-0.0", "0")],
)
def test_the_string_of_grades_shows_the_whole_part(evaluated, grade, symbol):
    assert [["relstring", "1", f"'{symbol}'"]] == evaluated(
        "-q -m relstring", f"1 0 a {grade}\n".encode(), b"1 Q0 a 1 1 t\n"
    )


@pytest.mark.parametrize("zero", ["-0", "-0.0", "+0", "-0e5"])
def test_a_grade_of_minus_zero_is_zero(evaluated, zero):
    qrels, run = f"1 0 a {zero}\n1 0 b 1\n".encode(), b"1 Q0 a 1 1 t\n"
    expected = [["num_rel", "all", "1"], ["num_nonrel_judged_ret", "all", "1"]]

    assert expected == evaluated("-J --negative error -m num_rel -m num_nonrel_judged_ret", qrels, run)
    assert [["dcg", "all", "5.0000"]] == evaluated("-m dcg --gains 0=5,1=1", qrels, run)
    assert [["dcg", "all", "5.0000"]] == evaluated(f"-m dcg --gains {zero}=5,1=1", qrels, run)


def test_a_negative_grade_is_unjudged_or_nonrelevant_or_an_error(evaluated, refused):
    qrels, run = b"1 0 a -1\n1 0 b 1\n", b"1 Q0 a 1 2 t\n1 Q0 x 2 1.5 t\n1 Q0 b 3 1 t\n"
    asked = "-q -n -m relstring -m bpref -m num_nonrel_judged_ret"

    assert ["1.0000", "'.-1'", "0"] == [value for _, _, value in evaluated(asked, qrels, run)]
    assert ["0.0000", "'0-1'", "1"] == [
        value for _, _, value in evaluated(f"{asked} --negative nonrelevant", qrels, run)
    ]
    refused("--negative error", "qrels:1: the grade '-1' is negative; choose --negative ", qrels=qrels, run=run)


def test_judged_only_keeps_a_negative_grade_that_means_nonrelevant(evaluated):
    qrels, run = b"1 0 a -1\n1 0 b 1\n", b"1 Q0 a 1 2 t\n1 Q0 x 2 1.5 t\n1 Q0 b 3 1 t\n"

    assert [["relstring", "1", "'1'"]] == evaluated("-qn -J -m relstring", qrels, run)
    assert [["relstring", "1", "'01'"]] == evaluated("-qn -J -m relstring --negative nonrelevant", qrels, run)


# Gains

GRADED = b"1 0 a 0\n1 0 b 1\n1 0 c 2\n1 0 d 2\n2 0 a 1\n2 0 b 0\n"
RANKED = b"".join(b"%d Q0 %c 1 %d t\n" % (query, c, -n) for query in (1, 2) for n, c in enumerate(b"axbcd"))
GAIN_MEASURES = ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "rbp")


@pytest.mark.parametrize("measure", GAIN_MEASURES)
@pytest.mark.parametrize("gains", ["0=0,1=1,2=3", "0=0,1=0.25,2=1", "0=-1,1=2,2=2", "0=1,1=1,2=1"])
def test_gains_are_those_that_pairs_would_give_to_each_measure(evaluated, measure, gains):
    by_pairs = evaluated(f"-q -m {measure}.{gains}", GRADED, RANKED)
    by_gains = evaluated(f"-q -m {measure} --gains {gains}", GRADED, RANKED)

    assert [fields[1:] for fields in by_pairs] == [fields[1:] for fields in by_gains]


@pytest.mark.parametrize("measure", GAIN_MEASURES)
def test_pairs_of_a_measure_come_before_gains(evaluated, measure):
    mixed = evaluated(f"-q -m {measure}.1=5,-1=2 --gains 2=3,1=9,0=0", GRADED, RANKED)
    pairs = evaluated(f"-q -m {measure}.1=5,-1=2,0=0,2=3", GRADED, RANKED)

    assert [fields[1:] for fields in pairs] == [fields[1:] for fields in mixed]


def test_ndcg_at_a_cutoff_takes_gains_too(evaluated):
    gains = "--gains 0=0,1=1,2=3"
    (ndcg,) = evaluated(f"-m ndcg {gains}", GRADED, RANKED)
    (at_all,) = evaluated(f"-m ndcg_cut.100 {gains}", GRADED, RANKED)

    assert ndcg[2] == at_all[2] != evaluated("-m ndcg", GRADED, RANKED)[0][2]


def test_gains_leave_the_relevance_level_alone(evaluated):
    asked = "-q -m map -m num_rel -m P.2 -m bpref"

    both = evaluated(f"{asked} -m dcg --gains 0=7,1=0,2=0", GRADED, RANKED)
    assert evaluated(asked, GRADED, RANKED) == [fields for fields in both if fields[0] != "dcg"]


def test_a_grade_without_a_gain_is_refused_with_what_to_add(refused):
    refused("-m dcg --gains 0=0,2=1", "qrels: grade 1 has no gain; add 1=… to --gains")
    refused("-m dcg --gains 1=0,2=1", "grade 0 has no gain; add 0=…", qrels=b"1 0 a -0.0\n")
    refused("-m dcg --gains 0=0,1=1", "grade 0.30000000000000004 has no gain", qrels=b"1 0 a .30000000000000004\n")
    refused("-m dcg --gains 1=1", "grade 0 has no gain", qrels=b"1 0 a 1\n9 0 a 0\n")


def test_a_negative_grade_needs_a_gain_only_where_it_means_nonrelevant(evaluated, refused):
    qrels = b"1 0 a 1\n1 0 b -1\n"

    assert [["dcg", "all", "4.0000"]] == evaluated("-m dcg --gains 1=4", qrels)
    refused("-m dcg --gains 1=4 --negative nonrelevant", "grade 0 has no gain", qrels=qrels)


@pytest.mark.parametrize(
    ("gains", "fact"),
    [
        ("1", "'1' is not a pair"),
        ("1=", "'1=' is not a pair"),
        ("=1", "'=1' is not a pair"),
        ("x=1", "'x=1' is not a pair"),
        ("1=x", "'1=x' is not a pair"),
        ("1=2,", "'' is not a pair"),
        ("1==2", "'1==2' is not a pair"),
        ("1=nan", "'1=nan' is not a pair"),
        ("1=1e999", "too large"),
        ("1e999=1", "too large"),
        ("-1=2", "a negative grade has no gain"),
        ("1=2,1.0=3", "grade 1.0 is given twice"),
    ],
)
def test_gains_are_read_strictly(refused, gains, fact):
    refused(f"--gains {gains}", fact)


# Order

ORDERED = "-qn -m relstring"
FOUR_GRADES = b"1 0 a 1\n1 0 b 2\n1 0 c 3\n1 0 d 4\n"


def order_of(evaluated, options: str, run: bytes) -> str:
    """The grades in rank order, which name the documents of query 1."""
    ((_, _, string),) = evaluated(f"{ORDERED} {options}", FOUR_GRADES, run)
    return string.strip("'")


def test_a_number_that_is_too_long_is_refused(refused):
    refused(
        "-M 1000000000000000000", "'1000000000000000000' is not a whole number of 0 or more, with 18 digits at most"
    )
    refused("-j 0", "'0' is not a whole number of 1 or more")
    refused("-M 1.0", "'1.0' is not a whole number")


def test_there_are_no_bounds_where_every_judged_document_is_relevant(refused):
    refused("-m P.5 --bounds -l 0", "there are no bounds if every judged document is relevant", "a level above 0")


def test_ranks_order_a_run_whatever_its_scores(evaluated):
    run = b"1 Q0 a 2 9 t\n1 Q0 b 10 8 t\n1 Q0 c 1 7 t\n1 Q0 d 3 6 t\n"

    assert "1234" == order_of(evaluated, "", run)
    assert "3142" == order_of(evaluated, "--order rank", run)
    assert "1234" == order_of(evaluated, "--order file", run)
    assert "4321" == order_of(evaluated, "--order file", b"".join(reversed(run.splitlines(True))))


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
def test_ranks_are_never_compared_in_single_precision(evaluated, compat):
    run = b"1 Q0 a 16777217 1 t\n1 Q0 d 16777216 1 t\n"

    assert "41" == order_of(evaluated, f"--order rank --ties docid-asc --compat {compat}", run)


def test_only_scores_or_ranks_that_order_have_to_be_numbers(evaluated, refused):
    run = b"1 Q0 a x 2 t\n1 Q0 b 1 nan t\n"
    refused("--order rank", "run:1: the rank 'x' is not a whole number; expected a whole number such as 1", run=run)
    refused("--order score", "run:2: the score 'nan' is not a number", run=run)

    assert "12" == order_of(evaluated, "", b"1 Q0 a x 2 t\n1 Q0 b - 1 t\n")
    assert "12" == order_of(evaluated, "--order rank", b"1 Q0 a 1 nan t\n1 Q0 b 2 - t\n")


TIED = b"1 Q0 b 1 5 t\n1 Q0 d 2 5.0 t\n1 Q0 a 3 5 t\n1 Q0 c 4 5e0 t\n"
SCATTERED = b"".join(b"%s%d Q0 a 1 5 t\n" % (line, n) for n, line in enumerate(TIED.splitlines(True), start=5))


@pytest.mark.parametrize("run", [TIED, SCATTERED], ids=["together", "scattered"])
@pytest.mark.parametrize(("ties", "expected"), [("docid-desc", "4321"), ("docid-asc", "1234"), ("file", "2413")])
def test_ties_are_broken_as_asked(evaluated, run, ties, expected):
    assert expected == order_of(evaluated, f"--ties {ties}", run)


def test_in_a_long_ranking_ties_are_broken_by_the_order_in_the_file_too(evaluated):
    """Long rankings are sorted one by one, by another sort, which may only change places where nothing ties."""
    run = b"".join(b"1 Q0 x%d 1 %d t\n" % (n * 37 % 500, n % 2) for n in range(500))
    judged = b"".join(b"1 0 x%d %d\n" % (n * 37 % 500, n % 9 + 1) for n in range(1, 500, 2))

    ((_, _, string),) = evaluated(f"{ORDERED.replace('relstring', 'relstring.250')} --ties file", judged, run)
    assert "".join(str(n % 9 + 1) for n in range(1, 500, 2)) == string.strip("'")


def test_ranks_can_tie_too(evaluated):
    run = TIED.replace(b" 2 5", b" 1 9").replace(b" 4 5", b" 3 9")

    assert "4231" == order_of(evaluated, "--order rank", run)
    assert "2413" == order_of(evaluated, "--order rank --ties file", run)


def test_ties_with_a_judged_document_are_noted_where_people_read(said):
    note = "1 query has a judged document in a tie, ordered by --ties"
    qrels = b"1 0 a 1\n1 0 b 0\n2 0 b 1\n"
    run = b"1 Q0 a 1 5 t\n1 Q0 b 2 5 t\n2 Q0 b 1 5 t\n2 Q0 x 2 4 t\n2 Q0 y 3 4 t\n"

    assert f"{note} docid-desc" in said("-f table", qrels, run)
    assert f"{note} file" in said("-f table --ties file", qrels, run)
    assert "" == said("", qrels, run)
    assert "" == said("-f table --order file", qrels, run)
    assert "" == said("-f table --order rank", qrels, run)
    assert "" == said("-f table", b"1 0 a 1\n2 0 b 1\n", run.replace(b" 2 5", b" 2 4"))
    more = run.replace(b" 4 t", b" 5 t") + b"1 Q0 z 3 1 t\n2 Q0 z 4 1 t\n"
    assert "2 of 2 queries have a judged document in a tie" in said("-f table", qrels, more)


# Documents that stand twice, and documents that are the query


def test_of_a_document_that_stands_twice_the_first_or_the_best_row_counts(evaluated, refused):
    run = b"1 Q0 a 3 1 t\n1 Q0 b 1 2 t\n1 Q0 a 2 3 t\n1 Q0 a 4 2.5 t\n"

    refused("", "run:3: document 'a' is retrieved twice", "(first on line 1)", "--duplicates", run=run)
    assert "21" == order_of(evaluated, "--duplicates first", run)
    assert "12" == order_of(evaluated, "--duplicates best", run)
    assert "21" == order_of(evaluated, "--duplicates best --order rank", run)
    assert "12" == order_of(evaluated, "--duplicates best --order file", run)


@pytest.mark.parametrize("better_first", [True, False])
def test_the_best_row_is_told_by_the_last_bit_of_long_scores(evaluated, better_first):
    """Both scores of a are neighbours of b's, which stands between them."""
    rows = [b"1 Q0 a 1 0.70000000000000018 t\n", b"1 Q0 a 1 0.69999999999999996 t\n"]
    between = b"1 Q0 b 1 0.70000000000000007 t\n"
    first, second = rows if better_first else reversed(rows)

    assert "12" == order_of(evaluated, "--duplicates best", first + between + second)
    assert ("12" if better_first else "21") == order_of(evaluated, "--duplicates first", first + between + second)


def test_a_document_that_stands_twice_is_counted_and_cut_once(evaluated):
    run = b"1 Q0 a 1 9 t\n1 Q0 a 2 8 t\n1 Q0 b 3 7 t\n1 Q0 c 4 6 t\n"

    for duplicates in ("first", "best"):
        options = f"--duplicates {duplicates}"
        assert [["num_ret", "all", "3"]] == evaluated(f"-m num_ret {options}", FOUR_GRADES, run)
        assert [["num_ret", "all", "2"]] == evaluated(f"-m num_ret -M 2 {options}", FOUR_GRADES, run)
        assert "12" == order_of(evaluated, f"-M 2 {options}", run)


def test_results_that_are_the_query_can_be_ignored(evaluated):
    qrels, run = b"a 0 a 1\na 0 b 1\nb 0 a 1\n", b"a Q0 a 1 9 t\na Q0 b 2 8 t\nb Q0 a 1 7 t\n"
    asked = "-q -m num_ret -m recip_rank"

    assert ["2", "1.0000", "1", "1.0000", "3", "1.0000"] == [value for *_, value in evaluated(asked, qrels, run)]
    assert ["1", "1.0000", "1", "1.0000", "2", "1.0000"] == [
        value for *_, value in evaluated(f"{asked} --drop-self", qrels, run)
    ]


def test_a_query_left_without_results_counts_as_one_that_found_nothing(evaluated, said):
    """It is in the run, so no option on queries leaves it out."""
    qrels, run = b"a 0 b 1\nb 0 a 1\n", b"a Q0 a 1 9 t\nb Q0 a 1 7 t\n"
    asked = "-q -m num_q -m num_ret -m map --drop-self --strict"
    expected = [["num_ret", "a", "0"], ["map", "a", "0.0000"], ["num_ret", "b", "1"], ["map", "b", "1.0000"]]

    expected += [["num_q", "all", "2"], ["num_ret", "all", "1"], ["map", "all", "0.5000"]]

    assert expected == evaluated(asked, qrels, run)
    assert "" == said("--drop-self", qrels, run)


def test_a_run_of_nothing_but_the_queries_finds_nothing(evaluated):
    qrels, run = b"a 0 b 1\nb 0 b 1\n", b"a Q0 a 1 9 t\nb Q0 b 1 7 t\na Q0 a 1 7 t\n"

    for options in ("", "-J", "-M 1", "--compat 9.0.8", "--ties file"):
        assert [["map", "all", "0.0000"]] == evaluated(f"-m map --drop-self {options}", qrels, run)


# Queries


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
def test_all_of_the_qrels_is_what_complete_means(irev, folder, compat):
    by_flag = irev("eval", "--compat", compat, "-q", "-m", "all_trec", "-c", "qrels", "run")

    assert by_flag == irev("eval", "--compat", compat, "-q", "-m", "all_trec", "--queries", "qrels", "qrels", "run")
    assert by_flag == irev("eval", "--compat", compat, "-qc", "-m", "all_trec", "--queries", "qrels", "qrels", "run")


def test_all_of_the_run_counts_queries_with_nothing_to_find(evaluated, said):
    expected = [["1", "0.8333"], ["2", "0.5000"], ["4", "0.0000"], ["all", "3"], ["all", "0.4444"]]

    assert expected == [fields[1:] for fields in evaluated("-q -m num_q -m map --queries run")]
    assert "run: query 4 has no judgments and counts as a query without relevant documents\n" in said("--queries run")
    assert "run: judged query 3 has no results and is left out\n" in said("--queries run")


@pytest.mark.parametrize("choice", ["run", "list"])
def test_complete_and_another_choice_of_queries_are_refused(refused, folder, choice):
    (folder / "list").write_bytes(b"1\n")
    refused(f"-c --queries {choice}", "-c means --queries qrels, but another --queries is given")


def test_listed_queries_count_wherever_they_are(evaluated, said, folder):
    """1 is in both files, 3 in the qrels, 4 in the run, 5 in neither; 2 is not listed."""
    (folder / "list").write_bytes(b"1\n3\n4\n5\n")
    values = {(query, name): value for name, query, value in evaluated("-q -m map -m num_q -m num_ret --queries list")}
    stderr = said("--queries list")

    assert ["0.8333", "0.0000", "0.0000", "0.0000"] == [values[query, "map"] for query in "1345"]
    assert ["3", "0", "1", "0"] == [values[query, "num_ret"] for query in "1345"]
    assert ("4", "0.2083") == (values["all", "num_q"], values["all", "map"])
    assert ("2", "map") not in values
    assert "run: 2 listed queries have no results and count as empty rankings: 3, 5" in stderr
    assert "run: 2 queries have no judgments and count as queries without relevant documents: 4, 5" in stderr


def test_a_list_of_queries_may_be_in_any_order_and_have_text(irev, folder):
    (folder / "list").write_bytes(b"1\n2\n3\n")
    (folder / "topics").write_bytes(b"3\tits text\n\n  1 all about 2 and 3\r\n2   ")
    expected = irev("eval", "-q", "-m", "all_trec", "--queries", "list", "qrels", "run")

    assert 0 == expected.status
    assert expected == irev("eval", "-q", "-m", "all_trec", "--queries", "topics", "qrels", "run")


def test_a_list_that_is_no_list_is_refused(refused, folder):
    (folder / "twice").write_bytes(b"1 text\n2\n1 other text\n")
    (folder / "empty").write_bytes(b"\n  \n")

    refused("--queries twice", "twice:3: query '1' occurs twice (first on line 1); keep one of the two lines")
    refused("--queries empty", "empty: the file is empty")
    refused("--queries nowhere", "'nowhere' is neither a file nor one of both, qrels, relevant, run")


def test_a_word_is_a_choice_even_where_a_file_is_called_so(evaluated, folder):
    """The current folder has files `qrels` and `run`; with a folder before its name one is a list."""
    asked = "-m num_q --queries"

    assert [["num_q", "all", "3"]] == evaluated(f"{asked} qrels")
    (folder / "list").write_bytes(b"1\n")
    assert [["num_q", "all", "1"]] == evaluated(f"{asked} ./list")


def test_one_query_of_a_list_can_be_evaluated_alone(evaluated, refused, folder):
    (folder / "list").write_bytes(b"1\n3\n")

    assert [["num_q", "all", "1"], ["map", "all", "0.0000"]] == evaluated("-D 0.3 -m num_q -m map --queries list")
    refused("-D 0.2 --queries list", "query '2' of -D is not in both files")


# Leaving nothing out

AGREEING = b"1 0 a 1\n2 0 a 1\n4 0 a 1\n"


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ("--strict", "run: it has no results for '3'; --strict"),
        ("--strict -c", "run: it has results without judgments for '4'; --strict"),
        ("--strict --queries qrels", "run: it has results without judgments for '4'; --strict"),
        ("--strict --queries run", "run: it has no results for '3'; --strict"),
    ],
)
def test_a_query_left_out_is_refused_where_that_is_asked_for(refused, options, fact):
    refused(options, fact)


def test_of_many_queries_left_out_the_error_names_five(refused):
    more = QRELS + b"".join(b"m%d 0 a 1\n" % n for n in range(7))

    refused("--strict", "it has no results for '3', 'm0', 'm1', 'm2', 'm3' and 3 more;", qrels=more)


def test_what_counts_or_is_not_asked_for_is_not_left_out(evaluated, folder):
    (folder / "list").write_bytes(b"1\n3\n")
    asked = "-m num_q --strict"

    assert [["num_q", "all", "3"]] == evaluated(asked, AGREEING)
    assert [["num_q", "all", "4"]] == evaluated(f"{asked} -c", AGREEING + b"5 0 a 1\n")
    assert [["num_q", "all", "3"]] == evaluated(f"{asked} --queries run", b"1 0 a 1\n2 0 a 1\n")
    assert [["num_q", "all", "2"]] == evaluated(f"{asked} --queries list")
    assert [["num_q", "all", "1"]] == evaluated("-m num_q -D 0.1")
