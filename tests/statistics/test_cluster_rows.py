"""Clusters of queries: by the definition of the jackknife, by hand, and how often tests err."""

import numpy as np
import pytest
import scipy.stats

from irev.extensions.llm_judge.prediction_powered import corrected
from irev.statistics import effects, intervals, paired
from irev.statistics.paired import cluster_sums, jackknifed
from irev.statistics.plan import Plan

SIZES = (1, 4, 2, 7, 3, 5, 1, 6)
CLUSTER = np.repeat(np.arange(len(SIZES)), SIZES)


def values(seed, columns=2):
    return np.random.default_rng(seed).normal(0.2, 1, (len(CLUSTER), columns))


@pytest.mark.parametrize("seed", range(5))
def test_pseudo_values_are_those_of_leaving_each_cluster_out(seed):
    of = values(seed, 1)[:, 0]
    whole, clusters = of.mean(), len(SIZES)
    without = np.array([of[CLUSTER != number].mean() for number in range(clusters)])
    pseudo = clusters * whole - (clusters - 1) * without
    found = jackknifed(of[:, None], CLUSTER)[:, 0]
    assert found.mean() == pytest.approx(whole)
    # Tukey's error, about the mean of the pseudo-values.
    assert found.std(ddof=1) == pytest.approx(pseudo.std(ddof=1))


def test_rows_of_clusters_have_the_means_of_queries():
    of = values(1)
    for rows in (jackknifed(of, CLUSTER), cluster_sums(of, CLUSTER)):
        assert rows.shape == (len(SIZES), 2)
        assert rows.mean(axis=0) == pytest.approx(of.mean(axis=0))


def test_clusters_of_one_size_are_tested_by_their_means():
    cluster = np.repeat(np.arange(6), 3)
    of = np.random.default_rng(0).normal(0.3, 1, 18)
    means = of.reshape(6, 3).mean(axis=1)
    assert jackknifed(of[:, None], cluster)[:, 0] == pytest.approx(means)
    assert cluster_sums(of[:, None], cluster)[:, 0] == pytest.approx(means)
    (found,) = paired.test("t", jackknifed(of[:, None], cluster), Plan())
    assert found.p == pytest.approx(scipy.stats.ttest_1samp(means, 0).pvalue)
    assert found.method == "paired t, 5 degrees of freedom"


def test_a_cluster_without_a_difference_stays_one_in_tests_of_signs():
    of = values(2, 1)
    of[CLUSTER < 3] = 0
    assert (cluster_sums(of, CLUSTER)[:3] == 0).all()


def test_clusters_of_single_queries_change_nothing():
    of = values(3)
    alone = np.arange(len(of))
    assert jackknifed(of, alone) == pytest.approx(of)
    assert cluster_sums(of, alone) == pytest.approx(of)


def test_the_design_effect_is_the_ratio_of_the_variances_of_the_mean():
    cluster = np.repeat(np.arange(40), 5)
    of = np.random.default_rng(4).normal(0, 1, 40)[cluster]  # queries of a cluster are alike
    rows = jackknifed(of[:, None], cluster)[:, 0]
    assert effects.design_effect(of, rows) == pytest.approx(5 * (199 / 200) / (39 / 40))
    assert effects.design_effect(of, of) == 1
    assert effects.design_effect(np.ones(200), np.ones(40)) is None


def test_the_interval_of_an_effect_is_as_wide_as_clusters_make_it():
    # Of queries that are all alike in a cluster, it is that of the clusters.
    cluster = np.repeat(np.arange(12), 4)
    alone = np.random.default_rng(5).normal(0.5, 1, 12)
    of = alone[cluster]
    found = effects.effect(of, 0.95, jackknifed(of[:, None], cluster)[:, 0])
    expected = effects.effect(alone)
    assert np.array(found.interval) / found.standardised == pytest.approx(
        np.array(expected.interval) / expected.standardised
    )


def test_clusters_need_as_many_times_more_queries_as_they_have():
    assert 5 * effects.queries_needed(0.4, 0.05, 0.8) == effects.queries_needed(0.4, 0.05, 0.8, size=5)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6])
def test_tests_by_clusters_keep_their_level(correlation):
    """1,000 experiments without a difference: 30 clusters of 1 to 9 queries. 5% are 50, and 3 errors of that 20."""
    random, plan = np.random.default_rng(6), Plan(samples=499)
    found = np.zeros(4)
    for _ in range(10):
        cluster = np.repeat(np.arange(30), random.integers(1, 10, 30))
        of_cluster = random.normal(0, np.sqrt(correlation), (30, 100))[cluster]
        of = of_cluster + random.normal(0, np.sqrt(1 - correlation), (len(cluster), 100))
        rows, sums = jackknifed(of, cluster), cluster_sums(of, cluster)
        for place, (name, taken) in enumerate((("t", of), ("t", rows), ("randomization", sums))):
            found[place] += sum(each.p <= 0.05 for each in paired.test(name, taken, plan))
        spans = intervals.interval("t", jackknifed(of + 1.0, cluster), plan)
        found[3] += sum(not span.low <= 1.0 <= span.high for span in spans)
    queries, *by_clusters = found.tolist()
    assert all(30 <= each <= 72 for each in by_clusters), by_clusters
    assert queries > {0.0: 30, 0.3: 170, 0.6: 280}[correlation]


# Predicted judgments


def test_a_corrected_mean_of_clusters_of_one_query_is_that_of_queries():
    random = np.random.default_rng(11)
    human, model = random.normal(0, 1, 40), random.normal(0, 1, 200)
    judged = np.arange(0, 200, 5)
    alone, found = (corrected(human, model, judged, cluster=each) for each in (None, np.arange(200)))
    assert (alone.value, alone.tuning) == (found.value, found.tuning)
    assert found.estimate.error == pytest.approx(alone.estimate.error)
    assert 39 == pytest.approx(found.estimate.freedom)


def test_a_corrected_mean_of_queries_that_are_all_alike_is_that_of_their_clusters():
    random = np.random.default_rng(12)
    model = random.normal(0, 1, 60)
    human = model[:20] + random.normal(0, 0.5, 20)
    alone = corrected(human, model, np.arange(20))
    four = corrected(np.repeat(human, 4), np.repeat(model, 4), np.arange(80), cluster=np.repeat(np.arange(60), 4))
    assert four.value == pytest.approx(alone.value, abs=0.02)
    assert four.estimate.error == pytest.approx(alone.estimate.error, rel=0.05)
    assert 19 == pytest.approx(four.estimate.freedom)


def test_intervals_from_predicted_judgments_hold_by_clusters():
    """300 experiments in which 20 of 100 conversations were judged: 5% are 15, and 3 errors of that 11."""
    random, cluster, missed = np.random.default_rng(13), np.repeat(np.arange(100), 5), np.zeros(2)
    for _ in range(300):
        shared, own, other = (
            random.normal(0, 1, 100)[cluster] * np.sqrt(0.6) + random.normal(0, np.sqrt(0.4), 500) for _ in range(3)
        )
        judged = np.flatnonzero(np.isin(cluster, random.choice(100, 20, replace=False)))
        for place, of in enumerate((None, cluster)):
            found = corrected((2 * shared + own)[judged], 2 * shared + other, judged, cluster=of).interval(0.95)
            missed[place] += not found.low <= 0 <= found.high
    assert missed[1] <= 26, missed
    assert missed[0] > 60, missed
