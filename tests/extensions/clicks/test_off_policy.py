"""Estimates of another ranking from a log: enumerated where a log is short, and recovered where it is long."""

import importlib.util
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, nested
from outcomes import refused
from reference_clicks import as_jsonl
from scipy.stats import t as student
from users import simulated

from irev.base.errors import Faults, InputError
from irev.extensions.clicks.events.log import Impressions, hashed
from irev.extensions.clicks.events.schema import LogFacts
from irev.extensions.clicks.online import OffPolicyChoices
from irev.extensions.clicks.online.logs import read_propensities
from irev.extensions.clicks.online.off_policy import OffPolicy, OtherRanking
from irev.reading.sources import BOM, Source
from irev.statistics import ratios

PROPENSITY = (1.0, 0.5, 0.25)
ATTRACTION = {1: {11: 0.9, 12: 0.4, 13: 0.2, 14: 0.6}, 2: {21: 0.5, 22: 0.3, 23: 0.1}}
"""γ by query and document."""
OTHER = {1: (13, 11, 14, 12), 2: (22, 21)}


class Places:
    """A log, as far as anybody asks for one."""

    facts, faults = LogFacts(), Faults()

    def where(self, place):
        return f"log:{place}"


def ranking(lists=OTHER):
    return OtherRanking(
        {str(query).encode(): tuple(str(each).encode() for each in documents) for query, documents in lists.items()}
    )


def block(impressions, given=True):
    """Impressions of a user, a query, documents, propensities, and the positions clicked."""
    users, queries, lists, propensities, clicks = zip(*impressions, strict=True)
    n = len(impressions)
    length = np.array([-1 if each is None else len(each) for each in lists])
    sizes = np.maximum(length, 0)
    clicked = [(of, k) for of, each in enumerate(clicks) for k in sorted(each)]
    return Impressions(
        place=np.arange(1, n + 1),
        user=np.array([[user, 0] for user in users], dtype=np.uint64),
        query=np.where(np.array(queries) == 0, np.uint64(0), hashed([str(query) for query in queries])),
        time=np.zeros(n, dtype=np.int64),
        bucket=np.full(n, -1),
        length=length,
        start=np.cumsum(sizes) - sizes,
        owner=np.arange(n).repeat(sizes),
        lists={
            "documents": hashed([str(document) for each in lists for document in each or ()]),
            **({"propensities": np.array([p for each in propensities for p in each])} if given else {}),
        },
        given={"propensities": np.full(n, given)},
        click_of=np.array([of for of, _ in clicked], dtype=np.int64),
        position=np.array([k for _, k in clicked], dtype=np.int64),
        click_time=np.zeros(len(clicked), dtype=np.int64),
        dwell=np.full(len(clicked), np.nan),
        conversion_of=np.empty(0, dtype=np.int64),
        value=np.empty(0),
    )


def policy_of(lists=OTHER, positions=None, memory=None, effective=0.0, support=0.0, **wanted):
    wanted = OffPolicyChoices(effective=effective, support=support, **wanted)
    return OffPolicy(Places(), ranking(lists), wanted, positions, memory)


def estimated(impressions, lists=OTHER, **wanted):
    policy = policy_of(lists, **wanted)
    policy.add(block(impressions))
    return policy.estimates()


def value_of(rank, propensities, cutoff):
    """f(r), as it is defined."""
    return propensities[rank - 1] if 0 < rank <= min(cutoff or len(propensities), len(propensities)) else 0.0


def rank_in(documents, document):
    return documents.index(document) + 1 if document in documents else 0


def slow(impressions, lists, cutoff=None):
    """All that is added up, by loops: in all, and for each user."""
    names = ("n", "shown", "ips", "covered", "mass", "unseen")
    users, looks = {}, {"ips": []}
    for user, query, documents, propensities, clicks in impressions:
        row = users.setdefault(user, dict.fromkeys(names, 0.0))
        other = lists.get(query, ())
        row["n"] += 1
        for rank, document in enumerate(other, 1):
            new = value_of(rank, propensities, cutoff)
            row["mass"] += new
            if document not in documents:
                # Nobody was shown it: it gets something from 0 to all that looks at it are worth.
                row["unseen"] += new
                continue
            position = documents.index(document) + 1
            p = propensities[position - 1]
            row["covered"] += new
            looks["ips"].append((p, new / p))
            if position in clicks:
                row["ips"] += new / p
        for position in clicks:
            row["shown"] += value_of(position, propensities, cutoff) / propensities[position - 1]
    rows = {name: np.array([row[name] for row in users.values()]) for name in names}
    total = {name: math.fsum(column) for name, column in rows.items()}
    effective = {
        name: math.fsum(p * w for p, w in each) ** 2 / math.fsum(p * w * w for p, w in each)
        for name, each in looks.items()
    }
    return total, rows, effective


def slow_ends(impressions, lists, cutoff=None):
    """How far one event could move each sum: the weight of a click down or up, and of one missed that was expected."""
    moves = {"ips": [0.0]}
    for _, query, documents, propensities, _ in impressions:
        for position, (document, p) in enumerate(zip(documents, propensities, strict=True), 1):
            new = value_of(rank_in(lists.get(query, ()), document), propensities, cutoff) / p
            old = value_of(position, propensities, cutoff) / p
            moves["ips"] += [new - old, (old - new) * p]
    return {name: (-min(each), max(each)) for name, each in moves.items()}


def left_out_in_turn(y, n):
    """Error and degrees of freedom of Σ y/Σ n, from what it is without each user."""
    value = y.sum() / n.sum()
    without = (y.sum() - y) / (n.sum() - n)
    error = math.sqrt((len(y) - 1) / len(y) * ((without - value) ** 2).sum())
    return value, error, ratios.ratio(y, n).freedom


def examples(seed, count=200):
    chance = np.random.default_rng(seed)
    for _ in range(count):
        query = int(chance.integers(1, 4))  # the third is in no ranking
        known = list(ATTRACTION.get(query, {31: 0.5}))
        documents = [int(each) for each in chance.permutation(known)[: chance.integers(1, 4)]]
        propensities = [float(each) for each in np.sort(chance.uniform(0.05, 1, len(documents)))[::-1]]
        clicks = [k for k in range(1, len(documents) + 1) if chance.random() < 0.4]
        yield int(chance.integers(0, 20)), query, documents, propensities, clicks


@pytest.mark.parametrize("cutoff", [None, 2])
def test_sums_are_those_of_loops(cutoff):
    impressions = list(examples(1))
    total, rows, effective = slow(impressions, OTHER, cutoff)
    found = estimated(impressions, cutoff=cutoff)
    n = total["n"]
    assert total["shown"] / n == pytest.approx(found.shown, rel=1e-12)
    assert total["covered"] / total["mass"] == pytest.approx(found.support, rel=1e-12)
    assert (200, 20) == (found.impressions, found.users)
    assert len([1 for _, query, *_ in impressions if query == 3]) == found.unranked
    moves = slow_ends(impressions, OTHER, cutoff)
    ips, normalised = found.estimates
    for each, name, missed in ((ips, "ips", "unseen"),):
        assert effective[name] == pytest.approx(each.effective, rel=1e-12)
        assert [total[name] / n, (total[name] + total[missed]) / n] == pytest.approx([each.value, each.bound])
        low, low_error, low_freedom = left_out_in_turn(rows[name] - rows["shown"], rows["n"])
        high, high_error, high_freedom = left_out_in_turn(rows[name] + rows[missed] - rows["shown"], rows["n"])
        assert [low, high] == pytest.approx([each.difference, each.bound_difference], rel=1e-9)
        down, up = (move / n for move in moves[name])
        low, low_error = low - down, math.hypot(low_error, down)
        high, high_error = high + up, math.hypot(high_error, up)
        ends = (low - student.ppf(0.975, low_freedom) * low_error, high + student.ppf(0.975, high_freedom) * high_error)
        assert ends == pytest.approx(tuple(each.difference_interval), rel=1e-8)
        tails = (student.sf(low / low_error, low_freedom), student.cdf(high / high_error, high_freedom))
        assert min(1.0, 2 * min(tails)) == pytest.approx(each.p, rel=1e-8)
    assert total["ips"] / n * total["mass"] / total["covered"] == pytest.approx(normalised.value, rel=1e-12)
    assert [None] * 5 == [
        *(normalised.bound, normalised.interval, normalised.bound_difference),
        *(normalised.difference_interval, normalised.p),
    ]


def chances(query, documents):
    """Every way to click a list, with its probability under the position-based model."""
    click = [p * ATTRACTION[query][document] for p, document in zip(PROPENSITY, documents, strict=False)]
    for clicked in itertools.product((0, 1), repeat=len(documents)):
        chance = math.prod(c if happened else 1 - c for c, happened in zip(click, clicked, strict=True))
        yield chance, [k for k, happened in enumerate(clicked, 1) if happened]


def truth(query, count, only=None):
    """Σ f(r) γ of the other ranking, of the first `count` documents, or of those of them that are shown."""
    return math.fsum(
        value_of(rank, PROPENSITY[:count], None) * ATTRACTION[query][document]
        for rank, document in enumerate(OTHER[query], 1)
        if only is None or document in only
    )


@pytest.mark.parametrize("documents", [(11, 12, 13), (14, 13, 11), (12, 11)])
def test_over_all_clicks_that_there_can_be_the_mean_is_that_of_the_documents_shown(documents):
    mean = 0.0
    for chance, clicks in chances(1, documents):
        one = (1, 1, documents, PROPENSITY[: len(documents)], clicks)
        ips = estimated([one]).estimates[0]
        mean += chance * ips.value
    assert truth(1, len(documents), documents) == pytest.approx(mean, abs=1e-12)


def test_where_all_documents_are_shown_nothing_is_missing():
    """Of query 1 the other ranking shows three documents; where the list has these, in any order, that is the truth."""
    mean = 0.0
    for chance, clicks in chances(1, (14, 11, 13)):
        found = estimated([(1, 1, (14, 11, 13), PROPENSITY, clicks)])
        assert found.support == pytest.approx(1, rel=1e-12)
        ips, normalised = found.estimates[:2]
        assert ips.value == pytest.approx(normalised.value, rel=1e-12)
        mean += chance * ips.value
    assert truth(1, 3) == pytest.approx(mean, abs=1e-12)


def users_by_position(users, seed):
    """Users who ask for both queries, and are shown lists in an order that chance decides."""
    chance = np.random.default_rng(seed)
    for user in range(users):
        for query in (1, 2):
            documents = [int(each) for each in chance.permutation(list(ATTRACTION[query]))[:3]]
            clicks = [
                k
                for k, (p, document) in enumerate(zip(PROPENSITY, documents, strict=True), 1)
                if chance.random() < p * ATTRACTION[query][document]
            ]
            yield user, query, documents, PROPENSITY, clicks


ALL_SHOWN = {1: (13, 11, 12), 2: (22, 21, 23)}


@pytest.mark.thorough
def test_a_long_log_recovers_what_another_ranking_gets():
    """Of query 2 all documents are shown; of query 1 three of four, in any order, so each with a chance of 3/4."""
    found = estimated(list(users_by_position(3000, 5)), confidence=0.999)
    expected = (truth(1, 3) + truth(2, 3)) / 2
    least = (0.75 * truth(1, 3) + truth(2, 3)) / 2
    ips = found.estimates[0]
    assert ips.interval.low <= least <= ips.value + (ips.value - ips.interval.low)
    assert least < expected <= ips.interval.high
    assert ips.interval.high - ips.bound + ips.value - ips.interval.low < 0.3 * expected
    assert 0.75 < found.support < 1


@pytest.mark.thorough
def test_intervals_hold_the_truth_as_often_as_they_say():
    """Clicks of users of whom each asks several times, and likes all documents more or less."""
    chance = np.random.default_rng(6)
    held = held_difference = 0
    expected = (0.2 + 0.5 * 0.9 + 0.25 * 0.4 + 0.3 + 0.5 * 0.5 + 0.25 * 0.1) / 2
    was = (0.9 + 0.5 * 0.4 + 0.25 * 0.2 + 0.5 + 0.5 * 0.3 + 0.25 * 0.1) / 2
    lists = {1: (11, 12, 13), 2: (21, 22, 23)}
    for _ in range(200):
        impressions = []
        for user in range(60):
            likes = chance.uniform(0.5, 1.5) if user % 2 else 1.0
            for query in chance.integers(1, 3, 4).tolist():
                clicks = [
                    k
                    for k, (p, document) in enumerate(zip(PROPENSITY, lists[query], strict=True), 1)
                    if chance.random() < p * min(ATTRACTION[query][document] * likes, 1.0)
                ]
                impressions.append((user, query, lists[query], PROPENSITY, clicks))
        ips = estimated(impressions, {1: (13, 11, 12), 2: (22, 21, 23)}).estimates[0]
        held += ips.interval.low <= expected <= ips.interval.high
        held_difference += ips.difference_interval.low <= expected - was <= ips.difference_interval.high
    # What users like varies around 1, but not beyond a certain click: the truth is a little lower for document 11.
    assert 0.93 <= held / 200
    assert 0.93 <= held_difference / 200


def test_the_ranking_that_was_shown_gets_what_it_got():
    lists = {1: (11, 12, 13), 2: (21, 22, 23)}
    impressions = [
        (user, query, lists[query], PROPENSITY, [1 + user % 3] if user % 2 else [])
        for user in range(9)
        for query in (1, 2)
    ]
    found = estimated(impressions, lists)
    assert 8 / 18 == found.shown
    for each in found.estimates:
        assert (8 / 18, 0.0) == (each.value, each.difference)
        assert each.effective == pytest.approx(18 * 1.75, rel=1e-12)
    for each in found.estimates[:1]:
        assert (8 / 18, 0.0, (0.0, 0.0), 1.0) == (
            *(each.bound, each.bound_difference),
            *(tuple(each.difference_interval), each.p),
        )


@pytest.mark.parametrize("attracts", [0.0, 0.5, 1.0])
def test_the_truth_lies_between_the_bounds_whatever_was_not_shown_attracts(attracts):
    """Over all clicks that there can be, the mean of both ends has the truth between them, which may be an end."""
    documents, attraction = (11, 12, 13), ATTRACTION[1] | {14: attracts}
    other = {1: (14, 11, 12)}
    gets = math.fsum(p * attraction[each] for p, each in zip(PROPENSITY, other[1], strict=True))
    low = high = 0.0
    for chance, clicks in chances(1, documents):
        each = estimated([(1, 1, documents, PROPENSITY, clicks)], other).estimates[0]
        low, high = low + chance * each.value, high + chance * each.bound
    assert low - 1e-12 <= gets <= high + 1e-12
    assert [gets - attracts, gets + 1 - attracts] == pytest.approx([low, high], abs=1e-12)


def test_looks_count_as_many_as_say_as_much():
    """Of 11, looked at by all, a click counts 1; of 12, by half, 0.5; of 13, by a quarter, 2: Σ p w is 1.75, Σ p w² is
    2.125."""
    impressions = [(1, 1, (11, 12, 13), PROPENSITY, [2]), (2, 1, (11, 12, 13), PROPENSITY, [])]
    found = estimated(impressions, {1: (11, 13, 12)})
    assert 2 * 1.75**2 / 2.125 == pytest.approx(found.estimates[0].effective)
    assert [2.0, 2.0] == [each.heaviest for each in found.estimates]
    assert 1 == found.counted


def test_what_is_shown_depends_on_no_click():
    """A rule that looks at clicks shows the estimates that happen to be low, or those that happen to be high."""
    chance = np.random.default_rng(11)
    shown = set()
    for _ in range(20):
        impressions = [
            (user, 1, (11, 12, 13), (1.0, 0.5, 0.05), [k for k in (1, 2, 3) if chance.random() < 0.1])
            for user in range(60)
        ]
        for least in (5, 6):
            found = estimated(impressions, {1: (13, 12, 11)}, effective=least)
            shown.add((least, *(each.name for each in found.estimates if each.value is not None)))
    # Σ p w is 1 + 0.5 + 0.05, Σ p w² 20 + 0.5 + 0.0025: 7.03 effective looks.
    assert {(5, "ips", "self-normalised"), (6, "ips", "self-normalised")} == shown


def test_what_rests_on_too_few_looks_is_refused():
    impressions = [(user, 1, (11, 12, 13), (1.0, 0.5, 0.01), [1, 2]) for user in range(60)]
    other = {1: (13, 12, 11)}
    with pytest.raises(InputError, match=r"based on only .* effective looks, fewer than 100000; use a longer"):
        estimated(impressions, other, effective=100_000)
    with pytest.raises(InputError, match="are based on only 0 effective looks"):
        estimated(impressions, {1: (10,)}, effective=1)
    with pytest.raises(InputError, match="the other ranking has no query of the log; are the ids of queries the same"):
        estimated(impressions, {9: (1,)}, effective=1)


def test_a_log_without_a_click_has_an_interval():
    """Of 100 looks none became a click; so more than 3 in 100 are unlikely, and the interval holds as many."""
    impressions = [(user, 1, (11,), (1.0,), []) for user in range(100)]
    for each in estimated(impressions, {1: (11,)}).estimates[:1]:
        assert 0 == each.value == each.bound
        assert each.interval.low < 0 < 0.0295 < each.interval.high < 0.031


@pytest.mark.parametrize("place", range(3))
def test_a_better_document_that_was_never_shown_makes_no_ranking_worse(place):
    """The log knows nothing of document 18. The ranking that has it is called worse by no log, and better by those in
    which it would be without any click on 18."""
    chance = np.random.default_rng(12)
    other = [11, 12]
    other.insert(place, 18)
    for _ in range(20):
        impressions = [
            (user, 1, (11, 12, 13), (1.0, 0.5, 0.25), [k for k in (1, 2, 3) if chance.random() < 0.6 / k])
            for user in range(300)
        ]
        for each in estimated(impressions, {1: tuple(other)}).estimates[:1]:
            assert each.difference < 0 < each.bound_difference
            assert 1.0 == each.p
            assert each.difference_interval.low < each.difference
            assert each.difference_interval.high > each.bound_difference


def test_with_little_support_differences_have_no_p():
    """Of the first documents of the other ranking one in three was shown."""
    impressions = [(user, 1, (11, 12, 13), (1.0, 1.0, 1.0), [1, 2] if user % 9 else []) for user in range(90)]
    impressions[:20] = [(user, 1, (11, 12, 13), (1.0, 1.0, 1.0), [1]) for user in range(20)]
    other = {1: (11, 18, 19)}
    for least in (0.0, 0.33):
        ips, normalised = estimated(impressions, other, support=least).estimates[:2]
        assert ips.difference < 0 < normalised.difference < ips.bound_difference
        assert 1.0 == ips.p
    found = estimated(impressions, other, support=0.34)
    assert found.unsupported
    for each, shown in zip(found.estimates, (ips, normalised), strict=False):
        assert (None, None) == (each.difference_interval, each.p)
        assert (shown.value, shown.interval, shown.difference) == (each.value, each.interval, each.difference)


def simulation():
    """The module benchmarks/off_policy.py."""
    path = ROOT / "benchmarks" / "off_policy.py"
    if not path.exists():
        pytest.skip("benchmarks are not here")
    spec = importlib.util.spec_from_file_location("off_policy_simulation", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCENES = {
    "a better document was never shown": (("abcde",), "axbcd", {"x": 0.9}, 200, 5, 0, 0.2, None),
    "a worse document was never shown": (("abcde",), "axbcd", {"x": 0.0}, 200, 5, 0, 0.2, None),
    "few look at the last document": (("abcde",), "edcba", {"e": 0.02}, 150, 1, 0, 0.0, (1.0, 0.5, 0.3, 0.25, 0.2)),
    "one user of 100 comes 500 times": (
        ("abcde", "bcdea"),
        "edcba",
        dict.fromkeys("abcde", 0.3),
        100,
        1,
        500,
        0.5,
        None,
    ),
    "three users": (("abcde", "bcdea"), "edcba", dict.fromkeys("abcde", 0.3), 3, 100, 0, 1.0, None),
    "queries that come twice": (("abc", "xde"), "axb", {"x": 0.5}, 1000, 1, 0, 0.0, None, False, 500),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", SCENES)
def test_simulated_logs_are_judged_right(name):
    """What benchmarks/off_policy.py finds of 1,000 logs, of 100: intervals hold the truth, nothing wrong is found."""
    scenes = simulation()
    shown, other, attraction, *rest = SCENES[name]
    scene = scenes.Scene(shown, other, scenes.KNOWN | attraction, *rest)
    found = scenes.outcomes(scene, 100, 3)
    for each in found.values():
        assert 100 == each.shown == each.tested
        assert 93 <= min(each.covered, each.covered_difference)
        if abs(scene.apart) < 1e-9:
            assert each.worse + each.better <= 7
        elif scene.apart > 0:
            assert 0 == each.worse
        else:
            assert 0 == each.better


def test_the_command_warns_of_little_support(irev):
    words = ("online", "off-policy", SEMANTIC, LOG)
    done = irev(*words, "--min-support", "0.96", "-f", "json")
    assert (
        "warning: The support is 0.9567, less than 0.96 (--min-support): too much of this ranking was not seen by users"
        in done.stderr
    )
    record = json.loads(done.stdout)
    assert 0.96 == record["min_support"]
    assert [None] * 3 == [each["p"] for each in record["estimates"]][:3]
    assert "--min-support" not in irev(*words).stderr


def test_users_who_come_much_more_often_are_warned_of(irev, tmp_path):
    """99 users come once and one 500 times: 599²/(99 + 250,000) is 1.4. Clicks are those of others, at random."""
    chance = np.random.default_rng(13)
    rows = ["event,impression,user,query,documents,propensities,position"]
    for number in range(599):
        rows.append(f"impression,{number},{max(number - 499, 0)},q,x y,1 0.5,")
        rows += [f"click,{number},,,,,{k}" for k in (1, 2) if chance.random() < 0.5 / k]
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "other.run").write_text("q Q0 y 1 2 other\nq Q0 x 2 1 other\n")
    done = irev("online", "off-policy", str(tmp_path / "other.run"), str(tmp_path / "log.csv"))
    said = "HEAVY USERS: 100 users weigh as much as 1.4 with equally many impressions"
    assert said in done.stderr
    assert said in " ".join(done.stdout.decode().split())
    assert "HEAVY" not in irev("online", "off-policy", SEMANTIC, LOG).stderr


def test_nothing_is_estimated_of_nothing():
    with pytest.raises(InputError, match="there are no impressions"):
        policy_of().estimates()


@pytest.mark.parametrize("memory", [None, 100])
def test_neither_order_nor_pieces_change_the_last_bit(memory):
    impressions = list(examples(7, 300))
    whole = estimated(impressions)
    chance = np.random.default_rng(8)
    for _ in range(5):
        policy = policy_of(memory=memory)
        order = chance.permutation(300)
        for some in np.array_split(order, 7):
            policy.add(block([impressions[place] for place in some]))
        assert whole == policy.estimates()
        policy.close()


def test_propensities_of_positions_are_as_good_as_those_of_the_log():
    impressions = [
        (user, query, lists, PROPENSITY[: len(lists)], clicks) for user, query, lists, _, clicks in examples(9)
    ]
    policy = policy_of(positions=np.array(PROPENSITY))
    policy.add(block(impressions, given=False))
    assert estimated(impressions) == policy.estimates()


@pytest.mark.parametrize(
    ("impression", "given", "positions", "says"),
    [
        ((1, 0, (11,), (1.0,), []), True, None, "log:2: the impression has no query; the other ranking has queries"),
        ((1, 1, None, (), []), True, None, "log:2: the impression has no documents; it is not known"),
        ((1, 1, (11,), (1.0,), []), False, None, "log:1: the impression has no propensities; propensities=… has one"),
        ((1, 1, (11, 12), (1.0, 0.5), []), True, [1.0], "log:2: the impression has no so short a list; there are"),
    ],
)
def test_what_cannot_be_estimated_from_is_refused_with_its_place(impression, given, positions, says):
    policy = policy_of(positions=None if positions is None else np.array(positions))
    with pytest.raises(InputError) as refused:
        policy.add(block([(1, 1, (11,), (1.0,), []), impression], given))
    assert says in str(refused.value)


@pytest.mark.parametrize("least", [5e-324, 1e-200])
def test_positions_that_nobody_looks_at_overflow_nothing(least):
    for clicks in ([], [1], [1, 2]):
        impressions = [(user, 1, (11, 12), (1.0, least), clicks if user % 2 else []) for user in range(6)]
        for each in estimated(impressions, {1: (12, 11)}).estimates:
            assert all(math.isfinite(number) for number in each[1:3] + each[4:6] if number is not None)
            assert math.isfinite(each.effective)


def test_a_list_without_documents_is_an_impression_on_which_nobody_can_click():
    found = estimated([(1, 1, (), (), []), (2, 1, (11,), (1.0,), [1])], {1: (11,)})
    assert 0.5 == found.estimates[0].value == found.shown


# The command

QRELS, KEYWORD, SEMANTIC, LOG = (
    str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run", "semantic.run", "ab_test.csv")
)


def gets(run, queries, only=None):
    """Clicks per impression that a run gets by the model of simulated users, or of the documents that lists show."""
    attracts = {0: 0.05, 1: 0.125, 2: 0.375, 3: 0.875}
    grades = nested(QRELS, 3)
    whole = 0.0
    for query in queries:
        for rank, document in enumerate(run[query], 1):
            if only is None or document in only[query]:
                whole += attracts[max(grades[query].get(document, 0), 0)] / rank
    return whole / len(queries)


@pytest.mark.thorough
def test_a_simulated_log_of_one_run_says_what_another_would_have_got(irev, tmp_path):
    """Lists of the one run, clicked by the position model: known are the documents that it shows, and no others."""
    path = tmp_path / "log.jsonl"
    simulated(path, "keyword", impressions=8000, users=2000)
    lists = {}
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "impression":
            lists[event["query"]] = event["documents"]
    other = {
        query: sorted(scores, key=lambda document: (scores[document], document), reverse=True)[
            : len(lists.get(query, ()))
        ]
        for query, scores in nested(SEMANTIC, 4).items()
    }
    queries = sorted(lists)
    record = json.loads(irev("online", "off-policy", SEMANTIC, str(path), "--confidence", "0.999", "-f", "json").stdout)
    shown, ips = record["estimates"][:2]
    assert shown["low"] <= gets(lists, queries) <= shown["high"]
    assert ips["low"] <= gets(other, queries, lists) <= ips["high"]
    weight = [math.fsum(1 / k for k, each in enumerate(other[q], 1) if each in lists[q]) for q in queries]
    whole = [math.fsum(1 / k for k in range(1, len(other[q]) + 1)) for q in queries]
    assert math.fsum(weight) / math.fsum(whole) == pytest.approx(record["support"], abs=0.02)


def test_the_command_says_the_same_of_a_log_in_any_order(irev, tmp_path):
    path = tmp_path / "log.jsonl"
    simulated(path, "keyword")
    groups = {}
    for line in path.read_text().splitlines():
        groups.setdefault(json.loads(line)["impression"], []).append(line)
    moved = tmp_path / "moved.jsonl"
    moved.write_text("".join(f"{line}\n" for lines in reversed(groups.values()) for line in lines))
    whole, other = (
        json.loads(irev("online", "off-policy", SEMANTIC, str(each), "-f", "json").stdout) for each in (path, moved)
    )
    assert whole | {"inputs": 0} == other | {"inputs": 0}


def test_of_a_ranking_as_much_is_read_as_counts(irev, tmp_path):
    """The first K documents alone give what all of them do."""
    rows = sorted(line.split() for line in Path(SEMANTIC).read_text().splitlines())
    first = [
        row
        for _, group in itertools.groupby(rows, key=lambda row: row[0])
        for row in sorted(group, key=lambda row: -float(row[4]))[:2]
    ]
    (tmp_path / "semantic.run").write_text("".join(" ".join(row) + "\n" for row in first))
    found = [
        irev("online", "off-policy", run, LOG, "--cutoff", "2", "-f", "csv").stdout
        for run in (SEMANTIC, str(tmp_path / "semantic.run"))
    ]
    assert found[0] == found[1]


def test_propensities_are_read_from_a_file_and_said_to_be(irev, tmp_path):
    (tmp_path / "p").write_text("1\n0.5\n0.3333333333333333\n0.25\n0.2\n0.16666666666666666\n")
    expected = irev("online", "off-policy", SEMANTIC, LOG, "-f", "csv").stdout
    found = irev("online", "off-policy", SEMANTIC, LOG, "-f", "csv", "--propensities", str(tmp_path / "p")).stdout
    assert expected == found
    shown = irev("online", "off-policy", SEMANTIC, LOG, "-f", "markdown", "--propensities", str(tmp_path / "p"))
    assert "Propensities: those of " in shown.stdout.decode()


@pytest.mark.parametrize(
    ("content", "says"),
    {
        "1\n0\n": "p:2: '0' is not a propensity; expected a number above 0 and at most 1",
        "1.5\n": "p:1: '1.5' is not a propensity",
        "1\nx\n": "p:2: 'x' is not a propensity",
        "nan\n": "p:1: 'nan' is not a propensity",
        "\n": "p: the file is empty; expected one on each line",
        "1\n0.5\n": "the impression has no so short a list; there are propensities for 2 positions",
    }.items(),
)
def test_what_is_no_propensity_is_refused_with_its_line(irev, tmp_path, content, says):
    (tmp_path / "p").write_text(content)
    refused(irev("online", "off-policy", SEMANTIC, LOG, "--propensities", str(tmp_path / "p")), says)


def test_an_estimate_that_rests_on_too_little_is_refused_by_the_command(irev):
    done = irev("online", "off-policy", SEMANTIC, LOG, "--min-effective", "1000")
    refused(done, "the estimates are based on only 628 effective looks, fewer than 1000; use a longer log")


def test_a_log_without_propensities_is_refused(irev, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(as_jsonl([{"event": "impression", "impression": "1", "query": "q1", "documents": ["a"]}]))
    done = irev("online", "off-policy", SEMANTIC, str(path))
    refused(done, "log.jsonl:1: the impression has no propensities; --propensities")


def test_a_log_with_a_fault_is_refused_unless_it_is_left_out(irev, tmp_path):
    content = Path(LOG).read_text()
    path = tmp_path / "log.csv"
    path.write_text(content + "click,1,9e9,,,,,,99,,\n")
    refused(irev("online", "off-policy", SEMANTIC, str(path)), "the position 99 cannot be in a list of")
    done = irev("online", "off-policy", SEMANTIC, str(path), "--on-error", "drop")
    assert 0 == done.status
    assert "left out" in done.stderr
    done = irev("online", "off-policy", SEMANTIC, str(path), "--on-error", "drop", "-f", "markdown")
    assert "Left out: 3 events of 747, because of these faults: E142 1." in done.stdout.decode()


def test_impressions_without_users_are_said_to_be_taken_for_one_each(irev, tmp_path):
    path = tmp_path / "log.jsonl"
    simulated(path, "keyword")
    events = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({k: v for k, v in each.items() if k != "user"}) + "\n" for each in events))
    shown = irev("online", "off-policy", SEMANTIC, str(path), "-f", "markdown").stdout.decode()
    assert "400 impressions of 400 name no user, and each counts as one" in shown


# In Python


def test_python_has_what_the_command_has(irev, tmp_path):
    from irev import off_policy

    for words, choices in (
        ([], {}),
        (["--cutoff", "3"], {"cutoff": 3}),
        (["--confidence", "0.9", "--min-effective", "9"], {"confidence": 0.9, "min_effective": 9}),
        (["--min-support", "0.96"], {"min_support": 0.96}),
    ):
        printed = irev("online", "off-policy", SEMANTIC, LOG, *words).stdout.decode()
        assert printed.rstrip() == str(off_policy(LOG, SEMANTIC, **choices))
    expected = off_policy(LOG, SEMANTIC)
    found = off_policy([LOG], nested(SEMANTIC, 4), propensities=[1 / k for k in range(1, 9)])
    assert expected.estimates == found.estimates
    (tmp_path / "p").write_text("".join(f"{1 / k!r}\n" for k in range(1, 9)))
    assert expected.estimates == off_policy(LOG, SEMANTIC, propensities=tmp_path / "p").estimates
    assert 628.0 == round(expected.estimates[0].effective, 1)
    assert ["shown", "ips", "self-normalised"] == list(expected.to_pandas()["estimator"])


@pytest.mark.parametrize(
    ("choices", "says"),
    {
        (("cutoff", 0),): "cutoff",
        (("min_effective", 0.5),): "min_effective",
        (("min_support", 1.5),): "min_support",
        (("confidence", 1.0),): "confidence",
        (("on_error", "keep"),): "on_error",
        (("propensities", (1.0, 0.0)),): "propensities",
        (("propensities", ()),): "propensities",
        (("ties", "average"),): "under ties='average'",
    }.items(),
)
def test_python_refuses_what_there_is_not(choices, says):
    from irev import UsageError, off_policy

    with pytest.raises(UsageError, match=says):
        off_policy(LOG, SEMANTIC, **dict(choices))


@pytest.mark.parametrize("content", [b"0.9\n0.5\n", BOM + b"0.9\r\n\r\n0.5", b"propensity\n0.9\n0.5\n", b"[0.9, 0.5]"])
def test_propensities_are_read_in_every_form(tmp_path, content):
    (tmp_path / "list").write_bytes(content)
    with Source(str(tmp_path / "list")) as source:
        assert [0.9, 0.5] == read_propensities(source).tolist()
