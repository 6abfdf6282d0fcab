"""Lists: ids, one on each line, as in a file of queries to evaluate; paths of runs; and groups of queries."""

from __future__ import annotations

import os

from irev.errors import InputError, Problem, ProblemError, UnreachableError, shown
from irev.reading.fields import too_long
from irev.reading.limits import LONGEST
from irev.reading.sources import STANDARD_INPUT, Source
from irev.reading.urls import is_url


def read_ids(source: Source) -> list[bytes]:
    """The id in every line, in order: what stands before a tab, where there is one, or else the first field.

    What follows it, such as the text of a topic, is ignored.

    Raises
    ------
    ProblemError
        For an id that stands twice, and for a line that is too long.
    InputError
        For a file without ids.
    """
    found: dict[bytes, int] = {}
    for number, line in enumerate(source.content().split(b"\n"), start=1):
        if len(line) > LONGEST:
            raise ProblemError(source.name, too_long(number))
        line = line.strip(b" \r\v\f")
        before, tab, _ = line.partition(b"\t")
        name = before.strip() if tab and before else line.split(None, 1)[0] if line.strip() else b""
        if name in found:
            fact = f"{shown(name)} stands twice"
            raise ProblemError(source.name, Problem(number, "E107", fact, "keep one of the two lines", found[name]))
        if name:
            found[name] = number
    if not found:
        raise InputError("the file lists no ids", source.name, "expected one on each line")
    return list(found)


def read_lines(source: Source) -> list[tuple[int, bytes]]:
    """The lines that are not blank, in order, with their numbers and without blanks around them."""
    lines = (line.strip() for line in source.content().split(b"\n"))
    return [(number, line) for number, line in enumerate(lines, start=1) if line]


def paths_in(path: str) -> list[str]:
    """The paths of runs that a file lists, one on each line.

    Raises
    ------
    InputError
        When there are none, and for one that is not there, with its line.
    """
    with Source(path) as source:
        listed = [(number, os.fsdecode(line)) for number, line in read_lines(source)]
    if not listed:
        raise InputError("the file lists no runs", path, "expected a path on each line")
    for number, run in listed:
        if run != STANDARD_INPUT and not is_url(run) and not os.path.exists(run):
            fact = f"there is no file {shown(os.fsencode(run))}"
            raise InputError(fact, f"{path}:{number}", "paths in a list are meant from the folder that irev is run in")
    return [run for _, run in listed]


def runs_named(argument: str, partitioned: bool = False) -> list[str]:
    """The paths of the runs that an argument stands for: those that ``@LIST`` lists, the files in a folder, or itself.

    As a `partitioned`, a folder or a pattern is one run.

    Of a folder, files count whose names do not begin with a dot, as in ``FOLDER/*``, in the order of their names. A
    pattern such as ``runs/*.parquet`` that a shell did not expand, and that is the name of no file, is expanded here.

    Raises
    ------
    InputError
        For a list as `paths_in` does; for a folder without files, and for one with folders in it; for a pattern that
        nothing matches.
    """
    if argument.startswith("@"):
        return paths_in(argument[1:])
    if partitioned:
        return [argument]
    if any(mark in argument for mark in "*?[") and not is_url(argument) and not os.path.lexists(argument):
        from glob import glob

        matching = sorted(path for path in glob(argument, recursive=True) if not os.path.isdir(path))
        if not matching and ("*" in argument or "?" in argument):
            raise InputError("no file matches this", argument, "expected runs")
        return matching or [argument]
    if not os.path.isdir(argument):
        return [argument]
    try:
        names = sorted(os.listdir(argument))
    except OSError as error:
        raise UnreachableError(f"cannot be read ({error.strerror or error})", argument) from None
    inside = [os.path.join(argument, name) for name in names if not name.startswith(".")]
    for path in inside:
        if os.path.isdir(path):
            fact = f"there is a folder in it, {shown(os.fsencode(path))}"
            raise InputError(fact, argument, "runs are read from one folder; name the files themselves")
    if not inside:
        raise InputError("there are no files in this folder", argument, "expected runs")
    return inside


def read_groups(source: Source, of: str = "query") -> dict[bytes, bytes]:
    """The group of each query: lines of two columns with a tab between them, or a JSON object ``{"query": "group"}``.

    Or of each run, or whatever else `of` says.

    Raises
    ------
    ProblemError
        For a line without two columns, and a query that stands in two groups.
    InputError
        For a file without groups, and one that begins as JSON and is none.
    """
    content = source.content()
    if content.lstrip().startswith(b"{"):
        return _groups_of_json(content, source.name, of)
    groups: dict[bytes, bytes] = {}
    first: dict[bytes, int] = {}
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        query, _, group = (part.strip() for part in line.rstrip(b"\r").partition(b"\t"))
        if not (query and group) or b"\t" in group:
            fact = f"expected a {of}, a tab and its group, found {shown(line)}"
            raise ProblemError(
                source.name, Problem(number, "E101", fact, "write the two in a line, a tab between them")
            )
        if query in groups:
            fact = f"{of} {shown(query)} stands twice"
            raise ProblemError(source.name, Problem(number, "E107", fact, "keep one of the two lines", first[query]))
        groups[query], first[query] = group, number
    if not groups:
        raise InputError("the file lists no groups", source.name, f"expected a {of}, a tab and its group on each line")
    return groups


def _groups_of_json(content: bytes, name: str, of: str) -> dict[bytes, bytes]:
    import json

    expected = f'expected {{"{of}": "group"}}'

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for query, group in pairs:
            if query in found:
                raise InputError(f"{of} '{query}' stands twice", name, "keep one of the two")
            found[query] = group
        return found

    try:
        read = json.loads(content, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no JSON ({error})", name, expected) from None
    for query, group in read.items():
        if not isinstance(group, str) or not group:
            raise InputError(f"the group of {of} '{query}' is no text", name, expected)
    if not read:
        raise InputError("the file lists no groups", name, expected)
    return {q.encode("utf-8", "surrogatepass"): g.encode("utf-8", "surrogatepass") for q, g in read.items()}
