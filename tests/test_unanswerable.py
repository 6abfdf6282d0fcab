"""Queries without a relevant document, and empty lists of results: one rule in every form, command and record."""

import json

import pytest

import irev as package

FORMS = {
    "trec": b"q1 0 a 1\nq1 0 b 0\nq2 0 a 0\nq3 0 a 1\nq4 0 b 1\n",
    "csv": b"query_id,doc_id,relevance\nq1,a,1\nq1,b,0\nq2,a,0\nq3,a,1\nq4,b,1\n",
    "lists": b'{"query_id": "q1", "relevant_ids": ["a"]}\n{"query_id": "q2", "relevant_ids": []}\n'
    b'{"query_id": "q3", "relevant_ids": ["a"]}\n{"query_id": "q4", "relevant_ids": ["b"]}\n',
    "json": b'{"q1": {"a": 1, "b": 0}, "q2": {}, "q3": {"a": 1}, "q4": {"b": 1}}',
    "subtopics": b"q1 1 a 1\nq1 2 b 0\nq2 1 a 0\nq3 1 a 1\nq3 2 a 1\nq4 2 b 1\n",
}
SAID = "query q2 has no relevant document; it scores 0 whatever is retrieved (--queries relevant leaves it out)"
LEFT_OUT = "query q2 has no relevant document and is left out"

COMMANDS = [
    ("eval", "-m", "map", "qrels", "a", "b"),
    ("compare", "qrels", "a", "b"),
    ("check", "--min", "AP=0", "qrels", "a"),
    ("diff", "qrels", "a", "b"),
    ("report", "-o", "page.html", "qrels", "a", "b"),
    ("agree", "-m", "AP", "-m", "RR", "qrels", "a", "b", "c"),
    ("power", "--difference", "0.1", "qrels", "a", "b"),
    ("coverage", "qrels", "a", "b"),
    ("curves", "qrels", "a", "b"),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    run = "q1 Q0 a 1 2 {0}\nq1 Q0 b 2 {1} {0}\nq2 Q0 a 1 2 {0}\nq3 Q0 b 1 2 {0}\nq4 Q0 b 1 {2} {0}\n"
    for name, *scores in (("a", 1, 2), ("b", 3, 2), ("c", 1, 1)):
        (tmp_path / name).write_text(run.format(name, *scores))
    (tmp_path / "qrels").write_bytes(FORMS["trec"])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
def test_one_that_has_none_counts_in_every_form_unless_it_is_left_out(irev, place, form):
    (place / "qrels").write_bytes(FORMS[form])
    given = ("eval", "-m", "num_q", "-m", "map", "qrels", "a")
    if form == "subtopics":
        given = (*given, "--qrels-format", "subtopics")
    both, left = irev(*given), irev(*given, "--queries", "relevant")

    assert ([b"4", b"0.5000"], [b"3", b"0.6667"]) == tuple(
        [line.split()[2] for line in done[1].splitlines()] for done in (both, left)
    )
    assert [f"irev: warning: qrels: {said}\n" for said in (SAID, LEFT_OUT)] == [both[2], left[2]]


def test_subtopics_of_the_others_stay_what_they_are(irev, place):
    (place / "qrels").write_bytes(FORMS["subtopics"])
    given = ("eval", "-q", "-m", "alpha-nDCG@2", "-m", "StRecall@2", "--qrels-format", "subtopics", "qrels", "a")
    both, left = irev(*given), irev(*given, "--queries", "relevant")
    of_others = [line for line in both[1].splitlines() if line.split()[1] not in (b"q2", b"all")]

    assert of_others == [line for line in left[1].splitlines() if line.split()[1] != b"all"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_says_once_that_one_has_none(irev, place, command):
    assert [1, 1] == [
        irev(*given)[2].count(said)
        for given, said in ((command, SAID), ((command[0], "--queries", "relevant", *command[1:]), LEFT_OUT))
    ]


EXPLAINED = [("explain", "qrels", "a")]


@pytest.mark.parametrize("command", EXPLAINED, ids=lambda command: command[1])
def test_what_has_no_option_to_leave_it_out_advises_none(irev, place, command):
    assert f"irev: warning: qrels: {SAID.partition(' (')[0]}\n" == irev(*command)[2]
    with pytest.warns(package.QueriesWarning) as said:
        package.explain("qrels", "a")
    assert [f"qrels: {SAID.partition(' (')[0]}"] == [str(each.message) for each in said]


@pytest.mark.parametrize("command", [*COMMANDS, *EXPLAINED], ids=lambda command: " ".join(command[:2]))
def test_every_command_says_once_what_is_missing_and_what_is_empty(irev, place, command):
    (place / "a").write_bytes(RUN_OF_LISTS)
    said = irev(*command)[2]
    counts = ("counts as an empty ranking", "is left out (-c counts it)")
    missing = sum(said.count(f"a: judged query q4 has no results and {each}\n") for each in counts)
    assert (1, 1) == (missing, said.count("a: query q3 has an empty list of results, which counts as 0\n")), said


def test_one_query_that_is_explained_is_told_of_itself_alone(irev, place):
    (place / "a").write_bytes(RUN_OF_LISTS)
    assert [True, False] == ["q2" in irev("explain", "--query", each, "qrels", "a")[2] for each in ("q2", "q1")]


@pytest.mark.parametrize("form", ["trec", "csv", "json"])
def test_judges_leave_it_out_of_the_mean_overlap(irev, place, form):
    (place / "judged").write_bytes(FORMS[form])
    (place / "other").write_bytes(FORMS["trec"].replace(b"q3 0 a 1", b"q3 0 a 0"))
    (pair,) = json.loads(irev("judges", "-f", "json", "judged", "other")[1])["pairs"]
    assert 2 / 3 == pytest.approx(pair["mean_overlap"]["value"])


@pytest.mark.parametrize(("choice", "mean"), [((), 1 / 2), (("--queries", "relevant"), 2 / 3)])
def test_a_trend_says_which_queries_count(irev, place, choice, mean):
    given = ("eval", "-q", "-m", "map", *choice, "--log", "log", "qrels", "a")
    for _ in range(2):
        assert 0 == irev(*given)[0]
    found = json.loads(irev("trend", "-f", "json", "log")[1])
    assert ("that have a relevant document" in found["policy"], [mean, mean]) == (
        bool(choice),
        found["series"][0]["means"],
    )
    other = ("eval", "-q", "-m", "map", *([] if choice else ["--queries", "relevant"]), "--log", "log", "qrels", "a")
    status, _, said = irev(*other)
    assert (2, True) == (status, "made with another" in said)


@pytest.mark.parametrize("command", COMMANDS[:-4], ids=lambda command: command[0])
def test_every_record_says_which_queries_count(irev, place, command):
    name, *rest = command
    output = () if name == "report" else ("-f", "json")
    status, printed, _ = irev(name, *output, "--queries", "relevant", *rest)
    text = (place / "page.html").read_text() if name == "report" else printed.decode()

    assert 0 == status
    assert "all judged queries that have a relevant document; one without results counts as an empty ranking" in text


def test_a_query_that_a_run_lacks_counts_unless_it_has_no_relevant_document(irev, place):
    (place / "a").write_text("q1 Q0 a 1 2 r\n")
    assert (0, b"num_q                 \tall\t3\nmap                   \tall\t0.3333\n") == irev(
        "eval", "-m", "num_q", "-m", "map", "--queries", "relevant", "qrels", "a"
    )[:2]


def test_all_of_them_cannot_be_left_out(irev, place):
    (place / "qrels").write_bytes(b"q1 0 a 0\n")
    done = irev("eval", "--queries", "relevant", "qrels", "a")
    assert (2, b"") == done[:2]
    assert "no query has a relevant document, of grade 1 or higher; leave out --queries relevant" in done[2]


def test_an_option_of_its_own_beside_it_is_no_contradiction(irev, place):
    given = ("eval", "--queries", "relevant", "qrels", "a")
    assert irev(*given) == irev(*given, "-c")


@pytest.mark.parametrize(
    "judged",
    [{"q1": {"a": 1}, "q2": {}, "q3": {"a": 1}}, {"q1": ["a"], "q2": [], "q3": ["a"]}],
    ids=["grades", "lists"],
)
def test_python_has_the_same_rule(judged):
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {}}
    with pytest.warns(package.QueriesWarning) as said:
        found = package.evaluate(judged, run, ["AP", "num_q"])
    assert {"AP": 1 / 3, "num_q": 3} == found.mean()
    assert [
        "qrels: " + SAID.replace("--queries relevant", "queries='relevant'"),
        "run: query q3 has an empty list of results, which counts as 0",
    ] == [str(each.message) for each in said]
    assert {"AP": 0.5, "num_q": 2} == package.evaluate(judged, run, ["AP", "num_q"], queries="relevant").mean()


RUN_OF_LISTS = (
    b'{"query_id": "q1", "results": ["a"]}\n{"query_id": "q2", "results": ["a"]}\n{"query_id": "q3", "results": []}\n'
)


def test_an_empty_list_of_results_is_missing_and_counted_apart(irev, place):
    (place / "a").write_bytes(RUN_OF_LISTS)
    done = irev("check", "--max", "missing=1", "--max", "empty=0", "qrels", "a")
    assert 1 == done[0]
    assert "FAIL: a: missing is 2; required: at most 1\nFAIL: a: empty is 1; required: at most 0" in done[1].decode()


def test_eval_and_validate_name_it(irev, place):
    (place / "a").write_bytes(RUN_OF_LISTS)
    assert "a: query q3 has an empty list of results, which counts as 0" in irev("eval", "qrels", "a")[2]
    assert "W205: an empty list of results for query 'q3'" in irev("validate", "qrels", "a")[1].decode()
    (made,) = json.loads(irev("eval", "-f", "json", "qrels", "a")[1])["results"]
    assert (["q4"], ["q3"]) == (made["counts"]["not_retrieved"], made["counts"]["empty"])


def test_a_saved_result_keeps_it(irev, place):
    (place / "a").write_bytes(RUN_OF_LISTS)
    irev("eval", "-q", "-f", "json", "-o", "saved.json", "qrels", "a")
    assert ["q3"] == json.loads(irev("show", "-f", "json", "saved.json")[1])["results"][0]["counts"]["empty"]


DOUBTFUL = {
    "no grade reaches the level": (b"q1 0 a 1\nq2 0 a 1\n", ("-l", "2")),
    "no document in common": (b"q1 0 x 1\nq2 0 y 1\n", ()),
    "ids that differ in capital letters": (b"q1 0 a 1\nq2 0 A 1\nq3 0 B 1\nq4 0 B 1\n", ()),
    "another second field": (b"q1 1 a 1\nq2 2 a 1\n", ()),
    "a time as grade": (b"q1 0 a 20240101\nq2 0 a 1\n", ()),
    "a scale from 1": (b"q1 0 a 1\nq2 0 a 3\n", ()),
}


@pytest.mark.parametrize("about", DOUBTFUL)
def test_strict_refuses_what_is_probably_not_meant(irev, place, about):
    judged, options = DOUBTFUL[about]
    (place / "qrels").write_bytes(judged)
    (place / "list").write_bytes(b"q1\nq2\n")
    given = ("eval", "-m", "map", *options, "--queries", "list", "qrels", "a")
    status, _, said = irev(*given)
    assert (0, 1) == (status, said.count("irev: warning: ")), said
    fact = said.removeprefix("irev: warning: ").strip()

    assert (2, b"", f"irev: error: {fact}; leave out --strict if the numbers are meant so\n") == irev(
        *given, "--strict"
    )
    with pytest.raises(package.InputError, match="leave out strict if"):
        package.evaluate("qrels", "a", "AP", queries=["q1", "q2"], strict=True, **({"level": 2} if options else {}))


def test_strict_lets_pass_what_harms_no_number(irev, place):
    (place / "a").write_bytes((place / "a").read_bytes().replace(b" a\nq4", b" other\nq4"))
    given = ("eval", "-m", "map", "--strict", "qrels", "a")
    assert (0, 2) == (irev(*given)[0], irev(*given)[2].count("irev: warning: "))


def test_a_list_of_which_no_query_is_judged_is_refused(irev, place):
    (place / "list").write_bytes(b"Q1\nQ2\n")
    fact = "none of the listed queries is judged: for example, 'Q1' is in the list, and 'q1' in the judgments"
    assert (2, b"", f"irev: error: qrels: {fact}; do the list and the judgments belong together?\n") == irev(
        "eval", "--queries", "list", "qrels", "a"
    )
    with pytest.raises(package.InputError, match=fact):
        package.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1}}, "AP", queries=["Q1", "Q2"])


@pytest.mark.parametrize(
    ("again", "choice", "expected"),
    [
        (b"q4 0 b 1\n", "same", b"0.5000"),
        (b"q4 0 b 1\nq4 0 b 1\n", "max", b"0.5000"),
        (b"q2 0 a 1\n", "max", b"0.7500"),
        (b"q2 0 a 1\n", "same", None),
        (b"q4 0 b 1\n", "first", None),
    ],
)
def test_judgments_that_are_repeated_are_taken_on_demand(irev, place, again, choice, expected):
    (place / "qrels").write_bytes(FORMS["trec"] + again)
    status, printed, said = irev("eval", "-m", "map", "--duplicates", choice, "qrels", "a")
    columns = tuple(
        map(list, zip(*(line.split()[::2] for line in (FORMS["trec"] + again).decode().splitlines()), strict=True))
    )
    grades = [int(line.split()[3]) for line in (FORMS["trec"] + again).decode().splitlines()]
    refused = irev("eval", "-m", "map", "qrels", "a")[2]
    taken = "same" if again.startswith(b"q4") else "max"
    assert refused.endswith(f"; keep one of the two lines, or choose --duplicates {taken}\n")
    assert 0 == irev("eval", "-m", "map", "--duplicates", taken, "qrels", "a")[0]
    if expected is None:
        assert (2, b"", True) == (status, printed, "is judged twice for query" in said)
        with pytest.raises(package.InputError, match="is judged twice"):
            package.evaluate((*columns, grades), "a", "AP", duplicates=choice)
    else:
        assert expected == printed.split()[2]
        assert float(expected) == package.evaluate((*columns, grades), "a", "AP", duplicates=choice).mean()["AP"]


def test_a_run_that_repeats_a_document_stays_refused(irev, place):
    (place / "a").write_bytes(b"q1 Q0 a 1 2 r\nq1 Q0 a 2 1 r\n")
    assert 2 == irev("eval", "--duplicates", "same", "qrels", "a")[0]


@pytest.mark.parametrize("chosen", [(), ("--queries", "relevant")])
def test_files_without_a_common_query_are_refused_whichever_queries_count(irev, place, chosen):
    (place / "other").write_text("x Q0 a 1 1 t\n")
    done = irev("eval", *chosen, "qrels", "other")
    assert (2, True) == (done.status, "qrels and other have no query in common" in done.stderr)
    queries = {"queries": chosen[1]} if chosen else {}
    with pytest.raises(package.InputError, match="have no query in common"):
        package.evaluate({"q1": {"a": 1}}, {"x": ["a"]}, "AP", **queries)
