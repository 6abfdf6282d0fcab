"""Fusion: several runs made one.

This module declares what `irev fuse` and `irev.fuse` can be asked.
"""

from __future__ import annotations

import math
import re
from typing import Any

from irev.base.choice import Flag, JudgmentsOrRuns, Kind, NearName, NewFile, Real, RunName, Whole, Word, choice
from irev.base.records import dataclass
from irev.base.text import REAL
from irev.commands.question import ORDERING, RUN_FORMATS, Question
from irev.output import writers
from irev.ranking.fusion import METHODS, NONE, NORMALISATIONS, SCORES, USUAL_METHOD, USUAL_NORM, FusionSpec

_OF_SCORES = ",".join(name for name, method in METHODS.items() if method.of == SCORES)
_WEIGHTED = ",".join(name for name, method in METHODS.items() if method.weighted)
_OF_CONSTANT = ",".join(name for name, method in METHODS.items() if method.k is not None)


class Weights(Kind):
    """Numbers, one for each run, ``0.7,0.3``; in Python a list."""

    metavar = "W,…"
    name = "weights"
    expected = "a number for each run"

    def read(self, text: str) -> tuple[float, ...]:
        for part in text.split(","):
            if not re.fullmatch(REAL, part, re.ASCII):
                raise ValueError(f"'{part}' is not a number; expected one for each run, such as 0.7,0.3")
            if math.isinf(float(part)):
                raise ValueError(f"{part} is too large")
        return tuple(map(float, text.split(",")))

    def check(self, value: Any) -> tuple[float, ...]:
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            raise ValueError(self.expected)
        try:
            return tuple(Real(-math.inf).check(each) for each in value)
        except ValueError:
            raise ValueError(self.expected) from None


@dataclass(frozen=True)
class FuseChoices:
    """How runs are fused, and what is written of that."""

    files: tuple[str, ...] = choice((), "the runs", JudgmentsOrRuns())
    fusion: str = choice(
        USUAL_METHOD,
        f"method of fusion: {', '.join(METHODS)}. --list describes each",
        NearName(tuple(METHODS), "NAME", dict.fromkeys(("wsum", "weighted-sum", "linear"), "combsum")),
        "--method",
    )
    norm: str | None = choice(
        None,
        f"how scores are normalised, for the methods that use scores: {', '.join(NORMALISATIONS)}, or none. "
        "Default: min-max",
        NearName((*NORMALISATIONS, NONE), "NAME", dict.fromkeys(("zscore", "z-score", "zmuv"), "z")),
        needs=f"fusion={_OF_SCORES}",
    )
    run_weights: tuple[float, ...] | None = choice(
        None,
        "the weight of each run, in the order of the runs, for methods that add contributions: 0.7,0.3. "
        "Default: equal weights",
        Weights(),
        "--weights",
        needs=f"fusion={_WEIGHTED}",
    )
    k: float | None = choice(
        None, "the constant of rrf. Default: 60", Real(), "--rrf-k", needs=f"fusion={_OF_CONSTANT}"
    )
    input_depth: int | None = choice(
        None, "use only the first N documents of each ranking. Default: all", Whole(1), "--depth"
    )
    length: int | None = choice(None, "keep the first N documents of each query. Default: all", Whole(1))
    target: str | None = choice(
        None,
        "the format of the fused run. Default: by the ending of the output file, or trec",
        Word(tuple(writers.WRITERS)),
        "-f --format",
    )
    output: str | None = choice(
        None, "write to FILE instead of standard output", NewFile(), "-o --output --Output_old_results_format"
    )
    tag: str | None = choice(None, "the run id of the fused run. Default: the name of the method", RunName())
    ways_listed: bool = choice(False, "only list the methods and normalisations", Flag(), "--list")

    @property
    def spec(self) -> FusionSpec:
        """The fusion that is asked for."""
        of = METHODS[self.fusion]
        return FusionSpec(
            self.fusion,
            (self.norm or USUAL_NORM) if of.of == SCORES else NONE,
            of.k if self.k is None else self.k,
            self.run_weights,
            self.input_depth,
            self.length,
        )


QUESTION = Question(
    "fuse",
    about="""Make one run of the RUNs, and write it to standard output or a file.

Documents of equal fused score are ordered by id, highest bytes first. A query that some runs lack is fused from the
others. Runs with the same order of queries are read together, part by part; other runs are read into memory. One RUN
may be `-`, standard input; a folder and @LIST stand for the files in them.""",
    example="irev fuse --method combsum --weights 2,1 -o fused.run semantic.run keyword.run",
    files="RUN…",
    choices=FuseChoices,
    shared=(RUN_FORMATS, ORDERING),
)
