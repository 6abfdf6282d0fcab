"""Tables for people, drawn for a terminal, with the sentences of a report around them.

When columns do not fit the screen they are spread over several tables, one below the other, so that it can be read at
80 columns. Ids are text, never markup; control characters in them are shown escaped, and so is what a log could take
for an order.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from irev.base.errors import escaped, without_orders
from irev.base.records import dataclass
from irev.output.report import MARK, Cell, Report, Sheet
from irev.output.terminal import GAP, broken, console, isolated, shortened

NAMES = "standard"
SCREEN = True

_RULED = box.Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
"""A rule below the header, and one between sections."""

_NARROWEST = 20

_NAME = 12
"""No name is shortened to less."""

_LEAST = 6
"""No column of labels is folded at less."""

_SHORT = 12
"""Labels of this length are folded only where there is no room for a single other column beside them."""

_WORDS = 30
"""A column of longer texts is given this much, if there is no more: texts can be folded."""

_TONES = {"good": "green", "bad": "red", "quiet": "dim", "total": "bold"}

_PLACE = "\ue000"
"""Stands for a blank at the end of a cell, where Rich leaves no real one. Text that is safe to show never has it."""

_BLANKS = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Blanks at the end of a line, coloured or not."""

BEST = "◂"
"""Stands behind the best number of those that it is compared with, since not every screen has bold type."""

BESTS = "best run"

SECOND, SECONDS = "◃", "second best"


def write(report: Report) -> bytes:
    """The title and the sentences of a report, and each of its sheets as one table or several."""
    output = io.StringIO()
    width = max(report.look.width or 0, _NARROWEST)
    screen = console(output, width, report.look.colour)
    for count, part in enumerate(_parts(report, width)):
        if count:
            screen.print()
        for each in part:
            if isinstance(each, str):
                output.write(each)
            else:
                screen.print(each)
    return _trimmed(output.getvalue())


def _trimmed(text: str) -> bytes:
    """Rich fills every line to the width of the table; nobody needs the blanks at its end."""
    lines = _BLANKS.sub(lambda end: end[0].replace(" ", ""), text.replace(_PLACE, " "))
    # Where it is folded, a line may begin anywhere within a text.
    return isolated(without_orders(lines)).encode("utf-8", "replace")


@dataclass(frozen=True)
class _TableColumn:
    """A column of a table.

    Attributes
    ----------
    label : str
        What stands above it.
    cells : list of str
        One for each row.
    left : bool
        Whether they begin at the left, as texts do; numbers end at the right.
    styles : list of str
        One for each cell, where they have any.
    most : int or None
        The width at which cells are folded.
    """

    label: str
    cells: list[str]
    left: bool = False
    styles: list[str] | None = None
    most: int | None = None

    @property
    def width(self) -> int:
        return max(map(len, [*self.label.split("\n"), *self.cells])) + GAP

    @property
    def whole(self) -> int:
        """The width at which neither a word above it nor a short text in it is broken."""
        return self._unbroken(self.cells)

    @property
    def words(self) -> int:
        """The width at which no short word is broken, neither above it nor in it."""
        return self._unbroken([word for cell in self.cells for word in cell.split()])

    def _unbroken(self, pieces: Sequence[str]) -> int:
        short = min(max(map(len, pieces), default=0), _SHORT)
        return max(short, *map(len, self.label.split()), 0) + GAP

    @property
    def least(self) -> int:
        """The width without which it is not in a table with others."""
        return min(self.width, self.most + GAP) if self.most else self.width

    def text(self, row: int) -> Text:
        return Text(self.cells[row], self.styles[row] if self.styles else "")


def _drawn(
    labels: Sequence[_TableColumn],
    others: Sequence[_TableColumn],
    room: int,
    starts: Collection[int],
    title: str,
    bare: bool,
) -> Iterator[list[Table | Text | str]]:
    """The columns in as many tables as it takes for `room`, each with the labels, and parted before rows at `starts`.

    Tables that stand for themselves have their title inside, and an empty line where others have a rule.
    """
    for group in _fitting(others, room):
        table = Table(
            box=box.SIMPLE_HEAD if bare else _RULED,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
            header_style="bold",
            title=_text(title, "bold") if title else None,
            title_justify="left",
        )
        every = (*labels, *group)
        most = [column.most if place < len(labels) else None for place, column in enumerate(every)]
        rows = len(every[0].cells)
        widths = (
            [_cells_width(column, limit) for column, limit in zip(every, most, strict=True)] if rows > _ROWS else []
        )
        if sum(widths) + GAP * (len(widths) - 1) > room + sum(column.least for column in labels):
            widths = []  # Rich says what is narrower then
        drawn = _ROWS if widths else rows
        for place, column in enumerate(every):
            justify = "left" if column.left else "right"
            least = widths[place] if widths else None
            label = Text(column.label, justify=justify)  # type: ignore[arg-type]
            table.add_column(label, justify=justify, overflow="fold", min_width=least, max_width=most[place])  # type: ignore[arg-type]
        for row in range(drawn):
            if row in starts:
                table.add_section()
            table.add_row(*(column.text(row) for column in every))
        below: list[Text | str] = []
        rule = "" if bare else "─" * (sum(widths) + GAP * (len(widths) - 1))
        for row in range(drawn, rows):
            if row in starts:
                below.append(rule + "\n")
            below += _lines(every, widths, row)
        yield [table, *below]


_ROWS = 1000
"""Rows of a table that Rich draws, which takes it a millisecond each; further ones are put together as it would."""


def _cells_width(column: _TableColumn, most: int | None) -> int:
    """Columns of a terminal that a column takes, where it is folded at `most`."""
    widest = max(map(cell_len, [*column.label.split("\n"), *column.cells]))
    return widest if most is None else min(widest, most)


def _lines(columns: Sequence[_TableColumn], widths: Sequence[int], row: int) -> Iterator[Text | str]:
    """A row of a table: several lines where cells are folded, as text where they have styles."""
    folded = [_folded(column.cells[row], width) for column, width in zip(columns, widths, strict=True)]
    styled = any(column.styles and column.styles[row] for column in columns)
    for parts in itertools.zip_longest(*folded, fillvalue=""):
        line = Text(end="\n")
        for column, width, part in zip(columns, widths, parts, strict=True):
            blanks = " " * (width - cell_len(part))
            line.append(part + blanks if column.left else blanks + part, column.styles[row] if column.styles else "")
            line.append(" " * GAP)
        yield line if styled else line.plain + "\n"


def _folded(cell: str, width: int) -> list[str]:
    if cell_len(cell) <= width:
        return [cell]
    return [line.plain for line in Text(cell).wrap(console(io.StringIO(), width, False), width, overflow="fold")]


def _fitting(columns: Sequence[_TableColumn], width: int) -> Iterator[list[_TableColumn]]:
    """The columns in groups, each no wider than `width` where that is possible."""
    group: list[_TableColumn] = []
    used = 0
    for column in columns:
        if group and used + column.least > width:
            yield group
            group, used = [], 0
        group.append(column)
        used += column.least
    if group or not columns:
        yield group


def _parts(report: Report, width: int) -> Iterator[Sequence[Text | Table | str]]:
    """What empty lines stand between: each is a list of what stands directly below each other."""
    if report.title and not report.bare:
        yield [_text(report.title, "bold")]
    if lead := [*_lead(report)]:
        yield lead
    for sheet in report.sheets:
        title = [_text(sheet.title, "bold")] if sheet.title and not report.bare else []
        for table in _spread(sheet, width, report.bare) if sheet.header else ():
            yield [*title, *table]
            title = []
        if report.bare and not sheet.header:
            yield ()  # where a table would be
        found = [cell for section in sheet.sections for row in section for cell in row] if report.bare else []
        marks = [f"{BEST} {BESTS}"] if any(cell.best for cell in found) else []
        marks += [f"{SECOND} {SECONDS}"] if any(cell.second for cell in found) else []
        if title or sheet.notes or marks:
            yield [*title, *(_text(note, "dim") for note in (*sheet.notes, *marks))]
    if notes := [_text(note) for note in report.notes]:
        yield notes


def _lead(report: Report) -> Iterator[Text]:
    """The sentences before the sheets; an alarm is in colour."""
    for sentence in report.lead:
        yield _text(sentence, "bold red" if report.alarm and sentence.startswith(report.alarm) else "")


def _text(text: str, style: str = "") -> Text:
    """A sentence or a heading; what a log could take for an order is seen when the lines are there."""
    return Text(escaped(text), style)


def _spread(sheet: Sheet, width: int, bare: bool) -> Iterator[list[Table | Text | str]]:
    """A sheet in as many tables as it takes, each with its labels."""
    rows = [row for section in sheet.sections for row in section]
    columns = []
    for place, label in enumerate(sheet.header):
        cells = [row[place] for row in rows]
        styles = [" ".join(filter(None, ("bold" if cell.best else "", _TONES.get(cell.tone, "")))) for cell in cells]
        left = place in sheet.texts
        most = _WORDS if left and not bare else None
        columns.append(_TableColumn(broken(without_orders(escaped(label))), _marked(cells, bare), left, styles, most))
    columns = _with_short_names(columns, sheet.names, sheet.labels, width)
    labels, others = columns[: sheet.labels], columns[sheet.labels :]
    starts = list(itertools.accumulate(len(section) for section in sheet.sections))
    if bare:
        half = max(width // 2, _LEAST) if others else width
        spare = width - sum(column.least for column in columns)
        labels = [
            replace(column, most=min(max(half, column.least - GAP + spare), column.most or width)) for column in labels
        ]
        used = sum(column.least for column in labels)
        yield from _drawn(labels, others, width - used, starts, sheet.title, bare)
    else:
        labels = _within(labels, others, width)
        yield from _drawn(labels, others, width - sum(column.least for column in labels), starts, "", bare)


def _with_short_names(
    columns: list[_TableColumn], names: Collection[int], labels: int, width: int
) -> list[_TableColumn]:
    """The columns with shorter names of runs, where that is what keeps all of them in one table, or in fewer.

    Where two names would look alike then, all are folded instead.
    """
    shares = _shares(columns, names, width)
    if min(shares.values(), default=0) < _NAME:
        repeated = [place for place in names if place < labels]
        shares = {place: _for_fewest(columns, place, labels, width) for place in repeated if len(repeated) == 1}
    shares = {place: share for place, share in shares.items() if share < columns[place].width - GAP}
    short = {place: [shortened(name, share) for name in columns[place].cells] for place, share in shares.items()}
    apart = all(
        len(set(cells)) == len(set(zip(cells, columns[place].cells, strict=True))) for place, cells in short.items()
    )
    folded = [replace(column, most=shares.get(place, column.most)) for place, column in enumerate(columns)]
    return (
        [replace(column, cells=short.get(place, column.cells)) for place, column in enumerate(columns)]
        if apart
        else folded
    )


def _shares(columns: Sequence[_TableColumn], names: Collection[int], width: int) -> dict[int, int]:
    """The widths of names with which all columns stand in one table."""
    room = width - sum(column.width for place, column in enumerate(columns) if place not in names)
    shares: dict[int, int] = {}
    for place in sorted(names, key=lambda place: columns[place].width):
        shares[place] = min(columns[place].width, room // (len(names) - len(shares))) - GAP
        room -= shares[place] + GAP
    return shares


def _for_fewest(columns: Sequence[_TableColumn], place: int, labels: int, width: int) -> int:
    """The largest width of names in a column of labels with which the others stand in as few tables as they can."""
    beside = sum(column.least for other, column in enumerate(columns[:labels]) if other != place)

    def tables(share: int) -> int:
        return len([*_fitting(columns[labels:], width - beside - share - GAP)])

    widest = min(columns[place].width - GAP, max(width // 2 - beside - GAP, _NAME))
    return next((share for share in range(widest, _NAME, -1) if tables(share) == tables(_NAME)), min(widest, _NAME))


def _marked(cells: Sequence[Cell], bare: bool) -> list[str]:
    """Texts with their marks; without one a blank, so that digits stand below each other."""

    def marks(cell: Cell) -> Iterator[str]:
        if best:
            yield BEST if cell.best else SECOND if cell.second else _PLACE
        if starred:
            yield MARK if cell.significant else _PLACE
        if raised:
            yield " " + escaped(cell.above).ljust(raised, _PLACE)

    raised = max((len(cell.above) for cell in cells), default=0)
    best, starred = bare and any(cell.best for cell in cells), any(cell.significant for cell in cells)
    return [without_orders(escaped(cell.text)) + "".join(marks(cell)) for cell in cells]


def _within(columns: Sequence[_TableColumn], others: Sequence[_TableColumn], width: int) -> list[_TableColumn]:
    """The columns folded to leave room for others: those that take less than their share leave the rest to wider ones.

    They take what all the others leave, or half of the width; and more, where that is what keeps short texts, or at
    least short words, in one piece and one other column has room at a time.
    """
    room = max(width // 2, width - sum(column.least for column in others))
    least = [_LEAST] * len(columns)
    for unbroken in ([column.whole for column in columns], [column.words for column in columns]):
        if sum(unbroken) <= width - max((column.least for column in others), default=0):
            room = max(room, sum(unbroken))
            least = [each - GAP for each in unbroken]
            break
    most: dict[int, int] = {}
    spare = room - sum(min(column.width, each + GAP) for column, each in zip(columns, least, strict=True))
    for place in sorted(range(len(columns)), key=lambda place: columns[place].width):
        share = least[place] + max(spare, 0) // (len(columns) - len(most))
        most[place] = min(columns[place].width - GAP, share)
        spare -= most[place] - min(columns[place].width - GAP, least[place])
    return [replace(column, most=most[place]) for place, column in enumerate(columns)]
