"""Hold evaluators against the recorded cases, and write docs/conformance.md's table of what came of it.

    python benchmarks/conformance.py            # whatever is installed
    python benchmarks/conformance.py --write    # and the table in the page

Each is held against the version of trec_eval that it follows. trec_eval, in both versions, is taken from PATH. Packages
of Python are tried with recorded output alone: how flags are read is the adapter's doing and not theirs.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "conformance.md"
BEGIN, END = "<!-- tools: begin -->\n", "<!-- tools: end -->\n"

ADAPTER = [sys.executable, "-W", "ignore", str(ROOT / "benchmarks" / "adapter.py")]
IREV = [sys.executable, "-m", "irev", "eval"]
TOOLS = {
    "irev": ("10.0", IREV),
    "irev --compat 9.0.8": ("9.0.8", [*IREV, "--compat", "9.0.8"]),
    "trec_eval 10.0": ("10.0", ["trec_eval"]),
    "trec_eval 9.0.8": ("9.0.8", ["trec_eval-9.0.8"]),
    "pytrec_eval-terrier": ("9.0.8", [*ADAPTER, "pytrec_eval"]),
    "ir_measures": ("10.0", [*ADAPTER, "ir_measures"]),
    "ranx": ("10.0", [*ADAPTER, "ranx"]),
    "trectools": ("10.0", [*ADAPTER, "trectools"]),
}
"""By their names: the version that each is held against, and how it is called."""


def called(tool: str) -> str:
    """The tool with its version, where it is a package that says so."""
    try:
        return f"{tool} {importlib.metadata.version(tool)}"
    except importlib.metadata.PackageNotFoundError:
        return tool


def tried(tool: str) -> dict[str, dict[str, int]] | None:
    """The counts of a tool by group; None where it is not installed."""
    version, command = TOOLS[tool]
    if shutil.which(command[0]) is None:
        print(f"{tool}: not installed, left out")
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "counts.json")
        asked = [sys.executable, str(ROOT / "tests" / "conformance.py"), "--version", version, "--json", str(path)]
        asked += [*(["--recorded"] if command[: len(ADAPTER)] == ADAPTER else []), *command]
        kept = os.environ | {"NUMBA_CACHE_DIR": str(ROOT / ".venv" / "numba")}  # ranx compiles what it has no cache of
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, env=kept)
        if done.returncode not in (0, 1):
            sys.exit(f"{tool}: {done.stderr}")
        print(f"{tool}: {done.stdout.splitlines()[-1]}")
        counts: dict[str, dict[str, int]] = json.loads(path.read_text(encoding="utf-8"))
        return counts


def cell(count: dict[str, int] | None) -> str:
    """Passed of those that are offered, and how many are not."""
    if count is None:
        return ""
    offered = count["passed"] + count["failed"]
    lacking = f" ({count['not offered']} not offered)" if count["not offered"] else ""
    return f"{count['passed']} of {offered}{lacking}" if offered else "not offered"


def table(found: dict[str, dict[str, dict[str, int]]]) -> str:
    """A row for each group, a column for each tool."""
    groups = sorted({group for counts in found.values() for group in counts}, key=_order)
    rows = [["", *map(called, found)], ["---"] * (len(found) + 1)]
    rows += [[group, *(cell(counts.get(group)) for counts in found.values())] for group in groups]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _order(group: str) -> tuple[bool, str]:
    return group.startswith("Differences"), group


def main() -> None:
    found = {tool: counts for tool in TOOLS if (counts := tried(tool)) is not None}
    written = table(found)
    print(written)
    if "--write" in sys.argv[1:]:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        PAGE.write_text(before + BEGIN + written + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
