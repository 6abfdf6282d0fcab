"""Commands as a reader of the documentation types them: in bash, where ``irev`` is the package beside these tests."""

import subprocess
import sys
from pathlib import Path

from conftest import environment

IREV = 'irev() { "$PYTHON" -m irev "$@"; }\n'


def typed(command: str, folder: Path, together: bool = False) -> tuple[int, str, str]:
    """Status, standard output and standard error of a command typed in `folder`.

    `together`: both as the one text that a terminal shows, in place of standard output.
    """
    done = subprocess.run(
        ["bash", "-c", IREV + command],
        cwd=folder,
        env=environment(PYTHON=sys.executable),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if together else subprocess.PIPE,
        timeout=60,
    )
    shown = [(stream or b"").decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr)]
    return done.returncode, shown[0], shown[1]
