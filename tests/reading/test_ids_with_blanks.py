"""Ids with blanks between tabs: the numbers are those of the same files with underscores in their ids."""

import numpy as np
import pytest

QRELS = {"trec": "{q}\t0\t{d}\t{g}", "trec3": "{q}\t{d}\t{g}", "msmarco": "{q}\t0\t{d}\t{g}"}
RUNS = {
    "trec": "{q}\tQ0\t{d}\t{r}\t{s}\tour own run",
    "trec3": "{q}\t{d}\t{s}",
    "trec4": "{q}\t{d}\t{r}\t{s}",
    "msmarco": "{q}\t{d}\t{r}",
}


def rows(queries: int, depth: int) -> list[dict[str, object]]:
    """Results of queries whose ids have blanks in some rows and none in others."""
    names = ["d{}", "blue sky {}.pdf", "a  b {}", "{} 1 2.5 x"]
    rng = np.random.default_rng(7)
    return [
        {
            "q": f"topic {q}" if q % 3 else f"t{q}",
            "d": names[(q + r) % 4].format(r),
            "r": r,
            "s": depth - r,
            "g": int(g),
        }
        for q in range(queries)
        for r, g in enumerate(rng.integers(0, 3, depth), start=1)
    ]


def written(line: str, given: list[dict[str, object]], blank: str, end: str = "\n") -> bytes:
    """Lines in which `blank` stands for each blank of an id."""
    made = (line.format(**{name: str(value).replace(" ", blank) for name, value in row.items()}) for row in given)
    return "".join(each + end for each in made).encode()


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("qrels", QRELS)
def test_blanks_between_tabs_belong_to_ids(qrels, run, end, scattered, irev, write):
    found = rows(9, 12)
    ordered = sorted(found, key=lambda row: (row["r"], row["q"])) if scattered else found
    options = ("-q", "-m", "AP", "-m", "num_rel_ret", "-m", "runid", "-R", qrels, "--run-format", run)

    def done(blank):
        files = (("qrels", QRELS[qrels], found[::2]), ("run", RUNS[run], ordered))
        return irev("eval", *options, *(write(written(line, each, blank, end), name) for name, line, each in files))

    status, expected, nothing = done("_")
    assert (0, "our own run" in RUNS[run]) == (status, "several words" in nothing)
    assert nothing.count("\n") == nothing.count("several words")
    status, values, said = done(" ")
    assert (0, sorted(expected.replace(b"_", b" ").split())) == (status, sorted(values.replace(b"_", b" ").split()))
    assert 2 == said.count("tabs separate the fields, so blanks are part of ids; trec_eval would split them")


def test_a_large_run_is_read_in_chunks_of_whole_queries(irev, write):
    found = rows(2000, 100)
    files = [write(written(line, found, " "), name) for name, line in (("qrels", QRELS["trec"]), ("run", RUNS["trec"]))]
    done = irev("-m", "num_ret", "-m", "num_rel", *files)
    relevant = sum(row["g"] > 0 for row in found)
    assert (0, [b"200000", b"%d" % relevant]) == (done.status, done.stdout.split()[2::3])


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (
            b"q1\tQ0\td1\t1\t9.5\tour own run",
            b"runid                 \tall\tour\nmap                   \tall\t1.0000\n",
        ),
        (b"q1 \tQ0\t d1\t1\t9.5\tt", b"runid                 \tall\tt\nmap                   \tall\t1.0000\n"),
        (b"q1 Q0\td1 1 9.5\tour run", b"runid                 \tall\tour\nmap                   \tall\t1.0000\n"),
    ],
)
def test_what_trec_eval_reads_stays_as_it_reads_it(line, values, irev, write):
    qrels, run = write(b"q1\t0\td1\t1\n", "qrels"), write(line + b"\n", "run")
    status, stdout, stderr = irev("-m", "runid", "-m", "map", qrels, run)
    assert (0, values) == (status, stdout)
    assert (b"our" in line) == ("several words, of which only 'our' counts" in stderr)
