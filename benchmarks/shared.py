"""What these scripts share: their options, what whole processes take, and how ratios are written."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent


def parser_of(doc: str | None, **numbers: int) -> argparse.ArgumentParser:
    """A parser with an option for each whole number and its default: ``experiments=1000`` is ``--experiments``."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser


class Used(NamedTuple):
    """What a command and its children took: seconds by the clock and of processors, and the largest peak, in MB."""

    wall: float
    processor: float
    peak: float


def used_by(command: Sequence[str], **how: Any) -> Used:
    """Run a command, in the folder of irev and without its output unless `how` says otherwise, as `Popen` has it."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, **{"cwd": ROOT, "stdout": subprocess.DEVNULL, **how})
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command[:4])} … ended with {os.waitstatus_to_exitcode(status)}")
    return Used(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)


def spread(ratios: Sequence[float], digits: int = 1) -> str:
    """The least, the median and the largest."""
    low, middle, high = (f"{of(ratios):.{digits}f}" for of in (min, median, max))
    return f"{low} / **{middle}** / {high}"
