"""Circles in what ought to be an order: steps from one thing to the next that lead back to where they began.

Each set of things that can all be reached from each other has at least one. Of these a shortest is found, since it is
the easiest to look at: things are tried as its beginning one after the other, and left out when they were, with all
that are in no circle then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Step = tuple[int, int]
Neighbours = Mapping[int, Sequence[int]]


def shortest_cycles(steps: Sequence[Step]) -> Iterator[list[int]]:
    """One shortest circle of each set of things that can all be reached from each other.

    Parameters
    ----------
    steps : sequence of (int, int)
        None stands twice or both ways round, or leads from a thing to itself, so that a circle has three things or
        more. Of several circles the order decides which one is found.

    Yields
    ------
    list of int
        From each there is a step to the next, and from the last to the first.
    """
    part = _parts(*_neighbours(steps))
    within: dict[int, list[Step]] = {}
    for one, other in steps:
        if part[one] == part[other]:
            within.setdefault(part[one], []).append((one, other))
    for of_part in within.values():
        yield _Circles(*_neighbours(of_part)).shortest()


def _neighbours(steps: Sequence[Step]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """What follows each thing, and what comes before it, in the order of the steps."""
    after: dict[int, list[int]] = {}
    before: dict[int, list[int]] = {}
    for one, other in steps:
        after.setdefault(one, []).append(other)
        before.setdefault(other, []).append(one)
    return after, before


def _parts(after: Neighbours, before: Neighbours) -> dict[int, int]:
    """A number for each thing, which those share that can be reached from each other (Kosaraju's algorithm)."""
    left: list[int] = []
    seen = set[int]()
    for root in after:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(after[root]))]
        while path:
            here, following = path[-1]
            found = next((other for other in following if other not in seen), None)
            if found is None:
                path.pop()
                left.append(here)
            else:
                seen.add(found)
                path.append((found, iter(after.get(found, ()))))
    part: dict[int, int] = {}
    for root in reversed(left):
        if root in part:
            continue
        part[root] = root
        waiting = [root]
        while waiting:
            for one in before.get(waiting.pop(), ()):
                if one not in part:
                    part[one] = root
                    waiting.append(one)
    return part


class _Circles:
    """Looks for circles among things that can all be reached from each other."""

    def __init__(self, after: Neighbours, before: Neighbours) -> None:
        self._after, self._before = after, before
        self._onwards = {one: len(others) for one, others in after.items()}
        self._back = {one: len(others) for one, others in before.items()}

    def shortest(self) -> list[int]:
        """One of the shortest."""
        best: list[int] = []
        for start in self._after:
            if start in self._onwards:
                best = self._through(start, len(best)) or best
                if len(best) == 3:  # as few as there can be
                    break
                self._leave_out(start)
        return best

    def _through(self, start: int, fewer_than: int) -> list[int]:
        """The shortest circle through a thing, if it has fewer things than so many, 0 for any number; else none."""
        came_from: dict[int, int] = {}
        here, length = [start], 1
        while here and length != fewer_than:
            following = []
            for one in here:
                for other in self._after[one]:
                    if other == start:
                        circle = [one]
                        while circle[-1] != start:
                            circle.append(came_from[circle[-1]])
                        return circle[::-1]
                    if other in self._onwards and other not in came_from:
                        came_from[other] = one
                        following.append(other)
            here, length = following, length + 1
        return []

    def _leave_out(self, one: int) -> None:
        """Without a thing, and without all that are in no circle then."""
        leaving = [one]
        while leaving:
            gone = leaving.pop()
            if self._onwards.pop(gone, None) is None:
                continue
            for counts, others in ((self._back, self._after[gone]), (self._onwards, self._before[gone])):
                for other in others:
                    if other in self._onwards:
                        counts[other] -= 1
                        if not counts[other]:
                            leaving.append(other)
