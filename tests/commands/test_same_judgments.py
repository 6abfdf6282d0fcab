"""Judgments are the same if every query, document and grade is: neither the order nor the format of lines counts."""

import json

import pytest

import irev as api

QRELS = [("q1", "a", 1), ("q1", "b", 0), ("q2", "a", 2), ("q3", "c", 1)]
RUN = "".join(f"{q} Q0 {d} 1 {score} r\n" for q in ("q1", "q2", "q3") for d, score in (("a", 3), ("b", 2), ("c", 1)))
WORSE = RUN.replace("a 1 3", "a 1 0")


def trec(rows):
    return "".join(f"{q} 0 {d} {g}\n" for q, d, g in rows)


SAME = {
    "shuffled": trec(reversed(QRELS)),
    "blanks": trec(QRELS).replace(" ", "\t"),
    "csv": "query,document,grade\n" + "".join(f"{q},{d},{g}\n" for q, d, g in QRELS),
    "with a reason": "".join(
        json.dumps({"query": q, "document": d, "grade": g, "reason": f"{n}"}) + "\n"
        for n, (q, d, g) in enumerate(QRELS)
    ),
}
OTHER = {
    "another grade": trec([*QRELS[:-1], ("q3", "c", 2)]),
    "another document": trec([*QRELS, ("q3", "z", 0)]),
    "another query": trec([*QRELS[:-1], ("q4", "c", 1)]),
}


@pytest.fixture
def files(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(trec(QRELS).encode(), "qrels"), write(RUN.encode(), "good"), write(WORSE.encode(), "worse")


@pytest.mark.parametrize("content", SAME.values(), ids=SAME)
class TestSame:
    def test_a_check_compares(self, irev, files, write, content):
        qrels, run, worse = files
        irev("check", "--min", "AP=0", "--baseline", "b.json", "--update-baseline", qrels, run)
        found = irev("check", "--max-drop", "AP=0.01", "--baseline", "b.json", write(content.encode(), "other"), worse)

        assert (1, "") == (found.status, found.stderr)
        held = api.evaluate(write(content.encode(), "other"), worse, "AP", complete=True)
        verdict = api.check(
            {"r": held},
            baseline="b.json",
            qrels=write(content.encode(), "other"),
            max_drop={"AP": 0.01},
            runs={"r": worse},
        )
        assert (False, False) == (verdict.holds, any("other judgments" in note for note in verdict.notes))

    def test_a_trend_has_no_break(self, irev, files, write, content):
        other = write(content.encode(), "other")
        for judged in (files[0], other):
            irev("eval", "-c", "-q", "-f", "json", "-m", "AP", "-o", f"{judged}.json", judged, files[1])
        found = json.loads(irev("trend", "-f", "json", f"{files[0]}.json", f"{other}.json").stdout)
        compared = irev("compare", f"{files[0]}.json", f"{other}.json")

        assert [] == found["series"][0]["rejudged"]
        assert "different judgments" not in compared.stderr

    def test_evaluations_are_compared_without_a_warning(self, files, write, content, recwarn):
        one, other = (
            api.evaluate(each, files[1], "AP", complete=True) for each in (files[0], write(content.encode(), "other"))
        )
        api.compare({"one": one, "other": other})

        assert [] == [str(each.message) for each in recwarn if "judgments" in str(each.message)]


@pytest.mark.parametrize("content", OTHER.values(), ids=OTHER)
def test_other_grades_are_other_judgments(irev, files, write, content):
    qrels, run, worse = files
    irev("check", "--min", "AP=0", "--baseline", "b.json", "--update-baseline", qrels, run)
    found = irev("check", "--max-drop", "AP=0.01", "--baseline", "b.json", write(content.encode(), "other"), worse)

    assert 2 == found.status
    assert "the baseline was made with other judgments" in found.stderr


def test_a_record_without_the_content_is_compared_by_the_file(irev, files, write):
    qrels, run, worse = files
    irev("check", "--min", "AP=0", "--baseline", "b.json", "--update-baseline", qrels, run)
    with open("b.json") as file:
        record = json.load(file)
    assert 64 == len(record["inputs"][0].pop("content"))
    with open("b.json", "w") as file:
        json.dump(record, file)
    arguments = ("check", "--max-drop", "AP=0.01", "--baseline", "b.json")

    assert 1 == irev(*arguments, qrels, worse).status
    assert 2 == irev(*arguments, write(SAME["shuffled"].encode(), "other"), worse).status
