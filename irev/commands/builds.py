"""Builds: results that are kept in a log, a folder or a SQLite file, each with the time, commit and branch it is of.

A log is what `irev trend` reads. Each entry is a record as `irev.evaluation.record` makes it, with a key ``build``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import quote

from irev.base.directions import Direction
from irev.base.errors import InputError, UsageError, option, shown
from irev.base.exit import at_a_signal
from irev.base.text import encoded
from irev.commands.check.baseline import SAME, value_shown
from irev.commands.shared import FACTS, SQLITE, utc
from irev.evaluation import saved
from irev.evaluation.record import RecordValue, content, is_record, record
from irev.evaluation.result import Result
from irev.measures import Request
from irev.reading.formats import head_of
from irev.reading.sources import Source

if TYPE_CHECKING:
    import sqlite3

APART = f"leave one of the two out: move its file, delete its row, or keep it in another {option('log')}"

LONGEST = 60
"""Characters of settings that a message shows."""

WAIT = 60.0
"""Seconds to wait for another build that writes to the same SQLite file."""

AGAIN = "give results from `irev eval --log`, `irev check --log` or `irev eval -q -f json`"

_TABLE = "CREATE TABLE builds (id INTEGER PRIMARY KEY, time TEXT, commit_id TEXT, branch TEXT, record TEXT NOT NULL)"
"""What makes the table of a log in SQLite, as the file has it too: by this a log is told from other databases."""

VARIABLES = {
    "commit": ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "CIRCLE_SHA1", "BUILD_SOURCEVERSION"),
    "branch": ("GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "GIT_BRANCH", "CIRCLE_BRANCH", "BUILD_SOURCEBRANCHNAME"),
}
"""The variables by which GitHub, GitLab, Jenkins, CircleCI and Azure tell a build what it is of."""


Warn: TypeAlias = Callable[[str], object]


def _say_nothing(message: str) -> None:
    """Warn nobody."""


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


def facts_of(environ: Mapping[str, str]) -> dict[str, str]:
    """Time, commit and branch, as the variables of a CI service say; now, unless SOURCE_DATE_EPOCH says the time."""
    epoch = environ.get("SOURCE_DATE_EPOCH", "")
    try:
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        fact = f"SOURCE_DATE_EPOCH is not a time in seconds: {shown(os.fsencode(epoch))}"
        raise UsageError(fact, remedy="unset it, or set a number such as 1772323200") from None
    found = {"time": now.isoformat()}
    for name, variables in VARIABLES.items():
        found[name] = next((environ[each] for each in variables if environ.get(each)), "")
    for name, value in found.items():
        try:
            value.encode()
        except UnicodeEncodeError:
            fact = f"the {name} of this build is not UTF-8: {shown(os.fsencode(value))}"
            remedy = f"set {next(each for each in VARIABLES[name] if environ.get(each))} to another"
            raise UsageError(fact, remedy=remedy) from None
    return found | {"time": utc(found["time"])}


def build_of(result: Result, environ: Mapping[str, str] = os.environ) -> Build:
    """The build that a result is of."""
    return Build("this build", replace(result, per_query=True, summarised=True), **facts_of(environ))


def keep(log: str, build: Build) -> None:
    """Add a build to a log, which is made where there is none. Builds that write at the same time lose nothing.

    Raises
    ------
    InputError
        For a build that `irev trend` could not show with the last one of the log, and a log that cannot be used.
    """
    shared((*builds_of_log(log, last=True), build))
    facts = {name: getattr(build, name) for name in FACTS}
    text = json.dumps({**record(build.result), "build": facts}, allow_nan=False, default=dict)
    try:
        if log.startswith(SQLITE):
            import sqlite3

            try:
                with closing(sqlite3.connect(log.removeprefix(SQLITE), timeout=WAIT)) as base, base:
                    base.execute("BEGIN IMMEDIATE")
                    if not _tables(base):
                        base.execute(_TABLE)
                    elif _TABLE not in _tables(base):
                        raise InputError("this database is not a log of builds", log, "name another file")
                    row = (*facts.values(), text)
                    base.execute("INSERT INTO builds (time, commit_id, branch, record) VALUES (?, ?, ?, ?)", row)
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise _unusable(log, error) from None
        else:
            os.makedirs(log, exist_ok=True)
            _write_new(log, re.sub("[^0-9TZ]", "", build.time), re.sub("[^0-9A-Za-z]", "", build.commit)[:12], text)
    except OSError as error:
        raise InputError(
            f"the log cannot be written ({error.strerror})", log, "name a folder, or sqlite:FILE"
        ) from None


def _write_new(folder: str, time: str, commit: str, text: str) -> None:
    """Write a file that is not there yet: whole, or not at all. Those of one time are numbered as they come."""
    made = [os.path.join(folder, f".{os.urandom(8).hex()}.partial")]
    with at_a_signal(lambda: _remove(made)):
        try:
            with open(made[0], "xb") as file:
                file.write(encoded(text))
            while True:
                there = [more for named, more, _ in map(_in_order, _records(folder)) if named == time]
                number = f".{max(there) + 1}" if there else ""
                target = os.path.join(folder, "-".join(filter(None, (f"{time}{number}", commit))) + ".json")
                try:
                    # An empty file takes the name, since some file systems have no links.
                    open(target, "xb").close()
                except FileExistsError:  # another build took the name meanwhile
                    continue
                made.append(target)
                os.replace(made[0], target)
                return
        except BaseException:
            _remove(made)
            raise


def _remove(files: Iterable[str]) -> None:
    for file in files:
        with suppress(OSError):
            os.remove(file)


def builds_of_log(log: str, last: bool = False, warn: Warn = _say_nothing) -> list[Build]:
    """The builds that a log has, or the last that came; none where it is not there yet."""
    file = log.removeprefix(SQLITE)
    if not os.path.exists(file) or (file != log and not os.path.getsize(file)):
        return []
    if os.path.isdir(log) and log == file:
        return _in_order_of_time(_in_folder(log, last, warn))
    return builds_in([log], last)


def _records(folder: str) -> list[str]:
    """The files of a folder that have records: those of a log as they came, others in the order of their names."""
    names = (name for name in os.listdir(folder) if ".json" in name and not name.startswith("."))
    return sorted(names, key=_in_order)


def _in_order(name: str) -> tuple[str, int, str]:
    """What orders the files of a log: their time, and their number among those of that time."""
    found = re.match(r"(\d+T\d+Z)(?:\.(\d+))?", name)
    return (found[1], int(found[2] or 0), name) if found else (name, 0, name)


def builds_in(
    paths: Sequence[str],
    last: bool = False,
    warn: Warn = _say_nothing,
    better: Mapping[str, Direction] | None = None,
) -> list[Build]:
    """The builds that files, folders and SQLite files have, by their times where all of them have one.

    A file may also have values that another program computed: it is a build without a time.

    `last` is for the one that a SQLite file had last. `warn` is told which files of folders are left out. `better` says
    which value is the better one, of measures that irev does not know.

    Raises
    ------
    InputError
        For a file that is not a record of results, one without the values of single queries, and a folder or a SQLite
        file without a build.
    """
    found: list[Build] = []
    for path in paths:
        if path.startswith(SQLITE):
            found += _in_sqlite(path, last)
        elif os.path.isdir(path):
            if not (builds := _in_folder(path, last, warn)):
                raise InputError("there are no results in this folder", path, AGAIN)
            found += builds
        else:
            with Source(path) as source:
                if is_record(head_of(source)) or not saved.has_values(source):
                    found.append(_build(content(source, AGAIN), source.name))
                else:
                    found.append(Build(source.name, saved.read(source, better=better, warn=warn)))
    return _in_order_of_time(found)


def _in_folder(folder: str, last: bool, warn: Warn) -> list[Build]:
    """The builds of a folder, or the last that came.

    A file that is not JSON is left out: a build may be writing it, or was killed while it wrote. So is a pipe.
    """
    found: list[Build] = []
    for name in _records(folder)[:: -1 if last else 1]:
        path = os.path.join(folder, name)
        try:
            if not os.path.isfile(path):  # to open a pipe is to wait for whoever writes to it
                raise InputError("this is not a regular file", path)
            with Source(path) as source:
                plain = content(source, AGAIN)
        except InputError as error:
            warn(f"{error.place}: {error.fact}; the file is left out")
            continue
        found.append(_build(plain, source.name))
        if last:
            break
    return found


def _in_order_of_time(builds: list[Build]) -> list[Build]:
    """The builds by their times, where all have one."""
    return sorted(builds, key=lambda build: build.time) if all(build.time for build in builds) else builds


def _in_sqlite(path: str, last: bool) -> list[Build]:
    import sqlite3

    file = path.removeprefix(SQLITE)
    if not os.path.isfile(file):
        raise InputError("there is no such file", path, f"{option('log')} {path} creates it")
    try:
        # A database in WAL makes files beside it even to be read, unless it is said to stay as it is.
        with open(file, "rb") as head:
            still = head.read(20)[18:] == b"\2\2" and not os.path.exists(f"{file}-wal")
        name = f"file:{quote(os.path.abspath(file))}?{'immutable=1' if still else 'mode=ro'}"
        with closing(sqlite3.connect(name, timeout=WAIT, uri=True)) as base:
            if _TABLE not in _tables(base):
                raise InputError("this database is not a log of builds", path, AGAIN)
            which = "WHERE id = (SELECT max(id) FROM builds)" if last else "ORDER BY id"
            rows = base.execute(f"SELECT id, record FROM builds {which}").fetchall()
    except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
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


def shared(builds: Sequence[Build]) -> tuple[list[str], list[Request]]:
    """The runs and the measures that all builds have; no run where each has one, whatever it is called.

    Raises
    ------
    InputError
        For builds that were evaluated with different settings, and builds that have no run or measure in common.
    """
    first, last = builds[0], builds[-1]
    alone = all(len(build.result.outcomes) == 1 for build in builds)
    runs = [outcome.run for outcome in last.result.outcomes]
    requests = [each.base for each in last.result.requests if each.measure.numeric]
    for build in builds:
        for setting in SAME if _known(first) and _known(build) else ():
            then, now = getattr(first.result.settings, setting), getattr(build.result.settings, setting)
            if then != now:
                values = f" ({value_shown(then)}, not {value_shown(now)})" if len(f"{then}{now}") < LONGEST else ""
                fact = f"{first.name} was made with another {setting.replace('_', '-')}{values}"
                raise InputError(fact, build.name, APART)
        if build.result.several_qrels:
            raise InputError("there are results under several sets of judgments", build.name, "keep one of them")
        runs = [run for run in runs if run in {each.run for each in build.result.outcomes}]
        requests = [each for each in requests if each in {other.base for other in build.result.requests}]
        if not requests:
            raise InputError(f"it has no measure in common with {last.name}", build.name, APART)
        if not runs and not alone:
            fact = f"it has no run in common with {last.name}; runs are matched by their names"
            raise InputError(fact, build.name, "give the run the same name in every build, NAME=RUN")
    return [] if alone else runs, [*dict.fromkeys(requests)]


def _known(build: Build) -> bool:
    """Whether irev evaluated the runs of a build, so that it is known how."""
    return all(outcome.facts.known for outcome in build.result.outcomes)


def _tables(base: sqlite3.Connection) -> list[str]:
    """What made the tables of a database."""
    return [made for (made,) in base.execute("SELECT sql FROM sqlite_master WHERE type = 'table'")]


def _unusable(path: str, error: Exception) -> InputError:
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
