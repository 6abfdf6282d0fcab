"""URLs in place of paths: what fsspec opens is read as the same file is, and what it cannot is told."""

import gzip
import sys

import fsspec
import pytest
from outcomes import refused

import irev as package
from irev.base.errors import InputError
from irev.reading.sources import Source, is_url

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n"
RUN = b"q1 Q0 a 1 3 one\nq2 Q0 c 1 2 one\nq1 Q0 b 2 2 one\n"  # of which the rows of a query are apart


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "run").write_bytes(RUN)
    (tmp_path / "run.gz").write_bytes(gzip.compress(RUN))
    monkeypatch.chdir(tmp_path)
    memory = fsspec.filesystem("memory")
    for name in ("qrels", "run", "run.gz"):
        memory.pipe(f"/irev/{name}", (tmp_path / name).read_bytes())
    yield tmp_path
    memory.rm("/irev", recursive=True)


@pytest.mark.parametrize("run", ["memory://irev/run", "memory://irev/run.gz", "file://{}/run", "file://{}/run.gz"])
def test_a_url_is_read_as_the_file_is(irev, folder, run):
    run = run.format(folder)
    assert irev("-q", "qrels", "run").stdout == irev("-q", "memory://irev/qrels", run).stdout
    assert package.evaluate("qrels", "run").to_dict() == package.evaluate("memory://irev/qrels", run).to_dict()


def test_a_url_has_the_digest_of_its_content(folder):
    with Source("memory://irev/run", digest=True) as url, Source("run", digest=True) as file:
        assert file.digest() == url.digest()


def test_lists_and_several_sets_of_judgments_may_have_urls(irev, folder):
    (folder / "list").write_text("memory://irev/run\nrun\n")
    done = irev("-mAP", "-ftable", "--qrels", "a=memory://irev/qrels", "--qrels", "b=qrels", "@list")
    assert 0 == done.status
    assert "their names are memory://irev/run, run" in done.stderr


def test_urls_may_be_chained_as_fsspec_chains_them(irev, folder):
    assert irev("qrels", "run").stdout == irev("qrels", "simplecache::memory://irev/run").stdout


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory://irev/none", "memory://irev/none: there is no such file"),
        ("file:///none/none", "file:///none/none: there is no such file"),
        ("file:///", "file:///: this is a directory; expected a file"),
        ("nowhere://x", "nowhere://x: cannot be read (ValueError: Protocol not known: nowhere"),
        ("nowhere://\x1b[31m", r"nowhere://\x1b[31m: cannot be read"),
    ],
)
def test_a_url_that_cannot_be_read_is_an_error(irev, folder, url, said):
    refused(irev("qrels", url), said)
    refused(irev(url, "run"), said)


def test_without_fsspec_it_is_told_how_to_install_it(irev, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    refused(irev("qrels", "s3://bucket/run"), "s3://bucket/run: fsspec is needed to read URLs; pip install fsspec")


def test_what_breaks_off_while_it_is_copied_is_an_error(folder, monkeypatch):
    class Breaking:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def read(self, size):
            raise ConnectionError("the peer\nis gone")

    monkeypatch.setattr(fsspec, "open", lambda *_, **__: Breaking())
    with pytest.raises(InputError, match=r"s3://b/r: cannot be read \(ConnectionError: the peer is gone\)"):
        package.evaluate("qrels", "s3://b/r")


def test_files_whose_names_are_like_urls_are_named_with_their_folder(irev, folder):
    (folder / "memory:").mkdir()
    (folder / "memory:" / "run").write_bytes(RUN)
    assert irev("qrels", "run").stdout == irev("qrels", "./memory://run").stdout


@pytest.mark.parametrize("path", ["s3://b/run", "S3://b", "gs+x://b", "filecache::s3://b/run", "a.b-c://"])
def test_what_begins_with_a_scheme_is_a_url(path):
    assert is_url(path)


@pytest.mark.parametrize(
    "path", ["", "run", "./s3://b", "/s3://b", "s3:/b", "3s://b", "a b://c", "://b", "ir_datasets:x"]
)
def test_what_does_not_is_a_path(path):
    assert not is_url(path)
