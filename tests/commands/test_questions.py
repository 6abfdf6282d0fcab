"""What questions can be asked: each choice is declared once, and every door derives options and refusals from it."""

import inspect

import click
import pytest
from conftest import ROOT
from outcomes import refused

import irev as package
from irev.base.choice import (
    Aggregates,
    File,
    Flag,
    Grades,
    MeasureName,
    NamedFile,
    NamedNumbers,
    NearName,
    NewFile,
    OpenShare,
    QueryId,
    Ranks,
    Real,
    Whole,
    Wholes,
    Word,
    Words,
    choices_of,
)
from irev.cli import command, questions
from irev.commands.fuse import Weights
from irev.commands.question import question_of
from irev.commands.shared import Width
from irev.extensions.llm_judge.llm_judge import MeasureLimits
from irev.statistics.plan import Plan

SAMPLE = ROOT / "sample_data"
FILES = {
    "report": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "eval": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run")),
    "compare": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "power": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "agree": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "collections": (str(SAMPLE / "collections.toml"),),
    "bayes": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "compare-by": tuple(str(SAMPLE / name) for name in ("qrels.txt", "hybrid.run", "keyword.run")),
    "seeds": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "replicate": tuple(str(SAMPLE / name) for name in ("original.csv", "qrels.txt", "keyword.run", "semantic.run")),
    "rbo": (str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "judges": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "judge2.txt")),
    "llm-judge": (*(str(SAMPLE / "llm" / name) for name in ("llm.txt", "human.txt", "bm25.run")),),
    "diff": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "keyword.run"), str(SAMPLE / "hybrid.run")),
    "explain": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "keyword.run")),
    "curves": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "fuse": (str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "coverage": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run")),
    "convert": (str(SAMPLE / "hybrid.run"), "-"),
    "validate": (str(SAMPLE / "qrels.txt"),),
    "pool": (str(SAMPLE / "hybrid.run"),),
    "check": (str(SAMPLE / "qrels.txt"), str(SAMPLE / "hybrid.run"), "--min", "AP=0"),
    "online interleave": (str(SAMPLE / "hybrid.run"), str(SAMPLE / "keyword.run")),
    "online preference": (str(SAMPLE / "interleaved.jsonl"),),
    "online ab": (str(SAMPLE / "ab_test.csv"),),
    "online click-models": (str(SAMPLE / "ab_test.csv"),),
    "trend": (str(SAMPLE / "qrels.txt"),),
}
"""Files of a question that can be answered."""

PYTHON = {
    "llm-judge": "llm_judge",
    "online interleave": "interleave",
    "online preference": "clicks",
    "online ab": "clicks",
    "online click-models": "none",
    "online off-policy": "off_policy",
}
"""The functions of questions that have another name in Python, or none."""

ASKED = {name: question_of(*name.split()) for name in questions()}


def own(asked):
    """The choices of a question that are no files."""
    return [*choices_of(asked.choices)][len(asked.arguments) :]


CHOICES = [(name, *each) for name, asked in ASKED.items() for each in own(asked)]
NEEDY = [(name, choice, about) for name, choice, about, _ in CHOICES if about.needs not in ("", "min|max")]
APART = [(name, choice, about, other) for name, choice, about, _ in CHOICES for other in about.not_with.split()]
APART += [
    (name, other, of_other, choice)
    for name, choice, about, _ in CHOICES
    for other in about.settles.split()
    for of_name, same, of_other, _ in CHOICES
    if (of_name, same) == (name, other)
]


def option(name: str, choice: str) -> click.Option:
    return next(each for each in command(name).params if each.name == choice)


def words(name: str, choice: str, kind: object) -> list[str]:
    """An option, and a value that it may have."""
    flag = option(name, choice).opts[0]
    values = {
        Flag: [],
        Aggregates: ["median"],
        MeasureName: ["AP"],
        NewFile: ["new.txt"],
        Word: [getattr(kind, "words", [""])[-1]],
        Words: [getattr(kind, "words", [""])[-1]],
    }
    values[NearName] = values[Word]
    values |= {
        Grades: ["3,2"],
        Whole: ["9"],
        Wholes: ["9"],
        Real: ["0.5"],
        OpenShare: ["0.5"],
        QueryId: ["q1"],
        Ranks: ["3"],
        Weights: ["2,1"],
        NamedNumbers: [str(SAMPLE / "costs.txt")],  # names and numbers, which are read at once
    }
    if isinstance(kind, Width):
        return [flag, "3.3in"]
    if isinstance(kind, NamedNumbers):
        return [flag, str(SAMPLE / "costs.txt")]
    if isinstance(kind, MeasureLimits):
        return [flag, "AP=0.1"]
    other = "0.4" if isinstance(kind, Real) else "3=1" if choice in ("strata", "scales") else "text"
    return [flag, *values.get(type(kind), [other])]


def long_flag(name: str, choice: str) -> str:
    """What the command line calls a choice; runs may have no name of their own."""
    own = {each.name: each.opts for each in command(name).params}
    return next((flag for flag in own.get(choice, ()) if flag.startswith("--")), "RUN")


@pytest.mark.parametrize(("name", "choice", "about"), NEEDY, ids=lambda part: part if isinstance(part, str) else "")
def test_a_choice_that_needs_another_is_refused_without_it(irev, tmp_path, monkeypatch, name, choice, about):
    monkeypatch.chdir(tmp_path)
    needed, _, listed = about.needs.split()[0].partition("|")[0].partition("=")
    other = []
    if listed:  # one of the words that it is not for
        kind = {each: of.kind for of_name, each, of, _ in CHOICES if of_name == name}[needed]
        other = [long_flag(name, needed), next(word for word in kind.words if word not in listed.split(","))]
    fact = f"{long_flag(name, choice)} has no effect without {long_flag(name, needed)}"
    refused(irev(*name.split(), *other, *words(name, choice, about.kind), *FILES[name]), fact)


@pytest.mark.parametrize(("name", "choice", "about", "other"), APART, ids=lambda part: str(part)[:20])
def test_a_choice_is_refused_with_another_that_leaves_it_no_effect(
    irev, tmp_path, monkeypatch, name, choice, about, other
):
    monkeypatch.chdir(tmp_path)
    ((kind, needs),) = ((of.kind, of.needs) for of_name, each, of, _ in CHOICES if (of_name, each) == (name, other))
    fact = f"{long_flag(name, choice)} has no effect with {long_flag(name, other)}"
    runs = ["--run", str(SAMPLE / "hybrid.run")] if "runs" in (about.needs, needs) else []
    for each in needs.split():
        needed, _, listed = each.partition("=")
        runs += [long_flag(name, needed), listed.split(",")[0]] if listed else []
    files = () if isinstance(kind, Grades) else FILES[name]
    asked = (*words(name, choice, about.kind), *words(name, other, kind), *runs)
    refused(irev(*name.split(), *asked, *files), fact)


def test_a_choice_is_idle_beside_another_in_python_too():
    with pytest.raises(package.UsageError, match="limit has no effect with query"):
        package.diff(*FILES["diff"], query="q1", limit=3)


def test_python_asks_check_for_nothing_else():
    assert {*package.Gate.__annotations__} <= {choice for name, choice, *_ in CHOICES if name == "check"}


ON_THE_COMMAND_LINE = (*("overwrite", "per_query", "style", "sets", "scores", "target", "tag", "ways_listed", "log"),)
"""Choices that no function in Python has."""


def names_in_python(choice, about):
    """What functions in Python may call a choice."""
    return (choice, f"{choice}s", about.parameter, about.parameter.rstrip("s"), f"{about.parameter}s")


@pytest.mark.parametrize(("name", "choice", "about", "default"), CHOICES, ids=lambda part: str(part)[:20])
def test_python_has_the_choices_of_the_command_with_their_defaults(name, choice, about, default):
    """What is written to files has methods of the finding in Python, and `Analysis` has how runs are compared."""
    function = PYTHON.get(name, name)
    if isinstance(about.kind, NewFile) or about.typed or not hasattr(package, function):
        return
    if name == "check" and choice in package.Gate.__annotations__:
        return
    if choice in ON_THE_COMMAND_LINE or (name, choice) == ("check", "details"):
        return
    if choice in package.Analysis.__annotations__ and function == "compare":
        assert default == getattr(Plan, choice)
        return
    parameters = inspect.signature(getattr(package, function)).parameters
    called = next(each for each in names_in_python(choice, about) if each in parameters)
    if not (isinstance(about.kind, File | NamedFile | MeasureName) or about.several or about.needs or default == ()):
        assert default == parameters[called].default


QRELS, RUN, *_ = FILES["compare"]
LOG = FILES["online ab"][0]
IN_PYTHON = {
    "compare": lambda **more: package.compare(QRELS, [RUN, RUN], "AP", **more),
    "rbo": lambda **more: package.rbo(RUN, RUN, **more),
    "judges": lambda **more: package.judges({"a": QRELS, "b": FILES["judges"][1]}, **more),
    "llm-judge": lambda **more: package.llm_judge(*FILES["llm-judge"][:2], [FILES["llm-judge"][2]], "P@5", **more),
    "check": lambda **more: package.check({"r": package.evaluate(QRELS, RUN, "AP", complete=True)}, **more),
    "diff": lambda **more: package.diff(QRELS, RUN, RUN, "AP", **more),
    "explain": lambda query="q1", **more: package.explain(QRELS, RUN, query, **more),
    "coverage": lambda **more: package.coverage(QRELS, [RUN], "P@5", **more),
    "curves": lambda **more: package.curves(QRELS, [RUN], **more),
    "pool": lambda **more: package.pool([RUN], **more),
    "fuse": lambda **more: package.fuse([RUN, RUN], **more),
    "online interleave": lambda **more: package.interleave(RUN, RUN, **more),
    "online ab": lambda **more: package.clicks(LOG, **more),
    "online off-policy": lambda **more: package.off_policy(LOG, RUN, **more),
}
"""How a question is asked in Python."""

BEYOND = {
    Whole: -1,
    Real: -1.5,
    OpenShare: 1,
    Word: "nonesuch",
    NearName: "nonesuch",
    Words: ["nonesuch"],
    Flag: "yes",
}
"""A value of each kind that no choice of that kind has."""


def values_beyond():
    """Every choice that Python has, with a value of another kind and one of its own kind that it may not have."""
    for name, choice, about, _ in CHOICES:
        function = PYTHON.get(name, name)
        if name in IN_PYTHON and not isinstance(about.kind, File | NamedFile | NewFile | MeasureName):
            has = {*inspect.signature(getattr(package, function)).parameters}
            has |= {"compare": {*package.Analysis.__annotations__}, "check": {*package.Gate.__annotations__}}.get(
                function, set()
            )
            called = next((each for each in names_in_python(choice, about) if each in has), None)
            if called and called not in ("measures", "grades"):  # which say themselves what they may be
                yield name, called, 1j
                if type(about.kind) in BEYOND:
                    yield name, called, BEYOND[type(about.kind)]


@pytest.mark.parametrize(("name", "called", "value"), [*values_beyond()], ids=str)
def test_python_refuses_a_value_that_a_choice_may_not_have(name, called, value):
    with pytest.raises(package.UsageError) as refusal:
        IN_PYTHON[name](**{called: value})
    assert f"{value!r} is no value of {called}; " in f"{refusal.value}; "
