"""What a measure sees of a run: the documents that the judgments name, at their ranks.

For a measure an unjudged document carries no information beyond the rank it occupies. So `Ranked` keeps,
per query, how many documents were retrieved, the *hits* (retrieved documents that the judgments name) in
rank order, and beside them all judged grades, best first. A run of seven million lines becomes a few
thousand hits, a measure a few lines of array arithmetic over them, and a query without results an empty
segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.base import segments
from irev.base.records import Memoized, cached_property, dataclass
from irev.base.segments import AnyInts, Bools, Floats, Ints
from irev.base.settings import Settings

if TYPE_CHECKING:
    from irev.reading.judgments import Details


@dataclass(frozen=True, eq=False)
class Ranked(Memoized):
    """The rankings of one run, reduced to judged documents. Arrays are flat; `q` queries, `h` hits, `j`
    judgments. Where these are many, whole numbers have fewer than eight bytes each; `part` and `wide` have eight.

    Attributes
    ----------
    settings : Settings
        Relevance level, judged-only and the like, as already applied to the arrays.
    queries : sequence of bytes, length q
        The evaluated queries, in byte order.
    missing : bool (q,)
        Queries for which the run has no row.
    retrieved : int (q,)
        Number of documents retrieved.
    owner, rank, grade : (h,)
        Index of the query (never decreasing), rank counting from 1 (increasing within a query), and grade
        of every hit. A negative grade means "in the pool, but not judged"; NaN, in `every_rank` alone, a
        document that the judgments do not name.
    tie_first, tie_last : int (h,)
        First and last rank of the documents whose score equals that of the hit.
    judged_owner, judged_grade : (j,)
        Every judgment of the queries, grades falling within a query.
    considered : int
        Queries that averages divide by: as many as `queries`, or more where some count without being
        evaluated.
    positive_judgments : int
        Judgments with a positive grade in the whole file, of whatever query.
    highest_grade : float
        Highest grade in the whole file, of whatever query.
    tag : bytes
        Run id of the last row of the run.
    details : Details or None
        The rows of judgments that are more than grades of documents.
    judgment, judged : int (h,), (j,), or None
        Which of the judgments that `details` are of each hit has, and each of those in `judged_grade` is. In
        `every_rank` -1 for a document that the judgments do not name.
    score : float (h,) or None
        The score of each hit, where `details` are of what a run assigns scores to.
    element : int (r,) or None
        Which of `Settings.costs` each of the r retrieved documents has, by query and rank, where there are costs.
    """

    settings: Settings
    queries: Sequence[bytes]
    missing: Bools
    retrieved: Ints
    owner: Ints
    rank: Ints
    grade: Floats
    tie_first: Ints
    tie_last: Ints
    judged_owner: Ints
    judged_grade: Floats
    considered: int
    positive_judgments: int
    highest_grade: float
    tag: bytes
    details: Details | None = None
    judgment: Ints | None = None
    judged: Ints | None = None
    score: Floats | None = None
    element: AnyInts | None = None
    _views: dict[Any, Ranked] = field(default_factory=dict, repr=False)

    # Views: the same rankings under another rule.

    def at(self, level: float | None = None, judged_only: bool | None = None, depth: int | None = None) -> Ranked:
        """These rankings at another relevance level, cut at a depth, or without unjudged documents.

        The cut comes before the removal, unless the removal is part of these rankings already. What was cut off or
        removed does not come back.
        """
        had = self.settings
        level = had.level if level is None else level
        if had.depth is not None:
            depth = had.depth if depth is None else min(depth, had.depth)
        judged_only = had.judged_only or bool(judged_only)
        wanted = level, judged_only, depth
        if wanted == (had.level, had.judged_only, had.depth):
            return self
        if wanted not in self._views:
            view = self
            if depth is not None and depth != had.depth:
                view = view._cut(depth)
            if judged_only and not had.judged_only:
                view = view._only_judged()
            settings = replace(had, level=level, judged_only=judged_only, depth=depth)
            self._views[wanted] = replace(view, settings=settings, _views={})
        return self._views[wanted]

    @property
    def all_alike(self) -> int:
        """How many queries have several documents, one of them judged, that all have the same score."""
        retrieved = self.retrieved[self.owner]
        whole = (self.tie_first == 1) & (self.tie_last >= retrieved) & (retrieved > 1)
        return len(segments.distinct(self.owner[whole]))

    @property
    def detailed(self) -> tuple[Details, Ints, Ints]:
        """`details`, `judgment` and `judged`, of rankings whose judgments are more than grades."""
        if self.details is None or self.judgment is None or self.judged is None:
            raise ValueError("these judgments are grades and no more")
        return self.details, self.judgment, self.judged

    def without_gain_below(self, level: float) -> Ranked:
        """These rankings with a grade of 0 for every document whose grade is 0 or more and below `level`."""
        key = ("without gain below", level)
        if key not in self._views:
            self._views[key] = replace(
                self,
                grade=np.where((self.grade >= 0) & (self.grade < level), 0.0, self.grade),
                judged_grade=np.where((self.judged_grade >= 0) & (self.judged_grade < level), 0.0, self.judged_grade),
                _views={},
            )
        return self._views[key]

    def part(self, begin: int, end: int) -> Ranked:
        """The rankings of some of the queries that stand together, as if there were no others."""
        hits = slice(*np.searchsorted(self.owner, (begin, end)))
        judged = slice(*np.searchsorted(self.judged_owner, (begin, end)))
        element = self.element
        if element is not None:
            element = element[slice(*self.documents_of([begin, end]).tolist())]
        return replace(
            self,
            queries=self.queries[begin:end],
            missing=self.missing[begin:end],
            retrieved=self.retrieved[begin:end],
            owner=self.owner[hits] - begin,
            rank=self.rank[hits],
            grade=self.grade[hits],
            tie_first=self.tie_first[hits],
            tie_last=self.tie_last[hits],
            judged_owner=self.judged_owner[judged] - begin,
            judged_grade=self.judged_grade[judged],
            considered=end - begin,
            judgment=some(self.judgment, hits),
            score=some(self.score, hits),
            judged=some(self.judged, judged),
            element=element,
            _views={},
        ).wide

    @property
    def wide(self) -> Ranked:
        """The same with eight bytes for each whole number of queries and hits, as arithmetic wants them."""
        numbers = {name: getattr(self, name) for name in ("retrieved", "owner", "rank", "tie_first", "tie_last")}
        if all(each.dtype == np.int64 for each in numbers.values()):
            return self
        return replace(self, **{name: each.astype(np.int64, copy=False) for name, each in numbers.items()}, _views={})

    def _cut(self, depth: int) -> Ranked:
        # Where ties are averaged, each document of a tie may come to stand before the cut.
        first = self.tie_first if self.settings.ties == "average" else self.rank
        retrieved = np.minimum(self.retrieved, np.int64(depth))
        element = self.element
        if element is not None:
            owner = np.repeat(np.arange(self.size), retrieved)
            element = element[self.documents_of(owner) + segments.position(owner, self.size)]
        return replace(self.with_hits(first <= depth), retrieved=retrieved, element=element)

    def _only_judged(self) -> Ranked:
        judged = self.grade >= 0
        if self.settings.ties != "average" and np.count_nonzero(judged) == self.retrieved.sum():  # all documents are
            return self
        kept = self.with_hits(judged)
        closed = segments.position(kept.owner, len(self.queries)) + 1
        # A tie shrinks to its judged members: the hits of one query that shared their first rank.
        changes = segments.opens(kept.owner, kept.tie_first)
        group = np.cumsum(changes) - 1
        sizes = np.bincount(group)
        first = closed[changes][group]
        return replace(
            kept,
            rank=closed,
            tie_first=first,
            tie_last=first + sizes[group] - 1,
            retrieved=segments.count(kept.owner, len(self.queries)),
            element=None if self.element is None else self.element[self.documents_of(kept.owner) + kept.rank - 1],
        )

    def documents_of(self, query: AnyInts | list[int]) -> Ints:
        """Where the retrieved documents of some queries begin among all, as in `element`."""
        first: Ints = np.append(0, np.cumsum(self.retrieved, dtype=np.int64))[query]
        return first

    def with_hits(self, keep: Bools) -> Ranked:
        """The rankings with those hits alone that are flagged."""
        names = ("owner", "rank", "grade", "tie_first", "tie_last")
        kept = {name: getattr(self, name)[keep] for name in names}
        return replace(self, **kept, judgment=some(self.judgment, keep), score=some(self.score, keep), _views={})

    def every_rank(self) -> Ranked:
        """These rankings with a hit at every rank, NaN as the grade of documents that the judgments do not
        name.

        As long as the run itself: for the rare measures that give unjudged documents a value.
        """
        owner = np.repeat(np.arange(len(self.queries)), self.retrieved)
        rank = segments.position(owner, len(self.queries)) + 1
        grade = np.full(len(owner), np.nan)
        place = segments.starts(self.retrieved)[self.owner] + self.rank - 1
        grade[place] = self.grade
        judgment = score = None
        if self.judgment is not None:
            judgment = np.full(len(owner), -1, dtype=np.int64)
            judgment[place] = self.judgment
        if self.score is not None:
            score = np.full(len(owner), np.nan)
            score[place] = self.score
        return replace(
            self,
            owner=owner,
            rank=rank,
            grade=grade,
            tie_first=rank,
            tie_last=rank,
            judgment=judgment,
            score=score,
            _views={},
        )

    # Ties: where a document may stand when the documents of its score are put in any order.

    def chance_within(self, depth: int | Ints) -> Floats:
        """(h,) How likely each hit stands within the first `depth` ranks; one depth, or one per query."""
        limit = self._reached(np.asarray(depth)[self.owner] if isinstance(depth, np.ndarray) else depth)
        inside = np.clip(limit - self.tie_first + 1, 0, self.tie_last - self.tie_first + 1)
        chance: Floats = inside / (self.tie_last - self.tie_first + 1)
        return chance

    def mean_over_ties(self, weights: Floats) -> Floats:
        """(h,) The mean of the weights of the ranks at which each hit may stand; ranks beyond the cut weigh nothing.

        `weights` has one number for each rank from 1 on, as many as `last_rank`.
        """
        so_far = np.concatenate(([0.0], np.cumsum(weights)))
        alone = self.tie_first == self.tie_last
        mean = np.zeros(len(self.rank))
        reached = self._reached(self.tie_last)
        tied = ~alone & (reached >= self.tie_first)
        summed = so_far[reached[tied]] - so_far[self.tie_first[tied] - 1]
        mean[tied] = summed / (self.tie_last - self.tie_first + 1)[tied]
        # A hit that stands alone has its own weight, to the last bit.
        alone &= self.rank <= self._reached(self.rank)
        mean[alone] = weights[self.rank[alone] - 1]
        return mean

    @property
    def last_rank(self) -> int:
        """The last rank at which a hit stands or may stand."""
        return int(self.tie_last.max(initial=0))

    def _reached(self, rank: int | Ints) -> Ints:
        """`rank`, or where the rankings are cut when that comes first."""
        return np.minimum(rank, self.last_rank if self.settings.depth is None else self.settings.depth)

    # What measures are made of. `q` values per query unless said otherwise.

    @property
    def size(self) -> int:
        """Number of queries, q."""
        return len(self.queries)

    @cached_property
    def relevant(self) -> Bools:
        """(h,) Whether the grade of a hit reaches the relevance level."""
        return self.grade >= self.settings.level

    @cached_property
    def nonrelevant(self) -> Bools:
        """(h,) Whether a hit is judged and its grade is below the relevance level."""
        return (self.grade >= 0) & (self.grade < self.settings.level)

    @cached_property
    def relevant_so_far(self) -> Ints:
        """(h,) Relevant hits up to each hit, itself included."""
        return segments.running_count(self.relevant, self.owner, self.size)

    @cached_property
    def nonrelevant_so_far(self) -> Ints:
        """(h,) Judged nonrelevant hits up to each hit, itself included."""
        return segments.running_count(self.nonrelevant, self.owner, self.size)

    @cached_property
    def relevant_owner(self) -> Ints:
        """(relevant hits,) Query of each relevant hit."""
        return self.owner[self.relevant]

    @cached_property
    def relevant_rank(self) -> Ints:
        """(relevant hits,) Rank of each relevant hit."""
        return self.rank[self.relevant]

    @cached_property
    def relevant_precision(self) -> Floats:
        """(relevant hits,) r_i / i, the precision at the rank i of each relevant hit."""
        return (segments.position(self.relevant_owner, self.size) + 1) / self.relevant_rank

    @cached_property
    def relevant_total(self) -> Ints:
        """R: relevant documents in the judgments, retrieved or not."""
        return segments.count_flagged(self.judged_grade >= self.settings.level, self.judged_owner, self.size)

    @cached_property
    def nonrelevant_total(self) -> Ints:
        """Documents judged nonrelevant, retrieved or not."""
        below = (self.judged_grade >= 0) & (self.judged_grade < self.settings.level)
        return segments.count_flagged(below, self.judged_owner, self.size)

    @cached_property
    def relevant_retrieved(self) -> Ints:
        """r: relevant documents retrieved."""
        return segments.count(self.relevant_owner, self.size)

    @cached_property
    def gain(self) -> Floats:
        """(h,) What a hit is worth to gain measures: its grade, or the gain that the settings give to that grade."""
        return self.worth(self.grade)

    @cached_property
    def judged_gain(self) -> Floats:
        """(j,) The same of every judgment."""
        return self.worth(self.judged_grade)

    def worth(self, grade: Floats) -> Floats:
        """What documents of these grades are worth to gain measures."""
        worth = grade.copy()
        for given, gain in self.settings.gains or ():
            worth[grade == given] = gain
        return worth

    def within(self, depth: int | Ints, flags: Bools) -> Ints:
        """How many flagged hits stand within the first `depth` ranks: one depth, or one per query."""
        limit = depth if isinstance(depth, int) else depth[self.owner]
        return segments.count(self.owner[flags & (self.rank <= limit)], self.size)

    def relevant_within(self, depth: int | Ints) -> Ints:
        """r_k: relevant documents within the first `depth` ranks; one depth, or one per query."""
        limit = depth if isinstance(depth, int) else depth[self.relevant_owner]
        return segments.count(self.relevant_owner[self.relevant_rank <= limit], self.size)


def some(values: Any, kept: Bools | slice) -> Any:
    """Some of the values, where there are any."""
    return None if values is None else values[kept]
