"""Make the files of this folder: 150 topics of a made-up archive, two runs, and the judgments of a model and a human.

Both runs are equally good: they order the documents of a topic by their true grades, with as much noise. The model
that judged them is kin to the one that ranks in rerank.run: it likes one document in three that stands among the first
five there, and not in bm25.run, whatever its grade. Otherwise it errs on three documents in a hundred. The human judged
40 topics that were drawn at random, and is right.

python sample_data/llm/make.py
"""

import random
from pathlib import Path

FOLDER = Path(__file__).parent
TOPICS, DRAWN, DOCUMENTS, DEPTH = 150, 40, 16, 10


def main() -> None:
    """Write the files."""
    chance = random.Random(1)
    drawn = set(chance.sample(range(TOPICS), DRAWN))
    lines: dict[str, list[str]] = {name: [] for name in ("human.txt", "llm.txt", "bm25.run", "rerank.run")}
    for topic in range(TOPICS):
        rich = chance.betavariate(1.5, 3.5)
        grades = [(chance.random() < rich) + (chance.random() < 0.4 * rich) for _ in range(DOCUMENTS)]
        names = [f"d{number:04d}" for number in range(topic * DOCUMENTS, (topic + 1) * DOCUMENTS)]
        orders = {}
        for run in ("bm25.run", "rerank.run"):
            scores = [grade + chance.gauss(0, 1.2) for grade in grades]
            orders[run] = sorted(range(DOCUMENTS), key=lambda place: -scores[place])
            for rank, place in enumerate(orders[run][:DEPTH], start=1):
                score = f"{9 + scores[place]:.3f}"
                lines[run].append(f"t{topic + 1:03d} Q0 {names[place]} {rank} {score} {run.partition('.')[0]}")
        liked = set(orders["rerank.run"][:5]) - set(orders["bm25.run"][:5])
        for place, grade in enumerate(grades):
            luck = chance.random()
            guess = max(grade, 1) if place in liked and luck < 1 / 3 else grade
            if luck > 0.97:
                guess = 0 if grade else 1
            lines["llm.txt"].append(f"t{topic + 1:03d} 0 {names[place]} {guess}")
            if topic in drawn:
                lines["human.txt"].append(f"t{topic + 1:03d} 0 {names[place]} {grade}")
    for name, found in lines.items():
        (FOLDER / name).write_text("".join(f"{line}\n" for line in found), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
