"""Measure the memory of a command and of all processes that it begins, together: PSS, which counts what several of them
share once. Linux.

    python benchmarks/memory.py irev eval -j 2 benchmarks/data/msmarco.qrels benchmarks/data/msmarco.run

Every hundredth of a second it adds up /proc/PID/smaps_rollup of the command and of whatever descends from it; shorter
peaks are not seen. The peak of the largest single process is what the kernel says in the end (`ru_maxrss`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

EVERY = 0.01


def family(process: int) -> list[int]:
    """A process and all that descend from it."""
    found = [process]
    for each in found:
        for children in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:
                continue
    return found


def proportional(process: int) -> int:
    """Bytes of a process, those that it shares with others divided among them; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    running = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    most = several = 0
    while True:
        ended, status, usage = os.wait4(running.pid, os.WNOHANG)
        if ended:
            break
        there = family(running.pid)
        most, several = max(most, sum(map(proportional, there))), max(several, len(there))
        time.sleep(EVERY)
    print(f"{several} processes, together {most / 1e6:.0f} MB; the largest {usage.ru_maxrss * 1024 / 1e6:.0f} MB")
    raise SystemExit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
