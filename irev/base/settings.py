"""The choices that a command line or a configuration file makes, as one frozen record.

Everything here is plain data that was checked when it was read; the modules that use it trust it. What a setting says,
what it may be and what depends on it stands beside the setting, and is nowhere listed again: options, configurations,
their documentation and the words of saved results are made of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from irev.base.records import dataclass

CURRENT = "10.0"
SINGLE_PRECISION = "9.0.8"
QUERIES = ("both", "qrels", "run")

VALUES, COUNTING = "values", "counting"
"""What settings change: the values of queries, or which queries count."""


class About(NamedTuple):
    """What there is to know of a setting.

    Attributes
    ----------
    says : str
        What it says, as options, configurations and their documentation have it: a phrase.
    more : str
        What the help of its option goes on with.
    means : mapping of str to str
        What it may be, where it is one of some words, and what each comes to, as results say it.
    changes : str
        `VALUES`, `COUNTING`, or nothing that numbers depend on.
    of_rows : bool
        Whether it is settled when the rows of a run are read.
    recorded : bool
        Whether a saved result has it.
    of_runs : bool
        Whether it is about runs alone.
    """

    says: str
    more: str = ""
    means: Mapping[str, str] = MappingProxyType({})
    changes: str = ""
    of_rows: bool = False
    recorded: bool = True
    of_runs: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What it may be, where it is one of some words."""
        return tuple(self.means)

    @property
    def help(self) -> str:
        """The same as a sentence."""
        return f"{self.says[0].upper()}{self.says[1:]}{self.more}."


def _setting(default: Any, says: str, more: str = "", **about: Any) -> Any:
    return field(default=default, metadata={"about": About(says, more, **about)})


_AS_ROWS = "as the rows of the file stand"

LOOKED_AT_BY = "nDCG@10"
"""The measure that single queries are explained by, unless another is asked for."""


@dataclass(frozen=True)
class Settings:
    """How to evaluate. What each setting says, and what it may be, stands beside it."""

    level: float = _setting(1.0, "lowest grade that counts as relevant", changes=VALUES)
    depth: int | None = _setting(None, "keep the first N documents of each ranking", changes=VALUES, of_runs=True)
    judged_only: bool = _setting(
        False, "then drop documents without a grade of 0 or more, and close the ranks", changes=VALUES, of_runs=True
    )
    complete: bool = _setting(
        False, "average over all judged queries; one that the run lacks has found nothing", changes=COUNTING
    )
    collection_size: int = _setting(
        0,
        "documents in the collection",
        ", for the measures that need it: utility, tn, set_accuracy",
        changes=VALUES,
        of_runs=True,
    )
    compat: str = _setting(
        CURRENT,
        "the version of trec_eval whose numbers are wanted",
        means={version: f"trec_eval {version}" for version in (CURRENT, SINGLE_PRECISION)},
        changes=VALUES,
    )
    only: bytes | None = _setting(None, "evaluate this query alone", changes=COUNTING)
    qrels_format: str | None = _setting(None, "format of the judgments", ", where it cannot be told from them")
    run_format: str | None = _setting(None, "format of the run", ", where it cannot be told from it", of_runs=True)
    columns: tuple[tuple[str, str], ...] = _setting(
        (),
        "names of the columns query, document, grade, score and rank in files with a header, and of fields in records",
    )
    qrels_columns: tuple[tuple[str, str], ...] = _setting((), "the same for judgments alone")
    run_columns: tuple[tuple[str, str], ...] = _setting((), "the same for runs alone", of_runs=True)
    order: str = _setting(
        "score",
        "what orders a run",
        ": its scores, its rank column, or the order of its lines",
        means={"score": "by score, highest first", "rank": "by the rank column, lowest first", "file": _AS_ROWS},
        changes=VALUES,
        of_rows=True,
        of_runs=True,
    )
    ties: str = _setting(
        "docid-desc",
        "how documents of equal score are ordered",
        "; average: expected values over all orders",
        means={
            "docid-desc": "by document id, highest bytes first",
            "docid-asc": "by document id, lowest bytes first",
            "file": _AS_ROWS,
            "average": "in every order: values are expected ones",
        },
        changes=VALUES,
        of_runs=True,
    )
    duplicates: str = _setting(
        "error",
        "what becomes of a document that a query retrieves twice",
        means={
            "error": "refused",
            "first": "the first row of a document counts",
            "best": "the row of a document that is ranked best counts",
        },
        changes=VALUES,
        of_rows=True,
        of_runs=True,
    )
    negative: str = _setting(
        "unjudged",
        "what a negative grade means",
        means={
            "unjudged": "as documents without a judgment",
            "nonrelevant": "judged, not relevant",
            "error": "refused",
        },
        changes=VALUES,
    )
    drop_self: bool = _setting(
        False, "ignore results whose document id is the query id", changes=VALUES, of_rows=True, of_runs=True
    )
    queries: str | tuple[bytes, ...] = _setting("both", "the queries that count", changes=COUNTING)
    strict: bool = _setting(False, "refuse to leave any query out")
    gains: tuple[tuple[float, float], ...] | None = _setting(
        None, "what each grade is worth to gain measures", ": 0=0,1=1,2=3", changes=VALUES, of_runs=True
    )
    costs: tuple[tuple[bytes, float], ...] | None = _setting(
        None,
        "file of what results cost, by the type that the second column of a run has",
        ", for user models: lines `type cost`",
        changes=VALUES,
        of_runs=True,
    )
    allow_large: bool = _setting(
        False,
        "read files although they decompress to more than 1 GB and 200 times their size",
        ", and values of JSON above 64 MB",
        recorded=False,
    )
    dataset: bool = _setting(
        False,
        "read the Parquet files of a folder, or of a pattern in quotation marks, as one file",
        "; folders topic=101 inside are a column",
        recorded=False,
    )

    def meaning(self, name: str) -> str:
        """What a setting that is one of some words comes to."""
        return ABOUT[name].means[getattr(self, name)]

    @property
    def policy(self) -> str:
        """Which queries count, in words.

        By some measures having found nothing is another number than 0, as which trec_eval 9 counts it in the mean.
        """
        if self.only is not None:
            return "the one asked for"
        if not isinstance(self.queries, str):
            return "those listed, one that a file lacks as having nothing there"
        if self.queries == "run":
            return "all of the run, one without judgments as having nothing to find"
        if self.complete or self.queries == "qrels":
            missing = "0" if self.single_precision else "finding nothing"
            return f"all that are judged, one without results as {missing}"
        return "those in both files"

    @property
    def uncut(self) -> Settings:
        """The same before anything is cut or dropped from rankings."""
        if self.depth is None and not self.judged_only:
            return self
        return replace(self, depth=None, judged_only=False)

    def of_every_query(self, judged: tuple[bytes, ...]) -> Settings:
        """The same with a value for every query that counts, of which those that are judged are given.

        trec_eval 9 counts a query that the run lacks in the mean alone; listed, it has a value.
        """
        return replace(self, queries=judged) if self.complete and self.single_precision else self

    @property
    def single_precision(self) -> bool:
        """Whether scores are compared as 32-bit floats, as trec_eval 9 does."""
        return self.compat == SINGLE_PRECISION


ABOUT: dict[str, About] = {each.name: each.metadata["about"] for each in fields(Settings)}
"""Every setting, in order."""

FLAGS = tuple(each.name for each in fields(Settings) if isinstance(each.default, bool))
"""Those that are true or false."""

COLUMNS = ("columns", "qrels_columns", "run_columns")
"""Those that name columns by their roles."""


def changing(*what: str) -> tuple[str, ...]:
    """The settings that change one of these: `VALUES`, `COUNTING`."""
    return tuple(name for name, about in ABOUT.items() if about.changes in what)
