"""Commands as a reader of the documentation types them, where ``irev`` is the package beside these tests.

They run in bash, or in this process, where irev is all that bash would run; that takes a tenth of the time.
"""

import contextlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

from conftest import environment, in_process

ALONE = re.compile(r"""(irev (?:[\w ./:=@+,%-]|'[^']*'|"[^"$`\\]*")+?)( 2>/dev/null)?""")

IREV = 'irev() { "$PYTHON" -m irev "$@"; }\n'


def typed(command: str, folder: Path, together: bool = False) -> tuple[int, str, str]:
    """Status, standard output and standard error of a command typed in `folder`.

    `together`: both as the one text that a terminal shows, in place of standard output.
    """
    alone = ALONE.fullmatch(command)
    if alone is not None:
        with contextlib.chdir(folder):
            here = in_process(*shlex.split(alone[1])[1:], together=together and alone[2] is None)
        return here.status, here.stdout.decode("utf-8", "backslashreplace"), "" if alone[2] else here.stderr
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
