"""``python -m irev.spark``, and what ``spark-submit`` is given."""

from __future__ import annotations

import sys

from irev.doors.cli import run
from irev.spark.command import command

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], command(), "python -m irev.spark"))
