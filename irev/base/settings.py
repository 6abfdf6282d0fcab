"""The choices that a command line or a configuration file makes, as one frozen record.

Everything here is plain data that was checked when it was read; the modules that use it trust it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

CURRENT = "10.0"
SINGLE_PRECISION = "9.0.8"
VERSIONS = (CURRENT, SINGLE_PRECISION)


ORDERS = ("score", "rank", "file")
TIES = ("docid-desc", "docid-asc", "file", "average")
DUPLICATES = ("error", "first", "best")
NEGATIVES = ("unjudged", "nonrelevant", "error")
QUERIES = ("both", "qrels", "run")

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

    level: float = 1.0
    depth: int | None = None
    judged_only: bool = False
    complete: bool = False
    collection_size: int = 0
    compat: str = CURRENT
    only: bytes | None = None
    qrels_format: str | None = None
    run_format: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    order: str = "score"
    ties: str = "docid-desc"
    duplicates: str = "error"
    negative: str = "unjudged"
    drop_self: bool = False
    queries: str | tuple[bytes, ...] = "both"
    strict: bool = False
    gains: tuple[tuple[float, float], ...] | None = None
    allow_large: bool = False

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
