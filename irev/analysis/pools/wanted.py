"""What kind of pool is wanted: the way in which documents are chosen, and the numbers that it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base.records import dataclass
from irev.errors import UsageError

if TYPE_CHECKING:
    from fractions import Fraction

DEPTH, RRF, MAXMEAN, STRATA, DIFFERENCE = "depth", "rrf", "maxmean", "strata", "difference"

TAKES = {
    DEPTH: ("depth",),
    RRF: ("budget",),
    MAXMEAN: ("budget", "next"),
    STRATA: ("strata",),
    DIFFERENCE: ("next",),
}
"""Each way of choosing documents, and the numbers that it takes, of which one has to be there."""

WAYS = tuple(TAKES)

_IMPLIED = {"depth": DEPTH, "budget": RRF, "strata": STRATA}
"""The way that is meant where a number is given and no way."""

ASKED = "--depth K, --budget N, --strata K=SHARE,… or --next N"


class Stratum(NamedTuple):
    """The documents whose best rank in any run is `depth` at most, and behind the stratum before, and the share of
    them that is drawn, above 0 and at most 1."""

    depth: int
    share: Fraction


@dataclass(frozen=True)
class PoolWanted:
    """A pool.

    Attributes
    ----------
    by : str
        One of `WAYS`.
    depth : int or None
        By depth: the first so many documents of each run.
    budget : int or None
        Judgments of each query, those that there are included.
    next : int or None
        Documents to give out now: by bandit of each query, by difference of all queries together.
    strata : tuple of Stratum
        Their depths rise.
    within : int or None
        Look at so many documents of each run; None for all of them.
    measure : str
        By difference: what is to tell the runs apart, as `irev.analysis.pools.difference.weighing` reads it.
    level : float
        Lowest grade that counts as relevant.
    seed : int
        Of the sample, and of the order in which documents are given out.
    in_order : bool
        Whether they are given out best first, with what they were chosen by.
    """

    by: str
    depth: int | None = None
    budget: int | None = None
    next: int | None = None
    strata: tuple[Stratum, ...] = ()
    within: int | None = None
    measure: str = "AP"
    level: float = 1.0
    seed: int = 0
    in_order: bool = False

    @property
    def most(self) -> int | None:
        """How many documents of each run are looked at; None for all."""
        return self.depth or (self.strata[-1].depth if self.strata else self.within)


def chosen(
    by: str | None,
    depth: int | None,
    budget: int | None,
    strata: Mapping[int, str] | None,
    next: int | None,
    **further: Any,
) -> PoolWanted:
    """The pool that is asked for; `further` are the other fields of `PoolWanted`.

    Raises `UsageError` for numbers that are none of one way's, and as `strata_of`.
    """
    way = _way(by, {"depth": depth, "budget": budget, "strata": strata, "next": next})
    batch = next or 1 if way in (MAXMEAN, DIFFERENCE) else None
    return PoolWanted(way, depth, budget, batch, strata_of(strata or {}), **further)


def idle(wanted: PoolWanted, judged: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Why some choices would change nothing, and which these are; `judged`: whether there are judgments."""
    if wanted.by != DIFFERENCE:
        yield "it is for --by difference", ("measure",)
    if wanted.by in (DEPTH, STRATA):
        yield f"--{wanted.by} says how much of each run is looked at", ("within",)
    if not judged:
        yield "there are no judgments; --judged names them", ("level", "negative", "qrels_format", "qrels_columns")
    elif wanted.by not in (MAXMEAN, DIFFERENCE):
        yield "documents are chosen whatever was relevant", ("level",)
    if wanted.by != STRATA and wanted.in_order:
        yield "nothing is shuffled, and no sample drawn", ("seed",)


def _way(by: str | None, given: Mapping[str, object]) -> str:
    """The way of choosing that is asked for, by its name or by the numbers that are given, None where one is not."""
    there = [name for name, value in given.items() if value]
    if by is None:
        if not there:
            raise UsageError("nothing says which documents are to be judged", remedy=f"expected {ASKED}")
        named = " and ".join(f"--{name}" for name in there)
        ways = [f"--by {name}" for name, takes in TAKES.items() if {*there} <= {*takes} and "next" in there]
        if ways:
            raise UsageError(f"{named} can be meant for several ways to choose", remedy=f"add {' or '.join(ways)}")
        if len(there) > 1:
            raise UsageError(f"{named} are different ways to make a pool", remedy="give one of them")
        return _IMPLIED[there[0]]
    takes = " or ".join(f"--{name}" for name in TAKES[by])
    for name in there:
        if name not in TAKES[by]:
            raise UsageError(f"--{name} changes nothing here", remedy=f"--by {by} takes {takes}")
    if not there:
        raise UsageError(f"--by {by} takes {takes}, and it is not given")
    return by


def strata_of(pairs: Mapping[int, str]) -> tuple[Stratum, ...]:
    """Depths, and the share that is drawn down to each as a decimal number, as strata by rising depth.

    Shares are exact: a tenth of 30 documents is 3. Raises `UsageError` for a depth below 1, and for a share that is no
    number above 0 and at most 1.
    """
    from fractions import Fraction  # slow to import

    found = []
    for depth, written in sorted(pairs.items()):
        try:
            share = Fraction(written)
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if depth < 1 or not 0 < share <= 1:
            fact = f"'{depth}={written}' is no stratum"
            raise UsageError(
                fact, remedy="expected a depth of 1 or more, and a share above 0 and at most 1: 10=1,50=0.2"
            )
        found.append(Stratum(depth, share))
    return tuple(found)
