"""Judgments that are pairs of documents: the grades that follow from them, and pairs that contradict each other."""

import json
import re
from itertools import permutations, product
from random import Random

import pytest
from kinds import OF_GRADES
from outcomes import refused

from irev.base.errors import Faults
from irev.base.settings import Settings
from irev.reading import qrels
from irev.reading.sources import Source

SEEDS = [*range(12), *(pytest.param(i, marks=pytest.mark.thorough) for i in range(12, 60))]


def levels(pairs):
    """{document: grade}: those to which none of the others is preferred are taken away, again and again.

    None where they contradict each other.
    """
    left, taken = {document for pair in pairs for document in pair}, []
    while left:
        top = {d for d in left if not any(worse == d and better in left for better, worse in pairs)}
        if not top:
            return None
        taken.append(top)
        left = left - top
    return {document: len(taken) - number for number, top in enumerate(taken) for document in top}


def written(pairs):
    """Lines of {query: pairs}."""
    return [f"{query} {better} {worse}\n" for query, of_query in pairs.items() for better, worse in of_query]


def read(path, faults=None, form="pairs"):
    with Source(path) as source:
        return qrels.read(source, Settings(qrels_format=form), faults)


def read_grades(path, form="pairs"):
    judgments = read(path, form=form)
    return {
        query.decode(): {document.decode(): grade for document, grade in judgments.graded(query).items()}
        for query in judgments.queries
    }


def random_pairs(random, documents, groups=None):
    """Pairs that follow an order of the documents, or of so many groups of them."""
    order = {document: random.random() if groups is None else random.randrange(groups) for document in documents}
    every = [(better, worse) for better, worse in permutations(documents, 2) if order[better] > order[worse]]
    return random.sample(every, random.randint(1, len(every)))


# Grades


@pytest.mark.parametrize("seed", SEEDS)
def test_grades_are_those_of_the_levels_of_the_reference(seed, write):
    random = Random(seed)
    names = ["d", "d1", "d10", "a-long-name-of-a-document", "é", "x" * 300]
    names += [f"n{i}" for i in range(random.choice([2, 9, 40]))]
    pairs = {
        query: random_pairs(random, random.sample(names, random.randint(2, len(names))))
        for query in random.sample(["q1", "q2", "10", "x"], random.randint(1, 4))
    }
    lines = written(pairs)
    random.shuffle(lines)
    assert {query: levels(of_query) for query, of_query in pairs.items()} == read_grades(write("".join(lines).encode()))


def test_every_pair_holds_between_the_grades_that_follow(write):
    random = Random(1)
    pairs = random_pairs(random, [f"d{i}" for i in range(60)])
    grade = read_grades(write("".join(written({"q1": pairs})).encode()))["q1"]
    assert all(grade[better] > grade[worse] for better, worse in pairs)
    assert 1 == min(grade.values())


def test_all_pairs_of_different_levels_give_these_levels_back(write):
    """So that of an order of groups of equal documents, whatever rule one takes, the grades are the same."""
    random = Random(2)
    grade = {f"d{i}": random.choice([1, 2, 3, 4]) for i in range(20)}
    pairs = [(better, worse) for better, worse in permutations(grade, 2) if grade[better] > grade[worse]]
    assert {"q1": grade} == read_grades(write("".join(written({"q1": pairs})).encode()))
    near = [(better, worse) for better, worse in pairs if grade[better] == grade[worse] + 1]
    assert {"q1": grade} == read_grades(write("".join(written({"q1": near})).encode())), "which the others follow from"


def test_a_chain_longer_than_grades_go_is_no_doubt(write):
    judgments = read(write(b"".join(b"q1 d%d d%d\n" % (i, i + 1) for i in range(2000))))
    assert (2001, ()) == (judgments.highest, judgments.doubts)


def test_a_document_that_loses_every_comparison_may_stand_above_others(write):
    """By hand: a and e first, then b and d, of which d loses all it is in, then c."""
    content = b"q1 a b\nq1 b c\nq1 a d\nq1 e c\n"
    assert {"q1": {"a": 3, "e": 3, "b": 2, "d": 2, "c": 1}} == read_grades(write(content))


def test_the_same_document_is_another_one_in_another_query(write):
    assert {"q1": {"a": 2, "b": 1}, "q2": {"b": 2, "a": 1}} == read_grades(write(b"q1 a b\nq2 b a\n"))


@pytest.mark.parametrize("content", [b"q1\ta\tb\r\nq1  b   c\r\n", b"# made by hand\nq1 a b\nq1 b c"])
def test_lines_are_split_as_trecs_are(content, write):
    assert {"q1": {"a": 3, "b": 2, "c": 1}} == read_grades(write(content))


# Wins


@pytest.mark.parametrize("seed", range(6))
def test_every_pair_that_a_document_wins_counts(seed, write):
    """Whether it stands several times, or the other way round too."""
    random = Random(seed)
    names = [f"d{i}" for i in range(random.choice([2, 9, 40]))]
    pairs = {f"q{q}": [tuple(random.sample(names, 2)) for _ in range(random.randint(1, 60))] for q in range(4)}
    lines = written(pairs)
    random.shuffle(lines)
    expected = {
        query: {name: sum(name == better for better, _ in of_query) for pair in of_query for name in pair}
        for query, of_query in pairs.items()
    }
    assert expected == read_grades(write("".join(lines).encode()), "wins")


def test_wins_and_levels_are_one_order_where_all_documents_were_compared_and_nothing_contradicts(write):
    names = [f"d{i}" for i in range(12)]
    pairs = write("".join(written({"q1": [pair for pair in product(names, names) if pair[0] < pair[1]]})).encode())
    wins, grades = (read_grades(pairs, form)["q1"] for form in ("wins", "pairs"))
    assert sorted(names, key=wins.get) == sorted(names, key=grades.get)


def test_who_never_wins_is_judged_and_not_relevant(irev, write):
    """a wins twice, b once and c never, so that c stands in no ideal ranking: of c b a against a b, with p = 0.5 and a
    depth of 3, 0, 1/2 and 2/3 of the first ranks overlap, and of a b with itself 1, 1 and 2/3."""
    judgments = write(b"q1 a b\nq1 b a\nq1 a c\n", "judgments")
    run = write(b"q1 Q0 c 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 a 3 1 t\n", "run")
    asked = ("-m", "num_rel", "-m", "Judged@3", "-m", "Compat(p=0.5,depth=3)")
    done = irev("eval", "--qrels-format", "wins", "--digits", "exact", *asked, judgments, run)
    found = [float(line.split()[-1]) for line in done.stdout.splitlines()]
    assert [2, 1.0, pytest.approx((0.5 / 2 + 0.25 * 2 / 3) / (1 + 0.5 + 0.25 * 2 / 3))] == found


def test_a_document_is_not_preferred_to_itself_where_wins_count_either(irev, write):
    done = irev("validate", "--qrels-format", "wins", write(b"q1 a b\nq1 b a\nq1 a b\nq1 c c\n", "judgments"))
    assert b"judgments:4: error E118: document 'c' of query 'q1' is preferred to itself" in done.stdout
    assert b"1 error, " in done.stdout


# Measures


def test_compatibility_by_hand(irev, write):
    """Grades a 3, b 2, c 1; the ideal ranking is a, b, c, and b, x, a stands against it: with p = 0.5 and a depth of 3,
    0, 1/2 and 2/3 of the first ranks overlap, so (0.5 · 1/2 + 0.25 · 2/3) / (1 + 0.5 + 0.25) = 5/21."""
    judgments = write(b"q1 a b\nq1 b c\n", "judgments")
    run = write(b"q1 Q0 b 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 a 3 1 t\n", "run")
    measure = "Compat(p=0.5,depth=3)"
    done = irev("eval", "--qrels-format", "pairs", "--digits", "exact", "-m", measure, judgments, run)
    assert abs(5 / 21 - float(done.stdout.split()[-1])) < 1e-15


@pytest.mark.parametrize("seed", range(4))
def test_every_measure_of_grades_is_that_of_the_grades(irev, write, seed):
    random = Random(seed)
    pairs = {f"q{i}": random_pairs(random, [f"d{i}" for i in range(20)], 4) for i in range(4)}
    judgments = write("".join(written(pairs)).encode(), "judgments")
    grades = [f"{q} 0 {d} {grade}\n" for q, of_query in pairs.items() for d, grade in levels(of_query).items()]
    same = write("".join(grades).encode(), "grades")
    run = write("".join(f"q{i} Q0 d{d} 0 {random.random()} t\n" for i in range(5) for d in range(12)).encode(), "run")
    asked = [word for name in OF_GRADES if name not in ("runid", "relstring") for word in ("-m", name)]
    options = ["-N", "1000", "-q", "-l", "2", "-f", "csv", *asked]
    done = irev("eval", "--qrels-format", "pairs", *options, judgments, run)
    assert 0 == done.status, done.stderr
    assert irev("eval", *options, same, run) == done


# Commands


@pytest.fixture
def files(write):
    lines = [f"q{i} {pair}\n" for i in range(8) for pair in ("a b", "b c", "d c")]
    judgments = write("".join(lines).encode(), "judgments")
    one = write(b"".join(b"q%d Q0 a 0 2 one\nq%d Q0 b 0 1 one\n" % (i, i) for i in range(8)), "one")
    two = write(b"".join(b"q%d Q0 c 0 2 two\nq%d Q0 x 0 %d two\n" % (i, i, i % 3) for i in range(8)), "two")
    return "--qrels-format", "pairs", judgments, one, two


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "-m", "Compat"],
        ["check", "--min", "Compat=0"],
        ["curves", "--kind", "cutoff", "-m", "nDCG"],
        ["explain", "-m", "Compat", "--query", "q1"],
        ["diff", "-m", "Compat"],
        ["coverage", "-m", "Compat"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_take_them_as_grades(irev, write, files, arguments):
    grades = b"".join(
        b"q%d 0 %c %d\n" % (i, d, g) for i in range(8) for d, g in zip(b"abcd", (3, 2, 1, 3), strict=True)
    )
    option, form, judgments, *runs = files
    wanted = runs if arguments[0] in ("compare", "diff") else runs[:1]
    expected = irev(*arguments, write(grades, "grades"), *wanted)
    done = irev(*arguments, option, form, judgments, *wanted)
    assert 0 == done.status, done.stderr
    shown = re.sub(rb"Judged shares unknown: .*\n", b"", expected.stdout.replace(b"grades", b"judgments"))
    assert shown == re.sub(rb"Judged shares unknown: .*\n", b"", done.stdout)  # the reasons differ


def test_a_report_is_made_of_them(irev, files, tmp_path):
    option, form, judgments, *runs = files
    done = irev("report", option, form, "-m", "Compat", "-o", str(tmp_path / "report.html"), judgments, *runs)
    assert 0 == done.status, done.stderr
    assert b"Compat" in (tmp_path / "report.html").read_bytes()


def test_what_would_keep_no_more_than_grades_refuses_them_by_name(irev, files, tmp_path):
    option, form, judgments, *_ = files
    for arguments in (
        ["convert", "--to", "trec", judgments, str(tmp_path / "out")],
        ["judges", "--merge", str(tmp_path / "out"), judgments, judgments],
    ):
        done = irev(arguments[0], option, form, *arguments[1:])
        assert (2, True) == (done.status, "these are judgments of pairs" in done.stderr), done.stderr
        assert not (tmp_path / "out").exists()


def test_measures_of_other_preferences_are_refused(irev, files):
    done = irev("eval", "-m", "prefs_simp", *files[:4])
    refused(done, "needs judgments of preferences, and these are of pairs; --qrels-format prefs or")


# What is wrong


def problems(irev, path):
    done = irev("validate", "--qrels-format", "pairs", "-f", "jsonl", path)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [(each["line"], each["code"]) for each in found if "code" in each]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"q1 a b\nq1 b c\nq1 a b\n",
            ":3: 'a' over 'b' is repeated for query 'q1' (first on line 1); keep one of the",
        ),
        (
            b"q1 a b\nq1 c c\n",
            ":2: document 'c' of query 'q1' is preferred to itself; a pair needs two different documents",
        ),
        (
            b"q1 a b\nq2 b a\nq1 b a\n",
            ":3: preferences of query 'q1' contradict each other: 'a' over 'b' (line 1), 'b' over 'a' (line 3); leave"
            " out one of them; --qrels-format wins counts them all, and prefs has separate groups for several people",
        ),
        (
            b"q1 x a\nq1 c a\nq1 a b\nq1 b c\nq1 c y\n",
            ":4: preferences of query 'q1' contradict each other: 'c' over 'a' (line 2), 'a' over 'b' (line 3), 'b'"
            " over 'c' (line 4); leave out",
        ),
        (b"q1 a b\nq1 a\n", ":2: 2 fields in 'q1 a'; expected 3 fields: query better worse"),
        (b"q1 a b 1\n", ":1: 4 fields in 'q1 a b 1'; expected 3 fields: query better worse"),
        (b"", ": the file is empty; expected lines such as query better worse"),
    ],
)
def test_a_fault_is_named_with_its_lines(irev, write, content, message):
    judgments, run = write(content, "judgments"), write(b"q1 Q0 a 0 1 t\n", "run")
    refused(irev("eval", "--qrels-format", "pairs", "-m", "Compat", judgments, run), f"{judgments}{message}")
    assert 0 != irev("validate", "--qrels-format", "pairs", judgments).status


def test_validate_finds_all_faults_at_once(irev, write):
    content = b"q1 a b\nq1 b c\nq1 a b\nq1 c a\nq2 x x\nq2 y z\nq1 b a\nq2 z y\nq3 a\nq4 1 2\nq4 2 3\nq4 3 1\nq4 3 9\n"
    expected = [(3, "E103"), (4, "E118"), (5, "E118"), (7, "E118"), (8, "E118"), (9, "E101"), (12, "E118")]
    assert expected == sorted(problems(irev, write(content)))


@pytest.mark.parametrize("seed", SEEDS)
def test_one_circle_is_named_with_the_lines_of_its_pairs(write, seed):
    random = Random(seed)
    every = [tuple(random.sample(pair, 2)) for pair in product("abcdefg", repeat=2) if pair[0] < pair[1]]
    pairs = random.sample(every, random.randint(6, 15))
    faults = Faults(100)
    read(write("".join(written({"q1": pairs})).encode()), faults)
    circles = [re.findall(r"'(\w)' over '(\w)' \(line (\d+)\)", problem.fact) for problem in faults.problems]
    for problem, circle in zip(faults.problems, circles, strict=True):
        assert [better for better, _, _ in circle[1:]] + [circle[0][0]] == [worse for _, worse, _ in circle]
        assert all(pairs[int(line) - 1] == (better, worse) for better, worse, line in circle)
        assert problem.line == max(int(line) for _, _, line in circle)
    assert (levels(pairs) is None) == (len(circles) == 1)


@pytest.mark.parametrize("size", [3, 12, 3000])
def test_a_large_circle_is_found_and_its_first_pairs_named(write, size):
    faults = Faults(100)
    read(write(b"".join(b"q1 d%d d%d\n" % (i, (i + 1) % size) for i in range(size))), faults)
    [problem] = faults.problems
    assert (size, "E118") == (problem.line, problem.code)
    assert min(size, 10) == problem.fact.count(" over ")
    assert (size > 10) == problem.fact.endswith(f" and {size - 10} more")
