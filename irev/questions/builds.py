"""Builds: results that are kept in a log, a folder or a SQLite file, each with the time, commit and branch it is of.

A log is what `irev trend` reads. Each entry is a record as `irev.evaluation.record` makes it, with a key ``build``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from irev.errors import InputError, option
from irev.evaluation import saved
from irev.evaluation.record import RecordValue, content, record
from irev.evaluation.result import Result
from irev.questions.logged import FACTS, utc
from irev.reading.sources import Source

if TYPE_CHECKING:
    import sqlite3

SQLITE = "sqlite:"
"""How the name of a log begins that is a SQLite file."""

WAIT = 60.0
"""Seconds to wait for another build that writes to the same SQLite file."""

AGAIN = "give results from `irev eval --log`, `irev check --log` or `irev eval -q -f json`"

VARIABLES = {
    "commit": ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "CIRCLE_SHA1", "BUILD_SOURCEVERSION"),
    "branch": ("GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "GIT_BRANCH", "CIRCLE_BRANCH", "BUILD_SOURCEBRANCHNAME"),
}
"""The variables by which GitHub, GitLab, Jenkins, CircleCI and Azure tell a build what it is of."""


class Build(NamedTuple):
    """A result, and the build that it is of.

    Attributes
    ----------
    name : str
        The file, or the entry of a log, that has it.
    result : Result
    time : str
        ISO 8601 in UTC; empty where it is not known.
    commit, branch : str
        Empty where they are not known.
    """

    name: str
    result: Result
    time: str = ""
    commit: str = ""
    branch: str = ""


def facts_of(said: Iterable[str], environ: Mapping[str, str]) -> dict[str, str]:
    """Time, commit and branch: what was said of each, or else what the variables of a CI service say, and now."""
    epoch = environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    found = {"time": now.isoformat()}
    for name, variables in VARIABLES.items():
        found[name] = next((environ[each] for each in variables if environ.get(each)), "")
    found |= dict(each.split("=", 1) for each in said)
    return found | {"time": utc(found["time"])}


def build_of(result: Result, said: Iterable[str], environ: Mapping[str, str] = os.environ) -> Build:
    """The build that a result is of."""
    return Build("this build", replace(result, per_query=True, summarised=True), **facts_of(said, environ))


def keep(log: str, build: Build) -> None:
    """Add a build to a log, which is made where there is none. Builds that write at the same time lose nothing."""
    facts = {name: getattr(build, name) for name in FACTS}
    text = json.dumps({**record(build.result), "build": facts}, allow_nan=False, default=dict)
    try:
        if log.startswith(SQLITE):
            import sqlite3

            try:
                with closing(sqlite3.connect(log.removeprefix(SQLITE), timeout=WAIT)) as base, base:
                    base.execute("PRAGMA journal_mode = WAL")
                    base.execute(
                        "CREATE TABLE IF NOT EXISTS builds"
                        " (id INTEGER PRIMARY KEY, time TEXT, commit_id TEXT, branch TEXT, record TEXT NOT NULL)"
                    )
                    row = (*facts.values(), text)
                    base.execute("INSERT INTO builds (time, commit_id, branch, record) VALUES (?, ?, ?, ?)", row)
            except sqlite3.Error as error:
                raise _unusable(log, error) from None
        else:
            os.makedirs(log, exist_ok=True)
            _write_new(log, re.sub("[^0-9TZ]", "", build.time), re.sub("[^0-9A-Za-z]", "", build.commit)[:12], text)
    except OSError as error:
        raise InputError(
            f"the log cannot be written ({error.strerror})", log, "name a folder, or sqlite:FILE"
        ) from None


def _write_new(folder: str, time: str, commit: str, text: str) -> None:
    """Write a file that is not there yet: whole, or not at all."""
    from irev.base.text import encoded

    name = "-".join(filter(None, (time, commit)))
    partial = os.path.join(folder, f".{name}.{os.getpid()}.partial")
    try:
        with open(partial, "wb") as file:
            file.write(encoded(text))
        for more in range(10_000):
            try:
                os.link(partial, os.path.join(folder, f"{name}{f'-{more}' if more else ''}.json"))
                return
            except FileExistsError:
                continue
        raise InputError(f"there are 10,000 builds called {name}", folder, f"say another {option('build')} commit=…")
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def builds_of_log(log: str) -> list[Build]:
    """The builds that a log has; none where it is not there yet."""
    empty = os.path.isdir(log) and not _records(log)
    return builds_in([log]) if os.path.exists(log.removeprefix(SQLITE)) and not empty else []


def _records(folder: str) -> list[str]:
    """The files of a folder that have records, in the order of their names."""
    return sorted(name for name in os.listdir(folder) if ".json" in name and not name.startswith("."))


def builds_in(paths: Sequence[str]) -> list[Build]:
    """The builds that files, folders and SQLite files have, by their times where all of them have one.

    Raises
    ------
    InputError
        For a file that is not a record of results, one without the values of single queries, and a folder or a SQLite
        file without a build.
    """
    found: list[Build] = []
    for path in paths:
        if path.startswith(SQLITE):
            found += _in_sqlite(path)
        elif os.path.isdir(path):
            if not (files := _records(path)):
                raise InputError("there are no results in this folder", path, AGAIN)
            found += [_in_file(os.path.join(path, name)) for name in files]
        else:
            found.append(_in_file(path))
    return sorted(found, key=lambda build: build.time) if all(build.time for build in found) else found


def _in_file(path: str) -> Build:
    with Source(path) as source:
        return _build(content(source, AGAIN), source.name)


def _in_sqlite(path: str) -> list[Build]:
    import sqlite3

    file = path.removeprefix(SQLITE)
    if not os.path.isfile(file):
        raise InputError("there is no such file", path, f"{option('log')} {path} creates it")
    try:
        with closing(sqlite3.connect(f"file:{quote(os.path.abspath(file))}?mode=ro", timeout=WAIT, uri=True)) as base:
            rows = base.execute("SELECT id, record FROM builds ORDER BY id").fetchall()
    except sqlite3.Error as error:
        raise _unusable(path, error) from None
    if not rows:
        raise InputError("there are no results in this file", path, AGAIN)
    found = []
    for number, text in rows:
        name = f"{path}, build {number}"
        try:
            plain = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise InputError("this is not JSON", name, AGAIN) from None
        found.append(_build(plain, name))
    return found


def _unusable(path: str, error: sqlite3.Error) -> InputError:
    return InputError(f"this is not an SQLite log, or it cannot be used ({error})", path, AGAIN)


def _build(plain: Any, name: str) -> Build:
    """The build that a record is of, which may be anything."""
    result = saved.restored(plain, name, AGAIN)
    saved.require_queries(result, name)
    if "build" not in plain:
        return Build(name, result)
    about = RecordValue(plain, "", name, AGAIN)["build"]
    facts = {fact: about[fact].text() for fact in FACTS if fact in about}
    if time := facts.get("time"):
        try:
            facts["time"] = utc(time)
        except ValueError as error:
            raise InputError(str(error), name, AGAIN) from None
    return Build(name, result, **facts)
