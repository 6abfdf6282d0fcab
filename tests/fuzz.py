"""A fuzzer of whole commands, which can run for hours: random and mutated judgments and runs, random options.

    python tests/fuzz.py SECONDS [SEED]        # or: make fuzz SECONDS=3600

Whatever it is given, a command ends with 0, 1 or 2 and never with a traceback; with 2 it prints nothing, and one error.
Where trec_eval 10.0 is on PATH, files that are as they should be give the bytes that it prints. Files begin as those of
tests/corpus and tests/golden. What it finds is printed with the call and the seed; a pair of files that showed a fault
goes into the corpus. tests/reading/test_fuzz.py has the same of formats and compressions.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests"))

from conftest import in_process  # noqa: E402  after the path to it
from mutations import limited, mutated  # noqa: E402

from irev import cli  # noqa: E402

TREC_EVAL = shutil.which("trec_eval")
SECONDS = 60
"""No command takes longer, however slow the machine."""

CORPUS = [
    (path, path.with_suffix(".run"))
    for folder in ("corpus", "golden")
    for path in sorted((ROOT / "tests" / folder).glob("*.qrels"))
]

MEASURES = (
    *("map", "gm_map", "P.5", "P.1,3", "recall.2", "ndcg", "ndcg_cut.3", "Rprec", "bpref", "recip_rank", "infAP"),
    *("iprec_at_recall.0.1,0.5", "11pt_avg", "set_F.0.5", "set_P", "success.1,2", "num_ret", "num_rel", "map_cut.2,9"),
    *("Rprec_mult.0.5,1.0", "utility.1,-1,0,0", "G", "binG", "gm_bpref", "official", "relative_P.4", "num_rel_ret"),
)
"""What trec_eval has, and computes as it says."""

OTHERS = (
    *(
        "nDCG@10",
        "RBP(p=0.5)",
        "ERR@3",
        "AP(rel=2)@5",
        "Judged@5",
        "INST",
        "Compat",
        "F@3",
        "AP(agg=median)",
        "QMeasure",
    ),
    *("nope", "P.0", "P@x", "AP(", "", "\x1b[31m", "nDCG@99999999999999999999", "YAAP", "all_trec", "SetF(beta=2)"),
)

KINDS = {
    "subtopics": (
        *("alpha-nDCG@3", "alpha-nDCG(alpha=1,ideal=exact)@5", "alpha-DCG(norm=none)@99999", "ERR-IA@2", "strec@2"),
        *(
            "nERR-IA@3",
            "NRBP(beta=1)",
            "nNRBP(beta=0)",
            "MAP-IA(rel=2)",
            "P-IA@3",
            "nDCG-IA@3",
            "D-nDCG@3",
            "D#-nDCG@2",
        ),
    ),
    "prels": ("statAP", "statP@3", "statRprec", "statNumRel(rel=2)"),
    "strata": ("xinfAP", "infNDCG(depth=2)"),
    "prefs": ("prefs", "all_prefs", "prefs_avgjg_Rnonrel", "prefs_pair_imp"),
    "qrels_prefs": ("prefs_simp", "prefs_pair_ret", "prefs_num_prefs_ful"),
    "qrels_jg": ("qrels_jg", "P_avgjg.1,2", "Rprec_mult_avgjg.0.5,99999999999", "map_avgjg"),
    "wins": ("Compat", "ERR(gmax=auto)", "AP"),
    "pairs": ("Compat", "ERR(gmax=auto)", "nDCG@3", "Compat(depth=longest)"),
    "nuggets": ("NuggetRecall", "all_score", "NuggetRecall(nuggets=weighted,credit=partial)"),
    "trec": ("INST(of=ResED)", "SDCG@3", "BPM@2", "BPMD@3", "NERR8@3", "NERR11", "TBG", "CWL_AP(of=ETC)", "CWL_P@2"),
}
"""Formats of judgments that are more than grades, with what is asked of them; and user models, of grades."""

ODD = (
    *("--depth 3", "--depth -1", "--level 1.5", "--level x", "--ties average", "--ties docid-asc", "--ties file"),
    *(
        "--order rank",
        "--order file",
        "--duplicates first",
        "--duplicates best",
        "--negative nonrelevant",
        "--drop-self",
    ),
    *("--negative error", "--judged-only", "-D q1", "--queries run", "--queries qrels", "--strict", "--gains 1=3,2=7"),
    *(
        "--gains x",
        "--bounds",
        "-f json",
        "-f table",
        "-f csv",
        "-f latex",
        "-f markdown",
        "-f html",
        "-f tsv",
        "-f nope",
    ),
    *(
        "--compat 9.0.8",
        "--digits 2",
        "--digits exact",
        "--names standard",
        "--sort AP",
        "--wide",
        "-q",
        "-c",
        "-n",
        "-j 1",
    ),
    *("--agg median", "--level 1e999", "-N 5", "-M 2", "-l 2", "-J", "--columns query=q", "--qrels-format ntcir"),
)

COMMANDS = (
    *(("eval",),) * 4,
    *(("validate",), ("validate", "--stats"), ("explain",), ("explain", "--query", "q1"), ("check", "--min", "AP=0.2")),
    *(("check", "--every-query", "RR>0"), ("coverage",), ("curves",), ("compare",), ("diff",)),
)
MEASURING = ("eval", "compare", "diff", "explain", "coverage")
TWO = ("compare", "diff")
"""Those that take two runs."""


def words(chance: random.Random, command: str) -> list[str]:
    """Options at random, some of which the command may not have."""
    found = [word for option in chance.sample(ODD, chance.choice((0, 0, 1, 1, 2, 3))) for word in option.split()]
    if command in ("eval", "compare", "diff", "explain") and chance.random() < 0.8:
        for measure in chance.sample((*MEASURES, *OTHERS), chance.choice((1, 1, 2, 3))):
            found += ["-m", measure]
    return found


def valid(chance: random.Random) -> tuple[bytes, bytes]:
    """Judgments and a run as they should be, with ties; the run has something for all that is judged."""
    qrels, run = [], []
    for query in range(chance.randint(1, 5)):
        pool = [f"d{n}" for n in range(chance.randint(1, 30))]
        judged = chance.sample(pool, chance.randint(1, len(pool)))
        grades = [chance.choice((0, 0, 1, 1, 2, 3)) for _ in judged]
        qrels += [f"q{query} 0 {document} {grade}\n" for document, grade in zip(judged, grades, strict=True)]
        digits = chance.choice((0, 1, 3, 9))
        for rank, document in enumerate(chance.sample(pool, chance.randint(1, len(pool)))):
            run.append(f"q{query} Q0 {document} {rank} {round(chance.gauss(0, 2), digits)} t\n")
    if chance.random() < 0.3:
        chance.shuffle(run)
    return "".join(qrels).encode(), "".join(run).encode()


def of_kind(name: str, chance: random.Random) -> tuple[bytes, bytes]:
    """Judgments in a format of another kind, and a run, mostly as they should be."""
    queries = [f"q{number}" for number in range(chance.randint(1, 4))]
    documents = [f"d{number}" for number in range(chance.randint(2, 12))]
    groups = ("1", "2", "b")
    if name == "nuggets":
        records = [
            {"qid": query, "run_id": "t", "nuggets": [{"text": f"a {document}"} for document in documents]}
            for query in queries
        ]
        for nugget in (nugget for record in records for nugget in record["nuggets"]):
            nugget["importance"] = chance.choice(("vital", "okay"))
            nugget["assignment"] = chance.choice(("support", "partial_support", "not_support"))
        content = "".join(json.dumps(record) + "\n" for record in records).encode()
        return content, content
    lines = []
    for query in queries:
        judged = chance.sample(documents, chance.randint(1, len(documents)))
        for n, document in enumerate(judged):
            grade, group, drawn = (
                chance.choice((0, 0, 1, 1, 2, 3)),
                chance.choice(groups),
                chance.choice((1, 0.5, 1e-3)),
            )
            written = {
                "pairs": f"{query} {judged[n - 1]} {document}" if n else "",
                "wins": f"{query} {document} {chance.choice(judged[:n])}" if n else "",
                "prels": f"{query} {document} {grade} {chance.choice('0124')} {drawn}",
                "strata": f"{query} 0 {document} {group} {grade - 1}",
                "prefs": f"{query} {group} {chance.choice(groups)} {document} {n + 1}",
            }
            lines.append(written.get(name, f"{query} {group} {document} {grade}"))
    run = [
        f"{query} Q0 {document} 0 {round(chance.gauss(0, 2), chance.choice((0, 4)))} t\n"
        for query in queries
        for document in chance.sample(documents, chance.randint(1, len(documents)))
    ]
    return "".join(f"{line}\n" for line in lines if line).encode(), "".join(run).encode()


def flags(chance: random.Random) -> list[str]:
    """Flags of trec_eval, as it documents them; no measure twice, of which it takes the first."""
    found = [flag for flag in ("-q", "-c", "-J") if chance.random() < 0.5]
    found += [f"-l{chance.randint(1, 3)}"] * (chance.random() < 0.3)
    found += [f"-M{chance.randint(1, 20)}"] * (chance.random() < 0.3)
    for measure in chance.sample(MEASURES, chance.randint(1, 4)):
        if not any(word.partition(".")[0] == measure.partition(".")[0] for word in found):
            found += ["-m", measure]
    return found


def fault_of(folder: Path, arguments: list[str]) -> str:
    """What is wrong with what a command does, or nothing."""
    raised: list[str] = []
    with (
        limited(SECONDS),
        mock.patch.object(cli, "_report", lambda error: raised.append("".join(traceback.format_exception(error)))),
    ):
        done = in_process(*arguments)
    if raised:
        return raised[0]
    if done.status not in ((0, 1, 2) if arguments[0] in ("check", "validate") else (0, 2)):
        return f"status {done.status}: {done.stderr}"
    errors = [line for line in done.stderr.splitlines() if line.startswith("irev: error: ")]
    # The report of validate is output, whatever the status; all other commands print nothing with an error.
    if arguments[0] != "validate" and ((done.status == 2) != (len(errors) == 1) or (done.status == 2 and done.stdout)):
        return f"status {done.status} with {done.stdout[:500]!r} and {done.stderr}"
    if any(not character.isprintable() for line in done.stderr.splitlines() for character in line):
        return f"control characters in {done.stderr!r}"
    return ""


def unlike_trec_eval(arguments: list[str]) -> str:
    """Where irev prints anything but what trec_eval does of files that are as they should be, or nothing."""
    theirs = subprocess.run([str(TREC_EVAL), *arguments], capture_output=True)
    ours = in_process("eval", *arguments)
    if theirs.returncode or b"nan" in theirs.stdout:
        return ""
    return "" if (0, theirs.stdout) == ours[:2] else f"trec_eval: {theirs.stdout!r}\nirev: {ours}"


def faults(folder: Path, chance: random.Random) -> Iterator[str]:
    """Without end, what is wrong with a call: nothing, or a text with what shows it."""
    files = [[path.read_bytes() for path in pair] for pair in CORPUS]
    every = [data for pair in files for data in pair]
    paths = [str(folder / name) for name in ("qrels", "run", "other")]
    while True:
        (command, *fixed) = chance.choice(COMMANDS)
        kind = chance.choice([*KINDS]) if chance.random() < 0.3 else ""
        alike = not kind and chance.random() < 0.3
        chosen = (
            of_kind(kind, chance) if kind else valid(chance) if alike or chance.random() < 0.3 else chance.choice(files)
        )
        qrels, run = (
            chosen if alike else (data if chance.random() < 0.4 else mutated(data, every, chance) for data in chosen)
        )
        other = chance.choice(files)[1] if chance.random() < 0.3 else run
        for path, data in zip(paths, (qrels, run, other), strict=True):
            Path(path).write_bytes(data)
        if alike and TREC_EVAL:
            arguments = [*flags(chance), *paths[:2]]
            fault = unlike_trec_eval(arguments)
        else:
            arguments = [command, *fixed, *words(chance, command), *paths[: 3 if command in TWO else 2]]
            if kind and command not in ("coverage", "curves"):
                arguments[1:1] = ["--qrels-format", kind]
            if kind and command in MEASURING:
                arguments[1:1] = ["-m", chance.choice(KINDS[kind])]
            fault = fault_of(folder, arguments)
        yield fault and f"irev {arguments}\nqrels = {qrels[:3000]!r}\nrun = {run[:3000]!r}\n{fault}"


def main(seconds: float, seed: int) -> int:
    """Go on for so long, printing what is found, each kind once; status 1 where anything was."""
    end, kinds, done = time.monotonic() + seconds, set(), 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            # A seed for a few hundred calls, so that what one of them finds can be had again in seconds.
            source = faults(Path(folder), random.Random(seed))
            for number in range(300):
                if time.monotonic() > end:
                    break
                done += 1
                fault = next(source)
                if fault and (kind := fault.strip().splitlines()[-1][:60]) not in kinds:
                    kinds.add(kind)
                    print(f"== seed {seed}, call {number}\n{fault}\n", flush=True)
            seed += 1
    print(f"{done} calls, {len(kinds)} kinds of fault, next seed {seed}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
