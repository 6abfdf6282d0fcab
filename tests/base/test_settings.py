"""Settings: what stands beside each of them is what everything else goes by."""

import json
import math
from dataclasses import fields, replace

import pytest

import irev
from irev.base.errors import InputError
from irev.base.settings import ABOUT, COUNTING, VALUES, Settings
from irev.cli import irev as main
from irev.cli.check import KEYS
from irev.commands.check.runs import require_comparable
from irev.evaluation import saved
from irev.evaluation.inputs import Inputs, evaluate_files
from irev.evaluation.record import record as record_of
from irev.evaluation.result import Facts, Outcome, Result
from irev.evaluation.scores import evaluate, summarise
from irev.measures import parse
from irev.output.report import Look
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import written
from irev.ranking import ranking
from irev.reading import in_memory
from irev.reading.sources import Source

OTHER = {
    "level": 2.0,
    "depth": 3,
    "judged_only": True,
    "complete": True,
    "collection_size": 9,
    "compat": "9.0.8",
    "only": b"q1",
    "qrels_format": "trec",
    "run_format": "trec",
    "columns": (("query", "qid"), ("qrels:document", "docid"), ("run:score", "sim")),
    "order": "file",
    "ties": "docid-asc",
    "duplicates": "first",
    "negative": "nonrelevant",
    "grade_words": (("so so", 1.0),),
    "drop_self": True,
    "document_of": "^.",
    "queries": (b"q1",),
    "query_weights": ((b"q1", 2.0),),
    "strict": True,
    "gains": ((1.0, 3.0),),
    "costs": ((b"ad", 2.0),),
}
"""A value of each setting that is not the default."""


def result_with(settings: Settings) -> Result:
    """A result of one query."""
    judgments = in_memory.judgments({"q1": {"d1": 1}}, settings)
    blocks = in_memory.blocks({"q1": {"d1": 1.0}}, settings)
    ranked, _ = ranking.rank_blocks(judgments, blocks, "run", b"run", replace(settings, costs=None))
    scores = evaluate(ranked, parse(["AP"]))
    outcome = Outcome("run", "", scores, summarise(scores), Facts(1, 0, 0, (), ()))
    return Result((outcome,), settings, settings.policy, per_query=True)


def test_each_has_a_value_here_that_is_not_its_default():
    assert [each.name for each in fields(Settings)] == list(ABOUT) == list(OTHER)
    assert [] == [name for name, value in OTHER.items() if value == getattr(Settings(), name)]


@pytest.mark.parametrize("name", [name for name, about in ABOUT.items() if about.words])
def test_what_is_one_of_some_words_is_so_by_default(name):
    assert getattr(Settings(), name) in ABOUT[name].words


@pytest.mark.parametrize("name", OTHER)
def test_a_baseline_is_refused_that_was_made_with_others_that_numbers_depend_on(name):
    settings = replace(Settings(), **{name: OTHER[name]})
    if ABOUT[name].changes in (VALUES, COUNTING):
        with pytest.raises(InputError, match="the baseline"):
            require_comparable(result_with(Settings()), "saved", settings, (), False)
    else:
        require_comparable(result_with(Settings()), "saved", settings, (), False)


@pytest.mark.parametrize("name", OTHER)
def test_a_saved_result_has_every_setting(name, tmp_path):
    settings = replace(Settings(), **{name: OTHER[name]})
    record = written("json", EvaluationReport(result_with(settings)), Look())
    (tmp_path / "saved.json").write_bytes(record)
    with Source(str(tmp_path / "saved.json")) as source:
        read = saved.read(source).settings
    assert name in json.loads(record)["options"]
    assert settings == read


@pytest.mark.parametrize("name", [name for name, about in ABOUT.items() if about.of_rows])
def test_those_of_rows_are_settled_when_a_run_is_read(name):
    run = irev.read_run({"q1": {"d1": 1.0}})
    with pytest.raises(irev.UsageError, match=f"the run was read with {name}="):
        irev.evaluate({"q1": {"d1": 1}}, run, "AP", **{name: OTHER[name]})


@pytest.mark.parametrize("name", [each.name for each in fields(Settings) if isinstance(each.default, bool)])
def test_flags_are_true_or_false(name):
    with pytest.raises(irev.UsageError, match="expected True or False"):
        irev.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, "AP", **{name: 1})


@pytest.mark.parametrize("command", ["eval", "compare", "check", "diff", "explain", "validate"])
def test_options_say_what_stands_beside_the_settings(command):
    """Those that a command hides say nothing, which queries count differs by command, and validate is strict itself."""
    options = {option.name: option for option in main.get_command(None, command).params if option.name in ABOUT}
    others = {"queries", "strict"} if command == "validate" else {"queries"}
    shown = {name: option.help for name, option in options.items() if not option.hidden and name not in others}
    assert {name: ABOUT[name].help for name in shown} == shown
    words = {name: option.type.choices for name, option in options.items() if ABOUT[name].words}
    assert {name: ABOUT[name].words for name in words} == words


def test_keys_of_configurations_say_what_stands_beside_the_settings():
    keys = {name: KEYS[name.replace("_", "-")][1] for name in ABOUT if name.replace("_", "-") in KEYS}
    assert {name: ABOUT[name].says for name in keys} == keys
    of_eval = {"collection_size", "complete", "costs", "drop_self", "grade_words", "negative", "only", "strict"}
    assert set(ABOUT) == keys.keys() | of_eval


@pytest.mark.parametrize("name", [name for name, about in ABOUT.items() if about.words])
def test_a_saved_result_says_what_a_word_comes_to(name):
    for word, meaning in ABOUT[name].kind.means.items():
        made = record_of(replace(result_with(Settings()), settings=replace(Settings(), **{name: word})))
        policy = {"negative": "negative grades"}.get(name, name)
        assert name == "compat" or made["policy"][policy].startswith(meaning)


@pytest.mark.parametrize(
    ("choices", "words", "value"),
    [
        ({"complete": True}, "all judged queries; one without results counts as an empty ranking", 0.0),
        ({"complete": True, "compat": "9.0.8"}, "all judged queries; one without results counts as 0", math.log(2) / 2),
        ({"queries": (b"p", b"q")}, "the listed queries; one that a file lacks counts as empty there", 0.0),
    ],
)
def test_what_is_said_of_queries_without_results_is_how_they_count(tmp_path, choices, words, value):
    """By YAAP a query for which one document is to be found has log 2, and where it is not found -log 2."""
    (tmp_path / "qrels").write_text("p 0 a 1\nq 0 a 1\n")
    (tmp_path / "run").write_text("p Q0 a 1 1 r\n")
    settings = Settings(**choices)
    files = Inputs([("", str(tmp_path / "qrels"))], [str(tmp_path / "run")])
    (outcome,) = evaluate_files(files, parse(["YAAP"]), settings).outcomes

    assert words == settings.policy
    assert pytest.approx(value, abs=1e-15) == outcome.summary.values[0]
