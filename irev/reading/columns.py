"""What columns of tables and fields of records are called: one table for files, frames and arrays of records.

The first name of a role wins; of the others exactly one may be there, in any case. Nothing is guessed: where two of
them are, an option chooses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from irev.base.errors import InputError, UsageError, option
from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.base.settings import Settings
from irev.base.text import REAL, brief, encoded

ALIASES = {
    "query": ("query_id", "qid", "query", "q_id", "topic", "topic_id", "query-id", "question_id", "user_input"),
    "document": ("doc_id", "docno", "docid", "doc", "document", "document_id", "corpus-id", "pid", "passage_id"),
    "grade": ("relevance", "rel", "grade", "label", "judgment", "judgement"),
    "score": ("score", "sim", "similarity", "scores", "relevance_score", "similarity_score"),
    "distance": ("distance", "dist", "cosine_distance"),
    "rank": ("rank",),
    "results": (
        *("results", "retrieved_ids", "retrieved_docs", "retrieved", "docs", "contexts", "documents", "hits"),
        *("source_documents", "source_nodes", "nodes", "retrieved_context_ids"),
    ),
    "relevant": (
        *("relevant_ids", "relevant", "relevant_docs", "relevant_doc_ids", "expected_ids", "positive_ids"),
        "reference_context_ids",
    ),
}
"""What the columns of each role are called, unless `Settings` says otherwise. The first name wins over the others: a
table may hold the text of a query beside its id."""

RECOMMENDERS = {
    "query": ("user_id", "userid", "user"),
    "document": ("item_id", "itemid", "item", "movie_id", "movieid"),
    "grade": ("rating",),
    "score": ("prediction",),
}
"""What recommenders call them, where none of the names above is there."""

IDS = ("id", "_id", "id_")
"""What the id of a document is called in an object that is one, where it has none of the names above."""

WORDS = ("document", "doc")
"""Names of the document that are as often those of its text, which they are not taken for where an id is beside it."""

OF_QUERIES = ("query", "topic")
"""Names of the query that are those of its text where another of its names is beside them, as in PyTerrier's frames."""

PYTERRIER = ("qid", "docno")
"""The ids of PyTerrier's frames, which have a number of the index beside them, ``docid``."""

TEXTS = ("query", "document", "tag", "iteration")
"""The roles of which a column holds texts; those of all others hold numbers."""

_EACH = "[]."
"""What stands behind the name of an array in the names of fields of its records."""

JOINING = "+"
"""What stands between the names of columns that make an id together, and then between their values."""

BESIDE = {"grade": ("iteration",), "score": ("rank", "tag")}
"""What numbers do not depend on and conversions keep: what TREC's formats have beside the query, the document and its
grade or score. Columns of these very names hold them."""

SCORED_JUDGMENTS = ("query-id", "corpus-id", "score")
"""The columns of BEIR's judgments, whose grade is called a score. Nothing else that is called so is taken for a grade:
it could as well be a run."""


@dataclass(frozen=True)
class Naming:
    """How the columns of a file or frame are found.

    Attributes
    ----------
    roles : tuple of str
        Query, document, and what their number is: grade, score or rank.
    chosen : mapping of str to str
        Columns that the user has named, by role.
    text : bool
        Whether this is a table of text, which may be of one query.
    unscored : bool
        Whether results need neither a score nor a rank, as their order ranks them.
    path : str
        The array of JSON that the records are in, ``turns[].``; nothing where they are in none.
    given : tuple of (str, str)
        All columns that the user has named, also those of other files.
    """

    roles: tuple[str, ...]
    chosen: Mapping[str, str]
    text: bool = False
    unscored: bool = False
    path: str = ""
    given: tuple[tuple[str, str], ...] = ()

    def of_records(self) -> Naming:
        """The same for records of JSON, which names such as ``turns[].id`` look for in an array. Raises `UsageError`
        for names that lead into several arrays."""
        places = {role: name.rfind(_EACH) + len(_EACH) for role, name in self.chosen.items() if _EACH in name}
        paths = {self.chosen[role][:place] for role, place in places.items()}
        if len(paths) > 1:
            raise UsageError(f"columns are in several arrays: {' and '.join(sorted(paths))}")
        chosen = {role: name[places.get(role, 0) :] for role, name in self.chosen.items()}
        return replace(self, chosen=chosen, path=next(iter(paths), ""))

    @property
    def usual(self) -> dict[str, str]:
        """The column that was named for each role, or the first name of it."""
        return {role: self.chosen.get(role, ALIASES[role][0]) for role in self.roles}

    def named(self, names: Mapping[str, str]) -> str:
        """The option that names columns, with these beside those that are named already."""
        file = "qrels:" if {*JUDGED} & {*self.roles} else "run:"
        more = {**(self.chosen if self.path else {}), **names}
        every = dict(self.given) | {f"{file}{role}": self.path + name for role, name in more.items()}
        return option("columns", f"{{{','.join(map('='.join, every.items()))}}}")

    def among(
        self,
        there: Sequence[Any],
        source: str,
        what: str = "column",
        beside: Iterable[str] = (),
        kinds: Mapping[Any, str] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """The column of each role. A run may have ranks where there is no score.

        Those of `BESIDE` that are wanted, where they are there. By the `kinds` of values that columns have, texts are
        told from grades, and the message about missing columns names others.

        Raises
        ------
        InputError
            When there is none, or several could be the one.
        UsageError
            When one was named for two roles.
        """
        found = {}
        for role in self.roles:
            wanted = role
            if role == "score" and not candidates(role, self.chosen, there) and candidates("rank", self.chosen, there):
                wanted = "rank"
            known = candidates(wanted, self.chosen, there)
            rivals = graded(there, kinds) if role == "grade" and role not in self.chosen else []
            if len(rivals) > 1 or (len(known) > 1 and known[0] != ALIASES[wanted][0]):
                raise self.ambiguous(wanted, rivals if len(rivals) > 1 else known, source, what)
            if known:
                found[wanted] = known[0]
        missing = [role for role in self.roles if role not in found and not self._spares(role, there)]
        if missing:
            raise self.missing(missing, there, source, what, kinds)
        require_distinct(found)
        for role in beside:
            for name in there:
                if str(name).lower() == role and name not in found.values():
                    found.setdefault(role, name)
        return found

    def has(self, there: Sequence[Any]) -> bool:
        """Whether there is at least one column for each role."""
        return all(candidates(role, self.chosen, there) or self._spares(role, there) for role in self.roles)

    def _spares(self, role: str, there: Sequence[Any]) -> bool:
        """Whether a role may be missing: a score where there are ranks, or where the order of rows ranks them."""
        named = role in self.chosen
        return role == "score" and ((self.unscored and not named) or bool(candidates("rank", self.chosen, there)))

    def missing(
        self,
        roles: Sequence[str],
        there: Sequence[Any],
        source: str,
        what: str = "column",
        kinds: Mapping[Any, str] = MappingProxyType({}),
    ) -> InputError:
        """The error where columns of these roles are missing: all of them, and one option that names them all. Where
        there is a list and no document, these are lists of documents."""
        if LIST in kinds.values() and not {*self.roles} & {*_LISTED} and not candidates("document", self.chosen, there):
            lists = replace(self, roles=("query", "relevant" if "grade" in self.roles else "results"))
            absent = [role for role in lists.roles if not candidates(role, self.chosen, there)]
            return lists.missing(absent or ["document"], there, source, what, kinds)
        listed = ", ".join(map(brief, there)) or "none"
        named = [role for role in roles if role in self.chosen]
        if named:
            name = self.chosen[named[0]]
            near = did_you_mean(name, [each for each in there if isinstance(each, str)])
            fact, remedy = f"there is no {what} {brief(name)}", f"{near + ' ' if near else ''}there are {listed}"
            return InputError(fact, source, remedy)
        called = " and ".join(_absent(role, what) for role in roles)
        taken = {name for role in self.roles for name in candidates(role, self.chosen, there)}
        left = [each for each in there if each not in taken]
        if roles == ["grade"] and {*left} <= {"best_rank", "runs"}:  # of irev pool
            remedy = "is this a pool? judge its documents and add a column grade, which is 1 in a list of relevant ones"
            return InputError(f"found {called}; there are {listed}", source, remedy)
        scores = [each for each in left if str(each).lower() in ALIASES["score"] and kinds.get(each) == FRACTION]
        if roles == ["grade"] and scores:
            remedy = f"{brief(scores[0])} has fractions: is this a run? judgments come first, then runs"
            return InputError(f"found {called}; there are {listed}", source, remedy)
        one = f"; query={ONE_QUERY} means that all rows are for one query" if "query" in roles and self.text else ""
        names = {role: likely(role, left, kinds) for role in roles}
        if self.text and names.get("grade") == "" and len(left) >= len(roles) + 1:
            one += "; columns of several judges are for `irev judges --columns grade=NAME+NAME FILE`"
        distances = [each for each in left if re.search("dist", str(each).lower())]
        if names.get("score") == "":
            by_rows = f"{option('order', 'file')} if its rows are in ranked order, best first"
            rank = likely("rank", [each for each in left if kinds.get(each) == RANK], kinds)
            if rank:
                by_rows, names["rank"] = option("order", "rank"), rank
            if distances:
                by_rows += f", or write the negative of {brief(distances[0])} as score: the nearest come first"
            del names["score"]
            rest = f"{self.named({role: name or 'NAME' for role, name in names.items()})} and " if names else ""
            return InputError(f"found {called}; there are {listed}", source, f"add {rest}{by_rows}{one}")
        remedy = f"add {self.named({role: name or 'NAME' for role, name in names.items()})}{one}"
        return InputError(f"found {called}; there are {listed}", source, remedy)

    def ambiguous(self, role: str, known: Iterable[Any], source: str, what: str) -> InputError:
        """The error where several columns could have a role."""
        several = " and ".join(map(brief, known))
        remedy = f"{self.named({role: 'NAME'})} chooses one"
        return InputError(f"{what}s {several} could each be the {role}", source, remedy)


TEXT, NUMBER, LIST = "text", "number", "list"
FRACTION, RANK, GRADES = "fraction", "rank", "grades"
"""Kinds of values, as far as columns are told apart by them. Fractions are no grades, whole numbers from 0 or 1 on may
be ranks, and lists of 0 and 1 are no lists of ids."""

FIRST = 20
"""So many values of a column tell its kind."""

_GRADES = r"\[(\s*([01](\.0)?|[Tt]rue|[Ff]alse)\s*,?)+\]?"


def kind_of(values: Sequence[str]) -> str:
    """The kind of the first values of a column, as they are written."""
    if any(value.startswith("[") for value in values):
        return GRADES if all(re.fullmatch(_GRADES, value) for value in values) else LIST
    if not all(re.fullmatch(REAL, value) for value in values):
        return TEXT
    numbers = [float(value) for value in values]
    if 2 * sum(each % 1 != 0 for each in numbers) > len(numbers):
        return FRACTION
    lowest, several = int(min(numbers, default=-1)), len({*numbers})
    return RANK if lowest in (0, 1) and several > 1 and max(numbers) == lowest + several - 1 else NUMBER


JUDGED = ("grade", "relevant")
"""The roles that only judgments have."""

_LISTED = {"results": "retrieved documents", "relevant": "relevant documents"}
"""What lists of a role hold."""


def _absent(role: str, what: str) -> str:
    called = f"{what} of {_LISTED[role]}" if role in _LISTED else f"{role} {what}"
    return f"no {called} ({', '.join(ALIASES[role][:3])} …)"


_LIKE = {
    "query": "quer|question|topic|turn|qid|^q$",
    "document": "doc|corpus|passage|chunk|item|product|article|pid|^id$",
    "grade": "grade|rel|rating|score|label|judg",
    "score": "score|sim",
    "rank": "rank|position",
    "relevant": "rel|gold|correct|expect|reference|truth|positive|target",
    "results": "retriev|result|match|hit|candidate|doc|chunk|passage|context|predict",
}
"""What names of columns that may have a role have in them, where none of its own names is there."""

_FITTING = {"grade": (NUMBER, RANK), "score": (NUMBER, RANK, FRACTION), "rank": (NUMBER, RANK)}
"""The kinds of numbers that a role may have."""

_UNLIKE = {"results": _LIKE["relevant"], "relevant": "retriev|result|hit|predict"}
"""What lists of a role do not have in their names."""


def likely(role: str, there: Sequence[Any], kinds: Mapping[Any, str]) -> str:
    """The one of some columns that has a role by its name and, where that is known, by the kind of its values; nothing
    where there is none, or where it is not certain."""
    lists = role in _UNLIKE
    fitting = []
    for name in there:
        if not isinstance(name, str) or not name.isprintable() or {*name} & {*",="}:
            continue  # nobody could type it
        kind = kinds.get(name, LIST if lists else NUMBER)
        if (kind == LIST) == lists and (role in TEXTS or lists or kind in _FITTING[role]):
            fitting.append(name)
    fitting = [name for name in fitting if not (lists and re.search(_UNLIKE[role], name.lower()))]
    alike = [name for name in fitting if re.search(_LIKE[role], name.lower())]
    if role in TEXTS and len(alike) > 1:
        alike = [name for name in alike if re.search("id$|no$|number$", name.lower())]
    if lists and not alike and kinds:
        alike = fitting
    return alike[0] if len(alike) == 1 else ""


def _kind_of(roles: Sequence[str]) -> str:
    return "grade" if "grade" in roles else "score"


def require_distinct(names: Mapping[str, Any]) -> None:
    """Raise `UsageError` for one column that has two roles."""
    if len(set(names.values())) < len(names):
        said = ",".join(f"{role}={name}" for role, name in names.items())
        raise UsageError(f"one column is given for two roles: {said}")


def graded(there: Sequence[Any], kinds: Mapping[Any, str] = MappingProxyType({})) -> list[Any]:
    """The columns with a name of a grade that do not hold texts: of two, none is the one for certain."""
    return [each for each in there if str(each).lower() in ALIASES["grade"] and kinds.get(each) != TEXT]


def candidates(role: str, chosen: Mapping[str, str], there: Sequence[Any]) -> list[Any]:
    """The columns that could have a role; one alone where that is certain."""
    if role in chosen:
        return [chosen[role]] if all(each in there for each in parts_of(role, chosen[role], there)) else []
    first = ALIASES[role][0]
    if first in there:
        return [first]
    texts = [each for each in there if isinstance(each, str)]
    for aliases in (ALIASES, RECOMMENDERS):
        known = [each for each in texts if each.lower() in aliases.get(role, ())]
        if {*PYTERRIER} <= {*texts}:
            known = [each for each in known if each != "docid"] or known
        if role == "query":
            known = [each for each in known if each.lower() not in OF_QUERIES] or known
        if known and role == "document" and all(each.lower() in WORDS for each in known):
            known += [each for each in texts if each.lower() in IDS]
        if known:
            return known
    if role == "grade" and set(SCORED_JUDGMENTS) <= set(texts):
        return [SCORED_JUDGMENTS[-1]]
    return []


def numbers_beside(role: str, chosen: Mapping[str, str], there: Iterable[Any]) -> list[Any]:
    """The columns whose lists may be the numbers of documents in another list: ``grades`` beside ``relevant``."""
    if role in chosen:
        return [each for each in there if each == chosen[role]]
    known = {*ALIASES[role], *(ALIASES["distance"] if role == "score" else ())}
    called = ((each, each.lower()) for each in there if isinstance(each, str))
    return [each for each, name in called if {name, name.removesuffix("s")} & known]


def is_distance(name: str) -> bool:
    """Return True if the lowest number in a field of this name is the best."""
    return bool({name.lower(), name.lower().removesuffix("s")} & {*ALIASES["distance"]})


def parts_of(role: str, name: Any, there: Collection[Any]) -> list[Any]:
    """The columns that a name stands for: of an id, those of ``file+page``, where no column is called so."""
    several = role in TEXTS and isinstance(name, str) and name not in there
    return name.split(JOINING) if several else [name]


def are_names(keys: Collection[str], last: str) -> bool:
    """Whether keys are names of columns instead of queries, as in a table that is written column by column: the last
    one is such a name, and so is one of those before."""
    name = last.lower()
    if name in ("columns", "data"):
        return {"columns", "data"} <= {last, *keys}
    if name.encode() not in _KEYS:
        return False
    there = [*keys, last]
    return all(candidates(role, {}, there) for role in ("query", "document"))


def in_array(settings: Settings, value: str) -> bool:
    """Whether a name leads into an array of records."""
    return any(_EACH in name for name in settings.columns_of(value).values())


def require_named(settings: Settings, judged: bool, retrieved: bool) -> None:
    """Raise `UsageError` for settings that name columns where no file has columns with names.

    To be called when all files are read: what comes through a pipe is not known before.

    Parameters
    ----------
    settings : Settings
    judged, retrieved : bool
        Whether judgments, and whether runs have columns with names.
    """
    for role, name in settings.columns:
        there, who = judged or retrieved, "no file has"
        if role.startswith("qrels:"):
            there, who = judged, "the judgments have no"
        elif role.startswith("run:"):
            there, who = retrieved, "no run has"
        if not there:
            written = option("columns", f"{{{role}={name}}}")
            raise UsageError(f"{written} has no effect here: {who} columns with names, as CSV has")


ONE_QUERY, THE_QUERY = "-", "1"
"""What is named in place of a column of queries where all rows are of one query, and what that is called."""


def of_table(settings: Settings, value: str, header: Sequence[str]) -> Naming:
    """How the columns of a table of text are found, in which all rows may be of one query: where that is said, and
    where it has a column of documents, one of their numbers, and no other."""
    named = settings.columns_of(value)
    alone = not named and len(header) == 2
    said = named.pop("query", "") == ONE_QUERY
    if said or alone:
        unscored = settings.order == "file" and said
        naming = Naming(("document", value), named, unscored=unscored, given=settings.columns)
        if said or naming.has(header):
            return naming
    return replace(of_file(settings, value), text=True)


def of_file(settings: Settings, value: str) -> Naming:
    """How a file's columns are found; `value` is ``grade`` or ``score``."""
    named = settings.columns_of(value)
    if named.get("query") == ONE_QUERY:
        raise UsageError(
            "only CSV and TSV files can have a single query without a column for it", remedy="add a column of queries"
        )
    value = "rank" if value == "score" and settings.order == "rank" else value
    unscored = settings.order == "file"
    naming = Naming(("query", "document", value), named, unscored=unscored, given=settings.columns)
    require_distinct({role: name for role, name in named.items() if role in ("query", "document", value)})
    return naming


def of_lists(settings: Settings, value: str) -> Naming:
    """How the query and the list of documents of a record or row are found; `value` is ``grade`` or ``score``."""
    roles = ("query", "relevant" if value == "grade" else "results")
    return Naming(roles, settings.columns_of(value), given=settings.columns)


def usual(value: str) -> list[str]:
    """What the columns of judgments (`value` is ``grade``) or runs are called first of all."""
    return [*of_file(Settings(), value).usual.values()]


def may_be(head: bytes, naming: Naming) -> bool:
    """Whether the names of columns for the query stand in a line, in any case: the quick look before a closer one."""
    if "query" not in naming.roles:
        return True
    named = naming.chosen.get("query")
    if named is not None:
        return all(encoded(each) in head for each in named.split(JOINING))
    line = head.lower()
    return any(name in line for name in _QUERY_NAMES)


def _names(role: str) -> Iterable[bytes]:
    return (name.encode() for aliases in (ALIASES, RECOMMENDERS) for name in aliases[role])


_QUERY_NAMES = tuple(_names("query"))
_KEYS = {*_QUERY_NAMES, *_names("document")}
