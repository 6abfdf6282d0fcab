"""Whether click models give back what logs were made of: users are made up who click by one of them.

A log has 20 queries, of 12 documents each, which attract with a chance from a beta distribution (1, 2); each of 1,000
users sees 1 to 9 lists of 8 of them, in an order by chance. Users look at rank r with a chance of r^-0.8 and click
what attracts (position), or stop at their first click (cascade). *Held*: how many of 100 intervals at 95% hold the
true chance, of a log each, over ranks 2 to 8; *off*: the mean of what is estimated less the truth, and its largest
size over ranks. *First*: in how many of 100 logs each model foretells best.

*Swaps*: each query has one ranking, its best documents first, and users who click by position see it but for swaps:
RandPair (Joachims, Swaminathan and Schnabel, Unbiased Learning-to-Rank with Biased Feedback, WSDM 2017) swaps the first
document with one at a rank by chance, FairPairs (Radlinski and Joachims, Minimally Invasive Randomization for
Collecting Unbiased Preferences from Clickthrough Logs, AAAI 2006) neighbours, each pair by a coin. *Swapped*: the
share of impressions that are.

python benchmarks/click_models.py [--logs 40] [--seed 0]     print the table
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from irev.extensions.clicks.online.click_models import GROUPS, ITEM, ModelFitter, ModelFound

QUERIES, DOCUMENTS, LENGTH, USERS = 20, 12, 8, 1_000
LOOKS = np.arange(1.0, LENGTH + 1) ** -0.8


def clicks(model: str, attractive: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """(n, LENGTH) What is clicked of lists."""
    attracted = random.random(attractive.shape) < attractive
    if model == "position":
        return attracted & (random.random(attractive.shape) < LOOKS)
    return attracted & (np.cumsum(attracted, axis=1) == 1)


def ranked(
    attraction: np.ndarray, query: np.ndarray, how: str, swapped: float, random: np.random.Generator
) -> np.ndarray:
    """(n, LENGTH) Documents of the best ranking of each query, some of them swapped."""
    shown = np.argsort(-attraction, axis=1)[query][:, :LENGTH]
    rows = np.flatnonzero(random.random(len(shown)) < swapped)
    if how == "RandPair":
        rank = random.integers(LENGTH, size=len(rows))
        shown[rows, 0], shown[rows, rank] = shown[rows, rank], shown[rows, 0].copy()
        return shown
    begins = random.integers(2, size=len(rows))
    for rank in range(LENGTH - 1):
        turned = rows[(rank % 2 == begins) & (random.random(len(rows)) < 0.5)]
        shown[turned, rank], shown[turned, rank + 1] = shown[turned, rank + 1], shown[turned, rank].copy()
    return shown


def made_up(model: str, random: np.random.Generator, how: str = "", swapped: float = 1.0) -> np.ndarray:
    """The items of a log."""
    visits = random.integers(1, 10, USERS)
    n = int(visits.sum())
    attraction = random.beta(1, 2, (QUERIES, DOCUMENTS))
    query = random.integers(QUERIES, size=n)
    shown = np.argsort(random.random((n, DOCUMENTS)), axis=1)[:, :LENGTH]
    if how:
        shown = ranked(attraction, query, how, swapped, random)
    clicked = clicks(model, attraction[query[:, None], shown], random)
    items = np.zeros(n * LENGTH, dtype=ITEM)
    items["pair"] = (query[:, None] * DOCUMENTS + shown).ravel()
    items["place"] = np.tile(np.arange(LENGTH), n)
    items["group"] = np.repeat(np.repeat(np.arange(USERS) % GROUPS, visits), LENGTH)
    items["clicked"] = clicked.ravel()
    return items


def fitted(items: np.ndarray) -> list[ModelFound]:
    log: Any = None
    shown = ModelFitter(log)
    shown.take(items, np.zeros(len(items), dtype=np.uint8))
    return shown.fitted(0.95)


def swaps(logs: int, random: np.random.Generator) -> None:
    """Whether looking is recovered from one ranking and swaps."""
    print("\n| lists | swapped | held | off |\n|---|---:|---:|---:|")
    for how, swapped in (("RandPair", 1.0), ("RandPair", 0.1), ("FairPairs", 1.0)):
        held, apart = [], []
        for _ in range(logs):
            (found,) = (each for each in fitted(made_up("position", random, how, swapped)) if each.name == "position")
            told = [(found.parameters[rank], LOOKS[rank]) for rank in range(1, LENGTH)]
            held += [each.interval is not None and each.interval[0] <= true <= each.interval[1] for each, true in told]
            apart.append([(each.value or 0.0) - true for each, true in told])
        off = np.abs(np.mean(apart, axis=0)).max()
        print(f"| {how} | {100 * swapped:.0f}% | {100 * np.mean(held):.1f} | {off:.3f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    random = np.random.default_rng(asked.seed)
    names = ("position", "cascade", "positions alone")
    print(f"\n{asked.logs:,} logs of each kind.\n")
    print(f"| users click by | {' | '.join(f'{name}: perplexity' for name in names)} | first | held | off |")
    print(f"|---|{'---:|' * len(names)}---:|---:|---:|")
    for model in ("position", "cascade"):
        perplexity, first, held, apart = np.zeros(len(names)), 0, [], []
        for _ in range(asked.logs):
            found = fitted(made_up(model, random))
            first += found[0].name == model
            by_name = {each.name: each for each in found}
            perplexity += [by_name[name].perplexity or np.nan for name in names]
            if model == "position":  # the first rank is what looking is relative to
                told = [(by_name[model].parameters[rank], LOOKS[rank]) for rank in range(1, LENGTH)]
                ends = [(each.interval or (np.nan, np.nan), true) for each, true in told]
                held += [low <= true <= high for (low, high), true in ends]
                apart.append([(each.value or 0.0) - true for each, true in told])
        numbers = [f"{each / asked.logs:.4f}" for each in perplexity]
        told_of = (f"{100 * np.mean(held):.1f}", f"{np.abs(np.mean(apart, axis=0)).max():.3f}") if held else ("–", "–")
        print(f"| {model} | {' | '.join([*numbers, f'{100 * first / asked.logs:.0f}', *told_of])} |", flush=True)
    swaps(asked.logs, random)


if __name__ == "__main__":
    main()
