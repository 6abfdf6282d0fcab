"""Too little memory, or too few threads, is told from other faults, in whatever words a library says so."""

import errno

import pytest

from irev import cli
from irev.base.exit import is_shortage


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"),
        RuntimeError("can't start new thread"),
        ImportError("libx.so: failed to map segment from shared object"),
        caused(ImportError("numpy cannot be imported"), ImportError("x.so: cannot allocate memory")),
    ],
    ids=repr,
)
def test_a_shortage_is_refused_in_words(error, capfd):
    assert is_shortage(error)
    assert 2 == cli._failed(error)
    said = capfd.readouterr().err
    assert "irev: error: " in said
    assert "memory ran out" in said or "no thread can be started" in said


@pytest.mark.parametrize("error", [ValueError("x"), OSError(errno.ENOENT, "x"), ImportError("no module named x")])
def test_other_faults_are_none(error):
    assert not is_shortage(error)
