"""How often intervals from predicted judgments hold the truth, where the truth is known: topics are made up.

A topic has 60 documents with grades 0, 1 and 2, some topics many relevant ones and some few. Two runs, A and B, order
them by scores that know the grade, share some noise, and have some of their own; each topic comes a second time with
the runs exchanged, so that A and B are equally good. A model judges every document. It errs more on some topics than on
others, takes a relevant document for another more often at grade 1 than at grade 2, and has more false positives among
the first ten of B that are not among the first ten of A: it favours B. Measures of both runs follow from the human
grades and from the model's. The truth is the mean over all topics; an experiment draws 500 of them, with human values
of the first 15, 30, 50, 100 or 200.

Models: `careful` errs little; `usual`; `careless` has false positives by the third; `hard` errs as usual on topics
with few relevant documents, of which measures are skewed; `rare` misreads one topic of twelve wholly, and hardly errs
on others.

*Looks*: a human judges more topics until p is at most 0.05, by the model `usual`.

python benchmarks/predicted_judgments.py [--experiments 4000] [--seed 0] [--only looks]     print the tables
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from shared import parser_of

from irev.extensions.llm_judge.llm_judge.finding import RARE
from irev.extensions.llm_judge.prediction_powered import by_parts, corrected, parts
from irev.statistics import corrections
from irev.statistics.intervals import quantile
from irev.statistics.plan import Plan
from irev.statistics.ratios import Always, Once, around, p_of_zero

TOPICS, DRAWN, JUDGED, DOCUMENTS = 40_000, 500, (15, 30, 50, 100, 200), 60
MEASURES = ("P@10", "AP", "nDCG@10", "RR")
RESAMPLED = 500

FEWEST = 15
"""So many judged topics are too few for Student's interval of reciprocal ranks."""

Ways = dict[str, tuple[float, float]]
Values = dict[tuple[str, int], np.ndarray]
"""Of ``human`` or ``model`` judgments and run 0 or 1: (topics, measures)."""


class Judged(NamedTuple):
    """(topics, documents): the human grades, the model's, and the ranks in each run."""

    human: np.ndarray
    model: np.ndarray
    ranks: list[np.ndarray]


def judged(seed: int, scarce: float = 0.0, wrong: float = 0.15, missed: float = 0.2, apart: float = 0.8) -> Judged:
    """The documents of all topics.

    `scarce` is the share of relevant documents that are taken away, `wrong` and `missed` the model's false positives
    and negatives, and `apart` how much topics differ in these.
    """
    chance, shape = np.random.default_rng(seed), (TOPICS // 2, DOCUMENTS)
    rich = chance.beta(1.2, 6, size=(shape[0], 1)) * (1 - scarce)
    luck = chance.random(shape)
    grade = (luck < rich).astype(int) + (luck < 0.35 * rich)
    grade[(grade == 0).all(axis=1), 0] = 1
    found = chance.gamma(2, 0.8, size=(shape[0], 1)) * (1 - scarce) * grade + 0.7 * chance.normal(size=shape)
    scores = [found + 0.7 * chance.normal(size=shape) for _ in "AB"]
    scores = [np.concatenate(scores), np.concatenate(scores[::-1])]
    grade = np.concatenate([grade, grade])
    ranks = [np.argsort(np.argsort(-score, axis=1), axis=1) for score in scores]

    topic = np.exp(apart * chance.normal(size=(TOPICS, 1)) - apart**2 / 2)
    positive = np.minimum(topic * (wrong + 0.1 * ((ranks[1] < 10) & (ranks[0] >= 10))), 0.95)
    negative = np.minimum(topic * np.where(grade == 2, missed / 2, missed), 0.95)
    first, second = chance.random(grade.shape), chance.random(grade.shape)
    guessed = np.where(grade == 1, 1 + (second < 0.2), 2 - (second < 0.3))
    model = np.where(
        grade == 0, np.where(first < positive, 1 + (second < 0.25), 0), np.where(first < negative, 0, guessed)
    )
    return Judged(grade, model, ranks)


def topics(seed: int, **options: float) -> Values:
    """The values of all topics, of `judged` ones."""
    found = judged(seed, **options)
    return {
        (judge, run): measured(given, found.ranks[run])
        for judge, given in (("human", found.human), ("model", found.model))
        for run in (0, 1)
    }


def measured(grade: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The measures of each topic, 0 where nothing is relevant."""
    discounts = np.log2(np.arange(2, 12))
    ideal = (np.sort(grade, axis=1)[:, :-11:-1] / discounts).sum(axis=1)
    listed = np.take_along_axis(grade, np.argsort(ranks, axis=1), axis=1)
    relevant = listed > 0
    precision = relevant.cumsum(axis=1) / np.arange(1, DOCUMENTS + 1)
    columns = (
        relevant[:, :10].mean(axis=1),
        (relevant * precision).sum(axis=1) / np.maximum(relevant.sum(axis=1), 1),
        (listed[:, :10] / discounts).sum(axis=1) / np.where(ideal > 0, ideal, 1.0),
        np.where(relevant.any(axis=1), 1 / (relevant.argmax(axis=1) + 1), 0.0),
    )
    return np.stack(columns, axis=1)


def rare(seed: int) -> Values:
    """A model that misreads one topic of twelve."""
    usual, other = topics(seed, wrong=0.01, missed=0.02, apart=0.3), topics(seed, wrong=0.6, missed=0.5)
    misread = (np.random.default_rng(seed).random(TOPICS) < 1 / 12)[:, None]
    return {key: np.where(misread, other[key], values) for key, values in usual.items()}


MODELS: dict[str, Callable[[int], Values]] = {
    "careful": lambda seed: topics(seed, wrong=0.03, missed=0.08, apart=0.6),
    "usual": topics,
    "careless": lambda seed: topics(seed, wrong=0.35, missed=0.4),
    "hard": lambda seed: topics(seed, scarce=0.5),
    "rare": rare,
}


def bootstrap_t(chance: np.random.Generator, human: np.ndarray, predicted: np.ndarray) -> tuple[float, float]:
    """The interval of a bootstrap-t with the λ of the sample."""
    n = len(human)
    found = corrected(human, predicted, np.arange(n))
    rest = human - found.tuning * predicted[:n]
    drawn = rest[chance.integers(0, n, (RESAMPLED, n))]
    error = drawn.std(axis=1, ddof=1)
    t = np.divide((drawn.mean(axis=1) - rest.mean()) * math.sqrt(n), error, where=error > 0, out=np.zeros_like(error))
    low, high = np.quantile(t, (0.025, 0.975))
    return found.value - high * (found.estimate.error or 0.0), found.value - low * (found.estimate.error or 0.0)


def row(
    chance: np.random.Generator, human: np.ndarray, model: np.ndarray, share: bool, experiments: int
) -> list[list[float]]:
    """For each number of judged topics: how many of 100 intervals hold the truth, of the estimate and of human values
    alone, the mean width over that of the latter, and how many of 100 bootstrap-t hold it (of a tenth, up to 30)."""
    truth, found = human.mean(), []
    for n in JUDGED:
        held, alone, widths, booted = 0, 0, np.zeros(2), []
        for number in range(experiments):
            drawn = chance.integers(0, TOPICS, DRAWN)
            values, predicted = human[drawn[:n]], model[drawn]
            estimate = corrected(values, predicted, np.arange(n), share=share)
            for place, interval in enumerate((estimate.interval(0.95), around(estimate.human, 0.95))):
                low, high = interval or (estimate.value, estimate.value)
                widths[place] += high - low
                held += place == 0 and low <= truth <= high
                alone += place == 1 and low <= truth <= high
            if n <= 30 and number % 10 == 0:
                low, high = bootstrap_t(chance, values, predicted)
                booted.append(low <= truth <= high)
        of_100 = 100 / experiments
        found.append(
            [held * of_100, alone * of_100, widths[0] / widths[1], 100 * float(np.mean(booted)) if booted else math.nan]
        )
    return found


def other_ways(
    chance: np.random.Generator, human: np.ndarray, model: np.ndarray, share: bool, experiments: int
) -> Ways:
    """For each way to make an interval of `FEWEST` judged topics: how many of 100 hold the truth, and the mean width
    over that of Student's interval of human values alone. All experiments at once, by formulas of their own."""
    n, total, t = FEWEST, DRAWN, quantile(FEWEST, 0.95)
    drawn = chance.integers(0, TOPICS, (experiments, total))
    h, f, every = human[drawn[:, :n]], model[drawn[:, :n]], model[drawn]
    mean, variance = every.mean(axis=1, keepdims=True), every.var(axis=1, ddof=1, keepdims=True)
    middle, of_sample = h.mean(axis=1, keepdims=True), f.mean(axis=1, keepdims=True)
    by_h, by_f = h - middle, f - of_sample

    def estimated(shrunk: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The estimate, how far it is without each topic, what is left of the human values, the part of the squared
        error that all topics have, and λ, which is shrunk."""

        def moved(size: int, one: np.ndarray, other: np.ndarray, products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            tuning = np.clip((products - one * other / size) / size / variance, 0, total / (total - n)) * shrunk
            return tuning, one / size + tuning * (mean - of_sample - other / size)

        products = by_h * by_f
        tuning, apart = moved(n, np.zeros((1, 1)), np.zeros((1, 1)), products.sum(axis=1, keepdims=True))
        without = moved(n - 1, -by_h, -by_f, products.sum(axis=1, keepdims=True) - products)[1]
        rest = by_h - tuning * by_f
        together = (rest * by_f).sum(axis=1, keepdims=True) / (n - 1)
        others = np.maximum(0, tuning**2 * variance + 2 * tuning * together) / total
        return middle + apart, without - without.mean(axis=1, keepdims=True), rest, others, tuning

    value, without, rest, others, tuning = estimated(1.0)
    jackknife = (n - 1) / n * (without**2).sum(axis=1, keepdims=True)
    linear = rest + np.where(
        (tuning > 0) & (tuning < total / (total - n)),
        (mean - of_sample) * (by_h * by_f - (by_h * by_f).mean(axis=1, keepdims=True)) / variance,
        0.0,
    )
    infinitesimal, fixed = ((each**2).sum(axis=1, keepdims=True) / (n * (n - 2)) for each in (linear, rest))
    error = np.sqrt(jackknife + others)
    pseudo = -(n - 1) * without
    second, third, fourth = ((pseudo**power).mean(axis=1, keepdims=True) for power in (2, 3, 4))
    second = np.maximum(second, 1e-300)
    skew, tails = third / second**1.5, fourth / second**2
    small, _, _, small_others, _ = shrunk = estimated(n / (n + 4))
    small_error = np.sqrt((n - 1) / n * (shrunk[1] ** 2).sum(axis=1, keepdims=True) + small_others)

    def score(value: np.ndarray, error: np.ndarray, t: np.ndarray | float = t) -> tuple[np.ndarray, np.ndarray]:
        spread = middle * (1 - middle)
        square = np.where(spread > 0, (t * error) ** 2 / np.where(spread > 0, spread, 1.0), 0.0)
        inner = np.clip(value, 0, 1)
        off = np.sqrt(square * (square / 4 + inner * (1 - inner))) / (1 + square)
        return (inner + square / 2) / (1 + square) - off, (inner + square / 2) / (1 + square) + off

    def logit(value: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inner = np.clip(value, 1e-9, 1 - 1e-9)
        at, reach = np.log(inner / (1 - inner)), np.minimum(t * error / (inner * (1 - inner)), 500)
        return 1 / (1 + np.exp(reach - at)), 1 / (1 + np.exp(-reach - at))

    def hall(reach: float) -> np.ndarray:
        by = np.where(np.abs(skew) > 1e-6, skew, 1e-6) / math.sqrt(n)
        return value - error * 3 / by * (np.cbrt(1 + by * (reach - by / 6)) - 1)

    degrees = np.clip(2 * n / np.maximum(tails - 1, 0.01), 2, 200)
    satterthwaite = np.interp(degrees, np.arange(2, 201), [quantile(k + 1, 0.95) for k in range(2, 201)]) * error
    parted = (jackknife + others) ** 2 / np.maximum(jackknife**2 / (n - 1) + others**2 / (total - 1), 1e-300)
    of_parts = np.interp(parted, np.arange(2, total), [quantile(k + 1, 0.95) for k in range(2, total)])
    johnson, student = value + third / second / (6 * n), lambda at, by: (at - t * by, at + t * by)
    found = {
        "Student's t, jackknife": student(value, error),
        "by score, jackknife": score(value, error) if share else student(value, error),
        "logit, jackknife": logit(value, error) if share else student(value, error),
        "Johnson's shift": student(johnson, error),
        "Hall's cubic": (hall(t), hall(-t)),
        "Satterthwaite's degrees": (value - satterthwaite, value + satterthwaite),
        "by score, degrees of both parts": score(value, error, of_parts)
        if share
        else (value - of_parts * error, value + of_parts * error),
        "λ shrunk by n/(n + 4)": student(small, small_error),
        "λ held fixed": student(value, np.sqrt(fixed + others)),
        "by score, infinitesimal jackknife": (score if share else student)(value, np.sqrt(infinitesimal + others)),
    }
    alone, truth = 2 * t * h.std(axis=1, ddof=1).mean() / math.sqrt(n), human.mean()
    return {
        way: (100 * float(((low <= truth) & (truth <= high)).mean()), float((high - low).mean() / alone))
        for way, (low, high) in found.items()
    }


RUNS, FAMILY, SAMPLES = 5, 2_500, 2_000
"""Of tests of all pairs: how many runs there are, experiments, and samples of the maximum-t method."""


def family(seed: int) -> Iterator[str]:
    """All pairs of runs, of which a model favours each by another amount: of 100 experiments with equally good runs how
    many find any two of them different, and of 100 pairs with a run that is better by 0.1 how many are found."""
    chance, pairs = np.random.default_rng(seed), list(combinations(range(RUNS), 2))
    favours = 0.05 * np.arange(RUNS)
    for n in (15, 30, 100):
        false, power = np.zeros(3), np.zeros(2)
        for number in range(FAMILY):
            topic = chance.beta(2, 2, size=(DRAWN, 1))
            equal = np.clip(topic + 0.2 * chance.standard_normal((DRAWN, RUNS)), 0, 1)
            better = equal.copy()
            better[:, 0] = np.clip(better[:, 0] + 0.1, 0, 1)
            models = [
                np.clip(0.8 * human + 0.1 + favours + 0.1 * chance.standard_normal((DRAWN, RUNS)), 0, 1)
                for human in (equal, better)
            ]
            places = chance.choice(DRAWN, n, replace=False)
            for human, model in zip((equal, better), models, strict=True):
                apart = [(human[places, b] - human[places, a], model[:, b] - model[:, a]) for a, b in pairs]
                found = [corrected(h, f, places) for h, f in apart]
                t = np.array([each.estimate.value / each.estimate.error for each in found])
                added = [parts(h, f, places, each.tuning) for (h, f), each in zip(apart, found, strict=True)]
                joint = by_parts(t, np.stack(added, axis=1), n - 1, Plan(samples=SAMPLES, seed=number))
                own = [each.p for each in found]
                ways = [np.array(p) for p in (joint, corrections.adjusted("holm", own), own)]
                if human is equal:
                    false += [(p <= 0.05).any() for p in ways]
                else:
                    power += [(p[: RUNS - 1] <= 0.05).mean() for p in ways[:2]]
        cells = [f"{100 * each / FAMILY:.1f}" for each in (*false, *power)]
        yield f"| {n} | {' | '.join(cells)} |"


def level(chance: np.random.Generator, model: np.ndarray, experiments: int) -> float:
    """How many of 100 t tests of predicted values alone find a difference."""
    drawn = model[chance.integers(0, TOPICS, (experiments, DRAWN))]
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(DRAWN))
    return 100 * float((np.abs(t) > quantile(DRAWN, 0.95)).mean())


def enlarged(chance: np.random.Generator, values: Values, place: int, looks: range, trials: int) -> tuple[list, float]:
    """An audit that is enlarged: how many of 100 find a difference at any look at 5%, and at the last one, by t, and at
    any look by confidence sequences; and how much wider these are at the last look."""
    human, model = (values[judge, 1][:, place] - values[judge, 0][:, place] for judge in ("human", "model"))
    found, wider = np.zeros(3), []
    for _ in range(trials):
        drawn = chance.choice(TOPICS, DRAWN, replace=False)
        once, always = [], []
        for judged in looks:
            estimate = corrected(human[drawn[:judged]], model[drawn], np.arange(judged)).estimate
            look = Always(judged / looks[-1])
            once.append(p_of_zero(estimate) or 1.0)
            always.append(p_of_zero(estimate, look) or 1.0)
        found += np.array([min(once), once[-1], min(always)]) <= 0.05
        wider.append(look.reach(0.95, estimate.freedom) / Once().reach(0.95, estimate.freedom))
    return (100 * found / trials).tolist(), float(np.mean(wider))


def looks(seed: int, trials: int) -> None:
    print("| judged | B less A | t, at any look | t, at the last | confidence sequence, at any | width |")
    print("|---|---|---:|---:|---:|---:|")
    values = topics(seed)
    for at in (range(15, 101, 5), range(20, 201, 20), range(30, 91, 30)):
        for place, measure in enumerate(MEASURES):
            found, wider = enlarged(np.random.default_rng(seed), values, place, at, trials)
            cells = " | ".join(f"{each:.1f}" for each in found)
            print(f"| {at[0]} to {at[-1]}, by {at.step} | {measure} | {cells} | {wider:.2f} |", flush=True)


def rare_errors(chance: np.random.Generator, experiments: int) -> list[str]:
    """Intervals of mean P@5 where the model is right but on 5 of 100 queries, on which the human finds 0: how many of
    100 hold, those of human judgments alone, and samples with fewer than `RARE` errors and the others apart."""
    rows = []
    for size in (DRAWN, 4 * DRAWN):
        for judged in JUDGED:
            held, by_hand, shown = (np.zeros(experiments, dtype=bool) for _ in range(3))
            for place in range(experiments):
                model = chance.binomial(5, chance.beta(2, 2, size)) / 5
                human = np.where(chance.random(size) < 0.05, 0, model)
                drawn = chance.permutation(size)[:judged]
                found = corrected(human[drawn], model, drawn, share=True)
                ends, alone = found.interval(0.95), found.human_interval(0.95)
                held[place] = ends is not None and ends[0] <= 0.475 <= ends[1]
                by_hand[place] = alone is not None and alone[0] <= 0.475 <= alone[1]
                shown[place] = (human[drawn] != model[drawn]).sum() >= RARE
            held_shown = [held[shown == there] for there in (True, False)]
            cells = [f"{100 * each.mean():.1f}" if len(each) else "" for each in (held, by_hand, *held_shown)]
            rows.append(f"| {size:,} | {judged} | {' | '.join(cells)} | {100 * (~shown).mean():.0f} |")
    return rows


def worths(chance: np.random.Generator, experiments: int) -> Iterator[str]:
    """What is printed as `worth`, as a share of what it is where all errors are known."""
    for together in (0.6, 0.8, 0.9):
        for judged in (15, 40, 100):
            found = []
            for _ in range(experiments):
                human = chance.normal(0, 1, DRAWN)
                model = together * human + math.sqrt(1 - together**2) * chance.normal(0, 1, DRAWN)
                values, by_model = 1 / (1 + np.exp(-1.2 * human)), 1 / (1 + np.exp(-1.2 * model))
                found.append(corrected(values[:judged], by_model, np.arange(judged)).worth or 0.0)
            true = judged * (1 / (1 - np.corrcoef(values, by_model)[0, 1] ** 2 * (1 - judged / DRAWN)) - 1)
            low, middle, high = np.quantile(found, [0.05, 0.5, 0.95])
            yield f"| {together} | {judged} | {true:.0f} | {low:.0f} | {middle:.0f} | {high:.0f} |"


def main() -> None:
    parser = parser_of(__doc__, experiments=4_000, seed=0)
    parser.add_argument("--only", choices=("looks",))
    asked = parser.parse_args()
    if asked.only:
        looks(asked.seed, asked.experiments // 8)
        return
    chance = np.random.default_rng(asked.seed)
    of_runs, of_differences, ends = [], [], []
    ways: dict[bool, list[Ways]] = {True: [], False: []}
    for name, make in MODELS.items():
        values = make(asked.seed)
        for place, measure in enumerate(MEASURES):
            of_a, of_b = ([values[judge, run][:, place] for judge in ("human", "model")] for run in (0, 1))
            apart = [b - a for a, b in zip(of_a, of_b, strict=True)]
            for (human, model), table in ((of_b, of_runs), (apart, of_differences)):
                share = table is of_runs
                found = row(chance, human, model, share, asked.experiments)
                ways[share].append(
                    other_ways(np.random.default_rng(asked.seed), human, model, share, asked.experiments)
                )
                ends.append(found)
                together = np.corrcoef(human, model)[0, 1]
                cells = [f"{each[0]:.1f} ({each[1]:.1f}) {each[2]:.2f}" for each in found]
                today = [f"{level(chance, model, asked.experiments):.0f}"] if table is of_differences else []
                table.append(f"| {name} | {measure} | {together:.2f} | {' | '.join([*today, *cells])} |")
    head = " | ".join(f"{n} judged" for n in JUDGED)
    print(f"| model | measure of B | correlation | {head} |\n|---|---|---:|{'---:|' * len(JUDGED)}", *of_runs, sep="\n")
    print(
        f"\n| model | B less A | correlation | found by predictions alone | {head} |\n|---|---|---:|---:|"
        + "---:|" * len(JUDGED),
        *of_differences,
        sep="\n",
    )
    print("\n| judged | estimate | human alone | bootstrap-t | width |\n|---:|---:|---:|---:|---:|")
    for at, n in enumerate(JUDGED):
        columns = np.array([each[at] for each in ends]).T
        spans = [
            "" if np.isnan(column).any() else f"{column.min():.1f} to {column.max():.1f}"
            for column in (columns[0], columns[1], columns[3])
        ]
        print(f"| {n} | {' | '.join(spans)} | {columns[2].min():.2f} to {columns[2].max():.2f} |")
    print(f"\n| {FEWEST} judged | means | width | differences | width |\n|---|---:|---:|---:|---:|")
    for way in ways[True][0]:
        cells = []
        for share in (True, False):
            held, widths = np.array([each[way] for each in ways[share]]).T
            cells.append(f"{held.min():.1f} to {held.max():.1f} | {widths.min():.2f} to {widths.max():.2f}")
        print(f"| {way} | {' | '.join(cells)} |")
    print(f"\n| queries | judged | hold | human alone | {RARE} errors or more | fewer | samples with fewer |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    print(*rare_errors(np.random.default_rng(asked.seed), asked.experiments), sep="\n")
    print("\n| correlation | judged | worth | lowest 5% | median | highest 5% |\n|---:|---:|---:|---:|---:|---:|")
    print(*worths(np.random.default_rng(asked.seed), asked.experiments // 4), sep="\n")
    print("\n| judged | any found, maximum-t | Holm | uncorrected | found of the better, maximum-t | Holm |")
    print("|---:|---:|---:|---:|---:|---:|", *family(7), sep="\n")
    looks(asked.seed, asked.experiments // 8)


if __name__ == "__main__":
    main()
