"""What only the command line does of ``irev check``: it reads configuration files, ``irev.toml`` or the table
``[tool.irev]`` of a ``pyproject.toml``, and writes the summary for GitHub and the next baseline.

`configured` lets a file stand for options that are not given; `read` reads one. A key is called like the option that
it stands for. Paths are meant from the folder of the file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from irev.base.choice import Choice, File, Flag, Kind, NamedRun, NewFiles, Real, RunFiles, Whole, choices_of, named_run
from irev.base.errors import InputError, decimal
from irev.base.registry import did_you_mean, instead
from irev.base.settings import QUERIES, Settings
from irev.cli.options import require_there
from irev.cli.output import append, say, tell, warn, write
from irev.commands.check import LARGEST, CheckChoices, Conditions, Limits
from irev.commands.check.finding import SUMMARY, github_annotations, markdown
from irev.output.report import Look
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import written
from irev.reading.lists import toml
from irev.reading.sources import STANDARD_INPUT, is_dataset

if TYPE_CHECKING:
    from irev.commands.check import CheckChoices
    from irev.commands.check.finding import CheckReport
    from irev.commands.check.verdict import Verdict
    from irev.evaluation.result import Result


class Configured(NamedTuple):
    """A configuration file, None where there is none, and the judgments and runs that it names, each with its key."""

    path: str | None = None
    named: tuple[tuple[str, str], ...] = ()

    def files(self) -> tuple[str, ...]:
        """The judgments and runs. Raises `InputError`, with the file and the key, for one that is not there."""
        for key, path in self.named:
            require_there(self.path or "", key, path.removeprefix("@") if key == "runs" else path)
        return tuple(path for _, path in self.named)


def configured(ctx: click.Context, param: click.Parameter, path: str | None) -> Configured:
    """Take what the configuration file says for what options do not."""
    if ctx.resilient_parsing:
        return Configured()
    # Files are there before this option when it is not given: they are eager too, and it comes last.
    path = path or (None if ctx.params.get("files") else present())
    if path is None:
        return Configured()
    found = read(path)
    options = {option.lstrip("-"): each.name for each in ctx.command.params for option in each.opts}
    ctx.default_map = {str(options[key]): value for key, value in found.items() if key not in ("qrels", "runs")}
    qrels = [("qrels", found["qrels"])] if "qrels" in found else []
    return Configured(path, (*qrels, *(("runs", run) for run in found.get("runs", ()))))


NAMES = ("irev.toml", "pyproject.toml")
"""Files that are looked for where none is named."""

TEXT, WHOLE, NUMBER, FLAG, TEXTS, LIMITS = "a text", "a whole number", "a number", "true or false", "texts", "limits"


def _kind(about: Choice) -> str:
    """What the value of the key of a choice is: numbers and flags as such, all else as its option has it."""
    for kind, called in ((Flag, FLAG), (Limits, LIMITS), (Real, NUMBER), (Whole, WHOLE)):
        if isinstance(about.kind, kind):
            return called
    return TEXTS if about.several else TEXT


_CHOICES = {
    (about.parameter or name).replace("_", "-"): about
    for record in (CheckChoices, Settings)
    for name, about, _ in choices_of(record)
    if not about.typed and not isinstance(about.kind, RunFiles)
}
"""The choices that are keys, by what they are called."""

KEYS = {
    "qrels": (TEXT, "file of judgments"),
    "runs": (TEXTS, "files of runs, or NAME=FILE; `@FILE` stands for those that a file lists"),
    **{key: (_kind(about), about.says) for key, about in _CHOICES.items()},
}
"""Every key: what its value is, and what it says."""

_PATHS = ("qrels", "runs", *(key for key, about in _CHOICES.items() if isinstance(about.kind, File)))


def read(path: str) -> dict[str, Any]:
    """The keys of a file and what they are set to, texts as an option would be given them, lists as tuples.

    Raises
    ------
    InputError
        For a file that is not TOML, a table that is not there, a key that does not exist, and a value of another kind.
    """
    try:
        found = toml(path, "utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is not UTF-8, as TOML must be", path) from None
    except (ValueError, RecursionError) as error:  # a number may have too many digits
        raise InputError(f"this is not TOML ({error})", path, "correct the line") from None
    if os.path.basename(path) == "pyproject.toml":
        table = _table(found)
        if table is None:
            raise InputError("the file has no table [tool.irev]", path, "add it, or name an irev.toml")
        found = dict(table)
    folder = os.path.dirname(path)
    return {key: _located(key, _checked(key, value, path), folder) for key, value in found.items()}


def _table(found: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The table [tool.irev] of a pyproject.toml, None if it has none."""
    tools = found.get("tool")
    table = tools.get("irev") if isinstance(tools, Mapping) else None
    return table if isinstance(table, Mapping) else None


def present(folder: str = ".") -> str | None:
    """The file of `NAMES` that is in a folder and has a configuration, if there is one."""
    for name in NAMES:
        path = os.path.join(folder, name) if folder != "." else name
        if not os.path.isfile(path):
            continue
        if name == NAMES[0]:
            return path
        try:
            if _table(toml(path, "utf-8")) is not None:
                return path
        except (InputError, ValueError, RecursionError):
            continue  # a file that is somebody else's, and that nobody named
    return None


def _checked(key: str, value: Any, path: str) -> Any:
    if key not in KEYS:
        known = f"there are {', '.join(KEYS)}"
        if isinstance(value, Mapping):
            known = f"there are no tables of commands: write the keys of [{key}] outside it"
        remedy = instead("check", f"--{key}") or did_you_mean(key, KEYS, known)
        raise InputError(f"there is no key '{key}'", path, remedy)
    kind = KEYS[key][0]
    try:
        made = _READ[kind].check(value)
    except ValueError:
        expected = _EXAMPLES[kind].format(key=key)
        raise InputError(f"the key '{key}' is not {described(kind)}", path, f"expected {expected}") from None
    return decimal(made) if isinstance(made, float) else str(made) if type(made) is int else made


def described(kind: str) -> str:
    """What the value of a key of this kind is."""
    return {TEXTS: "a text or a list of texts", LIMITS: "a table or a list of conditions"}.get(kind, kind)


_EXAMPLES = {
    TEXT: '{key} = "text"',
    WHOLE: "{key} = 10",
    NUMBER: "{key} = 0.05",
    FLAG: "{key} = true",
    TEXTS: '{key} = ["one", "two"]',
    LIMITS: '{key} = {{ "nDCG@10" = 0.01 }}',
}


_READ: Mapping[str, Kind] = {
    TEXT: Kind(),
    WHOLE: Whole(1 - LARGEST, LARGEST - 1),
    NUMBER: Real(-math.inf),
    FLAG: Flag(),
    TEXTS: Conditions(""),
    LIMITS: Limits(""),
}
"""How a value is read; what it may be is checked when its option gets it as a text."""


def _located(key: str, value: Any, folder: str) -> Any:
    """Paths as they are meant from the folder of the file."""
    if key == "queries" and value not in QUERIES:
        return _in(folder, value)
    if key not in _PATHS:
        return value
    if key in _CHOICES and isinstance(_CHOICES[key].kind, NewFiles):
        split = (each.partition("=") for each in value)
        return tuple(f"{kind}={_in(folder, path)}" if path else kind for kind, _, path in split)
    return _in(folder, value) if isinstance(value, str) else tuple(_in_all(folder, value))


def _in_all(folder: str, paths: Iterable[str]) -> Iterable[str]:
    for text in paths:
        path = named_run(text, folder)
        located = f"@{_in(folder, path[1:])}" if path.startswith("@") else _in(folder, path)
        yield NamedRun.of(located, path.called) if isinstance(path, NamedRun) else located


def _in(folder: str, path: str) -> str:
    return path if path == STANDARD_INPUT or is_dataset(path) else os.path.join(folder, path)


STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file for the summary of a step, where GitHub runs it."""


def files() -> dict[str, str | None]:
    """The file that GitHub names for the summary of a step, by its variable."""
    return {STEP_SUMMARY: os.environ.get(STEP_SUMMARY) or None}


@contextmanager
def around(choices: CheckChoices, found: CheckReport) -> Iterator[None]:
    """Tell GitHub, and write the next baseline when the verdict is shown."""
    _tell_github(found)
    yield
    if choices.baseline is not None and choices.update_baseline and found.result is not None:
        _update(choices.baseline, found.result, found.verdict)


def _tell_github(found: CheckReport) -> None:
    """Annotations on standard error, where GitHub finds them too, and the summary of the step.

    The verdict does not hang on a summary that cannot be written.
    """
    if os.environ.get("GITHUB_ACTIONS") == "true":
        tell(github_annotations(found.verdict))
    if path := files()[STEP_SUMMARY]:
        try:
            append(markdown(found, SUMMARY), path)
        except InputError as error:
            warn(error.typed)


def _update(path: str, result: Result, verdict: Verdict) -> None:
    """Write the new baseline, unless something does not hold."""
    first = not os.path.exists(path)
    if not verdict.holds:
        changed = not first and all(finding.baseline is not None for finding in verdict.findings if not finding.holds)
        accept = "; to accept the change, delete it and check again" if changed else ""
        warn(f"{path} is unchanged, because not all conditions hold{accept}")
        return

    write(written("json", EvaluationReport(result), Look("standard")), path, ())
    if first:
        say(f"irev: {path}: this is the first baseline; later runs are compared with it")
