"""Changes of valid files into odd ones, and what ``irev eval`` and ``irev validate`` do wrong with a pair of files."""

import contextlib
import json
import random
import signal
import traceback
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from conftest import in_process
from reference import Options, Refused, evaluate

from irev import cli
from irev.reading import chunks
from irev.reading.formats import BOM, JUDGMENTS

SECONDS = 20
"""No pair takes longer, however slow the machine."""

TOKENS = (
    *(
        b"\0",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b" ",
        b"\t",
        b"\v",
        b"  ",
        b"#",
        b"\n#",
        BOM,
        b"\xff",
        b"\xc3",
        b"\x1b[0m",
    ),
    *(
        b"0",
        b"-1",
        b"1e5",
        b"1e999",
        b"-1e-999",
        b"nan",
        b"inf",
        b"NaN",
        b"Infinity",
        b"0x1",
        b"1_0",
        b"1,5",
        b".",
        b"-",
    ),
    *(b"9" * 30, b"0." + b"1" * 40, b"9" * 5000, b"x" * 257, b"y" * 5000, b"z" * 100_000, b"\0" * 300),
    *(b'"', b'""', b"'", b"{", b"}", b"[", b"]", b":", b",", b"\\", b"\\u0000", b"\\ud800", b"\\n", b"null", b"true"),
    *(b"{" * 100, b"[" * 5000, b'{"a":' * 2000, b'{"q1": {"d01": 1}}', b"query_id", b"doc_id", b"q1 0 d01 1\n"),
    *(b"q1 Q0 d01 1 1.5 t\n", b"q1\td01\t1\n", b"q1,d01,1\n", '"é 日本"'.encode(), b"PAR1", b"\x1f\x8b", b"BZh9"),
)


def mutated(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """`data` after one to five changes; now and then after none."""
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        b = min(b, a + chance.choice((1, 1, 4, 16, 1000)))
        change = chance.randrange(10)
        if change == 0 and data:
            place = chance.randrange(len(data))
            data = data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]
        elif change == 1:
            data = data[:a] + bytes([chance.randrange(256)]) + data[a + 1 :]
        elif change == 2:
            data = data[:a] + data[b:]
        elif change == 3:
            data = data[:b] + data[a:b] * chance.choice((1, 1, 1, 2, 50)) + data[b:]
        elif change == 4:
            other = chance.choice(others)
            begin = chance.randrange(len(other) + 1)
            data = data[:a] + other[begin : begin + chance.choice((1, 10, 100, 10_000))] + data[chance.choice((a, b)) :]
        elif change == 5:
            data = data[:a] if chance.random() < 0.5 else data[a:]
        elif change in (6, 7):
            data = data[:a] + chance.choice(TOKENS) + data[chance.choice((a, b)) :]
        else:
            lines = data.splitlines(keepends=True)
            chance.shuffle(lines) if change == 8 else lines.append(chance.choice(lines or [b""]))
            data = b"".join(lines)
        data = data[:300_000]
    return data


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """A hang becomes a failure where signals can tell; elsewhere the suite would not end."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def too_long(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


UNGRADED = {name for name, form in JUDGMENTS.items() if not form.kind.graded}
"""Formats of judgments whose measures are their own: the usual ones are refused, of whatever file."""


def fault_of(folder: Path, qrels: bytes, run: bytes, options: list[str], size: int, judge: bool) -> str:
    """What is wrong with what irev does to two files, or nothing. `judge`: the reference knows what it should do."""
    names = {"qrels": qrels, "run": run}
    for name, data in names.items():
        (folder / name).write_bytes(data)
    paths = [str(folder / name) for name in names]
    raised: list[str] = []
    with (
        limited(SECONDS),
        mock.patch.object(chunks, "SIZE", size),
        mock.patch.object(cli, "_report", lambda error: raised.append("".join(traceback.format_exception(error)))),
    ):
        evaluated = in_process("eval", *options, *(("-m", "num_q") if UNGRADED & {*options} else ()), *paths)
        validated = in_process("validate", "-f", "json", *options, *paths)
    if raised:
        return raised[0]
    if evaluated.status not in (0, 2) or validated.status not in (0, 1, 2):
        return f"statuses {evaluated.status} and {validated.status}: {evaluated.stderr} {validated.stderr}"
    said = [line for line in evaluated.stderr.splitlines() if line.startswith("irev: error: ")]
    if len(said) != (evaluated.status == 2) or (evaluated.status == 2 and evaluated.stdout):
        return f"status {evaluated.status} with {evaluated.stdout!r} and {evaluated.stderr}"
    if any(not c.isprintable() for line in evaluated.stderr.splitlines() for c in line):
        return f"control characters in {evaluated.stderr!r}"
    if not validated.stdout:
        return f"no report: {validated.stderr}"
    record = json.loads(validated.stdout)
    if [file["kind"] for file in record["files"]] == ["run", "run"]:  # runs may be validated without judgments
        return ""
    if (evaluated.status == 2) != (record["errors"] > 0) or (record["errors"] > 0) != (validated.status > 0):
        return f"eval: {evaluated}\nvalidate: {json.dumps(record, indent=1)}"
    if not judge:
        return ""
    try:
        expected = evaluate(qrels, run, Options())
    except Refused as refusal:
        place = "" if refusal.file is None else str(folder / refusal.file)
        where = f"irev: error: {place}" + ("" if refusal.line is None else f":{refusal.line}: ")
        right = evaluated.status == 2 and said[0].startswith(where)
        return "" if right else f"expected {where}, found {evaluated}"
    return "" if (0, expected) == evaluated[:2] else f"expected {expected!r}, found {evaluated}"
