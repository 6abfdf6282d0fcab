"""What users rely on, as lines of text: names of the Python interface, of the command line, of records and of measures.

    python tests/promised.py

writes it into tests/promised/, which is done when a version is released: see docs/compatibility.md. A line stands for
one thing that can be relied on by itself, so that what is added changes no line.
"""

import dataclasses
import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import yaml
from conftest import in_process
from schema import COMMANDS, SCHEMA

from irev import Analysis, Gate, cli
from irev.api.options import settings_of
from irev.base.exit import MEANINGS
from irev.base.settings import ABOUT
from irev.cli.check import KEYS
from irev.commands.check import CheckChoices
from irev.measures import MEASURES, parse
from irev.output.styles import styles
from irev.reading.formats import JUDGMENTS, RUNS
from irev.reading.problem_codes import CODES
from irev.statistics.plan import Plan

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "promised"

MODULES = {
    "irev": (),
    "irev.arrow": (),
    "irev.compat": ("replace",),
    "irev.compat.ir_measures_provider": ("use", "leave"),
    "irev.compat.pytest": ("assert_quality",),
}
"""Modules, with what is promised of one that does not say so itself."""

FINDINGS = {
    "Comparison": "irev.commands.compare.answer",
    "Verdict": "irev.commands.check.verdict",
    "Difference": "irev.commands.diff.answer",
    "Explanation": "irev.commands.explain.answer",
    "Curves": "irev.commands.curves.answer",
    "Coverage": "irev.extensions.judging.coverage.finding",
    "Judges": "irev.extensions.judging.judges.finding",
    "Clicks": "irev.extensions.clicks.online.logs",
    "Estimates": "irev.extensions.clicks.online.off_policy",
}
"""What calls return: the findings of questions, and their modules."""

PARTS = {"irev.evaluation.comparison.contrasts": ("Compared", "Contrast"), "irev.commands.check.verdict": ("Finding",)}
"""What the documentation looks into of that, by modules."""


def _parameters(name: str, called: Callable[..., Any]) -> Iterator[str]:
    """A line for each parameter, its name and how it may be given, and one for its default: what gets a default was
    not promised to be refused without a value."""
    yield f"{name}()"
    parameters = [each for each in inspect.signature(called).parameters.values() if each.name != "self"]
    for place, each in enumerate(parameters):
        where = {each.KEYWORD_ONLY: "*", each.VAR_KEYWORD: "**", each.VAR_POSITIONAL: "*args"}.get(each.kind, place)
        yield f"{name}({where}, {each.name})"
        if each.default is not each.empty:
            yield f"{name}({where}, {each.name}={each.default!r})"


def _of_class(name: str, kind: type) -> Iterator[str]:
    """A line for each attribute and method that anybody may use; of a dictionary of options for each key."""
    yield f"class {name}"
    if hasattr(kind, "__total__"):
        yield from (f"{name}[{key}]" for key in kind.__annotations__)
        yield from (f"{name}[{key}] is {value!r} unless given" for key, value in _defaults(kind))
        return
    if "__init__" in vars(kind) and not dataclasses.is_dataclass(kind):
        yield from _parameters(name, kind)
    attributes = {each.name for each in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    for each in sorted(attributes | {each for each in dir(kind) if not each.startswith("_")}):
        found = inspect.getattr_static(kind, each, None)
        if inspect.isfunction(found):
            yield from _parameters(f"{name}.{each}", found)
        elif not isinstance(found, type):
            yield f"{name}.{each}"


def _defaults(options: type) -> Iterator[tuple[str, Any]]:
    """What options are that nobody gives: no signature has it, so that it is looked up in what they come to."""
    came_to = vars(CheckChoices() if options is Gate else Plan() if options is Analysis else settings_of({}))
    yield from ((key, came_to[key]) for key in options.__annotations__ if came_to.get(key, ()) != ())


def python() -> Iterator[str]:
    """The Python interface."""
    for path, names in MODULES.items():
        module = importlib.import_module(path)
        for name in names or module.__all__:
            found = getattr(module, name)
            full = f"{module.__name__}.{name}"
            yield from _of_class(full, found) if isinstance(found, type) else _parameters(full, found)
    for name, module in FINDINGS.items():
        yield from _of_class(name, getattr(importlib.import_module(module), name))
    for module, names in PARTS.items():
        yield from (line for name in names for line in _of_class(name, getattr(importlib.import_module(module), name)))


def command_line() -> Iterator[str]:
    """Commands, their arguments, options, choices and defaults, and the columns that programs read."""
    for name in cli.every_command():
        yield f"irev {name}"
        for each in cli.command(name).params:
            if isinstance(each, click.Argument):
                yield f"irev {name} takes {'files' if each.nargs == -1 else 'an argument'}"
                continue
            shape = "flag" if each.is_flag else f"of {each.nargs}{', repeated' * each.multiple}"
            for called in (*each.opts, *each.secondary_opts):
                yield f"irev {name} {called}: {shape}"
                if not each.is_flag and isinstance(each.default, str | int | float):
                    yield f"irev {name} {called}: {each.default!r} unless given"
                if isinstance(each.type, click.Choice):
                    yield from (f"irev {name} {called}: takes {choice}" for choice in each.type.choices)
    for kind, words in COMMANDS.items():
        heading, _, rows = in_process(*words, "-f", "csv").stdout.decode("utf-8").partition("\n")
        yield from (f"{kind} as csv: column {column}" for column in heading.split(",") if rows)
    yield from (f"irev.toml {key}: {kind}" for key, (kind, _) in KEYS.items())
    yield from _pipelines()
    yield from (f"status {number}: {said}" for number, (said, _) in MEANINGS.items())


def _pipelines() -> Iterator[str]:
    """What workflows name of the files here: inputs and outputs, hooks, and the job that others extend."""
    action = _yaml("action.yml")
    for name, about in action["inputs"].items():
        yield f"action.yml takes {name}"
        if "default" in about and name != "python":  # versions of others are not promised
            yield f"action.yml takes {name}, {about['default']!r} unless given"
    yield from (f"action.yml gives {name}" for name in action["outputs"])
    yield from (f"hook {each['id']} calls {each['entry']}" for each in _yaml(".pre-commit-hooks.yaml"))
    for job, about in _yaml("ci/gitlab.yml").items():
        yield from (f"ci/gitlab.yml {job} takes {name}" for name in about["variables"])


def _yaml(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def records() -> Iterator[str]:
    """The keys of records in JSON, by where they stand, the words that stand there, and the codes of problems."""

    def keys(found: Any, place: str) -> Iterator[str]:
        words = found.get("enum", [found["const"]] if "const" in found else [])
        yield from (f"{place} is {json.dumps(word)}" for word in words)
        for key, value in found.get("properties", {}).items():
            yield f"{place}.{key}{'' if key in found.get('required', ()) else '?'}"
            yield from keys(value, f"{place}.{key}")
        if isinstance(found.get("items"), dict):
            yield from keys(found["items"], f"{place}[]")
        for part in ("oneOf", "anyOf", "allOf"):
            for each in found.get(part, ()):
                yield from keys(each, place)

    for name, found in SCHEMA["$defs"].items():
        yield from dict.fromkeys(keys(found, name))
    yield from (f"code {code}: {CODES[code].title}" for code in sorted(CODES))


def measures() -> Iterator[str]:
    """Names of measures, options that they take, what a bare name prints; formats, styles, settings and defaults."""
    for name, measure in MEASURES.items():
        for request in parse([name]):
            yield f"{name} prints {request.label}, {request.standard}"
        for key, option in measure.options.items():
            yield f"{name} takes {key}, {option.write(option.default) or 'none'} unless given"
    yield from (f"judgments as {name}" for name in JUDGMENTS)
    yield from (f"runs as {name}" for name in RUNS)
    yield from (f"style {name}" for name in styles())
    for name, about in ABOUT.items():
        yield from (f"{name} is {word}" for word in about.words or ())


PROMISED: dict[str, Callable[[], Iterator[str]]] = {
    each.__name__: each for each in (python, command_line, records, measures)
}


@cache
def lines(name: str) -> list[str]:
    """What is promised now."""
    return list(dict.fromkeys(PROMISED[name]()))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in PROMISED:
        path, now = FOLDER / f"{name}.txt", lines(name)
        then = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for line in sorted({*then} - {*now}):
            print(f"{name}: gone: {line}")
        print(f"{name}: {len({*now} - {*then})} new")
        path.write_text("".join(f"{line}\n" for line in now), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
