"""Measure what a page of `irev report` takes to make, against `irev eval` of the same runs, and how it is to use.

Whole processes: one warm-up of each, then rounds of eval, report, eval, report, …; processor time of each and all of
its children, with the ratio within a round. The goal is at most twice that of eval, and a second. Then, where
Playwright finds a browser, what the page takes there: until it can be used, elements at first, sorting and filtering.

    python benchmarks/pages.py
    python benchmarks/pages.py --topics 7000 --runs 3 --rounds 9
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from shared import Used, parser_of, spread, used_by

MEASURES = ("nDCG@10", "AP", "RR", "R@100")
"""Those that a page shows unless asked otherwise."""

SIZES = ((1_000, 20, 10), (7_000, 3, 10), (1_000, 5, 1_000))
"""Topics, runs, and documents of each ranking."""

COLUMNS = (
    "topics × runs × depth",
    "report ÷ eval: min / median / max",
    "report − 2 × eval",
    "page",
    "elements",
    "opened",
    "sort, filter",
)

USE = """() => {
  const timed = (act) => {
    const begun = performance.now();
    act();
    document.body.offsetHeight;
    return performance.now() - begun;
  };
  const filter = document.querySelector("#filter");
  const typed = (text) => { filter.value = text; filter.dispatchEvent(new Event("input")); };
  return {
    elements: document.querySelectorAll("*").length,
    usable: performance.getEntriesByType("navigation")[0].duration,
    sort: timed(() => document.querySelectorAll("#queries-table thead button")[1].click()),
    filter: timed(() => typed("99")),
    all: timed(() => typed("")),
  };
}"""


def written(folder: Path, topics: int, runs: int, depth: int) -> list[str]:
    """Judgments and runs: half of the likeliest documents of each topic are judged, and each run has its own order."""
    chance = random.Random(1)
    qrels, rows = [], [[] for _ in range(runs)]
    for topic in range(topics):
        pool = chance.sample(range(8_000_000), max(2 * depth, 60))
        qrels += [f"{topic} 0 {document} {chance.randint(0, 3)}\n" for document in pool[:30:2]]
        for number, lines in enumerate(rows):
            order = sorted(range(len(pool)), key=lambda i: i + chance.gauss(0, 8))[:depth]
            lines += [f"{topic} Q0 {pool[i]} {n} {-n} run{number}\n" for n, i in enumerate(order)]
    names = ["qrels", *(f"run{number}" for number in range(runs))]
    for name, lines in zip(names, [qrels, *rows], strict=True):
        (folder / name).write_text("".join(lines))
    return [str(folder / name) for name in names]


def used(*arguments: str) -> Used:
    """What a command and its children take."""
    return used_by([sys.executable, "-m", "irev", *arguments], stderr=subprocess.DEVNULL)


def processor_time(*arguments: str) -> float:
    """Seconds of processors that a command and its children take."""
    return used(*arguments).processor


def in_browser(page: Path) -> dict[str, float] | str:
    """What the page takes there, or why there is no answer."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return "Playwright is not installed"
    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if found is None and not os.path.exists(playwright.chromium.executable_path):
            return "there is no browser"
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page()
        opened.goto(page.as_uri())
        opened.wait_for_selector("html[data-ready]", state="attached")
        used: dict[str, float] = opened.evaluate(USE)
        browser.close()
        return used


def measured(topics: int, runs: int, depth: int, rounds: int) -> str:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = written(folder, topics, runs, depth)
        page = folder / "page.html"
        evaluate = ["eval", "-c", *(word for measure in MEASURES for word in ("-m", measure)), *files]
        report = ["report", "-o", str(page), *files]
        processor_time(*evaluate), processor_time(*report)
        pairs = [(processor_time(*evaluate), processor_time(*report)) for _ in range(rounds)]
        seen = in_browser(page)
        size = page.stat().st_size / 1e6
    ratios = [made / plain for plain, made in pairs]
    over = sorted(made - 2 * plain for plain, made in pairs)
    met = "met" if statistics.median(over) <= 1 else "missed"
    if not isinstance(seen, str):
        seen = f"{seen['elements']:,} | {seen['usable']:.0f} ms | {seen['sort']:.0f} ms, {seen['filter']:.0f} ms"
    return (
        f"| {topics:,} × {runs} × {depth:,} | {spread(ratios, 2)} |"
        f" {statistics.median(over):.2f} s: {met} | {size:.2f} MB | {seen} |"
    )


def main() -> int:
    """Print a table."""
    parser = parser_of(__doc__, runs=3, depth=10, rounds=5)
    parser.add_argument("--topics", type=int)
    arguments = parser.parse_args()
    given = ((arguments.topics, arguments.runs, arguments.depth),) if arguments.topics else SIZES
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for size in given:
        print(measured(*size, arguments.rounds), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
