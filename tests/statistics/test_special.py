"""The functions of scipy.special, without what its package imports first: the same, in a process of their own."""

import ast
import subprocess
import sys

import pytest
import scipy.special
from conftest import ROOT, environment

from irev.statistics import special

NAMES = sorted(
    {
        node.attr
        for path in ROOT.glob("irev/**/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "special"
    }
)


def ran(code: str) -> str:
    """What a new process prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert "" == done.stderr
    return done.stdout


def test_all_are_those_of_scipy():
    assert len(NAMES) > 10
    assert [getattr(scipy.special, name) for name in NAMES] == [getattr(special, name) for name in NAMES]


def test_they_come_without_the_package_and_stay_the_same_when_it_comes():
    code = f"""
import sys
from irev.statistics import special
first = [getattr(special, name) for name in {NAMES}]
print("scipy.special" in sys.modules, "numpy.f2py" in sys.modules)
import scipy.special
print(all(getattr(scipy.special, name) is each for name, each in zip({NAMES}, first)))
print(scipy.special.logsumexp([0.0, 0.0]) > 0.69, scipy.special.__name__)
"""
    assert "False False\nTrue\nTrue scipy.special\n" == ran(code)


def test_where_other_threads_run_the_package_is_imported():
    """They may be importing it themselves."""
    code = """
import sys, threading
from irev.statistics import special
done = threading.Event()
threading.Thread(target=done.wait).start()
print(special.stdtr(5, 0.0), "scipy.special" in sys.modules)
done.set()
"""
    assert "0.5 True\n" == ran(code)


def test_where_a_version_has_them_elsewhere_the_package_is_imported():
    code = """
import sys
from irev.statistics import special
def refuse(): raise ImportError
special._alone = refuse
print(special.ndtr(0.0), "scipy.special" in sys.modules)
"""
    assert "0.5 True\n" == ran(code)


def test_what_is_none_of_them_is_no_attribute():
    with pytest.raises(AttributeError):
        special.no_such_function  # noqa: B018
    assert not hasattr(special, "__path__")
