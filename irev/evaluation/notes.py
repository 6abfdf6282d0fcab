"""Notes on an evaluation that its numbers do not show, such as queries that are left out: all of them are here.

The command writes them to standard error; Python gives warnings, each with a category, so that one kind can be left
out. Notes name options of the command.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from irev.base.errors import (
    DocumentsWarning,
    InputError,
    IrevWarning,
    JudgmentsWarning,
    LevelWarning,
    Problem,
    QueriesWarning,
    RunWarning,
    TiesWarning,
    decimal,
    option,
    shown,
)
from irev.base.settings import RELEVANT, Settings
from irev.base.text import and_more, counted, decoded
from irev.ranking.hits import twins_of
from irev.reading.block import LONG_TAG

if TYPE_CHECKING:
    from irev.base.segments import Floats, Ints
    from irev.evaluation.dictionaries import NestedJudgments
    from irev.evaluation.result import Outcome
    from irev.measures import Request
    from irev.ranking.fusion.inputs import InputRun, SharedQueries
    from irev.ranking.ranking import LeftOut
    from irev.reading.judgments import Details, Judgments
    from irev.reading.runs import Reading

NAMED = 5
"""How many queries a note names before it only counts."""

GOOD_PART = 0.1
"""From this share of the grades above 0 on, those below the relevance level are a good part."""

LONGEST_SCALE = 100
"""Higher grades are of no scale: times, ids, scores."""


class Note(NamedTuple):
    """A sentence about a run, which may be said of many.

    Attributes
    ----------
    run : str
        What it is about, with where it is.
    said : str
        What follows the name of the run.
    shared : str
        What is said of many runs together: ``have tied documents``.
    category : type
        What kind of warning it is.
    harmless : bool
        Whether no number depends on it.
    """

    run: str
    said: str
    shared: str
    category: type[IrevWarning] = QueriesWarning
    harmless: bool = False


Warn = Callable[..., None]
"""``warn(message, category)`` tells whoever asked of a doubt; the category is for warnings of Python, and may be left
out."""


_DOUBTS = (DocumentsWarning, JudgmentsWarning, LevelWarning, RunWarning)
"""What says that numbers are probably not what was meant."""


def heeded(notes: Iterable[Note], settings: Settings) -> Iterator[Note]:
    """The notes. Raises `InputError`, under `Settings.strict`, for one that says that numbers are probably not what was
    meant."""
    for note in notes:
        if settings.strict and issubclass(note.category, _DOUBTS) and not note.harmless:
            fact = f"{note.run}{note.said}"
            raise InputError(fact, remedy=f"leave out {option('strict')} if the numbers are meant so")
        yield note


def warn_of(notes: Iterable[Note], warn: Warn, settings: Settings | None = None) -> None:
    """Warn of each note; with settings as `heeded` has it."""
    for note in notes if settings is None else heeded(notes, settings):
        warn(f"{note.run}{note.said}", note.category)


def doubt_notes(name: str, doubts: Sequence[Problem], details: Details | None = None) -> Iterator[Note]:
    """What judgments were perhaps meant to be instead."""
    for doubt in doubts:
        place = f"{name}:{doubt.line}" if doubt.line else name  # in memory there are no lines
        yield Note(place, f": {doubt.fact}; {doubt.remedy}", "", JudgmentsWarning)
    groups = None if details is None or not details.kind.doubt else details.groups
    if details is not None and groups is not None and len(groups.names) == 1:
        yield Note(name, f": {details.kind.doubt.format(shown(groups.names[0]))}", "", JudgmentsWarning)


def empty_notes(name: str, queries: Sequence[bytes]) -> Iterator[Note]:
    """Queries that a file names and has nothing for, which no format of rows holds."""
    if queries:
        what = ("query {} has no documents and is left out", "queries have no documents and are left out")
        yield Note(name, f": {listed(queries, *what)}", "")


def unmatched_notes(path: str, role: str, wanted: bytes, first: bytes) -> Iterator[Note]:
    """A file of texts that has none for the queries or documents that are shown."""
    there = f"{shown(first)} is in the file, and " if first else ""
    said = f": there is no text for any {role} that is shown; for example, {there}{shown(wanted)} is shown"
    yield Note(path, said, "", RunWarning)


def level_notes(
    judgments: Judgments | NestedJudgments, settings: Settings, requests: Sequence[Request] | None = None
) -> Iterator[Note]:
    """Grades that the relevance level does not suit, unless all measures that are asked for look at no level, or name
    one of their own; recall of more neighbours than results; and what judgments of other kinds have to say."""
    settled = requests and all(
        request.measure.graded or request.measure.name in WITHOUT_LEVEL or request.level is not None
        for request in requests
    )
    settled = settled or (judgments.neighbours and settings.level <= 1)
    if not settled and (judgments.details is None or judgments.details.kind.graded):
        found = below_level(judgments.grade, settings) or all_relevant(judgments, settings)
        if found is not None:
            yield Note(judgments.name, f": {found[0]}; {found[1]}", "", LevelWarning)
    least = min((each.value.value for each in requests or () if each.measure.name == "recall"), default=math.inf)
    if judgments.neighbours and least < judgments.highest:
        many = decimal(judgments.highest)
        nearest = f"kNNRecall@{least} by the {least} nearest"
        said = f": R@{least} divides by all neighbours of a query, up to {many}; {nearest}"
        yield Note(judgments.name, said, "", LevelWarning)
    if judgments.details is not None and judgments.details.kind.notes is not None:
        yield from judgments.details.kind.notes(judgments, settings, requests)


def relevance_notes(
    judgments: Judgments | NestedJudgments,
    settings: Settings,
    requests: Sequence[Request] | None = None,
    optional: bool = True,
) -> Iterator[Note]:
    """Queries without a relevant document, which score 0 or were left out, and what `level_notes` says. `optional` says
    whether a choice leaves such queries out."""
    yield from _unanswerable_notes(judgments, settings, optional)
    yield from level_notes(judgments, settings, requests)


def _unanswerable_notes(judgments: Judgments | NestedJudgments, settings: Settings, optional: bool) -> Iterator[Note]:
    if judgments.unanswerable:
        what = ("query {} has no relevant document and is left out", "have no relevant document and are left out")
        of_all = len(judgments.unanswerable) + len(judgments.queries)
        said = listed(judgments.unanswerable, what[0], f"of {of_all} queries {what[1]}")
        yield Note(judgments.name, f": {said}", "")
    graded = judgments.details is None or judgments.details.kind.graded
    if not graded or judgments.of_arrays or settings.only is not None:
        return
    queries = judgments.queries
    without = [queries[place] for place in judgments.without_relevant(settings.level)]
    if not isinstance(settings.queries, str):
        without = sorted({*without}.intersection(settings.queries))
    if without and not below_level(judgments.grade, settings):
        one = "query {} has no relevant document; it scores 0 whatever is retrieved"
        several = f"of {len(queries)} queries have no relevant document; they score 0 whatever is retrieved"
        if optional:
            choice = option("queries", RELEVANT)
            one, several = f"{one} ({choice} leaves it out)", f"{several} ({choice} leaves them out)"
        yield Note(judgments.name, f": {listed(without, one, several)}", "")


WITHOUT_LEVEL = frozenset(
    {"binrbp_resid", "judged", "num_q", "num_ret", "rbp_resid", "relstring", "runid"}
    | {"set_judged", "set_unjudged", "unj", "unjudged"}
)
"""Measures that look neither at the relevance level nor at grades as gains."""


def below_level(grade: Floats, settings: Settings) -> tuple[str, str] | None:
    """Grades above 0 that do not count as relevant: a fact and a remedy, where that is perhaps not meant.

    That is where no grade reaches the relevance level; and where the level is the usual one and a good part lies below
    it, as fractions do, unless grades are given gains. Whoever raises the level means grades below it.
    """
    positive = grade[grade > 0]
    below = int((positive < settings.level).sum())
    usual = settings.level == Settings.level and settings.gains is None
    if not below:
        return None
    level = decimal(settings.level)
    if below == len(positive):
        highest = decimal(positive.max())
        gains = "; --gains sets the gains of grades" if usual else ""
        fact = f"no grade reaches the relevance level {level}, the highest is {highest}"
        return fact, f"--level {highest} would count it as relevant{gains}"
    if not usual or below < GOOD_PART * len(positive):
        return None
    counted = f"{below} of {len(positive)} grades above 0 {'is' if below == 1 else 'are'}"
    fact = (
        f"{counted} below the relevance level {level}: such documents gain in nDCG and are not relevant in AP, RR or P"
    )
    return fact, "-l sets the lowest relevant grade, --gains the gains of grades"


def all_relevant(judgments: Judgments | NestedJudgments, settings: Settings) -> tuple[str, str] | None:
    """Whole grades on a scale from 1 to 3 or more, of which all count as relevant: a fact and a remedy, where that is
    perhaps not meant, as 1 may stand for what is not relevant.

    Whoever chooses a level or gains has looked at the scale. Lists of relevant documents have one grade, or two; or
    their format says that they are such lists.
    """
    if judgments.neighbours or judgments.relevant_only:
        return None
    grade = judgments.grade
    lowest, highest = grade.min(initial=math.inf), grade.max(initial=0.0)
    usual = settings.level == Settings.level and settings.gains is None
    if not (usual and lowest == 1 and 3 <= highest <= LONGEST_SCALE) or (grade % 1).any():
        return None
    fact = f"every judged document counts as relevant: grades go from 1 to {decimal(highest)}, and none is 0"
    above = decimal(grade[grade > 1].min())
    return fact, f"if 1 means not relevant, add -l {above}; --gains sets the gains of grades"


def left_out_notes(left_out: LeftOut, settings: Settings, run: str) -> Iterator[Note]:
    """Queries in one file only, and files that have no document in common."""
    if left_out.not_retrieved and settings.only is None:
        kind = "judged" if isinstance(settings.queries, str) else "listed"
        if left_out.not_retrieved_count:
            counts = ("counts as an empty ranking", "count as empty rankings")
        elif settings.queries == "both":  # -c is no advice where another choice of queries was made
            counts = ("is left out (-c counts it)", "are left out (-c counts them)")
        else:
            counts = ("is left out", "are left out")
        of_one = f"{kind} query {{}} has no results and {counts[0]}"
        said = listed(left_out.not_retrieved, of_one, f"{kind} queries have no results and {counts[1]}")
        yield Note(run, f": {said}", f"have no results for {kind} queries, which {counts[1]}")
    if left_out.empty and settings.only is None and not settings.drop_self:  # what was dropped made no list empty
        counts = ("an empty list of results, which counts as 0", "empty lists of results, which count as 0")
        said = listed(left_out.empty, f"query {{}} has {counts[0]}", f"queries have {counts[1]}")
        yield Note(run, f": {said}", f"have {counts[1]}")
    if left_out.not_judged and settings.only is None:
        counts = ("is left out", "are left out")
        if left_out.not_judged_count:
            counts = ("counts as a query without relevant documents", "count as queries without relevant documents")
        of_one = f"query {{}} has no judgments and {counts[0]}"
        said = listed(left_out.not_judged, of_one, f"queries have no judgments and {counts[1]}")
        alike = written_otherwise(left_out.not_retrieved, left_out.not_judged)
        same = (
            f"; {shown(alike[0])} is in the judgments and {shown(alike[1])} in the run: are they the same query?"
            if alike
            else ""
        )
        yield Note(run, f": {said}{same}", f"have queries without judgments, which {counts[1]}")
    if left_out.no_overlap is not None:
        fact, remedy = left_out.no_overlap.fact_and_remedy
        yield Note(run, f": {fact}; {remedy}", "have no document that is judged", DocumentsWarning)
    if left_out.near_miss is not None:
        differ = "differ from judged ones only in how they are written"
        said = f": some documents {differ}: {left_out.near_miss.example}"
        of_many = f"have documents that {differ}"
        yield Note(run, f"{said}; `irev validate` lists them", of_many, DocumentsWarning)


def written_otherwise(judged: Sequence[bytes], retrieved: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """A query that only the judgments have and one that only the run has, which differ in capital letters, in zeros
    before a number, in signs, or in letters that one side has before a number: ``Q01`` and ``q1``, ``MED-1`` and ``1``;
    or as `irev.ranking.hits.twins_of` compares ids.

    None where there is no such pair, or where one of two could be meant.
    """
    if not judged:
        return None

    def parts(query: bytes) -> tuple[bytes, tuple[bytes, ...]]:
        letters = b"".join(re.findall(rb"[a-z\x80-\xff]+", query.lower()))
        return letters, tuple(number.lstrip(b"0") for number in re.findall(rb"[0-9]+", query))

    nowhere = {*judged}.intersection(retrieved)  # listed by the user, and in neither file
    known: dict[tuple[bytes, ...], list[bytes]] = {}
    for query in judged:
        if query not in nowhere:
            known.setdefault(parts(query)[1], []).append(query)
    for query in retrieved:
        if query in nowhere:
            continue
        letters, numbers = parts(query)
        near = known.get(numbers, []) if numbers else []
        same = [each for each in near if parts(each)[0] == letters or not letters or not parts(each)[0]]
        if len(same) == 1:
            return same[0], query

    twins = twins_of({*judged} - nowhere, {*retrieved} - nowhere)
    return min(twins, default=None)


def reading_notes(reading: Reading, run: str) -> Iterator[Note]:
    """Run ids that differ, ids with blanks, and neighbours that hardly fit the judgments."""
    if reading.unfit:
        yield Note(run, f": {reading.unfit}", "hardly fit the judgments", DocumentsWarning)
    if reading.other_tag:
        differ = f"run ids differ, among them {shown(reading.other_tag)}"
        last = f": {differ}; runid is that of the last row, {shown(reading.tag)}"
        yield Note(run, last, "have rows with different run ids; runid is that of the last row", RunWarning, True)
    doubt = reading.doubt
    if doubt is not None:
        said = f"{doubt.fact}; {doubt.remedy}"
        place = f":{doubt.line}" if doubt.line else ""

        harmless = doubt.code == LONG_TAG
        yield Note(run, f"{place}: {said}", f"have lines of which this is true: {said}", RunWarning, harmless)


def listed(queries: Sequence[bytes], one: str, several: str) -> str:
    """A sentence about queries: `one` has ``{}`` where the id of a single query goes; what `several` says of many is
    followed by the ids of the first of them."""
    named = ", ".join(shown(query)[1:-1] for query in queries[:NAMED])
    if len(queries) == 1:
        return one.replace("{}", named)
    return f"{len(queries)} {several}: {named}{and_more(len(queries), NAMED)}"


def filled_notes(filled: Iterable[tuple[str, Sequence[bytes]]], left_out: Sequence[bytes]) -> Iterator[Note]:
    """Queries that some of the runs lack, and that count as 0 or not at all."""
    for run, queries in filled:
        what = ("query {} has no value and counts as 0", "queries have no value and count as 0")
        yield Note(run, f": {listed(queries, *what)}", "")
    yield from not_common_notes(left_out)


def not_common_notes(queries: Sequence[bytes]) -> Iterator[Note]:
    """Queries that do not count since some of the runs lack them."""
    if queries:
        what = (
            "query {} is not in all of the runs and is left out",
            "queries are not in all of the runs and are left out",
        )
        yield Note("", listed(queries, *what), "")


MOST_ALIKE = 20
"""Parts of ids that more queries share, on average, are names of collections and years."""


FEW_CLUSTERS = 25
"""With fewer clusters of equal size, or what tells as much, tests err more often: benchmarks/clusters.py."""


def cluster_notes(queries: Sequence[bytes], cluster: Ints | None = None) -> Iterator[Note]:
    """Queries that look like parts of one topic or conversation, 31_1 and 31_2: cut at a separator most ids begin as
    others do, and end as others do. Of queries in clusters: a few clusters, or clusters of very different sizes."""
    if cluster is not None:
        yield from _few_clusters(cluster)
        return
    names = [*map(decoded, queries)]
    marks = re.escape("".join(mark for mark in "_-.:/#" if mark in names[0])) if names else ""
    for cut in range(3 if marks else 0):
        expression = f"^[^{marks}]+" + f"[{marks}][^{marks}]+" * cut
        begins = [found[0] for name in names if (found := re.match(expression, name))]
        if len(begins) < len(names):
            return
        sizes, ends = Counter(begins), {name[len(begin) :] for name, begin in zip(names, begins, strict=True)}
        alike = [begin for begin in begins if sizes[begin] > 1]
        often = 2 * len(alike) >= len(names) >= 2 * len(ends)
        if often and len(sizes) > 1 and len(names) <= MOST_ALIKE * len(sizes):
            first, second, *_ = (query for query, begin in zip(queries, begins, strict=True) if begin == alike[0])
            said = (
                f"queries such as {shown(first)} and {shown(second)} seem to depend on each other; if they do,"
                f" intervals are too narrow and p-values too small without {option('clusters', expression)}"
            )
            yield Note("", said, "")
            return


def _few_clusters(cluster: Ints) -> Iterator[Note]:
    from irev.statistics.paired import equal_clusters

    clusters, alike = int(cluster.max()) + 1, equal_clusters(cluster)
    if alike < FEW_CLUSTERS:
        same = f", which tell as much as {alike:.0f} of equal size" if round(alike) < clusters else ""
        said = (
            f"queries are in {clusters} clusters{same}: with so few, tests of two equal runs find a difference, and"
            f" intervals miss the true one, in up to {11 if alike < 10 else 9} of 100 samples, not in 5"
            " (docs/statistics.md, Queries that depend on each other)"
        )
        yield Note("", said, "")


def unknown_shares(reasons: Iterable[str]) -> Iterator[str]:
    """Say why it is unknown whether unjudged documents decide a comparison, for each reason that is not empty."""
    yield from (f"Judged shares unknown: {reason}." for reason in dict.fromkeys(reasons) if reason)


def skewed(tests: Sequence[tuple[str, int, int | None]], kind: str, unit: str = "") -> Iterator[str]:
    """A sentence on tests of differences that are too skewed for so few queries, where there are any.

    `tests` have a name, the queries, or what else is the `unit`, and how many are wanted
    (`irev.statistics.effects.queries_wanted`).
    """
    units = f"{unit}s" if unit else "queries"
    if found := [(wanted, name, queries) for name, queries, wanted in tests if wanted]:
        most, name, queries = max(found, key=lambda each: each[0])
        yield (
            f"Skewed differences in {len(found):,} of {counted(len(tests), kind)}, the most skewed {name}: with"
            f" {counted(queries, unit or 'query', units)} p-values can be far too small; a single test needs about"
            f" {most:,} {units}, several need more (docs/statistics.md, Rare gains)."
        )


def lacking_notes(run: str, queries: Sequence[bytes]) -> Iterator[Note]:
    """Queries that a run lacks, and others have."""
    if queries:
        what = ("query {} of other runs has no results", "queries of other runs have no results")
        yield Note(run, f": {listed(queries, *what)}", "have no results for queries of other runs")


def judgments_notes(
    judgments: Judgments, settings: Settings, requests: Sequence[Request] | None = None, optional: bool = True
) -> Iterator[Note]:
    """Warn of judgments that look like something else, and of what `relevance_notes` finds."""
    yield from doubt_notes(judgments.name, judgments.doubts, judgments.details)
    yield from relevance_notes(judgments, settings, requests, optional)


def tie_notes(
    judgments: Sequence[Judgments | NestedJudgments],
    outcomes: Sequence[Outcome],
    settings: Settings,
    every: bool = True,
    named: bool = False,
) -> Iterator[Note]:
    """Queries in which a judged document is tied: their values depend on how ties are broken. Where all scores are
    equal, a model failed, or judgments are taken for a run; unless `every` is true, nothing else is said of ties. One
    run needs no name, unless it is to be `named`."""
    several_runs, several_qrels = (len({getattr(o, of) for o in outcomes}) > 1 for of in ("run", "qrels"))
    for outcome in outcomes if settings.ties != "average" else ():
        tied, alike, size = outcome.facts.tied, outcome.facts.alike, len(outcome.scores.queries)
        which = [outcome.run] * (several_runs or named) + [f"under {outcome.qrels}"] * several_qrels
        about, of = " ".join(which), ": " * any(which)
        by = f"ordered by {option('ties', settings.ties)}"
        if 2 * alike > size > 1:
            said = (
                f"all scores are equal in {alike} of {counted(size, 'query', 'queries')}, so that ids alone order them"
            )
            yield Note(about, f"{of}{said}", "have equal scores for all results of most queries", TiesWarning)
        elif tied and every:
            queries = "1 query has" if tied == 1 else f"{tied} of {size} queries have"
            said = f"{of}{queries} a judged document in a tie, {by}"
            yield Note(about, said, f"have judged documents in ties, {by}", TiesWarning)
    if any(2 * each.facts.tied > len(each.scores.queries) > 2 for each in outcomes):
        for each in judgments:
            grade = each.grade
            if not (each.doubts or each.neighbours) and 2 * int((grade % 1 != 0).sum()) > len(grade):
                fact = "most grades have fractions, and most queries tied scores"
                yield Note(each.name, f": {fact}; were judgments and run swapped?", "", JudgmentsWarning)


def group_notes(outcomes: Sequence[Outcome], ungrouped: Sequence[bytes]) -> Iterator[Note]:
    """Queries that count and are in no group, and groups without a query that counts."""
    if ungrouped:
        yield Note("", listed(ungrouped, "query {} is in no group", "queries are in no group"), "")
    counting = {group.name for outcome in outcomes for group in outcome.groups if group.size}
    empty = sorted({group.name for outcome in outcomes for group in outcome.groups} - counting)
    if empty:
        of = listed(empty, "group {} has no query that counts", "groups have no query that counts")
        yield Note("", f"{of}; a line of groups is query, tab, group", "")


def fused_notes(runs: Sequence[InputRun], shared: SharedQueries) -> Iterator[Note]:
    """Notes on fused runs: queries that they lack, and files that are given twice."""
    from irev.ranking.fusion.inputs import FileRun

    yield from side_by_side_notes(runs, shared)
    first: dict[tuple[object, ...], FileRun] = {}
    for run in (run for run in runs if isinstance(run, FileRun)):
        before = first.setdefault((run.print, run.reading.rows, run.reading.tag), run)
        if before is not run and run.same_as(before):
            said = f": this seems to be the same run as {before.name}; it counts twice"
            yield Note(run.name, said, "seem to be duplicates of other runs; each copy counts", RunWarning)


def side_by_side_notes(runs: Sequence[InputRun], shared: SharedQueries) -> Iterator[Note]:
    """Notes on runs that are read side by side: queries that they lack."""
    from irev.ranking.fusion.inputs import FileRun

    for run, queries in zip(runs, shared.lacking, strict=True):
        yield from reading_notes(run.reading, run.name) if isinstance(run, FileRun) else ()
        yield from lacking_notes(run.name, queries)
