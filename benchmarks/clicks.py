"""Measure `irev online ab` against pandas doing the same with a log of an A/B test: read, join, group by user.

A log is made of one block of events that is repeated with other ids, so that users come back. Whole processes, in
turns: wall clock, processor time, and the most memory of each. pandas reads the log whole, joins, checks what irev
checks but for documents that were clicked, and groups by impression and user; its values are compared with irev's.

    python benchmarks/clicks.py                          # 5 million events, both
    python benchmarks/clicks.py --events 50000000 --alone  # irev alone
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from shared import used_by

BLOCK = 40_000
"""Impressions of a block."""

COMING_BACK = 25
"""After so many blocks, the same users come again."""

PANDAS = """
import json, sys
import pandas as pd

path = sys.argv[1]
if path.endswith(".csv"):
    names = ("impression", "user", "query", "bucket", "documents", "document")
    log = pd.read_csv(path, dtype={name: "str" for name in names})
else:
    log = pd.read_json(path, lines=True, dtype=False)
shown = log[log.event == "impression"][["impression", "time", "user", "bucket", "documents"]]
done = log[log.event == "click"][["impression", "time", "position", "dwell"]]
del log
assert not shown.impression.duplicated().any()
shown["length"] = shown.documents.str.count(" ") + 1 if path.endswith(".csv") else shown.documents.str.len()
assert (shown.groupby("user").bucket.nunique() == 1).all()
clicks = done.merge(shown[["impression", "time", "length"]], on="impression", how="left", suffixes=("", "_shown"))
assert clicks.time_shown.notna().all()
assert (clicks.time >= clicks.time_shown).all() and clicks.position.between(1, clicks.length).all()
clicks["after"] = clicks.time - clicks.time_shown
clicks["reciprocal"] = 1 / clicks.position
of = clicks.groupby("impression").agg(
    clicks=("position", "size"), first=("after", "min"), highest=("reciprocal", "max"),
    reciprocal=("reciprocal", "sum"), dwell=("dwell", "sum"), dwells=("dwell", "count"),
)
joined = shown[["impression", "user", "bucket"]].merge(of, left_on="impression", right_index=True, how="left").fillna(
    {name: 0 for name in of.columns}
)
joined["clicked"] = joined.clicks > 0
users = joined.groupby(["bucket", "user"]).agg(
    impressions=("impression", "size"), **{name: (name, "sum") for name in (*of.columns, "clicked")}
)
found = {}
for metric, (y, x) in {
    "ctr": ("clicked", "impressions"), "clicks": ("clicks", "impressions"), "first_click": ("first", "clicked"),
    "max_rr": ("highest", "clicked"), "mean_rr": ("reciprocal", "clicks"), "dwell": ("dwell", "dwells"),
}.items():
    for bucket, some in users.groupby(level=0):
        some = some[some[x] > 0]
        value = some[y].sum() / some[x].sum()
        n = len(some)
        rest = some[y] - value * some[x]
        found[f"{metric} {bucket}"] = [value, (n / (n - 1) * (rest**2).sum()) ** 0.5 / some[x].sum()]
json.dump(found, sys.stdout)
"""


def block(rng: random.Random) -> tuple[bytes, bytes, int]:
    """A block of events in JSON and in CSV, with ids that begin with ``i000000`` and ``u000000``; and how many."""
    lines, rows, moment = [], [], 1.7e9
    for number in range(BLOCK):
        moment += rng.random()
        user = rng.randrange(BLOCK // 4)
        documents = [f"d{each:07d}" for each in rng.sample(range(10**7), 10)]
        shown = {
            "event": "impression",
            "impression": f"i000000{number:05d}",
            "time": round(moment, 3),
            "user": f"u000000{user:05d}",
            "query": f"q{rng.randrange(10**4)}",
            "bucket": "old" if user % 2 else "new",
            "documents": documents,
        }
        events = [shown]
        for place in range(10):
            if rng.random() < 0.3 / (place + 1) ** 0.5:
                events.append(
                    {
                        "event": "click",
                        "impression": shown["impression"],
                        "time": round(moment + 30 * rng.random(), 3),
                        "position": place + 1,
                        "document": documents[place],
                        "dwell": round(100 * rng.random(), 1),
                    }
                )
        for event in events:
            lines.append(json.dumps(event) + "\n")
            cells = {name: " ".join(value) if isinstance(value, list) else str(value) for name, value in event.items()}
            rows.append(",".join(cells.get(name, "") for name in COLUMNS) + "\n")
    return "".join(lines).encode(), "".join(rows).encode(), len(lines)


COLUMNS = ("event", "impression", "time", "user", "query", "bucket", "documents", "position", "document", "dwell")


def written(folder: Path, events: int, style: str) -> tuple[Path, int]:
    """A log, and how many events it has."""
    in_json, in_csv, size = block(random.Random(1))
    text = in_csv if style == "csv" else in_json
    path = folder / f"log.{style}"
    made = 0
    with open(path, "wb") as file:
        if style == "csv":
            file.write((",".join(COLUMNS) + "\n").encode())
        while made < events:
            number = made // size
            again = text.replace(b"i000000", b"i%06d" % number).replace(b"u000000", b"u%06d" % (number % COMING_BACK))
            file.write(again)
            made += size
    return path, made


def measured(command: list[str]) -> tuple[float, float, float, bytes]:
    """Wall clock and processor time in seconds, the most memory in GB, and what was printed."""
    with tempfile.TemporaryFile() as out:
        used = used_by(command, cwd=None, stdout=out)
        out.seek(0)
        return used.wall, used.processor, used.peak * 1e6 / 2**30, out.read()


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--style", action="append", choices=("jsonl", "csv"))
    parser.add_argument("--alone", action="store_true", help="irev alone: pandas may need more memory than there is")
    asked = parser.parse_args()
    print("| events | log | | seconds | processor | memory |\n|---|---|---|---|---|---|", flush=True)
    for style in asked.style or ("jsonl", "csv"):
        with tempfile.TemporaryDirectory() as folder:
            path, events = written(Path(folder), asked.events, style)
            size = f"{style}, {path.stat().st_size / 2**30:.1f} GB"
            ours = measured([sys.executable, "-m", "irev", "online", "ab", "-f", "json", str(path)])
            print(f"| {events:,} | {size} | irev | {ours[0]:.1f} | {ours[1]:.1f} | {ours[2]:.2f} GB |", flush=True)
            if asked.alone:
                continue
            theirs = measured([sys.executable, "-c", PANDAS, str(path)])
            print(f"| {events:,} | {size} | pandas | {theirs[0]:.1f} | {theirs[1]:.1f} | {theirs[2]:.2f} GB |")
            times = " | ".join(f"{b / a:.1f}" for a, b in zip(ours[:3], theirs[:3], strict=True))
            print(f"| | | pandas ÷ irev | {times} |", flush=True)
            found = {f"{each['metric']} {each['bucket']}": each for each in json.loads(ours[3])["contrasts"]}
            for name, (value, error) in json.loads(theirs[3]).items():
                for mine, other in ((found[name]["value"], value), (found[name]["error"], error)):
                    if abs(mine - other) > 1e-6 * abs(other):
                        raise SystemExit(f"{name}: {mine} and {other} differ")


if __name__ == "__main__":
    main()
