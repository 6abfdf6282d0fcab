"""``irev agree`` as a shell sees it: every number that it prints, computed again by `reference_statistics`; what it
refuses."""

import random

import pytest
import reference_comparison as reference
import reference_statistics
from comparing import QRELS, RUNS, record, sentences, shown
from outcomes import refused
from scipy import stats

pytestmark = pytest.mark.thorough


def agreed(irev, *arguments: str) -> tuple[list[dict], dict[str, list[float]]]:
    """How far orderings agree, and the values of the runs in each of them."""
    found = record(irev, "agree", *arguments)
    return found["agreed"], {each["name"]: list(each["values"].values()) for each in found["orderings"]}


def ranks(values: list[float]) -> list[int]:
    """Items, best first."""
    return sorted(range(len(values)), key=lambda item: -values[item])


@pytest.fixture
def systems(irev, write, monkeypatch, tmp_path):
    """Six runs of the same judgments, of which no two tie."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(4)
    write(b"".join(b"%d 0 d%d %d\n" % (q, d, draw.random() < 0.4) for q in range(20) for d in range(10)), "qrels")
    for name in "uvwxyz":
        lines = [
            f"{q} Q0 d{d} {rank} {20 - rank} {name}\n"
            for q in range(20)
            for rank, d in enumerate(draw.sample(range(10), 8), start=1)
        ]
        write("".join(lines).encode(), f"{name}.run")
    return ("qrels", *(f"{name}.run" for name in "uvwxyz"))


def check_agreement(found: list[dict], values: dict[str, list[float]], p: float = 0.9) -> None:
    names = list(values)
    assert [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]] == [(e["first"], e["second"]) for e in found]
    for each in found:
        a, b = values[each["first"]], values[each["second"]]
        assert len(set(a)) == len(set(b)) == len(a), "no two runs tie"
        same, opposite, _, _ = reference_statistics.kendall(a, b)
        expected = {
            "tau_a": (same - opposite) / (same + opposite),
            "tau_b": float(stats.kendalltau(a, b).statistic),
            "tau_ap": (reference_statistics.tau_ap(a, b) + reference_statistics.tau_ap(b, a)) / 2,
            "tau_ap_first": reference_statistics.tau_ap(b, a),
            "tau_ap_second": reference_statistics.tau_ap(a, b),
            "rbo_least": reference_statistics.rbo(ranks(a), ranks(a)[::-1], p),
            "rbo": reference_statistics.rbo(ranks(a), ranks(b), p),
            "swapped": opposite,
            "pairs": same + opposite,
        }
        assert pytest.approx(expected) == {name: each[name] for name in expected}


@pytest.mark.parametrize("p", ["0.9", "0.5"])
def test_measures_agree_as_scipy_and_brute_force_say(irev, systems, p):
    found, values = agreed(irev, *systems, "-m", "AP", "-m", "nDCG", "-m", "RBP", "--rbo-p", p)

    assert ["AP", "nDCG", "RBP(p=0.8)"] == list(values)
    check_agreement(found, values, float(p))


def test_sets_of_judgments_order_runs_each(irev, systems, write):
    other = write(b"".join(b"%d 0 d%d %d\n" % (q, d, (q * d) % 3 == 1) for q in range(20) for d in range(10)), "other")
    found, values = agreed(irev, "--qrels", "one=qrels", "--qrels", f"two={other}", *systems[1:], "-m", "nDCG")

    assert ["nDCG, one", "nDCG, two"] == list(values)
    check_agreement(found, values)
    for name, path in (("one", "qrels"), ("two", other)):
        printed = [irev("eval", "-c", "-m", "nDCG", path, run).stdout.split()[-1].decode() for run in systems[1:]]
        assert printed == [f"{value:.4f}" for value in values[f"nDCG, {name}"]]


def test_sets_of_queries_order_runs_each(irev, systems, write):
    halves = {"low": range(10), "high": range(10, 20)}
    files = {name: write(b"".join(b"%d\n" % q for q in queries), name) for name, queries in halves.items()}
    options = [f"--subset={name}={file}" for name, file in files.items()]
    found, values = agreed(irev, *systems, "-m", "AP", *options)

    assert ["AP, low", "AP, high"] == list(values)
    check_agreement(found, values)
    irev("eval", "-c", "-q", "-m", "AP", *systems, "-o", "saved.json")
    again, same = agreed(irev, "saved.json", *options)
    assert pytest.approx(values["AP, low"]) == same["AP, low"]
    assert found == again
    lines = [line.split() for line in irev("eval", "-c", "-q", "-m", "AP", *systems[:2]).stdout.splitlines()]
    low = [float(value) for _, query, value in lines if query != b"all" and int(query) < 10]
    assert pytest.approx(reference.mean(low), abs=1e-4) == values["AP, low"][0]


def test_lower_values_are_first_where_lower_is_better(irev, write):
    files = [write(content, name) for name, content in {"qrels": b"1 0 d 1\n", "a": b"1 Q0 d 1 1 a\n"}.items()]
    files.append(write(b"1 Q0 x 1 2 b\n1 Q0 d 2 1 b\n", "b"))

    found = record(irev, "agree", *files, "-m", "search_length", "-m", "RR")

    assert [{"a": 1, "b": 2}] * 2 == [each["places"] for each in found["orderings"]]
    assert 1.0 == found["agreed"][0]["tau_b"]


def test_means_that_differ_by_rounding_alone_tie(irev, write):
    """0.1 + 0.2 + 0.3 is not quite 0.3 + 0.2 + 0.1."""
    lines = b"query\tP_10\tRR\n1\t%s\t1\n2\t.2\t1\n3\t%s\t%s\n"
    files = [write(lines % of, name) for name, of in (("a", (b".1", b".3", b"1")), ("b", (b".3", b".1", b".5")))]

    found = record(irev, "agree", *files)

    assert [{"a": 1, "b": 1}, {"a": 1, "b": 2}] == [each["places"] for each in found["orderings"]]
    assert (0.0, 0) == (found["agreed"][0]["tau_a"], found["agreed"][0]["swapped"])


def test_a_huge_value_of_one_run_makes_no_others_tie(irev, write):
    lines = b"query\tutility\tRR\n1\t%s\t%s\n"
    values = {"a": (b"1e6", b".1"), "b": (b".5", b".2"), "c": (b".5000001", b".3"), "d": (b".3", b".4")}
    files = [write(lines % of, name) for name, of in values.items()]

    found = record(irev, "agree", *files)

    assert {"a": 1, "b": 3, "c": 2, "d": 4} == found["orderings"][0]["places"]


def test_both_ways_of_ap_correlation_and_the_least_overlap_stand_in_the_table(irev, write):
    lines = b"query\tx\ty\n1\t%s\t%s\n"
    values = {"a": (b"4", b"3"), "b": (b"3", b"4"), "c": (b"2", b"1"), "d": (b"1", b"2"), "e": (b"0", b"5")}
    files = [write(lines % of, name) for name, of in values.items()]

    agreed = record(irev, "agree", *files)["agreed"][0]
    table = shown(irev, "agree", *files)

    x, y = ([float(of[place]) for of in values.values()] for place in (0, 1))
    one, other = reference_statistics.tau_ap(y, x), reference_statistics.tau_ap(x, y)
    assert one != other
    assert pytest.approx((one, other, (one + other) / 2)) == tuple(
        agreed[name] for name in ("tau_ap_first", "tau_ap_second", "tau_ap")
    )
    told = sentences(table)
    assert (
        "tau AP: Yilmaz's, in which the top weighs more: the mean, then with the first and with the second ordering"
        " taken as true" in told
    )
    assert all(f"{agreed[name]:.4f}" in table for name in ("tau_ap_first", "tau_ap_second", "tau_ap", "rbo_least"))


def test_of_three_runs_reversed_the_overlap_is_the_least_that_it_can_be_which_is_said(irev, write):
    lines = b"query\tx\ty\n1\t%d\t%d\n"
    files = [write(lines % (n, -n), name) for n, name in enumerate("abc")]

    agreed = record(irev, "agree", *files)["agreed"][0]

    assert pytest.approx((0.855, 0.855)) == (agreed["rbo"], agreed["rbo_least"])
    assert "RBO of so few runs is never low: its lowest possible value is shown beside it" in sentences(
        shown(irev, "agree", *files)
    )


def test_runs_that_all_tie_have_no_tau_b_and_that_is_explained(irev):
    options = (QRELS, *RUNS, "-m", "AP", "-m", "search_length")
    found, _ = agreed(irev, *options)

    assert (0.0, None) == (found[0]["tau_a"], found[0]["tau_b"])
    assert "–: not defined for an ordering in which all runs tie." in sentences(shown(irev, "agree", *options))


def test_the_table_has_the_runs_in_their_places(irev):
    text = shown(irev, "agree", QRELS, *RUNS, "-m", "AP", "-m", "RR")

    assert "semantic  0.7270 (1)  0.7143 (1)" in text
    assert "keyword   0.5603 (3)  0.6429 (3)" in text
    assert "With 3 runs a single swap changes these a lot." in text


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        ((), "expected QRELS and RUNs, or saved results"),
        ((QRELS, RUNS[0], "-m", "AP", "-m", "RR"), "there is nothing to order; give at least two runs"),
        ((QRELS, *RUNS, "-m", "AP"), "there is only one ordering; name two measures, two --qrels, or two sets"),
        ((QRELS, *RUNS, "--rbo-p", "1"), "'1' is not a number above 0 and below 1"),
        ((QRELS, *RUNS, "--subset", "a=missing", "-m", "AP"), "missing: there is no such file"),
        ((QRELS, *RUNS, "--subset", "a=x", "--subset", "a=y"), "two sets of queries have the same name"),
        (("--qrels", f"a={QRELS}", "--qrels", f"a={QRELS}", *RUNS), "two sets of judgments have the same name"),
    ],
)
def test_an_agreement_of_nothing_is_refused(irev, arguments, fact):
    refused(irev("agree", *arguments), fact)


@pytest.mark.parametrize("queries", ["both", "run"])
def test_runs_are_ordered_on_the_queries_that_all_of_them_have(irev, tmp_path, monkeypatch, queries):
    """By all of its own queries a has a mean AP of 0.75."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 d 1\n2 0 d 1\n")
    (tmp_path / "a").write_text("1 Q0 x 1 2 a\n1 Q0 d 1 1 a\n2 Q0 d 1 1 a\n")
    (tmp_path / "b").write_text("1 Q0 d 1 1 b\n")
    (tmp_path / "c").write_text("1 Q0 x 1 2 c\n1 Q0 y 1 1 c\n2 Q0 d 1 1 c\n")
    found = record(irev, "agree", "--queries", queries, "-m", "AP", "-m", "P@1", "qrels", "a", "b", "c")
    assert [[0.5, 1.0, 0.0], [0.0, 1.0, 0.0]] == [list(each["values"].values()) for each in found["orderings"]]
    assert "all runs have" in found["policy"]
    status, _, stderr = irev("agree", "--queries", queries, "-m", "AP", "-m", "P@1", "qrels", "a", "b", "c")
    assert 0 == status
    assert "query 2 is not in all of the runs and is left out" in stderr


def test_a_subset_of_queries_that_were_not_evaluated_is_refused(irev, write):
    options = ("--subset", f"a={write(b'q1', 'one')}", "--subset", f"b={write(b'q99', 'two')}")

    refused(irev("agree", QRELS, *RUNS, "-m", "AP", *options), "b: query 'q99' was not evaluated")


def test_runs_may_be_ordered_by_what_has_no_value_for_a_single_query(irev):
    found = record(irev, "agree", "-m", "GMAP", "-m", "AP", QRELS, *RUNS)
    gmap = {each["name"]: each["values"] for each in found["orderings"]}["GMAP"]
    lines = [irev("eval", "-c", "-m", "gm_map", "--digits", "exact", QRELS, run).stdout.split() for run in RUNS]

    assert [float(line[-1]) for line in lines] == list(gmap.values())
    for name, called in (("relstring", "RelString"), ("num_q", "NumQ"), ("runid", "RunID")):
        refused(irev("agree", "-m", name, "-m", "AP", QRELS, *RUNS), f"{called} has no number to order runs by")


def test_a_table_is_not_written_to_a_file_called_like_a_figure(irev, tmp_path):
    refused(irev("compare", QRELS, *RUNS, "-o", str(tmp_path / "a.svg")), "is the name of a figure; --plot draws one")
    assert [] == list(tmp_path.iterdir())
