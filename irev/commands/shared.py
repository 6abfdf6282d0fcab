"""Choices that several questions share: measures, runs to compare, texts beside ids, builds in a log, pictures."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from irev.base.choice import (
    File,
    Flag,
    HoldScores,
    Kind,
    NewFile,
    Picture,
    Real,
    RunName,
    RunsOrResults,
    SeveralMeasures,
    choice,
)
from irev.base.records import dataclass
from irev.base.settings import Expression
from irev.base.text import encoded
from irev.output.report import USUAL_WIDTH


def measure_choice(says: str, **about: Any) -> Any:
    """The measures that are asked for, each after an option of its own."""
    return choice((), says, SeveralMeasures(), "-m --measure --metric", several=True, **about)


def picture_choice(what: str, **about: Any) -> Any:
    """The file of a picture that is made beside the answer, which says what is drawn."""
    return choice(None, f"{what}, as .svg, or .png or .pdf (with vl-convert-python)", Picture(), **about)


@dataclass(frozen=True)
class Systems:
    """Which runs are looked at, and by which measures."""

    files: tuple[str, ...] = choice((), "judgments and runs, or saved results", RunsOrResults())
    measures: tuple[str, ...] = measure_choice(
        "a measure. Repeat it for more. Default: AP and nDCG@10; of saved results, all that they share"
    )
    scores: bool = choice(
        False,
        "the files have values of single queries, not judgments and runs. Needed only for lines of a query and "
        "its value; records of irev, lines of `trec_eval -q` and tables with a header are recognised",
        HoldScores(),
    )


class ClustersOf(Expression):
    """The cluster of each query: a file that lists them, or a regular expression; in Python a dictionary, too."""

    metavar = "FILE|REGEX"
    expected = "a path, a regular expression, or a dictionary of queries and their clusters, such as {'31_1': '31'}"

    def names_file(self, text: str) -> bool:
        return True

    def read(self, text: str) -> str:
        return text if os.path.exists(text) else super().read(text)

    def check(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            if not value or not all(isinstance(each, str) for pair in value.items() for each in pair):
                raise ValueError(self.expected)
            return tuple((encoded(query), encoded(cluster)) for query, cluster in value.items())
        if isinstance(value, str | os.PathLike) and os.path.exists(value):
            return os.fsdecode(value)
        return super().check(value)


def cluster_choice(**about: Any) -> Any:
    """The clusters of queries that depend on each other."""
    return choice(
        None,
        "queries that depend on each other, such as the turns of a conversation: FILE has lines `query TAB cluster`, or"
        " the cluster is the part of the query id that REGEX matches, or that its first group matches. Means stay means"
        " over queries; tests and intervals take the clusters as independent",
        ClustersOf(),
        heading="Significance",
        **about,
    )


@dataclass(frozen=True)
class RunPairs(Systems):
    """Which runs are compared with which."""

    baseline: str | None = choice(
        None, "the run that the others are compared with. Default: the first", RunName(), not_with="all_pairs"
    )
    all_pairs: bool = choice(False, "compare all runs with each other", Flag())

    def first(self, runs: Sequence[str], files: Sequence[str]) -> int | None:
        """The place of the run that the others are compared with, by its name or its file; None for all pairs."""
        from irev.evaluation.comparison.systems import place_of

        if self.baseline is None:
            return None if self.all_pairs else 0
        return place_of(self.baseline, runs, files)


@dataclass(frozen=True)
class Contrasts(RunPairs):
    """The same, and which queries depend on each other."""

    clusters: str | tuple[tuple[bytes, bytes], ...] | None = cluster_choice()


@dataclass(frozen=True)
class Texts:
    """The files that have the texts."""

    titles: str | None = choice(
        None,
        "texts of the queries, shown beside their ids: lines `id TAB text`, a table with a header, JSON, `<top>` "
        "as TREC has it, or ir_datasets:ID",
        File(),
        "--titles --topics",
        heading="Files",
    )
    documents: str | None = choice(
        None, "texts of documents, such as their titles, in the same forms", File(), heading="Files"
    )

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were named."""
        return tuple(path for path in (self.titles, self.documents) if path is not None)


FACTS = ("time", "commit", "branch")


def utc(text: str) -> str:
    """A time as ISO 8601 in UTC, to the second. Raises `ValueError` for what is no such time."""
    try:
        found = datetime.fromisoformat(text)
        there = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"expected a time such as 2026-03-01T02:00:00Z, found '{text}'") from None
    return there.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


class LogFile(NewFile):
    """A log of builds, which is a folder."""

    metavar = "LOG"

    def read(self, text: str) -> str:
        if not text or text.startswith("sqlite:"):
            raise ValueError("expected a folder, which keeps the results")
        return text


@dataclass(frozen=True)
class Logged:
    """Where results are kept for `irev trend`."""

    log: str | None = choice(
        None,
        "also save the result, with the values of each query, in the folder LOG for `irev trend`",
        LogFile(),
        heading="History",
    )


_INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
_LEAST, _MOST = 2.0, 40.0


class Width(Kind):
    """A width, ``3.3in``, ``8.4cm`` or ``241pt``; in Python a number of inches."""

    metavar = "WIDTH"
    name = "width"
    expected = f"a width of {_LEAST:g} to {_MOST:g} inches"

    def read(self, text: str) -> float:
        found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)(in|cm|mm|pt)", text)
        if not found:
            raise ValueError(f"'{text}' is no width; expected one such as 3.3in, 8.4cm or 241pt")
        inches = float(found[1]) * _INCHES[found[2]]
        if not _LEAST <= inches <= _MOST:
            raise ValueError(f"{text} is no width of {_LEAST:g} to {_MOST:g} inches")
        return inches

    def check(self, value: Any) -> float:
        return Real(_LEAST, _MOST).check(value)


@dataclass(frozen=True)
class OutputChoices:
    """Where a report of a question is written that has formats of its own."""

    output: str | None = choice(
        None,
        "write to FILE instead of standard output",
        NewFile(),
        "-o --output --Output_old_results_format",
        heading="Output",
    )


@dataclass(frozen=True)
class PictureChoices:
    """How it looks."""

    width: float = choice(
        USUAL_WIDTH,
        "with --plot: how wide the picture is, such as 3.3in or 8.4cm. Text has 8 points there; notes are left out,"
        " for a caption of your own",
        Width(),
        needs="plot",
        typed=True,
    )
