"""The choices that a command line or a configuration file makes, as one frozen record.

Everything here is plain data that was checked when it was read; the modules that use it trust it. What a setting says,
what it may be and what depends on it stands beside the setting, and is nowhere listed again: options, configurations,
their documentation and the words of saved results are made of that.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from irev.base.choice import ByGrade, Choice, ColumnNames, Flag, Grade, Kind, NamedNumbers, Queries, Whole, Word, choice
from irev.base.errors import UsageError, decimal, option
from irev.base.records import dataclass

CURRENT = "10.0"
SINGLE_PRECISION = "9.0.8"
QUERIES = Queries.words

RELEVANT = "relevant"
"""The judged queries that have a relevant document. They all count: `Settings.complete` is True then."""

VALUES, COUNTING = "values", "counting"
"""What settings change: the values of queries, or which queries count."""


class Expression(Kind):
    """A regular expression, as a text."""

    metavar = "REGEX"
    expected = "a regular expression"

    def read(self, text: str) -> str:
        try:
            return self.check(text)
        except ValueError as error:
            raise ValueError(f"'{text}' is not {error}") from None

    def check(self, value: Any) -> str:
        try:
            if isinstance(value, str) and value:
                re.compile(value)
                return value
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"{self.expected} ({error})") from None
        raise ValueError(self.expected)


class FormatName(Kind):
    """The name of a format; trec_eval calls TREC's own format of judgments ``qrels``."""

    metavar = "NAME"
    name = "format"
    expected = "the name of a format"
    offers = "formats"

    def read(self, text: str) -> str:
        return "trec" if text == "qrels" else text

    def names_file(self, text: str) -> bool:
        return ":" in text


_AS_ROWS = "in the order of the rows of the file"

LOOKED_AT_BY = "nDCG@10"
"""The measure that single queries are explained by, unless another is asked for."""

DEFAULT_MEASURES = ("AP", "nDCG@10")
DRAWN_MEASURES = ("nDCG@10",)
"""What runs are compared by unless asked otherwise."""

BOTH = "queries for which all runs have values"
JUDGED = "queries that are judged and that all runs have"
ALL = "all queries of any file; a query that a file lacks counts as 0"
KNOWN = "all queries that any result has or lists as judged; a query without a value counts as 0"
ANY = "all queries that are judged or in any run; a query without judgments or results counts as 0"


LEAST_GAIN, MOST_GAIN = 1e-100, 1e100
"""Sizes of gains, but for 0, of which sums, squares and shares are still numbers."""


def require_gain(gain: float) -> None:
    """Raise `UsageError` for a gain that is too large or too small to compute with."""
    if gain and not LEAST_GAIN <= abs(gain) <= MOST_GAIN:
        size = "small" if abs(gain) < 1 else "large"
        raise UsageError(
            f"a gain of {decimal(gain)} is too {size}",
            remedy=f"gains are 0, or from {decimal(LEAST_GAIN)} to {decimal(MOST_GAIN)} in size",
        )


@dataclass(frozen=True)
class Settings:
    """How to evaluate. What each setting says, and what it may be, stands beside it."""

    level: float = choice(
        1.0,
        "lowest grade that counts as relevant",
        Grade(),
        "-l --level --level_for_rel",
        heading="Measures",
    )
    depth: int | None = choice(
        None,
        "keep the first N documents of each ranking",
        Whole(),
        "-M --depth --Max_retrieved_per_topic",
        of_runs=True,
        heading="Measures",
    )
    judged_only: bool = choice(
        False,
        "after the depth cut, remove documents without a grade of 0 or more, and renumber the ranks",
        Flag(),
        "-J --judged-only --Judged_docs_only",
        of_runs=True,
        heading="Measures",
    )
    complete: bool = choice(
        False,
        "average over all judged queries; one without results counts as an empty ranking",
        Flag(),
        "-c --complete --complete_rel_info_wanted",
        changes=COUNTING,
        heading="Queries",
        typed=True,
    )
    collection_size: int = choice(
        0,
        "documents in the collection",
        Whole(),
        "-N --collection-size --Number_docs_in_coll",
        more=", for the measures that need it: utility, tn, set_accuracy",
        of_runs=True,
        heading="Measures",
        typed=True,
    )
    compat: str = choice(
        CURRENT,
        "version of trec_eval whose numbers to compute",
        Word({version: f"trec_eval {version}" for version in (CURRENT, SINGLE_PRECISION)}),
        heading="Reading",
    )
    only: bytes | None = choice(None, "evaluate only this query", changes=COUNTING, heading="Queries", typed=True)
    qrels_format: str | None = choice(
        None,
        "format of the judgments",
        FormatName(),
        "-R --qrels-format --Rel_info_format",
        more=", where it cannot be recognised",
        changes="",
        heading="Reading",
    )
    run_format: str | None = choice(
        None,
        "format of the run",
        FormatName(),
        more=", where it cannot be recognised",
        changes="",
        of_runs=True,
        heading="Reading",
    )
    columns: tuple[tuple[str, str], ...] = choice(
        (),
        "names of the columns (query, document, grade, score, rank) in files with a header, or of the "
        "fields in records, where results and relevant are lists of documents",
        ColumnNames(),
        more="; qrels:document=NAME names it in the judgments only, run:document=NAME in runs only, and "
        "document=file+page makes one id of two columns",
        changes="",
        heading="Reading",
    )
    order: str = choice(
        "score",
        "what orders a run",
        Word({"score": "by score, highest first", "rank": "by the rank column, lowest first", "file": _AS_ROWS}),
        more=": its scores, its rank column, or the order of its lines",
        of_rows=True,
        heading="Reading",
    )
    ties: str = choice(
        "docid-desc",
        "how documents of equal score are ordered",
        Word(
            {
                "docid-desc": "by document id, highest bytes first",
                "docid-asc": "by document id, lowest bytes first",
                "file": _AS_ROWS,
                "average": "expected values over all orders",
            }
        ),
        more="; average: expected values over all orders",
        of_runs=True,
        heading="Reading",
    )
    duplicates: str = choice(
        "error",
        "what to do with a document that a query retrieves twice (first, best) or that is judged twice (same, max)",
        Word(
            {
                "error": "refused",
                "first": "the first row of a document counts",
                "best": "the best-ranked row of a document counts",
                "same": "judgments with the same grade count once; refused in runs",
                "max": "the highest grade of a document counts; refused in runs",
            }
        ),
        of_rows=True,
        heading="Reading",
    )
    negative: str = choice(
        "unjudged",
        "what a negative grade means",
        Word(
            {
                "unjudged": "as documents without a judgment",
                "nonrelevant": "judged, not relevant",
                "error": "refused",
            }
        ),
        heading="Reading",
        typed=True,
    )
    grade_words: tuple[tuple[str, float], ...] | None = choice(
        None,
        "file that gives grades to words",
        NamedNumbers(),
        more=", lines `word grade`; `relevant`, `not relevant`, yes and no have grades already",
        heading="Reading",
        typed=True,
    )
    drop_self: bool = choice(
        False,
        "ignore results whose document id is the query id",
        Flag(),
        of_rows=True,
        heading="Reading",
        typed=True,
    )
    document_of: str | None = choice(
        None,
        "evaluate documents instead of chunks: the id of a document is the part of the result's id that REGEX "
        "matches, or that its first group matches",
        Expression(),
        more="; the best-ranked chunk of a document counts",
        of_rows=True,
        heading="Reading",
    )
    queries: str | tuple[bytes, ...] = choice(
        "both", "the queries that count", Queries(), changes=COUNTING, heading="Queries"
    )
    query_weights: tuple[tuple[bytes, float], ...] | None = choice(
        None,
        "file with the weight of each query",
        NamedNumbers(),
        more=", lines `query weight`: the numbers for all queries are weighted means, marked agg=weighted",
        of_runs=True,
        heading="Queries",
    )
    strict: bool = choice(
        False,
        "fail if a query would be left out, or if the numbers are probably not what was meant",
        Flag(),
        changes="",
        heading="Queries",
        typed=True,
    )
    gains: tuple[tuple[float, float], ...] | None = choice(
        None,
        "gain of each grade, for measures that use gains (nDCG, RBP, ERR, …)",
        ByGrade("gains", "gain", "2=3"),
        more=", such as 0=0,1=1,2=3",
        of_runs=True,
        heading="Measures",
    )
    costs: tuple[tuple[bytes, float], ...] | None = choice(
        None,
        "file with the cost of each type of result",
        NamedNumbers(),
        more=", lines `type cost`, for user models; the second column of a run has the type",
        of_runs=True,
        heading="Measures",
        typed=True,
    )

    def __post_init__(self) -> None:
        for _, gain in self.gains or ():
            require_gain(gain)

    def meaning(self, name: str) -> str:
        """What a setting that is one of some words comes to."""
        kind = ABOUT[name].kind
        return kind.means[getattr(self, name)] if isinstance(kind, Word) else str(getattr(self, name))

    def require_ranks(self) -> None:
        """Raise `UsageError` where documents of equal score share a rank."""
        if self.ties == "average":
            fact = f"documents in ties have no rank of their own under {option('ties', 'average')}"
            raise UsageError(fact, remedy="choose another")

    def are_usual(self, *names: str) -> bool:
        """Whether these of them are what they are unless somebody asks for something else."""
        return all(getattr(self, name) == getattr(Settings, name) for name in names)

    @property
    def policy(self) -> str:
        """Which queries count, in words.

        By some measures having found nothing is another number than 0, as which trec_eval 9 counts it in the mean.
        """
        if self.only is not None:
            return "the query asked for"
        if not isinstance(self.queries, str):
            return "the listed queries; one that a file lacks counts as empty there"
        if self.queries == "run":
            return "all queries of the run; a query without judgments has no relevant documents"
        if self.complete or self.queries == "qrels":
            missing = "0" if self.single_precision else "an empty ranking"
            judged = "judged queries that have a relevant document" if self.queries == RELEVANT else "judged queries"
            return f"all {judged}; one without results counts as {missing}"
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

    def columns_of(self, value: str) -> dict[str, str]:
        """The columns that were named for judgments (`value` is ``grade``) or for runs, by role."""
        file = "qrels:" if value == "grade" else "run:"
        of_one = {role.removeprefix(file): name for role, name in self.columns if role.startswith(file)}
        return {role: name for role, name in self.columns if ":" not in role} | of_one

    @property
    def columns_apart(self) -> Settings:
        """The same without the columns that were named for judgments and runs alike."""
        return replace(self, columns=tuple((role, name) for role, name in self.columns if ":" in role))

    @property
    def raters(self) -> tuple[str, ...]:
        """The columns of ``grade=ann+bob``, each of which has the grades of one judge; none where there is no +."""
        named = self.columns_of("grade").get("grade", "")
        return tuple(named.split("+")) if "+" in named else ()

    def of_rater(self, name: str) -> Settings:
        """The same for the judge whose grades are in one of these columns."""
        return replace(self, columns=tuple({**dict(self.columns), "qrels:grade": name}.items()))

    @property
    def repeats(self) -> str:
        """What becomes of a document that a query retrieves twice: `duplicates`, but of its chunks the best counts."""
        if self.duplicates in ("first", "best"):
            return self.duplicates
        return "best" if self.document_of is not None else "error"

    @property
    def single_precision(self) -> bool:
        """Whether scores are compared as 32-bit floats, as trec_eval 9 does."""
        return self.compat == SINGLE_PRECISION


ABOUT: dict[str, Choice] = {each.name: each.metadata["choice"] for each in fields(Settings)}
"""Every setting, in order."""


def changing(*what: str) -> tuple[str, ...]:
    """The settings that change one of these: `VALUES`, `COUNTING`."""
    return tuple(name for name, about in ABOUT.items() if about.changes in what)


SAME = changing(VALUES, COUNTING)
"""The settings that numbers depend on."""


def value_shown(value: object) -> str:
    """A value of a setting, for messages."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return decimal(value) if isinstance(value, float) else "none" if value is None else str(value)


def policy_of(settings: Settings, both: bool) -> str:
    """Which queries count of runs that were evaluated with these settings, in words.

    Where a query counts without results, each run has a value of it, and `both`, whether those that not all have are
    left out, leaves out none.
    """
    if settings.complete or settings.only is not None or not isinstance(settings.queries, str):
        return settings.policy
    if settings.queries == "run":
        return BOTH if both else ANY
    return JUDGED if both else replace(settings, complete=True).policy


def policy(settings: Settings) -> str:
    """Which queries count on a page of runs, in words."""
    each = settings.queries == "both" and settings.only is None and not settings.complete
    return JUDGED if each else settings.policy
