"""Processes that are forked while threads work: their copies lack the threads, and must not wait for them."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT, environment

from irev.base import workers

pytestmark = pytest.mark.skipif(not workers.COPIES, reason="processes are no copies")

HELD = {
    "a cached property": """
class Slow:
    @cached_property
    def value(self):
        if threading.current_thread() is not threading.main_thread():
            reached()
        return 7
work = lambda: Slow().value
task = lambda number: Slow().value
""",
    "a registry that is being filled": """
def fill():
    reached()
    table.add("one", 7)
table = Registry("thing", fill)
work = lambda: table["one"]
task = lambda number: table["one"]
""",
    "judgments that are being read": """
def read(*given):
    reached()
    return 7
futures._read = read
def work():
    with futures._READING:
        read()
def task(number):
    with futures._READING:
        return 7
""",
    "processes that begin": """
def work():
    with workers._starting:
        reached()
def task(number):
    return [found for _, found in workers.results(lambda number: 7, 1, 1)][0]
""",
}
"""What a thread does while the process is forked, and what the copy does then."""

PROGRAM = """
import os, sys, threading, time
from irev.base import workers
from irev.base.records import cached_property
from irev.base.registry import Registry
from irev.extensions.clusters import futures

started = threading.Event()
def reached():
    started.set()
    time.sleep(0.5)

exec(sys.argv[1])
thread = threading.Thread(target=work)
thread.start()
started.wait()
process = os.fork()
if not process:
    os._exit(task(0))
thread.join()
os._exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"""


@pytest.mark.parametrize("held", HELD)
def test_a_copy_does_not_wait_for_threads_that_it_lacks(held):
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, HELD[held]]
    done = subprocess.run(command, env=environment(PYTHONWARNINGS="ignore"), capture_output=True, timeout=60)
    assert (7, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_no_module_has_the_cached_property_that_locks():
    """That of Python 3.11 holds one lock for all instances of a class."""
    found = [
        str(path)
        for path in (ROOT / "irev").rglob("*.py")
        if re.search(r"from functools import .*\bcached_property\b", path.read_text(encoding="utf-8"))
    ]
    assert [] == found
