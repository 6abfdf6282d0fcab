"""What every command hands to the styles: the same findings for people, for programs and as a record.

People get sheets, which are tables with sentences around them. Programs get rows, with a value in each column. What
reads a finding back gets the record. A style takes the part that suits it, and only that part is made; which numbers
stand there, and what is said about them, the report decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from irev import __version__
from irev.base.records import dataclass
from irev.base.text import counted, plain, scipy_version

if TYPE_CHECKING:
    from irev.measures import Request


R = TypeVar("R", bound="Report")
T = TypeVar("T")

MARK = "*"
"""The mark of significance, as sentences have it."""

RESTS, ZERO_INSIDE = "§", "¶"
"""The mark of a finding that changes without unjudged documents."""

READER = " (docs/reader.md)"
CONCLUDED = "docs/reader.md: what may be concluded."
"""How notes lead to the page on conclusions."""

CODE = "code"
"""The tone of signs that stand below each other, for which all have to be of one width."""

LAYOUTS = TABLES, PAPER = "tables", "paper"
"""Of a comparison: a table for each measure, or one for a paper."""

Plain = str | float | int | bool | None
"""A value in a row for programs; None is one that there is not."""


Listed = tuple[str | float | int | None, ...]
"""Several values in one place of a row, such as the documents of a list; None is one that there is not."""


class Cell(NamedTuple):
    """A text in a table for people.

    Attributes
    ----------
    text : str
        Safe to show: control characters are escaped already. Signs of markup are not; that is for the style.
    best : bool
        Whether it is the best number of those that it is compared with; it is set in bold type.
    tone : str
        ``good``, ``bad``, ``quiet``, ``total`` in a row about all others, `CODE`, or nothing: a colour or a face in
        terminals, a class in HTML. It repeats what the text says, since many outputs, and readers, have no colours.
    significant : bool
        Whether the mark of significance follows it, a star, or a dagger in a paper; a note of the report says what it
        means, and begins with `MARK`.
    second : bool
        Whether it is the second best; it is underlined.
    above : str
        What stands raised behind it, such as letters of other runs.
    """

    text: str
    best: bool = False
    tone: str = ""
    significant: bool = False
    second: bool = False
    above: str = ""


@dataclass(frozen=True)
class Sheet:
    """A table for people.

    Attributes
    ----------
    title : str
        What it is about, where it does not say so itself.
    header : tuple of str
        What stands above each column.
    labels : int
        How many of the columns, from the left, say what a row is about. They are repeated where a table is spread over
        several because it is too wide.
    texts : frozenset of int
        The places of the columns that hold texts; all others hold numbers, which are aligned at their right end.
    sections : tuple of sections, which are tuples of rows, which are tuples of Cell
        Rows that belong together, each with a cell for every column; a rule is drawn between sections.
    notes : tuple of str
        Sentences that belong below it, such as what a mark means.
    anchor : str
        What references to a whole table of a paper name; the first of its notes is the caption. Nothing for others.
    names : frozenset of int
        The places of the columns that hold names of runs, which may be shortened in the middle where they have no room.
    """

    title: str
    header: tuple[str, ...]
    labels: int
    texts: frozenset[int]
    sections: tuple[tuple[tuple[Cell, ...], ...], ...]
    notes: tuple[str, ...] = ()
    anchor: str = ""
    names: frozenset[int] = frozenset()


class Sort(NamedTuple):
    """What a table is sorted by.

    Attributes
    ----------
    by : Request or str
        A measure, or one of `TOPICS`.
    descending : bool or None
        Whether the highest stand first; None as is wanted most: the best of runs, the worst of queries.
    """

    by: Request | str
    descending: bool | None = None


TOPICS = ("best", "median", "worst", "spread")
"""What a table says of the values that several runs have for a query, by which it can be sorted."""


class Look(NamedTuple):
    """How findings are to look; none of it changes what was found.

    Attributes
    ----------
    names : str or None
        How measures are called: ``standard`` as in papers, ``nDCG@10``; ``trec`` as trec_eval does, ``ndcg_cut_10``;
        None as suits the style.
    digits : int
        How many follow the point, where numbers are rounded; `irev.base.text.EXACT` for as many as it takes.
    wide : bool
        Whether a list of numbers has a row for each query rather than for each number.
    sort : Sort or None
        What a table has its runs or queries sorted by; None has them in their order.
    width : int or None
        The columns of text that a screen has; None where there is no screen.
    colour : bool
        Whether it has colours.
    """

    names: str | None = None
    digits: int = 4
    wide: bool = False
    sort: Sort | None = None
    width: int | None = None
    colour: bool = False

    @property
    def by_measure(self) -> tuple[Request | None, bool | None]:
        """The measure that queries are sorted by, if there is one, and whether the highest stand first."""
        if self.sort is None or isinstance(self.sort.by, str):
            return None, None
        return self.sort.by, self.sort.descending

    def name(self, request: Request) -> str:
        """What a measure is called."""
        return request.standard if self.names == "standard" else request.label


USUAL_WIDTH = 8.0
"""Inches of a figure of which nothing else is said."""

NARROW = 5.0
"""Inches from which on a figure has room for names beside curves, and pictures beside each other."""


class Form(NamedTuple):
    """A form of a figure.

    Attributes
    ----------
    ending : str
        The kind of file, one of `irev.output.figures.ENDINGS`.
    width : float
        Inches that a picture is wide, in which text has its size.
    notes : bool
        Whether a picture has sentences below it, which a paper has in its caption.
    """

    ending: str
    width: float = USUAL_WIDTH
    notes: bool = True

    @property
    def narrow(self) -> bool:
        """Whether there is no room for names beside curves."""
        return self.width < NARROW


class Report:
    """What a command found: one class for each kind of finding, which has the parts that there are.

    Each part is made when it is asked for, and anew each time, so that no style waits for what it does not write.
    """

    look = Look()

    bare: bool = False
    """Whether its tables stand for themselves, in a page or a paper that has words of its own: they have no headings,
    and what is said about them is their caption."""

    def seen(self: R, look: Look) -> R:
        """The same findings with another look."""
        other = copy(self)
        other.__dict__["look"] = look  # a finding is frozen
        return other

    deepest: int = 3
    """Containers of the record that are nested deeper stand in one line of JSON, as lists of plain values do."""

    @property
    def title(self) -> str:
        """What it is about."""
        return ""

    alarm: str = ""
    """How a sentence of the lead begins that has to be seen first: in colour where there are colours."""

    @property
    def lead(self) -> Iterable[str]:
        """Sentences that stand before the sheets."""
        return ()

    @property
    def sheets(self) -> Iterable[Sheet]:
        """Tables for people."""
        return ()

    @property
    def further(self) -> Iterable[Sheet]:
        """Tables that a page has behind a button, and other styles not at all."""
        return ()

    @property
    def notes(self) -> Iterable[str]:
        """Sentences that stand after all sheets."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `rows`, no two alike."""
        return ()

    @property
    def texts(self) -> frozenset[str]:
        """The columns that hold texts, even where all of these are missing."""
        return frozenset()

    @property
    def mixed(self) -> Mapping[str, str]:
        """The columns of numbers in which a text may stand, and what the column of these texts is called.

        That is for styles in which a column has values of one type.
        """
        return {}

    @property
    def exact(self) -> frozenset[str]:
        """The columns that are never rounded, such as p-values."""
        return frozenset()

    @property
    def rows(self) -> Iterable[tuple[Plain | Listed, ...]]:
        """Data for programs, unrounded, with a value for each column.

        Ids are text in which bytes that are no UTF-8 are lone surrogates, as `os.fsdecode` makes them.
        """
        return ()

    @property
    def objects(self) -> Iterable[dict[str, Any]]:
        """The same as `rows` has, by the names of columns, for programs that read objects."""
        columns = self.columns
        return (dict(zip(columns, row, strict=True)) for row in self.rows)

    @property
    def record(self) -> Mapping[str, Any]:
        """Everything. Its numbers are finite; any other is the text ``inf``, ``-inf`` or ``nan``."""
        return {}


Texts = Mapping[str, Cell | str]
"""What a row has under each heading."""


def table(
    title: str,
    labels: Sequence[str],
    header: Sequence[str] | None,
    rows: Iterable[Texts],
    texts: Collection[str] | None = None,
    notes: Iterable[str] = (),
    filled: bool = False,
) -> Sheet:
    """A sheet of rows that have a text under each of the headings that they have something for.

    Parameters
    ----------
    title : str
    labels : sequence of str
        The headings of what rows are about, no two alike, also among `header`.
    header : sequence of str or None
        The others. What a row has under yet another heading is not shown. None: whatever rows have, in their order.
    rows : iterable of mapping of str to (Cell or str)
    texts : collection of str, optional
        The headings of texts; None are those of the labels.
    notes : iterable of str, optional
    filled : bool
        Whether to leave out columns without a text; without rows, all columns.
    """
    celled = [{heading: _cell(content) for heading, content in row.items()} for row in rows]
    there = (name for row in celled for name in row) if header is None else header
    headings = tuple(dict.fromkeys([*labels, *there]))
    if filled:
        headings = tuple(heading for heading in headings if any(row.get(heading, _NOTHING).text for row in celled))
    named = labels if texts is None else texts
    places = frozenset(place for place, heading in enumerate(headings) if heading in named)
    cells = tuple(tuple(row.get(heading, _NOTHING) for heading in headings) for row in celled)
    return Sheet(title, headings, sum(heading in labels for heading in headings), places, (cells,), tuple(notes))


_NOTHING = Cell("")


def _cell(content: Cell | str) -> Cell:
    return content if isinstance(content, Cell) else Cell(content)


def left_out(count: int, kept: int, where: str = "-f json has all") -> list[str]:
    """What is said below a table of rows that it lacks, and where these are."""
    return [f"{counted(count - kept, 'row')} left out; {where}."] if count > kept else []


LISTED = 20
"""So many rows of a long table people see unless they ask for all."""


def first_of(rows: Sequence[T], everything: bool, more: str) -> tuple[Sequence[T], list[str]]:
    """The rows of a long table that people see, and what is said below it of the others, which `more` shows."""
    kept = rows if everything else rows[:LISTED]
    return kept, left_out(len(rows), len(kept), f"{more} shows all")


def stamp(kind: str, version: int = 1) -> dict[str, Any]:
    """How a record begins: what it is, and which version of irev made it."""
    return {"format": kind, "version": version, "irev": __version__}


def stamped(kind: str, version: int = 1) -> dict[str, Any]:
    """The same of a statistical finding, which scipy made too."""
    return {**stamp(kind, version), "scipy": scipy_version()}


def keyed(columns: Sequence[str], row: Sequence[Plain]) -> dict[str, Any]:
    """The values of a row by the names of columns, numbers as JSON has them."""
    return {
        column: plain(value) if isinstance(value, float) else value for column, value in zip(columns, row, strict=True)
    }
