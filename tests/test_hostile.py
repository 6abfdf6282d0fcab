"""Names from strangers reach no terminal, log or line of output as anything but text, whatever command shows them."""

import contextlib
import csv
import io
import json
import os
import re
import threading
from pathlib import Path

import pytest
from conftest import all_of_terminal
from hostile import IDS, TEXTS

import irev
from irev import cli
from irev.base.errors import InputError, message
from irev.cli import output as progress
from irev.evaluation.curves import KINDS, TRADEOFF, WITH_QUERIES
from irev.output.styles import EVALUATION, VALIDATION, styles
from irev.reading.formats import as_field

if os.name != "posix":  # no other system has terminals of this kind
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)


def texts(names: dict[str, bytes]) -> list[str]:
    return [name.decode("utf-8", "surrogateescape") for name in names.values()]


FILE = "::error::f\x1b]0;t\x07\n::error::forged\udc9b31m\u202ex"
"""What every file is called, but for its end."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder of files that all have such names, with such names in them."""
    folder = tmp_path_factory.mktemp("hostile")
    ids = list(IDS.values())
    judged = b"".join(b"%b 0 %b 1\n" % (query, document) for query in ids for document in ids[:3])
    tags = (b"\x1b]0;owned\x07", "\N{RIGHT-TO-LEFT OVERRIDE}##[error]x".encode())

    def run(queries: list[bytes], documents: list[bytes], *tags: bytes) -> bytes:
        """The rows of a run, whose tags take turns."""
        pairs = enumerate((query, place) for query in queries for place in range(len(documents)))
        rows = ((query, documents[place], -place, tags[n % len(tags)]) for n, (query, place) in pairs)
        return b"".join(b"%b Q0 %b 1 %d %b\n" % row for row in rows)

    quoted = [name.replace(b'"', b'""') for name in ids]
    files = {
        "qrels": judged + b"lacking\x1b[2J 0 a 1\n",
        "run": run([*ids, b"extra\x1b[2J"], ids[:9], tags[0]),
        "other": run(ids[3:], ids[1:8], tags[1]),
        "mixed": run(ids[3:], ids[1:8], *tags),
        "faulty": b"".join(b"%b Q0 %b x\n" % (name, name) for name in ids),
        "twice": run(ids, ids[4:5] * 2, tags[0]),
        "values": b"".join(b"%b 0.5\n" % name for name in ids),
        "others": b"".join(b"%b 0.25\n" % name for name in ids[1:]),
        "groups": b"".join(b"%b\t%b\n" % (name, ids[(n + 4) % 9]) for n, name in enumerate(ids)),
        "titles": b"".join(b"%b\t%b\n" % (name, name) for name in ids),
        "queries": b"".join(b"%b\n" % name for name in ids[:9]),
        "propensities": b"1\n" * 20,
        "records": b"name,offline,online\n"
        + b"".join(b'%d,"%bsaved","x"\n' % (n, FILE.encode("utf-8", "surrogateescape")) for n in range(2)),
        "experiments": b'name,online,AP,"%b"\n' % FILE.encode("utf-8", "surrogateescape")
        + b"".join(b'"%b",%d,%d,%d\n' % (name.replace(b'"', b'""'), n, -n % 7, n % 5) for n, name in enumerate(ids)),
        "took": b'run,"%b"\na,1\nb,2\nc,3\n' % FILE.encode("utf-8", "surrogateescape").replace(b"\n", b" "),
        "table": table(texts(TEXTS), 0),
        "other-table": table(texts(TEXTS), 1),
        "printed": b"".join(b"%-22b\t%b\t0.5\n" % (name, query) for name in ids for query in (b"1", b"2")),
        "also-printed": b"".join(b"%-22b\t%b\t0.25\n" % (name, query) for name in ids for query in (b"1", b"2")),
        "buckets": b"event,impression,user,bucket\n"
        + b"".join(
            b'impression,"%b","%b","%b"\n' % (name, name, IDS["backslashes" if n % 2 else "right to left"])
            for n, name in enumerate(quoted)
        ),
        "seen": b"event,impression,user,query,documents,position\n"
        + b"".join(
            b'impression,%d,"%b","%b","%b",\nclick,%d,,,,1\n' % (n, name, name, quoted[n % 9], n)
            for n, name in enumerate(quoted)
        ),
        "lists": b"event,impression,user,method,documents,teams,a,b,position\n"
        + b"".join(
            b'impression,%d,"%b",team-draft,d,A,%b,%b,\nclick,%d,,,,,,,1\n'
            % (n, name, IDS["command of GitHub"], IDS["right to left"], n)
            for n, name in enumerate(quoted)
        ),
    }
    files |= of_other_kinds(ids)
    found = irev.evaluate(
        {name: {"d": 1} for name in texts(TEXTS)}, {name: {"d": 1.0} for name in texts(TEXTS)}, ["AP", "RunID"]
    )
    files["saved"] = found.to_json().encode()
    about = {"time": "2026-03-01", "commit": FILE, "branch": FILE}
    files["built"] = json.dumps({**json.loads(files["saved"]), "build": about}).encode()
    called = [json.dumps(text, ensure_ascii=False) for text in texts(TEXTS)]
    files["collections"] = b"".join(
        f"[[collection]]\nname = {name}\ngroup = {name}\nqrels = 'qrels'\nruns = ['run', 'other']\n".encode()
        for name in called
        if name.isascii() and "\x7f" not in name
    )
    for name in ("qrels", "run", "other"):  # TOML has no names like FILE
        (folder / name).write_bytes(files[name])
    files["damaged"] = json.dumps({"format": "irev result", "version": 1, FILE: 1}).encode()
    for end, content in files.items():
        (folder / (FILE + end)).write_bytes(content)
    return folder


def table(measures: list[str], shift: int) -> bytes:
    """Values of a few queries by measures that have such names, as CSV."""
    with io.StringIO(newline="") as written:
        lines = csv.writer(written)
        lines.writerow(["query", *measures])
        lines.writerows(
            [f"q{n}", *((n * (place + 3 + shift) % 7) / 7 for place in range(len(measures)))] for n in range(9)
        )
        return written.getvalue().encode("utf-8", "surrogateescape")


KINDS_OF_JUDGMENTS = {
    "subtopics": (b"%(query)b %(name)b %(document)b 1\n", b"%(query)b 0 %(name)b 1\n", "alpha-nDCG@5"),
    "qrels_jg": (b"%(query)b %(name)b %(document)b 1\n", b"%(query)b %(name)b %(document)b %(name)b\n", "AP_avgjg"),
    "qrels_prefs": (b"%(query)b %(name)b %(document)b %(n)d\n", b"%(query)b %(name)b x%(name)b -1\n", "PrefsSimp"),
    "prefs": (
        b"%(query)b %(name)b %(name)b %(document)b %(n)d\n",
        b"%(query)b %(name)b a %(name)b 1\n%(query)b %(name)b a d 2\n%(query)b %(name)b b %(name)b 2\n"
        b"%(query)b %(name)b b d 1\n%(query)b %(name)b c d 0\n",
        "PrefsSimp",
    ),
    "strata": (b"%(query)b 0 %(document)b %(name)b 1\n", b"%(query)b 0 %(document)b %(name)bx 1\n", "xinfAP"),
    "prels": (
        b"%(query)b %(document)b 1 1 0.5\n",
        b"%(query)b x%(name)b 1 %(name)b 1\n%(name)b d 1 1 %(name)b\n",
        "statAP",
    ),
    "pairs": (
        b"%(query)b %(document)b %(name)b%(n)d\n",
        b"%(query)b %(name)b d\n%(query)b d %(name)b\n%(query)b %(name)b %(name)b\n",
        "Compat",
    ),
    "wins": (b"%(query)b %(document)b %(name)b%(n)d\n", b"%(query)b %(name)b %(name)b\n", "Compat"),
}
"""A line of each format of judgments that are more than grades, lines of it that are wrong, and a measure."""


def of_other_kinds(ids: list[bytes]) -> dict[str, bytes]:
    """Judgments of each kind, and some of each that are full of faults."""
    found = {}
    for kind, (line, wrong, _) in KINDS_OF_JUDGMENTS.items():
        rows = [
            {b"query": query, b"name": ids[(place + 5) % len(ids)], b"document": ids[n], b"n": n + 1}
            for place, query in enumerate(ids)
            for n in range(3)
        ]
        found[kind] = b"".join(line % row for row in rows)
        found[f"{kind}-faulty"] = found[kind] + b"".join(wrong % row for row in rows[::3])
    known = [text for text in texts(TEXTS) if as_field(text) is not None]
    nuggets = [{"text": text, "importance": "vital", "assignment": "support"} for text in known]
    records = [{"qid": query, "run_id": known[1], "nuggets": nuggets[n:]} for n, query in enumerate(known)]
    found["nuggets"] = b"".join(b"%b\n" % json.dumps(record).encode() for record in records)
    found["nuggets-faulty"] = found["nuggets"] + b"".join(
        json.dumps({"qid": known[0], "run_id": "x", "nuggets": [said, {text: text}, text]}).encode() + b"\n"
        for text in texts(TEXTS)
        for said in (
            {"text": f"{text}?", "assignment": "support"},
            {"text": "a", "assignment": text, "importance": text},
        )
    )
    return found


def on_terminals(*arguments: str) -> tuple[int, str, str]:
    """Status, and what two terminals get to see of standard output and standard error."""
    pairs = [os.openpty() for _ in range(2)]
    seen: list[bytes] = [b"", b""]

    def follow(place: int) -> None:
        seen[place] = all_of_terminal(pairs[place][0])

    threads = [threading.Thread(target=follow, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    with contextlib.ExitStack() as closed:
        out, err = (closed.enter_context(open(theirs, "w", encoding="utf-8")) for _, theirs in pairs)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.run(list(arguments))
    for thread in threads:
        thread.join()
    stdout, stderr = (text.replace(b"\r\n", b"\n").decode("utf-8") for text in seen)
    return status, stdout, stderr


def unsafe(text: str) -> set[str]:
    """The characters of a text that are more than text, but for the pairs by which irev isolates names."""
    text = re.sub("\u2068([^\u2068\u2069\n]*)\u2069", r"\1", text)
    return {character for character in text if not character.isprintable() and character not in "\n\t"}


def forged(stderr: str) -> list[str]:
    """Lines of a log that GitHub may take for commands, and those that no message begins with."""
    lines = stderr.splitlines()
    begun = r"irev: (error|warning): |Try '|::(error|warning|notice) (file=[^,:]*,)?title="
    return [line for line in lines if not re.match(begun, line) or "##[" in line]


def commands() -> dict[str, list[str]]:
    """A command for everything that is shown, in every style."""
    q, r, o = (FILE + end for end in ("qrels", "run", "other"))
    texts = ["--titles", FILE + "titles", "--documents", FILE + "titles"]
    measured = ["-m", "AP", "-m", "RunID", "-m", "relstring"]
    required = ["--min", "AP=0.9", "--every-query", "AP>0.9", "--max-query-losses", "AP=0"]
    found = {}
    for style in styles(EVALUATION):
        found |= {
            f"eval -f {style}": ["-q", *measured, "--groups", FILE + "groups", q, r, o],
            f"eval -f {style} under two": ["--qrels", f"a={q}", "--qrels", f"{FILE}={q}", FILE + "mixed"],
            f"show -f {style}": ["-q", FILE + "saved"],
        }
    for style in styles():
        found |= {
            f"compare -f {style}": ["-q", "--test", "randomization", q, r, o],
            f"compare -f {style} values": ["--scores", FILE + "values", FILE + "others"],
            f"compare -f {style} measures": ["--scores", FILE + "table", FILE + "other-table"],
            f"compare -f {style} paper": ["--layout", "paper", "--scores", FILE + "table", FILE + "other-table"],
            f"compare -f {style} printed": [FILE + "printed", FILE + "also-printed"],
            f"power -f {style} measures": ["--difference", "0.1", "--scores", FILE + "table", FILE + "other-table"],
            f"bayes -f {style}": ["--scores", FILE + "table", FILE + "other-table"],
            f"compare-by -f {style}": ["--groups", FILE + "groups", q, r, o],
            f"seeds -f {style}": ["--runs-per-system", "2", q, r, o, r, o],
            f"replicate -f {style}": [FILE + "table", "--scores", FILE + "table"],
            f"collections -f {style}": ["-m", "AP", FILE + "collections"],
            f"agree -f {style} measures": ["--scores", FILE + "table", FILE + "other-table"],
            f"check -f {style}": [*required, "--baseline-run", o, q, r],
            f"diff -f {style}": ["--all", *texts, q, r, o],
            f"power -f {style}": ["--difference", "0.1", q, r, o],
            f"agree -f {style}": ["-m", "AP", "-m", "RR", q, r, o],
            f"rbo -f {style}": [r, o],
            f"trend -f {style}": [FILE + "built", FILE + "saved"],
            f"coverage -f {style}": [q, r, o, FILE + "mixed"],
            f"judges -f {style}": ["--run", r, "--run", o, q, f"{FILE}again={q}"],
            f"llm-judge -f {style}": ["-m", "P@3", "--min", "P@3=0.1", q, q, r, o],
            f"curves -f {style}": ["--kind", "cutoff", "-m", "P", q, r, o],
            f"pool -f {style}": ["--depth", "3", "--judged", q, r, o, FILE + "mixed"],
            f"online interleave -f {style}": ["--method", "probabilistic", r, o],
            f"online ab -f {style} buckets": ["--on-error", "drop", FILE + "buckets"],
            f"online click-models -f {style}": ["--on-error", "drop", FILE + "seen"],
            f"online off-policy -f {style}": [
                *("--on-error", "drop", "--min-effective", "1", "--propensities", FILE + "propensities"),
                *(r, FILE + "seen"),
            ],
            f"online preference -f {style}": ["--on-error", "drop", FILE + "lists"],
        }
        # One after the other where people read; elsewhere what could be more than text to a terminal.
        chosen = IDS if style == "table" else ("colour", "right to left", "no UTF-8")
        for name in chosen:
            found[f"explain -f {style} {name}"] = ["--query", os.fsdecode(IDS[name]), *texts, q, r]
    for kind in KINDS:
        query = ["--query", os.fsdecode(IDS["colour"])] if kind == "query" else []
        every = ["-q"] if kind in WITH_QUERIES else []
        took = (
            ["--resources", FILE + "took", "--against", FILE.replace("\n", " ") + ":lower"] if kind == TRADEOFF else []
        )
        runs = [r, o, FILE + "mixed"]
        if kind == TRADEOFF:
            runs = [f"{name}={path}" for name, path in zip("abc", runs, strict=True)]
        found[f"curves -f table {kind}"] = ["--kind", kind, *query, *every, *took, q, *runs]
    for style in styles(VALIDATION):
        found |= {
            f"validate -f {style}": [
                "--stats",
                q,
                r,
                FILE + "mixed",
                FILE + "faulty",
                FILE + "twice",
            ],
            f"validate -f {style} of rules": ["--topics", FILE + "queries", "--tag", "x", q, o],
        }
    for kind, (_, _, measure) in KINDS_OF_JUDGMENTS.items():
        judged = ["--qrels-format", kind, "-m", measure, FILE + kind, r]
        found |= {f"eval -f {style} {kind}": ["-q", *judged] for style in styles(EVALUATION)}
        found |= {f"{command} -f table {kind}": [*judged, o] for command in ("compare", "diff")}
        found[f"power -f table {kind}"] = ["--difference", "0.1", *judged, o]
        found |= {f"explain -f table {kind}": ["--query", os.fsdecode(IDS["colour"]), *judged]}
        faulty = ["--qrels-format", kind, FILE + kind, FILE + f"{kind}-faulty", r]
        found |= {f"validate -f {style} {kind}": faulty for style in styles(VALIDATION)}
    for style in styles(EVALUATION):
        found[f"eval -f {style} nuggets"] = ["-q", "-m", "NuggetRecall", FILE + "nuggets", FILE + "nuggets"]
    for style in styles(VALIDATION):
        found[f"validate -f {style} nuggets"] = [FILE + "nuggets", FILE + "nuggets-faulty"]
    asked = ["--query", os.fsdecode(IDS["right to left"]), "-m", "NuggetRecall", FILE + "nuggets", FILE + "nuggets"]
    found["explain -f table nuggets"] = asked
    found["report on nuggets"] = ["-m", "NuggetRecall", FILE + "nuggets", FILE + "nuggets"]
    found |= {
        "report on a page": [*texts, q, r, o],
        "report on one": [*texts, "--digits", "exact", q, FILE + "mixed"],
    }
    for target in ("trec", "csv", "jsonl"):
        found |= {f"convert --to {target}": [r, "-"], f"convert --to {target} judgments": [q, "-"]}
        found |= {f"fuse -f {target}": [r, o, FILE + "mixed"]}
    return {
        name: [*name.split()[: 1 if name.startswith("report") else 4 if name.startswith("online") else 3], *arguments]
        for name, arguments in found.items()
    }


COMMANDS = commands()


@pytest.fixture(autouse=True)
def _no_progress(monkeypatch):
    """A slow machine would show how far it has come, which is meant for a terminal, and tested where it is made."""
    monkeypatch.setattr(progress, "DELAY", 600)


LINES_BROKEN = (
    "eval -f trec under two",
    "show -f trec",
    *(f"convert --to {target}{kind}" for target in ("csv", "jsonl") for kind in ("", " judgments")),
    *(f"fuse -f {target}" for target in ("csv", "jsonl")),
)
"""What has to be refused: a name that lines of this form have no way to write."""


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_sees_text_whatever_is_shown(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    status, stdout, stderr = on_terminals(*COMMANDS[command])

    assert (2 if command in LINES_BROKEN else 1 if command.startswith(("check", "validate")) else 0) == status, stderr
    assert set() == unsafe(stdout)
    assert set() == unsafe(stderr)
    assert [] == forged(stderr)
    if command.split()[2] in ("text", "table", "latex", "markdown"):
        assert [] == [line for line in stdout.splitlines() if line.lstrip().startswith("::") or "##[" in line]


IN_COLOUR = [command for command in COMMANDS if " -f table" in command or " -f text" in command]


@pytest.mark.thorough
@pytest.mark.parametrize("command", IN_COLOUR)
def test_colours_are_all_that_a_terminal_gets_beside_text(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    _, stdout, stderr = on_terminals(*COMMANDS[command])

    assert set() == unsafe(re.sub(r"\x1b\[[0-9;]*m", "", stdout))
    assert set() == unsafe(stderr)


REFUSED = [
    [FILE],
    ["eval", f"--{FILE}"],
    ["eval", FILE + "qrels", FILE + "missing"],
    ["eval", FILE + "missing", FILE + "run"],
    ["eval", FILE + "run", FILE + "qrels"],
    ["eval", FILE + "qrels", FILE + "twice"],
    ["eval", FILE + "qrels", "@" + FILE + "titles"],
    *(
        ["eval", *option, FILE + "qrels", FILE + "run"]
        for option in (
            *(
                [name, FILE]
                for name in ("-m", "-l", "-M", "-j", "--queries", "--sort", "--columns", "--gains", "--costs", "-D")
            ),
            *(
                [name, FILE]
                for name in ("--run-format", "--qrels-format", "-f", "--digits", "--aggregate", "-R", "--ties")
            ),
            ["-o", FILE + "none/x"],
            ["-o", FILE + "run"],
            ["--groups", FILE + "faulty"],
            ["-m", "TBG", "--costs", FILE + "faulty"],
        )
    ),
    ["measures", FILE],
    ["measures", "--explain", FILE],
    ["completion", FILE],
    ["show", FILE + "damaged"],
    ["show", FILE + "qrels"],
    ["validate", "--tag", f"({FILE}", FILE + "qrels"],
    ["check", "--min", FILE, FILE + "qrels", FILE + "run"],
    ["check", "--config", FILE + "qrels"],
    ["check", "--config", FILE + "missing"],
    ["check", "--min", "AP=0", "--also", f"junit={FILE}", "--also", f"comment={FILE}", FILE + "qrels", FILE + "run"],
    ["compare", "--baseline", FILE, FILE + "qrels", FILE + "run", FILE + "other"],
    ["compare", "--test", FILE, FILE + "qrels", FILE + "run", FILE + "other"],
    ["compare", "--plot", FILE, FILE + "qrels", FILE + "run", FILE + "other"],
    ["compare", "--scores", FILE + "faulty", FILE + "values"],
    ["agree", "--online", FILE + "experiments"],
    ["agree", "--online", FILE + "records"],
    ["agree", "-m", FILE, "--online", FILE + "qrels"],
    ["clicks", "--ranking", FILE + "run", "--propensities", FILE + "faulty", FILE + "seen"],
    ["clicks", "--ranking", FILE + "run", FILE + "buckets"],
    ["explain", "--query", FILE, FILE + "qrels", FILE + "run"],
    ["diff", "--titles", FILE + "values", FILE + "qrels", FILE + "run", FILE + "other"],
]


@pytest.mark.parametrize("arguments", REFUSED, ids=lambda words: ascii(" ".join(words).replace(FILE, "_")))
def test_a_refusal_is_text_in_lines_of_its_own(folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    status, stdout, stderr = on_terminals(*arguments)

    assert (2, "") == (status, stdout)
    assert set() == unsafe(stderr)
    assert [] == forged(stderr)


@pytest.mark.parametrize("name", TEXTS.values(), ids=TEXTS)
def test_a_message_is_one_line_of_text(name):
    said = message(f"{name.decode('utf-8', 'surrogateescape')} and more")

    assert set() == unsafe(said)
    assert [] == [mark for mark in ("\n", "##[") if mark in said]
    assert not said.lstrip().startswith("::")
    assert said == message(said), "what was made safe stays as it is"


def test_a_message_is_plain_text_as_it_was_given():
    assert "run.txt:3: 'Äpfel-日本' has no grade; :: and #1 [x]" == message(
        "run.txt:3: 'Äpfel-日本' has no grade; :: and #1 [x]"
    )


def test_no_message_is_longer_than_a_screen_or_two():
    for text in ("x" * 3_000_000, "\x1b" * 3_000_000):
        assert len(message(text)) <= 10_000
    assert str(InputError("x" * 3_000_000, "file:1", "y" * 3_000_000)).startswith("file:1: x")
    assert len(str(InputError("x" * 3_000_000, "file:1", "write less"))) < 1100
    assert str(InputError("x" * 3_000_000, "file:1", "write less")).endswith("x; write less")


def test_every_command_that_shows_names_is_tried():
    tried = {" ".join(command.split()[: 2 if command.startswith("online") else 1]) for command in COMMANDS}
    assert {"measures", "formats", "completion", "help"} == set(cli.every_command()) - tried
