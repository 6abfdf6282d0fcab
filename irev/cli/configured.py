"""Configuration files of ``irev check``: ``irev.toml``, or the table ``[tool.irev]`` of a ``pyproject.toml``.

`configured` lets a file stand for options that are not given; `read` reads one. A key is called like the option that
it stands for. Paths are meant from the folder of the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import click

from irev.base.choice import Choice, File, Flag, NamedRun, NewFiles, Real, RunFiles, Whole, choices_of, named_run
from irev.base.errors import InputError, decimal, option, shown
from irev.base.registry import did_you_mean, instead
from irev.base.settings import QUERIES, Settings
from irev.cli.streams import STANDARD_OUTPUT
from irev.commands.check import LARGEST, CheckChoices, Conditions, Limits
from irev.reading.lists import toml
from irev.reading.open_files import is_dataset
from irev.reading.sources import STANDARD_INPUT


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
    for kind, written in ((Flag, FLAG), (Limits, LIMITS), (Real, NUMBER), (Whole, WHOLE)):
        if isinstance(about.kind, kind):
            return written
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


def require_there(path: str, key: str, named: str, more: str = "") -> None:
    """Raise `InputError` for a key of the file `path` that names a file, where there is none.

    Its remedy ends with `more`.
    """
    if named != STANDARD_INPUT and not is_dataset(named) and not os.path.exists(named):
        fact = f"the key '{key}' names {shown(os.fsencode(named))}, which does not exist"
        raise InputError(fact, path, f"paths are relative to the folder of this file{more}")


def require_inside(path: str, key: str, named: str) -> None:
    """Raise `InputError` for a key of the file `path` that names an output outside the folder of that file, a hidden
    one such as a hook in .git, or a program, also where links lead there: the file may come with a checkout of
    strangers."""
    if named == STANDARD_OUTPUT:
        return
    folder, target = os.path.join(os.path.realpath(os.path.dirname(path)), ""), os.path.realpath(named)
    if not target.startswith(folder):
        refused = "is outside the folder of this file"
    elif any(part.startswith(".") for part in target.removeprefix(folder).split(os.sep)):
        refused = "is a hidden file or in a hidden folder"
    elif os.path.isfile(target) and os.stat(target).st_mode & 0o111:
        refused = "exists and is executable"
    elif os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target):
        refused = "exists and is not a regular file"
    else:
        return
    fact = f"the key '{key}' names the output {shown(os.fsencode(named))}, which {refused}"
    raise InputError(fact, path, f"give {option(key)} on the command line")


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
    made = _READ[kind](value)
    if made is None:
        raise InputError(
            f"the key '{key}' is not {described(kind)}", path, f"expected {_EXAMPLES[kind].format(key=key)}"
        )
    return made


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


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: Any) -> str | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST
    return str(value) if whole else None


def _number(value: Any) -> str | None:
    return decimal(value) if isinstance(value, float) else _whole(value)


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _checked_by(kind: Conditions) -> Callable[[Any], tuple[str, ...] | None]:
    """As Python takes it; None for what it refuses."""

    def read(value: Any) -> tuple[str, ...] | None:
        try:
            return kind.check(value)
        except ValueError:
            return None

    return read


_READ = {
    TEXT: _text,
    WHOLE: _whole,
    NUMBER: _number,
    FLAG: _flag,
    TEXTS: _checked_by(Conditions("")),
    LIMITS: _checked_by(Limits("")),
}


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
