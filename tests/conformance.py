"""Holds any command that takes trec_eval's flags against recorded cases, of which every number is known.

    python tests/conformance.py trec_eval
    python tests/conformance.py -v --version 9.0.8 python benchmarks/adapter.py pytrec_eval

docs/conformance.md has the form of the cases, what a command has to do, and what came of some evaluators. The unit that
passes or fails is a measure in a case: a command that lacks a measure is judged by the others that it has.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

State = Literal["passed", "failed", "not offered"]
PASSED: State = "passed"
FAILED: State = "failed"
NOT_OFFERED: State = "not offered"

NOT_OFFERED_STATUS = 3
"""What a command ends with that has nothing like the flags or the measures; one that it lacks it names on standard
error."""

SAYS = "not offered: "

VERSIONS = ("10.0", "9.0.8")
SECTIONS = ("1_queries", "2_measures", "3_qrels", "4_runs", "7_alike")
"""The differences that concern whoever takes trec_eval's flags; the others are about irev's own, or other tools."""

FLAGS = frozenset("qcnmJlMN")
SECONDS = 120


class RecordedCase(NamedTuple):
    """A call, and what comes of it.

    Attributes
    ----------
    name : str
    section : str
        What rows of differences have in common; empty for recorded output.
    flags : tuple of str
    files : dict of str to bytes
        What the call reads, by the names that stand in `called`.
    called : tuple of str
        The judgments and the run.
    lines : tuple of str or None
        What is printed, each line as its fields with one blank between them; None where the call is to be refused.
    """

    name: str
    section: str
    flags: tuple[str, ...]
    files: dict[str, bytes]
    called: tuple[str, str]
    lines: tuple[str, ...] | None


class TriedMeasure(NamedTuple):
    """One measure of a case, or all of it where it prints none: what became of it."""

    case: RecordedCase
    group: str
    state: State
    missing: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()
    said: str = ""


def cases(folder: Path, version: str, recorded_alone: bool = False) -> Iterator[RecordedCase]:
    """The cases in a folder, as a version of trec_eval has them, or is documented to."""
    for path in sorted((folder / "golden").glob("*.json")):
        recorded = json.loads(path.read_text(encoding="utf-8"))
        found = recorded[f"trec_eval {version}"]
        if found is not None:
            files = {"qrels": path.with_suffix(".qrels").read_bytes(), "run": path.with_suffix(".run").read_bytes()}
            lines = None if found["exit"] else tuple(map(_fields, found["stdout"].splitlines()))
            yield RecordedCase(path.stem, "", tuple(recorded["flags"]), files, ("qrels", "run"), lines)
    for section in () if recorded_alone else SECTIONS:
        page = tomllib.loads((folder / "differences" / f"{section}.toml").read_text(encoding="utf-8"))
        for number, row in enumerate(page["row"], 1):
            for command in row["command"]:
                words = _plain(command["run"])
                if words is None or version != VERSIONS[0]:
                    continue
                files = {name: text.encode() for name, text in row.get("files", {}).items()}
                lines = None if command.get("status") else tuple(command.get("prints", ()))
                called = (words[-2], words[-1])
                yield RecordedCase(f"{section} row {number}", page["title"], tuple(words[:-2]), files, called, lines)


def _plain(run: str) -> list[str] | None:
    """The flags and files of a row that calls ``irev eval`` as trec_eval is called, and does nothing else."""
    if any(sign in run for sign in "|<>;$`'\"") or not run.startswith("irev eval "):
        return None
    words = shlex.split(run)[2:]
    plain = all(not word.startswith("-") or word[1:2] in FLAGS for word in words)
    return words if plain and not any(word.startswith("--") for word in words) else None


def _fields(line: str) -> str:
    """The fields of a line with a blank between them: how they are padded is nothing that numbers depend on."""
    return " ".join(line.split())


def tried(case: RecordedCase, command: Sequence[str]) -> list[TriedMeasure]:
    """What becomes of a case, measure by measure."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        for name, content in case.files.items():
            Path(folder, name).write_bytes(content)
        files = [str(Path(folder, name)) for name in case.called]
        try:
            done = subprocess.run(
                [*command, *case.flags, *files], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return [
                TriedMeasure(case, group, FAILED, said=f"not done after {SECONDS} s")
                for group in (("refused",) if case.lines is None else _groups(case.lines) or {"": []})
            ]
    said = done.stderr.decode("utf-8", "replace")
    if case.lines is None:
        refused = done.returncode > 0 and done.returncode != NOT_OFFERED_STATUS
        lacking = done.returncode == NOT_OFFERED_STATUS
        return [TriedMeasure(case, "refused", NOT_OFFERED if lacking else PASSED if refused else FAILED, said=said)]
    expected = _groups(case.lines) or {"": []}
    if done.returncode == NOT_OFFERED_STATUS:
        return [TriedMeasure(case, group, NOT_OFFERED) for group in expected]
    found = _groups(tuple(map(_fields, done.stdout.decode("utf-8", "replace").splitlines())))
    lacking_names = {line[len(SAYS) :].strip() for line in said.splitlines() if line.startswith(SAYS)}
    units = []
    for group in dict.fromkeys([*expected, *found]):
        lines, printed = sorted(expected.get(group, ())), sorted(found.get(group, ()))
        state: State = PASSED if lines == printed and not done.returncode else FAILED
        if group in lacking_names and not printed:
            state = NOT_OFFERED
        missing, odd = _beside(lines, printed), _beside(printed, lines)
        units.append(TriedMeasure(case, group, state, missing, odd, said if done.returncode else ""))
    return units


def _beside(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    known = {*others}
    return tuple(line for line in lines if line not in known)


def _groups(lines: Sequence[str]) -> dict[str, list[str]]:
    """Lines by the name of the measure that they are of."""
    found: dict[str, list[str]] = {}
    for line in lines:
        found.setdefault(_measure(line.partition(" ")[0]), []).append(line)
    return found


_KNOWN: dict[str, str] = {}


def _measure(label: str) -> str:
    """The measure that a label is of; the label itself where there is none."""
    if label not in _KNOWN:
        from irev.base.errors import UsageError
        from irev.measures import parse

        try:
            _KNOWN[label] = parse([label])[0].measure.name
        except UsageError:
            _KNOWN[label] = label
    return _KNOWN[label]


def family(unit: TriedMeasure) -> str:
    """The group of a unit: the family of its measure, or what the row of differences is about."""
    if unit.case.section:
        return f"Differences: {unit.case.section[0].lower()}{unit.case.section[1:]}"
    from irev.measures import MEASURES
    from irev.measures.pages import page

    return page(MEASURES[unit.group]).family if unit.group in MEASURES else "Refused"


def options(unit: TriedMeasure) -> str:
    """The other group of a unit: what its flags ask for beside measures."""
    letters = sorted({word[1] for word in unit.case.flags if word[:1] == "-" and word[1:2] in "cJlMN"})
    return " ".join(f"-{letter}" for letter in letters) or "none of these"


def counted(units: Sequence[TriedMeasure]) -> dict[str, dict[State, int]]:
    """How many units of each group passed, failed, and are not offered."""
    found: dict[str, dict[State, int]] = {}
    for unit in units:
        of_group = found.setdefault(family(unit), {PASSED: 0, FAILED: 0, NOT_OFFERED: 0})
        of_group[unit.state] += 1
    return dict(sorted(found.items(), key=lambda each: (each[0].startswith("Differences"), each[0])))


def _table(counts: Mapping[str, Mapping[State, int]]) -> Iterator[str]:
    states: tuple[State, ...] = (PASSED, FAILED, NOT_OFFERED)
    total = {state: sum(count[state] for count in counts.values()) for state in states}
    width = max(map(len, (*counts, "all")))
    yield f"{'':{width}}  passed  failed  not offered"
    for group, count in {**counts, "all": total}.items():
        yield f"{group:{width}}  {count[PASSED]:6}  {count[FAILED]:6}  {count[NOT_OFFERED]:11}"


def _told(unit: TriedMeasure) -> Iterator[str]:
    """A unit that failed: the call, the lines that are missing, and those that are there in their place."""
    from irev.base.errors import message

    yield message(f"{unit.case.name}: {unit.group or 'the call'}: {shlex.join(unit.case.flags)}")
    yield from (message(f"  - {line}") for line in unit.missing)
    yield from (message(f"  + {line}") for line in unit.odd)
    if unit.said:
        yield message(f"  said: {unit.said.strip().splitlines()[-1] if unit.said.strip() else ''}")


def _arguments(words: Sequence[str] | None) -> Any:
    parser = argparse.ArgumentParser(
        prog="python tests/conformance.py", description="Hold a command with trec_eval's flags against recorded cases."
    )
    default = Path(__file__).resolve().parent
    parser.add_argument("--cases", type=Path, default=default, metavar="FOLDER", help="the folder of the cases")
    parser.add_argument("--version", choices=VERSIONS, default=VERSIONS[0], help="the trec_eval that is meant")
    parser.add_argument("--recorded", action="store_true", help="leave out what is documented and was not recorded")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what failed, line by line")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts of each group to FILE")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command, with what stands before the flags")
    found = parser.parse_args(words)
    found.command = found.command[found.command[:1] == ["--"] :]
    if not found.command:
        parser.error("expected a command, such as trec_eval")
    if not (found.cases / "golden").is_dir() or not (found.cases / "differences").is_dir():
        parser.error(
            f"there are no cases in {found.cases}: they are in the folder tests of a checkout or source distribution"
            " of irev; name it with --cases"
        )
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Try a command: status 0 where nothing failed, 1 where anything did, 2 where it cannot be tried."""
    asked = _arguments(words)
    units: list[TriedMeasure] = []
    try:
        for case in cases(asked.cases, asked.version, asked.recorded):
            units += tried(case, asked.command)
    except OSError as error:
        return _unusable(asked.command[0], error)
    failed = [unit for unit in units if unit.state == FAILED]
    counts = counted(units)
    lines = [line for unit in failed for line in _told(unit)] if asked.verbose else []
    if asked.json is not None:
        try:
            asked.json.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            return _unusable(asked.json, error)
    print("\n".join((*lines, *_table(counts))))
    return 1 if failed else 0


def _unusable(name: object, error: OSError) -> int:
    from irev.base.errors import message

    print(message(f"python tests/conformance.py: error: {name}: {error.strerror}"), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
