"""What is measured: the inputs and the table of scenarios, as plain data.

A scenario is one input evaluated in one way. irev meets each rival of a scenario in a duel of its own. In a
command, "{python}" stands for the Python that runs the benchmark, "{here}" for this folder, "{irev}" for the
command that is measured, quoted for a shell, "{qrels}" and "{run}" for the scenario's input; the latter two stand
for the same in a scenario's arguments. Goals are part of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from rivals import trec_options


@dataclass(frozen=True)
class Input:
    """What an evaluation reads: names of files in the folder of inputs. `run` may list other runs, its `parts`."""

    qrels: str
    run: str
    parts: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        return self.qrels, self.run, *self.parts


@dataclass(frozen=True)
class Duel:
    """One rival of irev, what has to be installed for it, and the goals that it decides.

    `ratio` is the least ratio of its wall time to irev's. irev's memory is limited by `peak_mb`, or by that
    of the rival if `peak_of_rival`. `unset` is how those lines begin that trec_eval prints from memory it
    never set; they are left out where outputs are compared.
    """

    rival: str
    command: tuple[str, ...]
    program: str | None = None
    module: str | None = None
    ratio: float | None = None
    ratio_text: str = ""
    peak_mb: float | None = None
    peak_of_rival: bool = False
    unset: bytes | None = None


@dataclass(frozen=True)
class Scenario:
    """One way to use irev: an input, the command and the options that irev is given, and its rivals."""

    name: str
    input: str
    options: tuple[str, ...]
    duels: tuple[Duel, ...]
    command: str = "eval"
    arguments: tuple[str, ...] = ("{qrels}", "{run}")


def trec_eval(
    *options: str,
    ratio: float | None = None,
    peak_mb: float | None = None,
    peak_of_rival: bool = False,
    unset: bytes | None = None,
) -> Duel:
    return Duel(
        rival="trec_eval",
        command=("trec_eval", *options, "{qrels}", "{run}"),
        program="trec_eval",
        ratio=ratio,
        ratio_text="not slower" if ratio == 1 else "",
        peak_mb=peak_mb,
        peak_of_rival=peak_of_rival,
        unset=unset,
    )


def python_rival(name: str, measures: str, *options: str, ratio: float | None = None) -> Duel:
    command = ("{python}", "{here}/rivals.py", name, measures, *options, "{qrels}", "{run}")
    return Duel(name, command, module=name, ratio=ratio)


INPUTS = {
    "msmarco": Input("msmarco.qrels", "msmarco.run"),
    "msmarco-saved": Input("msmarco.qrels", "msmarco.run", ("msmarco.run.json",)),
    "msmarco-two": Input("msmarco.qrels", "msmarco.run", ("msmarco.run.later",)),
    "dense": Input("msmarco.qrels", "dense.run"),
    "pooled": Input("pooled.qrels", "pooled.run"),
    "msmarco-shuffled": Input("msmarco.qrels", "msmarco-shuffled.run"),
    "pooled-shuffled": Input("pooled.qrels", "pooled-shuffled.run"),
    "msmarco-gzip": Input("msmarco.qrels", "msmarco.run.gz"),
    "many": Input("many.qrels", "many.list", tuple(f"many-{number:02}.run" for number in range(1, 21))),
    "small": Input("small.qrels", "small.run"),
    "many-queries": Input("many-queries.qrels", "many-queries.run"),
    "many-judgments": Input("many-judgments.qrels", "many-judgments.run"),
    "long-ranking": Input("long-ranking.qrels", "long-ranking.run"),
}

ALL_TREC = ("-q", "-mall_trec")
SHARED = ("-q", *trec_options("shared"))
TWENTY = (
    *("nDCG@10", "AP", "AP@100", "RR@10", "P@5", "R@100", "R@1000", "Success@5", "Judged@10", "ERR@20"),
    *("RBP(p=0.8)", "Q", "GAP", "NCG@10", "F@10", "AP_cap@10", "nDCG(gain=exp)@10", "Accuracy", "INST(T=1)", "Compat"),
)
IREV_OFFICIAL = ("sh", "-c", "{irev} '{qrels}' '{run}'")
SAVED = ("AP", "nDCG@10")
IREV_SAVED = Duel(
    rival="irev eval -c",
    command=("sh", "-c", f"{{irev}} -c {' '.join(f'-m {name}' for name in SAVED)} '{{qrels}}' '{{run}}'"),
    ratio=1 / 1.3,
    ratio_text="at most 1.3 times its wall time (ratio ≥ 0.769)",
)
IREV_BOTH = Duel(
    rival="irev eval -c of both",
    command=("sh", "-c", "{irev} -c -m nDCG@10 '{qrels}' '{run}' '{run}.later'"),
    ratio=1 / 3,
    ratio_text="at most 3 times its wall time (ratio ≥ 0.333)",
    peak_mb=200,
)
NO_DROP = tuple(word for name in SAVED for word in ("--max-drop", f"{name}=0.01"))
"""What `check` requires of a run, whose saved result lies beside it."""

SCENARIOS = (
    Scenario(
        name="msmarco",
        input="msmarco",
        options=(),
        duels=(
            trec_eval(ratio=12, peak_mb=100),
            python_rival("ir_measures", "official"),
            python_rival("pytrec_eval", "official"),
            python_rival("ranx", "official"),
        ),
    ),
    Scenario(
        name="dense",
        input="dense",
        options=(),
        duels=(trec_eval(ratio=8),),
    ),
    Scenario(
        name="pooled",
        input="pooled",
        options=ALL_TREC,
        duels=(trec_eval(*ALL_TREC, ratio=2, unset=b"rbp "),),
    ),
    Scenario(
        name="pooled, shared measures",
        input="pooled",
        options=SHARED,
        duels=(
            trec_eval(*SHARED),
            python_rival("ir_measures", "shared", "-q", ratio=3.5),
            python_rival("pytrec_eval", "shared", "-q"),
            python_rival("ranx", "shared", "-q"),
        ),
    ),
    Scenario(
        name="msmarco, shuffled",
        input="msmarco-shuffled",
        options=(),
        duels=(trec_eval(ratio=1, peak_of_rival=True),),
    ),
    Scenario(
        name="pooled, shuffled",
        input="pooled-shuffled",
        options=ALL_TREC,
        duels=(trec_eval(*ALL_TREC, ratio=1, peak_mb=100, unset=b"rbp "),),
    ),
    Scenario(
        name="msmarco, gzip",
        input="msmarco-gzip",
        options=(),
        duels=(
            Duel(
                rival="gzip -dc piped into irev",
                command=("sh", "-c", "gzip -dc '{run}' | {irev} '{qrels}' -"),
                program="gzip",
                ratio=2,
                peak_mb=110,
            ),
        ),
    ),
    Scenario(
        name="msmarco, validate",
        input="msmarco",
        options=(),
        duels=(
            Duel(
                rival="irev eval",
                command=IREV_OFFICIAL,
                ratio=1 / 3,
                ratio_text="at most 3 times its wall time (ratio ≥ 0.333)",
                peak_mb=150,
            ),
        ),
        command="validate",
    ),
    Scenario(
        name="msmarco, twenty measures",
        input="msmarco",
        options=tuple(word for measure in TWENTY for word in ("-m", measure)),
        duels=(
            Duel(
                rival="irev eval, official measures",
                command=IREV_OFFICIAL,
                ratio=1 / 1.3,
                ratio_text="at most 1.3 times its wall time (ratio ≥ 0.769)",
            ),
        ),
    ),
    Scenario(
        name="msmarco, check",
        input="msmarco-saved",
        options=NO_DROP,
        duels=(IREV_SAVED,),
        command="check",
        arguments=("{qrels}", "{run}", "--baseline", "{run}.json"),
    ),
    Scenario(
        name="msmarco, check with a test",
        input="msmarco-saved",
        options=(*NO_DROP, "--significant", "0.05"),
        duels=(IREV_SAVED,),
        command="check",
        arguments=("{qrels}", "{run}", "--baseline", "{run}.json"),
    ),
    Scenario(
        name="msmarco, diff",
        input="msmarco-two",
        options=("-m", "nDCG@10"),
        duels=(IREV_BOTH,),
        command="diff",
        arguments=("{qrels}", "{run}", "{run}.later"),
    ),
    Scenario(
        name="20 runs",
        input="many",
        options=(),
        duels=(
            Duel(
                rival="trec_eval in a shell loop",
                command=(
                    *("sh", "-c", 'while IFS= read -r run; do trec_eval "$0" "$run" || exit; done < "$1"'),
                    *("{qrels}", "{run}"),
                ),
                program="trec_eval",
                ratio=15,
                peak_mb=100,
            ),
        ),
        arguments=("{qrels}", "@{run}"),
    ),
    Scenario(
        name="many judgments",
        input="many-judgments",
        options=(),
        duels=(trec_eval(ratio=1, peak_of_rival=True),),
    ),
    Scenario(
        name="long ranking",
        input="long-ranking",
        options=(),
        duels=(trec_eval(ratio=1, peak_of_rival=True),),
    ),
    Scenario(
        name="many queries",
        input="many-queries",
        options=(),
        # The time of trec_eval rises with the square of the number of queries: hours.
        duels=(
            Duel(rival="importing click and numpy", command=("{python}", "-c", "import click, numpy"), peak_mb=1500),
        ),
    ),
    Scenario(
        name="small",
        input="small",
        options=(),
        duels=(
            Duel(
                rival="importing click and numpy",
                command=("{python}", "-c", "import click, numpy"),
                ratio=1 / 1.6,
                ratio_text="at most 1.6 times its wall time (ratio ≥ 0.625)",
            ),
            trec_eval(),
        ),
    ),
)
