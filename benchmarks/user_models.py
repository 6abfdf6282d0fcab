"""Measure user models with all ten quantities, `irev eval -m 'INST(T=2,of=ED)' …`, against cwl-eval.

Whole processes: one warm-up of each, then rounds of both in turn; processor time of each and its children, with the
ratio within a round. Both print expected utility, total utility, cost, total cost and depth, and what remains of each,
for every topic; before anything is timed, utility, cost, depth and what remains of utility are compared, as cwl-eval
loses readers in its totals (docs/user-models.md).

    python benchmarks/user_models.py
    python benchmarks/user_models.py --models all --rounds 3
"""

from __future__ import annotations

import importlib.util
import os
import random
import statistics
import sys
import tempfile
from pathlib import Path

from shared import ROOT, parser_of, spread, used_by

QUANTITIES = ("EU", "ETU", "EC", "ETC", "ED")
COMPARED = ("EU", "EC", "ED", "ResEU")

MODELS = {
    "INSTCWLMetric(2)": "INST(T=2,max_rel=1{})",
    "RBPCWLMetric(0.9)": "CWL_RBP(p=0.9,max_rel=1{})",
    "NDCGCWLMetric(10)": "SDCG(max_rel=1{})@10",
    "BPMCWLMetric(1,10)": "BPM(T=1,max_rel=1{})@10",
}
"""Lines for cwl-eval, and the same here."""


def written(folder: Path, topics: int, depth: int, judged: int) -> None:
    """Judgments, a run whose lines stand in the order of its scores."""
    chance = random.Random(1)
    with open(folder / "qrels", "w") as qrels, open(folder / "run", "w") as run:
        for topic in range(1, topics + 1):
            documents = [f"clueweb09-en{number:010d}" for number in chance.sample(range(8_000_000), depth)]
            for document in chance.sample(documents, judged):
                qrels.write(f"{topic} 0 {document} {int(chance.random() < 0.2)}\n")
            run.write("".join(f"{topic} Q0 {d} {i} {depth - i} run\n" for i, d in enumerate(documents, start=1)))


def measured(command: list[str], folder: Path, printed: bool = False) -> tuple[float, str]:
    """Seconds of processors that a command and its children take, and what it prints if that is asked for."""
    found = importlib.util.find_spec("cwl")
    if found is None:
        raise SystemExit("cwl-eval is not installed")
    # It looks for its measures as for modules of programs that start in its own folder.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *(found.submodule_search_locations or ())])}
    with tempfile.TemporaryFile("w+") as output:
        used = used_by(command, cwd=folder, stdout=output, env=environment)
        output.seek(0)
        return used.processor, output.read() if printed else ""


def differences(models: list[str], ours: str, theirs: str) -> tuple[int, float]:
    """How many values were compared, and the largest difference."""
    names = [*QUANTITIES, *(f"Res{name}" for name in QUANTITIES)]
    mine: dict[str, list[float]] = {}
    for line in ours.splitlines():
        _, topic, value = line.split("\t")
        mine.setdefault(topic, []).append(float(value))
    seen: dict[str, int] = {}
    found = []
    for line in theirs.splitlines():
        topic, _, *numbers = line.split("\t")
        model = seen[topic] = seen.get(topic, -1) + 1
        for name in COMPARED:
            place = names.index(name)
            found.append(abs(float(numbers[place]) - mine[topic][model * len(names) + place]))
    if [*set(seen.values())] != [len(models) - 1]:
        raise SystemExit("cwl-eval did not print every model for every topic")
    return len(found), max(found)


def main() -> int:
    """Print a table."""
    parser = parser_of(__doc__, topics=100, depth=1000, judged=200, rounds=5)
    parser.add_argument("--models", choices=("one", "all"), default="one", help="INST alone, or four")
    options = parser.parse_args()
    models = [*MODELS][: 1 if options.models == "one" else None]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, options.topics, options.depth, options.judged)
        (folder / "models").write_text("".join(f"{model}\n" for model in models))
        asked = [
            part
            for model in models
            for rest in ("", "Res")
            for quantity in QUANTITIES
            for part in ("-m", MODELS[model].format(f",of={rest}{quantity}"))
        ]
        irev = [sys.executable, "-m", "irev", "eval", "-q", "--digits", "6", *asked, "qrels", "run"]
        peer = [sys.executable, "-m", "cwl.cwl_eval", "-r", "-m", "models", "qrels", "run"]
        number, most = differences(models, measured(irev, folder, True)[1], measured(peer, folder, True)[1])
        print(f"{number} values compared, which differ by at most {most:.6f}")
        samples = [(measured(irev, folder)[0], measured(peer, folder)[0]) for _ in range(options.rounds)]
    ratios = [theirs / mine for mine, theirs in samples]
    seconds = [statistics.median(column) for column in zip(*samples, strict=True)]
    print(f"cwl-eval ÷ irev: {spread(ratios)} ({seconds[1]:.2f} s and {seconds[0]:.2f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
