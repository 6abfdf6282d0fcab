"""Configuration files of ``irev check``: ``irev.toml``, or the table ``[tool.irev]`` of a ``pyproject.toml``.

A key is called like the option that it stands for. Paths are meant from the folder of the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from irev.base.kinds import Flag, Grade, Whole
from irev.base.registry import did_you_mean
from irev.base.settings import ABOUT, COLUMNS, RENAMED
from irev.errors import InputError, decimal, shown
from irev.reading.datasets import is_dataset
from irev.reading.limits import CONFIGURATION, DEEPEST
from irev.reading.sources import STANDARD_INPUT, Source

NAMES = ("irev.toml", "pyproject.toml")
"""Files that are looked for where none is named."""

TEXT, WHOLE, NUMBER, FLAG, TEXTS, LIMITS = "a text", "a whole number", "a number", "true or false", "texts", "limits"


def _kind(setting: str) -> str:
    """What the value of the key of a setting is: numbers and flags as such, all else as its option has it."""
    kinds = {Flag: FLAG, Grade: NUMBER, Whole: WHOLE}
    return kinds.get(type(ABOUT[setting].kind), TEXT)


KEYS = {
    "qrels": (TEXT, "file of judgments"),
    "runs": (TEXTS, "files of runs; `@FILE` stands for those that a file lists"),
    "name": (TEXTS, "what to call the runs"),
    "measure": (TEXTS, "measures to show beside those of conditions"),
    "min": (LIMITS, "lowest value that is allowed"),
    "max": (LIMITS, "highest value that is allowed"),
    "every-query": (TEXTS, "what must hold for every query, such as `RR>0`"),
    "baseline": (TEXT, "saved result to compare with"),
    "baseline-run": (TEXT, "run to compare with"),
    "max-drop": (LIMITS, "largest drop that is allowed, as a number or as a share such as `2%`"),
    "no-worse-than": (LIMITS, "loss that the run must be shown not to have"),
    "max-query-losses": (LIMITS, "how many queries may lose"),
    "max-share-losing": (LIMITS, 'share of all queries that may lose more, such as `"nDCG@10>0.2" = "2%"`'),
    "significant": (NUMBER, "level at which a drop must be shown to be larger than is allowed to fail"),
    "any-drop": (FLAG, "show that there is any drop, where the measured one is larger than is allowed"),
    "undecided": (TEXT, "what a condition counts as that cannot be told, `fail` or `pass`"),
    "test": (TEXT, "paired test"),
    "correction": (TEXT, "how p-values are corrected over conditions"),
    "samples": (WHOLE, "samples of tests that draw them"),
    "seed": (WHOLE, "random seed"),
    "allow-changed-qrels": (FLAG, "compare although the judgments are not those of the baseline"),
    "groups": (TEXT, "file of groups of queries"),
    **{
        name.replace("_", "-"): (_kind(name), ABOUT[name].says)
        for name in (
            *(
                "queries",
                "level",
                "depth",
                "judged_only",
                "collection_size",
                "gains",
                "costs",
                "compat",
                "order",
                "ties",
            ),
            *(
                "duplicates",
                "negative",
                "drop_self",
                "allow_large",
                "partitioned",
                "qrels_format",
                "run_format",
                *COLUMNS,
            ),
        )
    },
    "report": (TEXT, "file for a page with the reasons and the runs"),
    "junit": (TEXT, "file for a JUnit report"),
    "tap": (TEXT, "file for a TAP report"),
    "comment": (TEXT, "file for a comment on a pull request"),
    "markdown-summary": (TEXT, "file for the Markdown of the step summary"),
    "gitlab-metrics": (TEXT, "file for GitLab's metrics report"),
    "gitlab-quality": (TEXT, "file for GitLab's code quality report"),
    "titles": (TEXT, "file of texts of queries"),
    "documents": (TEXT, "file of texts of documents"),
    "digits": (WHOLE, "digits after the decimal point"),
}
"""Every key: what its value is, and what it says."""

_PATHS = (
    *("qrels", "runs", "baseline", "baseline-run", "groups", "titles", "documents", "costs"),
    *("report", "junit", "tap", "comment", "markdown-summary", "gitlab-metrics", "gitlab-quality"),
)
_WORDS = ("both", "qrels", "run")


def read(path: str) -> dict[str, Any]:
    """The keys of a file and what they are set to, texts as an option would be given them, lists as tuples.

    Raises
    ------
    InputError
        For a file that is no TOML, a table that is not there, a key that does not exist, and a value of another kind.
    """
    try:
        found = _parsed(path, "utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is no text in UTF-8, as TOML is", path) from None
    except (ValueError, RecursionError) as error:  # a number may have too many digits
        raise InputError(f"this is no TOML ({error})", path, "mend the line") from None
    if os.path.basename(path) == "pyproject.toml":
        table = _table(found)
        if table is None:
            raise InputError("there is no table [tool.irev]", path, "add it, or name an irev.toml")
        found = dict(table)
    folder = os.path.dirname(path)
    return {key: _located(key, _checked(key, value, path), folder) for key, value in found.items()}


_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)"""
_NEXT = rf"[ \t]*\.[ \t]*{_PART}"
_TOKEN = (
    r"#[^\n]*"
    r'|"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    rf"|{_PART}(?:{_NEXT}){{0,{DEEPEST - 1}}}(?P<more>{_NEXT})?"
)
"""A comment, a text of several lines, a key with its parts, or another value; what is not closed goes on to the end."""


def _parsed(path: str, encoding: str) -> dict[str, Any]:
    """What a file says. Raises `ValueError` or `RecursionError` for one that is no TOML."""
    import tomllib

    with Source(path) as source:
        text = source.content(CONFIGURATION).decode(encoding)
    for token in re.finditer(_TOKEN, text, re.ASCII | re.DOTALL):
        if token["more"]:
            place = f"{path}:{text.count(chr(10), 0, token.start()) + 1}"
            raise InputError(f"a key has more than {DEEPEST} parts", place, "is it the file that was meant?")
    return tomllib.loads(text)


def require_there(path: str, key: str, named: str, more: str = "") -> None:
    """Raise `InputError` for a key of the file `path` that names a file, where there is none.

    Its remedy ends with `more`.
    """
    if named != STANDARD_INPUT and not is_dataset(named) and not os.path.exists(named):
        fact = f"the key '{key}' names {shown(os.fsencode(named))}, and there is no such file"
        raise InputError(fact, path, f"paths are meant from the folder of this file{more}")


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
            if _table(_parsed(path, "utf-8")) is not None:
                return path
        except (InputError, ValueError, RecursionError):
            continue  # a file that is somebody else's, and that nobody named
    return None


def _checked(key: str, value: Any, path: str) -> Any:
    if key not in KEYS:
        now = RENAMED.get(key)
        near = f"it is called '{now}' now" if now in KEYS else did_you_mean(key, KEYS, f"there are {', '.join(KEYS)}")
        raise InputError(f"there is no key '{key}'", path, near)
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


_LARGEST = 1 << 63
"""Of whole numbers, which TOML allows this size; longer ones could not even be written."""


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: Any) -> str | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST
    return str(value) if whole else None


def _number(value: Any) -> str | None:
    return decimal(value) if isinstance(value, float) else _whole(value)


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def texts(value: Any) -> tuple[str, ...] | None:
    """Texts, of one or a list of them; None for anything else."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(text, str) for text in listed):
        return None
    return tuple(listed)


def limits(value: Any) -> tuple[str, ...] | None:
    """Conditions as texts, from a table of measures and values, a list of texts, or one value alone; or None."""
    if isinstance(value, Mapping):
        numbers = {name: _text(limit) or _number(limit) for name, limit in value.items()}
        return None if None in numbers.values() else tuple(f"{name}={limit}" for name, limit in numbers.items())
    if (number := _number(value)) is not None:
        return (number,)
    return texts(value)


_READ = {TEXT: _text, WHOLE: _whole, NUMBER: _number, FLAG: _flag, TEXTS: texts, LIMITS: limits}


def _located(key: str, value: Any, folder: str) -> Any:
    """Paths as they are meant from the folder of the file."""
    if key == "queries" and value not in _WORDS:
        return _in(folder, value)
    if key not in _PATHS:
        return value
    return _in(folder, value) if isinstance(value, str) else tuple(_in_all(folder, value))


def _in_all(folder: str, paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        yield f"@{_in(folder, path[1:])}" if path.startswith("@") else _in(folder, path)


def _in(folder: str, path: str) -> str:
    return path if path == STANDARD_INPUT or is_dataset(path) else os.path.join(folder, path)
