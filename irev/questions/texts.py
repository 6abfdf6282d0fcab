"""Texts of queries and documents, to be shown beside their ids: choices that several questions share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from irev.base.choice import choice
from irev.base.kinds import File
from irev.base.records import dataclass


@dataclass(frozen=True)
class Texts:
    """The files that have the texts."""

    titles: str | None = choice(
        None,
        "texts of the queries, shown beside their ids: lines `id TAB text`, JSON lines, or ir_datasets:ID",
        File(),
        "--titles --topics",
        heading="Files",
    )
    documents: str | None = choice(
        None, "texts of documents, such as their titles, in the same formats", File(), heading="Files"
    )

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were named."""
        return tuple(path for path in (self.titles, self.documents) if path is not None)

    def of_queries(self, queries: Collection[bytes], large: bool) -> dict[bytes, str]:
        """The texts of some queries; `large` as the setting ``allow_large``."""
        return _read(self.titles, queries, large, "queries")

    def of_documents(self, documents: Collection[bytes], large: bool) -> dict[bytes, str]:
        """The texts of some documents."""
        return _read(self.documents, documents, large, "documents")


NO_TEXTS = Texts()


def _read(
    path: str | None, ids: Collection[bytes], large: bool, kind: Literal["queries", "documents"]
) -> dict[bytes, str]:
    """The texts in a file; none without a file, which is usual, and then nothing is loaded for them."""
    if path is None:
        return {}
    from irev.reading.titles import texts_of

    return texts_of(path, {*ids}, large, kind)
