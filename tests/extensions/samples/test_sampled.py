"""Judgments of a sample, in strata: by hand, against a slow definition, as sample_eval has it, and what is refused."""

import json
import math
import random
import re

import pytest
from outcomes import refused

from irev.extensions.samples import files as formats
from irev.reading import fields

BY_HAND = ("1 0 a 1 1\n1 0 b 1 0\n1 0 c 2 1\n1 0 d 2 -1\n1 0 e 2 -1\n", "acdb")
STRATA = ("--qrels-format", "strata")


def files(tmp_path, judgments: str, results: str = "") -> tuple[str, str]:
    (tmp_path / "qrels").write_text(judgments)
    (tmp_path / "run").write_text(
        "".join(f"1 Q0 {d} 0 {-place} t\n" for place, d in enumerate(results)) or "1 Q0 a 1 1 t\n"
    )
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def values(irev, measures, *given: str) -> dict[str, list[float]]:
    done = irev("eval", "-q", "-f", "jsonl", *(word for name in measures for word in ("-m", name)), *STRATA, *given)
    assert 0 == done.status, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["query"]: [*row["measures"].values()] for row in rows if row.get("query") not in (None, "all")}


def xinfap(judged: dict[str, tuple[int, float]], ranked: list[str], depth: int, like: str) -> float:
    """Rank by rank, as the paper and sample_eval have it; `judged` has the stratum and the grade of documents."""
    strata = sorted({stratum for stratum, _ in judged.values()})
    total = {s: [g for stratum, g in judged.values() if stratum == s] for s in strata}
    known = {s: [g for g in total[s] if g >= 0] for s in strata}
    relevant = {s: sum(g > 0 for g in known[s]) for s in strata}
    estimated = {s: relevant[s] * len(total[s]) / len(known[s]) if known[s] else 0.0 for s in strata}
    R = sum(estimated.values())
    summed = dict.fromkeys(strata, 0.0)
    above: list[tuple[int, float]] = []
    for i, document in enumerate(ranked[:depth], start=1):
        if document not in judged:
            continue
        stratum, grade = judged[document]
        if grade > 0:
            expected = 0.0
            for s in strata:
                here = [g for of, g in above if of == s]
                found, seen = sum(g > 0 for g in here), sum(g >= 0 for g in here)
                expected += len(here) / len(above) * (found + 0.00001) / (seen + 0.00003) if here else 0.0
            summed[stratum] += 1 / i + len(above) / i * expected
        above.append((stratum, grade))
    ap = sum(estimated[s] / R * summed[s] / relevant[s] for s in strata if R and relevant[s])
    return ap * R / depth if like == "trecvid" and R > depth else ap


def infndcg(judged: dict[str, tuple[int, float]], ranked: list[str], depth: int, like: str) -> float:
    strata = sorted({stratum for stratum, _ in judged.values()})
    counts: dict[float, float] = {}
    gained = 0.0
    for s in strata:
        grades = [g for stratum, g in judged.values() if stratum == s]
        known = [g for g in grades if g >= 0]
        for grade in {g for g in known if g > 0}:
            counts[grade] = counts.get(grade, 0.0) + known.count(grade) * len(grades) / len(known)
        here = [(i, judged[d][1]) for i, d in enumerate(ranked[:depth], 1) if d in judged and judged[d][0] == s]
        seen = sum(g >= 0 for _, g in here)
        gained += sum(g / math.log2(i + 1) for i, g in here if g > 0) * len(here) / seen if seen else 0.0
    ideal = start = 0.0
    for grade in sorted(counts, reverse=True):
        documents = counts[grade] if like == "trecvid" else math.floor(counts[grade] + 0.5)
        rank = start + 1
        while rank <= start + documents:
            ideal += grade / math.log2(rank + 1)
            if rank >= depth:
                break
            rank += 1
        start += documents
    return gained / ideal if ideal else 0.0


def test_two_strata_by_hand(irev, tmp_path):
    """Of stratum 1 both documents are judged, of stratum 2 one of three; the results are a c d b.

    c is relevant and stands for 3, a for itself: R = 4. At rank 1 the precision is 1. Above rank 2 there is a, relevant
    1.00001/1.00003 of it: (1 + 0.99998) / 2. xinfAP = (1 + 3 · 0.99999) / 4. Of stratum 2 there are two results, one
    judged: 1/log2(2) + 2/log2(3) over four documents of grade 1.
    """
    precision = (1 + 1.00001 / 1.00003) / 2
    ideal = sum(1 / math.log2(i + 1) for i in (1, 2, 3, 4))
    expected = [(1 + 3 * precision) / 4, (1 + 2 / math.log2(3)) / ideal]

    assert expected == pytest.approx(values(irev, ("xinfAP", "infNDCG"), *files(tmp_path, *BY_HAND))["1"])


@pytest.mark.parametrize("like", ["trec", "trecvid"])
@pytest.mark.parametrize("seed", range(12))
def test_values_are_those_of_the_definitions(irev, tmp_path, seed, like):
    chance = random.Random(seed)
    depth = chance.choice((3, 10, 1000))
    judged, ranked = {}, {}
    for query in map(str, range(1, chance.randint(2, 9))):
        documents = [f"d{number}" for number in range(chance.randint(2, 50))]
        rates = {stratum: chance.choice((1.0, 0.5, 0.2)) for stratum in range(1, chance.randint(2, 5))}
        judged[query] = {}
        for document in chance.sample(documents, chance.randint(1, len(documents))):
            stratum = chance.choice([*rates])
            grade = chance.choice((0, 0, 1, 1, 2, 3)) if chance.random() < rates[stratum] else -1
            judged[query][document] = stratum, grade
        ranked[query] = chance.sample(documents, chance.randint(1, len(documents)))
    lines = [f"{q} 0 {d} {s} {g}\n" for q, of in judged.items() for d, (s, g) in of.items()]
    chance.shuffle(lines)
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "run").write_text(
        "".join(f"{q} Q0 {d} 0 {-place} t\n" for q, of in ranked.items() for place, d in enumerate(of))
    )
    found = values(
        irev,
        (f"xinfAP(depth={depth},like={like})", f"infNDCG(depth={depth},like={like})"),
        str(tmp_path / "qrels"),
        str(tmp_path / "run"),
    )

    assert {
        query: pytest.approx([of(judged[query], ranked[query], depth, like) for of in (xinfap, infndcg)], abs=1e-12)
        for query in judged
    } == found


@pytest.mark.parametrize("like", ["trec", "trecvid"])
def test_what_sample_eval_printed(irev, tmp_path, like):
    """Of sample_eval.pl of TREC, last changed in October 2011, and of TRECVID, in September 2012, with a result size of
    1000, and of 3. Of the second stratum two of three documents are judged, so that one of grade 3 counts 1.5 times."""
    strata = [(1, 2), (1, 0), (1, 1), (2, 3), (2, 0), (2, -1), (3, -1), (3, 1), (3, 3), (3, -1)]
    given = files(tmp_path, "".join(f"1 0 d{d} {stratum} {grade}\n" for d, (stratum, grade) in enumerate(strata)))
    order = [3, 1, 8, 0, 7, 5, 2]
    (tmp_path / "run").write_text("".join(f"1 Q0 d{d} 0 {-place} t\n" for place, d in enumerate(order)))

    assert PRINTED[like] == [
        f"{value:.4f}"
        for depth in (1000, 3)
        for value in values(
            irev, (f"xinfAP(depth={depth},like={like})", f"infNDCG(depth={depth},like={like})"), *given
        )["1"]
    ]


PRINTED = {
    "trec": ["0.8054", "0.9596", "0.3778", "0.5982"],
    "trecvid": ["0.8054", "1.1016", "0.9444", "0.5940"],
}


def test_it_is_like_trec_unless_asked_otherwise(irev, tmp_path):
    """1.5 documents of grade 1 are 2 in the ideal ranking, 1 + 1 / log2(3), and 1 for TRECVID, which cuts them."""
    given = files(tmp_path, "1 0 a 1 1\n1 0 b 1 0\n1 0 c 1 -1\n", "a")
    found = values(irev, ("infNDCG", "infNDCG(like=trecvid)"), *given)

    assert [1 / (1 + 1 / math.log2(3)), 1.0] == pytest.approx(found["1"])


def test_whatever_looks_at_grades_works_on_them(irev, tmp_path):
    given = files(tmp_path, *BY_HAND)
    (tmp_path / "grades").write_text("1 0 a 1\n1 0 b 0\n1 0 c 1\n1 0 d -1\n1 0 e -1\n")
    expected = irev("-q", "-m", "map", "-m", "infAP", str(tmp_path / "grades"), given[1])

    assert expected == irev("-q", "-m", "map", "-m", "infAP", *STRATA, *given)


@pytest.mark.parametrize("command", [("explain", "-m", "xinfAP"), ("explain", "-m", "infNDCG")])
def test_a_value_is_explained_as_a_sum(irev, tmp_path, command):
    done = irev(*command, *STRATA, *files(tmp_path, *BY_HAND))

    assert (0, True) == (done.status, b"term" in done.stdout)


def test_runs_are_compared_by_them(irev, tmp_path):
    qrels, run = files(tmp_path, *BY_HAND)
    (tmp_path / "other").write_text("1 Q0 d 1 2 other\n1 Q0 c 2 1 other\n")
    done = irev("check", "--min", "xinfAP=0.5", *STRATA, qrels, run)
    assert 0 == done.status, done.stderr
    done = irev("eval", "-m", "infNDCG", "-f", "table", *STRATA, qrels, run, str(tmp_path / "other"))
    assert (0, True) == (done.status, b"other" in done.stdout)


def test_judgments_of_another_kind_are_refused(irev, tmp_path):
    qrels, run = files(tmp_path, "1 0 a 1\n")

    refused(
        irev("-m", "xinfAP", qrels, run), "needs judgments of strata, and these are of grades", "--qrels-format strata"
    )


def test_five_fields_suggest_the_format(irev, tmp_path):
    refused(irev("-m", "map", *files(tmp_path, *BY_HAND)), "qrels:1", "--qrels-format strata")


def test_a_document_in_two_strata_is_an_error_with_both_lines(irev, tmp_path):
    given = files(tmp_path, "1 0 a 1 1\n1 0 b 1 0\n1 0 a 2 -1\n2 0 a 2 1\n")
    said = "qrels:3: document 'a' of query '1' is in stratum '2', and in stratum '1' (first on line 1)"
    refused(irev("-m", "xinfAP", *STRATA, *given), said)
    done = irev("validate", *STRATA, given[0])

    assert (1, True) == (done.status, b"document 'a' of query '1' is in stratum '2'" in done.stdout)


def test_bounds_and_ties_that_there_are_not_are_refused_by_name(irev, tmp_path):
    given = files(tmp_path, *BY_HAND)

    refused(irev("-m", "xinfAP(bound=low)", *STRATA, *given), "no bounds for the measure 'xinfap'")
    refused(irev("-m", "infNDCG", "--ties", "average", *STRATA, *given), "over ties of the measure 'infndcg'")


@pytest.mark.parametrize(("kind", "line"), [("strata", "1 0 d{} {} 1\n"), ("prels", "1 d{} 1 {} 1\n")])
def test_a_file_of_faults_has_no_more_of_them_described_than_are_shown(irev, tmp_path, monkeypatch, kind, line):
    """Each has the lines before it counted, so that a file of a million would take a day."""
    described = []
    monkeypatch.setattr(formats, "line", lambda text, place: described.append(place) or fields.line(text, place))
    (tmp_path / "judgments").write_text("".join(line.format(d, s) for s in (1, 2) for d in range(500)))
    done = irev("validate", "--qrels-format", kind, "--max-problems", "20", str(tmp_path / "judgments"))

    assert (1, 40) == (done.status, len(described))
    found = re.findall(r":(\d+): error E\d+: document 'd(\d+)'.*\(first on line (\d+)\)", done.stdout.decode())
    assert [(str(501 + d), str(d), str(1 + d)) for d in range(20)] == found
    assert b"500 errors" in done.stdout
