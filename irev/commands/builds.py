"""Builds: results that are kept in a log, a folder, each with the time, commit and branch it is of.

A log is what `irev trend` reads. Each entry is a record as `irev.evaluation.record` makes it, with a key ``build``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

from irev.base.directions import Direction
from irev.base.errors import InputError, UsageError, option, shown
from irev.base.exit import at_a_signal
from irev.base.settings import SAME, value_shown
from irev.base.text import encoded
from irev.commands.shared import FACTS, utc
from irev.evaluation import saved
from irev.evaluation.record import RecordValue, content, is_record, record
from irev.evaluation.result import Result
from irev.measures import Request
from irev.reading.formats import head_of
from irev.reading.sources import Source

APART = f"leave one of the two out: move its file, or keep it in another {option('log')}"

LONGEST = 60
"""Characters of settings that a message shows."""

AGAIN = "give results from `irev eval --log`, `irev check --log` or `irev eval -q -f json`"

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
    last = next(_in_folder(log, _say_nothing, newest_first=True), None) if os.path.isdir(log) else None
    shared([build] if last is None else [last, build])
    facts = {name: getattr(build, name) for name in FACTS}
    text = json.dumps({**record(build.result), "build": facts}, allow_nan=False, default=dict)
    try:
        os.makedirs(log, exist_ok=True)
        _write_new(log, re.sub("[^0-9TZ]", "", build.time), re.sub("[^0-9A-Za-z]", "", build.commit)[:12], text)
    except OSError as error:
        raise InputError(f"the log cannot be written ({error.strerror})", log, "name a folder") from None


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


def _records(folder: str) -> list[str]:
    """The files of a folder that have records: those of a log as they came, others in the order of their names."""
    names = (name for name in os.listdir(folder) if ".json" in name and not name.startswith("."))
    return sorted(names, key=_in_order)


def _in_order(name: str) -> tuple[str, int, str]:
    """What orders the files of a log: their time, and their number among those of that time."""
    found = re.match(r"(\d+T\d+Z)(?:\.(\d+))?", name)
    return (found[1], int(found[2] or 0), name) if found else (name, 0, name)


def builds_in(paths: Sequence[str], warn: Warn, better: Mapping[str, Direction]) -> list[Build]:
    """The builds that files and folders have, by their times where all of them have one.

    A file may also have values that another program computed: it is a build without a time.

    `warn` is told which files of folders are left out. `better` says which value is the better one, of measures that
    irev does not know.

    Raises
    ------
    InputError
        For a file that is not a record of results, one without the values of single queries, and a folder without a
        build.
    """
    found: list[Build] = []
    for path in paths:
        if os.path.isdir(path):
            if not (builds := [*_in_folder(path, warn)]):
                raise InputError("there are no results in this folder", path, AGAIN)
            found += builds
        else:
            with Source(path) as source:
                if is_record(head_of(source)) or not saved.has_values(source):
                    found.append(_build(content(source, AGAIN), source.name))
                else:
                    found.append(Build(source.name, saved.read(source, better=better, warn=warn)))
    return sorted(found, key=lambda build: build.time) if all(build.time for build in found) else found


def _in_folder(folder: str, warn: Warn, newest_first: bool = False) -> Iterator[Build]:
    """The builds of a folder.

    A file that is not JSON is left out: a build may be writing it, or was killed while it wrote. So is a pipe.
    """
    for name in _records(folder)[:: -1 if newest_first else 1]:
        path = os.path.join(folder, name)
        try:
            if not os.path.isfile(path):  # to open a pipe is to wait for whoever writes to it
                raise InputError("this is not a regular file", path)
            with Source(path) as source:
                plain = content(source, AGAIN)
        except InputError as error:
            warn(f"{error.place}: {error.fact}; the file is left out")
            continue
        yield _build(plain, source.name)


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
