"""Formats beside the usual ones: lists, Arrow, search tools, learning to rank, NTCIR, MS MARCO, models, workbooks."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "read lists of documents, Arrow, and files of search tools, learning to rank, NTCIR, MS MARCO, UMBRELA and Excel",
    formats=("lists", "arrow", "elasticsearch", "letor", "msmarco_ntcir", "search_tools", "umbrela", "workbook"),
    lists="lists",
)
