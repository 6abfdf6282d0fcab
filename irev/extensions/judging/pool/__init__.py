"""Pool: which documents of some runs are to be judged, and what each run contributes to them.

`candidates` brings the runs together by query and has the ways to choose documents from them, and `answer` makes the
pool of these.

This module declares what `irev pool` and `irev.pool` can be asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base.choice import (
    Flag,
    Kind,
    MayReplace,
    NewFile,
    QrelsFile,
    RunFile,
    Whole,
    Word,
    as_in,
    choice,
)
from irev.base.records import dataclass
from irev.commands.question import SKIPPING, Question
from irev.commands.shared import OutputChoices
from irev.output.styles import styles

if TYPE_CHECKING:
    from fractions import Fraction

DEPTH, RRF, MAXMEAN, STRATA = "depth", "rrf", "maxmean", "strata"

TAKES = {
    DEPTH: ("depth",),
    RRF: ("budget",),
    MAXMEAN: ("budget", "next"),
    STRATA: ("strata",),
}
"""Each way of choosing documents, and the numbers that it takes, of which one has to be there."""

DATA = ("tsv", "csv", "json", "jsonl", "parquet")
"""The styles that list documents; all others are for people, and show what runs contribute."""


class Stratum(NamedTuple):
    """The documents whose best rank in any run is `depth` at most, and behind the stratum before, and the share of
    them that is drawn, above 0 and at most 1."""

    depth: int
    share: Fraction


class Strata(Kind):
    """Depths, and the share that is drawn down to each, ``10=1,50=0.2``; in Python a dictionary.

    Shares are exact: a tenth of 30 documents is 3. Strata stand in the order of their depths.
    """

    metavar = "K=SHARE,…"
    name = "strata"
    expected = "a dictionary of depths of 1 or more and shares above 0 and at most 1 such as {10: 1, 50: 0.2}"

    def read(self, text: str) -> tuple[Stratum, ...]:
        found: dict[int, Stratum] = {}
        for part in text.split(","):
            depth, equals, share = part.partition("=")
            if not (equals and re.fullmatch("[0-9]{1,9}", depth, re.ASCII) and re.fullmatch(_SHARE, share, re.ASCII)):
                raise ValueError(f"'{part}' is no depth and share such as 50=0.2")
            if int(depth) in found:
                raise ValueError(f"depth {depth} is given twice")
            found[int(depth)] = _stratum(int(depth), share)
        return tuple(sorted(found.values()))

    def check(self, value: Any) -> tuple[Stratum, ...]:
        if not isinstance(value, Mapping):
            raise ValueError(self.expected)
        try:
            return tuple(sorted(_stratum(Whole(1).check(depth), str(share)) for depth, share in value.items()))
        except ValueError:
            raise ValueError(self.expected) from None


_SHARE = r"[0-9]{0,9}\.?[0-9]{0,18}"


def _stratum(depth: int, written: str) -> Stratum:
    from fractions import Fraction  # slow to import

    try:
        share = Fraction(written)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if depth < 1 or not 0 < share <= 1:
        expected = "expected a depth of 1 or more, and a share above 0 and at most 1: 10=1,50=0.2"
        raise ValueError(f"'{depth}={written}' is not a stratum; {expected}")
    return Stratum(depth, share)


@dataclass(frozen=True)
class PoolChoices:
    """Which documents are to be judged, and how they are given out."""

    runs: tuple[str, ...] = choice((), "the runs", RunFile())
    depth: int | None = choice(None, "the first N documents of each run", Whole(1))
    budget: int | None = choice(
        None,
        "up to N judgments for each query, including those of --judged: the best documents by reciprocal rank "
        "fusion, or --by maxmean",
        Whole(1),
    )
    strata: tuple[Stratum, ...] | None = choice(
        None,
        "a sample: 10=1,50=0.2 takes all documents that any run has among its first 10, and a fifth of the others among"
        " the first 50",
        Strata(),
    )
    next: int | None = choice(
        None,
        "with --by maxmean: the next N documents of each query. Default: 1",
        Whole(1),
    )
    by: str | None = choice(
        None,
        "how documents are chosen. maxmean: the next document comes from the run that was best so far (Losada et "
        "al. 2017). Default: by --depth, --budget (rrf) or --strata",
        Word(tuple(TAKES)),
    )
    audit: int | None = choice(
        None,
        "with --depth: only N queries, drawn at random from those without a judgment, with an empty column for grades."
        " Once a human has filled it in, `irev llm-judge` corrects a model with it",
        Whole(1),
    )
    within: int | None = choice(
        None, "only use the first N documents of each run. Default: all", Whole(1), not_with="depth strata"
    )
    judged: str | None = choice(
        None,
        "existing judgments: their documents are left out, and --by maxmean uses their grades",
        QrelsFile(),
    )
    judges: int | None = choice(
        None,
        "give whole queries to N judges, each about as many documents: adds the column judge",
        Whole(1),
    )
    overlap: int = choice(
        0,
        "with --judges: draw this many queries that a second judge judges too, to measure agreement with `irev judges`",
        Whole(),
        needs="judges",
    )
    in_order: bool = choice(
        False,
        "order documents best first, with their ranks and scores. Default: shuffled, so that judges see no ranks",
        Flag(),
    )
    seed: int = choice(0, "random seed of the order and the sample", Whole())
    sample_eval: str | None = choice(
        None,
        "write the strata and their judgments for sample_eval.pl (infNDCG, extended infAP)",
        NewFile(),
        needs="strata judged",
    )
    statap: str | None = choice(
        None,
        "write the sample, its judgments and probabilities for statAP_MQ_eval",
        NewFile(),
        needs="strata judged",
    )
    overwrite: bool = choice(
        False, "replace files that exist, with all grades filled in there", MayReplace(), flags="--force"
    )
    style: str | None = choice(
        None,
        f"output format. {', '.join(DATA)}: the documents to judge; "
        f"{', '.join(each for each in styles() if each not in DATA)}: what each run contributes. Default: by "
        "the ending of the output file, or tsv",
        Word(styles(), "STYLE"),
        "-f --format",
    )
    output: str | None = as_in(OutputChoices, "output")

    @property
    def most(self) -> int | None:
        """How many documents of each run are looked at; None for all."""
        return self.depth or (self.strata[-1].depth if self.strata else self.within)


QUESTION = Question(
    "pool",
    says="Choose documents to judge.",
    about="""Choose documents of the RUNs to judge, each once for its query, except those of --judged.

Every query of any run has a pool; queries are in the order of their bytes. One RUN may be `-`, standard input; a
folder and @LIST stand for the files in them.""",
    example="irev pool --depth 3 --judged qrels.txt hybrid.run keyword.run semantic.run",
    files="RUN…",
    choices=PoolChoices,
    shared=("level", SKIPPING, "qrels_format"),
    style="tsv",
)
