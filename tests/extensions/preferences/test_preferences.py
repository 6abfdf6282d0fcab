"""Preferences and judgments of several people: trec_eval's formats, its measures of them, and what is refused."""

import json
import re
from pathlib import Path
from random import Random

import pytest
import reference_preferences as reference
from outcomes import refused
from reference_preferences import Contradiction

from irev.measures import MEASURES
from irev.measures.measure import SETS

FAMILY = "irev.extensions.preferences.preferences"
"""By name: a module of measures imported before `irev.measures` would change the order that all are listed in."""

GOLDEN = Path(__file__).parents[2] / "golden" / "preferences"
VERSIONS = {"trec_eval 10.0": "10.0", "trec_eval 9.0.8": "9.0.8"}
PREFS, GROUPS = SETS["all_prefs"][2:], SETS["qrels_jg"][2:]
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MULTIPLES = tuple(i / 5 for i in range(1, 11))


def recorded():
    """Every golden case and version that has an output."""
    cases = []
    for path in sorted(GOLDEN.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        named = [version for version in VERSIONS if case[version] is not None]
        cases += [pytest.param(path, case["flags"], v, case[v]["stdout"], id=f"{path.stem}-{v}") for v in named]
    return cases


@pytest.mark.parametrize(("path", "flags", "version", "expected"), recorded())
def test_irev_prints_what_trec_eval_printed(irev, path, flags, version, expected):
    files = (str(path.with_suffix(".qrels")), str(path.with_suffix(".run")))
    done = irev("eval", "--compat", VERSIONS[version], *flags, *files)
    assert (0, expected) == (done.status, done.stdout.decode())


@pytest.mark.parametrize(("path", "flags", "version", "expected"), recorded())
def test_the_reference_gives_what_trec_eval_printed(path, flags, version, expected):
    kind = flags[flags.index("-R") + 1]
    depth = int(flags[flags.index("-M") + 1]) if "-M" in flags else None
    level = next((float(flag[2:]) for flag in flags if flag.startswith("-l")), 1)
    judgments = read_judgments(path.with_suffix(".qrels").read_bytes(), kind)
    run = read_run(path.with_suffix(".run").read_bytes())
    found = {}
    for line in expected.splitlines():
        label, query, value = line.split("\t")
        if query != "all":
            found.setdefault(query.encode(), {})[label.strip()] = value
    for query, values in found.items():
        mine = of_query(kind, judgments[query], run.get(query, {}), depth, level, "-J" in flags, VERSIONS[version])
        assert {name: shown(name, value) for name, value in mine.items()} == values


def read_judgments(data, kind):
    """{query: {group: rows}}, as the reference takes them."""
    judgments = {}
    for line in data.splitlines():
        query, group, *subgroup, document, level = line.split()
        groups = judgments.setdefault(query, {})
        if kind == "qrels_jg":
            groups.setdefault(group, {})[document] = float(level)
        else:
            groups.setdefault(group, []).append((subgroup[0] if subgroup else b"", document, float(level)))
    return judgments


def read_run(data):
    """{query: {document: score}}."""
    run = {}
    for line in data.splitlines():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, {})[document] = float(score)
    return run


def of_query(kind, judgments, scores, depth=None, level=1, judged_only=False, compat="10.0"):
    documents = reference.ranking(scores, depth, rising=kind != "qrels_jg", compat=compat)
    if kind == "qrels_jg":
        return reference.grouped_values(judgments, documents, CUTOFFS, MULTIPLES, level, judged_only)
    return reference.preference_values(judgments, documents, compat)


def shown(name, value):
    return str(value) if name in reference.COUNTS else f"{value:6.4f}"


# Random judgments


def made(random, kind):
    """Lines of judgments and of a run, with ties, groups that agree and do not, and several subgroups."""
    judgments, run = [], []
    for query in random.sample(["1", "10", "2", "x"], random.randint(1, 4)):
        documents = [f"d{i}" for i in random.sample(range(40), random.randint(2, 14))]
        for group in random.sample(["0", "g1", "g2", "10", "9", "B"], random.choice([1, 1, 2, 3, 4])):
            mine = random.sample(documents, random.randint(1, len(documents)))
            level = {document: random.choice([0, 0, 1, 2, 3, 2.5]) for document in mine}
            if kind == "qrels_jg":
                judgments += [f"{query} {group} {d} {random.choice([level[d], -1])}" for d in mine]
            elif kind == "qrels_prefs" or random.random() < 0.4:
                subgroup = "" if kind == "qrels_prefs" else " s"
                judgments += [f"{query} {group}{subgroup} {d} {level[d]}" for d in mine]
            else:  # what each subgroup says follows from one order, so that they fit together
                for number in range(random.randint(2, 4)):
                    part = random.sample(mine, random.randint(1, len(mine)))
                    judgments += [f"{query} {group} s{number} {d} {level[d] * (number + 1)}" for d in part]
        found = random.sample([f"d{i}" for i in range(50)], random.randint(1, 40))
        run += [f"{query} Q0 {d} 0 {random.choice([1, 2, 3, random.random(), 1 + 1e-9])} t" for d in found]
    random.shuffle(judgments)
    return "\n".join(judgments).encode() + b"\n", "\n".join(run).encode() + b"\n"


@pytest.mark.parametrize("kind", ["prefs", "qrels_prefs", "qrels_jg"])
@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(i, marks=pytest.mark.thorough) for i in range(8, 60))])
@pytest.mark.parametrize("ways", ["usual", "by matrix", "in parts"])
def test_every_value_is_that_of_the_reference(irev, write, monkeypatch, kind, seed, ways):
    if ways == "by matrix":
        monkeypatch.setattr(f"{FAMILY}._LARGE", 0)
        monkeypatch.setattr(f"{FAMILY}._SHARE", 100)
        monkeypatch.setattr(f"{FAMILY}._TOGETHER", 20)
    elif ways == "in parts":
        monkeypatch.setattr(f"{FAMILY}._TOGETHER", 1)
        monkeypatch.setattr("irev.extensions.preferences.preferences._PART", 1)
    random = Random(seed)
    judgments, run = made(random, kind)
    compat, depth = random.choice(["10.0", "9.0.8"]), random.choice([None, None, 1, 5, 10])
    level, judged_only = random.choice([1, 2]), random.random() < 0.3
    options = ["--compat", compat, "-l", str(level), *(["-J"] if judged_only else [])]
    options += [] if depth is None else ["-M", str(depth)]
    asked = "qrels_jg" if kind == "qrels_jg" else "all_prefs"
    done = irev("eval", "-q", "-n", "--digits", "exact", "-R", kind, "-m", asked, *options, write(judgments, "j"),
                write(run, "r"))  # fmt: skip
    assert 0 == done.status, done.stderr
    results, found = read_run(run), {}
    for line in done.stdout.decode().splitlines():
        label, query, value = line.split("\t")
        found.setdefault(query.encode(), {})[label.strip()] = float(value)
    expected = {
        query: of_query(kind, groups, results[query], depth, level, judged_only, compat)
        for query, groups in read_judgments(judgments, kind).items()
        if query in results
    }
    assert expected == found


@pytest.mark.parametrize("seed", range(30))
def test_preferences_contradict_each_other_where_those_of_the_reference_do(irev, write, seed):
    random = Random(seed)
    rows = [(random.choice(["s1", "s2", "s3"]), f"d{random.randrange(5)}", random.choice([1, 2, 3])) for _ in range(9)]
    rows = [*{(subgroup, document): (subgroup, document, level) for subgroup, document, level in rows}.values()]
    try:
        reference.preferred(rows)
        contradicted = False
    except Contradiction:
        contradicted = True
    lines = "".join(f"q1 g {subgroup} {document} {level}\n" for subgroup, document, level in rows)
    done = irev("eval", "-R", "prefs", "-m", "prefs_simp", write(lines.encode(), "j"), write(b"q1 Q0 d1 0 1 t\n", "r"))
    assert contradicted == (done.status == 2)
    if contradicted:
        pairs = re.findall(r"'(d\d)' over '(d\d)' \(lines (\d+) and (\d+)\)", done.stderr)
        assert [better for better, *_ in pairs[1:]] + [pairs[0][0]] == [worse for _, worse, *_ in pairs]
        for better, worse, above, below in pairs:
            (subgroup, one, high), (other, two, low) = rows[int(above) - 1], rows[int(below) - 1]
            assert (subgroup, better, worse) == (other, one, two)
            assert high > low


# What is refused

CONTRADICTION = b"q1 g s1 a 2\nq1 g s1 b 1\nq1 g s2 b 3\nq1 g s2 c 1\nq1 g s3 c 2\nq1 g s3 a 1\n"


@pytest.mark.parametrize(
    ("form", "content", "message"),
    [
        (
            "prefs",
            CONTRADICTION,
            ":6: preferences in group 'g' of query 'q1' contradict each other: 'a' over 'b' (lines 1 and 2), 'b' "
            "over 'c' (lines 3 and 4), 'c' over 'a' (lines 5 and 6); leave out one of them, or use a separate "
            "group for each person",
        ),
        ("prefs", b"q1 g s a 1\nq1 g s a 2\n", ":2: document 'a' is judged twice for query 'q1', group 'g', subgroup"),
        ("prefs", b"q1 g s a 1\nq1 g t a 0\nq1 g t b 1\n", ":2: document 'a' has levels 1 and 0 in group 'g' of query"),
        (
            "prefs",
            b"q1 g s a 1\nq1 g s b -1\n",
            ":2: the level -1 is negative; 0 is the lowest level; --negative nonrelevant",
        ),
        ("prefs", b"q1 g a 1\n", ":1: 4 fields in 'q1 g a 1'; expected 5 fields: query group subgroup document level"),
        ("prefs", b"q1 g s a x\n", ":1: the grade 'x' is not a number"),
        ("qrels_prefs", b"q1 g a 1\nq1 g a 2\n", ":2: document 'a' is judged twice for query 'q1', group 'g' (first"),
        ("qrels_jg", b"q1 g a 1\nq1 g a 1\n", ":2: document 'a' is judged twice for query 'q1', group 'g' (first"),
    ],
)
def test_a_fault_is_named_with_its_line_and_validate_finds_it(irev, write, form, content, message):
    judgments, run = write(content, "judgments"), write(b"q1 Q0 a 0 1 t\n", "run")
    measure = "map_avgjg" if form == "qrels_jg" else "prefs_simp"
    refused(irev("eval", "-R", form, "-m", measure, judgments, run), f"{judgments}{message}")
    assert 1 == irev("validate", "-R", form, judgments).status


def test_validate_finds_all_contradictions_at_once(irev, write):
    second = CONTRADICTION.replace(b"q1", b"q2")
    mixed = b"q3 g s a 1\nq3 g t a 0\nq3 g s b -1\n"
    done = irev("validate", "-R", "prefs", write(CONTRADICTION + second + mixed, "judgments"))
    found = re.findall(r":(\d+)(?::\d+)?: error (E\d+)", done.stdout.decode())
    assert [("6", "E118"), ("12", "E118"), ("14", "E118"), ("15", "E106")] == found


def test_of_a_long_cycle_some_preferences_are_named_and_the_others_counted(irev, write):
    lines = b"".join(b"q g s%d d%d 2\nq g s%d d%d 1\n" % (i, i, i, (i + 1) % 8) for i in range(8))
    said = irev("validate", "-R", "prefs", write(lines, "judgments")).stdout.decode()
    named = ", ".join(f"'d{i}' over 'd{i + 1}' (lines {2 * i + 1} and {2 * i + 2})" for i in range(5))
    assert f"contradict each other: {named} and 3 more; leave out" in said


def test_negative_levels_are_the_lowest_where_that_is_said(irev, write):
    judgments, run = write(b"q1 g s a 1\nq1 g s b -1\n", "judgments"), write(b"q1 Q0 a 0 1 t\n", "run")
    done = irev("eval", "-R", "prefs", "--negative", "nonrelevant", "-m", "prefs_num_prefs_poss", judgments, run)
    assert b"prefs_num_prefs_poss  \tall\t1\n" == done.stdout


@pytest.fixture
def files(write):
    judgments = write(b"q1 g a 2\nq1 g b 1\nq1 h b 1\n", "judgments")
    return judgments, write(b"q1 Q0 a 0 1 t\nq1 Q0 b 0 1 t\n", "run")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["-R", "qrels_prefs"],
            "the measure 'num_ret' needs grades, and these are judgments of preferences; choose one",
        ),
        (
            ["-R", "qrels_jg", "-m", "map"],
            "the measure 'map' needs grades, and these are judgments of groups; choose one",
        ),
        (["-R", "qrels_jg", "-m", "prefs_simp"], "needs judgments of preferences, and these are of groups;"),
        (["-R", "qrels_prefs", "-m", "P_avgjg.5"], "needs judgments of groups, and these are of preferences;"),
        (["-R", "qrels_prefs", "-m", "prefs_simp_bound=low"], "there are no bounds for the measure 'prefs_simp'"),
        (["-R", "qrels_jg", "-m", "map_avgjg", "--ties", "average"], "has no closed form"),
        (["-R", "no_such", "-m", "map"], "there is no format of judgments 'no_such'"),
    ],
)
def test_what_these_judgments_are_not_for_is_refused_by_name(irev, files, arguments, message):
    refused(irev("eval", *arguments, *files), message)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["report", "-m", "{}"], "pages are"),
        (["coverage", "-m", "{}"], "coverage is"),
        (["judges"], "agreement is"),
    ],
)
@pytest.mark.parametrize(
    ("kind", "name", "measure"), [("qrels_prefs", "preferences", "prefs_simp"), ("qrels_jg", "groups", "map_avgjg")]
)
def test_what_is_about_grades_refuses_them_and_says_what_takes_them(
    irev, files, write, words, what, kind, name, measure
):
    """Without that, kappa, say, would be that of levels, which are of no scale."""
    judgments, run = files
    given = [f"again={judgments}"] if words == ["judges"] else [run]
    done = irev(*words[0].split(), "-R", kind, *(word.format(measure) for word in words[1:]), judgments, *given)

    said = (
        f"irev: error: {judgments}: {what} about grades, but these are judgments of {name}; irev eval, compare and diff"
    )
    assert (2, b"") == (done.status, done.stdout)
    assert said in done.stderr


def test_measures_of_preferences_are_refused_of_grades(irev, write):
    qrels, run = write(b"q1 0 a 1\n", "qrels"), write(b"q1 Q0 a 0 1 t\n", "run")
    done = irev("eval", "-m", "prefs_simp", qrels, run)
    refused(done, "needs judgments of preferences, and these are of grades; --qrels-format prefs or --qrels-format")


def test_an_explanation_says_that_they_are_no_sums(irev, files):
    done = irev("explain", "-R", "qrels_prefs", "-m", "prefs_simp", *files)
    assert 0 == done.status
    assert b"PrefsSimp is not a sum over ranks, so it has no terms" in done.stdout


def test_ties_are_broken_by_rising_ids_under_preferences_alone(irev, write):
    judgments = write(b"q1 g a 2\nq1 g b 1\n", "judgments")
    run = write(b"q1 Q0 b 0 1 t\nq1 Q0 a 0 1 t\n", "run")
    assert (
        b"prefs_simp            \tall\t1.0000\n" == irev("-m", "prefs_simp", "-R", "qrels_prefs", judgments, run).stdout
    )
    assert (
        b"P_avgjg_1             \tall\t0.0000\n"
        == irev("-m", "P_avgjg.1", "-l2", "-R", "qrels_jg", judgments, run).stdout
    )


def test_runs_are_compared_by_measures_of_preferences(irev, write):
    lines = b"".join(b"q%d g a 2\nq%d g b 1\n" % (i, i) for i in range(9))
    one = b"".join(b"q%d Q0 a 0 2 one\nq%d Q0 b 0 1 one\n" % (i, i) for i in range(9))
    two = b"".join(b"q%d Q0 a 0 %d two\nq%d Q0 b 0 1 two\n" % (i, i % 2 * 2, i) for i in range(9))
    files = write(lines, "judgments"), write(one, "one"), write(two, "two")
    done = irev("compare", "-R", "qrels_prefs", "-m", "prefs_simp", "-f", "csv", *files)
    assert 0 == done.status, done.stderr
    assert b"prefs_simp,one,two,all,9,1.0000,0.4444,-0.5556" in done.stdout
    checked = irev("check", "-R", "qrels_prefs", "--min", "prefs_simp=0.9", *files[:2])
    assert 0 == checked.status, checked.stdout


def test_curves_over_queries_take_preferences_and_those_over_ranks_refuse_them(irev, files, write):
    judgments, run = files
    other = write(b"q1 Q0 b 0 1 u\nq1 Q0 a 0 0 u\n", "other")
    for kind in ("queries", "distribution"):
        done = irev("curves", "-R", "qrels_prefs", "--kind", kind, "-m", "prefs_simp", judgments, run, other)
        assert 0 == done.status, done.stderr
    done = irev("curves", "-R", "qrels_prefs", judgments, run)
    assert (2, True) == (done.status, "needs grades, and these are judgments of preferences" in done.stderr)


def test_qrels_is_the_name_that_trec_eval_has_for_trecs_own_format(irev, write):
    qrels, run = write(b"q1 0 a 1\n", "qrels"), write(b"q1 Q0 a 0 1 t\n", "run")
    expected = irev("-m", "map", qrels, run)
    for named in (["-R", "qrels"], ["--Rel_info_format", "qrels"], ["--qrels-format=trec"]):
        assert expected == irev("-m", "map", *named, qrels, run)


# Documentation


@pytest.mark.parametrize("name", [*PREFS, *GROUPS])
def test_the_example_in_the_documentation_is_right(irev, write, name):
    text = " ".join(MEASURES[name].documentation.split())
    setting, _, values = text.partition("Example: ")[2].removesuffix(".").partition(": ")
    levels, _, missed = re.sub(r"^(levels|grades)( of \w+ groups)? ", "", setting).partition(", not retrieved ")
    rows = []
    for group, written in enumerate(levels.split(" | ")):
        listed = [*written.split(), *missed.split()]
        rows += [f"q1 g{group} d{place} {level}\n" for place, level in enumerate(listed) if level != "-"]
    found = len(levels.split(" | ")[0].split())
    run = "".join(f"q1 Q0 d{place} 0 {found - place} t\n" for place in range(found))
    label, value = values.split()
    form = "qrels_jg" if name in GROUPS else "qrels_prefs"
    done = irev("-R", form, "-m", label, write("".join(rows).encode(), "judgments"), write(run.encode(), "run"))
    assert f"{label:22}\tall\t{value}\n" == done.stdout.decode()


LONG = 3200
"""A chain of so many documents has more than five million preferences."""


@pytest.mark.parametrize(
    "lines",
    [
        [line for i in range(LONG) for line in (f"q1 ann s{i} d{i} 2", f"q1 ann s{i} d{i + 1} 1")],
        [*(f"q1 ann s d{i} {i + 1}" for i in range(LONG)), "q1 ann t d0 1", "q1 ann t d1 2"],
    ],
    ids=["each subgroup a pair", "one subgroup of all"],
)
def test_more_preferences_than_fit_into_memory_are_refused_with_a_word(irev, write, lines):
    qrels, run = write("\n".join([*lines, ""]).encode(), "qrels"), write(b"q1 Q0 d1 0 1 t\n", "run")
    said = "qrels: judgment groups with several subgroups have 5,", "preferences, or more", "use smaller groups"
    refused(irev("eval", "-R", "prefs", "-m", "prefs", qrels, run), *said)
    listed = irev("validate", "-R", "prefs", qrels)
    assert (2, True) == (listed.status, all(each in listed.stdout.decode() for each in said[1:]))


def test_documents_below_one_another_are_found_however_many(irev, write):
    """A chain of 300 documents, whose bits are more than fit into one word, in groups of two subgroups each."""
    lines = [line for i in range(299) for line in (f"q1 ann s{i} d{i:03} 2", f"q1 ann s{i} d{i + 1:03} 1")]
    run = "".join(f"q1 Q0 d{i:03} 0 {i} t\n" for i in range(300))
    qrels, run = write("\n".join([*lines, ""]).encode(), "qrels"), write(run.encode(), "run")
    done = irev("eval", "-R", "prefs", "-m", "prefs_num_prefs_poss,prefs_num_prefs_ful", qrels, run)
    assert (0, ["44850", "0"]) == (done.status, [line.split()[-1] for line in done.stdout.decode().splitlines()])
