"""The choices that a command line or a configuration file makes, as one frozen record.

Everything here is plain data that was checked when it was read; the modules that use it trust it. What a setting may be
and what depends on it stands beside the setting, and is nowhere listed again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

CURRENT = "10.0"
SINGLE_PRECISION = "9.0.8"
VERSIONS = (CURRENT, SINGLE_PRECISION)


ORDERS = ("score", "rank", "file")
TIES = ("docid-desc", "docid-asc", "file", "average")
DUPLICATES = ("error", "first", "best")
NEGATIVES = ("unjudged", "nonrelevant", "error")
QUERIES = ("both", "qrels", "run")

VALUES, COUNTING = "values", "counting"
"""What settings change: the values of queries, or which queries count."""


class About(NamedTuple):
    """What there is to know of a setting.

    Attributes
    ----------
    words : tuple of str
        What it may be, where it is one of some words.
    changes : str
        `VALUES`, `COUNTING`, or nothing that numbers depend on.
    of_rows : bool
        Whether it is settled when the rows of a run are read.
    recorded : bool
        Whether a saved result has it.
    """

    words: tuple[str, ...] = ()
    changes: str = ""
    of_rows: bool = False
    recorded: bool = True


def _setting(default: Any, **about: Any) -> Any:
    return field(default=default, metadata={"about": About(**about)})


LOOKED_AT_BY = "nDCG@10"
"""The measure that single queries are explained by, unless another is asked for."""


@dataclass(frozen=True)
class Settings:
    """How to evaluate.

    Attributes
    ----------
    level : float
        Lowest grade that counts as relevant.
    depth : int or None
        Keep the first `depth` documents of every ranking; None keeps all.
    judged_only : bool
        Drop documents without a grade of 0 or more after the depth cut, and close the ranks.
    complete : bool
        Average over all judged queries, a query that the run lacks as one that found nothing.
    collection_size : int
        Documents in the collection, 0 when not given; `utility`, `tn` and `set_accuracy` look at it.
    compat : str
        Version of trec_eval whose numbers are given, one of `VERSIONS`.
    only : bytes or None
        Evaluate this query alone.
    qrels_format, run_format : str or None
        Names of formats; None recognises them by content.
    columns : tuple of (str, str)
        Roles (``query``, ``document``, ``grade``, ``score``) and the names that columns with a header have for them.
    order : str
        What orders a run, one of `ORDERS`: the score, highest first; the rank column, lowest first; the order of rows.
    ties : str
        How documents of equal score are ordered, one of `TIES`; ``average`` gives measures their expected value over
        all orders.
    duplicates : str
        What becomes of a document that a query retrieves again, one of `DUPLICATES`: it is an error, the first row
        counts, or the one that is ranked best.
    negative : str
        What a negative grade means, one of `NEGATIVES`: in the pool but not judged, judged nonrelevant, or an error.
    drop_self : bool
        Ignore results whose document id is the query id.
    queries : str, or tuple of bytes
        Which queries are evaluated: those in ``both`` files, all of the ``qrels``, all of the ``run``, or the ones
        given.
    strict : bool
        Refuse to leave a query out.
    gains : tuple of (float, float), or None
        Gains that stand in for grades in gain measures; a grade without one is an error. None leaves grades as they
        are.
    allow_large : bool
        Whether files may swell to more than is plausible when they are read (`irev.reading.limits`).
    """

    level: float = _setting(1.0, changes=VALUES)
    depth: int | None = _setting(None, changes=VALUES)
    judged_only: bool = _setting(False, changes=VALUES)
    complete: bool = _setting(False, changes=COUNTING)
    collection_size: int = _setting(0, changes=VALUES)
    compat: str = _setting(CURRENT, words=VERSIONS, changes=VALUES)
    only: bytes | None = _setting(None, changes=COUNTING)
    qrels_format: str | None = _setting(None)
    run_format: str | None = _setting(None)
    columns: tuple[tuple[str, str], ...] = _setting(())
    order: str = _setting("score", words=ORDERS, changes=VALUES, of_rows=True)
    ties: str = _setting("docid-desc", words=TIES, changes=VALUES)
    duplicates: str = _setting("error", words=DUPLICATES, changes=VALUES, of_rows=True)
    negative: str = _setting("unjudged", words=NEGATIVES, changes=VALUES)
    drop_self: bool = _setting(False, changes=VALUES, of_rows=True)
    queries: str | tuple[bytes, ...] = _setting("both", changes=COUNTING)
    strict: bool = _setting(False)
    gains: tuple[tuple[float, float], ...] | None = _setting(None, changes=VALUES)
    allow_large: bool = _setting(False, recorded=False)

    @property
    def policy(self) -> str:
        """Which queries count, in words."""
        if self.only is not None:
            return "the one asked for"
        if not isinstance(self.queries, str):
            return "those listed, one that is not in both files as 0"
        if self.queries == "run":
            return "all of the run, one without judgments as 0"
        if self.complete or self.queries == "qrels":
            return "all that are judged, one without results as 0"
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


def changing(*what: str) -> tuple[str, ...]:
    """The settings that change one of these: `VALUES`, `COUNTING`."""
    return tuple(name for name, about in ABOUT.items() if about.changes in what)
