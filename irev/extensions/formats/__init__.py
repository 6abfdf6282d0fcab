"""Formats of other programs and evaluations: search tools, learning to rank, NTCIR, MS MARCO, models, workbooks."""

from irev.base.extensions import Extension

EXTENSION = Extension(
    __name__,
    "read files of search tools, learning to rank, NTCIR, MS MARCO, UMBRELA and Excel",
    formats=("elasticsearch", "letor", "msmarco_ntcir", "search_tools", "umbrela", "workbook"),
)
