"""Inputs of a megabyte in extreme shapes, through each command and its expensive options: time, memory and outcome.

Each command may take ten seconds of processors and a gigabyte. It may refuse an input instead, in words. Whatever takes
more, is ended by the system, or ends in a traceback is listed below the table, and the status is 1.

python benchmarks/slow_inputs.py                     # everything, which takes half an hour
python benchmarks/slow_inputs.py --only "one tie"    # the shapes and commands whose names contain this
python benchmarks/slow_inputs.py --kilobytes 50      # smaller inputs
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from shared import ROOT, parser_of

SECONDS, BYTES = 10, 1 << 30
"""What a command may take: seconds of processors, and bytes of memory."""

TIMEOUT = 6 * SECONDS
"""Seconds by the clock after which a command is ended; the machine may do other things."""


class Shape(NamedTuple):
    """Judgments and runs, as rows of query, document and number."""

    qrels: Iterable[tuple[object, object, object]]
    run: Iterable[tuple[object, object, object]]


Rows = Iterator[tuple[object, object, object]]


def rows(queries: int, depth: int, value: Callable[[int], object], names: Callable[[int], str] = "d{}".format) -> Rows:
    """So many documents of so many queries."""
    return ((f"q{query}", names(rank), value(rank)) for query in range(queries) for rank in range(depth))


def _of_one_key(number: int) -> str:
    """Ids that share a key under every seed (see tests/reading/test_flat_ids.py)."""
    parts = (b"abcdefgh" * 2, b"abcdefg\xe8abcd\x61fg\xe8")
    return b"".join(parts[number >> bit & 1] for bit in range(12)).decode("latin-1")


LARGE = 1 << 30  # rows without end: a shape is cut where the size is reached
SHAPES: dict[str, Callable[[], Shape]] = {
    "one query": lambda: Shape(rows(1, LARGE, lambda i: i % 2), rows(1, LARGE, lambda i: -i)),
    "one tie": lambda: Shape(rows(1, LARGE, lambda i: i % 2), rows(1, LARGE, lambda i: 1)),
    "ties of two": lambda: Shape(rows(1, LARGE, lambda i: i % 2), rows(1, LARGE, lambda i: -(i // 2))),
    "all grades different": lambda: Shape(rows(1, LARGE, lambda i: i + 1), rows(1, LARGE, lambda i: -i)),
    "grades different, one tie": lambda: Shape(rows(1, LARGE, lambda i: i + 1), rows(1, LARGE, lambda i: 1)),
    "huge grades": lambda: Shape(rows(100, LARGE, lambda i: 2**31 - 1 - i), rows(100, LARGE, lambda i: 1e300 - i)),
    "many queries": lambda: Shape(rows(LARGE, 1, lambda i: 1), rows(LARGE, 1, lambda i: 1)),
    "queries of two": lambda: Shape(rows(LARGE, 2, lambda i: i % 2), rows(LARGE, 2, lambda i: -i)),
    "square": lambda: Shape(rows(LARGE, 200, lambda i: i % 3), rows(LARGE, 200, lambda i: 1 / (i + 1))),
    "long ids": lambda: Shape(
        rows(1, LARGE, lambda i: i % 2, lambda i: f"{i:05}" + "x" * 5000),
        rows(1, LARGE, lambda i: -i, lambda i: f"{i:05}" + "x" * 5000),
    ),
    "long queries": lambda: Shape(
        ((f"{i:05}" + "x" * 5000, "d1", 1) for i in range(LARGE)),
        ((f"{i:05}" + "x" * 5000, "d1", 1) for i in range(LARGE)),
    ),
    "ids that begin alike": lambda: Shape(
        rows(1, LARGE, lambda i: i % 2, lambda i: "x" * 250 + f"{i:05}"),
        rows(1, LARGE, lambda i: 1, lambda i: "x" * 250 + f"{i:05}"),
    ),
    "ids of one key": lambda: Shape(
        rows(1, 1 << 12, lambda i: i % 2, _of_one_key), rows(1, 1 << 12, lambda i: -i, _of_one_key)
    ),
    "nothing in common": lambda: Shape(rows(LARGE, 1, lambda i: 1), ((f"p{i}", "d", 1) for i in range(LARGE))),
    "numbers of many digits": lambda: Shape(
        rows(1, LARGE, lambda i: 1), rows(1, LARGE, lambda i: "0." + "1234567890" * 30 + str(i))
    ),
}


def written(shape: Shape, size: int, folder: Path) -> None:
    """Write files of a shape, each of about `size` bytes: judgments, a run, the same in another order, and lists."""
    made: dict[str, list[bytes]] = {"qrels": [], "run": [], "other": []}
    queries: dict[bytes, None] = {}
    documents: dict[bytes, None] = {}
    for kind, given in zip(("qrels", "run"), shape, strict=True):
        length = 0
        for query, document, value in given:
            q, d, v = (str(each).encode("latin-1") for each in (query, document, value))
            line = b"%b 0 %b %b\n" % (q, d, v) if kind == "qrels" else b"%b Q0 %b 1 %b t\n" % (q, d, v)
            made[kind].append(line)
            length += len(line)
            queries[q], documents[d] = None, None
            if length >= size:
                break
    made["second"] = [line.rstrip()[:-1] + b"1\n" for line in made["qrels"]]
    made["other"] = [line.replace(b" t\n", b" u\n") for line in reversed(made["run"])]
    made["queries"] = [query + b"\n" for query in queries]
    made["ids"] = [document + b"\n" for document in documents]
    made["titles"] = [query + b"\ttitle of " + query[:40] + b"\n" for query in queries]
    made["groups"] = [query + b"\tgroup" + str(i).encode() + b"\n" for i, query in enumerate(queries)]
    made["weights"] = [query + b"\t1.5\n" for query in queries]
    for name, lines in made.items():
        (folder / name).write_bytes(b"".join(lines))


EVALUATION = "all_trec,ndcg,P@10,R@1000,RBP,ERR,bpref,infAP,Judged@10"
COMMANDS: dict[str, str] = {
    "eval": f"eval -q -m {EVALUATION} qrels run",
    "eval, Q, GAP and Compat": "eval -m Q,GAP,Compat qrels run",
    "eval, over ties": "eval -m AP,nDCG,P@10,RR,RBP,R@1000,ERR,Q,GAP --ties average qrels run",
    "eval, Compat over ties": "eval -m Compat,Compat(depth=longest) --ties average qrels run",
    "eval, bounds": "eval -m AP,nDCG,RR,P@10,ERR,RBP,bpref,GAP --bounds qrels run",
    "eval, several runs": "eval -m AP,nDCG qrels run other",
    "eval, groups": "eval -m AP --groups groups qrels run",
    "eval, weights": "eval -m AP --query-weights weights qrels run",
    "eval, listed queries": "eval -m AP --queries queries qrels run",
    "eval, json": "eval -q -m AP,nDCG -f json qrels run",
    "eval, html": "eval -q -m AP,nDCG -f html qrels run",
    "eval, parts of ids": "eval -m AP --document-of (.*)x* qrels run",
    "compare": "compare qrels run other",
    "compare, randomization": "compare --test randomization qrels run other",
    "compare, html": "compare -f html qrels run other",
    "check": "check --min AP=0.5 --max-drop AP=0.1 --baseline-run run qrels run other",
    "diff": "diff qrels run other",
    "explain": "explain -m nDCG,AP qrels run",
    "power": "power qrels run other",
    "agree": "agree qrels run other",
    "rbo": "rbo run other",
    "judges": "judges a=qrels b=second --run run --run other",
    "coverage": "coverage qrels run other",
    "curves": "curves qrels run other",
    "report": "report -o report.html qrels run other --titles titles",
    "pool": "pool --depth 100 run other",
    "pool, strata": "pool --strata 10=1,50=0.2 run other",
    "pool, judges": "pool --depth 100 --judges 100 run other",
    "pool, next": "pool --next 20 --by maxmean run other",
    "fuse": "fuse run other",
    "fuse, combmed": "fuse --method combmed --norm z run other",
    "validate": "validate qrels run",
    "validate, rules": "validate --stats --docids ids --topics queries qrels run",
    "convert": "convert --to jsonl run converted",
    "convert, qrels": "convert --to parquet qrels judgments",
    "interleave": "online interleave run other",
}
"""Commands, where a word that is the name of a file is that file of the shape."""


def subtopics(topics: int, depth: int) -> dict[str, bytes]:
    """Judgments of so many subtopics, each relevant in other documents, and a run."""
    pairs = product(range(depth), range(topics))
    judged = (
        b"q1 %d d%d 1\n" % (topic, document) for document, topic in pairs if topic * document % 7 < 4 or topic > 99
    )
    ranked = (b"q1 Q0 d%d 1 %d t\n" % (document, -document) for document in range(depth))
    return {"qrels": b"".join(judged), "run": b"".join(ranked)}


PREFERENCES = "prefs,prefs_pair_ret,prefs_num_prefs_ful_ret"

LOGGED = {
    "interleaved": ("preference log",),
    "buckets": ("ab log", "ab --sequential 10000 log", "power log", "click-models log"),
}
"""The commands that read each kind of log."""


def logs(size: int) -> dict[str, bytes]:
    """Logs of as many users as there are impressions, of one user, and of one impression with all clicks."""
    mixed = '{"event":"impression","impression":"%d","user":"%s","query":"q%d","method":"team-draft",'
    mixed += '"documents":["a%d","b"],"teams":["A","B"]}\n{"event":"click","impression":"%d","position":%d}\n'
    bucket = (
        '{"event":"impression","impression":"%d","user":"%s","query":"q%d","bucket":"%s","documents":["a%d","b"]}\n'
    )
    bucket += '{"event":"click","impression":"%d","position":%d,"dwell":%d}\n'
    made = {}
    for called, user in (("many users", "u{}"), ("one user", "u")):
        of_lists = (mixed % (i, user.format(i), i % 99, i, i, i % 2 + 1) for i in range(size // 200))
        made[f"interleaved, {called}"] = "".join(of_lists).encode()
        kinds = (
            (i, user.format(i), i % 99, "xy"[i % 2 if called == "many users" else 0], i) for i in range(size // 180)
        )
        made[f"buckets, {called}"] = "".join(
            bucket % (*each, each[0], each[0] % 2 + 1, each[0]) for each in kinds
        ).encode()
    clicks = '{"event":"click","impression":"0","position":1}\n' * (size // 50)
    made["interleaved, one impression"] = (mixed % (0, "u", 1, 1, 0, 1) + clicks).encode()
    made["buckets, one impression"] = (bucket % (0, "u", 1, "x", 1, 0, 1, 1) + clicks).encode()
    return made


ONE = {"qrels": b"q1 0 d1 1\n", "run": b"q1 Q0 d1 1 1 t\n"}


def others(size: int) -> dict[str, tuple[dict[str, bytes], str]]:
    """Inputs that are no judgments and runs of TREC's, each with the command that reads it."""
    few = size // 10
    table = b"query_id,doc_id,score," + b",".join(b"c%d" % i for i in range(few)) + b"\nq1,d1,1" + b",0" * few
    runs = {f"r{i}": b"q1 Q0 d%d 1 1 r%d\n" % (i % 3, i) for i in range(size // 1000)}
    documents = size // 20
    pairs = b"".join(b"q1 d%d d%d\n" % (i, i + 1 + i * 7 % 50) for i in range(documents))
    chain = b"".join(b"q1 d%d d%d\n" % (i, i + 1) for i in range(documents))
    run = b"".join(b"q1 Q0 d%d 1 %d t\n" % (i, i * 7919 % documents) for i in range(documents))
    levels = b"".join(b"q1 ann s d%d %d\n" % (i, i % 5) for i in range(documents))
    ordered = b"".join(b"q1 ann s d%d %d\n" % (i, i + 1) for i in range(documents))
    people = b"".join(b"q1 p%d s d%d %d\n" % (i // 2, i % 50, i % 2 + 1) for i in range(documents))
    compared = b"".join(b"q1 ann s%d d%d %d\n" % (i // 2, i // 2 + i % 2, 2 - i % 2) for i in range(documents))
    grades = b"".join(b"q1 p%d d%d %d\n" % (i % 999, i, i % 2) for i in range(documents))
    values = b"query,run,AP\n" + b"".join(b"q%d,r%d,0.%d\n" % (i // 100, i % 100, i % 97) for i in range(size // 14))
    return {
        "brackets": (ONE | {"json": b"[" * size}, "eval qrels json"),
        "objects in objects": (ONE | {"json": b'{"a":' * (size // 5)}, "eval qrels json"),
        "a number of many digits": (ONE | {"json": b'{"q1": {"d1": %b}}' % (b"9" * size)}, "eval qrels json"),
        "a table of many columns": (ONE | {"csv": table}, "eval qrels csv"),
        "many runs": (ONE | runs, f"compare qrels {' '.join(runs)}"),
        "many runs, agree": (ONE | runs, f"agree qrels {' '.join(runs)}"),
        "many runs, report": (ONE | runs, f"report -o report.html qrels {' '.join(runs)}"),
        "brackets as description": (ONE | {"text": b"[" * size}, "report -o report.html --description text qrels run"),
        "stars as description": (ONE | {"text": b"*a " * few}, "report -o report.html --description text qrels run"),
        "subtopics, exact": (subtopics(300, 250), "eval -m alpha-nDCG(ideal=exact) qrels run"),
        "subtopics": (subtopics(300, 250), "eval -m alpha-nDCG,ERR-IA,NRBP,I-rec qrels run"),
        "pairs": ({"qrels": pairs, "run": run}, "eval -R pairs -m Compat,nDCG,AP qrels run"),
        "a chain of pairs": ({"qrels": chain, "run": run}, "eval -R pairs -m Compat,nDCG,AP qrels run"),
        "preferences": ({"qrels": levels, "run": run}, f"eval -R prefs -m {PREFERENCES} qrels run"),
        "preferences, all levels different": (
            {"qrels": ordered, "run": run},
            f"eval -R prefs -m {PREFERENCES} qrels run",
        ),
        "preferences of many people": ({"qrels": people, "run": run}, f"eval -R prefs -m {PREFERENCES} qrels run"),
        "preferences that follow": ({"qrels": compared, "run": run}, f"eval -R prefs -m {PREFERENCES} qrels run"),
        "grades of many people": ({"qrels": grades, "run": run}, "eval -R qrels_jg -m map_avgjg,P_avgjg.5 qrels run"),
        "values of many runs": ({"values": values}, "compare values"),
        "a configuration": (ONE | {"c.toml": b"a = 1\n" * (size // 6)}, "check --config c.toml qrels run"),
        "a saved result": (ONE | {"saved": b'{"format": "irev result", "a": ' + b"[" * size}, "show saved"),
        **{
            f"{kind}, {command}": ({"log": log}, f"online {command}")
            for kind, log in logs(size).items()
            for command in LOGGED[kind.split(",")[0]]
        },
    }


class Outcome(NamedTuple):
    """What a command took, in seconds of processors and bytes, and how it ended."""

    seconds: float
    peak: int
    status: int
    said: str

    @property
    def fault(self) -> str:
        """What must not be; empty where nothing is wrong."""
        if self.status not in (0, 1, 2):
            return f"status {self.status}"
        if "Traceback" in self.said:
            return "a traceback"
        if self.seconds > SECONDS:
            return f"{self.seconds:.0f} s"
        return f"{self.peak / 1e6:.0f} MB" if self.peak > BYTES else ""


def outcome(words: list[str], folder: Path) -> Outcome:
    """Run a command in a folder, with no more memory than twice what it may take, and for no longer than `TIMEOUT`."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (2 * BYTES, 2 * BYTES))

    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "irev", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            preexec_fn=bound,
        )
        end = time.monotonic() + TIMEOUT
        pid = status = 0
        while not pid and time.monotonic() < end:
            time.sleep(0.01)
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if not pid:
            process.kill()
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    return Outcome(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, process.returncode, text)


def main() -> int:
    """Try everything, print a table of the slowest input of each command, and say what took too much."""
    parser = parser_of(__doc__, kilobytes=1000)
    parser.add_argument("--only", action="append", default=[], help="a part of the name of a shape or command")
    given = parser.parse_args()
    found: dict[str, dict[str, Outcome]] = {}
    for command, shape, this in _outcomes(given.kilobytes * 1000, given.only):
        found.setdefault(command, {})[shape] = this
        took = f"{this.seconds:6.2f} s {this.peak / 1e6:6.0f} MB"
        print(f"{command:26} {shape:26} {took} {this.status:3} {this.said.strip()[:110]!r}", file=sys.stderr)
    print("| command | slowest input | s | largest input | MB |")
    print("|---|---|---:|---|---:|")
    for command, outcomes in found.items():
        slow = max(outcomes, key=lambda shape: outcomes[shape].seconds)
        large = max(outcomes, key=lambda shape: outcomes[shape].peak)
        print(f"| {command} | {slow} | {outcomes[slow].seconds:.1f} | {large} | {outcomes[large].peak / 1e6:.0f} |")
    faults = [
        f"{command}, {shape}: {this.fault}" for command in found for shape, this in found[command].items() if this.fault
    ]
    for fault in faults:
        print(f"too much: {fault}", file=sys.stderr)
    return 1 if faults else 0


def _outcomes(size: int, only: list[str]) -> Iterator[tuple[str, str, Outcome]]:
    """Each command and shape that is wanted, and the outcome."""

    def wanted(*names: str) -> bool:
        return not only or any(part in name for part in only for name in names)

    for shape, make in SHAPES.items():
        chosen = [command for command in COMMANDS if wanted(shape, command)]
        with tempfile.TemporaryDirectory() as folder:
            if chosen:
                written(make(), size, Path(folder))
            for command in chosen:
                yield command, shape, outcome(COMMANDS[command].split(), Path(folder))
    for name, (files, line) in others(size).items():
        if wanted(name):
            with tempfile.TemporaryDirectory() as folder:
                for file, content in files.items():
                    Path(folder, file).write_bytes(content)
                yield line.split()[0], name, outcome(line.split(), Path(folder))


if __name__ == "__main__":
    sys.exit(main())
