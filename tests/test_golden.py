"""What trec_eval printed, recorded, is what irev prints: every case of tests/golden, under both versions."""

import pytest
from test_reference import VERSIONS, recorded


@pytest.mark.parametrize(("path", "flags", "version", "expected"), recorded())
def test_irev_prints_what_trec_eval_printed(irev, path, flags, version, expected):
    files = (str(path.with_suffix(".qrels")), str(path.with_suffix(".run")))
    status, stdout, stderr = irev("eval", "--compat", VERSIONS[version], *flags, *files)

    if expected["exit"] != 0:
        assert (2, b"") == (status, stdout)
        assert stderr.startswith("irev: error: ")
    else:
        assert (0, expected["stdout"]) == (status, stdout.decode("utf-8"))
