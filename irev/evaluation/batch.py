"""Many runs: each is read once and evaluated under every set of judgments, wherever an executor has that done.

Judgments are read and indexed once. Results come in the order of the runs, and of several faults the one of the
earliest run is raised, whoever evaluates them and whatever is ready first. Here are the executors of this machine, one
run after the other or several processes; an extension has the others.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterator, MutableSequence, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from irev.base import segments, workers
from irev.base.errors import AboveMaximum, InputError, IrevError, ProblemError, UnreachableError
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.evaluation import scores
from irev.evaluation.result import Facts
from irev.evaluation.scores import NOTHING_BESIDE, Beside, Scores, Summary
from irev.measures import Request
from irev.ranking import ranking
from irev.ranking.ranked import Ranked
from irev.ranking.ranking import LeftOut
from irev.reading import chunks
from irev.reading.judgments import Judgments
from irev.reading.runs import Reading
from irev.reading.sources import STANDARD_INPUT, Digest, Source

if TYPE_CHECKING:
    from irev.base.segments import Floats, Ints
    from irev.ranking.hits import TopK


E = TypeVar("E")
Found = TypeVar("Found", covariant=True)

Counts = MutableSequence[int]
"""How many bytes of each run were read."""


class Work(Protocol[Found]):
    """The evaluation of one run of a batch."""

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Found:
        """The result of one run; `watch` is called with the number of bytes read so far.

        Messages call the run `name`, if its path is not what the user typed.
        """


class Executor(Protocol):
    """Where the runs of a batch are evaluated."""

    def counts(self, runs: int) -> Counts:
        """An array for the number of bytes read of each run, which all workers share; all 0."""

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        """The number of each run with its result, or the exception it raised, as soon as it is done.

        Runs may come in any order. After an exception the others need not come. When the generator is closed, runs that
        have not begun are cancelled.
        """


class IdealColumns(NamedTuple):
    """The ideal ranking of every query, which depends on the judgments alone; `d` documents.

    Attributes
    ----------
    judgment, place : int (d,)
        Their judgments, and their ranks; of documents of equal gain any may stand before another, and those that may
        stand above the cutoff are all there.
    gain, value : float (d,)
    depth : int or None
        The cutoff.
    """

    judgment: Ints
    place: Ints
    gain: Floats
    value: Floats
    depth: int | None


class ShownTerms(NamedTuple):
    """The terms that the values of a measure are the sums of; `t` terms.

    Attributes
    ----------
    owner, rank : int (t,)
        Query and rank of each, the latter in the whole ranking, whatever the measure drops of it.
    judgment : int (t,)
        The judgment of the document; -1 for one that has none.
    value : float (t,)
    over : float (q,)
        What divides the sum of each query.
    times : float
        What multiplies it.
    ideal : IdealColumns or None
        Where the measure is a share of what the ideal ranking has.
    """

    owner: Ints
    rank: Ints
    judgment: Ints
    value: Floats
    over: Floats
    times: float
    ideal: IdealColumns | None


@dataclass(frozen=True, eq=False)
class ShownRun:
    """What pages show of the rankings of a run.

    Attributes
    ----------
    top_k : TopK
    retrieved : int (q,)
        How many documents each query retrieved.
    terms : tuple of (ShownTerms or None)
        Of every request; None for one that is no sum over ranks.
    scores, summary : Scores, Summary
        Of the requests for curves, as `ShowingTask` keeps them.
    """

    top_k: TopK
    retrieved: Ints
    terms: tuple[ShownTerms | None, ...]
    scores: Scores
    summary: Summary


class Evaluated(NamedTuple):
    """The evaluation of one run.

    Attributes
    ----------
    name : str
        What messages call its file.
    reading : Reading
        What reading it found.
    scores, summaries, left_out, facts : tuple
        One for each set of judgments.
    digest : Digest or None
        What its file was, where that was asked for.
    shown : ShownRun or None
        What pages show of its rankings, where that was asked for.
    """

    name: str
    reading: Reading
    scores: tuple[Scores, ...]
    summaries: tuple[Summary, ...]
    left_out: tuple[LeftOut, ...]
    facts: tuple[Facts, ...]
    digest: Digest | None
    shown: ShownRun | None = None


class JudgmentsFile(NamedTuple):
    """Where judgments were read from, so that another process can read the same.

    Attributes
    ----------
    path, name : str
        Where it is, and what messages call it.
    sha256 : str
        Of what was read there.
    """

    path: str
    name: str
    sha256: str


@dataclass(frozen=True, eq=False)
class Task:
    """What is the same for every run.

    Attributes
    ----------
    judgments : tuple of Judgments
        The sets to evaluate under.
    requests : tuple of Request
    settings : Settings
    digest : bool
        Whether files are to be hashed.
    per_query : bool
        Whether the scores have the values of single queries.
    files : tuple of JudgmentsFile
        Where the judgments are from, where that may be asked.
    jobs : int
        Processes that may share out one run.
    beside : Beside
        What `Scores.beside` is to have.
    """

    judgments: tuple[Judgments, ...]
    requests: tuple[Request, ...]
    settings: Settings
    digest: bool = False
    per_query: bool = True
    files: tuple[JudgmentsFile, ...] = ()
    jobs: int = 1
    beside: Beside = NOTHING_BESIDE

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Evaluated:
        """Read and evaluate one run, as `Work` has it."""
        with Source(path, digest=self.digest, watch=watch, name=name) as source:
            judgments, *others = self.judgments
            found = None if others else judgments.evaluated(source, self.requests, self.settings, self.per_query)
            if found is not None:
                reading, scored, of_all, left_out, facts = found
                digest = source.digest() if self.digest else None
                return Evaluated(source.name, reading, (scored,), (of_all,), (left_out,), (facts,), digest)
            ranked, reading = ranking.rank_under(self.judgments, source, self.settings, self.jobs)
            digest = source.digest() if self.digest else None
        return self.of(source.name, reading, ranked, digest)

    def of(
        self, name: str, reading: Reading, ranked: Sequence[tuple[Ranked, LeftOut]], digest: Digest | None
    ) -> Evaluated:
        """The scores of a run under every set of judgments."""
        found = [self._scored(each) for each, _ in ranked]
        return Evaluated(
            name,
            reading,
            tuple(of_queries for of_queries, _ in found),
            tuple(of_all for _, of_all in found),
            tuple(left_out for _, left_out in ranked),
            tuple(facts_of(each, left_out) for each, left_out in ranked),
            digest,
        )

    def _scored(self, ranked: Ranked) -> tuple[Scores, Summary]:
        if not self.per_query:
            return scores.evaluate_summary(ranked, self.requests)
        found = scores.evaluate_beside(ranked, self.requests, self.beside)
        return found, scores.summarise(found)


def facts_of(ranked: Ranked, left_out: LeftOut) -> Facts:
    """What numbers do not show of rankings."""
    # With expected values over ties, hits behind the cut are kept that could stand before it.
    judged = int(np.count_nonzero((ranked.grade >= 0) & (ranked.rank <= ranked.retrieved[ranked.owner])))
    tied = len(segments.distinct(ranked.owner[ranked.tie_first < ranked.tie_last]))
    unjudged = int(ranked.retrieved.sum()) - judged
    missing = left_out.not_retrieved, left_out.not_judged
    return Facts(judged, unjudged, tied, *missing, empty=left_out.empty, alike=ranked.all_alike if tied else 0)


class Batch(Generic[E]):
    """The evaluation of several runs, under way.

    Parameters
    ----------
    work : Work
    runs : sequence of str
        Paths.
    executor : Executor

    Attributes
    ----------
    done : int
        Runs that are evaluated.
    """

    def __init__(self, work: Work[E], runs: Sequence[str], executor: Executor) -> None:
        self._work, self._runs, self._executor = work, runs, executor
        self.done = 0
        self._read = executor.counts(len(runs))

    def read(self) -> int:
        """Bytes of all files that were read so far."""
        return sum(self._read)

    def results(self) -> Iterator[E]:
        """The result of each run, in order. Raises what its evaluation raises."""
        found: dict[int, E | Exception] = {}
        arriving = self._executor.evaluated(self._work, self._runs, self._read)
        with contextlib.closing(arriving):  # nothing outlives a fault
            for number, evaluated in arriving:
                found[number] = evaluated
                while self.done in found:
                    first = found.pop(self.done)
                    if isinstance(first, Exception):
                        raise first
                    yield first
                    self.done += 1


class Broken(NamedTuple):
    """A run that cannot be read."""

    error: InputError


@dataclass(frozen=True)
class Skipping:
    """Work whose result is `Broken` where a file cannot be read, so that the other runs are evaluated."""

    work: Work[Any]

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Any:
        """Read one run, as `Work` has it."""
        try:
            return self.work.evaluated(path, watch, name)
        except AboveMaximum:
            raise
        except InputError as error:
            return Broken(InputError(error.fact, error.place, error.remedy))


def without_broken(
    found: Sequence[E | Broken], paths: Sequence[str], warn: Callable[[str], None]
) -> tuple[list[E], list[str]]:
    """The results of runs that could be read, and their paths; a warning for each other run.

    Raises the error of the first run if none could be read.
    """
    kept, left = [], []
    for path, each in zip(paths, found, strict=True):
        if isinstance(each, Broken):
            if all(isinstance(one, Broken) for one in found):
                raise each.error
            warn(f"{each.error.typed}; this run is skipped")
        else:
            kept.append(each)
            left.append(path)
    return kept, left


def outcome(
    work: Work[E], path: str, watch: Callable[[int], None], name: str | None = None, where: str = ""
) -> E | Exception:
    """The result of a run, or the exception it raises, in a form that can be pickled.

    `where` says on which machine a file was read; an exception about a file that is missing there names it.
    """
    try:
        return work.evaluated(path, watch, name)
    except UnreachableError as error:
        return unreachable(error, where) if where else error
    except ProblemError as error:
        return InputError(error.fact, error.place, error.remedy)
    except (IrevError, MemoryError) as error:
        return error
    except Exception as error:
        return RuntimeError(f"{type(error).__name__}: {error}")


def unreachable(error: UnreachableError, worker: str) -> InputError:
    """What is said of a file that a worker cannot have."""
    shared = "workers read the files themselves: put them where every worker has them under the same path, or use a URL"
    return InputError(f"{error.fact} (worker {worker})", error.place, error.remedy or shared)


def counted(read: Counts, number: int) -> Callable[[int], None]:
    """What adds to the number of bytes that were read of a run."""

    def watch(size: int) -> None:
        read[number] += size

    return watch


class InTurn:
    """One run after the other; what one raises comes out as it is."""

    def counts(self, runs: int) -> Counts:
        return [0] * runs

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        for number, path in enumerate(runs):
            yield number, work.evaluated(path, counted(read, number))


LITTLE = 1 << 22
"""Bytes that one process has read before others have begun."""


def how_many(runs: Sequence[str], wanted: int | None) -> int:
    """How many processes to use: as many as wanted, or as files, processors and memory allow; 1 to do without."""
    if len(runs) < 2 or STANDARD_INPUT in runs:  # which another process may not have
        return 1
    if wanted is None and _are_little(runs):
        return 1
    return min(workers.how_many(wanted), len(runs))


def _are_little(runs: Sequence[str]) -> bool:
    """Whether these are files of no more than `LITTLE` bytes together. What is missing is found when it is read."""
    read = 0
    for path in runs:
        if os.path.exists(path):
            if not os.path.isfile(path):
                return False
            read += os.path.getsize(path)
            if read > LITTLE:
                return False
    return True


class Processes:
    """So many processes, each of which takes the next run as long as there is one."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def counts(self, runs: int) -> Counts:
        return workers.counts(runs)

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        one = _One(work, tuple(runs), read, max(workers.processors() // self._jobs, 1))
        yield from workers.results(one, len(runs), self._jobs)


PROCESSES = "processes"
"""The name of the executor that runs several processes on this machine."""


def local(runs: Sequence[str], jobs: int | None) -> Executor:
    """Several processes, where runs, processors and memory are there for several, or as many as `jobs` says."""
    several = how_many(runs, jobs)
    return InTurn() if several == 1 else Processes(several)


@dataclass
class _One:
    """Evaluates one run, by as many threads as there are processors for each process."""

    work: Work[Any]
    runs: tuple[str, ...]
    read: Counts
    threads: int

    def __call__(self, number: int) -> Any:
        chunks.THREADS = self.threads
        return outcome(self.work, self.runs[number], counted(self.read, number))
