"""Why a check does not hold: the documents that made queries fall, and how much of it missing judgments explain;
against a slow reference that shares values out among documents, and leaves documents out, by hand."""

import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import added
from schema import faults

from irev import check, compare, evaluate, read_qrels, read_run
from irev.base.errors import InputError, UsageError
from irev.commands.check import causes, runs
from irev.commands.check.finding import CheckReport


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def files(judged: dict, **runs: dict[str, list[str]]) -> None:
    """Judgments, and runs as the documents of each query in their order."""
    lines = [
        f"{query} 0 {document} {grade}\n" for query, grades in judged.items() for document, grade in grades.items()
    ]
    Path("qrels").write_text("".join(lines))
    for name, found in runs.items():
        rows = [
            f"{query} Q0 {document} {rank} {-rank} {name}\n"
            for query, documents in found.items()
            for rank, document in enumerate(documents, start=1)
        ]
        Path(name).write_text("".join(rows))


@pytest.fixture
def why(irev):
    """``why(*arguments)``: the reasons in the record of a check of `run`, which fits its schema."""

    def why(*arguments: str) -> list:
        status, stdout, stderr = irev("check", "qrels", "run", *arguments, "-f", "json")
        assert status in (0, 1), stderr
        record = json.loads(stdout)
        assert [] == faults(record)
        return record["why"]

    return why


pytestmark = pytest.mark.filterwarnings("ignore:qrels. every judged document counts as relevant")

JUDGED = {"q17": {"kb-12": 3}, "q18": {"a": 1, "b": 1}, "q19": {"a": 1}}
BEFORE = {"q17": ["kb-12", "n1"], "q18": ["a", "b"], "q19": ["a"]}
AFTER = {"q17": ["kb-99", "n2", "n3", "kb-12"], "q18": ["b", "a"], "q19": ["x"]}
DROP = ("--max-drop", "AP=0", "--baseline-run", "before")


def test_the_document_that_did_it_is_named_first_of_all(irev):
    files(JUDGED, before=BEFORE, run=AFTER)
    status, stdout, _ = irev("check", "qrels", "run", *DROP)
    text = " ".join(stdout.decode().split())
    assert 1 == status
    assert "q17: kb-99 (unjudged) and 2 more pushed kb-12 (grade 3) from 1 to 4: -0.7500" in text
    assert "q19: a (grade 1), which was at 1, is no longer retrieved: -1.0000" in text
    assert text.index("q17: kb-99") < text.index("Conditions")


def test_how_much_is_for_want_of_judgments_is_told(irev):
    files(JUDGED, before=BEFORE, run=AFTER)
    text = " ".join(irev("check", "qrels", "run", *DROP).stdout.decode().split())
    said = "43% of the loss in AP (0.7500 of 1.7500 in 2 queries) disappears if 4 unjudged documents that entered the"
    assert f"{said} first 10 or rose there are ignored." in text


def test_nothing_for_want_of_judgments_is_told_too(irev):
    files({"q1": {"a": 1, "b": 0}}, before={"q1": ["a", "b"]}, run={"q1": ["b", "a"]})
    text = " ".join(irev("check", "qrels", "run", *DROP).stdout.decode().split())
    nothing = "comes from missing judgments: no unjudged document entered the first 10 or rose there."
    assert f"Nothing of the loss in AP {nothing} q1: b (grade 0) pushed a (grade 1) from 1 to 2: -0.5000" in text


def test_a_query_without_results_is_told_as_that(irev):
    files({"q1": {"a": 1}, "q2": {"a": 1}}, before={"q1": ["a"], "q2": ["a"]}, run={"q2": ["a"]})
    text = " ".join(irev("check", "qrels", "run", *DROP).stdout.decode().split())
    assert "a (grade 1), which was at 1, is no longer retrieved, since the run has no results for the query" in text


def test_of_a_measure_that_is_no_sum_the_first_relevant_document_is_named(why):
    files(JUDGED, before=BEFORE, run=AFTER)
    (found,) = why("--max-drop", "RR=0", "--baseline-run", "before")
    assert [("q19", "a", 1, None, None), ("q17", "kb-12", 1, 4, None)] == [
        (each["query"], each["document"], each["before"], each["after"], each["contribution"])
        for each in found["queries"]
    ]


def test_where_lower_is_better_a_rise_is_the_fall(why):
    files({"q1": {"a": 1, "b": 0}}, before={"q1": ["a", "b"]}, run={"q1": ["b", "a"]})
    (found,) = why("--max-drop", "search_length=0", "--baseline-run", "before")
    assert [("q1", 1.0, "a")] == [(each["query"], each["change"], each["document"]) for each in found["queries"]]


@pytest.mark.parametrize(
    "arguments",
    [("--max-drop", "AP=0.9", "--baseline-run", "before"), ("--min", "AP=0.1", "--baseline-run", "before")],
    ids=["drop", "least"],
)
def test_where_conditions_hold_no_ranking_is_looked_at(why, arguments, monkeypatch):
    monkeypatch.setattr(causes, "whys", lambda *_: 1 / 0)
    files(JUDGED, before=BEFORE, run=AFTER)
    assert [] == why(*arguments)


def test_runs_are_read_again_once_and_for_the_queries_that_fell_alone(why, monkeypatch):
    read = []
    again = causes.in_file
    monkeypatch.setattr(runs, "in_file", lambda *given: read.append((given[1], sorted(given[3]))) or again(*given))
    files(JUDGED, before=BEFORE, run=AFTER)
    assert 2 == len(why(*DROP, "--max-drop", "RR=0"))
    assert [("run", [b"q17", b"q19"]), ("before", [b"q17", b"q19"])] == read


def test_a_least_value_is_explained_by_the_baseline_where_there_is_one(why):
    files(JUDGED, before=BEFORE, run=AFTER)
    assert ["AP"] == [each["measure"] for each in why("--min", "AP=0.9", "--baseline-run", "before")]
    assert [] == why("--min", "AP=0.9")


def test_a_group_is_explained_by_its_queries(why):
    files(JUDGED, before=BEFORE, run=AFTER)
    Path("groups").write_text("q17\tkb\nq18\tother\nq19\tother\n")
    (found,) = why("--groups", "groups", "--max-drop", "group:kb/AP=0", "--baseline-run", "before")
    assert ("kb", 1, ["q17"]) == (found["group"], found["fallen"], [each["query"] for each in found["queries"]])


def test_a_saved_baseline_has_values_alone_and_what_can_be_said_is_said(irev, why):
    files(JUDGED, before=BEFORE, run=AFTER)
    assert 0 == irev("check", "qrels", "before", "--baseline", "s.json", "--max-drop", "AP=0", "--update-baseline")[0]
    saved = ("--baseline", "s.json", "--max-drop", "AP=0")
    text = " ".join(irev("check", "qrels", "run", *saved).stdout.decode().split())
    assert "q17: 3 of the first 10 have no judgment, the highest is kb-99 at 1" in text
    assert "4 unjudged documents in the first 10 are ignored" in text
    assert "Keep a copy of its run: with --baseline-run, irev shows which documents pushed others down." in text
    (found,) = why(*saved)
    assert (False, 0.75) == (found["compared"], found["newcomers"]["regained"])


def test_what_can_be_read_but_once_is_not_explained(irev):
    files(JUDGED, before=BEFORE, run=AFTER)
    status, stdout, _ = irev("check", "qrels", "-", *DROP, stdin=Path("run").read_bytes())
    assert (1, False) == (status, b"pushed" in stdout)


def test_expected_values_over_ties_are_not_explained(why):
    files(JUDGED, before=BEFORE, run=AFTER)
    assert [] == why(*DROP, "--ties", "average")


def test_a_run_that_changed_meanwhile_is_refused(irev, monkeypatch):
    again = causes.in_file

    def changing(judgments, path, settings, queries):
        Path("run").write_text("q17 Q0 other 1 1 run\n")
        return again(judgments, path, settings, queries)

    monkeypatch.setattr(runs, "in_file", changing)
    files(JUDGED, before=BEFORE, run=AFTER)
    done = irev("check", "qrels", "run", *DROP)
    assert (2, b"", True) == (*done[:2], "it has changed" in done[2])


@pytest.mark.parametrize("kind", ["comment", "summary", "junit"])
def test_every_service_is_told(irev, kind):
    files(JUDGED, before=BEFORE, run=AFTER)
    irev("check", "qrels", "run", *DROP, "--also", f"{kind}=out")
    told = Path("out").read_text()
    assert "and 2 more pushed kb-12 (grade 3) from 1 to 4: -0.7500" in told


# The reference


def shares(measure: str, documents: list[str], grades: dict[str, int]) -> dict[str, float]:
    """What each document is of a value, by the definitions."""
    relevant = [document for document, grade in grades.items() if grade >= 1]
    found, seen = {}, 0
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:5]
    ideal = added(grade / math.log2(rank + 1) for rank, grade in enumerate(best, start=1))
    for rank, document in enumerate(documents, start=1):
        grade = grades.get(document, 0)
        if grade >= 1:
            seen += 1
            if measure == "AP":
                found[document] = seen / rank / len(relevant)
            elif rank <= 5:
                found[document] = 1 / 5 if measure == "P@5" else grade / math.log2(rank + 1) / ideal
    return found


def worth(measure: str, documents: list[str], grades: dict[str, int]) -> float:
    return added(shares(measure, documents, grades).values())


@pytest.mark.thorough
@pytest.mark.parametrize("measure", ["AP", "P@5", "nDCG@5"])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("depth", [None, 7])
def test_what_is_named_adds_up_to_the_change_and_what_comes_back_is_what_leaving_out_gives(why, measure, seed, depth):
    chance = random.Random(seed)
    names = [f"d{number:02}" for number in range(16)]
    queries = [f"q{number}" for number in range(8)]
    judged = {
        q: {d: chance.choice((-1, 0, 0, 1, 1, 2)) for d in names if chance.random() < 0.6} | {"r": 1} for q in queries
    }
    runs = [{q: chance.sample(names, chance.randrange(4, 16)) for q in queries if chance.random() < 0.9} for _ in "ab"]
    files(judged, before=runs[0], run=runs[1])
    cut = () if depth is None else ("-M", str(depth))
    (found,) = why("--max-query-losses", f"{measure}=0", "--baseline-run", "before", *cut)

    lost, regained, count, first = {}, {}, 0, 5 if "@5" in measure else 10
    for query in queries:
        old, new = (run.get(query, [])[:depth] for run in runs)
        grades = judged[query]
        before, after = worth(measure, old, grades), worth(measure, new, grades)
        if before - after > 1e-9:
            gone = [
                document
                for rank, document in enumerate(new[:first])
                if grades.get(document, -1) < 0 and (document not in old[:first] or old.index(document) > rank)
            ]
            count += len(gone)
            without = [document for document in runs[1].get(query, []) if document not in gone][:depth]
            lost[query] = before - after
            regained[query] = min(max(worth(measure, without, grades) - after, 0), before - after)
    assert len(lost) == found["fallen"] == found["newcomers"]["queries"] == len(found["queries"])
    assert count == found["newcomers"]["documents"]
    assert added(lost.values()) == pytest.approx(found["newcomers"]["lost"], abs=1e-12)
    assert added(regained.values()) == pytest.approx(found["newcomers"]["regained"], abs=1e-12)
    for each in found["queries"]:
        query = each["query"]
        old, new = (run.get(query, [])[:depth] for run in runs)
        then, now = (shares(measure, documents, judged[query]) for documents in (old, new))
        parts = {document: now.get(document, 0.0) - then.get(document, 0.0) for document in {*then, *now}}
        assert -lost[query] == pytest.approx(each["change"], abs=1e-12)
        rest = [part for document, part in parts.items() if document != each["document"]]
        assert each["change"] == pytest.approx(each["contribution"] + added(rest), abs=1e-12)
        fell = {d for d in parts if d in old and (d not in new or new.index(d) > old.index(d))}
        at_fault = [part for document, part in parts.items() if part < -1e-12 and document in fell]
        assert min(at_fault or parts.values()) == pytest.approx(each["contribution"], abs=1e-12)
        above = each["above"]
        if above is not None:
            new_above = [d for d in new[: each["after"] - 1] if d not in old[: each["before"] - 1]]
            assert (new_above[0], len(new_above) - 1) == (above["document"], above["more"])


def values_of(judged: dict, measure: str, depth: int | None) -> Callable[[dict[str, list[str]]], dict[str, float]]:
    """``values_of(…)(run)``: the value of each judged query of a run, evaluated as it stands."""

    def value(run: dict[str, list[str]]) -> dict[str, float]:
        found = evaluate(
            judged, nested({query: of[:depth] for query, of in run.items() if of}), [measure], complete=True
        )
        (values,) = found.per_query.values()
        return {query: float(values[query]) for query in judged}

    return value


def is_unjudged(grades: dict[str, int], document: str) -> bool:
    return grades.get(document, -1) < 0


SENTENCES = {
    "pushed": r"(\w+) \([^)]*\)(?: and (\d+) more)? pushed (\w+) \(grade \d\) from (\d+) to (\d+): [^ ]+(?: of .*)?",
    "went": r"(\w+) \(grade \d\) went from (\d+) to (\d+)(?:: .*)?",
    "gone": r"(\w+) \(grade \d\), which was at (\d+), is no longer (retrieved|among the first 5)(?:[,:].*)?",
    "stays": r"(\w+) \(grade \d\) stays at (\d+) and counts less, because documents above it changed: .*",
    "new": r"(\w+) \([^)]*\)(?: and (\d+) more)? (?:is|are) newly (retrieved|among the first 5)",
    "nothing": "the run has no results for it|no single document is responsible",
}


@pytest.mark.parametrize(
    "measure", ["SetP", "SetF", "SetR", "Bpref", "RR", "IPrec@0.5", "AP", "nDCG@5", "nDCG(judged_only=true)@5", "SetAP"]
)
@pytest.mark.parametrize("depth", [None, 5])
@pytest.mark.parametrize("seed", range(4))
def test_every_sentence_is_true(why, measure, seed, depth):
    """Of measures for which neither rank nor order matters, too, and of what both runs have."""
    chance = random.Random(f"{measure}{seed}{depth}")
    names = [f"d{number:02}" for number in range(14)]
    queries = [f"q{number}" for number in range(10)]
    judged = {
        q: {d: chance.choice((-1, 0, 0, 1, 2)) for d in names if chance.random() < 0.5} | {"r": 1} for q in queries
    }
    old = {q: chance.sample([*names, "r"], chance.randrange(2, 15)) for q in queries if chance.random() < 0.95}
    new = {}
    for query, documents in old.items():
        new[query] = [document for document in documents if chance.random() < 0.9] or documents[:1]
        for document in chance.sample(names, 3):
            if document not in new[query] or chance.random() < 0.3:
                new[query] = [each for each in new[query] if each != document]
                new[query].insert(chance.randrange(len(new[query]) + 1), document)
    files(judged, before=old, run=new)
    cut = () if depth is None else ("-M", str(depth))

    value = values_of(judged, measure, depth)
    was, now = value(old), value(new)
    fallen = [query for query in queries if now[query] < was[query]]
    found = why("--max-query-losses", f"{measure}=0", "--baseline-run", "before", *cut)
    if not fallen:
        assert [] == found
        return
    (found,) = found
    assert len(fallen) == found["fallen"]
    summed = any(each["contribution"] is not None for each in found["queries"])
    for each in found["queries"]:
        query = each["query"]
        before, after = (run.get(query, [])[:depth] for run in (old, new))
        kind, said = next(
            (kind, match.groups())
            for kind, form in SENTENCES.items()
            if (match := re.fullmatch(form, each["sentence"]))
        )
        if kind == "pushed":
            by, more, document, first, last = said
            above = [d for d in after[: after.index(document)] if d not in before[: before.index(document)]]
            assert (by, int(more or 0)) == (above[0], len(above) - 1)
            assert (int(first), int(last)) == (before.index(document) + 1, after.index(document) + 1)
            without = value({**new, query: [d for d in new[query] if d not in above]})
            assert measure in ("AP", "nDCG@5")
            assert without[query] > now[query] or any(judged[query].get(d, 0) >= 1 for d in above)
        elif kind in ("went", "stays"):
            document, first, *last = said
            assert int(first) == before.index(document) + 1
            assert int(last[0] if last else first) == after.index(document) + 1
            if not summed:
                back = [d for d in after if d != document]
                back.insert(int(first) - 1, document)
                assert value({**new, query: back})[query] > now[query]
        elif kind == "gone":
            document, first, _ = said
            assert int(first) == before.index(document) + 1
            assert document not in after
        elif kind == "new":
            arrived = [d for d in after if d not in before and judged[query].get(d, 0) < 1]
            assert (said[0], int(said[1] or 0)) == (arrived[0], len(arrived) - 1)
    first = 5 if "@5" in measure else 10
    gone = {
        query: [
            d
            for rank, d in enumerate(new.get(query, [])[:depth][:first])
            if is_unjudged(judged[query], d)
            and (
                d not in old.get(query, [])[:depth]
                or (summed and d in old[query] and (old[query].index(d) > rank or old[query].index(d) >= first))
            )
        ]
        for query in fallen
    }
    without = value({query: [d for d in of if d not in gone.get(query, [])] for query, of in new.items()})
    back = [min(max(without[query] - now[query], 0.0), was[query] - now[query]) for query in fallen]
    assert sum(map(len, gone.values())) == found["newcomers"]["documents"]
    assert added(back) == pytest.approx(found["newcomers"]["regained"], abs=1e-12)


def test_of_a_set_only_what_was_not_retrieved_before_is_named(irev):
    files({"q": {"r1": 1, "n1": 0}}, before={"q": ["r1", "a"]}, run={"q": ["a", "r1", "n1"]})
    text = " ".join(irev("check", "qrels", "run", *DROP[2:], "--max-drop", "SetP=0").stdout.decode().split())
    assert "q: n1 (grade 0) is newly retrieved" in text
    assert "comes from missing judgments: no unjudged document is new in the first 10." in text
    assert "pushed" not in text


def test_what_bpref_passes_over_pushes_nothing(irev):
    judged = {"q": {"r1": 1, "r2": 1, "n1": 0, "n2": 0}}
    files(judged, before={"q": ["r1", "r2", "n1", "n2"]}, run={"q": ["u", "r1", "n1", "r2", "n2"]})
    text = " ".join(irev("check", "qrels", "run", *DROP[2:], "--max-drop", "bpref=0").stdout.decode().split())
    assert "q: r2 (grade 1) went from 2 to 4: -0.2500" in text


def test_of_runs_that_are_cut_it_is_told_where(irev):
    files({"q": {"r1": 1}}, before={"q": ["r1", "b", "c", "d"]}, run={"q": ["b", "c", "d", "r1"]})
    text = " ".join(irev("check", "qrels", "run", *DROP, "-M", "3").stdout.decode().split())
    assert "q: r1 (grade 1), which was at 1, is no longer among the first 3: -1.0000" in text


# From Python


def nested(found: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {query: {document: -float(n) for n, document in enumerate(of)} for query, of in found.items()}


@pytest.mark.parametrize("kind", ["files", "dictionaries", "read before"])
def test_python_tells_the_same(why, kind):
    files(JUDGED, before=BEFORE, run=AFTER)
    given = {"files": ("qrels", "run", "before"), "dictionaries": (JUDGED, nested(AFTER), nested(BEFORE))}
    given["read before"] = read_qrels("qrels"), read_run("run"), read_run("before")
    qrels, run, before = given[kind]
    after, old = (evaluate(qrels, each, ["AP"], complete=True) for each in (run, before))
    found = check(
        {"run": after}, baseline=old, max_drop={"AP": 0}, qrels=qrels, runs={"run": run}, baseline_runs={"old": before}
    )
    (told,) = found.whys
    (recorded,) = why(*DROP)
    assert recorded == CheckReport(found).record["why"][0]
    assert told.causes[1].document == b"kb-12"


def test_python_tells_what_the_run_alone_shows():
    files(JUDGED, before=BEFORE, run=AFTER)
    after, old = (evaluate("qrels", each, ["AP"], complete=True) for each in ("run", "before"))
    asked = {"baseline": old, "max_drop": {"AP": 0}}
    assert () == check({"run": after}, **asked).whys
    found = check({"run": after}, **asked, qrels="qrels", runs={"run": "run"})
    assert [False] == [each.compared for each in found.whys]
    assert "The baseline has only values" in found.notes[-1]
    assert "Keep a copy of its run: with baseline_runs" in found.notes[-1]


def test_python_refuses_runs_that_were_not_evaluated():
    files(JUDGED, before=BEFORE, run=AFTER)
    after, old = (evaluate("qrels", each, ["AP"], complete=True) for each in ("run", "before"))
    asked = {"baseline": old, "max_drop": {"AP": 0}}
    with pytest.raises(InputError, match="is another run"):
        check({"run": after}, **asked, qrels="qrels", runs={"run": "before"}, baseline_runs={"run": "before"})
    with pytest.raises(UsageError, match=r"no evaluation of the run 'rum'.* did you mean 'run'"):
        check({"run": after}, **asked, qrels="qrels", runs={"rum": "run"})
    with pytest.raises(UsageError, match="qrels and runs are needed together to explain why"):
        check({"run": after}, **asked, runs={"run": "run"})


SPOKEN = {
    "min AP=x: 'x' is not a number": {"min": {"AP": "x"}},
    "max_drop has no effect without baseline": {"max_drop": {"AP": 0.1}},
    "no condition is given; add one, for example min='nDCG@10=0.4' or max_drop='AP=0.01'": {},
    "significant has no effect without max_drop or no_worse_than or max_share_losing": {
        "min": {"AP": 0},
        "significant": 0.05,
    },
}


@pytest.mark.parametrize("said", SPOKEN)
def test_errors_in_python_speak_of_parameters(said):
    files(JUDGED, run=AFTER)
    found = evaluate("qrels", "run", ["AP"], complete=True)
    with pytest.raises(UsageError) as raised:
        check({"run": found}, **SPOKEN[said])
    assert str(raised.value).startswith(said)
    assert "--" not in str(raised.value)


def test_a_correction_that_there_is_not_is_told_what_was_meant():
    files(JUDGED, before=BEFORE, run=AFTER)
    of_both = {name: evaluate("qrels", name, ["AP"], complete=True) for name in ("run", "before")}
    with pytest.raises(UsageError, match="'maxt' is no value of correction; did you mean 'max-t'"):
        compare(of_both, correction="maxt")


def test_queries_are_named_once_for_all_conditions_on_a_measure(irev):
    files(JUDGED, run=AFTER, before=BEFORE)
    conditions = ("--max-drop", "AP=0", "--max-drop", "AP=1%", "--max-drop", "RR=0", "--baseline-run", "before")
    shown = irev("check", "qrels", "run", *conditions, "--also", "comment=out")
    for text in (" ".join(shown.stdout.decode().split()), Path("out").read_text()):
        reasons = re.findall(r"required: a drop of at most (?:0|1%)(?: \((q\d+): )?", text)
        assert ["q19", "", "q19"] == reasons, "of AP once, and of RR"


def test_a_table_has_no_column_that_says_nothing(irev):
    """Documents have no share of the reciprocal rank, which is no sum over ranks: of which dashes said nothing."""
    files(JUDGED, run=AFTER, before=BEFORE)
    of_both = {name: evaluate("qrels", name, ["RR", "P@2"], complete=True) for name in ("run", "before")}
    found = check(
        {"run": of_both["run"]},
        baseline=of_both["before"],
        max_drop={"RR": 0, "P@2": 0},
        qrels="qrels",
        runs={"run": "run"},
        baseline_runs={"before": "before"},
    )
    of_ranks, of_sums = [*CheckReport(found).further][-2:]
    assert "its share" not in of_ranks.header
    assert "its share" in of_sums.header
