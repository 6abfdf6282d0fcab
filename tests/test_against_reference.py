"""The fast evaluator against the slow one, on files made up by Hypothesis: untidy files, odd ids and scores, every
option, chunks cut anywhere, hashes that collide, and lines that have to be refused.
"""

import random
from dataclasses import dataclass, replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import MEASURES, NOT_IN_9, Options, Refused, evaluate

from irev.measures import parse
from irev.reading import chunks, ids

# Ids and scores

LONG_ID = b"long" * 75  # longer than what is compared by whole words
ODD_IDS = (
    *(b"1", b"10", b"9", b"a", b"~", b"\x01", b"\x1f", b"\x7f", b"\xff", b"\x80\x81"),
    *(b"document", b"document1", b"document10", b"document2", b"documenu", b"Document1", b"DOCUMENT"),
    *(b"all", b"-", b"Q0", b"0", b"00", b"1_000", b"nan", b"[bold]", b"'", b'"', b"a\\n"),
    *("é".encode(), "e\N{COMBINING ACUTE ACCENT}".encode(), "日本語".encode(), "\N{NO-BREAK SPACE}".encode()),
    *(b"a#b", b"b#", b"#c", b"##"),
    *(b"x" * 63, b"x" * 64, b"x" * 65, b"x" * 255, b"x" * 256, b"x" * 257, b"x" * 255 + b"y", b"x" * 256 + b"y"),
    *(LONG_ID, LONG_ID[:-1], LONG_ID[:-1] + b"h", LONG_ID + b"1", b"l" + LONG_ID[:-1]),
)
NOT_IN_IDS = b"\0\t\n\v\f\r "

odd_ids = st.sampled_from(ODD_IDS)
ids_that_begin_alike = st.text("ab", min_size=1, max_size=18).map(str.encode)
binary_ids = st.binary(min_size=1, max_size=10).map(lambda b: bytes(c if c not in NOT_IN_IDS else 33 + c for c in b))
document_ids = st.one_of(odd_ids, ids_that_begin_alike, binary_ids)
query_ids = st.one_of(st.sampled_from((b"1", b"2", b"10")), st.sampled_from((b"1", b"2", b"10")), odd_ids)

ODD_SCORES = (
    *(b"0", b"-0", b"0.0", b"-0.0", b"+0", b"00", b".0", b"0.", b"-.0", b"0e5"),
    *(b"1", b"+1", b"1.", b"1.0", b"01", b"001.000", b"1e0", b"10e-1", b"0.1E1", b"1.0000000000000000000000000000000"),
    *(b"-1", b"-1.", b".5", b"-.5", b"+.5", b"5.", b"0.50", b"5e-1"),
    *(
        b"1e-320",
        b"1.5e-320",
        b"-1e-320",
        b"4.9e-324",
        b"1e-400",
        b"2.2250738585072014e-308",
        b"2.2250738585072011e-308",
    ),
    *(b"1e400", b"-1e400", b"inf", b"-inf", b"INF", b"+Infinity", b"1.7976931348623157e308", b"1e39", b"3.4028235e38"),
    # Halfway between two doubles, and a little beside it.
    *(b"9007199254740993", b"9007199254740992", b"9007199254740994", b"9007199254740993.0", b"9007199254740993.1"),
    *(b"1.00000000000000011102230246251565", b"1.0000000000000001110223024625156541", b"1.0000000000000001110"),
    *(b"1.0000000000000002", b"0.99999999999999989", b"0.9999999999999999", b"0.99999999999999994"),
    # Halfway between two single-precision numbers, and a little beside it.
    *(b"16777216", b"16777217", b"16777218", b"16777217.0000001", b"16777216.9999999999", b"16777217.000000000001"),
    *(b"1.00000005960464477539", b"1.0000000596046447753", b"1.00000005960464478", b"1.0000000596046448"),
    *(b"18446744073709551615", b"18446744073709551616", b"9999999999999999999", b"10000000000000000000"),
    *(b"0.12345678901234567", b"0.12345678901234568", b"0.12345678901234566", b"0.1234567890123456712345"),
)


@st.composite
def neighbouring_scores(draw) -> bytes:
    """Numbers of 15 to 25 digits that differ in the last ones only, with the point anywhere."""
    digits = draw(st.sampled_from((15, 16, 17, 18, 19, 20, 23, 24, 25)))
    mantissa = str(int("7234567890123456789012345"[:digits]) + draw(st.integers(-2, 2)))
    decimals = draw(st.sampled_from((0, 1, digits - 1, digits, digits + 1, digits + 5)))
    sign = draw(st.sampled_from(("", "", "", "-", "+")))
    padded = mantissa.rjust(decimals + 1, "0")
    return f"{sign}{padded[: len(padded) - decimals]}.{padded[len(padded) - decimals :]}".encode()


plain_scores = st.integers(0, 5).map(lambda n: b"%d.%d" % divmod(n, 2))
odd_scores = st.one_of(
    st.sampled_from(ODD_SCORES), neighbouring_scores(), st.floats(allow_nan=False).map(lambda x: b"%r" % x)
)
scores = st.one_of(plain_scores, odd_scores)
WHOLE_GRADES = (b"0", b"1", b"1", b"2", b"3", b"-1", b"-2", b"+1", b"007", b"-0", b"10", b"12", b"100000")
FRACTIONS = (b"0.5", b".25", b"1.5", b"2.", b"2.999", b"9.5", b"1e-3", b"1e1", b"0.1", b"0.30000000000000004", b"-0.5")
ODD_FRACTIONS = (b"-0.0", b"1e-400", b"-1e-400", b"0.123456789012345678901234567890", b"12345.678901234567")
grades = st.sampled_from(3 * WHOLE_GRADES + FRACTIONS + ODD_FRACTIONS)
KINDS_OF_GRADE = sorted({float(grade) for grade in WHOLE_GRADES + FRACTIONS + ODD_FRACTIONS if float(grade) >= 0})
ODD_RANKS = (b"-1", b"+2", b"007", b"2.5", b"2.50", b"1e0", b"inf", b"10000000000000000000001", b"0")


# Files


@dataclass(frozen=True)
class Tidiness:
    """How lines are written: what stands between fields, around them, and between lines."""

    between: tuple[bytes, ...]
    before: tuple[bytes, ...] = (b"",)
    ends: tuple[bytes, ...] = (b"\n",)
    other_lines: tuple[bytes, ...] = ()


BLANK_LINES = (b"\n", b"  \n", b"\r\n", b"\t\v\n")
COMMENTS = (b"# a comment\n", b"#\n", b"#1 Q0 a 1 5.0 t\n", b"# 1 0 a\r\n")
ANY_BLANK = (b" ", b"\t", b"  ", b" \t ", b"\v", b"\f", b"\r")
TIDY = Tidiness((b" ",))
TABS = Tidiness((b"\t",))
WINDOWS = Tidiness((b" ",), ends=(b"\r\n",))
MIXED = Tidiness((b" ", b"\t"), ends=(b"\n", b"\r\n"))
UNTIDY = Tidiness(ANY_BLANK, (b"", b"", b" ", b"\t\v"), (b"\n", b"\r\n", b" \n", b"\t\r\n"), COMMENTS)


def written(
    rows: list[tuple[bytes, ...]], tidiness: Tidiness, chance: random.Random, others: tuple[bytes, ...] = ()
) -> bytes:
    """The rows as lines of a file; other lines stand among them now and then, and the last newline may be missing."""
    lines = []
    for row in rows:
        fields = b"".join(chance.choice(tidiness.between) + field for field in row[1:])
        lines.append(chance.choice(tidiness.before) + row[0] + fields + chance.choice(tidiness.ends))
        if others and chance.random() < 0.3:
            lines.append(chance.choice(others))
    text = b"".join(lines)
    return text.removesuffix(b"\n") if chance.random() < 0.2 else text


def rank_of(chance: random.Random) -> bytes:
    """Anything that is a rank, small so that some are equal."""
    return chance.choice(ODD_RANKS) if chance.random() < 0.2 else b"%d" % chance.randrange(9)


@dataclass(frozen=True)
class Files:
    """Judgments and a run."""

    qrels: bytes
    run: bytes


def named_as_the_query(row: tuple) -> tuple:
    """A document without an id takes that of its query."""
    query, document, *others = row
    return query, query if document is None else document, *others


@st.composite
def files(
    draw, score=scores, query=query_ids, document=document_ids, most: int = 25, compat="10.0", repeats=False
) -> Files:
    """Two files that belong together, with documents judged, retrieved, or both, in any order and layout.

    Ranks say nothing of scores. Where it `repeats` itself, the run has some documents several times.
    """
    rows = draw(
        st.lists(
            st.tuples(
                query,
                st.one_of(document, st.none()),
                score,
                st.one_of(grades, st.none()),
                st.sampled_from((True, True, False)),
            ).map(named_as_the_query),
            min_size=1,
            max_size=most,
            unique_by=lambda row: row[:2],
        )
    )
    if repeats:
        again = st.tuples(st.sampled_from(rows), score).map(lambda pair: (*pair[0][:2], pair[1], None, True))
        rows += draw(st.lists(again, max_size=6))
    tidiness = draw(st.sampled_from((TIDY, TIDY, TABS, WINDOWS, MIXED, UNTIDY)))
    chance = random.Random(draw(st.integers(0, 2**32)))
    judged = [(query, b"0", document, grade) for query, document, _, grade, _ in rows if grade is not None]
    retrieved = [
        (query, b"Q0", document, rank_of(chance), score, chance.choice((b"tag", b"tag", b"other")))
        for query, document, score, _, is_retrieved in rows
        if is_retrieved
    ]
    order = draw(st.sampled_from(("by query", "as made", "shuffled")))
    if order == "by query":
        judged.sort(key=lambda row: row[0])
        retrieved.sort(key=lambda row: row[0])
    elif order == "shuffled":
        chance.shuffle(judged)
        chance.shuffle(retrieved)
    comments = tidiness.other_lines if compat == "10.0" else ()
    blank_lines = BLANK_LINES if tidiness is UNTIDY else ()
    if tidiness is UNTIDY:
        retrieved = [row + (b"more", b"fields")[: chance.randrange(3)] for row in retrieved]
    return Files(
        written(judged, tidiness, chance, comments), written(retrieved, tidiness, chance, comments + blank_lines)
    )


PARAMETERS = (
    *("P.1,2,3", "recall.2", "map_cut.1,3", "ndcg_cut.1,2,3,7", "relative_P.1,2", "success.1,2", "unj.1,3"),
    *("iprec_at_recall.0.25,0.5,.75,2,-1", "Rprec_mult.0.5,1.5,0,-1", "11pt_avg.1,0.5,0"),
    *("set_F.0.5", "set_F.4", "set_F.-1", "relstring.100", "relstring.2", "utility.1,-1,.5,.25"),
    *("ndcg.1=3,2=9", "ndcg.-1=1", "ndcg.-2=.5,1=.25", "G.1=3,1=2", "G.2=.5,1=.25", "dcg.0=-1,1=2", "ideal_dcg.3=0"),
    *("ndcg_rel.-1=2", "Rndcg.1=.5,2=.75", "rbp.p=0.5", "rbp.1=-1,3=5,p=.8", "rbp.-1=.5", "rbp_resid.p=0.5"),
)


@st.composite
def options(draw, compat: str) -> Options:
    """Any command line."""
    names = [*MEASURES, "official", "set", "all_trec", *PARAMETERS]
    if compat == "9.0.8":
        names = [name for name in names if name.partition(".")[0] not in NOT_IN_9]
    everything = st.just(("all_trec", *(m for m in ("yaap", "dcg", "ideal_dcg") if m in names)))
    both = st.just("both")
    no_comments = query_ids.filter(lambda query: not query.startswith((b"#", b"\0")))
    listed = st.lists(no_comments, min_size=1, max_size=4, unique=True).map(tuple)
    queries = draw(st.one_of(both, both, st.sampled_from(("qrels", "run")), listed))
    measures = draw(st.one_of(everything, st.lists(st.sampled_from(names), max_size=4).map(tuple)))
    # Gains that no measure looks at are refused, which is tested elsewhere.
    graded = any(request.measure.graded for request in parse(measures, compat))
    return Options(
        measures=measures,
        per_query=draw(st.booleans()),
        summary=draw(st.sampled_from((True, True, False))),
        complete=draw(st.sampled_from((False, True) if queries == "both" else (False,) * 5 + (True,))),
        level=draw(st.sampled_from((1, 1, 0, 2, 3, 10**6, 0.25, 0.5, 1.5))),
        depth=draw(st.sampled_from((None, None, 0, 1, 2, 3, 10, 10**9))),
        judged_only=draw(st.sampled_from((False, False, True))),
        collection_size=draw(st.sampled_from((0, 100))),
        compat=compat,
        order=draw(st.sampled_from(("score", "score", "rank", "file"))),
        ties=draw(st.sampled_from(("docid-desc", "docid-desc", "docid-asc", "file"))),
        duplicates=draw(st.sampled_from(("error", "first", "best"))),
        negative=draw(st.sampled_from(("unjudged", "unjudged", "unjudged", "nonrelevant", "nonrelevant", "error"))),
        drop_self=draw(st.booleans()),
        queries=queries,
        strict=draw(st.sampled_from((False,) * 9 + (True,))),
        gains=draw(st.one_of(st.none(), gains())) if graded else None,
    )


@st.composite
def gains(draw) -> tuple[tuple[str, str], ...]:
    """A gain for each kind of grade, or for nearly each."""
    few = draw(st.lists(st.sampled_from(("0", "1", "2", "3", "7.5", ".5", "-1")), min_size=1, max_size=3))
    given = {grade: draw(st.sampled_from(few)) for grade in KINDS_OF_GRADE}
    given |= dict.fromkeys(draw(st.lists(st.sampled_from(KINDS_OF_GRADE), max_size=1)), "9")
    for grade in draw(st.sampled_from(((), (), (), (0.0,), (0.5, 3.0)))):
        del given[grade]
    return tuple((repr(grade), gain) for grade, gain in given.items())


def flags(options: Options) -> list[str]:
    """The command line that makes these choices; a list of queries stands in the file ``queries``."""
    words = ["--compat", options.compat, "-l", str(options.level), "-N", str(options.collection_size)]
    words += [f"-m{measure}" for measure in options.measures]
    words += ["-M", str(options.depth)] if options.depth is not None else []
    words += ["--order", options.order, "--ties", options.ties, "--duplicates", options.duplicates]
    words += ["--negative", options.negative]
    if not (options.complete and options.queries == "both"):  # -c says it, and may not be contradicted
        words += ["--queries", options.queries if isinstance(options.queries, str) else "queries"]
    words += ["--gains", ",".join(f"{grade}={gain}" for grade, gain in options.gains)] if options.gains else []
    choices = {"-q": options.per_query, "-n": not options.summary, "-c": options.complete, "-J": options.judged_only}
    choices |= {"--drop-self": options.drop_self, "--strict": options.strict}
    return words + [flag for flag, wanted in choices.items() if wanted]


# The comparison

SIZES = (1, 7, 40, 64, 200, 1 << 20)


@pytest.fixture(scope="session")
def check(irev, tmp_path_factory):
    """``check(files, options, size, threads)`` fails unless irev prints, or refuses, what the reference does."""
    folder = tmp_path_factory.mktemp("files")
    paths = {"qrels": str(folder / "qrels"), "run": str(folder / "run")}
    listed = folder / "queries"

    def expected_of(given: Files, options: Options) -> tuple[int, bytes, str]:
        try:
            return 0, evaluate(given.qrels, given.run, options), ""
        except Refused as refusal:
            place = "" if refusal.file is None else paths[refusal.file]
            return 2, b"", f"irev: error: {place}" + ("" if refusal.line is None else f":{refusal.line}: ")

    def check(given: Files, options: Options, size: int = 1 << 20, threads: int = 4) -> None:
        for name, path in paths.items():
            with open(path, "wb") as file:
                file.write(getattr(given, name))
        words = flags(options)
        if not isinstance(options.queries, str):
            listed.write_bytes(b"".join(query + b" and its text\n" for query in options.queries))
            words = [str(listed) if word == "queries" else word for word in words]
        with (
            mock.patch.object(chunks, "SIZE", size),
            mock.patch.object(chunks, "THREADS", threads),
            mock.patch.object(chunks, "processors", return_value=threads),
        ):
            status, stdout, stderr = irev("eval", *words, paths["qrels"], paths["run"])
        if options.strict and stderr.endswith("leave out --strict if the numbers are meant so\n"):
            assert (2, b"") == (status, stdout)  # a warning of input that the reference has no opinion on
            options = replace(options, strict=False)
            status, stdout, stderr = irev(
                "eval", *(word for word in words if word != "--strict"), paths["qrels"], paths["run"]
            )
        expected_status, expected_stdout, expected_stderr = expected_of(given, options)

        assert (expected_status, expected_stdout) == (status, stdout), stderr
        if expected_status:
            assert stderr.startswith(expected_stderr)

    return check


sizes = st.sampled_from(SIZES)
threads = st.sampled_from((1, 2, 4))


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@settings(max_examples=250)
@given(data=st.data())
def test_any_files_under_any_options(check, compat, data):
    wanted = data.draw(options(compat))
    given = data.draw(files(compat=compat, repeats=wanted.duplicates != "error"))

    check(given, wanted, data.draw(sizes), data.draw(threads))


PAIRS = st.lists(
    st.tuples(st.sampled_from((-2, -1, 0, 1, 2, 3, 9, 10, 12)), st.sampled_from(("0", "1", "2", "7", ".5", "-1"))),
    min_size=1,
    max_size=4,
).map(lambda pairs: ",".join(f"{grade}={gain}" for grade, gain in pairs))
GAIN_MEASURES = ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "rbp", "rbp")


@settings(max_examples=300)
@given(given=files(most=10), pairs=st.lists(PAIRS, max_size=3), gains=st.one_of(st.none(), gains()))
@pytest.mark.thorough
def test_grades_of_any_kind_have_their_gains(check, given, pairs, gains):
    """Fractional grades among whole ones, some of them named by pairs, with and without gains for all."""
    measures = [*GAIN_MEASURES, *(f"{measure}.{text}" for text in pairs for measure in GAIN_MEASURES), "ndcg_cut.2"]

    check(given, Options(tuple(measures), per_query=True, gains=gains))


WHOLE_ORDER = ("relstring.100", "map", "num_ret")


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@settings(max_examples=300)
@given(
    score=st.lists(odd_scores, min_size=2, max_size=10),
    document=st.lists(document_ids, min_size=10, max_size=10, unique=True),
    end=st.sampled_from((b"\n", b"\r\n")),
)
@example([b"0.12345678901234567", b"0.12345678901234568"], [b"%d" % n for n in range(10)], b"\n")
@pytest.mark.thorough
def test_odd_scores_are_ordered_as_numbers_and_ties_by_document(check, compat, score, document, end):
    """Every document is judged with a grade of its own, so that the string of grades tells the whole order."""
    rows = list(zip(document, score, strict=False))
    given = Files(
        b"".join(b"q 0 %s %d%s" % (d, grade, end) for grade, (d, _) in enumerate(rows)),
        b"".join(b"q Q0 %s 1 %s t%s" % (d, s, end) for d, s in rows),
    )

    check(given, Options(measures=WHOLE_ORDER, per_query=True, compat=compat))


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@settings(max_examples=100)
@given(
    base=st.floats(1e-3, 1e3), steps=st.lists(st.integers(-3, 3), min_size=2, max_size=10), digits=st.integers(15, 22)
)
def test_scores_at_the_last_bit_are_ordered_as_correctly_rounded_doubles(check, compat, base, steps, digits):
    near = [base + step * np.spacing(base) for step in steps]
    given = Files(
        b"".join(b"q 0 %d %d\n" % (n, n) for n in range(len(near))),
        b"".join(b"q Q0 %d 1 %s t\n" % (n, f"{x:.{digits}f}".encode()) for n, x in enumerate(near)),
    )

    check(given, Options(measures=WHOLE_ORDER, per_query=True, compat=compat))


def test_scores_at_both_ends_of_the_range_are_ordered_beside_ones_of_many_digits(check):
    """Their difference is more than a number can hold."""
    run = b"1 Q0 a 1 1.7e308 t\n1 Q0 b 1 -1.7e308 t\n1 Q0 c 1 -inf t\n2 Q0 a 1 9007199254740993 t\n"

    check(Files(b"1 0 b 1\n2 0 a 1\n", run), Options(WHOLE_ORDER, per_query=True))


def test_the_largest_grade_is_a_grade(check):
    qrels = b"1 0 a 9007199254740992\n1 0 b 9007199254740991\n1 0 c -9007199254740992\n1 0 d 1\n"
    run = b"1 Q0 d 1 4 t\n1 Q0 b 1 3 t\n1 Q0 c 1 2 t\n1 Q0 a 1 1 t\n"
    measures = ("map", "ndcg", "ndcg_rel", "dcg", "rbp", "relstring", "num_rel")

    check(Files(qrels, run), Options(measures, per_query=True))


# Chunks: files whose borders are put everywhere

ROWS = [
    *((b"1", b"a", b"1.5"), (b"1", b"b", b"2.5"), (b"1", b"c", b"2.5")),
    *((b"10", b"a", b"3"), (b"10", b"document-with-a-long-id", b"0.12345678901234567")),
    *((b"2", b"x" * 70, b"-1e-3"), (b"2", b"c", b"7")),
    (b"q" * 40, b"c", b"7"),
    (b"q" * 41, b"c", b"7"),
]
QRELS = b"".join(b"%s 0 %s %d\n" % (query, document, n % 3) for n, (query, document, _) in enumerate(ROWS))


def run_of(rows, line: bytes = b"%s Q0 %s 1 %s tag\n") -> bytes:
    return b"".join(line % row for row in rows)


BORDER_CASES = {
    "contiguous queries": run_of(ROWS),
    "scattered queries": run_of([*ROWS[::2], *ROWS[1::2]]),
    "a query that comes back at the end": run_of([*ROWS[1:], ROWS[0]]),
    "Windows line ends": run_of(ROWS, b"%s\tQ0\t%s\t1\t%s\ttag\r\n"),
    "comments and blank lines": run_of(ROWS, b"# note\n\n  %s  Q0 %s 1 %s tag \n   \n"),
    "no newline at the end": run_of(ROWS).removesuffix(b"\n"),
    "a fault in the middle": run_of(ROWS[:4]) + b"10 Q0 z 1 x tag\n" + run_of(ROWS[4:]),
    "a fault at the end of scattered queries": run_of([*ROWS[::2], *ROWS[1::2]]) + b"z Q0 z 1 1.0\n",
    "a document twice, far apart": run_of([*ROWS, ROWS[0]]),
    "a short line, then a document twice": b"1 Q0 x 1\n" + run_of([*ROWS, ROWS[0]]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("run", BORDER_CASES.values(), ids=BORDER_CASES)
@pytest.mark.parametrize(("threads", "step"), [(1, 1), (3, 7)])
def test_borders_of_chunks_may_fall_anywhere(check, run, threads, step):
    wanted = Options(measures=("runid", "num_q", "num_ret", "map", "relstring"), per_query=True)
    for size in (*range(1, 150, step), *range(150, len(run) + 2, 5 * step)):
        check(Files(QRELS, run), wanted, size, threads)


# Hashes


def alike(keys):
    """Every id has the same hash."""
    return lambda *arguments: np.zeros_like(keys(*arguments))


def two_low_bits(keys):
    return lambda *arguments: keys(*arguments) & np.uint64(3)


def two_high_bits(keys):
    return lambda *arguments: keys(*arguments) & np.uint64(3 << 62)


@pytest.mark.parametrize("weakened", [alike, two_low_bits, two_high_bits])
@settings(max_examples=120)
@given(given=files(), wanted=options("10.0"), size=sizes)
@pytest.mark.thorough
def test_ids_whose_hashes_collide_are_told_apart(check, weakened, given, wanted, size):
    with mock.patch.object(ids, "keys", weakened(ids.keys)):
        check(given, wanted, size)


@pytest.mark.parametrize("weakened", [alike, two_low_bits, two_high_bits])
@pytest.mark.parametrize("file", ["qrels", "run"])
def test_a_document_twice_is_found_among_colliding_hashes(check, weakened, file):
    """Another document of the same hash stands between the two."""
    once = {
        "qrels": b"1 0 a 1\n1 0 b 1\n1 0 c 0\n2 0 a 1\n",
        "run": b"1 Q0 a 1 3 t\n1 Q0 b 1 2 t\n1 Q0 c 1 1 t\n2 Q0 a 1 1 t\n",
    }
    twice = once | {file: once[file] + once[file].splitlines(keepends=True)[0]}
    with mock.patch.object(ids, "keys", weakened(ids.keys)):
        check(Files(**once), Options(("map",)))
        check(Files(**twice), Options(("map",)))


# Refusals

BAD_QRELS_LINES = (
    *(b"\n", b"  \n", b"1\n", b"1 0 a\n", b"1 0 a b 1\n", b"1 0 z x\n", b"1 0 z 1,5\n", b"1 0 z 1_0\n", b"1 0 z nan\n"),
    *(
        b"1 0 z -\n",
        b"1 0 z +\n",
        b"1 0 z .\n",
        b"1 0 z 0x1\n",
        b"1 0 z 9007199254740994\n",
        b"1 0 z -9007199254740994\n",
        b"1 0 z inf\n",
        b"1 0 z 1e400\n",
    ),
    *(
        b"1 0 z 99999999999999999999999999\n",
        b"1 0 z\x00 1\n",
        b"1 0 z 1\x00\n",
        b" # 0 z\n",
        b"1 0 z \xd9\xa3\n",
        b"1 0 z --1\n",
    ),
)
BAD_RUN_LINES = (
    *(b"1\n", b"1 Q0 z 1 1\n", b"1 Q0 z 1 nan t\n", b"1 Q0 z 1 -NaN t\n", b"1 Q0 z 1 x t\n", b"1 Q0 z 1 1_0 t\n"),
    *(
        b"1 Q0 z 1 0x1p3 t\n",
        b"1 Q0 z 1 1,5 t\n",
        b"1 Q0 z 1 . t\n",
        b"1 Q0 z 1 - t\n",
        b"1 Q0 z 1 -. t\n",
        b"1 Q0 z 1 1.2.3 t\n",
    ),
    *(
        b"1 Q0 z 1 e5 t\n",
        b"1 Q0 z 1 1e t\n",
        b"1 Q0 z 1 1e+ t\n",
        b"1 Q0 z 1 --1 t\n",
        b"1 Q0 z 1 1d5 t\n",
        b"1 Q0 z 1 infi t\n",
    ),
    *(
        b"1 Q0 z 1 \xd9\xa3 t\n",
        b"1 Q0 z\x00 1 1 t\n",
        b"1 Q0 z 1 1 t\x00\n",
        b"1 Q0 z 1 1 \x00t\n",
        b"\x00\n",
        b"1 Q0 z 1 1\x00 t\n",
    ),
    *(b"1 Q0 two words 1 9.5 t\n", b"1 Q0 z 1 1:5 t\n", b"1 Q0 z 1 1/5 t\n", b"1 Q0 z 1 123456789012345678901234x t\n"),
)


NEGATIVE_LINES = (b"1 0 z -1\n", b"2 0 z -0.5\n")
RANK_LINES = (b"1 Q0 y x 1 t\n", b"2 Q0 y 1_0 1 t\n", b"3 Q0 y nan 1 t\n")


def with_lines(data, text: bytes, bad: tuple[bytes, ...], most: int) -> bytes:
    """`text` with a few lines put in: bad ones, and copies of its own."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    for _ in range(data.draw(st.integers(0, most))):
        new = data.draw(st.sampled_from((*bad, *lines)))
        lines.insert(data.draw(st.integers(0, len(lines))), new)
    return b"".join(lines)


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@settings(max_examples=250)
@given(data=st.data(), size=sizes, threads=threads)
@pytest.mark.thorough
def test_what_is_refused_is_refused_at_the_same_line(check, compat, data, size, threads):
    """The earliest faulty line, whatever the faults, the size of chunks and the number of threads.

    What is a fault depends on what orders the run, and on what repeated documents and negative grades mean.
    """
    wanted = Options(
        measures=("map",),
        compat=compat,
        order=data.draw(st.sampled_from(("score", "rank", "file"))),
        duplicates=data.draw(st.sampled_from(("error", "error", "first", "best"))),
        negative=data.draw(st.sampled_from(("unjudged", "error"))),
        drop_self=data.draw(st.booleans()),
    )
    good = data.draw(files(query=st.sampled_from((b"1", b"2", b"3")), most=12, compat=compat))
    bad = Files(
        with_lines(data, good.qrels, BAD_QRELS_LINES + NEGATIVE_LINES, 1),
        with_lines(data, good.run, BAD_RUN_LINES + RANK_LINES, 3),
    )

    check(bad, wanted, size, threads)


ONE_JUDGMENT, ONE_RESULT = b"1 0 a 1\n", b"1 Q0 a 1 1.0 t\n"


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@pytest.mark.parametrize("line", BAD_RUN_LINES)
def test_each_bad_line_of_a_run_is_refused(check, compat, line):
    for run in (ONE_RESULT + line, line + ONE_RESULT, line.removesuffix(b"\n")):
        check(Files(ONE_JUDGMENT, run), Options(compat=compat))


@pytest.mark.thorough
@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@pytest.mark.parametrize("line", BAD_QRELS_LINES)
def test_each_bad_line_of_judgments_is_refused(check, compat, line):
    for qrels in (ONE_JUDGMENT + line, line + ONE_JUDGMENT, line.removesuffix(b"\n")):
        check(Files(qrels, ONE_RESULT), Options(compat=compat))


@pytest.mark.parametrize("digits", [400, 5000], ids=str)
def test_numbers_of_thousands_of_digits_are_no_fault_of_irev(check, digits):
    """Python refuses to read whole numbers of more than 4300 digits."""
    many = b"9" * digits
    check(Files(b"1 0 a %s\n" % many, ONE_RESULT), Options())
    check(Files(b"1 0 a 1\n1 0 b -%s\n" % many, ONE_RESULT), Options())
    check(Files(ONE_JUDGMENT, b"1 Q0 a 1 %s t\n1 Q0 b 1 0.%s t\n" % (many, many)), Options())


NOTHING = (b"", b"\n", b"\n\n", b" ", b"\r\n", b"#", b"# only a comment\n", b"\0", b"\xef\xbb\xbf")


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
@pytest.mark.parametrize("nothing", NOTHING)
def test_files_with_next_to_nothing_in_them_are_refused(check, compat, nothing):
    check(Files(nothing, ONE_RESULT), Options(compat=compat))
    check(Files(ONE_JUDGMENT, nothing), Options(compat=compat))
    check(Files(ONE_JUDGMENT, nothing), Options(compat=compat, complete=True))
