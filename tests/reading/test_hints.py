"""Advice in messages, followed: it leads to the right number or to an error, never to another number.

Odd files, as people bring them, are evaluated; whatever a message advises is done, and what that leads to again.
"""

import ast
import json
import re
import shlex
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from conftest import in_process
from outcomes import options_in, parameters_in, refused

import irev as package

ROWS = {"q1": ("d11", "d12", "d13"), "q2": ("d21", "d22"), "q3": ("d31", "d32", "d33")}
GRADES = {"q1": (0, 1, 2), "q2": (1, 0), "q3": (0, 0, 1)}
SCORES = (9.5, 8.25, 7.125)
RIGHT = "0.6389"
"""The mean of average precision: (1/2 + 2/3)/2, 1, 1/3."""

JUDGED = [(q, d, g) for q in ROWS for d, g in zip(ROWS[q], GRADES[q], strict=True)]
FOUND = [(q, d, r, s) for q in ROWS for r, (d, s) in enumerate(zip(ROWS[q], SCORES, strict=False), start=1)]
QRELS = "".join(f"{q} 0 {d} {g}\n" for q, d, g in JUDGED)
RUN = "".join(f"{q} Q0 {d} {r} {s} t\n" for q, d, r, s in FOUND)


def lines(template: str, rows: list[tuple], head: str = "") -> str:
    """A line for each row, whose fields are called by their first letters."""
    names = "qdg" if rows is JUDGED else "qdrs"
    return head + "".join(template.format(**dict(zip(names, row, strict=True))) + "\n" for row in rows)


def judged(template: str, head: str = "") -> str:
    return lines(template, JUDGED, head)


def found(template: str, head: str = "") -> str:
    return lines(template, FOUND, head)


def by_query(rows: list[tuple], number: int) -> dict[str, dict[str, float]]:
    return {q: {row[1]: row[number] for row in rows if row[0] == q} for q in ROWS}


def relevant(query: str) -> list[str]:
    return [d for q, d, g in JUDGED if q == query and g]


SPACED = str.maketrans({"d": "red d"})
TREC_EVAL = "".join(f"{m:22}\t{q}\t{v}\n" for q in ("q1", "q2", "all") for m, v in (("map", "0.5"), ("P_5", "0.2")))
COUNTS = "".join(f"{m:22}\t{q}\t{v}\n" for q in ("q1", "q2", "all") for m, v in (("num_ret", 3), ("num_rel", 2)))

ODD_QRELS: dict[str, str | bytes] = {
    "three fields": judged("{q} {d} {g}"),
    "three tabs": judged("{q}\t{d}\t{g}"),
    "commas": judged("{q},{d},{g}"),
    "commas and blanks": judged("{q}, {d}, {g}"),
    "commas as TREC": judged("{q},0,{d},{g}"),
    "semicolons as TREC": judged("{q};0;{d};{g}"),
    "semicolons": judged("{q};{d};{g}"),
    "bars": judged("{q}|{d}|{g}"),
    "colons": judged("{q}:{d}:{g}"),
    "markdown": judged("| {q} | {d} | {g} |", "| query | doc | grade |\n|---|---|---|\n"),
    "aligned table": judged("{q:<6} {d:<9} {g}", "query  document  relevance\n"),
    "ruled table": judged("{q} {d} {g}", "query document relevance\n----- -------- ---------\n"),
    "header between blanks": judged("{q} 0 {d} {g}", "topic iter docno rel\n"),
    "header of BEIR between blanks": judged("{q} {d} {g}", "query-id corpus-id score\n"),
    "header of BEIR": judged("{q}\t{d}\t{g}", "query-id\tcorpus-id\tscore\n"),
    "header of BEIR with underscores": judged("{q}\t{d}\t{g}", "query_id\tcorpus_id\tscore\n"),
    "header of other words": judged("{q} 0 {d} {g}", "anfrage runde dokument urteil\n"),
    "commented header": judged("{q} 0 {d} {g}", "# topic iter docno rel\n"),
    "header of CSV": judged("{q},{d},{g}", "query_id,doc_id,relevance\n"),
    "header of CSV in capitals": judged("{q},{d},{g}", "Query_ID,Doc_ID,Relevance\n"),
    "unknown header of CSV": judged("{q},{d},{g}", "a,b,c\n"),
    "half-known header of CSV": judged("{q},{d},{g}", "q,docno,rel\n"),
    "header of CSV with quotes": judged('"{q}","{d}","{g}"', '"query_id","doc_id","relevance"\n'),
    "header of one word more": judged("{q},{d},{g}", "query_id,doc_id,relevance,\n"),
    "index column": judged("0,{q},{d},{g}", ",query_id,doc_id,relevance\n"),
    "columns in another order": judged("{g},{d},{q}", "grade,doc_id,query_id\n"),
    "grade first": judged("{g} {q} {d}"),
    "document first": judged("{d} {q} {g}"),
    "grade before document": judged("{q} {g} {d}"),
    "grade before document as TREC": judged("{q} 0 {g} {d}"),
    "blank in ids": judged("{q} 0 {d} {g}").translate(SPACED),
    "blank in ids between tabs": judged("{q}\t0\t{d}\t{g}").translate(SPACED),
    "blank in ids of three tabs": judged("{q}\t{d}\t{g}").translate(SPACED),
    "blank in queries": judged("the {q} 0 {d} {g}"),
    "blank in queries between tabs": judged("the {q}\t0\t{d}\t{g}"),
    "blank in file names": judged("{q} 0 my {d}.pdf {g}"),
    "number in ids": judged("{q} 0 chapter {d} {g}"),
    "chapters": judged("{q} 0 chapter 3 {g}"),
    "five fields": judged("{q} 0 {d} {g} 1"),
    "five fields with assessors": judged("{q} ann {d} {g} 2020"),
    "strata": judged("{q} 0 {d} 1 {g}"),
    "methods": judged("{q} {d} {g} 1 0.5"),
    "subtopics": judged("{q} 1 {d} {g}"),
    "subtopics in five fields": judged("{q} 1 a {d} {g}"),
    "rounds": judged("{q} 0.5 {d} {g}"),
    "queries and documents": judged("{q} {d}"),
    "pairs of documents": judged("{q} {d} d99"),
    "levels": judged("{q} 0 {d} L{g}"),
    "levels of three fields": judged("{q} {d} L{g}"),
    "levels of one topic": judged("{d} L{g}"),
    "grades of one topic": judged("{d} {g}"),
    "grades of one topic in CSV": judged("{d},{g}"),
    "grades of one topic in CSV with a header": judged("{d},{g}", "doc_id,relevance\n"),
    "words": "".join(f"{q} 0 {d} {'relevant' if g else 'irrelevant'}\n" for q, d, g in JUDGED),
    "words of two": "".join(f"{q} 0 {d} {'highly relevant' if g else 'not relevant'}\n" for q, d, g in JUDGED),
    "words between tabs": "".join(f"{q}\t0\t{d}\t{'relevant' if g else 'not relevant'}\n" for q, d, g in JUDGED),
    "unknown words": "".join(f"{q} 0 {d} {'great' if g else 'poor'}\n" for q, d, g in JUDGED),
    "a word among numbers": QRELS.replace("d12 1", "d12 no"),
    "yes among numbers": QRELS.replace("d11 0", "d11 yes"),
    "true among numbers": judged("{q},{d},{g}", "query_id,doc_id,relevance\n").replace("d11,0", "d11,true"),
    "LETOR": judged("{g} qid:{q} 1:0.5 2:0.25 # docid = {d}"),
    "LETOR without queries": judged("{g} 1:0.5 2:0.25"),
    "LETOR without queries, one feature": judged("{g} 1:0.5"),
    "LETOR with names": judged("{q} {d}:{g}"),
    "VW": judged("{g} |f price:0.23 sqft:0.25"),
    "features of four": judged("{g} 1:0.5 2:0.25 3:0.125"),
    "trec_eval": TREC_EVAL,
    "trec_eval with counts": COUNTS,
    "trec_eval without blanks": re.sub(" +\t", "\t", COUNTS),
    "trec_eval of all": COUNTS.replace("q1", "all"),
    "gdeval": "runid,topic,ndcg@20,err@20\nt,1,0.5,0.25\nt,amean,0.5,0.25\n",
    "values of queries": "query,map\nq1,0.5\nq2,1\n",
    "a long table of values": "run,query,measure,value\nt,q1,map,0.5\nt,q2,map,1\n",
    "a run": RUN,
    "a run of three fields": found("{q} {d} {s}"),
    "a run of three fields with ranks": found("{q} {d} {r}"),
    "a run of whole scores": "".join(f"{q} {d} {20 - r}\n" for q, d, r, s in FOUND),
    "a run of four fields": found("{q} {d} {r} {s}"),
    "a run in CSV": found("{q},{d},{s}", "query_id,doc_id,score\n"),
    "a run in CSV with ranks": found("{q},{d},{r}", "query_id,doc_id,rank\n"),
    "a run in JSON": json.dumps(by_query(FOUND, 3)),
    "a run in JSONL": "".join(json.dumps({"query_id": q, "doc_id": d, "score": s}) + "\n" for q, d, r, s in FOUND),
    "a run of lists": json.dumps({q: [*ROWS[q]] for q in ROWS}),
    "JSON": json.dumps(by_query(JUDGED, 2)),
    "JSON with NaN": json.dumps(by_query(JUDGED, 2)).replace(": 2", ": NaN", 1),
    "JSON of texts": json.dumps({q: {d: str(g) for d, g in each.items()} for q, each in by_query(JUDGED, 2).items()}),
    "JSON of lists": json.dumps({q: relevant(q) for q in ROWS}),
    "JSON of lists in records": "".join(json.dumps({"query_id": q, "relevant_ids": relevant(q)}) + "\n" for q in ROWS),
    "JSON of lists under an unknown name": json.dumps([{"question": q, "gold_chunk_ids": relevant(q)} for q in ROWS]),
    "JSON of pairs": json.dumps({q: [[d, g] for _, d, g in JUDGED if _ == q] for q in ROWS}),
    "JSON of lists of ids and of grades": "".join(
        json.dumps({"query_id": q, "doc_ids": [*ROWS[q]], "relevance": [g > 0 for g in GRADES[q]]}) + "\n" for q in ROWS
    ),
    "JSON of lists of ids and of 0 and 1": "".join(
        json.dumps({"query_id": q, "doc_ids": [*ROWS[q]], "relevance": [min(g, 1) for g in GRADES[q]]}) + "\n"
        for q in ROWS
    ),
    "numbers before 0": "".join(f"{q[1:]} {d[1:]} 0 {g}\n" for q, d, g in JUDGED),
    "a run in CSV, not in the order of scores": found("{q},{d},0.{r}", "query_id,doc_id,score\n"),
    "a run in JSONL, not in the order of scores": "".join(
        json.dumps({"query_id": q, "doc_id": d, "score": r / 10}) + "\n" for q, d, r, s in FOUND
    ),
    "JSON cut short": json.dumps(by_query(JUDGED, 2))[:-9],
    "JSON of Python": str(by_query(JUDGED, 2)),
    "JSON with a comma too many": json.dumps(by_query(JUDGED, 2)).replace("}}", "},}"),
    "JSON behind a name": "qrels = " + json.dumps(by_query(JUDGED, 2)),
    "JSON turned around": json.dumps({d: {q: g} for q, d, g in JUDGED}),
    "JSON of columns": json.dumps(
        dict(zip(("query_id", "doc_id", "relevance"), zip(*JUDGED, strict=True), strict=True))
    ),
    "JSONL": "".join(json.dumps({"query_id": q, "doc_id": d, "relevance": g}) + "\n" for q, d, g in JUDGED),
    "JSONL with NaN elsewhere": "".join(
        json.dumps({"query_id": q, "doc_id": d, "relevance": g, "x": float("nan")}) + "\n" for q, d, g in JUDGED
    ),
    "JSONL of unknown names": "".join(json.dumps({"a": q, "b": d, "c": g}) + "\n" for q, d, g in JUDGED),
    "JSONL of half-known names": "".join(
        json.dumps({"question": q, "chunk": d, "rating": g}) + "\n" for q, d, g in JUDGED
    ),
    "JSONL of arrays": "".join(json.dumps([q, d, g]) + "\n" for q, d, g in JUDGED),
    "JSONL with a comma behind": "".join(
        json.dumps({"query_id": q, "doc_id": d, "relevance": g}) + ",\n" for q, d, g in JUDGED
    ),
    "YAML": "".join(f"{q}:\n" + "".join(f"  {d}: {g}\n" for _, d, g in JUDGED if _ == q) for q in ROWS),
    "XML": "<qrels>\n" + judged('<j q="{q}" d="{d}" g="{g}"/>') + "</qrels>\n",
    "HTML": "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head>\n<body>Not Found</body></html>\n",
    "a pointer of git-lfs": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "an error of a bucket": '<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>\n',
    "a log": "2026-01-01 10:00:00 INFO started\n2026-01-01 10:00:01 INFO done\n",
    "a log of three words": "INFO index opened\nINFO queries read\n",
    "a shell": "$ cat qrels\n" + QRELS,
    "a diff": "".join(f"+{line}\n" for line in QRELS.splitlines()),
    "line numbers": "".join(f"{n} {line}\n" for n, line in enumerate(QRELS.splitlines(), start=1)),
    "line numbers and tabs": "".join(f"{n}\t{line}\n" for n, line in enumerate(QRELS.splitlines(), start=1)),
    "prose": "These are the judgments of our study, made in May.\nThey are good.\n",
    "a list of queries": "q1\nq2\nq3\n",
    "topics": "q1\tred bricks\nq2\tblue sky\nq3\tgreen grass\n",
    "topics of one word": "q1\tbricks\nq2\tsky\nq3\tgrass\n",
    "topics with blanks": "q1 red bricks\nq2 blue sky\nq3 green grass\n",
    "topics of three words": "q1 0 red bricks\nq2 0 blue sky\n",
    "a collection": "".join(f"{d}\tthe text of it\n" for _, d, _ in JUDGED),
    "a pool": judged("{q},{d}", "query_id,doc_id\n"),
    "a pool with notes": judged("{q},{d},good", "query_id,doc_id,comment\n"),
    "an empty line first": "\n" + QRELS,
    "empty lines": QRELS.replace("\n", "\n\n"),
    "carriage returns": QRELS.replace("\n", "\r"),
    "carriage returns in CSV": judged("{q},{d},{g}", "query_id,doc_id,relevance\n").replace("\n", "\r"),
    "carriage returns in TSV": judged("{q}\t{d}\t{g}", "query_id\tdoc_id\trelevance\n").replace("\n", "\r"),
    "carriage returns in three fields": judged("{q} {d} {g}").replace("\n", "\r"),
    "CRLF": QRELS.replace("\n", "\r\n"),
    "CRLF in three fields": judged("{q} {d} {g}").replace("\n", "\r\n"),
    "UTF-16": QRELS.encode("utf-16"),
    "UTF-16 without a mark": QRELS.encode("utf-16-le"),
    "UTF-16 in CSV": judged("{q},{d},{g}", "query_id,doc_id,relevance\n").encode("utf-16"),
    "UTF-32": QRELS.encode("utf-32"),
    "a byte order mark": b"\xef\xbb\xbf" + QRELS.encode(),
    "a byte order mark and three fields": b"\xef\xbb\xbf" + judged("{q} {d} {g}").encode(),
    "Latin-1": judged("{q} 0 {d} {g}").replace("d11", "d\xe9").encode("latin-1"),
    "blanks that do not break": judged("{q}\xa00\xa0{d}\xa0{g}"),
    "wide blanks": judged("{q}\u30000\u3000{d}\u3000{g}"),
    "decimal commas": judged("{q} 0 {d} {g},0"),
    "decimals": judged("{q} 0 {d} {g}.0"),
    "percent": judged("{q} {d} {g}0"),
    "hundreds": judged("{q} {d} {g}00"),
    "stars": "".join(f"{q} {d} {'*' * g or '-'}\n" for q, d, g in JUDGED),
    "a table of LaTeX": judged(r"{q} & {d} & {g} \\"),
    "Python tuples": judged("('{q}', '{d}', {g})"),
    "a matrix": "query,d11,d12,d13\nq1,0,1,2\n",
    "wide CSV": "query_id,d11,d12,d13,d21\nq1,0,1,2,\nq2,,,,1\n",
    "MovieLens": judged("{q}\t{d}\t{g}\t881250949"),
    "MovieLens with colons": judged("{q}::{d}::{g}::881250949"),
    "ratings": judged("{q},{d},{g},881250949", "userId,movieId,rating,timestamp\n"),
    "timestamps": judged("{q} {d} 88125094{g}"),
    "assessors in CSV": judged("{q},{d},{g},{g}", "query_id,doc_id,ann,bob\n"),
    "an empty column of grades": judged("{q},{d},", "query_id,doc_id,relevance\n"),
    "a column named score": judged("{q},{d},{g}", "query_id,doc_id,score\n"),
    "a column named label": judged("{q},{d},{g}", "qid,docid,label\n"),
    "columns of ranx": judged("{q},{d},{g}", "q_id,doc_id,score\n"),
    "only a header": "query_id,doc_id,relevance\n",
    "empty": "",
    "blank": "\n \n",
    "one word": "qrels\n",
    "zeros": b"\0" * 64,
    "a PNG": b"\x89PNG\r\n\x1a\n" + bytes(64),
    "a zip": b"PK\x03\x04" + bytes(64),
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n",
    "a truncated gzip": b"\x1f\x8b\x08\x00" + bytes(16),
}

ODD_RUNS: dict[str, str | bytes] = {
    "three fields": found("{q} {d} {s}"),
    "three tabs": found("{q}\t{d}\t{s}"),
    "four fields": found("{q} {d} {r} {s}"),
    "four fields, score before rank": found("{q} {d} {s} {r}"),
    "four fields, whole scores before ranks": "".join(f"{q} {d} {20 - r} {r}\n" for q, d, r, s in FOUND),
    "four fields, rank before document": found("{q} {r} {d} {s}"),
    "four fields with Q0": found("{q} Q0 {d} {s}"),
    "five fields": found("{q} Q0 {d} {r} {s}"),
    "five fields without Q0": found("{q} {d} {r} {s} t"),
    "five fields without a rank": found("{q} Q0 {d} {s} t"),
    "ranks": found("{q} {d} {r}"),
    "ranks from 0": "".join(f"{q} {d} {r - 1}\n" for q, d, r, s in FOUND),
    "ranks behind documents of MS MARCO": found("{q}\t{d}\t{r}"),
    "ranks backwards": "".join(f"{q} {d} {4 - r}\n" for q, d, r, s in FOUND),
    "distances": "".join(f"{q} {d} 0.{r}\n" for q, d, r, s in FOUND),
    "distances in CSV": "query_id,doc_id,distance\n" + "".join(f"{q},{d},0.{r}\n" for q, d, r, s in FOUND),
    "distances in CSV, unordered": "query_id,doc_id,distance\n"
    + "".join(f"{q},{d},0.{r}\n" for q, d, r, s in reversed(FOUND)),
    "distances in JSONL": "".join(
        json.dumps({"query_id": q, "doc_id": d, "distance": r / 9}) + "\n" for q, d, r, s in FOUND
    ),
    "distances with ranks": "query_id,doc_id,rank,distance\n" + "".join(f"{q},{d},{r},0.{r}\n" for q, d, r, s in FOUND),
    "negated distances": "".join(f"{q} {d} -0.{r}\n" for q, d, r, s in FOUND),
    "no scores": found("{q} {d}"),
    "no scores in CSV": found("{q},{d}", "query_id,doc_id\n"),
    "document first": found("{d} {q} {s}"),
    "score first": found("{s} {q} {d}"),
    "score before document": found("{q} {s} {d}"),
    "commas": found("{q},{d},{s}"),
    "commas with ranks": found("{q},{d},{r}"),
    "commas as TREC": found("{q},Q0,{d},{r},{s},t"),
    "semicolons": found("{q};{d};{s}"),
    "semicolons as TREC": found("{q};Q0;{d};{r};{s};t"),
    "commas, score before rank": found("{q},{d},{s},{r}"),
    "commas, whole scores before ranks": "".join(f"{q},{d},{20 - r},{r}\n" for q, d, r, s in FOUND),
    "commas and blanks": found("{q}, {d}, {s}"),
    "decimal commas": found("{q};{d};{s}").replace(".", ","),
    "decimal commas as TREC": found("{q} Q0 {d} {r} {s} t").replace(".", ","),
    "header between blanks": found("{q} Q0 {d} {r} {s} t", "qid Q0 docno rank score tag\n"),
    "header of three": found("{q} {d} {s}", "query document score\n"),
    "header of PyTerrier": found("{q},1,{d},{r},{s}", "qid,docid,docno,rank,score\n"),
    "header of CSV": found("{q},{d},{s}", "query_id,doc_id,score\n"),
    "header of other words": found("{q} Q0 {d} {r} {s} t", "anfrage q0 dokument platz wert name\n"),
    "half-known header of CSV": found("{q},{d},{s}", "q,chunk,sim\n"),
    "unknown header of CSV": found("{q},{d},{s}", "a,b,c\n"),
    "unknown score in CSV": found("{q},{d},{s}", "query_id,doc_id,value\n"),
    "positions in CSV, not in their order": "query_id,doc_id,position\n"
    + "".join(f"{q},{d},{r}\n" for q, d, r, s in reversed(FOUND)),
    "positions from 0 in JSONL, not in their order": "".join(
        json.dumps({"query_id": q, "doc_id": d, "position": r - 1}) + "\n" for q, d, r, s in reversed(FOUND)
    ),
    "two scores in CSV": found("{q},{d},{s},{r}", "query_id,doc_id,bm25,dense\n"),
    "latency beside ids": found("{q},{d},{r}", "query_id,doc_id,latency_ms\n"),
    "aligned table": found("{q:<6} {d:<9} {s}", "query  document  score\n"),
    "markdown": found("| {q} | {d} | {s} |", "| query | doc | score |\n|---|---|---|\n"),
    "blank in ids": found("{q} Q0 red {d} {r} {s} t"),
    "blank in ids between tabs": found("{q}\tQ0\tred {d}\t{r}\t{s}\tt"),
    "blank in queries between tabs": found("the {q}\tQ0\t{d}\t{r}\t{s}\tt"),
    "tag of three words": found("{q} Q0 {d} {r} {s} our own run"),
    "tag of three words between tabs": found("{q}\tQ0\t{d}\t{r}\t{s}\tour own run"),
    "judgments": QRELS,
    "judgments of three fields": judged("{q} {d} {g}"),
    "judgments of three fields, each of one": judged("{d} {q} 1"),
    "judgments in CSV": judged("{q},{d},{g}", "query_id,doc_id,relevance\n"),
    "judgments in CSV without a header": judged("{q},{d},{g}"),
    "judgments in JSON": json.dumps(by_query(JUDGED, 2)),
    "judgments in JSONL": "".join(
        json.dumps({"query_id": q, "doc_id": d, "relevance": g}) + "\n" for q, d, g in JUDGED
    ),
    "judgments of lists": "".join(json.dumps({"query_id": q, "relevant_ids": relevant(q)}) + "\n" for q in ROWS),
    "LETOR": judged("{g} qid:{q} 1:0.5 # docid = {d}"),
    "scores alone": found("{s}"),
    "trec_eval": TREC_EVAL,
    "trec_eval with counts": COUNTS,
    "JSON": json.dumps(by_query(FOUND, 3)),
    "JSON with NaN": json.dumps(by_query(FOUND, 3)).replace("8.25", "NaN", 1),
    "JSON with Infinity": json.dumps(by_query(FOUND, 3)).replace("8.25", "-Infinity", 1),
    "JSON of lists": json.dumps({q: [*ROWS[q]] for q in ROWS}),
    "JSON of pairs": json.dumps({q: [[d, s] for p, d, r, s in FOUND if p == q] for q in ROWS}),
    "JSON of lists under an unknown name": json.dumps([{"question": q, "candidates": [*ROWS[q]]} for q in ROWS]),
    "JSON of objects": json.dumps({q: [{"doc": d, "value": s} for p, d, r, s in FOUND if p == q] for q in ROWS}),
    "JSON cut short": json.dumps(by_query(FOUND, 3))[:-9],
    "JSON of Python": str(by_query(FOUND, 3)),
    "JSONL": "".join(json.dumps({"query_id": q, "doc_id": d, "score": s}) + "\n" for q, d, r, s in FOUND),
    "JSONL of unknown names": "".join(json.dumps({"a": q, "b": d, "c": s}) + "\n" for q, d, r, s in FOUND),
    "JSONL without scores": "".join(json.dumps({"query_id": q, "doc_id": d}) + "\n" for q, d, r, s in FOUND),
    "YAML": "".join(f"{q}:\n" + "".join(f"  {d}: {s}\n" for p, d, r, s in FOUND if p == q) for q in ROWS),
    "HTML": "<html>\n<body>502 Bad Gateway</body>\n</html>\n",
    "a pointer of git-lfs": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "a log": "10:00 retrieving q1\n10:01 retrieving q2\n",
    "prose": "Our runs of May\n",
    "topics": "q1\tred bricks\nq2\tblue sky\n",
    "topics with blanks": "q1 red bricks\nq2 blue sky\n",
    "line numbers": "".join(f"{n} {line}\n" for n, line in enumerate(RUN.splitlines(), start=1)),
    "a diff": "".join(f"+{line}\n" for line in RUN.splitlines()),
    "carriage returns": RUN.replace("\n", "\r"),
    "carriage returns in CSV": found("{q},{d},{s}", "query_id,doc_id,score\n").replace("\n", "\r"),
    "UTF-16": RUN.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + RUN.encode(),
    "a byte order mark in CSV": b"\xef\xbb\xbf" + found("{q},{d},{s}", "query_id,doc_id,score\n").encode(),
    "blanks that do not break": found("{q}\xa0Q0\xa0{d}\xa0{r}\xa0{s}\xa0t"),
    "scores in brackets": found("{q} Q0 {d} {r} [{s}] t"),
    "scores as tensors": found("{q} Q0 {d} {r} tensor({s}) t"),
    "probabilities with percent": found("{q} Q0 {d} {r} {s}% t"),
    "click log": found('{{"event": "impression", "query": "{q}", "documents": ["{d}"]}}'),
    "MovieLens": found("{q}::{d}::{r}::88125094{r}"),
    "predictions": found("{q},{d},{s}", "user_id,item_id,prediction\n"),
    "a matrix of scores": "query,d11,d12,d13\nq1,9.5,8.25,7.125\n",
    "empty": "",
    "one number": "0.5\n",
}


Step = tuple[tuple[str, ...], bytes]
"""Options, and the file as it is then."""


def changed(said: str, content: bytes) -> list[bytes]:
    """The file as a message asks for it."""
    first, _, rest = content.partition(b"\n")
    found = [rest, b"#" + content] if "remove it" in said else []
    if header := re.search(r"needs a header: (\S+)", said):
        found.append(header[1].encode() + b"\n" + content)
    if "line feeds: tr" in said:
        found.append(content.replace(b"\r", b"\n"))
    if "add a column" in said or "add a grade" in said:
        found.append(first + b",grade\n" + rest.replace(b"\n", b",1\n"))
    return found


def steps_of(options: list[tuple[str, ...]], said: str, content: bytes) -> list[Step]:
    """What one may do at a message: add an option, change the file, or both where it gives a format too."""
    given = [each for each in options if "give " in said and "remove it" in said]
    return [(each, content) for each in options] + [
        (each, text) for text in changed(said, content) for each in given or [()]
    ]


def by_command(options: tuple[str, ...], folder: Path) -> tuple[str | None, list[str]]:
    """The value that the command prints, and what it and `irev validate` say."""
    done = in_process("eval", "-m", "map", *options, str(folder / "qrels"), str(folder / "run"))
    assert done.status in (0, 2), (options, done)
    checked = in_process("validate", *options, str(folder / "qrels"), str(folder / "run"))
    said = done.stderr + checked.stdout.decode() + checked.stderr
    assert [] == parameters_in(said), said
    return None if done.status else done.stdout.decode().split()[-1], said.splitlines()


def typed_options(said: str) -> list[tuple[str, ...]]:
    """Options of the command in the remedy of a message."""
    _, _, remedy = said.partition(": error: ") if ": error: " in said else said.partition(": warning: ")
    options = re.findall(r"--[a-z][a-z-]*(?: [^\s;]+)?|(?<=\s)-[a-zA-Z](?: [^\s;]+)?", remedy)
    found = (tuple(shlex.split(each.rstrip(".,)'"))) for each in options if "'" not in each)
    return [each for each in found if not re.search(r"\b[A-Z]{3,}\b|…", " ".join(each))]


def evaluated(qrels: str, run: str, **options) -> float:
    return package.evaluate(qrels, run, "AP", **options).mean()["AP"]


def compared(qrels: str, run: str, **options) -> float:
    others = {"odd": run, "other": package.read_run({query: ["x"] for query in ROWS})}
    return package.compare(qrels, others, "AP", both=True, **options).compared[0].means[0]


def read_first(qrels: str, run: str, **options) -> float:
    judgments = package.read_qrels(qrels, **{name: given for name, given in options.items() if "run" not in name})
    results = package.read_run(run, **{name: given for name, given in options.items() if "qrels" not in name})
    return evaluated(judgments, results, **options)


def by_function(function: Callable[..., float], options: tuple[str, ...], folder: Path) -> tuple[str | None, list[str]]:
    """The value that a function returns, and what it says."""
    said: list[str] = []
    value = None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            written = {name: ast.literal_eval(given) for name, _, given in (each.partition("=") for each in options)}
            value = f"{function(str(folder / 'qrels'), str(folder / 'run'), **written):.4f}"
        except package.IrevError as error:
            said.append(str(error))
    said += [str(each.message) for each in warned]
    for each in said:
        assert [] == options_in(each), each
    return value, said


def passed_options(said: str) -> list[tuple[str, ...]]:
    """Parameters of Python in a message, with their values, as they are written."""
    found = re.findall(r"(?<![\w<])([a-z_]+=(?:'[^']*'|\{[^}]*\}|-?\d+(?:\.\d+)?|True|False))", said)
    return [(each,) for each in found if "…" not in each and each.partition("=")[0] in PARAMETERS]


PARAMETERS = package.Options.__annotations__
FUNCTIONS = (evaluated, compared, read_first)
DOORS = {"command": (by_command, typed_options)} | {
    function.__name__: (partial(by_function, function), passed_options) for function in FUNCTIONS
}


def outcomes(content: bytes, position: str, folder: Path, door: str) -> dict[str, list[tuple[str, ...]]]:
    """Every value that comes of a file and of what messages advise, twice, with the options that led there."""
    ask, options_of = DOORS[door]
    values: dict[str, list[tuple[str, ...]]] = {}
    waiting: list[tuple[int, tuple[str, ...], bytes]] = [(0, (), content)]
    tried = set()
    while waiting:
        steps, options, text = waiting.pop()
        if (options, text) in tried:
            continue
        tried.add((options, text))
        (folder / "qrels").write_bytes(QRELS.encode())
        (folder / "run").write_bytes(RUN.encode())
        (folder / position).write_bytes(text)
        value, said = ask(options, folder)
        if value is not None:
            values.setdefault(value, []).append(options)
        if steps < 2 and (value is None or steps):
            for each in said:
                for more, next_text in steps_of(options_of(each), each, text):
                    waiting.append((steps + 1, (*options, *more), next_text))
    return values


STATED = {
    ("qrels", "queries and documents"): {"1.0000"},  # every line has the grade 1
    ("qrels", "a pool"): {"1.0000"},  # it has, where it is a list of relevant documents
    ("qrels", "pairs of documents"): {"0.7222"},
    ("qrels", "a run of lists"): {"1.0000"},  # no list of ids says of itself which of the two it is
    ("run", "distances in CSV, unordered"): {"0.8333"},  # the message says: if its rows are in ranked order
    # What irev reads at once, without advice: blanks that the other file lacks, and files in the place of the other.
    ("qrels", "blank in ids between tabs"): {"0.0000"},
    ("run", "blank in ids between tabs"): {"0.0000"},
    ("qrels", "a run of four fields"): {"0.0000"},
    ("qrels", "a run in JSON"): {"1.0000"},
    ("run", "judgments in JSON"): {"1.0000"},
}
"""Other values that are right for what a file says, or for what a message asks whoever follows it."""

ODD = [("qrels", called, content) for called, content in ODD_QRELS.items()]
ODD += [("run", called, content) for called, content in ODD_RUNS.items()]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("position", "called", "content"), ODD, ids=[f"{each[0]}: {each[1]}" for each in ODD])
def test_advice_leads_to_the_right_number_or_to_an_error(position, called, content, door, tmp_path):
    values = outcomes(content if isinstance(content, bytes) else content.encode(), position, tmp_path, door)
    assert {*values} <= {RIGHT} | STATED.get((position, called), set()), values


@pytest.mark.parametrize(
    ("position", "called", "said"),
    [
        ("qrels", "header between blanks", ":1: the first line is a header; remove it, or begin it with #"),
        ("qrels", "header of BEIR between blanks", "or begin it with #, and give --qrels-format trec3"),
        ("run", "header between blanks", ":1: the first line is a header; remove it, or begin it with #"),
        ("qrels", "three fields", "perhaps it needs --qrels-format trec3"),
        ("run", "four fields", "perhaps it needs --run-format trec4"),
        ("qrels", "semicolons as TREC", "it needs a header: query_id;iteration;doc_id;relevance"),
        ("run", "commas as TREC", "it needs a header: query_id,iteration,doc_id,rank,score,tag"),
        ("qrels", "carriage returns in CSV", "lines end in carriage returns alone"),
        ("qrels", "trec_eval with counts", "these are values of queries, as an evaluator prints them, not judgments"),
        ("qrels", "a run in CSV", "this looks like a run; judgments come first, then runs"),
        ("run", "judgments in CSV", "this looks like judgments; judgments come first, then runs"),
        ("qrels", "JSON with NaN", "the grade of document 'd13' for query 'q1' is NaN"),
        ("qrels", "JSON of lists of ids and of 0 and 1", "add --columns qrels:relevant=doc_ids\n"),
        ("qrels", "numbers before 0", "keep one of the two lines\n"),
        ("qrels", "a run in CSV, not in the order of scores", "'score' has fractions: is this a run?"),
        ("run", "positions in CSV, not in their order", "add --columns run:rank=position and --order rank\n"),
        (
            "qrels",
            "JSON of lists",
            "qrels: this is JSON, but not in the form that judgments have; perhaps it needs --qrels",
        ),
        ("qrels", "yes among numbers", "the grade 'yes' is not a number"),
        ("qrels", "LETOR without queries", "expected 4 fields: query 0 document grade\n"),
        ("qrels", "LETOR without queries, one feature", "expected 4 fields: query 0 document grade\n"),
        ("qrels", "levels of one topic", "expected 4 fields: query 0 document grade\n"),
        ("qrels", "blank in ids", "expected 4 fields: query 0 document grade\n"),
    ],
)
def test_a_message_says_what_helps_or_only_what_was_expected(position, called, said, irev, write):
    given = {"qrels": QRELS, "run": RUN} | {position: (ODD_QRELS if position == "qrels" else ODD_RUNS)[called]}
    done = irev("eval", *(write(str(content).encode(), name) for name, content in given.items()))
    assert (2, b"") == (done.status, done.stdout)
    assert said in done.stderr


@pytest.mark.parametrize("typed", ["qrels run nDCG@10", "eval qrels run map P_10", "compare qrels run AP(rel=2)"])
def test_a_measure_in_the_place_of_a_file_is_told(typed, irev, folder):
    words = typed.split()
    names = [word for word in words if word not in ("eval", "compare", "qrels", "run")]
    done = irev(*words)
    advised_options = done.stderr.rpartition("measures are named by ")[2].split()
    assert [option for name in names for option in ("-m", shlex.quote(name))] == advised_options
    assert 0 == irev("eval", "qrels", "run", *shlex.split(" ".join(advised_options))).status


RANKED_TWICE = "q1 Q0 d1 1 5 t\nq1 Q0 d2 2 4 t\nq1 Q0 d1 3 3 t\n"
UNSORTED = '[{"id": "d1", "score": 2}, {"id": "d2", "score": 9}, {"id": "d3", "score": 5}]'
ADVISED = [  # a command, its other file, a file that needs an option, and what is in the file that convert writes
    ("rbo", "FILE run", RANKED_TWICE, "q1,d1,1,5,t q1,d2,2,4,t"),
    ("online interleave", "FILE run", RANKED_TWICE, "q1,d1,1,5,t q1,d2,2,4,t"),
    ("pool --depth 2", "FILE", "query_id,doc_id\nq1,d3\nq1,d2\n", "q1,d3,1,2,FILE q1,d2,2,1,FILE"),
    (
        "agree qrels",
        "FILE run",
        f'[{{"query_id": "q1", "results": {UNSORTED}}}]',
        "q1,d1,2 q1,d2,9 q1,d3,5",
    ),
    ("judges", "FILE qrels", "q1 0 d1 1\nq1 0 d1 2\n", "q1,d1,2"),
    ("coverage", "FILE run", "q1 0 d1 great\nq1 0 d2 no\n", "q1,d1,2 q1,d2,0"),
]


@pytest.mark.parametrize(("command", "files", "content", "converted"), ADVISED)
def test_an_option_of_convert_is_advised_where_a_command_has_none(
    command, files, content, converted, irev, tmp_path, monkeypatch
):
    """And the file that it writes has what the option means, and needs no option."""
    monkeypatch.chdir(tmp_path)
    qrels, run = "q1 0 d1 1\nq1 0 d2 0\n", "q1 Q0 d2 1 9 t\nq1 Q0 d1 2 8 t\n"
    for name, text in {"qrels": qrels, "run": run, "FILE": content, "WORDS": "great 2\nno 0\n"}.items():
        (tmp_path / name).write_text(text)
    done = irev(*command.split(), *files.split())
    refused(done, "irev convert --")
    assert 0 == irev(*re.search("`irev (.*)`", done.stderr)[1].split()).status
    assert converted.split() == (tmp_path / "NEW.csv").read_text().split()[1:]
    followed = irev(*command.split(), *files.replace("FILE", "NEW.csv").split())
    assert 0 == followed.status, followed.stderr
