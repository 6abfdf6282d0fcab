"""The runs of a page in the order of a measure: a leaderboard."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from irev.base.records import dataclass
from irev.base.text import MISSING, counted, percent
from irev.evaluation.comparison.contrasts import WORSE
from irev.evaluation.curves import MANY, CurvePicture
from irev.evaluation.result import Outcome, Result
from irev.measures import Request
from irev.output.figures.charts import HIGHEST
from irev.output.pages.html import Markup, framed, sentences, table
from irev.output.report import MARK, Cell, Look, Sheet, Sort
from irev.output.reports.comparison import ComparisonLayout, ComparisonReport, directed, marks_of
from irev.output.reports.grid import AgainstBest, shown, standings

OF_NEIGHBOURS = ("knn_recall", "distance_recall", "distance_ratio")
"""Measures of the nearest neighbours: the judgments have all of these, so that nothing is missing."""


@dataclass(frozen=True)
class Board:
    """What makes a leaderboard of the table of runs.

    Attributes
    ----------
    sort : Request or None
        The measure that runs are ranked by; None for the first.
    known : AgainstBest or None
        What is shown of the difference between each run and the best in that measure.
    title : str
        What the page is called.
    taken : mapping of str to mapping of str to str
        What each run took, by its name and the names of columns.
    sheets : mapping of str to str
        Of runs: where their sheets stand.
    queries : mapping of bytes to str
        Where pages of single queries stand.
    tradeoff : Curves or None
        The runs in that measure against what they took, where that is known.
    """

    sort: Request | None = None
    known: AgainstBest | None = None
    title: str = ""
    taken: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sheets: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[bytes, str] = field(default_factory=dict)
    tradeoff: CurvePicture | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns of what runs took."""
        return [*dict.fromkeys(key for of in self.taken.values() for key in of)]


@dataclass(frozen=True, eq=False)
class Overview:
    """The table of runs: `baseline` is the run that others are compared with, `left_out` how many queries not all runs
    have."""

    result: Result
    requests: tuple[Request, ...]
    comparison: ComparisonReport | None
    coverage: Request | None
    board: Board
    digits: int
    left_out: int

    @property
    def baseline(self) -> str | None:
        return None if self.comparison is None else self.comparison.comparison.baseline

    @property
    def ranks(self) -> Mapping[Outcome, int]:
        """The runs, best first, each with its rank; one alone is the first."""
        by = self.board.sort or self.requests[0]
        look = Look(sort=Sort(by, by.better != "lower"))
        return standings(replace(self.result, per_query=False), look) or dict.fromkeys(self.result.outcomes, 1)

    @property
    def drawn(self) -> list[str]:
        """The runs whose curves have colours and names at first: all, or of many the best, the last, the baseline."""
        runs = [outcome.run for outcome in self.ranks]
        if len(runs) <= MANY:
            return runs
        few = [*runs[:HIGHEST], runs[-1]]
        return few if self.baseline is None or self.baseline in few else [*few, self.baseline]

    def markup(self) -> Iterator[Markup]:
        """The table, and what is said of it."""
        marks, ranks = self._marks(), self.ranks
        columns = {outcome: [column.request for column in outcome.scores.columns].index for outcome in ranks}
        values = {
            outcome: [outcome.summary.values[at(request)] for request in self.requests]
            for outcome, at in columns.items()
        }
        best = [self._best([of[i] for of in values.values()], request) for i, request in enumerate(self.requests)]
        several = len(ranks) > 1
        rows = []
        for outcome, rank in ranks.items():
            cells = [Cell(str(rank))] if several else []
            cells.append(self._name(outcome.run))
            taken = self.board.taken.get(outcome.run, {})
            cells += [Cell(taken.get(name, "")) for name in self.board.columns]
            for i, value in enumerate(values[outcome]):
                text = shown(value, self.digits) or MISSING
                marked = (i, outcome.run) in marks
                tone, above = marks.get((i, outcome.run), ("", ""))
                cells.append(Cell(text, best=text == best[i], tone=tone, significant=marked, above=above))
            if self.board.known is not None:
                cell = self.board.known.findings.get(outcome.run, Cell(""))
                tone = "" if cell.text == WORSE else "tied"
                cells.append(Cell(cell.text, tone=tone, above=cell.above))
            facts = outcome.facts
            if self.coverage is not None:
                value = outcome.summary.values[columns[outcome](self.coverage)]
                cells.append(Cell(_share(1 - value) if isinstance(value, float) else MISSING))
            cells += [
                Cell(_share(facts.judged_share) if facts.judged + facts.unjudged else MISSING),
                Cell(f"{facts.missing:,}"),
                Cell(f"{facts.tied:,}"),
            ]
            rows.append(tuple(cells))
        judged = () if self.coverage is None else (f"judged in first {self.coverage.cutoff}",)
        names = (directed(request) + " (sum)" * _added_up(request) for request in self.requests)
        against = ("vs best",) if self.board.known is not None else ()
        labels = (*(("rank",) if several else ()), "run", *self.board.columns)
        about = ("judged of all", "queries without results", "queries with ties")
        header = (*labels, *names, *against, *judged, *about)
        texts = {header.index("run"), *range(len(labels) - len(self.board.columns), len(labels))}
        texts |= {header.index(name) for name in against}
        made = table(Sheet("", header, header.index("run") + 1, frozenset(texts), (tuple(rows),)), "board")
        yield framed(made, "", name="Runs and measures", kind="tall")
        notes = ["Bold: the best run."] if any(text is not None for text in best) else []
        if self.comparison is not None and self.baseline is not None:
            notes.append(_significant(self.comparison.laid, bool(marks), self.baseline))
        if self.board.known is not None:
            notes.append(f"{self.board.known.note}.")
        yield from sentences([*notes, *self._facts()], "note")

    def _name(self, run: str) -> Cell:
        """The name of a run, which leads to its sheet."""
        return Cell(run + " (baseline)" * (run == self.baseline), link=self.board.sheets.get(run, ""))

    def _facts(self) -> Iterator[str]:
        """What the columns beside the measures are."""
        said = "Judged of all: the share of all retrieved documents that are judged, over all queries together"
        if self.coverage is not None:
            first = (
                f"Judged in first {self.coverage.cutoff}: the share of the first {self.coverage.cutoff} "
                "results that are judged, averaged over queries; a query without results has 1"
            )
            said += f". {first}"
        yield f"{said}."
        if self.result.settings.judged_only:
            yield "Unjudged documents are removed, and ranks renumbered."
        elif not all(each.measure.name in OF_NEIGHBOURS for each in self.result.requests):
            few = "numbers of a run with a small share may be too low"
            yield f"Unjudged documents count as not relevant, so {few}."
        if self.left_out:
            yield (
                f"The runs have different queries: {counted(self.left_out, 'query', 'queries')} that not all runs "
                f"have {'is' if self.left_out == 1 else 'are'} left out. Numbers of judgments, results and ties "
                "are for all queries of each run, all other numbers for the queries that all runs have."
            )

    def _best(self, values: Sequence[Any], request: Request) -> str | None:
        known = [value for value in values if isinstance(value, float | int) and not math.isnan(value)]
        if len(values) < 2 or not known or request.better == "neither":
            return None
        return shown(min(known) if request.better == "lower" else max(known), self.digits)

    def _marks(self) -> dict[tuple[int, str], tuple[str, str]]:
        """The measures and runs with a significant difference to the baseline: good, bad or neither; and the marks of
        the finding."""
        if self.comparison is None or self.baseline is None:
            return {}
        laid = self.comparison.laid
        tones = {"better": "good", "worse": "bad"}
        return {
            (place, contrast.run): (tones.get(contrast.finding, ""), marks_of(contrast))
            for place, compared in enumerate(laid.comparison.compared)
            for contrast in compared.contrasts
            if laid.significant(contrast.adjusted[0])
        }


def _significant(laid: ComparisonLayout, marked: bool, baseline: str) -> str:
    """What a star says of a value, or why there is none."""
    below = "; see the tests below."
    if marked:
        return f"{MARK} differs significantly from {baseline}{below}"
    found = [p for compared in laid.comparison.compared for one in compared.contrasts for p in one.adjusted]
    if all(p is None for p in found):
        return "No difference to the baseline could be tested."
    some = " that could be tested" if None in found else ""
    return f"No difference to the baseline{some} is significant{below}"


def _share(value: float) -> str:
    return percent(round(value, 3)) if not math.isnan(value) else MISSING


def _added_up(request: Request) -> bool:
    """Whether the number for all queries is the sum of theirs, where tests are of means."""
    return not request.aggregate and request.measure.summary in ("sum", "judged relevant")
