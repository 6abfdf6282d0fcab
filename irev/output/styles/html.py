"""A page of tables, which needs no other file; the best number of each column is bold.

Ids are text, never markup, and one in a script that runs from right to left moves nothing around it. Screen readers are
told which cells are headings, and of what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from irev.output.pages import Attributes, Markup, isolated, literal, plain_page, tag
from irev.output.report import MARK, Cell, Report, Sheet

NAMES = "standard"

_STYLE = """\
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
table { border-collapse: collapse; }
caption { text-align: left; padding-bottom: 0.6em; }
th, td { padding: 0.2em 0.8em; text-align: left; font-weight: normal; white-space: pre-wrap; }
th[scope="col"] { font-weight: bold; vertical-align: bottom; }
tbody { border-top: 1px solid; }
.number { text-align: right; font-variant-numeric: tabular-nums; }"""

_RAISED_STYLE = "\nsup { display: inline-block; text-align: left; line-height: 0; }"
"""For tables in which something is raised: it takes as much room in all rows, so that digits stand below each other."""

_REPORT_STYLE = f"""\
{_STYLE}
body {{ margin: 1.5em; line-height: 1.4; }}
h1 {{ font-size: 1.4em; }}
p {{ max-width: 45em; margin: 0.6em 0; }}
table {{ margin-top: 1.5em; }}
caption {{ font-weight: bold; }}
.note, .quiet {{ color: #595959; }}
.code {{ font-family: ui-monospace, monospace; font-size: 0.8em; padding: 0.2em 0.3em; white-space: pre; }}
.number, .good, .bad, .quiet {{ white-space: pre; }}
.frame {{ overflow-x: auto; }}
.good {{ color: #00632b; }}
.bad {{ color: #b00020; }}
@media (prefers-color-scheme: dark) {{
.note, .quiet {{ color: #a8a8a8; }}
.good {{ color: #6fd68f; }}
.bad {{ color: #ff8f8f; }}
}}"""
"""Colours that can be read on a light and on a dark page."""


def write(report: Report) -> bytes:
    """The page; of tables that stand for themselves, with what is said about them as their captions."""
    if report.bare:
        sheets = list(report.sheets)
        tables = (line for sheet in sheets for line in _table(sheet, filter(None, (sheet.title, *sheet.notes))))
        raised = any(cell.above for sheet in sheets for section in sheet.sections for row in section for cell in row)
        return plain_page(sheets[0].title or report.title, _STYLE + (_RAISED_STYLE if raised else ""), tables)
    return plain_page(report.title or "Report", _REPORT_STYLE, _body(report))


_FRAGMENT_STYLE = """\
.irev { line-height: 1.4; overflow-x: auto; }
.irev table { border-collapse: collapse; margin: 0.6em 0; }
.irev caption { text-align: left; padding-bottom: 0.3em; color: inherit; }
.irev th, .irev td { padding: 0.1em 0.7em; text-align: left; font-weight: normal; white-space: pre-wrap; }
.irev th[scope="col"] { font-weight: bold; vertical-align: bottom; }
.irev tbody { border-top: 1px solid; }
.irev .number { text-align: right; font-variant-numeric: tabular-nums; }
.irev p { margin: 0.3em 0; max-width: 60em; }
.irev .title { font-weight: bold; }
.irev .note, .irev .quiet { opacity: 0.75; }
.irev .good { color: #2e8540; }
.irev .bad { color: #d43f3a; }"""
"""Whether the page around it is light or dark is not known."""


def fragment(report: Report) -> str:
    """The findings as a part of somebody else's page, such as a notebook, whose looks they do not touch."""
    lines = ['<div class="irev">', f"<style>\n{_FRAGMENT_STYLE}\n</style>"]
    if report.bare:
        for sheet in report.sheets:
            lines += _table(sheet, filter(None, (sheet.title, *sheet.notes)))
    else:
        lines += [f'<p class="title">{isolated(report.title)}</p>'] if report.title else []
        lines += _contents(report)
    text = "\n".join((*lines, "</div>"))
    return text.encode("utf-8", "replace").decode("utf-8")


def _body(report: Report) -> Iterator[str]:
    yield "<body>"
    if report.title:
        yield f"<h1>{isolated(report.title)}</h1>"
    yield from _contents(report)
    yield "</body>"


def _contents(report: Report) -> Iterator[str]:
    yield from _paragraphs(report.lead)
    for sheet in report.sheets:
        if sheet.header:
            table = "\n".join(_table(sheet, [sheet.title] if sheet.title else []))
            about: Attributes = {
                "class": "frame",
                "tabindex": 0,
                "role": "region",
                "aria-label": f"Table: {sheet.title}",
            }
            yield tag("div", about, Markup(f"\n{table}\n"))  # what is wider than the page scrolls, by keys too
        yield from _paragraphs(sheet.notes, ' class="note"')
    yield from _paragraphs(report.notes)


def _paragraphs(sentences: Iterable[str], attributes: str = "") -> Iterator[str]:
    for sentence in sentences:
        yield f"<p{attributes}>{isolated(sentence.strip())}</p>"


def _table(table: Sheet, caption: Iterable[str]) -> Iterator[str]:
    yield f'<table id="{table.anchor}">' if table.anchor else "<table>"
    above = "<br>".join(map(isolated, caption))
    if above:
        yield f"<caption>{above}</caption>"
    yield "<thead>"
    yield _row(_heading(label, place, table) for place, label in enumerate(table.header))
    yield "</thead>"
    rows = [row for section in table.sections for row in section]
    raised = [max((len(row[place].above) for row in rows), default=0) for place in range(len(table.header))]
    for section in table.sections:
        yield "<tbody>"
        for row in section:
            yield _row(_cell(cell, place, table, raised[place]) for place, cell in enumerate(row))
        yield "</tbody>"
    yield "</table>"


def _row(cells: Iterator[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _heading(label: str, place: int, table: Sheet) -> str:
    return f'<th scope="col"{_class(place, table)}>{literal(label)}</th>'


def _cell(cell: Cell, place: int, table: Sheet, raised: int) -> str:
    text = literal(cell.text)
    if place < table.labels:
        return f'<th scope="row"{_class(place, table, cell.tone)}><bdi>{text}</bdi></th>' if text else "<td></td>"
    mark = MARK if cell.significant else ""
    text = f"<strong>{text}</strong>" if cell.best else f"<u>{text}</u>" if cell.second else text
    above = f'<sup style="width: {raised}ch">{literal(cell.above)}</sup>' if raised else ""
    return f"<td{_class(place, table, cell.tone)}>{text}{mark}{above}</td>"


def _class(place: int, table: Sheet, tone: str = "") -> str:
    classes = " ".join(filter(None, ("" if place in table.texts else "number", tone)))
    return f' class="{classes}"' if classes else ""
