"""What may stand where a path does and is no file: URLs, and data sets of ir_datasets.

A URL is ``s3://bucket/run``, ``memory://run``, whatever fsspec and its packages know; a data set is
``ir_datasets:DATASET-ID``. What one names is copied to a temporary file and read as any file is, since a file may have
to be read twice and from its end: of a data set the judgments, as TREC's lines. Texts of its queries and documents are
looked up. The packages fetch what they need and keep it where they always do. A file that is called so is
``./s3://bucket/run`` or ``./ir_datasets:x``.
"""

from __future__ import annotations

import io
import re
import tempfile
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, Literal

from irev.base.errors import InputError, UnreachableError, shown
from irev.base.registry import did_you_mean
from irev.base.text import decoded, encoded
from irev.reading.sources import DATASETS, is_dataset

_PIECE = 1 << 20
"""Bytes that are copied at a time."""


def opened(path: str) -> io.FileIO:
    """What a URL names, or the judgments of a data set, as an open temporary file.

    Raises
    ------
    OSError, UnreachableError, InputError
        As `fetched` and `judgments` do.
    """
    return judgments(path) if is_dataset(path) else fetched(path)


def fetched(url: str) -> io.FileIO:
    """What a URL names, as an open temporary file.

    Raises
    ------
    OSError
        As for files, and when the temporary file cannot be written.
    UnreachableError
        When fsspec, or what it needs for such URLs, is not installed, and when the URL cannot be read.
    """
    return file_of(_pieces(url))


def _pieces(url: str) -> Iterator[bytes]:
    """What a URL names, piece by piece; whatever the package raises becomes an error about the URL."""
    try:
        import fsspec
    except ImportError:
        raise UnreachableError("fsspec is needed to read URLs", url, "pip install fsspec") from None
    try:
        with fsspec.open(url, "rb", compression=None) as source:
            while piece := source.read(_PIECE):
                yield piece
    except (FileNotFoundError, IsADirectoryError, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise UnreachableError(f"cannot be read ({reason})", url) from None


def file_of(pieces: Iterable[bytes]) -> io.FileIO:
    """An open temporary file of some pieces, at its beginning; closed, and so gone, where making a piece fails.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the caller closes it
    try:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:  # unbuffered, a write may end early
                rest = rest[file.write(rest) :]
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


_LINES = 1 << 14
"""Lines that are written at a time."""

_NO_FIELD = r"[\s\0]|\A\Z"


def judgments(path: str) -> io.FileIO:
    """The judgments of a data set as an open file of lines ``query 0 document grade``.

    The second field is the iteration, or the subtopic, of judgments that have one.

    Raises
    ------
    InputError
        When the package is not installed, there is no such data set, it has no judgments, or they cannot be fetched.
    """
    found = _dataset(path)
    if not found.has_qrels():
        raise InputError("this data set has no judgments", path, _near(path))
    with _fetched(path):
        return file_of(_lines(path, found))


def _lines(path: str, found: Any) -> Iterator[bytes]:
    """The judgments of a data set as lines, some at a time."""
    lines = (_line(path, qrel) for qrel in found.qrels_iter())
    while some := b"".join(islice(lines, _LINES)):
        yield some


def _line(path: str, qrel: Any) -> bytes:
    fields: Mapping[str, Any] = qrel._asdict()
    if "relevance" not in fields:
        known = ", ".join(fields)
        raise InputError(f"its judgments have no grades, but {known}", path, "write them to a file, and give that file")
    second = fields.get("iteration") or fields.get("subtopic_id") or "0"
    line = [str(field) for field in (fields["query_id"], second, fields["doc_id"], fields["relevance"])]
    for field in line:
        if re.search(_NO_FIELD, field) or line[0].startswith("#"):
            fact = f"{shown(encoded(line[0] if line[0].startswith('#') else field))} cannot stand in a line of TREC's"
            raise InputError(fact, path, "write the judgments to a CSV file, and give that file")
    return encoded(" ".join(line)) + b"\n"


def records(path: str, kind: Literal["queries", "documents"], wanted: Collection[bytes]) -> Iterator[tuple[bytes, Any]]:
    """The id and the fields of the wanted queries or documents, as far as the data set has them.

    Raises
    ------
    InputError
        As `judgments` does.
    """
    found = _dataset(path)
    if not (found.has_queries() if kind == "queries" else found.has_docs()):
        raise InputError(f"this data set has no {kind}", path, _near(path))
    with _fetched(path):
        if kind == "queries":
            pairs = ((encoded(str(query.query_id)), query) for query in found.queries_iter())
        else:
            store = found.docs_store()
            pairs = ((encoded(str(each.doc_id)), each) for each in store.get_many_iter(map(decoded, wanted)))
        for key, record in pairs:
            if key in wanted:
                yield key, record._asdict()


def _dataset(path: str) -> Any:
    """The data set that a path names."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of how the package is written
            import ir_datasets
    except ImportError:
        remedy = f"pip install ir_datasets; for a file of this name use ./{path}"
        raise InputError("ir_datasets is needed to read data sets", path, remedy) from None
    name = path.removeprefix(DATASETS)
    try:
        return ir_datasets.load(name)
    except KeyError:
        raise InputError("there is no such data set", path, did_you_mean(name, ir_datasets.registry)) from None


def _near(path: str) -> str:
    """What names a part of a data set that may have what it lacks."""
    import ir_datasets

    within = [name for name in ir_datasets.registry if name.startswith(f"{path.removeprefix(DATASETS)}/")]
    return f"there is {', '.join(within[:5])}{' …' if len(within) > 5 else ''}" if within else ""


@contextmanager
def _fetched(path: str) -> Iterator[None]:
    """Where the package fetches and reads: what it raises, whatever that is, becomes an error about the data set."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        remedy = "is there a network, and space on the disk? some data sets need an agreement with their owner"
        raise InputError(f"the data set cannot be downloaded ({reason})", path, remedy) from None
