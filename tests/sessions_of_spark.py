"""One small session of Spark for all tests that want one; without pyspark or Java they are skipped, and say so."""

import pytest

import irev
from irev.spark import session
from irev.spark.frames import require_java, require_pyspark

# Java that runs for a minute is not worth the time to make it fast.
HASTE = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
QUICK = {
    "spark_ui_enabled": "false",
    "spark_ui_showConsoleProgress": "false",
    "spark_sql_shuffle_partitions": "3",
    "spark_log_level": "ERROR",
    "spark_driver_extraJavaOptions": HASTE,
    "spark_executor_extraJavaOptions": HASTE,
}

MARKS = [
    pytest.mark.spark,
    pytest.mark.usefixtures("spark"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of sockets that py4j leaves to the collector
]


@pytest.fixture(scope="session")
def spark():
    try:
        require_pyspark()
        require_java()
    except irev.InputError as missing:
        pytest.skip(str(missing))
    found = session(spark_master="local[2]", **QUICK)
    yield found
    found.stop()
