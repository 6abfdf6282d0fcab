"""Files of learning to rank: grades as judgments, scores beside them as a run, and what is refused."""

import gzip
import os
import random
from unittest.mock import patch

import numpy as np
import pytest
from conftest import in_process
from mutations import fault_of, mutated
from outcomes import refused

import irev as package
from irev.base.settings import Settings
from irev.reading import chunks, formats
from irev.reading.formats import JUDGMENTS, RUNS

NAMED = b"".join(
    b"%d qid:%d 1:%d.5 2:-1e-3 #docid = GX%d inc = 1\n" % (grade, query, grade, query * 10 + grade)
    for query in (1, 2)
    for grade in (0, 2, 1, -1)
)
UNNAMED = b"# made by hand\n" + b"".join(line.partition(b"#")[0] + b"\n" for line in NAMED.splitlines())
SCORES = [0.5, -1, 3, 2, 1, 2, 3, 4]
JUDGED = {str(q): {f"GX{q * 10 + g}": g for g in (0, 2, 1, -1)} for q in (1, 2)}
RUN = {str(q): dict(zip(JUDGED[str(q)], SCORES[4 * (q - 1) :], strict=False)) for q in (1, 2)}
MEASURES = ["AP", "nDCG", "P@2", "NumRet"]


def evaluated(tmp_path, letor, scores, **options):
    (tmp_path / "letor").write_bytes(letor)
    (tmp_path / "scores").write_bytes(scores)
    given = f"letor-scores:{tmp_path / 'letor'}"
    return package.evaluate(tmp_path / "letor", tmp_path / "scores", MEASURES, run_format=given, **options).per_query


def lines(scores):
    return "".join(f"{score}\n" for score in scores).encode()


@pytest.mark.parametrize(
    "letor", [NAMED, UNNAMED, gzip.compress(NAMED), NAMED.replace(b"\n", b"\r\n"), UNNAMED + b"\n\n"]
)
@pytest.mark.parametrize("size", [1, 70, 1 << 21])
def test_grades_and_scores_are_those_of_the_same_lines(letor, size, tmp_path):
    expected = package.evaluate(JUDGED, RUN, MEASURES).per_query
    with patch.object(chunks, "SIZE", size):
        assert expected == evaluated(tmp_path, letor, lines(SCORES))


@pytest.mark.parametrize(
    "line", ["{grade} qid:{query} # {document} {text}", '{grade}    qid:{query} #    {document}; "{text}"']
)
def test_the_export_of_quepid_names_documents_behind_the_number_sign(line, tmp_path):
    """They were called by the numbers of their lines, so that no run had any of them."""
    text = {"1": "rambo; first blood", "2": 'the "thing"'}
    found = [
        line.format(grade=max(grade, 0), query=query, document=document, text=text[query])
        for query, grades in JUDGED.items()
        for document, grade in grades.items()
    ]
    (tmp_path / "quepid.txt").write_text("\n" + "\n\n".join(found) + "\n\n")
    expected = package.evaluate(
        {q: {d: max(g, 0) for d, g in grades.items()} for q, grades in JUDGED.items()}, RUN, MEASURES
    )

    assert expected.per_query == package.evaluate(tmp_path / "quepid.txt", RUN, MEASURES).per_query


def test_a_document_of_quepid_may_have_a_semicolon_in_it(tmp_path):
    (tmp_path / "quepid.txt").write_text("1 qid:1 # a;b;c shoes\n0 qid:1 # a;b; shoes\n1 qid:1 #x\n")

    assert {"NumRet": 2} == package.evaluate(tmp_path / "quepid.txt", {"1": {"a;b;c": 1, "x": 2}}, ["NumRet"]).mean()
    assert package.read_qrels(tmp_path / "quepid.txt").judgments.of_query(b"1") == {"a;b;c": 1, "a;b;": 0, "x": 1}


def test_lines_of_one_query_may_be_scattered(tmp_path):
    order = np.random.default_rng(1).permutation(8)
    letor = b"".join(NAMED.splitlines(keepends=True)[i] for i in order)
    with patch.object(chunks, "SIZE", 8):
        found = evaluated(tmp_path, letor, lines(SCORES[i] for i in order))
    assert package.evaluate(JUDGED, RUN, MEASURES).per_query == found


def test_scores_of_ranklib_have_the_query_and_a_number_in_front(tmp_path):
    numbered = "".join(f"{1 + i // 4}\t{i % 4}\t{score}\n" for i, score in enumerate(SCORES)).encode()
    assert evaluated(tmp_path, NAMED, lines(SCORES)) == evaluated(tmp_path, NAMED, numbered)


def test_scores_may_be_of_other_judgments(tmp_path):
    """The file beside them says which documents they are for."""
    (tmp_path / "letor").write_bytes(NAMED)
    (tmp_path / "scores").write_bytes(lines(SCORES))
    given = f"letor-scores:{tmp_path / 'letor'}"
    found = package.evaluate(JUDGED, tmp_path / "scores", MEASURES, run_format=given)
    assert package.evaluate(JUDGED, RUN, MEASURES).per_query == found.per_query


def test_they_are_recognised_or_suggested():
    for data in (NAMED, UNNAMED, b"+1 qid:3\n", b"0.5\tqid:a 1:1", b"#\n\n 0 qid:1 # x\n"):
        assert JUDGMENTS["letor"] is formats.recognised(JUDGMENTS, data, Settings())
        assert formats.recognised(RUNS, data, Settings()) is None
    for data in (b"q1 0 qid:3 1\n", b"x qid:3 1:2\n", b"1 qid:3 0 1\n", b"1 1:2 2:3\n"):
        assert formats.recognised(JUDGMENTS, data, Settings()) is None


REFUSED = [
    (NAMED, lines(SCORES[:-1]), "scores: 1 document has no score, the last ones of "),
    (NAMED, lines([*SCORES, 1]), "scores:9: there are more scores than documents in "),
    (NAMED, lines([*SCORES[:-1], "high"]), "scores:8: the score 'high' is not a number"),
    (NAMED, lines([*SCORES[:-1], "1 2"]), "scores:8: 2 fields in '1 2'; expected a score, or query, number and score"),
    (NAMED, lines([*SCORES[:-1], "1 3 2"]), "scores:8: the query is '1', and that of the document in "),
    (NAMED + b"1 qid:2 1:1\n", lines([*SCORES, 1]), "letor:9: the line has no docid, but other lines have one"),
    (
        NAMED + b"1 qid 1:1\n",
        lines([*SCORES, 1]),
        "letor:9: '1 qid 1:1' is not a line of LETOR; expected grade qid:query",
    ),
    (
        NAMED + b"1 qid:2 1:1 2 #docid = x\n",
        lines([*SCORES, 1]),
        "letor:9: '1 qid:2 1:1 2 #docid = x' is not a line of",
    ),
    (
        NAMED + NAMED[:40],
        lines([*SCORES, 1]),
        "letor:9: document 'GX10' is judged twice for query '1' (first on line 1)",
    ),
    (NAMED.replace(b"0 qid", b"x qid"), lines(SCORES), "letor:1: "),
    (
        b"1 qid:1 1:1\n" + NAMED,
        lines([1, *SCORES]),
        "letor:2: the line has a docid, but the first line has none; expected ",
    ),
    (
        b"1 qid:1 1:1\n0 qid:1 1:2\n",
        b"1\t1\t0.9\n1\t0\t0.1\n",
        "scores:2: the number '0' is not that of the next document of query '1'; expected the order of ",
    ),
    (
        b"1 qid:1 1:1\n0 qid:1 1:2\n",
        b"1\t7\t0.9\n1\t8\t0.1\n",
        "scores:1: the number '7' is not that of the next document",
    ),
]


@pytest.mark.parametrize(("letor", "scores", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_what_does_not_belong_together_is_refused(letor, scores, message, tmp_path):
    (tmp_path / "letor").write_bytes(letor)
    (tmp_path / "scores").write_bytes(scores)
    given = ("--qrels-format", "letor", "--run-format", f"letor-scores:{tmp_path / 'letor'}")
    refused(in_process("eval", *given, str(tmp_path / "letor"), str(tmp_path / "scores")), message)


@pytest.mark.parametrize("named", ["letor-scores", "letor-scores:", "letor-scores:-", "letor-scores:nowhere", "trec:x"])
def test_scores_need_the_file_that_was_scored(named, tmp_path):
    (tmp_path / "letor").write_bytes(NAMED)
    (tmp_path / "scores").write_bytes(lines(SCORES))
    done = in_process("eval", "--run-format", named, str(tmp_path / "letor"), str(tmp_path / "scores"))
    said = {"letor-scores:nowhere": "nowhere: there is no such file", "trec:x": "there is no format of runs 'trec:x'"}
    assert said.get(named, "letor-scores needs the file that was scored; expected letor-scores:FILE") in done.stderr
    assert (2, b"", 1) == (done.status, done.stdout, done.stderr.count("\n"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_the_file_that_was_scored_cannot_be_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "letor").write_bytes(NAMED)
    (tmp_path / "scores").write_bytes(lines(SCORES))
    files = str(tmp_path / "letor"), str(tmp_path / "scores")
    done = in_process("eval", "--run-format", f"letor-scores:{tmp_path / 'pipe'}", *files)
    assert (2, True) == (
        done.status,
        "pipe: this is not a regular file, but it may have to be read twice" in done.stderr,
    )


@pytest.mark.thorough
def test_any_scores_give_a_result_or_one_message(tmp_path):
    chance = random.Random(1)
    (tmp_path / "scored").write_bytes(NAMED)
    for _ in range(60):
        scores = mutated(lines(SCORES), [NAMED, lines(SCORES)], chance)
        options = ["--qrels-format", "letor", "--run-format", f"letor-scores:{tmp_path / 'scored'}"]
        assert "" == fault_of(tmp_path, NAMED, scores, options, chance.choice((1, 7, 1 << 21)), judge=False)


def test_validate_names_the_line_of_the_file_that_was_scored(tmp_path):
    (tmp_path / "letor").write_bytes(NAMED)
    (tmp_path / "broken").write_bytes(NAMED.splitlines(keepends=True)[0] + b"x y\n")
    (tmp_path / "scores").write_bytes(lines(SCORES))
    given = ("--qrels-format", "letor", "--run-format", f"letor-scores:{tmp_path / 'broken'}")
    status, stdout, _ = in_process("validate", *given, str(tmp_path / "letor"), str(tmp_path / "scores"))

    said = f"{tmp_path / 'scores'}: error E101: {tmp_path / 'broken'}:2: 'x y' is not a line of LETOR; expected"
    assert (1, True) == (status, said in stdout.decode())
