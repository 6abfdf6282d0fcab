"""The report of coverage: what is judged, what holes could change, and what runs owe to judgments of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev.analysis.coverage import Coverage
from irev.base.text import MISSING, counted, decoded, named, plain, real, signed
from irev.evaluation.result import Input
from irev.output.report import Plain, Report, Sheet
from irev.output.reports.tables import stamped, table

FORMAT, VERSION = "irev coverage", 1

_COLUMNS = ("statistic", "run", "and_run", "measure", "k", "query", "document", "value", "n")
_TEXTS = ("statistic", "run", "and_run", "measure", "query", "document")

_LISTED = 20
"""Pairs of runs, and documents, that people see unless they ask for all."""

CAVEAT = (
    "That values change little without a run's own judgments does not show that they are enough for runs of another"
    " kind, since all that were pooled may share a bias (Buckley et al. 2007)."
)


class CoverageReport(Report):
    """What judgments cover of runs, laid out; `everything` says whether people see all pairs and documents."""

    columns = _COLUMNS
    texts = frozenset(_TEXTS)
    deepest = 4

    def __init__(
        self,
        coverage: Coverage,
        policy: str,
        inputs: Sequence[Input] = (),
        everything: bool = False,
        more: str = "-q",
    ) -> None:
        self.coverage, self.policy, self.inputs, self.everything, self.more = coverage, policy, inputs, everything, more

    @property
    def title(self) -> str:
        return "Coverage of " + counted(len(self.coverage.runs), "run")

    # For people

    @property
    def sheets(self) -> Iterator[Sheet]:
        yield self._judged()
        for place in range(len(self.coverage.measures)):
            yield self._scores(place)
        if self.coverage.exchanges:
            yield self._exchanges()
        if self.coverage.holes:
            yield self._shared()
            yield self._holes()
        for place in range(len(self.coverage.biases)):
            yield self._own(place)

    def _judged(self) -> Sheet:
        found = self.coverage
        rows = (
            {
                "run": named(run.name),
                **{str(k): real(share, self.look.digits) for k, share in zip(found.depths, run.judged, strict=True)},
                "unjudged": f"{run.unjudged:,}",
                "alone": f"{run.alone:,}",
            }
            for run in found.runs
        )
        header = (*map(str, found.depths), "unjudged", "alone")
        return table("Share of the first k documents that is judged", ("run",), header, rows)

    def _scores(self, place: int) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                "run": named(run.name),
                "score": f"{real(run.scores[place].value, digits)} ({run.scores[place].place})",
                "condensed": real(run.scores[place].condensed, digits),
                "lowest": real(run.scores[place].low, digits),
                "highest": real(run.scores[place].high, digits),
            }
            for run in sorted(self.coverage.runs, key=lambda run: run.scores[place].place)
        )
        header = ("score", "condensed", "lowest", "highest")
        return table(
            f"{self.coverage.measures[place]}, and what unjudged documents could make of it", ("run",), header, rows
        )

    def _exchanges(self) -> Sheet:
        found = self.coverage.exchanges
        kept = found if self.everything else found[:_LISTED]
        rows = (
            {
                "run": named(each.better),
                "above": named(each.worse),
                "measure": each.measure,
                "difference": signed(each.difference, self.look.digits),
                "takes": real(each.needed, self.look.digits),
            }
            for each in kept
        )
        return table(
            "Runs that could change places",
            ("run", "above"),
            ("measure", "difference", "takes"),
            rows,
            ("run", "above", "measure"),
            self._left_out(len(found), len(kept)),
        )

    def _shared(self) -> Sheet:
        rows = ({"runs": f"{runs:,}", "documents": f"{count:,}"} for runs, count in self.coverage.shared)
        title = f"Unjudged documents among the first {self.coverage.first}, by how many runs have them there"
        return table(title, ("runs",), ("documents",), rows, ())

    def _holes(self) -> Sheet:
        found = self.coverage.holes
        kept = found if self.everything else found[:_LISTED]
        rows = (
            {
                "query": named(decoded(each.query)),
                "document": named(decoded(each.document)),
                "runs": f"{each.runs:,}",
                "best rank": f"{each.best:,}",
            }
            for each in kept
        )
        left_out = self._left_out(len(found), len(kept))
        return table("Of these", ("query", "document"), ("runs", "best rank"), rows, notes=left_out)

    def _own(self, place: int) -> Sheet:
        digits = self.look.digits
        rows = (
            {
                "run": named(run.name),
                **({"group": named(run.group)} if self.coverage.grouped else {}),
                "own": f"{run.own:,}",
                "relevant": f"{run.own_relevant:,}",
                "score": f"{real(run.scores[place].value, digits)} ({run.scores[place].place})",
                "without": f"{real(run.scores[place].without, digits)} ({run.scores[place].place_without})",
                "change": signed(run.scores[place].change, digits),
            }
            for run in sorted(self.coverage.runs, key=lambda run: run.scores[place].place)
        )
        labels = ("run", "group") if self.coverage.grouped else ("run",)
        bias = self.coverage.biases[place]
        whose = f" ({named(bias.largest_run)})" if bias.largest else ""
        note = (
            f"Changes: {real(bias.mean, digits)} in the mean, {real(bias.largest, digits)} at most{whose},"
            f" {counted(bias.places, 'place')} at most. tau of the orders with and without them:"
            f" {real(bias.tau, digits)}."
        )
        title = f"{bias.measure} without what a {'group' if self.coverage.grouped else 'run'} alone brought in"
        return table(title, labels, ("own", "relevant", "score", "without", "change"), rows, notes=[note])

    def _left_out(self, count: int, kept: int) -> list[str]:
        return [f"{counted(count - kept, 'row')} left out; {self.more} shows all."] if count > kept else []

    @property
    def notes(self) -> Iterator[str]:
        found = self.coverage
        yield (
            f"unjudged: pairs of query and document among the first {found.first} of a run; alone: those that no other"
            f" run has there. Shares are means over queries with results; {MISSING}: no ranking is so deep."
        )
        yield (
            "condensed: of the list without unjudged documents. lowest, highest: whatever the unjudged documents of the"
            " run turn out to be; relevant ones that it lacks, which other runs may have, are not thought of."
        )
        if not all(found.bounded):
            missing = [name for name, there in zip(found.measures, found.bounded, strict=True) if not there]
            yield f"No exact bounds are known for {', '.join(missing)} under these judgments."
        for name, there in zip(found.measures, found.bounded, strict=True):
            if there and found.pairs:
                count = sum(each.measure == name for each in found.exchanges)
                yield (
                    f"{name}: {count:,} of {counted(found.pairs, 'pair')} of runs could change places, each taken by"
                    " itself; takes: the share of what could happen that it takes."
                )
        if found.biases:
            whose = "its group" if found.grouped else "it"
            yield (
                f"own: judged documents that of all these runs {whose} alone has up to rank {found.pool_depth:,}"
                " (--pool-depth); without: as if these had not been judged."
            )
            yield CAVEAT
        yield self.counting

    @property
    def counting(self) -> str:
        """Which queries count, in a sentence."""
        policy = "those in both files and all runs" if self.policy == "those in both files" else self.policy
        return f"{counted(self.coverage.queries, 'query', 'queries')}: {policy}."

    # For programs

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for given in self._found():
            yield tuple(given.get(column) for column in _COLUMNS)

    def _found(self) -> Iterator[dict[str, Plain]]:
        found = self.coverage
        for run in found.runs:
            for k, share in zip(found.depths, run.judged, strict=True):
                if share is not None:
                    yield {"statistic": "judged", "run": run.name, "k": k, "value": share}
            for name in ("unjudged", "alone"):
                yield {"statistic": name, "run": run.name, "k": found.first, "value": getattr(run, name)}
            for name in ("own", "own_relevant"):
                yield {"statistic": name, "run": run.name, "k": found.pool_depth, "value": getattr(run, name)}
            for measure, score in zip(found.measures, run.scores, strict=True):
                for name in ("value", "condensed", "low", "high", "without"):
                    yield {"statistic": name, "run": run.name, "measure": measure, "value": getattr(score, name)}
                for name in ("place", "place_without"):
                    value = getattr(score, name)
                    yield {"statistic": name, "run": run.name, "measure": measure, "value": value, "n": len(found.runs)}
        for each in found.exchanges:
            pair: dict[str, Plain] = {"run": each.better, "and_run": each.worse, "measure": each.measure}
            yield {"statistic": "exchange", **pair, "value": each.needed, "n": found.pairs}
        for bias in found.biases:
            about: dict[str, Plain] = {"measure": bias.measure, "n": len(found.runs)}
            yield {"statistic": "mean_change", **about, "value": bias.mean}
            yield {"statistic": "largest_change", **about, "run": bias.largest_run, "value": bias.largest}
            yield {"statistic": "tau_b", **about, "value": bias.tau}
        for hole in found.holes:
            place: dict[str, Plain] = {"query": decoded(hole.query), "document": decoded(hole.document)}
            yield {"statistic": "hole", **place, "k": hole.best, "value": hole.runs, "n": len(found.runs)}

    @property
    def record(self) -> dict[str, Any]:
        found = self.coverage
        return {
            **stamped(FORMAT, VERSION),
            "policy": self.policy,
            "queries": found.queries,
            "first": found.first,
            "pool_depth": found.pool_depth,
            "inputs": [file.recorded() for file in self.inputs],
            "runs": [
                {
                    "name": run.name,
                    "group": run.group,
                    "judged": {
                        str(k): share for k, share in zip(found.depths, run.judged, strict=True) if share is not None
                    },
                    "unjudged": run.unjudged,
                    "alone": run.alone,
                    "own": run.own,
                    "own_relevant": run.own_relevant,
                    "scores": {
                        measure: {
                            "value": plain(score.value),
                            "condensed": plain(score.condensed),
                            "low": plain(score.low),
                            "high": plain(score.high),
                            "place": score.place,
                            "without": plain(score.without),
                            "place_without": score.place_without,
                        }
                        for measure, score in zip(found.measures, run.scores, strict=True)
                    },
                }
                for run in found.runs
            ],
            "shared": [list(each) for each in found.shared],
            "exchanges": [{**each._asdict(), "difference": plain(each.difference)} for each in found.exchanges],
            "pairs": found.pairs,
            "bounded": dict(zip(found.measures, found.bounded, strict=True)),
            "bias": [
                {**bias._asdict(), "mean": plain(bias.mean), "largest": plain(bias.largest), "tau": plain(bias.tau)}
                for bias in found.biases
            ],
            "holes": [
                {
                    "query": decoded(hole.query),
                    "document": decoded(hole.document),
                    "runs": hole.runs,
                    "best": hole.best,
                }
                for hole in found.holes
            ],
        }
