"""TREC's sheet of a run as a page: pictures, then tables."""

from __future__ import annotations

from irev.output.pages.document import document
from irev.output.pages.html import isolated, tag
from irev.output.pages.numbers import with_numbers
from irev.output.pages.sheets import tables
from irev.output.reports.sheet import SheetReport


def page(report: SheetReport) -> bytes:
    """The page, which needs no other file."""
    pictures = tag("div", {"class": "charts"}, [with_numbers(chart, report.look.digits) for chart in report.charts])
    title = tag("header", None, tag("h1", None, isolated(report.title)))
    return document(report.title, tag("div", None, title, tag("main", None, pictures, *tables(report, level=2))))
