"""Sessions of Spark, and what it needs that may be missing: pyspark, Java, and a Python for its workers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from irev.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA = 17
"""The oldest Java that Spark 4 runs on."""


def session(**choices: str) -> SparkSession:
    """The session that there is, or a new one.

    Workers of a new one run the Python that runs here, unless PYSPARK_PYTHON names another. Whoever makes a session
    without this function sets that variable before.

    Parameters
    ----------
    **choices
        Settings of Spark for a new one, with underscores for the dots of their names: ``spark_master="local[4]"``.

    Raises
    ------
    InputError
        Where pyspark is missing, and where Java is, or is older than 17.
    """
    require_pyspark()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    remote = os.environ.get("SPARK_REMOTE") or choices.get("spark_remote")
    if not remote or remote.startswith("local"):
        require_java()
    builder: Any = SparkSession.builder.appName("irev")
    for name, value in choices.items():
        builder = builder.config(name.replace("_", "."), value)
    made: SparkSession = builder.getOrCreate()
    return made


def require_pyspark() -> None:
    """Raise `InputError` where pyspark or pyarrow is missing or too old."""
    try:
        import pyarrow  # noqa: F401
        import pyspark
    except ImportError as error:
        raise InputError(
            f"{error.name} is needed to evaluate on Spark", remedy="pip install 'pyspark>=4.0' pyarrow"
        ) from None
    if int(pyspark.__version__.partition(".")[0]) < 4:
        fact = f"Spark 4.0 or later is needed, and pyspark is {pyspark.__version__}"
        raise InputError(fact, remedy="pip install 'pyspark>=4.0' pyarrow")


def require_java() -> None:
    """Raise `InputError` where there is no Java, or one that is too old."""
    remedy = f"install Java {JAVA} or newer, for example openjdk-{JAVA}-jre-headless, or set JAVA_HOME"
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else shutil.which("java")
    try:
        said = subprocess.run(
            [program or "", "-version"], capture_output=True, text=True, check=True, timeout=60
        ).stderr
    except (OSError, subprocess.SubprocessError):
        where = f" in JAVA_HOME, {home}" if home else ""
        raise InputError(f"Spark needs Java {JAVA} or newer, and there is none{where}", remedy=remedy) from None
    found = re.search(r'version "(1\.)?(\d+)', said)
    if found is not None and int(found[2]) < JAVA:
        raise InputError(f"Spark needs Java {JAVA} or newer, and {program} is Java {found[2]}", remedy=remedy)
